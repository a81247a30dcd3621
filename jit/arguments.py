"""From a user's arguments to a kernel's parameter buffer: checks, copies of host arrays, packing, and facts.

Numpy arrays (and what other libraries hold in host memory) are copied to the device, and back by ``copy_back`` where
the kernel writes. One array passed several times is copied once. Memory that a kernel writes may not overlap that of
another argument, since code is generated on that promise, unless both parameters say ``may_alias``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.near_buffers import NEAR_BYTES
from ..support.packed_elements import byte_count, decoded, element_bits, encoded
from .arrays import ArrayView, DeviceArray, UnusableArray, make_view, memory_at, row_major_strides, view_of
from .device import Device, parameter_offsets
from .facts import Facts, divisors_that_matter
from .scalars import converter
from .signature import (
    STRUCT_CODES,
    ArgumentCountError,
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    BufferParameter,
    MachineParameter,
    Role,
    ScalarParameter,
    SignatureParameter,
    array_text,
    describe,
    extents_text,
    machine_parameters,
    unsigned_of,
)

__all__ = [
    "ArgumentCountError",
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "Binder",
    "BoundArguments",
    "BufferParameter",
    "DeviceArray",
    "Facts",
    "MachineParameter",
    "Role",
    "ScalarParameter",
    "SignatureParameter",
    "bind",
    "check_overlaps",
    "machine_parameters",
]


class BoundArguments:
    """Arguments ready for a launch. As a context manager it releases what it allocated; call ``copy_back`` within.

    Attributes:
        packed: The parameter buffer.
        values: The machine parameters' values.
        facts: What else is seen of them.
    """

    __slots__ = ("_owners", "_staging", "facts", "packed", "values")

    def __init__(
        self, packed: bytes, values: tuple[Any, ...], facts: Facts, staging: _Staging | None, owners: object
    ) -> None:
        self.packed, self.values, self.facts = packed, values, facts
        self._staging, self._owners = staging, owners

    def copy_back(self, stream: object = None) -> None:
        """Copies what the kernel wrote into the host arrays, after the work in the stream."""
        if self._staging is not None:
            self._staging.copy_back(stream)

    def release(self) -> None:
        """Frees the copies of host arrays, after the work that uses them. Repeating it does nothing."""
        if self._staging is not None:
            self._staging.release()

    def __enter__(self) -> BoundArguments:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Binder:
    """Binds arguments to one signature, again and again; what does not depend on the arguments is worked out once.

    Args:
        signature: What the arguments are.
        divisors: For each machine parameter the divisor that facts are about; None is what matters for the signature.
        near: Whether facts say that buffers are near.

    Attributes:
        packed_bytes: How many the packed arguments are.
    """

    def __init__(
        self, signature: Sequence[SignatureParameter], divisors: Sequence[int] | None = None, *, near: bool = True
    ) -> None:
        self.signature = tuple(signature)
        self.machine_parameters = machine_parameters(self.signature)
        self._binders = tuple(
            _ScalarBinder(p) if isinstance(p, ScalarParameter) else _BufferBinder(p) for p in self.signature
        )
        self._buffers = tuple((i, p) for i, p in enumerate(self.signature) if isinstance(p, BufferParameter))
        self._writes = any(p.written for _, p in self._buffers) and len(self._buffers) > 1
        wanted = divisors_that_matter(self.signature) if divisors is None else divisors
        self._divisors = tuple((i, divisor, divisor - 1) for i, divisor in enumerate(wanted))
        self._near = near
        packing = packing_of(self.machine_parameters)
        self._pack, self.packed_bytes = packing.pack, packing.size

    def bind(self, arguments: Sequence[object], device: Device, stream: object = None) -> BoundArguments:
        """Checks and packs; nothing stays allocated when an error is raised.

        Raises:
            ArgumentError: As ArgumentTypeError or ArgumentValueError: an argument does not fit.
            OutOfMemory: The copies of host arrays do not fit.
        """
        if len(arguments) != len(self._binders):
            raise ArgumentCountError([p.name for p in self.signature], len(arguments))
        accepted = [b.accept(a, device, stream) for b, a in zip(self._binders, arguments, strict=True)]
        if self._writes:
            check_overlaps([(p, accepted[i]) for i, p in self._buffers])
        staging = self._stage(accepted, device, stream)
        values: list[Any] = []
        for binder, item in zip(self._binders, accepted, strict=True):
            binder.expand(item, values)
        # Divisors are powers of two: one that divides has no bit below it in the value. Of floats none is wanted.
        divisors = tuple([1 if not rest or values[i] & rest else divisor for i, divisor, rest in self._divisors])
        # Of buffers without elements there are no tensor maps.
        buffers = [(p, accepted[i]) for i, p in self._buffers]
        near = self._near and all(0 not in b.shape and p.is_near(b.reach, b.shape) for p, b in buffers)
        facts = Facts(divisors, near)
        return BoundArguments(self._pack(*values), tuple(values), facts, staging, (arguments, accepted))

    def _stage(self, accepted: list[Any], device: Device, stream: object) -> _Staging | None:
        """Replaces the views of host arrays by views of their copies."""
        on_host = [(i, p) for i, p in self._buffers if accepted[i].host is not None]
        if not on_host:
            return None
        if device.capturing(stream):
            expected = "an array on the device, since the stream is being captured into a graph"
            name, host = on_host[0][1].name, accepted[on_host[0][0]].host
            raise ArgumentValueError(name, expected, f"one of the host, {array_text(host.dtype, host.shape)}")
        staging = _Staging(device, stream)
        with ExitStack() as undo:
            undo.callback(staging.release)
            for i, parameter in on_host:
                accepted[i] = staging.stage(accepted[i], parameter.written)
            undo.pop_all()
        return staging


def bind(
    signature: Sequence[SignatureParameter], arguments: Sequence[object], device: Device, stream: object = None
) -> BoundArguments:
    """Binds once; keep a Binder where a kernel is launched often."""
    return Binder(signature).bind(arguments, device, stream)


def packing_of(parameters: Sequence[MachineParameter]) -> struct.Struct:
    """The layout of a C struct with natural alignment, without padding after the last member."""
    offsets, _ = parameter_offsets(p.parameter for p in parameters)
    text, end = "<", 0
    for parameter, offset in zip(parameters, offsets, strict=True):
        text += f"{offset - end}x{STRUCT_CODES[parameter.dtype]}"
        end = offset + parameter.dtype.itemsize
    return struct.Struct(text)


# Scalars


class _ScalarBinder:
    def __init__(self, parameter: ScalarParameter) -> None:
        self._convert = converter(parameter)

    def accept(self, argument: object, device: Device, stream: object) -> Any:
        return self._convert(argument)

    def expand(self, value: Any, values: list[Any]) -> None:
        values.append(value)


# Buffers


class _BufferBinder:
    def __init__(self, parameter: BufferParameter) -> None:
        self._parameter = parameter
        self._dtype, self._shape, self._itemsize = parameter.dtype, parameter.shape, parameter.dtype.itemsize
        self._unsigned = unsigned_of(parameter.dtype)
        self._in_bytes = element_bits(parameter.dtype) < 8
        self._dynamic_sizes = tuple(i for i, extent in enumerate(parameter.shape) if extent is None)
        self._static_sizes = tuple((i, extent) for i, extent in enumerate(parameter.shape) if extent is not None)
        strides = parameter.strides or ()
        self._dynamic_strides = tuple(i for i, stride in enumerate(strides) if stride is None)
        self._static_strides = tuple((i, stride) for i, stride in enumerate(strides) if stride is not None)
        self._is_identity = parameter.strides is None
        self._offset_bytes = parameter.offset_bytes
        self._has_offset = parameter.offset is None

    def accept(self, argument: object, device: Device, stream: object) -> ArrayView:
        """The argument's view, checked against the parameter."""
        try:
            view = view_of(argument, device, stream)
            seen = None if view is None else self._seen(view)
        except UnusableArray as error:
            raise ArgumentValueError(self._parameter.name, f"a usable array {self._parameter}", str(error)) from error
        if view is None or seen is None:
            raise ArgumentTypeError(self._parameter.name, f"an array {self._parameter}", describe(argument))
        self._check_type(seen, array_text(view.dtype, view.shape))
        self._check_layout(seen)
        if self._parameter.written and not view.writable:
            expected = "a writable array, since the kernel writes it"
            raise ArgumentValueError(self._parameter.name, expected, "a read-only one")
        if view.host is None and view.address % self._itemsize:
            expected = f"an address that is a multiple of {self._itemsize}"
            raise ArgumentValueError(self._parameter.name, expected, hex(view.address))
        if self._parameter.near and not self._parameter.is_near(view.reach, view.shape):
            expected = f"at most {NEAR_BYTES} bytes, none before the address, as the program states"
            raise ArgumentValueError(
                self._parameter.name, expected, f"{view.reach[0]} before and {view.reach[1]} after"
            )
        return view

    def _seen(self, view: ArrayView) -> ArrayView:
        """The view, of bytes that hold several elements each, and of unsigned integers of the same width, as these."""
        if view.dtype == self._dtype:
            return view
        if self._unsigned is not None and view.dtype == self._unsigned:
            return view._replace(dtype=self._dtype)
        return view.as_elements(self._dtype) if self._in_bytes and view.dtype == np.uint8 else view

    def _check_type(self, view: ArrayView, given: str) -> None:
        """`given`: what the caller passed, which `view` is taken as."""
        shape = view.shape
        if (
            view.dtype != self._dtype
            or len(shape) != len(self._shape)
            or any(shape[i] != extent for i, extent in self._static_sizes)
        ):
            is_same_type = view.dtype == self._dtype and len(shape) == len(self._shape)
            kind: type[ArgumentError] = ArgumentValueError if is_same_type else ArgumentTypeError
            raise kind(self._parameter.name, str(self._parameter), given)

    def _check_layout(self, view: ArrayView) -> None:
        if self._is_identity:
            if not view.is_row_major():
                expected = f"rows without gaps (strides {row_major_strides(view.shape)})"
                found = f"strides {view.strides}: pass a contiguous copy"
                raise ArgumentValueError(self._parameter.name, expected, found)
        elif self._static_strides and 0 not in view.shape:
            strides = view.element_strides()
            if any(strides[i] != stride and view.shape[i] > 1 for i, stride in self._static_strides):
                expected = f"strides {extents_text(self._parameter.strides or ())} in elements"
                raise ArgumentValueError(self._parameter.name, expected, f"strides {extents_text(strides)}")

    def expand(self, view: ArrayView, values: list[Any]) -> None:
        """Appends the machine parameters of a view in device memory."""
        view = self._seen(view)
        values.append(view.address and view.address - self._offset_bytes)
        values += [view.shape[i] for i in self._dynamic_sizes]
        if self._dynamic_strides:
            strides = view.element_strides()
            values += [strides[i] for i in self._dynamic_strides]
        if self._has_offset:
            values.append(0)


def check_overlaps(buffers: Sequence[tuple[BufferParameter, ArrayView]]) -> None:
    """Raises ArgumentValueError for the first pair that shares an element although one of the two is written."""
    spans = [(view.address - view.reach[0], view.address + view.reach[1]) for _, view in buffers]
    for i, (low, high) in enumerate(spans):
        for j in range(i):
            if low < spans[j][1] and spans[j][0] < high:
                _check_pair(*buffers[i], *buffers[j])


def _check_pair(first: BufferParameter, view: ArrayView, second: BufferParameter, other: ArrayView) -> None:
    may = (first.may_alias and second.may_alias) or not (first.written or second.written)
    if may or (view.host is None) != (other.host is None) or not _share_elements(view, other):
        return
    expected = f"memory apart from that of argument {second.name!r}, since the kernel writes one of them"
    raise ArgumentValueError(first.name, expected, "memory that overlaps it: pass a copy")


def _share_elements(first: ArrayView, second: ArrayView) -> bool:
    """Exact for interleaved views such as two column ranges; what takes too long to tell counts as shared, and so does
    what shares bytes."""
    if any(view.host is None and element_bits(view.dtype) < 8 for view in (first, second)):
        return True
    try:
        return np.shares_memory(_address_map(first), _address_map(second), max_work=_MAX_WORK)
    except np.exceptions.TooHardError:
        return True


_MAX_WORK: Any = 100_000  # numpy stubs know only its two special values


def _address_map(view: ArrayView) -> NDArray[Any]:
    """A numpy array with the addresses of the view; its elements, perhaps on a device, are never touched."""
    before, after = view.reach
    return view.laid_over(memory_at(view.address - before, before + after), np.dtype(f"V{view.dtype.itemsize}"))


# Copies of host arrays


class _Copy:
    """One host array on the device. The elements that it spans are copied as they lie, so strides stay what they are;
    where several share a byte there, the first begins one."""

    __slots__ = ("address", "lead", "nbytes", "span", "view", "written")

    def __init__(self, view: ArrayView) -> None:
        before, after = view.reach
        dtype, self.span = view.dtype, before + after
        self.lead = -before % (8 // element_bits(dtype)) if element_bits(dtype) < 8 else 0
        self.nbytes = byte_count((self.lead + self.span) // dtype.itemsize, dtype)
        self.address = 0
        self.view, self.written = view, False

    def copy_in(self, device: Device, stream: object) -> None:
        self.address = device.allocate_for(stream, self.nbytes)
        memory = memory_at(self.view.address - self.view.reach[0], self.span)
        if self.lead:
            memory = np.concatenate([np.zeros(self.lead, np.uint8), memory])
        device.copy_in(self.address, encoded(memory, self.view.dtype), stream)

    @property
    def on_device(self) -> ArrayView:
        """The view of the copy."""
        view = self.view
        before = (self.lead + view.reach[0]) // view.dtype.itemsize * element_bits(view.dtype) // 8
        return make_view(self.address + before, view.dtype, view.shape, view.strides, writable=view.writable)

    def copy_back(self, device: Device, stream: object) -> None:
        """Writes the elements and nothing between them, which may belong to someone else."""
        span = np.empty(self.nbytes, np.uint8)
        device.copy_out(span, self.address, stream)
        host = self.view.host
        assert host is not None
        memory = decoded(span, host.dtype, self.lead + self.span)[self.lead :]
        host[...] = self.view.laid_over(memory, host.dtype)


class _Staging:
    """The copies that one call's host arrays have on the device, in the order of one stream."""

    __slots__ = ("_copies", "_device", "_stream")

    def __init__(self, device: Device, stream: object) -> None:
        self._device, self._stream = device, stream
        self._copies: dict[object, _Copy] = {}

    def stage(self, view: ArrayView, written: bool) -> ArrayView:
        """The view of the copy. What is only written is copied, too: the kernel may leave elements as they are."""
        key = (view.address, view.dtype, view.shape, view.strides)
        copy = self._copies.get(key)
        if copy is None:
            copy = _Copy(view)
            if copy.nbytes:
                self._copies[key] = copy  # before the copying, which may fail with the memory allocated
                copy.copy_in(self._device, self._stream)
        copy.written |= written
        return copy.on_device

    def copy_back(self, stream: object) -> None:
        for copy in self._copies.values():
            if copy.written:
                copy.copy_back(self._device, stream)

    def release(self) -> None:
        while self._copies:
            _, copy = self._copies.popitem()
            if copy.address:
                self._device.free_in(self._stream, copy.address)
