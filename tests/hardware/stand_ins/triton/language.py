"""Blocks are numpy arrays. What a masked load leaves out is NaN; no access may leave its buffer."""

from __future__ import annotations

from typing import Any

import numpy as np

float32, int64 = np.float32, np.int64
constexpr: Any = object
running: list[int] = []


class Id(int):
    def to(self, dtype):
        return self


class Pointer:
    def __init__(self, memory, offsets):
        self.memory, self.offsets = memory, offsets

    def __add__(self, offsets):
        return Pointer(self.memory, self.offsets + offsets)

    def places(self, mask):
        inside = self.offsets if mask is None else self.offsets[np.broadcast_to(mask, self.offsets.shape)]
        assert np.all((inside >= 0) & (inside < len(self.memory)))
        return inside


def program_id(axis):
    return Id(running[axis])


def load(pointer, mask=None, other=np.nan):
    found = np.full(pointer.offsets.shape, other, pointer.memory.dtype)
    found[... if mask is None else np.broadcast_to(mask, found.shape)] = pointer.memory[pointer.places(mask)]
    return found


def store(pointer, values, mask=None):
    pointer.memory[pointer.places(mask)] = values if mask is None else values[np.broadcast_to(mask, values.shape)]


def dot(a, b, sums):
    return sums + a.astype(np.float32) @ b.astype(np.float32)


def cdiv(a, b):
    return -(-a // b)


def rsqrt(x):
    return 1 / np.sqrt(x)


arange, exp, max, sum, where, zeros, trans = np.arange, np.exp, np.max, np.sum, np.where, np.zeros, np.transpose
