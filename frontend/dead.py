"""What nobody uses goes, before anything is chosen for it.

These are operations without another effect than their results, what loops carry for themselves alone, and results of
branches.

A value is live where an operation that has an effect needs it, directly or through others; what regions hand on
(`Operation.carries`) is live where one of the values is that it becomes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.core import Block, Operation, Position, Value
from ..ir.effects import accesses
from ..ir.kernels import Kernel
from ..ir.remarks import Remark
from ..ir.traits import READS
from .legalisations import copy_of


def without_dead(kernel: Kernel) -> Kernel:
    """The kernel, in the vector stage and of one block a region, without what is dead: itself where nothing is."""
    if not _Liveness(kernel.op).has_dead:
        return kernel
    copy = copy_of(kernel)
    _Liveness(copy.op).erase()
    return copy


def unused(kernel: Kernel) -> Iterator[Remark]:
    """What is told of dead vectors: where nobody takes them, and not where what they are computed from is.

    Constants and single numbers cost nothing, and what expansion adds to an operation that is live is its own.
    """
    live = _Liveness(kernel.op)
    for op in live.unused():
        yield Remark(f"{op.title} is not computed: nobody uses what it computes", op.location, kind="unused")
    for op, value in live.handed_to_nobody():
        what = f"hands on {f'%{value.hint}, ' * bool(value.hint)}a {value.type} that nobody uses: it is not computed"
        yield Remark(f"{op.title} {what}", op.location, kind="unused")


def has_effect(op: Operation) -> bool:
    """Whether an operation itself, apart from those in its regions, does more than compute its results, and read."""
    if op.pure or op.makes_memory or op.recursive_effects:
        return False
    only_reads = bool(op.memory_groups) and all(access.effect == READS for access in accesses(op))
    return not (only_reads and op.results and op.collective is None)


class _Liveness:
    """`operations` and `values`: those that are live."""

    def __init__(self, function: Operation) -> None:
        self.function = function
        self.operations: set[Operation] = {function}
        self.values: set[Value] = set()
        self._all = list(function.walk())
        self._positions: list[Position] = [p for op in self._all if op.regions for p in op.carries()]
        self._handed = {source for position in self._positions for source in position.sources}
        """Operands that are needed only where what they become is."""
        self._sources = {target: p.sources for p in self._positions for target in p.targets}
        self._pending: list[Value] = []
        for op in self._all:
            if op.enclosing() is function if op.terminator else has_effect(op):
                self._needs(op)
        while self._pending:
            self._reach(self._pending.pop())

    def _needs(self, op: Operation) -> None:
        """An operation that is live, those around it, and the ends of its regions."""
        live: list[Operation] = [op]
        while live:
            op = live.pop()
            if op in self.operations:
                continue
            self.operations.add(op)
            self._pending += [v for i, v in enumerate(op.operands) if (op, i) not in self._handed]
            ends = (block.terminator for region in op.regions for block in region.blocks)
            around = op.enclosing()
            live += [other for other in (around, *ends) if other is not None]

    def _reach(self, value: Value) -> None:
        if value in self.values:
            return
        self.values.add(value)
        self._pending += [op.operands[number] for op, number in self._sources.get(value, ())]
        region = value.owner.parent if isinstance(value.owner, Block) else None
        owner = value.operation if region is None else region.parent
        if owner is not None:
            self._needs(owner)

    # -- what is dead -------------------------------------------------------------------------------------------

    def unused(self) -> Iterator[Operation]:
        """The operations that make vectors or have regions and of whose results there is no user, not even a dead one:
        of what became of one of the program the first, where all of it is dead."""
        told = {op.written for op in self.operations}
        for op in self._all:
            is_outermost = op not in self.operations and op.enclosing() in self.operations
            if is_outermost and _is_of_vectors(op) and op.written not in told and not any(r.users for r in op.results):
                told.add(op.written)
                yield op

    def handed_to_nobody(self) -> Iterator[tuple[Operation, Value]]:
        """The operations that stay and what their regions hand on to nobody, of vectors: as one of its targets is."""
        for op in self._all:
            for position in op.carries() if op.regions and op in self.operations else ():
                if self.values.isdisjoint(position.targets) and position.targets[0].type.is_vector:
                    yield op, position.targets[0]

    @property
    def has_dead(self) -> bool:
        return len(self.operations) < len(self._all) or any(True for _ in self._dead_positions())

    def _dead_positions(self) -> Iterator[Position]:
        """The dead positions of operations that stay: what becomes nothing that is live."""
        for position in self._positions:
            if position.sources[0][0] in self.operations and self.values.isdisjoint(position.targets):
                yield position

    def erase(self) -> None:
        """Takes what is dead out of the function."""
        positions = list(self._dead_positions())
        given = {source for position in positions for source in position.sources}
        for op in {op: None for op, _ in given}:
            assert op.segments is None, f"{op.opname} hands on operands of groups"
            op.set_operands([v for i, v in enumerate(op.operands) if (op, i) not in given])
        Block.erase_all([op for op in self._all if op not in self.operations])
        taken = {target for position in positions for target in position.targets}
        for owner in {target.owner: None for target in taken}:
            if isinstance(owner, Operation):
                _keep(owner.results, [value for value in owner.results if value not in taken])
            else:
                for argument in [value for value in owner.arguments if value in taken]:
                    owner.remove_argument(argument)


def _is_of_vectors(op: Operation) -> bool:
    """Whether an operation, which is no constant, makes vectors or has regions."""
    makes_vectors = any(result.type.is_vector for result in op.results)
    return (makes_vectors or bool(op.regions)) and not op.constant_like


def _keep(results: list[Value], kept: Sequence[Value]) -> None:
    """The results of an operation that stay, in the same order."""
    assert not any(value.users for value in results if value not in kept)
    results[:] = kept
    for index, value in enumerate(results):
        value.index = index
