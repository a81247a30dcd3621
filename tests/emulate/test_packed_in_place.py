"""Elements of less than a byte that are read and written in place: what one thread stores updates the word around it,
and touches no byte of it but its own."""

from __future__ import annotations

from typing import Annotated

import lanewise
import lanewise.lang as lw
import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.races import BITWISE, masked_bytes

Nibbles = Annotated[lw.Array, lw.i4[None]]


@lanewise.kernel(workgroup=64)
def next_ones(w: Nibbles, *, tile: int) -> None:
    i = lw.block(tile)
    w[i] = w[i] + 1


def checked(tile: int, target: str) -> lanewise.Report:
    w = (np.arange(200) % 16 - 8).astype(ml_dtypes.int4)
    compiled = next_ones.compile(w, tile=tile, target=target, device="emulated")
    return lanewise.validate(compiled, -(-200 // tile), w, on=["reference", "interpret", "emulated"])


@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_bytes_beside_those_that_are_updated_are_no_race(target: str) -> None:
    """Tiles of 96 and of 6 begin at bytes, in words that others read; zeros are values as all others."""
    for tile in (96, 6):
        report = checked(tile, target)
        assert report.verdict == "right", str(report)


def test_a_byte_that_two_workgroups_share_is_a_race() -> None:
    report = checked(7, "sm_90a")
    assert report.verdict == "WRONG" and "race: updates atomically global memory" in str(report)


def test_bytes_of_a_bitwise_update() -> None:
    flat, lanes = np.array([8, 16]), np.array([0, 5])
    cleared = masked_bytes(flat, lanes, np.array([0xFFFF0FFF, 0xFFFFFFFF], np.uint32), kept=BITWISE["and"])
    assert [part.tolist() for part in cleared] == [[9], [0]]
    written = masked_bytes(flat, lanes, np.array([0x00300001, 0x40000000], np.uint32), kept=BITWISE["or"])
    assert [part.tolist() for part in written] == [[8, 10, 19], [0, 0, 5]]
