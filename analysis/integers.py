"""What is known of the integers of a program: between which bounds each is, and which power of two divides it.

What is not proven is not assumed: wide accesses, bounds checks and arithmetic in 32 bits ask here, while a thread's
program is built (`ir/builder.py`), in passes, and of the values behind LLVM's (`codegen/emit`). The sources of
knowledge are constants, arithmetic, static types, the launch (`launch_numbers.py`), what the program states
(`lanewise.divisibility`, `lanewise.stride_divisibility`, `lanewise.pointer_range`, `util.assume.int`, the bounds of
ids), and facts that who builds a value knows of it (`state`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import gcd
from typing import Any, Generic, TypeVar

from ..ir.affine import AffineExpr, Binary, Constant, Dim, Symbol
from ..ir.analyses import Analyses
from ..ir.attributes import DenseArrayAttr, number_of
from ..ir.core import Operation, Value
from ..ir.define import is_memref
from ..ir.dialects import affine, arith, gpu, memref, memref_views, scf, util
from ..ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ..ir.dialects.constants import constant_int
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.nvvm_cluster import MapaOp
from ..ir.integer_ranges import Range, below, converted, every, exactly, range_of
from ..ir.types import Attribute, MemRefType, bit_width, memory_bits
from ..support.named_tuples import NamedTuple
from .launch_numbers import RANGED as IDS
from .launch_numbers import Launch
from .near_buffers import NEAR, near_extents

ANY = 1 << 30
"""The divisor of zero: more than any question asks for."""
EXTENTS = Range(0, (1 << 62) - 1)
"""What an extent of a memref may be: no memory has so many elements."""
FoundT = TypeVar("FoundT")


def power_of_two(n: int) -> int:
    """The largest power of two that divides n."""
    return ANY if n == 0 else min(ANY, n & -n)


class Integers:
    """Answers are remembered. One without facts on arguments is of a program that is still being made."""

    def __init__(self, launch: Launch | None = None) -> None:
        """`launch`: what is known of ids and their extents; little where the program is no kernel's."""
        self.launch = launch or Launch()
        self._ranges: dict[Value, Range] = {}
        self._divisors: dict[Value, int] = {}
        self._extents: dict[Value, tuple[int, ...]] = {}
        self._strides: dict[Value, tuple[int, ...]] = {}
        self._near: set[Value] = set()

    @classmethod
    def of_function(cls, function: FunctionLike, analyses: Analyses) -> Integers:
        """With what a kernel's function says of its launch and its arguments."""
        known = cls(Launch.of(function))
        for index, argument in enumerate(function.arguments):
            known.learn_argument(argument, partial(function.argument_attribute, index))
        return known

    def learn_argument(self, value: Value, stated: Callable[[str], Attribute | None]) -> None:
        """Enters the facts that a kernel's argument carries: `stated` gives its attribute of a name."""
        divisibility, strides = stated("lanewise.divisibility"), stated("lanewise.stride_divisibility")
        if is_memref.admits(value):
            if isinstance(divisibility, DenseArrayAttr):
                self._extents[value] = tuple(power_of_two(int(n)) for n in divisibility.values)
            if isinstance(strides, DenseArrayAttr):
                self._strides[value] = tuple(power_of_two(int(n)) for n in strides.values)
            if stated(NEAR) is not None and value.type.layout is None:
                self._near.add(value)
        elif (number := number_of(divisibility)) is not None:
            self._divisors[value] = power_of_two(number)

    def state(self, value: Value, range: Range) -> None:
        """Takes the word of who has built a value for it that it is between these bounds."""
        known = self._ranges.get(value)
        self._ranges[value] = range if known is None else known.meet(range)

    # -- values -------------------------------------------------------------------------------------------------

    def range(self, value: Value) -> Range:
        """Between which bounds an index or integer is; all of its type where nothing is known."""
        known = self._ranges.get(value)
        return _solved(self, self._ranges, value, _RANGES) if known is None else known

    def divisor(self, value: Value) -> int:
        """The largest known power of two that divides an index or integer value."""
        known = self._divisors.get(value)
        return _solved(self, self._divisors, value, _DIVISORS) if known is None else known

    # -- extents and strides ------------------------------------------------------------------------------------

    def extents(self, buffer: Value[MemRefType]) -> Range:
        """Between which bounds the open extents of a memref are; of a near argument whose rows follow each other its
        strides, too."""
        return near_extents(memory_bits(buffer.type.element)) if buffer in self._near else EXTENTS

    def extent_divisor(self, buffer: Value[MemRefType], dim: int) -> int:
        """The divisor of a memref's size along `dim`."""
        size = buffer.type.shape[dim]
        if size is not None:
            return power_of_two(size)
        if buffer in self._extents:
            return self._extents[buffer][dim]
        rule = _EXTENTS.get(type(buffer.operation))
        return 1 if rule is None else rule(self, buffer.operation, dim)

    def stride_divisor(self, buffer: Value[MemRefType], dim: int) -> int:
        """The divisor of a memref's element stride along `dim`."""
        strides, _ = buffer.type.strides_and_offset()
        known = strides[dim]
        if known is not None:
            return power_of_two(known)
        if buffer.type.layout is not None:
            return self._strides[buffer][dim] if buffer in self._strides else self._view_stride(buffer, dim)
        product = 1
        for later in range(dim + 1, buffer.type.rank):
            product = min(ANY, product * self.extent_divisor(buffer, later))
        return product

    def _view_stride(self, buffer: Value[MemRefType], dim: int) -> int:
        rule = _STRIDES.get(type(buffer.operation))
        return 1 if rule is None else rule(self, buffer.operation, dim)


Rule = Callable[[Integers, Any], FoundT]


class Rules(NamedTuple, Generic[FoundT]):
    """How one thing is found out, by the class of the operation that makes a value."""

    of_result: Mapping[type[Operation], Rule[FoundT]]
    of_results: Mapping[type[Operation], Callable[[Integers, Any, int], FoundT]]
    """Those of operations with several results, which are asked by the number of the result."""
    otherwise: Callable[[Integers, Value], FoundT]
    """The rule for an argument of a block, and for all that no other rule is about."""

    def about(self, value: Value) -> Callable[[Integers], FoundT] | None:
        """The rule for a value that an operation makes."""
        op = value.operation
        if op is None:
            return None
        rule, several = self.of_result.get(type(op)), self.of_results.get(type(op))
        if several is not None:
            return lambda known: several(known, op, value.index)
        return None if rule is None else lambda known: rule(known, op)


def _solved(known: Integers, found: dict[Value, FoundT], value: Value, rules: Rules[FoundT]) -> FoundT:
    """What the rule of the operation says that made `value`, entered with all that it asks for."""
    pending = [value]
    while pending:
        last = pending[-1]
        if last in found:
            pending.pop()
            continue
        rule, op = rules.about(last), last.operation
        # A chain of sums may be longer than calls can nest.
        sources = [v for v in op.operands if v not in found and v.type == value.type] if op and rule else []
        if sources:
            pending += sources
        else:
            found[last] = rule(known) if rule is not None else rules.otherwise(known, last)
    return found[value]


def _loop_of(counter: Value) -> scf.ForOp | None:
    """The loop whose induction variable it is."""
    block = counter.owner
    loop = None if isinstance(block, Operation) or block.parent is None else block.parent.parent
    return loop if isinstance(loop, scf.ForOp) and counter.index == 0 else None


# -- bounds -----------------------------------------------------------------------------------------------------------


def _every(value: Value) -> Range:
    is_number = value.type.is_whole
    return every(bit_width(value.type)) if is_number else every(64)


def _range_of_argument(known: Integers, value: Value) -> Range:
    """A loop counts from its start on to what is below its end, of signed or unsigned numbers."""
    loop = _loop_of(value)
    if loop is None:
        return _every(value)
    start, end = known.range(loop.lower_bound), known.range(loop.upper_bound)
    if not loop.is_unsigned:
        return Range(start.low, max(end.high - 1, start.low))
    return Range(max(start.low, 0), max(end.high - 1, start.low, 0)) if end.low >= 0 else _every(value)


def _constant_range(known: Integers, op: arith.ConstantOp) -> Range:
    number = number_of(op.attributes["value"])
    return _every(op.result_) if number is None else exactly(number)


_OPCODES: Mapping[type[Operation], str] = {
    arith.AddIOp: "add",
    arith.SubIOp: "sub",
    arith.MulIOp: "mul",
    arith.DivUIOp: "udiv",
    arith.DivSIOp: "sdiv",
    arith.RemUIOp: "urem",
    arith.RemSIOp: "srem",
    arith.FloorDivSIOp: "floordiv",
    arith.CeilDivSIOp: "ceildiv",
    arith.CeilDivUIOp: "uceildiv",
    arith.AndIOp: "and",
    arith.OrIOp: "or",
    arith.XOrIOp: "xor",
    arith.ShLIOp: "shl",
    arith.ShRUIOp: "lshr",
    arith.ShRSIOp: "ashr",
    arith.MinSIOp: "smin",
    arith.MaxSIOp: "smax",
    arith.MinUIOp: "umin",
    arith.MaxUIOp: "umax",
}
_CASTS: Mapping[type[Operation], str] = {
    arith.ExtSIOp: "sext",
    arith.ExtUIOp: "zext",
    arith.TruncIOp: "trunc",
    arith.IndexCastOp: "sext",
    arith.IndexCastUIOp: "zext",
}


def _arithmetic_range(known: Integers, op: arith.IntegerBinary) -> Range:
    if not op.result_.type.is_whole:
        return _every(op.result_)
    return range_of(_OPCODES[type(op)], [known.range(v) for v in op.operands], bit_width(op.result_.type))


def _cast_range(known: Integers, op: arith.Cast) -> Range:
    if not op.out.type.is_whole:
        return _every(op.out)
    before, after = bit_width(op.in_.type), bit_width(op.out.type)
    opcode = "trunc" if after < before else _CASTS[type(op)]
    return known.range(op.in_) if before == after else converted(opcode, known.range(op.in_), before, after)


def _select_range(known: Integers, op: arith.SelectOp) -> Range:
    if not op.result_.type.is_whole:
        return _every(op.result_)
    return known.range(op.true_value).join(known.range(op.false_value))


def _id_range(known: Integers, op: gpu.IdOp) -> Range:
    """What the program states of an id, the launch keeps."""
    found = known.launch.range(op)
    return found if op.upper_bound is None else found.meet(Range(0, op.upper_bound.value - 1))


def _dim_range(known: Integers, op: memref.DimOp) -> Range:
    position = constant_int(op.index)
    shape = op.memref.type.shape
    size = shape[position] if position is not None and 0 <= position < len(shape) else None
    return known.extents(op.memref) if size is None else exactly(size)


def _assumed_range(known: Integers, op: util.AssumeIntOp, number: int) -> Range:
    """The largest is that of the unsigned number."""
    most, operand = op.limit(number), op.operands_[number]
    found = known.range(operand)
    return found if most is None or most > _every(operand).high else found.meet(Range(0, most))


_AFFINE: Mapping[str, str] = {"+": "add", "*": "mul", "floordiv": "floordiv", "ceildiv": "ceildiv"}


def _expression_range(expr: AffineExpr, dims: list[Range], symbols: list[Range]) -> Range:
    match expr:
        case Constant(value):
            return exactly(value)
        case Dim(index):
            return dims[index]
        case Symbol(index):
            return symbols[index]
        case Binary(operator, lhs, rhs):
            a, b = (_expression_range(e, dims, symbols) for e in (lhs, rhs))
            if operator == "mod":  # by what is above 0, and never negative
                return range_of("urem", [a, b], 64) if a.low >= 0 else below(b.high)
            return range_of(_AFFINE[operator], [a, b], 64)
        case _:
            return every(64)


def _affine_ranges(known: Integers, op: affine.MapOp) -> list[Range]:
    given, map = [known.range(v) for v in op.operands], op.map.map
    return [_expression_range(e, given[: map.dims], given[map.dims :]) for e in map.results]


def _applied_range(known: Integers, op: affine.ApplyOp) -> Range:
    (found,) = _affine_ranges(known, op)
    return found


def _extreme_range(opcode: str) -> Rule[Range]:
    def extreme(known: Integers, op: affine.MapOp) -> Range:
        first, *rest = _affine_ranges(known, op)
        for other in rest:
            first = range_of(opcode, [first, other], 64)
        return first

    return extreme


_RANGES_OF_RESULT: Mapping[type[Operation], Rule[Range]] = {
    **dict.fromkeys(_OPCODES, _arithmetic_range),
    **dict.fromkeys(_CASTS, _cast_range),
    **dict.fromkeys(IDS, _id_range),
    affine.ApplyOp: _applied_range,
    affine.MinOp: _extreme_range("smin"),
    affine.MaxOp: _extreme_range("smax"),
    arith.ConstantOp: _constant_range,
    arith.SelectOp: _select_range,
    memref.DimOp: _dim_range,
}
_RANGES = Rules(_RANGES_OF_RESULT, {util.AssumeIntOp: _assumed_range}, _range_of_argument)


# -- divisors ---------------------------------------------------------------------------------------------------------


def _divisor_of_argument(known: Integers, value: Value) -> int:
    """A loop's induction variable is a multiple of what divides both its start and its step."""
    loop = _loop_of(value)
    return 1 if loop is None else gcd(known.divisor(loop.lower_bound), known.divisor(loop.step))


def _constant(known: Integers, op: arith.ConstantOp) -> int:
    number = number_of(op.attributes["value"])
    return 1 if number is None else power_of_two(number)


def _sum(known: Integers, op: Operation) -> int:
    return gcd(known.divisor(op.operands[0]), known.divisor(op.operands[1]))


def _select(known: Integers, op: arith.SelectOp) -> int:
    return gcd(known.divisor(op.true_value), known.divisor(op.false_value))


def _product(known: Integers, op: Operation) -> int:
    return min(ANY, known.divisor(op.operands[0]) * known.divisor(op.operands[1]))


def _shift(known: Integers, op: arith.ShLIOp) -> int:
    amount, shifted = constant_int(op.rhs), known.divisor(op.lhs)
    return shifted if amount is None else min(ANY, shifted << min(amount, 30))


def _mask(known: Integers, op: arith.AndIOp) -> int:
    return max(known.divisor(op.lhs), known.divisor(op.rhs))


def _cast(known: Integers, op: Operation) -> int:
    return known.divisor(op.operands[0])


def _dim(known: Integers, op: memref.DimOp) -> int:
    position = constant_int(op.index)
    return 1 if position is None else known.extent_divisor(op.memref, position)


def _assumed(known: Integers, op: util.AssumeIntOp, number: int) -> int:
    return max(known.divisor(op.operands_[number]), power_of_two(op.divisor(number)))


def _affine(known: Integers, op: affine.MapOp) -> int:
    divisors = [known.divisor(v) for v in op.operands]
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


_DIVISORS_OF_RESULT: Mapping[type[Operation], Rule[int]] = {
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
}
_DIVISORS = Rules(_DIVISORS_OF_RESULT, {util.AssumeIntOp: _assumed}, _divisor_of_argument)

Along = Callable[[Integers, Any, int], int]


def _subview_extent(known: Integers, op: memref.SubViewOp, dim: int) -> int:
    if len(op.static_sizes) != op.result_.type.rank:
        return 1
    return known.divisor(op.sizes[sum(s is None for s in op.static_sizes[:dim])])


def _subview_stride(known: Integers, op: memref.SubViewOp, dim: int) -> int:
    if len(op.static_strides) != op.result_.type.rank:
        return 1
    step = op.static_strides[dim]
    return min(ANY, known.stride_divisor(op.source, dim) * (1 if step is None else power_of_two(step)))


def _reinterpreted_extent(known: Integers, op: memref_views.ReinterpretCastOp, dim: int) -> int:
    size = op.mixed()[1][dim]
    return power_of_two(size) if isinstance(size, int) else known.divisor(size)


def _reinterpreted_stride(known: Integers, op: memref_views.ReinterpretCastOp, dim: int) -> int:
    stride = op.mixed()[2][dim]
    return power_of_two(stride) if isinstance(stride, int) else known.divisor(stride)


_EXTENTS: Mapping[type[Operation | None], Along] = {
    memref.SubViewOp: _subview_extent,
    memref.AssumeAlignmentOp: lambda known, op, dim: known.extent_divisor(op.memref, dim),
    memref.CastOp: lambda known, op, dim: known.extent_divisor(op.source, dim),
    memref_views.MemorySpaceCastOp: lambda known, op, dim: known.extent_divisor(op.source, dim),
    FatRawBufferCastOp: lambda known, op, dim: known.extent_divisor(op.source, dim),
    memref_views.ReinterpretCastOp: _reinterpreted_extent,
    MapaOp: lambda known, op, dim: known.extent_divisor(op.a, dim),
}
_STRIDES: Mapping[type[Operation | None], Along] = {
    memref.SubViewOp: _subview_stride,
    memref.AssumeAlignmentOp: lambda known, op, dim: known.stride_divisor(op.memref, dim),
    memref.CastOp: lambda known, op, dim: known.stride_divisor(op.source, dim),
    memref_views.MemorySpaceCastOp: lambda known, op, dim: known.stride_divisor(op.source, dim),
    FatRawBufferCastOp: lambda known, op, dim: known.stride_divisor(op.source, dim),
    memref_views.ReinterpretCastOp: _reinterpreted_stride,
    MapaOp: lambda known, op, dim: known.stride_divisor(op.a, dim),
}
