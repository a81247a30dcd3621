"""Registers that are used though no instruction on any way to there has written them: a check of the text.

A register is unwritten at the entry unless the calling convention sets it. What is computed from what is unwritten is
unwritten; what is only combined with it bit by bit is not, as compilers leave undefined what is masked off later. It is
a fault where it matters: in an address, in what is stored, and in what decides a branch or the active lanes. What is
stored to private memory is unwritten there and does not matter yet, as compilers keep a half-defined pair for later.
Writes count for a whole wave, whatever lanes are active; where ways meet, a register is unwritten if it is so on all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .chip import Chip
from .hazards import EXEC, Step
from .spills import PrivateAccess, is_slot, private_accesses
from .syntax import FLAT_SCRATCH, M0, TTMP, VECTOR, XNACK, Immediate, Register
from .waits import Finding, register_name

_COMBINES = re.compile(
    r"[vs]_(cmov|and|andn|nand|nor|or|orn|or3|xor|xnor|bfi|perm_|alignbit|alignbyte|lshl_or|and_or|pk_|"
    r"pack|bitop|permlane|swap|bitset)"
)
_LOW_FIRST = re.compile(
    r"v_mad_(co_|nc_)?[ui]64_[ui]32|[vs]_(lshl|lshlrev)_b64|v_lshl_add_u64|[vs]_(add|sub|mul)_(nc_)?u64|[vs]_mov_b64"
)
_FIELD = re.compile(r"s_bfe_[iu]64")
_CARRIES = re.compile(r"v_mad_(co_)?[ui]64_[ui]32")
_EXCHANGES = frozenset(("ds_bpermute_b32", "ds_permute_b32", "ds_swizzle_b32"))
_BRANCH = "s_cbranch_"
Unwritten = dict[int, int]
"""Register, or word of private memory, to the register that was never written."""


def set_at_entry(directives: Mapping[str, int], chip: Chip) -> frozenset[int]:
    """Registers that the calling convention sets, as the `.amdhsa_` directives describe it."""
    scalars = directives.get("user_sgpr_count", 16)
    scalars += sum(directives.get(f"system_sgpr_workgroup_id_{axis}", 0) for axis in "xyz")
    scalars += directives.get("system_sgpr_workgroup_info", 0)
    scalars += directives.get("system_sgpr_private_segment_wavefront_offset", 0)
    vectors = 1 if chip.packs_work_items else 1 + directives.get("system_vgpr_workitem_id", 0)
    others = (*range(TTMP, M0 + 1), *range(FLAT_SCRATCH, XNACK + 2))
    return frozenset((*range(scalars), *(VECTOR + n for n in range(vectors)), *others))


class Uninitialised:
    """Finds the instructions in which unwritten values matter."""

    def __init__(self, steps: Sequence[Step], directives: Mapping[str, int], chip: Chip) -> None:
        self._steps = steps
        self._private = private_accesses(steps, directives)
        known = set_at_entry(directives, chip)
        registers = {r for step in steps for r in step.reads | step.writes}
        self._entry: Unwritten = {r: r for r in registers if r not in known and r != EXEC}
        self.findings: dict[int, Finding] = {}

    def run(self, blocks: list[tuple[int, int, tuple[int, ...]]]) -> None:
        """`blocks` are (first, last, successors); fills `findings`."""
        entry: list[Unwritten | None] = [None] * len(blocks)
        entry[0] = self._entry
        work = {0}
        while work:
            number = min(work)
            work.remove(number)
            first, last, targets = blocks[number]
            state = self._through(first, last, entry[number])
            for target in targets:
                known = entry[target]
                joined = state if known is None else {r: o for r, o in known.items() if r in state}
                if known is None or len(joined) != len(known):
                    entry[target] = dict(joined)
                    work.add(target)
        for found, (first, last, _) in zip(entry, blocks, strict=True):
            self._through(first, last, found, report=True)

    def _through(self, first: int, last: int, entry: Unwritten | None, *, report: bool = False) -> Unwritten:
        state = dict(entry or {})
        for site in range(first, last):
            step, private = self._steps[site], self._private[site]
            if not state:
                continue
            origin = self._origin(step, state, private)
            if report and origin is not None and _matters(step):
                detail = f"{register_name(origin)} is used, but nothing has written it"
                self.findings.setdefault(site, Finding("uninitialised", detail))
            if private is None:
                self._write(step, origin, state)
            else:
                _keep(private, state)
        return state

    def _write(self, step: Step, origin: int | None, state: Unwritten) -> None:
        words = _by_word(step, state) if origin is not None and _LOW_FIRST.match(step.opcode) else {}
        for register in step.writes:
            cause = words.get(register, None) if words else origin
            if cause is None or _ends_unwritten(step):
                state.pop(register, None)
            else:
                state[register] = cause

    def _origin(self, step: Step, state: Unwritten, private: PrivateAccess | None) -> int | None:
        """The register that makes the result unwritten, if it is."""
        unneeded = private.only_kept if private is not None else _unneeded(step)
        found = [state[r] for r in sorted(step.reads) if r in state and r not in unneeded]
        if not found or (len(found) < len(step.reads) and _COMBINES.match(step.opcode)):
            return None
        return found[0]


def _unneeded(step: Step) -> range:
    """Registers among the sources that nothing depends on."""
    return _beside_field(step) if _FIELD.match(step.opcode) else range(0)


def _keep(access: PrivateAccess, state: Unwritten) -> None:
    """What is unwritten goes into memory and comes back; a store to an unknown place may have replaced any of it."""
    if not access.slots:
        for number in [n for n in state if (is_slot(n) if access.is_store else n in access.data)]:
            del state[number]
        return
    kept = zip(access.data, access.slots, strict=True)
    for target, source in ((slot, r) if access.is_store else (r, slot) for r, slot in kept):
        if source in state:
            state[target] = state[source]
        else:
            state.pop(target, None)


def _beside_field(step: Step) -> range:
    """The word of a wide source in which no bit of the field lies that is taken out of it."""
    _, source, field = step.instruction.operands
    if not isinstance(source, Register) or not isinstance(field, Immediate):
        return range(0)
    number = int(field.value)
    first, width = number & 0x3F, number >> 16 & 0x7F
    words = range(source.number, source.number + source.count)
    return words[1:] if first + width <= 32 else words[:1] if first >= 32 else range(0)


def _matters(step: Step) -> bool:
    if step.opcode in _EXCHANGES:
        return False
    if step.is_a("memory", "shared", "scalar memory") or step.opcode.startswith(_BRANCH):
        return True
    return EXEC in step.writes


def _by_word(step: Step, state: Unwritten) -> dict[int, int | None]:
    """For each register of a wide result, what makes it unwritten: higher words of the operands do not matter to it."""
    result, *sources = (o for o in step.instruction.operands if isinstance(o, Register))
    if _CARRIES.match(step.opcode) and isinstance(step.instruction.operands[1], Register):
        sources = sources[1:]
    found: dict[int, int | None] = {}
    for n in range(result.count):
        needed = (r for o in sources for r in range(o.number, o.number + min(n + 1, o.count)))
        found[result.number + n] = next((state[r] for r in needed if r in state), None)
    return found


def _ends_unwritten(step: Step) -> bool:
    """Loads, which have been reported, and writes of a part of a register."""
    return step.opcode == "v_writelane_b32" or (_matters(step) and EXEC not in step.writes)
