"""Reads and writes of parts of arrays: which operation a place becomes, by what stands for each axis."""

from __future__ import annotations

import functools
from enum import Enum
from typing import Any

from ..ir.affine import AffineExpr, AffineMap, AffineMapAttr, Constant, Dim, Symbol
from ..ir.attributes import ArrayAttr, IntegerAttr, StringAttr, UnitAttr
from ..ir.cache_hints import PRIORITIES, PRIORITY
from ..ir.core import Value as SSA
from ..ir.dialects import arith, gpu, memref, vector
from ..ir.dialects.constants import constant_int
from ..ir.dialects.indexed_transfers import TransferGatherOp, TransferScatterOp
from ..ir.dialects.vector_gather import DISTINCT, GatherOp, ScatterOp
from ..ir.types import I1, INDEX, MemRefType, VectorType
from ..support.named_tuples import NamedTuple
from .dtypes import DType, i1, index
from .elementwise import binary, compare, convert
from .operands import Operand, constant, type_of
from .shapes import broadcast, common_shape, reshape
from .trace import building, fail


class Key(Enum):
    """What stands for an axis."""

    NUMBER = 0
    SPAN = 1
    VECTOR = 2


class At(NamedTuple):
    """Where along one axis: at a number or a vector of places, or from a number on."""

    operand: Operand
    key: Key
    extent: int = 1
    inside: bool = False


class Place(NamedTuple):
    """A part of an array."""

    memory: SSA[MemRefType]
    dtype: DType
    name: str
    axes: tuple[At, ...]

    @property
    def spans(self) -> list[int]:
        return [d for d, at in enumerate(self.axes) if at.key is Key.SPAN]

    @property
    def vectors(self) -> list[int]:
        return [d for d, at in enumerate(self.axes) if at.key is Key.VECTOR]

    @property
    def starts(self) -> list[SSA]:
        return [at.operand.ssa for at in self.axes]


Hints = dict[str, Any]


def hints(cache: str | None) -> Hints:
    """What a cache word is on an access."""
    if cache is None:
        return {}
    if cache not in PRIORITIES:
        fail(f"cache is one of {', '.join(PRIORITIES)}, found {cache!r}")
    return {PRIORITY: StringAttr(cache)}


def grid_axis(operand: Operand) -> str | None:
    """The axis of the grid whose number of the workgroup a value is."""
    op = operand.ssa.operation
    return op.dimension.value if isinstance(op, gpu.BlockIdOp) else None


def read(place: Place, pad: Operand | None, mask: Operand | None, inside: bool | None, extra: Hints) -> Operand:
    """A part of an array; `pad`, where it is given, is what stands outside of the array, else zero."""
    if not place.spans and not place.vectors:
        return _of_one(place, pad, mask, extra)
    pad = constant(0, place.dtype) if pad is None else pad
    if pad.dtype != place.dtype or pad.shape:
        fail(f"{place.name} is padded with one {place.dtype}, found {pad.text}", pad.made)
    if place.vectors:
        return _gathered(place, pad, mask, inside, extra)
    shape = tuple(place.axes[d].extent for d in place.spans)
    on = _mask(place, mask, shape)
    types = [type_of(place.dtype, shape)]
    build = building()
    made = build.value(
        vector.TransferReadOp, place.memory, place.starts, pad.ssa, on, types=types, **_transfer(place, inside), **extra
    )
    return Operand(made, place.dtype)


def _of_one(place: Place, pad: Operand | None, mask: Operand | None, extra: Hints) -> Operand:
    """One element, which is in the array."""
    if mask is not None:
        fail("one element is read without a mask", hint="put the read into an `if`")
    if pad is not None:
        message = f"one element of {place.name} is read without padding: it is to be in the array"
        fail(message, hint="put the read into an `if`, or read a span of one: lw.span(i, 1)")
    return Operand(building().value(memref.LoadOp, place.memory, place.starts, **extra), place.dtype)


def write(
    place: Place, value: Operand, mask: Operand | None, inside: bool | None, distinct: bool, extra: Hints
) -> None:
    if place.vectors:
        _scattered(place, value, mask, inside, distinct, extra)
        return
    if distinct:
        fail("'distinct' is of vectors of places; spans name no place twice")
    if not place.spans:
        if value.shape:
            fail(f"{place.name}[...] is one element, the value is {value.text}", value.made)
        if mask is not None:
            fail("one element is written without a mask", hint="put the write into an `if`")
        building().op(memref.StoreOp, value.ssa, place.memory, place.starts, **extra)
        return
    shape = tuple(place.axes[d].extent for d in place.spans)
    whole = fitting(place, value, shape)
    on = _mask(place, mask, shape)
    attributes = _transfer(place, inside)
    building().op(vector.TransferWriteOp, whole.ssa, place.memory, place.starts, on, **attributes, **extra)


def fitting(place: Place, value: Operand, shape: tuple[int, ...]) -> Operand:
    """The value repeated to a part's shape."""
    own = value.shape
    fits = len(own) <= len(shape) and all(n in (1, m) for n, m in zip(reversed(own), reversed(shape), strict=False))
    if not fits:
        fail(f"{place.name}[...] has the shape {shape}, the value is {value.text}", value.made)
    return broadcast(value, shape)


def _mask(place: Place, mask: Operand | None, shape: tuple[int, ...]) -> list[SSA]:
    if mask is None:
        return []
    if mask.dtype.kind != "bool":
        fail(f"the mask of {place.name}[...] is of truth values, found {mask.text}", mask.made)
    return [fitting(place, mask, shape).ssa]


def _transfer(place: Place, inside: bool | None) -> Hints:
    """Which axes move, and which of them are known or promised to stay in the array."""
    flags = [_is_inside(place, d) if inside is None else inside or _is_inside(place, d) for d in place.spans]
    return {
        "in_bounds": ArrayAttr(tuple([_INSIDE if flag else _ANYWHERE for flag in flags])),
        "permutation_map": _map(len(place.axes), tuple(place.spans)),
    }


_ANYWHERE, _INSIDE = IntegerAttr(0, I1), IntegerAttr(1, I1)


@functools.lru_cache(maxsize=1024)
def _map(rank: int, dims: tuple[int, ...]) -> AffineMapAttr:
    """Which axes of an array those of a vector go along."""
    return AffineMapAttr(AffineMap(rank, 0, tuple(map(Dim, dims))))


def _is_inside(place: Place, dim: int) -> bool:
    at, extent = place.axes[dim], place.memory.type.shape[dim]
    start = constant_int(at.operand.ssa)
    known = extent is not None and start is not None and start >= 0 and start + at.extent <= extent
    return at.inside or known


# -- vectors of places ----------------------------------------------------------------------------------------------


class Lookup(NamedTuple):
    """The vectors of a place with one shape, and where in the result their dims stand."""

    vectors: dict[int, Operand]
    """By the array's axis."""
    shape: tuple[int, ...]
    """The shape of the result."""
    first: int
    """The first dim of the result that is the vectors' own."""
    rank: int
    """How many dims the vectors have."""
    span_dims: dict[int, int]
    """The result's dim by the array's axis."""


def _lookup(place: Place) -> Lookup:
    given = [place.axes[d].operand for d in place.vectors]
    common = common_shape(f"{place.name}[...]", given) if given else ()
    vectors = {d: broadcast(place.axes[d].operand, common) for d in place.vectors}
    shape: list[int] = []
    span_dims: dict[int, int] = {}
    first = 0
    for d, at in enumerate(place.axes):
        if at.key is Key.SPAN:
            span_dims[d] = len(shape)
            shape.append(at.extent)
        elif at.key is Key.VECTOR and d == place.vectors[0]:
            first = len(shape)
            shape += common
    return Lookup(vectors, tuple(shape), first, len(common), span_dims)


def _on(place: Place, lookup: Lookup, mask: Operand | None, inside: bool | None) -> Operand | None:
    """The mask, and that each place is in the array where nothing promises it; None where all elements are on."""
    tests = [] if mask is None else [fitting(place, mask, lookup.shape)]
    if not inside:
        for d, places in lookup.vectors.items():
            dims = range(lookup.first, lookup.first + lookup.rank)
            tests.append(_below(place, d, convert(places, index), list(dims), lookup.shape))
        for d, dim in lookup.span_dims.items():
            if not _is_inside(place, d):
                at = place.axes[d]
                tests.append(_below(place, d, binary("+", steps(at.extent), at.operand), [dim], lookup.shape))
    found: Operand | None = None
    for test in tests:
        found = test if found is None else binary("&", found, test)
    return found


def _below(place: Place, axis: int, places: Operand, dims: list[int], shape: tuple[int, ...]) -> Operand:
    """Where places are less than the extent of an axis; negative ones are not."""
    return _spread(compare("<", places, _extent(place, axis)), dims, shape)


def _extent(place: Place, axis: int) -> Operand:
    extent = place.memory.type.shape[axis]
    if extent is not None:
        return constant(extent, index)
    build = building()
    return Operand(build.value(memref.DimOp, place.memory, build.constant(axis)), index)


def _spread(value: Operand, dims: list[int], shape: tuple[int, ...]) -> Operand:
    """A vector along some dims of a shape, repeated along the others."""
    return broadcast(reshape(value, [shape[d] if d in dims else 1 for d in range(len(shape))]), shape)


def steps(extent: int) -> Operand:
    """0, 1, 2, ..."""
    return Operand(building().value(vector.StepOp, types=[type_of(index, (extent,))]), index)


def is_simple(place: Place) -> bool:
    """Whether places are along the last axis alone, and numbers along all others."""
    return place.vectors == [len(place.axes) - 1] and not place.spans


def places_of_last(place: Place, mask: Operand | None, inside: bool | None) -> tuple[list[SSA], Operand, Operand]:
    """The base, the vector of places along the last axis, and which elements are on, as operations of vector take
    them."""
    lookup = _lookup(place)
    places = lookup.vectors[len(place.axes) - 1]
    on = _on(place, lookup, mask, inside)
    first, rest = _without_base(places)
    return [*place.starts[:-1], first], rest, _all_on(lookup.shape) if on is None else on


def flat_places(place: Place, mask: Operand | None, inside: bool | None) -> tuple[SSA, Operand, Operand]:
    """The same elements in the array as one row: a number and a vector whose sums are the places, and which are on."""
    lookup = _lookup(place)
    number = constant(0, index)
    places: Operand | None = None
    stride: Operand | None = None
    for d, at in reversed(tuple(enumerate(place.axes))):
        if at.key is Key.VECTOR:
            dims = list(range(lookup.first, lookup.first + lookup.rank))
            along: Operand | None = _spread(convert(lookup.vectors[d], index), dims, lookup.shape)
        else:
            number = binary("+", number, _times(at.operand, stride))
            along = None if at.key is Key.NUMBER else _spread(steps(at.extent), [lookup.span_dims[d]], lookup.shape)
        if along is not None:
            scaled = _times(along, stride)
            places = scaled if places is None else binary("+", places, scaled)
        if d:
            stride = _times(_extent(place, d), stride)
    assert places is not None, "numbers alone name one element"
    on = _on(place, lookup, mask, inside)
    return number.ssa, places, _all_on(lookup.shape) if on is None else on


def _times(value: Operand, factor: Operand | None) -> Operand:
    return value if factor is None else binary("*", value, factor)


def _all_on(shape: tuple[int, ...]) -> Operand:
    return Operand(building().constant(True, VectorType(shape, I1)), i1)


def _without_base(places: Operand) -> tuple[SSA, Operand]:
    """A number that is added to all places, and the rest: operations of vector have the number as their base."""
    op = places.ssa.operation
    if isinstance(op, arith.AddIOp) and places.dtype == index:
        for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            maker = one.operation
            if isinstance(maker, vector.BroadcastOp) and maker.source.type == INDEX:
                return maker.source, Operand(other, index)
    return building().constant(0), places


def _gathered(place: Place, pad: Operand, mask: Operand | None, inside: bool | None, extra: Hints) -> Operand:
    _without_hints(place, extra)
    if is_simple(place):
        base, places, on = places_of_last(place, mask, inside)
        rest = broadcast(pad, places.shape)
        types = [type_of(place.dtype, places.shape)]
        made = building().value(GatherOp, place.memory, base, places.ssa, on.ssa, rest.ssa, types=types)
        return Operand(made, place.dtype)
    lookup = _lookup(place)
    tests = _on(place, lookup, mask, inside)
    masks = [] if tests is None else [tests.ssa]
    offsets, vectors, maps = _indexed(place, lookup, bool(masks))
    types = [type_of(place.dtype, lookup.shape)]
    made = building().value(
        TransferGatherOp, place.memory, offsets, vectors, pad.ssa, masks, types=types, indexing_maps=maps
    )
    return Operand(made, place.dtype)


def _scattered(
    place: Place, value: Operand, mask: Operand | None, inside: bool | None, distinct: bool, extra: Hints
) -> None:
    _without_hints(place, extra)
    if is_simple(place):
        base, places, on = places_of_last(place, mask, inside)
        whole = fitting(place, value, places.shape)
        mark: Hints = {DISTINCT: UnitAttr()} if distinct else {}
        building().op(ScatterOp, place.memory, base, places.ssa, on.ssa, whole.ssa, **mark)
        return
    if distinct:
        fail(f"'distinct' is of places along the last axis of {place.name} alone")
    lookup = _lookup(place)
    whole = fitting(place, value, lookup.shape)
    tests = _on(place, lookup, mask, inside)
    masks = [] if tests is None else [tests.ssa]
    offsets, vectors, maps = _indexed(place, lookup, bool(masks))
    building().op(TransferScatterOp, place.memory, whole.ssa, offsets, vectors, masks, indexing_maps=maps)


def _without_hints(place: Place, extra: Hints) -> None:
    if extra:
        fail(f"caches are told of reads and writes by spans and numbers; {place.name} is indexed by a vector")


def _indexed(place: Place, lookup: Lookup, masked: bool) -> tuple[list[SSA], list[SSA], ArrayAttr]:
    """Offsets, vectors of places and maps of a transfer that looks places up."""
    rank, vectors = len(lookup.shape), list(lookup.vectors.items())
    build = building()
    zero = build.constant(0)
    offsets = [zero if at.key is Key.VECTOR else at.operand.ssa for at in place.axes]
    results: list[AffineExpr] = []
    for d, at in enumerate(place.axes):
        if at.key is Key.SPAN:
            results.append(Dim(lookup.span_dims[d]))
        else:
            results.append(Symbol([axis for axis, _ in vectors].index(d)) if at.key is Key.VECTOR else Constant(0))
    own = tuple(Dim(d) for d in range(lookup.first, lookup.first + lookup.rank))
    everything = tuple(Dim(d) for d in range(rank))
    maps = [tuple(results), *[own] * len(vectors), *([everything] if masked else [])]
    attribute = ArrayAttr(tuple(AffineMapAttr(AffineMap(rank, len(vectors), map)) for map in maps))
    return offsets, [convert(places, index).ssa for _, places in vectors], attribute
