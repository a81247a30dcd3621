"""Which instructions touch registers that a load may still be writing: a check of the text, before anything runs.

Hardware counts memory operations that have not finished; `s_waitcnt` and its successors wait until at most n are
left. Operations of one kind finish in order, except scalar loads. For each register the analysis keeps the least
number of later operations of the same counter over all paths (its distance): a wait for n finishes everything at
distance n or more, and so does the hardware's largest count, beyond which it issues nothing. Compilers place waits for
all paths, too, so correct text passes whatever the control flow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ...support.dataclasses import dataclass, field
from .chip import Chip
from .syntax import ACCUMULATOR, M0, SCC, VCC, VECTOR, Instruction

ISSUED = -1
"""Stands for any operation on shared memory that has not finished."""
_UNORDERED = -(1 << 16)
"""The distance of scalar loads, which return in any order: nothing brings it to 0 but a wait for all."""

State = dict[str, dict[int, int]]
"""Counter -> register -> distance."""


@dataclass(frozen=True)
class Event:
    """What a counter counts, and the registers it will write.

    "load", "store", "scalar" and "shared" access memory; "exchange" uses the crossbar of shared memory, but no memory.
    "async" and "tensor" go on while their wave executes.
    """

    kind: str
    registers: frozenset[int] = frozenset()


@dataclass
class Site:
    """What the analysis needs to know of an instruction."""

    reads: set[int]
    writes: set[int]
    events: list[Event]


@dataclass(frozen=True)
class Finding:
    """An instruction that comes too early, and why."""

    kind: str
    detail: str


@dataclass
class Counters:
    """Which counter an operation is counted by on a chip."""

    chip: Chip
    names: dict[str, str] = field(default_factory=dict[str, str])
    most: dict[str, int] = field(default_factory=dict[str, int])
    """How many operations each counter can count, from LLVM's AMDGPU operand documents (waitcnt)."""

    def __post_init__(self) -> None:
        self.most = {
            "load": 63,
            "store": 63,
            "scalar": 31,
            "shared": 15 if self.chip.generation == 9 else 63,
            "async": 63,
            "tensor": 63,
        }
        separate = self.chip.separate_store_counter
        self.names = {
            "load": "load",
            "store": "store" if separate else "load",
            "shared": "shared",
            "exchange": "shared",
            "scalar": "scalar" if self.chip.generation >= 12 else "shared",
            "async": "async",
            "tensor": "tensor",
        }


_FIELD = re.compile(r"(vmcnt|lgkmcnt|expcnt)\((\d+)\)")
_LAST_NUMBER = re.compile(r"(0x[0-9a-f]+|\d+)\s*$")
_OLD = {"vmcnt": "load", "lgkmcnt": "shared"}
_NEW = {
    "s_wait_loadcnt": "load",
    "s_wait_storecnt": "store",
    "s_wait_dscnt": "shared",
    "s_wait_kmcnt": "scalar",
    "s_wait_asynccnt": "async",
    "s_wait_tensorcnt": "tensor",
    "s_waitcnt_vscnt": "store",
    "s_waitcnt_vmcnt": "load",
    "s_waitcnt_lgkmcnt": "shared",
}
_COMBINED = {"s_wait_loadcnt_dscnt": "load", "s_wait_storecnt_dscnt": "store"}


def waits_of(i: Instruction) -> dict[str, int]:
    """Counter -> how many operations may be left after the instruction."""
    raw = i.modifiers.get("raw", "")
    if i.opcode == "s_waitcnt":
        found = {_OLD[n]: int(v) for n, v in _FIELD.findall(raw) if n in _OLD}
        return found if _FIELD.search(raw) else dict.fromkeys(("load", "shared"), 0)
    if i.opcode in _NEW or i.opcode in _COMBINED:
        value = int(getattr(i.operands[-1], "value", 0)) if i.operands else number_of(raw)
        if i.opcode in _NEW:
            return {_NEW[i.opcode]: value}
        return {_COMBINED[i.opcode]: value >> 8 & 63, "shared": value & 63}
    return {}


def number_of(raw: str) -> int:
    """The number that ends a list of operands; 0 if there is none."""
    match = _LAST_NUMBER.search(raw)
    return int(match[1], 0) if match else 0


class Analysis:
    """Least distances at every instruction, and what is found wrong with them."""

    def __init__(self, chip: Chip, instructions: list[Instruction], sites: Mapping[int, Site]) -> None:
        counters = Counters(chip)
        self._counter, self._most = counters.names, counters.most
        self._instructions = instructions
        self._sites = sites
        self.findings: dict[int, Finding] = {}

    def run(self, blocks: list[tuple[int, int, tuple[int, ...]]], is_barrier: Callable[[int], bool]) -> None:
        """`blocks` are (first, last, successors); fills `findings`."""
        entry: list[State | None] = [None] * len(blocks)
        entry[0] = {}
        work = {0}
        while work:
            number = min(work)
            work.remove(number)
            state = _copy(entry[number] or {})
            first, last, targets = blocks[number]
            for site in range(first, last):
                self._step(site, state, is_barrier(site))
            for target in targets:
                joined, changed = _join(entry[target], state)
                if changed:
                    entry[target] = joined
                    work.add(target)

    def _step(self, site: int, state: State, barrier: bool) -> None:
        i = self._instructions[site]
        for counter, left in waits_of(i).items():
            self._wait(state, counter, left)
        found = self._sites.get(site)
        if barrier:
            self._check_barrier(site, state)
        if found is None:
            return
        self._check(site, found, state)
        for event in found.events:
            self._issue(state, event)

    def _wait(self, state: State, counter: str, left: int) -> None:
        pending = state.get(counter, {})
        if not left:
            state[counter] = {}
        elif all(d >= 0 for d in pending.values()):  # else order is lost
            state[counter] = {r: d for r, d in pending.items() if d < left}

    def _issue(self, state: State, event: Event) -> None:
        counter = self._counter[event.kind]
        pending = {r: d + 1 if d >= 0 else d for r, d in state.get(counter, {}).items()}
        for register in event.registers:
            pending[register] = _UNORDERED if event.kind == "scalar" else 0
        if event.kind == "shared":
            pending[ISSUED] = 0
        state[counter] = pending
        self._wait(state, counter, self._most[counter])

    def _check(self, site: int, found: Site, state: State) -> None:
        in_order = {self._counter[e.kind] for e in found.events if e.kind != "scalar"}
        for counter, pending in state.items():
            early = found.reads & pending.keys()
            if counter not in in_order:
                early |= found.writes & pending.keys()
            if early:
                names = ", ".join(register_name(r) for r in sorted(early))
                self.findings.setdefault(site, Finding("outstanding-load", f"{names} may still be loading"))

    def _check_barrier(self, site: int, state: State) -> None:
        if ISSUED in state.get("shared", {}):
            detail = "operations on shared memory may still be outstanding at the barrier"
            self.findings.setdefault(site, Finding("outstanding-load", detail))


def _copy(state: State) -> State:
    return {counter: dict(pending) for counter, pending in state.items()}


def _join(old: State | None, new: State) -> tuple[State, bool]:
    """The lesser distances of both, and whether that differs from `old`."""
    if old is None:
        return _copy(new), True
    changed = False
    for counter, pending in new.items():
        known = old.setdefault(counter, {})
        for register, distance in pending.items():
            if register not in known or known[register] > distance:
                known[register] = distance
                changed = True
    return old, changed


def register_name(number: int) -> str:
    """s4, v12, a3."""
    if number >= ACCUMULATOR:
        return f"a{number - ACCUMULATOR}"
    if number >= VECTOR:
        return f"v{number - VECTOR}"
    return {VCC: "vcc_lo", VCC + 1: "vcc_hi", M0: "m0", SCC: "scc"}.get(number, f"s{number}")
