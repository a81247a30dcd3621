"""`lanewise probe` and `lanewise targets --matrix`: what they print, and that a probe sees what is elsewhere."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from lanewise.check.emulated_forms import is_emulated, special_forms
from lanewise.check.probe import probe, probe_kernel
from lanewise.check.probe_special import special
from lanewise.cli.main import main
from lanewise.ir.numerics import host_dtype
from lanewise.ir.types import FloatType
from lanewise.targets import CHIPS, find_chip, find_matrix_instruction, matrix_instructions, tcgen05


@pytest.mark.parametrize(
    ("chip", "name"),
    [
        ("sm_89", "NV_MMA_SYNC_F32_16x8x16_F8E4M3FN"),
        ("gfx90a", "MFMA_F32_4x4x4x16B_BF16"),
        ("sm_90a", "NV_WGMMA_F32_64x8x16_F16"),
    ],
)
def test_a_probe_agrees_and_sees_a_swap(chip: str, name: str) -> None:
    """The same kernel, judged by a table that has the result in other lanes."""
    instruction = find_matrix_instruction(name)
    kernel = probe_kernel(instruction, find_chip(chip), "emulated")
    assert probe(instruction, kernel).is_right
    c = instruction.c
    swapped = dataclasses.replace(c, thread_strides=tuple({1: 8, 4: 1}.get(s, s) for s in c.thread_strides))
    verdict = probe(dataclasses.replace(instruction, c=swapped), kernel)
    assert "expected" in verdict.detail and not verdict.is_right


@pytest.mark.parametrize(
    ("chip", "name"),
    [
        ("sm_80", "mma.sp.m16n8k64.ui4.i4.i32"),
        ("sm_80", "mma.sp.m16n8k8.tf32.f32"),
        ("sm_120a", "mma.block_scale.m16n8k32.f8E4M3FN.f32.f8E8M0FNU"),
        ("gfx942", "smfmac.f32.32x32x16.bf16"),
        ("gfx950", "smfmac.i32.16x16x128.i8"),
        ("gfx1201", "swmmac.i32.16x16x64.i4.ui4"),
    ],
)
def test_a_probe_sees_where_metadata_and_scales_are(chip: str, name: str) -> None:
    """The kernel gets those of every row where those of the next one belong."""
    ((instruction, besides),) = ((i, b) for i, b in special(find_chip(chip)) if i.name == name)
    kernel = probe_kernel(instruction, find_chip(chip), "emulated", besides)
    assert probe(instruction, kernel, besides).is_right
    moved = [(type, np.roll(words, 4, axis=0)) for type, words in besides.operands]
    verdict = probe(instruction, kernel, dataclasses.replace(besides, operands=tuple(moved)))
    assert "expected" in verdict.detail and not verdict.is_right


@pytest.mark.parametrize(
    "name",
    [
        "wmma.scale16.f32.16x16x128.f8E4M3FN.f4E2M1FN.f8E8M0FNU.f8E4M3FN",
        "wmma.scale.f32.32x16x128.f4E2M1FN.f4E2M1FN.f8E4M3FN.f8E4M3FN",
    ],
)
def test_what_a_probe_of_scaled_waves_says_of_scales(name: str) -> None:
    """With whole matrices in one launch: one element after another takes too long here."""
    ((instruction, besides),) = ((i, b) for i, b in special(find_chip("gfx1250")) if i.name == name)
    kernel = probe_kernel(instruction, find_chip("gfx1250"), "emulated", besides)
    rng, (m, n, k) = np.random.default_rng(1), instruction.shape
    a, b = (rng.integers(0, 2, shape) * (rng.random(shape) < 0.3) for shape in ((m, k), (k, n)))
    parts = ((a, instruction.a, instruction.a_type), (b, instruction.b, instruction.b_type))
    held = [x[tuple(np.moveaxis(f.held(32), -1, 0))].astype(host_dtype(FloatType(type)))[None] for x, f, type in parts]
    result = np.zeros((1, 1, 32, instruction.c.elements), np.float32)
    kernel[1, 1](*held, *(words for _, words in besides.operands), result)
    wanted = (besides.left(a) @ besides.right(b))[tuple(np.moveaxis(instruction.c.held(32), -1, 0))]
    assert np.array_equal(result[0, 0], wanted.astype(np.float32)) and np.unique(wanted).size > 4


@pytest.mark.parametrize("types", [("f16", "f16", "f16"), ("tf32", "tf32", "f32")])
def test_a_probe_of_tensor_memory_agrees_and_sees_a_swap(types: tuple[str, str, str]) -> None:
    """The same kernel, judged by a table that has the sums' rows in other lanes."""
    instruction = tcgen05.find(128, 16, *types)
    assert instruction is not None
    kernel = probe_kernel(instruction, find_chip("sm_100a"), "emulated")
    assert probe(instruction, kernel).is_right
    swapped = dataclasses.replace(instruction.c, thread_strides=(2, 0))
    verdict = probe(dataclasses.replace(instruction, c=swapped), kernel)
    assert "expected" in verdict.detail and not verdict.is_right


def test_saved_probes_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["probe", "--target", "sm_80", "--name", "m8n8k32.i32.i4.ui4"]
    assert main([*command, "--save", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main([*command, "--kernels", str(tmp_path), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["probes"]
    assert found == {"instruction": "mma.sync.m8n8k32.i32.i4.ui4.i32", "right": True, "detail": ""}
    assert main(["probe", "--target", "sm_80", "--name", "m7"]) == 2


def test_what_is_named_is_probed_and_what_is_near_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    """Of wgmma's widths the narrowest and the widest stand for others, but not for one that is asked for."""
    assert main(["probe", "--target", "sm_90a", "--name", "WGMMA.m64n128k16.f16", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["probes"]
    assert found["instruction"] == "wgmma.m64n128k16.f16.f16.f16"
    for name, near in (("wgmma.m64n100k16", "it has wgmma.m64n"), ("MFMA", "it has mma, wgmma; `lanewise targets")):
        assert main(["probe", "--target", "sm_90a", "--name", name]) == 2
        assert near in capsys.readouterr().err


def test_every_instruction_of_every_chip_is_emulated() -> None:
    assert [(c.name, i.name) for c in CHIPS.values() for i in matrix_instructions(c) if not is_emulated(i, c)] == []
    assert [(c.name, name) for c in CHIPS.values() for name, known in special_forms(c) if not known] == []
    foreign = find_matrix_instruction("MFMA_F32_16x16x128_F8E4M3FN")
    assert not is_emulated(foreign, find_chip("gfx942")), "the emulator says so, not our table"


def test_products_that_only_operations_choose_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    for chip, name in (("gfx950", "mfma.scale.f32.16x16x128.f4E2M1FN.f4E2M1FN"),
                       ("gfx1250", "wmma.scale16.f32.32x16x128.f4E2M1FN.f4E2M1FN.f8E8M0FNU.f8E8M0FNU"),
                       ("gfx950", "smfmac.f32.16x16x64.f16"), ("gfx1200", "swmmac.f32.16x16x32.fp8.bf8"),
                       ("sm_80", "mma.sp.m16n8k32.f16.f32"),
                       ("sm_120a", "mma.block_scale.m16n8k64.f4E2M1FN.f32.f8E8M0FNU")):  # fmt: skip
        assert main(["targets", "--matrix", "--target", chip, "--json"]) == 0
        (row,) = (row for row in json.loads(capsys.readouterr().out) if row["instruction"] == name)
        assert (row["mma_kind"], row["emitted"], row["emulated"]) == ("-", "yes", "yes")


def test_products_in_tensor_memory_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Contractions do not choose them."""
    for chip in ("sm_100a", "sm_100"):
        assert main(["targets", "--matrix", "--target", chip, "--json"]) == 0
        rows = [r for r in json.loads(capsys.readouterr().out) if r["instruction"].startswith("tcgen05")]
        assert {(r["mma_kind"], r["emitted"], r["emulated"]) for r in rows} <= {("-", "yes", "yes")}
        assert len(rows) == (12 * 16 if chip == "sm_100a" else 0)


def test_the_table_of_a_chip(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "--matrix", "--target", "gfx1100", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == len(matrix_instructions(find_chip("gfx1100")))
    assert {(row["emitted"], row["emulated"]) for row in rows} == {("yes", "yes")}
    assert main(["targets", "--matrix", "--target", "gfx1100"]) == 0
    assert "probed: the day on which `lanewise probe" in capsys.readouterr().out
