"""Commands on files of Python: which kernel is meant, what is said of its parameters, what the file's code raises."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import lanewise
import pytest

from .conftest import ROOT, Call
from .test_command_line import bad

CHIPS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
SCALED = """import lanewise
import lanewise.lang as lw
# lanewise.args N = 200 :
#   x = integers(-3, 3, N), y = empty(N)

print("this is no output")


@lanewise.kernel(workgroup=32)
def scaled(x, y, *, tile: int, by: float = 2.0):
    i = lw.block(tile)
    held = x[i] * by
    y[i] = held.to(y.dtype)
"""
SET = ("--set", "tile=128")


@pytest.fixture
def scaled(tmp_path: Path) -> Path:
    path = tmp_path / "scaled.py"
    path.write_text(SCALED)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "FILE"),
        ("draw", "FILE"),
        ("draw", "FILE:scaled", "--value", "held"),
        ("owners", "FILE", "held", "5"),
        ("inspect", "FILE"),
        ("check", "FILE"),
        ("compile", "FILE", "--emit", "layout"),
        ("validate", "FILE", "--on", "reference,eager"),
        ("run", "FILE", "--device", "reference"),
        ("run", "FILE", "--device", "reference", "--set", "N=77", "--set", "by=0.5"),
    ],
    ids=" ".join,
)
def test_each_command_takes_a_file(call: Call, scaled: Path, arguments: tuple[str, ...]) -> None:
    command, file, *rest = arguments
    called = call(command, file.replace("FILE", str(scaled)), *rest, *SET)
    assert called.code == 0, called.err
    assert called.out and called.out.splitlines()[0] != "this is no output"
    assert "this is no output" in called.err
    assert "note: assumed of what no annotation says: x: f32[?], y: f32[?];" in called.err


def test_the_grid_follows_and_sizes_and_constants_are_set(call: Call, scaled: Path) -> None:
    """Two tiles of 128 cover 200 elements, one covers 77."""
    whole = call("run", scaled, "--device", "reference", *SET).out
    assert "float32[200]" in whole and "grid (2, 1, 1)" in whole
    part = call("run", scaled, "--device", "reference", *SET, "--set", "N=77", "--set", "x=f16[?]").out
    assert "x: float16[77], y: float32[77]" in part and "grid (1, 1, 1)" in part


def test_types_are_set_as_annotations_say_them(call: Call, scaled: Path) -> None:
    words = ("--emit", "vector", *SET, "--set", "x=f16[N].strided(?)", "--set", "y=lw.f32[96]", "--set", "by=3")
    text = call("compile", scaled, *words).out
    assert "%x: memref<?xf16, strided<[?]>>, %y: memref<96xf32>" in text and "dense<3.0" in text


def test_extents_that_annotations_name_are_set_to_constants(call: Call) -> None:
    text = call("compile", ROOT / "examples/matmul_f16.py", "--emit", "vector", "--set", "K=4096").out
    assert "%a: memref<?x4096xf16>" in text and "%b: memref<4096x?xf16>" in text


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ([], r"scaled\.py:9:1: error: kernel 'scaled': the constant 'tile' has no default\n(.*\n)+.*--set tile=VALUE"),
        (["tile=128", "tlie=3"], r"nothing called 'tlie' to set; constants: tile, by; arguments: x, y(.*\n)+.*'?tile"),
        (["tile=128", "x=f17[N]"], r"'x' is set to a type, such as i32 or f16\[M, 64\], found 'f17\[N\]'"),
        (["tile=128", "x=f16[-1]"], r"an extent of 'x' is a number, a name, or \? for any, found '-1'"),
        (["tile=(1"], r"the constant 'tile' is set to a number, .*, found '\(1'"),
        (["tile=128", "N=many"], r"nothing called 'N'|N needs a number"),
    ],
)
def test_what_is_not_said_of_parameters_is_asked_for(call: Call, scaled: Path, settings: list[str], said: str) -> None:
    words = [word for setting in settings for word in ("--set", setting)]
    called = call("explain", scaled, *words)
    assert called.code == 2 and called.out == "" and "Traceback" not in called.err
    assert re.search(said, called.err), called.err


def test_an_argument_of_which_nothing_says_the_type(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(SCALED.replace("x, y, *", "x, y, n, *").replace("* by", "* n"))
    said = bad(call, "explain", path, *SET)
    assert f"{path}:9:1: error: kernel 'scaled': no annotation says what argument 'n' is" in said
    assert "--set n=i32 of a number" in said
    assert call("explain", path, *SET, "--set", "n=f32").code == 0


def test_which_kernel_is_meant(call: Call, scaled: Path, tmp_path: Path) -> None:
    there = bad(call, "explain", f"{scaled}:scaledd", *SET)
    assert f"{scaled}: error: there is no kernel 'scaledd'; did you mean scaled?" in there
    none = tmp_path / "none.py"
    none.write_text("x = 1\n")
    assert f"{none}: error: a kernel is expected, found none" in bad(call, "explain", none)
    two = tmp_path / "two.py"
    two.write_text(SCALED + "\n\n" + SCALED[SCALED.index("@") :].replace("def scaled", "def other"))
    assert f"there are 2 kernels, scaled, other: name one, as in {two}:scaled" in bad(call, "explain", two)
    assert "@other for" in call("explain", f"{two}:other", *SET).out
    assert "@other for" in call("explain", two, "--kernel", "other", *SET).out
    assert "'scaled' is named, and --kernel other" in bad(call, "explain", f"{two}:scaled", "--kernel", "other")


def test_modules_beside_the_file_are_found(call: Call, scaled: Path, tmp_path: Path) -> None:
    """A kernel that is imported is the only one, too, where the file makes none."""
    scaled.rename(tmp_path / "kernels_beside.py")
    importing = tmp_path / "importing.py"
    importing.write_text("from kernels_beside import scaled as mine\n")
    try:
        assert "@scaled for" in call("explain", importing, *SET).out
    finally:
        sys.modules.pop("kernels_beside", None)


@pytest.mark.parametrize(
    ("text", "line", "last"),
    [
        ("import math\ndef f(): return math.sqrt(-1)\nf()\n", 3, "ValueError: "),
        ("x = (\n", 1, "SyntaxError: "),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        (SCALED.replace("held = x[i] * by", "held = x[i] * {}['missing']"), 12, "KeyError: 'missing'"),
    ],
    ids=["raises", "syntax", "exits", "traced"],
)
def test_what_the_code_raises_is_told_by_its_own_lines(
    call: Call, tmp_path: Path, text: str, line: int, last: str
) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    called = call("explain", path, *(SET if "tile" in text else ()))
    assert called.code == 2 and called.out == ""
    said = called.err[called.err.index(f"{path}:") :]
    assert re.match(rf"{re.escape(str(path))}:(\d+): error: the file (raises|ends)", said), said
    assert int(said.split(":")[1]) == line or line == 3  # of f, whose own line is the innermost
    assert said.splitlines()[-1].startswith(last)
    assert str(ROOT / "lang") not in said and "importlib" not in said


def test_what_is_wrong_with_a_kernel_is_told_as_in_python(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(SCALED.replace("held.to(y.dtype)", "held[0, 0]"))
    assert re.search(rf"{re.escape(str(path))}:13:\d+: error: ", bad(call, "explain", path, *SET))


def test_lines_of_a_helper_are_those_of_its_file(call: Call, scaled: Path) -> None:
    (scaled.parent / "helper_of_scaled.py").write_text("def twice(v):\n    return v + v\n")
    text = SCALED.replace("import lanewise\n", "import lanewise\nfrom helper_of_scaled import twice\n", 1)
    scaled.write_text(text.replace("held.to(y.dtype)", "twice(held)"))
    found = call("explain", scaled, *SET)
    sys.modules.pop("helper_of_scaled", None)
    assert "   2  arith.addf  vector<128xf32>  [L1], in helper_of_scaled.py, called from line 14\n" in found.out


def test_numbers_are_expected_of_texts(call: Call, scaled: Path) -> None:
    assert "FILE.py" in bad(call, "explain", ROOT / "examples/softmax.mlir", "--set", "M=3")
    assert "N needs a number, found 'many'" in bad(call, "run", scaled, *SET, "--set", "N=many")


def test_a_program_as_text_is_told_apart(call: Call) -> None:
    assert "found Python: import its kernel" in bad(call, "opt", ROOT / "examples/softmax.py")
    with pytest.raises(lanewise.LanewiseError, match="found Python: import its kernel"):
        lanewise.compile(ROOT / "examples/softmax.py")


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.py")), ids=lambda f: f.stem)
def test_every_example_is_taken_as_it_stands(call: Call, file: Path, chip: str) -> None:
    called = call("compile", file, "--target", chip, "--emit", "layout", "--no-remarks")
    assert called.code == 0 and f"@{file.stem}" in called.out
