"""By which power of two the addresses of a program are known to be divisible: what wide accesses ask.

The sources of knowledge are what is known of integers (`integers.py`), allocations, and what a kernel or its program
says of alignment (`llvm.align`, `memref.assume_alignment`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import gcd
from typing import Any

from ..ir.analyses import Analyses
from ..ir.attributes import number_of
from ..ir.core import Operation, Value
from ..ir.define import is_memref
from ..ir.dialects import memref, memref_views
from ..ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.nvvm_cluster import MapaOp
from ..ir.effects import viewed
from ..ir.element_orders import order_of
from ..ir.types import Attribute, MemRefType, memory_bits
from .integers import ANY as ANY
from .integers import Integers
from .integers import power_of_two as power_of_two
from .shared_places import LEAST_ALIGNMENT


class Divisibility:
    """Answers are remembered. One without facts on arguments is of a program that is still being made."""

    def __init__(self, integers: Integers) -> None:
        self.integers = integers
        self.of = integers.divisor
        """The largest known power of two that divides an index or integer value."""
        self.extent = integers.extent_divisor
        """The divisor of a memref's size along a dimension."""
        self.stride = integers.stride_divisor
        """The divisor of a memref's element stride along a dimension."""
        self._bases: dict[Value, int] = {}

    @classmethod
    def of_function(cls, function: FunctionLike, analyses: Analyses) -> Divisibility:
        """With what a kernel's function says of its arguments."""
        known = cls(analyses.get(Integers, function))
        for index, argument in enumerate(function.arguments):
            known.learn_alignment(argument, partial(function.argument_attribute, index))
        return known

    def learn_alignment(self, value: Value, stated: Callable[[str], Attribute | None]) -> None:
        """Enters the alignment that a kernel's argument carries: `stated` gives its attribute of a name."""
        bytes = number_of(stated("llvm.align"))
        if bytes is not None and is_memref.admits(value):
            _, offset = value.type.strides_and_offset()  # of a dynamic one launches pass 0
            start = power_of_two((offset or 0) * element_bits(value))
            self._bases[value] = gcd(8 * power_of_two(bytes), start)

    def assume(self, buffer: Value[MemRefType], alignment: int) -> None:
        """Takes the program's word that a buffer's base address is a multiple of `alignment` bytes."""
        self._bases[buffer] = max(self.base(buffer), 8 * power_of_two(alignment))

    def base(self, buffer: Value[MemRefType]) -> int:
        """The divisor of the bit address of a memref's element at index zero: memory may have several elements in a
        byte."""
        if buffer not in self._bases:
            rule = _BASES.get(type(buffer.operation))
            self._bases[buffer] = self._least_base(buffer) if rule is None else rule(self, buffer.operation)
        return self._bases[buffer]

    @staticmethod
    def _least_base(buffer: Value[MemRefType]) -> int:
        """What is passed to a kernel begins with a byte."""
        _, offset = buffer.type.strides_and_offset()
        bits = element_bits(buffer)
        return bits if offset is None else max(bits, gcd(8, power_of_two(offset * bits)))


def element_bits(buffer: Value[MemRefType]) -> int:
    """Bits of one element of a memref in memory."""
    return memory_bits(buffer.type.element)


Rule = Callable[[Divisibility, Any], int]


def _allocation(known: Divisibility, op: memref.AllocOp) -> int:
    """An order keeps neighbours together within its accesses alone."""
    bits = 8 * max(LEAST_ALIGNMENT, op.alignment.value if op.alignment is not None else 1)
    order = order_of(op)
    return bits if order is None else gcd(bits, power_of_two(order.access) * element_bits(op.memref))


def _assumption(known: Divisibility, op: memref.AssumeAlignmentOp) -> int:
    return max(known.base(op.memref), 8 * power_of_two(op.alignment))


def _view(known: Divisibility, op: memref.ViewOp) -> int:
    return gcd(known.base(op.source), min(ANY, 8 * known.of(op.byte_shift)))


def _subview(known: Divisibility, op: memref.SubViewOp) -> int:
    size = element_bits(op.source)
    total = known.base(op.source)
    dynamic = iter(op.offsets)
    for dim, offset in enumerate(op.static_offsets):
        divisor = known.of(next(dynamic)) if offset is None else power_of_two(offset)
        total = gcd(total, min(ANY, divisor * known.stride(op.source, dim) * size))
    return total


def _same(known: Divisibility, op: memref.RetypingOp) -> int:
    return known.base(op.source)


def _resource(known: Divisibility, op: FatRawBufferCastOp) -> int:
    """Distances in it are counted from where its resource starts."""
    return known.base(op.source)


def _mapped(known: Divisibility, op: MapaOp) -> int:
    """Workgroups have their buffers at the same places."""
    assert is_memref.admits(op.a)
    return known.base(op.a)


def _reinterpreted(known: Divisibility, op: memref_views.ReinterpretCastOp) -> int:
    offset, _, _ = op.mixed()
    divisor = power_of_two(offset) if isinstance(offset, int) else known.of(offset)
    return gcd(_start(known, op.source), min(ANY, divisor * element_bits(op.source)))


def _base_buffer(known: Divisibility, op: memref_views.ExtractStridedMetadataOp) -> int:
    return _start(known, op.source)


def _start(known: Divisibility, buffer: Value[MemRefType]) -> int:
    """The divisor of the address, in bits, of where the buffer starts that a memref's offset counts from."""
    _, offset = buffer.type.strides_and_offset()
    if offset is not None:
        return gcd(known.base(buffer), power_of_two(offset * element_bits(buffer)))
    source = None if isinstance(buffer.operation, memref.ViewOp) else viewed(buffer)
    return _start(known, source) if source is not None and is_memref.admits(source) else element_bits(buffer)


_BASES: Mapping[type[Operation | None], Rule] = {
    memref.AllocOp: _allocation,
    memref.AssumeAlignmentOp: _assumption,
    memref.ViewOp: _view,
    memref.SubViewOp: _subview,
    memref.CastOp: _same,
    memref_views.ExtractStridedMetadataOp: _base_buffer,
    memref_views.MemorySpaceCastOp: _same,
    FatRawBufferCastOp: _resource,
    memref_views.ReinterpretCastOp: _reinterpreted,
    MapaOp: _mapped,
}
