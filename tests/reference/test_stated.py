"""What programs state of memrefs and numbers is found to be wrong where it is."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.dialects.func import FuncOp
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import evaluate


def evaluated(line: str, *numbers: int) -> object:
    names = ", ".join(f"%{name}: index" for name in "ab"[: len(numbers)])
    module = parse_program(f"func.func @f(%m: memref<4x4xf32>, {names}) {{\n{line}\nreturn\n}}")
    verify(module)
    (op,) = module.body.operations
    assert isinstance(op, FuncOp)
    return evaluate(op, np.zeros((4, 4), np.float32), *(np.array(n, np.int64) for n in numbers))


SEEN = (
    "%r = memref.reinterpret_cast %m to offset: [%a], sizes: [4], strides: [%b]"
    " : memref<4x4xf32> to memref<4xf32, strided<[?], offset: ?>>"
)
ASSUMED = "%r = util.assume.int %a[<umin = 2, umax = 8, udiv = 2>, <umin = 100>] : index"


@pytest.mark.parametrize("numbers", [(0, 5), (1, 4), (15, -5), (12, 1), (3, 0)])
def test_a_view_inside_its_buffer(numbers: tuple[int, int]) -> None:
    evaluated(SEEN, *numbers)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((1, 5), "reaches behind its buffer, to element: 16"),
        ((13, 1), "reaches behind its buffer, to element: 16"),
        ((-1, 1), "begins before its buffer, at element: -1"),
        ((14, -5), "begins before its buffer, at element: -1"),
    ],
)
def test_a_view_that_leaves_its_buffer(numbers: tuple[int, int], words: str) -> None:
    with pytest.raises(EvaluationError, match=words):
        evaluated(SEEN, *numbers)


@pytest.mark.parametrize("number", [2, 8, 100, 101])
def test_a_number_as_it_is_stated(number: int) -> None:
    evaluated(ASSUMED, number)


@pytest.mark.parametrize("number", [0, 3, 10, 99])
def test_a_number_that_is_none_of_those_stated(number: int) -> None:
    with pytest.raises(EvaluationError, match=f"is none of the numbers that the program states: {number}"):
        evaluated(ASSUMED, number)


def test_a_negative_number_is_read_without_its_sign() -> None:
    evaluated(ASSUMED, -1)
