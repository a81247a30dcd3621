"""Workgroups of a cluster that read the same tile copy a part of it each, for all of them.

    known_cluster_size = array<i32: 2, 1, 1>, and the rows of A follow from gpu.block_id y alone: the workgroups at
    x = 0 and 1 read the same tile of A. The first copies its upper half to both, the other its lower half.

So a tile is read once for all of them. A slot of the ring is free where all workgroups of the cluster have read it,
and no workgroup begins before the others' barrier objects are there, or ends while others may use its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import product
from math import prod

from ..ir.core import Builder, Operation, Value
from ..ir.dialects import arith, gpu, scf
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.longhand import constant
from ..ir.kernels import cluster_size
from ..ir.types import I16, INDEX
from ..support.dataclasses import dataclass
from .loop_copies import Copy
from .loops import BOUNDS, loops_around
from .tma import Share, part_rows

Sizes = tuple[int, int, int]
_AXES = "xyz"
_ROWS = 8
"""The rows of a part of a box: the order in which rows are mixed repeats after so many."""


@dataclass(frozen=True)
class Multicast:
    """For a function's copies, the axes of the cluster along which workgroups read the same tile."""

    sizes: Sizes
    axes: Mapping[Operation, tuple[int, ...]]
    """By the operation that reads the tile."""

    @property
    def together(self) -> int:
        """Workgroups of the cluster."""
        return prod(self.sizes)

    def shares(self, build: Builder) -> dict[Operation, Share]:
        """What the workgroup copies of each tile, and for whom, in numbers that `build` writes."""
        return {read: self._share(build, axes) for read, axes in self.axes.items()}

    def _share(self, build: Builder, axes: tuple[int, ...]) -> Share:
        steps = 1, self.sizes[0], self.sizes[0] * self.sizes[1]
        rank = [_rank(build, axis, size) if size > 1 else None for axis, size in enumerate(self.sizes)]
        spans = [range(size) if axis in axes else range(1) for axis, size in enumerate(self.sizes)]
        mask = sum(1 << sum(n * step for n, step in zip(place, steps, strict=True)) for place in product(*spans))
        others = [(rank[a], steps[a]) for a in range(3) if a not in axes]
        count, terms = 1, list[tuple[Value | None, int]]()
        for axis in axes:
            terms.append((rank[axis], count))
            count *= self.sizes[axis]
        shifted = build.value(arith.ShLIOp, constant(build, mask, INDEX), _sum(build, others))
        return Share(count, _sum(build, terms), build.value(arith.IndexCastOp, shifted, types=[I16]))


def _rank(build: Builder, axis: int, size: int) -> Value:
    """The workgroup's coordinate in its cluster."""
    number = build.value(gpu.BlockIdOp, dimension=DimensionAttr(_AXES[axis]))
    return build.value(arith.RemUIOp, number, constant(build, size, INDEX))


def _sum(build: Builder, terms: Iterable[tuple[Value | None, int]]) -> Value:
    """The sum of values times numbers; None is 0."""
    parts = [build.value(arith.MulIOp, v, constant(build, n, INDEX)) for v, n in terms if v is not None]
    return reduce(lambda a, b: build.value(arith.AddIOp, a, b), parts, constant(build, 0, INDEX))


def multicast(function: FunctionLike, found: Sequence[tuple[scf.ForOp, Sequence[Copy]]]) -> Multicast | str | None:
    """Which tiles of loops the workgroups of a cluster have in common; None where they come alone. Why none are copied
    for several, in words, where that is so. `found`: the copies of each loop, whose places follow from arguments, ids
    and counters of loops."""
    sizes = cluster_size(function)
    if prod(sizes) == 1:
        return None
    across = {axis for axis, size in enumerate(sizes) if size > 1}
    for loop, _ in found:
        if across & _axes_of(v for around in (loop, *(loops_around(loop) or ())) for v in around.operands[:BOUNDS]):
            return "workgroups of the cluster take the loop differently often"
    shared = dict[Operation, tuple[int, ...]]()
    for _, copies in found:
        for c in copies:
            taken = [*c.read.indices, *(v for op in (*c.places, *c.corner) for v in op.operands)]
            axes = tuple(sorted(across - _axes_of(taken)))
            count = prod(sizes[axis] for axis in axes)
            rows = part_rows(c, count) if axes else 0
            if rows and rows % _ROWS == 0:
                shared[c.read] = axes
    if not shared:
        return "the workgroups of the cluster have no tile in common whose rows they could share out"
    return Multicast(sizes, shared)


def _axes_of(values: Iterable[Value]) -> set[int]:
    """The axes of the grid on whose ids values depend, by way of other operations."""
    pending, seen, found = list(values), set[Operation](), set[int]()
    while pending:
        op = pending.pop().operation
        if op is None or op in seen:
            continue
        seen.add(op)
        if isinstance(op, gpu.BlockIdOp):
            found.add(op.dimension.index)
        pending += op.operands
    return found
