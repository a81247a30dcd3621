"""Reading JSON that nobody vouches for: every field is asked for by name, type and limits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeGuard, cast

Json = Any
"""What json.loads returns."""


class FieldError(ValueError):
    """A field is missing or wrong; the message names it, and says what was expected and what was found."""


def canonical(value: object) -> bytes:
    """The one text for a value: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def read_canonical(data: bytes) -> Fields:
    """The object that a canonical text is; raises FieldError for any other text."""
    try:
        value: object = json.loads(data.decode("ascii"), parse_float=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FieldError(f"the header is no JSON: {error}") from error
    if not _is_object(value):
        raise FieldError(f"the header is an object, found {_kind(value)}")
    if canonical(value) != data:
        raise FieldError("the header is not in canonical form: keys sorted, each once, no spaces")
    return Fields(value, "")


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is no integer")


def _is_object(value: object) -> TypeGuard[dict[str, Json]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[Json]]:
    return isinstance(value, list)


class Fields:
    """One object; `path` is where it stands, for messages. `done` raises FieldError for what nobody asked for."""

    def __init__(self, values: Mapping[str, Json], path: str) -> None:
        self._values, self._path = values, path
        self._asked: set[str] = set()

    def text(self, name: str, longest: int) -> str:
        value = self._get(name)
        if not isinstance(value, str) or len(value) > longest:
            self._fail(name, f"text of at most {longest} characters", value)
        return value

    def integer(self, name: str, low: int, high: int) -> int:
        return self._integer(name, self._get(name), low, high)

    def flag(self, name: str) -> bool:
        value = self._get(name)
        if not isinstance(value, bool):
            self._fail(name, "true or false", value)
        return value

    def is_null(self, name: str) -> bool:
        return self._get(name) is None

    def word(self, name: str, known: Sequence[str]) -> str:
        value = self._get(name)
        if value not in known:
            self._fail(name, f"one of {', '.join(known)}", value)
        return str(value)

    def integers(self, name: str, low: int, high: int, most: int) -> tuple[int, ...]:
        return tuple(self._integer(name, n, low, high) for n in self._list(name, most))

    def extents(self, name: str, low: int, high: int, most: int) -> tuple[int | None, ...]:
        """Integers, and null for what is known at launch only."""
        return tuple(None if n is None else self._integer(name, n, low, high) for n in self._list(name, most))

    def rows(self, name: str, width: int, high: int, most: int) -> tuple[tuple[int, ...], ...]:
        """Lists of `width` integers from 0."""
        rows = self._list(name, most)
        for row in rows:
            if not _is_list(row) or len(row) != width:
                self._fail(name, f"lists of {width} integers", row)
        return tuple(tuple(self._integer(name, n, 0, high) for n in row) for row in rows)

    def child(self, name: str) -> Fields:
        value = self._get(name)
        if not _is_object(value):
            self._fail(name, "an object", value)
        return Fields(value, self._at(name))

    def children(self, name: str, most: int) -> list[Fields]:
        found = self._list(name, most)
        for value in found:
            if not _is_object(value):
                self._fail(name, "objects", value)
        return [Fields(cast("dict[str, Json]", value), f"{self._at(name)}[{i}]") for i, value in enumerate(found)]

    def names(self, most: int) -> list[str]:
        """Every name, where the object is a table."""
        if len(self._values) > most:
            raise FieldError(f"'{self._path}' has {len(self._values)} entries, at most {most} expected")
        return list(self._values)

    def done(self) -> None:
        for name in self._values:
            if name not in self._asked:
                raise FieldError(f"'{self._at(name)}' is no field that is known")

    def _get(self, name: str) -> Json:
        if name not in self._values:
            raise FieldError(f"'{self._at(name)}' is missing")
        self._asked.add(name)
        return self._values[name]

    def _list(self, name: str, most: int) -> list[Json]:
        value = self._get(name)
        if not _is_list(value) or len(value) > most:
            self._fail(name, f"a list of at most {most} entries", value)
        return value

    def _integer(self, name: str, value: Json, low: int, high: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self._fail(name, f"an integer from {low} to {high}", value)
        return value

    def _at(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def _fail(self, name: str, expected: str, found: object) -> NoReturn:
        raise FieldError(f"'{self._at(name)}' is {expected}, found {_kind(found)}")


def _kind(value: object) -> str:
    """A value in a few words."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}..."
