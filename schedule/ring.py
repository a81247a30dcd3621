"""What a loop copies from global to shared memory is copied asynchronously, into one of n buffers, iterations ahead.

    scf.for %k .. {                                   copy A[lb] -> ring[0];  copy A[lb + step] -> ring[1];  ..
      %a = vector.transfer_read %A[%k]                scf.for %k .. iter_args(%slot = 0, %free = n - 1) {
      vector.transfer_write %a, %tile                   wait until at most n - 2 groups are under way
      .. what reads the tile ..                         copy A[%k + (n - 1) * step] -> ring[%free], if there is one
    }                                                   .. what reads ring[%slot] ..
                                                        scf.yield (%slot + 1) mod n, %slot }
                                                      wait for all

An iteration has one barrier, between the wait and the copy: all threads' copies of this iteration's tile have landed,
and all threads have read the tile that the copy overwrites, which was the last iteration's. Beyond the last iteration
nothing is read; the wait behind the loop leaves nothing under way.

Of tiles that matrix units read by themselves (`tensor_tiles.py`) one more is left alone, where there are three or more:
the product of the last iteration may still be reading its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..analysis.buffers import Buffers
from ..analysis.divisibility import Divisibility, element_bits
from ..analysis.iterations import counted, is_inside, is_repeated
from ..analysis.shared_places import size_of
from ..ir.analyses import Analyses
from ..ir.attributes import ArrayAttr, IntegerAttr, dense_i64
from ..ir.core import Before, Builder, Value
from ..ir.dialects import arith, memref, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.constants import constant_int
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.nvgpu_async import BYPASS_BYTES
from ..ir.dialects.vector import TransferReadOp, TransferWriteOp
from ..ir.element_orders import SWIZZLE
from ..ir.passes import Outcome
from ..ir.remarks import RemarkKind
from ..ir.types import I1, I32, INDEX, MemRefType, Type
from ..layout.rules.lanewise_async import widest
from ..layout.workgroup import Workgroup
from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from .copy_strategies import ByLanes, ByThreads, CopyStrategy, Rings, Turn
from .loop_copies import Copy, copies, erase
from .loops import carry, hand_on, has_iterations, loops, reads
from .peel import can_be_whole
from .ring_stages import MOST_STAGES, stages_for
from .shared_memory_budget import SharedMemoryBudget, most_bytes, moves_nothing
from .tma import NOT_NEAR, ByTma, could_be_boxes, why_no_boxes
from .unroll import unroll
from .whole_tiles import only_whole

_TOGETHER = "global_load_lds.16"
"""Lanes write one after another, with no zeros for what is outside of memory."""
FEATURES = ("cp.async", _TOGETHER)
_GOES_ON = "wgmma"
"""Chips whose products may still be under way in the next iteration."""
_LARGEST_STEP = 1 << 24
"""The largest step of a loop, so that no number of an iteration ahead overflows what is compared."""


@dataclass(frozen=True)
class Ring:
    """The pass. `stages`: as many buffers are asked for; None: as many as pay."""

    stages: int | None = None

    def __call__(self, function: FunctionLike, workgroup: Workgroup, analyses: Analyses) -> Outcome:
        """Rewrites the loops of a function in the vector stage, in place."""
        outcome = Outcome()
        for plan in plans(function, workgroup, self.stages, outcome, analyses):
            ordered = workgroup.chip.supports(_GOES_ON) and _are_ordered(plan.found)
            slots = 2 if plan.count > 2 and ordered else 1
            strategy_of = _way(plan, function, workgroup, outcome)
            if workgroup.chip.supports(_TOGETHER):
                _rewrite_whole(plan, slots, strategy_of)
            else:
                _rewrite(plan, slots, strategy_of)
            outcome.changed = True
            analyses.forget(function)
        return outcome


@dataclass(frozen=True, eq=False)
class Plan:
    """A loop, the copies in it that others can make ahead, and how many buffers each of its tiles becomes. `rest`: the
    copies that stay."""

    loop: scf.ForOp
    found: Sequence[Copy]
    rest: Sequence[Copy]
    count: int


def _way(plan: Plan, function: FunctionLike, workgroup: Workgroup, outcome: Outcome) -> Callable[[Rings], CopyStrategy]:
    if workgroup.chip.supports(_TOGETHER):
        return partial(ByLanes, plan.found)
    if not could_be_boxes(plan.found, workgroup):
        return partial(ByThreads, plan.found)
    why = "the loop stands in another one" if is_repeated(plan.loop) else why_no_boxes(plan.found, function)
    if not why:
        return partial(ByTma, plan.found, count=plan.count)
    kind: RemarkKind = "arguments" if why == NOT_NEAR else "loop-reads"
    outcome.leave(plan.loop, f"threads copy the loop's tiles, not the chip by itself: {why}", kind=kind)
    return partial(ByThreads, plan.found)


def _copies_ahead(workgroup: Workgroup) -> bool:
    return any(map(workgroup.chip.supports, FEATURES))


def plans(
    function: FunctionLike, workgroup: Workgroup, stages: int | None, outcome: Outcome, analyses: Analyses
) -> Iterator[Plan]:
    """The rings that a function's loops get, one at a time: each may be rewritten before the next is asked for. What is
    left alone is told to `outcome`."""
    if workgroup.scope != "workgroup" or not (_copies_ahead(workgroup) or stages is not None):
        return
    around = loops(function)
    if not around:
        return
    budget = SharedMemoryBudget(function, most_bytes(workgroup), analyses)
    for loop in around:
        known = analyses.get(Divisibility, function)
        found, rest = list[Copy](), list[Copy]()
        for c in copies(loop, analyses.get(Buffers, function)):
            why = c.bound or _why_not(c, loop, workgroup, known)
            narrow = None if why else _narrow(c, known)
            (rest if why or narrow else found).append(c)
            if narrow:
                kind: RemarkKind = "arguments" if narrow.is_of_arguments and stages is None else "loop-reads"
                outcome.leave(c.read, f"{c.read.vector.type} {_NO_COPY}: {narrow.why}", narrow.hint, kind)
            elif why:
                outcome.leave(c.read, f"{c.read.vector.type} {_NO_COPY}: {why}")
        if rest and workgroup.chip.supports(_TOGETHER):
            found = []  # all of a loop's tiles, or none: what is left needs registers and barriers anyway
        left = budget.left(loop)
        tiles = [c.write.memref.type for c in found]
        count = stages_for(loop, tiles, workgroup, left, stages)
        together = workgroup.chip.supports(_TOGETHER)
        if (count < 2 or together) and moves_nothing(function):
            left += workgroup.chip.shared_memory_bytes - most_bytes(workgroup)
            count = min(MOST_STAGES if together else 2, stages_for(loop, tiles, workgroup, left, stages))
        if found and count < 2 and left < ((stages or 2) - 1) * _bytes(found):
            words = f"{stages or 2} times its tiles do not fit into shared memory"
            outcome.leave(loop, f"the loop gets no ring of buffers: {words}")
        elif count > 1:
            budget.take(loop, (count - 1) * _bytes(found))
            yield Plan(loop, found, rest, count)


def _bytes(found: Sequence[Copy]) -> int:
    """The bytes of one tile of each copy."""
    return sum(size_of(c.write.memref.type) for c in found)


# -- what can be copied --------------------------------------------------------------------------------------------


def _why_not(c: Copy, loop: scf.ForOp, workgroup: Workgroup, known: Divisibility) -> str:
    """Why a copy cannot be made asynchronous, in words; empty where it can."""
    read, write = c.read, c.write
    if not _copies_ahead(workgroup):
        return f"{workgroup.chip.name} has no asynchronous copies"
    if read.mask is not None or write.mask is not None or not all(write.in_bounds_flags):
        return "it is masked, or may leave the tile"
    if not (_is_plain(read, read.memref_type) and _is_plain(write, write.memref_type)):
        return "its elements change their order"
    if not all(read.in_bounds_flags) and not _is_zero(read.padding):
        return "what is outside of memory is not zero"
    step = constant_int(loop.step)
    if step is None or not 0 < step < _LARGEST_STEP:
        return "the loop's step is not a known, small number"
    if workgroup.chip.supports(_TOGETHER) and not can_be_whole(read, loop):
        return "it may leave memory at a place that changes in the loop"
    if c.may_fail:
        return "its place is computed by what fails where there is no iteration"
    tile = write.memref.operation
    if not isinstance(tile, memref.AllocOp) or not _is_its_own(write.memref, c, loop):
        return "its tile is used by more than this loop's reads"
    return ""


def _is_plain(op: TransferReadOp | object, type: MemRefType) -> bool:
    dims = getattr(op, "memory_dims", ())
    return tuple(dims) == tuple(range(type.rank - len(dims), type.rank))


def _is_zero(padding: Value) -> bool:
    made = padding.operation
    value = getattr(made.value, "value", None) if isinstance(made, arith.ConstantOp) else None
    return value == 0 and str(value) in ("0", "0.0")


def _is_its_own(tile: Value, c: Copy, loop: scf.ForOp) -> bool:
    """Whether the loop's body reads of it what the iteration wrote, as it is, and nobody else has it."""
    others = [user for user in tile.users if user is not c.write]
    return all(
        isinstance(user, TransferReadOp)
        and user.parent is loop.body
        and _is_plain(user, user.memref_type)
        and _is_written(user, c.write)
        for user in others
    )


def _is_written(read: TransferReadOp, write: TransferWriteOp) -> bool:
    """Whether all that is read of a tile was written: the tile as a whole, or the same place."""
    if write.vector_type.shape == write.memref_type.shape:
        return all(constant_int(i) == 0 for i in write.indices)
    starts = zip(read.indices, write.indices, strict=True)
    same = all(a is b or (constant_int(a) is not None and constant_int(a) == constant_int(b)) for a, b in starts)
    return same and read.vector_type.shape == write.vector_type.shape


class Narrow(NamedTuple):
    """Why threads would copy less than 16 bytes at once, what helps, and whether the arguments are to blame."""

    why: str
    hint: str
    is_of_arguments: bool


def _narrow(c: Copy, known: Divisibility) -> Narrow | None:
    """Whether they would: no instruction copies two such pieces, and each has its price."""
    trial = AsyncCopyOp(
        [c.read.memref, *c.read.indices, c.write.memref, *c.write.indices],
        (),
        {"shape": dense_i64(c.read.vector_type.shape), "in_bounds": c.read.in_bounds},
        segments=(1, len(c.read.indices), 1, len(c.write.indices), 0),
    )
    bits = element_bits(c.read.memref)
    proven = widest(trial, known) * bits // 8
    if proven >= BYPASS_BYTES:
        return None
    row = c.read.vector_type.shape[-1] * bits // 8
    what = f"multiples of {BYPASS_BYTES} bytes"
    if row % BYPASS_BYTES:
        return Narrow(f"a row of the tile has {row} bytes, it takes {what}", f"tiles with rows of {what} are", False)
    words = f"its rows are proven to be multiples of {proven} bytes, it takes {BYPASS_BYTES}"
    return Narrow(words, f"rows that are padded to {what} are", not _has_odd_rows(c.read.memref_type, bits))


def _has_odd_rows(type: MemRefType, bits: int) -> bool:
    """Whether the program itself says of memory that rows are such, whatever a launch knows."""
    row = type.shape[-1]
    return type.layout is None and type.rank > 1 and row is not None and row * bits // 8 % BYPASS_BYTES > 0


_NO_COPY = "is not copied asynchronously"


# -- the rewrite ---------------------------------------------------------------------------------------------------


def _rewrite_whole(plan: Plan, slots: int, strategy_of: Callable[[Rings], CopyStrategy]) -> None:
    """Rewrites a loop with copies of whole tiles alone. As many iterations as there are buffers become one, unless it
    is known that some would be left over, or there are loops in them, whose buffers would be as many."""
    known = counted(plan.loop)
    divides = known is None or len(known) % plan.count == 0
    times = plan.count if divides and not any(op.regions for op in plan.loop.body.operations) else 1
    only_whole(plan.loop, plan.found, times)
    loop = _rewrite(plan, slots, strategy_of)
    if times > 1:
        unroll(loop, times, [-slot for slot in range(slots + 1)])


def _rewrite(plan: Plan, slots: int, strategy_of: Callable[[Rings], CopyStrategy]) -> scf.ForOp:
    """Gives the loop that it has become. `slots`: how many iterations after a tile is used it is written again."""
    loop, found, count = plan.loop, plan.found, plan.count
    before = Before(loop)
    rings = rings_of(plan)
    ahead = count - slots
    strategy = strategy_of(rings)
    carried = strategy.begin(before)
    for stage in range(ahead):
        number, there = _ahead(before, loop, loop.lower_bound, stage, is_first=True)
        strategy.issue(before, Turn(loop, number, there, partial(_index, number=stage), loop.lower_bound))
    remembered = 1 if strategy.by_one else slots + 1
    loop, arguments = carry(loop, [*(word(before, -stage % count) for stage in range(remembered)), *carried])
    words, carried = arguments[:remembered], arguments[remembered:]
    start = Before(loop.body.operations[0])
    words[0].hint, words[-1].hint = "slot", "slot" if strategy.by_one else "free"
    slot = start.value(arith.IndexCastOp, words[0], types=[INDEX])

    def free(build: Builder) -> Value:
        last = _later_slot(build, words[0], ahead, count) if strategy.by_one else words[-1]
        return build.value(arith.IndexCastOp, last, types=[INDEX])

    strategy.wait(start, slot, carried, ahead)
    number, there = _ahead(start, loop, loop.induction_variable, ahead, is_first=False)
    on = [c for c in found if _may_read_on(c, loop)] if any(_ends_itself(c, loop) for c in found) else []
    strategy.issue(start, Turn(loop, number, there, free, loop.induction_variable), on)
    read_from(loop, rings, slot)
    assert loop.body.terminator is not None
    end = Before(loop.body.terminator)
    following, wraps = following_slot(end, words[0], count)
    hand_on(loop, [following, *words[:-1], *strategy.hand_on(end, carried, wraps)])
    erase_copies(loop, found, rings)
    block = loop.parent
    assert block is not None
    strategy.end(Before(block.operations[block.position(loop) + 1]))
    return loop


def _are_ordered(found: Sequence[Copy]) -> bool:
    """Whether a product may read some of the tiles by itself."""
    tiles = (c.write.memref.operation for c in found)
    return any(op is not None and SWIZZLE in op.attributes for op in tiles)


def rings_of(plan: Plan) -> dict[Value[MemRefType], Value[MemRefType]]:
    """New buffers, by the tile that each takes the place of."""
    return {tile: ring_of(Before(tile_op), tile_op, plan.count) for tile, tile_op in tiles_of(plan).items()}


def read_from(loop: scf.ForOp, rings: Rings, slot: Value) -> None:
    """The loop's reads of tiles become reads of a ring's slot."""
    for read in [read for read in reads(loop) if read.memref in rings]:
        _read_from(read, rings[read.memref], slot)


def erase_copies(loop: scf.ForOp, found: Sequence[Copy], rings: Rings) -> None:
    """With the tiles that nobody has any more."""
    erase(loop, found)
    for tile in rings:
        assert tile.operation is not None and tile.operation.parent is not None
        tile.operation.parent.erase(tile.operation)


def tiles_of(plan: Plan) -> dict[Value[MemRefType], memref.AllocOp]:
    """What allocates the tile of each copy."""
    made = [c.write.memref.operation for c in plan.found]
    return {op.memref: op for op in made if isinstance(op, memref.AllocOp)}


def ring_of(build: Builder, tile: memref.AllocOp, count: int) -> Value[MemRefType]:
    """So many buffers like a tile."""
    type = tile.memref.type
    shape = MemRefType((count, *type.shape), type.element, None, WORKGROUP)
    ring = build.append(memref.AllocOp([], [shape], dict(tile.attributes), (), tile)).memref
    ring.hint = tile.memref.hint and f"ring_{tile.memref.hint.removeprefix('tile_')}"
    return ring


def _index(build: Builder, number: int) -> Value:
    return build.value(arith.ConstantOp, types=[INDEX], value=IntegerAttr(number, INDEX))


def word(build: Builder, number: int) -> Value:
    return build.value(arith.ConstantOp, types=[I32], value=IntegerAttr(number, I32))


def _ahead(build: Builder, loop: scf.ForOp, now: Value, stages: int, *, is_first: bool) -> tuple[Value, Value | None]:
    """The number of the iteration so many after that of `now`, and whether there is one: None where it is known."""
    known, step = counted(loop), constant_int(loop.step)
    assert step is not None
    type = now.type
    distance = _number(build, stages * step, type)
    number = build.value(arith.AddIOp, now, distance) if stages else now
    if is_first and known is not None and stages < len(known):
        return number, None
    if _counts_elements(loop):
        there = build.value(arith.CmpIOp, number, loop.upper_bound, predicate=IntegerPredicateAttr("ult"))
        return number, there
    if not is_first and _starts_at_a_number(loop):
        last = Before(loop).value(arith.SubIOp, loop.upper_bound, _number(Before(loop), stages * step, type))
        return number, build.value(arith.CmpIOp, now, last, predicate=IntegerPredicateAttr("slt"))
    left = build.value(arith.SubIOp, loop.upper_bound, now)
    there = build.value(arith.CmpIOp, left, distance, predicate=IntegerPredicateAttr("ugt"))
    if not is_first or known is not None:
        return number, there
    some = has_iterations(build, loop)
    return number, build.value(arith.AndIOp, some, there) if stages else some


def _number(build: Builder, value: int, type: Type) -> Value:
    return build.value(arith.ConstantOp, types=[type], value=IntegerAttr(value, type))


def _starts_at_a_number(loop: scf.ForOp) -> bool:
    """Whether a loop starts at a number of 0 or more: then what is a small distance before its end overflows in no
    iteration."""
    start = constant_int(loop.lower_bound)
    return not loop.is_unsigned and start is not None and start >= 0


def _counts_elements(loop: scf.ForOp) -> bool:
    """Whether it goes from 0 or more to an extent of memory: no number of an iteration ahead overflows."""
    start = constant_int(loop.lower_bound)
    return isinstance(loop.upper_bound.operation, memref.DimOp) and start is not None and start >= 0


def _ends_itself(c: Copy, loop: scf.ForOp) -> bool:
    """Whether the end of the memory that it reads is that of the loop: beyond its last iteration it reads nothing."""
    type, number = c.read.memref_type, loop.induction_variable
    for dim, index in enumerate(c.read.indices):
        axis = dim - (type.rank - len(c.read.in_bounds_flags))
        end = loop.upper_bound.operation
        ends = isinstance(end, memref.DimOp) and end.memref is c.read.memref and constant_int(end.index) == dim
        if ends and index is number and axis >= 0 and not c.read.in_bounds_flags[axis]:
            return True
    return False


def _may_read_on(c: Copy, loop: scf.ForOp) -> bool:
    """Whether nothing is wrong with reading beyond the last iteration what is inside of memory: nobody writes it, and
    what is promised to be inside is the same in every iteration."""
    lead = c.read.memref_type.rank - len(c.read.in_bounds_flags)
    promised = [index for dim, index in enumerate(c.read.indices) if dim < lead or c.read.in_bounds_flags[dim - lead]]
    return not c.changes and not any(i is loop.induction_variable or is_inside(i, loop) for i in promised)


def _read_from(read: TransferReadOp, ring: Value, slot: Value) -> None:
    block = read.parent
    assert block is not None
    attributes = {name: value for name, value in read.attributes.items() if name != "permutation_map"}
    attributes.setdefault("in_bounds", ArrayAttr((IntegerAttr(0, I1),) * read.vector_type.rank))
    operands = [ring, slot, *read.indices, read.padding, *([] if read.mask is None else [read.mask])]
    segments = (1, 1 + len(read.indices), 1, len(operands) - 3 - len(read.indices))
    made = TransferReadOp(operands, [read.vector.type], attributes, (), read, segments)
    made.vector.hint = read.vector.hint
    block.insert(block.position(read), made)
    read.vector.replace_uses(made.vector)
    block.erase(read)


def _later_slot(build: Builder, slot: Value, ahead: int, count: int) -> Value:
    """(slot + ahead) mod count. One thread asks for boxes: what it alone needs is not carried by all."""
    later = build.value(arith.AddIOp, slot, word(build, ahead))
    if count & (count - 1) == 0:
        return build.value(arith.AndIOp, later, word(build, count - 1))
    less = build.value(arith.CmpIOp, slot, word(build, count - ahead), predicate=IntegerPredicateAttr("ult"))
    return build.value(arith.SelectOp, less, later, build.value(arith.SubIOp, slot, word(build, count - ahead)))


def following_slot(build: Builder, slot: Value, count: int) -> tuple[Value, Value]:
    """(slot + 1) mod count, and whether that is 0."""
    zero, one, last = (word(build, n) for n in (0, 1, count - 1))
    wraps = build.value(arith.CmpIOp, slot, last, predicate=IntegerPredicateAttr("eq"))
    if count & (count - 1) == 0:
        return build.value(arith.AndIOp, build.value(arith.AddIOp, slot, one), last), wraps
    return build.value(arith.SelectOp, wraps, zero, build.value(arith.AddIOp, slot, one)), wraps
