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


def stated(remark: Remark) -> dict[str, object]:
    """The fields of a remark."""
    return {
        "kind": remark.kind,
        "message": remark.message[:_LONGEST],
        "hint": remark.hint[:_LONGEST],
        "place": _stated_place(remark.location),
        "notes": [{"text": text[:_LONGEST], "place": _stated_place(at)} for text, at in remark.notes[:_MOST_NOTES]],
    }


def _stated_place(location: Location | None) -> dict[str, object] | None:
    if location is None:
        return None
    source = location.source
    line, column = source.position(location.offset)
    text = source.line(line)[: max(_LONGEST, column)]
    return {"source": source.name[:_LONGEST_NAME], "line": line, "column": column, "text": text}


def read_remark(fields: Fields) -> Remark:
    """Raises FieldError."""
    kind = cast("RemarkKind", fields.word("kind", get_args(RemarkKind)))
    notes = tuple(_read_note(note) for note in fields.children("notes", _MOST_NOTES))
    found = Remark(fields.text("message", _LONGEST), _read_place(fields), notes, fields.text("hint", _LONGEST), kind)
    fields.done()
    return found


def _read_note(fields: Fields) -> tuple[str, Location | None]:
    found = fields.text("text", _LONGEST), _read_place(fields)
    fields.done()
    return found


def _read_place(fields: Fields) -> Location | None:
    if fields.is_null("place"):
        return None
    place = fields.child("place")
    text = place.text("text", _MOST_LINES)
    source = Source(text, place.text("source", _LONGEST_NAME), place.integer("line", 1, _MOST_LINES))
    found = Location(source, place.integer("column", 1, len(text) + 1) - 1)
    place.done()
    return found
