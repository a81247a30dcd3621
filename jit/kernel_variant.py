"""One variant of a kernel: its stages as text and code, what it takes, and what the compiler tells of it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..codegen.assemble import LINE_INFO, Cubin, Resources, assemble, assembles, disassemble
from ..codegen.compile import Artifacts
from ..ir.printer import print_program
from ..ir.remarks import Remark, in_program_order
from ..ir.stages import STAGES
from ..pipeline.compilation import Compilation, PassRun
from ..support.dataclasses import replace
from ..targets.chip import Vendor
from .emits import EMITS, StageError, emits_of
from .occupancy import AnyOccupancy, occupancy_of

if TYPE_CHECKING:
    from ..codegen.link import KernelInfo


class KernelVariant:
    """Every stage of one variant of a kernel, made when it is first asked for.

    Attributes:
        compilation: The stages as modules.
        words: Which arguments the variant is for, such as `where 16 divides x`.
    """

    def __init__(self, compilation: Compilation, words: str = "", *, line_info: bool = False) -> None:
        """With `line_info`, machine text and code say which lines of the program they come from."""
        self.compilation, self.words = compilation, words
        self._line_info = line_info

    def __repr__(self) -> str:
        return f"<lanewise variant of {self.compilation.kernel.name} for {self.compilation.chip.name}, {self.words}>"

    @property
    def artifacts(self) -> Artifacts:
        return self.compilation.artifacts_with_lines if self._line_info else self.compilation.artifacts

    def has(self, stage: str) -> bool:
        """Whether the program begins in this stage of `STAGES` or before it."""
        return STAGES.index(stage) >= STAGES.index(self.compilation.kernel.stage)

    def _require(self, stage: str) -> None:
        if not self.has(stage):
            begin = self.compilation.kernel.stage
            raise StageError(f"the program begins in the {begin} stage; it has no text of the {stage} stage")

    @property
    def passes(self) -> tuple[PassRun, ...]:
        """What each pass did, with the program behind it as text that can be compiled on."""
        return self.compilation.passes

    @property
    def vector_ir(self) -> str:
        self._require("vector")
        return print_program(self.compilation.vector_module)

    @property
    def layout_ir(self) -> str:
        self._require("layout")
        return print_program(self.compilation.layout_module)

    @property
    def thread_ir(self) -> str:
        return print_program(self.compilation.thread_module)

    @property
    def llvm_ir(self) -> str:
        return self.artifacts.llvm_ir

    @property
    def llvm_ir_optimised(self) -> str:
        return self.artifacts.optimised_ir

    @property
    def assembly(self) -> str:
        return self.artifacts.assembly

    @cached_property
    def assembled(self) -> Cubin:
        self._require_vendor("nvidia", "cubin")
        return assemble(self.assembly, self.compilation.chip, LINE_INFO if self._line_info else ())

    @property
    def cubin(self) -> bytes:
        return self.assembled.code

    @cached_property
    def sass(self) -> str:
        self._require_vendor("nvidia", "sass")
        return disassemble(self.cubin, lines="source" if self._line_info else "none")

    @property
    def ptx(self) -> str:
        self._require_vendor("nvidia", "ptx")
        return self.assembly

    @property
    def amdgcn(self) -> str:
        self._require_vendor("amd", "amdgcn")
        return self.assembly

    @property
    def object_file(self) -> bytes:
        self._require_vendor("amd", "object")
        return self.artifacts.object

    @property
    def hsaco(self) -> bytes:
        self._require_vendor("amd", "hsaco")
        return self.artifacts.code_object

    @property
    def resources(self) -> Resources | KernelInfo:
        """What ptxas says for NVIDIA chips, what the code object's metadata says for AMD's; `variant` says of which."""
        if self.compilation.chip.vendor == "amd":
            return replace(self.artifacts.kernel_info, variant=self.words)
        return replace(self.assembled.resources[self.compilation.kernel.name], variant=self.words)

    @property
    def known_resources(self) -> Resources | KernelInfo | None:
        """`resources`, where the code is compiled, and assembled or linked, already; else None. Compiles nothing."""
        compiled = vars(self.compilation).get("artifacts_with_lines" if self._line_info else "artifacts")
        is_made = compiled is not None and ("code_object" in vars(compiled) or "assembled" in vars(self))
        return self.resources if is_made else None

    @property
    def occupancy(self) -> AnyOccupancy | None:
        """Warps per multiprocessor or waves per SIMD, and what limits them; None where no table has the chip."""
        artifacts = self.artifacts
        return occupancy_of(artifacts.chip, artifacts.block_size, self.resources, artifacts.dynamic_shared_bytes)

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What layout stage and machine text tell of themselves, in the order of the program; compiles the kernel."""
        return in_program_order((*self.compilation.layout_remarks, *self.text_remarks))

    @property
    def text_remarks(self) -> tuple[Remark, ...]:
        """What the machine text tells of itself; compiles the kernel."""
        chip, kernel = self.compilation.chip, self.compilation.kernel
        from ..codegen.remarks import assembler_remarks, text_remarks  # reads machine text

        told = [*text_remarks(self.assembly, kernel, chip.vendor)]
        expected = [remark for remark in told if remark.kind == "spills"]
        if chip.vendor == "nvidia" and (expected or "wgmma." in self.assembly) and assembles(chip):
            counted = assembler_remarks(self.assembled, kernel)
            return (*(remark for remark in told if remark not in expected), *counted)
        return tuple(told)

    def _require_vendor(self, vendor: Vendor, name: str) -> None:
        chip = self.compilation.chip
        if chip.vendor != vendor:
            there = ", ".join(emits_of(chip))
            raise StageError(f"'{name}' does not exist for {chip.name}; its stages are {there}")

    def emit(self, name: str) -> str | bytes:
        """The stage that the command line calls `name`, one of `EMITS`."""
        content = getattr(self, EMITS[name].attribute)
        assert isinstance(content, (str, bytes))
        return content
