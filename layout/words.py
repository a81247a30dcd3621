"""A nested layout in words: `2 subgroups x 4 batches x 8 threads/4 x 4 elements` is one dimension, slowest level first.

The number behind a slash is how many neighbours in the order of threads (of subgroups) share a place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .dimension import LEVEL_WORDS, Dimension, LayoutError, Level
from .nested import NestedLayout

_LEVELS: Mapping[str, Level] = {
    **{word: level for level, word in LEVEL_WORDS.items()},
    **{level.name.lower(): level for level in LEVEL_WORDS},
}
_DISTRIBUTED = {Level.SUBGROUP: "subgroup_stride", Level.THREAD: "thread_stride"}
_TERM = re.compile(r"(\d+)\s+([a-z]+)(?:\s*/\s*(\d+))?")
_NUMBERED = re.compile(r"dimension \d+: *([^;]*)")


def layout_of_words(dimensions: Sequence[str]) -> NestedLayout:
    """The layout of words, a text for each dimension, or one line that `describe` prints.

    A level that is left out is 1. Where strides of threads are left out, threads count along the last dimension first,
    then along the one before it; subgroups alike.

    Raises:
        LayoutError: A text says no dimension.
    """
    texts = list(dimensions)
    if len(texts) == 1 and (of_line := _of_line(texts[0])) is not None:
        texts = of_line
    strides = dict.fromkeys(_DISTRIBUTED, 1)
    parts: list[Dimension] = []
    for text in reversed(texts):
        part = _dimension(text, strides)
        for level in _DISTRIBUTED:
            strides[level] *= part.tiles[level]
        parts.append(part)
    return NestedLayout.of_dimensions(reversed(parts))


def _of_line(text: str) -> list[str] | None:
    """The dimensions in a line of `describe`; None where it is none."""
    if " threads in subgroups of " not in text:
        return None
    return [found.strip() for found in _NUMBERED.findall(text)]


def _dimension(text: str, strides: Mapping[Level, int]) -> Dimension:
    tiles, given = dict.fromkeys(Level, 1), dict.fromkeys(_DISTRIBUTED.values(), 0)
    terms = [] if text.strip() == "1" else re.split(r"\s+x\s+", text.strip())
    last = -1
    for term in terms:
        found = _TERM.fullmatch(term)
        level = None if found is None else _LEVELS.get(found[2])
        if found is None or level is None:
            expected = f"a number of {', '.join(LEVEL_WORDS.values())}, as '8 threads/4'"
            raise LayoutError(f"a dimension of a layout is {expected}, with ' x ' between; found {term!r} in {text!r}")
        if level <= last:
            order = ", ".join(LEVEL_WORDS.values())
            raise LayoutError(f"levels of a dimension come once and in the order {order}; found {text!r}")
        if found[3] is not None and level not in _DISTRIBUTED:
            raise LayoutError(f"subgroups and threads have strides, {LEVEL_WORDS[level]} have none; found {term!r}")
        last, tiles[level] = level, int(found[1])
        if level in _DISTRIBUTED:
            given[_DISTRIBUTED[level]] = strides[level] if found[3] is None else int(found[3])
    return Dimension(*tiles.values(), **given)
