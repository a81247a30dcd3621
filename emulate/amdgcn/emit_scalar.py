"""The scalar unit: arithmetic on values of a wave, lane masks, conditions, and instructions without effect."""

from __future__ import annotations

import re

from ...support.dataclasses import dataclass
from .emit import Emitter, Handler, registers
from .emit_vector import check_modifiers, scaled
from .operands import parse_operand
from .syntax import VECTOR, Exec, Immediate, Instruction, Operand, Register, Symbol, address_of, words
from .vector_table import COMPARED, COMPARISONS, TABLE


@dataclass(frozen=True)
class Operation:
    """Types, expression, and what becomes of the condition: "nz", "carry", "" or an expression of {r}, {0}, {1}."""

    result: str
    sources: tuple[str, ...]
    expression: str
    condition: str = ""


def _op(result: str, sources: str, expression: str, condition: str = "") -> Operation:
    return Operation(result, tuple(sources.split()), expression, condition)


_ADD_OVERFLOW = "((({0} ^ {r}) & ({1} ^ {r})) < 0)"
_SUB_OVERFLOW = "((({0} ^ {1}) & ({0} ^ {r})) < 0)"

SCALAR: dict[str, Operation] = {
    "s_mul_i32": _op("u4", "u4 u4", "{0} * {1}"),
    "s_mul_u64": _op("u8", "u8 u8", "{0} * {1}"),
    "s_mul_hi_u32": _op("u4", "u4 u4", "multiply_high({0}, {1})"),
    "s_mul_hi_i32": _op("i4", "i4 i4", "multiply_high({0}, {1})"),
    "s_add_nc_u64": _op("u8", "u8 u8", "{0} + {1}"),
    "s_add_u64": _op("u8", "u8 u8", "{0} + {1}"),
    "s_sub_nc_u64": _op("u8", "u8 u8", "{0} - {1}"),
    "s_sub_u64": _op("u8", "u8 u8", "{0} - {1}"),
    "s_abs_i32": _op("i4", "i4", "absolute({0})", "nz"),
    "s_absdiff_i32": _op("i4", "i4 i4", "absolute({0} - {1})", "nz"),
    "s_sext_i32_i8": _op("i4", "u4", "{0}.astype(i1).astype(i4)"),
    "s_sext_i32_i16": _op("i4", "u4", "{0}.astype(i2).astype(i4)"),
    "s_bfm_b32": _op("u4", "u4 u4", "((one << ({0} & 31)) - one) << ({1} & 31)"),
    "s_bfm_b64": _op("u8", "u4 u4", "((one_u8 << ({0} & 63).astype(u8)) - one_u8) << ({1} & 63).astype(u8)"),
    "s_bfe_u32": _op("u4", "u4 u4", "scalar_field({0}, {1})", "nz"),
    "s_bfe_i32": _op("i4", "i4 u4", "scalar_field({0}, {1})", "nz"),
    "s_bfe_u64": _op("u8", "u8 u4", "scalar_field({0}, {1})", "nz"),
    "s_bfe_i64": _op("i8", "i8 u4", "scalar_field({0}, {1})", "nz"),
    "s_pack_ll_b32_b16": _op("u4", "u4 u4", "({0} & LOW_HALF) | ({1} << SIXTEEN)"),
    "s_pack_lh_b32_b16": _op("u4", "u4 u4", "({0} & LOW_HALF) | ({1} & HIGH_HALF)"),
    "s_pack_hh_b32_b16": _op("u4", "u4 u4", "({0} >> SIXTEEN) | ({1} & HIGH_HALF)"),
    "s_pack_hl_b32_b16": _op("u4", "u4 u4", "({0} >> SIXTEEN) | ({1} << SIXTEEN)"),
    "s_lshl1_add_u32": _op("u4", "u4 u4", "({0} << 1) + {1}", "shifted_carry({0}, {1}, 1)"),
    "s_lshl2_add_u32": _op("u4", "u4 u4", "({0} << 2) + {1}", "shifted_carry({0}, {1}, 2)"),
    "s_lshl3_add_u32": _op("u4", "u4 u4", "({0} << 3) + {1}", "shifted_carry({0}, {1}, 3)"),
    "s_lshl4_add_u32": _op("u4", "u4 u4", "({0} << 4) + {1}", "shifted_carry({0}, {1}, 4)"),
    "s_min_i32": _op("i4", "i4 i4", "minimum_of({0}, {1})", "{0} < {1}"),
    "s_max_i32": _op("i4", "i4 i4", "maximum_of({0}, {1})", "{0} > {1}"),
    "s_min_u32": _op("u4", "u4 u4", "minimum_of({0}, {1})", "{0} < {1}"),
    "s_max_u32": _op("u4", "u4 u4", "maximum_of({0}, {1})", "{0} > {1}"),
    "s_cvt_f32_i32": _op("f4", "i4", "{0}.astype(f4)"),
    "s_cvt_f32_u32": _op("f4", "u4", "{0}.astype(f4)"),
    "s_cvt_i32_f32": _op("i4", "f4", "to_integer({0}, i4)"),
    "s_cvt_u32_f32": _op("u4", "f4", "to_integer({0}, u4)"),
    "s_cvt_f16_f32": _op("u4", "f4", "{0}.astype(f2).view(u2).astype(u4)"),
    "s_cvt_f32_f16": _op("f4", "f2", "{0}.astype(f4)"),
    "s_cvt_hi_f32_f16": _op("f4", "f2h", "{0}.astype(f4)"),
    "s_cvt_pk_rtz_f16_f32": _op("u4", "f4 f4", "pack_halves(f16_toward_zero({0}), f16_toward_zero({1}))"),
    "s_fmac_f32": _op("f4", "f4 f4 f4", "fma_f32({0}, {1}, {2})"),
    "s_fmamk_f32": _op("f4", "f4 f4 f4", "fma_f32({0}, {1}, {2})"),
    "s_fmaak_f32": _op("f4", "f4 f4 f4", "fma_f32({0}, {1}, {2})"),
}
for _names, _type, _expression, _overflow in (
    ("s_add_i32 s_add_co_i32", "i4", "{0} + {1}", _ADD_OVERFLOW),
    ("s_sub_i32 s_sub_co_i32", "i4", "{0} - {1}", _SUB_OVERFLOW),
    ("s_add_u32 s_add_co_u32", "u4", "{0} + {1}", "{r} < {0}"),
    ("s_sub_u32 s_sub_co_u32", "u4", "{0} - {1}", "{0} < {1}"),
):
    for _name in _names.split():
        SCALAR[_name] = _op(_type, f"{_type} {_type}", _expression, _overflow)
for _bits, _type, _signed in (("32", "u4", "i4"), ("64", "u8", "i8")):
    _limit = str(int(_bits) - 1)
    SCALAR[f"s_lshl_b{_bits}"] = _op(_type, f"{_type} u4", f"{{0}} << ({{1}} & {_limit}).astype({_type})", "nz")
    SCALAR[f"s_lshr_b{_bits}"] = _op(_type, f"{_type} u4", f"{{0}} >> ({{1}} & {_limit}).astype({_type})", "nz")
    SCALAR[f"s_ashr_i{_bits}"] = _op(_signed, f"{_signed} u4", f"{{0}} >> ({{1}} & {_limit}).astype({_signed})", "nz")
    SCALAR[f"s_brev_b{_bits}"] = _op(_type, _type, "reverse_bits({0})")
    SCALAR[f"s_bcnt1_i32_b{_bits}"] = _op("u4", _type, "bitwise_count({0}).astype(u4)", "nz")
    SCALAR[f"s_bcnt0_i32_b{_bits}"] = _op("u4", _type, "bitwise_count(~{0}).astype(u4)", "nz")
    for _name in (f"s_ff1_i32_b{_bits}", f"s_ctz_i32_b{_bits}"):
        SCALAR[_name] = _op("u4", _type, "trailing_zeros({0})")
    for _name in (f"s_flbit_i32_b{_bits}", f"s_clz_i32_u{_bits}"):
        SCALAR[_name] = _op("u4", _type, "leading_zeros({0})" if _bits == "32" else "leading_zeros_wide({0})")
for _name in ("s_flbit_i32", "s_cls_i32"):
    SCALAR[_name] = _op("u4", "i4", "leading_signs({0})")
for _suffix in ("f32", "f16"):
    for _name in words("add sub mul min max min_num max_num minimum maximum trunc ceil floor rndne"):
        _found = TABLE[f"v_{_name}_{_suffix}"]
        SCALAR[f"s_{_name}_{_suffix}"] = Operation(_found.result, _found.sources, _found.expression)
    for _name in words("exp log rcp rsq sqrt"):
        _found = TABLE[f"v_{_name}_{_suffix}"]
        SCALAR[f"v_s_{_name}_{_suffix}"] = Operation(_found.result, _found.sources, _found.expression)
SCALAR["s_fmac_f16"] = _op("f2", "f2 f2 f2", "fma_f16({0}, {1}, {2})")

_MODIFIERS = frozenset(words("clamp mul div"))
_ACCUMULATES = frozenset(["s_fmac_f32", "s_fmac_f16"])


def _scalar_destination(e: Emitter, i: Instruction) -> Operand:
    destination = i.operands[0]
    if isinstance(destination, Register) and destination.number >= VECTOR:
        raise e.fault("a vector register in a scalar instruction", "syntax")
    return destination


def _put(e: Emitter, destination: Operand, expression: str, code: str) -> None:
    if code == "f2":
        expression, code = f"({expression}).view(u2).astype(u4)", "u4"
    e.put(destination, expression, code)


def _arithmetic(e: Emitter, i: Instruction) -> None:
    operation = SCALAR[i.opcode]
    operands = i.operands[1:]
    if i.opcode in _ACCUMULATES:
        operands = (*operands, i.operands[0])
    check_modifiers(e, i, _MODIFIERS if i.opcode.startswith("v_s_") else frozenset())
    if len(operands) != len(operation.sources):
        raise e.fault(f"{len(operands)} operands where {len(operation.sources)} are expected")
    if len(operands) == 2 and isinstance(operands[1], Symbol):
        _symbol_address(e, i, operands[1])
        return
    names = [e.fresh(e.get(o, t)) for o, t in zip(operands, operation.sources, strict=True)]
    value = e.fresh(scaled(e, i, operation.expression.format(*names), operation.result))
    _put(e, _scalar_destination(e, i), value, operation.result)
    if operation.condition == "nz":
        e.put_scc(f"{value} != 0")
    elif operation.condition:
        e.put_scc(operation.condition.format(*names, r=value))


def _symbol_address(e: Emitter, i: Instruction, symbol: Symbol) -> None:
    """What is added to the program counter is a distance to the symbol, from where its own bytes are; so the sum is the
    symbol's address if what is added to the symbol is how far these are behind s_getpc. The rest is an offset."""
    part, of_low_word = _PARTS.get(symbol.relocation, ("", -1))
    base = i.operands[1]
    start = e.counters.get(base.number) if isinstance(base, Register) else None
    if of_low_word < 0 or start is None:
        raise e.fault(f"relocation {symbol.relocation!r}" if of_low_word < 0 else "a distance from nowhere", "syntax")
    behind = 4 * (e.site - start) + of_low_word
    e.put(i.operands[0], f"{part}(S.symbol({symbol.name!r}, {symbol.addend - behind}))", "u4" if part else "u8")
    if part:  # a sum of 64 bits at once leaves the condition alone
        e.put_scc("FALSE")


_PARTS = {"rel32@lo": ("low_word", 0), "rel32@hi": ("high_word", 4), "rel64": ("", 0)}
"""The half of the address, and bytes of constants in the instructions that came before; each has 4 besides."""


def _carrying(subtract: bool) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        if isinstance(i.operands[2], Symbol):
            _symbol_address(e, i, i.operands[2])
            return
        a, b = (e.fresh(f"{e.get(o, 'u4')}.astype(u8)") for o in i.operands[1:3])
        carry = f"{e.scc()}.astype(u8)"
        total = e.fresh(f"{a} - {b} - {carry}" if subtract else f"{a} + {b} + {carry}")
        e.put(_scalar_destination(e, i), f"{total}.astype(u4)", "u4")
        e.put_scc(f"{total} > LOW_WORD")

    return handler


# ---- moves and masks ------------------------------------------------------------------------------------------------


def _code(i: Instruction) -> str:
    return "u8" if i.opcode.endswith("64") else "u4"


def _is_mask(e: Emitter, i: Instruction) -> bool:
    """Whether to work on lane masks: a mask-wide operation with a mask at hand."""
    if (_code(i) == "u8") != (e.chip.wavefront == 64):
        return False
    return any(e.is_mask(o) for o in i.operands)


def _move(e: Emitter, i: Instruction) -> None:
    destination, source = i.operands
    if isinstance(source, Symbol):
        _absolute_symbol(e, i, source)
        return
    _scalar_destination(e, i)
    if _is_mask(e, i) and (e.is_mask(source) or isinstance(destination, Exec)):
        e.put_mask(destination, e.mask(source))
    else:
        e.put(destination, e.get(source, _code(i)), _code(i))


def _absolute_symbol(e: Emitter, i: Instruction, symbol: Symbol) -> None:
    part = {"abs32@lo": "low_word", "abs32@hi": "high_word", "abs64": ""}.get(symbol.relocation)
    if part is None:
        raise e.fault(f"relocation {symbol.relocation!r}")
    e.put(i.operands[0], f"{part}(S.symbol({symbol.name!r}, {symbol.addend}))", "u4" if part else "u8")


def _move_small(e: Emitter, i: Instruction) -> None:
    source = i.operands[1]
    if not isinstance(source, Immediate):
        raise e.fault("s_movk of what is not a literal")
    value = int(source.value) & 0xFFFF
    e.put(_scalar_destination(e, i), e.number(value - (value >> 15 << 16), "u4"), "u4")


def _small_arithmetic(text: str, condition: str) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        source = i.operands[1]
        if not isinstance(source, Immediate):
            raise e.fault("a number is expected", "syntax")
        value = int(source.value) & 0xFFFF
        old, small = e.get(i.operands[0], "i4"), e.number(value - (value >> 15 << 16), "i4")
        new = e.fresh(text.format(old, small))
        if condition:
            e.put_scc(condition.format(old, small, r=new))
        e.put(_scalar_destination(e, i), new, "i4")

    return handler


_LOGIC = {
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "nand": "~({0} & {1})",
    "nor": "~({0} | {1})",
    "xnor": "~({0} ^ {1})",
    "andn2": "{0} & ~{1}",
    "and_not1": "{0} & ~{1}",
    "orn2": "{0} | ~{1}",
    "or_not1": "{0} | ~{1}",
    "not": "~{0}",
    "wqm": "whole_quads({0})",
}
_SHRINKS = frozenset(["and", "andn2", "and_not1"])


def _logic(name: str) -> Handler:
    """On masks when one is at hand, else on words; the condition is "some bit is set"."""
    text = _LOGIC[name]

    def handler(e: Emitter, i: Instruction) -> None:
        destination, *sources = i.operands
        _scalar_destination(e, i)
        if _is_mask(e, i):
            value = e.fresh(text.format(*(e.mask(o) for o in sources)))
            if isinstance(destination, Exec):
                e.set_exec(value, inside=name in _SHRINKS and isinstance(sources[0], Exec))
            else:
                e.put_mask(destination, value)
            e.put_scc(f"any_lane({value})")
            return
        if name == "wqm":
            raise e.fault("s_wqm of what is not a lane mask")
        value = e.fresh(text.format(*(e.get(o, _code(i)) for o in sources)))
        e.put(destination, value, _code(i))
        e.put_scc(f"{value} != 0")

    return handler


_SAVE = {
    "and": "{old} & {0}",
    "or": "{old} | {0}",
    "xor": "{old} ^ {0}",
    "andn2": "{0} & ~{old}",
    "and_not1": "{0} & ~{old}",
    "andn1": "{old} & ~{0}",
    "and_not0": "{old} & ~{0}",
    "orn2": "{0} | ~{old}",
    "or_not1": "{0} | ~{old}",
    "orn1": "{old} | ~{0}",
    "or_not0": "{old} | ~{0}",
    "nand": "~({0} & {old})",
    "nor": "~({0} | {old})",
    "xnor": "~({0} ^ {old})",
}


def _save_exec(name: str) -> Handler:
    """d = exec; exec = op(s, exec)."""

    def handler(e: Emitter, i: Instruction) -> None:
        destination, source = i.operands
        old, value = e.exec, e.mask(source)
        new = e.fresh(_SAVE[name].format(value, old=old))
        e.put_mask(destination, old)
        e.put_scc(f"any_lane({new})")
        e.set_exec(new, inside=name in ("and", "andn1", "and_not0"))

    return handler


def _select(e: Emitter, i: Instruction) -> None:
    destination, yes, no = i.operands
    code = _code(i)
    if _is_mask(e, i):
        e.put_mask(destination, f"where({e.scc()}, {e.mask(yes)}, {e.mask(no)})")
    else:
        e.put(destination, f"where({e.scc()}, {e.get(yes, code)}, {e.get(no, code)})", code)


def _conditional_move(e: Emitter, i: Instruction) -> None:
    destination, source = i.operands
    code = _code(i)
    e.put(destination, f"where({e.scc()}, {e.get(source, code)}, {e.get(destination, code)})", code)


def _compare(e: Emitter, i: Instruction) -> None:
    _, _, rest = i.opcode.partition("s_cmp_")
    relation, _, kind = rest.rpartition("_")
    code = COMPARED[kind]
    a, b = (e.fresh(e.get(o, code)) for o in i.operands)
    e.put_scc(COMPARISONS[relation].format(a, b))


def _compare_small(e: Emitter, i: Instruction) -> None:
    relation, kind = i.opcode.removeprefix("s_cmpk_").split("_")
    code = "i4" if kind == "i32" else "u4"
    source = i.operands[1]
    if not isinstance(source, Immediate):
        raise e.fault("a number is expected", "syntax")
    value = int(source.value) & 0xFFFF
    literal = e.number(value - (value >> 15 << 16) if code == "i4" else value, code)
    e.put_scc(COMPARISONS[relation].format(e.get(i.operands[0], code), literal))


def _bit_test(e: Emitter, i: Instruction) -> None:
    code = "u8" if i.opcode.endswith("64") else "u4"
    wanted = int(i.opcode[8])
    a, b = e.get(i.operands[0], code), e.get(i.operands[1], "u4")
    limit = 8 * int(code[1]) - 1
    e.put_scc(f"(({a} >> ({b} & {limit}).astype({code})) & 1) == {wanted}")


def _bit_set(e: Emitter, i: Instruction) -> None:
    code = _code(i)
    limit = 8 * int(code[1]) - 1
    old, place = e.get(i.operands[0], code), e.get(i.operands[1], "u4")
    bit = e.fresh(f"one_{code} << ({place} & {limit}).astype({code})")
    e.put(i.operands[0], f"{old} | {bit}" if "bitset1" in i.opcode else f"{old} & ~{bit}", code)


# ---- the machine ----------------------------------------------------------------------------------------------------


def _program_counter(e: Emitter, i: Instruction) -> None:
    """The address of the next instruction."""
    e.put(i.operands[0], e.number(address_of(e.site + 1), "u8"), "u8")
    e.counters |= dict.fromkeys(registers(i.operands[0]), e.site)


_HARDWARE_REGISTER = re.compile(r"(\S+?),?\s*hwreg\((\w+)(?:,\s*(\d+),\s*(\d+))?\)(?:,\s*(.*))?$")


def _get_hardware(e: Emitter, i: Instruction) -> None:
    """Only the cluster status of gfx1250, which says that there are no clusters."""
    match = _HARDWARE_REGISTER.match(i.modifiers["raw"])
    if match is None or match[2] != "HW_REG_IB_STS2":
        raise e.fault("s_getreg of this register")
    e.put(parse_operand(match[1], e.fault), e.number(0, "u4"), "u4")


def _set_hardware(e: Emitter, i: Instruction) -> None:
    """Denormals are always kept; rounding must stay to nearest even."""
    raw = i.modifiers["raw"]
    match = re.match(r"hwreg\((\w+)(?:,\s*(\d+),\s*(\d+))?\),\s*(\S+)$", raw)
    if match is None or match[1] not in ("HW_REG_MODE", "HW_REG_WAVE_MODE"):
        raise e.fault("s_setreg of this register")
    first, count = int(match[2] or 0), int(match[3] or 32)
    rounding = ((int(match[4], 0) & ((1 << count) - 1)) << first) & 15
    if first < 4 and rounding:
        raise e.fault("a rounding mode other than to nearest even")


def _round_mode(e: Emitter, i: Instruction) -> None:
    source = i.operands[0]
    if not isinstance(source, Immediate) or source.value:
        raise e.fault("a rounding mode other than to nearest even")


def _nothing(e: Emitter, i: Instruction) -> None:
    """Scheduling, caches and waits: no effect on results here (waits are checked by `waits`)."""


def _set_high_registers(e: Emitter, i: Instruction) -> None:
    """The instructions behind it are read accordingly, see `high_registers`."""
    if not e.chip.is_1250:
        raise e.fault(f"opcode {i.opcode}")


_WITHOUT_EFFECT = words(
    "s_nop s_clause s_delay_alu s_waitcnt s_waitcnt_depctr s_wait_alu s_waitcnt_vscnt s_waitcnt_lgkmcnt "
    "s_waitcnt_vmcnt s_waitcnt_expcnt s_wait_loadcnt s_wait_storecnt s_wait_dscnt s_wait_kmcnt s_wait_samplecnt "
    "s_wait_bvhcnt s_wait_expcnt s_wait_xcnt s_wait_asynccnt s_wait_tensorcnt s_wait_loadcnt_dscnt "
    "s_wait_storecnt_dscnt s_wait_event s_wait_idle s_sendmsg s_setprio s_sleep s_sethalt s_icache_inv s_dcache_inv "
    "s_dcache_wb s_inst_prefetch s_set_inst_prefetch_distance s_prefetch_inst s_prefetch_inst_pc_rel s_prefetch_data "
    "s_code_end s_denorm_mode s_sched_barrier s_ttracedata s_ttracedata_imm s_version s_gl1_inv s_monitor_sleep "
    "global_inv global_wb global_wbinv buffer_gl0_inv buffer_gl1_inv buffer_inv buffer_wbl2 buffer_invl2 "
    "buffer_wbinvl1 buffer_wbinvl1_vol s_setprio_inc_wg global_prefetch_b8"
)

_INTEGERS = ("i32", "u32", "u64")
SCALAR_UNIT: dict[str, Handler] = {
    **dict.fromkeys(SCALAR, _arithmetic),
    **dict.fromkeys(_WITHOUT_EFFECT, _nothing),
    **dict.fromkeys(("s_addc_u32", "s_add_co_ci_u32"), _carrying(False)),
    **dict.fromkeys(("s_subb_u32", "s_sub_co_ci_u32"), _carrying(True)),
    **{f"s_{name}_b{bits}": _logic(name) for name in _LOGIC for bits in (32, 64)},
    **{f"s_{name}_saveexec_b{bits}": _save_exec(name) for name in _SAVE for bits in (32, 64)},
    **{f"s_cmp_{relation}_{kind}": _compare for relation in COMPARISONS for kind in (*_INTEGERS, "f16", "f32")},
    **{f"s_cmpk_{relation}_{kind}": _compare_small for relation in COMPARISONS for kind in ("i32", "u32")},
    **dict.fromkeys((f"s_bitcmp{b}_b{w}" for b in (0, 1) for w in (32, 64)), _bit_test),
    **dict.fromkeys((f"s_bitset{b}_b{w}" for b in (0, 1) for w in (32, 64)), _bit_set),
    **dict.fromkeys(("s_mov_b32", "s_mov_b64"), _move),
    **dict.fromkeys(("s_cselect_b32", "s_cselect_b64"), _select),
    **dict.fromkeys(("s_cmov_b32", "s_cmov_b64"), _conditional_move),
    "s_movk_i32": _move_small,
    **dict.fromkeys(("s_addk_i32", "s_addk_co_i32"), _small_arithmetic("{0} + {1}", _ADD_OVERFLOW)),
    "s_mulk_i32": _small_arithmetic("{0} * {1}", ""),
    **dict.fromkeys(("s_getpc_b64", "s_get_pc_i64"), _program_counter),
    "s_getreg_b32": _get_hardware,
    "s_setreg_imm32_b32": _set_hardware,
    "s_round_mode": _round_mode,
    "s_set_vgpr_msb": _set_high_registers,
}
"""Opcodes of the scalar unit, except branches, barriers and memory."""
