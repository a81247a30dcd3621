"""iree_vector_ext: layouts as attributes of a program, and the operations that ask for them.

`NestedLayoutAttr` is plain data, printed as it was written; what a layout means, and its laws, are in `layout/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from math import prod
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..attributes import DIALECT_ATTRIBUTES
from ..core import Operation, Value
from ..define import attribute, carried_attribute, is_tensor, is_vector, operand, optional_flag_or_attribute, result
from ..keyed import equated
from ..types import Attribute, TensorType, Type, VectorType

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


class VectorLayoutAttr(Attribute):
    """A layout that `to_layout` may ask for."""

    __slots__ = ()
    parts_are: ClassVar[str] = ""
    """What `parts` are, in words."""

    @property
    def rank(self) -> int:
        raise AssertionError

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the vectors that this lays out."""
        raise AssertionError

    def parts(self, dim: int) -> tuple[int, ...]:
        """The numbers whose product is the extent of a dimension."""
        raise AssertionError

    def flaw(self) -> str | None:
        """What is wrong with the layout by itself, None if nothing."""
        raise AssertionError


@dataclass(frozen=True, slots=True)
class NestedLayoutAttr(VectorLayoutAttr):
    """Tiles of five levels (subgroup, batch, outer, thread, element) and the strides of the two that are spread over
    subgroups and threads; one entry for each dimension of the vector."""

    subgroup_tile: tuple[int, ...]
    batch_tile: tuple[int, ...]
    outer_tile: tuple[int, ...]
    thread_tile: tuple[int, ...]
    element_tile: tuple[int, ...]
    subgroup_strides: tuple[int, ...]
    thread_strides: tuple[int, ...]

    mnemonic: ClassVar[str] = "iree_vector_ext.nested_layout"
    alias: ClassVar[str] = "layout"
    parts_are: ClassVar[str] = "subgroup * batch * outer * thread * element"
    levels: ClassVar[tuple[str, ...]] = ("subgroup_tile", "batch_tile", "outer_tile", "thread_tile", "element_tile")

    @classmethod
    def parse(cls, parser: AttributeParser) -> NestedLayoutAttr:
        """`<subgroup_tile = [..], ...>`: every field once, in any order."""
        start = parser.token.start
        names = [f.name for f in fields(cls)]
        values = equated(parser, names, lambda _: tuple(parser.integer_list()))
        missing = [n for n in names if n not in values]
        if missing:
            raise parser.error(f"nested_layout needs {', '.join(missing)}", start)
        layout = cls(**values)
        if flaw := layout.rank_flaw():
            raise parser.error(flaw, start)
        return layout

    def field(self, name: str) -> tuple[int, ...]:
        value: tuple[int, ...] = getattr(self, name)
        return value

    def __str__(self) -> str:
        body = ", ".join(f"{f.name} = {list(self.field(f.name))}" for f in fields(self))
        return f"#{self.mnemonic}<{body}>"

    @property
    def rank(self) -> int:
        return len(self.subgroup_tile)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(prod(self.parts(dim)) for dim in range(self.rank))

    def parts(self, dim: int) -> tuple[int, ...]:
        return tuple(self.field(level)[dim] for level in self.levels)

    def flaw(self) -> str | None:
        return self.rank_flaw() or self._tile_flaw() or self._stride_flaw()

    def rank_flaw(self) -> str | None:
        """What is wrong with the lengths of the fields, None if nothing."""
        ranks = {f.name: len(self.field(f.name)) for f in fields(self)}
        if len(set(ranks.values())) == 1:
            return None
        return "the fields differ in length: " + ", ".join(f"{n} {r}" for n, r in ranks.items())

    def _tile_flaw(self) -> str | None:
        for level in self.levels:
            for dim, tile in enumerate(self.field(level)):
                if tile < 1:
                    return f"{level} of dimension {dim} is {tile}; tiles are positive"
        return None

    def _stride_flaw(self) -> str | None:
        for level in ("subgroup", "thread"):
            tiles, strides = self.field(f"{level}_tile"), self.field(f"{level}_strides")
            for dim, (tile, stride) in enumerate(zip(tiles, strides, strict=True)):
                if stride < 0:
                    return f"{level}_strides of dimension {dim} is {stride}; strides are not negative"
                if stride == 0 and tile > 1:
                    return (
                        f"{level}_tile of dimension {dim} is {tile} with stride 0: tiles 1 to {tile - 1} have no owner"
                    )
        return None


DIALECT_ATTRIBUTES[NestedLayoutAttr.mnemonic] = NestedLayoutAttr.parse


class ToLayoutOp(Operation, opname="iree_vector_ext.to_layout"):
    """The same value, held as `layout` says; through shared memory when `shared_memory_conversion` is set, which may
    say how it gets there: `#iree_gpu.derived_thread_config`, as it does anyway, or what lanewise refuses to compile."""

    pure = True
    input = operand(is_vector)
    layout = attribute(VectorLayoutAttr)
    shared_memory_conversion = optional_flag_or_attribute()
    mma_kind = carried_attribute(Attribute)
    output = result(is_vector)
    same_type = ("input", "output")
    assembly = "$input `to` `layout` `` `(` $layout `)` prop-dict attr-dict `:` type($input)"

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        return TensorToLayoutOp if any(map(is_tensor.admits, operands)) else cls

    def verify(self, report: Report) -> None:
        _check_layout(self, self.layout, self.input.type, report)


class TensorToLayoutOp(Operation, variant_of=ToLayoutOp):
    """A tensor that is held as a layout says; it is a vector where a kernel computes (`frontend/tensors.py`)."""

    pure = True
    input = operand(is_tensor)
    layout = attribute(VectorLayoutAttr)
    shared_memory_conversion = optional_flag_or_attribute()
    mma_kind = carried_attribute(Attribute)
    output = result(is_tensor)
    same_type = ("input", "output")
    assembly = ToLayoutOp.assembly

    def verify(self, report: Report) -> None:
        _check_layout(self, self.layout, self.input.type, report)


def _check_layout(op: Operation, layout: VectorLayoutAttr, type: VectorType | TensorType, report: Report) -> None:
    flaw, rank = layout.flaw(), len(type.shape)
    if flaw is not None:
        op.error(report, f"layout: {flaw}")
    elif layout.rank != rank:
        op.error(report, f"layout has rank {layout.rank}, {type} has rank {rank}")
    else:
        _check_extents(op, layout, type, report)


def _check_extents(op: Operation, layout: VectorLayoutAttr, type: VectorType | TensorType, report: Report) -> None:
    for dim, (laid_out, extent) in enumerate(zip(layout.shape, type.shape, strict=True)):
        if extent not in (laid_out, None):
            tiles = " * ".join(map(str, layout.parts(dim)))
            message = f"layout covers {tiles} = {laid_out} of dimension {dim}, {type} has {extent}"
            op.error(report, message, f"these are {layout.parts_are}")


class BridgeOp(Operation):
    pure = True
    input = operand(is_vector)
    output = result(is_vector)
    assembly = "$input attr-dict `:` type($input) `->` type($output)"

    def parts(self) -> tuple[Value[VectorType], Value[VectorType]]:
        """What one thread holds, and the whole."""
        raise AssertionError

    def verify(self, report: Report) -> None:
        part, whole = (v.type for v in self.parts())
        if part.element != whole.element:
            self.error(report, f"element types differ: {self.input.type} -> {self.output.type}")
        elif part.elements > whole.elements:
            self.error(report, f"one thread holds {part.elements} elements of a vector of {whole.elements}")


class ToSIMDOp(BridgeOp, opname="iree_vector_ext.to_simd"):
    """The vector whose elements the threads hold in `input`."""

    def parts(self) -> tuple[Value[VectorType], Value[VectorType]]:
        return self.input, self.output


class ToSIMTOp(BridgeOp, opname="iree_vector_ext.to_simt"):
    """What this thread holds of `input`."""

    def parts(self) -> tuple[Value[VectorType], Value[VectorType]]:
        return self.output, self.input
