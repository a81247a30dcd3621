"""Values of a batch: arrays with one entry per thread, or numpy scalars where all threads hold the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Value = Any
"""An array or a numpy scalar: numpy's stubs cannot say "either, and the dtype is known at run time only"."""


def choose(condition: Value, yes: Value, no: Value) -> Value:
    """`yes` where the condition holds, else `no`."""
    result: npt.NDArray[Any] = np.where(np.asarray(condition), np.asarray(yes), np.asarray(no))
    return result
