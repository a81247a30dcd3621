"""vector.mask: one operation, done only where a mask is on. Written out, the mask becomes an operand or a selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ...support.diagnostics import Report
from ..assembly_elements import Body, State
from ..core import Operation, Position, Value
from ..define import anything, is_mask, operand, operands, optional_operand, region, results, scalar_like
from ..traits import HANDS_ON
from ..types import Attribute, Type, shape_of

if TYPE_CHECKING:
    from ..operation_parser import Parser


class Maskable(Operation):
    """What vector.mask may hold besides elementwise operations."""

    joins_masks: ClassVar[bool] = False
    """Whether it has a mask in any case, so that both count; what they leave out is its own to say."""

    def mask_shape(self) -> tuple[int, ...]:
        """The shape of the masks that it may be done under."""
        raise AssertionError


class YieldOp(Operation, opname="vector.yield"):
    """Ends the region of vector.mask with the results of the operation in it."""

    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"
    parents = ("vector.mask",)
    parent_words = "must be inside vector.mask"


class Masked(Body):
    """A region that yields what its last operation makes, where the text does not say it."""

    def parse(self, parser: Parser, state: State) -> None:
        super().parse(parser, state)
        (body,) = state.regions[self.field.name]
        block = body.blocks[0]
        if block.terminator is None:
            given = block.operations[-1].results if block.operations else []
            block.append(YieldOp(list(given), location=state.location))


class MaskOp(Operation, opname="vector.mask"):
    """The operation in the region, done where `mask` is on; elsewhere its result is `passthru`, if there is one.

    Without `passthru`, what an elementwise operation or an outer product leaves out is poison, or the accumulator;
    reductions and contractions join what is on; transfers read padding, and write nothing, for what is off.
    """

    pure = False
    recursive_effects = True
    mask = operand(is_mask)
    passthru = optional_operand(scalar_like)
    body_region = region()
    results_ = results(anything)
    directives = {"Masked": Masked}
    assembly = (
        "$mask (`,` $passthru^)? custom<Masked>($body_region) attr-dict `:` type($mask) (`->` arrow-types($results)^)?"
    )

    def carries(self) -> Iterator[Position]:
        last = self.body.terminator
        assert last is not None
        yield from (Position(((last, i),), (result,)) for i, result in enumerate(self.results))

    @property
    def masked(self) -> Operation | None:
        """The operation in the region; None where there is none."""
        return self.body.operations[0] if len(self.body.operations) > 1 else None

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return []

    def verify(self, report: Report) -> None:
        end, op = self.body.terminator, self.masked
        if self.body.arguments:
            self.error(report, "the region takes no arguments")
        elif not isinstance(end, YieldOp):
            self.error(report, "the region must end in vector.yield")
        elif [v.type for v in end.values] != [r.type for r in self.results]:
            found, expected = (", ".join(str(v.type) for v in vs) or "nothing" for vs in (end.values, self.results))
            self.error(report, f"the region yields {found}, the results are {expected}")
        elif len(self.body.operations) > 2:
            self.error(report, f"masks one operation, found {len(self.body.operations) - 1}")
        elif op is None:
            self._check_empty(report)
        else:
            self._check_masked(op, end, report)

    def _check_empty(self, report: Report) -> None:
        if self.passthru is not None:
            self.error(report, "has a passthru, and no operation that it could stand in for")

    def _check_masked(self, op: Operation, end: YieldOp, report: Report) -> None:
        if list(end.values) != op.results:
            self.error(report, f"the region must yield the results of '{op.opname}'")
        elif not isinstance(op, Maskable) and not op.elementwise:
            own = any(field.name == "mask" for field in op.operand_groups)
            hint = "it takes a mask as an operand" if own else "let arith.select replace what is to be left out"
            self.error(report, f"'{op.opname}' cannot be masked", hint)
        elif not _joins_masks(op) and _has_mask(op):
            self.error(report, f"'{op.opname}' has a mask of its own")
        elif self.mask.type.shape != (expected := _mask_shape(op)):
            self.error(report, f"mask of '{op.opname}' must have the shape {list(expected)}, found {self.mask.type}")
        elif self.passthru is not None:
            self._check_passthru(op, self.passthru, report)

    def _check_passthru(self, op: Operation, passthru: Value, report: Report) -> None:
        if _joins_masks(op):
            self.error(report, f"takes no passthru: '{op.opname}' has its own")
        elif len(op.results) != 1:
            self.error(report, "has a passthru and no result that it could stand in for")
        elif passthru.type != op.results[0].type:
            self.error(report, f"passthru must be {op.results[0].type} as the result, found {passthru.type}")
        elif shape_of(passthru.type) != self.mask.type.shape:
            self.error(report, f"a result {passthru.type} has no element for each of the mask {self.mask.type}")


def _has_mask(op: Operation) -> bool:
    return any(field.name in ("mask", "masks") and field.group(op) for field in op.operand_groups)


def _joins_masks(op: Operation) -> bool:
    return isinstance(op, Maskable) and op.joins_masks


def _mask_shape(op: Operation) -> tuple[int, ...]:
    return op.mask_shape() if isinstance(op, Maskable) else shape_of(op.results[0].type)
