"""Attributes written as `<name = value, ...>`, every name once and in any order; printed in their slots' order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple
from ..attributes import DIALECT_ATTRIBUTES, DictAttr, quote
from ..keyed import equated
from ..types import Attribute

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


class Slot(NamedTuple):
    """How a field is read and written."""

    read: Callable[[AttributeParser], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class StructAttr(Attribute):
    """A subclass is a dataclass whose fields have slots of the same names; one that has its default is not printed."""

    mnemonic: ClassVar[str] = ""
    slots: ClassVar[Mapping[str, Slot]] = {}

    @classmethod
    def register(cls) -> None:
        DIALECT_ATTRIBUTES[cls.mnemonic] = cls.parse

    @classmethod
    def parse(cls, parser: AttributeParser) -> Self:
        """Raises ParseError for names that are none, or given twice, or missing, and for what `flaw` finds."""
        start = parser.token.start
        values: dict[str, Any] = equated(parser, cls.slots, lambda name: cls.slots[name].read(parser))
        missing = [f.name for f in fields(cls) if f.name not in values and f.default is MISSING]
        if missing:
            raise parser.error(f"{cls.mnemonic} needs {', '.join(missing)}", start)
        found = cls(**values)
        if flaw := found.flaw():
            raise parser.error(f"{cls.mnemonic}: {flaw}", start)
        return found

    def flaw(self) -> str:
        """What is wrong with the values, if anything."""
        return ""

    @property
    def body(self) -> str:
        """`<name = value, ...>`, as it stands in attributes around it."""
        defaults = {f.name: f.default for f in fields(self)}
        given = {name: getattr(self, name) for name in self.slots}
        shown = [f"{n} = {self.slots[n].write(value)}" for n, value in given.items() if value != defaults[n]]
        return f"<{', '.join(shown)}>"

    def __str__(self) -> str:
        return f"#{self.mnemonic}{self.body}"


def _is_flag(parser: AttributeParser) -> bool:
    return parser.keyword(("true", "false")) == "true"


def _integers(parser: AttributeParser) -> tuple[int, ...]:
    return tuple(parser.integer_list())


def _list(values: Sequence[int]) -> str:
    return str(list(values))


def _dictionary(parser: AttributeParser) -> DictAttr:
    return DictAttr.of(parser.parse_attribute_dict())


def _text(parser: AttributeParser) -> str:
    return parser.string()


def _integer(parser: AttributeParser) -> int:
    return parser.integer()


def _attribute(parser: AttributeParser) -> Attribute:
    return parser.parse_attribute()


def _flag(value: bool) -> str:
    return "true" if value else "false"


TEXT = Slot(_text, quote)
NUMBER = Slot(_integer, str)
NUMBERS = Slot(_integers, _list)
FLAG = Slot(_is_flag, _flag)
DICTIONARY = Slot(_dictionary, str)
ATTRIBUTE = Slot(_attribute, str)


AttributeT = TypeVar("AttributeT", bound=Attribute)


def bare_or_named(parser: AttributeParser, cls: type[AttributeT], read: Callable[[AttributeParser], Any]) -> AttributeT:
    """An attribute of a known class: what `read` reads where the mnemonic is left out, or any text of it, as an alias.
    Raises ParseError for an attribute of another class."""
    start = parser.token.start
    found = parser.parse_attribute() if parser.token.kind == "hash" else read(parser)
    if not isinstance(found, cls):
        raise parser.error(f"expected an attribute of {cls.__name__.removesuffix('Attr')}, found {found}", start)
    return found


def struct(cls: type[StructAttr]) -> Slot:
    """A struct within a struct, without its mnemonic; with it, too, as texts may have an alias."""

    def read(parser: AttributeParser) -> StructAttr:
        return bare_or_named(parser, cls, cls.parse)

    def write(value: StructAttr) -> str:
        return value.body

    return Slot(read, write)
