"""A few of the random contractions; `contractions.py` runs as many as are asked for."""

from __future__ import annotations

import pytest

from ..examples import examples
from .contractions import check, contraction


@pytest.mark.parametrize("seed", range(examples(8)))
def test_random_contractions_agree(seed: int) -> None:
    report = check(seed)
    assert report.ok, f"{report}\n{contraction(seed)}"
