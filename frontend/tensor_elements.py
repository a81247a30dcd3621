"""Operations of one owner on its tensors: where the elements of what they make are."""

from __future__ import annotations

from ..ir.affine import AffineMap
from ..ir.attributes import dense_i64
from ..ir.core import Operation, Value
from ..ir.dialects import arith, memref, vector
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.bufferization import LoadFromBufferOp, MaterializeOp, StoreToBufferOp, ToTensorOp
from ..ir.dialects.constants import constant_int
from ..ir.dialects.iree_vector_ext import TensorToLayoutOp, ToLayoutOp
from ..ir.dialects.longhand import broadcast, cast_shape, extract, select, strided_slice, with_slice
from ..ir.dialects.vector_transfer import TensorReadOp, TensorWriteOp, TransferOp, TransferReadOp, TransferWriteOp
from ..ir.spread_loops import ids_of
from .affine import number
from .dialects import tensor
from .legalisations import TENSORS, Place
from .tensors import Tensors, Whereabouts, extents, sizes_of, vector_type
from .tensors_in_place import may_change_slice


@TENSORS.of(tensor.EmptyOp)
def _empty(tensors: Tensors, place: Place, op: tensor.EmptyOp) -> None:
    tensors.where[op.result_] = Whereabouts(sizes=op.dynamicSizes)


@TENSORS.of(tensor.SplatOp)
def _splat(tensors: Tensors, place: Place, op: tensor.SplatOp) -> None:
    tensors.where[op.result_] = Whereabouts(broadcast(place, op.input, extents(op.result_.type, op)))


@TENSORS.of(tensor.FromElementsOp)
def _from_elements(tensors: Tensors, place: Place, op: tensor.FromElementsOp) -> None:
    type = vector_type(op.result_.type, op)
    tensors.where[op.result_] = Whereabouts(place.value(vector.FromElementsOp, op.elements, types=[type]))


@TENSORS.of(arith.TensorConstantOp)
def _constant(tensors: Tensors, place: Place, op: arith.TensorConstantOp) -> None:
    elements = op.elements
    assert elements is not None
    made = place.value(arith.ConstantOp, types=[elements.type], value=elements)
    tensors.where[op.result_] = Whereabouts(made)


@TENSORS.of(ToTensorOp)
def _to_tensor(tensors: Tensors, place: Place, op: ToTensorOp) -> None:
    tensors.where[op.result_] = Whereabouts(memref=op.buffer)
    if op.writable is not None:
        tensors.writable.add(op.result_)


@TENSORS.of(LoadFromBufferOp)
def _load_from_buffer(tensors: Tensors, place: Place, op: LoadFromBufferOp) -> None:
    """What the buffer holds now: it is read at once where the kernel writes it."""
    lying = Whereabouts(memref=op.buffer)
    tensors.where[op.tensor] = lying
    if tensors.changes(op.buffer):
        tensors.where[op.tensor] = Whereabouts(tensors.vector(place, op.tensor, op))


@TENSORS.of(TensorToLayoutOp)
def _to_layout(tensors: Tensors, place: Place, op: TensorToLayoutOp) -> None:
    whole = tensors.vector(place, op.input, op)
    made = place.value(ToLayoutOp, whole, types=[whole.type], **op.attributes)
    tensors.where[op.output] = Whereabouts(made)


@TENSORS.of(MaterializeOp)
def _materialize(tensors: Tensors, place: Place, op: MaterializeOp) -> None:
    _store(tensors, place, op.source, op.dest, op)


def _same_place(a: Value, b: Value) -> bool:
    made, other = a.operation, b.operation
    if a is b or not isinstance(made, memref.SubViewOp) or not isinstance(other, memref.SubViewOp):
        return a is b
    return made.operands == other.operands and made.attributes == other.attributes


@TENSORS.of(StoreToBufferOp)
def _store_to_buffer(tensors: Tensors, place: Place, op: StoreToBufferOp) -> None:
    _store(tensors, place, op.tensor, op.buffer, op)


def _store(tensors: Tensors, place: Place, value: Value, buffer: Value, op: Operation) -> None:
    """What threads put together is one tensor for all of them: one of them stores it."""
    lies, made = tensors.where[value].memref, value.operation
    if lies is not None and _same_place(lies, buffer):
        return
    if made is not None and ids_of(made) is not None and place.scope == "thread":
        tensors.fill_together(place, value, buffer, op)
    else:
        tensors.fill(place, value, buffer, op)


@TENSORS.of(tensor.DimOp)
def _dim(tensors: Tensors, place: Place, op: tensor.DimOp) -> None:
    dim, where = constant_int(op.index), tensors.where[op.source]
    if where.memref is not None:
        found = place.value(memref.DimOp, where.memref, op.index)
    else:
        sizes = sizes_of(tensors, place, op.source)
        found = sizes[dim] if dim is not None and dim < len(sizes) else _picked(place, op.index, sizes)
    op.result_.replace_uses(found)


def _picked(place: Place, index: Value, sizes: list[Value]) -> Value:
    """That of a dimension which the program computes."""
    found = sizes[-1]
    for dim, size in reversed(list(enumerate(sizes[:-1]))):
        is_it = place.value(arith.CmpIOp, index, number(place, dim), predicate=IntegerPredicateAttr("eq"))
        found = select(place, is_it, size, found)
    return found


@TENSORS.of(tensor.ExtractOp)
def _extract(tensors: Tensors, place: Place, op: tensor.ExtractOp) -> None:
    known = [constant_int(i) for i in op.indices]
    where = tensors.where[op.tensor]
    if where.vector is not None and None not in known:
        found = extract(place, where.vector, [n for n in known if n is not None])
    else:
        found = place.value(memref.LoadOp, tensors.buffer(place, op.tensor, op), op.indices)
    op.result_.replace_uses(found)


@TENSORS.of(tensor.InsertOp)
def _insert(tensors: Tensors, place: Place, op: tensor.InsertOp) -> None:
    known = [constant_int(i) for i in op.indices]
    if None not in known and tensors.where[op.dest].memref is None:
        whole = tensors.vector(place, op.dest, op)
        position = dense_i64([n for n in known if n is not None])
        made = place.value(vector.InsertOp, op.scalar, whole, [], static_position=position)
        tensors.where[op.result_] = Whereabouts(made)
        return
    buffer = tensors.own_buffer(place, op.dest, op)
    place.op(memref.StoreOp, op.scalar, buffer, op.indices)
    tensors.where[op.result_] = Whereabouts(memref=buffer)


@TENSORS.of(TensorReadOp)
def _read(tensors: Tensors, place: Place, op: TensorReadOp) -> None:
    where = tensors.where[op.source]
    if where.vector is not None and _is_whole(op):
        op.vector.replace_uses(where.vector)
        return
    buffer, mask = tensors.buffer(place, op.source, op), [op.mask] if op.mask is not None else []
    types, attributes = [op.vector.type], op.attributes
    read = place.value(TransferReadOp, buffer, op.indices, op.padding, mask, types=types, **attributes)
    op.vector.replace_uses(read)


@TENSORS.of(TensorWriteOp)
def _write(tensors: Tensors, place: Place, op: TensorWriteOp) -> None:
    if _is_whole(op):
        tensors.where[op.result_] = Whereabouts(op.value)
        return
    buffer, mask = tensors.own_buffer(place, op.dest, op), [op.mask] if op.mask is not None else []
    map, flags = op.permutation_map, op.in_bounds
    place.op(TransferWriteOp, op.value, buffer, op.indices, mask, types=[], permutation_map=map, in_bounds=flags)
    tensors.where[op.result_] = Whereabouts(memref=buffer)


def _is_whole(op: TransferOp) -> bool:
    """Whether the vector is the tensor, element by element."""
    begins = all(constant_int(i) == 0 for i in op.indices)
    same = op.vector_type.shape == op.memref_type.shape and op.map == AffineMap.identity(len(op.shape))
    return begins and same and op.mask is None


# -- slices -----------------------------------------------------------------------------------------------------------


@TENSORS.of(tensor.ExtractSliceOp)
def _extract_slice(tensors: Tensors, place: Place, op: tensor.ExtractSliceOp) -> None:
    where, corner = tensors.where[op.source], _corner(op)
    if where.are_anything:
        tensors.where[op.result_] = Whereabouts(sizes=tuple(n for n in op.mixed()[1] if isinstance(n, Value)))
    elif where.vector is not None and corner is not None:
        offsets, sizes = corner
        part = strided_slice(place, where.vector, offsets, sizes)
        tensors.where[op.result_] = Whereabouts(cast_shape(place, part, extents(op.result_.type, op)))
    else:
        buffer = tensors.buffer(place, op.source, op)
        part = tensors.view(place, buffer, op.mixed(), op.part.shape)
        tensors.where[op.result_] = Whereabouts(memref=part)
        if may_change_slice(tensors, op):
            tensors.writable.add(op.result_)


@TENSORS.of(tensor.InsertSliceOp)
def _insert_slice(tensors: Tensors, place: Place, op: tensor.InsertSliceOp) -> None:
    corner = _corner(op)
    if corner is not None and tensors.where[op.dest].memref is None:
        offsets, sizes = corner
        part = cast_shape(place, tensors.vector(place, op.source, op), sizes)
        made = with_slice(place, part, tensors.vector(place, op.dest, op), offsets)
        tensors.where[op.result_] = Whereabouts(made)
        return
    buffer = tensors.own_buffer(place, op.dest, op)
    tensors.fill(place, op.source, tensors.view(place, buffer, op.mixed(), op.part.shape), op)
    tensors.where[op.result_] = Whereabouts(memref=buffer)


def _corner(op: tensor.Slice) -> tuple[list[int], list[int]] | None:
    """Offsets and sizes where all are numbers and neighbours stay neighbours."""
    offsets, sizes, strides = op.static_offsets, op.static_sizes, op.static_strides
    if None in (*offsets, *sizes) or set(strides) - {1}:
        return None
    return [n for n in offsets if n is not None], [n for n in sizes if n is not None]
