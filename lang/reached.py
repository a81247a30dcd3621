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
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from ..support.named_tuples import NamedTuple
from .constants import attributes_of, class_of, entries_of, is_plain, is_users, told_apart
from .helpers import plain_of

_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_BETWEEN = frozenset({"EXTENDED_ARG", "CACHE", "NOP", "PUSH_NULL"})
_NOTHING = object()
_SELF, _MODULES = "_lanewise_self", "_lanewise_modules"
"""What tests call the function itself, and the modules that were imported."""
_CHANGED = NameError, AttributeError, ValueError, KeyError
"""What looking for something raises that is not there any more."""


class _Place(NamedTuple):
    """Where something is reached: an expression over a function's globals and cells, and what it was."""

    text: str
    value: Any


class _Module(NamedTuple):
    """A module that is given on as a whole, and the expression that finds it: any name that is read somewhere may be
    one of it."""

    function: Any
    text: str
    value: types.ModuleType


class Reached:
    """What functions reach, as it is now.

    Attributes:
        key: What differs where anything is another one.
        ways: What its owner knows of launches in this state.
    """

    def __init__(self, *functions: types.FunctionType) -> None:
        self._functions: dict[int, types.FunctionType] = {}
        self._tests: list[Callable[[], bool]] = []
        self.ways: dict[Any, Any] = {}
        self._told: list[Hashable] = []
        self._objects: list[tuple[Any, Hashable]] = []
        self._waiting = list(functions)
        self._modules: dict[tuple[int, str], _Module] = {}
        self._names: set[str] = set()
        self._known: set[tuple[int, str]] = set()
        while self._waiting:
            while self._waiting:
                self._add_function(self._waiting.pop())
            for module in list(self._modules.values()):
                self._add(module.function, list(_named_in(module, self._names)))
        self.key: Hashable = tuple(self._told)

    def _add_function(self, function: types.FunctionType) -> None:
        if id(function) not in self._functions:
            self._functions[id(function)] = function
            self._names |= _names_of(function.__code__)
            self._add(function, list(_places(function)))

    def _add(self, function: types.FunctionType, found: list[_Place]) -> None:
        places: dict[str, _Place] = {}
        for place in found:
            if isinstance(place.value, types.ModuleType) and is_users(place.value.__name__):
                self._modules[id(function), place.text] = _Module(function, place.text, place.value)
            if (id(function), place.text) not in self._known:
                self._known.add((id(function), place.text))
                places[place.text] = place
        for place in places.values():
            now = told_apart(place.value)
            self._told.append((function.__qualname__, place.text, now))
            if not _is_fixed(place.value):
                self._objects.append((place.value, now))
            self._waiting += (f for f in functions_in(place.value) if id(f) not in self._functions)
        if places:
            self._tests.append(_test(function, list(places.values())))

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
    given = [*names, *(f"_lanewise_c_{name}" for name in cells), _SELF, _MODULES, "_lanewise_changed"]
    tests = " and ".join(f"{place.text} is {name}" for place, name in zip(places, names, strict=True))
    text = f"def still({', '.join(given)}):\n try:\n  return {tests}\n except _lanewise_changed:\n  return False"
    code = next(c for c in compile(text, "<still>", "exec").co_consts if isinstance(c, types.CodeType))
    return types.FunctionType(
        code, function.__globals__, "still", (*values, *cells.values(), function, sys.modules, _CHANGED)
    )


def _places(function: types.FunctionType) -> Iterator[_Place]:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        value = getattr(function, name)
        if value is not None:
            yield _Place(f"{_SELF}.{name}", value)
    yield from _loaded(function.__code__, function.__globals__, cells)


def _names_of(code: types.CodeType) -> set[str]:
    """Names that code may read from a module, with `getattr`, too."""
    found = {*code.co_names, *(constant for constant in code.co_consts if isinstance(constant, str))}
    return found.union(*(_names_of(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _named_in(module: _Module, names: set[str]) -> Iterator[_Place]:
    for name, value in list(vars(module.value).items()):
        if name in names and name.isidentifier() and not name.startswith("__"):
            yield _Place(f"{module.text}.{name}", value)


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
            yield at
        at = None
        if step.opcode in dis.hasfree and step.argval in cells:
            content = _content(cells[step.argval])
            at = None if content is _NOTHING else _Place(f"_lanewise_c_{step.argval}.cell_contents", content)
        elif step.opname in _GLOBALS and step.argval in names and step.argval.isidentifier():
            at = _Place(step.argval, names[step.argval])  # others are of tools that rewrite code, as pytest does
        elif step.opname == "IMPORT_NAME":
            yield from _imported(step.argval, names)
        if at is not None and not _holds(at.value):
            yield at
            at = None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _loaded(constant, names, cells)


def _imported(name: str, names: Mapping[str, Any]) -> Iterator[_Place]:
    """The module of an import in a function, of that name or in the package around."""
    package = names.get("__package__")
    for full in (name, f"{package}.{name}" if package and name else package):
        if full and full in sys.modules:
            yield _Place(f"{_MODULES}[{full!r}]", sys.modules[full])


def _holds(value: Any) -> bool:
    """Whether attributes of it are looked at one by one: a module, a class, a function or an object of the user's."""
    if isinstance(value, types.ModuleType):
        return is_users(value.__name__)
    if isinstance(value, (types.FunctionType, type)):
        return is_users(value.__module__)
    return is_users(class_of(value).__module__) and not isinstance(value, tuple)


def _attribute(holder: Any, name: str) -> Any:
    """What a holder or its classes have by a name, found without running anything: no method and no property."""
    classes: tuple[Any, ...] = holder.__mro__ if isinstance(holder, type) else (holder, *class_of(holder).__mro__)
    for one in classes:
        own: Mapping[str, Any] = getattr(one, "__dict__", {})
        if name in own:
            found = own[name]
            return _NOTHING if isinstance(one, type) and hasattr(class_of(found), "__get__") else found
    return _NOTHING


def functions_in(value: Any) -> Iterator[types.FunctionType]:
    """The user's functions that a value brings along, whose names are looked at in turn."""
    waiting, seen = [value], dict[int, Any]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, types.FunctionType):
            plain = plain_of(one) or one
            if is_users(plain.__module__):
                yield plain
        elif not is_plain(one):
            waiting += _parts(one)


def _parts(value: Any) -> Iterator[Any]:
    """What may be called of what a value holds, and what holds it."""
    whole: Any = value
    if isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, types.MethodType):
        yield from (value.__func__, value.__self__)
    elif isinstance(value, (tuple, list, set, frozenset, deque)):
        yield from _elements(value)
    elif isinstance(value, (dict, types.MappingProxyType)):
        yield from _elements(value.values())
    kind: type = value if isinstance(value, type) else class_of(whole)
    yield from (entry for _, entry in entries_of(kind))
    yield from (entry for _, entry in attributes_of(whole))
    for name in ("__wrapped__", "__func__", "fget", "fset"):
        inner = getattr(whole, name, None) if hasattr(kind, "__get__") else None
        if isinstance(inner, types.FunctionType):
            yield inner


def _elements(values: Any) -> list[Any]:
    return list(values)


def _is_fixed(value: Any) -> bool:
    """Whether the same object is always the same value."""
    if isinstance(value, tuple):
        return all(map(_is_fixed, _elements(value)))
    return is_plain(value) or type(value) in (float, complex, types.CodeType)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return _NOTHING
