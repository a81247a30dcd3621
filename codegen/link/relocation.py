"""What each AMDGPU relocation writes. Numbers, names and formulas: "Relocation Records" in LLVM's AMDGPU guide."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...support.named_tuples import NamedTuple
from .elf import CodeObjectError


class LinkError(CodeObjectError):
    """A symbol or a relocation that cannot be resolved; the message names it."""


class Rule(NamedTuple):
    """`size` bytes take symbol + addend, less the place's address where `relative`, shifted right by `shift` bits.

    A `checked` value must fit; the others are halves of a 64-bit value.
    """

    name: str
    size: int
    relative: bool
    shift: int = 0
    checked: bool = False


RULES: Mapping[int, Rule] = MappingProxyType(
    {
        1: Rule("R_AMDGPU_ABS32_LO", 4, False),
        2: Rule("R_AMDGPU_ABS32_HI", 4, False, shift=32),
        3: Rule("R_AMDGPU_ABS64", 8, False),
        4: Rule("R_AMDGPU_REL32", 4, True, checked=True),
        5: Rule("R_AMDGPU_REL64", 8, True),
        6: Rule("R_AMDGPU_ABS32", 4, False, checked=True),
        10: Rule("R_AMDGPU_REL32_LO", 4, True),
        11: Rule("R_AMDGPU_REL32_HI", 4, True, shift=32),
    }
)

# Relocations that need a table of addresses or the loader's help; `internal` symbols never lead to them.
_UNSUPPORTED: Mapping[int, str] = MappingProxyType(
    {
        7: "R_AMDGPU_GOTPCREL",
        8: "R_AMDGPU_GOTPCREL32_LO",
        9: "R_AMDGPU_GOTPCREL32_HI",
        13: "R_AMDGPU_RELATIVE64",
        14: "R_AMDGPU_REL16",
    }
)


def rule_of(kind: int, symbol: str) -> Rule:
    """The rule of a relocation type; raises LinkError, naming the relocation and the symbol, where there is none."""
    if kind in RULES:
        return RULES[kind]
    name = _UNSUPPORTED.get(kind, f"relocation type {kind}")
    hint = "; give the symbol internal linkage" if name.startswith("R_AMDGPU_GOT") else ""
    raise LinkError(f"{name} against {symbol!r} is not supported{hint}")


def resolve(rule: Rule, symbol: str, target: int, place: int) -> bytes:
    """The bytes to write at address `place` for `target`, the symbol's address plus the addend."""
    value = target - place if rule.relative else target
    bits = 8 * rule.size
    if rule.checked and not -(1 << bits - 1) <= value < 1 << (bits - 1 if rule.relative else bits):
        raise LinkError(f"{rule.name} against {symbol!r}: {value:#x} does not fit into {bits} bits")
    return (value >> rule.shift & (1 << bits) - 1).to_bytes(rule.size, "little")
