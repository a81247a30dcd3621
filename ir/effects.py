"""What operations do to memory, asked of their classes: which memrefs are read and written, and where these lie."""

from __future__ import annotations

from collections.abc import Iterator

from ..support.named_tuples import NamedTuple
from .core import Operation, Value
from .define import is_memref
from .traits import Effect
from .types import MemRefType


class Access(NamedTuple):
    """What one operation does through one of its memref operands."""

    operation: Operation
    memref: Value[MemRefType]
    effect: Effect

    @property
    def reads(self) -> bool:
        return Effect.READS in self.effect

    @property
    def writes(self) -> bool:
        return Effect.WRITES in self.effect

    @property
    def atomic(self) -> bool:
        return Effect.ATOMIC in self.effect


def accesses(op: Operation) -> Iterator[Access]:
    """What the operation itself reads, writes or frees, not what those in its regions do. What it does through a
    tensor map it does to the tensor that this is of."""
    for group in op.memory_groups:
        for value in group.group(op):
            memref = value if value.type.is_memref else viewed(value)
            if memref is not None and is_memref.admits(memref):
                assert group.effect is not None
                yield Access(op, memref, group.effect)
    for value, effect in op.touches():
        assert is_memref.admits(value)
        yield Access(op, value, effect)


def viewed(memref: Value) -> Value | None:
    """The memref whose memory this one shares, where a single operation made it of that."""
    op = memref.operation
    if op is None or not op.view_results:
        return None
    source = op.view_results.get(memref.index)
    return None if source is None else source.group(op)[0]


def viewed_first(memref: Value) -> Value:
    """The memref that it is a view of, of views too; itself where it is none."""
    while (source := viewed(memref)) is not None:
        memref = source
    return memref


def views(memref: Value) -> Iterator[Value]:
    """The memref and all views of it, of views too."""
    yield memref
    for op in memref.users:
        for position, source in op.view_results.items():
            if source.group(op)[0] is memref:
                yield from views(op.results[position])
