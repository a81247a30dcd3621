"""`--require-device` turns the skip of a hardware test into a failure, and touches no other skip."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import warm

TESTS = """
import pytest

@pytest.mark.device("cuda")
def test_on_cuda():
    pytest.skip("no CUDA device")

@pytest.mark.device("hip")
def test_on_hip():
    pytest.skip("no HIP device")

def test_elsewhere():
    pytest.skip("another reason")

@pytest.mark.device("cuda")
def test_that_runs():
    pass
"""


@pytest.mark.parametrize(
    ("options", "failed", "skipped"),
    [((), 0, 3), (("--require-device", "cuda"), 1, 2), (("--require-device", "cuda", "--require-device", "hip"), 2, 1)],
)
def test_only_skips_of_required_devices_fail(
    tmp_path: Path, options: tuple[str, ...], failed: int, skipped: int
) -> None:
    (tmp_path / "test_sample.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(Path(__file__).with_name("required_devices.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = device(name): hardware\n")
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *options]
    done = warm.run("-c", "import pytest, sys; sys.exit(pytest.main())", *words, cwd=tmp_path)
    summary = done.stdout.strip().splitlines()[-1]
    assert done.returncode == (1 if failed else 0)
    assert f"1 passed, {skipped} skipped" in summary
    assert (f"{failed} failed" in summary) is (failed > 0)
    assert ("--require-device" in done.stdout) is (failed > 0), "the report says which option made it a failure"
