"""`lw.layout`: who holds what of a vector, in words."""

from __future__ import annotations

from ..layout.nested import NestedLayout
from ..layout.words import layout_of_words


def layout(*dimensions: str) -> NestedLayout:
    """A layout in words, for `x.with_layout(...)`: a text for each dimension, slowest level first.

    `lw.layout("2 subgroups x 8 threads", "4 threads x 4 elements")` is of 16x16 elements: eight lanes of a subgroup
    down, four across, each with four neighbours. Levels are subgroups, batches, outers, threads and elements; what is
    left out is 1. `threads/4` says that four neighbours in the order of threads share a place along this dimension;
    left out, threads count along the last dimension first, and subgroups alike. A line that `lanewise draw` prints of a
    layout is read back, too.

    Raises:
        LayoutError: A text says no dimension.
    """
    return layout_of_words(dimensions)
