"""amdgpu: a wave's matrix of short floats times scales that other lanes hold, by gfx1250's instructions for it."""

from __future__ import annotations

import numpy as np

from ...support.diagnostics import Report
from ...targets.scaled_extensions import BYTES, CHOICES, ScaleChoice
from ..define import Constraint, int_attribute, operand, result, vectors
from ..numerics import Array, to_float
from ..types import BF16, F16, F32, I32, FloatType, Type, VectorType, bit_width
from .amdgpu_packed import NIBBLE, OCP_BYTES, SCALE
from .elementwise import MaybeUndefined

_SIXES = ("f6E2M3FN", "f6E3M2FN")
_SOURCES: tuple[Type, ...] = (
    *(VectorType((8,), FloatType(name)) for name in (NIBBLE, *OCP_BYTES)),
    *(VectorType((16,), FloatType(name)) for name in _SIXES),
)
_SCALES = VectorType((BYTES,), FloatType(SCALE))
_LONG = (F32, F16, BF16)
is_short_row: Constraint[VectorType] = Constraint(
    f"eight of {NIBBLE}, {' or '.join(OCP_BYTES)}, or sixteen of {' or '.join(_SIXES)}", lambda t: t in _SOURCES
)
is_lane_scales: Constraint[VectorType] = Constraint(str(_SCALES), lambda t: t == _SCALES)
is_long_row = vectors(
    "eight or sixteen of f32, f16 or bf16",
    lambda t: t.shape in ((8,), (16,)) and t.element in _LONG,
)


class ScaledExtPackedMatrixOp(MaybeUndefined, opname="amdgpu.scaled_ext_packed_matrix"):
    """`%v scale(%s) blockSize(32) firstScaleLane(0) firstScaleByte(2) : vector<8xf4E2M1FN>, vector<4xf8E8M0FNU> ->
    vector<8xf16>`: each element times the scale of its lane, rounded once. Lane l takes a scale of lane
    `firstScaleLane + l % 16`: byte `firstScaleByte` where l < 16; the others, of elements below a byte, one further on
    (blocks of 16: two), of bytes the same one (blocks of 16: the next)."""

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    on_lane_vectors = True
    source = operand(is_short_row)
    scale = operand(is_lane_scales)
    blockSize = int_attribute(number=I32)
    firstScaleLane = int_attribute(number=I32)
    firstScaleByte = int_attribute(number=I32)
    res = result(is_long_row)
    assembly = (
        "attr-dict $source `scale` `(` $scale `)` `blockSize` `(` $blockSize `)` `firstScaleLane` `(` $firstScaleLane "
        "`)` `firstScaleByte` `(` $firstScaleByte `)` `:` type($source) `,` type($scale) `->` type($res)"
    )

    @property
    def choice(self) -> ScaleChoice:
        return CHOICES[bit_width(self.source.type.element)][self.blockSize]

    def scale_place(self, lane: Array) -> tuple[Array, Array]:
        """Lane and byte of the scale that lanes of a wave take."""
        behind, byte = self.choice.place(lane)
        return self.firstScaleLane + behind, self.firstScaleByte + byte

    def extended(self, source: Array, scale: Array) -> Array:
        """[.., element] times [..]."""
        with np.errstate(all="ignore"):
            return to_float(source.astype(np.float64) * scale.astype(np.float64)[..., None], self.res.type.element)

    @property
    def may_be_undefined(self) -> bool:
        return True

    def undefined(self, *operands: Array) -> Array:
        """What is undefined of a lane's elements and the scale that it takes: what is too large depends on a mode of
        the chip."""
        source, scale = operands
        return ~np.isfinite(self.extended(source, scale).astype(np.float64))

    def verify(self, report: Report) -> None:
        source, found = self.source.type, self.res.type
        if source.shape != found.shape:
            self.error(report, f"extends each element: {source} gives as many, found {found}")
        choices = CHOICES[bit_width(source.element)]
        if self.blockSize not in choices:
            self.error(report, f"blockSize must be {' or '.join(map(str, sorted(choices)))}, found {self.blockSize}")
            return
        start = self.firstScaleLane, self.firstScaleByte
        known = self.choice.starts
        if start not in known:
            words = ", ".join(map(str, sorted(known)))
            title = f"of {source.element} with blockSize {self.blockSize} (firstScaleLane, firstScaleByte)"
            self.error(report, f"{title} must be one of {words}, found {start}")
