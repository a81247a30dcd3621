"""Blocks that branch mean the same once they are loops and branches with regions, whatever their graph is."""

from __future__ import annotations

from pathlib import Path

import lanewise
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.frontend.legalise import expanded
from lanewise.ir.kernels import find_kernel
from lanewise.ir.printer import print_operation
from lanewise.reference.evaluate import run_kernel
from lanewise.support.diagnostics import CompileError

from ..examples import examples

INPUTS = range(6)
ROUNDS = 12
"""After so many blocks every way leads out."""


def program(ways: list[tuple[int, int]]) -> str:
    """Each block goes on to one of two others, by a bit of a number that it changes; -1 is the way out."""

    def target(block: int, values: str) -> str:
        return f"^out({values.split(',')[0]} : i32)" if block < 0 else f"^b{block}({values} : i32, i32)"

    blocks = []
    for i, (yes, no) in enumerate(ways):
        blocks.append(f"""^b{i}(%v{i}: i32, %n{i}: i32):
  %k{i} = arith.constant {2 * i + 3} : i32
  %m{i} = arith.muli %v{i}, %k{i} : i32
  %w{i} = arith.addi %m{i}, %k{i} : i32
  %o{i} = arith.addi %n{i}, %one : i32
  %over{i} = arith.cmpi sge, %o{i}, %rounds : i32
  cf.cond_br %over{i}, ^out(%w{i} : i32), ^d{i}
^d{i}:
  %s{i} = arith.shrui %w{i}, %one : i32
  %bit{i} = arith.trunci %s{i} : i32 to i1
  cf.cond_br %bit{i}, {target(yes, f"%w{i}, %o{i}")}, {target(no, f"%w{i}, %o{i}")}
""")
    return f"""
gpu.func @f(%N: memref<{len(INPUTS)}xi32>, %Y: memref<{len(INPUTS)}xi32>) kernel
    attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %one = arith.constant 1 : i32
  %rounds = arith.constant {ROUNDS} : i32
  %b = gpu.block_id x
  %n = memref.load %N[%b] : memref<{len(INPUTS)}xi32>
  cf.br ^b0(%n, %one : i32, i32)
{"".join(blocks)}^out(%r: i32):
  memref.store %r, %Y[%b] : memref<{len(INPUTS)}xi32>
  gpu.return
}}
"""


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[int, int]]:
    count = draw(st.integers(1, 6))
    block = st.integers(-1, count - 1)
    return [(draw(block), draw(block)) for _ in range(count)]


@settings(max_examples=examples(60), deadline=None)
@given(graphs())
def test_structured_blocks_compute_the_same(ways: list[tuple[int, int]]) -> None:
    kernel = find_kernel(lanewise.parse(program(ways)))
    results = []
    try:
        plain = expanded(kernel)
    except CompileError as error:
        assert "irreducible" in str(error)
        return
    for each in (kernel, plain):
        out = np.zeros(len(INPUTS), np.int32)
        run_kernel(each, (len(INPUTS), 1, 1), [np.array(INPUTS, np.int32), out])
        results.append(out)
    np.testing.assert_array_equal(*results)
    lanewise.parse(print_operation(plain.op))


def test_no_operation_is_copied() -> None:
    """A tail that two arms share stands once."""
    kernel = find_kernel(lanewise.parse(program([(1, 2), (2, -1), (-1, -1)])))
    multiplications = [op for op in expanded(kernel).op.walk() if op.opname == "arith.muli"]
    assert len(multiplications) == 3


def test_tensors_of_storage_buffers_are_cast_to_raw_buffers() -> None:
    """And no others."""
    path = Path(__file__).parents[1] / "filetests/iree_gpu/buffer_resource_cast.mlir"
    plain = expanded(find_kernel(lanewise.parse(path.read_text(encoding="utf-8"))))
    (cast,) = [op for op in plain.op.walk() if op.opname == "amdgpu.fat_raw_buffer_cast"]
    assert cast.operands[0] is plain.arguments[0]
    assert "resetOffset" in cast.attributes and str(cast.operands[1].type) == "i14"
