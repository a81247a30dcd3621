"""Values crossing lanes of a subgroup."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.core import Value
from ..ir.dialects import arith, gpu
from ..ir.dialects.gpu import ShuffleModeAttr
from ..ir.types import I32, I64, INDEX
from .by_thread import number
from .context import Distribution


def from_lane_xor(d: Distribution, value: Value, offset: int) -> Value:
    """The value of lane `lane ^ offset`."""
    return _shuffle(d, value, d.build.constant(offset, I32), "xor")


def from_thread(d: Distribution, value: Value, thread: Value) -> Value:
    """The value of flat thread `thread`, which must be in the own subgroup."""
    lane = d.build.rem(thread, d.subgroup_size)
    return _shuffle(d, value, d.build.value(arith.IndexCastOp, lane, types=[I32]), "idx")


def from_lanes(d: Distribution, value: Value, lanes: Sequence[int]) -> Value:
    """The value of lane `lanes[own lane]`; those beyond the end of the workgroup are not asked for."""
    lanes = lanes[: d.threads]
    distances = {lane ^ source for lane, source in enumerate(lanes)}
    if len(distances) == 1:
        return from_lane_xor(d, value, distances.pop())
    bits = *range((len(lanes) - 1).bit_length()), *_above(d, len(lanes))
    source = number(d, np.resize(np.array(lanes, np.int64), d.threads), tuple((2, 1 << bit) for bit in bits))
    return _shuffle(d, value, d.build.value(arith.IndexCastOp, source, types=[I32]), "idx")


def _above(d: Distribution, lanes: int) -> range:
    """The bits of the thread id above the lane's."""
    return range(lanes.bit_length() - 1, d.threads.bit_length() - 1)


def _shuffle(d: Distribution, value: Value, offset: Value, mode: str) -> Value:
    width = d.build.constant(d.subgroup_size, I32)
    if value.type is not INDEX:
        return d.build.op(gpu.ShuffleOp, value, offset, width, mode=ShuffleModeAttr(mode)).results[0]
    wide = _shuffle(d, d.build.value(arith.IndexCastOp, value, types=[I64]), offset, mode)
    return d.build.value(arith.IndexCastOp, wide, types=[INDEX])


def moved(d: Distribution, thread: Value, size: int, stride: int, wanted: int) -> Value:
    """`replaced` where the workgroup has that thread."""
    return d.build.bound(replaced(d, thread, size, stride, wanted), d.threads)


def replaced(d: Distribution, thread: Value, size: int, stride: int, wanted: Value | int) -> Value:
    """`thread`, whose digit (size, stride) is the own thread's, with that digit replaced by `wanted`."""
    cleared = d.build.sub(thread, d.build.mul(d.digit(size, stride), stride))
    return d.build.add(cleared, wanted * stride if isinstance(wanted, int) else d.build.mul(wanted, stride))
