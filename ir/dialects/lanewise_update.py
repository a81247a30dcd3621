"""lanewise: atomic updates of as many places as a vector has elements."""

from __future__ import annotations

from ...support.diagnostics import Report
from ..define import attribute, is_index, is_index_vector, is_mask, is_memref, is_vector, operand, operands
from ..traits import UPDATES
from ..types import VectorType
from .atomic_kind import AtomicRMWKindAttr, kinds_for
from .vector_gather import ALIGNMENT, GatherScatterOp


class UpdateOp(GatherScatterOp, opname="lanewise.update"):
    """`memref.atomic_rmw` for each element of a vector that is on, where `vector.scatter` would write it.

    Elements may have one place: each is joined to it, in any order. The owner joins each element once.
    """

    pure = False
    kind = attribute(AtomicRMWKindAttr)
    value = operand(is_vector)
    base = operand(is_memref, UPDATES)
    offsets = operands(is_index)
    index_vec = operand(is_index_vector)
    mask = operand(is_mask)
    assembly = (
        f"keyword($kind) $value `,` $base `` `[` $offsets `]` `` `[` $index_vec `]` `,` $mask {ALIGNMENT} attr-dict"
        " `:` type($value) `,` type($base) `,` type($index_vec) `,` type($mask)"
    )

    @property
    def joins_in_any_order(self) -> bool:
        return self.kind.rounds

    @property
    def vector_type(self) -> VectorType:
        return self.value.type

    def verify(self, report: Report) -> None:
        self.check_access("value", report)
        kinds = [kind for kind in kinds_for(self.value.type.element) if kind != "assign"]
        if self.kind.value not in kinds:
            hint = f"kinds for {self.value.type.element}: {', '.join(kinds)}"
            self.error(report, f"kind '{self.kind.value}' does not join elements of {self.value.type}", hint)
