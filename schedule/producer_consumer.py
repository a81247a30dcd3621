"""A kernel becomes two programs that run at once: the one that it was, without its loops' copies, and these alone.

The first is the text as it stands. The second has the same loops, with what says where is copied from: scalars that
follow from arguments and the loops' counters. Which slot of a ring is next, and which parity is waited for, each of
them carries through all loops, and through those around them: a ring never begins again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.attributes import DenseArrayAttr, IntegerAttr, UnitAttr
from ..ir.cloning import clone
from ..ir.core import Before, Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, gpu, memref, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.gpu import BarrierScopeAttr
from ..ir.dialects.lanewise import SplitOp
from ..ir.dialects.longhand import constant
from ..ir.dialects.nvgpu_mbarrier import READS_ONLY, TOKEN, MBarrierArriveOp, MBarrierGroupType, is_barriers
from ..ir.dialects.nvvm import GriddepcontrolOp, SetMaxRegisterOp
from ..ir.dialects.nvvm_cluster import MapaOp
from ..ir.kernels import block_size, set_block_size
from ..ir.types import I1, I32, I64, INDEX
from ..layout.workgroup import Workgroup
from ..support.dataclasses import dataclass, replace
from ..targets.register_file import REGISTERS, registers_of_a_thread
from .copy_strategies import Rings, Turn
from .loops import BOUNDS, carry, hand_on, loops_around
from .multicast import Multicast
from .ring import Plan, erase_copies, following_slot, read_from, ring_of, tiles_of, word
from .shared_rings import SharedRing
from .tma import ByTma, objects, wait_for

TOGETHER = 4
"""Subgroups that exchange registers together; so many only copy, of which one does it."""
_REGISTERS_TO_COPY: Mapping[int, int] = {8: 40, 12: 32}
"""The registers of a thread that only copies, by the subgroups that multiply."""
_FEWEST_REGISTERS = 24
_MOST_REGISTERS = 240
_UNIT = 8
"""Registers are exchanged in such numbers (PTX ISA, "setmaxnreg")."""


# -- what both take ------------------------------------------------------------------------------------------------


def sources(plan: Plan, function: FunctionLike) -> set[Operation] | None:
    """The operations around a loop that say where it copies from, and how often; None where that follows from memory,
    vectors, or what loops carry."""
    around = loops_around(plan.loop)
    assert around is not None
    places = [op for c in plan.found for op in (*c.places, *c.corner)]
    given = {*function.body.arguments, *(loop.induction_variable for loop in (plan.loop, *around))}
    pending = [v for loop in (plan.loop, *around) for v in loop.operands[:BOUNDS]]
    pending += [v for c in plan.found for v in (*c.read.indices, *c.write.indices)]
    pending += [v for op in places for v in op.operands]
    found, own = set[Operation](), set(places)
    while pending:
        value = pending.pop()
        op = value.operation
        if value in given or op in found or op in own:
            continue
        if op is None or not is_of_all(op):
            return None
        found.add(op)
        pending += op.operands
    return found


def is_of_all(op: Operation) -> bool:
    """Whether it may stand before the programs part, as far as itself tells: no vectors, and nothing of memory. All
    wait for other grids, those that copy, too."""
    vectors = any(v.type.is_vector for v in (*op.operands, *op.results))
    return not vectors and (isinstance(op, (memref.AllocOp, GriddepcontrolOp)) or (op.pure and not op.regions))


# -- registers -----------------------------------------------------------------------------------------------------


def registers_at_first(workgroup: Workgroup) -> int:
    """What each thread has before they are exchanged, those that copy among them."""
    return registers_of_a_thread(workgroup.threads + TOGETHER * workgroup.subgroup_size)


def registers_to_multiply(workgroup: Workgroup) -> int:
    """What each of the program's own threads has behind that."""
    whole = REGISTERS // workgroup.subgroup_size - TOGETHER * _to_copy(workgroup)
    return min(_MOST_REGISTERS, whole // workgroup.subgroups // _UNIT * _UNIT)


def _to_copy(workgroup: Workgroup) -> int:
    return _REGISTERS_TO_COPY.get(workgroup.subgroups, _FEWEST_REGISTERS)


# -- the rewrite ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Supply:
    """A ring that is there. For each of its slots `landed` has an object that counts what is copied, and `freed` one
    that counts who has read it."""

    ring: SharedRing
    landed: Value[MBarrierGroupType]
    freed: Value[MBarrierGroupType]
    writers: Sequence[Value[MBarrierGroupType]]
    """The objects of whoever copies to the ring that count who has read it: `freed`, or those of all of the cluster."""
    rings: Mapping[Plan, Rings]
    strategies: Mapping[Plan, ByTma]


class Roles:
    """The rewrite of a kernel's loops, all of them or none."""

    def __init__(
        self,
        rings: Sequence[SharedRing],
        function: FunctionLike,
        workgroup: Workgroup,
        cluster: Multicast | None = None,
    ) -> None:
        """`cluster`: which tiles its workgroups copy for each other."""
        self._function, self._workgroup, self._cluster = function, workgroup, cluster
        self._rings = rings
        self._plans = {plan.loop: plan for ring in rings for plan in ring.plans}
        self._sources = {op for plan in self._plans.values() for op in sources(plan, function) or ()}
        self._supplies: list[_Supply] = []
        self._within = dict[Operation, list[_Supply]]()
        """The rings that a loop takes, or one in it."""

    def rewrite(self) -> None:
        body, subgroups = self._function.body, self._workgroup.subgroups
        first = next(op for op in body.operations if any(inner in self._plans for inner in op.walk()))
        moved, behind = self._divide(first)
        before = Before(first)
        self._supplies = [self._supply(ring, before) for ring in self._rings]
        for supply in self._supplies:
            for plan in supply.ring.plans:
                for loop in (plan.loop, *(loops_around(plan.loop) or ())):
                    if supply not in self._within.setdefault(loop, []):
                        self._within[loop].append(supply)
        self._meet(before)
        for op in [op for op in behind if op in self._sources]:
            before.append(body.remove(op))
        own, copying = Block(), Block()
        split = before.op(
            SplitOp, regions=[Region([own]), Region([copying])], subgroups=DenseArrayAttr(I64, (subgroups, TOGETHER))
        )
        self._exchange_registers(own, copying)
        self._copy(copying)
        self._multiply(first)
        for op in (*moved, *body.operations[body.position(split) + 1 : -1]):
            own.append(body.remove(op))
        if self._cluster is not None:
            assert body.terminator is not None
            self._meet(Before(body.terminator))
        size, more = block_size(self._function), TOGETHER * self._workgroup.subgroup_size
        set_block_size(self._function, (size[0] + more, *size[1:]))

    def _meet(self, build: Builder) -> None:
        """All who wait for each other's objects."""
        scope = "workgroup" if self._cluster is None else "cluster"
        build.op(gpu.BarrierOp, scope=BarrierScopeAttr(scope))

    def _divide(self, first: Operation) -> tuple[list[Operation], list[Operation]]:
        """Divides what stands before `first`. Those that multiply alone get all that has vectors or touches memory,
        and what takes something of that. And all that stands behind."""
        body = self._function.body
        at = body.position(first)
        moved = dict[Operation, None]()
        for op in body.operations[:at]:
            if not is_of_all(op) or any(v.operation in moved for v in op.operands):
                moved[op] = None
        return list(moved), list(body.operations[at + 1 : -1])

    def _supply(self, ring: SharedRing, build: Builder) -> _Supply:
        buffers = [ring_of(build, tile, ring.count) for tile in ring.tiles]
        rings = {plan: dict(zip(tiles_of(plan), buffers, strict=True)) for plan in ring.plans}
        shares = {} if self._cluster is None else self._cluster.shares(build)
        strategies = {plan: ByTma(plan.found, rings[plan], ring.count, shares) for plan in ring.plans}
        together = 1 if self._cluster is None else self._cluster.together
        landed = objects(build, "landed", ring.count, 1)
        freed = objects(build, "freed", ring.count, self._workgroup.subgroups * together)
        writers = [freed] if together == 1 else [_of_rank(build, freed, rank) for rank in range(together)]
        for strategy in strategies.values():
            strategy.prepare(build, landed)
        return _Supply(ring, landed, freed, writers, rings, strategies)

    def _exchange_registers(self, own: Block, copying: Block) -> None:
        """At first all have the same number."""
        if registers_at_first(self._workgroup) < _MOST_REGISTERS:
            own.append(SetMaxRegisterOp.of("increase", registers_to_multiply(self._workgroup)))
            copying.append(SetMaxRegisterOp.of("decrease", _to_copy(self._workgroup)))

    # -- who copies ------------------------------------------------------------------------------------------------

    def _copy(self, block: Block) -> None:
        """By one subgroup."""
        inner, location = Block(), self._function.location
        Builder(block, location).op(
            SplitOp,
            regions=[Region([inner]), Region([Block()])],
            subgroups=DenseArrayAttr(I64, (1, TOGETHER - 1)),
        )
        build = Builder(inner, location)
        state = {s: [word(build, 0), _truth(build, 1)] for s in self._supplies}
        for op in self._function.body.operations:
            if op in self._within:
                state |= self._copying_loop(op, build, {}, state)

    def _copying_loop(
        self, loop: Operation, build: Builder, known: Mapping[Value, Value], state: Mapping[_Supply, list[Value]]
    ) -> dict[_Supply, list[Value]]:
        """Copies for a loop, or for those in it. `known`: what became of values around it; `state`: of each ring the
        next slot, and the parity that is waited for. Gives what they are behind it."""
        assert isinstance(loop, scf.ForOp)
        own = self._within[loop]
        inits = [v for s in own for v in state[s]]
        body = Block([loop.induction_variable.type, *(v.type for v in inits)])
        number, *carried = body.arguments
        number.hint = loop.induction_variable.hint
        here = dict(zip(own, _in_pairs(carried), strict=True))
        for slot, parity in here.values():
            slot.hint, parity.hint = "slot", "parity"
        bounds = [known.get(v, v) for v in loop.operands[:BOUNDS]]
        made = build.append(
            scf.ForOp([*bounds, *inits], [v.type for v in inits], loop.attributes, [Region([body])], loop)
        )
        within, values = Builder(body, loop), {**known, loop.induction_variable: number}
        if loop in self._plans:
            plan = self._plans[loop]
            supply = next(s for s in own if plan in s.ring.plans)
            here[supply] = self._issue(plan, supply, within, values, here[supply])
        for op in loop.body.operations:
            if op in self._within:
                here |= self._copying_loop(op, within, values, here)
            elif op in self._sources:
                within.append(clone(op, values))
        within.op(scf.YieldOp, [v for s in own for v in here[s]])
        return dict(zip(own, _in_pairs(made.results), strict=True))

    def _issue(
        self, plan: Plan, supply: _Supply, build: Builder, known: Mapping[Value, Value], state: Sequence[Value]
    ) -> list[Value]:
        """Copies the tiles of an iteration."""
        slot, parity = state
        count, number = supply.ring.count, known[plan.loop.induction_variable]
        index = build.value(arith.IndexCastOp, slot, types=[INDEX])
        wait_for(build, supply.freed, index, parity)
        supply.strategies[plan].issue(build, Turn(plan.loop, number, None, lambda build: index, number, known))
        following, _ = following_slot(build, slot, count)
        return [following, build.value(arith.XOrIOp, parity, _is(build, slot, count - 2))]

    # -- who multiplies --------------------------------------------------------------------------------------------

    def _multiply(self, first: Operation) -> None:
        body, start = self._function.body, Before(first)
        state = {s: [word(start, 0), word(start, s.ring.count - 1), _truth(start, 0)] for s in self._supplies}
        for op in body.operations[body.position(first) :]:
            if op in self._within:
                state |= self._multiplying_loop(op, state)

    def _multiplying_loop(self, op: Operation, state: Mapping[_Supply, list[Value]]) -> dict[_Supply, list[Value]]:
        """`state`: of each ring the slot that is read next, the one that was read last, and the parity that is waited
        for. Gives what they are behind it."""
        assert isinstance(op, scf.ForOp)
        own, plan = self._within[op], self._plans.get(op)
        loop, arguments = carry(op, [v for s in own for v in state[s]])
        here = dict(zip(own, _in_threes(arguments), strict=True))
        for slot, last, parity in here.values():
            slot.hint, last.hint, parity.hint = "slot", "last", "parity"
        inner = list(loop.body.operations)
        supply = next((s for s in own if plan in s.ring.plans), None)
        if plan is not None and supply is not None:
            self._wait(loop, plan, supply, here[supply])
        for each in inner:
            if each in self._within:
                here |= self._multiplying_loop(each, here)
        if plan is not None and supply is not None:
            here[supply] = self._free(loop, supply, here[supply])
        hand_on(loop, [v for s in own for v in here[s]])
        if plan is not None and supply is not None:
            erase_copies(loop, plan.found, supply.rings[plan])
        return dict(zip(own, _in_threes(loop.results[len(loop.results) - 3 * len(own) :]), strict=True))

    def _wait(self, loop: scf.ForOp, plan: Plan, supply: _Supply, state: Sequence[Value]) -> None:
        slot, _, parity = state
        start = Before(loop.body.operations[0])
        index = start.value(arith.IndexCastOp, slot, types=[INDEX])
        wait_for(start, supply.landed, index, parity)
        read_from(loop, supply.rings[plan], index)

    def _free(self, loop: scf.ForOp, supply: _Supply, state: Sequence[Value]) -> list[Value]:
        slot, last, parity = state
        assert loop.body.terminator is not None
        end = Before(loop.body.terminator)
        number = end.value(arith.IndexCastOp, last, types=[INDEX])
        for group in supply.writers:
            arrival = end.op(MBarrierArriveOp, group, number, types=[TOKEN])
            if self._cluster is not None:
                arrival.attributes[READS_ONLY] = UnitAttr()
        following, wraps = following_slot(end, slot, supply.ring.count)
        return [following, slot, end.value(arith.XOrIOp, parity, wraps)]


def _of_rank(build: Builder, group: Value[MBarrierGroupType], rank: int) -> Value[MBarrierGroupType]:
    """The same objects of a workgroup of the cluster."""
    found = build.op(MapaOp, group, constant(build, rank, I32), types=[replace(group.type, elsewhere=True)]).res
    assert is_barriers.admits(found)
    return found


def _in_pairs(values: Sequence[Value]) -> list[list[Value]]:
    return [list(values[n : n + 2]) for n in range(0, len(values), 2)]


def _in_threes(values: Sequence[Value]) -> list[list[Value]]:
    return [list(values[n : n + 3]) for n in range(0, len(values), 3)]


def _truth(build: Builder, number: int) -> Value:
    return build.value(arith.ConstantOp, types=[I1], value=IntegerAttr(number, I1))


def _is(build: Builder, number: Value, expected: int) -> Value:
    return build.value(arith.CmpIOp, number, word(build, expected), predicate=IntegerPredicateAttr("eq"))
