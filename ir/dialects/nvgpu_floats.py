"""nvgpu: conversions of floats and the reciprocal, as NVIDIA's instructions do them; short for arith's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import EnumAttr, IntegerAttr
from ..core import Operation
from ..define import AttributeField, attribute, float_like, operand, result, vectors
from ..keyed import equated
from ..types import F32, I1, Attribute, Type, bit_width, element_type, shape_of

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
MODES: Mapping[str, str | None] = {
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
    return ("rn",) if width <= 8 else ("rn", "rz") if width == 16 else tuple(MODES)


is_f32_vector = vectors("a vector of f32", lambda t: t.element == F32 and t.rank > 0)


class Properties(Directive):
    """`<rnd = rz, relu = true>`: those that differ from their defaults."""

    def __init__(self, *fields: AttributeField[Any]) -> None:
        self.fields = {field.name: field for field in fields}

    def parse(self, parser: Parser, state: State) -> None:
        def value(name: str) -> Attribute:
            kind = self.fields[name].classes[0]
            return kind.parse_case(parser) if issubclass(kind, EnumAttr) else parser.parse_attribute()

        if parser.token.text == "<":
            state.attributes |= equated(parser, self.fields, value)

    def print(self, printer: Printer, op: Operation) -> None:
        words: list[str] = []
        for field in self.fields.values():
            value = op.attributes.get(field.name, field.default)
            if value != field.default and isinstance(value, (EnumAttr, IntegerAttr)):
                text = value.value if isinstance(value, EnumAttr) else "true" if value.value else "false"
                words.append(f"{field.name} = {text}")
        if words:
            printer.word(f"<{', '.join(words)}>")


class RcpProperties(Properties):
    """As older texts have them, too: `{rounding = approx, ftz}`."""

    def parse(self, parser: Parser, state: State) -> None:
        if not parser.accept("{"):
            super().parse(parser, state)
            return
        for word in ("rounding", "=", "approx"):
            parser.expect(word)
        state.attributes["approx"] = IntegerAttr(1, I1)
        if parser.accept(","):
            parser.expect("ftz")
            state.attributes["ftz"] = IntegerAttr(1, I1)
        parser.expect("}")


_TYPES = "attr-dict `:` type($in) `to` type($out)"


class ConvertOp(Operation):
    """Floats of another width; with `relu` what is negative becomes +0."""

    pure = True
    directives = {"Properties": Properties}
    in_ = operand(float_like)
    rnd = attribute(RoundingAttr, RoundingAttr("rn"))
    relu = attribute(IntegerAttr, _FALSE)
    out = result(float_like)

    def verify(self, report: Report) -> None:
        if shape_of(self.in_.type) != shape_of(self.out.type):
            self.error(report, f"keeps the shape of {self.in_.type}, found {self.out.type}")


class NvgpuExtFOp(ConvertOp, opname="nvgpu.extf"):
    """To a wider float, which has every number of the narrower one."""

    assembly = f"$in custom<Properties>($rnd, $relu) {_TYPES}"

    def verify(self, report: Report) -> None:
        super().verify(report)
        if bit_width(element_type(self.out.type)) <= bit_width(element_type(self.in_.type)):
            self.error(report, f"result type {self.out.type} must be wider than operand type {self.in_.type}")
        if self.rnd.value != "rn":
            self.error(report, f"rounds nothing: rnd must be rn, found {self.rnd.value}")


class NvgpuTruncFOp(ConvertOp, opname="nvgpu.truncf"):
    """To a narrower float; NaN stays NaN, and what is too large becomes the largest number unless `sat` is none."""

    sat = attribute(SaturationAttr, SaturationAttr("satfinite"))
    assembly = f"$in custom<Properties>($rnd, $relu, $sat) {_TYPES}"

    def verify(self, report: Report) -> None:
        super().verify(report)
        if bit_width(element_type(self.out.type)) >= bit_width(element_type(self.in_.type)):
            self.error(report, f"result type {self.out.type} must be narrower than operand type {self.in_.type}")
        element = element_type(self.out.type)
        known = _modes_to(element)
        if self.rnd.value not in known:
            self.error(report, f"rounds to {element} by {', '.join(known)}, found {self.rnd.value}")


class RcpOp(Operation, opname="nvgpu.rcp"):
    """`%x <approx = true, ftz = true> : vector<4xf32>`: the reciprocal as an instruction has it, without subnormal
    numbers."""

    pure = True
    in_ = operand(is_f32_vector)
    rounding = attribute(RoundingAttr, RoundingAttr("none"))
    approx = attribute(IntegerAttr, _FALSE)
    ftz = attribute(IntegerAttr, _FALSE)
    out = result(is_f32_vector)
    same_type = ("in", "out")
    directives = {"RcpProperties": RcpProperties}
    assembly = "$in custom<RcpProperties>($rounding, $approx, $ftz) attr-dict `:` type($in)"

    def verify(self, report: Report) -> None:
        if not (self.approx.value and self.ftz.value) or self.rounding.value != "none":
            self.error(report, "is an approximation without subnormal numbers: approx and ftz must be true")
