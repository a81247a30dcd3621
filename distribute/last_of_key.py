"""Which elements of a vector are the last of those with one key, where other threads have some of them.

Every element is compared with all after it: through shared memory, where a workgroup has it, else by asking each lane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ..ir.core import Block, Region, Value
from ..ir.dialects import arith, memref, scf
from ..ir.types import I1, I64, INDEX, Type
from ..layout.nested import NestedLayout
from .by_thread import digits_of, number
from .context import Distribution
from .indexing import elected
from .packing import Access, store
from .shuffle import from_thread
from .through_shared_memory import row_major_numbers, scratch

_NOBODY = -(1 << 63)
"""The key of what takes no part. As an index it would lead out of any memref."""


def latest(d: Distribution, layout: NestedLayout, keys: Sequence[Value], taking: Sequence[Value]) -> list[Value]:
    """Whether, for every register, it takes part and no later element that does has its key. Keys are integers."""
    nobody = d.build.constant(_NOBODY, I64)
    asked = [
        d.build.value(arith.SelectOp, takes, _as_i64(d, key), nobody) for key, takes in zip(keys, taking, strict=True)
    ]
    table, digits = row_major_numbers(layout, d.threads, d.subgroup_size), digits_of(d, layout)
    numbers = [number(d, table[:, register], digits) for register in range(layout.registers)]
    hidden = (_through_memory if d.exchanges else _through_lanes)(d, layout, asked, numbers)
    on = d.build.constant(1, I1)
    return [
        d.build.conjunction([takes, d.build.value(arith.XOrIOp, hides, on)])
        for takes, hides in zip(taking, hidden, strict=True)
    ]


def _as_i64(d: Distribution, key: Value) -> Value:
    casts: dict[bool, type[arith.IndexCastOp] | type[arith.ExtSIOp]] = {True: arith.IndexCastOp, False: arith.ExtSIOp}
    return key if key.type == I64 else d.build.value(casts[key.type == INDEX], key, types=[I64])


def _through_memory(
    d: Distribution, layout: NestedLayout, keys: Sequence[Value], numbers: Sequence[Value]
) -> list[Value]:
    elements = prod(layout.shape)
    buffer, writer = scratch(d, elements, I64), elected(d, layout)
    for place, key in dict(zip(numbers, keys, strict=True)).items():
        store(d, buffer, Access(((0,),), (place,), writer), [key])

    def others(at: Value) -> list[tuple[Value, Value]]:
        return [(d.build.value(memref.LoadOp, buffer, [at], types=[I64]), at)]

    return _hidden(d, elements, others, keys, numbers)


def _through_lanes(
    d: Distribution, layout: NestedLayout, keys: Sequence[Value], numbers: Sequence[Value]
) -> list[Value]:
    def others(lane: Value) -> list[tuple[Value, Value]]:
        return [(from_thread(d, k, lane), from_thread(d, n, lane)) for k, n in zip(keys, numbers, strict=True)]

    return _hidden(d, min(d.threads, d.subgroup_size), others, keys, numbers)


Others = Callable[[Value], Sequence[tuple[Value, Value]]]
"""Keys and numbers of some elements, for each iteration."""


def _hidden(
    d: Distribution, iterations: int, others: Others, keys: Sequence[Value], numbers: Sequence[Value]
) -> list[Value]:
    """Whether, for every register, one of the others has its key and a higher number."""
    build = d.build
    bounds = [build.constant(n) for n in (0, iterations, 1)]
    inits, types = [build.constant(0, I1)] * len(keys), list[Type]([I1] * len(keys))
    block = Block([INDEX, *types])
    loop = build.op(scf.ForOp, *bounds, inits, types=types, regions=[Region([block])])
    d.uniform.append(loop)
    at, *found = block.arguments
    with build.scope(block):
        for key, place in others(at):
            for register, (own, here) in enumerate(zip(keys, numbers, strict=True)):
                hides = build.conjunction([build.compare("eq", own, key), build.compare("slt", here, place)])
                found[register] = build.value(arith.OrIOp, found[register], hides)
        build.op(scf.YieldOp, found)
    return list(loop.results)
