"""Matrix instructions over outer dimensions: of whole tiles a contraction, whose layouts are the instruction's
fragments; of what lanes hold the instructions themselves, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod

from ..ir.affine import AffineMap, AffineMapAttr, Dim
from ..ir.attributes import ArrayAttr, DictAttr, IntegerAttr, dense_i64, i64_array, int_array, is_int_array
from ..ir.core import Builder, Value
from ..ir.data_tiles import DataTile, data_tiles
from ..ir.dialects import vector
from ..ir.dialects.iree_gpu import DataTiledMMALayoutAttr, MMALayoutAttr
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG, LoweringConfigAttr, lowering_config
from ..ir.dialects.longhand import broadcast, cast_shape, constant, extract, neutral, strided_slice, transpose
from ..ir.dialects.vector_kind import ADD, IteratorTypeAttr
from ..ir.matrix_operations import multiply_tiles, pack_shape
from ..ir.types import I64, Attribute, VectorType, element_type, shape_of
from ..support.named_tuples import NamedTuple
from ..targets import Fragment, MatrixInstruction
from .dialects.inner_tiled import InnerTiledOp, MultiMmaOp, Tile, TiledProduct
from .legalisations import Place, expands, refuse
from .scaled_tiles import scaled_product

_AXES = {"m": "rows", "n": "columns", "k": "K"}


@expands(MultiMmaOp, InnerTiledOp)
def _tiled_product(place: Place, op: TiledProduct) -> Sequence[Value]:
    if isinstance(op, InnerTiledOp) and op.is_scaled:
        return [scaled_product(place, op)]
    tile = op.tile
    if tile is None:
        raise refuse(op, f"is of {op.attributes['kind']}, which lanewise does not compute tile by tile")
    if tile.data is not None:
        _check_interleaving(op, tile.data)
        _check_subgroups(place, op, tile.data, tile.instruction)
    if not op.is_distributed:
        return [_contraction(place, op, tile)]
    if tile.data is not None and tile.data.subgroups_k > 1:
        hint = "lanes of other subgroups have the rest of each sum: say it of whole tiles"
        raise refuse(op, f"is of what a lane holds, with subgroups_k = {tile.data.subgroups_k}", hint)
    if place.scope != "thread":
        hint = 'lanes hold tiles in programs of single threads, which have lanewise.scope = "thread"'
        raise refuse(op, f"is of what a lane holds, in the program of a {place.scope}", hint)
    if op.attributes.keys() - set(op.property_names()):
        raise refuse(op, f"has a {LOWERING_CONFIG}, and is one instruction of a lane already")
    return [_instructions(place, op, tile)]


def _check_interleaving(op: TiledProduct, kind: DataTiledMMALayoutAttr) -> None:
    """Operands can interleave instructions along what they have. Upstream says nothing of others."""
    for axis, has in (("m", (0, 2)), ("n", (1, 2)), ("k", (0, 1))):
        name = f"operands_interleaving_intrinsics_{axis}"
        for operand in set(getattr(kind, name)) - set(has):
            raise refuse(op, f"has {operand} in {name}: {('lhs', 'rhs', 'acc')[operand]} has no {_AXES[axis]}")


def _check_subgroups(
    place: Place, op: TiledProduct, kind: DataTiledMMALayoutAttr, instruction: MatrixInstruction
) -> None:
    """A tile of a workgroup's program takes all its subgroups; parts of one are checked with their layouts."""
    kernel = place.kernel
    if op.is_distributed or kernel.scope != "workgroup" or op.enclosing() is not kernel.op:
        return
    counts = {f"subgroups_{axis}": getattr(kind, f"subgroups_{axis}") for axis in _AXES}
    asked, size = prod(counts.values()), kernel.subgroup_size or instruction.subgroup_size
    if asked * size != kernel.threads:
        words = (
            " * ".join(f"{name} = {count}" for name, count in counts.items() if count > 1) or "no subgroups_m, n or k"
        )
        there = f"the workgroup has {kernel.threads} threads, {kernel.threads // size} of these"
        raise refuse(op, f"is divided among {asked} subgroups of {size} threads ({words}), {there}")


# -- of whole tiles ---------------------------------------------------------------------------------------------------


def _contraction(place: Place, op: TiledProduct, tile: Tile) -> Value:
    """The inner dimensions become iterators m, n and k behind the outer ones."""
    outer = len(op.iterators)
    m, n, k = range(outer, outer + 3)
    operands, maps = list[Value](), list[AffineMapAttr]()
    lying = data_tiles(tile.data, tile.instruction) if tile.data is not None else None
    for side, inner in enumerate(((m, k), (k, n), (m, n))):
        order = op.permutations[side] or (0, 1)
        if lying is None:
            operands.append(_in_two(place, op.operands[side], len(op.maps[side].results), tile.shapes[side]))
        else:
            order = (1, 0) if side == 1 else (0, 1)
            operands.append(_out_of_memory(place, op.operands[side], len(op.maps[side].results), lying[side]))
        results = [*op.maps[side].results, *(Dim(inner[d]) for d in order)]
        maps.append(AffineMapAttr(AffineMap(outer + 3, 0, tuple(results))))
    if tile.data is not None and tile.data.subgroups_k > 1:
        total = _shared_depth(place, op, tile.data, operands)
    else:
        words = [*op.iterators, "parallel", "parallel", "reduction"]
        total = _product(place, operands, maps, words, _config(op, lambda: _instruction(tile, op), outer, 3))
    if lying is not None:
        total = _into_memory(place, total, len(op.maps[2].results), lying[2])
    return cast_shape(place, total, shape_of(op.results[0].type))


def _product(
    place: Place, operands: Sequence[Value], maps: Sequence[AffineMapAttr], words: Sequence[str], config: Attribute
) -> Value:
    return place.value(
        vector.ContractionOp,
        *operands,
        [],
        indexing_maps=ArrayAttr(tuple(maps)),
        iterator_types=ArrayAttr(tuple(map(IteratorTypeAttr, words))),
        kind=ADD,
        lowering_config=config,
    )


def _config(op: TiledProduct, own: Callable[[], dict[str, Attribute]], outer: int, inner: int) -> Attribute:
    """What the kind says, and what the operation's own config says of the outer iterators."""
    given = op.attributes.get(LOWERING_CONFIG)
    entries = _of_all(given, outer, inner) if isinstance(given, LoweringConfigAttr) else {}
    if given is not None and not entries:
        return given
    said = own()
    for name in sorted(said.keys() & entries.keys()):
        if said[name] != entries[name]:
            raise refuse(op, f"has {name} = {entries[name]} in its {LOWERING_CONFIG}, its kind says {said[name]}")
    return LoweringConfigAttr(DictAttr.of({**said, **entries}))


def _instruction(tile: Tile, op: TiledProduct) -> dict[str, Attribute]:
    """What the contraction is told: the instruction, and how subgroups divide a tile that says so."""
    if tile.data is None:
        return {"mma_kind": op.attributes["kind"]}
    counts = {"subgroup_m_count": tile.data.subgroups_m, "subgroup_n_count": tile.data.subgroups_n}
    return {
        "mma_kind": MMALayoutAttr(tile.data.intrinsic),
        **{name: IntegerAttr(count, I64) for name, count in counts.items()},
    }


def _shared_depth(place: Place, op: TiledProduct, data: DataTiledMMALayoutAttr, operands: Sequence[Value]) -> Value:
    """Subgroups that share out K have sums of their own, of an iterator in front of m, n and k, which are added once
    behind all other iterators."""
    a, b, acc = operands
    outer, count = len(op.iterators), data.subgroups_k
    part, m, n, k = range(outer, outer + 4)
    for name in ("subgroup_basis", "subgroup"):
        if name in lowering_config(op):
            raise refuse(op, f"has {name} in its {LOWERING_CONFIG}, beside subgroups_k = {count} of {data.mnemonic}")
    front = [len(map.results) for map in op.maps]
    divided = [
        cast_shape(place, value, (*(shape := shape_of(value.type))[:-1], count, shape[-1] // count)) for value in (a, b)
    ]
    inner = ((m, part, k), (n, part, k), (part, m, n))
    maps = [
        AffineMapAttr(AffineMap(outer + 4, 0, (*around.results, *map(Dim, dims))))
        for around, dims in zip(op.maps, inner, strict=True)
    ]
    words = [*op.iterators, "parallel", "parallel", "parallel", "reduction"]
    places = (*range(outer), outer + 2, outer, outer + 1, outer + 3)
    counts = (*(1,) * outer, data.subgroups_m, data.subgroups_n, count, 1)

    def own() -> dict[str, Attribute]:
        basis = ArrayAttr((i64_array(counts), i64_array(places)))
        return {"mma_kind": MMALayoutAttr(data.intrinsic), "subgroup_basis": basis}

    shape = shape_of(acc.type)
    start = neutral(place, ADD, VectorType((*shape[: front[2]], count, *shape[front[2] :]), element_type(acc.type)))
    sums = _product(place, [*divided, start], maps, words, _config(op, own, outer, 4))
    axes = dense_i64((front[2],))
    return place.value(vector.MultiReductionOp, sums, acc, types=[acc.type], kind=ADD, reduction_dims=axes)


def map_of(dims: Sequence[int]) -> list[Dim]:
    return [Dim(number) for number in dims]


def _out_of_memory(place: Builder, value: Value, outer: int, tile: DataTile) -> Value:
    """Row by row, what lies in the order of a data tile."""
    front = shape_of(value.type)[:outer]
    parts = cast_shape(place, value, (*front, *tile.shape))
    ordered = transpose(place, parts, [*range(outer), *(outer + axis for axis in tile.order)])
    return cast_shape(place, ordered, (*front, *tile.extents))


def _into_memory(place: Builder, value: Value, outer: int, tile: DataTile) -> Value:
    """The reverse."""
    front, order = shape_of(value.type)[:outer], tile.order
    parts = cast_shape(place, value, (*front, *(tile.shape[axis] for axis in order)))
    back = sorted(range(len(order)), key=order.__getitem__)
    return transpose(place, parts, [*range(outer), *(outer + axis for axis in back)])


def _of_all(given: LoweringConfigAttr, outer: int, inner: int) -> dict[str, Attribute]:
    """What it says of the outer iterators, and nothing of those that follow."""
    entries = dict(given.entries.entries)
    for name in ("workgroup", "reduction", "subgroup"):
        if name in entries and is_int_array(entries[name]) and len(int_array(entries[name])) == outer:
            entries[name] = i64_array([*int_array(entries[name]), *(0,) * inner])
    basis = [int_array(part) for part in getattr(entries.get("subgroup_basis"), "values", ()) if is_int_array(part)]
    if len(basis) == 2 and len(basis[1]) == outer:
        counts, places = basis
        behind = range(len(counts), len(counts) + inner)
        entries["subgroup_basis"] = ArrayAttr((i64_array([*counts, *(1,) * inner]), i64_array([*places, *behind])))
    return entries


def _in_two(place: Builder, value: Value, outer: int, tile: tuple[int, int]) -> Value:
    """A tile that is given in one dimension, or in several, in the two that it has."""
    shape = shape_of(value.type)
    return value if len(shape) == outer + 2 else cast_shape(place, value, (*shape[:outer], *tile))


# -- of what lanes hold -----------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """What a lane holds of one operand at one place of the outer iterators: `counts` instructions along its two axes,
    one `fragment` of each. `lying`: in which order, where a data-tiled layout says so."""

    instruction: MatrixInstruction
    fragment: Fragment
    counts: tuple[int, int]
    lying: DataTile | None

    def packs(self, place: Builder, value: Value) -> dict[tuple[int, int], Value]:
        """Packs as the instruction's operation takes them, by the instruction's place along both axes."""
        if self.counts == (1, 1):
            return {(0, 0): _packed(place, value, self.instruction, self.fragment)}
        size = self.fragment.elements
        flat = cast_shape(place, self._in_order(place, value), (prod(self.counts) * size,))
        parts = {
            at: strided_slice(place, flat, [(at[0] * self.counts[1] + at[1]) * size], [size]) for at in self._places
        }
        return {at: _packed(place, part, self.instruction, self.fragment) for at, part in parts.items()}

    def unpacked(self, place: Builder, packs: Mapping[tuple[int, int], Value]) -> Value:
        """The reverse: all elements, in any shape."""
        parts = [_unpacked(place, packs[at], self.fragment) for at in self._places]
        if len(parts) == 1:
            return parts[0]
        size = self.fragment.elements
        shape = (len(parts), size)
        whole = broadcast(place, constant(place, 0, element_type(parts[0].type)), shape)
        for number, part in enumerate(parts):
            row = cast_shape(place, part, (size,))
            whole = place.value(vector.InsertOp, row, whole, [], static_position=dense_i64((number,)))
        if self.lying is None:
            return whole
        order = self.lying.fragments
        apart = cast_shape(place, whole, tuple(self.lying.shape[axis] for axis in order))
        return _ordered(place, apart, sorted(range(len(order)), key=order.__getitem__))

    @property
    def _places(self) -> list[tuple[int, int]]:
        return [(row, column) for row in range(self.counts[0]) for column in range(self.counts[1])]

    def _in_order(self, place: Builder, value: Value) -> Value:
        """Fragment by fragment."""
        if self.lying is None:
            return value
        return _ordered(place, cast_shape(place, value, self.lying.shape), self.lying.fragments)


def _parts(tile: Tile) -> tuple[_Part, _Part, _Part]:
    """The parts of lhs, rhs (columns first) and accumulator."""
    i, data = tile.instruction, tile.data
    rows, columns = (data.intrinsics_m, data.intrinsics_n) if data is not None else (1, 1)
    lying = (None,) * 3 if data is None else tuple(whole.of_lane for whole in data_tiles(data, i))
    a, b, c = lying
    left, right = (i.b, i.a) if tile.exchanged else (i.a, i.b)
    return (
        _Part(i, left, (rows, tile.times), a),
        _Part(i, right, (columns, tile.times), b),
        _Part(i, i.c, (rows, columns), c),
    )


def _instructions(place: Place, op: TiledProduct, tile: Tile) -> Value:
    """Summed iterators go outermost, so that neighbouring instructions do not wait for each other."""
    extents = op.iterator_extents
    maps = [map.result_dims() or () for map in op.maps]
    order = sorted(range(len(extents)), key=lambda it: op.iterators[it] == "parallel")
    total = op.operands[2]
    lhs, rhs, acc = _parts(tile)
    sums: dict[tuple[int, ...], dict[tuple[int, int], Value]] = {}
    for point in product(*(range(extents[it]) for it in order)):
        at = dict(zip(order, point, strict=True))
        places = [tuple(at[d] for d in dims if d is not None) for dims in maps]
        parts = [extract(place, v, where) if where else v for v, where in zip(op.operands, places, strict=True)]
        if places[2] not in sums:
            sums[places[2]] = acc.packs(place, parts[2])
        a, b, c = lhs.packs(place, parts[0]), rhs.packs(place, parts[1]), sums[places[2]]
        for step in range(tile.times):
            for row, column in c:
                left, right = a[row, step], b[column, step]
                if tile.exchanged:
                    left, right = right, left
                c[row, column] = multiply_tiles(place, tile.instruction, left, right, c[row, column])
    inner = shape_of(op.operands[2].type)[len(maps[2]) :]
    for where, packs in sums.items():
        part = cast_shape(place, acc.unpacked(place, packs), inner)
        total = _whole(place, part, total, where)
    return total


def _whole(place: Builder, part: Value, value: Value, where: tuple[int, ...]) -> Value:
    return place.value(vector.InsertOp, part, value, [], static_position=dense_i64(where)) if where else part


def _packed(place: Builder, value: Value, instruction: MatrixInstruction, fragment: Fragment) -> Value:
    """A lane's elements, outers and elements row-major, as the instruction's operation takes them; a vector of pieces,
    as nvgpu has fragments, is what it takes already."""
    if len(shape := pack_shape(instruction, fragment)) == 2 and shape_of(value.type) == shape:
        return value
    natural = (*fragment.outer, *fragment.element)
    ordered = _ordered(place, cast_shape(place, value, natural), fragment.register_order)
    return cast_shape(place, ordered, shape) if shape else extract(place, cast_shape(place, ordered, (1,)), (0,))


def _unpacked(place: Builder, value: Value, fragment: Fragment) -> Value:
    """The reverse."""
    order = fragment.register_order
    natural = (*fragment.outer, *fragment.element)
    whole = value if shape_of(value.type) else broadcast(place, value, (1,))
    ordered = cast_shape(place, whole, tuple(natural[axis] for axis in order))
    return _ordered(place, ordered, sorted(range(len(order)), key=order.__getitem__))


def _ordered(place: Builder, value: Value, order: Sequence[int]) -> Value:
    return value if list(order) == sorted(order) else transpose(place, value, order)
