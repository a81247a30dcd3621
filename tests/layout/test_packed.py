"""`#iree_map.pack_layout`: its nested layout holds, thread by thread, what the modes' definition says."""

from __future__ import annotations

from itertools import product

import pytest
from lanewise.ir.dialects.iree_map import PackLayoutAttr
from lanewise.ir.parser import parse_program
from lanewise.layout.dimension import LayoutError
from lanewise.layout.pack_layout import nested
from lanewise.support.diagnostics import ParseError


def read(text: str) -> PackLayoutAttr:
    attribute = parse_program(f"module attributes {{a = #iree_map.pack_layout<{text}>}} {{\n}}").attributes["a"]
    assert isinstance(attribute, PackLayoutAttr)
    return attribute


def held(sizes: list[list[int]], strides: list[list[int]], thread: int) -> set[tuple[int, ...]]:
    """What a thread holds, by the definition: along each dimension the row-major numbers of its digits, which are
    (thread // s) % size for a stride s > 0, and all of them for 0."""
    along: list[set[int]] = []
    for mode, steps in zip(sizes, strides, strict=True):
        digits = [range(n) if s == 0 else [thread // s % n] for n, s in zip(mode, steps, strict=True)]
        numbers: set[int] = set()
        for places in product(*digits):
            number = 0
            for place, size in zip(places, mode, strict=True):
                number = number * size + place
            numbers.add(number)
        along.append(numbers)
    return set(product(*along))


CASES = [
    ("((32, 4)) : ((1, 0))", [[32, 4]], [[1, 0]], 64, 32),
    ("((4, 32)) : ((0, 1))", [[4, 32]], [[0, 1]], 32, 32),
    ("((3, 32), (2, 2, 4)) : ((0, 1), (0, 32, 0))", [[3, 32], [2, 2, 4]], [[0, 1], [0, 32, 0]], 128, 64),
    ("((3, 32), (2, 4)) : ((0, 1), (32, 0))", [[3, 32], [2, 4]], [[0, 1], [32, 0]], 64, 32),
    ("((4, 8, 2), (8, 4)) : ((64, 0, 8), (1, 0))", [[4, 8, 2], [8, 4]], [[64, 0, 8], [1, 0]], 256, 32),
    ("(128, 2) : (1, 0)", [[128], [2]], [[1], [0]], 128, 32),  # cut where subgroups end
    ("(1, (2, (3, 5))) : (7, (0, (0, 8)))", [[1], [2, 3, 5]], [[7], [0, 0, 8]], 64, 64),
]


@pytest.mark.parametrize(("text", "sizes", "strides", "threads", "subgroup"), CASES, ids=[c[0] for c in CASES])
def test_a_thread_holds_its_digits(
    text: str, sizes: list[list[int]], strides: list[list[int]], threads: int, subgroup: int
) -> None:
    places = nested(read(text), subgroup).coordinates(threads, subgroup)
    for thread in range(threads):
        assert {tuple(place) for place in places[thread].tolist()} == held(sizes, strides, thread)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("((2, 4), 8) : ((4, 1), 0)", "(8, 8) : (1, 0)"),
        ("(((2, 2), 4), 8) : (((1, 4), 16), 2)", "((2, 2, 4), 8) : ((1, 4, 16), 2)"),
        ("(1, 8) : (7, 1)", "(1, 8) : (0, 1)"),
        ("((2, 3)) : ((0, 0))", "(6) : (0)"),
        ("4 : 2", "(4) : (2)"),
    ],
)
def test_it_is_kept_as_upstream_keeps_it(text: str, kept: str) -> None:
    """Flat modes, nothing of one index, neighbours joined."""
    assert str(read(text)) == f"#iree_map.pack_layout<{kept}>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(0, 8) : (1, 4)", "sizes are positive, found 0"),
        ("(4) : (-1)", "strides are not negative, found -1"),
        ("((2, 3)) : (1)", "sizes and strides of a layout are trees of the same form"),
        ("() : ()", "a mode has at least one number"),
        ("4, 4 : 2", "expected ':', found ','"),
    ],
)
def test_texts_that_are_no_layouts(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("((2, 3, 4, 2)) : ((12, 0, 3, 0))", r"dimension 0 of 48 would consist of \(thread 2, batch 3, thread 4"),
        ("((4, 2)) : ((0, 32))", r"would consist of \(batch 4, subgroup 2\)"),
        ("(24) : (3)", "24 threads of stride 3 are cut by subgroups of 32"),
    ],
)
def test_what_no_nested_layout_says(text: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        nested(read(text), 32)
