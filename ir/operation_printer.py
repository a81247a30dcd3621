"""Writes programs as MLIR text: custom form by default, generic form for upstream tools.

Value names are kept where the source gave them; the same program always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..support.deep_recursion import deep
from .attributes import BARE_NAME, ArrayAttr, DenseArrayAttr, DictAttr, IntegerAttr, UnitAttr, quote, symbol_text
from .core import Block, Operation, Region, UnregisteredOp, Value
from .location_text import location_text
from .property_forms import written
from .types import I1, I64, Attribute, FunctionType, IntegerType, Type

_NO_SPACE_BEFORE = frozenset(",)]>")
_NO_SPACE_AFTER = ("(", "[", "<", " ", "\n")


class Printer:
    """Appends text to `parts`; operations call the small words below from their `print`."""

    def __init__(self, generic: bool = False, locations: bool = False) -> None:
        """`locations`: operations are followed by where they stand."""
        self.generic, self.locations = generic, locations
        self.parts: list[str] = []
        self.indent = 0
        self._names: dict[Value, str] = {}
        self._taken: set[str] = set()
        self._number = 0
        self._suffixes: dict[str, int] = {}
        self._blocks: dict[Block, str] = {}
        self._aliases: dict[Attribute, str] = {}
        self._glued = True

    # -- words --------------------------------------------------------------------------------------------------

    def word(self, text: str) -> None:
        """`text` after a space, where the previous text wants one."""
        if not self._glued and self.parts and not self.parts[-1].endswith(_NO_SPACE_AFTER):
            self.parts.append(" ")
        self.parts.append(text)
        self._glued = False

    def literal(self, text: str) -> None:
        """A word of the syntax; the empty one glues its neighbours together."""
        if not text:
            self._glued = True
        elif text[0] in _NO_SPACE_BEFORE:
            self.raw(text)
        else:
            self.word(text)

    def raw(self, text: str) -> None:
        self.parts.append(text)
        self._glued = False

    def line(self, text: str) -> None:
        """`text` on a line of its own."""
        self.raw("\n" + "  " * self.indent + text)

    def symbol(self, name: str) -> None:
        self.word(symbol_text(name))

    def values(self, values: Sequence[Value]) -> None:
        if values:
            self.word(", ".join(self.name(v) for v in values))

    def type(self, type: Type) -> str:
        return str(type)

    def function_type(self, inputs: Sequence[Type], results: Sequence[Type]) -> str:
        return str(FunctionType(tuple(inputs), tuple(results)))

    # -- attributes ---------------------------------------------------------------------------------------------

    def attribute(self, attribute: Attribute) -> str:
        """The attribute's text, through an alias for the long kinds."""
        if isinstance(attribute, ArrayAttr):
            return f"[{', '.join(self._element(a) for a in attribute.values)}]"
        if isinstance(attribute, DictAttr):
            return "{" + ", ".join(self.entry(k, v) for k, v in attribute.entries) + "}"
        return self._alias(attribute, attribute.alias) if attribute.alias else str(attribute)

    def _element(self, attribute: Attribute) -> str:
        if isinstance(attribute, IntegerAttr) and attribute.type == I64:
            return str(attribute.value)
        return self.attribute(attribute)

    def _alias(self, attribute: Attribute, prefix: str) -> str:
        if attribute not in self._aliases:
            number = sum(a.startswith(f"#{prefix}") for a in self._aliases.values())
            self._aliases[attribute] = f"#{prefix}{number or ''}"
        return self._aliases[attribute]

    def bare_attribute(self, attribute: Attribute, number: Type = I64) -> str:
        """An attribute where the syntax already says its kind: a `number` without its type, plain lists."""
        if isinstance(attribute, IntegerAttr) and attribute.type == number != I1:
            return str(attribute.value)
        if isinstance(attribute, DenseArrayAttr) and isinstance(attribute.element, IntegerType):
            return f"[{', '.join(map(str, attribute.values))}]"
        return self.attribute(attribute)

    def entry(self, name: str, value: Attribute) -> str:
        key = name if BARE_NAME.match(name) else quote(name)
        return key if isinstance(value, UnitAttr) else f"{key} = {self.attribute(value)}"

    def attribute_dict(self, op: Operation, hidden: Collection[str] = (), keyword: str = "") -> None:
        """`{name = value, ...}` of the attributes that the syntax does not show and that differ from defaults."""
        defaults = {f.name: f.default for f in op.attribute_slots}
        shown = {k: v for k, v in op.attributes.items() if k not in hidden and defaults.get(k) != v}
        if shown:
            self.word(f"{keyword} " if keyword else "")
            self.raw("{" + ", ".join(self.entry(k, shown[k]) for k in sorted(shown)) + "}")

    # -- names --------------------------------------------------------------------------------------------------

    def has_name(self, value: Value) -> bool:
        return value in self._names

    def name(self, value: Value) -> str:
        """The text of a use of `value`."""
        if value not in self._names:  # a later block defines it
            self._defined(value.operation.results if value.operation is not None else [value])
        return self._names[value]

    def _defined(self, values: Sequence[Value]) -> str:
        """The names of an operation's results where they are defined, perhaps behind where they are used."""
        name = self._names.get(values[0])
        if name is None:
            return self.assign(values)
        return name if len(values) == 1 else f"{name.partition('#')[0]}:{len(values)}"

    def assign(self, values: Sequence[Value]) -> str:
        """Names the results of one operation together, or one block argument; returns `%name` or `%name:n`."""
        base = self._fresh(values[0].hint)
        if len(values) == 1:
            self._names[values[0]] = f"%{base}"
            return f"%{base}"
        for i, value in enumerate(values):
            self._names[value] = f"%{base}#{i}"
        return f"%{base}:{len(values)}"

    def _fresh(self, hint: str) -> str:
        if not hint or hint[0].isdigit():
            name = str(self._number)
            self._number += 1
        else:
            name = hint
            while name in self._taken:
                suffix = self._suffixes.get(hint, 0)
                self._suffixes[hint] = suffix + 1
                name = f"{hint}_{suffix}"
        self._taken.add(name)
        return name

    # -- operations ---------------------------------------------------------------------------------------------

    def operation(self, op: Operation) -> None:
        self._glued = True
        self.raw("  " * self.indent)
        self._glued = True
        if op.results:
            self.word(self._defined(op.results) + " =")
        if self.generic or isinstance(op, UnregisteredOp) or not op.has_custom_form():
            self._generic(op)
        else:
            self.word(op.opname.removeprefix("builtin."))
            op.print(self)
        if self.locations and op.location is not None:
            self._glued = False
            self.word(location_text(op.location))

    def declared_form(self, op: Operation) -> None:
        """What the operation's `assembly` declares, after its name."""
        raise AssertionError("programs are written by `printer.py`")

    def _generic(self, op: Operation) -> None:
        name = op.name if isinstance(op, UnregisteredOp) else op.opname
        self.word(f"{quote(name)}({', '.join(self.name(v) for v in op.operands)})")
        if op.successors:
            self.raw(f"[{', '.join(map(self.label, op.successors))}]")
        properties, carried = _divided(op)
        if properties:
            self.raw(f" <{self._entries(properties)}>")
        if op.regions:
            self.raw(" (")
            fields = op.region_fields
            for i, region in enumerate(op.regions):
                self.raw(", " if i else "")
                # Upstream reads `{}` as a region without blocks.
                block_needed = bool(fields) and not fields[min(i, len(fields) - 1)].optional
                self.region(region, show_arguments=True, show_empty=block_needed)
            self.raw(")")
        if carried:
            self.raw(f" {self._entries(carried)}")
        self.raw(" : " + self.function_type([v.type for v in op.operands], [v.type for v in op.results]))

    def _entries(self, attributes: Mapping[str, Attribute]) -> str:
        return "{" + ", ".join(self.entry(k, attributes[k]) for k in sorted(attributes)) + "}"

    def label(self, block: Block) -> str:
        """The name of a block of the region that is written."""
        return self._blocks[block]

    @deep
    def region(
        self,
        region: Region,
        show_arguments: bool = False,
        hide_empty_terminator: bool = False,
        show_empty: bool = False,
    ) -> None:
        """`{ ... }` over several lines; entry arguments are shown when the operation's syntax does not name them, the
        label of a block without operations with `show_empty`."""
        self.word("{")
        self._blocks.update((block, f"^bb{i}") for i, block in enumerate(region.blocks))
        for i, block in enumerate(region.blocks):
            labelled = i > 0 or (show_arguments and bool(block.arguments)) or (show_empty and not block.operations)
            self._block(block, i, labelled, hide_empty_terminator)
        self.raw("\n" + "  " * self.indent + "}")

    def _block(self, block: Block, number: int, labelled: bool, hide_empty_terminator: bool) -> None:
        if labelled:
            arguments = ", ".join(f"{self._defined([a])}: {a.type}" for a in block.arguments)
            self.raw("\n" + "  " * self.indent + f"^bb{number}" + (f"({arguments})" if arguments else "") + ":")
        self.indent += 1
        for op in block.operations:
            if hide_empty_terminator and _says_nothing(op):
                continue
            self.raw("\n")
            self.operation(op)
        self.indent -= 1

    def text(self) -> str:
        aliases = "".join(f"{alias} = {attribute}\n" for attribute, alias in self._aliases.items())
        return aliases + "".join(self.parts)


def _says_nothing(op: Operation) -> bool:
    """Whether a reader puts an operation there by itself: the end of a block that hands on and holds nothing."""
    return op.terminator and not (op.operands or op.attributes or sum(1 for _ in op.walk()) > 1)


def _divided(op: Operation) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The operation's properties, defaults and all, and the attributes that it only carries."""
    known = op.property_names()
    properties = {slot.name: slot.default for slot in op.attribute_slots if slot.default is not None}
    properties |= {name: value for name, value in op.attributes.items() if name in known}
    if op.segments is not None and "operandSegmentSizes" in known:
        shared, own = op.segments[: len(op.segments) - op.own_groups], op.segments[len(op.segments) - op.own_groups :]
        properties["operandSegmentSizes"] = DenseArrayAttr(IntegerType(32), (*shared, *own) if any(own) else shared)
    slots = {slot.name: slot for slot in op.attribute_slots}
    plain = {name: written(slots[name], value) if name in slots else value for name, value in properties.items()}
    return plain, {name: value for name, value in op.attributes.items() if name not in known}
