"""Comparing buffers: distances, special values, tolerances and what is reported."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.check.compare import Tolerance, compare, ulp_distance
from lanewise.check.inputs import fill

finite32 = st.floats(allow_nan=False, allow_infinity=False, width=32)


def f32(*values: float) -> Any:
    return np.array(values, np.float32)


@given(finite32, st.integers(1, 50))
def test_the_distance_counts_representable_numbers(start: float, steps: int) -> None:
    x = np.float32(start)
    for _ in range(steps):
        x = np.nextafter(x, np.float32(math.inf))
    if np.isfinite(x):
        assert int(ulp_distance(f32(start), np.array([x]))[0]) == steps


@given(finite32, finite32, finite32)
def test_the_distance_adds_up_along_the_line(a: float, b: float, c: float) -> None:
    low, middle, high = (f32(v) for v in sorted((a, b, c)))
    distance = ulp_distance
    assert int(distance(low, high)[0]) == int(distance(low, middle)[0]) + int(distance(middle, high)[0])


@pytest.mark.parametrize("dtype", [np.float16, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
def test_neighbours_are_one_apart_in_every_type(dtype: Any) -> None:
    one = np.ones(1, dtype)
    bits = one.view(f"u{one.itemsize}")
    assert ulp_distance(one, (bits + 1).astype(bits.dtype).view(dtype)).tolist() == [1]
    assert ulp_distance(-one, one).tolist() == [2 * int(bits[0])]


def test_zeros_are_at_one_place_and_integers_are_subtracted() -> None:
    assert ulp_distance(f32(0.0), f32(-0.0)).tolist() == [0]
    extremes = np.array([-(2**63), 5], np.int64), np.array([2**63 - 1, 3], np.int64)
    assert ulp_distance(*extremes).tolist() == [2**64 - 1, 2]


def test_equal_bits_are_right_and_signed_zeros_differ() -> None:
    x = f32(1, -0.0, math.inf, math.nan)
    assert compare("x", x, x.copy()).ok
    assert not compare("x", f32(0.0), f32(-0.0)).ok
    assert compare("x", f32(0.0), f32(-0.0), np.array([1e-30])).ok


def test_nan_is_compared_by_class_and_infinities_by_sign() -> None:
    other = np.array([0x7FC01234], np.uint32).view(np.float32)
    assert compare("x", f32(math.nan), other).ok
    for expected, found in [(math.nan, 1.0), (1.0, math.nan), (math.inf, -math.inf), (math.inf, 3e38)]:
        result = compare("x", f32(expected), f32(found), np.array([1e38]))
        assert (result.mismatches, result.max_absolute) == (1, 0.0)
        assert result.first is not None and result.first.ulps is None


def test_fill_that_stayed_is_called_unwritten() -> None:
    found = f32(0, 0)
    fill(found)
    result = compare("x", f32(math.nan, 1), found, np.full(2, 1e38))
    assert result.mismatches == 2
    assert result.first is not None and result.first.unwritten
    assert "never written" in str(result.first)


def test_every_element_has_a_bound_of_its_own() -> None:
    expected, bound = f32(100, 1), np.array([0.0, 0.1])
    assert compare("x", expected, f32(100, 1.09), bound).ok
    result = compare("x", expected, np.nextafter(expected, f32(200)), bound)
    assert result.first is not None and result.first.index == (0,) and result.mismatches == 1
    assert compare("x", expected, f32(100, 1.05), bound).share == pytest.approx(0.5)
    assert "up to 0.1 (0.001 of the largest)" in result.allowed


def test_a_tolerance_is_relative_and_of_the_largest() -> None:
    expected, tolerance = f32(100, 1), Tolerance(0.0, 1e-3)  # allows 0.1 everywhere
    assert compare("x", expected, f32(100, 1.09), tolerance.bound(expected)).ok
    assert not compare("x", expected, f32(100, 1.2), tolerance.bound(expected)).ok
    assert not compare("x", expected, f32(100, 1.09), Tolerance(1e-3).bound(expected)).ok
    assert Tolerance(1.0, 1.0).bound(np.array([5], np.int32)) is None


def test_what_is_undecided_is_counted_and_never_wrong() -> None:
    result = compare("x", f32(1, 2), f32(7, 2), np.array([math.inf, 0.0]))
    assert result.ok and result.undecided == 1
    assert (result.max_ulps, result.max_absolute) == (0, 0.0)
    assert not compare("x", f32(1, 2), f32(7, 3), np.array([math.inf, 0.0])).ok


def test_integers_differ_in_nothing() -> None:
    result = compare("x", np.array([5], np.int32), np.array([6], np.int32))
    assert not result.ok and result.max_ulps == 1
    assert compare("x", np.array([5], np.int32), np.array([6], np.int32), np.array([math.inf])).undecided == 1


def test_a_mismatch_names_the_element_of_the_array() -> None:
    expected = np.arange(12, dtype=np.float32).reshape(3, 4)
    found = expected.copy()
    found[1, 2], found[2, 3] = 7, 8
    result = compare("x", expected, found)
    assert result.mismatches == 2 and result.elements == 12
    assert result.first is not None
    assert (result.first.index, result.first.expected, result.first.found) == ((1, 2), 6.0, 7.0)
    strided = np.zeros((3, 8), np.float32)[:, ::2]
    strided[...] = expected
    assert compare("x", strided, expected).ok
    assert compare("x", np.float32(3).reshape(()), np.float32(4).reshape(())).first is not None
