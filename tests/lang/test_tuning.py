"""Tuning: candidates are right and timed, failures keep their message, trials are kept, an interruption too."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest


@lanewise.kernel(workgroup=64, target="sm_90", device="emulated")
def doubled(x: lw.Array, y: lw.Array, *, tile: int = 64, wrong: bool = False) -> None:
    i = lw.block(tile)
    y[i] = x[i] + x[i]
    if wrong:
        y[lw.span(0, 7000000)] = x[i]


class Here(Executor):
    """Runs jobs at once, in this process."""

    def __init__(self, before: Callable[[int], None] = lambda count: None) -> None:
        self.count, self._before = 0, before

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._before(self.count)
        self.count += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


X, Y = np.arange(512, dtype=np.float32), np.zeros(512, np.float32)


def test_candidates_are_validated_and_ordered() -> None:
    told: list[tuple[int, int]] = []
    tuning = lanewise.tune(
        doubled,
        {"tile": (64, 128, 256)},
        X,
        Y,
        executor=Here(),
        progress=lambda trial, done, of: told.append((done, of)),
    )
    assert [t.verdict for t in tuning.trials] == ["right"] * 3
    times = [t.microseconds for t in tuning.trials]
    assert all(time is not None for time in times) and times == sorted(times, key=lambda t: t or 0.0)
    assert tuning.best == tuning.trials[0].constants and tuning.source == "model"
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert "us by the model" in str(tuning) and "no GPU was timed" in str(tuning)
    assert (Y == 0).all(), "the arguments are not written"


def test_a_failure_keeps_its_message_and_does_not_win() -> None:
    space = [{"tile": 64}, {"tile": 64, "wrong": True}, {"tile": 0}]
    tuning = lanewise.tune(doubled, space, X, Y, executor=Here())
    assert tuning.best == {"tile": 64} and [t.counts for t in tuning.trials] == [True, False, False]
    assert all(t.message for t in tuning.trials[1:])
    assert any("constant number of places" in t.message for t in tuning.trials)


def test_where_nothing_is_right_that_is_said() -> None:
    tuning = lanewise.tune(doubled, [{"tile": 0}], X, Y, executor=Here())
    with pytest.raises(lanewise.TuningError, match=r"none of 1 candidates(.|\n)*tile=0"):
        _ = tuning.best
    with pytest.raises(lanewise.TuningError, match="has no candidate"):
        lanewise.tune(doubled, {"tile": ()}, X, Y)


def test_trials_are_kept(tmp_path: Path) -> None:
    first, second = Here(), Here()
    space = [{"tile": 64}, {"tile": 128}]
    one = lanewise.tune(doubled, space, X, Y, executor=first, folder=tmp_path)
    two = lanewise.tune(doubled, [*space, {"tile": 256}], X, Y, executor=second, folder=tmp_path)
    assert first.count == 2 and second.count == 1 and len(list(tmp_path.glob("*.json"))) == 3
    assert [t.kept for t in two.trials].count(True) == 2
    assert {t.microseconds for t in one.trials} <= {t.microseconds for t in two.trials}
    for path in tmp_path.glob("*.json"):
        path.write_text("{")
    third = Here()
    lanewise.tune(doubled, space, X, Y, executor=third, folder=tmp_path)
    assert third.count == 2, "what cannot be read is done again"


def test_another_compiler_and_other_shapes_try_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def tried(*arguments: Any, **named: Any) -> int:
        executor = Here()
        lanewise.tune(doubled, [{"tile": 64}], *arguments, executor=executor, folder=tmp_path, **named)
        return executor.count

    assert [tried(X, Y), tried(X, Y), tried(X[:128], Y[:128]), tried(X, Y, checked=(X[:64], Y[:64]))] == [1, 0, 1, 1]
    monkeypatch.setattr("lanewise.tuning.kept.compiler_identity", lambda: "another")
    assert tried(X, Y) == 1


def test_an_interruption_keeps_the_best() -> None:
    done = 0

    def interrupt(trial: object, count: int, of: int) -> None:
        nonlocal done
        done = count
        if count == 2:
            raise KeyboardInterrupt

    tuning = lanewise.tune(doubled, {"tile": (64, 128, 256)}, X, Y, executor=Here(), progress=interrupt)
    assert done == 2 and not tuning.is_whole and len(tuning.trials) == 2
    assert tuning.best["tile"] in (64, 128, 256) and "interrupted" in str(tuning)


def test_processes_compile_candidates() -> None:
    tuning = lanewise.tune(doubled, {"tile": (64, 128)}, X, Y)
    assert [t.verdict for t in tuning.trials] == ["right", "right"]


def test_a_kernel_is_tuned_at_its_first_launch() -> None:
    kernel = lanewise.autotune([{"tile": 64}, {"tile": 128}])(doubled)
    y = np.zeros(512, np.float32)
    kernel(X, y)
    assert (y == 2 * X).all() and len(kernel.tunings) == 1
    kernel(X, np.zeros(512, np.float32))
    assert len(kernel.tunings) == 1
    kernel[4](X[:256], np.zeros(256, np.float32))
    assert len(kernel.tunings) == 2


def test_dask_compiles_candidates() -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        tuning = lanewise.tune(doubled, {"tile": (64, 128)}, X, Y, executor=client.get_executor())
        assert [t.verdict for t in tuning.trials] == ["right", "right"]
