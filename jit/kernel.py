"""Kernels as Python objects: what `compile` gives, with the text of every stage, resources and launches.

A launch looks at its arguments (see facts.py): what holds of them is a fact that the code for this launch is compiled
with, once for each combination. The texts that a kernel shows are those of the general variant, compiled with no fact.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..codegen.budget import DEFAULT, Budget
from ..ir.remarks import Remark, in_program_order, of_any_launch, together
from ..pipeline.settings import Settings
from ..support.argument_checks import require
from ..support.diagnostics import Source
from ..targets.catalogue import find_chip
from ..targets.chip import Chip
from .device_choice import DeviceChoice, portable_choice
from .emits import StageError
from .facts import GENERAL, Facts
from .kept_variants import KeptVariants
from .launchable import Launchable
from .program_text import text_of
from .recipe import FromProgram, Made, Recipe
from .shown import Shown
from .write import write_file

if TYPE_CHECKING:
    from ..codegen.assemble import Resources
    from ..codegen.link import KernelInfo
    from ..ir.kernels import Kernel as KernelView
    from ..pipeline.compilation import Compilation, PassRun
    from .cache.store import KernelCache
    from .compiler import Compiler
    from .grid_uses import GridUses
    from .kernel_variant import KernelVariant
    from .occupancy import AnyOccupancy
    from .source import ProgramSource


def compile(
    source: ProgramSource | Source,
    target: str | Chip | None = None,
    kernel: str | None = None,
    device: DeviceChoice = "auto",
    *,
    fastmath: Literal["none", "approx"] = "none",
    isolate: bool = False,
    budget: Budget = DEFAULT,
    without: Collection[str] = (),
    cache: KernelCache | None = None,
) -> Kernel:
    """See `lanewise.compile`; without a cache, the program is read here, and nothing is kept."""
    require(without, (tuple, list, set, frozenset), "names of passes, such as ['prefetch'],")
    require(budget, Budget, "a budget as lanewise.Budget(lines=20_000, seconds=30)")
    program = text_of(source) if isinstance(source, (str, Path)) else source
    chip = find_chip(target) if isinstance(target, str) else target
    return Kernel(
        FromProgram(program, chip, kernel, fastmath, Settings(isolate, budget, tuple(without))), device, cache
    )


class Kernel(Launchable, Shown):
    """One kernel for one chip; see `compile`. `kernel[grid](*arguments)` launches it.

    It can be pickled: its program, target and choice of a device are, its code is compiled again."""

    def __init__(self, recipe: Recipe, device: DeviceChoice = "auto", cache: KernelCache | None = None) -> None:
        self._code = KeptVariants(recipe, cache)
        super().__init__(self._code, device)
        self._variants: dict[Facts, KernelVariant] = {}

    def __reduce__(self) -> tuple[object, ...]:
        from .source import pickled

        text, files = pickled(self.compiler.module)
        device = portable_choice(self._device_choice)
        recipe = FromProgram(text, self.target, self.name, settings=self.compiler.settings, files=files)
        return _compiled, (recipe, device, self._code.cache)

    @property
    def compiler(self) -> Compiler:
        """Makes its variants, where no cache has them. Reads the program first, where nothing has yet."""
        return self._code.compiler

    @property
    def grid_uses(self) -> GridUses | None:
        """How its grid goes along its arguments, of a kernel in Python."""
        return self._code.grid_uses

    @functools.cached_property
    def isolated(self) -> Kernel:
        """The same kernel, whose variants are compiled in a process of its own, on AMD into what a GPU loads, too."""
        if self.compiler.settings.isolate:
            return self
        return Kernel(Made(self.compiler.isolated), self._device_choice)

    @property
    def view(self) -> KernelView:
        return self.compiler.view

    @property
    def summary(self) -> list[tuple[str, str]]:
        from .kernel_words import rows_of

        return rows_of(self._code.interface, self._variants.values())

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
        from .kernel_file import encode  # loading what saves takes longer than most compilations
        from .saving import saved_kernel
        from .source import program_of

        kept = program_of(self.compiler.module) if program else None
        return encode(saved_kernel(self.compiler, self._code.taken, kept, self._remarks_of_general, cubin=cubin))

    # The texts of the stages

    @property
    def compilation(self) -> Compilation:
        """The stages of the general variant as modules."""
        return self.compiler.compilation(GENERAL)

    def compilation_for(self, seen: Facts) -> Compilation:
        """The stages of the variant that a launch takes which sees these of its arguments."""
        return self.compiler.compilation(self._code.fitting(seen))

    @property
    def general(self) -> KernelVariant:
        """The variant that runs with all arguments that the program allows; the properties below are its own."""
        return self.variant(GENERAL)

    @functools.cached_property
    def general_with_lines(self) -> KernelVariant:
        """The variant that runs with all arguments, with the lines of the program in machine text and code."""
        from .kernel_variant import KernelVariant

        return KernelVariant(self.compilation, self.general.words, line_info=True)

    @property
    def launched(self) -> KernelVariant:
        """The variant that the last launch took: its texts, resources and remarks. Raises StageError before one."""
        last = self.launchers.taken.facts
        if last is None:
            raise StageError(f"no launch of '{self.name}' has taken a variant yet; kernel.general is the one for all")
        return self.variant(self._code.fitting(last))

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
        interface = self._code.interface
        return in_program_order(together({self.general.words: self._remarks_of_general}, are_all=interface.is_one))

    @property
    def _remarks_of_general(self) -> tuple[Remark, ...]:
        found = self.general.remarks
        return found if self._code.interface.is_one else of_any_launch(found)

    @property
    def remarks_of_launches(self) -> tuple[Remark, ...]:
        variants = [self.variant(facts) for facts in self._code.taken]
        of_variants = {variant.words: variant.remarks for variant in variants}
        return in_program_order(together(of_variants, are_all=self._code.interface.is_one))

    # Variants

    def variant(self, facts: Facts) -> KernelVariant:
        """The code for arguments of which these facts hold, its texts, resources and remarks.

        With no facts, or none that matters, it is the general variant.
        """
        require(facts, Facts, "facts of arguments, such as kernel.best_facts,")
        key = self._code.interface.relevant(facts)
        if key not in self._variants:
            from .kernel_variant import KernelVariant

            words = self._code.interface.words(key)
            self._variants[key] = KernelVariant(self.compiler.compilation(key), words)
        return self._variants[key]

    @property
    def best_facts(self) -> Facts:
        """The facts of arguments of which all holds that a launch can see: their variant is the fastest."""
        return self._code.interface.best_facts

    @property
    def variant_count(self) -> int:
        return len(self._code.known)


def _compiled(recipe: FromProgram, device: DeviceChoice, cache: KernelCache | None) -> Kernel:
    """A pickled kernel again."""
    return Kernel(recipe, device, cache)
