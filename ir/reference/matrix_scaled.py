"""Products of block-scaled elements: every element is multiplied by its scale, which is exact here, then by the other.

Row r of A has the scales of lane 4 (r % 8) + 2 s + r // 8, column n of B those of lane 4 n + s, where s is the selector
of lanes (PTX ISA, "Block Scaling for mma.sync").
"""

from __future__ import annotations

import numpy as np

from ..dialects.nvgpu_scaled import MmaBlockScaleSyncOp
from ..numerics import Array
from ..types import F16, VectorType
from .errors import failure
from .matrix_bounds import Move, bounds
from .matrix_nvidia import LANES, Placement, all_threads, placement, require_subgroups
from .program import EVALUATE, Compiler, Step
from .state import State

_PACKED = (16, 8, 64)


@EVALUATE.of(MmaBlockScaleSyncOp)
def _mma_scaled(op: MmaBlockScaleSyncOp, c: Compiler) -> Step:
    operands = [op.matrixA, op.matrixB, op.matrixC, op.scaleA, op.scaleB]
    types = [v.type for v in operands]
    form = op.form
    if form is None:
        a, b, scale = (str(t.element) for t in (types[0], types[1], types[3]))
        raise failure(op, f"is no instruction: {'m{}n{}k{}'.format(*op.shape)} on {a} x {b} with scales {scale}")
    places = [placement(op.shape, 4 if op.shape == _PACKED else 8, name) for name in "abc"]
    inputs, out = c.slots(operands), c.slot(op.res)
    block = op.shape[2] // form.blocks_of_k
    row, column = np.arange(16), np.arange(8)
    lanes = 4 * (row % 8) + 2 * op.threadIdA + row // 8, 4 * column + op.threadIdB
    first = op.byteIdA, op.byteIdB
    products = [_of_more_digits(t) for t in types[:2]]

    def registers(matrices: Array) -> Array:
        return matrices.reshape(-1, places[2].elements.size)[:, places[2].elements]

    def step(m: State) -> None:
        require_subgroups(m, op)
        x, y, z, *words = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        scales = [
            _chosen(np.ascontiguousarray(w), own, at, form.blocks_of_k, block)
            for w, own, at in zip(words, lanes, first, strict=True)
        ]
        if any((s < 0).any() for s in scales):
            raise failure(op, "has a scale with a sign, which the instruction does not have")
        moves = [_scaled(places[0], scales[0]), _scaled(places[1], scales[1].swapaxes(1, 2)), places[2].matrix]
        left, right, start = (move(v) for move, v in zip(moves, (x, y, z), strict=True))
        total = np.matmul(left, right) + start
        bounds(c, inputs[:3], out, [*products, types[2]], moves, registers)(m, (left, right, start))
        m.values[out] = registers(total).astype(z.dtype, copy=False).reshape(m.batch.size, *types[2].shape)

    return step


def _of_more_digits(type: VectorType) -> VectorType:
    """An element times its scale has at most six digits: what f16 has is not too few."""
    return VectorType(type.shape, F16)


def _chosen(words: Array, lanes: Array, first: int, count: int, block: int) -> Array:
    """[subgroups, rows or columns, k] of float64 from the scales of [threads, 4]."""
    of_lanes = words.reshape(-1, LANES, words.shape[-1])[:, lanes, first : first + count]
    return np.repeat(of_lanes.astype(np.float64), block, axis=-1)


def _scaled(place: Placement, scales: Array) -> Move:
    """Registers to matrices times their scales; flags stay flags."""

    def move(value: Array) -> Array:
        matrix = place.matrix(value)
        return matrix if matrix.dtype == np.bool_ else matrix.astype(np.float64) * scales

    return move
