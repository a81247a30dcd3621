"""What takes turns meets every value of every parameter, and is whole with `--thorough`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import pytest

from . import warm
from .turns import Row, taken

MARKED = """
import pytest
@pytest.mark.turns("chip", "size")
@pytest.mark.parametrize("chip", ["sm_80", "gfx942", "gfx1100"])
@pytest.mark.parametrize(("name", "size"), [(n, s) for n in "abcd" for s in (1, 77)])
def test_product(name, size, chip): pass
@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", ["sm_80", "gfx942", "gfx1100"])
@pytest.mark.parametrize("name", "ab")
def test_few(name, chip): pass
@pytest.mark.one_of(3)
@pytest.mark.parametrize("mistake", range(9))
def test_many(mistake): pass
"""


def rows_of(**values: Iterable[object]) -> list[Row]:
    """The product of these parameters' values."""
    return [tuple(zip(values, map(repr, row), strict=True)) for row in itertools.product(*values.values())]


@pytest.mark.parametrize("names", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("turning", [["chip"], ["size"], ["chip", "size"]], ids="+".join)
def test_every_value_has_a_turn(names: int, turning: list[str]) -> None:
    rows = rows_of(name=range(names), chip=("sm_80", "gfx942", "gfx1100"), size=(1, 64, 77, 200))
    for start in range(12):
        kept = [rows[n] for n in taken(rows, turning, start)]
        assert {p for row in kept for p in row} == {p for row in rows for p in row}
        others = {tuple(p for p in row if p[0] not in turning) for row in rows}
        assert others == {tuple(p for p in row if p[0] not in turning) for row in kept}
        most = max({"chip": 3, "size": 4}[name] for name in turning)
        assert len(kept) == len(others) * -(-most // len(others))


def test_values_do_not_go_together() -> None:
    """Three chips and three kinds of data in step would be each chip with one kind alone."""
    rows = rows_of(name=range(3), data="abc", chip=("sm_80", "gfx942", "gfx1100"))
    kept = [dict(rows[n]) for n in taken(rows, ["chip"], 0)]
    assert len(kept) == 9
    for other in ("name", "data"):
        assert len({(row[other], row["chip"]) for row in kept}) >= 7, "of 9; in step it would be 3"


def test_of_a_product_with_holes_nothing_is_lost() -> None:
    """One chip has one name besides its own alone."""
    rows = rows_of(name="abcd", chip=("sm_80", "sm_90")) + rows_of(name=("b", "only"), chip=["gfx942"])
    for start in range(12):
        kept = [rows[n] for n in taken(rows, ["chip"], start)]
        assert {p for row in kept for p in row} == {p for row in rows for p in row} and len(kept) < len(rows)


def collected(folder: Path, *options: str) -> set[str]:
    (folder / "test_marked.py").write_text(MARKED)
    (folder / "conftest.py").write_text(Path(__file__).with_name("turns.py").read_text())
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    words = ["--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *options]
    done = warm.run("-c", "import pytest, sys; sys.exit(pytest.main())", *words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line}


def test_what_is_left_out_runs_with_thorough(tmp_path: Path) -> None:
    """Of 24 combinations 4 names meet three chips and two sizes; of 6, two names meet three chips in two turns each; of
    nine mistakes one of three is made."""
    some, all_ = collected(tmp_path), collected(tmp_path, "--thorough")
    assert some < all_ and len(all_) == 24 + 6 + 9
    many = {test for test in some if test.startswith("test_many")}
    for kinds in ({int(test[10:-1]) // 3 for test in many}, {int(test[10:-1]) % 3 for test in many}):
        assert len(many) == 3 and kinds == {0, 1, 2}
    some -= many
    product = {test for test in some if test.startswith("test_product")}
    assert len(product) == 4 and len(some - product) == 4
    for value in ("sm_80", "gfx942", "gfx1100"):
        assert any(value in test for test in product) and any(value in test for test in some - product)
    for name in "abcd":
        assert any(f"{name}-" in test for test in product)
    assert any("-1-" in test for test in product) and any("-77-" in test for test in product)
