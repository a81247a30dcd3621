"""What lanes do together is shuffles: iree_gpu.subgroup_scan as many as its clusters have doublings, gpu.rotate and
gpu.subgroup_broadcast one; barriers of other names are gpu.barrier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from ..ir.attributes import ArrayAttr
from ..ir.cloning import clone
from ..ir.core import Builder, Operation, Value
from ..ir.dialects import arith, gpu
from ..ir.dialects.amdgpu_lanes import LDSBarrierOp
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.constants import constant_int
from ..ir.dialects.gpu import ShuffleModeAttr
from ..ir.dialects.gpu_together import RotateOp, SubgroupBroadcastOp
from ..ir.dialects.longhand import constant
from ..ir.types import I32
from .dialects.iree_gpu_subgroup import GlobalSubgroupBarrierOp, SubgroupScanOp
from .legalisations import Place, expands, refuse

_MOST_LANES = 64
"""The most lanes of a subgroup, where the kernel does not say how many."""


@expands(GlobalSubgroupBarrierOp)
def _barrier(place: Place, op: GlobalSubgroupBarrierOp) -> Sequence[Value]:
    return place.op(gpu.BarrierOp, address_spaces=ArrayAttr(())).results


@expands(LDSBarrierOp)
def _lds_barrier(place: Place, op: LDSBarrierOp) -> Sequence[Value]:
    return place.op(gpu.BarrierOp, address_spaces=ArrayAttr((gpu.WORKGROUP,))).results


# -- shuffles ---------------------------------------------------------------------------------------------------------

_TARGETS: Mapping[str, type[Operation] | None] = {
    "xor": arith.XOrIOp,
    "up": arith.SubIOp,
    "down": arith.AddIOp,
    "idx": None,
}
"""What joins the lane's number and the offset to the number of the lane that is read."""


def _number(build: Builder, cls: type[Operation]) -> Value:
    """The lane's number, or how many there are, as i32."""
    return build.value(arith.IndexCastOp, build.value(cls), types=[I32])


def _from_lane(build: Builder, value: Value, lane: Value) -> Value:
    lanes = _number(build, gpu.SubgroupSizeOp)
    return build.op(gpu.ShuffleOp, value, lane, lanes, mode=ShuffleModeAttr("idx")).shuffle_result


@expands(gpu.ShuffleOp, below=True)
def _shuffle(place: Place, op: gpu.ShuffleOp) -> Sequence[Value] | None:
    """With a width that is no power of two: a shuffle over all lanes, from a lane that is found by arithmetic."""
    width = constant_int(op.width) or 1
    if width < 1 or not width & (width - 1):
        return None
    lane, lanes = _number(place, gpu.LaneIdOp), _number(place, gpu.SubgroupSizeOp)
    join = _TARGETS[op.mode.value]
    target = op.offset if join is None else place.value(join, lane, op.offset)
    limits = [(lane, op.width), (target, op.width), (target, lanes)]
    if op.mode.value in ("up", "down"):  # a sum that wraps is no lane
        limits.append((op.offset, op.width))
    below = [place.value(arith.CmpIOp, a, b, predicate=IntegerPredicateAttr("ult")) for a, b in limits]
    valid = reduce(lambda a, b: place.value(arith.AndIOp, a, b), below)
    source = place.value(arith.SelectOp, valid, target, lane, types=[I32])
    moved = place.op(gpu.ShuffleOp, op.value, source, lanes, mode=ShuffleModeAttr("idx"))
    return [moved.shuffle_result, valid]


@expands(RotateOp)
def _rotate(place: Place, op: RotateOp) -> Sequence[Value]:
    lane, last = _number(place, gpu.LaneIdOp), constant(place, op.width.value - 1, I32)
    moved = place.value(arith.AddIOp, lane, constant(place, op.offset.value, I32))
    group = place.value(arith.AndIOp, lane, constant(place, -op.width.value, I32))
    source = place.value(arith.OrIOp, place.value(arith.AndIOp, moved, last), group)
    first = place.value(arith.CmpIOp, lane, last, predicate=IntegerPredicateAttr("ule"))
    return [_from_lane(place, op.value, source), first]


@expands(SubgroupBroadcastOp)
def _broadcast(place: Place, op: SubgroupBroadcastOp) -> Sequence[Value]:
    return [_from_lane(place, op.src, op.lane or constant(place, 0, I32))]


# -- scans ------------------------------------------------------------------------------------------------------------


@expands(SubgroupScanOp)
def _scan(place: Place, op: SubgroupScanOp) -> Sequence[Value]:
    """Each lane joins what the lane before it has, then what the one two before it has, then four, and so on: behind
    step n it has joined the 2^n lanes that end with itself."""
    if op.inclusive is not None and op.identity is not None:
        raise refuse(op, "is inclusive and has an identity, which no lane gets", "leave the identity out")
    scan = _Scan(place, op)
    joined: Value = op.value
    lanes = 1
    while lanes < scan.most:
        before, there = scan.before(joined, lanes)
        joined = place.value(arith.SelectOp, there, scan.join(before, joined), joined, types=[joined.type])
        lanes *= 2
    total = scan.of_last(joined) if op.total.users else joined
    if op.inclusive is not None:
        return [joined, total]
    assert op.identity is not None
    before, there = scan.before(joined, 1)
    return [place.value(arith.SelectOp, there, before, op.identity, types=[joined.type]), total]


class _Scan:
    """How lanes of a cluster see each other."""

    def __init__(self, place: Place, op: SubgroupScanOp) -> None:
        self.place, self.op = place, op
        self.stride, lanes = op.cluster_stride.value, place.kernel.subgroup_size
        self.size = op.cluster_size.value if op.cluster_size is not None else lanes
        if self.size is not None and self.size * self.stride > (lanes or _MOST_LANES):
            found = f"have {lanes} lanes" if lanes is not None else f"have {_MOST_LANES} lanes at most"
            raise refuse(op, f"scans {self.size} lanes, each {self.stride} from the next: subgroups {found}")
        self.most = self.size or _MOST_LANES
        self.width = (
            _number(place, gpu.SubgroupSizeOp) if self.size is None else constant(place, self.size * self.stride, I32)
        )

    def before(self, value: Value, lanes: int) -> tuple[Value, Value]:
        """What the cluster's lane so many before has, and whether there is one."""
        offset = constant(self.place, lanes * self.stride, I32)
        moved = self.place.op(gpu.ShuffleOp, value, offset, self.width, mode=ShuffleModeAttr("up"))
        return moved.shuffle_result, moved.valid

    def of_last(self, value: Value) -> Value:
        """What the cluster's last lane has."""
        place, one = self.place, constant(self.place, 1, I32)
        if self.size is None:
            last = place.value(arith.SubIOp, self.width, one)
        else:
            last = constant(place, (self.size - 1) * self.stride, I32)
            if self.stride > 1:
                lane = _number(place, gpu.LaneIdOp)
                own = place.value(arith.AndIOp, lane, constant(place, self.stride - 1, I32))
                last = place.value(arith.AddIOp, last, own)
        return place.op(gpu.ShuffleOp, value, last, self.width, mode=ShuffleModeAttr("idx")).shuffle_result

    def join(self, earlier: Value, later: Value) -> Value:
        body = self.op.combiner.block
        assert body.terminator is not None
        values = dict(zip(body.arguments, (earlier, later), strict=True))
        for inner in body.operations[:-1]:
            self.place.append(clone(inner, values))
        (last,) = body.terminator.operands
        return values.get(last, last)
