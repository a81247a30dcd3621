"""Any layout, same answer: programs over random layouts agree on reference and interpreter, some on emitted PTX too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import Agree
from .programs import Layout, indices, kernel, layouts, memref, numbers, vector

MANY = settings(
    max_examples=2 * settings.default.max_examples // 5, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
FEW = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
KINDS = ["add", "mul", "minsi", "maxsi", "minui", "maxui", "and", "or", "xor"]


def copy_through(source: Layout, target: Layout, forced: bool) -> str:
    rank, shape = len(source.shape), source.shape
    force = " {shared_memory_conversion}" if forced else ""
    bounds = f"{{in_bounds = [{', '.join(['true'] * rank)}]}}"
    return kernel(
        f"%x: {memref(shape)}, %y: {memref(shape)}",
        f"""  %0 = vector.transfer_read %x[{indices(rank)}], %pad {bounds} : {memref(shape)}, {vector(shape)}
  %1 = iree_vector_ext.to_layout %0 to layout({source.text}) : {vector(shape)}
  %2 = arith.addi %1, %1 : {vector(shape)}
  %3 = iree_vector_ext.to_layout %2 to layout({target.text}){force} : {vector(shape)}
  vector.transfer_write %3, %y[{indices(rank)}] {bounds} : {vector(shape)}, {memref(shape)}""",
    )


def conversions(data: st.DataObject) -> tuple[str, tuple[int, ...]]:
    source = data.draw(layouts(data.draw(st.integers(1, 2))))
    target = data.draw(layouts(len(source.shape), source.shape))
    return copy_through(source, target, data.draw(st.booleans())), source.shape


@MANY
@given(st.data())
def test_conversion_moves_every_element(agree: Agree, data: st.DataObject) -> None:
    text, shape = conversions(data)
    x = numbers(shape)
    _, y = agree(text, x, np.full_like(x, -1), emulated=False)
    np.testing.assert_array_equal(y, 2 * x)


@FEW
@given(st.data())
def test_conversion_in_emitted_code(agree: Agree, data: st.DataObject) -> None:
    text, shape = conversions(data)
    x = numbers(shape)
    _, y = agree(text, x, np.full_like(x, -1))
    np.testing.assert_array_equal(y, 2 * x)


def reduction(data: st.DataObject) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    rank = data.draw(st.integers(1, 3))
    layout = data.draw(layouts(rank))
    dims = sorted(data.draw(st.sets(st.integers(0, rank - 1), min_size=1)))
    kept = tuple(n for i, n in enumerate(layout.shape) if i not in dims)
    kind = data.draw(st.sampled_from(KINDS))
    source, result = vector(layout.shape), vector(kept) if kept else "i32"
    write = "" if kept else "  %4 = vector.broadcast %3 : i32 to vector<i32>\n"
    transfer = f"%2 = vector.transfer_read %acc[{indices(len(kept))}], %pad : {memref(kept)}, {result}"
    read_acc = transfer if kept else "%2 = memref.load %acc[] : memref<i32>"
    stored, stored_type = ("%3", result) if kept else ("%4", "vector<i32>")
    text = kernel(
        f"%x: {memref(layout.shape)}, %acc: {memref(kept)}, %y: {memref(kept)}",
        f"""  %0 = vector.transfer_read %x[{indices(rank)}], %pad : {memref(layout.shape)}, {source}
  %1 = iree_vector_ext.to_layout %0 to layout({layout.text}) : {source}
  {read_acc}
  %3 = vector.multi_reduction <{kind}>, %1, %2 {dims} : {source} to {result}
{write}  vector.transfer_write {stored}, %y[{indices(len(kept))}] : {stored_type}, {memref(kept)}""",
    )
    return text, layout.shape, kept


@MANY
@given(st.data())
def test_reduction(agree: Agree, data: st.DataObject) -> None:
    text, shape, kept = reduction(data)
    agree(text, numbers(shape), numbers(kept, 1), np.zeros(kept, np.int32), emulated=False)


@FEW
@given(st.data())
def test_reduction_in_emitted_code(agree: Agree, data: st.DataObject) -> None:
    text, shape, kept = reduction(data)
    agree(text, numbers(shape), numbers(kept, 1), np.zeros(kept, np.int32))


@MANY
@given(st.data())
def test_masked_transfers_beyond_the_edge(agree: Agree, data: st.DataObject) -> None:
    """Dynamic extents, a start that may lie outside, a permutation with a broadcast, and an explicit mask."""
    layout = data.draw(layouts(2))
    rows, columns = layout.shape
    extents = (data.draw(st.integers(1, rows + 3)), data.draw(st.integers(1, columns + 3)))
    start = data.draw(st.integers(0, 3))
    limits = [data.draw(st.integers(-1, n + 1)) for n in layout.shape]
    shape = vector(layout.shape)
    text = kernel(
        "%x: memref<?x?xi32>, %y: memref<?x?xi32>, %i: index, %p: index, %q: index",
        f"""  %m = vector.create_mask %p, %q : {vector(layout.shape, "i1")}
  %0 = vector.transfer_read %x[%i, %i], %pad, %m : memref<?x?xi32>, {shape}
  %1 = iree_vector_ext.to_layout %0 to layout({layout.text}) : {shape}
  %2 = arith.addi %1, %1 : {shape}
  %3 = vector.constant_mask [{rows}, {max(1, columns - 1)}] : {vector(layout.shape, "i1")}
  vector.transfer_write %2, %y[%c0, %c0], %3 : {shape}, memref<?x?xi32>""",
    )
    x = numbers(extents)
    agree(text, x, np.full(extents, 99, np.int32), start, *limits, emulated=False)


@MANY
@given(st.data())
def test_shape_operations(agree: Agree, data: st.DataObject) -> None:
    """broadcast, transpose, shape_cast, extract and insert move no data that they should not."""
    layout = data.draw(layouts(2))
    (m, n), shape = layout.shape, vector(layout.shape)
    row = data.draw(st.integers(0, n - 1))
    text = kernel(
        f"%x: {memref((m, n))}, %y: {memref((n, m))}, %z: {memref((m * n,))}, %w: {memref((m,))}, %dyn: index",
        f"""  %0 = vector.transfer_read %x[%c0, %c0], %pad : {memref((m, n))}, {shape}
  %1 = iree_vector_ext.to_layout %0 to layout({layout.text}) : {shape}
  %2 = vector.transpose %1, [1, 0] : {shape} to {vector((n, m))}
  %3 = vector.extract %2[{row}] : {vector((m,))} from {vector((n, m))}
  %4 = vector.extract %2[%dyn] : {vector((m,))} from {vector((n, m))}
  %5 = arith.addi %3, %4 : {vector((m,))}
  %6 = vector.broadcast %5 : {vector((m,))} to {vector((n, m))}
  %7 = arith.subi %2, %6 : {vector((n, m))}
  %8 = vector.insert %5, %7[%dyn] : {vector((m,))} into {vector((n, m))}
  vector.transfer_write %8, %y[%c0, %c0] : {vector((n, m))}, {memref((n, m))}
  %9 = vector.step : vector<{m * n}xindex>
  %10 = arith.index_cast %9 : vector<{m * n}xindex> to vector<{m * n}xi32>
  vector.transfer_write %10, %z[%c0] : vector<{m * n}xi32>, {memref((m * n,))}
  vector.transfer_write %5, %w[%c0] : {vector((m,))}, {memref((m,))}""",
    )
    x = numbers((m, n))
    outputs = [np.zeros((n, m), np.int32), np.zeros(m * n, np.int32), np.zeros(m, np.int32)]
    agree(text, x, *outputs, data.draw(st.integers(0, n - 1)), emulated=False)


@MANY
@given(st.data())
def test_movements(agree: Agree, data: st.DataObject) -> None:
    """Slices, insertions and shuffles of any place, from any layout."""
    layout = data.draw(layouts(2))
    (m, n), shape = layout.shape, vector(layout.shape)
    size = tuple(data.draw(st.integers(1, extent)) for extent in (m, n))
    taken, put = (
        [data.draw(st.integers(0, extent - part)) for extent, part in zip((m, n), size, strict=True)] for _ in "12"
    )
    mask = data.draw(st.lists(st.integers(0, m + size[0] - 1), min_size=1, max_size=2 * m))
    last = data.draw(st.integers(0, n - 1))
    rows = vector((len(mask), n))
    text = kernel(
        f"%x: {memref((m, n))}, %y: {memref((m, n))}, %z: {memref((len(mask), n))}, %e: {memref((1,))}",
        f"""  %0 = vector.transfer_read %x[%c0, %c0], %pad : {memref((m, n))}, {shape}
  %1 = iree_vector_ext.to_layout %0 to layout({layout.text}) : {shape}
  %2 = vector.extract_strided_slice %1 {{offsets = {taken}, sizes = {list(size)}, strides = [1, 1]}}
    : {shape} to {vector(size)}
  %3 = arith.muli %2, %2 : {vector(size)}
  %4 = vector.insert_strided_slice %3, %1 {{offsets = {put}, strides = [1, 1]}} : {vector(size)} into {shape}
  vector.transfer_write %4, %y[%c0, %c0] : {shape}, {memref((m, n))}
  %5 = vector.extract_strided_slice %4 {{offsets = [0], sizes = [{size[0]}], strides = [1]}}
    : {shape} to {vector((size[0], n))}
  %6 = vector.shuffle %1, %5 {mask} : {shape}, {vector((size[0], n))}
  vector.transfer_write %6, %z[%c0, %c0] : {rows}, {memref((len(mask), n))}
  %7 = vector.extract %4[{m - 1}, {last}] : i32 from {shape}
  %8 = vector.broadcast %7 : i32 to vector<1xi32>
  vector.transfer_write %8, %e[%c0] : vector<1xi32>, memref<1xi32>""",
    )
    outputs = [np.zeros((m, n), np.int32), np.zeros((len(mask), n), np.int32), np.zeros(1, np.int32)]
    agree(text, numbers((m, n)), *outputs, emulated=False)


@MANY
@given(st.data())
def test_contraction_without_matrix_instruction(agree: Agree, data: st.DataObject) -> None:
    lhs = data.draw(layouts(2))
    m, k = lhs.shape
    n = data.draw(st.sampled_from([1, 2, 8]))
    kind = data.draw(st.sampled_from(["add", "maxsi", "minui", "xor"]))
    a, b, c = vector((m, k)), vector((k, n)), vector((m, n))
    text = kernel(
        f"%x: {memref((m, k))}, %y: {memref((k, n))}, %z: {memref((m, n))}, %w: {memref((m, n))}",
        f"""  %0 = vector.transfer_read %x[%c0, %c0], %pad : {memref((m, k))}, {a}
  %1 = iree_vector_ext.to_layout %0 to layout({lhs.text}) : {a}
  %2 = vector.transfer_read %y[%c0, %c0], %pad : {memref((k, n))}, {b}
  %3 = vector.transfer_read %z[%c0, %c0], %pad : {memref((m, n))}, {c}
  %4 = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<{kind}>}} %1, %2, %3 : {a}, {b} into {c}
  vector.transfer_write %4, %w[%c0, %c0] : {c}, {memref((m, n))}""",
    )
    w = np.zeros((m, n), np.int32)
    agree(text, numbers((m, k)), numbers((k, n), 1), numbers((m, n), 2), w, emulated=False)


@pytest.mark.parametrize("threads", [3, 5, 24])
def test_extents_that_are_no_powers_of_two(agree: Agree, threads: int) -> None:
    layout = (
        "#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [3], outer_tile = [1], "
        f"thread_tile = [{threads}], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>"
    )
    size = 3 * threads
    text = kernel(
        f"%x: memref<{size}xi32>, %y: memref<i32>",
        f"""  %0 = vector.transfer_read %x[%c0], %pad : memref<{size}xi32>, vector<{size}xi32>
  %1 = iree_vector_ext.to_layout %0 to layout({layout}) : vector<{size}xi32>
  %2 = vector.multi_reduction <add>, %1, %pad [0] : vector<{size}xi32> to i32
  %3 = vector.broadcast %2 : i32 to vector<i32>
  vector.transfer_write %3, %y[] : vector<i32>, memref<i32>""",
        threads=32,
    )
    x = numbers((size,))
    _, y = agree(text, x, np.zeros((), np.int32))
    assert y == x.sum() - 7
