"""Explains a kernel: for each operation of the program as written what it became, what it takes, and what lost.

All of it is read off the stages: layouts and conversions off the layout stage, what threads do off one thread's
program, alternatives off the choice of layouts, which is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..analysis.lifetimes import Lifetimes
from ..analysis.live_ranges import LiveRanges
from ..analysis.shared_places import bytes_taken, extents_of
from ..ir.core import Block, Operation, Value
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import TransferWriteOp
from ..ir.kernels import Kernel as KernelView
from ..ir.kernels import find_kernel
from ..ir.passes import Pass, Rewritten
from ..ir.remarks import Remark, of_any_launch
from ..ir.stages import OF_THREADS
from ..jit.emits import StageError
from ..jit.kernel import Kernel, compile
from ..jit.launchable import Launchable
from ..lang.python_kernel import Kernel as KernelInPython
from ..layout import pressure
from ..layout.contraction import MMA, Contractions
from ..layout.draw import describe
from ..layout.exchanges import conversions, layout_in_stage, maker
from ..layout.graph import flexible_values
from ..layout.nested import NestedLayout
from ..layout.plan import Plan
from ..layout.teams import Team, teams
from ..layout.transfer import Known, is_vector
from ..layout.workgroup import Workgroup
from ..pipeline.compilation import Compilation
from ..support.dataclasses import replace
from ..support.diagnostics import LanewiseError, Source
from ..targets import Chip
from .explain_memory import buffers_of, loops_of, traffic_of
from .explain_moves import Moves, combination
from .explain_others import others_of
from .explain_places import order_of, place_of
from .explain_threads import InThreads
from .explanation import Explanation
from .explanation_parts import Crossing, Held, Instruction, Memory, Other, Step, Totals

if TYPE_CHECKING:
    from ..jit.source import ProgramSource


def explain(
    kernel: Launchable | KernelInPython | ProgramSource | Source,
    target: str | Chip | None = None,
    *,
    general: bool = False,
) -> Explanation:
    """Explains a kernel, or a program's.

    Args:
        kernel: Compiled by `lanewise.compile`, or what that takes; one in Python as it was traced last, or as its
            annotations say.
        target: For a program: the chip.
        general: Whether to explain the variant that runs with all arguments; else that for arguments of which all holds
            that a launch can see, which is the fastest.

    Raises:
        LookupError: Nothing says what a kernel in Python takes.
        LanewiseError: A target is given with a kernel, which has one.
        StageError: The program begins behind the choice of layouts, so there is nothing to explain.
        ProgramMissing: A kernel's file has no program.
        CompileError, and what else `lanewise.compile` raises: The program is wrong.
    """
    if target is not None and isinstance(kernel, (Launchable, KernelInPython)):
        raise LanewiseError("target= is for a program, found a kernel: kernel.compile(..., target=CHIP) has another")
    if isinstance(kernel, KernelInPython):
        kernel = kernel.latest
    found = kernel if isinstance(kernel, Launchable) else compile(kernel, target)
    if not isinstance(found, Kernel):
        return explained(found.compilation, "")
    variant = found.general if general else found.variant(found.best_facts)
    return explained(variant.compilation, variant.words)


def explained(compilation: Compilation, variant: str) -> Explanation:
    """The explanation of one variant, which is for what `variant` says in words."""
    if compilation.kernel.stage in OF_THREADS:
        stage = compilation.kernel.stage
        raise StageError(
            f"the program begins in the {stage} stage, behind the choice of layouts: it has none to explain"
        )
    return _Explainer(compilation, variant).explanation()


class _Explainer:
    """One variant of a kernel, which goes through the passes once more."""

    def __init__(self, compilation: Compilation, variant: str) -> None:
        self.variant = variant
        self.in_front: KernelView | None = None
        """The kernel in front of the choice of layouts, where that is made."""
        self.passes: list[str] = []
        self.compilation = compilation.observed(self._observe)
        self.in_vain = tuple(compilation.passes_in_vain)
        self.kernel = self.compilation.layout_kernel
        self.workgroup = Workgroup.of(self.kernel, self.compilation.context)
        self.teams = list(teams(self.kernel.op, self.workgroup))
        self.contractions = self.compilation.context.analyses.get(Contractions, self.kernel.op)
        self.operations = [op for team in self.teams for op in team.operations]
        self.threads = InThreads(self.compilation.thread_kernel.op, self.operations)
        self.layouts: dict[str, Held] = {}
        self._badges: dict[tuple[NestedLayout, Workgroup], str] = {}

    def _observe(self, rewrite: Pass, done: Rewritten, milliseconds: float) -> None:
        if rewrite.leads_to is None and done.kernel.stage == "vector":
            self.in_front = done.kernel
        if done.outcome.changed and rewrite.leads_to is None:
            self.passes.append(rewrite.name)

    def explanation(self) -> Explanation:
        for op in self.operations:  # what was chosen has the first badges
            if (layout := self._layout_of(op)) is not None:
                self.badge(layout, self._team[op].workgroup)
        steps = tuple(self._steps())
        buffers = {op: buffer for buffer, op in buffers_of(self.teams)}
        kernel = self.compilation.kernel
        found = Explanation(
            kernel.name,
            self.compilation.chip.name,
            self.variant,
            self._totals(steps),
            steps,
            self.layouts,
            tuple(buffers.values()),
            tuple(loops_of(self.operations, buffers, self.remarks)),
            tuple(r.message for r in self.remarks if r not in self._placed),
        )
        return replace(found, layouts={name: held for name, held in self.layouts.items() if name in found.badges})

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        return of_any_launch(self.compilation.layout_remarks)

    # -- layouts ----------------------------------------------------------------------------------------------------

    def badge(self, layout: NestedLayout, workgroup: Workgroup) -> str:
        """The name of a layout of the threads of a program, made when it is first asked for."""
        key = layout, workgroup
        if key not in self._badges:
            name = self._badges[key] = f"L{len(self._badges) + 1}"
            self.layouts[name] = _held(name, layout, workgroup)
        return self._badges[key]

    # -- steps ------------------------------------------------------------------------------------------------------

    def _steps(self) -> Iterator[Step]:
        groups: dict[Operation, list[Operation]] = {}
        for op in self.operations:
            groups.setdefault(self._belongs_to(op).written, []).append(op)
        number = {written: i for i, written in enumerate(groups)}
        groups.update({op: [] for op in self._folded(groups)})
        for written in sorted(groups, key=lambda op: (order_of(op), number.get(op, 0))):
            if not groups[written]:
                yield Step(written.opname, _type(written), place_of(written), is_folded=True)
            elif _is_told(written, step := self._step(written, groups[written])):
                yield step

    def _folded(self, told: Iterable[Operation]) -> Iterator[Operation]:
        """Operations on vectors that the program has, and the layout stage has nothing of."""
        known = {(op.opname, op.location) for op in told}
        for op in find_kernel(self.compilation.vector_module, self.compilation.kernel.name).op.walk():
            is_about_vectors = any(is_vector(v) for v in (*op.operands, *op.results))
            is_told_elsewhere = op.regions or op.terminator or op.constant_like
            if is_about_vectors and not is_told_elsewhere and (op.opname, op.location) not in known:
                yield op

    def _belongs_to(self, op: Operation) -> Operation:
        """A conversion that nobody wrote belongs to what uses it, a copy to shared memory to what it copies."""
        if isinstance(op, ToLayoutOp) and op.origin is None and self.in_front is not None:
            return next((self._belongs_to(user) for user in op.output.users), op)
        if isinstance(op, TransferWriteOp) and op.written.opname != op.opname:
            copied = maker(op.value)
            while isinstance(copied, ToLayoutOp) and copied.origin is None:
                copied = maker(copied.input)
            return self._belongs_to(copied)
        return op

    def _step(self, written: Operation, group: Sequence[Operation]) -> Step:
        main = next((op for op in group if op.opname == written.opname), group[-1])
        held = self._layout_of(main)
        workgroup = self._team[main].workgroup
        badge = "" if held is None else self.badge(held, workgroup)
        known = self.layouts.get(badge)
        instructions: dict[tuple[str, int], int] = {}
        for op in group:
            for i in self.threads.instructions(op):
                instructions[i.name, i.bytes] = instructions.get((i.name, i.bytes), 0) + i.count
        return Step(
            written.opname,
            _type(written),
            place_of(written),
            badge,
            workgroup.threads,
            workgroup.threads if known is None else known.lanes,
            1 if known is None else known.copies,
            max(self._alive.get(op, 0) for op in group),
            next((getattr(op.attributes[MMA], "name", "") for op in group if MMA in op.attributes), ""),
            tuple(Instruction(name, count, size) for (name, size), count in instructions.items()),
            sum(self.threads.barriers[op] for op in group),
            tuple(self._crossings(group)),
            tuple(self._memory(group)),
            combination(main, workgroup),
            self._others.get(written, ()),
            tuple(dict.fromkeys(r.message for r in self.remarks if self._is_about(r, written))),
        )

    def _layout_of(self, op: Operation) -> NestedLayout | None:
        value = next((v for v in (*op.results, *op.operands) if is_vector(v)), None)
        return None if value is None else layout_in_stage(value)

    def _crossings(self, group: Sequence[Operation]) -> Iterator[Crossing]:
        for op in group:
            moves = Moves(self._team[op], self._known[self._team[op]], self.badge)
            if isinstance(op, ToLayoutOp):
                yield moves.conversion(op, self._plans[op])
            elif self.threads.shuffles(op) or self.threads.is_exchanged(op):
                yield from moves.within(op)

    def _memory(self, group: Sequence[Operation]) -> Iterator[Memory]:
        found = (traffic_of(op, self._known[self._team[op]], self.badge) for op in group)
        yield from dict.fromkeys(memory for memory in found if memory is not None)

    def _is_about(self, remark: Remark, written: Operation) -> bool:
        return remark in self._placed and self._placed[remark] is written

    @cached_property
    def _placed(self) -> Mapping[Remark, Operation]:
        """The operation that stands where a remark points to."""
        at = {(p.source, p.offset): op.written for op in reversed(self.operations) if (p := op.written.location)}
        places = {r: at.get((p.source, p.offset)) for r in self.remarks if (p := r.location)}
        return {remark: op for remark, op in places.items() if op is not None}

    # -- what is known ------------------------------------------------------------------------------------------------

    @cached_property
    def _team(self) -> Mapping[Operation, Team]:
        return {op: team for team in self.teams for op in team.operations}

    @cached_property
    def _known(self) -> Mapping[Team, Known]:
        return {team: Known(team.workgroup, {}, self.contractions) for team in self.teams}

    @cached_property
    def _plans(self) -> Mapping[ToLayoutOp, Plan]:
        return {op: plan for team in self.teams for op, plan in conversions(team)}

    @cached_property
    def _alive(self) -> Mapping[Operation, int]:
        found: dict[Operation, int] = {}
        for team in self.teams:
            anew = flexible_values(team.operations)
            values = [
                v for op in team.operations for v in (*op.results, *_arguments(op)) if is_vector(v) and v not in anew
            ]
            held = {v: layout for v in values if (layout := layout_in_stage(v)).is_held}
            ranges = LiveRanges(team.operations)
            found.update(pressure.alive(ranges, {v: x for v, x in held.items() if v in ranges.spans}))
        return found

    @cached_property
    def _others(self) -> Mapping[Operation, tuple[Other, ...]]:
        if self.in_front is None:
            return {}
        return others_of(self.in_front, Workgroup.of(self.in_front, self.compilation.context), self.badge)

    # -- totals -------------------------------------------------------------------------------------------------------

    def _totals(self, steps: Sequence[Step]) -> Totals:
        ways = [c for step in steps for c in step.crossings]
        brought = [c for c in ways if c.way in ("shuffles", "shared memory")]
        return Totals(
            self.kernel.threads,
            self.workgroup.subgroup_size,
            self.workgroup.scope,
            max(self._alive.values(), default=0),
            pressure.budget(self.workgroup),
            self._shared_bytes,
            sum(c.way == "renamed" for c in ways),
            sum(c.way == "shuffles" for c in ways),
            sum(c.way == "shared memory" for c in ways),
            sum(c.in_loop for c in brought),
            self.threads.barrier_count,
            tuple(self.passes),
            self.in_vain,
        )

    @cached_property
    def _shared_bytes(self) -> int:
        function = self.compilation.thread_kernel.op
        apart = self.compilation.context.analyses.get(Lifetimes, function).apart
        return bytes_taken(extents_of(function), apart)


def _held(name: str, layout: NestedLayout, workgroup: Workgroup) -> Held:
    threads, size = workgroup.threads, workgroup.subgroup_size
    if not layout.is_held:
        return Held(name, "stays in shared memory, where its instruction reads it", str(layout), 0, 0, 1, 0)
    wrapped = layout.wrapped(workgroup.subgroups)
    words = describe(wrapped, size, threads)
    copies = wrapped.replication(threads, size)
    return Held(name, words, str(layout), threads, wrapped.threads_used, copies, wrapped.registers)


def _type(op: Operation) -> str:
    """The first vector's, of results before operands."""
    return str(next((v.type for v in (*op.results, *op.operands) if is_vector(v)), ""))


def _arguments(op: Operation) -> Iterator[Value]:
    blocks: Iterator[Block] = (block for region in op.regions for block in region.blocks)
    return (argument for block in blocks for argument in block.arguments)


def _is_told(written: Operation, step: Step) -> bool:
    """What computes places and sizes, the same in all threads, is left out, and so is what holds the program."""
    if written.terminator:
        return False
    moves = (
        step.memory or step.crossings or step.barriers or written.collective or any(i.bytes for i in step.instructions)
    )
    return bool(step.layout or step.type or step.remarks or moves)
