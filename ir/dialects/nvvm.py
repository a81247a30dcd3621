"""nvvm: what NVIDIA's threads say to the hardware besides computing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import IntegerAttr, OpaqueAttr
from ..core import Operation
from ..define import AttributeField, attribute, int_attribute
from ..types import I32

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

ASYNC_SHARED = OpaqueAttr("#nvvm.proxy_kind<async.shared>")
OF_WORKGROUP = OpaqueAttr("#nvvm.shared_space<cta>")


class Case(Directive):
    """The word of an attribute `#name<word>`."""

    def __init__(self, field: AttributeField[OpaqueAttr], name: str) -> None:
        self.field, self.name = field, name

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        state.give(parser, self.field.name, OpaqueAttr(f"#{self.name}<{parser.keyword()}>"), place)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(_between_brackets(self.field.read(op)))


class FenceProxyOp(Operation, opname="nvvm.fence.proxy"):
    """What the thread wrote to workgroup memory before is there for what reads it through the async proxy (matrix
    units, tensor copies), once a barrier has ordered the two."""

    pure = False
    belongs_to = "thread"
    kind = attribute(OpaqueAttr)
    space = attribute(OpaqueAttr)
    directives = {"Case": Case}
    assembly = (
        "`<` custom<Case>($kind, nvvm.proxy_kind) `>` `,` `space` `=` `<` custom<Case>($space,"
        " nvvm.shared_space) `>` attr-dict"
    )

    def verify(self, report: Report) -> None:
        if (self.kind, self.space) != (ASYNC_SHARED, OF_WORKGROUP):
            self.error(report, f"is between {ASYNC_SHARED} of {OF_WORKGROUP}, found {self.kind} of {self.space}")


AWAIT_GRIDS = OpaqueAttr("#nvvm.grid_dep_action<wait>")
LAUNCH_DEPENDENTS = OpaqueAttr("#nvvm.grid_dep_action<launch_dependents>")


class GriddepcontrolOp(Operation, opname="nvvm.griddepcontrol"):
    """How a grid stands to those before and after it, where they may overlap (programmatic dependent launch).

    `wait`: the thread waits until the grids that it depends on are over, and what they wrote is there.
    `launch_dependents`: the grid that depends on this one may begin once all workgroups have got here or ended. It says
    nothing of what was written."""

    pure = False
    kind = attribute(OpaqueAttr)
    directives = {"Case": Case}
    assembly = "custom<Case>($kind, nvvm.grid_dep_action) attr-dict"

    def verify(self, report: Report) -> None:
        if self.kind not in (AWAIT_GRIDS, LAUNCH_DEPENDENTS):
            self.error(report, f"waits or launches dependents, found {_between_brackets(self.kind)}")

    @property
    def awaits_grids(self) -> bool:
        return self.kind == AWAIT_GRIDS


REGISTER_COUNTS = range(24, 257, 8)
"""The counts of registers of a thread (PTX ISA, "setmaxnreg")."""
_ACTIONS = ("decrease", "increase")


class SetMaxRegisterOp(Operation, opname="nvvm.setmaxregister"):
    """The threads of four subgroups give back registers until each has `regCount`, or wait until they have so many. All
    threads of the four get here. It changes no value."""

    pure = False
    regCount = int_attribute(number=I32)
    action = attribute(OpaqueAttr)
    directives = {"Case": Case}
    assembly = "custom<Case>($action, nvvm.set_max_register_action) $regCount attr-dict"

    @property
    def word(self) -> str:
        """`increase` or `decrease`."""
        return str(self.action).removeprefix("#nvvm.set_max_register_action<").removesuffix(">")

    @classmethod
    def of(cls, word: str, count: int) -> Operation:
        return cls((), (), {"regCount": IntegerAttr(count, I32), "action": _action(word)})

    def verify(self, report: Report) -> None:
        if self.word not in _ACTIONS:
            self.error(report, f"increases or decreases, found {self.word}")
        if self.regCount not in REGISTER_COUNTS:
            self.error(report, f"takes a multiple of 8 from 24 to 256, found {self.regCount}")


def _between_brackets(attr: OpaqueAttr) -> str:
    return str(attr).partition("<")[2].removesuffix(">")


def _action(word: str) -> OpaqueAttr:
    return OpaqueAttr(f"#nvvm.set_max_register_action<{word}>")
