"""amdgpu: AMD's matrix instructions on the fragments that a lane holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..attributes import IntegerAttr, UnitAttr
from ..core import Operation, Value
from ..define import int_attribute, is_vector, operand, optional_attribute, result
from ..diagnostics import Location, Report
from ..types import I32, Attribute, Type

if TYPE_CHECKING:
    from ..parser import Parser
    from ..printer import Printer


class MatrixOp(Operation):
    """`MxNxK %a * %b + %c : A, B, C`: a subgroup's product, every operand the lane's part in register order."""

    m = int_attribute()
    n = int_attribute()
    k = int_attribute()
    sourceA = operand(is_vector)
    sourceB = operand(is_vector)
    destC = operand(is_vector)
    destD = result(is_vector)
    same_type = ("destC", "destD")

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.m, self.n, self.k

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[2].type]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        from ..assembly import check_type

        shape = _parse_shape(parser)
        operands = [parser.operand()]
        for separator in ("*", "+"):
            parser.expect(separator)
            operands.append(parser.operand())
        attributes = {**shape, **parser.optional_attribute_dict()}
        parser.expect(":")
        for i, value in enumerate(operands):
            if i:
                parser.expect(",")
            check_type(parser, value, location)
        return cls(operands, [operands[2].type], attributes, location=location)

    def print(self, printer: Printer) -> None:
        a, b, c = (printer.name(v) for v in self.operands)
        printer.word(f"{self.m}x{self.n}x{self.k} {a} * {b} + {c}")
        printer.attribute_dict(self, hidden=("m", "n", "k"))
        printer.word(": " + ", ".join(str(v.type) for v in self.operands))

    def verify(self, report: Report) -> None:
        if min(self.shape) < 1:
            self.error(report, f"shape must be positive, found {'x'.join(map(str, self.shape))}")


def _parse_shape(parser: Parser) -> dict[str, Attribute]:
    """`16x16x16`."""
    start = parser.token.start
    m, n = parser.dimension(), parser.dimension()
    if m is None or n is None or "?" in (m, n):
        parser.rewind(start)
        parser.fail("a shape such as 16x16x16")
    numbers = int(m), int(n), parser.integer()
    if max(numbers) > 1 << 16:
        raise parser.error("shape must be below 65536", start)
    return {name: IntegerAttr(number, I32) for name, number in zip("mnk", numbers, strict=True)}


class MfmaOp(MatrixOp, opname="amdgpu.mfma"):
    """CDNA: wave64."""


class WmmaOp(MatrixOp, opname="amdgpu.wmma"):
    """RDNA 3, RDNA 4 and gfx1250: wave32. 8-bit integers are signed unless marked."""

    unsignedA = optional_attribute(UnitAttr)
    unsignedB = optional_attribute(UnitAttr)
