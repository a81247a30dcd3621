"""Packing of parameters, stream handles, and values of the device protocol."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.jit.device import Code, DeviceError, Parameter, parameter_offsets, stream_handle

C_TYPES = [ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_double]


@given(st.lists(st.sampled_from(C_TYPES), max_size=12))
def test_offsets_are_those_of_a_c_struct(types):
    fields = [(f"m{i}", kind) for i, kind in enumerate(types)]
    structure = type("S", (ctypes.Structure,), {"_fields_": fields})
    offsets, end = parameter_offsets(Parameter(ctypes.sizeof(t), ctypes.alignment(t)) for t in types)
    assert list(offsets) == [getattr(structure, name).offset for name, _ in fields]
    assert -(-end // ctypes.alignment(structure)) * ctypes.alignment(structure) == ctypes.sizeof(structure)


def test_the_buffer_ends_with_its_last_parameter():
    assert parameter_offsets([Parameter(8, 8), Parameter(4, 4)]) == ((0, 8), 12)
    assert parameter_offsets([Parameter(4, 4), Parameter(128, 64)]) == ((0, 64), 192)
    assert parameter_offsets([]) == ((), 0)


@pytest.mark.parametrize(("size", "alignment"), [(0, 4), (4, 3), (4, 0)])
def test_a_parameter_has_a_size_and_a_power_of_two(size, alignment):
    with pytest.raises(ValueError, match="power of two"):
        Parameter(size, alignment)


class CuStream:
    def __cuda_stream__(self):
        return (0, 77)


class CUstream:
    def __int__(self):
        return 88


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (None, 0),
        (5, 5),
        (CuStream(), 77),
        (SimpleNamespace(__cuda_stream__=(0, 78)), 78),
        (SimpleNamespace(cuda_stream=9), 9),
        (SimpleNamespace(ptr=10), 10),
        (CUstream(), 88),
    ],
)
def test_streams_of_other_libraries(stream, handle):
    assert stream_handle(stream) == handle


@pytest.mark.parametrize("stream", ["0", 1.0, True, SimpleNamespace(ptr="x")])
def test_what_is_no_stream(stream):
    with pytest.raises(TypeError, match=r"a stream is None, an integer handle.*found"):
        stream_handle(stream)


def test_an_unknown_stream_protocol_version():
    with pytest.raises(TypeError, match="version 0 expected, found version 3"):
        stream_handle(SimpleNamespace(__cuda_stream__=(3, 1)))


def test_code_holds_text_or_an_image():
    with pytest.raises(DeviceError, match="kernel 'k' for sm_90 has neither"):
        Code("sm_90", None, None, "k")
