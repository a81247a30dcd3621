"""A kernel as the layout search sees it: a node for every operation on vectors, an edge for every use.

What a loop carries, or the branches of an `if` give, is one node for each position: its initial value, argument,
yielded value and result share a layout. Constants, masks, steps and what is computed from these alone are *flexible*:
they are no nodes but are made anew in whatever layout a use needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..ir.builder import constant_int
from ..ir.core import Block, Operation, Value
from ..ir.dialects import arith, scf, vector
from ..ir.types import bit_width, element_type
from .nested import NestedLayout
from .transfer import TransferRule, is_vector, rule_of

_SOURCES = (arith.ConstantOp, vector.StepOp, vector.CreateMaskOp, vector.ConstantMaskOp)
_CARRIERS = (vector.BroadcastOp, vector.TransposeOp)
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
    """An operation, or a position of a loop or an `if` (then `rule` is None: all layouts are one)."""

    index: int
    op: Operation
    rule: TransferRule[Operation] | None
    operands: Sequence[Value]
    results: Sequence[Value]
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
        return max(8, bit_width(element_type(self.value.type)))


class Graph:
    """Nodes in program order."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self.flexible = _flexible_values(operations)
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
            trips = _trips(owner) if isinstance(owner, scf.ForOp) else 1
            self._often[block] = min(_MOST_OFTEN, trips * self.often(owner.parent))
        return self._often[block]

    # -- building -------------------------------------------------------------------------------------------------

    def _add(self, op: Operation) -> None:
        if isinstance(op, scf.ForOp):
            yielded = op.body.operations[-1].operands
            for init, argument, given, result in zip(op.init_args, op.iter_args, yielded, op.results, strict=True):
                self._node(op, None, [init, given], [argument, result])
        elif isinstance(op, scf.IfOp):
            branches = [region.block.operations[-1].operands for region in op.regions if region.blocks]
            for position, result in enumerate(op.results):
                self._node(op, None, [values[position] for values in branches], [result])
        elif not isinstance(op, scf.YieldOp):
            self._node(op, rule_of(op), op.operands, op.results)

    def _node(
        self, op: Operation, rule: TransferRule[Operation] | None, operands: Sequence[Value], results: Sequence[Value]
    ) -> None:
        made_anew = any(v in self.flexible for v in results)
        if made_anew or not any(map(is_vector, (*operands, *results))):
            return
        node = Node(len(self.nodes), op, rule, operands, results, self.often(op.parent))
        self.nodes.append(node)
        for slot, value in enumerate(results):
            if self.is_decided(value):
                self.homes[value] = node.index, slot

    def _uses(self) -> Iterable[Use]:
        for node in self.nodes:
            for slot, value in enumerate(node.operands):
                if value in self.homes:
                    maker, made = self.homes[value]
                    often = min(self._made_in(value), self._used_in(node, slot))
                    yield Use(value, maker, made, node.index, slot, often)

    def _made_in(self, value: Value) -> int:
        """A conversion may stand where the value is made."""
        return self.often(value.owner.parent if isinstance(value.owner, Operation) else value.owner)

    def _used_in(self, node: Node, slot: int) -> int:
        if isinstance(node.op, scf.ForOp) and slot == 1:
            return self.often(node.op.body)
        return node.often


def _trips(loop: scf.ForOp) -> int:
    low, high, step = (constant_int(v) for v in (loop.lower_bound, loop.upper_bound, loop.step))
    if low is None or high is None or not step:
        return _UNKNOWN_TRIPS
    return max(1, -(-(high - low) // step))


def _flexible_values(operations: Sequence[Operation]) -> set[Value]:
    flexible: set[Value] = set()
    for op in operations:
        carries = op.elementwise or isinstance(op, _CARRIERS)
        if isinstance(op, _SOURCES) or (carries and all(v in flexible or not is_vector(v) for v in op.operands)):
            flexible.update(r for r in op.results if is_vector(r))
    return flexible
