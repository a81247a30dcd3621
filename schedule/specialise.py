"""Subgroups besides those of the program copy for its loop, and the program's do nothing but multiply.

    scf.for %k .. {                                %landed, %freed = barrier objects, one each for every slot
      %a = vector.transfer_read %A[%k]             lanewise.split {
      vector.transfer_write %a, %tile                scf.for %k .. iter_args(%slot = 0, %last = n - 1) {
      .. what reads the tile ..                        wait until ring[%slot] has landed
    }                                                  .. what reads ring[%slot] ..
                                                       tell that ring[%last] is free
                                                       scf.yield (%slot + 1) mod n, %slot }
                                                   } {
                                                     scf.for %k .. iter_args(%slot = 0) {
                                                       wait until ring[%slot] is free
                                                       copy A[%k] -> ring[%slot]
                                                       scf.yield (%slot + 1) mod n } }

It is what `ring.py` makes of a loop, but that nobody who multiplies issues copies, and that subgroups wait for tiles,
not for each other. An iteration frees the tile of the one before: its own product may still be under way. So n - 1
tiles are copied before anything is freed, and the n-th waits for the first iteration.

Registers that threads do not need that only copy go to those that multiply. A workgroup has more threads than its
program says, whose own are the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ir.attributes import DenseArrayAttr, IntegerAttr
from ..ir.core import Before, Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, gpu, memref, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.lanewise import SplitOp, ThreadsOp
from ..ir.dialects.nvgpu_mbarrier import TOKEN, MBarrierArriveOp, MBarrierGroupType
from ..ir.dialects.nvvm import GriddepcontrolOp, SetMaxRegisterOp
from ..ir.kernels import SPECIALISE, block_size, set_block_size
from ..ir.types import I1, I64, INDEX, VectorType
from ..layout.workgroup import Workgroup
from .loops import carry, hand_on
from .outcome import Outcome
from .ring import Plan, erase_copies, following_slot, plans, read_from, rings_of, word
from .stages import REGISTERS, resident
from .ways import ByBoxes, Turn, are_boxes, objects, wait_for

_FEATURE = "setmaxnreg"
_NOBODY = "no subgroups of their own copy for a loop"
_TOGETHER = 4
"""Subgroups that exchange registers together; so many only copy, of which one does it."""
_REGISTERS_TO_COPY: Mapping[int, int] = {8: 40, 12: 32}
"""Of a thread that only copies, by the subgroups that multiply."""
_FEWEST_REGISTERS = 24
_MOST_REGISTERS = 240
_MOST_THREADS = 1024
_NUMBERS_OF_ALL = (gpu.BlockDimOp, gpu.NumSubgroupsOp)


@dataclass(frozen=True)
class Specialise:
    """The pass. `stages` as in `Ring`."""

    stages: int | None = None

    def __call__(self, function: Operation, workgroup: Workgroup) -> Outcome:
        """Rewrites a function in the vector stage, in place."""
        outcome = Outcome()
        assert isinstance(function, FunctionLike)
        asked = function.attributes.pop(SPECIALISE, None)
        is_asked = asked == IntegerAttr(1, I1)
        if not workgroup.chip.supports(_FEATURE) or (asked is not None and not is_asked):
            if is_asked:
                outcome.leave(function, f"{_NOBODY}: {workgroup.chip.name} has no {_FEATURE}")
            return outcome
        found = list(plans(function, workgroup, self.stages, Outcome()))  # what these leave alone is the ring's to tell
        for plan in found:
            if are_boxes(plan.found, function, workgroup):
                why = _why_not(plan, found, function, workgroup, is_asked=is_asked)
                if why:
                    outcome.leave(plan.loop, f"{_NOBODY}: {why}")
                else:
                    _Roles(plan, function, workgroup).rewrite()
                    outcome.changed = True
        if is_asked and not outcome.changed and not outcome.remarks:
            outcome.leave(function, f"{_NOBODY}: the chip copies the tiles of no loop by itself")
        return outcome


def _why_not(
    plan: Plan, all_plans: Sequence[Plan], function: FunctionLike, workgroup: Workgroup, *, is_asked: bool
) -> str:
    """Why a loop's threads copy for themselves, in words; empty where others can do it, and it pays."""
    size, threads = block_size(function), workgroup.threads
    inside = list(function.walk())
    if len(all_plans) > 1 or plan.rest:
        return "the kernel makes other copies in loops"
    if plan.loop.parent is not function.body:
        return "it stands in a loop or a branch"
    if any(type(op) in _NUMBERS_OF_ALL for op in inside):
        return "the kernel asks how many threads the workgroup has"
    if any(type(op) in (SplitOp, ThreadsOp) for op in inside):
        return "the kernel divides its subgroups itself"
    if size[0] != threads or threads % (_TOGETHER * workgroup.subgroup_size) or threads >= _MOST_THREADS:
        found = "x".join(map(str, size))
        return f"it takes whole groups of {_TOGETHER} subgroups along x, and room for another, found {found} threads"
    if not is_asked and resident(plan.loop, workgroup) > 1:
        return "a multiprocessor has room for two workgroups, of which one copies while the other multiplies"
    if any(op.awaits_grids and op.parent is not function.body for op in inside):
        return "the kernel waits for other grids in a loop or a branch"
    moved = _moved(plan.loop, function)
    if any(v.operation in moved for v in _needed(plan)):
        return "where it copies from is computed from memory or vectors"
    return ""


def _needed(plan: Plan) -> list[Value]:
    """What the copies take from outside of the loop, and maybe some of what they do not."""
    loop, places = plan.loop, [op for c in plan.found for op in (*c.places, *c.corner)]
    indices = [v for c in plan.found for v in (*c.read.indices, *c.write.indices)]
    return [loop.lower_bound, loop.upper_bound, loop.step, *indices, *(v for op in places for v in op.operands)]


def _moved(loop: scf.ForOp, function: FunctionLike) -> dict[Operation, None]:
    """What stands before the loop and is of those that multiply alone: all that has vectors or touches memory, and what
    takes something of that. All wait for other grids, those that copy, too."""
    found = dict[Operation, None]()
    for op in function.body.operations[: function.body.position(loop)]:
        of_all = isinstance(op, (memref.AllocOp, GriddepcontrolOp)) or (op.pure and not op.regions)
        vectors = any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results))
        if not of_all or vectors or any(v.operation in found for v in op.operands):
            found[op] = None
    return found


class _Roles:
    """The rewrite of one loop. What is before it and after it comes along, but for what both sides take."""

    def __init__(self, plan: Plan, function: FunctionLike, workgroup: Workgroup) -> None:
        self._plan, self._function, self._workgroup = plan, function, workgroup
        self._rings = rings_of(plan)
        self._way = ByBoxes(plan.found, self._rings, plan.count)

    def rewrite(self) -> None:
        plan, body, subgroups = self._plan, self._function.body, self._workgroup.subgroups
        moved = _moved(plan.loop, self._function)
        before = Before(plan.loop)
        landed = self._way.landed(before)
        freed = objects(before, "freed", plan.count, subgroups)
        before.op(gpu.BarrierOp)
        own, copying = Block(), Block()
        split = before.op(
            SplitOp, regions=[Region([own]), Region([copying])], subgroups=DenseArrayAttr(I64, (subgroups, _TOGETHER))
        )
        self._exchange_registers(own, copying)
        self._copy(copying, freed)
        self._multiply(landed, freed)
        behind = body.operations[body.position(split) + 1 : -1]
        for op in (*moved, *behind):
            own.append(body.remove(op))
        size, more = block_size(self._function), _TOGETHER * self._workgroup.subgroup_size
        set_block_size(self._function, (size[0] + more, *size[1:]))

    def _exchange_registers(self, own: Block, copying: Block) -> None:
        """At first all have the same number."""
        lanes, subgroups = self._workgroup.subgroup_size, self._workgroup.subgroups
        least = _REGISTERS_TO_COPY.get(subgroups, _FEWEST_REGISTERS)
        left = (REGISTERS // lanes - _TOGETHER * least) // subgroups
        each = REGISTERS // lanes // (subgroups + _TOGETHER)
        if each < _MOST_REGISTERS:
            own.append(SetMaxRegisterOp.of("increase", min(left // 8 * 8, _MOST_REGISTERS)))
            copying.append(SetMaxRegisterOp.of("decrease", least))

    def _copy(self, block: Block, freed: Value[MBarrierGroupType]) -> None:
        """By one subgroup."""
        inner, plan = Block(), self._plan
        Builder(block, plan.loop.location).op(
            SplitOp,
            regions=[Region([inner]), Region([Block()])],
            subgroups=DenseArrayAttr(I64, (1, _TOGETHER - 1)),
        )
        build, loop = Builder(inner, plan.loop.location), plan.loop
        odd = build.value(arith.ConstantOp, types=[I1], value=IntegerAttr(1, I1))
        inits = [word(build, 0), odd]
        body = Block([loop.induction_variable.type, *(v.type for v in inits)])
        build.append(
            scf.ForOp(
                [loop.lower_bound, loop.upper_bound, loop.step, *inits],
                [v.type for v in inits],
                loop.attributes,
                [Region([body])],
                loop.location,
            )
        )
        number, slot, parity = body.arguments
        number.hint, slot.hint, parity.hint = loop.induction_variable.hint, "slot", "parity"
        within = Builder(body, loop.location)
        index = within.value(arith.IndexCastOp, slot, types=[INDEX])
        wait_for(within, freed, index, parity)
        self._way.issue(within, Turn(loop, number, None, lambda build: index, number))
        following, _ = following_slot(within, slot, plan.count)
        is_next_last = _is(within, slot, plan.count - 2)
        within.op(scf.YieldOp, [following, within.value(arith.XOrIOp, parity, is_next_last)])

    def _multiply(self, landed: Value[MBarrierGroupType], freed: Value[MBarrierGroupType]) -> None:
        plan, before = self._plan, Before(self._plan.loop)
        even = before.value(arith.ConstantOp, types=[I1], value=IntegerAttr(0, I1))
        loop, arguments = carry(plan.loop, [word(before, 0), word(before, plan.count - 1), even])
        slot, last, parity = arguments
        slot.hint, last.hint, parity.hint = "slot", "last", "parity"
        start = Before(loop.body.operations[0])
        index = start.value(arith.IndexCastOp, slot, types=[INDEX])
        wait_for(start, landed, index, parity)
        read_from(loop, self._rings, index)
        assert loop.body.terminator is not None
        end = Before(loop.body.terminator)
        end.op(MBarrierArriveOp, freed, end.value(arith.IndexCastOp, last, types=[INDEX]), types=[TOKEN])
        following, wraps = following_slot(end, slot, plan.count)
        hand_on(loop, [following, slot, end.value(arith.XOrIOp, parity, wraps)])
        erase_copies(loop, plan.found, self._rings)


def _is(build: Builder, number: Value, expected: int) -> Value:
    return build.value(arith.CmpIOp, number, word(build, expected), predicate=IntegerPredicateAttr("eq"))
