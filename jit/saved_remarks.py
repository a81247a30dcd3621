"""Remarks in a compiled kernel's file: each place with its line of the program, whose text the file may be without."""

from __future__ import annotations

from typing import cast, get_args

from ..ir.remarks import Remark, RemarkKind
from ..support.diagnostics import Location, Source
from .json_fields import Fields

MOST_REMARKS = 1 << 10
_MOST_NOTES = 16
_LONGEST = 1 << 16
_LONGEST_NAME = 4096
_MOST_LINES = 1 << 24
_DEEPEST = 16
"""Callers of callers that are kept of a place."""


def stated(remark: Remark) -> dict[str, object]:
    """The fields of a remark."""
    return {
        "kind": remark.kind,
        "message": remark.message[:_LONGEST],
        "hint": remark.hint[:_LONGEST],
        "place": _stated_place(remark.location),
        "notes": [{"text": text[:_LONGEST], "place": _stated_place(at)} for text, at in remark.notes[:_MOST_NOTES]],
    }


def _stated_place(location: Location | None, depth: int = 0) -> dict[str, object] | None:
    if location is None:
        return None
    source = location.source
    line, column = source.position(location.offset)
    text = source.line(line)[: max(_LONGEST, column)]
    end = None if location.end is None else min(location.end - location.offset + column, len(text) + 1)
    return {
        "source": source.name[:_LONGEST_NAME],
        "line": line,
        "column": column,
        "end": None if end is None else max(column, end),
        "text": text,
        "function": location.function[:_LONGEST_NAME],
        "caller": None if depth == _DEEPEST else _stated_place(location.caller, depth + 1),
    }


def read_remark(fields: Fields) -> Remark:
    """Raises FieldError."""
    kind = cast("RemarkKind", fields.word("kind", get_args(RemarkKind)))
    notes = tuple(_read_note(note) for note in fields.children("notes", _MOST_NOTES))
    found = Remark(
        fields.text("message", _LONGEST), _read_place(fields), notes, fields.text("hint", _LONGEST), kind=kind
    )
    fields.done()
    return found


def _read_note(fields: Fields) -> tuple[str, Location | None]:
    found = fields.text("text", _LONGEST), _read_place(fields)
    fields.done()
    return found


def _read_place(fields: Fields, name: str = "place", depth: int = 0) -> Location | None:
    if fields.is_null(name) or depth > _DEEPEST:
        return None
    place = fields.child(name)
    text = place.text("text", _MOST_LINES)
    source = Source(text, place.text("source", _LONGEST_NAME), place.integer("line", 1, _MOST_LINES))
    column = place.integer("column", 1, len(text) + 1)
    end = None if place.is_null("end") else place.integer("end", column, len(text) + 1) - 1
    function, caller = place.text("function", _LONGEST_NAME), _read_place(place, "caller", depth + 1)
    place.done()
    return Location(source, column - 1, end, caller, function)
