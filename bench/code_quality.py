"""What ways of generating code cost and bring: time, registers, spills and final instructions of every example.

python bench/code_quality.py        (for NVIDIA it needs the `isa` extra)

The ways: LLVM's O1; one round of instruction combining, which lanewise takes; on AMD that without loop strength
reduction, which lanewise takes, too, and the same with what a launch knows of buffers of at most 2 GiB.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from lanewise.codegen.assemble import assemble, disassemble
from lanewise.codegen.compile import KernelText, generate
from lanewise.codegen.link import link, read_code_object
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.facts import ArgumentFacts
from lanewise.targets import Chip, find_chip

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.mlir"))
NVIDIA, AMD = ("sm_90",), ("gfx942", "gfx1100")
REPEATS = 5
LEVELS = {"nvidia": 0, "amd": 1}
"""Of machine code generation, in the way that lanewise takes."""


class Quality(NamedTuple):
    registers: int
    spilled: int
    instructions: int


def _builder(machine: Any) -> Any:
    tuning = llvm.create_pipeline_tuning_options(speed_level=1)
    tuning.slp_vectorization = tuning.loop_vectorization = False
    return llvm.create_pass_builder(machine, tuning)


def standard(module: Any, machine: Any) -> None:
    builder = _builder(machine)
    builder.getModulePassManager().run(module, builder)


def combine(module: Any, machine: Any) -> None:
    passes = llvm.create_new_function_pass_manager()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, _builder(machine))


def of_ptx(text: str, chip: Chip) -> Quality:
    cubin = assemble(text, chip)
    (resources,) = cubin.resources.values()
    sass = re.findall(r"^\s+/\*[0-9a-f]+\*/", disassemble(cubin.code), re.MULTILINE)
    return Quality(resources.registers, resources.spill_load_bytes + resources.spill_store_bytes, len(sass))


def of_object(text: str, image: bytes) -> Quality:
    (info,) = read_code_object(link(image)).kernels.values()
    body = text.partition(".section")[0]
    return Quality(info.vgpr, info.vgpr_spills + info.sgpr_spills, len(re.findall(r"^\t[a-z]", body, re.MULTILINE)))


def measure(text: str, chip: Chip, level: int, optimise: Callable[[Any, Any], None]) -> tuple[float, Quality]:
    """Median milliseconds from LLVM IR to PTX or to an object, and what came out."""
    machine = llvm.Target.from_triple(chip.triple).create_target_machine(
        cpu=chip.llvm_cpu, features=chip.llvm_features, opt=level
    )

    def run(emit: Callable[[Any], Any]) -> Any:
        module = llvm.parse_assembly(text)
        module.data_layout = str(machine.target_data)
        optimise(module, machine)
        return emit(module)

    emit = machine.emit_assembly if chip.vendor == "nvidia" else machine.emit_object
    times: list[float] = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = run(emit)
        times.append(time.perf_counter() - start)
    quality = of_ptx(result, chip) if chip.vendor == "nvidia" else of_object(run(machine.emit_assembly), result)
    return 1e3 * statistics.median(times), quality


def lowered(path: Path, chip: Chip, near: bool) -> KernelText:
    """An example's LLVM IR and what it needs; made without LLVM, whose options it would set."""
    module = parse_program(path.read_text())
    arguments = len(find_kernel(module).arguments)
    facts = dict.fromkeys(range(arguments), ArgumentFacts(near=near))
    return generate(Compilation(module, None, chip, facts).thread_kernel, chip)


def report(chips: Sequence[str], way: str, optimise: Callable[[Any, Any], None], *, near: bool = False) -> None:
    for chip in map(find_chip, chips):
        level = 3 if optimise is standard else LEVELS[chip.vendor]
        for path in EXAMPLES:
            text = lowered(path, chip, near)
            milliseconds, found = measure(text.llvm_ir, text.chip, level, optimise)
            counts = f"{found.registers:9} {found.spilled:7} {found.instructions:12}"
            print(f"{way:16} {chip.name:8} {path.stem:14} {milliseconds:6.1f} {counts}")


def main() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    print(f"{'way':16} {'chip':8} {'example':14} {'ms':>6} {'registers':>9} {'spilled':>7} {'instructions':>12}")
    report((*NVIDIA, *AMD), "O1, level 3", standard)
    report((*NVIDIA, *AMD), "combine", combine)
    llvm.set_option("lanewise", "--disable-lsr")  # from here on: options belong to the process
    report(AMD, "without LSR", combine)
    report(AMD, "near buffers", combine, near=True)


if __name__ == "__main__":
    main()
