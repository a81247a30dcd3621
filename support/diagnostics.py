"""Where something stands in a program's text, what is wrong there, and the errors that carry it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal, TypeAlias

from .dataclasses import dataclass, field
from .named_tuples import NamedTuple
from .patterns import regex

_LINE_END = regex("\n")


@dataclass(frozen=True, eq=False)
class Source:
    """One text handed to the parser, with the name that messages give it; its first line has the number `first`."""

    text: str = field(repr=False)
    name: str = "<string>"
    first: int = 1

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line + self.first - 1, offset - self._starts[line - 1] + 1

    def has(self, line: int, column: int) -> bool:
        """Whether there is such a place, both counted from 1; a column may be one behind its line's last."""
        return 0 <= line - self.first < len(self._starts) and 1 <= column <= len(self.line(line)) + 1

    def offset(self, line: int, column: int) -> int:
        """Where line and column stand in the text, which `has` them."""
        assert self.has(line, column), f"{self.name} has no line {line} with a column {column}"
        return self._starts[line - self.first] + column - 1

    def line(self, number: int) -> str:
        row = number - self.first
        assert 0 <= row < len(self._starts), f"{self.name} has no line {number}"
        end = self._starts[row + 1] - 1 if row + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[row] : end]

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self._starts)


class Location(NamedTuple):
    """A place in a source.

    Attributes:
        source: Its text.
        offset: Characters from its start.
        end: Behind the last character of what stands there, where that is known.
        caller: Where the function was called in whose text this is, a helper that was written out there.
        function: The name of the function that it stands in, where that is known.
        also: Where else in the program there is what became one with this.
        stated: What says so, where it was read of a program's text; then the source may be known by its name alone.
    """

    source: Source
    offset: int
    end: int | None = None
    caller: Location | None = None
    function: str = ""
    also: tuple[Location, ...] = ()
    stated: Stated | None = None

    @property
    def in_text(self) -> Location:
        """Where the text stands that was read: this place, or what states it."""
        return self if self.stated is None else self.stated.place

    def joined(self, other: Location) -> Location:
        """This place, and that of the same there, once."""
        known = (self, *self.also)
        if any((at.source, at.offset, at.caller) == (other.source, other.offset, other.caller) for at in known):
            return self
        return self._replace(also=(*self.also, other._replace(also=()), *other.also))

    def __str__(self) -> str:
        line, column = self.source.position(self.offset)
        return f"{self.source.name}:{line}:{column}"


class Stated(NamedTuple):
    """The words of a program's text that state a place, those within `loc(...)`, and where what has them stands."""

    words: str
    place: Location


Fault: TypeAlias = Literal["bounds", "race", "contents", "meeting"]
"""bounds: an access of what is not there; race: accesses that nothing orders; contents: a read of what nobody wrote;
meeting: not all come who have to meet."""


class About(NamedTuple):
    """What a finding is about, for programs that ask.

    Attributes:
        fault: Its kind.
        memory: What the memory is called that takes part; empty where none does.
    """

    fault: Fault
    memory: str = ""


@dataclass(frozen=True)
class Diagnostic:
    """One finding: a message, the place it is about, further places as notes, and what to try.

    Attributes:
        about: What kind of finding it is, where it is one of those.
    """

    severity: ClassVar[str] = "error"

    message: str
    location: Location | None = None
    notes: tuple[tuple[str, Location | None], ...] = ()
    hint: str = ""
    about: About | None = None

    def render(self) -> str:
        lines = [located(self.location, self.severity, self.message)]
        lines += [located(location, "note", text) for text, location in (*further(self.location), *self.notes)]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


def further(location: Location | None) -> list[tuple[str, Location]]:
    """Notes of what else there is to see of a place: who called the function in which it is, where there is the same,
    and the text that was read where its own is not known."""
    if location is None:
        return []
    callers, at = list[tuple[str, Location]](), location.caller
    while at is not None:
        callers.append(("called here", at))
        at = at.caller
    is_hidden = location.stated is not None and not location.source.text
    same = [("also at", at) for at in location.also]
    return [*callers, *same, *([("read here", location.in_text)] if is_hidden else [])]


LINE_SHOWN = 400
"""Characters of a source line in a message; of a longer line, the part around the place."""


def located(location: Location | None, severity: str, message: str, behind: str = "") -> str:
    """A message with its place, the line that stands there and carets below what it is about, of several lines the
    first; `behind` ends the message's first line."""
    if location is None:
        return f"{severity}: {message}{behind}"
    if not location.source.text:
        return f"{location}: {severity}: {message}{behind}"
    line, column = location.source.position(location.offset)
    text = location.source.line(line).replace("\t", " ").rstrip()
    start = max(0, column - 1 - LINE_SHOWN // 2) if len(text) > LINE_SHOWN else 0
    shown, before = text[start : start + LINE_SHOWN], column - 1 - start
    length = 1 if location.end is None else location.end - location.offset
    carets = " " * before + "^" * max(1, min(length, len(shown) - before))
    return f"{location}: {severity}: {message}{behind}\n  {shown}\n  {carets}"


def reduced(error: Exception) -> tuple[object, ...]:
    """How an error is pickled: as what it is, whatever its constructor takes."""
    return _remade, (type(error), error.args, dict(error.__dict__))


def _remade(kind: type[Exception], arguments: tuple[object, ...], attributes: dict[str, object]) -> Exception:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class LanewiseError(Exception):
    """Base of every error about a user's input; it can be pickled, so it crosses processes."""

    def __reduce__(self) -> tuple[object, ...]:
        return reduced(self)


class ProgramError(LanewiseError):
    """A program is wrong; `diagnostics` says what and where."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.render() for d in self.diagnostics))


class ParseError(ProgramError):
    """The text is not a program."""


class VerifyError(ProgramError):
    """The program breaks a rule of an operation or of its stage."""


class CompileError(ProgramError):
    """A right program cannot be compiled for the target: the message says which operation and why."""


@dataclass
class Report:
    """Collects findings, so that one run shows them all."""

    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def error(
        self,
        message: str,
        location: Location | None = None,
        notes: Sequence[tuple[str, Location | None]] = (),
        hint: str = "",
    ) -> None:
        """What is found twice in a row, of copies that passes made of one operation, is said once."""
        found = Diagnostic(message, location, tuple(notes), hint)
        if self.diagnostics[-1:] != [found]:
            self.diagnostics.append(found)
