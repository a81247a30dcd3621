"""Reductions across the threads of a workgroup.

The order is part of the meaning: registers row-major over (batch, outer, element) within a thread, then the lanes by a
butterfly from the lowest stride, then subgroups in order through shared memory, the accumulator last. All lanes of a
butterfly compute the same bits, since they join the same pairs of a commutative operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold
from itertools import product
from typing import NamedTuple

from ..ir.core import Operation, Value
from ..ir.dialects import arith
from ..ir.types import FloatType
from ..layout.nested import NestedLayout
from .context import Distribution
from .shared_memory import gather_from_threads
from .shuffle import from_lane_xor, from_thread, moved

_INTEGER: dict[str, type[Operation]] = {
    "add": arith.AddIOp,
    "mul": arith.MulIOp,
    "minsi": arith.MinSIOp,
    "maxsi": arith.MaxSIOp,
    "minui": arith.MinUIOp,
    "maxui": arith.MaxUIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}
_FLOAT: dict[str, type[Operation]] = {
    "add": arith.AddFOp,
    "mul": arith.MulFOp,
    "minnumf": arith.MinNumFOp,
    "maxnumf": arith.MaxNumFOp,
    "minimumf": arith.MinimumFOp,
    "maximumf": arith.MaximumFOp,
}


def join(d: Distribution, kind: str, a: Value, b: Value) -> Value:
    """Two values combined by a `vector.kind`."""
    table = _FLOAT if isinstance(a.type, FloatType) else _INTEGER
    return d.build.value(table[kind], a, b)


def join_all(d: Distribution, kind: str, values: Sequence[Value]) -> Value:
    """In order, starting from the first: a neutral element would change the sign of zero or lose a NaN."""
    return fold(lambda a, b: join(d, kind, a, b), values)


class Step(NamedTuple):
    """One digit of the thread id that is reduced over."""

    size: int
    stride: int


def across_threads(
    d: Distribution, kind: str, partials: Sequence[Value], layout: NestedLayout, dims: Sequence[int]
) -> list[Value]:
    """Joins partial results over the thread digits of `dims`; every thread that took part gets the total."""
    digits = [Step(g.size, g.stride) for g in layout.thread_digits(d.subgroup_size) if g.dim in dims]
    return across_steps(d, kind, partials, digits)


def across_steps(d: Distribution, kind: str, partials: Sequence[Value], digits: Sequence[Step]) -> list[Value]:
    """The same over digits of the thread id given as they are."""
    lanes, subgroups = split_at_subgroup(digits, d.subgroup_size)
    values = list(partials)
    for step in lanes:
        values = [_across_lanes(d, kind, v, step) for v in values]
    return _across_subgroups(d, kind, values, subgroups) if subgroups else values


def split_at_subgroup(digits: Sequence[Step], subgroup_size: int) -> tuple[list[Step], list[Step]]:
    """Digits (or their parts) inside a subgroup and those across subgroups, each from the lowest stride."""
    lanes, subgroups = list[Step](), list[Step]()
    for size, stride in sorted(digits, key=lambda g: g.stride):
        if stride >= subgroup_size:
            subgroups.append(Step(size, stride))
        elif size * stride <= subgroup_size:
            lanes.append(Step(size, stride))
        elif subgroup_size % stride == 0 and size % (subgroup_size // stride) == 0:
            inside = subgroup_size // stride
            lanes.append(Step(inside, stride))
            subgroups.append(Step(size // inside, subgroup_size))
        else:
            subgroups.append(Step(size, stride))
    return lanes, subgroups


def _across_lanes(d: Distribution, kind: str, value: Value, step: Step) -> Value:
    if _is_power_of_two(step.size) and _is_power_of_two(step.stride):
        offset = step.stride
        while offset < step.size * step.stride:
            value = join(d, kind, value, from_lane_xor(d, value, offset))
            offset *= 2
        return value
    # A butterfly needs powers of two; otherwise every lane reads all of its group in the same order.
    peers = [moved(d, d.thread_id(), step.size, step.stride, i) for i in range(step.size)]
    return join_all(d, kind, [from_thread(d, value, peer) for peer in peers])


def _is_power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def _across_subgroups(d: Distribution, kind: str, values: list[Value], steps: Sequence[Step]) -> list[Value]:
    peers: list[Value] = []
    for wanted in product(*(range(s.size) for s in reversed(steps))):
        thread = d.thread_id()
        for step, digit in zip(reversed(steps), wanted, strict=True):
            thread = moved(d, thread, step.size, step.stride, digit)
        peers.append(thread)
    return [join_all(d, kind, row) for row in gather_from_threads(d, values, peers)]
