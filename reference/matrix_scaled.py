"""Products of block-scaled elements: every element is multiplied by its scale, which is exact here, then by the other.

Which lane has which scale is what `targets` says.
"""

from __future__ import annotations

import numpy as np

from ..ir.dialects.nvgpu_scaled import MmaBlockScaleSyncOp
from ..ir.numerics import Array
from ..ir.types import F16, VectorType
from ..targets.fragment import Placement, placement
from ..targets.nvidia_fragments import LANES, SCALE_OF_A, SCALE_OF_B
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .matrix_bounds import Move, bounds
from .matrix_nvidia import all_threads, require_subgroups


@EVALUATE.of(MmaBlockScaleSyncOp)
def _mma_scaled(op: MmaBlockScaleSyncOp, c: Compiler) -> Step:
    operands = [op.matrixA, op.matrixB, op.matrixC, op.scaleA, op.scaleB]
    types = [v.type for v in operands]
    form = op.form
    if form is None:
        a, b, scale = (str(t.element) for t in (types[0], types[1], types[3]))
        raise failure(op, f"is no instruction: {'m{}n{}k{}'.format(*op.shape)} on {a} x {b} with scales {scale}")
    places = [placement(fragment, LANES) for fragment in (form.a, form.b, form.c)]
    inputs, out = c.slots(operands), c.slot(op.res)
    block = op.shape[2] // form.blocks_of_k
    row, column, number = np.arange(16)[:, None], np.arange(8)[:, None], np.arange(form.blocks_of_k)[None, :]
    owners = SCALE_OF_A(row, number, op.byteIdA, op.threadIdA), SCALE_OF_B(column, number, op.byteIdB, op.threadIdB)
    products = [_of_more_digits(t) for t in types[:2]]

    def step(m: State) -> None:
        require_subgroups(m, op)
        x, y, z, *words = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        scales = [_chosen(np.ascontiguousarray(w), own, block) for w, own in zip(words, owners, strict=True)]
        if any((s < 0).any() for s in scales):
            raise failure(op, "has a scale with a sign, which the instruction does not have")
        moves = [_scaled(places[0], scales[0]), _scaled(places[1], scales[1].swapaxes(1, 2)), places[2].matrices]
        left, right, start = (move(v) for move, v in zip(moves, (x, y, z), strict=True))
        total = np.matmul(left, right) + start
        bounds(c, inputs[:3], out, [*products, types[2]], moves, places[2].registers)(m, (left, right, start))
        m.values[out] = places[2].registers(total).astype(z.dtype, copy=False).reshape(m.batch.size, *types[2].shape)

    return step


def _of_more_digits(type: VectorType) -> VectorType:
    """An element times its scale has at most six digits: what f16 has is not too few."""
    return VectorType(type.shape, F16)


def _chosen(words: Array, where: tuple[Array, ...], block: int) -> Array:
    """[subgroups, rows or columns, k] of float64 from the scales of [threads, 4]."""
    lanes, bytes = where
    of_lanes = words.reshape(-1, LANES, words.shape[-1])[:, lanes, bytes]
    return np.repeat(of_lanes.astype(np.float64), block, axis=-1)


def _scaled(place: Placement, scales: Array) -> Move:
    """Registers to matrices times their scales; flags stay flags."""

    def move(value: Array) -> Array:
        matrix = place.matrices(value)
        return matrix if matrix.dtype == np.bool_ else matrix.astype(np.float64) * scales

    return move
