"""`lanewise compile`: one stage to a file, or all of them into a folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..codegen.assemble import assembles, has_tool
from ..ir.remarks import Remark, of_any_launch, together
from ..ir.stages import STAGES
from ..jit.emits import MACHINE_TEXT, emits_of
from ..jit.facts import GENERAL, Facts
from ..jit.kernel import Kernel
from ..jit.kernel_variant import KernelVariant
from ..jit.write import OutputError
from ..pipeline.compilation import find_pass
from .files import write_folder, write_output
from .inputs import COMPILE_ITS_PROGRAM, read_kernel
from .remarks import RemarkPrinter

KERNEL_SUFFIX = ".lw"


def execute(options: argparse.Namespace) -> int:
    kernel = read_kernel(options).kernel
    if not isinstance(kernel, Kernel):
        raise OutputError(f"{options.file}: a compiled kernel has no stages; {COMPILE_ITS_PROGRAM}")
    facts = kernel.best_facts if options.aligned else GENERAL
    variant = kernel.variant(facts)
    stages = KernelVariant(variant.compilation, variant.words, line_info=options.line_info)
    folder: str | None = options.dump_dir
    asked = None if folder is not None else options.emit
    remarks = RemarkPrinter()
    if options.remarks and asked != "vector":
        # Before LLVM begins, which may take long: why it does is among them.
        remarks.print(_told(kernel, facts, stages.compilation.layout_remarks))
    # Everything is made before anything is written.
    dump = {} if folder is None else _every_stage(stages)
    behind = {} if folder is None else _behind_passes(variant)
    _print_after(options.print_after, variant)
    wants_one = folder is None or options.emit is not None or options.output is not None
    content = _content(options, kernel, stages) if wants_one else None
    if folder is not None:
        write_folder(Path(folder), dump)
        write_folder(Path(folder, "passes"), behind)
    if content is not None:
        write_output(content, options.output)
    if options.remarks and asked not in STAGES:
        remarks.print(_told(kernel, facts, stages.text_remarks))
    return 0


def _behind_passes(variant: KernelVariant) -> dict[str, str | bytes]:
    """The program behind each pass that changed it, by the names of files."""
    changed = [run for run in variant.passes if run.changed]
    return {f"{number:02}-{run.name}.mlir": run.text for number, run in enumerate(changed, 1)}


def _print_after(names: Sequence[str], variant: KernelVariant) -> None:
    for name in names:
        if name != "all":
            find_pass(name)
    for run in variant.passes if names else ():
        if run.name in names or ("all" in names and run.changed):
            state = "" if run.changed else ", which changed nothing"
            print(f"// ----- behind {run.name}{state} ({run.milliseconds:.1f} ms)\n{run.text}", file=sys.stderr)


def _told(kernel: Kernel, facts: Facts, remarks: Iterable[Remark]) -> Iterator[Remark]:
    """With the variant's name, where there are others."""
    interface = kernel.variants.interface
    found = of_any_launch(remarks) if facts == GENERAL and not interface.is_one else tuple(remarks)
    return together({interface.words(facts): found}, are_all=interface.is_one)


def _content(options: argparse.Namespace, kernel: Kernel, stages: KernelVariant) -> str | bytes:
    """One stage, or the compiled kernel with all its variants where the file's name says so."""
    is_kernel = (options.output or "").endswith(KERNEL_SUFFIX)
    if options.emit is not None and is_kernel:
        raise OutputError(
            f"-o {options.output} names a compiled kernel, with all its variants; --emit {options.emit} writes one"
            " stage: leave --emit out, or name the file otherwise"
        )
    if not is_kernel:
        if options.no_program:
            raise OutputError(f"--no-program is about compiled kernels: -o NAME{KERNEL_SUFFIX}")
        return stages.emit(options.emit or MACHINE_TEXT[kernel.target.vendor])
    if options.aligned or options.line_info:
        raise OutputError(
            "--aligned and --line-info choose one text; a compiled kernel has every variant and its lines"
        )
    return kernel.to_bytes(program=not options.no_program)


def _every_stage(stages: KernelVariant) -> dict[str, str | bytes]:
    """File names and contents. Stages before the program's own are left out, and machine code without its tools."""
    files: dict[str, str | bytes] = {}
    for name, emit in emits_of(stages.compilation.chip).items():
        if name in STAGES and not stages.has(name):
            continue
        if emit.needs_tools and not (has_tool("ptxas") and has_tool("nvdisasm")):
            print(f"note: no {emit.file}: `pip install lanewise[isa]` installs ptxas and nvdisasm", file=sys.stderr)
            continue
        if emit.needs_tools and not assembles(stages.compilation.chip):
            print(f"note: no {emit.file}: this ptxas does not know {stages.compilation.chip.name}", file=sys.stderr)
            continue
        files[emit.file] = stages.emit(name)
    return files
