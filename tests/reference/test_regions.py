"""Assertions that do not hold, and iterations that meet, are found by whoever runs them."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.reference.errors import EvaluationError
from lanewise.ir.reference.evaluate import run_kernel

ASSERTION = """
gpu.func @f(%N: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %n = memref.load %N[%c0] : memref<1xi32>
  %ok = arith.cmpi sgt, %n, %c7 : i32
  cf.assert %ok, "n is more than seven"
  gpu.return
}
"""


def test_the_reference_says_what_was_asserted() -> None:
    kernel = find_kernel(lanewise.parse(ASSERTION))
    run_kernel(kernel, (1, 1, 1), [np.full(1, 8, np.int32)])
    with pytest.raises(EvaluationError, match=r"'cf.assert' op does not hold in workgroup .*: n is more"):
        run_kernel(kernel, (1, 1, 1), [np.full(1, 7, np.int32)])


def test_the_interpreter_says_what_was_asserted_and_who_found_it() -> None:
    kernel = find_kernel(lanewise.compile(ASSERTION, target="sm_90").compilation.thread_module)
    with pytest.raises(EvaluationError, match=r"does not hold in .*thread.*: n is more than seven"):
        interpret_kernel(kernel, (1, 1, 1), [np.full(1, 7, np.int32)], subgroup_size=32)


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx90a", "gfx942", "gfx1100"])
def test_machine_code_traps_at_the_assertion(target: str) -> None:
    kernel = lanewise.compile(ASSERTION, target=target, device="emulated")
    kernel[1](np.full(1, 8, np.int32))
    with pytest.raises(lanewise.LaunchError, match=r'trap: .*cf.assert %ok, "n is more than seven"'):
        kernel[1](np.full(1, 7, np.int32))


MEETING = """
gpu.func @f(%Y: memref<1xindex>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %i, %Y[%c0] : memref<1xindex>
    scf.reduce
  }
  gpu.return
}
"""


def test_a_program_that_depends_on_an_order_there_is_not_differs() -> None:
    kernel = lanewise.compile(MEETING, target="sm_90")
    report = lanewise.validate(kernel, 1, np.zeros(1, np.int64), on=["interpret"])
    assert not report.ok
