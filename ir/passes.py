"""What a pass is: a rewrite of a kernel that has a name, options that it declares, and an outcome.

Each room that rewrites programs defines its passes; `pipeline/passes.py` has them in their order. A program speaks to a
pass by attributes of its kernel, which are the pass's options: `lanewise opt --pass persist=workgroups=4` puts the same
attribute on the kernel that a program would write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from ..support.dataclasses import dataclass, field
from ..support.diagnostics import ProgramError, Report
from ..support.named_tuples import NamedTuple
from ..targets import Chip
from .analyses import Analyses, Analysis
from .attributes import IntegerAttr, StringAttr
from .core import Operation
from .kernels import Kernel
from .remarks import Remark, RemarkKind
from .stages import Stage
from .types import I1, I64, Attribute

T = TypeVar("T")


@dataclass(frozen=True)
class Context:
    """What a pass may ask besides the program.

    Attributes:
        chip: What the code is for, with no more than the program says of it.
        subgroup_size: Threads of a subgroup.
        analyses: What is known of the program, as it is now.
    """

    chip: Chip
    subgroup_size: int
    analyses: Analyses = field(default_factory=Analyses)


@dataclass
class Outcome:
    """What a pass says of its work: whether the kernel's function is another one behind it, or changed in place, and
    why it left alone what it might have changed."""

    changed: bool = False
    remarks: list[Remark] = field(default_factory=list[Remark])

    def leave(self, op: Operation, message: str, hint: str = "", kind: RemarkKind = "loop-reads") -> None:
        """`op` stays as it is; `message` says what is not done, and why."""
        self.remarks.append(Remark(message, op.location, hint=hint, kind=kind))


class Rewritten(NamedTuple):
    """The kernel after a pass, and what the pass says.

    `is_tight`: more registers are alive at once than a thread has, so that passes which take some are better left out.
    """

    kernel: Kernel
    outcome: Outcome
    is_tight: bool = False

    @classmethod
    def of(cls, before: Kernel, behind: Kernel) -> Rewritten:
        """What comes of a pass that gives the same kernel where it changes nothing, and tells no remarks."""
        return cls(behind, Outcome(behind is not before))


@dataclass(frozen=True)
class Option(Generic[T]):
    """What can be said to a pass.

    Attributes:
        name: On the command line.
        attribute: On the kernel.
        expects: What it is, as it follows `must be`.
        summary: What it means.
        read: Makes the attribute of a text on the command line; raises ValueError for what is none.
        of: What an attribute says; None for one that is wrong.
    """

    name: str
    attribute: str
    expects: str
    summary: str
    read: Callable[[str], Attribute]
    of: Callable[[Attribute], T | None]

    def value(self, function: Operation) -> T | None:
        """What a kernel's function says; None where it says nothing. Raises ProgramError for what is wrong."""
        report = Report()
        self.check(function, report)
        if report.diagnostics:
            raise ProgramError(report.diagnostics)
        given = function.attributes.get(self.attribute)
        return None if given is None else self.of(given)

    def check(self, function: Operation, report: Report) -> None:
        """Reports what is wrong."""
        given = function.attributes.get(self.attribute)
        if given is not None and self.of(given) is None:
            function.error(report, f"{self.attribute} must be {self.expects}, found {given}")


class Mark(NamedTuple):
    """What one pass says to later ones by an attribute of operations: `name`, and what it means."""

    name: str
    summary: str


class Declared(NamedTuple):
    """What passes read, by the names of attributes, and in which stage: options on kernels, marks on operations."""

    options: Mapping[str, tuple[Stage, Option[Any]]]
    marks: Mapping[str, Stage]


def a_word(text: str) -> Attribute:
    """A string attribute."""
    return StringAttr(text)


def a_number(text: str) -> Attribute:
    """A number of i64, or a truth value."""
    if text in ("true", "false"):
        return IntegerAttr(text == "true", I1)
    return IntegerAttr(int(text), I64)


Rewrite: TypeAlias = Callable[[Kernel, Context], Rewritten]


@dataclass(frozen=True)
class Pass:
    """One rewrite of kernels.

    Attributes:
        name: In options, dumps and messages.
        summary: What it does, in a sentence without its subject.
        run: The kernel that it is given may be changed in place from `facts` on, where the kernel is a copy.
        is_needed: Whether no code can be generated without it.
        takes_registers: Whether a compilation is tried again without it where registers do not suffice.
        options: What a program can say to it.
        marks: Attributes of operations that passes before it leave for it, and that are gone behind it.
        leads_to: The stage in which the program is behind it; None for that in which it was.
        preserves: Analyses whose answers hold behind it, too, where it has changed the function in place.
    """

    name: str
    summary: str
    run: Rewrite
    is_needed: bool = False
    takes_registers: bool = False
    options: Sequence[Option[Any]] = ()
    marks: Sequence[Mark] = ()
    leads_to: Stage | None = None
    preserves: Collection[Analysis[Any]] = ()
