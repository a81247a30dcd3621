"""Programs with words changed, lost, repeated and swapped: each is compiled or refused with a message."""

from __future__ import annotations

import random
import re

import lanewise
import pytest
from lanewise.ir.diagnostics import ProgramError

from .conftest import ROOT

NAMES = ("vector_add", "reduce_8x64", "softmax", "transpose")
WORDS = re.compile(r"\s+|[\w.%#@]+|.")
NUMBERS = ("0", "1", "3", "7", "64", "99999999999", "4294967296")
TYPES = ("f16", "f64", "i1", "i32", "index", "vector", "4xf32")


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
            words[rng.choice([j for j, w in enumerate(words) if re.match(pattern, w)])] = rng.choice(new)
    return "".join(words)


@pytest.mark.parametrize("seed", range(8))
def test_no_text_ends_in_anything_but_a_program_or_a_located_error(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        name = rng.choice(NAMES)
        text = mutated((ROOT / f"examples/{name}.mlir").read_text(), rng)
        try:
            lanewise.compile(text).thread_ir  # noqa: B018
        except ProgramError as error:
            assert all("error: " in d.render() for d in error.diagnostics) and error.diagnostics
