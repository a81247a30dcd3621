"""What a loop or a branch of the device changes without carrying it: a body is traced once, and would change it once.

`Held` keeps, at the beginning of a body, what its code reaches: the objects of names, of the globals that it names and
of the functions that it calls, with their contents. At the body's end they are to be the same.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import types
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from .carried import Local, is_bound, is_leaf, leaves, same_leaf
from .constants import class_of
from .rewrite import HOOK
from .trace import fail
from .tracebacks import is_own_code
from .values import Value


class Held:
    """What code reaches before a loop or a branch, as it is then.

    What carried names reach is copied for the body: that others reach it, too, matters where the body changes it.
    """

    def __init__(self, frame: types.FrameType, local: Local, names: Collection[str], entered: Local) -> None:
        """`names` are those that the body binds, `entered` those of them that are carried, with the values that the
        body begins with."""
        self._globals, self._named = frame.f_globals, _names_in(frame.f_code)
        self._names = names
        self._entered = {name: leaves(value) or [] for name, value in entered.items()}
        roots = self._roots(local)
        reached = [
            (place, value) for n, given in roots.items() if n not in entered for place, value in _containers(given, n)
        ]
        carried: dict[int, str] = {}
        self._shared: list[tuple[str, str]] = []
        for name in entered:
            for place, value in _containers(local.get(name), name):
                if id(value) in carried:
                    self._shared.append((place, carried[id(value)]))
                else:
                    carried[id(value)] = place
        self._shared += [(place, carried[id(value)]) for place, value in reached if id(value) in carried]
        self._before = [(place, value, _contents(value)) for place, value in reached if id(value) not in carried]
        self._values = {name: value for name, value in roots.items() if name not in names}

    def check(self, what: str, local: Local) -> None:
        """Fails where something was changed since."""
        self.check_contents(what)
        now = self._roots(local)
        for name, value in self._values.items():
            if now.get(name) is not value:
                fail(
                    f"'{name}' is given another value in a {what} of the device, which does not bind it itself",
                    hint="have the function return it, and bind the name here",
                )
        for pair in self._shared:
            for place in pair:
                name = _name_of(place)
                before, after = self._entered.get(name), leaves(local.get(name)) or []
                if before is not None and not (len(before) == len(after) and all(map(same_leaf, before, after))):
                    fail(
                        f"'{pair[0]}' and '{pair[1]}' are one object, which a {what} of the device changes:"
                        f" it changes '{name}'",
                        hint=f"give '{name}' an object of its own before",
                    )

    def check_contents(self, what: str) -> None:
        """Fails where an object was changed in place."""
        for place, value, before in self._before:
            if _contents(value) != before:
                name = _name_of(place)
                is_list = isinstance(value, list)
                remembers = isinstance(value, dict) and _has_more(_contents(value), before)
                fail(
                    f"'{place}' is changed in place in a {what} of the device, which is traced once",
                    hint=f"give {name} a new value in it, as {name} = [*{name}, v], or give its elements names"
                    if is_list
                    else "what a helper remembers is behind functools.cache, or is filled before"
                    if remembers
                    else f"give {name} a new value in it, of numbers and vectors",
                )

    def aliases(self, local: Local) -> dict[str, tuple[str, str]]:
        """The names that the body binds and whose lists, dicts and objects are reached on another way, too."""
        bound = [n for n in self._names if n in local and is_bound(local[n]) and leaves(local[n]) is not None]
        places: dict[int, str] = {}
        for name, value in self._roots(local).items():
            if name not in bound:
                places.update((id(inner), place) for place, inner in _containers(value, name))
        found: dict[str, tuple[str, str]] = {}
        for name in bound:
            for place, inner in _containers(local[name], name):
                other = places.setdefault(id(inner), place)
                if other != place:
                    found[name] = place, other
                    found.setdefault(_name_of(other), (other, place))
        return found

    def _roots(self, local: Local) -> dict[str, Any]:
        """The values of names, and those in the closures of functions."""
        outside = self._globals
        named = {n: outside[n] for n in self._named if n in outside}
        roots = {n: v for n, v in {**named, **local}.items() if not n.startswith(HOOK)}
        for name, value in list(roots.items()):
            if isinstance(value, types.FunctionType) and not is_own_code(value.__code__):
                cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
                roots |= {f"{name}.{n}": _content(c) for n, c in cells if n not in local and not n.startswith(HOOK)}
        return roots


def _has_more(now: Any, before: Any) -> bool:
    """Whether the entries of a dict are as they were, in front of others."""
    return bool(now[: len(before)] == before)


def refuse_aliases(name: str, aliases: Mapping[str, tuple[str, str]], what: str) -> None:
    """Fails where a name has an object of another one behind a loop or a branch: what it has then is a copy."""
    if name in aliases:
        place, other = aliases[name]
        fail(
            f"'{place}' and '{other}' are one object at the end of a {what} of the device, and none behind it",
            hint=f"give '{name}' an object of its own, as {name} = [*{_name_of(other)}], or a tuple",
        )


@functools.lru_cache(maxsize=256)
def _names_in(code: types.CodeType) -> frozenset[str]:
    """Names of globals, and of attributes, in a function and in those inside of it."""
    inner = [_names_in(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return frozenset(code.co_names).union(*inner)


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return None


def _name_of(place: str) -> str:
    return place.partition("[")[0].partition(".")[0]


# -- objects that can be changed ------------------------------------------------------------------------------------


def _containers(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every object in a value that can be changed in place, with how to get there."""
    if depth > _DEPTH or type(value) in _WITHOUT_PARTS:
        return
    items: list[tuple[str, object]] = []
    if isinstance(value, (list, tuple, deque)):
        items = [(f"{path}[{i}]", v) for i, v in enumerate(_elements(value))]
    elif isinstance(value, dict):
        items = [(f"{path}[{k!r}]", v) for k, v in _items(value)]
    elif _is_of_user(value):
        items = [(f"{path}.{k}", v) for k, v in _attributes(value)]
    elif not isinstance(value, (set, bytearray, np.ndarray, Iterator)):
        return
    if not isinstance(value, tuple) and not _is_frozen(value):
        yield path, value
    for inner, v in items:
        yield from _containers(v, inner, depth + 1)


_DEPTH = 4
_OWN = __name__.partition(".")[0]
_WITHOUT_PARTS = frozenset({Value, int, float, bool, str, bytes, type(None), types.FunctionType, types.ModuleType})
_NO_OBJECTS = type, types.FunctionType, types.MethodType, types.ModuleType


def _is_of_user(value: object) -> bool:
    """Whether it is an instance of a class that may hold values of the kernel."""
    kind = type(value)
    return (
        kind.__module__.partition(".")[0] not in (_OWN, "builtins", "numpy")
        and (hasattr(value, "__dict__") or any("__slots__" in vars(c) for c in kind.__mro__))
        and not isinstance(value, _NO_OBJECTS)
    )


def _is_frozen(value: Any) -> bool:
    parameters = getattr(class_of(value), "__dataclass_params__", None)
    return parameters is not None and dataclasses.is_dataclass(value) and bool(parameters.frozen)


def _attributes(value: Any) -> list[tuple[str, object]]:
    found: dict[str, object] = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return list(found.items())


def _contents(value: Any) -> object:
    """What tells the contents of an object from others."""
    if isinstance(value, dict):
        return [(k, _identity(v)) for k, v in _items(value)]
    if isinstance(value, (list, deque)):
        return [_identity(v) for v in _elements(value)]
    if isinstance(value, set):
        return set(_elements(value))
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, np.ndarray):
        return _numbers(value)
    if _is_of_user(value):
        return [(name, _identity(v)) for name, v in _attributes(value)]
    return _progress(value)


def _numbers(array: Any) -> object:
    return array.shape, list(map(id, array.flat)) if array.dtype == object else array.tobytes()


def _progress(iterator: Any) -> object:
    """How far an iterator is."""
    if isinstance(iterator, types.GeneratorType):
        frame = iterator.gi_frame
        return None if frame is None else (frame.f_lasti, [_identity(v) for v in frame.f_locals.values()])
    left = operator.length_hint(iterator, -1)
    if left >= 0:
        return left
    if isinstance(iterator, (zip, map, filter, enumerate)):
        parts: Any = iterator.__reduce__()[1]
        return [_progress(p) if isinstance(p, Iterator) else p if isinstance(p, int) else id(p) for p in parts]
    return repr(iterator)  # itertools.count says where it is


def _elements(value: Any) -> list[object]:
    return list(value)


def _items(value: Any) -> list[tuple[object, object]]:
    return list(value.items())


def _identity(value: Any) -> object:
    if isinstance(value, Value):
        return id(value.operand.ssa)
    return id(value), value if is_leaf(value) else None
