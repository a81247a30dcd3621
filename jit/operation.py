"""A kernel as an operation of another library: its operands, its constants, what it writes, and functions by name.

What people say of an operation (how its outputs are made, its gradients, its grid) are functions whose parameters are
names of the kernel's: `lambda x, tile: ...` is called with the argument `x` and the constant `tile`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from .grids import Grid
from .signature import BufferParameter, SignatureParameter, buffers_of, kind_of

OperandKind: TypeAlias = Literal["array", "int", "float", "bool"]
ConstantKind: TypeAlias = Literal["int", "float", "bool", "str"]
Out: TypeAlias = Mapping[str, str | Callable[..., Any]]
"""For each argument that is an output: the argument that it is made like, or a function by name that makes it."""
Maker: TypeAlias = Callable[[Mapping[str, Any]], Any]
REQUIRED = inspect.Parameter.empty
"""The default of a constant that has none."""


class OperationError(LanewiseError, TypeError):
    """A kernel cannot be the operation that is asked for; the message says why, and what to give."""


class Operand(NamedTuple):
    """An argument of the kernel. `dense`: whether it is an array that has to have rows without gaps."""

    name: str
    kind: OperandKind
    dense: bool = False


class Constant(NamedTuple):
    """What a call may say of the program by name; `default` is `REQUIRED` where it has to."""

    name: str
    kind: ConstantKind
    default: Any


@dataclass(frozen=True)
class KernelOperation:
    """A kernel as others call it.

    Attributes:
        kernel: Its name.
        operands: Its arguments.
        constants: Those that a call may choose.
        written: Names of the arguments that it writes; None where that is not known before a launch.
        launch: Called with all arguments and the chosen constants.
        writes: What a launch with such arguments and constants writes; raises what tracing does.
        check: Raises where extents of arguments, which are numbers, do not fit each other.
    """

    kernel: str
    operands: tuple[Operand, ...]
    constants: tuple[Constant, ...]
    written: frozenset[str] | None
    launch: Callable[[Sequence[Any], Mapping[str, Any]], None]
    writes: Callable[[Sequence[Any], Mapping[str, Any]], frozenset[str]]
    check: Callable[[Sequence[Any]], None]

    @property
    def arrays(self) -> list[str]:
        """Names of the arguments that are arrays."""
        return [operand.name for operand in self.operands if operand.kind == "array"]

    def inputs(self, out: Collection[str]) -> tuple[Operand, ...]:
        """The arguments that a caller gives, where those in `out` are made. Raises OperationError for other names."""
        for name in out:
            if name not in self.arrays:
                raise OperationError(
                    f"out= of kernel '{self.kernel}' has '{name}': expected arguments that are arrays"
                    f" ({', '.join(self.arrays)})"
                )
        return tuple(operand for operand in self.operands if operand.name not in out)

    def makers(self, out: Out, like: Callable[[Any], Any]) -> dict[str, Maker]:
        """What makes each output of the inputs and constants, which it is called with by name; `like` makes one of an
        argument. Raises OperationError for names that are none."""
        inputs = self.inputs(out)
        known = [*(operand.name for operand in inputs), *(constant.name for constant in self.constants)]
        arrays = [operand.name for operand in inputs if operand.kind == "array"]
        made: dict[str, Maker] = {}
        for name, maker in out.items():
            if not isinstance(maker, str):
                made[name] = ByName(maker, known, f"out= of '{name}'")
            elif maker in arrays:
                made[name] = functools.partial(_like, maker, like)
            else:
                raise OperationError(
                    f"out= makes '{name}' like '{maker}': expected an argument that is given ({', '.join(arrays)})"
                )
        return made

    def chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """A value for each constant: what is given, or its default."""
        return {constant.name: given.get(constant.name, constant.default) for constant in self.constants}


class ByName:
    """A function that is called with what its parameters name; those with defaults may be its own.

    Attributes:
        names: What it is called with.
    """

    def __init__(self, function: Callable[..., Any], known: Collection[str], what: str) -> None:
        words = f"expected a function whose parameters are named as what it needs ({', '.join(known)})"
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            raise OperationError(f"{what}: {words}, found {function!r}") from None
        self.names = tuple(p.name for p in parameters if p.name in known or p.default is p.empty)
        for parameter in parameters:
            if parameter.name in self.names and (
                parameter.name not in known or parameter.kind is parameter.POSITIONAL_ONLY
            ):
                raise OperationError(f"{what}: {words}, found one of '{parameter.name}'")
        self._function = function

    def __call__(self, values: Mapping[str, Any]) -> Any:
        return self._function(**{name: values[name] for name in self.names})


def _like(name: str, like: Callable[[Any], Any], values: Mapping[str, Any]) -> Any:
    return like(values[name])


def launched_on(
    name: str, signature: Sequence[SignatureParameter], grid: Grid | Callable[..., Grid], start: Callable[..., None]
) -> KernelOperation:
    """A compiled kernel, which has no constants, on a grid or on one that a function of its arguments gives; `start`
    launches it on the grid that it is called with, before its arguments."""
    names = [parameter.name for parameter in signature]
    where = ByName(grid, names, "grid=") if callable(grid) else None
    written = written_by(signature)

    def launch(arguments: Sequence[Any], _: Mapping[str, Any]) -> None:
        if where is not None:
            start(where(dict(zip(names, arguments, strict=True))), *arguments)
        elif not callable(grid):
            start(grid, *arguments)

    return KernelOperation(
        name,
        operands_of(signature),
        (),
        written,
        launch,
        writes=lambda arguments, chosen: written,
        check=lambda arguments: None,
    )


_NUMBERS: Mapping[str, OperandKind] = {"b": "bool", "i": "int", "u": "int", "f": "float"}
"""Numbers by numpy's letters for the kinds of element types."""


def operands_of(signature: Sequence[SignatureParameter]) -> tuple[Operand, ...]:
    """The arguments of a program."""
    return tuple(
        Operand(p.name, "array", dense=p.strides is None)
        if isinstance(p, BufferParameter)
        else Operand(p.name, _NUMBERS[kind_of(p.dtype)])
        for p in signature
    )


def written_by(signature: Sequence[SignatureParameter]) -> frozenset[str]:
    """Names of the arguments that a program writes."""
    return frozenset(p.name for p in buffers_of(signature) if p.written)
