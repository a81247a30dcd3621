"""Traces a function into a module: the same vector program that a text would be."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..analysis.integers import Integers
from ..ir.attributes import ArrayAttr, DictAttr, IntegerAttr, StringAttr
from ..ir.builder import FoldingBuilder
from ..ir.core import Block, Operation
from ..ir.dialects import gpu
from ..ir.dialects.arith import ConstantOp
from ..ir.dialects.constants import constant_int
from ..ir.kernels import KernelOptions, kernel_module
from ..ir.types import I1, I64, INDEX, Attribute, MemRefType, StridedLayout, Type
from ..ir.verify import verify
from ..jit.grid_uses import GridUses
from ..support.collector import paused
from ..support.dataclasses import dataclass
from ..support.diagnostics import Diagnostic, LanewiseError, Location, VerifyError
from .arrays import Array
from .dtypes import ArrayType, extents
from .operands import Operand, element_of
from .options import Options
from .signature import ParameterType
from .trace import Places, Trace, TraceError
from .tracebacks import of_user
from .values import Value
from .visibility import explained


@dataclass(frozen=True, eq=False)
class Program:
    """What tracing gives: the verified module, and how the grid goes along the arguments."""

    module: Operation
    grid_uses: GridUses


def traced(
    places: Places,
    prepared: Callable[..., Any],
    function: types.FunctionType,
    names: Sequence[str],
    types: Sequence[ParameterType],
    constants: Mapping[str, Any],
    options: Options,
) -> Program:
    """The program of a function.

    Args:
        places: The places of the user's code, which are kept from one trace to the next.
        prepared: What is called: the function with hooks.
        function: The user's, whose place and name the program has.
        names: Of the arguments.
        types: Of the arguments.
        constants: By name.
        options: What the decorator says.
    """
    with paused():
        location = places.line(function.__code__.co_filename, function.__code__.co_firstlineno)
        body = Block([machine_type(t) for t in types])
        current = Trace(FoldingBuilder(body, Integers()), places, inspect.unwrap(prepared).__code__)
        current.build.location = location
        call(current, prepared, body, names, types, constants)
        _drop_dead(body)
        _name(current)
        stated = options_of_kernel(options, location)
        if current.stated:
            needed = [DictAttr.of(current.stated.get(argument, {})) for argument in body.arguments]
            stated["attributes"] = {**stated.get("attributes", {}), "arg_attrs": ArrayAttr(tuple(needed))}
        module = kernel_module(function.__name__, body, options.threads(constants), **stated)
        _name_constants(module)
        try:
            verify(module)
        except VerifyError as error:
            raise explained(body) or error from None
        axes = {op.dimension.value for op in module.all_of(gpu.BlockIdOp)}
        return Program(module, GridUses(tuple(dict.fromkeys(current.uses)), tuple(sorted(axes))))


def options_of_kernel(options: Options, location: Location) -> KernelOptions:
    """What `kernel_module` takes of what the decorator says."""
    stated = {f"lanewise.{name}": _attribute(value) for name, value in options.passes.items()}
    found: KernelOptions = {"attributes": stated, "location": location}
    if options.cluster is not None:
        found["cluster"] = extents(options.cluster)
    if options.subgroup is not None:
        found["subgroup"] = options.subgroup
    if options.scope != "workgroup":
        found["scope"] = options.scope
    return found


def _attribute(value: bool | int | str) -> Attribute:
    if type(value) is str:
        return StringAttr(value)
    return IntegerAttr(int(value), I1 if isinstance(value, bool) else I64)


def call(
    current: Trace,
    prepared: Callable[..., Any],
    body: Block,
    names: Sequence[str],
    types: Sequence[ParameterType],
    constants: Mapping[str, Any],
) -> None:
    """Lets a function write its operations into a trace. What it raises ends in the user's line."""
    current.begin()
    try:
        result = prepared(*arguments(body, names, types), **constants)
        current.write_delayed()
        if result is not None:
            place = current.places.line(current.root.co_filename, current.root.co_firstlineno)
            message = f"a kernel returns nothing, '{current.root.co_name}' returns {type(result).__name__} {result!r}"
            raise TraceError([Diagnostic(message, place, hint="write it to an argument: out[...] = value")])
    except Exception as error:
        if current.open and not isinstance(error, LanewiseError):
            what, around = current.open[-1]
            error.add_note(
                f"{around}: raised while a {what} of the device was traced, once and whatever its numbers are"
            )
        raise error.with_traceback(of_user(error) or error.__traceback__) from error.__cause__
    finally:
        current.end()


def arguments(body: Block, names: Sequence[str], types: Sequence[ParameterType]) -> list[Array | Value]:
    """What the function is called with."""
    found: list[Array | Value] = []
    for argument, name, type in zip(body.arguments, names, types, strict=True):
        argument.hint = name
        if isinstance(type, ArrayType):
            found.append(Array(argument, type.dtype, name, type.names))  # type: ignore[arg-type]
        else:
            found.append(Value(Operand(argument, type)))
    return found


def machine_type(type: ParameterType) -> Type:
    """MLIR's type of an argument."""
    if not isinstance(type, ArrayType):
        return element_of(type)
    shape = type.constant_dims
    layout = None if type.strides is None else StridedLayout(type.strides)
    return MemRefType(shape, element_of(type.dtype), layout)


def _name(current: Trace) -> None:
    """Gives names to what has one of its own, and the user gave none."""
    for value, name in current.suggested.items():
        value.hint = value.hint or name


def _name_constants(module: Operation) -> None:
    for op in module.all_of(ConstantOp):
        value = op.results[0]
        if not value.hint:
            number = constant_int(value) if value.type == INDEX else None
            value.hint = "cst" if number is None or number < 0 else f"c{number}"


def _drop_dead(block: Block) -> None:
    """Takes out pure operations that nobody uses, from the last to the first."""
    for op in reversed(tuple(block.operations)):
        for region in op.regions:
            for inner in region.blocks:
                _drop_dead(inner)
        if op.pure and not op.regions and not _is_used(op):
            block.erase(op)


def _is_used(op: Operation) -> bool:
    for result in op.results:  # noqa: SIM110  # without a call for each of all operations
        if result.is_used:
            return True
    return False
