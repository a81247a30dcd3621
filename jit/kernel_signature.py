"""What a kernel's arguments are, read off the program: element types, extents, which buffers it reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ..ir.attributes import IntegerAttr
from ..ir.core import Operation, Value
from ..ir.dialects import memref, vector
from ..ir.kernels import Kernel
from ..ir.numerics import dtype_of
from ..ir.types import MemRefType, VectorType, bit_width, element_type
from .signature import BufferParameter, ScalarParameter, SignatureParameter

_READS: frozenset[type[Operation]] = frozenset(
    {memref.LoadOp, memref.AtomicRMWOp, vector.TransferReadOp, vector.LoadOp, vector.MaskedLoadOp}
)
_WRITES: frozenset[type[Operation]] = frozenset(
    {memref.StoreOp, memref.AtomicRMWOp, vector.TransferWriteOp, vector.StoreOp, vector.MaskedStoreOp}
)
_NEITHER: frozenset[type[Operation]] = frozenset({memref.DimOp})
_VIEWS: frozenset[type[Operation]] = frozenset(
    {memref.SubViewOp, memref.ViewOp, memref.CastOp, memref.AssumeAlignmentOp}
)


def signature_of(kernel: Kernel) -> tuple[SignatureParameter, ...]:
    """One parameter for each argument, named as in the program or `arg0`, `arg1`, ...

    Raises TypeError for an argument that no launch can pass (a vector, an f6).
    """
    uses = _uses(kernel.op)
    return tuple(_parameter(kernel, i, uses) for i in range(len(kernel.arguments)))


def assumed_alignment(kernel: Kernel) -> Mapping[int, int]:
    """Bytes of alignment that the program itself assumes, by argument number: it says so, or views bytes as wider."""
    uses = _uses(kernel.op)
    found: dict[int, int] = {}
    for i, argument in enumerate(kernel.arguments):
        attribute = kernel.argument_attribute(i, "llvm.align")
        given = [attribute.value] if isinstance(attribute, IntegerAttr) else [1]
        for op in _reached(argument, uses):
            if isinstance(op, memref.AssumeAlignmentOp):
                given.append(op.alignment)
            elif isinstance(op, memref.ViewOp):
                given.append(-(-bit_width(element_type(memref.memref_type(op.result).element)) // 8))
        found[i] = max(given)
    return MappingProxyType(found)


_WIDEST = 64
Uses = Mapping[Value, list[Operation]]


def _uses(function: Operation) -> Uses:
    uses: dict[Value, list[Operation]] = {}
    for op in function.walk():
        for value in op.operands:
            if isinstance(value.type, MemRefType):
                uses.setdefault(value, []).append(op)
    return uses


def _parameter(kernel: Kernel, index: int, uses: Uses) -> SignatureParameter:
    argument = kernel.arguments[index]
    name = argument.hint if argument.hint and not argument.hint[0].isdigit() else f"arg{index}"
    scalar = element_type(argument.type.element if isinstance(argument.type, MemRefType) else argument.type)
    if bit_width(scalar) > _WIDEST:
        raise TypeError(f"argument {name!r}: a launch passes numbers of at most {_WIDEST} bits, not {scalar}")
    if not isinstance(argument.type, MemRefType):
        if isinstance(argument.type, VectorType):
            raise TypeError(f"argument {name!r}: a kernel cannot be passed a {argument.type}; pass a memref")
        return ScalarParameter(name, dtype_of(argument.type))
    type = argument.type
    classes = {op.__class__ for op in _reached(argument, uses)}
    known = _READS | _WRITES | _NEITHER | _VIEWS
    unknown = bool(classes - known)  # such as a loop that carries the buffer
    strides, offset = type.strides_and_offset()
    return BufferParameter(
        name,
        dtype_of(type.element),
        type.shape,
        None if type.layout is None else strides,
        offset,
        read=unknown or bool(classes & _READS),
        written=unknown or bool(classes & _WRITES),
        near=kernel.argument_attribute(index, "lanewise.pointer_range") is not None,
    )


def _reached(buffer: Value, uses: Uses) -> Iterator[Operation]:
    """Every operation that uses a buffer or a view of it."""
    for op in uses.get(buffer, []):
        yield op
        if op.__class__ in _VIEWS:
            for result in op.results:
                yield from _reached(result, uses)
