"""Reductions across the threads of a workgroup.

The order is part of the meaning: registers row-major over (batch, outer, element) within a thread, then the lanes by a
butterfly from the lowest stride, then subgroups in order through shared memory, the accumulator last. All lanes of a
butterfly compute the same bits, since they join the same pairs of a commutative operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce as fold
from itertools import product
from math import prod

from ..ir.core import Value
from ..ir.dialects import arith
from ..ir.dialects.elementwise import NO_FASTMATH, FastMathAttr
from ..ir.dialects.vector import CombiningKindAttr
from ..layout.dimension import LayoutError
from ..layout.nested import NestedLayout
from ..support.named_tuples import NamedTuple
from .context import Distribution
from .shuffle import from_lane_xor, from_thread, moved, replaced
from .through_shared_memory import Gather, gather_columns, gather_from_subgroups, gather_from_threads


def join(d: Distribution, kind: str, a: Value, b: Value, fastmath: FastMathAttr = NO_FASTMATH) -> Value:
    """Two values combined by a `vector.kind`; `fastmath` is of floats."""
    flags = {"fastmath": fastmath} if fastmath != NO_FASTMATH else {}
    return d.build.value(CombiningKindAttr(kind).operation(a.type), a, b, **flags)


def join_all(d: Distribution, kind: str, values: Sequence[Value], fastmath: FastMathAttr = NO_FASTMATH) -> Value:
    """In order, starting from the first: a neutral element would change the sign of zero or lose a NaN.

    Sums and products of floats take two turns, of those in even places and of those in odd ones, which neither wait for
    each other nor, where a chip has arithmetic on pairs, take more instructions than one.
    """

    def turn(some: Sequence[Value]) -> Value:
        return fold(lambda a, b: join(d, kind, a, b, fastmath), some)

    if len(values) < _LEAST_OF_TWO_TURNS or CombiningKindAttr(kind).any_order or not values[0].type.is_float:
        return turn(values)
    even, odd = values[0], values[1]
    for i in range(2, len(values) - 1, 2):
        even, odd = join(d, kind, even, values[i], fastmath), join(d, kind, odd, values[i + 1], fastmath)
    rest = [values[-1]] if len(values) % 2 else []
    return turn([even, odd, *rest])


_LEAST_OF_TWO_TURNS = 4
Row = tuple[Value, ...]
"""What is reduced as one: a value, or a value with its index."""
Join = Callable[[Row, Row], Row]


def of_kind(d: Distribution, kind: str, fastmath: FastMathAttr = NO_FASTMATH) -> Join:
    """Rows of one value, combined by a `vector.kind`."""
    return lambda a, b: (join(d, kind, a[0], b[0], fastmath),)


class Step(NamedTuple):
    """One digit of the thread id that is reduced over."""

    size: int
    stride: int


def across_threads(
    d: Distribution,
    kind: str,
    partials: Sequence[Value],
    layouts: Sequence[NestedLayout],
    dims: Sequence[int],
    fastmath: FastMathAttr = NO_FASTMATH,
) -> list[Value]:
    """Joins partial results over the thread digits that the first layout's `dims` have; every thread gets the total.

    `layouts` are of all values that the partial results were computed from.
    """
    rows = rows_across_threads(d, of_kind(d, kind, fastmath), [(value,) for value in partials], layouts, dims)
    return [value for (value,) in rows]


def rows_across_threads(
    d: Distribution, join: Join, partials: Sequence[Row], layouts: Sequence[NestedLayout], dims: Sequence[int]
) -> list[Row]:
    """Joins partial results over threads, as `across_threads` does, of rows of values, by any commutative operation."""
    digits = [Step(g.size, g.stride) for g in layouts[0].thread_digits(d.subgroup_size) if g.dim in dims]
    lanes, rest = split_at_subgroup(digits, d.subgroup_size, d.threads)
    rows = _rows_across_lanes(d, join, partials, lanes)
    if not rest:
        return rows
    held = {Step(g.size, g.stride) for layout in layouts for g in layout.thread_digits(d.subgroup_size)}
    gather, subgroups = _from_peers(d, rest, sorted(held, key=lambda g: g.stride)), prod(step.size for step in rest)
    is_common = held == set(digits) and subgroups * d.subgroup_size == d.threads
    if is_common and _SIDE_BY_SIDE <= subgroups <= d.subgroup_size:
        gather = _from_subgroups(d, rest, gather)
    gathered = gather_columns(d, list(zip(*rows, strict=True)), gather)
    return [fold(join, zip(*of_row, strict=True)) for of_row in zip(*gathered, strict=True)]


_SIDE_BY_SIDE = 4
"""Subgroups whose numbers lie side by side: of fewer, reading one by one takes less than finding such places."""


def split_at_subgroup(digits: Sequence[Step], subgroup_size: int, threads: int) -> tuple[list[Step], list[Step]]:
    """Digits (or their parts) that a shuffle moves along, and the others, each from the lowest stride.

    A shuffle serves where the threads that differ in a digit alone always are in one subgroup, and all there.
    """
    lanes, rest = list[Step](), list[Step]()
    for size, stride in sorted(digits, key=lambda g: g.stride):
        period, inside = size * stride, subgroup_size // stride
        if threads % period == 0 and (subgroup_size % period == 0 or threads <= subgroup_size):
            lanes.append(Step(size, stride))
        elif threads % subgroup_size == 0 and inside and subgroup_size % stride == 0 and size % inside == 0:
            lanes.append(Step(inside, stride))
            rest.append(Step(size // inside, subgroup_size))
        else:
            rest.append(Step(size, stride))
    return lanes, rest


def across_lanes(d: Distribution, kind: str, partials: Sequence[Value], steps: Sequence[Step]) -> list[Value]:
    """Joins over digits that are inside a subgroup."""
    return [value for (value,) in _rows_across_lanes(d, of_kind(d, kind), [(value,) for value in partials], steps)]


def _rows_across_lanes(d: Distribution, join: Join, partials: Sequence[Row], steps: Sequence[Step]) -> list[Row]:
    rows = list(partials)
    for step in steps:
        rows = [_across_lanes(d, join, row, step) for row in rows]
    return rows


def _across_lanes(d: Distribution, join: Join, row: Row, step: Step) -> Row:
    if _is_power_of_two(step.size) and _is_power_of_two(step.stride):
        offset = step.stride
        while offset < step.size * step.stride:
            row = join(row, tuple(from_lane_xor(d, value, offset) for value in row))
            offset *= 2
        return row
    # A butterfly needs powers of two; otherwise every lane reads all of its group in the same order.
    peers = [moved(d, d.thread_id(), step.size, step.stride, i) for i in range(step.size)]
    return fold(join, [tuple(from_thread(d, value, thread) for value in row) for thread in peers])


def _is_power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def _from_subgroups(d: Distribution, steps: Sequence[Step], otherwise: Gather) -> Gather:
    """Gathers values that a whole subgroup has in common, one of each subgroup, from the highest stride; `otherwise`
    where they do not fit side by side."""
    count = prod(step.size for step in steps)

    def gather(values: Sequence[Value]) -> list[list[Value]]:
        own = d.build.constant(0)
        for step in reversed(steps):
            own = d.build.add(d.build.mul(own, step.size), d.digit(step.size, step.stride))
        found = gather_from_subgroups(d, values, own, count)
        return otherwise(values) if found is None else found

    return gather


def _from_peers(d: Distribution, steps: Sequence[Step], held: Sequence[Step]) -> Gather:
    """Gathers the values of threads whose digits differ in these steps alone."""
    slowest_first = list(reversed(steps))

    def gather(values: Sequence[Value]) -> list[list[Value]]:
        wanted = product(*(range(s.size) for s in slowest_first))
        peers = [peer(d, list(zip(slowest_first, numbers, strict=True)), held) for numbers in wanted]
        return gather_from_threads(d, values, peers)

    return gather


def peer(d: Distribution, wanted: Sequence[tuple[Step, Value | int]], held: Sequence[Step]) -> Value:
    """The thread whose digits are the own ones but for those `wanted`.

    Where the end of the workgroup cuts that replica off, it is the one in the first replica, whose digits beside
    those that are `held` are zero.
    """
    thread = _replaced(d, d.thread_id(), wanted)
    if all(d.threads % (step.size * step.stride) == 0 for step, _ in wanted):
        return d.build.bound(thread, d.threads)
    if sum((step.size - 1) * step.stride for step in held) >= d.threads:
        raise LayoutError(f"the operands' layouts together need more than the workgroup's {d.threads} threads")
    first = d.build.constant(0)
    for step in held:
        first = d.build.add(first, d.build.mul(d.digit(step.size, step.stride), step.stride))
    exists = d.build.compare("ult", thread, d.threads)
    chosen = d.build.value(arith.SelectOp, exists, thread, _replaced(d, first, wanted))
    return d.build.bound(chosen, d.threads)


def _replaced(d: Distribution, thread: Value, wanted: Sequence[tuple[Step, Value | int]]) -> Value:
    for step, digit in wanted:
        thread = replaced(d, thread, step.size, step.stride, digit)
    return thread
