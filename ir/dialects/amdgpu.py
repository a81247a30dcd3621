"""amdgpu: AMD's matrix instructions on the fragments that a lane holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import DIALECT_ATTRIBUTES, EnumAttr, IntegerAttr, UnitAttr
from ..core import Operation, Value
from ..define import (
    AttributeField,
    Constraint,
    ScalarType,
    attribute,
    int_attribute,
    is_scalar,
    operand,
    optional_attribute,
    result,
)
from ..keyed import next_name
from ..types import I32, Attribute, FloatType, Type, VectorType, element_count, scalar_type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


is_part: Constraint[ScalarType | VectorType] = Constraint(
    "a scalar or a vector of several elements",
    lambda t: is_scalar.holds(t) or element_count(t) > 1,
)


class Shape(Directive):
    """`16x16x16`."""

    def __init__(self, *fields: AttributeField[int]) -> None:
        self.fields = fields

    def parse(self, parser: Parser, state: State) -> None:
        start = parser.token.start
        m, n = parser.dimension(), parser.dimension()
        if m is None or n is None or "?" in (m, n):
            parser.rewind(start)
            parser.fail("a shape such as 16x16x16")
        numbers = int(m), int(n), parser.integer()
        if max(numbers) > 1 << 16:
            raise parser.error("shape must be below 65536", start)
        for field, number in zip(self.fields, numbers, strict=True):
            state.give(parser, field.name, IntegerAttr(number, I32), start)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word("x".join(str(field.read(op)) for field in self.fields))


class Words(Directive):
    """`name` or `name(value)` of properties, in any order; older texts have `blgp = none`. They are read in each of
    three places; those that differ from their defaults are printed, `blocks` in `front` and the others `behind`."""

    def __init__(self, place: str, *fields: AttributeField[Any]) -> None:
        self.fields = {field.name: field for field in fields}
        self.shown = [field for field in fields if place == ("front" if field.name == "blocks" else "behind")]

    def parse(self, parser: Parser, state: State) -> None:
        while (name := parser.token.text) in self.fields:
            kind = self.fields[name].classes[0]
            next_name(parser, self.fields, state.attributes)
            if kind is UnitAttr:
                state.attributes[name] = UnitAttr()
                continue
            close = ")" if parser.accept("(") else ""
            if not close:
                parser.expect("=")
            read = kind.parse_case(parser) if issubclass(kind, EnumAttr) else parser.bare_number(I32)
            state.attributes[name] = read
            if close:
                parser.expect(close)

    def print(self, printer: Printer, op: Operation) -> None:
        for field in filter(lambda field: field.is_given(op), self.shown):
            value = op.attributes[field.name]
            text = str(value.value) if isinstance(value, (EnumAttr, IntegerAttr)) else str(value)
            printer.word(field.name if isinstance(value, UnitAttr) else f"{field.name}({text})")


def matrix_assembly(*words: str, more: str = "") -> str:
    """The format of a product with these properties, and perhaps more operands behind the product's."""
    fields = ", ".join(f"${word}" for word in words)
    return (
        f"custom<Words>(front, {fields}) custom<Shape>($m, $n, $k) $sourceA `*` $sourceB `+` $destC {more}"
        f" custom<Words>(behind, {fields}) attr-dict custom<Words>(older, {fields})"
        " `:` type($sourceA, $sourceB, $destC)"
    )


class MatrixOp(Operation):
    """`MxNxK %a * %b + %c : A, B, C`: a subgroup's product, every operand the lane's part in register order, a scalar
    where it is a single element."""

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    multiplies_fragments = True
    m = int_attribute(number=I32)
    n = int_attribute(number=I32)
    k = int_attribute(number=I32)
    sourceA = operand(is_part)
    sourceB = operand(is_part)
    destC = operand(is_part)
    destD = result(is_part)
    same_type = ("destC", "destD")
    directives = {"Shape": Shape, "Words": Words}
    neutral: ClassVar[Mapping[str, Attribute | None]] = {}
    """Attributes of upstream's operation that lanewise has with this value only, or (None) not at all."""

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.m, self.n, self.k

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[2].type]

    def verify(self, report: Report) -> None:
        if min(self.shape) < 1:
            self.error(report, f"shape must be positive, found {'x'.join(map(str, self.shape))}")
        a, b = (scalar_type(v.type) for v in (self.sourceA, self.sourceB))
        if a != b and not (_is_small_float(a) and _is_small_float(b)):
            self.error(report, f"multiplies {a} by {b}: only floats of 8 bits and less may differ")
        for name, neutral in self.neutral.items():
            given = self.attributes.get(name)
            if given is not None and given != neutral:
                words = "is not supported" if neutral is None else f"other than {neutral} is not supported"
                self.error(report, f"has {name} = {given}: {name} {words}")


def _is_small_float(type: Type) -> bool:
    return isinstance(type, FloatType) and type.width <= 8


class PermutationAttr(EnumAttr):
    """How the lanes' parts of B are exchanged before the product."""

    mnemonic = "rocdl.mfma_perm_b"
    cases = (
        "none", "bcast_first_32", "bcast_second_32", "rotate_16_right",
        "bcast_first_16", "bcast_second_16", "bcast_third_16", "bcast_fourth_16",
    )  # fmt: skip


PermutationAttr.register()
DIALECT_ATTRIBUTES["amdgpu.mfma_perm_b"] = PermutationAttr.parse
_ZERO, _ONE, _NO_PERMUTATION = IntegerAttr(0, I32), IntegerAttr(1, I32), PermutationAttr("none")


class MfmaOp(MatrixOp, opname="amdgpu.mfma"):
    """CDNA: wave64."""

    blocks = attribute(IntegerAttr, _ONE)
    cbsz = attribute(IntegerAttr, _ZERO)
    abid = attribute(IntegerAttr, _ZERO)
    blgp = attribute(PermutationAttr, _NO_PERMUTATION)
    reducePrecision = optional_attribute(UnitAttr)
    negateA = optional_attribute(UnitAttr)
    negateB = optional_attribute(UnitAttr)
    negateC = optional_attribute(UnitAttr)
    assembly = matrix_assembly(*("blocks", "cbsz", "abid", "blgp", "reducePrecision", "negateA", "negateB", "negateC"))
    neutral = {
        "cbsz": _ZERO,
        "abid": _ZERO,
        "blgp": _NO_PERMUTATION,
        **dict.fromkeys(("reducePrecision", "negateA", "negateB", "negateC")),
    }

    def verify(self, report: Report) -> None:
        super().verify(report)
        m, n, k = self.shape
        blocks = self.blocks.value
        for type, rows, columns in ((self.sourceA.type, m, k), (self.destC.type, m, n)):
            elements = element_count(type)
            if min(rows, columns) > 0 and blocks * rows * columns != 64 * elements:
                self.error(report, f"has {blocks} blocks, {type} of 64 lanes is {64 * elements / (rows * columns):g}")


class WmmaOp(MatrixOp, opname="amdgpu.wmma"):
    """RDNA 3, RDNA 4 and gfx1250. Integers are signed unless marked."""

    unsignedA = optional_attribute(UnitAttr)
    unsignedB = optional_attribute(UnitAttr)
    subwordOffset = attribute(IntegerAttr, _ZERO)
    clamp = optional_attribute(UnitAttr)
    assembly = matrix_assembly("unsignedA", "unsignedB", "subwordOffset", "clamp")
    neutral = {"subwordOffset": _ZERO, "clamp": None}

    def verify(self, report: Report) -> None:
        super().verify(report)
        element = scalar_type(self.sourceA.type)
        marked = [name for name in ("unsignedA", "unsignedB") if name in self.attributes]
        if marked and not element.is_whole:
            self.error(report, f"has {', '.join(marked)}, which is of integers, found {element}")
