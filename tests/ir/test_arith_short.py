"""arith: what is short for others, on worked numbers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from numpy.typing import NDArray

Array = NDArray[Any]
NAN, INF = float("nan"), float("inf")
A = np.array([NAN, 1, NAN, -0.0, 0.0, -INF, 3], np.float32)
B = np.array([1, NAN, NAN, 0.0, -0.0, NAN, 2], np.float32)


def run(arguments: str, line: str, *operands: Any) -> Any:
    program = parse_program(f"func.func @f({arguments}) {{\n{line}\nreturn\n}}")
    verify(program)
    name = line.partition("= ")[2].split()[0]
    return next(op for op in program.walk() if op.opname == name).reference(*operands)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("maximumnumf", [1, 1, NAN, 0.0, 0.0, -INF, 3]), ("minimumnumf", [1, 1, NAN, -0.0, -0.0, -INF, 2])],
)
def test_numbers_before_nan_and_zeros_in_order(name: str, expected: list[float]) -> None:
    line = f"%0 = arith.{name} %a, %b : vector<7xf32>"
    found = run("%a: vector<7xf32>, %b: vector<7xf32>", line, A, B)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found[3:5]), np.signbit(expected[3:5]))


def test_subnormal_numbers_become_zeros_of_their_sign() -> None:
    values = np.array([1e-45, -1e-39, 2.0**-126, -(2.0**-126), -0.0, INF, NAN], np.float32)
    found = run("%a: vector<7xf32>", "%0 = arith.flush_denormals %a : vector<7xf32>", values)
    np.testing.assert_array_equal(found, [0, -0.0, 2.0**-126, -(2.0**-126), -0.0, INF, NAN])
    assert np.signbit(found[:5]).tolist() == [False, True, False, True, True]


def test_a_difference_and_its_borrow() -> None:
    line = "%0, %1 = arith.subui_extended %a, %b : vector<3xi8>, vector<3xi1>"
    a, b = np.array([3, -1, 0], np.int8), np.array([5, 1, 0], np.int8)
    diff, borrow = run("%a: vector<3xi8>, %b: vector<3xi8>", line, a, b)
    assert diff.tolist() == [-2, -2, 0] and borrow.tolist() == [True, False, False]


def test_conversions_of_one_width_round_once() -> None:
    values = np.array([1 + 2.0**-10, 1 + 3 * 2.0**-8, 65504], np.float16)
    found = run("%a: vector<3xf16>", "%0 = arith.convertf %a : vector<3xf16> to vector<3xbf16>", values)
    assert found.dtype == ml_dtypes.bfloat16 and found.astype(np.float32).tolist() == [1.0, 1.015625, 65536.0]
    cut = run("%a: vector<3xf16>", "%0 = arith.convertf %a toward_zero : vector<3xf16> to vector<3xbf16>", values)
    assert cut.astype(np.float32).tolist() == [1.0, 1.0078125, 65280.0]


def test_scales_are_powers_of_two() -> None:
    values = np.array([0.0, 2.0, 4.0, 1.0], np.float32)
    scale = np.array([2.0] * 4, ml_dtypes.float8_e8m0fnu)
    types = "vector<4xf32>, vector<4xf8E8M0FNU> to vector<4xf4E2M1FN>"
    arguments = "%a: vector<4xf32>, %s: vector<4xf8E8M0FNU>"
    found = run(arguments, f"%0 = arith.scaling_truncf %a, %s : {types}", values, scale)
    assert found.astype(np.float32).tolist() == [0.0, 1.0, 2.0, 0.5]
    types = "vector<4xf4E2M1FN>, vector<4xf32> to vector<4xf32>"
    arguments = "%a: vector<4xf4E2M1FN>, %s: vector<4xf32>"
    scale = np.array([4.0, 4.0, 3.5, NAN], np.float32)
    back = run(arguments, f"%0 = arith.scaling_extf %a, %s : {types}", found, scale)
    np.testing.assert_array_equal(back, [0.0, 4.0, 8.0, NAN])
