"""Vector arithmetic: operand and result modifiers, comparisons, carries, selections, divisions."""

from __future__ import annotations

import numpy as np

from ..machine.writer import size_of
from . import lane_patterns
from .emit import Emitter, Handler
from .syntax import Immediate, Instruction, Operand, Register, words
from .vector_table import COMPARED, COMPARISONS, KEEPS_HIGH_HALF_ON_9, READS_DESTINATION, SATURATED, TABLE

_SCALES = {"mul:2": "2", "mul:4": "4", "div:2": "0.5"}
_KNOWN_MODIFIERS = lane_patterns.MODIFIERS | frozenset(
    words("clamp mul div op_sel row_mask bank_mask bound_ctrl fi src0_sel src1_sel dst_sel dst_unused byte_sel")
)


def check_modifiers(e: Emitter, i: Instruction, known: frozenset[str]) -> None:
    """Refuse what would otherwise be ignored."""
    for name in i.modifiers:
        if name not in known:
            raise e.fault(f"modifier {name}")


# ---- sources --------------------------------------------------------------------------------------------------------


def source(e: Emitter, i: Instruction, operand: Operand, position: int, code: str) -> str:
    """The value of source `position` after op_sel, SDWA and DPP."""
    if code == "b2":
        return e.fresh(f"bf16_value({source(e, i, operand, position, 'u2')})")
    if position == 0 and lane_patterns.is_permuted(i):
        return _permuted(e, i, operand, code)
    selected = i.modifiers.get(f"src{position}_sel", "DWORD")
    if selected != "DWORD":
        return _selected(e, operand, code, selected)
    high = size_of(code) == 2 and i.bits("op_sel", 4, 0)[position]
    return e.get(operand, code + "h" if high else code)


def _permuted(e: Emitter, i: Instruction, operand: Operand, code: str) -> str:
    if not isinstance(operand, Register) or size_of(code) == 8:
        raise e.fault("a permuted source that is not one register")
    lanes = e.chip.wavefront
    origin, valid = lane_patterns.sources(i, lanes)
    enabled = lane_patterns.enabled_lanes(i, lanes)
    zero = i.number("bound_ctrl") != 0 or "bound_ctrl" in i.modifiers
    value, mask = e.name(), e.name()
    plain = Register(operand.number)
    e.line(
        f"{value}, {mask} = permute(S, {e.get(plain, 'u4', whole=True)}, {e.exec}, {e.constant(origin)}, "
        f"{e.constant(valid)}, {e.constant(enabled)}, {zero}, {bool(i.number('fi'))})"
    )
    e.enabled = mask
    if size_of(code) == 2:
        value = e.fresh(f"{value}.astype(u2)")
        result = e.fresh(f"{value}.view({code})")
    else:
        result = e.fresh(f"{value}.view({code})")
    if operand.absolute:
        result = f"absolute({result})"
    return f"(-{result})" if operand.negative else result


def _selected(e: Emitter, operand: Operand, code: str, selection: str) -> str:
    """SDWA: a byte or half of a source, extended to the operation's type."""
    if not isinstance(operand, Register):
        raise e.fault("a selection of a literal")
    kind, _, place = selection.partition("_")
    width = {"BYTE": 1, "WORD": 2}[kind]
    word = e.get(Register(operand.number), "u4")
    part = e.fresh(f"({word} >> {8 * width * int(place)}).astype(u{width})")
    if code == "f2":
        result = e.fresh(f"{part}.astype(u2).view(f2)")
    elif operand.extended:
        result = e.fresh(f"{part}.view(i{width}).astype(i{size_of(code)}).view({code})")
    else:
        result = e.fresh(f"{part}.astype(u{size_of(code)}).view({code})")
    if operand.absolute:
        result = f"absolute({result})"
    return f"(-{result})" if operand.negative else result


# ---- results --------------------------------------------------------------------------------------------------------


def scaled(e: Emitter, i: Instruction, expression: str, code: str) -> str:
    """After the output modifiers."""
    if code[0] != "f":
        return expression
    if "mul" in i.modifiers or "div" in i.modifiers:
        factor = i.number("mul", 1) / i.number("div", 1)
        expression = f"({expression}) * {e.constant(np.dtype(code).type(factor))}"
    return f"clamp_unit({e.fresh(expression)})" if i.flag("clamp") else expression


def result(e: Emitter, i: Instruction, destination: Operand, expression: str, code: str, sources: int) -> None:
    """Write a result of any width, into the half or byte that the modifiers name."""
    selection = i.modifiers.get("dst_sel", "DWORD")
    if selection != "DWORD":
        _selected_result(e, i, destination, expression, code, selection)
    elif size_of(code) != 2:
        e.put(destination, expression, code)
    else:
        if not isinstance(destination, Register):
            raise e.fault("a 16-bit result outside of the registers")
        high = destination.half == "h" or bool(i.bits("op_sel", 4, 0)[sources])
        keep = True if high or destination.half or i.opcode in KEEPS_HIGH_HALF_ON_9 else None
        e.put_half(destination.number, "h" if high else "l", expression, code, keep=keep)


def _selected_result(
    e: Emitter, i: Instruction, destination: Operand, expression: str, code: str, selection: str
) -> None:
    destination = e.register(destination)
    kind, _, place = selection.partition("_")
    width = {"BYTE": 8, "WORD": 16}[kind]
    shift, mask = width * int(place), (1 << width) - 1
    bits = e.fresh(f"({expression}).view(u{size_of(code)}).astype(u4) & {e.number(mask, 'u4')}")
    unused = i.modifiers.get("dst_unused", "UNUSED_PAD")
    if unused == "UNUSED_SEXT":
        raise e.fault("dst_unused:UNUSED_SEXT")
    value = f"({bits} << {shift})"
    if unused == "UNUSED_PRESERVE":
        old = e.get(Register(destination.number), "u4")
        value = f"({old} & {e.number(~(mask << shift), 'u4')}) | {value}"
    e.put_word(destination.number, value)


# ---- handlers -------------------------------------------------------------------------------------------------------


def elementwise(e: Emitter, i: Instruction) -> None:
    """Anything in the table."""
    check_modifiers(e, i, _KNOWN_MODIFIERS)
    operation = TABLE[i.opcode]
    operands = i.operands[1:]
    if i.opcode in READS_DESTINATION:
        operands = (*operands, i.operands[0])
    if len(operands) != len(operation.sources):
        raise e.fault(f"{len(operands)} operands where {len(operation.sources)} are expected")
    expression = operation.expression
    if i.flag("clamp") and operation.result[0] != "f":
        if i.opcode not in SATURATED:
            raise e.fault("clamp of an integer operation")
        expression = SATURATED[i.opcode]
    names = [source(e, i, o, n, t) for n, (o, t) in enumerate(zip(operands, operation.sources, strict=True))]
    text = scaled(e, i, expression.format(*names), operation.result)
    result(e, i, i.operands[0], text, operation.result, len(i.operands) - 1)


def _compare(e: Emitter, i: Instruction) -> None:
    """v_cmp writes a mask; v_cmpx the execution mask (and, on gfx9, both)."""
    check_modifiers(e, i, _KNOWN_MODIFIERS)
    writes_exec = i.opcode.startswith("v_cmpx_")
    _, _, rest = i.opcode.partition("v_cmpx_" if writes_exec else "v_cmp_")
    relation, _, kind = rest.rpartition("_")
    left, right = i.operands[-2:]
    if relation == "class":
        t = COMPARED[kind]
        truth = f"class_of({source(e, i, left, 0, t)}, {source(e, i, right, 1, 'u2' if t == 'f2' else 'u4')})"
    else:
        t = COMPARED[kind]
        a, b = (e.fresh(source(e, i, o, n, t)) for n, o in enumerate((left, right)))
        truth = COMPARISONS[relation].format(a, b)
    mask = e.fresh(f"both({e.exec}, {truth})")
    if len(i.operands) == 3:
        e.put_mask(i.operands[0], mask)
    if writes_exec:
        e.set_exec(mask, inside=True)


def _select(code: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, _KNOWN_MODIFIERS)
        destination, no, yes = i.operands[:3]
        mask = e.mask(i.operands[3] if len(i.operands) > 3 else e.vcc)
        text = f"where({mask}, {source(e, i, yes, 1, code)}, {source(e, i, no, 0, code)})"
        result(e, i, destination, text, code, 3)

    return handler


def _carrying(subtract: bool, reverse: bool, carry_in: bool) -> Handler:
    """d, carry out = a +- b +- carry in."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, _KNOWN_MODIFIERS)
        destination, out = i.operands[:2]
        a, b = (source(e, i, o, n, "u4") for n, o in enumerate(i.operands[2:4]))
        if reverse:
            a, b = b, a
        sign = "-" if subtract else "+"
        total = e.fresh(f"{a} {sign} {b}")
        carry = f"{a} < {b}" if subtract else f"{total} < {a}"
        if carry_in:
            more = e.fresh(f"{e.mask(i.operands[4])}.astype(u4)")
            final = e.fresh(f"{total} {sign} {more}")
            second = f"{total} < {more}" if subtract else f"{final} < {more}"
            carry = f"({carry}) | ({second})"
            total = final
        mask = e.exec
        e.put_mask_later(out, f"both({mask}, {carry})")
        e.put(destination, total, "u4")

    return handler


def _multiply_add_wide(code: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset())
        destination, out = i.operands[:2]
        narrow = code[0] + "4"
        a, b = (e.get(o, narrow) for o in i.operands[2:4])
        c = e.get(i.operands[4], code)
        product = e.fresh(f"multiply_wide({a}, {b})")
        total = e.fresh(f"{product} + {c}")
        if code == "u8":
            e.put_mask_later(out, f"both({e.exec}, {total} < {product})")
        else:
            e.put_mask_later(out, f"both({e.exec}, ({total} < {product}) != ({c} < 0))")
        e.put(destination, total, code)

    return handler


def _division_scale(code: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset())
        destination, out = i.operands[:2]
        a, b, c = (e.fresh(e.get(o, code)) for o in i.operands[2:5])
        e.put_mask_later(out, f"both({e.exec}, division_flag({b}, {c}))")
        e.put(destination, f"division_scale({a}, {b}, {c})", code)

    return handler


def _division_finish(code: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset())
        a, b, c = (e.get(o, code) for o in i.operands[1:4])
        e.put(i.operands[0], f"division_finish({a}, {b}, {c}, {e.mask(e.vcc)})", code)

    return handler


def _nothing(e: Emitter, i: Instruction) -> None:
    """An instruction without effect on results."""


def _swap(e: Emitter, i: Instruction) -> None:
    a, b = (e.get(o, "u4") for o in i.operands)
    e.put(i.operands[0], b, "u4")
    e.put(i.operands[1], a, "u4")


def _bit_table(e: Emitter, i: Instruction) -> None:
    """v_bitop3 and its form with two operands."""
    operands: list[Operand] = [*i.operands[1:], Immediate(0)][:3]
    code = "u2" if i.opcode.endswith("b16") else "u4"
    names = [source(e, i, o, n, code) for n, o in enumerate(operands)]
    result(e, i, i.operands[0], f"bit_table({', '.join(names)}, {i.number('bitop3')})", code, 3)


def _zero_wins(e: Emitter, i: Instruction) -> None:
    """Products in which 0 times anything is 0."""
    names = [e.fresh(source(e, i, o, n, "f4")) for n, o in enumerate(i.operands[1:])]
    product = f"where(({names[0]} == 0) | ({names[1]} == 0), zero_f4, {names[0]} * {names[1]})"
    if i.opcode == "v_fma_dx9_zero_f32":
        product = f"where(({names[0]} == 0) | ({names[1]} == 0), {names[2]}, fma_f32({', '.join(names)}))"
    e.put(i.operands[0], scaled(e, i, product, "f4"), "f4")


def dual(e: Emitter, i: Instruction) -> None:
    """Two operations that both read before either writes."""
    second = i.paired
    assert second is not None
    e.hold()
    for half in (i, second):
        opcode = half.opcode.replace("v_dual_", "v_")
        if opcode not in VECTOR:
            raise e.fault(f"opcode {half.opcode}")
        VECTOR[opcode](e, Instruction(opcode, half.operands, half.modifiers, i.line, i.text, half.encoding))
    e.release()


VECTOR: dict[str, Handler] = {
    **dict.fromkeys(TABLE, elementwise),
    **{
        f"v_cmp{x}_{relation}_{kind}": _compare
        for x in ("", "x")
        for kind in COMPARED
        for relation in (*COMPARISONS, *(("class",) if kind[0] == "f" else ()))
    },
    "v_cndmask_b32": _select("u4"),
    "v_cndmask_b16": _select("u2"),
    "v_add_co_u32": _carrying(False, False, False),
    "v_sub_co_u32": _carrying(True, False, False),
    "v_subrev_co_u32": _carrying(True, True, False),
    **dict.fromkeys(("v_addc_co_u32", "v_add_co_ci_u32"), _carrying(False, False, True)),
    **dict.fromkeys(("v_subb_co_u32", "v_sub_co_ci_u32"), _carrying(True, False, True)),
    **dict.fromkeys(("v_subbrev_co_u32", "v_subrev_co_ci_u32"), _carrying(True, True, True)),
    **dict.fromkeys(("v_mad_u64_u32", "v_mad_co_u64_u32"), _multiply_add_wide("u8")),
    **dict.fromkeys(("v_mad_i64_i32", "v_mad_co_i64_i32"), _multiply_add_wide("i8")),
    "v_div_scale_f32": _division_scale("f4"),
    "v_div_scale_f64": _division_scale("f8"),
    "v_div_fmas_f32": _division_finish("f4"),
    "v_div_fmas_f64": _division_finish("f8"),
    "v_swap_b32": _swap,
    **dict.fromkeys(("v_bitop3_b32", "v_bitop3_b16", "v_bitop2_b32"), _bit_table),
    **dict.fromkeys(("v_mul_legacy_f32", "v_mul_dx9_zero_f32", "v_fma_dx9_zero_f32"), _zero_wins),
    "v_nop": _nothing,
    "v_pipeflush": _nothing,
}
"""Opcodes of the vector unit that stay within a lane and a register."""
