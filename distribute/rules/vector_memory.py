"""vector: loads and stores of slices, gathers and scatters; lanewise.update."""

from __future__ import annotations

from ...analysis.distinct_indices import has_distinct_elements
from ...ir.cache_hints import cache_hints
from ...ir.core import Block, Region, Value
from ...ir.dialects import arith, memref, scf, vector
from ...ir.dialects.lanewise_update import UpdateOp
from ...ir.dialects.vector_gather import GatherScatterOp
from ...ir.dialects.vector_memory import MemoryOp
from ...ir.types import INDEX
from ..context import Distribution, distributes
from ..indexing import elected
from ..last_of_key import latest
from ..packing import Access, Transfer, store
from ..transfers import in_order, read, write


@distributes(vector.LoadOp)
def _load(d: Distribution, op: vector.LoadOp) -> None:
    """There is nothing outside, so what would be there is never asked for."""
    transfer = _transfer(d, op, op.result_)
    nothing = d.build.constant(0, op.result_.type.element)
    d.set_like(op.result_, read(d, transfer, [nothing] * transfer.layout.registers))


@distributes(vector.MaskedLoadOp)
def _masked_load(d: Distribution, op: vector.MaskedLoadOp) -> None:
    d.set_like(op.result_, read(d, _transfer(d, op, op.result_), _flat(d, op.pass_thru)))


@distributes(vector.StoreOp)
def _store(d: Distribution, op: vector.StoreOp) -> None:
    write(d, _transfer(d, op, op.value), _flat(d, op.value))


@distributes(vector.MaskedStoreOp)
def _masked_store(d: Distribution, op: vector.MaskedStoreOp) -> None:
    write(d, _transfer(d, op, op.value), _flat(d, op.value))


def _transfer(d: Distribution, op: MemoryOp, value: Value) -> Transfer:
    indices = tuple(d.scalar(i) for i in op.indices)
    mask = None if op.mask_or_none is None else _flat(d, op.mask_or_none)
    first, inside = op.memref_type.rank - len(op.shape), op.in_bounds_flags
    vector_dim = {first + dim: dim for dim in range(len(op.shape))}
    buffer, layout, hints = d.scalar(op.memref), d.layout(value), cache_hints(op)
    return Transfer(buffer, indices, vector_dim, inside, layout, mask, alignment=op.alignment, hints=hints)


def _flat(d: Distribution, value: Value) -> list[Value]:
    return list(d.registers(value).reshape(-1))


@distributes(vector.GatherOp)
def _gather(d: Distribution, op: vector.GatherOp) -> None:
    layout, last = d.layout(op.result_), len(op.offsets) - 1
    offsets = tuple(d.scalar(offset) for offset in op.offsets)
    found = {last: [_as_index(d, i) for i in _flat(d, op.index_vec)]}
    inside = (True,) * layout.rank
    transfer = Transfer(d.scalar(op.base), offsets, {}, inside, layout, _flat(d, op.mask), found)
    d.set_like(op.result_, read(d, transfer, _flat(d, op.pass_thru)))


@distributes(vector.ScatterOp)
def _scatter(d: Distribution, op: vector.ScatterOp) -> None:
    """Each thread writes its elements in their order; of those in several threads only the last."""
    layout, values, places = d.layout(op.value), _flat(d, op.value), _places(d, op)
    conditions = _flat(d, op.mask)
    if layout.threads_used > 1 and not op.is_distinct and not has_distinct_elements(op.index_vec):
        conditions = latest(d, layout, _flat(d, op.index_vec), conditions)
    writer = elected(d, layout)
    for registers in in_order(layout):
        first = registers[0]
        condition = d.build.conjunction([conditions[first], writer])
        store(d, d.scalar(op.base), Access((registers,), places[first], condition), [values[first]])


@distributes(UpdateOp)
def _update(d: Distribution, op: UpdateOp) -> None:
    """Each thread updates the places of its elements one by one; of copies one thread those of all."""
    layout, values, places, conditions = d.layout(op.value), _flat(d, op.value), _places(d, op), _flat(d, op.mask)
    base, element, writer = d.scalar(op.base), op.value.type.element, elected(d, layout)
    for first, *_ in in_order(layout):
        condition, block = d.build.conjunction([conditions[first], writer]), Block()
        d.build.op(scf.IfOp, condition, types=[], regions=[Region([block]), Region()])
        with d.build.scope(block):
            d.build.op(memref.AtomicRMWOp, values[first], base, places[first], types=[element], kind=op.kind)
            d.build.op(scf.YieldOp, [])


def _places(d: Distribution, op: GatherScatterOp) -> list[tuple[Value, ...]]:
    """The places of every register."""
    *outer, last = (d.scalar(i) for i in op.offsets)
    return [(*outer, d.build.add(last, _as_index(d, i))) for i in _flat(d, op.index_vec)]


def _as_index(d: Distribution, value: Value) -> Value:
    return value if value.type == INDEX else d.build.value(arith.IndexCastOp, value, types=[INDEX])
