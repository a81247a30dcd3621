"""The examples' PTX is legal for every chip's assembler and spills nothing."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import pytest
from lanewise.codegen.assemble import assemble, has_tool
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.facts import ArgumentFacts
from lanewise.targets import find_chip

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))
CHIPS = ("sm_75", "sm_80", "sm_90a")
ALIGNED = {"transpose": 2, "matmul_f16": 3, "softmax": 2}
"""Examples of matrices only, and how many: what a launch with multiples of 16 compiles."""
WITHOUT_MATRIX_UNIT = {("linear_gelu", "sm_75"), ("matmul_tf32", "sm_75")}
"""bf16 and tf32 are from sm_80 on."""

pytestmark = pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed: pip install 'lanewise[isa]'")


def ptx(path: Path, chip: str, facts: dict[int, ArgumentFacts] | None = None) -> str:
    return Compilation(parse_program(path.read_text()), None, find_chip(chip), facts).artifacts.assembly


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_no_spills(path: Path, chip: str, pytestconfig: pytest.Config) -> None:
    """Of an example of matrices only, chips take by turns what knows nothing and what a launch with multiples of 16
    compiles; with `--thorough` each takes both."""
    if (path.stem, chip) in WITHOUT_MATRIX_UNIT:
        pytest.skip("the chip multiplies no matrices of this type: their sums do not fit into registers")
    count = ALIGNED.get(path.stem, 0)
    kinds = [None, {i: ArgumentFacts(16, (16, 16)) for i in range(count)}] if count else [None]
    turn = (EXAMPLES.index(path) + CHIPS.index(chip)) % len(kinds)
    for facts in kinds if pytestconfig.getoption("thorough") else kinds[turn : turn + 1]:
        text = ptx(path, chip, facts)
        assert ".extern .func" not in text
        for resources in assemble(text, find_chip(chip)).resources.values():
            assert (resources.spill_store_bytes, resources.spill_load_bytes, resources.stack_bytes) == (0, 0, 0)


def test_sizes_known_to_be_multiples_make_accesses_wide() -> None:
    """A row of 77 floats is read one by one, a row of 1024 four at a time."""
    path = next(p for p in EXAMPLES if p.stem == "softmax")
    general = ptx(path, "sm_90")
    aligned = ptx(path, "sm_90", {i: ArgumentFacts(16, (1, 16)) for i in range(2)})
    assert "global.v4" not in general and "nc.v4" not in general and "ld.global.nc.b32" in general
    assert "ld.global.nc.v4.b32" in aligned and "ld.global.nc.b32" not in aligned


def test_fragments_go_from_ldmatrix_to_mma_without_an_instruction_between() -> None:
    path = next(p for p in EXAMPLES if p.stem == "matmul_f16")
    body = ptx(path, "sm_90", {i: ArgumentFacts(16, (16, 16)) for i in range(3)})
    loaded = set(re.findall(r"%r\d+", " ".join(re.findall(r"ldmatrix[^{]*(\{[^}]*\})", body))))
    products = re.findall(r"mma\.sync[^{]*\{[^}]*\},\s*(\{[^}]*\}),\s*(\{[^}]*\})", body)
    assert len(products) == 32
    for a, b in products:
        assert set(re.findall(r"%r\d+", a + b)) <= loaded


def test_attention_spills_nothing_as_launches_take_it() -> None:
    """The bounds of its rows are numbers of 32 bits: so many fit beside the sums."""
    kernel = lanewise.compile(next(p for p in EXAMPLES if p.stem == "attention"), target="sm_90")
    text = kernel.variant(kernel.best_facts).artifacts.assembly
    assert "min.u32" in text
    (resources,) = assemble(text, find_chip("sm_90")).resources.values()
    assert (resources.spill_store_bytes, resources.stack_bytes) == (0, 0)


def test_attention_is_done_by_fours_of_subgroups() -> None:
    """Of each of two loops both products, 128 x 64 x 64 for two fours: 4 steps of K each. Nothing waits one by one."""
    text = ptx(next(p for p in EXAMPLES if p.stem == "attention"), "sm_90a")
    assert (text.count("wgmma.mma_async"), text.count("mma.sync")) == (16, 0)
    # The sums of two of the four statements are of nothing before: 32 registers that nobody sets, and nobody reads.
    statements = re.findall(r"wgmma\.fence.*?wait_group", text, re.DOTALL)
    first = [re.findall(r"(%p\d+), 1, 1", statement)[:2] for statement in statements]
    assert sum(a != b for a, b in first) == 2
    assert assemble(text, find_chip("sm_90a")).warnings == ()
