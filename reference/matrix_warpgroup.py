"""lanewise.warpgroup_mma: four subgroups' tiles out of workgroup memory, and accumulators back to their registers; and
lanewise.warpgroup_mma_held, of an A in registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects.lanewise_warpgroup import WarpgroupMmaHeldOp, WarpgroupMmaOp, WarpgroupProduct, WarpgroupWaitOp
from ..ir.dialects.nvvm import FenceProxyOp
from ..ir.numerics import Array
from ..ir.traits import PRODUCT_GROUPS
from ..ir.types import MemRefType, element_type, floats_among, shape_of
from ..targets.fragment import placement
from ..targets.matrix_instruction import ELEMENT_BITS
from ..targets.nvidia_fragments import LANES as SUBGROUP
from ..targets.nvidia_fragments import WARPGROUP, mma_a, wgmma_accumulator
from .accesses import gather
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .matrix_nvidia import all_threads, product_type, tf32, without_sign
from .memory import Access, Window, locate
from .propagation_sums import product_uncertainty
from .rules_async_groups import groups_of, wait_for_groups
from .uncertainty import Maybe, doubtful

LANES = SUBGROUP * WARPGROUP


@EVALUATE.of(FenceProxyOp)
def _fence(op: FenceProxyOp, c: Compiler) -> Step:
    """Memory is one here."""
    return lambda m: None


class _Product:
    """The product of one operation: from matrices of groups of four subgroups to what their lanes hold."""

    def __init__(self, op: WarpgroupProduct, c: Compiler) -> None:
        self._accumulator, self._res = op.operands[-1], op.results[0]
        self._given, self._out = c.slot(self._accumulator), c.slot(self._res)
        i = op.instruction
        self._is_tf32, self._n = i.a_type == "tf32", i.shape[1]
        self.bits = ELEMENT_BITS[i.a_type]
        self._unsigned = [self.bits if t == "ui8" else 0 for t in (i.a_type, i.b_type)]
        self._types = [*op.operand_types, element_type(self._accumulator.type)]
        self._wide = product_type(self._types[0], self._types[2])
        self._machine = c.machine

    def operand(self, elements: Array, side: int) -> Array:
        """Elements of A or B as they are multiplied."""
        found = (tf32(elements) if self._is_tf32 else elements).astype(self._wide)
        return without_sign(found, self.bits) if self._unsigned[side] else found

    def finish(self, m: State, active: Array, left: Array, right: Array, doubt: Maybe, *, touched: bool) -> None:
        """`left` is [group, row, k], `right` [group, column, k]; `doubt` that of `left`; `touched`: nothing is known of
        how far the tiles are off."""
        type = self._res.type
        place = placement(wgmma_accumulator(self._n), SUBGROUP, WARPGROUP)
        right = right.swapaxes(1, 2)
        held = all_threads(m, m.values[self._given], type)

        def matrices(part: Array) -> Array:
            return place.matrices(part[active])

        def lanes(part: Array) -> Array:
            of_all = np.zeros((m.batch.size, *shape_of(type)), part.dtype)
            of_all[active] = place.registers(part).reshape(active.size, -1)
            return of_all

        accumulator = matrices(held)
        total = np.matmul(left, right) + accumulator.astype(self._wide)
        total = total.astype(np.int32) if self._wide == np.int64 else total
        m.values[self._out] = lanes(total).astype(held.dtype, copy=False)
        if self._machine is None:
            return
        given = m.doubts[self._given]
        floats = floats_among(self._types)
        m.doubts[self._out] = None
        if touched or (len(floats) < len(self._types) and (given is not None or doubt is not None)):
            m.doubts[self._out] = doubtful(np.ones(held.shape, np.bool_))
        elif len(floats) == len(self._types):
            start = None if given is None else given.within(held.shape).moved(matrices)
            bound = product_uncertainty(self._machine, (left, right, accumulator), [doubt, None, start], floats)
            m.doubts[self._out] = None if bound is None else bound.moved(lanes)


class _Tile:
    """A tile of A (0) or B (1) in memory."""

    def __init__(
        self, op: WarpgroupProduct, c: Compiler, side: int, buffer: Value[MemRefType], indices: Sequence[Value]
    ) -> None:
        self._site, self._source, self._indices = c.site(op, "reads"), c.slot(buffer), c.slots(indices)
        self._transposed, rank = op.transposed[side], buffer.type.rank
        self._window = Window(op.extents(side), (rank - 2, rank - 1))

    def read(self, m: State, first: Array) -> tuple[Access, Array]:
        """For the first lanes of groups."""
        m_indices = [m.values[i] for i in self._indices]
        access = locate(m, self._site, m.values[self._source], m_indices, self._window, None, None, first).per_owner()
        return access, gather(m, access)

    def matrices(self, elements: Array) -> Array:
        """[group, row of A or column of B, k]."""
        found = elements.reshape(-1, *self._window.shape)
        return found.swapaxes(1, 2) if self._transposed else found


def _touched(access: Access) -> bool:
    errors = access.memref.buffer.errors
    return errors is not None and errors.touched


@EVALUATE.of(WarpgroupMmaOp)
def _multiply(op: WarpgroupMmaOp, c: Compiler) -> Step:
    product = _Product(op, c)
    tiles = [_Tile(op, c, 0, op.matrixA, op.indicesA), _Tile(op, c, 1, op.matrixB, op.indicesB)]

    def step(m: State) -> None:
        active = m.present()
        _require_whole(m, op, active)
        first = active.reshape(-1, LANES)[:, 0]
        found = [tile.read(m, first) for tile in tiles]
        left, right = (
            product.operand(tile.matrices(read), s)
            for s, (tile, (_, read)) in enumerate(zip(tiles, found, strict=True))
        )
        groups = groups_of(m, op, PRODUCT_GROUPS)
        if op.groups_left:
            groups.begin(first, partial(_end, m, op, found))
        groups.end_group(first)
        wait_for_groups(m, op, first)
        product.finish(m, active, left, right, None, touched=any(_touched(access) for access, _ in found))

    return step


@EVALUATE.of(WarpgroupMmaHeldOp)
def _multiply_held(op: WarpgroupMmaHeldOp, c: Compiler) -> Step:
    product, tile = _Product(op, c), _Tile(op, c, 1, op.matrixB, op.indicesB)
    fragments, type = c.slot(op.fragmentsA), op.fragmentsA.type
    place = placement(mma_a(64 // WARPGROUP, op.depth, product.bits), SUBGROUP, WARPGROUP)

    def step(m: State) -> None:
        active = m.present()
        _require_whole(m, op, active)
        first = active.reshape(-1, LANES)[:, 0]

        def matrices(part: Array) -> Array:
            return place.matrices(part[active])

        held = all_threads(m, m.values[fragments], type)
        doubt = None if c.machine is None else m.doubts[fragments]
        doubt = None if doubt is None else doubt.within(held.shape).moved(matrices)
        access, read = tile.read(m, first)
        groups_of(m, op, PRODUCT_GROUPS).end_group(first)
        wait_for_groups(m, op, first)
        left, right = product.operand(matrices(held), 0), product.operand(tile.matrices(read), 1)
        product.finish(m, active, left, right, doubt, touched=_touched(access))

    return step


def _end(m: State, op: Operation, tiles: Sequence[tuple[Access, Array]], owners: Array) -> None:
    """The end of a product that was under way: it may have read its tiles at any time until now."""
    for access, held in tiles:
        if gather(m, access).tobytes() != held.tobytes():
            words = "multiplies what was written while the product was under way: nobody had waited for it"
            raise failure(op, f"{m.at(int(owners[0]))}{words}")


@EVALUATE.of(WarpgroupWaitOp)
def _wait(op: WarpgroupWaitOp, c: Compiler) -> Step:
    given, out = c.slot(op.accumulator), c.slot(op.res)

    def step(m: State) -> None:
        active = m.present()
        _require_whole(m, op, active)
        wait_for_groups(m, op, active.reshape(-1, LANES)[:, 0])
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
