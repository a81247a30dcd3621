"""In long blocks without matrix instructions what only computes stands where it is first used (decision 0106)."""

from __future__ import annotations

import re

import lanewise
import numpy as np
import pytest
from lanewise.check.counts import COUNTS, Measurement
from lanewise.codegen.emit.at_use import LONG, ordered

_PROGRAM = """
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<32x{0}xf8E4M3FN>, %B: memref<{0}x32xf8E4M3FN>, %C: memref<32x32xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f8E4M3FN
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.transfer_read %A[%c0, %c0], %pad {{in_bounds = [true, true]}}
    : memref<32x{0}xf8E4M3FN>, vector<32x{0}xf8E4M3FN>
  %b = vector.transfer_read %B[%c0, %c0], %pad {{in_bounds = [true, true]}}
    : memref<{0}x32xf8E4M3FN>, vector<{0}x32xf8E4M3FN>
  %d = vector.contract {{indexing_maps = [#mk, #kn, #mn], kind = #vector.kind<add>,
    iterator_types = ["parallel", "parallel", "reduction"]}} %a, %b, %zero
    : vector<32x{0}xf8E4M3FN>, vector<{0}x32xf8E4M3FN> into vector<32x32xf32>
  vector.transfer_write %d, %C[%c0, %c0] {{in_bounds = [true, true]}} : vector<32x32xf32>, memref<32x32xf32>
  gpu.return
}}
"""
"""A product of 8-bit floats for which gfx1030 has no unit: each is converted by what is written out."""
_DIVERGENT = """
gpu.func @f(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %p = arith.constant 0.0 : f32
  %t = gpu.thread_id x
  %v = vector.transfer_read %x[%t, %c0], %p {in_bounds = [true]} : memref<64x64xf32>, vector<64xf32>
  %in = arith.cmpi ult, %t, %c33 : index
  %r = scf.if %in -> (vector<64xf32>) {
    %w = scf.for %i = %c0 to %t step %c32 iter_args(%s0 = %v) -> (vector<64xf32>) {
      ROUNDS
      scf.yield %s4 : vector<64xf32>
    }
    scf.yield %w : vector<64xf32>
  } else {
    scf.yield %v : vector<64xf32>
  }
  vector.transfer_write %r, %y[%t, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x64xf32>
  gpu.return
}
"""
"""In a branch, a loop whose iterations differ between threads: four times 64 elements are rounded to 8 bits, which is
written out."""
_ROUND = """
      %q{0} = arith.truncf %s{0} : vector<64xf32> to vector<64xf8E4M3FN>
      %e{0} = arith.extf %q{0} : vector<64xf8E4M3FN> to vector<64xf32>
      %s{1} = arith.addf %e{0}, %v : vector<64xf32>
"""


_ROWS = """
gpu.func @f(%x: memref<32x512xf32>, %y: memref<32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<32xf32>
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<32x512xf32>, vector<32x512xf32>
  %q = arith.truncf %v : vector<32x512xf32> to vector<32x512xf8E4M3FN>
  %e = arith.extf %q : vector<32x512xf8E4M3FN> to vector<32x512xf32>
  %r = vector.multi_reduction <add>, %e, %z [1] : vector<32x512xf32> to vector<32xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
"""
"""256 elements of a thread are rounded to 8 bits and extended again, which is written out, and summed."""


@pytest.mark.parametrize("depth", [32, 64])
def test_a_product_without_a_unit_spills_nothing(depth: int) -> None:
    """Product by product instead of step by step, the first took LLVM half a minute and 300 spills."""
    measured = Measurement(lanewise.compile(_PROGRAM.format(depth), "gfx1030", isolate=True))
    assert COUNTS["spills"].of(measured) == 0


@pytest.mark.parametrize("target", ["gfx1030", "sm_80"])
def test_rows_that_are_rounded_and_summed(target: str) -> None:
    """Vector by vector LLVM does not end for gfx1030: half of the instructions are comparisons, whose masks it keeps;
    and ptxas spills 4 KB."""
    measured = Measurement(lanewise.compile(_ROWS, target, isolate=True))
    if not measured.has_tools:
        pytest.skip("registers are the assembler's to say, and there is none")
    assert COUNTS["spills"].of(measured) <= 8


def test_where_threads_diverge_another_order_gives_the_same() -> None:
    program = _DIVERGENT.replace("ROUNDS", "".join(_ROUND.format(n, n + 1) for n in range(4)))
    kernel = lanewise.compile(program, "gfx942", isolate=True)
    assert any(block > LONG for block in _blocks(kernel.llvm_ir))
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    report = lanewise.validate(kernel, 1, x, np.zeros_like(x), on=["reference", "emulated"])
    assert report.ok, str(report)


def _blocks(ir: str) -> list[int]:
    """Lines of each block."""
    return [len(block.splitlines()) for block in re.split(r"^[\w.]+:$", ir, flags=re.MULTILINE)[1:]]


_HEAD = ["entry:", "  %x = load <2 x float>, ptr %p", "  %a = extractelement <2 x float> %x, i32 0"]
_TAIL = [
    "  %b = extractelement <2 x float> %x, i32 1",
    "  %c = fmul float %b, %b",
    "  %unused = fmul float %a, %b",
    "  %s0 = fadd float %b, %b",
    "  %s1 = fadd float %s0, %a",
    "  br label %next",
    "next:",
    "  %r = phi float [ %c, %entry ]",
]


def test_what_computes_moves_to_its_first_use_and_the_rest_stays() -> None:
    filler = [f"  %f{n} = fadd float %z, %z" for n in range(LONG)]
    block = [*_HEAD, *filler, *_TAIL]
    result = ordered(block)
    assert result[2 : 2 + LONG] == filler
    assert result[2 + LONG :] == [
        "  %b = extractelement <2 x float> %x, i32 1",
        "  %s0 = fadd float %b, %b",
        "  %a = extractelement <2 x float> %x, i32 0",
        "  %s1 = fadd float %s0, %a",
        "  %c = fmul float %b, %b",
        "  %unused = fmul float %a, %b",
        *_TAIL[-3:],
    ]


@pytest.mark.parametrize("border", ["  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "  fence seq_cst"])
def test_what_is_computed_before_a_barrier_stays_there(border: str) -> None:
    filler = [f"  %f{n} = fadd float %z, %z" for n in range(LONG)]
    second, c, unused, *sums = _TAIL[:5]
    assert ordered([*_HEAD, *filler, border, *_TAIL]) == [
        *_HEAD[:2],
        *filler,
        _HEAD[2],
        border,
        second,
        *sums,
        c,
        unused,
        *_TAIL[5:],
    ]


@pytest.mark.parametrize(
    "product",
    [
        "@llvm.amdgcn.mfma.f32.16x16x16f16(",
        "@llvm.amdgcn.wmma.f32.16x16x16.f16(",
        "@llvm.amdgcn.swmmac.f32.16x16x32.f16(",
        "@llvm.nvvm.mma.m16n8k16.row.col.f32.f32(",
        'asm sideeffect "{ wgmma.fence.sync.aligned;", "~{memory}"(',
        'asm "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", ""(',
    ],
)
def test_short_blocks_and_those_of_matrix_units_stay(product: str) -> None:
    assert ordered([*_HEAD, *_TAIL]) == [*_HEAD, *_TAIL]
    product = f"  %m = call <4 x float> {product})"
    block = [*_HEAD, product, *(f"  %f{n} = fadd float %z, %z" for n in range(LONG)), *_TAIL]
    assert ordered(block) == block


def test_chains_of_any_length_are_followed() -> None:
    chain = [f"  %c{n} = fmul float %c{n - 1}, %z" for n in range(1, 3 * LONG)]
    block = ["entry:", *chain, f"  %s = fadd float %c{len(chain)}, %z", "  ret void"]
    assert ordered(block) == block
