"""amdgpu: loads, stores and atomic updates that make a raw buffer of their memref for themselves.

An element is that of `memref.load`, so many elements on as `indexOffset` and `sgprOffset` say; both take part in the
check of bounds. What is outside is read as zero, and is not written; with `boundsCheck` false nothing may be.
"""

from __future__ import annotations

from typing import ClassVar

from ...support.diagnostics import Report
from ..attributes import IntegerAttr
from ..core import Operation, Value
from ..define import (
    OperandField,
    attribute,
    is_i32,
    is_memref,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    result,
    scalar_like,
)
from ..memory_spaces import is_fat_buffer, is_global
from ..traits import READS, UPDATES, WRITES, Effect
from ..types import (
    F32,
    F64,
    I1,
    I32,
    FloatType,
    IntegerType,
    MemRefType,
    StridedLayout,
    Type,
    VectorType,
    element_count,
    element_type,
    memory_bits,
)
from .atomic_kind import AtomicRMWKindAttr
from .lanewise_update import PAIRS

MOST_BITS = 128
"""The most bits of one access."""
_BEGIN = "defaulted(`boundsCheck` `` `(` $boundsCheck `)`) attr-dict"
_PLACE = (
    "$memref `` `[` $indices `]` (`indexOffset` `` `(` $indexOffset^ `)`)?"
    " (`sgprOffset` `` defaulted(`(`) $sgprOffset^ defaulted(`)`))? `:`"
)
_TYPES = "type($memref, $indices)"


class RawBufferOp(Operation):
    """The base of accesses that make a raw buffer of their memref; a subclass says what its operands before the memref
    are."""

    pure = False
    belongs_to = "thread"
    memory: ClassVar[Effect]

    boundsCheck = attribute(IntegerAttr, IntegerAttr(1, I1))
    indexOffset = optional_attribute(IntegerAttr, I32)

    memref: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IntegerType], ...]]]
    sgprOffset: ClassVar[OperandField[Value[IntegerType] | None]]

    @property
    def place(self) -> tuple[Value[MemRefType], tuple[Value, ...], Value | None]:
        """The memref, indices, and the offset that is common to all lanes."""
        return self.memref, self.indices, self.sgprOffset

    @property
    def data(self) -> Value:
        """What is read or written."""
        raise AssertionError

    def verify(self, report: Report) -> None:
        (memref, indices, _), type = self.place, self.data.type
        if len(indices) != memref.type.rank:
            self.error(report, f"expected {memref.type.rank} buffer indices, found {len(indices)}")
        if not is_global(memref.type.memory_space):
            self.error(report, f"accesses global memory, found {memref.type}")
        elif is_fat_buffer(memref.type.memory_space):
            self.error(report, f"makes a raw buffer of what is none, found {memref.type}")
        elif memref.type.layout is not None and not isinstance(memref.type.layout, StridedLayout):
            self.error(report, f"accesses a buffer whose layout is strided<...>, found {memref.type}")
        if element_type(type) != memref.type.element:
            self.error(report, f"moves elements of {memref.type.element}, found {type}")
        elif isinstance(type, VectorType) and type.rank != 1:
            self.error(report, f"moves a scalar or a vector of one dimension, found {type}")
        elif (bits := element_count(type) * memory_bits(element_type(type))) > MOST_BITS or (bits > 32 and bits % 32):
            self.error(report, f"moves up to {MOST_BITS} bits, in words above 32, {type} has {bits}")


class RawBufferLoadOp(RawBufferOp, opname="amdgpu.raw_buffer_load"):
    """`boundsCheck(true) %m[%i, %j] indexOffset(1) sgprOffset(%o) : type, i32, i32 -> vector<4xf32>`: an element, or
    so many in a row."""

    memref = operand(is_memref, READS)
    indices = operands(is_i32)
    sgprOffset = optional_operand(is_i32)
    value = result(scalar_like)
    assembly = f"{_BEGIN} {_PLACE} {_TYPES} `->` type($value)"

    @property
    def data(self) -> Value:
        return self.value


class RawBufferStoreOp(RawBufferOp, opname="amdgpu.raw_buffer_store"):
    """`boundsCheck(true) %v -> %m[%i, %j] : vector<4xf32> -> type, i32, i32`."""

    value = operand(scalar_like)
    memref = operand(is_memref, WRITES)
    indices = operands(is_i32)
    sgprOffset = optional_operand(is_i32)
    assembly = f"{_BEGIN} $value `->` {_PLACE} type($value) `->` {_TYPES}"

    @property
    def data(self) -> Value:
        return self.value


class RawBufferAtomicOp(RawBufferOp):
    """Joins the element with `value`; the result, which older texts do not have, is the element before."""

    value = operand(scalar_like)
    memref = operand(is_memref, UPDATES)
    indices = operands(is_i32)
    sgprOffset = optional_operand(is_i32)
    result_ = result(scalar_like)
    same_type = ("value", "result")
    kind: ClassVar[AtomicRMWKindAttr]
    takes: ClassVar[tuple[Type, ...]]
    assembly = f"{_BEGIN} $value `->` {_PLACE} type($value) `->` {_TYPES}"

    @property
    def joins_in_any_order(self) -> bool:
        return self.kind.rounds

    @property
    def data(self) -> Value:
        return self.value

    def verify(self, report: Report) -> None:
        super().verify(report)
        if self.value.type not in self.takes:
            self.error(report, f"takes {' or '.join(map(str, self.takes))}, found {self.value.type}")


class RawBufferAtomicFaddOp(RawBufferAtomicOp, opname="amdgpu.raw_buffer_atomic_fadd"):
    kind = AtomicRMWKindAttr("addf")
    takes = (F32, *PAIRS)


class RawBufferAtomicFmaxOp(RawBufferAtomicOp, opname="amdgpu.raw_buffer_atomic_fmax"):
    """The greater of two numbers, where one is NaN the other."""

    kind = AtomicRMWKindAttr("maxnumf")
    takes = (F32, F64)


class RawBufferAtomicSmaxOp(RawBufferAtomicOp, opname="amdgpu.raw_buffer_atomic_smax"):
    kind = AtomicRMWKindAttr("maxs")
    takes = (I32,)


class RawBufferAtomicUminOp(RawBufferAtomicOp, opname="amdgpu.raw_buffer_atomic_umin"):
    kind = AtomicRMWKindAttr("minu")
    takes = (I32,)


class RawBufferAtomicCmpswapOp(RawBufferOp, opname="amdgpu.raw_buffer_atomic_cmpswap"):
    """Writes `src` where the element has the bits of `cmp`; the result is the element before."""

    src = operand(scalar_like)
    cmp = operand(scalar_like)
    memref = operand(is_memref, UPDATES)
    indices = operands(is_i32)
    sgprOffset = optional_operand(is_i32)
    value = result(scalar_like)
    same_type = ("src", "cmp", "value")
    assembly = f"{_BEGIN} $src `,` $cmp `->` {_PLACE} type($src) `->` {_TYPES}"

    @property
    def data(self) -> Value:
        return self.src

    def verify(self, report: Report) -> None:
        super().verify(report)
        type = self.src.type
        if not isinstance(type, (IntegerType, FloatType)) or type.width not in (32, 64):
            self.error(report, f"swaps a number of 32 or 64 bits, found {type}")
