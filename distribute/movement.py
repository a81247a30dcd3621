"""Carries out the plans of `layout/conversion.py`: the registers of a target from those of a source."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Value
from ..ir.dialects import arith
from ..ir.reindex import Reindex
from ..ir.types import bit_width
from ..layout.banks import banks_of
from ..layout.conversion import plan_movement
from ..layout.nested import NestedLayout
from ..layout.plan import LaneProgram, Nothing, Pack, Part, Plan, Rename, Select, Send, SharedMemory, Shuffle, Step
from .by_thread import digits_of, number
from .context import Distribution
from .shared_memory import Exchange, exchange
from .shuffle import from_lanes, from_thread


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
    plan = plan_movement(
        source,
        target,
        f,
        threads=d.threads,
        subgroup_size=d.subgroup_size,
        element_bits=max(8, bit_width(scalars[0].type)),
        allow_shared=d.exchanges,
        force_shared=force_shared,
        banks=banks_of(d.chip),
        shared_bytes=d.shared_bytes,
    )
    return carry_out(d, plan, Exchange(source, target, f), scalars)


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
