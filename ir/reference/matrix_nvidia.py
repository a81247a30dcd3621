"""Rules for matrix instructions: registers to matrices of whole subgroups, one batched product, back to registers.

Which lane holds which element follows closed formulas (PTX ISA, "Warp-level matrix fragments"): g = lane >> 2,
t = lane & 3, i counts a lane's elements in register order, B is indexed (k, n). They share nothing with the fragments
of `ir/targets`, from which programs are made: that is what makes interpreting a check of them.

Products and sums of floats are float32 (float64 for f64), of integers exact and wrapped to 32 bits. The order of
additions inside a matrix unit is not modelled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ..core import Operation
from ..dialects import nvgpu
from ..numerics import Array
from ..types import BF16, F16, F32, F64, FloatType, IntegerType, Type, bit_width, shape_of
from .accesses import gather, leave_undecided, write
from .errors import failure
from .matrix_bounds import bounds
from .memory import Window, locate
from .places import Scattered
from .program import EVALUATE, Compiler, Step
from .state import State
from .uncertainty import doubtful

LANES = 32
ROW_BYTES = 16
"""A row of the 8x8 matrices that ldmatrix moves."""
Formula = Callable[[int, int, int], tuple[int, int]]
Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Fragments:
    """(g, t, i) -> (row, column) for A, B and the accumulator."""

    a: Formula
    b: Formula
    c: Formula


def _wide(g: int, t: int, i: int) -> tuple[int, int]:
    return g + 8 * (i >> 1), 2 * t + (i & 1)


def _narrow(g: int, t: int, i: int) -> tuple[int, int]:
    return g, 2 * t + i


def _a_of_two(g: int, t: int, i: int) -> tuple[int, int]:
    return g + 8 * i, t


def _a_of_more(g: int, t: int, i: int) -> tuple[int, int]:
    return g + 8 * (i & 1), t + 4 * (i >> 1)


def _b_of_words(g: int, t: int, i: int) -> tuple[int, int]:
    return t + 4 * i, g


def _b_of_bytes(g: int, t: int, i: int) -> tuple[int, int]:
    return 4 * t + i, g


def _b_of_nibbles(g: int, t: int, i: int) -> tuple[int, int]:
    return 8 * t + i, g


FRAGMENTS: dict[tuple[Shape, int], Fragments] = {
    ((16, 8, 8), 16): Fragments(_wide, lambda g, t, i: (2 * t + (i & 1), g), _wide),
    ((16, 8, 16), 16): Fragments(
        lambda g, t, i: (g + 8 * ((i >> 1) & 1), 2 * t + (i & 1) + 8 * (i >> 2)),
        lambda g, t, i: (2 * t + (i & 1) + 8 * (i >> 1), g),
        _wide,
    ),
    ((16, 8, 4), 32): Fragments(_a_of_two, _b_of_words, _wide),
    ((16, 8, 8), 32): Fragments(_a_of_more, _b_of_words, _wide),
    ((8, 8, 16), 8): Fragments(lambda g, t, i: (g, 4 * t + i), _b_of_bytes, _narrow),
    ((16, 8, 16), 8): Fragments(lambda g, t, i: (g + 8 * (i >> 2), 4 * t + (i & 3)), _b_of_bytes, _wide),
    ((16, 8, 32), 8): Fragments(
        lambda g, t, i: (g + 8 * ((i >> 2) & 1), 4 * t + (i & 3) + 16 * (i >> 3)),
        lambda g, t, i: (4 * t + (i & 3) + 16 * (i >> 2), g),
        _wide,
    ),
    ((8, 8, 32), 4): Fragments(lambda g, t, i: (g, 8 * t + i), _b_of_nibbles, _narrow),
    ((16, 8, 32), 4): Fragments(lambda g, t, i: (g + 8 * (i >> 3), 8 * t + (i & 7)), _b_of_nibbles, _wide),
    ((16, 8, 64), 4): Fragments(
        lambda g, t, i: (g + 8 * ((i >> 3) & 1), 8 * t + (i & 7) + 32 * (i >> 4)),
        lambda g, t, i: (8 * t + (i & 7) + 32 * (i >> 3), g),
        _wide,
    ),
    ((8, 8, 4), 64): Fragments(lambda g, t, i: (g, t), _b_of_words, _narrow),
    ((16, 8, 4), 64): Fragments(_a_of_two, _b_of_words, _wide),
    ((16, 8, 8), 64): Fragments(_a_of_more, _b_of_words, _wide),
    ((16, 8, 16), 64): Fragments(_a_of_more, _b_of_words, _wide),
}
"""(m, n, k) and bits that an element of A takes: 32 for tf32, 8 for floats of less."""


@dataclass(frozen=True, eq=False)
class Placement:
    """Where one operand's elements are: both arrays are permutations of each other."""

    rows: int
    columns: int
    registers: Array
    """For each element of the matrix, row-major, its place lane * elements + i."""
    elements: Array
    """For each place its element of the matrix."""

    def matrix(self, value: Array) -> Array:
        """[subgroups, rows, columns] from the registers of [threads, ...]."""
        flat = value.reshape(-1, self.registers.size)
        return flat[:, self.registers].reshape(-1, self.rows, self.columns)


@cache
def placement(shape: Shape, bits: int, operand: str) -> Placement:
    """Of operand "a", "b" or "c" of an instruction in `FRAGMENTS`."""
    m, n, k = shape
    rows, columns = {"a": (m, k), "b": (k, n), "c": (m, n)}[operand]
    return placed(getattr(FRAGMENTS[shape, bits], operand), rows, columns)


def placed(formula: Formula, rows: int, columns: int) -> Placement:
    places = [formula(lane >> 2, lane & 3, i) for lane in range(LANES) for i in range(rows * columns // LANES)]
    elements = np.array([row * columns + column for row, column in places])
    registers = np.argsort(elements)
    assert np.array_equal(elements[registers], np.arange(rows * columns)), f"{rows}x{columns} is no bijection"
    return Placement(rows, columns, registers, elements)


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
    if (shape, bits) not in FRAGMENTS:
        raise failure(op, f"is no instruction: m{shape[0]}n{shape[1]}k{shape[2]} on elements {types[0].element}")
    a, b, acc = (placement(shape, bits, name) for name in "abc")
    inputs, out = c.slots([op.matrixA, op.matrixB, op.matrixC]), c.slot(op.res)
    wide = product_type(types[0].element, types[2].element)
    truncate = op.tf32Enabled is not None or types[0].element == FloatType("tf32")
    unsigned = [0 if "unsigned" + side not in op.attributes else bit_width(types[0].element) for side in "AB"]

    def registers(matrices: Array) -> Array:
        return matrices.reshape(-1, acc.elements.size)[:, acc.elements]

    note = bounds(c, inputs, out, types, [p.matrix for p in (a, b, acc)], registers)

    def step(m: State) -> None:
        require_subgroups(m, op)
        given = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        x, y, z = (p.matrix(v) for p, v in zip((a, b, acc), given, strict=True))
        left, right = ((tf32(v) if truncate else v).astype(wide) for v in (x, y))
        left, right = (without_sign(v, bits) for v, bits in zip((left, right), unsigned, strict=True))
        total = np.matmul(left, right) + z.astype(wide)
        if wide == np.int64:
            total = total.astype(np.int32)
        note(m, (left, right, z))
        result = registers(total).astype(z.dtype, copy=False)
        m.values[out] = result.reshape(m.batch.size, *types[2].shape)

    return step


def product_type(element: Type, accumulator: Type) -> np.dtype[np.generic]:
    """What products of `element` are summed in."""
    if isinstance(element, IntegerType):
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
    lane, i = np.arange(LANES)[:, None], np.arange(matrices * each)[None, :]
    row, column = lane >> 2, each * (lane & 3) + i % each
    if transposed:
        row, column = column, row
    return np.broadcast_to(8 * (i // each) + row, (LANES, i.size)), np.broadcast_to(column, (LANES, i.size))


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
    number, column = np.arange(8 * matrices)[:, None], np.arange(4 * each)[None, :]
    row, inside = (column, number % 8) if transposed else (number % 8, column)
    lane = 4 * row + inside // each
    element = each * (number // 8) + inside % each
    return np.broadcast_to(lane, (number.size, column.size)), np.broadcast_to(element, (number.size, column.size))
