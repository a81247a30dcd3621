"""Random nests of loops around products, with random numbers of stages: all executors and the reference agree.

python tests/schedule/nests.py 500          the nests of seeds 0 to 499; exit code 1 where one is wrong
python tests/schedule/nests.py 60 copied    nests for sm_90a, where subgroups of their own copy, and workgroups may stay
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import lanewise
import numpy as np
from lanewise.check.report import Report
from lanewise.check.validate import validate

ELEMENTS = {
    "f16": ("f32", np.float16, np.float32),
    "i8": ("i32", np.int8, np.int32),
    "f32": ("f32", np.float32, np.float32),
}
TARGETS = ("sm_80", "sm_80", "sm_90", "sm_75", "gfx942")
PROGRAM = """
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<?x?x{element}> {{llvm.align = 16 : i64{even_a}}}, %B: memref<?x?x{element}> {{llvm.align = 16 : i64{even_b}}},
    %C: memref<{outer}x32x32x{sum}>, %low: index, %high: index) attributes {{
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute
      workgroup_size = [{threads}, 1, 1]{stages}>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outer = arith.constant {outer} : index
  %step = arith.constant {depth} : index
  %rows = arith.constant 32 : index
  %pad = arith.constant {zero} : {element}
  %none = arith.constant dense<{zero}> : vector<32x32x{sum}>
  %w = gpu.block_id x
  %n = arith.muli %w, %rows : index
  %all = memref.dim %A, %c1 : memref<?x?x{element}>
  scf.for %o = %c0 to %outer step %c1 {{
    %m = arith.muli %o, %rows : index
    %sum = scf.for %k = {bounds} step %step iter_args(%acc = %none) -> (vector<32x32x{sum}>) {{
      %a = vector.transfer_read %A[%m, %k], %pad {inside} : memref<?x?x{element}>, vector<32x{depth}x{element}>
      %b = vector.transfer_read %B[%k, %n], %pad : memref<?x?x{element}>, vector<{depth}x32x{element}>
      %next = vector.contract {{indexing_maps = [#mk, #kn, #mn], kind = #vector.kind<add>,
        iterator_types = ["parallel", "parallel", "reduction"]}} %a, %b, %acc
        : vector<32x{depth}x{element}>, vector<{depth}x32x{element}> into vector<32x32x{sum}>
      scf.yield %next : vector<32x32x{sum}>
    }}
    vector.transfer_write %sum, %C[%o, %c0, %c0] {{in_bounds = [true, true]}} : vector<32x32x{sum}>, memref<{outer}x32x32x{sum}>
  }}
  return
}}
"""  # noqa: E501


class Nest(NamedTuple):
    text: str
    target: str
    arguments: list[object]


def nest(seed: int) -> Nest:
    rng = np.random.default_rng(seed)
    element = str(rng.choice(sorted(ELEMENTS)))
    total, number, wide = ELEMENTS[element]
    depth, outer = int(rng.choice([16, 32, 64])), int(rng.integers(1, 4))
    whole = 16 // np.dtype(number).itemsize
    step = whole if rng.random() < 0.7 else 1  # rows of whole accesses, or of any length
    length, columns = (int(rng.integers(0, 150)) // step * step for _ in range(2))
    low = int(rng.integers(0, 40)) // step * step
    high = low + int(rng.integers(0, 4)) * depth
    stages = rng.choice([-1, 0, 1, 2, 3, 4])
    options = f"#iree_gpu.pipeline_options<prefetch_num_stages = {stages}>"
    text = PROGRAM.format(
        element=element,
        sum=total,
        zero="0" if total == "i32" else "0.0",
        depth=depth,
        outer=outer,
        threads=rng.choice([64, 128]),
        stages="" if stages < 0 else f", {{gpu_pipeline_options = {options}}}",
        even_a=f", lanewise.divisibility = array<i64: 1, {step}>",
        even_b=f", lanewise.divisibility = array<i64: 1, {step}>",
        bounds=rng.choice(["%c0 to %all", "%low to %high"]),
        inside="{in_bounds = [true, false]}" if rng.random() < 0.3 else "",
    )
    a = rng.integers(-3, 4, (32 * outer, length)).astype(number)
    b = rng.integers(-3, 4, (int(rng.integers(0, 150)), columns)).astype(number)
    return Nest(text, str(rng.choice(TARGETS)), [a, b, np.zeros((outer, 32, 32), wide), low, high])


FUNCTION = """
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<?x?xf16> {{llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>}},
    %B: memref<?x?xf16> {{llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>}},
    %C: memref<?x?xf32>, %low: index, %high: index) attributes {{{asked}
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute
      workgroup_size = [{threads}, 1, 1] subgroup_size = 32{stages}>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 64 : index
  %high_tile = arith.constant {rows} : index
  %step32 = arith.constant 32 : index
  %step64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %none = arith.constant dense<0.0> : vector<{rows}x64xf32>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = arith.muli %x, %tile : index
  %eight = arith.constant 8 : index
  %first = arith.muli %low, %eight : index
  %all = memref.dim %A, %c1 : memref<?x?xf16>
  %rows = memref.dim %C, %c0 : memref<?x?xf32>
{body}
  return
}}
"""
ROWS = """  scf.for %m = %c0 to %rows step %high_tile {
BODY
  }"""
ROW = """  %m = arith.muli %y, %high_tile : index
BODY"""
LOOP = """  %sum{i} = scf.for %k{i} = {bounds} step %step{depth}
      iter_args(%acc{i} = {start}) -> (vector<{rows}x64xf32>) {{
    %a{i} = vector.transfer_read %A[%m, %k{i}], %pad : memref<?x?xf16>, vector<{rows}x{depth}xf16>
    %b{i} = vector.transfer_read %B[{place}], %pad : memref<?x?xf16>, vector<{shape}xf16>
    %next{i} = vector.contract {{indexing_maps = [#mk, {map}, #mn], kind = #vector.kind<add>,
      iterator_types = ["parallel", "parallel", "reduction"]}} %a{i}, %b{i}, %acc{i}
      : vector<{rows}x{depth}xf16>, vector<{shape}xf16> into vector<{rows}x64xf32>
    scf.yield %next{i} : vector<{rows}x64xf32>
  }}"""
WRITE = """  vector.transfer_write %sum{i}, %C[%m, %n] : vector<{rows}x64xf32>, memref<?x?xf32>"""


class Copied(NamedTuple):
    text: str
    grid: tuple[int, int, int]
    arguments: list[object]


def copied(seed: int) -> Copied:
    """One or two products one after the other, in a loop over rows or in workgroups that may stay."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([64, 128]))
    in_loop, transposed = rng.random() < 0.5, rng.random() < 0.5
    bounds = ["%c0 to %all", "%first to %high", "%first to %all", "%c0 to %m"]
    number = int(rng.integers(1, 4))
    same = int(rng.choice([32, 64]))
    lines = list[str]()
    for i in range(number):
        depth = same if rng.random() < 0.7 else int(rng.choice([32, 64]))
        place, shape, map = (f"%k{i}, %n", f"{depth}x64", "#kn") if transposed else (f"%n, %k{i}", f"64x{depth}", "#nk")
        start, chosen = "%none" if not i else f"%sum{i - 1}", str(rng.choice(bounds))
        kept = {"i": i, "depth": depth, "place": place, "shape": shape, "map": map, "start": start, "bounds": chosen}
        lines.append(LOOP.format(rows=rows, **kept))
    lines.append(WRITE.format(i=number - 1, rows=rows))
    stays = f"lanewise.persist = {rng.integers(1, 4)}," if rng.random() < 0.6 else ""
    stages = int(rng.choice([-1, 2, 3, 4]))
    options = f"#iree_gpu.pipeline_options<prefetch_num_stages = {stages}>"
    text = FUNCTION.format(
        asked=f"lanewise.specialise = true, {stays}",
        threads=rows * 2,
        rows=rows,
        stages="" if stages < 0 else f", {{gpu_pipeline_options = {options}}}",
        body=(ROWS if in_loop else ROW).replace("BODY", "\n".join(lines)),
    )
    m, n, depth = int(rng.integers(1, 200)), int(rng.integers(1, 200)), int(rng.integers(0, 25)) * 8
    if transposed:
        n = -(-n // 8) * 8
    a = rng.integers(-2, 3, (m, depth)).astype(np.float16)
    b = rng.integers(-2, 3, (depth, n) if transposed else (n, depth)).astype(np.float16)
    low = int(rng.integers(0, 3))
    grid = -(-n // 64), 1 if in_loop else -(-m // rows), 1
    return Copied(text, grid, [a, b, np.zeros((m, n), np.float32), low, int(rng.integers(0, 200))])


def check_copied(seed: int) -> Report:
    """With the pass and without; emulated answers are to be the same bits."""
    text, grid, arguments = copied(seed)
    kernel = lanewise.compile(text, target="sm_90a")
    off = lanewise.compile(text.replace("specialise = true", "specialise = false"), target="sm_90a")
    answers = [[np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments] for _ in "01"]
    for each, given in zip((kernel, off), answers, strict=True):
        each[grid](*given)
    assert np.array_equal(answers[0][2], answers[1][2]), seed  # type: ignore[arg-type]
    return validate(kernel, grid, *arguments, on=["interpret", "emulated"], thorough=False)


def check(seed: int) -> Report:
    text, target, arguments = nest(seed)
    return validate(lanewise.compile(text, target=target), 1, *arguments, on=["interpret", "emulated"])


def main(count: int, check: Callable[[int], Report]) -> int:
    wrong = [seed for seed in range(count) if not check(seed).ok]
    print(f"{count - len(wrong)} of {count} nests are right; wrong are {wrong or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), check_copied if "copied" in sys.argv else check))
