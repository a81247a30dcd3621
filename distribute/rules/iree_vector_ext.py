"""iree_vector_ext.to_layout: the plan of `layout/conversion.py`, carried out."""

from __future__ import annotations

from ...ir.core import Value
from ...ir.dialects import arith, iree_vector_ext
from ...ir.types import VectorType, bit_width
from ...layout.conversion import Nothing, Rename, SharedMemory, Shuffle, plan_conversion
from ...layout.nested import NestedLayout
from ..context import DISTRIBUTE, Distribution, distributes
from ..indexing import coordinates
from ..shared_memory import exchange
from ..shuffle import from_thread


@distributes(iree_vector_ext.ToLayoutOp)
def _to_layout(d: Distribution, op: iree_vector_ext.ToLayoutOp) -> None:
    assert isinstance(op.input.type, VectorType)
    source, target = d.layout(op.input), d.layout(op.output)
    scalars: list[Value] = list(d.registers(op.input).reshape(-1))
    plan = plan_conversion(
        source,
        target,
        threads=d.threads,
        subgroup_size=d.subgroup_size,
        element_bits=max(8, bit_width(op.input.type.element)),
        allow_shared=d.exchanges,
        force_shared=op.shared_memory_conversion is not None,
    )
    match plan:
        case Nothing():
            results = scalars
        case Rename(registers=registers):
            results = [scalars[r] for r in registers]
        case Shuffle():
            results = _shuffle(d, plan, source, target, scalars)
        case SharedMemory():
            results = exchange(d, plan, source, target, scalars)
    d.set_like(op.output, results)


def _shuffle(
    d: Distribution, plan: Shuffle, source: NestedLayout, target: NestedLayout, scalars: list[Value]
) -> list[Value]:
    results: list[Value] = []
    for place, candidates, local in zip(coordinates(d, target), plan.candidates, plan.local, strict=True):
        thread, register = _holder(d, source, place)
        moved = [scalars[c] if local else from_thread(d, scalars[c], thread) for c in candidates]
        chosen = moved[0]
        for candidate, value in zip(candidates[1:], moved[1:], strict=True):
            hit = d.build.compare("eq", register, candidate)
            chosen = d.build.value(arith.SelectOp, hit, value, chosen)
        results.append(chosen)
    return results


def _holder(d: Distribution, layout: NestedLayout, place: list[Value]) -> tuple[Value, Value]:
    """The thread of the own replication group that holds an element of `layout`, and its register's number there."""
    build = d.build
    thread, levels = d.thread_id(), list[list[Value]]()
    strides = {(g.level, g.dim): g.stride for g in layout.thread_digits(d.subgroup_size)}
    for dim, x in enumerate(place):
        part = layout.dimension(dim)
        x, element = build.div(x, part.element), build.rem(x, part.element)
        x, vt = build.div(x, part.thread), build.rem(x, part.thread)
        x, outer = build.div(x, part.outer), build.rem(x, part.outer)
        x, batch = build.div(x, part.batch), build.rem(x, part.batch)
        wrap, vsg = build.div(x, part.subgroup), build.rem(x, part.subgroup)
        for level, size, wanted in (("thread", part.thread, vt), ("subgroup", part.subgroup, vsg)):
            if size > 1:
                stride = strides[level, dim]  # type: ignore[index]
                step = build.sub(wanted, d.digit(size, stride))
                thread = build.add(thread, build.mul(step, stride))
        levels.append([build.add(build.mul(wrap, part.batch), batch), outer, element])
    register = build.constant(0)
    flat = [levels[dim][level] for level in range(3) for dim in range(layout.rank)]
    for position, extent in zip(flat, layout.distributed_shape, strict=True):
        register = build.add(build.mul(register, extent), position)
    return build.bound(thread, d.threads), register


DISTRIBUTE.needless(
    "bridges to thread scope, which has no layouts to leave", iree_vector_ext.ToSIMDOp, iree_vector_ext.ToSIMTOp
)
