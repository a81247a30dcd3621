"""Tensors that several threads, or workgroups, put together lie in a buffer that all of them write."""

from __future__ import annotations

from ..core import Operation, Value
from ..define import is_tensor
from ..dialects import memref, tensor
from ..dialects.gpu import WORKGROUP
from ..dialects.gpu_mapping import LaneIdAttr, LaneMappingAttr, MappingAttr
from ..dialects.iree_gpu_ops import ShuffleTensorOp
from ..dialects.scf_forall import ForallOp
from .table import Place, refuse, taken
from .tensors import ANYTHING, Tensors, Whereabouts, memref_type, rule


@rule(ShuffleTensorOp)
def _shuffle(tensors: Tensors, place: Place, op: ShuffleTensorOp) -> None:
    """All put their slices into one buffer, and read what they want of it before it may be written again."""
    buffer = place.value(memref.AllocOp, [], types=[memref_type(op.dest.type, op, WORKGROUP)])
    if tensors.where[op.dest] != ANYTHING:
        tensors.fill(place, op.dest, buffer, op)
        tensors.meet(place)
    tensors.fill(place, op.source, tensors.view(place, buffer, op.mixed(), op.source.type.shape), op)
    tensors.meet(place)
    tensors.where[op.body.arguments[0]] = Whereabouts(memref=buffer)
    tensors.block(op.body)
    *inner, last = op.body.operations
    for each in inner:
        place.append(op.body.remove(each))
    (result,) = last.operands
    if is_tensor.admits(op.result_):
        tensors.where[op.result_] = Whereabouts(result)
    else:
        op.result_.replace_uses(result)
    tensors.meet(place)


@rule(ForallOp)
def _forall(tensors: Tensors, place: Place, op: ForallOp) -> None:
    """The iterations write to buffers, and what follows sees what all of them wrote (`mapping.py`)."""
    rank = len(op.staticUpperBound)
    results = [Whereabouts(memref=_destination(tensors, place, op, value), writable=True) for value in op.outputs]
    tensors.where.update(zip(op.body.arguments[rank:], results, strict=True))
    tensors.where.update(zip(op.results, results, strict=True))
    tensors.block(op.body)
    del op.body.arguments[rank:]
    place.append(op.without_outputs(taken(op)))


@rule(tensor.ParallelInsertSliceOp)
def _put(tensors: Tensors, place: Place, op: tensor.ParallelInsertSliceOp) -> None:
    """What the iteration ends with is written in front of its end."""
    end = op.enclosing()
    assert end is not None
    before, where = Place(end, tensors.kernel), tensors.where[op.dest]
    assert where.memref is not None
    tensors.fill(before, op.source, tensors.view(before, where.memref, op.mixed(), op.part.shape), op)


def _destination(tensors: Tensors, place: Place, op: ForallOp, value: Value) -> Value:
    """The buffer into which the iterations put a tensor."""
    found, entry = tensors.where[value], _mapped_to(op)
    if found.memref is not None and found.writable and len(list(value.uses)) == 1:
        return found.memref
    if entry is None:
        return tensors.own_buffer(place, value, op)
    if entry.scope == "workgroup":
        hint = "begin with what a buffer holds, and let nothing else use that: bufferization.to_tensor %m writable"
        raise refuse(op, "lets workgroups put a tensor together that lies in no buffer of theirs", hint)
    if type(entry) in (LaneIdAttr, LaneMappingAttr):
        hint = "let threads do it, with #gpu.thread, or write to memrefs"
        raise refuse(op, "lets the lanes of each subgroup put a tensor of their own together", hint)
    buffer = place.value(memref.AllocOp, [], types=[memref_type(value.type, op, WORKGROUP)])
    if _is_repeated(op):
        tensors.meet(place)
    if found != ANYTHING:
        tensors.fill(place, value, buffer, op)
        tensors.meet(place)
    return buffer


def _mapped_to(op: ForallOp) -> MappingAttr | None:
    entries = () if op.mapping is None else op.mapping.values
    return next((entry for entry in entries if isinstance(entry, MappingAttr)), None)


def _is_repeated(op: Operation) -> bool:
    around = op.enclosing()
    while around is not None:
        if around.repeats:
            return True
        around = around.enclosing()
    return False
