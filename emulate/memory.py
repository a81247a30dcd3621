"""Memories of an emulated device: one global arena, and one shared segment per workgroup of a batch.

Both take arrays of addresses (one entry per access) and check them before they touch a byte; both speak in
`Violation`, which the emulator turns into an `EmulationFault` that names the thread and the instruction.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..support.dataclasses import dataclass
from .access_records import ATOMIC, READ, WRITE, Crew
from .barrier_clocks import Order
from .faults import EmulationFault, Place, Violation
from .races import Trace

Array = npt.NDArray[Any]

LINE = 1 << 32
"""Allocations straddle multiples of this, so that address arithmetic that loses a carry shows."""
FILL = 0xCD
_ARENA_ALIGNMENT = 256
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def gather(data: Array, offsets: Array, size: int, count: int) -> list[Array]:
    """`count` consecutive elements of `size` bytes at each byte offset, as `count` unsigned arrays."""
    view = data.view(_UNSIGNED[size])
    if count == 1:
        return [view.take(offsets >> size.bit_length() - 1)]
    rows = view.reshape(-1, count).take(offsets // (size * count), axis=0)
    return list(np.ascontiguousarray(rows.T))


def scatter(data: Array, offsets: Array, size: int, values: list[Array]) -> None:
    """The inverse of `gather`; where offsets repeat, the last access wins."""
    view = data.view(_UNSIGNED[size])
    count = len(values)
    if count == 1:
        view[offsets // size] = values[0]
        return
    first = offsets // size
    for position, value in enumerate(values):
        view[first + position] = value


def _first(condition: Any) -> int:
    return int(np.flatnonzero(condition)[0])


@dataclass
class Watch:
    """Remembers who last wrote the byte at `address`."""

    address: int
    writer: Place | None = None

    def see(self, addresses: Array, nbytes: int, place_of: Callable[[int], Place]) -> None:
        """Accesses of `nbytes` bytes write, the last one last; `place_of` says who a position is."""
        here = np.flatnonzero((addresses <= self.address) & (self.address < addresses + nbytes))
        if here.size:
            self.writer = place_of(int(here[-1]))


@dataclass(frozen=True)
class _Allocation:
    start: int
    nbytes: int
    offset: int
    capacity: int

    @property
    def end(self) -> int:
        return self.start + self.nbytes


class GlobalMemory:
    """Device memory under fake 64-bit addresses.

    Every allocation lies across its own multiple of 4 GiB (when it is large enough) and is surrounded by gigabytes of
    nothing, so any stray access faults; an address is never used twice, so use after free faults as well. Kernels tell
    `watch` of what they write, if it is set.
    """

    def __init__(self) -> None:
        self.watch: Watch | None = None
        self._arena: Array = np.full(1 << 16, FILL, np.uint8)
        self._top = 0
        self._next_line = LINE
        self._allocations: list[_Allocation] = []
        self._starts: list[int] = []
        self._holes: list[tuple[int, int]] = []

    @property
    def arena(self) -> Array:
        """All bytes; offsets into it come from `locate`."""
        return self._arena

    def allocate(self, nbytes: int, alignment: int = 256) -> int:
        """The address of `nbytes` fresh bytes (filled); `alignment` is a power of two."""
        if nbytes < 0 or alignment < 1 or alignment & (alignment - 1):
            raise ValueError(f"expected nbytes >= 0 and a power-of-two alignment, found {nbytes} and {alignment}")
        alignment = max(alignment, _ARENA_ALIGNMENT)
        capacity = max(_round_up(nbytes, _ARENA_ALIGNMENT), _ARENA_ALIGNMENT)
        start = self._next_line - (nbytes // 2 + alignment - 1) // alignment * alignment
        self._next_line = _round_up(start + nbytes, LINE) + LINE
        allocation = _Allocation(start, nbytes, self._reserve(capacity), capacity)
        place = bisect_right(self._starts, start)
        self._allocations.insert(place, allocation)
        self._starts.insert(place, start)
        self._arena[allocation.offset : allocation.offset + capacity] = FILL
        return start

    def _reserve(self, capacity: int) -> int:
        for position, (offset, available) in enumerate(self._holes):
            if available == capacity:
                del self._holes[position]
                return offset
        offset, self._top = self._top, self._top + capacity
        if self._top > self._arena.size:
            grown = np.full(max(self._top, 2 * self._arena.size), FILL, np.uint8)
            grown[: self._arena.size] = self._arena
            self._arena = grown
        return offset

    def free(self, address: int) -> None:
        """Give back the allocation that starts at `address`."""
        position = bisect_right(self._starts, address) - 1
        if position < 0 or self._starts[position] != address:
            raise EmulationFault("out-of-bounds", "free of an address that no allocation starts at", address=address)
        allocation = self._allocations.pop(position)
        self._starts.pop(position)
        self._holes.append((allocation.offset, allocation.capacity))

    def _slice(self, address: int, nbytes: int, what: str) -> slice:
        allocation = self._allocation_at(address)
        if allocation is None or address + nbytes > allocation.end:
            raise EmulationFault("out-of-bounds", f"host {what} of {nbytes} bytes", address=address)
        offset = address - allocation.start + allocation.offset
        return slice(offset, offset + nbytes)

    def _allocation_at(self, address: int) -> _Allocation | None:
        position = bisect_right(self._starts, address) - 1
        return self._allocations[position] if position >= 0 else None

    def write(self, address: int, data: bytes | memoryview | Array) -> None:
        """Copy host bytes to the device."""
        flat = np.ascontiguousarray(np.asarray(data) if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8))
        values = flat.reshape(-1).view(np.uint8)
        self._arena[self._slice(address, values.size, "write")] = values

    def read(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """A copy of device bytes."""
        return self._arena[self._slice(address, nbytes, "read")].copy()

    def fill(self, address: int, byte: int, nbytes: int) -> None:
        """Set device bytes."""
        self._arena[self._slice(address, nbytes, "fill")] = byte

    def address_of(self, offset: int) -> int:
        """The inverse of `locate`, of a byte of an allocation."""
        return next(a.start + offset - a.offset for a in self._allocations if 0 <= offset - a.offset < a.capacity)

    def locate(self, addresses: Array, nbytes: int) -> Array:
        """Arena offsets of accesses of `nbytes` each (int64 addresses), all checked for bounds and alignment."""
        if addresses.size == 0:
            return addresses
        if int(np.bitwise_or.reduce(addresses)) & (nbytes - 1):
            position = _first(addresses & (nbytes - 1) != 0)
            raise Violation("misaligned", f"access of {nbytes} bytes", position, int(addresses[position]))
        low, high = int(addresses.min()), int(addresses.max())
        allocation = self._allocation_at(low)
        if allocation is not None and high + nbytes <= allocation.end:
            return addresses - (allocation.start - allocation.offset)
        return self._locate_mixed(addresses, nbytes)

    def _locate_mixed(self, addresses: Array, nbytes: int) -> Array:
        starts = np.array(self._starts, np.int64)
        which = np.searchsorted(starts, addresses, side="right") - 1
        ends = np.array([a.end for a in self._allocations], np.int64)
        bad = (which < 0) if not self._starts else (which < 0) | (addresses + nbytes > ends[which])
        if bad.any():
            position = _first(bad)
            raise Violation(
                "out-of-bounds",
                f"access of {nbytes} bytes outside every allocation{self._nearest(int(addresses[position]))}",
                position,
                int(addresses[position]),
            )
        shift = np.array([a.offset - a.start for a in self._allocations], np.int64)
        return addresses + shift[which]

    def _nearest(self, address: int) -> str:
        if not self._allocations:
            return " (there is none)"
        near = min(self._allocations, key=lambda a: min(abs(address - a.start), abs(address - a.end)))
        return f" (nearest: {near.start:#x}..{near.end:#x}, {near.nbytes} bytes)"


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


class SharedMemory:
    """One segment of scratch memory per workgroup of a batch, with a race and an uninitialised-read detector.

    `crew` says whose accesses are in order: a thread's, or a wave's where a wave executes in lockstep. `granule`
    (bytes) is the smallest access that will be made. `synchronise` and `settle` report races.
    """

    def __init__(self, segments: int, nbytes: int, crew: Crew, *, granule: int = 4, checks: bool = True) -> None:
        self.segments = segments
        self.nbytes = nbytes
        self.stride = max(_round_up(nbytes, 128), 128)
        self.granule = granule
        self.checks = checks
        self.data: Array = np.full(segments * self.stride, FILL, np.uint8)
        self._written: Array = np.zeros(self.data.size // granule if checks else 0, np.bool_)
        self._in_flight: Array | None = None
        """Whether, for each granule, a copy that nobody has waited for writes it; None where there never was one."""
        self._trace = Trace("shared", crew, self.stride)
        self._writers: Array | None = None
        """By granule one more than the lane that wrote it last, and has made no fence for the async proxy since."""
        self._read_now: Array | None = None
        """By granule, whether something that runs on its own reads it."""
        self._stored_now: Array | None = None
        """By granule, whether the store of a box, which threads wait for, reads it."""
        self.guard: Callable[[Array, Array, int], None] | None = None
        """Called with positions, lanes and bytes of every write, before it: raises what is wrong with it."""

    # ---- what runs on its own (wgmma) ----

    def watch_proxies(self) -> None:
        """From now on writes are held against what is read through the async proxy."""
        if self.checks:
            self._writers = np.zeros(self._written.size, np.int64)

    def watch(self, cells: Sequence[Array]) -> None:
        """The granules that are read until the next call; writing one is a Violation."""
        if self.checks:
            self._read_now = None
        if self.checks and cells:
            self._read_now = np.zeros(self._written.size, np.bool_)
            for part in cells:
                self._read_now[part] = True

    def watch_stores(self, cells: Sequence[Array]) -> None:
        """The granules that stores of boxes read until the next call; writing one is a Violation."""
        self._stored_now = None
        if self.checks and cells:
            self._stored_now = np.zeros(self._written.size, np.bool_)
            for part in cells:
                self._stored_now[part] = True

    def fence_proxy(self, lanes: Array) -> None:
        """What these lanes have written can be read through the async proxy."""
        if self._writers is not None:
            own = np.zeros(int(self._writers.max()) + 1, np.bool_)
            own[lanes[lanes + 1 < own.size] + 1] = True
            self._writers[own[self._writers]] = 0

    def need_fenced(self, flat: Array, nbytes: int) -> None:
        """Checks a read, or a write over what threads wrote, through the async proxy."""
        if self._writers is None or not flat.size:
            return
        wrong = self._writers[self.cells(flat, nbytes)].reshape(flat.size, -1) != 0
        if wrong.any():
            position = _first(wrong.any(axis=1))
            lane = int(self._writers[self.cells(flat, nbytes)].reshape(flat.size, -1)[position].max()) - 1
            detail = f"no fence.proxy.async by lane {lane}, which wrote this shared memory"
            raise Violation("proxy", detail, position, int(flat[position]) % self.stride)

    def _note_written(self, flat: Array, lanes: Array, nbytes: int, by_proxy: bool = False) -> None:
        if self.guard is not None:
            self.guard(flat, lanes, nbytes)
        if self._read_now is None and self._stored_now is None and self._writers is None:
            return
        cells = self.cells(flat, nbytes)
        if self._stored_now is not None and self._stored_now[cells].any():
            position = _first(self._stored_now[cells].reshape(flat.size, -1).any(axis=1))
            detail = "write of shared memory that the store of a box reads, for which nobody has waited"
            raise Violation("in-flight", detail, position, int(flat[position]) % self.stride)
        if self._read_now is not None and self._read_now[cells].any():
            position = _first(self._read_now[cells].reshape(flat.size, -1).any(axis=1))
            detail = "write of shared memory that a wgmma reads, for which nobody has waited"
            raise Violation("in-flight", detail, position, int(flat[position]) % self.stride)
        if self._writers is not None and by_proxy:
            self._writers[cells] = 0
        elif self._writers is not None:
            self._writers[cells] = (lanes if cells.ndim == 1 else lanes[:, None]) + 1

    def locate(self, offsets: Array, segments: Array, nbytes: int) -> Array:
        """Flat byte positions of accesses of `nbytes` at `offsets` (int64) in their workgroup's segment."""
        if offsets.size == 0:
            return offsets
        if int(np.bitwise_or.reduce(offsets)) & (nbytes - 1):
            position = _first(offsets & (nbytes - 1) != 0)
            raise Violation("misaligned", f"shared access of {nbytes} bytes", position, int(offsets[position]))
        if int(offsets.min()) < 0 or int(offsets.max()) + nbytes > self.nbytes:
            position = _first((offsets < 0) | (offsets + nbytes > self.nbytes))
            detail = f"shared access of {nbytes} bytes in a segment of {self.nbytes}"
            raise Violation("out-of-bounds", detail, position, int(offsets[position]))
        return np.asarray(offsets + segments * self.stride)

    def cells(self, flat: Array, nbytes: int) -> Array:
        """Granules under each access: [access], or [access, granule] where it has several."""
        first = flat // self.granule
        return first if nbytes <= self.granule else first[:, None] + np.arange(nbytes // self.granule)

    def _rows(self, marks: Array, flat: Array, nbytes: int) -> tuple[Array, Array]:
        """What is kept by granule, as rows, and the rows of each access: [access, row]. A row is as many bytes as all
        accesses are multiples of."""
        size = max(nbytes & -nbytes, self.granule)
        first = (flat >> size.bit_length() - 1)[:, None]
        return marks.reshape(-1, size // self.granule), first if size >= nbytes else first + np.arange(nbytes // size)

    def _mark(self, marks: Array, flat: Array, nbytes: int, mark: bool) -> None:
        rows, places = self._rows(marks, flat, nbytes)
        rows[places] = mark

    def _need_written(self, flat: Array, nbytes: int, what: str) -> None:
        rows, places = self._rows(self._written, flat, nbytes)
        written = rows.take(places, axis=0)
        if not written.all():
            position = _first(~written.all(axis=(1, 2)))
            detail = f"{what} shared memory that nobody has written"
            raise Violation("uninitialised", detail, position, int(flat[position]) % self.stride)

    def _need_landed(self, flat: Array, nbytes: int, what: str) -> None:
        if self._in_flight is None:
            return
        rows, places = self._rows(self._in_flight, flat, nbytes)
        flying = rows.take(places, axis=0)
        if flying.any():
            position = _first(flying.any(axis=(1, 2)))
            detail = f"{what} shared memory that a copy writes which its thread has not waited for"
            raise Violation("outstanding-load", detail, position, int(flat[position]) % self.stride)

    def on_read(self, flat: Array, lanes: Array, nbytes: int, site: int = 0) -> None:
        """Check and record a plain read."""
        if self.checks and flat.size:
            self._need_landed(flat, nbytes, "read of")
            self._need_written(flat, nbytes, "read of")
            self._trace.note(READ, flat, nbytes, lanes, site)

    def on_write(self, flat: Array, lanes: Array, nbytes: int, site: int = 0, *, by_proxy: bool = False) -> None:
        """Record a plain write, or one `by_proxy`: through the async proxy."""
        if self.checks and flat.size:
            self._need_landed(flat, nbytes, "write to")
            self._trace.note(WRITE, flat, nbytes, lanes, site)
            self._note_written(flat, lanes, nbytes, by_proxy)
            self._mark(self._written, flat, nbytes, True)

    def on_copy(self, flat: Array, lanes: Array, nbytes: int, site: int = 0, *, by_proxy: bool = False) -> None:
        """A copy is issued that will write there: until it has landed nobody may touch the place."""
        if self.checks and flat.size:
            if by_proxy:
                self.need_fenced(flat, nbytes)
            self.on_write(flat, lanes, nbytes, site, by_proxy=by_proxy)
            if self._in_flight is None:
                self._in_flight = np.zeros_like(self._written)
            self._mark(self._in_flight, flat, nbytes, True)

    def on_landing(self, flat: Array, lanes: Array, nbytes: int, site: int = 0, *, by_proxy: bool = False) -> None:
        """It lands."""
        if self.checks and flat.size and self._in_flight is not None:
            self._mark(self._in_flight, flat, nbytes, False)
            self.on_write(flat, lanes, nbytes, site, by_proxy=by_proxy)

    def on_atomic(self, flat: Array, lanes: Array, nbytes: int, site: int = 0) -> None:
        """Check and record an atomic read-modify-write."""
        if self.checks and flat.size:
            self._need_landed(flat, nbytes, "atomic on")
            self._need_written(flat, nbytes, "atomic on")
            self._note_written(flat, lanes, nbytes)
            self._trace.note(ATOMIC, flat, nbytes, lanes, site)

    def mark_written(self, flat: Array, nbytes: int) -> None:
        """Bytes that hardware itself initialises (barrier objects)."""
        if self.checks and flat.size:
            self._mark(self._written, flat, nbytes, True)

    def settle(self) -> None:
        """Raises `Race` for the first race since the last barrier."""
        self._trace.settle()

    def synchronise(self, segments: Array | None = None) -> None:
        """A workgroup barrier in the given segments (a mask; None is all): what was done before is ordered."""
        if segments is None or segments.all():
            self._trace.settle()
            self._trace.forget()
        else:
            self._trace.advance(segments)

    def synchronise_teams(self, teams: Array) -> None:
        """A warp barrier in the marked teams: their accesses are ordered within the team, not towards others."""
        self._trace.advance_teams(teams)

    def synchronise_some(self, order: Order, teams: Array) -> None:
        """A barrier of the marked teams, after which their workgroups are in `order`."""
        self._trace.advance_order(order, teams)
