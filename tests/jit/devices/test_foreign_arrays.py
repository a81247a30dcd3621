"""Arrays of other libraries in a launch, as the documents promise: used in place, in the caller's stream, and never
written where they are read-only. The driver is a fake one whose kernel adds, over host memory."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.jit.arrays import DeviceArray
from lanewise.jit.device import StreamError

N = 96


class Producer:
    """Memory that claims to be on the device, with the interface of its kind; `streams` are those it was told of."""

    def __init__(self, array: np.ndarray[Any, Any], driver: Any) -> None:
        self.array, self.streams = array, []
        driver.ordinals[array.ctypes.data] = 0


class Dlpack(Producer):
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream, **keywords):
        self.streams.append(stream)
        return self.array.__dlpack__(**keywords)


class CudaArray(Producer):
    """Still being written in stream 5."""

    @property
    def __cuda_array_interface__(self):
        data = (self.array.ctypes.data, not self.array.flags.writeable)
        return {"shape": self.array.shape, "typestr": self.array.dtype.str, "data": data, "version": 3, "stream": 5}


class Torch(Producer):
    """A tensor of torch has DLPack, too, which is slower and not used."""

    is_cuda = True
    dtype = "torch.float32"
    device = SimpleNamespace(index=0)

    def __init__(self, array, driver):
        super().__init__(array, driver)
        self.shape = array.shape

    def stride(self):
        return (1,)

    def data_ptr(self):
        return self.array.ctypes.data

    def is_neg(self):
        return False

    def __dlpack_device__(self):
        raise AssertionError("read directly")

    __dlpack__ = __dlpack_device__


TorchStream = SimpleNamespace(cuda_stream=0xBEEF)
CupyStream = SimpleNamespace(ptr=0xBEEF)
CoreStream = SimpleNamespace(__cuda_stream__=lambda: (0, 0xBEEF))


@pytest.fixture
def launches(driver):
    """The streams of the launches so far; a launch adds its first two buffers into the third."""
    streams: list[int] = []

    def add(arguments, configuration):
        streams.append(configuration[-1])
        x, _, y, _, z, n = struct.unpack("<6Q", arguments)
        one, two, three = (view_at(address, n) for address in (x, y, z))
        three[:] = one + two

    driver.kernels["vector_add"] = add
    return streams


def view_at(address, count):
    interface = {"shape": (count,), "typestr": "<f4", "data": (address, False), "version": 3}
    return np.asarray(SimpleNamespace(__array_interface__=interface))


@pytest.fixture
def kernel(device):
    source = Path(__file__).resolve().parents[3] / "examples/vector_add.mlir"
    return lanewise.compile(source, target="sm_90", device=device)


def arrays():
    return [np.arange(N, dtype="f4"), np.full(N, 3, "f4"), np.zeros(N, "f4")]


@pytest.mark.parametrize("kind", [Dlpack, CudaArray, Torch])
@pytest.mark.parametrize("stream", [None, 9, TorchStream, CupyStream, CoreStream])
def test_in_place_and_in_the_callers_stream(kernel, driver, launches, kind, stream):
    held = arrays()
    given = [kind(array, driver) for array in held]
    kernel.launch(1, *given, stream=stream)
    assert (held[2] == np.arange(N) + 3).all()
    handle = 0 if stream is None else 9 if stream == 9 else 0xBEEF
    if stream is None and kind is CudaArray:
        handle = 5  # that in which they are still being written
    assert launches == [handle]
    assert "cuMemAlloc" not in driver.calls and "cuMemcpyHtoDAsync" not in driver.calls
    if kind is Dlpack:
        assert [p.streams for p in given] == [[handle or 1]] * 3  # the producer makes that stream wait
    assert driver.synchronized == ([5] * 3 if kind is CudaArray and stream is not None else [])


class Cupy(Dlpack):
    """CuPy's arrays speak DLPack, and have a current stream besides."""

    device = SimpleNamespace(id=0)


Cupy.__module__ = "cupy._core.core"


@pytest.fixture
def libraries(monkeypatch):
    """Current streams by library, as if both were imported; 0 at first."""
    streams = {"torch": 0, "cupy": 0}

    def torch_stream(index):
        assert index == 0
        return SimpleNamespace(cuda_stream=streams["torch"])

    def cupy_stream(index):
        assert index == 0
        return SimpleNamespace(ptr=streams["cupy"])

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=SimpleNamespace(current_stream=torch_stream)))
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(get_current_stream=cupy_stream)))
    return streams


@pytest.mark.parametrize(("kind", "library"), [(Torch, "torch"), (Cupy, "cupy")])
def test_in_the_current_stream_of_the_library(kernel, driver, launches, libraries, kind, library):
    """What came before in that stream is before the kernel, what comes after it is after the kernel; so are copies."""
    held = arrays()
    given = [kind(held[0], driver), held[1], kind(held[2], driver)]
    for libraries[library] in (0, 0xBEEF):
        kernel.launch(1, *given)
    kernel.launch(1, *given, stream=9)
    assert launches == [0, 0xBEEF, 9]
    assert driver.synchronized == [0, 0xBEEF, 9], "of the array of the host"
    if kind is Cupy:
        assert given[0].streams == [1, 0xBEEF, 9]


class WholeCupy(Cupy):
    """With what launch functions read of CuPy's arrays, strides in bytes among it."""

    def __init__(self, array, driver):
        super().__init__(array, driver)
        self.data = SimpleNamespace(ptr=array.ctypes.data, device_id=0)
        self.dtype, self.shape, self.strides = array.dtype, array.shape, array.strides
        self.flags = SimpleNamespace(c_contiguous=array.flags.c_contiguous)


WholeCupy.__module__ = "cupy._core.core"


def test_cupys_arrays_are_read_by_launch_functions(kernel, driver, launches, libraries):
    """But for launches into another stream than CuPy's current one, which CuPy has to be told of."""
    held = arrays()
    given = [WholeCupy(array, driver) for array in held]
    for libraries["cupy"] in (5, 5, 8):
        held[2][:] = 0
        kernel.launch(1, *given)
        assert (held[2] == np.arange(N) + 3).all()
    assert launches == [5, 5, 8] and given[0].streams == [5, 5]
    kernel.launch(1, *given, stream=9)
    assert launches[-1] == 9 and given[0].streams == [5, 5, 9]
    assert not kernel.launchers.latest(1, (given[0], given[1], WholeCupy(held[2][::2], driver)), None, 0)
    with pytest.raises(lanewise.ArgumentError, match="rows without gaps"):
        kernel.launch(1, *given[:2], WholeCupy(held[2][::2], driver))


def test_arrays_of_different_streams_need_to_be_told_which(kernel, driver, launches, libraries):
    held = arrays()
    given = [Torch(held[0], driver), Cupy(held[1], driver), CudaArray(held[2], driver)]
    libraries["torch"], libraries["cupy"] = 5, 8
    with pytest.raises(StreamError, match=r"used in streams 0x5 of torch and 0x8 of cupy: say which one"):
        kernel.launch(1, *given)
    assert not launches
    kernel.launch(1, *given, stream=8)
    libraries["cupy"] = 5
    kernel.launch(1, *given)
    assert launches == [8, 5]


def test_no_library_is_imported_for_its_streams(kernel, driver, launches):
    """JAX has none of its users': it is told ours."""
    found = {"torch", "cupy", "jax"} & sys.modules.keys()
    kernel.launch(1, *[kind(array, driver) for kind, array in zip((Torch, Dlpack, Dlpack), arrays(), strict=True)])
    assert {"torch", "cupy", "jax"} & sys.modules.keys() == found
    assert launches == [0]


def test_nothing_is_loaded_while_a_stream_is_captured(kernel, driver, launches, libraries):
    """A load would end the capture, and so would a copy: both are refused before anything is asked of the driver."""
    held = arrays()
    given = [Torch(array, driver) for array in held]
    libraries["torch"], driver.captured = 7, {7}
    missing = r"'vector_add' is launched while .*its code where .*: call kernel\.prepare\(\(1, 1, 1\), x, y, z\)"
    with pytest.raises(lanewise.LaunchError, match=missing):
        kernel.launch(1, *given)
    with pytest.raises(lanewise.LaunchError, match=r"captured, and its code .* is not loaded"):
        kernel.prepare(1, *given)
    assert not driver.images and not launches and not kernel.compiler.compiled
    libraries["torch"] = 5
    kernel.prepare(1, *given)
    libraries["torch"] = 7
    kernel.launch(1, *given)
    assert launches == [7] and "cuStreamSynchronize" not in driver.calls
    with pytest.raises(lanewise.ArgumentError, match=r"'y': expected an array on the device, .*captured.*of the host"):
        kernel.launch(1, given[0], held[1], given[2])
    assert launches == [7] and "cuMemAlloc" not in driver.calls


def test_nobody_is_waited_for_while_a_stream_is_captured(kernel, driver, launches):
    driver.captured = {7}
    with pytest.raises(lanewise.ArgumentError, match=r"'x'.*stream 0x5.*cannot be waited for"):
        kernel.launch(1, *[CudaArray(array, driver) for array in arrays()], stream=7)
    assert not driver.synchronized and not driver.images


def test_arguments_by_name(kernel, launches):
    x, y, z = arrays()
    kernel[1](x, z=z, y=y)
    assert (z == x + y).all()
    kernel.prepare(1, y=y, z=z, x=x)()
    for arguments, named, message in (
        ((x,), {"z": z}, r"expected 3 arguments \(x, y, z\), found y missing"),
        ((x, y, z), {"z": z}, r"found z= besides 3 by position, which has it"),
        ((x, y), {"w": z}, r"found w="),
    ):
        with pytest.raises(lanewise.ArgumentError, match=message):
            kernel[1](*arguments, **named)
    assert len(launches) == 2


@pytest.fixture
def two_devices(monkeypatch, make_driver):
    driver = make_driver(device_count=2)
    monkeypatch.setattr("lanewise.jit.cuda.import_driver", lambda: driver)
    return driver


def test_a_launch_runs_where_its_arguments_are(two_devices):
    """And opens no other device; the same with devices of the caller's own."""
    seen: list[Any] = []
    two_devices.kernels["vector_add"] = lambda arguments, configuration: seen.append(two_devices.context_stack[-1])
    source = Path(__file__).resolve().parents[3] / "examples/vector_add.mlir"
    kernel = lanewise.compile(source, target="sm_90")
    there = [Torch(array, two_devices) for array in arrays()]
    for tensor in there:
        tensor.device = SimpleNamespace(index=1)
    for _ in range(3):
        kernel[1](*there)
    assert (seen, two_devices.retained) == ([1, 1, 1], 1)
    own = lanewise.CudaDevice(0)
    here = [DeviceArray(own, (N,), "f4") for _ in range(3)]
    for given in (here, here, there, here, here, there):
        kernel[1](*given)
    assert seen[3:] == [0, 0, 1, 0, 0, 1] and two_devices.retained == 2
    with pytest.raises(lanewise.ArgumentError, match=r"argument 'z'.*lives on .*, the kernel runs on cuda:0"):
        kernel[1](*here[:2], there[2])
    with pytest.raises(lanewise.ArgumentError, match=r"argument 'x'.*lives on .*, the kernel runs on cuda:0"):
        lanewise.compile(source, target="sm_90", device="cuda")[1](*there)


def test_arguments_on_a_device_that_cannot_run_the_kernel(two_devices):
    kernel = lanewise.compile(Path(__file__).resolve().parents[3] / "examples/vector_add.mlir", target="sm_100")
    with pytest.raises(lanewise.ArgumentError, match=r"argument 'x'.*, the kernel runs on emulated sm_100"):
        kernel[1](*[Torch(array, two_devices) for array in arrays()])


def test_a_kernel_that_prints_is_not_captured(device, driver):
    text = """gpu.func @says(%x: memref<8xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
      gpu.printf "here"
      gpu.return
    }"""
    driver.captured = {7}
    kernel = lanewise.compile(text, target="sm_90", device=device)
    with pytest.raises(lanewise.LaunchError, match="captured, and prints, and a launch waits for that"):
        kernel.launch(1, Torch(np.zeros(8, "f4"), driver), stream=7)


def test_copies_of_host_arrays_are_in_the_order_of_the_stream(make_driver):
    """They come from the driver's pool where it has one, and go back without a wait of the whole device."""
    driver = make_driver(pools=True)
    source = Path(__file__).resolve().parents[3] / "examples/vector_add.mlir"
    kernel, streams = lanewise.compile(source, target="sm_90", device=lanewise.CudaDevice(0, driver)), []
    driver.kernels["vector_add"] = lambda arguments, configuration: streams.append(sorted(driver.pooled.values()))
    kernel.launch(1, *arrays(), stream=9)
    assert streams == [[9, 9, 9]] and not driver.pooled and not driver.blocks
    assert "cuMemFree" not in driver.calls and "cuCtxSynchronize" not in driver.calls


@pytest.mark.parametrize("kind", [Dlpack, CudaArray])
def test_what_is_read_only_is_read_and_never_written(kernel, driver, launches, kind):
    held = arrays()
    for array in held:
        array.flags.writeable = False
    with pytest.raises(lanewise.ArgumentError, match=r"'z'.*a writable array.*a read-only one"):
        kernel.launch(1, *[kind(array, driver) for array in held])
    assert not launches
    held[2] = np.zeros(N, "f4")
    kernel.launch(1, *[kind(array, driver) for array in held])
    assert (held[2] == np.arange(N) + 3).all()


def test_a_fault_in_a_launch_on_host_arrays_is_one_error(kernel, driver):
    """The copies on the device are given back in silence, and nothing hides or follows the report."""

    def fault(arguments, configuration):
        driver.sticky = driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS

    driver.kernels["vector_add"] = fault
    with pytest.raises(lanewise.LaunchError, match=r"ILLEGAL_ADDRESS.* cannot be used any more") as report:
        kernel.launch(1, *arrays())
    assert (report.value.__context__, report.value.__cause__) == (None, None)
    assert driver.calls.count("cuMemFree") == 3


def test_our_arrays_name_the_stream_of_their_last_launch(kernel, device, launches):
    """Also where a launch repeats the one before it, which takes a shorter way."""
    placed = [DeviceArray.from_numpy(device, array) for array in arrays()]
    named = [placed[2].__cuda_array_interface__["stream"]]
    for stream in (None, 9, TorchStream):
        kernel.launch(1, *placed, stream=stream)
        named.append(placed[2].__cuda_array_interface__["stream"])
    assert named == [None, 1, 9, 0xBEEF]
    assert launches == [0, 9, 0xBEEF]
    assert (placed[2].to_numpy() == np.arange(N) + 3).all()


def test_a_consumer_waits_for_our_stream(kernel, device, driver, launches):
    """What another library does with our array, done by ourselves: another kernel in another stream."""
    placed = [DeviceArray.from_numpy(device, array) for array in arrays()]
    kernel.launch(1, *placed, stream=9)
    driver.synchronized.clear()
    foreign = SimpleNamespace(__cuda_array_interface__=placed[2].__cuda_array_interface__)
    kernel.launch(1, foreign, placed[1], CudaArray(np.zeros(N, "f4"), driver), stream=5)
    assert driver.synchronized == [9]


Jax = type("ArrayImpl", (Dlpack,), {"__module__": "jaxlib._jax"})
"""An array of jax, whose capsules are of a version that cannot say that it does not change."""


def test_arrays_of_jax_do_not_change_whatever_their_capsules_say(kernel, driver, launches):
    held = arrays()
    with pytest.raises(lanewise.ArgumentError, match=r"'z'.*a writable array.*a read-only one"):
        kernel.launch(1, *[Jax(array, driver) for array in held])
    assert not launches
    kernel.launch(1, Jax(held[0], driver), Jax(held[1], driver), Dlpack(held[2], driver))
    assert (held[2] == np.arange(N) + 3).all()
