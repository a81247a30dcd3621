"""vector.reduction: all of a 1-D vector joined into one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...support.diagnostics import Location, Report
from ..assembly_elements import check_type
from ..attributes import dense_i64
from ..core import Builder, Operation, Value
from ..define import attribute, is_scalar, is_vector, operand, optional_operand, result
from ..lexer import Token
from ..numerics import Array
from ..types import Attribute, FloatType, Type, element_type
from .elementwise import NO_FASTMATH, FastMathAttr, WithFastMath, excluded
from .longhand import extract, join, neutral, select
from .vector_kind import CombiningKindAttr, check_kind
from .vector_mask_region import Maskable
from .vector_reductions import MultiReductionOp, reduced_once

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

    def decompose(self, build: Builder) -> Sequence[Value]:
        return self.under(None, build)

    def under(self, mask: Value | None, build: Builder) -> Sequence[Value]:
        source: Value = self.vector
        acc = self.acc or neutral(build, self.kind, self.dest.type)
        if mask is not None:
            source = select(build, mask, source, neutral(build, self.kind, source.type))
        if not self.vector.type.rank:  # upstream's multi_reduction takes none of rank 0
            return [join(build, self.kind, extract(build, source, []), acc)]
        types = [self.dest.type]
        attributes: dict[str, Attribute] = {"kind": self.kind, "reduction_dims": dense_i64([0])}
        if self.fastmath != NO_FASTMATH:
            attributes["fastmath"] = self.fastmath
        return [build.value(MultiReductionOp, source, acc, types=types, **attributes)]

    def mask_shape(self) -> tuple[int, ...]:
        return self.vector.type.shape


def _older_kind(parser: Parser, token: Token, element: Type) -> CombiningKindAttr:
    """`"min"` and `"max"` are the signed ones of integers; of floats they hand NaN on."""
    word = token.text.strip('"')
    if word in ("min", "max"):
        word += "imumf" if isinstance(element, FloatType) else "si"
    if word not in CombiningKindAttr.cases:
        raise parser.error(f"expected one of {', '.join(CombiningKindAttr.cases)}, found {token.text}", token.start)
    return CombiningKindAttr(word)
