"""The order in which workgroups take their places, by the number of each in the order in which they start."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.core import Operation
from lanewise.ir.dialects import arith
from lanewise.ir.dialects.constants import constant_int
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.reference.evaluate import run_kernel
from lanewise.schedule.workgroup_order import order_workgroups

_PROGRAM = """
func.func @f(%y: memref<4x3xi32>) attributes {{
    translation_info = #iree_codegen.translation_info<
      pipeline = LLVMGPUVectorDistribute workgroup_size = [1, 1, 1]{0}>{1}}} {{
  %i = gpu.block_id x
  %j = gpu.block_id y
  %n = arith.constant 77 : index
  %m = arith.index_cast %n : index to i32
  memref.store %m, %y[%j, %i] : memref<4x3xi32>
  return
}}
"""
_TRANSPOSE = ", {gpu_pipeline_options = #iree_gpu.pipeline_options<reorder_workgroups_strategy = <Transpose>>}"


@pytest.mark.parametrize(
    ("options", "attributes", "expected"),
    [
        (_TRANSPOSE, "", [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]),
        ("", ", lanewise.bands = 2", [[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11]]),
        ("", ", lanewise.bands = 3", [[0, 3, 6], [1, 4, 7], [2, 5, 8], [9, 10, 11]]),
        ("", ", lanewise.bands = 9", [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]),
    ],
)
def test_places_are_taken_in_the_order_that_is_asked_for(
    options: str, attributes: str, expected: list[list[int]]
) -> None:
    kernel = order_workgroups(find_kernel(parse_program(_PROGRAM.format(options, attributes))))
    _let_write_its_number(kernel.op)
    found = np.full((4, 3), -1, np.int32)
    run_kernel(kernel, (3, 4, 1), [found])
    assert found.tolist() == expected


def _let_write_its_number(function: Operation) -> None:
    """In the place of a constant: the number with which the order begins, that of the workgroup as it was launched."""
    number = function.all_of(arith.AddIOp)[0].results[0]
    written = next(op for op in function.all_of(arith.ConstantOp) if constant_int(op.results[0]) == 77)
    written.results[0].replace_uses(number)
