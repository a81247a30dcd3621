"""What a loop or a branch of the device changes: the numbers and vectors in the values of names.

A name carries numbers, vectors, spans, and lists, tuples, dicts and dataclasses of these; `leaves` takes them out,
`rebuilt` puts others in their place.
"""

from __future__ import annotations

import copy
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

    def __init__(self, why: str, hint: str = "give it a value before") -> None:
        object.__setattr__(self, "_why", (why, hint))

    def __getattribute__(self, name: str) -> Any:
        if name in ("__class__", "__dict__"):
            return object.__getattribute__(self, name)
        why, hint = object.__getattribute__(self, "_why")
        return fail(why, hint=hint)

    def _use(self, *_: object) -> Any:
        why, hint = object.__getattribute__(self, "_why")
        return fail(why, hint=hint)

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
        made_of = copy.copy(value)  # it was made once, and is not made again: fields may be none of `__init__`
        for field in dataclasses.fields(value):
            object.__setattr__(made_of, field.name, rebuilt(getattr(value, field.name), parts))
        return made_of
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
