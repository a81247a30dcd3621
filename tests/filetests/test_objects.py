"""LLVM makes the code object of every program for AMD's chips, which it may abort over where it wrote the text.

A thorough `run` on a chip of AMD's makes the object of what it runs (decision 0110), and each operation that runs there
has one; here are the examples, some random nests, and of the sections of filetests that neither run nor are counted
there one of twelve, and whatever more it takes to
have all of their operations. By turns each is made for one chip, in its general variant or its fastest; with
`--thorough` all are for every chip, in both, which takes ten minutes and more.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import pytest
from lanewise.codegen.isolation import LlvmProcessError
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import load_all
from lanewise.ir.kernels import kernels
from lanewise.jit.kernel import compile as compile_program
from lanewise.jit.source import parse
from lanewise.support.diagnostics import ProgramError
from lanewise.targets import CHIPS

from ..schedule.nests import nest
from .expectations import EXPECTED_COUNTS
from .sections import COMMAND, EXPECTED, operations, sections
from .turns import covering

HERE = Path(__file__).parent
AMD = [name for name, chip in CHIPS.items() if chip.vendor == "amd"]
DIFFERENT = ("gfx950", "gfx1201", "gfx1250")
"""Where a program goes next that its own chip refuses: one of each kind of matrix unit."""
NESTS, ONE_OF = 4, 12


def with_any(*features: str) -> list[str]:
    return [name for name in AMD if CHIPS[name].feature_names.intersection(features)]


OF_PRODUCTS = with_any("mfma", "wmma.gfx11", "wmma.gfx12", "wmma.gfx1250")
OF_FP8 = with_any("mfma.fp8.ocp", "wmma.gfx12", "wmma.gfx1250")
"""Without a unit products are sums of thousands of instructions, over which LLVM takes up to 22 s."""


class Program(NamedTuple):
    name: str
    text: str


@functools.cache
def programs() -> tuple[Program, ...]:
    examples = [
        Program(path.name, path.read_text("utf-8")) for path in sorted((HERE / "../../examples").glob("*.mlir"))
    ]
    nests = [Program(f"nest {seed}", nest(seed).text) for seed in range(NESTS)]
    return *examples, *nests, *not_made_elsewhere()


def not_made_elsewhere() -> Iterator[Program]:
    """Sections of filetests that are right, and which no line runs or counts on a chip of AMD's."""
    for path in sorted(HERE.glob("**/*.mlir")):
        text = path.read_text("utf-8")
        if any(m[1] == "run" and "target=gfx" in m[2] for m in COMMAND.finditer(text)):
            continue
        for section in sections(text):
            counted = any(m[1].lstrip().startswith("gfx") for m in EXPECTED_COUNTS.finditer(section.text))
            if not counted and not EXPECTED.search(section.text):
                yield Program(f"{path.relative_to(HERE)}#{section.number}", section.text)


def made(module: Operation, kernel: str, chip: str, best: bool) -> bool:
    """Whether the kernel can be for the chip: then its object is made."""
    try:
        compiled = compile_program(module, chip, kernel, isolate=True)
        variant = compiled.variant(compiled.best_facts) if best else compiled.general
        assert variant.object_file.startswith(b"\x7fELF")
    except ProgramError as error:
        assert all(diagnostic.location is not None for diagnostic in error.diagnostics), str(error)
        return False
    return True


def wrong(program: Program, chips: Sequence[str], best: bool) -> Iterator[str]:
    """The objects of its kernels that LLVM, or the compiler, makes none of; each for the first chip that takes it."""
    module = parse(program.text, program.name)
    for name in names_of_kernels(module):
        for chip in chips:
            try:
                if made(module, name, chip, best):
                    break
            except (LlvmProcessError, AssertionError) as error:
                yield f"{program.name}, @{name} for {chip}: {type(error).__name__}: {error}"
                break


def names_of_kernels(module: Operation) -> list[str]:
    """None of a program whose kernels are wrong for every chip."""
    try:
        return [kernel.name for kernel in kernels(module)]
    except ProgramError:
        return []


@functools.cache
def by_turns() -> Sequence[Program]:
    """The programs that are looked at without `--thorough`, in their order."""
    load_all()
    numbers = {program: number for number, program in enumerate(programs())}
    taken = covering(
        programs(), lambda program: "#" not in program.name or numbers[program] % ONE_OF == 0, lambda p: named(p.text)
    )
    return sorted(taken, key=numbers.__getitem__)


def named(text: str) -> Set[str]:
    """The operations of a program."""
    return REGISTRY.keys() & operations(text)


def share(chip: str) -> Iterator[tuple[Program, bool]]:
    """Of the programs, whether in the fastest variant."""
    for number, program in enumerate(by_turns()):
        chips = AMD
        if "vector.contract" in program.text:
            chips = OF_FP8 if "xf8E" in program.text else OF_PRODUCTS
        if chips[number % len(chips)] == chip:
            yield program, number // len(chips) % 2 == 0


@pytest.mark.parametrize("chip", AMD)
def test_objects_are_made(chip: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--thorough"):
        found = [line for program in programs() for best in (False, True) for line in wrong(program, [chip], best)]
    else:
        chips = [chip, *(other for other in DIFFERENT if other != chip)]
        found = [line for program, best in share(chip) for line in wrong(program, chips, best)]
    assert not found, "\n".join(found)


def test_every_program_or_what_is_in_it_has_its_turn() -> None:
    given = [program for chip in AMD for program, _ in share(chip)]
    assert len(given) == len(set(given)) == len(by_turns()) > 80
    assert set().union(*(named(p.text) for p in given)) == set().union(*(named(p.text) for p in programs()))
    assert {p for p in programs() if "#" not in p.name} <= set(given)
    assert all(any(share(chip)) for chip in AMD)
