"""Parts of a workgroup in Python: producers and consumers, barrier objects, boxes; programs of threads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest
from lanewise.support.diagnostics import LanewiseError

from .test_examples import instructions

FILETESTS = Path(__file__).parents[1] / "filetests"
Tile = Annotated[lw.Array, lw.f16[128, 64]]
Floats = Annotated[lw.Array, lw.f32[None]]


@lanewise.kernel(workgroup=256, subgroup=32)
def parts(x: Tile, y: Tile) -> None:
    box = lw.box(x, (32, 64))
    s = box.shared(2)
    came, read = lw.barriers(2, 1), lw.barriers(2, 4)
    lw.barrier()

    def consume() -> None:
        lw.set_registers(128, fewer=True)
        for i in lw.range(0, 128, 32):
            n = i // 32
            slot, odd = n % 2, n // 2 == 1
            came.wait(slot, odd)
            v = s[slot, :, :]
            read.arrive(slot)
            y[lw.span(i, 32, inside=True), :] = v

    def produce() -> None:
        lw.set_registers(24, fewer=True)
        for i in lw.range(0, 128, 32):
            n = i // 32
            slot, even = n % 2, n // 2 == 0
            read.wait(slot, even)
            came.expect(slot, box.bytes)
            box.load((i, 0), s, slot, came, slot)

    lw.split(consume, produce, subgroups=(4, 4))


def test_producers_and_consumers_are_the_texts_machine_code() -> None:
    """tests/filetests/async/arrivals.mlir is the same program."""
    text = (FILETESTS / "async" / "arrivals.mlir").read_text(encoding="utf-8")
    compiled = lanewise.compile(text, "sm_90a", device="emulated")
    python = parts.compile(lw.f16[128, 64], lw.f16[128, 64], target="sm_90a", device="emulated")
    assert instructions(python.assembly) == instructions(compiled.assembly)


def test_producers_and_consumers_take_turns_in_a_debug_run() -> None:
    x = np.arange(128 * 64).reshape(128, 64).astype(np.float16)
    report = lanewise.validate(parts, 1, x, np.zeros_like(x), on=["eager"])
    assert report.verdict == "right", str(report)


@lanewise.kernel(workgroup=lambda lanes: 4 * lanes)
def sums_beside_ids(x: Floats, total: Floats, ids: Annotated[lw.Array, lw.i32[None]], *, lanes: int) -> None:
    seen = []

    def add_up() -> None:
        v = x[lw.span(0, 64)] + 1.0
        total[0] = v.sum()
        seen.append(repr(total[0]))

    def number() -> None:
        def each() -> None:
            t = lw.thread_id()
            if t % 2 == 0:
                ids[t] = t.to(lw.i32)
            else:
                ids[t] = -lw.lane_id().to(lw.i32)

        lw.threads(each)

    lw.split(add_up, number, subgroups=(1, 3))
    assert len(seen) == 1


@pytest.mark.parametrize(("target", "lanes"), [("sm_90a", 32), ("gfx942", 64), ("gfx950", 64)])
def test_parts_and_threads_on_every_executor(target: str, lanes: int) -> None:
    x, total, ids = np.arange(64, dtype=np.float32), np.zeros(1, np.float32), np.zeros(4 * lanes, np.int32)
    compiled = sums_beside_ids.compile(x, total, ids, lanes=lanes, target=target, device="emulated")
    report = lanewise.validate(compiled, 1, x, total, ids, on=["reference", "interpret", "emulated"])
    assert report.verdict == "right", str(report)
    compiled[1](x, total, ids)
    t = np.arange(lanes, 4 * lanes)
    assert total == 64 * 65 / 2
    assert (ids[lanes:] == np.where(t % 2 == 0, t, -(t % lanes))).all() and (ids[:lanes] == 0).all()
    if lanes == 32:  # those that a debug run has where nothing says another number
        sums_beside_ids.debug[1](x, debugged := total * 0, numbers := ids * 0, lanes=lanes)
        assert total == debugged and (numbers == ids).all()


def wrong(body: Any) -> str:
    """What both a trace and a debug run say of a kernel with this body: the same words."""
    found: list[str] = []
    for run in ("trace", "debug"):
        with pytest.raises(LanewiseError) as caught:
            if run == "trace":
                body.trace(lw.f32[None])
            else:
                body.debug[1](np.zeros(256, np.float32))
        found.append(str(caught.value))
    return "\n".join(found)


@lanewise.kernel(workgroup=64, subgroup=32)
def vector_from_outside(x: Floats) -> None:
    v = x[lw.span(0, 64)]
    lw.split(lambda: x.store(lw.span(0, 64), v), lambda: None, subgroups=(1, 1))


@lanewise.kernel(workgroup=64, subgroup=32)
def meets_alone(x: Floats) -> None:
    lw.threads(lw.barrier)


@lanewise.kernel(workgroup=64, subgroup=32)
def gives_something(x: Floats) -> None:
    lw.threads(lambda: x[0])


@lanewise.kernel(workgroup=64, subgroup=32)
def unequal(x: Floats) -> None:
    lw.split(lambda: None, subgroups=(1, 1))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (vector_from_outside, "takes operand 0, a vector<64xf32>, from outside of 'lanewise.split'"),
        (gives_something, "the program of a thread gives nothing, its function returns Value"),
        (unequal, "'split' has a number of subgroups above 0 for each program: 1 programs, [1, 1]"),
    ],
)
def test_what_is_wrong_is_said_of_both_runs(body: Any, words: str) -> None:
    said = wrong(body)
    assert said.count(words) == 2 and said.count(f"{Path(__file__).name}:") >= 2, said


def test_threads_do_not_meet() -> None:
    words = "waits for other threads inside 'lanewise.threads'"
    x = np.zeros(256, np.float32)
    with pytest.raises(LanewiseError, match=words):
        meets_alone.debug[1](x)
    with pytest.raises(LanewiseError, match=words):
        _ = meets_alone.compile(x, target="sm_90", device="emulated").ptx


@lanewise.kernel(workgroup=64, subgroup=32)
def leaks(x: Floats) -> None:
    kept: list[lw.Value] = []
    lw.threads(lambda: kept.append(x[lw.thread_id()]))
    x[0] = kept[0]


def test_what_a_thread_computes_ends_with_it() -> None:
    with pytest.raises(LanewiseError, match="is made in the program of a thread, and used outside of it"):
        leaks.trace(lw.f32[None])


@lanewise.kernel(workgroup=64, cluster=2)
def neighbours(x: Annotated[lw.Array, lw.f32[128]], y: Annotated[lw.Array, lw.f32[128]]) -> None:
    own = lw.shared(64, lw.f32)
    i = lw.block(64)
    own[:] = x[i]
    lw.cluster_barrier()
    y[i] = lw.of_block(own, 1 - lw.cluster_block_id().to(lw.i32))[:]
    lw.cluster_barrier()


def test_workgroups_of_a_cluster_read_each_others_memory() -> None:
    x, y = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    compiled = neighbours.compile(x, y, target="sm_90a", device="emulated")
    report = lanewise.validate(compiled, 2, x, y, on=["reference", "interpret", "emulated"])
    assert report.verdict == "right", str(report)
    neighbours.debug[2](x, y)
    assert (y == np.roll(x, 64)).all()
