"""iree_gpu: tiles that threads together copy to workgroup memory, and tensors that are to be read as raw buffers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Report
from ..affine import AffineMap, AffineMapAttr
from ..assembly_elements import OperandTypes, State
from ..attributes import ArrayAttr, TypeAttr, are_flags, flags_of
from ..core import Operation
from ..define import (
    Constraint,
    OperandField,
    attribute,
    instances_of,
    is_index,
    is_tensor,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    result,
    results,
)
from ..traits import READS, WRITES
from ..types import INDEX, MemRefType, TensorType, VectorType
from .indexed_transfers import is_index_or_vector
from .scf_forall import CombinesInParallel

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

is_buffer: Constraint[MemRefType | TensorType] = instances_of("a memref or a tensor", MemRefType, TensorType)
Numbers = VectorType | TensorType | MemRefType
is_numbers: Constraint[Numbers] = Constraint(
    "a vector, tensor or memref of index or integers",
    lambda t: isinstance(t, Numbers) and t.element.is_whole,
)


class Copies(Operation):
    """An operation with `in_bounds`: of each dimension of what is written, whether the source has all that is read
    there; zeros stand for what it has not. Without it, it has."""

    in_bounds = optional_attribute(ArrayAttr)

    @property
    def may_leave(self) -> tuple[bool, ...] | None:
        """By dimension of what is written, whether reads may be outside of the source; None: nowhere."""
        if self.in_bounds is None:
            return None
        return tuple(not inside for inside in flags_of(self.in_bounds))

    def report_first(self, faults: Iterator[str], report: Report) -> None:
        """Reports the first of what is wrong: what is looked at behind that relies on it."""
        for fault in islice(faults, 1):
            self.error(report, fault)

    def bounds_faults(self, rank: int, words: str) -> Iterator[str]:
        """Those of `in_bounds`, for what is written and has `rank` dimensions."""
        flags = self.in_bounds.values if self.in_bounds is not None else ()
        if self.in_bounds is not None and not are_flags(self.in_bounds):
            yield f"in_bounds must be a list of true and false, found {self.in_bounds}"
        if self.in_bounds is not None and len(flags) != rank:
            yield f"in_bounds array size ({len(flags)}) must match {words} rank ({rank})"


class CoalescedGatherDMAOp(Copies, CombinesInParallel, opname="iree_gpu.coalesced_gather_dma"):
    """The lanes of a subgroup copy `source` to `init`, neighbours at once: element (i, j, ..) is the source's at
    (indices[0][i], indices[1][j], ..), where there are no indices at i, j, .. itself.

    `lane` is the lane's number; where an scf.forall counts it, its iterations copy together. All take part, and see
    what the others copied behind a barrier. Of tensors `init` with its elements replaced is the result, or what the
    iteration of an scf.forall gives to its tensor.
    """

    pure = False
    collective = "subgroup"
    belongs_to = "thread"
    source = operand(is_buffer, READS)
    indices = operands(is_numbers, READS)
    init = operand(is_buffer, WRITES)
    lane = operand(is_index)
    results_ = results(is_tensor)
    assembly = (
        "$source (`` `[` $indices^ `]`)? `into` $init `lane` `` `(` $lane `)` (`in_bounds` $in_bounds^)?"
        " attr-dict `:` former(`(`) type(operands) former(`)`) (`->` arrow-types($results)^)?"
    )

    def verify(self, report: Report) -> None:
        self.report_first(self._faults(), report)
        self.loop_of(self.init, report)

    def _faults(self) -> Iterator[str]:
        yield from self._type_faults()
        yield from self.bounds_faults(len(self.init.type.shape), "init")
        yield from self._index_faults()
        yield from self._extent_faults()

    def _type_faults(self) -> Iterator[str]:
        source, init, results = self.source.type, self.init.type, [v.type for v in self.results]
        if is_tensor.holds(source) != is_tensor.holds(init):
            yield f"source and init must both be tensors or both memrefs, found {source}, {init}"
        if source.element != init.element:
            yield f"element types differ: {source} and {init}"
        if len(source.shape) != len(init.shape) or not init.shape:
            yield f"copies between buffers of one rank, of 1 or more, found {source} and {init}"
        if results not in ([], [init]) or (results and not is_tensor.admits(self.init)):
            yield f"gives {init} or nothing, found {', '.join(map(str, results))}"

    def _index_faults(self) -> Iterator[str]:
        shape = self.init.type.shape
        if len(self.indices) > len(shape):
            yield f"number of indices ({len(self.indices)}) cannot exceed destination rank ({len(shape)})"
        for number, value in enumerate(self.indices):
            found = value.type.shape
            if len(found) != 1:
                yield f"expected index {number} to be a 1-D tensor, vector or memref, found {value.type}"
            if found[0] is None:
                yield f"expected index {number} to have static shape, found {value.type}"
            if found[0] != shape[0]:
                words = f"must have the length of the first dimension of {self.init.type}"
                yield f"all index vectors {words}; index {number} is {value.type}"

    def _extent_faults(self) -> Iterator[str]:
        leaves = self.may_leave or ()
        for dim, (given, taken) in enumerate(zip(self.source.type.shape, self.init.type.shape, strict=True)):
            free = dim < len(self.indices) or (dim < len(leaves) and leaves[dim])
            if not free and given != taken:
                words = f"expected unindexed dimension {dim} to have same length in source and destination"
                yield f"{words}, found {self.source.type} and {self.init.type}"


class IndexTypes(OperandTypes):
    """`[index, vector<4xindex>]`, or nothing where all are index."""

    def __init__(self, field: OperandField[Any]) -> None:
        super().__init__([field])

    def parse(self, parser: Parser, state: State) -> None:
        if parser.accept("["):
            super().parse(parser, state)
            parser.expect("]")

    def print(self, printer: Printer, op: Operation) -> None:
        if any(v.type != INDEX for v in self.fields[0].group(op)):
            printer.word("[")
            super().print(printer, op)
            printer.raw("]")


class AsyncDMAOp(Copies, opname="iree_gpu.async_dma"):
    """The threads of the workgroup copy a tile of the extents of `transfer_type` from `source` to `dest`, from the
    indices on, at some time before they meet next at a barrier. Until then nobody reads or writes what is written, or
    writes what is read.

    `permutation_map`: from the dims of the source, those that the dims of the destination run along; without it each
    runs along its own. A vector among the source's indices says the places along its dim. Of tensors `dest` with the
    tile replaced is the result.
    """

    pure = False
    collective = "workgroup"
    source = operand(is_buffer, READS)
    source_indices = operands(is_index_or_vector)
    dest = operand(is_buffer, WRITES)
    dest_indices = operands(is_index)
    transfer_type = attribute(TypeAttr)
    permutation_map = optional_attribute(AffineMapAttr)
    results_ = results(is_tensor)
    directives = {"IndexTypes": IndexTypes}
    assembly = (
        "$source `` `[` $source_indices `]` `to` $dest `` `[` $dest_indices `]` `,` $transfer_type"
        " (`permutation_map` $permutation_map^)? (`in_bounds` $in_bounds^)? attr-dict `:` type($source)"
        " custom<IndexTypes>($source_indices) `,` type($dest) (`->` type($results)^)?"
    )

    @property
    def tile(self) -> VectorType:
        type = self.transfer_type.type
        assert isinstance(type, VectorType)
        return type

    @property
    def along(self) -> tuple[int, ...]:
        """The dim of the source for each of the destination's."""
        if self.permutation_map is None:
            return tuple(range(len(self.dest.type.shape)))
        return tuple(dim for dim in self.permutation_map.map.result_dims() or () if dim is not None)

    def verify(self, report: Report) -> None:
        self.report_first(self._faults(), report)

    def _faults(self) -> Iterator[str]:
        yield from self._type_faults()
        yield from self._rank_faults()
        yield from self.bounds_faults(len(self.dest.type.shape), "dest")
        yield from self._map_faults()
        for dim, value in enumerate(self.source_indices):
            if isinstance(value.type, VectorType):
                yield from self._gathered_faults(dim, value.type)

    def _type_faults(self) -> Iterator[str]:
        source, dest, tile = self.source.type, self.dest.type, self.transfer_type.type
        if source.element != dest.element:
            yield f"element types differ: {source} and {dest}"
        if not isinstance(tile, VectorType):
            yield f"transfer_type must be a vector, found {tile}"
            return
        if not tile.rank:
            yield f"transfers a vector of rank 1 or more, found {tile}"
        if tile.element != dest.element:
            yield f"transfers a vector of {dest.element}, found {tile}"
        if [v.type for v in self.results] != ([dest] if is_tensor.admits(self.dest) else []):
            found = ", ".join(str(v.type) for v in self.results) or "nothing"
            yield f"gives {dest if is_tensor.admits(self.dest) else 'nothing'}, found {found}"

    def _rank_faults(self) -> Iterator[str]:
        source, dest = len(self.source.type.shape), len(self.dest.type.shape)
        for words, rank, given in (("source", source, self.source_indices), ("dest", dest, self.dest_indices)):
            if len(given) != rank:
                yield f"expected {rank} {words} indices ({words} rank), got {len(given)}"
        if self.tile.rank != dest:
            yield f"transfer_type rank ({self.tile.rank}) must match dest rank ({dest})"

    def _map_faults(self) -> Iterator[str]:
        source, dest = len(self.source.type.shape), len(self.dest.type.shape)
        if self.permutation_map is None:
            if source != dest:
                yield f"permutation_map is required when source rank ({source}) differs from dest rank ({dest})"
            return
        map = self.permutation_map.map
        if map.symbols:
            yield f"permutation_map must be of dims alone, found {map}"
        if map.dims != source:
            yield f"permutation_map num dims ({map.dims}) must match source rank ({source})"
        if len(map.results) != dest:
            yield f"permutation_map num results ({len(map.results)}) must match dest rank ({dest})"
        if not _is_projected_permutation(map):
            yield f"permutation_map must be a projected permutation, found {map}"

    def _gathered_faults(self, dim: int, type: VectorType) -> Iterator[str]:
        """The faults of the vector that says the places along a dim of the source."""
        if type.rank != 1 or type.element != INDEX:
            yield f"source index {dim} must be index or vector<Nxindex>, found {type}"
        if dim not in self.along:
            yield f"source dimension {dim} has a gather index but is not mapped by permutation_map"
            return
        place = self.along.index(dim)
        if type.shape[0] != self.tile.shape[place]:
            words = f"gather index size ({type.shape[0]}) for source dimension {dim} must match transfer_type"
            yield f"{words} size ({self.tile.shape[place]}) in dest dimension {place}"


def _is_projected_permutation(map: AffineMap) -> bool:
    dims = map.result_dims()
    return dims is not None and None not in dims and len(set(dims)) == len(dims)


class BufferResourceCastOp(Operation, opname="iree_gpu.buffer_resource_cast"):
    """The same tensor, which AMD's chips read as a raw buffer where it lies in one of IREE's storage buffers; where it
    does not, this says nothing. `cache_swizzle_stride` changes what is found in caches, and no value."""

    pure = True
    input = operand(is_tensor)
    cache_swizzle_stride = optional_operand(is_index)
    result_ = result(is_tensor)
    same_type = ("input", "result")
    assembly = "$input (`cacheSwizzleStride` `` `(` $cache_swizzle_stride^ `)`)? attr-dict `:` type($input)"
