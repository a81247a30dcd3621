"""Deep copies of operations and regions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from ..support.deep_recursion import deep
from .core import Block, OpT, Region, UnregisteredOp, Value


@deep
def clone(op: OpT, values: dict[Value, Value]) -> OpT:
    """A deep copy whose operands are looked up in `values` (kept when absent); results are entered there."""
    regions = [clone_region(r, values) for r in op.regions]
    args = [values.get(v, v) for v in op.operands], [r.type for r in op.results], op.attributes, regions, op.location
    copy = UnregisteredOp(op.name, *args) if isinstance(op, UnregisteredOp) else type(op)(*args)
    copy.segments, copy.successors, copy.origin = op.segments, op.successors, op.origin
    for old, new in zip(op.results, copy.results, strict=True):
        new.hint = old.hint
        values[old] = new
    return cast("OpT", copy)


def clone_region(region: Region, values: dict[Value, Value]) -> Region:
    """A deep copy; what branches to one of its blocks branches to the copy."""
    copies = {block: Block() for block in region.blocks}
    for block, copy in copies.items():
        for argument in block.arguments:
            values[argument] = copy.add_argument(argument.type, argument.hint)
    for block, copy in copies.items():
        for op in block.operations:
            made = copy.append(clone(op, values))
            made.successors = tuple(copies.get(successor, successor) for successor in made.successors)
    if len(copies) > 1:
        _use_copies(copies.values(), values)
    return Region(list(copies.values()))


def _use_copies(blocks: Iterable[Block], values: Mapping[Value, Value]) -> None:
    """A block may use what a later one defines, which was not copied yet when the block was."""
    for op in [inner for block in blocks for outer in block.operations for inner in outer.walk()]:
        if any(value in values for value in op.operands):
            op.set_operands([values.get(value, value) for value in op.operands])
