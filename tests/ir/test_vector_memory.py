"""vector: where the elements of transfers, loads and stores lie, what masks select, and broken promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.core import Block, Builder
from lanewise.ir.dialects.vector import LoadOp, StoreOp, TransferReadOp, TransferWriteOp
from lanewise.ir.dialects.vector_memory import MemoryOp
from lanewise.ir.parser import parse_program
from lanewise.ir.types import F32, I1, INDEX, MemRefType, VectorType
from lanewise.ir.verify import verify
from numpy.typing import NDArray


def transfer(memref: str, vector: str, attributes: str = "", mask: str = "") -> TransferReadOp:
    """A verified read; `mask` is its type."""
    rank = memref.count("x") - ("vector" in memref) * 2
    indices = ", ".join(["%i"] * rank)
    arguments = f"%m: {memref}, %i: index, %s: f32" + (f", %k: {mask}" if mask else "")
    line = f"%0 = vector.transfer_read %m[{indices}], %s{', %k' if mask else ''} {attributes} : {memref}, {vector}"
    program = parse_program(f"func.func @f({arguments}) {{\n{line}\nreturn\n}}")
    verify(program)
    op = program.body.operations[0].body.operations[0]
    assert isinstance(op, TransferReadOp)
    return op


def read(op: TransferReadOp, memory: NDArray[Any], indices: tuple[int, ...], padding: float) -> NDArray[Any]:
    place, inside = op.coordinates(indices, memory.shape)
    clipped = tuple(np.clip(p, 0, n - 1) for p, n in zip(place, memory.shape, strict=True))
    return np.where(inside, memory[clipped], padding)


def test_a_slice_that_leaves_the_memref_is_padded() -> None:
    memory = np.arange(1, 13).reshape(3, 4)
    result = read(transfer("memref<3x4xf32>", "vector<3x3xf32>"), memory, (1, 2), -9)
    assert result.tolist() == [[7, 8, -9], [11, 12, -9], [-9, -9, -9]]


def test_a_map_permutes_and_repeats() -> None:
    op = transfer(
        "memref<3x2x2xf32>", "vector<3x2x3xf32>", "{permutation_map = affine_map<(d0, d1, d2) -> (d2, 0, d0)>}"
    )
    result = read(op, np.arange(1, 13).reshape(3, 2, 2), (1, 1, 0), -9)
    assert result.tolist() == [[[7, 11, -9]] * 2, [[8, 12, -9]] * 2, [[-9, -9, -9]] * 2]
    assert op.memory_dims == (2, None, 0)


def test_a_slice_may_start_before_the_memref() -> None:
    result = read(transfer("memref<4xf32>", "vector<3xf32>"), np.array([1, 2, 3, 4]), (-2,), 0)
    assert result.tolist() == [0, 0, 1]


def test_a_memref_of_vectors_is_indexed_by_whole_vectors() -> None:
    arguments = "%m: memref<8xvector<4xf32>>, %i: index, %p: vector<4xf32>"
    line = "%0 = vector.transfer_read %m[%i], %p : memref<8xvector<4xf32>>, vector<3x4xf32>"
    program = parse_program(f"func.func @f({arguments}) {{\n{line}\nreturn\n}}")
    op = program.body.operations[0].body.operations[0]
    assert isinstance(op, TransferReadOp)
    (place,), inside = op.coordinates((6,), (8,))
    assert place.tolist() == [6, 7, 8] and inside.tolist() == [True, True, False]


@given(st.data())
def test_coordinates_are_what_the_map_says(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    dims = data.draw(st.permutations(range(rank)))[: data.draw(st.integers(1, rank))]
    results = [f"d{d}" for d in dims]
    for _ in range(data.draw(st.integers(0, 1))):
        results.insert(data.draw(st.integers(0, len(results))), "0")
    shape = tuple(data.draw(st.integers(1, 3)) for _ in results)
    extents = tuple(data.draw(st.integers(1, 4)) for _ in range(rank))
    start = tuple(data.draw(st.integers(-1, 4)) for _ in range(rank))
    names = ", ".join(f"d{i}" for i in range(rank))
    op = transfer(
        f"memref<{'?x' * rank}f32>",
        f"vector<{''.join(f'{n}x' for n in shape)}f32>",
        f"{{permutation_map = affine_map<({names}) -> ({', '.join(results)})>}}",
    )
    place, inside = op.coordinates(start, extents)
    for element in np.ndindex(shape):
        expected = list(start)
        for axis, name in enumerate(results):
            if name != "0":
                expected[int(name[1:])] += element[axis]
        assert [int(p[element]) for p in place] == expected
        assert inside[element] == all(0 <= e < n for e, n in zip(expected, extents, strict=True))


def test_a_mask_is_in_memory_order() -> None:
    map = "{permutation_map = affine_map<(d0, d1, d2) -> (d2, 0, d0)>}"
    op = transfer("memref<3x2x2xf32>", "vector<3x2x4xf32>", map, mask="vector<4x3xi1>")
    mask = np.arange(12).reshape(4, 3) % 5 == 0
    seen = op.vector_mask(mask)
    assert seen.shape == (3, 2, 4)
    assert all(seen[a, b, c] == mask[c, a] for a, b, c in np.ndindex(3, 2, 4))
    assert op.vector_mask(None).all()


def test_the_mask_of_a_value_that_is_only_repeated_has_one_element() -> None:
    map = "{permutation_map = affine_map<(d0) -> (0)>}"
    op = transfer("memref<3xf32>", "vector<4xf32>", map, mask="vector<1xi1>")
    assert op.vector_mask(np.array([False])).tolist() == [False] * 4
    assert op.vector_mask(np.array([True])).tolist() == [True] * 4


def test_promises() -> None:
    both = transfer("memref<4x8xf32>", "vector<2x4xf32>", "{in_bounds = [true, false]}")
    assert [both.promise(dim) for dim in (0, 1)] == ["in_bounds[0] is true", ""]
    row = transfer("memref<4x8xf32>", "vector<4xf32>")
    assert [row.promise(dim) for dim in (0, 1)] == ["no dimension of the vector runs along it", ""]


def test_masks_of_several_owners_keep_their_axis() -> None:
    map = "permutation_map = affine_map<(i, j) -> (j, 0, i)>"
    op = transfer("memref<4x8xf32>", "vector<2x3x4xf32>", f"{{{map}}}", mask="vector<4x2xi1>")
    masks = np.arange(5 * 8).reshape(5, 4, 2) % 3 == 0
    seen = op.vector_mask(masks)
    assert seen.shape == (5, 2, 3, 4)
    assert all((seen[i] == op.vector_mask(mask)).all() for i, mask in enumerate(masks))


def test_the_defaults_of_a_transfer_that_is_built() -> None:
    block = Block((MemRefType((4, 8), F32), INDEX, F32, VectorType((8,), F32)))
    memref, index, scalar, vector = block.arguments
    build = Builder(block)
    op = build.op(TransferReadOp, memref, [index, index], scalar, [], types=[VectorType((8,), F32)])
    write = build.op(TransferWriteOp, vector, memref, [index, index], [])
    for one in (op, write):
        assert str(one.map) == "(d0, d1) -> (d1)"
        assert one.in_bounds_flags == (False,)
        assert one.mask is None and one.indices == (index, index)
    assert one.mask_type() == VectorType((8,), I1)


@pytest.mark.parametrize("indices", [(0, 0, 0), (1, 2, 6)])
def test_loads_and_stores_move_the_last_dims(indices: tuple[int, int, int]) -> None:
    block = Block((MemRefType((2, 4, 8), F32), INDEX, VectorType((2, 4), F32)))
    memref, index, vector = block.arguments
    build = Builder(block)
    ops: list[MemoryOp] = [
        build.op(LoadOp, memref, [index] * 3, types=[VectorType((2, 4), F32)]),
        build.op(StoreOp, vector, memref, [index] * 3),
    ]
    for op in ops:
        place, inside = op.coordinates(indices, (2, 4, 8))
        for a, b in np.ndindex(2, 4):
            expected = (indices[0], indices[1] + a, indices[2] + b)
            assert tuple(int(p[a, b]) for p in place) == expected
            assert inside[a, b] == (expected[2] < 8)
        assert op.alignment is None
