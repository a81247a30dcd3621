"""Reads MLIR text: operations, regions and names. `attribute_parser.py` reads types and attributes.

No input ends in anything but a program or a `ParseError` that says where.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..support.dataclasses import dataclass, field
from ..support.deep_recursion import deep
from ..support.diagnostics import Diagnostic, Location, ParseError, Source
from .attribute_parser import AttributeParser
from .attributes import UnitAttr, int_array, is_int_array
from .block_order import LabelledBlock, blocks_in, in_order_of_ways
from .braces import Braces
from .core import Block, Operation, Region, UnregisteredOp, Value
from .dialects import operation_class
from .did_you_mean import did_you_mean, operation_hint
from .lexer import Token
from .property_forms import OutOfRange, stored
from .types import Attribute, Type

MAX_OPERATIONS = 1_000_000

SPELLINGS: dict[str, str] = {
    "call": "func.call",
    "constant": "arith.constant",
    "return": "func.return",
    "func": "func.func",
    "module": "builtin.module",
    "std.addf": "arith.addf",
    "std.subf": "arith.subf",
    "std.mulf": "arith.mulf",
    "std.divf": "arith.divf",
    "std.addi": "arith.addi",
    "std.subi": "arith.subi",
    "std.muli": "arith.muli",
    "std.constant": "arith.constant",
    "addf": "arith.addf",
    "subf": "arith.subf",
    "mulf": "arith.mulf",
    "divf": "arith.divf",
    "addi": "arith.addi",
    "muli": "arith.muli",
    "alloc": "memref.alloc",
    "splat": "vector.broadcast",
    "std.splat": "vector.broadcast",
    "vector.splat": "vector.broadcast",
    "vector.strided_slice": "vector.extract_strided_slice",
    "vector.cast": "vector.shape_cast",
}
"""Names that older texts use, and today's."""


@dataclass
class _Labels:
    """The labels of one region: blocks by name, those that something branches to, and those that were there."""

    blocks: dict[str, Block] = field(default_factory=dict[str, Block])
    asked: dict[str, Token] = field(default_factory=dict[str, Token])
    defined: set[str] = field(default_factory=set[str])


class Parser(AttributeParser):
    """Recursive descent over one source."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._visible: dict[str, list[Value]] = {}
        """Values by name, of all regions around."""
        self._names: list[str] = []
        """Those of the innermost region, which end with it."""
        self._labels: list[_Labels] = [_Labels()]
        self._operations = 0
        self._blocks: dict[int, list[LabelledBlock]] = {}
        """The blocks of regions that are still to be read, by where their first label stands."""
        self._braces = Braces(source)
        self._before: list[Operation] = []
        """What the operation that is read puts in front of itself."""
        self._begun = 0
        """Where the operation begins that is read."""

    # -- programs -----------------------------------------------------------------------------------------------

    def parse_all(self) -> Block:
        """The whole text."""
        block = Block()
        while self.token.kind != "end":
            if not self._alias_definition() and not self.skip_resources():
                self._append_to(block)
        self.put_asked_locations()
        return block

    def name_value(self, name: str, value: Value) -> None:
        """Lets the text use a value of a program that is there already as `%name`."""
        self._visible[f"%{name}"] = [value]

    def declared_form(self, cls: type[Operation], location: Location) -> Operation:
        """What `cls.assembly` declares, after the operation's name."""
        raise AssertionError("programs are read by `parser.py`")

    def _alias_definition(self) -> bool:
        token = self.token
        if token.kind not in ("hash", "bang"):
            return False
        self.advance()
        self.expect("=")
        if "." in token.text:
            raise self.error(f"'{token.text}': names with a '.' are those of dialects", token.start)
        if token.text in self.type_aliases or token.text in self.attribute_aliases:
            raise self.error(f"redefinition of alias '{token.text}'", token.start)
        if token.kind == "bang":
            self.type_aliases[token.text] = self.parse_type()
        else:
            self.attribute_aliases[token.text] = self.parse_attribute()
        return True

    def parse_operation(self) -> Operation:
        """`%r = name ...` in custom or generic form."""
        self._operations += 1
        if self._operations > MAX_OPERATIONS:
            raise self.error(f"more than {MAX_OPERATIONS} operations")
        self._begun = self.token.start
        names = self._result_names()
        location = self.location()
        token = self.token
        if token.kind == "string":
            op = self._generic_operation()
        elif token.kind == "word":
            op = self._custom_operation(self.advance(), location)
        else:
            raise self.error(f"expected an operation, found {self.found()}")
        if self.token.text == "loc":
            self.read_location([each for each in (*self._before, op) if each.location == location])
        self._define_results(names, op)
        return op

    def _result_names(self) -> list[tuple[Token, int]]:
        names: list[tuple[Token, int]] = []
        while not names or self.accept(","):
            if not names and self.token.kind != "value":
                return names
            token = self.value_use()
            names.append((token, self._result_count() if self.accept(":") else 1))
        self.expect("=")
        return names

    def _result_count(self) -> int:
        start = self.token.start
        count = self.integer()
        if count < 1:
            raise self.error(f"a name stands for at least one result, found {count}", start)
        return count

    def _define_results(self, names: list[tuple[Token, int]], op: Operation) -> None:
        if len(names) == 1 and names[0][1] == len(op.results):
            self.define(names[0][0], op.results)
            return
        total = sum(count for _, count in names)
        if names and total != len(op.results):
            what = op.name if isinstance(op, UnregisteredOp) else op.opname
            raise self.error(f"'{what}' has {len(op.results)} results, {total} are named", names[0][0].start)
        position = 0
        for token, count in names:
            self.define(token, op.results[position : position + count])
            position += count

    def _custom_operation(self, token: Token, location: Location) -> Operation:
        cls = self._operation_class(token.text)
        if cls is None:
            raise self.error(f"unknown operation '{token.text}'", token.start, operation_hint(token.text))
        if not cls.has_custom_form():
            raise self.error(f"'{cls.opname}' has only the generic form \"{cls.opname}\"(...)", token.start)
        return cls.parse(self, location)

    def _operation_class(self, name: str) -> type[Operation] | None:
        return operation_class(name) or operation_class(SPELLINGS.get(name, ""))

    def _generic_operation(self) -> Operation:
        location = self.location()
        name = self.string()
        self.expect("(")
        operands = self.comma_separated(")", self.value_use)
        successors = self.comma_separated("]", self.successor) if self.accept("[") else []
        cls = operation_class(SPELLINGS.get(name, name))
        attributes = self._properties(cls) if self.accept("<") else {}
        regions = self.comma_separated(")", self.parse_region) if self._accept_region_list() else []
        attributes |= self._discardable(attributes)
        self.expect(":")
        inputs, results = self.function_type()
        values = [self.resolve(t, type) for t, type in self.zip_types(operands, inputs, location)]
        if cls is None:
            return UnregisteredOp(name, values, results, attributes, regions, location, None, successors)
        segments = attributes.pop("operandSegmentSizes", None)
        named = self.stored(cls, attributes, location)
        return cls.from_generic(
            values, results, named, regions, location, self.segment_sizes(segments, cls, len(values)), successors
        )

    def _properties(self, cls: type[Operation] | None) -> dict[str, Attribute]:
        """`{name = value}>`: only what the operation knows, since a property is never just carried along."""
        known = None if cls is None else cls.property_names()

        def check(token: Token, name: str) -> None:
            if known is not None and cls is not None and name not in known:
                words = f"its properties are {', '.join(known)}" if known else "it has none"
                hint = did_you_mean(name, known)
                raise self.error(f"'{cls.opname}' has no property '{name}': {words}", token.start, hint)

        properties = self.parse_attribute_dict(check)
        self.expect(">")
        return properties

    def _discardable(self, properties: Mapping[str, Attribute]) -> dict[str, Attribute]:
        def check(token: Token, name: str) -> None:
            if name in properties:
                raise self.error(f"attribute '{name}' is given twice, as a property, too", token.start)

        return self.parse_attribute_dict(check) if self.token.text == "{" else {}

    def stored(
        self, cls: type[Operation], attributes: Mapping[str, Attribute], location: Location
    ) -> dict[str, Attribute]:
        """A text's attributes in the forms in which operations have them."""
        slots = {slot.name: slot for slot in cls.attribute_slots}
        try:
            found = {name: stored(slots[name], v) if name in slots else v for name, v in attributes.items()}
        except OutOfRange as error:
            raise ParseError([Diagnostic(f"'{cls.opname}' op {error}", location)]) from None
        return {name: value for name, value in found.items() if value is not None}

    def _accept_region_list(self) -> bool:
        """`({..})` after the operands of the generic form."""
        if self.token.text != "(":
            return False
        self.expect("(")
        return True

    def segment_sizes(self, attribute: Attribute | None, cls: type[Operation], operands: int) -> tuple[int, ...] | None:
        """The sizes of the operand groups; None where operands can be told apart without them."""
        sizes = int_array(attribute) if attribute is not None and is_int_array(attribute) else None
        if not cls.needs_segments():
            if sizes is not None and sum(sizes) != operands:
                raise self.error(f"'{cls.opname}' has {operands} operands, operandSegmentSizes are {list(sizes)}")
            return None
        missing = len(cls.operand_groups) - len(sizes or ())
        if sizes is not None and 0 <= missing <= cls.own_groups:
            return (*sizes, *[0] * missing)
        raise self.error(f"'{cls.opname}' needs operandSegmentSizes with {len(cls.operand_groups)} entries")

    # -- regions ------------------------------------------------------------------------------------------------

    @deep
    def parse_region(self, arguments: Sequence[tuple[Token, Type]] = (), isolated: bool = False) -> Region:
        """`{ ... }`. `arguments` are those of the entry block that the operation's own syntax names."""
        begun, opening = self._begun, self.token.start
        self.expect("{")
        visible, names = self._visible, self._names
        if isolated:
            self._visible = {}
        self._names = []
        self._labels.append(_Labels())
        region = Region()
        entry = Block()
        for token, type in arguments:
            self.define(token, [entry.add_argument(type)])
        with self.nested_regions:
            if self.token.kind != "label" or arguments:
                self._fill_block(entry)
                self._add_block(region, entry)
            if self.token.kind == "label":
                self._labelled_blocks(region)
        if self.token.kind == "end":
            raise self.error("region is not closed: expected '}'", notes=self._braces.notes(opening))
        self._check_labels(self._labels.pop())
        self._braces.closed(begun, opening, self.token.start)
        self.expect("}")
        for name in self._names:
            del self._visible[name]
        self._visible, self._names = visible, names
        return region

    def _check_labels(self, labels: _Labels) -> None:
        """Every block that something branches to is there."""
        for name, token in labels.asked.items():
            if name not in labels.defined:
                raise self.error(f"there is no block '{name}' in this region", token.start)

    def successor(self) -> Block:
        """`^bb1`: a block of the region, perhaps one that is still to come."""
        token = self.expect_kind("label", "a block")
        self._labels[-1].asked.setdefault(token.text, token)
        return self._labels[-1].blocks.setdefault(token.text, Block())

    @staticmethod
    def _add_block(region: Region, block: Block) -> None:
        block.parent = region
        region.blocks.append(block)

    def _labelled_blocks(self, region: Region) -> None:
        """All that are left of a region, in an order in which values are known before they are used."""
        start = self.token.start
        if start not in self._blocks:
            self._blocks |= blocks_in(self)
        found = self._blocks.get(start, [LabelledBlock(self.token.text, start)])
        known = self._labels[-1].blocks
        ways = [name for name, block in known.items() if region.blocks and block in _goes_to(region.blocks[0])]
        made, end = dict[int, Block](), start
        for labelled in in_order_of_ways(found, ways or [found[0].label]):
            self.rewind(labelled.start)
            made[labelled.start] = self._labelled_block()
            end = max(end, self.token.start)
        self.rewind(end)
        for at in sorted(made):
            self._add_block(region, made[at])
        while self.token.kind == "label":
            self._add_block(region, self._labelled_block())

    def _labelled_block(self) -> Block:
        label = self.advance()
        labels = self._labels[-1]
        if label.text in labels.defined:
            raise self.error(f"redefinition of block '{label.text}'", label.start)
        labels.defined.add(label.text)
        block = labels.blocks.setdefault(label.text, Block())
        if self.accept("("):
            for token, type in self.comma_separated(")", self.typed_argument):
                self.define(token, [block.add_argument(type)])
        self.expect(":")
        self._fill_block(block)
        return block

    def _fill_block(self, block: Block) -> None:
        while self.token.text != "}" and self.token.kind not in ("label", "end"):
            self._append_to(block)

    def _append_to(self, block: Block) -> None:
        """Reads an operation, behind what it puts in front of itself."""
        around, self._before = self._before, []
        op = self.parse_operation()
        for each in (*self._before, op):
            block.append(each)
        self._before = around

    def put_before(self, op: Operation) -> Operation:
        """Lets an operation stand in front of the one that is read."""
        self._before.append(op)
        return op

    def typed_argument(self) -> tuple[Token, Type]:
        """`%name: type`."""
        token = self.expect_kind("value", "an argument name")
        self.expect(":")
        type = self.parse_type()
        self.read_location()
        return token, type

    # -- values -------------------------------------------------------------------------------------------------

    def define(self, token: Token, values: list[Value]) -> None:
        name = token.text
        if "#" in name:
            raise self.error(f"'{name}' names one result of several: it cannot be defined", token.start)
        if name in self._visible:
            raise self.error(f"redefinition of value '{name}'", token.start)
        hint = name[1:]
        for value in values:
            value.hint = hint
        self._visible[name] = values
        self._names.append(name)

    def value_use(self) -> Token:
        return self.expect_kind("value", "a value")

    def lookup(self, token: Token) -> Value:
        """The value a use names; `%a#1` is the second result of `%a`."""
        values = self._visible.get(token.text)
        if values:
            return values[0]
        name, _, number = token.text.partition("#")
        values = self._visible.get(name)
        if values is None:
            raise self.error(f"use of undefined value '{name}'", token.start, did_you_mean(name, list(self._visible)))
        if int(number or 0) >= len(values):
            raise self.error(f"'{name}' has {len(values)} results, no number {number or 0}", token.start)
        return values[int(number or 0)]

    def resolve(self, token: Token, type: Type) -> Value:
        """The value, which must have `type`."""
        value = self.lookup(token)
        if value.type is not type and value.type != type:
            message = f"'{token.text}' has type {value.type}, but {type} is written here"
            raise self.error(message, token.start)
        return value

    def operand(self) -> Value:
        """A value use of whatever type it has."""
        return self.lookup(self.value_use())

    def operand_list(self, close: str) -> list[Value]:
        return self.comma_separated(close, self.operand)

    def zip_types(self, tokens: Sequence[Token], types: Sequence[Type], location: Location) -> list[tuple[Token, Type]]:
        if len(tokens) != len(types):
            raise ParseError([Diagnostic(f"{len(tokens)} operands, but {len(types)} operand types", location)])
        return list(zip(tokens, types, strict=True))

    def dynamic_index_list(self, close: str) -> tuple[list[Value], list[int | None]]:
        """`%a, 4, %b`: the values, and the static numbers with None where a value stands."""
        values: list[Value] = []

        def item() -> int | None:
            if self.token.kind == "value":
                values.append(self.operand())
                return None
            return self.integer()

        return values, self.comma_separated(close, item)

    def optional_attribute_dict(self, given: Collection[str] = ()) -> dict[str, Attribute]:
        """A dictionary, if one comes. Raises ParseError for a name of those that words before it have `given`, or words
        behind it give."""
        return self._dict_beside(given) if self.token.text == "{" else {}

    def optional_attributes_keyword(self, given: Collection[str] = ()) -> dict[str, Attribute]:
        """`attributes {...}`, which is like such a dictionary."""
        return self._dict_beside(given) if self.accept("attributes") else {}

    def _dict_beside(self, given: Collection[str]) -> dict[str, Attribute]:
        def check(token: Token, name: str) -> None:
            if name in given:
                raise self.error(f"attribute '{name}' is given twice", token.start)

        return self.parse_attribute_dict(check)

    def unit_keyword(self, attributes: dict[str, Attribute], name: str) -> None:
        """Sets a unit attribute when its keyword is there."""
        if self.accept(name):
            attributes[name] = UnitAttr()


def _goes_to(block: Block) -> tuple[Block, ...]:
    return block.operations[-1].successors if block.operations else ()
