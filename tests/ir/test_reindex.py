"""Where elements come from, as few numbers: whole tables survive the compression."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.support.reindex import Reindex

Table = np.ndarray


@given(
    shape=st.lists(st.integers(1, 4), max_size=3),
    kind=st.sampled_from(["affine", "any", "holes"]),
    data=st.data(),
)
def test_a_table_is_what_its_numbers_say(shape: list[int], kind: str, data: st.DataObject) -> None:
    count = int(np.prod(shape, dtype=int))
    if kind == "any":
        table = np.array(data.draw(st.lists(st.integers(-1, 9), min_size=count, max_size=count)))
    else:
        weights = data.draw(st.lists(st.integers(0, 5), min_size=len(shape), max_size=len(shape)))
        table = sum((x * w for x, w in zip(np.indices(shape), weights, strict=True)), np.full(shape, 3)).reshape(-1)
        if kind == "holes":
            table = np.where(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), table, -1)
    table = np.asarray(table, np.int64).reshape(shape)
    f = Reindex.of_table(table, (100,))
    assert (f is None) == bool((table < 0).all())
    if f is not None:
        assert np.array_equal(f.whole_table(), table)
        assert f.is_affine or kind != "affine"


@pytest.mark.parametrize(
    ("table", "weights", "low", "high"),
    [
        (np.arange(12).reshape(3, 4), (4, 1), (0, 0), (3, 4)),
        (np.arange(12).reshape(3, 4).T, (1, 4), (0, 0), (4, 3)),
        (np.array([-1, 11, 10, -1]), (-1,), (1,), (3,)),
        (np.array([3, 2, 1, 0]), (-1,), (0,), (4,)),
    ],
)
def test_few_numbers(table: Table, weights: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]) -> None:
    f = Reindex.of_table(table, (12,))
    assert f is not None
    assert (f.weights, f.low, f.high, f.inside, f.table) == (weights, low, high, b"", b"")


def test_a_hole_leaves_the_numbers() -> None:
    table = np.arange(16).reshape(4, 4)
    table[1:3, 1:3] = -1
    f = Reindex.of_table(table, (4, 4))
    assert f is not None
    assert f.is_affine and f.weights == (4, 1) and f.inside


def test_equal_boxes_go_on_periodically() -> None:
    f = Reindex.of_table(np.array([-1, -1, 0, 1, -1, -1]), (2,))
    assert f is not None and f.is_periodic
    assert f.extended(np.arange(6)).tolist() == [0, 1, 0, 1, 0, 1]
