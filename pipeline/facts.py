"""What is known of a kernel's arguments: facts that a launch sees, and what the program states of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from ..ir.attributes import ArrayAttr, DenseArrayAttr, DictAttr, IntegerAttr, int_array, is_int_array, number_of
from ..ir.cloning import clone
from ..ir.dialects.func import FunctionLike
from ..ir.kernels import Kernel
from ..ir.types import I64, Attribute, FloatType, MemRefType
from ..support.dataclasses import dataclass
from ..support.diagnostics import CompileError, Diagnostic

_NEAR = 32
"""Bits of signed offsets."""


@dataclass(frozen=True)
class ArgumentFacts:
    """What is known of one kernel argument: see docs/files.md for the attributes these become.

    `align`: bytes that divide a buffer's address. `divisibility`: what divides a number, or each extent of a buffer.
    `strides`: what divides each stride of a buffer, in elements. `near`: a buffer lies in the 2 GiB from its address
    on.
    """

    align: int | None = None
    divisibility: int | tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    near: bool = False

    def attributes(self) -> dict[str, Attribute]:
        entries: dict[str, Attribute] = {}
        if self.align is not None:
            entries["llvm.align"] = IntegerAttr(self.align, I64)
        if isinstance(self.divisibility, int):
            entries["lanewise.divisibility"] = IntegerAttr(self.divisibility, I64)
        elif self.divisibility is not None:
            entries["lanewise.divisibility"] = DenseArrayAttr(I64, self.divisibility)
        if self.strides is not None:
            entries["lanewise.stride_divisibility"] = DenseArrayAttr(I64, self.strides)
        if self.near:
            entries["lanewise.pointer_range"] = IntegerAttr(_NEAR, I64)
        return entries


def with_facts(function: FunctionLike, facts: Mapping[int, ArgumentFacts]) -> FunctionLike:
    """A copy of a kernel whose arguments carry `facts` besides what the source says of them; the source wins."""
    copy = clone(function, {})
    if not facts:
        return copy
    arguments = copy.regions[0].block.arguments
    given = copy.attributes.get("arg_attrs")
    entries = given.values if isinstance(given, ArrayAttr) else (DictAttr(()),) * len(arguments)
    merged = [
        DictAttr.of({**facts.get(i, ArgumentFacts()).attributes(), **dict(e.entries)}) if isinstance(e, DictAttr) else e
        for i, e in enumerate(entries)
    ]
    copy.attributes["arg_attrs"] = ArrayAttr(tuple(merged))
    return copy


def check_facts(kernel: Kernel) -> None:
    """What the program states of its arguments has to be a statement."""
    for index, argument in enumerate(kernel.arguments):
        rank = argument.type.rank if isinstance(argument.type, MemRefType) else None
        stated = kernel.argument_attribute(index, "llvm.align")
        align = number_of(stated) or 0
        if stated is not None and (rank is None or align < 1 or align & (align - 1)):
            _reject(kernel, index, f"llvm.align is {stated}, expected a power of two on a memref")
        _check_divisors(kernel, index, "lanewise.divisibility", rank, "extents")
        _check_divisors(kernel, index, "lanewise.stride_divisibility", rank, "strides")
        bits = kernel.argument_attribute(index, "lanewise.pointer_range")
        if bits is not None and (rank is None or getattr(bits, "value", None) != _NEAR):
            _reject(kernel, index, f"lanewise.pointer_range is {bits}, expected {_NEAR} on a memref")


def _check_divisors(kernel: Kernel, index: int, name: str, rank: int | None, of: str) -> None:
    """A number states one divisor; an array one for each extent or stride of a memref."""
    stated = kernel.argument_attribute(index, name)
    if stated is None:
        return
    type = kernel.arguments[index].type
    if isinstance(type, FloatType):
        _reject(kernel, index, f"{name} is of an integer, an index or a memref, found {type}")
    expected = "one number" if rank is None else f"a number for each of {rank} {of}"
    if not isinstance(stated, IntegerAttr if rank is None else DenseArrayAttr) or (rank and not is_int_array(stated)):
        _reject(kernel, index, f"{name} is {stated}, expected {expected}")
    numbers = int_array(stated) if rank is not None else (number_of(stated) or 0,)
    if rank is not None and len(numbers) != rank:
        _reject(kernel, index, f"{name} has {len(numbers)} numbers, expected {expected}")
    if any(n < 1 for n in numbers):
        _reject(kernel, index, f"{name} is {stated}, expected numbers of at least 1")
    if isinstance(type, MemRefType):
        known = type.shape if of == "extents" else type.strides_and_offset()[0]
        for dim, (stated_divisor, number) in enumerate(zip(numbers, known, strict=True)):
            if number is not None and number % stated_divisor:
                _reject(kernel, index, f"{name} says {stated_divisor} of dimension {dim}, whose number is {number}")


def _reject(kernel: Kernel, index: int, what: str) -> NoReturn:
    raise CompileError([Diagnostic(f"argument {index} of '@{kernel.name}': {what}", kernel.op.location)])
