"""The model of time as people meet it: `lanewise profile`, `kernel.profile`, and why there is none."""

from __future__ import annotations

import json
import re
from functools import cache

import lanewise
import numpy as np
import pytest
from lanewise.check import hot_loop as room
from lanewise.check.hot_loop import HotLoop, Untimed, hot_loop
from lanewise.codegen.assemble import assembles, has_tool
from lanewise.emulate.counters import Counted
from lanewise.jit.kernel import Kernel
from lanewise.targets import find_chip
from lanewise.timing.machine import machine_of

from .conftest import ROOT, Call

MATMUL = ROOT / "examples/matmul_f16.mlir"
ADD = ROOT / "examples/vector_add.mlir"
needs_tools = pytest.mark.skipif(
    not (assembles(find_chip("sm_80")) and has_tool("nvdisasm")), reason="no ptxas and nvdisasm"
)


@cache
def compiled(target: str) -> Kernel:
    found = lanewise.compile(MATMUL, target=target)
    assert isinstance(found, Kernel)
    return found


def loop_of(target: str, counted: dict[int, Counted] | None = None, workgroups: int | None = None) -> HotLoop:
    kernel = compiled(target)
    found = hot_loop(kernel.variant(kernel.best_facts), counted, workgroups)
    assert isinstance(found, HotLoop)
    return found


def test_a_profile_says_what_waits_for_what(call: Call) -> None:
    """256 x 256 are four tiles for 304 compute units: one workgroup on each. The lines are the program's: 26 and 27
    read A and B, 28 multiplies."""
    told = call("profile", str(MATMUL), "--target", "gfx942").out.splitlines()
    assert told[-1].startswith("a model, which ran on no device, and no verdict: ") and "below 15% say" in told[-1]
    (first,) = [line for line in told if line.startswith("model: ") and "an iteration of" in line]
    assert re.search(
        r"cycles an iteration of 1 workgroup of 4 subgroups, from memory [\d,]+; the loop has \d+ ins", first
    )
    assert "16 of them products; matrix units are busy" in first
    waits = [line for line in told if re.match(r"model: [\d,]+ of [\d,]+ cycles wait at line (26|27|28) for ", line)]
    assert any("for shared memory, accessed at line 2" in line for line in waits)


def test_a_profile_as_json_has_the_loop(call: Call) -> None:
    found = json.loads(call("profile", str(MATMUL), "--target", "gfx942", "--json").out)["loop"]
    assert found["workgroups"] == 1 and found["subgroups"] == 4 and found["far_cycles"] > found["cycles"]
    assert found["products"] == 16 and 0 < found["busy"]["matrix"] == pytest.approx(16 * 32 / found["cycles"], rel=0.02)
    waits = found["waits"]
    assert {wait["row"] for wait in waits} <= {24, 25, 26, 27, 28, 29, 30}
    assert [wait["cycles"] for wait in waits] == sorted((wait["cycles"] for wait in waits), reverse=True)


@needs_tools
def test_sass_is_read_with_lines_of_the_program() -> None:
    found = loop_of("sm_80", workgroups=1)
    assert (found.subgroups, found.time.products) == (8, 32)
    words = [waiting.words for waiting in found.waiting if waiting.line]
    assert any(re.match(r"wait at line 28 for shared memory, accessed at line 2[678]", line) for line in words), words
    assert all(waiting.row in range(20, 40) for waiting in found.waiting if waiting.line)


def test_a_kernel_profiles_a_launch_of_it() -> None:
    a, b, c = np.ones((128, 64), np.float16), np.ones((64, 128), np.float16), np.zeros((128, 128), np.float32)
    found = compiled("gfx942").profile((1, 1, 1), a, b, c)
    assert not c.any(), "arguments are copied"
    assert found.counts["matrix flops"] == 2 * 128 * 128 * 64 and found.resource == "matrix units"
    assert found.loop is not None and found.loop.groups == 1 and found.waits
    assert str(found) == found.text and found.text.splitlines()[-1] == room.NOTE
    assert found.microseconds == pytest.approx(2 * found.loop.cycles / 2100), "two iterations at 2.1 GHz"


def test_as_many_workgroups_share_a_multiprocessor_as_fit_and_there_are() -> None:
    """Three waves of its registers fit on a SIMD of one of 304 compute units."""
    variant, machine = compiled("gfx942").variant(compiled("gfx942").best_facts), machine_of("gfx942")
    assert machine is not None
    groups = [HotLoop(variant, machine, None, workgroups).groups for workgroups in (None, 4, 304, 305, 10**6)]
    assert groups == [3, 1, 1, 2, 3]


def test_conflicts_that_were_counted_take_passes() -> None:
    alone = loop_of("gfx942", workgroups=1)
    assert alone.loop is not None
    lines = {i.origin: i for i in alone.loop.body if i.work.pipe == "shared"}
    counted = {i.origin: Counted(4, 0, 32 if i.origin in lines else 0) for i in alone.loop.body}
    slower = loop_of("gfx942", counted, 1)
    assert slower.loop is not None
    assert {i.work.busy - lines[i.origin].work.busy for i in slower.loop.body if i.origin in lines} == {32 / 4}
    assert slower.time.cycles > 1.2 * alone.time.cycles


def test_iterations_that_were_counted_are_the_launch() -> None:
    """Four subgroups executed each instruction 40 times in all: ten iterations, on one multiprocessor."""
    alone = loop_of("gfx942", workgroups=1)
    assert alone.loop is not None
    counted = {i.origin: Counted(40, 0, 0) for i in alone.loop.body}
    found = loop_of("gfx942", counted, 1)
    assert found.launch_cycles == pytest.approx(10 * alone.time.cycles)


def test_why_there_is_no_model_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    add = lanewise.compile(ADD, target="gfx942")
    assert isinstance(add, Kernel)
    assert hot_loop(add.general) == Untimed("the code has no loop")
    other = lanewise.compile(ADD, target="gfx90a")
    assert isinstance(other, Kernel)
    assert hot_loop(other.general) == Untimed("no latencies of gfx90a are stated")
    monkeypatch.setattr(room, "has_tool", lambda name: False)
    of_nvidia = lanewise.compile(ADD, target="sm_80")
    assert isinstance(of_nvidia, Kernel)
    told = hot_loop(of_nvidia.general)
    assert told == Untimed("`pip install lanewise[isa]` installs ptxas and nvdisasm, whose text it reads")
