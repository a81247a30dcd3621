"""Programs from text: the dialects, and the forms that operations declare, are known here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..support.collector import paused
from ..support.diagnostics import Location, Source
from .assembly import format_of
from .core import Operation, Region, Value
from .dialects import builtin
from .dialects.gpu import house_kernels
from .operation_parser import Parser
from .types import Attribute


class _ProgramParser(Parser):
    def declared_form(self, cls: type[Operation], location: Location) -> Operation:
        return format_of(cls).parse(self, cls, location)


def parse_program(text: str, name: str = "<string>", sources: Iterable[Source] = ()) -> Operation:
    """Reads a program (a `builtin.module`). Raises `ParseError`; the result is not verified yet.

    `sources` are the files that are known of those that `loc("file":1:2)` in the text names.
    """
    parser = _ProgramParser(Source(text, name))
    parser.sources = {source.name: source for source in sources}
    location = parser.location()
    with paused():
        block = parser.parse_all()
    if len(block.operations) == 1 and isinstance(block.operations[0], builtin.ModuleOp):
        module = block.remove(block.operations[0])
    else:
        module = builtin.ModuleOp(regions=[Region([block])], location=location)
    house_kernels(module)
    return module


def parse_operations(text: str, values: Mapping[str, Value], name: str = "<string>") -> list[Operation]:
    """Reads operations that use values of a program that is there already, `%name` each. They stand in no block.

    Raises `ParseError`; nothing is verified yet.
    """
    parser = _ProgramParser(Source(text, name))
    for known, value in values.items():
        parser.name_value(known, value)
    with paused():
        block = parser.parse_all()
    return [block.remove(op) for op in tuple(block.operations)]


def parse_attribute(text: str, name: str = "<string>") -> Attribute:
    """Reads one attribute. Raises `ParseError`."""
    parser = _ProgramParser(Source(text, name))
    found = parser.parse_attribute()
    if parser.token.kind != "end":
        raise parser.error("the end is expected behind the attribute")
    return found
