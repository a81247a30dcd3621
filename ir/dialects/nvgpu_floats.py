"""nvgpu: conversions of floats and the reciprocal, as NVIDIA's instructions do them; short for arith's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..assembly import check_type
from ..attributes import EnumAttr, IntegerAttr
from ..core import Builder, Operation, Value
from ..define import Constraint, attribute, float_like, operand, result
from ..keyed import equated
from ..numerics import largest
from ..types import F32, I1, Attribute, FloatType, Type, VectorType, bit_width, element_type, shape_of
from . import arith
from .arith_casts import ExtFOp, TruncFOp
from .elementwise import FastMathAttr, RoundingModeAttr
from .longhand import constant

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

_FALSE = IntegerAttr(0, I1)


class RoundingAttr(EnumAttr):
    """How the instruction rounds; `rs` takes random bits, which these operations do not have."""

    mnemonic = "nvvm.fp_rnd_mode"
    cases = ("none", "rn", "rm", "rp", "rz", "rna", "rs")


class SaturationAttr(EnumAttr):
    """`satfinite`: what is too large becomes the largest number."""

    mnemonic = "nvvm.sat_mode"
    cases = ("none", "satfinite")


RoundingAttr.register()
SaturationAttr.register()
_MODES: Mapping[str, str | None] = {
    "rn": None,
    "rm": "downward",
    "rp": "upward",
    "rz": "toward_zero",
    "rna": "to_nearest_away",
}
"""arith's names; None for its own way, to nearest even."""


def _modes_to(type: Type) -> tuple[str, ...]:
    """Those that instructions have for a format (PTX ISA, `cvt`)."""
    if str(type) == "f8E8M0FNU":
        return "rz", "rp"
    width = bit_width(type)
    return ("rn",) if width <= 8 else ("rn", "rz") if width == 16 else tuple(_MODES)


is_f32_vector: Constraint[VectorType] = Constraint(
    "a vector of f32", lambda t: isinstance(t, VectorType) and t.element == F32 and t.rank > 0
)


class WithProperties(Operation):
    """`%x <rnd = rz, relu = true> : from to to`: properties that differ from their defaults stand in brackets."""

    pure = True

    @classmethod
    def parse_properties(cls, parser: Parser) -> dict[str, Attribute]:
        slots = {slot.name: slot for slot in cls.attribute_slots}

        def value(name: str) -> Attribute:
            kind = slots[name].classes[0]
            return kind.parse_case(parser) if issubclass(kind, EnumAttr) else parser.parse_attribute()

        found = equated(parser, slots, value) if parser.token.text == "<" else {}
        return found | parser.optional_attribute_dict(found)

    def print_properties(self, printer: Printer, source: Value) -> None:
        words: list[str] = []
        for slot in self.attribute_slots:
            value = self.attributes.get(slot.name, slot.default)
            if value != slot.default and isinstance(value, (EnumAttr, IntegerAttr)):
                text = value.value if isinstance(value, EnumAttr) else "true" if value.value else "false"
                words.append(f"{slot.name} = {text}")
        printer.word(printer.name(source) + (f" <{', '.join(words)}>" if words else ""))
        printer.attribute_dict(self, hidden=[slot.name for slot in self.attribute_slots])


class ConvertOp(WithProperties):
    """Floats of another width; with `relu` what is negative becomes +0."""

    in_ = operand(float_like)
    rnd = attribute(RoundingAttr, RoundingAttr("rn"))
    relu = attribute(IntegerAttr, _FALSE)
    out = result(float_like)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        source = parser.operand()
        attributes = cls.parse_properties(parser)
        parser.expect(":")
        check_type(parser, source, location)
        parser.expect("to")
        return cls([source], [parser.parse_type()], attributes, location=location)

    def print(self, printer: Printer) -> None:
        self.print_properties(printer, self.in_)
        printer.word(f": {self.in_.type} to {self.out.type}")

    def verify(self, report: Report) -> None:
        if shape_of(self.in_.type) != shape_of(self.out.type):
            self.error(report, f"keeps the shape of {self.in_.type}, found {self.out.type}")

    def without_negatives(self, build: Builder, value: Value) -> Value:
        return build.value(arith.MaximumFOp, value, constant(build, 0.0, value.type)) if self.relu.value else value


class NvgpuExtFOp(ConvertOp, opname="nvgpu.extf"):
    """To a wider float, which has every number of the narrower one."""

    def verify(self, report: Report) -> None:
        super().verify(report)
        if bit_width(element_type(self.out.type)) <= bit_width(element_type(self.in_.type)):
            self.error(report, f"result type {self.out.type} must be wider than operand type {self.in_.type}")
        if self.rnd.value != "rn":
            self.error(report, f"rounds nothing: rnd must be rn, found {self.rnd.value}")

    def decompose(self, build: Builder) -> Sequence[Value]:
        return [self.without_negatives(build, build.value(ExtFOp, self.in_, types=[self.out.type]))]


class NvgpuTruncFOp(ConvertOp, opname="nvgpu.truncf"):
    """To a narrower float; NaN stays NaN, and what is too large becomes the largest number unless `sat` is none."""

    sat = attribute(SaturationAttr, SaturationAttr("satfinite"))

    def verify(self, report: Report) -> None:
        super().verify(report)
        if bit_width(element_type(self.out.type)) >= bit_width(element_type(self.in_.type)):
            self.error(report, f"result type {self.out.type} must be narrower than operand type {self.in_.type}")
        element = element_type(self.out.type)
        known = _modes_to(element)
        if self.rnd.value not in known:
            self.error(report, f"rounds to {element} by {', '.join(known)}, found {self.rnd.value}")

    def decompose(self, build: Builder) -> Sequence[Value]:
        value, element = self.without_negatives(build, self.in_), element_type(self.out.type)
        assert isinstance(element, FloatType)
        if self.sat.value == "satfinite":
            top = largest(element)
            for cls, limit in ((arith.MinimumFOp, top), (arith.MaximumFOp, -top)):
                value = build.value(cls, value, constant(build, limit, value.type))
        mode = _MODES[self.rnd.value]
        rounding = None if mode is None else RoundingModeAttr(mode)
        return [build.value(TruncFOp, value, types=[self.out.type], roundingmode=rounding)]


class RcpOp(WithProperties, opname="nvgpu.rcp"):
    """`%x <approx = true, ftz = true> : vector<4xf32>`: the reciprocal as an instruction has it, without subnormal
    numbers."""

    in_ = operand(is_f32_vector)
    rounding = attribute(RoundingAttr, RoundingAttr("none"))
    approx = attribute(IntegerAttr, _FALSE)
    ftz = attribute(IntegerAttr, _FALSE)
    out = result(is_f32_vector)
    same_type = ("in", "out")

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        source = parser.operand()
        if parser.accept("{"):
            attributes = _older_form(parser)
        else:
            attributes = cls.parse_properties(parser)
        parser.expect(":")
        check_type(parser, source, location)
        return cls([source], [source.type], attributes, location=location)

    def print(self, printer: Printer) -> None:
        self.print_properties(printer, self.in_)
        printer.word(f": {self.in_.type}")

    def verify(self, report: Report) -> None:
        if not (self.approx.value and self.ftz.value) or self.rounding.value != "none":
            self.error(report, "is an approximation without subnormal numbers: approx and ftz must be true")

    def decompose(self, build: Builder) -> Sequence[Value]:
        one = constant(build, 1.0, self.in_.type)
        return [build.value(arith.DivFOp, one, self.in_, fastmath=FastMathAttr("afn"))]


def _older_form(parser: Parser) -> dict[str, Attribute]:
    """`{rounding = approx, ftz}`."""
    parser.expect("rounding")
    parser.expect("=")
    parser.expect("approx")
    found: dict[str, Attribute] = {"approx": IntegerAttr(1, I1)}
    if parser.accept(","):
        parser.expect("ftz")
        found["ftz"] = IntegerAttr(1, I1)
    parser.expect("}")
    return found | parser.optional_attribute_dict(found)
