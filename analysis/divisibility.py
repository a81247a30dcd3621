"""By which power of two an index value, a memref's strides and its base address are known to be divisible.

What is not proven is not assumed: wide accesses and uniform bounds checks ask here. The sources of knowledge are
constants, arithmetic, static types, and facts on the kernel's arguments (`llvm.align`, `lanewise.divisibility`,
`lanewise.stride_divisibility`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import gcd
from typing import Any

from ..ir.affine import AffineExpr, Binary, Constant, Dim, Symbol
from ..ir.analyses import Analyses
from ..ir.attributes import DenseArrayAttr, number_of
from ..ir.core import Operation, Value
from ..ir.define import is_memref
from ..ir.dialects import affine, arith, memref, memref_views, scf, util
from ..ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ..ir.dialects.constants import constant_int
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.nvvm_cluster import MapaOp
from ..ir.effects import viewed
from ..ir.element_orders import order_of
from ..ir.types import Attribute, MemRefType, memory_bits
from .shared_places import LEAST_ALIGNMENT

ANY = 1 << 30
"""The divisor of zero: more than any question asks for."""


def power_of_two(n: int) -> int:
    """The largest power of two that divides n."""
    return ANY if n == 0 else min(ANY, n & -n)


class Divisibility:
    """Answers are remembered. One without facts on arguments is of a program that is still being made."""

    def __init__(self) -> None:
        self._known: dict[Value, int] = {}
        self._extents: dict[Value, tuple[int, ...]] = {}
        self._strides: dict[Value, tuple[int, ...]] = {}
        self._bases: dict[Value, int] = {}

    @classmethod
    def of_function(cls, function: FunctionLike, analyses: Analyses) -> Divisibility:
        """With what a kernel's function says of its arguments."""
        known = cls()
        for index, argument in enumerate(function.arguments):
            known.learn_argument(argument, partial(function.argument_attribute, index))
        return known

    def learn_argument(self, value: Value, stated: Callable[[str], Attribute | None]) -> None:
        """Enters the facts that a kernel's argument carries: `stated` gives its attribute of a name."""
        align, divisibility = stated("llvm.align"), stated("lanewise.divisibility")
        strides = stated("lanewise.stride_divisibility")
        if is_memref.admits(value):
            bytes = number_of(align)
            if bytes is not None:
                _, offset = value.type.strides_and_offset()  # of a dynamic one launches pass 0
                start = power_of_two((offset or 0) * element_bits(value))
                self._bases[value] = gcd(8 * power_of_two(bytes), start)
            if isinstance(divisibility, DenseArrayAttr):
                self._extents[value] = tuple(power_of_two(int(n)) for n in divisibility.values)
            if isinstance(strides, DenseArrayAttr):
                self._strides[value] = tuple(power_of_two(int(n)) for n in strides.values)
        elif (number := number_of(divisibility)) is not None:
            self._known[value] = power_of_two(number)

    def assume(self, buffer: Value[MemRefType], alignment: int) -> None:
        """Takes the program's word that a buffer's base address is a multiple of `alignment` bytes."""
        self._bases[buffer] = max(self.base(buffer), 8 * power_of_two(alignment))

    def of(self, value: Value) -> int:
        """The largest known power of two that divides an index or integer value."""
        pending = [value]
        while pending:
            last = pending[-1]
            if last in self._known:
                pending.pop()
                continue
            op = last.operation
            rule = _RULES.get(type(op)) if op is not None else None
            # A chain of sums may be longer than calls can nest.
            sources = [v for v in op.operands if v not in self._known and v.type == value.type] if op and rule else []
            if sources:
                pending += sources
            else:
                self._known[last] = rule(self, op) if rule is not None else self._of_argument(last)
        return self._known[value]

    def _of_argument(self, value: Value) -> int:
        """A loop's induction variable is a multiple of what divides both its start and its step."""
        block = value.owner
        loop = None if isinstance(block, Operation) or block.parent is None else block.parent.parent
        if not isinstance(loop, scf.ForOp) or value.index != 0:
            return 1
        return gcd(self.of(loop.lower_bound), self.of(loop.step))

    def extent(self, buffer: Value[MemRefType], dim: int) -> int:
        """The divisor of a memref's size along `dim`."""
        size = buffer.type.shape[dim]
        if size is not None:
            return power_of_two(size)
        if buffer in self._extents:
            return self._extents[buffer][dim]
        rule = _EXTENTS.get(type(buffer.operation))
        return 1 if rule is None else rule(self, buffer.operation, dim)

    def stride(self, buffer: Value[MemRefType], dim: int) -> int:
        """The divisor of a memref's element stride along `dim`."""
        strides, _ = buffer.type.strides_and_offset()
        known = strides[dim]
        if known is not None:
            return power_of_two(known)
        if buffer.type.layout is not None:
            return self._strides[buffer][dim] if buffer in self._strides else self._view_stride(buffer, dim)
        product = 1
        for later in range(dim + 1, buffer.type.rank):
            product = min(ANY, product * self.extent(buffer, later))
        return product

    def _view_stride(self, buffer: Value[MemRefType], dim: int) -> int:
        rule = _STRIDES.get(type(buffer.operation))
        return 1 if rule is None else rule(self, buffer.operation, dim)

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


def _constant(known: Divisibility, op: arith.ConstantOp) -> int:
    number = number_of(op.attributes["value"])
    return 1 if number is None else power_of_two(number)


def _sum(known: Divisibility, op: Operation) -> int:
    return gcd(known.of(op.operands[0]), known.of(op.operands[1]))


def _select(known: Divisibility, op: arith.SelectOp) -> int:
    return gcd(known.of(op.true_value), known.of(op.false_value))


def _product(known: Divisibility, op: Operation) -> int:
    return min(ANY, known.of(op.operands[0]) * known.of(op.operands[1]))


def _shift(known: Divisibility, op: arith.ShLIOp) -> int:
    amount, shifted = constant_int(op.rhs), known.of(op.lhs)
    return shifted if amount is None else min(ANY, shifted << min(amount, 30))


def _mask(known: Divisibility, op: arith.AndIOp) -> int:
    return max(known.of(op.lhs), known.of(op.rhs))


def _cast(known: Divisibility, op: Operation) -> int:
    return known.of(op.operands[0])


def _dim(known: Divisibility, op: memref.DimOp) -> int:
    position = constant_int(op.index)
    return 1 if position is None else known.extent(op.memref, position)


def _assumed(known: Divisibility, op: util.AssumeIntOp) -> int:
    """What divides each of its results, as the rule is asked for all of them."""
    numbers = range(len(op.operands_))
    return gcd(*(max(known.of(op.operands_[i]), power_of_two(op.divisor(i))) for i in numbers))


def _affine(known: Divisibility, op: affine.MapOp) -> int:
    divisors = [known.of(v) for v in op.operands]
    map = op.map.map
    return gcd(*(_of_expression(e, divisors[: map.dims], divisors[map.dims :]) for e in map.results))


def _of_expression(expr: AffineExpr, dims: list[int], symbols: list[int]) -> int:
    match expr:
        case Constant(value):
            return power_of_two(value)
        case Binary("*", lhs, rhs):
            return min(ANY, _of_expression(lhs, dims, symbols) * _of_expression(rhs, dims, symbols))
        case Binary("+" | "mod", lhs, rhs):
            return gcd(_of_expression(lhs, dims, symbols), _of_expression(rhs, dims, symbols))
        case Dim(index):
            return dims[index]
        case Symbol(index):
            return symbols[index]
        case _:
            return 1


_RULES: dict[type[Operation], Rule] = {
    affine.ApplyOp: _affine,
    affine.MinOp: _affine,
    affine.MaxOp: _affine,
    arith.ConstantOp: _constant,
    arith.AddIOp: _sum,
    arith.SubIOp: _sum,
    arith.MinSIOp: _sum,
    arith.MaxSIOp: _sum,
    arith.RemUIOp: _sum,
    arith.RemSIOp: _sum,
    arith.SelectOp: _select,
    arith.MulIOp: _product,
    arith.ShLIOp: _shift,
    arith.AndIOp: _mask,
    arith.IndexCastOp: _cast,
    arith.IndexCastUIOp: _cast,
    memref.DimOp: _dim,
    util.AssumeIntOp: _assumed,
}


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

Along = Callable[[Divisibility, Any, int], int]


def _subview_extent(known: Divisibility, op: memref.SubViewOp, dim: int) -> int:
    if len(op.static_sizes) != op.result_.type.rank:
        return 1
    return known.of(op.sizes[sum(s is None for s in op.static_sizes[:dim])])


def _subview_stride(known: Divisibility, op: memref.SubViewOp, dim: int) -> int:
    if len(op.static_strides) != op.result_.type.rank:
        return 1
    step = op.static_strides[dim]
    return min(ANY, known.stride(op.source, dim) * (1 if step is None else power_of_two(step)))


def _reinterpreted_extent(known: Divisibility, op: memref_views.ReinterpretCastOp, dim: int) -> int:
    size = op.mixed()[1][dim]
    return power_of_two(size) if isinstance(size, int) else known.of(size)


def _reinterpreted_stride(known: Divisibility, op: memref_views.ReinterpretCastOp, dim: int) -> int:
    stride = op.mixed()[2][dim]
    return power_of_two(stride) if isinstance(stride, int) else known.of(stride)


_EXTENTS: Mapping[type[Operation | None], Along] = {
    memref.SubViewOp: _subview_extent,
    memref.AssumeAlignmentOp: lambda known, op, dim: known.extent(op.memref, dim),
    memref.CastOp: lambda known, op, dim: known.extent(op.source, dim),
    memref_views.MemorySpaceCastOp: lambda known, op, dim: known.extent(op.source, dim),
    FatRawBufferCastOp: lambda known, op, dim: known.extent(op.source, dim),
    memref_views.ReinterpretCastOp: _reinterpreted_extent,
    MapaOp: lambda known, op, dim: known.extent(op.a, dim),
}
_STRIDES: Mapping[type[Operation | None], Along] = {
    memref.SubViewOp: _subview_stride,
    memref.AssumeAlignmentOp: lambda known, op, dim: known.stride(op.memref, dim),
    memref.CastOp: lambda known, op, dim: known.stride(op.source, dim),
    memref_views.MemorySpaceCastOp: lambda known, op, dim: known.stride(op.source, dim),
    FatRawBufferCastOp: lambda known, op, dim: known.stride(op.source, dim),
    memref_views.ReinterpretCastOp: _reinterpreted_stride,
    MapaOp: lambda known, op, dim: known.stride(op.a, dim),
}
