"""util: what IREE's programs state of their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Location, Report
from ..attributes import DIALECT_ATTRIBUTES, ArrayAttr
from ..core import Operation, Value
from ..define import attribute, integer_like, operands, results
from ..types import Attribute, Type

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser
    from ..operation_parser import Parser
    from ..operation_printer import Printer


@dataclass(frozen=True, slots=True)
class IntAssumptionAttr(Attribute):
    """A number read without a sign is from `umin` to `umax` and a multiple of `udiv`, as far as these are given."""

    umin: int | None = None
    umax: int | None = None
    udiv: int | None = None

    mnemonic: ClassVar[str] = "util.int.assumption"

    @property
    def body(self) -> str:
        given = (("umin", self.umin), ("umax", self.umax), ("udiv", self.udiv))
        return f"<{', '.join(f'{name} = {number}' for name, number in given if number is not None)}>"

    def __str__(self) -> str:
        return f"#{self.mnemonic}{self.body}"

    @classmethod
    def parse(cls, parser: AttributeParser) -> IntAssumptionAttr:
        parser.expect("<")
        numbers: dict[str, int] = {}

        def entry() -> None:
            name = parser.keyword(("umin", "umax", "udiv"))
            parser.expect("=")
            numbers[name] = parser.integer()

        parser.comma_separated(">", entry)
        return cls(**numbers)


DIALECT_ATTRIBUTES[IntAssumptionAttr.mnemonic] = IntAssumptionAttr.parse


class AssumeIntOp(Operation, opname="util.assume.int"):
    """The operands, of which the program states one of the `assumptions` each: a list for each operand."""

    pure = True
    operands_ = operands(integer_like)
    assumptions = attribute(ArrayAttr)
    results_ = results(integer_like)

    @property
    def speculatable(self) -> bool:
        """What is stated may be wrong elsewhere."""
        return False

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [v.type for v in operands]

    def of_operand(self, number: int) -> list[IntAssumptionAttr]:
        """The assumptions about an operand, of which one holds."""
        entry = self.assumptions.values[number]
        given = entry.values if isinstance(entry, ArrayAttr) else ()
        return [a for a in given if isinstance(a, IntAssumptionAttr)]

    def divisor(self, number: int) -> int:
        """What divides the operand whichever assumption holds."""
        return gcd(*(a.udiv or 1 for a in self.of_operand(number)))

    def limit(self, number: int) -> int | None:
        """The largest that the operand may be."""
        most = [a.umax for a in self.of_operand(number)]
        known = [n for n in most if n is not None]
        return max(known) if known and len(known) == len(most) else None

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        values: list[Value] = []
        lists: list[Attribute] = []
        while not values or parser.accept(","):
            values.append(parser.operand())
            several = parser.accept("[")
            given = [IntAssumptionAttr.parse(parser)]
            if several:
                while parser.accept(","):
                    given.append(IntAssumptionAttr.parse(parser))
                parser.expect("]")
            lists.append(ArrayAttr(tuple(given)))
        attributes = parser.optional_attribute_dict(["assumptions"])
        parser.expect(":")
        types = [parser.parse_type()]
        while parser.accept(","):
            types.append(parser.parse_type())
        return cls(values, types, {**attributes, "assumptions": ArrayAttr(tuple(lists))}, location=location)

    def print(self, printer: Printer) -> None:
        parts: list[str] = []
        for number, value in enumerate(self.operands_):
            bodies = [a.body for a in self.of_operand(number)]
            parts.append(printer.name(value) + (bodies[0] if len(bodies) == 1 else f"[{', '.join(bodies)}]"))
        printer.word(", ".join(parts))
        printer.attribute_dict(self, hidden=("assumptions",))
        printer.word(f": {', '.join(printer.type(v.type) for v in self.results_)}")

    def verify(self, report: Report) -> None:
        if [v.type for v in self.operands_] != [v.type for v in self.results_]:
            found = ", ".join(str(v.type) for v in self.results_)
            self.error(report, f"results must have the operands' types, found {found}")
        if len(self.assumptions.values) != len(self.operands_):
            self.error(report, f"has {len(self.assumptions.values)} assumptions for {len(self.operands_)} operands")
        elif not all(self.of_operand(number) for number in range(len(self.operands_))):
            self.error(report, f"assumptions are lists of #{IntAssumptionAttr.mnemonic}, found {self.assumptions}")
