"""Decisions: each stands in the index by its title, with a status; what code and documents cite is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs/decisions"
FILES = sorted(FOLDER.glob("[0-9]*.md"))
ROW = re.compile(r"^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \| (.+) \|$", re.M)
STATUS = re.compile(r"(accepted|historical|superseded by \d{4}|accepted; .+ superseded by \d{4})")
CITED = re.compile(r"decisions?/? ?\(?(\d{4})(?:,? (?:and |to )?(\d{4}))*|\((0\d{3})\)")


def index() -> list[tuple[str, str, str, str]]:
    return ROW.findall((FOLDER / "README.md").read_text())


def test_each_decision_stands_in_the_index_by_its_number_and_title() -> None:
    written = [(path.name[:4], path.name, path.read_text().split("\n")[0]) for path in FILES]
    assert [(number, name, f"# {number}: {title}") for number, name, title, _ in index()] == written


def test_numbers_are_given_once() -> None:
    numbers = [path.name[:4] for path in FILES]
    assert len(numbers) == len(set(numbers)) > 0


@pytest.mark.parametrize("row", index(), ids=lambda row: row[0])
def test_a_status_is_one_and_names_a_successor_that_is_there(row: tuple[str, str, str, str]) -> None:
    number, _, _, status = row
    assert STATUS.fullmatch(status), f"{number}: expected accepted, superseded by NNNN or historical, found {status!r}"
    for successor in re.findall(r"\d{4}", status):
        assert successor > number and list(FOLDER.glob(f"{successor}-*.md")), f"{number}: there is no later {successor}"


def test_what_is_cited_is_there() -> None:
    known = {path.name[:4] for path in FILES}
    total = 0
    places = [path for kind in ("*.py", "*.md", "*.mlir") for path in ROOT.rglob(kind)]
    for path in places:
        if path.name == "CHANGELOG.md" or ".venv" in path.parts:
            continue
        cited = {number for found in CITED.findall(path.read_text("utf-8")) for number in found if number}
        assert cited <= known, f"{path.relative_to(ROOT)} cites {sorted(cited - known)}"
        total += len(cited)
    assert total > 100
