"""Reading and writing memory, and the checks of what other threads did there: races and undefined contents."""

from __future__ import annotations

import numpy as np

from ...ir.numerics import Array
from .machine import Machine
from .memory import Access
from .races import Clock, Shadow, operations_of

_SAME_OPERATION = "in the same operation"
_NO_BARRIER = "with no barrier between"


def read(m: Machine, access: Access) -> Array:
    """The elements at `positions`. Raises `InterpretError` for races and for what nobody has written."""
    buffer = access.memref.buffer
    if buffer.shadow is not None:
        access = access.per_thread()
        _check_read(m, access, buffer.shadow)
    return np.asarray(buffer.typed(access.memref.dtype)[access.positions])


def write(m: Machine, access: Access, values: Array) -> None:
    """Stores `values`, which broadcast to `positions`. Raises `InterpretError` for races."""
    buffer = access.memref.buffer
    access = access.per_thread()
    if not buffer.writable and access.positions.size:
        raise access.failure(m, 0, f"of {buffer.name}, which is read-only")
    data, shadow = buffer.typed(access.memref.dtype), buffer.shadow
    if shadow is None:
        data[access.positions] = values
        return
    granules, own = _cover(m, access, shadow)
    _check_write(m, access, granules, own, values)
    data[access.positions] = values
    common, kept = shadow.mark_writes(granules, own)
    if common.any():
        common = _unless_equal(access, common, values)
        _require_none(m, access, common, kept, "writes too", _SAME_OPERATION)


def claim_atomic(m: Machine, access: Access, atomic: Array) -> None:
    """Checks and enters atomic updates, before they are done. `access` has its axis over threads.

    Updates by the operations numbered in `atomic` do not race with each other. They race with plain accesses, as far as
    the last write tells: an atomic update hides the write before it.
    """
    buffer = access.memref.buffer
    if not buffer.writable and access.positions.size:
        raise access.failure(m, 0, f"of {buffer.name}, which is read-only")
    shadow = buffer.shadow
    if shadow is None:
        return
    granules, own = _cover(m, access, shadow)
    last = shadow.writes_at(granules)
    if shadow.shared:
        _require_written(m, access, shadow.unwritten(last))
    plain = ~np.isin(operations_of(last), atomic)
    _require_none(m, access, shadow.unordered_writes(last, own, _clock(m, access)) & plain, last, "writes", _NO_BARRIER)
    last = shadow.reads_at(granules)
    _require_none(m, access, shadow.unordered_reads(last, own, _clock(m, access)), last, "reads", _NO_BARRIER)
    shadow.mark_writes(granules, own)


def _clock(m: Machine, access: Access) -> Clock:
    return m.clocks["global" if access.memref.buffer.space == "global" else "workgroup"]


def _cover(m: Machine, access: Access, shadow: Shadow) -> tuple[Array, Array]:
    """The granules, and this access's stamps for them."""
    stamps = _clock(m, access).stamps[access.actors()] | np.uint64(access.site.number)
    return shadow.cover(access.positions, stamps, access.memref.dtype.itemsize)


def _check_read(m: Machine, access: Access, shadow: Shadow) -> None:
    granules, own = _cover(m, access, shadow)
    last = shadow.writes_at(granules)
    if shadow.shared:
        _require_written(m, access, shadow.unwritten(last))
    _require_none(m, access, shadow.unordered_writes(last, own, _clock(m, access)), last, "writes", _NO_BARRIER)
    shadow.mark_reads(granules, own, _clock(m, access))


def _check_write(m: Machine, access: Access, granules: Array, own: Array, values: Array) -> None:
    shadow = access.memref.buffer.shadow
    assert shadow is not None
    last = shadow.reads_at(granules)
    _require_none(m, access, shadow.unordered_reads(last, own, _clock(m, access)), last, "reads", _NO_BARRIER)
    last = shadow.writes_at(granules)
    clash = shadow.unordered_writes(last, own, _clock(m, access))
    if clash.any():
        _require_none(m, access, _unless_equal(access, clash, values), last, "writes", _NO_BARRIER)


def _unless_equal(access: Access, clash: Array, values: Array) -> Array:
    """Leaves out of a clash of writes those to global memory that store what is there already.

    Lanes that hold copies of one value may all write it to global memory; in workgroup memory one has to be elected.
    """
    buffer = access.memref.buffer
    if buffer.space != "global":
        return clash
    stored = np.ascontiguousarray(buffer.typed(access.memref.dtype)[access.positions])
    given = np.ascontiguousarray(np.broadcast_to(values, stored.shape))
    bits = f"u{stored.dtype.itemsize}"
    differ = stored.view(bits) != given.view(bits)
    return np.asarray(clash & (differ[..., None] if clash.ndim > differ.ndim else differ))


def _require_written(m: Machine, access: Access, unwritten: Array) -> None:
    if unwritten.any():
        raise access.failure(m, _entry(access, unwritten), f"of {access.memref.buffer.name}, which nobody has written")


def _require_none(m: Machine, access: Access, clash: Array, stamps: Array, verb: str, when: str) -> None:
    """Raises for the first clash; the stamps say who the other is."""
    if clash.any():
        who, operation = m.decode(int(stamps.reshape(-1)[np.argmax(clash)]))
        message = f"of {access.memref.buffer.name}, which {who} {verb} {when}: a data race"
        note = f"the other access, '{operation.opname}'", operation.location
        raise access.failure(m, _entry(access, clash), message, note)


def _entry(access: Access, mask: Array) -> int:
    """The first entry of `positions` that a mask of elements or granules marks."""
    return int(np.argmax(mask)) // (mask.size // access.positions.size)


def stored(access: Access, value: Array) -> Array:
    """A value of the program, with or without its axis over threads, against the access's positions."""
    if value.ndim == (0 if access.pack is None else 1):
        return value if access.selected is None else np.asarray(value[access.selected % access.width])
    rows = value if access.threads.size == value.shape[0] else value[access.threads]
    return np.asarray(rows if access.selected is None else rows.reshape(-1)[access.selected])


def loaded(m: Machine, access: Access, elements: Array, otherwise: Array | None = None) -> Array:
    """What was read, as a value of all threads; the rest is `otherwise`, or zero."""
    shape = (m.batch.size,) if access.pack is None else (m.batch.size, access.pack)
    if access.selected is None and (access.threads.size == m.batch.size or elements.ndim < len(shape)):
        return elements
    value = np.zeros(shape, elements.dtype) if otherwise is None else np.array(np.broadcast_to(otherwise, shape))
    if access.selected is None:
        value[access.threads] = elements
    else:
        row, lane = np.divmod(access.selected, access.width)
        value[access.threads[row], lane] = elements
    return value
