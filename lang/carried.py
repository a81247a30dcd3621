"""What a loop or a branch of the device changes: the numbers and vectors in the values of names.

A name carries numbers, vectors, spans, and lists, tuples, dicts and dataclasses of these; `leaves` takes them out,
`rebuilt` puts others in their place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from .operands import NUMBERS, Number
from .spans import Span
from .trace import Note, fail
from .values import Value

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Leaf: TypeAlias = "Value | Number"
Local = Mapping[str, Any]


class Unbound:
    """What a name stands for that has no value here; every use of it says why."""

    def __init__(self, why: str) -> None:
        object.__setattr__(self, "_why", why)

    def __getattribute__(self, name: str) -> Any:
        if name in ("__class__", "__dict__"):
            return object.__getattribute__(self, name)
        return fail(object.__getattribute__(self, "_why"), hint="give it a value before")

    def _use(self, *_: object) -> Any:
        return fail(object.__getattribute__(self, "_why"), hint="give it a value before")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _use
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _use
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = _use
    __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __call__ = __iter__ = __len__ = _use
    __neg__ = __pos__ = __invert__ = __abs__ = __bool__ = __index__ = __int__ = __float__ = _use


def is_bound(value: object) -> bool:
    return type(value) is not Unbound


def is_leaf(value: object) -> TypeGuard[Leaf]:
    return isinstance(value, (Value, *NUMBERS))


def is_value(value: object) -> TypeIs[Value]:
    """Whether it is a number or vector of the kernel; what is not is Python's own."""
    return isinstance(value, Value)


def leaves(value: object) -> list[Leaf] | None:
    """The numbers and vectors in a value, in order; None where there is something else."""
    if is_leaf(value):
        return [value]
    if isinstance(value, Span):
        return [value.start]
    parts = _parts(value)
    if parts is None:
        return None
    found: list[Leaf] = []
    for part in parts:
        inner = leaves(part)
        if inner is None:
            return None
        found += inner
    return found


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def _is_dict(value: object) -> TypeGuard[dict[Any, Any]]:
    return isinstance(value, dict)


def _is_record(value: object) -> TypeGuard[Any]:
    """Whether it is an instance of a dataclass."""
    return dataclasses.is_dataclass(type(value))


def _parts(value: object) -> list[object] | None:
    if _is_tuple(value) or _is_list(value):
        return list(value)
    if _is_dict(value):
        return list(value.values())
    if _is_record(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return None


def rebuilt(value: Any, parts: Iterator[Leaf]) -> Any:
    """The same value with these numbers and vectors."""
    if isinstance(value, Span):
        return Span(next(parts), value.extent)
    if _is_tuple(value):
        made = [rebuilt(v, parts) for v in value]
        kind: Any = type(value)
        return kind(*made) if hasattr(kind, "_fields") else tuple(made)
    if _is_list(value):
        return [rebuilt(v, parts) for v in value]
    if _is_dict(value):
        return {k: rebuilt(v, parts) for k, v in value.items()}
    if _is_record(value):
        changed = {field.name: rebuilt(getattr(value, field.name), parts) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **changed)
    return next(parts)


def same_form(a: Any, b: Any) -> bool:
    """Whether two values are built alike, whatever numbers and vectors they have."""
    are_leaves = [is_leaf(value) for value in (a, b)]
    if any(are_leaves):
        return all(are_leaves)
    if type(a) is not type(b):
        return False
    if isinstance(a, Span):
        return bool(a.extent == b.extent)
    if _is_dict(a) and list(a) != list(b):
        return False
    mine, other = _parts(a), _parts(b)
    if mine is None or other is None:
        return a is b
    return len(mine) == len(other) and all(same_form(x, y) for x, y in zip(mine, other, strict=True))


def same_leaf(a: Leaf, b: Leaf) -> bool:
    """Whether nothing became of one."""
    if is_value(a) and is_value(b):
        return a is b or a.operand.ssa is b.operand.ssa
    if is_value(a) or is_value(b):
        return False
    return type(a) is type(b) and repr(a) == repr(b)


def made(name: str, words: str, leaf: Leaf) -> Note:
    """A note that says where a value was made."""
    if not is_value(leaf):
        return f"'{name}' {words}", None
    op = leaf.operand.ssa.operation
    return f"'{name}' {words}", None if op is None else op.location


# -- what is changed in place ---------------------------------------------------------------------------------------


class Held:
    """Lists, dicts and sets that names reach before a loop or a branch, as they are then.

    What carried names reach is copied for the body: that others reach it, too, matters where the body changes it.
    """

    def __init__(self, local: Local, entered: Local) -> None:
        """`entered` are the carried names with the values that the body begins with."""
        carried = {id(c): name for name in entered if name in local for _, c in _containers(local[name], "")}
        reached = [
            (name + path, value)
            for name, given in local.items()
            if name not in entered
            for path, value in _containers(given, "")
        ]
        self._before = [(place, value, _contents(value)) for place, value in reached if id(value) not in carried]
        self._shared = [(place, carried[id(value)]) for place, value in reached if id(value) in carried]
        self._entered = {name: leaves(value) or [] for name, value in entered.items()}

    def check(self, what: str, local: Local) -> None:
        """Fails where one was changed since."""
        for place, value, before in self._before:
            if _contents(value) != before:
                name = place.partition("[")[0].partition(".")[0]
                fail(
                    f"'{place}' is changed in place in a {what} of the device, which is traced once",
                    hint=f"give {name} a new value in it, as {name} = [*{name}, v], or give its elements names",
                )
        for place, name in self._shared:
            before, now = self._entered[name], leaves(local.get(name)) or []
            if len(before) != len(now) or not all(map(same_leaf, before, now)):
                fail(
                    f"'{place}' and '{name}' are one object, which a {what} of the device changes: it changes '{name}'",
                    hint=f"give '{name}' an object of its own before",
                )


def is_changed(before: object, now: object) -> bool:
    """Whether a value has other numbers and vectors, or is built otherwise."""
    if not same_form(before, now):
        return True
    pairs = zip(leaves(before) or (), leaves(now) or (), strict=True)
    return not all(same_leaf(a, b) for a, b in pairs)


def copied(value: Any) -> Any:
    """The same value of lists, dicts and dataclasses of its own."""
    found = leaves(value)
    return value if found is None or is_leaf(value) else rebuilt(value, iter(found))


def _containers(value: object, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every list, dict and set in a value, with how to get there."""
    if depth > _DEPTH:
        return
    if type(value) in _MUTABLE or _is_list(value) or _is_dict(value):
        yield path, value
    items: list[tuple[str, object]] = []
    if _is_list(value) or _is_tuple(value):
        items = [(f"{path}[{i}]", v) for i, v in enumerate(value)]
    elif _is_dict(value):
        items = [(f"{path}[{k!r}]", v) for k, v in value.items()]
    elif _is_of_user(value):
        yield path, vars(value)
        items = [(f"{path}.{k}", v) for k, v in vars(value).items()]
    for inner, v in items:
        yield from _containers(v, inner, depth + 1)


_MUTABLE = (set, bytearray)
_DEPTH = 4
_OWN = __name__.partition(".")[0]


def _is_of_user(value: object) -> bool:
    """Whether it is an instance of a class that may hold values of the kernel."""
    kind = type(value)
    return (
        hasattr(value, "__dict__")
        and not isinstance(value, type)
        and not callable(value)
        and (kind.__module__.partition(".")[0] not in (_OWN, "builtins", "numpy"))
    )


def _contents(value: Any) -> object:
    """What tells the contents of a container from others."""
    if _is_dict(value):
        return [(k, _identity(v)) for k, v in value.items()]
    return [_identity(v) for v in value]


def _identity(value: object) -> object:
    if is_value(value):
        return id(value.operand.ssa)
    return id(value), repr(value) if type(value) in NUMBERS else None
