"""`Drawing`: one picture in three forms, as text, as SVG, and as a page of HTML that says what is under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from ..jit.write import write_file
from ..layout.owner_map import OwnerMap
from ..layout.owner_svg import LEGEND
from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..support.svg import Picture, below, document, paragraph
from .drawing_page import page

Form = Literal["text", "svg", "html"]
FORMS: tuple[Form, ...] = ("text", "svg", "html")
_LEAST_WIDTH = 560


class FormError(LanewiseError, ValueError):
    """A form of drawings that there is not."""


@dataclass(frozen=True, eq=False)
class Part:
    """What one value, or one instruction, is drawn as.

    Attributes:
        words: Above it.
        text: What is drawn in characters, made when it is asked for.
        picture: The same in pixels, by the prefix of the keys of its grids: number n of `maps` is `PREFIXn`.
        maps: The owner maps in it.
        legend: What colours and numbers mean.
    """

    words: str
    text: Callable[[], str]
    picture: Callable[[str], Picture]
    maps: Sequence[OwnerMap] = ()
    legend: str = LEGEND


class Drawing:
    """A drawing of owners of elements, of banks, or of fragments; `str` and notebooks show it.

    Attributes:
        title: What it is of.
        parts: Its pieces, from above.
    """

    def __init__(self, title: str, parts: Sequence[Part]) -> None:
        self.title, self.parts = title, tuple(parts)

    @cached_property
    def text(self) -> str:
        """In characters, for terminals."""
        return "\n".join(f"{part.words}\n{part.text()}" for part in self.parts)

    @cached_property
    def svg(self) -> str:
        """A whole SVG file."""
        return document(self._picture(), self.title)

    @cached_property
    def html(self) -> str:
        """A whole page, which loads nothing: it says of the element under the mouse who holds it."""
        return page(self.title, document(self._picture(), self.title), self._maps())

    def save(self, path: str | Path) -> None:
        """Writes a file, in the form that its name says: `.svg`, `.html` or `.txt`. Raises OutputError, FormError."""
        write_file(path, self.form(form_of(path)))

    def form(self, form: Form) -> str:
        """The text of one form."""
        forms: Mapping[Form, Callable[[], str]] = {
            "text": lambda: self.text,
            "svg": lambda: self.svg,
            "html": lambda: self.html,
        }
        return forms[form]()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<drawing of {self.title}: .text, .svg, .html, .save(path)>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _picture(self) -> Picture:
        pieces: list[Picture] = []
        for number, part in enumerate(self.parts):
            picture = part.picture(f"m{number}-")
            width = max(picture.width, _LEAST_WIDTH)
            pieces += [*([paragraph(part.words, width, 12)] if part.words else []), picture]
            following = self.parts[number + 1 : number + 2]
            if not following or following[0].legend != part.legend:
                pieces.append(paragraph(part.legend, width, 10))
        return below(pieces, 12)

    def _maps(self) -> dict[str, OwnerMap]:
        """The owner maps by the keys of their grids."""
        return {
            f"m{number}-{place}": owners
            for number, part in enumerate(self.parts)
            for place, owners in enumerate(part.maps)
        }


_ENDINGS: Mapping[str, Form] = {".svg": "svg", ".html": "html", ".htm": "html", ".txt": "text"}


def form_of(path: str | Path) -> Form:
    """The form that a file's name says. Raises FormError."""
    form = _ENDINGS.get(Path(path).suffix.lower())
    if form is None:
        raise FormError(f"{path}: a drawing's file ends in {', '.join(_ENDINGS)}")
    return form
