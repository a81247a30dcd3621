"""lanewise.dot on AMDGPU: v_dot4 of one sign, or, from gfx11 on, of any."""

from __future__ import annotations

from ...ir.dialects.lanewise_dot import BYTES, DotOp
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.text import FALSE, TRUE
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
