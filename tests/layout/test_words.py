"""Layouts in words: what `describe` prints is read back; what is left out; what is no layout."""

from __future__ import annotations

import lanewise
import lanewise.lang as lw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.layout.dimension import Dimension, LayoutError
from lanewise.layout.draw import describe
from lanewise.layout.nested import NestedLayout

SIZES = st.sampled_from((1, 1, 2, 3, 4))
STRIDES = st.sampled_from((1, 2, 4))
DIMENSIONS = st.builds(Dimension, *[SIZES] * 6, STRIDES, STRIDES)


@given(st.lists(DIMENSIONS, max_size=3))
def test_what_is_printed_is_read_back(dimensions: list[Dimension]) -> None:
    layout = NestedLayout.of_dimensions(dimensions)
    line = describe(layout, 32)
    assert lw.layout(line) == layout


def test_strides_that_are_left_out_count_along_the_last_dimension_first() -> None:
    layout = lw.layout("2 subgroups x 8 threads", "3 subgroups x 4 threads x 4 elements")
    assert layout == NestedLayout((2, 3), (1, 1), (1, 1), (8, 4), (1, 4), (3, 1), (4, 1))
    assert lw.layout("1", "32 threads x 1 element") == NestedLayout(
        (1, 1), (1, 1), (1, 1), (1, 32), (1, 1), (0, 0), (0, 1)
    )
    assert lw.layout().rank == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8 lanes", "found '8 lanes' in '8 lanes'"),
        ("8x4 threads", "found '8x4 threads'"),
        ("4 elements x 8 threads", "in the order wraps, subgroups, batches, outers, threads, elements"),
        ("4 threads x 8 threads", "come once"),
        ("4 elements/2", "subgroups and threads have strides, elements have none"),
    ],
)
def test_what_is_no_dimension(text: str, words: str) -> None:
    with pytest.raises(LayoutError, match=words):
        lw.layout(text)


@lanewise.kernel(workgroup=64)
def scaled(x: lw.Array, y: lw.Array, *, layout: NestedLayout) -> None:
    y[:] = x[:].with_layout(layout) * 2.0


def test_a_kernel_takes_it_as_the_attribute() -> None:
    words = lw.layout("2 subgroups x 32 threads x 4 elements")
    fields = NestedLayout((2,), (1,), (1,), (32,), (4,), (1,), (1,))
    texts = [
        lanewise.print_program(scaled.trace(lw.f32[256], lw.f32[256], layout=layout)) for layout in (words, fields)
    ]
    assert texts[0] == texts[1] and "thread_tile = [32], element_tile = [4]" in texts[0]
