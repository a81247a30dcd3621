"""What was done to an emulated memory long ago, byte by byte: who touched each last, and what was written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .access_records import VERBS, WRITE, Array, Crew, Race, Record, Touch, common_size

MANY = -1
"""In the place of a group's number: several of them."""


def _mask(size: int) -> np.uint64:
    return np.uint64((1 << 8 * size) - 1)


def _shifts(size: int, count: int) -> Array:
    return np.arange(count, dtype=np.uint64) * np.uint64(8 * size % 64)


class Past:
    """Which workgroup read, wrote and updated each cell, or that several did, and the last instruction of each."""

    def __init__(self, granule: int) -> None:
        self.common_size = granule
        self._who: Array = np.zeros((len(VERBS), 0), np.int32)
        """The workgroup from 1, 0 for none, or `MANY`."""
        self._site: Array = np.zeros((len(VERBS), 0), np.int32)
        self._thread: Array = np.zeros((len(VERBS), 0), np.int64)
        self._value: Array = np.zeros(0, np.uint64)
        """What was written."""
        self._varied: Array = np.zeros(0, np.bool_)
        """Whether that was different things, or nobody knows."""

    def _cover(self, records: Sequence[Record]) -> None:
        """Makes room for the cells of the records, in their size."""
        factor = self.common_size // min(self.common_size, common_size(records))
        self.common_size //= factor
        more = max(0, max(r.range[1] for r in records) // self.common_size - self._value.size * factor)
        parts = np.repeat(self._value, factor) >> np.tile(_shifts(self.common_size, factor), self._value.size)
        self._value = np.pad(parts & _mask(self.common_size), (0, more))
        self._varied = np.pad(np.repeat(self._varied, factor), (0, more))
        self._who, self._site, self._thread = (
            np.pad(np.repeat(table, factor, axis=1), ((0, 0), (0, more)))
            for table in (self._who, self._site, self._thread)
        )

    def add(self, records: Sequence[Record], crew: Crew) -> None:
        self._cover(records)
        for r in records:
            cells, threads = r.cells(self.common_size), (r.base + r.lanes)[:, None]
            own = (threads // crew.workgroup + 1).astype(np.int32)
            who = self._who[r.kind]
            old = who[cells]
            new = np.where((old == 0) | (old == own), own, MANY)
            who[cells] = new
            who[cells[who[cells] != new]] = MANY
            self._site[r.kind][cells], self._thread[r.kind][cells] = r.site, threads
            if r.kind == WRITE:
                written = r.written(self.common_size)
                self._varied[cells] |= True if written is None else (old != 0) & self._differs(r, cells)
                self._value[cells] = 0 if written is None else written

    def _differs(self, r: Record, cells: Array) -> Array:
        """Whether a write may be of something else than the writes before."""
        written = r.written(self.common_size)
        if written is None:
            return np.ones(cells.shape, np.bool_)
        return np.asarray(self._varied[cells] | (self._value[cells] != written))

    def check(self, records: Sequence[Record], crew: Crew) -> None:
        """Raises `Race` for an access of a cell that another workgroup touched."""
        self._cover(records)
        for r in records:
            self._check(r, (r.base + r.lanes)[:, None] // crew.workgroup + 1)

    def check_others(self, record: Record) -> None:
        """Raises `Race` for accesses of another grid, whose workgroups are none of these."""
        self._cover([record])
        self._check(record, np.zeros((1, 1), np.int64))

    def _check(self, r: Record, own: Array) -> None:
        cells = r.cells(self.common_size)
        for kind, who in enumerate(self._who):
            if kind == r.kind != WRITE:
                continue
            old = who[cells]
            wrong = (old != 0) & (old != own)
            if kind == r.kind:
                wrong &= self._differs(r, cells)
            if wrong.any():
                row, column = (int(n) for n in np.argwhere(wrong)[0])
                self._raise(r, kind, row, int(cells[row, column]))

    def _raise(self, r: Record, kind: int, row: int, cell: int) -> None:
        byte = cell * self.common_size
        first = Touch(VERBS[kind], int(self._site[kind][cell]), int(self._thread[kind][cell]), byte)
        raise Race(first, Touch(VERBS[r.kind], r.site, int(r.base + r.lanes[row]), byte))
