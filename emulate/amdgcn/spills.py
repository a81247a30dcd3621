"""Words of private memory at places that the text names: what is kept there is as good as what was stored.

Compilers keep registers there, of which nothing may have written a part that nobody reads either. An access is of
private memory if it is a `scratch_` instruction, or one on the buffer that the calling convention passes in the first
four scalar registers; its place is known if no register takes part in the address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...support.dataclasses import dataclass
from .hazards import Step, registers_of
from .syntax import Immediate, Operand, Register, Special

_OF_PRIVATE_BUFFER = frozenset(range(4))
_WORD = 4
_WHOLE = ("_dword", "_dwordx2", "_dwordx3", "_dwordx4", "_b32", "_b64", "_b96", "_b128")
"""Ends of mnemonics that load or store whole words."""


@dataclass(frozen=True)
class PrivateAccess:
    """`data` are the registers that are stored, or loaded into, `only_kept` those of them that are stored and no more;
    `slots` stand for their words in memory among registers (negative numbers, from -2 on down), empty where the place
    is not known."""

    is_store: bool
    data: tuple[int, ...]
    only_kept: frozenset[int]
    slots: tuple[int, ...]


def is_slot(number: int) -> bool:
    """Whether a number stands for a word of private memory, not for a register."""
    return number < -1


def private_accesses(steps: Sequence[Step], directives: Mapping[str, int]) -> list[PrivateAccess | None]:
    """For each instruction."""
    buffer = _private_buffer(steps) if directives.get("user_sgpr_private_segment_buffer", 0) else frozenset[int]()
    return [_access(step, buffer) for step in steps]


def _private_buffer(steps: Sequence[Step]) -> frozenset[int]:
    """Registers whose every write copies one of the passed buffer's; these themselves may be replaced later on."""
    known, ever, otherwise = set(_OF_PRIVATE_BUFFER), set(_OF_PRIVATE_BUFFER), set[int]()
    for step in steps:
        copied = _copied(step, known)
        otherwise |= step.writes - copied
        known = (known - step.writes) | copied
        ever |= copied
    return frozenset(ever - otherwise)


def _copied(step: Step, known: set[int]) -> set[int]:
    if not step.opcode.startswith("s_mov_b"):
        return set()
    sources = step.operand(1)
    return set(step.operand(0)) if sources and sources <= known else set()


def _access(step: Step, buffer: frozenset[int]) -> PrivateAccess | None:
    name = step.opcode
    is_store, operands = "_store_" in name, step.instruction.operands
    if name.startswith("scratch_") and (is_store or "_load_" in name):
        data, address = (operands[1], (operands[0], *operands[2:])) if is_store else (operands[0], operands[1:])
    elif name.startswith("buffer_") and (is_store or "_load_" in name) and _is_private(operands, buffer):
        data, address = operands[0], (operands[1], operands[3])
    else:
        return None
    if not isinstance(data, Register):
        return None
    registers = tuple(range(data.number, data.number + data.count))
    is_known = all(map(_adds_nothing, address)) and name.endswith(_WHOLE) and not step.instruction.flag("offen")
    first = step.instruction.number("offset")
    slots = tuple(-2 - first // _WORD - n for n in range(data.count)) if is_known and first % _WORD == 0 else ()
    needed = frozenset[int]().union(*map(registers_of, address))
    return PrivateAccess(is_store, registers, frozenset(registers) - needed if is_store else frozenset(), slots)


def _is_private(operands: tuple[Operand, ...], buffer: frozenset[int]) -> bool:
    """By its last word, as the first two also get the wave's offset."""
    resource = operands[2] if len(operands) > 3 else None
    return isinstance(resource, Register) and resource.number + 3 in buffer


def _adds_nothing(operand: Operand) -> bool:
    if isinstance(operand, Immediate):
        return operand.value == 0
    return isinstance(operand, Special) and operand.name in ("off", "null")
