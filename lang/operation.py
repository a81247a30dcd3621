"""A kernel in Python as an operation of another library: which constants a call may choose, and what it writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..jit.operation import REQUIRED, Constant, ConstantKind, KernelOperation, Operand, OperandKind, OperationError
from ..jit.operation import written_by as written_arguments
from ..jit.signature import SignatureParameter
from .dtypes import ArrayType
from .signature import ParameterType, Signature

_NUMBERS: Mapping[str, OperandKind] = {"float": "float", "integer": "int", "index": "int", "bool": "bool"}
_CONSTANTS: Mapping[Any, ConstantKind] = {int: "int", float: "float", bool: "bool", str: "str"}


def operation_of(
    signature: Signature,
    fixed: Mapping[str, Any],
    start: Callable[..., None],
    compiled: Callable[..., Sequence[SignatureParameter]],
) -> KernelOperation:
    """What others see of a kernel, some of whose constants are `fixed`; `start` launches it, and `compiled` gives the
    signature of its program, both for arguments and constants by name.

    Constants are chosen by calls where an annotation or a default says that they are numbers, truth values or words;
    all others keep their defaults. Raises OperationError where one has none, and what tracing does.
    """
    for name in fixed:
        if name not in signature.constants:
            known = ", ".join(signature.constants) or "none"
            raise OperationError(f"kernel '{signature.name}' has no constant '{name}'; constants: {known}")
    constants = tuple(_constants(signature, fixed))

    def launch(arguments: Sequence[Any], chosen: Mapping[str, Any]) -> None:
        start(*arguments, **fixed, **chosen)

    def writes(arguments: Sequence[Any], chosen: Mapping[str, Any]) -> frozenset[str]:
        return written_arguments(compiled(*arguments, **fixed, **chosen))

    types = [p.type for p in signature.arguments]
    written = None
    if None not in types and not any(constant.default is REQUIRED for constant in constants):
        written = writes(types, {constant.name: constant.default for constant in constants})
    operands = tuple(_operand(p.name, p.type) for p in signature.arguments)
    return KernelOperation(signature.name, operands, constants, written, launch, writes, signature.check_extents)


def _operand(name: str, type: ParameterType | None) -> Operand:
    """What nothing is said of is an array, with any strides."""
    if type is None or isinstance(type, ArrayType):
        return Operand(name, "array", dense=type is not None and type.strides is None)
    return Operand(name, _NUMBERS[type.kind])


def _constants(signature: Signature, fixed: Mapping[str, Any]) -> list[Constant]:
    found: list[Constant] = []
    for name, default in signature.constants.items():
        kind = _CONSTANTS.get(signature.constant_hints.get(name)) or _CONSTANTS.get(type(default))
        if name in fixed:
            continue
        if kind is not None:
            found.append(Constant(name, kind, default))
        elif default is REQUIRED:
            raise OperationError(
                f"the constant '{name}' of kernel '{signature.name}' has no default, and no annotation says that"
                f" it is an int, float, bool or str, which calls could choose: expected {name}=... here"
            )
    return found
