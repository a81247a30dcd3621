"""What a transfer between registers and memory costs in a layout, and the layouts that are good at it.

A price counts what one subgroup does: instructions, the lines of memory that each of them touches, and the sectors that
these are made of. Shared memory takes wavefronts instead. Neighbouring threads along the dimension that is contiguous
in memory, each with as many neighbours as one access is proven to take, are what coalesces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import gcd, prod

import numpy as np

from ..analysis.alike import neighbours_alike
from ..analysis.divisibility import ANY, Divisibility, element_bits, power_of_two
from ..ir.core import Value
from ..ir.dialects.indexed_transfers import IndexedTransfer
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.vector_memory import MemoryOp
from ..ir.dialects.vector_transfer import TransferOp
from ..ir.element_orders import Order, order_behind
from ..ir.memory_spaces import is_workgroup
from ..ir.types import MemRefType, VectorType
from ..support.dataclasses import dataclass
from ..support.distinct import distinct
from ..support.named_tuples import NamedTuple
from ..support.reindex import row_major
from .banks import Conflict, banks_of, first_conflict, wavefronts
from .dimension import Dimension
from .matrix_loads import MatrixReads, matrix_reads
from .nested import IntArray, NestedLayout
from .workgroup import Workgroup

_ACCESS_BYTES = 16
_LINE_BYTES, _SECTOR_BYTES = 128, 32
_WAVEFRONT_CYCLES = 2
"""The cycles of the first cache for a line that an access touches, or of the banks of shared memory."""
_MATRIX_LOAD_CYCLES = 1 + 4 * _WAVEFRONT_CYCLES
"""The cycles of an instruction that reads matrices, 16 bytes for each thread: itself, and four wavefronts."""
_ADDRESSES = 32
"""The number of lanes that the first cache takes in the time of a line: AMD's goes through a wave by quarters, one a
cycle (GCN3 ISA, "Vector memory"), NVIDIA's takes a warp."""
_SECTOR_CYCLES = 2
"""The cycles of the memory beyond it: once for a sector that is read, for each access half of one that is written."""
_PART_READ, _PART_WRITE = 3, 12
"""Instructions of an element that shares its byte: the byte is cut; the word around it is updated twice."""
_GUARDED = 4
"""Instructions of an access that is compared with bounds: its row's place, the comparison, the choice, and itself."""
_IMPOSSIBLE = 1 << 12
"""The price of an access where nothing can be updated: in workgroup memory, which starts undefined."""
_RAGGED = 4
"""Times as many registers: what threads of any number have to save."""
_FAR = 1 << 20
"""Elements between neighbours along a dimension of unknown stride: in different lines, whatever it is."""


@dataclass(frozen=True)
class Memory:
    """Where the elements of a transfer's vector lie.

    `steps`: elements of memory between neighbours along each vector dimension, 0 where the transfer repeats them.
    `inner`: the vector dimension along which memory is contiguous. `widest`: elements that one access is proven to take
    along it. `guarded`: whether accesses are compared with bounds or masked.
    """

    shape: tuple[int, ...]
    steps: tuple[int, ...]
    inner: int | None
    element_bits: int
    widest: int
    guarded: bool
    shared: bool
    written: bool
    order: Order | None = None
    """The order of a buffer of shared memory whose elements do not lie row by row."""

    @classmethod
    def of(
        cls,
        op: TransferOp | MemoryOp | AsyncCopyOp,
        buffer: Value[MemRefType],
        indices: Sequence[Value],
        known: Divisibility,
        *,
        mask: Value[VectorType] | None = None,
        conditional: bool = False,
        written: bool,
        alignment: int | None = None,
    ) -> Memory:
        """`mask`: of the elements, in the order of memory; `conditional`: one condition is for all. `alignment`: bytes
        that the program says the first element's address to be a multiple of."""
        type, map = op.memref_type, op.map
        dims = map.result_dims() or ()
        strides, _ = type.strides_and_offset()
        steps = tuple(0 if m is None else _FAR if (s := strides[m]) is None else s for m in dims)
        contiguous = bool(strides) and strides[-1] == 1 and type.rank - 1 in dims
        inner = dims.index(type.rank - 1) if contiguous else None
        size = element_bits(buffer)
        guarded = conditional or mask is not None or not all(op.in_bounds_flags)
        widest = 1
        if inner is not None:
            widest = _aligned(buffer, indices, [m for m in dims if m is not None], known, alignment) // size
            if not op.in_bounds_flags[inner]:
                widest = min(widest, known.extent(buffer, type.rank - 1), known.of(indices[-1]))
            if mask is not None:
                widest = min(widest, neighbours_alike(mask, mask.type.rank - 1, known))
        shared, order = _is_shared(type), order_behind(buffer)
        return cls(op.shape, steps, inner, size, _whole(widest, size), guarded, shared, written, order)

    @classmethod
    def of_tile(cls, buffer: Value[MemRefType], indices: Sequence[Value], rank: int, known: Divisibility) -> int:
        """Elements that one access is proven to take of what runs along the last `rank` dimensions, all inside."""
        dims = range(buffer.type.rank - rank, buffer.type.rank)
        return _whole(_aligned(buffer, indices, dims, known) // element_bits(buffer), element_bits(buffer))

    @classmethod
    def looked_up(cls, op: IndexedTransfer, known: Divisibility, written: bool) -> Memory:
        """Neighbours along what index vectors have are as far apart as any two elements."""
        type, shape, dims = op.memref_type, op.vector_type.shape, op.moving
        strides, _ = type.strides_and_offset()
        unknown = {dim for number in op.looked_up.values() for dim in op.dims_of(number)}
        steps = [_FAR if dim in unknown else 0 for dim in range(len(shape))]
        for m, dim in dims.items():
            steps[dim] += _FAR if strides[m] is None else strides[m] or 0
        inner = dims.get(type.rank - 1) if strides and strides[-1] == 1 else None
        inner = inner if inner is not None and steps[inner] == 1 else None
        size, moving = element_bits(op.memref), [*dims, *op.looked_up]
        widest = 1 if inner is None else _aligned(op.memref, op.offsets, moving, known) // size
        guarded = op.mask is not None
        return cls(shape, tuple(steps), inner, size, _whole(widest, size), guarded, _is_shared(type), written)

    @classmethod
    def anywhere(cls, shape: tuple[int, ...], buffer: Value[MemRefType], *, written: bool) -> Memory:
        """Memory of elements that nobody knows the places of: each in a line of its own."""
        steps = tuple(_FAR * step for step in row_major(shape))
        return cls(shape, steps, None, element_bits(buffer), 1, True, _is_shared(buffer.type), written)


def _whole(widest: int, size: int) -> int:
    """As many elements as one access takes, and whole bytes."""
    widest = max(1, min(widest, 8 * _ACCESS_BYTES // size))
    return widest if widest * size >= 8 else 1


def _is_shared(type: MemRefType) -> bool:
    return is_workgroup(type.memory_space)


def _aligned(
    buffer: Value[MemRefType],
    indices: Sequence[Value],
    moving: Sequence[int],
    known: Divisibility,
    alignment: int | None = None,
) -> int:
    """Bits that the address of every element at a multiple of it along the contiguous dimension is a multiple of."""
    first, rows, size, last = known.base(buffer), ANY, element_bits(buffer), len(indices) - 1
    for dim, index in enumerate(indices):
        step = known.stride(buffer, dim) * size
        first = gcd(first, min(ANY, known.of(index) * step))
        rows = gcd(rows, step) if dim in moving and dim != last else rows
    return min(gcd(max(first, 8 * (alignment or 0)), rows), 8 * _ACCESS_BYTES)


def coalesced(
    shape: tuple[int, ...], threads: int, wide: int, order: Sequence[int] | None = None, least: int = 1
) -> NestedLayout:
    """Neighbouring threads hold neighbours along the dimensions in `order` (the fastest first; default: the last), each
    `wide` elements or as many as there are for all threads, but `least`; what is left is repeated per thread.

    Tiles are powers of two, so that the rest of the compiler may use shuffles; any divisors where that leaves each
    thread several times what it would hold otherwise.
    """
    order = range(len(shape))[::-1] if order is None else order
    even = _coalesced(shape, threads & -threads, wide, order, power_of_two, least)
    if even.registers <= max(wide, _RAGGED * -(-prod(shape) // threads)):
        return even
    ragged = _coalesced(shape, threads, wide, order, lambda n: n, least)
    return ragged if _RAGGED * ragged.registers <= even.registers else even


def _coalesced(
    shape: tuple[int, ...], remaining: int, wide: int, order: Sequence[int], splits: Callable[[int], int], least: int
) -> NestedLayout:
    """`splits`: the part of an extent whose divisors threads may take."""
    if prod(shape) < remaining * wide:
        wide = max(least, 1 << max(0, (prod(shape) // remaining).bit_length() - 1))
    parts, stride = [Dimension()] * len(shape), 1
    for place, dim in enumerate(order):
        element = gcd(shape[dim], wide) if place == 0 else 1
        divisible = splits(shape[dim] // element)
        thread = next(n for n in range(min(divisible, remaining), 0, -1) if divisible % n == 0)
        batch = shape[dim] // (element * thread)
        parts[dim] = Dimension(batch=batch, thread=thread, element=element, thread_stride=stride if thread > 1 else 0)
        remaining //= thread
        stride *= thread
    return NestedLayout.of_dimensions(parts)


def layouts(memory: Memory, workgroup: Workgroup) -> Iterable[NestedLayout]:
    """Along memory: as wide as is proven, as many as fill a line between threads, a word, and one element."""
    known = [i for i, step in enumerate(memory.steps) if step]
    order = [*sorted(known, key=lambda i: (memory.steps[i], -i)), *(i for i, s in enumerate(memory.steps) if not s)]
    lanes = min(workgroup.threads, workgroup.subgroup_size)
    line = max(1, 8 * _LINE_BYTES // (power_of_two(lanes) * memory.element_bits))
    widths = dict.fromkeys((memory.widest, line, max(1, 32 // memory.element_bits), 1))
    least = dict.fromkeys((1, max(1, 8 // memory.element_bits)))  # whole bytes, though not all threads have some
    return dict.fromkeys(coalesced(memory.shape, workgroup.threads, w, order, n) for w in widths for n in least)


def transposing(memory: Memory, layout: NestedLayout) -> Iterable[NestedLayout]:
    """For a write of shared memory across what threads hold one after another: layouts in which each of the same
    threads holds a block of neighbours along both, with threads numbered as in `layout`, and along memory."""
    inner = memory.inner
    if inner is None or not (memory.written and memory.shared) or width(memory, layout) >= memory.widest:
        return
    part = layout.dimension(inner)
    more = gcd(part.batch, memory.widest // gcd(memory.widest, part.element))
    if more == 1 or part.outer > 1:
        return
    parts = list(layout.dimensions)
    parts[inner] = part._replace(batch=part.batch // more, element=part.element * more)
    yield NestedLayout.of_dimensions(parts)
    if all(p.subgroup == 1 for p in parts):
        yield NestedLayout.of_dimensions(_numbered(parts, sorted(range(len(parts)), key=lambda i: memory.steps[i])))


def _numbered(parts: Sequence[Dimension], order: Sequence[int]) -> list[Dimension]:
    """Neighbouring threads along the dimensions in `order`, the fastest first."""
    found, stride = list(parts), 1
    for dim in order:
        threads = parts[dim].thread
        found[dim] = parts[dim]._replace(thread_stride=stride if threads > 1 else 0)
        stride *= threads
    return found


def width(memory: Memory, layout: NestedLayout) -> int:
    """Elements of one access of a thread."""
    if memory.inner is None:
        return 1
    part = layout.dimension(memory.inner)
    run = part.element
    if part.thread == 1:
        run *= part.outer * (part.batch * part.wrap if part.subgroup == 1 else part.batch)
    wide = min(memory.widest, power_of_two(run))
    return wide if wide * memory.element_bits >= 8 else 1


def _in_order(memory: Memory, order: Order, firsts: IntArray, places: IntArray, size: int) -> IntArray:
    """Addresses [accesses, lanes] of accesses of `size` bytes, as if the transfer began where the buffer does."""
    rows = (places[:, None] + firsts[None, :]) // size * size
    return order.place(rows * 8 // memory.element_bits) * memory.element_bits // 8


@lru_cache(maxsize=1 << 14)
def cycles(memory: Memory, layout: NestedLayout, workgroup: Workgroup) -> int:
    """The cycles of one subgroup."""
    layout = layout.wrapped(workgroup.subgroups)
    wide = width(memory, layout)
    places = prod(n for n, step in zip(layout.thread_shape, memory.steps, strict=True) if step)
    accesses = -(-places // wide)
    matrices = matrix_reads(layout, memory.inner, memory.element_bits, workgroup.chip) if memory.shared else None
    if matrices is not None and not memory.written:
        return accesses * wide // matrices.elements * -(-_MATRIX_LOAD_CYCLES // matrices.parts)
    instructions = accesses * (_GUARDED if memory.guarded else 1)
    if wide * memory.element_bits < 8:
        instructions *= (_IMPOSSIBLE if memory.shared else _PART_WRITE) if memory.written else _PART_READ
    return instructions + _passes(memory, layout, wide, workgroup)


class Traffic(NamedTuple):
    """What the accesses of one subgroup take of memory.

    Attributes:
        accesses: Instructions.
        bytes: What each of them takes for a thread.
        taken: Sectors of 32 bytes of global memory, each access for itself; wavefronts of shared memory.
        least: As many as the same elements would take at the best places; 0 where nothing is known.
        conflict: Two lanes of the first access that meet in a bank of shared memory.
    """

    accesses: int
    bytes: int
    taken: int
    least: int
    conflict: Conflict | None = None


def traffic(memory: Memory, layout: NestedLayout, workgroup: Workgroup) -> Traffic:
    """Counted for the first elements of a tile that begins where the buffer does; rows of unknown stride are apart."""
    layout = layout.wrapped(workgroup.subgroups)
    wide = width(memory, layout)
    size = max(1, wide * memory.element_bits // 8)
    if memory.shared:
        reads = None if memory.written else matrix_reads(layout, memory.inner, memory.element_bits, workgroup.chip)
        return _of_matrices(memory, layout, reads, workgroup) if reads else _of_banks(memory, layout, size, workgroup)
    firsts, places = _places(memory, layout, wide, workgroup)
    parts = np.arange(0, size, min(size, _SECTOR_BYTES))
    each = ((firsts[:, None, None] + places[:, None] + parts) // _SECTOR_BYTES).transpose(1, 0, 2)
    starts = distinct((firsts[:, None] + places[None, :]).reshape(-1))
    least = -(-len(starts) * size // _SECTOR_BYTES)
    return Traffic(len(places), size, sum(len(distinct(access.reshape(-1))) for access in each), least)


def _of_banks(memory: Memory, layout: NestedLayout, size: int, workgroup: Workgroup) -> Traffic:
    firsts, places = _places(memory, layout, width(memory, layout), workgroup)
    model = banks_of(workgroup.chip)
    if memory.order is not None:
        addresses, times = _in_order(memory, memory.order, firsts, places, size), 1
    else:
        addresses, times = firsts[None, :] // size * size, len(places)
    taken, least = wavefronts(addresses, size, write=memory.written, model=model)
    meeting = first_conflict(addresses[0], size, write=memory.written, model=model) if (taken > least).any() else None
    return Traffic(len(places), size, int(taken.sum()) * times, int(least.sum()) * times, meeting)


_ROWS_TOGETHER, _ROW_BYTES = 8, 16
"""What one pass of an instruction that reads 8x8 matrices of 16 bits takes: a row of 16 bytes for each of 8 lanes."""


def _of_matrices(memory: Memory, layout: NestedLayout, reads: MatrixReads, workgroup: Workgroup) -> Traffic:
    accesses = -(-prod(layout.thread_shape) // reads.elements)
    if reads.parts > 1 or memory.inner is None:
        return Traffic(accesses, reads.elements * memory.element_bits // 8, 0, 0)
    step = memory.steps[1 - memory.inner] * memory.element_bits // 8
    firsts, start = np.arange(_ROWS_TOGETHER, dtype=np.int64) * step, np.zeros(1, np.int64)
    order = memory.order
    addresses = firsts[None, :] if order is None else _in_order(memory, order, firsts, start, _ROW_BYTES)
    taken, least = wavefronts(addresses, _ROW_BYTES, model=banks_of(workgroup.chip))
    passes = accesses * reads.elements * memory.element_bits // 8 // 4
    meeting = (
        first_conflict(addresses[0], _ROW_BYTES, model=banks_of(workgroup.chip)) if (taken > least).any() else None
    )
    return Traffic(accesses, _ROW_BYTES, int(taken.sum()) * passes, int(least.sum()) * passes, meeting)


def _places(memory: Memory, layout: NestedLayout, wide: int, workgroup: Workgroup) -> tuple[IntArray, IntArray]:
    """Bytes from the first element to where each lane's own begin, and from there to each of its accesses."""
    bits = memory.element_bits
    steps = np.array(memory.steps, np.int64) * bits
    lanes = min(workgroup.threads, workgroup.subgroup_size)
    firsts = layout.thread_offsets(lanes, workgroup.subgroup_size) @ steps // 8
    places = distinct((layout.register_offsets() @ steps) // max(wide * bits, 1))
    return firsts, places * (wide * bits) // 8


def _passes(memory: Memory, layout: NestedLayout, wide: int, workgroup: Workgroup) -> int:
    """Cycles that the memory takes for all accesses of a subgroup."""
    bits = memory.element_bits
    size, lanes = max(1, wide * bits // 8), min(workgroup.threads, workgroup.subgroup_size)
    firsts, places = _places(memory, layout, wide, workgroup)
    if memory.shared and memory.order is not None:
        addresses, model = _in_order(memory, memory.order, firsts, places, size), banks_of(workgroup.chip)
        taken, _ = wavefronts(addresses, size, write=memory.written, model=model)
        return int(taken.sum()) * _WAVEFRONT_CYCLES
    if memory.shared:
        model = banks_of(workgroup.chip)
        taken, _ = wavefronts(firsts[None, :] // size * size, size, write=memory.written, model=model)
        return int(taken.sum()) * len(places) * _WAVEFRONT_CYCLES
    parts = np.arange(0, size, min(size, _SECTOR_BYTES))
    lines = max(len(distinct((firsts[:, None] + parts) // _LINE_BYTES)), lanes // _ADDRESSES)
    lines *= len(places)
    sectors = len(distinct((firsts[:, None, None] + places[:, None] + parts) // _SECTOR_BYTES))
    if memory.written:
        sectors = (sectors + len(distinct((firsts[:, None] + parts) // _SECTOR_BYTES)) * len(places)) // 2
    return lines * _WAVEFRONT_CYCLES + sectors * _SECTOR_CYCLES
