"""What launch functions decide at a glance is what the careful way decides: the same bytes, streams, variants, errors.

The driver is a fake one that keeps what it is launched with, the kernels are signatures without a program."""

from __future__ import annotations

import gc
import math
import random
import sys
import threading
import weakref
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.codegen.emit.tensor_map import MapParameter
from lanewise.jit.arrays import DeviceArray
from lanewise.jit.device import COOPERATIVE, PROGRAMMATIC, Code, DeviceError
from lanewise.jit.facts import divisors_that_matter
from lanewise.jit.launch_function import Asked, meet, nobody
from lanewise.jit.launcher import Launcher
from lanewise.jit.launchers import Launchers
from lanewise.jit.signature import BufferParameter, ScalarParameter
from lanewise.jit.variants import Interface, Requirement, Variant
from lanewise.support.diagnostics import LanewiseError
from lanewise.targets import find_chip

F32, F16, I32, U8, INT4 = (np.dtype(t) for t in ("f4", "f2", "i4", "u1", ml_dtypes.int4))


class Kernel:
    """The variants of a kernel that nobody compiled; which one is launched shows in its bytes of shared memory."""

    def __init__(self, *signature: Any, **more: Any) -> None:
        divisors = divisors_that_matter(signature)
        given = {"requirements": (), "near": True, "divisors": divisors, "cluster_size": (1, 1, 1)} | more
        self.interface = Interface("k", find_chip("sm_90"), (64, 1, 1), signature=signature, **given)
        self.found: list[Any] = []
        self.grid: tuple[tuple[int, int], ...] = ()
        self.maps: tuple[MapParameter, ...] = ()

    def find(self, seen: Any, device: Any) -> Variant:
        self.found.append(seen)
        code = Code("sm_90", f"// {seen}", None, "k")
        shared = 16 * (seen.number(self.interface.divisors) % 1009)
        return Variant(code, (64, 2, 1), shared, self.grid, self.maps, lambda line: None)


class Place(SimpleNamespace):
    def __str__(self) -> str:
        return f"cuda:{self.index}"


class Torch:
    """As much of a tensor as is read; its memory is never touched."""

    is_cuda = True

    def __init__(self, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...], address: int, **more: Any) -> None:
        self.dtype, self.shape, self.address, self.strides = sys.intern(f"torch.{dtype}"), shape, address, strides
        self.place, self.negative = more.get("ordinal", 0), more.get("negative", False)

    @property
    def device(self) -> Any:
        return Place(index=self.place)

    def get_device(self) -> int:
        return self.place

    def stride(self) -> tuple[int, ...]:
        return self.strides

    def data_ptr(self) -> int:
        return self.address

    def is_neg(self) -> bool:
        return self.negative

    def is_contiguous(self) -> bool:
        expected = 1
        for n, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if n != 1 and stride != expected:
                return 0 in self.shape
            expected *= n
        return True


def rows(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))


@pytest.fixture
def launched(driver):
    """What the driver was launched with so far."""
    found: list[Any] = []
    driver.kernels["k"] = lambda arguments, configuration: found.append((arguments, configuration))
    return found


def outcome(launched: list[Any], launch: Any, *given: Any) -> Any:
    """What the driver was launched with by a call, or the error."""
    launched.clear()
    try:
        launch(*given)
    except LanewiseError as error:
        assert not launched
        return type(error), str(error)
    return list(launched)


def warm(kernel: Kernel, device: Any, grid: Any, *arguments: object) -> Launchers:
    """Launchers that have a function for such arguments."""
    found = Launchers(kernel, device)
    for _ in range(2):
        found.launch(grid, arguments, None, 0)
    assert found.latest is not nobody
    return found


class RandomLaunch:
    """A signature and arguments for it, most of them right."""

    def __init__(self, seed: int, device: Any) -> None:
        self.random, self.device = random.Random(seed), device
        self.signature = tuple(self.parameter(f"p{i}") for i in range(self.random.randint(1, 4)))

    def parameter(self, name: str) -> Any:
        pick = self.random
        if pick.random() < 0.3:
            return ScalarParameter(name, np.dtype(pick.choice(["i4", "i8", "f4", "f2", "?", ml_dtypes.bfloat16])))
        rank = pick.randint(0, 3)
        shape = tuple(pick.choice([None, None, 4, 32]) for _ in range(rank))
        dtype = np.dtype(pick.choice([F32, F32, F16, I32, INT4] if rank else [F32]))
        strides = None
        if rank and pick.random() < 0.4:
            strides = (*(None for _ in shape[1:]), pick.choice([1, None]) if dtype != INT4 else 1)
        offset = pick.choice([0, 0, None, 8]) if strides else 0
        written, may_alias, near = (pick.random() < chance for chance in (0.5, 0.3, 0.1))
        return BufferParameter(name, dtype, shape, strides, offset, True, written, may_alias, near)

    def argument(self, parameter: Any, base: int) -> object:
        pick = self.random
        if isinstance(parameter, ScalarParameter):
            good = {"b": [True], "i": [3, 8, -5, 1 << 40, np.int32(7)]}.get(
                parameter.dtype.kind, [1.5, 3, 1e6, math.nan]
            )
            return pick.choice(good) if pick.random() < 0.9 else pick.choice([True, 2.5, "x", None])
        shape = tuple(pick.choice([1, 4, 8, 12, 32, 0]) if n is None else n for n in parameter.shape)
        if pick.random() < 0.1:
            shape = pick.choice([(*shape, 4), shape[1:], tuple(n + 1 for n in shape)])
        if pick.random() < 0.3:
            if pick.random() < 0.1:
                return DeviceArray(self.device, shape, np.float64)
            return DeviceArray(self.device, shape, pick.choice([parameter.dtype, parameter.dtype, U8]))
        return self.tensor(parameter, shape, base)

    def tensor(self, parameter: Any, shape: tuple[int, ...], base: int) -> Torch:
        pick = self.random
        name = {F32: "float32", F16: "float16", I32: pick.choice(["int32", "uint32"]), INT4: "uint8"}[parameter.dtype]
        if name == "uint8" and shape:
            shape = (*shape[:-1], shape[-1] // 2)
        strides = rows(shape)
        if pick.random() < 0.3 and len(shape) > 1:
            strides = (strides[0] + pick.choice([0, 4, 5]), *strides[1:])
        if pick.random() < 0.1:
            strides = tuple(2 * s for s in strides)
        address = base + pick.choice([0, 0, 0, 4, 2, 8, 16, -512])
        more = {"ordinal": 0 if pick.random() < 0.97 else 1, "negative": pick.random() < 0.03}
        return Torch("float64" if pick.random() < 0.05 else name, shape, strides, address, **more)


@pytest.mark.parametrize("seed", range(6))
def test_functions_and_the_careful_way_agree(device, driver, launched, seed):
    """Whatever the arguments are: bytes, variant (its shared memory), stream and grid, or the same error."""
    by_function = right = 0
    for number in range(40):
        case = RandomLaunch(1000 * seed + number, device)
        requirements = (Requirement(0, 4, "p0", "something"),) if case.random.random() < 0.1 else ()
        kernel = Kernel(*case.signature, requirements=requirements, near=case.random.random() < 0.7)
        kernel.grid = case.random.choice([(), ((512, 1),)])
        careful, launchers = Launcher(kernel, device), Launchers(kernel, device)
        for _ in range(6):
            bases = [(1 << 30) + 4096 * i for i in range(len(case.signature))]
            arguments = tuple(case.argument(p, base) for p, base in zip(case.signature, bases, strict=True))
            grid = case.random.choice([3, (3, 2), (1, 2, 3), [2, 2], (2.0, 1), 0])
            stream = case.random.choice([None, None, 7, SimpleNamespace(cuda_stream=9), "none"])
            expected = outcome(launched, careful.launch, grid, arguments, stream)
            for _ in range(3):
                assert outcome(launched, launchers.launch, grid, arguments, stream, 0) == expected
            outcome(launched, launchers.latest, grid, arguments, stream, 0)
            assert not launched or launched == expected
            assert not launched or launchers.taken.facts == careful.taken.facts
            right += bool(expected) and isinstance(expected, list)
            by_function += bool(launched)
    assert by_function > right / 2 > 15, "from the third on a launch that is right is mostly a function's"


def test_a_launch_is_one_call_of_the_driver(device, driver, launched):
    """Besides that which enters the context; nothing is allocated, asked or loaded."""
    kernel = Kernel(BufferParameter("x", F32, (None,)), BufferParameter("y", F32, (None,), written=True))
    x, y, other = (DeviceArray(device, (64,), F32) for _ in range(3))
    launchers = warm(kernel, device, 4, x, y)
    tensors = [Torch("float32", (64,), (1,), 4096 * n) for n in (1, 2, 3)]
    for _ in range(2):
        launchers.launch(4, tuple(tensors[:2]), None, 0)
    driver.calls.clear()
    for arguments in ((x, y), (other, y), tuple(tensors[:2]), tuple(tensors[1:])):
        launchers.launch((4, 1, 1), arguments, None, 0)
    assert driver.calls == ["cuLaunchKernel"] * 4 and not driver.context_stack
    assert len(kernel.found) == 1


def test_a_freed_array_is_refused(device, launched):
    kernel, x = Kernel(BufferParameter("x", F32, (None,))), DeviceArray(device, (64,), F32)
    launchers = warm(kernel, device, 1, x)
    x.free()
    assert "was freed" in outcome(launched, launchers.launch, 1, (x,), None, 0)[1]


def test_a_refused_launch_says_what_was_asked(device, driver, launched):
    kernel, x = Kernel(ScalarParameter("n", I32)), 5
    launchers = warm(kernel, device, 1, x)
    driver.fail["cuLaunchKernel"] = driver.CUresult.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
    found = outcome([], launchers.latest, (3, 2, 1), (x,), None, 0)
    assert "launching kernel 'k' with grid (3, 2, 1), block (64, 2, 1)" in found[1] and "4 bytes of arg" in found[1]
    assert not driver.context_stack
    driver.fail["cuCtxPushCurrent"] = driver.CUresult.CUDA_ERROR_LAUNCH_FAILED
    driver.kernels.clear()
    assert not launchers.latest(1, (x,), None, 0), "the careful way says why"


def test_clusters_are_whole(device, launched):
    kernel = Kernel(ScalarParameter("n", I32), cluster_size=(2, 1, 1))
    launchers = warm(kernel, device, (4, 3), 5)
    assert launchers.latest((6, 5), (5,), None, 0) and launched[-1][1][:3] == (6, 5, 1)
    assert "clusters of 2x1x1" in outcome(launched, launchers.launch, (3, 3), (5,), None, 0)[1]


@pytest.mark.parametrize("seed", range(3))
def test_many_buffers_are_compared_sorted(seed):
    pick = random.Random(seed)
    for _ in range(300):
        spans = [(low := pick.randint(0, 60), low + pick.randint(1, 9), pick.random() < 0.3) for _ in range(6)]
        expected = any(
            (one[2] or two[2]) and one[0] < two[1] and two[0] < one[1]
            for i, one in enumerate(spans)
            for two in spans[:i]
        )
        assert meet(list(spans)) == expected


def test_nineteen_arguments(device, launched):
    """Our own arrays are apart where they are not the same one."""
    buffers = [BufferParameter(f"b{i}", F32, (None,), written=i % 4 == 0) for i in range(16)]
    kernel = Kernel(*buffers, *(ScalarParameter(f"n{i}", I32) for i in range(3)))
    arrays = [DeviceArray(device, (64,), F32) for _ in range(17)]
    launchers = warm(kernel, device, 1, *arrays[:16], 1, 2, 3)
    assert launchers.latest(1, (*arrays[1:], 1, 2, 3), None, 0)
    assert not launchers.latest(1, (*arrays[:15], arrays[0], 1, 2, 3), None, 0)
    assert launchers.latest(1, (*arrays[:15], arrays[13], 1, 2, 3), None, 0), "both are read alone"


def test_so_many_pairs_that_they_are_sorted(device, launched):
    kernel = Kernel(*(BufferParameter(f"b{i}", F32, (None,), written=i % 2 == 0) for i in range(20)))
    tensors = [Torch("float32", (64,), (1,), 4096 + 256 * i) for i in range(21)]
    launchers = warm(kernel, device, 1, *tensors[:20])
    assert launchers.latest(1, tuple(tensors[1:]), None, 0)
    within = Torch("float32", (64,), (1,), 4096 + 128)
    assert not launchers.latest(1, (*tensors[:19], within), None, 0)
    assert launchers.latest(1, (*tensors[:19], tensors[17]), None, 0), "both are read alone"
    assert "overlaps" in outcome(launched, launchers.launch, 1, (*tensors[:19], within), None, 0)[1]


def test_tensor_maps_are_made_once_for_a_tensor(device, launched, monkeypatch):
    """They follow the packed arguments, as the careful way has them."""
    made: list[Any] = []

    def tensor_map(tensor: Any) -> bytes:
        if tensor.address % 16:
            raise DeviceError("whole 16 bytes")
        made.append((tensor.address, tensor.shape))
        return f"map of {tensor.address}".encode().ljust(128)

    monkeypatch.setattr(device, "tensor_map", tensor_map)
    kernel = Kernel(BufferParameter("x", F32, (None, 64)))
    kernel.maps = (MapParameter(64, 0, "f32", (0, 64), (1, 1), (32, 32), 0, 0),)
    x, y = (Torch("float32", (32, 64), (64, 1), address) for address in (4096, 65536))
    careful, launchers = Launcher(kernel, device), warm(kernel, device, 1, x)
    made.clear()
    for tensor in (x, y, y, x):
        assert launchers.latest(1, (tensor,), None, 0)
        careful.launch(1, (tensor,))
        assert launched[-1] == launched[-2]
    assert made.count((65536, (32, 64))) == 2, "one by each of the two launchers"
    odd = Torch("float32", (32, 64), (64, 1), 4100)
    expected = outcome(launched, careful.launch, 1, (odd,))
    assert "'x': expected an array whose boxes the chip copies" in expected[1]
    for _ in range(3):
        assert outcome(launched, launchers.launch, 1, (odd,), None, 0) == expected


def test_a_kernel_goes_with_its_last_reference(device, launched):
    launchers = warm(Kernel(ScalarParameter("n", I32)), device, 1, 5)
    there, function = weakref.ref(launchers), weakref.ref(launchers.latest)
    gc.disable()
    try:
        del launchers
        assert there() is None and function() is None
    finally:
        gc.enable()


def test_threads_launch_each_with_its_own_arguments(device, driver):
    wrong: list[Any] = []
    driver.context_stack.append("kept")  # the fake's stack is shared by the threads
    driver.kernels["k"] = lambda arguments, configuration: (
        wrong.append(configuration) if int.from_bytes(arguments, "little") != configuration[0] else None
    )
    launchers = warm(Kernel(ScalarParameter("n", I32)), device, 1, 1)

    def work(number: int) -> None:
        for _ in range(300):
            assert launchers.latest(number, (number,), None, 0)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_kinds_of_arguments_have_functions_of_their_own(device, launched):
    """Each is made once, when such arguments come a second time, and found again by their types."""
    kernel = Kernel(BufferParameter("x", I32, (None,)), ScalarParameter("s", F32))
    launchers = Launchers(kernel, device)
    own, signed, unsigned = DeviceArray(device, (4,), I32), *(Torch(t, (4,), (1,), 256) for t in ("int32", "uint32"))
    given = [(x, s) for x in (own, signed, unsigned) for s in (1.5, 2)]
    made = []
    for arguments in given:
        for _ in range(3):
            launchers.launch(1, arguments, None, 0)
        made.append(launchers.latest)
    assert len(set(made)) == len(given)
    for arguments, function in zip(given, made, strict=True):
        assert function(1, arguments, None, 0)
        launchers.launch(1, arguments, None, 0)
        assert launchers.latest is function


def test_a_prepared_launch_is_one_call_of_the_driver(device, driver, launched, monkeypatch):
    """With the bytes that a launch has, in the stream that is current when it is done."""
    current = {"torch": 3}
    torch = SimpleNamespace(_C=SimpleNamespace(_cuda_getCurrentRawStream=lambda ordinal: current["torch"]))
    monkeypatch.setitem(sys.modules, "torch", torch)
    x, y = DeviceArray(device, (64,), F32), Torch("float32", (64,), (1,), 4096)
    kernel = Kernel(BufferParameter("x", F32, (None,)), BufferParameter("y", F32, (None,), written=True))
    kernel.grid = ((64, 1),)
    launchers = Launchers(kernel, device)
    launchers.launch((4, 2), (x, y), None, 0)
    [(packed, (*configured, _))] = launched
    launch = launchers.prepared(Asked((4, 2, 1), (x, y), None, 0))
    driver.calls.clear(), launched.clear()
    launch()
    current["torch"] = 8
    launch()
    launch(stream=5)
    assert launched == [(packed, (*configured, stream)) for stream in (3, 8, 5)]
    assert driver.calls == ["cuLaunchKernel"] * 3 and x.pending == 5 and not driver.context_stack
    launch(y, x)
    assert launched[-1][0] == packed[16:32] + packed[:16] + packed[32:], "others are looked at"
    del launchers
    launch()
    assert "cuModuleUnload" not in driver.calls, "it keeps its kernel"
    x.free()
    assert "was freed" in outcome(launched, launch)[1]


def test_a_programmatic_launch_is_a_functions_too(device, driver, launched):
    launchers = warm(Kernel(ScalarParameter("n", I32)), device, 1, 5)
    driver.calls.clear()
    assert launchers.latest((2, 1, 1), (5,), 9, PROGRAMMATIC)
    assert driver.calls == ["cuLaunchKernelEx"] and launched[-1][1][7] == 9
    assert not launchers.latest((2, 1, 1), (5,), 9, COOPERATIVE), "it is looked whether there is room"
    launchers.launch((2, 1, 1), (5,), 9, COOPERATIVE)
    assert driver.calls[1:] == ["cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuLaunchKernelEx"]


def test_prepare_refuses_what_a_launch_would(device, launched):
    launchers = Launchers(Kernel(ScalarParameter("n", I32), cluster_size=(2, 1, 1)), device)
    for grid, argument, message in (((3, 1, 1), 5, "clusters of 2x1x1"), ((2, 1, 1), 1.5, "'n': expected an integer")):
        assert message in outcome(launched, launchers.prepared, Asked(grid, (argument,), None, 0))[1]
    launchers.prepared(Asked((2, 1, 1), (5,), None, 0))()
    launchers.prepared(Asked((2, 0, 1), (5,), None, 0))()
    assert len(launched) == 1


def test_a_prepared_launch_takes_arrays_of_the_host(device, driver, launched):
    launch = Launchers(Kernel(BufferParameter("x", F32, (None,))), device).prepared(
        Asked((1, 1, 1), (np.zeros(4, F32),), None, 0)
    )
    launch(), launch()
    assert len(launched) == 2 and not driver.blocks


def test_strides_that_count_bytes(device, launched, monkeypatch):
    """CuPy's, of a range of columns; the careful way reads them through DLPack, in elements."""
    array = np.zeros((8, 12), F32)[:, 2:10]

    class Cupy:
        data = SimpleNamespace(ptr=array.ctypes.data, device_id=0)
        dtype, shape, strides, flags = array.dtype, array.shape, array.strides, array.flags
        device = SimpleNamespace(id=0)

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

        def __dlpack__(self, *, stream: int, **keywords: Any) -> Any:
            return array.__dlpack__(**keywords)

    Cupy.__module__ = "cupy"
    stream = SimpleNamespace(ptr=0)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda n: stream)))
    kernel = Kernel(BufferParameter("x", F32, (None, None), (None, 1)))
    careful, launchers = Launcher(kernel, device), warm(kernel, device, 1, Cupy())
    assert outcome(launched, careful.launch, 1, (Cupy(),))
    assert launchers.latest(1, (Cupy(),), None, 0) and launched[0] == launched[1]
    assert int.from_bytes(launched[1][0][24:32], "little") == 12
