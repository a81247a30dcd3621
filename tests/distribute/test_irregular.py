"""Programs off the beaten path: threads that no layout divides, scopes, casts that layouts cannot follow, odd masks."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from lanewise.support.diagnostics import ProgramError

from .conftest import Agree, compilation
from .programs import kernel, memref, vector
from .test_regressions import CONTRACT, one_dim

TWO_DIM = (
    "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = {b}, outer_tile = [1, 1], thread_tile = {t}, "
    "element_tile = {e}, subgroup_strides = [0, 0], thread_strides = {ts}>"
)


def spread_sum(threads: int, tile: int) -> str:
    """Adds a reduction over `tile` threads to one element of every thread: all of them need the right total."""
    source, out = vector((2 * tile,)), vector((threads,))
    return kernel(
        f"%x: {memref((2 * tile,))}, %y: {memref((threads,))}",
        f"""  %0 = vector.transfer_read %x[%c0], %pad : {memref((2 * tile,))}, {source}
  %1 = iree_vector_ext.to_layout %0 to layout({one_dim(b=2, t=tile)}) : {source}
  %2 = vector.multi_reduction <add>, %1, %pad [0] : {source} to i32
  %3 = vector.broadcast %2 : i32 to {out}
  %4 = iree_vector_ext.to_layout %3 to layout({one_dim(t=threads)}) : {out}
  vector.transfer_write %4, %y[%c0] : {out}, {memref((threads,))}""",
        threads=threads,
    )


@pytest.mark.parametrize(
    ("threads", "tile"),
    [(32, 3), (64, 3), (64, 24), (64, 33), (64, 48), (48, 32), (96, 64), (40, 32), (17, 16), (33, 2), (33, 32)],
)
def test_every_thread_has_the_total_also_where_the_workgroup_ends_within_a_group(
    agree: Agree, threads: int, tile: int
) -> None:
    x = np.arange(2 * tile, dtype=np.int32)
    _, y = agree(spread_sum(threads, tile), x, np.zeros(threads, np.int32))
    assert (y == x.sum() - 7).all()


def test_zeros_of_both_signs_are_no_splat(agree: Agree) -> None:
    text = kernel(
        "%y: memref<4xf32>",
        """  %0 = arith.constant dense<[0.0, -0.0, 0.0, -0.0]> : vector<4xf32>
  vector.transfer_write %0, %y[%c0] : vector<4xf32>, memref<4xf32>""",
    )
    (y,) = agree(text, np.ones(4, np.float32))
    assert np.signbit(y).tolist() == [False, True, False, True]


def test_scalar_arithmetic_wraps_in_its_own_type(agree: Agree) -> None:
    text = kernel(
        "%y: memref<1xi32>",
        """  %big = arith.constant 2147483647 : i32
  %true = arith.constant true
  %square = arith.muli %big, %big : i32
  %cube = arith.muli %square, %big : i32
  %bit = arith.addi %true, %true : i1
  %sum = arith.extui %bit : i1 to i32
  %all = arith.addi %cube, %sum : i32
  memref.store %all, %y[%c0] : memref<1xi32>""",
    )
    (y,) = agree(text, np.zeros(1, np.int32))
    assert y[0] == 2147483647


def scoped(scope: str, owner: str, body: str, rows: int = 64) -> str:
    """`body` makes %z, a row of 32, from %row; each owner has its own."""
    text = kernel(
        f"%x: memref<{rows}x32xi32>, %y: memref<{rows}x32xi32>",
        f"""  %t = {owner}
  %row = vector.transfer_read %x[%t, %c0], %pad : memref<{rows}x32xi32>, vector<32xi32>
{body}
  vector.transfer_write %z, %y[%t, %c0] : vector<32xi32>, memref<{rows}x32xi32>""",
    )
    attributes = f'lanewise.scope = "{scope}", lanewise.subgroup_size = 32 : i64}} {{'
    return text.replace("64, 1, 1>} {", f"64, 1, 1>, {attributes}")


SUM = """  %s = vector.multi_reduction <add>, %row, %pad [0] : vector<32xi32> to i32
  %b = vector.broadcast %s : i32 to vector<32xi32>
  %z = arith.addi %b, %row : vector<32xi32>"""


@pytest.mark.parametrize(("scope", "owner", "rows"), [("thread", "gpu.thread_id x", 64), ("subgroup", "", 2)])
def test_every_owner_of_the_scope_writes_its_own(agree: Agree, scope: str, owner: str, rows: int) -> None:
    text = scoped(scope, owner or "gpu.subgroup_id : index", SUM, rows)
    x = np.arange(rows * 32, dtype=np.int32).reshape(rows, 32)
    _, y = agree(text, x, np.zeros_like(x))
    np.testing.assert_array_equal(y, x + x.sum(axis=1, keepdims=True) - 7)


def conversion(force: str) -> str:
    return f"""  %1 = iree_vector_ext.to_layout %row to layout({one_dim(t=32)}) : vector<32xi32>
  %z = iree_vector_ext.to_layout %1 to layout({one_dim(b=2, t=16)}) {force} : vector<32xi32>"""


def test_subgroups_exchange_by_shuffles_only(agree: Agree) -> None:
    owner = "gpu.subgroup_id : index"
    x = np.arange(64, dtype=np.int32).reshape(2, 32)
    _, y = agree(scoped("subgroup", owner, conversion(""), 2), x, np.zeros_like(x))
    np.testing.assert_array_equal(y, x)
    forced = scoped("subgroup", owner, conversion("{shared_memory_conversion}"), 2)
    with pytest.raises(ProgramError, match=r"to_layout.*shared memory.*more than the subgroup"):
        _ = compilation(forced).thread_module


def test_a_threads_vector_cannot_be_spread_over_threads() -> None:
    with pytest.raises(ProgramError, match=r"to_layout.*thread_tile 32"):
        _ = compilation(scoped("thread", "gpu.thread_id x", conversion(""))).thread_module


@pytest.mark.parametrize(
    ("before", "after"), [((64, 48), (3072,)), ((6, 10), (15, 4)), ((3, 6), (2, 9)), ((5,), (5, 1))]
)
def test_any_shape_cast(agree: Agree, before: tuple[int, ...], after: tuple[int, ...]) -> None:
    """Layouts that cannot be read in the new shape are converted first."""
    zeros = [", ".join(["%c0"] * len(shape)) for shape in (before, after)]
    text = kernel(
        f"%x: {memref(before)}, %y: {memref(after)}",
        f"""  %0 = vector.transfer_read %x[{zeros[0]}], %pad : {memref(before)}, {vector(before)}
  %1 = vector.shape_cast %0 : {vector(before)} to {vector(after)}
  vector.transfer_write %1, %y[{zeros[1]}] : {vector(after)}, {memref(after)}""",
    )
    x = np.arange(prod(before), dtype=np.int32).reshape(before)
    _, y = agree(text, x, np.zeros(after, np.int32), emulated=x.size < 100)
    np.testing.assert_array_equal(y, x.reshape(after))


def test_a_shape_cast_between_layouts_that_do_not_follow_each_other(agree: Agree) -> None:
    rows = TWO_DIM.format(b=[2, 1], t=[8, 4], e=[1, 4], ts=[4, 1])
    columns = TWO_DIM.format(b=[1, 2], t=[4, 8], e=[8, 1], ts=[1, 4])
    text = kernel(
        "%x: memref<16x16xi32>, %y: memref<32x16xi32>, %u: memref<32x8xi32>",
        f"""  %0 = vector.transfer_read %x[%c0, %c0], %pad : memref<16x16xi32>, vector<16x16xi32>
  %1 = iree_vector_ext.to_layout %0 to layout({rows}) : vector<16x16xi32>
  %2 = vector.shape_cast %1 : vector<16x16xi32> to vector<32x8xi32>
  %3 = vector.shape_cast %2 : vector<32x8xi32> to vector<8x32xi32>
  %4 = vector.transpose %3, [1, 0] : vector<8x32xi32> to vector<32x8xi32>
  %5 = arith.addi %2, %4 : vector<32x8xi32>
  %6 = vector.broadcast %pad : i32 to vector<32x16xi32>
  %7 = iree_vector_ext.to_layout %6 to layout({columns}) : vector<32x16xi32>
  vector.transfer_write %7, %y[%c0, %c0] : vector<32x16xi32>, memref<32x16xi32>
  vector.transfer_write %5, %u[%c0, %c0] : vector<32x8xi32>, memref<32x8xi32>""",
    )
    x = np.arange(256, dtype=np.int32).reshape(16, 16)
    *_, u = agree(text, x, np.zeros((32, 16), np.int32), np.zeros((32, 8), np.int32))
    np.testing.assert_array_equal(u, x.reshape(32, 8) + x.reshape(8, 32).T)


def test_a_reduction_whose_result_is_anchored_before_its_source(agree: Agree) -> None:
    """The source is brought to the kept dimensions' layout, whether it has one of its own or not."""
    target = one_dim(s=2, t=8, ss=1, ts=4)
    source = TWO_DIM.format(b=[2, 1], t=[4, 8], e=[1, 2], ts=[1, 4])
    anchored = f"%1 = iree_vector_ext.to_layout %0 to layout({source}) : vector<8x16xi32>"
    for line, read in (("", "%0"), (anchored, "%1")):
        text = kernel(
            "%x: memref<8x16xi32>, %a: memref<16xi32>, %y: memref<16xi32>",
            f"""  %0 = vector.transfer_read %x[%c0, %c0], %pad : memref<8x16xi32>, vector<8x16xi32>
  {line}
  %2 = vector.transfer_read %a[%c0], %pad : memref<16xi32>, vector<16xi32>
  %3 = iree_vector_ext.to_layout %2 to layout({target}) : vector<16xi32>
  %4 = vector.multi_reduction <add>, {read}, %3 [0] : vector<8x16xi32> to vector<16xi32>
  vector.transfer_write %4, %y[%c0] : vector<16xi32>, memref<16xi32>""",
        )
        x, a = np.arange(128, dtype=np.int32).reshape(8, 16), np.arange(16, dtype=np.int32)
        *_, y = agree(text, x, a, np.zeros(16, np.int32))
        np.testing.assert_array_equal(y, x.sum(axis=0) + a)


def test_a_masked_transposing_write_of_a_constant(agree: Agree) -> None:
    """Value and mask both take any layout; they have to take the same."""
    text = kernel(
        "%y: memref<4x4xi32>, %n: index",
        """  %0 = arith.constant dense<5> : vector<4x4xi32>
  %m = vector.create_mask %n, %c1 : vector<4x4xi1>
  vector.transfer_write %0, %y[%c0, %c0], %m {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
    : vector<4x4xi32>, memref<4x4xi32>""",
    )
    y, *_ = agree(text, np.zeros((4, 4), np.int32), 3)
    assert y.tolist() == [[5, 0, 0, 0]] * 3 + [[0] * 4]


def test_a_contraction_of_constants(agree: Agree) -> None:
    """The accumulator alone decides on a matrix instruction; the constants follow, or there is none."""
    anchor = TWO_DIM.format(b=[1, 1], t=[8, 4], e=[1, 2], ts=[4, 1]).replace(
        "outer_tile = [1, 1]", "outer_tile = [2, 1]"
    )
    ones = "  %a = arith.constant dense<2.0> : vector<16x16xf16>\n  %b = arith.constant dense<3.0> : vector<16x8xf16>\n"
    lines = CONTRACT.splitlines(keepends=True)
    kept = [line for line in lines if "transfer_read" not in line]
    place = next(i for i, line in enumerate(kept) if "vector.contract" in line)
    acc = f"  %acc = iree_vector_ext.to_layout %zero to layout({anchor}) : vector<16x8xf32>\n"
    text = "".join([*kept[:place], ones, acc, *kept[place:]]).replace("%a, %b, %zero", "%a, %b, %acc")
    zeros = [np.zeros(shape, np.float16) for shape in ((16, 16), (16, 8))]
    *_, z = agree(text, *zeros, np.zeros((16, 8), np.float32))
    assert (z == 16 * 6 + 1).all()


@pytest.mark.parametrize("threads", [17, 48])
def test_matrix_instructions_need_whole_subgroups(agree: Agree, threads: int) -> None:
    text = CONTRACT.replace("array<i32: 32, 1, 1>", f"array<i32: {threads}, 1, 1>")
    x = (np.arange(256).reshape(16, 16) % 7 - 3).astype(np.float16)
    y = (np.arange(128).reshape(16, 8) % 5 - 2).astype(np.float16)
    *_, z = agree(text, x, y, np.zeros((16, 8), np.float32))
    np.testing.assert_array_equal(z, x.astype(np.float32) @ y.astype(np.float32) + 1)
    assert "mma.sync" not in compilation(text).artifacts.assembly


def test_a_loop_that_never_runs(agree: Agree) -> None:
    text = kernel(
        "%x: memref<8xi32>, %y: memref<8xi32>",
        """  %0 = vector.transfer_read %x[%c0], %pad : memref<8xi32>, vector<8xi32>
  %1 = scf.for %i = %c1 to %c0 step %c1 iter_args(%v = %0) -> (vector<8xi32>) {
    gpu.barrier
    %2 = arith.addi %v, %v : vector<8xi32>
    scf.yield %2 : vector<8xi32>
  }
  vector.transfer_write %1, %y[%c0] : vector<8xi32>, memref<8xi32>""",
    )
    x = np.arange(8, dtype=np.int32)
    _, y = agree(text, x, np.zeros_like(x))
    np.testing.assert_array_equal(y, x)


def test_a_transfer_that_is_masked_off_may_be_anywhere(agree: Agree) -> None:
    text = kernel(
        "%x: memref<4x4xi32>, %y: memref<4x4xi32>, %n: index",
        """  %far = arith.constant -9 : index
  %m = vector.create_mask %n : vector<4xi1>
  %0 = vector.transfer_read %x[%c0, %far], %pad, %m {permutation_map = affine_map<(d0, d1) -> (d1)>}
    : memref<4x4xi32>, vector<4xi32>
  vector.transfer_write %0, %y[%c0, %c0] : vector<4xi32>, memref<4x4xi32>""",
    )
    _, y = agree(text, np.ones((4, 4), np.int32), np.zeros((4, 4), np.int32), 0)[:2]
    assert y[0].tolist() == [-7] * 4
