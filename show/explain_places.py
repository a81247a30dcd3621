"""Where operations stand in the program as written, and in which order."""

from __future__ import annotations

from ..ir.core import Operation
from ..support.diagnostics import Location
from .explanation_parts import Place

_NOWHERE = Place("", 0, 0, "")


def written_by(op: Operation) -> Operation:
    """The operation of the program that it became of. What is made for no other one, and nobody wrote, is itself."""
    return op.written


def place_of(op: Operation) -> Place:
    """All zero where the program does not say."""
    at = op.written.location
    if at is None or not at.source.text:
        return _NOWHERE if at is None else Place(at.source.name, *at.source.position(at.offset), "")
    line, column = at.source.position(at.offset)
    callers = tuple(caller.source.position(caller.offset)[0] for caller in _callers(at))
    return Place(at.source.name, line, column, at.source.line(line).strip(), callers)


def _callers(location: Location) -> list[Location]:
    found: list[Location] = []
    at = location.caller
    while at is not None:
        found.append(at)
        at = at.caller
    return found


def line_of(op: Operation) -> int:
    return place_of(op).line


def order_of(op: Operation) -> tuple[tuple[int, int], ...]:
    """Where it is called, if it stands in a function that was written out, then its place there."""
    at = op.written.location
    if at is None:
        return ()
    return tuple(p.source.position(p.offset) for p in (*reversed(_callers(at)), at))
