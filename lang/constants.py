"""Which constants of a kernel are the same: Python's `==` takes 1, 1.0 and True for one, and 0.0 and -0.0, and an
object whose attributes were changed for what it was."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Hashable
from enum import Enum
from typing import Any

import numpy as np

_PLAIN = int, bool, str, bytes, type(None), type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType
_OWN = __name__.partition(".")[0]
_FLOATS: tuple[type, ...] = float, np.floating
_DEPTH = 4


def class_of(value: object) -> Any:
    """What it was made of, for type checkers anything."""
    return type(value)


def is_plain(value: object) -> bool:
    """Whether `==` and the type say all of a value, for ever."""
    kind = type(value)
    if kind is float:
        return value != 0.0  # -0.0 is equal
    return kind in _PLAIN or isinstance(value, (Enum, type)) or kind.__module__.partition(".")[0] == _OWN


def told_apart(value: Any, depth: int = 0) -> Hashable:
    """What differs where two constants do, as they are now."""
    kind = class_of(value)
    if is_plain(value):
        return kind, value
    if depth > _DEPTH:
        return kind, id(value)
    if isinstance(value, _FLOATS):
        return kind, repr(value)
    if isinstance(value, (tuple, list)):
        return kind, tuple(told_apart(v, depth + 1) for v in _elements(value))
    if isinstance(value, (frozenset, set)):
        return kind, frozenset(told_apart(v, depth + 1) for v in _elements(value))
    if isinstance(value, dict):
        return kind, tuple((told_apart(k, depth + 1), told_apart(v, depth + 1)) for k, v in _items(value))
    if isinstance(value, np.ndarray):
        return kind, *_numbers(value)
    return kind, _itself(value), tuple((name, told_apart(v, depth + 1)) for name, v in _attributes(value))


def _numbers(array: Any) -> tuple[Hashable, ...]:
    return str(array.dtype), array.shape, array.tobytes()


def _elements(value: Any) -> list[object]:
    return list(value)


def _items(value: Any) -> list[tuple[object, object]]:
    return list(value.items())


def _itself(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:  # in an attribute of a constant
        return id(value)
    kept: Hashable = value
    return kept


def _attributes(value: Any) -> list[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return list(getattr(value, "__dict__", {}).items())
