"""Buffers that products read get the order of elements in which tensor cores read them by themselves (sm_90a).

Nobody else sees the order, and it keeps rows in different banks. Whether a product is then done so is the choice of
layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from ..ir.analyses import Analyses
from ..ir.attributes import IntegerAttr
from ..ir.core import Operation, Value
from ..ir.dialects import memref
from ..ir.dialects.vector import ContractionOp, TransferReadOp
from ..ir.effects import accesses
from ..ir.element_orders import BOX, SWIZZLE
from ..ir.memory_spaces import is_workgroup
from ..ir.passes import Outcome
from ..ir.tensor_orders import ROWS, swizzle_of, width_of
from ..ir.traits import ACCESSES, FREES
from ..ir.types import I64, MemRefType, VectorType, memory_bits
from ..layout.contraction import Contraction
from ..layout.dimension import LayoutError
from ..layout.shared_operands import Tile
from ..layout.warpgroup_candidates import warpgroup_tilings
from ..layout.workgroup import Workgroup
from ..support.dataclasses import replace


def order_tiles(function: Operation, workgroup: Workgroup, analyses: Analyses) -> Outcome:
    """Rewrites a function in the vector stage, in place."""
    found = [op for op in function.all_of(memref.AllocOp) if _is_plain(op)]
    wanted = [op for op in found if _is_a_tile(op.memref.type) and is_wanted(_readers(op.memref), workgroup)]
    for op in wanted:
        *_, row = (n or 0 for n in op.memref.type.shape)
        bits = memory_bits(op.memref.type.element)
        width = width_of(row * bits // 8)
        assert width is not None
        op.attributes[SWIZZLE] = swizzle_of(width, bits)
        if width * 8 // bits < row:
            op.attributes[BOX] = IntegerAttr(width * 8 // bits, I64)
    return Outcome(bool(wanted))


def is_wanted(products: Iterable[tuple[ContractionOp, int]], workgroup: Workgroup) -> bool:
    """Whether products, of which a tile is an operand each, could all be done on tiles in shared memory."""
    given = list(products)
    return bool(given) and all(_could_be(op, workgroup) for op, _ in given)


def _could_be(op: ContractionOp, workgroup: Workgroup) -> bool:
    try:
        what = Contraction.of(op)
    except LayoutError:
        return False
    tiles = _tile(op.lhs), _tile(op.rhs)
    return not what.obstacle and any(warpgroup_tilings(replace(what, tiles=tiles), workgroup))


def _tile(value: Value) -> Tile | None:
    """As it would lie in a buffer of its own."""
    type = value.type
    if not isinstance(type, VectorType) or not isinstance(value.operation, TransferReadOp):
        return None
    bits, shape = memory_bits(type.element), type.shape
    width = width_of(shape[-1] * bits // 8) if len(shape) == 2 and shape[0] % ROWS == 0 and bits >= 8 else None
    return None if width is None else Tile(1, width * 8 // bits, bits)


def _is_plain(op: memref.AllocOp) -> bool:
    """Whether it is a workgroup's, has no order, and its elements are all that anybody has of it."""
    whole = all(access.effect & (ACCESSES | FREES) for user in op.memref.users for access in accesses(user))
    handed_on = any(user.view_results or user.terminator for user in op.memref.users)
    return (
        whole
        and not handed_on
        and is_workgroup(op.memref.type.memory_space)
        and not {SWIZZLE, BOX} & op.attributes.keys()
    )


def _is_a_tile(type: MemRefType) -> bool:
    extents = [n for n in type.shape if n is not None]
    if type.rank < 2 or len(extents) < type.rank or memory_bits(type.element) < 8 or not prod(extents):
        return False
    return extents[-2] % ROWS == 0 and width_of(extents[-1] * memory_bits(type.element) // 8) is not None


def _readers(buffer: Value) -> Iterator[tuple[ContractionOp, int]]:
    for user in buffer.users:
        if isinstance(user, TransferReadOp):
            for product, position in user.vector.uses:
                if isinstance(product, ContractionOp) and position < 2:
                    yield product, position
