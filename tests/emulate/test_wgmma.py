"""wgmma: every place and type of its operands, and every way to touch what it is not done with.

A kernel copies an image of shared memory from global memory, multiplies and writes the registers. Images are made row
by row as a tensor copy of the hardware places boxes (PTX ISA, "Swizzling modes"): byte b of row r at S r + b, then
swizzled.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault

Array = np.ndarray
TYPES = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2, "s8": np.int8, "u8": np.uint8,
}  # fmt: skip
MODES = {128: 1, 64: 2, 32: 3}
B_AT = 16384


def swizzled(address: Array, row: int) -> Array:
    return address ^ ((address >> 7 & {128: 7, 64: 3, 32: 1}[row]) << 4)


def boxes(matrix: Array, row: int) -> bytes:
    """[line, contiguous]: boxes of `row` bytes one after another, each of all lines."""
    size = matrix.itemsize
    lines, length = matrix.shape
    r, c = np.arange(lines)[:, None], np.arange(length)[None, :] * size
    place = c // row * (lines * row) + swizzled(r * row + c % row, row)
    out = np.zeros(matrix.nbytes, np.uint8)
    for byte in range(size):
        out[place + byte] = matrix.view(np.uint8).reshape(lines, length, size)[..., byte]
    return out.tobytes()


def descriptor(address: int, leading: int, stride: int, row: int) -> int:
    return address >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | MODES.get(row, 0) << 62


COPY = """
mov.u32 %r40, sm; mul.lo.u32 %r41, %r0, 16; mov.u32 %r42, 0;
LOOP: add.u32 %r43, %r41, %r42; cvt.u64.u32 %l1, %r43; add.u64 %l2, %q1, %l1; add.u32 %r44, %r40, %r43;
ld.global.v4.b32 {%r45, %r46, %r47, %r48}, [%l2]; st.shared.v4.b32 [%r44], {%r45, %r46, %r47, %r48};
add.u32 %r42, %r42, 2048; setp.lt.u32 %p1, %r42, 32768; @%p1 bra LOOP;
"""
VISIBLE = "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
WAIT = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"


def registers(count: int) -> str:
    return f"{{{', '.join(f'%d{i}' for i in range(count))}}}"


def kernel(bench, middle: str, count: int) -> str:
    zeros = "".join(f"mov.b32 %d{i}, 0;\n" for i in range(count))
    stores = "".join(f"st.global.b32 [%l60+{4 * i}], %d{i};\n" for i in range(count))
    lines = (
        f".reg .b32 %d<64>;\nmov.u32 %r0, %tid.x;\n{COPY}mov.u32 %r60, %r0;\nmov.pred %p2, 1;\n{zeros}{middle}"
        f"mad.wide.u32 %l60, %r60, {4 * count}, %q0;\n{stores}"
    )
    return bench.body(lines, before=".shared .align 1024 .b8 sm[32768];", parameters=2)


def run(bench, image: bytes, middle: str, count: int, threads: int = 128) -> Array:
    out = bench.upload(np.zeros((threads, count), np.uint32))
    data = bench.upload(np.frombuffer(image.ljust(32768, b"\0"), np.uint8))
    bench.launch(kernel(bench, middle, count), (1, 1, 1), (threads, 1, 1), [out, data])
    return bench.download(out, np.uint32, (threads, count))


def product(bench, shape: str, types: str, image: bytes, a: int, b: int, flags: str, count: int) -> Array:
    mma = f"wgmma.mma_async.sync.aligned.{shape}.{types} {registers(count)}, {a}, {b}, %p2{flags};\n"
    return run(bench, image, f"{VISIBLE}wgmma.fence.sync.aligned;\n{mma}{WAIT}", count)


def at(lane: int, i: int) -> tuple[int, int]:
    """PTX ISA, "Accumulator D": row and column."""
    return 16 * (lane // 32) + lane % 32 // 4 + 8 * (i // 2 % 2), 8 * (i // 4) + 2 * (lane % 4) + i % 2


def held(matrix: Array) -> Array:
    n = matrix.shape[1]
    return np.array([[matrix[at(lane, i)] for i in range(n // 2)] for lane in range(128)])


def integers(seed: int, low: int, high: int, shape: tuple[int, int], type: type) -> Array:
    return np.random.default_rng(seed).integers(low, high, shape).astype(type)


def both(a: Array, b: Array, row: int, make: Callable[[Array, int], bytes] = boxes) -> bytes:
    return make(a, row).ljust(B_AT, b"\0") + make(b, row)


KINDS = [
    ("f16", "f16", "f32", ", 1, 1, 0, 0"), ("bf16", "bf16", "f32", ", 1, 1, 0, 0"), ("tf32", "tf32", "f32", ", 1, 1"),
    ("e4m3", "e5m2", "f32", ", 1, 1"), ("s8", "u8", "s32", ""),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "d", "flags"), KINDS)
@pytest.mark.parametrize("row", MODES)
def test_both_operands_have_k_contiguous(bench, a, b, d, flags, row):
    size, n = np.dtype(TYPES[a]).itemsize, 24
    k, whole = 32 // size, 128 // size  # the second of several steps along K
    low = 0 if a == "u8" else -3
    left, right = integers(1, low, 4, (64, whole), TYPES[a]), integers(2, 0, 4, (n, whole), TYPES[b])
    step = row // 32 - 1
    inside = slice(step * k, step * k + k)
    ours, theirs = (descriptor(base + 32 * step, 0, 8 * row, row) for base in (0, B_AT))
    found = product(bench, f"m64n{n}k{k}", f"{d}.{a}.{b}", both(left, right, row), ours, theirs, flags, n // 2)
    wanted = left[:, inside].astype(np.float32) @ right[:, inside].astype(np.float32).T
    assert np.array_equal(found.view(np.int32 if d == "s32" else np.float32), held(wanted))
    assert bench.counters.matrix_instructions == 4


@pytest.mark.parametrize("row", MODES)
@pytest.mark.parametrize("type", ["f16", "bf16"])
def test_both_operands_have_rows_and_columns_contiguous(bench, type, row):
    """As many boxes as there are; the second step along K."""
    depth, n = 32, 128
    left, right = integers(3, -4, 5, (depth, 64), TYPES[type]), integers(4, -4, 5, (depth, n), TYPES[type])
    ours, theirs = (descriptor(base + 16 * row, depth * row, 8 * row, row) for base in (0, B_AT))
    image = both(left, right, row)
    found = product(bench, f"m64n{n}k16", f"f32.{type}.{type}", image, ours, theirs, ", 1, 1, 1, 1", 64)[:, :32]
    wanted = left[16:].astype(np.float32).T @ right[16:].astype(np.float32)
    assert np.array_equal(found.view(np.float32), held(wanted)[:, :32])


def test_core_matrices_without_swizzle(bench):
    """Eight rows of 16 bytes each; `leading` along K, `stride` along rows."""

    def cores(matrix: Array, _: int) -> bytes:
        rows, k = matrix.shape
        return matrix.reshape(rows // 8, 8, k // 8, 8).transpose(2, 0, 1, 3).tobytes()

    left, right = integers(5, -4, 5, (64, 16), np.float16), integers(6, -4, 5, (16, 16), np.float16)
    ours, theirs = descriptor(0, 64 * 16, 128, 0), descriptor(B_AT, 16 * 16, 128, 0)
    found = product(bench, "m64n16k16", "f32.f16.f16", both(left, right, 0, cores), ours, theirs, ", 1, 1, 0, 0", 8)
    assert np.array_equal(found.view(np.float32), held(left.astype(np.float32) @ right.astype(np.float32).T))


def test_halves_are_added_to_and_negated(bench):
    left, right = integers(7, -4, 5, (64, 64), np.float16), integers(8, -4, 5, (8, 64), np.float16)
    ours, theirs = descriptor(0, 0, 1024, 128), descriptor(B_AT, 0, 1024, 128)
    mma = f"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {registers(2)}, {ours}, {theirs}, %p2, 1, 1, 0, 0;\n"
    less = mma.replace("%p2, 1", "%p2, -1")
    twice = f"{VISIBLE}wgmma.fence.sync.aligned;\n{mma}{mma}{less}{mma}{WAIT}"
    found = run(bench, both(left, right, 128), twice, 2).view(np.float16)
    wanted = 2 * left[:, :16].astype(np.float32) @ right[:, :16].astype(np.float32).T
    assert np.array_equal(found, held(wanted))


@pytest.mark.parametrize("type", ["f16", "tf32", "e4m3"])
def test_a_from_registers(bench, type):
    """Lanes hold numbers that say which element they are: one-hot B shows its column of A."""
    size = np.dtype(TYPES[type]).itemsize
    k, count = 32 // size, 16 // size
    lane, i = np.arange(128)[:, None], np.arange(count)[None, :]
    w, g, t, each = lane // 32, lane % 32 // 4, lane % 4, 4 // size
    row = 16 * w + g + 8 * (i // each % 2)  # PTX ISA: registers alternate rows g and g + 8, then halves of K
    column = each * t + i % each + 4 * each * (i // (2 * each))
    left = integers(9, -4, 5, (64, k), TYPES[type])
    right = integers(10, -4, 5, (8, 128 // size), TYPES[type])
    image = left[row, column].tobytes().ljust(B_AT, b"\0") + boxes(right, 128)
    load = "mad.wide.u32 %l5, %r60, 16, %q1;\nld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%l5];\n"
    flags = ", 1, 1, 0" if type == "f16" else ", 1, 1"
    theirs = descriptor(B_AT, 0, 1024, 128)
    head = f"wgmma.mma_async.sync.aligned.m64n8k{k}.f32.{type}.{type}"
    mma = f"{head} {registers(4)}, {{%r10, %r11, %r12, %r13}}, {theirs}, %p2{flags};\n"
    found = run(bench, image, f"{load}{VISIBLE}wgmma.fence.sync.aligned;\n{mma}{WAIT}", 4)
    assert np.array_equal(found.view(np.float32), held(left.astype(np.float32) @ right[:, :k].astype(np.float32).T))


# ---- misuse ----

PLAIN = (
    f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {registers(4)}, {descriptor(0, 0, 1024, 128)},"
    f" {descriptor(B_AT, 0, 1024, 128)}, %p2, 1, 1, 0, 0;\n"
)
FIRST = f"{descriptor(0, 0, 1024, 128)}"
FENCE, COMMIT = "wgmma.fence.sync.aligned;\n", "wgmma.commit_group.sync.aligned;\n"
STORE = "setp.eq.u32 %p4, %r60, {};\n@%p4 st.shared.b32 [%r40], 7;\n"
FROM_REGISTERS = (
    f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {registers(4)}, {{%r45, %r46, %r47, %r48}},"
    f" {descriptor(B_AT, 0, 1024, 128)}, %p2, 1, 1, 0;\n"
)
MISUSES = {
    "a sum is read before its wait": (
        VISIBLE + FENCE + PLAIN + COMMIT + "add.u32 %r9, %d3, 1;\n" + WAIT, "in-flight", "register %d3 is read before"),
    "a sum is written before its wait": (
        VISIBLE + FENCE + PLAIN + COMMIT + "mov.b32 %d2, 0;\n" + WAIT, "in-flight", "register %d2 is written before"),
    "a wait that allows one more": (
        VISIBLE + FENCE + PLAIN + COMMIT + "wgmma.wait_group.sync.aligned 1;\n", "in-flight", "%d0 is read before"),
    "a wait without a commit": (
        VISIBLE + FENCE + PLAIN + "wgmma.wait_group.sync.aligned 0;\n", "in-flight", "%d0 is read before"),
    "no fence of registers": (VISIBLE + PLAIN + WAIT, "in-flight", "no wgmma.fence since register %d0 was written"),
    "sums overlap": (
        VISIBLE + FENCE + PLAIN + PLAIN.replace("%d3", "%d5") + WAIT, "in-flight", "some of its registers are those"),
    "A in registers is changed": (
        VISIBLE + FENCE + FROM_REGISTERS + COMMIT + "mov.b32 %r46, 0;\n" + WAIT, "in-flight", "%r46 is written before"),
    "memory is written before the wait": (
        VISIBLE + FENCE + PLAIN + COMMIT + "bar.sync 0;\n" + STORE.format(0) + WAIT, "in-flight", "that a wgmma reads"),
    "no fence of the proxy": ("bar.sync 0;\n" + FENCE + PLAIN + WAIT, "proxy", "no fence.proxy.async by lane 0"),
    "the fence of some lanes": (
        "setp.gt.u32 %p3, %r60, 1;\n@%p3 fence.proxy.async.shared::cta;\nbar.sync 0;\n" + FENCE + PLAIN + WAIT, "proxy",
        "no fence.proxy.async by lane"),
    "no barrier": ("fence.proxy.async;\n" + FENCE + PLAIN + WAIT, "race", ""),
    "lanes differ in where": (
        VISIBLE + FENCE + "cvt.u64.u32 %l7, %r60;\n" + PLAIN.replace(FIRST, "%l7") + WAIT,
        "divergent-warp-operation", "lanes have different descriptors"),
    "a pattern that begins in the middle": (
        VISIBLE + FENCE + PLAIN.replace(FIRST, f"{descriptor(128, 0, 1024, 128)}") + WAIT,
        "misaligned", "begins at a multiple of 1024"),
    "a base offset": (
        VISIBLE + FENCE + PLAIN.replace(FIRST, f"{descriptor(0, 0, 1024, 128) | 1 << 49}") + WAIT, "unsupported",
        "or a base offset"),
    "a number of groups": (FENCE + "wgmma.wait_group.sync.aligned %r9;\n", "unsupported", "a constant is expected"),
    "beyond memory": (
        VISIBLE + FENCE + PLAIN.replace(FIRST, f"{descriptor(31744, 0, 1024, 128)}") + WAIT,
        "out-of-bounds", "in a segment of 32768"),
    "another count of registers": (PLAIN.replace("%d0, ", ""), "unsupported", "other than 4 registers"),
    "a shape that is none": (PLAIN.replace("n8k16", "n8k8"), "unsupported", "m64n8k8 with types f32"),
    "transposed bytes": (
        PLAIN.replace("n8k16.f32.f16.f16", "n8k32.f32.e4m3.e4m3"), "unsupported", "with the flags [1, 1, 0, 0]"),
    "sparse": (PLAIN.replace("mma_async", "mma_async.sp"), "unsupported", "this form of wgmma"),
    "a part of the four warps": (
        "setp.lt.u32 %p3, %r60, 32;\n@%p3 ret;\n" + FENCE, "divergent-warp-operation", "has exited"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_a_fault(bench, name):
    lines, kind, words = MISUSES[name]
    with pytest.raises(EmulationFault) as caught:
        run(bench, bytes(32768), lines, 4)
    assert caught.value.kind == kind and words in str(caught.value)


def test_what_is_waited_for_may_be_touched(bench):
    lines = VISIBLE + FENCE + PLAIN + WAIT + "bar.sync 0;\n" + STORE.format(0) + FENCE + PLAIN.replace("%p2", "!%p2")
    with pytest.raises(EmulationFault, match=r"no fence\.proxy\.async"):
        run(bench, bytes(32768), lines + WAIT, 4)


def test_three_warps_are_none(bench):
    with pytest.raises(EmulationFault, match="no whole groups of four warps"):
        run(bench, bytes(32768), FENCE, 4, threads=96)
