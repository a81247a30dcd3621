"""The worked examples of nested layouts, their text, and every error."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lanewise.layout.nested import LayoutError, NestedLayout, combine

# The full example of the dialect document: 64x64 on 128 threads in subgroups of 64.
DOCUMENT = NestedLayout((2, 1), (2, 4), (1, 1), (16, 4), (1, 4), (1, 0), (1, 16))
EMPTY = NestedLayout((), (), (), (), (), (), ())


def flat(tile: int, stride: int, *, subgroup: int = 1, subgroup_stride: int = 0, element: int = 1) -> NestedLayout:
    return NestedLayout((subgroup,), (1,), (1,), (tile,), (element,), (subgroup_stride,), (stride,))


def test_document_example_shapes() -> None:
    assert DOCUMENT.rank == 2
    assert DOCUMENT.shape == (64, 64)
    assert DOCUMENT.distributed_shape == (2, 4, 1, 1, 1, 4)
    assert DOCUMENT.packed_shape == (2, 1, 2, 4, 1, 1, 16, 4, 1, 4)
    assert DOCUMENT.thread_shape == (2, 16)
    assert (DOCUMENT.registers, DOCUMENT.threads_used, DOCUMENT.thread_extent(64)) == (32, 128, 128)
    assert DOCUMENT.problems(shape=(64, 64), threads=128, subgroup_size=64) == []
    DOCUMENT.check(shape=(64, 64), threads=128, subgroup_size=64)


@pytest.mark.parametrize(
    ("thread", "element"),
    [(0, (0, 0)), (1, (1, 0)), (16, (0, 4)), (17, (1, 4)), (63, (15, 12)), (64, (32, 0)), (127, (47, 12))],
)
def test_document_example_first_elements(thread: int, element: tuple[int, int]) -> None:
    assert DOCUMENT.coordinate(thread, 0, 64) == element
    assert tuple(DOCUMENT.coordinates(128, 64)[thread, 0]) == element


def test_document_example_last_batch() -> None:
    assert DOCUMENT.coordinate(0, (1, 3, 0, 0, 0, 0), 64) == (16, 48)
    assert DOCUMENT.coordinate(127, (1, 3, 0, 0, 0, 0), 64) == (63, 60)
    assert DOCUMENT.coordinate(127, (1, 3, 0, 0, 0, 3), 64) == (63, 63)
    assert DOCUMENT.owners((63, 63), 128, 64) == [(127, 31)]
    assert DOCUMENT.owners((63, 63), 256, 64) == [(127, 31), (255, 31)]


def test_mfma_accumulator() -> None:
    layout = NestedLayout.of_fragment((4, 1), (2, 32), (32, 1), (4, 1))
    held = layout.coordinates(64, 64)
    assert held[0].tolist() == [[row, 0] for row in (0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)]
    assert held[33].tolist() == [[row, 1] for row in (4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)]
    # The instruction's own description: row = 8 * (i / 4) + 4 * (lane / 32) + i % 4, column = lane % 32.
    lane, i = np.mgrid[:64, :16]
    assert np.array_equal(held, np.stack([8 * (i // 4) + 4 * (lane // 32) + i % 4, lane % 32], axis=-1))


def test_mma_sync_operand() -> None:
    layout = NestedLayout.of_fragment((2, 2), (8, 4), (4, 1), (1, 2))
    expected = [(1, 2), (1, 3), (1, 10), (1, 11), (9, 2), (9, 3), (9, 10), (9, 11)]
    assert [layout.coordinate(5, register, 32) for register in range(8)] == expected


def test_wmma_operand_is_replicated() -> None:
    layout = NestedLayout.of_fragment((1, 1), (16, 1), (1, 0), (1, 16))
    held = layout.coordinates(32, 32)
    assert np.array_equal(held[3], held[19])
    assert layout.owners((3, 5), 32, 32) == [(3, 5), (19, 5)]
    assert layout.replication(32, 32) == 2
    assert layout.unused_digits(32, 32) == [(2, 16)]


def test_subgroup_order() -> None:
    layout = NestedLayout((4, 2), (1, 1), (1, 1), (1, 1), (1, 1), (1, 4), (0, 0))
    held = layout.coordinates(8 * 32, 32)[::32, 0].tolist()
    assert held == [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [1, 1], [2, 1], [3, 1]]


def test_document_wrap() -> None:
    virtual = NestedLayout((4, 2), (1, 1), (1, 1), (1, 1), (1, 1), (1, 4), (0, 0))
    real = virtual.wrapped(4)
    owners = [real.owners((row, column), 4 * 32, 32)[0][0] // 32 for row in range(4) for column in range(2)]
    assert owners == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (real.subgroup_tile, real.wrap_tile, real.shape) == ((4, 1), (1, 2), (4, 2))
    assert real.distributed_shape == (1, 2, 1, 1, 1, 1)
    assert real.problems(shape=(4, 2), threads=128, subgroup_size=32) == []
    assert virtual.wrapped(8) == virtual


def test_wrap_splits_a_digit() -> None:
    layout = flat(4, 1, subgroup=6, subgroup_stride=1, element=2).wrapped(3)
    assert (layout.wrap_tile, layout.subgroup_tile) == ((2,), (3,))
    # Virtual subgroup v of 6 holds elements 8v..8v+7 and is subgroup v mod 3.
    assert layout.owners((8 * 5 + 3,), 12, 4) == [(2 * 4 + 1, 1 * 2 + 1)]
    assert layout.packed_shape == (2, 3, 1, 1, 4, 2)


def test_wraps_count_slower_than_batches() -> None:
    layout = NestedLayout((4,), (3,), (1,), (1,), (1,), (1,), (0,)).wrapped(2)
    # Subgroup 1 is the virtual subgroups 1 and 3, of three batches each.
    assert layout.coordinates(2, 1)[1, :, 0].tolist() == [3, 4, 5, 9, 10, 11]
    assert [layout.coordinate(1, register, 1) for register in range(6)] == [(x,) for x in (3, 4, 5, 9, 10, 11)]


def test_rank_zero() -> None:
    assert (EMPTY.rank, EMPTY.shape, EMPTY.distributed_shape, EMPTY.registers) == (0, (), (), 1)
    assert EMPTY.coordinates(4, 4).shape == (4, 1, 0)
    assert EMPTY.coordinate(3, 0, 4) == ()
    assert EMPTY.owners((), 2, 4) == [(0, 0), (1, 0)]
    assert (EMPTY.replication(4, 4), EMPTY.unused_digits(4, 4), EMPTY.unused_digits(1, 4)) == (4, [(4, 1)], [])
    assert NestedLayout.of_dimensions(()) == EMPTY


def test_text() -> None:
    assert str(DOCUMENT) == (
        "<subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], thread_tile = [16, 4], "
        "element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [1, 16]>"
    )
    assert str(EMPTY).startswith("<subgroup_tile = [], batch_tile = []")


def test_strides_of_unit_tiles_are_normalised() -> None:
    layout = NestedLayout((1,), (1,), (1,), (1,), (4,), (7,), (9,))
    assert (layout.subgroup_strides, layout.thread_strides, layout.wrap_tile) == ((0,), (0,), (1,))
    assert layout == NestedLayout((1,), (1,), (1,), (1,), (4,), (0,), (0,))
    assert hash(layout) == hash(NestedLayout((1,), (1,), (1,), (1,), (4,), (0,), (0,)))


def test_fields_become_plain_integers() -> None:
    one: Any = tuple(np.ones(1, np.int64))
    layout = NestedLayout(one, one, one, one, one, one, one)
    assert all(type(size) is int for size in layout.element_tile)


def test_thread_digits_count_threads() -> None:
    digits = DOCUMENT.thread_digits(64)
    assert [(d.level, d.dim, d.size, d.stride) for d in digits] == [
        ("thread", 0, 16, 1),
        ("thread", 1, 4, 16),
        ("subgroup", 0, 2, 64),
    ]
    assert [d.of(64 + 17) for d in digits] == [1, 1, 1]


def test_unused_digits_with_gaps_and_odd_extents() -> None:
    # Digits 3 of stride 2 and 2 of stride 12 in 100 threads: left are 2 of stride 1, 2 of stride 6, 5 of stride 24.
    layout = NestedLayout.of_fragment((1, 1), (3, 2), (2, 12), (1, 1))
    assert layout.unused_digits(100, 32) == [(2, 1), (2, 6), (5, 24)]
    assert layout.unused_digits(18, 32) == [(2, 1), (2, 6)]
    with pytest.raises(LayoutError, match=r"dimension 1.*not a multiple of 3 \* 1 = 3"):
        NestedLayout.of_fragment((1, 1), (3, 2), (1, 4), (1, 1)).unused_digits(8, 8)


@pytest.mark.parametrize(
    ("layout", "asked", "messages"),
    [
        (flat(4, 1), {"shape": (5,)}, ["dimension 0.*= 4 elements, the vector has 5: element 4 has no owner"]),
        (flat(4, 1), {"shape": (3,)}, ["the layout's element 3 does not exist"]),
        (flat(4, 1), {"shape": (2, 2)}, ["1 dimensions, the vector .* has 2"]),
        (flat(4, 0, element=2), {}, ["dimension 0: thread_tile is 4 but thread_strides is 0.*element 2"]),
        (flat(4, 1, subgroup=2), {}, ["dimension 0: subgroup_tile is 2 but subgroup_strides is 0.*element 4"]),
        (
            NestedLayout.of_fragment((1, 1), (4, 4), (1, 2), (1, 1)),
            {},
            ["dimension 1.*overlaps.*dimension 0.*not a multiple of 4 .* = 4; id 2 is index 1 of the one and index 2"],
        ),
        (flat(64, 1, subgroup=2, subgroup_stride=1), {"subgroup_size": 32}, ["subgroup level.*overlaps the thread"]),
        (flat(8, 4), {"threads": 16}, ["reaches thread 28, .* 16 threads: element 4 .* belongs to thread 16"]),
        (
            flat(4, 1, subgroup=8, subgroup_stride=1),
            {"threads": 16, "subgroup_size": 4},
            [r"reaches subgroup 7, .* 4 subgroups .*element 16 .* subgroup 4; wrapped\(4\) gives it to subgroup 0"],
        ),
        (
            NestedLayout.of_fragment((1, 1), (8, 4), (4, 1), (1, 1)),
            {"threads": 30},
            ["dimension 0: the workgroup has 30 threads.*thread 31"],
        ),
        (flat(4, 0, subgroup=2), {"shape": (9,)}, ["element 8 has no owner", "subgroup_strides", "thread_strides"]),
    ],
)
def test_problems(layout: NestedLayout, asked: dict[str, Any], messages: list[str]) -> None:
    found = layout.problems(**asked)
    assert len(found) == len(messages)
    with pytest.raises(LayoutError, match=".*".join(messages)):
        layout.check(**asked)


def test_levels_are_compared_only_in_a_known_subgroup_size() -> None:
    layout = flat(64, 1, subgroup=2, subgroup_stride=2)
    assert layout.problems() == []
    assert layout.problems(threads=128, subgroup_size=32) == []
    assert len(layout.problems(threads=128, subgroup_size=16)) == 1


ONES = ((1,),) * 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NestedLayout((1,), (0,), (1,), (1,), (1,), (0,), (0,)), "batch_tile of dimension 0 is 0"),
        (lambda: NestedLayout((1,), (1,), (1,), (1,), (-2,), (0,), (0,)), "element_tile of dimension 0 is -2"),
        (lambda: NestedLayout(*ONES, (0,), (-1,)), "thread_strides of dimension 0 is -1, expected a non-negative"),
        (lambda: NestedLayout(*ONES, (0,), (0, 1)), "thread_strides has 2 entries, subgroup_tile has 1"),
        (lambda: NestedLayout(*ONES, (0,), (0,), (1, 1)), "wrap_tile has 2 entries"),
        (lambda: flat(4, 0).thread_digits(32), "thread_strides is 0"),
        (lambda: flat(4, 1).thread_digits(0), "subgroup_size is 0"),
        (lambda: flat(4, 1).coordinates(0, 32), "threads is 0"),
        (lambda: flat(4, 1).coordinate(-1, 0, 32), "thread ids count from 0, found -1"),
        (lambda: flat(4, 1).coordinate(0, 1, 32), "no register 1: a thread holds 1"),
        (lambda: flat(4, 1).coordinate(0, (0, 1, 0), 32), r"register \(0, 1, 0\) is not in"),
        (lambda: flat(4, 1).owners((4,), 32, 32), r"element \(4,\) is not in a vector of shape \(4,\)"),
        (lambda: flat(4, 1).owners((0, 0), 32, 32), r"element \(0, 0\)"),
        (lambda: flat(1, 0, element=1 << 30).register_offsets(), "more than any register file"),
        (lambda: flat(1, 0, element=1 << 20).coordinates(1024, 32), "too many to list"),
        (lambda: DOCUMENT.permute((0, 0)), r"\(0, 0\) is not a permutation of 2"),
        (lambda: DOCUMENT.project([2]), "no dimension 2"),
        (lambda: DOCUMENT.apply((0, None, 0)), "takes a dimension twice"),
        (lambda: DOCUMENT.apply((-1,)), "no dimension -1"),
        (lambda: flat(1, 0, subgroup=6, subgroup_stride=1).wrapped(4), "6 subgroups do not wrap onto 4"),
        (lambda: flat(1, 0, subgroup=8, subgroup_stride=3).wrapped(4), "dimension 0: subgroup_tile 8 with stride 3"),
        (lambda: flat(4, 1).wrapped(0), "num_subgroups is 0"),
        (lambda: flat(4, 1).register_map(flat(4, 2)), "thread 1 starts at element 1 in .* and at 0"),
        (lambda: flat(4, 1).register_map(flat(4, 1, element=2)), "thread 1 starts at element 1"),
        (lambda: flat(1, 0, element=2).register_map(flat(1, 0, element=3)), "element 2 in only one"),
        (lambda: flat(2, 1 << 30).register_map(flat(2, 1 << 30)), "repeat after"),
    ],
)
def test_errors(make: Callable[[], object], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        make()


def test_apply_broadcasts_and_projects() -> None:
    layout = DOCUMENT.apply((1, None))
    assert layout.shape == (64, 1)
    assert layout.thread_tile == (4, 1)
    assert layout == DOCUMENT.project([0]).apply((0, None))
    assert layout.replication(128, 64) == 32


def test_combine_takes_each_dimension_from_its_operands() -> None:
    lhs = NestedLayout.of_fragment((2, 1), (8, 4), (4, 1), (1, 4))
    rhs = NestedLayout.of_fragment((1, 2), (4, 8), (1, 4), (4, 1))
    acc = NestedLayout.of_fragment((2, 2), (8, 8), (4, 4), (1, 1))
    space = combine(3, [(lhs, (0, 2)), (rhs, (2, 1)), (acc, (0, 1))])
    assert (space.apply((0, 2)), space.apply((2, 1)), space.apply((0, 1))) == (lhs, rhs, acc)
    assert combine(1, [(acc.apply((0, None)), (0, None))]) == acc.project([1])


def test_combine_conflicts() -> None:
    lhs, rhs = flat(4, 1), flat(4, 2)
    with pytest.raises(
        LayoutError, match=r"iteration dimension 0: lhs has .*thread_stride 1, rhs has .*thread_stride 2"
    ):
        combine(1, [(lhs, (0,)), (rhs, (0,))], names=("lhs", "rhs"))
    with pytest.raises(LayoutError, match="no operand carries iteration dimension 1"):
        combine(2, [(lhs, (0,))])
    with pytest.raises(LayoutError, match="operand 0: the map has 2 results, the layout 1"):
        combine(2, [(lhs, (0, 1))])
    with pytest.raises(LayoutError, match="names dimension 3 of 2"):
        combine(2, [(lhs, (3,))])
