"""iree_vector_ext.transfer_gather and transfer_scatter: what is undefined is an error that names owner and element."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.dialects import load_all
from lanewise.ir.kernels import find_kernel
from lanewise.ir.numerics import Array
from lanewise.ir.parser import parse_program
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel

load_all()
PROGRAM = """
gpu.module @kernels {{
  gpu.func @f(%t: memref<8xf32>, %i: memref<4xindex>, %y: memref<8xf32>, %n: index) kernel
      attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %p = arith.constant -1.0 : f32
    %m = vector.create_mask %n : vector<4xi1>
    %a = vector.transfer_read %i[%c0], %c0 : memref<4xindex>, vector<4xindex>
    %v = vector.transfer_read %t[%c0], %p : memref<8xf32>, vector<4xf32>
    {body}
    gpu.return
  }}
}}
"""
MAPS = "<indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>, affine_map<(d0)[s0] -> (d0)>]>"
GATHER = f"""
    %g = iree_vector_ext.transfer_gather %t[%c0] [%a : vector<4xindex>], %p, %m {MAPS}
        : memref<8xf32>, vector<4xf32>, vector<4xi1>
    vector.transfer_write %g, %y[%c0] : vector<4xf32>, memref<8xf32>"""
SCATTER = f"""
    iree_vector_ext.transfer_scatter %v into %y[%c0] [%a : vector<4xindex>], %m {MAPS}
        : vector<4xf32>, memref<8xf32>, vector<4xi1>"""


def result(body: str, indices: list[int], count: int) -> Array:
    kernel = find_kernel(parse_program(PROGRAM.format(body=body)), "f")
    table, out = np.arange(8, dtype=np.float32), np.full(8, 9, np.float32)
    run_kernel(kernel, 1, [table, np.array(indices, np.int64), out, count])
    return out


def test_masked_elements_are_padding_or_stay() -> None:
    assert result(GATHER, [7, 2, 100, -5], 2).tolist() == [7, 2, -1, -1, 9, 9, 9, 9]
    assert result(SCATTER, [7, 2, 100, -5], 2).tolist() == [9, 9, 1, 9, 9, 9, 9, 0]


@pytest.mark.parametrize("body", [GATHER, SCATTER])
@pytest.mark.parametrize("index", [8, -1])
def test_what_is_looked_up_lies_inside(body: str, index: int) -> None:
    with pytest.raises(EvaluationError, match=f"index {index} of dimension 0, whose extent is 8"):
        result(body, [0, 1, index, 3], 4)


def test_two_elements_at_one_place_are_an_error() -> None:
    with pytest.raises(
        EvaluationError, match=r"writes element \[5\] of %y.*where another element of the vector goes, too"
    ):
        result(SCATTER, [5, 1, 5, 2], 4)
    assert result(SCATTER, [5, 1, 5, 2], 2)[5] == 0
