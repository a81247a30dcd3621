"""memref: views of the same memory under other extents, strides and orders of dimensions.

All are short for `memref.reinterpret_cast`, which says extents and strides outright, of a source whose own are read by
`memref.extract_strided_metadata` where its type does not state them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

from ...support.diagnostics import Report
from ..affine import AffineMapAttr
from ..assembly_elements import Directive, State
from ..core import Operation, Value
from ..define import (
    AttributeField,
    Constraint,
    attribute,
    integer_like,
    is_index,
    is_memref,
    operand,
    operands,
    result,
    results,
    static_numbers_attribute,
)
from ..dynamic_index_list import merge, static_numbers
from ..traits import NOTHING, READS
from ..types import INDEX, Attribute, MemRefType, StridedLayout, Type, element_type
from .memref import RetypingOp, memref_type
from .reassociation import (
    CollapsesShape,
    ExpandsShape,
    Groups,
    groups_of,
    joined_extents,
)

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

Mixed = int | Value
"""A number, or an index that is one at run time."""


class ReinterpretCastOp(Operation, opname="memref.reinterpret_cast"):
    """The source's buffer under any offset, sizes and strides, in elements from where the buffer starts.

    The source's own offset, extents and strides do not matter. What is seen has to be inside the buffer.
    """

    pure = True
    source = operand(is_memref, NOTHING)
    offsets = operands(is_index)
    sizes = operands(is_index)
    strides = operands(is_index)
    static_offsets = static_numbers_attribute()
    static_sizes = static_numbers_attribute()
    static_strides = static_numbers_attribute()
    result_ = result(is_memref, view_of="source")
    assembly = (
        "$source `to` `offset` `` `:` custom<DynamicIndexList>($offsets, $static_offsets) `,` `sizes` `` `:`"
        " custom<DynamicIndexList>($sizes, $static_sizes) `,` `strides` `` `:`"
        " custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($source) `to` type($result)"
    )

    def mixed(self) -> tuple[Mixed, list[Mixed], list[Mixed]]:
        """The offset, and one size and one stride for each dimension of the result."""
        (offset,) = merge(self.static_offsets, self.offsets)
        return offset, merge(self.static_sizes, self.sizes), merge(self.static_strides, self.strides)

    def verify(self, report: Report) -> None:
        source, target, rank = self.source.type, self.result_.type, self.result_.type.rank
        groups = (
            ("offset", self.static_offsets, self.offsets, 1),
            ("sizes", self.static_sizes, self.sizes, rank),
            ("strides", self.static_strides, self.strides, rank),
        )
        for words, numbers, values, expected in groups:
            if len(numbers) != expected:
                self.error(report, f"{words}: expected {expected} for a result of rank {rank}, found {len(numbers)}")
                return
            if numbers.count(None) != len(values):
                self.error(report, f"{words}: {len(values)} values for {numbers.count(None)} places in the list")
                return
        _check_same(self, source, target, report)
        strides, offset = target.strides_and_offset()
        self._compare("offset", "", self.static_offsets[0], offset, report)
        for dim in range(rank):
            self._compare("size", f" in dim = {dim}", self.static_sizes[dim], target.shape[dim], report)
            self._compare("stride", f" in dim = {dim}", self.static_strides[dim], strides[dim], report)

    def _compare(self, words: str, where: str, stated: int | None, found: int | None, report: Report) -> None:
        if stated != found:
            expected, written = ("dynamic" if n is None else n for n in (stated, found))
            self.error(report, f"expected result type with {words} = {expected} instead of {written}{where}")


def _check_same(op: Operation, source: MemRefType, target: MemRefType, report: Report) -> None:
    """A view has the elements and the memory of what it is a view of."""
    if source.element != target.element:
        op.error(report, f"element type of the source is {source.element}, of the result {target.element}")
    if source.memory_space != target.memory_space:
        op.error(report, f"source {source} and result {target} are in different memory spaces")


class ExtractStridedMetadataOp(Operation, opname="memref.extract_strided_metadata"):
    """The buffer that a memref lies in, as one element of it, and the memref's offset, sizes and strides."""

    pure = True
    source = operand(is_memref, NOTHING)
    base_buffer = result(is_memref, view_of="source")
    offset = result(is_index)
    extents = results(is_index)
    """Sizes, then strides."""
    assembly = "$source attr-dict `:` type($source) `->` type(results)"

    @property
    def sizes(self) -> Sequence[Value]:
        return self.extents[: self.source.type.rank]

    @property
    def strides(self) -> Sequence[Value]:
        return self.extents[self.source.type.rank :]

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        source = memref_type(operands[0])
        return [MemRefType((), source.element, None, source.memory_space), *[INDEX] * (1 + 2 * source.rank)]

    def verify(self, report: Report) -> None:
        expected, found = self.infer(self.operands, self.attributes), [r.type for r in self.results]
        if found != expected:
            words = (", ".join(map(str, types)) for types in (expected, found))
            self.error(report, "results must be {}; found {}".format(*words))


# -- dimensions split and joined ------------------------------------------------------------------------------------


class ExpandShapeOp(ExpandsShape, opname="memref.expand_shape"):
    """The same memory with dimensions split: those of a group lie in each other as the one did that they are of."""

    pure = True
    src = operand(is_memref, NOTHING)
    output_shape = operands(is_index)
    result_ = result(is_memref, view_of="src")

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        shape = static_numbers(attributes["static_output_shape"])
        return [expanded_type(memref_type(operands[0]), shape, groups_of(attributes))]

    def verify(self, report: Report) -> None:
        source, target = self.src.type, self.result_.type
        _check_same(self, source, target, report)
        if self.check_shape(source, target, report):
            expected = expanded_type(source, target.shape, self.groups)
            if expected != target:
                self.error(report, f"expected expanded type to be {expected}, found {target}")


def expanded_type(source: MemRefType, shape: Sequence[int | None], groups: Groups) -> MemRefType:
    """The type with dimensions split so; without a layout where the source has none."""
    steps, offset = source.strides_and_offset()
    layout: StridedLayout | None = None
    if source.layout is not None:
        strides: list[int | None] = [1] * len(shape)
        for dims, step in zip(groups, steps, strict=False):
            for dim in reversed(dims):
                extent, strides[dim] = shape[dim], step
                step = None if step is None or extent is None else step * extent
        layout = StridedLayout(tuple(strides), offset)
    return MemRefType(tuple(shape), source.element, layout, source.memory_space)


class CollapseShapeOp(CollapsesShape, opname="memref.collapse_shape"):
    """The same memory with dimensions joined that lie in each other without gaps."""

    pure = True
    src = operand(is_memref, NOTHING)
    result_ = result(is_memref, view_of="src")

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        """Without a type where there are gaps between what is joined."""
        source, groups = memref_type(operands[0]), groups_of(attributes)
        expected = collapsed_type(source, joined_extents(source, groups), groups)
        return None if expected is None else [expected]

    def verify(self, report: Report) -> None:
        source, target = self.src.type, self.result_.type
        _check_same(self, source, target, report)
        if self.check_groups(target, source, report):
            expected = collapsed_type(source, target.shape, self.groups)
            if expected is None:
                self.error(report, f"joins dimensions of {source} between which there are gaps")
            elif expected != target:
                self.error(report, f"expected collapsed type to be {expected}, found {target}")


def last_of(source: MemRefType, dims: Sequence[int]) -> int:
    """The dimension whose stride is that of the joined one: extents of 1 have any."""
    return next((d for d in reversed(dims) if source.shape[d] != 1), dims[-1])


def collapsed_type(source: MemRefType, shape: Sequence[int | None], groups: Groups) -> MemRefType | None:
    """The type with dimensions joined so; None where there are known to be gaps between them."""
    strides, offset = source.strides_and_offset()
    layout: StridedLayout | None = None
    if source.layout is not None:
        for dims in groups:
            real = [d for d in dims if source.shape[d] != 1]
            for outer, inner in pairwise(real):
                extent, step, found = source.shape[inner], strides[inner], strides[outer]
                if extent is not None and step is not None and found is not None and found != step * extent:
                    return None
        layout = StridedLayout(tuple(strides[last_of(source, dims)] for dims in groups[: len(shape)]), offset)
    return MemRefType(tuple(shape), source.element, layout, source.memory_space)


# -- other orders and shapes ----------------------------------------------------------------------------------------


class Permutation(Directive):
    """An affine map without the word for it."""

    def __init__(self, field: AttributeField[AffineMapAttr]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        state.give(parser, self.field.name, AffineMapAttr(parser.affine_map()), place)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(str(self.field.read(op).map))


class TransposeOp(Operation, opname="memref.transpose"):
    """The same memory with the dimensions in another order: result dimension i is source dimension `permutation[i]`."""

    pure = True
    in_ = operand(is_memref, NOTHING)
    permutation = attribute(AffineMapAttr)
    result_ = result(is_memref, view_of="in")
    directives = {"Permutation": Permutation}
    assembly = "$in custom<Permutation>($permutation) attr-dict `:` type($in) `to` type($result)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        """One of the spellings: the same strides may be said in several ways."""
        order = cls(operands, (), attributes).order
        return None if order is None else [transposed_type(memref_type(operands[0]), order)]

    @property
    def order(self) -> tuple[int, ...] | None:
        """None where the map is no permutation."""
        map = self.permutation.map
        dims = tuple(d for d in map.result_dims() or () if d is not None)
        return dims if sorted(dims) == list(range(map.dims)) == list(range(len(map.results))) else None

    def verify(self, report: Report) -> None:
        order, source, found = self.order, self.in_.type, self.result_.type
        if order is None:
            self.error(report, f"expected a permutation map, found {self.permutation.map}")
        elif len(order) != source.rank:
            self.error(report, f"permutes {len(order)} dimensions, {source} has {source.rank}")
        elif not _same_places(expected := transposed_type(source, order), found):
            self.error(report, f"transposing {source} gives {expected}, found {found}")


def transposed_type(source: MemRefType, order: Sequence[int]) -> MemRefType:
    strides, offset = source.strides_and_offset()
    layout = StridedLayout(tuple(strides[d] for d in order), offset)
    return MemRefType(tuple(source.shape[d] for d in order), source.element, layout, source.memory_space)


def _same_places(a: MemRefType, b: MemRefType) -> bool:
    """Whether two types differ in how they spell their layouts at most."""
    plain = (MemRefType(t.shape, t.element, None, t.memory_space) for t in (a, b))
    return next(plain) == next(plain) and a.strides_and_offset() == b.strides_and_offset()


is_memref_of_integers: Constraint[MemRefType] = Constraint(
    "a memref of indices or integers", lambda t: is_memref.holds(t) and integer_like.holds(element_type(t))
)


class ReshapeOp(Operation, opname="memref.reshape"):
    """A row-major buffer's elements in the same order under the extents that the memref `shape` holds."""

    pure = False
    source = operand(is_memref, NOTHING)
    shape = operand(is_memref_of_integers, READS)
    result_ = result(is_memref, view_of="source")
    assembly = "$source `` `(` $shape `)` attr-dict `:` functional-type(operands, results)"

    def verify(self, report: Report) -> None:
        source, shape, target = self.source.type, self.shape.type, self.result_.type
        _check_same(self, source, target, report)
        if source.layout is not None or target.layout is not None:
            self.error(report, f"source and result are row-major, found {source} and {target}")
        if shape.rank != 1:
            self.error(report, f"shape must have one dimension, found {shape}")
        elif shape.shape[0] != target.rank:
            self.error(report, f"length of the shape {shape} differs from the rank of the result {target}")
        elif None not in (*source.shape, *target.shape):
            counts = [prod(n or 0 for n in t.shape) for t in (source, target)]
            if counts[0] != counts[1]:
                self.error(report, f"source has {counts[0]} elements, the result {counts[1]}")


class RankOp(Operation, opname="memref.rank"):
    """How many dimensions a memref has."""

    pure = True
    memref = operand(is_memref, NOTHING)
    result_ = result(is_index)
    assembly = "$memref attr-dict `:` type($memref)"


class MemorySpaceCastOp(RetypingOp, opname="memref.memory_space_cast"):
    """The same memref under a type that names its memory space, or leaves it open."""

    pure = True
    source = operand(is_memref, NOTHING)
    dest = result(is_memref, view_of="source")
    assembly = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.dest.type
        if MemRefType(source.shape, source.element, source.layout, target.memory_space) != target:
            self.error(report, f"{source} and {target} differ in more than the memory space")
