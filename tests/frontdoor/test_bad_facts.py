"""What a program states of its arguments, and arguments of the front door, that make no sense."""

from __future__ import annotations

from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.jit.grids import GridError, grid_of


def stating(type: str, fact: str) -> str:
    return (
        f"gpu.func @k(%x: {type} {{{fact}}}) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{\n"
        "  gpu.return\n}\n"
    )


@pytest.mark.parametrize(
    ("type", "fact", "found"),
    [
        ("memref<?xf32>", "llvm.align = 0 : i64", "llvm.align is 0 : i64, expected a power of two"),
        ("memref<?xf32>", 'llvm.align = "16"', 'llvm.align is "16", expected a power of two on a memref'),
        ("index", "llvm.align = 16 : i64", "expected a power of two on a memref"),
        ("f32", "lanewise.divisibility = 4 : i64", "is of an integer, an index or a memref, found f32"),
        ("memref<?xf32>", "lanewise.divisibility = array<f32: 2.0>", "expected a number for each of 1 extents"),
        ("memref<?xf32>", "llvm.align = 24 : i64", "llvm.align is 24"),
        ("memref<?xf32>", "llvm.align = -4 : i64", "llvm.align is -4"),
        ("index", "lanewise.divisibility = 0 : i64", "expected numbers of at least 1"),
        ("memref<?xf32>", "lanewise.divisibility = array<i64: 0>", "expected numbers of at least 1"),
        ("memref<?xf32>", "lanewise.divisibility = array<i64: 1, 4>", "has 2 numbers, expected a number for each of 1"),
    ],
)
def test_a_fact_that_is_none(type: str, fact: str, found: str) -> None:
    with pytest.raises(lanewise.CompileError, match=f"argument 0 of '@k': .*{found}"):
        _ = lanewise.compile(stating(type, fact)).ptx


def test_numbers_too_wide_for_a_launch() -> None:
    with pytest.raises(lanewise.ProgramError, match="at most 64 bits, found i128"):
        lanewise.compile(stating("memref<4xi128>", ""))


@pytest.mark.parametrize("source", [None, b"module {}", 5])
def test_sources_that_are_no_program(source: Any) -> None:
    with pytest.raises(lanewise.SourceError, match="a program is text, a path or a module"):
        lanewise.compile(source)


def test_grids_of_numpy_numbers() -> None:
    assert grid_of(np.int64(3)) == (3, 1, 1)  # type: ignore[arg-type]
    assert grid_of((np.int32(2), 5)) == (2, 5, 1)  # type: ignore[arg-type]
    for grid in (None, 2.0, "3", (1, True)):
        with pytest.raises(GridError, match="one to three numbers"):
            grid_of(grid)  # type: ignore[arg-type]


def test_hundreds_of_operations_on_constants() -> None:
    """They are made anew where they are used; how many there are is no question of how deep calls nest."""
    chain = "".join(f"  %v{i + 1} = arith.addi %v{i}, %v{i} : vector<4xi32>\n" for i in range(600))
    text = f"""
gpu.func @k(%y: memref<4xi32>) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %v0 = arith.constant dense<3> : vector<4xi32>
{chain}  vector.transfer_write %v600, %y[%c0] : vector<4xi32>, memref<4xi32>
  gpu.return
}}
"""
    assert "addi" in lanewise.compile(text).layout_ir
