"""Builtin attributes: compile-time values, frozen, hashable, printed as MLIR text."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self

from ..support.dataclasses import dataclass
from ..support.patterns import regex
from .numerics import float_bits, round_to
from .types import (
    I1,
    I32,
    I64,
    INDEX,
    Attribute,
    FloatType,
    IndexType,
    IntegerType,
    TensorType,
    Type,
    VectorType,
    element_type,
)

BARE_NAME = regex(r"[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class UnitAttr(Attribute):
    def __str__(self) -> str:
        return "unit"


@dataclass(frozen=True, slots=True)
class IntegerAttr(Attribute):
    value: int
    type: Type

    def __str__(self) -> str:
        if self.type == I1:
            return "true" if self.value else "false"
        return f"{self.value} : {self.type}"


def number_of(attribute: Attribute | None) -> int | None:
    """The number of an integer attribute; None for any other, and for none."""
    return attribute.value if isinstance(attribute, IntegerAttr) else None


@dataclass(frozen=True, slots=True)
class FloatAttr(Attribute):
    value: float
    type: Type

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FloatAttr) and self.type == other.type and float_key(self.value) == float_key(other.value)
        )

    def __hash__(self) -> int:
        return hash((float_key(self.value), self.type))

    def __str__(self) -> str:
        return f"{float_text(self.value, self.type)} : {self.type}"


def float_key(value: float) -> bytes:
    """Bits, so that -0.0 differs from 0.0 and a NaN equals itself."""
    return struct.pack("<d", value)


def scalar_key(value: int | float) -> int | bytes:
    """What tells two numbers of one type apart."""
    return float_key(value) if isinstance(value, float) else value


def float_text(value: float, type: Type) -> str:
    """Decimal text that reads back exactly; the bit pattern in hexadecimal for infinities and NaN."""
    if math.isfinite(value):
        text = repr(float(value))
        if "e" in text and "." not in text:
            text = text.replace("e", ".0e")
        return text
    assert isinstance(type, FloatType)
    digits = -(-type.width // 4)
    return f"0x{float_bits(value, type):0{digits}X}"


@dataclass(frozen=True, slots=True)
class StringAttr(Attribute):
    value: str
    type: Type | None = None
    """Which a text may give it; nothing here depends on it."""

    def __str__(self) -> str:
        return quote(self.value) + (f" : {self.type}" if self.type is not None else "")


def quote(text: str) -> str:
    """An MLIR string literal."""
    body = "".join(c if " " <= c <= "~" and c not in '"\\' else "".join(f"\\{b:02X}" for b in c.encode()) for c in text)
    return f'"{body}"'


@dataclass(frozen=True, slots=True)
class ArrayAttr(Attribute):
    values: tuple[Attribute, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(_elided, self.values))}]"


def _elided(attribute: Attribute) -> str:
    """Inside arrays, MLIR leaves out the type of i64 integers."""
    if isinstance(attribute, IntegerAttr) and attribute.type == IntegerType(64):
        return str(attribute.value)
    return str(attribute)


@dataclass(frozen=True, slots=True)
class DictAttr(Attribute):
    """Entries sorted by name."""

    entries: tuple[tuple[str, Attribute], ...]

    @classmethod
    def of(cls, entries: Mapping[str, Attribute]) -> DictAttr:
        return cls(tuple(sorted(entries.items())))

    def get(self, name: str) -> Attribute | None:
        return next((value for key, value in self.entries if key == name), None)

    def __str__(self) -> str:
        return "{" + ", ".join(entry_text(k, v) for k, v in self.entries) + "}"


def entry_text(name: str, value: Attribute) -> str:
    """`name = value`, or `name` alone for a unit attribute."""
    key = name if BARE_NAME.match(name) else quote(name)
    return key if isinstance(value, UnitAttr) else f"{key} = {value}"


@dataclass(frozen=True, slots=True)
class TypeAttr(Attribute):
    type: Type

    def __str__(self) -> str:
        return str(self.type)


@dataclass(frozen=True, slots=True)
class SymbolRefAttr(Attribute):
    path: tuple[str, ...]

    def __str__(self) -> str:
        return "::".join(symbol_text(p) for p in self.path)


def symbol_text(name: str) -> str:
    return f"@{name}" if BARE_NAME.match(name) else f"@{quote(name)}"


@dataclass(frozen=True, slots=True)
class DenseArrayAttr(Attribute):
    """`array<i64: 1, 2>`: a list of plain scalars."""

    element: Type
    values: tuple[int | float, ...]

    def __str__(self) -> str:
        if not self.values:
            return f"array<{self.element}>"
        values = ", ".join(_literal(v, self.element) for v in self.values)
        return f"array<{self.element}: {values}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DenseArrayAttr) and self.element == other.element and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._key(), self.element))

    def _key(self) -> tuple[int | bytes, ...]:
        return tuple(map(scalar_key, self.values))


@dataclass(frozen=True, slots=True)
class DenseElementsAttr(Attribute):
    """`dense<..> : vector<..>`: row-major values, a single one when they are all equal (a splat)."""

    values: tuple[int | float, ...]
    type: VectorType

    @property
    def is_splat(self) -> bool:
        return len(self.values) == 1

    def __str__(self) -> str:
        return f"{self.literal()} : {self.type}"

    def literal(self) -> str:
        """The text before the type."""
        if self.is_splat:
            return f"dense<{_literal(self.values[0], self.type.element)}>"
        return f"dense<{_nested(list(self.values), self.type.shape, self.type.element) if self.values else ''}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DenseElementsAttr) and self.type == other.type and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._key(), self.type))

    def _key(self) -> tuple[int | bytes, ...]:
        return tuple(map(scalar_key, self.values))


@dataclass(frozen=True, slots=True)
class TensorElementsAttr(Attribute):
    """`dense<..> : tensor<..>`: the elements, as those of a vector of the same shape."""

    elements: DenseElementsAttr

    def __str__(self) -> str:
        return f"{self.elements.literal()} : {self.type}"

    @property
    def type(self) -> TensorType:
        return TensorType(self.elements.type.shape, self.elements.type.element)


@dataclass(frozen=True, slots=True)
class IntegersAttr(Attribute):
    """`dense<[1, 2]> : tensor<2xi32>`: a list of numbers, in the one of MLIR's spellings that old attributes keep."""

    values: tuple[int, ...]
    element: IntegerType = I32

    def __str__(self) -> str:
        same = len(set(self.values)) == 1
        body = str(self.values[0]) if same else str(list(self.values)) if self.values else ""
        return f"dense<{body}> : tensor<{len(self.values)}x{self.element}>"


def elements_of_tensor(value: Attribute | None) -> DenseElementsAttr | None:
    """The elements of `dense<..> : tensor<..>`, as a vector's; None for anything else."""
    match value:
        case TensorElementsAttr(elements):
            return elements
        case IntegersAttr(values, element):
            return DenseElementsAttr(values[:1] if len({*values}) == 1 else values, VectorType((len(values),), element))
        case _:
            return None


def _literal(value: int | float, element: Type) -> str:
    if element.is_float:
        return float_text(float(value), element)
    if element == I1:
        return "true" if value else "false"
    return str(int(value))


def _nested(values: list[int | float], shape: tuple[int, ...], element: Type) -> str:
    if not shape:
        return _literal(values[0], element)
    step = len(values) // shape[0]
    return (
        "[" + ", ".join(_nested(values[i * step : (i + 1) * step], shape[1:], element) for i in range(shape[0])) + "]"
    )


@dataclass(frozen=True, slots=True)
class OpaqueAttr(Attribute):
    """An attribute of a dialect that lanewise does not interpret: `#dialect.name<body>`, kept as text."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class LocationAttr(Attribute):
    """A place in a source, `loc(...)`: carried along as text, without the aliases that it was written with."""

    text: str

    def __str__(self) -> str:
        return f"loc({self.text})"


def index_attr(value: int) -> IntegerAttr:
    return IntegerAttr(value, INDEX)


def int_array(attribute: Attribute) -> tuple[int, ...]:
    """The integers of `[1, 2]` or `array<i64: 1, 2>`; the verifier has checked that it is one."""
    if isinstance(attribute, DenseArrayAttr):
        return tuple(map(int, attribute.values))
    assert isinstance(attribute, ArrayAttr)
    return tuple(v.value for v in attribute.values if isinstance(v, IntegerAttr))


def flags_of(attribute: ArrayAttr) -> tuple[bool, ...]:
    """Those of `[true, false]`."""
    return tuple([isinstance(value, IntegerAttr) and bool(value.value) for value in attribute.values])


def are_flags(attribute: ArrayAttr) -> bool:
    """Whether it is a list of true and false."""
    return not [v for v in attribute.values if not isinstance(v, IntegerAttr) or v.type != I1]


def i64_array(values: tuple[int, ...] | list[int]) -> ArrayAttr:
    """`[1, 2]`, whose elements are i64 and print without their type inside operations."""
    return ArrayAttr(tuple(IntegerAttr(v, IntegerType(64)) for v in values))


DYNAMIC = -(1 << 63)
"""What MLIR writes in a list of static numbers where a value stands instead."""


def dense_i64(values: Iterable[int | None]) -> DenseArrayAttr:
    """`array<i64: 1, 2>`; None, for a number that a value gives, is stored as `DYNAMIC`."""
    return DenseArrayAttr(I64, tuple([DYNAMIC if v is None else v for v in values]))


def is_int_array(attribute: Attribute) -> bool:
    """Whether `int_array` can read all of it."""
    if isinstance(attribute, DenseArrayAttr):
        return isinstance(attribute.element, IntegerType)
    return isinstance(attribute, ArrayAttr) and all(isinstance(v, IntegerAttr) for v in attribute.values)


def scalar_attr(value: int | float | bool, type: Type) -> Attribute:
    """The constant `value` of `type`; vectors become a splat."""
    element = element_type(type)
    number: int | float = round_to(float(value), element) if isinstance(element, FloatType) else int(value)
    if isinstance(type, VectorType):
        return DenseElementsAttr((number,), type)
    if isinstance(type, (IntegerType, IndexType)):
        return IntegerAttr(int(value), type)
    return FloatAttr(float(number), type)


DIALECT_ATTRIBUTES: dict[str, Callable[[Any], Attribute]] = {}
"""Readers of `#dialect.name...` by `dialect.name`, called after the name; filled while dialects are imported."""


@dataclass(frozen=True, slots=True)
class EnumAttr(Attribute):
    """One of a dialect's fixed words: `#vector.kind<add>`, and `<add>` inside its operations."""

    value: str
    mnemonic: ClassVar[str] = ""
    cases: ClassVar[tuple[str, ...]] = ()
    spellings: ClassVar[Mapping[str, str]] = {}
    """Words that older texts use for a case."""
    number: ClassVar[Type | None] = None
    """The type of the numbers that MLIR's generic form writes for the words, in the order of `cases`."""

    @classmethod
    def register(cls) -> None:
        DIALECT_ATTRIBUTES[cls.mnemonic] = cls.parse

    @classmethod
    def parse(cls, parser: Any) -> Self:
        """`<case>`, from an `attribute_parser.AttributeParser`."""
        parser.expect("<")
        value = cls.parse_case(parser)
        parser.expect(">")
        return value

    @classmethod
    def parse_case(cls, parser: Any) -> Self:
        word = parser.token.text.strip('"')  # quoted in older texts
        word = cls.spellings.get(word, word)
        if word not in cls.cases:
            parser.fail(f"one of {', '.join(cls.cases)}")
        parser.advance()
        return cls(word)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.value}>"
