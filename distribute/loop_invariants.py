"""Loop-invariant code motion: integers and views that are the same in every iteration are computed before the loop.

An operation moves in front of the outermost loop that changes none of its operands, whatever branches it stands in, for
it may be done where the program does not do it (`Operation.speculatable`). Two that are the same there become one.
Floats stay, but for quotients: of a tile that does not change, each element would take a register.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from ..analysis.held_in_loops import holds_invariants
from ..ir.core import Block, Operation, Value
from ..ir.dialects import arith
from ..ir.types import F32, I1, IndexType, IntegerType, MemRefType, Type
from ..support.deep_recursion import deep
from ..targets.chip import Vendor

_MOVED: frozenset[type[Type]] = frozenset({IndexType, IntegerType, MemRefType})
"""Types of what moves and of what it is computed from: one register at most. A view takes none."""
_MOST_CONDITIONS = 8
"""So many may be held. On AMD each takes two of a wave's hundred scalar registers, and what it chooses takes more, for
it is then the same in all iterations, too; on NVIDIA there are seven registers for them."""


def move_invariants(function: Operation, vendor: Vendor) -> bool:
    """Moves what iterations have in common out of the loops that a vendor's chips hold it for. Whether there was any
    such operation."""
    found = _Found(vendor)
    for region in function.regions:
        for block in region.blocks:
            found.visit(block, ())
    moved: dict[Hashable, Operation] = {}
    for op, loop in _without_many_conditions(found.loops).items():
        _move(op, loop, moved)
    return bool(moved)


class _Found:
    """The operations that may move, in program order, and the loops that they may stand before."""

    def __init__(self, vendor: Vendor) -> None:
        self._vendor: Vendor = vendor
        self._depths: dict[Value, int] = {}
        """In how many of the loops a value changes; of those that change in none it says nothing."""
        self.loops: dict[Operation, Operation] = {}

    @deep
    def visit(self, block: Block, loops: Sequence[Operation]) -> None:
        """`loops` are those around a block that hold what their iterations have in common, the outermost first."""
        self._change(block.arguments, len(loops))
        for op in block.operations:
            depth = max((self._depths.get(v, 0) for v in op.operands), default=0) if loops else 0
            if depth < len(loops) and _moves(op):
                self.loops[op] = loops[depth]
                self._change(op.results, depth)
                continue
            self._change(op.results, len(loops))
            inside = (*loops, op) if op.repeats and holds_invariants(op, self._vendor) else loops
            for region in op.regions:
                for inner in region.blocks:
                    self.visit(inner, inside)

    def _change(self, values: Sequence[Value], depth: int) -> None:
        if depth:
            self._depths.update(dict.fromkeys(values, depth))


def _moves(op: Operation) -> bool:
    """Whether it takes a register at most, and may be done by other threads, and more often, than the program says."""
    if not op.speculatable or op.collective is not None or op.regions or not op.results:
        return False
    return _is_quotient(op) or _MOVED.issuperset(type(v.type) for v in (*op.operands, *op.results))


def _is_quotient(op: Operation) -> bool:
    """Whether it divides floats of 32 bits, which takes ten instructions and more."""
    return isinstance(op, arith.DivFOp) and op.result_.type == F32


def _without_many_conditions(found: Mapping[Operation, Operation]) -> dict[Operation, Operation]:
    """All, but no conditions in front of loops that would hold too many, nor what is computed from them."""
    counts = Counter(loop for op, loop in found.items() if _is_condition(op) and not _users(op) <= found.keys())
    left: dict[Operation, Operation] = {}
    for op, loop in found.items():
        stays = counts[loop] > _MOST_CONDITIONS and _is_condition(op)
        if not stays and all(made not in found or made in left for v in op.operands if (made := v.operation)):
            left[op] = loop
    return left


def _is_condition(op: Operation) -> bool:
    """Whether it makes one, which a constant does not."""
    return op.results[0].type == I1 and bool(op.operands)


def _users(op: Operation) -> set[Operation]:
    return {user for result in op.results for user in result.users}


def _move(op: Operation, loop: Operation, moved: dict[Hashable, Operation]) -> None:
    """In front of a loop, where it becomes one with an operation that is the same and has come there before it."""
    assert op.parent is not None and loop.parent is not None
    types, attributes = tuple(r.type for r in op.results), frozenset(op.attributes.items())
    same = moved.setdefault((loop, type(op), op.operands, op.segments, types, attributes), op)
    if same is op:
        op.parent.remove(op)
        loop.parent.insert(loop.parent.position(loop), op)
        return
    for result, other in zip(op.results, same.results, strict=True):
        result.replace_uses(other)
    op.parent.erase(op)
