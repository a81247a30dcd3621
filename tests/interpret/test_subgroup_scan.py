"""iree_gpu.subgroup_scan against sums done here one lane after the other, with a join that does not commute."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.reference.evaluate import run_kernel

THREADS = 128
IDENTITY = 1
"""The map x -> 1 x + 0: the slope in the low half of a word, what is added in the high one."""
PROGRAM = """
gpu.func @scan(%x: memref<128xi32>, %scans: memref<128xi32>, %totals: memref<128xi32>) kernel attributes
    {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %identity = arith.constant 1 : i32
  %half = arith.constant 16 : i32
  %mask = arith.constant 0xFFFF : i32
  %v = memref.load %x[%t] : memref<128xi32>
  %scan, %total = iree_gpu.subgroup_scan WORDS {
  ^bb0(%f: i32, %g: i32):
    %a = arith.andi %f, %mask : i32
    %b = arith.shrui %f, %half : i32
    %c = arith.andi %g, %mask : i32
    %d = arith.shrui %g, %half : i32
    %slope = arith.muli %a, %c : i32
    %low = arith.andi %slope, %mask : i32
    %moved = arith.muli %c, %b : i32
    %sum = arith.addi %moved, %d : i32
    %high = arith.shli %sum, %half : i32
    %both = arith.ori %low, %high : i32
    iree_gpu.yield %both : i32
  } : i32
  memref.store %scan, %scans[%t] : memref<128xi32>
  memref.store %total, %totals[%t] : memref<128xi32>
  gpu.return
}
"""


def joined(f: int, g: int) -> int:
    """First f, then g."""
    a, b, c, d = f & 0xFFFF, f >> 16, g & 0xFFFF, g >> 16
    return (a * c & 0xFFFF) | (c * b + d & 0xFFFF) << 16


def expected(x: list[int], size: int, stride: int, inclusive: bool) -> tuple[list[int], list[int]]:
    """Lane after lane, for each thread the threads of its cluster before it."""
    scans, totals = [], []
    for thread in range(THREADS):
        first = thread - thread // stride % size * stride
        members = [first + i * stride for i in range(size)]
        until = [m for m in members if m <= thread] if inclusive else [m for m in members if m < thread]
        for found, some in ((scans, until), (totals, members)):
            total = IDENTITY
            for m in some:
                total = joined(total, x[m])
            found.append(total)
    return scans, totals


CASES = [
    (4, 1, True), (4, 2, False), (8, 4, True), (16, 2, False), (2, 16, False), (1, 1, False), (None, 1, True),
    (None, 1, False),
]  # fmt: skip
CHIPS = {"sm_90": 32, "gfx942": 64, "gfx1201": 32}


@pytest.mark.parametrize("chip", CHIPS)
def test_lanes_are_joined_in_their_order(chip: str) -> None:
    x = np.random.default_rng(1).integers(0, 1 << 32, THREADS, np.uint32)
    for size, stride, inclusive in CASES:
        cluster = f"cluster(size = {size}, stride = {stride})" if size is not None else ""
        words = f"{'inclusive(%v)' if inclusive else '(%v, identity = %identity : i32)'} {cluster}"
        kernel = lanewise.compile(PROGRAM.replace("WORDS", words), target=chip, device="emulated")
        lanes = CHIPS[chip]
        wanted = expected(x.tolist(), size or lanes, stride, inclusive)
        results = [[np.zeros(THREADS, np.int32) for _ in range(2)] for _ in range(3)]
        given = x.view(np.int32)
        run_kernel(kernel.compilation.kernel, 1, [given, *results[0]], subgroup_size=lanes)
        interpret_kernel(kernel.compilation.thread_kernel, 1, [given, *results[1]], subgroup_size=lanes)
        kernel.launch(1, given, *results[2])
        for found in results:
            np.testing.assert_array_equal(np.stack(found).view(np.uint32), np.array(wanted, np.uint32), words)
