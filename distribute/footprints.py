"""Which thread touches which elements of a buffer, and whether two accesses of it meet in different threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from math import prod

import numpy as np

from ..analysis.access_places import Place
from ..analysis.iteration_numbers import Iteration
from ..analysis.thread_numbers import Terms
from ..ir.core import Value
from ..ir.numerics import Array
from ..support.dataclasses import dataclass, replace

NOBODY, SEVERAL = -1, -2
_LARGEST = 1 << 22
"""Elements that a book may have; of more, all that is known is that the buffer was touched."""


class Kind(IntEnum):
    READ = 0
    WRITE = 1
    UPDATE = 2
    """Atomic."""

    def meets(self, other: Kind) -> bool:
        """Whether two such accesses of one element by different threads need an order."""
        return Kind.WRITE in (self, other) or self != other


Signature = tuple[Terms, ...]
"""The unknown parts of a place, per dimension: only where they are equal the known parts can be compared."""


@dataclass(frozen=True, eq=False)
class Footprint:
    """Elements `cells` ([dimension, touch]) and the threads that touch them ([touch]), relative to the signature.

    `signature` is None where nothing is known of the place, or where whole subgroups touch it together.
    """

    kind: Kind
    signature: Signature | None
    cells: Array
    threads: Array

    @property
    def who(self) -> int:
        """The thread, if only one touches anything."""
        return one_of(self.threads)

    def at(self, iteration: Iteration) -> Footprint:
        """Where some of the unknown numbers are known."""
        known = [{v: iteration.number(v) for v, _ in terms} for terms in self.signature or ()]
        if self.signature is None or all(number is None for numbers in known for number in numbers.values()):
            return self
        shifts, left = list[int](), list[Terms]()
        for terms, numbers in zip(self.signature, known, strict=True):
            shifts.append(sum(factor * (numbers[v] or 0) for v, factor in terms))
            left.append(frozenset(term for term in terms if numbers[term[0]] is None))
        return replace(self, signature=tuple(left), cells=self.cells + np.array(shifts, np.int64)[:, None])


def one_of(threads: Array) -> int:
    if not threads.size:
        return NOBODY
    return int(threads[0]) if (threads == threads[0]).all() else SEVERAL


def footprints(kind: Kind, places: Sequence[Place], together: bool) -> list[Footprint]:
    """Footprints of accesses that do not meet each other. `together`: a thread may get what another one addresses."""
    alike: dict[tuple[Signature | None, int, bytes], list[Place]] = {}
    for place in places:
        signature = None if place.numbers is None else tuple(n.terms for n in place.numbers)
        alike.setdefault((signature, place.width, place.threads.tobytes()), []).append(place)
    found = [_footprint(kind, signature, some) for (signature, _, _), some in alike.items()]
    return [replace(f, threads=np.full_like(f.threads, SEVERAL)) if together else f for f in found if f.threads.size]


def _footprint(kind: Kind, signature: Signature | None, places: Sequence[Place]) -> Footprint:
    """The footprint of places that differ in known parts only."""
    threads, width = np.flatnonzero(places[0].threads), places[0].width
    if signature is None:
        return Footprint(kind, None, np.zeros((0, threads.size), np.int64), threads)
    known = np.empty((len(signature), len(places), places[0].threads.size, width), np.int64)
    for i, place in enumerate(places):
        for dim, number in enumerate(place.numbers or ()):
            known[dim, i] = np.asarray(number.known)[..., None]
    known[-1] += np.arange(width)
    cells = known if threads.size == places[0].threads.size else known[:, :, threads]
    shape = cells.shape[1:]
    return Footprint(
        kind,
        signature,
        cells.reshape(len(signature), -1),
        np.broadcast_to(threads[None, :, None], shape).reshape(-1),
    )


class Book:
    """Who touched the elements of one buffer whose places have one signature: by kind a thread, `SEVERAL`, `NOBODY`."""

    def __init__(self, rank: int) -> None:
        self.origin: Array = np.zeros(rank, np.int64)
        self.tables: Array = np.zeros((len(Kind), *[0] * rank), np.int32)
        self.who = [NOBODY] * len(Kind)

    def copy(self) -> Book:
        other = Book(len(self.origin))
        other.origin, other.tables, other.who = self.origin, self.tables.copy(), list(self.who)
        return other

    def meets(self, f: Footprint) -> bool:
        """Whether a new access touches an element that another thread touched, and needs an order with it."""
        kinds = [k for k in Kind if f.kind.meets(k) and self.who[k] != NOBODY]
        if not kinds:
            return False
        index, inside = self._index(f.cells)
        threads = f.threads[inside]
        for kind in kinds:
            found = self.tables[kind].reshape(-1)[index]
            if ((found != NOBODY) & ((found != threads) | (found == SEVERAL))).any():
                return True
        return False

    def enter(self, f: Footprint) -> bool:
        """False where that would take too much memory."""
        if not self._cover(f.cells.min(axis=1), f.cells.max(axis=1) + 1):
            return False
        index = _flat(f.cells - self.origin[:, None], self.tables.shape[1:])
        table = self.tables[f.kind].reshape(-1)
        old = table[index]
        table[index] = np.where((old == NOBODY) | (old == f.threads), f.threads, SEVERAL)
        table[index[table[index] != f.threads]] = SEVERAL
        self.who[f.kind] = _joint(self.who[f.kind], f.who)
        return True

    def join(self, other: Book) -> bool:
        """Enters all that another book has; False where that would take too much memory."""
        if not self._cover(other.origin, other.origin + other.tables.shape[1:]):
            return False
        part = self.tables[
            (
                slice(None),
                *(slice(a, a + n) for a, n in zip(other.origin - self.origin, other.tables.shape[1:], strict=True)),
            )
        ]
        both = np.where(part == NOBODY, other.tables, np.where(part == other.tables, part, SEVERAL))
        part[...] = np.where(other.tables == NOBODY, part, both)
        self.who = [_joint(a, b) for a, b in zip(self.who, other.who, strict=True)]
        return True

    def _index(self, cells: Array) -> tuple[Array, Array]:
        """Flat positions of those cells that are in the tables, and which these are."""
        shape = self.tables.shape[1:]
        places = cells - self.origin[:, None]
        inside = np.all((places >= 0) & (places < np.array(shape, np.int64)[:, None]), axis=0)
        return _flat(places if inside.all() else places[:, inside], shape), inside

    def _cover(self, first: Array, end: Array) -> bool:
        shape = np.array(self.tables.shape[1:], np.int64)
        if not self.tables.size:
            low, high = first, end
        elif (first >= self.origin).all() and (end <= self.origin + shape).all():
            return True
        else:
            low, high = np.minimum(first, self.origin), np.maximum(end, self.origin + shape)
            room = (high - low) // 2
            high = np.where(end > self.origin + shape, high + room, high)
            low = np.where(first < self.origin, low - room, low)
        extents = [int(n) for n in high - low]
        if prod(extents) > _LARGEST:
            return False
        tables = np.full((len(Kind), *extents), NOBODY, np.int32)
        if self.tables.size:
            tables[(slice(None), *(slice(a, a + n) for a, n in zip(self.origin - low, shape, strict=True)))] = (
                self.tables
            )
        self.origin, self.tables = low, tables
        return True


def _flat(places: Array, shape: Sequence[int]) -> Array:
    index: Array = places[0]
    for along, extent in zip(places[1:], shape[1:], strict=True):
        index = index * extent + along
    return index


def _joint(a: int, b: int) -> int:
    if a == NOBODY:
        return b
    return a if b in (NOBODY, a) else SEVERAL


Rename = Callable[[Value, int], int | None]


Footprints = Callable[[], Sequence[Footprint]]


class Ledger:
    """What was done to one buffer since the last barrier: exactly what is found out once something may meet it."""

    def __init__(self) -> None:
        self.kinds: set[Kind] = set()
        self._unread: list[tuple[Footprints, tuple[Rename, ...]]] = []
        """Accesses that are not in the books yet, and how places were renamed since."""
        self.books: dict[Signature, Book] = {}
        self.elsewhere = [NOBODY] * len(Kind)
        """Per kind who touched nobody knows which elements."""

    def copy(self) -> Ledger:
        other = Ledger()
        other.books = {signature: book.copy() for signature, book in self.books.items()}
        other.elsewhere = list(self.elsewhere)
        other.kinds, other._unread = set(self.kinds), list(self._unread)
        return other

    def note(self, kind: Kind, footprints: Footprints) -> None:
        """Enters an access."""
        self.kinds.add(kind)
        self._unread.append((footprints, ()))

    def _read(self) -> None:
        unread, self._unread = self._unread, []
        for found, renames in unread:
            part = Ledger()
            for f in found():
                (part if renames else self)._enter(f)
            for rename in renames:
                part = part.renamed(rename)
            self.join(part)

    def meets(self, kind: Kind, footprints: Footprints) -> bool:
        """Whether a new access needs an order with one that is entered."""
        if not any(kind.meets(other) for other in self.kinds):
            return False
        self._read()
        return any(self._meets(f) for f in footprints())

    def _meets(self, f: Footprint) -> bool:
        others = [self.elsewhere, *(b.who for s, b in self.books.items() if s != f.signature)]
        who = f.who
        for kind in Kind:
            if f.kind.meets(kind) and any(w[kind] != NOBODY and not w[kind] == who != SEVERAL for w in others):
                return True
        book = None if f.signature is None else self.books.get(f.signature)
        return book is not None and book.meets(f)

    def _enter(self, f: Footprint) -> None:
        if f.signature is not None:
            book = self.books.setdefault(f.signature, Book(len(f.cells)))
            if book.enter(f):
                return
        self.elsewhere[f.kind] = _joint(self.elsewhere[f.kind], f.who)

    def join(self, other: Ledger) -> None:
        """Enters all that another one has."""
        self.kinds |= other.kinds
        self._unread += other._unread
        self._blur(other.elsewhere)
        for signature, book in other.books.items():
            own = self.books.setdefault(signature, Book(len(book.origin)))
            if not own.join(book):
                self._blur(book.who)

    def _blur(self, who: Sequence[int]) -> None:
        self.elsewhere = [_joint(a, b) for a, b in zip(self.elsewhere, who, strict=True)]

    def slides(self, rename: Rename) -> bool:
        """Whether the elements of two iterations overlap without being the same: further ones may, too."""
        self._read()
        for signature, book in self.books.items():
            for terms, extent in zip(signature, book.tables.shape[1:], strict=True):
                steps = [rename(value, factor) for value, factor in terms]
                if None in steps or 0 < abs(sum(s for s in steps if s is not None)) < extent:
                    return True
        return False

    def renamed(self, rename: Rename) -> Ledger:
        """Seen from a later iteration of a loop, or from behind it.

        `rename` gives by how much the known part of a place grows for an unknown part (value, factor), None where the
        value is no longer what it was.
        """
        ledger = Ledger()
        ledger.elsewhere, ledger.kinds = list(self.elsewhere), self.kinds
        ledger._unread = [(found, (*renames, rename)) for found, renames in self._unread]
        for signature, book in self.books.items():
            steps = [[rename(value, factor) for value, factor in terms] for terms in signature]
            if any(step is None for some in steps for step in some):
                ledger._blur(book.who)
                continue
            moved = book.copy()
            moved.origin = book.origin + np.array([sum(s for s in some if s is not None) for some in steps], np.int64)
            ledger.books[signature] = moved
        return ledger
