"""amdgpu: loads, stores and atomic updates that make a raw buffer of their memref for themselves.

An element is that of `memref.load`, so many elements on as `indexOffset` and `sgprOffset` say; both take part in the
check of bounds. What is outside is read as zero, and is not written; with `boundsCheck` false nothing may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import ClassVar

from ...support.diagnostics import Report
from ..attributes import IntegerAttr, UnitAttr
from ..core import Block, Builder, Operation, Region, Value
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
    I64,
    INDEX,
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
from . import arith
from .amdgpu_address_space import FAT_RAW_BUFFER
from .amdgpu_buffers import FatRawBufferCastOp, buffer_type
from .arith import IntegerPredicateAttr
from .arith_casts import BitcastOp, IndexCastOp
from .atomic_kind import AtomicRMWKindAttr
from .lanewise_update import PAIRS, UpdatePairOp
from .longhand import constant
from .memref import AtomicRMWOp, LoadOp, StoreOp
from .memref_buffers import AtomicYieldOp, GenericAtomicRMWOp
from .memref_views import Mixed, metadata, reinterpreted, times
from .vector_memory import LoadOp as VectorLoadOp
from .vector_memory import StoreOp as VectorStoreOp

MOST_BITS = 128
"""The most bits of one access."""
_WORD = 4
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

    def located(self, build: Builder) -> tuple[Value, Value]:
        """The raw buffer as one of elements in a row, and which of them is meant."""
        memref, indices, common = self.place
        type = memref.type
        checks = {"boundsCheck": self.boundsCheck, "resetOffset": UnitAttr()}
        buffer = build.value(FatRawBufferCastOp, memref, [], [], types=[buffer_type(type, reset=True)], **checks)
        _, _, strides = metadata(build, memref)
        row = MemRefType((1,), type.element, None, FAT_RAW_BUFFER)
        flat = reinterpreted(build, buffer, row, 0, [1], [1])
        found: list[Mixed] = [times(build, _index(build, i), s) for i, s in zip(indices, strides, strict=True)]
        more = 0 if self.indexOffset is None else self.indexOffset.value
        found += [_index(build, common)] if common is not None else []
        terms = [v for v in found if isinstance(v, Value)]
        if more or not terms:
            terms.append(constant(build, more, INDEX))
        return flat, reduce(lambda a, b: build.value(arith.AddIOp, a, b), terms)


def _index(build: Builder, number: Value) -> Value:
    """As an index. One that was cut to 32 bits may stay whole: as distances do, bytes count modulo 2^32."""
    maker = number.operation
    if isinstance(maker, IndexCastOp) and maker.in_.type == INDEX:
        return maker.in_
    return build.value(IndexCastOp, number, types=[INDEX])


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

    def decompose(self, build: Builder) -> Sequence[Value]:
        flat, place = self.located(build)
        type = self.value.type
        if not isinstance(type, VectorType):
            return [build.value(LoadOp, flat, [place])]
        return [build.value(VectorLoadOp, flat, [place], types=[type], alignment=_alignment(type))]


def _alignment(type: VectorType) -> IntegerAttr:
    """What goes in one piece lies at a multiple of its size, at most of a word."""
    return IntegerAttr(min(_WORD, type.elements * memory_bits(type.element) // 8), I64)


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

    def decompose(self, build: Builder) -> Sequence[Value]:
        flat, place = self.located(build)
        type = self.value.type
        if not isinstance(type, VectorType):
            build.op(StoreOp, self.value, flat, [place])
        else:
            build.op(VectorStoreOp, self.value, flat, [place], alignment=_alignment(type))
        return []


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

    def decompose(self, build: Builder) -> Sequence[Value] | None:
        flat, place = self.located(build)
        return [build.value(AtomicRMWOp, self.value, flat, [place], kind=self.kind)]


class RawBufferAtomicFaddOp(RawBufferAtomicOp, opname="amdgpu.raw_buffer_atomic_fadd"):
    kind = AtomicRMWKindAttr("addf")
    takes = (F32, *PAIRS)

    def decompose(self, build: Builder) -> Sequence[Value] | None:
        if not isinstance(self.value.type, VectorType):
            return super().decompose(build)
        flat, place = self.located(build)
        return [build.value(UpdatePairOp, self.value, flat, [place])]


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

    def decompose(self, build: Builder) -> Sequence[Value]:
        flat, place = self.located(build)
        block = Block([self.src.type])
        made = build.op(GenericAtomicRMWOp, flat, [place], regions=[Region([block])])
        inner = Builder(block, build.location)
        (there,) = block.arguments
        bits = [_bits(inner, v) for v in (there, self.cmp)]
        same = inner.value(arith.CmpIOp, *bits, predicate=IntegerPredicateAttr("eq"))
        chosen = inner.value(arith.SelectOp, same, self.src, there, types=[there.type])
        inner.op(AtomicYieldOp, chosen)
        return [made.result_]


def _bits(build: Builder, value: Value) -> Value:
    type = value.type
    return build.value(BitcastOp, value, types=[IntegerType(type.width)]) if isinstance(type, FloatType) else value
