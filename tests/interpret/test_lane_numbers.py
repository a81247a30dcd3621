"""Which numbers iree_gpu.coalesced_gather_dma takes for a lane's own: all that upstream's programs make of ids."""

from __future__ import annotations

import lanewise
import pytest

OWN = {
    "an id": "%lane = gpu.lane_id",
    "what is left of a thread's": "%hi, %lane = affine.delinearize_index %id into (2, 32) : index, index",
    "a map of a thread's": "%lane = affine.apply affine_map<(i) -> (i mod 32)>(%id)",
    "index": "%c32 = index.constant 32\n  %lane = index.remu %id, %c32",
    "a hint": "%l = gpu.lane_id\n  %lane = iree_codegen.index_hint %l(#iree_gpu.lane_increment<32>) : index",
    "a promise": "%l = gpu.lane_id\n  %lane = util.assume.int %l<umin = 0, umax = 31> : index",
    "of several workgroups": (
        "%b = gpu.block_id x\n  %lane = affine.apply affine_map<(i)[b] -> ((i + 64 * b) mod 32)>(%id)[%b]"
    ),
    "of a short integer": (
        "%c31 = arith.constant 31 : i32\n  %i = arith.index_cast %id : index to i32\n"
        "  %j = arith.andi %i, %c31 : i32\n  %lane = arith.index_cast %j : i32 to index"
    ),
}


@pytest.mark.parametrize("lines", OWN.values(), ids=OWN)
def test_a_lanes_number_however_it_is_computed(lines: str) -> None:
    text = f"""
gpu.func @f(%x: memref<64xf32>) kernel attributes {{
    gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.subgroup_size = 32 : i64, lanewise.scope = "thread"}} {{
  %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  %id = gpu.thread_id x
  {lines}
  iree_gpu.coalesced_gather_dma %x into %s lane(%lane)
    : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, index
  gpu.return
}}"""
    assert lanewise.compile(text, "sm_80").compilation.thread_module is not None
