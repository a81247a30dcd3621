"""The time from a text to one thread's program grows with the text, not with its square."""

from functools import partial

from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.targets import find_chip

from ..durations import assert_takes_at_most

TRIPLE = """
  %i{0} = arith.constant {1} : index
  %a{0} = vector.transfer_read %x[%i{0}], %p {{in_bounds = [true]}} : memref<?xf32>, vector<128xf32>
  %b{0} = arith.addf %a{0}, %a{0} : vector<128xf32>
  vector.transfer_write %b{0}, %y[%i{0}] {{in_bounds = [true]}} : vector<128xf32>, memref<?xf32>"""
KERNEL = """
gpu.func @f(%x: memref<?xf32>, %y: memref<?xf32>) kernel attributes {{gpu.known_block_size = array<i32: 128, 1, 1>}} {{
  %p = arith.constant 0.0 : f32{0}
  gpu.return
}}
"""


def distributed(triples: int) -> None:
    """So many independent triples of read, add and write, brought to one thread's program."""
    text = KERNEL.format("".join(TRIPLE.format(i, 128 * i) for i in range(triples)))
    assert Compilation(parse_program(text), None, find_chip("sm_90")).thread_module


def test_independent_operations_take_linear_time() -> None:
    """Sixteen times as many take at most 32 times as long; once 800 took 32 s, eight times as many 64 times as long."""
    assert_takes_at_most(32, partial(distributed, 800), partial(distributed, 50))
