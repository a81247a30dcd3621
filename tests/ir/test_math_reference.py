"""What math's operations compute: exact cases, distance to Python's float64 functions, and special values."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir import numerics
from lanewise.ir.core import Block, Operation
from lanewise.ir.dialects import affine
from lanewise.ir.dialects import math as math_ops
from lanewise.ir.parser import parse_program
from lanewise.ir.types import BF16, F16, F32, F64, I1, I8, I32, I64, Type

NAN, INF = math.nan, math.inf


def run(cls: type[Operation], type: Type, *operands: Any, result: Type | None = None) -> Any:
    block = Block([type] * len(operands))
    op = cls(block.arguments, [result or type])
    return op.reference(*operands)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


SAMPLED: list[tuple[type[Operation], Callable[[float], float], tuple[float, float]]] = [
    (math_ops.ExpOp, math.exp, (-80, 80)),
    (math_ops.Exp2Op, math.exp2, (-120, 120)),
    (math_ops.ExpM1Op, math.expm1, (-10, 80)),
    (math_ops.LogOp, math.log, (1e-30, 1e30)),
    (math_ops.Log2Op, math.log2, (1e-30, 1e30)),
    (math_ops.Log10Op, math.log10, (1e-30, 1e30)),
    (math_ops.Log1pOp, math.log1p, (-0.99, 1e10)),
    (math_ops.SinOp, math.sin, (-1000, 1000)),
    (math_ops.CosOp, math.cos, (-1000, 1000)),
    (math_ops.TanOp, math.tan, (-10, 10)),
    (math_ops.AsinOp, math.asin, (-1, 1)),
    (math_ops.AcosOp, math.acos, (-1, 1)),
    (math_ops.AtanOp, math.atan, (-100, 100)),
    (math_ops.SinhOp, math.sinh, (-80, 80)),
    (math_ops.CoshOp, math.cosh, (-80, 80)),
    (math_ops.TanhOp, math.tanh, (-10, 10)),
    (math_ops.AsinhOp, math.asinh, (-1e10, 1e10)),
    (math_ops.AcoshOp, math.acosh, (1, 1e10)),
    (math_ops.AtanhOp, math.atanh, (-0.999, 0.999)),
    (math_ops.ErfOp, math.erf, (-4, 4)),
    (math_ops.ErfcOp, math.erfc, (-4, 9)),
    (math_ops.CbrtOp, lambda x: math.copysign(abs(x) ** (1 / 3), x), (-1e20, 1e20)),
    (math_ops.RsqrtOp, lambda x: 1 / math.sqrt(x), (1e-30, 1e30)),
    (math_ops.SqrtOp, math.sqrt, (0, 1e30)),
]


@pytest.mark.parametrize(("cls", "exact", "interval"), SAMPLED, ids=[cls.opname for cls, _, _ in SAMPLED])
def test_within_half_a_unit_in_the_last_place(
    cls: type[Operation], exact: Callable[[float], float], interval: tuple[float, float]
) -> None:
    points = np.linspace(*interval, 401).astype(np.float32)[1:-1]
    found = run(cls, F32, points)
    assert found.dtype == np.float32
    wanted = np.array([exact(float(x)) for x in points])
    assert (np.abs(found - wanted) <= 0.5001 * np.spacing(np.abs(found)).astype(np.float64)).all()
    wide = run(cls, F64, points.astype(np.float64))
    assert np.allclose(wide, wanted, rtol=1e-14, atol=0)


def test_exact_values() -> None:
    whole = np.arange(-100, 101, dtype=np.float32)
    assert (run(math_ops.Exp2Op, F32, whole) == np.ldexp(np.float32(1), whole.astype(int))).all()
    assert (run(math_ops.CbrtOp, F32, whole**3) == whole).all()
    assert (run(math_ops.SqrtOp, F32, whole**2) == np.abs(whole)).all()
    assert (run(math_ops.PowFOp, F32, f32(3, -2, 2), f32(4, 3, -2)) == [81, -8, 0.25]).all()


def test_rounding_to_integers() -> None:
    x = f32(-2.5, -1.5, -0.5, -0.0, 0.49999997, 0.5, 1.5, 2.5, 8388609.0)
    expected = {
        math_ops.RoundOp: [-3, -2, -1, -0.0, 0, 1, 2, 3, 8388609],
        math_ops.RoundEvenOp: [-2, -2, -0.0, -0.0, 0, 0, 2, 2, 8388609],
        math_ops.FloorOp: [-3, -2, -1, -0.0, 0, 0, 1, 2, 8388609],
        math_ops.CeilOp: [-2, -1, -0.0, -0.0, 1, 1, 2, 3, 8388609],
        math_ops.TruncOp: [-2, -1, -0.0, -0.0, 0, 0, 1, 2, 8388609],
    }
    for cls, values in expected.items():
        found = run(cls, F32, x)
        assert (found == values).all()
        assert (np.signbit(found) == np.signbit(f32(*values)) | ((found == 0) & (x < 0))).all()


def test_special_values() -> None:
    x = f32(NAN, INF, -INF, 0.0, -0.0)
    cases: dict[type[Operation], list[float]] = {
        math_ops.ExpOp: [NAN, INF, 0, 1, 1],
        math_ops.LogOp: [NAN, INF, NAN, -INF, -INF],
        math_ops.RsqrtOp: [NAN, 0, NAN, INF, -INF],
        math_ops.SqrtOp: [NAN, INF, NAN, 0, -0.0],
        math_ops.TanhOp: [NAN, 1, -1, 0, -0.0],
        math_ops.ErfOp: [NAN, 1, -1, 0, -0.0],
        math_ops.AbsFOp: [NAN, INF, INF, 0, 0],
        math_ops.SinOp: [NAN, NAN, NAN, 0, -0.0],
    }
    for cls, values in cases.items():
        found = run(cls, F32, x)
        np.testing.assert_array_equal(found, f32(*values), err_msg=cls.opname)
        zeros = found == 0
        assert (np.signbit(found)[zeros] == np.signbit(f32(*values))[zeros]).all(), cls.opname
    assert (run(math_ops.PowFOp, F32, f32(1, NAN), f32(NAN, 0)) == 1).all()
    assert (run(math_ops.ExpOp, F32, f32(89.0)) == INF).all()


def test_classification() -> None:
    x = f32(NAN, INF, -INF, 0.0, 1e-40, 1.17549435e-38, -2.0)
    rows = {
        math_ops.IsNaNOp: "1000000",
        math_ops.IsInfOp: "0110000",
        math_ops.IsFiniteOp: "0001111",
        math_ops.IsNormalOp: "0000011",
    }
    for cls, bits in rows.items():
        found = run(cls, F32, x, result=I1)
        assert found.dtype == np.bool_
        assert "".join(str(int(b)) for b in found) == bits
    tiny = np.array([2.0**-14, 2.0**-15], np.float16)
    assert run(math_ops.IsNormalOp, F16, tiny, result=I1).tolist() == [True, False]
    tiny = np.array([2.0**-126, 2.0**-127], ml_dtypes.bfloat16)
    assert run(math_ops.IsNormalOp, BF16, tiny, result=I1).tolist() == [True, False]


def test_bits_of_integers() -> None:
    x = np.array([0, 1, 2, 12, -1, -(2**31), 2**31 - 1], np.int32)
    assert run(math_ops.CountLeadingZerosOp, I32, x).tolist() == [32, 31, 30, 28, 0, 0, 1]
    assert run(math_ops.CountTrailingZerosOp, I32, x).tolist() == [32, 0, 1, 2, 0, 31, 0]
    assert run(math_ops.CtPopOp, I32, x).tolist() == [0, 1, 1, 2, 32, 1, 31]
    assert run(math_ops.AbsIOp, I32, x).tolist() == [0, 1, 2, 12, 1, -(2**31), 2**31 - 1]
    assert run(math_ops.CountLeadingZerosOp, I8, np.array([1, -1], np.int8)).tolist() == [7, 0]
    assert run(math_ops.CtPopOp, I1, np.array([True, False])).tolist() == [True, False]


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 40))
def test_integer_powers_wrap(base: int, exponent: int) -> None:
    found = run(math_ops.IPowIOp, I32, np.array(base, np.int32), np.array(exponent, np.int32))
    assert (int(found) - base**exponent) % 2**32 == 0


def test_negative_integer_powers() -> None:
    base, exponent = np.array([1, -1, -1, 2, -3], np.int32), np.array([-5, -5, -4, -1, -2], np.int32)
    assert run(math_ops.IPowIOp, I32, base, exponent).tolist() == [1, -1, 1, 0, 0]


finite = st.floats(-(2.0**40), 2.0**40, width=32)


@given(finite, finite, finite)
def test_fma_rounds_once(a: float, b: float, c: float) -> None:
    found = float(run(math_ops.FmaOp, F32, np.float32(a), np.float32(b), np.float32(c)))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    below, above = (float(np.nextafter(np.float32(found), np.float32(s * INF))) for s in (-1, 1))
    error = abs(Fraction(found) - exact)
    assert all(error <= abs(Fraction(n) - exact) for n in (below, above) if math.isfinite(n))


def test_clamp_sincos_and_powers() -> None:
    assert run(math_ops.ClampFOp, F32, f32(-2, 0.5, 9), f32(0, 0, 0), f32(1, 1, 1)).tolist() == [0, 0.5, 1]
    block = Block([F32])
    sine, cosine = math_ops.SinCosOp(block.arguments, [F32, F32]).reference(f32(0.0, 1.0))
    assert sine.tolist() == [0.0, np.float32(math.sin(1))]
    assert cosine.tolist() == [1.0, np.float32(math.cos(1))]
    block = Block([F32, I32])
    power = math_ops.FPowIOp(block.arguments, [F32])
    assert power.reference(f32(2, 2, -3), np.array([10, -2, 3], np.int32)).tolist() == [1024, 0.25, -27]
    assert run(math_ops.CopySignOp, F32, f32(1, -2, 3), f32(-0.0, 5, NAN)).tolist()[:2] == [-1, 2]
    assert run(math_ops.Atan2Op, F32, f32(0, 1), f32(-1, 0)).tolist() == [np.float32(math.pi), np.float32(math.pi / 2)]


def test_powers_follow_annex_f() -> None:
    x = f32(-0.0, -0.0, 0.0, -1, -1, -2, -INF, -INF, 0.5, 2, NAN, 1, -8)
    y = f32(-3, -2, -INF, INF, NAN, 0.5, 3, -3, -INF, -INF, -0.0, NAN, 1 / 3)
    wanted = f32(-INF, INF, INF, 1, NAN, NAN, -INF, -0.0, INF, 0, 1, 1, NAN)
    found = run(math_ops.PowFOp, F32, x, y)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found) & ~np.isnan(wanted), np.signbit(wanted) & ~np.isnan(wanted))


def integer_power(base: Any, exponent: Any, type: Type, integer: Type) -> Any:
    op = math_ops.FPowIOp(Block([type, integer]).arguments, [type])
    return op.reference(base, exponent)


def test_all_bits_of_an_integer_exponent_count() -> None:
    odd = np.array([2**62 + 1, -(2**62) - 1, 2**63 - 1, -(2**63)])
    assert integer_power(f32(-1, -1, -1, -1), odd, F32, I64).tolist() == [-1, -1, -1, 1]
    found = integer_power(f32(-2, -2, -0.0, -0.0), odd, F32, I64)
    np.testing.assert_array_equal(found, f32(-INF, -0.0, -0.0, INF))
    assert np.signbit(found).tolist() == [True, True, True, False]
    near_one = np.full(2, 1 + 2.0**-52)
    first, second = integer_power(near_one, np.array([2**60, 2**60 + 100]), F64, I64)
    assert abs(second / first - (1 + 100 * 2.0**-52)) <= 2.0**-51
    assert (integer_power(f32(NAN, INF, 0.0), np.zeros(3, np.int8), F32, I8) == 1).all()
    assert integer_power(f32(4, 4), np.array([True, False]), F32, I1).tolist() == [0.25, 1]  # a signed bit is -1


def test_short_floats_are_rounded_once() -> None:
    x = np.array([0.5, 1.0, 3.0], ml_dtypes.bfloat16)
    wanted = np.exp(x.astype(np.float64))
    found = run(math_ops.ExpOp, BF16, x).astype(np.float64)
    assert (np.abs(found - wanted) <= wanted * 2.0**-8).all()
    half = np.array([10.0, 12.0], np.float16)
    assert run(math_ops.ExpOp, F16, half).tolist() == [np.float16(math.exp(10)), INF]


def only_op(line: str) -> Operation:
    text = f"func.func @f(%a: index, %b: index) {{\n{line}\nreturn\n}}"
    return next(op for op in parse_program(text).walk() if op.opname.startswith("affine."))


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_affine_arithmetic(a: int, b: int) -> None:
    x, y = np.array(a), np.array(b)
    apply = only_op("%r = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 mod 7 - (d0 ceildiv 3) * 2)>(%a)[%b]")
    assert int(apply.reference(x, y)) == a // 4 + b % 7 - math.ceil(Fraction(a, 3)) * 2
    for word, function in (("min", min), ("max", max)):
        op = only_op(f"%r = affine.{word} affine_map<(d0, d1) -> (d0, d1 + 3, 5)>(%a, %b)")
        assert int(op.reference(x, y)) == function(a, b + 3, 5)


@given(st.integers(0, 10_000))
def test_delinearize_is_the_inverse_of_linearize(n: int) -> None:
    split = only_op("%r:3 = affine.delinearize_index %a into (5, 7) : index, index, index")
    assert isinstance(split, affine.DelinearizeIndexOp)
    outer, middle, inner = split.reference(np.array(n))
    assert (int(outer), int(middle), int(inner)) == (n // 35, n // 7 % 5, n % 7)
    (*_, joined) = [only_op("%c = arith.constant 5 : index\n%r = affine.linearize_index [%a, %b, %a] by (%c, 7)")]
    assert int(joined.reference(outer, middle, inner, np.array(5))) == n
    bounded = only_op("%r:2 = affine.delinearize_index %a into (4, 7) : index, index")
    assert [int(v) for v in bounded.reference(np.array(n))] == [n // 7, n % 7]
    single = only_op("%r = affine.delinearize_index %a into (4) : index")
    assert [int(v) for v in single.reference(np.array(n))] == [n]


@given(
    st.one_of(
        st.integers(-(2**63), 2**63 - 1),
        st.integers(-(2**31), 2**31 - 1),
        st.integers(0, 62).map(lambda n: 2**n + 2 ** max(n - 8, 0) + 1),
    )
)
def test_integers_are_rounded_once_to_bf16(n: int) -> None:
    found = int(float(numerics.convert_float(np.array(n, np.int64), np.dtype(ml_dtypes.bfloat16))))
    drop = max(abs(n).bit_length() - 8, 0)
    below = abs(n) >> drop
    rest, half = abs(n) - (below << drop), (1 << drop) // 2
    up = drop > 0 and (rest > half or (rest == half and below % 2 == 1))
    assert found == (1 if n >= 0 else -1) * ((below + up) << drop)
