"""What a pass is: a rewrite of a kernel that has a name, options that it declares, and an outcome.

Each room that rewrites programs defines its passes; `pipeline/passes.py` has them in their order. A program speaks to a
pass by attributes of its kernel, which are the pass's options: `lanewise opt --pass persist=workgroups=4` puts the same
attribute on the kernel that a program would write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ..support.dataclasses import dataclass, field
from ..targets import Chip
from .attributes import IntegerAttr, StringAttr
from .core import Operation
from .kernels import Kernel
from .remarks import Remark, RemarkKind
from .stages import Stage
from .types import I1, I64, Attribute


@dataclass(frozen=True)
class Context:
    """What a pass may ask besides the program.

    Attributes:
        chip: What the code is for, with no more than the program says of it.
        subgroup_size: Threads of a subgroup.
    """

    chip: Chip
    subgroup_size: int


@dataclass
class Outcome:
    """What a pass says of its work: whether it changed anything, and why it left alone what it might have changed."""

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
        """Of a pass that gives the same kernel where it changes nothing, and tells no remarks."""
        return cls(behind, Outcome(behind is not before))


class Option(NamedTuple):
    """What can be said to a pass: `name` on the command line, `attribute` on the kernel, and what it means.

    `read` makes the attribute of a text on the command line; it raises ValueError for what is none.
    """

    name: str
    attribute: str
    summary: str
    read: Callable[[str], Attribute]


class Mark(NamedTuple):
    """What one pass says to later ones by an attribute of operations: `name`, and what it means."""

    name: str
    summary: str


class Declared(NamedTuple):
    """The attributes that passes read, of kernels and of operations, by name: in which stage they are read."""

    kernels: Mapping[str, Stage]
    operations: Mapping[str, Stage]


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
    """

    name: str
    summary: str
    run: Rewrite
    is_needed: bool = False
    takes_registers: bool = False
    options: Sequence[Option] = ()
    marks: Sequence[Mark] = ()
    leads_to: Stage | None = None
