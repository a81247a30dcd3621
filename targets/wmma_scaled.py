"""gfx1250's products of block-scaled elements (v_wmma_scale, v_wmma_scale16): operations choose them, the compiler does
not.

Every 16 or 32 elements along K have a scale, one for each row of A and one for each column of B, in 16 lanes (of 32
rows in 32), of which the first is 0 or 16. Which types of scales go with which elements is upstream's verifier of
`amdgpu.scaled_wmma`; scales of type E5M3, which the instruction has, are no type of MLIR's.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from ..support.dataclasses import dataclass
from ..support.late import LateRows, LateTable
from . import amd_fragments
from .chip import Chip
from .fragment import DigitMap, Fragment
from .matrix_instruction import ELEMENT_BITS, MatrixInstruction, Operand, Registers
from .mfma import F8F6F4_FORMAT

FEATURE = "wmma.scale"
SCALE_FORMAT = {"f8E8M0FNU": 0, "f8E4M3FN": 2}
"""LLVM's number of each type of scales."""
_POWERS, _FLOATS = SCALE_FORMAT
SHAPES = ((16, 16, 128), (32, 16, 128))
BLOCKS = (32, 16)
SHORTEST = "f4E2M1FN"
FIRST_LANES = (0, 16)
_ACCUMULATORS = {16: "<8 x float>", 32: "<16 x float>"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledWmma(MatrixInstruction):
    """Arguments of `llvm_name`: formats of A and B before them, then C; half of the wave, format and register of A's
    scales, and of B's; hints to reuse A or B."""

    block: int
    a_scales: str
    b_scales: str

    @property
    def blocks_of_k(self) -> int:
        """Scales of a row of A, or a column of B: those of a lane."""
        return self.shape[2] // self.block

    def scales(self, side: int) -> DigitMap:
        """From (row or column, block of K) of A (0) or B (1) to (lane behind the first one, byte)."""
        return amd_fragments.wmma_scales(self.shape[side], self.block)

    def first_lanes(self, side: int) -> tuple[int, ...]:
        """Lanes at which the scales may begin."""
        return FIRST_LANES if self.shape[side] < amd_fragments.SCALED_LANES else FIRST_LANES[:1]


@functools.cache
def scaled_wmma(chip: Chip) -> tuple[ScaledWmma, ...]:
    """Those that a chip has; empty for chips without."""
    allowed = chip.scaled_shapes
    there = tuple(WMMA_SCALED) if chip.supports(FEATURE) else ()
    return tuple(form for form in there if allowed is None or form.shape in allowed)


def scale_types(a: str, b: str) -> Iterator[tuple[str, str]]:
    """Types of scales of A and B that go with their elements."""
    yield _POWERS, _POWERS
    if SHORTEST in (a, b):
        yield (_FLOATS if a == SHORTEST else _POWERS), (_FLOATS if b == SHORTEST else _POWERS)


def _passed(fragment: Fragment, type: str) -> Operand:
    words = fragment.elements * ELEMENT_BITS[type] // 32
    return Operand.of(fragment, Registers(f"<{words} x i32>", 1, fragment.elements))


def _row(shape: tuple[int, int, int], a: str, b: str, block: int, scales: tuple[str, str]) -> ScaledWmma:
    m, n, _ = shape
    a_held, b_held = (
        _passed(amd_fragments.scaled_wmma_a(m, ELEMENT_BITS[a]), a),
        _passed(amd_fragments.scaled_wmma_a(n, ELEMENT_BITS[b]).transposed, b),
    )
    accumulator = amd_fragments.scaled_wmma_accumulator(m)
    selected = m == n
    kind, dimensions = "scale16" if block == BLOCKS[1] else "scale", "x".join(map(str, shape))
    carriers = [f"v{part.removeprefix('<').partition(' ')[0]}i32" for part in _carriers(a_held, b_held)]
    formats = [(f"i32 {F8F6F4_FORMAT[type]}",) if selected else () for type in (a, b)]
    suffix = f"f8f6f4.v8f32.{'.'.join(carriers)}" if selected else "f4"
    return ScaledWmma(
        name=f"wmma.{kind}.f32.{dimensions}.{a}.{b}.{'.'.join(scales)}",
        iree_name="",
        family="wmma.scale",
        shape=shape,
        a_type=a,
        b_type=b,
        c_type="f32",
        a=a_held,
        b=b_held,
        c=Operand.of(accumulator, Registers(_ACCUMULATORS[m], 1, accumulator.elements)),
        requires=FEATURE,
        subgroup_size=amd_fragments.SCALED_LANES,
        llvm_name=f"llvm.amdgcn.wmma.{kind}.f32.{dimensions}.{suffix}",
        arguments=(*formats[0], "a", *formats[1], "b", "i16 0", "c"),
        block=block,
        a_scales=scales[0],
        b_scales=scales[1],
    )


def _carriers(*operands: Operand) -> Iterator[str]:
    return (operand.registers.llvm_type for operand in operands)


WMMA_SCALED = LateRows(
    lambda: (
        _row(shape, a, b, block, scales)
        for shape in SHAPES
        for a, b in itertools.product(F8F6F4_FORMAT, F8F6F4_FORMAT)
        if shape == SHAPES[0] or a == b == SHORTEST
        for block in BLOCKS
        for scales in scale_types(a, b)
    )
)
_BY_TYPES = LateTable(lambda: {(i.shape, i.a_type, i.b_type, i.block, i.a_scales, i.b_scales): i for i in WMMA_SCALED})


def find(shape: tuple[int, int, int], types: tuple[str, str], block: int, scales: tuple[str, str]) -> ScaledWmma | None:
    """The form of that shape and those elements and scales, whatever chip has it."""
    return _BY_TYPES.get((shape, *types, block, *scales))
