"""Which numbers all lanes of a subgroup have in common, and which are a lane's own, as far as that shows before the
program runs."""

from __future__ import annotations

import numpy as np

from ..ir.core import Block, Operation, Value
from ..ir.dialects import arith, gpu
from ..ir.dialects.constants import constant_attribute
from ..ir.dialects.iree_codegen import IndexHintOp
from ..ir.dialects.util import AssumeIntOp
from ..ir.kernels import Kernel
from ..ir.numerics import Array, dtype_of
from ..ir.spread_loops import ids_of
from ..ir.traits import finer

_THE_SAME = (IndexHintOp, AssumeIntOp)
"""Operations whose results are their operands."""
_SIZES = (32, 64)
"""The sizes of subgroups, where neither program nor chip says it."""
_SAMPLES = (0, 1, 5)
"""Samples of what the launch decides, which a lane's number does not depend on."""


def is_alike_in_lanes(value: Value, kernel: Kernel) -> bool:
    """Whether arithmetic makes it of constants, the kernel's arguments, and ids that are coarser than a lane. What
    comes out of memory, loops and branches may differ."""
    given, seen, left = set(kernel.op.body.arguments), {value}, [value]
    while left:
        found = left.pop()
        op = found.operation
        if found in given or constant_attribute(found) is not None:
            continue
        if isinstance(op, gpu.IdOp):
            if finer(op.belongs_to, "subgroup"):
                return False
        elif op is None or not (op.pure and op.elementwise):
            return False
        else:
            left += [v for v in op.operands if v not in seen]
            seen.update(op.operands)
    return True


def is_number_of_lane(value: Value, kernel: Kernel) -> bool:
    """Whether it is a thread's number in its subgroup, or is made of what counts an scf.forall that is spread over
    lanes or threads, of which nothing is asked here.

    Arithmetic on ids of the workgroup's threads is done here for each of them, with some numbers for what the launch
    decides; what comes out of memory, other loops and branches is not known to be one."""
    sizes = _SIZES if kernel.subgroup_size is None else (kernel.subgroup_size,)
    return any(all(_Threads(kernel, size, sample).have_as_lanes(value) for sample in _SAMPLES) for size in sizes)


def _counts_spread_loop(value: Value) -> bool:
    around = value.owner.parent if isinstance(value.owner, Block) else None
    return around is not None and around.parent is not None and ids_of(around.parent) is not None


class _Threads:
    """Numbers that the threads of a workgroup have, in the order of their linear ids."""

    def __init__(self, kernel: Kernel, size: int, sample: int) -> None:
        self._linear, self._size, self._sample = np.arange(kernel.threads), size, sample
        x, y, _ = self._block_size = kernel.block_size
        self._coordinates = {"x": self._linear % x, "y": self._linear // x % y, "z": self._linear // (x * y)}
        self._arguments = set(kernel.op.body.arguments)
        self._found: dict[Value, Array | None] = {}
        self._is_counted = False

    def have_as_lanes(self, value: Value) -> bool:
        found = self._number(value)
        return self._is_counted or (found is not None and bool(np.all(found == self._linear % self._size)))

    def _number(self, value: Value) -> Array | None:
        if value not in self._found:
            self._found[value] = self._compute(value)
        return self._found[value]

    def _compute(self, value: Value) -> Array | None:
        op = value.operation
        if _counts_spread_loop(value):
            self._is_counted = True
            return None
        if value in self._arguments and value.type.is_whole:
            return np.asarray(self._sample, dtype_of(value.type))
        if isinstance(op, arith.ConstantOp):
            return op.array()
        if isinstance(op, gpu.IdOp):
            return self._id(op)
        if op is None or not op.pure or (type(op).reference is Operation.reference and not isinstance(op, _THE_SAME)):
            return None
        given = [self._number(v) for v in op.operands]
        known = [number for number in given if number is not None]
        if len(known) < len(given) or not all(v.type.is_whole for v in op.results):
            return None
        if isinstance(op, arith.Elementwise) and op.may_be_undefined and np.any(op.undefined(*known)):
            return None
        found: Array | tuple[Array, ...] = tuple(known) if isinstance(op, _THE_SAME) else op.reference(*known)
        return np.asarray(found[value.index] if isinstance(found, tuple) else found)

    def _id(self, op: gpu.IdOp) -> Array | None:
        if isinstance(op, gpu.LaneIdOp):
            return self._linear % self._size
        if isinstance(op, gpu.SubgroupIdOp):
            return self._linear // self._size
        if isinstance(op, gpu.SubgroupSizeOp):
            return np.asarray(self._size)
        if isinstance(op, gpu.ThreadIdOp):
            return self._coordinates[op.dimension.value]
        if isinstance(op, gpu.BlockDimOp):
            return np.asarray(self._block_size["xyz".index(op.dimension.value)])
        return None if finer(op.belongs_to, "subgroup") else np.asarray(self._sample)
