"""What compares times sees what takes too long."""

import pytest

from .durations import assert_takes_at_most


def test_four_times_the_work_takes_more_than_twice_as_long() -> None:
    with pytest.raises(AssertionError, match="expected at most 2 times as long"):
        assert_takes_at_most(2, lambda: sum(range(400_000)), lambda: sum(range(100_000)))


def test_the_same_work_takes_no_more_than_twice_as_long() -> None:
    assert_takes_at_most(2, lambda: sum(range(100_000)), lambda: sum(range(100_000)))
