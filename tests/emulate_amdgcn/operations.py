"""Scalar operations of LLVM IR on every type, with what they mean in Python integers and float64."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("half", "bfloat", "float", "double")
DTYPES: dict[str, Any] = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "half": np.float16,
    "bfloat": ml_dtypes.bfloat16,
    "float": np.float32,
    "double": np.float64,
}
SUFFIX = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64", **{t: t for t in INTEGERS}}


@dataclass(frozen=True)
class Case:
    """`lines` define %r from %x, %y, %z; `expected` maps arrays to (values, where they are defined).

    `tolerance` is relative to the result; 0 means equal, with the sign of zeros unless `zeros` is set.
    """

    name: str
    lines: str
    result: str
    expected: Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    declarations: tuple[str, ...] = ()
    tolerance: float = 0.0
    zeros: bool = False


# ---- integers -------------------------------------------------------------------------------------------------------

Meaning = Callable[[int, int, int], int | None]


def _each(meaning: Meaning, result: str) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """An operation on Python integers, wrapped to the result's type; None is undefined."""
    bits = int(result[1:])

    def expected(*arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = [meaning(*(int(v) for v in row)) for row in zip(*arrays, strict=True)]
        wrapped = [((v or 0) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for v in values]
        return np.array(wrapped, DTYPES[result]), np.array([v is not None for v in values])

    return expected


def _divide(x: int, y: int, bits: int) -> int | None:
    if y == 0 or (y == -1 and x == -(1 << bits - 1)):
        return None
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(x: int, y: int, bits: int) -> int | None:
    quotient = _divide(x, y, bits)
    return None if quotient is None else x - quotient * y


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def integer_cases(t: str) -> list[Case]:
    bits = int(t[1:])
    mask, low, high = (1 << bits) - 1, -(1 << bits - 1), (1 << bits - 1) - 1
    two: dict[str, Meaning] = {
        "add": lambda x, y, z: x + y,
        "sub": lambda x, y, z: x - y,
        "mul": lambda x, y, z: x * y,
        "sdiv": lambda x, y, z: _divide(x, y, bits),
        "srem": lambda x, y, z: _remainder(x, y, bits),
        "udiv": lambda x, y, z: (x & mask) // (y & mask) if y else None,
        "urem": lambda x, y, z: (x & mask) % (y & mask) if y else None,
        "shl": lambda x, y, z: x << y if 0 <= y < bits else None,
        "lshr": lambda x, y, z: (x & mask) >> y if 0 <= y < bits else None,
        "ashr": lambda x, y, z: x >> y if 0 <= y < bits else None,
        "and": lambda x, y, z: x & y,
        "or": lambda x, y, z: x | y,
        "xor": lambda x, y, z: x ^ y,
    }
    cases = [Case(n, f"%r = {n} {t} %x, %y", t, _each(m, t)) for n, m in two.items()]
    called: dict[str, tuple[int, Meaning]] = {
        "smin": (2, lambda x, y, z: min(x, y)),
        "smax": (2, lambda x, y, z: max(x, y)),
        "umin": (2, lambda x, y, z: min(x & mask, y & mask)),
        "umax": (2, lambda x, y, z: max(x & mask, y & mask)),
        "sadd.sat": (2, lambda x, y, z: min(max(x + y, low), high)),
        "ssub.sat": (2, lambda x, y, z: min(max(x - y, low), high)),
        "uadd.sat": (2, lambda x, y, z: min((x & mask) + (y & mask), mask)),
        "usub.sat": (2, lambda x, y, z: max((x & mask) - (y & mask), 0)),
        "ctpop": (1, lambda x, y, z: (x & mask).bit_count()),
        "bitreverse": (1, lambda x, y, z: int(f"{x & mask:0{bits}b}"[::-1], 2)),
        "fshl": (3, lambda x, y, z: ((x & mask) << bits | (y & mask)) << (z & mask) % bits >> bits),
        "fshr": (3, lambda x, y, z: ((x & mask) << bits | (y & mask)) >> (z & mask) % bits),
    }
    if bits > 8:
        called["bswap"] = (1, lambda x, y, z: int.from_bytes((x & mask).to_bytes(bits // 8, "little"), "big"))
    cases += [_called(n, t, count, _each(m, t)) for n, (count, m) in called.items()]
    flagged: dict[str, Meaning] = {
        "ctlz": lambda x, y, z: bits - (x & mask).bit_length(),
        "cttz": lambda x, y, z: ((x & -x).bit_length() - 1) if x else bits,
        "abs": lambda x, y, z: abs(x),
    }
    for n, m in flagged.items():
        name = f"@llvm.{n}.{t}"
        cases.append(
            Case(n, f"%r = call {t} {name}({t} %x, i1 false)", t, _each(m, t), (f"declare {t} {name}({t}, i1)",))
        )
    return cases + _integer_comparisons(t, mask) + _integer_conversions(t, mask)


def _called(name: str, t: str, count: int, expected: Any, **options: Any) -> Case:
    intrinsic = f"@llvm.{name}.{SUFFIX[t]}"
    arguments = ", ".join(f"{t} {v}" for v in ("%x", "%y", "%z")[:count])
    declared = f"declare {t} {intrinsic}({', '.join([t] * count)})"
    return Case(name, f"%r = call {t} {intrinsic}({arguments})", t, expected, (declared,), **options)


def _integer_comparisons(t: str, mask: int) -> list[Case]:
    cases = []
    for sign in "su":
        for n, relation in _RELATIONS.items():
            predicate = n if n in ("eq", "ne") else sign + n

            def holds(x: int, y: int, z: int, relation: Any = relation, sign: str = sign) -> int:
                return int(relation(x, y) if sign == "s" else relation(x & mask, y & mask))

            def chosen(x: int, y: int, z: int, holds: Any = holds) -> int:
                return x if holds(x, y, z) else y

            compare = f"%c = icmp {predicate} {t} %x, %y\n"
            cases.append(Case(f"icmp {predicate}", compare + "%r = zext i1 %c to i8", "i8", _each(holds, "i8")))
            select = f"%r = select i1 %c, {t} %x, {t} %y"
            cases.append(Case(f"select {predicate}", compare + select, t, _each(chosen, t)))
    return cases


def _integer_conversions(t: str, mask: int) -> list[Case]:
    cases = []
    bits = int(t[1:])
    for other in INTEGERS:
        if int(other[1:]) < bits:
            cases.append(
                Case(f"trunc {other}", f"%r = trunc {t} %x to {other}", other, _each(lambda x, y, z: x, other))
            )
        elif int(other[1:]) > bits:
            cases.append(Case(f"sext {other}", f"%r = sext {t} %x to {other}", other, _each(lambda x, y, z: x, other)))
            zero = _each(lambda x, y, z: x & mask, other)
            cases.append(Case(f"zext {other}", f"%r = zext {t} %x to {other}", other, zero))
    for signed, opcode in ((True, "sitofp"), (False, "uitofp")):
        for other in FLOATS:

            def expected(x: np.ndarray, *_: np.ndarray, signed: bool = signed, other: str = other) -> Any:
                values = [_nearest(int(v) if signed else int(v) & mask, DTYPES[other]) for v in x]
                return np.array(values).astype(DTYPES[other]), np.ones(x.size, np.bool_)

            cases.append(Case(f"{opcode} {other}", f"%r = {opcode} {t} %x to {other}", other, expected))
    for n, signed in (("mulhi", True), ("umulhi", False)):

        def high(x: int, y: int, z: int, signed: bool = signed) -> int:
            return (x * y if signed else (x & mask) * (y & mask)) >> bits

        extend = "sext" if signed else "zext"
        lines = (
            f"%a = {extend} {t} %x to i128\n%b = {extend} {t} %y to i128\n%m = mul i128 %a, %b\n"
            f"%s = lshr i128 %m, {bits}\n%r = trunc i128 %s to {t}"
        )
        cases.append(Case(n, lines, t, _each(high, t)))
    return cases


def _nearest(value: int, dtype: Any) -> float:
    """An integer rounded once, to nearest even, to the precision of a type."""
    digits = ml_dtypes.finfo(dtype).nmant + 1
    size = abs(value)
    drop = max(size.bit_length() - digits, 0)
    quotient, rest = size >> drop, size & ((1 << drop) - 1)
    half = 1 << drop >> 1
    if drop and (rest > half or (rest == half and quotient & 1)):
        quotient += 1
    rounded = float(quotient << drop)
    return -rounded if value < 0 else rounded


# ---- floats ---------------------------------------------------------------------------------------------------------


def _rounded(t: str, function: Callable[..., Any], defined: Callable[..., Any] | None = None) -> Any:
    """An operation in float64, rounded once to the type; exact for +, -, *, /, sqrt of narrower types."""

    def expected(*arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        wide = [a.astype(np.float64) for a in arrays]
        where = np.ones(arrays[0].size, np.bool_) if defined is None else defined(*wide)
        return np.asarray(function(*wide)).astype(DTYPES[t]), where

    return expected


def _signed_zero(function: Any, a: np.ndarray, b: np.ndarray, lesser: bool) -> np.ndarray:
    negative = np.signbit(a) | np.signbit(b) if lesser else np.signbit(a) & np.signbit(b)
    return np.where((a == 0) & (b == 0), np.where(negative, -0.0, 0.0), function(a, b))


def _round_away(a: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(a) + 0.5), a)


def float_cases(t: str) -> list[Case]:
    arithmetic = {
        "fadd": lambda x, y, z: x + y,
        "fsub": lambda x, y, z: x - y,
        "fmul": lambda x, y, z: x * y,
        "fdiv": lambda x, y, z: x / y,
    }
    cases = [Case(n, f"%r = {n} {t} %x, %y", t, _rounded(t, f)) for n, f in arithmetic.items()]
    if t != "bfloat":
        cases.append(Case("frem", f"%r = frem {t} %x, %y", t, _rounded(t, lambda x, y, z: np.fmod(x, y))))
    cases.append(Case("fneg", f"%r = fneg {t} %x", t, _rounded(t, lambda x, y, z: -x)))
    unary = {
        "fabs": np.abs,
        "sqrt": np.sqrt,
        "floor": np.floor,
        "ceil": np.ceil,
        "trunc": np.trunc,
        "rint": np.rint,
        "nearbyint": np.rint,
        "roundeven": np.rint,
        "round": _round_away,
    }
    for n, f in unary.items():
        cases.append(_called(n, t, 1, _rounded(t, lambda x, y, z, f=f: f(x))))
    cases.append(_called("copysign", t, 2, _rounded(t, lambda x, y, z: np.copysign(x, y), lambda x, y, z: y == y)))
    for n, f in (("minnum", np.fmin), ("maxnum", np.fmax)):
        cases.append(_called(n, t, 2, _rounded(t, lambda x, y, z, f=f: f(x, y)), zeros=True))
    for n, f, lesser in (("minimum", np.minimum, True), ("maximum", np.maximum, False)):
        exact = _rounded(t, lambda x, y, z, f=f, lesser=lesser: _signed_zero(f, x, y, lesser))
        cases.append(_called(n, t, 2, exact))
    if t in ("half", "float"):
        exact = _rounded(t, lambda x, y, z: (x.astype(np.longdouble) * y + z).astype(np.float64))
        cases.append(_called("fma", t, 3, exact))
        cases += _approximate_cases(t)
    if t != "bfloat":
        cases += _scaling_cases(t)
    return cases + _float_comparisons(t) + _float_conversions(t)


def _approximate_cases(t: str) -> list[Case]:
    """The hardware's own functions, as LLVM expands calls of them."""
    tolerance = 4e-3 if t == "half" else 2e-6
    functions = {"exp2": np.exp2, "log2": np.log2, "exp": np.exp, "log": np.log, "log10": np.log10}
    cases = [
        _called(n, t, 1, _rounded(t, lambda x, y, z, f=f: f(x)), tolerance=tolerance) for n, f in functions.items()
    ]
    for n, f in (("sin", np.sin), ("cos", np.cos)):

        def easy(x: np.ndarray, y: np.ndarray, z: np.ndarray, f: Any = f) -> np.ndarray:
            return (np.abs(x) < 8) & (np.abs(f(x)) > 0.1)

        cases.append(_called(n, t, 1, _rounded(t, lambda x, y, z, f=f: f(x), easy), tolerance=20 * tolerance))
    return cases


def _scaling_cases(t: str) -> list[Case]:
    s = SUFFIX[t]
    scaled = f"@llvm.ldexp.{s}.i32"
    split = f"@llvm.frexp.{s}.i32"
    pair = f"{{ {t}, i32 }}"
    call = f"%f = call {pair} {split}({t} %x)\n%r = extractvalue {pair} %f, "
    declared = (f"declare {pair} {split}({t})",)

    def exponents(x: np.ndarray, *_: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.frexp(x.astype(np.float64))[1].astype(np.int32), np.isfinite(x)

    return [
        Case(
            "ldexp",
            f"%r = call {t} {scaled}({t} %x, i32 3)",
            t,
            _rounded(t, lambda x, y, z: x * 8),
            (f"declare {t} {scaled}({t}, i32)",),
        ),
        Case("frexp mantissa", call + "0", t, _rounded(t, lambda x, y, z: np.frexp(x)[0]), declared),
        Case("frexp exponent", call + "1", "i32", exponents, declared),
    ]


def _float_comparisons(t: str) -> list[Case]:
    cases = []
    predicates = [f"{o}{n}" for o in "ou" for n in ("eq", "ne", "lt", "le", "gt", "ge")] + ["ord", "uno"]
    for predicate in predicates:

        def holds(x: np.ndarray, y: np.ndarray, z: np.ndarray, p: str = predicate) -> Any:
            unordered = np.isnan(x) | np.isnan(y)
            if p in ("ord", "uno"):
                return unordered if p == "uno" else ~unordered
            truth = _RELATIONS[p[1:]](x, y)  # numpy compares elementwise
            return truth | unordered if p[0] == "u" else truth & ~unordered

        compare = f"%c = fcmp {predicate} {t} %x, %y\n"
        cases.append(Case(f"fcmp {predicate}", compare + "%r = zext i1 %c to i8", "i8", _rounded("i8", holds)))
        chosen = _rounded(t, lambda x, y, z, holds=holds: np.where(holds(x, y, z), x, y))
        cases.append(Case(f"select {predicate}", compare + f"%r = select i1 %c, {t} %x, {t} %y", t, chosen))
    return cases


def _float_conversions(t: str) -> list[Case]:
    cases = []
    for other in INTEGERS:
        info = np.iinfo(DTYPES[other])
        for opcode, low, high in (("fptosi", info.min, info.max), ("fptoui", 0, info.max * 2 + 1)):

            def expected(x: np.ndarray, *_: np.ndarray, low: int = low, high: int = high, other: str = other) -> Any:
                whole = [int(v) if np.isfinite(v) else None for v in x.astype(np.float64)]
                inside = np.array([v is not None and low <= v <= high for v in whole])
                bits = int(other[1:])
                kept = [
                    (v + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) if i else 0
                    for v, i in zip(whole, inside, strict=True)
                ]
                return np.array(kept, DTYPES[other]), inside

            cases.append(Case(f"{opcode} {other}", f"%r = {opcode} {t} %x to {other}", other, expected))
    order = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
    for other in FLOATS:
        if order[other] != order[t]:
            opcode = "fpext" if order[other] > order[t] else "fptrunc"
            cases.append(
                Case(f"{opcode} {other}", f"%r = {opcode} {t} %x to {other}", other, _rounded(other, lambda x, y, z: x))
            )
    return cases


# ---- inputs ---------------------------------------------------------------------------------------------------------


def inputs(t: str, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Special values in all pairs, then random ones."""
    rng = np.random.default_rng(5)
    dtype = DTYPES[t]
    if t in INTEGERS:
        info = np.iinfo(dtype)
        special = np.array([0, 1, -1, info.min, info.max, 2, 3, 7], dtype)
        first, second, third = (rng.integers(info.min, info.max, count, dtype, endpoint=True) for _ in range(3))
        second[64:96] = rng.integers(0, info.bits, 32)
    else:
        f = ml_dtypes.finfo(dtype)
        special = np.array([0.0, -0.0, 1, np.inf, np.nan, float(f.max), float(f.smallest_normal), -2.5]).astype(dtype)
        first, second, third = ((rng.standard_normal(count) * 3).astype(dtype) for _ in range(3))
        first[64:68] = np.array([float(f.smallest_subnormal) * 3, -np.inf, 0.5, 100.7]).astype(dtype)
    first[:64], second[:64] = np.repeat(special, 8), np.tile(special, 8)
    return first, second, third
