"""Vector registers from v256 on, which gfx1250 reaches by s_set_vgpr_msb: an instruction names the lower eight bits.

Its low byte holds two more bits for each of src0, src1, src2 and the result, from the lowest on; they count until the
next one, and are 0 at the entry. (The high byte is what was set before, which hardware does not read.) They are part of
the mode, and s_setreg_imm32 of whatever field of it takes them from bits 12 to 19 of its number, the result's lowest.
Sources: LLVM's AMDGPULowerVGPREncoding, and AMDGPUBaseInfo for which operand is which. Here every instruction gets the
registers that it means. That is a reading of the text: where ways meet, what they have set must be the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...support.dataclasses import replace
from ..faults import EmulationFault
from .syntax import ACCUMULATOR, VECTOR, Immediate, Instruction, Operand, Register

OPCODE = "s_set_vgpr_msb"
_SRC0, _SRC1, _SRC2, _RESULT, _NONE = range(5)
_LOW = 256
"""Registers that an instruction can name."""
_MODE = re.compile(r"hwreg\(HW_REG_(?:WAVE_)?MODE\b[^)]*\),\s*(0x[0-9a-fA-F]+|\d+)$")
_ROLES = tuple(
    (re.compile(pattern), roles)
    for pattern, roles in (
        (r"buffer_", (_RESULT, _SRC0)),
        (r"ds_(\w*load|\w+_rtn_|b?permute|swizzle|consume|append)", (_RESULT, _SRC0, _SRC1, _SRC2)),
        (r"ds_", (_SRC0, _SRC1, _SRC2)),
        (r"(global|flat|scratch|cluster)_load|\w+ TH_ATOMIC_RETURN", (_RESULT, _SRC0, _SRC1)),
        (r"(global|flat|scratch)_", (_SRC0, _SRC1)),
        (r"v_cmpx_", (_SRC0, _SRC1)),
        (r"v_(\w+_co_|div_scale_)", (_RESULT, _NONE, _SRC0, _SRC1, _SRC2)),
        (r"v_", (_RESULT, _SRC0, _SRC1, _SRC2)),
    )
)
"""Operands in the order of the text; those of a product's scales, which are beyond these, have no such bits."""


def with_high_registers(
    instructions: Sequence[Instruction], blocks: Sequence[tuple[int, int, tuple[int, ...]]]
) -> list[Instruction]:
    """The instructions with the registers that they mean; `blocks` are (first, last, successors).

    Raises `EmulationFault` where ways meet that have set different bits, or an operand names another register than is
    set.
    """
    found = list(instructions)
    entry: dict[int, int] = {0: 0}
    work = [0]
    while work:
        first, last, targets = blocks[number := work.pop()]
        bits = entry[number]
        for site in range(first, last):
            i = instructions[site]
            bits = _set_by(i, bits)
            found[site] = _raised(i, bits)
        for target in targets:
            if target not in entry:
                entry[target] = bits
                work.append(target)
            elif entry[target] != bits:
                raise _meeting(instructions, blocks[target][0], entry[target], bits)
    return found


def _set_by(i: Instruction, bits: int) -> int:
    """What is set behind an instruction."""
    if i.opcode == OPCODE:
        value = i.operands[0] if len(i.operands) == 1 else None
        if not isinstance(value, Immediate) or not isinstance(value.value, int):
            raise EmulationFault("syntax", f"{OPCODE} takes a number", instruction=i.text, line=i.line)
        return value.value & 0xFF
    mode = _MODE.match(i.modifiers.get("raw", "")) if i.opcode == "s_setreg_imm32_b32" else None
    if mode is None:
        return bits
    field = int(mode[1], 0) >> 12 & 0xFF
    return (field >> 2 | field << 6) & 0xFF


def _meeting(instructions: Sequence[Instruction], site: int, *settings: int) -> EmulationFault:
    there = instructions[site] if site < len(instructions) else instructions[-1]
    detail = f"ways that meet with different bits of {OPCODE}: " + " and ".join(f"0x{s:02x}" for s in sorted(settings))
    return EmulationFault("unsupported", detail, instruction=there.text, line=there.line)


def _raised(i: Instruction, bits: int) -> Instruction:
    if not bits and not any(map(_is_high, i.operands)) and i.paired is None:
        return i
    name = f"{i.opcode} {i.modifiers.get('th', '')}"
    roles = next((roles for pattern, roles in _ROLES if pattern.match(name)), ())
    operands = [_operand(i, operand, bits, role) for operand, role in zip(i.operands, roles, strict=False)]
    paired = _raised(i.paired, bits) if i.paired is not None else None
    return replace(i, operands=(*operands, *i.operands[len(operands) :]), paired=paired)


def _is_high(operand: Operand) -> bool:
    return isinstance(operand, Register) and VECTOR + _LOW <= operand.number < ACCUMULATOR


def _operand(i: Instruction, operand: Operand, bits: int, role: int) -> Operand:
    if role == _NONE or not isinstance(operand, Register) or not operand.is_vector:
        return operand
    named, high = operand.number - VECTOR, bits >> 2 * role & 3
    meant = named % _LOW + _LOW * high
    if named >= _LOW and named != meant:
        detail = f"v{named} where {OPCODE} has set v{meant}"
        raise EmulationFault("syntax", detail, instruction=i.text, line=i.line)
    return replace(operand, number=VECTOR + meant)
