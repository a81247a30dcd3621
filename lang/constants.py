"""Which constants of a kernel are the same: Python's `==` takes 1, 1.0 and True for one, and 0.0 and -0.0, and an
object whose attributes were changed for what it was; and it takes no nan for another."""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Hashable, Iterator
from enum import Enum
from typing import Any

import numpy as np

_PLAIN = int, bool, str, bytes, type(None), types.FunctionType, types.BuiltinFunctionType, types.ModuleType
_OWN = __name__.partition(".")[0]
_LIBRARIES = frozenset({_OWN, "numpy", "ml_dtypes", *sys.stdlib_module_names}) - {"__main__"}
"""Packages whose modules, classes and functions stay as they are."""
_OF_MEMBERS = {"_value_", "_name_", "__objclass__", "_sort_order_"}
"""The attributes that every member of an enumeration has."""
_REPRESENTED: tuple[type, ...] = float, complex, np.inexact
_ONLY_CALLED = types.ModuleType, types.FunctionType, types.BuiltinFunctionType


def class_of(value: object) -> Any:
    """What it was made of, for type checkers anything."""
    return type(value)


def is_users(module: object) -> bool:
    """Whether a module of this name, and what is defined in it, may change between launches."""
    return str(module).partition(".")[0] not in _LIBRARIES


def is_plain(value: object) -> bool:
    """Whether `==` and the type say all of a value, for ever."""
    kind = type(value)
    if kind is float:
        return value != 0.0 and value == value  # -0.0 is equal, and no nan is
    if isinstance(value, type):
        return all(map(is_plain, value)) if issubclass(value, Enum) else not is_users(value.__module__)
    if isinstance(value, Enum):
        return _is_plain_member(value)
    return kind in _PLAIN or kind.__module__.partition(".")[0] == _OWN


def _is_plain_member(member: Any) -> bool:
    """Whether the member of an enumeration has a plain value, nothing beside it, and Python's own equality."""
    value: object = member.value
    parts = _elements(value) if isinstance(value, tuple) else [value]
    has_own = class_of(member).__hash__ is None or any(name not in _OF_MEMBERS for name, _ in attributes_of(member))
    return not has_own and all(map(is_plain, parts))


class _Kept:
    """An object of which it is not known what it holds: the same, or one that says that it is equal. It is kept, so
    that no other one comes to its place in memory."""

    __slots__ = "_hash", "_is_hashable", "_value"

    def __init__(self, value: Any) -> None:
        self._value = value
        try:
            self._hash, self._is_hashable = hash(value), True
        except TypeError:
            self._hash, self._is_hashable = id(value), False

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Kept):
            return NotImplemented
        if self._value is other._value:
            return True
        if not (self._is_hashable and other._is_hashable and self._hash == other._hash):
            return False
        return (self._value == other._value) is True  # of arrays it is an array


def told_apart(value: Any) -> Hashable:
    """What differs where two constants do, as they are now."""
    return class_of(value), value if is_plain(value) else _told(value, {})


def _inside(value: Any, seen: dict[int, tuple[int, Any]]) -> Hashable:
    return class_of(value), value if is_plain(value) else _told(value, seen)


def _told(value: Any, seen: dict[int, tuple[int, Any]]) -> Hashable:
    """`seen` has the objects on the way and before, which are told once: they may hold themselves."""
    if isinstance(value, _REPRESENTED):
        return repr(value)
    if type(value) is tuple:
        return tuple(_inside(v, seen) for v in _elements(value))
    if id(value) in seen:
        return "again", seen[id(value)][0]
    seen[id(value)] = len(seen), value
    if isinstance(value, type):
        return _Kept(value), _class_told(value, seen)
    return _contents(value, seen), _attributes_told(value, seen)


def _contents(value: Any, seen: dict[int, tuple[int, Any]]) -> Hashable:
    """What a value holds beside its attributes."""
    if isinstance(value, (tuple, list, deque)):
        return tuple(_inside(v, seen) for v in _elements(value))
    if isinstance(value, (frozenset, set)):
        return frozenset(_inside(v, seen) for v in _elements(value))
    if isinstance(value, (dict, types.MappingProxyType)):
        return tuple((_inside(k, seen), _inside(v, seen)) for k, v in _items(value))
    if isinstance(value, np.ndarray):
        return _numbers(value, seen)
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, slice):
        return _inside(_ends(value), seen)
    if isinstance(value, functools.partial):
        return tuple(_inside(v, seen) for v in (value.func, value.args, value.keywords))
    if isinstance(value, types.MethodType):
        return tuple(_inside(v, seen) for v in (value.__func__, value.__self__))
    return None if hasattr(class_of(value), "__dataclass_fields__") else _Kept(value)


def _attributes_told(value: Any, seen: dict[int, tuple[int, Any]]) -> Hashable:
    found = tuple((name, _inside(v, seen)) for name, v in attributes_of(value))
    return found, _class_told(class_of(value), seen)


def _class_told(kind: type, seen: dict[int, tuple[int, Any]]) -> Hashable:
    """Data of the user's classes, and which functions they have."""
    return tuple(
        (name, _Kept(entry) if hasattr(class_of(entry), "__get__") else _inside(entry, seen))
        for name, entry in entries_of(kind)
    )


def entries_of(kind: type) -> Iterator[tuple[str, Any]]:
    """What the user's classes among those that a class is made of define; what Python writes into them is left out."""
    for one in kind.__mro__:
        if is_users(one.__module__):
            for name, entry in list(vars(one).items()):
                if not name.startswith("__") or isinstance(entry, types.FunctionType):
                    yield name, entry


def attributes_of(value: Any) -> list[tuple[str, Any]]:
    """The attributes that an object has itself, in slots, too."""
    if isinstance(value, (*_ONLY_CALLED, type, types.MethodType, np.ndarray)):
        return []
    found: dict[str, Any] = dict(getattr(value, "__dict__", {}))
    for name in _slots(class_of(value)):
        if hasattr(value, name):
            found[name] = getattr(value, name)
    return list(found.items())


def _slots(kind: Any) -> list[str]:
    classes: tuple[Any, ...] = kind.__mro__
    owners = [one.__dict__ for one in classes if is_users(one.__module__)]
    return [name for own in owners for name in own if isinstance(own[name], types.MemberDescriptorType)]


def _numbers(array: Any, seen: dict[int, tuple[int, Any]]) -> Hashable:
    if array.dtype.hasobject:
        return str(array.dtype), array.shape, _inside(array.tolist(), seen)
    return str(array.dtype), array.shape, array.tobytes()


def _ends(value: Any) -> tuple[object, ...]:
    return value.start, value.stop, value.step


def _elements(value: Any) -> list[object]:
    return list(value)


def _items(value: Any) -> list[tuple[object, object]]:
    return list(value.items())
