"""Linear algebra over the field of two elements: a vector is an integer, its bits the coordinates, `^` the sum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Span:
    """A growing subspace, kept reduced: every pivot bit stands in one vector only."""

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self._by_pivot: dict[int, int] = {}
        for vector in vectors:
            self.add(vector)

    def reduced(self, vector: int) -> int:
        """What is left of `vector` modulo the span: 0 for a member."""
        for pivot, basis in self._by_pivot.items():
            if vector >> pivot & 1:
                vector ^= basis
        return vector

    def add(self, vector: int) -> bool:
        """Extends the span; False where `vector` was a member."""
        rest = self.reduced(vector)
        if not rest:
            return False
        pivot = rest.bit_length() - 1
        for other, basis in self._by_pivot.items():
            if basis >> pivot & 1:
                self._by_pivot[other] = basis ^ rest
        self._by_pivot[pivot] = rest
        return True

    def __len__(self) -> int:
        return len(self._by_pivot)


def rank(vectors: Iterable[int]) -> int:
    return len(Span(vectors))


def completed(vectors: Sequence[int], candidates: Iterable[int], size: int) -> list[int]:
    """`vectors`, which are independent, and those of `candidates` that keep them so, `size` in all at most."""
    span, result = Span(vectors), list(vectors)
    for candidate in candidates:
        if len(result) >= size:
            break
        if span.add(candidate):
            result.append(candidate)
    return result


def independent(vectors: Iterable[int]) -> list[int]:
    """The vectors without those that the ones before them make."""
    span = Span()
    return [vector for vector in vectors if span.add(vector)]


def common_complement(first: Sequence[int], second: Sequence[int], bits: int) -> list[int]:
    """A basis of a space that meets neither span (of equal dimension) and makes each whole: of `bits` in all.

    Unit vectors outside the sum of both, and the sums of those outside the intersection, one of each side.
    """
    assert rank(first) == rank(second), "a common complement of spans of different dimensions"
    shared = _intersection(first, second, bits)
    count = rank(first)
    mine, theirs = (completed(shared, side, count)[len(shared) :] for side in (first, second))
    units = [1 << bit for bit in range(bits)]
    both = completed(independent([*first, *second]), units, bits)
    outside = both[rank([*first, *second]) :]
    return [*outside, *(a ^ b for a, b in zip(mine, theirs, strict=True))]


def _intersection(first: Sequence[int], second: Sequence[int], bits: int) -> list[int]:
    """A basis of what both spans hold (Zassenhaus: rows (a, a) and (b, 0), reduced in the high half)."""
    span = Span()
    for vector in first:
        span.add(vector << bits | vector)
    found: list[int] = []
    for vector in second:
        rest = span.reduced(vector << bits)
        if rest >> bits:
            span.add(rest)
        elif rest:
            found.append(rest)
    return independent(found)


def inverse(columns: Sequence[int]) -> list[int]:
    """The columns of the inverse of a square matrix given by its columns: where each unit vector comes from."""
    size = len(columns)
    rows = [(column << size) | 1 << place for place, column in enumerate(columns)]
    span = Span(rows)
    units = [span.reduced(1 << (size + bit)) for bit in range(size)]
    assert all(unit < 1 << size for unit in units), "the matrix has no inverse"
    return units
