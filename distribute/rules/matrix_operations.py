"""nvgpu, amdgpu: matrix instructions of a thread's program, on the fragments that its lane holds."""

from __future__ import annotations

from ...ir.core import Operation, Value
from ...ir.dialects.amdgpu_transposes import GlobalTransposeLoadOp, TransposeLoadOp, TransposingLoadOp
from ...ir.types import shape_of
from ..context import DISTRIBUTE, Distribution, as_array, distributes


def _on_lane_vectors(d: Distribution, op: Operation) -> None:
    made = d.kept(op, [[_fragment(d, value) for value in field.group(op)] for field in op.operand_groups])
    for result, value in zip(op.results, made.results, strict=True):
        if result.type.is_vector:
            d.set_registers(result, as_array(d.build.unpack(value), d.layout(result).distributed_shape))
        else:
            d.set_scalar(result, value)


DISTRIBUTE.family(lambda cls: cls.on_lane_vectors or cls.multiplies_fragments, _on_lane_vectors)


@distributes(TransposeLoadOp, GlobalTransposeLoadOp)
def _transpose_load(d: Distribution, op: TransposingLoadOp) -> None:
    made = d.kept(op, [d.scalar(op.src), [d.scalar(i) for i in op.srcIndices]]).res
    d.set_registers(op.res, as_array(d.build.unpack(made), d.layout(op.res).distributed_shape))


def _fragment(d: Distribution, value: Value) -> Value:
    shape = shape_of(value.type)
    return d.build.pack(list(d.registers(value).reshape(-1)), shape) if shape else d.scalar(value)
