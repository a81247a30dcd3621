"""Conversions of short floats with a scale (gfx950): a pair of a word times a power of two, or divided by it.

The scale is a float of which the exponent counts (AMD's CDNA4 ISA document, V_CVT_SCALEF32_*).
"""

from __future__ import annotations

from .emit import Emitter, Handler
from .emit_packed import put_pair, source_half
from .emit_vector import check_modifiers
from .syntax import Instruction, Register, words

_MODIFIERS = frozenset(words("op_sel"))
_SHORT = ("fp8", "bf8", "fp4")
_HALVES = ("f16", "bf16")


def _require(e: Emitter, i: Instruction) -> None:
    check_modifiers(e, i, _MODIFIERS)
    if e.chip.name != "gfx950":
        raise e.fault(f"opcode {i.opcode} on {e.chip.name}")


def _element(word: str, name: str, number: str) -> str:
    if name == "fp4":
        return f"fp4_value(({word} >> {number}) & 15)"
    return f"fp8_value(({word} >> {number}).astype(u1), {name!r}, False)"


def _extend(name: str, long: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        _require(e, i)
        low, high = i.bits("op_sel", 2, 0)
        width = 4 if name == "fp4" else 8
        first = 2 * width * (low + 2 * high if name == "fp4" else low)
        word, scale = e.get(i.operands[1], "u4"), e.fresh(f"scale_power({e.get(i.operands[2], 'u4')})")
        values = [e.fresh(f"{_element(word, name, str(first + n * width))}.astype(f8) * {scale}") for n in range(2)]
        if long == "f32":
            put_pair(e, i.operands[0], [e.fresh(f"({v}).astype(f4)") for v in values], "f4")
            return
        form = "({0}).astype(f2).view(u2)" if long == "f16" else "bf16_bits({0})"
        halves = ", ".join(form.format(v) for v in values)
        e.put(i.operands[0], f"pack_halves({halves})", "u4")

    return handler


def _shorten(name: str, long: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        _require(e, i)
        if long == "f32":
            given = [e.get(o, "f4") for o in i.operands[1:3]]
        else:
            given = [source_half(e, i.operands[1], high, "f2" if long == "f16" else "b2") for high in range(2)]
        scale = e.fresh(f"scale_power({e.get(i.operands[-1], 'u4')})")
        quotients = [e.fresh(f"{v}.astype(f8) / {scale}") for v in given]
        destination, chosen = i.operands[0], i.bits("op_sel", 4, 0)
        if not isinstance(destination, Register):
            raise e.fault("a register is expected", "syntax")
        if name == "fp4":
            shift = 8 * (chosen[2] + 2 * chosen[3])
            low, high = (e.fresh(f"fp4_bits({q})") for q in quotients)
            old = e.word(destination.number)
            kept = f"({old} & {e.number(~(255 << shift) & 0xFFFFFFFF, 'u4')})"
            e.put(destination, f"{kept} | (({low} | ({high} << 4)).astype(u4) << {e.number(shift, 'u4')})", "u4")
            return
        low, high = (e.fresh(f"fp8_bits({q}.astype(f4), {name!r}, False)") for q in quotients)
        half = "h" if chosen[3 if long == "f32" else 2] else "l"
        e.put_half(destination.number, half, f"({low} | ({high} << 8)).astype(u2)", "u2", keep=True)

    return handler


SCALED: dict[str, Handler] = {
    **{f"v_cvt_scalef32_pk_{long}_{name}": _extend(name, long) for long in ("f32", *_HALVES) for name in _SHORT},
    **{f"v_cvt_scalef32_pk_{name}_{long}": _shorten(name, long) for long in ("f32", *_HALVES) for name in _SHORT},
}
"""Opcodes of conversions with a scale."""
