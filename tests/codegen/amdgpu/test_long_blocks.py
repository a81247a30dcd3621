"""Blocks so long that LLVM's schedule takes registers without end are cut into pieces (decision 0046)."""

from __future__ import annotations

from itertools import pairwise

import lanewise
import numpy as np
from lanewise.codegen.amdgpu.long_blocks import LONG, MASKS, PIECE, cut

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


def _blocks(ir: str) -> list[int]:
    """Lines of each block."""
    body = ir[ir.index("define ") : ir.index("\n}")].splitlines()
    labels = [at for at, line in enumerate(body) if line.endswith(":")]
    return [b - a for a, b in pairwise([*labels, len(body)])]


def test_a_product_without_a_unit_is_cut_where_it_is_long() -> None:
    """LLVM itself is left out: with its usual schedule it did not end, with others it died."""
    short, long = (lanewise.compile(_PROGRAM.format(depth), "gfx1030").llvm_ir for depth in (8, 56))
    assert PIECE < max(_blocks(short)) <= LONG
    assert max(_blocks(long)) <= PIECE + 8  # what begins and ends a piece
    assert ".other:" not in short and "sched-strategy" not in long


def test_where_threads_diverge_pieces_give_what_the_whole_gives() -> None:
    program = _DIVERGENT.replace("ROUNDS", "".join(_ROUND.format(n, n + 1) for n in range(4)))
    kernel = lanewise.compile(program, "gfx942", isolate=True)
    assert ".other:" in kernel.llvm_ir
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    report = lanewise.validate(kernel, 1, x, np.zeros_like(x), on=["reference", "emulated"])
    assert report.ok, str(report)


def test_phis_name_the_last_piece_and_blocks_of_sums_or_products_or_conversions_stay_whole() -> None:
    many = [f"  %{n} = icmp eq i32 %{n - 1}, 1" for n in range(1, LONG)]
    ends = ["  br i1 %c, label %b1, label %b2", "b2:", "  %p = phi i32 [ %1, %b1 ], [ 0, %entry ]"]
    head = ["entry:", "  br label %b1", "b1:", "  %0 = phi i32 [ 0, %entry ], [ %9, %b1 ]"]
    assert cut([*head, *many, *ends]) == [*head, *many, *ends], "nothing is summed of what they choose"
    many[-1] = "  %s = fadd float %a, %a"
    lines = cut([*head, *many, *ends])
    last = f"b1.{LONG // PIECE - (LONG % PIECE == 0)}"
    assert f"{last}:" in lines
    assert lines[3] == f"  %0 = phi i32 [ 0, %entry ], [ %9, %{last} ]"
    assert lines[-1] == f"  %p = phi i32 [ %1, %{last} ], [ 0, %entry ]"
    few = [f"  %{n} = fadd float %{n - 1}, %{n - 1}" for n in range(1, LONG)]
    assert cut([*head, *few, *many[:MASKS], *ends]) == [*head, *few, *many[:MASKS], *ends]
    sums = [f"  %{n} = call float @llvm.fma.f32(float %{n - 1}, float %a, float %a)" for n in range(1, LONG)]
    assert cut([*head, *sums, *many[: LONG // 5], *ends]) == [*head, *sums, *many[: LONG // 5], *ends]
    product = "  %m = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16()"
    assert cut([*head, product, *many, *ends]) == [*head, product, *many, *ends]
