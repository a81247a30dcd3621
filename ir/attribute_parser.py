"""Reads types and attributes of MLIR text."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from .affine import AffineExpr, AffineMap, AffineMapAttr, Constant, Dim, Symbol, binary
from .attributes import (
    DIALECT_ATTRIBUTES,
    ArrayAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    FloatAttr,
    IntegerAttr,
    OpaqueAttr,
    StringAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from .diagnostics import Location, ParseError, Source
from .lexer import Lexer, Token
from .types import (
    F64,
    FLOAT_WIDTHS,
    I1,
    I64,
    INDEX,
    Attribute,
    FloatType,
    FunctionType,
    IntegerType,
    MemRefType,
    NoneType,
    StridedLayout,
    TensorType,
    TupleType,
    Type,
    VectorType,
    bit_width,
)

MAX_ELEMENTS = 1 << 24
_INTEGER = re.compile(r"(si|ui|i)(\d+)\Z")
Item = TypeVar("Item")


class TokenReader:
    """The small words of a recursive-descent parser."""

    def __init__(self, source: Source) -> None:
        self.lexer = Lexer(source)

    @property
    def token(self) -> Token:
        return self.lexer.token

    def location(self) -> Location:
        return Location(self.lexer.source, self.token.start)

    def error(self, message: str, offset: int | None = None, hint: str = "") -> ParseError:
        return self.lexer.error(message, offset, hint)

    def found(self) -> str:
        return self.token.text if self.token.kind == "end" else f"'{self.token.text}'"

    def fail(self, expected: str) -> NoReturn:
        raise self.error(f"expected {expected}, found {self.found()}")

    def accept(self, text: str) -> bool:
        """Consumes punctuation or a word if it comes next."""
        if self.token.text == text and self.token.kind in ("punctuation", "word"):
            self.lexer.advance()
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"'{text}'")

    def expect_kind(self, kind: str, words: str) -> Token:
        if self.token.kind != kind:
            self.fail(words)
        return self.lexer.advance()

    def keyword(self, choices: Sequence[str] = ()) -> str:
        if self.token.kind != "word" or (choices and self.token.text not in choices):
            self.fail("one of " + ", ".join(choices) if choices else "a keyword")
        return self.lexer.advance().text

    def integer(self) -> int:
        sign = -1 if self.accept("-") else 1
        return sign * int(self.expect_kind("integer", "an integer").text, 0)

    def string(self) -> str:
        return unescape(self.expect_kind("string", "a string").text[1:-1])

    def symbol(self) -> str:
        text = self.expect_kind("symbol", "a symbol name such as @name").text[1:]
        return unescape(text[1:-1]) if text.startswith('"') else text

    def comma_separated(self, close: str, item: Callable[[], Item]) -> list[Item]:
        """Items up to and including the closing token."""
        items: list[Item] = []
        if self.accept(close):
            return items
        while True:
            items.append(item())
            if self.accept(close):
                return items
            if not self.accept(","):
                self.fail(f"',' or '{close}'")

    def integer_list(self) -> list[int]:
        """`[1, 2]`."""
        self.expect("[")
        return self.comma_separated("]", self.integer)

    def skip_location(self) -> None:
        """`loc(...)`: read over; a location is where the text stands."""
        if self.token.kind == "word" and self.token.text == "loc":
            self.lexer.advance()
            if self.token.text != "(":
                self.fail("'('")
            self.lexer.balanced()


class AttributeParser(TokenReader):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.attribute_aliases: dict[str, Attribute] = {}
        self.type_aliases: dict[str, Type] = {}

    # -- types --------------------------------------------------------------------------------------------------

    def parse_type(self) -> Type:
        if self.token.text == "(":
            return FunctionType(*map(tuple, self.function_type()))
        if self.token.kind == "bang":
            token = self.lexer.advance()
            if token.text not in self.type_aliases:
                raise self.error(f"unknown type '{token.text}'", token.start)
            return self.type_aliases[token.text]
        token = self.expect_kind("word", "a type")
        return self._named_type(token)

    def _named_type(self, token: Token) -> Type:
        name = token.text
        if name in _SHAPED_TYPES:
            self.expect("<")
            type = _SHAPED_TYPES[name](self)
            self.expect(">")
            return type
        if name in _SIMPLE_TYPES:
            return _SIMPLE_TYPES[name]
        match = _INTEGER.match(name)
        if match is None or not 0 < int(match[2]) <= 1 << 16:
            raise self.error(f"unknown type '{name}'", token.start)
        return IntegerType(int(match[2]), match[1][:-1])  # type: ignore[arg-type]

    def _dimensions(self) -> tuple[int | None, ...]:
        shape: list[int | None] = []
        while (extent := self.lexer.dimension()) is not None:
            shape.append(None if extent == "?" else int(extent))
        return tuple(shape)

    def _vector_type(self) -> Type:
        start = self.token.start
        shape: list[int] = []
        for extent in self._dimensions():
            if extent is None:
                raise self.error("vector extents are static: '?' is not allowed", start)
            shape.append(extent)
        if any(n == 0 for n in shape):
            raise self.error("vector extents are positive", start)
        if math.prod(shape) > MAX_ELEMENTS:
            raise self.error(f"vector of {math.prod(shape)} elements, limit {MAX_ELEMENTS}", start)
        return VectorType(tuple(shape), self._element_type("a vector"))

    def _element_type(self, of: str) -> Type:
        start = self.token.start
        element = self.parse_type()
        scalar = isinstance(element, (IntegerType, FloatType)) or element == INDEX
        if not scalar and not (of == "a memref" and isinstance(element, VectorType)):
            raise self.error(f"{element} cannot be the element type of {of}", start)
        return element

    def _memref_type(self) -> Type:
        if self.accept("*"):
            raise self.error("unranked memrefs are not supported: give the rank")
        shape = self._dimensions()
        element = self._element_type("a memref")
        layout: Attribute | None = None
        space: Attribute | None = None
        while self.accept(","):
            start = self.token.start
            attribute = self.parse_attribute()
            if isinstance(attribute, (StridedLayout, AffineMapAttr)):
                layout = self._memref_layout(attribute, len(shape), start)
            else:
                space = attribute
        return MemRefType(shape, element, layout, space)

    def _memref_layout(self, attribute: Attribute, rank: int, start: int) -> Attribute | None:
        if isinstance(attribute, StridedLayout):
            if len(attribute.strides) != rank:
                raise self.error(f"{len(attribute.strides)} strides for a memref of rank {rank}", start)
            return attribute
        assert isinstance(attribute, AffineMapAttr)
        if attribute.map == AffineMap.identity(rank):
            return None
        raise self.error("memref layouts are strided<...>; this affine map is not the identity", start)

    def _tensor_type(self) -> Type:
        return TensorType(self._dimensions(), self._element_type("a tensor"))

    def _tuple_type(self) -> Type:
        items = [] if self.token.text == ">" else [self.parse_type()]
        while self.accept(","):
            items.append(self.parse_type())
        return TupleType(tuple(items))

    def type_list(self) -> list[Type]:
        """`T` or `(T, U)`."""
        if self.accept("("):
            return self.comma_separated(")", self.parse_type)
        return [self.parse_type()]

    def function_type(self) -> tuple[list[Type], list[Type]]:
        """`(T, U) -> V`."""
        self.expect("(")
        inputs = self.comma_separated(")", self.parse_type)
        self.expect("->")
        return inputs, self.type_list()

    # -- attributes ---------------------------------------------------------------------------------------------

    def parse_attribute(self, type: Type | None = None) -> Attribute:
        """Any attribute; `type` is that of a number or `dense` literal whose text leaves it out."""
        token = self.token
        if token.kind in ("integer", "float") or token.text == "-":
            return self._number(type)
        if token.kind == "string":
            return StringAttr(self.string())
        if token.kind == "symbol":
            return self._symbol_reference()
        if token.kind == "hash":
            return self._hash_attribute()
        if token.text in _ATTRIBUTE_STARTS and token.kind in ("word", "punctuation"):
            return _ATTRIBUTE_STARTS[token.text](self, type)
        if token.kind in ("word", "bang"):
            return TypeAttr(self.parse_type())
        return self.fail("an attribute")

    def _number(self, type: Type | None) -> Attribute:
        start = self.token.start
        negative = self.accept("-")
        if self.token.kind not in ("integer", "float"):
            self.fail("a number")
        token = self.lexer.advance()
        if self.accept(":"):
            type = self.parse_type()
        if token.kind == "float" or isinstance(type, FloatType):
            return FloatAttr(self._float(token, negative, type or F64), type or F64)
        value = int(token.text, 0)
        return IntegerAttr(self._fit(-value if negative else value, type or I64, start), type or I64)

    def _float(self, token: Token, negative: bool, type: Type) -> float:
        if not isinstance(type, FloatType):
            raise self.error(f"{token.text} is not a value of {type}", token.start)
        if token.text.startswith("0x"):
            return self._float_bits(token, type)
        value = round_to(float(token.text.rstrip("f")), type)
        return -value if negative else value

    def _float_bits(self, token: Token, type: FloatType) -> float:
        bits, value = type.width, int(token.text, 16)
        if type.name not in _FLOAT_BITS or value >> bits:
            raise self.error(f"{token.text} is not the bit pattern of a value of {type}", token.start)
        return _FLOAT_BITS[type.name](value)

    def _fit(self, value: int, type: Type, start: int) -> int:
        """Signed value of an integer literal; both signed and unsigned readings are accepted, as MLIR does."""
        if not isinstance(type, IntegerType) and type != INDEX:
            raise self.error(f"{value} is not a value of {type}", start)
        bits = bit_width(type)
        if not -(1 << (bits - 1)) <= value < 1 << bits:
            raise self.error(f"{value} does not fit in {type}", start)
        if bits > 1 and value >= 1 << (bits - 1):
            value -= 1 << bits
        return abs(value) if type == I1 else value

    def _symbol_reference(self) -> Attribute:
        path = [self.symbol()]
        while self.accept("::"):
            path.append(self.symbol())
        return SymbolRefAttr(tuple(path))

    def _hash_attribute(self) -> Attribute:
        token = self.lexer.advance()
        name = token.text[1:]
        if token.text in self.attribute_aliases:
            return self.attribute_aliases[token.text]
        if name in DIALECT_ATTRIBUTES:
            return DIALECT_ATTRIBUTES[name](self)
        if "." not in name:
            raise self.error(f"unknown attribute alias '{token.text}'", token.start)
        body = f"<{self.lexer.balanced()}>" if self.token.text == "<" else ""
        return OpaqueAttr(token.text + body)

    def parse_attribute_dict(self) -> dict[str, Attribute]:
        """`{name = value, unit, ...}`; `:` is accepted for `=` after a name, as older documents write it."""
        entries: dict[str, Attribute] = {}

        def entry() -> None:
            token = self.lexer.advance()
            if token.kind not in ("word", "string"):
                raise self.error(f"expected an attribute name, found '{token.text}'", token.start)
            name = unescape(token.text[1:-1]) if token.kind == "string" else token.text
            if name in entries:
                raise self.error(f"attribute '{name}' is given twice", token.start)
            entries[name] = self.parse_attribute() if self.accept("=") or self.accept(":") else UnitAttr()

        self.expect("{")
        self.comma_separated("}", entry)
        return entries

    # -- affine maps --------------------------------------------------------------------------------------------

    def affine_map(self) -> AffineMap:
        """`(d0, ..)[s0, ..] -> (expr, ..)`."""
        names: dict[str, AffineExpr] = {}

        def declare(make: type[Dim] | type[Symbol], close: str) -> int:
            def one() -> None:
                token = self.expect_kind("word", "a dimension name")
                if token.text in names:
                    raise self.error(f"'{token.text}' is declared twice", token.start)
                names[token.text] = make(count[0])
                count[0] += 1

            count = [0]
            self.comma_separated(close, one)
            return count[0]

        self.expect("(")
        dims = declare(Dim, ")")
        symbols = declare(Symbol, "]") if self.accept("[") else 0
        self.expect("->")
        self.expect("(")
        results = self.comma_separated(")", lambda: self._affine_sum(names))
        return AffineMap(dims, symbols, tuple(results))

    def _affine_sum(self, names: dict[str, AffineExpr]) -> AffineExpr:
        expr = self._affine_product(names)
        while self.token.text in ("+", "-"):
            operator = self.lexer.advance().text
            expr = binary(operator, expr, self._affine_product(names))
        return expr

    def _affine_product(self, names: dict[str, AffineExpr]) -> AffineExpr:
        expr = self._affine_atom(names)
        while self.token.text in ("*", "floordiv", "ceildiv", "mod"):
            token = self.lexer.advance()
            right = self._affine_atom(names)
            if token.text != "*" and isinstance(right, Constant) and right.value <= 0:
                raise self.error(f"{token.text} by {right.value}: the divisor must be positive", token.start)
            expr = binary(token.text, expr, right)
        return expr

    def _affine_atom(self, names: dict[str, AffineExpr]) -> AffineExpr:
        if self.accept("("):
            expr = self._affine_sum(names)
            self.expect(")")
            return expr
        if self.accept("-"):
            return binary("*", self._affine_atom(names), Constant(-1))
        if self.token.kind == "integer":
            return Constant(self.integer())
        token = self.expect_kind("word", "an affine expression")
        if token.text not in names:
            raise self.error(f"'{token.text}' is not declared by this map", token.start)
        return names[token.text]

    # -- starts of attributes ------------------------------------------------------------------------------------

    def _array(self, type: Type | None) -> Attribute:
        self.expect("[")
        return ArrayAttr(tuple(self.comma_separated("]", lambda: self.parse_attribute(type))))

    def _dictionary(self, type: Type | None) -> Attribute:
        return DictAttr.of(self.parse_attribute_dict())

    def _affine_map_attribute(self, type: Type | None) -> Attribute:
        self.expect("affine_map")
        self.expect("<")
        map = self.affine_map()
        self.expect(">")
        return AffineMapAttr(map)

    def _parenthesised(self, type: Type | None) -> Attribute:
        """`(T) -> U` is a function type; `(d0, d1) -> (d0)`, whose names are no types, a map as old texts write it."""
        start = self.token.start
        try:
            return TypeAttr(self.parse_type())
        except ParseError:
            self.lexer.rewind(start)
            return AffineMapAttr(self.affine_map())

    def _boolean(self, type: Type | None) -> Attribute:
        return IntegerAttr(int(self.lexer.advance().text == "true"), I1)

    def _unit(self, type: Type | None) -> Attribute:
        self.lexer.advance()
        return UnitAttr()

    def _strided(self, type: Type | None) -> Attribute:
        self.expect("strided")
        self.expect("<")
        self.expect("[")
        strides = self.comma_separated("]", self._extent)
        offset: int | None = 0
        if self.accept(","):
            self.expect("offset")
            self.expect(":")
            offset = self._extent()
        self.expect(">")
        return StridedLayout(tuple(strides), offset)

    def _extent(self) -> int | None:
        return None if self.accept("?") else self.integer()

    def _dense_array(self, type: Type | None) -> Attribute:
        self.expect("array")
        self.expect("<")
        element = self.parse_type()
        values: list[int | float] = []
        if self.accept(":"):
            values = self.comma_separated(">", lambda: self._scalar_literal(element))
        else:
            self.expect(">")
        return DenseArrayAttr(element, tuple(values))

    def _scalar_literal(self, element: Type) -> int | float:
        if self.token.text in ("true", "false"):
            return int(self.lexer.advance().text == "true")
        start = self.token.start
        attribute = self._number(element)
        assert isinstance(attribute, (IntegerAttr, FloatAttr))
        if attribute.type != element:
            raise self.error(f"{attribute.value} is not a value of {element}", start)
        return attribute.value

    def _dense(self, type: Type | None) -> Attribute:
        self.expect("dense")
        self.expect("<")
        start = self.token.start
        if self.token.text == ">":
            self.lexer.advance()
        else:
            self.lexer.rewind(self._skip_to_type(start))
        if self.accept(":"):
            type = self.parse_type()
        end = self.token.start
        if not isinstance(type, VectorType):
            raise self.error(f"dense<...> needs a vector type, found {type or 'none'}", start)
        self.lexer.rewind(start)
        shape, values = self._dense_values(type.element)
        if shape is not None and shape != type.shape:
            raise self.error(f"dense literal has shape {list(shape)}, its type is {type}", start)
        self.lexer.rewind(end)
        first = values[0] if values else 0
        splat = shape is None or all(v == first and math.copysign(1, v) == math.copysign(1, first) for v in values)
        return DenseElementsAttr((first,) if splat else tuple(values), type)

    def _skip_to_type(self, start: int) -> int:
        """The offset after `dense<...>`, whose elements can only be read once their type is known."""
        depth = 1
        while depth:
            token = self.lexer.advance()
            depth += {"<": 1, ">": -1}.get(token.text, 0)
            if token.kind == "end":
                raise self.error("dense< is never closed", start)
        return self.token.start

    def _dense_values(self, element: Type) -> tuple[tuple[int, ...] | None, list[int | float]]:
        """Shape (None for a bare scalar) and row-major values."""
        if not self.accept("["):
            return None, [self._scalar_literal(element)]
        start = self.token.start
        parts = self.comma_separated("]", lambda: self._dense_values(element))
        inner = {shape or () for shape, _ in parts}
        if len(inner) > 1:
            raise self.error("rows of a dense literal differ in shape", start)
        return (len(parts), *inner.pop()) if inner else (0,), [v for _, values in parts for v in values]


def _bf16(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits << 16))[0])


_FLOAT_BITS: dict[str, Callable[[int], float]] = {
    "f64": lambda b: float(struct.unpack("<d", struct.pack("<Q", b))[0]),
    "f32": lambda b: float(struct.unpack("<f", struct.pack("<I", b))[0]),
    "f16": lambda b: float(struct.unpack("<e", struct.pack("<H", b))[0]),
    "bf16": _bf16,
}


def round_to(value: float, type: FloatType) -> float:
    """The nearest value of the type, so that a literal means what a register can hold."""
    from .numerics import dtype_of

    if type.name == "f64":
        return value
    import numpy as np

    with np.errstate(over="ignore"):
        return float(np.float64(value).astype(dtype_of(type)))


_SHAPED_TYPES: dict[str, Callable[[AttributeParser], Type]] = {
    "vector": AttributeParser._vector_type,
    "memref": AttributeParser._memref_type,
    "tensor": AttributeParser._tensor_type,
    "tuple": AttributeParser._tuple_type,
}
_SIMPLE_TYPES: dict[str, Type] = {"index": INDEX, "none": NoneType(), **{n: FloatType(n) for n in FLOAT_WIDTHS}}
_ATTRIBUTE_STARTS: dict[str, Callable[[AttributeParser, Type | None], Attribute]] = {
    "[": AttributeParser._array,
    "{": AttributeParser._dictionary,
    "(": AttributeParser._parenthesised,
    "affine_map": AttributeParser._affine_map_attribute,
    "true": AttributeParser._boolean,
    "false": AttributeParser._boolean,
    "unit": AttributeParser._unit,
    "strided": AttributeParser._strided,
    "array": AttributeParser._dense_array,
    "dense": AttributeParser._dense,
}
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")


def unescape(text: str) -> str:
    """The text of a string literal's body; escapes are bytes of UTF-8."""
    named = {"n": b"\n", "t": b"\t"}

    def replace(match: re.Match[str]) -> str:
        body = match[1]
        raw = bytes.fromhex(body) if len(body) == 2 else named.get(body, body.encode())
        return raw.decode("latin-1")

    if "\\" not in text:
        return text
    return _ESCAPE.sub(replace, text.encode().decode("latin-1")).encode("latin-1").decode("utf-8", "replace")
