"""iree_gpu's copies of tiles: the lanes of a subgroup, or the threads of a workgroup, copy each its own pieces; what a
workgroup copies as one is a copy that the chip does meanwhile, where it goes to workgroup memory as it lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.buffers import Buffers
from ..ir.affine import AffineMap, AffineMapAttr, Constant, Dim, Symbol
from ..ir.attributes import DYNAMIC, ArrayAttr, DenseArrayAttr, IntegerAttr
from ..ir.core import Builder, Operation, Value
from ..ir.define import is_memref, is_vector
from ..ir.dialects import arith, gpu, memref, vector
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.indexed_transfers import TransferGatherOp
from ..ir.dialects.iree_gpu_dma import AsyncDMAOp, CoalescedGatherDMAOp
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.longhand import broadcast, cast_shape, constant
from ..ir.dialects.memref import memref_type
from ..ir.dialects.nvgpu_async import TOKEN, DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp
from ..ir.dialects.scf_forall import ForallOp
from ..ir.dialects.ub import PoisonOp
from ..ir.dialects.vector_shape import StepOp
from ..ir.dialects.vector_transfer import TransferReadOp, TransferWriteOp
from ..ir.effects import accesses
from ..ir.memory_spaces import is_global, is_workgroup
from ..ir.spread_loops import ids_of
from ..ir.types import I1, I64, INDEX, VectorType, element_type
from .affine import number
from .all_reduce import linear_thread
from .legalisations import Place, expands, refuse
from .tile_copies import Tile, copy_pieces
from .uniform import is_alike_in_lanes, is_number_of_lane


@expands(CoalescedGatherDMAOp)
def _coalesced_gather(place: Place, op: CoalescedGatherDMAOp) -> Sequence[Value]:
    if not _is_of_threads(place, op):
        hint = "let it stand in an scf.forall that is spread over lanes or threads"
        raise refuse(op, f"is of lanes, and stands in the program of a {place.scope}", hint)
    hint = "give it gpu.lane_id, or what an scf.forall over lanes counts"
    if is_alike_in_lanes(op.lane, place.kernel):
        raise refuse(op, "takes for the lane's number what all lanes of a subgroup have in common", hint)
    if not is_number_of_lane(op.lane, place.kernel):
        raise refuse(op, "takes for the lane's number what is not shown to be one: elements might not be copied", hint)
    type, count = memref_type(op.init), len(op.indices)

    def source_places(build: Builder, coordinates: Sequence[Value]) -> list[Value]:
        given = zip(op.indices, coordinates, strict=False)
        return [*(_looked_up(build, indices, at) for indices, at in given), *coordinates[count:]]

    extents = [_extent(place, op.init, dim) for dim in range(type.rank)]
    leaving = [dim for dim, leaves in enumerate(op.may_leave or ()) if leaves]
    tile = Tile(
        op,
        extents,
        op.source,
        op.init,
        source_places,
        lambda _, coordinates: list(coordinates),
        along=type.rank - 1,
        neighbours=count < type.rank,
        leaving=leaving,
    )
    copy_pieces(place, tile, op.lane, _lanes(place, op))
    return ()


def _is_of_threads(place: Place, op: Operation) -> bool:
    """Whether a program of a thread is around it, or will be."""
    spread = (ids_of(around) for around in _around(op))
    return place.scope == "thread" or any(ids is not None and ids.scope == "thread" for ids in spread)


def _lanes(place: Place, op: CoalescedGatherDMAOp) -> int | Value:
    """How many numbers `lane` has: those of the scf.forall that counts it, or a subgroup's."""
    for around in _around(op):
        if isinstance(around, ForallOp) and op.lane in around.body.arguments:
            return around.bounds[1][around.body.arguments.index(op.lane)]
    return place.kernel.subgroup_size or place.value(gpu.SubgroupSizeOp)


def _around(op: Operation) -> Iterator[Operation]:
    """The operations that it stands in, from the nearest on."""
    around = op.enclosing()
    while around is not None:
        yield around
        around = around.enclosing()


def _extent(build: Builder, buffer: Value, dim: int) -> int | Value:
    known = memref_type(buffer).shape[dim]
    return build.value(memref.DimOp, buffer, number(build, dim)) if known is None else known


def _looked_up(build: Builder, indices: Value, at: Value) -> Value:
    if is_memref.admits(indices):
        found = build.value(memref.LoadOp, indices, [at])
    else:
        position = DenseArrayAttr(I64, (DYNAMIC,))
        element = element_type(indices.type)
        found = build.value(vector.ExtractOp, indices, [at], types=[element], static_position=position)
    return found if found.type == INDEX else build.value(arith.IndexCastOp, found, types=[INDEX])


# -- of a workgroup ---------------------------------------------------------------------------------------------------


@expands(AsyncDMAOp)
def _async_dma(place: Place, op: AsyncDMAOp) -> Sequence[Value]:
    scope = place.scope
    if scope == "subgroup":
        hint = (
            'let the workgroup copy (lanewise.scope = "workgroup"), or each thread its own (lanewise.scope = "thread")'
        )
        raise refuse(op, "is of all threads of a workgroup, and stands in a program of subgroups", hint)
    if scope == "thread":
        copy_pieces(place, _tile_of(op), linear_thread(place), place.kernel.threads)
    elif _lies_alike(op):
        _begin(place, op)
    else:
        _through_vectors(place, op)
    return ()


def _tile_of(op: AsyncDMAOp) -> Tile:
    def source_places(build: Builder, coordinates: Sequence[Value]) -> list[Value]:
        places: list[Value] = list(op.source_indices)
        for dim, at in zip(op.along, coordinates, strict=True):
            first = op.source_indices[dim]
            gathered = is_vector.admits(first)
            places[dim] = _looked_up(build, first, at) if gathered else build.value(arith.AddIOp, first, at)
        return places

    def target_places(build: Builder, coordinates: Sequence[Value]) -> list[Value]:
        return [build.value(arith.AddIOp, a, b) for a, b in zip(op.dest_indices, coordinates, strict=True)]

    last = op.along[-1]
    return Tile(
        op,
        op.tile.shape,
        op.source,
        op.dest,
        source_places,
        target_places,
        along=last,
        neighbours=not is_vector.admits(op.source_indices[last]),
        leaving=_leaving(op),
    )


def _leaving(op: AsyncDMAOp) -> list[int]:
    """Dims of the source of which some of what is read may be outside."""
    return [op.along[dim] for dim, leaves in enumerate(op.may_leave or ()) if leaves]


def _lies_alike(op: AsyncDMAOp) -> bool:
    """Whether the tile's rows are rows of both memrefs, one in global and one in workgroup memory."""
    source, dest = memref_type(op.source), memref_type(op.dest)
    rank = op.tile.rank
    alike = op.along == tuple(range(source.rank - rank, source.rank))
    gathered = any(map(is_vector.admits, op.source_indices))
    dense = all(strides[-1] == 1 for strides, _ in (t.strides_and_offset() for t in (source, dest)))
    places = is_global(source.memory_space) and is_workgroup(dest.memory_space)
    return alike and not gathered and dense and places


def _begin(place: Place, op: AsyncDMAOp) -> None:
    """The copy is waited for in front of the next barrier, or of whoever touches what it does."""
    inside = [not leaves for leaves in op.may_leave or (False,) * op.tile.rank]
    token = place.value(
        AsyncCopyOp, op.source, op.source_indices, op.dest, op.dest_indices, [], types=[TOKEN],
        shape=DenseArrayAttr(I64, op.tile.shape), in_bounds=ArrayAttr(tuple(IntegerAttr(int(f), I1) for f in inside)),
    )  # fmt: skip
    group = place.value(DeviceAsyncCreateGroupOp, [token], types=[TOKEN])
    waiting = Place(_first_to_meet(place, op), place.kernel)
    waiting.op(DeviceAsyncWaitOp, group, types=[])


def _first_to_meet(place: Place, op: AsyncDMAOp) -> Operation:
    """The operation that must not run before the copy is done."""
    assert op.parent is not None
    buffers = Buffers(place.kernel.op)
    written = {*buffers.of(op.dest)}
    *later, last = op.parent.operations[op.parent.position(op) + 1 :]
    return next((other for other in later if _meets(other, written, buffers)), last)


def _meets(other: Operation, written: set[Value], buffers: Buffers) -> bool:
    """Writes to anything but another buffer of the workgroup's may be to what is read."""
    if other.collective == "workgroup" or other.regions or other.awaits_copies:
        return True
    for access in accesses(other):
        apart = written.isdisjoint(buffers.of(access.memref))
        if not apart or (access.writes and not is_workgroup(memref_type(access.memref).memory_space)):
            return True
    return False


def _through_vectors(place: Place, op: AsyncDMAOp) -> None:
    tile, leaving = op.tile, _leaving(op)
    padding = constant(place, 0, tile.element) if leaving else place.value(PoisonOp, types=[tile.element])
    if any(map(is_vector.admits, op.source_indices)):
        value = _gathered(place, op, padding)
    else:
        rank = memref_type(op.source).rank
        map_ = AffineMapAttr(AffineMap(rank, 0, tuple(Dim(dim) for dim in op.along)))
        inside = ArrayAttr(tuple(IntegerAttr(int(dim not in leaving), I1) for dim in op.along))
        value = place.value(
            TransferReadOp, op.source, op.source_indices, padding, [], types=[tile], permutation_map=map_,
            in_bounds=inside,
        )  # fmt: skip
    inside = ArrayAttr((IntegerAttr(1, I1),) * tile.rank)
    map_ = AffineMapAttr(AffineMap.identity(tile.rank))
    place.op(TransferWriteOp, value, op.dest, op.dest_indices, [], types=[], permutation_map=map_, in_bounds=inside)


def _gathered(place: Place, op: AsyncDMAOp, padding: Value) -> Value:
    """Along some dims of the source the places are those of an index vector."""
    rank, zero = op.tile.rank, number(place, 0)
    vectors = [v for v in op.source_indices if is_vector.admits(v)]
    offsets = [zero if is_vector.admits(v) else v for v in op.source_indices]
    runs = {dim: position for position, dim in enumerate(op.along)}
    places = [
        Symbol(vectors.index(v)) if is_vector.admits(v) else Dim(runs[dim]) if dim in runs else Constant(0)
        for dim, v in enumerate(op.source_indices)
    ]
    looked_up = [runs[dim] for dim, v in enumerate(op.source_indices) if is_vector.admits(v)]
    masks = _there(place, op)
    results = [tuple(places), *((Dim(d),) for d in looked_up), *([tuple(Dim(d) for d in range(rank))] * len(masks))]
    maps = ArrayAttr(tuple(AffineMapAttr(AffineMap(rank, len(vectors), each)) for each in results))
    given = (op.source, offsets, vectors, padding, masks)
    return place.value(TransferGatherOp, *given, types=[op.tile], indexing_maps=maps)


def _there(place: Place, op: AsyncDMAOp) -> list[Value]:
    """A mask of those elements that the source has, where it may lack some."""
    total: Value | None = None
    for dim in _leaving(op):
        position = op.along.index(dim)
        extent = op.tile.shape[position]
        places: Value = op.source_indices[dim]
        if not is_vector.admits(places):
            steps = place.value(StepOp, types=[VectorType((extent,), INDEX)])
            places = place.value(arith.AddIOp, broadcast(place, places, [extent]), steps)
        size = broadcast(place, place.value(memref.DimOp, op.source, number(place, dim)), [extent])
        there = place.value(arith.CmpIOp, places, size, predicate=IntegerPredicateAttr("ult"))
        lined = cast_shape(place, there, [extent if d == position else 1 for d in range(op.tile.rank)])
        wide = broadcast(place, lined, op.tile.shape)
        total = wide if total is None else place.value(arith.AndIOp, total, wide)
    return [] if total is None else [total]
