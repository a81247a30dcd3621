"""Traces a function into a module: the same vector program that a text would be."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ..ir.attributes import DenseArrayAttr, IntegerAttr, StringAttr, TypeAttr, UnitAttr
from ..ir.builder import FoldingBuilder
from ..ir.core import Block, Operation, Region
from ..ir.dialects import gpu
from ..ir.dialects.arith import ConstantOp
from ..ir.dialects.builtin import ModuleOp
from ..ir.dialects.constants import constant_int
from ..ir.types import I1, I32, I64, INDEX, Attribute, FunctionType, MemRefType, StridedLayout, Type
from ..ir.verify import verify
from ..support.collector import paused
from ..support.dataclasses import dataclass
from .arrays import Array
from .dtypes import ArrayType
from .grids import Cover
from .operands import Operand, element_of
from .signature import ParameterType
from .trace import Places, Trace, of_user
from .values import Value


@dataclass(frozen=True)
class Options:
    """What a kernel's decorator says of the program; see `kernel.kernel`."""

    workgroup: int | tuple[int, ...] | Callable[..., int | tuple[int, ...]]
    subgroup: int | None
    cluster: int | tuple[int, ...] | None
    scope: Literal["workgroup", "subgroup", "thread"]
    passes: Mapping[str, bool | int | str]
    """What is asked of passes, by the attribute's name without `lanewise.`."""

    def attributes(self, constants: Mapping[str, Any]) -> dict[str, Attribute]:
        """The attributes of the function."""
        size = self.workgroup(**constants) if callable(self.workgroup) else self.workgroup
        found: dict[str, Attribute] = {"known_block_size": _sizes(size)}
        if self.cluster is not None:
            found["known_cluster_size"] = _sizes(self.cluster)
        if self.subgroup is not None:
            found["lanewise.subgroup_size"] = IntegerAttr(self.subgroup, I64)
        if self.scope != "workgroup":
            found["lanewise.scope"] = StringAttr(self.scope)
        return found | {f"lanewise.{name}": _attribute(value) for name, value in self.passes.items()}


def _sizes(size: int | tuple[int, ...]) -> DenseArrayAttr:
    given = (size,) if isinstance(size, int) else tuple(size)
    return DenseArrayAttr(I32, (*given, 1, 1)[: max(3, len(given))])


def _attribute(value: bool | int | str) -> Attribute:
    if isinstance(value, str):
        return StringAttr(value)
    return IntegerAttr(int(value), I1 if isinstance(value, bool) else I64)


@dataclass(frozen=True, eq=False)
class Program:
    """What tracing gives: the verified module, what of the arguments the grid goes along, and the axes of the grid that
    the program asks for its place in."""

    module: Operation
    cover: Cover
    axes: tuple[str, ...]


def traced(
    prepared: Callable[..., Any],
    function: types.FunctionType,
    names: Sequence[str],
    types: Sequence[ParameterType],
    constants: Mapping[str, Any],
    options: Options,
) -> Program:
    """The program of a function.

    Args:
        prepared: What is called: the function with hooks.
        function: The user's, whose place and name the program has.
        names: Of the arguments.
        types: Of the arguments.
        constants: By name.
        options: What the decorator says.
    """
    with paused():
        places = Places()
        location = places.line(function.__code__.co_filename, function.__code__.co_firstlineno)
        body = Block([machine_type(t) for t in types])
        current = Trace(FoldingBuilder(body), places)
        current.build.location = location
        _call(current, prepared, body, names, types, constants)
        current.write_delayed()
        current.build.location = location
        current.build.op(gpu.ReturnOp)
        kind = FunctionType(tuple(a.type for a in body.arguments), ())
        attributes: dict[str, Attribute] = {
            "sym_name": StringAttr(function.__name__),
            "function_type": TypeAttr(kind),
            "kernel": UnitAttr(),
            **options.attributes(constants),
        }
        _drop_dead(body)
        _name(current, body)
        made = gpu.GPUFuncOp((), (), attributes, [Region([body])], location)
        block = Block()
        block.append(made)
        module = ModuleOp(regions=[Region([block])], location=location)
        gpu.house_kernels(module)
        verify(module)
        axes = {op.dimension.value for op in made.all_of(gpu.BlockIdOp)}
        return Program(module, Cover(dict.fromkeys(current.uses)), tuple(sorted(axes)))


def _call(
    current: Trace,
    prepared: Callable[..., Any],
    body: Block,
    names: Sequence[str],
    types: Sequence[ParameterType],
    constants: Mapping[str, Any],
) -> None:
    current.begin()
    try:
        prepared(*arguments(body, names, types), **constants)
    except Exception as error:
        raise error.with_traceback(of_user(error.__traceback__) or error.__traceback__) from error.__cause__
    finally:
        current.end()


def arguments(body: Block, names: Sequence[str], types: Sequence[ParameterType]) -> list[Array | Value]:
    """What the function is called with."""
    found: list[Array | Value] = []
    for argument, name, type in zip(body.arguments, names, types, strict=True):
        argument.hint = name
        if isinstance(type, ArrayType):
            dims = [d if isinstance(d, str) else "" for d in type.dims]
            found.append(Array(argument, type.dtype, name, dims))  # type: ignore[arg-type]
        else:
            found.append(Value(Operand(argument, type)))
    return found


def machine_type(type: ParameterType) -> Type:
    """MLIR's type of an argument."""
    if not isinstance(type, ArrayType):
        return element_of(type)
    shape = tuple(d if isinstance(d, int) else None for d in type.dims)
    layout = None if type.strides is None else StridedLayout(type.strides)
    return MemRefType(shape, element_of(type.dtype), layout)


def _name(current: Trace, body: Block) -> None:
    """Gives names to what the user gave none: constants, and what has one of its own."""
    for value, name in current.suggested.items():
        value.hint = value.hint or name
    for op in body.operations:
        if isinstance(op, ConstantOp) and not op.result.hint:
            number = constant_int(op.result)
            is_place = op.result.type == INDEX and number is not None and number >= 0
            op.result.hint = f"c{number}" if is_place else "cst"


def _drop_dead(block: Block) -> None:
    """Takes out pure operations that nobody uses, from the last to the first."""
    for op in reversed(tuple(block.operations)):
        for region in op.regions:
            for inner in region.blocks:
                _drop_dead(inner)
        if op.pure and not op.regions and not any(result.users for result in op.results):
            block.erase(op)
