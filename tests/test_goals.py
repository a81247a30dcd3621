"""The loops that have goals keep them (bench/goals.py): instructions of an iteration, and no spills."""

import importlib
import sys
from pathlib import Path

import pytest
from lanewise.check.counts import COUNTS, Measurement
from lanewise.codegen.assemble import assembles
from lanewise.codegen.machine_text import MachineText
from lanewise.ir.targets import find_chip
from lanewise.jit.stages import Stages

ROOT = Path(__file__).parents[1]
LOOPS = [
    "product 128x128x32 sm_80",
    "product 128x128x64 sm_80",
    "product 128x256x64 NT sm_90a",
    "product 128x128x64 gfx942",
    "product 128x128x64 gfx950",
    "attention 128x64 sm_80",
    "attention 128x64 sm_90a",
    "attention 128x64 gfx942",
]


@pytest.fixture(scope="module")
def goals():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "bench"))
        yield importlib.import_module("goals")
        for name in ("goals", "checkout"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_has_no_more_instructions_than_its_goal(goals, loop):
    goal = next(g for g in goals.GOALS if f"{g.name} {g.target}" == loop)
    chip = find_chip(goal.target)
    if chip.vendor == "nvidia" and not assembles(chip):
        pytest.skip("PTX says little of the machine's instructions, and there is no assembler")
    kernel = goals.compile_program(goal.text(), goal.target, fastmath=goal.fastmath)
    measured = Measurement(kernel)
    text = MachineText(Stages(measured.compilation).sass, "sass") if chip.vendor == "nvidia" else measured.text
    found = text.product_loop
    assert found.instructions <= goal.limit * (found.products if goal.for_each else 1)
    assert COUNTS["spills"].of(measured) == 0


def test_all_goals_are_here(goals):
    assert [f"{g.name} {g.target}" for g in goals.GOALS if g.limit < float("inf")] == LOOPS
