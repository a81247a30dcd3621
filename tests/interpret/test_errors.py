"""Everything undefined is found, and named: the operation and its line, the thread, the element, who else was there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .conftest import SHARED, Run

Error = Callable[..., str]
FLOATS = "%a: memref<64xf32>"


def floats() -> np.ndarray:
    return np.arange(64, dtype=np.float32)


# -- bounds ---------------------------------------------------------------------------------------------------------


def test_threads_are_named_by_their_coordinates(error: Error) -> None:
    body = """
  %y = gpu.thread_id y
  %w = gpu.block_id y
  %r = arith.addi %w, %y : index
  memref.store %c1, %a[%r, %t] : memref<?x?xindex>
"""
    text = error(body, "%a: memref<?x?xindex>", np.zeros((6, 5), np.int64), grid=(1, 3, 1), threads="5, 5, 1")
    assert "in workgroup (0, 2, 0), thread (0, 4, 0) writes element [6, 0] of %a out of bounds" in text


def test_a_load_below_zero(error: Error) -> None:
    body = "  %i = arith.subi %t, %c3 : index\n  %x = memref.load %a[%i] : memref<64xf32>"
    text = error(body, FLOATS, floats())
    assert "in workgroup (0, 0, 0), thread (0, 0, 0) reads element [-3] of %a out of bounds" in text
    assert "index -3 of dimension 0, whose extent is 64" in text
    assert text.startswith("k.mlir:14:") and "memref.load %a[%i]" in text


def test_a_row_end_is_a_bound(error: Error) -> None:
    """The memory beyond the row is the next row's: nothing but the extent forbids it."""
    body = "  %i = arith.addi %t, %c1 : index\n  memref.store %c5, %a[%c0, %i] : memref<2x64xindex>"
    text = error(body, "%a: memref<2x64xindex>", np.zeros((2, 64), np.int64), grid=3)
    assert "thread (63, 0, 0) writes element [0, 64] of %a" in text


def test_packs_count_all_their_elements(error: Error) -> None:
    body = "  %v = vector.load %a[%t] : memref<64xf32>, vector<4xf32>"
    text = error(body, FLOATS, floats())
    assert "thread (61, 0, 0)" in text and "indices 61 to 64 of dimension 0, whose extent is 64" in text


def test_masked_lanes_may_lie_outside_but_not_others(error: Error, run: Run) -> None:
    body = """
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %i = arith.addi %t, %c1 : index
  %in = arith.cmpi ult, {limited}, %end : index
  %some = arith.cmpi ne, %t, %c0 : index
  %mask = vector.from_elements %some, %in : vector<2xi1>
  %v = vector.maskedload %a[%t], %mask, %zero : memref<64xf32>, vector<2xi1>, vector<2xf32> into vector<2xf32>
"""
    end = "  %end = arith.constant 64 : index"
    run(end + body.format(limited="%i"), FLOATS, floats())
    text = error(end + body.format(limited="%t"), FLOATS, floats())
    assert "thread (63, 0, 0) reads element [64] of %a" in text


def test_inactive_threads_touch_nothing(run: Run) -> None:
    body = """
  %far = arith.muli %t, %c8 : index
  %in = arith.cmpi ult, %far, %c8 : index
  scf.if %in {
    %x = memref.load %a[%far] : memref<1xf32>
    memref.store %x, %a[%far] : memref<1xf32>
  }
"""
    run(body, "%a: memref<1xf32>", np.zeros(1, np.float32))


def test_a_subview_has_to_lie_in_its_source(error: Error) -> None:
    type = "memref<4xf32, strided<[1], offset: ?>>"
    text = error(f"  %v = memref.subview %a[%t] [4] [1] : memref<64xf32> to {type}", FLOATS, floats())
    assert "thread (61, 0, 0) leaves its source in dimension 0, at index: 64" in text


def test_a_view_has_to_lie_in_its_buffer(error: Error) -> None:
    alloc = f"  %b = memref.alloc() : memref<32xi8, {SHARED}>\n"
    view = f"  %f = memref.view %b[%{{}}][%{{}}] : memref<32xi8, {SHARED}> to memref<?xf32, {SHARED}>"
    assert "ends after its buffer, at byte: 36" in error(alloc + view.format("c4", "c8"))
    assert "of f32 begins at a byte that is no multiple: 2" in error(alloc + view.format("c2", "c1"))


def test_a_cast_has_to_be_true(error: Error) -> None:
    text = error("  %b = memref.cast %a : memref<?xf32> to memref<65xf32>", "%a: memref<?xf32>", floats())
    assert "states 65 as extent 0, but it is: 64" in text


# -- alignment ------------------------------------------------------------------------------------------------------


def test_a_pack_has_to_be_as_aligned_as_stated(error: Error) -> None:
    body = """
  %r = arith.remui %t, %c4 : index
  %v = vector.load %a[%r] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
"""
    text = error(body, FLOATS, floats())
    assert "thread (1, 0, 0) reads element [1] at an address that is a multiple of 4 bytes" in text
    assert "needs 16" in text


def test_facts_limit_what_is_known_of_an_argument(error: Error, run: Run) -> None:
    body = "  %v = vector.load %a[%c0] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>"
    run(body, "%a: memref<64xf32> {llvm.align = 16 : i64}", floats())
    text = error(body, "%a: memref<64xf32> {llvm.align = 4 : i64}", floats())
    assert "multiple of 4 bytes" in text


def test_a_claimed_alignment_is_checked(error: Error) -> None:
    body = "  %v = memref.subview %a[%c2] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>\n"
    claim = "  %w = memref.assume_alignment %v, 16 : memref<4xf32, strided<[1], offset: ?>>"
    assert "states 16" in error(body + claim, FLOATS, floats())


def test_rows_of_ldmatrix_are_aligned(error: Error) -> None:
    shared = f"memref<64x9xf16, {SHARED}>"
    body = f"""
  %b = memref.alloc() : {shared}
  %x = nvgpu.ldmatrix %b[%t, %c0] {{transpose = false, numTiles = 1 : i32}} : {shared} -> vector<1x2xf16>
"""
    assert "multiple of 2 bytes, the operation needs 16" in error(body)


# -- races and undefined contents -------------------------------------------------------------------------------------

NEIGHBOUR = """
  %b = memref.alloc() : memref<64xf32, {space}>
  %x = memref.load %a[%t] : memref<64xf32>
  memref.store %x, %b[%t] : memref<64xf32, {space}>
{barrier}
  %last = arith.constant 63 : index
  %other = arith.subi %last, %t : index
  %y = memref.load %b[%other] : memref<64xf32, {space}>
  memref.store %y, %a[%t] : memref<64xf32>
"""


def test_a_dropped_barrier(error: Error, run: Run) -> None:
    a = floats()
    run(NEIGHBOUR.format(space=SHARED, barrier="  gpu.barrier"), FLOATS, a)
    np.testing.assert_array_equal(a, floats()[::-1])
    text = error(NEIGHBOUR.format(space=SHARED, barrier=""), FLOATS, floats())
    assert "thread (0, 0, 0) reads element [63] of %b (workgroup memory)" in text
    assert "which workgroup (0, 0, 0), thread (63, 0, 0) writes with no barrier between: a data race" in text
    assert "note: the other access, 'memref.store'" in text


@pytest.mark.parametrize("spaces", ["#gpu.address_space<global>", ""])
def test_a_barrier_of_other_memory_does_not_order(error: Error, spaces: str) -> None:
    barrier = f"  gpu.barrier memfence [{spaces}]"
    assert "a data race" in error(NEIGHBOUR.format(space=SHARED, barrier=barrier), FLOATS, floats())


OVERWRITE = """
  %b = memref.alloc() : memref<64xf32, {space}>
  %one = arith.constant 1.0 : f32
  memref.store %one, %b[%t] : memref<64xf32, {space}>
  gpu.barrier
  %last = arith.constant 63 : index
  %other = arith.subi %last, %t : index
  %y = memref.load %b[%other] : memref<64xf32, {space}>
{barrier}
  memref.store %y, %b[%t] : memref<64xf32, {space}>
"""


def test_a_write_after_a_read(error: Error, run: Run) -> None:
    run(OVERWRITE.format(space=SHARED, barrier="  gpu.barrier"))
    text = error(OVERWRITE.format(space=SHARED, barrier=""))
    assert "thread (0, 0, 0) writes element [0] of %b" in text and "thread (63, 0, 0) reads with no barrier" in text


def test_a_write_after_many_reads(error: Error) -> None:
    """The writer itself is the reader remembered last; the others count all the same."""
    body = f"""
  %b = memref.alloc() : memref<1xf32, {SHARED}>
  %last = arith.constant 63 : index
  %mine = arith.cmpi eq, %t, %last : index
  %one = arith.constant 1.0 : f32
  scf.if %mine {{
    memref.store %one, %b[%c0] : memref<1xf32, {SHARED}>
  }}
  gpu.barrier
  %x = memref.load %b[%c0] : memref<1xf32, {SHARED}>
  scf.if %mine {{
    memref.store %x, %b[%c0] : memref<1xf32, {SHARED}>
  }}
"""
    assert "thread (63, 0, 0) writes element [0] of %b" in error(body)


def test_two_writers_of_one_element(error: Error) -> None:
    body = f"""
  %b = memref.alloc() : memref<32xf32, {SHARED}>
  %one = arith.constant 1.0 : f32
  %i = arith.divui %t, %c2 : index
  memref.store %one, %b[%i] : memref<32xf32, {SHARED}>
"""
    assert "thread (1, 0, 0) writes too in the same operation: a data race" in error(body)


def test_a_race_between_loop_iterations(error: Error, run: Run) -> None:
    body = """
  %b = memref.alloc() : memref<64xf32, {space}>
  %x = memref.load %a[%t] : memref<64xf32>
  %last = arith.constant 63 : index
  %other = arith.subi %last, %t : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (f32) {{
    memref.store %v, %b[%t] : memref<64xf32, {space}>
    gpu.barrier
    %y = memref.load %b[%other] : memref<64xf32, {space}>
{barrier}
    scf.yield %y : f32
  }}
  memref.store %r, %a[%t] : memref<64xf32>
"""
    a = floats()
    run(body.format(space=SHARED, barrier="    gpu.barrier"), FLOATS, a)
    np.testing.assert_array_equal(a, floats()[::-1])
    assert "with no barrier between" in error(body.format(space=SHARED, barrier=""), FLOATS, floats())


def test_a_race_under_two_element_types(error: Error) -> None:
    body = f"""
  %b = memref.alloc() : memref<256xi8, {SHARED}>
  %f = memref.view %b[%c0][] : memref<256xi8, {SHARED}> to memref<64xf32, {SHARED}>
  %h = memref.view %b[%c0][] : memref<256xi8, {SHARED}> to memref<128xf16, {SHARED}>
  %one = arith.constant 1.0 : f32
  memref.store %one, %f[%t] : memref<64xf32, {SHARED}>
  %i = arith.muli %t, %c2 : index
  %x = memref.load %h[%i] : memref<128xf16, {SHARED}>
  %y = memref.load %h[%t] : memref<128xf16, {SHARED}>
"""
    text = error(body)
    assert "thread (1, 0, 0) reads element [1] of %b" in text and "thread (0, 0, 0) writes" in text


def test_shared_memory_that_nobody_wrote(error: Error) -> None:
    body = f"""
  %b = memref.alloc() : memref<64xf32, {SHARED}>
  %in = arith.cmpi ne, %t, %c5 : index
  %one = arith.constant 1.0 : f32
  scf.if %in {{
    memref.store %one, %b[%t] : memref<64xf32, {SHARED}>
  }}
  gpu.barrier
  %x = memref.load %b[%t] : memref<64xf32, {SHARED}>
"""
    assert "thread (5, 0, 0) reads element [5] of %b (workgroup memory), which nobody has written" in error(body)


def test_workgroups_do_not_share_memory(error: Error) -> None:
    body = f"""
  %b = memref.alloc() : memref<64xf32, {SHARED}>
  %w = gpu.block_id x
  %first = arith.cmpi eq, %w, %c0 : index
  %one = arith.constant 1.0 : f32
  scf.if %first {{
    memref.store %one, %b[%t] : memref<64xf32, {SHARED}>
  }}
  %x = memref.load %b[%t] : memref<64xf32, {SHARED}>
"""
    assert "in workgroup (1, 0, 0), thread (0, 0, 0) reads element [0]" in error(body, grid=2)


def test_an_allocation_in_a_loop_begins_undefined(error: Error) -> None:
    body = f"""
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {{
    %b = memref.alloc() : memref<64xf32, {SHARED}>
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {{
      memref.store %one, %b[%t] : memref<64xf32, {SHARED}>
    }}
    %x = memref.load %b[%t] : memref<64xf32, {SHARED}>
  }}
"""
    assert "which nobody has written" in error(body)


@pytest.mark.parametrize("grid", [2, 3000])
def test_global_writes_of_different_values_race(error: Error, run: Run, grid: int) -> None:
    body = "  %w = gpu.block_id x\n  memref.store {}, %a[%t] : memref<64xindex>"
    run(body.format("%t"), "%a: memref<64xindex>", np.zeros(64, np.int64), grid=grid)
    text = error(body.format("%w"), "%a: memref<64xindex>", np.zeros(64, np.int64), grid=grid)
    assert "writes element [0] of %a" in text and "a data race" in text


def test_global_memory_read_by_another_workgroup(error: Error) -> None:
    body = """
  %w = gpu.block_id x
  %v = arith.subi %c1, %w : index
  memref.store %t, %a[%w, %t] : memref<2x64xindex>
  gpu.barrier
  %x = memref.load %a[%v, %t] : memref<2x64xindex>
"""
    text = error(body, "%a: memref<2x64xindex>", np.zeros((2, 64), np.int64), grid=2)
    assert "in workgroup (0, 0, 0), thread (0, 0, 0) reads element [1, 0] of %a" in text
    assert "which workgroup (1, 0, 0), thread (0, 0, 0) writes" in text


def test_global_memory_written_where_another_workgroup_reads(error: Error) -> None:
    body = """
  %w = gpu.block_id x
  %x = memref.load %a[%t] : memref<64xindex>
  %first = arith.cmpi eq, %w, %c0 : index
  scf.if %first {
    memref.store %x, %a[%t] : memref<64xindex>
  }
"""
    assert "a data race" in error(body, "%a: memref<64xindex>", np.zeros(64, np.int64), grid=2)


def test_barriers_order_global_memory_within_a_workgroup(error: Error, run: Run) -> None:
    body = """
  %last = arith.constant 63 : index
  %other = arith.subi %last, %t : index
  %x = memref.load %a[%other] : memref<64xf32>
{}
  memref.store %x, %a[%t] : memref<64xf32>
"""
    a = floats()
    run(body.format("  gpu.barrier"), FLOATS, a)
    np.testing.assert_array_equal(a, floats()[::-1])
    assert "thread (63, 0, 0) reads with no barrier" in error(body.format(""), FLOATS, floats())


def test_one_array_as_two_arguments(error: Error) -> None:
    body = """
  %last = arith.constant 63 : index
  %other = arith.subi %last, %t : index
  %x = memref.load %a[%other] : memref<64xf32>
  memref.store %x, %b[%t] : memref<64xf32>
"""
    a = floats()
    assert "a data race" in error(body, "%a: memref<64xf32>, %b: memref<64xf32>", a, a)


def test_without_checks_only_bounds_count(run: Run, error: Error) -> None:
    run(NEIGHBOUR.format(space=SHARED, barrier=""), FLOATS, floats(), checks=False)
    body = "  %x = memref.load %a[%c8] : memref<?xf32>"
    assert "out of bounds" in error(body, "%a: memref<?xf32>", floats()[:8], checks=False)


# -- together -------------------------------------------------------------------------------------------------------

DIVERGED = """
  %some = arith.cmpi ult, %t, %c3 : index
  scf.if %some {{
    {}
  }}
"""


def test_a_divergent_barrier(error: Error) -> None:
    text = error(DIVERGED.format("gpu.barrier"))
    assert "'gpu.barrier' op is reached by 3 of the 64 threads of a workgroup" in text
    assert "workgroup (0, 0, 0), thread (0, 0, 0) is here, workgroup (0, 0, 0), thread (3, 0, 0) is not" in text


def test_a_barrier_after_which_some_threads_loop_on(error: Error) -> None:
    body = "  scf.for %i = %c0 to %t step %c1 {\n    gpu.barrier\n  }"
    assert "is reached by 63 of the 64 threads" in error(body)


@pytest.mark.parametrize(
    "op",
    [
        "%r, %v = gpu.shuffle xor %t32, %one, %width : i32",
        "%r = gpu.subgroup_reduce add %t32 : (i32) -> i32",
    ],
)
def test_a_divergent_exchange(error: Error, op: str) -> None:
    constants = """
  %t32 = arith.index_cast %t : index to i32
  %one = arith.constant 1 : i32
  %width = arith.constant 32 : i32
"""
    text = error(constants + DIVERGED.format(op))
    assert "is reached by 3 of the 32 threads of a subgroup" in text


def test_whole_subgroups_may_exchange_alone(run: Run) -> None:
    body = """
  %s = gpu.subgroup_id : index
  %first = arith.cmpi eq, %s, %c0 : index
  %t32 = arith.index_cast %t : index to i32
  scf.if %first {
    %r = gpu.subgroup_reduce add %t32 : (i32) -> i32
    memref.store %r, %out[%t] : memref<64xi32>
  }
"""
    out = np.zeros(64, np.int32)
    run(body, "%out: memref<64xi32>", out)
    np.testing.assert_array_equal(out, [31 * 16] * 32 + [0] * 32)


def test_a_shuffle_from_a_lane_that_is_not_there(error: Error) -> None:
    body = """
  %t32 = arith.index_cast %t : index to i32
  %from = arith.constant 9 : i32
  %width = arith.constant 32 : i32
  %r, %v = gpu.shuffle idx %t32, %from, %width : i32
"""
    text = error(body, threads="40, 1, 1")
    assert "thread (32, 0, 0) reads a lane that the workgroup's last subgroup lacks: 9" in text


def test_widths_of_shuffles(error: Error) -> None:
    body = """
  %t32 = arith.index_cast %t : index to i32
  %width = arith.constant 64 : i32
  %r, %v = gpu.shuffle xor %t32, %t32, %width : i32
"""
    assert "needs a power of two up to 32 as width: 64" in error(body)


def test_matrix_instructions_need_warps(error: Error) -> None:
    types = "vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>"
    body = f"""
  %a = arith.constant dense<0.0> : vector<4x2xf16>
  %b = arith.constant dense<0.0> : vector<2x2xf16>
  %c = arith.constant dense<0.0> : vector<2x2xf32>
  %d = nvgpu.mma.sync(%a, %b, %c) {{mmaShape = [16, 8, 16]}} : ({types}) -> vector<2x2xf32>
"""
    assert "needs whole subgroups of 32 lanes, found 64" in error(body, subgroup_size=64)
    assert "needs whole subgroups of 32 lanes" in error(body, threads="48, 1, 1")


# -- programs and arguments -------------------------------------------------------------------------------------------


def test_a_step_has_to_be_positive(error: Error) -> None:
    assert "in workgroup (0, 0, 0), thread (0, 0, 0) has step 0" in error("  scf.for %i = %c0 to %c3 step %t {\n  }")


def test_what_no_thread_can_do(error: Error) -> None:
    """The elements of a layout's vector belong to threads; which, only distribution knows."""
    body = "  %a = arith.constant dense<0.0> : vector<4xf32>\n"
    body += "  %m = iree_vector_ext.to_simd %a : vector<4xf32> -> vector<64xf32>"
    assert "'iree_vector_ext.to_simd' op has no meaning" in error(body)


def test_threads_that_choose_between_buffers(error: Error) -> None:
    type = f"memref<4xf32, {SHARED}>"
    body = f"""
  %b = memref.alloc() : {type}
  %d = memref.alloc() : {type}
  %p = arith.cmpi ult, %t, %c3 : index
  %e = scf.if %p -> ({type}) {{
    scf.yield %b : {type}
  }} else {{
    scf.yield %d : {type}
  }}
"""
    assert "gives some owners one buffer and the others another" in error(body)


@pytest.mark.parametrize(
    ("arguments", "given", "expected"),
    [
        (FLOATS, [], "takes 1 arguments, found 0"),
        (FLOATS, [np.zeros(64)], "expected memref<64xf32>, found an array of elements of float64"),
        (FLOATS, [np.zeros(63, np.float32)], "found an array of shape [63]"),
        (
            "%a: memref<?x4xf32>",
            [np.zeros((4, 8), np.float32).T],
            "found an array of strides [1, 8]",
        ),
        (FLOATS, [1.0], "found float where a numpy array is taken"),
        ("%n: index", [np.zeros(3)], "argument 0 of '@k': expected index, found an array of shape [3]"),
    ],
)
def test_wrong_arguments(error: Error, arguments: str, given: list[object], expected: str) -> None:
    text = error("", arguments, *given)
    assert "'@k'" in text and expected in text


def test_read_only_arrays_are_not_written(error: Error) -> None:
    a = floats()
    a.flags.writeable = False
    body = "  %one = arith.constant 1.0 : f32\n  memref.store %one, %a[%t] : memref<64xf32>"
    assert "writes element [0] of %a, which is read-only" in error(body, FLOATS, a)
