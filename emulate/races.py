"""Races: accesses of one byte by different threads of which one is a write, and which nothing orders.

What orders two accesses is a barrier of their workgroup, or of their warp, between them; accesses of different
workgroups are never ordered. Atomic updates are not ordered, but race with plain accesses only; writes do not race
where it is known that they write the same.

Accesses are written down as they happen and looked at together, where a barrier has ordered all of them or at the end:
most intervals only read, or change each byte from one thread, which a few passes over them show (`_suspicious`). What
remains is looked at access by access (`_find`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np

from ..support.dataclasses import replace
from ..support.named_tuples import NamedTuple
from .access_history import MANY, Past
from .access_records import ATOMIC, READ, VERBS, WRITE, Array, Clock, Crew, Race, Record, Touch, common_size
from .barrier_clocks import Order
from .grids import Grid

_MOST = 1 << 22
"""So many accesses are written down; beyond, what other workgroups did is all that is remembered of the oldest."""
_SEARCHED = 256
"""One of so many cells with races is reported."""


class Trace:
    """The accesses of one memory by a batch, or by all batches of a launch."""

    def __init__(self, memory: str, crew: Crew, stride: int = 0, grid: Grid | None = None) -> None:
        """`stride`: bytes from one workgroup's memory to the next one's, where each has its own, which no access
        leaves; else 0. `grid`: whose accesses these are, where other grids may be under way."""
        self.memory, self.crew, self._stride, self.grid = memory, crew, stride, grid
        self._base = 0
        self._clock: Clock = Clock()
        self._records: list[Record] = []
        self._count = 0
        self._past: Past | None = None

    def begin(self, base: int) -> None:
        """A batch whose first thread is number `base`."""
        self._base = base
        self._clock = Clock()
        if self.grid is not None:
            self.grid.begin()

    def note(
        self,
        kind: int,
        flat: Array,
        nbytes: int,
        lanes: Array,
        site: int,
        values: Sequence[Array] | None = None,
    ) -> None:
        """Accesses at byte positions `flat` by `lanes` of the batch, one each. Raises `Race` once there are many.

        `values` are the elements that are written, where writing the same twice is no race.
        """
        record = Record(kind, flat, nbytes, lanes, self._base, site, self._clock, values)
        self._check_grids(record)
        self._records.append(record)
        self._count += flat.size
        if self._count > _MOST:
            self.settle()
            self._condense()

    def note_common(self, kind: int, flat: Array, nbytes: int, lanes: Array, site: int) -> None:
        """All `lanes`, in order, read one place.

        Four of them stand for all: of two workgroups, else two teams, else two threads if there are as many.
        """
        if self.grid is not None and self.grid.begins_early:
            self._check_grids(Record(kind, np.repeat(flat, lanes.size), nbytes, lanes, self._base, site, self._clock))
        chosen = lanes if lanes.size <= 4 else lanes[[0, 1, -2, -1]]
        self.note(kind, np.repeat(flat, chosen.size), nbytes, chosen, site)

    def _check_grids(self, record: Record) -> None:
        if self.grid is not None and self.grid.begins_early:
            try:
                self.grid.check(record)
            except Race as race:
                race.memory = self.memory
                raise

    def past(self) -> Past:
        """All that was written down, which is not looked at again."""
        self._condense()
        assert self._past is not None
        return self._past

    # ---- barriers ----

    def forget(self) -> None:
        """A barrier that orders everything before it, of a memory that no other workgroup reaches."""
        self._records.clear()
        self._count = 0

    def advance(self, workgroups: Array | None = None) -> None:
        """A barrier of those of the batch's workgroups that are marked, or of all."""
        clock = self._clock
        if workgroups is None:
            self._clock = replace(clock, workgroups=clock.workgroups + 1)
        else:
            counts = 0 if clock.each_workgroup is None else clock.each_workgroup
            self._clock = replace(clock, each_workgroup=counts + workgroups.astype(np.int64))

    def advance_teams(self, teams: Array) -> None:
        """A warp barrier of those of the batch's teams that are marked."""
        clock = self._clock
        if teams.all():
            self._clock = replace(clock, teams=clock.teams + 1)
        else:
            counts = 0 if clock.each_team is None else clock.each_team
            self._clock = replace(clock, each_team=counts + teams.astype(np.int64))

    def advance_order(self, order: Order, teams: Array) -> None:
        """A barrier of those of the batch's teams that are marked, after which their workgroups are in `order`."""
        self.advance_teams(teams)
        self._clock = replace(self._clock, order=order)

    # ---- looking ----

    def settle(self) -> None:
        """Raises `Race` for the first race among the accesses that were written down."""
        try:
            self._look()
        except Race as race:
            race.memory = self.memory
            raise

    def _look(self) -> None:
        records = [r for r in self._records if r.flat.size]
        if self._past is not None and records:
            self._past.check(records, self.crew)
        records = _near_changes(records, self._stride)
        if not records:
            return
        granule = common_size(records, 8 if any(r.values is not None for r in records) else 16)
        marked = _suspicious(records, granule, self.crew)
        if marked is not None:
            marked = _one_of_alike(records, granule, marked)
            _find(_events(records, granule, marked, self.crew), granule, self.crew)

    def _condense(self) -> None:
        records = [r for r in self._records if r.flat.size]
        if self._past is None:
            self._past = Past(common_size(records))
        if records:
            self._past.add(records, self.crew)
        self.forget()


def changed_bytes(flat: Array, lanes: Array, compared: Array, new: Array) -> tuple[Array, Array]:
    """Positions and lanes of the bytes that a compare-and-swap at `flat` is about.

    What is shorter than a word is updated with the bytes around it, which are compared and stay what they are.
    """
    size = compared.dtype.itemsize
    differ = np.ascontiguousarray(compared ^ new).view(np.uint8).reshape(-1, size) != 0
    rows, columns = np.nonzero(differ)
    return flat[rows] + columns, lanes[rows]


def masked_bytes(flat: Array, lanes: Array, operand: Array, *, kept: int) -> tuple[Array, Array]:
    """Positions and lanes of the bytes that a bitwise update at `flat` is about: those of the operand that are not
    `kept`. What is shorter than a byte is updated with the word around it, whose other bytes stay what they are."""
    size = operand.dtype.itemsize
    changed = np.ascontiguousarray(operand).view(np.uint8).reshape(-1, size) != kept
    rows, columns = np.nonzero(changed)
    return flat[rows] + columns, lanes[rows]


BITWISE: Mapping[str, int] = {"and": 0xFF, "or": 0, "xor": 0}
"""Bytes of the operand that leave those of memory as they are, by the update."""


def _near_changes(records: Sequence[Record], stride: int) -> list[Record]:
    """All but reads that reach into no range of bytes that something changes (the buffers of a ring)."""
    changed = list[tuple[int, int]]()
    for start, end in sorted(r.range_within(stride) for r in records if r.kind != READ):
        if changed and start <= changed[-1][1]:
            changed[-1] = changed[-1][0], max(end, changed[-1][1])
        else:
            changed.append((start, end))
    ends = [end for _, end in changed]

    def meets(r: Record) -> bool:
        start, end = r.range_within(stride)
        at = bisect_right(ends, start)
        return at < len(changed) and changed[at][0] < end

    return [r for r in records if r.kind != READ or meets(r)] if changed else []


def _suspicious(records: Sequence[Record], granule: int, crew: Crew) -> Array | None:
    """Marks cells that may have a race; None where there is none.

    A cell that only one actor touches has none. Others have one where groups that no barrier orders share it:
    workgroups, teams between two barriers of the workgroup, and actors between two of the team. Only barriers of all
    of them are looked at here.
    """
    marked = _shared_cells(records, granule, crew.actor)
    if marked is None or records[0].clock is records[-1].clock:
        return marked
    found = [_shared_cells(records, granule, crew.workgroup)]
    found += [_shared_cells(r, granule, crew.team) for r in _runs(records, lambda c: (c.workgroups,))]
    found += [_shared_cells(r, granule, crew.actor) for r in _runs(records, lambda c: (c.workgroups, c.teams))]
    return _united([m for m in found if m is not None])


def _runs(records: Sequence[Record], key: Callable[[Clock], tuple[int, ...]]) -> Iterator[list[Record]]:
    for _, run in groupby(records, lambda r: (r.base, *key(r.clock))):
        yield list(run)


def _shared_cells(records: Sequence[Record], granule: int, threads: int) -> Array | None:
    """Marks the cells that one group of `threads` changes and another touches, but for atomic updates by both.

    None if there are none.
    """
    marks: list[Array] = []
    for kind in (WRITE, ATOMIC):
        changes = [r for r in records if r.kind == kind]
        others = records if kind == WRITE else [r for r in records if r.kind != ATOMIC]
        if changes and others:
            marks += _touched_by_others(changes, others, granule, threads)
    return _united(marks)


def _united(marks: Sequence[Array]) -> Array | None:
    if not marks:
        return None
    size = max(m.size for m in marks)
    return np.asarray(np.logical_or.reduce([np.pad(m, (0, size - m.size)) for m in marks]))


def _touched_by_others(
    changes: Sequence[Record], others: Sequence[Record], granule: int, threads: int
) -> Iterator[Array]:
    """Marks for the cells of each of the `others` that a different group of `threads` changes."""
    low, high = min(r.range[0] for r in changes), max(r.range[1] for r in changes)
    first, size = low // granule, high // granule - low // granule
    last = np.zeros(size, np.int64)
    for r in changes:
        cells, numbers = r.cells(granule) - first, r.numbers(threads)
        if r.kind == WRITE:
            last[cells] = numbers
            continue
        known = last[cells]
        last[cells] = np.where((known == 0) | (known == numbers), numbers, MANY)
        last[cells[last[cells] != numbers]] = MANY
    for r in others:
        start, end = r.range
        if start >= high or end <= low:
            continue
        cells, numbers = r.cells(granule) - first, r.numbers(threads)
        if start < low or end > high:
            inside = (cells >= 0) & (cells < size)
            numbers = np.broadcast_to(numbers, cells.shape)[inside]
            cells = cells[inside]
        found = last.take(cells)
        wrong = found != numbers
        wrong &= found != 0
        if wrong.any():
            marked = np.zeros(first + size, np.bool_)
            marked[cells[wrong] + first] = True
            yield marked


def _one_of_alike(records: Sequence[Record], granule: int, marked: Array) -> Array:
    """Marks one of the marked cells that the same threads access in the same instructions, writing the same: what
    holds of it holds of them all. They are told apart by 64 bits that are mixed of these."""
    history = np.zeros(marked.size, np.uint64)
    for number, r in enumerate(records):
        cells, written = r.cells(granule), r.written(granule)
        words = _mixed((np.uint64(number) << np.uint64(40)) + (r.base + r.lanes[:, None]).astype(np.uint64))
        words = np.broadcast_to(words if written is None else _mixed(words ^ written), cells.shape)
        inside = cells < marked.size
        np.add.at(history, cells[inside], words[inside])
    places = np.flatnonzero(marked)
    _, first = np.unique(history[places], return_index=True)
    found = np.zeros_like(marked)
    found[places[first]] = True
    return found


def _mixed(words: Array) -> Array:
    """Each bit depends on all bits of a word (the finaliser of splitmix64)."""
    words = (words + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


# ---- access by access ----


class _Events(NamedTuple):
    """One entry for every cell of every access, in the order in which they happened."""

    cell: Array
    kind: Array
    site: Array
    thread: Array
    epoch: Array
    """Barriers that the workgroup had passed."""
    turn: Array
    """Barriers that the team had passed."""
    value: Array
    """What is written, as far as that is known: different numbers where it is not."""
    met: Array
    """Barriers of some teams that the team had passed."""
    known: Array
    """[event, team]: up to which of those of each team all that it did lies before."""


def _events(records: Sequence[Record], granule: int, marked: Array, crew: Crew) -> _Events:
    """Those of the marked cells."""
    parts: list[tuple[Array, ...]] = []
    unknown = np.uint64(1 << 63)
    for r in records:
        cells = r.cells(granule)
        rows, columns = np.nonzero(marked[np.minimum(cells, marked.size - 1)] & (cells < marked.size))
        cell, lane = cells[rows, columns], r.lanes[rows]
        kind, site = np.full(cell.size, r.kind), np.full(cell.size, r.site)
        written = r.written(granule)
        value = unknown + np.arange(cell.size, dtype=np.uint64) if written is None else written[rows, columns]
        unknown += np.uint64(cell.size)
        clocks = *r.clock.read(lane, crew), value, *r.clock.known(lane, crew)
        parts.append((cell, kind, site, r.base + lane, *clocks))
    return _Events(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _find(events: _Events, granule: int, crew: Crew) -> None:
    """Raises the race that is complete first. What orders accesses is looked at from the coarsest to the finest."""
    workgroup, team, actor = (events.thread // n for n in (crew.workgroup, crew.team, crew.actor))
    interval = [events.cell, workgroup, events.epoch]
    found = [_first_clash(events, [events.cell], workgroup)]
    if events.met.any() or events.known.any():
        found.append(_first_unordered(events, interval, team % crew.teams))
    else:
        found.append(_first_clash(events, interval, team))
    found.append(_first_clash(events, [*interval, team, events.turn], actor))
    pairs = [pair for pair in found if pair is not None]
    if pairs:
        second, first = min((max(pair), min(pair)) for pair in pairs)
        raise Race(*(_touch(events, place, granule) for place in (first, second)))


def _touch(events: _Events, place: int, granule: int) -> Touch:
    kind, site, thread, cell = (int(column[place]) for column in (events.kind, events.site, events.thread, events.cell))
    return Touch(VERBS[kind], site, thread, cell * granule)


def _first_unordered(events: _Events, keys: Sequence[Array], team: Array) -> tuple[int, int] | None:
    """Two places with equal keys in different teams that no barrier of some teams orders, and kinds that clash, the
    later one as early as can be."""
    order = np.lexsort(tuple(reversed(keys)))
    starts = np.ones(order.size, np.bool_)
    starts[1:] = np.logical_or.reduce([k[order][1:] != k[order][:-1] for k in keys])
    group, heads = np.cumsum(starts) - 1, np.flatnonzero(starts)
    rank = np.arange(order.size) - heads[group]
    last = np.full((len(_LASTS), heads.size, events.known.shape[1]), -1)
    pairs = list[tuple[int, int]]()
    for number in range(int(rank.max()) + 1):
        place, own = order[rank == number], group[rank == number]
        pairs += _unordered_before(events, last[:, own], place, team[place])
        _remember(events, last, own, place, team[place])
    return min(pairs, key=lambda pair: (pair[1], pair[0]), default=None)


_LASTS = (READ, WRITE, ATOMIC, WRITE)
"""What is remembered of each cell, the last of each team; at the end the last write of another value than the last."""


def _unordered_before(events: _Events, last: Array, place: Array, team: Array) -> Iterator[tuple[int, int]]:
    """What, of all that is remembered of the cells of accesses at `place` [kind, access, team], clashes with them
    first."""
    kind, value = events.kind[place][:, None], events.value[place][:, None]
    others: Array = np.not_equal(team[:, None], np.arange(int(last.shape[2])))
    for before, earlier in zip(_LASTS, last, strict=True):
        clash: Array = np.asarray(kind != before)
        if before == WRITE:
            clash = np.asarray((kind != WRITE) | (events.value[earlier] != value))
        unordered: Array = np.asarray(events.met[earlier] >= events.known[place])
        wrong: Array = np.asarray((earlier >= 0) & others & clash & unordered)
        if wrong.any():
            row = int(np.argmin(np.where(wrong.any(axis=1), place, len(events.cell))))
            yield int(earlier[row][wrong[row]].max()), int(place[row])


def _remember(events: _Events, last: Array, own: Array, place: Array, team: Array) -> None:
    """Enters accesses, each to a cell of its own."""
    kind, before = events.kind[place], last[WRITE, own, team]
    changed = (kind == WRITE) & (before >= 0) & (events.value[before] != events.value[place])
    last[-1, own[changed], team[changed]] = before[changed]
    last[kind, own, team] = place


def _first_clash(events: _Events, keys: Sequence[Array], who: Array) -> tuple[int, int] | None:
    """Two places with equal keys, unequal `who` and kinds that clash, the later one as early as can be."""
    order = np.lexsort((who, *reversed(keys)))
    starts = np.ones(order.size, np.bool_)
    starts[1:] = np.logical_or.reduce([k[order][1:] != k[order][:-1] for k in keys])
    others = starts.copy()
    others[1:] |= who[order][1:] != who[order][:-1]
    group = np.cumsum(starts) - 1
    several = np.bincount(group, others) > 1
    kind, value = events.kind[order], events.value[order]
    reads, writes, atomics = (np.bincount(group, kind == k) > 0 for k in (READ, WRITE, ATOMIC))
    heads = np.flatnonzero(starts)
    differ = np.maximum.reduceat(value, heads) != np.minimum.reduceat(value, heads)
    clash = several & ((writes & (differ | reads | atomics)) | (reads & atomics))
    if not clash.any():
        return None
    places = np.flatnonzero(clash[group])
    candidates = [_clash_in(events, order[places[group[places] == g]], who) for g in np.flatnonzero(clash)[:_SEARCHED]]
    return min(candidates, key=lambda pair: (max(pair), min(pair)))


def _clash_in(events: _Events, places: Array, who: Array) -> tuple[int, int]:
    """The first clash among places with equal keys, of which some clash."""
    places = np.sort(places)
    for later in range(1, places.size):
        before, now = places[:later], places[later]
        clash = events.kind[before] != events.kind[now]
        clash |= (events.kind[now] == WRITE) & (events.value[before] != events.value[now])
        clash &= who[before] != who[now]
        if clash.any():
            return int(places[int(np.argmax(clash))]), int(places[later])
    raise AssertionError("nothing clashes here")
