"""A few of the random nests of loops; `nests.py` runs as many as are asked for."""

from __future__ import annotations

import pytest

from .nests import check, nest


@pytest.mark.parametrize("seed", range(6))
def test_random_nests_agree(seed: int) -> None:
    report = check(seed)
    assert report.ok, f"{report}\n{nest(seed).text}"
