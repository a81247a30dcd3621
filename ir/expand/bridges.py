"""iree_vector_ext.to_simt and to_simd: what is computed between them, element by element, is computed of whole vectors.

Which elements a thread holds is chosen later, so a program can say of them only what holds for all alike. Where it
holds all of them, as the only thread of its program or as others do, too, a bridge changes ones of the shape at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..attributes import DenseElementsAttr
from ..core import Operation, Value
from ..define import is_vector
from ..dialects import arith, vector
from ..dialects.iree_vector_ext import ToSIMDOp, ToSIMTOp
from ..dialects.longhand import cast_shape
from ..types import VectorType, element_type, shape_of
from .table import EXPAND, Place, refuse

_HINT = "say it of the whole vector: which elements a thread holds is chosen later"


@EXPAND.of(ToSIMDOp)
def _to_simd(place: Place, op: ToSIMDOp) -> Sequence[Value]:
    if _holds_all(op):
        return [cast_shape(place, op.input, op.output.type.shape)]
    return [_whole(place, op.input, op.input.type, op.output.type)]


@EXPAND.of(ToSIMTOp)
def _to_simt(place: Place, op: ToSIMTOp) -> Sequence[Value]:
    """All that is computed of it stands between bridges, and was said of the whole before."""
    if _holds_all(op):
        return [cast_shape(place, op.input, op.output.type.shape)]
    _erase_idle(op.output)
    for user in op.output.users:
        raise refuse(user, "takes what each thread holds, and is not computed back to a vector by to_simd", _HINT)
    return [op.input]


def _holds_all(op: ToSIMDOp | ToSIMTOp) -> bool:
    """Of other shapes it would have to be said which dimension is which digit of an index."""
    part, whole = ([n for n in shape_of(v.type) if n != 1] for v in (op.input, op.output))
    return part == whole


def _whole(place: Place, value: Value, part: VectorType, whole: VectorType) -> Value:
    """The vector of which threads hold `value`."""
    maker = value.operation
    if isinstance(maker, ToSIMTOp) and maker.input.type == whole:
        return maker.input
    if isinstance(maker, arith.ConstantOp) and (splat := _splat(maker, whole)) is not None:
        return place.value(arith.ConstantOp, types=[whole], value=splat)
    if isinstance(maker, vector.BroadcastOp) and not is_vector.admits(maker.source):
        return place.value(vector.BroadcastOp, maker.source, types=[whole])
    if maker is None or not maker.elementwise or not maker.operands:
        found = "comes from outside of the block" if maker is None else f"is made by '{maker.opname}'"
        raise refuse(place.before, f"takes what no to_simt of {whole} gave: it {found}", _HINT)
    return _of_wholes(place, maker, value.index, part, whole)


def _of_wholes(place: Place, maker: Operation, number: int, part: VectorType, whole: VectorType) -> Value:
    """The same elementwise operation on whole vectors."""
    operands = [
        _whole(place, v, part, VectorType(whole.shape, v.type.element)) if is_vector.admits(v) else v
        for v in maker.operands
    ]
    types = [VectorType(whole.shape, element_type(r.type)) for r in maker.results]
    return place.append(type(maker)(operands, types, maker.attributes, location=maker.location)).results[number]


def _splat(constant: arith.ConstantOp, whole: VectorType) -> DenseElementsAttr | None:
    value = constant.attributes["value"]
    if not isinstance(value, DenseElementsAttr) or not value.is_splat:
        return None
    return DenseElementsAttr(value.values[:1], whole)


def _erase_idle(value: Value) -> None:
    for user in list(value.users):
        if user.pure and user.elementwise:
            for result in user.results:
                _erase_idle(result)
            if not any(result.users for result in user.results) and user.parent is not None:
                user.parent.erase(user)
