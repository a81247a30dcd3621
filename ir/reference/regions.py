"""What the reference makes of control flow that the layers below meet only in other words (`ir/expand`).

The meaning stands here on its own, so that a comparison of executors tests the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from ..affine import AffineMap
from ..core import Block, Region, Value
from ..dialects import cf, scf
from ..dialects.affine_loops import AffineForOp, AffineIfOp
from ..numerics import Array
from .control import Control, branched, move
from .errors import EvaluationLimit, failure
from .program import CONTROL, OWNER, Code, Compiler, Frame, Waiting, settle

KEPT = frozenset({AffineForOp, AffineIfOp, scf.ExecuteRegionOp, scf.ParallelOp, cf.BrOp, cf.CondBrOp, cf.SwitchOp})
"""The classes that have a rule here."""


# -- blocks that branch -----------------------------------------------------------------------------------------------


def code_of(region: Region, compiler: Compiler) -> Code:
    """A region of one block, or of several that branch: from block to block, until one ends the region."""
    if len(region.blocks) == 1:
        return compiler.block(region.block)
    codes = {block: compiler.block(block) for block in region.blocks}
    ways = {block: _way(block, compiler) for block in region.blocks}
    ends = [b.terminator for b in region.blocks if b.terminator is not None and not b.terminator.successors]
    outcome = compiler.slots([Value(v.type, region.blocks[0], -1) for v in ends[0].operands] if ends else [])
    owner = region.parent
    assert owner is not None

    def following(frame: Frame, block: Block) -> Block | None:
        """Where it goes on, with the values that are passed; None where the region ends."""
        if frame[OWNER].meter.spend(1 + len(codes[block].steps)):
            raise EvaluationLimit(failure(owner, "goes from block to block for too long").diagnostic)
        way = ways[block]
        if way is None:
            move(frame, codes[block].yielded, outcome)
            return None
        target, values = way(frame)
        move(frame, values, codes[target].arguments)
        return target

    def plain(frame: Frame) -> None:
        block: Block | None = region.blocks[0]
        while block is not None:
            codes[block].run(frame)
            block = following(frame, block)

    def waiting(frame: Frame) -> Waiting:
        block: Block | None = region.blocks[0]
        while block is not None:
            yield from codes[block].run_waiting(frame)
            block = following(frame, block)

    waits = any(code.waits for code in codes.values())
    return Code(codes[region.blocks[0]].arguments, (((waiting if waits else plain), waits),), outcome, waits)


Way = Callable[[Frame], tuple[Block, Sequence[int]]]


def _way(block: Block, compiler: Compiler) -> Way | None:
    """Which block a branch goes on to, and the slots of what it passes."""
    last = block.terminator
    if not isinstance(last, cf.BranchOp):
        return None
    targets = [(target, compiler.slots(values)) for target, values in last.passed()]
    if isinstance(last, cf.BrOp):
        return lambda frame: targets[0]
    decides, cases = compiler.slot(last.operands[0]), last.cases if isinstance(last, cf.SwitchOp) else None

    def choose(frame: Frame) -> tuple[Block, Sequence[int]]:
        settle(last, frame, [decides])
        number = int(frame[decides])
        if cases is None:
            return targets[0 if number else 1]
        return targets[cases.index(number) + 1 if number in cases else 0]

    return choose


@CONTROL.of(scf.ExecuteRegionOp)
def _execute(op: scf.ExecuteRegionOp, compiler: Compiler) -> Control:
    code, results = code_of(op.body_region, compiler), compiler.slots(op.results)

    def plain(frame: Frame) -> None:
        code.run(frame)
        move(frame, code.yielded, results)

    def waiting(frame: Frame) -> Waiting:
        yield from code.run_waiting(frame)
        move(frame, code.yielded, results)

    return (waiting, True) if code.waits else (plain, False)


# -- affine -----------------------------------------------------------------------------------------------------------


def _numbers(map: AffineMap, values: Sequence[Value], compiler: Compiler) -> Callable[[Frame], list[int]]:
    """The results of a map, as Python integers."""
    slots = compiler.slots(values)

    def evaluate(frame: Frame) -> list[int]:
        given = [int(frame[i]) for i in slots]
        return [int(n) for n in map.evaluate(given[: map.dims], given[map.dims :])]

    return evaluate


@CONTROL.of(AffineForOp)
def _affine_for(op: AffineForOp, compiler: Compiler) -> Control:
    lower = _numbers(op.lowerBoundMap.map, op.lowerBoundOperands, compiler)
    upper = _numbers(op.upperBoundMap.map, op.upperBoundOperands, compiler)
    bounds = compiler.slots([*op.lowerBoundOperands, *op.upperBoundOperands])
    inits, results = compiler.slots(op.inits), compiler.slots(op.results)
    body = compiler.block(op.body)
    counter, *carried = body.arguments

    def begin(frame: Frame) -> range:
        settle(op, frame, bounds)
        move(frame, inits, carried)
        return range(max(lower(frame)), min(upper(frame)), op.step.value)

    def count(frame: Frame, number: int) -> None:
        reached = frame[OWNER].meter.spend(1 + len(body.steps))
        if reached:
            raise EvaluationLimit(failure(op, reached).diagnostic)
        frame[counter], frame[-counter] = np.array(number, np.int64), None

    def plain(frame: Frame) -> None:
        for number in begin(frame):
            count(frame, number)
            body.run(frame)
            move(frame, body.yielded, carried)
        move(frame, carried, results)

    def waiting(frame: Frame) -> Waiting:
        for number in begin(frame):
            count(frame, number)
            yield from body.run_waiting(frame)
            move(frame, body.yielded, carried)
        move(frame, carried, results)

    return (waiting, True) if body.waits else (plain, False)


@CONTROL.of(AffineIfOp)
def _affine_if(op: AffineIfOp, compiler: Compiler) -> Control:
    set, slots = op.condition.set, compiler.slots(op.operands_)
    map = AffineMap(set.dims, set.symbols, set.constraints)
    values = _numbers(map, op.operands_, compiler)

    def holds(frame: Frame) -> Array:
        found = zip(values(frame), set.equalities, strict=True)
        return np.array(all(number == 0 if equal else number >= 0 for number, equal in found))

    return branched(op, compiler, (op.then_region.block, op.else_block), holds, slots)


# -- loops without an order -------------------------------------------------------------------------------------------


@CONTROL.of(scf.ParallelOp)
def _parallel(op: scf.ParallelOp, compiler: Compiler) -> Control:
    """The last iteration first where nothing is joined: where iterations meet, the threads' program differs. What is
    joined is joined in order, since floats tell."""
    sides = [compiler.slots(side) for side in (op.lowerBound, op.upperBound, op.step)]
    inits, results = compiler.slots(op.initVals), compiler.slots(op.results)
    body = compiler.block(op.body)
    joins = [compiler.block(join.block) for join in op.reduce.joins]

    def points(frame: Frame) -> list[tuple[int, ...]]:
        settle(op, frame, [slot for side in sides for slot in side])
        bounds = [[int(frame[slot]) for slot in side] for side in sides]
        if min(bounds[2]) < 1:
            raise failure(op, f"needs positive steps, found {bounds[2]}")
        move(frame, inits, results)
        found = list(product(*(range(*triple) for triple in zip(*bounds, strict=True))))
        return found if joins else found[::-1]

    def begin(frame: Frame, point: tuple[int, ...]) -> None:
        reached = frame[OWNER].meter.spend(1 + len(body.steps))
        if reached:
            raise EvaluationLimit(failure(op, reached).diagnostic)
        for slot, number in zip(body.arguments, point, strict=True):
            frame[slot], frame[-slot] = np.array(number, np.int64), None

    def end(frame: Frame) -> None:
        values = [(frame[slot], frame[-slot]) for slot in body.yielded]
        for result, join, (value, uncertainty) in zip(results, joins, values, strict=True):
            before, after = join.arguments
            move(frame, [result], [before])
            frame[after], frame[-after] = value, uncertainty
            join.run(frame)
            move(frame, join.yielded, [result])

    def plain(frame: Frame) -> None:
        for point in points(frame):
            begin(frame, point)
            body.run(frame)
            end(frame)

    def waiting(frame: Frame) -> Waiting:
        for point in points(frame):
            begin(frame, point)
            yield from body.run_waiting(frame)
            end(frame)

    assert not any(join.waits for join in joins), "joining two values waits for nobody"
    return (waiting, True) if body.waits else (plain, False)
