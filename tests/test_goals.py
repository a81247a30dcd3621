"""What has goals keeps them (bench/goals.py): instructions, no spills, and of rows the bytes under way."""

import importlib
import re
import sys
from pathlib import Path

import lanewise
import pytest
from lanewise.check.counts import COUNTS, Measurement
from lanewise.check.inputs import make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.codegen.assemble import assembles
from lanewise.codegen.machine_text import MachineText
from lanewise.jit.program_text import read_source
from lanewise.targets import find_chip

from .examples import is_thorough

ROOT = Path(__file__).parents[1]
LOOPS = [
    "product 128x128x32 sm_80",
    "product 128x128x64 sm_80",
    "product 128x256x64 NT sm_90a",
    "staying 128x256x64 NT sm_90a",
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
    text = MachineText(measured.code.sass, "sass") if chip.vendor == "nvidia" else measured.text
    found = text.product_loop
    assert found.instructions <= goal.limit * (found.products if goal.for_each else 1)
    assert COUNTS["spills"].of(measured) == 0


ROWS = [(name, target) for name in ("softmax", "layer_norm", "rms_norm") for target in ("sm_80", "sm_90a", "gfx942")]


@pytest.mark.parametrize(("name", "target"), ROWS)
def test_a_kernel_of_rows_has_no_more_instructions_than_its_peer(goals, name, target):
    chip = find_chip(target)
    if chip.vendor == "nvidia" and not assembles(chip):
        pytest.skip("registers are the assembler's to say, and there is none")
    goal = next(g for g in goals.ROW_GOALS if g.name == name)
    found = goals.row_counts(goal, target)
    assert found.instructions <= goal.limits[target]
    assert found.spills == 0 and found.in_flight >= goals.IN_FLIGHT


@pytest.mark.turns("target")
@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
@pytest.mark.parametrize("name", ["softmax", "layer_norm", "rms_norm"])
def test_rows_are_right_and_read_by_16_bytes(goals, name, target):
    source = read_source(ROOT / f"bench/rows/{name}.mlir")
    kernel = lanewise.compile(source.text, target=target)
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    for sizes in (None, {"M": 2, "N": 1024}):
        inputs = make_inputs(text, kernel.signature, sizes=sizes)
        found = lanewise.validate(
            kernel, inputs.grid, *inputs.arguments, on=["interpret", "emulated"], thorough=is_thorough()
        )
        assert found.ok, str(found)
    assembly = kernel.variant(kernel.best_facts).assembly
    accesses = re.findall(r"(?:ld|st)\.global\S*|buffer_(?:load|store)\S*", assembly)
    assert len(accesses) >= 2
    assert all(a.endswith((".v4.b32", "_dwordx4")) for a in accesses), accesses


def test_all_goals_are_here(goals):
    assert [f"{g.name} {g.target}" for g in goals.GOALS if g.limit < float("inf")] == LOOPS
