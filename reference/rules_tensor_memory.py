"""Rules for tensor memory: what is begun is done at once. Who touches it too early, the emulator tells.

Row r of the accumulators is lane r, and of an A there, whose elements follow each other from a column's lowest bits on.
"""

from __future__ import annotations

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects import lanewise_tcgen05 as ops
from ..ir.numerics import Array, host_dtype
from ..ir.types import MemRefType, VectorType, bit_width, floats_among
from ..support.diagnostics import About
from ..targets.matrix_instruction import ELEMENT_BITS
from ..targets.nvidia_fragments import TENSOR_COPIES, TENSOR_MOVES, TENSOR_ROWS
from ..targets.tcgen05 import LANES
from .accesses import gather, write
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .matrix_nvidia import product_type, tf32, without_sign
from .memory import ELEMENT, Window, locate
from .propagation import Machine
from .propagation_sums import product_uncertainty
from .rules_tma import arrive_once
from .tensor_memory import TensorMemory
from .uncertainty import Maybe, doubtful


def _rows() -> Array:
    """The lanes of a product's rows."""
    (lanes,) = TENSOR_ROWS[LANES](np.arange(LANES))
    return np.asarray(lanes)


def _memory(m: State, op: Operation) -> TensorMemory:
    if m.batch.geometry.scope != "thread":
        raise failure(op, "is of a thread's program")
    if m.tensor_memory is None:
        m.tensor_memory = TensorMemory(m.batch.workgroups)
    return m.tensor_memory


def _addresses(m: State, slot: int) -> Array:
    """[owner]."""
    return np.broadcast_to(np.asarray(m.values[slot]), (m.batch.size,)).astype(np.int64)


def _first_of_subgroups(m: State, op: Operation) -> Array:
    """Owners of which one stands for its subgroup; all of each are there."""
    m.require_whole_subgroups(op)
    owners = m.present()
    return owners[np.unique(m.batch.subgroup[owners], return_index=True)[1]]


def _need_allocated(m: State, op: Operation, owner: int, columns: Array) -> None:
    if not _memory(m, op).is_allocated(int(m.batch.workgroup[owner]), columns):
        detail = f"uses columns {int(columns.min())} to {int(columns.max())} of tensor memory, which are not allocated"
        raise failure(op, f"{m.at(owner)}{detail}")


# -- allocation -----------------------------------------------------------------------------------------------------


@EVALUATE.of(ops.Tcgen05AllocOp)
def _allocate(op: ops.Tcgen05AllocOp, c: Compiler) -> Step:
    site, slot, indices = c.site(op, "writes"), c.slot(op.slot), c.slots(op.indices)

    def step(m: State) -> None:
        owners, memory = _first_of_subgroups(m, op), _memory(m, op)
        found = np.zeros(m.batch.size, np.int32)
        for owner in owners.tolist():
            workgroup = int(m.batch.workgroup[owner])
            first = memory.allocate(workgroup, op.columns) if memory.permitted[workgroup] else None
            if first is None:
                why = "there is no room for" if memory.permitted[workgroup] else "no permit is left to take"
                raise failure(op, f"{m.at(owner)}{why} {op.columns} columns of tensor memory")
            found[owner] = first
        access = locate(m, site, m.values[slot], [m.values[i] for i in indices], ELEMENT, None, None, owners)
        write(m, access, found)

    return step


@EVALUATE.of(ops.Tcgen05AddressOp)
def _address(op: ops.Tcgen05AddressOp, c: Compiler) -> Step:
    site, slot, indices, out = c.site(op, "reads"), c.slot(op.slot), c.slots(op.indices), c.slot(op.res)

    def step(m: State) -> None:
        owners = m.present()
        access = locate(m, site, m.values[slot], [m.values[i] for i in indices], ELEMENT, None, None, owners)
        found = np.zeros(m.batch.size, np.int64)
        found[owners] = gather(m, access).reshape(-1)
        m.values[out] = found

    return step


@EVALUATE.of(ops.Tcgen05DeallocOp)
def _release(op: ops.Tcgen05DeallocOp, c: Compiler) -> Step:
    slot = c.slot(op.memory)

    def step(m: State) -> None:
        memory, addresses = _memory(m, op), _addresses(m, slot)
        for owner in _first_of_subgroups(m, op).tolist():
            if not memory.release(int(m.batch.workgroup[owner]), int(addresses[owner]), op.columns):
                raise failure(op, f"{m.at(owner)}gives columns back that no alloc of {op.columns} took")

    return step


@EVALUATE.of(ops.Tcgen05RelinquishOp)
def _relinquish(op: ops.Tcgen05RelinquishOp, _: Compiler) -> Step:
    def step(m: State) -> None:
        _memory(m, op).permitted[m.batch.workgroup[_first_of_subgroups(m, op)]] = False

    return step


@EVALUATE.of(ops.Tcgen05PartOp)
def _part(op: ops.Tcgen05PartOp, c: Compiler) -> Step:
    (memory, lane, column), out = c.slots([op.memory, op.lane, op.column]), c.slot(op.res)
    together = op.res.type.together

    def step(m: State) -> None:
        m.settle(op, [lane, column])
        moved = np.asarray(m.values[lane]) * (1 << 16) + np.asarray(m.values[column]) // together
        m.values[out] = _addresses(m, memory) + moved

    return step


# -- products -------------------------------------------------------------------------------------------------------


class _Tile:
    """A tile of A (0) or B (1) in workgroup memory."""

    def __init__(
        self, op: ops.Tcgen05Product, c: Compiler, side: int, buffer: Value[MemRefType], indices: list[int]
    ) -> None:
        self._site, self._source, self._indices = c.site(op, "reads"), c.slot(buffer), indices
        rows, rank = (op.accumulator.lanes, op.accumulator.columns)[side], buffer.type.rank
        self._turned = op.transposed[side]
        self._window = Window((op.depth, rows) if self._turned else (rows, op.depth), (rank - 2, rank - 1))

    def read(self, m: State, owners: Array) -> tuple[Array, bool]:
        """[owner, row or column, k], and whether what is read is not that of every right execution."""
        indices = [m.values[i] for i in self._indices]
        access = locate(m, self._site, m.values[self._source], indices, self._window, None, None, owners).per_owner()
        found = gather(m, access).reshape(-1, *self._window.shape)
        errors = access.memref.buffer.errors
        return (found.swapaxes(1, 2) if self._turned else found), errors is not None and errors.touched


class _Product:
    """From operands to accumulators in tensor memory."""

    def __init__(self, op: ops.Tcgen05Product, c: Compiler, accumulator: Value, accumulate: Value) -> None:
        i = op.instruction
        self._op, self._accumulator, self._adds = op, c.slot(accumulator), c.slot(accumulate)
        self._n, self._tf32, bits = i.shape[1], i.a_type == "tf32", ELEMENT_BITS[i.a_type]
        self._unsigned = [bits if t == "ui8" else 0 for t in (i.a_type, i.b_type)]
        self._types = [*op.operand_types, op.accumulator.element]
        self._wide = product_type(self._types[0], self._types[2])
        self._held = host_dtype(op.accumulator.element)
        self._machine = c.machine

    def _operand(self, elements: Array, side: int) -> Array:
        found = (tf32(elements) if self._tf32 else elements).astype(self._wide)
        return without_sign(found, self._unsigned[side])

    def run(self, m: State, owners: Array, left: Array, right: Array, touched: bool) -> None:
        """Runs the product of each owner, one after the other: several add to the same accumulators."""
        memory, addresses = _memory(m, self._op), _addresses(m, self._accumulator)
        adds = np.broadcast_to(np.asarray(m.values[self._adds]), (m.batch.size,))
        for number, owner in enumerate(owners.tolist()):
            a, b = self._operand(left[number], 0), self._operand(right[number], 1).T
            self._one(m, memory, owner, int(addresses[owner]), bool(adds[owner]), a, b, touched)

    def _one(
        self, m: State, memory: TensorMemory, owner: int, to: int, adds: bool, a: Array, b: Array, touched: bool
    ) -> None:
        lanes = (to >> 16) + _rows()[:, None]
        columns = (to & 0xFFFF) + np.arange(self._n)[None, :]
        place = int(m.batch.workgroup[owner]), lanes, columns
        _need_allocated(m, self._op, owner, columns)
        if adds:
            _need_written(m, self._op, owner, lanes, columns)
        width = np.dtype(f"u{self._held.itemsize}")
        before = memory.cells[place].astype(width).view(self._held)
        start = before if adds else np.zeros_like(before)
        total = a @ b + start.astype(self._wide)
        accumulator = (total.astype(np.int32) if self._wide == np.int64 else total).astype(self._held)
        memory.cells[place] = accumulator.view(width).astype(np.uint32)
        memory.written[place] = True
        if self._machine is not None:
            before_it = memory.doubt(place) if adds else None
            memory.put_doubt(place, self._doubt(self._machine, (a, b, start), before_it, touched))

    def _doubt(self, machine: Machine, matrices: tuple[Array, Array, Array], before: Maybe, touched: bool) -> Maybe:
        """The doubts of the accumulators; `before` that of what is added to."""
        floats = floats_among(self._types)
        if touched or (len(floats) < len(self._types) and before is not None):
            return doubtful(np.ones(matrices[2].shape, np.bool_))
        if len(floats) < len(self._types):
            return None
        return product_uncertainty(machine, matrices, [None, None, before], floats)


@EVALUATE.of(ops.Tcgen05MmaOp)
def _multiply(op: ops.Tcgen05MmaOp, c: Compiler) -> Step:
    product = _Product(op, c, op.matrixD, op.accumulate)
    left = _Tile(op, c, 0, op.matrixA, c.slots(op.indicesA))
    right = _Tile(op, c, 1, op.matrixB, c.slots(op.indicesB))

    def step(m: State) -> None:
        owners = m.present()
        (a, first), (b, second) = left.read(m, owners), right.read(m, owners)
        product.run(m, owners, a, b, first or second)

    return step


@EVALUATE.of(ops.Tcgen05MmaHeldOp)
def _multiply_held(op: ops.Tcgen05MmaHeldOp, c: Compiler) -> Step:
    product, right = _Product(op, c, op.matrixD, op.accumulate), _Tile(op, c, 1, op.matrixB, c.slots(op.indicesB))
    held, type = c.slot(op.matrixA), op.matrixA.type

    def step(m: State) -> None:
        owners, memory, addresses = m.present(), _memory(m, op), _addresses(m, held)
        b, touched = right.read(m, owners)
        found = list[Array]()
        for owner in owners.tolist():
            start = int(addresses[owner])
            lanes = (start >> 16) + _rows()[:, None]
            columns = (start & 0xFFFF) + np.arange(type.words)[None, :]
            _need_allocated(m, op, owner, columns)
            _need_written(m, op, owner, lanes, columns)
            place = int(m.batch.workgroup[owner]), lanes, columns
            touched = touched or memory.doubt(place) is not None
            found.append(np.ascontiguousarray(memory.cells[place]).view(host_dtype(type.element)))
        product.run(m, owners, np.array(found), b, touched)

    return step


@EVALUATE.of(ops.Tcgen05CommitOp)
def _commit(op: ops.Tcgen05CommitOp, c: Compiler) -> Step:
    group, number = c.slots([op.barriers, op.mbarId])

    def step(m: State) -> None:
        arrive_once(m, op, group, number)

    return step


# -- moving data ----------------------------------------------------------------------------------------------------


def _need_written(m: State, op: Operation, owner: int, lanes: Array, columns: Array) -> None:
    workgroup = int(m.batch.workgroup[owner])
    if m.run.checks and not _memory(m, op).written[workgroup, lanes, columns].all():
        raise failure(op, f"{m.at(owner)}reads tensor memory that nobody has written", about=About("contents"))


class _Move:
    """The moves of ld and st: cells [owner, register, part of it] of whole subgroups."""

    def __init__(self, op: ops.Tcgen05MoveOp, c: Compiler, held: VectorType) -> None:
        self._op, self._memory, self._shape = op, c.slot(op.memory), op.shape.value
        self.halves = 2 if op.memory.type.padded else 1
        self._registers = held.shape[0] // self.halves
        self.dtype = host_dtype(held.element)

    def places(self, m: State) -> tuple[Array, Array, Array, Array]:
        """(owners, workgroup, lane, column), the latter three [owner, element]."""
        op = self._op
        m.require_whole_subgroups(op)
        owners, addresses = m.present(), _addresses(m, self._memory)
        size = m.batch.geometry.subgroup_size or 32
        thread = owners % m.batch.geometry.owners
        lanes, columns = TENSOR_MOVES[self._shape].places(thread[:, None] % size, np.arange(self._registers)[None, :])
        start, first = addresses[owners] >> 16, addresses[owners] & 0xFFFF
        reached = thread // size % 4 * 32
        extent = ops.SHAPES[self._shape][0]
        wrong = (start != reached) & ((start != reached + 16) | (extent != 16))
        if wrong.any():
            position = int(np.flatnonzero(wrong)[0])
            own, found = int(reached[position]), int(start[position])
            where = f"its subgroup reaches lanes {own} to {own + 31}, found {extent} from {found} on"
            raise failure(op, f"{m.at(int(owners[position]))}{where}")
        columns = (columns[:, :, None] * self.halves + np.arange(self.halves)).reshape(owners.size, -1)
        lanes = np.repeat(lanes, self.halves, axis=1) + start[:, None]
        columns = columns + first[:, None]
        for position, owner in enumerate(owners.tolist()):
            _need_allocated(m, op, owner, columns[position])
        return owners, m.batch.workgroup[owners][:, None], lanes, columns


@EVALUATE.of(ops.Tcgen05LdOp)
def _load(op: ops.Tcgen05LdOp, c: Compiler) -> Step:
    move, out = _Move(op, c, op.res.type), c.slot(op.res)

    def step(m: State) -> None:
        owners, workgroups, lanes, columns = move.places(m)
        memory = _memory(m, op)
        for position, owner in enumerate(owners.tolist()):
            _need_written(m, op, owner, lanes[position], columns[position])
        cells = memory.cells[workgroups, lanes, columns].astype(f"u{move.dtype.itemsize}").view(move.dtype)
        found = np.zeros((m.batch.size, cells.shape[1]), move.dtype)
        found[owners] = cells
        m.values[out] = found
        doubt = memory.doubt((workgroups, lanes, columns))

        def of_all(part: Array) -> Array:
            whole = np.zeros(found.shape, part.dtype)
            whole[owners] = part
            return whole

        m.doubts[out] = None if doubt is None else doubt.moved(of_all)

    return step


@EVALUATE.of(ops.Tcgen05StOp)
def _store(op: ops.Tcgen05StOp, c: Compiler) -> Step:
    move, given = _Move(op, c, op.value.type), c.slot(op.value)

    def step(m: State) -> None:
        owners, workgroups, lanes, columns = move.places(m)
        memory = _memory(m, op)
        values = np.broadcast_to(m.values[given], (m.batch.size, lanes.shape[1])).astype(move.dtype)[owners]
        words = np.ascontiguousarray(values).view(f"u{move.dtype.itemsize}").astype(np.uint32)
        memory.cells[workgroups, lanes, columns] = words
        memory.written[workgroups, lanes, columns] = True
        doubt, whole = m.doubts[given], (m.batch.size, lanes.shape[1])
        doubt = None if doubt is None else doubt.within(whole).moved(lambda part: part[owners])
        memory.put_doubt((workgroups, lanes, columns), doubt)

    return step


@EVALUATE.of(ops.Tcgen05WaitLdOp)
def _wait(op: ops.Tcgen05WaitLdOp, c: Compiler) -> Step:
    given, out = c.slot(op.loaded), c.slot(op.res)

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        m.values[out], m.doubts[out] = m.values[given], m.doubts[given]

    return step


@EVALUATE.of(ops.Tcgen05WaitStOp, ops.Tcgen05FenceOp)
def _nothing(_: Operation, __: Compiler) -> None:
    """All is done where it stands."""


@EVALUATE.of(ops.Tcgen05CpOp)
def _copy(op: ops.Tcgen05CpOp, c: Compiler) -> Step:
    to, site, source, indices = c.slot(op.memory), c.site(op, "reads"), c.slot(op.source), c.slots(op.indices)
    copied = TENSOR_COPIES[op.shape.value]
    rows, row_bytes = copied.rows, copied.row_bytes
    rank = op.source.type.rank
    window = Window((rows, row_bytes * 8 // bit_width(op.source.type.element)), (rank - 2, rank - 1))

    def step(m: State) -> None:
        owners, memory, addresses = m.present(), _memory(m, op), _addresses(m, to)
        access = locate(m, site, m.values[source], [m.values[i] for i in indices], window, None, None, owners)
        found = np.ascontiguousarray(gather(m, access.per_owner())).reshape(owners.size, rows, -1).view(np.uint32)
        errors = access.memref.buffer.errors
        for position, owner in enumerate(owners.tolist()):
            start = int(addresses[owner])
            columns = (start & 0xFFFF) + np.arange(row_bytes // 4)[None, :]
            _need_allocated(m, op, owner, columns)
            for own in copied.lanes:
                lanes = ((start >> 16) + own)[:, None]
                place = int(m.batch.workgroup[owner]), lanes, columns
                memory.cells[place], memory.written[place] = found[position], True
                touched = errors is not None and errors.touched
                memory.put_doubt(place, doubtful(np.ones((rows, row_bytes // 4), np.bool_)) if touched else None)

    return step
