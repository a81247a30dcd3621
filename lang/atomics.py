"""Atomic updates of elements of arrays."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.dialects import memref
from ..ir.dialects.atomic_kind import AtomicRMWKindAttr
from ..ir.dialects.lanewise_update import UpdateOp
from ..ir.dialects.vector import StepOp
from ..support.named_tuples import NamedTuple
from .accesses import At, Key, Place, is_simple, places_of_last
from .dtypes import index
from .elementwise import binary
from .operands import Operand, is_float, type_of
from .shapes import broadcast
from .trace import building, fail


class Update(NamedTuple):
    """The kinds of one word, by what elements are; an empty word where there is none."""

    floats: str
    signed: str
    unsigned: str


KINDS: Mapping[str, Update] = {
    "add": Update("addf", "addi", "addi"),
    "mul": Update("mulf", "muli", "muli"),
    "max": Update("maximumf", "maxs", "maxu"),
    "min": Update("minimumf", "mins", "minu"),
    "and": Update("", "andi", "andi"),
    "or": Update("", "ori", "ori"),
    "xor": Update("", "xori", "xori"),
    "exchange": Update("assign", "assign", "assign"),
}


def update(kind: str, place: Place, value: Operand, mask: Operand | None, inside: bool) -> Operand | None:
    """Joins elements with a value; of one element, what was there before."""
    if value.dtype != place.dtype:
        fail(
            f"{place.name} holds {place.dtype}, found {value.text}",
            value.made,
            hint=f"convert it: .to({place.name}.dtype)",
        )
    row = KINDS[kind]
    word = row.floats if is_float(place.dtype) else row.unsigned if place.dtype.unsigned else row.signed
    if not word:
        fail(f"'{kind}' does not update {place.dtype}")
    attribute = AtomicRMWKindAttr(word)
    if not place.spans and not place.vectors:
        if value.shape:
            fail(f"{place.name}[...] is one element, the value is {value.text}", value.made)
        if mask is not None:
            fail("one element is updated without a mask", hint="put it into an `if`")
        made = building().value(memref.AtomicRMWOp, value.ssa, place.memory, place.starts, kind=attribute)
        return Operand(made, place.dtype)
    place, known = _of_vector(place)
    base, places, on = places_of_last(place, mask, inside or known)
    whole = broadcast(value, places.shape) if len(value.shape) <= len(places.shape) else value
    if whole.shape != places.shape:
        fail(f"{place.name}.at[...] has the shape {places.shape}, the value is {value.text}", value.made)
    building().op(UpdateOp, whole.ssa, place.memory, base, places.ssa, on.ssa, kind=attribute)
    return None


def _of_vector(place: Place) -> tuple[Place, bool]:
    """The place with a vector for a span on the last axis, and whether all of it is in the array."""
    last = len(place.axes) - 1
    if place.spans == [last] and not place.vectors:
        at = place.axes[last]
        steps = Operand(building().value(StepOp, types=[type_of(index, (at.extent,))]), index)
        places = binary("+", steps, at.operand)
        return place._replace(axes=(*place.axes[:-1], At(places, Key.VECTOR))), at.inside
    if not is_simple(place):
        fail(
            f"atomic updates of {place.name} go along its last axis, with numbers for the others",
            hint="loop over the others, or index a view of one axis",
        )
    return place, False
