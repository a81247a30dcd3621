"""Damaged programs: whatever the text, it is a program or an error that says where.

The programs that are damaged are those of `seeds/`, one or two of each dialect, so that other tests' programs change
nothing here; `--mutations` damages those of examples and filetests, too."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ParseError, ProgramError, VerifyError

ROOT = Path(__file__).resolve().parent.parent.parent
SEEDS = sorted(Path(__file__).with_name("seeds").glob("*.mlir"))
ALL = [*SEEDS, *sorted([*ROOT.glob("examples/*.mlir"), *ROOT.glob("tests/filetests/**/*.mlir")])]
TOKEN = re.compile(r"\s+|//[^\n]*|\"[^\"\n]*\"|[%@#!^]?[\w$.]+|->|.", re.DOTALL)
LONGEST = 1.0
"""Seconds of the processor that reading and checking any text of this size may take."""
ROUNDS = 400
"""Of the test."""

Tokens = list[str]
HOSTILE = (
    *(
        '"',
        "%",
        "%a#9",
        "#",
        "#map",
        "@",
        "^bb0",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        ",",
        ":",
        "=",
        "->",
        "-",
        "?",
    ),
    *("0", "-1", "007", "1e9", "1.0", "0x7F", "0xFFFFFFFFFFFFFFFFF", "9" * 30, "9" * 65, "true", "dense", "unit"),
    *("i1", "i0", "i4", "i128", "index", "none", "f8E4M3FN", "tf32", "vector", "memref", "tuple<>", "() -> ()"),
    *("vector<4xf32>", "vector<f32>", "vector<0xf32>", "vector<1x1xindex>", "memref<?xf32>", "memref<f32>"),
    *("affine_map<(d0) -> (d0 mod 0)>", "array<i64: 1>", "array<i32>", "strided<[1], offset: ?>", "loc(unknown)"),
    *("\x00", "\u00e9", "\u0663", "\U0001f600", "//", "module", "func.func", "scf.yield", "return", "arith.constant"),
    *("#arith.fastmath<fast>", "#gpu.address_space<workgroup>", "#x.y<z>", "attributes", "else", "to", "step"),
    *('dense<"0x00">', 'dense_resource<"a">', "{-#", "#-}", "complex<f32>", "\ufeff", "weights([1])"),
)


def delete(tokens: Tokens, rng: random.Random) -> None:
    at = rng.randrange(len(tokens))
    del tokens[at : at + rng.choice((1, 1, 1, 2, 5))]


def duplicate(tokens: Tokens, rng: random.Random) -> None:
    at = rng.randrange(len(tokens))
    tokens[at:at] = tokens[at : at + rng.choice((1, 1, 3, 30))]


def swap(tokens: Tokens, rng: random.Random) -> None:
    a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]


def replace(tokens: Tokens, rng: random.Random) -> None:
    tokens[rng.randrange(len(tokens))] = rng.choice(HOSTILE)


def borrow(tokens: Tokens, rng: random.Random) -> None:
    """One word becomes another of the same program: types where types stand, values where values stand."""
    words = [i for i, t in enumerate(tokens) if t.strip()] or [0]
    at = rng.choice(words)
    alike = [i for i in words if tokens[i][:1] == tokens[at][:1]] or words
    tokens[at] = tokens[rng.choice(alike)]


def renumber(tokens: Tokens, rng: random.Random) -> None:
    numbers = [i for i, t in enumerate(tokens) if t[:1].isdigit() or "<" in t]
    if numbers:
        tokens[rng.choice(numbers)] = str(rng.choice((0, 1, 2, 3, 5, 7, 16, 31, 64, 1 << 31, 1 << 62, 1 << 63)))


def truncate(tokens: Tokens, rng: random.Random) -> None:
    del tokens[rng.randrange(len(tokens)) :]


def scramble(tokens: Tokens, rng: random.Random) -> None:
    at = rng.randrange(len(tokens))
    tokens[at] = "".join(chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) for _ in range(rng.randrange(6)))


def nest(tokens: Tokens, rng: random.Random) -> None:
    """Brackets around a part, far deeper than any reader goes."""
    opening, closing = rng.choice(
        ("()", "[]", "{}", "<>", ("vector<4x", ">"), ("module {", "}"), ("affine_map<(", ")>"))
    )
    start = rng.randrange(len(tokens))
    end = rng.randrange(start, len(tokens)) + 1
    depth = rng.choice((1, 3, 63, 64, 65, 2000))
    tokens[start:end] = [opening] * depth + tokens[start:end] + [closing] * rng.choice((depth, depth, 0))


def noise(tokens: Tokens, rng: random.Random) -> None:
    """Bytes of the text changed, as far as text remains."""
    data = bytearray("".join(tokens).encode())
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    tokens[:] = TOKEN.findall(data.decode("utf-8", "replace"))


MUTATIONS: Sequence[Callable[[Tokens, random.Random], None]] = (
    *(delete, duplicate, swap, replace, replace, borrow, borrow, borrow, renumber, truncate, scramble, nest, noise),
)


def mutant(text: str, rng: random.Random) -> str:
    tokens = TOKEN.findall(text) or [" "]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice(MUTATIONS)(tokens, rng)
        tokens = tokens or [" "]
    return "".join(tokens)


def corpus(files: Sequence[Path]) -> list[str]:
    """Every program in its own form and in the generic one, whose operations hold whatever the text says."""
    texts = [file.read_text(encoding="utf-8") for file in files]
    return [*texts, *(print_program(parse_program(text), generic=True) for text in texts if readable(text))]


def readable(text: str) -> bool:
    try:
        verify(parse_program(text))
    except ProgramError:
        return False
    return True


def read(text: str) -> Operation | ProgramError:
    """The right program of a text, or what is wrong with it."""
    try:
        program = parse_program(text)
        verify(program)
        return program
    except (ParseError, VerifyError) as error:
        return error


def check(text: str) -> str:
    """What became of the text; anything but an outcome named here is a failure."""
    start = time.process_time()
    program = read(text)
    assert time.process_time() - start < LONGEST
    if isinstance(program, ProgramError):
        assert all("error: " in d.render() for d in program.diagnostics) and program.diagnostics
        return "not a program" if isinstance(program, ParseError) else "wrong"
    for generic in (False, True):
        printed = print_program(program, generic=generic)
        again = parse_program(printed)
        verify(again)
        assert print_program(again, generic=generic) == printed
    return "right"


def hunt(files: Sequence[Path], seed: int, rounds: int) -> dict[str, int]:
    rng = random.Random(seed)
    texts, outcomes = corpus(files), dict[str, int]()
    for _ in range(rounds):
        text = mutant(rng.choice(texts), rng)
        try:
            outcome = check(text)
        except Exception as error:
            error.add_note(f"of the text:\n{text}")
            raise
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes


def test_damaged_programs(pytestconfig: pytest.Config) -> None:
    """`--mutations 5000` makes so many, however long it takes, of another seed."""
    asked: int = pytestconfig.getoption("mutations")
    outcomes = hunt(ALL, asked, asked) if asked else hunt(SEEDS, 1, ROUNDS)
    assert set(outcomes) == {"not a program", "wrong", "right"}, "the damage is of every degree"


def test_seeds_are_programs() -> None:
    """Damage to what was no program would say little."""
    assert len(SEEDS) >= 25 and [file.name for file in SEEDS if not readable(file.read_text("utf-8"))] == []


@pytest.mark.parametrize("text", ["", " ", "//", "\n" * 10, "\ufeff", "%", '"', "{" * 300, "module {" * 300])
def test_hardly_a_text(text: str) -> None:
    check(text)
