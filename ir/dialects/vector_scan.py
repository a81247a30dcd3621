"""vector.scan: what elements and all before them along a dim join to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...support.diagnostics import Report
from ..attributes import IntegerAttr
from ..core import Operation, Value
from ..define import attribute, int_attribute, is_vector, operand, result, scalar_like
from ..numerics import Array, to_type
from ..types import I64, Attribute, Type, VectorType, element_type, shape_of
from .vector_kind import CombiningKindAttr, check_kind
from .vector_reductions import working_type


class ScanOp(Operation, opname="vector.scan"):
    """Element i along `reduction_dim` is elements 0 to i joined, if `inclusive`; else the initial value joined with
    elements 0 to i - 1. The second result is the last part of the first. An inclusive scan has no use for the initial
    value."""

    pure = True
    kind = attribute(CombiningKindAttr)
    source = operand(is_vector)
    initial_value = operand(scalar_like)
    reduction_dim = int_attribute()
    inclusive = attribute(IntegerAttr)
    dest = result(is_vector)
    accumulated_value = result(scalar_like)
    assembly = (
        "$kind `,` $source `,` $initial_value (`reduction_dim` `=` $reduction_dim^ `,` `inclusive` `=` $inclusive)?"
        " attr-dict `:` type($source) `,` type($initial_value)"
    )

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [value.type for value in operands]

    @property
    def is_inclusive(self) -> bool:
        return bool(self.inclusive.value)

    def verify(self, report: Report) -> None:
        source, initial = self.source.type, self.initial_value.type
        dim, stated = self.reduction_dim, self.attributes["reduction_dim"]
        if stated != IntegerAttr(dim, I64):
            self.error(report, f"reduction_dim must be an i64, found {stated}")
        if not 0 <= dim < source.rank:
            self.error(report, f"reduction_dim {dim} is no dim of {source}")
            return
        kept = (*source.shape[:dim], *source.shape[dim + 1 :])
        fits = shape_of(initial) == kept and (bool(kept) or initial in (source.element, VectorType((), source.element)))
        if element_type(initial) != source.element:
            self.error(report, f"element types differ: {source} and {initial}")
        elif not fits:
            self.error(report, f"initial value must have the shape {list(kept)} of {source} without dim {dim}")
        elif [r.type for r in self.results] != [source, initial]:
            found = ", ".join(str(r.type) for r in self.results)
            self.error(report, f"results must be {source} and {initial}, found {found}")
        check_kind(self, self.kind, source.element, report)

    def reference(self, source: Array, initial: Array) -> tuple[Array, Array]:
        element = self.source.type.element
        working = working_type(self.kind, element)
        values = np.moveaxis(source, self.reduction_dim, 0).astype(working)
        start = np.asarray(initial).astype(working)
        totals = [values[0] if self.is_inclusive else np.broadcast_to(start, values.shape[1:])]
        for value in values[1:] if self.is_inclusive else values[:-1]:
            totals.append(self.kind.combine(totals[-1], value))
        dest = to_type(np.stack(totals), element)
        return np.moveaxis(dest, 0, self.reduction_dim), dest[-1]
