"""The programs of the sweep: products of many types, orders of operands and tiles, and kernels of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["NN", "NT", "TN", "TT"]
"""Of A and B, as BLAS has it: N is MxK for A and KxN for B, T the other way round."""

ROWS = Path(__file__).parent / "rows"


@dataclass(frozen=True)
class Type:
    """`element` and `sum` of MLIR; `dot`: what the contraction says beside them."""

    element: str
    sum: str = "f32"
    dot: str = ""

    @property
    def zero(self) -> str:
        return "0.0" if self.element.startswith(("f", "bf")) else "0"

    @property
    def zero_sum(self) -> str:
        return "0.0" if self.sum.startswith("f") else "0"


TYPES: Mapping[str, Type] = {
    "f16": Type("f16"),
    "bf16": Type("bf16"),
    "f16 sums f16": Type("f16", "f16"),
    "f8e4m3fn": Type("f8E4M3FN"),
    "i8": Type("i8", "i32"),
    "tf32": Type("f32", dot=", lanewise.tf32"),
    "f32": Type("f32"),
}


@dataclass(frozen=True)
class Product:
    """C = A B: `tile` is M, N and K; `batched` has a third index in every operand, `epilogue` adds a bias and takes
    GELU, and of `odd` leading dimensions nothing is known."""

    type: str
    form: Form
    tile: tuple[int, int, int]
    warps: int
    batched: bool = False
    epilogue: bool = False
    odd: bool = False

    @property
    def name(self) -> str:
        marks = ("batched", "epilogue", "odd")
        tile = "x".join(map(str, self.tile))
        return " ".join((self.type, self.form, tile, f"w{self.warps}", *(m for m in marks if getattr(self, m))))

    def text(self, threads: int) -> str:
        """The program of workgroups of so many threads, with small arguments in its first line."""
        kind, (m, n, k) = TYPES[self.type], self.tile
        e, s, sums = kind.element, kind.sum, f"{m}x{n}x{kind.sum}"
        batch, at, sizes = ("?x", "%batch, ", "L, ") if self.batched else ("", "", "")
        a, b = _A[self.form[0]], _B[self.form[1]]
        tiles = {"m": m, "n": n, "k": k}
        tile_a, tile_b = (f"vector<{tiles[x[0]]}x{tiles[x[1]]}x{e}>" for x in (a, b))
        at_a, at_b = (f"{at}%{x[0]}, %{x[1]}" for x in (a, b))
        size_a, size_b = (f"{sizes}{', '.join(x.upper())}" for x in (a, b))
        depth = a.index("k") + self.batched
        matrix = f"memref<{batch}?x?x{e}>"
        out, made, ending = (e, "%out", _EPILOGUE.format(m=m, n=n, e=e)) if self.epilogue else (s, "%sum", "")
        bias = ("%bias: memref<?x" + e + ">, ", ", bias = integers(-3, 3, N)") if self.epilogue else ("", "")
        maps = "\n".join(f"#{x} = affine_map<(m, n, k) -> ({x[0]}, {x[1]})>" for x in (a, b, "mn"))
        arrays = f"a = integers(-2, 2, {size_a}), b = integers(-2, 2, {size_b}){bias[1]}, c = empty({sizes}M, N)"
        numbers, grid = f"{'L = 2, ' * self.batched}M = {m}, N = {n}, K = {4 * k}", "1, 1, L" if self.batched else "1"
        return f"""\
// lanewise.args {numbers} : {arrays} ; grid = ({grid})
{maps}
gpu.func @product(%A: {matrix}, %B: {matrix}, {bias[0]}%C: memref<{batch}?x?x{out}>) kernel
    attributes {{gpu.known_block_size = array<i32: {threads}, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %of_depth = arith.constant {depth} : index
  %rows = arith.constant {m} : index
  %columns = arith.constant {n} : index
  %step = arith.constant {k} : index
  %pad = arith.constant {kind.zero} : {e}
  %zero = arith.constant dense<{kind.zero_sum}> : vector<{sums}>
  %block_x = gpu.block_id x
  %block_y = gpu.block_id y
  %batch = gpu.block_id z
  %n = arith.muli %block_x, %columns : index
  %m = arith.muli %block_y, %rows : index
  %depth = memref.dim %A, %of_depth : {matrix}
  %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zero) -> (vector<{sums}>) {{
    %a = vector.transfer_read %A[{at_a}], %pad : {matrix}, {tile_a}
    %b = vector.transfer_read %B[{at_b}], %pad : {matrix}, {tile_b}
    %next = vector.contract {{
      indexing_maps = [#{a}, #{b}, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>{kind.dot}}} %a, %b, %acc : {tile_a}, {tile_b} into vector<{sums}>
    scf.yield %next : vector<{sums}>
  }}
{ending}  vector.transfer_write {made}, %C[{at}%m, %n] : vector<{m}x{n}x{out}>, memref<{batch}?x?x{out}>
  gpu.return
}}
"""


_A: Mapping[str, str] = {"N": "mk", "T": "km"}
_B: Mapping[str, str] = {"N": "kn", "T": "nk"}
_EPILOGUE = """\
  %row = vector.transfer_read %bias[%n], %pad : memref<?x{e}>, vector<{n}x{e}>
  %wide = arith.extf %row : vector<{n}x{e}> to vector<{n}xf32>
  %added = vector.broadcast %wide : vector<{n}xf32> to vector<{m}x{n}xf32>
  %biased = arith.addf %sum, %added : vector<{m}x{n}xf32>
  %half = arith.constant dense<0.5> : vector<{m}x{n}xf32>
  %one = arith.constant dense<1.0> : vector<{m}x{n}xf32>
  %root = arith.constant dense<0.70710678> : vector<{m}x{n}xf32>
  %scaled = arith.mulf %biased, %root : vector<{m}x{n}xf32>
  %erf = math.erf %scaled : vector<{m}x{n}xf32>
  %more = arith.addf %erf, %one : vector<{m}x{n}xf32>
  %part = arith.mulf %biased, %half : vector<{m}x{n}xf32>
  %gelu = arith.mulf %part, %more : vector<{m}x{n}xf32>
  %out = arith.truncf %gelu : vector<{m}x{n}xf32> to vector<{m}x{n}x{e}>
"""


@dataclass(frozen=True)
class Row:
    """A kernel of `bench/rows` whose row has `size` elements in place of 1024."""

    kernel: Literal["softmax", "layer_norm", "rms_norm"]
    size: int

    @property
    def name(self) -> str:
        return f"{self.kernel} {self.size}"

    @property
    def warps(self) -> int:
        """As bench/triton_kernels.py chooses them."""
        return min(max(self.size // 512, 4), 16)

    def text(self, threads: int) -> str:
        """As of `Product`."""
        text = (ROWS / f"{self.kernel}.mlir").read_text(encoding="utf-8")
        text = re.sub(r"\b1024(?=x|\b)", str(self.size), text).replace("N = 1000", f"N = {self.size - 24}")
        return text.replace("M = 64", "M = 2").replace("array<i32: 128,", f"array<i32: {threads},")


Program: TypeAlias = Product | Row

_PLAIN = Product("f16", "NN", (128, 128, 64), 8)
_TILES = (
    (64, 64, 64, 4), (64, 256, 32, 8), (128, 64, 64, 8), (128, 128, 32, 4), (128, 256, 64, 8), (256, 128, 64, 8),
    (192, 128, 64, 8), (256, 256, 32, 8), (256, 256, 64, 8), (256, 256, 64, 16), (32, 32, 64, 2),
)  # fmt: skip


def products() -> Iterator[Product]:
    """Of one chip: tiles of f16, then types by forms at one tile, then what else an operand may be."""
    yield _PLAIN
    for *tile, warps in _TILES:
        yield replace(_PLAIN, tile=(tile[0], tile[1], tile[2]), warps=warps)
    for form in ("NT", "TN", "TT"):
        yield replace(_PLAIN, form=form)
    for kind, depth in (("bf16", 64), ("f16 sums f16", 64), ("f8e4m3fn", 128), ("i8", 128), ("tf32", 32), ("f32", 16)):
        for form in ("NN", "NT"):
            yield replace(_PLAIN, type=kind, form=form, tile=(128, 128, depth))
    for kind in ("f16", "bf16"):
        yield replace(_PLAIN, type=kind, batched=True)
        yield replace(_PLAIN, type=kind, epilogue=True)
        yield replace(_PLAIN, type=kind, form="NT", epilogue=True)
    yield replace(_PLAIN, odd=True)
    yield replace(_PLAIN, form="NT", odd=True)


def rows() -> Iterator[Row]:
    for size in (512, 2048, 8192, 16384, 32768):
        yield Row("softmax", size)
    for size in (1024, 4096, 16384):
        yield Row("layer_norm", size)
        yield Row("rms_norm", size)


PROGRAMS: Mapping[str, Program] = {program.name: program for program in (*products(), *rows())}
