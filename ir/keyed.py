"""Lists whose entries have names, each of which stands once: `<name = value, ..>` and `name(value) name(value)`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from .reader import TokenReader

Found = TypeVar("Found")


def equated(reader: TokenReader, names: Iterable[str], read: Callable[[str], Found]) -> dict[str, Found]:
    """`<name = value, ..>` in any order; `read` reads the value of a name. Raises ParseError for a name that is none of
    `names`, or is given twice."""
    known, found = list(names), dict[str, Found]()

    def entry() -> None:
        name = next_name(reader, known, found)
        reader.expect("=")
        found[name] = read(name)

    reader.expect("<")
    reader.comma_separated(">", entry)
    return found


def bracketed(
    reader: TokenReader, names: Collection[str], read: Callable[[str], Found], bare: Collection[str] = ()
) -> dict[str, Found]:
    """`name(value) name(value)` in any order, as long as one of `names` comes; those that are `bare` have no brackets.
    Raises ParseError for a name that is given twice."""
    found: dict[str, Found] = {}
    while reader.token.text in names:
        name = next_name(reader, (), found)
        if name in bare:
            found[name] = read(name)
            continue
        reader.expect("(")
        found[name] = read(name)
        reader.expect(")")
    return found


def next_name(reader: TokenReader, names: Iterable[str], found: Collection[str]) -> str:
    """One of `names`, of any where there are none. Raises ParseError for one that has been `found` already."""
    place = reader.token.start
    name = reader.keyword(list(names))
    if name in found:
        raise reader.error(f"'{name}' is given twice", place)
    return name
