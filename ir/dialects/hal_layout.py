"""hal: what a launch binds, as `hal.interface` operations name it. Form and rules are upstream's (IREE 3.13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ..attributes import DIALECT_ATTRIBUTES
from ..types import Attribute
from .struct_attr import bare_or_named

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser

FLAGS = {"None": 0, "ReadOnly": 1, "Indirect": 2}
READ_ONLY = FLAGS["ReadOnly"]
_LAYOUT_FLAGS = {"None": 0, "Indirect": 1}
_BUFFERS = ("uniform_buffer", "storage_buffer")


def parse_flags(parser: AttributeParser, known: dict[str, int] = FLAGS) -> int:
    """`ReadOnly`, or several in quotes: `"ReadOnly|Indirect"`; None beside others says nothing."""
    start = parser.token.start
    text = parser.string() if parser.token.kind == "string" else parser.keyword()
    words = text.split("|")
    unknown = [word for word in words if word not in known]
    if unknown:
        raise parser.error(f"expected flags of {', '.join(known)}, found '{unknown[0]}'", start)
    return sum(known[word] for word in set(words))


def flags_text(number: int, known: dict[str, int] = FLAGS) -> str:
    words = [word for word, bit in known.items() if number & bit] or ["None"]
    return words[0] if len(words) == 1 else f'"{"|".join(words)}"'


@dataclass(frozen=True, slots=True)
class PipelineBindingAttr(Attribute):
    """`<storage_buffer, ReadOnly>`: a buffer of a launch, and how the kernel may use it."""

    buffer: str
    flags: int = 0

    mnemonic: ClassVar[str] = "hal.pipeline.binding"

    @classmethod
    def parse(cls, parser: AttributeParser) -> PipelineBindingAttr:
        parser.expect("<")
        buffer = parser.keyword(_BUFFERS)
        flags = parse_flags(parser) if parser.accept(",") else 0
        parser.expect(">")
        return cls(buffer, flags)

    @property
    def is_read_only(self) -> bool:
        return self.buffer == "uniform_buffer" or bool(self.flags & READ_ONLY)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.buffer}{f', {flags_text(self.flags)}' if self.flags else ''}>"


@dataclass(frozen=True, slots=True)
class PipelineLayoutAttr(Attribute):
    """`<constants = 1, bindings = [..], flags = Indirect>`: how many numbers a launch passes, and its buffers. `flags`
    are about where the launch has the buffers from, which is nothing to a kernel."""

    bindings: Sequence[PipelineBindingAttr]
    constants: int = 0
    flags: int = 0

    mnemonic: ClassVar[str] = "hal.pipeline.layout"

    @classmethod
    def parse(cls, parser: AttributeParser) -> PipelineLayoutAttr:
        parser.expect("<")
        constants = flags = 0
        if parser.accept("constants"):
            parser.expect("=")
            start = parser.token.start
            constants = parser.integer()
            if constants < 0:
                raise parser.error(f"constants must not be negative, found {constants}", start)
            parser.expect(",")
        parser.expect("bindings")
        parser.expect("=")
        parser.expect("[")
        bindings = parser.comma_separated("]", lambda: _binding(parser))
        if parser.accept(","):
            parser.expect("flags")
            parser.expect("=")
            flags = parse_flags(parser, _LAYOUT_FLAGS)
        parser.expect(">")
        return cls(tuple(bindings), constants, flags)

    def __str__(self) -> str:
        front = f"constants = {self.constants}, " if self.constants else ""
        back = f", flags = {flags_text(self.flags, _LAYOUT_FLAGS)}" if self.flags else ""
        return f"#{self.mnemonic}<{front}bindings = [{', '.join(map(str, self.bindings))}]{back}>"


def _binding(parser: AttributeParser) -> PipelineBindingAttr:
    return bare_or_named(parser, PipelineBindingAttr, PipelineBindingAttr.parse)


def parse_layout(parser: AttributeParser) -> PipelineLayoutAttr:
    """With its mnemonic, under an alias, or `<..>` alone."""
    return bare_or_named(parser, PipelineLayoutAttr, PipelineLayoutAttr.parse)


for _attribute in (PipelineBindingAttr, PipelineLayoutAttr):
    DIALECT_ATTRIBUTES[_attribute.mnemonic] = _attribute.parse
