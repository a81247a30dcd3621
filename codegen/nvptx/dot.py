"""lanewise.dot on NVPTX: dp4a."""

from __future__ import annotations

from ...ir.dialects.lanewise_dot import BYTES, DotOp
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.vectors import regroup


@NVIDIA.of(DotOp)
def _dot(em: Emission, op: DotOp) -> None:
    em.require("dot4" if (op.unsignedA is None) == (op.unsignedB is None) else "dot4.mixed")
    kinds = ".".join("s" if mark is None else "u" for mark in (op.unsignedA, op.unsignedB))
    words = [regroup(em, em.elements(v), BYTES, "i32")[0] for v in (op.a, op.b)]
    em.set(op.result_, em.w.call_fresh("i32", f"llvm.nvvm.idp4a.{kinds}", *words, em.scalar(op.c)))
