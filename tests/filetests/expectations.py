"""`// expect TARGET SIZE=N ...: NAME [<= | >=] NUMBER, ...` lines of filetests: what a kernel's code costs, as numbers.

Names are those of `lanewise.check.counts`. Numbers are exact, or bounds where an exact one would tell nothing more.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from lanewise.check.counts import COUNTS, Count, Measurement, find_count
from lanewise.ir.did_you_mean import did_you_mean
from lanewise.support.diagnostics import Diagnostic, Location, ProgramError, Source
from lanewise.targets import UnknownTargetError, find_chip

EXPECTED_COUNTS = re.compile(r"^// expect\b(.*)$", re.MULTILINE)
_HEAD = re.compile(r"\s+(?P<target>\w+)(?P<sizes>(?:\s+\w+=\d+)*)\s*:")
_EXPECTED = re.compile(
    r"\s*(?P<name>[a-z][a-z_.]*(?: [a-z][a-z_.0-9]*)*)\s+(?:(?P<sign><=|>=)\s*)?(?P<number>\d+)\s*\Z"
)
_SIGNS: Mapping[str, tuple[Callable[[int, int], bool], str]] = {
    "": (operator.eq, ""),
    "<=": (operator.le, "at most "),
    ">=": (operator.ge, "at least "),
}
_FORM = "`// expect TARGET SIZE=N ...: NAME [<= | >=] NUMBER, ...` is expected"


@dataclass(frozen=True)
class Expected:
    """One count; `sign` is one of `_SIGNS`."""

    count: Count
    name: str
    sign: str
    number: int
    place: Location

    def check(self, measurement: Measurement) -> Diagnostic | None:
        """What is wrong with it."""
        found = self.count.of(measurement)
        holds, words = _SIGNS[self.sign]
        if holds(found, self.number):
            return None
        message = f"{measurement.kernel.target.name}: {self.name} {words}{self.number} expected, found {found}"
        return Diagnostic(message, self.place, hint=self.count.meaning)


@dataclass(frozen=True)
class Expectation:
    """One line: what is counted for a target, with sizes that replace those of the file's arguments."""

    target: str
    sizes: Mapping[str, int]
    expected: tuple[Expected, ...]

    @property
    def label(self) -> str:
        return ":".join([self.target, *(f"{name}={size}" for name, size in self.sizes.items())])

    @property
    def runs(self) -> bool:
        """Whether something is counted while the kernel runs."""
        return any(e.count.source == "run" for e in self.expected)

    def by_tools(self) -> Iterator[tuple[str, Expectation]]:
        """What needs no tools, and what does, each with a suffix of its label: without tools the latter is skipped."""
        for suffix, wanted in (("", False), (":tools", True)):
            some = tuple(e for e in self.expected if (e.count.source == "tools") == wanted)
            if some:
                yield suffix, replace(self, expected=some)


def expectations(source: Source) -> list[Expectation]:
    """Of a text's `expect` lines. Raises ProgramError with all that is wrong with them, where it stands."""
    wrong: list[Diagnostic] = []
    found = [_expectation(source, line, wrong) for line in EXPECTED_COUNTS.finditer(source.text)]
    if wrong:
        raise ProgramError(wrong)
    return [e for e in found if e is not None]


def _expectation(source: Source, line: re.Match[str], wrong: list[Diagnostic]) -> Expectation | None:
    start = line.start(1)
    head = _HEAD.match(line[1])
    if head is None:
        wrong.append(Diagnostic(_FORM, Location(source, line.start())))
        return None
    try:
        find_chip(head["target"])
    except UnknownTargetError as error:
        wrong.append(Diagnostic(str(error), Location(source, start + head.start("target"))))
    sizes = {name: int(size) for name, size in (word.split("=") for word in head["sizes"].split())}
    expected: list[Expected] = []
    start += head.end()
    for item in line[1][head.end() :].split(","):
        one = _expected(source, item, start, wrong)
        expected += [one] if one is not None else []
        start += len(item) + 1
    return Expectation(head["target"], sizes, tuple(expected))


def _expected(source: Source, item: str, start: int, wrong: list[Diagnostic]) -> Expected | None:
    place = Location(source, start + len(item) - len(item.lstrip()))
    parts = _EXPECTED.match(item)
    if parts is None:
        wrong.append(Diagnostic(_FORM, place))
        return None
    count = find_count(parts["name"])
    if count is None:
        hint = did_you_mean(parts["name"], COUNTS, otherwise=f"there are {', '.join(COUNTS)}, layout OP and thread OP")
        wrong.append(Diagnostic(f"nothing is counted as '{parts['name']}'", place, hint=hint))
        return None
    return Expected(count, parts["name"], parts["sign"] or "", int(parts["number"]), place)
