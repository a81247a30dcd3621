"""Grids that may begin before those before them have ended: what they must not meet until they have waited."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.grids import Grid
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.ptx import PtxModule

from .conftest import Bench

WAIT, TELL = "griddepcontrol.wait;\n", "griddepcontrol.launch_dependents;\n"
PLACE = "mov.u32 %r0, %tid.x;\nmad.wide.u32 %l0, %r0, 4, %q0;\nmad.wide.u32 %l1, %r0, 4, %q1;\n"
LOAD, STORE = "ld.global.b32 %r1, [%l0];\n", "st.global.b32 [%l1], %r0;\n"
COMMON = "ld.global.b32 %r1, [%q0];\n"
UPDATE = "red.global.add.u32 [%l0], 1;\n"
FIRST_WARP = "setp.ge.u32 %p0, %r0, 32;\n@%p0 bra LATER;\n" + WAIT + "LATER:\n"
MEETS = "race: (reads|writes|updates atomically) global memory that block .* of an earlier grid of k "


class Line:
    """Kernels launched one after the other, each before the end of the last."""

    def __init__(self) -> None:
        self.bench = Bench()
        self.x, self.y, self.z = (self.bench.upload(np.arange(64, dtype=np.uint32)) for _ in "xyz")
        self.last: Grid | None = None

    def launch(self, lines: str, read: int, written: int, *, programmatic: bool = True, checks: bool = True) -> None:
        (kernel,) = PtxModule.parse(self.bench.body(PLACE + lines, parameters=2)).kernels.values()
        grid = Grid("k", self.last if programmatic else None)
        arguments = self.bench.pack(kernel, [read, written])
        settings = LaunchSettings((1, 1, 1), (64, 1, 1), arguments, checks=checks, launched=grid)
        kernel.launch(self.bench.memory, settings)
        self.last = grid


@pytest.fixture
def line() -> Line:
    return Line()


def test_what_was_written_is_there_once_a_thread_has_waited(line: Line) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    line.launch(WAIT + LOAD + STORE, line.y, line.z)


@pytest.mark.parametrize("early", [LOAD, COMMON, UPDATE, LOAD + WAIT, TELL + LOAD + WAIT])
def test_it_is_not_before(line: Line, early: str) -> None:
    line.launch(LOAD + STORE + TELL, line.x, line.y)
    with pytest.raises(EmulationFault, match=MEETS + r"writes \(its line \d+: st.global.b32"):
        line.launch(early, line.y, line.z)


def test_nothing_is_asked_of_a_grid_that_begins_when_the_last_one_has_ended(line: Line) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    line.launch(LOAD + STORE, line.y, line.z, programmatic=False)


def test_nor_where_nobody_checks(line: Line) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    line.launch(LOAD + STORE, line.y, line.z, checks=False)


def test_each_thread_waits_for_itself(line: Line) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    with pytest.raises(EmulationFault, match="race: reads") as caught:
        line.launch(FIRST_WARP + LOAD, line.y, line.z)
    assert caught.value.thread == (32, 0, 0)


def test_one_place_that_all_read_counts_for_each(line: Line) -> None:
    """Threads 1 to 62 have waited, or have not: the first and the last tell nothing of them."""
    line.launch(LOAD + STORE, line.x, line.y)
    between = "setp.eq.u32 %p0, %r0, 30;\n@%p0 bra LATER;\n" + WAIT + "LATER:\n"
    with pytest.raises(EmulationFault, match="race: reads") as caught:
        line.launch(between + COMMON, line.y, line.z)
    assert caught.value.thread == (30, 0, 0)


def test_what_the_last_one_reads_is_not_written_early(line: Line) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    with pytest.raises(EmulationFault, match=MEETS + "reads"):
        line.launch(STORE, line.z, line.x)
    line.launch(WAIT + STORE, line.z, line.x)


def test_what_both_read_may_be_read_early(line: Line) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    line.launch(LOAD + WAIT + STORE, line.x, line.z)


def test_updates_by_both_and_the_same_numbers_are_no_race(line: Line) -> None:
    line.launch(UPDATE + STORE, line.x, line.y)
    line.launch(UPDATE + STORE, line.x, line.y)


def test_a_grid_that_does_not_wait_may_end_before_the_one_before_it(line: Line) -> None:
    """So whoever waits for it alone knows nothing of that one."""
    line.launch(LOAD + STORE, line.x, line.y)
    line.launch(LOAD, line.x, line.z)
    with pytest.raises(EmulationFault, match=MEETS + "writes"):
        line.launch(WAIT + LOAD, line.y, line.z)


@pytest.mark.parametrize(("middle", "is_early"), [(WAIT + TELL, False), (WAIT, False), (TELL + WAIT, True)])
def test_a_grid_that_waits_first_holds_back_the_next(line: Line, middle: str, is_early: bool) -> None:
    """Where it lets the next one begin before it has waited, three may be under way."""
    line.launch(LOAD + STORE, line.x, line.y)
    line.launch(middle, line.x, line.z)
    if is_early:
        with pytest.raises(EmulationFault, match=MEETS + "writes"):
            line.launch(LOAD, line.y, line.z)
    else:
        line.launch(LOAD, line.y, line.z)


@pytest.mark.parametrize("lines", [TELL + WAIT, WAIT, LOAD])
def test_grids_of_long_ago_are_forgotten(line: Line, lines: str) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    first = weakref.ref(line.last)
    for _ in range(6):
        line.launch(lines, line.x, line.z)
    gc.collect()
    assert first() is None


def test_who_waits_for_one_that_has_waited_waits_for_all(line: Line) -> None:
    line.launch(LOAD + STORE, line.x, line.y)
    line.launch(TELL + WAIT, line.x, line.z)
    line.launch(WAIT + LOAD, line.y, line.z)
