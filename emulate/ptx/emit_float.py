"""Source for floating-point arithmetic and conversions."""

from __future__ import annotations

from .emit import Emitter, Handler
from .syntax import Instruction
from .types import PtxType

_MODES = ("rn", "rz", "rm", "rp")
_INTEGER_MODES = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_NATIVE = {"add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "sqrt": "sqrt({0})"}
_NARROW = ("f16", "bf16")
_APPROXIMATE = ("ex2", "lg2", "rsqrt", "rcp")
_FLAGS = ("ftz", "sat", "relu")


def _mode(i: Instruction) -> str:
    return next((m for m in i.modifiers if m in _MODES), "rn")


def _flags(i: Instruction, t: PtxType) -> frozenset[str]:
    """Flags that change a result of this type (ftz matters for float32 only)."""
    return frozenset(m for m in i.modifiers if m in _FLAGS and (m != "ftz" or t.name == "f32"))


def floating(e: Emitter, i: Instruction) -> None:
    """add, sub, mul, div, fma, sqrt, rcp, rsqrt and the approximate functions, on scalars and packed pairs."""
    if "f32" in i.modifiers and i.type in _NARROW:
        _mixed(e, i)
        return
    t = e.type(i.type)
    op = "fma" if i.opcode == "mad" else i.opcode
    flags, mode = _flags(i, t), _mode(i)
    if mode == "rn" and not flags and t.kind == "f" and _native(e, i, op, t):
        return
    if t.name == "f32" and i.has("approx") and op in _APPROXIMATE and flags <= {"ftz"}:
        e.put(i.operands[0], f"approximate({op!r}, {e.get(i.operands[1], t.code)}, {'ftz' in flags})", t.code)
        return
    scalar = t.name.removesuffix("x2")
    operands = ", ".join(e.get(x, t.unsigned) for x in i.operands[1:])
    call = f"arithmetic({op!r}, {scalar!r}, {mode!r}, {e.constant(flags)}, "
    if t.kind == "x":
        e.put(i.operands[0], f"packed(lambda *h: {call}*h), {operands})", t.unsigned)
    else:
        e.put(i.operands[0], f"{call}{operands})", t.unsigned)


def _mixed(e: Emitter, i: Instruction) -> None:
    """add, sub and fma of f32 whose first operands, both factors of fma, are narrower (PTX ISA 8.6, "Mixed Precision
    Floating Point Instructions")."""
    t, narrow = e.type("f32"), e.type(i.type)
    flags, mode = _flags(i, t), _mode(i)
    count = 2 if i.opcode == "fma" else 1
    wide = [f"DECODE[{narrow.name!r}]({e.get(x, narrow.unsigned)}).astype(f4)" for x in i.operands[1 : 1 + count]]
    last = i.operands[-1]
    if mode == "rn" and not flags:
        values = [*wide, e.get(last, t.code)]
        native = _NATIVE[i.opcode].format(*values) if i.opcode in _NATIVE else f"fma_f32({', '.join(values)})"
        e.put(i.operands[0], native, t.code)
        return
    bits = ", ".join([*(f"{value}.view(u4)" for value in wide), e.get(last, t.unsigned)])
    e.put(i.operands[0], f"arithmetic({i.opcode!r}, 'f32', {mode!r}, {e.constant(flags)}, {bits})", t.unsigned)


def _native(e: Emitter, i: Instruction, op: str, t: PtxType) -> bool:
    operands = [e.get(x, t.code) for x in i.operands[1:]]
    if op == "fma":
        e.put(i.operands[0], f"fma_f{t.bits}({', '.join(operands)})", t.code)
    elif op in _NATIVE:
        e.put(i.operands[0], _NATIVE[op].format(*operands), t.code)
    else:
        return False
    return True


def negate(e: Emitter, i: Instruction) -> None:
    _sign(e, i, "^")


def absolute(e: Emitter, i: Instruction) -> None:
    _sign(e, i, "& ~")


def _sign(e: Emitter, i: Instruction, operator: str) -> None:
    t = e.type(i.type)
    sign = e.number(0x80008000 if t.kind == "x" else 1 << (t.bits - 1), t.unsigned)
    value = e.get(i.operands[1], t.unsigned)
    if i.has("ftz") and t.name == "f32":
        value = f"flush_bits({value}, 'f32')"
    e.put(i.operands[0], f"{value} {operator}{sign}", t.unsigned)


def pick(e: Emitter, i: Instruction) -> None:
    """min and max of two or three values."""
    t = e.type(i.type)
    scalar = t.name.removesuffix("x2")
    flags = frozenset(
        m for m in i.modifiers if m in ("NaN", "abs", "xorsign", "relu") or (m == "ftz" and scalar == "f32")
    )
    operands = ", ".join(e.get(x, t.unsigned) for x in i.operands[1:])
    call = f"pick({i.opcode!r}, {scalar!r}, {e.constant(flags)}, "
    if t.kind == "x":
        e.put(i.operands[0], f"packed(lambda *h: {call}*h), {operands})", t.unsigned)
    else:
        e.put(i.operands[0], f"{call}{operands})", t.unsigned)


def copy_sign(e: Emitter, i: Instruction) -> None:
    """copysign d, a, b: the sign of a with the magnitude of b."""
    t = e.type(i.type)
    sign = e.number(1 << (t.bits - 1), t.unsigned)
    a, b = (e.get(x, t.unsigned) for x in i.operands[1:3])
    e.put(i.operands[0], f"({a} & {sign}) | ({b} & ~{sign})", t.unsigned)


_TESTS = {
    "finite": "isfinite({v})",
    "infinite": "isinf({v})",
    "number": "~isnan({v})",
    "notanumber": "isnan({v})",
    "normal": "isfinite({v}) & (absolute({v}) >= {tiny})",
    "subnormal": "({v} != 0) & (absolute({v}) < {tiny})",
}


def test_property(e: Emitter, i: Instruction) -> None:
    t = e.type(i.type)
    e.only(i.modifiers[:1], _TESTS)
    tiny = e.constant(2.0**-126 if t.name == "f32" else 2.0**-1022)
    e.put(i.operands[0], _TESTS[i.modifiers[0]].format(v=e.get(i.operands[1], t.code), tiny=tiny), "bool")


# ---- conversions ----------------------------------------------------------------------------------------------------


def convert(e: Emitter, i: Instruction) -> None:
    """cvt: the last two modifiers are the destination's and the source's type."""
    out, source = e.type(i.modifiers[-2]), e.type(i.modifiers[-1])
    if out.kind == "x" or source.kind == "x":
        _convert_packed(e, i, out, source)
    elif out.is_float and source.is_float:
        _float_to_float(e, i, out, source)
    elif out.is_float:
        _integer_to_float(e, i, out, source)
    elif source.is_float:
        _float_to_integer(e, i, out, source)
    else:
        _integer_to_integer(e, i, out, source)


def _integer_to_integer(e: Emitter, i: Instruction, out: PtxType, source: PtxType) -> None:
    value = e.get(i.operands[1], source.code)
    if i.has("sat"):
        value = f"clamp_integer({value}, {out.code})"
    e.put(i.operands[0], f"{value}.astype({out.code})" if out.code != source.code else value, out.code)


def _integer_to_float(e: Emitter, i: Instruction, out: PtxType, source: PtxType) -> None:
    value = e.get(i.operands[1], source.code)
    if _mode(i) == "rn" and out.name in ("f32", "f64") and not i.has("sat"):
        e.put(i.operands[0], f"{value}.astype({out.code})", out.code)
        return
    if out.name == "f64" and source.bits < 64:
        e.put(i.operands[0], f"{value}.astype(f8)", out.code)
        return
    bits = f"integer_to_float({value}, {out.name!r}, {_mode(i)!r})"
    if i.has("sat"):
        bits = f"saturate({bits}, {out.name!r})"
    e.put(i.operands[0], bits, out.unsigned)


def _float_to_integer(e: Emitter, i: Instruction, out: PtxType, source: PtxType) -> None:
    rounding = next((_INTEGER_MODES[m] for m in i.modifiers if m in _INTEGER_MODES), "trunc")
    bits = e.get(i.operands[1], source.unsigned)
    if i.has("ftz") and source.name == "f32":
        bits = f"flush_bits({bits}, 'f32')"
    e.put(i.operands[0], f"float_to_integer(DECODE[{source.name!r}]({bits}), {rounding}, {out.code})", out.code)


def _float_to_float(e: Emitter, i: Instruction, out: PtxType, source: PtxType) -> None:
    whole = next((_INTEGER_MODES[m] for m in i.modifiers if m in _INTEGER_MODES), None)
    flags = _flags(i, out if out.name == "f32" else source)
    mode = "rna" if i.has("rna") else _mode(i)
    plain = out.kind == "f" and source.kind == "f" and not flags and mode == "rn"
    if plain:
        value = e.get(i.operands[1], source.code)
        value = f"{whole}({value})" if whole else value
        e.put(i.operands[0], f"{value}.astype({out.code})" if out.code != source.code else value, out.code)
        return
    bits = e.get(i.operands[1], source.unsigned)
    e.put(
        i.operands[0],
        f"float_to_float({bits}, {source.name!r}, {out.name!r}, {mode!r}, {whole or 'None'}, {e.constant(flags)})",
        out.unsigned,
    )


def _convert_packed(e: Emitter, i: Instruction, out: PtxType, source: PtxType) -> None:
    part = out.name.removesuffix("x2")
    mode, flags = _mode(i), frozenset(m for m in i.modifiers if m in ("relu", "satfinite"))
    if source.kind == "x":
        value = e.get(i.operands[1], source.unsigned)
        half = source.bits // 2
        inner = source.name.removesuffix("x2")
        low = f"{value}.astype(u{half // 8})"
        high = f"({value} >> {e.number(half, source.unsigned)}).astype(u{half // 8})"
    else:
        # The first source goes to the upper half.
        inner = source.name
        high, low = (e.get(x, source.unsigned) for x in i.operands[1:3])
    call = "float_to_float({}, " + f"{inner!r}, {part!r}, {mode!r}, None, {e.constant(flags)})"
    width = out.bits // 2
    upper = f"({call.format(high)}.astype({out.unsigned}) << {e.number(width, out.unsigned)})"
    joined = f"{call.format(low)}.astype({out.unsigned}) | {upper}"
    e.put(i.operands[0], joined, out.unsigned)


FLOATING: dict[str, Handler] = {
    "add": floating,
    "sub": floating,
    "mul": floating,
    "mad": floating,
    "fma": floating,
    "div": floating,
    "sqrt": floating,
    "rcp": floating,
    "rsqrt": floating,
    "ex2": floating,
    "lg2": floating,
    "sin": floating,
    "cos": floating,
    "tanh": floating,
    "min": pick,
    "max": pick,
    "neg": negate,
    "abs": absolute,
}

PLAIN: dict[str, Handler] = {"cvt": convert, "copysign": copy_sign, "testp": test_property}
