"""Packed arithmetic (two halves of a register, or two registers), mixed precision, dot products, 8-bit floats."""

from __future__ import annotations

from .emit import Emitter, Handler
from .emit_vector import check_modifiers, scaled
from .syntax import Exec, Immediate, Instruction, Operand, Register, words

_MODIFIERS = frozenset(words("op_sel op_sel_hi neg_lo neg_hi clamp"))

HALVES: dict[str, tuple[str, str, str]] = {
    "add_f16": ("f2", "f2", "{0} + {1}"),
    "mul_f16": ("f2", "f2", "{0} * {1}"),
    "fma_f16": ("f2", "f2", "fma_f16({0}, {1}, {2})"),
    "min_f16": ("f2", "f2", "min_number({0}, {1})"),
    "max_f16": ("f2", "f2", "max_number({0}, {1})"),
    "min_num_f16": ("f2", "f2", "min_number({0}, {1})"),
    "max_num_f16": ("f2", "f2", "max_number({0}, {1})"),
    "minimum_f16": ("f2", "f2", "minimum({0}, {1})"),
    "maximum_f16": ("f2", "f2", "maximum({0}, {1})"),
    "minimum3_f16": ("f2", "f2", "minimum(minimum({0}, {1}), {2})"),
    "maximum3_f16": ("f2", "f2", "maximum(maximum({0}, {1}), {2})"),
    "add_u16": ("u2", "u2", "{0} + {1}"),
    "sub_u16": ("u2", "u2", "{0} - {1}"),
    "add_i16": ("i2", "i2", "{0} + {1}"),
    "sub_i16": ("i2", "i2", "{0} - {1}"),
    "mul_lo_u16": ("u2", "u2", "{0} * {1}"),
    "mad_u16": ("u2", "u2", "{0} * {1} + {2}"),
    "mad_i16": ("i2", "i2", "{0} * {1} + {2}"),
    "lshlrev_b16": ("u2", "u2", "{1} << ({0} & 15)"),
    "lshrrev_b16": ("u2", "u2", "{1} >> ({0} & 15)"),
    "ashrrev_i16": ("i2", "i2", "{1} >> ({0} & 15)"),
    "min_u16": ("u2", "u2", "minimum_of({0}, {1})"),
    "max_u16": ("u2", "u2", "maximum_of({0}, {1})"),
    "min_i16": ("i2", "i2", "minimum_of({0}, {1})"),
    "max_i16": ("i2", "i2", "maximum_of({0}, {1})"),
    "add_bf16": ("u2", "b2", "bf16_bits({0}.astype(f8) + {1})"),
    "mul_bf16": ("u2", "b2", "bf16_bits({0}.astype(f8) * {1})"),
    "fma_bf16": ("u2", "b2", "bf16_bits(odd_fma({0}.astype(f8), {1}.astype(f8), {2}.astype(f8)))"),
    "min_num_bf16": ("u2", "b2", "bf16_bits(min_number({0}, {1}))"),
    "max_num_bf16": ("u2", "b2", "bf16_bits(max_number({0}, {1}))"),
    "minimum3_bf16": ("u2", "b2", "bf16_bits(minimum(minimum({0}, {1}), {2}))"),
    "maximum3_bf16": ("u2", "b2", "bf16_bits(maximum(maximum({0}, {1}), {2}))"),
}
"""v_pk_...: type of each half of the result, type of the operands' halves, expression."""

_SATURATED = {
    "add_u16": "saturating_add({0}, {1})",
    "sub_u16": "saturating_sub({0}, {1})",
    "add_i16": "saturating_add({0}, {1})",
    "sub_i16": "saturating_sub({0}, {1})",
}

PAIRS: dict[str, str] = {
    "add_f32": "{0} + {1}",
    "mul_f32": "{0} * {1}",
    "fma_f32": "fma_f32({0}, {1}, {2})",
}


def source_half(e: Emitter, operand: Operand, high: int, code: str, negative: int = 0) -> str:
    """One half of a source; the upper half of a literal is what a 32-bit literal has there."""
    if code == "b2":
        bits = source_half(e, operand, high, "u2", 0)
        value = e.fresh(f"bf16_value({bits})")
    elif isinstance(operand, Immediate):
        value = _literal_half(e, operand, high, code)
    else:
        value = e.get(operand, code + ("h" if high else "l"))
    return f"(-{value})" if negative else value


def _literal_half(e: Emitter, operand: Immediate, high: int, code: str) -> str:
    if isinstance(operand.value, float):
        return e.get(operand, code + ("h" if high else ""))
    return e.number(operand.value >> (16 * high), code)


def _packed_halves(name: str) -> Handler:
    out, kind, expression = HALVES[name]

    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, _MODIFIERS)
        text = expression
        if i.flag("clamp") and out[0] != "f":
            if name not in _SATURATED:
                raise e.fault("clamp of an integer operation")
            text = _SATURATED[name]
        operands = i.operands[1:]
        halves: list[str] = []
        for select, negative, default in (("op_sel", "neg_lo", 0), ("op_sel_hi", "neg_hi", 1)):
            chosen, signs = i.bits(select, 3, default), i.bits(negative, 3, 0)
            names = [source_half(e, o, chosen[n], kind, signs[n]) for n, o in enumerate(operands)]
            halves.append(e.fresh(scaled(e, i, text.format(*names), out)))
        e.put(i.operands[0], f"pack_halves({halves[0]}, {halves[1]})", "u4")

    return handler


def _one_of_pair(e: Emitter, operand: Operand, high: int, code: str, negative: int) -> str:
    if isinstance(operand, Register):
        value = e.get(Register(operand.number + (high if operand.count > 1 else 0)), code)
    elif isinstance(operand, Exec):
        value = e.get(Exec(high), code)
    else:
        value = e.get(operand, code)
    return f"(-{value})" if negative else value


def _packed_pairs(name: str) -> Handler:
    """Two float32 operations on register pairs; op_sel picks the register of each source."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, _MODIFIERS)
        results: list[str] = []
        for select, negative, default in (("op_sel", "neg_lo", 0), ("op_sel_hi", "neg_hi", 1)):
            chosen, signs = i.bits(select, 3, default), i.bits(negative, 3, 0)
            names = [_one_of_pair(e, o, chosen[n], "f4", signs[n]) for n, o in enumerate(i.operands[1:])]
            results.append(e.fresh(scaled(e, i, PAIRS[name].format(*names), "f4")))
        put_pair(e, i.operands[0], results, "f4")

    return handler


def put_pair(e: Emitter, destination: Operand, values: list[str], code: str) -> None:
    destination = e.register(destination)
    for position, value in enumerate(values):
        e.put_word(destination.number + position, value, code)


def _packed_move(e: Emitter, i: Instruction) -> None:
    """v_pk_mov_b32: the low result from the first source, the high one from the second."""
    check_modifiers(e, i, _MODIFIERS)
    chosen = i.bits("op_sel", 2, 0)
    values = [e.fresh(_one_of_pair(e, o, chosen[n], "u4", 0)) for n, o in enumerate(i.operands[1:3])]
    put_pair(e, i.operands[0], values, "u4")


def _mixed(kind: str, place: str) -> Handler:
    """A float32 fma whose sources are float32 or half a register of float16 (bfloat16); op_sel_hi says which."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, _MODIFIERS)
        narrow, high = i.bits("op_sel_hi", 3, 0), i.bits("op_sel", 3, 0)
        names: list[str] = []
        for n, operand in enumerate(i.operands[1:]):
            if not narrow[n]:
                names.append(e.get(operand, "f4"))
                continue
            value = source_half(e, operand, high[n], kind, 0)
            names.append(e.fresh(value if kind == "b2" else f"{value}.astype(f4)"))
        total = scaled(e, i, f"fma_f32({', '.join(names)})", "f4")
        destination = i.operands[0]
        if not place:
            e.put(destination, total, "f4")
            return
        destination = e.register(destination)
        bits, code = (f"bf16_bits({total})", "u2") if kind == "b2" else (f"({total}).astype(f2)", "f2")
        e.put_half(destination.number, place, bits, code, keep=True)

    return handler


_DOTS: dict[str, tuple[str, int, str, str]] = {
    "v_dot2_f32_f16": ("f2", 2, "f4", "f4"),
    "v_dot2c_f32_f16": ("f2", 2, "f4", "f4"),
    "v_dot2_f32_bf16": ("b2", 2, "f4", "f4"),
    "v_dot2c_f32_bf16": ("b2", 2, "f4", "f4"),
    "v_dot2_i32_i16": ("i2", 2, "i4", "i8"),
    "v_dot2_u32_u16": ("u2", 2, "u4", "u8"),
    "v_dot4_i32_i8": ("i1", 4, "i4", "i8"),
    "v_dot4c_i32_i8": ("i1", 4, "i4", "i8"),
    "v_dot4_u32_u8": ("u1", 4, "u4", "u8"),
    "v_dot4_i32_iu8": ("", 4, "i4", "i8"),
    "v_dot2acc_f32_f16": ("f2", 2, "f4", "f4"),
    "v_dot2acc_f32_bf16": ("b2", 2, "f4", "f4"),
    "v_dot2_f16_f16": ("f2", 2, "f2", "f4"),
    "v_dot2_bf16_bf16": ("b2", 2, "b2", "f4"),
    "v_dot8_i32_i4": ("ih", 8, "i4", "i8"),
    "v_dot8c_i32_i4": ("ih", 8, "i4", "i8"),
    "v_dot8_u32_u4": ("uh", 8, "u4", "u8"),
    "v_dot8_i32_iu4": ("", 8, "i4", "i8"),
    **{f"v_dot4_f32_{a}_{b}": (f"{a} {b}", 4, "f4", "f4") for a in ("fp8", "bf8") for b in ("fp8", "bf8")},
}
"""Element type ("" when neg_lo says signed or not, `h` for half a byte, two names for floats of bytes), elements, type
of the sum, type in which it is formed."""


def _dot(e: Emitter, i: Instruction) -> None:
    check_modifiers(e, i, _MODIFIERS)
    kind, count, out, wide = _DOTS[i.opcode]
    separate = len(i.operands) > 3
    operands = i.operands[1:4] if separate else (*i.operands[1:3], i.operands[0])
    signs = i.bits("neg_lo", 3, 0)
    if kind and any(signs):
        raise e.fault("neg_lo of a dot product")
    own = "h" if count == 8 else "1"
    kinds = kind.split() if " " in kind else [kind or ("i" if signs[n] else "u") + own for n in range(2)]
    terms: list[str] = []
    for element in range(count):
        left, right = (_element(e, operands[n], element, kinds[n]) for n in range(2))
        terms.append(f"{left}.astype({wide}) * {right}")
    start = e.get(operands[2], "u2" if out == "b2" else out)
    total = e.fresh(f"{' + '.join(terms)} + {f'bf16_value({start})' if out == 'b2' else start}")
    if i.flag("clamp"):
        if out[0] == "f":
            raise e.fault("clamp of a dot product of floats")
        total = f"clip_to({total}, {out})"
    if out == "b2":
        e.put(i.operands[0], f"bf16_bits({total})", "u2")
        return
    e.put(i.operands[0], f"{total}.astype({out})", out)


def _element(e: Emitter, operand: Operand, element: int, kind: str) -> str:
    if kind[1] == "2":
        return source_half(e, operand, element, kind, 0)
    word = e.get(operand, "u4")
    if kind in ("fp8", "bf8"):
        return e.fresh(f"fp8_value(({word} >> {8 * element}).astype(u1), {kind!r}, False)")
    if kind == "ih":
        return e.fresh(f"({word} << {28 - 4 * element}).view(i4) >> 28")
    if kind == "uh":
        return e.fresh(f"({word} >> {4 * element}) & 15")
    return e.fresh(f"({word} >> {8 * element}).astype({kind})")


# ---- 8-bit floats ---------------------------------------------------------------------------------------------------


def _unsigned_zero(e: Emitter) -> bool:
    """gfx942 has the formats without negative zero."""
    return e.chip.name.startswith("gfx94")


def _byte_position(i: Instruction) -> int:
    if "src0_sel" in i.modifiers:
        kind, _, place = i.modifiers["src0_sel"].partition("_")
        return (2 if kind == "WORD" else 1) * int(place or 0)
    if "byte_sel" in i.modifiers:
        return i.number("byte_sel")
    first, second = i.bits("op_sel", 2, 0)
    return 2 * first + second if "pk" not in i.opcode else 2 * first


def _from_fp8(name: str, count: int) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset(words("src0_sel byte_sel op_sel")))
        word, first = e.get(i.operands[1], "u4"), _byte_position(i)
        values = [
            e.fresh(f"fp8_value(({word} >> {8 * (first + n)}).astype(u1), {name!r}, {_unsigned_zero(e)})")
            for n in range(count)
        ]
        if count == 1:
            e.put(i.operands[0], values[0], "f4")
        else:
            put_pair(e, i.operands[0], values, "f4")

    return handler


def _to_fp8(name: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset(["op_sel"]))
        zero = _unsigned_zero(e)
        low, high = (f"fp8_bits({e.get(o, 'f4')}, {name!r}, {zero})" for o in i.operands[1:3])
        destination = e.register(i.operands[0])
        half = "h" if i.bits("op_sel", 3, 0)[2] or destination.half == "h" else "l"
        e.put_half(destination.number, half, f"({low} | ({high} << 8)).astype(u2)", "u2", keep=True)

    return handler


def _by_seed(name: str) -> Handler:
    """One byte of the destination; the others stay."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset(words("byte_sel op_sel")))
        value, seed, old = e.get(i.operands[1], "f4"), e.get(i.operands[2], "u4"), e.get(i.operands[0], "u4")
        low, high = i.bits("op_sel", 4, 0)[2:]
        place = 8 * (i.number("byte_sel") if "byte_sel" in i.modifiers else low + 2 * high)
        made = f"fp8_by_seed({value}, {seed}, {name!r}, {_unsigned_zero(e)}).astype(u4) << {place}"
        e.put(i.operands[0], f"({old} & {0xFFFFFFFF ^ 0xFF << place}) | ({made})", "u4")

    return handler


PACKED: dict[str, Handler] = {
    **{f"v_pk_{name}": _packed_halves(name) for name in HALVES},
    **{f"v_pk_{name}": _packed_pairs(name) for name in PAIRS},
    "v_pk_mov_b32": _packed_move,
    "v_fma_mix_f32": _mixed("f2", ""),
    "v_fma_mixlo_f16": _mixed("f2", "l"),
    "v_fma_mixhi_f16": _mixed("f2", "h"),
    "v_fma_mix_f32_bf16": _mixed("b2", ""),
    "v_fma_mixlo_bf16": _mixed("b2", "l"),
    "v_fma_mixhi_bf16": _mixed("b2", "h"),
    "v_mad_mix_f32": _mixed("f2", ""),
    "v_mad_mixlo_f16": _mixed("f2", "l"),
    "v_mad_mixhi_f16": _mixed("f2", "h"),
    **dict.fromkeys(_DOTS, _dot),
    **{f"v_cvt_f32_{name}": _from_fp8(name, 1) for name in ("fp8", "bf8")},
    **{f"v_cvt_pk_f32_{name}": _from_fp8(name, 2) for name in ("fp8", "bf8")},
    **{f"v_cvt_pk_{name}_f32": _to_fp8(name) for name in ("fp8", "bf8")},
    **{f"v_cvt_sr_{name}_f32": _by_seed(name) for name in ("fp8", "bf8")},
}
"""Opcodes of packed and mixed arithmetic."""
