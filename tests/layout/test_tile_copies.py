"""Which threads copy a tile: every chip's, of every extent, is a layout that its workgroups can decode."""

from __future__ import annotations

from itertools import product

import pytest
from lanewise.layout.rules.lanewise_async import copy_layout
from lanewise.layout.workgroup import Workgroup, fits
from lanewise.targets import find_chip

ROWS, COLUMNS = (1, 5, 6, 8, 12, 20, 63), (8, 24, 36, 40, 48, 56, 64, 72, 504)


@pytest.mark.parametrize(("name", "lanes"), [("sm_80", 32), ("gfx942", 64), ("gfx950", 64), ("gfx1100", 32)])
def test_a_workgroup_has_the_threads_that_copy(name: str, lanes: int) -> None:
    for threads, wide, *shape in product((32, 64, 96, 128, 192, 256, 512), (1, 2, 4, 8), ROWS, COLUMNS):
        workgroup = Workgroup(min(threads, 1024), lanes, find_chip(name))
        layout = copy_layout(tuple(shape), 16, wide, workgroup)
        assert fits(layout, tuple(shape), workgroup), (shape, threads, wide, str(layout))


@pytest.mark.parametrize("name", ["gfx942", "gfx950"])
def test_lanes_that_all_have_a_piece_copy_for_their_subgroup(name: str) -> None:
    """64 lanes of 8 elements are two rows of 256: each of the two subgroups has half of the rows, one after another."""
    layout = copy_layout((16, 256), 16, 8, Workgroup(128, 64, find_chip(name)))
    held = layout.coordinates(128, 64)
    assert set(held[:64, :, 0].ravel().tolist()) == set(range(8))
