"""What a kernel's arguments are, read off the program: element types, extents, which buffers it reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..analysis.buffers import Buffers
from ..frontend.inline import with_called_bodies
from ..frontend.legalise import expanded
from ..frontend.vector_memrefs import flat
from ..frontend.written_out_types import has_tensors
from ..ir.attributes import number_of
from ..ir.core import Operation, Value
from ..ir.dialects import memref, vector
from ..ir.effects import views
from ..ir.kernels import Kernel
from ..ir.numerics import host_dtype
from ..ir.printing_programs import stated_printing
from ..ir.types import MemRefType, TensorType, VectorType, bit_width, element_type
from ..support.dataclasses import replace
from .print_buffer import PRINTED
from .signature import BufferParameter, ScalarParameter, SignatureParameter


def signature_of(kernel: Kernel, *, prints: bool = False) -> tuple[SignatureParameter, ...]:
    """One parameter for each argument, named as in the program or `arg0`, `arg1`, ...

    With `prints` the buffer for that, too, which is an argument once prints are written out. Calls of functions count
    as accesses of any kind: `with_called_bodies` says more.

    Raises TypeError for an argument that no launch can pass (a vector, an i128), CompileError for tensors that cannot
    be done without: some are changed in the buffer of an argument.
    """
    parameters = [_parameter(kernel, i) for i in range(len(kernel.arguments))]
    accessing = expanded(kernel, (vector.PrintOp, vector.TypeCastOp)) if has_tensors(kernel.op) else kernel
    read, written = set[Value](), set[Value]()
    for access, buffers in Buffers(accessing.op).accesses():
        read.update(buffers if access.reads else ())
        written.update(buffers if access.writes else ())
    stated = tuple(
        replace(parameter, read=argument in read, written=argument in written)
        if isinstance(parameter, BufferParameter)
        else parameter
        for parameter, argument in zip(parameters, accessing.arguments, strict=False)
    )
    return (*stated, PRINTED) if prints and stated_printing(kernel.op) is None else stated


def assumed_alignment(kernel: Kernel) -> Mapping[int, int]:
    """Bytes of alignment that the program itself assumes, by argument number: it says so, or views bytes as wider."""
    kernel = with_called_bodies(kernel)
    found: dict[int, int] = {}
    for i, argument in enumerate(kernel.arguments):
        given = [number_of(kernel.argument_attribute(i, "llvm.align")) or 1]
        given += [_assumed(op) for view in views(argument) for op in view.users]
        found[i] = max(given)
    return MappingProxyType(found)


_WIDEST = 64


def _assumed(op: Operation) -> int:
    """Bytes that the address of a memref is a multiple of, as this use of it says."""
    if isinstance(op, memref.AssumeAlignmentOp):
        return op.alignment
    return -(-bit_width(element_type(op.result_.type.element)) // 8) if isinstance(op, memref.ViewOp) else 1


def _parameter(kernel: Kernel, index: int) -> SignatureParameter:
    argument = kernel.arguments[index]
    name = argument.hint if argument.hint and not argument.hint[0].isdigit() else f"arg{index}"
    scalar = element_type(argument.type.element if isinstance(argument.type, MemRefType) else argument.type)
    if bit_width(scalar) > _WIDEST:
        raise TypeError(f"argument {name!r}: a launch passes numbers of at most {_WIDEST} bits, not {scalar}")
    if not isinstance(argument.type, MemRefType):
        if isinstance(argument.type, (VectorType, TensorType)):
            raise TypeError(f"argument {name!r}: a kernel cannot be passed a {argument.type}; pass a memref")
        return ScalarParameter(name, host_dtype(argument.type))
    type = flat(argument.type)
    assert isinstance(type, MemRefType)
    strides, offset = type.strides_and_offset()
    return BufferParameter(
        name,
        host_dtype(type.element),
        type.shape,
        None if type.layout is None else strides,
        offset,
        near=kernel.argument_attribute(index, "lanewise.pointer_range") is not None,
    )
