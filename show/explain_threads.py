"""What each operation of the layout stage became in one thread's program, counted there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from ..ir.attributes import number_of
from ..ir.core import Operation, Value
from ..ir.dialects import gpu
from ..ir.dialects.lanewise_warpgroup import WarpgroupProduct
from ..ir.effects import accesses
from ..ir.memory_spaces import is_workgroup
from ..ir.types import (
    IntegerType,
    element_count,
    memory_bits,
    scalar_type,
)
from .explanation_parts import Instruction

_BUILT_OF_REGISTERS = frozenset({"vector", "memref", "scf", "cf", "func", "ub", "builtin", "llvm"})
"""Dialects whose operations put registers together, or say where things are; those that access memory count."""


class InThreads:
    """A thread's program, by the operations of the layout stage that it came of."""

    def __init__(self, function: Operation, layout_stage: Collection[Operation]) -> None:
        self._made: dict[Operation, list[Operation]] = {op: [] for op in layout_stage}
        self.barriers: Counter[Operation] = Counter()
        """Barriers by the operation before whose part they stand."""
        self.barrier_count = 0
        waiting = 0
        for op in function.walk():
            waits = isinstance(op, gpu.BarrierOp)
            self.barrier_count += waits
            owner = self._owner(op)
            if owner is None:
                waiting += waits
                continue
            self._made[owner].append(op)
            self.barriers[owner] += waiting + waits
            waiting = 0

    def _owner(self, op: Operation) -> Operation | None:
        """An operation that was made for none of the layout stage has no owner: a barrier between two of them."""
        found: Operation | None = op
        while found is not None and found not in self._made:
            found = found.origin
        return found

    def instructions(self, op: Operation) -> Iterator[Instruction]:
        """Those that compute, move data between lanes, or access memory; not what finds addresses."""
        found: Counter[tuple[str, int]] = Counter()
        numbers = any(_is_integer(v) for v in (*op.operands, *op.results) if v.type.is_vector)
        for made in self._made[op]:
            touched = bool(list(accesses(made)))
            crosses = made.collective and bool(made.results)
            if touched or crosses or (_computes(made) and (numbers or not any(map(_is_integer, made.results)))):
                found[made.opname, _bytes(made) if touched else 0] += _steps(made)
        return (Instruction(name, count, size) for (name, size), count in found.items())

    def shuffles(self, op: Operation) -> int:
        return sum(isinstance(made, gpu.ShuffleOp) for made in self._made[op])

    def is_exchanged(self, op: Operation) -> bool:
        """Whether it is carried out through shared memory though it accesses none itself."""
        if list(accesses(op)):
            return False
        return any(is_workgroup(a.memref.type.memory_space) for made in self._made[op] for a in accesses(made))


def _steps(op: Operation) -> int:
    """Instructions of the machine: products of warpgroups take one for each step along what is summed."""
    return op.depth // op.instruction.shape[2] if isinstance(op, WarpgroupProduct) else 1


def _computes(op: Operation) -> bool:
    """Whether it makes numbers of elements."""
    if op.opname.partition(".")[0] in _BUILT_OF_REGISTERS or not op.operands or op.regions:
        return False
    return not op.results or any(_is_element(result) for result in op.results)


def _is_element(value: Value) -> bool:
    return scalar_type(value.type).is_float or _is_integer(value)


def _is_integer(value: Value) -> bool:
    """Whether it is a number or numbers that are no index, and no truth value."""
    type = scalar_type(value.type)
    return isinstance(type, IntegerType) and memory_bits(type) > 1


def _bytes(op: Operation) -> int:
    """The most that one of its operands and results has; of copies what they say."""
    said = number_of(op.attributes.get("dstElements"))
    if said is not None:
        return said * next(memory_bits(a.memref.type.element) for a in accesses(op)) // 8
    values = [v for v in (*op.operands, *op.results) if _is_element(v)]
    return max((_size(v) for v in values), default=0)


def _size(value: Value) -> int:
    return element_count(value.type) * memory_bits(scalar_type(value.type)) // 8
