"""Loads and stores of a batch: scalar, global, generic, buffer, private, and the workgroup's shared memory (LDS)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...targets.transposing_loads import TransposingLoad
from ..access_records import WRITE
from ..faults import Violation
from .counting import count_passes, count_sectors
from .emit import APERTURES
from .group import Group
from .state import PRIVATE_BASE, State
from .wave_values import Array

_SHARED_WINDOW = APERTURES["src_shared_base"] >> 32
_PRIVATE_WINDOW = APERTURES["src_private_base"] >> 32
_OFFSET = (1 << 32) - 1
_NO_CHECK = 2
"""OOB_SELECT of a buffer resource from gfx10 on: only whether there are any bytes counts; with 3 each element's offset
is compared with the size in bytes."""
_CACHE_SWIZZLE = 1 << 14
"""In the bits of a resource's stride, on gfx942 and gfx950."""
_ADDRESSES = 1 << 48
"""Bytes of memory."""

Resource = tuple[Any, Any, Any, Any]
"""The four words of a buffer resource."""


def _read(data: Array, flat: Array, size: int, count: int) -> list[Array]:
    """`count` consecutive elements of `size` bytes (1, 2 or 4) at byte positions, each aligned to `size`."""
    view = data.view(f"u{size}")
    first = flat if size == 1 else flat >> (size >> 1)
    if count in (2, 4) and not int(np.bitwise_or.reduce(first)) & (count - 1):
        rows = view.reshape(-1, count).take(first >> (count >> 1), axis=0)
        return list(np.ascontiguousarray(rows.T))
    return [view.take(first + n if n else first) for n in range(count)]


def _write(data: Array, flat: Array, size: int, values: list[Array]) -> None:
    view = data.view(f"u{size}")
    first = flat if size == 1 else flat >> (size >> 1)
    for n, value in enumerate(values):
        view[first + n if n else first] = value


def _inside(mask: Any, offset: Any, size: int, count: int, records: Any) -> Iterator[tuple[int, int, Array]]:
    """(first element, elements, lanes) of the accesses that a buffer's bounds let through: all elements at once unless
    a lane has some inside and some outside."""

    def lanes(end: int) -> Array:
        return np.asarray(mask & (offset >= 0) & (offset <= records - size * end))

    whole = lanes(count)
    if count == 1 or (whole == lanes(1)).all():
        yield 0, count, whole
    else:
        for n in range(count):
            yield n, 1, lanes(n + 1)


class Access(State):
    """Memory operations that generated code calls; `mask` is the execution mask, `site` the instruction.

    Loads return `count` arrays of elements of `size` bytes, [wave, lane], zero in inactive lanes.
    """

    # ---- scalar ----

    def scalar_load(self, group: Group, address: Any, size: int, count: int, site: int) -> list[Any]:
        """One address per wave (int64, scalar or [wave, 1])."""
        addresses = np.asarray(address, np.int64).reshape(-1)
        flat = self._locate_global(addresses & -size, size, count, group, None, site, per_wave=True)
        if not self.launch.holds_arguments(addresses):
            self.counters.global_load_bytes += size * count * group.count
            self.counters.sectors(site, group.count * -(-size * count // 32))
            self._note_scalar(flat, size * count, group.waves * self.lanes, site)
        found = _read(self.memory.arena, flat, size, count)
        return [x[0] if np.ndim(address) == 0 else x[:, None] for x in found]

    def _note_scalar(self, flat: Array, nbytes: int, lanes: Array, site: int) -> None:
        """A read by a wave counts as one by its first lane."""
        if self.launch.checks and flat.size == lanes.size:
            self.races.note(self.program.read_kind, flat, nbytes, lanes, site)
        elif self.launch.checks:
            self.races.note_common(self.program.read_kind, flat, nbytes, lanes, site)

    # ---- global and generic ----

    def _locate_global(
        self,
        addresses: Array,
        size: int,
        count: int,
        group: Group,
        active: Array | None,
        site: int,
        *,
        per_wave: bool = False,
    ) -> Array:
        """Positions in the arena; the whole access lies in one allocation."""
        try:
            flat = self.memory.locate(addresses, size)
            if count > 1 and addresses.size:
                step = size * (count - 1)
                last = self.memory.locate(addresses + step, size)
                if (last - flat != step).any():
                    position = int(np.flatnonzero(last - flat != step)[0])
                    raise Violation("out-of-bounds", "access across allocations", position, int(addresses[position]))
        except Violation as violation:
            if per_wave:
                violation.position *= self.lanes
            self.raise_violation(violation, group.numbers(active), site)
        return flat

    def note(
        self, kind: int, flat: Array, nbytes: int, lanes: Array, site: int, values: list[Array] | None = None
    ) -> None:
        """Accesses to global memory at positions `flat`, for the race detector."""
        if self.launch.checks:
            self.races.note(kind, flat, nbytes, lanes, site, values)

    def load(
        self, group: Group, mask: Any, address: Any, size: int, count: int, site: int, strong: bool = False
    ) -> list[Array]:
        """From global memory. A `strong` load is atomic: it begins a compare-and-swap loop, and races with nothing."""
        active = group.active(mask)
        addresses = group.flat(address, active)
        flat = self._locate_global(addresses, size, count, group, active, site)
        if not strong:
            self.note(self.program.read_kind, flat, size * count, group.numbers(active), site)
        self.counters.global_load_bytes += size * count * addresses.size
        self.counters.sectors(site, count_sectors(addresses, size * count, group, active))
        return [group.spread(x, active) for x in _read(self.memory.arena, flat, size, count)]

    def load_transposed(self, group: Group, mask: Any, address: Any, load: TransposingLoad, site: int) -> list[Array]:
        """From global memory: each lane gets elements that its neighbours read, of which bit 0 is the lowest."""
        words = load.bytes // 4
        loaded = np.stack(self.load(group, mask, address, 4, words, site), axis=-1)
        bits = np.unpackbits(loaded.view(np.uint8), axis=-1, bitorder="little")
        read = bits.reshape(-1, load.lanes, load.elements, load.bits)
        given = read[(slice(None), *load.source(np.arange(load.lanes)[:, None], np.arange(load.elements)[None, :]))]
        found = np.packbits(given.reshape(-1, 32 * words), axis=-1, bitorder="little").view(np.uint32)
        return list(np.ascontiguousarray(np.moveaxis(found.reshape(group.count, self.lanes, words), -1, 0)))

    def store(self, group: Group, mask: Any, address: Any, size: int, values: list[Any], site: int) -> None:
        """To global memory; where lanes collide the highest lane wins."""
        active = group.active(mask)
        addresses = group.flat(address, active)
        flat = self._locate_global(addresses, size, len(values), group, active, site)
        self._refuse_read_only(addresses, size * len(values), group, active, site)
        self.tell_watch(addresses, size * len(values), group, active, site)
        self.counters.global_store_bytes += size * len(values) * addresses.size
        self.counters.sectors(site, count_sectors(addresses, size * len(values), group, active))
        stored = [group.flat(v, active) for v in values]
        self.note(WRITE, flat, size * len(values), group.numbers(active), site, stored)
        _write(self.memory.arena, flat, size, stored)

    def tell_watch(self, addresses: Array, nbytes: int, group: Group, active: Array | None, site: int) -> None:
        if self.memory.watch is not None:
            numbers = group.numbers(active)
            self.memory.watch.see(addresses, nbytes, lambda i: self.place(site, int(numbers[i])))

    def _refuse_read_only(self, addresses: Array, nbytes: int, group: Group, active: Array | None, site: int) -> None:
        if not addresses.size:
            return
        low, high = int(addresses.min()), int(addresses.max())
        for start, end in self.launch.read_only:
            if low >= end or high + nbytes <= start:
                continue
            bad = (addresses < end) & (addresses + nbytes > start)
            if bad.any():
                violation = Violation("read-only", "store to constant memory", int(np.flatnonzero(bad)[0]), low)
                self.raise_violation(violation, group.numbers(active), site)

    def flat_load(
        self, group: Group, mask: Any, address: Any, size: int, count: int, site: int, strong: bool = False
    ) -> list[Array]:
        """From whatever memory each generic address lies in."""
        out = [np.zeros((group.count, self.lanes), f"u{size}") for _ in range(count)]
        for space, part, own in self._windows(group, mask, address):
            more = (strong,) if space == "global" else ()
            for total, values in zip(out, _LOADS[space](self, group, part, own, size, count, site, *more), strict=True):
                total[part] = values[part]
        return out

    def flat_store(self, group: Group, mask: Any, address: Any, size: int, values: list[Any], site: int) -> None:
        for space, part, own in self._windows(group, mask, address):
            _STORES[space](self, group, part, own, size, values, site)

    def _windows(self, group: Group, mask: Any, address: Any) -> list[tuple[str, Array, Array]]:
        """(space, lanes [wave, lane], address in that space)."""
        shape = (group.count, self.lanes)
        lanes, addresses = np.broadcast_to(mask, shape), np.broadcast_to(address, shape)
        window = addresses >> 32
        shared, private = lanes & (window == _SHARED_WINDOW), lanes & (window == _PRIVATE_WINDOW)
        parts = [
            ("shared", shared, addresses & _OFFSET),
            ("private", private, addresses & _OFFSET),
            ("global", lanes & ~shared & ~private, addresses),
        ]
        return [part for part in parts if part[1].any()]

    # ---- private ----

    def _locate_private(
        self, address: Any, size: int, count: int, group: Group, active: Array | None, site: int
    ) -> Array:
        addresses = group.flat(address, active)
        limit = self.program.private_bytes
        bad = (addresses < 0) | (addresses + size * count > limit) | (addresses & (size - 1) != 0)
        if bad.any():
            position = int(np.flatnonzero(bad)[0])
            kind = "misaligned" if addresses[position] & (size - 1) else "out-of-bounds"
            detail = f"private access of {size * count} bytes in {limit}"
            self.raise_violation(
                Violation(kind, detail, position, int(addresses[position])), group.numbers(active), site
            )
        return np.asarray(addresses + group.numbers(active) * self.private_stride)

    def private_load(self, group: Group, mask: Any, address: Any, size: int, count: int, site: int) -> list[Array]:
        """From the memory of each thread."""
        active = group.active(mask)
        flat = self._locate_private(address, size, count, group, active, site)
        return [group.spread(x, active) for x in _read(self.private, flat, size, count)]

    def private_store(self, group: Group, mask: Any, address: Any, size: int, values: list[Any], site: int) -> None:
        active = group.active(mask)
        flat = self._locate_private(address, size, len(values), group, active, site)
        _write(self.private, flat, size, [group.flat(v, active) for v in values])

    # ---- buffers ----

    def buffer(self, words: Resource, site: int) -> tuple[Any, Any, bool]:
        """(base, size in bytes, whether it is private memory) of a raw buffer resource. Where nothing is compared with
        the size, it is that of all memory. A swizzled cache has its lines elsewhere, and the same numbers in them."""
        low, high, records, format = (np.asarray(w).astype(np.int64) for w in words)
        base = low | ((high & 0xFFFF) << 32)
        if (base == PRIVATE_BASE).all():
            return base, records, True
        stride = high >> 16
        if ((stride != 0) & ((stride & _CACHE_SWIZZLE == 0) | (stride > 2 * _CACHE_SWIZZLE))).any():
            raise self.fault("unsupported", "a buffer resource with a stride or swizzling", site)
        if (format >> 12 & 0x7F == 0).any():
            raise self.fault("unsupported", "a buffer resource without a data format", site)
        if self.chip.generation == 9:
            return base, records, False
        check = format >> 28 & 3
        if (check < _NO_CHECK).any():
            raise self.fault("unsupported", "a buffer resource that is not checked as a raw buffer", site)
        return base, np.where((check == _NO_CHECK) & (records != 0), _ADDRESSES, records), False

    def _own_share(self, outside: Any, site: int) -> Any:
        """A thread's part of an offset that counts for its whole wave: private memory is interleaved lane by lane."""
        if (np.asarray(outside) % self.lanes != 0).any():
            raise self.fault("unsupported", "an offset of private memory that is not a multiple of the wave size", site)
        return outside // self.lanes

    def buffer_load(
        self,
        group: Group,
        mask: Any,
        resource: Resource,
        offset: Any,
        outside: Any,
        size: int,
        count: int,
        site: int,
    ) -> list[Array]:
        """`offset` takes part in the hardware's bounds check, `outside` does not; elements out of bounds read as 0."""
        base, records, private = self.buffer(resource, site)
        if private:
            return self.private_load(group, mask, offset + self._own_share(outside, site), size, count, site)
        out: list[Array] = []
        for first, n, inside in _inside(mask, offset, size, count, records):
            out += self.load(group, inside, base + offset + outside + size * first, size, n, site)
        return out

    def buffer_store(
        self,
        group: Group,
        mask: Any,
        resource: Resource,
        offset: Any,
        outside: Any,
        size: int,
        values: list[Any],
        site: int,
    ) -> None:
        base, records, private = self.buffer(resource, site)
        if private:
            self.private_store(group, mask, offset + self._own_share(outside, site), size, values, site)
            return
        for first, n, inside in _inside(mask, offset, size, len(values), records):
            place = base + offset + outside + size * first
            self.store(group, inside, place, size, values[first : first + n], site)

    # ---- shared ----

    def locate_shared(
        self, address: Any, size: int, count: int, group: Group, active: Array | None, site: int
    ) -> Array:
        """Byte positions of accesses; 8 bytes and more need an alignment of 8 (three words: 4)."""
        addresses = group.flat(address, active)
        waves = group.waves if active is None else group.waves[active // self.lanes]
        segments = self.block_of[np.repeat(waves, self.lanes) if active is None else waves]
        step = size * count if size * count < 16 else 8
        step = size if count == 3 else step
        try:
            flat = self.shared.locate(addresses, segments, step)
            if size * count > step:
                self.shared.locate(addresses + (size * count - step), segments, step)
        except Violation as violation:
            self.raise_violation(violation, group.numbers(active), site)
        return flat

    def shared_load(self, group: Group, mask: Any, address: Any, size: int, count: int, site: int) -> list[Array]:
        """From the workgroup's memory (LDS)."""
        active = group.active(mask)
        flat = self.locate_shared(address, size, count, group, active, site)
        check = "on_atomic" if self.program.swaps else "on_read"
        self._on_shared(check, flat, size * count, group.numbers(active), group, active, site)
        self.counters.shared_load_bytes += size * count * flat.size
        count_passes(self.counters, flat, size * count, group, active, self.chip, site=site)
        return [group.spread(x, active) for x in _read(self.shared.data, flat, size, count)]

    def shared_load_transposed(
        self, group: Group, mask: Any, address: Any, words: int, bits: int, site: int
    ) -> list[Array]:
        """The elements that 16 lanes read, in order, are a matrix with 16 columns; lane l of them gets column l.

        From AMD's CDNA4 ISA document (DS_READ_B64_TR_B16 and its siblings).
        """
        loaded = np.stack(self.shared_load(group, mask, address, 4, words, site), axis=-1)
        rows = 32 * words // bits
        elements = np.unpackbits(loaded.view(np.uint8), axis=-1, bitorder="little").reshape(-1, rows, 16, bits)
        columns = np.packbits(elements.swapaxes(1, 2).reshape(-1, 32 * words), axis=-1, bitorder="little")
        found = columns.view(np.uint32).reshape(group.count, self.lanes, words)
        return [np.ascontiguousarray(found[..., n]) for n in range(words)]

    def shared_store(self, group: Group, mask: Any, address: Any, size: int, values: list[Any], site: int) -> None:
        active = group.active(mask)
        nbytes = size * len(values)
        flat = self.locate_shared(address, size, len(values), group, active, site)
        self._on_shared("on_write", flat, nbytes, group.numbers(active), group, active, site)
        self.counters.shared_store_bytes += nbytes * flat.size
        count_passes(self.counters, flat, nbytes, group, active, site=site)
        _write(self.shared.data, flat, size, [group.flat(v, active) for v in values])

    def _on_shared(
        self, check: str, flat: Array, nbytes: int, numbers: Array, group: Group, active: Array | None, site: int
    ) -> None:
        if not self.launch.checks:
            return
        try:
            getattr(self.shared, check)(flat, numbers, nbytes, site)
        except Violation as violation:
            self.raise_violation(violation, group.numbers(active), site)


_LOADS = {"shared": Access.shared_load, "private": Access.private_load, "global": Access.load}
_STORES = {"shared": Access.shared_store, "private": Access.private_store, "global": Access.store}
