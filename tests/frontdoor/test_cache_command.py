"""`lanewise cache`: what it shows, removes and finds broken, in the folder that the environment names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest

from .conftest import SCALE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the kernel for two chips, that for gfx942 used last."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("LANEWISE_CACHE", str(folder))
    for target in ("sm_90", "gfx942"):
        x, y = np.ones(100, np.float32), np.zeros(100, np.float32)
        lanewise.compile(SCALE, target, device="emulated")[2](x, y, 2.0)
        assert (y == 2).all()
    for age, path in zip((7200, 30), sorted(folder.glob("*.lw"), key=os.path.getmtime), strict=True):
        times = path.stat().st_mtime - age
        os.utime(path, (times, times))
    return folder


def test_the_kernels_are_listed(call: Any, folder: Path) -> None:
    head, first, second, end = call("cache", "list").out.splitlines()
    assert head.split() == ["kernel", "target", "size", "used", "key"]
    assert first.split()[:2] == ["scale", "gfx942"] and "s ago" in first
    assert second.split()[:2] == ["scale", "sm_90"] and "2 h ago" in second
    assert end.startswith("2 kernels, ") and end.endswith(f" of at most 1.0 GiB, in {folder}")
    found = call("cache", "list", "--json").json()
    assert (found["folder"], found["limit"]) == (str(folder), 1 << 30)
    assert found["bytes"] == sum(path.stat().st_size for path in folder.glob("*.lw"))
    assert {kernel["key"] for kernel in found["kernels"]} == {path.stem for path in folder.glob("*.lw")}


def test_broken_files_are_found_and_removed(call: Any, folder: Path) -> None:
    assert call("cache", "verify").out == f"2 of 2 kernels in {folder} are as they were written\n"
    broken = next(folder.glob("*.lw"))
    broken.write_bytes(broken.read_bytes()[:-1])
    found = call("cache", "verify")
    assert found.code == 1
    assert found.out.startswith(f"removed {broken}: its content does not have the SHA-256 that it states\n")
    assert found.out.endswith(f"1 of 2 kernels in {folder} are as they were written\n") and not broken.exists()
    assert call("cache", "verify", "--json").json() == {"folder": str(folder), "kernels": 1, "broken": []}


def test_all_are_removed(call: Any, folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    assert call("cache", "clear").out == f"2 kernels removed from {folder}\n"
    assert call("cache", "clear", "--json").json() == {"folder": str(folder), "removed": 0}
    assert (folder / "notes.txt").exists()
    assert call("cache", "list").out == f"0 kernels, 0 bytes of at most 1.0 GiB, in {folder}\n"


def test_none_is_kept(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANEWISE_CACHE", "off")
    for action in ("list", "clear", "verify"):
        found = call("cache", action)
        assert found.code == 0 and found.out.startswith("no kernels are kept: LANEWISE_CACHE is 'off'")
    assert call("cache", "list", "--json").json() == {"folder": None}


def test_a_folder_that_cannot_be_read(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernels").write_text("")
    monkeypatch.setenv("LANEWISE_CACHE", str(tmp_path / "kernels"))
    found = call("cache", "list")
    assert found.code == 2 and found.err == f"error: {tmp_path / 'kernels'}: Not a directory\n"
    monkeypatch.setenv("LANEWISE_CACHE", str(tmp_path / "nowhere"))
    assert call("cache", "list").out.startswith("0 kernels") and not (tmp_path / "nowhere").exists()


def test_commands_that_judge_compile_anew(call: Any, folder: Path, scale: Path) -> None:
    """They are about the compiler; only launches of programs are served."""
    before = {path: path.read_bytes() for path in folder.glob("*.lw")}
    assert call("run", str(scale), "--target", "sm_80").code == 0
    assert call("validate", str(scale), "--target", "sm_80", "--on", "emulated").code == 0
    assert {path: path.read_bytes() for path in folder.glob("*.lw")} == before
