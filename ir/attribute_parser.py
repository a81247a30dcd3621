"""Reads types and attributes of MLIR text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Literal

from ..support.diagnostics import ParseError, Source
from ..support.patterns import regex
from .affine import AffineMap, AffineMapAttr, IntegerSetAttr, linear
from .affine_parser import AffineParser
from .attributes import (
    DIALECT_ATTRIBUTES,
    ArrayAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    FloatAttr,
    IntegerAttr,
    IntegersAttr,
    OpaqueAttr,
    StringAttr,
    SymbolRefAttr,
    TensorElementsAttr,
    TypeAttr,
    UnitAttr,
    scalar_key,
)
from .dense_bytes import element_bytes, elements_from_bytes, hexadecimal
from .dialects import is_known
from .did_you_mean import did_you_mean, not_finite
from .lexer import Token
from .location_parser import LocationParser
from .numerics import float_from_bits, round_to
from .reader import integer_value, unescape
from .types import (
    DIALECT_TYPES,
    F64,
    FLOAT_WIDTHS,
    I1,
    I64,
    INDEX,
    Attribute,
    BitsType,
    ComplexType,
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
MAX_RANK = 32
MAX_WIDTH = 64
_INTEGER = regex(r"(s|u|)i([1-9]\d{0,4})\Z", re.ASCII)
_EXPONENT_WITHOUT_POINT = regex(r"(\d+)([eE][+-]?\d+)(?![\w$])", re.ASCII)
_SIGNEDNESS: dict[str, Literal["", "s", "u"]] = {"": "", "s": "s", "u": "u"}


class AttributeParser(LocationParser, AffineParser):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.attribute_aliases: dict[str, Attribute] = {}
        self.type_aliases: dict[str, Type] = {}
        self._known_types: dict[str, Type] = {}
        """Those that were read, by their texts, which many operations repeat."""

    # -- types --------------------------------------------------------------------------------------------------

    def parse_type(self, mnemonic: str = "") -> Type:
        """`mnemonic`: of the dialect's type that begins with its parameters, if that is what stands here."""
        token = self.token
        if mnemonic and token.text == "<":
            with self.nested:
                return DIALECT_TYPES[mnemonic](self)
        known = self._known_types.get(token.text)
        if known is not None:
            self.advance()
            return known
        if token.text == "(":
            with self.nested:
                inputs, results = self.function_type()
            return FunctionType(tuple(inputs), tuple(results))
        if token.kind == "type":
            self.split_type()
            type = self._known_types[token.text] = self._named_type(self.advance())
            self.rewind(token.end)
            return type
        return (
            self._own_type(self.advance())
            if token.kind == "bang"
            else self._named_type(self.expect_kind("word", "a type"))
        )

    def _own_type(self, token: Token) -> Type:
        """`!name`: a dialect's type, or an alias."""
        if is_known(token.text[1:], DIALECT_TYPES):
            with self.nested:
                return DIALECT_TYPES[token.text[1:]](self)
        if token.text not in self.type_aliases:
            hint = did_you_mean(token.text, self.type_aliases)
            raise self.error(f"unknown type '{token.text}'", token.start, hint)
        return self.type_aliases[token.text]

    def _named_type(self, token: Token) -> Type:
        name = token.text
        if name in _SHAPED_TYPES:
            self.expect("<")
            with self.nested:
                type = _SHAPED_TYPES[name](self)
            self.expect(">")
            return type
        type = self._known_types[name] = self._scalar_type(token)
        return type

    def _scalar_type(self, token: Token) -> Type:
        name = token.text
        if name in _SIMPLE_TYPES:
            return _SIMPLE_TYPES[name]
        match = _INTEGER.match(name)
        if match is None:
            hint = not_finite(name) or did_you_mean(name, (*_SHAPED_TYPES, *_SIMPLE_TYPES))
            raise self.error(f"unknown type '{name}'", token.start, hint)
        if int(match[2]) > MAX_WIDTH:
            raise self.error(f"integers have at most {MAX_WIDTH} bits, found {name}", token.start)
        return IntegerType(int(match[2]), _SIGNEDNESS[match[1]])

    def _dimensions(self) -> tuple[int | None, ...]:
        shape: list[int | None] = []
        start = self.token.start
        while (extent := self.dimension()) is not None:
            shape.append(None if extent == "?" else int(extent))
            if extent != "?" and int(extent) >= 1 << 63:
                raise self.error(f"extent {extent} does not fit in 64 bits", start)
            if len(shape) > MAX_RANK:
                raise self.error(f"more than {MAX_RANK} dimensions", start)
            start = self.token.start
        return tuple(shape)

    def vector_type(self) -> VectorType:
        start = self.token.start
        shape: list[int] = []
        for extent in self._dimensions():
            if extent is None:
                raise self.error("vector extents are static: '?' is not allowed", start)
            shape.append(extent)
        if self.token.text == "[":
            raise self.error("vector extents are static: scalable ones, [4], are not supported")
        if any(n == 0 for n in shape):
            raise self.error("vector extents are positive", start)
        if math.prod(shape) > MAX_ELEMENTS:
            raise self.error(f"vector of {math.prod(shape)} elements, limit {MAX_ELEMENTS}", start)
        return VectorType(tuple(shape), self._element_type("a vector"))

    def _element_type(self, of: str) -> Type:
        start = self.token.start
        element = self.parse_type()
        scalar = isinstance(element, (IntegerType, FloatType)) or element == INDEX
        if not scalar and not (of == "a memref" and isinstance(element, VectorType | BitsType)):
            raise self.error(f"{element} cannot be the element type of {of}", start)
        return element

    def memref_type(self) -> Type:
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
            elif space is None:
                space = attribute
            else:
                raise self.error(f"memory space is given twice: {space} and {attribute}", start)
        return MemRefType(shape, element, layout, space)

    def _memref_layout(self, attribute: Attribute, rank: int, start: int) -> Attribute | None:
        if isinstance(attribute, StridedLayout):
            if len(attribute.strides) != rank:
                raise self.error(f"{len(attribute.strides)} strides for a memref of rank {rank}", start)
            return attribute
        assert isinstance(attribute, AffineMapAttr)
        map = attribute.map
        if map == AffineMap.identity(rank):
            return None
        if map.dims != rank:
            raise self.error(f"a layout of {map.dims} dims for a memref of rank {rank}", start)
        form = linear(map.results[0]) if len(map.results) == 1 else None
        if form is None:
            raise self.error("memref layouts are strided<...>; this affine map says no strides", start)
        return StridedLayout(tuple(form.factors.get(dim, 0) for dim in range(rank)), form.offset)

    def tensor_type(self) -> Type:
        return TensorType(self._dimensions(), self._element_type("a tensor"))

    def complex_type(self) -> Type:
        start = self.token.start
        element = self.parse_type()
        if not isinstance(element, (IntegerType, FloatType)):
            raise self.error(f"{element} cannot be the element type of a complex number", start)
        return ComplexType(element)

    def tuple_type(self) -> Type:
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
            return StringAttr(self.string(), self.parse_type() if self.accept(":") else None)
        if token.kind == "symbol":
            return self._symbol_reference()
        if token.kind == "hash":
            return self._hash_attribute()
        if token.text in _ATTRIBUTE_STARTS and token.kind in ("word", "punctuation"):
            with self.nested:
                return _ATTRIBUTE_STARTS[token.text](self, type)
        if token.kind in ("word", "type", "bang"):
            return TypeAttr(self.parse_type())
        return self.fail("an attribute")

    def bare_number(self, type: Type) -> Attribute:
        """A number of a known type, which the text leaves out; or any attribute that is written otherwise."""
        if self.token.kind != "integer" and self.token.text != "-":
            return self.parse_attribute()
        return IntegerAttr(self.fitting_integer(type), type)

    def fitting_integer(self, type: Type) -> int:
        """A number of an integer type or of index, read as signed."""
        start = self.token.start
        return self._fit(self.integer(), type, start)

    def _number(self, type: Type | None) -> Attribute:
        start = self.token.start
        negative = self.accept("-")
        if self.token.kind not in ("integer", "float"):
            hint = not_finite(self.token.text, negative)
            raise self.error(f"expected a number, found {self.found()}", hint=hint)
        token = self.advance()
        self._check_exponent(token, negative)
        if self.accept(":"):
            type = self.parse_type()
        if token.kind == "float" or isinstance(type, FloatType):
            return FloatAttr(self._float(token, negative, type or F64), type or F64)
        value = integer_value(token.text)
        return IntegerAttr(self._fit(-value if negative else value, type or I64, start), type or I64)

    def _check_exponent(self, token: Token, negative: bool) -> None:
        if exponent := _EXPONENT_WITHOUT_POINT.match(self.text, token.start):
            hint = f"write {'-' * negative}{exponent[1]}.0{exponent[2]}"
            raise self.error("a float has a point before its exponent", token.start, hint)

    def _float(self, token: Token, negative: bool, type: Type) -> float:
        if not isinstance(type, FloatType):
            raise self.error(f"{token.text} is not a value of {type}", token.start)
        if token.text.startswith("0x"):
            if negative:
                raise self.error(f"a bit pattern such as {token.text} has no sign", token.start)
            return self._float_bits(token, type)
        if token.kind == "integer":
            number = f"{'-' * negative}{token.text}"
            raise self.error(f"{number} is an integer, not a value of {type}", token.start, f"write {number}.0")
        if negative and type.name == "f8E8M0FNU":
            raise self.error(f"{type} has no negative numbers, found -{token.text}", token.start)
        value = float(token.text.rstrip("f"))
        rounded = round_to(-value if negative else value, type)
        if value and not math.isfinite(rounded):
            hint = "infinity and NaN are written as their bits, such as 0x7F800000 : f32"
            raise self.error(f"{'-' * negative}{token.text} is beyond the numbers of {type}", token.start, hint)
        return rounded

    def _float_bits(self, token: Token, type: FloatType) -> float:
        bits = int(token.text, 16)
        if bits >> type.width:
            raise self.error(f"{token.text} is not the bit pattern of a value of {type}", token.start)
        return float_from_bits(bits, type)

    def _fit(self, value: int, type: Type, start: int) -> int:
        """Signed value of an integer literal; of signless integers both readings are accepted, as MLIR does."""
        if not isinstance(type, IntegerType) and type != INDEX:
            raise self.error(f"{value} is not a value of {type}", start)
        bits = bit_width(type)
        signedness = type.signedness if isinstance(type, IntegerType) else "s"
        lowest, end = 0 if signedness == "u" else -(1 << (bits - 1)), 1 << (bits - (signedness == "s"))
        if not lowest <= value < end:
            raise self.error(f"{value} does not fit in {type}", start)
        if bits > 1 and signedness != "u" and value >= 1 << (bits - 1):
            value -= 1 << bits
        return abs(value) if type == I1 else value

    def _symbol_reference(self) -> Attribute:
        path = [self.symbol()]
        while self.accept("::"):
            path.append(self.symbol())
        return SymbolRefAttr(tuple(path))

    def _hash_attribute(self) -> Attribute:
        token = self.advance()
        name = token.text[1:]
        if token.text in self.attribute_aliases:
            return self.attribute_aliases[token.text]
        if is_known(name, DIALECT_ATTRIBUTES):
            with self.nested:
                return DIALECT_ATTRIBUTES[name](self)
        if "." not in name:
            hint = did_you_mean(token.text, self.attribute_aliases)
            raise self.error(f"unknown attribute alias '{token.text}'", token.start, hint)
        body = f"<{_in_one_line(self.balanced())}>" if self.token.text == "<" else ""
        return OpaqueAttr(token.text + body)

    def parse_attribute_dict(self, check: Callable[[Token, str], None] | None = None) -> dict[str, Attribute]:
        """`{name = value, unit, ...}`; `:` is accepted for `=` after a name, as older documents write it.

        `check` is called with each name before its value is read, and raises what is wrong with it.
        """
        entries: dict[str, Attribute] = {}

        def entry() -> None:
            if self.token.kind not in ("word", "string"):
                self.fail("an attribute name")
            token = self.advance()
            name = unescape(token.text[1:-1]) if token.kind == "string" else token.text
            if not name:
                raise self.error("an attribute's name is empty", token.start)
            if name in entries:
                raise self.error(f"attribute '{name}' is given twice", token.start)
            if check is not None:
                check(token, name)
            entries[name] = self.parse_attribute() if self.accept("=") or self.accept(":") else UnitAttr()

        self.expect("{")
        self.comma_separated("}", entry)
        return entries

    # -- starts of attributes ------------------------------------------------------------------------------------

    def array(self, type: Type | None) -> Attribute:
        self.expect("[")
        return ArrayAttr(tuple(self.comma_separated("]", lambda: self.parse_attribute(type))))

    def dictionary(self, type: Type | None) -> Attribute:
        return DictAttr.of(self.parse_attribute_dict())

    def affine_map_attribute(self, type: Type | None) -> Attribute:
        self.expect("affine_map")
        self.expect("<")
        map = self.affine_map()
        self.expect(">")
        return AffineMapAttr(map)

    def affine_set_attribute(self, type: Type | None) -> Attribute:
        self.expect("affine_set")
        self.expect("<")
        found = self.integer_set()
        self.expect(">")
        return IntegerSetAttr(found)

    def parenthesised(self, type: Type | None) -> Attribute:
        """`(T) -> U` is a function type; `(d0, d1) -> (d0)`, whose names are no types, a map as old texts write it."""
        start = self.token.start
        try:
            return TypeAttr(self.parse_type())
        except ParseError as type_error:
            self.rewind(start)
            try:
                return AffineMapAttr(self.affine_map())
            except ParseError as map_error:
                raise max(type_error, map_error, key=_offset) from None

    def boolean(self, type: Type | None) -> Attribute:
        return IntegerAttr(int(self.advance().text == "true"), I1)

    def unit(self, type: Type | None) -> Attribute:
        self.advance()
        return UnitAttr()

    def strided(self, type: Type | None) -> Attribute:
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

    def dense_array(self, type: Type | None) -> Attribute:
        self.expect("array")
        self.expect("<")
        start = self.token.start
        element = self.parse_type()
        if not isinstance(element, (IntegerType, FloatType)) or (element != I1 and element.width % 8):
            raise self.error(f"array<...> holds i1 and numbers of whole bytes, found {element}", start)
        values: list[int | float] = []
        if self.accept(":"):
            values = self.comma_separated(">", lambda: self._scalar_literal(element))
        else:
            self.expect(">")
        return DenseArrayAttr(element, tuple(values))

    def _scalar_literal(self, element: Type) -> int | float:
        if element == I1 and self.token.text in ("true", "false"):
            return int(self.advance().text == "true")
        start = self.token.start
        attribute = self._number(element)
        assert isinstance(attribute, (IntegerAttr, FloatAttr))
        if attribute.type != element:
            raise self.error(f"{attribute.value} is not a value of {element}", start)
        return attribute.value

    def dense(self, type: Type | None) -> Attribute:
        self.expect("dense")
        self.expect("<")
        start = self.token.start
        if self.token.text == ">":
            self.advance()
        else:
            self.rewind(self._skip_to_type(start))
        if self.accept(":"):
            type = self.parse_type()
        end = self.token.start
        whole = self._whole("dense", type, start)
        self.rewind(start)
        shape, values = self._dense_elements_text(whole)
        self.expect(">")
        if shape is not None and shape != whole.shape:
            raise self.error(f"dense literal has shape {list(shape)}, its type is {type}", start)
        self.rewind(end)
        return _dense_elements(shape, values, whole, type)

    def _whole(self, word: str, type: Type | None, start: int) -> VectorType:
        """The elements' vector type: the vector's own, or of a tensor's elements."""
        if isinstance(type, VectorType):
            return type
        shape = tuple(n for n in type.shape if n is not None) if isinstance(type, TensorType) else ()
        if not isinstance(type, TensorType) or len(shape) != len(type.shape):
            words = "a vector type, or a tensor type whose extents are static"
            raise self.error(f"{word}<...> needs {words}, found {type or 'none'}", start)
        if math.prod(shape) > MAX_ELEMENTS:
            raise self.error(f"tensor of {math.prod(shape)} elements, limit {MAX_ELEMENTS}", start)
        return VectorType(shape, type.element)

    def _dense_elements_text(self, type: VectorType) -> tuple[tuple[int, ...] | None, list[int | float]]:
        """Shape (None for one element that stands for all) and values of what stands in `dense<...>`."""
        if self.token.text == ">" and 0 in type.shape:
            return type.shape, []
        return self._hex_values(type) if self.token.kind == "string" else self._dense_values(type.element)

    def dense_resource(self, type: Type | None) -> Attribute:
        """`dense_resource<name> : vector<..>`: the bytes stand in the text's resources."""
        self.expect("dense_resource")
        self.expect("<")
        start = self.token.start
        name = self.string() if self.token.kind == "string" else self.keyword()
        self.expect(">")
        if self.accept(":"):
            type = self.parse_type()
        whole = self._whole("dense_resource", type, start)
        data = self.resource(name)
        if data is None:
            raise self.error(f"no resource '{name}' in this text", start)
        return _dense_elements(*self._elements_of(data, whole, start), whole, type)

    def _hex_values(self, type: VectorType) -> tuple[tuple[int, ...] | None, list[int | float]]:
        """`"0x.."`: the elements' bytes."""
        start = self.token.start
        data = hexadecimal(self.string())
        if data is None:
            raise self.error('the bytes of elements are written as hexadecimal digits, two each, after "0x"', start)
        return self._elements_of(data, type, start)

    def _elements_of(
        self, data: bytes, type: VectorType, start: int
    ) -> tuple[tuple[int, ...] | None, list[int | float]]:
        """Shape (None for one element that stands for all) and values."""
        size = element_bytes(type.element)
        if len(data) not in (size, size * type.elements):
            expected = f"{size} or {size * type.elements}"
            raise self.error(f"{len(data)} bytes of elements, {type} takes {expected}", start)
        return (None if len(data) == size else type.shape), elements_from_bytes(data, type.element)

    def _skip_to_type(self, start: int) -> int:
        """The offset after `dense<...>`, whose elements can only be read once their type is known."""
        depth = 1
        while depth:
            token = self.advance()
            depth += {"<": 1, ">": -1}.get(token.text, 0)
            if token.kind == "end":
                raise self.error("dense< is never closed", start)
        return self.token.start

    def _dense_values(self, element: Type) -> tuple[tuple[int, ...] | None, list[int | float]]:
        """Shape (None for a bare scalar) and row-major values."""
        if not self.accept("["):
            return None, [self._scalar_literal(element)]
        start = self.token.start
        with self.nested:
            parts = self.comma_separated("]", lambda: self._dense_values(element))
        inner = {shape or () for shape, _ in parts}
        if len(inner) > 1:
            raise self.error("rows of a dense literal differ in shape", start)
        return (len(parts), *inner.pop()) if inner else (0,), [v for _, values in parts for v in values]


def _dense_elements(
    shape: tuple[int, ...] | None, values: list[int | float], whole: VectorType, type: Type | None
) -> Attribute:
    """Elements of a vector; of a tensor with one dimension of integers, as attributes that count things have them, or
    of another tensor."""
    first = values[0] if values else 0
    splat = shape is None or (bool(values) and all(scalar_key(v) == scalar_key(first) for v in values))
    if isinstance(type, TensorType) and isinstance(type.element, IntegerType) and whole.rank == 1:
        return IntegersAttr(
            tuple(int(v) for v in (values if shape is not None else values * whole.elements)), type.element
        )
    elements = DenseElementsAttr((first,) if splat else tuple(values), whole)
    return TensorElementsAttr(elements) if isinstance(type, TensorType) else elements


def _offset(error: ParseError) -> int:
    location = error.diagnostics[0].location
    return 0 if location is None else location.offset


_SHAPED_TYPES: dict[str, Callable[[AttributeParser], Type]] = {
    "vector": AttributeParser.vector_type,
    "memref": AttributeParser.memref_type,
    "tensor": AttributeParser.tensor_type,
    "tuple": AttributeParser.tuple_type,
    "complex": AttributeParser.complex_type,
}
_SIMPLE_TYPES: dict[str, Type] = {"index": INDEX, "none": NoneType(), **{n: FloatType(n) for n in FLOAT_WIDTHS}}
_ATTRIBUTE_STARTS: dict[str, Callable[[AttributeParser, Type | None], Attribute]] = {
    "[": AttributeParser.array,
    "{": AttributeParser.dictionary,
    "(": AttributeParser.parenthesised,
    "affine_map": AttributeParser.affine_map_attribute,
    "affine_set": AttributeParser.affine_set_attribute,
    "true": AttributeParser.boolean,
    "false": AttributeParser.boolean,
    "unit": AttributeParser.unit,
    "strided": AttributeParser.strided,
    "array": AttributeParser.dense_array,
    "dense": AttributeParser.dense,
    "dense_resource": AttributeParser.dense_resource,
    "loc": lambda parser, type: parser.location_attribute(),
}


def _in_one_line(body: str) -> str:
    """As upstream prints it: a line's end is a space, next to a bracket nothing."""
    return re.sub(r"\s*\n\s*", " ", re.sub(r"(?<=[\[(<{])\s*\n\s*|\s*\n\s*(?=[\])>}])", "", body))
