"""How many registers a choice needs, and that reading ahead survives where they are short."""

from pathlib import Path

import pytest
from lanewise.analysis.live_ranges import LiveRanges
from lanewise.ir.core import Operation
from lanewise.ir.dialects.scf import ForOp
from lanewise.ir.dialects.vector import ContractionOp, TransferReadOp
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.passes import Context
from lanewise.ir.sinking import sink
from lanewise.layout.contraction import Contractions
from lanewise.layout.pressure import peak
from lanewise.layout.search import Choice
from lanewise.layout.teams import teams
from lanewise.layout.workgroup import Workgroup
from lanewise.pipeline.compilation import Compilation
from lanewise.targets import find_chip

MATMUL = Path(__file__).parents[2] / "examples/matmul_f16.mlir"

SUM = """
gpu.func @sum(%x: memref<?x64x64xf32>, %y: memref<64x64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %z = vector.transfer_read %x[%c0, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x64x64xf32>, vector<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %x[%i, %c0, %c0], %p {in_bounds = [true, true]} : memref<?x64x64xf32>, vector<64x64xf32>
    %t = arith.addf %acc, %a : vector<64x64xf32>
    scf.yield %t : vector<64x64xf32>
  }
  vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
"""


def test_a_carried_value_is_alive_in_one_place_at_a_time() -> None:
    """64 * 64 / 128 = 32 registers each of the sum and of what is added; the loop's result takes over the last sum."""
    kernel, chip = find_kernel(parse_program(SUM)), find_chip("sm_90")
    context = Context(chip, chip.default_subgroup_size)
    workgroup = Workgroup.of(kernel, context)
    choice = Choice(next(teams(kernel.op, workgroup)), context.analyses.get(Contractions, kernel.op))
    assert peak(LiveRanges(list(kernel.op.walk())[1:]), choice.known.layouts, ()) == 2 * 32


def loop_body(root: Operation) -> list[Operation]:
    """Of the first loop, whose tiles lie inside of memory where it has been divided."""
    loop = next(op for op in root.walk() if isinstance(op, ForOp))
    return list(loop.body.operations)


def reads_ahead(body: list[Operation]) -> bool:
    product = next(at for at, op in enumerate(body) if isinstance(op, ContractionOp))
    ahead = [op for op in body if isinstance(op, TransferReadOp) and op.memref_type.shape == (None, None)]
    return len(ahead) == 2 and all(body.index(op) < product for op in ahead)


@pytest.mark.parametrize("target", ["sm_90", "gfx1100"])
def test_the_next_tiles_are_read_before_the_products_of_the_current_ones(target: str) -> None:
    module = Compilation(parse_program(MATMUL.read_text()), None, find_chip(target)).layout_module
    assert reads_ahead(loop_body(module))


def test_what_only_the_next_iteration_needs_does_not_sink() -> None:
    module = parse_program(MATMUL.read_text())
    (loop,) = (op for op in module.walk() if isinstance(op, ForOp))
    sink(loop.body, lambda op: isinstance(op, TransferReadOp))
    assert reads_ahead(loop_body(module))
