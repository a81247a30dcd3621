"""How often an unsigned loop runs, counted by Python."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.dialects.func import FuncOp
from lanewise.ir.parser import parse_program
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import evaluate

LOOP = """
func.func @f(%low: i8, %high: i8, %step: i8, %zero: i32, %one: i32) -> (i32, i8) {
  %none = arith.constant 77 : i8
  %n, %last = scf.for unsigned %i = %low to %high step %step iter_args(%a = %zero, %l = %none) -> (i32, i8) : i8 {
    %b = arith.addi %a, %one : i32
    scf.yield %b, %i : i32, i8
  }
  return %n, %last : i32, i8
}"""


@pytest.mark.parametrize(
    "bounds", [(0, 255, 1), (0, 255, 100), (200, 250, 7), (250, 3, 1), (127, 129, 1), (0, 128, 128), (5, 5, 1)]
)
def test_counts(bounds: tuple[int, int, int]) -> None:
    (op,) = parse_program(LOOP).body.operations
    assert isinstance(op, FuncOp)
    numbers = [*(np.array(n, np.uint8).view(np.int8) for n in bounds), np.int32(0), np.int32(1)]
    expected = range(*bounds)
    count, last = evaluate(op, *numbers)
    assert (int(count), int(last) & 0xFF) == (len(expected), expected[-1] if expected else 77)


def test_a_step_of_zero() -> None:
    (op,) = parse_program(LOOP).body.operations
    assert isinstance(op, FuncOp)
    with pytest.raises(EvaluationError, match="has step 0, it must be positive"):
        evaluate(op, *map(np.int8, (0, 1, 0)), np.int32(0), np.int32(1))
