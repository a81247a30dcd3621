"""Binding arguments: the packed buffer, facts, copies of host arrays, and every way to get it wrong."""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.jit.arguments import (
    ArgumentCountError,
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Binder,
    BufferParameter,
    DeviceArray,
    Role,
    ScalarParameter,
    bind,
    machine_parameters,
)
from lanewise.jit.device import OutOfMemory
from lanewise.jit.facts import largest_divisor

F4, I4 = np.dtype("f4"), np.dtype("i4")

C_TYPES = {
    "?": ctypes.c_bool,
    "i1": ctypes.c_int8,
    "i2": ctypes.c_int16,
    "i4": ctypes.c_int32,
    "i8": ctypes.c_int64,
    "u1": ctypes.c_uint8,
    "u2": ctypes.c_uint16,
    "u4": ctypes.c_uint32,
    "u8": ctypes.c_uint64,
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
}


def scalar_values(code):
    if code == "?":
        return st.booleans()
    if code[0] == "f":
        return st.floats(width=8 * int(code[1]), allow_nan=False)
    limits = np.iinfo(code)
    return st.integers(int(limits.min), int(limits.max))


@st.composite
def scalars(draw):
    codes = draw(st.lists(st.sampled_from(sorted(C_TYPES)), max_size=10))
    return [(code, draw(scalar_values(code))) for code in codes]


@given(scalars())
def test_scalars_are_packed_like_a_c_struct(pairs):
    fields = [(f"m{i}", C_TYPES[code]) for i, (code, _) in enumerate(pairs)]
    structure = type("S", (ctypes.Structure,), {"_fields_": fields})()
    for (name, _), (_, value) in zip(fields, pairs, strict=True):
        setattr(structure, name, value)
    signature = [ScalarParameter(f"m{i}", np.dtype(code)) for i, (code, _) in enumerate(pairs)]
    packed = bind(signature, [value for _, value in pairs], None).packed
    expected = bytes(structure)
    assert packed == expected[: len(packed)]
    assert len(packed) == (
        getattr(type(structure), fields[-1][0]).offset + np.dtype(pairs[-1][0]).itemsize if pairs else 0
    )


@given(st.integers(-(2**63), 2**63 - 1))
def test_the_largest_divisor(value):
    divisor = largest_divisor(value)
    assert divisor in (1, 2, 4, 8, 16)
    assert value % divisor == 0
    assert divisor == 16 or value % (2 * divisor) != 0


def test_machine_parameters_in_order():
    signature = (
        BufferParameter("a", F4, (None, 4, None), strides=(None, None, 1), offset=None),
        ScalarParameter("n", np.dtype(ml_dtypes.bfloat16)),
        BufferParameter("b", F4, (8,)),
    )
    assert [(p.name, p.role, p.parameter.size) for p in machine_parameters(signature)] == [
        ("a", Role.POINTER, 8),
        ("a.size0", Role.SIZE, 8),
        ("a.size2", Role.SIZE, 8),
        ("a.stride0", Role.STRIDE, 8),
        ("a.stride1", Role.STRIDE, 8),
        ("a.offset", Role.OFFSET, 8),
        ("n", Role.SCALAR, 2),
        ("b", Role.POINTER, 8),
    ]
    with pytest.raises(ValueError, match="needs as many strides"):
        BufferParameter("a", F4, (4, 4), strides=(1,))


def test_a_buffer_becomes_pointer_sizes_strides_offset(device):
    array = DeviceArray(device, (6, 4, 40), F4)
    signature = (
        BufferParameter("a", F4, (None, 4, None), strides=(None, 40, None), offset=None),
        ScalarParameter("n", I4),
        ScalarParameter("x", F4),
    )
    bound = bind(signature, (array, 24, 0.5), device)
    assert bound.packed == struct.pack("<QqqqqqifI", array.address, 6, 40, 160, 1, 0, 24, 0.5, 0)[:-4]
    assert bound.values == (array.address, 6, 40, 160, 1, 0, 24, 0.5)
    assert bound.facts == ((16, 1, 1, 1, 1, 1, 4, 1), True)


def test_a_static_offset_moves_the_pointer(device):
    array = DeviceArray(device, (8,), F4)
    bound = bind([BufferParameter("a", F4, (8,), strides=(1,), offset=3)], (array,), device)
    assert bound.values == (array.address - 12,)
    assert bound.facts == ((1,), True)


def test_near_buffers_lie_in_2_gib_from_their_pointer_on():
    plain = BufferParameter("a", F4, (None,))
    assert plain.is_near((0, 1 << 31)) and not plain.is_near((0, (1 << 31) + 4))
    shifted = BufferParameter("a", F4, (None,), strides=(1,), offset=3)
    assert shifted.is_near((12, 4)) and not shifted.is_near((16, 4))
    assert shifted.is_near((0, (1 << 31) - 12)) and not shifted.is_near((0, (1 << 31) - 8))


def test_an_array_that_runs_backwards_is_not_near(device):
    parameter = BufferParameter("a", F4, (None,), strides=(None,), offset=None)
    with bind([parameter], (np.zeros(8, F4)[::-1],), device) as bound:
        assert not bound.facts.near
    stated = dataclasses.replace(parameter, near=True)
    with pytest.raises(ArgumentValueError, match=r"at most 2147483648 bytes, none before.*found 28 before and 4 after"):
        bind([stated], (np.zeros(8, F4)[::-1],), device)


def test_device_arrays_stay_alive_while_bound(device, driver):
    bound = bind([BufferParameter("a", F4, (8,))], (DeviceArray(device, (8,), F4),), device)
    gc.collect()
    assert bound.values[0] in driver.blocks


# Host arrays


def device_bytes(address, nbytes):
    return ctypes.string_at(address, nbytes)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u2", "i8", "f2", "f4", "f8", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn]
)
def test_host_arrays_are_copied_there_and_back(device, driver, dtype):
    host = (np.arange(12).reshape(3, 4) % 2).astype(dtype)
    result = np.zeros_like(host)
    signature = [
        BufferParameter("a", np.dtype(dtype), (None, None)),
        BufferParameter("b", np.dtype(dtype), (None, None), read=False, written=True),
    ]
    with bind(signature, (host, result), device) as bound:
        source, target = bound.values[0], bound.values[3]
        assert device_bytes(source, host.nbytes) == host.tobytes()
        ctypes.memmove(target, source, host.nbytes)
        assert not result.astype("f4").any()
        bound.copy_back()
    assert (result == host).all()
    assert not driver.blocks
    bound.release()


def test_strided_host_arrays_keep_their_strides(device):
    base = np.arange(40, dtype=I4).reshape(4, 10)
    view = base[::-2, 1:9:3]
    signature = [BufferParameter("a", I4, (None, None), strides=(None, None), written=True)]
    with bind(signature, (view,), device) as bound:
        address, rows, columns, row_stride, column_stride = bound.values
        assert (rows, columns, row_stride, column_stride) == (2, 3, -20, 3)
        for i in range(rows):
            for j in range(columns):
                element = address + 4 * (i * row_stride + j * column_stride)
                assert ctypes.c_int32.from_address(element).value == view[i, j]
                ctypes.c_int32.from_address(element).value *= 100
        base[3, 2] = -7  # between the elements: the caller's business
        before = view.copy()
        bound.copy_back()
    assert (view == before * 100).all()
    assert base[3, 2] == -7
    assert base[2].tolist() == list(range(20, 30))


def test_one_array_is_copied_once(device, driver):
    host = np.zeros((4, 4), F4)
    signature = [BufferParameter(name, F4, (4, 4)) for name in "ab"]
    with bind(signature, (host, host), device) as bound:
        assert bound.values[0] == bound.values[1]
        assert driver.calls.count("cuMemAlloc") == 1
    in_place = [BufferParameter(name, F4, (4, 4), written=name == "b", may_alias=True) for name in "ab"]
    with bind(in_place, (host, host), device) as bound:
        ctypes.memset(bound.values[1], 0xFF, 64)
        bound.copy_back()
    assert np.isnan(host).all()


def test_what_is_only_read_is_not_copied_back(device, driver):
    host = np.zeros(4, F4)
    with bind([BufferParameter("a", F4, (4,))], (host,), device) as bound:
        ctypes.memset(bound.values[0], 0xFF, 16)
        bound.copy_back()
    assert not host.any()
    frozen = np.zeros(4, F4)
    frozen.flags.writeable = False
    bind([BufferParameter("a", F4, (4,))], (frozen,), device).release()


def test_empty_arrays(device, driver):
    signature = [BufferParameter("a", F4, (None, 3), written=True), BufferParameter("b", F4, (None,))]
    with bind(signature, (np.zeros((0, 3), F4), DeviceArray(device, (0,), F4)), device) as bound:
        assert bound.values == (0, 0, 0, 0)
        assert bound.facts == ((16, 1, 16, 4), False), "a kernel for near buffers may read a box of what is there"
        bound.copy_back()
    assert "cuMemAlloc" not in driver.calls


def test_nothing_stays_allocated_after_an_error(device, driver):
    signature = [BufferParameter("a", F4, (4,)), BufferParameter("b", F4, (4,))]
    with pytest.raises(ArgumentTypeError):
        bind(signature, (np.zeros(4, F4), np.zeros(4)), device)
    assert "cuMemAlloc" not in driver.calls
    driver.fail["cuMemcpyHtoDAsync"] = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    with pytest.raises(OutOfMemory):
        bind(signature, (np.zeros(4, F4), np.ones(4, F4)), device)
    assert not driver.blocks


# Mistakes


def buffer(shape=(None, 4), **changes):
    return BufferParameter("a", F4, shape, **changes)


def frozen():
    array = np.zeros((2, 4), F4)
    array.flags.writeable = False
    return array


MISTAKES = [
    (buffer(), 3, ArgumentTypeError, r"expected an array float32\[\?, 4\], found int 3"),
    (buffer(), [[1.0]], ArgumentTypeError, r"expected an array float32\[\?, 4\], found list"),
    (buffer(), np.zeros((2, 4)), ArgumentTypeError, r"expected float32\[\?, 4\], found float64\[2, 4\]"),
    (buffer(), np.zeros((2, 4), ">f4"), ArgumentTypeError, r"expected float32\[\?, 4\], found >f4\[2, 4\]"),
    (buffer(), np.zeros(4, F4), ArgumentTypeError, r"expected float32\[\?, 4\], found float32\[4\]"),
    (buffer(), np.zeros((2, 5), F4), ArgumentValueError, r"expected float32\[\?, 4\], found float32\[2, 5\]"),
    (
        buffer(),
        np.zeros((4, 2), F4).T,
        ArgumentValueError,
        r"rows without gaps \(strides \(4, 1\)\), found strides \(1, 2\)",
    ),
    (buffer(), np.zeros((2, 8), F4)[:, ::2], ArgumentValueError, r"found strides \(8, 2\): pass a contiguous copy"),
    (
        buffer(strides=(None, 1)),
        np.zeros((2, 8), F4)[:, ::2],
        ArgumentValueError,
        r"expected strides \[\?, 1\] in elements, found strides \[8, 2\]",
    ),
    (
        buffer(written=True),
        frozen(),
        ArgumentValueError,
        "a writable array, since the kernel writes it, found a read-only",
    ),
    (buffer(), np.ma.masked_array(np.zeros((2, 4), F4)), ArgumentValueError, "mask would be lost"),
    (ScalarParameter("a", I4), 1.5, ArgumentTypeError, r"expected an integer \(int32\), found float 1.5"),
    (ScalarParameter("a", I4), 2**31, ArgumentValueError, "expected an integer from -2147483648 to 2147483647"),
    (
        ScalarParameter("a", F4),
        np.zeros((2, 2)),
        ArgumentTypeError,
        r"a number \(float32\), found ndarray float64\[2, 2\]",
    ),
]


@pytest.mark.parametrize(("parameter", "argument", "kind", "message"), MISTAKES)
def test_mistakes_name_the_parameter_and_both_sides(device, parameter, argument, kind, message):
    with pytest.raises(ArgumentError, match=f"argument 'a': .*{message}") as caught:
        bind([parameter], (argument,), device)
    assert type(caught.value) is kind
    assert caught.value.parameter == "a"
    assert caught.value.expected in str(caught.value)
    assert isinstance(caught.value, TypeError if kind is ArgumentTypeError else ValueError)


def test_wrong_count(device):
    signature = [ScalarParameter("m", I4), ScalarParameter("n", I4)]
    with pytest.raises(ArgumentCountError, match=r"expected 2 arguments \(m, n\), found 1"):
        bind(signature, (1,), device)


def test_a_misaligned_address(device, driver):
    odd = np.zeros(17, np.uint8)[1:].ctypes.data | 1
    found = {"shape": (2,), "typestr": "<f4", "data": (odd, False), "version": 3}
    driver.ordinals[odd] = 0
    argument = type("Foreign", (), {"__cuda_array_interface__": found})()
    with pytest.raises(ArgumentValueError, match=f"expected an address that is a multiple of 4, found {odd:#x}"):
        bind([BufferParameter("a", F4, (2,))], (argument,), device)


def test_unit_extents_have_any_stride(device):
    """Numpy and torch give extents of 1 whatever stride they like."""
    column = np.zeros((4, 7), F4)[:, 2:3]
    bind([BufferParameter("a", F4, (None, 1), strides=(7, 55))], (column,), device).release()
    row = np.zeros((4, 7), F4)[1:2, :]
    bind([BufferParameter("a", F4, (None, None))], (row,), device).release()


# Overlap


def two(written, **changes):
    return Binder([BufferParameter("a", F4, (None, None), (None, None)), written_b(written, **changes)])


def written_b(written, **changes):
    return BufferParameter("b", F4, (None, None), (None, None), written=written, **changes)


@given(st.integers(0, 3), st.integers(1, 4), st.integers(0, 3), st.integers(1, 4), st.integers(1, 3))
def test_overlap_is_exact(first, width, second, other_width, step):
    base = np.arange(32, dtype=F4).reshape(4, 8)
    a, b = base[:, first : first + width : step], base[:, second : second + other_width : step]
    share = bool(np.intersect1d(a, b).size)
    binder = two(written=True)
    fake = OverlapDevice()
    if share:
        with pytest.raises(ArgumentValueError, match="argument 'b': expected memory apart from that of argument 'a'"):
            binder.bind((a, b), fake)
    else:
        binder.bind((a, b), fake)
    two(written=False).bind((a, b), fake)


class OverlapDevice:
    """Takes copies and forgets them."""

    def allocate_for(self, stream, nbytes):
        return 4096

    def capturing(self, stream=None):
        return False

    def copy_in(self, address, host, stream=None):
        pass


def test_overlapping_device_memory(device):
    array = DeviceArray(device, (4, 4), F4)
    with pytest.raises(ArgumentValueError, match="memory that overlaps it: pass a copy"):
        two(written=True).bind((array, array), device)
    both = [BufferParameter(n, F4, (None, None), written=n == "b", may_alias=True) for n in "ab"]
    assert bind(both, (array, array), device).values[0] == array.address
    one = [BufferParameter(n, F4, (None, None), written=n == "b", may_alias=n == "b") for n in "ab"]
    with pytest.raises(ArgumentValueError):
        bind(one, (array, array), device)
    assert two(written=True).bind((array, DeviceArray(device, (4, 4), F4)), device)
