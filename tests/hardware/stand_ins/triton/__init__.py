"""As much of Triton as bench/triton_kernels.py uses, over the stand-in for torch: programs run one after another."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

from . import language
from .language import Pointer, cdiv, running

__all__ = ["Config", "autotune", "cdiv", "jit", "language", "next_power_of_2"]


@dataclass
class Config:
    kwargs: dict[str, Any]
    num_stages: int
    num_warps: int


class Kernel:
    def __init__(self, function, **constants):
        self.function, self.constants = function, constants

    def __getitem__(self, grid):
        return functools.partial(self.launch, grid)

    def launch(self, grid, *arguments, num_warps=4, **constants):
        constants = self.constants | constants
        extents = grid(constants) if callable(grid) else grid
        pointers = [Pointer(a.array.reshape(-1), 0) if hasattr(a, "array") else a for a in arguments]
        for ids in itertools.product(*map(range, extents)):
            running[:] = ids
            self.function(*pointers, **constants)


jit = Kernel


def autotune(configs, key):
    """The smallest tiles win."""
    return lambda kernel: Kernel(kernel.function, **configs[-1].kwargs)


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()
