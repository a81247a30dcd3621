"""The stages of a kernel by the names that they have in files and on the command line."""

from __future__ import annotations

from collections.abc import Mapping

from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from ..targets import Chip
from ..targets.chip import Vendor


class StageError(LanewiseError):
    """A text of a stage was asked for that lies before the one in which the program begins."""


class Emit(NamedTuple):
    """`attribute` of `Stages`, the name of its file in a dump, whose chips have it, and whether it needs ptxas."""

    attribute: str
    file: str
    vendor: Vendor | None = None
    needs_tools: bool = False


EMITS: Mapping[str, Emit] = {
    "vector": Emit("vector_ir", "01-vector.mlir"),
    "layout": Emit("layout_ir", "02-layout.mlir"),
    "thread": Emit("thread_ir", "03-thread.mlir"),
    "llvm": Emit("llvm_ir", "04-llvm.ll"),
    "llvm-opt": Emit("llvm_ir_optimised", "05-llvm-opt.ll"),
    "ptx": Emit("ptx", "06-kernel.ptx", "nvidia"),
    "cubin": Emit("cubin", "07-kernel.cubin", "nvidia", needs_tools=True),
    "sass": Emit("sass", "08-kernel.sass", "nvidia", needs_tools=True),
    "amdgcn": Emit("amdgcn", "06-kernel.s", "amd"),
    "object": Emit("object_file", "07-kernel.o", "amd"),
    "hsaco": Emit("hsaco", "08-kernel.hsaco", "amd"),
}


def emits_of(chip: Chip) -> dict[str, Emit]:
    """The stages that code for a chip goes through."""
    return {name: emit for name, emit in EMITS.items() if emit.vendor in (None, chip.vendor)}


MACHINE_TEXT: Mapping[Vendor, str] = {"nvidia": "ptx", "amd": "amdgcn"}
"""What `lanewise compile` writes when it is not told."""
