"""Places of operations as MLIR text, `loc(...)`."""

from __future__ import annotations

from ..support.diagnostics import Location
from .attributes import quote


def location_text(location: Location) -> str:
    """What `LocationParser` reads: the words of the text that it was read of, else file, line and column, up to where
    the end is known, the name of the function and who called it; of the same in several places all of them."""
    return f"loc({_words(location)})"


def _words(location: Location) -> str:
    if location.stated is not None:
        return location.stated.words
    if location.also:
        return f"fused[{', '.join(map(_words, (location._replace(also=()), *location.also)))}]"
    source = location.source
    line, column = source.position(location.offset)
    words = f"{quote(source.name)}:{line}:{column}"
    if location.end is not None and location.end > location.offset:
        last, end = source.position(location.end)
        words += f" to {'' if last == line else last}:{end}"
    if location.function:
        words = f"{quote(location.function)}({words})"
    return words if location.caller is None else f"callsite({words} at {_words(location.caller)})"
