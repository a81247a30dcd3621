"""Tensor maps: what the driver is asked for, where it finds them, and devices that have none."""

from __future__ import annotations

import ctypes
import struct
from enum import IntEnum
from pathlib import Path
from typing import Any

import lanewise
import pytest
from lanewise.codegen.emit.tensor_map import FARTHEST
from lanewise.jit.cuda import CudaDevice
from lanewise.jit.device import Code, DeviceError, Tensor
from lanewise.jit.emulated import EmulatedDevice
from lanewise.jit.facts import GENERAL
from lanewise.targets.tensor_maps import LONGEST_BOX, UNIT

from .conftest import CUresult, FakeDriver

BOXES = Path(__file__).parents[2] / "filetests/async/boxes.mlir"
TENSOR = Tensor(1 << 20, "f16", (3, 100, 64), (1, 32, 64), 128, 256)


class CUtensorMapDataType(IntEnum):
    CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6


class CUtensorMapInterleave(IntEnum):
    CU_TENSOR_MAP_INTERLEAVE_NONE = 0


class CUtensorMapSwizzle(IntEnum):
    CU_TENSOR_MAP_SWIZZLE_NONE = 0
    CU_TENSOR_MAP_SWIZZLE_128B = 3


class CUtensorMapL2promotion(IntEnum):
    CU_TENSOR_MAP_L2_PROMOTION_NONE = 0
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3


class CUtensorMapFloatOOBfill(IntEnum):
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0


Numbers = ctypes.POINTER(ctypes.c_uint64)
Words = ctypes.POINTER(ctypes.c_uint32)
Encode = ctypes.CFUNCTYPE(
    ctypes.c_int,
    *(ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p, Numbers, Numbers, Words, Words),
    *4 * [ctypes.c_int],
)


class MapDriver(FakeDriver):
    """Has maps, which it makes where they are aligned, and takes each parameter by its address."""

    CUtensorMapDataType = CUtensorMapDataType
    CUtensorMapInterleave = CUtensorMapInterleave
    CUtensorMapSwizzle = CUtensorMapSwizzle
    CUtensorMapL2promotion = CUtensorMapL2promotion
    CUtensorMapFloatOOBfill = CUtensorMapFloatOOBfill

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Any] = []
        self.looked_up = 0
        self._encode = Encode(self.encode)

    def cuGetProcAddress(self, name: bytes, version: int, flags: int) -> Any:
        assert (name, version, flags) == (b"cuTensorMapEncodeTiled", 12000, 0)
        self.looked_up += 1
        return self._answer("cuGetProcAddress", ctypes.cast(self._encode, ctypes.c_void_p).value, 0)

    def encode(self, map: int, kind: int, rank: int, address: int, *rest: Any) -> int:
        """Asks for an address of whole 64 bytes (CUDA driver API)."""
        sizes, strides, box, steps, *words = rest
        self.asked = [kind, rank, address, sizes[:rank], strides[: rank - 1], box[:rank], steps[:rank], *words]
        ctypes.memmove(map, bytes(range(128)), 128)
        return CUresult.CUDA_ERROR_INVALID_VALUE if map % 64 or "encode" in self.fail else CUresult.CUDA_SUCCESS

    def cuLaunchKernel(self, function: str, *rest: int) -> Any:
        *configuration, parameters, extra = rest
        if not parameters:
            return super().cuLaunchKernel(function, *rest)
        assert extra == 0
        places = (ctypes.c_size_t * 3).from_address(parameters)
        self.aligned = [place % size for place, size in zip(places, (8, 4, 64), strict=True)]
        found = [ctypes.string_at(place, size) for place, size in zip(places, (8, 4, 128), strict=True)]
        self.kernels[function](b"|".join(found), tuple(configuration))
        return self._answer("cuLaunchKernel")


def test_the_driver_makes_maps_with_the_innermost_dimension_first() -> None:
    """Numbers of the words: cuda.h. It is aligned as the driver wants it each time, not only by chance."""
    driver = MapDriver()
    device = CudaDevice(0, driver)
    for _ in range(9):
        assert device.tensor_map(TENSOR) == bytes(range(128))
    float16, none, swizzle_128, l2_256, zeros = 6, 0, 3, 3, 0
    sizes = [64, 100, 3], [128, 12800], [64, 32, 1], [1, 1, 1]
    assert driver.asked == [float16, 3, 1 << 20, *sizes, none, swizzle_128, l2_256, zeros]
    assert driver.looked_up == 1


def test_what_the_driver_refuses_is_said() -> None:
    driver = MapDriver()
    device = CudaDevice(0, driver)
    driver.fail["encode"] = CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(DeviceError, match=r"making a tensor map of Tensor.*INVALID_VALUE"):
        device.tensor_map(TENSOR)


def test_a_driver_without_maps() -> None:
    driver = MapDriver()
    driver.fail["cuGetProcAddress"] = CUresult.CUDA_ERROR_NOT_FOUND
    with pytest.raises(DeviceError, match=r"making a tensor map of Tensor.*NOT_FOUND"):
        CudaDevice(0, driver).tensor_map(TENSOR)


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (Tensor(8, "f16", (4, 64), (4, 64), 128, 0), "needs an address of whole 16 bytes, found 8"),
        (Tensor(16, "f16", (4, 63), (4, 63), 0, 0), "needs strides of whole 16 bytes, found 126"),
        (Tensor(16, "f16", (0, 64), (4, 64), 0, 0), r"extents from 1 to 2147483392, found \[0, 64\]"),
        (Tensor(16, "i8", ((1 << 31) - 255,), (16,), 0, 0), r"to 2147483392, found \[2147483393\]"),
    ],
)
def test_tensors_without_a_map(tensor: Tensor, words: str) -> None:
    for device in (CudaDevice(0, MapDriver()), EmulatedDevice("sm_90")):
        with pytest.raises(DeviceError, match=words):
            device.tensor_map(tensor)


def test_boxes_far_outside_have_numbers_of_32_bits() -> None:
    """Where a coordinate is cut off: a whole piece into its row, whatever the type, and no element wraps around."""
    assert FARTHEST % UNIT == 0 and FARTHEST + LONGEST_BOX - 1 == (1 << 31) - 1


def test_chips_without_an_accelerator_say_so() -> None:
    with pytest.raises(DeviceError, match="gfx942 has no tensor memory accelerator"):
        EmulatedDevice("gfx942").tensor_map(TENSOR)


def test_parameters_beside_a_map_are_passed_one_by_one() -> None:
    """Packed, the map is at 64, a multiple of its alignment; in the driver's bank it is elsewhere."""
    driver, seen = MapDriver(), list[bytes]()
    driver.kernels["k"] = lambda arguments, _: seen.append(arguments)
    device = CudaDevice(0, driver)
    head, map = struct.pack("<qi", 5, 7), bytes(range(128))
    packed = head.ljust(64, b"\0") + map
    device.launch(device.load(Code("sm_90a", "// text", None, "k", (0, 8, 64))), (1, 1, 1), (1, 1, 1), packed)
    device.launch(device.load(Code("sm_90a", "// text", None, "k")), (1, 1, 1), (1, 1, 1), packed)
    assert seen == [b"|".join([head[:8], head[8:], map]), packed]
    assert driver.aligned == [0, 0, 0]


def test_compiled_kernels_say_where_their_parameters_lie(tmp_path: Path) -> None:
    """A pointer and two extents of %x, a pointer of %y, then a map at a whole 64 bytes. A file tells the same."""
    kernel = lanewise.compile(BOXES, target="sm_90")
    kernel.save(tmp_path / "kernel.lw", cubin=False)
    device = EmulatedDevice("sm_90")
    for variants in (kernel.variants, lanewise.load(tmp_path / "kernel.lw", device=device).saved):
        assert variants.find(GENERAL, device).code.offsets == (0, 8, 16, 24, 64)
