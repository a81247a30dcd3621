"""Where an entry of an attribute stands in the text: attributes keep no places, so the text is searched."""

from __future__ import annotations

import re

from ..support.diagnostics import Location
from ..support.patterns import regex
from .core import Operation

_COMMENT = regex("//.*")


def entry_place(op: Operation, pattern: str) -> Location | None:
    """Where the text of an operation, up to the next one, has what matches; else where the whole text has it, if it
    stands there once (an alias may hold it); else the operation."""
    if op.location is None:
        return None
    where = op.location.in_text
    text = _COMMENT.sub(lambda comment: " " * len(comment[0]), where.source.text)
    found = [match.start() for match in re.finditer(rf"(?<![\w.$]){pattern}", text)]
    own = [start for start in found if where.offset <= start < _end(op, where)]
    if own or len(found) == 1:
        return Location(where.source, (own or found)[0])
    return op.location


def _end(op: Operation, where: Location) -> int:
    """Where the next operation begins that its author wrote: one inside, or behind it."""
    inside = [inner.location.in_text.offset for inner in op.walk() if inner.location is not None]
    block = op.parent
    behind = [] if block is None else [o.location.in_text.offset for o in block.operations if o.location is not None]
    return min((offset for offset in (*inside, *behind) if offset > where.offset), default=len(where.source.text))
