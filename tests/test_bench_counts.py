"""bench/counts.py: tables of counts, and what it says of two of them."""

import importlib
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VARIANTS = ("fitting", "general")
OLD = {"a sm_90": {"registers": 30, "mma": 16}, "b sm_90": {"registers": 9}}


@pytest.fixture
def counts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    yield importlib.import_module("counts")
    for name in ("counts", "checkout"):
        sys.modules.pop(name, None)


def written(folder, **tables):
    paths = [folder / f"{name}.json" for name in tables]
    for path, table in zip(paths, tables.values(), strict=True):
        path.write_text(json.dumps(table))
    return list(map(str, paths))


def test_more_is_worse(counts, tmp_path, capsys):
    new = {"a sm_90": {"registers": 31, "mma": 8}, "b sm_90": {"registers": 8, "spills": 7}}
    assert counts.main(["--compare", *written(tmp_path, old=OLD, new=new)]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[:3] == [
        ["worse", "a", "sm_90", "registers", "30", "->", "31"],
        ["differs", "a", "sm_90", "mma", "16", "->", "8"],
        ["better", "b", "sm_90", "registers", "9", "->", "8"],
    ]


def test_less_is_not(counts, tmp_path):
    new = {"a sm_90": {"registers": 30, "mma": 16}, "b sm_90": {"registers": 8}}
    assert counts.main(["--compare", *written(tmp_path, old=OLD, new=new)]) == 0


@pytest.mark.parametrize(
    ("new", "regressions"),
    [
        ({"a sm_90": {"registers": 31, "mma": 16}, "b sm_90": {"registers": 9}}, 0),  # 3 %
        ({"a sm_90": {"registers": 32, "mma": 16}, "b sm_90": {"registers": 9}}, 1),  # 7 %
        ({"a sm_90": {"registers": 20, "mma": 8}, "b sm_90": {"registers": 9}}, 1),
        ({"a sm_90": {"registers": 30, "mma": 16}, "c sm_90": {"registers": 9}}, 2),
    ],
)
def test_what_the_check_refuses(counts, capsys, new, regressions):
    assert counts.check(OLD, new) == regressions
    assert capsys.readouterr().out.endswith(f"{regressions} regressions over 5%\n")


def test_a_row_counts_what_the_example_does(counts):
    """1000 floats are 125 sectors, read or written once in each of three arrays."""
    found = counts.row("vector_add", "gfx942", "fitting")
    assert found["sectors"] == 3 * 1000 * 4 // 32
    assert set(found) == set(counts.COUNTED)


def test_the_recorded_table_is_of_these_examples(counts):
    recorded = json.loads((ROOT / "bench/results/counts.json").read_text())
    programs = {path.stem for path in (ROOT / "examples").glob("*.mlir")}
    assert {tuple(case.split()) for case in recorded} == {
        (program, target, variant) for program in programs for target in counts.TARGETS for variant in counts.VARIANTS
    }


LOOPS = [
    (p, t, v) for p in ("matmul_f16", "softmax") for t in ("sm_80", "sm_90", "gfx942", "gfx1100") for v in VARIANTS
]


@pytest.mark.parametrize(("program", "target", "variant"), LOOPS)
def test_loops_are_no_longer_than_recorded(counts, program, target, variant):
    """What is shorter goes into the table: `make bench-counts`."""
    recorded = json.loads((ROOT / "bench/results/counts.json").read_text())[f"{program} {target} {variant}"]
    text = counts.measured(program, target, variant).text
    assert 0 < text.in_loops <= recorded["loop text"]
    assert text.count("barriers") <= recorded["barriers"]


PRICE_OF_A_RING = {"instructions", "shared bytes", "wavefronts", "bank conflicts"}
"""Its first copies stand before the loop, it has four buffers, and it fills up with zeros what lies behind the end."""


PRICE_OF_A_REST = {
    "registers", "instructions", "loop instructions", "mma", "loads", "barriers", "sectors", "loop text", "wavefronts",
    "bank conflicts",
}  # fmt: skip
"""On AMD's chips the loop stands there twice, for whole tiles and for the rest, which reads its tile anew."""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_whole_tiles_of_the_plain_product_take_fewer_instructions(counts, target):
    """Which it brings in the order that fragments are read in; the author's are row by row."""
    plain, explicit = (counts.measured(f"matmul_f16{name}", target, "fitting").text for name in ("", "_shared"))
    assert plain.in_product_loop < explicit.in_product_loop


def test_the_plain_product_is_no_worse_than_the_explicit_one(counts):
    """Promoted, and copied or read ahead, by the compiler or by the author."""
    recorded = json.loads((ROOT / "bench/results/counts.json").read_text())
    explicit = {case.replace("_shared", ""): row for case, row in recorded.items() if "_shared" in case}
    assert len(explicit) == len(counts.TARGETS) * len(counts.VARIANTS)
    worse = [(case, name) for case, row in explicit.items() for name, n in row.items() if recorded[case][name] > n]
    assert {name for case, name in worse if "gfx" in case} <= PRICE_OF_A_REST
    assert {name for case, name in worse if "sm_" in case} <= PRICE_OF_A_RING
