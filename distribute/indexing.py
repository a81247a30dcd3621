"""Which element of a vector a thread's register holds, as index arithmetic of the thread's program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from ..ir.affine import AffineExpr, Binary, Constant, Dim, Symbol
from ..ir.builder import FoldingBuilder, constant_int
from ..ir.core import Value
from ..ir.dialects import arith
from ..layout.dimension import Level
from ..layout.nested import NestedLayout
from .context import Distribution

LEVELS = {"thread": Level.THREAD, "subgroup": Level.SUBGROUP}


def thread_offset(d: Distribution, layout: NestedLayout, dim: int) -> Value:
    """The part of a coordinate along `dim` that depends on the thread: the rest is `layout.register_offsets()`."""
    return digits_offset(d, layout, dim, at_least=1)


def digits_offset(d: Distribution, layout: NestedLayout, dim: int, at_least: int) -> Value:
    """The part of a coordinate along a dimension that depends on those digits of the thread id whose stride is
    `at_least` so many threads."""
    return d.once((digits_offset, layout, dim, at_least), lambda: _sum_of_digits(d, layout, dim, at_least))


def _sum_of_digits(d: Distribution, layout: NestedLayout, dim: int, at_least: int) -> Value:
    part = layout.dimension(dim)
    digits = [
        (digit.size, digit.stride, part.weight(LEVELS[digit.level]))
        for digit in layout.thread_digits(d.subgroup_size)
        if digit.dim == dim and digit.stride >= at_least
    ]
    total = d.build.constant(0)
    for size, stride, weight in joined(sorted(digits, key=lambda digit: digit[1])):
        total = d.build.add(total, d.build.mul(d.digit(size, stride), weight))
    return total


def joined(digits: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Neighbouring digits (size, stride, weight) that count on from each other, as one."""
    joined: list[tuple[int, int, int]] = []
    for size, stride, weight in digits:
        if joined:
            below, low_stride, low_weight = joined[-1]
            if stride == below * low_stride and weight == below * low_weight:
                joined[-1] = (below * size, low_stride, low_weight)
                continue
        joined.append((size, stride, weight))
    return joined


def coordinates(d: Distribution, layout: NestedLayout) -> list[list[Value]]:
    """Per register, in row-major order, its coordinate in every dimension."""
    offsets = [thread_offset(d, layout, dim) for dim in range(layout.rank)]
    return [[d.build.add(o, int(c)) for o, c in zip(offsets, row, strict=True)] for row in layout.register_offsets()]


def elected(d: Distribution, layout: NestedLayout) -> Value:
    """True for exactly one thread of those that hold the same elements."""
    unused = layout.unused_digits(d.threads, d.subgroup_size)
    return d.build.conjunction([d.build.compare("eq", d.digit(size, stride), 0) for size, stride in unused])


def expand(build: FoldingBuilder, expr: AffineExpr, dims: list[Value], symbols: list[Value]) -> Value:
    """Arithmetic for an affine expression; floordiv and mod round towards minus infinity."""
    match expr:
        case Dim(index):
            return dims[index]
        case Symbol(index):
            return symbols[index]
        case Constant(value):
            return build.constant(value)
        case Binary(operator, lhs, rhs):
            return _EXPAND[operator](build, expand(build, lhs, dims, symbols), expand(build, rhs, dims, symbols))
        case _:
            raise AssertionError(expr)


def floor_divide(build: FoldingBuilder, a: Value, b: Value) -> Value:
    divisor = constant_int(b)
    if divisor is not None and divisor > 0 and (build.limit(a) is not None or divisor == 1):
        return build.div(a, divisor)
    return build.value(arith.FloorDivSIOp, a, b)


def ceil_divide(build: FoldingBuilder, a: Value, b: Value) -> Value:
    return build.value(arith.CeilDivSIOp, a, b)


def modulo(build: FoldingBuilder, a: Value, b: Value) -> Value:
    divisor = constant_int(b)
    if divisor is not None and divisor > 0 and build.limit(a) is not None:
        return build.rem(a, divisor)
    return build.sub(a, build.mul(floor_divide(build, a, b), b))


_EXPAND: dict[str, Callable[[FoldingBuilder, Value, Value], Value]] = {
    "+": FoldingBuilder.add,
    "*": FoldingBuilder.mul,
    "floordiv": floor_divide,
    "ceildiv": ceil_divide,
    "mod": modulo,
}


def linearize(build: FoldingBuilder, indices: Sequence[Value], extents: list[Value]) -> Value:
    """Row-major number of `indices`; `extents` are of all but possibly the first dimension."""
    total = indices[0]
    inner = extents[-(len(indices) - 1) :] if len(indices) > 1 else []
    for index, extent in zip(indices[1:], inner, strict=True):
        total = build.add(build.mul(total, extent), index)
    return total


def delinearize(build: FoldingBuilder, linear: Value, extents: list[Value]) -> list[Value]:
    """The inverse; the first result takes what is left."""
    rest, results = linear, list[Value]()
    for extent in reversed(extents):
        results.append(modulo(build, rest, extent))
        rest = floor_divide(build, rest, extent)
    return [rest, *reversed(results)]


def minimum(build: FoldingBuilder, values: list[Value]) -> Value:
    return reduce(lambda a, b: build.value(arith.MinSIOp, a, b), values)


def maximum(build: FoldingBuilder, values: list[Value]) -> Value:
    return reduce(lambda a, b: build.value(arith.MaxSIOp, a, b), values)
