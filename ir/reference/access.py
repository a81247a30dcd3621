"""Memory and ids in the reference: one rule per operation class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import Operation, Value
from ..decompose import WRITTEN_OUT, is_shorthand
from ..dialects import amdgpu, builtin, func, gpu, iree_vector_ext, memref, nvgpu, scf, vector
from ..expand.table import REASON, is_expanded
from ..mixed import merge
from ..numerics import Array, dtype_of, wrapped
from ..types import VectorType
from .errors import failure
from .memory import View, Window, allocate, load_element, reinterpret, store_element, transfer_window
from .program import CONTROL, EVALUATE, OWNER, Compiler, Frame, Plain, index_value, integers, is_settled, settle
from .propagation_sums import updated
from .uncertainty import Maybe, Uncertainty, doubted, doubtful, nothing, settled

# -- ids --------------------------------------------------------------------------------------------------------------


@EVALUATE.of(gpu.IdOp)
def _id(op: gpu.IdOp, compiler: Compiler) -> Plain:
    output = compiler.slot(op.result)
    key = (type(op), op.dimension.index if isinstance(op, gpu.DimensionOp) else 0)

    def step(frame: Frame) -> None:
        value = frame[OWNER].ids.get(key)
        if value is None:
            raise failure(op, "has no value here: the owner is larger than what it numbers, or its size is not known")
        frame[output], frame[-output] = value, None

    return step


# -- buffers and views ------------------------------------------------------------------------------------------------


@EVALUATE.of(memref.AllocOp)
def _alloc(op: memref.AllocOp, compiler: Compiler) -> Plain:
    sizes, output, type = compiler.slots(op.dynamic_sizes), compiler.slot(op.result), op.memref.type
    with_errors = compiler.machine is not None

    def private(frame: Frame) -> None:
        frame[output] = allocate(type, _sizes(op, frame, sizes), with_errors=with_errors)

    def shared(frame: Frame) -> None:
        owner = frame[OWNER]
        run = owner.runs[op] = owner.runs.get(op, -1) + 1
        if (op, run) not in owner.shared:
            owner.shared[op, run] = allocate(type, _sizes(op, frame, sizes), with_errors=with_errors)
        frame[output] = owner.shared[op, run]

    return shared if type.memory_space == gpu.WORKGROUP else private


def _sizes(op: Operation, frame: Frame, slots: Sequence[int]) -> list[int]:
    sizes = integers(frame, slots)
    if any(n < 0 for n in sizes):
        raise failure(op, f"has a negative size: {sizes}")
    return sizes


@EVALUATE.of(memref.DeallocOp)
def _dealloc(op: memref.DeallocOp, compiler: Compiler) -> Plain:
    return lambda frame: None


@EVALUATE.of(memref.AssumeAlignmentOp, iree_vector_ext.ToLayoutOp)
def _same(op: Operation, compiler: Compiler) -> Plain:
    source, output = compiler.slot(op.operands[0]), compiler.slot(op.result)

    def step(frame: Frame) -> None:
        frame[output], frame[-output] = frame[source], frame[-source]

    return step


@EVALUATE.of(memref.CastOp)
def _cast(op: memref.CastOp, compiler: Compiler) -> Plain:
    source, output, type = compiler.slot(op.source), compiler.slot(op.result), op.result_.type

    def step(frame: Frame) -> None:
        view: View = frame[source]
        if any(n is not None and n != m for n, m in zip(type.shape, view.extents, strict=True)):
            raise failure(op, f"sees a memref of extents {list(view.extents)} as {type}")
        frame[output] = view

    return step


@EVALUATE.of(memref.DimOp)
def _dim(op: memref.DimOp, compiler: Compiler) -> Plain:
    source, index, output = compiler.slot(op.memref), compiler.slot(op.index), compiler.slot(op.result)

    def step(frame: Frame) -> None:
        extents, dim = frame[source].extents, int(frame[index])
        if not 0 <= dim < len(extents):
            raise failure(op, f"asks for dimension {dim} of a memref of rank {len(extents)}")
        frame[output], frame[-output] = index_value(extents[dim]), None

    return step


@EVALUATE.of(memref.SubViewOp)
def _subview(op: memref.SubViewOp, compiler: Compiler) -> Plain:
    source, output = compiler.slot(op.source), compiler.slot(op.result)
    lists = [
        merge(op.static_offsets, op.offsets),
        merge(op.static_sizes, op.sizes),
        merge(op.static_strides, op.strides),
    ]
    readers = [[_number(n, compiler) for n in numbers] for numbers in lists]
    kept, rank = frozenset(op.kept_dims()), op.result_.type.rank
    dynamic = compiler.slots(op.operands[1:])

    def step(frame: Frame) -> None:
        view: View = frame[source]
        settle(op, frame, dynamic)
        offsets, sizes, strides = ([read(frame) for read in numbers] for numbers in readers)
        box: list[slice | int] = []
        for dim, (start, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
            _check_span(op, dim, start, size, stride, view.extents[dim])
            box.append(slice(start, start + size * stride, stride) if dim in kept else start)
        frame[output] = view.part(tuple(box), rank)

    return step


def _number(number: int | Value, compiler: Compiler) -> Callable[[Frame], int]:
    if isinstance(number, int):
        return lambda frame: number
    slot = compiler.slot(number)
    return lambda frame: int(frame[slot])


def _check_span(op: Operation, dim: int, start: int, size: int, stride: int, extent: int) -> None:
    if stride <= 0:
        raise failure(op, f"has stride {stride} along dimension {dim}: it must be positive")
    last = start + (size - 1) * stride
    if size < 0 or start < 0 or start > extent or last >= extent:
        raise failure(op, f"takes indices {start} to {last} of dimension {dim}, which are outside 0 to {extent - 1}")


@EVALUATE.of(memref.ViewOp)
def _view(op: memref.ViewOp, compiler: Compiler) -> Plain:
    source, shift, sizes = compiler.slot(op.source), compiler.slot(op.byte_shift), compiler.slots(op.sizes)
    output, type = compiler.slot(op.result), op.result_.type

    def step(frame: Frame) -> None:
        frame[output] = reinterpret(op, frame[source], int(frame[shift]), type, _sizes(op, frame, sizes))

    return step


# -- elements ---------------------------------------------------------------------------------------------------------


@EVALUATE.of(memref.LoadOp)
def _load(op: memref.LoadOp, compiler: Compiler) -> Plain:
    source, indices, output = compiler.slot(op.memref), compiler.slots(op.indices), compiler.slot(op.result)

    def step(frame: Frame) -> None:
        view, place = frame[source], integers(frame, indices)
        frame[output] = wrapped(load_element(op, view, place), op.result_.type)
        frame[-output] = _loaded(view, place) if is_settled(frame, indices) else doubtful(np.ones((), np.bool_))

    return step


@EVALUATE.of(memref.StoreOp)
def _store(op: memref.StoreOp, compiler: Compiler) -> Plain:
    target, indices, value = compiler.slot(op.memref), compiler.slots(op.indices), compiler.slot(op.value)

    def step(frame: Frame) -> None:
        settle(op, frame, indices)
        view, place = frame[target], integers(frame, indices)
        store_element(op, view, place, frame[value])
        _stored(view, place, frame[-value])

    return step


@EVALUATE.of(memref.AtomicRMWOp)
def _atomic_rmw(op: memref.AtomicRMWOp, compiler: Compiler) -> Plain:
    """Owners run one after the other as far as this goes, so each update is whole."""
    target, indices, value = compiler.slot(op.memref), compiler.slots(op.indices), compiler.slot(op.value)
    output, kind, follows = compiler.slot(op.result), op.kind, compiler.machine is not None

    def step(frame: Frame) -> None:
        settle(op, frame, indices)
        view, place = frame[target], integers(frame, indices)
        old = wrapped(load_element(op, view, place), op.value.type)
        new = wrapped(kind.combine(old, frame[value]), op.value.type)
        store_element(op, view, place, new)
        frame[output], frame[-output] = old, _loaded(view, place)
        if follows:
            _stored(view, place, updated(op, (old, frame[-output]), (frame[value], frame[-value]), new))

    return step


def _loaded(view: View, place: Sequence[int]) -> Maybe:
    if view.errors is None or not view.errors.touched[0]:
        return None
    worst, drift, undecided = (np.asarray(part[tuple(place)]) for part in view.errors.parts)
    return settled(Uncertainty(worst, drift, np.zeros_like(worst), undecided))


def _stored(view: View, place: Sequence[int], uncertainty: Maybe) -> None:
    if view.errors is None or (uncertainty is None and not view.errors.touched[0]):
        return
    view.errors.touched[0] = True
    stored = (nothing(()) if uncertainty is None else uncertainty).shared()
    for part, value in zip(view.errors.parts, (stored.worst, stored.drift, stored.undecided), strict=True):
        part[tuple(place)] = value


# -- slices -----------------------------------------------------------------------------------------------------------


@EVALUATE.of(vector.TransferReadOp)
def _transfer_read(op: vector.TransferReadOp, compiler: Compiler) -> Plain:
    source, indices, padding = compiler.slot(op.memref), compiler.slots(op.indices), compiler.slot(op.padding)
    mask = compiler.slot(op.mask) if op.mask is not None else None
    transfer, output, shape = _Transfer(op, op.memory_dims, op.shape), compiler.slot(op.result), op.vector_type.shape
    follows = compiler.machine is not None

    def step(frame: Frame) -> None:
        view: View = frame[source]
        window, enabled = _transfer_box(op, transfer, view, integers(frame, indices), _optional(frame, mask))
        value = np.empty(shape, view.data.dtype)
        value[...] = frame[padding]
        transfer.read(view, window, enabled, value)
        frame[output] = wrapped(value, op.vector_type.element)
        if follows:
            outside, condition = frame[-padding], None if mask is None else frame[-mask]
            found = transfer.uncertainty(view, window, enabled, outside, value.shape)
            if condition is not None:
                condition = condition.moved(op.vector_mask)
            frame[-output] = doubted(found, condition, value.shape, not is_settled(frame, indices))

    return step


@EVALUATE.of(vector.TransferWriteOp)
def _transfer_write(op: vector.TransferWriteOp, compiler: Compiler) -> Plain:
    target, indices, value = compiler.slot(op.memref), compiler.slots(op.indices), compiler.slot(op.value)
    mask = compiler.slot(op.mask) if op.mask is not None else None
    transfer = _Transfer(op, op.memory_dims, op.shape)

    def step(frame: Frame) -> None:
        view: View = frame[target]
        settle(op, frame, indices)
        window, enabled = _transfer_box(op, transfer, view, integers(frame, indices), _optional(frame, mask))
        transfer.write(view, window, enabled, frame[value])
        condition = None if mask is None else frame[-mask]
        if condition is not None:
            condition = condition.moved(op.vector_mask)
        transfer.store_uncertainty(view, window, enabled, frame[-value], condition)

    return step


def _optional(frame: Frame, slot: int | None) -> Array | None:
    return None if slot is None else frame[slot]


def _transfer_box(
    op: vector.TransferReadOp | vector.TransferWriteOp,
    transfer: _Transfer,
    view: View,
    starts: list[int],
    mask: Array | None,
) -> tuple[Window, Array | None]:
    """What lies inside the memref, and the mask seen from the vector; what must lie inside is checked."""
    window = transfer_window(starts, view.extents, transfer.dims, transfer.shape)
    if not window.whole:
        broken = op.broken_promise(starts, view.extents, mask)
        if broken is not None:
            raise failure(op, broken)
    return window, None if mask is None else op.vector_mask(mask)


class _Transfer:
    """Moves the box that a transfer covers inside a memref."""

    def __init__(self, op: Operation, dims: Sequence[int | None], shape: Sequence[int]) -> None:
        self.op = op
        self.dims = tuple(dims)
        self.shape = tuple(shape)

    def read(self, view: View, window: Window, enabled: Array | None, value: Array) -> None:
        """Overwrites in `value` what is inside the memref and enabled."""
        if window.empty:
            return
        part = window.of(view.data)
        chosen = self._chosen(enabled, window, part.ndim)
        if view.written is not None:
            self._check_written(window.of(view.written), chosen)
        box: tuple[Any, ...] = (*window.vector, ...)  # the ellipsis keeps an array of rank 0 an array
        np.copyto(value[box], part, where=chosen)

    def write(self, view: View, window: Window, enabled: Array | None, value: Array) -> None:
        """Overwrites in memory what is inside it and enabled."""
        if window.empty:
            return
        part = window.of(view.data)
        chosen = self._chosen(enabled, window, part.ndim)
        np.copyto(part, value[window.vector], where=chosen)
        if view.written is not None:
            flags = window.of(view.written)
            flags |= np.asarray(chosen)[..., None]

    def uncertainty(
        self, view: View, window: Window, enabled: Array | None, outside: Maybe, shape: tuple[int, ...]
    ) -> Maybe:
        """That of what `read` gives: of memory where it was read, else `outside`, which may be of one element."""
        errors = view.errors
        if (errors is None or not errors.touched[0]) and outside is None:
            return None
        found = (nothing(()) if outside is None else outside).within(shape)
        parts = [np.array(part) for part in (found.worst, found.drift, found.undecided)]
        if errors is not None and not window.empty:
            box: tuple[Any, ...] = (*window.vector, ...)
            for part, memory in zip(parts, errors.parts, strict=True):
                inside = window.of(memory)
                np.copyto(part[box], inside, where=self._chosen(enabled, window, inside.ndim))
        return settled(Uncertainty(parts[0], parts[1], np.zeros(shape), parts[2]))

    def store_uncertainty(
        self, view: View, window: Window, enabled: Array | None, uncertainty: Maybe, condition: Maybe
    ) -> None:
        """Keeps that of what `write` wrote; what an undecided mask may have written is undecided."""
        errors = view.errors
        if errors is None or window.empty or (uncertainty is None and condition is None and not errors.touched[0]):
            return
        errors.touched[0] = True
        stored = nothing(()) if uncertainty is None else uncertainty.shared()
        box: tuple[Any, ...] = (*window.vector, ...)
        for memory, part in zip(errors.parts, (stored.worst, stored.drift, stored.undecided), strict=True):
            inside = window.of(memory)
            value = part[box] if part.ndim else part
            np.copyto(inside, value, where=self._chosen(enabled, window, inside.ndim))
        if condition is not None:
            inside = window.of(errors.undecided)
            inside |= self._chosen(condition.undecided, window, inside.ndim)

    @staticmethod
    def _chosen(enabled: Array | None, window: Window, rank: int) -> Any:
        """The mask of the box, with axes for vector elements; True without a mask."""
        if enabled is None:
            return True
        part = enabled[window.vector]
        return part.reshape(part.shape + (1,) * (rank - part.ndim))

    def _check_written(self, flags: Array, chosen: Any) -> None:
        missing = np.asarray(chosen) & ~flags.all(axis=-1)
        if missing.any():
            place = [int(i[0]) for i in np.nonzero(missing)]
            raise failure(self.op, f"reads memory that has not been written, first at element {place} of the vector")


def _slice_transfer(op: vector.LoadOp | vector.StoreOp | vector.MaskedLoadOp | vector.MaskedStoreOp) -> _Transfer:
    """Contiguous accesses run along the last dims of the memref."""
    memory, shape = op.memref_type, op.vector_type.shape
    suffix = memory.element.rank if isinstance(memory.element, VectorType) else 0
    shape = shape[: len(shape) - suffix]
    return _Transfer(op, range(memory.rank - len(shape), memory.rank), shape)


def _slice_window(transfer: _Transfer, view: View, starts: Sequence[int], enabled: Array | None) -> Window:
    """Everything that is enabled must be inside."""
    window = transfer_window(starts, view.extents, transfer.dims, transfer.shape)
    if not window.whole:
        inside = np.zeros(transfer.shape, np.bool_)
        inside[window.vector] = not window.empty
        touched = ~inside if enabled is None else enabled & ~inside
        if touched.any():
            first = [int(i[0]) for i in np.nonzero(touched)]
            extents, begin = list(view.extents), list(starts)
            raise failure(
                transfer.op, f"starts at {begin} and leaves the memref of extents {extents} at element {first}"
            )
    return window


@EVALUATE.of(vector.LoadOp, vector.MaskedLoadOp)
def _vector_load(op: vector.LoadOp | vector.MaskedLoadOp, compiler: Compiler) -> Plain:
    source, indices, output = compiler.slot(op.memref), compiler.slots(op.indices), compiler.slot(op.result)
    masked = compiler.slots([op.mask, op.pass_thru]) if isinstance(op, vector.MaskedLoadOp) else None
    transfer, shape, dtype = _slice_transfer(op), op.vector_type.shape, dtype_of(op.vector_type.element)
    follows = compiler.machine is not None

    def step(frame: Frame) -> None:
        view: View = frame[source]
        enabled = frame[masked[0]] if masked is not None else None
        window = _slice_window(transfer, view, integers(frame, indices), enabled)
        value = np.array(frame[masked[1]]) if masked is not None else np.empty(shape, dtype)
        transfer.read(view, window, enabled, value)
        frame[output] = wrapped(value, op.vector_type.element)
        if follows:
            outside, condition = (None, None) if masked is None else (frame[-masked[1]], frame[-masked[0]])
            found = transfer.uncertainty(view, window, enabled, outside, value.shape)
            frame[-output] = doubted(found, condition, value.shape, not is_settled(frame, indices))

    return step


@EVALUATE.of(vector.StoreOp, vector.MaskedStoreOp)
def _vector_store(op: vector.StoreOp | vector.MaskedStoreOp, compiler: Compiler) -> Plain:
    target, indices, value = compiler.slot(op.memref), compiler.slots(op.indices), compiler.slot(op.value)
    mask = compiler.slot(op.mask) if isinstance(op, vector.MaskedStoreOp) else None
    transfer = _slice_transfer(op)

    def step(frame: Frame) -> None:
        view: View = frame[target]
        enabled, condition = (frame[mask], frame[-mask]) if mask is not None else (None, None)
        settle(op, frame, indices)
        window = _slice_window(transfer, view, integers(frame, indices), enabled)
        transfer.write(view, window, enabled, frame[value])
        transfer.store_uncertainty(view, window, enabled, frame[-value], condition)

    return step


# -- without a rule ---------------------------------------------------------------------------------------------------

EVALUATE.needless("holds other operations", builtin.ModuleOp, gpu.GPUModuleOp, func.FuncOp, gpu.GPUFuncOp)
EVALUATE.needless(
    "ends a block: its operands are what the block hands on", func.ReturnOp, gpu.ReturnOp, scf.YieldOp, scf.ConditionOp
)
EVALUATE.needless_family(WRITTEN_OUT, is_shorthand)
EVALUATE.needless_family(REASON, lambda cls: is_expanded(cls) and CONTROL.get(cls) is None)
EVALUATE.needless(
    "its operands are what single threads hold: the interpreter of threads runs it",
    iree_vector_ext.ToSIMDOp,
    iree_vector_ext.ToSIMTOp,
    nvgpu.MmaSyncOp,
    nvgpu.LdMatrixOp,
    amdgpu.MfmaOp,
    amdgpu.WmmaOp,
)
