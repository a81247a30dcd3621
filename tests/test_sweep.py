"""bench/sweep.py: its programs, what it counts of them, and its record."""

import importlib
import sys
from pathlib import Path

import pytest
from lanewise.codegen.assemble import assembles
from lanewise.targets import find_chip

BENCH = str(Path(__file__).parents[1] / "bench")
NAMES = ("f16 NN 128x64x64 w8", "i8 NT 128x128x128 w8", "bf16 NN 128x128x64 w8 batched", "rms_norm 4096")
TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx950")


@pytest.fixture
def sweep(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    yield importlib.import_module("sweep")
    for name in ("sweep", "sweep_programs", "multiply_adds", "checkout"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("mnemonics", "vendor", "number"),
    [
        (["HMMA.16816.F32", "LDSM.16.M88.4"], "nvidia", 16 * 8 * 16),
        (["IMMA.16832.S8.S8", "FFMA"], "nvidia", 16 * 8 * 32),
        (["HGMMA.64x256x16.F32"], "nvidia", 16 * 256 * 16),
        (["FFMA", "FADD", "FFMA"], "nvidia", 2 * 32),
        (["v_mfma_f32_32x32x8_f16", "v_fma_f32"], "amd", 32 * 32 * 8),
        (["v_mfma_f32_4x4x4_16b_f16"], "amd", 4 * 4 * 4 * 16),
        (["v_mfma_scale_f32_16x16x128_f8f6f4"], "amd", 16 * 16 * 128),
        (["v_pk_fma_f32", "v_fmac_f32_e32"], "amd", 3 * 64),
    ],
)
def test_multiply_adds_of_a_loop(sweep, mnemonics, vendor, number):
    assert sweep.multiply_adds([(m,) for m in mnemonics], vendor) == number


def test_the_record_has_every_program(sweep):
    assert list(sweep.read()) == [f"{name} {target}" for target in sweep.TARGETS for name in sweep.PROGRAMS]


@pytest.mark.turns("target")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", TARGETS)
def test_a_program_costs_what_the_record_says(sweep, name, target):
    if not (find_chip(target).vendor == "amd" or assembles(find_chip(target))):
        pytest.skip("NVIDIA's machine code needs the extra isa")
    assert sweep.ours(sweep.PROGRAMS[name], target).work <= sweep.read()[f"{name} {target}"]["lanewise"].work


@pytest.mark.parametrize(
    ("name", "target"), [("f16 TT 128x128x64 w8", "gfx942"), ("bf16 NT 128x128x64 w8 epilogue", "sm_80")]
)
def test_programs_are_right(sweep, capsys, name, target):
    assert sweep.values([target], [name]) == 0
    assert capsys.readouterr().out == f"{name} {target}: right\n"


def test_the_worst_comes_first(sweep):
    found = sweep.Found
    table = {
        "a sm_80": {"lanewise": found(50, 60, 32, 0), "triton": found(100, 110, 40, 0)},
        "b sm_80": {"lanewise": found(120, 130, 32, 4), "triton": found(100, 110, 40, 0)},
        "c sm_80": {"lanewise": found(error="no room"), "triton": found(100, 110, 40, 0)},
    }
    lines = [line.split() for line in sweep.show(table)]
    assert [line[0] for line in lines[1:4]] == ["b", "a", "c"]
    assert lines[3][-3:] == ["lanewise:", "no", "room"]
    assert lines[1][2:5] == ["120", "100", "1.20"]
    assert " ".join(lines[4]) == "sm_80: 2 programs, geometric mean 0.77, 1 above 1, worst 1.20"
