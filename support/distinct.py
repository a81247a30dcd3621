"""The distinct numbers of an array: `numpy.unique` loads numpy's masked arrays, a tenth of a cold start."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """[n], in ascending order, of an array of any shape."""
    ordered: npt.NDArray[Any] = np.sort(values, axis=None)
    found: npt.NDArray[Any] = ordered[np.concatenate((ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]))]
    return found
