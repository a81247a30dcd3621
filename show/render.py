"""The page: texts beside each other as HTML, and what its script reads."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template
from typing import TypeAlias

from ..support.named_tuples import NamedTuple
from ..support.patterns import regex
from .colour import Painter, Piece
from .layouts_shown import LayoutsShown
from .line_counts import LineCount, Lines
from .links import Chain, Language, Text
from .sources import SOURCE, Span

_LAYOUT = regex(r"lanewise\.layout = (#\w+|\[[^\]]*\])")
_NAME = regex(r"#\w+")
_ALIASES = regex(r"[#!]\w+ = ")
_CONSTANT = regex(r"\s*%\w+ = arith\.constant (?!\{|dense)")
_FEWEST_FOLDED = 3
_LINES_AROUND = 6
_HOT = 0.15
"""The part of all instructions from which on a line is as warm as can be."""


class Fact(NamedTuple):
    """`number` of what: shown in the head of the page."""

    number: str
    of: str


class Head(NamedTuple):
    """What the page says besides its texts.

    Attributes:
        name, target: What the page is of.
        facts: In the first line.
        about: HTML below: what bounds it, remarks, what is missing.
    """

    name: str
    target: str
    facts: Sequence[Fact]
    about: str


Said: TypeAlias = Mapping[int, Sequence[Sequence[str]]]
"""What became of the operations that stand in a part of the source, each in sentences."""


def page(head: Head, chain: Chain, layouts: LayoutsShown, counts: Mapping[str, Lines], said: Said) -> str:
    """One file of HTML that needs no other."""
    for text in chain.texts:  # before any line is written: badges are of all layouts together
        layouts.aliases(text.lines)
    painters: dict[Language, Painter] = {}
    panes = "\n".join(_pane(text, layouts, counts.get(text.key, {}), painters) for text in chain.texts)
    return Template(_asset("page.html")).substitute(
        title=escape(f"{head.name} for {head.target}"),
        name=f"{escape(head.name)} <small>{escape(head.target)}</small>",
        facts="".join(f"<span><b>{escape(fact.number)}</b> {escape(fact.of)}</span>" for fact in head.facts),
        tabs="".join(_tab(text) for text in chain.texts),
        about=head.about,
        packed=_packed(f"{panes}<!-- rest -->{''.join(_rest(chain, layouts, said))}"),
        style=_asset("page.css"),
        script=f"{_asset('unpack.js')}function start() {{\n{_asset('page.js')}{_asset('owners.js')}begin();\n}}",
    )


def _packed(html: str) -> str:
    """Programs behind passes are much alike, and so are the cells of drawings: it is a tenth."""
    return b64encode(zlib.compress(html.encode(), 9)).decode()


def _rest(chain: Chain, layouts: LayoutsShown, said: Said) -> Iterator[str]:
    """The drawings, and what the script knows of all."""
    yield from (
        f'<template id="map-{number}">{drawing}</template>' for number, drawing in enumerate(layouts.drawings())
    )
    data = json.dumps(_data(chain, layouts, said), separators=(",", ":")).replace("</", "<\\/")
    yield f'<script type="application/json" id="data">{data}</script>'


def _asset(name: str) -> str:
    assert __package__ is not None
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _data(chain: Chain, layouts: LayoutsShown, said: Said) -> Mapping[str, object]:
    """What the lines of each text come from, a number, several, or -1 for nothing; drawings; what is shown at first."""
    machine = [text for text in chain.texts if text.instructions]
    programs = [text for text in chain.texts if text.language == "mlir" and text.key != SOURCE]
    chosen = next((text for text in reversed(programs) if text.stage == "layout"), programs[-1])
    narrow = [SOURCE, chosen.key, machine[-1].key]
    wide = [SOURCE, chosen.key, programs[-1].key, *(text.key for text in machine)]
    return {
        "texts": [{"key": t.key, "parent": t.parent, "up": [_up(numbers) for numbers in t.up]} for t in chain.texts],
        "parts": [[span.line for span in spans] for spans in chain.text(SOURCE).spans],
        "said": said,
        "maps": list(layouts.maps()),
        "show": {"narrow": narrow, "wide": list(dict.fromkeys(wide))},
    }


def _up(numbers: Sequence[int]) -> int | Sequence[int]:
    if not numbers:
        return -1
    return numbers[0] if len(numbers) == 1 else numbers


def _tab(text: Text) -> str:
    about = escape(text.about, quote=True)
    return f'<button aria-controls="pane-{text.key}" aria-pressed="false" title="{about}">{escape(text.title)}</button>'


def _pane(text: Text, layouts: LayoutsShown, counts: Lines, painters: dict[Language, Painter]) -> str:
    painter = painters.setdefault(text.language, Painter(text.language))
    lines = _Lines(text, layouts, counts, painter)
    badges = 23 * lines.most_layouts
    columns = lines.columns
    gutter = 36 + 31 * columns + badges
    title = f"<h2>{escape(text.title)} <small>{len(text.lines)} lines, {escape(text.about)}</small></h2>"
    code = f'<div class="code" style="--gutter:{gutter}px;--badges:{badges}px">{"".join(lines.html())}</div>'
    return f'<section id="pane-{text.key}" tabindex="0" hidden>{title}{code}<div class="strip"></div></section>'


class _Lines:
    """The lines of one text."""

    def __init__(self, text: Text, layouts: LayoutsShown, counts: Lines, painter: Painter) -> None:
        self._text, self._layouts, self._counts = text, layouts, counts
        self._pieces = painter.pieces(text.lines)
        self._aliases = layouts.aliases(text.lines) if text.language == "mlir" else {}
        self._held = [self._held_in(line) if self._aliases else () for line in text.lines]
        self._all = sum(count.executed for count in counts.values()) or 1
        self._parts: dict[int, list[tuple[Span, int]]] = {}
        for number, spans in enumerate(text.spans):
            for span in spans:
                self._parts.setdefault(span.line, []).append((span, number))

    @property
    def columns(self) -> int:
        """How many counts a line has."""
        counts = self._counts.values()
        return 3 if any(c.conflicts for c in counts) else 2 if any(c.sectors for c in counts) else bool(counts)

    @property
    def most_layouts(self) -> int:
        """How many layouts one line has."""
        return max(map(len, self._held), default=0)

    def _held_in(self, line: str) -> tuple[int, ...]:
        """The layouts of what an operation gives."""
        found = _LAYOUT.search(line)
        names = _NAME.findall(found[1]) if found else ()
        return tuple(self._aliases[name] for name in names if name in self._aliases)[:3]

    def html(self) -> Iterator[str]:
        """With what says little folded away."""
        for words, group in groupby(range(len(self._text.lines)), self._fold):
            rows = list(group)
            shown = "".join(map(self._line, rows))
            is_folded = words and len(rows) >= _FEWEST_FOLDED
            yield f"<details><summary>{len(rows)} {words}</summary>{shown}</details>" if is_folded else shown

    def _fold(self, row: int) -> str:
        line = self._text.lines[row]
        if self._text.instructions and self._text.language == "amdgcn" and row > self._text.instructions[-1]:
            return "lines of metadata"
        if self._text.spans and all(abs(row - used) > _LINES_AROUND for used in self._parts):
            return "other lines of the file"
        if self._text.language != "mlir" or self._text.key == SOURCE:
            return ""
        return "names for layouts and maps" if _ALIASES.match(line) else "constants" if _CONSTANT.match(line) else ""

    def _line(self, row: int) -> str:
        numbers = self._text.numbers
        number = numbers[row] if numbers else row + 1
        if number is None:
            return f'<p class="file">{escape(self._text.lines[row], quote=False)}</p>'
        count = self._counts.get(row)
        said = "" if count is None else f' data-c="{escape(count.words, quote=True)}"'
        before = "" if count is None else _gutter(count, count.executed / self._all)
        return f'<p data-n="{number}"{said}>{before}{self._body(row)}</p>'

    def _body(self, row: int) -> str:
        text, pieces = self._text.lines[row], self._pieces[row]
        front = "".join(map(self._badge, self._held[row]))
        front = f'<span class="front">{front}</span>' if front else ""
        if row in self._parts:
            return front + "".join(_in_parts(text, pieces, self._parts[row]))
        found, at = [front], 0
        for first, last, tag in pieces:
            found.append(escape(text[at:first], quote=False))
            word = text[first:last]
            is_layout = tag == "em" and word in self._aliases and not _ALIASES.match(text)
            plain = escape(word, quote=False)
            found.append(self._badge(self._aliases[word]) if is_layout else f"<{tag}>{plain}</{tag}>")
            at = last
        found.append(escape(text[at:], quote=False))
        return "".join(found)

    def _badge(self, number: int) -> str:
        layouts = self._layouts
        title = escape(layouts.words[number], quote=True)
        return (
            f'<span class="layout" data-m="{number}" style="--hue:{layouts.hue(number)}" title="{title}">'
            f"{layouts.badges[number]}</span>"
        )


def _gutter(count: LineCount, share: float) -> str:
    """Executed, sectors, conflicts; the first is the warmer, the more of all instructions there are."""
    warmth = min(1.0, share / _HOT)
    rest = "".join(f"<span>{_short(n) if n else ''}</span>" for n in (count.sectors, count.conflicts))
    return f'<small><span style="--h:{warmth:.2f}">{_short(count.executed)}</span>{rest}</small>'


def _short(number: int) -> str:
    """Such as 950, 1.2k, 35M."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return (f"{number / size:.0f}" if number >= 10 * size else f"{number / size:.1f}".removesuffix(".0")) + unit
    return str(number)


def _in_parts(text: str, pieces: Sequence[Piece], parts: Iterable[tuple[Span, int]]) -> Iterator[str]:
    """A line of the source: each character is of the innermost part around it."""
    owner: list[int | None] = [None] * len(text)
    for span, number in sorted(parts, key=lambda entry: (entry[0].first, -entry[0].last)):
        owner[span.first : span.last] = [number] * (min(span.last, len(text)) - span.first)
    tags = [""] * len(text)
    for first, last, tag in pieces:
        tags[first:last] = [tag] * (last - first)
    for number, group in groupby(range(len(text)), lambda at: owner[at]):
        inside = ""
        for tag, places in groupby(group, lambda at: tags[at]):
            word = escape("".join(text[at] for at in places), quote=False)
            inside += f"<{tag}>{word}</{tag}>" if tag else word
        yield inside if number is None else f'<a data-u="{number}">{inside}</a>'
