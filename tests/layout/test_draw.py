"""Pictures of layouts: every cell is the elected owner."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.draw import describe, draw
from lanewise.layout.nested import LayoutError, NestedLayout

ACCUMULATOR = NestedLayout.of_fragment((2, 1), (8, 4), (4, 1), (1, 2))


def test_describe() -> None:
    assert describe(ACCUMULATOR, 32) == (
        "16x8 on 32 threads in subgroups of 32, 4 elements a thread: "
        "dimension 0: 2 outers x 8 threads/4; dimension 1: 4 threads/1 x 2 elements"
    )
    wrapped = NestedLayout((4, 1), (1, 3), (1, 1), (1, 1), (1, 1), (1, 0), (0, 0)).wrapped(2)
    assert describe(wrapped, 8, 32) == (
        "4x3 on 32 threads in subgroups of 8, 6 elements a thread, 16 copies of each: "
        "dimension 0: 2 wraps x 2 subgroups/1; dimension 1: 3 batches"
    )
    assert describe(NestedLayout((), (), (), (), (), (), ()), 4) == (
        "scalar on 4 threads in subgroups of 4, 1 element a thread, 4 copies of each"
    )


def test_grid_and_limit() -> None:
    lines = draw(ACCUMULATOR, 32, limit=(2, 3)).splitlines()
    assert lines[1:] == [
        "t0 r0 | t0 r1 | t1 r0 | ...",
        "t4 r0 | t4 r1 | t5 r0 | ...",
        "... 14 more rows",
    ]


def test_slices_of_higher_ranks() -> None:
    cube = NestedLayout.of_fragment((1, 1, 1), (2, 1, 2), (2, 0, 1), (1, 1, 1))
    assert draw(cube, 4).splitlines()[1:] == [
        "[0, :, :]",
        "t0 r0 | t1 r0",
        "[1, :, :]",
        "t2 r0 | t3 r0",
    ]


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_cells_are_the_first_owners(random_cases: Any, data: Any) -> None:
    case = data.draw(random_cases(max_rank=2))
    layout = case.layouts[0]
    picture = draw(layout, case.subgroup_size, case.threads, limit=(1000, 1000)).splitlines()[1:]
    cells = [tuple(map(int, re.findall(r"\d+", cell))) for line in picture for cell in line.split(" | ")]
    shape = (1, 1, *layout.shape)[-2:]
    for place, (thread, register) in enumerate(cells):
        element = divmod(place, shape[1])[2 - layout.rank :]
        first = layout.owners(element, case.threads, case.subgroup_size)[0]
        assert first == (thread, register)
    assert len(cells) == shape[0] * shape[1]


def test_an_element_without_owner() -> None:
    with pytest.raises(LayoutError, match="reaches thread 28"):
        draw(ACCUMULATOR, 8, 8)
