"""Values of options, as they are written on a command line. No layer is imported."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable

DATA = ("written", "exact", "index", "special")
_PYTHON = re.compile(r"(.+\.py)(?::([^/\\:]*))?", re.DOTALL)


def python_file(text: str) -> tuple[str, str | None] | None:
    """The file of `FILE.py` and `FILE.py:KERNEL`, and the kernel's name; None of other files."""
    found = _PYTHON.fullmatch(text)
    return None if found is None else (found[1], found[2])


def setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise argparse.ArgumentTypeError(f"NAME=VALUE is expected, such as M=512; found {text!r}")
    return name.strip(), value.strip()


def numbers(settings: Iterable[tuple[str, str]]) -> list[tuple[str, int | float]]:
    """Settings whose values are numbers. Raises ArgumentTypeError."""
    return [(name, _number(name, text)) for name, text in settings]


def _number(name: str, text: str) -> int | float:
    if not text.removeprefix("-").isdecimal():
        try:
            return float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{name} needs a number, found {text!r}") from None
    number = int(text[:24])
    if abs(number) >= 2**63 or len(text) > 24:
        raise argparse.ArgumentTypeError(f"{text[:24]} does not fit into 64 bits")
    return number


def natural(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"a number from 0 is expected, found {text!r}")
    return int(text)


def count(text: str) -> int:
    number = natural(text)
    if not number:
        raise argparse.ArgumentTypeError(f"a number from 1 is expected, found {text!r}")
    return number


def seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not found > 0:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0 is expected, found {text!r}")
    return found


def words(text: str) -> tuple[str, ...]:
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise argparse.ArgumentTypeError("at least one name is expected")
    return found


def data(text: str) -> tuple[str, ...]:
    found = words(text)
    for word in found:
        if word not in DATA:
            raise argparse.ArgumentTypeError(f"unknown data set {word!r}; there are {', '.join(DATA)}")
    return found
