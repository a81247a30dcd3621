"""A kernel's way through the stages, for one chip: every stage is made when it is asked for, and kept.

A module that already is in a later stage (`lanewise.stage`) starts there, so that a dump can be edited and resumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..codegen.budget import DEFAULT, Budget
from ..codegen.compile import Artifacts, CompileOptions, compile_kernel
from ..distribute import rules as distribution_rules
from ..distribute.driver import distribute
from ..frontend.dead import without_dead
from ..frontend.known_attributes import refuse_unread
from ..frontend.stated_target import StatedTarget, check_stated, refuse_lacking, stated_target
from ..frontend.table import check_plain
from ..frontend.whole import expanded
from ..ir.attributes import (
    ArrayAttr,
    DenseArrayAttr,
    DictAttr,
    IntegerAttr,
    StringAttr,
    int_array,
    is_int_array,
    number_of,
)
from ..ir.core import Operation, clone
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.vector import ContractionOp
from ..ir.kernels import Kernel, block_size, find_kernel, in_module, module_around
from ..ir.parts import verify_rotations, verify_scope
from ..ir.remarks import Remark, in_program_order
from ..ir.types import I64, Attribute, FloatType, MemRefType, Type, VectorType
from ..layout.assign import Assigned, assign_layouts, result_layouts
from ..layout.check import check_layouts
from ..layout.configs import anchor_configs
from ..layout.contraction import check_asked, check_fits
from ..layout.mma_kinds import with_kinds
from ..layout.padding import pad_as_asked, pad_to_matrix_units
from ..layout.precision import fit_matrix_units
from ..layout.product import MMA
from ..layout.remarks import layout_remarks
from ..layout.teams import Team, teams
from ..layout.tile_units import in_elements
from ..layout.workgroup import FEW_ELEMENTS, MAX_ELEMENTS_OF_A_THREAD, Workgroup, most_elements
from ..schedule.order import order_workgroups
from ..schedule.passes import Pass, Scheduled, passes_of, schedule
from ..schedule.persist import persist
from ..schedule.split import split
from ..schedule.tile import tile
from ..support.collector import paused
from ..support.diagnostics import CompileError, Diagnostic, Report, VerifyError
from ..targets import Chip

assert distribution_rules.ALL
_NEAR = 32
"""Bits of signed offsets."""


@dataclass(frozen=True)
class ArgumentFacts:
    """What is known of one kernel argument: see docs/files.md for the attributes these become.

    `align`: bytes that divide a buffer's address. `divisibility`: what divides a number, or each extent of a buffer.
    `strides`: what divides each stride of a buffer, in elements. `near`: a buffer lies in the 2 GiB from its address
    on.
    """

    align: int | None = None
    divisibility: int | tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    near: bool = False

    def attributes(self) -> dict[str, Attribute]:
        entries: dict[str, Attribute] = {}
        if self.align is not None:
            entries["llvm.align"] = IntegerAttr(self.align, I64)
        if isinstance(self.divisibility, int):
            entries["lanewise.divisibility"] = IntegerAttr(self.divisibility, I64)
        elif self.divisibility is not None:
            entries["lanewise.divisibility"] = DenseArrayAttr(I64, self.divisibility)
        if self.strides is not None:
            entries["lanewise.stride_divisibility"] = DenseArrayAttr(I64, self.strides)
        if self.near:
            entries["lanewise.pointer_range"] = IntegerAttr(_NEAR, I64)
        return entries


class Compilation:
    """One kernel of a verified module, for one chip."""

    def __init__(
        self,
        module: Operation,
        kernel: Kernel | str | None,
        chip: Chip,
        facts: Mapping[int, ArgumentFacts] | None = None,
        *,
        isolate: bool = False,
        budget: Budget = DEFAULT,
    ) -> None:
        """`kernel`: one of the module's, its name, or None for the only one. `isolate`: LLVM runs in a process of its
        own."""
        self._isolate, self._budget = isolate, budget
        given = kernel if isinstance(kernel, Kernel) else find_kernel(module, kernel)
        self.kernel = given
        self._stated, self.chip = _limited(given, chip)
        self._stage = self.kernel.stage
        self._source = module
        self._facts = facts or {}
        self._check_target(module)
        self._check_attributes(module, is_written=True)
        self._check_facts()
        if self._stage == "vector":
            self.kernel = expanded(given)
            self._check_program()
            tiled = tile(in_elements(with_kinds(without_dead(self.kernel))))
            self.kernel = persist(order_workgroups(split(tiled)), self.chip)
            if self.kernel is not given:
                self._check_attributes(module, is_written=False)
        else:
            check_plain(self.kernel)
        self._check_program()
        if self._stage != "thread":
            self._check_sizes(self.kernel.op)

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
        refuse_unread(module, self.kernel, report, is_written=is_written)
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

    def _check_contractions(self, kernel: FunctionLike, workgroup: Workgroup) -> None:
        """The instructions that are asked for can be had."""
        report = Report()
        for team in teams(kernel, workgroup):
            for op in team.operations:
                if isinstance(op, ContractionOp):
                    check_fits(op, team.workgroup, report)
        if report.diagnostics:
            raise CompileError(report.diagnostics)

    def _check_facts(self) -> None:
        """What the program states of its arguments has to be a statement."""
        for index, argument in enumerate(self.kernel.arguments):
            rank = argument.type.rank if isinstance(argument.type, MemRefType) else None
            stated = self.kernel.argument_attribute(index, "llvm.align")
            align = number_of(stated) or 0
            if stated is not None and (rank is None or align < 1 or align & (align - 1)):
                self._reject(index, f"llvm.align is {stated}, expected a power of two on a memref")
            self._check_divisors(index, "lanewise.divisibility", rank, "extents")
            self._check_divisors(index, "lanewise.stride_divisibility", rank, "strides")
            bits = self.kernel.argument_attribute(index, "lanewise.pointer_range")
            if bits is not None and (rank is None or getattr(bits, "value", None) != _NEAR):
                self._reject(index, f"lanewise.pointer_range is {bits}, expected {_NEAR} on a memref")

    def _check_divisors(self, index: int, name: str, rank: int | None, of: str) -> None:
        """A number states one divisor; an array one for each extent or stride of a memref."""
        stated = self.kernel.argument_attribute(index, name)
        if stated is None:
            return
        type = self.kernel.arguments[index].type
        if isinstance(type, FloatType):
            self._reject(index, f"{name} is of an integer, an index or a memref, found {type}")
        expected = "one number" if rank is None else f"a number for each of {rank} {of}"
        if not isinstance(stated, IntegerAttr if rank is None else DenseArrayAttr) or (
            rank and not is_int_array(stated)
        ):
            self._reject(index, f"{name} is {stated}, expected {expected}")
        numbers = int_array(stated) if rank is not None else (number_of(stated) or 0,)
        if rank is not None and len(numbers) != rank:
            self._reject(index, f"{name} has {len(numbers)} numbers, expected {expected}")
        if any(n < 1 for n in numbers):
            self._reject(index, f"{name} is {stated}, expected numbers of at least 1")
        if isinstance(type, MemRefType):
            known = type.shape if of == "extents" else type.strides_and_offset()[0]
            for dim, (stated_divisor, number) in enumerate(zip(numbers, known, strict=True)):
                if number is not None and number % stated_divisor:
                    self._reject(index, f"{name} says {stated_divisor} of dimension {dim}, whose number is {number}")

    def _reject(self, index: int, what: str) -> None:
        raise CompileError([Diagnostic(f"argument {index} of '@{self.kernel.name}': {what}", self.kernel.op.location)])

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
        found, _ = self._scheduled
        self._refuse_lacking(found.function)
        size = block_size(found.function)
        return in_module(replace(self.kernel, op=found.function, stage="layout", block_size=size), self.chip)

    @cached_property
    def _scheduled(self) -> tuple[Assigned, Scheduled]:
        passes = passes_of(self.kernel.op)
        found, scheduled = self._assigned(passes.first)
        if found.is_tight and not set(scheduled.done) <= set(passes.with_fewer_registers):
            found, scheduled = self._assigned(passes.with_fewer_registers)
        return found, scheduled

    def _assigned(self, passes: Sequence[Pass]) -> tuple[Assigned, Scheduled]:
        """The kernel in the layout stage, after some passes, and what these did."""
        kernel = with_facts(self.kernel.op, self._facts)
        fit_matrix_units(kernel, Workgroup.of(self.kernel, self.chip, self.subgroup_size))
        scheduled_by = schedule(kernel, Workgroup.of(self.kernel, self.chip, self.subgroup_size), passes)
        scheduled = replace(self.kernel, op=kernel, block_size=block_size(kernel))
        workgroup = Workgroup.of(scheduled, self.chip, self.subgroup_size)
        pad_as_asked(kernel, most_elements(workgroup.threads))
        pad_to_matrix_units(kernel, workgroup)
        self._check_contractions(kernel, workgroup)
        anchor_configs(kernel, workgroup)
        return assign_layouts(scheduled, workgroup), scheduled_by

    def _refuse_lacking(self, function: Operation) -> None:
        """What the program needs, the GPU that it names has."""
        report = Report()
        if self._stated is not None:
            refuse_lacking(self._stated, function, [op for op in function.walk() if MMA in op.attributes], report)
        if report.diagnostics:
            raise CompileError(report.diagnostics)

    def _check_program(self) -> None:
        report = Report()
        verify_scope(self.kernel, self.subgroup_size, report)
        limit = self.chip.max_threads_per_workgroup
        if self.kernel.threads > limit:
            self.kernel.op.error(report, f"has {self.kernel.threads} threads, {self.chip.name} allows {limit}")
        for op in self.kernel.op.walk():
            if found := next((v.type for v in op.results if _is_of_vectors(v.type)), None):
                op.error(report, f"makes a {found}; lanewise compiles memrefs of single elements")
        if report.diagnostics:
            raise VerifyError(report.diagnostics)

    def _check_sizes(self, kernel: FunctionLike) -> None:
        """No vector has more elements than its threads can hold: nothing that comes after would end in useful time."""
        report = Report()
        for team in teams(kernel, Workgroup.of(self.kernel, self.chip, self.subgroup_size)):
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

    def _check_held(self, kernel: FunctionLike) -> None:
        """The same of what a thread holds by the layouts, in which several may hold one element."""
        report = Report()
        for team in teams(kernel, Workgroup.of(self.kernel, self.chip, self.subgroup_size)):
            for op in team.operations:
                for result, layout in zip(op.results, result_layouts(op), strict=False):
                    if (
                        layout is not None
                        and (held := layout.wrapped(team.workgroup.subgroups)).registers > FEW_ELEMENTS
                    ):
                        found = f"{held.registers} elements of a {result.type}, the limit is {FEW_ELEMENTS}"
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
        if self._stage == "thread":
            return self.kernel
        if self._stage == "layout":  # what a text says; layouts that are chosen here agree
            check_layouts(self.kernel.op, Workgroup.of(self.kernel, self.chip, self.subgroup_size))
        self._check_held(self.layout_kernel.op)
        kernel = distribute(self.layout_kernel, self.chip, self.subgroup_size)
        self._refuse_lacking(kernel.op)
        return kernel

    @cached_property
    def layout_remarks(self) -> tuple[Remark, ...]:
        """What the layout stage tells of itself; nothing where the program begins after it."""
        if self._stage == "thread":
            return ()
        workgroup = Workgroup.of(self.layout_kernel, self.chip, self.subgroup_size)
        told = self._scheduled[1].remarks if self._stage == "vector" else ()
        return in_program_order((*told, *layout_remarks(self.layout_kernel.op, workgroup)))

    @cached_property
    def artifacts(self) -> Artifacts:
        return self._compiled(line_info=False)

    @cached_property
    def artifacts_with_lines(self) -> Artifacts:
        """The same instructions, with `.loc` directives that name the lines of the program."""
        return self._compiled(line_info=True)

    def _compiled(self, *, line_info: bool) -> Artifacts:
        options = CompileOptions(line_info=line_info, isolate=self._isolate, budget=self._budget)
        return compile_kernel(self.thread_kernel, self.chip, options)


def _limited(kernel: Kernel, chip: Chip) -> tuple[StatedTarget | None, Chip]:
    """What the program says of its GPU, and the chip with no more than that."""
    report = Report()
    stated = stated_target(kernel, report)
    if stated is not None:
        check_stated(stated, kernel, chip, report)
    if report.diagnostics:
        raise CompileError(report.diagnostics)
    return (None, chip) if stated is None else (stated, stated.limited(chip))


def with_facts(function: FunctionLike, facts: Mapping[int, ArgumentFacts]) -> FunctionLike:
    """A copy of a kernel whose arguments carry `facts` besides what the source says of them; the source wins."""
    copy = clone(function, {})
    assert isinstance(copy, FunctionLike)
    if not facts:
        return copy
    arguments = copy.regions[0].block.arguments
    given = copy.attributes.get("arg_attrs")
    entries = given.values if isinstance(given, ArrayAttr) else (DictAttr(()),) * len(arguments)
    merged = [
        DictAttr.of({**facts.get(i, ArgumentFacts()).attributes(), **dict(e.entries)}) if isinstance(e, DictAttr) else e
        for i, e in enumerate(entries)
    ]
    copy.attributes["arg_attrs"] = ArrayAttr(tuple(merged))
    return copy


def _is_of_vectors(type: Type) -> bool:
    return isinstance(type, MemRefType) and isinstance(type.element, VectorType)
