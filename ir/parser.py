"""Programs from text: the dialects, and the forms that operations declare, are known here."""

from __future__ import annotations

from ..support.collector import paused
from ..support.diagnostics import Location, Source
from .assembly import format_of
from .core import Operation, Region
from .dialects import builtin
from .dialects.gpu import house_kernels
from .operation_parser import Parser


class _ProgramParser(Parser):
    def declared_form(self, cls: type[Operation], location: Location) -> Operation:
        return format_of(cls).parse(self, cls, location)


def parse_program(text: str, name: str = "<string>") -> Operation:
    """Reads a program (a `builtin.module`). Raises `ParseError`; the result is not verified yet."""
    parser = _ProgramParser(Source(text, name))
    location = parser.location()
    with paused():
        block = parser.parse_all()
    if len(block.operations) == 1 and isinstance(block.operations[0], builtin.ModuleOp):
        module = block.remove(block.operations[0])
    else:
        module = builtin.ModuleOp(regions=[Region([block])], location=location)
    house_kernels(module)
    return module
