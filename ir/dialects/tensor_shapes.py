"""tensor: other shapes and types of the same elements, and tensors put together of others or computed of indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...support.diagnostics import Report
from ..attributes import UnitAttr
from ..core import Operation, Value
from ..define import (
    Constraint,
    int_array_attribute,
    int_attribute,
    integer_like,
    is_index,
    is_scalar,
    is_tensor,
    operand,
    operands,
    optional_attribute,
    region,
    result,
    static_numbers_attribute,
)
from ..dynamic_index_list import merge, static_numbers
from ..types import INDEX, Attribute, TensorType, Type, bit_width, element_type
from .constants import constant_int
from .reassociation import (
    CollapsesShape,
    ExpandsShape,
    groups_of,
    joined_extents,
)

is_tensor_of_integers: Constraint[TensorType] = Constraint(
    "a tensor of indices or integers", lambda t: is_tensor.holds(t) and integer_like.holds(element_type(t))
)


class CastOp(Operation, opname="tensor.cast"):
    """The same tensor under a type that says more of its extents, or less."""

    pure = True
    source = operand(is_tensor)
    dest = result(is_tensor)
    assembly = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.dest.type
        alike = len(source.shape) == len(target.shape) and all(
            None in (m, n) or m == n for m, n in zip(source.shape, target.shape, strict=True)
        )
        if source.element != target.element or not alike:
            self.error(report, f"{source} and {target} differ in more than what is known of their extents")


class BitcastOp(Operation, opname="tensor.bitcast"):
    """The bits of every element as another type of as many bits."""

    pure = True
    source = operand(is_tensor)
    dest = result(is_tensor)
    assembly = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.dest.type
        if source.shape != target.shape:
            self.error(report, f"operand and result must have one shape, found {source} and {target}")
        elif INDEX in (source.element, target.element) or bit_width(source.element) != bit_width(target.element):
            self.error(report, f"elements must have one bit width, found {source.element} and {target.element}")


class ExpandShapeOp(ExpandsShape, opname="tensor.expand_shape"):
    """The same elements in row-major order with dimensions split."""

    pure = True
    src = operand(is_tensor)
    output_shape = operands(is_index)
    result_ = result(is_tensor)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [TensorType(static_numbers(attributes["static_output_shape"]), element_type(operands[0].type))]

    def verify(self, report: Report) -> None:
        source, target = self.src.type, self.result_.type
        _check_elements(self, source, target, report)
        self.check_shape(source, target, report)


class CollapseShapeOp(CollapsesShape, opname="tensor.collapse_shape"):
    """The same elements in row-major order with dimensions joined."""

    pure = True
    src = operand(is_tensor)
    result_ = result(is_tensor)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        source = operands[0].type
        assert isinstance(source, TensorType)
        return [TensorType(joined_extents(source, groups_of(attributes)), source.element)]

    def verify(self, report: Report) -> None:
        _check_elements(self, self.src.type, self.result_.type, report)
        self.check_groups(self.result_.type, self.src.type, report)


class ReshapeOp(Operation, opname="tensor.reshape"):
    """The elements in row-major order under the extents that the tensor `shape` holds."""

    pure = True
    source = operand(is_tensor)
    shape = operand(is_tensor_of_integers)
    result_ = result(is_tensor)
    assembly = "$source `` `(` $shape `)` attr-dict `:` functional-type(operands, results)"

    def verify(self, report: Report) -> None:
        source, shape, target = self.source.type, self.shape.type, self.result_.type
        _check_elements(self, source, target, report)
        counts = [_count(type) for type in (source, target)]
        if len(shape.shape) != 1 or shape.shape[0] not in (len(target.shape), None):
            self.error(report, f"takes {len(target.shape)} extents for {target}, found {shape}")
        elif None not in counts and counts[0] != counts[1]:
            self.error(report, f"source has {counts[0]} elements, the result {counts[1]}")


def _check_elements(op: Operation, source: TensorType, target: TensorType, report: Report) -> None:
    if source.element != target.element:
        op.error(report, f"element types differ: {source} and {target}")


def _count(type: TensorType) -> int | None:
    total = 1
    for extent in type.shape:
        if extent is None:
            return None
        total *= extent
    return total


class RankOp(Operation, opname="tensor.rank"):
    """How many dimensions a tensor has."""

    pure = True
    tensor = operand(is_tensor)
    result_ = result(is_index)
    assembly = "$tensor attr-dict `:` type($tensor)"


class ConcatOp(Operation, opname="tensor.concat"):
    """Tensors one behind the other along a dimension."""

    pure = True
    dim = int_attribute()
    inputs = operands(is_tensor)
    result_ = result(is_tensor)
    assembly = "`dim` `(` $dim `)` $inputs attr-dict `:` functional-type(operands, results)"

    def verify(self, report: Report) -> None:
        types, target, dim = [v.type for v in self.inputs], self.result_.type, self.dim
        if not types or not 0 <= dim < len(target.shape):
            self.error(report, f"joins {len(types)} tensors along dimension {dim} of {target}")
            return
        for type in types:
            others = [n for d, n in enumerate(type.shape) if d != dim]
            expected = [n for d, n in enumerate(target.shape) if d != dim]
            if type.element != target.element or len(type.shape) != len(target.shape) or others != expected:
                self.error(report, f"joins {type} along dimension {dim} into {target}")
                return
        extents = [type.shape[dim] for type in types]
        known = [n for n in extents if n is not None]
        if len(known) == len(extents) and target.shape[dim] not in (sum(known), None):
            self.error(report, f"joins extents {known} along dimension {dim}, {target} has {target.shape[dim]}")


# -- of indices -------------------------------------------------------------------------------------------------------


class YieldOp(Operation, opname="tensor.yield"):
    """Ends a region that says what an element is."""

    pure = False
    terminator = True
    value = operand(is_scalar)
    assembly = "$value attr-dict `:` type($value)"
    parents = ("tensor.generate", "tensor.pad")
    parent_words = "must end a region of tensor.generate or tensor.pad"


class _OfIndices(Operation):
    """Its region says of an element's indices what the element is."""

    def check_region(self, type: TensorType, report: Report) -> None:
        given, last = [v.type for v in self.body.arguments], self.body.terminator
        if given != [INDEX] * len(type.shape):
            words = ", ".join(map(str, given)) or "nothing"
            self.error(report, f"the region takes an index for each dimension of {type}, found {words}")
        elif not isinstance(last, YieldOp):
            self.error(report, "the region must end in tensor.yield")
        elif last.value.type != type.element:
            self.error(report, f"the region yields {last.value.type} for {type}")


class GenerateOp(_OfIndices, opname="tensor.generate"):
    """A tensor of what the region computes of the indices of each element."""

    pure = False
    recursive_effects = True
    dynamicExtents = operands(is_index)
    body_region = region()
    result_ = result(is_tensor)
    assembly = "$dynamicExtents $body_region attr-dict `:` type($result)"

    def known_shape(self) -> tuple[int, ...] | None:
        """Its extents, where the type or a constant says each."""
        shape = merge(self.result_.type.shape, self.dynamicExtents)
        known = [n if isinstance(n, int) else constant_int(n) for n in shape]
        return tuple(n for n in known if n is not None) if all(n is not None and n >= 0 for n in known) else None

    def verify(self, report: Report) -> None:
        type = self.result_.type
        if len(self.dynamicExtents) != type.shape.count(None):
            self.error(report, f"has {len(self.dynamicExtents)} extents for {type}")
        self.check_region(type, report)


class PadOp(_OfIndices, opname="tensor.pad"):
    """A tensor with `low` more elements in front of it along each dimension and `high` behind it, which the region
    computes of their indices. `nofold` asks for a copy even where there are none."""

    pure = False
    recursive_effects = True
    source = operand(is_tensor)
    low = operands(is_index)
    high = operands(is_index)
    static_low = static_numbers_attribute()
    static_high = static_numbers_attribute()
    nofold = optional_attribute(UnitAttr)
    body_region = region()
    result_ = result(is_tensor)
    assembly = (
        "$source (`nofold` $nofold^)? `low` `` custom<DynamicIndexList>($low, $static_low) `high` ``"
        " custom<DynamicIndexList>($high, $static_high) $body_region attr-dict `:` type($source) `to`"
        " type($result)"
    )

    @property
    def mixed_low(self) -> list[int | Value]:
        return merge(self.static_low, self.low)

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.result_.type
        rank = len(source.shape)
        _check_elements(self, source, target, report)
        for word, numbers, values in (("low", self.static_low, self.low), ("high", self.static_high, self.high)):
            if len(numbers) != rank or numbers.count(None) != len(values):
                self.error(report, f"has {len(numbers)} numbers of {word} padding for {source}")
                return
        sums = zip(source.shape, self.static_low, self.static_high, strict=True)
        found = [None if n is None or a is None or b is None else n + a + b for n, a, b in sums]
        if len(target.shape) != rank or any(
            None not in (m, n) and m != n for m, n in zip(found, target.shape, strict=True)
        ):
            self.error(report, f"pads {source} to extents {_words(found)}, found {target}")
        else:
            self.check_region(target, report)


def _words(extents: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if n is None else str(n) for n in extents)}]"


# -- looked up --------------------------------------------------------------------------------------------------------


class GatherOp(Operation, opname="tensor.gather"):
    """Slices of a tensor at the coordinates that another holds. A kernel cannot have it."""

    pure = True
    source = operand(is_tensor)
    indices = operand(is_tensor_of_integers)
    gather_dims = int_array_attribute()
    unique = optional_attribute(UnitAttr)
    result_ = result(is_tensor)
    assembly = (
        "$source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    def verify(self, report: Report) -> None:
        _check_dims(self, "gather_dims", self.gather_dims, self.source.type, self.indices.type, report)


class ScatterOp(Operation, opname="tensor.scatter"):
    """A tensor with slices replaced at the coordinates that another holds. A kernel cannot have it."""

    pure = True
    source = operand(is_tensor)
    dest = operand(is_tensor)
    indices = operand(is_tensor_of_integers)
    scatter_dims = int_array_attribute()
    unique = optional_attribute(UnitAttr)
    result_ = result(is_tensor)
    assembly = (
        "$source `into` $dest `[` $indices `]` `scatter_dims` `(` $scatter_dims `)` (`unique` $unique^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    def verify(self, report: Report) -> None:
        _check_dims(self, "scatter_dims", self.scatter_dims, self.dest.type, self.indices.type, report)
        if self.unique is None:
            self.error(report, "must be 'unique': no order is said for slices at one place")


def _check_dims(
    op: Operation, name: str, dims: Sequence[int], type: TensorType, indices: TensorType, report: Report
) -> None:
    if sorted(set(dims)) != list(dims) or not all(0 <= d < len(type.shape) for d in dims):
        op.error(report, f"{name} must be dimensions of {type} in order, found {list(dims)}")
    elif not indices.shape or indices.shape[-1] not in (len(dims), None):
        op.error(report, f"{name} are {len(dims)}, the coordinates in {indices} have {indices.shape[-1:]}")
