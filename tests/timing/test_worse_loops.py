"""Loops that are made worse on purpose take longer with one workgroup; what they wait for then is named."""

from __future__ import annotations

import pytest
from lanewise.timing.loop_time import loop_time
from lanewise.timing.timed import Loop

from .loops import amd, machine, nvidia
from .test_known_times import HMMA, mfmas

_LOADS = [f"buffer_load_dwordx4 v[{4 * n}:{4 * n + 3}], v99, s[0:3], 0 offen" for n in range(100 // 4, 100 // 4 + 4)]
_WRITES = [f"ds_write_b128 v98, v[{100 + 4 * n}:{100 + 4 * n + 3}]" for n in range(4)]
_READS = [f"ds_read_b128 v[{140 + 4 * n}:{140 + 4 * n + 3}], v97" for n in range(8)]


def _gfx942(*, ahead: bool, eager: bool = False) -> list[str]:
    """The tile that was loaded an iteration before goes to shared memory; with `eager` each access is waited for."""
    loads = [line for load in _LOADS for line in ([load, "s_waitcnt vmcnt(0)"] if eager else [load])]
    reads = [line for read in _READS for line in ([read, "s_waitcnt lgkmcnt(0)"] if eager else [read])]
    first = ["s_waitcnt vmcnt(0)", *_WRITES, *loads] if ahead else [*loads, "s_waitcnt vmcnt(0)", *_WRITES]
    return [*first, "s_waitcnt lgkmcnt(0)", "s_barrier", *reads, "s_waitcnt lgkmcnt(0)", *mfmas(8), "s_barrier"]


def _sm_80(*, left: int, eager: bool = False) -> list[str]:
    """Copies of which `left` groups may be under way."""
    copies = ["[1 - - -] LDGSTS.E.BYPASS.128 [R2], [R4.64]"] * 4 + ["[1 0 - -] LDGDEPBAR"]
    reads = ["[1 1 - -] LDSM.16.M88.4 R8, [R2]", *(["[1 - - 1] NOP"] if eager else [])] * 4
    products = [f"[8 - - 1] {HMMA}", *[f"[8 - - -] {HMMA}"] * 15]
    return [*copies, f"[1 - - -] DEPBAR.LE SB0, {left:#x}", "[1 - - -] BAR.SYNC.DEFER_BLOCKING 0x0", *reads, *products]


_LOOPS: dict[str, tuple[str, Loop, Loop, Loop]] = {
    "gfx942": (
        "loads",
        amd(_gfx942(ahead=True)),
        amd(_gfx942(ahead=False)),
        amd(_gfx942(ahead=True, eager=True)),
    ),
    "sm_80": ("copies", nvidia(_sm_80(left=2)), nvidia(_sm_80(left=0)), nvidia(_sm_80(left=2, eager=True))),
}


@pytest.mark.parametrize("chip", _LOOPS)
def test_a_loop_that_reads_nothing_ahead_waits_for_its_loads(chip: str) -> None:
    reason, good, behind, _ = _LOOPS[chip]
    is_, was = (loop_time(loop, machine(chip), 4) for loop in (behind, good))
    assert is_.cycles > 1.2 * was.cycles and is_.matrix < was.matrix
    worst = is_.waits[0]
    assert worst.reason == reason and {is_.first_line <= line <= is_.last_line for line in worst.causes} == {True}
    waited = sum(wait.cycles for wait in is_.waits if wait.reason == reason)
    assert waited > 0.7 * (is_.cycles - was.cycles)


@pytest.mark.parametrize("chip", _LOOPS)
def test_a_loop_that_waits_for_every_access_is_slower(chip: str) -> None:
    _, good, _, eager = _LOOPS[chip]
    is_, was = (loop_time(loop, machine(chip), 4) for loop in (eager, good))
    assert is_.cycles > 1.05 * was.cycles


def test_memory_that_is_farther_away_makes_its_loads_wait_longer() -> None:
    _, _, behind, _ = _LOOPS["gfx942"]
    near, there = machine("gfx942"), machine("gfx942").far
    longer = loop_time(amd(_gfx942(ahead=False), on=there), there, 4).cycles - loop_time(behind, near, 4).cycles
    assert longer == pytest.approx(near.figures.far_latency - near.figures.near_latency, rel=0.02)


def test_a_second_workgroup_hides_waits() -> None:
    _, _, behind, _ = _LOOPS["sm_80"]
    alone, two = (loop_time(behind, machine("sm_80"), 4, groups) for groups in (1, 2))
    assert two.cycles < 0.8 * alone.cycles and two.least <= two.cycles <= two.most
