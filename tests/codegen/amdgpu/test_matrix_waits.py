"""Wait states behind matrix instructions on ways that go around masked blocks, which LLVM 22 does not count."""

from __future__ import annotations

import pytest
from lanewise.codegen.amdgpu import machine, mfma_wmma
from lanewise.emulate.amdgcn.module import AmdgcnModule
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.settings import Settings
from lanewise.targets import find_chip

NEST = """gpu.func @f(%A: memref<64x4xf16>, %Q: memref<64x8xf32>, %n: index, %m: index) kernel attributes {
    lanewise.scope = "thread", lanewise.subgroup_size = 64 : i64, gpu.known_block_size = array<i32: 64, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %below_n = arith.cmpi slt, %t, %n : index
  %below_m = arith.cmpi slt, %t, %m : index
  %a = vector.load %A[%t, %c0] {alignment = 8 : i64} : memref<64x4xf16>, vector<4xf16>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %d = amdgpu.mfma 32x32x8 %a * %a + %zero : vector<4xf16>, vector<4xf16>, vector<16xf32>
  %d0 = vector.extract %d[0] : f32 from vector<16xf32>
  %d7 = vector.extract %d[7] : f32 from vector<16xf32>
  scf.if %below_n {
    memref.store %d7, %Q[%t, %c0] : memref<64x8xf32>
  } else {
    scf.if %below_m {
    }
  }
  memref.store %d0, %Q[%t, %c1] : memref<64x8xf32>
  gpu.return
}
"""


def hazards(chip: str) -> list[str]:
    keeps_the_empty_branch = Settings(without=("dead",))
    compilation = Compilation(parse_program(NEST), None, find_chip(chip), settings=keeps_the_empty_branch)
    text = compilation.artifacts.assembly
    (kernel,) = AmdgcnModule.parse(text).kernels.values()
    found = [block.finding[1] for block in kernel._program.blocks if block.finding]
    return [finding.detail for finding in found if finding.kind == "hazard"]


@pytest.mark.parametrize("chip", ["gfx908", "gfx90a", "gfx942", "gfx950"])
def test_results_are_there_on_every_way(chip: str) -> None:
    assert hazards(chip) == []


def test_llvm_alone_leaves_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """If this fails, `settle_before_branch` has served."""
    for file in (machine, mfma_wmma):
        monkeypatch.setattr(file, "settle_before_branch", lambda em: None)
    assert any("a matrix result is read too early" in detail for detail in hazards("gfx942"))
