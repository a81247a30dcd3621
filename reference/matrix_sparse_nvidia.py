"""NVIDIA's products of a sparse A: it is made dense, with zeros where nothing is held, and multiplied as others are.

A has the fragment of half its depth. Its metadata are fields of 2 bits, which are places in fours: of elements, of
pairs of 4-bit elements, of halves of tf32 (PTX ISA, "Sparse matrix storage").
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..ir.dialects import nvgpu
from ..ir.dialects.nvgpu_sparse import MmaSparseSyncOp
from ..ir.numerics import Array
from ..ir.types import bit_width
from ..targets.fragment import placement
from ..targets.nvidia_fragments import LANES, metadata, metadata_halves
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .matrix_bounds import Move, bounds
from .matrix_nvidia import all_threads, product_type, require_subgroups, tf32, without_sign

_ROWS = 16


@EVALUATE.of(MmaSparseSyncOp)
def _mma_sparse(op: MmaSparseSyncOp, c: Compiler) -> Step:
    operands = [op.matrixA, op.matrixB, op.matrixC]
    types = [v.type for v in operands]
    k = op.shape[2]
    if op.form is None:
        left, right, total = nvgpu.element_names(op, *op.elements)
        raise failure(op, f"is no instruction: {'m{}n{}k{}'.format(*op.shape)} on {left} x {right} + {total}")
    bits = nvgpu.operand_bits(types[0].element)
    a, b, accumulator = (placement(fragment, LANES) for fragment in (op.form.a, op.form.b, op.form.c))
    inputs, given, out = c.slots(operands), c.slot(op.sparseMetadata), c.slot(op.res)
    wide = product_type(types[0].element, types[2].element)
    truncate = op.tf32Enabled is not None
    unsigned = [0 if "unsigned" + side not in op.attributes else bit_width(types[0].element) for side in "AB"]

    def spread(places: Array, values: Array) -> Array:
        held = a.matrices(values)
        whole = np.zeros((*held.shape[:2], k), held.dtype)
        np.put_along_axis(whole, places, held, axis=-1)
        return whole

    def step(m: State) -> None:
        require_subgroups(m, op)
        x, y, z = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        words = all_threads(m, m.values[given], op.sparseMetadata.type)
        fields = _fields(np.ascontiguousarray(words), k, bits, op.sparsitySelector)
        if _wrong(fields, bits).any():
            raise failure(op, "has metadata that does not name two of four elements in their order")
        places = _places(fields, bits)
        matrices = spread(places, x), b.matrices(y), accumulator.matrices(z)
        left, right = ((tf32(v) if truncate else v).astype(wide) for v in matrices[:2])
        left, right = (without_sign(v, bits) for v, bits in zip((left, right), unsigned, strict=True))
        total = np.matmul(left, right) + matrices[2].astype(wide)
        if wide == np.int64:
            total = total.astype(np.int32)
        moves: list[Move] = [partial(spread, places), b.matrices, accumulator.matrices]
        bounds(c, inputs, out, types, moves, accumulator.registers)(m, matrices)
        m.values[out] = accumulator.registers(total).astype(z.dtype, copy=False).reshape(m.batch.size, *types[2].shape)

    return step


def _fields(words: Array, k: int, bits: int, selector: int) -> Array:
    """[subgroups, 16, fields of a row] from the metadata of [threads, 2]."""
    halves = words.view(np.uint16).reshape(-1, LANES, 2)
    row, part = np.arange(_ROWS)[:, None], np.arange(metadata_halves(k, bits))[None, :]
    lane, half = metadata(k, bits)(row, part, selector)
    chosen = halves[:, lane, half]
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
