"""Python's `NamedTuple`, whose constructor is written when it is first called.

`typing.NamedTuple` compiles one for each class while the class is made and looks through the annotations, in half a
millisecond. Type checkers take this one for that one; neither a docstring nor a signature is made up, and annotations
stay as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    try:
        from _collections import _tuplegetter as _getter
    except ImportError:  # not CPython

        def _getter(index, doc):
            return property(lambda self: tuple.__getitem__(self, index), doc=doc)

    class _Maker(type):
        """Makes plain tuples of the classes below NamedTuple."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            return _make(name, tuple(tuple if base is NamedTuple else base for base in bases), body)

    class NamedTuple(metaclass=_Maker):
        """What a class of named tuples is said to be derived from."""

    def _make(name, bases, body):
        fields = tuple(body.get("__annotations__", ()))
        defaults = {field: body.pop(field) for field in fields if field in body}
        shared = {
            "__slots__": (),
            "__match_args__": fields,
            "_fields": fields,
            "_field_defaults": defaults,
            "__repr__": _repr,
            "__getnewargs__": _values,
            "_make": classmethod(_of),
            "_replace": _replace,
            "_asdict": _as_dict,
        }
        getters = {field: _getter(index, field) for index, field in enumerate(fields)}
        made = type(name, bases, {**shared, **getters, **body})
        made.__new__ = _late(made)
        return made


_new = cast(Any, tuple).__new__


def _late(owner: Any) -> Any:
    """`__new__`, which takes its own place with what it writes when it is called."""

    def first(cls: type, *arguments: Any, **named: Any) -> Any:
        owner.__new__ = staticmethod(_write(owner))
        return owner.__new__(cls, *arguments, **named)

    return staticmethod(first)


def _write(owner: Any) -> Callable[..., Any]:
    """A function of the fields by their names, with their defaults."""
    fields: tuple[str, ...] = owner._fields
    defaults: dict[str, Any] = owner._field_defaults
    names: dict[str, Any] = {"_new": _new, **{f"_default_{field}": value for field, value in defaults.items()}}
    arguments = ", ".join(f"{field}=_default_{field}" if field in defaults else field for field in fields)
    exec(f"def __new__(_cls, {arguments}): return _new(_cls, ({''.join(f'{field},' for field in fields)}))", names)
    made: Callable[..., Any] = names["__new__"]
    made.__qualname__ = f"{owner.__qualname__}.__new__"
    return made


def _of(cls: Any, values: Iterable[Any]) -> Any:
    made = _new(cls, values)
    assert len(made) == len(cls._fields), f"expected {len(cls._fields)} values, found {len(made)}"
    return made


def _replace(self: Any, /, **changes: Any) -> Any:
    made = self._make(map(changes.pop, self._fields, self))
    if changes:
        raise ValueError(f"there are no fields {list(changes)}")
    return made


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(self)


def _as_dict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{field}={value!r}' for field, value in _as_dict(self).items())})"
