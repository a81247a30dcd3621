"""`@pytest.mark.turns("chip", ...)`: values of these parameters take turns over the test's other combinations.

Each combination of the other parameters is met, and each value of each parameter that takes turns, in as many pairs as
fit; their product is with `--thorough` alone. Where others are fewer than values, each of them takes several turns.

`@pytest.mark.one_of(3)`: one of three items of a test is made, the others with `--thorough` alone: of tests whose items
are many of a kind, such as planted mistakes, and each of which takes long.
"""

from __future__ import annotations

import itertools
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import pytest

MARKER = "turns(names): parameters whose values take turns over the others' combinations; all with --thorough"
ONE_OF = "one_of(number): one of so many items is made, whichever has its turn; all with --thorough"
Parameter = tuple[str, str]
"""Its name and a value, as it prints."""
Row = tuple[Parameter, ...]
"""The parameters of one item."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.addinivalue_line("markers", ONE_OF)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="all combinations, where tests take some of them by turns")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the items whose turn it is not."""
    if config.getoption("--thorough"):
        return
    out = {item for name, group in _marked("turns", items) for item in _left_out_of(name, group)}
    for name, group in _marked("one_of", [item for item in items if item not in out]):
        one_of = _number_of(group[0])
        if len(group) >= one_of:  # else some were asked for by name
            out |= {item for number, item in enumerate(group) if not has_its_turn(number, one_of, name)}
    config.hook.pytest_deselected(items=list(out))
    items[:] = [item for item in items if item not in out]


def _marked(marker: str, items: Sequence[pytest.Item]) -> Iterable[tuple[str, Sequence[pytest.Function]]]:
    """The items of each test that is marked so, by its name."""
    tests: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker(marker) is not None:
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return tests.items()


def _number_of(item: pytest.Item) -> int:
    marker = item.get_closest_marker("one_of")
    assert marker is not None
    number: int = marker.args[0]
    return number


def has_its_turn(number: int, one_of: int, name: str) -> bool:
    """Whether that which is the `number`-th of a test is one of those that are made, of so many that follow one another
    another one each time: what alternates is met in each of its kinds. Not all tests begin with the first."""
    return (number + number // one_of + zlib.crc32(name.encode())) % one_of == 0


def _left_out_of(name: str, items: Sequence[pytest.Function]) -> Iterator[pytest.Item]:
    marker = items[0].get_closest_marker("turns")
    assert marker is not None
    rows = [tuple((k, repr(v)) for k, v in item.callspec.params.items()) for item in items]
    if missing := set(marker.args) - {k for k, _ in rows[0]}:
        raise pytest.UsageError(f"{name} takes turns in {', '.join(sorted(missing))}, and has no such parameter")
    kept = taken(rows, marker.args, zlib.crc32(name.encode()))
    yield from (item for number, item in enumerate(items) if number not in kept)


def taken(rows: Sequence[Row], turning: Sequence[str], start: int) -> set[int]:
    """The numbers of the rows whose turn it is: one for each combination of parameters that do not take turns, and more
    where values are more than combinations.

    Of a combination's rows the next is that which has most pairs of values that were not met, then that whose values
    were met least; `start` says which of equal ones: not all tests are to begin with the same chip."""
    groups: dict[Row, list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(tuple(p for p in row if p[0] not in turning), []).append(number)
    values = Counter(k for k, _ in {p for row in rows for p in row} if k in turning)
    each = -(-max(values.values()) // len(groups))
    kept, met, uses = set[int](), set[Row](), Counter[Parameter]()

    def rank(n: int, group: Sequence[int]) -> tuple[int, int, int]:
        used = sum(uses[p] for p in rows[n] if p[0] in turning)
        return -len(_pairs(rows[n], turning) - met), used, (group.index(n) + start) % len(group)

    for group in groups.values():
        for _ in range(min(each, len(group))):
            turn = min((n for n in group if n not in kept), key=partial(rank, group=group))
            kept.add(turn)
            met.update(_pairs(rows[turn], turning))
            uses.update(rows[turn])
    for number, row in enumerate(rows):
        if not all(uses[p] for p in row):
            kept.add(number)
            uses.update(row)
    return kept


def _pairs(row: Row, turning: Sequence[str]) -> set[Row]:
    """The pairs of its values of which one takes turns."""
    return {pair for pair in itertools.combinations(row, 2) if pair[0][0] in turning or pair[1][0] in turning}
