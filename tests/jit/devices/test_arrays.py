"""Views of arrays: numpy, torch-like, DLPack, the CUDA array interface, and device arrays of our own."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from lanewise.jit.arrays import DeviceArray, UnusableArray, make_view, row_major_strides, view_of
from lanewise.jit.cuda import CudaDevice
from lanewise.jit.device import DeviceError

F4 = np.dtype("f4")


class Exported:
    """A foreign array that speaks DLPack only, perhaps an old version, perhaps claiming another device."""

    def __init__(self, array, *, device=None, old=False):
        self.array, self.device, self.old = array, device, old
        self.streams = []

    def __dlpack_device__(self):
        return self.device or (1, 0)

    def __dlpack__(self, *, stream=None, **keywords):
        if self.old and keywords:
            raise TypeError("unexpected keyword max_version")
        self.streams.append(stream)
        return self.array.__dlpack__(**keywords)


def element_addresses(view):
    """Address of every element, from the view alone."""
    offsets = np.zeros(view.shape, np.int64)
    for dim, stride in enumerate(view.element_strides()):
        index = np.arange(view.shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(view.shape))])
        offsets = offsets + index * stride
    return view.address + offsets * view.dtype.itemsize


@given(hnp.basic_indices((4, 3, 5), allow_newaxis=True, allow_ellipsis=False))
def test_views_of_numpy_arrays(index):
    base = np.arange(60, dtype=np.int16).reshape(4, 3, 5)
    array = base[(*(index if isinstance(index, tuple) else (index,)), ...)]  # a view, never a scalar
    view = view_of(array, CudaDevice.__new__(CudaDevice))
    assert view.host is array
    assert (element_addresses(view) == base.ctypes.data + array.astype(np.int64) * 2).all()
    assert view.is_row_major() == array.flags.c_contiguous
    if array.size:
        low, high = np.lib.array_utils.byte_bounds(array)
        assert (view.address - view.reach[0], view.address + view.reach[1]) == (low, high)
    else:
        assert sum(view.reach) == 0


@given(st.lists(st.integers(0, 5), max_size=4))
def test_row_major_strides(shape):
    array = np.empty(shape, np.int8)
    if array.size:
        assert row_major_strides(tuple(shape)) == array.strides
    assert make_view(0, np.dtype("i1"), tuple(shape), row_major_strides(tuple(shape))).is_row_major()


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"])
def test_host_memory_through_dlpack(device, dtype, old):
    array = np.arange(24).reshape(4, 6).astype(dtype)[::2, 1:4]
    view = view_of(Exported(array, old=old), device)
    assert (view.dtype, view.shape, view.address) == (array.dtype, (2, 3), array.ctypes.data)
    assert view.strides == (12, 1)
    assert (view.host == array).all()
    view.host[0, 0] = 1
    assert array[0, 0] == 1


def test_dlpack_keeps_memory_and_read_only_alive(device):
    array = np.arange(6.0)
    array.flags.writeable = False
    view = view_of(Exported(array), device)
    assert not view.writable
    del array
    gc.collect()
    assert view.host.tolist() == [0, 1, 2, 3, 4, 5]
    assert view_of(Exported(np.empty((0, 3), F4)), device).shape == (0, 3)
    assert view_of(Exported(np.array(7.0)), device).host == 7.0


@pytest.mark.parametrize(("stream", "seen"), [(None, 1), (0, 1), (25, 25)])
def test_device_memory_through_dlpack(device, stream, seen):
    """CUDA's default stream is called 1 there; the memory is used in place."""
    array = np.arange(6, dtype=F4)
    exported = Exported(array, device=(2, 0))
    view = view_of(exported, device, stream)
    assert (view.host, view.address, view.shape) == (None, array.ctypes.data, (6,))
    assert exported.streams == [seen]
    assert view_of(Exported(array, device=(13, 0)), device).host is None


@pytest.mark.parametrize(
    ("place", "name"), [((2, 1), "cuda:1"), ((10, 0), "rocm:0"), ((8, 0), "DLPack device type 8:0")]
)
def test_dlpack_on_another_device(device, place, name):
    with pytest.raises(UnusableArray, match=f"the array lives on {name}, the kernel runs on cuda:0"):
        view_of(Exported(np.zeros(3), device=place), device)


def test_dlpack_of_what_kernels_do_not_know(device):
    with pytest.raises(UnusableArray, match="no element type for DLPack's type code 5 with 64 bits"):
        view_of(Exported(np.zeros(3, np.complex64)), device)


def torch_like(array, index=0, dtype="torch.float32", negative=False):
    return SimpleNamespace(
        is_cuda=True,
        device=SimpleNamespace(index=index, __str__=lambda: f"cuda:{index}"),
        dtype=dtype,
        shape=array.shape,
        stride=lambda: tuple(s // array.itemsize for s in array.strides),
        data_ptr=lambda: array.ctypes.data,
        is_neg=lambda: negative,
    )


def test_torch_tensors_are_read_directly(device):
    array = np.zeros((4, 6), F4).T
    view = view_of(torch_like(array), device)
    assert (view.address, view.dtype, view.shape, view.strides) == (array.ctypes.data, F4, (6, 4), (1, 6))
    assert view_of(torch_like(array, dtype="torch.bfloat16"), device).dtype == ml_dtypes.bfloat16
    with pytest.raises(UnusableArray, match="kernel runs on cuda:0"):
        view_of(torch_like(array, index=1), device)
    with pytest.raises(UnusableArray, match=r"holds its negative: pass its resolve_neg\(\)"):
        view_of(torch_like(array, negative=True), device)
    with pytest.raises(UnusableArray, match=r"no element type for torch\.complex64"):
        view_of(torch_like(array, dtype="torch.complex64"), device)


def interface(array, **changes):
    found = {
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (array.ctypes.data, False),
        "version": 3,
        "strides": None if array.flags.c_contiguous else array.strides,
    }
    return SimpleNamespace(__cuda_array_interface__=found | changes)


def test_the_cuda_array_interface(device, driver):
    array = np.arange(24, dtype="u2").reshape(4, 6)[:, ::3]
    driver.ordinals[array.ctypes.data] = 0
    view = view_of(interface(array), device)
    assert (view.address, view.dtype, view.shape, view.strides) == (array.ctypes.data, np.dtype("u2"), (4, 2), (6, 3))
    assert view.writable
    assert not view_of(interface(array, data=(array.ctypes.data, True)), device).writable


@pytest.mark.parametrize(("producer", "ours", "waits"), [(None, 5, []), (5, 5, []), (1, None, []), (7, 5, [7])])
def test_the_producers_stream_is_awaited(device, driver, producer, ours, waits):
    array = np.arange(4, dtype=F4)
    driver.ordinals[array.ctypes.data] = 0
    view_of(interface(array, stream=producer), device, ours)
    assert driver.synchronized == waits


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": (0x999, False)}, "the array lives on another device, the kernel runs on cuda:0"),
        ({"typestr": "<V2"}, "cannot name its elements"),
        ({"mask": object()}, "mask would be lost"),
        ({"strides": (6,)}, r"byte strides \(6,\) are no multiples of the element's 4 bytes"),
    ],
)
def test_interfaces_that_cannot_be_used(device, driver, changes, message):
    array = np.arange(4, dtype=F4)
    driver.ordinals[array.ctypes.data] = 0
    with pytest.raises(UnusableArray, match=message):
        view_of(interface(array, **changes), device)


def test_masked_arrays_and_odd_strides(device):
    with pytest.raises(UnusableArray, match="masked"):
        view_of(np.ma.masked_array([1.0, 2.0], [True, False]), device)
    fields = np.zeros(3, np.dtype([("a", "i1"), ("b", "f4")]))
    with pytest.raises(UnusableArray, match="no multiples"):
        view_of(fields["b"], device)


@pytest.mark.parametrize("argument", [1, "x", [1, 2], None, object()])
def test_what_is_no_array(device, argument):
    assert view_of(argument, device) is None


# Device arrays


def test_device_arrays(device, driver):
    host = np.arange(6, dtype=ml_dtypes.bfloat16).reshape(2, 3)
    array = DeviceArray.from_numpy(device, host.T.copy().T)
    assert (array.to_numpy() == host).all()
    assert repr(array) == "<DeviceArray bfloat16[2, 3] on Fake GPU>"
    array.fill(0)
    assert (array.to_numpy() == 0).all()
    with pytest.raises(ValueError, match=r"bfloat16\[2, 3\] expected, found float32\[2, 3\]"):
        array.copy_from(np.zeros((2, 3), F4))
    with pytest.raises(ValueError, match="extents >= 0"):
        DeviceArray(device, (2, -1), F4)


def test_device_memory_goes_back_once(device, driver):
    array = DeviceArray(device, (4,), F4)
    array.free()
    array.free()
    assert not driver.blocks
    with pytest.raises(DeviceError, match=r"float32\[4\] was freed"):
        array.to_numpy()
    with DeviceArray(device, (4,), F4):
        assert len(driver.blocks) == 1
    assert not driver.blocks
    array = DeviceArray(device, (4,), F4)
    del array
    assert not driver.blocks  # without the cycle collector


def test_empty_device_arrays(device, driver):
    array = DeviceArray.from_numpy(device, np.zeros((0, 3), F4))
    assert (array.address, array.to_numpy().shape) == (0, (0, 3))
    array.fill(1)
    array.free()
    assert "cuMemAlloc" not in driver.calls


def test_other_libraries_read_device_arrays(device):
    array = DeviceArray(device, (2, 3), np.float16)
    assert array.__cuda_array_interface__ == {
        "shape": (2, 3),
        "typestr": "<f2",
        "data": (array.address, False),
        "version": 3,
        "strides": None,
        "stream": None,
    }
    assert not hasattr(DeviceArray(device, (2,), ml_dtypes.bfloat16), "__cuda_array_interface__")


def test_other_libraries_wait_for_the_last_stream(device):
    """Copies have ended when they return; 0 stands for two default streams and is not allowed."""
    array = DeviceArray.from_numpy(device, np.zeros(4, F4), 7)
    named = [array.__cuda_array_interface__["stream"]]
    for stream in (9, None, 0, SimpleNamespace(cuda_stream=0x7F00)):
        array.fill(1, stream)
        named.append(array.__cuda_array_interface__["stream"])
    array.to_numpy(3)
    assert [*named, array.__cuda_array_interface__["stream"]] == [None, 9, 1, 1, 0x7F00, 0x7F00]


def test_an_array_of_another_device(device, make_driver):
    with pytest.raises(UnusableArray, match="the array lives on Fake GPU"):
        view_of(DeviceArray(CudaDevice(0, make_driver()), (2,), F4), device)
