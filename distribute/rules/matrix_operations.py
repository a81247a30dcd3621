"""nvgpu, amdgpu: matrix instructions of a thread's program, on the fragments that its lane holds."""

from __future__ import annotations

from ...ir.core import Operation, Value
from ...ir.dialects.amdgpu_lds import TransposeLoadOp
from ...ir.matrix_operations import ON_FRAGMENTS
from ...ir.types import VectorType, shape_of
from ..context import Distribution, as_array, distributes


@distributes(*ON_FRAGMENTS)
def _matrix_operation(d: Distribution, op: Operation) -> None:
    operands = [_fragment(d, value) for value in op.operands]
    (result,) = op.results
    made = d.build.value(type(op), *operands, types=[result.type], **op.attributes)
    if isinstance(result.type, VectorType):
        d.set_registers(result, as_array(d.build.unpack(made), d.layout(result).distributed_shape))
    else:
        d.set_scalar(result, made)


@distributes(TransposeLoadOp)
def _transpose_load(d: Distribution, op: TransposeLoadOp) -> None:
    indices = [d.scalar(i) for i in op.srcIndices]
    made = d.build.op(TransposeLoadOp, d.scalar(op.src), indices, types=[op.res.type], **op.attributes).res
    d.set_registers(op.res, as_array(d.build.unpack(made), d.layout(op.res).distributed_shape))


def _fragment(d: Distribution, value: Value) -> Value:
    shape = shape_of(value.type)
    return d.build.pack(list(d.registers(value).reshape(-1)), shape) if shape else d.scalar(value)
