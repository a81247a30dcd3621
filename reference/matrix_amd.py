"""Rules for AMD's matrix instructions: registers to matrices of whole subgroups, one batched product, and back.

Fragments are those of `targets`, with K as the hardware numbers it. RDNA 3 wants A and B twice, in both halves of
the subgroup, and it is an error if they differ.
"""

from __future__ import annotations

import numpy as np

from ..ir.core import Operation
from ..ir.dialects import amdgpu
from ..ir.numerics import Array
from ..ir.types import FloatType, Type, bit_width, element_count, scalar_type, shape_of
from ..targets.fragment import Placement, placement
from ..targets.instructions import amd_product
from ..targets.matrix_instruction import Family
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .matrix_bounds import bounds
from .matrix_nvidia import all_threads, product_type, require_subgroups, tf32, without_sign

# -- the rules ------------------------------------------------------------------------------------------------------


@EVALUATE.of(amdgpu.MfmaOp, amdgpu.WmmaOp)
def _matrix(op: amdgpu.MatrixOp, c: Compiler) -> Step:
    family: Family = "mfma" if isinstance(op, amdgpu.MfmaOp) else "wmma"
    types = [v.type for v in (op.sourceA, op.sourceB, op.destC)]
    elements = [scalar_type(t) for t in types]
    counts = [element_count(t) for t in types]
    form = amd_product(family, op.shape, bit_width(elements[0]), (counts[0], counts[2]))
    if form is None or counts[1] != counts[0]:
        listed = ", ".join(map(str, types))
        raise failure(op, f"is no instruction: {'x'.join(map(str, op.shape))} on {listed}")
    lanes, fragments = form
    found = [placement(fragment, lanes) for fragment in fragments]
    inputs, out = c.slots([op.sourceA, op.sourceB, op.destC]), c.slot(op.destD)
    wide = product_type(elements[0], elements[2])
    unsigned = [bit_width(elements[0]) * (f"unsigned{side}" in op.attributes) for side in "ABC"]
    truncate = _is_tf32(op, elements[0])
    note = bounds(c, inputs, out, types, [place.matrices for place in found], found[2].registers)

    def step(m: State) -> None:
        require_subgroups(m, op, lanes)
        given = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        x, y, z = (_operand(op, p, v, u) for p, v, u in zip(found, given, unsigned, strict=True))
        left, right = ((tf32(v) if truncate else v).astype(wide) for v in (x, y))
        total = np.matmul(left, right) + z.astype(wide)
        if wide == np.int64:
            total = total.astype(np.int32)
        note(m, (left, right, z))
        m.values[out] = found[2].registers(total).astype(z.dtype, copy=False).reshape(m.batch.size, *shape_of(types[2]))

    return step


def _is_tf32(op: amdgpu.MatrixOp, a: Type) -> bool:
    """The instructions of twice the depth of those that multiply f32 do it in tf32."""
    depth = {(16, 16, 8), (32, 32, 4)}
    return a == FloatType("tf32") or (isinstance(op, amdgpu.MfmaOp) and a == FloatType("f32") and op.shape in depth)


def _operand(op: Operation, place: Placement, value: Array, unsigned: int) -> Array:
    """As matrices; integers of so many bits as unsigned ones."""
    matrices = place.matrices(value)
    if place.is_replicated:
        given = value.reshape(-1, place.elements.size)
        if not np.array_equal(_bits(place.registers(matrices)), _bits(given)):
            raise failure(op, "has operands that differ between the halves of a subgroup, which must hold the same")
    return without_sign(matrices.astype(np.int64), unsigned) if unsigned else matrices


def _bits(value: Array) -> Array:
    return np.ascontiguousarray(value).view(np.uint8)
