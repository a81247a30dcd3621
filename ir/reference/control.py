"""Control flow of the reference: scf, and the operations at which owners meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import Block, Operation
from ..dialects import cf, gpu, memref, scf
from ..numerics import Array, dtype_of
from .errors import EvaluationLimit, failure
from .program import CONTROL, OWNER, WAIT, Code, Compiler, Frame, Meeting, Waiting, Waits, is_settled, settle
from .uncertainty import Maybe, doubtful

Control = tuple[Callable[[Frame], Any], bool]


@CONTROL.of(scf.ForOp)
def _for(op: scf.ForOp, compiler: Compiler) -> Control:
    bounds = compiler.slots([op.lower_bound, op.upper_bound, op.step])
    inits, results = compiler.slots(op.init_args), compiler.slots(op.results)
    body = compiler.block(op.body)
    counter, *carried = body.arguments
    dtype = dtype_of(op.lower_bound.type)
    bits = np.dtype(f"u{dtype.itemsize}") if op.is_unsigned else dtype

    def numbers(frame: Frame) -> range:
        """The induction variable's values: exact, so that the last step cannot wrap."""
        lower, upper, step = (op.reading(int(frame[i])) for i in bounds)
        if step <= 0:
            raise failure(op, f"needs a positive step, found {step}")
        frame[-counter] = None
        settle(op, frame, bounds)
        return range(lower, upper, step)

    def spend(frame: Frame) -> None:
        reached = frame[OWNER].meter.spend(1 + len(body.steps))
        if reached:
            raise EvaluationLimit(failure(op, reached).diagnostic)

    def plain(frame: Frame) -> None:
        move(frame, inits, carried)
        for number in numbers(frame):
            spend(frame)
            frame[counter] = np.array(number, bits).view(dtype)
            body.run(frame)
            move(frame, body.yielded, carried)
        move(frame, carried, results)

    def waiting(frame: Frame) -> Waiting:
        move(frame, inits, carried)
        for number in numbers(frame):
            spend(frame)
            frame[counter] = np.array(number, bits).view(dtype)
            yield from body.run_waiting(frame)
            move(frame, body.yielded, carried)
        move(frame, carried, results)

    return (waiting, True) if body.waits else (plain, False)


def move(frame: Frame, sources: Sequence[int], targets: Sequence[int]) -> None:
    """Copies all at once, since a loop may exchange its values."""
    values = [(frame[i], frame[-i]) for i in sources]
    for slot, (value, uncertainty) in zip(targets, values, strict=True):
        frame[slot], frame[-slot] = value, uncertainty


@CONTROL.of(scf.IfOp)
def _if(op: scf.IfOp, compiler: Compiler) -> Control:
    condition = compiler.slot(op.condition)
    return branched(op, compiler, (op.then_block, op.else_block), lambda frame: frame[condition], (condition,))


def branched(
    op: Operation,
    compiler: Compiler,
    blocks: tuple[Block, Block | None],
    holds: Callable[[Frame], Array],
    decides: Sequence[int],
) -> Control:
    """One of two blocks, as `holds` says; `decides` are the slots of what it looks at."""
    results = compiler.slots(op.results)
    then, otherwise = blocks
    branches = (
        compiler.block(otherwise) if otherwise is not None else Code((), (), (), False),
        compiler.block(then),
    )

    has_effects = _has_effects(op)

    def finish(frame: Frame, branch: Code) -> None:
        """Either branch may have been right where the condition is undecided."""
        move(frame, branch.yielded, results)
        if not is_settled(frame, decides):
            for slot in results:
                frame[-slot] = doubtful(np.ones(np.shape(frame[slot]), np.bool_))
            if has_effects:
                settle(op, frame, decides)

    def plain(frame: Frame) -> None:
        branch = branches[bool(holds(frame))]
        branch.run(frame)
        finish(frame, branch)

    def waiting(frame: Frame) -> Waiting:
        branch = branches[bool(holds(frame))]
        yield from branch.run_waiting(frame)
        finish(frame, branch)

    return (waiting, True) if any(b.waits for b in branches) else (plain, False)


@CONTROL.of(cf.AssertOp)
def _assert(op: cf.AssertOp, compiler: Compiler) -> Control:
    arg = compiler.slot(op.arg)

    def step(frame: Frame) -> None:
        settle(op, frame, [arg])
        if not frame[arg]:
            raise failure(op, f"does not hold: {op.msg.value}")

    return step, False


@CONTROL.of(scf.IndexSwitchOp)
def _switch(op: scf.IndexSwitchOp, compiler: Compiler) -> Control:
    arg, results = compiler.slot(op.arg), compiler.slots(op.results)
    default = compiler.block(op.default_block)
    cases = dict(zip(op.cases, map(compiler.block, op.case_blocks), strict=True))
    has_effects = _has_effects(op)

    def finish(frame: Frame, branch: Code) -> None:
        move(frame, branch.yielded, results)
        if frame[-arg] is not None:
            for slot in results:
                frame[-slot] = doubtful(np.ones(np.shape(frame[slot]), np.bool_))
            if has_effects:
                settle(op, frame, [arg])

    def plain(frame: Frame) -> None:
        branch = cases.get(int(frame[arg]), default)
        branch.run(frame)
        finish(frame, branch)

    def waiting(frame: Frame) -> Waiting:
        branch = cases.get(int(frame[arg]), default)
        yield from branch.run_waiting(frame)
        finish(frame, branch)

    return (waiting, True) if any(b.waits for b in (default, *cases.values())) else (plain, False)


@CONTROL.of(scf.WhileOp)
def _while(op: scf.WhileOp, compiler: Compiler) -> Control:
    inits, results = compiler.slots(op.inits), compiler.slots(op.results)
    before, after = compiler.block(op.before), compiler.block(op.after)
    condition, *handed = before.yielded

    def spend(frame: Frame) -> None:
        reached = frame[OWNER].meter.spend(1 + len(before.steps) + len(after.steps))
        if reached:
            raise EvaluationLimit(failure(op, reached).diagnostic)

    def goes_on(frame: Frame) -> bool:
        spend(frame)
        settle(op, frame, [condition])
        move(frame, handed, after.arguments)
        return bool(frame[condition])

    def plain(frame: Frame) -> None:
        move(frame, inits, before.arguments)
        before.run(frame)
        while goes_on(frame):
            after.run(frame)
            move(frame, after.yielded, before.arguments)
            before.run(frame)
        move(frame, handed, results)

    def waiting(frame: Frame) -> Waiting:
        move(frame, inits, before.arguments)
        yield from before.run_waiting(frame)
        while goes_on(frame):
            yield from after.run_waiting(frame)
            move(frame, after.yielded, before.arguments)
            yield from before.run_waiting(frame)
        move(frame, handed, results)

    return (waiting, True) if before.waits or after.waits else (plain, False)


def _has_effects(op: Operation) -> bool:
    """Whether something in its regions is there for more than its results."""
    inner = (other for other in op.walk() if other is not op and not other.terminator)
    return any(not other.results or isinstance(other, memref.AtomicRMWOp) for other in inner)


@WAIT.of(gpu.BarrierOp)
def _barrier(op: gpu.BarrierOp, compiler: Compiler) -> Waits:
    def step(frame: Frame) -> Waiting:
        yield Meeting(op)

    return step


@WAIT.of(gpu.ShuffleOp, gpu.SubgroupReduceOp)
def _exchange(op: gpu.ShuffleOp | gpu.SubgroupReduceOp, compiler: Compiler) -> Waits:
    inputs, outputs = compiler.slots(op.operands), compiler.slots(op.results)

    def step(frame: Frame) -> Waiting:
        payload, uncertainties = tuple(frame[i] for i in inputs), tuple(frame[-i] for i in inputs)
        received: list[tuple[Array, Maybe]] = yield Meeting(op, payload, uncertainties)
        for slot, (value, uncertainty) in zip(outputs, received, strict=True):
            frame[slot], frame[-slot] = value, uncertainty

    return step
