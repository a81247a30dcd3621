"""A buffer of shared memory that stores and loads meet without bank conflicts, where f carries bits over.

The bits of an element's number are coordinates of a vector space over two elements. The lanes that one access serves
together span a space on either side; a *segment* (what lies in one bank) that meets neither makes both free of
conflicts, and there always is one while neither side has more bits than a line of all banks. Elements that a thread
has side by side come first, so that accesses are wide. Other digits (a factor of 3) count on above the bits.

A buffer that does not fit is cut into pieces along digits that cost least: registers of both sides, then those whose
predicate is uniform in a subgroup, lanes last. Two buffers take turns, so that one barrier a piece is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod

from ...support.dataclasses import dataclass
from ..banks import BankModel
from ..binary import common_complement, completed, independent, inverse, rank
from ..plan import Cost, SharedMemory
from .buffer_places import BinaryPlaces, Bit, Only, Weight
from .digits import Digit, Matched

WIDEST_ACCESS = 16  # bytes
_Pair = tuple[Digit, Digit]


@dataclass(frozen=True, slots=True)
class Room:
    """What the exchange may use: `bytes` None for as many as it likes."""

    threads: int
    subgroup_size: int
    element_bytes: int
    banks: BankModel
    bytes: int | None = None

    @property
    def lanes(self) -> int:
        return min(self.threads, self.subgroup_size)

    @property
    def line_bits(self) -> int:
        """Bits of the number of an element within all banks once."""
        return (self.banks.banks * self.banks.bank_bytes // self.element_bytes).bit_length() - 1

    @property
    def word_bits(self) -> int:
        return max(0, (self.banks.bank_bytes // self.element_bytes).bit_length() - 1)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side's accesses: the register bits side by side in the buffer, and the vectors of lanes served together."""

    vector: int
    lanes: tuple[int, ...]


def plan_buffer(matched: Matched, room: Room) -> SharedMemory | None:
    """The buffer of the least cost; None where a thread's digits are no bits."""
    if room.lanes & (room.lanes - 1) or any(_odd_threads(pair) for pair in matched.pairs):
        return None
    inside, cut, buffers = _cut(matched.pairs, room)
    bits = [pair for pair in inside if pair[0].size == 2]
    rest = [pair for pair in inside if pair[0].size != 2]
    plans = [_buffer(matched, bits, rest, cut, buffers, vector, room) for vector in _vectors(bits, room)]
    return min(plans, key=lambda plan: (sum(plan.conflicts) > 0, plan.cost.cycles, plan.cost.instructions))


def _odd_threads(pair: _Pair) -> bool:
    return pair[0].size != 2 and (pair[0].thread or pair[1].thread)


# Pieces


def _cut(pairs: Sequence[_Pair], room: Room) -> tuple[list[_Pair], list[_Pair], int]:
    """(pairs within a piece, pairs that number the pieces, buffers that take turns)."""
    total = prod(source.size for source, _ in pairs) * room.element_bytes
    if room.bytes is None or total <= room.bytes:
        return list(pairs), [], 1
    inside = sorted(pairs, key=lambda pair: (_price(pair, room.subgroup_size), -pair[0].stride))
    cut: list[_Pair] = []
    while inside and 2 * total > room.bytes:
        cut.append(inside.pop(0))
        total //= cut[-1][0].size
    return sorted(inside, key=pairs.index), cut, 2


def _price(pair: _Pair, subgroup_size: int) -> int:
    """How dear a cut along the digit is: a predicate for every side that has it in the thread id."""
    return sum(digit.thread + 2 * (digit.thread and digit.stride < subgroup_size) for digit in pair)


# Vectors


def _vectors(bits: Sequence[_Pair], room: Room) -> Iterable[tuple[int, ...]]:
    """The bits that may come first in the buffer: what a side has in neighbouring registers, or both have in some."""
    most = (WIDEST_ACCESS // room.element_bytes).bit_length() - 1
    sides = [_registers(bits, side) for side in (0, 1)]
    common = [bit for bit in sides[0] if bit in sides[1]][:most]
    orders = [*sides, *([*common, *(bit for bit in side if bit not in common)] for side in sides)]
    return dict.fromkeys(tuple(order[:length]) for order in orders for length in range(min(most, len(order)) + 1))


def _registers(bits: Sequence[_Pair], side: int) -> list[int]:
    """The bits that a side has in registers, neighbours first."""
    held = [bit for bit, pair in enumerate(bits) if not pair[side].thread]
    return sorted(held, key=lambda bit: bits[bit][side].stride)


def _side(bits: Sequence[_Pair], vector: Sequence[int], side: int, room: Room, write: bool) -> _Side:
    width = next((n for n, bit in enumerate(vector) if bits[bit][side].thread), len(vector))
    by_stride = {pair[side].stride: 1 << bit for bit, pair in enumerate(bits) if pair[side].thread}
    served = _served(room.banks, room.lanes, room.element_bytes << width, write)
    lanes = [by_stride.get(1 << lane, 0) for lane in range(room.lanes.bit_length())]
    return _Side(width, tuple(_image(mask, lanes) for mask in served))


def _sum(vectors: Iterable[int]) -> int:
    total = 0
    for vector in vectors:
        total ^= vector
    return total


@lru_cache(maxsize=1024)
def _served(banks: BankModel, lanes: int, bytes: int, write: bool) -> tuple[int, ...]:
    """A basis of the lanes that are served together, as sums of bits of the lane's number."""
    return tuple(independent(int(lane) for lane in banks.groups(lanes, bytes, write)[0]))


# The buffer


def _buffer(
    matched: Matched,
    bits: Sequence[_Pair],
    rest: Sequence[_Pair],
    cut: Sequence[_Pair],
    buffers: int,
    vector: tuple[int, ...],
    room: Room,
) -> SharedMemory:
    sides = _side(bits, vector, 0, room, True), _side(bits, vector, 1, room, False)
    columns = inverse(_basis(len(bits), vector, sides, bits, room.line_bits))
    weights: list[Weight] = []
    reached = 1 << len(bits)
    for source, _ in rest:
        weights.append(Weight(source.step, source.size, reached))
        reached *= source.size
    piece = reached
    for source, _ in cut:
        weights.append(Weight(source.step, source.size, reached))
        reached *= source.size
    places = BinaryPlaces(
        tuple(Bit(source.step, column) for (source, _), column in zip(bits, columns, strict=True)),
        tuple(weights),
        tuple(Only(digit.step, digit.size, value) for digit, value in matched.fixed),
    )
    every = [*bits, *rest, *cut]
    groups = tuple(
        _groups(every, side, [bits[bit][side] for bit in vector[: sides[side].vector]], fixed)
        for side, fixed in ((0, sum(d.stride * v for d, v in matched.fixed if not d.thread)), (1, 0))
    )
    return _priced(groups, columns, sides, places, (piece, reached // piece, buffers), cut, matched, room)


def _basis(size: int, vector: Sequence[int], sides: tuple[_Side, _Side], bits: Sequence[_Pair], line: int) -> list[int]:
    """The element bits that each bit of the offset stands for, the lowest first."""
    units = _units(bits)
    first = [1 << bit for bit in vector]
    if size <= line:
        return completed(first, units, size)
    spans = [independent([*first, *side.lanes])[:line] for side in sides]
    spans[0] = completed(spans[0], [*spans[1], *units], line)
    spans[1] = completed(spans[1], [*spans[0], *units], line)
    segment = common_complement(spans[0], spans[1], size)
    banks = completed([*segment, *first], units, size)[len(segment) :]
    return [*banks, *segment]


def _units(bits: Sequence[_Pair]) -> list[int]:
    """Unit vectors: lanes of the writer by number, then of the reader, then registers."""

    def order(bit: int) -> tuple[bool, int, int]:
        source, target = bits[bit]
        return not source.thread, source.stride, target.stride

    return [1 << bit for bit in sorted(range(len(bits)), key=order)]


def _groups(pairs: Sequence[_Pair], side: int, vector: Sequence[Digit], fixed: int) -> tuple[tuple[int, ...], ...]:
    """The registers of one side in groups that lie side by side, in the order of their first register."""
    rest = [pair[side] for pair in pairs if not pair[side].thread and pair[side] not in vector]
    starts = sorted(_sums(rest))
    offsets = _sums(vector)
    return tuple(tuple(fixed + start + offset for offset in offsets) for start in starts)


def _sums(digits: Sequence[Digit]) -> list[int]:
    totals = [0]
    for digit in digits:
        totals = [total + value * digit.stride for value in range(digit.size) for total in totals]
    return totals


def _priced(
    groups: tuple[tuple[tuple[int, ...], ...], ...],
    columns: Sequence[int],
    sides: tuple[_Side, _Side],
    places: BinaryPlaces,
    extent: tuple[int, int, int],
    cut: Sequence[_Pair],
    matched: Matched,
    room: Room,
) -> SharedMemory:
    piece, pieces, buffers = extent
    subgroups = -(-room.threads // room.subgroup_size)
    taken: list[int] = []
    conflicts: list[int] = []
    for side, part in zip(sides, groups, strict=True):
        passes, least = _wavefronts(side, columns, room)
        taken.append(passes * len(part))
        conflicts.append((passes - least) * len(part) * subgroups)
    writes, reads = groups
    registers = sum(map(len, writes)), sum(map(len, reads))
    cost = Cost(
        packs=sum(sum(map(len, part)) for part in groups if not _neighbours(part)),
        addresses=sum(_variants(places, matched, side) - 1 for side in (0, 1)),
        stores=len(writes) * _rounds(cut, 0),
        loads=len(reads) * _rounds(cut, 1),
        barriers=1 + pieces,
        wavefronts=sum(taken),
        bytes=sum(registers) * room.element_bytes,
    )
    return SharedMemory(
        places=places,
        piece=piece,
        pieces=pieces,
        buffers=buffers,
        writes=writes,
        reads=reads,
        same=_same(matched, reads),
        conflicts=(conflicts[0], conflicts[1]),
        bytes=piece * buffers * room.element_bytes,
        cost=cost,
    )


def _neighbours(groups: tuple[tuple[int, ...], ...]) -> bool:
    """Whether the registers of a group follow each other, as those of other wide accesses do."""
    return all(b == a + 1 for group in groups[:1] for a, b in pairwise(group))


def _variants(places: BinaryPlaces, matched: Matched, side: int) -> int:
    """How many addresses a thread computes: registers whose bits meet the thread's need one of their own."""
    columns = dict(places.bits)
    by_thread = {
        thread: [columns.get(pair[0].step, 0) for pair in matched.pairs if pair[side].thread == thread]
        for thread in (False, True)
    }
    moving = 0
    for column in by_thread[True]:
        moving |= column
    return 1 << rank(column & moving for column in by_thread[False])


def _rounds(cut: Sequence[_Pair], side: int) -> int:
    """In how many pieces an access may have its turn: which one is said by the thread."""
    return prod(pair[side].size for pair in cut if pair[side].thread)


def _same(matched: Matched, reads: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """For every register of the reader the one that is loaded."""
    repeats = _sums([digit for digit in matched.repeated if not digit.thread])
    same = {register + repeat: register for group in reads for register in group for repeat in repeats}
    return tuple(same[register] for register in range(len(same)))


def _wavefronts(side: _Side, columns: Sequence[int], room: Room) -> tuple[int, int]:
    """(taken, least) wavefronts of one access of a subgroup: words that different lanes want, by banks they are in."""
    words = [_image(lane, columns) >> room.word_bits for lane in side.lanes]
    words += [1 << bit for bit in range(max(0, side.vector - room.word_bits))]
    bank_bits = (room.banks.banks).bit_length() - 1
    wanted, met = rank(words), rank(word & (room.banks.banks - 1) for word in words)
    groups = max(1, room.lanes >> len(side.lanes))
    return groups << (wanted - met), groups << max(0, wanted - bank_bits)


def _image(vector: int, columns: Sequence[int]) -> int:
    return _sum(column for bit, column in enumerate(columns) if vector >> bit & 1)
