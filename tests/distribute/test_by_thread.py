"""Tables over the thread id become arithmetic that gives the same numbers in every thread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.analysis.divisibility import Divisibility
from lanewise.analysis.integers import Integers
from lanewise.analysis.thread_numbers import ThreadNumbers, Threads
from lanewise.distribute.by_thread import Digits, condition, digits_of, number
from lanewise.distribute.context import Distribution
from lanewise.ir.core import Block, Value
from lanewise.layout.contraction import Contractions
from lanewise.layout.dimension import Dimension
from lanewise.layout.nested import NestedLayout
from lanewise.layout.workgroup import Workgroup
from lanewise.targets import find_chip


def distribution(threads: int) -> Distribution:
    workgroup = Workgroup(threads, 32, find_chip("sm_90"), "workgroup", 0)
    return Distribution(Block(), (threads, 1, 1), workgroup, Contractions(Divisibility(Integers())))


def evaluated(d: Distribution, value: Value) -> np.ndarray:
    found = ThreadNumbers(Threads(d.block_size, d.subgroup_size, d.threads)).of(value)
    assert found is not None and not found.terms
    return np.broadcast_to(found.known, (d.threads,))


def digits(d: Distribution, ragged: bool) -> Digits:
    parts = [Dimension(thread=37 if ragged else 8, thread_stride=1)] if d.threads >= 37 else []
    return digits_of(d, NestedLayout.of_dimensions(parts))


@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@given(st.sampled_from([1, 32, 48, 64, 96, 256]), st.booleans(), st.data())
def test_numbers_are_those_of_the_table(threads: int, ragged: bool, data: st.DataObject) -> None:
    """Few different numbers or many, repeated or not."""
    most, period = data.draw(st.sampled_from([1, 3, 200, 70000])), data.draw(st.sampled_from([1, 8, 37, 256]))
    least = data.draw(st.sampled_from([0, 5]))
    drawn = data.draw(st.lists(st.integers(least, least + most), min_size=period, max_size=period))
    d, table = distribution(threads), np.resize(np.array(drawn, np.int64), threads)
    assert (evaluated(d, number(d, table, digits(d, ragged))) == table).all()


@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@given(st.sampled_from([1, 32, 48, 64, 96, 256]), st.booleans(), st.data())
def test_conditions_are_those_of_the_table(threads: int, ragged: bool, data: st.DataObject) -> None:
    period = data.draw(st.sampled_from([1, 8, 37, 256]))
    drawn = data.draw(st.lists(st.booleans(), min_size=period, max_size=period))
    d, table = distribution(threads), np.resize(np.array(drawn, np.bool_), threads)
    assert (evaluated(d, condition(d, table, digits(d, ragged))) != 0).tolist() == table.tolist()


@pytest.mark.parametrize(("most", "operations"), [(1, 8 + 10), (15, 32 + 10)])
def test_many_numbers_are_taken_out_of_words(most: int, operations: int) -> None:
    """256 numbers of 1 or 4 bits in 8 or 32 words: a selection for each but one, comparisons by bits, and unpacking."""
    d, rng = distribution(256), np.random.default_rng(0)
    number(d, rng.integers(0, most + 1, 256), digits(d, False))
    made = [op for op in d.entry.operations if op.opname == "arith.select"]
    assert len(made) < operations
