"""Loops whose reads are moved give what they gave before: random bounds, places, element types and uses."""

from __future__ import annotations

import lanewise
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lanewise.check.validate import validate

PROGRAM = """
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @f(%A: memref<?x?x{element}>, %B: memref<?x?x{element}>, %C: memref<16x16x{sum}>,
            %low: {counter}, %high: {counter}) kernel attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {step} : {counter}
  %row = arith.constant {row} : index
  %shift = arith.constant {shift} : index
  %pad = arith.constant {padding} : {element}
  %zero = arith.constant dense<{zero}> : vector<16x16x{sum}>
  %sum = scf.for %i = %low to %high step %step iter_args(%acc = %zero) -> (vector<16x16x{sum}>) : {counter} {{
    {index}
    %moved = arith.addi %k, %shift : index
    %a = vector.transfer_read %A[%row, %moved], %pad {{in_bounds = [{row_inside}, false]}}
      : memref<?x?x{element}>, vector<16x8x{element}>
    %b = vector.transfer_read %B[%k, %c0], %pad {{in_bounds = [false, {row_inside}]}}
      : memref<?x?x{element}>, vector<8x16x{element}>
    %next = vector.contract {{indexing_maps = [#mk, #kn, #mn], kind = #vector.kind<add>,
      iterator_types = ["parallel", "parallel", "reduction"]}} %a, %b, %acc
      : vector<16x8x{element}>, vector<8x16x{element}> into vector<16x16x{sum}>
    {use}
    scf.yield %next : vector<16x16x{sum}>
  }}
  vector.transfer_write %sum, %C[%c0, %c0] : vector<16x16x{sum}>, memref<16x16x{sum}>
  gpu.return
}}
"""
TYPES = {
    "f16": ("f32", np.float16, np.float32),
    "i8": ("i32", np.int8, np.int32),
    "f32": ("f32", np.float32, np.float32),
}
USES = {
    "none": "",
    "writes what it reads": "vector.transfer_write %b, %B[%moved, %c0] : vector<8x16x{element}>, memref<?x?x{element}>",
    "writes the result": "vector.transfer_write %next, %C[%c0, %c0] : vector<16x16x{sum}>, memref<16x16x{sum}>",
}


@settings(max_examples=12)
@given(
    element=st.sampled_from(sorted(TYPES)),
    counter=st.sampled_from(["index", "i32"]),
    low=st.integers(-9, 9),
    trips=st.integers(0, 4),
    step=st.integers(1, 9),
    row=st.integers(0, 3),
    shift=st.integers(-3, 3),
    inside=st.booleans(),
    use=st.sampled_from(sorted(USES)),
    target=st.sampled_from(["sm_80", "gfx942"]),
)
@example("f16", "index", 0, 0, 8, 0, 0, True, "none", "sm_80")
def test_moved_reads_read_the_same(
    element: str,
    counter: str,
    low: int,
    trips: int,
    step: int,
    row: int,
    shift: int,
    inside: bool,
    use: str,
    target: str,
) -> None:
    total, number, wide = TYPES[element]
    index = "%k = arith.index_cast %i : i32 to index" if counter == "i32" else "%k = arith.addi %i, %c0 : index"
    text = PROGRAM.format(
        element=element,
        sum=total,
        counter=counter,
        step=step,
        row=row,
        shift=shift,
        padding=2 if total == "i32" else 2.0,
        zero=0 if total == "i32" else 0.0,
        index=index,
        row_inside=str(inside).lower(),
        use=USES[use].format(element=element, sum=total),
    )
    kernel = lanewise.compile(text, target=target)
    rng = np.random.default_rng(step)
    a, b = rng.integers(-3, 4, (16 + row, 21)).astype(number), rng.integers(-3, 4, (21, 16)).astype(number)
    arguments = a, b, np.zeros((16, 16), wide), low, low + trips * step
    report = validate(kernel, 1, *arguments, on=["interpret"])
    assert report.ok, f"{report}\n{text}"
