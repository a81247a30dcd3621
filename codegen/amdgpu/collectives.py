"""What threads do together on AMDGPU: barriers with their fences, and shuffles."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

from ...ir.dialects import gpu
from ...ir.dialects.gpu_together import BallotOp
from ...ir.program_parts import Part, part_around
from ..emit import integers
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.ids import linear_thread
from ..emit.shared_memory import EXCHANGE
from ..emit.text import FALSE, TRUE, Ssa, integer
from ..emit.words import exchange_words
from .crosslane import (
    HALF,
    Dpp,
    Move,
    Moves,
    Permlane16,
    Permlane64,
    PermlaneSwap,
    ReadLane,
    Sources,
    Swizzle,
    bpermute_reach,
    moves_for,
)
from .fences import LOCAL_ONLY, in_loop, kept_waits, meet, orders_workgroup_memory_only
from .lds import copies_to_lds


@AMD.of(gpu.BarrierOp)
def _barrier(em: Emission, op: gpu.BarrierOp) -> None:
    """The barrier itself orders no memory; the fences make the waves wait for their own accesses around it. Those of a
    workgroup wait for copies to its memory, too, which go on where a barrier orders nothing else."""
    part = part_around(op)
    if part is not None and part.count * em.subgroup_size < em.kernel.threads:
        _barrier_of_part(em, part)
        return
    workgroup_only = em.barriers[op] = orders_workgroup_memory_only(em, op)
    goes_on = workgroup_only and copies_to_lds(em)
    scope = "wavefront" if goes_on else "workgroup"
    marks = f", {LOCAL_ONLY}" if workgroup_only and not goes_on else ""
    em.w.do(f'fence syncscope("{scope}") release{marks}')
    if goes_on or in_loop(op):
        kept_waits(em, workgroup_only)
    meet(em)
    em.w.do(f'fence syncscope("{scope}") acquire{marks}')


def _barrier_of_part(em: Emission, part: Part) -> None:
    """A wave's accesses are done in order, and its lanes go on together."""
    if part.count > 1:
        message = f"is of {part.count} of the workgroup's subgroups; {em.chip.name} has barriers of all of them only"
        hint = "a part of one subgroup needs none; where the program has none, threads of several meet in memory here"
        raise em.error(message, hint)
    em.w.do('fence syncscope("wavefront") acq_rel')


# -- shuffles -------------------------------------------------------------------------------------------------------


@AMD.of(gpu.ShuffleOp)
def _shuffle(em: Emission, op: gpu.ShuffleOp) -> None:
    """Each 32-bit word of the value travels alone, the same way."""
    offset, width = em.scalars([op.offset, op.width])
    _check_width(em, width)
    exchange, valid = _exchange(em, op.mode.value, offset, width)
    em.set_pack(op.shuffle_result, exchange_words(em, em.elements(op.value), exchange))
    em.set(op.valid, valid)


@AMD.of(BallotOp)
def _ballot(em: Emission, op: BallotOp) -> None:
    word = f"i{em.subgroup_size}"
    bits = em.w.call_fresh(word, f"llvm.amdgcn.ballot.{word}", em.scalar(op.predicate))
    em.set(op.result_, integers.resize(em.w, bits, em.type(op.result_.type), signed=False))


def _check_width(em: Emission, width: Ssa) -> None:
    n, lanes = width.number, em.subgroup_size
    if n is not None and (n & (n - 1) or not 1 <= n <= lanes):
        raise em.error(f"shuffles over a width of {n}; it must be a power of two up to {lanes}")


_INNER: Mapping[str, Callable[[Any, Any, Any], Ssa]] = {
    "xor": lambda w, lane, offset: integers.binary(w, "xor", lane, offset),
    "up": integers.sub,
    "down": integers.add,
    "idx": lambda w, lane, offset: offset,
}
"""The lane of its group that a lane reads: of the writer, the lane's number in the group, and the offset."""
_INNER_NUMBER: Mapping[str, Callable[[int, int], int]] = {
    "xor": lambda lane, offset: lane ^ offset,
    "up": lambda lane, offset: lane - offset,
    "down": lambda lane, offset: lane + offset,
    "idx": lambda lane, offset: offset,
}


_LARGEST = (1 << 32) - 1


def sources(mode: str, offset: int, width: int, lanes: int) -> Sources:
    """Which lane each lane reads; outside its group of `width`, itself."""
    found: list[int] = []
    for lane in range(lanes):
        first = lane & -width
        inner = _INNER_NUMBER[mode](lane - first, offset & _LARGEST)
        found.append(first + inner if 0 <= inner < width else lane)
    return tuple(found)


def _exchange(em: Emission, mode: str, offset: Ssa, width: Ssa) -> tuple[Callable[[Ssa], Ssa], Ssa]:
    """What does to a word as the shuffle says, and whether the source is inside the group."""
    w = em.w
    lane = _lane(em)
    place = integers.binary(w, "and", lane, integers.sub(w, width, integer(1, "i32")))
    inner = _INNER[mode](w, place, offset)
    valid = _is_always_inside(mode, offset, width) or integers.compare(w, "ult", inner, width)
    if mode in ("up", "down"):  # a sum that wraps is no lane
        valid = integers.select(w, integers.compare(w, "ult", offset, width), valid, FALSE)
    if offset.number is not None and width.number is not None:
        moves = moves_for(em.chip, sources(mode, offset.number, width.number, em.subgroup_size))
        if moves is not None:
            return functools.partial(_move, em, moves), valid
    first = integers.sub(w, lane, place)
    source = integers.select(w, valid, integers.add(w, first, inner), lane)
    return functools.partial(_bpermute, em, source, lane, width), valid


def _is_always_inside(mode: str, offset: Ssa, width: Ssa) -> Ssa | None:
    """True where an offset below the width cannot leave the group."""
    known = offset.number is not None and width.number is not None and 0 <= offset.number < width.number
    return TRUE if known and (mode in ("xor", "idx") or offset.number == 0) else None


def _lane(em: Emission) -> Ssa:
    """The lane's number by counting the lanes before it, which needs no register of the thread's."""
    ones, w = integer(-1, "i32"), em.w
    low = w.call("i32", "llvm.amdgcn.mbcnt.lo", ones, integer(0, "i32"))
    if em.subgroup_size <= HALF:
        return low
    return w.call("i32", "llvm.amdgcn.mbcnt.hi", ones, low)


def _bpermute(em: Emission, source: Ssa, lane: Ssa, width: Ssa, word: Ssa) -> Ssa:
    w = em.w
    reach = bpermute_reach(em.chip, em.subgroup_size)
    if reach == em.subgroup_size or (width.number is not None and width.number <= reach):
        return _bpermute_near(em, source, word)
    if not em.chip.supports("permlane64"):
        return _through_memory(em, source, lane, word)
    across = integers.binary(w, "and", integers.binary(w, "xor", source, lane), integer(HALF, "i32"))
    inside = integers.binary(w, "xor", source, across)  # the source's counterpart in the lane's own half
    near = _bpermute_near(em, inside, word)
    far = _bpermute_near(em, inside, _move(em, (Permlane64(),), word))
    return integers.select(w, integers.compare(w, "eq", across, integer(0, "i32")), near, far)


def _bpermute_near(em: Emission, source: Ssa, word: Ssa) -> Ssa:
    place = integers.binary(em.w, "shl", source, integer(2, "i32"))
    return em.w.call_fresh("i32", "llvm.amdgcn.ds.bpermute", place, word)


def _through_memory(em: Emission, source: Ssa, lane: Ssa, word: Ssa) -> Ssa:
    """Every thread writes a word of workgroup memory and reads its source's.

    The LDS unit executes a wave's instructions in order, so the fences only keep the compiler from moving them.
    """
    w = em.w
    em.exchange_bytes = -(-math.prod(em.block_size) // em.subgroup_size) * em.subgroup_size * 4
    own = integers.resize(w, linear_thread(em), "i32", signed=False)
    theirs = integers.add(w, integers.sub(w, own, lane), source)
    places = [w.behind("i32", EXCHANGE, place) for place in (own, theirs)]
    w.do(f"store volatile {word}, {places[0]}, align 4")
    w.do('fence syncscope("wavefront") acq_rel')
    received = w.fresh(f"load volatile i32, {places[1]}, align 4", "i32")
    w.do('fence syncscope("wavefront") acq_rel')
    return received


def _move(em: Emission, moves: Moves, word: Ssa) -> Ssa:
    for move in moves:
        word = _WRITE[type(move)](em, move, word)
    return word


def read_lanes(em: Emission, sources: Sources, word: Ssa) -> Ssa:
    """What each lane has of the lane that `sources` names, where an instruction moves so."""
    moves = moves_for(em.chip, sources)
    assert moves is not None, f"{em.chip.name} has no move for {sources}"
    return _move(em, moves, word)


def as_of_lanes(em: Emission, word: Ssa) -> Ssa:
    """The same word, which LLVM takes for another in each lane."""
    return _dpp(em, Dpp(_OWN), word)


_POISON = Ssa("poison", "i32")
_OWN = 0b11_10_01_00
"""Lanes of quads read themselves."""


def _dpp(em: Emission, move: Dpp, word: Ssa) -> Ssa:
    masks = integer(0xF, "i32"), integer(0xF, "i32"), TRUE
    return em.w.call_fresh("i32", "llvm.amdgcn.update.dpp.i32", _POISON, word, integer(move.control, "i32"), *masks)


def _permlane16(em: Emission, move: Permlane16, word: Ssa) -> Ssa:
    name = "permlanex16" if move.crossed else "permlane16"
    low, high = (integer(move.selects >> shift, "i32") for shift in (0, 32))
    return em.w.call_fresh("i32", f"llvm.amdgcn.{name}.i32", _POISON, word, low, high, FALSE, TRUE)


def _permlane64(em: Emission, move: Permlane64, word: Ssa) -> Ssa:
    return em.w.call_fresh("i32", "llvm.amdgcn.permlane64.i32", word)


def _permlane_swap(em: Emission, move: PermlaneSwap, word: Ssa) -> Ssa:
    """The instruction swaps odd groups of its first operand with even groups of its second; both are the word."""
    pair = em.w.call_fresh("{ i32, i32 }", f"llvm.amdgcn.permlane{move.lanes}.swap", word, word, FALSE, FALSE)
    return other_of_pair(em, pair, move.lanes)


def other_of_pair(em: Emission, pair: Ssa, lanes: int) -> Ssa:
    """The word, of the two that a swap of neighbouring groups of so many lanes gives, that is another lane's."""
    w = em.w
    even, odd = (w.pure(f"extractvalue {pair}, {i}", "i32") for i in (0, 1))
    bit = integers.binary(w, "and", _lane(em), integer(lanes, "i32"))
    return integers.select(w, integers.compare(w, "eq", bit, integer(0, "i32")), odd, even)


def _swizzle(em: Emission, move: Swizzle, word: Ssa) -> Ssa:
    return em.w.call_fresh("i32", "llvm.amdgcn.ds.swizzle", word, integer(move.offset, "i32"))


def _read_lane(em: Emission, move: ReadLane, word: Ssa) -> Ssa:
    return em.w.call_fresh("i32", "llvm.amdgcn.readlane.i32", word, integer(move.lane, "i32"))


_WRITE: Mapping[type[Move], Callable[[Emission, Any, Ssa], Ssa]] = {
    Dpp: _dpp,
    Permlane16: _permlane16,
    Permlane64: _permlane64,
    PermlaneSwap: _permlane_swap,
    Swizzle: _swizzle,
    ReadLane: _read_lane,
}
