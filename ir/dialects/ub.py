"""ub: values that may be anything, and places that no right program gets to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..attributes import DIALECT_ATTRIBUTES
from ..core import Operation
from ..define import attribute, result, scalar_like
from ..numerics import Array, dtype_of
from ..types import Attribute, element_type, shape_of


@dataclass(frozen=True, slots=True)
class PoisonAttr(Attribute):
    """`#ub.poison`: all of the value is poison."""

    def __str__(self) -> str:
        return "#ub.poison"


def _parse(parser: Any) -> PoisonAttr:
    return PoisonAttr()


DIALECT_ATTRIBUTES["ub.poison"] = _parse


class PoisonOp(Operation, opname="ub.poison"):
    """A value that no right program depends on; the reference has zeros."""

    pure = True
    value = attribute(PoisonAttr, PoisonAttr())
    result_ = result(scalar_like)

    assembly = "attr-dict (`<` $value^ `>`)? `:` type($result)"

    def reference(self) -> Array:
        type = self.result_.type
        return np.zeros(shape_of(type), dtype_of(element_type(type)))


class UnreachableOp(Operation, opname="ub.unreachable"):
    """Ends a block that is never run: on every executor it is an assertion that does not hold."""

    pure = False
    terminator = True
    assembly = "attr-dict"

    def verify(self, report: Report) -> None:
        around = self.parent.parent if self.parent is not None else None
        if around is None or len(around.blocks) < 2:
            self.error(report, "ends the only block of its region, which then never ends")
