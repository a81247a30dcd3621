"""What is made of filetests without `--thorough`.

Of runs that differ in the chip alone each section makes one, and chips go round sections and files; sizes and kinds of
data go round the sections of a file, each of which has some of them. Of the runs one of some is thorough, of the
sections one of some is compiled again from a stage's text. Where such turns leave an operation without a chip that some
line runs it on, without a thorough run for each vendor, or without a stage, more is made, until it has them: the fewest
more that are soon found. Of `expect` lines of a section that count the same on chips of one vendor one has its turn.
"""

from __future__ import annotations

import functools
import heapq
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects import load_all
from lanewise.jit.device_choice import DEFAULT_TARGET
from lanewise.targets import find_chip

from .expectations import Expectation
from .sections import EXPECTED, commands, operations, sections

HERE = Path(__file__).parent
AGAIN = ("layout", "thread")
"""The stages whose texts are compiled again."""
_EVERY_THOROUGH, _EVERY_AGAIN = 16, 16
"""Of so many runs or texts of sections one has its turn, whatever operations there are."""
Place = tuple[Path, int]
"""A file and the number of a section."""
Thing = TypeVar("Thing", bound=Hashable)


class Run(NamedTuple):
    """A `// test run` line, by its number among those of the file, for one section."""

    path: Path
    section: int
    line: int
    options: tuple[str, ...]

    @property
    def place(self) -> Place:
        return self.path, self.section

    @property
    def target(self) -> str | None:
        """As the line states it."""
        return dict(option.split("=", 1) for option in self.options).get("target")

    @property
    def chip(self) -> str:
        return self.target or DEFAULT_TARGET

    @property
    def but_for_the_chip(self) -> tuple[str, ...]:
        return tuple(sorted(option for option in self.options if not option.startswith("target=")))


@functools.cache
def made() -> Mapping[Place, Sequence[Run]]:
    """The runs that sections make."""
    runs, turn = list[Run](), set[Run]()
    count = Counter(path for path, _ in lines())
    passed = Counter[Path]()
    for place, options_of in lines().items():
        its = [Run(*place, number, options) for number, options in enumerate(options_of)]
        runs += its
        ways = dict[tuple[str, ...], list[Run]]()
        for run in its:
            ways.setdefault(run.but_for_the_chip, []).append(run)
        path, _ = place
        for number, alike in enumerate(ways.values()):
            if (number - passed[path]) % min(len(ways), count[path]) == 0:
                turn.add(alike[_turn(place) % len(alike)])
        passed[path] += 1
    kept = covering(runs, turn.__contains__, lambda run: ((name, run.chip) for name in _operations()[run.place]))
    found: dict[Place, list[Run]] = {}
    for run in sorted(kept):
        found.setdefault(run.place, []).append(run)
    return found


@functools.cache
def thorough() -> Set[Run]:
    """Those of them that are."""
    return covering(
        [run for runs in made().values() for run in runs],
        lambda run: (_turn(run.place) + run.line) % _EVERY_THOROUGH == 0,
        lambda run: ((name, find_chip(run.chip).vendor) for name in _operations()[run.place]),
    )


def counted(place: Place, lines: Sequence[Expectation]) -> Iterator[Expectation]:
    """Those of a section's `expect` lines that are looked at."""
    alike: dict[Hashable, list[Expectation]] = {}
    for line in lines:
        what = find_chip(line.target).vendor, tuple(line.sizes.items()), frozenset(e.name for e in line.expected)
        alike.setdefault(what, []).append(line)
    yield from (group[_turn(place) % len(group)] for group in alike.values())


@functools.cache
def again() -> Set[tuple[Place, str]]:
    """Sections, and the stage whose text is compiled again."""
    return covering(
        [(place, stage) for place, names in _operations().items() if names for stage in AGAIN],
        lambda text: (_turn(text[0]) + AGAIN.index(text[1])) % _EVERY_AGAIN == 0,
        lambda text: ((name, text[1]) for name in _operations()[text[0]]),
    )


def covering(
    things: Iterable[Thing], has_its_turn: Callable[[Thing], bool], features_of: Callable[[Thing], Iterable[Hashable]]
) -> Set[Thing]:
    """Those that have their turn, and more, until every feature of anything is one of theirs.

    Next is always that which has most of what is missing."""
    kept, met, heap = set[Thing](), set[Hashable](), list[tuple[int, Any, set[Hashable]]]()
    for thing in things:
        features = set(features_of(thing))
        if has_its_turn(thing):
            kept.add(thing)
            met |= features
        else:
            heap.append((-len(features), thing, features))
    heapq.heapify(heap)
    while heap:
        count, thing, features = heapq.heappop(heap)
        features -= met
        if len(features) == -count > 0:
            kept.add(thing)
            met |= features
        elif features:  # others had some of them meanwhile
            heapq.heappush(heap, (-len(features), thing, features))
    return kept


@functools.cache
def lines() -> Mapping[Place, Sequence[tuple[str, ...]]]:
    """The options of each `// test run` line, by section."""
    found: dict[Place, Sequence[tuple[str, ...]]] = {}
    for path, text in _texts():
        its = [tuple(options) for command, options in commands(text) if command == "run"]
        found |= {(path, section.number): its for section in sections(text) if its}
    return found


@functools.cache
def _operations() -> Mapping[Place, Set[str]]:
    """The operations of the sections that run; none of those that are wrong."""
    load_all()
    found: dict[Place, Set[str]] = {}
    for path, text in _texts():
        for section in sections(text):
            if (path, section.number) in lines():
                wrong = EXPECTED.search(section.text)
                found[path, section.number] = set() if wrong else REGISTRY.keys() & operations(section.text)
    return found


def _texts() -> Iterator[tuple[Path, str]]:
    for path in sorted(HERE.glob("**/*.mlir")):
        yield path, path.read_text(encoding="utf-8")


def _turn(place: Place) -> int:
    """Not all files are to begin with the same chip."""
    path, section = place
    return zlib.crc32(path.name.encode()) + section
