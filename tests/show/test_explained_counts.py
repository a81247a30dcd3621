"""What explanations count is what the machine text has, by a counter that knows nothing of explanations."""

from __future__ import annotations

from pathlib import Path

import lanewise
import pytest
from lanewise.check.counts import Measurement
from lanewise.show.explanation import Explanation

ROOT = Path(__file__).parents[2]
CHIPS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
FILES = [
    *sorted((ROOT / "examples").glob("*.mlir")),
    *(ROOT / "tests/filetests" / name for name in ("vector/reduction.mlir", "arith/worked.mlir")),
]
SHUFFLES = {"gpu.shuffle"}
MATRIX = ("nvgpu.mma.sync", "lanewise.warpgroup_mma", "lanewise.warpgroup_mma_held", "amdgpu.mfma", "amdgpu.wmma")
COPIES = ("nvgpu.device_async_copy", "nvgpu.tma.async.load")


def counted(it: Explanation, *names: str) -> int:
    return sum(i.count for step in it.steps for i in step.instructions if i.name in names)


def test_a_copy_of_what_is_converted_first_belongs_to_what_makes_it() -> None:
    """Neither the copy nor the conversion in front of it is written; each was said to belong to the other."""
    program = (ROOT / "tests/filetests/schedule/split.mlir").read_text().partition("// -----")[0]
    it = lanewise.compile(program, "gfx1100", device="emulated").explain()
    assert it.crossings and all(step.place.line for step in it.steps)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_counts_are_those_of_the_machine_text(file: Path, chip: str) -> None:
    """Instructions that LLVM neither joins nor copies; on AMD it chooses what a shuffle becomes."""
    program = file.read_text().partition("// -----")[0]
    kernel = lanewise.compile(program, chip, device="emulated")
    it, measured = kernel.explain(), Measurement(kernel)
    text = measured.text
    artifacts = measured.code.artifacts
    assert it.totals.shared_bytes == artifacts.static_shared_bytes + artifacts.dynamic_shared_bytes
    is_one_wave = not chip.startswith("sm") and it.totals.threads <= it.totals.subgroup_size
    assert text.count("barriers") == (0 if is_one_wave else it.totals.barriers), "LLVM drops those of one wave"
    assert counted(it, *MATRIX) == text.count("mma")
    if chip.startswith("sm"):
        of_addresses = measured.code.assembly.count(", 0, 31, -1;")  # of warpgroups, the same in all lanes
        assert counted(it, *SHUFFLES) == text.count("shuffles") - of_addresses
        assert counted(it, *COPIES) == text.count("copies")
        assert counted(it, "nvgpu.ldmatrix") == text.count("matrix loads")
    else:
        assert (counted(it, *SHUFFLES) > 0) == (text.count("shuffles") > 0)
