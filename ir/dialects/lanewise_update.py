"""lanewise: atomic updates of as many places as a vector has elements, one by one or in a single step."""

from __future__ import annotations

from typing import ClassVar

from ...support.diagnostics import Report
from ..core import Operation
from ..define import (
    Constraint,
    attribute,
    is_index,
    is_index_vector,
    is_mask,
    is_memref,
    is_vector,
    operand,
    operands,
    result,
)
from ..memory_spaces import is_fat_buffer
from ..traits import UPDATES
from ..types import BF16, F16, VectorType
from .atomic_kind import AtomicRMWKindAttr, kinds_for
from .memref import check_rank
from .vector_gather import ALIGNMENT, GatherScatterOp

PAIRS = (VectorType((2,), F16), VectorType((2,), BF16))
is_pair: Constraint[VectorType] = Constraint("vector<2xf16> or vector<2xbf16>", lambda t: t in PAIRS)


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


class UpdatePairOp(Operation, opname="lanewise.update_pair"):
    """Adds two neighbours to those in a raw buffer of one dimension, both in one step that nobody sees half of; the
    result is what was there before.

    `memref.atomic_rmw` takes scalars alone. The first is at a multiple of four bytes.
    """

    pure = False
    vendor = "amd"
    belongs_to = "thread"
    on_lane_vectors = True
    kind: ClassVar[AtomicRMWKindAttr] = AtomicRMWKindAttr("addf")
    value = operand(is_pair)
    memref = operand(is_memref, UPDATES)
    indices = operands(is_index)
    result_ = result(is_pair)
    same_type = ("value", "result")
    assembly = "$value `,` $memref `` `[` $indices `]` attr-dict `:` type($value) `,` type($memref)"

    @property
    def joins_in_any_order(self) -> bool:
        return True

    def verify(self, report: Report) -> None:
        type = self.memref.type
        check_rank(self, self.memref, len(self.indices), report)
        if not is_fat_buffer(type.memory_space) or type.rank != 1:
            self.error(report, f"updates a raw buffer of one dimension, found {type}")
        elif type.element != self.value.type.element:
            self.error(report, f"moves elements of {type.element}, found {self.value.type}")
