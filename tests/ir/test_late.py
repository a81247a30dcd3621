"""What is made late is what it would have been at once: named tuples, tables, regular expressions; and imports under a
collector that rests."""

from __future__ import annotations

import copy
import pickle
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from lanewise.support import named_tuples
from lanewise.support.distinct import distinct
from lanewise.support.late import LateRows, LateTable
from lanewise.support.patterns import regex

from .. import warm
from ..each import each


class Pair(named_tuples.NamedTuple):
    first: int
    second: str = "x"

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"


class Named(Pair):
    """Has the fields of the class above."""


class Empty(named_tuples.NamedTuple):
    pass


class Pythons(typing.NamedTuple):
    first: int
    second: str = "x"

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"


TUPLES: dict[str, Callable[[Any], object]] = {
    "values": lambda cls: (tuple(cls(1)), tuple(cls(1, "y")), tuple(cls(second="z", first=3)), cls(1).both),
    "equality and hash": lambda cls: (cls(1) == (1, "x"), cls(1) == cls(2), {cls(1): 5}[cls(1, "x")], cls(1) < cls(2)),
    "words": lambda cls: repr(cls(1)).replace(cls.__name__, ""),
    "others of it": lambda cls: (cls._make([4, "w"]).second, cls(1)._replace(first=2).first, cls(1)._asdict()),
    "what it has": lambda cls: (cls._fields, cls._field_defaults, cls.__match_args__, hasattr(cls(1), "__dict__")),
    "bases": lambda cls: (cls.__bases__, type(cls)),
}


@each(TUPLES)
def test_named_tuples_are_as_pythons(case: str) -> None:
    assert TUPLES[case](Pair) == TUPLES[case](Pythons), case


def test_named_tuples_are_copied_and_pickled_and_have_classes_below() -> None:
    for value in (Pair(1), Named(2, "b"), Empty()):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
        assert type(copy.copy(value)) is type(value)
    assert Named(2).both == "2x"


@each([Pair, Pythons])
def test_named_tuples_refuse_what_pythons_refuse(cls: Any) -> None:
    for wrong in (cls, lambda: cls(1, 2, 3), lambda: cls(1, third=3), lambda: setattr(cls(1), "first", 2)):
        with pytest.raises((TypeError, AttributeError)):
            wrong()
    with pytest.raises(ValueError):
        cls(1)._replace(third=3)


def test_tables_are_made_once_when_looked_into() -> None:
    made: list[str] = []

    def rows() -> Sequence[int]:
        made.append("rows")
        return [3, 4, 5]

    def table() -> Mapping[str, int]:
        made.append("table")
        return {"a": 1}

    late, by_name = LateRows(rows), LateTable(table)
    assert not made
    assert (list(late), late[1], late[1:], len(late), 5 in late, 6 in late) == ([3, 4, 5], 4, (4, 5), 3, True, False)
    assert (dict(by_name), by_name["a"], by_name.get("b"), len(by_name), "a" in by_name) == ({"a": 1}, 1, None, 1, True)
    assert made == ["rows", "table"]


def test_expressions_are_compiled_when_they_are_used() -> None:
    late = regex(r"(?P<number>\d+)", re.ASCII)
    assert not isinstance(late, re.Pattern)
    assert late.pattern == r"(?P<number>\d+)" and late.flags & re.ASCII
    assert late.findall("a1b22") == ["1", "22"] and late.sub("-", "a1") == "a-" and not late.match("a")


UNFROZEN = """
import gc, weakref
from lanewise.support.collector import importing

gc.unfreeze()
thresholds = gc.get_threshold()
for runs in (True, False):
    (gc.enable if runs else gc.disable)()
    try:
        with importing():
            assert not gc.isenabled()
            raise ImportError
    except ImportError:
        assert gc.isenabled() == runs and gc.get_threshold() == thresholds and not gc.get_freeze_count()
    else:
        raise AssertionError("what is raised inside is not kept")

class Node:
    other: object

gc.enable()
collected = []
counted = []
gc.get_freeze_count, count = lambda: counted.append(1) or count(), gc.get_freeze_count
with importing():
    young = [Node()]
assert not counted and not any(found is young for found in gc.get_objects(generation=2)), "nothing was imported"
with importing():
    import colorsys
    node = Node()
    node.other = node
    weak = weakref.finalize(node, collected.append, 1)
assert any(found is node for found in gc.get_objects(generation=2))
del node
gc.collect()
assert collected == [1] and not weak.alive
"""


def test_imports_leave_the_collector_as_it_was_and_what_they_make_is_old_and_still_collected() -> None:
    """In a process of its own: the suite freezes what was collected, and looking through all of it takes seconds."""
    done = warm.run("-c", UNFROZEN)
    assert done.returncode == 0, done.stderr


@each([[], [3], [2, 2, 2], [5, 1, 5, 3, 1]])
def test_distinct_numbers_are_those_that_numpy_finds(numbers: list[int]) -> None:
    for array in (np.array(numbers, np.int64), np.array([numbers, numbers], np.int64)):
        assert np.array_equal(distinct(array), np.unique(array))
