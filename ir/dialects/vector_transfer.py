"""vector: transfer_read and transfer_write, which move a permuted, possibly partial slice of a memref.

Vector dim `i` runs along the memref dim that result `i` of the permutation map names, from the index given for it; a
result 0 repeats the value along the dim. Outside the memref a read gives the padding and a write does nothing. A mask
is in memory order: one dim for each memref dim that the map names, ascending, before the permutation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...support.diagnostics import Location, Report
from ..affine import AffineMap, AffineMapAttr
from ..assembly_elements import Directive, State, check_type
from ..attributes import ArrayAttr, IntegerAttr, are_flags, flags_of, scalar_attr
from ..core import Operation, Value
from ..define import (
    OperandField,
    attribute,
    is_index,
    is_mask,
    is_memref,
    is_tensor,
    is_vector,
    operand,
    operands,
    optional_operand,
    result,
    scalar_like,
)
from ..numerics import Array
from ..traits import READS, WRITES
from ..types import I1, IndexType, MemRefType, TensorType, Type, VectorType, element_type, shape_of
from .arith import ConstantOp
from .vector_mask_region import Maskable

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

Place = tuple[Array, ...]
"""One array of indices for each memref dim, each of the transfer's shape."""


class Padding(Directive):
    """`, %padding`; older texts put it in parentheses, or leave it out where it is zero."""

    def __init__(self, source: OperandField[Any], padding: OperandField[Any]) -> None:
        self.source, self.padding = source, padding

    def parse(self, parser: Parser, state: State) -> None:
        if not parser.accept(","):
            given = _zero(parser, state.operands[self.source.name][0], state.location)
        elif parser.accept("("):
            given = parser.operand()
            parser.expect(")")
        else:
            given = parser.operand()
        state.operands[self.padding.name] = [given]

    def print(self, printer: Printer, op: Operation) -> None:
        printer.raw(f", {printer.name(self.padding.read(op))}")


class Shown(Directive):
    """The dictionary, without a map and flags that say nothing."""

    def parse(self, parser: Parser, state: State) -> None:
        state.attributes |= parser.optional_attribute_dict()

    def print(self, printer: Printer, op: Operation) -> None:
        assert isinstance(op, TransferOp)
        op.print_attributes(printer)


class Written(Directive):
    """The type of what is written; of a tensor it is the result's, too."""

    def __init__(self, field: OperandField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        (written,) = state.operands[self.field.name]
        check_type(parser, written)
        state.result_types["*"] = [written.type] if is_tensor.admits(written) else []

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(printer.type(self.field.read(op).type))


class TransferOp(Maskable):
    """What both directions share. A map or `in_bounds` that is not given is filled in: minor identity, all false."""

    pure = False
    permutation_map = attribute(AffineMapAttr)
    in_bounds = attribute(ArrayAttr)
    directives = {"Padding": Padding, "Shown": Shown, "Written": Written}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        memory, vector = self.transfer_types()
        if isinstance(memory, MemRefType) and isinstance(vector, VectorType):
            rank = vector.rank - len(shape_of(memory.element))
            if "permutation_map" not in self.attributes:
                self.attributes["permutation_map"] = AffineMapAttr(_default_map(memory, rank))
            if "in_bounds" not in self.attributes:
                self.attributes["in_bounds"] = ArrayAttr((IntegerAttr(0, I1),) * rank)

    memref: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    mask: ClassVar[OperandField[Value[VectorType] | None]]

    def transfer_types(self) -> tuple[Type | None, Type | None]:
        """The types of memref and vector, None for operands that are missing."""
        raise AssertionError

    @property
    def memref_type(self) -> MemRefType:
        return self.memref.type

    @property
    def vector_type(self) -> VectorType:
        raise AssertionError

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents that the map's results run over: the vector's, less those of a memref of vectors."""
        return self.vector_type.shape[: self.vector_type.rank - len(shape_of(self.memref_type.element))]

    @property
    def map(self) -> AffineMap:
        return self.permutation_map.map

    @property
    def memory_dims(self) -> tuple[int | None, ...]:
        """The memref dim of each vector dim, None where the value is repeated."""
        dims = self.map.result_dims()
        assert dims is not None
        return dims

    @property
    def in_bounds_flags(self) -> tuple[bool, ...]:
        """For each vector dim, whether the program promises that all of it is inside the memref."""
        return flags_of(self.in_bounds)

    # -- where the elements lie ---------------------------------------------------------------------------------

    def coordinates(self, indices: Sequence[int], extents: Sequence[int]) -> tuple[Place, Array]:
        """For each element of the vector, its index in every memref dim (int64) and whether that is inside.

        `indices` is where the slice starts, `extents` the memref's; both have one entry a memref dim.
        """
        place = [np.broadcast_to(np.int64(i), self.shape) for i in indices]
        for axis, dim in enumerate(self.memory_dims):
            if dim is not None:
                along = np.arange(self.shape[axis], dtype=np.int64)
                place[dim] = place[dim] + along.reshape((-1,) + (1,) * (len(self.shape) - 1 - axis))
        inside = np.ones(self.shape, np.bool_)
        for index, extent in zip(place, extents, strict=True):
            inside &= (index >= 0) & (index < extent)
        return tuple(place), inside

    def vector_mask(self, mask: Array | None) -> Array:
        """The mask operand (None: all true) seen from the vector, of the transfer's shape; leading axes stay."""
        if mask is None:
            return np.ones(self.shape, np.bool_)
        named = sorted(d for d in self.memory_dims if d is not None)
        lead = mask.ndim - max(len(named), 1)
        order = [lead + named.index(d) for d in self.memory_dims if d is not None]
        permuted = mask.transpose(*range(lead), *order) if named else mask[..., 0]
        repeated = tuple(lead + axis for axis, d in enumerate(self.memory_dims) if d is None)
        return np.broadcast_to(np.expand_dims(permuted, repeated), mask.shape[:lead] + self.shape)

    def promise(self, dim: int) -> str:
        """Why all of memref dimension `dim` that is touched must be inside; empty where it need not.

        These are the dims that `in_bounds` marks and the memref dims that the map does not name.
        """
        axis = next((axis for axis, d in enumerate(self.memory_dims) if d == dim), None)
        if axis is None:
            return "no dimension of the vector runs along it"
        return f"in_bounds[{axis}] is true" if self.in_bounds_flags[axis] else ""

    # -- text ---------------------------------------------------------------------------------------------------

    def print_attributes(self, printer: Printer) -> None:
        hidden = [] if any(self.in_bounds_flags) else ["in_bounds"]
        if self.map == _default_map(self.memref_type, len(self.shape)):
            hidden.append("permutation_map")
        printer.attribute_dict(self, hidden=hidden)

    # -- rules --------------------------------------------------------------------------------------------------

    def verify(self, report: Report) -> None:
        for rule in (
            self._check_indices,
            self._check_elements,
            self._check_map,
            self._check_in_bounds,
            self._check_mask,
        ):
            if not rule(report):
                return

    def _check_indices(self, report: Report) -> bool:
        if len(self.indices) != self.memref_type.rank:
            found = f"found {len(self.indices)}"
            self.error(report, f"needs {self.memref_type.rank} indices for {self.memref_type}, {found}")
            return False
        return True

    def _check_elements(self, report: Report) -> bool:
        memory, vector = self.memref_type, self.vector_type
        if element_type(memory.element) != vector.element:
            self.error(report, f"element types differ: {memory} and {vector}")
            return False
        if isinstance(memory.element, VectorType) and vector.shape[len(self.shape) :] != memory.element.shape:
            self.error(report, f"element type {memory.element} of the memref is not the end of {vector}")
            return False
        return True

    def _check_map(self, report: Report) -> bool:
        memory, map = self.memref_type, self.map
        if map.dims != memory.rank or map.symbols:
            self.error(report, f"permutation_map {map} must have {memory.rank} dims and no symbols, as {memory} has")
            return False
        dims = map.result_dims()
        if dims is None:
            self.error(report, f"permutation_map {map} must name memref dims or be 0")
            return False
        named = [d for d in dims if d is not None]
        repeated = next((d for d in named if named.count(d) > 1), None)
        if repeated is not None:
            self.error(report, f"permutation_map {map} names d{repeated} twice")
            return False
        if len(dims) != len(self.shape):
            self.error(
                report, f"permutation_map {map} has {len(dims)} results, {self.vector_type} needs {len(self.shape)}"
            )
            return False
        return True

    def _check_in_bounds(self, report: Report) -> bool:
        flags = self.in_bounds.values
        if not are_flags(self.in_bounds):
            self.error(report, f"in_bounds must be a list of true and false, found {self.in_bounds}")
            return False
        if len(flags) != len(self.shape):
            self.error(report, f"in_bounds has {len(flags)} entries, {self.vector_type} needs {len(self.shape)}")
            return False
        return True

    def _check_mask(self, report: Report) -> bool:
        mask = self.mask
        if mask is None:
            return True
        if shape_of(self.memref_type.element):
            self.error(report, f"takes no mask where elements are vectors, found {self.memref_type}")
            return False
        if mask.type != (expected := self.mask_type()):
            found = f"found {mask.type}"
            self.error(report, f"mask must be {expected} (memory order, without repeated dims), {found}")
            return False
        return True

    def mask_shape(self) -> tuple[int, ...]:
        return self.mask_type().shape

    def mask_type(self) -> VectorType:
        """The type a mask of this transfer has; one element where the map names no dim."""
        extents = {dim: self.shape[axis] for axis, dim in enumerate(self.memory_dims) if dim is not None}
        return VectorType(tuple(extents[dim] for dim in sorted(extents)) or (1,), I1)


def _default_map(memory: MemRefType, rank: int) -> AffineMap:
    return _minor_identity(memory.rank, min(max(rank, 0), memory.rank))


_minor_identity = cache(AffineMap.minor_identity)
"""One map for the many transfers of a program."""


class TransferReadOp(TransferOp, opname="vector.transfer_read"):
    """Reads a vector from a memref; from a tensor it is a `TensorReadOp`."""

    memref = operand(is_memref, READS)
    indices = operands(is_index)
    padding = operand(scalar_like)
    mask = optional_operand(is_mask)
    vector = result(is_vector)
    assembly = (
        "$memref `` `[` $indices `]` custom<Padding>($memref, $padding) (`,` $mask^)? custom<Shown>() `:`"
        " type($memref) `,` type($vector)"
    )

    def transfer_types(self) -> tuple[Type | None, Type | None]:
        return (self.operands[0].type if self.operands else None), (self.results[0].type if self.results else None)

    @property
    def vector_type(self) -> VectorType:
        return self.vector.type

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        return TensorReadOp if any(map(is_tensor.admits, operands[:1])) else cls

    def verify(self, report: Report) -> None:
        _check_padding(self, self.padding, report)
        super().verify(report)


class TransferWriteOp(TransferOp, opname="vector.transfer_write"):
    """Writes a vector to a memref; to a tensor it is a `TensorWriteOp`."""

    value = operand(is_vector)
    memref = operand(is_memref, WRITES)
    indices = operands(is_index)
    mask = optional_operand(is_mask)
    assembly = (
        "$value `,` $memref `` `[` $indices `]` (`,` $mask^)? custom<Shown>() `:` type($value) `,`"
        " custom<Written>($memref)"
    )

    def transfer_types(self) -> tuple[Type | None, Type | None]:
        value, memref, *_ = [*(v.type for v in self.operands), None, None]
        return memref, value

    @property
    def vector_type(self) -> VectorType:
        return self.value.type

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        return TensorWriteOp if any(map(is_tensor.admits, operands[1:2])) else cls

    def _check_map(self, report: Report) -> bool:
        return super()._check_map(report) and _check_no_repeat(self, report)


# -- of tensors -------------------------------------------------------------------------------------------------------


class TensorReadOp(TransferOp, variant_of=TransferReadOp):
    """`vector.transfer_read` of a tensor; kernels are compiled without (`frontend/tensors.py`)."""

    pure = True
    source = operand(is_tensor)
    indices = operands(is_index)
    padding = operand(scalar_like)
    mask = optional_operand(is_mask)
    vector = result(is_vector)
    assembly = (
        "$source `` `[` $indices `]` custom<Padding>($source, $padding) (`,` $mask^)? custom<Shown>() `:`"
        " type($source) `,` type($vector)"
    )

    def transfer_types(self) -> tuple[Type | None, Type | None]:
        return _like_memref(self.operands[:1]), (self.results[0].type if self.results else None)

    @property
    def memref_type(self) -> MemRefType:
        return MemRefType(self.source.type.shape, self.source.type.element)

    @property
    def vector_type(self) -> VectorType:
        return self.vector.type

    def verify(self, report: Report) -> None:
        _check_padding(self, self.padding, report)
        super().verify(report)


class TensorWriteOp(TransferOp, variant_of=TransferWriteOp):
    """`vector.transfer_write` to a tensor: the tensor with these elements in it."""

    pure = True
    value = operand(is_vector)
    dest = operand(is_tensor)
    indices = operands(is_index)
    mask = optional_operand(is_mask)
    result_ = result(is_tensor)
    same_type = ("dest", "result")
    assembly = (
        "$value `,` $dest `` `[` $indices `]` (`,` $mask^)? custom<Shown>() `:` type($value) `,` custom<Written>($dest)"
    )

    def transfer_types(self) -> tuple[Type | None, Type | None]:
        return _like_memref(self.operands[1:2]), (self.operands[0].type if self.operands else None)

    @property
    def memref_type(self) -> MemRefType:
        return MemRefType(self.dest.type.shape, self.dest.type.element)

    @property
    def vector_type(self) -> VectorType:
        return self.value.type

    def _check_map(self, report: Report) -> bool:
        return super()._check_map(report) and _check_no_repeat(self, report)


def _like_memref(tensor: Sequence[Value]) -> Type | None:
    type = tensor[0].type if tensor else None
    return MemRefType(type.shape, type.element) if isinstance(type, TensorType) else type


# -- what both have ---------------------------------------------------------------------------------------------------


def _check_padding(op: TransferOp, padding: Value, report: Report) -> None:
    if padding.type != op.memref_type.element:
        op.error(report, f"padding must be {op.memref_type.element}, found {padding.type}")


def _check_no_repeat(op: TransferOp, report: Report) -> bool:
    if None in op.memory_dims:
        op.error(report, f"permutation_map {op.map} has a 0: several elements would go to one place")
        return False
    return True


def _zero(parser: Parser, source: Value, location: Location) -> Value:
    """A constant in front of the read, which prints as one."""
    type = element_type(source.type)
    if not scalar_like.holds(type):
        hint = "write it after the indices: %memref[%i, %j], %padding"
        raise parser.error(f"a padding that is left out is a number, found elements of {type}", hint=hint)
    value = {"value": scalar_attr(0, type)}
    return parser.put_before(ConstantOp((), [type], value, location=location)).result
