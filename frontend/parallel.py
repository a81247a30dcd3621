"""scf.parallel and scf.forall: loops without an order are loops, or read the ids that they are spread over."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Block, Builder, Region, Value
from ..ir.dialects import scf
from ..ir.dialects.scf_forall import ForallOp, InParallelOp
from ..ir.dialects.scf_parallel import ParallelOp, ReduceOp, ReduceReturnOp
from ..ir.spread_loops import ids_of
from ..ir.types import INDEX
from .affine import number
from .forall_mapping import as_program, needs_program, refuse_split, refuse_steps, spread
from .legalisations import EXPAND, Inside, Place, expands

EXPAND.needless("ends the body of a loop without an order, which is expanded", ReduceOp, ReduceReturnOp, InParallelOp)
Bounds = Sequence[tuple[Value, Value, Value]]
"""The bounds of each counter: from, to, by."""


def nest(
    build: Builder, bounds: Bounds, inits: Sequence[Value]
) -> tuple[Builder, list[Value], list[Value], list[Value]]:
    """Loops in one another that carry `inits`: where the innermost body is built, its counters and what it carries,
    and the outermost loop's results. Every body but the innermost ends."""
    counters, results = list[Value](), list[Value]()
    carried = list(inits)
    for level, (lower, upper, step) in enumerate(bounds):
        block = Block([INDEX, *(v.type for v in inits)])
        loop = build.op(scf.ForOp, lower, upper, step, carried, regions=[Region([block])])
        if level:
            build.op(scf.YieldOp, loop.results)
        else:
            results = list(loop.results)
        build = Inside(build, block)
        counters.append(block.arguments[0])
        carried = block.arguments[1:]
    return build, counters, carried, results


def move(source: Block, target: Builder, arguments: Sequence[Value]) -> None:
    """Takes the operations but the terminator from one block to the end of another."""
    for argument, value in zip(source.arguments, arguments, strict=True):
        value.hint = value.hint or argument.hint
        argument.replace_uses(value)
    for op in list(source.operations)[:-1]:
        target.append(source.remove(op))


@expands(ParallelOp)
def _parallel(place: Place, op: ParallelOp) -> Sequence[Value]:
    bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
    inner, counters, carried, results = nest(place, bounds, op.initVals)
    move(op.body, inner, counters)
    joined = list[Value]()
    for join, so_far, value in zip(op.reduce.joins, carried, op.reduce.values, strict=True):
        last = join.block.terminator
        assert isinstance(last, ReduceReturnOp)
        move(join.block, inner, [so_far, value])
        joined.append(last.joined)
    inner.op(scf.YieldOp, joined)
    return results


@expands(ForallOp)
def _forall(place: Place, op: ForallOp) -> Sequence[Value]:
    if ids_of(op) is None:
        refuse_split(op)
        refuse_steps(op, "is mapped to no threads, so that one goes on as the next")
        return _in_any_order(place, op)
    if needs_program(place, op):
        as_program(place, op)
        return ()
    inner, counters = spread(place, op)
    move(op.body, inner, counters)
    if inner is not place:
        inner.op(scf.YieldOp, [])
    return ()


def _in_any_order(place: Place, op: ForallOp) -> Sequence[Value]:
    lower, upper, step = ([b if isinstance(b, Value) else number(place, b) for b in side] for side in op.bounds)
    block = Block([INDEX] * len(lower))
    place.op(ParallelOp, lower, upper, step, [], types=[], regions=[Region([block])])
    inner = Inside(place, block)
    move(op.body, inner, block.arguments)
    inner.op(ReduceOp, [])
    return ()
