"""`lanewise examples`, `lanewise completion`, and how long help is."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from lanewise.cli.completion import SHELLS, commands
from lanewise.cli.examples import FOLDER, examples
from lanewise.cli.main import main, parser_and_commands
from lanewise.ir.parser import parse_program

ROOT = Path(__file__).resolve().parents[2]
Call = Callable[..., tuple[int, str, str]]
SCREEN = 40
"""Lines of a terminal, of 100 columns."""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs one command: its exit code, output and messages."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


def test_every_example_is_listed_with_a_line_that_says_what_it_computes(call: Call) -> None:
    code, out, _ = call("examples")
    assert code == 0
    names = {path.stem for path in (ROOT / "examples").glob("*.mlir")}
    assert names == {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert {line.split()[0] for line in out.splitlines()[1:] if line and not line.startswith("`")} == names
    assert all(len(example.summary) > 15 for example in examples())


def test_an_example_is_written_in_both_forms(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    code, out, _ = call("examples", "softmax", "-o", folder)
    assert code == 0 and "lanewise run" in out
    for form in ("mlir", "py"):
        assert (folder / f"softmax.{form}").read_bytes() == (ROOT / f"examples/softmax.{form}").read_bytes()
    parse_program((folder / "softmax.mlir").read_text())
    assert call("examples", "softmax", "-o", folder)[0] == 0  # again: they are the same


def test_what_somebody_has_worked_on_stays(call: Call, tmp_path: Path) -> None:
    mine = tmp_path / "gemv.py"
    mine.write_text("mine")
    code, _, err = call("examples", "gemv", "-o", tmp_path)
    assert code == 2 and "there is another file of that name" in err
    assert mine.read_text() == "mine" and not (tmp_path / "gemv.mlir").exists()
    assert "did you mean gemv?" in call("examples", "gemw")[2]


def test_examples_are_in_the_package() -> None:
    mine = {path.name for path in (ROOT / "examples").iterdir() if path.is_file()}
    assert mine == {path.name for path in FOLDER.iterdir() if path.is_file()}
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["lanewise"]
    assert mine <= {path.name for pattern in listed for path in ROOT.glob(pattern)}


def test_help_of_each_command_fits_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    parser, found = parser_and_commands()
    lengths = {name: len(p.format_help().splitlines()) for name, p in found.choices.items()}
    lengths[""] = len(parser.format_help().splitlines())
    assert {name: length for name, length in lengths.items() if length > SCREEN} == {}


def test_completion_knows_every_command_and_option() -> None:
    found = {command.name: command for command in commands()}
    for name, parser in parser_and_commands()[1].choices.items():
        flags = {flag for option in found[name].options for flag in option.flags}
        assert {word for word in parser.format_usage().replace("[", " ").split() if word.startswith("-")} <= {
            *flags,
            *(f"{flag}]" for flag in flags),
        }
        assert found[name].help
    emit = next(option for option in found["compile"].options if "--emit" in option.flags)
    assert emit.takes == "words" and "ptx" in emit.words


def complete(script: Path, *words: str, folder: Path) -> list[str]:
    """What bash offers for the last of the words of a command line."""
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _lanewise;"
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(call: Call, tmp_path: Path) -> None:
    script = tmp_path / "lanewise.bash"
    script.write_text(call("completion", "bash")[1])
    folder = tmp_path / "work"
    (folder / "kernels").mkdir(parents=True)
    (folder / "kernel.mlir").write_text("")

    def offered(*words: str) -> list[str]:
        return complete(script, "lanewise", *words, folder=folder)

    assert offered("own") == ["owners"]
    assert offered("compile", "--emi") == ["--emit"]
    assert offered("compile", "--emit", "pt") == ["ptx"]
    assert {"sm_90", "sm_90a"} <= set(offered("run", "kernel.mlir", "--target", "sm_9"))
    assert sorted(offered("draw", "ker")) == ["kernel.mlir", "kernels"]
    assert offered("compile", "kernel.mlir", "--dump-dir", "ker") == ["kernels"]
    assert offered("cache", "cl") == ["clear"]
    assert offered("examples", "soft") == ["softmax"]
    assert offered("opt", "--pass", "ri") == ["ring"]
    assert offered("run", "kernel.mlir", "--seed", "") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_read_by_their_shells(call: Call, tmp_path: Path, shell: str) -> None:
    code, out, _ = call("completion", shell)
    assert code == 0 and "draw" in out and "--grid" not in out
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    script = tmp_path / "script"
    script.write_text(out)
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
