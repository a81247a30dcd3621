"""Operands of products that a loop reads from global memory go through shared memory.

    %a = vector.transfer_read %A[..]                  %a = vector.transfer_read %A[..]
    .. vector.contract .. %a ..                       vector.transfer_write %a, %tile[0, 0]
                                                      %0 = vector.transfer_read %tile[0, 0]
                                                      .. vector.contract .. %0 ..

The threads then read global memory in whatever layout is best for that, each element once, and take from the tile the
fragments that several of them need. It is done before layouts are chosen: both accesses get layouts of their own.

`promote_operands` in a contraction's `lowering_config` says which operands are to be promoted (0: lhs, 1: rhs), and so
which are not; without it those are that are worth it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from ..analysis.buffers import Buffers
from ..analysis.divisibility import Divisibility
from ..ir.analyses import Analyses
from ..ir.attributes import ArrayAttr, IntegerAttr, int_array, is_int_array
from ..ir.core import Before, Value
from ..ir.dialects import arith, memref, scf
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.iree_gpu_config import lowering_config
from ..ir.dialects.vector import ContractionOp, TransferReadOp, TransferWriteOp
from ..ir.memory_spaces import is_global
from ..ir.passes import Outcome
from ..ir.types import I1, INDEX, element_type, memory_bits
from ..layout.workgroup import Workgroup
from .loops import counts, loops, made_for, makers, reads, written
from .promoted_tiles import PromotedTile, plain_tile, tile_for
from .shared_memory_budget import SharedMemoryBudget, most_bytes, most_bytes_of, moves_nothing
from .tensor_tiles import is_wanted

_FEW = 16
"""Rows and columns of a product from which on its operands are worth a way through shared memory."""


def promote(function: FunctionLike, workgroup: Workgroup, analyses: Analyses) -> Outcome:
    """Rewrites the loops of a function in the vector stage, in place."""
    outcome, around = Outcome(), loops(function)
    if workgroup.scope != "workgroup" or not around:
        return outcome
    limit = workgroup.shared_bytes if moves_nothing(function) else most_bytes_of(workgroup.shared_bytes)
    budget = SharedMemoryBudget(function, limit, analyses)
    buffers, known = analyses.get(Buffers, function), analyses.get(Divisibility, function)
    for loop in around:
        changing = written(loop, buffers)
        pays = workgroup.subgroups > 1 and not _is_short_of_registers(loop, workgroup)
        wanted = [read for read in reads(loop) if _is_wanted(read, loop, pays)]
        tiles = _tiles(wanted, loop, workgroup, known)
        for read in wanted:
            tile = tiles[read]
            why = _why_not(read, loop, changing.isdisjoint(buffers.of(read.memref)), tile.bytes <= budget.left(loop))
            if why:
                outcome.leave(read, f"{read.vector.type} does not come through shared memory: {why}")
            else:
                _through(read, tile, loop)
                budget.take(loop, tile.bytes)
                outcome.changed = True
    return outcome


def _is_short_of_registers(loop: scf.ForOp, workgroup: Workgroup) -> bool:
    """On gfx11 two lanes have each element of a fragment, twice the registers: a chain of products that takes them from
    shared memory, which LLVM reads early, spills."""
    products = sum(isinstance(op, ContractionOp) for op in loop.body.operations)
    return products > 1 and workgroup.chip.supports("wmma.gfx11")


def _is_wanted(read: TransferReadOp, loop: scf.ForOp, pays: bool) -> bool:
    """Whether it reads a tile of global memory which only products use: those that ask for it, or where it `pays`,
    those that use it again and again. One that no iteration changes stays where it is."""
    if not is_global(read.memref_type.memory_space):
        return False
    places = makers(read.indices, loop)
    uses = list(_operands(read.vector, loop))
    wanted = bool(uses) and all(use is not None and _wants(*use, pays) for use in uses)
    return wanted and (places is None or counts(loop, read, places))


def _why_not(read: TransferReadOp, loop: scf.ForOp, keeps: bool, fits: bool) -> str:
    """Why a tile that is wanted is not promoted, in words; empty where it is."""
    if read.mask is not None or memory_bits(element_type(read.vector.type)) < 8:
        return "it is masked, or its elements share bytes"
    if makers(read.indices, loop) is None or makers([read.memref, read.padding], loop) != []:
        return "its place depends on more than the iteration's number"
    if not keeps:
        return "the loop writes the memory that is read"
    return "" if fits else "there is no room for it"


def _wants(op: ContractionOp, position: int, pays: bool) -> bool:
    asked = _asked(op)
    return pays and _reuses(op) if asked is None else position in asked


def _asked(op: ContractionOp) -> tuple[int, ...] | None:
    """The operands that the program wants to be promoted; None where it does not say. `layout/configs.py` refuses
    what is none."""
    wanted = lowering_config(op).get("promote_operands")
    return int_array(wanted) if wanted is not None and is_int_array(wanted) else None


def _operands(value: Value, loop: scf.ForOp) -> Iterator[tuple[ContractionOp, int] | None]:
    """The contractions that a value is an operand of, through casts of its elements, and which operand it is; None for
    any other use."""
    for user, position in value.uses:
        if isinstance(user, ContractionOp) and position < 2 and user.parent is loop.body:
            yield user, position
        elif user.elementwise and len(user.operands) == 1 and user.parent is loop.body:
            yield from _operands(user.result, loop)
        else:
            yield None


def _reuses(op: ContractionOp) -> bool:
    extents, roles = op.iterator_extents, op.roles
    return all(prod(extents[it] for it in side) >= _FEW for side in (roles.rows, roles.columns))


def _tiles(
    wanted: Sequence[TransferReadOp], loop: scf.ForOp, workgroup: Workgroup, known: Divisibility
) -> Mapping[TransferReadOp, PromotedTile]:
    """Without longer rows where not even two of each would fit with them."""
    padded = {read: _tile(read, loop, workgroup, known) for read in wanted}
    if 2 * sum(tile.bytes for tile in padded.values()) <= most_bytes(workgroup):
        return padded
    return {read: _tile(read, loop, workgroup, known, is_tight=True) for read in wanted}


def _tile(
    read: TransferReadOp, loop: scf.ForOp, workgroup: Workgroup, known: Divisibility, *, is_tight: bool = False
) -> PromotedTile:
    """Plain where it gets an order of its own (`tensor_tiles.py`), which keeps rows in different banks."""
    uses = [use for use in _operands(read.vector, loop) if use is not None]
    if is_wanted(uses, workgroup):
        return plain_tile(read)
    return tile_for(read, uses, workgroup, known, is_tight=is_tight)


def _through(read: TransferReadOp, shape: PromotedTile, loop: scf.ForOp) -> None:
    """The write follows the read; what is read back stands before its first use."""
    body, value = loop.body, read.vector
    users = list(value.users)
    first = min(users, key=body.position)
    inside, map = ArrayAttr((IntegerAttr(1, I1),) * value.type.rank), shape.permutation_map
    outside = Before(loop)
    tile = outside.append(memref.AllocOp([], [shape.type], dict(shape.attributes))).memref
    corner = [outside.value(arith.ConstantOp, types=[INDEX], value=IntegerAttr(0, INDEX))] * value.type.rank
    following = body.operations[body.position(read) + 1]
    behind = Before(following)
    with made_for(behind, read):
        behind.op(TransferWriteOp, value, tile, corner, [], types=[], in_bounds=inside, permutation_map=map)
    back = Before(first).value(
        TransferReadOp, tile, corner, read.padding, [], types=[value.type], in_bounds=inside, permutation_map=map
    )
    tile.hint, back.hint = value.hint and f"tile_{value.hint}", value.hint
    for user in users:
        user.set_operands([back if operand is value else operand for operand in user.operands])
