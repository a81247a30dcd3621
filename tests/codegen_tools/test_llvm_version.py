"""An llvmlite that is not ours is refused at its first import: what was found, and what is wanted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .. import warm

EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.mlir"
WANTED = "lanewise needs llvmlite 0.50, which carries LLVM 22; found "
CASES = {
    "older": ("__version__ = '0.45.1'", "llvm_version_info = (20, 1, 8)", "llvmlite 0.45.1 with LLVM 20"),
    "newer": ("__version__ = '0.51.0'", "llvm_version_info = (23, 1, 0)", "llvmlite 0.51.0 with LLVM 23"),
    "other llvm": ("__version__ = '0.50.0'", "llvm_version_info = (21, 1, 0)", "llvmlite 0.50.0 with LLVM 21"),
    "another 5": ("__version__ = '0.5.0'", "llvm_version_info = (22, 1, 0)", "llvmlite 0.5.0 with LLVM 22"),
    "ancient": ("__version__ = '0.1'", "", "llvmlite 0.1 with LLVM of unknown version"),
    "broken": ("raise ImportError('no libLLVM')", "", "none that can be imported: no libLLVM"),
}
PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import lanewise
for isolate in (False, True):
    try:
        lanewise.compile({example!r}, target={chip!r}, isolate=isolate).assembly
    except lanewise.LlvmVersionError as error:
        assert isinstance(error, (lanewise.LanewiseError, ImportError))
        print(error)
"""


def fake(folder: Path, package: str, binding: str) -> None:
    (folder / "llvmlite").mkdir()
    (folder / "llvmlite" / "__init__.py").write_text(package + "\n")
    (folder / "llvmlite" / "binding.py").write_text(binding + "\n")


@pytest.mark.parametrize("case", CASES)
def test_another_llvm_is_refused(case: str, tmp_path: Path) -> None:
    package, binding, found = CASES[case]
    fake(tmp_path, package, binding)
    program = PROGRAM.format(folder=str(tmp_path), example=str(EXAMPLE), chip="gfx942")
    child = warm.run("-c", program)
    assert (child.returncode, child.stdout, child.stderr) == (0, 2 * f"{WANTED}{found}\n", "")


def test_the_command_line_says_it_too(tmp_path: Path) -> None:
    fake(tmp_path, *CASES["older"][:2])
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from lanewise.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "compile", str(EXAMPLE), "--target", "sm_90"]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (child.returncode, child.stdout, child.stderr) == (2, "", f"error: {WANTED}{CASES['older'][2]}\n")
