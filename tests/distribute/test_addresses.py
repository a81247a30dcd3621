"""Index arithmetic that rows share, and fragments that need no moves."""

import re
from pathlib import Path

import lanewise
import pytest
from lanewise.ir.core import Value
from lanewise.ir.dialects import nvgpu, vector
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.facts import ArgumentFacts
from lanewise.targets import find_chip

MATMUL = Path(__file__).parents[2] / "examples/matmul_f16.mlir"

COPY = """
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [16, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [1, 1],
  subgroup_strides = [0, 0], thread_strides = [8, 1]>
gpu.func @copy(%x: memref<?x?xf32>, %y: memref<64x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %block = gpu.block_id x
  %row = arith.muli %block, %c64 : index
  %0 = vector.transfer_read %x[%row, %c0], %p : memref<?x?xf32>, vector<64x8xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x8xf32>
  vector.transfer_write %1, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x8xf32>, memref<64x8xf32>
  gpu.return
}
"""


def test_rows_of_unknown_pitch_share_one_product() -> None:
    """Sixteen rows, four apart: the thread's first is multiplied with the pitch; from it, binary steps lead to all."""
    kernel = lanewise.compile(COPY, target="sm_90")
    assert kernel.ptx.count("mul.lo.s64") == 1
    assert kernel.llvm_ir.count("icmp") <= 16 + 1, "a comparison a row, and the columns'"


ROWS_ONLY = COPY.replace("], %p :", "], %p {in_bounds = [false, true]} :")


@pytest.mark.parametrize(
    ("chip", "text", "bits", "joined"),
    [
        ("sm_90", COPY, 32, 16),
        ("gfx942", COPY, 32, 0),
        ("gfx1100", COPY, 32, 0),
        ("sm_90", ROWS_ONLY, 32, 0),
        ("gfx942", ROWS_ONLY, 64, 0),
    ],
)
def test_rows_are_compared_in_one_instruction(chip: str, text: str, bits: int, joined: int) -> None:
    """NVIDIA's compare 32 bits, and join two conditions as they compare; AMD's join them before they do."""
    code = lanewise.compile(text, target=chip).llvm_ir
    assert code.count(f"icmp sgt i{bits}") == 16
    assert len(re.findall(r"= (and i1|select i1 \S+, i1)", code)) == joined


@pytest.mark.parametrize("facts", [{}, {i: ArgumentFacts(16) for i in range(3)}], ids=["general", "aligned"])
def test_fragments_are_registers_that_ldmatrix_gives_side_by_side(facts: dict[int, ArgumentFacts]) -> None:
    """Operands exchanged or not (the program that knows nothing of its arguments exchanges them)."""
    module = Compilation(parse_program(MATMUL.read_text()), None, find_chip("sm_90"), facts).thread_module
    products = [op for op in module.walk() if isinstance(op, nvgpu.MmaSyncOp)]
    assert len(products) == 32
    assert all(is_one_piece(factor) for op in products for factor in op.operands[:2])


def is_one_piece(fragment: Value) -> bool:
    packed = fragment.operation
    if isinstance(packed, nvgpu.LdMatrixOp):
        return True
    assert isinstance(packed, vector.FromElementsOp)
    loaded = packed.operands[0].operation
    assert loaded is not None
    first = loaded.results.index(packed.operands[0])
    return first % 4 == 0 and list(packed.operands) == loaded.results[first : first + len(packed.operands)]


FOLDED = """
gpu.func @k(%a: memref<256xindex>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c3 = arith.constant 3 : index
  %n = gpu.block_dim x
  %y = arith.OPERATION %n, %c3 : index
  %v = vector.broadcast %y : index to vector<64xindex>
  vector.transfer_write %v, %a[%y] {in_bounds = [true]} : vector<64xindex>, memref<256xindex>
  gpu.return
}
"""


@pytest.mark.parametrize(("operation", "number"), [("addi", 67), ("subi", 61), ("muli", 192)])
def test_what_is_a_number_once_threads_are_known_is_one(operation: str, number: int) -> None:
    """Distribution knows the extents of a workgroup, and folds what is made of them: no later pass need find it."""
    runs = lanewise.compile(FOLDED.replace("OPERATION", operation), "sm_80").general.passes
    (text,) = (run.text for run in runs if run.name == "distribute")
    assert f"%y = arith.constant {number} : index" in text and f"arith.{operation} %n" not in text
