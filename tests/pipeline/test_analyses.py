"""Analyses: asked for through the context, made once for a program's text, never stale."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.analysis.buffers import Buffers
from lanewise.analysis.divisibility import Divisibility
from lanewise.analysis.integers import Integers
from lanewise.analysis.lifetimes import Lifetimes
from lanewise.analysis.shared_places import SharedBytes
from lanewise.analysis.thread_numbers import ThreadNumbers, Threads
from lanewise.ir.analyses import Analyses
from lanewise.ir.core import Value
from lanewise.ir.dialects.func import FunctionLike
from lanewise.ir.dialects.vector import ContractionOp
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.passes import Pass, Rewritten
from lanewise.ir.printer import print_program
from lanewise.ir.types import INDEX, IntegerType, MemRefType
from lanewise.jit.compiler import argument_facts
from lanewise.layout.contraction import Contractions
from lanewise.pipeline import compilation
from lanewise.pipeline.compilation import Compilation, Observer
from lanewise.pipeline.facts import ArgumentFacts, with_facts
from lanewise.targets import find_chip

ANSWERS: Mapping[type, type] = {
    Buffers: Buffers,
    Contractions: Contractions,
    Divisibility: Divisibility,
    Integers: Integers,
    Lifetimes: Lifetimes,
    SharedBytes: SharedBytes,
    Threads: ThreadNumbers,
}
"""By what is asked for."""
ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
CHIPS = ("sm_90a", "gfx942", "sm_80", "gfx1100")
TURNS = [(example, CHIPS[i % 4]) for i, example in enumerate(EXAMPLES)]
every_example = pytest.mark.parametrize("example, chip", TURNS, ids=[f"{e.stem}-{c}" for e, c in TURNS])


def compilation_of(example: Path, chip: str, observe: Observer | None = None) -> Compilation:
    """Of the fastest variant: all that may be known of arguments is."""
    return Compilation(parse_program(example.read_text()), None, find_chip(chip), facts_of(example), observe=observe)


def facts_of(example: Path) -> Mapping[int, ArgumentFacts]:
    kernel = lanewise.compile(example, "sm_80", device="emulated")
    return argument_facts(kernel.compiler.interface.signature, kernel.best_facts)


def values(function: FunctionLike) -> Iterator[Value]:
    for op in function.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.arguments


def said(answer: Any, function: FunctionLike) -> object:
    """All that an answer says of a function, as what can be compared."""
    found = list(values(function))
    memrefs = [v for v in found if isinstance(v.type, MemRefType)]
    integers = [v for v in found if v.type == INDEX or isinstance(v.type, IntegerType)]
    match answer:
        case Buffers():
            return [answer.of(v) for v in memrefs]
        case Lifetimes():
            return {op: (life.first, life.last, life.asynchronous) for op, life in answer.of.items()}, answer.barriers
        case Contractions():
            return [answer.of(op) for op in function.all_of(ContractionOp)]
        case Divisibility():
            dims = [(v, dim) for v in memrefs for dim in range(v.type.rank)]
            places = [(answer.extent(*d), answer.stride(*d)) for d in dims], [answer.base(v) for v in memrefs]
            return [answer.of(v) for v in integers], places
        case Integers():
            return [(answer.range(v), answer.divisor(v)) for v in integers], [answer.extents(v) for v in memrefs]
        case SharedBytes():
            return answer.taken, answer.left_of(1 << 20)
        case ThreadNumbers():
            numbers = [answer.of(v) for v in integers]
            return [n and (n.terms, np.broadcast_to(n.known, (answer.threads,)).tolist()) for n in numbers]
        case _:
            raise AssertionError(f"no test knows what {type(answer).__name__} says")


class Checked(Analyses):
    """Makes each answer anew, too, whenever it is asked for, and compares what both say."""

    asked = 0

    def get(self, analysis: Any, function: FunctionLike) -> Any:
        kept = super().get(analysis, function)
        Checked.asked += 1
        assert said(kept, function) == said(analysis.of_function(function, Analyses()), function), type(kept).__name__
        return kept


@pytest.mark.one_of(2)
@every_example
def test_what_is_kept_is_what_would_be_found_out_anew(
    example: Path, chip: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "Analyses", Checked)
    before = Checked.asked
    assert compilation_of(example, chip).artifacts.llvm_ir
    assert Checked.asked > before


@pytest.mark.one_of(2)
@every_example
def test_a_pass_that_tells_of_no_change_has_made_none(example: Path, chip: str) -> None:
    facts = facts_of(example)
    texts = [print_program(with_facts(find_kernel(parse_program(example.read_text())).op, facts))]
    """The program with its facts behind each pass so far."""
    quiet: list[str] = []

    def observe(rewrite: Pass, done: Rewritten, _: float) -> None:
        kernel = done.kernel
        texts.append(print_program(with_facts(kernel.op, facts if kernel.stage == "vector" else {})))
        if not done.outcome.changed:
            quiet.append(rewrite.name)
            assert texts[-1] == texts[-2], rewrite.name

    assert compilation_of(example, chip, observe).thread_kernel
    assert "persist" in quiet, "no example asks for that"


def test_each_analysis_is_made_once_for_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product on sm_90a: of each text of the program each answer is made at most once, whoever asks for it. Texts are
    the one at first, and one behind each pass that changed it."""
    asked: Counter[tuple[str, str]] = Counter()
    made: Counter[str] = Counter()
    for question, answer in ANSWERS.items():
        monkeypatch.setattr(question, "of_function", recorded(question, answer.__name__, asked))
        monkeypatch.setattr(answer, "__init__", counted(answer, made))
    changed: list[str] = []

    def observe(rewrite: Pass, done: Rewritten, _: float) -> None:
        changed.extend([rewrite.name] * done.outcome.changed)

    product = next(example for example in EXAMPLES if example.stem == "matmul_f16")
    facts = facts_of(product)
    made.clear()  # what the signature takes
    given = Compilation(parse_program(product.read_text()), None, find_chip("sm_90a"), facts, observe=observe)
    assert given.artifacts.llvm_ir
    assert max(asked.values()) == 1, asked.most_common(1)
    of_texts = Counter(name for name, _ in asked)
    assert of_texts.keys() == {answer.__name__ for answer in ANSWERS.values()}
    for name, texts in of_texts.items():
        assert texts <= 1 + len(changed), f"{name} has been made for {texts} texts"
    assert made == of_texts + Counter({"Divisibility": 1, "Integers": 1}), (
        "nobody makes one by himself, but distribution of what it writes"
    )


def test_analyses_are_asked_for_not_made() -> None:
    """In the rooms of passes and of code; answers may be handed to who asks."""
    names = {answer.__name__ for answer in ANSWERS.values()}
    rooms = ("layout", "schedule", "distribute", "codegen", "pipeline")
    found: list[str] = []
    for file in (file for room in rooms for file in (ROOT / room).rglob("*.py")):
        calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
        made = [c.id for c in calls if isinstance(c, ast.Name) and c.id in names]
        made += [c.attr for c in calls if isinstance(c, ast.Attribute) and c.attr == "of_function"]
        found += [f"{file.relative_to(ROOT)}: {name}" for name in made]
    assert found == ["distribute/context.py: Integers", "distribute/context.py: Divisibility"], (
        "those of a program which is still being written"
    )


def recorded(question: Any, name: str, asked: Counter[tuple[str, str]]) -> Any:
    raw = question.of_function

    def of_function(*arguments: Any) -> Any:
        *_, function, _ = arguments
        asked[name, print_program(function)] += 1
        return raw(*arguments)

    return of_function if name == "ThreadNumbers" else staticmethod(of_function)


def counted(answer: type, made: Counter[str]) -> Any:
    raw = answer.__init__

    def init(*arguments: Any) -> None:
        made[answer.__name__] += 1
        raw(*arguments)

    return init
