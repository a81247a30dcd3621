"""A thread-level kernel to machine text: LLVM IR through the rules, then LLVM."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NoReturn

from ..ir.analyses import Analyses
from ..ir.kernels import Kernel
from ..support.collector import paused
from ..support.dataclasses import dataclass, field
from ..support.diagnostics import CompileError, Diagnostic
from ..support.patterns import regex
from ..targets import Chip
from ..targets.chip import Vendor
from .all_rules import emit_rule
from .budget import DEFAULT, SMALLER, Budget, longest_block
from .emit import at_use
from .emit.arith_floats import write_pair
from .emit.emission import Emission, Machine
from .emit.frame import Frame, Parameter
from .emit.lines import Lines
from .emit.private_memory import reserve
from .emit.shared_memory import SharedMemory, plan, with_exchange
from .emit.text import CALL_ATTRIBUTES
from .llvm import Compiled, compile_text

if TYPE_CHECKING:
    from .isolation import Isolated
    from .link import KernelInfo

__all__ = ["Artifacts", "CompileOptions", "KernelText", "Parameter", "compile_kernel", "generate"]

_SYMBOL = regex(r"(?!WARP_SZ\Z)(?:[A-Za-z][\w$]*|[_$][\w$]+)\Z", re.ASCII)
_LONGEST_SYMBOL = 255
_ASSEMBLY = regex(r' asm (?:sideeffect )?"[^"]')
"""Inline assembly that is not empty."""


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """`optimise` runs LLVM's middle end; without it the machine text follows the IR more closely. `line_info` puts
    `.loc` directives into the machine text, which name the lines of the program; instructions stay the same. `isolate`
    runs LLVM in a process of its own (see `isolation.py`). `budget` says what all of it may take."""

    optimise: bool = True
    line_info: bool = False
    isolate: bool = False
    budget: Budget = DEFAULT


@dataclass(frozen=True)
class KernelText:
    """One kernel as LLVM IR, and what a launch has to know about it."""

    name: str
    chip: Chip
    """With the instruction set version that the kernel needs."""
    llvm_ir: str
    parameters: tuple[Parameter, ...]
    static_shared_bytes: int
    dynamic_shared_bytes: int
    block_size: tuple[int, int, int]
    check: Callable[[str], None] | None = field(compare=False)
    """Raises CodegenError where the machine text is not what the IR says."""


@dataclass(frozen=True)
class Artifacts:
    """What became of one kernel.

    `timings` are seconds by stage: emit (LLVM IR text), read (by LLVM), optimise. Threads of a workgroup are
    `block_size` in x, y, z.
    """

    name: str
    chip: Chip
    llvm_ir: str
    compiled: Compiled | Isolated = field(compare=False)
    parameters: tuple[Parameter, ...]
    static_shared_bytes: int
    dynamic_shared_bytes: int
    block_size: tuple[int, int, int]
    timings: Mapping[str, float] = field(compare=False)
    check: Callable[[str], None] | None = field(compare=False, repr=False)

    @property
    def optimised_ir(self) -> str:
        return self.compiled.optimised_ir

    @functools.cached_property
    def assembly(self) -> str:
        """PTX on NVIDIA, AMDGCN on AMD, generated and checked when first asked for."""
        text = self.compiled.assembly
        if self.check is not None:
            self.check(text)
        return text

    @property
    def object(self) -> bytes:
        """The relocatable object, generated when first asked for. ValueError for NVIDIA chips."""
        return self.compiled.object

    @functools.cached_property
    def code_object(self) -> bytes:
        """What the ROCm loader takes, linked when first asked for. ValueError for NVIDIA chips."""
        from .link import link  # only AMD's images need it

        return link(self.object)

    @property
    def kernel_info(self) -> KernelInfo:
        """Registers, LDS, scratch and spills, as the code object's metadata has them. ValueError for NVIDIA chips."""
        from .link import read_code_object

        return read_code_object(self.code_object).kernels[self.name]


_OPTIONS = CompileOptions()


def compile_kernel(
    kernel: Kernel, chip: Chip, options: CompileOptions = _OPTIONS, analyses: Analyses | None = None
) -> Artifacts:
    """Compiles a kernel of the thread stage, of which `analyses` may know something already.

    Raises CompileError where it cannot be compiled for `chip`, and, isolated, LlvmProcessError where LLVM does not
    survive it.
    """
    started = time.perf_counter()
    analyses = analyses or Analyses()
    text = generate(kernel, chip, analyses, Lines(kernel.op, kernel.name) if options.line_info else None)
    _check_size(text, kernel, chip, options.budget)
    emitted = time.perf_counter()
    if options.isolate:
        from . import isolation  # only who isolates LLVM needs it

        seconds = options.budget.seconds
        compiled: Compiled | Isolated = isolation.compile_text(
            text.llvm_ir, text.chip, optimise=options.optimise, limit=seconds
        )
    else:
        compiled = compile_text(text.llvm_ir, text.chip, optimise=options.optimise)
    spent = compiled.timing
    timings = {"emit": emitted - started, "read": spent.parse, "optimise": spent.optimise}
    return Artifacts(
        text.name,
        text.chip,
        text.llvm_ir,
        compiled,
        text.parameters,
        text.static_shared_bytes,
        text.dynamic_shared_bytes,
        text.block_size,
        timings,
        text.check,
    )


def _check_size(text: KernelText, kernel: Kernel, chip: Chip, budget: Budget) -> None:
    """No block is longer than the budget. Which operation most of it comes from is looked up where one is."""
    if text.llvm_ir.count("\n") <= budget.lines or longest_block(text.llvm_ir).lines <= budget.lines:
        return
    lines = Lines(kernel.op, kernel.name)
    block = longest_block(generate(kernel, chip, lines=lines).llvm_ir)
    place = block.mark and lines.place(block.mark)
    share = f", {block.marked} of them for what stands here" if place else ""
    message = (
        f"kernel '@{kernel.name}' has {block.lines} lines of LLVM IR in one block{share}; the budget is {budget.lines}"
    )
    raise CompileError([Diagnostic(message, place or kernel.op.location, hint=SMALLER)])


@functools.cache
def _machine(vendor: Vendor) -> Machine:
    """Loads what only this vendor's chips need."""
    if vendor == "amd":
        from .amdgpu.machine import Amdgpu

        return Amdgpu()
    from .nvptx.machine import Nvptx

    return Nvptx()


@paused()
def generate(kernel: Kernel, chip: Chip, analyses: Analyses | None = None, lines: Lines | None = None) -> KernelText:
    """The LLVM IR of a kernel of the thread stage, with its `lines` where they are asked for. Errors as in
    `compile_kernel`."""
    _check_kernel(kernel, chip)
    em = Emission(chip, _machine(chip.vendor), emit_rule, write_pair, kernel, analyses or Analyses(), lines)
    frame = Frame(em, kernel)
    shared = plan(em, kernel.op)
    reserve(em, kernel.op)
    em.block_without_terminator(kernel.op.body)
    em.w.do("ret void")
    em.stops.write()
    frame.add_grid(em.grid_extents)
    frame.add_maps(em.tensor_maps)
    shared = with_exchange(em, shared)
    text = _module_text(em, kernel, frame, shared)
    assert chip.vendor != "amd" or not _ASSEMBLY.search(text), (
        "LLVM as it is here makes no object of assembly text for AMD"
    )
    return KernelText(
        kernel.name,
        em.required_chip,
        text,
        tuple(frame.parameters),
        shared.static_bytes,
        shared.dynamic_bytes,
        kernel.block_size,
        em.machine.check_of(em),
    )


def _module_text(em: Emission, kernel: Kernel, frame: Frame, shared: SharedMemory) -> str:
    words, metadata = em.machine.metadata(em)
    if em.lines is not None:
        words, metadata = words + em.lines.of_kernel, [*metadata, *em.lines.metadata]
    header = f"define {em.machine.calling_convention} void @{kernel.name}({frame.text}) #0 {words}{{"
    parts = [
        f'target triple = "{em.chip.triple}"',
        *shared.globals,
        *em.constants,
        header,
        *at_use.ordered(em.w.lines),
        "}",
        *em.w.declarations,
        f"attributes #0 = {{ {em.machine.function_attributes(em)} }}",
        *CALL_ATTRIBUTES,
        *metadata,
    ]
    return "\n".join(parts) + "\n"


def _check_kernel(kernel: Kernel, chip: Chip) -> None:
    if kernel.stage != "thread":
        hint = 'distribute it first; a module written by hand says so: attributes {lanewise.stage = "thread"}'
        _fail(kernel, f"is at stage '{kernel.stage}'; code is generated for one thread's program", hint)
    if not _SYMBOL.match(kernel.name) or len(kernel.name) > _LONGEST_SYMBOL:
        _fail(kernel, f"has a name that assemblers do not take: letters, digits, _ and $, up to {_LONGEST_SYMBOL}")
    if kernel.clustered and not chip.supports("cluster"):
        _fail(kernel, f"has a known_cluster_size of {list(kernel.cluster_size)}; {chip.name} has no clusters")
    for size, limit, axis in zip(kernel.block_size, chip.max_workgroup_sizes, "xyz", strict=True):
        if size > limit:
            _fail(kernel, f"has {size} threads along {axis}, {chip.name} has at most {limit}")
    if kernel.subgroup_size not in (None, *chip.subgroup_sizes):
        _fail(kernel, f"has subgroups of {kernel.subgroup_size}, {chip.name} has {chip.subgroup_sizes}")


def _fail(kernel: Kernel, message: str, hint: str = "") -> NoReturn:
    raise CompileError([Diagnostic(f"kernel '@{kernel.name}' {message}", kernel.op.location, hint=hint)])
