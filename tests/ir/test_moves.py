"""Operations that only move elements: what they do is read off their meaning, and nobody else knows their names."""

from pathlib import Path

import numpy as np
import pytest
from lanewise.ir.dialects import vector
from lanewise.ir.element_moves import moves_all, only_moves, reindexes
from lanewise.ir.parser import parse_program

ROOT = Path(__file__).parents[2]
LAYERS = ("ir", "layout", "distribute", "codegen", "emulate", "jit", "check", "cli")
OPERATIONS = ("ExtractStridedSliceOp", "InsertStridedSliceOp", "vector.ShuffleOp")


@pytest.mark.parametrize("name", OPERATIONS)
def test_their_dialect_is_all_there_is(name: str) -> None:
    """Adding one touches the file of its class, the dialect's module, and a filetest; others there may be short for it.

    Padding puts slices in itself.
    """
    found = (path for layer in LAYERS for path in (ROOT / layer).rglob("*.py") if name in path.read_text("utf-8"))
    files = [path for path in found if path != ROOT / "layout/padding.py"]
    assert all(path.parent.name == "dialects" for path in files)
    assert moves_all(getattr(vector, name.removeprefix("vector.")))


def moves(arguments: str, body: str) -> list[np.ndarray | None]:
    """f of every operand, as whole tables."""
    module = parse_program(f"func.func @f({arguments}) {{\n{body}\nreturn\n}}")
    op = next(op for op in module.walk() if only_moves(op))
    return [None if f is None else f.whole_table() for f in reindexes(op)]


def test_a_slice() -> None:
    (table,) = moves(
        "%v: vector<4x6xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [1, 2], sizes = [2, 3], strides = [1, 1]}"
        " : vector<4x6xf32> to vector<2x3xf32>",
    )
    assert table is not None
    assert table.tolist() == [[8, 9, 10], [14, 15, 16]]


def test_an_insertion_takes_each_element_from_one_operand() -> None:
    value, dest = moves(
        "%v: vector<2xf32>, %d: vector<2x3xf32>",
        "%0 = vector.insert_strided_slice %v, %d {offsets = [1, 1], strides = [1]}"
        " : vector<2xf32> into vector<2x3xf32>",
    )
    assert value is not None and dest is not None
    assert value.tolist() == [[-1, -1, -1], [-1, 0, 1]]
    assert dest.tolist() == [[0, 1, 2], [3, -1, -1]]


def test_a_shuffle_of_one_operand_leaves_the_other_alone() -> None:
    first, second = moves("%v: vector<2xf32>", "%0 = vector.shuffle %v, %v [3, 2, 3] : vector<2xf32>, vector<2xf32>")
    assert first is None and second is not None
    assert second.tolist() == [1, 0, 1]


def test_a_position_that_is_known_later_is_no_movement() -> None:
    module = parse_program(
        "func.func @f(%v: vector<4xf32>, %i: index) {\n%0 = vector.extract %v[%i] : f32 from vector<4xf32>\nreturn\n}"
    )
    assert not any(only_moves(op) for op in module.walk())
