"""Programs as modules: read from a text or a file, or there already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from ..ir.core import Operation
from ..ir.parser import parse_program
from ..ir.printer import print_program
from ..ir.verify import verify
from ..support.argument_checks import require
from ..support.diagnostics import Location, ProgramError, Source
from ..support.named_tuples import NamedTuple
from .program_text import MAX_BYTES, SourceError, text_of


class Verified(NamedTuple):
    """A module that its maker has verified, and that nobody changes any more: it is not verified again."""

    module: Operation


ProgramSource: TypeAlias = str | Path | Operation | Verified
"""Text, a file, or a module. A string of one line is the name of a file if it ends in `.mlir`, or has a slash but
neither blanks nor braces."""
_PRINTED = "<module>"
"""What a text is called that no file has."""


def parse(text: str, name: str = "<string>", files: Iterable[Source] = ()) -> Operation:
    """The verified module that a text is; `files` are those that are known of what its `loc(...)` name.

    Raises:
        ParseError: The text is no program.
        VerifyError: It breaks rules of its operations; every finding is in it.
    """
    require(text, str, "the text of a program")
    if len(text) > MAX_BYTES:
        raise SourceError(f"{name}: a program has at most {MAX_BYTES} characters, found {len(text)}")
    module = parse_program(text, name, files)
    verify(module)
    return module


def module_of(source: ProgramSource) -> Operation:
    """The verified module of any source."""
    if isinstance(source, Verified):
        return source.module
    if isinstance(source, Operation):
        verify(source)
        return source
    text = text_of(source)
    return parse(text.text, text.name)


class Pickled(NamedTuple):
    """A program that another process reads again, with the files where its operations stand."""

    text: Source
    files: tuple[Source, ...] = ()


def pickled(module: Operation) -> Pickled:
    """The text that a module was read from, or what is printed, with places, where text or places are others."""
    printed = print_program(module, locations=True)
    source = None if module.location is None else module.location.in_text.source
    if source is not None and _is_text_of(source, printed, locations=True):
        return Pickled(source)
    places = dict.fromkeys(op.location for op in module.walk())
    files = dict.fromkeys(at.source for place in places for at in _with_callers(place) if at.source.text)
    return Pickled(Source(printed, _PRINTED), tuple(files))


def _with_callers(place: Location | None) -> Iterator[Location]:
    while place is not None:
        yield place
        place = place.caller


def program_of(module: Operation) -> Source:
    """A module as text: the one that it was read from, comments and all, or what is printed where it has changed."""
    printed = print_program(module)
    source = None if module.location is None else module.location.in_text.source
    if source is not None and _is_text_of(source, printed):
        return source
    return Source(printed, _PRINTED)


def _is_text_of(source: Source, printed: str, *, locations: bool = False) -> bool:
    try:
        return print_program(parse_program(source.text, source.name), locations=locations) == printed
    except ProgramError:
        return False
