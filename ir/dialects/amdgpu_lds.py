"""amdgpu: copies from global to workgroup memory (LDS) that no register sees.

A copy with `async` takes place at some time between where it stands and a wait of its thread that covers it: what it
writes is there after that wait, for other threads after a barrier that follows it. Until then nobody reads or writes
what it writes, or writes what it reads. A copy without `async` is done where it stands, as a load and a store are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..assembly import check_type
from ..attributes import IntegerAttr, TypeAttr, UnitAttr
from ..core import Operation
from ..define import attribute, is_index, is_memref, operand, operands, optional_attribute
from ..traits import LANDS, READS
from ..types import I32, Attribute, VectorType, memory_bits
from .memref import AllocOp
from .nvgpu_async import check_places

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

GATHER_BYTES = (1, 2, 4, 12, 16)
"""What one instruction copies for a lane; 12 and 16 on gfx950 alone (LLVM, `llvm.amdgcn.global.load.lds`)."""


class GatherToLDSOp(Operation, opname="amdgpu.gather_to_lds"):
    """`async %src[%i], %dst[%j] : vector<8xf16>, type, type`: each lane copies neighbours from its own place in global
    memory to workgroup memory, lane l to l times as many bytes behind the place of `dst`, which is the same in all
    lanes. Without `async` nobody has to wait for it.

    There the bytes lie one after another, whatever order the allocation says that its elements have: indices of `dst`
    count them as they lie (row by row). Where rows have gaps, what lanes write stays in its row."""

    pure = False
    collective = "subgroup"
    belongs_to = "thread"
    src = operand(is_memref, READS)
    srcIndices = operands(is_index)
    dst = operand(is_memref, LANDS)
    dstIndices = operands(is_index)
    transferType = attribute(TypeAttr)
    async_ = optional_attribute(UnitAttr)

    @property
    def count(self) -> int:
        """Elements of a lane."""
        type = self.transferType.type
        return type.elements if isinstance(type, VectorType) else 1

    @property
    def bytes(self) -> int:
        """Of a lane."""
        return self.count * memory_bits(self.dst.type.element) // 8

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        attributes: dict[str, Attribute] = {}
        if parser.accept("async"):
            attributes["async"] = UnitAttr()
        source = parser.operand()
        parser.expect("[")
        from_ = parser.operand_list("]")
        parser.expect(",")
        target = parser.operand()
        parser.expect("[")
        to = parser.operand_list("]")
        attributes |= parser.optional_attribute_dict([*attributes, "transferType"])
        parser.expect(":")
        attributes["transferType"] = TypeAttr(parser.parse_type())
        for value in (source, target):
            parser.expect(",")
            check_type(parser, value, location)
        given = [source, *from_, target, *to]
        return cls(given, (), attributes, location=location, segments=(1, len(from_), 1, len(to)))

    def print(self, printer: Printer) -> None:
        word = "async " if self.async_ is not None else ""
        places = ((self.src, self.srcIndices), (self.dst, self.dstIndices))
        texts = [f"{printer.name(v)}[{', '.join(map(printer.name, indices))}]" for v, indices in places]
        printer.word(f"{word}{', '.join(texts)}")
        printer.attribute_dict(self, hidden=("async", "transferType"))
        printer.word(f": {self.transferType.type}, {self.src.type}, {self.dst.type}")

    def verify(self, report: Report) -> None:
        from ..orders import order_behind

        check_places(self, self.src.type, len(self.srcIndices), self.dst.type, len(self.dstIndices), report)
        type, element = self.transferType.type, self.dst.type.element
        if element != type and not (isinstance(type, VectorType) and type.rank == 1 and type.element == element):
            self.error(report, f"transfers {element} or a vector of them, found {type}")
        elif self.bytes not in GATHER_BYTES or self.count * memory_bits(element) % 8:
            bits = self.count * memory_bits(element)
            self.error(report, f"copies {', '.join(map(str, GATHER_BYTES))} bytes, {type} has {bits / 8:g}")
        if None in self.dst.type.strides_and_offset()[0]:
            self.error(report, f"copies to a buffer of known strides, found {self.dst.type}")
        elif not isinstance(self.dst.operation, AllocOp) and order_behind(self.dst) is not None:
            self.error(report, "copies to a view of a buffer whose elements have an order of their own")


class MemoryCounterWaitOp(Operation, opname="amdgpu.memory_counter_wait"):
    """`load(2)`: goes on once no more than so many of this thread's newest copies to workgroup memory are under way.
    Loads to registers are counted by the hardware with them, so that there may be fewer."""

    pure = False
    awaits_copies = True
    load = attribute(IntegerAttr)
    others = ("store", "ds", "exp", "tensor")
    """Counters that upstream's operation waits for besides."""

    @property
    def left(self) -> int:
        return self.load.value

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        if parser.token.text in cls.others:
            raise parser.error(f"'{cls.opname}' waits for load, other counters are not supported", parser.token.start)
        attributes: dict[str, Attribute] = {}
        parser.expect("load")
        parser.expect("(")
        attributes["load"] = parser.bare_number(I32)
        parser.expect(")")
        if parser.token.text in cls.others:
            raise parser.error(f"'{cls.opname}' waits for load, other counters are not supported", parser.token.start)
        return cls((), (), {**parser.optional_attribute_dict(attributes), **attributes}, location=location)

    def print(self, printer: Printer) -> None:
        printer.word(f"load({self.left})")
        printer.attribute_dict(self, hidden=("load",))

    def verify(self, report: Report) -> None:
        if self.load.type != I32 or self.left < 0:
            self.error(report, f"load must be a number of at least 0 of type i32, found {self.load}")
