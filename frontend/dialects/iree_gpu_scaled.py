"""iree_gpu: matrix instructions whose operands have scales, of gfx950. What lanes hold of one is multiplied
(`frontend/scaled_tiles.py`); no code is made for whole tiles, nor for data-tiled ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from ...ir.dialects.struct_attr import FLAG, NUMBER, NUMBERS, Slot, StructAttr
from ...ir.types import F32, Type
from ...support.dataclasses import dataclass
from ...targets.mfma_scaled import ScaledMfma, find

if TYPE_CHECKING:
    from ...ir.attribute_parser import AttributeParser

_INTRINSICS = {"MFMA_SCALE_F32_16x16x128_B32": (16, 16, 128), "MFMA_SCALE_F32_32x32x64_B32": (32, 32, 64)}
"""Upstream's words (IREE 3.13): 32 neighbours along K share a scale. (m, n, k)."""


def _intrinsic(parser: AttributeParser) -> str:
    return parser.keyword(tuple(_INTRINSICS))


def _type(parser: AttributeParser) -> Type:
    return parser.parse_type()


_TYPE = Slot(_type, str)
_OF_ALL: Mapping[str, Slot] = {
    "intrinsic": Slot(_intrinsic, str),
    "lhs_elem_type": _TYPE,
    "rhs_elem_type": _TYPE,
    "acc_elem_type": _TYPE,
}


@dataclass(frozen=True, slots=True)
class ScaledMMALayoutAttr(StructAttr):
    """An instruction on short floats, one scale for each 32 along K."""

    intrinsic: str
    lhs_elem_type: Type
    rhs_elem_type: Type
    acc_elem_type: Type
    col_major: bool = False

    mnemonic: ClassVar[str] = "iree_gpu.scaled_mma_layout"
    slots: ClassVar[Mapping[str, Slot]] = {**_OF_ALL, "col_major": FLAG}

    @property
    def shape(self) -> tuple[int, int, int]:
        """(m, n, k)."""
        return _INTRINSICS[self.intrinsic]

    @property
    def form(self) -> ScaledMfma | None:
        """The instruction, with the operands as it takes them; None where there is none of these types."""
        a, b = str(self.lhs_elem_type), str(self.rhs_elem_type)
        if self.col_major:
            a, b = b, a
        return find(self.shape, a, b) if self.acc_elem_type == F32 else None


@dataclass(frozen=True, slots=True)
class DataTiledScaledMMALayoutAttr(StructAttr):
    """A scaled product, repeated by each subgroup and over subgroups, on operands whose memory is tiled for it.
    Operands 2 and 3 are the scales."""

    intrinsic: str
    lhs_elem_type: Type
    rhs_elem_type: Type
    acc_elem_type: Type
    intrinsics_m: int = 1
    subgroups_m: int = 1
    intrinsics_n: int = 1
    subgroups_n: int = 1
    intrinsics_k: int = 1
    subgroups_k: int = 1
    operands_interleaving_intrinsics_m: tuple[int, ...] = ()
    operands_interleaving_intrinsics_n: tuple[int, ...] = ()
    operands_interleaving_intrinsics_k: tuple[int, ...] = ()

    mnemonic: ClassVar[str] = "iree_gpu.data_tiled_scaled_mma_layout"
    slots: ClassVar[Mapping[str, Slot]] = {
        **_OF_ALL,
        **dict.fromkeys([f"{level}_{axis}" for axis in "mnk" for level in ("intrinsics", "subgroups")], NUMBER),
        **dict.fromkeys([f"operands_interleaving_intrinsics_{axis}" for axis in "mnk"], NUMBERS),
    }


SCALED_KINDS = (ScaledMMALayoutAttr, DataTiledScaledMMALayoutAttr)
for _struct in SCALED_KINDS:
    _struct.register()
