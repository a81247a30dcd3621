"""Compares what two executors left in a buffer: by bits, else by distance within a bound for each element."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit.signature import kind_of
from ..support.dataclasses import dataclass
from ..support.packed_elements import value_bits
from .inputs import fill, is_float

Array = NDArray[Any]
Bound = NDArray[np.float64] | None
"""By element, how far it may be off: 0 for the same bits, infinite for anything. None: the same bits everywhere."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An element may differ by `relative * |expected| + absolute * scale`.

    `scale` is the largest finite magnitude that is expected in the buffer. Both zero means the same bits.
    """

    relative: float = 0.0
    absolute: float = 0.0

    def bound(self, expected: Array) -> Bound:
        """What it allows of each element; of integers and what is not finite, the same bits."""
        if not is_float(expected.dtype):
            return None
        magnitude = np.abs(_wide(expected))
        finite = np.isfinite(magnitude)
        scale = float(magnitude.max(initial=0.0, where=finite))
        return np.where(finite, self.relative * np.where(finite, magnitude, 0.0) + self.absolute * scale, 0.0)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One element that is wrong. `ulps` is None where one side is no finite number; `allowed` is its bound."""

    index: tuple[int, ...]
    expected: float
    found: float
    ulps: int | None
    unwritten: bool
    """Whether the element still has the fill that the buffer was filled with."""
    allowed: float = 0.0

    def __str__(self) -> str:
        place = f"[{', '.join(map(str, self.index))}]"
        found = "never written" if self.unwritten else f"{self.found}"
        distance = "" if self.ulps is None or self.unwritten else f" ({self.ulps} ulps)"
        allowed = f" where {self.allowed:.2g} is allowed" if self.allowed and not self.unwritten else ""
        return f"{place}: expected {self.expected}, found {found}{distance}{allowed}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one buffer compares. The largest errors are over all decided elements that are finite on both sides.

    Attributes:
        undecided: How many elements may be anything, since they depend on a comparison that rounding may turn.
        share: The largest error as a part of what was allowed of its element.
        allowed: What was allowed, in words.
    """

    buffer: str
    elements: int
    mismatches: int
    undecided: int
    first: Mismatch | None
    max_ulps: int
    max_absolute: float
    max_relative: float
    share: float
    allowed: str

    @property
    def ok(self) -> bool:
        return self.mismatches == 0


def compare(buffer: str, expected: Array, found: Array, bound: Bound = None) -> Comparison:
    """Compares two arrays of one shape and element type.

    Bits that are equal are right. NaN is right where NaN is expected, whatever its bits, except that fill which
    stayed is wrong where something was to be written. Infinities must be equal. Integers must be equal.
    """
    assert expected.shape == found.shape and expected.dtype == found.dtype
    limits = np.broadcast_to(np.float64(0), expected.shape) if bound is None else np.broadcast_to(bound, expected.shape)
    undecided = np.isinf(limits).reshape(-1)
    left = _is_fill(found).reshape(-1) & ~_is_fill(expected).reshape(-1)  # wrong whatever was to be written
    places = np.flatnonzero((bits(expected) != bits(found)) & (~undecided | left))
    pairs = _Pairs(
        np.ascontiguousarray(expected).reshape(-1)[places],
        np.ascontiguousarray(found).reshape(-1)[places],
        limits.reshape(-1)[places],
    )
    wrong = np.flatnonzero(~pairs.allowed())
    first = None
    if wrong.size:
        index = np.unravel_index(int(places[wrong[0]]), expected.shape) if expected.shape else ()
        first = pairs.mismatch(int(wrong[0]), tuple(int(i) for i in index))
    return Comparison(
        buffer,
        expected.size,
        int(wrong.size),
        int(undecided.sum()),
        first,
        int(pairs.ulps.max(initial=0)),
        float(pairs.error.max(initial=0.0)),
        float(pairs.relative.max(initial=0.0)),
        float(pairs.share.max(initial=0.0)),
        _words(limits.reshape(-1)[~undecided], expected),
    )


def _words(limits: NDArray[np.float64], expected: Array) -> str:
    """The largest bound, also as a part of the largest magnitude."""
    largest = float(limits.max(initial=0.0))
    if largest == 0:
        return "the same bits"
    magnitudes = np.abs(_wide(expected))
    scale = float(magnitudes.max(initial=0.0, where=np.isfinite(magnitudes)))
    return f"up to {largest:.2g}" + (f" ({largest / scale:.1g} of the largest)" if scale else "")


class _Pairs:
    """The decided elements whose bits differ; errors are zero where one of the two is no finite number."""

    def __init__(self, expected: Array, found: Array, limits: NDArray[np.float64]) -> None:
        self.expected, self.found, self.limits = expected, found, limits
        self.unwritten = _is_fill(found)
        self._expected, self._found = _wide(expected), _wide(found)
        self.finite = np.isfinite(self._expected) & np.isfinite(self._found)
        self.ulps = np.where(self.finite, ulp_distance(expected, found), np.uint64(0))
        self.error = np.abs(np.where(self.finite, self._expected, 0) - np.where(self.finite, self._found, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = self.error / np.where(self.finite, np.abs(self._expected), 1)
            share = self.error / limits
        self.relative = np.where(self.error == 0, 0.0, relative)
        self.share = np.where(self.error == 0, 0.0, share)

    def allowed(self) -> NDArray[np.bool_]:
        if not is_float(self.expected.dtype):
            return np.zeros(self.expected.shape, np.bool_)
        both_nan = np.isnan(self._expected) & np.isnan(self._found) & ~self.unwritten
        near = self.finite & (self.limits > 0) & (self.error <= self.limits)
        allowed: NDArray[np.bool_] = (both_nan | near) & ~(self.unwritten & np.isinf(self.limits))
        return allowed

    def mismatch(self, i: int, index: tuple[int, ...]) -> Mismatch:
        ulps = int(self.ulps[i]) if self.finite[i] else None
        expected, found = _plain(self.expected[i]), _plain(self.found[i])
        return Mismatch(index, expected, found, ulps, bool(self.unwritten[i]), float(self.limits[i]))


def bits(array: Array) -> Array:
    """The bit patterns of all elements, in row-major order."""
    return np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")


def ulp_distance(expected: Array, found: Array) -> NDArray[np.uint64]:
    """How many representable numbers lie between two: 0 for equal ones and for both zeros, 1 for neighbours.

    Of integers it is the difference. What it says of NaN has no meaning.
    """
    a, b = _position(expected), _position(found)
    return np.where(a > b, a - b, b - a)


_MIDDLE = np.uint64(1 << 63)


def _position(array: Array) -> NDArray[np.uint64]:
    """Numbers in ascending order as ascending integers; both zeros are in the middle."""
    kind = kind_of(array.dtype)
    if kind in "iu":
        return array.astype(np.int64).view(np.uint64) ^ _MIDDLE if kind == "i" else array.astype(np.uint64)
    pattern = bits(array).astype(np.uint64).reshape(array.shape)
    if array.dtype.kind == "b" or array.dtype.name == "float8_e8m0fnu":  # these have no sign
        return pattern
    sign = np.uint64(1 << (value_bits(array.dtype) - 1))
    magnitude = pattern & (sign - np.uint64(1))
    return np.where(pattern & sign, _MIDDLE - magnitude, _MIDDLE + magnitude)


def _wide(array: Array) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):  # a NaN may signal
        return array.astype(np.float64)


def _is_fill(found: Array) -> NDArray[np.bool_]:
    pattern = np.empty(1, found.dtype)
    fill(pattern)
    if not is_float(found.dtype) or not np.isnan(pattern).all():
        return np.zeros(found.shape, np.bool_)
    same: NDArray[np.bool_] = bits(found) == bits(pattern)
    return same


def _plain(value: Any) -> float:
    """A Python number, which prints and serialises."""
    if is_float(value.dtype):
        return float(value)
    return bool(value) if value.dtype.kind == "b" else int(value)
