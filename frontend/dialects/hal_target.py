"""hal: for which of IREE's backends an executable is, and what is said of its GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...ir.attributes import DIALECT_ATTRIBUTES, DictAttr, quote
from ...ir.types import Attribute
from ...support.dataclasses import dataclass

if TYPE_CHECKING:
    from ...ir.attribute_parser import AttributeParser


@dataclass(frozen=True, slots=True)
class ExecutableTargetAttr(Attribute):
    """`<"rocm", "rocm-hsaco-fb", {name = value, ...}>`, the dictionary where there is one."""

    backend: str
    format: str
    configuration: DictAttr

    mnemonic: ClassVar[str] = "hal.executable.target"

    @classmethod
    def parse(cls, parser: AttributeParser) -> ExecutableTargetAttr:
        parser.expect("<")
        backend = parser.string()
        parser.expect(",")
        format = parser.string()
        entries = parser.parse_attribute_dict() if parser.accept(",") else {}
        parser.expect(">")
        return cls(backend, format, DictAttr.of(entries))

    def __str__(self) -> str:
        tail = f", {self.configuration}" if self.configuration.entries else ""
        return f"#{self.mnemonic}<{quote(self.backend)}, {quote(self.format)}{tail}>"


DIALECT_ATTRIBUTES[ExecutableTargetAttr.mnemonic] = ExecutableTargetAttr.parse
