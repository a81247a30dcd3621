"""AMD's products of block-scaled elements: every element is multiplied by its scale, which is exact here, then by the
other.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..ir.dialects.amdgpu_scaled import ScaledMfmaOp
from ..ir.numerics import Array
from ..ir.types import F16, VectorType, bit_width, scalar_type, shape_of
from ..targets.amd_fragments import SCALE_BLOCK, WAVE, f8f6f4_a, mfma, scales
from ..targets.fragment import Placement, placement
from .matrix_bounds import Move, bounds
from .matrix_nvidia import all_threads, require_subgroups
from .program import EVALUATE, Compiler, Step
from .state import State


@EVALUATE.of(ScaledMfmaOp)
def _mfma_scaled(op: ScaledMfmaOp, c: Compiler) -> Step:
    operands = [op.sourceA, op.sourceB, op.destC]
    types = [v.type for v in operands]
    m, _, k = op.shape
    of_a, of_b = (f8f6f4_a(m, bit_width(scalar_type(t))) for t in types[:2])
    a, b, sums = (placement(fragment, WAVE) for fragment in (of_a, of_b.transposed, mfma(m, k).c))
    inputs, out = c.slots(operands), c.slot(op.destD)
    given = [(c.slot(v), v.type, index) for v, index in ((op.scalesA, op.scalesIdxA), (op.scalesB, op.scalesIdxB))]
    final = shape_of(types[2])
    products = [_of_more_digits(t) for t in types[:2]]

    def step(state: State) -> None:
        require_subgroups(state, op, WAVE)
        x, y, z = (all_threads(state, state.values[i], t) for i, t in zip(inputs, types, strict=True))
        left, right = (_scales(all_threads(state, state.values[i], t), index, m, k) for i, t, index in given)
        moves: list[Move] = [
            partial(_scaled, a, left), partial(_scaled, b, right.swapaxes(1, 2)), sums.matrices,
        ]  # fmt: skip
        matrices = tuple(move(v) for move, v in zip(moves, (x, y, z), strict=True))
        total = np.matmul(matrices[0], matrices[1]) + matrices[2]
        bounds(c, inputs, out, [*products, types[2]], moves, sums.registers)(state, matrices)
        state.values[out] = sums.registers(total).astype(z.dtype, copy=False).reshape(state.batch.size, *final)

    return step


def _of_more_digits(type: VectorType) -> VectorType:
    """An element times its scale has at most four digits: what f16 has is not too few."""
    return VectorType(type.shape, F16)


def _scales(words: Array, index: int, m: int, k: int) -> Array:
    """[subgroups, rows or columns, k] of float64 from the scales of all threads."""
    (lanes,) = scales(m)(np.arange(m)[:, None], np.arange(k // SCALE_BLOCK)[None, :])
    of_lanes = words.reshape(-1, WAVE, words[0].size)[:, lanes, index]
    return np.repeat(of_lanes.astype(np.float64), SCALE_BLOCK, axis=-1)


def _scaled(place: Placement, scales: Array, value: Array) -> Array:
    """Registers to matrices times their scales; flags stay flags."""
    matrix = place.matrices(value)
    return matrix if matrix.dtype == np.bool_ else matrix.astype(np.float64) * scales
