"""lanewise: layouts of the layout stage besides iree_vector_ext's."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ..attributes import DIALECT_ATTRIBUTES
from ..types import Attribute

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


@dataclass(frozen=True, slots=True)
class InMemoryAttr(Attribute):
    """`<[64, 128]>`: a vector of this shape that no thread holds, since an instruction reads it in shared memory."""

    shape: tuple[int, ...]

    mnemonic: ClassVar[str] = "lanewise.in_memory"

    @classmethod
    def parse(cls, parser: AttributeParser) -> InMemoryAttr:
        start = parser.token.start
        parser.expect("<")
        shape = tuple(parser.integer_list())
        parser.expect(">")
        if min(shape, default=1) < 1:
            raise parser.error(f"a shape has positive extents, found {list(shape)}", start)
        return cls(shape)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{list(self.shape)}>"


DIALECT_ATTRIBUTES[InMemoryAttr.mnemonic] = InMemoryAttr.parse
