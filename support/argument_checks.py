"""What callers without types hand to public functions: refused with what was expected, not where it is first used."""

from __future__ import annotations

from .diagnostics import LanewiseError


class GivenTypeError(LanewiseError, TypeError):
    """An argument of a public function is of another type than that takes."""


def require(given: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raises GivenTypeError unless `given` is of one of these types."""
    if not isinstance(given, kinds):
        raise GivenTypeError(f"{expected} is expected, found {_words(given)}")


def _words(given: object) -> str:
    """The type, and the value where it fits into a line and says more."""
    text = repr(given)
    if given is None or len(text) > _LINE or text.startswith("<") or "\n" in text:
        return "None" if given is None else type(given).__name__
    return f"{type(given).__name__} {text}"


_LINE = 40
