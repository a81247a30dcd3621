"""The bank model against hand counts and against a count by dictionaries."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.banks import CDNA, NVIDIA, BankModel, wavefronts
from lanewise.layout.dimension import LayoutError

from ..examples import examples

LANES = np.arange(32)


@pytest.mark.parametrize(
    ("addresses", "width", "taken", "ideal"),
    [
        (LANES * 4, 4, 1, 1),  # consecutive words
        (LANES * 0, 4, 1, 1),  # broadcast
        (LANES * 2, 2, 1, 1),  # two lanes share a word
        (LANES * 8, 4, 2, 1),  # every second bank
        (LANES * 128, 4, 32, 1),  # a column of 32 words
        (LANES * 132, 4, 1, 1),  # the same, rows padded by a word
        (LANES * 12, 4, 1, 1),  # odd strides are free
        (LANES * 8, 8, 2, 2),  # half warps
        (LANES * 16, 16, 4, 4),  # quarter warps
        (LANES * 32, 16, 8, 4),
        (np.where(LANES < 3, LANES * 128, -1), 4, 3, 1),  # inactive lanes
        (np.full(32, -1), 4, 0, 0),
    ],
)
def test_known_counts(addresses: np.ndarray, width: int, taken: int, ideal: int) -> None:
    assert tuple(int(x) for x in wavefronts(addresses, width)) == (taken, ideal)


@given(
    width=st.sampled_from([1, 2, 4, 8, 16]),
    places=st.lists(st.integers(-3, 200), min_size=64, max_size=64),
    write=st.booleans(),
    model=st.sampled_from([NVIDIA, CDNA]),
)
@settings(max_examples=examples(60), deadline=None)
def test_counts_by_dictionaries(width: int, places: list[int], write: bool, model: BankModel) -> None:
    lanes = 64 if model is CDNA else 32
    addresses = [place * width for place in places[:lanes]]
    phases: list[Sequence[int]] = [
        range(start, start + 128 // max(width, 4)) for start in range(0, lanes, 128 // max(width, 4))
    ]
    if model is CDNA and width == 16 and not write:
        quads = [(0, 20), (4, 16), (8, 28), (12, 24), (32, 52), (36, 48), (40, 60), (44, 56)]
        phases = [[*range(a, a + 4), *range(b, b + 4)] for a, b in quads]
    expected = 0
    for phase in phases:
        banks: dict[int, set[int]] = {}
        for address in (addresses[lane] for lane in phase):
            for byte in range(address, address + width) if address >= 0 else ():
                banks.setdefault(byte // 4 % 32, set()).add(byte // 4)
        expected += max((len(words) for words in banks.values()), default=0)
    taken, ideal = wavefronts(np.array([addresses, addresses]), width, write=write, model=model)
    assert taken.tolist() == [expected, expected]
    assert (ideal <= taken).all()


def test_errors() -> None:
    with pytest.raises(LayoutError, match="no NVIDIA access has 32 bytes a lane"):
        wavefronts(LANES * 32, 32)
    with pytest.raises(LayoutError, match="an access of 8 bytes a lane at an address that is no multiple"):
        wavefronts(LANES * 4, 8)
