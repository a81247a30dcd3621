"""Numbers and conditions that are a table over the thread id, as the shortest index arithmetic that gives them.

What a plan says of every thread (which lane, which place in a buffer, who takes part) is a table. Most are sums of
digits of the thread id or, with swizzles, linear in its bits over the field of two elements; the rest is selected by
digits where few values differ, or taken out of constants that hold many small numbers each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..ir.core import Value
from ..ir.dialects import arith
from ..ir.types import I32, INDEX
from ..layout.nested import IntArray, NestedLayout
from ..support.distinct import distinct
from .context import Distribution
from .indexing import joined

BoolArray = npt.NDArray[np.bool_]
_WORD_BITS = 32
_UNPACKING = 4
"""Instructions that take an entry out of its word."""
Digits = tuple[tuple[int, int], ...]
"""(size, stride) of digits that make up the thread id, the lowest first."""


def digits_of(d: Distribution, *layouts: NestedLayout) -> Digits:
    """The digits that layouts decode, cut where another has a boundary; one digit where they do not nest."""
    ends = {1, d.threads}
    for layout in layouts:
        for digit in layout.thread_digits(d.subgroup_size):
            ends |= {digit.stride, digit.extent}
    chain = sorted(end for end in ends if end <= d.threads)
    if any(b % a for a, b in pairwise(chain[:-1])):
        return ((d.threads, 1),)
    if d.threads & (d.threads - 1) == 0 and all(end & (end - 1) == 0 for end in chain):
        chain = [1 << bit for bit in range(d.threads.bit_length())]
    return tuple((-(-b // a), a) for a, b in pairwise(chain))


def number(d: Distribution, table: IntArray, digits: Digits) -> Value:
    """`table[thread id]`."""
    return d.once((number, table.tobytes(), digits), lambda: _number(d, table, digits))


def _number(d: Distribution, table: IntArray, digits: Digits) -> Value:
    computed = _computed(d, table, digits)
    if computed is not None:
        return computed
    if _selections(table, digits) > _words(table) + _UNPACKING:
        return _packed(d, table)
    return _selected(d, table, digits)


def _computed(d: Distribution, table: IntArray, digits: Digits) -> Value | None:
    """Arithmetic on digits, where a table is that."""
    if (table == table[0]).all():
        return d.build.constant(int(table[0]))
    weights = _weights(table, digits)
    if weights is not None:
        parts = [(size, stride, w) for (size, stride), w in zip(digits, weights, strict=True) if w]
        return d.build.add(_sum(d, parts), int(table[0]))
    columns = _columns(table, digits)
    return None if columns is None else _exclusive(d, int(table[0]), columns)


def _weights(table: IntArray, digits: Digits) -> list[int] | None:
    """The weight of each digit, where the table is a sum of them."""
    ids, total = np.arange(len(table)), np.full(len(table), table[0])
    weights = [int(table[stride] - table[0]) for _, stride in digits]
    for (size, stride), weight in zip(digits, weights, strict=True):
        if weight:
            total += ids // stride % size * weight
    return weights if np.array_equal(total, table) else None


def _columns(table: IntArray, digits: Digits) -> list[int] | None:
    """What each bit adds, where the table is linear in them over the field of two elements."""
    if table.min() < 0 or any(size != 2 for size, _ in digits):
        return None
    ids, total = np.arange(len(table)), np.full(len(table), table[0])
    columns = [int(table[stride] ^ table[0]) for _, stride in digits]
    for (_, stride), column in zip(digits, columns, strict=True):
        if column:
            total ^= (ids // stride & 1) * column
    return columns if np.array_equal(total, table) else None


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
    low, (size, stride) = digits[:-1], digits[-1]
    digit = d.digit(size, stride)
    rows = _rows(table, stride)
    values = [_computed(d, row, low) or _selected(d, row, low) for row in rows]
    chosen = values[0]
    for at, value in enumerate(values[1:], 1):
        if value is not chosen:
            chosen = d.build.value(arith.SelectOp, d.build.compare("eq", digit, at), value, chosen)
    return chosen


def _rows(table: IntArray, stride: int) -> list[IntArray]:
    """The table for every value of the highest digit, each complete."""
    rows = [table[start : start + stride] for start in range(0, len(table), stride)]
    return [np.concatenate([row, rows[0][len(row) :]]) for row in rows]


def _selections(table: IntArray, digits: Digits) -> int:
    """Comparisons and selections that `_selected` takes."""
    if not digits or _weights(table, digits) is not None or _columns(table, digits) is not None:
        return 0
    low, (_, stride) = digits[:-1], digits[-1]
    rows = _rows(table, stride)
    different = {row.tobytes(): row for row in rows}
    first = next((at for at, row in enumerate(rows) if not np.array_equal(row, rows[0])), len(rows))
    return 2 * (len(rows) - first) + sum(_selections(row, low) for row in different.values())


def _packed(d: Distribution, table: IntArray) -> Value:
    """Out of 32-bit words that hold as many entries as they can, of `_entry_bits` each."""
    build, bits, period = d.build, _entry_bits(table), _period(table)
    each, low = _WORD_BITS // bits, int(table.min())
    entries = np.zeros(-(-period // each) * each, np.int64)
    entries[: min(period, len(table))] = table[:period] - low
    words = [sum(int(n) << (at * bits) for at, n in enumerate(row)) for row in entries.reshape(-1, each)]
    place = build.rem(d.thread_id(), period)
    word = _word(d, build.div(place, each), [build.constant(_signed(word), I32) for word in words])
    shift = build.value(arith.IndexCastOp, build.mul(build.rem(place, each), bits), types=[I32])
    entry = build.value(arith.ShRUIOp, word, shift)
    if bits < _WORD_BITS:
        entry = build.value(arith.AndIOp, entry, build.constant((1 << bits) - 1, I32))
    number = build.bound(build.value(arith.IndexCastUIOp, entry, types=[INDEX]), int(table.max()) - low + 1)
    return build.add(number, low)


def _word(d: Distribution, at: Value, words: Sequence[Value]) -> Value:
    """`words[at]`, by the bits of `at` from the highest."""
    if all(word is words[0] for word in words):
        return words[0]
    half = 1 << ((len(words) - 1).bit_length() - 1)
    below, above = words[:half], words[half:]
    hit = d.build.compare("uge", at, half)
    rest = d.build.rem(at, half)
    high = _word(d, rest, [*above, *below[len(above) :]])
    return d.build.value(arith.SelectOp, hit, high, _word(d, rest, below))


def _entry_bits(table: IntArray) -> int:
    """A power of two of bits for every entry above the least."""
    return 1 << (max(1, int(table.max() - table.min()).bit_length()) - 1).bit_length()


def _words(table: IntArray) -> int:
    return -(-_period(table) * _entry_bits(table) // _WORD_BITS)


def _period(table: IntArray) -> int:
    """The least power of two after which the table repeats itself; of all its entries, where it does not."""
    period = 1
    while period < len(table) and not np.array_equal(table[period:], table[:-period]):
        period *= 2
    return period


def _signed(word: int) -> int:
    return word - (word >> (_WORD_BITS - 1) << _WORD_BITS)


def condition(d: Distribution, table: BoolArray, digits: Digits) -> Value:
    """`table[thread id]` as an i1: comparisons of digits where that says it."""
    if table.all() or not table.any():
        return d.build.conjunction([] if table.all() else [d.build.compare("ne", d.build.constant(0), 0)])
    ids = np.arange(len(table))
    product, parts = np.ones(len(table), bool), list[tuple[int, int, IntArray]]()
    for size, stride in _runs(table, digits):
        values = distinct(ids[table] // stride % size)
        product &= np.isin(ids // stride % size, values)
        parts.append((size, stride, values))
    if np.array_equal(product, table) and all(_gaps(values) < _UNPACKING for _, _, values in parts):
        return d.build.conjunction([_member(d, d.digit(size, stride), values, size) for size, stride, values in parts])
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


def _gaps(values: IntArray) -> int:
    return 0 if int(values[-1] - values[0]) < len(values) else len(values)


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
