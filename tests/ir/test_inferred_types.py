"""Result types that operations say themselves, of their operands and attributes: a builder need not be given them.

That they are those of texts, each roundtrip of tests/filetests asks of what it has.
"""

from __future__ import annotations

from lanewise.ir.attributes import dense_i64
from lanewise.ir.core import REGISTRY, Block, Builder, Operation
from lanewise.ir.dialects import load_all, vector
from lanewise.ir.dialects.vector_kind import CombiningKindAttr
from lanewise.ir.dialects.vector_reduction import ReductionOp
from lanewise.ir.parser import parse_program
from lanewise.ir.types import F32, VectorType

load_all()
LEFT = {
    "where they lead": """scf.execute_region scf.index_switch scf.parallel scf.forall scf.while affine.for affine.if
        affine.parallel iree_gpu.barrier_region tensor.generate func.call memref.get_global""",
    "what to convert to": """arith.bitcast arith.convertf arith.extf arith.extsi arith.extui arith.fptosi arith.fptoui
        arith.index_cast arith.index_castui arith.scaling_extf arith.scaling_truncf arith.sitofp arith.truncf
        arith.trunci arith.uitofp index.casts index.castu nvgpu.extf nvgpu.truncf vector.bitcast tensor.bitcast
        amdgpu.ext_packed_fp8 amdgpu.packed_scaled_trunc amdgpu.packed_stoch_round_fp8 amdgpu.packed_trunc_2xfp8
        amdgpu.scaled_ext_packed amdgpu.scaled_ext_packed_matrix gpu.subgroup_mma_elementwise""",
    "which shape": """vector.broadcast vector.shape_cast vector.reshape vector.from_elements vector.insert_slices
        vector.step vector.constant_mask vector.create_mask vector.type_cast tensor.cast tensor.reshape
        tensor.splat tensor.empty tensor.from_elements tensor.pad tensor.concat tensor.extract_slice
        tensor.gather tensor.scatter ub.poison gpu.subgroup_mma_constant_matrix memref.cast memref.view
        memref.reshape memref.reinterpret_cast
        memref.realloc memref.memory_space_cast memref.alloc memref.alloca bufferization.alloc_tensor
        bufferization.to_tensor iree_codegen.load_from_buffer amdgpu.fat_raw_buffer_cast iree_vector_ext.to_simd
        iree_vector_ext.to_simt""",
    "how much is read": """vector.load vector.transfer_read affine.vector_load amdgpu.global_transpose_load
        amdgpu.raw_buffer_load amdgpu.transpose_load gpu.subgroup_mma_load_matrix nvgpu.ldmatrix lanewise.tcgen05.ld
        iree_vector_ext.transfer_gather iree_gpu.shuffle_tensor""",
    "which of several numbers or places": """gpu.ballot nvgpu.mbarrier.get lanewise.tcgen05.address
        lanewise.tcgen05.part nvgpu.tma.create.descriptor nvgpu.warpgroup.generate.descriptor amdgpu.make_dma_base
        amdgpu.make_gather_dma_base hal.interface.binding.subspan hal.interface.constant.load""",
    "whether there is a tensor to make": "iree_gpu.async_dma iree_gpu.coalesced_gather_dma",
}
"""What the text has to say, by operations for which it has to."""


def test_all_others_say_what_they_make() -> None:
    left = {name for names in LEFT.values() for name in names.split()}
    base = REGISTRY["vector.broadcast"].infer.__func__  # type: ignore[attr-defined]
    silent = {n for n, c in REGISTRY.items() if c.types_from is None and c.infer.__func__ is base}  # type: ignore[attr-defined]
    assert silent == left


DECIDED = """
gpu.func @f(%v: vector<4x8xf32>, %flat: vector<8xf32>, %m: memref<4x8x?xf32, strided<[64, 4, 1]>>, %acc: f32,
    %mask: vector<8xi1>, %at: vector<8xindex>, %i: index, %w: vector<8xi32>, %n: memref<32xf32>) {
  %0 = vector.transpose %v, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %1, %2 = vector.deinterleave %flat : vector<8xf32> -> vector<4xf32>
  %3 = vector.interleave %flat, %flat : vector<8xf32> -> vector<16xf32>
  %4 = vector.reduction <add>, %flat, %acc : vector<8xf32> into f32
  %5 = vector.gather %n[%i] [%at], %mask, %flat : memref<32xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>
    into vector<8xf32>
  %6 = vector.expandload %n[%i], %mask, %flat : memref<32xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %7 = vector.maskedload %n[%i], %mask, %flat : memref<32xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %8 = vector.matrix_multiply %flat, %flat {lhs_rows = 2 : i32, lhs_columns = 4 : i32, rhs_columns = 2 : i32}
    : (vector<8xf32>, vector<8xf32>) -> vector<4xf32>
  %9 = vector.extract_slices %v, [3, 8], [1, 1] : vector<4x8xf32> into tuple<vector<3x8xf32>, vector<1x8xf32>>
  %10, %11 = arith.addui_extended %w, %w : vector<8xi32>, vector<8xi1>
  %12, %13 = arith.subui_extended %w, %w : vector<8xi32>, vector<8xi1>
  %14 = memref.collapse_shape %n [[0]] : memref<32xf32> into memref<32xf32>
  %15 = memref.expand_shape %n [[0, 1]] output_shape [4, 8] : memref<32xf32> into memref<4x8xf32>
  %16 = memref.transpose %m (a, b, c) -> (c, a, b) : memref<4x8x?xf32, strided<[64, 4, 1]>>
    to memref<?x4x8xf32, strided<[1, 64, 4]>>
  %17 = memref.extract_aligned_pointer_as_index %n : memref<32xf32> -> index
  gpu.return
}
"""


def test_operands_and_attributes_decide() -> None:
    for op in parse_program(DECIDED).all_of(Operation)[1:-1]:
        assert op.infer(op.operands, op.attributes) == [result.type for result in op.results], op.opname


def test_a_builder_needs_no_types() -> None:
    block = Block([VectorType((4, 8), F32), VectorType((8,), F32)])
    build = Builder(block)
    matrix, row = block.arguments
    turned = build.value(vector.TransposeOp, matrix, permutation=dense_i64([1, 0]))
    total = build.value(ReductionOp, row, [], kind=CombiningKindAttr("add"))
    assert [str(value.type) for value in (turned, total)] == ["vector<8x4xf32>", "f32"]
