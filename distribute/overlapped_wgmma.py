"""Products of four subgroups that go on while their threads begin the next iteration of a loop.

    scf.for .. iter_args(%acc) {                       scf.for .. iter_args(%acc) {
      wait for copies, copy -> ring[%free]               wait for copies, copy -> ring[%free]
      %next = warpgroup_mma ring[%slot], %acc            %next = warpgroup_mma ring[%slot], %acc {waitGroup = 1}
      scf.yield %next                                    scf.yield %next
    }                                                  }
                                                       %done = warpgroup_wait %acc

An iteration's product ends while the next one's is under way. That may be where nobody but the next product takes its
accumulators, and no copy of the next iteration writes what it reads: which slots of a ring these are is computed,
iteration by iteration, until they repeat. Where another part of the workgroup copies, once a barrier object lets it, an
iteration must not tell of the slots that its own product reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from ..analysis.buffers import Buffers
from ..analysis.carried_numbers import Carried
from ..analysis.iteration_numbers import Iteration
from ..ir.analyses import Analyses
from ..ir.attributes import IntegerAttr
from ..ir.core import Before, Operation, Value
from ..ir.dialects import scf, vector
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.lanewise_warpgroup import WarpgroupMmaOp, WarpgroupWaitOp
from ..ir.dialects.nvgpu_mbarrier import MBarrierArriveOp, MBarrierTryWaitParityOp
from ..ir.dialects.nvvm_cluster import own_objects
from ..ir.effects import accesses
from ..ir.program_parts import part_around
from ..ir.traits import Effect
from ..ir.types import I32, MemRefType, memory_bits

_REGISTER_BITS = 32


def overlap_products(function: FunctionLike, analyses: Analyses) -> bool:
    """Rewrites the loops of a thread's program, in place; whether there was one to rewrite."""
    inside, found = function.all_of(WarpgroupMmaOp), False
    for loop in dict.fromkeys(op.enclosing() for op in inside):
        products = [op for op in inside if op.enclosing() is loop]
        if not isinstance(loop, scf.ForOp) or len(products) < len(loop.all_of(WarpgroupMmaOp)):
            continue
        chains = [_chain(loop, product) for product in products]
        if all(chains) and _keeps_apart(loop, products, analyses.get(Buffers, function)):
            _let_go_on(loop, products, [chain for chain in chains if chain])
            found = True
    return found


def _chain(loop: scf.ForOp, product: WarpgroupMmaOp) -> list[int] | None:
    """The numbers of the loop's values that are the product's accumulators, which are handed on as they are, and which
    nobody else takes; None where they are others."""
    if memory_bits(product.matrixC.type.element) != _REGISTER_BITS:
        return None
    packed, users = product.matrixC.operation, list(product.res.users)
    if not isinstance(packed, vector.FromElementsOp) or len(users) != 1:
        return None
    carried = {value: number for number, value in enumerate(loop.body.arguments[1:])}
    numbers = [carried.get(value) for value in packed.elements]
    results = users[0].results
    yielded = [loop.yielded[n] for n in numbers if n is not None]
    alone = all(len(list(value.uses)) == 1 for value in (*packed.elements, *results, product.matrixC))
    same = isinstance(users[0], vector.ToElementsOp) and list(results) == yielded
    return [n for n in numbers if n is not None] if alone and same else None


def _keeps_apart(loop: scf.ForOp, products: Sequence[WarpgroupMmaOp], buffers: Buffers) -> bool:
    """Whether nothing is written to what the products of this iteration, and of the one before, read."""
    read = {b for op in products for access in accesses(op) for b in buffers.of(access.memref)}
    writes = [
        access
        for op in loop.walk()
        for access in accesses(op)
        if access.writes and not read.isdisjoint(buffers.of(access.memref))
    ]
    if not all(Effect.LATER in access.effect for access in writes):
        return False
    tiles = [t for op in products for t in ((op.matrixA, op.indicesA), (op.matrixB, op.indicesB))]
    copied = [(access.memref, getattr(access.operation, "dstIndices", ())) for access in writes]
    elsewhere = _guards_elsewhere(loop, read, buffers)
    if elsewhere is None:
        return False
    told = [op for op in loop.all_of(MBarrierArriveOp) if own_objects(op.barriers) in elsewhere]
    follow = all(_follows(op, products[-1], loop) for op in told)
    if not writes and not told:
        return True
    numbers = [v for _, indices in (*tiles, *copied) for v in indices[:1]]
    carried = Carried([*numbers, *(op.mbarId for op in told)])

    def keeps(turn: Iteration, before: Iteration | None) -> bool:
        taken = {_slot(buffer, indices, turn) for buffer, indices in tiles}
        filled = {_slot(buffer, indices, turn) for buffer, indices in copied}
        freed = {turn.number(op.mbarId) for op in told}
        last = set[tuple[Value, int | None]]()
        if before is not None:
            last = {_slot(buffer, indices, before) for buffer, indices in tiles}
        if any(slot is None for _, slot in taken | filled) or not filled.isdisjoint(last | taken):
            return False
        under_way = taken if follow else last | taken
        return None not in freed and freed.isdisjoint(slot for _, slot in under_way)

    turns = list(carried.turns(loop))
    return all(keeps(turn, None) and all(keeps(later, turn) for later in following) for turn, following in turns)


def _guards_elsewhere(loop: scf.ForOp, read: Set[Value], buffers: Buffers) -> set[Value] | None:
    """The groups of barrier objects that other parts of the workgroup wait for, each time before they copy to what is
    read: object n before slot n. None where they do not wait."""
    part, found = part_around(loop), set[Value]()
    for access, touched in buffers.accesses():
        op = access.operation
        if not access.writes or read.isdisjoint(touched) or part_around(op) in (None, part):
            continue
        slots: Sequence[Value] = getattr(op, "dstIndices", ())[:1]
        waits = [w for w in _waits_before(op) if any(w.mbarId is slot for slot in slots)]
        if Effect.LATER not in access.effect or not waits:
            return None
        found |= {w.barriers for w in waits}
    return found


def _follows(op: Operation, product: Operation, loop: scf.ForOp) -> bool:
    """Whether an operation comes after a product of the loop's body in every iteration."""
    while op.parent is not loop.body:
        around = op.enclosing()
        assert around is not None
        op = around
    return loop.body.position(op) > loop.body.position(product)


def _waits_before(op: Operation) -> Iterator[MBarrierTryWaitParityOp]:
    """Those that its iteration has passed."""
    inner: Operation | None = op
    while inner is not None and not inner.repeats and inner.parent is not None:
        before = inner.parent.operations[: inner.parent.position(inner)]
        yield from (w for w in before if isinstance(w, MBarrierTryWaitParityOp))
        inner = inner.enclosing()


def _slot(buffer: Value[MemRefType], indices: Sequence[Value], turn: Iteration) -> tuple[Value, int | None]:
    """The buffer and the number of the tile in it, of a ring of tiles that is no view."""
    maker = buffer.operation
    is_ring = maker is not None and not maker.view_results and buffer.type.rank > _TILE and len(indices) > _TILE
    return buffer, turn.number(indices[0]) if is_ring else None


_TILE = 2
"""Dimensions of a tile; a ring has one more."""


def _let_go_on(loop: scf.ForOp, products: Sequence[WarpgroupMmaOp], chains: Sequence[Sequence[int]]) -> None:
    assert loop.parent is not None
    behind = Before(loop.parent.operations[loop.parent.position(loop) + 1])
    for product, chain in zip(products, chains, strict=True):
        product.attributes["waitGroup"] = IntegerAttr(len(products), I32)
        accumulator = [loop.results[n] for n in chain]
        packed = behind.op(vector.FromElementsOp, accumulator, types=[product.res.type])
        done = behind.value(WarpgroupWaitOp, packed.result, types=[product.res.type])
        elements = behind.op(vector.ToElementsOp, done, types=[v.type for v in accumulator]).results
        for old, new in zip(accumulator, elements, strict=True):
            for user, _ in list(old.uses):
                if user is not packed:
                    user.set_operands([new if v is old else v for v in user.operands])
