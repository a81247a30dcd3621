"""Rules for barrier objects and copies of boxes: what is copied lands when somebody waits for what counts it.

Until then nobody touches the place. What a phase's arrivals come after is before what its waiters do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects.nvgpu_mbarrier import (
    MBarrierArriveExpectTxOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveOp,
    MBarrierCreateOp,
    MBarrierGetOp,
    MBarrierInitOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
)
from ..ir.dialects.nvgpu_tma import TensorMapType, TmaAsyncLoadOp, TmaCreateDescriptorOp, unaligned
from ..ir.dialects.nvgpu_tma_prefetch import TmaFenceOp, TmaPrefetchOp
from ..ir.dialects.nvvm import SetMaxRegisterOp
from ..ir.numerics import Array
from ..ir.program_parts import part_around
from ..support.dataclasses import dataclass, field
from ..support.diagnostics import About
from .accesses import check_write, clear_flight, enter_flight, gather, read, read_doubt, write, write_doubt
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .handing_on import learn, told_by
from .memory import MemRef, Window, locate
from .tellings import Telling


@dataclass
class _Object:
    """Arrivals that each phase takes, and those and the bytes that this one still waits for."""

    expected: int
    pending: int
    bytes: int = 0
    parity: int = 0
    boxes: list[tuple[int, Callable[[], None]]] = field(default_factory=list[tuple[int, Callable[[], None]]])
    """Bytes of each, and how it lands."""
    telling: Telling = field(default_factory=Telling)

    def advance(self) -> None:
        if not self.pending and not self.bytes:
            self.parity, self.pending = 1 - self.parity, self.expected
            self.telling.end_phase()


class Objects:
    """A group of each workgroup, by workgroup and number. `of` says whose an owner means, where not its own."""

    def __init__(self, made: dict[tuple[int, int], _Object] | None = None, of: Array | None = None) -> None:
        self._made = {} if made is None else made
        self._of = of

    def elsewhere(self, of: Array) -> Objects:
        """The objects as owners see them who mean those of other workgroups."""
        return Objects(self._made, of)

    def make(self, key: tuple[int, int], count: int) -> None:
        self._made[key] = _Object(count, count)

    def at(self, m: State, op: Operation, owner: int, number: int, workgroup: int | None = None) -> _Object:
        """The barrier object of the workgroup that the owner means, or another."""
        of = m.batch.workgroup if self._of is None else self._of
        key = int(of[owner]) if workgroup is None else workgroup, number
        if key not in self._made:
            raise failure(
                op, f"{m.at(owner)}is of object {number}, which nobody has initialised", about=About("contents")
            )
        return self._made[key]


@EVALUATE.of(TmaCreateDescriptorOp)
def _describe(op: TmaCreateDescriptorOp, c: Compiler) -> Step:
    """The tensor itself: what a box is, its type says."""
    source, out = c.slot(op.tensor), c.slot(op.tensorMap)

    def step(m: State) -> None:
        m.values[out] = m.values[source]

    return step


@EVALUATE.of(MBarrierCreateOp)
def _create(op: MBarrierCreateOp, c: Compiler) -> Step:
    out = c.slot(op.barriers)

    def step(m: State) -> None:
        m.values[out] = Objects()

    return step


def acting(m: State, predicate: int | None) -> Array:
    """The owners for which a predicate holds."""
    owners = m.present()
    return owners if predicate is None else owners[np.array(of_each(m, owners, predicate), np.bool_)]


def of_each(m: State, owners: Array, value: int) -> list[int]:
    """A number for each owner."""
    found = np.asarray(m.values[value])
    return [int(n) for n in (np.broadcast_to(found, owners.shape) if found.ndim == 0 else found[owners])]


def need_aligned(m: State, op: Operation, owners: Array, map: TensorMapType, first: int) -> None:
    """`first`: the slot of the innermost coordinate."""
    for owner, number in zip(owners.tolist(), of_each(m, owners, first), strict=True):
        if why := unaligned(map, number):
            raise failure(op, f"{m.at(owner)}{why}")


@EVALUATE.of(MBarrierInitOp)
def _init(op: MBarrierInitOp, c: Compiler) -> Step:
    group, number, count = c.slots([op.barriers, op.mbarId, op.count])
    predicate = None if op.predicate is None else c.slot(op.predicate)

    def step(m: State) -> None:
        owners = acting(m, predicate)
        for owner, n, arrivals in zip(owners, of_each(m, owners, number), of_each(m, owners, count), strict=True):
            m.values[group].make((int(m.batch.workgroup[owner]), n), arrivals)

    return step


@EVALUATE.of(MBarrierArriveExpectTxOp)
def _arrive(op: MBarrierArriveExpectTxOp, c: Compiler) -> Step:
    group, number, bytes = c.slots([op.barriers, op.mbarId, op.txcount])
    predicate = None if op.predicate is None else c.slot(op.predicate)

    def step(m: State) -> None:
        owners = acting(m, predicate)
        arriving = _arriving(m, op, owners, m.values[group], of_each(m, owners, number), 1)
        for found, more in zip(arriving, of_each(m, owners, bytes), strict=True):
            found.bytes += more
            found.advance()

    return step


def _arriving(
    m: State, op: Operation, owners: Array, group: Objects, numbers: Sequence[int], count: int
) -> Iterator[_Object]:
    """The objects at which these owners arrive `count` times, one after the other; `advance` is the caller's."""
    for owner, number, told in zip(owners.tolist(), numbers, told_by(m, owners), strict=True):
        found = group.at(m, op, owner, number)
        if found.pending < count:
            raise failure(op, f"{m.at(owner)}arrives at object {number} where all have arrived in this phase")
        found.telling.tell(told)
        found.pending -= count
        yield found


def arrive_once(m: State, op: Operation, group: int, number: int) -> None:
    """Each owner arrives at its object."""
    owners = m.present()
    for found in _arriving(m, op, owners, m.values[group], of_each(m, owners, number), 1):
        found.advance()


@EVALUATE.of(MBarrierArriveOp)
def _arrive_alone(op: MBarrierArriveOp, c: Compiler) -> Step:
    return _arrival(op, op.token, c.slot(op.barriers), c.slot(op.mbarId), None, c)


@EVALUATE.of(MBarrierArriveNoCompleteOp)
def _arrive_among_others(op: MBarrierArriveNoCompleteOp, c: Compiler) -> Step:
    return _arrival(op, op.token, c.slot(op.barriers), c.slot(op.mbarId), c.slot(op.count), c)


def _arrival(op: Operation, token: Value, group: int, number: int, times: int | None, c: Compiler) -> Step:
    """As many arrive as the owner has subgroups; a thread is one. The token is the parity of the phase. Where `times`
    are given, they are not the last."""
    out, part = c.slot(token), part_around(op)

    def step(m: State) -> None:
        owners, geometry = m.present(), m.batch.geometry
        of_workgroup = geometry.scope == "workgroup"
        if of_workgroup and part is None and geometry.subgroup_size is None:
            raise failure(op, "arrives once for each subgroup, and needs a subgroup size")
        count = (geometry.subgroups if part is None else part.count) if of_workgroup else 1
        phases = np.zeros(m.batch.size, np.int8)
        numbers = of_each(m, owners, number)
        each = [count] * len(owners) if times is None else [count * n for n in of_each(m, owners, times)]
        for owner, n, count in zip(owners.tolist(), numbers, each, strict=True):
            (found,) = _arriving(m, op, np.array([owner]), m.values[group], [n], count)
            phases[owner] = found.parity
            if times is not None and not found.pending:
                words = f"arrives {count} times at object {n}, and these are the last arrivals of the phase"
                raise failure(op, f"{m.at(owner)}{words}")
            found.advance()
        m.values[out] = phases

    return step


@EVALUATE.of(MBarrierTestWaitOp)
def _test(op: MBarrierTestWaitOp, c: Compiler) -> Step:
    """Others of the workgroup go on first: what will be over without the owner's doing is."""
    group, token, number, out = c.slots([op.barriers, op.token, op.mbarId, op.waitComplete])

    def step(m: State) -> None:
        owners = m.present()
        numbers, phases = of_each(m, owners, number), of_each(m, owners, token)
        objects = [m.values[group].at(m, op, owner, n) for owner, n in zip(owners.tolist(), numbers, strict=True)]
        asked = list(zip(owners.tolist(), objects, phases, strict=True))
        m.wait_until(lambda: all(_is_over(found, phase) for _, found, phase in asked))
        answers = np.zeros(m.batch.size, np.bool_)
        seen = [(found, owner) for owner, found, phase in asked if _is_over(found, phase)]
        answers[[owner for _, owner in seen]] = True
        m.values[out] = answers
        learn(m, np.array([owner for _, owner in seen], np.int64), [(found.telling, owner) for found, owner in seen])

    return step


@EVALUATE.of(MBarrierGetOp)
def _get(_: MBarrierGetOp, __: Compiler) -> None:
    """Nothing uses the address."""


@EVALUATE.of(SetMaxRegisterOp)
def _set_registers(_: SetMaxRegisterOp, __: Compiler) -> None:
    """For machine instructions: nothing happens."""


@EVALUATE.of(MBarrierTryWaitParityOp)
def _wait(op: MBarrierTryWaitParityOp, c: Compiler) -> Step:
    group, number, parity = c.slots([op.barriers, op.mbarId, op.phaseParity])

    def step(m: State) -> None:
        owners = m.present()
        asked = zip(m.batch.workgroup[owners], of_each(m, owners, number), of_each(m, owners, parity), strict=True)
        different = dict(zip(asked, owners.tolist(), strict=True)).items()
        waited = [(m.values[group].at(m, op, owner, n), n, phase, owner) for (_, n, phase), owner in different]
        if not m.wait_until(lambda: all(_is_over(found, phase) for found, _, phase, _ in waited)):
            found, n, _, owner = next(each for each in waited if each[0].parity == each[2])
            missing = f"{found.pending} arrivals and {found.bytes} bytes are missing"
            raise failure(
                op, f"{m.at(owner)}waits for a phase of object {n} that nobody ends: {missing}", about=About("meeting")
            )
        learn(m, owners, [(found.telling, owner) for found, _, _, owner in waited])

    return step


def _is_over(found: _Object, phase: int) -> bool:
    """Whether the phase of that parity is over; what its copies bring lands."""
    if found.parity == phase:
        _land(found)
    return found.parity != phase


def _land(found: _Object) -> None:
    if found.pending:
        return
    boxes, found.boxes = found.boxes, []
    for bytes, land in boxes:
        land()
        found.bytes -= bytes
    found.advance()


@EVALUATE.of(TmaPrefetchOp)
def _prefetch(_: TmaPrefetchOp, __: Compiler) -> None:
    """A hint."""


@EVALUATE.of(TmaFenceOp)
def _fence(_: TmaFenceOp, __: Compiler) -> None:
    """Nobody changes a map."""


@EVALUATE.of(TmaAsyncLoadOp)
def _load(op: TmaAsyncLoadOp, c: Compiler) -> Step:
    box, rank = op.tensorMapDescriptor.type.box, op.dst.type.rank
    source, target = c.site(op, "reads"), c.site(op, "writes")
    map, group, number, to = c.slots([op.tensorMapDescriptor, op.barriers, op.mbarId, op.dst])
    corner, indices = c.slots(list(reversed(op.coordinates))), c.slots(op.dstIndices)
    from_ = Window(box, tuple(range(len(box))), lambda dim: "")
    window = Window(box, tuple(range(rank - len(box), rank)))
    zero = np.zeros((), np.int64)
    predicate = None if op.predicate is None else c.slot(op.predicate)
    mask = None if op.multicastMask is None else c.slot(op.multicastMask)

    def land(
        m: State,
        one: Array,
        held: Array,
        found: _Object,
        buffer: MemRef,
        tensor: MemRef,
        origin: list[Array],
        place: list[Array],
    ) -> None:
        reading = locate(m, source, tensor, origin, from_, None, None, one)
        if gather(m, reading).tobytes() != held.tobytes():
            words = "copies what was written while the copy was under way: nobody had waited for it"
            raise failure(op, f"{m.at(int(one[0]))}{words}")
        values, there = read(m, reading), locate(m, target, buffer, place, window, None, None, one)
        clear_flight(there)
        write(m, there, values)
        found.telling.tell(*told_by(m, one))
        if m.run.follows:
            write_doubt(there, read_doubt(m, reading, None, None, True), values.shape)

    def step(m: State) -> None:
        owners = acting(m, predicate)
        origin = [m.values[i] for i in corner]
        place = [m.values[i] for i in indices] or [zero] * rank
        tensor, buffer = m.values[map], m.values[to]
        need_aligned(m, op, owners, op.tensorMapDescriptor.type, corner[-1])
        m.settle(op, [*corner, *indices])
        for owner, n in zip(owners, of_each(m, owners, number), strict=True):
            one = np.array([owner])
            held = gather(m, locate(m, source, tensor, origin, from_, None, None, one))
            for workgroup in _receivers(m, op, int(owner), mask):
                there = buffer.at_workgroups(m.batch, workgroup)
                found = m.values[group].at(m, op, int(owner), n, workgroup)
                written = locate(m, target, there, place, window, None, None, one)
                check_write(m, written)
                enter_flight(m, written)
                found.boxes.append(
                    (
                        op.tensorMapDescriptor.type.bytes,
                        partial(land, m, one, held, found, there, tensor, origin, place),
                    )
                )

    return step


def _receivers(m: State, op: Operation, owner: int, mask: int | None) -> list[int]:
    """The workgroups that get what an owner copies."""
    own, together = int(m.batch.workgroup[owner]), m.batch.geometry.together
    if mask is None:
        return [own]
    (wanted,) = (n & 0xFFFF for n in of_each(m, np.array([owner]), mask))
    if not 0 < wanted < 1 << together:
        raise failure(op, f"{m.at(owner)}copies for the mask {wanted:#b}, in a cluster of {together} workgroups")
    return [own - own % together + rank for rank in range(together) if wanted >> rank & 1]
