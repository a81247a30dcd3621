"""tensor: arrays that are values. Kernels are compiled without them: `frontend/tensors.py` says where elements are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir.core import Operation, Value
from ...ir.define import is_index, is_scalar, is_tensor, operand, operands, result
from ...ir.dialects.scf_forall import CombinesInParallel
from ...ir.dynamic_index_list import Rectangle, check_lists, rectangle
from ...ir.types import Attribute, TensorType, Type
from ...support.diagnostics import Report


class EmptyOp(Operation, opname="tensor.empty"):
    """A tensor whose elements are anything; `dynamicSizes` are the extents that the type leaves open."""

    pure = True
    dynamicSizes = operands(is_index)
    result_ = result(is_tensor)
    assembly = "`` `(` $dynamicSizes `)` attr-dict `:` type($result)"

    def verify(self, report: Report) -> None:
        wanted = self.result_.type.shape.count(None)
        if len(self.dynamicSizes) != wanted:
            self.error(report, f"has {len(self.dynamicSizes)} sizes for {self.result_.type}, which needs {wanted}")


class DimOp(Operation, opname="tensor.dim"):
    """The extent of a dimension."""

    pure = True
    source = operand(is_tensor)
    index = operand(is_index)
    result_ = result(is_index)
    assembly = "attr-dict $source `,` $index `:` type($source)"

    def verify(self, report: Report) -> None:
        if not self.source.type.shape:
            self.error(report, f"asks for an extent of {self.source.type}, which has no dimension")


def _check_indices(op: Operation, indices: Sequence[Value], type: TensorType, report: Report) -> None:
    if len(indices) != len(type.shape):
        op.error(report, f"needs {len(type.shape)} indices for {type}, found {len(indices)}")


class ExtractOp(Operation, opname="tensor.extract"):
    """One element."""

    pure = True
    tensor = operand(is_tensor)
    indices = operands(is_index)
    result_ = result(is_scalar)
    assembly = "$tensor `` `[` $indices `]` attr-dict `:` type($tensor)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        type = operands[0].type
        return [type.element] if isinstance(type, TensorType) else None

    def verify(self, report: Report) -> None:
        _check_indices(self, self.indices, self.tensor.type, report)
        if self.result_.type != self.tensor.type.element:
            self.error(report, f"gives an element of {self.tensor.type}, found {self.result_.type}")


class InsertOp(Operation, opname="tensor.insert"):
    """The tensor `dest` with `scalar` as one of its elements."""

    pure = True
    scalar = operand(is_scalar)
    dest = operand(is_tensor)
    indices = operands(is_index)
    result_ = result(is_tensor)
    assembly = "$scalar `into` $dest `` `[` $indices `]` attr-dict `:` type($dest)"
    same_type = ("dest", "result")

    def verify(self, report: Report) -> None:
        _check_indices(self, self.indices, self.dest.type, report)
        if self.scalar.type != self.dest.type.element:
            self.error(report, f"puts {self.scalar.type} into {self.dest.type}")


class SplatOp(Operation, opname="tensor.splat"):
    """One value in every element."""

    pure = True
    input = operand(is_scalar)
    result_ = result(is_tensor)
    assembly = "$input attr-dict `:` type($result)"

    def verify(self, report: Report) -> None:
        if self.input.type != self.result_.type.element:
            self.error(report, f"fills {self.result_.type} with {self.input.type}")


class FromElementsOp(Operation, opname="tensor.from_elements"):
    """The elements, in row-major order."""

    pure = True
    elements = operands(is_scalar)
    result_ = result(is_tensor)
    assembly = "$elements attr-dict `:` type($result)"

    def verify(self, report: Report) -> None:
        type = self.result_.type
        extents = [n for n in type.shape if n is not None]
        count = 1
        for n in extents:
            count *= n
        if len(extents) != len(type.shape) or count != len(self.elements):
            self.error(report, f"has {len(self.elements)} elements for {type}")
        elif wrong := next((v for v in self.elements if v.type != type.element), None):
            self.error(report, f"has elements of {wrong.type} for {type}")


# -- slices -----------------------------------------------------------------------------------------------------------


class Slice(Rectangle):
    """A rectangle of a tensor. What is moved may leave out dimensions of size 1."""

    @property
    def whole(self) -> TensorType:
        """The type of the tensor that the rectangle is of."""
        raise AssertionError

    @property
    def part(self) -> TensorType:
        raise AssertionError

    def verify(self, report: Report) -> None:
        whole, part = self.whole, self.part
        if not check_lists(self, self.groups, len(whole.shape), str(whole), report):
            return
        if whole.element != part.element:
            self.error(report, f"element types differ: {whole} and {part}")
        if kept_dims(self.static_sizes, part.shape) is None:
            self.error(report, f"has sizes {_sizes_text(self.static_sizes)} for {part}")
        lists = zip(self.static_offsets, self.static_sizes, self.static_strides, whole.shape, strict=True)
        for dim, (offset, size, stride, extent) in enumerate(lists):
            if size and None not in (offset, stride, extent):
                assert offset is not None and stride is not None and extent is not None
                last = offset + (size - 1) * stride
                if not 0 <= last < extent or offset < 0:
                    self.error(report, f"reaches index {last} of dimension {dim}, whose extent is {extent}")


def _sizes_text(sizes: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if n is None else str(n) for n in sizes)}]"


def kept_dims(sizes: Sequence[int | None], shape: Sequence[int | None]) -> tuple[int, ...] | None:
    """The dimensions of a rectangle that a shape has, which may leave out some of size 1; None where it is another."""
    kept: list[int] = []
    for dim, size in enumerate(sizes):
        left = len(sizes) - dim
        if len(kept) < len(shape) and shape[len(kept)] == size and (size != 1 or left <= len(shape) - len(kept)):
            kept.append(dim)
        elif size != 1:
            return None
    return tuple(kept) if len(kept) == len(shape) else None


class ExtractSliceOp(Slice, opname="tensor.extract_slice"):
    pure = True
    source = operand(is_tensor)
    offsets = operands(is_index)
    sizes = operands(is_index)
    strides = operands(is_index)
    result_ = result(is_tensor)
    assembly = f"$source `` {rectangle()} attr-dict `:` type($source) `to` type($result)"

    @property
    def whole(self) -> TensorType:
        return self.source.type

    @property
    def part(self) -> TensorType:
        return self.result_.type


class SliceInto(Slice):
    """Puts `source` into a rectangle of `dest`."""

    source = operand(is_tensor)
    dest = operand(is_tensor)
    offsets = operands(is_index)
    sizes = operands(is_index)
    strides = operands(is_index)
    assembly = f"$source `into` $dest `` {rectangle()} attr-dict `:` type($source) `into` type($dest)"

    @property
    def whole(self) -> TensorType:
        return self.dest.type

    @property
    def part(self) -> TensorType:
        return self.source.type


class InsertSliceOp(SliceInto, opname="tensor.insert_slice"):
    """`dest` with the rectangle replaced."""

    pure = True
    result_ = result(is_tensor)
    same_type = ("dest", "result")


class ParallelInsertSliceOp(SliceInto, CombinesInParallel, opname="tensor.parallel_insert_slice"):
    """What an iteration of `scf.forall` gives to one of its tensors."""

    pure = False

    def verify(self, report: Report) -> None:
        if not self.ends_an_iteration:
            self.error(report, "must put something into a tensor of scf.forall, in its scf.forall.in_parallel")
        elif self.loop_of(self.dest, report) is not None:
            super().verify(report)
