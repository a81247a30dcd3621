"""scf: regions that end in `scf.yield`, and what they hand on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...support.diagnostics import Report
from ..core import Block, Operation, Position, Value
from ..define import anything, operands
from ..traits import HANDS_ON
from ..types import Type


class Structured(Operation):
    """An operation that has regions which end in `scf.yield`."""


class YieldOp(Operation, opname="scf.yield"):
    """Ends a region; its values become the next iteration's arguments or the operation's results."""

    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"
    parents = ("scf.for", "scf.if", "scf.while", "scf.execute_region", "scf.index_switch")
    parent_words = "must end a region of another operation of scf"


def yielded(block: Block) -> Sequence[Value]:
    """What the block hands on."""
    assert block.terminator is not None
    return block.terminator.operands


def out_of(op: Operation) -> Iterator[Position]:
    """Each result is what one of the regions yields."""
    blocks = (block for region in op.regions for block in region.blocks)
    ends = [end for block in blocks if (end := block.terminator) is not None]
    for i, result in enumerate(op.results):
        yield Position(tuple((end, i) for end in ends), (result,))


def type_list(types: Sequence[Type]) -> str:
    return f"({', '.join(map(str, types))})"


def check_yield(op: Operation, block: Block, report: Report, expected: Sequence[Type] | None = None) -> None:
    """The block ends in a yield of `expected`, the results' types where nothing else is said."""
    what = "takes" if expected is not None else "has results"
    expected = [r.type for r in op.results] if expected is None else list(expected)
    if not isinstance(block.terminator, YieldOp):
        op.error(report, "region must end in scf.yield")
        return
    found = [v.type for v in block.terminator.values]
    if found != expected:
        block.terminator.error(report, f"yields {type_list(found)}, '{op.opname}' {what} {type_list(expected)}")
