"""iree_gpu: how an index differs between lanes, as `iree_codegen.index_hint` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ..attributes import DIALECT_ATTRIBUTES
from ..keyed import next_name
from ..types import Attribute

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


@dataclass(frozen=True, slots=True)
class LaneConstantAttr(Attribute):
    """An index that is the same in all lanes of a group of so many."""

    group_size: int

    mnemonic: ClassVar[str] = "iree_gpu.lane_constant"

    @classmethod
    def parse(cls, parser: AttributeParser) -> LaneConstantAttr:
        """`<16>`."""
        parser.expect("<")
        size = _group_size(parser)
        parser.expect(">")
        return cls(size)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.group_size}>"


@dataclass(frozen=True, slots=True)
class LaneIncrementAttr(Attribute):
    """`step` more from one lane to the next of a group of so many; `aligned`: the first lane's is a multiple of the
    group's size."""

    group_size: int
    step: int = 1
    aligned: bool = False

    mnemonic: ClassVar[str] = "iree_gpu.lane_increment"

    @classmethod
    def parse(cls, parser: AttributeParser) -> LaneIncrementAttr:
        """`<16, step = 2, aligned>`, each behind the size once, in any order."""
        parser.expect("<")
        size = _group_size(parser)
        found: dict[str, int] = {}
        while parser.accept(","):
            name = next_name(parser, ("step", "aligned"), found)
            found[name] = 1
            if name == "step":
                parser.expect("=")
                found[name] = parser.integer()
        parser.expect(">")
        return cls(size, found.get("step", 1), "aligned" in found)

    def __str__(self) -> str:
        step = "" if self.step == 1 else f", step = {self.step}"
        return f"#{self.mnemonic}<{self.group_size}{step}{', aligned' if self.aligned else ''}>"


def _group_size(parser: AttributeParser) -> int:
    start = parser.token.start
    size = parser.integer()
    if size < 1:
        raise parser.error(f"a group has a lane or more, found {size}", start)
    return size


for _hint in (LaneConstantAttr, LaneIncrementAttr):
    DIALECT_ATTRIBUTES[_hint.mnemonic] = _hint.parse
