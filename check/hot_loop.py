"""A kernel's hot loop in the model of time (`timing`), told in words: what waits for what, at lines of the program.

It is a model, and no verdict: nothing here ran on a device, and `timing/loop_time.py` says what it does not know.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import ceil, prod

from ..codegen.assemble import LINE_INFO, assemble, assembles, disassemble, has_tool
from ..emulate.counters import Counted
from ..emulate.faults import EmulationFault
from ..jit.kernel_variant import KernelVariant
from ..jit.origin import Origins, origins_of
from ..support.named_tuples import NamedTuple
from ..timing import amdgcn, sass
from ..timing.loop_time import DISTANCES, UNCERTAIN, Idle, LoopTime, Waiting, loop_time
from ..timing.machine import Machine, machine_of
from ..timing.simulation import Stuck
from ..timing.timed import Loop


class Untimed(NamedTuple):
    """There is no time of a kernel's loop; `reason` says why not, in words."""

    reason: str


class HotLoop:
    """The hot loop of one variant of a kernel. With `counted`, the emulator's counts of the lines of the text that it
    executes, it is the one that ran most, and accesses to shared memory take the passes that they took there.

    `workgroups` of a launch decide how many share a multiprocessor; None: as many as fit.
    """

    def __init__(
        self,
        variant: KernelVariant,
        machine: Machine,
        counted: Mapping[int, Counted] | None = None,
        workgroups: int | None = None,
    ) -> None:
        self.variant, self.machine = variant, machine
        self._counted = counted
        compilation = variant.compilation
        self.subgroups = compilation.kernel.threads // compilation.subgroup_size
        multiprocessors = machine.rates.multiprocessors // machine.figures.units
        fitting = _fitting(variant, machine)
        self.groups = fitting if workgroups is None else max(min(fitting, ceil(workgroups / multiprocessors)), 1)
        self._busy = multiprocessors if workgroups is None else max(min(workgroups, multiprocessors), 1)

    @cached_property
    def _text(self) -> sass.SassText | amdgcn.AmdgcnText:
        variant = self.variant
        if self.machine.vendor == "amd":
            return amdgcn.parse(variant.assembly, variant.artifacts.name)
        cubin = assemble(variant.assembly, variant.compilation.chip, LINE_INFO)
        return sass.parse(disassemble(cubin.code, lines="ptx", encodings=True))

    def _loop_on(self, machine: Machine) -> Loop | None:
        counted = self._counted
        if counted is None:
            return self._text.loop(machine)
        loop = self._text.loop(machine, {line: count.executed for line, count in counted.items()})
        beyond = {line: count.conflicts / count.executed for line, count in counted.items() if count.conflicts}
        return None if loop is None else loop.with_conflicts(beyond)

    @cached_property
    def loop(self) -> Loop | None:
        """None where the code has none."""
        return self._loop_on(self.machine)

    @cached_property
    def time(self) -> LoopTime:
        """Raises Stuck."""
        assert self.loop is not None, "who made it has asked"
        return loop_time(self.loop, self.machine, self.subgroups, self.groups)

    @cached_property
    def far_cycles(self) -> float:
        """An iteration of a workgroup where L2 has nothing, of one run. Raises Stuck."""
        loop = self._loop_on(self.machine.far)
        assert loop is not None, "it has the instructions of the other"
        return loop_time(loop, self.machine.far, self.subgroups, self.groups, DISTANCES[1:2]).cycles

    @property
    def launch_cycles(self) -> float:
        """The cycles of one multiprocessor for its share of all iterations of the launch that was counted. Raises
        Stuck."""
        assert self.loop is not None and self._counted is not None, "what was launched was counted"
        body = [i for i in self.loop.body if i.work.pipe == "matrix"] or self.loop.body
        origins = [i.origin for i in body if i.origin in self._counted]
        executed = sum(self._counted[origin].executed for origin in dict.fromkeys(origins))
        return executed / max(len(origins), 1) / self.subgroups / self._busy * self.time.cycles

    # In words

    @property
    def words(self) -> str:
        """The loop, and how long an iteration takes."""
        time = self.time
        products = f", {time.products} of them products" if time.products else ""
        groups = "1 workgroup" if time.groups == 1 else f"each of {time.groups} workgroups"
        spread = "" if time.groups == 1 else f" ({time.least:,.0f} to {time.most:,.0f} by when they begin)"
        units = f"; matrix units are busy {time.matrix:.0%} of the time" if time.products else ""
        return (
            f"model: {time.cycles:,.0f} cycles{spread} an iteration of {groups} of {time.subgroups} subgroups, from"
            f" memory {self.far_cycles:,.0f}; the loop has {time.instructions} instructions{products}{units}"
        )

    @cached_property
    def waiting(self) -> Sequence[Waiting]:
        """What happens while matrix units have nothing, by lines of the program; the most first."""
        cycles: dict[tuple[str, int], float] = defaultdict(float)
        lines: dict[tuple[str, int], int] = {}
        for idle in self.time.idle:
            row = self._row(idle.origin)
            key = self._told(idle, row), row
            cycles[key] += idle.cycles
            lines[key] = min(lines.get(key, idle.line), idle.line)
        told = (Waiting(count, words, row, lines[words, row]) for (words, row), count in cycles.items())
        return sorted(told, key=lambda waiting: -waiting.cycles)

    def lines(self, most: int = 5) -> list[str]:
        """Sentences about the most of the cycles, those of a hundredth of them and more."""
        whole = self.time.cycles
        told = [waiting for waiting in self.waiting if waiting.cycles >= _TOLD * whole][:most]
        return [f"model: {waiting.cycles:,.0f} of {whole:,.0f} cycles {waiting.words}" for waiting in told]

    def _told(self, idle: Idle, row: int) -> str:
        if not idle.is_wait:
            return _WHOLE[idle.reason]
        kind, _, pipe = idle.reason.partition(" of ")
        at = f"wait at {self._listed([row], [idle.line])} {_WAITS[kind]}"
        if pipe:
            return f"{at} {pipe or 'scalar'} instructions"
        if not idle.causes or kind == "barrier":
            return at
        rows = [self._row(origin) for origin in idle.cause_origins]
        return f"{at} at {self._listed(list(dict.fromkeys(rows)), list(idle.causes))}"

    def _listed(self, rows: Sequence[int], lines: Sequence[int]) -> str:
        """Lines of the program where all are known; else of the machine text."""
        known = bool(rows) and all(rows)
        numbers = [str(number) for number in sorted(rows if known else lines)]
        text = "" if known else " of the machine text"
        if len(numbers) == 1:
            return f"line {numbers[0]}{text}"
        shown = numbers if len(numbers) <= _MOST_LINES else [*numbers[: _MOST_LINES - 1], "others"]
        return f"lines {', '.join(shown[:-1])} and {shown[-1]}{text}"

    def _row(self, origin: int) -> int:
        mark = self._origins.mark(origin) if origin else None
        return mark.row if mark else 0

    @cached_property
    def _origins(self) -> Origins:
        return origins_of(self.variant.compilation)


NOTE = (
    "a model, which ran on no device, and no verdict: where several workgroups share a multiprocessor,"
    f" differences below {UNCERTAIN:.0%} say nothing"
)
_TOLD, _MOST_LINES = 0.01, 4
_WAITS: Mapping[str, str] = {
    "loads": "for the loads",
    "copies": "for the copies",
    "shared memory": "for shared memory, accessed",
    "transcendentals": "for the transcendental functions",
    "scoreboard": "for the results",
    "products": "for the products",
    "boxes": "for the boxes that are copied",
    "barrier": "for others at a barrier",
    "operands read": "until operands were read",
    "result": "for results of",
    "queue": "for a place in the queue of",
    "pipe": "for the pipe of",
}
"""How instructions wait, by reasons of `LoopTime.idle`, or their first words."""
_WHOLE: Mapping[str, str] = {
    "issue": "go to issuing instructions",
    "fixed latency": "go to fixed latencies between instructions",
    "jump": "go to the jump back",
    "others issue": "go to what other subgroups issue",
}


def hot_loop(
    variant: KernelVariant, counted: Mapping[int, Counted] | None = None, workgroups: int | None = None
) -> HotLoop | Untimed:
    """The hot loop of a variant, or why there is no time of one."""
    chip = variant.compilation.chip
    machine = machine_of(chip.name)
    if machine is None:
        return Untimed(f"no latencies of {chip.name} are stated")
    if chip.vendor == "nvidia" and not (assembles(chip) and has_tool("nvdisasm")):
        return Untimed("`pip install lanewise[isa]` installs ptxas and nvdisasm, whose text it reads")
    found = HotLoop(variant, machine, counted, workgroups)
    try:
        if found.loop is None:
            return Untimed("the code has no loop" + (" that the launch ran" if counted else ""))
        _ = found.time
    except EmulationFault as fault:
        return Untimed(f"the text cannot be read: {fault}")
    except Stuck as stuck:
        return Untimed(f"the loop cannot be simulated: {stuck}")
    return found


def _fitting(variant: KernelVariant, machine: Machine) -> int:
    """How many workgroups fit on a multiprocessor at the same time."""
    occupancy = variant.occupancy
    if occupancy is None:
        return 1
    subgroups = ceil(prod(variant.artifacts.block_size) / variant.compilation.subgroup_size)
    units = machine.figures.schedulers if machine.vendor == "amd" else 1
    return max(occupancy.count * units // subgroups, 1)
