"""nvgpu: asynchronous copies from global to workgroup memory, in MLIR's names.

A thread's copies since its last group are its next group. A copy takes place at some time between where it stands and
the wait of its thread that covers its group: what it writes is there after that wait, for other threads after a barrier
that follows it. Until then nobody reads or writes what it writes, or writes what it reads.

Tokens order the operations of the text; what a wait waits for says its number of groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..attributes import UnitAttr
from ..core import Operation, Value
from ..define import (
    OperandField,
    exactly,
    int_attribute,
    is_index,
    is_memref,
    operand,
    operands,
    optional_attribute,
    optional_int_attribute,
    optional_operand,
    result,
)
from ..fields import ResultField
from ..traits import COPY_GROUPS, LANDS, READS
from ..types import DIALECT_TYPES, I32, INDEX, Attribute, IndexType, MemRefType, Type, memory_bits
from .nvgpu import GLOBAL_MEMORY, SHARED_MEMORY

COPY_BYTES = (4, 8, 16)
"""What one instruction copies (PTX ISA, cp.async)."""
BYPASS_BYTES = 16
"""What one that bypasses the first level of cache copies."""


@dataclass(frozen=True, slots=True)
class AsyncTokenType(Type):
    """Stands for copies that were issued, or for a group of them."""

    def __str__(self) -> str:
        return "!nvgpu.device.async.token"


TOKEN = AsyncTokenType()
DIALECT_TYPES[str(TOKEN)[1:]] = lambda parser: TOKEN
is_token = exactly(TOKEN)


class MakesToken(Operation):
    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [TOKEN]


class GroupedCopyOp(MakesToken):
    """A copy from global to workgroup memory in the group that is ended next."""

    pure = False
    begins = COPY_GROUPS
    src: ClassVar[OperandField[Value[MemRefType]]]
    srcIndices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    dst: ClassVar[OperandField[Value[MemRefType]]]
    dstIndices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    asyncToken: ClassVar[ResultField[Value[AsyncTokenType]]]


class DeviceAsyncCopyOp(GroupedCopyOp, opname="nvgpu.device_async_copy"):
    """Copies `dstElements` neighbours from global to workgroup memory; of those only the first `srcElements` are read,
    and zeros stand for the rest. `bypassL1`: not through the first level of cache."""

    belongs_to = "thread"
    dst = operand(is_memref, LANDS)
    dstIndices = operands(is_index)
    src = operand(is_memref, READS)
    srcIndices = operands(is_index)
    dstElements = int_attribute(number=INDEX)
    srcElements = optional_operand(is_index)
    bypassL1 = optional_attribute(UnitAttr)
    asyncToken = result(is_token)
    assembly = (
        "$src `` `[` $srcIndices `]` `,` $dst `` `[` $dstIndices `]` `,` $dstElements (`,` $srcElements^)?"
        " (`bypassL1` $bypassL1^)? attr-dict"
        " `:` type($src) `to` type($dst)"
    )

    def verify(self, report: Report) -> None:
        check_places(self, self.src.type, len(self.srcIndices), self.dst.type, len(self.dstIndices), report)
        size = self.dstElements * memory_bits(self.dst.type.element)
        if size not in [8 * n for n in COPY_BYTES]:
            found = f"{self.dstElements} elements of {self.dst.type.element} are {size / 8:g}"
            self.error(report, f"copies 4, 8 or 16 bytes, {found}")
        elif self.bypassL1 is not None and size != 8 * BYPASS_BYTES:
            self.error(report, f"copies {BYPASS_BYTES} bytes where it has bypassL1, found {size // 8}")


class DeviceAsyncCreateGroupOp(MakesToken, opname="nvgpu.device_async_create_group"):
    """Ends a group: the copies of this thread since the last one, of which there may be none."""

    pure = False
    commits = COPY_GROUPS
    inputTokens = operands(is_token)
    asyncToken = result(is_token)
    assembly = "$inputTokens attr-dict"


class DeviceAsyncWaitOp(Operation, opname="nvgpu.device_async_wait"):
    """Goes on once no more than the `numGroups` newest groups of this thread are under way; without it, none."""

    pure = False
    awaits = (COPY_GROUPS,)
    asyncDependencies = operand(is_token)
    numGroups = optional_int_attribute(I32)
    assembly = "$asyncDependencies (`numGroups` `=` $numGroups^)? attr-dict"

    @property
    def groups_left(self) -> int:
        return self.numGroups or 0

    def verify(self, report: Report) -> None:
        given = self.attributes.get("numGroups")
        if given is not None and (getattr(given, "type", None) != I32 or self.groups_left < 0):
            self.error(report, f"numGroups must be a number of at least 0 of type i32, found {given}")


def check_places(
    op: Operation, src: MemRefType, src_indices: int, dst: MemRefType, dst_indices: int, report: Report
) -> None:
    """What all copies need of their memrefs."""
    for words, type, count in (("source", src, src_indices), ("destination", dst, dst_indices)):
        strides, _ = type.strides_and_offset()
        if count != type.rank:
            op.error(report, f"needs {type.rank} indices for {type}, found {count}")
        elif not strides or strides[-1] != 1:
            op.error(report, f"needs a {words} whose last dimension has stride 1, found {type}")
    if str(src.memory_space) not in GLOBAL_MEMORY:
        op.error(report, f"copies from global memory, found {src}")
    if str(dst.memory_space) not in SHARED_MEMORY:
        op.error(report, f"copies to workgroup memory (#gpu.address_space<workgroup>), found {dst}")
    if src.element != dst.element:
        op.error(report, f"element types differ: {src} and {dst}")
