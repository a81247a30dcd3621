"""Who begins what goes on by itself, who ends its groups, who waits for it: by name, from the PTX and CDNA ISA."""

from __future__ import annotations

import pytest
from lanewise.analysis.arrivals import Arrivals
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import load_all
from lanewise.ir.dialects.amdgpu_tensor import COPIES
from lanewise.ir.parser import parse_program
from lanewise.ir.traits import (
    ASYNC_COUNTER,
    BULK_GROUPS,
    COPY_GROUPS,
    LOAD_COUNTER,
    OBJECT_BYTES,
    PRODUCT_GROUPS,
    TENSOR_COMMITS,
    TENSOR_COUNTER,
    TENSOR_LOADS,
    TENSOR_STORES,
    Completion,
    Effect,
)

load_all()
OBJECT_WAITS = {"nvgpu.mbarrier.test.wait", "nvgpu.mbarrier.try_wait.parity"}
PRODUCTS = {"lanewise.warpgroup_mma", "lanewise.warpgroup_mma_held", "nvgpu.warpgroup.mma"}
# fmt: off
EXPECTED = {
    COPY_GROUPS: (
        {"nvgpu.device_async_copy", "lanewise.async_copy"},
        {"nvgpu.device_async_create_group"}, {"nvgpu.device_async_wait"},
    ),
    ASYNC_COUNTER: (
        {"amdgpu.global_load_async_to_lds", "amdgpu.ds_async_barrier_arrive"}, set[str](),
        {"rocdl.s.wait.asynccnt", "amdgpu.ds_barrier_poll_state"},
    ),
    LOAD_COUNTER: ({"amdgpu.gather_to_lds"}, set[str](), {"amdgpu.memory_counter_wait"}),
    TENSOR_COUNTER: (
        {"amdgpu.tensor_load_to_lds", "amdgpu.tensor_store_from_lds"}, set[str](),
        {"rocdl.s.wait.tensorcnt", "amdgpu.memory_counter_wait", "amdgpu.ds_barrier_poll_state"},
    ),
    BULK_GROUPS: (
        {"nvgpu.tma.async.store"}, {"nvvm.cp.async.bulk.commit.group"}, {"nvvm.cp.async.bulk.wait_group"},
    ),
    OBJECT_BYTES: ({"nvgpu.tma.async.load"}, set[str](), OBJECT_WAITS),
    PRODUCT_GROUPS: (PRODUCTS, set[str](), {*PRODUCTS, "lanewise.warpgroup_wait", "nvgpu.warpgroup.mma.store"}),
    TENSOR_COMMITS: (
        {"lanewise.tcgen05.mma", "lanewise.tcgen05.mma_held", "lanewise.tcgen05.cp"}, {"lanewise.tcgen05.commit"},
        OBJECT_WAITS,
    ),
    TENSOR_LOADS: ({"lanewise.tcgen05.ld"}, set[str](), {"lanewise.tcgen05.wait_ld"}),
    TENSOR_STORES: ({"lanewise.tcgen05.st"}, set[str](), {"lanewise.tcgen05.wait_st"}),
}
# fmt: on


@pytest.mark.parametrize("completion", EXPECTED, ids=repr)
def test_who_begins_commits_and_awaits(completion: Completion) -> None:
    classes = {n: c for n, c in REGISTRY.items() if c.begins or c.commits or c.awaits}
    assert EXPECTED[completion] == (
        {n for n, c in classes.items() if c.begins is completion},
        {n for n, c in classes.items() if c.commits is completion},
        {n for n, c in classes.items() if completion in c.awaits},
    )


def test_what_is_there_later_has_a_wait() -> None:
    """Effects say of which memory; `begins` says how one learns that it is over."""
    later = {n for n, c in REGISTRY.items() if any(Effect.LATER in (g.effect or Effect(0)) for g in c.memory_groups)}
    later |= {c.opname for c in COPIES}  # of the memory behind their descriptor
    assert later == {n for n, c in REGISTRY.items() if c.begins is not None and c.begins.copies}


TILES = """
func.func @f(%a: vector<32xi32>, %x: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : vector<32xf32>
  %b = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
  %f = arith.constant dense<0.0> : vector<8xf16>
  %d = lanewise.warpgroup_mma_held %f, %b[%c0, %c0], %z {
    kind = #lanewise.mma_layout<NV_WGMMA_F32_64x64x16_F16>, depth = 16 : i64}
    : vector<8xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>, vector<32xf32>
  %t = nvgpu.device_async_create_group
  nvgpu.device_async_wait %t
  return
}
"""


def test_products_that_wait_for_all_are_over_where_they_stand() -> None:
    """Whatever is waited for behind them."""
    (function,) = parse_program(TILES).body.operations
    arrivals, at = Arrivals(), dict[str, tuple[int, Operation]]()
    for position, op in enumerate(function.body.operations):
        at[op.opname] = position, op
        arrivals.meet(op, position)
    position, product = at["lanewise.warpgroup_mma_held"]
    assert arrivals.end_of(product, position) == position
