"""Tensors of other shapes, padded, joined or computed: where their elements are."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.iterations import is_inside
from ..ir.affine import AffineMap, AffineMapAttr
from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.cloning import clone
from ..ir.core import Operation, Value
from ..ir.define import is_tensor
from ..ir.dialects import arith, memref, memref_views
from ..ir.dialects import tensor_shapes as shapes
from ..ir.dialects.longhand import broadcast, cast_shape, with_slice
from ..ir.dialects.memref_views import collapsed_type, expanded_type
from ..ir.dialects.ub import PoisonOp
from ..ir.dialects.vector_transfer import TransferReadOp
from ..ir.dynamic_index_list import merge, static_attr
from ..ir.types import I1, MemRefType, VectorType, element_type
from .affine import number
from .dialects.iree_linalg_ext import MapStoreOp, TensorMapStoreOp
from .legalisations import EXPAND, TENSORS, Place, refuse, taken
from .map_store import AllIndices
from .tensors import Tensors, Whereabouts, extents, sizes_of, vector_type
from .tensors_in_place import buffer_to_change, hand_on

EXPAND.needless("ends a region that says what an element of a tensor is", shapes.YieldOp)


@TENSORS.of(shapes.CastOp)
def _cast(tensors: Tensors, place: Place, op: shapes.CastOp) -> None:
    found, target = tensors.where[op.source], op.dest.type
    if found.memref is not None:
        type = found.memref.type
        assert isinstance(type, MemRefType)
        seen = MemRefType(target.shape, type.element, type.layout, type.memory_space)
        view = found.memref if seen == type else place.value(memref.CastOp, found.memref, types=[seen])
        tensors.where[op.dest] = Whereabouts(memref=view)
    elif found.vector is not None:
        tensors.where[op.dest] = found
    else:
        sizes = sizes_of(tensors, place, op.source)
        tensors.where[op.dest] = Whereabouts(
            sizes=tuple(size for size, n in zip(sizes, target.shape, strict=True) if n is None)
        )
    hand_on(tensors, op, op.source, op.dest)


@TENSORS.of(shapes.BitcastOp)
def _bitcast(tensors: Tensors, place: Place, op: shapes.BitcastOp) -> None:
    whole, type = tensors.vector(place, op.source, op), vector_type(op.dest.type, op)
    tensors.where[op.dest] = Whereabouts(place.value(arith.BitcastOp, whole, types=[type]))


@TENSORS.of(shapes.ExpandShapeOp)
def _expand(tensors: Tensors, place: Place, op: shapes.ExpandShapeOp) -> None:
    found = tensors.where[op.src]
    if found.memref is not None:
        type = found.memref.type
        assert isinstance(type, MemRefType)
        seen = expanded_type(type, op.result_.type.shape, op.groups)
        view = place.value(
            memref_views.ExpandShapeOp,
            found.memref,
            op.output_shape,
            types=[seen],
            reassociation=op.reassociation,
            static_output_shape=static_attr(op.static_output_shape),
        )
        tensors.where[op.result_] = Whereabouts(memref=view)
        hand_on(tensors, op, op.src, op.result_)
    elif found.are_anything:
        tensors.where[op.result_] = Whereabouts(sizes=op.output_shape)
    else:
        _reshaped(tensors, place, op, op.src, op.result_)


@TENSORS.of(shapes.CollapseShapeOp)
def _collapse(tensors: Tensors, place: Place, op: shapes.CollapseShapeOp) -> None:
    found = tensors.where[op.src]
    type = None if found.memref is None else found.memref.type
    seen = collapsed_type(type, op.result_.type.shape, op.groups) if isinstance(type, MemRefType) else None
    if found.memref is None or seen is None:
        _reshaped(tensors, place, op, op.src, op.result_)
        return
    view = place.value(memref_views.CollapseShapeOp, found.memref, types=[seen], reassociation=op.reassociation)
    tensors.where[op.result_] = Whereabouts(memref=view)
    hand_on(tensors, op, op.src, op.result_)


@TENSORS.of(shapes.ReshapeOp)
def _reshape(tensors: Tensors, place: Place, op: shapes.ReshapeOp) -> None:
    _reshaped(tensors, place, op, op.source, op.result_)


def _reshaped(tensors: Tensors, place: Place, op: Operation, source: Value, result: Value) -> None:
    whole = tensors.vector(place, source, op)
    tensors.where[result] = Whereabouts(cast_shape(place, whole, extents(result.type, op)))


@TENSORS.of(shapes.RankOp)
def _rank(tensors: Tensors, place: Place, op: shapes.RankOp) -> None:
    op.result_.replace_uses(number(place, len(op.tensor.type.shape)))


@TENSORS.of(shapes.ConcatOp)
def _concat(tensors: Tensors, place: Place, op: shapes.ConcatOp) -> None:
    whole = place.value(PoisonOp, types=[vector_type(op.result_.type, op)])
    start = 0
    for value in op.inputs:
        part = tensors.vector(place, value, op)
        offsets = [0] * len(extents(value.type, op))
        offsets[op.dim] = start
        whole = with_slice(place, part, whole, offsets)
        start += extents(value.type, op)[op.dim]
    tensors.where[op.result_] = Whereabouts(whole)


# -- of indices -------------------------------------------------------------------------------------------------------


@TENSORS.of(shapes.GenerateOp)
def _generate(tensors: Tensors, place: Place, op: shapes.GenerateOp) -> None:
    """All elements are computed at once: extents that the type leaves open may be constants."""
    shape = op.known_shape() or extents(op.result_.type, op)
    (found,) = AllIndices(place, op.body, shape).results
    tensors.where[op.result_] = Whereabouts(broadcast(place, found, shape))


@TENSORS.of(shapes.PadOp)
def _pad(tensors: Tensors, place: Place, op: shapes.PadOp) -> None:
    type, padding = vector_type(op.result_.type, op), _padding(place, op)
    found, low = tensors.where[op.source], op.static_low
    if found.vector is not None and None not in low:
        around = broadcast(place, padding, type.shape)
        offsets = [n for n in low if n is not None]
        tensors.where[op.result_] = Whereabouts(with_slice(place, found.vector, around, offsets))
        return
    buffer = tensors.buffer(place, op.source, op)
    start = [_negative(place, n) for n in merge(low, op.low)]
    tensors.where[op.result_] = Whereabouts(_read(place, buffer, start, padding, type))


def _padding(place: Place, op: shapes.PadOp) -> Value:
    """The one number that all elements around have."""
    *inner, last = op.body.operations
    values: dict[Value, Value] = {}
    if any(is_argument_of(value, op) for each in (*inner, last) for value in each.operands) or not all(
        each.pure for each in inner
    ):
        raise refuse(op, "pads with what differs from element to element", "pad with one value, or generate the tensor")
    for each in inner:
        place.append(clone(each, values))
    (value,) = last.operands
    return values.get(value, value)


def is_argument_of(value: Value, op: Operation) -> bool:
    return is_inside(value, op) and value.operation is None


def _negative(place: Place, low: int | Value) -> Value:
    if isinstance(low, int):
        return number(place, -low)
    return place.value(arith.SubIOp, number(place, 0), low)


def _read(place: Place, buffer: Value, start: Sequence[Value], padding: Value, type: VectorType) -> Value:
    """What lies there from `start` on; the padding where that is outside."""
    flags = ArrayAttr((IntegerAttr(0, I1),) * type.rank)
    map = AffineMapAttr(AffineMap.identity(type.rank))
    assert element_type(buffer.type) == padding.type
    return place.value(TransferReadOp, buffer, start, padding, [], types=[type], permutation_map=map, in_bounds=flags)


@TENSORS.of(TensorMapStoreOp)
def _map_store(tensors: Tensors, place: Place, op: TensorMapStoreOp) -> None:
    """Into a buffer of the tensor's, or where it lies if its extents are open."""
    lies = None in op.output.type.shape
    buffer = buffer_to_change(tensors, op.output, op) if lies else tensors.own_buffer(place, op.output, op)
    value = tensors.vector(place, op.input, op) if is_tensor.admits(op.input) else op.input
    place.op(MapStoreOp, value, buffer, types=[], regions=[taken(op)])
    tensors.where[op.result_] = Whereabouts(memref=buffer)
    if lies:
        tensors.writable.add(op.result_)


@TENSORS.of(shapes.GatherOp, shapes.ScatterOp)
def _looked_up(tensors: Tensors, place: Place, op: Operation) -> None:
    hint = "look it up in the buffer: iree_vector_ext.transfer_gather and transfer_scatter take vectors of indices"
    raise refuse(op, "takes coordinates out of a tensor, which no kernel of lanewise does", hint)
