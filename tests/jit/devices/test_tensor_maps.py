"""Tensor maps: what the driver is asked for, where it finds them, and devices that have none."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import pytest
from lanewise.jit.cuda import CudaDevice
from lanewise.jit.device import Code, DeviceError, Tensor
from lanewise.jit.emulated import EmulatedDevice

from .conftest import CUresult, FakeDriver

TENSOR = Tensor(1 << 20, "f16", (3, 100, 64), (1, 32, 64), 128, 256)


class Names:
    """Stands for an enumeration: its members are their names."""

    def __getattr__(self, name: str) -> str:
        return name


class Map:
    def __init__(self) -> None:
        self.bytes = ctypes.create_string_buffer(bytes(range(128)), 128)

    def getPtr(self) -> int:
        return ctypes.addressof(self.bytes)


class MapDriver(FakeDriver):
    """Has maps, and a bank of constants in which they are aligned."""

    CUtensorMapDataType = CUtensorMapSwizzle = CUtensorMapL2promotion = Names()
    CUtensorMapFloatOOBfill = CUtensorMapInterleave = Names()
    cuuint32_t = cuuint64_t = int
    parameters = ((0, 8), (8, 4), (48, 128))
    asked: tuple[Any, ...] = ()

    def cuTensorMapEncodeTiled(self, *asked: Any) -> Any:
        self.asked, self.map = asked, Map()
        return self._answer("cuTensorMapEncodeTiled", self.map)

    def cuFuncGetParamInfo(self, function: str, number: int) -> Any:
        if number == len(self.parameters):
            return (CUresult.CUDA_ERROR_INVALID_VALUE, None, None)
        return self._answer("cuFuncGetParamInfo", *self.parameters[number])


def test_the_driver_makes_maps_with_the_innermost_dimension_first() -> None:
    driver = MapDriver()
    assert CudaDevice(0, driver).tensor_map(TENSOR) == bytes(range(128))
    words = ("CU_TENSOR_MAP_INTERLEAVE_NONE", "CU_TENSOR_MAP_SWIZZLE_128B", "CU_TENSOR_MAP_L2_PROMOTION_L2_256B")
    sizes = [64, 100, 3], [128, 12800], [64, 32, 1], [1, 1, 1]
    last = "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE"
    assert driver.asked == ("CU_TENSOR_MAP_DATA_TYPE_FLOAT16", 3, 1 << 20, *sizes, *words, last)


def test_what_the_driver_refuses_is_said() -> None:
    driver = MapDriver()
    device = CudaDevice(0, driver)
    driver.fail["cuTensorMapEncodeTiled"] = CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(DeviceError, match="making a tensor map of Tensor"):
        device.tensor_map(TENSOR)


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (Tensor(8, "f16", (4, 64), (4, 64), 128, 0), "needs an address of whole 16 bytes, found 8"),
        (Tensor(16, "f16", (4, 63), (4, 63), 0, 0), "needs strides of whole 16 bytes, found 126"),
        (Tensor(16, "f16", (0, 64), (4, 64), 0, 0), r"extents from 1 to 2\^31 - 1, found \[0, 64\]"),
    ],
)
def test_tensors_without_a_map(tensor: Tensor, words: str) -> None:
    for device in (CudaDevice(0, MapDriver()), EmulatedDevice("sm_90")):
        with pytest.raises(DeviceError, match=words):
            device.tensor_map(tensor)


def test_chips_without_an_accelerator_say_so() -> None:
    with pytest.raises(DeviceError, match="gfx942 has no tensor memory accelerator"):
        EmulatedDevice("gfx942").tensor_map(TENSOR)


def test_parameters_go_where_the_driver_has_them() -> None:
    """Packed, the map is at 64, a multiple of its alignment; in the bank, which begins at 528, at 528 + 48 = 576."""
    driver, seen = MapDriver(), list[bytes]()
    driver.kernels["k"] = lambda arguments, _: seen.append(arguments)
    device = CudaDevice(0, driver)
    packed = struct.pack("<qi", 5, 7).ljust(64, b"\0") + bytes(range(128))
    device.launch(device.load(Code("sm_90a", "// text", None, "k", True)), (1, 1, 1), (1, 1, 1), packed)
    device.launch(device.load(Code("sm_90a", "// text", None, "k")), (1, 1, 1), (1, 1, 1), packed)
    assert seen[0][:12] == packed[:12] and seen[0][48:] == bytes(range(128))
    assert seen[1] == packed
