"""amdgpu: AMD's matrix instructions on the fragments that a lane holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ..attributes import EnumAttr, IntegerAttr, UnitAttr
from ..core import Operation, Value
from ..define import attribute, int_attribute, is_vector, operand, optional_attribute, result
from ..diagnostics import Location, Report
from ..types import I32, Attribute, Type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class MatrixOp(Operation):
    """`MxNxK %a * %b + %c : A, B, C`: a subgroup's product, every operand the lane's part in register order."""

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    m = int_attribute()
    n = int_attribute()
    k = int_attribute()
    sourceA = operand(is_vector)
    sourceB = operand(is_vector)
    destC = operand(is_vector)
    destD = result(is_vector)
    same_type = ("destC", "destD")
    neutral: ClassVar[Mapping[str, Attribute | None]] = {}
    """Attributes of upstream's operation that lanewise has with this value only, or (None) not at all."""

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
        attributes = {**shape, **parser.optional_attribute_dict(), **cls.parse_permutation(parser)}
        parser.expect(":")
        for i, value in enumerate(operands):
            if i:
                parser.expect(",")
            check_type(parser, value, location)
        return cls(operands, [operands[2].type], attributes, location=location)

    @classmethod
    def parse_permutation(cls, parser: Parser) -> dict[str, Attribute]:
        """`blgp = none`, where the operation has it."""
        return {}

    def print(self, printer: Printer) -> None:
        a, b, c = (printer.name(v) for v in self.operands)
        printer.word(f"{self.m}x{self.n}x{self.k} {a} * {b} + {c}")
        printer.attribute_dict(self, hidden=("m", "n", "k"))
        printer.word(": " + ", ".join(str(v.type) for v in self.operands))

    def verify(self, report: Report) -> None:
        if min(self.shape) < 1:
            self.error(report, f"shape must be positive, found {'x'.join(map(str, self.shape))}")
        for name, neutral in self.neutral.items():
            given = self.attributes.get(name)
            if given is not None and given != neutral:
                words = "is not supported" if neutral is None else f"other than {neutral} is not supported"
                self.error(report, f"has {name} = {given}: {name} {words}")


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


class PermutationAttr(EnumAttr):
    """How the lanes' parts of B are exchanged before the product."""

    mnemonic = "amdgpu.mfma_perm_b"
    cases = (
        "none", "bcast_first_32", "bcast_second_32", "rotate_16_right",
        "bcast_first_16", "bcast_second_16", "bcast_third_16", "bcast_fourth_16",
    )  # fmt: skip


PermutationAttr.register()
_ZERO, _NO_PERMUTATION = IntegerAttr(0, I32), PermutationAttr("none")


class MfmaOp(MatrixOp, opname="amdgpu.mfma"):
    """CDNA: wave64."""

    blocks = optional_attribute(IntegerAttr)
    cbsz = attribute(IntegerAttr, _ZERO)
    abid = attribute(IntegerAttr, _ZERO)
    blgp = attribute(PermutationAttr, _NO_PERMUTATION)
    reducePrecision = optional_attribute(UnitAttr)
    negateA = optional_attribute(UnitAttr)
    negateB = optional_attribute(UnitAttr)
    negateC = optional_attribute(UnitAttr)
    neutral = {
        "cbsz": _ZERO,
        "abid": _ZERO,
        "blgp": _NO_PERMUTATION,
        **dict.fromkeys(("reducePrecision", "negateA", "negateB", "negateC")),
    }

    @classmethod
    def parse_permutation(cls, parser: Parser) -> dict[str, Attribute]:
        if not parser.accept("blgp"):
            return {}
        parser.expect("=")
        return {"blgp": PermutationAttr.parse_case(parser)}

    def verify(self, report: Report) -> None:
        super().verify(report)
        m, _, k = self.shape
        type = self.sourceA.type
        elements = type.elements
        if self.blocks is not None and min(m, k) > 0 and self.blocks.value * m * k != 64 * elements:
            self.error(report, f"has blocks = {self.blocks.value}, {type} of 64 lanes are {64 * elements // (m * k)}")


class WmmaOp(MatrixOp, opname="amdgpu.wmma"):
    """RDNA 3, RDNA 4 and gfx1250: wave32. 8-bit integers are signed unless marked."""

    unsignedA = optional_attribute(UnitAttr)
    unsignedB = optional_attribute(UnitAttr)
    subwordOffset = attribute(IntegerAttr, _ZERO)
    clamp = optional_attribute(UnitAttr)
    neutral = {"subwordOffset": _ZERO, "clamp": None}
