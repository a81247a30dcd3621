"""Scans: what every element and all before it along a dimension join to.

A dimension counts, from its fastest level on, through a thread's neighbours (element), threads, tiles of one thread
(outer, batch), subgroups, and the rounds of a wrapped subgroup level. So does the scan: every level takes the totals of
the level below, gives each what comes before it, and hands on the total of all. The order is part of the meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.builder import Scalars
from ..ir.core import Value
from ..ir.dialects import arith
from ..ir.dialects.vector import CombiningKindAttr
from ..layout.nested import NestedLayout
from ..support.named_tuples import NamedTuple
from .context import Distribution, as_array
from .reduce import Step, join, peer, split_at_subgroup
from .shuffle import from_thread
from .through_shared_memory import gather_from_threads


class Before(NamedTuple):
    """What a scan knows of a value in each thread: what those of the threads before it join to (neutral in the first),
    and all."""

    earlier: Value
    total: Value


def scanned(
    d: Distribution, kind: CombiningKindAttr, registers: Scalars, layout: NestedLayout, dim: int, start: Value | None
) -> Scalars:
    """One line along `dim`, given as [wrap * batch, outer, element] registers.

    With a `start` the scan is exclusive and begins with it, else inclusive.
    """
    part = layout.dimension(dim)
    line = registers.reshape(part.wrap, part.batch * part.outer, part.element)
    prefixes = np.stack([_running(d, kind, list(tile)) for tile in line.reshape(-1, part.element)])
    tiles = _across(d, kind, prefixes[:, -1].tolist(), layout, dim, "thread")
    carries = [tile.earlier for tile in tiles]
    totals = [tile.total for tile in tiles]
    rounds: list[Value] = []
    for first in range(0, len(tiles), len(tiles) // part.wrap):
        running: Value | None = None
        for at in range(first, first + len(tiles) // part.wrap):
            carries[at] = _joined(d, kind, running, carries[at])
            running = _joined(d, kind, running, totals[at])
        assert running is not None
        rounds.append(running)
    return _with_carries(d, kind, prefixes, carries, _rounds(d, kind, rounds, layout, dim), start).reshape(
        registers.shape
    )


def _rounds(
    d: Distribution, kind: CombiningKindAttr, totals: list[Value], layout: NestedLayout, dim: int
) -> list[Value]:
    """What comes before the subgroup's part in each round of a wrapped subgroup level."""
    before: list[Value] = []
    running: Value | None = None
    for earlier, total in _across(d, kind, totals, layout, dim, "subgroup"):
        before.append(_joined(d, kind, running, earlier))
        running = _joined(d, kind, running, total)
    return before


def _with_carries(
    d: Distribution,
    kind: CombiningKindAttr,
    prefixes: Scalars,
    carries: list[Value],
    rounds: list[Value],
    start: Value | None,
) -> Scalars:
    out = np.empty(prefixes.shape, object)
    for at, row in enumerate(prefixes):
        carry = _joined(d, kind, rounds[at * len(rounds) // len(prefixes)], carries[at])
        if start is None:
            out[at] = [_joined(d, kind, carry, value) for value in row]
        else:
            carry = join(d, kind.value, start, carry)
            out[at] = [carry, *(_joined(d, kind, carry, value) for value in row[:-1])]
    return out


def _joined(d: Distribution, kind: CombiningKindAttr, a: Value | None, b: Value) -> Value:
    """What is neutral is left out."""
    neutral = _neutral(d, kind, b)
    if a is None or a is neutral:
        return b
    return a if b is neutral else join(d, kind.value, a, b)


def _neutral(d: Distribution, kind: CombiningKindAttr, like: Value) -> Value:
    return d.build.constant(kind.identity(like.type), like.type)


def _running(d: Distribution, kind: CombiningKindAttr, values: list[Value]) -> Scalars:
    for at in range(1, len(values)):
        values[at] = join(d, kind.value, values[at - 1], values[at])
    return as_array(values, (len(values),))


def _across(
    d: Distribution, kind: CombiningKindAttr, values: Sequence[Value], layout: NestedLayout, dim: int, level: str
) -> list[Before]:
    """Over the threads that one level of a dimension counts through."""
    all_digits = layout.thread_digits(d.subgroup_size)
    digits = [Step(g.size, g.stride) for g in all_digits if g.dim == dim and g.level == level]
    held = sorted({Step(g.size, g.stride) for g in all_digits}, key=lambda g: g.stride)
    lanes, rest = split_at_subgroup(digits, d.subgroup_size, d.threads)
    found = [Before(_neutral(d, kind, value), value) for value in values]
    for step in lanes:
        found = [_next(d, kind, old, _across_lanes(d, kind, old.total, step)) for old in found]
    for step in rest:
        further = _across_subgroups(d, kind, [old.total for old in found], step, held)
        found = [_next(d, kind, old, new) for old, new in zip(found, further, strict=True)]
    return found


def _next(d: Distribution, kind: CombiningKindAttr, inner: Before, outer: Before) -> Before:
    return Before(_joined(d, kind, outer.earlier, inner.earlier), outer.total)


def _across_lanes(d: Distribution, kind: CombiningKindAttr, value: Value, step: Step) -> Before:
    """Twice as many lanes a round; then the lane before has what is wanted, and the last lane all."""
    digit = d.digit(step.size, step.stride)
    total, reach = value, 1
    while reach < step.size:
        given = d.build.compare("uge", digit, reach)
        more = join(d, kind.value, _from_before(d, total, reach * step.stride, given), total)
        total = d.build.value(arith.SelectOp, given, more, total)
        reach *= 2
    given = d.build.compare("ne", digit, 0)
    earlier = d.build.value(arith.SelectOp, given, _from_before(d, total, step.stride, given), _neutral(d, kind, value))
    ahead = d.build.mul(d.build.sub(d.build.constant(step.size - 1), digit), step.stride)
    return Before(earlier, from_thread(d, total, d.build.bound(d.build.add(d.thread_id(), ahead), d.threads)))


def _from_before(d: Distribution, value: Value, distance: int, given: Value) -> Value:
    """The value `distance` threads before, the own where there is none."""
    back = d.build.value(arith.SelectOp, given, d.build.constant(distance), d.build.constant(0))
    return from_thread(d, value, d.build.bound(d.build.sub(d.thread_id(), back), d.threads))


def _across_subgroups(
    d: Distribution, kind: CombiningKindAttr, values: Sequence[Value], step: Step, held: Sequence[Step]
) -> list[Before]:
    digit = d.digit(step.size, step.stride)
    peers = [peer(d, [(step, wanted)], held) for wanted in range(step.size)]
    found: list[Before] = []
    for row in gather_from_threads(d, values, peers):
        earlier = _neutral(d, kind, row[0])
        running = row[0]
        for wanted, value in enumerate(row[1:], 1):
            earlier = d.build.value(arith.SelectOp, d.build.compare("uge", digit, wanted), running, earlier)
            running = join(d, kind.value, running, value)
        found.append(Before(earlier, running))
    return found


def last_along(d: Distribution, values: list[Value], layout: NestedLayout, dim: int) -> list[Value]:
    """What the last threads along `dim` have, in all threads along it."""
    all_digits = layout.thread_digits(d.subgroup_size)
    digits = [Step(g.size, g.stride) for g in all_digits if g.dim == dim]
    held = sorted({Step(g.size, g.stride) for g in all_digits}, key=lambda g: g.stride)
    lanes, rest = split_at_subgroup(digits, d.subgroup_size, d.threads)
    if lanes:
        last = peer(d, [(step, step.size - 1) for step in lanes], held)
        values = [from_thread(d, value, last) for value in values]
    if rest:
        last = peer(d, [(step, step.size - 1) for step in rest], held)
        values = [row[0] for row in gather_from_threads(d, values, [last])]
    return values
