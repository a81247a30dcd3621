"""Compares what two executors printed: the same messages of each owner in the same order, and values within bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from ..ir.numerics import Array
from ..ir.printing import Record
from .compare import compare


def differences(expected: Sequence[Record], found: Sequence[Record], *, exact: bool) -> Iterator[str]:
    """What is wrong with `found`, one line for each owner; both are by owner. Of an owner whose messages did not all
    fit, those that did are compared."""
    right, wrong = ({place: list(own) for place, own in groupby(records, _place)} for records in (expected, found))
    for place in sorted(right.keys() | wrong.keys()):
        pairs = zip_longest(right.get(place, ()), wrong.get(place, ()))
        for number, (a, b) in enumerate(pairs):
            if b is not None and b.lost:
                break
            if a is None or b is None or not _agree(a, b, exact):
                what = [repr(record.text) if record is not None else "nothing" for record in (a, b)]
                yield f"message {number} of {_who(place)}: expected {what[0]}, found {what[1]}"
                break


def _place(record: Record) -> tuple[int, int, int]:
    return record.place


def _who(place: tuple[int, int, int]) -> str:
    workgroup, program, owner = place
    return f"workgroup {workgroup}, program {program}, owner {owner}"


def _agree(expected: Record, found: Record, exact: bool) -> bool:
    if expected.message != found.message:
        return False
    bounds: Sequence[Array | None] = (None,) * len(expected.values) if exact else expected.bounds
    triples = zip(expected.values, found.values, bounds or (None,) * len(expected.values), strict=True)
    return all(compare("", a, b, bound).ok for a, b, bound in triples)
