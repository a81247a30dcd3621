"""A launch: arguments become values, workgroups run in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ...ir.attributes import IntegerAttr
from ...ir.core import Operation, Value
from ...ir.diagnostics import Diagnostic
from ...ir.dialects import memref
from ...ir.effects import Buffers
from ...ir.kernels import Kernel
from ...ir.limits import GENEROUS, Limits, Meter
from ...ir.narrow_arguments import on_numbers
from ...ir.numerics import Array, dtype_of
from ...ir.types import MemRefType, VectorType
from . import (
    matrix_amd,
    matrix_nvidia,
    rules_atomic,
    rules_control,
    rules_memory,
    rules_programs,
    rules_together,
    rules_values,
    rules_views,
)
from .buffers import Buffer
from .compile import Compiler, run
from .errors import InterpretError, InterpretLimit, failure
from .geometry import Batch, Geometry, triple
from .machine import Machine
from .memory import BASE_ALIGNMENT, MemRef
from .races import MAX_THREADS, Shadow, Stamp, thread_bits

RULES = (
    rules_values,
    rules_atomic,
    rules_control,
    rules_memory,
    rules_views,
    rules_together,
    rules_programs,
    matrix_amd,
    matrix_nvidia,
)
"""Where the rules of `INTERPRET` stand."""
BATCH_THREADS = 1 << 16
BATCH_BYTES = 1 << 28
"""What the values, or the workgroup memory, of one batch may take, roughly."""


@on_numbers
def interpret_kernel(
    kernel: Kernel,
    grid: int | Sequence[int],
    arguments: Sequence[Any],
    *,
    subgroup_size: int,
    checks: bool = True,
    limits: Limits = GENEROUS,
) -> Writers:
    """Runs a thread-level kernel on `grid` (x, y, z) workgroups; memref arguments are numpy arrays, changed in place.

    Subgroups are `subgroup_size` consecutive flat thread ids. Arrays start at addresses as aligned as the argument's
    `llvm.align` states, else at multiples of 4096 bytes. Without `checks` only indices are checked. Raises
    `InterpretError` for wrong arguments, for operations that have no place in a thread's program, and for whatever
    is undefined: accesses out of bounds or misaligned, reads of workgroup memory that nobody has written, data races
    in workgroup and global memory, barriers and shuffles that not all threads reach; and where a limit is reached.

    The result knows who wrote what, if there were `checks`.
    """
    geometry = Geometry(triple(grid), kernel.block_size, subgroup_size)
    if min(geometry.grid) < 0 or geometry.workgroups << thread_bits(geometry) > MAX_THREADS:
        raise _wrong(kernel, f"a grid of {geometry.grid} workgroups: at most {MAX_THREADS} threads in all")
    compiler = Compiler()
    values = _bind(kernel, geometry, arguments, checks)
    slots = compiler.slots(kernel.arguments)
    with np.errstate(all="ignore"):
        steps, _ = compiler.block(kernel.op.body)
        for slot, value in zip(slots, values, strict=True):
            compiler.template[slot] = value
        at_once = _workgroups_at_once(kernel, geometry, len(compiler.template))
        meter = Meter(limits, geometry.workgroups)
        for first in range(0, geometry.workgroups, at_once):
            batch = Batch(geometry, first, min(at_once, geometry.workgroups - first))
            run(steps, Machine(batch, list(compiler.template), compiler.operations, checks, meter))
            reached = meter.spend(len(steps))
            if reached:
                raise InterpretLimit(failure(kernel.op, reached).diagnostic)
            meter.finish(batch.workgroups)
    return Writers(geometry, compiler.operations, values)


class Writers:
    """Who last wrote the elements of a launch's arguments."""

    def __init__(self, geometry: Geometry, operations: Sequence[Operation], arguments: Sequence[Any]) -> None:
        self._geometry, self._operations, self._arguments = geometry, operations, arguments

    def writer(self, argument: int, byte: int) -> tuple[str, Operation] | None:
        """The thread, in words, and the operation that last wrote a byte of a memref argument; None: nobody did.

        `byte` counts from the element (0, ..., 0), backwards where strides are negative.
        """
        memref = self._arguments[argument]
        shadow = memref.buffer.shadow
        stamp = 0 if shadow is None else shadow.last_write(memref.offset * memref.dtype.itemsize + byte)
        if not stamp:
            return None
        parts = Stamp.of(stamp, self._geometry)
        return self._geometry.who(parts.workgroup, parts.thread), self._operations[parts.operation]


def _workgroups_at_once(kernel: Kernel, geometry: Geometry, slots: int) -> int:
    threads = min(BATCH_THREADS, BATCH_BYTES // (8 * slots)) // geometry.threads
    allocations = [op for op in kernel.op.walk() if isinstance(op, memref.AllocOp)]
    memory = sum(memref.byte_size(op.memref.type) or 0 for op in allocations)
    return max(1, min(threads, BATCH_BYTES // (16 * memory) if memory else threads))


# -- arguments ------------------------------------------------------------------------------------------------------


def _bind(kernel: Kernel, geometry: Geometry, arguments: Sequence[Any], checks: bool) -> list[Any]:
    if len(arguments) != len(kernel.arguments):
        raise _wrong(kernel, f"takes {len(kernel.arguments)} arguments, {len(arguments)} are given")
    written = Buffers(kernel.op).written()
    buffers: dict[tuple[int, int], Buffer] = {}
    values: list[Any] = []
    for i, (argument, given) in enumerate(zip(kernel.arguments, arguments, strict=True)):
        if not isinstance(argument.type, MemRefType):
            values.append(_scalar(kernel, i, argument, given))
            continue
        flat = _flat(kernel, i, argument.type, given)
        key = flat.ctypes.data, flat.nbytes
        if key not in buffers:
            buffers[key] = _argument_buffer(kernel, i, argument, flat)
        if checks and argument in written and buffers[key].shadow is None:
            buffers[key].shadow = Shadow(flat.nbytes, False, geometry)
        strides = tuple(s // given.itemsize for s in given.strides)
        start = sum((1 - n) * s for n, s in zip(given.shape, strides, strict=True) if s < 0) if given.size else 0
        values.append(MemRef(buffers[key], given.dtype, start, given.shape, strides))
    return values


def _scalar(kernel: Kernel, index: int, argument: Value, given: Any) -> Array:
    if np.ndim(given):
        raise _wrong(kernel, f"argument {index} is {argument.type}, an array of shape {np.shape(given)} is given")
    return np.asarray(given).astype(dtype_of(argument.type))


def _flat(kernel: Kernel, index: int, type: MemRefType, given: Any) -> Array:
    """The memory from the lowest to the highest element of an array that a memref argument may be."""
    expected = f"argument {index} is {type}"
    if not isinstance(given, np.ndarray):
        raise _wrong(kernel, f"{expected}, it takes a numpy array, found {given.__class__.__name__}")
    array = cast(Array, given)
    if isinstance(type.element, VectorType) or array.dtype != dtype_of(type.element):
        raise _wrong(kernel, f"{expected}, an array of {array.dtype} is given")
    if array.ndim != type.rank or any(n not in (None, m) for n, m in zip(type.shape, array.shape, strict=True)):
        raise _wrong(kernel, f"{expected}, an array of shape {array.shape} is given")
    strides = tuple(s // array.itemsize for s in array.strides)
    if not _has_strides(type, array, strides):
        raise _wrong(kernel, f"{expected}, an array of shape {array.shape} with strides {strides} is given")
    span = 1 + sum((n - 1) * abs(s) for n, s in zip(array.shape, strides, strict=True)) if array.size else 0
    descending = tuple(axis for axis, stride in enumerate(strides) if stride < 0)
    ascending = np.flip(array, descending) if descending else array
    bits = ascending.view(f"u{array.itemsize}")  # numpy rebuilds the dtype, which fails for one of ml_dtypes
    return np.lib.stride_tricks.as_strided(bits, (span,), (array.itemsize,)).view(array.dtype)


def _has_strides(type: MemRefType, array: Array, strides: tuple[int, ...]) -> bool:
    if type.layout is None:
        return array.flags.c_contiguous
    stated, _ = type.strides_and_offset()
    fit = all(s is None or s == t or n < 2 for s, t, n in zip(stated, strides, array.shape, strict=True))
    return fit and all(s % array.itemsize == 0 for s in array.strides)


def _argument_buffer(kernel: Kernel, index: int, argument: Value, flat: Array) -> Buffer:
    fact = kernel.argument_attribute(index, "llvm.align")
    base = fact.value if isinstance(fact, IntegerAttr) else BASE_ALIGNMENT
    name = f"%{argument.hint}" if argument.hint else f"argument {index}"
    return Buffer(name, "global", flat.view(np.uint8), flat.nbytes, None, base, flat.flags.writeable)


def _wrong(kernel: Kernel, message: str) -> InterpretError:
    return InterpretError(Diagnostic(f"kernel '@{kernel.name}': {message}", kernel.op.location))
