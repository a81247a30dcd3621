"""Products of what lanes hold, in Python: the instruction that was meant, the text's machine code, numpy's numbers."""

from __future__ import annotations

from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import ml_dtypes
import numpy as np
import pytest
from lanewise.support.diagnostics import LanewiseError

from ..codegen.sparse_programs import chosen, whole
from ..examples import is_thorough
from .test_examples import instructions

RNG = np.random.default_rng(8)
E8M0 = ml_dtypes.float8_e8m0fnu
Words = Annotated[lw.Array, lw.u32[64]]
Bytes = Annotated[lw.Array, lw.i8[64, 4]]
Sums = Annotated[lw.Array, lw.i32[64]]


@lanewise.kernel(workgroup=64, scope="thread")
def packed(a: Words, b: Bytes, c: Sums) -> None:
    t = lw.thread_id()
    c[t] = lw.dp4a(a[t], b[t, :], c[t])


PACKED = """
gpu.func @packed(%a: memref<64xi32>, %b: memref<64x4xi8>, %c: memref<64xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i8
  %t = gpu.thread_id x
  %word = memref.load %a[%t] : memref<64xi32>
  %right = vector.transfer_read %b[%t, %c0], %pad {in_bounds = [true]} : memref<64x4xi8>, vector<4xi8>
  %before = memref.load %c[%t] : memref<64xi32>
  %one = vector.broadcast %word : i32 to vector<1xi32>
  %left = vector.bitcast %one : vector<1xi32> to vector<4xi8>
  %sum = lanewise.dot(%left, %right, %before) {unsignedA} : (vector<4xi8>, vector<4xi8>, i32) -> i32
  memref.store %sum, %c[%t] : memref<64xi32>
  gpu.return
}
"""


@pytest.mark.parametrize(("target", "instruction"), [("sm_90a", "dp4a.u32.s32"), ("gfx1100", "v_dot4")])
def test_bytes_in_a_word(target: str, instruction: str) -> None:
    compiled = packed.compile(lw.u32[64], lw.i8[64, 4], lw.i32[64], target=target, device="emulated")
    assert instruction in compiled.assembly
    text = lanewise.compile(PACKED, target, device="emulated")
    assert instructions(compiled.assembly) == instructions(text.assembly)
    a, b = RNG.integers(0, 256, (64, 4)).astype(np.uint8), RNG.integers(-128, 128, (64, 4)).astype(np.int8)
    c = RNG.integers(-9, 9, 64).astype(np.int32)
    expected = (a.astype(np.int32) * b).sum(1) + c
    arguments = a.view(np.uint32).reshape(64), b, c
    assert lanewise.validate(compiled, 1, *arguments, on=["reference", "emulated"]).ok
    packed.debug[1](*arguments[:2], debugged := c.copy())
    compiled[1](*arguments)
    assert (c == expected).all() and (debugged == expected).all()


def test_bytes_of_two_signs_on_a_chip_without() -> None:
    with pytest.raises(
        LanewiseError, match=r"test_fragments.py:28:12: .* needs dot4.mixed, which gfx942 does not have"
    ):
        _ = packed.compile(lw.u32[64], lw.i8[64, 4], lw.i32[64], target="gfx942", device="emulated").assembly


@lanewise.kernel(workgroup=64, scope="thread")
def two_halves(a: Annotated[lw.Array, lw.f16[64, 2]], c: Annotated[lw.Array, lw.f32[64]]) -> None:
    t = lw.thread_id()
    c[t] = lw.packed_dot(a[t, :], a[t, :], 1.0)


def test_dot_products_of_a_lane() -> None:
    a, c = RNG.integers(-5, 6, (64, 2)).astype(np.float16), np.zeros(64, np.float32)
    compiled = two_halves.compile(a, c, target="gfx942", device="emulated")
    assert compiled.assembly.count("v_dot2") == 1
    compiled[1](a, c)
    assert (c == (a.astype(np.float32) ** 2).sum(1) + 1).all()


@lanewise.kernel(workgroup=64, scope="thread")
def sparse_matmul(a: lw.Array, places: lw.Array, bt: lw.Array, c: lw.Array) -> None:
    """A 16x16 tile of `a @ bt.T` by v_smfmac, of an `a` of which two of every four are held."""
    lane = lw.thread_id()
    row, group = lane % 16, lane // 16
    m, n = lw.block_id("y") * 16, lw.block_id("x") * 16
    acc = lw.zeros(4)
    for k in lw.range(0, bt.shape[1], 32):
        held = lw.span(k // 2 + group * 4, 4)
        bits = places[m + row, held].to(lw.u32) << lw.arange(4, lw.u32) * 2
        which = bits.sum().broadcast_to(1).bitcast(lw.i8)
        acc = lw.mfma_sparse(a[m + row, held], bt[n + row, lw.span(k + group * 8, 8)], acc, which, (16, 16, 32))
    for i in range(4):
        c[m + group * 4 + i, n + row] = acc[i]


@lanewise.kernel(workgroup=64)
def sparse_tiles(a: lw.Array, places: lw.Array, bt: lw.Array, c: lw.Array, *, tm: int = 16, tn: int = 16) -> None:
    m, n = lw.block(tm, "y"), lw.block(tn, "x")
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(bt.shape[1], 32):
        half = lw.span(k.start // 2, 16)
        acc = lw.dot_sparse(a[m, half], places[m, half], bt[n, k].T, acc)
    c[m, n] = acc


def of_sparse() -> tuple[list[Any], Any]:
    held, at = RNG.integers(-2, 3, (32, 16, 2)), chosen(RNG, (32, 16))
    bt = RNG.integers(-2, 3, (16, 64)).astype(np.float16)
    expected = whole(held, at).astype(np.float32) @ bt.astype(np.float32).T
    given = [held.reshape(32, 32).astype(np.float16), at.reshape(32, 32).astype(np.uint8), bt]
    return [*given, np.zeros((32, 16), np.float32)], expected


@pytest.mark.parametrize(
    ("kernel", "target"),
    [(sparse_matmul, "gfx942"), (sparse_matmul, "gfx950"), (sparse_tiles, "sm_90a"), (sparse_tiles, "gfx942")],
)
def test_sparse_products(kernel: Any, target: str) -> None:
    arguments, expected = of_sparse()
    compiled = kernel.compile(*arguments, target=target, device="emulated").isolated  # as `validate` has it
    if kernel is sparse_matmul:
        assert compiled.assembly.count("v_smfmac_f32_16x16x32_f16") == 1
    report = lanewise.validate(
        compiled, (1, 2), *arguments, on=["reference", "interpret", "emulated"], thorough=is_thorough()
    )
    assert report.verdict == "right", str(report)
    compiled[1, 2](*arguments)
    assert (arguments[3] == expected).all()


def test_sparse_tiles_in_a_debug_run() -> None:
    arguments, expected = of_sparse()
    sparse_tiles.debug[1, 2](*arguments)
    assert (arguments[3] == expected).all()


@lanewise.kernel(workgroup=64, scope="thread")
def scaled_matmul(a: lw.Array, a_scales: lw.Array, bt: lw.Array, b_scales: lw.Array, c: lw.Array) -> None:
    """A 16x16 tile of the product of mxfp8 matrices by v_mfma_scale."""
    lane = lw.thread_id()
    row, group = lane % 16, lane // 16
    m, n = lw.block_id("y") * 16, lw.block_id("x") * 16
    acc = lw.zeros(4)
    for k in lw.range(0, a.shape[1], 128):
        first, second = lw.span(k + group * 16, 16), lw.span(k + group * 16 + 64, 16)
        left = lw.concat(a[m + row, first], a[m + row, second])
        right = lw.concat(bt[n + row, first], bt[n + row, second])
        of_left, of_right = a_scales[m + row, k // 32 + group], b_scales[n + row, k // 32 + group]
        acc = lw.mfma_scaled(left, of_left, right, of_right, acc, (16, 16, 128))
    for i in range(4):
        c[m + group * 4 + i, n + row] = acc[i]


@lanewise.kernel(workgroup=64)
def scaled_tiles(
    a: lw.Array, a_scales: lw.Array, bt: lw.Array, b_scales: lw.Array, c: lw.Array, *, tm: int = 16, tn: int = 16
) -> None:
    m, n = lw.block(tm, "y"), lw.block(tn, "x")
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(a.shape[1], 64):
        groups = lw.span(k.start // 32, 2)
        acc = lw.dot_scaled(a[m, k], a_scales[m, groups], bt[n, k].T, b_scales[n, groups], acc)
    c[m, n] = acc


def of_scaled() -> tuple[list[Any], Any]:
    a, bt = (RNG.integers(-4, 5, (rows, 256)).astype(ml_dtypes.float8_e4m3fn) for rows in (32, 16))
    scales = [(2.0 ** RNG.integers(-3, 4, (len(x), 8))).astype(E8M0) for x in (a, bt)]
    left, right = (
        x.astype(np.float64) * np.repeat(s.astype(np.float64), 32, axis=1) for x, s in zip((a, bt), scales, strict=True)
    )
    return [a, scales[0], bt, scales[1], np.zeros((32, 16), np.float32)], left @ right.T


@pytest.mark.parametrize(
    ("kernel", "target"),
    [(scaled_matmul, "gfx950"), (scaled_tiles, "gfx950"), (scaled_tiles, "sm_90a"), (scaled_tiles, "gfx942")],
)
def test_scaled_products(kernel: Any, target: str) -> None:
    arguments, expected = of_scaled()
    compiled = kernel.compile(*arguments, target=target, device="emulated").isolated  # as `validate` has it
    if kernel is scaled_matmul:
        assert compiled.assembly.count("v_mfma_scale_f32_16x16x128_f8f6f4") == 1
    report = lanewise.validate(
        compiled, (1, 2), *arguments, on=["reference", "interpret", "emulated"], thorough=is_thorough()
    )
    assert report.verdict == "right", str(report)
    compiled[1, 2](*arguments)
    assert (arguments[4] == expected).all()
    if kernel is scaled_tiles and target == "gfx950":
        scaled_tiles.debug[1, 2](*arguments[:4], debugged := np.zeros((32, 16), np.float32))
        assert (debugged == expected).all()


@lanewise.kernel(workgroup=64)
def of_odd_groups(x: Annotated[lw.Array, lw.f8e4m3fn[64]], s: Annotated[lw.Array, lw.f8e8m0fnu[3]]) -> None:
    lw.mx_decode(x[:], s[:])


@lanewise.kernel(workgroup=64, scope="thread")
def of_no_shape(x: Annotated[lw.Array, lw.f16[64]]) -> None:
    x[0] = lw.mfma(x[lw.span(0, 4)], x[lw.span(0, 4)], lw.zeros(4), (16, 16, 32))[0].to(lw.f16)


@pytest.mark.parametrize(
    ("kernel", "types", "words"),
    [
        (of_odd_groups, (lw.f8e4m3fn[64], lw.f8e8m0fnu[3]), "'mx_decode' has a scale for each group along the last"),
        (of_no_shape, (lw.f16[64],), "has 1 blocks, vector<4xf16> of 64 lanes is 0.5"),
    ],
)
def test_what_does_not_fit_is_said_at_the_users_line(kernel: Any, types: Any, words: str) -> None:
    with pytest.raises(LanewiseError) as caught:
        kernel.trace(*types)
    assert words in str(caught.value) and f"{__file__.rpartition('/')[2]}:" in str(caught.value)
