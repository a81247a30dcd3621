"""memref.copy, memref.alloca_scope and gpu.dynamic_shared_memory."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.affine import AffineMap, AffineMapAttr
from ..ir.attributes import ArrayAttr, IntegerAttr, dense_i64
from ..ir.core import Builder, Operation, Value
from ..ir.dialects import memref, scf, vector
from ..ir.dialects.constants import constant_int
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.gpu_together import DynamicSharedMemoryOp
from ..ir.dialects.memref import byte_size, memref_type
from ..ir.dialects.memref_buffers import AllocaScopeOp, AllocaScopeReturnOp, CopyOp, ReallocOp
from ..ir.dialects.ub import PoisonOp
from ..ir.types import I1, I8, MemRefType, VectorType, element_count, scalar_type, shape_of
from .affine import number
from .legalisations import EXPAND, Place, expands, refuse
from .parallel import nest

EXPAND.needless("ends memref.alloca_scope, which is expanded", AllocaScopeReturnOp)


@expands(AllocaScopeOp)
def _alloca_scope(place: Place, op: AllocaScopeOp) -> Sequence[Value]:
    """Its buffers live as long as the kernel: nobody sees them behind the scope."""
    last = op.body.terminator
    assert last is not None
    values = last.operands
    for inner in list(op.body.operations)[:-1]:
        place.append(op.body.remove(inner))
    return values


@expands(ReallocOp)
def _realloc(place: Place, op: ReallocOp) -> Sequence[Value]:
    """A new buffer and a copy of what both have."""
    old, new = op.source.type.shape[0], op.result_.type.shape[0]
    if old is None or new is None:
        raise refuse(op, "is of a size that the program computes: memory of a kernel is laid out before it runs")
    made = place.value(memref.AllocOp, [], types=[op.result_.type], alignment=op.alignment)
    place.op(CopyOp, _first(place, op.source, min(old, new)), _first(place, made, min(old, new)), types=[])
    place.op(memref.DeallocOp, op.source, types=[])
    return [made]


def _first(place: Place, buffer: Value, count: int) -> Value:
    if memref_type(buffer).shape == (count,):
        return buffer
    lists = {"static_offsets": [0], "static_sizes": [count], "static_strides": [1]}
    none = list[Value]()
    return place.value(memref.SubViewOp, buffer, none, none, none, **{n: dense_i64(v) for n, v in lists.items()})


# -- copies -----------------------------------------------------------------------------------------------------------

_ELEMENTS_OF_A_THREAD = 8
_FEWEST = 16
_FEWEST_LANES = 32


@expands(CopyOp)
def _copy(place: Place, op: CopyOp) -> Sequence[Value]:
    """Tile by tile, each read and written as a vector, so that layouts say which threads move what."""
    source, target = op.source.type, op.target.type
    extents = [m if m is not None else n for m, n in zip(source.shape, target.shape, strict=True)]
    elements = max(_FEWEST, _ELEMENTS_OF_A_THREAD * _owners(place)) // element_count(source.element)
    tile = _tile(extents, max(elements, 1))
    zero = number(place, 0)
    looped = [d for d, (extent, n) in enumerate(zip(extents, tile, strict=True)) if extent != n]
    bounds = [(zero, _extent(place, op.source, d, extents[d]), number(place, tile[d])) for d in looped]
    inner, counters, _, _ = nest(place, bounds, ())
    indices = [counters[looped.index(d)] if d in looped else zero for d in range(len(tile))]
    inside = [extent is not None and extent % n == 0 for extent, n in zip(extents, tile, strict=True)]
    _move(inner, op, indices, tile, inside)
    if inner is not place:
        inner.op(scf.YieldOp, [])
    return ()


def _owners(place: Place) -> int:
    """How many threads share the work."""
    kernel = place.kernel
    lanes = min(kernel.threads, kernel.subgroup_size or _FEWEST_LANES)
    return {"workgroup": kernel.threads, "subgroup": lanes}.get(place.scope, 1)


def _tile(extents: Sequence[int | None], budget: int) -> list[int]:
    """The last dimensions whole while they fit, then a power of two, then ones."""
    sizes: list[int] = []
    for extent in reversed(extents):
        size = extent if extent is not None and 0 < extent <= budget else 1 << (budget.bit_length() - 1)
        sizes.append(size)
        budget = budget // size if size == extent else 1
    return sizes[::-1]


def _extent(build: Builder, buffer: Value, dim: int, known: int | None) -> Value:
    return number(build, known) if known is not None else build.value(memref.DimOp, buffer, number(build, dim))


def _move(build: Builder, op: CopyOp, indices: Sequence[Value], tile: Sequence[int], inside: Sequence[bool]) -> None:
    element = op.source.type.element
    if not tile:
        build.op(memref.StoreOp, build.value(memref.LoadOp, op.source, []), op.target, [])
        return
    map = AffineMapAttr(AffineMap.identity(len(tile)))
    flags = ArrayAttr(tuple(IntegerAttr(int(flag), I1) for flag in inside))
    padding, no_mask = build.value(PoisonOp, types=[element]), list[Value]()
    types = [VectorType((*tile, *shape_of(element)), scalar_type(element))]
    read = build.op(
        vector.TransferReadOp, op.source, indices, padding, no_mask, types=types, permutation_map=map, in_bounds=flags
    )
    operands = (read.results[0], op.target, indices, no_mask)
    build.op(vector.TransferWriteOp, *operands, types=[], permutation_map=map, in_bounds=flags)


# -- memory whose size a launch decides -------------------------------------------------------------------------------


@expands(DynamicSharedMemoryOp)
def _dynamic_shared_memory(place: Place, op: DynamicSharedMemoryOp) -> Sequence[Value]:
    """All are the one that stands first in the kernel, which is a buffer of as many bytes as are seen through it."""
    body = place.kernel.op.body
    first = body.operations[0]
    if op is not first:
        if not isinstance(first, DynamicSharedMemoryOp):
            first = body.insert(0, DynamicSharedMemoryOp((), [op.result_.type], location=op))
        return first.results
    bytes = max((_bytes_seen(user) for user in op.result_.users), default=0)
    buffer = place.value(memref.AllocOp, [], types=[MemRefType((bytes,), I8, None, WORKGROUP)])
    return [place.value(memref.CastOp, buffer, types=[op.result_.type])]


def _bytes_seen(view: Operation) -> int:
    shift = constant_int(view.byte_shift) if isinstance(view, memref.ViewOp) else None
    size = byte_size(memref_type(view.result)) if shift is not None else None
    if shift is None or size is None:
        hint = "see it through memref.view with a constant shift and static sizes"
        raise refuse(view, "does not say how many bytes of gpu.dynamic_shared_memory a launch has to give", hint)
    return shift + size
