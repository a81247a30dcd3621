"""Programs with words changed, lost, repeated and swapped: each is compiled or refused with a message, and what still
is a program can be validated."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import lanewise
import numpy as np
import pytest
from lanewise.check.inputs import make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.jit.signature import ArgumentError
from lanewise.support.diagnostics import LanewiseError, ProgramError, Source

from ..examples import examples
from .conftest import ROOT

NAMES = ("vector_add", "reduce_8x64", "softmax", "transpose")
WORDS = re.compile(r"\s+|[\w.%#@]+|.")
NUMBERS = ("0", "1", "3", "7", "64", "99999999999", "4294967296")
TYPES = ("f16", "f64", "i1", "i32", "i128", "index", "vector", "4xf32")
SMALL = lanewise.Limits(seconds=1.0, steps=100_000)
BYTES = 1 << 20
"""Of arguments that are worth a run."""


def mutated(text: str, rng: random.Random) -> str:
    words = WORDS.findall(text)
    for _ in range(rng.choice((1, 1, 2))):
        i = rng.randrange(len(words))
        change = rng.randrange(5)
        if change == 0:
            del words[i]
        elif change == 1:
            words[i] = rng.choice(words)
        elif change == 2:
            words.insert(i, rng.choice(words))
        else:
            pattern, new = ((r"\d+\Z", NUMBERS), (r"f32\Z|index\Z|vector\Z|\?xf32\Z", TYPES))[change - 3]
            places = [j for j, w in enumerate(words) if re.match(pattern, w)]
            if places:
                words[rng.choice(places)] = rng.choice(new)
    return "".join(words)


@pytest.mark.parametrize("seed", range(examples(8)))
def test_no_text_ends_in_anything_but_a_program_or_a_located_error(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        name = rng.choice(NAMES)
        text = mutated((ROOT / f"examples/{name}.mlir").read_text(), rng)
        try:
            lanewise.compile(text).thread_ir  # noqa: B018
        except ProgramError as error:
            assert all("error: " in d.render() for d in error.diagnostics) and error.diagnostics


def programs() -> Iterator[str]:
    """The sections of all filetests that are not long."""
    for path in sorted(ROOT.glob("tests/filetests/**/*.mlir")):
        for section in re.split(r"^// -----[ \t]*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            if len(section) < 2500:
                yield section


def outcome(text: str, target: str) -> str:
    """What became of the text; anything but these errors is a failure of ours."""
    try:
        kernel = lanewise.compile(text, target)
        comment = inputs_of(read_comments(Source(text)), kernel.name)
        if comment is None:
            kernel.thread_ir  # noqa: B018
            return "compiled"
        inputs = make_inputs(comment, kernel.signature, sizes={})
        if sum(a.nbytes for a in inputs.arguments if isinstance(a, np.ndarray)) > BYTES or np.prod(inputs.grid) > 64:
            return "large"
        lanewise.validate(kernel, inputs.grid, *inputs.arguments, on=["reference", "interpret"], limits=SMALL)
        return "validated"
    except (LanewiseError, ArgumentError):
        return "refused"


@pytest.mark.parametrize("seed", range(examples(4)))
def test_small_programs_are_validated_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    texts = list(programs())
    outcomes: set[str] = set()
    for number in range(120):  # one in nine is validated
        if number >= 30 and outcomes >= {"validated", "refused"}:
            break
        text, target = mutated(rng.choice(texts), rng), rng.choice(("sm_90", "gfx942"))
        try:
            outcomes.add(outcome(text, target))
        except Exception as error:
            error.add_note(f"for {target}, of the text:\n{text}")
            raise
    assert outcomes >= {"validated", "refused"}
