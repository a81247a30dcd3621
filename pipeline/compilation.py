"""A kernel's way through the passes, for one chip: every stage is made when it is asked for, and kept.

A module that already is in a later stage (`lanewise.stage`), or behind some of the passes (`lanewise.after`), starts
there, so that a dump can be edited and resumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from ..codegen.compile import Artifacts, CompileOptions, compile_kernel
from ..distribute import rules as distribution_rules
from ..frontend.known_attributes import refuse_unread
from ..frontend.legalisations import check_plain
from ..frontend.legalise import with_arguments
from ..frontend.program import check_program
from ..frontend.stated_target import StatedTarget, check_stated, refuse_lacking, stated_target
from ..ir.analyses import Analyses
from ..ir.attributes import StringAttr
from ..ir.core import Operation
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.vector import ContractionOp
from ..ir.did_you_mean import did_you_mean
from ..ir.kernels import AFTER, Kernel, find_kernel, in_module, module_around
from ..ir.passes import Context, Pass, Rewritten
from ..ir.printer import print_program
from ..ir.program_parts import verify_rotations
from ..ir.remarks import Remark, in_program_order
from ..ir.stages import OF_THREADS, Stage
from ..ir.types import VectorType
from ..layout.assign import result_layouts
from ..layout.check import check_layouts
from ..layout.contraction import MMA, Contractions
from ..layout.instruction_choice import check_asked
from ..layout.remarks import layout_remarks
from ..layout.teams import Team, teams
from ..layout.workgroup import FEW_ELEMENTS, MAX_ELEMENTS_OF_A_THREAD, Workgroup, most_elements
from ..schedule.pipeline_options import prefetch_stages
from ..support.collector import paused
from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import CompileError, Diagnostic, LanewiseError, Report
from ..targets import Chip
from .facts import ArgumentFacts, check_facts, with_facts
from .passes import BY_STAGE, CHOICE, DECLARED, GRID, LOOPS, PASSES, remaining
from .settings import AS_USUAL, Settings

assert distribution_rules.FAMILIES


class PassError(LanewiseError):
    """A pass is named that does not exist, or that cannot be left out."""


@dataclass(frozen=True)
class PassRun:
    """What one pass did to a kernel.

    Attributes:
        name, summary: Of the pass.
        changed: Whether the program is another one behind it.
        milliseconds: How long it took.
        text: The program behind the pass: it can be read back, and goes on from there.
    """

    name: str
    summary: str
    changed: bool
    milliseconds: float
    text: str


Observer = Callable[[Pass, Rewritten, float], None]
"""Told of each pass behind it, and how many milliseconds it took."""


def find_pass(name: str) -> Pass:
    """Raises PassError for a name that no pass has."""
    if name not in PASSES:
        hint = did_you_mean(name, PASSES)
        raise PassError(f"there is no pass '{name}'; there are {', '.join(PASSES)}" + f"; {hint}" * bool(hint))
    return PASSES[name]


class Compilation:
    """One kernel of a verified module, for one chip."""

    def __init__(
        self,
        module: Operation,
        kernel: Kernel | str | None,
        chip: Chip,
        facts: Mapping[int, ArgumentFacts] | None = None,
        settings: Settings = AS_USUAL,
        *,
        observe: Observer | None = None,
    ) -> None:
        """
        Args:
            kernel: One of the module's, its name, or None for the only one.
            facts: What is known of arguments besides what the program says.
            settings: How it is compiled.
            observe: Told of each pass.

        Raises:
            PassError: A pass is to be left out that is none, that the kernel asks something of, or without which no
                code can be generated.
        """
        self._settings, self._observe = settings, observe
        given = kernel if isinstance(kernel, Kernel) else find_kernel(with_arguments(module), kernel)
        for name in settings.without:
            check_left_out(name, given)
        self.kernel = given
        self._stated, self.chip = limited(given, chip)
        self._stage: Stage = self.kernel.stage
        self._source, self._given = module, given
        self._facts = facts or {}
        self._analyses = Analyses()
        self._remarks: list[Remark] = []
        """Remarks of the passes that have run."""
        self._is_tight = False
        self._takes_registers: list[str] = []
        """The passes that took some, and may be left out."""
        self.passes_in_vain: list[str] = []
        """Those that were left out in the end, since registers did not suffice."""
        self._remarks_of_grid: tuple[Remark, ...] = ()
        self._passed = _passed(given)
        self._check_target(module)
        self._check_attributes(module, is_written=True)
        check_facts(self.kernel)
        if self._stage == "vector":
            self.kernel = self._run(given, GRID)
            self._remarks_of_grid = tuple(self._remarks)
            if self.kernel is not given:
                self._check_attributes(module, is_written=False)
        else:
            check_plain(self.kernel)
        check_program(self.kernel, self.context)
        if self._stage not in OF_THREADS:
            self._check_sizes(self.kernel.op)

    def _run(self, kernel: Kernel, passes: Sequence[Pass]) -> Kernel:
        """The kernel behind those of the passes that it has not gone through yet, and that are not left out."""
        for rewrite in passes:
            if rewrite.name in self._passed or rewrite.name in self._settings.without:
                continue
            start = time.perf_counter()
            done = rewrite.run(kernel, self.context)
            kernel = done.kernel
            if done.outcome.changed:
                self._analyses.forget(kernel.op, rewrite.preserves)
            self._remarks += done.outcome.remarks
            if done.outcome.changed and rewrite.takes_registers:
                self._takes_registers.append(rewrite.name)
            self._is_tight = done.is_tight
            if self._observe is not None:
                self._observe(rewrite, done, 1000 * (time.perf_counter() - start))
            if rewrite.leads_to is not None:
                self._check_entered(rewrite.leads_to, kernel)
        return kernel

    @property
    def context(self) -> Context:
        """What passes may ask, of the program as it is now."""
        return Context(self.chip, self.subgroup_size, self._analyses)

    def _check_entered(self, stage: Stage, kernel: Kernel) -> None:
        """What holds of a kernel that a pass has led to a stage."""
        if stage == "layout":
            self._check_held(kernel)
        if stage != "thread":
            self._refuse_lacking(kernel)

    @cached_property
    def passes(self) -> tuple[PassRun, ...]:
        """What each pass did: the kernel goes through all of them again, with its text behind each."""
        runs: list[PassRun] = []
        last = ""

        def record(rewrite: Pass, done: Rewritten, milliseconds: float) -> None:
            nonlocal last
            after = None if rewrite.leads_to else rewrite.name
            behind = program_text(done.kernel, self.chip, facts=self._facts)
            text = program_text(done.kernel, self.chip, after, self._facts)
            runs.append(PassRun(rewrite.name, rewrite.summary, behind != last, milliseconds, text))
            last = behind

        last = program_text(self._given, self.chip, facts=self._facts)
        _ = self.observed(record).thread_kernel
        return tuple(runs)

    def observed(self, observe: Observer, module: Operation | None = None) -> Compilation:
        """The same from the start, without what was tried in vain, of which each pass is told behind it.

        With a `module`, which says the same as this one's, it is that module that goes through the passes.
        """
        _ = self.layout_kernel  # now it is known what that was
        settings = replace(self._settings, without=(*self._settings.without, *self.passes_in_vain))
        source, given = (self._source, self._given) if module is None else (module, self._given.name)
        return Compilation(source, given, self.chip, self._facts, settings, observe=observe)

    @property
    def given(self) -> Kernel:
        """The kernel as the program has it."""
        return self._given

    def __repr__(self) -> str:
        known = f", {len(self._facts)} of its arguments known" if self._facts else ""
        return f"<compilation of @{self.kernel.name} for {self.chip.name} from the {self._stage} stage{known}>"

    def _check_target(self, module: Operation) -> None:
        target = module.attributes.get("lanewise.target")
        if isinstance(target, StringAttr) and target.value != self.chip.name:
            message = f"the module is in the {self._stage} stage for {target.value}, not for {self.chip.name}"
            raise CompileError([Diagnostic(message, module.location)])

    def _check_attributes(self, module: Operation, *, is_written: bool) -> None:
        """What the program says is obeyed, or refused."""
        report = Report()
        refuse_unread(module, self.kernel, report, DECLARED, is_written=is_written)
        for op in self.kernel.op.all_of(ContractionOp):
            check_asked(op, self._stage, report)
        asked, sizes = self.kernel.subgroup_size, self.chip.subgroup_sizes
        if asked is not None and asked not in sizes:
            there = " or ".join(map(str, sizes))
            message = f"asks for subgroups of {asked} threads, {self.chip.name} has subgroups of {there}"
            self.kernel.op.error(report, message, "without a subgroup size the kernel takes the chip's")
        verify_rotations(self.kernel, self.subgroup_size, report)
        if report.diagnostics:
            raise CompileError(report.diagnostics)

    @property
    def subgroup_size(self) -> int:
        """What the kernel asks for, else the chip's."""
        return self.kernel.subgroup_size or self.chip.default_subgroup_size

    @cached_property
    def vector_module(self) -> Operation:
        return self._source

    @property
    def layout_module(self) -> Operation:
        return module_around(self.layout_kernel.op)

    @cached_property
    @paused()
    def layout_kernel(self) -> Kernel:
        """The kernel in the layout stage; that of the program where it begins there, or after."""
        if self._stage != "vector":
            return self.kernel
        found = self._chosen()
        if self._is_tight and self._takes_registers and prefetch_stages(self.kernel.op) is None:
            self.passes_in_vain = self._takes_registers
            return self._chosen()
        return found

    def _chosen(self) -> Kernel:
        """The kernel behind the passes that depend on facts, without those that were tried in vain."""
        self._remarks, self._takes_registers = [*self._remarks_of_grid], []
        copy = replace(self.kernel, op=with_facts(self.kernel.op, self._facts))
        return self._run(copy, [p for p in (*LOOPS, *CHOICE) if p.name not in self.passes_in_vain])

    def _refuse_lacking(self, kernel: Kernel) -> None:
        """What the program needs, the GPU that it names has."""
        report, function = Report(), kernel.op
        if self._stated is not None:
            refuse_lacking(self._stated, function, [op for op in function.walk() if MMA in op.attributes], report)
        if report.diagnostics:
            raise CompileError(report.diagnostics)

    def _check_sizes(self, kernel: FunctionLike) -> None:
        """No vector has more elements than its threads can hold: nothing that comes after would end in useful time."""
        report = Report()
        for team in teams(kernel, Workgroup.of(self.kernel, self.context)):
            self._check_sizes_of(team, report)
        if report.diagnostics:
            raise CompileError(report.diagnostics)

    def _check_sizes_of(self, team: Team, report: Report) -> None:
        threads = team.workgroup.threads
        limit = most_elements(threads)
        for op in team.operations:
            for result in op.results:
                if isinstance(result.type, VectorType) and result.type.elements > limit:
                    found = f"{result.type.elements} elements for {threads} threads, the limit is {limit}"
                    hint = "take a part in each workgroup, or one part after the other in a loop"
                    op.error(report, f"makes a vector of {found} ({MAX_ELEMENTS_OF_A_THREAD} for each)", hint)

    def _check_held(self, kernel: Kernel) -> None:
        """Refuses more elements than a thread can have, of what a thread holds by the layouts, in which several may
        hold one element."""
        report = Report()
        for team in teams(kernel.op, Workgroup.of(kernel, self.context)):
            for op in team.operations:
                for result, layout in zip(op.results, result_layouts(op), strict=False):
                    held = 0 if layout is None else layout.wrapped(team.workgroup.subgroups).registers
                    if held > FEW_ELEMENTS:
                        found = f"{held} elements of a {result.type}, the limit is {FEW_ELEMENTS}"
                        hint = "share its elements out among more threads, or take one part after the other in a loop"
                        op.error(report, f"gives a thread {found}", hint)
        if report.diagnostics:
            raise CompileError(report.diagnostics)

    @property
    def thread_module(self) -> Operation:
        return module_around(self.thread_kernel.op)

    @cached_property
    @paused()
    def thread_kernel(self) -> Kernel:
        """The kernel as one thread's program."""
        if self._stage in OF_THREADS:
            if not remaining(self._stage):
                return self.kernel
            own = in_module(replace(self.kernel, op=with_facts(self.kernel.op, {}), after=None), self.chip)
            return self._run(own, remaining(self._stage))
        if self._stage == "layout":  # what a text says; layouts that are chosen here agree
            workgroup = Workgroup.of(self.kernel, self.context)
            check_layouts(self.kernel.op, workgroup, self._analyses.get(Contractions, self.kernel.op))
            self._check_held(self.kernel)
        return self._run(self.layout_kernel, remaining("layout"))

    @cached_property
    def layout_remarks(self) -> tuple[Remark, ...]:
        """What the layout stage tells of itself; nothing where the program begins after it."""
        if self._stage in OF_THREADS:
            return ()
        workgroup = Workgroup.of(self.layout_kernel, self.context)
        contractions = self._analyses.get(Contractions, self.layout_kernel.op)
        return in_program_order((*self._remarks, *layout_remarks(self.layout_kernel.op, workgroup, contractions)))

    @cached_property
    def artifacts(self) -> Artifacts:
        return self._compiled(line_info=False)

    @cached_property
    def artifacts_with_lines(self) -> Artifacts:
        """The same instructions, with `.loc` directives that name the lines of the program."""
        return self._compiled(line_info=True)

    def _compiled(self, *, line_info: bool) -> Artifacts:
        settings = self._settings
        options = CompileOptions(line_info=line_info, isolate=settings.isolate, budget=settings.budget)
        return compile_kernel(self.thread_kernel, self.chip, options, self._analyses)


_NO_FACTS: Mapping[int, ArgumentFacts] = {}


def program_text(
    kernel: Kernel, chip: Chip, after: str | None = None, facts: Mapping[int, ArgumentFacts] = _NO_FACTS
) -> str:
    """A kernel, as a text that reads back: with facts of its arguments, behind the pass that is called `after`."""
    function = with_facts(kernel.op, facts if kernel.stage == "vector" else {})
    return print_program(module_around(in_module(replace(kernel, op=function, after=after), chip).op))


def _passed(kernel: Kernel) -> frozenset[str]:
    """The passes that a program has gone through, by what its module says."""
    if kernel.after is None:
        return frozenset()
    names = [p.name for p in BY_STAGE[kernel.stage]]
    if kernel.after not in names:
        message = f"{AFTER} is '{kernel.after}', no pass of the {kernel.stage} stage"
        hint = did_you_mean(kernel.after, names, f"they are {', '.join(names) or 'none'}")
        raise CompileError([Diagnostic(message, module_around(kernel.op).location, hint=hint)])
    return frozenset(names[: names.index(kernel.after) + 1])


def check_left_out(name: str, kernel: Kernel) -> None:
    """Raises PassError where there is no such pass, no code without it, or where the kernel asks something of it."""
    found = find_pass(name)
    if found.is_needed:
        raise PassError(f"the pass '{name}' cannot be left out: it {found.summary}")
    asked = next((option for option in found.options if option.attribute in kernel.op.attributes), None)
    if asked is not None and name not in _passed(kernel):
        message = f"the pass '{name}' cannot be left out: @{kernel.name} has '{asked.attribute}', which it reads"
        raise PassError(f"{kernel.op.location}: {message}" if kernel.op.location else message)


def limited(kernel: Kernel, chip: Chip) -> tuple[StatedTarget | None, Chip]:
    """What the program says of its GPU, and the chip with no more than that."""
    report = Report()
    stated = stated_target(kernel, report)
    if stated is not None:
        check_stated(stated, kernel, chip, report)
    if report.diagnostics:
        raise CompileError(report.diagnostics)
    return (None, chip) if stated is None else (stated, stated.limited(chip))
