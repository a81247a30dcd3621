"""lanewise.warpgroup_mma: four subgroups' tiles out of workgroup memory, and sums back to their registers.

Of 128 lanes, lane l has in element i row 16 (l >> 5) + (l >> 2 & 7) + 8 (i >> 1 & 1) and column
8 (i >> 2) + 2 (l & 3) + (i & 1) of the sum (PTX ISA, "Register Fragments and Shared Memory Matrix Layouts").
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from ..core import Operation
from ..dialects.lanewise_warpgroup import WarpgroupMmaOp, WarpgroupWaitOp
from ..dialects.nvvm import FenceProxyOp
from ..numerics import Array
from ..types import FloatType, bit_width, element_type
from .accesses import gather
from .errors import failure
from .matrix_nvidia import all_threads, product_type, tf32, without_sign
from .memory import Access, Window, locate
from .program import EVALUATE, Compiler, Step
from .propagation_sums import product_uncertainty
from .state import State
from .uncertainty import doubtful

LANES = 128


@cache
def _held(n: int) -> tuple[Array, Array]:
    """(rows, columns), each [lane, element]."""
    lane, i = np.arange(LANES)[:, None], np.arange(n // 2)[None, :]
    return 16 * (lane >> 5) + (lane >> 2 & 7) + 8 * (i >> 1 & 1), 8 * (i >> 2) + 2 * (lane & 3) + (i & 1)


@EVALUATE.of(FenceProxyOp)
def _fence(op: FenceProxyOp, c: Compiler) -> Step:
    """Memory is one here."""
    return lambda m: None


@EVALUATE.of(WarpgroupMmaOp)
def _multiply(op: WarpgroupMmaOp, c: Compiler) -> Step:
    site, sources = c.site(op, "reads"), c.slots([op.matrixA, op.matrixB])
    places = [c.slots(op.indicesA), c.slots(op.indicesB)]
    given, out, type = c.slot(op.matrixC), c.slot(op.res), op.res.type
    instruction, transposed = op.instruction, op.transposed
    ranks = [v.type.rank for v in (op.matrixA, op.matrixB)]
    windows = [Window(op.extents(side), (ranks[side] - 2, ranks[side] - 1)) for side in (0, 1)]
    rows, columns = _held(instruction.shape[1])
    wide = product_type(element_type(op.matrixA.type.element), type.element)
    unsigned = [8 if t == "ui8" else 0 for t in (instruction.a_type, instruction.b_type)]
    bits = bit_width(op.matrixA.type.element)
    machine, elements = c.machine, (op.matrixA.type.element, op.matrixB.type.element, type.element)

    def tiles(elements: Array, side: int) -> Array:
        """[groups of four subgroups, rows of A or columns of B, K]."""
        found = elements.reshape(-1, *windows[side].shape)
        found = found.swapaxes(1, 2) if transposed[side] else found
        found = (tf32(found) if instruction.a_type == "tf32" else found).astype(wide)
        return without_sign(found, bits) if unsigned[side] else found

    def step(m: State) -> None:
        active = m.present()
        _require_whole(m, op, active)
        first = active.reshape(-1, LANES)[:, 0]
        found = [
            locate(m, site, m.values[source], [m.values[i] for i in indices], window, None, None, first).per_owner()
            for source, indices, window in zip(sources, places, windows, strict=True)
        ]
        read = [gather(m, access) for access in found]
        left, right = (tiles(elements, side) for side, elements in enumerate(read))
        if op.groups_left:
            m.products.begin(first, partial(_end, m, op, list(zip(found, read, strict=True))))
        m.products.end_group(first)
        m.products.wait(first, op.groups_left)
        right = right.swapaxes(1, 2)
        held = all_threads(m, m.values[given], type)
        sums = np.zeros((first.size, 64, instruction.shape[1]), held.dtype)
        sums[:, rows, columns] = held[active].reshape(-1, LANES, rows.shape[1])
        total = np.matmul(left, right) + sums.astype(wide)
        total = total.astype(np.int32) if wide == np.int64 else total
        result = np.zeros((m.batch.size, *type.shape), held.dtype)
        result[active] = total[:, rows, columns].reshape(active.size, -1).astype(held.dtype, copy=False)
        m.values[out] = result
        if machine is not None:
            m.doubts[out] = None
            buffers = [access.memref.buffer.errors for access in found]
            touched = any(errors is not None and errors.touched for errors in buffers)
            floats = [t for t in elements if isinstance(t, FloatType)]
            if touched or m.doubts[given] is not None:
                m.doubts[out] = doubtful(np.ones(result.shape, np.bool_))
            elif len(floats) == 3:
                bound = product_uncertainty(machine, (left, right, sums), [None, None, None], floats)

                def spread(part: Array) -> Array:
                    of_all = np.zeros(result.shape, part.dtype)
                    of_all[active] = part[:, rows, columns].reshape(active.size, -1)
                    return of_all

                m.doubts[out] = None if bound is None else bound.moved(spread)

    return step


def _end(m: State, op: Operation, tiles: Sequence[tuple[Access, Array]], owners: Array) -> None:
    """Of a product that was under way: it may have read its tiles at any time until now."""
    for access, held in tiles:
        if gather(m, access).tobytes() != held.tobytes():
            words = "multiplies what was written while the product was under way: nobody had waited for it"
            raise failure(op, f"{m.at(int(owners[0]))}{words}")


@EVALUATE.of(WarpgroupWaitOp)
def _wait(op: WarpgroupWaitOp, c: Compiler) -> Step:
    given, out = c.slot(op.sums), c.slot(op.res)

    def step(m: State) -> None:
        active = m.present()
        _require_whole(m, op, active)
        m.products.wait(active.reshape(-1, LANES)[:, 0], 0)
        m.values[out] = m.values[given]
        if c.machine is not None:
            m.doubts[out] = m.doubts[given]

    return step


def _require_whole(m: State, op: Operation, active: Array) -> None:
    """All lanes of groups of four subgroups take part, or none."""
    threads = m.batch.geometry.threads
    groups = np.asarray(active) // LANES
    if threads % LANES or np.any(np.bincount(groups)[groups] != LANES):
        raise failure(
            op, f"needs whole groups of {LANES} lanes, found {len(active)} in workgroups of {threads} threads"
        )
