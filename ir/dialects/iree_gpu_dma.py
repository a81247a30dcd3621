"""iree_gpu: tiles that threads together copy to workgroup memory, and tensors that are to be read as raw buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..affine import AffineMap, AffineMapAttr
from ..assembly import check_type
from ..attributes import ArrayAttr, IntegerAttr, TypeAttr
from ..core import Operation, Value
from ..define import (
    Constraint,
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
from ..types import I1, INDEX, Attribute, IndexType, IntegerType, MemRefType, TensorType, Type, VectorType
from .indexed_transfers import is_index_or_vector
from .scf_forall import CombinesInParallel

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

is_buffer: Constraint[MemRefType | TensorType] = instances_of("a memref or a tensor", MemRefType, TensorType)
Numbers = VectorType | TensorType | MemRefType
is_numbers: Constraint[Numbers] = Constraint(
    "a vector, tensor or memref of index or integers",
    lambda t: isinstance(t, Numbers) and isinstance(t.element, IndexType | IntegerType),
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
        return tuple(isinstance(a, IntegerAttr) and not a.value for a in self.in_bounds.values)

    def report_first(self, faults: Iterator[str], report: Report) -> None:
        """Reports the first of what is wrong: what is looked at behind that relies on it."""
        for fault in islice(faults, 1):
            self.error(report, fault)

    def bounds_faults(self, rank: int, words: str) -> Iterator[str]:
        """Those of `in_bounds`, for what is written and has `rank` dimensions."""
        flags = self.in_bounds.values if self.in_bounds is not None else ()
        if not all(isinstance(a, IntegerAttr) and a.type == I1 for a in flags):
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

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`%s[%i, %j] into %d lane(%l) in_bounds [true, false] : S, I, J, D, index -> R`; the types may be those of a
        function, too."""
        attributes: dict[str, Attribute] = {}
        given = [parser.operand()]
        if parser.accept("["):
            given += parser.operand_list("]")
        parser.expect("into")
        given.append(parser.operand())
        parser.expect("lane")
        parser.expect("(")
        given.append(parser.operand())
        parser.expect(")")
        if parser.accept("in_bounds"):
            attributes["in_bounds"] = parser.parse_attribute()
        attributes.update(parser.optional_attribute_dict(attributes))
        parser.expect(":")
        in_brackets = parser.accept("(")
        for number, value in enumerate(given):
            if number:
                parser.expect(",")
            check_type(parser, value, location)
        if in_brackets:
            parser.expect(")")
        types = _result_types(parser) if parser.accept("->") else []
        return cls(given, types, attributes, location=location)

    def print(self, printer: Printer) -> None:
        indices = f"[{', '.join(map(printer.name, self.indices))}]" if self.indices else ""
        printer.word(f"{printer.name(self.source)}{indices} into {printer.name(self.init)}")
        printer.word(f"lane({printer.name(self.lane)})")
        if self.in_bounds is not None:
            printer.word(f"in_bounds {printer.attribute(self.in_bounds)}")
        printer.attribute_dict(self, hidden=("in_bounds",))
        printer.word(": " + ", ".join(printer.type(v.type) for v in self.operands))
        if self.results:
            printer.word(f"-> {printer.type(self.results[0].type)}")

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
        if isinstance(source, TensorType) != isinstance(init, TensorType):
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


def _result_types(parser: Parser) -> list[Type]:
    if not parser.accept("("):
        return [parser.parse_type()]
    return parser.comma_separated(")", parser.parse_type)


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

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`%s[%i, %v] to %d[%k, %l], vector<..> permutation_map #m in_bounds [true, false] : S [index, vector<..>], D
        -> R`; the types of indices may be left out where all are index."""
        attributes: dict[str, Attribute] = {}
        (source, from_), (dest, to) = _place(parser), _place(parser, "to")
        parser.expect(",")
        attributes["transfer_type"] = TypeAttr(parser.parse_type())
        for name in ("permutation_map", "in_bounds"):
            if parser.accept(name):
                attributes[name] = parser.parse_attribute()
        attributes.update(parser.optional_attribute_dict(attributes))
        parser.expect(":")
        check_type(parser, source, location)
        if parser.accept("["):
            for number, value in enumerate(from_):
                if number:
                    parser.expect(",")
                check_type(parser, value, location)
            parser.expect("]")
        parser.expect(",")
        check_type(parser, dest, location)
        types = [parser.parse_type()] if parser.accept("->") else []
        segments = (1, len(from_), 1, len(to))
        return cls([source, *from_, dest, *to], types, attributes, (), location, segments)

    def print(self, printer: Printer) -> None:
        places = ((self.source, self.source_indices), (self.dest, self.dest_indices))
        texts = [f"{printer.name(v)}[{', '.join(map(printer.name, indices))}]" for v, indices in places]
        printer.word(f"{' to '.join(texts)}, {printer.type(self.tile)}")
        for name, given in (("permutation_map", self.permutation_map), ("in_bounds", self.in_bounds)):
            if given is not None:
                printer.word(f"{name} {printer.attribute(given)}")
        printer.attribute_dict(self, hidden=("transfer_type", "permutation_map", "in_bounds"))
        printer.word(f": {printer.type(self.source.type)}")
        if any(v.type != INDEX for v in self.source_indices):
            printer.word(f"[{', '.join(printer.type(v.type) for v in self.source_indices)}]")
        printer.raw(f", {printer.type(self.dest.type)}")
        if self.results:
            printer.word(f"-> {printer.type(self.results[0].type)}")

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


def _place(parser: Parser, before: str = "") -> tuple[Value, list[Value]]:
    """`%m[%i, %j]`."""
    if before:
        parser.expect(before)
    value = parser.operand()
    parser.expect("[")
    return value, parser.operand_list("]")


class BufferResourceCastOp(Operation, opname="iree_gpu.buffer_resource_cast"):
    """The same tensor, which AMD's chips read as a raw buffer where it lies in one of IREE's storage buffers; where it
    does not, this says nothing. `cache_swizzle_stride` changes what is found in caches, and no value."""

    pure = True
    input = operand(is_tensor)
    cache_swizzle_stride = optional_operand(is_index)
    result_ = result(is_tensor)
    same_type = ("input", "result")

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`%t cacheSwizzleStride(%n) : T`."""
        given = [parser.operand()]
        if parser.accept("cacheSwizzleStride"):
            parser.expect("(")
            given.append(parser.operand())
            parser.expect(")")
        attributes = parser.optional_attribute_dict()
        parser.expect(":")
        check_type(parser, given[0], location)
        return cls(given, [given[0].type], attributes, location=location)

    def print(self, printer: Printer) -> None:
        stride = self.cache_swizzle_stride
        printer.word(printer.name(self.input))
        if stride is not None:
            printer.word(f"cacheSwizzleStride({printer.name(stride)})")
        printer.attribute_dict(self)
        printer.word(f": {self.input.type}")

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[0].type]
