"""Vector values: known by their elements, as one LLVM vector, or both; each is written when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence

from .text import Ssa, Writer, integer


class Pack:
    """A vector of any rank, flattened row-major. Taking apart what was just put together writes nothing."""

    __slots__ = ("_elements", "_vector", "count")

    def __init__(self, elements: list[Ssa] | None, vector: Ssa | None, count: int) -> None:
        self._elements = elements
        self._vector = vector
        self.count = count

    @classmethod
    def of(cls, elements: Sequence[Ssa]) -> Pack:
        return cls(list(elements), None, len(elements))

    @classmethod
    def of_vector(cls, vector: Ssa, count: int) -> Pack:
        return cls(None, vector, count)

    def elements(self, w: Writer) -> list[Ssa]:
        if self._elements is not None:
            return self._elements
        assert self._vector is not None
        # Not kept: the instructions belong to the scope that asks, which may be narrower than the pack's.
        return take_apart(w, self._vector, self.count)

    def vector(self, w: Writer) -> Ssa:
        if self._vector is not None:
            return self._vector
        assert self._elements is not None
        return put_together(w, self._elements)


def vector_type(element: str, count: int) -> str:
    return f"<{count} x {element}>"


def element_of(type: str) -> str:
    """`float` of `<4 x float>`."""
    return type[type.index("x ") + 2 : -1]


def put_together(w: Writer, elements: Sequence[Ssa]) -> Ssa:
    """An LLVM vector of the elements."""
    type = vector_type(elements[0].type, len(elements))
    start = [e if e.is_constant else Ssa("poison", e.type) for e in elements]
    whole = Ssa(f"<{', '.join(map(str, start))}>", type)
    for i, element in enumerate(elements):
        if not element.is_constant:
            whole = w.pure(f"insertelement {whole}, {element}, i32 {i}", type)
    return whole


def take_apart(w: Writer, vector: Ssa, count: int) -> list[Ssa]:
    type = element_of(vector.type)
    return [w.pure(f"extractelement {vector}, i32 {i}", type) for i in range(count)]


def join(w: Writer, pieces: Sequence[Ssa], counts: Sequence[int]) -> list[Ssa]:
    """The elements of several vectors, in order."""
    return [e for piece, count in zip(pieces, counts, strict=True) for e in take_apart(w, piece, count)]


def poison(type: str) -> Ssa:
    return Ssa("poison", type)


def extract_at(w: Writer, vector: Ssa, position: Ssa) -> Ssa:
    return w.pure(f"extractelement {vector}, {position}", element_of(vector.type))


def insert_at(w: Writer, vector: Ssa, element: Ssa, position: Ssa) -> Ssa:
    return w.pure(f"insertelement {vector}, {element}, {position}", vector.type)


def lane(index: int) -> Ssa:
    return integer(index, "i32")
