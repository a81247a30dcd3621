"""Operands of products that nobody holds: an instruction reads them where they lie in shared memory.

The layout of such a vector is `InMemory`. It is what `vector.transfer_read` of shared memory may give to a
contraction, where the buffer's order is one that tensor cores know and nothing writes it in between; nothing else
takes it, and nothing is converted to it or from it.
"""

from __future__ import annotations

from functools import lru_cache

from ..analysis.divisibility import Divisibility
from ..ir.core import Operation, Value
from ..ir.dialects.memref import AllocOp, memref_type
from ..ir.dialects.vector import ContractionOp, TransferReadOp
from ..ir.effects import accesses, viewed_first
from ..ir.element_orders import order_of
from ..ir.memory_spaces import is_workgroup
from ..ir.tensor_orders import ROWS, tensor_order
from ..ir.types import memory_bits
from ..support.named_tuples import NamedTuple
from .nested import NestedLayout


class InMemory(NestedLayout):
    """The layout of a vector without registers; its digits, all of them batches, say the shape."""

    __slots__ = ()

    @property
    def registers(self) -> int:
        return 0

    @property
    def is_held(self) -> bool:
        return False

    def wrapped(self, num_subgroups: int) -> NestedLayout:
        return self

    def __str__(self) -> str:
        return f"in shared memory, {'x'.join(map(str, self.shape))}"


@lru_cache(maxsize=1024)
def in_memory(shape: tuple[int, ...]) -> InMemory:
    ones, zeros = (1,) * len(shape), (0,) * len(shape)
    return InMemory(ones, shape, ones, ones, ones, zeros, zeros)


class Tile(NamedTuple):
    """A vector of two dimensions as it lies: `contiguous` is the one along which neighbours are neighbours in memory.

    `width` is how many of these make a row of the boxes that tensor cores know, `bits` those of an element.
    """

    contiguous: int
    width: int
    bits: int


def tile_of(value: Value, known: Divisibility) -> Tile | None:
    """How an operand of contractions lies in shared memory, where it may be read there; None where it may not."""
    read = value.operation
    if not isinstance(read, TransferReadOp) or read.mask is not None or not all(read.in_bounds_flags):
        return None
    buffer, dims = read.memref, read.memory_dims
    type = buffer.type
    if not is_workgroup(type.memory_space) or read.parent is None or {*dims} != {type.rank - 2, type.rank - 1}:
        return None
    maker = buffer.operation
    tensor = tensor_order(type, order_of(maker)) if isinstance(maker, AllocOp) else None
    if tensor is None or len(dims) != 2:
        return None
    bits = memory_bits(type.element)
    width = tensor.width * 8 // bits
    if not _begins_a_pattern(read, width, known) or not _stays(read):
        return None
    return Tile(dims.index(type.rank - 1), width, bits)


def _begins_a_pattern(read: TransferReadOp, width: int, known: Divisibility) -> bool:
    *_, row, column = read.indices
    return known.of(row) % ROWS == 0 and known.of(column) % width == 0


def _stays(read: TransferReadOp) -> bool:
    """Whether only contractions of its block use it, as operands, and nothing may write the buffer before the last."""
    block, uses = read.parent, list(read.vector.uses)
    assert block is not None
    if not uses or not all(isinstance(user, ContractionOp) and at < 2 and user.parent is block for user, at in uses):
        return False
    last = max(block.position(user) for user, _ in uses)
    between = block.operations[block.position(read) + 1 : last]
    return not any(_may_write(op, read.memref) for op in between)


def _may_write(op: Operation, buffer: Value) -> bool:
    return any(
        access.writes and _root(access.memref) in (buffer, None) for inner in op.walk() for access in accesses(inner)
    )


def _root(memref: Value) -> Value | None:
    """The allocation that it is a view of; None where that is not plain, and it may be a workgroup's."""
    root = viewed_first(memref)
    elsewhere = not is_workgroup(memref_type(root).memory_space)
    return root if elsewhere or isinstance(root.operation, AllocOp) else None
