"""Which instructions come too early after another: hazards that hardware does not wait for by itself.

Compilers keep such instructions apart with `s_nop`, `v_nop` or `s_waitcnt_depctr`; so this matters for other text.
The check is of the text, over all paths, before anything runs. A rule says what an instruction leaves behind, what a
later one must not touch, and how many counted instructions make it safe; `hazard_rules` lists them with their sources.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from ...support.dataclasses import dataclass
from .syntax import TTMP, Exec, Immediate, Instruction, Operand, Register
from .waits import Finding, Site, number_of, register_name

EXEC = -1
"""Stands for the execution mask among registers."""
NOTHING: frozenset[int] = frozenset()
_TRANSCENDENTAL = re.compile(r"v_(s_)?(exp|log|rcp|rcp_iflag|rsq|sqrt|sin|cos|tanh)_(b?f16|f32|f64)$")
_SCALAR_MEMORY = ("s_load", "s_buffer_load", "s_store", "s_scratch", "s_atomic", "s_dcache")
_VECTOR_MEMORY = ("buffer_", "global_", "flat_", "scratch_")
_PROGRAM = re.compile(
    r"s_(nop|wait\w*|barrier\w*|branch|cbranch\w*|endpgm\w*|delay_alu|clause|sendmsg\w*|set\w*prio\w*|sleep\w*|sethalt|"
    r"set_vgpr_msb|icache_inv|trap|code_end|inst_prefetch|set_inst_prefetch_distance|round_mode|denorm_mode|ttracedata\w*)$"
)
_FIELD = re.compile(r"depctr_(\w+)\((\d+)\)")
_CODED = {
    "sa_sdst": (0, 1),
    "va_vcc": (1, 1),
    "vm_vsrc": (2, 7),
    "va_ssrc": (8, 1),
    "va_sdst": (9, 7),
    "va_vdst": (12, 15),
}
"""Where the fields of s_waitcnt_depctr lie: lowest bit and largest value (LLVM, AMDGPUAsmUtils, DepCtr)."""


_KINDS: dict[str, Callable[[str], bool]] = {
    "vector": lambda opcode: opcode.startswith("v_"),
    "scalar": lambda opcode: opcode.startswith("s_") and not opcode.startswith(_SCALAR_MEMORY),
    "scalar memory": lambda opcode: opcode.startswith(_SCALAR_MEMORY),
    "memory": lambda opcode: opcode.startswith(_VECTOR_MEMORY),
    "shared": lambda opcode: opcode.startswith("ds_"),
    "mfma": lambda opcode: opcode.startswith(("v_mfma_", "v_smfmac_")),
    "wmma": lambda opcode: opcode.startswith(("v_wmma_", "v_swmmac_")),
    "transcendental": lambda opcode: _TRANSCENDENTAL.match(opcode) is not None,
    "program": lambda opcode: _PROGRAM.match(opcode) is not None,
}


@dataclass(frozen=True)
class Step:
    """What the rules ask of one instruction; `kinds` are keys of the table above."""

    instruction: Instruction
    reads: frozenset[int]
    writes: frozenset[int]
    kinds: frozenset[str]

    @property
    def opcode(self) -> str:
        return self.instruction.opcode

    def is_a(self, *kinds: str) -> bool:
        return not self.kinds.isdisjoint(kinds)

    def operand(self, position: int) -> frozenset[int]:
        """The registers of one operand."""
        operands = self.instruction.operands
        return registers_of(operands[position]) if position < len(operands) else NOTHING

    @property
    def wait_states(self) -> int:
        """s_nop takes 1 to 16, by the four lowest bits of its number (CDNA3 ISA, 12.5: SIMM16[3:0]); all others take
        one."""
        if self.opcode == "s_nop":
            return number_of(self.instruction.modifiers.get("raw", "")) % 16 + 1
        return 1

    @property
    def has_literal(self) -> bool:
        """Whether a constant of 32 bits stands behind it, as no source operand itself encodes."""
        return any(isinstance(o, Immediate) and not _is_inline(o.value) for o in self.instruction.operands)

    def waits_for(self, name: str) -> bool:
        """Whether it is an s_waitcnt_depctr (s_wait_alu) that brings a counter to 0."""
        if self.opcode not in ("s_waitcnt_depctr", "s_wait_alu"):
            return False
        raw = self.instruction.modifiers.get("raw", "")
        if named := dict(_FIELD.findall(raw)):
            return named.get(name) == "0"
        low, mask = _CODED[name]
        return not number_of(raw) >> low & mask


_INLINE_FLOATS = frozenset((0.5, 1.0, 2.0, 4.0))
"""Magnitudes; besides these there is 1 / (2 pi), which texts round to the operand's type."""


def _is_inline(value: int | float) -> bool:
    """Whether an operand encodes the constant: AMD's instruction set documents, "Scalar ALU Operands"."""
    if isinstance(value, int):
        return -16 <= value <= 64
    return abs(value) in _INLINE_FLOATS or math.isclose(value, 1 / math.tau, rel_tol=1e-3)


def steps_of(instructions: Sequence[Instruction], sites: Mapping[int, Site]) -> list[Step]:
    """What there is to know of every instruction of a kernel."""
    nothing = Site(set(), set(), [])
    found = (sites.get(n, nothing) for n in range(len(instructions)))
    return [_step(i, site) for i, site in zip(instructions, found, strict=True)]


def _step(i: Instruction, site: Site) -> Step:
    return Step(i, frozenset(site.reads), frozenset(site.writes | _exec_write(i)), _kinds_of(i.opcode))


@lru_cache(maxsize=1024)
def _kinds_of(opcode: str) -> frozenset[str]:
    return frozenset(kind for kind, holds in _KINDS.items() if holds(opcode))


def is_scalar(number: int) -> bool:
    """Whether it is a register of the scalar unit that programs allocate: s0 to vcc_hi."""
    return 0 <= number < TTMP


def registers_of(operand: Operand) -> frozenset[int]:
    if isinstance(operand, Register):
        return frozenset(range(operand.number, operand.number + operand.count))
    return frozenset([EXEC]) if isinstance(operand, Exec) else NOTHING


def _exec_write(i: Instruction) -> set[int]:
    writes = i.opcode.startswith("v_cmpx_") or (bool(i.operands) and isinstance(i.operands[0], Exec))
    return {EXEC} if writes or "saveexec" in i.opcode else set()


@dataclass(frozen=True)
class Rule:
    """After an instruction whose `leaves` are not empty, one whose `touches` meet them is too early.

    It is safe when `distance` (of both instructions) have been counted in between; `counts` says what an instruction
    adds to that, and `ends` which instruction makes it safe at once. At most `most_others` of `others` may stand in
    between. With `arms`, the rule is about registers that an earlier instruction put in there, until `disarms`.
    """

    detail: str
    leaves: Callable[[Step], frozenset[int]]
    touches: Callable[[Step], frozenset[int]]
    distance: Callable[[Step, Step], int]
    most: int
    counts: Callable[[Step], int] = lambda step: step.wait_states
    ends: Callable[[Step], bool] = lambda step: False
    others: Callable[[Step], int] = lambda step: 0
    most_others: int = 0
    replaces: bool = False
    """Whether what a later instruction leaves takes the place of the same registers of an earlier one."""
    cancels: Callable[[Step], frozenset[int]] = lambda step: NOTHING
    """Registers that the rule no longer holds for after an instruction."""
    arms: Callable[[Step], frozenset[int]] | None = None
    disarms: Callable[[Step], bool] = lambda step: False
    takes_out: Callable[[Step], frozenset[int]] = lambda step: NOTHING
    """Registers that it takes out of there; all, if it disarms."""


Pending = tuple[int, int, int, int]
"""Rule, site of the cause, how much was counted since, how many others."""
Armed = tuple[int, int]
"""Rule and register."""
State = tuple[frozenset[Pending], frozenset[Armed]]
_EMPTY: State = (frozenset(), frozenset())


class Hazards:
    """Finds, for the instructions of a kernel, those that come too early."""

    def __init__(self, rules: tuple[Rule, ...], steps: Sequence[Step]) -> None:
        self._rules = rules
        self._steps = steps
        self._leaves = [_by_rule(rule.leaves(step) for rule in rules) for step in steps]
        self._touches: dict[tuple[int, int], frozenset[int]] = {}
        """By site and rule, as far as an instruction before left something behind that the rule is about."""
        self._arming = [n for n, rule in enumerate(rules) if rule.arms is not None]
        self.findings: dict[int, Finding] = {}

    def run(self, blocks: list[tuple[int, int, tuple[int, ...]]]) -> None:
        """`blocks` are (first, last, successors); fills `findings`."""
        if not any(self._leaves):
            return
        entry: list[State | None] = [None] * len(blocks)
        entry[0] = _EMPTY
        work = {0}
        while work:
            number = min(work)
            work.remove(number)
            state = entry[number] or _EMPTY
            first, last, targets = blocks[number]
            for site in range(first, last):
                state = self._step(site, state)
            for target in targets:
                known = entry[target]
                joined = state if known is None else (state[0] | known[0], state[1] | known[1])
                if joined != known:
                    entry[target] = joined
                    work.add(target)

    def _step(self, site: int, state: State) -> State:
        pending, armed = state
        step = self._steps[site]
        kept = [x for p in pending if (x := self._pass(p, site, step)) is not None] if pending else []
        for number, registers in self._leaves[site].items():
            rule = self._rules[number]
            if rule.arms is not None and not any((number, r) in armed for r in registers):
                continue
            if rule.replaces:
                kept = [p for p in kept if p[0] != number or not self._leaves[p[1]][number] & registers]
            kept.append((number, site, 0, 0))
        if self._arming:
            armed = self._arm(step, armed)
        return frozenset(kept), armed

    def _pass(self, pending: Pending, site: int, step: Step) -> Pending | None:
        """What is left of it after an instruction, which is looked at first."""
        number, cause, count, others = pending
        rule = self._rules[number]
        touched = self._touches.get((site, number))
        if touched is None:
            touched = self._touches[site, number] = rule.touches(step)
        common = self._leaves[cause][number] & touched
        if common and count < rule.distance(self._steps[cause], step):
            self._report(rule, cause, site, common)
        if rule.ends(step) or self._leaves[cause][number] & rule.cancels(step):
            return None
        count, others = count + rule.counts(step), others + rule.others(step)
        return (number, cause, count, others) if count < rule.most and others <= rule.most_others else None

    def _arm(self, step: Step, armed: frozenset[Armed]) -> frozenset[Armed]:
        for number in self._arming:
            rule = self._rules[number]
            assert rule.arms is not None
            if rule.disarms(step):
                armed = frozenset(a for a in armed if a[0] != number)
            if less := rule.takes_out(step):
                armed = frozenset(a for a in armed if a[0] != number or a[1] not in less)
            if more := rule.arms(step):
                armed = armed | {(number, r) for r in more}
        return armed

    def _report(self, rule: Rule, cause: int, site: int, common: frozenset[int]) -> None:
        before = self._steps[cause].instruction
        if site in self.findings or _other_halves(before, self._steps[site].instruction, common):
            return
        names = ", ".join("exec" if r == EXEC else register_name(r) for r in sorted(common)[:4])
        self.findings[site] = Finding("hazard", f"{names}: {rule.detail} (line {before.line}: {before.text})")


def _by_rule(registers: Iterable[frozenset[int]]) -> dict[int, frozenset[int]]:
    return {n: found for n, found in enumerate(registers) if found}


def _other_halves(before: Instruction, after: Instruction, common: frozenset[int]) -> bool:
    """Whether one writes one half of a register and the other reads the other half."""
    if len(common) > 1:
        return False
    (number,) = common
    written, read = _halves(before.operands[:1], number), _halves(after.operands[1:], number)
    return bool(written and read) and "" not in written | read and written.isdisjoint(read)


def _halves(operands: tuple[Operand, ...], number: int) -> set[str]:
    return {o.half for o in operands if isinstance(o, Register) and o.number == number}
