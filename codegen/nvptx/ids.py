"""Ids and extents of threads and workgroups on NVPTX, with the ranges that the launch guarantees."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Operation
from ...ir.dialects import gpu
from ..emit import integers
from ..emit.emission import Emission
from ..emit.rules import NVIDIA
from ..emit.text import Ssa, integer

_MAX_GRID = (2**31 - 1, 65535, 65535)
_AXES = "xyz"


def _register(em: Emission, name: str, first: int, last: int) -> Ssa:
    """A special register whose value is from `first` to `last`, as index."""
    range = f"range(i32 {first}, {last + 1})" if last < 2**31 - 1 else f"range(i32 {first}, -2147483648)"
    value = em.w.call("i32", f"llvm.nvvm.read.ptx.sreg.{name}", attributes=range)
    return em.w.pure(f"zext nneg {value} to i64", "i64")


def thread_coordinate(em: Emission, axis: int) -> Ssa:
    extent = em.block_size[axis]
    return integer(0) if extent == 1 else _register(em, f"tid.{_AXES[axis]}", 0, extent - 1)


def linear_thread(em: Emission) -> Ssa:
    """The thread's number in its workgroup, x fastest."""
    w, (x, y, _) = em.w, em.block_size
    rows = integers.add(w, thread_coordinate(em, 1), integers.mul(w, thread_coordinate(em, 2), integer(y)))
    return integers.add(w, thread_coordinate(em, 0), integers.mul(w, rows, integer(x)))


@NVIDIA.of(gpu.ThreadIdOp)
def _thread_id(em: Emission, op: gpu.ThreadIdOp) -> None:
    em.set(op.result_, thread_coordinate(em, op.dimension.index))


@NVIDIA.of(gpu.BlockIdOp)
def _block_id(em: Emission, op: gpu.BlockIdOp) -> None:
    axis = op.dimension.index
    bound = op.upper_bound.value if op.upper_bound is not None else _MAX_GRID[axis]
    em.set(op.result_, _register(em, f"ctaid.{_AXES[axis]}", 0, min(bound, _MAX_GRID[axis]) - 1))


@NVIDIA.of(gpu.BlockDimOp)
def _block_dim(em: Emission, op: gpu.BlockDimOp) -> None:
    em.set(op.result_, integer(em.block_size[op.dimension.index]))


@NVIDIA.of(gpu.GridDimOp)
def _grid_dim(em: Emission, op: gpu.GridDimOp) -> None:
    axis = op.dimension.index
    em.set(op.result_, _register(em, f"nctaid.{_AXES[axis]}", 1, _MAX_GRID[axis]))


def _by_subgroup(em: Emission, op: Operation, opcode: str, operand: int) -> None:
    em.set(op.results[0], integers.binary(em.w, opcode, linear_thread(em), integer(operand)))


@NVIDIA.of(gpu.LaneIdOp)
def _lane_id(em: Emission, op: gpu.LaneIdOp) -> None:
    """Warps are consecutive threads in linear order, so no register has to be read for it."""
    _by_subgroup(em, op, "and", em.subgroup_size - 1)


@NVIDIA.of(gpu.SubgroupIdOp)
def _subgroup_id(em: Emission, op: gpu.SubgroupIdOp) -> None:
    _by_subgroup(em, op, "lshr", em.subgroup_size.bit_length() - 1)


@NVIDIA.of(gpu.SubgroupSizeOp)
def _subgroup_size(em: Emission, op: gpu.SubgroupSizeOp) -> None:
    em.set(op.result_, integer(em.subgroup_size))


@NVIDIA.of(gpu.NumSubgroupsOp)
def _subgroups(em: Emission, op: gpu.NumSubgroupsOp) -> None:
    em.set(op.result_, integer(-(-threads(em.block_size) // em.subgroup_size)))


def threads(block_size: Sequence[int]) -> int:
    x, y, z = block_size
    return x * y * z
