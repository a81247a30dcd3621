"""What a simulation says: cycles of an iteration, and what waits for what while the matrix units have nothing to do.

Every cycle in which the matrix unit of a scheduler has nothing is shared out among its subgroups, and each share goes
to what that subgroup does meanwhile: it waits (an instruction, for others), issues, has its stall count, or finds that
others issue. The sum is the idle time. In a loop without products all of the time is shared out so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from .machine import Machine
from .simulation import Run, Simulation
from .timed import OF_ALL, Loop
from .wave import Span

UNCERTAIN = 0.15
"""Differences below this say nothing where several workgroups share a multiprocessor: who goes first when others wait
is a rule of thumb. Loops that must be slower came out faster by as much (`docs/performance.md`)."""
_SPREAD = frozenset(("issue", "fixed latency", "jump", "others issue"))
"""What is of the loop as a whole, and of no instruction of it."""
DISTANCES = (61.0, 290.0, 610.0)
"""Cycles between the begins of workgroups, of runs of which the middle one counts."""
_NOT_SHARED_OUT = 0.9
_LARGE = 10_000
"""Instructions of all subgroups in an iteration, of which one run takes seconds."""


class Idle(NamedTuple):
    """Cycles of an iteration in which matrix units have nothing; `line` is that of the instruction that waits, 0 for
    the loop as a whole, and `causes` are the lines of those that it waits for. `origin` and `cause_origins` are the
    same in the text that they come from."""

    cycles: float
    reason: str
    line: int = 0
    text: str = ""
    origin: int = 0
    causes: tuple[int, ...] = ()
    cause_origins: tuple[int, ...] = ()

    @property
    def is_wait(self) -> bool:
        """Whether instructions wait for others."""
        return bool(self.line)


class Waiting(NamedTuple):
    """Cycles of an iteration in which the matrix units have nothing, and the words for what happens meanwhile. Where
    instructions wait, `row` is their line of the program (0 where that is not known) and `line` the first one of the
    machine text; else both are 0."""

    cycles: float
    words: str
    row: int = 0
    line: int = 0


@dataclass(frozen=True)
class LoopTime:
    """The hot loop of a kernel in the model.

    Attributes:
        cycles: An iteration of one workgroup; of `groups` that share a multiprocessor, the time that they take for
            one each, divided by their number.
        least, most: The same of all runs, whose workgroups begin at different distances.
        subgroups: Those of a workgroup that run the loop.
        instructions, products: Of the machine's loop, which may hold several iterations of the program's.
        busy: Which part of the time each pipe is busy, by name; `matrix` is the matrix units' share.
        idle: By cycles, the most first.
        first_line, last_line: In the machine text.
    """

    cycles: float
    least: float
    most: float
    groups: int
    subgroups: int
    instructions: int
    products: int
    busy: Mapping[str, float]
    idle: Sequence[Idle]
    first_line: int
    last_line: int

    @property
    def matrix(self) -> float:
        return self.busy.get("matrix", 0.0)

    @property
    def bound(self) -> str:
        """The pipe that is busy nine tenths of the time, or what is waited for most while matrix units have nothing."""
        pipe = max(self.busy, key=self.busy.__getitem__)
        if self.busy[pipe] >= _NOT_SHARED_OUT or not self.idle:
            return pipe
        by_reason: dict[str, float] = defaultdict(float)
        for idle in self.idle:
            by_reason[idle.reason] += idle.cycles
        return max(by_reason, key=by_reason.__getitem__)

    @property
    def waits(self) -> Sequence[Idle]:
        return [idle for idle in self.idle if idle.is_wait]


def loop_time(
    loop: Loop, machine: Machine, subgroups: int, groups: int = 1, distances: Sequence[float] = DISTANCES
) -> LoopTime:
    """The time of a loop. One workgroup takes one run, several one for each distance, or for the middle one where they
    have many instructions together. Raises Stuck."""
    is_large = len(loop.body) * subgroups * groups > _LARGE
    apart = distances[:1] if groups == 1 else distances[len(distances) // 2 :][:1] if is_large else distances
    runs = [Simulation(loop, machine, subgroups, groups, distance).run() for distance in apart]
    told = sorted((_cycles(run, loop, subgroups), n) for n, run in enumerate(runs))
    middle, number = told[len(told) // 2]
    run = runs[number]
    return LoopTime(
        cycles=middle,
        least=told[0][0],
        most=told[-1][0],
        groups=groups,
        subgroups=subgroups,
        instructions=len(loop.body),
        products=loop.products,
        busy=_busy(run, machine),
        idle=_idle(run, loop, machine, middle),
        first_line=loop.body[0].line,
        last_line=loop.body[-1].line,
    )


def _cycles(run: Run, loop: Loop, subgroups: int) -> float:
    """From the ends of iterations of each subgroup that were counted; of one with few, from what it issued."""
    rates: list[float] = []
    for wave in run.waves:
        counted = [end for end in wave.ends if run.start <= end <= run.end]
        if len(counted) > _FEW:
            rates.append((len(counted) - 1) / (counted[-1] - counted[0]))
        else:
            rates.append(wave.issued / len(loop.body) / _length(run))
    return subgroups / sum(rates)


_FEW = 3


def _length(run: Run) -> float:
    return max(run.end - run.start, 1.0)


def _busy(run: Run, machine: Machine) -> dict[str, float]:
    has, length = machine.figures, _length(run)
    shares = {
        pipe: cycles / length / (1 if pipe in OF_ALL or pipe == "L2" else has.schedulers)
        for pipe, cycles in run.pipes.busy.items()
    }
    worked = sum(length - sum(b - a for a, b in _gaps(run, s)) for s in _used(run))
    shares["matrix"] = worked / length / has.schedulers
    if not has.kinds_at_once:
        shares["issue"] = sum(wave.issued for wave in run.waves) * has.turn / length / has.schedulers
    return shares


def _used(run: Run) -> list[int]:
    return sorted({wave.scheduler for wave in run.waves})


def _gaps(run: Run, scheduler: int) -> list[tuple[float, float]]:
    """When the matrix unit of a scheduler had nothing."""
    gaps: list[tuple[float, float]] = []
    at = run.start
    for start, end in run.pipes.products[scheduler]:
        if end <= run.start or start >= run.end:
            continue
        if start > at:
            gaps.append((at, start))
        at = max(at, min(end, run.end))
    return [*gaps, (at, run.end)] if at < run.end else gaps


def _idle(run: Run, loop: Loop, machine: Machine, cycles: float) -> list[Idle]:
    shared: dict[tuple[str, int], float] = defaultdict(float)
    causes: dict[tuple[str, int], dict[int, None]] = defaultdict(dict)
    iterations = _length(run) / cycles
    for scheduler in _used(run):
        waves, gaps = [wave for wave in run.waves if wave.scheduler == scheduler], _gaps(run, scheduler)
        each = len(waves) * machine.figures.schedulers * iterations
        for wave in waves:
            for span, length in _inside(gaps, wave.spans):
                key = span.reason, -1 if span.reason in _SPREAD else span.place
                shared[key] += length / each
                causes[key].update(dict.fromkeys(span.causes))
    found = [_told(loop, reason, place, n, sorted(causes[reason, place])) for (reason, place), n in shared.items()]
    return sorted((idle for idle in found if idle.cycles > 0), key=lambda idle: (-idle.cycles, idle))


def _told(loop: Loop, reason: str, place: int, cycles: float, causes: Iterable[int]) -> Idle:
    if place < 0:
        return Idle(cycles, reason)
    i, of = loop.body[place], [loop.body[cause] for cause in causes]
    lines, origins = tuple(c.line for c in of), tuple(dict.fromkeys(c.origin for c in of if c.origin))
    return Idle(cycles, reason, i.line, i.text, i.origin, lines, origins)


def _inside(gaps: Sequence[tuple[float, float]], spans: Sequence[Span]) -> Iterator[tuple[Span, float]]:
    """The spans that fall into gaps, and for how long; both are in the order of time."""
    first = 0
    for span in spans:
        while first < len(gaps) and gaps[first][1] <= span.start:
            first += 1
        length = 0.0
        for start, end in gaps[first:]:
            if start >= span.end:
                break
            length += max(min(span.end, end) - max(span.start, start), 0.0)
        if length:
            yield span, length
