"""vector: what operations compute, against worked numbers and against loops written out here."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.core import Operation
from lanewise.ir.dialects.vector import CombiningKindAttr, ContractionOp, MultiReductionOp
from lanewise.ir.numerics import dtype_of
from lanewise.ir.parser import parse_program
from lanewise.ir.types import BF16, F16, F32, I1, I8, I32, FloatType, IntegerType
from lanewise.ir.verify import verify
from numpy.typing import NDArray

Array = NDArray[Any]


def operation(arguments: str, line: str, prefix: str = "") -> Operation:
    """The first operation of a verified program."""
    program = parse_program(f"{prefix}\nfunc.func @f({arguments}) {{\n{line}\nreturn\n}}")
    verify(program)
    return program.body.operations[0].body.operations[0]


def run(arguments: str, line: str, *operands: Any, prefix: str = "") -> Any:
    return operation(arguments, line, prefix).reference(*operands)


def f32(*values: Any) -> Array:
    return np.array(values, np.float32)


# -- shapes ------------------------------------------------------------------------------------------------------


def test_broadcast_duplicates_leading_dims_and_stretches_ones() -> None:
    line = "%0 = vector.broadcast %v : vector<2x1xf32> to vector<3x2x2xf32>"
    result = run("%v: vector<2x1xf32>", line, f32([1], [2]))
    assert result.tolist() == [[[1, 1], [2, 2]]] * 3


def test_broadcast_of_a_scalar() -> None:
    result = run("%s: i1", "%0 = vector.broadcast %s : i1 to vector<2x2xi1>", np.array(True))
    assert result.dtype == np.bool_ and result.tolist() == [[True, True]] * 2


def test_transpose_takes_result_dim_i_from_source_dim_p_i() -> None:
    line = "%0 = vector.transpose %v, [2, 0, 1] : vector<2x3x4xi32> to vector<4x2x3xi32>"
    source = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    result = run("%v: vector<2x3x4xi32>", line, source)
    assert all(result[c, a, b] == source[a, b, c] for a, b, c in np.ndindex(2, 3, 4))


def test_shape_cast_is_row_major() -> None:
    line = "%0 = vector.shape_cast %v : vector<2x6xi8> to vector<3x4xi8>"
    result = run("%v: vector<2x6xi8>", line, np.arange(12, dtype=np.int8).reshape(2, 6))
    assert result.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_shape_cast_of_a_tuple_casts_each_part() -> None:
    types = "tuple<vector<4xi8>, vector<6xi8>>", "tuple<vector<2x2xi8>, vector<3x2xi8>>"
    parts = np.arange(4, dtype=np.int8), np.arange(6, dtype=np.int8)
    first, second = run(f"%t: {types[0]}", f"%0 = vector.shape_cast %t : {types[0]} to {types[1]}", parts)
    assert first.tolist() == [[0, 1], [2, 3]] and second.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_step() -> None:
    result = run("", "%0 = vector.step : vector<4xindex>")
    assert result.dtype == np.int64 and result.tolist() == [0, 1, 2, 3]


def test_fma_rounds_once() -> None:
    a, c = f32(4097), f32(-16785408)
    result = run("%v: vector<1xf32>", "%0 = vector.fma %v, %v, %v : vector<1xf32>", a, a, c)
    assert result.tolist() == [1.0] and (a * a + c).tolist() == [0.0]


# -- elements ----------------------------------------------------------------------------------------------------


@given(st.data())
def test_extract_and_insert_at_any_position(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    position = tuple(data.draw(st.integers(0, n - 1)) for n in shape[: data.draw(st.integers(0, len(shape)))])
    dynamic = [data.draw(st.booleans()) for _ in position]
    text = "".join(f"{n}x" for n in shape)
    rest = "".join(f"{n}x" for n in shape[len(position) :])
    part = f"vector<{rest}i32>" if rest else "i32"
    place = ", ".join("%i" if d else str(p) for p, d in zip(position, dynamic, strict=True))
    whole, given_now = f"vector<{text}i32>", [np.array(p) for p, d in zip(position, dynamic, strict=True) if d]
    source = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)

    taken = run(f"%v: {whole}, %i: index", f"%0 = vector.extract %v[{place}] : {part} from {whole}", source, *given_now)
    assert np.array_equal(taken, source[position]) and taken.dtype == np.int32

    put = run(
        f"%p: {part}, %v: {whole}, %i: index",
        f"%0 = vector.insert %p, %v[{place}] : {part} into {whole}",
        -taken,
        source,
        *given_now,
    )
    changed = np.argwhere(put != source)
    assert put[position].tolist() == (-source[position]).tolist()
    assert all(tuple(c[: len(position)]) == position for c in changed)
    assert source[position].tolist() == taken.tolist(), "the destination operand is unchanged"


def test_from_and_to_elements_are_inverse_and_row_major() -> None:
    scalars = [np.array(v, np.float32) for v in (1, 2, 3, 4, 5, 6)]
    made = run("%s: f32", "%0 = vector.from_elements %s, %s, %s, %s, %s, %s : vector<2x3xf32>", *scalars)
    assert made.tolist() == [[1, 2, 3], [4, 5, 6]] and made.dtype == np.float32
    taken = run("%v: vector<2x3xf32>", "%0:6 = vector.to_elements %v : vector<2x3xf32>", made)
    assert [t.item() for t in taken] == [1, 2, 3, 4, 5, 6]


PER_THREAD: list[tuple[str, str, list[Array]]] = [
    ("%s: f32", "%0 = vector.broadcast %s : f32 to vector<2x3xf32>", [np.arange(5, dtype=np.float32)]),
    (
        "%v: vector<2x3xf32>",
        "%0 = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>",
        [np.arange(30, dtype=np.float32).reshape(5, 2, 3)],
    ),
    (
        "%v: vector<2x3xf32>",
        "%0 = vector.shape_cast %v : vector<2x3xf32> to vector<6xf32>",
        [np.arange(30, dtype=np.float32).reshape(5, 2, 3)],
    ),
    (
        "%v: vector<2x3xf32>, %i: index",
        "%0 = vector.extract %v[%i] : vector<3xf32> from vector<2x3xf32>",
        [np.arange(30, dtype=np.float32).reshape(5, 2, 3), np.array([0, 1, 1, 0, 1])],
    ),
    (
        "%s: f32, %v: vector<2x3xf32>, %i: index",
        "%0 = vector.insert %s, %v[1, %i] : f32 into vector<2x3xf32>",
        [np.arange(5, dtype=np.float32), np.zeros((5, 2, 3), np.float32), np.array([0, 1, 2, 0, 1])],
    ),
    (
        "%s: f32",
        "%0 = vector.from_elements %s, %s : vector<2x1xf32>",
        [np.arange(5, dtype=np.float32), np.arange(5, dtype=np.float32) + 10],
    ),
]


@pytest.mark.parametrize(("arguments", "line", "operands"), PER_THREAD, ids=[line for _, line, _ in PER_THREAD])
def test_a_leading_axis_of_threads_stays(arguments: str, line: str, operands: list[Array]) -> None:
    op = operation(arguments, line)
    together = op.reference(*operands)
    one_by_one = np.stack([op.reference(*(o[t] for o in operands)) for t in range(5)])
    assert np.array_equal(together, one_by_one)


# -- masks -------------------------------------------------------------------------------------------------------


def test_constant_mask_of_the_document() -> None:
    result = run("", "%0 = vector.constant_mask [3, 2] : vector<4x3xi1>")
    assert result.astype(int).tolist() == [[1, 1, 0], [1, 1, 0], [1, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(("bounds", "expected"), [((9, -2), [[0, 0, 0]] * 2), ((9, 2), [[1, 1, 0]] * 2)])
def test_create_mask_clamps(bounds: tuple[int, int], expected: list[list[int]]) -> None:
    line = "%0 = vector.create_mask %i, %i : vector<2x3xi1>"
    result = run("%i: index", line, *(np.array(b) for b in bounds))
    assert result.dtype == np.bool_ and result.astype(int).tolist() == expected


@pytest.mark.parametrize("bound", [-1, 0, 1, 5])
def test_masks_of_rank_0(bound: int) -> None:
    assert bool(run("%i: index", "%0 = vector.create_mask %i : vector<i1>", np.array(bound))) == (bound > 0)
    if bound in (0, 1):
        assert bool(run("", f"%0 = vector.constant_mask [{bound}] : vector<i1>")) == (bound > 0)


# -- reductions --------------------------------------------------------------------------------------------------

I32_CASES = {"maxsi": 7, "maxui": -1, "minsi": -1, "minui": 2, "and": 0, "or": -1, "add": 13, "mul": -70}
NEUTRAL = {
    "maxsi": -(2**31),
    "maxui": 0,
    "minsi": 2**31 - 1,
    "minui": -1,
    "and": -1,
    "or": 0,
    "add": 0,
    "mul": 1,
    "xor": 0,
}


@pytest.mark.parametrize(("kind", "expected"), I32_CASES.items())
def test_integer_reductions(kind: str, expected: int) -> None:
    line = f"%0 = vector.multi_reduction <{kind}>, %v, %a [0] : vector<4xi32> to i32"
    result = run(
        "%v: vector<4xi32>, %a: i32", line, np.array([-1, 5, 7, 2], np.int32), np.array(NEUTRAL[kind], np.int32)
    )
    assert result.dtype == np.int32 and result.item() == expected


@pytest.mark.parametrize("kind", [*NEUTRAL, "minnumf", "maxnumf", "minimumf", "maximumf"])
@pytest.mark.parametrize("element", [I1, I8, I32, F16, BF16, F32], ids=str)
def test_the_identity_changes_nothing(kind: str, element: IntegerType | FloatType) -> None:
    attr = CombiningKindAttr(kind)
    if not attr.applies_to(element):
        return
    dtype = dtype_of(element)
    small = [False, True] if element == I1 else [-3, -1, 0, 2, 100]
    if isinstance(element, FloatType):
        small = [-0.0, 0.0, -3.5, math.inf, -math.inf]
    values = np.array(small).astype(dtype)
    neutral = np.full_like(values, np.array(attr.identity(element)).astype(dtype))
    for joined in (attr.combine(values, neutral), attr.combine(neutral, values)):
        assert joined.dtype == dtype and joined.tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("kind", "expected"), [("maximumf", math.nan), ("maxnumf", 3.0), ("minimumf", math.nan), ("minnumf", 1.0)]
)
def test_only_maximum_and_minimum_propagate_nan(kind: str, expected: float) -> None:
    line = f"%0 = vector.multi_reduction <{kind}>, %v, %a [0] : vector<3xf32> to f32"
    result = run("%v: vector<3xf32>, %a: f32", line, f32(1, math.nan, 3), np.float32(2))
    assert np.array_equal(result, np.float32(expected), equal_nan=True)


def test_float_sums_round_once() -> None:
    line = "%0 = vector.multi_reduction <add>, %v, %a [0] : vector<4096xf16> to f16"
    ones = np.ones(4096, np.float16)
    assert run("%v: vector<4096xf16>, %a: f16", line, ones, np.float16(1)).item() == 4096.0  # 4097 is not an f16
    line = "%0 = vector.multi_reduction <add>, %v, %a [0] : vector<3xbf16> to bf16"
    tie = np.array([1, 2**-8, 2**-40], ml_dtypes.bfloat16)
    exact_is_above_the_tie = run("%v: vector<3xbf16>, %a: bf16", line, tie, np.array(0, ml_dtypes.bfloat16))
    assert float(exact_is_above_the_tie) == 1 + 2**-7


def test_f64_sums_go_in_row_major_order_and_take_the_accumulator_last() -> None:
    line = "%0 = vector.multi_reduction <add>, %v, %a [0, 1] : vector<3x5xf64> to f64"
    values = np.array([1e16, 1.0, -1e16, 3.0, 1e-3] * 3).reshape(3, 5)
    total = values[0, 0]
    for value in values.flat[1:]:
        total += value
    assert run("%v: vector<3x5xf64>, %a: f64", line, values, np.float64(0.1)).item() == total + 0.1


@given(st.data())
def test_integer_sums_over_any_dims_wrap(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    dims = data.draw(st.permutations(range(len(shape))))[: data.draw(st.integers(0, len(shape)))]
    kept = [n for i, n in enumerate(shape) if i not in dims]
    seed = data.draw(st.integers(0, 2**32 - 1))
    source = np.random.default_rng(seed).integers(-128, 128, shape, np.int8)
    source_type = f"vector<{''.join(f'{n}x' for n in shape)}i8>"
    dest = f"vector<{''.join(f'{n}x' for n in kept)}i8>" if kept else "i8"
    acc = np.full(kept, 7, np.int8)
    line = f"%0 = vector.multi_reduction <add>, %v, %a {list(dims)} : {source_type} to {dest}"
    result = run(f"%v: {source_type}, %a: {dest}", line, source, acc)
    exact = source.astype(np.int64).sum(axis=tuple(dims))
    wrapped = ((exact + 7 + 128) % 256 - 128).astype(np.int8)
    assert result.dtype == np.int8 and np.array_equal(result, wrapped)


# -- contractions ------------------------------------------------------------------------------------------------

DOT = """#t = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
  iterator_types = ["reduction"]}"""
MATMUL_MAPS = """[affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]"""
BATCH = """#t = {indexing_maps = [affine_map<(b0, f0, f1, c0, c1) -> (c0, b0, c1, f0)>,
    affine_map<(b0, f0, f1, c0, c1) -> (b0, c1, c0, f1)>, affine_map<(b0, f0, f1, c0, c1) -> (b0, f0, f1)>],
  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}"""


def matmul(
    lhs: Array, rhs: Array, acc: Array, *masks: Array, kind: str = "add", element: str = "f32", into: str = ""
) -> Any:
    (m, k), n = lhs.shape, rhs.shape[1]
    types = [f"vector<{m}x{k}x{element}>", f"vector<{k}x{n}x{element}>", f"vector<{m}x{n}x{into or element}>"]
    arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate([*types, f"vector<{m}x{k}xi1>", f"vector<{k}x{n}xi1>"]))
    names = ", ".join(f"%{i}" for i in range(3 + len(masks)))
    line = f"%5 = vector.contract #t {names} : {types[0]}, {types[1]} into {types[2]}"
    prefix = f"#t = {{indexing_maps = {MATMUL_MAPS}, kind = #vector.kind<{kind}>}}"
    return run(arguments, line, lhs, rhs, acc, *masks, prefix=prefix)


def test_dot_product_of_the_document() -> None:
    line = "%0 = vector.contract #t %v, %v, %a : vector<10xf32>, vector<10xf32> into f32"
    ten = np.arange(1, 11, dtype=np.float32)
    result = run("%v: vector<10xf32>, %a: f32", line, ten, ten, np.float32(0.5), prefix=DOT)
    assert result.dtype == np.float32 and result.item() == 385.5


@pytest.mark.parametrize(("kind", "expected"), [("add", [[32, 38], [59, 74]]), ("maxnumf", [[15, 18], [30, 36]])])
def test_matrix_product(kind: str, expected: list[list[int]]) -> None:
    lhs, rhs = np.arange(1, 7, dtype=np.float32).reshape(2, 3), np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    assert matmul(lhs, rhs, np.full((2, 2), 10, np.float32), kind=kind).tolist() == expected


def test_batch_maps_of_the_document() -> None:
    line = "%0 = vector.contract #t %l, %r, %a : vector<2x2x2x2xf32>, vector<2x2x2x1xf32> into vector<2x2x1xf32>"
    arguments = "%l: vector<2x2x2x2xf32>, %r: vector<2x2x2x1xf32>, %a: vector<2x2x1xf32>"
    lhs = np.arange(1, 17, dtype=np.float32).reshape(2, 2, 2, 2)
    rhs = np.arange(1, 9, dtype=np.float32).reshape(2, 2, 2, 1)
    result = run(arguments, line, lhs, rhs, np.zeros((2, 2, 1), np.float32), prefix=BATCH)
    assert result.tolist() == [[[72], [82]], [[272], [298]]]


REDUCE: dict[str, Callable[[list[float]], float]] = {
    "add": math.fsum,
    "mul": math.prod,
    "maximumf": max,
    "minnumf": min,
}


@pytest.mark.parametrize("kind", REDUCE)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_contraction_is_the_loop_over_its_products(kind: str, masked: bool, element: str) -> None:
    rng = np.random.default_rng(1)
    lhs, rhs, acc = (rng.integers(-3, 4, s).astype(element.replace("f", "float")) for s in ((4, 5), (5, 3), (4, 3)))
    on = (rng.random((4, 5)) < 0.6, rng.random((5, 3)) < 0.6)
    on[0][1] = False
    result = matmul(lhs, rhs, acc, *(on if masked else ()), kind=kind, element=element)
    for i, j in itertools.product(range(4), range(3)):
        products = [float(lhs[i, k] * rhs[k, j]) for k in range(5) if not masked or (on[0][i, k] and on[1][k, j])]
        assert result[i, j] == REDUCE[kind]([*products, float(acc[i, j])])


def test_a_masked_product_contributes_nothing_even_if_it_is_not_finite() -> None:
    lhs, rhs = f32([1, math.inf]), f32([2], [0])
    mask = np.array([[True, False]])
    result = matmul(lhs, rhs, f32([5]), mask, np.ones((2, 1), np.bool_))
    assert result.tolist() == [[7]]


def test_operands_are_extended_to_the_accumulator_first() -> None:
    lhs, rhs = np.full((1, 4), -128, np.int8), np.full((4, 1), 127, np.int8)
    assert matmul(lhs, rhs, np.array([[1]], np.int32), element="i8", into="i32").tolist() == [[4 * -128 * 127 + 1]]
    wide = np.full((1, 2), 60000, np.float16), np.full((2, 1), 60000, np.float16)
    result = matmul(*wide, f32([0]), element="f16", into="f32")
    assert result.item() == np.float32(2 * float(np.float16(60000)) ** 2)


def test_integer_contractions_wrap() -> None:
    lhs, rhs = np.full((1, 3), 100, np.int8), np.full((3, 1), 5, np.int8)
    assert matmul(lhs, rhs, np.zeros((1, 1), np.int8), element="i8").item() == (1500 + 128) % 256 - 128


def test_i1_sums_are_parity() -> None:
    lhs, rhs = np.ones((1, 3), np.bool_), np.ones((3, 1), np.bool_)
    assert matmul(lhs, rhs, np.zeros((1, 1), np.bool_), element="i1").item() is True


def test_half_precision_matrix_product_is_the_exact_sum_rounded_once() -> None:
    rng = np.random.default_rng(2)
    lhs, rhs = rng.standard_normal((16, 64)).astype(np.float16), rng.standard_normal((64, 8)).astype(np.float16)
    acc = rng.standard_normal((16, 8)).astype(np.float32)
    result = matmul(lhs, rhs, acc, element="f16", into="f32")
    exact = [
        [
            math.fsum([*(float(a) * float(b) for a, b in zip(lhs[i], rhs[:, j], strict=True)), float(acc[i, j])])
            for j in range(8)
        ]
        for i in range(16)
    ]
    assert result.dtype == np.float32
    assert np.abs(result - np.array(exact)).max() <= np.spacing(np.abs(result).max()) / 2 + 1e-12


def test_contraction_answers_for_the_layers_above() -> None:
    line = "%0 = vector.contract #t %l, %r, %a : vector<2x2x2x2xf32>, vector<2x2x2x1xf32> into vector<2x2x1xf32>"
    op = operation("%l: vector<2x2x2x2xf32>, %r: vector<2x2x2x1xf32>, %a: vector<2x2x1xf32>", line, BATCH)
    assert isinstance(op, ContractionOp)
    assert op.iterators == ("parallel",) * 3 + ("reduction",) * 2
    assert op.iterator_dims == ((3, 0, 4, 1), (0, 4, 3, 2), (0, 1, 2))
    assert op.iterator_extents == (2, 2, 1, 2, 2)
    assert str(op.maps[1]) == "(d0, d1, d2, d3, d4) -> (d0, d4, d3, d2)"
    assert op.kind.value == "add"


def test_multi_reduction_answers_for_the_layers_above() -> None:
    line = "%0 = vector.multi_reduction <add>, %v, %a [2, 0] : vector<2x3x4xf32> to vector<3xf32>"
    op = operation("%v: vector<2x3x4xf32>, %a: vector<3xf32>", line)
    assert isinstance(op, MultiReductionOp)
    assert op.reduction_dims == (2, 0) and op.kept_dims == (1,)
