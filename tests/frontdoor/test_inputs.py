"""Generated arguments: shapes, element types, determinism, and located errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.check.inputs import GENERATORS, exact_integers, fill, make_inputs, special_values
from lanewise.check.inputs_grammar import InputsError, read_inputs
from lanewise.jit.signature import BufferParameter, ScalarParameter, SignatureParameter

I8, F32, F16, I32, BOOL = (np.dtype(t) for t in (np.int8, np.float32, np.float16, np.int32, np.bool_))
BF16 = np.dtype(ml_dtypes.bfloat16)


def buffer(dtype: np.dtype[Any], *shape: int | None, **rest: Any) -> BufferParameter:
    return BufferParameter("x", dtype, shape, **rest)


def make(text: str, *signature: SignatureParameter, **options: Any) -> Any:
    return make_inputs(read_inputs(text), signature, **options)


def one(text: str, parameter: SignatureParameter, **options: Any) -> Any:
    return make(text, parameter, **options).arguments[0]


def test_arrays_numbers_and_grid() -> None:
    signature = (buffer(F32, None, 8), ScalarParameter("n", np.dtype(np.int64)), ScalarParameter("eps", F32))
    inputs = make("M=3: normal(M, 8), M * 2, 1e-5; grid = (ceildiv(M, 2), M)", *signature)
    x, n, eps = inputs.arguments
    assert (x.dtype, x.shape, n, eps, inputs.grid) == (F32, (3, 8), 6, 1e-5, (2, 3, 1))


def test_a_size_that_is_set_replaces_the_written_one_and_what_follows_from_it() -> None:
    inputs = make("M=3, N=M+1: zeros(M, N); grid = N", buffer(F32, None, None), sizes={"M": 10})
    assert inputs.arguments[0].shape == (10, 11)
    assert inputs.grid == (11, 1, 1)


def test_extents_may_be_left_out_where_the_type_has_them() -> None:
    assert one("ones()", buffer(F16, 4, 2)).shape == (4, 2)


@pytest.mark.parametrize("name", ["normal", "uniform", "special"])
def test_one_seed_is_one_array_and_arguments_have_their_own_streams(name: str) -> None:
    parameter = buffer(F32, 64)
    first, again = (one(f"{name}()", parameter, seed=5) for _ in range(2))
    assert np.array_equal(first.view(np.uint32), again.view(np.uint32))
    assert not np.array_equal(first, one(f"{name}()", parameter, seed=6))
    both = make(f"{name}(), {name}()", parameter, parameter, seed=5).arguments
    assert np.array_equal(both[0].view(np.uint32), first.view(np.uint32))
    assert not np.array_equal(both[0], both[1])


@pytest.mark.parametrize("dtype", [F32, F16, BF16, np.dtype(np.float64), np.dtype(ml_dtypes.float8_e4m3fn)])
def test_small_integers_are_exact_in_every_float(dtype: np.dtype[Any]) -> None:
    values = one("integers(-3, 3, 1000)", buffer(dtype, None)).astype(np.float64)
    assert set(values) == {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}


def test_integers_reach_both_ends_of_their_type() -> None:
    values = one("integers(-128, 127, 20000)", buffer(I8, None))
    assert (values.min(), values.max()) == (-128, 127) and len(np.unique(values)) == 256
    assert one("full(2, value=-128)", buffer(I8, None)).tolist() == [-128, -128]
    assert one("integers(0, 255, 5000)", buffer(np.dtype(np.uint8), None)).max() == 255


def test_the_index_is_linear_and_wraps_where_the_type_ends() -> None:
    assert one("index()", buffer(F32, 3, 4)).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert exact_integers(BF16) == 256
    assert one("index(300)", buffer(BF16, None)).astype(np.int64)[255:259].tolist() == [255, 256, 0, 1]
    assert one("index(130)", buffer(np.dtype(np.int8), None))[127:].tolist() == [127, 0, 1]
    assert one("index(3)", buffer(np.dtype(np.int64), None)).tolist() == [0, 1, 2]


def test_normal_and_uniform_have_their_moments() -> None:
    x = one("normal(10000, mean=2, scale=3)", buffer(F32, None))
    assert abs(x.mean() - 2) < 0.2 and abs(x.std() - 3) < 0.2
    u = one("uniform(10000, low=-1, high=3)", buffer(F32, None))
    assert u.min() >= -1 and u.max() < 3 and abs(u.mean() - 1) < 0.1


@pytest.mark.parametrize("dtype", [F32, F16, BF16])
def test_special_data_have_every_special_value(dtype: np.dtype[Any]) -> None:
    x = one("special(40)", buffer(dtype, None)).astype(np.float64)
    tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)
    assert np.isnan(x).any() and np.isposinf(x).any() and np.isneginf(x).any()
    assert tiny in x and -tiny in x and float(ml_dtypes.finfo(dtype).max) in x
    assert {bool(s) for s in np.signbit(x[x == 0])} == {True, False}
    assert special_values(I32).min() == -(2**31)


@pytest.mark.parametrize(("data", "expected"), [("exact", {-3, 3}), ("index", {0, 99})])
def test_random_data_can_be_replaced(data: str, expected: set[int]) -> None:
    x = one("normal(100)", buffer(F32, None), data=data)
    assert {x.min(), x.max()} == expected
    assert (one("full(100, value=5)", buffer(F32, None), data=data) == 5).all()


def test_exact_data_keep_integers_that_may_be_places() -> None:
    assert one("integers(0, 9, 100)", buffer(I32, None), data="exact").min() >= 0
    assert one("integers(0, 9, 100)", buffer(F32, None), data="exact").min() == -3


def test_fill_is_no_number() -> None:
    for dtype in (F32, F16, BF16):
        x = one("empty(4)", buffer(dtype, None))
        assert np.isnan(x.astype(np.float32)).all()
    ints = np.zeros(2, np.int32)
    fill(ints)
    assert ints.view(np.uint32)[0] == 0xA5A5A5A5


def test_strides_of_the_parameter_are_kept() -> None:
    x = one("index(2, 3)", buffer(F32, None, 3, strides=(8, 1)))
    assert (x.strides, x.tolist()) == ((32, 4), [[0, 1, 2], [3, 4, 5]])
    transposed = one("index(2, 3)", buffer(F32, None, None, strides=(1, 2)))
    assert transposed.strides == (4, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zeros(3), 1", "takes 1 argument \\(x\\), found 2"),
        ("zeros(3)", r"is an array float32\[\?, 8\], found extents \[3\]"),
        ("zeros(3, 7)", r"found extents \[3, 7\]"),
        ("zeros(3, -8)", "an extent must be an integer >= 0, found -8"),
        ("zeros(3, 8.0)", "must be an integer"),
        ("5", "found a number"),
        ("M=1: M", "found 'M'"),
        ("random(3, 8)", "found 'random\\(...\\)'"),
        ("zeros(3, 8, value=1)", "'value' is none of its options; its options are: none"),
        ("integers(0, 3, 3, 8, low=1)", "'low' is given twice; its options are: none"),
        ("full(3, 8, vale=1)", "hint: did you mean value?"),
        ("zeroes(3, 8)", "hint: did you mean zeros?"),
        ("ROWS=3: zeros(ROW, 8)", "unknown size 'ROW'; known: ROWS\n(.*\n)*hint: did you mean ROWS?"),
        ("zeros(celdiv(3, 1), 8)", "hint: did you mean ceildiv?"),
        ("M = 3, x = zeros(M, 8)", "hint: sizes end with ':', as in 'M = ..: x = ..'"),
        ("x = zeros(3, 8), grid = 2", "hint: the grid stands behind ';'"),
        ("x = zeros(6 / 2, 8)", r"unexpected character '/'\n(.*\n)*hint: a // b divides and rounds down, ceildiv"),
        (": M = 3: x = zeros(M, 8)", "expected ',' or ';', found ':'\n(.*\n)*hint: sizes stand before ':'"),
        ("M = 3; x = zeros(M, 8)", "hint: sizes stand before ':', arguments behind it"),
        ("integers(3, 1, 3, 8)", "low <= high"),
        ("zeros(1000000000, 8)", "exceeds"),
        ("y = zeros(3, 8)", "argument 'x' of the kernel stands here, found 'y'"),
        ("zeros(3, 8); grid = 0 - 1", "extent of the grid must be an integer >= 0"),
    ],
)
def test_what_does_not_fit_is_located(text: str, message: str) -> None:
    with pytest.raises(InputsError, match=message) as caught:
        make(text, buffer(F32, None, 8))
    assert "^" in str(caught.value)


def test_all_wrong_names_are_told_at_once() -> None:
    signature = [replace(buffer(F32, None), name=name) for name in ("query", "key", "value")]
    with pytest.raises(InputsError) as caught:
        make("k = zeros(3), key = zeros(3), v = zeros(3)", *signature)
    assert [(d.message, d.hint) for d in caught.value.diagnostics] == [
        ("argument 'query' of the kernel stands here, found 'k'", ""),
        (
            "argument 'value' of the kernel stands here, found 'v'",
            "the kernel's arguments, in this order: query, key, value",
        ),
    ]


def test_the_argument_that_is_missing_is_named() -> None:
    with pytest.raises(InputsError, match=r"found 1\n(.*\n)*hint: one for each, in this order: x is missing"):
        make("y = zeros(3)", buffer(F32, None), replace(buffer(F32, None), name="y"))


def test_uniform_data_between_ends_whose_distance_is_too_large() -> None:
    for dtype, end in ((BF16, 3e38), (F32, 3e38), (np.dtype(np.float64), 1.7e308)):
        x = one(f"uniform(1000, low=-{end}, high={end})", buffer(dtype, None)).astype(np.float64)
        assert np.isfinite(x).all() and -1.01 * end < x.min() < -0.9 * end and 0.9 * end < x.max() < 1.01 * end


def test_what_the_element_type_refuses() -> None:
    for text, dtype, message in [
        ("normal(3)", I32, "makes floats"),
        ("integers(0, 999, 3)", BF16, "from -256 to 256"),
        ("integers(-129, 0, 3)", I8, "from -128 to 127, found -129 to 0"),
        ("full(3, value=-129)", I8, "cannot hold -129"),
        ("full(3, value=2)", BOOL, "cannot hold 2"),
        ("full(3, value=1.5)", I32, "cannot hold"),
    ]:
        with pytest.raises(InputsError, match=message):
            one(text, buffer(dtype, None))
    for text, dtype, message in [("1.5", I32, "is an integer"), ("2", BOOL, "is 0 or 1")]:
        with pytest.raises(InputsError, match=message):
            one(text, ScalarParameter("n", dtype))
    with pytest.raises(InputsError, match="no size 'Q' to set; the sizes are: M"):
        make("M=1: zeros(M)", buffer(F32, None), sizes={"Q": 1})


def test_every_generator_makes_every_shape() -> None:
    for name in GENERATORS:
        leading = "0, 1, " if name == "integers" else ""
        for extents in ("0", "1", "7"):
            assert one(f"{name}({leading}{extents})", buffer(F32, None)).shape == (int(extents),)
