"""iree_vector_ext.arg_compare: where the reference says that the order of meetings does not matter, it does not."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.ir.dialects import load_all
from lanewise.ir.dialects.arg_compare import ArgCompareOp
from lanewise.ir.numerics import Array
from lanewise.ir.parser import parse_program
from lanewise.reference.rules_arg_compare import wins_in_any_order

from ..examples import examples

load_all()
NAN, INFINITY = float("nan"), float("inf")
VALUES = st.sampled_from([NAN, -INFINITY, -1.0, -0.0, 0.0, 1.0, INFINITY])
PREDICATES = st.sampled_from(["ogt", "oge", "olt", "ole", "ugt", "uge", "ult", "ule", "one", "une", "oeq"])


def comparing(predicate: str) -> ArgCompareOp:
    text = f"""func.func @f(%x: vector<8xf32>, %v: vector<f32>, %i: vector<i32>) {{
      %0, %1 = iree_vector_ext.arg_compare dimension(0) ins(%x : vector<8xf32>)
          inits(%v, %i : vector<f32>, vector<i32>) {{
      ^bb0(%a: f32, %b: f32):
        %w = arith.cmpf {predicate}, %a, %b : f32
        iree_vector_ext.yield %w : i1
      }} -> vector<f32>, vector<i32>
      return
    }}"""
    return next(op for op in parse_program(text).walk() if isinstance(op, ArgCompareOp))


def fold(op: ArgCompareOp, values: Array, start: np.float32) -> int:
    _, place = op.fold(values, np.asarray, (start, np.asarray(-1)), {})
    return int(place)


@settings(max_examples=examples(100), deadline=None)
@given(PREDICATES, st.lists(VALUES, min_size=8, max_size=8), VALUES, st.randoms(use_true_random=False))
def test_what_wins_in_any_order_wins_in_every_tree(
    predicate: str, row: list[float], first: float, random: Random
) -> None:
    """Elements dealt to partial results, each begun with the initial value, which then meet in any order."""
    op, values, start = comparing(predicate), np.array(row, np.float32), np.float32(first)
    if not wins_in_any_order(op, values, start, {}):
        return
    places = [-1, *range(8)]
    for _ in range(8):
        owners = [random.randrange(4) for _ in row]
        held: list[int] = []
        for owner in range(4):
            best = -1
            for place in (p for p in range(8) if owners[p] == owner):
                element, other = values[place], start if best < 0 else values[best]
                best = place if op.beats(element, other, {}) else best
            held.append(best)
        while len(held) > 1:
            a, b = sorted((held.pop(random.randrange(len(held))), held.pop(random.randrange(len(held)))))
            assert a in places
            earlier, later = start if a < 0 else values[a], start if b < 0 else values[b]
            held.append(b if op.beats(later, earlier, {}) else a)
        found, expected = held[0], fold(op, values, start)
        same = found == expected or (min(found, expected) < 0 and values[max(found, expected)] == start)
        assert same, f"{found} instead of {expected}"


def test_an_order_that_is_none_is_left_open() -> None:
    """Numbers beat NaN and NaN beats numbers: what is left depends on who meets whom."""
    op = comparing("ugt")
    row = np.array([1, NAN, 0, 0, 0, 0, 0, 0], np.float32)
    assert not wins_in_any_order(op, row, np.float32(-INFINITY), {})
    assert wins_in_any_order(op, np.abs(np.nan_to_num(row)), np.float32(-INFINITY), {})


def test_ordered_comparators_are_decided_whatever_the_elements_are() -> None:
    for predicate in ("ogt", "oge", "olt", "ole"):
        row = np.array([NAN, 1, NAN, 0, -0.0, 0.0, INFINITY, -INFINITY], np.float32)
        for first in (NAN, 0.0, INFINITY, -INFINITY):
            assert wins_in_any_order(comparing(predicate), row, np.float32(first), {})
