"""What a compilation does once, or not at all: time to code is many small things, so these are counted, not timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lanewise.distribute import by_thread
from lanewise.distribute import through_shared_memory as shared_memory
from lanewise.ir import fastmath, rewriter
from lanewise.ir.core import Operation
from lanewise.jit import source
from lanewise.jit.kernel import compile as compile_program
from lanewise.pipeline import compilation as pipeline

ROOT = Path(__file__).parents[2]
SOFTMAX, TRANSPOSE = ROOT / "bench/rows/softmax.mlir", ROOT / "examples/transpose.mlir"

Count = Callable[[Any, str], list[tuple[Any, ...]]]


@pytest.fixture
def calls() -> Iterator[Count]:
    """Of a function that a module or class holds: the arguments of each call from now on."""
    with pytest.MonkeyPatch.context() as patch:

        def counted(holder: Any, name: str) -> list[tuple[Any, ...]]:
            function, made = getattr(holder, name), list[tuple[Any, ...]]()

            def called(*given: Any, **named: Any) -> Any:
                made.append(given)
                return function(*given, **named)

            patch.setattr(holder, name, called)
            return made

        yield counted


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
def test_a_text_is_read_and_verified_once(calls: Count, target: str) -> None:
    verified, read = calls(source, "verify"), calls(source, "parse_program")
    kernel = compile_program(SOFTMAX.read_text(), target, fastmath="approx")
    assert kernel.variant(kernel.best_facts).artifacts.assembly
    assert len(verified) == len(read) == 1


def test_a_text_that_is_nobody_elses_takes_flags_without_a_copy(calls: Count) -> None:
    copies = calls(fastmath, "clone")
    compile_program(SOFTMAX.read_text(), "sm_80", fastmath="approx")
    assert not copies
    module = source.parse(SOFTMAX.read_text())
    compile_program(module, "sm_80", fastmath="approx")
    assert len(copies) == 1
    assert not any("fastmath" in op.attributes for op in module.walk()), "the caller's module stays as it is"


def test_chosen_layouts_are_taken_for_granted_and_those_of_a_text_are_checked(calls: Count) -> None:
    checked = calls(pipeline, "check_layouts")
    kernel = compile_program(TRANSPOSE.read_text(), "sm_80")
    assert kernel.thread_ir and not checked
    assert compile_program(kernel.layout_ir, "sm_80").thread_ir and len(checked) == 1


def test_passes_over_products_and_loops_do_not_walk_a_program_without_them(calls: Count) -> None:
    walks = calls(Operation, "walk")
    kernel = compile_program(SOFTMAX.read_text(), "sm_80")
    compilation = kernel.compilation
    before = len(walks)
    assert compilation.layout_kernel
    whole = [op for (op,) in walks[before:] if len(op.regions) == 1 and len(op.body.operations) > 1]
    assert len(whole) <= 3, "whether a GPU lacks something, and lifetimes"


def test_a_table_over_the_thread_id_becomes_arithmetic_once(calls: Count) -> None:
    """The accesses of an exchange differ in what no thread changes: the rest is looked at once for each."""
    asked, made = calls(shared_memory, "number"), calls(by_thread, "_number")
    assert compile_program(TRANSPOSE.read_text(), "sm_80").thread_ir
    tables = {(table.tobytes(), digits) for _, table, digits in asked}
    assert len(made) <= len(tables) < len(asked)


def test_a_rewriter_that_nobody_asks_walks_nothing(calls: Count) -> None:
    walks = calls(Operation, "walk")
    module = source.parse(SOFTMAX.read_text())
    before = len(walks)
    idle = rewriter.Rewriter(module)
    assert len(walks) == before
    assert len(list(idle)) == len(list(module.walk())) - 1
