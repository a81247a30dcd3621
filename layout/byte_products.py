"""Contractions of bytes that no matrix instruction does: four products at once where the chip has an instruction."""

from __future__ import annotations

from ..ir.core import Value
from ..ir.dialects.vector_reductions import ContractionOp
from ..ir.types import I8, I32, element_type
from ..targets import Chip


def multiplies_bytes(
    op: ContractionOp,
    chip: Chip,
    operands: tuple[Value, Value] | None = None,
    unsigned: tuple[bool, bool] | None = None,
) -> bool:
    """Whether its products, or those of other operands, are done four at once, where each thread sums several."""
    types = [element_type(v.type) for v in (*(operands or (op.lhs, op.rhs)), op.acc)]
    if types != [I8, I8, I32] or op.kind.value != "add" or op.masks:
        return False
    left, right = unsigned or op.unsigned
    return chip.supports("dot4" if left == right else "dot4.mixed")
