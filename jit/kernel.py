"""Kernels as Python objects: what `compile` gives, with the text of every stage, resources and launches.

A launch looks at its arguments (see facts.py): what holds of them is a fact that the code for this launch is compiled
with, once for each combination. The texts that a kernel shows are those of the general variant, compiled with no fact.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..codegen.assemble import Resources
from ..codegen.budget import DEFAULT, Budget
from ..frontend.stated_target import stated_target
from ..ir.attributes import StringAttr
from ..ir.core import Operation
from ..ir.fastmath import permitted
from ..ir.kernels import Kernel as KernelView
from ..ir.kernels import find_kernel
from ..ir.remarks import Remark, in_program_order, of_any_launch, together
from ..pipeline.compilation import AS_USUAL, Compilation, PassRun, Settings, check_left_out
from ..support.argument_checks import require
from ..support.dataclasses import replace
from ..support.diagnostics import Report
from ..targets import Chip, find_chip
from .compiler import Compiler
from .device_choice import DeviceChoice, portable_choice
from .emits import StageError
from .facts import GENERAL, Facts
from .kernel_variant import KernelVariant
from .launchable import Launchable
from .occupancy import AnyOccupancy
from .source import Pickled, ProgramSource, module_of, pickled, program_of
from .write import write_file

if TYPE_CHECKING:
    from ..codegen.link import KernelInfo

DEFAULT_TARGET = "sm_90"


def compile(
    source: ProgramSource,
    target: str | Chip | None = None,
    kernel: str | None = None,
    device: DeviceChoice = "auto",
    *,
    fastmath: Literal["none", "approx"] = "none",
    isolate: bool = False,
    budget: Budget = DEFAULT,
    without: Collection[str] = (),
) -> Kernel:
    """Makes a kernel of a program. The work of each stage is done when its result is first needed.

    Args:
        source: Text, a file, or a module (see `ProgramSource`).
        target: A chip or a product, such as `sm_90` or `h100`. None is what the program says, else `sm_90`.
        kernel: Which of the program's kernels, where it has several.
        device: Where launches run: `auto` is the GPU if there is one that runs the code, else the emulated target.
        fastmath: What the program's float arithmetic may do beside what it says itself: with `approx` it takes the
            chip's approximations (`afn`), reciprocals (`arcp`) and fused multiply-adds (`contract`), and minima and
            maxima may do anything with NaN (`nnan`).
        isolate: Whether LLVM runs in a process of its own: where it aborts, the stage that needs it raises
            LlvmProcessError, and this process lives on. The worker is started here and serves all kernels. Launches on
            the emulator of one of AMD's chips make the code object, too, which a GPU would load.
        budget: What compiling may take: a limit of size, and, with `isolate` alone, one of time. Without, LLVM runs in
            this process, where nothing can end it.
        without: Names of passes that are left out; `kernel.passes` has all of them.

    Raises:
        FastMathError: `fastmath` is neither.
        ParseError, VerifyError, ProgramError, UnknownTargetError, SourceError: The input is wrong; the message says
        where, what was expected and what was found.
        DeviceUnavailable: The device is none, or runs no code for the target.
        PassError: `without` names no pass, one that the kernel asks something of, or one without which no code can be
        generated.
    """
    require(without, (tuple, list, set, frozenset), "names of passes, such as ['prefetch'],")
    require(budget, Budget, "a budget as lanewise.Budget(lines=20_000, seconds=30)")
    if isolate:
        _start_worker()
    module = permitted(module_of(source), fastmath, own=isinstance(source, (str, Path)))
    view = find_kernel(module, kernel)
    for name in without:
        check_left_out(name, view)
    return Kernel(module, view, _chip(module, view, target), device, Settings(isolate, budget, tuple(without)))


def chip_of(module: Operation, kernel: str | None, target: str | Chip | None) -> Chip:
    """The chip that a kernel of a module is compiled for, by what is asked for and what the program says."""
    return _chip(module, find_kernel(module, kernel), target)


def _chip(module: Operation, kernel: KernelView, target: str | Chip | None) -> Chip:
    """What is asked for; else what the program says: `lanewise.target`, or the GPU that it is for."""
    if isinstance(target, Chip):
        return target
    if target is not None:
        return find_chip(target)
    own = module.attributes.get("lanewise.target")
    if isinstance(own, StringAttr):
        return find_chip(own.value)
    stated = stated_target(kernel, Report())
    return find_chip(DEFAULT_TARGET if stated is None else stated.target.arch)


class Kernel(Launchable):
    """One kernel for one chip; see `compile`. `kernel[grid](*arguments)` launches it.

    It can be pickled: its program, target and choice of a device are, its code is compiled again.

    Attributes:
        compiler: Makes its variants.
    """

    def __init__(
        self,
        module: Operation,
        view: KernelView,
        target: Chip,
        device: DeviceChoice = "auto",
        settings: Settings = AS_USUAL,
    ) -> None:
        self.compiler = Compiler(module, view, target, settings)
        super().__init__(self.compiler, device)
        self._module = module
        self._variants: dict[Facts, KernelVariant] = {}

    def __reduce__(self) -> tuple[object, ...]:
        device = portable_choice(self._device_choice)
        return _compiled, (pickled(self._module), self.target, self.name, device, self.compiler.settings)

    @functools.cached_property
    def isolated(self) -> Kernel:
        """The same kernel, whose variants are compiled in a process of its own, on AMD into what a GPU loads, too."""
        settings = self.compiler.settings
        if settings.isolate:
            return self
        return Kernel(self._module, self.view, self.target, self._device_choice, replace(settings, isolate=True))

    @property
    def view(self) -> KernelView:
        return self.compiler.view

    def save(self, path: str | Path, *, program: bool = True, cubin: bool | None = None) -> None:
        """Writes a file that `lanewise.load` reads: the general variant, the fastest, and those compiled so far.

        Args:
            path: Replaced if it is there; by convention it ends in `.lw`.
            program: Whether to keep the program's text, which validation compares with.
            cubin: Whether to assemble PTX; None is where there is a `ptxas` that knows the chip. AMD's code objects are
                always there.

        Raises:
            OutputError: The file cannot be written.
            CompileError: The program cannot be compiled for the target.
            ToolMissingError, AssemblerError: A cubin is wanted and cannot be made.
        """
        write_file(path, self.to_bytes(program=program, cubin=cubin))

    def to_bytes(self, *, program: bool = True, cubin: bool | None = None) -> bytes:
        """What `save` writes."""
        kept = program_of(self._module) if program else None
        from .kernel_file import encode  # loading what saves takes longer than most compilations
        from .saving import saved_kernel

        return encode(saved_kernel(self.compiler, kept, self._remarks_of_general, cubin=cubin))

    # The texts of the stages

    @property
    def compilation(self) -> Compilation:
        """The stages of the general variant as modules."""
        return self.compiler.compilation(GENERAL)

    @property
    def general(self) -> KernelVariant:
        """The variant that runs with all arguments that the program allows; the properties below are its own."""
        return self.variant(GENERAL)

    @functools.cached_property
    def general_with_lines(self) -> KernelVariant:
        """The variant that runs with all arguments, with the lines of the program in machine text and code."""
        return KernelVariant(self.compilation, self.general.words, line_info=True)

    @property
    def launched(self) -> KernelVariant:
        """The variant that the last launch took: its texts, resources and remarks. Raises StageError before one."""
        last = self.launchers.taken.facts
        if last is None:
            raise StageError(f"no launch of '{self.name}' has taken a variant yet; kernel.general is the one for all")
        return self.variant(self.compiler.fitting(last))

    @property
    def passes(self) -> tuple[PassRun, ...]:
        """What each pass did to the general variant, with the program behind it as text that can be compiled on."""
        return self.general.passes

    @property
    def vector_ir(self) -> str:
        return self.general.vector_ir

    @property
    def layout_ir(self) -> str:
        return self.general.layout_ir

    @property
    def thread_ir(self) -> str:
        return self.general.thread_ir

    @property
    def llvm_ir(self) -> str:
        return self.general.llvm_ir

    @property
    def llvm_ir_optimised(self) -> str:
        return self.general.llvm_ir_optimised

    @property
    def assembly(self) -> str:
        """The machine text: PTX for NVIDIA's chips, AMDGCN for AMD's."""
        return self.general.assembly

    @property
    def ptx(self) -> str:
        return self.general.ptx

    @property
    def amdgcn(self) -> str:
        return self.general.amdgcn

    @property
    def object_file(self) -> bytes:
        """The relocatable object, for AMD's chips."""
        return self.general.object_file

    @property
    def hsaco(self) -> bytes:
        """The code object that ROCm loads, for AMD's chips."""
        return self.general.hsaco

    @property
    def cubin(self) -> bytes:
        """Machine code from `ptxas`. Raises ToolMissingError where that is not installed."""
        return self.general.cubin

    @property
    def sass(self) -> str:
        return self.general.sass

    @property
    def resources(self) -> Resources | KernelInfo:
        """Registers, spills and shared memory of the general variant, as the assembler or the code object reports them.

        `kernel.launched.resources` are those of the code that the last launch took.
        """
        return self.general.resources

    @property
    def occupancy(self) -> AnyOccupancy | None:
        """Warps per multiprocessor (NVIDIA) or waves per SIMD (AMD), at most, and what limits them.

        None where no table has the chip. Raises ToolMissingError where the registers of PTX are not known, since
        `ptxas` is not installed.
        """
        return self.general.occupancy

    @property
    def remarks(self) -> tuple[Remark, ...]:
        interface = self.compiler.interface
        return in_program_order(together({self.general.words: self._remarks_of_general}, are_all=interface.is_one))

    @property
    def _remarks_of_general(self) -> tuple[Remark, ...]:
        found = self.general.remarks
        return found if self.compiler.interface.is_one else of_any_launch(found)

    @property
    def remarks_of_launches(self) -> tuple[Remark, ...]:
        variants = [self.variant(facts) for facts in self.compiler.taken]
        of_variants = {variant.words: variant.remarks for variant in variants}
        return in_program_order(together(of_variants, are_all=self.compiler.interface.is_one))

    # Variants

    def variant(self, facts: Facts) -> KernelVariant:
        """The code for arguments of which these facts hold, its texts, resources and remarks.

        With no facts, or none that matters, it is the general variant.
        """
        require(facts, Facts, "facts of arguments, such as kernel.best_facts,")
        key = self.compiler.relevant(facts)
        if key not in self._variants:
            words = self.compiler.interface.words(key)
            self._variants[key] = KernelVariant(self.compiler.compilation(key), words)
        return self._variants[key]

    @property
    def best_facts(self) -> Facts:
        """The facts of arguments of which all holds that a launch can see: their variant is the fastest."""
        return self.compiler.interface.best_facts

    @property
    def variant_count(self) -> int:
        return len(self.compiler.compiled)


def _start_worker() -> None:
    from ..codegen.isolation import shared_worker  # only who isolates LLVM needs it

    shared_worker().start()


def _compiled(program: Pickled, target: Chip, kernel: str, device: DeviceChoice, settings: Settings) -> Kernel:
    """A pickled kernel again."""
    if settings.isolate:
        _start_worker()
    module = program.parsed()
    return Kernel(module, find_kernel(module, kernel), target, device, settings)
