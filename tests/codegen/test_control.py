"""Loops, branches, views and packs: what a thread computes, thread by thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

I64_MAX = 2**63 - 1


def loop(type: str, lower: str, upper: str, step: str) -> str:
    return f"""  %t = gpu.thread_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %lb = {lower}
  %ub = {upper}
  %step = {step}
  %n, %last = scf.for %iv = %lb to %ub step %step iter_args(%k = %zero, %v = %lb) -> (index, {type}){
        "" if type == "index" else f" : {type}"
    } {{
    %m = arith.addi %k, %one : index
    scf.yield %m, %iv : index, {type}
  }}
  memref.store %n, %count[%t] : memref<64xindex>
  memref.store %last, %seen[%t] : memref<64x{type}>"""


def constant(value: int, type: str) -> str:
    return f"arith.constant {value} : {type}"


CASES = [
    ("index", 0, 10, 3), ("index", 0, 0, 1), ("index", 5, 2, 1), ("index", -7, 8, 5), ("index", 3, 4, 100),
    ("i32", 2**31 - 5, 2**31 - 1, 3), ("i32", -(2**31), -(2**31) + 2, 5), ("i8", 100, 127, 50),
    ("index", I64_MAX - 10, I64_MAX, 7), ("i64", -(2**63), -(2**63) + 1, I64_MAX),
]  # fmt: skip


@pytest.mark.parametrize(("type", "lower", "upper", "step"), CASES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_loops_stop_where_they_should(
    type: str, lower: int, upper: int, step: int, dynamic: bool, run: Any, text: Any
) -> None:
    """Also where the next value would overflow; bounds known to the compiler or not."""
    expected = range(lower, upper, step)
    dtype = np.dtype({"index": "int64"}.get(type, type.replace("i", "int")))
    arguments = f"%count: memref<64xindex>, %seen: memref<64x{type}>"
    values: list[Any] = [np.zeros(64, np.int64), np.zeros(64, dtype)]
    if dynamic:
        arguments += f", %a: {type}, %b: {type}, %c: {type}"
        values += [dtype.type(v) for v in (lower, upper, step)]
        zero = f"arith.constant 0 : {type}"
        body = f"  %none = {zero}\n" + loop(type, *(f"arith.addi %{v}, %none : {type}" for v in "abc"))
    else:
        body = loop(type, *(constant(v, type) for v in (lower, upper, step)))
    count, seen = run(text(arguments, body), values)
    assert (count == len(expected)).all()
    assert (seen == (expected[-1] if expected else lower)).all()


def test_triangular_nest_and_branches(run: Any, text: Any) -> None:
    """Trip counts differ from thread to thread, and each branch is taken by some."""
    body = """  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %t step %c1 iter_args(%s = %c0) -> (index) {
    %inner = scf.for %j = %c0 to %i step %c1 iter_args(%r = %s) -> (index) {
      %p = arith.muli %i, %j : index
      %parity = arith.remui %p, %c2 : index
      %even = arith.cmpi eq, %parity, %c0 : index
      %q = scf.if %even -> (index) {
        %u = arith.addi %r, %p : index
        scf.yield %u : index
      } else {
        %d = arith.subi %r, %p : index
        scf.yield %d : index
      }
      scf.yield %q : index
    }
    scf.yield %inner : index
  }
  memref.store %sum, %out[%t] : memref<64xindex>
  %low = arith.cmpi ult, %t, %c2 : index
  scf.if %low {
    memref.store %c1, %out[%t] : memref<64xindex>
  }"""
    (found,) = run(text("%out: memref<64xindex>", body), [np.zeros(64, np.int64)])
    terms = [[i * j * (1 if i * j % 2 == 0 else -1) for i in range(t) for j in range(i)] for t in range(64)]
    expected = [1 if t < 2 else sum(v) for t, v in enumerate(terms)]
    assert found.tolist() == expected


def test_loops_carry_packs(run: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %z) -> (vector<4xf32>) {
    %e = vector.extract %v[3] : f32 from vector<4xf32>
    %n = vector.insert %e, %v[0] : f32 into vector<4xf32>
    %w = arith.addf %n, %v : vector<4xf32>
    scf.yield %w : vector<4xf32>
  }
  %o = arith.muli %t, %c4 : index
  vector.store %r, %out[%o] : memref<256xf32>, vector<4xf32>"""
    (found,) = run(text("%out: memref<256xf32>", body), [np.zeros(256, np.float32)])
    v = np.array([1, 2, 3, 4], np.float32)
    for _ in range(4):
        v = np.array([v[3], *v[1:]], np.float32) + v
    assert np.array_equal(found.reshape(64, 4), np.tile(v, (64, 1)))


def test_dynamic_positions_broadcast_and_shape_cast(run: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %c3 = arith.constant 3 : index
  %p = arith.andi %t, %c3 : index
  %v = arith.constant dense<[[1, 2], [3, 4]]> : vector<2x2xi32>
  %f = vector.shape_cast %v : vector<2x2xi32> to vector<4xi32>
  %e = vector.extract %f[%p] : i32 from vector<4xi32>
  %w = vector.broadcast %v : vector<2x2xi32> to vector<2x2x2xi32>
  %row = vector.extract %w[1, 1] : vector<2xi32> from vector<2x2x2xi32>
  %a, %b = vector.to_elements %row : vector<2xi32>
  %n = vector.insert %a, %f[%p] : i32 into vector<4xi32>
  %s = vector.extract %n[0] : i32 from vector<4xi32>
  %x = arith.muli %e, %s : i32
  %y = arith.muli %x, %b : i32
  memref.store %y, %out[%t] : memref<64xi32>"""
    (found,) = run(text("%out: memref<64xi32>", body), [np.zeros(64, np.int32)])
    expected = [(t % 4 + 1) * (3 if t % 4 == 0 else 1) * 4 for t in range(64)]
    assert found.tolist() == expected


def test_affine_indices(run: Any, text: Any) -> None:
    """floordiv and mod round down, also for negative numbers, and whether or not the divisor is a power of two."""
    body = """  %t = gpu.thread_id x
  %c32 = arith.constant 32 : index
  %i = arith.subi %t, %c32 : index
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 8 + (d0 mod 8) * 100 + s0)>(%i)[%t]
  %1 = affine.apply affine_map<(d0) -> (d0 floordiv 5 - (d0 mod 5) + d0 ceildiv 3)>(%i)
  %2 = affine.min affine_map<(d0) -> (d0, 7, d0 * 2)>(%i)
  %3 = affine.max affine_map<(d0) -> (d0, -7)>(%i)
  %4:3 = affine.delinearize_index %t into (2, 4, 8) : index, index, index
  %5 = affine.linearize_index [%4#2, %4#0, %4#1] by (8, 2, 4) : index
  memref.store %0, %o0[%t] : memref<64xindex>
  memref.store %1, %o1[%t] : memref<64xindex>
  memref.store %2, %o2[%t] : memref<64xindex>
  memref.store %3, %o3[%t] : memref<64xindex>
  memref.store %5, %o4[%t] : memref<64xindex>"""
    arguments = ", ".join(f"%o{i}: memref<64xindex>" for i in range(5))
    found = run(text(arguments, body), [np.zeros(64, np.int64) for _ in range(5)])
    i, t = np.arange(-32, 32), np.arange(64)
    assert np.array_equal(found[0], i // 8 + i % 8 * 100 + t)
    assert np.array_equal(found[1], i // 5 - i % 5 + -(-i // 3))
    assert np.array_equal(found[2], np.minimum(np.minimum(i, 7), i * 2))
    assert np.array_equal(found[3], np.maximum(i, -7))
    assert np.array_equal(found[4], np.ravel_multi_index((t % 8, t // 32, t // 8 % 4), (8, 2, 4)))
