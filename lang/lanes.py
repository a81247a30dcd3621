"""What the lanes of a subgroup say to each other, and which they are: of programs of threads."""

from __future__ import annotations

from typing import Literal

from ..ir.attributes import IntegerAttr
from ..ir.dialects import gpu
from ..ir.dialects.gpu_together import BallotOp, BroadcastAttr, RotateOp, SubgroupBroadcastOp
from ..ir.types import I32, INDEX, IntegerType
from .dtypes import DType, i1, i32, index, u32, u64
from .operands import Operand, is_float, lifted
from .trace import building, fail, trace
from .values import Numeric, Value, given

Mode = Literal["xor", "up", "down", "idx"]
Joined = Literal["add", "mul", "max", "min", "and", "or", "xor"]


def lane_id() -> Value:
    """The thread's number in its subgroup, in programs of threads."""
    return _number(gpu.LaneIdOp, "lane")


def subgroup_id() -> Value:
    """The subgroup's number in its workgroup, in programs of subgroups or threads."""
    return _number(gpu.SubgroupIdOp, "subgroup")


def subgroup_count() -> Value:
    """Subgroups of a workgroup."""
    return _number(gpu.NumSubgroupsOp, "subgroups")


def subgroup_size() -> Value:
    """Lanes of a subgroup: 32 on NVIDIA's chips, 32 or 64 on AMD's."""
    return _number(gpu.SubgroupSizeOp, "lanes")


def _number(op: type[gpu.IdOp], name: str) -> Value:
    made = building().value(op, types=[INDEX])
    trace().suggest(made, name)
    return Value(Operand(made, index))


def shuffle(value: Numeric, offset: Numeric, mode: Mode = "idx", *, width: int | None = None) -> Value:
    """What another lane of the subgroup has, as CUDA's `__shfl_sync` and its kin.

    Args:
        value: A number, or a vector of one axis; of 32 bits or less it is one instruction.
        offset: Which lane, by the mode: "xor", "up" and "down" count from the own lane, "idx" from the first.
        mode: How.
        width: Lanes of a group, within which lanes read each other, of each the first is number 0; by default all 32.

    A lane that would read outside of its group gets its own value. All lanes get here together.
    """
    x, at = _moved("shuffle", value), lifted(given(offset), i32)
    if at.dtype.mlir != "i32" or at.shape:
        fail(f"'shuffle' has an offset of 32 bits, found {at.text}", at.made, hint="x.to(lw.i32)")
    if mode not in gpu.ShuffleModeAttr.cases:
        fail(f"a shuffle's mode is one of {', '.join(gpu.ShuffleModeAttr.cases)}, found {mode!r}")
    lanes = building().constant(32 if width is None else width, I32)
    made = building().op(gpu.ShuffleOp, x.ssa, at.ssa, lanes, mode=gpu.ShuffleModeAttr(mode))
    return Value(Operand(made.shuffle_result, x.dtype))


def rotate(value: Numeric, offset: int, *, width: int) -> Value:
    """What the lane `offset` further has in its group of `width` lanes, past whose last the first comes again."""
    x = _moved("rotate", value)
    numbers = {name: IntegerAttr(n, I32) for name, n in (("offset", offset), ("width", width))}
    made = building().op(RotateOp, x.ssa, types=[x.ssa.type, lifted(True).ssa.type], **numbers)
    return Value(Operand(made.rotate_result, x.dtype))


def subgroup_broadcast(value: Numeric, lane: Numeric = 0) -> Value:
    """One lane's value, for all lanes of the subgroup."""
    x, at = _moved("subgroup_broadcast", value), lifted(given(lane), i32)
    if at.dtype.mlir != "i32" or at.shape:
        fail(f"'subgroup_broadcast' takes a lane of 32 bits, found {at.text}", at.made, hint="x.to(lw.i32)")
    named = BroadcastAttr("specific_lane")
    made = building().value(SubgroupBroadcastOp, x.ssa, at.ssa, types=[x.ssa.type], broadcast_type=named)
    return Value(Operand(made, x.dtype))


def subgroup_reduce(value: Numeric, kind: Joined = "add", *, cluster: int | None = None, stride: int = 1) -> Value:
    """The values of all lanes joined, for each of them.

    Args:
        value: Each lane's.
        kind: How they are joined; `max` and `min` of floats are NaN where one is.
        cluster: Lanes that are joined, a power of two; by default all of the subgroup.
        stride: How far the lanes of a cluster are apart.
    """
    x = _moved("subgroup_reduce", value)
    word = _joined(kind, x)
    clusters = {} if cluster is None else {"cluster_size": IntegerAttr(cluster, I32)}
    clusters |= {} if stride == 1 else {"cluster_stride": IntegerAttr(stride, I32)}
    attribute = gpu.AllReduceOperationAttr(word)
    made = building().value(gpu.SubgroupReduceOp, x.ssa, types=[x.ssa.type], op=attribute, **clusters)
    return Value(Operand(made, x.dtype))


def _joined(kind: str, x: Operand) -> str:
    """MLIR's word for a kind, by what is joined."""
    extremes = {"max": ("maximumf", "maxui", "maxsi"), "min": ("minimumf", "minui", "minsi")}
    floats = is_float(x.dtype)
    if kind in extremes:
        return extremes[kind][0 if floats else 1 if x.dtype.unsigned else 2]
    known = ("add", "mul") if floats else ("add", "mul", "and", "or", "xor")
    if kind not in known:
        fail(f"lanes of {x.dtype} are joined by one of {', '.join((*known, *extremes))}, found {kind!r}", x.made)
    return kind


def ballot(predicate: Numeric, dtype: DType = u32) -> Value:
    """Bit l is whether it holds in lane l, as CUDA's `__ballot_sync`; subgroups of 64 lanes take `lw.u64`."""
    on = lifted(given(predicate))
    if on.dtype != i1 or on.shape:
        fail(f"'ballot' takes one truth value, found {on.text}", on.made, hint="compare it: x != 0")
    if dtype not in (u32, u64):
        fail(f"'ballot' gives u32 or u64, found {dtype}")
    bits = IntegerType(32 if dtype == u32 else 64)
    return Value(Operand(building().value(BallotOp, on.ssa, types=[bits]), dtype))


def _moved(name: str, value: Numeric) -> Operand:
    x = lifted(given(value))
    if x.dtype == index or len(x.shape) > 1:
        fail(
            f"'{name}' moves integers and floats, or vectors of one axis, found {x.text}", x.made,
            hint="convert it: x.to(lw.i32)",
        )  # fmt: skip
    return x
