"""amdgpu.dot: a few products of one lane and a sum, as one of AMD's v_dot instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...support.diagnostics import Report
from ...support.named_tuples import NamedTuple
from ..attributes import UnitAttr
from ..core import Operation
from ..define import Constraint, operand, optional_attribute, result, vectors
from ..numerics import Array, to_float, unsigned, widened
from ..types import FloatType, IntegerType, VectorType


class Form(NamedTuple):
    """What an instruction multiplies and adds: `feature` is the chip's, `llvm` the end of the intrinsic's name."""

    elements: int
    left: str
    right: str
    sum: str
    feature: str
    llvm: str


_BYTES: Mapping[str, str] = {"f8E4M3FN": "fp8", "f8E5M2": "bf8"}
FORMS: tuple[Form, ...] = (
    Form(2, "f16", "f16", "f32", "dot4", "fdot2"),
    Form(2, "f16", "f16", "f16", "dot2.half", "fdot2.f16.f16"),
    Form(2, "bf16", "bf16", "f32", "dot2.bf16", "fdot2.f32.bf16"),
    Form(2, "bf16", "bf16", "bf16", "dot2.half", "fdot2.bf16.bf16"),
    Form(2, "i16", "i16", "i32", "dot2.i16", "dot2"),
    Form(4, "i8", "i8", "i32", "dot4", "dot4"),
    Form(8, "i4", "i4", "i32", "dot4", "dot8"),
    *(Form(4, a, b, "f32", "dot4.fp8", f"dot4.f32.{_BYTES[a]}.{_BYTES[b]}") for a in _BYTES for b in _BYTES),
)
"""All forms of a dot product; for integers a letter follows `llvm` for each sign, `s` or `u`, or on `su` where they
differ."""
_ELEMENTS = {(f.elements, f.left) for f in FORMS}
is_dot_operand = vectors(
    "two of f16, bf16 or i16, four of i8, f8E4M3FN or f8E5M2, or eight of i4",
    lambda t: t.rank == 1 and (t.elements, str(t.element)) in _ELEMENTS,
)
is_sum: Constraint[Any] = Constraint("f32, f16, bf16 or i32", lambda t: str(t) in {f.sum for f in FORMS})


class DotOp(Operation, opname="amdgpu.dot"):
    """`%a * %b + %c unsignedA clamp : vector<4xi8>, vector<4xi8>, i32`: the sum of all products and `c`. Integers are
    signed unless marked; their sum wraps, or with `clamp` is the nearest number of the type, which is unsigned where
    both operands are."""

    pure = True
    batched = True
    belongs_to = "thread"
    on_lane_vectors = True
    sourceA = operand(is_dot_operand)
    sourceB = operand(is_dot_operand)
    destC = operand(is_sum)
    unsignedA = optional_attribute(UnitAttr)
    unsignedB = optional_attribute(UnitAttr)
    clamp = optional_attribute(UnitAttr)
    destD = result(is_sum)
    same_type = ("destC", "destD")
    assembly = (
        "$sourceA `*` $sourceB `+` $destC (`unsignedA` $unsignedA^)? (`unsignedB` $unsignedB^)? (`clamp` $clamp^)? "
        "attr-dict `:` type($sourceA) `,` type($sourceB) `,` type($destC)"
    )

    @property
    def form(self) -> Form | None:
        a, b, c = (v.type for v in self.operands)
        assert isinstance(a, VectorType) and isinstance(b, VectorType)
        wanted = (a.elements, str(a.element), str(b.element), str(c))
        return next((f for f in FORMS if f[:4] == wanted and b.elements == f.elements), None)

    @property
    def signs(self) -> tuple[bool, bool]:
        """Whether integer operands are signed."""
        return self.unsignedA is None, self.unsignedB is None

    @property
    def joins_in_any_order(self) -> bool:
        return isinstance(self.destC.type, FloatType)

    def reference(self, a: Array, b: Array, c: Array) -> Array:
        type = self.destC.type
        if type.is_float:
            wide = (widened(x).astype(np.float64) for x in (a, b))
            return to_float(np.asarray(np.prod(list(wide), axis=0).sum(axis=-1) + widened(c).astype(np.float64)), type)
        left, right = (self._number(x, signed) for x, signed in zip((a, b), self.signs, strict=True))
        natural = any(self.signs)
        total = (left * right).sum(axis=-1) + (c if natural else unsigned(c)).astype(np.int64)
        if self.clamp is not None:
            total = np.clip(total, *((-(1 << 31), (1 << 31) - 1) if natural else (0, (1 << 32) - 1)))
        return np.asarray(total).astype(np.uint64).astype(np.uint32).view(np.int32)

    def _number(self, x: Array, signed: bool) -> Array:
        element = self.sourceA.type.element
        assert isinstance(element, IntegerType)
        wide = x.astype(np.int64)
        return wide if signed else wide & ((1 << element.width) - 1)

    def verify(self, report: Report) -> None:
        if self.form is None:
            a, b, c = (v.type for v in self.operands)
            self.error(report, f"no instruction multiplies {a} and {b} and adds {c}")
            return
        marks = [n for n in ("unsignedA", "unsignedB", "clamp") if n in self.attributes]
        if marks and self.destC.type.is_float:
            self.error(report, f"has {', '.join(marks)}, which is of integers, found {self.sourceA.type}")
