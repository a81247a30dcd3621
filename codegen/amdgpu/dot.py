"""lanewise.dot and amdgpu.dot: v_dot instructions; those of bytes have one sign or, from gfx11 on, any."""

from __future__ import annotations

from ...ir.core import Value
from ...ir.dialects import amdgpu_dot
from ...ir.dialects.lanewise_dot import BYTES, DotOp
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.text import FALSE, TRUE, Ssa
from ..emit.vectors import regroup


@AMD.of(DotOp)
def _dot(em: Emission, op: DotOp) -> None:
    signed = [op.unsignedA is None, op.unsignedB is None]
    em.require("dot4" if signed[0] == signed[1] else "dot4.mixed")
    a, b = (regroup(em, em.elements(v), BYTES, "i32")[0] for v in (op.a, op.b))
    c = em.scalar(op.c)
    if em.chip.supports("dot4.mixed"):
        flags = [TRUE if s else FALSE for s in signed]
        result = em.w.call_fresh("i32", "llvm.amdgcn.sudot4", flags[0], a, flags[1], b, c, FALSE)
    else:
        result = em.w.call_fresh("i32", f"llvm.amdgcn.{'sdot4' if signed[0] else 'udot4'}", a, b, c, FALSE)
    em.set(op.result_, result)


@AMD.of(amdgpu_dot.DotOp)
def _named(em: Emission, op: amdgpu_dot.DotOp) -> None:
    form = op.form
    assert form is not None, f"{op.opname} is verified"
    clamp = TRUE if op.clamp is not None else FALSE
    type = em.type(op.destC.type)
    if not form.sum.startswith("i"):
        em.require(form.feature)
        words = "i32" if form.llvm.startswith("dot4") else em.type(op.sourceA.type)
        a, b = (_whole(em, v, words) for v in (op.sourceA, op.sourceB))
        rest = [FALSE] if form.sum == "f32" and form.llvm.startswith("fdot2") else []
        em.set(op.destD, em.w.call_fresh(type, f"llvm.amdgcn.{form.llvm}", a, b, em.scalar(op.destC), *rest))
        return
    mixed = op.signs[0] != op.signs[1]
    em.require("dot4.mixed" if mixed else form.feature)
    a, b = (_whole(em, v, "<2 x i16>" if form.elements == 2 else "i32") for v in (op.sourceA, op.sourceB))
    operands: tuple[Ssa, ...]
    if mixed:
        flags = [TRUE if signed else FALSE for signed in op.signs]
        operands = (flags[0], a, flags[1], b, em.scalar(op.destC), clamp)
    else:
        operands = (a, b, em.scalar(op.destC), clamp)
    letters = "su" if mixed else "s" if op.signs[0] else "u"
    em.set(op.destD, em.w.call_fresh("i32", f"llvm.amdgcn.{letters}{form.llvm}", *operands))


def _whole(em: Emission, value: Value, type: str) -> Ssa:
    elements = em.elements(value)
    return regroup(em, elements, len(elements), type)[0]
