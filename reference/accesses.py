"""Reading and writing memory, and the checks of what other owners did there: races and undefined contents.

Values of the program meet what an access names: `loaded` and `stored` add and take away the axis over owners.
"""

from __future__ import annotations

import numpy as np

from ..ir.numerics import Array
from .batch_state import State
from .buffers import in_memory, of_memory
from .memory import Access
from .races import Shadow, Touch, operations_of
from .uncertainty import Maybe, doubted, doubtful
from .unordered import Meeting, Span, Unordered

_SAME_OPERATION = "in the same operation"
_NO_BARRIER = "with no barrier between"
_NONE = in_memory(None)


def read(m: State, access: Access, otherwise: Array | None = None) -> Array:
    """The elements as a value; where nothing is read, `otherwise`, which broadcasts, or zero.

    Raises `EvaluationError` for races and for what nobody has written.
    """
    return loaded(m, access, gather(m, access), otherwise)


def gather(m: State, access: Access) -> Array:
    """The elements as the access has them."""
    buffer = access.memref.buffer
    _require_landed(m, access)
    if not access.is_empty:
        for loop in m.unordered:
            _require_apart(m, loop, access, [loop.enter_read(_span(access))])
    if buffer.shadow is not None and not access.is_empty:
        _check_read(m, access.per_owner(), buffer.shadow)
    _note_read(access)
    return access.place.take(buffer.typed(access.memref.dtype))


def read_doubt(m: State, access: Access, otherwise: Maybe, condition: Maybe, settled: bool) -> Maybe:
    """The uncertainty of what `read` gives; an undecided condition, or place, leaves it open besides."""
    errors = access.memref.buffer.errors
    found: Maybe = None
    if otherwise is not None or (errors is not None and errors.touched):
        touched = errors is not None and errors.touched
        inside = errors.take(access.place, access.memref.dtype.itemsize) if errors is not None and touched else _NONE
        parts = (loaded(m, access, a, b) for a, b in zip(inside, in_memory(otherwise), strict=True))
        worst, drift, undecided = parts
        found = of_memory((worst, drift, undecided))
    if condition is None and settled:
        return found
    shape = access.shape if m.batch.size == 1 else (m.batch.size, *access.shape)
    return doubted(found, condition, shape, not settled)


def write(m: State, access: Access, values: Array) -> None:
    """Stores a value. Raises `EvaluationError` for races."""
    buffer = access.memref.buffer
    access = access.per_owner()
    if access.is_empty:
        return
    if not buffer.writable:
        raise access.failure(m, 0, f"of {buffer.name}, which is read-only")
    _require_landed(m, access)
    _require_left(m, access)
    data, shadow = buffer.typed(access.memref.dtype), buffer.shadow
    given = stored(access, values)
    _note_written(access)
    for loop in m.unordered:
        _require_apart(m, loop, access, loop.enter_write(_span(access)), given)
    if shadow is None:
        access.place.put(data, given)
        return
    touch = _touch(m, access, shadow)
    _check_write(m, access, shadow, touch, given)
    access.place.put(data, given)
    common, kept = shadow.mark_writes(touch)
    if common.any():
        common = _unless_equal(access, common, given)
        _require_none(m, access, common, kept, "writes too", _SAME_OPERATION)


def _note_read(access: Access) -> None:
    if access.memref.buffer.read is not None:
        access.memref.buffer.read.add(access.place, access.memref.dtype.itemsize)


def _note_written(access: Access) -> None:
    if access.memref.buffer.written is not None:
        access.memref.buffer.written.add(access.place, access.memref.dtype.itemsize)


def write_doubt(access: Access, uncertainty: Maybe, shape: tuple[int, ...]) -> None:
    """Keeps the uncertainty of a value of `shape` that `write` stored."""
    errors = access.memref.buffer.errors
    if errors is None or (uncertainty is None and not errors.touched) or access.is_empty:
        return
    access = access.per_owner()
    parts = (np.broadcast_to(p, np.broadcast_shapes(p.shape, shape)) if p.ndim else p for p in in_memory(uncertainty))
    worst, drift, undecided = (stored(access, part) for part in parts)
    errors.put(access.place, access.memref.dtype.itemsize, (worst, drift, undecided))


def leave_undecided(access: Access) -> None:
    """What an undecided mask may have written is undecided."""
    write_doubt(access, doubtful(np.ones((), np.bool_)), ())


def claim_atomic(m: State, access: Access, atomic: Array) -> None:
    """Checks and enters atomic updates, before they are done. `access` has its axis over owners.

    Updates by the operations numbered in `atomic` do not race with each other. They race with plain accesses, as far as
    the last write tells: an atomic update hides the write before it.
    """
    buffer = access.memref.buffer
    if not buffer.writable and access.owners.size:
        raise access.failure(m, 0, f"of {buffer.name}, which is read-only")
    _require_landed(m, access)
    _require_left(m, access)
    if not access.is_empty:
        for loop in m.unordered:
            _require_apart(m, loop, access, loop.enter_write(_span(access), atomic))
        _note_read(access)
        _note_written(access)
    shadow = buffer.shadow
    if shadow is None:
        return
    touch = _touch(m, access, shadow)
    last = shadow.writes_at(touch)
    if shadow.shared:
        _require_written(m, access, shadow.unwritten(last))
    plain = ~np.isin(operations_of(last), atomic)
    _require_none(m, access, shadow.unordered_writes(last, touch) & plain, last, "writes", _NO_BARRIER)
    last = shadow.reads_at(touch)
    _require_none(m, access, shadow.unordered_reads(last, touch), last, "reads", _NO_BARRIER)
    shadow.mark_writes(touch)


def check_write(m: State, access: Access) -> None:
    """Checks the places of what will be written later, by owners that have their own places. Raises `EvaluationError`
    for races with what was before."""
    access, shadow = access.per_owner(), access.memref.buffer.shadow
    _require_landed(m, access)
    _require_left(m, access)
    if shadow is not None:
        touch = _touch(m, access, shadow)
        last = shadow.reads_at(touch)
        _require_none(m, access, shadow.unordered_reads(last, touch), last, "reads", _NO_BARRIER)
        last = shadow.writes_at(touch)
        _require_none(m, access, shadow.unordered_writes(last, touch), last, "writes", _NO_BARRIER)


# -- copies under way ---------------------------------------------------------------------------------------------


def enter_flight(m: State, access: Access) -> None:
    """A copy that is under way will write there. Raises `EvaluationError` where two owners' copies meet."""
    buffer = access.memref.buffer
    if not m.run.checks:
        return
    if buffer.in_flight is None:
        buffer.in_flight = np.zeros(buffer.data.size, np.bool_)
    flight, bytes_ = buffer.in_flight, _bytes_of(access.per_owner())
    flight[bytes_] = True
    if np.unique(bytes_).size < bytes_.size:
        raise access.failure(
            m, 0, f"of {buffer.name}, to which another copy of the same operation writes, too", fault="race"
        )


def clear_flight(access: Access) -> None:
    """The copies land."""
    if access.memref.buffer.in_flight is not None:
        access.memref.buffer.in_flight[_bytes_of(access.per_owner())] = False


def enter_leaving(m: State, access: Access) -> None:
    """A copy that is under way may read there."""
    buffer = access.memref.buffer
    if not m.run.checks:
        return
    if buffer.leaving is None:
        buffer.leaving = np.zeros(buffer.data.size, np.int32)
    np.add.at(buffer.leaving, _bytes_of(access), 1)


def clear_leaving(access: Access) -> None:
    """It has read."""
    if access.memref.buffer.leaving is not None:
        np.subtract.at(access.memref.buffer.leaving, _bytes_of(access), 1)


def _require_left(m: State, access: Access) -> None:
    leaving = access.memref.buffer.leaving
    if leaving is None or access.is_empty:
        return
    open_ = np.asarray((leaving[_bytes_of(access)] > 0).any(axis=1))
    if open_.any():
        words = "which a copy that is under way reads: nobody has waited for it"
        raise access.failure(m, _entry(access, open_), f"of {access.memref.buffer.name}, {words}", fault="race")


def _bytes_of(access: Access) -> Array:
    """[element, byte]."""
    size = access.memref.dtype.itemsize
    return np.asarray(access.positions.reshape(-1, 1) * size + np.arange(size))


def _require_landed(m: State, access: Access) -> None:
    flight = access.memref.buffer.in_flight
    if flight is None or access.is_empty:
        return
    open_ = np.asarray(flight[_bytes_of(access)].any(axis=1))
    if open_.any():
        words = "which a copy that is under way writes: nobody has waited for it"
        raise access.failure(m, _entry(access, open_), f"of {access.memref.buffer.name}, {words}", fault="race")


def _touch(m: State, access: Access, shadow: Shadow) -> Touch:
    clock = m.clocks["global" if access.memref.buffer.space == "global" else "workgroup"]
    stamps = np.asarray(clock.stamps[access.actors()] | np.uint64(access.site.number))
    parts = shadow.parts(access.memref.dtype.itemsize)
    return Touch(access.place, parts, stamps[..., None] if parts else stamps, clock)


def _check_read(m: State, access: Access, shadow: Shadow) -> None:
    touch = _touch(m, access, shadow)
    last = shadow.writes_at(touch)
    if shadow.shared:
        _require_written(m, access, shadow.unwritten(last))
    _require_none(m, access, shadow.unordered_writes(last, touch), last, "writes", _NO_BARRIER)
    shadow.mark_reads(touch)


def _check_write(m: State, access: Access, shadow: Shadow, touch: Touch, values: Array) -> None:
    last = shadow.reads_at(touch)
    _require_none(m, access, shadow.unordered_reads(last, touch), last, "reads", _NO_BARRIER)
    last = shadow.writes_at(touch)
    clash = shadow.unordered_writes(last, touch)
    if clash.any():
        _require_none(m, access, _unless_equal(access, clash, values), last, "writes", _NO_BARRIER)


def _unless_equal(access: Access, clash: Array, values: Array) -> Array:
    """Leaves out of a clash of writes those to global memory that store what is there already.

    Lanes that hold copies of one value may all write it to global memory; in workgroup memory one has to be elected.
    """
    return clash if access.memref.buffer.space != "global" else _changing(access, clash, values)


def _changing(access: Access, clash: Array, values: Array) -> Array:
    """The part of a clash that stores something else than is there."""
    buffer = access.memref.buffer
    there = np.ascontiguousarray(access.place.take(buffer.typed(access.memref.dtype)))
    given = np.ascontiguousarray(np.broadcast_to(values, there.shape))
    bits = f"u{there.dtype.itemsize}"
    differ = there.view(bits) != given.view(bits)
    return np.asarray(clash & (differ[..., None] if clash.ndim > differ.ndim else differ))


def _require_written(m: State, access: Access, unwritten: Array) -> None:
    if unwritten.any():
        words = f"of {access.memref.buffer.name}, which nobody has written"
        raise access.failure(m, _entry(access, unwritten), words, fault="contents")


def _require_none(m: State, access: Access, clash: Array, stamps: Array, verb: str, when: str) -> None:
    """Raises for the first clash; the stamps say who the other is."""
    if clash.any():
        who, operation = m.decode(int(stamps.reshape(-1)[np.argmax(clash)]))
        message = f"of {access.memref.buffer.name}, which {who} {verb} {when}: a data race"
        note = f"the other access, '{operation.opname}'", operation.location
        raise access.failure(m, _entry(access, clash), message, note, "race")


def _require_apart(
    m: State, loop: Unordered, access: Access, meetings: list[Meeting], values: Array | None = None
) -> None:
    """Raises where iterations without an order meet; it does not tell which of them stores a value that is there."""
    for meeting in meetings:
        stores_both = meeting.verb == "writes" and values is not None
        clash = _changing(access, meeting.clash, values) if stores_both and values is not None else meeting.clash
        if clash.any():
            stamp = meeting.stamps.reshape(-1)[np.argmax(clash)]
            other = m.run.operations[int(operations_of(stamp.view(np.uint64)))]
            words = f"which another iteration of the loop at {loop.op.location} {meeting.verb}"
            message = f"of {access.memref.buffer.name}, {words}: a race, since its iterations have no order"
            note = f"the other access, '{other.opname}'", other.location
            raise access.failure(m, _entry(access, clash), message, note, "race")


def _span(access: Access) -> Span:
    return Span(access.memref.buffer, access.place, access.memref.dtype.itemsize, access.site.number)


def _entry(access: Access, mask: Array) -> int:
    """The first entry of the access that a mask of elements or granules marks."""
    if access.selected is not None:
        entries = access.selected.size
    else:
        entries = access.width * (access.owners.size if access.has_axis else 1)
    return int(np.argmax(mask)) // (mask.size // entries)


def stored(access: Access, value: Array) -> Array:
    """A value of the program, with or without its axis over owners, against the places of the access.

    A scalar that stands for all elements stays one.
    """
    rank = len(access.shape)
    if value.ndim < rank:
        return value
    rows = value
    if value.ndim > rank and access.owners.size != value.shape[0]:
        rows = value[access.owners]
    if access.selected is not None:
        flat = rows.reshape(-1, *access.memref.inner)
        return np.asarray(flat[access.selected % len(flat)])
    return rows[0] if rows.ndim > rank and not access.has_axis else rows


def loaded(m: State, access: Access, elements: Array, otherwise: Array | None = None) -> Array:
    """What was read, as a value of all owners; the rest is `otherwise`, or zero."""
    size, shape = m.batch.size, access.shape
    if access.selected is None and (access.owners.size == size or not access.has_axis):
        return elements
    single = access.selected is not None and size == 1 and (otherwise is None or otherwise.ndim <= len(shape))
    value = np.empty(shape if single else (size, *shape), elements.dtype)
    value[...] = 0 if otherwise is None else otherwise
    if access.selected is None:
        value[access.owners] = elements
    elif single:
        value.reshape(-1, *access.memref.inner)[access.selected] = elements
    else:
        row, inside = np.divmod(access.selected, access.width)
        value.reshape(size, access.width, *access.memref.inner)[access.owners[row], inside] = elements
    if access.void is not None and access.void.size and otherwise is not None:
        row, inside = np.divmod(access.void, access.width)
        rows = np.zeros_like(row) if single else access.owners[row]
        value.reshape(1 if single else size, access.width, *access.memref.inner)[rows, inside] = 0
    return value
