"""iree_gpu.coalesced_gather_dma and async_dma against numpy: which element lies where in the tile that was copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import lanewise
import ml_dtypes
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.reference.evaluate import run_kernel

LANES = {"sm_90": 32, "gfx942": 64, "gfx950": 64, "gfx1100": 32}
GROUP = "#gpu.address_space<workgroup>"


@dataclass(frozen=True)
class Case:
    source: str
    """The memref's type."""
    tile: tuple[int, ...]
    copy: str
    """Of %x to %s; %lane is the lane's number, %at an index, %rows and %columns index vectors in memory."""
    element: str = "f32"
    made: tuple[int, ...] = ()
    """What is allocated, where the tile is a part of it."""


def copied(case: Case, threads: int, subgroups: int = 1) -> str:
    """The tile is copied, and then each thread writes elements of it to memory, by number."""
    shape, made = "x".join(map(str, case.tile)), case.made or case.tile
    layout = f", strided<[{', '.join(str(int(np.prod(made[d + 1 :]))) for d in range(len(made)))}]>"
    space = f"memref<{shape}x{case.element}{layout}, {GROUP}>"
    count, out = int(np.prod(case.tile)), f"memref<{int(np.prod(case.tile))}x{case.element}>"
    basis = ", ".join(map(str, case.tile))
    whole = f"memref<{'x'.join(map(str, made))}x{case.element}, {GROUP}>"
    zeros, ones = (", ".join(digit * len(made)) for digit in "01")
    part = f"%s = memref.subview %all[{zeros}] [{basis}] [{ones}] : {whole} to {space}"
    return f"""
gpu.func @copied(%x: {case.source}, %rows: memref<4xindex>, %columns: memref<4xi32>, %at: index, %y: {out}) kernel
    attributes {{gpu.known_block_size = array<i32: {threads * subgroups}, 1, 1>, lanewise.scope = "thread",
     lanewise.subgroup_size = {threads} : i64}} {{
  %t = gpu.thread_id x
  %lane = gpu.lane_id
  %c0 = arith.constant 0 : index
  %many = arith.constant {count} : index
  %step = arith.constant {threads * subgroups} : index
  %all = memref.alloc() : {whole}
  {part}
  {case.copy.replace("SPACE", space).replace("SOURCE", case.source)}
  gpu.barrier
  scf.for %i = %t to %many step %step {{
    %place:{len(case.tile)} = affine.delinearize_index %i into ({basis}) : {", ".join(["index"] * len(case.tile))}
    %v = memref.load %s[{", ".join(f"%place#{d}" for d in range(len(case.tile)))}] : {space}
    memref.store %v, %y[%i] : {out}
  }}
  gpu.return
}}
"""


def launched(text: str, chip: str, x: np.ndarray, at: int, count: int) -> Sequence[np.ndarray]:
    """What the reference, the interpreter and the emulator give."""
    kernel = lanewise.compile(text, target=chip, device="emulated")
    results = [np.zeros(count, x.dtype) for _ in range(3)]
    given = [x, np.array(ROWS, np.int64), np.array(COLUMNS, np.int32), at]
    run_kernel(kernel.compilation.kernel, 1, [*given, results[0]], subgroup_size=LANES[chip])
    interpret_kernel(kernel.compilation.thread_kernel, 1, [*given, results[1]], subgroup_size=LANES[chip])
    kernel.launch(1, *given, results[2])
    return results


ROWS, COLUMNS = [5, 0, 9, 2], [1, 7, 3, 0]
X = np.arange(10 * 64, dtype=np.float32).reshape(10, 64)
PLAIN = "memref<10x64xf32>"
VECTOR = "%list = vector.load %rows[%c0] : memref<4xindex>, vector<4xindex>\n  "
DMA = "iree_gpu.coalesced_gather_dma"
GATHERED = f"{DMA} %x[%rows] into %s lane(%lane) : SOURCE, memref<4xindex>, SPACE, index"
CASES = {
    "whole": (Case(PLAIN, (10, 64), f"{DMA} %x into %s lane(%lane) : SOURCE, SPACE, index"), X),
    "rows": (Case(PLAIN, (4, 64), GATHERED), X[ROWS]),
    "rows of a vector": (
        Case(PLAIN, (4, 64), f"{VECTOR}{DMA} %x[%list] into %s lane(%lane) : SOURCE, vector<4xindex>, SPACE, index"),
        X[ROWS],
    ),
    "rows and columns": (
        Case(PLAIN, (4, 4), f"{DMA} %x[%rows, %columns] into %s lane(%lane)"
                            " : SOURCE, memref<4xindex>, memref<4xi32>, SPACE, index"),
        X[np.ix_(ROWS, COLUMNS)],
    ),
    "beyond the end": (
        Case(PLAIN, (12, 72), f"{DMA} %x into %s lane(%lane) in_bounds [false, false] : SOURCE, SPACE, index"),
        np.pad(X, ((0, 2), (0, 8))),
    ),
    "rows with gaps": (
        Case(PLAIN, (4, 64), GATHERED, made=(4, 80)),
        X[ROWS],
    ),
}  # fmt: skip


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", ["sm_90", "gfx942"])
@pytest.mark.parametrize("name", CASES)
def test_each_element_of_a_tile(name: str, chip: str) -> None:
    case, expected = CASES[name]
    for found in launched(copied(case, LANES[chip]), chip, X, 0, expected.size):
        np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_pieces_that_lanes_have_no_equal_number_of() -> None:
    """21 rows of six numbers are 63 pieces of two for 32 lanes, so one lane has one piece less."""
    x = np.arange(21 * 6, dtype=np.float32).reshape(21, 6)
    case = Case("memref<21x6xf32>", (21, 6), f"{DMA} %x into %s lane(%lane) : SOURCE, SPACE, index")
    for found in launched(copied(case, 32), "sm_90", x, 0, x.size):
        np.testing.assert_array_equal(found.reshape(x.shape), x)


def test_elements_of_less_than_a_byte() -> None:
    x = np.arange(8 * 32).reshape(8, 32).astype(ml_dtypes.int4)
    case = Case("memref<8x32xi4>", (8, 32), f"{DMA} %x into %s lane(%lane) : SOURCE, SPACE, index", element="i4")
    for found in launched(copied(case, 64), "gfx950", x, 0, x.size):
        np.testing.assert_array_equal(found.reshape(x.shape), x)


ASYNC = "iree_gpu.async_dma"
TILES = {
    "a corner": (
        Case(PLAIN, (4, 32), f"{ASYNC} %x[%c0, %at] to %s[%c0, %c0], vector<4x32xf32> : SOURCE, SPACE"),
        X[:4, 3:35],
    ),
    "transposed": (
        Case(PLAIN, (16, 4), f"{ASYNC} %x[%at, %c0] to %s[%c0, %c0], vector<16x4xf32>"
                             " permutation_map affine_map<(r, c) -> (c, r)> : SOURCE, SPACE"),
        X[3:7, :16].T,
    ),
    "rows, some outside": (
        Case(PLAIN, (4, 64), f"{VECTOR}{ASYNC} %x[%list, %at] to %s[%c0, %c0], vector<4x64xf32> in_bounds [true, false]"
                             " : SOURCE [vector<4xindex>, index], SPACE"),
        np.pad(X[ROWS, 3:], ((0, 0), (0, 3))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("chip", ["sm_90", "gfx1100"])
@pytest.mark.parametrize("name", TILES)
def test_tiles_of_a_workgroups_threads(name: str, chip: str) -> None:
    case, expected = TILES[name]
    for found in launched(copied(case, LANES[chip], 2), chip, X, 3, expected.size):
        np.testing.assert_array_equal(found.reshape(expected.shape), expected)
