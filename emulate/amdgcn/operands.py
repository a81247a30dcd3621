"""Operands of AMDGCN instructions: text to values."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..faults import EmulationFault
from .syntax import (
    ACCUMULATOR,
    FLAT_SCRATCH,
    M0,
    SCC,
    TTMP,
    VCC,
    VECTOR,
    XNACK,
    Difference,
    Exec,
    Immediate,
    Operand,
    Register,
    Special,
    Symbol,
    words,
)

_FILES = {"s": 0, "v": VECTOR, "a": ACCUMULATOR, "ttmp": TTMP}
_SINGLE = re.compile(r"(s|v|a|ttmp)(\d+)(?:\.([lh]))?$")
_RANGE = re.compile(r"(s|v|a|ttmp)\[(\d+)(?::(\d+))?\]$")
_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)$")
_FLOAT = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?$")
_SYMBOL = re.compile(r"([A-Za-z_.$][\w.$]*)(?:@(\w+)(?:@(\w+))?)?(?:([+-])(\d+))?$")
_DIFFERENCE = re.compile(r"\(?([A-Za-z_.$][\w.$]*)-([A-Za-z_.$][\w.$]*)(?:\)(&4294967295|>>32))?$")
_WRAPPED = re.compile(r"(lit|lit64|neg|abs|sext)\((.*)\)$")
_FLAGS = frozenset(words("off null"))
_APERTURES = frozenset(
    words(
        "src_shared_base src_shared_limit src_private_base src_private_limit src_pops_exiting_wave_id "
        "src_execz src_vccz"
    )
)
_NAMED: dict[str, Operand] = {
    "vcc": Register(VCC, 2),
    "vcc_lo": Register(VCC),
    "vcc_hi": Register(VCC + 1),
    "m0": Register(M0),
    "scc": Register(SCC),
    "src_scc": Register(SCC),
    "flat_scratch": Register(FLAT_SCRATCH, 2),
    "flat_scratch_lo": Register(FLAT_SCRATCH),
    "flat_scratch_hi": Register(FLAT_SCRATCH + 1),
    "xnack_mask": Register(XNACK, 2),
    "xnack_mask_lo": Register(XNACK),
    "xnack_mask_hi": Register(XNACK + 1),
    "exec": Exec(),
    "exec_lo": Exec(0),
    "exec_hi": Exec(1),
}


def split_commas(text: str) -> list[str]:
    """Parts between commas that stand outside brackets."""
    parts: list[str] = []
    depth, start = 0, 0
    for position, character in enumerate(text):
        if character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def split_words(text: str) -> list[str]:
    """Parts between blanks that stand outside brackets."""
    words: list[str] = []
    depth, current = 0, ""
    for character in text:
        depth += (character in "[(") - (character in "])")
        if character == " " and depth == 0:
            if current:
                words.append(current)
            current = ""
        else:
            current += character
    return [*words, current] if current else words


def parse_operand(text: str, fail: Callable[[str], EmulationFault]) -> Operand:
    """One operand; `fail` makes the fault for text that is none."""
    found = _plain(text)
    if found is not None:
        return found
    if wrapped := _WRAPPED.match(text):
        return _wrap(wrapped[1], parse_operand(wrapped[2], fail), text, fail)
    if text.startswith("|") and text.endswith("|") and len(text) > 2:
        return _wrap("abs", parse_operand(text[1:-1], fail), text, fail)
    if text.startswith("-") and len(text) > 1:
        return _wrap("neg", parse_operand(text[1:], fail), text, fail)
    if difference := _DIFFERENCE.match(text):
        part = {"&4294967295": "low", ">>32": "high"}.get(difference[3], "")
        return Difference(difference[1], difference[2], part)
    if symbol := _SYMBOL.match(text):
        addend = int(symbol[5] or 0) * (-1 if symbol[4] == "-" else 1)
        return Symbol(symbol[1], "@".join(x for x in (symbol[2], symbol[3]) if x), addend)
    if text.startswith("hwreg("):
        return Special(text)
    raise fail(f"operand {text!r}")


def _plain(text: str) -> Operand | None:
    if single := _SINGLE.match(text):
        return Register(_FILES[single[1]] + int(single[2]), 1, single[3] or "")
    if span := _RANGE.match(text):
        first, last = int(span[2]), int(span[3] or span[2])
        return Register(_FILES[span[1]] + first, last - first + 1)
    if text in _NAMED:
        return _NAMED[text]
    if text in _FLAGS or text in _APERTURES:
        return Special(text)
    if _INTEGER.match(text):
        return Immediate(int(text, 0))
    if _FLOAT.match(text):
        return Immediate(float(text))
    return None


def _wrap(kind: str, inner: Operand, text: str, fail: Callable[[str], EmulationFault]) -> Operand:
    if kind in ("lit", "lit64"):
        return inner
    if isinstance(inner, Register):
        return Register(
            inner.number,
            inner.count,
            inner.half,
            inner.negative or kind == "neg",
            inner.absolute or kind == "abs",
            inner.extended or kind == "sext",
        )
    if isinstance(inner, Immediate) and kind != "sext":
        return Immediate(inner.value, inner.negative or kind == "neg", inner.absolute or kind == "abs")
    raise fail(f"operand {text!r}")
