"""Python's data classes, each of whose methods is written when it is first called.

`dataclasses.dataclass` writes and compiles the methods of a class while the class is made, in 0.7 ms; a process that
compiles one program makes two hundred such classes and calls few of their methods. What stands here means what Python's
`dataclass`, `field` and `replace` mean, and type checkers take it for them. Python's own functions (`fields`, `asdict`,
`replace`) take the instances, and Python's data classes may inherit from the classes. No docstring is made up;
`InitVar`, `KW_ONLY`, `order`, `unsafe_hash` and `weakref_slot` are not there. Annotations are strings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import dataclasses as python
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
    from inspect import Signature

_MISSING: Any = object()
_set = object.__setattr__


class Field:
    """One field of a class: its annotation, and what `field` was given."""

    __slots__ = ("annotation", "compare", "default", "factory", "init", "kw_only", "repr")

    def __init__(self, default: object, factory: Any, init: bool, repr: bool, compare: bool, kw_only: bool) -> None:
        self.annotation = ""
        self.default = default
        self.factory = factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only


class Record:
    """What a data class is made of: `fields` by name, those of its bases first."""

    __slots__ = ("cls", "fields", "frozen", "makes_init", "slots")

    def __init__(self, cls: type, fields: Mapping[str, Field], frozen: bool, slots: bool) -> None:
        self.cls: Any = cls
        self.fields = fields
        self.frozen = frozen
        self.slots = slots
        self.makes_init = "__init__" not in cls.__dict__


if not TYPE_CHECKING:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, kw_only=False):
        def make(cls):
            return _make(cls, frozen, slots, eq, kw_only)

        return make if cls is None else make(cls)

    def field(*, default=_MISSING, default_factory=_MISSING, init=True, repr=True, compare=True, kw_only=False):
        return Field(default, default_factory, init, repr, compare, kw_only)

    def replace(instance, /, **changes):
        for name, field in instance.__record__.fields.items():
            if field.init and name not in changes:
                changes[name] = getattr(instance, name)
            assert field.init or name not in changes, f"{name} is no argument"
        return type(instance)(**changes)


# Classes


def _make(cls: type, frozen: bool, slots: bool, eq: bool, kw_only: bool) -> type:
    own = _own_fields(cls, kw_only)
    fields: dict[str, Field] = {}
    for base in cls.__mro__[:0:-1]:
        if inherited := base.__dict__.get("__record__"):
            fields |= inherited.fields
    fields |= own
    if slots:
        cls = _with_slots(cls, fields)
    else:
        _leave_defaults(cls, own)
    record = Record(cls, fields, frozen, slots)
    for name, value in _methods(record, eq).items():
        setattr(cls, name, value)
    return cls


def _own_fields(cls: type, kw_only: bool) -> dict[str, Field]:
    """The fields of the names that the class's body annotates."""
    body = cls.__dict__
    fields: dict[str, Field] = {}
    for name, annotation in body.get("__annotations__", {}).items():
        if annotation.startswith("ClassVar"):
            continue
        given = body.get(name, _MISSING)
        field = given if given.__class__ is Field else Field(given, _MISSING, True, True, True, False)
        shared = type(field.default).__hash__ is None
        assert not shared, f"{cls.__qualname__}.{name}: all instances would share the default"
        field.annotation = annotation
        field.kw_only |= kw_only
        fields[name] = field
    return fields


def _leave_defaults(cls: type, own: Mapping[str, Field]) -> None:
    """Attributes of the class are the defaults themselves."""
    for name, field in own.items():
        if cls.__dict__.get(name).__class__ is Field:
            if field.default is _MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, field.default)


def _with_slots(cls: type, fields: Mapping[str, Field]) -> type:
    """The class made anew: slots are laid out while a class is made."""
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    body = {name: value for name, value in cls.__dict__.items() if name not in fields}
    body["__slots__"] = tuple(name for name in fields if name not in taken)
    body.pop("__dict__", None)
    body.pop("__weakref__", None)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def _methods(record: Record, eq: bool) -> dict[str, Any]:
    """What the class gets; a method that its body has stays, but for those that keep an instance as it is."""
    body = record.cls.__dict__
    positional = (name for name, field in record.fields.items() if field.init and not field.kw_only)
    methods: dict[str, Any] = {
        "__record__": record,
        "__dataclass_fields__": _PYTHONS_FIELDS,
        "__dataclass_params__": record,
        "__signature__": _SIGNATURE,
        "__match_args__": tuple(positional),
    }
    if record.makes_init:
        methods["__init__"] = _written(record, "__init__", _write_init)
    if "__repr__" not in body:
        methods["__repr__"] = _repr
    if eq and (body.get("__hash__") is None):  # Python sets None where a body has __eq__ alone
        methods["__hash__"] = _written(record, "__hash__", _write_hash) if record.frozen else None
    if eq and "__eq__" not in body:
        methods["__eq__"] = _written(record, "__eq__", _write_eq)
    if record.frozen:
        methods["__setattr__"], methods["__delattr__"] = _refusing(record)
    if record.frozen and record.slots and "__getstate__" not in body:
        methods["__getstate__"], methods["__setstate__"] = _state, _set_state
    return methods


# Methods

Write = Callable[[Record, dict[str, Any]], str]
"""The text of a method; what the text names goes into the dictionary."""


def _written(record: Record, name: str, write: Write) -> Callable[..., Any]:
    """A method that takes its own place with the one that is written when it is called."""

    def first(*arguments: Any, **named: Any) -> Any:
        return _write(record, name, write)(*arguments, **named)

    return first


def _write(record: Record, name: str, write: Write) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    text = write(record, names)
    exec(text, names)
    method: Callable[..., Any] = names[name]
    method.__qualname__ = f"{record.cls.__qualname__}.{name}"
    method.__module__ = record.cls.__module__
    setattr(record.cls, name, method)
    return method


def _write_init(record: Record, names: dict[str, Any]) -> str:
    """Assigns arguments, defaults and what factories make, in the order of the fields."""
    names |= {"_set": _set, "_MISSING": _MISSING}
    positional, named, lines = ["self"], list[str](), list[str]()
    for name, field in record.fields.items():
        value = name
        default = ""
        if field.factory is not _MISSING:
            names[f"_make_{name}"] = field.factory
            made = f"_make_{name}()"
            default, value = "=_MISSING", f"{made} if {name} is _MISSING else {name}" if field.init else made
        elif field.default is not _MISSING:
            names[f"_default_{name}"] = field.default
            default, value = f"=_default_{name}", name if field.init else f"_default_{name}"
        elif not field.init:
            continue
        if field.init:
            (named if field.kw_only else positional).append(name + default)
        lines.append(f"_set(self, {name!r}, {value})" if record.frozen else f"self.{name} = {value}")
    if hasattr(record.cls, "__post_init__"):
        lines.append("self.__post_init__()")
    arguments = ", ".join([*positional, *(["*", *named] if named else [])])
    return f"def __init__({arguments}):\n  " + "\n  ".join(lines or ["pass"])


def _write_eq(record: Record, _: dict[str, Any]) -> str:
    return (
        "def __eq__(self, other):\n"
        "  if other is self: return True\n"  # a tuple takes what is identical for equal, too
        "  if other.__class__ is not self.__class__: return NotImplemented\n"
        f"  return {_compared(record, 'self')} == {_compared(record, 'other')}"
    )


def _write_hash(record: Record, _: dict[str, Any]) -> str:
    return f"def __hash__(self): return hash({_compared(record, 'self')})"


def _compared(record: Record, instance: str) -> str:
    """The text of a tuple of what is compared."""
    return f"({''.join(f'{instance}.{name},' for name, field in record.fields.items() if field.compare)})"


def _repr(self: Any) -> str:
    fields = self.__record__.fields.items()
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name, field in fields if field.repr)
    return f"{type(self).__qualname__}({shown})"


def _refusing(record: Record) -> tuple[Callable[[Any, str, Any], None], Callable[[Any, str], None]]:
    """Assignment and deletion of a frozen class: its fields stay; a class below that is none may have more."""

    def set_attribute(self: Any, name: str, value: Any) -> None:
        _refuse(record, self, name, "assign to")
        _set(self, name, value)

    def delete_attribute(self: Any, name: str) -> None:
        _refuse(record, self, name, "delete")
        object.__delattr__(self, name)

    return set_attribute, delete_attribute


def _refuse(record: Record, instance: Any, name: str, what: str) -> None:
    if type(instance) is record.cls or name in record.fields:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {what} field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__record__.fields]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__record__.fields, state, strict=True):
        _set(self, name, value)


# What Python's own functions look for


class _PythonsFields:
    """`__dataclass_fields__`: Python's fields of a class, made when they are asked for."""

    def __get__(self, instance: object, owner: Any) -> Mapping[str, python.Field[Any]]:
        import dataclasses

        def of_python(field: Field) -> python.Field[Any]:
            options: dict[str, Any] = {name: getattr(field, name) for name in ("init", "repr", "compare", "kw_only")}
            if field.default is not _MISSING:
                options["default"] = field.default
            if field.factory is not _MISSING:
                options["default_factory"] = field.factory
            made: python.Field[Any] = dataclasses.field(**options)
            return made

        record: Record = owner.__record__
        fields = [(name, field.annotation, of_python(field)) for name, field in record.fields.items()]
        made = dataclasses.make_dataclass(owner.__name__, fields, kw_only=True)
        found = {field.name: field for field in dataclasses.fields(made)}
        record.cls.__dataclass_fields__ = found
        return found


class _Signature:
    """`__signature__` of a class, of its written `__init__`; None, which asks the method, of an instance."""

    def __get__(self, instance: object, owner: Any) -> Signature | None:
        import inspect

        if instance is not None or "__record__" not in owner.__dict__:
            return None
        if owner.__record__.makes_init:
            _write(owner.__record__, "__init__", _write_init)
        signature = inspect.signature(owner.__init__)
        return signature.replace(parameters=list(signature.parameters.values())[1:])


_PYTHONS_FIELDS = _PythonsFields()
_SIGNATURE = _Signature()
