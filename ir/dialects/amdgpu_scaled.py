"""amdgpu: products of block-scaled elements (v_mfma_scale, v_wmma_scale): every 32 or 16 along K have a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...support.diagnostics import Report
from ...support.late import LateRows
from ...targets import mfma_scaled, wmma_scaled
from ..core import Operation, Value
from ..define import Constraint, int_attribute, is_row, operand, result, vectors
from ..types import F32, I32, Attribute, FloatType, Type, VectorType
from .amdgpu import Shape

_SCALE = FloatType(mfma_scaled.SCALE_TYPE)
_SCALES = VectorType((mfma_scaled.REGISTER_BYTES,), _SCALE)
is_scales: Constraint[FloatType | VectorType] = Constraint(f"{_SCALE} or {_SCALES}", lambda t: t in (_SCALE, _SCALES))
is_wave_scales = vectors(
    "four or eight scales of type f8E8M0FNU or f8E4M3FN",
    lambda t: t.shape in ((4,), (8,)) and str(t.element) in wmma_scaled.SCALE_FORMAT,
)
_TYPES = LateRows(lambda: dict.fromkeys(i.a_type for i in mfma_scaled.MFMA_SCALED))
_SHAPES = LateRows(lambda: dict.fromkeys(i.shape for i in mfma_scaled.MFMA_SCALED))


class ScaledMatrixOp(Operation):
    """What they have in common: operands sourceA, sourceB, destC, and the scales of A and of B, each the lane's part in
    register order, of one subgroup."""

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    multiplies_fragments = True
    m = int_attribute(number=I32)
    n = int_attribute(number=I32)
    k = int_attribute(number=I32)
    sourceA = operand(is_row)
    sourceB = operand(is_row)
    destC = operand(is_row)
    destD = result(is_row)
    same_type = ("destC", "destD")
    lanes: ClassVar[int]
    directives = {"Shape": Shape}

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, n, k."""
        return self.m, self.n, self.k

    @property
    def scales(self) -> tuple[Value, Value]:
        """The scales of A and those of B."""
        a, b = self.operands[3:]
        return a, b

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[2].type]

    def verify_sizes(self, shapes: Sequence[tuple[int, int, int]], types: Sequence[str], report: Report) -> bool:
        """Whether there is a shape like that, and each lane has its part of it."""
        if self.shape not in shapes:
            words = " or ".join("x".join(map(str, shape)) for shape in shapes)
            self.error(report, f"must be {words}, found {'x'.join(map(str, self.shape))}")
            return False
        m, n, k = self.shape
        accumulator = VectorType((m * n // self.lanes,), F32)
        fitting = self.destC.type == accumulator
        for name, value, elements in (("sourceA", self.sourceA, m * k), ("sourceB", self.sourceB, n * k)):
            expected = VectorType((elements // self.lanes,), value.type.element)
            fitting &= str(value.type.element) in types and value.type == expected
            if str(value.type.element) not in types:
                self.error(report, f"{name} must have elements of type {', '.join(types)}, found {value.type.element}")
            elif value.type != expected:
                self.error(report, f"{name} is {expected} of a lane, found {value.type}")
        if self.destC.type != accumulator:
            self.error(report, f"destC is {accumulator} of a lane, found {self.destC.type}")
        return fitting


class ScaledMfmaOp(ScaledMatrixOp, opname="amdgpu.scaled_mfma"):
    """`MxNxK (%scalesA[i] * %a) * (%scalesB[j] * %b) + %c : type of scalesA, a, scalesB, b, c` of one subgroup of 64
    lanes, every operand the lane's part in register order.

    Lane l has the scale of row (column) l % M and of the 32 elements from 32 (l // M) on along K; of a lane's scales
    the one that the index names is meant. A lane's elements of A are those of row l % M: of 8 bits 16 from 16 (l // M)
    on, then 16 from K/2 + 16 (l // M) on, of fewer bits 32 from 32 (l // M) on; B is like A with rows and columns
    exchanged (Composable Kernel, `test/mx_mfma_op/mx_mfma_op.hpp`).
    """

    scalesA = operand(is_scales)
    scalesB = operand(is_scales)
    scalesIdxA = int_attribute(number=I32)
    scalesIdxB = int_attribute(number=I32)
    lanes = 64
    assembly = (
        "custom<Shape>($m, $n, $k) `(` $scalesA `` `[` $scalesIdxA `]` `*` $sourceA `)` `*` `(` $scalesB ``"
        " `[` $scalesIdxB `]` `*` $sourceB `)` `+` $destC attr-dict `:` type($scalesA, $sourceA, $scalesB,"
        " $sourceB, $destC)"
    )

    @property
    def form(self) -> mfma_scaled.ScaledMfma:
        """The instruction; the verifier knows that there is one."""
        found = mfma_scaled.find(self.shape, str(self.sourceA.type.element), str(self.sourceB.type.element))
        assert found is not None, f"{self.opname} is verified"
        return found

    def verify(self, report: Report) -> None:
        if self.shape in _SHAPES:
            sides = (("A", self.scalesA, self.scalesIdxA), ("B", self.scalesB, self.scalesIdxB))
            for side, scales, index in sides:
                count = 1 if scales.type == _SCALE else mfma_scaled.REGISTER_BYTES
                if not 0 <= index < count:
                    words = f"scalesIdx{side} must be below {count}, the scales in {scales.type}, found {index}"
                    self.error(report, words)
        self.verify_sizes(_SHAPES, _TYPES, report)


class ScaledWmmaOp(ScaledMatrixOp, opname="amdgpu.scaled_wmma"):
    """`MxNxK (%scaleA * %a) * (%scaleB * %b) + %c a_first_scale_lane = 0 b_first_scale_lane = 16 : type of scaleA, a,
    scaleB, b, c` of one subgroup of 32 lanes, every operand the lane's part in register order.

    The scales of row (column) i are those of lane `first_scale_lane + i`, in the order of the blocks along K: four of
    32 elements, or eight of 16. Lane l's elements of A are those of row l % 16: of 8 bits four times 16 from
    16 (l // 16) + 32 n on, of fewer bits twice 32 from 32 (l // 16) + 64 n on; of 32 rows those of row l % 16 + 16
    follow. B is like 16 rows of A, rows and columns exchanged; the accumulators are of rows 8 (l // 16) on, and of 16
    on from there.
    """

    scaleA = operand(is_wave_scales)
    scaleB = operand(is_wave_scales)
    a_first_scale_lane = int_attribute(number=I32)
    b_first_scale_lane = int_attribute(number=I32)
    lanes = 32
    assembly = (
        "custom<Shape>($m, $n, $k) `(` $scaleA `*` $sourceA `)` `*` `(` $scaleB `*` $sourceB `)` `+` $destC"
        " defaulted(`a_first_scale_lane` `=` $a_first_scale_lane) defaulted(`b_first_scale_lane` `=`"
        " $b_first_scale_lane) attr-dict `:` type($scaleA, $sourceA, $scaleB, $sourceB, $destC)"
    )

    @property
    def first_scale_lanes(self) -> tuple[int, int]:
        """The first lane of A's scales and that of B's."""
        return self.a_first_scale_lane, self.b_first_scale_lane

    @property
    def found(self) -> wmma_scaled.ScaledWmma | None:
        types = str(self.sourceA.type.element), str(self.sourceB.type.element)
        scales = str(self.scaleA.type.element), str(self.scaleB.type.element)
        return wmma_scaled.find(self.shape, types, self.k // self.scaleA.type.elements, scales)

    @property
    def form(self) -> wmma_scaled.ScaledWmma:
        """The instruction; the verifier knows that there is one."""
        found = self.found
        assert found is not None, f"{self.opname} is verified"
        return found

    def verify(self, report: Report) -> None:
        a, b = self.scaleA.type, self.scaleB.type
        types = _TYPES if self.m == self.n else (wmma_scaled.SHORTEST,)
        if not self.verify_sizes(wmma_scaled.SHAPES, types, report):
            return
        if a.elements != b.elements:
            self.error(report, f"scales of A and B are of blocks of one size, found {a} and {b}")
        elif (form := self.found) is None:
            elements = str(self.sourceA.type.element), str(self.sourceB.type.element)
            known = " or ".join(" and ".join(pair) for pair in wmma_scaled.scale_types(*elements))
            self.error(report, f"{' and '.join(elements)} have scales {known}, found {a.element} and {b.element}")
        else:
            for side, lane in zip("ab", self.first_scale_lanes, strict=True):
                known_lanes = form.first_lanes("ab".index(side))
                if lane not in known_lanes:
                    words = " or ".join(map(str, known_lanes))
                    self.error(report, f"{side}_first_scale_lane must be {words}, found {lane}")
