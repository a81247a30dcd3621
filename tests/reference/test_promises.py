"""Flags that promise something of the operands: what does not hold of scalars is reported as undefined."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.dialects.func import FuncOp
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import evaluate

MOST, LEAST = 2**31 - 1, -(2**31)


def evaluated(line: str, types: tuple[str, ...], *numbers: int) -> object:
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip("ab", types, strict=False))
    module = parse_program(f"func.func @f({arguments}) {{\n%r = {line}\nreturn\n}}")
    verify(module)
    (op,) = module.body.operations
    assert isinstance(op, FuncOp)
    return evaluate(op, *(np.array(n, np.int32) for n in numbers))


BROKEN = [
    ("arith.addi %a, %b overflow<nsw> : i32", "nsw", (MOST, 1)),
    ("arith.addi %a, %b overflow<nuw> : i32", "nuw", (-1, 1)),
    ("arith.subi %a, %b overflow<nsw> : i32", "nsw", (LEAST, 1)),
    ("arith.subi %a, %b overflow<nuw> : i32", "nuw", (0, 1)),
    ("arith.muli %a, %b overflow<nsw> : i32", "nsw", (1 << 16, 1 << 15)),
    ("arith.shli %a, %b overflow<nsw> : i32", "nsw", (1, 31)),
    ("arith.shli %a, %b overflow<nuw> : i32", "nuw", (2, 31)),
    ("arith.divsi %a, %b exact : i32", "exact", (7, 2)),
    ("arith.divui %a, %b exact : i32", "exact", (-1, 2)),
    ("arith.shrsi %a, %b exact : i32", "exact", (-1, 1)),
    ("arith.shrui %a, %b exact : i32", "exact", (6, 2)),
    ("arith.extui %a nneg : i32 to i64", "nneg", (-1, 0)),
    ("arith.uitofp %a nneg : i32 to f32", "nneg", (-1, 0)),
    ("arith.trunci %a overflow<nsw> : i32 to i8", "nsw", (128, 0)),
    ("arith.trunci %a overflow<nuw> : i32 to i8", "nuw", (-1, 0)),
    ("arith.index_castui %a nneg : i32 to index", "nneg", (-1, 0)),
]
KEPT = [
    ("arith.addi %a, %b overflow<nsw, nuw> : i32", (MOST - 1, 1)),
    ("arith.addi %a, %b overflow<nsw> : i32", (-1, 1)),
    ("arith.addi %a, %b overflow<nuw> : i32", (MOST, 1)),
    ("arith.subi %a, %b overflow<nsw> : i32", (0, 1)),
    ("arith.muli %a, %b overflow<nuw> : i32", (1 << 16, 1 << 15)),
    ("arith.shli %a, %b overflow<nuw> : i32", (1, 31)),
    ("arith.shli %a, %b overflow<nsw> : i32", (-1, 31)),
    ("arith.divsi %a, %b exact : i32", (-8, 2)),
    ("arith.divui %a, %b exact : i32", (-2, 2)),
    ("arith.shrsi %a, %b exact : i32", (-8, 3)),
    ("arith.shrui %a, %b exact : i32", (-8, 3)),
    ("arith.extui %a nneg : i32 to i64", (MOST, 0)),
    ("arith.trunci %a overflow<nsw> : i32 to i8", (-128, 0)),
    ("arith.trunci %a overflow<nuw> : i32 to i8", (255, 0)),
]


@pytest.mark.parametrize(("line", "flag", "numbers"), BROKEN)
def test_a_promise_that_does_not_hold(line: str, flag: str, numbers: tuple[int, int]) -> None:
    with pytest.raises(EvaluationError, match=rf"is undefined: '{flag}' promises what does not hold of {numbers[0]}"):
        evaluated(line, ("i32", "i32"), *numbers)
    without = line.replace(" exact", "").replace(" nneg", "").replace(f" overflow<{flag}>", "")
    evaluated(without, ("i32", "i32"), *numbers)


@pytest.mark.parametrize(("line", "numbers"), KEPT)
def test_a_promise_that_holds(line: str, numbers: tuple[int, int]) -> None:
    evaluated(line, ("i32", "i32"), *numbers)


def test_elements_of_a_vector_are_not_looked_at() -> None:
    text = "func.func @f(%a: vector<2xi32>) {\n%r = arith.addi %a, %a overflow<nsw> : vector<2xi32>\nreturn\n}"
    (op,) = parse_program(text).body.operations
    assert isinstance(op, FuncOp)
    evaluate(op, np.array([MOST, 1], np.int32))
