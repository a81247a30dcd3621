"""iree_gpu.multi_mma, and iree_codegen.inner_tiled as it is called today: a matrix instruction over outer dimensions.

The outer dimensions of the operands are iterators, as of vector.contract. The inner ones are the instruction's tile:
the whole of it, in the order of (M, K), (K, N) and (M, N) or a permutation of these; or what one lane holds of it,
outers and elements of its fragment row-major, or `pieces x neighbours` as nvgpu.mma.sync takes it. Of a data-tiled
layout both are in the order of that (`ir/data_tiles.py`). Where the semantics are `opaque = false`, these are the
extents that they have, ones aside; else only how many elements there are counts (as in IREE's verifier).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, ClassVar

from ...ir.affine import AffineMap, AffineMapAttr
from ...ir.attributes import (
    ArrayAttr,
    DenseArrayAttr,
    DictAttr,
    EnumAttr,
    StringAttr,
    dense_i64,
    int_array,
    is_int_array,
)
from ...ir.core import Operation, Value
from ...ir.data_tiles import data_tiles
from ...ir.define import attribute, instances_of, operand, operands, optional_attribute, result, results
from ...ir.dialects.iree_gpu import DataTiledMMALayoutAttr, MMALayoutAttr, MMASemanticsAttr, VirtualMMALayoutAttr
from ...ir.dialects.iree_gpu_config import MMA_KINDS, IteratorTypeAttr
from ...ir.types import Attribute, FloatType, TensorType, Type, VectorType
from ...support.diagnostics import Location, Report
from ...support.named_tuples import NamedTuple
from ...targets import MatrixInstruction
from ...targets.instructions import find_matrix_instruction, names_of_matrix_instructions
from ...targets.mfma_scaled import SCALE_TYPE
from .iree_gpu_scaled import SCALED_KINDS, ScaledMMALayoutAttr

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer

is_shaped = instances_of("a vector or a tensor", VectorType, TensorType)
Shaped = VectorType | TensorType
_OPERANDS = ("lhs", "rhs", "acc")
_SCALED_OPERANDS = ("lhs", "rhs", "lhs's scales", "rhs's scales", "acc")
_STORED = {"tf32": "f32", "ui8": "i8", "ui4": "i4"}
"""What programs call element types that a table of instructions has otherwise."""


class LinalgIteratorTypeAttr(EnumAttr):
    """What inner_tiled does with one of its outer dimensions."""

    mnemonic = "linalg.iterator_type"
    cases = ("parallel", "reduction")


LinalgIteratorTypeAttr.register()


class Tile(NamedTuple):
    """What one step multiplies: `instruction`, executed `times` along K, `rows` and `columns` times along M and N.
    `data`: in the order of such a layout. `exchanged`: it is given its operands the other way round, so that lanes hold
    what it has of B of lhs, of A of rhs, and of the transposed accumulator."""

    instruction: MatrixInstruction
    times: int
    rows: int = 1
    columns: int = 1
    data: DataTiledMMALayoutAttr | None = None
    exchanged: bool = False

    @property
    def shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """(M, K), (K, N) and (M, N)."""
        depth = self.times * (self.data.subgroups_k if self.data else 1)
        m, n, k = (e * times for e, times in zip(self.instruction.shape, (self.rows, self.columns, depth), strict=True))
        return (m, k), (k, n), (m, n)

    @property
    def held(self) -> tuple[int, int, int]:
        """Elements of A, B and C that a lane has."""
        i, data = self.instruction, self.data
        rows, columns = (data.intrinsics_m, data.intrinsics_n) if data else (1, 1)
        depth = self.times
        return i.a.elements * depth * rows, i.b.elements * depth * columns, i.c.elements * rows * columns

    def shapes_of_a_lane(self, side: int) -> list[tuple[int, ...]]:
        """How what a lane holds of an operand is written, ones aside: all in one row, or in the order of a data-tiled
        layout; for mma.sync also in pieces, as nvgpu has fragments."""
        if self.data is not None:
            return [data_tiles(self.data, self.instruction)[side].of_lane.shape]
        i = self.instruction
        fragment = (i.a, i.b, i.c)[side]
        pieces = [(prod(fragment.outer), prod(fragment.element))] if i.family == "mma.sync" else []
        return [(self.held[side],), *pieces]

    def shape_of_all(self, side: int) -> tuple[int, ...]:
        """How a whole tile is."""
        return data_tiles(self.data, self.instruction)[side].shape if self.data is not None else self.shapes[side]

    @property
    def types(self) -> tuple[str, ...]:
        i = self.instruction
        return tuple(_STORED.get(t, t) for t in (i.a_type, i.b_type, i.c_type))


def tile_of(kind: Attribute) -> Tile | None:
    """What a kind multiplies; None where lanewise does not have its instruction, or not as one tile of vectors."""
    name, times = getattr(kind, "name", ""), 1
    if isinstance(kind, VirtualMMALayoutAttr) and kind.is_of is not None:
        name, times = kind.is_of.instruction, kind.is_of.times
    data = kind if isinstance(kind, DataTiledMMALayoutAttr) else None
    if data is not None:
        name, times = data.intrinsic, data.intrinsics_k
    if name not in names_of_matrix_instructions():
        return None
    instruction = find_matrix_instruction(name)
    m, n, _ = instruction.shape
    exchanged = getattr(kind, "col_major", False)
    if instruction.blocks > 1 or (exchanged and m != n):
        return None
    rows, columns = (data.subgroups_m * data.intrinsics_m, data.subgroups_n * data.intrinsics_n) if data else (1, 1)
    return Tile(instruction, times, rows, columns, data, exchanged)


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [n for n in shape if n != 1]


_OPAQUE = "with opaque = true only how many elements there are counts, in the order of the kind"


class TiledProduct(Operation):
    """What both spellings share."""

    pure = True
    iterator_class: ClassVar[type[EnumAttr]] = IteratorTypeAttr

    @property
    def types(self) -> list[Shaped]:
        """The types of lhs, rhs and accumulator."""
        return [v.type for v in self.operands if isinstance(v.type, (VectorType, TensorType))]

    @property
    def maps(self) -> list[AffineMap]:
        """Iterators to the outer dimensions of lhs, rhs and accumulator."""
        given = self.attributes["indexing_maps"]
        return [a.map for a in getattr(given, "values", ()) if isinstance(a, AffineMapAttr)]

    @property
    def iterators(self) -> list[str]:
        """`parallel` or `reduction`, for each iterator."""
        given = self.attributes["iterator_types"]
        return [a.value for a in getattr(given, "values", ()) if isinstance(a, EnumAttr)]

    @property
    def iterator_extents(self) -> list[int]:
        """The extents of iterators of static vectors."""
        found: dict[int, int] = {}
        for map, type in zip(self.maps, self.types, strict=True):
            for number, extent in zip(map.result_dims() or (), type.shape, strict=False):
                if number is not None and extent is not None:
                    found[number] = extent
        return [found[number] for number in range(len(self.iterators))]

    @property
    def inner_shapes(self) -> list[tuple[int | None, ...]]:
        """What follows the outer dimensions of lhs, rhs and accumulator."""
        return [t.shape[len(m.results) :] for t, m in zip(self.types, self.maps, strict=True)]

    @property
    def tile(self) -> Tile | None:
        return tile_of(self.attributes["kind"])

    @property
    def permutations(self) -> list[tuple[int, ...] | None]:
        """The permutations of lhs, rhs and accumulator: which dimension of the tile each inner dimension is; None: in
        order."""
        raise AssertionError

    @property
    def is_distributed(self) -> bool:
        """Whether the inner dimensions are one lane's."""
        raise AssertionError

    @property
    def is_opaque(self) -> bool:
        """Whether inner dimensions say no more than how many elements there are."""
        return True

    # -- rules --------------------------------------------------------------------------------------------------

    def verify(self, report: Report) -> None:
        if self._check_maps(report) and self._check_kind(report):
            self._check_extents(report)
            self._check_inner(report)
            self._check_permutations(report)

    def _fail(self, report: Report, message: str) -> bool:
        self.error(report, message)
        return False

    def _check_maps(self, report: Report) -> bool:
        maps = self.maps
        given = self.attributes["indexing_maps"]
        if len(maps) != 3 or len(getattr(given, "values", ())) != 3:
            return self._fail(report, f"indexing_maps must be three affine maps (lhs, rhs, acc), found {given}")
        return self._check_each_map(_OPERANDS, report) and self._check_roles(report)

    def _check_each_map(self, names: Sequence[str], report: Report) -> bool:
        maps, iterators = self.maps, self.iterators
        words = self.attributes["iterator_types"]
        if len(iterators) != len(getattr(words, "values", ())) or not set(iterators) <= set(self.iterator_class.cases):
            return self._fail(report, f"iterator_types must be 'parallel' or 'reduction', found {words}")
        for name, map, type in zip(names, maps, self.types, strict=True):
            dims = map.result_dims()
            if map.dims != len(iterators) or map.symbols:
                return self._fail(report, f"map of {name} must have {len(iterators)} dims and no symbols, found {map}")
            if dims is None or None in dims or len(set(dims)) < len(dims):
                return self._fail(report, f"map of {name} must be distinct iterators, found {map}")
            if len(dims) > len(type.shape):
                return self._fail(report, f"map of {name} has {len(dims)} results, {type} has rank {len(type.shape)}")
        return True

    def _check_roles(self, report: Report) -> bool:
        lhs, rhs, acc = (set(map.result_dims() or ()) for map in (*self.maps[:2], self.maps[-1]))
        for number, word in enumerate(self.iterators):
            if word == "reduction" and (number in acc or number not in lhs & rhs):
                return self._fail(report, f"reduction iterator d{number} must be in the maps of lhs and rhs alone")
            if word == "parallel" and (number not in acc or number not in lhs | rhs):
                return self._fail(report, f"parallel iterator d{number} must be in the maps of acc and of lhs or rhs")
        return True

    def _check_kind(self, report: Report) -> bool:
        kind = self.attributes["kind"]
        if not isinstance(kind, MMA_KINDS):
            return self._fail(report, f"kind must be #{MMALayoutAttr.mnemonic}<...>, found {kind}")
        if len(self.results) != 1:
            return self._fail(report, f"has one result, found {len(self.results)}")
        if self.results[0].type != self.operands[-1].type:
            words = f"result must be {self.operands[-1].type} as acc, found {self.results[0].type}"
            return self._fail(report, words)
        return True

    def _check_extents(self, report: Report) -> None:
        known: dict[int, int] = {}
        names = _OPERANDS if len(self.maps) == len(_OPERANDS) else _SCALED_OPERANDS
        for name, map, type in zip(names, self.maps, self.types, strict=True):
            for number, extent in zip(map.result_dims() or (), type.shape, strict=False):
                if number is not None and extent is not None and known.setdefault(number, extent) != extent:
                    self.error(report, f"iterator d{number} runs to {known[number]} and, in {name}, to {extent}")

    def _check_inner(self, report: Report) -> None:
        tile = self.tile
        if tile is None:
            return
        for side, (name, type, inner) in enumerate(zip(_OPERANDS, self.types, self.inner_shapes, strict=True)):
            if str(type.element) != tile.types[side]:
                words = f"{name} has elements {type.element}, {tile.instruction.iree_name} has {tile.types[side]}"
                self.error(report, words)
            elif any(n is None for n in inner):
                self.error(report, f"inner dimensions of {name} must be static, found {type}")
            else:
                self._check_size(side, [n for n in inner if n is not None], tile, report)

    def _check_size(self, side: int, inner: Sequence[int], tile: Tile, report: Report) -> None:
        held = tile.held[side] if self.is_distributed else prod(tile.shapes[side])
        if prod(inner) == held:
            if not self.is_opaque:
                self._check_shape(side, inner, tile, report)
            return
        whose = "a lane" if self.is_distributed else "the tile"
        words = f"{_OPERANDS[side]} has inner dimensions {list(inner)} of {prod(inner)} elements"
        self.error(report, f"{words}, {whose} of {tile.instruction.iree_name} has {held}")

    def _check_shape(self, side: int, inner: Sequence[int], tile: Tile, report: Report) -> None:
        """Where the semantics say that inner dimensions are the kind's, they are, ones aside."""
        order = self.permutations[side]
        whole = tile.shape_of_all(side)
        if order is not None and sorted(order) == list(range(len(whole))):
            whole = tuple(whole[dim] for dim in order)
        shapes = tile.shapes_of_a_lane(side) if self.is_distributed else [whole]
        if _without_ones(inner) not in map(_without_ones, shapes):
            expected = " or ".join("x".join(map(str, shape)) for shape in shapes)
            words = f"{_OPERANDS[side]} has inner dimensions {'x'.join(map(str, inner))}"
            self.error(report, f"{words}, {tile.instruction.iree_name} has {expected} there: opaque = false", _OPAQUE)

    def _check_permutations(self, report: Report) -> None:
        for side, (name, order) in enumerate(zip(_OPERANDS, self.permutations, strict=True)):
            inner = self.inner_shapes[side]
            if order is None:
                order = tuple(range(len(inner)))
            if sorted(order) != list(range(len(inner))):
                words = f"permutation of {name} must order {len(inner)} inner dimensions, found {list(order)}"
                self.error(report, words)
            elif self.is_distributed and list(order) != sorted(order):
                self.error(
                    report, f"permutes {name}, whose inner dimensions are a lane's: only whole tiles are permuted"
                )
            elif self.tile is not None and self.tile.data is not None and list(order) != sorted(order):
                self.error(report, f"permutes {name}, whose order is that of {self.attributes['kind']}")
            elif not self.is_distributed and self.tile is not None and self.tile.data is None and len(inner) == 2:
                expected = [self.tile.shapes[side][d] for d in order]
                if list(inner) != expected:
                    self.error(report, f"{name} has inner dimensions {list(inner)}, permuted they are {expected}")

    # -- text ---------------------------------------------------------------------------------------------------

    @classmethod
    def in_own_words(cls, attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """Iterators as the operation has them, whichever of the spellings they are given in."""
        found = dict(attributes)
        iterators = found.get("iterator_types")
        if isinstance(iterators, ArrayAttr):
            found["iterator_types"] = ArrayAttr(tuple(map(cls._iterator, iterators.values)))
        return found

    @classmethod
    def _iterator(cls, given: Attribute) -> Attribute:
        word = given.value if isinstance(given, (StringAttr, EnumAttr)) else ""
        return cls.iterator_class(word) if word in cls.iterator_class.cases else given


class MultiMmaOp(TiledProduct, opname="iree_gpu.multi_mma"):
    """Whether inner dimensions are a lane's or the subgroup's is seen of how many elements lhs has."""

    lhs = operand(is_shaped)
    rhs = operand(is_shaped)
    acc = operand(is_shaped)
    indexing_maps = attribute(ArrayAttr)
    iterator_types = attribute(ArrayAttr)
    kind = attribute(Attribute)
    lhs_permutation = optional_attribute(DenseArrayAttr)
    rhs_permutation = optional_attribute(DenseArrayAttr)
    acc_permutation = optional_attribute(DenseArrayAttr)
    result_ = result(is_shaped, like="acc")

    @property
    def permutations(self) -> list[tuple[int, ...] | None]:
        given = (self.lhs_permutation, self.rhs_permutation, self.acc_permutation)
        return [None if order is None else int_array(order) for order in given]

    @property
    def is_distributed(self) -> bool:
        tile = self.tile
        inner = self.inner_shapes[0]
        return tile is not None and prod(n or 0 for n in inner) == tile.held[0]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`%lhs, %rhs, %acc {...} : L, R into A`; the attributes may be an alias, as the document has them."""
        from ...ir.assembly_elements import check_type

        values = [parser.operand()]
        for _ in range(2):
            parser.expect(",")
            values.append(parser.operand())
        start = parser.token.start
        given = (
            parser.parse_attribute() if parser.token.kind == "hash" else DictAttr.of(parser.optional_attribute_dict())
        )
        if not isinstance(given, DictAttr):
            raise parser.error(f"expected {{indexing_maps = .., iterator_types = .., kind = ..}}, found {given}", start)
        entries = {n: _dense(a) if n.endswith("_permutation") else a for n, a in given.entries}
        attributes = cls.in_own_words(parser.stored(cls, entries, location))
        parser.expect(":")
        for value, end in zip(values, (",", "into", ""), strict=True):
            check_type(parser, value)
            if end:
                parser.expect(end)
        return cls(values, [values[2].type], attributes, location=location)

    def print(self, printer: Printer) -> None:
        printer.values(self.operands)
        printer.attribute_dict(self)
        lhs, rhs, acc = (printer.type(v.type) for v in self.operands)
        printer.word(f": {lhs}, {rhs} into {acc}")


def _dense(value: Attribute) -> Attribute:
    """`[1, 0]`, as the document has permutations, as the list that they are."""
    return dense_i64(int_array(value)) if isinstance(value, ArrayAttr) else value


class InnerTiledOp(TiledProduct, opname="iree_codegen.inner_tiled"):
    """`semantics` says whose the inner dimensions are. Scaled kinds take scales of lhs and rhs besides."""

    inputs = operands(is_shaped)
    outputs = operands(is_shaped)
    indexing_maps = attribute(ArrayAttr)
    iterator_types = attribute(ArrayAttr)
    kind = attribute(Attribute)
    semantics = attribute(MMASemanticsAttr)
    permutations_ = optional_attribute(ArrayAttr)
    results_ = results(is_shaped)
    iterator_class = LinalgIteratorTypeAttr
    assembly = (
        "`ins` `(` $inputs `)` `outs` `(` $outputs `)` prop-dict attr-dict `:` type($inputs) `into` type($outputs)"
    )

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[-1].type]

    @property
    def permutations(self) -> list[tuple[int, ...] | None]:
        given = self.permutations_
        return [None] * len(self.operands) if given is None else [int_array(order) for order in given.values]

    @property
    def is_distributed(self) -> bool:
        return self.semantics.distributed

    @property
    def is_opaque(self) -> bool:
        return self.semantics.opaque

    def verify(self, report: Report) -> None:
        if not self._check_orders(report):
            return
        if self.is_scaled:
            self._check_scaled(report)
        elif (len(self.inputs), len(self.outputs)) != (2, 1):
            self.error(report, f"takes lhs, rhs and acc, found {len(self.inputs)} and {len(self.outputs)} operands")
        else:
            super().verify(report)

    def _check_orders(self, report: Report) -> bool:
        given = self.permutations_
        if given is None:
            return True
        if len(given.values) != len(self.operands):
            return self._fail(report, f"has {len(given.values)} permutations for {len(self.operands)} operands")
        wrong = next((order for order in given.values if not is_int_array(order)), None)
        return wrong is None or self._fail(report, f"permutations are lists such as array<i64: 1, 0>, found {wrong}")

    @property
    def is_scaled(self) -> bool:
        return isinstance(self.kind, SCALED_KINDS)

    def _check_scaled(self, report: Report) -> None:
        if (len(self.inputs), len(self.outputs)) != (4, 1):
            found = f"{len(self.inputs)} and {len(self.outputs)} operands"
            self.error(report, f"takes lhs, rhs, their scales and acc, found {found}")
        elif len(self.maps) != 5:
            self.error(report, f"indexing_maps must be five affine maps, found {self.indexing_maps}")
        elif self._check_each_map(_SCALED_OPERANDS, report) and self._check_roles(report):
            self._check_extents(report)
            if isinstance(self.kind, ScaledMMALayoutAttr) and self.is_distributed:
                self._check_lane(self.kind, report)

    def _check_lane(self, kind: ScaledMMALayoutAttr, report: Report) -> None:
        """Checks the shares of what a lane has: 32 elements of each factor, a scale of each, and its sums."""
        form = kind.form
        if form is None:
            types = f"{kind.lhs_elem_type}, {kind.rhs_elem_type} and {kind.acc_elem_type}"
            self.error(report, f"is of {kind.intrinsic} on {types}, which there is not")
            return
        scale = FloatType(SCALE_TYPE)
        elements = (kind.lhs_elem_type, kind.rhs_elem_type, scale, scale, kind.acc_elem_type)
        held = (form.a.elements, form.b.elements, 1, 1, form.c.elements)
        parts = zip(_SCALED_OPERANDS, self.types, self.inner_shapes, elements, held, strict=True)
        for name, type, inner, element, count in parts:
            if type.element != element:
                self.error(report, f"{name} has elements {type.element}, {kind.intrinsic} has {element} there")
            elif None in inner or prod(n or 0 for n in inner) != count:
                words = f"{name} has inner dimensions {list(inner)}, a lane of {kind.intrinsic} has {count}"
                self.error(report, f"{words} element{'s' * (count > 1)}")
            elif not self.is_opaque and len(_without_ones([n or 0 for n in inner])) > 1:
                words = f"{name} has inner dimensions {list(inner)}, a lane of {kind.intrinsic} has one row of {count}"
                self.error(report, f"{words}: opaque = false", _OPAQUE)
        if self.permutations_ is not None:
            self.error(report, "permutes what is a lane's: only whole tiles are permuted")
