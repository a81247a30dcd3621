"""Every operation says what it does besides computing its results; the questions asked of that have right answers."""

from __future__ import annotations

from typing import Any

import pytest
from lanewise.analysis.buffers import Buffers
from lanewise.ir.core import REGISTRY, Operation, Value
from lanewise.ir.define import OperandField, ResultField
from lanewise.ir.dialects import func, load_all, memref, scf
from lanewise.ir.dialects.amdgpu_barriers import STATE
from lanewise.ir.dialects.gpu import WORKGROUP
from lanewise.ir.dialects.gpu_together import DynamicSharedMemoryOp
from lanewise.ir.dialects.hal import BindingSubspanOp
from lanewise.ir.dialects.memref_buffers import AllocaOp, ReallocOp
from lanewise.ir.dialects.memref_globals import GetGlobalOp
from lanewise.ir.dialects.nvgpu_tma import TensorMapType
from lanewise.ir.dialects.nvgpu_warpgroup import WarpgroupDescriptorType
from lanewise.ir.effects import accesses, viewed
from lanewise.ir.parser import parse_program
from lanewise.ir.traits import ACCESSES, Effect
from lanewise.ir.types import F16, F32, I1, I32, MemRefType

from ..each import each

load_all()

every_operation = each(sorted(REGISTRY))
BUFFERS = [
    *(MemRefType((4,), element) for element in (F32, I32, I1, STATE)),
    TensorMapType(MemRefType((4,), F32, memory_space=WORKGROUP)),
    WarpgroupDescriptorType(MemRefType((64, 64), F16, memory_space=WORKGROUP)),
]
"""What stands for memory: a map does for the tensor that it is of, a descriptor for the tile."""


def admits_memref(group: OperandField[Any] | ResultField[Any]) -> bool:
    return any(group.constraint.holds(type) for type in BUFFERS)


def test_a_class_that_does_not_say_whether_it_is_pure_is_no_operation() -> None:
    with pytest.raises(AssertionError, match="does not say whether it is pure"):
        type("ForgottenOp", (Operation,), {}, opname="test.forgotten")
    assert "test.forgotten" not in REGISTRY


@every_operation
def test_purity_is_said_by_the_class_or_its_family(name: str) -> None:
    """Not by another operation that it happens to be derived from."""
    cls = REGISTRY[name]
    says = next(base for base in cls.__mro__ if "pure" in vars(base))
    assert says is cls or not says.opname, f"{name} inherits `pure` from {says.opname}"


@every_operation
def test_every_operand_that_can_be_a_memref_says_what_happens_to_it(name: str) -> None:
    for group in REGISTRY[name].operand_groups:
        assert (group.effect is not None) == admits_memref(group), f"{name}: {group.name}"


NEW = memref.AllocOp, AllocaOp, ReallocOp, DynamicSharedMemoryOp, BindingSubspanOp, func.CallOp, GetGlobalOp


@every_operation
def test_a_memref_result_is_a_view_new_or_handed_on(name: str) -> None:
    cls = REGISTRY[name]
    for group in cls.result_groups:
        if admits_memref(group) and not group.view_of:
            carries = cls.carries is not Operation.carries
            assert carries != (cls in NEW), f"{name}: {group.name}"


@every_operation
def test_what_is_pure_touches_no_memory_and_ends_nothing(name: str) -> None:
    cls = REGISTRY[name]
    if cls.pure:
        assert not cls.memory_groups
        assert not cls.region_fields
        assert not cls.terminator
        assert cls.result_groups


@every_operation
def test_what_the_reference_computes_from_values_alone_is_pure(name: str) -> None:
    """The evaluator hands `reference` arrays and takes arrays: it cannot touch memory."""
    cls = REGISTRY[name]
    assert cls.pure or cls.reference is Operation.reference


RAW_UPDATES = {f"amdgpu.raw_buffer_atomic_{name}" for name in ("cmpswap", "fadd", "fmax", "smax", "umin")}
AT_BARRIERS = {f"amdgpu.ds_{name}" for name in ("barrier_poll_state", "barrier_arrive", "async_barrier_arrive")}
READERS = RAW_UPDATES | AT_BARRIERS | {
    "memref.load", "memref.atomic_rmw", "vector.load", "vector.maskedload", "vector.transfer_read", "nvgpu.ldmatrix",
    "lanewise.warpgroup_mma", "lanewise.warpgroup_mma_held", "lanewise.tcgen05.mma", "lanewise.tcgen05.mma_held",
    "nvgpu.warpgroup.mma",
    "lanewise.tcgen05.cp", "lanewise.tcgen05.address",
    "func.call", "affine.load", "affine.vector_load", "memref.copy", "memref.reshape", "memref.generic_atomic_rmw",
    "iree_vector_ext.transfer_gather", "vector.gather", "vector.expandload", "lanewise.update", "lanewise.update_pair",
    "bufferization.to_tensor", "iree_codegen.load_from_buffer", "gpu.subgroup_mma_load_matrix", "memref.dma_start",
    "affine.dma_start",
    "nvgpu.device_async_copy", "lanewise.async_copy", "nvgpu.tma.async.load", "nvgpu.tma.async.store",
    "amdgpu.gather_to_lds", "amdgpu.global_load_async_to_lds",
    "amdgpu.transpose_load", "amdgpu.global_transpose_load", "amdgpu.raw_buffer_load", "memref.realloc",
    "iree_gpu.coalesced_gather_dma", "iree_gpu.async_dma",
}  # fmt: skip
WRITERS = RAW_UPDATES | AT_BARRIERS | {
    "amdgpu.ds_barrier_init",
    "memref.store", "memref.atomic_rmw", "vector.store", "vector.maskedstore", "vector.transfer_write", "func.call",
    "affine.store", "affine.vector_store", "memref.copy", "memref.generic_atomic_rmw",
    "iree_vector_ext.transfer_scatter", "iree_linalg_ext.map_store", "vector.scatter", "vector.compressstore",
    "lanewise.update", "lanewise.update_pair", "nvgpu.stmatrix",
    "bufferization.materialize_in_destination", "iree_codegen.store_to_buffer",
    "gpu.subgroup_mma_store_matrix", "memref.dma_start", "affine.dma_start",
    "nvgpu.device_async_copy", "lanewise.async_copy", "nvgpu.tma.async.load", "nvgpu.tma.async.store",
    "lanewise.tcgen05.alloc", "nvgpu.warpgroup.mma.store",
    "amdgpu.gather_to_lds", "amdgpu.global_load_async_to_lds", "amdgpu.raw_buffer_store",
    "iree_gpu.coalesced_gather_dma", "iree_gpu.async_dma",
}  # fmt: skip


def test_who_reads_and_who_writes() -> None:
    """By name, against the documents of the dialects: nothing else of them touches memory."""

    def with_effect(effect: Effect) -> set[str]:
        return {n for n, c in REGISTRY.items() if any(g.effect and g.effect & effect for g in c.memory_groups)}

    for effect, listed, name in ((Effect.READS, READERS, "READERS"), (Effect.WRITES, WRITERS, "WRITERS")):
        found = with_effect(effect)
        assert found == listed, (
            f"{name} of this file is what the documents of the dialects say: without {sorted(found - listed)}, with"
            f" {sorted(listed - found)} too many"
        )
    updates = {"memref.atomic_rmw", "memref.generic_atomic_rmw", "lanewise.update", "lanewise.update_pair"}
    assert with_effect(Effect.ATOMIC) == updates | RAW_UPDATES | AT_BARRIERS
    assert with_effect(Effect.LATER) == {
        "nvgpu.device_async_copy",
        "lanewise.async_copy",
        "nvgpu.tma.async.load",
        "nvgpu.tma.async.store",
        "amdgpu.gather_to_lds",
        "amdgpu.global_load_async_to_lds",
        "amdgpu.ds_async_barrier_arrive",
    }
    assert with_effect(Effect.FREES) == {"memref.dealloc", "memref.realloc"}


def test_who_meets() -> None:
    groups = {scope: {n for n, c in REGISTRY.items() if c.collective == scope} for scope in ("subgroup", "workgroup")}
    assert groups["workgroup"] == {
        "gpu.barrier", "gpu.all_reduce", "iree_gpu.value_barrier", "iree_gpu.barrier_region", "iree_gpu.shuffle_tensor",
        "iree_gpu.global_subgroup_barrier", "iree_gpu.async_dma", "amdgpu.lds_barrier",
        "lanewise.warpgroup_mma", "lanewise.warpgroup_mma_held", "lanewise.warpgroup_wait",
        "nvgpu.warpgroup.mma", "nvgpu.warpgroup.mma.store",
    }  # fmt: skip
    assert groups["subgroup"] == {
        "gpu.shuffle", "gpu.subgroup_reduce", "nvgpu.mma.sync", "nvgpu.ldmatrix", "nvgpu.stmatrix", "amdgpu.mfma",
        "amdgpu.wmma", "gpu.rotate", "gpu.subgroup_broadcast", "gpu.ballot", "gpu.subgroup_mma_load_matrix",
        "gpu.subgroup_mma_store_matrix", "gpu.subgroup_mma_compute", "nvgpu.mma.sp.sync", "amdgpu.sparse_mfma",
        "nvgpu.mma.block_scale.sync", "lanewise.tcgen05.alloc", "lanewise.tcgen05.dealloc", "lanewise.tcgen05.ld",
        "lanewise.tcgen05.relinquish_alloc_permit", "lanewise.tcgen05.st", "lanewise.tcgen05.wait_ld",
        "lanewise.tcgen05.wait_st",
        "amdgpu.gather_to_lds", "amdgpu.transpose_load", "amdgpu.global_transpose_load", "amdgpu.sparse_wmma",
        "amdgpu.scaled_mfma", "amdgpu.scaled_wmma", "amdgpu.scaled_ext_packed_matrix",
        "iree_gpu.subgroup_scan", "iree_gpu.coalesced_gather_dma",
        "amdgpu.dpp", "amdgpu.swizzle_bitmode", "amdgpu.permlane_swap", "amdgpu.permlane_var",
        "amdgpu.tensor_load_to_lds", "amdgpu.tensor_store_from_lds",
    }  # fmt: skip


# -- questions ------------------------------------------------------------------------------------------------------

PROGRAM = """
func.func @f(%a: memref<64xf32>, %b: memref<64xf32>, %c: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = memref.alloc() : memref<64xf32>
  %half = memref.subview %a[0][32][1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %cast = memref.cast %half : memref<32xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  %r:2 = scf.for %i = %zero to %one step %one iter_args(%p = %a, %q = %b) -> (memref<64xf32>, memref<64xf32>) {
    %v = memref.load %p[%i] : memref<64xf32>
    memref.store %v, %x[%i] : memref<64xf32>
    scf.yield %q, %p : memref<64xf32>, memref<64xf32>
  }
  %chosen = scf.if %c -> (memref<64xf32>) {
    scf.yield %x : memref<64xf32>
  } else {
    scf.yield %b : memref<64xf32>
  }
  %old = memref.load %cast[%zero] : memref<?xf32, strided<[1]>>
  memref.store %old, %chosen[%zero] : memref<64xf32>
  return
}
"""


def _function() -> func.FuncOp:
    op = parse_program(PROGRAM).body.operations[0]
    assert isinstance(op, func.FuncOp)
    return op


def _named(function: Operation) -> dict[str, Value]:
    values = [v for op in function.walk() for v in op.results]
    values += [v for op in function.walk() for r in op.regions for b in r.blocks for v in b.arguments]
    return {v.hint: v for v in values}


def test_views_lead_to_what_they_view() -> None:
    function = _function()
    names = _named(function)
    assert viewed(names["cast"]) is names["half"]
    assert viewed(names["half"]) is names["a"]
    assert viewed(names["x"]) is None
    assert viewed(names["a"]) is None
    assert viewed(names["old"]) is None


def test_buffers_through_views_loops_and_branches() -> None:
    function = _function()
    names, buffers = _named(function), Buffers(function)

    def of(name: str) -> set[str]:
        return {v.hint for v in buffers.of(names[name])}

    assert of("cast") == {"a"}
    assert of("p") == of("q") == {"a", "b"}  # they change places
    assert of("chosen") == {"x", "b"}
    loop = next(op for op in function.walk() if isinstance(op, scf.ForOp))
    assert {v.hint for v in buffers.of(loop.results[1])} == {"a", "b"}


def test_accesses_in_program_order() -> None:
    found = [
        (access.operation.opname, access.reads, access.writes, {v.hint for v in buffers})
        for access, buffers in Buffers(_function()).accesses()
    ]
    assert found == [
        ("memref.load", True, False, {"a", "b"}),
        ("memref.store", False, True, {"x"}),
        ("memref.load", True, False, {"a"}),
        ("memref.store", False, True, {"x", "b"}),
    ]


def test_an_atomic_update_reads_and_writes() -> None:
    module = parse_program("""
      func.func @f(%m: memref<4xi32>, %v: i32, %i: index) {
        %old = memref.atomic_rmw addi %v, %m[%i] : (i32, memref<4xi32>) -> i32
        return
      }""")
    update = next(op for op in module.walk() if op.opname == "memref.atomic_rmw")
    (access,) = accesses(update)
    assert access.atomic
    assert access.effect & ACCESSES == ACCESSES
    assert access.memref.hint == "m"


def test_fields_keep_what_they_were_given() -> None:
    dealloc, view = memref.DeallocOp.fields["memref"], memref.ViewOp.fields["result"]
    assert isinstance(dealloc, OperandField) and dealloc.effect == Effect.FREES
    assert isinstance(view, ResultField) and view.view_of == "source"
