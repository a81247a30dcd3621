"""Whole kernels as compilers emit them: row softmax, and a tile of a matrix product through shared memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .conftest import SHARED, Run

SOFTMAX = f"""
  %w = gpu.block_id x
  %i = arith.muli %t, %c4 : index
  %lane = gpu.lane_id
  %subgroup = gpu.subgroup_id : index
  %elected = arith.cmpi eq, %lane, %c0 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %shared = memref.alloc() : memref<8xf32, {SHARED}>
  %x = vector.load %a[%w, %i] {{alignment = 16 : i64}} : memref<?x1024xf32>, vector<4xf32>
  %x0:4 = vector.to_elements %x : vector<4xf32>
  %m1 = arith.maximumf %x0#0, %x0#1 : f32
  %m2 = arith.maximumf %x0#2, %x0#3 : f32
  %m3 = arith.maximumf %m1, %m2 : f32
  %m4 = gpu.subgroup_reduce maximumf %m3 : (f32) -> f32
  scf.if %elected {{
    memref.store %m4, %shared[%subgroup] : memref<8xf32, {SHARED}>
  }}
  gpu.barrier
  %max = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %low) -> (f32) {{
    %p = memref.load %shared[%k] : memref<8xf32, {SHARED}>
    %n = arith.maximumf %acc, %p : f32
    scf.yield %n : f32
  }}
  gpu.barrier
  %maxs = vector.broadcast %max : f32 to vector<4xf32>
  %d = arith.subf %x, %maxs : vector<4xf32>
  %e = math.exp %d : vector<4xf32>
  %e0:4 = vector.to_elements %e : vector<4xf32>
  %s1 = arith.addf %e0#0, %e0#1 : f32
  %s2 = arith.addf %e0#2, %e0#3 : f32
  %s3 = arith.addf %s1, %s2 : f32
  %s4 = gpu.subgroup_reduce add %s3 : (f32) -> f32
  scf.if %elected {{
    memref.store %s4, %shared[%subgroup] : memref<8xf32, {SHARED}>
  }}
  gpu.barrier
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (f32) {{
    %p = memref.load %shared[%k] : memref<8xf32, {SHARED}>
    %n = arith.addf %acc, %p : f32
    scf.yield %n : f32
  }}
  %sums = vector.broadcast %sum : f32 to vector<4xf32>
  %r = arith.divf %e, %sums : vector<4xf32>
  vector.store %r, %out[%w, %i] {{alignment = 16 : i64}} : memref<?x1024xf32>, vector<4xf32>
"""


def test_row_softmax(run: Run) -> None:
    """300 rows of 256 threads do not fit one batch."""
    a = np.random.default_rng(1).normal(0, 4, (300, 1024)).astype(np.float32)
    out = np.zeros_like(a)
    run(SOFTMAX, "%a: memref<?x1024xf32>, %out: memref<?x1024xf32>", a, out, grid=300, threads="256, 1, 1")
    wide = np.exp((a - a.max(1, keepdims=True)).astype(np.float64))
    # After the difference: one rounding of the exponential, at most 3 + 5 + 8 of the sum, one of the quotient.
    np.testing.assert_allclose(out, wide / wide.sum(1, keepdims=True), rtol=18 * 2.0**-24)


@pytest.mark.parametrize("which", range(3))
def test_every_barrier_of_the_softmax_is_missed(error: Callable[..., str], which: int) -> None:
    parts = SOFTMAX.split("  gpu.barrier\n")
    assert len(parts) == 4
    text = "".join(part + ("  gpu.barrier\n" if i != which and i < 3 else "") for i, part in enumerate(parts))
    a = np.zeros((2, 1024), np.float32)
    message = error(text, "%a: memref<?x1024xf32>, %out: memref<?x1024xf32>", a, a.copy(), grid=2, threads="256, 1, 1")
    assert "of %shared (workgroup memory), which" in message


class Tile:
    """C = A B of one workgroup of 2 x 4 warps: operands to padded shared memory, ldmatrix, mma.sync, stores."""

    def __init__(self, m: int, n: int, k: int) -> None:
        self.m, self.n, self.k = m, n, k
        self.constants: dict[int, str] = {}
        self.lines: list[str] = []
        self.shared = {"a": f"memref<{m}x{k + 8}xf16, {SHARED}>", "b": f"memref<{k}x{n + 8}xf16, {SHARED}>"}
        for name, type in self.shared.items():
            self.lines.append(f"  %s{name} = memref.alloc() {{alignment = 16}} : {type}")

    def arguments(self) -> str:
        return (
            f"%a: memref<{self.m}x{self.k}xf16>, %b: memref<{self.k}x{self.n}xf16>, %c: memref<{self.m}x{self.n}xf32>"
        )

    def op(self, text: str) -> str:
        self.lines.append(f"  %v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def index(self, word: str, a: str, b: str | int) -> str:
        """Index arithmetic with a value or a number."""
        if isinstance(b, int):
            b = self.constants.setdefault(b, f"%k{b}")
        return self.op(f"arith.{word} {a}, {b} : index")

    def fill(self, name: str, rows: int, columns: int) -> None:
        """256 threads copy packs of 8."""
        for first in range(0, rows * columns, 256 * 8):
            linear = self.index("addi", self.index("muli", "%t", 8), first)
            place = f"[{self.index('divui', linear, columns)}, {self.index('remui', linear, columns)}]"
            aligned = "{alignment = 16 : i64}"
            x = self.op(f"vector.load %{name}{place} {aligned} : memref<{rows}x{columns}xf16>, vector<8xf16>")
            self.lines.append(f"  vector.store {x}, %s{name}{place} {aligned} : {self.shared[name]}, vector<8xf16>")

    def load(self, name: str, row: str, column: str) -> str:
        attributes = f"{{transpose = {'true' if name == 'b' else 'false'}, numTiles = 4 : i32}}"
        return self.op(
            f"nvgpu.ldmatrix %s{name}[{row}, {column}] {attributes} : {self.shared[name]} -> vector<4x2xf16>"
        )

    def halves(self, pack: str, to: str) -> list[str]:
        """Both halves of a pack of eight (four) elements."""
        count, type = (8, "vector<4x2xf16>") if to == "vector<2x2xf16>" else (4, "vector<2x2xf32>")
        self.lines.append(f"  {pack}e:{count} = vector.to_elements {pack} : {type}")
        names = [f"{pack}e#{i}" for i in range(count)]
        parts = names[: count // 2], names[count // 2 :]
        return [self.op(f"vector.from_elements {', '.join(part)} : {to}") for part in parts]

    def text(self) -> str:
        m, n, k = self.m, self.n, self.k
        self.fill("a", m, k)
        self.fill("b", k, n)
        self.lines.append("  gpu.barrier")
        lane, warp = self.op("gpu.lane_id"), self.op("gpu.subgroup_id : index")
        row = self.index("muli", self.index("divui", warp, 4), m // 2)
        column = self.index("muli", self.index("remui", warp, 4), n // 4)
        acc = self.multiply(lane, row, column)
        first = self.index("addi", row, self.index("divui", lane, 4))
        second = self.index("addi", column, self.index("muli", self.index("remui", lane, 4), 2))
        for (i, j), value in acc.items():
            for half, pair in enumerate(self.halves(value, "vector<2xf32>")):
                place = f"[{self.index('addi', first, 16 * i + 8 * half)}, {self.index('addi', second, 8 * j)}]"
                self.lines.append(f"  vector.store {pair}, %c{place} : memref<{m}x{n}xf32>, vector<2xf32>")
        return "\n".join([*(f"  {v} = arith.constant {c} : index" for c, v in self.constants.items()), *self.lines])

    def multiply(self, lane: str, row: str, column: str) -> dict[tuple[int, int], str]:
        """Accumulators of the warp's 16x8 pieces; `row` and `column` are where its part of C begins."""
        lane_row, lane_column = self.index("remui", lane, 16), self.index("muli", self.index("divui", lane, 16), 8)
        row, column = self.index("addi", row, lane_row), self.index("addi", column, lane_column)
        zero = self.op("arith.constant dense<0.0> : vector<2x2xf32>")
        acc = {(i, j): zero for i in range(self.m // 32) for j in range(self.n // 32)}
        signature = "(vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>"
        for step in range(0, self.k, 16):
            at, k_row = self.index("addi", lane_column, step), self.index("addi", lane_row, step)
            lhs = [self.load("a", self.index("addi", row, 16 * i), at) for i in range(self.m // 32)]
            wide = [self.load("b", k_row, self.index("addi", column, 8 * j)) for j in range(0, self.n // 32, 2)]
            rhs = [half for pack in wide for half in self.halves(pack, "vector<2x2xf16>")]
            for i, j in acc:
                operands = f"({lhs[i]}, {rhs[j]}, {acc[i, j]})"
                acc[i, j] = self.op(f"nvgpu.mma.sync{operands} {{mmaShape = [16, 8, 16]}} : {signature}")
        return acc


def test_a_tile_of_a_matrix_product(run: Run) -> None:
    m, n, k = 128, 128, 64
    draw = np.random.default_rng(2)
    a, b = draw.integers(-3, 4, (m, k)).astype(np.float16), draw.integers(-3, 4, (k, n)).astype(np.float16)
    c = np.full((m, n), np.nan, np.float32)
    tile = Tile(m, n, k)
    run(tile.text(), tile.arguments(), a, b, c, threads="256, 1, 1")
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))
