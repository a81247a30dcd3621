"""Workgroups stay, as many as multiprocessors, and each does what several places of the grid ask for.

    gpu.func @f(..) kernel                         %last = prod(gpu.grid_dim)
        attributes {lanewise.persist = true} {     %first = number of this workgroup, %last from the 132nd on
      %x = gpu.block_id x                          scf.for %place = %first to %last step 132 {
      ..                                             %x = %place mod gpu.grid_dim x
    }                                                .. }

There are as many multiprocessors as the program's target says, or else as the product has that `rates.py` knows.
A launch is what it was (docs/decisions/0059): the grid that it is given says which places there are. Workgroups that
come too late for one end at once; whether they are launched is all the same. Places are taken in the order that
`reorder_workgroups_strategy` or `lanewise.bands` give them, so that those of one round share tiles.

Nothing is known of the order in which workgroups run, so one after the other is right. What is made once for a
workgroup cannot be made again for each place.
"""

from __future__ import annotations

from typing import NoReturn

from ..frontend.legalisations import copy_of
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, gpu, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.longhand import constant
from ..ir.dialects.nvgpu_mbarrier import MBarrierCreateOp
from ..ir.dialects.nvvm import SetMaxRegisterOp
from ..ir.entry_place import entry_place
from ..ir.kernels import AXES, Kernel
from ..ir.types import INDEX
from ..support.diagnostics import CompileError, Diagnostic, Location
from ..targets import Chip
from ..targets.rates import RATES
from .pipeline_options import ALL, WORKGROUPS, refuse_clusters

_ONCE = (MBarrierCreateOp, SetMaxRegisterOp)


def persist(kernel: Kernel, chip: Chip) -> Kernel:
    """The kernel whose workgroups stay; itself where it does not ask for that, or all of them do the same. Raises
    CompileError where they cannot stay."""
    asked = WORKGROUPS.value(kernel.op)
    if asked is None:
        return kernel
    refuse_clusters(kernel, WORKGROUPS)
    count = _count(kernel, asked, chip)
    if kernel.scope != "workgroup":
        _refuse(kernel, f"it is of programs of workgroups, this one is a {kernel.scope}'s", None)
    for op in kernel.op.walk():
        if isinstance(op, _ONCE):
            _refuse(kernel, "what a workgroup has once would be made for each place", op)
    copy = copy_of(kernel)
    del copy.op.attributes[WORKGROUPS.attribute]
    _rewrite(copy.op.body, count, _said_at(kernel))
    return copy


def _count(kernel: Kernel, asked: int, chip: Chip) -> int:
    if asked != ALL:
        return asked
    if chip.workgroup_processors is not None:
        return chip.workgroup_processors
    rates = RATES.get(chip.name)
    if rates is None:
        hint = f"say how many workgroups stay: {WORKGROUPS.attribute} = 132"
        _refuse(kernel, f"no number of multiprocessors is stated for {chip.name}", None, hint)
    return rates.multiprocessors


def _refuse(kernel: Kernel, why: str, op: Operation | None, hint: str = "") -> NoReturn:
    notes = () if op is None else ((f"'{op.written.opname}'", op.location),)
    where = _said_at(kernel)
    raise CompileError([Diagnostic(f"kernel '@{kernel.name}' has {WORKGROUPS.attribute}: {why}", where, notes, hint)])


def _said_at(kernel: Kernel) -> Location | None:
    """Where the program asks for it."""
    return entry_place(kernel.op, rf"{WORKGROUPS.attribute}\s*=")


def _rewrite(body: Block, count: int, origin: Location | None) -> None:
    """Puts all of it into a loop over places, which is from where the program asks for it."""
    *operations, last = body.operations
    inner = Block([INDEX])
    build, turn = Builder(body, origin), Builder(inner, origin)
    for op in (*operations, last):
        body.remove(op)
    extents = [build.value(gpu.GridDimOp, dimension=DimensionAttr(axis)) for axis in AXES]
    number, total = _number(build, extents)
    stays = build.value(arith.CmpIOp, number, constant(build, count, INDEX), predicate=IntegerPredicateAttr("ult"))
    first = build.value(arith.SelectOp, stays, number, total)
    build.append(scf.ForOp([first, total, constant(build, count, INDEX)], (), None, [Region([inner])], origin))
    body.append(last)
    left: Value = inner.arguments[0]
    left.hint = "place"
    taken = dict[str, Value]()
    for axis, extent in zip(AXES, extents, strict=True):
        taken[axis] = left if axis == AXES[-1] else turn.value(arith.RemUIOp, left, extent)
        left = left if axis == AXES[-1] else turn.value(arith.DivUIOp, left, extent)
    for op in operations:
        inner.append(op)
    turn.op(scf.YieldOp, [], types=[])
    for op in [op for outer in operations for op in outer.walk() if isinstance(op, gpu.BlockIdOp)]:
        op.result_.replace_uses(taken[op.dimension.value])
        assert op.parent is not None
        op.parent.erase(op)


def _number(build: Builder, extents: list[Value]) -> tuple[Value, Value]:
    """The number of a workgroup in the grid, x fastest, and how many there are."""
    x, y, z = (build.value(gpu.BlockIdOp, dimension=DimensionAttr(axis)) for axis in AXES)
    width, height, depth = extents
    row = build.value(arith.AddIOp, build.value(arith.MulIOp, z, height), y)
    number = build.value(arith.AddIOp, build.value(arith.MulIOp, row, width), x)
    total = build.value(arith.MulIOp, build.value(arith.MulIOp, width, height), depth)
    number.hint, total.hint = "number", "places"
    return number, total
