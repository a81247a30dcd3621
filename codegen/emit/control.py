"""scf, cf: loops and branches as basic blocks and phis."""

from __future__ import annotations

from collections.abc import Sequence

from ...analysis.held_in_loops import holds_invariants
from ...ir.core import Block, Value
from ...ir.dialects import cf, scf
from ...ir.effects import accesses
from ...support.named_tuples import NamedTuple
from . import integers
from .emission import Emission
from .emit_rules import EMIT
from .region_values import bind, parts_of
from .text import INTEGER_BITS, OpenPhi, Ssa, integer

_COMPARED = {False: ("slt", "nsw"), True: ("ult", "nuw")}
"""By whether a loop is unsigned: "less than", and what its counter does not do."""

EMIT.needless("written with the loop or the branch that it ends", scf.YieldOp, scf.ConditionOp)


@EMIT.of(scf.ForOp)
def _for(em: Emission, op: scf.ForOp) -> None:
    """A loop tested at its end: the body runs when lower < upper, and again while iv < upper - step.

    That comparison is exact where iv + step would overflow; upper - step itself is clamped. Where 32 bits count, iv +
    step < upper is exact, too, and needs iv no longer than the sum: one register counts.
    """
    less, no_wrap = _COMPARED[op.is_unsigned]
    lower, upper, step = em.scalars([op.lower_bound, op.upper_bound, op.step])
    words = _counts_words(em, op, lower, upper, step)
    if words:
        lower, upper, step = (integers.low_word(em.w, v) for v in (lower, upper, step))
    inits = parts_of(em, op.init_args)
    enter = integers.compare(em.w, less, lower, upper)
    if enter.number == 0:
        bind(em, op.results, inits)
        return
    if words:
        bounds = _Bounds(lower, step, "nuw", "ult", upper, compares_next=True)
    else:
        limit = _limit_unsigned(em, upper, step) if op.is_unsigned else _limit(em, lower, upper, step)
        bounds = _Bounds(lower, step, no_wrap, less, limit, compares_next=False)
    before, body, done = em.w.block, em.w.label(), em.w.label()
    if enter.number is None:
        em.w.branch(enter, body, done)
    else:
        em.w.jump(body)
    last, yielded = _loop_body(em, op, body, done, before, bounds, inits)
    em.w.start(done)
    if enter.number is None:
        yielded = [em.w.phi([(i, before), (y, last)]) for i, y in zip(inits, yielded, strict=True)]
    bind(em, op.results, yielded)


class _Bounds(NamedTuple):
    """Bounds of the numbers of iterations: another one follows where this number, or the next, compares so with
    `limit`."""

    lower: Ssa
    step: Ssa
    no_wrap: str
    less: str
    limit: Ssa
    compares_next: bool


def _loop_body(
    em: Emission,
    op: scf.ForOp,
    body: str,
    done: str,
    before: str,
    bounds: _Bounds,
    inits: list[Ssa],
) -> tuple[str, list[Ssa]]:
    """Writes the body from its label to the branch back; gives its last block and what it yields."""
    w, lower, step = em.w, bounds.lower, bounds.step
    em.machine.enter_loop(em, op)
    with w.loop(holds=holds_invariants(op, em.chip.vendor)):
        w.start(body)
        phis = [w.open_phi(v.type) for v in (lower, *inits)]
        counter = phis[0].value
        w.know(counter, em.integers.range(op.induction_variable))
        if w.is_uniform(lower) and w.is_uniform(step):
            w.mark_uniform(counter)
        number = integers.resize(w, counter, em.type(op.induction_variable.type), signed=False)
        bind(em, op.body.arguments, [number, *(p.value for p in phis[1:])])
        em.block_without_terminator(op.body)
        yielded = _carried(em, op.yielded)
        following = w.pure(f"add {bounds.no_wrap} {counter}, {step.text}", counter.type)
        em.machine.leave_iteration(em, op)
        last, compared = w.block, following if bounds.compares_next else counter
        w.branch(integers.compare(w, bounds.less, compared, bounds.limit), body, done, back=True)
    _close(em, phis, before, [lower, *inits], last, [following, *yielded])
    return last, yielded


def _carried(em: Emission, values: Sequence[Value]) -> list[Ssa]:
    """What an iteration hands to the next. LLVM's combining would make loads that are only handed on loads of the next
    iteration, just before what uses them; it does not see them behind a `freeze`, which is no instruction."""
    found: list[Ssa] = []
    for value in values:
        for part in parts_of(em, [value]):
            found.append(em.w.pure(f"freeze {part}", part.type) if _is_read(value) else part)
    return found


def _is_read(value: Value) -> bool:
    op = value.operation
    while op is not None and (moved := op.operands[op.moves]):
        op = moved[0].operation
    return op is not None and any(access.reads for access in accesses(op))


def _counts_words(em: Emission, op: scf.ForOp, lower: Ssa, upper: Ssa, step: Ssa) -> bool:
    """Whether 32 bits count it: from 0 at least, to what is known to be small."""
    small = step.number is not None and 0 < step.number < integers.WORD_LIMIT
    return small and lower.type == "i64" and integers.is_word(em.w, lower, upper)


def _close(
    em: Emission, phis: Sequence[OpenPhi], before: str, inits: list[Ssa], last: str, following: list[Ssa]
) -> None:
    for phi, init, value in zip(phis, inits, following, strict=True):
        em.w.close(phi, [(init, before), (value, last)])


def _limit(em: Emission, lower: Ssa, upper: Ssa, step: Ssa) -> Ssa:
    """upper - step, clamped to the least number; nothing is below that."""
    w, type = em.w, upper.type
    if lower.number is not None and lower.number >= 0:  # inside the loop upper > 0, so nothing overflows
        return integers.sub(w, upper, step)
    least = integer(1 << (INTEGER_BITS[type] - 1), type)
    low = integers.compare(w, "slt", upper, integers.add(w, least, step))
    return integers.select(w, low, least, integers.sub(w, upper, step))


def _limit_unsigned(em: Emission, upper: Ssa, step: Ssa) -> Ssa:
    """upper - step, clamped to zero, below which nothing is."""
    low = integers.compare(em.w, "ult", upper, step)
    return integers.select(em.w, low, integer(0, upper.type), integers.sub(em.w, upper, step))


@EMIT.of(scf.IfOp)
def _if(em: Emission, op: scf.IfOp) -> None:
    condition = em.scalar(op.condition)
    if condition.number is not None:
        chosen = op.then_block if condition.number else op.else_block
        if chosen is not None:
            em.block_without_terminator(chosen)
            _forward(em, op.results, chosen)
        return
    w = em.w
    yes, no, done = w.label(), w.label() if op.else_block else "", w.label()
    before = w.block
    w.branch(condition, yes, no or done)
    arms = [_arm(em, yes, op.then_block, done)]
    arms.append(_arm(em, no, op.else_block, done) if op.else_block else (before, []))
    w.start(done)
    (first, a), (second, b) = arms
    bind(em, op.results, [w.phi([(x, first), (y, second)]) for x, y in zip(a, b, strict=False)])


@EMIT.of(cf.AssertOp)
def _assert(em: Emission, op: cf.AssertOp) -> None:
    """A thread that finds it wrong stops the kernel. The machine text names the line; the message stands there."""
    w, condition = em.w, em.scalar(op.arg)
    if condition.number == 1:
        return
    right = w.label()
    w.branch(condition, right, em.stops.label())
    w.start(right)


@EMIT.of(scf.IndexSwitchOp)
def _switch(em: Emission, op: scf.IndexSwitchOp) -> None:
    number, chosen = em.scalar(op.arg), dict(zip(op.cases, op.case_blocks, strict=True))
    if number.number is not None:
        block = chosen.get(number.number, op.default_block)
        em.block_without_terminator(block)
        _forward(em, op.results, block)
        return
    w = em.w
    blocks = [op.default_block, *op.case_blocks]
    labels, done = [w.label() for _ in blocks], w.label()
    w.switch(number, labels[0], list(zip(op.cases, labels[1:], strict=True)))
    arms = [_arm(em, label, block, done) for label, block in zip(labels, blocks, strict=True)]
    w.start(done)
    columns = zip(*(values for _, values in arms), strict=True)
    lasts = [last for last, _ in arms]
    bind(em, op.results, [w.phi(list(zip(column, lasts, strict=True))) for column in columns])


@EMIT.of(scf.WhileOp)
def _while(em: Emission, op: scf.WhileOp) -> None:
    """The first region is the loop's head, from which the second and the end are reached."""
    w = em.w
    inits, before = parts_of(em, op.inits), w.block
    head, body, done = w.label(), w.label(), w.label()
    w.jump(head)
    em.machine.enter_loop(em, op)
    with w.scope():
        w.start(head)
        phis = [w.open_phi(v.type) for v in inits]
        bind(em, op.before.arguments, [p.value for p in phis])
        em.block_without_terminator(op.before)
        handed = parts_of(em, op.condition.args)
        w.branch(em.scalar(op.condition.condition), body, done)
        w.start(body)
        bind(em, op.after.arguments, handed)
        em.block_without_terminator(op.after)
        yielded, last = _carried(em, op.yielded), w.block
        w.jump(head)
    _close(em, phis, before, inits, last, yielded)
    w.start(done)
    bind(em, op.results, handed)


def _arm(em: Emission, label: str, block: Block, done: str) -> tuple[str, list[Ssa]]:
    """Writes one region; gives its last block and what it yields."""
    with em.w.scope():
        em.w.start(label)
        em.block_without_terminator(block)
        yielded = parts_of(em, block.terminator.operands if block.terminator else [])
        last = em.w.block
        em.w.jump(done)
    return last, yielded


def _forward(em: Emission, results: Sequence[Value], block: Block) -> None:
    assert block.terminator is not None
    for result, value in zip(results, block.terminator.operands, strict=True):
        em.alias(result, value)
