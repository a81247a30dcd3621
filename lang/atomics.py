"""Atomic updates of elements of arrays."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.attributes import ArrayAttr, dense_i64
from ..ir.core import Value as SSA
from ..ir.dialects import memref
from ..ir.dialects.atomic_kind import AtomicRMWKindAttr
from ..ir.dialects.lanewise_update import UpdateOp
from ..ir.dialects.memref_views import CollapseShapeOp
from ..ir.types import MemRefType
from ..support.named_tuples import NamedTuple
from .accesses import At, Key, Place, fitting, flat_places, is_simple, places_of_last, steps
from .elementwise import binary
from .operands import Operand, is_float
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
    memory, base, places, on = _updated(place, mask, inside)
    whole = fitting(place, value, places.shape)
    building().op(UpdateOp, whole.ssa, memory, base, places.ssa, on.ssa, kind=attribute)
    return None


def _updated(place: Place, mask: Operand | None, inside: bool) -> tuple[SSA[MemRefType], list[SSA], Operand, Operand]:
    """The memory, the base, the places along its last axis and which elements are on."""
    last = len(place.axes) - 1
    if place.spans == [last] and not place.vectors:
        at = place.axes[last]
        places = binary("+", steps(at.extent), at.operand)
        place = place._replace(axes=(*place.axes[:-1], At(places, Key.VECTOR)))
        return place.memory, *places_of_last(place, mask, inside or at.inside)
    if is_simple(place):
        return place.memory, *places_of_last(place, mask, inside)
    number, places, on = flat_places(place, mask, inside)
    if _has_gaps(place.memory.type):
        fail(
            f"atomic updates of {place.name} along several axes need rows without gaps: it is {place.memory.type}",
            hint="loop over all axes but the last",
        )
    everything = ArrayAttr((dense_i64(range(last + 1)),))
    flat = building().value(CollapseShapeOp, place.memory, reassociation=everything)
    return flat, [number], places, on  # type: ignore[return-value]


def _has_gaps(type: MemRefType) -> bool:
    """Whether rows are not known to lie one behind the other."""
    if type.layout is None:
        return False
    (*strides, last), _ = type.strides_and_offset()
    known: list[int | None] = [last]
    for extent in reversed(type.shape[1:]):
        step = known[-1]
        known.append(None if extent is None or step is None else step * extent)
    return last != 1 or None in strides or strides != known[:0:-1]
