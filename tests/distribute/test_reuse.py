"""Buffers that share bytes: without the barrier between their uses, or a fence before boxes, somebody complains."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.analysis.lifetimes import Lifetimes
from lanewise.check.report import Report
from lanewise.check.validate import validate
from lanewise.distribute import async_proxy_fences as proxies

PROGRAM = """
gpu.func @f(%x: memref<64x32xf32>, %y: memref<32x64xf32>, %z: memref<32x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x32xf32, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<64x32xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf32>, vector<64x32xf32>
  vector.transfer_write %v, %a[%c0, %c0] {in_bounds = [true, true]}
    : vector<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %w = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]}
    : memref<64x32xf32, #gpu.address_space<workgroup>>, vector<64x32xf32>
  %t = vector.transpose %w, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
  vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<32x64xf32>
  %u = arith.addf %v, %v : vector<64x32xf32>
  vector.transfer_write %u, %b[%c0, %c0] {in_bounds = [true, true]}
    : vector<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>
  %s = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]}
    : memref<64x32xf32, #gpu.address_space<workgroup>>, vector<64x32xf32>
  %r = vector.transpose %s, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
  vector.transfer_write %r, %z[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<32x64xf32>
  gpu.return
}
"""


def test_a_missing_barrier_between_two_buffers_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = np.arange(64 * 32, dtype=np.float32).reshape(64, 32), *np.zeros((2, 32, 64), np.float32)

    def check() -> Report:
        return validate(lanewise.compile(PROGRAM, "sm_80"), 1, *arguments, on=["emulated"], thorough=False)

    assert check().ok
    apart = Lifetimes.apart
    monkeypatch.setattr(Lifetimes, "apart", lambda self, a, b, **_: apart(self, a, b, with_barrier=False))
    report = check()
    assert not report.ok
    assert "race" in str(report)


BOXES = """
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %a: memref<64x128xf16>, %c: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1],
      {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %end = arith.constant 128 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<64x64xf32>
  %own = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %x[%c0, %c0], %q {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  vector.transfer_write %v, %own[%c0, %c0] {in_bounds = [true, true]}
    : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  %w = vector.transfer_read %own[%c0, %c0], %q {in_bounds = [true, true]}
    : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
  %t = vector.transpose %w, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  vector.transfer_write %t, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.barrier
  %r = scf.for %k = %c0 to %end step %step iter_args(%sum = %z) -> (vector<64x64xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x64xf16>
    %s = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x64xf16>
    %next = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %l, %s, %sum : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
"""


def test_boxes_overwrite_what_threads_wrote_behind_a_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    square, rows = np.arange(64 * 64, dtype=np.float32).reshape(64, 64), np.ones((64, 128), np.float16)

    def check() -> Report:
        kernel = lanewise.compile(BOXES, "sm_90a")
        arguments = square, np.zeros_like(square), rows, np.zeros_like(square)
        return validate(kernel, 1, *arguments, on=["emulated"], thorough=False)

    assert check().ok
    kernel = lanewise.compile(BOXES, "sm_90a")
    artifacts = kernel.variant(kernel.best_facts).artifacts
    rings, objects = 2 * 2 * 64 * 64 * 2, 2 * 8
    assert artifacts.static_shared_bytes == rings + objects  # the 16 KiB of %own lie in the rings
    monkeypatch.setattr(proxies, "permutations", lambda values, count: ())
    report = check()
    assert not report.ok
    assert "no fence.proxy.async" in str(report)
