"""TMA: the chip copies a ring's tiles by itself, as boxes that it knows from a map (see `copy_strategies.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..ir.attributes import IntegerAttr
from ..ir.cache_hints import cache_hints
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, gpu, scf
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.memref import AllocOp
from ..ir.dialects.nvgpu_mbarrier import (
    MBarrierArriveExpectTxOp,
    MBarrierCreateOp,
    MBarrierGroupType,
    MBarrierInitOp,
    MBarrierTryWaitParityOp,
)
from ..ir.dialects.nvgpu_tma import TensorMapType, TmaAsyncLoadOp, TmaCreateDescriptorOp
from ..ir.element_orders import order_of
from ..ir.tensor_orders import TensorOrder, tensor_order
from ..ir.types import I1, INDEX, MemRefType, memory_bits
from ..layout.workgroup import Workgroup
from ..support.dataclasses import dataclass
from ..targets.tensor_maps import ELEMENTS, LONGEST_BOX
from .copy_strategies import Rings, Turn
from .loop_copies import Copy
from .loops import made_for

_BOXES = "cp.async.bulk.tensor"
_TICKS = 10_000_000
"""Nanoseconds that a thread may be held before it asks again: longer than any copy."""
_MOST_DIMENSIONS = 3
NOT_NEAR = "an argument is not known to lie in 2 GiB"


@dataclass(frozen=True)
class _Box:
    """The box of a copy: how far its first element is from the tile's, along rows and columns."""

    row: int
    column: int


@dataclass(frozen=True, eq=False)
class Share:
    """The share of a tile that each of the `count` workgroups which read it has: each copies the same number of rows of
    each box, the `part`-th, for all of them, which `mask` names."""

    count: int
    part: Value
    mask: Value


class ByTma:
    """TMA: one thread says which boxes, and a barrier object of each slot counts their bytes. The tile's order is that
    of the boxes. `shares`: what the workgroup copies for others besides, by what reads it."""

    by_one = True

    def __init__(
        self, found: Sequence[Copy], rings: Rings, count: int, shares: Mapping[Operation, Share] | None = None
    ) -> None:
        self._found, self._rings, self._count = found, rings, count
        self._shares: Mapping[Operation, Share] = shares or {}
        self._maps: dict[Operation, Value] = {}
        self._objects: Value[MBarrierGroupType] | None = None

    def begin(self, build: Builder) -> list[Value]:
        self.prepare(build, objects(build, "landed", self._count, 1))
        build.op(gpu.BarrierOp)
        return [build.value(arith.ConstantOp, types=[I1], value=IntegerAttr(0, I1))]

    def prepare(self, build: Builder, landed: Value[MBarrierGroupType]) -> None:
        """Makes maps. `landed` count what lands in each slot; all threads know them behind a barrier."""
        self._objects = landed
        for c in self._found:
            *lead, high, wide = _box(c)
            box = (*lead, high // self._parts(c), wide)
            tile = MemRefType(box, c.write.memref_type.element, None, WORKGROUP)
            order = _order(c)
            type = TensorMapType(tile, f"swizzle_{order.width}b", "l2promo_128b")
            sizes = [_index(build, n) for n in box]
            self._maps[c.read] = build.value(TmaCreateDescriptorOp, c.read.memref, sizes, types=[type])

    def issue(self, build: Builder, turn: Turn, reading_on: Sequence[Copy] = ()) -> None:
        inner = build
        if turn.there is not None:
            block = Block()
            build.op(scf.IfOp, turn.there, types=[], regions=[Region([block]), Region()])
            inner = Builder(block, build.location)
        slot, places = turn.slot(inner), [turn.places(inner, c) for c in self._found]
        total = sum(_tile_bytes(c) for c in self._found)
        shifted = [self._shifted(inner, c, *at) for c, at in zip(self._found, places, strict=True)]
        assert self._objects is not None
        inner.op(MBarrierArriveExpectTxOp, self._objects, _index(inner, total), slot, types=[])
        for c, boxes in zip(self._found, shifted, strict=True):
            for source, target in boxes:
                ring = self._rings[c.write.memref]
                coordinates = list(reversed(source))
                where = [slot, *target]
                share, hints = self._shares.get(c.read), cache_hints(c.read)
                ranks = [] if share is None else [share.mask]
                first = ring, self._objects, self._maps[c.read]
                with made_for(inner, c.read):
                    inner.op(TmaAsyncLoadOp, *first, coordinates, slot, ranks, [], where, types=[], **hints)
        if inner is not build:
            inner.op(scf.YieldOp, [], types=[])

    def _shifted(
        self, build: Builder, c: Copy, source: Sequence[Value], target: Sequence[Value]
    ) -> list[tuple[list[Value], list[Value]]]:
        share = self._shares.get(c.read)
        part: list[Value] = []
        if share is not None:
            rows = _index(build, part_rows(c, share.count))
            part = [build.value(arith.MulIOp, share.part, rows)]

        def moved(indices: Sequence[Value], box: _Box) -> list[Value]:
            *lead, row, column = indices
            for more in part:
                row = build.value(arith.AddIOp, row, more)
            return [*lead, _plus(build, row, box.row), _plus(build, column, box.column)]

        return [(moved(source, box), moved(target, box)) for box in _boxes(c)]

    def _parts(self, c: Copy) -> int:
        share = self._shares.get(c.read)
        return 1 if share is None else share.count

    def wait(self, build: Builder, slot: Value, carried: Sequence[Value], ahead: int) -> None:
        """All threads have read what is copied to next, besides."""
        assert self._objects is not None
        (parity,) = carried
        wait_for(build, self._objects, slot, parity)
        build.op(gpu.BarrierOp)

    def hand_on(self, build: Builder, carried: Sequence[Value], wraps: Value) -> list[Value]:
        (parity,) = carried
        return [build.value(arith.XOrIOp, parity, wraps)]

    def end(self, build: Builder) -> None:
        """Each iteration has waited for what was copied for it, and nothing is copied for others."""


def objects(build: Builder, name: str, count: int, arrivals: int) -> Value[MBarrierGroupType]:
    """A barrier object of so many arrivals for each slot."""
    made = build.op(MBarrierCreateOp, types=[MBarrierGroupType(count)]).barriers
    made.hint = name
    number = _index(build, arrivals)
    for slot in range(count):
        build.op(MBarrierInitOp, made, number, _index(build, slot), types=[])
    return made


def wait_for(build: Builder, objects: Value[MBarrierGroupType], slot: Value, parity: Value) -> None:
    build.op(MBarrierTryWaitParityOp, objects, parity, _index(build, _TICKS), slot, types=[])


def are_boxes(found: Sequence[Copy], function: FunctionLike, workgroup: Workgroup) -> bool:
    """Whether the chip can copy the tiles by itself: of whole arguments near enough for 32 bits to number their rows,
    and in an order that it puts down."""
    return could_be_boxes(found, workgroup) and not why_no_boxes(found, function)


def could_be_boxes(found: Sequence[Copy], workgroup: Workgroup) -> bool:
    """Whether the chip puts down boxes in the order that the tiles have."""
    return workgroup.chip.supports(_BOXES) and all(_has_order(c) for c in found)


def why_no_boxes(found: Sequence[Copy], function: FunctionLike) -> str:
    """Why the chip does not copy tiles that could be boxes, in words; empty where it does."""
    return next((why for c in found if (why := _why_no_boxes(c, function))), "")


def _why_no_boxes(c: Copy, function: FunctionLike) -> str:
    source, type = c.read.memref, c.read.memref_type
    if source.owner is not function.body or c.changes:
        return "what is copied is no argument that stays as it is"
    if c.write.vector_type.shape != c.write.memref_type.shape or 0 in type.shape or type.layout is not None:
        return "what is copied is no whole tile of an argument without gaps"
    if not 2 <= type.rank <= _MOST_DIMENSIONS or str(type.element) not in ELEMENTS:
        return f"no box is of {type}"
    near = function.argument_attribute(source.index, "lanewise.pointer_range") is not None or None not in type.shape
    return "" if near else NOT_NEAR


def _has_order(c: Copy) -> bool:
    tile, is_matrix = c.write.memref.operation, len(c.read.vector_type.shape) == 2
    return is_matrix and isinstance(tile, AllocOp) and tensor_order(tile.memref.type, order_of(tile)) is not None


def _order(c: Copy) -> TensorOrder:
    tile = c.write.memref.operation
    assert isinstance(tile, AllocOp)
    found = tensor_order(tile.memref.type, order_of(tile))
    assert found is not None, "are_boxes has said so"
    return found


def _box(c: Copy) -> tuple[int, ...]:
    rows = c.read.vector_type.shape[0]
    lead = c.read.memref_type.rank - 2
    high = max(n for n in range(8, LONGEST_BOX + 1, 8) if rows % n == 0)
    return (1,) * lead + (high, _order(c).width * 8 // memory_bits(c.read.memref_type.element))


def part_rows(c: Copy, count: int) -> int:
    """The rows of a part of a box of the tile that so many workgroups share out; 0 where they cannot."""
    high = _box(c)[-2]
    return 0 if high % count else high // count


def _boxes(c: Copy) -> Iterator[_Box]:
    rows, columns = c.read.vector_type.shape
    *_, high, wide = _box(c)
    for column in range(0, columns, wide):
        for row in range(0, rows, high):
            yield _Box(row, column)


def _tile_bytes(c: Copy) -> int:
    rows, columns = c.read.vector_type.shape
    return rows * columns * memory_bits(c.read.memref_type.element) // 8


def _index(build: Builder, number: int) -> Value:
    return build.value(arith.ConstantOp, types=[INDEX], value=IntegerAttr(number, INDEX))


def _plus(build: Builder, value: Value, more: int) -> Value:
    return build.value(arith.AddIOp, value, _index(build, more)) if more else value
