"""vector.reduction: all of a 1-D vector joined into one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...support.diagnostics import Location, Report
from ..assembly_elements import check_type
from ..core import Operation, Value
from ..define import attribute, is_scalar, is_vector, operand, optional_operand, result
from ..lexer import Token
from ..numerics import Array
from ..types import Attribute, Type, element_type
from .elementwise import NO_FASTMATH, FastMathAttr, WithFastMath, excluded
from .vector_kind import CombiningKindAttr, check_kind
from .vector_mask_region import Maskable
from .vector_reductions import reduced_once

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class ReductionOp(Maskable, WithFastMath, opname="vector.reduction"):
    """Joins the elements of a 1-D vector, and the accumulator, where there is one."""

    pure = True
    kind = attribute(CombiningKindAttr)
    vector = operand(is_vector)
    acc = optional_operand(is_scalar)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    dest = result(is_scalar)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [element_type(operands[0].type)]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`<add>, %v, %acc : vector<4xf32> into f32`; older, `"add", %v : ..`."""
        attributes: dict[str, Attribute] = {}
        old = parser.advance() if parser.token.kind == "string" else None
        if old is None:
            attributes["kind"] = CombiningKindAttr.parse(parser)
        parser.expect(",")
        values = [parser.operand()]
        if parser.accept(","):
            values.append(parser.operand())
        if parser.accept("fastmath"):
            attributes["fastmath"] = FastMathAttr.parse(parser)
        attributes |= parser.optional_attribute_dict(attributes)
        if old is not None:
            attributes["kind"] = _older_kind(parser, old, element_type(values[0].type))
        parser.expect(":")
        check_type(parser, values[0])
        parser.expect("into")
        return cls(values, [parser.parse_type()], attributes, location=location)

    def print(self, printer: Printer) -> None:
        printer.word(f"<{self.kind.value}>,")
        printer.values(self.operands)
        if self.fastmath != NO_FASTMATH:
            printer.word(f"fastmath<{self.fastmath.value}>")
        printer.attribute_dict(self, hidden=("kind", "fastmath"))
        printer.word(f": {self.vector.type} into {self.dest.type}")

    def verify(self, report: Report) -> None:
        vector = self.vector.type
        if vector.rank > 1:
            self.error(report, f"reduces vectors of rank 0 or 1, found {vector}", "vector.multi_reduction takes others")
        elif self.dest.type != vector.element:
            self.error(report, f"reducing {vector} gives {vector.element}, the result is {self.dest.type}")
        elif self.acc is not None and self.acc.type != vector.element:
            self.error(report, f"accumulator must be {vector.element}, found {self.acc.type}")
        check_kind(self, self.kind, vector.element, report)

    def undefined(self, *operands: Array) -> Array:
        found = [excluded(self.fastmath, x).any() for x in operands]
        return np.asarray(any(found) or excluded(self.fastmath, self.reference(*operands)).any())

    def reference(self, vector: Array, *acc: Array) -> Array:
        return reduced_once(self.kind, self.vector.type.element, vector.reshape(-1, 1), *acc).reshape(())

    def mask_shape(self) -> tuple[int, ...]:
        return self.vector.type.shape


def _older_kind(parser: Parser, token: Token, element: Type) -> CombiningKindAttr:
    """`"min"` and `"max"` are the signed ones of integers; of floats they hand NaN on."""
    word = token.text.strip('"')
    if word in ("min", "max"):
        word += "imumf" if element.is_float else "si"
    if word not in CombiningKindAttr.cases:
        raise parser.error(f"expected one of {', '.join(CombiningKindAttr.cases)}, found {token.text}", token.start)
    return CombiningKindAttr(word)
