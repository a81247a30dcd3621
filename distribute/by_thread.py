"""Numbers and conditions that are a table over the thread id, as the shortest index arithmetic that gives them.

What a plan says of every thread (which lane, which place in a buffer, who takes part) is a table. Most are sums of
digits of the thread id or, with swizzles, linear in its bits over the field of two elements; the rest is selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..ir.core import Value
from ..ir.dialects import arith
from ..layout.nested import IntArray, NestedLayout
from .context import Distribution
from .indexing import joined

BoolArray = npt.NDArray[np.bool_]
Digits = Sequence[tuple[int, int]]
"""(size, stride) of digits that make up the thread id, the lowest first."""


def digits_of(d: Distribution, *layouts: NestedLayout) -> Digits:
    """The digits that layouts decode, cut where another has a boundary; one digit where they do not nest."""
    ends = {1, d.threads}
    for layout in layouts:
        for digit in layout.thread_digits(d.subgroup_size):
            ends |= {digit.stride, digit.extent}
    chain = sorted(end for end in ends if end <= d.threads)
    if any(b % a for a, b in pairwise(chain[:-1])):
        return [(d.threads, 1)]
    if d.threads & (d.threads - 1) == 0 and all(end & (end - 1) == 0 for end in chain):
        chain = [1 << bit for bit in range(d.threads.bit_length())]
    return [(-(-b // a), a) for a, b in pairwise(chain)]


def number(d: Distribution, table: IntArray, digits: Digits) -> Value:
    """`table[thread id]`."""
    if (table == table[0]).all():
        return d.build.constant(int(table[0]))
    ids = np.arange(len(table))
    weights = [int(table[stride] - table[0]) for _, stride in digits]
    total = int(table[0]) + sum(ids // stride % size * w for (size, stride), w in zip(digits, weights, strict=True))
    if np.array_equal(total, table):
        parts = [(size, stride, w) for (size, stride), w in zip(digits, weights, strict=True) if w]
        return d.build.add(_sum(d, parts), int(table[0]))
    if table.min() >= 0 and all(size == 2 for size, _ in digits):
        columns = [int(table[stride] ^ table[0]) for _, stride in digits]
        total = np.full(len(table), table[0])
        for (_, stride), column in zip(digits, columns, strict=True):
            total ^= (ids // stride & 1) * column
        if np.array_equal(total, table):
            return _exclusive(d, int(table[0]), columns)
    return _selected(d, table, digits)


def _sum(d: Distribution, parts: list[tuple[int, int, int]]) -> Value:
    total = d.build.constant(0)
    for size, stride, weight in joined(parts):
        total = d.build.add(total, d.build.mul(d.digit(size, stride), weight))
    return total


def _exclusive(d: Distribution, start: int, columns: Sequence[int]) -> Value:
    """The sum over two elements of one column for every bit of the thread id; neighbours that count on are one."""
    runs: list[tuple[int, int, int, int]] = []
    for bit, column in enumerate(columns):
        if runs and column:
            first, length, lowest, cells = runs[-1]
            if bit == first + length and column == lowest << length and not cells & column:
                runs[-1] = (first, length + 1, lowest, cells | column)
                continue
        if column:
            runs.append((bit, 1, column, column))
    total, used = d.build.constant(0), 0
    for first, length, lowest, cells in runs:
        total = exclusive_or(d, total, used, d.build.mul(d.digit(1 << length, 1 << first), lowest), cells)
        used |= cells
    return exclusive_or(d, total, used, d.build.constant(start), start) if start else total


def exclusive_or(d: Distribution, a: Value, bits_of_a: int, b: Value, bits_of_b: int) -> Value:
    """A sum where no bit meets another."""
    if bits_of_a & bits_of_b == 0:
        return d.build.add(a, b)
    limit = 1 << (bits_of_a | bits_of_b).bit_length()
    return d.build.bound(d.build.value(arith.XOrIOp, a, b), limit)


def _selected(d: Distribution, table: IntArray, digits: Digits) -> Value:
    """By the highest digit."""
    *low, (size, stride) = digits
    rows = [table[start : start + stride] for start in range(0, len(table), stride)]
    digit, whole = d.digit(size, stride), rows[0]
    values = [number(d, np.concatenate([row, whole[len(row) :]]), low) if low else _constant(d, row) for row in rows]
    chosen = values[0]
    for at, value in enumerate(values[1:], 1):
        if value is not chosen:
            chosen = d.build.value(arith.SelectOp, d.build.compare("eq", digit, at), value, chosen)
    return chosen


def _constant(d: Distribution, row: IntArray) -> Value:
    return d.build.constant(int(row[0]))


def condition(d: Distribution, table: BoolArray, digits: Digits) -> Value:
    """`table[thread id]` as an i1: comparisons of digits where that says it."""
    if table.all() or not table.any():
        return d.build.conjunction([] if table.all() else [d.build.compare("ne", d.build.constant(0), 0)])
    ids = np.arange(len(table))
    product, parts = np.ones(len(table), bool), list[Value]()
    for size, stride in _runs(table, digits):
        values = np.unique(ids[table] // stride % size)
        product &= np.isin(ids // stride % size, values)
        parts.append(_member(d, d.digit(size, stride), values, size))
    if np.array_equal(product, table):
        return d.build.conjunction(parts)
    return d.build.compare("ne", number(d, table.astype(np.int64), digits), 0)


def _runs(table: BoolArray, digits: Digits) -> list[tuple[int, int]]:
    """The digits on which the table depends, neighbours as one."""
    runs: list[tuple[int, int]] = []
    ids = np.arange(len(table))
    for size, stride in digits:
        first = ids - ids // stride % size * stride
        if np.array_equal(table[first], table):
            continue
        if runs and runs[-1][0] * runs[-1][1] == stride:
            runs[-1] = (runs[-1][0] * size, runs[-1][1])
        else:
            runs.append((size, stride))
    return runs


def _member(d: Distribution, digit: Value, values: IntArray, size: int) -> Value:
    build, low, high = d.build, int(values[0]), int(values[-1]) + 1
    if high - low == 1:
        return build.compare("eq", digit, low)
    if high - low == len(values):
        below = [build.compare("ult", digit, high)] if high < size else []
        return build.conjunction([*below, *([build.compare("uge", digit, low)] if low else [])])
    hits = [build.compare("eq", digit, int(value)) for value in values]
    total = hits[0]
    for hit in hits[1:]:
        total = build.value(arith.OrIOp, total, hit)
    return total
