"""Carries out the plans of `layout/conversion.py`: the registers of a target from those of a source."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Operation, Value
from ..ir.dialects import arith
from ..ir.element_moves import reindexes
from ..ir.types import element_type
from ..layout.conversion import plan_in
from ..layout.nested import NestedLayout
from ..layout.plan import LaneProgram, Nothing, Pack, Part, Plan, Rename, Select, Send, SharedMemory, Shuffle, Step
from ..support.reindex import Reindex
from .by_thread import BoolArray, Digits, condition, digits_of, number
from .context import Distribution
from .shuffle import from_lanes, from_thread
from .through_shared_memory import Exchange, exchange, row_major_numbers


def move(
    d: Distribution,
    source: NestedLayout,
    target: NestedLayout,
    f: Reindex,
    scalars: Sequence[Value],
    *,
    force_shared: bool = False,
) -> list[Value]:
    """The target's registers; anything where f takes no element of this source."""
    plan = plan_in(d.workgroup, source, target, f, scalars[0].type, force_shared=force_shared)
    return carry_out(d, plan, Exchange(source, target, f), scalars)


def move_operation(d: Distribution, op: Operation) -> None:
    """The result of an operation that only moves elements: what each operand gives, put together."""
    target = _layout(d, op.results[0])
    digits = digits_of(d, target)
    numbers = row_major_numbers(target, d.threads, d.subgroup_size)
    results: list[Value | None] = [None] * target.registers
    for value, f in zip(op.operands, reindexes(op), strict=True):
        if f is None:
            continue
        moved = move(d, _layout(d, value), target, f, d.registers(value).reshape(-1).tolist())
        given = f.of(numbers) >= 0
        for register, (old, new) in enumerate(zip(results, moved, strict=True)):
            results[register] = _either(d, given[:, register], new, old, digits)
    poison = d.build.constant(0, element_type(op.results[0].type))
    d.set_like(op.results[0], [poison if result is None else result for result in results])


def _either(d: Distribution, given: BoolArray, new: Value, old: Value | None, digits: Digits) -> Value | None:
    """`new` in the threads that are given it; what others have does not matter where there is none."""
    if not given.any():
        return old
    hit = condition(d, given, digits)
    return new if old is None or given.all() else d.build.value(arith.SelectOp, hit, new, old)


def _layout(d: Distribution, value: Value) -> NestedLayout:
    """A scalar is a vector of no dimensions that every thread has."""
    return d.layout(value) if value.type.is_vector else NestedLayout.of_dimensions([])


def carry_out(d: Distribution, plan: Plan, way: Exchange, scalars: Sequence[Value]) -> list[Value]:
    match plan:
        case Nothing():
            return list(scalars)
        case Rename(registers=registers):
            return [scalars[r] for r in registers]
        case LaneProgram():
            return _lanes(d, plan, scalars)
        case Shuffle():
            return _shuffle(d, plan, way, scalars)
        case SharedMemory():
            return exchange(d, plan, way, scalars)


def _lanes(d: Distribution, plan: LaneProgram, scalars: Sequence[Value]) -> list[Value]:
    values: list[Value] = []
    for step in plan.steps:
        values.append(_STEPS[type(step)](d, step, values, scalars))
    return [values[result] for result in plan.results]


def _pack(d: Distribution, step: Pack, values: list[Value], scalars: Sequence[Value]) -> Value:
    if len(step.registers) == 1:
        return scalars[step.registers[0]]
    return d.build.pack([scalars[register] for register in step.registers])


def _part(d: Distribution, step: Part, values: list[Value], scalars: Sequence[Value]) -> Value:
    return d.build.unpack(values[step.value])[step.position]


def _select(d: Distribution, step: Select, values: list[Value], scalars: Sequence[Value]) -> Value:
    hit = d.build.compare("eq", d.digit(2, step.bit), 1)
    return d.build.value(arith.SelectOp, hit, values[step.yes], values[step.no])


def _send(d: Distribution, step: Send, values: list[Value], scalars: Sequence[Value]) -> Value:
    return from_lanes(d, values[step.value], step.lanes)


_STEPS: dict[type[Step], Callable[..., Value]] = {Pack: _pack, Part: _part, Select: _select, Send: _send}


def _shuffle(d: Distribution, plan: Shuffle, way: Exchange, scalars: Sequence[Value]) -> list[Value]:
    results: list[Value] = []
    digits = digits_of(d, way.source, way.target)
    for at, (candidates, local) in enumerate(zip(plan.candidates, plan.local, strict=True)):
        thread, register = (number(d, table[:, at], digits) for table in (plan.threads, plan.registers))
        moved = [scalars[c] if local else from_thread(d, scalars[c], thread) for c in candidates]
        chosen = moved[0]
        for candidate, value in zip(candidates[1:], moved[1:], strict=True):
            hit = d.build.compare("eq", register, candidate)
            chosen = d.build.value(arith.SelectOp, hit, value, chosen)
        results.append(chosen)
    return results
