"""What thread-level programs compute, against plain numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program

from .conftest import SHARED, Run, program

ADD = """
  %w = gpu.block_id x
  %c256 = arith.constant 256 : index
  %c4_ = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %start = arith.muli %w, %c256 : index
  %mine = arith.muli %t, %c4_ : index
  %i = arith.addi %start, %mine : index
  %m0 = arith.cmpi slt, %i, %n : index
  %i1 = arith.addi %i, %c1 : index
  %m1 = arith.cmpi slt, %i1, %n : index
  %i2 = arith.addi %i, %c2 : index
  %m2 = arith.cmpi slt, %i2, %n : index
  %i3 = arith.addi %i, %c3 : index
  %m3 = arith.cmpi slt, %i3, %n : index
  %mask = vector.from_elements %m0, %m1, %m2, %m3 : vector<4xi1>
  %x = vector.maskedload %a[%i], %mask, %zero : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %y = vector.maskedload %b[%i], %mask, %zero : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %z = arith.addf %x, %y : vector<4xf32>
  vector.maskedstore %c[%i], %mask, %z : memref<?xf32>, vector<4xi1>, vector<4xf32>
"""


@pytest.mark.parametrize("n", [1, 3, 255, 256, 257, 1000])
def test_vector_add_with_a_tail(run: Run, n: int) -> None:
    a, b = np.arange(n, dtype=np.float32), np.arange(n, dtype=np.float32) * 3
    guarded = np.full(n + 8, -1, np.float32)
    arguments = "%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index"
    run(ADD, arguments, a, b, guarded[:n], n, grid=-(-n // 256))
    np.testing.assert_array_equal(guarded[:n], a + b)
    np.testing.assert_array_equal(guarded[n:], -1)


BLOCK_SUM = f"""
  %shared = memref.alloc() : memref<4xi32, {SHARED}>
  %w = gpu.block_id x
  %x = memref.load %a[%w, %t] : memref<?x128xi32>
  %width = arith.constant 32 : i32
  %o16 = arith.constant 16 : i32
  %o8 = arith.constant 8 : i32
  %s16, %v16 = gpu.shuffle xor %x, %o16, %width : i32
  %x16 = arith.addi %x, %s16 : i32
  %s8, %v8 = gpu.shuffle xor %x16, %o8, %width : i32
  %x8 = arith.addi %x16, %s8 : i32
  %total = gpu.subgroup_reduce add %x8 cluster(size = 8) : (i32) -> i32
  %lane = gpu.lane_id
  %subgroup = gpu.subgroup_id : index
  %first = arith.cmpi eq, %lane, %c0 : index
  scf.if %first {{
    memref.store %total, %shared[%subgroup] : memref<4xi32, {SHARED}>
  }}
  gpu.barrier
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (i32) {{
    %part = memref.load %shared[%i] : memref<4xi32, {SHARED}>
    %next = arith.addi %acc, %part : i32
    scf.yield %next : i32
  }}
  %elected = arith.cmpi eq, %t, %c0 : index
  scf.if %elected {{
    memref.store %sum, %out[%w] : memref<?xi32>
  }}
"""


@pytest.mark.parametrize("grid", [1, 7, 1100])
def test_block_reduction_through_shuffles_and_shared_memory(run: Run, grid: int) -> None:
    a = np.random.default_rng(grid).integers(-(2**31), 2**31, (grid, 128), np.int64).astype(np.int32)
    out = np.zeros(grid, np.int32)
    run(BLOCK_SUM, "%a: memref<?x128xi32>, %out: memref<?xi32>", a, out, grid=grid, threads="128, 1, 1")
    np.testing.assert_array_equal(out, a.sum(1, dtype=np.int32))


def test_both_sides_of_a_branch_merge(run: Run) -> None:
    body = """
  %r = arith.remui %t, %c3 : index
  %odd = arith.cmpi eq, %r, %c0 : index
  %v, %p = scf.if %odd -> (index, vector<2xindex>) {
    %a = arith.muli %t, %c2 : index
    %q = vector.from_elements %a, %c1 : vector<2xindex>
    scf.yield %a, %q : index, vector<2xindex>
  } else {
    %q = arith.constant dense<[5, 6]> : vector<2xindex>
    scf.yield %c7, %q : index, vector<2xindex>
  }
  memref.store %v, %out[%t, %c0] : memref<64x3xindex>
  vector.store %p, %out[%t, %c1] : memref<64x3xindex>, vector<2xindex>
"""
    out = np.zeros((64, 3), np.int64)
    run(body, "%out: memref<64x3xindex>", out)
    expected = [[2 * t, 2 * t, 1] if t % 3 == 0 else [7, 5, 6] for t in range(64)]
    np.testing.assert_array_equal(out, expected)


def test_a_uniform_branch_runs_one_side(run: Run) -> None:
    body = """
  %w = gpu.block_id x
  %even = arith.cmpi eq, %w, %c0 : index
  scf.if %even {
    memref.store %c5, %out[%w, %t] : memref<2x64xindex>
    gpu.barrier
  } else {
    memref.store %c6, %out[%w, %t] : memref<2x64xindex>
  }
"""
    out = np.zeros((2, 64), np.int64)
    run(body, "%out: memref<2x64xindex>", out, grid=2)
    np.testing.assert_array_equal(out, [[5] * 64, [6] * 64])


LOOP = """
  %lb = memref.load %bounds[%t, %c0] : memref<64x3xi64>
  %ub = memref.load %bounds[%t, %c1] : memref<64x3xi64>
  %st = memref.load %bounds[%t, %c2] : memref<64x3xi64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n, %s = scf.for %i = %lb to %ub step %st iter_args(%k = %zero, %last = %zero) -> (i64, i64) : i64 {
    %m = arith.addi %k, %one : i64
    scf.yield %m, %i : i64, i64
  }
  memref.store %n, %out[%t, %c0] : memref<64x2xi64>
  memref.store %s, %out[%t, %c1] : memref<64x2xi64>
"""
MODULE = parse_program(program(LOOP, "%bounds: memref<64x3xi64>, %out: memref<64x2xi64>"))
bound = st.tuples(st.integers(-10, 10), st.integers(-10, 10), st.integers(1, 9))


@given(st.lists(bound, min_size=64, max_size=64) | bound.map(lambda b: [b] * 64))
def test_trip_counts_may_differ_between_threads(bounds: list[tuple[int, int, int]]) -> None:
    out = np.zeros((64, 2), np.int64)
    interpret_kernel(find_kernel(MODULE), 1, [np.array(bounds), out], subgroup_size=32)
    runs = [range(*b) for b in bounds]
    np.testing.assert_array_equal(out, [(len(r), r[-1] if r else 0) for r in runs])


def test_the_counter_may_pass_the_largest_number(run: Run) -> None:
    low, high = -(2**63), 2**63 - 1
    bounds = np.array([(high - 5, high, 3), (low, high, high), (high, low, 1), (low, low + 1, high)] * 16)
    out = np.zeros((64, 2), np.int64)
    run(LOOP, "%bounds: memref<64x3xi64>, %out: memref<64x2xi64>", bounds, out)
    expected = [(2, high - 2), (3, low + 2 * high), (0, 0), (1, low)]
    np.testing.assert_array_equal(out[:4], expected)


SHUFFLE = """
  %x = arith.index_cast %t : index to i32
  %width = arith.constant {width} : i32
  %o = memref.load %offsets[%t] : memref<64xi32>
  %r, %v = gpu.shuffle {mode} %x, %o, %width : i32
  %vi = arith.extui %v : i1 to i32
  memref.store %r, %out[%t, %c0] : memref<64x2xi32>
  memref.store %vi, %out[%t, %c1] : memref<64x2xi32>
"""
TARGETS: dict[str, Any] = {
    "xor": lambda lane, o: lane ^ o,
    "up": lambda lane, o: lane - o,
    "down": lambda lane, o: lane + o,
    "idx": lambda lane, o: o,
}


@pytest.mark.parametrize("subgroup_size", [32, 64])
@pytest.mark.parametrize("width", [32, 8, 1])
@pytest.mark.parametrize("mode", list(TARGETS))
def test_shuffles(run: Run, mode: str, width: int, subgroup_size: int) -> None:
    for offsets in (np.full(64, 3, np.int32), np.arange(64, dtype=np.int32) % 11):
        out = np.zeros((64, 2), np.int32)
        body = SHUFFLE.format(mode=mode, width=width)
        run(body, "%offsets: memref<64xi32>, %out: memref<64x2xi32>", offsets, out, subgroup_size=subgroup_size)
        for t in range(64):
            group, lane = t // width * width, t % width
            target = TARGETS[mode](lane, int(offsets[t]))
            inside = 0 <= target < width
            assert tuple(out[t]) == (group + target if inside else t, inside), (t, offsets[t])


@pytest.mark.parametrize(("size", "stride"), [(2, 1), (4, 1), (4, 8), (8, 4), (2, 16), (32, 1)])
def test_clusters_of_a_subgroup(run: Run, size: int, stride: int) -> None:
    a = np.random.default_rng(size).integers(-1000, 1000, 64).astype(np.int32)
    out = np.zeros((64, 2), np.int32)
    body = f"""
  %x = memref.load %a[%t] : memref<64xi32>
  %sum = gpu.subgroup_reduce add %x cluster(size = {size}, stride = {stride}) : (i32) -> i32
  %max = gpu.subgroup_reduce maxsi %x cluster(size = {size}, stride = {stride}) : (i32) -> i32
  memref.store %sum, %out[%t, %c0] : memref<64x2xi32>
  memref.store %max, %out[%t, %c1] : memref<64x2xi32>
"""
    run(body, "%a: memref<64xi32>, %out: memref<64x2xi32>", a, out)
    for t in range(64):
        base = t - (t // stride % size) * stride
        members = a[base : base + size * stride : stride]
        assert tuple(out[t]) == (members.sum(), members.max())


def test_a_sum_of_floats_adds_in_the_order_of_a_butterfly(run: Run) -> None:
    a = np.float32(10.0) ** np.random.default_rng(0).uniform(-8, 8, 32).astype(np.float32)
    out = np.zeros(32, np.float32)
    body = """
  %x = memref.load %a[%t] : memref<32xf32>
  %sum = gpu.subgroup_reduce add %x : (f32) -> f32
  memref.store %sum, %out[%t] : memref<32xf32>
"""
    run(body, "%a: memref<32xf32>, %out: memref<32xf32>", a, out, threads="32, 1, 1")
    tree = a
    while tree.size > 1:
        tree = tree[0::2] + tree[1::2]
    np.testing.assert_array_equal(out, np.full(32, tree[0]))


def test_ids_of_a_three_dimensional_launch(run: Run) -> None:
    body = """
  %ty = gpu.thread_id y
  %tz = gpu.thread_id z
  %wx = gpu.block_id x
  %wy = gpu.block_id y
  %wz = gpu.block_id z
  %dx = gpu.grid_dim x
  %bz = gpu.block_dim z
  %s = gpu.subgroup_id : index
  %n = gpu.num_subgroups : index
  %l = gpu.lane_id
  %size = gpu.subgroup_size : index
  %all = vector.from_elements %t, %ty, %tz, %dx, %bz, %s, %n, %l, %size : vector<9xindex>
  vector.store %all, %out[%wz, %wy, %wx, %tz, %ty, %t, %c0] : memref<3x2x5x2x3x4x9xindex>, vector<9xindex>
"""
    out = np.full((3, 2, 5, 2, 3, 4, 9), -1)
    run(body, "%out: memref<3x2x5x2x3x4x9xindex>", out, grid=(5, 2, 3), threads="4, 3, 2", subgroup_size=16)
    for tz, ty, tx in np.ndindex(2, 3, 4):
        flat = tx + 4 * ty + 12 * tz
        expected = [tx, ty, tz, 5, 2, flat // 16, 2, flat % 16, 16]
        assert (out[:, :, :, tz, ty, tx] == expected).all()


def test_views_share_memory_under_other_types(run: Run) -> None:
    body = f"""
  %bytes = memref.alloc() {{alignment = 16}} : memref<256xi8, {SHARED}>
  %f = memref.view %bytes[%c0][] : memref<256xi8, {SHARED}> to memref<64xf32, {SHARED}>
  %h = memref.view %bytes[%c0][%c2] : memref<256xi8, {SHARED}> to memref<?x64xi16, {SHARED}>
  %i = arith.index_cast %t : index to i32
  %x = arith.sitofp %i : i32 to f32
  memref.store %x, %f[%t] : memref<64xf32, {SHARED}>
  gpu.barrier
  %row = arith.divui %t, %c32 : index
  %two = arith.muli %t, %c2 : index
  %column = arith.remui %two, %c64 : index
  %halves = vector.load %h[%row, %column] {{alignment = 4 : i64}} : memref<?x64xi16, {SHARED}>, vector<2xi16>
  vector.store %halves, %out[%t, %c0] : memref<64x2xi16>, vector<2xi16>
  %d = memref.dim %h, %c0 : memref<?x64xi16, {SHARED}>
  memref.store %d, %dims[%t] : memref<64xindex>
"""
    out, dims = np.zeros((64, 2), np.int16), np.zeros(64, np.int64)
    constants = "  %c32 = arith.constant 32 : index\n  %c64 = arith.constant 64 : index\n"
    run(constants + body, "%out: memref<64x2xi16>, %dims: memref<64xindex>", out, dims)
    np.testing.assert_array_equal(out.reshape(-1), np.arange(64, dtype=np.float32).view(np.int16))
    np.testing.assert_array_equal(dims, 2)


def test_subviews_start_where_each_thread_says(run: Run) -> None:
    body = """
  %v = memref.subview %a[%t, 1] [1, 4] [1, 2] : memref<64x8xi32> to memref<4xi32, strided<[2], offset: ?>>
  %x = memref.load %v[%c3] : memref<4xi32, strided<[2], offset: ?>>
  memref.store %x, %out[%t] : memref<64xi32>
"""
    a, out = np.arange(512, dtype=np.int32).reshape(64, 8), np.zeros(64, np.int32)
    run(body, "%a: memref<64x8xi32>, %out: memref<64xi32>", a, out)
    np.testing.assert_array_equal(out, a[:, 7])


def test_strided_arrays_are_arguments(run: Run) -> None:
    whole = np.zeros((64, 8), np.float32)
    body = "  %x = arith.constant 2.0 : f32\n  memref.store %x, %a[%t] : memref<64xf32, strided<[?], offset: ?>>"
    run(body, "%a: memref<64xf32, strided<[?], offset: ?>>", whole[:, 3])
    np.testing.assert_array_equal(whole.sum(0), [0, 0, 0, 128, 0, 0, 0, 0])


def test_one_condition_selects_whole_packs(run: Run) -> None:
    body = """
  %p = arith.cmpi ult, %t, %c5 : index
  %a = vector.broadcast %t : index to vector<2xindex>
  %b = arith.constant dense<[-1, -2]> : vector<2xindex>
  %v = arith.select %p, %a, %b : vector<2xindex>
  %e:2 = vector.to_elements %v : vector<2xindex>
  %m = arith.addi %e#0, %e#1 : index
  memref.store %m, %out[%t] : memref<64xindex>
"""
    out = np.zeros(64, np.int64)
    run(body, "%out: memref<64xindex>", out)
    np.testing.assert_array_equal(out, [2 * t if t < 5 else -3 for t in range(64)])


def test_packs_of_one_element(run: Run) -> None:
    body = """
  %p = vector.from_elements %t : vector<1xindex>
  %e = vector.to_elements %p : vector<1xindex>
  %d = affine.delinearize_index %e into (64) : index
  %x = arith.addi %d, %c1 : index
  memref.store %x, %out[%t] : memref<64xindex>
"""
    out = np.zeros(64, np.int64)
    run(body, "%out: memref<64xindex>", out)
    np.testing.assert_array_equal(out, np.arange(1, 65))


def test_private_memory_belongs_to_a_thread(run: Run) -> None:
    space = "#gpu.address_space<private>"
    body = f"""
  %mine = memref.alloc() : memref<2xindex, {space}>
  memref.store %t, %mine[%c1] : memref<2xindex, {space}>
  %x = memref.load %mine[%c1] : memref<2xindex, {space}>
  memref.store %x, %out[%t] : memref<64xindex>
"""
    out = np.zeros(64, np.int64)
    run(body, "%out: memref<64xindex>", out)
    np.testing.assert_array_equal(out, np.arange(64))
