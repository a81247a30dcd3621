"""Tiles that workgroups of a cluster copy for each other: where they do not, and who notices mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.jit.emulated import EmulatedDevice
from lanewise.pipeline.compilation import Compilation
from lanewise.targets import find_chip

from ..changed import changed

FILE = Path(__file__).parents[1] / "filetests/schedule/multicast.mlir"
ALIGNED = " {llvm.align = 16 : i64}"
COLUMN = FILE.read_text(encoding="utf-8").split("// -----")[0].replace("320xf16>, %b:", f"320xf16>{ALIGNED}, %b:")
COLUMN = COLUMN.replace("320xf16>, %c:", f"320xf16>{ALIGNED}, %c:")
NOBODY = "no tile is copied for several workgroups: "


def compiled(text: str) -> Compilation:
    return Compilation(parse_program(text), None, find_chip("sm_90a"))


def thread_text(text: str) -> str:
    return print_program(compiled(text).thread_module)


def test_a_column_shares_the_rows_of_b() -> None:
    """Half of 64 rows each, and one arrival at each of the two objects: 32 is the height of its boxes alone."""
    text = thread_text(COLUMN)
    assert text.count("multicast_mask") == 1
    assert len(re.findall(r"tensor = memref<32x64xf16", text)) >= 1
    assert text.count("nvvm.mapa") == 2
    assert text.count("nvgpu.mbarrier.arrive %") == 2
    assert text.count("scope <cluster>") == 2


LEFT = {
    "workgroups of the cluster take the loop differently often": [
        ("%m = arith.muli %y, %step : index", "%m = arith.muli %y, %step : index\n%end = arith.addi %m, %step : index"),
        ("to %depth step", "to %end step"),
    ],
    "the workgroups of the cluster have no tile in common whose rows they could share out": [
        ("%b[%c0, %k]", "%b[%m, %k]"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("why", LEFT)
def test_where_each_copies_for_itself(why: str) -> None:
    """The rest of the pass does what it always did, with no word of clusters."""
    compilation = compiled(changed(COLUMN, *LEFT[why]))
    assert [r.message for r in compilation.layout_remarks if r.message.startswith(NOBODY)] == [NOBODY + why]
    text = print_program(compilation.thread_module)
    assert "nvgpu.tma.async.load" in text and not re.search("multicast|mapa|scope <cluster>", text)


def test_five_workgroups_share_no_64_rows() -> None:
    """64 rows are no five parts: each copies the tile for itself."""
    text = changed(COLUMN, ("array<i32: 1, 2, 1>", "array<i32: 1, 5, 1>"))
    assert [r.message for r in compiled(text).layout_remarks if NOBODY in r.message]


def run(text: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (rows, 320)).astype(np.float16) for rows in (128, 64))
    c = np.zeros((128, 64), np.float32)
    lanewise.compile(text, "sm_90a", device=EmulatedDevice("sm_90a")).launch((1, 2), a, b, c)
    assert (c == a.astype(np.float32) @ b.astype(np.float32).T).all()
    return c


MEETING = "gpu.barrier scope <cluster>"
ARRIVAL = re.compile(r" +%\w+ = nvgpu\.mbarrier\.arrive %.*\n")


def without(pattern: re.Pattern[str], which: int, text: str) -> str:
    place = list(pattern.finditer(text))[which]
    return text[: place.start()] + text[place.end() :]


MISTAKES = {
    "nobody waits before the first copy": (lambda text: text.replace(MEETING, "gpu.barrier", 1), "may not have begun"),
    "a workgroup ends on its own": (lambda text: "gpu.barrier".join(text.rsplit(MEETING, 1)), "the workgroup ends"),
    "only one workgroup hears that a slot is free": (lambda text: without(ARRIVAL, 1, text), "deadlock"),
}  # fmt: skip


def test_the_text_of_the_thread_stage_runs() -> None:
    run(thread_text(COLUMN))


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str) -> None:
    """Each of them in the text of the thread stage, which is right as it is."""
    change, words = MISTAKES[name]
    with pytest.raises(lanewise.LaunchError, match=words):
        run(change(thread_text(COLUMN)))
