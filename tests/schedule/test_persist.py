"""Which workgroup takes which place of the grid, where some of them stay for all."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.ir.core import Operation
from lanewise.ir.dialects import arith, scf
from lanewise.ir.dialects.constants import constant_int
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.reference.evaluate import run_kernel
from lanewise.schedule.persist import persist
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip

_PROGRAM = """
gpu.func @f(%y: memref<4x3xi32>) kernel
    attributes {{gpu.known_block_size = array<i32: 1, 1, 1>, lanewise.persist = {0}}} {{
  %i = gpu.block_id x
  %j = gpu.block_id y
  %n = arith.constant 77 : index
  %m = arith.index_cast %n : index to i32
  memref.store %m, %y[%j, %i] : memref<4x3xi32>
  gpu.return
}}
"""


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, [[0, 0, 0]] * 4),
        (5, [[0, 1, 2], [3, 4, 0], [1, 2, 3], [4, 0, 1]]),
        (12, [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]),
        ("true", [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]),  # an A100 has 108 multiprocessors
    ],
)
def test_places_are_taken_in_rounds(count: int | str, expected: list[list[int]]) -> None:
    kernel = persist(find_kernel(parse_program(_PROGRAM.format(count))), find_chip("sm_80"))
    _let_write_its_number(kernel.op)
    found = np.full((4, 3), -1, np.int32)
    run_kernel(kernel, (3, 4, 1), [found])
    assert found.tolist() == expected


def _let_write_its_number(function: Operation) -> None:
    """In the place of a constant: the number of the workgroup as it was launched."""
    number = next(op.results[0] for op in function.all_of(arith.AddIOp) if op.results[0].hint == "number")
    written = next(op for op in function.all_of(arith.ConstantOp) if constant_int(op.results[0]) == 77)
    written.results[0].replace_uses(number)


def test_a_chip_of_no_product_needs_a_number() -> None:
    with pytest.raises(CompileError, match="no number of multiprocessors is stated for sm_121a"):
        _ = lanewise.compile(_PROGRAM.format("true"), "sm_121a").layout_ir
    assert "scf.for" in lanewise.compile(_PROGRAM.format(7), "sm_121a").layout_ir


def test_its_layout_stage_is_resumed() -> None:
    kernel = lanewise.compile(_PROGRAM.format(2), "sm_80", device="emulated")
    resumed = lanewise.compile(kernel.layout_ir, device="emulated")
    found = np.full((4, 3), -1, np.int32)
    resumed[3, 4](found)
    assert (found == 77).all()


def test_the_loop_stands_where_the_program_asks_for_it() -> None:
    """Remarks on it, such as that its tiles are not read ahead, point there, and not to the kernel's end."""
    text = _PROGRAM.format("true")
    kernel = persist(find_kernel(parse_program(text)), find_chip("sm_80"))
    (loop,) = (op for op in kernel.op.walk() if isinstance(op, scf.ForOp))
    assert loop.location is not None
    assert text[loop.location.offset :].startswith("lanewise.persist")
