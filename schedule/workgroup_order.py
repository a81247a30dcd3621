"""Workgroups take their places of the grid in another order, so that those that run together read the same tiles.

Chips start workgroups along x first. A product's workgroups of a row of tiles share the rows of A, but each has columns
of B of its own; those of a block of tiles share both. What a kernel calls `gpu.block_id x` and `y` may be any numbering
of the grid: nothing is known of the order in which workgroups run, and a launch is what it was.

    reorder_workgroups_strategy = <Transpose>   along y first
    lanewise.bands = 8                          rows of the grid in bands of 8, along y first in each

of a grid of 3 x 4, by the order in which they start: as it is, transposed, in bands of 2:

    0  1  2        0  4  8        0  2  4
    3  4  5        1  5  9        1  3  5
    6  7  8        2  6  10       6  8  10
    9  10 11       3  7  11       7  9  11
"""

from __future__ import annotations

from ..frontend.legalisations import copy_of
from ..ir.core import Before, Builder, Value
from ..ir.dialects import arith, gpu
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.iree_gpu_config import ReorderWorkgroupsAttr
from ..ir.dialects.longhand import constant
from ..ir.kernels import Kernel
from ..ir.types import INDEX
from ..support.diagnostics import CompileError, Diagnostic
from .pipeline_options import ROWS, pipeline_options, refuse_clusters

_TRANSPOSE = ReorderWorkgroupsAttr("Transpose")


def order_workgroups(kernel: Kernel) -> Kernel:
    """The kernel with the order that it asks for; itself where it asks for none, or all its workgroups do the same."""
    options = pipeline_options(kernel.op)
    transposed = options is not None and options.reorder_workgroups_strategy == _TRANSPOSE
    bands = ROWS.value(kernel.op)
    if not (transposed or bands):
        return kernel
    if bands:
        refuse_clusters(kernel, ROWS)
    if kernel.clustered:
        message = f"kernel '@{kernel.name}' reorders workgroups that come in clusters, which are blocks of the grid"
        raise CompileError([Diagnostic(message, kernel.op.location, hint="leave reorder_workgroups_strategy out")])
    copy = copy_of(kernel)
    copy.op.attributes.pop(ROWS.attribute, None)
    ids = [op for op in copy.op.all_of(gpu.BlockIdOp) if op.dimension.index < 2]
    if ids:
        x, y = _ids(copy.op, bands)
        for op in ids:
            op.result_.replace_uses((x, y)[op.dimension.index])
            assert op.parent is not None
            op.parent.erase(op)
    return copy


def _ids(function: FunctionLike, bands: int | None) -> tuple[Value, Value]:
    """The ids of the place that a workgroup takes."""
    build = Before(function.body.operations[0])
    x, y = (DimensionAttr(axis) for axis in "xy")
    width, height = (build.value(gpu.GridDimOp, dimension=axis) for axis in (x, y))
    row, column = (build.value(gpu.BlockIdOp, dimension=axis) for axis in (y, x))
    number = build.value(arith.AddIOp, build.value(arith.MulIOp, row, width), column)
    if bands is None:
        taken_x, taken_y = _divided(build, number, height)
    else:
        high = constant(build, bands, INDEX)
        band, inside = _divided(build, number, build.value(arith.MulIOp, width, high))
        first = build.value(arith.MulIOp, band, high)
        rows = build.value(arith.MinUIOp, build.value(arith.SubIOp, height, first), high)
        taken_x, inside = _divided(build, inside, rows)
        taken_y = build.value(arith.AddIOp, first, inside)
    taken_x.hint, taken_y.hint = "column", "row"
    return taken_x, taken_y


def _divided(build: Builder, number: Value, by: Value) -> tuple[Value, Value]:
    """Quotient and remainder."""
    return build.value(arith.DivUIOp, number, by), build.value(arith.RemUIOp, number, by)
