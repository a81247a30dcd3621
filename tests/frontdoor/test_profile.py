"""What a launch costs, and what bounds it: the model's arithmetic on counts that can be had by hand."""

from __future__ import annotations

import json
import re

import pytest
from lanewise.codegen.assemble import assembles, has_tool
from lanewise.targets import CHIPS, find_chip, matrix_instructions
from lanewise.targets.rates import RATES

from .conftest import ROOT, Call

MATMUL = str(ROOT / "examples/matmul_f16.mlir")


def profile(call: Call, *arguments: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(call("profile", *arguments, "--json").out)
    return found


@pytest.mark.parametrize(
    ("chip", "rate"), [("sm_80", 2048), ("sm_90", 0.62 * 4096), ("sm_90a", 4096), ("gfx942", 2048)]
)
def test_products_take_matrix_units_their_time(call: Call, chip: str, rate: float) -> None:
    """Four tiles of 128 x 128, six steps of 32."""
    sizes = [f"--set={name}={number}" for name, number in (("M", 256), ("N", 256), ("K", 192))]
    found = profile(call, MATMUL, "--target", chip, *sizes)
    assert found["bound"]["matrix_flops"] == found["counts"]["matrix flops"] == 2 * 256 * 256 * 192
    cycles: object = found["bound"]["cycles"]
    assert isinstance(cycles, dict)
    assert cycles["matrix units"] == pytest.approx(2 * 256 * 256 * 192 / 4 / rate)
    assert found["bound"]["resource"] == max(cycles, key=lambda name: cycles[name])


def test_asynchronous_copies_are_counted(call: Call) -> None:
    """Two tiles of 8 KB in pieces of 16 bytes, by 256 threads; three times before the loop and once in it."""
    assert profile(call, MATMUL, "--target", "sm_80")["counts"]["copies"] == 4 * 2 * 8192 // 16 // 256


def test_memory_is_charged_for_the_arguments(call: Call) -> None:
    found = profile(call, str(ROOT / "examples/vector_add.mlir"), "--target", "a100", "--set=N=1048576")
    assert found["bound"]["resource"] == "memory"
    assert found["bound"]["microseconds"] == pytest.approx(3 * 4 * 2**20 / 2039e3)


def test_what_is_said_to_people(call: Call) -> None:
    told = call("profile", MATMUL, "--target", "sm_80").out
    assert "@matmul_f16 for sm_80, grid (2, 2, 1), block (256, 1, 1), the variant" in told
    if assembles(find_chip("sm_80")) and has_tool("nvdisasm"):
        # The bound's instructions are not PTX's, of which ptxas leaves fewer: addresses that iterations share.
        of_sass, of_ptx = map(float, re.findall(r"has: ([\d.]+) of SASS, ([\d.]+) of PTX", told)[0])
        assert of_sass < of_ptx and re.search(r"^registers +\d+ +registers of a thread$", told, re.MULTILINE)
        assert re.search(r"^at most \d+ of 64 warps on a multiprocessor", told, re.MULTILINE)
    else:
        assert "no registers: `pip install lanewise[isa]`" in told and "instructions are of PTX" in told
    assert "A100 SXM: 108 multiprocessors at 1.41 GHz, 2,039 GB/s" in told
    bound = next(line for line in told.splitlines() if line.startswith("at least "))
    assert "bounded by" in bound and "TFLOP/s on matrix units" in bound
    assert "), the variant where 4 divides C.size1 and 8 divides A.size1, B.size1 and " in told
    assert "), the variant for any arguments" in call("profile", MATMUL, "--target", "sm_80", "--general").out
    told = call("profile", str(ROOT / "examples/vector_add.mlir"), "--target", "gfx1030").out
    assert re.search(r"^registers +\d+ +registers of a thread$", told, re.MULTILINE)
    assert told.splitlines()[-2:] == [
        "no product with gfx1030 is stated, so there is no bound",
        "no model of time: no latencies of gfx1030 are stated",
    ]


def test_products_have_rates_of_what_their_chips_multiply() -> None:
    """But for f32 and f64 forms that a data sheet does not state."""
    for chip, rates in RATES.items():
        types = {i.a_type for i in matrix_instructions(CHIPS[chip])}
        assert {t for t in types if not rates.flops(t)} <= {"f32", "f64", "i4", "ui4"}, chip
