"""A kernel as the layout search sees it: a node for every operation on vectors, an edge for every use.

What regions hand on (a loop carries, the branches of an `if` give) is one node for each position: its initial value,
argument, yielded value and result share a layout. Constants, masks, steps and what is computed from these alone are
*flexible*: they are no nodes but are made anew in whatever layout a use needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.builder import constant_int
from ..ir.core import Block, Operation, Value
from ..ir.dialects import scf
from ..ir.types import element_type, memory_bits
from ..support.dataclasses import dataclass, field
from .nested import NestedLayout
from .transfer import TransferRule, is_vector, rule_of

_UNKNOWN_TRIPS = 16
_MOST_OFTEN = 1 << 14


@dataclass(frozen=True)
class Alternative:
    """One way to do an operation: layouts of its operands (None: any will do) and results, and the cycles it takes."""

    operands: tuple[NestedLayout | None, ...]
    results: tuple[NestedLayout | None, ...]
    work: int = field(compare=False)


@dataclass(eq=False)
class Node:
    """An operation, or a position at which its regions hand on (then `rule` is None: all layouts are one)."""

    index: int
    op: Operation
    rule: TransferRule[Operation] | None
    operands: Sequence[Value]
    results: Sequence[Value]
    users: Sequence[Operation]
    """Which operation has each operand: the one itself, or one that ends a block in it."""
    often: int
    """How many times it is executed, as far as that is known."""
    alternatives: list[Alternative] = field(default_factory=list[Alternative])


@dataclass(frozen=True)
class Use:
    """Operand `slot` of node `user` is result `made` of node `maker`; converting it takes place `often` times."""

    value: Value
    maker: int
    made: int
    user: int
    slot: int
    often: int

    @property
    def bits(self) -> int:
        return memory_bits(element_type(self.value.type))


class Graph:
    """Nodes in program order."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self.flexible = flexible_values(operations)
        self.nodes: list[Node] = []
        self.homes: dict[Value, tuple[int, int]] = {}
        """The node and its result that give a value its layout."""
        self._often: dict[Block, int] = {}
        for op in operations:
            self._add(op)
        self.uses = list(self._uses())
        self.uses_of: list[list[Use]] = [[] for _ in self.nodes]
        """By the node that makes the value."""
        self.needs_of: list[list[Use]] = [[] for _ in self.nodes]
        """By the node that uses it."""
        for use in self.uses:
            self.uses_of[use.maker].append(use)
            self.needs_of[use.user].append(use)

    def is_decided(self, value: Value) -> bool:
        """Whether a value has one layout of its own."""
        return is_vector(value) and value not in self.flexible

    def often(self, block: Block | None) -> int:
        """How many times a block is executed: the product of the trip counts of the loops around it."""
        if block is None or block.parent is None or block.parent.parent is None:
            return 1
        if block not in self._often:
            owner = block.parent.parent
            self._often[block] = min(_MOST_OFTEN, _trips(owner) * self.often(owner.parent))
        return self._often[block]

    # -- building -------------------------------------------------------------------------------------------------

    def _add(self, op: Operation) -> None:
        handed_on = list(op.carries())
        for position in handed_on:
            users = [user for user, _ in position.sources]
            self._node(op, None, position.values, position.targets, users)
        if not handed_on and not op.terminator:
            self._node(op, rule_of(op), op.operands, op.results, [op] * len(op.operands))

    def _node(
        self,
        op: Operation,
        rule: TransferRule[Operation] | None,
        operands: Sequence[Value],
        results: Sequence[Value],
        users: Sequence[Operation],
    ) -> None:
        made_anew = any(v in self.flexible for v in results)
        if made_anew or not any(map(is_vector, (*operands, *results))):
            return
        node = Node(len(self.nodes), op, rule, operands, results, users, self.often(op.parent))
        self.nodes.append(node)
        for slot, value in enumerate(results):
            if self.is_decided(value):
                self.homes[value] = node.index, slot

    def _uses(self) -> Iterable[Use]:
        for node in self.nodes:
            for slot, value in enumerate(node.operands):
                if value in self.homes:
                    maker, made = self.homes[value]
                    often = min(self._made_in(value), self.often(node.users[slot].parent))
                    yield Use(value, maker, made, node.index, slot, often)

    def _made_in(self, value: Value) -> int:
        """A conversion may stand where the value is made."""
        return self.often(value.block)


def _trips(loop: Operation) -> int:
    """How many times its regions are executed when it is, as far as that is known."""
    if not loop.repeats:
        return 1
    if not isinstance(loop, scf.ForOp):
        return _UNKNOWN_TRIPS
    low, high, step = (constant_int(v) for v in (loop.lower_bound, loop.upper_bound, loop.step))
    if low is None or high is None or not step:
        return _UNKNOWN_TRIPS
    return max(1, -(-(high - low) // step))


def flexible_values(operations: Sequence[Operation]) -> set[Value]:
    """Vectors that are made anew in whatever layout a use needs."""
    flexible: set[Value] = set()
    for op in operations:
        rule = rule_of(op)
        carries = op.elementwise or rule.carries_any
        if rule.is_in_any or (carries and all(v in flexible or not is_vector(v) for v in op.operands)):
            flexible.update(r for r in op.results if is_vector(r))
    return flexible
