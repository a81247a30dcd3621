"""A few of the random nests of loops; `nests.py` runs as many as are asked for."""

from __future__ import annotations

import pytest

from .nests import check, check_copied, copied, nest

_TWO_BRANCHES = 31
"""On gfx942 its inner loop ends with a branch back and one to the outer loop: see `settle_before_two_branches`."""


@pytest.mark.parametrize("seed", [*range(6), _TWO_BRANCHES])
def test_random_nests_agree(seed: int) -> None:
    report = check(seed)
    assert report.ok, f"{report}\n{nest(seed).text}"


@pytest.mark.parametrize("seed", range(4))
def test_random_nests_of_which_others_copy_agree(seed: int) -> None:
    report = check_copied(seed)
    assert report.ok, f"{report}\n{copied(seed).text}"
