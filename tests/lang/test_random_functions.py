"""Random functions mean the same as plain Python, on the reference, and on the emulators."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest

from ..examples import examples
from .random_functions import function

TARGETS = ("sm_90a", "gfx942")


@pytest.mark.parametrize("seed", range(500 if examples(500) == 500 else 12))
def test_random_functions_agree(seed: int) -> None:
    kernel, source = function(seed)
    random = np.random.default_rng(seed)
    x, y = (random.integers(-100, 100, 128).astype(np.int32) for _ in range(2))
    out = np.zeros(128, np.int32)
    kernel.debug[2](x, y, out)
    target = TARGETS[seed % 2]
    compiled = kernel.compile(x, y, out, target=target, device="emulated")
    fresh = np.zeros(128, np.int32)
    compiled[2](x, y, fresh)
    assert (fresh == out).all(), f"{target}: plain Python and the emulator differ\n{source}"
    report = lanewise.validate(compiled, 2, x, y, np.zeros(128, np.int32), on=["reference"])
    assert report.verdict == "right", f"{target}: {report}\n{source}"
