"""Launches of kernels whose workgroups come in clusters."""

from __future__ import annotations

from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.jit.emulated import EmulatedDevice

TEXT = (Path(__file__).parents[1] / "filetests/async/clusters_write.mlir").read_text(encoding="utf-8")


def test_grids_are_of_whole_clusters(tmp_path: Path) -> None:
    """The kernel says two along x: it is refused before anything runs, from a program and from a file."""
    kernel = lanewise.compile(TEXT, "sm_90", device=EmulatedDevice("sm_90"))
    x, y = np.arange(4 * 64, dtype=np.float32).reshape(4, 64), np.zeros((4, 64), np.float32)
    kernel.launch(4, x, y)
    assert (y == x[[1, 0, 3, 2]]).all()
    kernel.save(tmp_path / "kernel.lw", cubin=False)
    for launched in (kernel, lanewise.load(tmp_path / "kernel.lw", device=EmulatedDevice("sm_90"))):
        with pytest.raises(lanewise.GridError, match="workgroups come in clusters of 2x1x1, found a grid of 3x1x1"):
            launched.launch(3, x, y)
