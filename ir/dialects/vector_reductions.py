"""vector: multi_reduction and contract.

Their reference is the mathematical meaning, which executors are compared with inside a bound: sums and products of
floats of up to 32 bits are taken in float64, accumulator last, and rounded once to the accumulator's type; those of f64
go one by one in row-major order of the reduced elements, accumulator last. All other kinds, and integers, which wrap,
give the same in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...support.diagnostics import Report
from ...support.named_tuples import NamedTuple
from .. import numerics
from ..affine import AffineMap, AffineMapAttr
from ..assembly_elements import Directive, State
from ..attributes import ArrayAttr, DictAttr, StringAttr, UnitAttr
from ..core import Operation, Value
from ..define import (
    AttributeField,
    attribute,
    carried_attribute,
    int_array_attribute,
    is_mask,
    is_vector,
    operand,
    operands,
    result,
    scalar_like,
)
from ..numerics import Array, convert_float, dtype_of
from ..types import F32, F64, I1, Attribute, Type, VectorType, bit_width, element_type, shape_of, with_shape
from . import arith
from .elementwise import NO_FASTMATH, FastMathAttr, MaybeUndefined, excluded
from .vector_kind import ADD, CombiningKindAttr, IteratorTypeAttr, check_kind, holds_floats
from .vector_mask_region import Maskable

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


def working_type(kind: CombiningKindAttr, element: Type) -> np.dtype[Any]:
    """What the reference computes in: float64 where it rounds once at the end, else the element's own type."""
    rounds_once = element.is_float and not kind.any_order
    return np.dtype(np.float64) if rounds_once else dtype_of(element)


def _fold(kind: CombiningKindAttr, element: Type, values: Array) -> Array:
    """`values` joined along axis 0, which is not empty."""
    if element == F64 and not kind.any_order:
        total = values[0]
        for value in values[1:]:
            total = kind.combine(total, value)
        return np.asarray(total)
    while len(values) > 1:
        half, odd = divmod(len(values), 2)
        joined = kind.combine(values[:half], values[half : 2 * half])
        values = np.concatenate([joined, values[2 * half :]]) if odd else joined
    return np.asarray(values[0])


def reduced_once(kind: CombiningKindAttr, element: Type, values: Array, acc: Array | None = None) -> Array:
    """`values` joined along axis 0, then the accumulator, rounded once."""
    working = working_type(kind, element)
    total = _fold(kind, element, values.astype(working))
    joined = total if acc is None else kind.combine(total, np.asarray(acc).astype(working))
    return numerics.to_type(joined, element)


class MultiReductionOp(Maskable, MaybeUndefined, opname="vector.multi_reduction"):
    """Joins the elements along `reduction_dims`, and the accumulator once."""

    pure = True
    kind = attribute(CombiningKindAttr)
    source = operand(is_vector)
    acc = operand(scalar_like)
    reduction_dims = int_array_attribute()
    fastmath = carried_attribute(FastMathAttr)
    dest = result(scalar_like)
    assembly = (
        "$kind `,` $source `,` $acc attr-dict $reduction_dims former(attr-dict) `:` type($source) `to` type($dest)"
    )

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[1].type]

    @property
    def may_be_undefined(self) -> bool:
        return not self.liberties.flags.isdisjoint(("nnan", "ninf", "fast"))

    @property
    def liberties(self) -> FastMathAttr:
        return self.fastmath or NO_FASTMATH

    def undefined(self, *operands: Array) -> Array:
        source, acc = operands
        found = excluded(self.liberties, source).any(axis=tuple(self.reduction_dims))
        return np.asarray(found | excluded(self.liberties, acc, self.reference(source, acc)))

    @property
    def kept_dims(self) -> tuple[int, ...]:
        """The dims of the source that stay, in order."""
        return tuple(d for d in range(self.source.type.rank) if d not in self.reduction_dims)

    def verify(self, report: Report) -> None:
        source, dims = self.source.type, self.reduction_dims
        if not source.rank:
            self.error(report, f"reduces vectors of rank 1 or more, found {source}", "vector.extract takes the element")
            return
        if len(set(dims)) != len(dims) or not set(dims) <= set(range(source.rank)):
            self.error(report, f"reduction dims {list(dims)} are not distinct dims of {source}")
            return
        kept = tuple(source.shape[d] for d in self.kept_dims)
        expected = with_shape(source.element, kept or None)
        if self.dest.type != expected:
            self.error(
                report, f"reducing dims {list(dims)} of {source} gives {expected}, the result is {self.dest.type}"
            )
        elif self.acc.type != expected:
            self.error(report, f"accumulator must be {expected}, found {self.acc.type}")
        check_kind(self, self.kind, source.element, report)

    def reference(self, source: Array, acc: Array) -> Array:
        type = self.source.type
        if not self.reduction_dims:
            return numerics.to_type(self.kind.combine(source, acc), type.element)
        reduced = sorted(self.reduction_dims)
        flat = source.transpose(*reduced, *self.kept_dims).reshape((-1, *(type.shape[d] for d in self.kept_dims)))
        return reduced_once(self.kind, type.element, flat, acc)

    def mask_shape(self) -> tuple[int, ...]:
        return self.source.type.shape


UNSIGNED = ("lanewise.unsigned_lhs", "lanewise.unsigned_rhs")
"""Attributes of a contraction whose lhs or rhs has unsigned integers."""
TF32 = "lanewise.tf32"
"""The attribute of a contraction of f32 whose factors may be brought to the 11 significant bits of tf32."""


class Roles(NamedTuple):
    """A contraction's iterators: of both operands and the result, of lhs, of rhs, and those that are summed over."""

    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    summed: tuple[int, ...]


class Trait(Directive):
    """The attributes before the operands: a dictionary or the alias of one."""

    def __init__(self, *fields: AttributeField[Any]) -> None:
        self.fields = fields

    def parse(self, parser: Parser, state: State) -> None:
        start = parser.token.start
        trait = parser.parse_attribute()
        if not isinstance(trait, DictAttr):
            raise parser.error(
                f"contract begins with {{indexing_maps = .., iterator_types = ..}}, found {trait}", start
            )
        state.attributes |= trait.entries
        iterators = state.attributes.get("iterator_types")
        if isinstance(iterators, ArrayAttr):
            state.attributes["iterator_types"] = ArrayAttr(tuple(map(_iterator, iterators.values)))

    def print(self, printer: Printer, op: Operation) -> None:
        assert isinstance(op, ContractionOp)
        shown = {field.name: field.read(op) for field in self.fields}
        shown["iterator_types"] = ArrayAttr(tuple(StringAttr(name) for name in op.iterators))
        if op.fastmath == NO_FASTMATH:
            del shown["fastmath"]
        printer.word("{" + ", ".join(printer.entry(name, value) for name, value in shown.items()) + "}")


class ContractionOp(Maskable, opname="vector.contract"):
    """`acc` joined with the products of `lhs` and `rhs` over the reduction iterators.

    `indexing_maps` says which iterators each of lhs, rhs and acc runs over. Operands are extended to the accumulator's
    element type, integers by sign but where `lanewise.unsigned_lhs` or `lanewise.unsigned_rhs` stands. Masks (for lhs,
    then rhs) leave out the products of elements that are off. With `lanewise.tf32` factors of f32 may be
    brought to the digits of tf32.
    """

    pure = True
    lhs = operand(is_vector)
    rhs = operand(is_vector)
    acc = operand(scalar_like)
    masks = operands(is_mask)
    indexing_maps = attribute(ArrayAttr)
    iterator_types = attribute(ArrayAttr)
    kind = attribute(CombiningKindAttr, ADD)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(scalar_like)
    directives = {"Trait": Trait}
    assembly = (
        "custom<Trait>($indexing_maps, $iterator_types, $kind, $fastmath) $lhs `,` $rhs `,` $acc (`,`"
        " $masks^)? attr-dict `:` type($lhs, $rhs) former(`,` type($acc)) former(`,` type($masks)) `into`"
        " type($result)"
    )

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[2].type]

    @property
    def maps(self) -> tuple[AffineMap, AffineMap, AffineMap]:
        """Iterators to the dims of lhs, rhs and accumulator."""
        lhs, rhs, acc = [a.map for a in self.indexing_maps.values if isinstance(a, AffineMapAttr)]
        return lhs, rhs, acc

    @property
    def iterators(self) -> tuple[str, ...]:
        """`parallel` or `reduction`, for each iterator."""
        return tuple([a.value for a in self.iterator_types.values if isinstance(a, (StringAttr, IteratorTypeAttr))])

    @property
    def iterator_dims(self) -> tuple[tuple[int, ...], ...]:
        """The iterators that the dims of lhs, rhs and accumulator run over."""
        return tuple([tuple([d for d in m.result_dims() or () if d is not None]) for m in self.maps])

    @property
    def iterator_extents(self) -> tuple[int, ...]:
        """How far each iterator runs."""
        extents = {
            d: n
            for dims, value in zip(self.iterator_dims, (self.lhs, self.rhs, self.acc), strict=True)
            for d, n in zip(dims, shape_of(value.type), strict=True)
        }
        return tuple(extents[d] for d in range(len(self.iterators)))

    @property
    def unsigned(self) -> tuple[bool, bool]:
        """Whether lhs and rhs are extended by zeros."""
        lhs, rhs = (name in self.attributes for name in UNSIGNED)
        return lhs, rhs

    @property
    def roles(self) -> Roles:
        left, right, out = self.iterator_dims
        return Roles(
            tuple(d for d in out if d in left and d in right),
            tuple(d for d in out if d not in right),
            tuple(d for d in out if d not in left),
            tuple(d for d, role in enumerate(self.iterators) if role == "reduction"),
        )

    # -- text ---------------------------------------------------------------------------------------------------

    # -- rules --------------------------------------------------------------------------------------------------

    def verify(self, report: Report) -> None:
        if not (self._check_iterators(report) and self._check_maps(report)):
            return
        dims = self.iterator_dims
        if self._check_extents(dims, report) and self._check_roles(dims, report) and self._check_elements(report):
            self._check_masks(report)

    def _fail(self, report: Report, message: str, hint: str = "") -> bool:
        self.error(report, message, hint)
        return False

    def _check_iterators(self, report: Report) -> bool:
        words = self.iterators
        if len(words) != len(self.iterator_types.values) or not set(words) <= set(IteratorTypeAttr.cases):
            return self._fail(report, f"iterator_types must be 'parallel' or 'reduction', found {self.iterator_types}")
        return "reduction" in words or self._fail(report, "has no reduction iterator")

    def _check_maps(self, report: Report) -> bool:
        maps = self.indexing_maps.values
        if len(maps) != 3 or not all(isinstance(m, AffineMapAttr) for m in maps):
            return self._fail(
                report, f"indexing_maps must be three affine maps (lhs, rhs, acc), found {len(maps)} attributes"
            )
        count, given = len(self.iterators), self.maps
        counts = {map.dims for map in given}
        if len(counts) == 1 and count not in counts:
            return self._fail(
                report, f"has {count} iterator_types, expected one for each of the maps' {counts.pop()} dims"
            )
        for name, map, value in zip(_OPERANDS, given, (self.lhs, self.rhs, self.acc), strict=True):
            dims, rank = map.result_dims(), len(shape_of(value.type))
            if map.dims != count or map.symbols:
                return self._fail(report, f"map of {name} {map} must have {count} dims, one an iterator")
            if dims is None or None in dims or len(set(dims)) != len(dims):
                return self._fail(report, f"map of {name} {map} must name distinct iterators")
            if len(dims) != rank:
                return self._fail(report, f"map of {name} {map} has {len(dims)} results, {value.type} has {rank} dims")
        return True

    def _check_extents(self, dims_of_operands: tuple[tuple[int, ...], ...], report: Report) -> bool:
        seen: dict[int, tuple[int, str]] = {}
        for name, dims, value in zip(_OPERANDS, dims_of_operands, (self.lhs, self.rhs, self.acc), strict=True):
            for i, (dim, extent) in enumerate(zip(dims, shape_of(value.type), strict=True)):
                known, where = seen.setdefault(dim, (extent, f"{name} (dimension {i})"))
                if known != extent:
                    message = f"iterator d{dim} has extent {known} in {where}, but {extent} in {name} (dimension {i})"
                    return self._fail(report, message)
        return True

    def _check_roles(self, dims_of_operands: tuple[tuple[int, ...], ...], report: Report) -> bool:
        lhs, rhs, acc = dims_of_operands
        for dim, role in enumerate(self.iterators):
            if role == "reduction" and (dim in acc or dim not in lhs or dim not in rhs):
                return self._fail(
                    report, f"reduction iterator d{dim} must be in the maps of lhs and rhs, and not of acc"
                )
            if role == "parallel" and (dim not in acc or (dim not in lhs and dim not in rhs)):
                return self._fail(report, f"parallel iterator d{dim} must be in the maps of acc and of lhs or rhs")
        return True

    def _check_elements(self, report: Report) -> bool:
        if self.acc.type == VectorType((), element_type(self.acc.type)):
            return self._fail(report, f"an accumulator without dims is a scalar, found {self.acc.type}")
        if self.result_.type != self.acc.type:
            return self._fail(report, f"result must be {self.acc.type} as the accumulator, found {self.result_.type}")
        acc = element_type(self.acc.type)
        for name, value in (("lhs", self.lhs), ("rhs", self.rhs)):
            element = element_type(value.type)
            if element != acc and not _extends(element, acc):
                return self._fail(report, f"{name} elements {element} cannot be extended to the accumulator's {acc}")
            if UNSIGNED[name == "rhs"] in self.attributes and (element == acc or element.is_float):
                return self._fail(
                    report, f"{UNSIGNED[name == 'rhs']} is of integers that are extended, found {element}"
                )
        types = [element_type(v.type) for v in (self.lhs, self.rhs, self.acc)]
        if TF32 in self.attributes and types != [F32] * 3:
            return self._fail(report, f"{TF32} is of products of f32 added in f32, found {', '.join(map(str, types))}")
        if TF32 in self.attributes and self.attributes[TF32] != UnitAttr():
            return self._fail(report, f"{TF32} is {self.attributes[TF32]}, expected no value")
        return check_kind(self, self.kind, acc, report)

    def _check_masks(self, report: Report) -> bool:
        if len(self.masks) not in (0, 2):
            return self._fail(report, f"takes no masks or two (for lhs and for rhs), found {len(self.masks)}")
        for name, mask, value in zip(_OPERANDS, self.masks, (self.lhs, self.rhs), strict=False):
            expected = VectorType(shape_of(value.type), I1)
            if mask.type != expected:
                return self._fail(report, f"mask of {name} must be {expected}, found {mask.type}")
        return True

    # -- under a mask -------------------------------------------------------------------------------------------

    def mask_shape(self) -> tuple[int, ...]:
        """One element for each product."""
        return self.iterator_extents

    # -- meaning ------------------------------------------------------------------------------------------------

    def reference(self, lhs: Array, rhs: Array, acc: Array, *masks: Array) -> Array:
        element = element_type(self.acc.type)
        working = working_type(self.kind, element)
        given = zip((lhs, rhs), (self.lhs, self.rhs), self.unsigned, strict=True)
        read = (numerics.unsigned(numerics.low_bits(x, element_type(v.type))) if u else x for x, v, u in given)
        a, b, start = (_extend(x, working) for x in (*read, np.asarray(acc)))
        matmul = self.kind == ADD and not masks and element not in (F64, I1)
        joined = self._matmul(a, b, start) if matmul else self._one_by_one(a, b, start, masks)
        return numerics.to_type(joined, element)

    def _matmul(self, lhs: Array, rhs: Array, acc: Array) -> Array:
        """Sums of products, as one batched matrix product."""
        left, right = self.as_matrices(lhs, rhs)
        with np.errstate(all="ignore"):
            return self.kind.combine(self.from_matrices(left @ right), acc)

    def as_matrices(self, lhs: Array, rhs: Array) -> tuple[Array, Array]:
        """The operands as [batch, rows, summed] and [batch, summed, columns], each several iterators in one."""
        batch, rows, columns, summed = self.roles
        left, right, _ = self.iterator_dims
        return _grouped(lhs, left, batch, rows, summed), _grouped(rhs, right, batch, summed, columns)

    def from_matrices(self, product: Array) -> Array:
        """What is given as [batch, rows, columns], in the order of the accumulator's dims."""
        batch, rows, columns, _ = self.roles
        order = [*batch, *rows, *columns]
        unfolded = product.reshape([self.iterator_extents[d] for d in order])
        return unfolded.transpose([order.index(d) for d in self.iterator_dims[2]])

    def accumulator_as_matrix(self, acc: Array) -> Array:
        """The accumulator as [batch, rows, columns]."""
        return _grouped(np.asarray(acc), self.iterator_dims[2], *self.roles[:3])

    def _one_by_one(self, lhs: Array, rhs: Array, acc: Array, masks: Sequence[Array]) -> Array:
        """Joins the products in row-major order of the reduction iterators, then the accumulator."""
        left, right = self._by_step(lhs, 0), self._by_step(rhs, 1)
        on = np.ones_like(left, np.bool_) if not masks else self._by_step(masks[0], 0) & self._by_step(masks[1], 1)
        total, started = PRODUCT.combine(left[0], right[0]), on[0]
        for x, y, here in zip(left[1:], right[1:], on[1:], strict=True):
            product = PRODUCT.combine(x, y)
            joined = np.where(started, self.kind.combine(total, product), product)
            total, started = np.where(here, joined, total), started | here
        return np.where(started, self.kind.combine(total, acc), acc)

    def _by_step(self, array: Array, operand: int) -> Array:
        """Axis 0 runs over the reduction iterators, the others over the accumulator's dims (1 where absent)."""
        dims, out = self.iterator_dims[operand], self.iterator_dims[2]
        summed = [d for d, role in enumerate(self.iterators) if role == "reduction"]
        order = [*summed, *out]
        moved = array.transpose([dims.index(d) for d in order if d in dims])
        full = np.expand_dims(moved, tuple(i for i, d in enumerate(order) if d not in dims))
        return full.reshape((-1, *full.shape[len(summed) :]))


_OPERANDS = ("lhs", "rhs", "acc")
PRODUCT = CombiningKindAttr("mul")


def _grouped(array: Array, dims: Sequence[int], *groups: Sequence[int]) -> Array:
    """The array with each group of iterators as one axis."""
    moved = array.transpose([dims.index(d) for group in groups for d in group])
    sizes = [[array.shape[dims.index(d)] for d in group] for group in groups]
    return moved.reshape([prod(size) for size in sizes])


def _extend(array: Array, working: np.dtype[Any]) -> Array:
    return convert_float(array if holds_floats(array) else numerics.signed_bits(array), working)


def extension(element: Type, unsigned: bool) -> type[arith.ExtFOp | arith.ExtSIOp | arith.ExtUIOp]:
    """What makes an operand's elements the accumulator's."""
    if element.is_float:
        return arith.ExtFOp
    return arith.ExtUIOp if unsigned else arith.ExtSIOp


def _extends(element: Type, acc: Type) -> bool:
    """Whether every value of `element` is one of `acc`."""
    same_kind = element.is_float == acc.is_float
    return same_kind and bit_width(element) < bit_width(acc)


def _iterator(attribute: Attribute) -> Attribute:
    """`"parallel"` of the custom form as the attribute of the generic one."""
    known = isinstance(attribute, StringAttr) and attribute.value in IteratorTypeAttr.cases
    return IteratorTypeAttr(attribute.value) if known else attribute  # type: ignore[attr-defined]
