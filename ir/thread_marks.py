"""What distribution knows of a program and the order of its threads depends on, as attributes of its operations.

`lanewise.uniform = array<i64: ...>` says which values of an operation are the same in all threads of the program that
it is in: the arguments of its blocks are counted first, in order, then its results. On an operation with regions it
says, too, that these threads take it alike: all of them run a region, or none. Function arguments are the same anyway,
and so is what is computed of such values alone.

`lanewise.origin = 3 : i64` on several accesses of a block says that one operation of the layout stage became these: its
writes do not meet, whichever threads do them. `lanewise.scratch` on an allocation says that parts of the workgroup that
run at once use different bytes of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .attributes import DenseArrayAttr, IntegerAttr, UnitAttr
from .core import Block, Operation, Value
from .dialects import gpu
from .dialects.func import FunctionLike
from .passes import Mark
from .traits import finer
from .types import I64, Attribute

UNIFORM, ORIGIN, SCRATCH = "lanewise.uniform", "lanewise.origin", "lanewise.scratch"
MARKS = (
    Mark(UNIFORM, "which of its values are the same in all threads, block arguments first; its regions, taken alike"),
    Mark(ORIGIN, "neighbouring accesses with one number are of one operation: its writes do not meet"),
    Mark(SCRATCH, "parts of the workgroup that run at once use different bytes of it"),
)


def is_alike(op: Operation | None) -> bool:
    """Whether it gives all threads of a workgroup the same, of no operands."""
    if isinstance(op, gpu.IdOp):
        return not finer(op.belongs_to, "workgroup")
    return op is not None and op.constant_like


def mark(
    function: FunctionLike, uniform: Iterable[Value], alike: Iterable[Operation], scratch: Iterable[Value]
) -> None:
    """Puts what is known on a distributed function.

    Args:
        uniform: Values that are the same in all threads of the program that they are in.
        alike: Loops and branches that these threads take alike.
        scratch: Buffers of which parts that run at once use different bytes.
    """
    numbers: dict[Operation, list[int]] = {op: [] for op in alike}
    known = set(function.arguments)
    """Values of which readers know without a mark, or by one, whatever ids it is computed from."""
    for value in uniform:
        op = value.operation or _around(value)
        if op is None or op is function or is_alike(op):
            continue
        is_pure = value.operation is not None and op.pure
        if is_pure and op.operands and all(v in known or is_alike(v.operation) for v in op.operands):
            known.add(value)
            continue
        numbers.setdefault(op, []).append(_number(op, value))
        if not is_pure:
            known.add(value)
    for op, found in numbers.items():
        op.attributes[UNIFORM] = DenseArrayAttr(I64, tuple(sorted(found)))
    for value in scratch:
        assert value.operation is not None
        value.operation.attributes[SCRATCH] = UnitAttr()
    _mark_origins(function)


def _mark_origins(function: FunctionLike) -> None:
    became: dict[tuple[Block | None, Operation], list[Operation]] = {}
    for op in function.walk():
        if op.memory_groups and op.origin is not None:
            became.setdefault((op.parent, op.origin), []).append(op)
    several = [group for group in became.values() if len(group) > 1]
    for number, group in enumerate(several):
        for op in group:
            op.attributes[ORIGIN] = IntegerAttr(number, I64)


def clear(function: FunctionLike) -> None:
    """Takes all marks away."""
    for op in function.walk():
        if op.attributes:
            for name in (UNIFORM, ORIGIN, SCRATCH):
                op.attributes.pop(name, None)


def is_uniform(value: Value) -> bool:
    """Whether the program says outright that a value is the same in all threads of the program that it is in."""
    op = value.operation or _around(value)
    if op is None or isinstance(op, FunctionLike):
        return True
    stated = op.attributes.get(UNIFORM)
    return isinstance(stated, DenseArrayAttr) and _number(op, value) in stated.values


def is_taken_alike(op: Operation) -> bool:
    """Whether the program says that its threads take a loop or a branch alike."""
    return UNIFORM in op.attributes


def origin(op: Operation) -> Attribute | None:
    """The number that it has in common with the other accesses of one operation of the layout stage."""
    return op.attributes.get(ORIGIN)


def scratch_among(buffers: Collection[Value]) -> set[Value]:
    """Those of which parts that run at once use different bytes."""
    return {b for b in buffers if b.operation is not None and SCRATCH in b.operation.attributes}


def _around(argument: Value) -> Operation | None:
    """The operation whose block has this argument."""
    block = argument.owner
    return block.parent.parent if isinstance(block, Block) and block.parent is not None else None


def _number(op: Operation, value: Value) -> int:
    """Among the arguments of the operation's blocks, and its results after these."""
    first = 0
    for region in op.regions:
        for block in region.blocks:
            if value.owner is block:
                return first + value.index
            first += len(block.arguments)
    return first + value.index
