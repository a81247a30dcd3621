"""How a filetest is read: its commands, its sections, and the operations of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SEPARATOR = re.compile(r"^// -----[ \t]*\n", re.MULTILINE)
COMMAND = re.compile(r"^// test (\w+)(.*)$", re.MULTILINE)
EXPECTED = re.compile(r"// expected-error(?:@([+-]\d+))? \{\{(.*?)\}\}")
_NAME = re.compile(r"(?<![\w.$#!@%])\"?([a-z_]+\.[a-z_0-9.]+)\"?(?![\w$])")


@dataclass(frozen=True)
class Section:
    """One program of a file: its number, how many lines stand before it, and its text below as many empty lines."""

    number: int
    line: int
    text: str


def commands(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a file, with their options."""
    return [(m[1], m[2].split()) for m in COMMAND.finditer(text)]


def sections(text: str) -> Iterator[Section]:
    start = 0
    for number, end in enumerate([*(m.start() for m in SEPARATOR.finditer(text)), len(text)]):
        line = text.count("\n", 0, start)
        yield Section(number, line, "\n" * line + text[start:end])
        start = end


def operations(section: str) -> dict[str, set[int]]:
    """What is spelled as operations are in a program, and its rows."""
    rows: dict[str, set[int]] = {}
    for number, line in enumerate(section.splitlines()):
        for match in _NAME.finditer(line.partition("//")[0]):
            rows.setdefault(match[1], set()).add(number)
    return rows
