"""How many operands an instruction has, and which of them must be registers of which file: checked before execution."""

from __future__ import annotations

import re

from ..faults import EmulationFault
from .emit_packed import HALVES, PAIRS
from .emit_scalar import SCALAR
from .syntax import SCC, VECTOR, Difference, Exec, Immediate, Instruction, Operand, Register, Special, Symbol
from .vector_table import READS_DESTINATION, TABLE

_ANY = 16
_WITHOUT_LANES = re.compile(r"s_|v_s_|v_readlane|v_readfirstlane")
_LANES_ONLY = re.compile(r"v_swap_|v_permlane(16|32)_swap_|v_permlane64_")
_MASKS = re.compile(r"v_cmp|v_cmpx")
_COUNTS: tuple[tuple[str, int, int], ...] = (
    (r"v_cmpx?_", 2, 3),
    (r"v_cndmask_", 3, 4),
    (r"v_(add|sub|subrev)_co_u32$", 4, 4),
    (r"v_(addc|subb|subbrev)_co_u32$|v_(add|sub|subrev)_co_ci_u32$", 5, 5),
    (r"v_mad_(co_)?[ui]64_[ui]32$|v_div_scale_", 5, 5),
    (r"v_mfma_scale_|v_wmma_scale", 6, 6),
    (r"v_div_fmas_|v_bitop3_|v_permlanex?16_b32$|v_m(fma|ac)_|v_(fma|mad)_mix|v_wmma_|v_swmmac_|v_fma_dx9", 4, 4),
    (r"v_cvt_scalef32_pk_(fp8|bf8|fp4)_f32$", 4, 4),
    (r"v_cvt_scalef32_pk_|v_cvt_scale_pk|v_permlanex?16_var_|v_cvt_(pk|sr)_(fp8|bf8)_f32$", 3, 3),
    (r"v_bitop2_|v_mul_(legacy|dx9_zero)_|v_(read|write)lane_|v_mbcnt_|v_pk_mov_", 3, 3),
    (r"v_dot", 3, 4),
    (r"v_cvt_(pk_)?f32_(fp8|bf8)$|v_swap_|v_readfirstlane_|v_permlane(64|16_swap|32_swap)_", 2, 2),
    (r"v_(nop|pipeflush)$", 0, 0),
    (r"ds_b?permute_", 3, 3),
    (r"ds_swizzle_|ds_(read|load)\w*_|ds_write_|ds_store_b|ds_store_d16", 2, 2),
    (r"ds_(write2|store_2addr)", 3, 3),
    (r"ds_atomic_async_", 1, 1),
    (r"tensor_(load_to|store_from)_lds", 2, 4),
    (r"ds_cmpst(ore)?_rtn_", 4, 4),
    (r"ds_cmpst|ds_\w+_rtn_", 3, 3),
    (r"ds_", 2, 2),
    (r"(global|flat|scratch)_(load|store)_lds|global_load_lds_", 2, 2),
    (r"global_load_async_to_lds_", 3, 3),
    (r"(flat)_(load|store)_", 2, 3),
    (r"(global|scratch)_(load|store)_", 3, 3),
    (r"(global|flat)_atomic_", 2, 4),
    (r"buffer_(load|store|atomic)_", 4, 4),
    (r"s_(buffer_)?load_", 2, 4),
    (r"s_(cselect|nand|nor|xnor|and|or|xor|andn2|orn2|and_not1|or_not1)_b(32|64)$", 3, 3),
    (r"s_(addc|subb)_u32$|s_(add|sub)_co_ci_u32$", 3, 3),
    (r"s_\w*saveexec_|s_(mov|cmov|not|wqm)_b|s_cmpk?_|s_bitcmp|s_bitset|s_movk_|s_(add|mul)k_", 2, 2),
    (r"s_getpc|s_get_pc|s_setpc|s_set_pc|s_round_mode$|s_barrier_signal$|s_add_pc|s_c?branch", 1, 1),
)
_COMPILED = tuple((re.compile(pattern), low, high) for pattern, low, high in _COUNTS)


TENSOR = "tensor_"
INTO_SHARED = "global_load_async_to_lds_"
"""The beginning of the names of gfx1250's loads into shared memory (LDS), each lane to a place of its own."""


def copies_to_shared(i: Instruction) -> bool:
    """Whether it loads into shared memory (LDS)."""
    at_m0 = i.opcode.startswith("global_load_lds_") or (i.opcode.startswith("buffer_load_") and i.flag("lds"))
    return at_m0 or i.opcode.startswith(INTO_SHARED)


def goes_on(i: Instruction) -> bool:
    """Whether it ends when its wave waits for it, or by itself."""
    return copies_to_shared(i) or i.opcode.startswith(("ds_atomic_async_", TENSOR))


def check_shape(i: Instruction) -> None:
    """Raises `EmulationFault` of kind syntax for operands that the instruction cannot have."""
    for half in (i, *((i.paired,) if i.paired is not None else ())):
        low, high = _count(half.opcode.replace("v_dual_", "v_"))
        if half.opcode.startswith("buffer_load_") and copies_to_shared(half):
            low, high = low - 1, high - 1
        if not low <= len(half.operands) <= high:
            expected = f"{low}" if low == high else f"{low} to {high}"
            raise _fault(i, f"{len(half.operands)} operands where {expected} are expected")
        _check_files(i, half)


def _count(opcode: str) -> tuple[int, int]:
    if opcode in TABLE:
        sources = len(TABLE[opcode].sources)
        return (sources, sources) if opcode in READS_DESTINATION else (sources + 1, sources + 1)
    if opcode in SCALAR:
        sources = len(SCALAR[opcode].sources)
        return (sources, sources) if "fmac" in opcode else (sources + 1, sources + 1)
    name = opcode.removeprefix("v_pk_")
    expression = HALVES[name][2] if name in HALVES else PAIRS.get(name)
    if name != opcode and expression is not None:
        sources = 1 + max(int(n) for n in re.findall(r"\{(\d)\}", expression))
        return sources + 1, sources + 1
    return next(((low, high) for pattern, low, high in _COMPILED if pattern.match(opcode)), (0, _ANY))


def _check_files(i: Instruction, half: Instruction) -> None:
    for position, operand in enumerate(half.operands):
        if isinstance(operand, Register) and operand.count > 32:
            raise _fault(i, f"{operand.count} registers in one operand")
        scalar = half.opcode.startswith(("s_", "v_s_")) or (position == 0 and _WITHOUT_LANES.match(half.opcode))
        if scalar and isinstance(operand, Register) and operand.number >= VECTOR:
            raise _fault(i, "a vector register where a scalar is expected")
    if _LANES_ONLY.match(half.opcode) and not all(isinstance(o, Register) and o.is_vector for o in half.operands):
        raise _fault(i, "registers with lanes are expected")
    if half.opcode.startswith("v_") and half.operands and not _MASKS.match(half.opcode):
        _check_result(i, half, half.operands[0])
    if half.opcode.startswith(("ds_", "buffer_", "flat_", "global_", "scratch_")) and half.operands:
        _check_memory(i, half.operands)


def _check_result(i: Instruction, half: Instruction, result: Operand) -> None:
    scalar = _WITHOUT_LANES.match(half.opcode) is not None
    if not isinstance(result, Register) and not (scalar and isinstance(result, Exec | Special)):
        raise _fault(i, "a result that is no register")
    if not scalar and isinstance(result, Register) and result.number < VECTOR:
        raise _fault(i, "a scalar register where lanes are written")


def _check_memory(i: Instruction, operands: tuple[Operand, ...]) -> None:
    if any(isinstance(o, Symbol | Difference | Exec) for o in operands):
        raise _fault(i, "a label where a register is expected")
    if any(isinstance(o, Register) and o.number == SCC for o in operands):
        raise _fault(i, "scc where a register is expected")
    if not i.opcode.startswith("scratch_") and isinstance(operands[0], Immediate):
        raise _fault(i, "a number where a register is expected")


def _fault(i: Instruction, detail: str) -> EmulationFault:
    return EmulationFault("syntax", detail, instruction=i.text, line=i.line)
