"""amdgpu: AMD's matrix instructions on the fragments that a lane holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ...support.diagnostics import Location, Report
from ..attributes import DIALECT_ATTRIBUTES, EnumAttr, IntegerAttr, UnitAttr
from ..core import Operation, Value
from ..define import Constraint, ScalarType, attribute, int_attribute, is_scalar, operand, optional_attribute, result
from ..keyed import next_name
from ..types import I32, Attribute, FloatType, IntegerType, Type, VectorType, element_count, scalar_type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


_SHAPE = ("m", "n", "k")
is_part: Constraint[ScalarType | VectorType] = Constraint(
    "a scalar or a vector of several elements",
    lambda t: is_scalar.holds(t) or (isinstance(t, VectorType) and t.elements > 1),
)


class MatrixOp(Operation):
    """`MxNxK %a * %b + %c : A, B, C`: a subgroup's product, every operand the lane's part in register order, a scalar
    where it is a single element."""

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    multiplies_fragments = True
    m = int_attribute()
    n = int_attribute()
    k = int_attribute()
    sourceA = operand(is_part)
    sourceB = operand(is_part)
    destC = operand(is_part)
    destD = result(is_part)
    same_type = ("destC", "destD")
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

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        from ..assembly import check_type

        attributes = cls._parse_words(parser) | parse_shape(parser)
        operands = [parser.operand()]
        for separator in ("*", "+"):
            parser.expect(separator)
            operands.append(parser.operand())
        operands += cls._parse_more(parser, location)
        attributes |= cls._parse_words(parser, attributes)
        attributes |= parser.optional_attribute_dict(attributes)
        attributes |= cls._parse_words(parser, attributes)
        parser.expect(":")
        for i, value in enumerate(operands[:3]):
            if i:
                parser.expect(",")
            check_type(parser, value, location)
        return cls(operands, [operands[2].type], attributes, location=location)

    @classmethod
    def _parse_more(cls, parser: Parser, location: Location) -> list[Value]:
        """Operands behind the product's, with their types."""
        return []

    @classmethod
    def _parse_words(cls, parser: Parser, given: Collection[str] = ()) -> dict[str, Attribute]:
        """`name` or `name(value)` of the properties behind the shape, in any order; older texts have `blgp = none`.
        Raises ParseError for one of those `given` before, or twice here."""
        slots = {slot.name: slot.classes[0] for slot in cls.attribute_slots if slot.name not in _SHAPE}
        found: dict[str, Attribute] = {}
        while parser.token.text in slots:
            name = next_name(parser, slots, {*given, *found})
            kind = slots[name]
            if kind is UnitAttr:
                found[name] = UnitAttr()
                continue
            close = ")" if parser.accept("(") else ""
            if not close:
                parser.expect("=")
            found[name] = kind.parse_case(parser) if issubclass(kind, EnumAttr) else parser.bare_number(I32)
            if close:
                parser.expect(close)
        return found

    def print(self, printer: Printer) -> None:
        a, b, c = (printer.name(v) for v in self.operands[:3])
        printer.word(f"{self._words('blocks')}{self.m}x{self.n}x{self.k} {a} * {b} + {c}")
        self._print_more(printer)
        names = [slot.name for slot in self.attribute_slots if slot.name not in _SHAPE]
        if words := self._words(*(name for name in names if name != "blocks")):
            printer.word(words.rstrip())
        printer.attribute_dict(self, hidden=[*_SHAPE, *names])
        printer.word(": " + ", ".join(str(v.type) for v in self.operands[:3]))

    def _print_more(self, printer: Printer) -> None:
        """What `_parse_more` reads."""

    def _words(self, *names: str) -> str:
        """`name(value) ` of properties that differ from their defaults."""
        defaults = {slot.name: slot.default for slot in self.attribute_slots}
        shown = [(n, v) for n in names if (v := self.attributes.get(n)) is not None and v != defaults[n]]
        return "".join(f"{name} " if isinstance(v, UnitAttr) else f"{name}({_bare(v)}) " for name, v in shown)

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


def _bare(value: Attribute) -> str:
    return str(value.value) if isinstance(value, (EnumAttr, IntegerAttr)) else str(value)


def parse_shape(parser: Parser) -> dict[str, Attribute]:
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
    neutral = {"subwordOffset": _ZERO, "clamp": None}

    def verify(self, report: Report) -> None:
        super().verify(report)
        element = scalar_type(self.sourceA.type)
        marked = [name for name in ("unsignedA", "unsignedB") if name in self.attributes]
        if marked and not isinstance(element, IntegerType):
            self.error(report, f"has {', '.join(marked)}, which is of integers, found {element}")
