"""Conversions of short floats with a scale: a pair of a word times a power of two, or divided by it (gfx950); all of a
lane's short floats times the scale of a lane (gfx1250).

gfx950's scale is a float of which the exponent counts (AMD's CDNA4 ISA document, V_CVT_SCALEF32_*). Of gfx1250's
V_CVT_SCALE_PK8 and _PK16 no document is public; who takes which scale is what was measured there: elements below a byte
FlyDSL's and Triton's kernels (`scale_sel` 0 to 3), bytes Triton's `ScaledUpcastToLLVM.cpp` (0 and 8).
"""

from __future__ import annotations

import numpy as np

from .emit import Emitter, Handler
from .emit_packed import put_pair, source_half
from .emit_vector import check_modifiers
from .syntax import Instruction, Operand, Register, words

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
        destination = e.register(destination)
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


_OF_A_LANE = {"fp8": (8, 8), "bf8": (8, 8), "fp4": (8, 4), "fp6": (16, 6), "bf6": (16, 6)}
"""Elements, and bits of one."""
_BYTES_APART = {0: 0, 8: 1}
"""By selector: bytes between the scales of lanes 0 to 15 and of those above, of elements of a byte."""


def _scale_places(e: Emitter, i: Instruction, bits: int) -> tuple[str, str]:
    """Arrays by lane: whose scales it takes, and the lowest bit of the one that is meant."""
    selector = i.number("scale_sel")
    known = range(4) if bits < 8 else _BYTES_APART
    if selector not in known:
        raise e.fault(f"scale_sel:{selector} of {i.opcode}")
    lane = np.arange(32)
    first, apart = (selector & 2, 1) if bits < 8 else (0, _BYTES_APART[selector])
    source = lane % 16 + (16 * (selector & 1) if bits < 8 else 0)
    return e.constant(source), e.constant((8 * (first + apart * (lane // 16))).astype(np.uint32))


def _extend_matrix(name: str, long: str) -> Handler:
    count, bits = _OF_A_LANE[name]

    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset(["scale_sel"]))
        destination, given, scales = i.operands
        if not e.chip.is_1250:
            raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
        destination = e.register(destination)
        e.line(f"S.need_all_lanes(G, {e.exec}, {e.site})")
        source, low = _scale_places(e, i, bits)
        read = f"S.swizzle(G, {e.exec}, {source}, {e.get(scales, 'u4', whole=True)})"
        scale = e.fresh(f"e8m0_value(({read} >> {low}) & 255)")
        values = [e.fresh(f"{code}.astype(f8) * {scale}") for code in _short_values(e, given, name, count, bits)]
        if long == "f32":
            for n, value in enumerate(values):
                e.put_word(destination.number + n, f"({value}).astype(f4)", "f4")
            return
        form = "({0}).astype(f2).view(u2)" if long == "f16" else "bf16_bits({0})"
        for n in range(count // 2):
            halves = ", ".join(form.format(v) for v in values[2 * n : 2 * n + 2])
            e.put_word(destination.number + n, f"pack_halves({halves})")

    return handler


def _short_values(e: Emitter, given: Operand, name: str, count: int, bits: int) -> list[str]:
    """Elements that lie one after another in a lane's registers."""
    if isinstance(given, Register) and given.count > 1:
        held = [e.word(given.number + n) for n in range(given.count)]
    else:
        held = [e.get(given, "u4")]
    if 32 * len(held) != count * bits:
        raise e.fault(f"{len(held)} registers where {count * bits // 32} are expected", "syntax")
    found: list[str] = []
    for n in range(count):
        number, shift = divmod(n * bits, 32)
        code = f"({held[number]} >> {e.number(shift, 'u4')})"
        if shift + bits > 32:
            code = f"({code} | ({held[number + 1]} << {e.number(32 - shift, 'u4')}))"
        if name in ("fp8", "bf8"):
            found.append(f"fp8_value({code}.astype(u1), {name!r}, False)")
        elif name == "fp4":
            found.append(f"fp4_value({code} & 15)")
        else:
            found.append(f"fp6_value({code} & 63, {name!r})")
    return found


SCALED: dict[str, Handler] = {
    **{
        f"v_cvt_scale_pk{count}_{long}_{name}": _extend_matrix(name, long)
        for name, (count, _) in _OF_A_LANE.items()
        for long in ("f32", *_HALVES)
    },
    **{f"v_cvt_scalef32_pk_{long}_{name}": _extend(name, long) for long in ("f32", *_HALVES) for name in _SHORT},
    **{f"v_cvt_scalef32_pk_{name}_{long}": _shorten(name, long) for long in ("f32", *_HALVES) for name in _SHORT},
}
"""Opcodes of conversions with a scale."""
