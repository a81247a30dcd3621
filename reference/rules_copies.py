"""Rules for asynchronous copies: they land when their owner waits for them, and nobody touches what they write before.

What is read is read twice, when the copy is issued and when it lands: whoever writes it in between is in a race.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from ..ir.core import Operation
from ..ir.dialects import lanewise_async, nvgpu_async
from ..ir.numerics import Array
from ..ir.types import memory_bits
from ..support.dataclasses import dataclass
from .accesses import check_write, clear_flight, enter_flight, gather, read, read_doubt, write, write_doubt
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .memory import Access, MemRef, Site, Window, locate
from .rules_async_groups import TOKEN, groups_of


class Touched(Protocol):
    """One memory of a copy, with the numbers that it has when the copy is issued."""

    def access(self, m: State, owners: Array, mask: Array | None = None) -> Access: ...


@dataclass(frozen=True, eq=False)
class Side:
    """One memref of a copy: where it is touched, and how."""

    site: Site
    memref: int
    indices: Sequence[int]
    window: Window
    alignment: int | None

    def at(self, m: State) -> Placed:
        return Placed(self, m.values[self.memref], [m.values[i] for i in self.indices])


@dataclass(frozen=True, eq=False)
class Placed:
    """A memref of a copy with the numbers that it has when the copy is issued."""

    side: Side
    memref: MemRef
    indices: Sequence[Array]

    def access(self, m: State, owners: Array, mask: Array | None = None) -> Access:
        side = self.side
        return locate(m, side.site, self.memref, self.indices, side.window, mask, side.alignment, owners)


def _copy(
    c: Compiler,
    op: nvgpu_async.GroupedCopyOp,
    windows: tuple[Window, Window],
    alignment: int | None,
    mask_of: Callable[[State], Array | None],
) -> Step:
    source = Side(c.site(op, "reads"), c.slot(op.src), c.slots(op.srcIndices), windows[0], alignment)
    target = Side(c.site(op, "writes"), c.slot(op.dst), c.slots(op.dstIndices), windows[1], alignment)
    numbers = c.slots([v for v in op.operands if v not in (op.src, op.dst)])
    out = c.slot(op.asyncToken)

    def step(m: State) -> None:
        m.settle(op, numbers)
        begin(m, op, source.at(m), target.at(m), mask_of(m))
        m.values[out] = TOKEN

    return step


def begin(
    m: State,
    op: Operation,
    origin: Touched,
    place: Touched,
    mask: Array | None = None,
    *,
    writes: Array | None = None,
    owners: Array | None = None,
    ends_group: bool = True,
) -> None:
    """A copy of the active owners, or of these, is under way, until they wait for it: of `mask` elements, to the
    elements that it `writes`."""
    present = m.present() if owners is None else owners
    held = gather(m, origin.access(m, present, mask))
    written = place.access(m, present, writes)
    check_write(m, written)
    enter_flight(m, written)

    def land(owners: Array) -> None:
        if not np.array_equal(_bits(gather(m, origin.access(m, present, mask))), _bits(held)):
            words = "copies what was written while the copy was under way: nobody had waited for it"
            raise failure(op, f"{m.at(int(owners[0]))}{words}")
        _land(m, origin.access(m, owners, mask), place.access(m, owners, writes))

    assert op.begins is not None
    groups = groups_of(m, op, op.begins)
    groups.begin(present, land)
    if ends_group and not op.begins.committed:
        groups.end_group(present)


def copy_at_once(m: State, origin: Placed, place: Placed) -> None:
    """What a copy of the active owners does that nobody has to wait for."""
    present = m.present()
    _move(m, origin.access(m, present), place.access(m, present))


def _bits(elements: Array) -> Array:
    """NaN is itself."""
    return np.ascontiguousarray(elements).view(np.uint8)


def _land(m: State, source: Access, target: Access) -> None:
    clear_flight(target)
    _move(m, source, target)


def _move(m: State, source: Access, target: Access) -> None:
    values = read(m, source)
    write(m, target, values)
    if m.run.follows:
        write_doubt(target, read_doubt(m, source, None, None, True), values.shape)


@EVALUATE.of(lanewise_async.AsyncCopyOp)
def _copy_tile(op: lanewise_async.AsyncCopyOp, c: Compiler) -> Step:
    shape = op.shape
    windows = Window(shape, op.dims(op.src.type), op.promise), Window(shape, op.dims(op.dst.type))
    condition = None if op.condition is None else c.slot(op.condition)

    def mask(m: State) -> Array | None:
        if condition is None:
            return None
        on = np.asarray(m.values[condition])
        return np.broadcast_to(on.reshape(*on.shape, *(1 for _ in shape)), (*on.shape, *shape))

    return _copy(c, op, windows, None, mask)


@EVALUATE.of(nvgpu_async.DeviceAsyncCopyOp)
def _copy_elements(op: nvgpu_async.DeviceAsyncCopyOp, c: Compiler) -> Step:
    shape = (op.dstElements,)
    source, target = (Window(shape, (memref.type.rank - 1,), contiguous=True) for memref in (op.src, op.dst))
    given = None if op.srcElements is None else c.slot(op.srcElements)
    size = op.dstElements * memory_bits(op.dst.type.element) // 8

    def mask(m: State) -> Array | None:
        return None if given is None else np.arange(shape[0]) < np.asarray(m.values[given])[..., None]

    return _copy(c, op, (source, target), size, mask)
