"""iree_gpu.subgroup_scan is shuffles, as many as its clusters have doublings; a barrier without fences is a barrier."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.attributes import ArrayAttr
from ..ir.cloning import clone
from ..ir.core import Value
from ..ir.dialects import arith, gpu
from ..ir.dialects.gpu import ShuffleModeAttr
from ..ir.dialects.longhand import constant
from ..ir.types import I32
from .dialects.iree_gpu_subgroup import GlobalSubgroupBarrierOp, SubgroupScanOp
from .legalisations import EXPAND, Place, refuse

_MOST_LANES = 64
"""The most lanes of a subgroup, where the kernel does not say how many."""


@EXPAND.of(GlobalSubgroupBarrierOp)
def _barrier(place: Place, op: GlobalSubgroupBarrierOp) -> Sequence[Value]:
    return place.op(gpu.BarrierOp, address_spaces=ArrayAttr(())).results


@EXPAND.of(SubgroupScanOp)
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
        self.width = self._lanes() if self.size is None else constant(place, self.size * self.stride, I32)

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
                lane = place.value(arith.IndexCastOp, place.value(gpu.LaneIdOp), types=[I32])
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

    def _lanes(self) -> Value:
        return self.place.value(arith.IndexCastOp, self.place.value(gpu.SubgroupSizeOp), types=[I32])
