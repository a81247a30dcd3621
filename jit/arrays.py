"""Arrays as kernels see them: our own on a device, and views of everyone else's (numpy, torch, cupy, jax)."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..support.late import LateTable
from ..support.named_tuples import NamedTuple
from ..support.packed_elements import byte_count, decoded, element_bits, encoded
from . import dlpack
from .device import Device, DeviceError, HostArray, stream_handle
from .signature import ml_type

LEGACY_DEFAULT_STREAM = 1
"""CUDA's default stream in DLPack and in the CUDA array interface, where 0 could mean two streams."""


class UnusableArray(ValueError):
    """An array that a kernel on this device cannot use; the message says why and what to do."""


class ArrayView(NamedTuple):
    """Where an array is and how it is laid out; made by ``make_view``.

    ``address`` is that of element (0, ..., 0). Strides count elements, None means row-major without gaps. ``reach`` is
    how many bytes before and after the address the elements extend; (0, 0) when there are none. ``host`` is the array
    itself where it lives in host memory and has to be copied; there each element has a byte at least, on a device
    several may share one. ``owner`` keeps exported memory alive.
    """

    address: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    reach: tuple[int, int]
    writable: bool
    host: HostArray | None
    owner: object

    def is_row_major(self) -> bool:
        """Whether the elements lie in row-major order without gaps; strides of extents below 2 say nothing."""
        if self.strides is None:
            return True
        expected = 1
        for stride, extent in zip(reversed(self.strides), reversed(self.shape), strict=True):
            if extent > 1 and stride != expected:
                return 0 in self.shape
            expected *= extent
        return True

    def laid_over(self, memory: NDArray[np.uint8], dtype: np.dtype[Any]) -> NDArray[Any]:
        """An array of this shape and these strides in bytes that begin where the lowest element does."""
        strides = tuple(stride * dtype.itemsize for stride in self.element_strides())
        return np.ndarray(self.shape, dtype, buffer=memory, offset=self.reach[0], strides=strides)

    def as_elements(self, dtype: np.dtype[Any]) -> ArrayView:
        """Bytes on a device as the elements that they hold: the last extent, of stride 1, counts them. Raises
        UnusableArray where they are apart."""
        each, strides = 8 // element_bits(dtype), self.element_strides()
        if not self.shape or (strides[-1] != 1 and self.shape[-1] > 1):
            raise UnusableArray(f"bytes that hold {dtype} need a last dimension of stride 1, found {strides}")
        wide = None if self.strides is None else (*(each * stride for stride in strides[:-1]), 1)
        return self._replace(dtype=dtype, shape=(*self.shape[:-1], each * self.shape[-1]), strides=wide)

    def element_strides(self) -> tuple[int, ...]:
        return row_major_strides(self.shape) if self.strides is None else self.strides


def make_view(
    address: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    *,
    writable: bool = True,
    host: HostArray | None = None,
    owner: object = None,
) -> ArrayView:
    bits = element_bits(dtype) if host is None else 8 * dtype.itemsize
    before, after = (-(-elements * bits // 8) for elements in _reach(shape, strides))
    return ArrayView(address, dtype, shape, strides, (before, after), writable, host, owner)


def _reach(shape: tuple[int, ...], strides: tuple[int, ...] | None) -> tuple[int, int]:
    """Elements before the first and from it on."""
    if strides is None:
        return 0, math.prod(shape)
    if 0 in shape:
        return 0, 0
    reaches = [stride * (extent - 1) for stride, extent in zip(strides, shape, strict=True)]
    return -sum(reach for reach in reaches if reach < 0), sum(reach for reach in reaches if reach > 0) + 1


def memory_at(address: int, nbytes: int) -> NDArray[np.uint8]:
    """Bytes at an address of this process, or of a device if nobody reads them."""
    return np.ctypeslib.as_array((ctypes.c_ubyte * nbytes).from_address(address)) if nbytes else np.empty(0, np.uint8)


def row_major_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in elements; ``(4, 3, 2)`` has ``(6, 2, 1)``."""
    strides: list[int] = []
    stride = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return tuple(reversed(strides))


class DeviceArray:
    """A row-major array in a device's memory, uninitialised at first; the memory goes back with it, or in ``free``.

    On CUDA other libraries read it without a copy through ``__cuda_array_interface__``, and wait for what was last put
    into a stream with it: a launch or a fill. Work in several streams is for the caller to order.

    Args:
        device: Where it lives.
        shape: Extents.
        dtype: Element type, also one of ml_dtypes; those of 2 and 4 bits share bytes there.

    Attributes:
        pending: The stream of the last launch or fill, the object that the caller gave; None when there was none.
        place: Address of the first element, 0 when there is none, None once freed.
        form: One object for all arrays of an element type and number of dimensions on a device that keeps such
            (`DriverDevice.forms`); else each array's own.
    """

    def __init__(self, device: Device, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        if any(extent < 0 for extent in shape):
            raise ValueError(f"extents >= 0 expected, found shape {shape}")
        self.device = device
        self.shape = shape
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.pending: object = None
        self.nbytes = byte_count(math.prod(shape), self.dtype)
        address = device.allocate(self.nbytes) if self.nbytes else 0
        self._view: ArrayView | None = make_view(address, self.dtype, shape)
        self.place: int | None = address
        forms: dict[tuple[np.dtype[Any], int], object] = getattr(device, "forms", {})
        self.form = forms.setdefault((self.dtype, len(shape)), object())
        self._finalizer = weakref.finalize(self, device.free, address) if self.nbytes else None
        if self._finalizer is not None:
            self._finalizer.atexit = False  # the driver is on its way out then, and frees everything itself

    @classmethod
    def from_numpy(cls, device: Device, host: NDArray[Any], stream: object = None) -> DeviceArray:
        """A copy of a host array on the device."""
        array = cls(device, host.shape, host.dtype)
        array.copy_from(host, stream)
        return array

    def copy_from(self, host: NDArray[Any], stream: object = None) -> None:
        """Overwrites the array with a host array of the same shape and element type; else raises ValueError."""
        if host.shape != self.shape or host.dtype != self.dtype:
            raise ValueError(f"{self._description()} expected, found {host.dtype}{list(host.shape)}")
        if self.nbytes:
            memory = np.ascontiguousarray(host).reshape(-1).view(np.uint8)
            self.device.copy_in(self.address, encoded(memory, self.dtype), stream)

    def to_numpy(self, stream: object = None) -> NDArray[Any]:
        """A copy on the host, after the work in the stream."""
        memory = np.empty(self.nbytes, np.uint8)
        if self.nbytes:
            self.device.copy_out(memory, self.address, stream)
        nbytes = math.prod(self.shape) * self.dtype.itemsize
        return decoded(memory, self.dtype, nbytes).view(self.dtype).reshape(self.shape)

    def fill(self, byte: int, stream: object = None) -> None:
        """Sets every byte."""
        if self.nbytes:
            self.device.fill(self.address, byte, self.nbytes, stream)
            self.pending = LEGACY_DEFAULT_STREAM if stream is None else stream

    def free(self) -> None:
        """Gives the memory back now; the array cannot be used any more."""
        self._view = self.place = None
        if self._finalizer is not None:
            self._finalizer()

    @property
    def address(self) -> int:
        """Address of the first element, 0 when there is none; raises DeviceError once freed."""
        return self.view().address

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        place = self.device.properties.dlpack_device
        if place is None or place[0] != dlpack.CUDA:
            raise AttributeError(f"memory of {self.device.properties.name} is not CUDA memory")
        if self.dtype.isbuiltin != 1:
            raise AttributeError(f"the CUDA array interface cannot express {self.dtype}")
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "strides": None,
            "stream": None if self.pending is None else stream_handle(self.pending) or LEGACY_DEFAULT_STREAM,
        }

    def view(self) -> ArrayView:
        """The view that kernels get; the caller keeps the array. Raises DeviceError once freed."""
        if self._view is None:
            raise DeviceError(f"the device array {self._description()} was freed")
        return self._view

    def __enter__(self) -> DeviceArray:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free()

    def _description(self) -> str:
        return f"{self.dtype}{list(self.shape)}"

    def __repr__(self) -> str:
        return f"<DeviceArray {self._description()} on {self.device.properties.name}>"


def view_of(argument: object, device: Device, stream: object = None) -> ArrayView | None:
    """The view that a kernel on ``device`` gets of an array, or None when the argument is no array; keep the argument.

    Device memory is used in place: it must be the device's own. Tensors of torch are read directly, not through
    DLPack; their contents must be ordered with ``stream``, so pass torch's current stream. Other libraries are told our
    stream, and wait.

    Raises:
        UnusableArray: It lives on another device, or its element type or strides have no counterpart here.
    """
    if isinstance(argument, DeviceArray):
        return _own_view(argument, device)
    if isinstance(argument, np.ndarray):
        array = cast("NDArray[Any]", argument)
        return host_view(array, None)
    if getattr(argument, "is_cuda", False) and hasattr(argument, "data_ptr"):
        return _torch_view(cast("_TorchTensor", argument), device)
    if hasattr(argument, "__dlpack__") and hasattr(argument, "__dlpack_device__"):
        return _exported_view(cast("dlpack.Exporter", argument), device, stream)
    interface = getattr(argument, "__cuda_array_interface__", None)
    return None if interface is None else _interface_view(interface, device, stream)


def on_host(argument: object) -> HostArray | None:
    """An array in the host's memory as numpy's, in the same memory; None for all else.

    Raises:
        UnusableArray: Its element type or strides have no counterpart here.
    """
    if isinstance(argument, np.ndarray):
        return host_view(cast("NDArray[Any]", argument), None).host
    if isinstance(argument, DeviceArray) or not hasattr(argument, "__dlpack_device__"):
        return None
    exporter = cast("dlpack.Exporter", argument)
    return _host_export(exporter).host if exporter.__dlpack_device__()[0] in dlpack.HOST_KINDS else None


class Place(NamedTuple):
    """A device that memory is on: its kind, as DLPack counts them, and its number."""

    kind: int
    ordinal: int


def place_of(argument: Any) -> Device | Place | None:
    """Which device an argument is on; None of the host's arrays, of numbers, and where only a driver could tell."""
    if isinstance(argument, DeviceArray):
        return argument.device
    if isinstance(argument, (np.ndarray, int, float)):
        return None
    if getattr(argument, "is_cuda", False) and hasattr(argument, "data_ptr"):
        return Place(dlpack.CUDA, argument.device.index)  # torch calls ROCm's devices so, too
    if hasattr(argument, "__dlpack__") and hasattr(argument, "__dlpack_device__"):
        kind, ordinal = argument.__dlpack_device__()
        return None if kind in dlpack.HOST_KINDS else Place(int(kind), ordinal)
    return None


def _own_view(array: DeviceArray, device: Device) -> ArrayView:
    if array.device is not device:
        raise UnusableArray(_elsewhere(array.device.properties.name, device))
    return array.view()


def _elsewhere(place: str, device: Device) -> str:
    return f"the array lives on {place}, the kernel runs on {_place_name(device)}"


def _place_name(device: Device) -> str:
    place = device.properties.dlpack_device
    return device.properties.name if place is None else dlpack.device_name(place)


def host_view(array: NDArray[Any], owner: object) -> ArrayView:
    if isinstance(array, np.ma.MaskedArray):
        raise UnusableArray("a masked array's mask would be lost: pass its filled() data")
    strides = None if array.flags.c_contiguous else _divide_strides(array.strides, array.dtype.itemsize)
    address: int = array.__array_interface__["data"][0]
    return make_view(
        address, array.dtype, array.shape, strides, writable=array.flags.writeable, host=array, owner=owner
    )


def _divide_strides(byte_strides: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    if any(stride % itemsize for stride in byte_strides):
        raise UnusableArray(f"byte strides {byte_strides} are no multiples of the element's {itemsize} bytes")
    return tuple(stride // itemsize for stride in byte_strides)


# torch


class _TorchTensor(Protocol):
    """What is read of a torch.Tensor."""

    @property
    def dtype(self) -> object: ...
    @property
    def device(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def stride(self) -> tuple[int, ...]: ...
    def data_ptr(self) -> int: ...
    def is_neg(self) -> bool: ...


_TORCH_DTYPES: Mapping[str, np.dtype[Any]] = LateTable(
    lambda: (
        {
            f"torch.{name}": np.dtype(name)
            for name in (
                *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
                *("float16", "float32", "float64"),
            )
        }
        | {
            f"torch.{name}": ml_type(name)
            for name in (
                *("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
            )
        }
        | {"torch.float4_e2m1fn_x2": np.dtype(np.uint8)}
    )
)


def torch_dtype(dtype: object) -> np.dtype[Any] | None:
    """The element type of tensors of torch as numpy has it; None for one that it has not."""
    return _TORCH_DTYPES.get(str(dtype))


def _torch_view(tensor: _TorchTensor, device: Device) -> ArrayView:
    place = device.properties.dlpack_device  # torch calls ROCm devices cuda, too
    if place is None or tensor.device.index != place[1]:
        raise UnusableArray(_elsewhere(str(tensor.device), device))
    if tensor.is_neg():
        raise UnusableArray("the tensor's memory holds its negative: pass its resolve_neg()")
    dtype = torch_dtype(tensor.dtype)
    if dtype is None:
        raise UnusableArray(f"no element type for {tensor.dtype}")
    return make_view(tensor.data_ptr(), dtype, tuple(tensor.shape), tensor.stride())


# DLPack


def _exported_view(array: dlpack.Exporter, device: Device, stream: object) -> ArrayView:
    kind, ordinal = array.__dlpack_device__()
    if kind in dlpack.HOST_KINDS:
        return _host_export(array)
    place = device.properties.dlpack_device
    if (int(kind), ordinal) != place and not _is_managed(kind, place):
        raise UnusableArray(_elsewhere(dlpack.device_name((int(kind), ordinal)), device))
    tensor = _exported(array, _dlpack_stream(kind, stream))
    return make_view(
        tensor.address,
        tensor.dtype,
        tensor.shape,
        tensor.strides,
        writable=not tensor.read_only,
        owner=tensor.capsule,
    )


def _host_export(array: dlpack.Exporter) -> ArrayView:
    tensor = _exported(array, None)
    if element_bits(tensor.dtype) < 8:
        raise UnusableArray(f"elements {tensor.dtype} that share bytes of host memory: pass the bytes as uint8")
    return host_view(_as_numpy(tensor), tensor.capsule)


def _exported(array: dlpack.Exporter, stream: int | None) -> dlpack.Tensor:
    try:
        return dlpack.export(array, stream)
    except (BufferError, RuntimeError) as error:  # torch raises the latter for tensors that require gradients
        raise UnusableArray(str(error)) from error


def _is_managed(kind: int, place: tuple[int, int] | None) -> bool:
    return kind == dlpack.CUDA_MANAGED and place is not None and place[0] == dlpack.CUDA


def _dlpack_stream(kind: int, stream: object) -> int:
    """ROCm's default stream has number 0 there."""
    handle = stream_handle(stream)
    return LEGACY_DEFAULT_STREAM if handle == 0 and kind != dlpack.ROCM else handle


def _as_numpy(tensor: dlpack.Tensor) -> NDArray[Any]:
    """A numpy array over exported host memory; numpy's own from_dlpack knows no bfloat16 and no fp8."""
    view = make_view(tensor.address, tensor.dtype, tensor.shape, tensor.strides)
    before, after = view.reach
    array = view.laid_over(memory_at(view.address - before, before + after), tensor.dtype)
    array.flags.writeable = not tensor.read_only
    return array


# The CUDA array interface


def _interface_view(interface: Mapping[str, Any], device: Device, stream: object) -> ArrayView:
    """Reads versions 2 and 3, whose strides count bytes."""
    address, read_only = cast("tuple[int, bool]", interface["data"])
    dtype = np.dtype(cast("str", interface["typestr"]))
    shape = tuple(cast("tuple[int, ...]", interface["shape"]))
    if dtype.kind == "V":
        raise UnusableArray(f"the CUDA array interface cannot name its elements ({dtype.str!r}): pass it as DLPack")
    if interface.get("mask") is not None:
        raise UnusableArray("a masked array's mask would be lost")
    if 0 not in shape and not device.accessible(address):
        raise UnusableArray(_elsewhere("another device", device))
    _await_producer(interface.get("stream"), device, stream)
    strides = interface.get("strides")
    divided = None if strides is None else _divide_strides(tuple(strides), dtype.itemsize)
    return make_view(address, dtype, shape, divided, writable=not read_only)


def _await_producer(producer: int | None, device: Device, stream: object) -> None:
    """Version 3 names the stream that still works on the data: wait, unless the kernel follows it in the same one."""
    if producer is not None and producer != (stream_handle(stream) or LEGACY_DEFAULT_STREAM):
        if device.capturing(stream):
            raise UnusableArray(
                f"stream {producer:#x}, which works on it, cannot be waited for in one that is captured"
            )
        device.synchronize(producer)
