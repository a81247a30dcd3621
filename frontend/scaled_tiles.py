"""Products of scaled operands, of what lanes hold: `amdgpu.scaled_mfma`, one after the other.

    %d = iree_codegen.inner_tiled ins(%a, %b, %x, %y) outs(%c) {maps, kind = #iree_gpu.scaled_mma_layout<..>, ..}
        : vector<2x32xf4E2M1FN>, vector<2x32xf4E2M1FN>, vector<2x1xf8E8M0FNU>, vector<2x1xf8E8M0FNU> into vector<4xf32>

The inner dimensions are the instruction's operands in register order, of scales the one that the lane has; the maps say
which of them meet at each place of the iterators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from ..ir.affine import AffineMap
from ..ir.attributes import IntegerAttr, dense_i64
from ..ir.core import Value
from ..ir.dialects import vector
from ..ir.dialects.amdgpu_scaled import ScaledMfmaOp
from ..ir.dialects.longhand import cast_shape, extract
from ..ir.types import I32, shape_of
from ..targets.mfma_scaled import ScaledMfma
from .dialects.inner_tiled import InnerTiledOp
from .dialects.iree_gpu_scaled import ScaledMMALayoutAttr
from .legalisations import Place, refuse

_ACCUMULATOR = 4
"""The number of the accumulator among the operands."""


def scaled_product(place: Place, op: InnerTiledOp) -> Value:
    kind = op.kind
    if not isinstance(kind, ScaledMMALayoutAttr):
        raise refuse(op, f"is of {kind}, which lanewise does not compute tile by tile")
    form = kind.form
    if form is None:
        raise refuse(op, f"is of {kind}, an instruction that there is not")
    if not op.is_distributed:
        hint = 'say what each lane holds, in a program with lanewise.scope = "thread" (distributed = true)'
        raise refuse(op, "is of whole tiles of scaled operands, of which no layouts are chosen", hint)
    if place.scope != "thread":
        hint = 'lanes hold tiles in programs of single threads, which have lanewise.scope = "thread"'
        raise refuse(op, f"is of what a lane holds, in the program of a {place.scope}", hint)
    if op.attributes.keys() - set(op.property_names()):
        raise refuse(op, "has a lowering_config, and is one instruction of a lane already")
    return _instructions(place, op, form, exchanged=kind.col_major)


def _instructions(place: Place, op: InnerTiledOp, form: ScaledMfma, *, exchanged: bool) -> Value:
    """Summed iterators go outermost, so that neighbouring instructions do not wait for each other."""
    extents = op.iterator_extents
    order = sorted(range(len(extents)), key=lambda it: op.iterators[it] == "parallel")
    accumulators: dict[tuple[int, ...], Value] = {}
    for point in product(*(range(extents[it]) for it in order)):
        at = dict(zip(order, point, strict=True))
        lhs, rhs, of_lhs, of_rhs = (_held(place, op, number, at) for number in range(_ACCUMULATOR))
        where = _index(op.maps[_ACCUMULATOR], at)
        if where not in accumulators:
            accumulators[where] = _held(place, op, _ACCUMULATOR, at)
        operands = (rhs, lhs, of_rhs, of_lhs) if exchanged else (lhs, rhs, of_lhs, of_rhs)
        accumulators[where] = _multiply(place, form, *operands, accumulators[where])
    total = op.operands[_ACCUMULATOR]
    inner = shape_of(total.type)[len(op.maps[_ACCUMULATOR].results) :]
    for where, part in accumulators.items():
        whole = cast_shape(place, part, inner)
        total = place.value(vector.InsertOp, whole, total, [], static_position=dense_i64(where)) if where else whole
    return total


def _index(map: AffineMap, at: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(at[dim] for dim in map.result_dims() or () if dim is not None)


def _held(place: Place, op: InnerTiledOp, number: int, at: Mapping[int, int]) -> Value:
    """What a lane has of an operand at a place of the iterators, in one row."""
    where = _index(op.maps[number], at)
    value = extract(place, op.operands[number], where) if where else op.operands[number]
    count = 1
    for extent in shape_of(value.type):
        count *= extent
    return cast_shape(place, value, (count,))


def _multiply(place: Place, form: ScaledMfma, a: Value, b: Value, of_a: Value, of_b: Value, c: Value) -> Value:
    shape = {name: IntegerAttr(extent, I32) for name, extent in zip("mnk", form.shape, strict=True)}
    first = {name: IntegerAttr(0, I32) for name in ("scalesIdxA", "scalesIdxB")}
    scales: Sequence[Value] = [extract(place, value, (0,)) for value in (of_a, of_b)]
    return place.value(ScaledMfmaOp, a, b, c, *scales, types=[c.type], **shape, **first)
