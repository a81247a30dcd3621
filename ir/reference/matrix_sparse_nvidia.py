"""NVIDIA's products of a sparse A: it is made dense, with zeros where nothing is held, and multiplied as others are.

A has the fragment of half its depth. Its metadata are fields of 2 bits, which are places in fours: of elements, of
pairs of 4-bit elements, of halves of tf32 (PTX ISA, "Sparse matrix storage"). Row r has n bits of them, n = 2 k for
tf32, k for 16 and 8 bits, k / 2 for 4 bits. Of 16 bits and more, those from 16 q on are half r // 8 of the word of lane
4 (r % 8) + n / 16 * s + q, where s is the selector; of fewer, those from 32 q on are the word of lane
4 (r % 8) + n / 16 * s + 2 q + r // 8 (figures of the PTX ISA; of fewer also CUTLASS, `mma_traits_sm120_sparse.hpp`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..dialects import nvgpu
from ..dialects.nvgpu_sparse import MmaSparseSyncOp
from ..numerics import Array
from ..types import bit_width
from .errors import failure
from .matrix_bounds import Move, bounds
from .matrix_nvidia import (
    FRAGMENTS,
    Formula,
    all_threads,
    placed,
    placement,
    product_type,
    require_subgroups,
    tf32,
    without_sign,
)
from .program import EVALUATE, Compiler, Step
from .state import State

_ROWS = 16
_B: dict[int, Formula] = {
    32: FRAGMENTS[(16, 8, 8), 32].b,
    16: FRAGMENTS[(16, 8, 16), 16].b,
    8: FRAGMENTS[(16, 8, 32), 8].b,
    4: FRAGMENTS[(16, 8, 64), 4].b,
}
"""By bits of an element: more registers have the next parts of K."""


@EVALUATE.of(MmaSparseSyncOp)
def _mma_sparse(op: MmaSparseSyncOp, c: Compiler) -> Step:
    operands = [op.matrixA, op.matrixB, op.matrixC]
    types = [v.type for v in operands]
    _, columns, k = op.shape
    if op.form is None:
        left, right, total = nvgpu.element_names(op, *op.elements)
        raise failure(op, f"is no instruction: {'m{}n{}k{}'.format(*op.shape)} on {left} x {right} + {total}")
    bits = nvgpu.operand_bits(types[0].element)
    a, sums = (placement((_ROWS, 8, k // 2), bits, name) for name in "ac")
    b = placed(_B[bits], k, columns)
    inputs, given, out = c.slots(operands), c.slot(op.sparseMetadata), c.slot(op.res)
    wide = product_type(types[0].element, types[2].element)
    truncate = op.tf32Enabled is not None
    unsigned = [0 if "unsigned" + side not in op.attributes else bit_width(types[0].element) for side in "AB"]

    def spread(places: Array, values: Array) -> Array:
        held = a.matrix(values)
        whole = np.zeros((*held.shape[:2], k), held.dtype)
        np.put_along_axis(whole, places, held, axis=-1)
        return whole

    def registers(matrices: Array) -> Array:
        return matrices.reshape(-1, sums.elements.size)[:, sums.elements]

    def step(m: State) -> None:
        require_subgroups(m, op)
        x, y, z = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        words = all_threads(m, m.values[given], op.sparseMetadata.type)
        fields = _fields(np.ascontiguousarray(words), k, bits, op.sparsitySelector)
        if _wrong(fields, bits).any():
            raise failure(op, "has metadata that does not name two of four elements in their order")
        places = _places(fields, bits)
        matrices = spread(places, x), b.matrix(y), sums.matrix(z)
        left, right = ((tf32(v) if truncate else v).astype(wide) for v in matrices[:2])
        left, right = (without_sign(v, bits) for v, bits in zip((left, right), unsigned, strict=True))
        total = np.matmul(left, right) + matrices[2].astype(wide)
        if wide == np.int64:
            total = total.astype(np.int32)
        moves: list[Move] = [partial(spread, places), b.matrix, sums.matrix]
        bounds(c, inputs, out, types, moves, registers)(m, matrices)
        m.values[out] = registers(total).astype(z.dtype, copy=False).reshape(m.batch.size, *types[2].shape)

    return step


def _fields(metadata: Array, k: int, bits: int, selector: int) -> Array:
    """[subgroups, 16, fields of a row] from the metadata of [threads, 2]."""
    halves = metadata.view(np.uint16).reshape(-1, 32, 2)
    row_halves = {32: 2 * k, 16: k, 8: k, 4: k // 2}[bits] // 16
    row, part = np.arange(_ROWS)[:, None], np.arange(row_halves)[None, :]
    lane = 4 * (row % 8) + row_halves * selector
    if bits < 16:
        chosen = halves[:, lane + 2 * (part // 2) + row // 8, part % 2]
    else:
        chosen = halves[:, lane + part, np.broadcast_to(row // 8, (_ROWS, row_halves))]
    fields: Array = chosen[..., None].astype(np.int64) >> 2 * np.arange(8) & 3
    return fields.reshape(len(halves), _ROWS, -1)


def _wrong(fields: Array, bits: int) -> Array:
    """Whether the two fields of a chunk are no two places in their order, or of tf32 no element's halves."""
    first, second = fields[..., ::2], fields[..., 1::2]
    wrong: Array = (first % 2 == 1) | (second != first + 1) if bits == 32 else first >= second
    return wrong


def _places(fields: Array, bits: int) -> Array:
    """[subgroups, 16, k / 2]: where in its row each element is that is held."""
    groups, rows, count = fields.shape
    fours = 4 * np.arange(int(count) // 2).repeat(2)
    absolute = fields.astype(np.int64) + fours
    if bits == 32:
        return absolute[..., ::2] // 2
    if bits > 4:
        return absolute
    return np.stack([2 * absolute, 2 * absolute + 1], axis=-1).reshape(groups, rows, -1)
