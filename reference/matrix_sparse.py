"""AMD's products of a sparse A: it is made dense, with zeros where nothing is held, and multiplied as others are.

Metadata stands in the lane whose elements of A it is about.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..ir.dialects.amdgpu_sparse import SparseMatrixOp, SparseMfmaOp, SparseWmmaOp
from ..ir.numerics import Array
from ..ir.types import bit_width, element_count, scalar_type, shape_of
from ..targets.amd_fragments import WAVE, SparseOperands, smfmac, swmmac
from ..targets.fragment import placement
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .matrix_bounds import Move, bounds
from .matrix_nvidia import all_threads, product_type, require_subgroups, without_sign

_FOUR = 4


def dense(values: Array, positions: Array) -> Array:
    """[.., 2 n] elements and their places in fours to [.., 4 n], zeros around."""
    pairs = *values.shape[:-1], -1, 2
    whole = np.zeros((*values.shape[:-1], values.shape[-1] // 2, _FOUR), values.dtype)
    np.put_along_axis(whole, positions.reshape(pairs), values.reshape(pairs), axis=-1)
    return whole.reshape(*values.shape[:-1], -1)


def _fields(words: Array, count: int) -> Array:
    """[..] words to [.., count] numbers of 2 bits, low bits first."""
    return words[..., None].astype(np.int64) >> (2 * np.arange(count)) & 3


@EVALUATE.of(SparseMfmaOp)
def _sparse_mfma(op: SparseMfmaOp, c: Compiler) -> Step:
    m, _, k = op.shape
    return _sparse(op, c, WAVE, smfmac(m, k, bit_width(scalar_type(op.sourceA.type))))


@EVALUATE.of(SparseWmmaOp)
def _sparse_wmma(op: SparseWmmaOp, c: Compiler) -> Step:
    return _sparse(op, c, WAVE // 2, swmmac(op.shape[2], bit_width(scalar_type(op.sourceA.type))))


def _sparse(op: SparseMatrixOp, c: Compiler, lanes: int, fragments: SparseOperands) -> Step:
    operands = [op.sourceA, op.sourceB, op.destC]
    types = [v.type for v in operands]
    elements = [scalar_type(t) for t in types]
    held = element_count(types[0])
    unsigned = [bit_width(elements[0]) * (f"unsigned{side}" in op.attributes) for side in "AB"]
    assert held == fragments.a.elements, "the verifier knows the shapes"
    a, b, accumulator = (placement(f, lanes) for f in (fragments.dense, fragments.b, fragments.c))
    inputs, index, out = c.slots(operands), c.slot(op.sparseIdx), c.slot(op.destD)
    wide, final = product_type(elements[0], elements[2]), shape_of(types[2])

    def spread(positions: Array, values: Array) -> Array:
        return a.matrices(dense(values, positions))

    def step(m: State) -> None:
        require_subgroups(m, op, lanes)
        x, y, z = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        words = np.ascontiguousarray(all_threads(m, m.values[index], op.sparseIdx.type)).reshape(m.batch.size, -1)
        positions = _fields(words.view(np.uint32)[:, 0] >> np.uint32(op.shift), held)
        if (positions[:, ::2] == positions[:, 1::2]).any():
            raise failure(op, "has indices that name the same of four elements twice")
        left, right, start = spread(positions, x), b.matrices(y), accumulator.matrices(z)
        left, right = (
            without_sign(v.astype(np.int64), u) if u else v for v, u in ((left, unsigned[0]), (right, unsigned[1]))
        )
        total = np.matmul(left.astype(wide), right.astype(wide)) + start.astype(wide)
        if wide == np.int64:
            total = total.astype(np.int32)
        places: list[Move] = [partial(spread, positions), b.matrices, accumulator.matrices]
        bounds(c, inputs, out, types, places, accumulator.registers)(m, (left, right, start))
        m.values[out] = accumulator.registers(total).astype(z.dtype, copy=False).reshape(m.batch.size, *final)

    return step
