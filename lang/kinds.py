"""What annotations of kernels name, `lw.Array`, `lw.Value` and `lw.Span`, without what such things do while they trace.

What is traced is of classes below these, so that `isinstance` says what it seems to.
"""

from __future__ import annotations

from importlib import import_module


class _Kind(type):
    """Attributes that are looked up in a class itself, such as `lw.Array.load`, are those of what is traced."""

    def __getattr__(cls, name: str) -> object:
        home = cls.__dict__.get("_home")
        if home is None or name.startswith("_"):
            raise AttributeError(f"class {cls.__name__!r} has no attribute {name!r}", name=name, obj=cls)
        found: object = getattr(getattr(import_module(f".{home}", __package__), cls.__name__), name)
        return found


class Array(metaclass=_Kind):
    """A buffer: an argument, or shared or private memory."""

    __slots__ = ()
    _home = "arrays"


class Value(metaclass=_Kind):
    """A number or a vector; its elements live in the threads' registers."""

    __slots__ = ()
    _home = "values"


class Span(metaclass=_Kind):
    """So many places from a start on."""

    __slots__ = ()
    _home = "spans"


class Named:
    """What a kernel makes that is neither a value nor an array, and has a name in the program's text."""

    __slots__ = ()

    def name_it(self, name: str) -> None:
        """Gives it the user's name for it, if it has none."""
        raise AssertionError
