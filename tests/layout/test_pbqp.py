"""The solver against the cheapest of all choices."""

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.pbqp import Problem, solve

from ..examples import examples


def problem(draw: Any, nodes: int, alternatives: int, edges: list[tuple[int, int]]) -> Problem:
    made = Problem()
    cost = st.integers(0, 60)
    for _ in range(nodes):
        made.add_node(draw(st.lists(cost, min_size=alternatives, max_size=alternatives)))
    rows = st.lists(st.one_of(st.just(0), cost), min_size=alternatives**2, max_size=alternatives**2)
    for a, b in edges:
        made.add_edge(a, b, np.array(draw(rows), np.int64).reshape(alternatives, alternatives))
    return made


def cheapest(given: Problem) -> int:
    return min(given.price(choice) for choice in product(*(range(len(c)) for c in given.costs)))


@st.composite
def trees(draw: Any) -> Problem:
    nodes = draw(st.integers(1, 7))
    return problem(draw, nodes, 3, [(draw(st.integers(0, i - 1)), i) for i in range(1, nodes)])


@st.composite
def graphs(draw: Any) -> Problem:
    """Any edges, several between two nodes and of a node with itself among them."""
    nodes = draw(st.integers(4, 6))
    ends = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    return problem(draw, nodes, 3, draw(st.lists(ends, min_size=nodes, max_size=3 * nodes)))


@given(trees())
@settings(max_examples=examples(60), deadline=None)
def test_trees_are_solved_to_the_optimum(given: Problem) -> None:
    assert given.price(solve(given, most_leaves=1)) == cheapest(given)


@given(graphs())
@settings(max_examples=examples(60), deadline=None)
def test_small_graphs_are_solved_to_the_optimum(given: Problem) -> None:
    assert given.price(solve(given)) == cheapest(given)


@given(graphs())
@settings(max_examples=30, deadline=None)
def test_without_branches_the_answer_is_still_a_choice(given: Problem) -> None:
    chosen = solve(given, most_leaves=1)
    assert len(chosen) == len(given.costs)
    assert given.price(chosen) >= cheapest(given)


def test_equals_are_decided_by_the_first() -> None:
    made = Problem()
    for _ in range(3):
        made.add_node([5, 5, 5])
    made.add_edge(0, 1, np.zeros((3, 3), np.int64))
    assert solve(made) == [0, 0, 0]


def test_parts_do_not_share_their_leaves() -> None:
    """Two separate dense parts: each is branched on with the whole bound."""
    made = Problem()
    one = np.array([[9, 0, 9], [9, 9, 0], [0, 9, 9]], np.int64)
    for start in (0, 4):
        for _ in range(4):
            made.add_node([3, 1, 2])
        for a in range(start, start + 4):
            for b in range(a + 1, start + 4):
                made.add_edge(a, b, one)
    assert made.price(solve(made, most_leaves=3)) == cheapest(made)
