"""Every example exists as a text and in Python, and both become the same machine code."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import lanewise
import pytest
from lanewise.ir.types import MemRefType
from lanewise.lang.dtypes import BY_MLIR, ArrayType

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
TARGETS = ("sm_90a", "gfx942")


def in_python(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def described(type: Any) -> Any:
    """What stands for an argument of a text's type."""
    if isinstance(type, MemRefType):
        return ArrayType(BY_MLIR[str(type.element)], type.shape)
    return BY_MLIR[str(type)]


def instructions(text: str) -> Counter[str]:
    """How often each instruction is there. The order in which places are computed is the writer's, and with it how long
    an instruction stands idle until the one before it is done."""
    lines = [re.sub(r"//.*|;.*$", "", line).strip() for line in text.splitlines()]
    written = [
        line for line in lines if line and line[-1] != ":" and line[0] not in ".{}()" and not line.startswith("s_nop")
    ]
    words = [re.sub(r"^@!?%p\d+ ", "@ ", line).split() for line in written]
    return Counter(" ".join(w[:2]) if w[0] == "@" else w[0] for w in words)


@pytest.mark.turns("target")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", TEXTS)
def test_text_and_python_are_the_same_machine_code(name: str, target: str) -> None:
    text = lanewise.compile(EXAMPLES / f"{name}.mlir", target, device="emulated")
    types = [argument.type for argument in text.view.arguments]
    python = in_python(name).compile(*map(described, types), target=target, device="emulated")
    assert [a.type for a in python.view.arguments] == types
    assert instructions(python.assembly) == instructions(text.assembly)


MOST_CALLS = 102
"""Of Python functions for one operation traced, named and verified. `bench/tracing.py` has the time, which other work
of the machine changes: 5 ms for a hundred operations. There were 107 to 122 when it was 6."""


@pytest.mark.parametrize("name", ["softmax", "matmul_f16", "linear_gelu", "attention"])
def test_tracing_calls_few_functions(name: str) -> None:
    kernel, calls = in_python(name), 0
    types = [described(argument.type) for argument in lanewise.compile(EXAMPLES / f"{name}.mlir").view.arguments]
    operations = sum(1 for _ in kernel.trace(*types).walk())
    kernel._known.clear()  # places are found and types made, the program is not

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        kernel.trace(*types)
    finally:
        sys.setprofile(before)
    assert 10 * operations < calls < MOST_CALLS * operations
