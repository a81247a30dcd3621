"""Every stage is text that reads back, and the pipeline resumed from it gives the same machine text, byte for byte."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.verify import verify
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.facts import ArgumentFacts
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))
FACTS = {0: ArgumentFacts(16), 1: ArgumentFacts(16)}


def reread(module: Operation, generic: bool = False) -> Operation:
    text = print_program(module, generic)
    again = parse_program(text)
    verify(again)
    assert print_program(again, generic) == text
    return again


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_resuming_from_any_stage_gives_the_same_bytes(path: Path, pytestconfig: pytest.Config) -> None:
    """Each example from one stage, in the short or the generic form, by turns; with `--thorough` from both in both."""
    chip = find_chip("sm_90")
    module = parse_program(path.read_text(), path.name)
    verify(module)
    straight = Compilation(module, None, chip, FACTS)
    expected = straight.artifacts.assembly
    ways = list(itertools.product((straight.layout_module, straight.thread_module), (False, True)))
    if pytestconfig.getoption("thorough"):
        assert Compilation(parse_program(path.read_text()), None, chip, FACTS).artifacts.assembly == expected
    else:
        ways = [ways[EXAMPLES.index(path) % 4]]
    for stage, generic in ways:
        assert Compilation(reread(stage, generic), None, chip).artifacts.assembly == expected


def test_the_kernels_name_does_not_change_its_code() -> None:
    text = (EXAMPLES[0].parent / "softmax.mlir").read_text()
    chip = find_chip("sm_80")
    one = Compilation(parse_program(text), None, chip).artifacts.assembly
    other = Compilation(parse_program(text.replace("@softmax", "@other")), None, chip).artifacts.assembly
    assert other.replace("other", "softmax") == one


def test_a_stage_for_one_chip_is_not_compiled_for_another() -> None:
    module = parse_program((EXAMPLES[0].parent / "vector_add.mlir").read_text())
    lowered = Compilation(module, None, find_chip("sm_80")).layout_module
    with pytest.raises(CompileError, match="for sm_80, not for sm_90"):
        Compilation(lowered, None, find_chip("sm_90"))
