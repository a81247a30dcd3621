"""Rules for matrix instructions: registers to matrices of whole subgroups, one batched product, back to registers.

Which lane holds which element is what `targets` says, in one table for everybody; the vendors' formulas, written
from their documents, judge it in `tests/targets/`.

Products and sums of floats are float32 (float64 for f64), of integers exact and wrapped to 32 bits. The order of
additions inside a matrix unit is not modelled.
"""

from __future__ import annotations

import numpy as np

from ..ir.core import Operation
from ..ir.dialects import nvgpu
from ..ir.numerics import Array
from ..ir.types import BF16, F16, F32, F64, FloatType, Type, bit_width, shape_of
from ..support.dataclasses import replace
from ..targets.fragment import placement
from ..targets.mma_sync import FRAGMENTS
from ..targets.nvidia_fragments import LANES, TILE_REGISTER_BITS, TILE_ROW_BYTES, TILE_ROWS, matrix_tile
from .access_places import Scattered
from .accesses import gather, leave_undecided, write
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .matrix_bounds import bounds
from .memory import Window, locate
from .uncertainty import doubtful

ROW_BYTES = TILE_ROW_BYTES
Shape = tuple[int, int, int]


def require_subgroups(m: State, op: Operation, lanes: int = LANES) -> None:
    """Every lane of subgroups of so many takes part, or none. Raises `EvaluationError`."""
    m.require_whole_subgroups(op)
    size, threads = m.batch.geometry.lanes, m.batch.geometry.threads
    if size != lanes or threads % lanes:
        raise failure(op, f"needs whole subgroups of {lanes} lanes, found {size} in workgroups of {threads} threads")


# -- mma.sync -------------------------------------------------------------------------------------------------------


@EVALUATE.of(nvgpu.MmaSyncOp)
def _mma_sync(op: nvgpu.MmaSyncOp, c: Compiler) -> Step:
    types = [v.type for v in (op.matrixA, op.matrixB, op.matrixC)]
    shape, bits = op.shape, nvgpu.operand_bits(types[0].element)
    found = FRAGMENTS.get((shape, bits))
    if found is None:
        raise failure(op, f"is no instruction: m{shape[0]}n{shape[1]}k{shape[2]} on elements {types[0].element}")
    a, b, acc = (placement(fragment, LANES) for fragment in found)
    inputs, out = c.slots([op.matrixA, op.matrixB, op.matrixC]), c.slot(op.res)
    wide = product_type(types[0].element, types[2].element)
    truncate = op.tf32Enabled is not None or types[0].element == FloatType("tf32")
    unsigned = [0 if "unsigned" + side not in op.attributes else bit_width(types[0].element) for side in "AB"]
    note = bounds(c, inputs, out, types, [p.matrices for p in (a, b, acc)], acc.registers)

    def step(m: State) -> None:
        require_subgroups(m, op)
        given = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        x, y, z = (p.matrices(v) for p, v in zip((a, b, acc), given, strict=True))
        left, right = ((tf32(v) if truncate else v).astype(wide) for v in (x, y))
        left, right = (without_sign(v, bits) for v, bits in zip((left, right), unsigned, strict=True))
        total = np.matmul(left, right) + z.astype(wide)
        if wide == np.int64:
            total = total.astype(np.int32)
        note(m, (left, right, z))
        result = acc.registers(total).astype(z.dtype, copy=False)
        m.values[out] = result.reshape(m.batch.size, *types[2].shape)

    return step


def product_type(element: Type, accumulator: Type) -> np.dtype[np.generic]:
    """What products of `element` are summed in."""
    if element.is_whole:
        return np.dtype(np.int64)
    assert accumulator in (BF16, F16, F32, F64)
    return np.dtype(np.float64)  # so that each instruction rounds once


def without_sign(x: Array, bits: int) -> Array:
    """Integers of so many bits as unsigned ones; as they are where `bits` is 0."""
    return x & ((1 << bits) - 1) if bits else x


def tf32(x: Array) -> Array:
    """The matrix unit reads the upper 19 bits."""
    return (np.ascontiguousarray(x, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def all_threads(m: State, value: Array, type: Type) -> Array:
    """A value with its axis over threads."""
    return np.broadcast_to(value, (m.batch.size, *shape_of(type)))


# -- ldmatrix -------------------------------------------------------------------------------------------------------


@EVALUATE.of(nvgpu.LdMatrixOp)
def _ldmatrix(op: nvgpu.LdMatrixOp, c: Compiler) -> Step:
    """Lane 8j + r gives the address of row r of matrix j; who receives an element counts as its reader."""
    site, source, indices, out = c.site(op, "reads"), c.slot(op.srcMemref), c.slots(op.indices), c.slot(op.res)
    type, transposed = op.res.type, bool(op.transpose.value)
    matrices, each = type.shape
    pack = ROW_BYTES * 8 // bit_width(type.element)
    row, column = _received(matrices, each, transposed)
    window = Window((pack,), (op.srcMemref.type.rank - 1,), contiguous=True)

    def step(m: State) -> None:
        require_subgroups(m, op)
        active = m.present()
        providers = active[m.batch.lane[active] < 8 * matrices]
        places = [m.values[i] for i in indices]
        rows = locate(m, site, m.values[source], places, window, None, ROW_BYTES, providers).per_owner()
        grouped = rows.positions.reshape(-1, 8 * matrices, pack)
        positions = grouped[:, row, column].reshape(-1)
        selected = np.arange(providers.size * pack).reshape(grouped.shape)[:, row, column].reshape(-1)
        receivers = np.repeat(active, row.shape[1])
        access = replace(rows, place=Scattered(positions), selected=selected, receivers=receivers)
        elements = gather(m, access)
        result = np.zeros((m.batch.size, *type.shape), elements.dtype)
        result[active] = elements.reshape(-1, *type.shape)
        m.values[out] = result
        if m.run.follows:
            errors = access.memref.buffer.errors
            m.doubts[out] = None if errors is None or not errors.touched else doubtful(np.ones(result.shape, np.bool_))

    return step


def _received(matrices: int, each: int, transposed: bool) -> tuple[Array, Array]:
    """For every lane and element the row address (8j + r) it comes from, and the column in that row."""
    tile = matrix_tile(transposed, TILE_REGISTER_BITS // each).held(LANES)
    rows = np.concatenate([tile[..., 0] + TILE_ROWS * j for j in range(matrices)], axis=1)
    return rows, np.concatenate([tile[..., 1]] * matrices, axis=1)


# -- stmatrix -------------------------------------------------------------------------------------------------------


@EVALUATE.of(nvgpu.StMatrixOp)
def _stmatrix(op: nvgpu.StMatrixOp, c: Compiler) -> Step:
    """Lane 8j + r gives the address of row r of matrix j, and counts as the writer of its elements."""
    site, target, indices, given = c.site(op, "writes"), c.slot(op.destMemref), c.slots(op.indices), c.slot(op.value)
    type = op.value.type
    matrices, each = type.shape
    lanes, elements = _row_sources(matrices, each, bool(op.transpose.value))
    pack = ROW_BYTES * 8 // bit_width(type.element)
    window = Window((pack,), (op.destMemref.type.rank - 1,), contiguous=True)

    def step(m: State) -> None:
        require_subgroups(m, op)
        active = m.present()
        providers = active[m.batch.lane[active] < 8 * matrices]
        places = [m.values[i] for i in indices]
        rows = locate(m, site, m.values[target], places, window, None, ROW_BYTES, providers).per_owner()
        whole = all_threads(m, m.values[given], type).reshape(-1, LANES, matrices * each)
        own = m.batch.lane[providers]
        groups = np.asarray(providers) // LANES
        write(m, rows, whole[groups[:, None], lanes[own], elements[own]])
        if m.run.follows:
            leave_undecided(rows)

    return step


def _row_sources(matrices: int, each: int, transposed: bool) -> tuple[Array, Array]:
    """For every row address (8j + r) and column the lane, and the element of it, that holds what is stored there."""
    tile = placement(matrix_tile(transposed, TILE_REGISTER_BITS // each), LANES)
    lane, element = np.divmod(tile.places.reshape(tile.shape), each)
    return np.concatenate([lane] * matrices), np.concatenate([element + each * j for j in range(matrices)])
