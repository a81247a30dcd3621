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
    """An LLVM vector of the elements; if they are those of a vector, in order, that vector."""
    type = vector_type(elements[0].type, len(elements))
    source = _source(w, elements)
    if source is not None and source.type == type:
        return source
    start = [e if e.is_constant else Ssa("poison", e.type) for e in elements]
    whole = Ssa(f"<{', '.join(map(str, start))}>", type)
    for i, element in enumerate(elements):
        if not element.is_constant:
            whole = w.pure(f"insertelement {whole}, {element}, i32 {i}", type)
    return whole


def _source(w: Writer, elements: Sequence[Ssa]) -> Ssa | None:
    """The vector whose elements 0, 1, ... these are."""
    found: Ssa | None = None
    for i, element in enumerate(elements):
        definition = w.definition(element)
        if definition is None or definition.opcode != "extractelement":
            return None
        vector, index = definition.operands
        if index.number != i or (found is not None and vector != found):
            return None
        found = vector
    return found


def take_apart(w: Writer, vector: Ssa, count: int) -> list[Ssa]:
    type = element_of(vector.type)
    return [w.extract(vector, integer(i, "i32"), type) for i in range(count)]


def extract_at(w: Writer, vector: Ssa, position: Ssa) -> Ssa:
    return w.extract(vector, position, element_of(vector.type))


def insert_at(w: Writer, vector: Ssa, element: Ssa, position: Ssa) -> Ssa:
    return w.pure(f"insertelement {vector}, {element}, {position}", vector.type)
