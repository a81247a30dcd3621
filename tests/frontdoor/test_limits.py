"""Runs that are stopped: each executor says at which limit, and where the threads stand."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.cli.progress import words_of
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.faults import EmulationFault, standing
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.ir.kernels import find_kernel
from lanewise.reference.errors import EvaluationLimit
from lanewise.reference.evaluate import run_kernel
from lanewise.support.limits import Limits, Meter, Progress

FOR_EVER = """// lanewise.args o = empty(64), n = 2000000000; grid = 2
gpu.func @f(%O: memref<64xi32>, %n: i32) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0> : vector<64xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %zeros) -> (vector<64xi32>) : i32 {
    %b = vector.broadcast %i : i32 to vector<64xi32>
    %s = arith.addi %a, %b : vector<64xi32>
    %t = arith.xori %s, %a : vector<64xi32>
    scf.yield %t : vector<64xi32>
  }
  vector.transfer_write %r, %O[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32>
  gpu.return
}
"""
MANY = 2_000_000_000
FEW = Limits(steps=1000)
WORDS = "stopped at the limit of 1,000 steps, after 0"


def arguments() -> list[Any]:
    return [np.zeros(64, np.int32), MANY]


def test_the_reference_says_in_which_loop() -> None:
    kernel = find_kernel(lanewise.parse(FOR_EVER))
    with pytest.raises(EvaluationLimit, match=rf":7:8: error: 'scf\.for' op {WORDS}") as found:
        run_kernel(kernel, (2, 1, 1), arguments(), limits=FEW)
    assert "2 workgroups are in iteration" in str(found.value)


def test_the_interpreter_says_in_which_iteration() -> None:
    kernel = find_kernel(lanewise.compile(FOR_EVER).compilation.thread_module)
    with pytest.raises(EvaluationLimit, match=rf"{WORDS}.*: 128 threads are in iteration \d+, first workgroup"):
        interpret_kernel(kernel, 2, arguments(), subgroup_size=32, limits=FEW)


@pytest.mark.parametrize("target", ["sm_90", "gfx942", "gfx1100"])
def test_the_emulators_name_the_lines(target: str) -> None:
    kernel = lanewise.compile(FOR_EVER, target, device=lanewise.EmulatedDevice(target, limits=FEW))
    with pytest.raises(
        lanewise.LaunchError, match=rf"limit: {WORDS}.*: 128 threads at line \d+; .*line \d+: "
    ) as found:
        kernel[2](*arguments())
    fault = found.value.__cause__
    assert isinstance(fault, EmulationFault)
    assert (fault.kind, fault.block, fault.thread) == ("limit", (0, 0, 0), (0, 0, 0))
    assert fault.line is not None and fault.instruction is not None


def test_threads_that_wait_are_counted() -> None:
    """One warp loops for ever while the other waits for it."""
    text = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra LOOP;
  bar.sync 0;
  ret;
LOOP:
  bra.uni LOOP;
}
"""
    from lanewise.emulate.memory import GlobalMemory
    from lanewise.emulate.ptx import PtxModule

    kernel = PtxModule.parse(text).kernels["k"]
    with pytest.raises(EmulationFault, match="32 threads at line 14, 32 threads at barrier 0; block"):
        kernel.launch(GlobalMemory(), LaunchSettings((1, 1, 1), (64, 1, 1), b"", limits=Limits(steps=500)))


def test_seconds_are_kept_within_a_tenth() -> None:
    kernel = find_kernel(lanewise.parse(FOR_EVER))
    start = time.monotonic()
    with pytest.raises(EvaluationLimit, match=r"stopped at the limit of 0\.2 seconds, after [\d,]+ steps"):
        run_kernel(kernel, (1, 1, 1), arguments(), limits=Limits(seconds=0.2))
    assert time.monotonic() - start < 2


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    kernel = lanewise.compile(FOR_EVER)
    report = lanewise.validate(kernel, 1, np.zeros(64, np.int32), 20, on=["interpret", "emulated"], limits=FEW)
    assert report.ok, str(report)


def test_many_workgroups_without_a_loop_count_too() -> None:
    text = re.sub(r"  %r = scf\.for.*?\n  }\n", "", FOR_EVER, flags=re.DOTALL).replace("%r, %O", "%zeros, %O")
    kernel = find_kernel(lanewise.parse(text))
    with pytest.raises(EvaluationLimit, match=r"'gpu\.func' op stopped at the limit of 3 steps"):
        run_kernel(kernel, (1000, 1, 1), arguments(), limits=Limits(steps=3))


def test_progress_is_told_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("lanewise.support.limits.time.monotonic", lambda: now[0])
    told: list[Progress] = []
    meter = Meter(Limits(progress=told.append), 10)
    for second in range(5):
        now[0] = float(second)
        meter.finish(1)
        for _ in range(16):
            assert meter.spend(100) == ""
    expected = [(2.0, 4800, 3, 10), (3.0, 6400, 4, 10), (4.0, 8000, 5, 10)]
    assert [(p.seconds, p.steps, p.finished, p.workgroups) for p in told] == expected, "the first behind a second"
    assert words_of(replace(told[0], steps=1234)) == "3 of 10 workgroups, 1,234 steps, 2 s"


def test_places_beyond_the_fifth_are_summed_up() -> None:
    assert standing([(1, "a"), (7, "b")]) == "7 threads b, 1 threads a"
    assert standing([(n, str(n)) for n in range(1, 8)]).endswith("3 threads 3, 3 elsewhere")


def test_the_command_line(tmp_path: Path, call: Any) -> None:
    path = tmp_path / "long.mlir"
    path.write_text(FOR_EVER)
    found = call("validate", str(path), "--limit-seconds", "0.2", "--on", "reference")
    assert found.code == 3
    assert "reference: not judged: " in found.out and "stopped at the limit of 0.2 seconds" in found.out
    for wrong in ("0", "-1", "soon", "nan"):
        found = call("run", str(path), "--limit-seconds", wrong)
        assert found.code == 2
        assert "a number of seconds above 0 is expected" in found.err


def test_a_terminal_shows_the_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Any) -> None:
    path = tmp_path / "long.mlir"
    path.write_text(FOR_EVER)
    monkeypatch.setattr("lanewise.support.limits.PROGRESS_AFTER", 0.05)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    found = call("validate", str(path), "--limit-seconds", "0.3", "--on", "reference")
    assert "0 of 2 workgroups" in found.err
