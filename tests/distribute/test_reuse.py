"""Buffers that share bytes: without the barrier between their uses somebody complains."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.check.report import Report
from lanewise.check.validate import validate
from lanewise.ir.lifetimes import Lifetimes

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
