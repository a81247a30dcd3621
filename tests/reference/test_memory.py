"""Memory in the reference: views, transfers at edges, poison, and accesses that are undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.dialects import vector
from lanewise.ir.dialects.func import FuncOp
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import evaluate
from lanewise.support.diagnostics import LanewiseError


def function(signature: str, body: str, results: str = "") -> FuncOp:
    arrow = f" -> {results}" if results else ""
    module = parse_program(f"func.func @f({signature}){arrow} {{\n%c0 = arith.constant 0 : index\n{body}\n}}")
    verify(module)
    (op,) = module.body.operations
    assert isinstance(op, FuncOp)
    return op


def run(signature: str, body: str, results: str, *arguments: Any) -> list[Any]:
    return evaluate(function(signature, body, results), *arguments)


def numbered(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def test_elements() -> None:
    a = numbered(3, 4)
    body = """
      %x = memref.load %m[%i, %i] : memref<?x4xf32>
      memref.store %x, %m[%c0, %c0] : memref<?x4xf32>
      return %x : f32"""
    (found,) = run("%m: memref<?x4xf32>, %i: index", body, "f32", a, 2)
    assert found == 10
    assert a[0, 0] == 10


def test_subviews_share_memory() -> None:
    a = numbered(6, 8)
    body = """
      %w = memref.subview %m[%i, 1][2, 3][2, %i] : memref<6x8xf32> to memref<2x3xf32, strided<[16, ?], offset: ?>>
      %row = memref.subview %w[1, 0][1, 3][1, 1] : memref<2x3xf32, strided<[16, ?], offset: ?>>
        to memref<3xf32, strided<[?], offset: ?>>
      %x = arith.constant -1.0 : f32
      memref.store %x, %row[%i] : memref<3xf32, strided<[?], offset: ?>>
      return %w, %row : memref<2x3xf32, strided<[16, ?], offset: ?>>, memref<3xf32, strided<[?], offset: ?>>"""
    types = "(memref<2x3xf32, strided<[16, ?], offset: ?>>, memref<3xf32, strided<[?], offset: ?>>)"
    expected = a[2:6:2, 1:7:2].copy()
    expected[1, 2] = -1
    window, row = run("%m: memref<6x8xf32>, %i: index", body, types, a, 2)
    assert (window == expected).all()
    assert (row == expected[1]).all()
    assert a[4, 5] == -1


def test_views_of_bytes_and_extents() -> None:
    body = """
      %w = memref.view %b[%i][%i] : memref<64xi8> to memref<?x2xf32>
      %d = memref.dim %w, %c0 : memref<?x2xf32>
      %k = memref.cast %w : memref<?x2xf32> to memref<4x2xf32>
      %x = memref.load %k[%c0, %c0] : memref<4x2xf32>
      return %d, %x : index, f32"""
    data = np.zeros(64, np.int8)
    data[4:8] = np.array([2.5], np.float32).view(np.int8)
    extent, value = run("%b: memref<64xi8>, %i: index", body, "(index, f32)", data, 4)
    assert (int(extent), float(value)) == (4, 2.5)


@given(
    starts=st.tuples(st.integers(-5, 8), st.integers(-5, 8)),
    swap=st.booleans(),
    mask=st.one_of(st.none(), st.lists(st.booleans(), min_size=12, max_size=12)),
)
def test_reading_at_edges_agrees_with_the_definition(
    starts: tuple[int, int], swap: bool, mask: list[bool] | None
) -> None:
    """Every element by the definition: index in memory, padding where outside or disabled."""
    dims = (1, 0) if swap else (0, 1)
    shape = tuple((3, 4)[d] for d in dims)
    map = f"affine_map<(d0, d1) -> (d{dims[0]}, d{dims[1]})>"
    with_mask = ", %k" if mask is not None else ""
    vector_type = f"vector<{shape[0]}x{shape[1]}xf32>"
    op = function(
        "%m: memref<?x?xf32>, %i: index, %j: index, %p: f32, %k: vector<3x4xi1>",
        f"%v = vector.transfer_read %m[%i, %j], %p{with_mask} {{permutation_map = {map}}} : memref<?x?xf32>,"
        f" {vector_type}\nreturn %v : {vector_type}",
        vector_type,
    )
    memory = numbered(5, 6)
    enabled = np.array(mask if mask is not None else [True] * 12).reshape(3, 4)
    (found,) = evaluate(op, memory, *starts, -9.0, enabled)
    for place in np.ndindex(3, 4):
        at = (starts[0] + place[0], starts[1] + place[1])
        inside = 0 <= at[0] < 5 and 0 <= at[1] < 6 and enabled[place]
        assert found[place[dims[0]], place[dims[1]]] == (memory[at] if inside else -9)
    read = next(o for o in op.walk() if isinstance(o, vector.TransferReadOp))
    _, inside_flags = read.coordinates(starts, (5, 6))
    assert ((found != -9) == (inside_flags & enabled.transpose(dims))).all()


def test_the_documents_transfers() -> None:
    body = """
      %p = arith.constant -9.0 : f32
      %v = vector.transfer_read %m[%i, %j], %p : memref<3x4xf32>, vector<3x3xf32>
      return %v : vector<3x3xf32>"""
    (found,) = run("%m: memref<3x4xf32>, %i: index, %j: index", body, "vector<3x3xf32>", numbered(3, 4) + 1, 1, 2)
    assert found.tolist() == [[7, 8, -9], [11, 12, -9], [-9, -9, -9]]
    body = """
      %p = arith.constant -9.0 : f32
      %c1 = arith.constant 1 : index
      %v = vector.transfer_read %m[%c1, %c1, %c0], %p {permutation_map = affine_map<(d0, d1, d2) -> (d2, 0, d0)>}
        : memref<3x2x2xf32>, vector<3x2x3xf32>
      return %v : vector<3x2x3xf32>"""
    (found,) = run("%m: memref<3x2x2xf32>", body, "vector<3x2x3xf32>", numbered(3, 2, 2))
    assert found.tolist() == [[[6, 10, -9]] * 2, [[7, 11, -9]] * 2, [[-9] * 3] * 2]


@given(start=st.integers(-6, 9), mask=st.lists(st.booleans(), min_size=4, max_size=4))
def test_writing_at_edges_leaves_the_rest(start: int, mask: list[bool]) -> None:
    op = function(
        "%m: memref<2x?xi32>, %i: index, %v: vector<4xi32>, %k: vector<4xi1>",
        "vector.transfer_write %v, %m[%c0, %i], %k : vector<4xi32>, memref<2x?xi32>\nreturn",
    )
    memory = np.full((2, 7), -1, np.int32)
    evaluate(op, memory, start, np.arange(4, dtype=np.int32), np.array(mask))
    for column in range(7):
        lane = column - start
        assert memory[0, column] == (lane if 0 <= lane < 4 and mask[lane] else -1)
    assert (memory[1] == -1).all()


def test_contiguous_loads_and_stores() -> None:
    signature = "%m: memref<2x6xf32>, %i: index, %k: vector<4xi1>, %z: vector<4xf32>"
    body = """
      %v = vector.load %m[%c0, %i] : memref<2x6xf32>, vector<4xf32>
      %w = vector.maskedload %m[%c0, %i], %k, %z : memref<2x6xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
      %c1 = arith.constant 1 : index
      vector.store %v, %m[%c1, %i] : memref<2x6xf32>, vector<4xf32>
      vector.maskedstore %m[%c1, %c0], %k, %z : memref<2x6xf32>, vector<4xi1>, vector<4xf32>
      return %v, %w : vector<4xf32>, vector<4xf32>"""
    memory, mask = numbered(2, 6), np.array([True, False, False, True])
    whole, masked = run(signature, body, "(vector<4xf32>, vector<4xf32>)", memory, 2, mask, np.full(4, 7, np.float32))
    assert whole.tolist() == [2, 3, 4, 5]
    assert masked.tolist() == [2, 7, 7, 5]
    assert memory[1].tolist() == [7, 7, 2, 7, 4, 5]


def test_masked_off_elements_may_be_outside() -> None:
    signature = "%m: memref<3xf32>, %i: index, %k: vector<4xi1>, %z: vector<4xf32>"
    body = """
      %w = vector.maskedload %m[%i], %k, %z : memref<3xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
      return %w : vector<4xf32>"""
    mask, other = np.array([True, True, False, False]), np.full(4, 7, np.float32)
    (found,) = run(signature, body, "vector<4xf32>", numbered(3), 1, mask, other)
    assert found.tolist() == [1, 2, 7, 7]
    with pytest.raises(
        EvaluationError, match=r"reads element \[3\] of %m out of bounds: index 3 of dimension 0, whose extent is 3"
    ):
        run(signature, body, "vector<4xf32>", numbered(3), 2, mask, other)


def test_a_masked_off_element_breaks_no_promise() -> None:
    body = """
      %v = vector.transfer_read %m[%i], %z, %k {in_bounds = [true]} : memref<3xf32>, vector<4xf32>
      return %v : vector<4xf32>"""
    signature, mask = "%m: memref<3xf32>, %i: index, %k: vector<4xi1>, %z: f32", np.array([True, True, False, False])
    (found,) = run(signature, body, "vector<4xf32>", numbered(3), 1, mask, 7.0)
    assert found.tolist() == [1, 2, 7, 7]
    with pytest.raises(EvaluationError, match=r"index 3 of dimension 0, whose extent is 3, but in_bounds\[0\] is true"):
        run(signature, body, "vector<4xf32>", numbered(3), 2, mask, 7.0)


def test_vector_elements_of_memrefs() -> None:
    body = """
      %x = memref.load %m[%i] : memref<3xvector<2xf32>>
      memref.store %x, %m[%c0] : memref<3xvector<2xf32>>
      return %x : vector<2xf32>"""
    memory = numbered(3, 2)
    (found,) = run("%m: memref<3xvector<2xf32>>, %i: index", body, "vector<2xf32>", memory, 2)
    assert found.tolist() == [4, 5]
    assert memory[0].tolist() == [4, 5]


UNDEFINED = [
    ("%x = memref.load %m[%i, %c0] : memref<3x4xf32>", 3, "'memref.load' op reads element [3, 0] of %m out of bounds"),
    ("%x = memref.load %m[%c0, %i] : memref<3x4xf32>", -1, "index -1 of dimension 1, whose extent is 4"),
    (
        "memref.store %z, %m[%c0, %i] : memref<3x4xf32>",
        4,
        "'memref.store' op writes element [0, 4] of %m out of bounds: index 4 of dimension 1",
    ),
    (
        "%v = vector.transfer_read %m[%i, %c0], %z : memref<3x4xf32>, vector<4xf32>",
        3,
        "index 3 of dimension 0, whose extent is 3, but no dimension of the vector runs along it",
    ),
    (
        "%v = vector.transfer_read %m[%c0, %i], %z {in_bounds = [true]} : memref<3x4xf32>, vector<4xf32>",
        1,
        "index 4 of dimension 1, whose extent is 4, but in_bounds[0] is true",
    ),
    (
        "%v = vector.load %m[%c0, %i] : memref<3x4xf32>, vector<4xf32>",
        1,
        "indices 1 to 4 of dimension 1, whose extent is 4",
    ),
    (
        "%w = memref.subview %m[%i, 0][2, 4][1, 1] : memref<3x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>",
        2,
        "leaves its source in dimension 0, at index: 3",
    ),
    (
        "%w = memref.subview %m[0, 0][2, 2][1, %i] : memref<3x4xf32> to memref<2x2xf32, strided<[4, ?]>>",
        0,
        "needs a positive stride along dimension 1, found: 0",
    ),
    ("%x = memref.dim %m, %i : memref<3x4xf32>", 2, "of rank 2 has no dimension: 2"),
    ("%w = memref.alloc(%i) : memref<?xf32>", -1, "has a negative size: -1"),
    ("%w = memref.view %b[%i][] : memref<16xi8> to memref<4xf32>", 1, "ends after its buffer, at byte: 17"),
    ("%w = memref.cast %d : memref<?xf32> to memref<4xf32>", 0, "states 4 as extent 0, but it is: 3"),
    (
        "%a = memref.alloc() : memref<4xf32>\n%x = memref.load %a[%i] : memref<4xf32>",
        1,
        "reads element [1] of %a (private memory), which nobody has written",
    ),
    (
        "%a = memref.alloc() : memref<4xf32>\nmemref.store %z, %a[%c0] : memref<4xf32>\n"
        "%x = vector.transfer_read %a[%c0], %z : memref<4xf32>, vector<2xf32>",
        0,
        "reads element [1] of %a (private memory), which nobody has written",
    ),
    ("scf.for %k = %c0 to %c0 step %i {\n}", 0, "has step 0, it must be positive"),
    ("%x = gpu.thread_id x", 0, "has no value here"),
]


@pytest.mark.parametrize(("line", "index", "message"), UNDEFINED)
def test_undefined_accesses_name_operation_place_and_extent(line: str, index: int, message: str) -> None:
    op = function("%m: memref<3x4xf32>, %i: index, %z: f32, %b: memref<16xi8>, %d: memref<?xf32>", f"{line}\nreturn")
    with pytest.raises(EvaluationError) as error:
        evaluate(op, numbered(3, 4), index, 0.0, np.zeros(16, np.int8), numbered(3))
    assert message in str(error.value)
    assert "<string>:" in str(error.value)
    assert isinstance(error.value, LanewiseError)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (numbered(3, 5), "expected memref<?x4xf32>, found an array of shape [3, 5]"),
        (numbered(3), "found an array of shape [3]"),
        (numbered(3, 4, dtype=np.float64), "found an array of elements of float64"),
        (np.asfortranarray(numbered(3, 4)), "found an array of strides [1, 3]"),
    ],
)
def test_arguments_must_fit_their_type(argument: Any, message: str) -> None:
    op = function("%m: memref<?x4xf32>", "return")
    with pytest.raises(EvaluationError) as error:
        evaluate(op, argument)
    assert message in str(error.value)
    assert "argument 0 of '@f'" in str(error.value)


def test_strided_arguments() -> None:
    op = function(
        "%m: memref<3x2xf32, strided<[8, 2], offset: ?>>",
        "%x = memref.load %m[%c0, %c0] : memref<3x2xf32, strided<[8, 2], offset: ?>>\nreturn %x : f32",
        "f32",
    )
    assert evaluate(op, numbered(3, 8)[:, 1:5:2]) == [1]


def test_number_of_arguments_and_vector_shapes() -> None:
    op = function("%v: vector<4xf32>", "return %v : vector<4xf32>", "vector<4xf32>")
    with pytest.raises(EvaluationError, match=r"'@f' takes 1 arguments, found 0"):
        evaluate(op)
    with pytest.raises(EvaluationError, match=r"expected vector<4xf32>, found an array of shape \[3\]"):
        evaluate(op, numbered(3))


def test_operations_without_a_meaning_here() -> None:
    op = function("%v: vector<4xf32>", "call @f(%v) : (vector<4xf32>) -> ()\nreturn")
    with pytest.raises(EvaluationError, match=r"'func\.call' op has no meaning"):
        evaluate(op, numbered(4))
