"""Programs that a reader of the first version found wrong or rejected."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.support.diagnostics import CompileError

from .conftest import Agree, compilation
from .programs import kernel


def test_one_value_yielded_twice(agree: Agree) -> None:
    text = kernel(
        "%x: memref<64xi32>, %y: memref<64xi32>",
        """  %c4 = arith.constant 4 : index
  %0 = vector.transfer_read %x[%c0], %pad : memref<64xi32>, vector<64xi32>
  %1:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %0, %b = %0) -> (vector<64xi32>, vector<64xi32>) {
    %2 = arith.addi %a, %b : vector<64xi32>
    scf.yield %2, %2 : vector<64xi32>, vector<64xi32>
  }
  vector.transfer_write %1#1, %y[%c0] : vector<64xi32>, memref<64xi32>""",
    )
    x = np.arange(64, dtype=np.int32)
    _, y = agree(text, x, np.zeros_like(x))
    np.testing.assert_array_equal(y, 16 * x)


def test_rank_zero_constants_and_transfers(agree: Agree) -> None:
    text = kernel(
        "%x: memref<i32>, %y: memref<i32>",
        """  %two = arith.constant dense<2> : vector<i32>
  %0 = vector.transfer_read %x[], %pad : memref<i32>, vector<i32>
  %1 = arith.muli %0, %two : vector<i32>
  vector.transfer_write %1, %y[] : vector<i32>, memref<i32>""",
    )
    _, y = agree(text, np.array(21, np.int32), np.zeros((), np.int32))
    assert y == 42


def test_a_long_chain_of_index_arithmetic(agree: Agree) -> None:
    steps = "\n".join(f"  %s{i + 1} = arith.addi %s{i}, %n : index" for i in range(3000))
    body = f"""  %s0 = arith.addi %n, %c1 : index
{steps}
  %v = arith.index_cast %s3000 : index to i32
  memref.store %v, %y[%c0] : memref<1xi32>"""
    _ = agree(kernel("%y: memref<1xi32>, %n: index", body), np.zeros(1, np.int32), 2)


def test_a_loop_that_its_condition_excludes(agree: Agree) -> None:
    """What is found never taken leaves no branch on an undefined predicate."""
    text = kernel(
        "%y: memref<1xi32>, %n: index",
        """  %none = arith.cmpi slt, %n, %c1 : index
  %r = scf.if %none -> (i32) {
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %pad) -> (i32) {
      %1 = arith.addi %a, %a : i32
      scf.yield %1 : i32
    }
    scf.yield %0 : i32
  } else {
    %c9 = arith.constant 9 : i32
    scf.yield %c9 : i32
  }
  memref.store %r, %y[%c0] : memref<1xi32>""",
    )
    for n, expected in ((0, -7), (3, 9)):
        (y,) = agree(text, np.zeros(1, np.int32), n)
        assert y[0] == expected


@pytest.mark.parametrize("name", ["_", "$", "WARP_SZ"])
def test_names_that_assemblers_do_not_take(name: str) -> None:
    text = kernel("%y: memref<1xi32>", "  memref.store %pad, %y[%c0] : memref<1xi32>")
    symbol = f'@"{name}"'
    with pytest.raises(CompileError, match="has a name that assemblers do not take"):
        _ = compilation(text.replace("@k", symbol)).artifacts
