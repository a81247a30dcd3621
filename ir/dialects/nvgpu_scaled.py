"""nvgpu: products of block-scaled elements (mma with .block_scale), of which every block along K has a scale."""

from __future__ import annotations

from ...support.diagnostics import Report
from ...targets import mma_scaled
from ..attributes import IntegerAttr
from ..define import int_attribute, operand, vectors
from ..types import F32, I32, Type, bit_width
from .nvgpu import SubgroupProduct

is_scales = vectors(
    f"{mma_scaled.REGISTER_BYTES} scales of type {' or '.join(mma_scaled.SCALES)}",
    lambda t: t.shape == (mma_scaled.REGISTER_BYTES,) and str(t.element) in mma_scaled.SCALES,
)
_ZERO = IntegerAttr(0, I32)
_ELEMENTS = ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
_PACKED_DEPTH = 64
"""With so many products a sum, elements are f4E2M1FN without room between."""


class MmaBlockScaleSyncOp(SubgroupProduct, opname="nvgpu.mma.block_scale.sync"):
    """`(matrixA * scaleA) * (matrixB * scaleB) + matrixC` of one subgroup; `mmaShape` is [m, n, k].

    Every 32 elements along K have a scale f8E8M0FNU, or every 16 a positive f8E4M3FN: one for each row of A, one for
    each column of B. Of the four scales of a lane's register those from byte `byteIdA` (`byteIdB`) on are meant;
    `threadIdA` says whether of every four lanes the first two or the last two have those of A, `threadIdB` which one
    has those of B (PTX ISA, "Block Scaling for mma.sync").
    """

    scaleA = operand(is_scales)
    scaleB = operand(is_scales)
    byteIdA = int_attribute(_ZERO, I32)
    threadIdA = int_attribute(_ZERO, I32)
    byteIdB = int_attribute(_ZERO, I32)
    threadIdB = int_attribute(_ZERO, I32)
    same_type = ("matrixC", "res")
    assembly = (
        "`` `(` $matrixA `,` $matrixB `,` $matrixC `)` `scales` `` `(` $scaleA `,` $scaleB `)` attr-dict"
        " `:` `(` type($matrixA) `,` type($matrixB) `,` type($matrixC) `)` `,` type($scaleA) `,` type($scaleB)"
        " `->` type($res)"
    )

    @property
    def form(self) -> mma_scaled.ScaledMma | None:
        """The instruction; None where there is none."""
        a, b, scale = (str(v.type.element) for v in (self.matrixA, self.matrixB, self.scaleA))
        return mma_scaled.find(self.shape, a, b, scale)

    def verify_elements(self, report: Report) -> None:
        if self.scaleA.type != self.scaleB.type:
            self.error(report, f"scaleB must be {self.scaleA.type} as scaleA, found {self.scaleB.type}")
        self._check_elements(report)
        self._check_selectors(report)

    def bits_of_operand(self, element: Type) -> int:
        return bit_width(element) if self.shape[2] == _PACKED_DEPTH else max(8, bit_width(element))

    def _check_elements(self, report: Report) -> None:
        for name, value in (("matrixA", self.matrixA), ("matrixB", self.matrixB)):
            if str(value.type.element) not in _ELEMENTS:
                words = ", ".join(_ELEMENTS)
                self.error(report, f"{name} must have elements of type {words}, found {value.type.element}")
        if self.matrixC.type.element != F32:
            self.error(report, f"matrixC must have elements of type f32, found {self.matrixC.type.element}")

    def _check_selectors(self, report: Report) -> None:
        form = self.form
        step = 1 if form is None else form.blocks_of_k
        bytes = range(0, mma_scaled.REGISTER_BYTES, step)
        allowed = (
            ("byteIdA", self.byteIdA, bytes),
            ("byteIdB", self.byteIdB, bytes),
            ("threadIdA", self.threadIdA, range(mma_scaled.LANES_OF_A)),
            ("threadIdB", self.threadIdB, range(mma_scaled.LANES_OF_B)),
        )
        for name, found, values in allowed:
            if found not in values:
                words = " or ".join(map(str, values))
                self.error(report, f"{name} must be {words}, found {found}")
