"""A compilation's stages as text and code, with the names that they have in files and on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from ..codegen.assemble import Cubin, Resources, assemble, disassemble
from ..codegen.pipeline import Compilation
from ..ir.diagnostics import LanewiseError
from ..ir.kernels import STAGES
from ..ir.printer import print_program


class StageError(LanewiseError):
    """A text of a stage was asked for that lies before the one in which the program begins."""


class Stages:
    """Every stage of one variant of a kernel, made when it is first asked for."""

    def __init__(self, compilation: Compilation) -> None:
        self.compilation = compilation

    def has(self, stage: str) -> bool:
        """Whether the program begins in this stage of `STAGES` or before it."""
        return STAGES.index(stage) >= STAGES.index(self.compilation.kernel.stage)

    def _require(self, stage: str) -> None:
        if not self.has(stage):
            begin = self.compilation.kernel.stage
            raise StageError(f"the program begins in the {begin} stage; it has no text of the {stage} stage")

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
        return self.compilation.artifacts.llvm_ir

    @property
    def llvm_ir_optimised(self) -> str:
        return self.compilation.artifacts.optimised_ir

    @property
    def assembly(self) -> str:
        return self.compilation.artifacts.assembly

    @cached_property
    def assembled(self) -> Cubin:
        return assemble(self.assembly, self.compilation.chip)

    @property
    def cubin(self) -> bytes:
        return self.assembled.code

    @cached_property
    def sass(self) -> str:
        return disassemble(self.cubin)

    @property
    def resources(self) -> Resources:
        return self.assembled.resources[self.compilation.kernel.name]

    def emit(self, name: str) -> str | bytes:
        """The stage that the command line calls `name`, one of `EMITS`."""
        content = getattr(self, EMITS[name].attribute)
        assert isinstance(content, (str, bytes))
        return content


class Emit(NamedTuple):
    """`attribute` of `Stages`, the name of its file in a dump, and whether it needs NVIDIA's assembler."""

    attribute: str
    file: str
    needs_tools: bool = False


EMITS: Mapping[str, Emit] = {
    "vector": Emit("vector_ir", "01-vector.mlir"),
    "layout": Emit("layout_ir", "02-layout.mlir"),
    "thread": Emit("thread_ir", "03-thread.mlir"),
    "llvm": Emit("llvm_ir", "04-llvm.ll"),
    "llvm-opt": Emit("llvm_ir_optimised", "05-llvm-opt.ll"),
    "ptx": Emit("assembly", "06-kernel.ptx"),
    "cubin": Emit("cubin", "07-kernel.cubin", needs_tools=True),
    "sass": Emit("sass", "08-kernel.sass", needs_tools=True),
}
