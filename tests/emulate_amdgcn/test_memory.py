"""Every kind of memory, through LLVM: constants, private arrays and spills, buffers, generic pointers, LDS, atomics."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.faults import EmulationFault

from .support import CHIPS, WAVE64, WORKITEM, attributes

GLOBAL, SHARED, PRIVATE, CONSTANT = (f"ptr addrspace({n})" for n in (1, 3, 5, 4))
OLD_AND_NEW = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200")
FINE = "!amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0, !amdgpu.ignore.denormal.mode !0"
BARRIER = (
    'fence syncscope("workgroup") release\ncall void @llvm.amdgcn.s.barrier()\nfence syncscope("workgroup") acquire\n'
)


def kernel(parameters: str, body: str, before: str = "", threads: int = 64) -> str:
    return (
        f"{before}\n{WORKITEM}define amdgpu_kernel void @k({parameters}) #0 {{\n"
        f"%t = call i32 @llvm.amdgcn.workitem.id.x()\n{body}\nret void\n}}\n{attributes(threads)}"
    )


def out(value: str, t: str = "i32") -> str:
    return f"%po = getelementptr {t}, {GLOBAL} %out, i32 %t\nstore {t} {value}, {GLOBAL} %po"


@pytest.mark.parametrize("chip", CHIPS)
def test_constant_table(chip, compiled, bench):
    numbers = ", ".join(f"i32 {n * n}" for n in range(64))
    text = kernel(
        f"{GLOBAL} %out",
        f"%p = getelementptr [64 x i32], {CONSTANT} @table, i32 0, i32 %t\n%v = load i32, {CONSTANT} %p\n" + out("%v"),
        f"@table = internal addrspace(4) constant [64 x i32] [{numbers}]",
    )
    pointer = bench.upload(np.zeros(64, np.uint32))
    bench.launch(compiled(text, chip), (1, 1, 1), (64, 1, 1), [pointer])
    assert np.array_equal(bench.download(pointer, np.uint32, 64), np.arange(64) ** 2)


@pytest.mark.parametrize("chip", OLD_AND_NEW)
def test_private_array(chip, compiled, bench):
    body = (
        f"%s = alloca [16 x i32], addrspace(5)\n%m = and i32 %t, 15\n"
        f"%p = getelementptr [16 x i32], {PRIVATE} %s, i32 0, i32 %m\nstore volatile i32 %t, {PRIVATE} %p\n"
        f"%x = xor i32 %m, 1\n%q = getelementptr [16 x i32], {PRIVATE} %s, i32 0, i32 %x\n"
        f"store volatile i32 %n, {PRIVATE} %q\n%v = load volatile i32, {PRIVATE} %p\n"
        f"%w = load volatile i32, {PRIVATE} %q\n%y = add i32 %v, %w\n" + out("%y")
    )
    text = compiled(kernel(f"{GLOBAL} %out, i32 %n", body), chip)
    pointer = bench.upload(np.zeros(64, np.uint32))
    bench.launch(text, (1, 1, 1), (64, 1, 1), [pointer, 1000])
    assert np.array_equal(bench.download(pointer, np.uint32, 64), np.arange(64) + 1000)


@pytest.mark.parametrize("chip", OLD_AND_NEW)
def test_spills(chip, compiled, bench):
    count = 80
    lines = [
        f"%p{n} = getelementptr float, {GLOBAL} %x, i32 {64 * n}\n%q{n} = getelementptr float, {GLOBAL} %p{n}, i32 %t\n"
        f"%v{n} = load volatile float, {GLOBAL} %q{n}"
        for n in range(count)
    ]
    lines += [f"store volatile float %v{n}, {GLOBAL} %q{count - 1 - n}" for n in range(count)]
    few = '"amdgpu-waves-per-eu"="8,8"' if chip in WAVE64 else '"amdgpu-num-vgpr"="48"'
    text = kernel(f"{GLOBAL} %x", "\n".join(lines)).replace('"amdgpu-flat', f'{few} "amdgpu-flat')
    x = np.arange(64 * count, dtype=np.float32).reshape(count, 64)
    pointer = bench.upload(x)
    assembly = compiled(text, chip)
    (compiled_kernel,) = AmdgcnModule.parse(assembly).kernels.values()
    assert compiled_kernel.resources.vgpr_spills > 0
    bench.launch(assembly, (1, 1, 1), (64, 1, 1), [pointer])
    assert np.array_equal(bench.download(pointer, np.float32, x.shape), x[::-1])


RAW_BUFFER = {True: 0x00027000, False: 0x31027000}
"""Word 3 of a raw buffer's resource, by whether the chip is a CDNA: what MLIR's `amdgpu` dialect writes."""


@pytest.mark.parametrize("chip", OLD_AND_NEW)
def test_buffers_check_their_bounds(chip, compiled, bench):
    declared = (
        f"declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1({GLOBAL}, i16, i64, i32)\n"
        "declare <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8), i32, i32, i32)\n"
        "declare void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(<4 x i32>, ptr addrspace(8), i32, i32, i32)\n"
    )
    make = "call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1"
    format = RAW_BUFFER[chip in WAVE64]
    body = (
        f"%w = zext i32 %n to i64\n%r = {make}({GLOBAL} %x, i16 0, i64 %w, i32 {format})\n"
        f"%s = {make}({GLOBAL} %out, i16 0, i64 %w, i32 {format})\n%o = mul i32 %t, 16\n"
        "%v = call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %r, i32 %o, i32 0, i32 0)\n"
        "%a = add <4 x i32> %v, <i32 1, i32 1, i32 1, i32 1>\n"
        "call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(<4 x i32> %a, ptr addrspace(8) %s, i32 %o, i32 0, i32 0)"
    )
    text = compiled(kernel(f"{GLOBAL} %x, {GLOBAL} %out, i32 %n", body, declared), chip)
    x = np.arange(102, dtype=np.uint32)  # the last lane that has any has two of four
    pointer = bench.upload(np.zeros(120, np.uint32))
    bench.launch(text, (1, 1, 1), (64, 1, 1), [bench.upload(x), pointer, 4 * 102])
    expected = np.concatenate([x + 1, np.zeros(18, np.uint32)])
    assert np.array_equal(bench.download(pointer, np.uint32, 120), expected)
    if chip not in WAVE64:
        unchecked = text.replace(hex(format), hex(format & ~(3 << 28)))
        assert unchecked != text
        with pytest.raises(EmulationFault, match="not checked as a raw buffer"):
            bench.launch(unchecked, (1, 1, 1), (64, 1, 1), [bench.upload(x), pointer, 4 * 102])


@pytest.mark.parametrize("chip", OLD_AND_NEW)
def test_generic_pointers(chip, compiled, bench):
    """The same code on shared and on global memory, by lane."""
    body = (
        f"%p = getelementptr i32, {SHARED} @s, i32 %t\nstore volatile i32 7, {SHARED} %p\n"
        f"%f = addrspacecast {SHARED} %p to ptr\n%q = getelementptr i32, {GLOBAL} %out, i32 %t\n"
        f"%g = addrspacecast {GLOBAL} %q to ptr\n%b = and i32 %t, 1\n%odd = icmp eq i32 %b, 1\n"
        "%any = select i1 %odd, ptr %f, ptr %g\n%v = load volatile i32, ptr %any\n%w = add i32 %v, %t\n"
        f"store volatile i32 %w, ptr %any\n%u = load volatile i32, {SHARED} %p\n%z = mul i32 %u, 1000\n"
        f"%x = load volatile i32, {GLOBAL} %q\n%y = add i32 %x, %z\nstore i32 %y, {GLOBAL} %q"
    )
    text = compiled(kernel(f"{GLOBAL} %out", body, "@s = internal addrspace(3) global [64 x i32] undef"), chip)
    pointer = bench.upload(np.full(64, 5, np.uint32))
    bench.launch(text, (1, 1, 1), (64, 1, 1), [pointer])
    t = np.arange(64)
    expected = np.where(t % 2 == 1, 5 + 1000 * (7 + t), 5 + t + 7000)
    assert np.array_equal(bench.download(pointer, np.uint32, 64), expected)


SHARED_TYPES = {
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "half": np.dtype(np.float16),
    "bfloat": np.dtype(ml_dtypes.bfloat16),
    "double": np.dtype(np.float64),
    "<4 x i8>": np.dtype("(4,)i1"),
    "<3 x float>": np.dtype("(4,)f4"),
    "<2 x float>": np.dtype("(2,)f4"),
    "<4 x float>": np.dtype("(4,)f4"),
    "<8 x half>": np.dtype("(8,)f2"),
}


@pytest.mark.turns("chip")
@pytest.mark.parametrize("t", SHARED_TYPES)
@pytest.mark.parametrize("chip", ["gfx942", "gfx1200"])
def test_shared_accesses_of_every_width(chip, t, compiled, bench):
    body = (
        f"%p = getelementptr {t}, {GLOBAL} %out, i32 %t\n%v = load {t}, {GLOBAL} %p\n"
        f"%q = getelementptr {t}, {SHARED} @s, i32 %t\nstore {t} %v, {SHARED} %q\n{BARRIER}%o = xor i32 %t, 33\n"
        f"%r = getelementptr {t}, {SHARED} @s, i32 %o\n%w = load {t}, {SHARED} %r\nstore {t} %w, {GLOBAL} %p"
    )
    before = f"@s = internal addrspace(3) global [128 x {t}] undef\ndeclare void @llvm.amdgcn.s.barrier()"
    text = compiled(kernel(f"{GLOBAL} %out", body, before, threads=128), chip)
    size = SHARED_TYPES[t].itemsize
    data = np.random.default_rng(2).integers(0, 256, (128, size)).astype(np.uint8)
    pointer = bench.upload(data)
    bench.launch(text, (1, 1, 1), (128, 1, 1), [pointer])
    found = bench.download(pointer, np.uint8, (128, size))
    kept = 12 if t == "<3 x float>" else size
    assert np.array_equal(found[:, :kept], data[np.arange(128) ^ 33][:, :kept])


def test_dynamic_shared_memory_follows_the_static(compiled, bench):
    before = (
        "@dynamic = external addrspace(3) global [0 x i8], align 16\n"
        "@fixed = internal addrspace(3) global [64 x i32] undef"
    )
    body = (
        f"%p = getelementptr i32, {SHARED} @fixed, i32 %t\nstore volatile i32 %t, {SHARED} %p\n"
        f"%q = getelementptr i32, {SHARED} @dynamic, i32 %t\nstore volatile i32 100, {SHARED} %q\n"
        f"%v = load volatile i32, {SHARED} %p\n%w = load volatile i32, {SHARED} %q\n%x = add i32 %v, %w\n" + out("%x")
    )
    text = compiled(kernel(f"{GLOBAL} %out", body, before), "gfx942")
    pointer = bench.upload(np.zeros(64, np.uint32))
    bench.launch(text, (1, 1, 1), (64, 1, 1), [pointer], dynamic_shared_bytes=256)
    assert np.array_equal(bench.download(pointer, np.uint32, 64), np.arange(64) + 100)
    with pytest.raises(EmulationFault) as caught:
        bench.launch(text, (1, 1, 1), (64, 1, 1), [pointer], dynamic_shared_bytes=128)
    assert caught.value.kind == "out-of-bounds"


ATOMICS = {
    "add": lambda old, values: old + values.sum(),
    "sub": lambda old, values: old - values.sum(),
    "and": lambda old, values: np.bitwise_and.reduce(np.append(values, old)),
    "or": lambda old, values: np.bitwise_or.reduce(np.append(values, old)),
    "xor": lambda old, values: np.bitwise_xor.reduce(np.append(values, old)),
    "max": lambda old, values: max(old, values.max()),
    "umin": lambda old, values: min(old, values.min()),
    "fadd": lambda old, values: old + values.sum(),
    "fmax": lambda old, values: max(old, values.max()),
}
NUMBERS = {"i32": np.int32, "i64": np.int64, "float": np.float32, "double": np.float64}
ATOMIC_CASES = [(op, t) for op in ATOMICS for t in NUMBERS if op.startswith("f") == (t in ("float", "double"))]


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("op", "t"), ATOMIC_CASES)
@pytest.mark.parametrize("chip", ["gfx90a", "gfx1030", "gfx1200"])
def test_atomics(chip, op, t, compiled, bench):
    """All lanes on one global and one shared cell; the values before are a permutation of partial results."""
    dtype = NUMBERS[t]
    rest = FINE if op.startswith("f") else "!amdgpu.no.fine.grained.memory !0"
    body = (
        f"%c = icmp eq i32 %t, 0\nbr i1 %c, label %set, label %go\nset:\nstore {t} %start, {SHARED} @s\nbr label %go\n"
        f"go:\n{BARRIER}%pv = getelementptr {t}, {GLOBAL} %values, i32 %t\n%v = load {t}, {GLOBAL} %pv\n"
        f'%g = atomicrmw {op} {GLOBAL} %out, {t} %v syncscope("agent") monotonic, {rest}\n'
        f'%l = atomicrmw {op} {SHARED} @s, {t} %v syncscope("workgroup") monotonic\n{BARRIER}'
        f"%final = load {t}, {SHARED} @s\n%po = getelementptr {t}, {GLOBAL} %out, i32 1\n"
        f"store {t} %final, {GLOBAL} %po\nstore {t} %g, {GLOBAL} %pv"
    )
    before = f"@s = internal addrspace(3) global {t} undef\n!0 = !{{}}\ndeclare void @llvm.amdgcn.s.barrier()"
    text = compiled(kernel(f"{GLOBAL} %values, {GLOBAL} %out, {t} %start", body, before, threads=96), chip)
    start = dtype(21)
    values = np.random.default_rng(4).integers(1, 1000, 96).astype(dtype)
    pointer, result = bench.upload(values), bench.upload(np.array([start, 0], dtype))
    bits = int(np.array(start).view(f"u{start.itemsize}"))
    bench.launch(text, (1, 1, 1), (96, 1, 1), [pointer, result, bits])
    expected = ATOMICS[op](start, values)
    assert np.array_equal(bench.download(result, dtype, 2), np.array([expected, expected]).astype(dtype))
    assert start in bench.download(pointer, dtype, 96)


@pytest.mark.parametrize("chip", ["gfx942", "gfx1030", "gfx1200"])
@pytest.mark.parametrize("space", [GLOBAL, SHARED])
def test_compare_and_swap(chip, space, compiled, bench):
    """One lane of all wins; in shared memory the operands stand in another order before gfx11."""
    place = "%out" if space == GLOBAL else "@s"
    body = (
        f"store i32 5, {SHARED} @s\n%n = add i32 %t, 100\n"
        f'%o = cmpxchg {space} {place}, i32 5, i32 %n syncscope("agent") monotonic monotonic\n'
        f"%old = extractvalue {{ i32, i1 }} %o, 0\n%p = getelementptr i32, {GLOBAL} %out, i32 %n\n"
        f"store i32 %old, {GLOBAL} %p"
    )
    text = compiled(kernel(f"{GLOBAL} %out", body, "@s = internal addrspace(3) global i32 undef"), chip)
    pointer = bench.upload(np.full(200, 5, np.uint32))
    bench.launch(text, (1, 1, 1), (32, 1, 1), [pointer])
    found = bench.download(pointer, np.uint32, 200)[100:132]
    assert found[0] == 5
    assert (found[1:] == 100).all()


@pytest.mark.parametrize("checks", [True, False])
def test_grid_and_block_of_three_dimensions(checks, compiled, bench):
    """Ids of all axes arrive: in registers, packed, or in trap temporaries."""
    body = "\n".join(
        f"%{kind}{a} = call i32 @llvm.amdgcn.{word}.id.{a}()"
        for kind, word in (("i", "workitem"), ("g", "workgroup"))
        for a in "xyz"
    )
    body += (
        "\n%a = mul i32 %iz, 3\n%b = add i32 %a, %iy\n%c = mul i32 %b, 5\n%d = add i32 %c, %ix\n%e = mul i32 %gz, 2\n"
        "%f = add i32 %e, %gy\n%h = mul i32 %f, 3\n%j = add i32 %h, %gx\n%k = mul i32 %j, 30\n%l = add i32 %k, %d\n"
        f"%p = getelementptr i32, {GLOBAL} %out, i32 %l\nstore i32 %l, {GLOBAL} %p"
    )
    declared = "\n".join(
        f"declare i32 @llvm.amdgcn.{word}.id.{a}()" for word in ("workitem", "workgroup") for a in "yz"
    )
    for chip in CHIPS:
        text = kernel(f"{GLOBAL} %out", body, declared).replace('"amdgpu-no-workitem-id-y"', "")
        text = compiled(text.replace('"amdgpu-no-workitem-id-z"', ""), chip)
        pointer = bench.upload(np.full(360, 9999, np.uint32))
        bench.launch(text, (3, 2, 2), (5, 3, 2), [pointer], checks=checks)
        assert np.array_equal(bench.download(pointer, np.uint32, 360), np.arange(360))
