"""vector.mask becomes an operand of the operation in it, or a selection; MASKED says which, by class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.cloning import clone
from ..ir.core import Builder, Value
from ..ir.dialects import arith
from ..ir.dialects.longhand import neutral, select
from ..ir.dialects.vector_gather import GatherOp
from ..ir.dialects.vector_mask_region import MaskOp, YieldOp
from ..ir.dialects.vector_products import OuterProductOp
from ..ir.dialects.vector_reduction import ReductionOp
from ..ir.dialects.vector_reductions import ContractionOp, MultiReductionOp
from ..ir.dialects.vector_transfer import TransferOp
from ..ir.rule_table import RuleTable
from .legalisations import EXPAND, Place, expands
from .masked_products import contraction_under
from .vector_sums import outer_product, reduction_under

EXPAND.needless("ends the region of vector.mask, which is expanded", YieldOp)
Under = Callable[[Any, Value, Builder], Sequence[Value]]
MASKED: RuleTable[Under] = RuleTable("masked")
"""The results of an operation where only what a mask has on is read, joined or written: one rule for each `Maskable`;
what is elementwise has none."""
MASKED.set(ContractionOp, contraction_under)
MASKED.set(ReductionOp, reduction_under)


@expands(MaskOp, first=True)
def _mask(place: Place, op: MaskOp) -> Sequence[Value]:
    masked = op.masked
    if masked is None:
        return op.body.operations[-1].operands
    rule = MASKED.get(type(masked))
    place.location = masked
    values = place.append(clone(masked, {})).results if rule is None else rule(masked, op.mask, place)
    place.location = op
    return values if op.passthru is None else [select(place, op.mask, values[0], op.passthru)]


@MASKED.of(TransferOp)
def _transfer(op: TransferOp, mask: Value, build: Builder) -> Sequence[Value]:
    """The mask is the last operand."""
    assert op.segments is not None
    segments = (*op.segments[:-1], 1)
    types = [r.type for r in op.results]
    return build.append(type(op)([*op.operands, mask], types, op.attributes, (), op.location, segments)).results


@MASKED.of(GatherOp)
def _gather(op: GatherOp, mask: Value, build: Builder) -> Sequence[Value]:
    both = build.value(arith.AndIOp, op.mask, mask)
    operands = (op.base, op.offsets, op.index_vec, both, op.pass_thru)
    alignment = op.attributes.get("alignment")
    return build.op(GatherOp, *operands, types=[op.result_.type], alignment=alignment).results


@MASKED.of(MultiReductionOp)
def _multi_reduction(op: MultiReductionOp, mask: Value, build: Builder) -> Sequence[Value]:
    source = select(build, mask, op.source, neutral(build, op.kind, op.source.type))
    return build.append(type(op)([source, op.acc], [op.dest.type], op.attributes)).results


@MASKED.of(OuterProductOp)
def _outer_product(op: OuterProductOp, mask: Value, build: Builder) -> Sequence[Value]:
    product = outer_product(op, build)
    return [product if op.acc is None else select(build, mask, product, op.acc)]
