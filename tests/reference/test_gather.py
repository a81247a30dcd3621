"""The reference's gather and scatter: worked numbers, the order of a scatter, masks, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanewise.ir.dialects.func import FuncOp
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import evaluate, run_kernel

GATHER = "vector.gather %m[%i, %j][%v], %k, %p : memref<3x4xf32>, vector<5xi32>, vector<5xi1>, vector<5xf32>"
SCATTER = "vector.scatter %m[%i, %j][%v], %k, %p"
TYPES = ": memref<3x4xf32>, vector<5xi32>, vector<5xi1>, vector<5xf32>"
SIGNATURE = "%m: memref<3x4xf32>, %i: index, %j: index, %v: vector<5xi32>, %k: vector<5xi1>, %p: vector<5xf32>"
ON = np.ones(5, np.bool_)


def run(body: str, results: str, *arguments: Any) -> list[Any]:
    arrow = f" -> {results}" if results else ""
    module = parse_program(f"func.func @f({SIGNATURE}){arrow} {{\n{body}\n}}")
    verify(module)
    (op,) = module.body.operations
    assert isinstance(op, FuncOp)
    return evaluate(op, *arguments)


def gather(memory: Any, i: int, j: int, indices: list[int], mask: Any) -> list[float]:
    rest = np.full(5, -1, np.float32)
    body = f"%0 = {GATHER} into vector<5xf32>\nreturn %0 : vector<5xf32>"
    (found,) = run(body, "vector<5xf32>", memory, i, j, np.array(indices, np.int32), mask, rest)
    assert isinstance(found, np.ndarray)
    return [float(x) for x in found]


def scatter(memory: Any, indices: list[int], mask: Any, attributes: str = "") -> None:
    values = np.arange(5, dtype=np.float32)
    run(f"{SCATTER} {attributes} {TYPES}\nreturn", "", memory, 1, 1, np.array(indices, np.int32), mask, values)


def memory() -> Any:
    return np.arange(12, dtype=np.float32).reshape(3, 4)


def test_only_the_last_index_is_counted_on_from() -> None:
    assert gather(memory(), 1, 1, [2, 0, -1, 0, 1], ON) == [7, 5, 4, 5, 6]


def test_what_is_masked_off_may_lie_anywhere() -> None:
    mask = np.array([True, False, True, False, True])
    assert gather(memory(), 2, 0, [3, 99, 0, -7, 1], mask) == [11, -1, 8, -1, 9]
    assert gather(memory(), 7, 0, [3, 99, 0, -7, 1], np.zeros(5, np.bool_)) == [-1] * 5


def test_of_elements_that_go_to_one_place_the_last_stays() -> None:
    found = memory()
    scatter(found, [2, 0, 2, 0, -1], ON)
    assert found[1].tolist() == [4, 3, 6, 2]


def test_a_masked_element_does_not_hide_an_earlier_one() -> None:
    found = memory()
    scatter(found, [0, 0, 0, 1, 1], np.array([True, True, False, True, False]))
    assert found[1].tolist() == [4, 1, 3, 7]


def test_promised_places_differ() -> None:
    scatter(memory(), [0, 0, 1, 2, -1], np.array([False, True, True, True, True]), "{lanewise.distinct}")
    with pytest.raises(
        EvaluationError, match=r"writes element \[1, 3\] of %m, where another element of the vector goes, too"
    ):
        scatter(memory(), [0, 2, 1, 2, -1], ON, "{lanewise.distinct}")


def test_an_element_outside() -> None:
    with pytest.raises(EvaluationError, match=r"reads element \[1, 4\] of %m out of bounds: index 4 of dimension 1"):
        gather(memory(), 1, 1, [0, 1, 3, 2, 9], ON)
    with pytest.raises(EvaluationError, match=r"index 3 of dimension 0, whose extent is 3"):
        gather(memory(), 3, 1, [0, 1, 0, 1, 0], ON)
    with pytest.raises(EvaluationError, match=r"writes element \[1, -1\] of %m out of bounds"):
        scatter(memory(), [0, 1, 0, 1, -2], ON)


def test_alignment_is_that_of_each_element() -> None:
    scatter(memory(), [1, -1, 1, -1, 1], ON, "alignment = 8")
    with pytest.raises(EvaluationError, match=r"element \[1, 1\] at an address that is no multiple of 8 bytes"):
        scatter(memory(), [1, -1, 0, -1, 1], ON, "alignment = 8")


@pytest.mark.parametrize("body", ["%0 = vector.expandload %m[%i, %j], %k, %p alignment = 16 : TYPES into vector<5xf32>",
                                  "vector.compressstore %m[%i, %j], %k, %p alignment = 16 : TYPES"])  # fmt: skip
def test_what_is_said_of_the_first_places_address_is_checked(body: str) -> None:
    text = body.replace("TYPES", "memref<3x4xf32>, vector<5xi1>, vector<5xf32>")
    kernel = find_kernel(
        parse_program(
            "gpu.func @f(%m: memref<3x4xf32>, %i: index, %j: index) kernel "
            "attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {\n"
            "%k = arith.constant dense<false> : vector<5xi1>\n%p = arith.constant dense<0.0> : vector<5xf32>\n"
            f"{text}\ngpu.return\n}}"
        )
    )
    memory = np.zeros((3, 4), np.float32)
    run_kernel(kernel, (1, 1, 1), [memory, 1, 0])
    with pytest.raises(EvaluationError, match="states 16, the address ends in"):
        run_kernel(kernel, (1, 1, 1), [memory, 1, 2])
