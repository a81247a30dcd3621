"""Wrong rows: every row of the shared table with one thing changed, so that tests can say whether a voice notices.

    python -m tests.targets.mutated_rows        all mutants of all rows, and which nobody would notice

Lane digits are exchanged or shifted, a lane's elements reordered, neighbours and distant elements exchanged, rows and
columns exchanged. A mutant that has everything where it was is none. Operands in shared memory have no order: a
descriptor says where they are.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np
from lanewise.targets import Fragment, MatrixInstruction, Operand
from lanewise.targets.fragment import DigitMap

from .voices import BESIDE, ROWS, disagreements, expanded, is_ordered


def mutants(fragment: Fragment, lanes: int) -> Iterator[tuple[str, Fragment]]:
    """What was changed, and the fragment that says so."""
    before = expanded(fragment, lanes)
    for words, changed in _changed(fragment):
        after = expanded(changed, lanes)
        if before.shape != after.shape or not np.array_equal(before, after):
            yield words, changed


def _changed(f: Fragment) -> Iterator[tuple[str, Fragment]]:
    yield "rows and columns exchanged", f.transposed
    for d, stride in enumerate(f.thread_strides):
        if f.thread[d] > 1:
            yield f"lane digits of dimension {d} shifted", _with(f, "thread_strides", d, stride * 2)
        for other in range(d):
            swapped = list(f.thread_strides)
            swapped[d], swapped[other] = swapped[other], swapped[d]
            yield f"lane digits of dimensions {other} and {d} exchanged", _replaced(f, thread_strides=tuple(swapped))
    sizes = (*f.outer, *f.element)
    axes = [axis for axis in f.register_order if sizes[axis] > 1]
    for first, second in itertools.pairwise(axes):
        order = list(f.register_order)
        x, y = order.index(first), order.index(second)
        order[x], order[y] = second, first
        yield f"register digits {first} and {second} exchanged", _replaced(f, register_order=tuple(order))
    for d in range(f.rank):
        outer, element = list(f.outer), list(f.element)
        outer[d], element[d] = element[d], outer[d]
        yield f"neighbours of dimension {d} apart", _replaced(f, outer=tuple(outer), element=tuple(element))


def _with(f: Fragment, field: str, d: int, value: int) -> Fragment:
    changed = list(getattr(f, field))
    changed[d] = value
    return _replaced(f, **{field: tuple(changed)})


def _replaced(f: Fragment, **parts: tuple[int, ...]) -> Fragment:
    return dataclasses.replace(f, **parts)


def mutated_maps(map: DigitMap) -> Iterator[tuple[str, DigitMap]]:
    """Of what is no fragment: two digits of an index exchanged, a weight doubled, coordinates exchanged."""
    for index, digits in enumerate(map.digits):
        for n, digit in enumerate(digits):
            if digit.size == 1 or not digit.weight:
                continue
            changes = [("weight doubled", digit._replace(weight=2 * digit.weight))]
            if map.coordinates == 2:
                changes.append(("coordinates exchanged", digit._replace(coordinate=1 - digit.coordinate)))
            for words, changed in changes:
                yield (
                    f"{words} of digit {n} of index {index}",
                    _digits(map, index, (*digits[:n], changed, *digits[n + 1 :])),
                )
        for n in range(len(digits) - 1):
            low, high = digits[n], digits[n + 1]
            if 1 in (low.size, high.size):
                continue
            exchanged = low._replace(stride=low.stride * high.size), high._replace(stride=low.stride)
            yield (
                f"digits {n} and {n + 1} of index {index} exchanged",
                _digits(map, index, (*digits[:n], *exchanged, *digits[n + 2 :])),
            )


def _digits(map: DigitMap, index: int, digits: tuple[object, ...]) -> DigitMap:
    return dataclasses.replace(map, digits=(*map.digits[:index], digits, *map.digits[index + 1 :]))


def in_registers(i: MatrixInstruction) -> Iterator[tuple[str, Fragment]]:
    """Operands of a row that lanes hold, by name; `hardware a` and `hardware b` where K is numbered otherwise."""
    places = {"a": i.places[0], "b": i.places[1], "c": ("registers",)}
    yield from ((name, getattr(i, name)) for name in "abc" if "registers" in places[name])
    if i.hardware is not None:
        yield from zip(("hardware a", "hardware b"), i.hardware, strict=True)


def wrong_rows(rows: tuple[MatrixInstruction, ...] = ROWS) -> Iterator[tuple[str, MatrixInstruction]]:
    """What was changed, and the row that says so; of rows that are alike all."""
    for i in rows:
        for name, fragment in in_registers(i):
            for words, changed in mutants(fragment, i.subgroup_size):
                yield f"{i.name}, {name}: {words}", _row(i, name, changed)


def _row(i: MatrixInstruction, name: str, changed: Fragment) -> MatrixInstruction:
    if name.startswith("hardware"):
        assert i.hardware is not None
        a, b = i.hardware
        return dataclasses.replace(i, hardware=(changed, b) if name.endswith("a") else (a, changed))
    operand = Operand.of(changed, getattr(i, name).registers)
    return dataclasses.replace(i, **{name: operand})


def wrong_maps() -> Iterator[tuple[str, bool]]:
    """What was changed, and whether the vendor's formula notices."""
    for beside in BESIDE:
        for words, changed in mutated_maps(beside.map):
            yield f"{beside.name}: {words}", not beside.agrees(changed)


def survivors(rows: tuple[MatrixInstruction, ...] = ROWS) -> tuple[int, list[str]]:
    """How many wrong rows there are, and which of them no formula notices."""
    count, unnoticed = 0, list[str]()
    for words, row in wrong_rows(rows):
        count += 1
        if not any(disagreements(row)):
            unnoticed.append(words)
    return count, unnoticed


if __name__ == "__main__":
    number, left = survivors()
    maps = list(wrong_maps())
    left += [words for words, noticed in maps if not noticed]
    unordered = sum(not is_ordered(i) for i in ROWS)
    print(f"{len(ROWS)} rows ({unordered} with K in another order than the hardware's), {number} wrong rows,")
    print(f"{len(BESIDE)} maps beside them, {len(maps)} wrong ones; {len(left)} that nobody notices")
    print(*left, sep="\n")
