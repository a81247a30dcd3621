"""vector: operations that older texts have or that are short for others, on numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from numpy.typing import NDArray

Array = NDArray[Any]


def operation(arguments: str, body: str, name: str) -> Operation:
    program = parse_program(f"func.func @f({arguments}) {{\n{body}\nreturn\n}}")
    verify(program)
    return next(op for op in program.walk() if op.opname == name)


def run(arguments: str, line: str, *operands: Any) -> Any:
    name = line.partition("= ")[2].split()[0]
    return operation(arguments, line, name).reference(*operands)


def f32(*values: Any) -> Array:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("maxsi", 7), ("maxui", -1), ("minsi", -1), ("minui", 2), ("and", 0), ("or", -1), ("add", 13), ("mul", -70)],
)
def test_reduction_of_integers(kind: str, expected: int) -> None:
    line = f"%0 = vector.reduction <{kind}>, %v : vector<4xi32> into i32"
    assert run("%v: vector<4xi32>", line, np.array([-1, 5, 7, 2], np.int32)) == expected


def test_reduction_has_no_element_to_begin_with() -> None:
    """Of NaN alone the largest number is NaN; a sum of -0.0 is -0.0."""
    nan = run("%v: vector<2xf32>", "%0 = vector.reduction <maxnumf>, %v : vector<2xf32> into f32", f32(np.nan, np.nan))
    zero = run("%v: vector<2xf32>", "%0 = vector.reduction <add>, %v : vector<2xf32> into f32", f32(-0.0, -0.0))
    assert np.isnan(nan) and zero == 0 and np.signbit(zero)


def test_slices_are_row_major_with_partial_tiles_at_the_ends() -> None:
    tiles = "tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>>"
    source = f32([1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12])
    line = f"%0 = vector.extract_slices %v, [2, 2], [1, 1] : vector<4x3xf32> into {tiles}"
    parts = run("%v: vector<4x3xf32>", line, source)
    assert [part.tolist() for part in parts] == [[[1, 2], [4, 5]], [[3], [6]], [[7, 8], [10, 11]], [[9], [12]]]
    line = f"%0 = vector.insert_slices %t, [2, 2], [1, 1] : {tiles} into vector<4x3xf32>"
    assert run(f"%t: {tiles}", line, parts).tolist() == source.tolist()


def test_matrix_multiply_goes_column_after_column() -> None:
    line = (
        "%0 = vector.matrix_multiply %a, %b {lhs_rows = 2 : i32, lhs_columns = 3 : i32, rhs_columns = 2 : i32}"
        " : (vector<6xf32>, vector<6xf32>) -> vector<4xf32>"
    )
    found = run("%a: vector<6xf32>, %b: vector<6xf32>", line, f32(1, 2, 3, 4, 5, 6), f32(1, 0, 0, 1, 1, 1))
    assert found.tolist() == [1, 2, 9, 12]


def test_outerproduct_with_an_accumulator_rounds_once() -> None:
    line = "%0 = vector.outerproduct %a, %b, %c : vector<1xf32>, vector<1xf32>"
    arguments = "%a: vector<1xf32>, %b: vector<1xf32>, %c: vector<1x1xf32>"
    assert run(arguments, line, f32(4097), f32(4097), f32([-16785408])).tolist() == [[1.0]]


def test_outerproduct_by_a_number() -> None:
    line = "%0 = vector.outerproduct %a, %s, %c : vector<3xf32>, f32"
    found = run("%a: vector<3xf32>, %s: f32, %c: vector<3xf32>", line, f32(1, 2, 3), np.float32(10), f32(4, 5, 6))
    assert found.tolist() == [14, 25, 36]


def test_reshape_of_rows_of_six_into_rows_of_nine() -> None:
    """The document's example: a to r in tiles of four. What lies beyond the data is never compared."""
    body = (
        "%c2 = arith.constant 2 : index\n%c3 = arith.constant 3 : index\n%c6 = arith.constant 6 : index\n"
        "%c9 = arith.constant 9 : index\n"
        "%0 = vector.reshape %v, [%c3, %c6], [%c2, %c9], [4] : vector<3x2x4xi8> to vector<2x3x4xi8>"
    )
    source = [[[1, 2, 3, 4], [5, 6, -1, -1]], [[7, 8, 9, 10], [11, 12, -1, -1]], [[13, 14, 15, 16], [17, 18, -1, -1]]]
    op = operation("%v: vector<3x2x4xi8>", body, "vector.reshape")
    found = op.reference(np.array(source, np.int8), *(np.array(n) for n in (3, 6, 2, 9)))
    assert found[0].reshape(-1)[:9].tolist() == list(range(1, 10))
    assert found[1].reshape(-1)[:9].tolist() == list(range(10, 19))


def test_reshape_has_two_dims_of_tiles() -> None:
    """2x2x2x3 holds 3x5 data by (d0 floordiv 2, d1 floordiv 3, d0 mod 2, d1 mod 3)."""
    body = (
        "%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n%c5 = arith.constant 5 : index\n"
        "%c15 = arith.constant 15 : index\n"
        "%0 = vector.reshape %v, [%c3, %c5], [%c1, %c15], [2, 3] : vector<2x2x2x3xi8> to vector<1x5x2x3xi8>"
    )
    a, x = ord("a"), -1
    rows = [list(range(a + 5 * i, a + 5 * i + 5)) for i in range(3)]
    source = np.full((2, 2, 2, 3), x, np.int8)
    for i, j in np.ndindex(3, 5):
        source[i // 2, j // 3, i % 2, j % 3] = rows[i][j]
    op = operation("%v: vector<2x2x2x3xi8>", body, "vector.reshape")
    found = op.reference(source, *(np.array(n) for n in (3, 5, 1, 15)))
    assert [found[0, j // 3, 0, j % 3] for j in range(15)] == list(range(a, a + 15))


def test_elements_are_interleaved_along_the_last_dim() -> None:
    line = "%0 = vector.interleave %a, %b : vector<2x2xf32> -> vector<2x4xf32>"
    found = run("%a: vector<2x2xf32>, %b: vector<2x2xf32>", line, f32([1, 2], [3, 4]), f32([5, 6], [7, 8]))
    assert found.tolist() == [[1, 5, 2, 6], [3, 7, 4, 8]]
    pair = operation(
        "%a: vector<f32>", "%0 = vector.interleave %a, %a : vector<f32> -> vector<2xf32>", "vector.interleave"
    )
    assert pair.reference(np.float32(3), np.float32(4)).tolist() == [3, 4]
    line = "%0, %1 = vector.deinterleave %a : vector<2x4xf32> -> vector<2x2xf32>"
    even, odd = run("%a: vector<2x4xf32>", line, found)
    assert even.tolist() == [[1, 2], [3, 4]] and odd.tolist() == [[5, 6], [7, 8]]


def bitcast(source: str, target: str, values: Array) -> Any:
    return run(f"%v: vector<{source}>", f"%0 = vector.bitcast %v : vector<{source}> to vector<{target}>", values)


def test_bitcast_has_the_first_element_in_the_low_bits() -> None:
    assert bitcast("2xi16", "1xi32", np.array([0x1234, 0x5678], np.int16)).tolist() == [0x56781234]
    assert bitcast("1xi32", "4xi8", np.array([0x04030201], np.int32)).tolist() == [1, 2, 3, 4]
    assert bitcast("2xi4", "1xi8", np.array([1, -1], np.int8)).view(np.uint8).tolist() == [0xF1]
    assert bitcast("1xi8", "2xi4", np.array([0x71], np.int8)).tolist() == [1, 7]
    assert bitcast("8xi1", "1xi8", np.array([1, 0, 1, 0, 0, 0, 0, 0], np.bool_)).tolist() == [5]
    assert bitcast("1xf32", "2xbf16", f32(1.0)).tolist() == [0.0, 1.0]
    halves = bitcast("1xi8", "2xf4E2M1FN", np.array([0x27], np.int8))
    assert halves.dtype == ml_dtypes.float4_e2m1fn and halves.astype(np.float32).tolist() == [6.0, 1.0]


def scan(kind: str, inclusive: bool, source: Array, initial: Array, dim: int) -> Any:
    shape, rest = ("x".join(map(str, a.shape)) for a in (source, initial))
    types = f"vector<{shape}xi32>", f"vector<{rest}xi32>" if rest else "i32"
    word = "true" if inclusive else "false"
    line = (
        f"%0, %1 = vector.scan <{kind}>, %v, %i {{inclusive = {word}, reduction_dim = {dim} : i64}}"
        f" : {types[0]}, {types[1]}"
    )
    return run(f"%v: {types[0]}, %i: {types[1]}", line, source, initial)


def test_an_inclusive_scan_has_no_use_for_the_initial_value() -> None:
    source = np.array([[1, 2, 3], [4, 5, 6]], np.int32)
    found, last = scan("add", True, source, np.array([100, 200], np.int32), 1)
    assert found.tolist() == [[1, 3, 6], [4, 9, 15]] and last.tolist() == [6, 15]


def test_an_exclusive_scan_starts_from_the_initial_value() -> None:
    source = np.array([[1, 2, 3], [4, 5, 6]], np.int32)
    found, last = scan("mul", False, source, np.array([10, 10, 10], np.int32), 0)
    assert found.tolist() == [[10, 10, 10], [10, 20, 30]] and last.tolist() == [10, 20, 30]
    found, last = scan("maxsi", False, np.array([3, 1, 5], np.int32), np.array(2, np.int32), 0)
    assert found.tolist() == [2, 3, 3] and last == 3


def test_poison_stands_for_no_row() -> None:
    line = "%0 = vector.shuffle %v, %v [3, -1, 0] : vector<2xf32>, vector<2xf32>"
    assert run("%v: vector<2xf32>", line, f32(1, 2), f32(1, 2)).tolist()[::2] == [2, 1]


def test_a_bitcast_of_a_number_is_a_number() -> None:
    assert run("%v: f16", "%0 = arith.bitcast %v : f16 to i16", np.array(1.0, np.float16)).shape == ()
