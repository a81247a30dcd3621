"""AMD's products of block-scaled elements (v_mfma_scale): operations choose them, the compiler does not.

Every 32 elements along K have a scale f8E8M0FNU, one for each row of A and one for each column of B; an element counts
as itself times its scale. K is counted as the instruction does: of elements of a byte a lane has 16 that follow each
other in either half of K, of shorter ones 32 (`amd_fragments.py`). Triton's `chooseScaledMfmaScaleLayout` has the
scales in the same lanes.
"""

from __future__ import annotations

import functools
import itertools

from ..support.dataclasses import dataclass
from ..support.late import LateRows, LateTable
from . import amd_fragments
from .chip import Chip
from .fragment import Fragment
from .matrix_instruction import ELEMENT_BITS, MatrixInstruction, Operand, Registers
from .mfma import F8F6F4_FORMAT, MFMA

FEATURE = "mfma.f8f6f4"
SCALE_TYPE = "f8E8M0FNU"
REGISTER_BYTES = amd_fragments.SCALE_BYTES
BLOCK = amd_fragments.SCALE_BLOCK
_LANES, _HELD = amd_fragments.WAVE, 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledMfma(MatrixInstruction):
    """Arguments of `llvm_name`: A, B, C, the formats of A and B, then byte and register of A's scales and of B's."""

    @property
    def blocks_of_k(self) -> int:
        """Scales along K."""
        return self.shape[2] // BLOCK

    def scale_lane(self, position: int, block: int) -> int:
        """The lane whose chosen byte is the scale of a row of A or a column of B, and a block of K."""
        (lane,) = amd_fragments.scales(self.shape[0])(position, block)
        return int(lane)


@functools.cache
def scaled_mfma(chip: Chip) -> tuple[ScaledMfma, ...]:
    """Those that a chip has; empty for chips without."""
    allowed = chip.scaled_shapes
    there = tuple(MFMA_SCALED) if chip.supports(FEATURE) else ()
    return tuple(form for form in there if allowed is None or form.shape in allowed)


def _passed(fragment: Fragment, type: str) -> Operand:
    return Operand.of(fragment, Registers(_carrier(type), 1, fragment.elements))


def _carrier(type: str) -> str:
    return f"<{_words(type)} x i32>"


def _words(type: str) -> int:
    return _HELD * ELEMENT_BITS[type] // 32


def _row(size: int, k: int, a: str, b: str) -> ScaledMfma:
    dimensions = f"{size}x{size}x{k}"
    formats = tuple(f"i32 {F8F6F4_FORMAT[type]}" for type in (a, b))
    return ScaledMfma(
        name=f"mfma.scale.f32.{dimensions}.{a}.{b}",
        iree_name="",
        family="mfma.scale",
        shape=(size, size, k),
        a_type=a,
        b_type=b,
        c_type="f32",
        a=_passed(amd_fragments.f8f6f4_a(size, ELEMENT_BITS[a]), a),
        b=_passed(amd_fragments.f8f6f4_a(size, ELEMENT_BITS[b]).transposed, b),
        c=_SUMS[size, k],
        requires=FEATURE,
        subgroup_size=_LANES,
        llvm_name=f"llvm.amdgcn.mfma.scale.f32.{dimensions}.f8f6f4.v{_words(a)}i32.v{_words(b)}i32",
        arguments=("a", "b", "c", *formats),
    )


_SUMS = LateTable(lambda: {(i.shape[0], i.shape[2]): i.c for i in MFMA if i.requires == FEATURE})
MFMA_SCALED = LateRows(
    lambda: (_row(size, k, a, b) for size, k in _SUMS for a, b in itertools.product(F8F6F4_FORMAT, F8F6F4_FORMAT))
)


def find(shape: tuple[int, int, int], a_type: str, b_type: str) -> ScaledMfma | None:
    """The form of that shape and those elements, whatever chip has it."""
    return _BY_TYPES.get((shape, a_type, b_type))


_BY_TYPES = LateTable(lambda: {(i.shape, i.a_type, i.b_type): i for i in MFMA_SCALED})
