"""iree_vector_ext.to_simt and to_simd: what is computed between them, element by element, is computed of whole vectors.

Which elements a thread holds is chosen later, so a program can say of them only what holds for all alike. Where it
holds all of them, as the only thread of its program or as others do, too, a bridge changes ones of the shape at most.

How many a thread holds the program promises by the type: those of the layout that a to_layout states beside the bridge
(batch x outer x element, ones aside, as IREE distributes vectors), or else as many as so many threads can hold each.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.attributes import DenseElementsAttr
from ..ir.core import Operation, Value
from ..ir.define import is_vector
from ..ir.dialects import arith, vector
from ..ir.dialects.iree_vector_ext import BridgeOp, NestedLayoutAttr, ToLayoutOp, ToSIMDOp, ToSIMTOp
from ..ir.dialects.longhand import cast_shape
from ..ir.kernels import Kernel
from ..ir.types import VectorType, element_type
from .legalisations import Place, expands, refuse

_HINT = "say it of the whole vector: which elements a thread holds is chosen later"


@expands(ToSIMDOp)
def _to_simd(place: Place, op: ToSIMDOp) -> Sequence[Value]:
    _check_held(place.kernel, op, _stated_of_users(op.output))
    if _holds_all(op):
        return [cast_shape(place, op.input, op.output.type.shape)]
    return [_whole(place, op.input, op.input.type, op.output.type)]


@expands(ToSIMTOp)
def _to_simt(place: Place, op: ToSIMTOp) -> Sequence[Value]:
    """All that is computed of it stands between bridges, and was said of the whole before."""
    _check_held(place.kernel, op, _stated_of_maker(op.input))
    if _holds_all(op):
        return [cast_shape(place, op.input, op.output.type.shape)]
    _erase_idle(op.output)
    for user in op.output.users:
        raise refuse(user, "takes what each thread holds, and is not computed back to a vector by to_simd", _HINT)
    return [op.input]


def _holds_all(op: BridgeOp) -> bool:
    """Whether a thread holds all of a vector, up to ones of its shape; of other shapes it would have to be said which
    dimension is which digit of an index."""
    return _without_ones(op.input.type.shape) == _without_ones(op.output.type.shape)


# -- what a thread's type promises ------------------------------------------------------------------------------------


def _check_held(kernel: Kernel, op: BridgeOp, stated: ToLayoutOp | None) -> None:
    part, whole = (v.type for v in op.parts())
    if stated is not None and isinstance(layout := stated.layout, NestedLayoutAttr):
        held = (*layout.batch_tile, *layout.outer_tile, *layout.element_tile)
        if _without_ones(held) != _without_ones(part.shape):
            expected = VectorType(held, part.element)
            raise refuse(op, f"has {part} of a thread, the layout that to_layout states gives it {expected}")
        return
    threads = _threads_of(kernel)
    if whole.elements % part.elements or whole.elements // part.elements > threads:
        found = f"has {part.elements} of {whole.elements} elements of a thread"
        raise refuse(op, f"{found}, {threads} threads cannot hold equal shares of so many")


def _threads_of(kernel: Kernel) -> int:
    """The threads of one owner of vectors."""
    if kernel.scope == "thread":
        return 1
    return kernel.subgroup_size or kernel.threads if kernel.scope == "subgroup" else kernel.threads


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [n for n in shape if n != 1]


def _stated_of_maker(value: Value) -> ToLayoutOp | None:
    """The to_layout of which, element by element, a value is made, if there is one."""
    seen, pending = set[Value](), [value]
    while pending:
        maker = pending.pop().operation
        if isinstance(maker, ToLayoutOp):
            return maker
        if maker is not None and maker.elementwise:
            pending += [v for v in maker.operands if v not in seen and is_vector.admits(v)]
            seen.update(maker.operands)
    return None


def _stated_of_users(value: Value) -> ToLayoutOp | None:
    """The to_layout that takes what is made, element by element, of a value, if there is one."""
    seen, pending = set[Operation](), [value]
    while pending:
        for user in pending.pop().users:
            if isinstance(user, ToLayoutOp):
                return user
            if user.elementwise and user not in seen:
                seen.add(user)
                pending += user.results
    return None


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
        found = "comes from outside of the block" if maker is None else f"is made by '{maker.written.opname}'"
        raise refuse(place.before, f"takes what no to_simt of {whole} gave: it {found}", _HINT)
    return _of_wholes(place, maker, value.index, part, whole)


def _of_wholes(place: Place, maker: Operation, number: int, part: VectorType, whole: VectorType) -> Value:
    """The same elementwise operation on whole vectors."""
    operands = [
        _whole(place, v, part, VectorType(whole.shape, v.type.element)) if is_vector.admits(v) else v
        for v in maker.operands
    ]
    types = [VectorType(whole.shape, element_type(r.type)) for r in maker.results]
    return place.append(type(maker)(operands, types, maker.attributes, location=maker)).results[number]


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
