"""Negative control: thread-level programs with a planted fault, compared with the vector program they came from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.check.validate import Report, validate
from lanewise.jit.kernel import Kernel

from .changed_kernel import ChangedKernel
from .conftest import ROOT


def random(*shape: int) -> Any:
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def halves(*shape: int) -> Any:
    return random(*shape).astype(np.float16)


RUNS: dict[str, tuple[Any, ...]] = {
    "vector_add": (2, random(1500), random(1500), zeros(1500)),
    "reduce_8x64": (1, random(8, 64), zeros(8)),
    "softmax": (2, random(2, 77), zeros(2, 77)),
    "layer_norm": (2, random(2, 77), random(77), random(77), zeros(2, 77)),
    "transpose": ((2, 2), random(70, 65), zeros(65, 70)),
    "matmul_f16": ((1, 1), halves(40, 72), halves(72, 33), zeros(40, 33)),
}
"""Grid and arguments by example."""


def mutated(name: str, change: Callable[[str], str]) -> Kernel:
    """The example's meaning with a changed thread-level program."""
    original = lanewise.compile(ROOT / f"examples/{name}.mlir", target="sm_90")
    text = change(original.thread_ir)
    assert text != original.thread_ir, "the mutation changes nothing"
    return ChangedKernel(original, text)


def outcome(kernel: Kernel, name: str, executor: str) -> Report:
    grid, *arguments = RUNS[name]
    return validate(kernel, grid, *arguments, on=[executor], thorough=False)


def without_barrier(number: int) -> Callable[[str], str]:
    def change(text: str) -> str:
        places = [m.span() for m in re.finditer(r"^ *gpu\.barrier.*\n", text, re.MULTILINE)]
        start, end = places[number]
        return text[:start] + text[end:]

    return change


def replaced(pattern: str, by: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, by, text, count=1, flags=re.MULTILINE)


def wrong_identity(text: str) -> str:
    """The value that sums begin with is 1."""
    return re.sub(r"arith\.constant 0\.0 : f32", "arith.constant 1.0 : f32", text)


FAULTS = [
    ("transpose", "no barrier between writing and reading a tile", without_barrier(0)),
    ("reduce_8x64", "no barrier between writing and reading the halves", without_barrier(1)),
    ("softmax", "no barrier before the buffer is used again", without_barrier(2)),
    ("matmul_f16", "no barrier before the tiles are overwritten", without_barrier(0)),
    ("matmul_f16", "no barrier before the tiles are read", without_barrier(1)),
    ("transpose", "swapped indices", replaced(r"(maskedstore %y)\[(%\w+), (%\w+)\]", r"\1[\3, \2]")),
    ("vector_add", "another operation", replaced(r"arith\.addf", "arith.mulf")),
    ("layer_norm", "a wrong identity", wrong_identity),
    ("reduce_8x64", "a wrong identity", wrong_identity),
    ("softmax", "a shuffle too few", replaced(r"gpu\.shuffle xor (%\w+), %\w+, (%\w+)", r"gpu.shuffle xor \1, \2, \2")),
]


@pytest.mark.parametrize("name", list(RUNS))
def test_the_examples_themselves_are_right(name: str) -> None:
    for executor in ("interpret", "emulated"):
        report = outcome(lanewise.compile(ROOT / f"examples/{name}.mlir", device="emulated"), name, executor)
        assert report.ok, str(report)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("name", "fault", "change"), FAULTS, ids=[f"{n}: {f}" for n, f, _ in FAULTS])
def test_a_fault_is_caught(name: str, fault: str, change: Callable[[str], str]) -> None:
    kernel = mutated(name, change)
    reports = [outcome(kernel, name, executor) for executor in ("interpret", "emulated")]
    caught = [r.checks[-1].executor for r in reports if not r.ok]
    assert caught, f"{fault}: nobody noticed"
    for report in reports:
        assert report.ok or list(report.checks[-1].findings()), "a mismatch must say what it is"
