"""AMDGCN to what the model knows of it. Text, registers, counters and waits are read by the emulator's own readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ..emulate.amdgcn.chip import Chip, make_chip
from ..emulate.amdgcn.emit_memory import WIDTHS
from ..emulate.amdgcn.hazards import NOTHING, Step, steps_of
from ..emulate.amdgcn.parse import parse_module
from ..emulate.amdgcn.program import sites_of
from ..emulate.amdgcn.shapes import copies_to_shared
from ..emulate.amdgcn.syntax import Instruction, KernelText, Symbol
from ..emulate.amdgcn.waits import Counters, Site, number_of, waits_of
from ..support.dataclasses import dataclass, replace
from ..support.patterns import regex
from ..targets import CHIPS
from .machine import Machine
from .timed import Loop, Meeting, Pipe, Timed, Work, hot_span

_SHAPE = regex(r"_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_?(\w*)$")


@dataclass(frozen=True)
class AmdgcnText:
    """The instructions of one kernel."""

    kernel: KernelText
    chip: Chip

    @property
    def lanes(self) -> int:
        return self.chip.wavefront

    def loop(self, machine: Machine, executed: Mapping[int, int] | None = None) -> Loop | None:
        """The hot loop, as the model knows it; None where there is none. `executed` is by line of the text."""
        instructions = self.kernel.instructions
        products = [_multiplies(i.opcode) for i in instructions]
        ran = None if executed is None else [executed.get(i.line, 0) for i in instructions]
        span = hot_span(products, list(_jumps(self.kernel)), ran)
        if span is None:
            return None
        body = instructions[slice(*span)]
        sites = sites_of(body, self.chip)
        model = _Model(machine, self.chip)
        return Loop([model.timed(step, sites.get(n, _QUIET)) for n, step in enumerate(steps_of(body, sites))])


def parse(text: str, name: str) -> AmdgcnText:
    """The kernel of that name. Raises EmulationFault for text that cannot be read."""
    module = parse_module(text)
    kernel = module.kernels[name]
    return AmdgcnText(kernel, make_chip(module.target, kernel.wavefront_size))


_QUIET = Site(set(), set(), [])


def _multiplies(opcode: str) -> bool:
    return opcode.startswith(("v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"))


def _jumps(kernel: KernelText) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at, i in enumerate(kernel.instructions):
        label = i.operands[0] if i.opcode.startswith(("s_cbranch", "s_branch")) and i.operands else None
        if isinstance(label, Symbol) and label.name in kernel.labels:
            found.append((at, kernel.labels[label.name]))
    return found


# ---- what instructions do -------------------------------------------------------------------------------------------

_INSTANT = regex(r"s_(nop|wait\w*|barrier\w*|setprio|sleep|delay_alu|clause|sched\w*)$")
"""They take a turn of their wave, and no place of another's."""
_SLOW = regex(r"v_mul_(lo|hi)_|v_mad_(co_)?[iu]64")
"""Multiplications of 32 bits: a quarter of the rate, like transcendentals (LLVM, SISchedule.td)."""
_PAIRED_ACCESS = regex(r"(read|write|load|store)_?2")


def _lane_bytes(opcode: str) -> int:
    width = next((WIDTHS[word] for word in opcode.split("_") if word in WIDTHS), WIDTHS["dword"])
    return width.size * width.count * (2 if _PAIRED_ACCESS.search(opcode) else 1)


_TYPES: Mapping[str, str] = {
    "f16": "f16", "bf16": "bf16", "xf32": "tf32", "f32": "f32", "f64": "f64", "i8": "i8", "iu8": "i8", "iu4": "i4",
    "fp8": "f8E4M3FN", "bf8": "f8E5M2",
}  # fmt: skip
"""The types of factors, by the last words of opcodes."""
_SHORT_CODES = ("2", "3", "4")
"""`cbsz` and `blgp` of factors of 6 and 4 bits."""


def _element_type(i: Instruction, said: str) -> str:
    if said == "f8f6f4":
        codes = (i.modifiers.get("cbsz", "0"), i.modifiers.get("blgp", "0"))
        return "f4E2M1FN" if all(code in _SHORT_CODES for code in codes) else "f8E4M3FN"
    words = [word for word in said.split("_") if word in _TYPES]
    return _TYPES[words[0]] if words else "f16"


_LEAST_PRODUCT = 8
"""Cycles of the smallest shapes: two passes (the same tables of hazards)."""


class _Model:
    """What the instructions of one chip do."""

    def __init__(self, machine: Machine, chip: Chip) -> None:
        self._machine, self._has = machine, machine.figures
        self._lanes = chip.wavefront
        self._counters = Counters(chip).names
        self._rows = chip.wavefront // CHIPS[chip.name].native_subgroup_size or 1
        """How often a vector instruction goes through its pipe."""

    def timed(self, step: Step, site: Site) -> Timed:
        i = step.instruction
        loaded = frozenset(register for event in site.events for register in event.registers)
        plain = Timed(
            i.line,
            i.text.replace("\t", " "),
            i.line,
            slot=_slot(step),
            stall=step.wait_states,
            reads=step.reads,
            writes=step.writes - loaded,
            counter=next((self._counters[event.kind] for event in site.events), ""),
            left=waits_of(i),
        )
        rule = next((rule for kind, rule in _RULES if step.is_a(kind)), _Model.scalar)
        return rule(self, step, plain)

    def product(self, step: Step, timed: Timed) -> Timed:
        found = _SHAPE.search(step.opcode)
        assert found, f"{step.opcode} has no shape"
        operations = 2 * int(found[1]) * int(found[2]) * int(found[3]) * int(found[4] or 1)
        if "smfmac" in step.opcode or "swmmac" in step.opcode:
            operations //= 2
        busy = self._machine.product_cycles(_element_type(step.instruction, found[5]), operations)
        work = Work("matrix", max(busy, _LEAST_PRODUCT), float(self._has.matrix_latency))
        added = step.operand(0 if "mac_" in step.opcode else 3)
        return replace(timed, work=work, forwarded=added if added == step.operand(0) else NOTHING)

    def shared(self, step: Step, timed: Timed) -> Timed:
        size, has = _lane_bytes(step.opcode), self._has
        reads = size >= _WIDE and _READS.match(step.opcode) is not None
        busy = self._lanes * size / (has.wide_read_bytes if reads else has.shared_bytes)
        latency = has.shuffle_latency if _EXCHANGES.match(step.opcode) else has.shared_latency
        return replace(timed, work=Work("shared", max(busy, 1.0), float(latency), queued=True))

    def memory(self, step: Step, timed: Timed) -> Timed:
        """A copy to shared memory takes its writes, too."""
        size = self._lanes * _lane_bytes(step.opcode)
        busy, transfer = self._machine.access_cycles(size)
        beside = size / self._has.shared_bytes if copies_to_shared(step.instruction) else 0.0
        work = Work("memory", busy, self._machine.load_latency, queued=True, transfer=transfer, beside=beside)
        return replace(timed, work=work)

    def scalar_memory(self, step: Step, timed: Timed) -> Timed:
        return replace(timed, work=Work(latency=float(self._has.scalar_latency)))

    def transcendental(self, step: Step, timed: Timed) -> Timed:
        pipe: Pipe = "transcendental" if self._has.transcendentals_apart else "vector"
        busy = self._has.transcendental_busy * self._rows
        return replace(timed, work=Work(pipe, busy, float(self._has.transcendental_latency)))

    def vector(self, step: Step, timed: Timed) -> Timed:
        if _SLOW.match(step.opcode):
            return self.transcendental(step, timed)
        busy = self._has.vector_busy * self._rows
        return replace(timed, work=Work("vector", busy, float(self._has.vector_latency)))

    def scalar(self, step: Step, timed: Timed) -> Timed:
        i = step.instruction
        if i.opcode == "s_setprio":
            return replace(timed, priority=number_of(i.modifiers.get("raw", "")) or _immediate(i))
        if i.opcode.startswith("s_barrier"):
            arrives, waits = "_wait" not in i.opcode, "_signal" not in i.opcode
            return replace(timed, meeting=Meeting("0", None, waits, arrives))
        return timed


_WIDE = 8
"""Bytes of a lane from which reads go through twice as many banks, on chips that have those."""
_READS = regex(r"ds_(read|load)")
_EXCHANGES = regex(r"ds_(b?permute|swizzle)")
Rule: TypeAlias = Callable[[_Model, Step, Timed], Timed]
_RULES: Sequence[tuple[str, Rule]] = (
    ("mfma", _Model.product),
    ("wmma", _Model.product),
    ("transcendental", _Model.transcendental),
    ("vector", _Model.vector),
    ("shared", _Model.shared),
    ("memory", _Model.memory),
    ("scalar memory", _Model.scalar_memory),
)
"""By kinds of steps; the first that an instruction is of is its rule, for others `scalar` is."""


def _immediate(i: Instruction) -> int:
    return int(getattr(i.operands[0], "value", 0)) if i.operands else 0


def _slot(step: Step) -> str:
    if _INSTANT.match(step.opcode):
        return ""
    if "branch" in step.opcode:
        return "branch"
    kinds = ("vector", "shared", "memory", "scalar memory")
    return next((kind for kind in kinds if step.is_a(kind)), "scalar")
