"""What `removals.py` says of programs whose barrier is needed, and of such whose is not."""

from __future__ import annotations

import pytest

from .conftest import compilation
from .memory_programs import GLOBAL
from .removals import Verdict, barriers, decide, without

READ = "vector.transfer_read {}[%{}], %pad {{in_bounds = [true]}} : memref<192xi32>, vector<64xi32>"
WRITE = "vector.transfer_write {}, {}[%{}] {{in_bounds = [true]}} : vector<64xi32>, memref<192xi32>"
SHIFTED = f"%x = {READ.format('%c', 'c1')}\n{WRITE.format('%x', '%c', 'c0')}"
BESIDE = f"%x = {READ.format('%c', 'c0')}\ngpu.barrier\n{WRITE.format('%x', '%c', 'c64')}"
"""Nobody reads what anybody wrote."""
TWICE = f"""
  %x = {READ.format("%c", "c0")}
  {WRITE.format("%x", "%d", "c0")}
  %y = memref.load %c[%c1] : {GLOBAL}
  memref.store %y, %d[%c1] : {GLOBAL}"""
"""The first thread writes what the second wrote."""
EVEN = f"""
  %n = memref.load %c[%c64] : memref<192xi32>
  %double = arith.addi %n, %n : i32
  %bit = arith.andi %double, %pad : i32
  %odd = arith.cmpi eq, %bit, %pad : i32
  scf.if %odd {{
  {SHIFTED}
  }}"""


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (SHIFTED, Verdict.REPORTED),
        (BESIDE, Verdict.NEEDLESS),
        (TWICE, Verdict.EQUAL),
        (EVEN, Verdict.UNTAKEN),
        (EVEN.replace("%double, %pad", "%n, %pad"), Verdict.REPORTED),
    ],
    ids=["shifted", "beside", "twice", "even", "odd"],
)
def test_verdict(lines: str, verdict: Verdict) -> None:
    text = f"""
gpu.func @k(%c: {GLOBAL}, %d: {GLOBAL}) kernel attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 1 : i32
{lines}
  gpu.return
}}
"""
    module = compilation(text).thread_module
    assert len(barriers(module)) == 1
    assert decide(without(module, 0), 0) == verdict
