"""AMD's products of block-scaled elements: every element is multiplied by its scale, which is exact here, then by the
other.

With t the lane and i counting its elements, an element of A of 8 bits is (t % m, k / 2 * (i // 16) + 16 (t // m) +
i % 16), of fewer bits (t % m, 32 (t // m) + i); B is that with row and column exchanged. The scale of row r of A or
column r of B and of block b of 32 along K is lane m b + r's (Composable Kernel, `test/mx_mfma_op/mx_mfma_op.hpp`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..dialects.amdgpu_scaled import ScaledMfmaOp
from ..numerics import Array
from ..types import F16, Type, VectorType, bit_width, scalar_type, shape_of
from .matrix_amd import Formula, Placement, mfma_fragments
from .matrix_amd import placement as placement_of
from .matrix_bounds import Move, bounds
from .matrix_nvidia import all_threads, require_subgroups
from .program import EVALUATE, Compiler, Step
from .state import State

_LANES, _HELD, _BLOCK = 64, 32, 32


@EVALUATE.of(ScaledMfmaOp)
def _mfma_scaled(op: ScaledMfmaOp, c: Compiler) -> Step:
    operands = [op.sourceA, op.sourceB, op.destC]
    types = [v.type for v in operands]
    m, n, k = op.shape
    dense = mfma_fragments(op.shape, _HELD, is_f64=False)
    assert dense is not None, "the verifier knows the shapes"
    of_a, of_b = (_formula(m, k, scalar_type(t)) for t in types[:2])
    a = placement_of(of_a, _LANES, _HELD, (1, m, k))
    b = placement_of(_transposed(of_b), _LANES, _HELD, (1, k, n))
    sums = placement_of(dense.c, _LANES, types[2].elements, (1, m, n))
    inputs, out = c.slots(operands), c.slot(op.destD)
    given = [(c.slot(v), v.type, index) for v, index in ((op.scalesA, op.scalesIdxA), (op.scalesB, op.scalesIdxB))]
    final = shape_of(types[2])
    products = [_of_more_digits(t) for t in types[:2]]

    def step(state: State) -> None:
        require_subgroups(state, op, _LANES)
        x, y, z = (all_threads(state, state.values[i], t) for i, t in zip(inputs, types, strict=True))
        left, right = (_scales(all_threads(state, state.values[i], t), index, m) for i, t, index in given)
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


def _formula(m: int, k: int, element: Type) -> Formula:
    if bit_width(element) == 8:
        return lambda t, i: (0, t % m, k // 2 * (i // 16) + 16 * (t // m) + i % 16)
    return lambda t, i: (0, t % m, 32 * (t // m) + i)


def _transposed(place: Formula) -> Formula:
    def swapped(t: int, i: int) -> tuple[int, int, int]:
        block, row, column = place(t, i)
        return block, column, row

    return swapped


def _scales(words: Array, index: int, m: int) -> Array:
    """[subgroups, rows or columns, k] of float64 from the scales of all threads."""
    of_lanes = words.reshape(-1, _LANES // m, m, words[0].size)[..., index].swapaxes(1, 2)
    return np.repeat(of_lanes.astype(np.float64), _BLOCK, axis=-1)


def _scaled(place: Placement, scales: Array, value: Array) -> Array:
    """Registers to matrices times their scales; flags stay flags."""
    matrix = place.matrices(value)
    return matrix if matrix.dtype == np.bool_ else matrix.astype(np.float64) * scales
