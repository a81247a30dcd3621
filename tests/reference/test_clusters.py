"""Workgroups of a cluster in the reference: what orders their accesses, and what does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel

FILES = Path(__file__).parents[1] / "filetests/async"


def run(name: str, old: str = "", new: str = "", grid: int = 4) -> np.ndarray:
    """What a program of the filetests gives, with one part of its text changed."""
    text = (FILES / f"clusters_{name}.mlir").read_text(encoding="utf-8")
    assert old in text
    x, y = np.arange(4 * 64, dtype=np.float32).reshape(4, 64), np.zeros((4, 64), np.float32)
    if name == "boxes":
        y = np.zeros((4, 2, 64), np.float32)
    run_kernel(find_kernel(parse_program(text.replace(old, new, 1))), grid, [x, y], subgroup_size=32)
    return y


def test_they_write_to_each_other() -> None:
    x = np.arange(4 * 64, dtype=np.float32).reshape(4, 64)
    assert (run("write") == x[[1, 0, 3, 2]]).all()
    assert (run("arrivals") == x[[1, 0, 3, 2], ::-1]).all()
    assert (run("boxes") == x.reshape(2, 2, 64)[[0, 0, 1, 1]]).all()


MEET = "  nvvm.cluster.arrive aligned\n  nvvm.cluster.wait aligned\n"
WAIT = "  nvgpu.mbarrier.try_wait.parity %told[%c0], %even, %ticks : !one\n"
WRONG = {
    "a barrier of the workgroup alone": ("write", MEET, "  gpu.barrier\n", "a data race"),
    "an arrival that tells nothing": ("write", "arrive aligned", "arrive.relaxed aligned", "a data race"),
    "two arrivals": ("write", "  nvvm.cluster.wait\n", "", "arrives twice, with no wait between"),
    "no arrival": ("write", "  nvvm.cluster.arrive.relaxed\n", "", "waits, where it has not arrived"),
    "a rank that is not there": ("write", "constant 1 : i32", "constant 2 : i32", "names workgroup"),
    "no wait for the object": ("arrivals", WAIT, "", "a data race|nobody has written"),
    "too few bytes expected": ("boxes", "constant 512", "constant 1024", "512 bytes are missing"),
    "a mask beyond the cluster": ("boxes", "constant 3 : i16", "constant 4 : i16", "for the mask 0b100"),
    "one alone": ("boxes", "constant 3 : i16", "constant 1 : i16", "missing"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_programs_are_told(case: str) -> None:
    name, old, new, words = WRONG[case]
    with pytest.raises(EvaluationError, match=words):
        run(name, old, new)


@pytest.mark.parametrize("size", [64, 65])
def test_views_reach_to_the_end_of_the_memory_of_the_other_workgroup(size: int) -> None:
    """Wherever that lies: in front of the own one, or behind it."""
    theirs = "memref<64xf32, #across>"
    view = f"%u = memref.reinterpret_cast %theirs to offset: [0], sizes: [{size}], strides: [1] : {theirs} to "
    view += theirs.replace("64", str(size))
    if size == 64:
        run("write", "  nvvm.cluster.wait\n", f"  nvvm.cluster.wait\n  {view}\n")
        return
    with pytest.raises(EvaluationError, match=r"reaches behind its buffer, to element: 64"):
        run("write", "  nvvm.cluster.wait\n", f"  nvvm.cluster.wait\n  {view}\n")


def test_a_grid_of_whole_clusters() -> None:
    with pytest.raises(EvaluationError, match=r"whole clusters of \(2, 1, 1\) workgroups expected, found a grid of"):
        run("write", grid=3)
