"""tcgen05: every shape that moves data, what instruction descriptors say, and every way to touch what is under way.

A kernel of four warps copies an image into shared memory, allocates columns, does what a test says and gives them
back. Images are made row by row as "Swizzling modes" of the PTX ISA has it; where elements are in tensor memory is
written from its figures ("Data path layout organization", "Matrix fragments for shape ...").
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault

from .test_wgmma import B_AT, boxes, integers

Array = np.ndarray
KINDS = {"f16": "f16", "bf16": "f16", "tf32": "tf32", "e4m3": "f8f6f4", "e5m2": "f8f6f4", "s8": "i8", "u8": "i8"}
MODES = {128: 2, 64: 4, 32: 6, 0: 0}
FACTORS = {"f16": 0, "bf16": 1, "tf32": 2, "e4m3": 0, "e5m2": 1, "u8": 0, "s8": 1}
SUMS = {"f16": 0, "f32": 1, "s32": 2}


def matrix(address: int, stride: int, row: int, leading: int = 16) -> int:
    """A shared memory descriptor."""
    return address >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | MODES[row] << 61


def types(a: str, b: str, d: str, n: int, m: int = 128, more: int = 0) -> int:
    """An instruction descriptor."""
    return SUMS[d] << 4 | FACTORS[a] << 7 | FACTORS[b] << 10 | n >> 3 << 17 | m >> 4 << 24 | more


COPY = """
mov.u32 %r40, sm; mul.lo.u32 %r41, %r0, 16; mov.u32 %r42, 0;
LOOP: add.u32 %r43, %r41, %r42; cvt.u64.u32 %l1, %r43; add.u64 %l2, %q1, %l1; add.u32 %r44, %r40, %r43;
ld.global.v4.b32 {%r45, %r46, %r47, %r48}, [%l2]; st.shared.v4.b32 [%r44], {%r45, %r46, %r47, %r48};
add.u32 %r42, %r42, 2048; setp.lt.u32 %p1, %r42, 32768; @%p1 bra LOOP;
"""
SHARED = ".shared .align 1024 .b8 sm[32768];\n.shared .align 8 .b64 bar[2];\n.shared .align 4 .b32 slot[2];"
FENCED = "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
TAKE = "@!%p8 bra TAKEN; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 64;\nTAKEN:\n"
BEGIN = f"""
mov.u32 %r0, %tid.x; mov.b32 %d0, 0; {COPY}
setp.eq.u32 %p7, %r0, 0; setp.lt.u32 %p8, %r0, 32; mov.pred %p5, 0; mov.pred %p4, 1;
{TAKE}
@%p7 mbarrier.init.shared.b64 [bar], 1; @%p7 mbarrier.init.shared.b64 [bar+8], 1;
fence.proxy.async.shared::cta;
{FENCED}
ld.shared.b32 %r50, [slot]; shr.u32 %r52, %r0, 5; shl.b32 %r52, %r52, 21; add.u32 %r51, %r50, %r52;
"""
GIVE = "@!%p8 bra GIVEN; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r50, 64;\nGIVEN:\n"
END = f"{FENCED}{GIVE}"
AFTER = "tcgen05.fence::after_thread_sync;\n"
COMMIT = "@%p7 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
WAIT = "W: mbarrier.try_wait.parity.shared.b64 %p6, [bar], 0; @!%p6 bra W;\n"
WAIT_LD, WAIT_ST = "tcgen05.wait::ld.sync.aligned;\n", "tcgen05.wait::st.sync.aligned;\n"
LD = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d0}, [%r51];\n"
ST = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r51], {%r0};\n"


def listed(count: int) -> str:
    return f"{{{', '.join(f'%d{n}' for n in range(count))}}}"


def run(bench, image: bytes, middle: str, count: int = 1, begin: str = BEGIN, end: str = END, **options) -> Array:
    """[thread, register] of %d0 and so on at the end."""
    stores = "".join(f"st.global.b32 [%l60+{4 * n}], %d{n};\n" for n in range(count))
    lines = f".reg .b32 %d<130>;\n{begin}{middle}mad.wide.u32 %l60, %r0, {4 * count}, %q0;\n{stores}{end}"
    out = bench.upload(np.zeros((128, count), np.uint32))
    data = bench.upload(np.frombuffer(image.ljust(32768, b"\0"), np.uint8))
    text = bench.body(lines, before=SHARED, parameters=2)
    bench.launch(text, (1, 1, 1), (128, 1, 1), [out, data], **options)
    return bench.download(out, np.uint32, (128, count))


def mma(kind: str, bits: int, a: int, b: int, adds: str = "%p5", flags: str = "", d: str = "%r50") -> str:
    return f"@%p7 tcgen05.mma.cta_group::1.kind::{kind} [{d}], {a}, {b}, {bits}, {adds}{flags};\n"


def read(count: int, shape: str = "32x32b", place: str = "%r51") -> str:
    return f"tcgen05.ld.sync.aligned.{shape}.x{count}.b32 {listed(count)}, [{place}];\n{WAIT_LD}"


LEFT, RIGHT = integers(1, -4, 5, (128, 64), np.float16), integers(2, -4, 5, (16, 64), np.float16)
IMAGE = boxes(LEFT, 128) + boxes(RIGHT, 128)
OURS, THEIRS = matrix(0, 1024, 128), matrix(B_AT, 1024, 128)
PLAIN = types("f16", "f16", "f32", 16)
STEP = LEFT[:, :16].astype(np.float64) @ RIGHT[:, :16].astype(np.float64).T
SEEN = COMMIT + WAIT + AFTER


def result(bench, middle: str, image: bytes = IMAGE, columns: int = 16) -> Array:
    return run(bench, image, middle + SEEN + read(columns), columns)


# ---- products ----


def test_sums_chain_without_a_wait(bench):
    first, more = mma("f16", PLAIN, OURS, THEIRS), mma("f16", PLAIN, OURS, THEIRS, "%p4")
    assert np.array_equal(result(bench, first + more + more).view(np.float32), 3 * STEP)
    assert bench.counters.matrix_instructions == 3
    assert bench.counters.matrix_flops == 3 * 2 * 128 * 16 * 16


def test_matrices_are_negated(bench):
    for more, sign in ((1 << 13, -1), (1 << 14, -1), (3 << 13, 1)):
        found = result(bench, mma("f16", PLAIN | more, OURS, THEIRS))
        assert np.array_equal(found.view(np.float32), sign * STEP)


def test_what_is_added_to_is_scaled(bench):
    """`scale-input-d`: D is divided by two so many times first."""
    scaled = mma("f16", PLAIN, OURS, THEIRS, "%p4", ", 3")
    found = result(bench, mma("f16", PLAIN, OURS, THEIRS) + scaled)
    assert np.array_equal(found.view(np.float32), STEP + STEP / 8)


def test_lanes_are_disabled(bench):
    """Bit l of the four words: lane l keeps what it has."""
    first = mma("f16", PLAIN, OURS, THEIRS)
    masked = first.replace(", %p5", ", {%r53, %r54, %r55, %r56}, %p4")
    words = "mov.b32 %r53, 1; mov.b32 %r54, 0; mov.b32 %r55, 0; mov.b32 %r56, 2147483648;\n"
    found = result(bench, words + first + masked).view(np.float32)
    wanted = 2 * STEP
    wanted[[0, 127]] /= 2
    assert np.array_equal(found, wanted)


def test_sums_of_halves_have_a_column_each(bench):
    """`pack::16b` takes two of them into a register."""
    bits = types("f16", "f16", "f16", 16)
    found = result(bench, mma("f16", bits, OURS, THEIRS))
    assert np.array_equal(found.astype(np.uint16).view(np.float16), STEP)
    packed = f"tcgen05.ld.sync.aligned.32x32b.x8.pack::16b.b32 {listed(8)}, [%r51];\n{WAIT_LD}"
    pairs = run(bench, IMAGE, mma("f16", bits, OURS, THEIRS) + SEEN + packed, 8)
    assert np.array_equal(pairs.view(np.float16), STEP)


@pytest.mark.parametrize("half", [0, 16])
def test_sixty_four_rows(bench, half):
    """Layout F: sixteen rows in each warp's lanes, in their lower or upper half."""
    bits = types("f16", "f16", "f32", 8, 64)
    place = f"add.u32 %r53, %r50, {half << 16}; add.u32 %r54, %r51, {half << 16};\n"
    found = run(
        bench, IMAGE, place + mma("f16", bits, OURS, THEIRS, d="%r53") + SEEN + read(8, "16x64b", "%r54")
        .replace("x8.", "x4.").replace(listed(8), listed(4)), 4,
    )  # fmt: skip
    wanted = STEP[:64, :8]
    for thread in range(128):
        warp, lane = divmod(thread, 32)
        rows = 16 * warp + lane // 4 + 8 * (lane % 2)
        assert found[thread].view(np.float32).tolist() == [wanted[rows, lane // 2 % 2 + 2 * r] for r in range(4)]


def test_integers_wrap_or_saturate(bench):
    """2^31 - 1 and more: D holds 2^31 - 1 - 7 in each place."""
    left, right = integers(3, 1, 2, (128, 128), np.int8), integers(4, 1, 2, (16, 128), np.int8)
    start = "mov.b32 %d0, 2147483640;\n" + "".join(
        f"add.u32 %r53, %r51, {n}; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r53], {{%d0}};\n" for n in range(16)
    )
    for more, wanted in ((0, np.int32(-(2**31)) + 24), (1 << 3, 2**31 - 1)):
        added = mma("i8", types("s8", "s8", "s32", 16, more=more), OURS, THEIRS, "%p4")
        found = result(bench, start + WAIT_ST + FENCED + added, boxes(left, 128) + boxes(right, 128))
        assert (found.view(np.int32) == wanted).all()


# ---- moves ----

SHAPES: dict[str, tuple[int, int, int, Callable[[int, int], tuple[int, int]]]] = {
    "32x32b": (32, 1, 1, lambda t, r: (t, r)),
    "16x64b": (16, 2, 1, lambda t, r: (t // 4 + 8 * (t % 2), t // 2 % 2 + 2 * r)),
    "16x128b": (16, 4, 2, lambda t, r: (t // 4 + 8 * (r % 2), t % 4 + 4 * (r // 2))),
    "16x256b": (16, 8, 4, lambda t, r: (t // 4 + 8 * (r // 2 % 2), r % 2 + 2 * (t % 4) + 8 * (r // 4))),
}
"""Lanes, columns and registers of one repetition; where thread t has register r."""


@pytest.mark.parametrize("shape", SHAPES)
def test_registers_move_to_tensor_memory_and_back(bench, shape):
    """Written with `shape`, read row by row, and the other way round."""
    lanes, columns, each, place = SHAPES[shape]
    times = 32 // columns
    count = times * each
    numbers = "".join(f"mad.lo.u32 %d{n}, %r0, 1000, {n + 1};\n" for n in range(count))
    blank = "".join(f"mov.b32 %d{n}, 0;\n" for n in range(32))
    clear = f"{blank}tcgen05.st.sync.aligned.32x32b.x32.b32 [%r51], {listed(32)};\n{WAIT_ST}"
    upper = f"add.u32 %r53, %r51, {(32 - lanes) << 16};\n"
    out = f"tcgen05.st.sync.aligned.{shape}.x{times}.b32 [%r53], {listed(count)};\n{WAIT_ST}"
    wanted = np.zeros((4, 32, 32), np.uint32)
    for thread in range(128):
        for r in range(count):
            lane, column = place(thread % 32, r)
            wanted[thread // 32, lane + 32 - lanes, column] = 1000 * thread + r + 1
    found = run(bench, b"", clear + upper + numbers + out + read(32), 32)
    assert np.array_equal(found.reshape(4, 32, 32), wanted)
    rows = "".join(f"mad.lo.u32 %d{n}, %r0, 1000, {n + 1};\n" for n in range(32))
    filled = f"{rows}tcgen05.st.sync.aligned.32x32b.x32.b32 [%r51], {listed(32)};\n{WAIT_ST}{upper}"
    taken = f"tcgen05.ld.sync.aligned.{shape}.x{times}.b32 {listed(count)}, [%r53];\n{WAIT_LD}"
    found = run(bench, b"", filled + taken, count)
    for thread in range(128):
        for r in range(count):
            lane, column = place(thread % 32, r)
            assert found[thread, r] == 1000 * (thread // 32 * 32 + lane + 32 - lanes) + column + 1


def test_halves_are_unpacked(bench):
    packed = "mov.b32 %d0, 131073; tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%r51], {%d0};\n"
    assert (run(bench, b"", packed + WAIT_ST + read(2), 2) == [1, 2]).all()


COPIES: dict[str, tuple[int, int, Callable[[int], list[int]]]] = {
    "128x256b": (128, 8, lambda row: [row]),
    "4x256b": (4, 8, lambda row: [32 * row]),
    "128x128b": (128, 4, lambda row: [row]),
    "64x128b.warpx2::02_13": (64, 4, lambda row: [row, row + 64]),
    "64x128b.warpx2::01_23": (64, 4, lambda row: [row + 32 * (row // 32), row + 32 * (row // 32) + 32]),
    "32x128b.warpx4": (32, 4, lambda row: [row, row + 32, row + 64, row + 96]),
}
"""Rows, words of a row, lanes of a row."""


@pytest.mark.parametrize("shape", COPIES)
@pytest.mark.parametrize("width", [128, 32])
def test_copies(bench, shape, width):
    rows, words, lanes = COPIES[shape]
    source = np.arange(128 * width // 4, dtype=np.uint32).reshape(128, width // 4) + 1
    blank = "mov.b32 %d0, 0;\n" + "".join(
        f"add.u32 %r53, %r51, {n}; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r53], {{%d0}};\n" for n in range(8)
    )
    copy = f"@%p7 tcgen05.cp.cta_group::1.{shape} [%r50], {matrix(0, 8 * width, width)};\n"
    found = run(bench, boxes(source, width), blank + WAIT_ST + FENCED + copy + SEEN + read(8), 8)
    wanted = np.zeros((128, 8), np.uint32)
    for row in range(rows):
        for lane in lanes(row):
            wanted[lane, :words] = source[row, :words]
    assert np.array_equal(found, wanted)


def test_a_product_of_what_is_copied_needs_no_wait(bench):
    """A's rows of 32 bytes go to tensor memory, eight columns; `cp` and `mma` of a thread are executed in turn."""
    copy = f"@%p7 tcgen05.cp.cta_group::1.128x256b [%r53], {OURS};\n"
    held = mma("f16", PLAIN, 0, THEIRS).replace("], 0,", "], [%r53],")
    found = result(bench, "add.u32 %r53, %r50, 32;\n" + copy + held)
    assert np.array_equal(found.view(np.float32), STEP)


# ---- misuse ----

MMA = mma("f16", PLAIN, OURS, THEIRS)
STORE = "setp.eq.u32 %p3, %r0, {};\n@%p3 st.shared.b32 [sm], 7;\n"
ONE_WAITS = "setp.gt.u32 %p3, %r0, 31; @%p3 bra PAST;\n" + WAIT + "PAST:\n"
HELD = MMA.replace(f"{OURS}", "[%r53]")
FILL = "add.u32 %r53, %r50, 32; add.u32 %r54, %r51, 32;\n" + (
    f"tcgen05.st.sync.aligned.32x32b.x8.b32 [%r54], {{{', '.join(['%r0'] * 8)}}};\n"
)
NO_FENCE = BEGIN.replace("fence.proxy.async.shared::cta;\n", "")
KERNELS: dict[str, tuple[str, str, str]] = {
    "sums are read before a commit is waited for": (
        MMA + COMMIT + AFTER + LD + WAIT_LD, "in-flight", "nobody has waited for a commit of it"),
    "sums are read and no commit is made": (MMA + AFTER + LD + WAIT_LD, "in-flight", "nobody has waited"),
    "a wait without a commit": (MMA + WAIT, "deadlock", "128 threads wait at line"),
    "no fence after the wait": (
        MMA + COMMIT + WAIT + LD + WAIT_LD, "in-flight", "no tcgen05.fence::after_thread_sync since the wait"),
    "another warp waits": (
        MMA + COMMIT + ONE_WAITS + AFTER + LD + WAIT_LD, "in-flight", "its end was seen by another warp"),
    "another warp waits, and no fence follows the barrier": (
        MMA + COMMIT + ONE_WAITS.replace("PAST:", AFTER + "PAST:") + "bar.sync 0;\n" + LD + WAIT_LD, "in-flight",
        "its end was seen by another warp"),
    "sums are written before the wait": (MMA + ST + WAIT_ST, "in-flight", "lane 0, column 0"),
    "shared memory is written before the wait": (
        MMA + COMMIT + "bar.sync 0;\n" + STORE.format(64), "in-flight", "for whose commit nobody has waited"),
    "shared memory is written by who has not waited": (
        MMA + COMMIT + "bar.sync 0;\n" + ONE_WAITS + STORE.format(64), "in-flight",
        "for whose commit the thread has not waited"),
    "a register is read before its load is waited for": (
        ST + WAIT_ST + LD + "add.u32 %r9, %d0, 1;\n" + WAIT_LD, "in-flight", "register %d0 is read before the wait"),
    "a register is written before its load is waited for": (
        ST + WAIT_ST + LD + "mov.b32 %d0, 0;\n" + WAIT_LD, "in-flight", "register %d0 is written before the wait"),
    "a register is loaded twice": (
        ST + WAIT_ST + LD + LD + WAIT_LD, "in-flight", "register %d0 is written before the wait"),
    "a store is not waited for": (ST + LD + WAIT_LD, "in-flight", "no tcgen05.wait::st since"),
    "a load is not waited for": (
        ST + WAIT_ST + LD + ST + WAIT_LD + WAIT_ST, "in-flight", "no tcgen05.wait::ld since"),
    "sums are loaded, then overwritten by a product": (
        ST + WAIT_ST + LD + FENCED + MMA + WAIT_LD, "in-flight", "no tcgen05.wait::ld since"),
    "A is stored and nothing orders the product": (
        FILL + WAIT_ST + "bar.sync 0;\n" + HELD, "in-flight", "its end was seen by another warp"),
    "A is stored, and no fence stands before the barrier": (
        FILL + WAIT_ST + "bar.sync 0;\n" + AFTER + HELD, "in-flight", "fence::before_thread_sync"),
    "products of two shapes into the same sums": (
        MMA + mma("f16", types("f16", "f16", "f32", 32), OURS, THEIRS), "in-flight", "while the tcgen05.mma of line"),
    "a copy over what a product reads": (
        FILL + WAIT_ST + FENCED + HELD + f"@%p7 tcgen05.cp.cta_group::1.128x128b [%r53], {OURS};\n", "in-flight",
        "lane 0, column 32 of tensor memory is touched while the tcgen05.mma"),
    "a product by another thread that nothing orders": (
        MMA + "setp.eq.u32 %p7, %r0, 32;\n" + MMA, "in-flight", "nobody has waited for a commit of it"),
    "columns are given back while a product has them": (MMA + GIVE, "in-flight", "whose end the warp has not seen"),
    "a warp reads other lanes than its own": (
        MMA + SEEN + LD.replace("%r51", "%r50") + WAIT_LD, "tensor-memory",
        "warp 1 reaches lanes 32 to 63 of tensor memory, found 32 from 0 on"),
    "half a warp's lanes that do not begin there": (
        "add.u32 %r53, %r51, 524288;\n" + read(1, "16x64b", "%r53"), "tensor-memory", "found 16 from 8 on"),
    "lanes have different addresses": (
        "add.u32 %r53, %r51, %r0;\n" + read(1, place="%r53"), "divergent-warp-operation", "different addresses"),
    "columns that are not allocated": (
        read(128), "tensor-memory", "uses column 64, which is not allocated"),
    "columns that there are not": (
        "add.u32 %r53, %r51, 500;\n" + read(16, place="%r53"), "tensor-memory", "has 128 lanes and 512 columns"),
    "sums beyond what is allocated": (
        mma("f16", types("f16", "f16", "f32", 80), OURS, OURS), "tensor-memory", "uses column 64"),
    "columns that were given back": (
        GIVE + FENCED + LD + WAIT_LD, "tensor-memory", "uses column 0, which the dealloc of line"),
    "columns are given back twice": (
        GIVE + GIVE.replace("GIVEN", "AGAIN"), "tensor-memory", "gives columns back from 0 on, which the dealloc of"),
    "other columns are given back": (
        GIVE.replace("64", "32"), "tensor-memory", "gives 32 columns back where 64 were allocated"),
    "columns are taken that there are not": (
        TAKE.replace("TAKEN", "AGAIN").replace("64", "512"), "deadlock",
        "32 threads wait at line 33 for columns of tensor memory"),
    "columns are no power of two": (
        TAKE.replace("TAKEN", "AGAIN").replace("64", "96"), "tensor-memory", "found 96"),
    "columns are taken after the permit was given up": (
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + TAKE.replace("TAKEN", "AGAIN"),
        "tensor-memory", "has given up the permit to allocate"),
    "what nobody has written is read": (
        read(1), "uninitialised", "read of tensor memory that nobody has written: lane 0, column 0"),
    "what nobody has written is added to": (
        mma("f16", PLAIN, OURS, THEIRS, "%p4"), "uninitialised", "lane 0, column 0"),
    "A in tensor memory was never written": (
        "add.u32 %r53, %r50, 32;\n" + HELD, "uninitialised", "lane 0, column 32"),
    "sums that begin in a lane": (
        "add.u32 %r53, %r50, 65536;\n" + mma("f16", PLAIN, OURS, THEIRS, d="%r53"), "tensor-memory",
        "128 rows begin in lane 0, found 1"),
    "a descriptor of the generation before": (
        mma("f16", PLAIN, OURS ^ 1 << 46, THEIRS), "unsupported", "with 0 in bits 46 to 48"),
    "a base offset": (mma("f16", PLAIN, OURS | 1 << 49, THEIRS), "unsupported", "with a base offset"),
    "a swizzle mode of other pieces": (
        mma("f16", PLAIN, matrix(0, 1024, 0) | 1 << 61, THEIRS), "unsupported", "swizzle mode 1"),
    "a pattern that begins in the middle": (
        mma("f16", PLAIN, matrix(128, 1024, 128), THEIRS), "misaligned", "begins at a multiple of 1024"),
    "beyond shared memory": (
        mma("f16", PLAIN, matrix(31744, 1024, 128), THEIRS), "out-of-bounds", "in a segment of"),
    "sixty-four rows of an A in tensor memory": (
        "add.u32 %r53, %r50, 32;\n" + HELD.replace(str(PLAIN), str(types("f16", "f16", "f32", 16, 64))), "unsupported",
        "64 rows with A in tensor memory"),
    "a sparse A": (mma("f16", PLAIN | 4, OURS, THEIRS), "unsupported", "a sparse A"),
    "reserved bits": (mma("f16", PLAIN | 64, OURS, THEIRS), "unsupported", "bits that have no meaning"),
    "types that do not go together": (
        mma("f16", types("f16", "bf16", "f32", 16), OURS, THEIRS),
        "unsupported",
        "f16 by bf16 with accumulators of f32",
    ),
    "types of another kind": (mma("i8", PLAIN, OURS, THEIRS), "unsupported", "types 0, 0 and 1 of A, B and D"),
    "a width that is none": (
        mma("f16", types("f16", "f16", "f32", 24), OURS, THEIRS), "unsupported", "128 rows and 24 columns"),
    "transposed bytes": (
        mma("i8", types("s8", "s8", "s32", 16, more=1 << 15), OURS, THEIRS), "unsupported",
        "a transposed matrix of s8"),
    "two workgroups": (MMA.replace("group::1", "group::2"), "unsupported", "this form of tcgen05.mma"),
    "block scales": (
        MMA.replace("kind::f16", "kind::mxf4.block_scale"), "unsupported", "this form of tcgen05.mma"),
    "another instruction": (
        "@%p7 tcgen05.shift.cta_group::1.down [%r50];\n", "unsupported", "this form of tcgen05.shift"),
    "another count of registers": (
        LD.replace("x1", "x2"), "unsupported", "tcgen05.ld of 1 registers"),
    "a part of the warp": (
        "setp.gt.u32 %p3, %r0, 100; @%p3 ret;\n" + ST, "divergent-warp-operation", "has exited"),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_misuse_is_a_fault(bench, name):
    lines, kind, words = KERNELS[name]
    with pytest.raises(EmulationFault) as caught:
        run(bench, IMAGE, lines)
    assert (caught.value.kind, words in str(caught.value)) == (kind, True), str(caught.value)
    assert caught.value.line and caught.value.instruction


def test_columns_must_be_given_back(bench):
    with pytest.raises(EmulationFault, match="nobody gives these 64 columns of tensor memory back") as caught:
        run(bench, IMAGE, "mov.b32 %d0, 0;\n", end="")
    assert caught.value.kind == "tensor-memory" and "tcgen05.alloc" in str(caught.value)


def test_what_threads_wrote_needs_a_fence_of_the_proxy(bench):
    with pytest.raises(EmulationFault, match=r"no fence\.proxy\.async by lane"):
        run(bench, IMAGE, MMA + SEEN + LD + WAIT_LD, begin=NO_FENCE)


GOOD = {
    "each warp waits": MMA + COMMIT + WAIT + AFTER + LD + WAIT_LD,
    "one warp waits, and a barrier follows": MMA + COMMIT + ONE_WAITS + "bar.sync 0;\n" + AFTER + LD + WAIT_LD,
    "shared memory is written after a wait": MMA + COMMIT + WAIT + STORE.format(64) + AFTER + LD + WAIT_LD,
    "shared memory is written after another's wait and a barrier":
        MMA + COMMIT + ONE_WAITS + "bar.sync 0;\n" + STORE.format(64) + AFTER + LD + WAIT_LD,
    "A is stored before": FILL + WAIT_ST + FENCED + HELD + SEEN + LD + WAIT_LD,
    "two loads at once": ST + WAIT_ST + LD + LD.replace("%d0", "%d1") + WAIT_LD,
    "loaded sums are overwritten": MMA + SEEN + LD + WAIT_LD + FENCED + MMA + COMMIT.replace(
        "[bar]", "[bar+8]") + WAIT.replace("W", "V").replace("[bar]", "[bar+8]").replace("VAIT", "WAIT") + AFTER,
    "columns are taken again":
        GIVE + "bar.sync 0;\n" + TAKE.replace("TAKEN", "AGAIN") + FENCED + ST + WAIT_ST + LD + WAIT_LD,
    "a warp waits for columns that another gives back":
        "setp.ge.u32 %p3, %r0, 64; setp.ge.u32 %p2, %r0, 32; setp.lt.u32 %p9, %r0, 64; and.pred %p2, %p2, %p9;\n"
        "@!%p2 bra PAST; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot+4], 512;\n"
        "bar.warp.sync -1; ld.shared.b32 %r53, [slot+4];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r53, 512;\nPAST:\n"
        + GIVE + "bar.sync 0;\n" + TAKE.replace("TAKEN", "AGAIN") + FENCED + ST + WAIT_ST + LD + WAIT_LD,
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_what_is_in_order_is_no_fault(bench, name):
    run(bench, IMAGE, GOOD[name])
