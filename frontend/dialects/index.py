"""index: arithmetic on numbers of type index, as MLIR's dialect of that name has it.

They are operations of arith under other names: index has 64 bits here, signed where an operation's name ends in `s`,
unsigned where it ends in `u`. They are written out before anything else (`frontend/legalise.py`), so that no other
layer has to know two names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ...ir.assembly_elements import Directive, State
from ...ir.attributes import DIALECT_ATTRIBUTES, EnumAttr, IntegerAttr
from ...ir.core import Operation, Value
from ...ir.define import AttributeField, attribute, is_i1, is_index, is_integer, operand, result
from ...ir.dialects import arith
from ...ir.dialects.elementwise import IntegerBinary, IntegerPredicateAttr
from ...ir.types import I1, INDEX, Attribute, Type
from ...support.diagnostics import Report

if TYPE_CHECKING:
    from ...ir.attribute_parser import AttributeParser
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer


class IndexOp(Operation):
    """Another name of operations of arith (`frontend/index_names.py`)."""

    pure = True


class Binary(IndexOp):
    lhs = operand(is_index)
    rhs = operand(is_index)
    result_ = result(is_index)
    same_type = ("lhs", "rhs", "result")
    assembly = "$lhs `,` $rhs attr-dict"
    stands_for: ClassVar[type[IntegerBinary]]


class AddOp(Binary, opname="index.add"):
    stands_for = arith.AddIOp


class SubOp(Binary, opname="index.sub"):
    stands_for = arith.SubIOp


class MulOp(Binary, opname="index.mul"):
    stands_for = arith.MulIOp


class DivSOp(Binary, opname="index.divs"):
    """Towards zero."""

    stands_for = arith.DivSIOp


class DivUOp(Binary, opname="index.divu"):
    stands_for = arith.DivUIOp


class CeilDivSOp(Binary, opname="index.ceildivs"):
    stands_for = arith.CeilDivSIOp


class CeilDivUOp(Binary, opname="index.ceildivu"):
    stands_for = arith.CeilDivUIOp


class FloorDivSOp(Binary, opname="index.floordivs"):
    stands_for = arith.FloorDivSIOp


class RemSOp(Binary, opname="index.rems"):
    """What the division towards zero leaves: its sign is the dividend's."""

    stands_for = arith.RemSIOp


class RemUOp(Binary, opname="index.remu"):
    stands_for = arith.RemUIOp


class MaxSOp(Binary, opname="index.maxs"):
    stands_for = arith.MaxSIOp


class MaxUOp(Binary, opname="index.maxu"):
    stands_for = arith.MaxUIOp


class MinSOp(Binary, opname="index.mins"):
    stands_for = arith.MinSIOp


class MinUOp(Binary, opname="index.minu"):
    stands_for = arith.MinUIOp


class ShlOp(Binary, opname="index.shl"):
    """By 64 or more it is undefined, as all shifts are."""

    stands_for = arith.ShLIOp


class ShrSOp(Binary, opname="index.shrs"):
    stands_for = arith.ShRSIOp


class ShrUOp(Binary, opname="index.shru"):
    stands_for = arith.ShRUIOp


class AndOp(Binary, opname="index.and"):
    stands_for = arith.AndIOp


class OrOp(Binary, opname="index.or"):
    stands_for = arith.OrIOp


class XOrOp(Binary, opname="index.xor"):
    stands_for = arith.XOrIOp


# -- comparisons, conversions -----------------------------------------------------------------------------------------


class IndexCmpPredicateAttr(EnumAttr):
    """Which comparison; the word alone inside `index.cmp`."""

    mnemonic = "index.cmp_predicate"
    cases = IntegerPredicateAttr.cases


def _parse_predicate(parser: AttributeParser) -> Attribute:
    """`#index<cmp_predicate slt>`, as older texts write `#index.cmp_predicate<slt>`."""
    parser.expect("<")
    parser.expect("cmp_predicate")
    value = IndexCmpPredicateAttr.parse_case(parser)
    parser.expect(">")
    return value


IndexCmpPredicateAttr.register()
DIALECT_ATTRIBUTES["index"] = _parse_predicate


class CmpOp(IndexOp, opname="index.cmp"):
    pred = attribute(IndexCmpPredicateAttr)
    lhs = operand(is_index)
    rhs = operand(is_index)
    result_ = result(is_i1)
    assembly = "keyword($pred) `` `(` $lhs `,` $rhs `)` attr-dict"


class Cast(IndexOp):
    """Between index and an integer of another width, or of the same."""

    input = operand(is_index | is_integer)
    output = result(is_index | is_integer)
    assembly = "$input attr-dict `:` type($input) `to` type($output)"
    stands_for: ClassVar[type[arith.Cast]]

    def verify(self, report: Report) -> None:
        types = self.input.type, self.output.type
        if sum(type == INDEX for type in types) != 1:
            self.error(report, f"converts between index and an integer, found {types[0]} to {types[1]}")


class CastSOp(Cast, opname="index.casts"):
    """Extends by the sign."""

    stands_for = arith.IndexCastOp


class CastUOp(Cast, opname="index.castu"):
    """Extends by zeros."""

    stands_for = arith.IndexCastUIOp


# -- numbers ----------------------------------------------------------------------------------------------------------


class SizeOfOp(IndexOp, opname="index.sizeof"):
    """How many bits index has."""

    result_ = result(is_index)
    assembly = "attr-dict"


class _Number(Directive):
    """A number of a type that its text leaves out."""

    def __init__(self, value: AttributeField[Any], type: Type) -> None:
        self.value, self.type = value, type

    def parse(self, parser: Parser, state: State) -> None:
        start = parser.token.start
        value = parser.parse_attribute(self.type)
        if not isinstance(value, IntegerAttr) or value.type != self.type:
            raise parser.error(f"expected a constant of {self.type}, found {value}", start)
        state.give(parser, self.value.name, value, start)
        state.result_types["*"] = [self.type]

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(printer.bare_attribute(self.value.read(op), INDEX))


class Constant(arith.ConstantOp):
    """What asks for a constant finds it under either name."""

    of: ClassVar[Type]
    assembly = "attr-dict custom<Number>($value)"

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        return cls

    def verify(self, report: Report) -> None:
        super().verify(report)
        if self.result_.type != self.of:
            self.error(report, f"is a constant of {self.of}, found {self.result_.type}")


class ConstantOp(Constant, opname="index.constant"):
    pure = True
    of = INDEX
    directives = {"Number": partial(_Number, type=INDEX)}


class BoolConstantOp(Constant, opname="index.bool.constant"):
    pure = True
    of = I1
    directives = {"Number": partial(_Number, type=I1)}
