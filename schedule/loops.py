"""What the passes ask of a loop and do to it: what a place depends on, and carrying more between iterations."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from ..analysis.buffers import Buffers
from ..analysis.iterations import counted, is_inside
from ..ir.cloning import clone
from ..ir.core import Before, Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.longhand import constant
from ..ir.dialects.vector import TransferReadOp
from ..ir.effects import accesses
from ..ir.types import Type

BOUNDS = 3
"""Operands of a loop before what it carries."""


def loops_around(op: Operation) -> list[scf.ForOp] | None:
    """The loops around a function's operation, the innermost first; None where it stands in something else, too."""
    found, around = list[scf.ForOp](), op.enclosing()
    while around is not None and not isinstance(around, FunctionLike):
        if not isinstance(around, scf.ForOp):
            return None
        found.append(around)
        around = around.enclosing()
    return found


def makers(values: Sequence[Value], loop: scf.ForOp) -> list[Operation] | None:
    """The operations of the body that compute `values` from the induction variable and what is outside, in order; None
    where they depend on more: on what the loop carries, or on memory."""
    found: dict[Operation, None] = {}
    pending = list(values)
    while pending:
        value = pending.pop()
        if value is loop.induction_variable or not is_inside(value, loop):
            continue
        op = value.operation
        if op is None or not op.pure or op.regions or op.parent is not loop.body:
            return None
        found[op] = None
        pending += op.operands
    return sorted(found, key=loop.body.position)


def counts(loop: scf.ForOp, op: Operation, places: Sequence[Operation]) -> bool:
    """Whether what `places` compute for `op`, or one of its operands, depends on the iteration's number."""
    return any(loop.induction_variable in maker.operands for maker in (op, *places))


@contextmanager
def made_for(build: Builder, op: Operation) -> Generator[None]:
    """What is built meanwhile stands where `op` does, for which it is made."""
    before, build.location = build.location, op
    yield
    build.location = before


def copied(build: Builder, operations: Sequence[Operation], known: Mapping[Value, Value]) -> dict[Value, Value]:
    """Appends copies of operations, of `known` instead of some values; returns what became of every value."""
    values = dict(known)
    for op in operations:
        build.append(clone(op, values))
    return values


def carry(loop: scf.ForOp, starts: Sequence[Value]) -> tuple[scf.ForOp, list[Value]]:
    """The same loop, carrying more values that begin as `starts`, and their arguments of its body; `hand_on` has to
    yield them."""
    arguments = [loop.body.add_argument(start.type, start.hint) for start in starts]
    regions, loop.regions = loop.regions, []
    operands = [*loop.operands, *starts]
    made = scf.ForOp(operands, [v.type for v in operands[3:]], loop.attributes, regions, loop)
    block = loop.parent
    assert block is not None
    block.insert(block.position(loop), made)
    for old, new in zip(loop.results, made.results, strict=False):
        new.hint = old.hint
        old.replace_uses(new)
    block.erase(loop)
    return made, arguments


def where_it_runs(loop: scf.ForOp, types: Sequence[Type], make: Callable[[Builder], Sequence[Value]]) -> list[Value]:
    """Values of these types that are made in front of a loop if it has an iteration, in a branch; zeros if not."""
    front = Before(loop)
    some, inner, other = has_iterations(front, loop), Block(), Block()
    build = Builder(inner, loop)
    build.op(scf.YieldOp, list(make(build)), types=[])
    build = Builder(other, loop)
    build.op(scf.YieldOp, [constant(build, 0, type) for type in types], types=[])
    return list(front.op(scf.IfOp, some, types=list(types), regions=[Region([inner]), Region([other])]).results)


def has_iterations(build: Builder, loop: scf.ForOp) -> Value:
    """Whether it begins before its end."""
    less = IntegerPredicateAttr("ult" if loop.is_unsigned else "slt")
    return build.value(arith.CmpIOp, loop.lower_bound, loop.upper_bound, predicate=less)


def hand_on(loop: scf.ForOp, values: Sequence[Value]) -> None:
    """Yields `values` besides what is yielded."""
    last = loop.body.terminator
    assert last is not None
    last.set_operands([*last.operands, *values])


def loops(function: Operation) -> list[scf.ForOp]:
    """The loops that all threads of the workgroup run together, the inner ones first; none that is known to end before
    its first iteration."""
    found = [op for op in function.all_of(scf.ForOp) if _is_together(op, function)]
    return [loop for loop in reversed(found) if counted(loop) != range(0)]


def _is_together(op: Operation, function: Operation) -> bool:
    around = op.enclosing()
    while around is not None and around is not function:
        if not isinstance(around, (scf.ForOp, scf.IfOp)):
            return False
        around = around.enclosing()
    return True


def reads(loop: scf.ForOp) -> list[TransferReadOp]:
    """What an iteration reads, not in loops or branches of its own."""
    return [op for op in loop.body.operations if isinstance(op, TransferReadOp)]


def written(loop: Operation, buffers: Buffers) -> frozenset[Value]:
    """The buffers that the loop may write."""
    return frozenset(b for op in loop.walk() for a in accesses(op) if a.writes for b in buffers.of(a.memref))
