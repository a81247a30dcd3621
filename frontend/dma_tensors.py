"""iree_gpu's operations on tensors that threads copy to, or that lie in raw buffers: memrefs of them."""

from __future__ import annotations

from ..analysis.iterations import is_repeated
from ..ir.attributes import UnitAttr
from ..ir.core import Value
from ..ir.define import is_tensor
from ..ir.dialects import arith
from ..ir.dialects.amdgpu_buffers import SWIZZLE_BITS, FatRawBufferCastOp, buffer_type
from ..ir.dialects.bufferization import AllocTensorOp
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.iree_codegen import TensorSwizzleHintOp
from ..ir.dialects.iree_gpu_dma import AsyncDMAOp, BufferResourceCastOp, CoalescedGatherDMAOp
from ..ir.dialects.memref import memref_type
from ..ir.memory_spaces import STORAGE, is_workgroup
from ..ir.types import IntegerType
from .legalisations import TENSORS, Place, refuse
from .tensors import Tensors, Whereabouts


@TENSORS.of(BufferResourceCastOp)
def _buffer_resource_cast(tensors: Tensors, place: Place, op: BufferResourceCastOp) -> None:
    """Where the tensor lies in one of IREE's storage buffers, that is a raw buffer which begins at the memref's first
    element; where it does not, this says nothing."""
    found = tensors.where[op.input]
    buffer = found.memref
    if buffer is not None and str(memref_type(buffer).memory_space) == STORAGE:
        stride = [] if op.cache_swizzle_stride is None else [_stride(place, op.cache_swizzle_stride)]
        type = buffer_type(memref_type(buffer), reset=True)
        made = place.value(
            FatRawBufferCastOp, buffer, [], stride, types=[type], resetOffset=UnitAttr(),
        )  # fmt: skip
        found = Whereabouts(memref=made)
    tensors.where[op.result_] = found


def _stride(place: Place, bytes_: Value) -> Value:
    return place.value(arith.IndexCastOp, bytes_, types=[IntegerType(SWIZZLE_BITS)])


@TENSORS.of(AllocTensorOp)
def _alloc_tensor(tensors: Tensors, place: Place, op: AllocTensorOp) -> None:
    """Others of the workgroup see what a thread makes of it by the operations that copy together alone."""
    shared = op.memory_space is not None and is_workgroup(op.memory_space) and tensors.kernel.scope == "thread"
    if shared and not _is_copied_to(op.result_):
        hint = "let scf.forall or iree_gpu.shuffle_tensor put it together, or iree_gpu.async_dma copy to it"
        raise refuse(op, "is a tensor of all threads, which one thread's program cannot change", hint)
    found = Whereabouts(sizes=op.dynamic_sizes)
    tensors.where[op.result_] = found if op.copy is None else tensors.where[op.copy]


def _is_copied_to(value: Value) -> bool:
    """Whether nothing but copies of all threads, to the whole of it, use a tensor."""
    hinted = [user for user in value.users if isinstance(user, TensorSwizzleHintOp)]
    others = [user for user in value.users if user not in hinted]
    return all(isinstance(user, AsyncDMAOp) for user in others) and all(_is_copied_to(h.result_) for h in hinted)


@TENSORS.of(CoalescedGatherDMAOp)
def _coalesced_gather(tensors: Tensors, place: Place, op: CoalescedGatherDMAOp) -> None:
    """What the iteration ends with is copied in front of its end."""
    if not op.ends_an_iteration:
        hint = "let it stand in scf.forall.in_parallel, or copy to a memref"
        raise refuse(op, "gives a tensor of a subgroup, which lanewise has no place for", hint)
    end = op.enclosing()
    assert end is not None
    before = Place(end, tensors.kernel)
    before.location = op.location
    source = tensors.buffer(before, op.source, op)
    indices = [tensors.buffer(before, v, op) if is_tensor.admits(v) else v for v in op.indices]
    given = (source, indices, tensors.into[op.init], op.lane)
    before.op(CoalescedGatherDMAOp, *given, types=[], in_bounds=op.in_bounds)
    for result in op.results:
        tensors.where[result] = Whereabouts()


@TENSORS.of(AsyncDMAOp)
def _async_dma(tensors: Tensors, place: Place, op: AsyncDMAOp) -> None:
    source = tensors.buffer(place, op.source, op) if is_tensor.admits(op.source) else op.source
    dest = _destination(tensors, place, op) if is_tensor.admits(op.dest) else op.dest
    place.op(
        AsyncDMAOp, source, op.source_indices, dest, op.dest_indices, types=[], transfer_type=op.transfer_type,
        permutation_map=op.permutation_map, in_bounds=op.in_bounds,
    )  # fmt: skip
    for result in op.results:
        tensors.where[result] = Whereabouts(memref=dest)


def _destination(tensors: Tensors, place: Place, op: AsyncDMAOp) -> Value:
    """A buffer of all threads with what `dest` has."""
    buffer = tensors.allocate(place, op.dest, op, WORKGROUP)
    if is_repeated(op):
        tensors.meet(place)
    if not tensors.where[op.dest].are_anything:
        tensors.fill_together(place, op.dest, buffer, op)
        tensors.meet(place)
    return buffer
