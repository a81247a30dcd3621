"""What a code object says about its kernels, and the MessagePack reader behind it."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.codegen.link import CodeObjectError, KernelInfo, link, read_code_object
from lanewise.codegen.link.msgpack import MessagePackError, unpack


def test_kernels_of_a_module(two_kernels):
    found = read_code_object(link(two_kernels))
    assert list(found.kernels) == ["first", "second"]
    first, second = found.kernels.values()
    assert (first.kernarg_size, first.argument_bytes) == (12, 12)  # a pointer and an i32
    assert (second.kernarg_size, second.argument_bytes) == (8, 8)
    assert (first.group_segment_bytes, second.group_segment_bytes) == (256, 0)  # 64 floats, and dynamic LDS after them
    for info in (first, second):
        assert (info.private_segment_bytes, info.vgpr_spills, info.sgpr_spills) == (0, 0, 0)
        assert info.max_flat_workgroup_size == 128
        assert info.vgpr > 0
        assert info.sgpr > 0


def test_linking_keeps_what_is_said(two_kernels):
    assert read_code_object(link(two_kernels)) == read_code_object(two_kernels)


@pytest.mark.parametrize(("chip", "wave"), [("gfx90a", 64), ("gfx942", 64), ("gfx1030", 32), ("gfx1201", 32)])
def test_target_and_wavefront(compile_object, chip, wave):
    text = "define amdgpu_kernel void @k(ptr addrspace(1) %p) { store i32 1, ptr addrspace(1) %p ret void }"
    found = read_code_object(compile_object(text, chip))
    assert found.target == f"amdgcn-amd-amdhsa--{chip}"
    assert found.kernels["k"].wavefront_size == wave


def test_arguments_that_the_runtime_adds(compile_object):
    text = """
define amdgpu_kernel void @k(ptr addrspace(1) %p, i8 %x) {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %n = load i32, ptr addrspace(4) %i
  store i32 %n, ptr addrspace(1) %p
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
"""
    info = read_code_object(compile_object(text, "gfx942")).kernels["k"]
    assert info.argument_bytes == 9
    assert info.kernarg_size >= 16 + 8


def test_registers_and_scratch(compile_object):
    """An array that is indexed at run time and is too large for registers lies in scratch."""
    text = """
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %a = alloca [1024 x i32], addrspace(5)
  %e = getelementptr i32, ptr addrspace(5) %a, i32 %n
  store volatile i32 7, ptr addrspace(5) %e
  %f = getelementptr i32, ptr addrspace(5) %a, i32 3
  %v = load volatile i32, ptr addrspace(5) %f
  store i32 %v, ptr addrspace(1) %p
  ret void
}
"""
    info = read_code_object(compile_object(text, "gfx1100")).kernels["k"]
    assert 4096 <= info.private_segment_bytes <= 4096 + 64


def test_accumulation_registers_count_on_gfx90a(compile_object):
    text = """
define amdgpu_kernel void @k() {
  call void asm sideeffect "; $0", "a"(i32 5)
  call void asm sideeffect "; $0", "v"(i32 5)
  ret void
}
"""
    from lanewise.codegen.llvm import compile_text
    from lanewise.targets import CHIPS

    assembly = compile_text(text, CHIPS["gfx90a"]).assembly  # no object: inline assembly is text only
    assert ".agpr_count:     1" in assembly
    assert ".vgpr_count:     5" in assembly  # one VGPR, rounded to 4, and one AGPR


def with_metadata(image: bytes, metadata: bytes, read_object) -> bytes:
    """The object with another metadata note, no longer than its own."""
    source = read_object(image)
    header = source.sections[".note"]
    start = header[4]
    assert 20 + len(metadata) <= header[5]
    changed = bytearray(image)
    changed[start : start + header[5]] = bytes(header[5])
    struct.pack_into("<III8s", changed, start, 7, len(metadata), 32, b"AMDGPU\0\0")
    changed[start + 20 : start + 20 + len(metadata)] = metadata
    return bytes(changed)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (pack_map := b"\x81\xa1a\x01", r"the metadata has amdhsa\.kernels = None; list expected"),
        (b"\x81\xaeamdhsa.kernels\x91\x05", r"a kernel's metadata has \.name = None; str expected"),
        (
            b"\x81\xaeamdhsa.kernels\x91\x81\xa5.name\xa1k",
            r"the metadata of kernel 'k' has \.kernarg_segment_size = None; int",
        ),
        (b"\xc1", r"cannot be read: byte 0xc1 at 0 starts no value that is understood"),
        (b"\xa5ab", r"cannot be read: 5 bytes expected at byte 1, found 2"),
        (pack_map + b"\x00", r"cannot be read: 1 bytes follow the value"),
    ],
)
def test_damaged_metadata(gfx942_object, read_object, metadata, message):
    with pytest.raises(CodeObjectError, match=message):
        read_code_object(with_metadata(gfx942_object, metadata, read_object))


def test_no_metadata(gfx942_object, read_object):
    start = read_object(gfx942_object).sections[".note"][4]
    changed = bytearray(gfx942_object)
    changed[start + 8] = 33  # another type of note
    with pytest.raises(CodeObjectError, match="has no AMDGPU metadata note"):
        read_code_object(bytes(changed))
    changed[start + 4 : start + 8] = b"\xff\xff\xff\x7f"
    with pytest.raises(CodeObjectError, match=r"a note in \.note is cut short"):
        read_code_object(bytes(changed))


def test_infos_are_values():
    info = KernelInfo(8, 8, 0, 0, 4, 0, 10, 0, 0, 64, 256)
    assert info == KernelInfo(8, 8, 0, 0, 4, 0, 10, 0, 0, 64, 256)
    assert len({info, info}) == 1


# MessagePack, by an encoder that follows the specification and chooses the smallest form


def pack(value: object) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, int):
        return pack_integer(value)
    if isinstance(value, bytes):
        return pack_size(len(value), None, (0xC4, 0xC5, 0xC6)) + value
    if isinstance(value, str):
        data = value.encode()
        return pack_size(len(data), (0xA0, 32), (0xD9, 0xDA, 0xDB)) + data
    if isinstance(value, list):
        return pack_size(len(value), (0x90, 16), (None, 0xDC, 0xDD)) + b"".join(map(pack, value))
    assert isinstance(value, dict)
    body = b"".join(pack(key) + pack(item) for key, item in value.items())
    return pack_size(len(value), (0x80, 16), (None, 0xDE, 0xDF)) + body


def pack_integer(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack(">b", value)
    unsigned = [(0xCC, "B"), (0xCD, "H"), (0xCE, "I"), (0xCF, "Q")]
    signed = [(0xD0, "b"), (0xD1, "h"), (0xD2, "i"), (0xD3, "q")]
    for head, format in unsigned if value >= 0 else signed:
        try:
            return bytes([head]) + struct.pack(">" + format, value)
        except struct.error:
            continue
    raise AssertionError(value)


def pack_size(size: int, short: tuple[int, int] | None, heads: tuple[int | None, ...]) -> bytes:
    if short and size < short[1]:
        return bytes([short[0] + size])
    for head, format, limit in zip(heads, "BHI", (1 << 8, 1 << 16, 1 << 32), strict=True):
        if head is not None and size < limit:
            return bytes([head]) + struct.pack(">" + format, size)
    raise AssertionError(size)


scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()
)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(values)
def test_unpack_inverts_pack(value):
    assert unpack(pack(value)) == value


@pytest.mark.parametrize("value", ["x" * 300, "x" * 70000, [0] * 20, [0] * 70000, {i: i for i in range(300)}])
def test_large_values(value):
    assert unpack(pack(value)) == value


@given(values, st.data())
def test_a_cut_value_is_refused(value, data):
    packed = pack(value)
    length = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(MessagePackError):
        unpack(packed[:length])


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"\x91" * 99 + b"\x01", "nest more than 32 deep"), (b"\x81\x90\x01", "key that is a list or a map")],
)
def test_what_is_refused(data, message):
    with pytest.raises(MessagePackError, match=message):
        unpack(data)


@given(st.binary(max_size=40))
def test_any_bytes_are_a_value_or_refused(data):
    with contextlib.suppress(MessagePackError):
        unpack(data)
