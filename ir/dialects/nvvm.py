"""nvvm: what NVIDIA's threads say to the hardware besides computing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attributes import OpaqueAttr
from ..core import Operation
from ..define import attribute
from ..diagnostics import Location, Report

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


def _between(parser: Parser, name: str) -> OpaqueAttr:
    parser.expect("<")
    word = parser.keyword()
    parser.expect(">")
    return OpaqueAttr(f"{name}<{word}>")
