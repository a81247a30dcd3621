"""nvvm: what NVIDIA's threads say to the hardware besides computing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attributes import IntegerAttr, OpaqueAttr
from ..core import Operation
from ..define import attribute, int_attribute
from ..diagnostics import Location, Report
from ..types import I32

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

ASYNC_SHARED = OpaqueAttr("#nvvm.proxy_kind<async.shared>")
OF_WORKGROUP = OpaqueAttr("#nvvm.shared_space<cta>")


class FenceProxyOp(Operation, opname="nvvm.fence.proxy"):
    """What the thread wrote to workgroup memory before is there for what reads it through the async proxy (matrix
    units, tensor copies), once a barrier has ordered the two."""

    pure = False
    belongs_to = "thread"
    kind = attribute(OpaqueAttr)
    space = attribute(OpaqueAttr)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`<async.shared>, space = <cta>`."""
        kind = _between(parser, "#nvvm.proxy_kind")
        parser.expect(",")
        parser.expect("space")
        parser.expect("=")
        space = _between(parser, "#nvvm.shared_space")
        return cls((), (), {**parser.optional_attribute_dict(), "kind": kind, "space": space}, location=location)

    def print(self, printer: Printer) -> None:
        kind, space = (f"<{str(part).partition('<')[2]}" for part in (self.kind, self.space))
        printer.word(f"{kind}, space = {space}")
        printer.attribute_dict(self, hidden=("kind", "space"))

    def verify(self, report: Report) -> None:
        if (self.kind, self.space) != (ASYNC_SHARED, OF_WORKGROUP):
            self.error(report, f"is between {ASYNC_SHARED} of {OF_WORKGROUP}, found {self.kind} of {self.space}")


REGISTER_COUNTS = range(24, 257, 8)
"""Of a thread (PTX ISA, "setmaxnreg")."""
_ACTIONS = ("decrease", "increase")


class SetMaxRegisterOp(Operation, opname="nvvm.setmaxregister"):
    """The threads of four subgroups give back registers until each has `regCount`, or wait until they have so many. All
    threads of the four get here. It changes no value."""

    pure = False
    regCount = int_attribute(number=I32)
    action = attribute(OpaqueAttr)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`increase 232`."""
        word = parser.keyword()
        count = IntegerAttr(parser.integer(), I32)
        given = {"regCount": count, "action": _action(word)}
        return cls((), (), {**parser.optional_attribute_dict(), **given}, location=location)

    def print(self, printer: Printer) -> None:
        printer.word(f"{self.word} {self.regCount}")
        printer.attribute_dict(self, hidden=("regCount", "action"))

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


def _action(word: str) -> OpaqueAttr:
    return OpaqueAttr(f"#nvvm.set_max_register_action<{word}>")


def _between(parser: Parser, name: str) -> OpaqueAttr:
    parser.expect("<")
    word = parser.keyword()
    parser.expect(">")
    return OpaqueAttr(f"{name}<{word}>")
