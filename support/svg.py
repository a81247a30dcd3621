"""Pictures as SVG text: elements, pieces that know their size, pieces side by side, and the document around them.

The same picture is the same bytes. Colours are legible on light and on dark ground alike: words are of a grey between
the two, fills are light, with dark words on them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from .named_tuples import NamedTuple

FILLS = ("#77aadd", "#ee8866", "#99ddff", "#eedd88", "#ffaabb", "#aaaa00", "#44bb99", "#bbcc33")
"""Light fills that stay apart where red and green look alike (Paul Tol's "light" scheme, which is made for dark words
on it), in the order in which those that follow one another differ most."""
ALIKE = {4: 6, 6: 4, 5: 7, 7: 5}
"""Fills that differ less than others for those who lack a kind of cone, by number."""
NOBODY = "#dddddd"
"""The fill of what has no colour of its own."""
INK, WORDS = "#1a1a1a", "#767676"
"""The colour of words and lines on a fill, and that of words beside it, on light or on dark ground."""
LEAST_TEXT = 7.0
"""Words lower than so many pixels are left out: nobody reads them."""

_CHARACTER = 0.61
"""The width of a character of the fonts below, in their heights."""
_STYLE = (
    "text{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    f".w{{fill:{WORDS}}}.i{{fill:{INK}}}.b{{font-weight:bold}}"
    + "".join(f".f{number}{{fill:{colour}}}" for number, colour in enumerate(FILLS))
    + f".n{{fill:{NOBODY}}}.l{{stroke:{INK};fill:none}}"
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


class Picture(NamedTuple):
    """A piece of a drawing: pixels across and down, and the elements in it, from (0, 0) on."""

    width: float
    height: float
    body: str


def escaped(text: str) -> str:
    """Text that may stand in an element or between quotes; characters that XML has not become U+FFFD."""
    return re.sub('[&<>"]', lambda found: _SPECIAL[found[0]], _NOT_XML.sub("\ufffd", text))


def number(value: float) -> str:
    """The shortest text of a length, to a hundredth of a pixel."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text_width(text: str, size: float) -> float:
    """About how wide a line of text is."""
    return len(text) * size * _CHARACTER


def text(words: str, x: float, y: float, size: float, kind: str = "w", anchor: str = "start") -> str:
    """One line of text with its base line at y. `kind`: classes of the style, `w` beside fills, `i` on them."""
    place = f' x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{kind}"{place}{where}>{escaped(words)}</text>'


def paragraph(words: str, width: float, size: float = 11, kind: str = "w") -> Picture:
    """Text in lines that are no wider than `width`."""
    across = max(16, int(width / (size * _CHARACTER)))
    lines = [line for part in words.split("\n") for line in textwrap.wrap(part, across, break_long_words=True) or [""]]
    step = size * 1.4
    body = "".join(text(line, 0, step * (place + 1) - 0.4 * size, size, kind) for place, line in enumerate(lines))
    return Picture(max(text_width(line, size) for line in lines), step * len(lines), body)


def shifted(picture: Picture, x: float, y: float) -> str:
    """The elements of a picture, moved."""
    if not (x or y):
        return picture.body
    return f'<g transform="translate({number(x)} {number(y)})">{picture.body}</g>'


def beside(pictures: Sequence[Picture], gap: float = 24) -> Picture:
    """Pictures next to each other, their upper edges in a line."""
    x, parts = 0.0, list[str]()
    for picture in pictures:
        parts.append(shifted(picture, x, 0))
        x += picture.width + gap
    return Picture(max(x - gap, 0), max((p.height for p in pictures), default=0), "".join(parts))


def below(pictures: Sequence[Picture], gap: float = 10) -> Picture:
    """Pictures below each other, their left edges in a line."""
    y, parts = 0.0, list[str]()
    for picture in pictures:
        parts.append(shifted(picture, 0, y))
        y += picture.height + gap
    return Picture(max((p.width for p in pictures), default=0), max(y - gap, 0), "".join(parts))


def flowing(pictures: Sequence[Picture], width: float, gap: float = 24) -> Picture:
    """Pictures next to each other, as many as `width` has room for, then the next row of them."""
    rows: list[list[Picture]] = [[]]
    for picture in pictures:
        if rows[-1] and sum(p.width + gap for p in rows[-1]) + picture.width > width:
            rows.append([])
        rows[-1].append(picture)
    return below([beside(row, gap) for row in rows], gap)


def document(picture: Picture, title: str, margin: float = 12) -> str:
    """A whole file of SVG. `title`: what screen readers say of it."""
    width, height = number(picture.width + 2 * margin), number(picture.height + 2 * margin)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img"><title>{escaped(title)}</title><style>{_STYLE}</style>{shifted(picture, margin, margin)}</svg>\n'
    )
