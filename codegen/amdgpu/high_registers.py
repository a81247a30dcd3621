"""Looks in emitted AMDGCN text for instructions that name another vector register than LLVM means.

Of v256 to v1023 (gfx1250) an instruction names the lower eight bits; `s_set_vgpr_msb` sets the others, two each for
src0, src1, src2 and the result, from its lowest bits on, until the next one. LLVM writes behind such a name, as a
comment, which register it means; a name without a comment is of the first 256. LLVM 22 has been seen to set the bits
one instruction too early (decision 0115), so every name is compared with the bits that count there.

Blocks begin and end with zeros (LLVM, AMDGPULowerVGPREncoding), so the text is read from line to line. Which operand
has which bits: AMDGPUBaseInfo, getVGPRLoweringOperandTables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...support.named_tuples import NamedTuple
from ...support.patterns import regex
from ...targets import Chip
from ..llvm import CodegenError

_SRC0, _SRC1, _SRC2, _RESULT, _NONE = 0, 2, 4, 6, -1
"""Where their bits lie in the mode."""
_SOURCES = (_SRC0, _SRC1, _SRC2)
_ROLES: Sequence[tuple[re.Pattern[str], Sequence[int]]] = tuple(
    (regex(pattern), roles)
    for pattern, roles in (
        (r"buffer_", (_RESULT, _SRC0)),
        (r"ds_\w*(?:load|_rtn_|permute|swizzle|consume|append)", (_RESULT, *_SOURCES)),
        (r"ds_", _SOURCES),
        (r"\w+?_(?:load|atomic.*TH_ATOMIC_RETURN)", (_RESULT, _SRC0, _SRC1)),
        (r"(?:global|flat|scratch|cluster)_", (_SRC0, _SRC1)),
        (r"v_cmpx_", _SOURCES),
        (r"v_(?:\w+_co_|div_scale_)", (_RESULT, _NONE, *_SOURCES)),
        (r"v_", (_RESULT, *_SOURCES)),
    )
)
"""By the first that begins the instruction; of its operands in the order of the text, constants counted."""
_LINE = regex(r"^(?P<label>[\w.$]+):|^\t(?P<text>[a-z]\w*.*)$", re.MULTILINE)
_SET = regex(r"s_set_vgpr_msb (\w+)")
_MODE = regex(r"s_setreg_imm32_b32 hwreg\(HW_REG_(?:WAVE_)?MODE\b[^)]*\), (\w+)")
_LEAVES = regex(r"s_c?branch|s_set_?pc|s_add_pc")
_REGISTER = regex(r"\bv\[?(?P<name>\d+)(?::\d+\])?(?:\.[lh])?(?: /\*v\[?(?P<meant>\d+))?")


class Misread(NamedTuple):
    """A register that the machine would read or write instead of another; `line` from 1."""

    line: int
    text: str
    found: int
    meant: int


def check_high_registers(assembly: str, chip: Chip) -> None:
    """Raises CodegenError where an instruction reaches another vector register than LLVM's comment says."""
    if "s_set_vgpr_msb" not in assembly:
        return
    for line, text, found, meant in misread(assembly):
        raise CodegenError(
            f"line {line} of the machine text for {chip.name} reaches v{found} where v{meant} is meant: {text}. LLVM "
            "has set the higher bits of vector registers in the wrong place; where more threads share the elements, "
            "each may do with 256 registers"
        )


def misread(assembly: str) -> Iterator[Misread]:
    """Every register that is another one than LLVM means, and the first of a block that begins or ends with bits."""
    bits, seen, line = 0, 0, 1
    for match in _LINE.finditer(assembly):
        line += assembly.count("\n", seen, match.start())
        seen = match.start()
        text = match["text"] or ""
        if match["label"] or _LEAVES.match(text):
            yield from (Misread(line, match[0].strip(), 256 * (bits >> at & 3), 0) for at in _places(bits))
            bits = 0
        elif mode := _SET.match(text):
            bits = int(mode[1], 0) & 0xFF
        elif mode := _MODE.match(text):
            bits = _of_mode(int(mode[1], 0))
        else:
            yield from (Misread(line, text, *pair) for part in text.split(" :: ") for pair in _wrong(part, bits))
            bits = 0 if text.startswith("s_endpgm") else bits


def _places(bits: int) -> list[int]:
    """The first place at which bits are set, if any is."""
    return [at for at in (*_SOURCES, _RESULT) if bits >> at & 3][:1]


def _of_mode(number: int) -> int:
    """Bits 12 to 19 of what is written to any field of the mode, in which the result's come first."""
    field = number >> 12 & 0xFF
    return (field >> 2 | field << 6) & 0xFF


def _wrong(text: str, bits: int) -> Iterator[tuple[int, int]]:
    """(found, meant) of an instruction's registers that differ."""
    roles = next((roles for pattern, roles in _ROLES if pattern.match(text)), ())
    for number, operand in enumerate(text.partition(" ")[2].split(", ")):
        register = _REGISTER.search(operand)
        if register is None:
            continue
        name, role = int(register["name"]), roles[number] if number < len(roles) else _NONE
        high = bits >> role & 3 if role != _NONE else 0
        found, meant = name % 256 + 256 * high, int(register["meant"] or name)
        if found != meant:
            yield found, meant
