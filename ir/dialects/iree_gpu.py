"""iree_gpu: attributes that name matrix instructions. `targets` has the instructions themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple
from ...targets.instructions import names_of_all
from ..attributes import DIALECT_ATTRIBUTES
from ..did_you_mean import did_you_mean
from ..types import Attribute
from .iree_intrinsics import INTRINSICS
from .struct_attr import FLAG, NUMBER, NUMBERS, Slot, StructAttr

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


def _known() -> frozenset[str]:
    """Upstream's words of today, and those that the tables have: ours, and former ones."""
    return INTRINSICS.union(names_of_all())


def instruction_name(parser: AttributeParser) -> str:
    """The name of a matrix instruction. Raises ParseError for one that nobody knows."""
    start = parser.token.start
    name = parser.expect_kind("word", "the name of a matrix instruction").text
    if name not in _known():
        hint = did_you_mean(
            name, sorted(_known()), otherwise="`lanewise targets --matrix --target CHIP` has a chip's names"
        )
        raise parser.error(f"{name} is no matrix instruction", start, hint)
    return name


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
        name = instruction_name(parser)
        col_major = _col_major(parser)
        parser.expect(">")
        return cls(name, col_major)

    @property
    def body(self) -> str:
        return f"<{self.name}{', col_major = true' if self.col_major else ''}>"

    @property
    def is_upstreams(self) -> bool:
        """Whether upstream's attribute of today has the word."""
        return self.name in INTRINSICS

    def __str__(self) -> str:
        return f"#{self.mnemonic if self.is_upstreams else _OWN_MNEMONIC}{self.body}"


def _col_major(parser: AttributeParser) -> bool:
    if not parser.accept(","):
        return False
    parser.expect("col_major")
    parser.expect("=")
    return parser.keyword(("true", "false")) == "true"


@dataclass(frozen=True, slots=True)
class MMAIntrinsicAttr(Attribute):
    """A matrix instruction by name alone."""

    name: str

    mnemonic: ClassVar[str] = "iree_gpu.mma_intrinsic"

    @classmethod
    def parse(cls, parser: AttributeParser) -> MMAIntrinsicAttr:
        parser.expect("<")
        name = instruction_name(parser)
        parser.expect(">")
        return cls(name)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.name}>"


# -- several instructions as one ------------------------------------------------------------------------------------


class Virtual(NamedTuple):
    """`times` executions of `instruction` along K, whose operands have K in runs of `outer` times `element`
    neighbours of each thread, all in one vector."""

    instruction: str
    times: int
    outer: int
    element: int


VIRTUAL: Mapping[str, Virtual | None] = {
    "VMFMA_F32_16x16x32_F16": Virtual("MFMA_F32_16x16x16_F16", 2, 1, 8),
    "VMFMA_F32_32x32x16_F16": Virtual("MFMA_F32_32x32x8_F16", 2, 1, 8),
    "VMFMA_F32_16x16x32_F8E4M3FNUZ": Virtual("MFMA_F32_16x16x32_F8E4M3FNUZ", 1, 2, 4),
    "VMFMA_F32_32x32x16_F8E4M3FNUZ": Virtual("MFMA_F32_32x32x16_F8E4M3FNUZ", 1, 2, 4),
    **dict.fromkeys(
        [
            "VDMFMA_F32_8x16x64x2_F16",
            "VDMFMA_F32_8x16x64x2_BF16",
            "VDMFMA_I32_8x16x128x2_I8",
            "VDMFMA_F32_8x16x128x2_F8E5M2FNUZ",
            "VDMFMA_F32_8x16x128x2_F8E5M2FNUZ_F8E4M3FNUZ",
            "VDMFMA_F32_8x16x128x2_F8E4M3FNUZ_F8E5M2FNUZ",
            "VDMFMA_F32_8x16x128x2_F8E4M3FNUZ",
            "VDMFMA_F32_8x16x64x1_F16",
            "VDMFMA_F32_8x16x64x1_BF16",
            "VDMFMA_I32_8x16x128x1_I8",
            "VDMFMA_F32_8x16x128x1_F8E5M2",
            "VDMFMA_F32_8x16x128x1_F8E5M2_F8E4M3FN",
            "VDMFMA_F32_8x16x128x1_F8E4M3FN_F8E5M2",
            "VDMFMA_F32_8x16x128x1_F8E4M3FN",
        ]
    ),
}
"""Upstream's words (IREE 3.13); None for those made of sparse instructions, which only stand in programs.

Fragments: IREE's documentation of VirtualMMAIntrinsic; the 8-bit ones have K as a 16-bit accumulator's rows would have
it, so that one product can follow another.
"""


@dataclass(frozen=True, slots=True)
class VirtualMMALayoutAttr(Attribute):
    """Several matrix instructions as one of a longer K, or one with another order of K: a word of `VIRTUAL`."""

    name: str
    col_major: bool = False

    mnemonic: ClassVar[str] = "iree_gpu.virtual_mma_layout"

    @classmethod
    def parse(cls, parser: AttributeParser) -> VirtualMMALayoutAttr:
        parser.expect("<")
        start = parser.token.start
        name = parser.expect_kind("word", "the name of a virtual matrix instruction").text
        if name not in VIRTUAL:
            hint = did_you_mean(name, VIRTUAL, otherwise=f"there is {', '.join(VIRTUAL)}")
            raise parser.error(f"{name} is no virtual matrix instruction", start, hint)
        col_major = _col_major(parser)
        parser.expect(">")
        return cls(name, col_major)

    @property
    def is_of(self) -> Virtual | None:
        return VIRTUAL[self.name]

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.name}{', col_major = true' if self.col_major else ''}>"


@dataclass(frozen=True, slots=True)
class DataTiledMMALayoutAttr(StructAttr):
    """A matrix instruction repeated by each subgroup and over subgroups, on operands whose memory is tiled for it."""

    intrinsic: str
    intrinsics_m: int = 1
    subgroups_m: int = 1
    intrinsics_n: int = 1
    subgroups_n: int = 1
    intrinsics_k: int = 1
    subgroups_k: int = 1
    operands_interleaving_intrinsics_m: tuple[int, ...] = ()
    operands_interleaving_intrinsics_n: tuple[int, ...] = ()
    operands_interleaving_intrinsics_k: tuple[int, ...] = ()

    mnemonic: ClassVar[str] = "iree_gpu.data_tiled_mma_layout"
    slots: ClassVar[Mapping[str, Slot]] = {
        "intrinsic": Slot(instruction_name, str),
        **dict.fromkeys(
            ["intrinsics_m", "subgroups_m", "intrinsics_n", "subgroups_n", "intrinsics_k", "subgroups_k"], NUMBER
        ),
        **dict.fromkeys([f"operands_interleaving_intrinsics_{axis}" for axis in "mnk"], NUMBERS),
    }

    def flaw(self) -> str:
        for name, slot in self.slots.items():
            value = getattr(self, name)
            if slot is NUMBER and value < 1:
                return f"{name} must be positive, found {value}"
            if slot is NUMBERS and not set(value) <= {0, 1, 2}:
                return f"{name} names operands 0 (lhs), 1 (rhs) and 2 (acc), found {list(value)}"
        return ""


@dataclass(frozen=True, slots=True)
class MMASemanticsAttr(StructAttr):
    """Whose the tiles of `iree_codegen.inner_tiled` are: a lane's (`distributed`), or the whole subgroup's; `opaque`:
    only their number of elements is known, else they have their kind's extents. Tiles are taken in their kind's order
    either way."""

    distributed: bool
    opaque: bool

    mnemonic: ClassVar[str] = "iree_gpu.mma_semantics"
    slots: ClassVar[Mapping[str, Slot]] = {"distributed": FLAG, "opaque": FLAG}


_OWN_MNEMONIC = "lanewise.mma_layout"
"""For instructions that upstream's attribute has no word for."""
DIALECT_ATTRIBUTES[_OWN_MNEMONIC] = MMALayoutAttr.parse
for _attribute in (MMALayoutAttr, MMAIntrinsicAttr, VirtualMMALayoutAttr):
    DIALECT_ATTRIBUTES[_attribute.mnemonic] = _attribute.parse
for _struct in (DataTiledMMALayoutAttr, MMASemanticsAttr):
    _struct.register()
