"""Random nests of loops around products, with random numbers of stages: all executors and the reference agree.

python tests/schedule/nests.py 500          the nests of seeds 0 to 499; exit code 1 where one is wrong
"""

from __future__ import annotations

import sys
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


def check(seed: int) -> Report:
    text, target, arguments = nest(seed)
    return validate(lanewise.compile(text, target=target), 1, *arguments, on=["interpret", "emulated"])


def main(count: int) -> int:
    wrong = [seed for seed in range(count) if not check(seed).ok]
    print(f"{count - len(wrong)} of {count} nests are right; wrong are {wrong or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
