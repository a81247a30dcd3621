"""Which line of the program a line of machine text comes from."""

from __future__ import annotations

import re

from ..codegen.pipeline import Compilation

_NO_INSTRUCTION = re.compile(r"\s*(?:[.(){}]|//|;|[\w$.]+:\s*(?:[;/].*)?$|$)")
_PLACE = re.compile(r"\s*\.loc\s+\d+\s+(\d+)\s+(\d+)")


def origin_of(compilation: Compilation, line: int) -> str | None:
    """File, line, column and text of what line `line` (from 1) of the machine text was compiled from.

    None where that is not known: the text is no instruction, or stands for the kernel as a whole. The text with lines
    has the same instructions, so the place is that of the instruction of the same number.
    """
    location = compilation.kernel.op.location
    before = compilation.artifacts.assembly.split("\n")[:line]
    if location is None or _NO_INSTRUCTION.match(before[-1]):
        return None
    number = sum(_NO_INSTRUCTION.match(text) is None for text in before)
    place = _place(compilation.artifacts_with_lines.assembly, number)
    if place is None:
        return None
    row, column = place
    return f"{location.source.name}:{row}:{column}: {location.source.line(row).strip()}"


def _place(text: str, number: int) -> tuple[int, int] | None:
    """Line and column that the instruction `number`, from 1, is marked with."""
    place: tuple[int, int] | None = None
    for line in text.split("\n"):
        if found := _PLACE.match(line):
            place = int(found[1]), int(found[2])
        elif _NO_INSTRUCTION.match(line) is None:
            number -= 1
            if number == 0:
                return place if place and all(place) else None
    return None
