"""Places in sources: lines and columns both ways, ranges in messages, and arguments that are taken from a block."""

from __future__ import annotations

import pickle

import pytest
from lanewise.ir.core import Block, Operation
from lanewise.ir.dialects import arith
from lanewise.ir.types import I1, I32
from lanewise.support.diagnostics import LINE_SHOWN, Diagnostic, Location, Source

TEXT = "def f(x):\n\n    y = x + 1\n"


@pytest.mark.parametrize("first", [1, 40])
def test_offsets_and_positions_are_inverse(first: int) -> None:
    source = Source(TEXT, first=first)
    assert source.offset(first + 2, 5) == TEXT.index("y")
    for offset in range(len(TEXT) + 1):
        assert source.offset(*source.position(offset)) == offset


@pytest.mark.parametrize("place", [(0, 1), (5, 1), (1, 11), (2, 2), (3, 0)])
def test_what_is_no_place_of_the_text_has_no_offset(place: tuple[int, int]) -> None:
    with pytest.raises(AssertionError, match="has no"):
        Source(TEXT).offset(*place)


def carets(start: int, end: int | None, text: str = TEXT) -> tuple[str, str]:
    """The line that a message shows, and what stands below its carets."""
    source = Source(text, "f.py")
    _, line, marks = Diagnostic("wrong", Location(source, start, end)).render().split("\n")
    assert set(marks) == {" ", "^"} and marks.count("^") == len(marks.lstrip())
    return line.lstrip(), line[marks.index("^") : len(marks)]


@pytest.mark.parametrize("what", ["x + 1", "y", "y = x + 1"])
def test_carets_are_below_the_whole_range(what: str) -> None:
    start = TEXT.index("y = x") + "y = x + 1".index(what)
    assert carets(start, start + len(what)) == ("y = x + 1", what)


def test_a_range_of_several_lines_ends_with_its_first() -> None:
    assert carets(TEXT.index("f("), len(TEXT)) == ("def f(x):", "f(x):")


def test_a_place_without_an_end_has_one_caret() -> None:
    assert carets(TEXT.index("x + 1"), None) == ("y = x + 1", "x")


def test_a_range_of_a_long_line_ends_where_the_part_that_is_shown_does() -> None:
    text = "a" * 1000 + "b" * 1000
    line, below = carets(1000, 2000, text)
    assert (len(line), below) == (LINE_SHOWN, "b" * (LINE_SHOWN // 2))


def test_ranges_are_pickled() -> None:
    location = pickle.loads(pickle.dumps(Location(Source(TEXT, "f.py"), 3, 7)))
    assert (location.offset, location.end, str(location)) == (3, 7, "f.py:1:4")


def test_an_argument_is_taken_from_a_block() -> None:
    block = Block([I32, I1, I32])
    first, flag, last = block.arguments
    sum_: Operation = block.append(arith.AddIOp([first, last], [I32]))
    block.remove_argument(flag)
    assert block.arguments == [first, last]
    assert [value.index for value in block.arguments] == [0, 1]
    with pytest.raises(AssertionError, match="argument 1 "):
        block.remove_argument(last)
    block.erase(sum_)
    block.remove_argument(last)
    assert block.arguments == [first]
