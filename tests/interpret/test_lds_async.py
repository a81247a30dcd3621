"""Copies of gfx1250's lanes that are used too early, or too few of which are waited for: every executor finds it."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.reference.evaluate import run_kernel
from lanewise.support.diagnostics import LanewiseError

PROGRAM = """
#group = #gpu.address_space<workgroup>
gpu.func @f(%x: memref<2x32xi32>, %y: memref<32xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<2x32xi32, #group>
  %t = gpu.thread_id x
  amdgpu.global_load_async_to_lds %x[%c0, %t], %s[%c0, %t] : i32, memref<2x32xi32>, memref<2x32xi32, #group>
  amdgpu.global_load_async_to_lds %x[%c1, %t], %s[%c1, %t] : i32, memref<2x32xi32>, memref<2x32xi32, #group>
  rocdl.s.wait.asynccnt LEFT
  %v = memref.load %s[SLOT, %t] : memref<2x32xi32, #group>
  memref.store %v, %y[%t] : memref<32xi32>
  rocdl.s.wait.asynccnt 0
  gpu.return
}
"""


@pytest.mark.parametrize(("left", "slot"), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)])
def test_a_wait_covers_all_but_the_newest(left: int, slot: int) -> None:
    text = PROGRAM.replace("LEFT", str(left)).replace("SLOT", f"%c{slot}")
    kernel = lanewise.compile(text, target="gfx1250", device="emulated")
    x = np.arange(64, dtype=np.int32).reshape(2, 32)
    runs = (lambda y: run_kernel(kernel.compilation.kernel, 1, [x, y]), lambda y: kernel.launch(1, x, y))
    for run in runs:
        y = np.zeros(32, np.int32)
        if left + slot > 1:
            with pytest.raises(LanewiseError, match=r"under way|outstanding-load"):
                run(y)
        else:
            run(y)
            assert (y == x[slot]).all()
