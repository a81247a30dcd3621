"""The shared memory buffer of a conversion: order of dimensions, padding or swizzle, and vector widths.

A small fixed list of buffers is tried on the bank model, for each dimension that may be contiguous and simplest first,
until one is free of conflicts; the one of the least estimated cycles wins, the earlier of equals.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from .banks import BankModel, wavefronts
from .nested import IntArray, NestedLayout
from .plan import Cost, SharedMemory, Swizzle, vector_groups

_WIDEST_ACCESS = 16  # bytes
_PADDINGS = (4, 8, 16, 32)  # bytes added to a row
_GROUPS_TRIED = 32  # of one thread's accesses: enough to see a pattern that repeats from register to register


@dataclass(frozen=True, slots=True)
class Transfer:
    """A conversion as the buffer sees it; coordinates are [threads, registers, rank]."""

    source: NestedLayout
    target: NestedLayout
    written: IntArray
    read: IntArray
    subgroup_size: int
    element_bytes: int
    model: BankModel


@dataclass(frozen=True, slots=True)
class _Buffer:
    """One candidate: the contiguous dimension, the elements of a row, what is done to the offset."""

    dim: int
    row: int
    swizzle: Swizzle | None
    write_vector: int
    read_vector: int

    def strides(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Row-major with `dim` moved last and rows of `row` elements."""
        rows = [size for at, size in enumerate(shape) if at != self.dim]
        outer = iter([self.row * prod(rows[at + 1 :]) for at in range(len(rows))])
        return tuple(1 if at == self.dim else next(outer) for at in range(len(shape)))

    def elements(self, shape: tuple[int, ...]) -> int:
        rows = prod(size for at, size in enumerate(shape) if at != self.dim)
        block = 1 << (self.swizzle.base + self.swizzle.bits) if self.swizzle else 1
        return -(-rows * self.row // block) * block


def plan_shared(transfer: Transfer) -> SharedMemory:
    """The best buffer of the list, its conflicts and its cost."""
    tried: list[tuple[int, int, _Buffer]] = []
    for dim in _contiguous_dims(transfer):
        for buffer in _candidates(transfer, dim):
            plan = _evaluated(transfer, buffer, transfer.subgroup_size, _GROUPS_TRIED)
            tried.append((plan.cost.cycles, len(tried), buffer))
            if plan.conflicts == (0, 0):
                break
    return _evaluated(transfer, min(tried, key=lambda entry: entry[:2])[2], len(transfer.written), None)


def _contiguous_dims(transfer: Transfer) -> Iterable[int]:
    """Dimensions worth being the contiguous one: the last, and where either side holds most neighbours."""
    return dict.fromkeys([transfer.source.rank - 1, _widest(transfer.source), _widest(transfer.target)])


def _candidates(transfer: Transfer, dim: int) -> Iterator[_Buffer]:
    """Plain rows along `dim`, then swizzled, then padded ones."""
    rank, shape = transfer.source.rank, transfer.source.shape
    row = shape[dim] if rank else 1
    yield _buffer(transfer, dim, row, None)
    if row & (row - 1) == 0:
        for swizzle in _swizzles(transfer, dim, row):
            yield _buffer(transfer, dim, row, swizzle)
    for padding in _PADDINGS if rank > 1 else ():
        if padding % transfer.element_bytes == 0:
            yield _buffer(transfer, dim, row + padding // transfer.element_bytes, None)


def _swizzles(transfer: Transfer, dim: int, row: int) -> Iterator[Swizzle]:
    """Swizzles that mix the number of the row, or of the line (all banks once), into the banks.

    Vectors of plain rows stay together.
    """
    plain = _buffer(transfer, dim, row, None)
    line = transfer.model.banks * transfer.model.bank_bytes // transfer.element_bytes
    vector = (max(plain.write_vector, plain.read_vector) - 1).bit_length()
    row_bits, line_bits = ((size - 1).bit_length() for size in (max(row, line), line))
    for source in dict.fromkeys((row_bits, line_bits)):
        for base in range(vector, line_bits):
            for bits in range(line_bits - base, 0, -1):
                yield Swizzle(bits, base, source - base)


def _buffer(transfer: Transfer, dim: int, row: int, swizzle: Swizzle | None) -> _Buffer:
    write, read = (_vector(layout, dim, row, transfer.element_bytes) for layout in (transfer.source, transfer.target))
    return _Buffer(dim, row, swizzle, write, read)


def _widest(layout: NestedLayout) -> int:
    """The dimension along which a thread holds most neighbours, the last of equals."""
    return max(range(layout.rank), key=lambda dim: (layout.element_tile[dim], dim), default=-1)


def _vector(layout: NestedLayout, dim: int, row: int, element_bytes: int) -> int:
    """Elements of the widest aligned access along `dim`: a power of two that divides the element tile and the rows."""
    if layout.rank == 0:
        return 1
    vector = 1
    while (
        layout.element_tile[dim] % (2 * vector) == 0
        and (layout.rank == 1 or row % (2 * vector) == 0)
        and 2 * vector * element_bytes <= _WIDEST_ACCESS
    ):
        vector *= 2
    return vector


def _evaluated(transfer: Transfer, buffer: _Buffer, threads: int, most_groups: int | None) -> SharedMemory:
    """The plan for one buffer, judged by the first `threads` threads and `most_groups` accesses of each."""
    shape = transfer.source.shape
    elements, dim = buffer.elements(shape), max(buffer.dim, 0)
    plan = SharedMemory(
        strides=buffer.strides(shape),
        swizzle=buffer.swizzle,
        elements=elements,
        write_vector=buffer.write_vector,
        read_vector=buffer.read_vector,
        write_dim=dim,
        read_dim=dim,
        conflicts=(0, 0),
        bytes=elements * transfer.element_bytes,
    )
    stores = vector_groups(transfer.source, dim, plan.write_vector)
    loads = vector_groups(transfer.target, dim, plan.read_vector)
    written = _passes(transfer, plan, transfer.written[:threads], stores[:most_groups], write=True)
    read = _passes(transfer, plan, transfer.read[:threads], loads[:most_groups], write=False)
    cost = Cost(
        stores=len(stores),
        loads=len(loads),
        barriers=2,
        wavefronts=_scaled(written[2], len(stores), most_groups) + _scaled(read[2], len(loads), most_groups),
        bytes=(transfer.source.registers + transfer.target.registers) * transfer.element_bytes,
    )
    return replace(plan, conflicts=(written[0] - written[1], read[0] - read[1]), cost=cost)


def _scaled(passes: int, groups: int, most_groups: int | None) -> int:
    return passes if most_groups is None or groups <= most_groups else -(-passes * groups // most_groups)


def _passes(
    transfer: Transfer,
    plan: SharedMemory,
    coordinates: IntArray,
    groups: Sequence[tuple[int, ...]],
    *,
    write: bool,
) -> tuple[int, int, int]:
    """Wavefronts taken, wavefronts without conflicts, and wavefronts of the busiest subgroup."""
    starts = [group[0] for group in groups]
    addresses = (plan.offsets(coordinates[:, starts]) * transfer.element_bytes).T
    if missing := -addresses.shape[1] % transfer.subgroup_size:
        addresses = np.pad(addresses, ((0, 0), (0, missing)), constant_values=-1)
    width = len(groups[0]) * transfer.element_bytes
    by_subgroup = addresses.reshape(len(starts), -1, transfer.subgroup_size)
    taken, ideal = wavefronts(by_subgroup, width, write=write, model=transfer.model)
    return int(taken.sum()), int(ideal.sum()), int(taken.sum(axis=0).max())
