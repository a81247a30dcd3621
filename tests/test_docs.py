"""Every snippet in the README and in docs/ does what the text around it says."""

from __future__ import annotations

import importlib.util
import linecache
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import lanewise.lang
import pytest
from lanewise.__main__ import main
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [body for name, body in _BLOCK.findall(page.read_text()) if name == language]


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_python_snippets_run_one_after_the_other(page: Path) -> None:
    names: dict[str, Any] = {}
    for number, body in enumerate(blocks(page, "python")):
        name = f"<{page.name} {number}>"
        linecache.cache[name] = len(body), None, body.splitlines(keepends=True), name
        exec(compile(body, name, "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_program_snippets_are_programs(page: Path) -> None:
    for body in blocks(page, "mlir"):
        verify(parse_program(body, page.name))


def commands() -> list[str]:
    lines = [line for page in PAGES for body in blocks(page, "console") for line in body.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ lanewise ")]


@pytest.mark.parametrize("command", commands())
def test_commands_succeed(command: str, tmp_path: Path) -> None:
    arguments = [a.replace("/tmp", str(tmp_path)) for a in shlex.split(command)[1:]]
    assert main(arguments) == 0


def test_the_readme_kernel_runs(tmp_path: Path) -> None:
    (program,) = blocks(ROOT / "README.md", "mlir")
    path = tmp_path / "scaled_add.mlir"
    path.write_text(program)
    assert main(["run", str(path), "--target", "sm_90"]) == 0


def test_the_first_command_of_the_readme() -> None:
    """Installing is what made this test possible; the rest of the line is run."""
    command = blocks(ROOT / "README.md", "sh")[0].strip().partition(" && ")[2]
    assert main(shlex.split(command)[1:]) == 0


def test_the_second_command_of_the_readme() -> None:
    """It installs what the tests need and runs them; CI runs this very block, and shows pytest's summary last."""
    block = re.search(r"^<!-- test command -->\n```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    assert block is not None
    install, _, test = block[1].strip().partition(" && ")
    assert shlex.split(install) == ["pip", "install", ".[test]"]
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["test"]
    assert {re.split(r"\W*>=", need)[0] for need in extra} >= {"pytest", "pytest-xdist", "hypothesis"}
    python, *arguments = shlex.split(test)
    assert (python, arguments[:2]) == ("python", ["-m", "pytest"])
    command = [sys.executable, *arguments, "--collect-only", "-n", "0", "tests/test_structure.py"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_ci_runs_the_second_command_of_the_readme() -> None:
    script = (ROOT / ".ci/run").read_text()
    function = re.search(r"^readme_test_command\(\) \{.*?^\}", script, re.M | re.S)
    assert function is not None
    found = subprocess.run(
        ["bash", "-c", f"{function[0]}\nreadme_test_command"], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == blocks(ROOT / "README.md", "sh")[1].strip()
    assert script.rstrip().endswith('-c "$test_command"'), "nothing is printed after pytest's summary"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        prose = re.sub(r"^```.*?^```|`[^`\n]+`(?!\])", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_words_of_the_language_that_pages_name_are_there() -> None:
    named = {(word, page.name) for page in PAGES for word in re.findall(r"\blw\.([a-z]\w*)", page.read_text())}
    assert len(named) > 100 and not [each for each in sorted(named) if each[0] not in lanewise.lang.__all__]


def test_what_contributing_names_is_there() -> None:
    """Files and folders, by path or, of a room that the sentence is about, by name."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"`(?:python -m )?([\w/.]*(?:/[\w.]*|\.py))`", page))
    assert len(named) > 50
    names = {path.name for path in ROOT.rglob("*.py")}
    gone = [each for each in named if not (ROOT / each).exists() and each not in names]
    assert not gone, f"CONTRIBUTING.md names what is not there: {sorted(gone)}"


def test_the_drawing_of_the_architecture_has_every_room() -> None:
    table = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    rooms = [room.strip("` ") for row in table for room in row.split(",")]
    assert rooms and all((ROOT / room / "__init__.py").exists() for room in rooms)
    drawing = (ROOT / "docs/architecture.md").read_text().split("```")[1]
    assert set(re.findall(r"\b(\w+)/", drawing)) == {*rooms} - {"cli"}


def test_the_changelog_is_one() -> None:
    """Keep a Changelog: each version has sections of its kinds, each once and in their order."""
    versions = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1:]
    for version in versions:
        sections = re.findall(r"^### (.+)$", version, re.M)
        kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
        assert sections == [kind for kind in kinds if kind in sections] != [], version.partition("\n")[0]


def test_the_texts_of_the_walk_are_those_of_a_run() -> None:
    """Each block of text is in one of the stages, line after line; values may have other numbers."""
    page = ROOT / "docs/architecture.md"
    names: dict[str, Any] = {}
    exec(compile(blocks(page, "python")[0], page.name, "exec"), names)
    variant = names["variant"]
    stages = [_unnumbered(text) for text in (variant.layout_ir, variant.thread_ir, variant.ptx)]
    shown = [_unnumbered(text) for text in blocks(page, "text")]
    assert [_follow_one_another(lines, stage) for lines, stage in zip(shown, stages, strict=True)] == [True] * 3


def _unnumbered(text: str) -> list[str]:
    return [" ".join(re.sub(r"(%[a-z]*)\d+", r"\1", line).split()) for line in text.splitlines()]


def _follow_one_another(lines: list[str], text: list[str]) -> bool:
    rest = iter(text)
    return all(line in rest for line in lines)


@pytest.mark.skipif(importlib.util.find_spec("sphinx") is None, reason="Sphinx is not installed (the extra `docs`)")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Every link leads somewhere, every page is in the contents, every doc string is markup that can be read."""
    command = [sys.executable, ROOT / "docs/site/build.py", "-o", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "vector.contract" in (tmp_path / "html/reference/vector.html").read_text()
    assert "lanewise.validate" in (tmp_path / "html/api.html").read_text()


def test_the_walk_shows_its_program_and_what_is_said_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    page, file = ROOT / "docs/walk.md", ROOT / "docs/pictures/softmax_rows.mlir"
    assert blocks(page, "mlir") == [file.read_text()]
    assert main(["explain", str(file), "--target", "sm_90"]) == 0
    (shown,) = blocks(page, "text")
    assert shown in capsys.readouterr().out
