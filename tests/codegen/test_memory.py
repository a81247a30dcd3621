"""Memory: views, wide and guarded accesses, workgroup buffers; the PTX is as wide as alignment proves, no wider."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

TYPES: dict[str, Any] = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip


def numbers(count: int, type: str) -> Any:
    values = np.arange(count)
    if type == "i1":
        return values % 3 == 0
    if "f" in type:
        return (values % 13 - 6).astype(TYPES[type])
    return values.astype(TYPES[type])


def accesses(ptx: str) -> list[str]:
    """Loads and stores of global and shared memory, with their guards."""
    return re.findall(r"((?:@%p\d+ )?(?:ld|st)\.(?:global|shared)[\w.]*)", ptx)


COPY = """  %t = gpu.thread_id x
  %n = arith.constant {count} : index
  %i = arith.muli %t, %n : index
  %v = vector.load %a[%i] {{alignment = {alignment} : i64}} : memref<{size}x{type}>, vector<{count}x{type}>
  vector.store %v, %b[%i] {{alignment = {alignment} : i64}} : memref<{size}x{type}>, vector<{count}x{type}>"""


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("count", "alignment"), [(1, 1), (2, 2), (4, 16), (8, 16), (16, 16), (3, 4), (16, 4)])
def test_packs_of_every_type(type: str, count: int, alignment: int, run: Any, text: Any) -> None:
    bytes = np.dtype(TYPES[type]).itemsize
    alignment = min(alignment, bytes * (count & -count))
    arguments = f"%a: memref<{64 * count}x{type}>, %b: memref<{64 * count}x{type}>"
    body = COPY.format(type=type, count=count, size=64 * count, alignment=max(alignment, bytes))
    a = numbers(64 * count, type)
    _, b = run(text(arguments, body), [a, np.zeros_like(a)])
    assert np.array_equal(a.view(np.uint8), b.view(np.uint8))


@pytest.mark.parametrize(
    ("type", "count", "alignment", "load", "store"),
    [
        ("f32", 4, 16, ["ld.global.nc.v4.b32"], ["st.global.v4.b32"]),
        ("f32", 4, 8, ["ld.global.nc.v2.b32"] * 2, ["st.global.v2.b32"] * 2),
        ("f32", 4, 4, ["ld.global.nc.b32"] * 4, ["st.global.b32"] * 4),
        ("f16", 8, 16, ["ld.global.nc.v4.b32"], ["st.global.v4.b32"]),
        ("bf16", 8, 2, ["ld.global.nc.b16"] * 8, ["st.global.b16"] * 8),
        ("i8", 16, 16, ["ld.global.nc.v4.b32"], ["st.global.v4.b32"]),
        ("i8", 4, 1, ["ld.global.nc.b8"] * 4, ["st.global.b8"] * 4),
        ("f64", 2, 16, ["ld.global.nc.v2.b64"], ["st.global.v2.b64"]),
        ("f32", 8, 16, ["ld.global.nc.v4.b32"] * 2, ["st.global.v4.b32"] * 2),
        ("f32", 6, 16, ["ld.global.nc.v4.b32", "ld.global.nc.v2.b32"], ["st.global.v4.b32", "st.global.v2.b32"]),
    ],
)
def test_width_follows_alignment(
    type: str, count: int, alignment: int, load: list[str], store: list[str], build: Any, text: Any
) -> None:
    size = 64 * count
    body = COPY.format(type=type, count=count, size=size, alignment=alignment)
    ptx = build(text(f"%a: memref<{size}x{type}>, %b: memref<{size}x{type}>", body)).assembly
    found = accesses(ptx)
    assert [a for a in found if a.startswith("ld")] == load
    assert [a for a in found if a.startswith("st")] == store


def test_no_alignment_is_the_elements(build: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %v = vector.load %a[%t] : memref<128xf32>, vector<4xf32>
  vector.store %v, %b[%t] : memref<128xf32>, vector<4xf32>"""
    found = accesses(build(text("%a: memref<128xf32>, %b: memref<128xf32>", body)).assembly)
    assert set(found) == {"ld.global.nc.b32", "st.global.b32"}


def test_a_written_buffer_is_not_read_through_the_constant_cache(build: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %w = memref.subview %a[0] [64] [1] : memref<64xf32> to memref<64xf32, strided<[1]>>
  %x = memref.load %a[%t] : memref<64xf32>
  %y = arith.addf %x, %x : f32
  memref.store %y, %w[%t] : memref<64xf32, strided<[1]>>"""
    artifacts = build(text("%a: memref<64xf32>", body))
    assert accesses(artifacts.assembly) == ["ld.global.b32", "st.global.b32"]
    assert "readonly" not in artifacts.llvm_ir


TAIL = """  %t = gpu.thread_id x
  %n = memref.dim %a, %zero : memref<?x{type}>
  %four = arith.constant 4 : index
  %i = arith.muli %t, %four : index
  %ok = arith.cmpi slt, %i, %n : index
  {mask}
  %v = vector.maskedload %a[%i], %m, %pad {{alignment = {alignment} : i64}}
    : memref<?x{type}>, vector<4xi1>, vector<4x{type}> into vector<4x{type}>
  vector.store %v, %b[%i] : memref<256x{type}>, vector<4x{type}>
  vector.maskedstore %c[%i], %m, %v {{alignment = {alignment} : i64}}
    : memref<?x{type}>, vector<4xi1>, vector<4x{type}>"""
EACH = """%c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.addi %i, %c1 : index
  %i2 = arith.addi %i, %c2 : index
  %i3 = arith.addi %i, %c3 : index
  %k1 = arith.cmpi slt, %i1, %n : index
  %k2 = arith.cmpi slt, %i2, %n : index
  %k3 = arith.cmpi slt, %i3, %n : index
  %m = vector.from_elements %ok, %k1, %k2, %k3 : vector<4xi1>"""
UNIFORM = "%m = vector.broadcast %ok : i1 to vector<4xi1>"
PADS = {"i1": "dense<true>", "f": "dense<5.0>", "i": "dense<77>"}


def tail(type: str, mask: str, alignment: int) -> str:
    pad = PADS.get(type) or PADS["f" if "f" in type else "i"]
    constants = f"  %zero = arith.constant 0 : index\n  %pad = arith.constant {pad} : vector<4x{type}>\n"
    return constants + TAIL.format(type=type, mask=mask, alignment=alignment)


@pytest.mark.parametrize("type", [t for t in TYPES if not t.startswith("f8")])
def test_tails_of_77_elements(type: str, run: Any, text: Any) -> None:
    """77 of 256: one thread is cut in the middle; the emulator faults on any access behind the end."""
    arguments = f"%a: memref<?x{type}>, %b: memref<256x{type}>, %c: memref<?x{type}>"
    a = numbers(77, type)
    pad = TYPES[type](True if type == "i1" else 5 if "f" in type else 77)
    found = run(text(arguments, tail(type, EACH, 1)), [a, np.zeros(256, a.dtype), np.zeros_like(a)])
    padded = np.concatenate([a, np.full(179, pad, a.dtype)])
    assert np.array_equal(found[1], padded)
    assert np.array_equal(found[2], a)


@pytest.mark.parametrize("type", [t for t in TYPES if not t.startswith("f8")])
def test_uniform_guards_stay_wide(type: str, run: Any, build: Any, text: Any) -> None:
    bytes = np.dtype(TYPES[type]).itemsize
    arguments = f"%a: memref<?x{type}>, %b: memref<256x{type}>, %c: memref<?x{type}>"
    source = text(arguments, tail(type, UNIFORM, 4 * bytes))
    a = numbers(76, type)
    pad = TYPES[type](True if type == "i1" else 5 if "f" in type else 77)
    found = run(source, [a, np.zeros(256, a.dtype), np.zeros_like(a)])
    assert np.array_equal(found[1], np.concatenate([a, np.full(180, pad, a.dtype)]))
    assert np.array_equal(found[2], a)
    ptx = build(source).assembly
    width = {1: "b32", 2: "v2.b32", 4: "v4.b32", 8: "v2.b64"}[bytes]
    expected = 2 if bytes == 8 else 1
    assert len(re.findall(rf"@%p\d+ ld\.global\.nc\.{width}", ptx)) == expected
    assert len(re.findall(rf"@%p\d+ st\.global\.{width}", ptx)) == expected
    assert "bra" not in ptx


def test_known_masks_need_no_guard(build: Any, run: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %four = arith.constant 4 : index
  %i = arith.muli %t, %four : index
  %m = arith.constant dense<[true, true, false, true]> : vector<4xi1>
  %yes = arith.constant dense<true> : vector<4xi1>
  %pad = arith.constant dense<9.0> : vector<4xf32>
  %v = vector.maskedload %a[%i], %m, %pad {alignment = 16 : i64}
    : memref<256xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %b[%i], %yes, %v {alignment = 16 : i64} : memref<256xf32>, vector<4xi1>, vector<4xf32>"""
    source = text("%a: memref<256xf32>, %b: memref<256xf32>", body)
    a = np.arange(256, dtype=np.float32)
    _, b = run(source, [a, np.zeros_like(a)])
    expected = a.copy()
    expected[2::4] = 9
    assert np.array_equal(b, expected)
    ptx = build(source).assembly
    assert "@" not in re.sub(r"@\$", "", ptx.split("{", 1)[1]) and "st.global.v4.b32" in ptx


def test_neighbours_share_an_address(build: Any, text: Any) -> None:
    """Rows 0..3 of a tile with static strides: one base register, four immediate offsets."""
    lines = ["  %t = gpu.thread_id x", "  %zero = arith.constant 0.0 : f32"]
    for row in range(4):
        lines += [f"  %r{row} = arith.constant {row} : index", f"  %i{row} = arith.addi %t, %r{row} : index"]
        lines += [f"  memref.store %zero, %a[%i{row}, %r2] : memref<128x32xf32>" for _ in range(row == 2)]
    for row in (0, 1, 3):
        lines.append(f"  memref.store %zero, %a[%i{row}, %r2] : memref<128x32xf32>")
    ptx = build(text("%a: memref<128x32xf32>", "\n".join(lines))).assembly
    stores = re.findall(r"st\.global\.b32 \s*\[(%rd\d+)(?:\+(\d+))?\]", ptx)
    assert len({base for base, _ in stores}) == 1
    assert sorted(int(offset or 0) for _, offset in stores) == [8, 136, 264, 392]


def test_views(run: Any, text: Any) -> None:
    """Strided arguments, rank-reducing and dynamic subviews, views of bytes, casts, dim."""
    arguments = "%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<64xf32>, %d: memref<64xindex>, %k: index"
    body = """  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = memref.subview %a[%k, 2] [%c8, 16] [2, 3]
    : memref<?x?xf32, strided<[?, 1]>> to memref<?x16xf32, strided<[?, 3], offset: ?>>
  %row = memref.subview %s[3, 0] [1, 16] [1, 1]
    : memref<?x16xf32, strided<[?, 3], offset: ?>> to memref<16xf32, strided<[3], offset: ?>>
  %c16 = arith.constant 16 : index
  %j = arith.remui %t, %c16 : index
  %x = memref.load %row[%j] : memref<16xf32, strided<[3], offset: ?>>
  memref.store %x, %b[%t] : memref<64xf32>
  %n = memref.dim %s, %c0 : memref<?x16xf32, strided<[?, 3], offset: ?>>
  %m = memref.dim %a, %c1 : memref<?x?xf32, strided<[?, 1]>>
  %q = arith.andi %t, %c1 : index
  %o = memref.dim %a, %q : memref<?x?xf32, strided<[?, 1]>>
  %p = arith.muli %n, %m : index
  %r = arith.addi %p, %o : index
  memref.store %r, %d[%t] : memref<64xindex>"""
    a = np.arange(40 * 60, dtype=np.float32).reshape(40, 60)
    values = [a, np.zeros(64, np.float32), np.zeros(64, np.int64), np.int64(5)]
    _, b, d = run(text(arguments, body), values)
    expected = a[5 + 2 * 3, 2 : 2 + 48 : 3]
    assert np.array_equal(b, np.tile(expected, 4))
    assert d.tolist() == [8 * 60 + (60 if t % 2 else 40) for t in range(64)]


SHARED = "#gpu.address_space<workgroup>"


def reversal(count: int) -> str:
    """Each thread writes its element to workgroup memory and reads its mirror image after a barrier."""
    return f"""  %t = gpu.thread_id x
  %s = memref.alloc() : memref<{count}xf32, {SHARED}>
  %last = arith.constant 63 : index
  %x = memref.load %a[%t] : memref<64xf32>
  memref.store %x, %s[%t] : memref<{count}xf32, {SHARED}>
  gpu.barrier
  %j = arith.subi %last, %t : index
  %y = memref.load %s[%j] : memref<{count}xf32, {SHARED}>
  memref.store %y, %b[%t] : memref<64xf32>
  memref.dealloc %s : memref<{count}xf32, {SHARED}>"""


@pytest.mark.parametrize(("count", "dynamic"), [(64, 0), (12288, 0), (12289, 4 * 12289)])
def test_workgroup_memory(count: int, dynamic: int, build: Any, launch: Any, text: Any) -> None:
    """Static up to 48 KiB, dynamic beyond."""
    artifacts = build(text("%a: memref<64xf32>, %b: memref<64xf32>", reversal(count)))
    assert artifacts.dynamic_shared_bytes == dynamic
    assert artifacts.static_shared_bytes == (0 if dynamic else 4 * count)
    a = np.arange(64, dtype=np.float32)
    _, b = launch(artifacts, [a, np.zeros_like(a)])
    assert np.array_equal(b, a[::-1])
    assert "bar.sync" in artifacts.assembly or "barrier" in artifacts.assembly


@pytest.mark.parametrize("large", [False, True])
def test_buffers_do_not_overlap(large: bool, run: Any, text: Any) -> None:
    """Two buffers and views of bytes into a third, with one more that makes all of them dynamic."""
    extra = f"  %e = memref.alloc() : memref<{60000 if large else 16}xi8, {SHARED}>\n"
    body = f"""  %t = gpu.thread_id x
  %p = memref.alloc() : memref<65xi8, {SHARED}>
  %q = memref.alloc() {{alignment = 128 : i64}} : memref<64xi64, {SHARED}>
{extra}  %bytes = memref.alloc() : memref<1024xi8, {SHARED}>
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %u = memref.view %bytes[%c0][] : memref<1024xi8, {SHARED}> to memref<64xi64, {SHARED}>
  %c64 = arith.constant 64 : index
  %v = memref.view %bytes[%c512][%c64] : memref<1024xi8, {SHARED}> to memref<?xf32, {SHARED}>
  %i8 = arith.index_cast %t : index to i8
  %i64 = arith.index_cast %t : index to i64
  %f = arith.sitofp %i64 : i64 to f32
  memref.store %i8, %p[%t] : memref<65xi8, {SHARED}>
  memref.store %i64, %q[%t] : memref<64xi64, {SHARED}>
  memref.store %i64, %u[%t] : memref<64xi64, {SHARED}>
  memref.store %f, %v[%t] : memref<?xf32, {SHARED}>
  gpu.barrier
  %c63 = arith.constant 63 : index
  %j = arith.subi %c63, %t : index
  %a = memref.load %p[%j] : memref<65xi8, {SHARED}>
  %b = memref.load %q[%j] : memref<64xi64, {SHARED}>
  %c = memref.load %u[%j] : memref<64xi64, {SHARED}>
  %d = memref.load %v[%j] : memref<?xf32, {SHARED}>
  %wa = arith.extsi %a : i8 to i64
  %wd = arith.fptosi %d : f32 to i64
  %ab = arith.addi %wa, %b : i64
  %cd = arith.addi %c, %wd : i64
  %sum = arith.addi %ab, %cd : i64
  memref.store %sum, %out[%t] : memref<64xi64>"""
    (found,) = run(text("%out: memref<64xi64>", body), [np.zeros(64, np.int64)])
    assert found.tolist() == [4 * (63 - t) for t in range(64)]


def test_guarded_access_to_workgroup_memory(run: Any, text: Any) -> None:
    body = f"""  %t = gpu.thread_id x
  %c32 = arith.constant 32 : index
  %four = arith.constant 4 : index
  %s = memref.alloc() : memref<128xf32, {SHARED}>
  %low = arith.cmpi ult, %t, %c32 : index
  %m = vector.broadcast %low : i1 to vector<4xi1>
  %i = arith.muli %t, %four : index
  %one = arith.constant dense<1.0> : vector<4xf32>
  vector.maskedstore %s[%i], %m, %one {{alignment = 16 : i64}} : memref<128xf32, {SHARED}>, vector<4xi1>, vector<4xf32>
  gpu.barrier
  %pad = arith.constant dense<2.0> : vector<4xf32>
  %v = vector.maskedload %s[%i], %m, %pad {{alignment = 16 : i64}}
    : memref<128xf32, {SHARED}>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %v, %out[%i] : memref<256xf32>, vector<4xf32>"""
    (found,) = run(text("%out: memref<256xf32>", body), [np.zeros(256, np.float32)])
    assert np.array_equal(found, np.repeat(np.array([1, 2], np.float32), 128))
