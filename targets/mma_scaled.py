"""NVIDIA's products of block-scaled elements (mma with .block_scale): operations choose them, the compiler does not.

A has a scale for each row and block of K, B for each block of K and column; an element counts as itself times its
scale. A and B have the fragments of other products of their width: f4E2M1FN two to a byte with m16n8k64, else a byte
each. Which lane has which scale: PTX ISA, "Block Scaling for mma.sync"; CUTLASS has the same in `SFALayout` and
`SFBLayout` of `mma_traits_sm120.hpp`, for selectors of 0.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from ..support.dataclasses import dataclass
from ..support.late import LateRows, LateTable
from . import nvidia_fragments
from .chip import Chip
from .matrix_instruction import MatrixInstruction
from .mma_sync import FP8, PTX_SPELLING, SHORTER, operand_a, operand_b, operand_c

FEATURE = "mma.block_scale"
REGISTER_BYTES = nvidia_fragments.SCALE_BYTES
LANES_OF_A, LANES_OF_B = (places.sizes[-1] for places in (nvidia_fragments.SCALE_OF_A, nvidia_fragments.SCALE_OF_B))
"""So many pairs of lanes of every four may have A's scales; of B's, which are half as many, each of the four."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledMma(MatrixInstruction):
    """`blocks_of_k` is how many scales there are along K, all of them of `scale_type`."""

    scale_type: str
    blocks_of_k: int

    def scale_of_a(self, row: int, block: int, byte: int, lanes: int) -> tuple[int, int]:
        """Lane and byte of its register; `byte` and `lanes` are the selectors."""
        lane, at = nvidia_fragments.SCALE_OF_A(row, block, byte, lanes)
        return lane, at

    def scale_of_b(self, block: int, column: int, byte: int, lanes: int) -> tuple[int, int]:
        """Lane and byte of its register; `byte` and `lanes` are the selectors."""
        lane, at = nvidia_fragments.SCALE_OF_B(column, block, byte, lanes)
        return lane, at


@functools.cache
def scaled_mma(chip: Chip) -> tuple[ScaledMma, ...]:
    """Those that a chip has; empty for chips without."""
    return tuple(instruction for instruction in MMA_SCALED if chip.supports(instruction.requires))


def _row(k: int, a: str, b: str, scale: str, blocks: int, words: str) -> ScaledMma:
    as_held = ("i4", "i4") if k == _PACKED_DEPTH else (a, b)
    operand_types = a if a == b else f"{a}.{b}"
    return ScaledMma(
        name=f"mma.block_scale.m16n8k{k}.{operand_types}.f32.{scale}",
        iree_name="",
        family="mma.block_scale",
        shape=(16, 8, k),
        a_type=a,
        b_type=b,
        c_type="f32",
        a=operand_a(16, k, as_held[0]),
        b=operand_b(k, as_held[1]),
        c=operand_c(16, "f32"),
        requires=FEATURE,
        subgroup_size=32,
        llvm_name=f"llvm.nvvm.mma.block.scale.m16n8k{k}.row.col.{words}.f32.{_ptx(a)}.{_ptx(b)}.f32.{SCALES[scale]}",
        scale_type=scale,
        blocks_of_k=blocks,
    )


def _ptx(type: str) -> str:
    return PTX_SPELLING[type]


SCALES = {"f8E8M0FNU": "ue8m0", "f8E4M3FN": "ue4m3"}
"""Types of scales, and how PTX calls them: of f8E4M3FN those without a sign."""
_PACKED_DEPTH = 64


def _rows() -> Iterator[ScaledMma]:
    for a, b in itertools.product((*FP8, *SHORTER), (*FP8, *SHORTER)):
        yield _row(32, a, b, "f8E8M0FNU", 1, "mxf8f6f4.scale.1x")
    f4 = "f4E2M1FN"
    yield _row(_PACKED_DEPTH, f4, f4, "f8E8M0FNU", 2, "mxf4.scale.2x")
    yield _row(_PACKED_DEPTH, f4, f4, "f8E4M3FN", 4, "mxf4nvf4.scale.4x")


MMA_SCALED = LateRows(_rows)


def find(shape: tuple[int, int, int], a_type: str, b_type: str, scale_type: str) -> ScaledMma | None:
    """The form of that shape, those elements and scales, whatever chip has it."""
    return _BY_TYPES.get((shape, a_type, b_type, scale_type))


_BY_TYPES = LateTable(lambda: {(i.shape, i.a_type, i.b_type, i.scale_type): i for i in MMA_SCALED})
