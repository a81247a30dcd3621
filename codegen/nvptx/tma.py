"""Barrier objects and copies of boxes by the tensor memory accelerator (PTX ISA 8.0, sm_90)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from ...ir.core import Value
from ...ir.dialects.nvgpu_mbarrier import (
    READS_ONLY,
    MBarrierArriveExpectTxOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveOp,
    MBarrierCreateOp,
    MBarrierGetOp,
    MBarrierInitOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
    ObjectOp,
)
from ...ir.dialects.nvgpu_tma import TensorMapType, TmaAsyncLoadOp, TmaCopyOp, TmaCreateDescriptorOp
from ...ir.dialects.nvgpu_tma_prefetch import TmaFenceOp, TmaPrefetchOp
from ...ir.dialects.nvgpu_tma_store import BulkCommitGroupOp, BulkWaitGroupOp, TmaAsyncStoreOp
from ...ir.dialects.nvvm_cluster import MapaOp
from ...ir.element_orders import Order, order_behind
from ...ir.tensor_orders import tensor_order
from ...ir.types import MemRefType
from ...targets.tensor_maps import SWIZZLES
from ..emit import integers
from ..emit.descriptor import CLUSTER, Address, address, pointer_type
from ..emit.element_orders import placed
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.tensor_map import FARTHEST
from ..emit.text import FALSE, TRUE, Ssa, integer
from .cache_hints import hint


@NVIDIA.of(MBarrierCreateOp)
def _create(em: Emission, op: MBarrierCreateOp) -> None:
    em.require("mbarrier")
    em.set(op.barriers, em.allocated[op])


@contextmanager
def _where(em: Emission, predicate: Value | None) -> Generator[None]:
    """What is written inside happens where it holds."""
    if predicate is None:
        yield
        return
    w, there, behind = em.w, em.w.label(), em.w.label()
    w.branch(em.scalar(predicate), there, behind)
    w.start(there)
    yield
    w.jump(behind)
    w.start(behind)


def _object(em: Emission, op: ObjectOp) -> Ssa:
    group = em.memref(op.barriers)
    return address(em.w, group, [em.scalar(op.mbarId)]).pointer(em.w)


def _word(em: Emission, value: Value) -> Ssa:
    return integers.low_word(em.w, em.scalar(value))


@NVIDIA.of(MBarrierInitOp)
def _init(em: Emission, op: MBarrierInitOp) -> None:
    """The fence makes it known to copies; threads learn of it at a barrier."""
    em.require("mbarrier.try_wait")
    place, count = _object(em, op), _word(em, op.count)
    with _where(em, op.predicate):
        em.w.call_void("llvm.nvvm.mbarrier.init.shared", place, count)
        em.w.call_void("llvm.nvvm.fence.mbarrier_init.release.cluster")


@NVIDIA.of(MBarrierArriveExpectTxOp)
def _arrive(em: Emission, op: MBarrierArriveExpectTxOp) -> None:
    em.require("cp.async.bulk")
    place, count = _object(em, op), _word(em, op.txcount)
    with _where(em, op.predicate):
        _call_arrival(em, op, "arrive.expect.tx", place, count)


@NVIDIA.of(MBarrierArriveOp)
def _arrive_alone(em: Emission, op: MBarrierArriveOp) -> None:
    em.require("mbarrier.try_wait")
    token = _call_arrival(em, op, "arrive", _object(em, op), integer(1, "i32"))
    if token is not None:
        em.set_llvm(op.token, token)


@NVIDIA.of(MBarrierArriveNoCompleteOp)
def _arrive_among_others(em: Emission, op: MBarrierArriveNoCompleteOp) -> None:
    em.require("mbarrier")
    place, count = _object(em, op), _word(em, op.count)
    em.set_llvm(op.token, em.w.call_fresh("i64", "llvm.nvvm.mbarrier.arrive.noComplete.shared", place, count))


@NVIDIA.of(MBarrierGetOp)
def _get(em: Emission, op: MBarrierGetOp) -> None:
    """Nobody takes it."""
    em.set_llvm(op.mbarrierPointer, em.w.convert("ptrtoint", _object(em, op), em.type(op.mbarrierPointer.type)))


def _call_arrival(em: Emission, op: ObjectOp, action: str, place: Ssa, count: Ssa) -> Ssa | None:
    """At objects elsewhere in the cluster it has no result, and hands on to all of the cluster, which takes a flush.
    Who only read has its values already, and says so in its workgroup's scope, as kernels by hand do."""
    if op.barriers.type.elsewhere:
        em.require("mbarrier.cluster")
        scope = "cta" if READS_ONLY in op.attributes else "cluster"
        em.w.call_void(f"llvm.nvvm.mbarrier.{action}.scope.{scope}.space.cluster", place, count)
        return None
    return em.w.call_fresh("i64", f"llvm.nvvm.mbarrier.{action}.scope.cta.space.cta", place, count)


@NVIDIA.of(MBarrierTryWaitParityOp)
def _wait(em: Emission, op: MBarrierTryWaitParityOp) -> None:
    """A block that branches to itself."""
    em.require("mbarrier.try_wait")
    w, place = em.w, _object(em, op)
    parity = integers.resize(w, em.scalar(op.phaseParity), "i32", signed=False)
    ticks, again, done = _word(em, op.ticks), w.label(), w.label()
    w.jump(again)
    w.start(again)
    name = f"llvm.nvvm.mbarrier.try.wait.parity.tl.scope.{_scope(em, op.barriers)}.space.cta"
    w.branch(w.call_fresh("i1", name, place, parity, ticks), done, again)
    w.start(done)


@NVIDIA.of(MBarrierTestWaitOp)
def _test(em: Emission, op: MBarrierTestWaitOp) -> None:
    em.require("mbarrier.try_wait")
    name = f"llvm.nvvm.mbarrier.test.wait.scope.{_scope(em, op.barriers)}.space.cta"
    em.set_llvm(op.waitComplete, em.w.call_fresh("i1", name, _object(em, op), em.scalar(op.token)))


def _scope(em: Emission, barriers: Value) -> str:
    """From whom waits acquire: other workgroups may arrive where they map the same objects."""
    if not any(isinstance(user, MapaOp) for user in barriers.users):
        return "cta"
    em.require("mbarrier.cluster")
    return "cluster"


@NVIDIA.of(TmaCreateDescriptorOp)
def _describe(em: Emission, op: TmaCreateDescriptorOp) -> None:
    em.require("cp.async.bulk.tensor")
    if op.tensor.owner is not em.kernel.op.body:
        raise em.error("is of an argument of the kernel, of which launches make the map")
    if _is_written_besides(em, op):
        raise em.error("is of a buffer that the kernel writes, which copies of its own need not see")
    em.set(op.tensorMap, em.tensor_map(op))


def _is_written_besides(em: Emission, op: TmaCreateDescriptorOp) -> bool:
    """Whether anything writes the buffer, where boxes are loaded from it, or anything but stores of boxes: threads get
    to global memory by another way, and no fence is made between the two."""
    through_maps = [
        access.operation
        for access, buffers in em.accesses
        if op.tensor in buffers and isinstance(access.operation, TmaCopyOp)
    ]
    stores = bool(through_maps) and all(isinstance(user, TmaAsyncStoreOp) for user in through_maps)
    writers = [access.operation for access, buffers in em.accesses if access.writes and op.tensor in buffers]
    return any(not (stores and isinstance(writer, TmaAsyncStoreOp)) for writer in writers)


@NVIDIA.of(TmaAsyncLoadOp)
def _load(em: Emission, op: TmaAsyncLoadOp) -> None:
    """By one thread, which the program has chosen."""
    em.require("cp.async.bulk.tensor")
    w, place = em.w, _place(em, op.dst, op.dstIndices, op.tensorMapDescriptor.type, "puts down")
    there = w.pure(f"addrspacecast {place} to {pointer_type(CLUSTER)}", pointer_type(CLUSTER))
    corner = [_coordinate(em, v) for v in op.coordinates]
    name = f"llvm.nvvm.cp.async.bulk.tensor.g2s.tile.{len(corner)}d"
    several = op.multicastMask is not None
    mask = em.scalar(op.multicastMask) if op.multicastMask is not None else integer(0, "i16")
    policy = hint(em, first_level=False).policy
    hinted = (policy[0], TRUE) if policy else (integer(0, "i64"), FALSE)
    rest = mask, hinted[0], TRUE if several else FALSE, hinted[1], integer(0, "i32")
    object, map = _object(em, op), em.scalar(op.tensorMapDescriptor)
    with _where(em, op.predicate):
        w.call_void(name, there, object, map, *corner, *rest)


@NVIDIA.of(TmaAsyncStoreOp)
def _store(em: Emission, op: TmaAsyncStoreOp) -> None:
    """By one thread, which the program has chosen."""
    em.require("cp.async.bulk.tensor")
    place = _place(em, op.src, op.srcIndices, op.tensorMapDescriptor.type, "takes up")
    corner = [_coordinate(em, v) for v in op.coordinates]
    name = f"llvm.nvvm.cp.async.bulk.tensor.s2g.tile.{len(corner)}d"
    map = em.scalar(op.tensorMapDescriptor)
    with _where(em, op.predicate):
        em.w.call_void(name, place, map, *corner, integer(0, "i64"), FALSE)


@NVIDIA.of(BulkCommitGroupOp)
def _commit(em: Emission, _: BulkCommitGroupOp) -> None:
    em.require("cp.async.bulk")
    em.w.call_void("llvm.nvvm.cp.async.bulk.commit.group")


@NVIDIA.of(BulkWaitGroupOp)
def _wait_for_groups(em: Emission, op: BulkWaitGroupOp) -> None:
    em.require("cp.async.bulk")
    name = "llvm.nvvm.cp.async.bulk.wait.group" + (".read" if op.read is not None else "")
    em.w.call_void(name, integer(op.group, "i32"))


@NVIDIA.of(TmaFenceOp)
def _fence(em: Emission, _: TmaFenceOp) -> None:
    """Maps are parameters, which nobody changes."""
    em.require("cp.async.bulk.tensor")


@NVIDIA.of(TmaPrefetchOp)
def _prefetch(em: Emission, op: TmaPrefetchOp) -> None:
    em.require("cp.async.bulk.tensor")
    guards = [] if op.predicate is None else [em.scalar(op.predicate)]
    text = f"{'@$0 ' * len(guards)}prefetch.tensormap [${len(guards)}];"
    place = em.w.convert("ptrtoint", em.scalar(op.tensorMapDescriptor), "i64")
    em.w.asm_void(text, [*("b" for _ in guards), "l"], *guards, place)


def _coordinate(em: Emission, value: Value) -> Ssa:
    """In 32 bits; what these do not hold is outside of any tensor, as `FARTHEST` is and the lowest number."""
    w, index = em.w, em.scalar(value)
    if integers.is_word(w, index):
        return integers.low_word(w, index)
    if w.limit(index) is None:
        index = w.call("i64", "llvm.smax.i64", index, integer(-integers.WORD_LIMIT), ahead=True)
    end = w.call("i64", "llvm.smin.i64", index, integer(FARTHEST), ahead=True)
    return w.convert("trunc", end, "i32")


def _place(em: Emission, buffer: Value[MemRefType], at: Sequence[Value], map: TensorMapType, verb: str) -> Ssa:
    """Where the box begins: with a pattern, so that nothing is mixed into it."""
    type = buffer.type
    order, row = order_behind(buffer), map.box[-1]
    tensor = tensor_order(type, order)
    width = SWIZZLES[map.swizzle]
    found = 0 if order is None else -1 if tensor is None else tensor.width
    across = type.shape[-1] if order is None or order.boxes is None else order.boxes.box
    if found != width or across != row:
        wanted = f"rows of {row} elements in the order of {map.swizzle}"
        raise em.error(f"{verb} {wanted}, found {type} in another order", "docs/semantics.md has the orders")
    memref = em.memref(buffer).rebased(order=None if order is None or order.boxes is None else Order(None, order.boxes))
    indices = em.scalars(at) if at else [integer(0)] * type.rank
    found_at: Address = placed(em.w, address(em.w, memref, indices))
    return found_at.pointer(em.w)
