"""AMD's products of block-scaled elements: every element is multiplied by its scale, which is exact here, then by the
other.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..ir.dialects.amdgpu_scaled import ScaledMatrixOp, ScaledMfmaOp, ScaledWmmaOp
from ..ir.numerics import Array
from ..ir.types import F16, VectorType, element_count, shape_of
from ..targets import MatrixInstruction
from ..targets.amd_fragments import SCALE_BLOCK, scales
from ..targets.fragment import Placement, placement
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .matrix_bounds import Move, bounds
from .matrix_nvidia import all_threads, require_subgroups


@EVALUATE.of(ScaledMfmaOp)
def _mfma_scaled(op: ScaledMfmaOp, c: Compiler) -> Step:
    m, _, k = op.shape
    (lanes,) = scales(m)(np.arange(m)[:, None], np.arange(k // SCALE_BLOCK)[None, :])
    return _scaled_product(op, c, op.form, [(lanes, index) for index in (op.scalesIdxA, op.scalesIdxB)])


@EVALUATE.of(ScaledWmmaOp)
def _wmma_scaled(op: ScaledWmmaOp, c: Compiler) -> Step:
    form = op.form
    places: list[_Place] = []
    for side, first in enumerate(op.first_scale_lanes):
        blocks = np.arange(form.blocks_of_k)[None, :]
        lanes, bytes = form.scales(side)(np.arange(form.shape[side])[:, None], blocks)
        places.append((first + lanes, bytes))
    return _scaled_product(op, c, form, places)


_Place = tuple[Array, "Array | int"]
"""In which lane the scale of [row or column, block of K] is, and which of its scales it is."""


def _scaled_product(op: ScaledMatrixOp, c: Compiler, form: MatrixInstruction, places: list[_Place]) -> Step:
    operands, wave = [op.sourceA, op.sourceB, op.destC], op.lanes
    types = [v.type for v in operands]
    a, b, accumulator = (placement(fragment, wave) for fragment in (form.a, form.b, form.c))
    inputs, out = c.slots(operands), c.slot(op.destD)
    given = [(c.slot(v), v.type, place) for v, place in zip(op.scales, places, strict=True)]
    final, k = shape_of(types[2]), op.k
    products = [_of_more_digits(t) for t in types[:2]]

    def step(state: State) -> None:
        require_subgroups(state, op, wave)
        x, y, z = (all_threads(state, state.values[i], t) for i, t in zip(inputs, types, strict=True))
        left, right = (
            _scales(all_threads(state, state.values[i], t).reshape(-1, wave, element_count(t)), place, k)
            for i, t, place in given
        )
        moves: list[Move] = [
            partial(_scaled, a, left), partial(_scaled, b, right.swapaxes(1, 2)), accumulator.matrices,
        ]  # fmt: skip
        matrices = tuple(move(v) for move, v in zip(moves, (x, y, z), strict=True))
        total = np.matmul(matrices[0], matrices[1]) + matrices[2]
        bounds(c, inputs, out, [*products, types[2]], moves, accumulator.registers)(state, matrices)
        state.values[out] = accumulator.registers(total).astype(z.dtype, copy=False).reshape(state.batch.size, *final)

    return step


def _of_more_digits(type: VectorType) -> VectorType:
    """An element times its scale has at most six digits: what f16 has is not too few."""
    return VectorType(type.shape, F16)


def _scales(of_lanes: Array, place: _Place, k: int) -> Array:
    """[subgroups, rows or columns, k] of float64 from the scales [subgroup, lane, number]."""
    lanes, number = place
    found = of_lanes[:, lanes, number].astype(np.float64)
    return np.repeat(found, k // found.shape[-1], axis=-1)


def _scaled(place: Placement, scales: Array, value: Array) -> Array:
    """Registers to matrices times their scales; flags stay flags."""
    matrix = place.matrices(value)
    return matrix if matrix.dtype == np.bool_ else matrix.astype(np.float64) * scales
