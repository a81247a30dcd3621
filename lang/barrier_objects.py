"""Barrier objects in shared memory, and boxes of tensors that the chip copies by itself (sm_90 and later): how
producers and consumers, parts of a workgroup, hand tiles on to each other."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Literal

from ..ir.attributes import IntegerAttr, UnitAttr, dense_i64
from ..ir.core import Value as SSA
from ..ir.dialects import memref
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.nvgpu_mbarrier import (
    READS_ONLY,
    MBarrierArriveExpectTxOp,
    MBarrierArriveOp,
    MBarrierCreateOp,
    MBarrierGroupType,
    MBarrierInitOp,
    MBarrierTryWaitParityOp,
)
from ..ir.dialects.nvgpu_tma import TensorMapType, TmaAsyncLoadOp, TmaCreateDescriptorOp
from ..ir.dialects.nvgpu_tma_store import BulkCommitGroupOp, BulkWaitGroupOp, TmaAsyncStoreOp
from ..ir.tensor_orders import swizzle_of
from ..ir.types import I32, I64, MemRefType
from ..targets.tensor_maps import UNIT
from .arrays import Array
from .dtypes import i1, index
from .elementwise import convert
from .kinds import Named
from .operands import bits_of, element_of, lifted
from .trace import building, fail, trace
from .values import Numeric, given

Swizzle = Literal[0, 32, 64, 128]
_TICKS = 1_000_000
"""Nanoseconds that the hardware may hold a thread each time that it asks."""


class Barriers(Named):
    """Barrier objects, by number. Each goes through phases: one ends when as many have arrived as it takes, and all
    bytes have come that were expected. Who waits for it sees what was done before those arrivals."""

    __slots__ = ("_group", "count")

    def __init__(self, group: SSA[MBarrierGroupType], count: int) -> None:
        self._group, self.count = group, count

    def __repr__(self) -> str:
        return f"<{self.count} barrier objects>"

    def name_it(self, name: str) -> None:
        """Gives them the name that the program's text has."""
        self._group.hint = self._group.hint or name

    def arrive(self, number: Numeric = 0, *, reads_only: bool = False) -> None:
        """Arrives: each subgroup of the workgroup or part once, in a thread's program the thread. `reads_only` hands on
        that memory was read, and nothing that was written."""
        op = building().op(MBarrierArriveOp, self._group, _index(number))
        if reads_only:
            op.attributes[READS_ONLY] = UnitAttr()

    def expect(self, number: Numeric, bytes: Numeric) -> None:
        """Arrives once, and says that so many bytes more are to come in this phase: those of boxes."""
        building().op(MBarrierArriveExpectTxOp, self._group, _index(bytes), _index(number))

    def wait(self, number: Numeric, parity: Numeric) -> None:
        """Goes on once the phase of a parity is over, a truth value: phases count from 0, of which the first has parity
        0, and the one before it, 1, is over from the beginning."""
        phase = lifted(given(parity), i1)
        if phase.dtype != i1 or phase.shape:
            fail(f"a phase's parity is one truth value, found {phase.text}", phase.made, hint="compare it: n % 2 == 1")
        ticks = building().constant(_TICKS)
        building().op(MBarrierTryWaitParityOp, self._group, phase.ssa, ticks, _index(number))

    @property
    def group(self) -> SSA[MBarrierGroupType]:
        """What it is in the program."""
        return self._group


def barriers(count: int, arrivals: Numeric) -> Barriers:
    """`count` barrier objects in shared memory, each of whose phases takes so many arrivals. Others of the workgroup
    see them behind a `lw.barrier()`."""
    count = operator.index(count)
    if count < 1:
        fail(f"'barriers' makes one object or more, found {count}")
    group = building().value(MBarrierCreateOp, types=[MBarrierGroupType(count)])
    for number in range(count):
        building().op(MBarrierInitOp, group, _index(arrivals), building().constant(number))
    return Barriers(group, count)  # type: ignore[arg-type]


class Box(Named):
    """A box of an argument, that one copy takes.

    Attributes:
        shape: Its extents.
        bytes: Those of one, which its barrier object expects.
    """

    __slots__ = ("_array", "_map", "_swizzle", "bytes", "shape")

    def __init__(self, array: Array, shape: tuple[int, ...], swizzle: Swizzle) -> None:
        element = element_of(array.dtype)
        bits = bits_of(array.dtype)
        type = TensorMapType(MemRefType(shape, element, None, WORKGROUP), f"swizzle_{swizzle}b" if swizzle else "none")
        build = building()
        extents = [build.constant(n) for n in shape]
        self._map = build.value(TmaCreateDescriptorOp, array.memory, extents, types=[type])
        self._array, self.shape, self._swizzle = array, shape, swizzle
        self._state_alignment(bits)
        self.bytes = math.prod(shape) * bits // 8

    def name_it(self, name: str) -> None:
        """Gives it the name that the program's text has."""
        self._map.hint = self._map.hint or name

    def __repr__(self) -> str:
        return f"<box {'x'.join(map(str, self.shape))} of {self._array.name}>"

    def _state_alignment(self, bits: int) -> None:
        """Copies need addresses and rows that are multiples of 16 bytes: the kernel needs them of its argument."""
        divisors = [1] * (len(self.shape) - 1) + [8 * UNIT // bits]
        needed = trace().stated.setdefault(self._array.memory, {})
        needed["llvm.align"] = IntegerAttr(UNIT, I64)
        if len(self.shape) > 1:
            needed["lanewise.divisibility"] = dense_i64(divisors)

    def shared(self, count: int) -> Array:
        """Shared memory for so many boxes, `[count, *shape]`, in the order in which copies put them down."""
        dtype = self._array.dtype
        order = {"iree_codegen.swizzle": swizzle_of(self._swizzle, bits_of(dtype))} if self._swizzle else {}
        type = MemRefType((operator.index(count), *self.shape), element_of(dtype), None, WORKGROUP)
        made = building().op(memref.AllocOp, [], types=[type], **order)
        made.memref.hint = "boxes"
        return Array(made.memref, dtype, "boxes", unnamed=True)

    def load(self, at: Sequence[Numeric], to: Array, slot: Numeric, objects: Barriers, number: Numeric) -> None:
        """Begins to copy the box at places of the array, one an axis, to number `slot` of `to`; `objects` count its
        bytes at `number`. Outside of the array it is zero. Nobody touches it until that phase is over."""
        places = self._places(at)
        zero = building().constant(0)
        into = [_index(slot), *[zero] * len(self.shape)]
        building().op(TmaAsyncLoadOp, to.memory, objects.group, self._map, places, _index(number), [], [], into)

    def store(self, source: Array, slot: Numeric, at: Sequence[Numeric]) -> None:
        """Begins to copy number `slot` of `source` to the box at places of the array; what is outside is not written.
        Nobody writes the source before `lw.wait_for_stores`."""
        places = self._places(at)
        zero = building().constant(0)
        out_of = [_index(slot), *[zero] * len(self.shape)]
        building().op(TmaAsyncStoreOp, source.memory, self._map, places, [], out_of)

    def _places(self, at: Sequence[Numeric]) -> list[SSA]:
        """Coordinates, the innermost first."""
        if len(at) != len(self.shape):
            fail(f"a box of {self._array.name} has {len(self.shape)} axes, found {len(at)} places")
        return [_index(place) for place in reversed(at)]


def box(array: Array, shape: Sequence[int], *, swizzle: Swizzle = 128) -> Box:
    """A box of an argument that the chip's tensor memory accelerator copies.

    Args:
        array: An argument without gaps between its rows.
        shape: The extents of the box, 1 to 256 each.
        swizzle: Bytes of a row of the box, whose parts of 16 bytes change places in shared memory, so that reads fall
            into different banks: 128, 64 or 32; 0 leaves them.
    """
    sizes = tuple(map(operator.index, shape))
    if len(sizes) != array.ndim:
        fail(f"a box of {array.name} has {array.ndim} axes, found {sizes}")
    if swizzle not in _SWIZZLES:
        fail(f"a box is swizzled by 0, 32, 64 or 128 bytes, found {swizzle!r}")
    row = sizes[-1] * bits_of(array.dtype) // 8
    if swizzle and row != swizzle:
        fail(
            f"a box that is swizzled by {swizzle} bytes has rows of so many, found {row}",
            hint="swizzle=0 takes rows of any multiple of 16 bytes",
        )
    return Box(array, sizes, swizzle)


_SWIZZLES: Mapping[int, None] = dict.fromkeys((0, 32, 64, 128))


def wait_for_stores(*, pending: int = 0, read: bool = False) -> None:
    """Begins a new group of the stores of boxes so far, and waits for all groups but the `pending` newest: until what
    they write is there, with `read` until their sources have been read."""

    building().op(BulkCommitGroupOp)
    building().op(BulkWaitGroupOp, group=IntegerAttr(pending, I32), read=UnitAttr() if read else None)


def _index(value: Numeric) -> SSA:
    number = lifted(given(value), index)
    if number.shape or number.dtype.kind not in ("index", "integer"):
        fail(f"a place or a number of an object is one integer, found {number.text}", number.made)
    return convert(number, index).ssa
