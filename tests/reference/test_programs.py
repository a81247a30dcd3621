"""Whole programs in the reference: control flow, kernels over grids, and owners that meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.dialects.func import FuncOp
from lanewise.ir.kernels import Kernel, find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import evaluate, run_kernel

WORKGROUP = "#gpu.address_space<workgroup>"


def function(text: str) -> FuncOp:
    module = parse_program(text)
    verify(module)
    (op,) = module.body.operations
    assert isinstance(op, FuncOp)
    return op


def kernel(signature: str, body: str, block: str = "64, 1, 1", more: str = "") -> Kernel:
    module = parse_program(
        f"gpu.func @k({signature}) kernel attributes {{gpu.known_block_size = array<i32: {block}>{more}}} {{\n"
        f"%c0 = arith.constant 0 : index\n{body}\ngpu.return\n}}"
    )
    verify(module)
    return find_kernel(module)


def of_threads(signature: str, body: str, block: str = "64, 1, 1", lanes: int = 32) -> Kernel:
    return kernel(signature, body, block, f', lanewise.scope = "thread", lanewise.subgroup_size = {lanes} : i64')


# -- control flow -----------------------------------------------------------------------------------------------------


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 20))
def test_loops_sum_what_they_count(lower: int, upper: int, step: int) -> None:
    op = function("""
      func.func @f(%l: index, %u: index, %s: index) -> (index, index) {
        %c0 = arith.constant 0 : index
        %r:2 = scf.for %i = %l to %u step %s iter_args(%sum = %c0, %last = %l) -> (index, index) {
          %n = arith.addi %sum, %i : index
          scf.yield %n, %i : index, index
        }
        return %r#0, %r#1 : index, index
      }""")
    numbers = range(lower, upper, step)
    total, last = evaluate(op, lower, upper, step)
    assert (int(total), int(last)) == (sum(numbers), numbers[-1] if numbers else lower)


def test_loops_exchange_their_values() -> None:
    op = function("""
      func.func @f(%a: i32, %b: i32, %n: index) -> (i32, i32) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (i32, i32) {
          scf.yield %y, %x : i32, i32
        }
        return %r#0, %r#1 : i32, i32
      }""")
    assert [int(v) for v in evaluate(op, 1, 2, 3)] == [2, 1]
    assert [int(v) for v in evaluate(op, 1, 2, 4)] == [1, 2]


def test_the_last_step_of_a_loop_does_not_wrap() -> None:
    op = function("""
      func.func @f(%l: i32, %u: i32, %s: i32, %z: i32) -> i32 {
        %one = arith.constant 1 : i32
        %r = scf.for %i = %l to %u step %s iter_args(%n = %z) -> (i32) : i32 {
          %m = arith.addi %n, %one : i32
          scf.yield %m : i32
        }
        return %r : i32
      }""")
    top = 2**31 - 1
    assert [int(v) for v in evaluate(op, top - 5, top, 4, 0)] == [2]
    assert [int(v) for v in evaluate(op, -(2**31), top, top, 0)] == [3]


def test_conditions() -> None:
    op = function("""
      func.func @f(%c: i1, %a: f32, %m: memref<1xf32>) -> f32 {
        %c0 = arith.constant 0 : index
        %r = scf.if %c -> (f32) {
          %s = arith.addf %a, %a : f32
          scf.yield %s : f32
        } else {
          scf.yield %a : f32
        }
        scf.if %c {
          memref.store %r, %m[%c0] : memref<1xf32>
        }
        return %r : f32
      }""")
    memory = np.zeros(1, np.float32)
    assert evaluate(op, False, 3.0, memory) == [3.0]
    assert memory[0] == 0
    assert evaluate(op, True, 3.0, memory) == [6.0]
    assert memory[0] == 6


# -- kernels of workgroups --------------------------------------------------------------------------------------------

ADD = """
  %c256 = arith.constant 256 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.block_id x
  %start = arith.muli %id, %c256 : index
  %left = arith.subi %n, %start : index
  %m = vector.create_mask %left : vector<256xi1>
  %x = vector.transfer_read %a[%start], %z, %m : memref<?xf32>, vector<256xf32>
  %y = vector.transfer_read %b[%start], %z, %m : memref<?xf32>, vector<256xf32>
  %r = arith.addf %x, %y : vector<256xf32>
  vector.transfer_write %r, %c[%start], %m : vector<256xf32>, memref<?xf32>"""


@pytest.mark.parametrize("n", [1, 255, 256, 257, 1000])
def test_vector_add_with_a_masked_tail(n: int) -> None:
    add = kernel("%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: index", ADD)
    a, b = np.arange(n, dtype=np.float32), np.arange(n, dtype=np.float32) * 3
    c = np.full(n + 9, -1, np.float32)
    run_kernel(add, (-(-n // 256), 1, 1), [a, b, c, n])
    assert (c[:n] == 4 * np.arange(n)).all()
    assert (c[n:] == -1).all()


def test_reduction_over_a_loop() -> None:
    body = """
      %z = arith.constant 0 : i32
      %zeros = arith.constant dense<0> : vector<32xi32>
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %row = gpu.block_id x
      %n = memref.dim %a, %c1 : memref<4x?xi32>
      %sums = scf.for %i = %c0 to %n step %c32 iter_args(%s = %zeros) -> (vector<32xi32>) {
        %v = vector.transfer_read %a[%row, %i], %z : memref<4x?xi32>, vector<32xi32>
        %t = arith.addi %s, %v : vector<32xi32>
        scf.yield %t : vector<32xi32>
      }
      %r = vector.multi_reduction <add>, %sums, %z [0] : vector<32xi32> to i32
      memref.store %r, %o[%row] : memref<4xi32>"""
    total = kernel("%a: memref<4x?xi32>, %o: memref<4xi32>", body)
    a = np.arange(4 * 77, dtype=np.int32).reshape(4, 77)
    sums = np.zeros(4, np.int32)
    run_kernel(total, (4, 1, 1), [a, sums])
    assert (sums == a.sum(axis=1)).all()


def test_every_workgroup_sees_its_place() -> None:
    body = """
      %x = gpu.block_id x
      %y = gpu.block_id y
      %z = gpu.block_id z
      %w = gpu.grid_dim x
      %t = gpu.block_dim y
      %l = affine.linearize_index [%y, %x] by (%w)
      %v = arith.addi %l, %t : index
      memref.store %v, %o[%z, %y, %x] : memref<2x3x4xindex>"""
    place = kernel("%o: memref<2x3x4xindex>", body, "32, 2, 1")
    out = np.zeros((2, 3, 4), np.int64)
    run_kernel(place, (4, 3, 2), [out])
    assert (out == np.arange(12).reshape(3, 4) + 2).all()


def test_shared_memory_of_a_workgroup() -> None:
    body = f"""
      %z = arith.constant 0.0 : f32
      %s = memref.alloc() : memref<8x4xf32, {WORKGROUP}>
      %v = vector.transfer_read %a[%c0, %c0], %z : memref<4x8xf32>, vector<4x8xf32>
      vector.transfer_write %v, %s[%c0, %c0] {{permutation_map = affine_map<(i, j) -> (j, i)>}}
        : vector<4x8xf32>, memref<8x4xf32, {WORKGROUP}>
      gpu.barrier
      %w = vector.transfer_read %s[%c0, %c0], %z : memref<8x4xf32, {WORKGROUP}>, vector<8x4xf32>
      vector.transfer_write %w, %o[%c0, %c0] : vector<8x4xf32>, memref<8x4xf32>"""
    transpose = kernel("%a: memref<4x8xf32>, %o: memref<8x4xf32>", body)
    a, out = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((8, 4), np.float32)
    run_kernel(transpose, (1, 1, 1), [a, out])
    assert (out == a.T).all()


def test_shared_memory_does_not_outlive_its_workgroup() -> None:
    body = f"""
      %s = memref.alloc() : memref<1xf32, {WORKGROUP}>
      %x = gpu.block_id x
      %first = arith.cmpi eq, %x, %c0 : index
      scf.if %first {{
        %one = arith.constant 1.0 : f32
        memref.store %one, %s[%c0] : memref<1xf32, {WORKGROUP}>
      }}
      %v = memref.load %s[%c0] : memref<1xf32, {WORKGROUP}>"""
    keeper = kernel("", body)
    run_kernel(keeper, (1, 1, 1), [])
    with pytest.raises(
        EvaluationError, match=r"in workgroup \(1, 0, 0\) reads element \[0\] of %s .*which nobody has written"
    ):
        run_kernel(keeper, (2, 1, 1), [])


# -- owners that meet -------------------------------------------------------------------------------------------------


def test_threads_reverse_through_shared_memory() -> None:
    body = f"""
      %s = memref.alloc() : memref<64xf32, {WORKGROUP}>
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<64xf32>
      memref.store %v, %s[%t] : memref<64xf32, {WORKGROUP}>
      gpu.barrier
      %c63 = arith.constant 63 : index
      %q = arith.subi %c63, %t : index
      %w = memref.load %s[%q] : memref<64xf32, {WORKGROUP}>
      memref.store %w, %a[%t] : memref<64xf32>"""
    a = np.arange(64, dtype=np.float32)
    run_kernel(of_threads("%a: memref<64xf32>", body), (1, 1, 1), [a])
    assert (a == np.arange(63, -1, -1)).all()


def shuffled(mode: str, offset: int, width: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    body = f"""
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      %o = arith.constant {offset} : i32
      %w = arith.constant {width} : i32
      %r, %ok = gpu.shuffle {mode} %v, %o, %w : i32
      memref.store %r, %a[%t] : memref<64xi32>
      memref.store %ok, %b[%t] : memref<64xi1>"""
    values, valid = np.zeros(64, np.int32), np.zeros(64, np.bool_)
    run_kernel(of_threads("%a: memref<64xi32>, %b: memref<64xi1>", body), (1, 1, 1), [values, valid])
    return values, valid


def test_shuffles() -> None:
    lanes = np.arange(64)
    values, valid = shuffled("xor", 5, 32)
    assert (values == lanes ^ 5).all()
    assert valid.all()
    values, valid = shuffled("down", 3, 16)
    assert (valid == (lanes % 16 < 13)).all()
    assert (values == np.where(valid, lanes + 3, lanes)).all()
    values, valid = shuffled("up", 3, 16)
    assert (valid == (lanes % 16 >= 3)).all()
    assert (values == np.where(valid, lanes - 3, lanes)).all()
    values, valid = shuffled("idx", 7, 32)
    assert (values == lanes // 32 * 32 + 7).all()
    assert valid.all()


@pytest.mark.parametrize(
    ("cluster", "size", "stride"), [("", 32, 1), ("cluster(size = 4)", 4, 1), ("cluster(size = 4, stride = 8)", 4, 8)]
)
@pytest.mark.parametrize("kind", ["add", "maxsi", "minui", "xor"])
def test_reductions_over_clusters(cluster: str, size: int, stride: int, kind: str) -> None:
    body = f"""
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<64xi32>
      %r = gpu.subgroup_reduce {kind} %v {cluster} : (i32) -> i32
      memref.store %r, %a[%t] : memref<64xi32>"""
    a = np.random.default_rng(1).integers(-100, 100, 64, np.int32)
    function = {"add": np.add, "maxsi": np.maximum, "minui": np.minimum, "xor": np.bitwise_xor}[kind]
    source = a.view(np.uint32) if kind == "minui" else a
    groups = source.reshape(-1, size, stride)
    expected = np.broadcast_to(function.reduce(groups, axis=1, keepdims=True), groups.shape).reshape(64)
    wanted = expected.astype(np.uint32).view(np.int32) if kind == "minui" else expected
    run_kernel(of_threads("%a: memref<64xi32>", body), (1, 1, 1), [a])
    assert (a == wanted).all()


def test_meetings_inside_loops_and_uniform_conditions() -> None:
    """A prefix sum by doubling, through shared memory."""
    body = f"""
      %s = memref.alloc() : memref<64xi32, {WORKGROUP}>
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<64xi32>
      memref.store %v, %s[%t] : memref<64xi32, {WORKGROUP}>
      gpu.barrier
      scf.for %i = %c0 to %c6 step %c1 {{
        %d = arith.shli %c1, %i : index
        %from = arith.subi %t, %d : index
        %has = arith.cmpi sge, %from, %c0 : index
        %mine = memref.load %s[%t] : memref<64xi32, {WORKGROUP}>
        %sum = scf.if %has -> (i32) {{
          %other = memref.load %s[%from] : memref<64xi32, {WORKGROUP}>
          %n = arith.addi %mine, %other : i32
          scf.yield %n : i32
        }} else {{
          scf.yield %mine : i32
        }}
        gpu.barrier
        memref.store %sum, %s[%t] : memref<64xi32, {WORKGROUP}>
        gpu.barrier
      }}
      %r = memref.load %s[%t] : memref<64xi32, {WORKGROUP}>
      memref.store %r, %a[%t] : memref<64xi32>"""
    a = np.arange(64, dtype=np.int32) * 3 + 1
    expected = np.cumsum(a)
    run_kernel(of_threads("%a: memref<64xi32>", body), (1, 1, 1), [a])
    assert (a == expected).all()


def test_ids_of_threads() -> None:
    body = """
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %z = gpu.thread_id z
      %l = gpu.lane_id
      %s = gpu.subgroup_id : index
      %n = gpu.subgroup_size : index
      %m = gpu.num_subgroups : index
      %linear = affine.linearize_index [%s, %l] by (%n)
      %v = affine.linearize_index [%linear, %m] by (100)
      memref.store %v, %o[%z, %y, %x] : memref<2x3x8xindex>"""
    out = np.zeros((2, 3, 8), np.int64)
    run_kernel(of_threads("%o: memref<2x3x8xindex>", body, "8, 3, 2", 16), (1, 1, 1), [out])
    assert (out == np.arange(48).reshape(2, 3, 8) * 100 + 3).all()


def test_subgroups_meet_at_barriers() -> None:
    body = f"""
      %s = memref.alloc() : memref<4xindex, {WORKGROUP}>
      %g = gpu.subgroup_id : index
      memref.store %g, %s[%g] : memref<4xindex, {WORKGROUP}>
      gpu.barrier
      %c3 = arith.constant 3 : index
      %q = arith.subi %c3, %g : index
      %v = memref.load %s[%q] : memref<4xindex, {WORKGROUP}>
      memref.store %v, %o[%g] : memref<4xindex>"""
    k = kernel("%o: memref<4xindex>", body, "128, 1, 1", ', lanewise.scope = "subgroup"')
    out = np.zeros(4, np.int64)
    run_kernel(k, (1, 1, 1), [out], subgroup_size=32)
    assert out.tolist() == [3, 2, 1, 0]
    with pytest.raises(EvaluationError, match="kernel '@k' needs a subgroup size"):
        run_kernel(k, (1, 1, 1), [out])


def test_barriers_that_some_do_not_reach() -> None:
    body = """
      %t = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %few = arith.cmpi slt, %t, %c8 : index
      scf.if %few {
        gpu.barrier
      }"""
    with pytest.raises(EvaluationError) as error:
        run_kernel(of_threads("", body), (1, 1, 1), [])
    message = str(error.value)
    assert "'gpu.barrier' op is reached by 8 of the 64 threads of a workgroup" in message
    assert "workgroup (0, 0, 0), thread (0, 0, 0) is here, workgroup (0, 0, 0), thread (8, 0, 0) is not" in message
    assert "hint: barriers and shuffles must not stand inside a condition" in message


def test_threads_at_different_barriers() -> None:
    body = """
      %t = gpu.thread_id x
      %c8 = arith.constant 8 : index
      %few = arith.cmpi slt, %t, %c8 : index
      scf.if %few {
        gpu.barrier
      } else {
        gpu.barrier
      }"""
    with pytest.raises(EvaluationError, match=r"reached by 8 of the 64 .*thread \(8, 0, 0\) is not"):
        run_kernel(of_threads("", body), (1, 1, 1), [])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "%r = gpu.subgroup_reduce add %v cluster(size = 64) : (i32) -> i32",
            "clusters that span 64 lanes, found subgroups of 32 lanes",
        ),
        (
            "%w = arith.constant 64 : i32\n%r:2 = gpu.shuffle xor %v, %v, %w : i32",
            "needs a power of two up to 32 as width: 64",
        ),
    ],
)
def test_exchanges_that_do_not_fit_the_subgroup(line: str, message: str) -> None:
    with pytest.raises(EvaluationError) as error:
        run_kernel(of_threads("", f"%v = arith.constant 1 : i32\n{line}"), (1, 1, 1), [])
    assert message in str(error.value)


def test_errors_name_the_thread() -> None:
    body = "%t = gpu.thread_id x\n%v = memref.load %a[%t] : memref<40xf32>"
    with pytest.raises(
        EvaluationError, match=r"in workgroup \(0, 0, 0\), thread \(40, 0, 0\) reads element \[40\] of %a out of bounds"
    ):
        run_kernel(of_threads("%a: memref<40xf32>", body), (1, 1, 1), [np.zeros(40, np.float32)])


def test_functions_do_not_wait() -> None:
    op = function("func.func @f() {\ngpu.barrier\nreturn\n}")
    with pytest.raises(EvaluationError, match="is no kernel"):
        evaluate(op)


def test_atomic_updates_give_what_was_there() -> None:
    body = """
      %t = gpu.thread_id x
      %old = memref.atomic_rmw addi %t, %sum[%c0] : (index, memref<1xindex>) -> index
      %was = memref.atomic_rmw assign %old, %a[%t] : (index, memref<64xindex>) -> index
      %top = memref.atomic_rmw maxs %was, %max[] : (index, memref<index>) -> index"""
    total, a, largest = np.array([7]), np.arange(64), np.zeros((), np.int64)
    arguments = "%sum: memref<1xindex>, %a: memref<64xindex>, %max: memref<index>"
    run_kernel(of_threads(arguments, body), (1, 1, 1), [total, a, largest])
    assert total.tolist() == [7 + 63 * 64 // 2] and int(largest) == 63
    assert sorted(a.tolist()) == a.tolist() == [7 + t * (t - 1) // 2 for t in range(64)]
