"""What a kernel's parameters are: which are arguments of a launch, which are constants, and of what types.

Positional parameters are arguments; keyword-only ones are constants, of any hashable value of Python: a kernel is
compiled once for each of them that is used. What an annotation does not say of an argument is taken from what is given.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from .dtypes import BY_LIBRARY_NAME, ArrayType, DType, elements_in_byte, extent_of, f32, i1, index

ParameterType: TypeAlias = ArrayType | DType


class SignatureError(LanewiseError, TypeError):
    """Parameters or arguments of a kernel in Python do not fit; the message says which and what was expected."""


class Parameter(NamedTuple):
    """An argument of launches."""

    name: str
    type: ParameterType | None
    """What its annotation says; None is nothing."""


class Signature:
    """The parameters of a function.

    Attributes:
        arguments: In their order.
        constants: Their defaults by name; `inspect.Parameter.empty` where there is none.
        constant_hints: Their annotations, where they have such.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = _hints(function)
        self.name = function.__qualname__
        self.arguments: list[Parameter] = []
        self.constants: dict[str, Any] = {}
        self.constant_hints: dict[str, Any] = {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise SignatureError(f"kernel '{self.name}' takes *{parameter.name}: a kernel names its parameters")
            if parameter.kind is parameter.KEYWORD_ONLY:
                self.constants[parameter.name] = parameter.default
                if parameter.name in hints:
                    self.constant_hints[parameter.name] = hints[parameter.name]
            elif parameter.default is not parameter.empty:
                raise SignatureError(
                    f"kernel '{self.name}': argument '{parameter.name}' has a default;"
                    " constants, which have them, stand behind a `*`"
                )
            else:
                self.arguments.append(Parameter(parameter.name, _annotated(parameter.name, hints, self.name)))
        self.named_extents = _named_extents(self.arguments)
        """For each name of an extent that stands twice: the numbers of the arguments, axes and ranks."""

    def __str__(self) -> str:
        """`x: f32[N], y, *, tile=64`: what annotations say, and the constants with their defaults."""
        arguments = [p.name if p.type is None else f"{p.name}: {p.type!r}" for p in self.arguments]
        none = inspect.Parameter.empty
        constants = [name if value is none else f"{name}={value!r}" for name, value in self.constants.items()]
        return ", ".join([*arguments, *(["*", *constants] if constants else [])])

    def bound(self, given: Sequence[Any], named: Mapping[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The arguments and the constants of a call, each in the order of the parameters."""
        arguments = list(given)
        rest = dict(named)
        if len(arguments) > len(self.arguments):
            raise SignatureError(f"kernel '{self.name}' takes {self._counted()}, found {len(arguments)}")
        for parameter in self.arguments[len(arguments) :]:
            if parameter.name not in rest:
                raise SignatureError(f"kernel '{self.name}' takes {self._counted()}: '{parameter.name}' is missing")
            arguments.append(rest.pop(parameter.name))
        constants = tuple(rest.pop(name, default) for name, default in self.constants.items())
        if rest:
            known = ", ".join(self.constants) or "none"
            raise SignatureError(
                f"kernel '{self.name}' has no constant '{next(iter(rest))}', or it is given twice; constants: {known}"
            )
        for name, value in zip(self.constants, constants, strict=True):
            if value is inspect.Parameter.empty:
                raise SignatureError(f"kernel '{self.name}': the constant '{name}' is missing")
            if not _is_hashable(value):
                raise SignatureError(
                    f"kernel '{self.name}': the constant '{name}' is unhashable, found {type(value).__name__};"
                    " constants are hashable, such as tuples and frozen dataclasses: there is a program for each"
                )
        return tuple(arguments), constants

    def _counted(self) -> str:
        names = ", ".join(p.name for p in self.arguments)
        return f"{len(self.arguments)} argument{'s' * (len(self.arguments) != 1)} ({names})"

    def types(self, arguments: Sequence[Any]) -> tuple[ParameterType, ...]:
        """The type of each argument: what the annotation says, else what is given has."""
        return tuple(
            type_of_given(p.name, a) if p.type is None else p.type
            for p, a in zip(self.arguments, arguments, strict=True)
        )

    def check_extents(self, arguments: Sequence[Any]) -> None:
        """Raises SignatureError where extents of one name differ, or arrays have other ranks than annotated."""
        for name, places in self.named_extents.items():
            known = [(self._extent(arguments[number], number, dim), number, dim) for number, dim, _ in places]
            found = [place for place in known if place[0] is not None]
            for extent, number, dim in found[1:]:
                first, one, axis = found[0]
                if extent != first:
                    raise SignatureError(
                        f"kernel '{self.name}': '{name}' is {first} in axis {axis} of '{self.arguments[one].name}'"
                        f" and {extent} in axis {dim} of '{self.arguments[number].name}'"
                    )

    def _extent(self, argument: Any, number: int, dim: int) -> int | None:
        """The extent of an array's axis; None of a description that does not say it."""
        parameter = self.arguments[number]
        described = isinstance(argument, ArrayType)
        shape: tuple[int | None, ...] = argument.constant_dims if described else tuple(argument.shape)
        expected = len(shape) if parameter.type is None else len(parameter.type.dims)
        if len(shape) != expected:
            raise SignatureError(f"kernel '{self.name}': '{parameter.name}' has {expected} axes, found {len(shape)}")
        return shape[dim] if described else extent_of(argument, dim, self.in_byte(number, dim))

    def in_byte(self, number: int, dim: int) -> int:
        """How many elements along a dimension may share a byte of what is given."""
        type = self.arguments[number].type
        return elements_in_byte(type.dtype) if type is not None and type.is_array and dim == len(type.dims) - 1 else 1


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _named_extents(parameters: Sequence[Parameter]) -> dict[str, list[tuple[int, int, int]]]:
    found: dict[str, list[tuple[int, int, int]]] = {}
    for number, parameter in enumerate(parameters):
        if isinstance(parameter.type, ArrayType):
            names = parameter.type.names
            for dim, name in enumerate(names):
                if name:
                    found.setdefault(name, []).append((number, dim, len(names)))
    return {name: places for name, places in found.items() if len(places) > 1}


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    cells: Mapping[str, Any] = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    try:
        return typing.get_type_hints(function, localns=dict(cells), include_extras=True)
    except NameError as error:
        raise SignatureError(
            f"the annotations of kernel '{function.__qualname__}' name what is not there: {error}; annotations are read"
            " in the module of the function"
        ) from None


_PLAIN: Mapping[Any, DType] = {int: index, float: f32, bool: i1}


def _annotated(name: str, hints: Mapping[str, Any], kernel: str) -> ParameterType | None:
    hint = hints.get(name)
    if hint is None:
        return None
    if typing.get_origin(hint) is typing.Annotated:
        said = [m for m in hint.__metadata__ if isinstance(m, (ArrayType, DType))]
        if len(said) == 1:
            return said[0]
    elif hint in _PLAIN:
        return _PLAIN[hint]
    elif getattr(hint, "__name__", "") in ("Array", "Any"):
        return None
    raise SignatureError(
        f"kernel '{kernel}': the annotation of '{name}' says nothing of its type; expected int, float, bool,"
        f' Annotated[lw.Value, lw.i32], Annotated[lw.Array, lw.f16["M", "K"]], or none, found {hint!r}'
    )


def type_of_given(name: str, given: Any) -> ParameterType:
    """The type of an argument, or of what stands for one: `lw.f16["M", 64]`, `lw.i32`."""
    if isinstance(given, (ArrayType, DType)):
        return given
    dtype = getattr(given, "dtype", None)
    if dtype is not None and hasattr(given, "shape"):
        known = BY_LIBRARY_NAME.get(str(dtype).removeprefix("torch."))
        if known is None:
            raise SignatureError(f"argument '{name}': an array of an element type that kernels take, found {dtype}")
        shape = given.shape
        if not shape and not hasattr(given, "data_ptr"):  # a number of numpy
            return known
        return ArrayType(known, (None,) * len(shape), _strides(given, len(shape)))
    for kind, number in ((bool, i1), (int, index), (float, f32)):
        if isinstance(given, kind):
            return number
    raise SignatureError(f"argument '{name}': expected an array or a number, found {type(given).__name__}")


def _strides(array: Any, rank: int) -> tuple[int | None, ...] | None:
    """None of rows without gaps; else all strides are known at launch, but a last one of 1."""
    steps = _steps(array)
    if steps is None:
        return None
    expected = 1
    dense = True
    for extent, step in zip(reversed(array.shape), reversed(steps), strict=True):
        dense = dense and (extent == 1 or step == expected)
        expected *= extent
    if dense or 0 in array.shape:
        return None
    return (*[None] * (rank - 1), 1 if steps[-1] == 1 else None)


def _steps(array: Any) -> tuple[int, ...] | None:
    """Strides in elements, None where the library says none: then there are no gaps."""
    if hasattr(array, "data_ptr"):
        own: Sequence[int] = array.stride()  # torch's
        return tuple(own)
    strides: Sequence[int] | None = getattr(array, "strides", None)
    if strides is None:
        return None
    size: int = array.dtype.itemsize
    return tuple(step // size for step in strides)
