"""Rules for control flow that the layers below meet only in other words (`frontend`).

The meaning stands here on its own, so that a comparison of executors tests the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product

import numpy as np

from ..frontend.dialects.affine_loops import AffineForOp, AffineIfOp
from ..ir.affine import AffineMap
from ..ir.core import Block, Operation, Region, Value
from ..ir.dialects import cf, scf
from ..ir.dialects.gpu_printf import PrintfOp
from ..ir.dialects.vector_memory import TypeCastOp
from ..ir.dialects.vector_print import PrintOp
from ..ir.dialects.vector_reshape import ReshapeOp
from ..ir.numerics import Array
from .batch_state import State
from .closures import EVALUATE, Compiler, Step, run
from .errors import EvaluationLimit, failure
from .rules_control import Branch, Handed, bind, branches, chosen, handed, looped, merged, spend
from .unordered import Unordered

KEPT = frozenset(
    {
        *(AffineForOp, AffineIfOp, scf.ExecuteRegionOp, scf.ParallelOp, cf.BrOp, cf.CondBrOp, cf.SwitchOp),
        *(PrintOp, PrintfOp, TypeCastOp, ReshapeOp),
    }
)
"""The classes that have a meaning of their own: a rule here or in another file, or on numpy arrays."""

# -- blocks that branch -----------------------------------------------------------------------------------------------

Way = Callable[[State], Array]
"""For each owner, or for all, the number of the target that it goes on to."""


def region_code(region: Region, c: Compiler) -> Branch:
    """A region of one block, or of several that branch: each for the owners that are there, the first block first."""
    if len(region.blocks) == 1:
        return c.block(region.block)
    code = _Blocks(region, c)
    return [code.step], code.outcome


class _Blocks:
    def __init__(self, region: Region, c: Compiler) -> None:
        self._blocks = [_Block(block, region, c) for block in region.blocks]
        assert region.parent is not None
        self._op: Operation = region.parent
        ended = next((b.terminator for b in region.blocks if b.terminator and not b.terminator.successors), None)
        values: Sequence[Value] = () if ended is None else ended.operands
        self._ended = [Value(v.type, region.blocks[0], -1) for v in values]
        self.outcome = c.slots(self._ended)

    def step(self, m: State) -> None:
        outer, place = m.active, np.zeros(m.batch.size, np.int64)
        if outer is not None:
            place[~outer] = len(self._blocks)
        while (number := int(place.min())) < len(self._blocks):
            here = place == number
            m.active = None if here.all() else here
            reached = m.run.meter.spend(1 + len(self._blocks[number].steps))
            if reached:
                words = f"goes from block to block for too long: {reached}"
                raise EvaluationLimit(failure(self._op, words).diagnostic)
            place[here] = self._run(m, self._blocks[number])[here]
        m.active = outer

    def _run(self, m: State, block: _Block) -> Array:
        """Where each owner goes on; what others hold of this block's values stays."""
        before = handed(m, block.made)
        run(block.steps, m)
        _keep(m, self._op, block.values, block.made, handed(m, block.made), before, m.active)
        if block.way is None:
            self._pass(m, self._ended, self.outcome, block.yielded, m.active)
            return np.full(m.batch.size, len(self._blocks))
        which = np.broadcast_to(block.way(m), m.batch.size)
        following = np.zeros(m.batch.size, np.int64)
        given = [handed(m, sources) for _, sources in block.targets]
        for number, ((target, _), new) in enumerate(zip(block.targets, given, strict=True)):
            taken = which == number if m.active is None else (which == number) & m.active
            following[which == number] = target
            if taken.any():
                arguments = self._blocks[target]
                mask = None if taken.all() else taken
                old = handed(m, arguments.arguments)
                _keep(m, self._op, arguments.parameters, arguments.arguments, new, old, mask)
        return following

    def _pass(self, m: State, values: list[Value], slots: list[int], sources: list[int], mask: Array | None) -> None:
        _keep(m, self._op, values, slots, handed(m, sources), handed(m, slots), mask)


class _Block:
    def __init__(self, block: Block, region: Region, c: Compiler) -> None:
        self.parameters, self.arguments = list(block.arguments), c.slots(block.arguments)
        self.steps, self.yielded = c.block(block)
        self.values = [result for op in block.operations for result in op.results]
        self.made = c.slots(self.values)
        last = block.terminator
        self.targets: list[tuple[int, list[int]]] = []
        self.way: Way | None = None
        if isinstance(last, cf.BranchOp):
            self.targets = [(region.blocks.index(target), c.slots(values)) for target, values in last.passed()]
            self.way = _way(last, c)


def _way(last: cf.BranchOp, c: Compiler) -> Way:
    if isinstance(last, cf.BrOp):
        return lambda m: np.zeros((), np.int64)
    decides = c.slot(last.operands[0])
    cases = last.cases if isinstance(last, cf.SwitchOp) else None

    def choose(m: State) -> Array:
        m.settle(last, [decides])
        value = np.asarray(m.values[decides])
        if cases is None:
            return np.where(value, 0, 1)
        return sum(((i + 1) * (value == case) for i, case in enumerate(cases)), np.zeros(value.shape, np.int64))

    return choose


def _keep(
    m: State, op: Operation, values: Sequence[Value], slots: list[int], new: Handed, old: Handed, mask: Array | None
) -> None:
    """Enters values of the owners in a mask; the others keep what they had, if they ever had any."""
    for value, slot, now, before in zip(values, slots, new, old, strict=True):
        if mask is not None and before[0] is not None and now[0] is not None:
            now = merged(op, value, mask, now, before)
        m.values[slot], m.doubts[slot] = now


@EVALUATE.of(scf.ExecuteRegionOp)
def _execute(op: scf.ExecuteRegionOp, c: Compiler) -> Step:
    steps, yielded = region_code(op.body_region, c)
    results = c.slots(op.results)

    def step(m: State) -> None:
        run(steps, m)
        bind(m, results, handed(m, yielded))

    return step


# -- affine -----------------------------------------------------------------------------------------------------------


def _numbers(map: AffineMap, values: Sequence[Value], c: Compiler) -> Callable[[State], list[Array]]:
    slots = c.slots(values)

    def evaluate(m: State) -> list[Array]:
        given = [np.asarray(m.values[i]) for i in slots]
        return [np.asarray(n, np.int64) for n in map.evaluate(given[: map.dims], given[map.dims :])]

    return evaluate


def _trips(lower: Array, upper: Array, step: Array | int) -> Array:
    return np.asarray(np.maximum(-((lower - upper) // step), 0))


@EVALUATE.of(AffineForOp)
def _affine_for(op: AffineForOp, c: Compiler) -> Step:
    lower = _numbers(op.lowerBoundMap.map, op.lowerBoundOperands, c)
    upper = _numbers(op.upperBoundMap.map, op.upperBoundOperands, c)
    bounds = c.slots([*op.lowerBoundOperands, *op.upperBoundOperands])
    by = op.step.value

    def counted(m: State) -> tuple[Array, Callable[[int], Array]]:
        m.settle(op, bounds)
        first, last = reduce(np.maximum, lower(m)), reduce(np.minimum, upper(m))
        return _trips(first, last, by), lambda i: np.asarray(first + i * by)

    return looped(op, c, op.body, c.slots(op.inits), counted)


@EVALUATE.of(AffineIfOp)
def _affine_if(op: AffineIfOp, c: Compiler) -> Step:
    set = op.condition.set
    values = _numbers(AffineMap(set.dims, set.symbols, set.constraints), op.operands_, c)

    def holds(m: State) -> Array:
        found = [n == 0 if equal else n >= 0 for n, equal in zip(values(m), set.equalities, strict=True)]
        return np.asarray(reduce(np.logical_and, found, np.ones((), np.bool_)))

    otherwise: Branch = c.block(op.else_block) if op.else_block is not None else ([], [])
    then = c.block(op.then_region.block)
    return branches(op, c, holds, c.slots(op.operands_), [(np.asarray, then)], otherwise)


# -- loops without an order -------------------------------------------------------------------------------------------


@EVALUATE.of(scf.ParallelOp)
def _parallel(op: scf.ParallelOp, c: Compiler) -> Step:
    """Iterations that meet in memory are reported. The last one is first where nothing is joined: where they meet
    otherwise, as in what they print, the threads' program differs. What is joined is joined in order: floats tell."""
    sides = [c.slots(side) for side in (op.lowerBound, op.upperBound, op.step)]
    inits, results, counters = c.slots(op.initVals), c.slots(op.results), c.slots(op.body.arguments)
    steps, yielded = c.block(op.body)
    joins = [(c.slots(join.block.arguments), *c.block(join.block)) for join in op.reduce.joins]

    def joined(m: State, total: Handed) -> Handed:
        new, found = handed(m, yielded), Handed()
        for before, value, (arguments, join, out) in zip(total, new, joins, strict=True):
            bind(m, arguments, [before, value])
            run(join, m)
            found += handed(m, out)
        return found

    def step(m: State) -> None:
        m.settle(op, [slot for side in sides for slot in side])
        lower, upper, by = ([np.asarray(m.values[slot]) for slot in side] for side in sides)
        if any(np.any(b < 1) for b in by):
            raise failure(op, f"needs positive steps, found {[int(np.min(b)) for b in by]}")
        trips = [_trips(*bounds) for bounds in zip(lower, upper, by, strict=True)]
        points = list(product(*(range(int(t.max())) for t in trips)))
        outer, total = m.active, handed(m, inits)
        loop = Unordered(op)
        if m.run.checks:
            m.unordered.append(loop)
        for number, point in enumerate(points if joins else points[::-1]):
            spend(m, op, 1 + len(steps), number)
            inside = reduce(np.logical_and, (i < t for i, t in zip(point, trips, strict=True)), np.ones((), np.bool_))
            live = None if inside.all() else np.broadcast_to(inside, m.batch.size)
            m.active = outer if live is None else live if outer is None else live & outer
            if m.active is not None and not m.active.any():
                continue
            for slot, first, i, each in zip(counters, lower, point, by, strict=True):
                m.values[slot] = np.asarray(first + i * each)
            loop.iteration = number + 1
            run(steps, m)
            total = chosen(op, live, joined(m, total), total)
        if m.run.checks:
            m.unordered.pop()
        m.active = outer
        bind(m, results, total)

    return step
