"""gpu, iree_gpu, iree_codegen: the ids over which the iterations of an `scf.forall` are spread.

`x`, `y` and `z` are coordinates; `linear_dim_0` is the fastest of the digits into which the flat id is taken apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from ...support.dataclasses import dataclass
from ..attributes import DIALECT_ATTRIBUTES
from ..traits import Scope
from ..types import Attribute

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser

_COORDINATES = ("x", "y", "z")
_DIGITS = tuple(f"linear_dim_{i}" for i in range(10))


@dataclass(frozen=True, slots=True)
class MappingAttr(Attribute):
    """`#gpu.thread<x>`: `id` is one of `words`."""

    id: str

    mnemonic: ClassVar[str] = ""
    words: ClassVar[Sequence[str]] = (*_COORDINATES, *_DIGITS)
    scope: ClassVar[Scope] = "grid"
    """Whose the ids are: who gets which iterations."""
    spreads: ClassVar[bool] = True
    """Whether iterations go to different owners."""

    @classmethod
    def parse(cls, parser: AttributeParser) -> Self:
        parser.expect("<")
        start = parser.token.start
        word = parser.advance().text
        if word not in cls.words:
            raise parser.error(f"expected one of {', '.join(cls.words)}, found '{word}'", start)
        parser.expect(">")
        return cls(word)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.id}>"

    @property
    def is_linear(self) -> bool:
        """Whether it is a digit of a flat id, else a coordinate."""
        return self.id not in _COORDINATES

    @property
    def number(self) -> int:
        """The number of the coordinate, or of the digit, the fastest first."""
        return (_DIGITS if self.is_linear else _COORDINATES).index(self.id)


class BlockMappingAttr(MappingAttr):
    mnemonic = "gpu.block"
    scope = "workgroup"


class WarpgroupMappingAttr(MappingAttr):
    """Four subgroups at a time."""

    mnemonic = "gpu.warpgroup"
    scope = "thread"


class WarpMappingAttr(MappingAttr):
    mnemonic = "gpu.warp"
    scope = "subgroup"


class ThreadMappingAttr(MappingAttr):
    mnemonic = "gpu.thread"
    scope = "thread"


class LaneMappingAttr(MappingAttr):
    mnemonic = "gpu.lane"
    scope = "thread"


class LaneIdAttr(MappingAttr):
    """`#iree_gpu.lane_id<0>`: a digit of the lane's number in its subgroup."""

    mnemonic = "iree_gpu.lane_id"
    words = tuple(map(str, range(10)))
    scope = "thread"

    @property
    def number(self) -> int:
        return int(self.id)


class WorkgroupMappingAttr(MappingAttr):
    """`#iree_codegen.workgroup_mapping<x>`; `<z:1>` is a digit of the workgroup's z, the fastest of which is `<z>`."""

    mnemonic = "iree_codegen.workgroup_mapping"
    words = (*_COORDINATES, *(f"z:{i}" for i in range(10)))
    scope = "workgroup"

    @classmethod
    def parse(cls, parser: AttributeParser) -> Self:
        parser.expect("<")
        start = parser.token.start
        word = parser.advance().text
        if parser.accept(":"):
            word += f":{parser.integer()}"
        if word not in cls.words:
            raise parser.error(f"expected x, y, z or such as z:1, found '{word}'", start)
        parser.expect(">")
        return cls(word.removesuffix(":0"))

    @property
    def is_linear(self) -> bool:
        return False

    @property
    def is_digit(self) -> bool:
        """Whether it is a digit of z, which several counters share."""
        return ":" in self.id

    @property
    def number(self) -> int:
        return _COORDINATES.index(self.id[0])


class _Numbered(MappingAttr):
    """Numbers of iterations that are spread over no ids of a kernel's."""

    words = tuple(map(str, range(10)))
    spreads = False

    @property
    def is_linear(self) -> bool:
        return True

    @property
    def number(self) -> int:
        return int(self.id)


class LocalMappingAttr(_Numbered):
    """`#iree_codegen.local_mapping<0>`: one owner does all iterations, the loop of number 0 goes fastest."""

    mnemonic = "iree_codegen.local_mapping"


class SplitReductionMappingAttr(_Numbered):
    """`#iree_linalg_ext.split_reduction_mapping<0>`: workgroups beside those that a launch says do the iterations."""

    mnemonic = "iree_linalg_ext.split_reduction_mapping"


def clash(entries: Sequence[MappingAttr]) -> str:
    """What is wrong with several mappings together, if anything."""
    if len(set(entries)) < len(entries):
        twice = next(entry for i, entry in enumerate(entries) if entry in entries[:i])
        return f"maps two counters to {twice}"
    kinds = sorted({entry.mnemonic for entry in entries})
    if len(kinds) > 1:
        return f"maps to {' and '.join('#' + kind for kind in kinds)}; one loop is spread over one kind of ids"
    if len({entry.is_linear for entry in entries}) > 1:
        return "maps to coordinates and to digits of a flat id"
    return ""


for _cls in (
    BlockMappingAttr, WorkgroupMappingAttr, WarpgroupMappingAttr, WarpMappingAttr, ThreadMappingAttr, LaneMappingAttr,
    LaneIdAttr, LocalMappingAttr, SplitReductionMappingAttr,
):  # fmt: skip
    DIALECT_ATTRIBUTES[_cls.mnemonic] = _cls.parse
