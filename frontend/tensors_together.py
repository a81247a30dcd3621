"""Tensors that several threads, or workgroups, put together lie in a buffer that all of them write."""

from __future__ import annotations

from ..analysis.iterations import is_repeated
from ..ir.core import Value
from ..ir.define import is_tensor
from ..ir.dialects.bufferization import TensorStoreOp
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.gpu_mapping import LaneIdAttr, LaneMappingAttr
from ..ir.dialects.iree_gpu_dma import CoalescedGatherDMAOp
from ..ir.dialects.scf_forall import ForallOp
from ..ir.spread_loops import ids_of
from .dialects import tensor
from .dialects.iree_gpu_ops import ShuffleTensorOp
from .forall_mapping import needs_program
from .legalisations import TENSORS, Place, refuse, taken
from .tensors import Tensors, Whereabouts
from .tensors_in_place import put_back, put_of


@TENSORS.of(ShuffleTensorOp)
def _shuffle(tensors: Tensors, place: Place, op: ShuffleTensorOp) -> None:
    """All put their slices into one buffer, and read what they want of it before it may be written again."""
    buffer = tensors.allocate(place, op.dest, op, WORKGROUP)
    if not tensors.where[op.dest].are_anything:
        tensors.fill_together(place, op.dest, buffer, op)
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


@TENSORS.of(ForallOp)
def _forall(tensors: Tensors, place: Place, op: ForallOp) -> None:
    """The iterations write to buffers, and what follows sees what all of them wrote (`forall_mapping.py`). In an
    iteration an output is what it began as."""
    rank, around = len(op.staticUpperBound), dict[Value, Whereabouts]()
    if needs_program(place, op):
        around = _put_down(tensors, place, op)
    for number, (argument, value) in enumerate(zip(op.body.arguments[rank:], op.outputs, strict=True)):
        buffer = _destination(tensors, place, op, number)
        tensors.into[argument], tensors.where[argument] = buffer, tensors.where[value]
        tensors.where[op.results[number]] = Whereabouts(memref=buffer)
    tensors.block(op.body)
    tensors.where |= around
    for argument in op.body.arguments[rank:]:
        op.body.remove_argument(argument)
    place.append(op.without_outputs(taken(op)))


def _put_down(tensors: Tensors, place: Place, op: ForallOp) -> dict[Value, Whereabouts]:
    """Lets what the program around a program of threads holds lie in buffers for these: where it was before."""
    used = dict.fromkeys(value for inner in op.walk() for value in inner.operands if inner is not op)
    held = {value: where for value in used if (where := tensors.where.get(value)) and where.vector is not None}
    for value in held:
        tensors.where[value] = Whereabouts(memref=tensors.own_buffer(place, value, op))
    return held


@TENSORS.of(tensor.ParallelInsertSliceOp)
def _put(tensors: Tensors, place: Place, op: tensor.ParallelInsertSliceOp) -> None:
    """What the iteration ends with is written in front of its end."""
    end = op.enclosing()
    assert end is not None
    before = Place(end, tensors.kernel)
    tensors.fill(before, op.source, tensors.view(before, tensors.into[op.dest], op.mixed(), op.part.shape), op)


def _destination(tensors: Tensors, place: Place, op: ForallOp, number: int) -> Value:
    """The buffer into which the iterations put an output."""
    value = op.outputs[number]
    found, entry = tensors.where[value], ids_of(op)
    if (part := _copied_part(tensors, place, op, number)) is not None:
        return part
    if found.memref is not None and _is_overwritten(tensors, op, number):
        if is_repeated(op) and entry is not None and entry.scope != "workgroup":
            tensors.meet(place)
        return found.memref
    if entry is None:
        return tensors.own_buffer(place, value, op)
    if entry.scope == "workgroup":
        hint = (
            "begin with bufferization.to_tensor %m writable, used by nothing else; let an iteration see no more than"
            " the slice that it writes; and end with bufferization.materialize_in_destination in %m"
        )
        raise refuse(op, "lets workgroups put a tensor together that lies in no buffer of theirs", hint)
    if type(entry) in (LaneIdAttr, LaneMappingAttr):
        hint = "let threads do it, with #gpu.thread, or write to memrefs"
        raise refuse(op, "lets the lanes of each subgroup put a tensor of their own together", hint)
    buffer = tensors.allocate(place, value, op, WORKGROUP)
    if is_repeated(op):
        tensors.meet(place)
    if not found.are_anything:
        tensors.fill_together(place, value, buffer, op)
        tensors.meet(place)
    return buffer


def _copied_part(tensors: Tensors, place: Place, op: ForallOp, number: int) -> Value | None:
    """What a tile becomes that lanes copy and that then is put where it was taken from: the place in the tensor around
    it."""
    value, argument = op.outputs[number], op.body.arguments[len(op.staticUpperBound) + number]
    made = value.operation
    copies = [isinstance(user, CoalescedGatherDMAOp) and user.init is argument for user in argument.users]
    if copies != [True] or not isinstance(made, tensor.ExtractSliceOp) or len(list(value.uses)) != 1:
        return None
    put, around = put_back(tensors, made), tensors.into.get(made.source)
    if around is None or put is None or put.source is not op.results[number]:
        return None
    return tensors.view(place, around, made.mixed(), made.part.shape)


def _is_overwritten(tensors: Tensors, op: ForallOp, number: int) -> bool:
    """Whether the iterations may write where an output lies: nobody else sees what it was, and it ends up there."""
    value, argument = op.outputs[number], op.body.arguments[len(op.staticUpperBound) + number]
    if len(list(value.uses)) != 1 or value.block is not op.parent or put_of(argument) is None:
        return False
    if value in tensors.writable:
        ends = (user for user in op.results[number].users if isinstance(user, TensorStoreOp))
        if any(tensors.where[value].memref in end.operands for end in ends):
            return True
    made = value.operation
    if not isinstance(made, tensor.ExtractSliceOp):
        return False
    put, around = put_back(tensors, made), tensors.where[made.source].memref
    goes_back = put is not None and put.source is op.results[number]
    return goes_back and around is not None and tensors.into.get(made.source) is around
