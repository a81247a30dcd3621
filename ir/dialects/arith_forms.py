"""arith: what the texts of a selection and of constants have of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..assembly_elements import Directive, State, check_type
from ..attributes import DenseElementsAttr, FloatAttr, IntegerAttr, TensorElementsAttr, elements_of_tensor
from ..core import Operation
from ..define import AttributeField, OperandField
from ..types import VectorType

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class ConditionType(Directive):
    """`vector<4xi1>,`, or nothing where a condition is one number."""

    def __init__(self, condition: OperandField[Any]) -> None:
        self.condition = condition

    def parse(self, parser: Parser, state: State) -> None:
        (condition,) = state.operands[self.condition.name]
        if condition.type.is_vector:
            check_type(parser, condition)
            parser.expect(",")

    def print(self, printer: Printer, op: Operation) -> None:
        if isinstance(type := self.condition.read(op).type, VectorType):
            printer.word(f"{type},")


class ConstantValue(Directive):
    """A number or `dense` literal with its type, which is the result's."""

    def __init__(self, value: AttributeField[Any]) -> None:
        self.value = value

    def parse(self, parser: Parser, state: State) -> None:
        start = parser.token.start
        value = parser.parse_attribute()
        if (elements := elements_of_tensor(value)) is not None:
            value = TensorElementsAttr(elements)
        elif not isinstance(value, (IntegerAttr, FloatAttr, DenseElementsAttr)):
            raise parser.error(f"a constant is a number or dense<...> with its type, found {value}", start)
        state.give(parser, self.value.name, value, start)
        state.result_types["*"] = [value.type]

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(str(self.value.read(op)))
