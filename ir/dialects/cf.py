"""cf: assertions, and branches between the blocks of a region, which become loops and branches with regions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Location, Report
from ..assembly_elements import Directive, State
from ..attributes import DenseArrayAttr, IntegersAttr, StringAttr
from ..core import Block, Operation, Origin, Value
from ..define import (
    OperandField,
    anything,
    attribute,
    instances_of,
    int_array_attribute,
    is_i1,
    operand,
    operands,
    optional_attribute,
)
from ..traits import HANDS_ON
from ..types import I32, IntegerType, Type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

is_signless = instances_of("a signless integer", IntegerType)


class AssertOp(Operation, opname="cf.assert"):
    """Stops the kernel where `arg` does not hold; `msg` says what was expected."""

    pure = False
    arg = operand(is_i1)
    msg = attribute(StringAttr)
    assembly = "$arg `,` $msg attr-dict"


Target = tuple[Block, Sequence[Value]]


class Successor(Directive):
    """`^bb1(%a, %b : T, U)`: a block, and the values for its arguments."""

    def __init__(self, passed: OperandField[Any]) -> None:
        self.passed = passed

    def parse(self, parser: Parser, state: State) -> None:
        block, state.operands[self.passed.name] = _parse_target(parser)
        state.successors.append(block)

    def print(self, printer: Printer, op: Operation) -> None:
        passed = [field for field in op.operand_groups if field.effect is HANDS_ON]
        printer.word(_target(printer, op.successors[passed.index(self.passed)], self.passed.group(op)))


class BranchOp(Operation):
    """Ends a block and goes on to another with values for its arguments."""

    directives = {"Successor": Successor}

    pure = False
    terminator = True

    def passed(self) -> list[Target]:
        """Each block that it may go on to, and the values for it."""
        raise AssertionError

    def going_to(self, targets: Sequence[Target]) -> BranchOp:
        """The same operation with other blocks and values, one for each that there is."""
        raise AssertionError

    def verify(self, report: Report) -> None:
        for block, values in self.passed():
            found, expected = [v.type for v in values], [a.type for a in block.arguments]
            if found != expected:
                self.error(report, f"passes {_words(found)} to a block that takes {_words(expected)}")


class BrOp(BranchOp, opname="cf.br"):
    """Goes on to a block."""

    destOperands = operands(anything, HANDS_ON)
    assembly = "custom<Successor>($destOperands) attr-dict"

    def passed(self) -> list[Target]:
        return [(self.successors[0], self.destOperands)]

    def going_to(self, targets: Sequence[Target]) -> BranchOp:
        ((block, values),) = targets
        return BrOp(values, location=self, successors=[block])

    def verify(self, report: Report) -> None:
        if _counted(self, 1, report):
            super().verify(report)


class CondBrOp(BranchOp, opname="cf.cond_br"):
    """Goes on to the first block where `condition` holds, else to the second."""

    condition = operand(is_i1)
    trueDestOperands = operands(anything, HANDS_ON)
    falseDestOperands = operands(anything, HANDS_ON)
    branch_weights = optional_attribute(DenseArrayAttr, I32)
    assembly = (
        "$condition (`weights` `` `(` $branch_weights^ `)`)? `,` custom<Successor>($trueDestOperands) `,`"
        " custom<Successor>($falseDestOperands) attr-dict"
    )

    def passed(self) -> list[Target]:
        yes, no = self.successors
        return [(yes, self.trueDestOperands), (no, self.falseDestOperands)]

    def going_to(self, targets: Sequence[Target]) -> BranchOp:
        (yes, taken), (no, other) = targets
        segments = (1, len(taken), len(other))
        operands = [self.condition, *taken, *other]
        return CondBrOp(operands, location=self, segments=segments, successors=[yes, no])

    def verify(self, report: Report) -> None:
        if _counted(self, 2, report):
            super().verify(report)


class SwitchOp(BranchOp, opname="cf.switch"):
    """Goes on to the block whose number in `case_values` is `flag`, else to the first, the default."""

    flag = operand(is_signless)
    defaultOperands = operands(anything, HANDS_ON)
    caseOperands = operands(anything, HANDS_ON)
    case_values = optional_attribute(IntegersAttr)
    case_operand_segments = int_array_attribute()

    @property
    def cases(self) -> tuple[int, ...]:
        return self.case_values.values if self.case_values is not None else ()

    def passed(self) -> list[Target]:
        edges = pairwise(accumulate(self.case_operand_segments, initial=0))
        groups = [self.defaultOperands, *(self.caseOperands[a:b] for a, b in edges)]
        return list(zip(self.successors, groups, strict=True))

    def going_to(self, targets: Sequence[Target]) -> BranchOp:
        return SwitchOp.made(self.flag, self.cases, targets, self)

    @classmethod
    def made(cls, flag: Value, cases: Sequence[int], targets: Sequence[Target], location: Origin) -> SwitchOp:
        """A switch whose first target is the default."""
        blocks, values = [block for block, _ in targets], [group for _, group in targets]
        assert isinstance(flag.type, IntegerType)
        operands = [flag, *(v for group in values for v in group)]
        segments = (1, len(values[0]), sum(map(len, values[1:])))
        attributes = cls.attributes_of(flag.type, cases, values[1:])
        return cls(operands, (), attributes, (), location, segments, blocks)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        flag = parser.value_use()
        parser.expect(":")
        type = parser.parse_type()
        parser.expect(",")
        parser.expect("[")
        numbers = list[int]()

        def one() -> tuple[Block, list[Value]]:
            if parser.token.text != "default":
                numbers.append(parser.fitting_integer(type))
            else:
                parser.expect("default")
            parser.expect(":")
            return _parse_target(parser)

        start = parser.token.start
        targets = parser.comma_separated("]", one)
        if len(targets) != len(numbers) + 1 or not isinstance(type, IntegerType):
            raise parser.error("expected 'default: ^block' first, then 'number: ^block', of an integer", start)
        made = cls.made(parser.resolve(flag, type), numbers, targets, location)
        made.attributes.update(parser.optional_attribute_dict(made.attributes))
        return made

    @staticmethod
    def attributes_of(
        type: IntegerType, numbers: Sequence[int], passed: Sequence[Sequence[Value]]
    ) -> dict[str, DenseArrayAttr | IntegersAttr]:
        """The attributes of cases with these numbers, to which these values are passed."""
        segments = DenseArrayAttr(I32, tuple(map(len, passed)))
        found: dict[str, DenseArrayAttr | IntegersAttr] = {"case_operand_segments": segments}
        return {**found, "case_values": IntegersAttr(tuple(numbers), type)} if numbers else found

    def print(self, printer: Printer) -> None:
        printer.word(f"{printer.name(self.flag)} : {self.flag.type}, [")
        names = ["default", *map(str, self.cases)]
        targets = [f"{name}: {_target(printer, *target)}" for name, target in zip(names, self.passed(), strict=True)]
        for i, text in enumerate(targets):
            printer.line(f"  {text}" + "," * (i + 1 < len(targets)))
        printer.line("]")
        printer.attribute_dict(self, hidden=("case_values", "case_operand_segments"))

    def verify(self, report: Report) -> None:
        if not _counted(self, 1 + len(self.cases), report):
            return
        segments = self.case_operand_segments
        twice = next((n for i, n in enumerate(self.cases) if n in self.cases[:i]), None)
        if len(segments) != len(self.cases) or sum(segments) != len(self.caseOperands) or min(segments, default=0) < 0:
            self.error(report, f"case_operand_segments {list(segments)} divide no {len(self.caseOperands)} operands")
        elif twice is not None:
            self.error(report, f"has the case {twice} twice")
        elif self.case_values is not None and self.case_values.element != self.flag.type:
            self.error(report, f"compares {self.flag.type} with numbers of {self.case_values.element}")
        else:
            super().verify(report)


def _counted(op: Operation, count: int, report: Report) -> bool:
    if len(op.successors) == count:
        return True
    op.error(report, f"goes on to {len(op.successors)} blocks, expected {count}")
    return False


def _words(types: Sequence[Type]) -> str:
    return f"({', '.join(map(str, types))})"


def _parse_target(parser: Parser) -> tuple[Block, list[Value]]:
    """`^bb1(%a, %b : T, U)`."""
    location, block = parser.location(), parser.successor()
    if not parser.accept("("):
        return block, []
    tokens = [parser.value_use()]
    while parser.accept(","):
        tokens.append(parser.value_use())
    parser.expect(":")
    types = parser.comma_separated(")", parser.parse_type)
    return block, [parser.resolve(t, type) for t, type in parser.zip_types(tokens, types, location)]


def _target(printer: Printer, block: Block, values: Sequence[Value]) -> str:
    name = printer.label(block)
    if not values:
        return name
    return f"{name}({', '.join(map(printer.name, values))} : {', '.join(str(v.type) for v in values)})"
