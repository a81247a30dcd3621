"""What a kernel's Python reaches beside its arguments: globals, closures, attributes of modules, classes and objects.

A trace has them as they were. `Reached` keeps what they are when it is made, tells that from other states by `key`, and
says before each launch, by a function that is written for that, whether they are `still` the same. What functions of
lanewise, of Python and of numpy reach is not looked at.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from ..support.named_tuples import NamedTuple
from .constants import class_of, is_plain, told_apart
from .helpers import plain_of

_OURS = __name__.partition(".")[0]
_LIBRARIES = frozenset({_OURS, "numpy", "ml_dtypes", *sys.stdlib_module_names}) - {"__main__"}
"""Packages whose modules, classes and functions stay as they are."""
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_BETWEEN = frozenset({"EXTENDED_ARG", "CACHE", "NOP", "PUSH_NULL"})
_NOTHING = object()
_CHANGED = NameError, AttributeError, ValueError
"""What looking for something raises that is not there any more."""


class _Place(NamedTuple):
    """Where something is reached: an expression over a function's globals and cells, and what it was."""

    text: str
    value: Any


class Reached:
    """What a function reaches, as it is now.

    Attributes:
        key: What differs where anything is another one.
        ways: What its owner knows of launches in this state.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self._functions: dict[int, types.FunctionType] = {}
        self._tests: list[Callable[[], bool]] = []
        self.ways: dict[Any, Any] = {}
        told: list[Hashable] = []
        self._objects: list[tuple[Any, Hashable]] = []
        waiting = [function]
        while waiting:
            one = waiting.pop()
            if id(one) in self._functions:
                continue
            self._functions[id(one)] = one
            places = list({place.text: place for place in _places(one)}.values())
            if places:
                self._tests.append(_test(one, places))
            for place in places:
                now = told_apart(place.value)
                told.append((one.__qualname__, place.text, now))
                if not _is_fixed(place.value):
                    self._objects.append((place.value, now))
                waiting += _functions_in(place.value)
        self.key: Hashable = tuple(told)

    def still(self) -> bool:
        """Whether all is as it was: the same objects, with the same in them. False where that is not sure."""
        for test in self._tests:
            if not test():
                return False
        return all(told_apart(value) == was for value, was in self._objects) if self._objects else True


def _test(function: types.FunctionType, places: list[_Place]) -> Callable[[], bool]:
    """A function that finds the same by the same names: it has the function's own globals."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    values = [place.value for place in places]
    names = [f"_lanewise_v{i}" for i in range(len(places))]
    given = [*names, *(f"_lanewise_c_{name}" for name in cells), "_lanewise_changed"]
    tests = " and ".join(f"{place.text} is {name}" for place, name in zip(places, names, strict=True))
    text = f"def still({', '.join(given)}):\n try:\n  return {tests}\n except _lanewise_changed:\n  return False"
    code = next(c for c in compile(text, "<still>", "exec").co_consts if isinstance(c, types.CodeType))
    return types.FunctionType(code, function.__globals__, "still", (*values, *cells.values(), _CHANGED))


def _places(function: types.FunctionType) -> Iterator[_Place]:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    yield from _loaded(function.__code__, function.__globals__, cells)


def _loaded(code: types.CodeType, names: Mapping[str, Any], cells: Mapping[str, types.CellType]) -> Iterator[_Place]:
    """What instructions load by name, as far as attributes of what may hold others are asked for."""
    at: _Place | None = None
    for step in dis.get_instructions(code):
        if step.opname in _BETWEEN:
            continue
        if at is not None:
            found = _attribute(at.value, step.argval) if step.opname in _ATTRIBUTES else _NOTHING
            if found is not _NOTHING:
                at = _Place(f"{at.text}.{step.argval}", found)
                if not _holds(found):
                    yield at
                    at = None
                continue
            if not isinstance(at.value, types.ModuleType):
                yield at
        at = None
        if step.opcode in dis.hasfree and step.argval in cells:
            content = _content(cells[step.argval])
            at = None if content is _NOTHING else _Place(f"_lanewise_c_{step.argval}.cell_contents", content)
        elif step.opname in _GLOBALS and step.argval in names and step.argval.isidentifier():
            at = _Place(step.argval, names[step.argval])  # others are of tools that rewrite code, as pytest does
        if at is not None and not _holds(at.value):
            yield at
            at = None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _loaded(constant, names, cells)


def _holds(value: Any) -> bool:
    """Whether attributes of it are looked at one by one: a module, a class or an object of the user's."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] not in _LIBRARIES
    kind = value if isinstance(value, type) else class_of(value)
    return _is_users(kind.__module__) and not isinstance(value, (types.FunctionType, tuple))


def _is_users(module: object) -> bool:
    return str(module).partition(".")[0] not in _LIBRARIES


def _attribute(holder: Any, name: str) -> Any:
    """What a holder itself has by a name, found without running anything; methods and properties are its class's."""
    holders: tuple[Any, ...] = holder.__mro__ if isinstance(holder, type) else (holder,)
    for one in holders:
        own: Mapping[str, Any] = getattr(one, "__dict__", {})
        if name in own:
            found = own[name]
            return _NOTHING if isinstance(holder, type) and hasattr(class_of(found), "__get__") else found
    return _NOTHING


def _functions_in(value: Any) -> Iterator[types.FunctionType]:
    """The user's functions that a value brings along, whose names are looked at in turn."""
    if isinstance(value, types.FunctionType):
        plain = plain_of(value) or value
        if _is_users(plain.__module__):
            yield plain
    elif isinstance(value, functools.partial):
        yield from _functions_in(value.func)
    elif isinstance(value, types.MethodType):
        yield from _functions_in(value.__func__)
    elif isinstance(value, (tuple, list)):
        for inner in _elements(value):
            yield from _functions_in(inner)
    elif isinstance(value, dict):
        for inner in _elements(value.values()):
            yield from _functions_in(inner)
    elif _holds(value) and not isinstance(value, types.ModuleType):
        kind = value if isinstance(value, type) else class_of(value)
        for entry in vars(kind).values():
            inner = getattr(entry, "__func__", None) or getattr(entry, "fget", None) or entry
            if isinstance(inner, types.FunctionType):
                yield from _functions_in(inner)


def _elements(values: Any) -> list[Any]:
    return list(values)


def _is_fixed(value: Any) -> bool:
    """Whether the same object is always the same value."""
    if isinstance(value, tuple):
        return all(map(_is_fixed, _elements(value)))
    return is_plain(value) or type(value) in (float, complex)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return _NOTHING
