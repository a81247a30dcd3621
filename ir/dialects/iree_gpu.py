"""iree_gpu: attributes that name matrix instructions and carry the choices of a lowering.

Target attributes are kept as text by the core; `ir/targets` has the chips and instructions they name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from ..attributes import DIALECT_ATTRIBUTES, DictAttr
from ..types import Attribute
from .iree_intrinsics import INTRINSICS

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


@dataclass(frozen=True, slots=True)
class _Named(Attribute):
    """`#iree_gpu.kind<NAME>`: a name, kept as it is written."""

    name: str

    mnemonic: ClassVar[str] = ""

    @classmethod
    def parse(cls, parser: AttributeParser) -> Self:
        parser.expect("<")
        name = parser.expect_kind("word", "the name of a matrix instruction").text
        parser.expect(">")
        return cls(name)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.name}>"


@dataclass(frozen=True, slots=True)
class MMALayoutAttr(Attribute):
    """A matrix instruction with the layout of its fragments, such as `MFMA_F32_16x16x16_F16`.

    `col_major`: it is given its operands exchanged, so that its accumulator is the transposed one.
    """

    name: str
    col_major: bool = False

    mnemonic: ClassVar[str] = "iree_gpu.mma_layout"

    @classmethod
    def parse(cls, parser: AttributeParser) -> MMALayoutAttr:
        """`<NAME>` or `<NAME, col_major = true>`."""
        parser.expect("<")
        name = parser.expect_kind("word", "the name of a matrix instruction").text
        col_major = False
        if parser.accept(","):
            parser.expect("col_major")
            parser.expect("=")
            col_major = parser.keyword(("true", "false")) == "true"
        parser.expect(">")
        return cls(name, col_major)

    def __str__(self) -> str:
        mnemonic = self.mnemonic if self.name in INTRINSICS else _OWN_MNEMONIC
        return f"#{mnemonic}<{self.name}{', col_major = true' if self.col_major else ''}>"


@dataclass(frozen=True, slots=True)
class MMAIntrinsicAttr(_Named):
    """A matrix instruction by name alone."""

    mnemonic: ClassVar[str] = "iree_gpu.mma_intrinsic"


@dataclass(frozen=True, slots=True)
class PipelineAttr(_Named):
    """How a kernel is to be lowered, such as `VectorDistribute`."""

    mnemonic: ClassVar[str] = "iree_gpu.pipeline"


@dataclass(frozen=True, slots=True)
class LoweringConfigAttr(Attribute):
    """What was chosen for one operation: tile sizes, the matrix instruction, counts of subgroups."""

    entries: DictAttr

    mnemonic: ClassVar[str] = "iree_gpu.lowering_config"

    @classmethod
    def parse(cls, parser: AttributeParser) -> LoweringConfigAttr:
        """`<{name = value, ...}>`."""
        parser.expect("<")
        entries = DictAttr.of(parser.parse_attribute_dict())
        parser.expect(">")
        return cls(entries)

    def get(self, name: str) -> Attribute | None:
        return self.entries.get(name)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.entries}>"


_OWN_MNEMONIC = "lanewise.mma_layout"
"""For instructions that upstream's attribute has no word for."""
DIALECT_ATTRIBUTES[_OWN_MNEMONIC] = MMALayoutAttr.parse
for _attribute in (MMALayoutAttr, MMAIntrinsicAttr, PipelineAttr, LoweringConfigAttr):
    DIALECT_ATTRIBUTES[_attribute.mnemonic] = _attribute.parse
