"""memref: views that say offset and strides outright, what is known of a view, and hints; numbers that are stated."""

from __future__ import annotations

from ...ir.dialects import memref_views, util
from ...ir.dialects.memref_buffers import PrefetchOp
from .descriptor import ssa
from .emission import Emission
from .emit_rules import EMIT
from .memory import locate, mixed
from .region_values import space_of


@EMIT.of(memref_views.ReinterpretCastOp)
def _reinterpret_cast(em: Emission, op: memref_views.ReinterpretCastOp) -> None:
    offset, sizes, strides = op.mixed()
    numbers = [tuple(mixed(em, n) for n in part) for part in ((offset,), sizes, strides)]
    ((start,), extents, steps) = numbers
    em.set(op.result_, em.memref(op.source).rebased(offset=start, sizes=extents, strides=steps))


@EMIT.of(memref_views.ExtractStridedMetadataOp)
def _extract_strided_metadata(em: Emission, op: memref_views.ExtractStridedMetadataOp) -> None:
    source = em.memref(op.source)
    em.set(op.base_buffer, source.rebased(offset=0, sizes=(), strides=()))
    for result, number in zip(op.results[1:], (source.offset, *source.sizes, *source.strides), strict=True):
        em.set(result, ssa(number))


@EMIT.of(memref_views.MemorySpaceCastOp)
def _memory_space_cast(em: Emission, op: memref_views.MemorySpaceCastOp) -> None:
    """A type may leave the space open; one that it names has to be where the buffer is."""
    source, type = em.memref(op.source), op.dest.type
    if type.memory_space is not None and space_of(type) != source.space:
        raise em.error(f"casts {op.source.type} to {type}: a buffer stays in the memory that it was made in")
    em.alias(op.dest, op.source)


@EMIT.of(PrefetchOp)
def _prefetch(em: Emission, op: PrefetchOp) -> None:
    if not op.isDataCache.value:
        raise em.error("prefetches into the instruction cache, where a kernel's data never are")
    _, place = locate(em, op.memref, op.indices)
    em.machine.prefetch(em, place, write=bool(op.isWrite.value), locality=op.localityHint.value)


@EMIT.of(util.AssumeIntOp)
def _assume_int(em: Emission, op: util.AssumeIntOp) -> None:
    """What is stated has served by now."""
    for result, value in zip(op.results_, op.operands_, strict=True):
        em.alias(result, value)
