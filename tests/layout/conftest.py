"""Random layouts for the tests of this folder: two layouts of one vector in one workgroup, any extents."""

from dataclasses import dataclass
from math import prod
from typing import Any

import pytest
from hypothesis import strategies as st
from lanewise.layout.nested import NestedLayout


@dataclass(frozen=True)
class Case:
    layouts: tuple[NestedLayout, NestedLayout]
    threads: int
    subgroup_size: int


def divisors(value: int) -> list[int]:
    return [d for d in range(1, value + 1) if value % d == 0]


def tiles(draw: Any, sizes: list[int], budget: int, exact: bool) -> tuple[list[int], list[int]]:
    """A tile and a stride for every dimension: nested digits, with gaps, of an id below `budget`.

    `exact`: the extent divides the budget, as where a slower level follows.
    """
    tile, stride, reached = [1] * len(sizes), [0] * len(sizes), 1
    for dim in draw(st.permutations(range(len(sizes)))):
        room = budget // reached
        gap = draw(st.sampled_from([d for d in (1, 1, 1, 2, 3, 5, 7) if d <= room and (not exact or room % d == 0)]))
        room //= gap
        fits = [d for d in divisors(sizes[dim]) if d <= room and (not exact or room % d == 0)]
        tile[dim] = draw(st.sampled_from(fits))
        if tile[dim] > 1:
            stride[dim] = reached * gap
            reached *= gap * tile[dim]
    return tile, stride


@st.composite
def cases(draw: Any, max_rank: int = 3) -> Case:
    rank = draw(st.sampled_from([rank for rank in (2, 3, 2, 1, 0) if rank <= max_rank]))
    sizes = st.lists(st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 12, 16]), min_size=rank, max_size=rank)
    shape = draw(sizes.filter(lambda shape: prod(shape) <= 256))
    subgroup_size = draw(st.sampled_from([1, 4, 6, 8, 12, 32]))
    subgroups = draw(st.integers(1, 4))
    threads = subgroup_size * subgroups
    if draw(st.booleans()):
        return Case((one(draw, shape, threads, 0), one(draw, shape, threads, 0)), threads, subgroup_size)
    layouts = (one(draw, shape, subgroup_size, subgroups), one(draw, shape, subgroup_size, subgroups))
    return Case(layouts, threads, subgroup_size)


def one(draw: Any, shape: list[int], lanes: int, subgroups: int) -> NestedLayout:
    """`subgroups` of 0: the thread tile spans the workgroup of `lanes` threads, of any extent."""
    thread, thread_strides = tiles(draw, shape, lanes, exact=subgroups > 0)
    rest = [size // tile for size, tile in zip(shape, thread, strict=True)]
    subgroup, subgroup_strides = tiles(draw, rest, max(subgroups, 1), exact=False)
    rest = [size // tile for size, tile in zip(rest, subgroup, strict=True)]
    batch = [draw(st.sampled_from(divisors(size))) for size in rest]
    rest = [size // tile for size, tile in zip(rest, batch, strict=True)]
    outer = [draw(st.sampled_from(divisors(size))) for size in rest]
    element = [size // tile for size, tile in zip(rest, outer, strict=True)]
    fields = (subgroup, batch, outer, thread, element, subgroup_strides, thread_strides)
    return NestedLayout(*(tuple(field) for field in fields))


@pytest.fixture(scope="session")
def random_cases() -> Any:
    return cases
