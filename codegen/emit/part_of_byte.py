"""Accesses of one element that shares its byte with others.

Another thread may write the rest of the byte at the same time, so a store clears and sets the element's bits by atomic
updates of the word around them, which leave all other bits as they are.
"""

from __future__ import annotations

from . import integers
from .cells import cell_at, update
from .descriptor import CLUSTER, PRIVATE, SHARED, Address
from .emission import Emission
from .text import FALSE, TRUE, Ssa, Writer, bits_of, integer

_NO_BYTE = integer(0, "i8")


def load(em: Emission, address: Address, type: str) -> Ssa:
    """The element of LLVM type `type` there."""
    invariant = ", !invariant.load !{}" if address.memref.read_only else ""
    byte = em.w.fresh(f"load i8, {address.pointer(em.w)}, align 1{invariant}", "i8")
    return _element(em.w, byte, address, type)


def guarded_load(em: Emission, address: Address, guard: Ssa, other: Ssa) -> Ssa:
    """The element where the guard holds, else `other`."""
    if guard == FALSE:
        return other
    if guard == TRUE:
        return load(em, address, other.type)
    (byte,) = em.machine.guarded_load(em, address, guard, [_NO_BYTE], read_only=address.memref.read_only)
    return integers.select(em.w, guard, _element(em.w, byte, address, other.type), other)


def _element(w: Writer, byte: Ssa, address: Address, type: str) -> Ssa:
    word = integers.resize(w, byte, "i32", signed=False)
    return integers.resize(w, integers.binary(w, "lshr", word, address.shift(w)), type, signed=False)


def store(em: Emission, address: Address, value: Ssa) -> None:
    """Writes the element's bits and no others. In workgroup memory, which starts undefined, an update would read what
    nobody has written."""
    if address.space in (SHARED, CLUSTER):
        raise em.error(
            "writes one element of several in a byte of workgroup memory",
            hint="rows and tiles of whole bytes, or elements of i8",
        )
    if address.space == PRIVATE:
        _store_alone(em.w, address, value)
        return
    cell = cell_at(em.w, address, value.type)
    if value.number != -1:
        update(em, cell, "and", cell.hole(em.w))
    if value.number != 0:
        update(em, cell, "or", cell.moved(em.w, value))


def _store_alone(w: Writer, address: Address, value: Ssa) -> None:
    """In memory of one thread, where nobody else writes the rest of the byte; that may not have been written yet."""
    pointer, shift = address.pointer(w), address.shift(w)
    byte = w.fresh(f"freeze {w.fresh(f'load i8, {pointer}, align 1', 'i8')}", "i8")
    word = integers.resize(w, byte, "i32", signed=False)
    ones = integer((1 << bits_of(value.type)) - 1, "i32")
    hole = integers.binary(w, "xor", integers.binary(w, "shl", ones, shift), integer(-1, "i32"))
    moved = integers.binary(w, "shl", integers.resize(w, value, "i32", signed=False), shift)
    joined = integers.binary(w, "or", integers.binary(w, "and", word, hole), moved)
    w.do(f"store {integers.resize(w, joined, 'i8', signed=False)}, {pointer}, align 1")


def guarded_store(em: Emission, address: Address, guard: Ssa, value: Ssa) -> None:
    """Stores part of a byte where the guard holds."""
    if guard == FALSE:
        return
    if guard == TRUE:
        store(em, address, value)
        return
    inside, after = em.w.label(), em.w.label()
    em.w.branch(guard, inside, after)
    with em.w.scope():
        em.w.start(inside)
        store(em, address, value)
        em.w.jump(after)
    em.w.start(after)
