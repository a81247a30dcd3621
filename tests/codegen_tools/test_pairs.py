"""Pairs of instructions that gfx11 and gfx12 issue as one: LLVM looks for none where a kernel has a long block."""

from __future__ import annotations

from pathlib import Path

import lanewise
import pytest
from lanewise.codegen.isolation import Worker
from lanewise.codegen.isolation import compile_text as compile_isolated
from lanewise.codegen.llvm import UNPAIRED, command_line, compile_text
from lanewise.targets import find_chip

EXAMPLES = Path(__file__).parents[2] / "examples"
POINTER = "ptr addrspace(1)"
GFX1100 = find_chip("gfx1100")


def sums(attributes: str) -> str:
    """Two that do not wait for each other."""
    return f"""define amdgpu_kernel void @f({POINTER} %p, float %x, float %y) {attributes} {{
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr <2 x float>, {POINTER} %p, i32 %i
  %v = load <2 x float>, {POINTER} %q
  %a = extractelement <2 x float> %v, i32 0
  %b = extractelement <2 x float> %v, i32 1
  %c = fadd float %a, %x
  %d = fmul float %b, %y
  %e = insertelement <2 x float> %v, float %c, i32 0
  %w = insertelement <2 x float> %e, float %d, i32 1
  store <2 x float> %w, {POINTER} %q
  ret void
}}
declare i32 @llvm.amdgcn.workitem.id.x()
"""


def test_kernels_that_ask_for_it_have_no_pairs_and_others_keep_theirs() -> None:
    before, without, after = (compile_text(sums(asked), GFX1100) for asked in ("", UNPAIRED, ""))
    assert "v_dual_" in before.assembly
    assert "v_dual_" not in without.assembly
    assert after.assembly == before.assembly
    assert after.object == before.object != without.object
    assert "--amdgpu-enable-vopd=0" in command_line(GFX1100, sums(UNPAIRED), optimise=True)[-1]
    assert "vopd" not in command_line(GFX1100, sums(""), optimise=True)[-1]


def test_a_worker_does_the_same_in_any_order() -> None:
    """What was compiled last is kept, of all else the optimised text is read again: it still says so."""
    worker = Worker()
    kernels = [compile_isolated(sums(asked), GFX1100, worker=worker) for asked in (UNPAIRED, "")]
    assert ["v_dual_" in kernel.assembly for kernel in kernels] == [False, True]


def kernel_text(sums: int) -> str:
    """Each thread adds up 512 elements, so many times."""
    n = 64 * 512
    lines = "\n".join(f"  %v{i + 1} = arith.addf %v{i}, %v0 : vector<{n}xf32>" for i in range(sums))
    return f"""gpu.func @f(%x: memref<{n}xf32>, %y: memref<{n}xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v0 = vector.transfer_read %x[%c0], %z {{in_bounds = [true]}} : memref<{n}xf32>, vector<{n}xf32>
{lines}
  vector.transfer_write %v{sums}, %y[%c0] {{in_bounds = [true]}} : vector<{n}xf32>, memref<{n}xf32>
  gpu.return
}}
"""


@pytest.mark.parametrize(
    ("chip", "sums", "unpaired"),
    [("gfx1201", 8, True), ("gfx1100", 8, True), ("gfx1201", 2, False), ("gfx1030", 8, False)],
)
def test_long_blocks_ask_for_it(chip: str, sums: int, unpaired: bool) -> None:
    """LLVM 22 looks at all pairs of a block: 5 s for 3,600 lines, without end for 13,000. Only gfx11 and gfx12 pair."""
    kernel = lanewise.compile(kernel_text(sums), chip)
    assert (UNPAIRED in kernel.llvm_ir) == unpaired


def test_blocks_with_matrix_instructions_stay_as_they_are() -> None:
    """The loop of this one has 6,500 lines on gfx1100, some of them matrix instructions."""
    kernel = lanewise.compile(EXAMPLES / "matmul_fp8.mlir", "gfx1100")
    assert UNPAIRED not in kernel.llvm_ir
