"""Races between teams of which only some meet, against what follows pair by pair from who met whom."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pytest
from lanewise.emulate.access_records import ATOMIC, READ, WRITE, Crew, Race
from lanewise.emulate.barrier_clocks import Order
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.races import Trace

from ..examples import examples

CREW = Crew(workgroup=16, team=4, actor=1)
WORKGROUPS, TEAMS = 2, 4


@dataclass(eq=False)
class Event:
    """What a team did: an access of a thread, or a meeting of several teams."""

    kind: int
    thread: int
    byte: int = 0
    value: int | None = None
    site: int = 0
    before: set[Event] = field(default_factory=set)

    def race(self, later: Event) -> bool:
        changes = WRITE in (self.kind, later.kind) or {self.kind, later.kind} == {READ, ATOMIC}
        if self.kind == later.kind == WRITE and self.value is not None and later.value is not None:
            changes = self.value != later.value
        return self.thread != later.thread and self.byte == later.byte and changes and self not in later.before


def run(rng: random.Random, trace: Trace) -> list[Event]:
    """Each team's own order is a list of what its threads did and of whom it met; `before` is what follows."""
    trace.begin(0)
    order = Order.start(WORKGROUPS, TEAMS)
    told = np.zeros((WORKGROUPS, TEAMS), np.int64)
    told_events: list[set[Event]] = [set() for _ in range(WORKGROUPS)]
    known: list[set[Event]] = [set() for _ in range(WORKGROUPS * TEAMS)]
    done: list[list[Event]] = [[] for _ in range(WORKGROUPS * TEAMS)]
    accesses: list[Event] = []

    for site in range(rng.randint(4, 30)):
        choice, workgroup = rng.random(), rng.randrange(WORKGROUPS)
        if choice < 0.45:
            members = np.zeros((WORKGROUPS, TEAMS), bool)
            members[workgroup, rng.sample(range(TEAMS), rng.randint(1, 3))] = True
            teams = [int(t) for t in np.flatnonzero(members)]
            together = set().union(*(known[t] | set(done[t]) for t in teams))
            if choice < 0.1:
                told = np.maximum(told, order.handed_on(members))
                told_events[workgroup] |= together
                order = order.arrived(members)
                for t in teams:
                    known[t] |= set(done[t])  # those of a team that arrived are in order among themselves
            else:
                mine = np.where(np.arange(WORKGROUPS)[:, None] == workgroup, told, 0)
                order = order.met(members, mine)
                for t in teams:
                    known[t] |= together | told_events[workgroup]
                told[workgroup], told_events[workgroup] = 0, set()
            trace.advance_order(order, members.reshape(-1))
        elif choice < 0.5:
            mask = np.arange(WORKGROUPS) == workgroup
            trace.advance(mask)
            teams = [workgroup * TEAMS + t for t in range(TEAMS)]
            together = set().union(*(known[t] | set(done[t]) for t in teams))
            for t in teams:
                known[t] |= together
        else:
            thread, kind = rng.randrange(WORKGROUPS * 16), rng.choice((READ, WRITE, WRITE, ATOMIC))
            value = rng.choice((None, 0, 0, 1)) if kind == WRITE else None
            byte = rng.choice((0, 4)) + 8 * (thread // 16)
            values = None if value is None else [np.array([value], np.uint32)]
            trace.note(kind, np.array([byte]), 4, np.array([thread]), site, values)
            event = Event(kind, thread, byte, value, site, set(known[thread // 4]))
            done[thread // 4].append(event)
            accesses.append(event)
    return accesses


@pytest.mark.parametrize("seed", range(examples(6)))
def test_a_race_is_reported_where_a_pair_has_one(seed: int) -> None:
    rng, found = random.Random(seed), 0
    for _ in range(150):
        trace = Trace("shared", CREW)
        accesses = run(rng, trace)
        racing = {(a.site, b.site) for a, b in combinations(accesses, 2) if a.race(b)}
        try:
            trace.settle()
        except Race as race:
            assert (race.first.site, race.second.site) in racing
            found += 1
        else:
            assert not racing
    assert 20 < found < 145


def test_order_is_handed_on() -> None:
    """Team 0 meets team 1, which meets team 2 afterwards; team 3 meets nobody."""
    order = Order.start(1, 4)
    nothing = np.zeros((1, 4), np.int64)
    for pair in ((0, 1), (1, 2)):
        members = np.zeros((1, 4), bool)
        members[0, list(pair)] = True
        order = order.met(members, nothing)
    assert order.known[0, 2].tolist() == [1, 2, 1, 0]
    assert order.known[0, 0].tolist() == [1, 1, 0, 0]
    assert order.known[0, 3].tolist() == [0, 0, 0, 0]


BUFFER = ".shared .align 16 .b8 buf[512];"
THREE = "setp.lt.u32 %p1, %r0, 32;\nmov.u32 %r63, 0;\n@%p1 bra DONE;\n"
"""Of four warps those after the first go on."""
STORE = "mov.u32 %r1, buf;\nmad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.b32 [%r2], %r0;\n"
LOAD = "xor.b32 %r3, %r0, {};\nmad.lo.u32 %r4, %r3, 4, %r1;\nld.shared.b32 %r63, [%r4];\n"


def fault(bench, lines, **options):
    with pytest.raises(EmulationFault) as caught:
        bench.words(lines, block=128, before=BUFFER, **options)
    return caught.value.kind, str(caught.value)


def test_a_barrier_of_some_warps_orders_these(bench):
    lines = f"{STORE}{THREE}bar.sync 1, 96;\n{{}}DONE:"
    expected = [0] * 32 + [t ^ 1 for t in range(32, 64)] + [t ^ 32 for t in range(64, 128)]
    across = "shr.u32 %r5, %r0, 1;\nand.b32 %r5, %r5, 32;\nsetp.eq.u32 %p2, %r5, 0;\nselp.b32 %r5, 1, 32, %p2;\n"
    assert bench.words(lines.format(across + LOAD.format("%r5")), block=128, before=BUFFER).tolist() == expected
    kind, words = fault(bench, lines.format(LOAD.format(32)))  # warp 1 reads what warp 0 wrote, which was not there
    assert kind == "race" and "thread (0, 0, 0) writes" in words


def test_arriving_tells_those_who_wait(bench):
    """Warp 0 writes and goes on; the others wait for it and read what it wrote."""
    wait = (
        f"{THREE}bar.sync 2, 128;\nxor.b32 %r3, %r0, %r0;\nmad.lo.u32 %r4, %r3, 4, %r1;\nld.shared.b32 %r63, [%r4];\n"
    )
    first = "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra OTHERS;\nst.shared.b32 [%r2], 5;\n{}bar.arrive 2, 128;\n{}OTHERS:\n"
    begin = "mov.u32 %r1, buf;\nmad.lo.u32 %r2, %r0, 4, %r1;\n"
    fine = f"{begin}{first.format('', '')}{wait}DONE:"
    assert bench.words(fine, block=128, before=BUFFER).tolist() == [0] * 32 + [5] * 96
    late = f"{begin}{first.format('', 'st.shared.b32 [%r2], 6;')}{wait}DONE:"
    assert fault(bench, late)[0] == "race"


@pytest.mark.parametrize(
    ("barrier", "words"),
    [
        ("bar.sync 1, 64;", "96 threads are at barrier 1 of 64"),
        ("bar.sync 1, 80;", "barrier 1 of 80 threads, which are no whole warps"),
        ("bar.sync 16, 96;", "barrier 16; a workgroup has 16"),
        ("bar.sync %r8, 96;", "barrier 17; a workgroup has 16"),
        ("bar.sync 1, %r9;", "where others wait for another number"),
    ],
)
def test_wrong_barriers(bench, barrier, words):
    numbers = "mov.u32 %r8, 17;\nshr.u32 %r9, %r0, 5;\nmad.lo.u32 %r9, %r9, 32, 32;\n"
    if "%r9" in barrier:
        lines = f"{numbers}setp.lt.u32 %p1, %r0, 64;\nmov.u32 %r63, 0;\n@%p1 bra LOW;\nbar.sync 1, 96;\nbra DONE;\n"
        lines += "LOW:\nbar.sync 1, 64;\nDONE:"
    else:
        lines = f"{numbers}{THREE}{barrier}\nDONE:"
    kind, found = fault(bench, lines)
    assert kind == "divergent-barrier" and words in found


ARRIVE = "setp.ge.u32 %p1, %r0, {};\nmov.u32 %r63, 0;\n@%p1 bra DONE;\nbar.arrive 2, {};\nDONE:"


@pytest.mark.parametrize("blocks", [1, 3])
def test_an_arrival_that_nobody_meets(bench, blocks):
    kind, words = fault(bench, ARRIVE.format(32, 128), blocks=blocks)
    assert kind == "deadlock" and "32 of 128 threads have arrived at barrier 2, where nobody waits;" in words
    assert "thread (0, 0, 0)" in words and words.endswith(": bar.arrive 2, 128")


def test_more_arrivals_than_are_met(bench):
    kind, words = fault(bench, ARRIVE.format(96, 64))
    assert kind == "divergent-barrier" and "96 threads are at barrier 2 of 64" in words
    assert words.endswith(": bar.arrive 2, 64")


def test_those_who_wait_for_more_are_counted(bench):
    kind, words = fault(bench, f"{THREE}bar.sync 1, 128;\nDONE:")
    assert kind == "deadlock" and "96 of 128 threads wait at barrier 1" in words
