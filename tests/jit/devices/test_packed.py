"""Arrays whose elements share bytes on a device: ml_dtypes' integers and floats of 2 and 4 bits."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.jit.arguments import ArgumentTypeError, ArgumentValueError, Binder, BufferParameter
from lanewise.jit.arrays import DeviceArray, make_view
from lanewise.jit.emulated import EmulatedDevice
from lanewise.support.packed_elements import byte_count, element_bits, pack, unpack

TYPES = [np.dtype(getattr(ml_dtypes, n)) for n in ("int2", "uint2", "int4", "uint4", "float4_e2m1fn")]
INT4 = np.dtype(ml_dtypes.int4)


def numbers(count: int, dtype: np.dtype[Any]) -> Any:
    return (np.arange(count, dtype=np.uint8) % (1 << element_bits(dtype))).view(dtype)


@given(st.integers(0, 70), st.sampled_from(TYPES))
def test_packing_and_back(count: int, dtype: np.dtype[Any]) -> None:
    array = numbers(count, dtype)
    packed = pack(array)
    assert packed.nbytes == byte_count(count, dtype) and packed.nbytes % 4 == 0
    assert (unpack(packed, dtype, count).view(np.uint8) == array.view(np.uint8)).all()


def test_the_first_element_lies_in_the_lowest_bits() -> None:
    assert pack(np.array([1, 2, -1]).astype(INT4)).tolist() == [0x21, 0x0F, 0, 0]
    assert pack(np.array([1, 2, 3, 0, 1]).astype(ml_dtypes.uint2)).tolist() == [0b00_11_10_01, 1, 0, 0]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_device_arrays(dtype: np.dtype[Any]) -> None:
    host = numbers(21, dtype).reshape(3, 7)
    with DeviceArray.from_numpy(EmulatedDevice("sm_90"), host) as array:
        assert array.nbytes == byte_count(21, dtype) < host.nbytes
        assert (array.to_numpy().view(np.uint8) == host.view(np.uint8)).all()


def binder(*shape: int | None, **changes: Any) -> Binder:
    return Binder([BufferParameter("a", INT4, shape, **{"written": True, **changes})])


@pytest.mark.parametrize("index", [np.s_[:], np.s_[::2], np.s_[1::3], np.s_[::-1], np.s_[4:1:-1, ::-2]], ids=str)
def test_host_arrays_are_packed_and_unpacked_with_their_strides(index: Any) -> None:
    device, base = EmulatedDevice("sm_90"), numbers(35, INT4).reshape(5, 7)
    array = base[index]
    with binder(None, None, strides=(None, None)).bind([array], device) as bound:
        address, rows, columns, down, right = bound.values
        assert (rows, columns) == array.shape and (down, right) == array.strides
        places = np.arange(rows)[:, None] * down + np.arange(columns) * right
        low, high = int(places.min()) // 2, int(places.max()) // 2
        data = np.empty(high - low + 1, np.uint8)
        device.copy_out(data, address + low)
        codes = data[places // 2 - low] >> (places % 2 * 4).astype(np.uint8) & 15
        assert (codes == array.view(np.uint8)).all()
        device.copy_in(address + low, ~data)
        expected = base.copy()
        expected[index] = (~array.view(np.uint8) & 15).view(INT4)
        bound.copy_back()
    assert (base.view(np.uint8) == expected.view(np.uint8)).all()


def test_bytes_are_taken_as_the_elements_that_they_hold() -> None:
    device, data = EmulatedDevice("sm_90"), np.array([[0x21, 0x43], [0x65, 0x87]], np.uint8)
    with binder(None, None).bind([data], device) as bound:
        assert bound.values[1:] == (2, 4)
        found = np.empty(4, np.uint8)
        device.copy_out(found, bound.values[0])
        assert (found == data.reshape(-1)).all()
    with pytest.raises(ArgumentTypeError, match=r"expected int4\[\?, 6\], found int4\[2, 4\]|expected int4"):
        binder(None, 6, strides=None).bind([data.astype(np.int8)], device)
    with pytest.raises(ArgumentValueError, match="bytes that hold int4 need a last dimension of stride 1"):
        binder(None, None, strides=(None, None)).bind([data[:, ::-1]], device)


def test_an_offset_is_a_whole_number_of_bytes() -> None:
    assert BufferParameter("a", INT4, (8,), (1,), 2).offset_bytes == 1
    with pytest.raises(TypeError, match="an offset of 3 int4 is no whole number of bytes"):
        BufferParameter("a", INT4, (8,), (1,), 3)


def test_what_a_view_reaches_counts_bytes() -> None:
    assert make_view(64, INT4, (7,)).reach == (0, 4)
    assert make_view(64, INT4, (3, 4), (-8, 1)).reach == (8, 2)
