"""Ids and extents of threads, subgroups and workgroups. Only what a register holds differs between vendors."""

from __future__ import annotations

import math

from ...ir.core import Operation
from ...ir.dialects import gpu
from ...ir.integer_ranges import Range
from . import integers
from .emission import Emission
from .emit_rules import EMIT
from .text import Ssa, integer


def as_index(em: Emission, register: Ssa) -> Ssa:
    """A register of 32 bits that is never negative."""
    return em.w.convert("zext nneg", register, "i64")


def range_attribute(numbers: Range) -> str:
    """What LLVM may know of an i32: it is one of these."""
    return f"range(i32 {numbers.low}, {integer(numbers.high + 1, 'i32').text})"


def thread_coordinate(em: Emission, axis: int) -> Ssa:
    extent = em.block_size[axis]
    return integer(0) if extent == 1 else em.machine.thread_id(em, axis)


def linear_thread(em: Emission) -> Ssa:
    """The thread's number in its workgroup, x fastest."""
    w, (x, y, _) = em.w, em.block_size
    rows = integers.add(w, thread_coordinate(em, 1), integers.mul(w, thread_coordinate(em, 2), integer(y)))
    return integers.add(w, thread_coordinate(em, 0), integers.mul(w, rows, integer(x)))


@EMIT.of(gpu.ThreadIdOp)
def _thread_id(em: Emission, op: gpu.ThreadIdOp) -> None:
    em.set(op.result_, thread_coordinate(em, op.dimension.index))


@EMIT.of(gpu.BlockIdOp)
def _block_id(em: Emission, op: gpu.BlockIdOp) -> None:
    em.set(op.result_, em.machine.block_id(em, op.dimension.index, em.integers.range(op.result_)))


@EMIT.of(gpu.BlockDimOp)
def _block_dim(em: Emission, op: gpu.BlockDimOp) -> None:
    em.set(op.result_, integer(em.block_size[op.dimension.index]))


@EMIT.of(gpu.GridDimOp)
def _grid_dim(em: Emission, op: gpu.GridDimOp) -> None:
    em.set(op.result_, em.machine.grid_dim(em, op.dimension.index))


def _by_subgroup(em: Emission, op: Operation, opcode: str, operand: int) -> None:
    em.set(op.results[0], integers.binary(em.w, opcode, linear_thread(em), integer(operand)))


@EMIT.of(gpu.LaneIdOp)
def _lane_id(em: Emission, op: gpu.LaneIdOp) -> None:
    """Subgroups are consecutive threads in linear order, so no register has to be read for it."""
    _by_subgroup(em, op, "and", em.subgroup_size - 1)


@EMIT.of(gpu.SubgroupIdOp)
def _subgroup_id(em: Emission, op: gpu.SubgroupIdOp) -> None:
    _by_subgroup(em, op, "lshr", em.subgroup_size.bit_length() - 1)


@EMIT.of(gpu.SubgroupSizeOp)
def _subgroup_size(em: Emission, op: gpu.SubgroupSizeOp) -> None:
    em.set(op.result_, integer(em.subgroup_size))


@EMIT.of(gpu.NumSubgroupsOp)
def _subgroups(em: Emission, op: gpu.NumSubgroupsOp) -> None:
    em.set(op.result_, integer(-(-math.prod(em.block_size) // em.subgroup_size)))
