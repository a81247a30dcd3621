"""Small programs and a way to call the command line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from lanewise.check import executors
from lanewise.check.executor import Outcome, Prepared, Terms
from lanewise.cli.main import main
from lanewise.jit.facts import GENERAL
from lanewise.jit.launchable import Launchable

ROOT = Path(__file__).resolve().parents[2]

SCALE = """// y = factor * x, one element a thread.
// lanewise.args N = 100: x = integers(-3, 3, N), y = empty(N), 2.0; grid = ceildiv(N, 64)
#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>

gpu.func @scale(%x: memref<?xf32>, %y: memref<?xf32>, %factor: f32) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %tile = arith.constant 64 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %tile : index
  %a = vector.transfer_read %x[%start], %pad : memref<?xf32>, vector<64xf32>
  %al = iree_vector_ext.to_layout %a to layout(#layout) : vector<64xf32>
  %f = vector.broadcast %factor : f32 to vector<64xf32>
  %product = arith.mulf %al, %f : vector<64xf32>
  vector.transfer_write %product, %y[%start] : vector<64xf32>, memref<?xf32>
  gpu.return
}
"""


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    """The file of a right program."""
    path = tmp_path / "scale.mlir"
    path.write_text(SCALE)
    return path


class Called(NamedTuple):
    """What one command did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Called]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs a command in this process; the command line's own refusals count as exit codes."""

    def run(*arguments: object, stdin: str | None = None) -> Called:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            assert isinstance(stop.code, int)
            code = stop.code
        return Called(code, *capfd.readouterr())

    return run


def planted(monkeypatch: pytest.MonkeyPatch, spoil: Any) -> None:
    """Makes the emulator's results go through `spoil`, which changes the list of arguments."""
    genuine = executors.BUILT_IN.find("emulated").load()

    def make(kernel: Launchable, terms: Terms) -> Prepared:
        prepared = genuine.prepare(kernel, terms)

        def run(grid: Any, given: Any) -> Outcome:
            outcome = prepared.runs[0][1](grid, given)
            found = [a.copy() if isinstance(a, np.ndarray) else a for a in outcome.arguments]
            spoil(found)
            return Outcome(tuple(found), outcome.seconds, outcome.problems, facts=GENERAL)

        return Prepared(prepared.where, (("", run),))

    spoiled = executors.Registered("emulated", "this test", lambda: executors.OwnExecutor("emulated", make))
    rows = tuple(spoiled if row.name == "emulated" else row for row in executors.BUILT_IN.rows)
    monkeypatch.setattr(executors, "BUILT_IN", executors.Executors(rows))
