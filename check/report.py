"""The verdict of a validation: what each run of each executor left, as values, text and JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, cast

import numpy as np

from ..jit.device import Dim3
from ..support.dataclasses import dataclass, field
from ..support.diagnostics import Diagnostic
from .compare import Comparison

Verdict = Literal["right", "WRONG", "not judged"]


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Wrong if one is; right if all are."""
    found = set(verdicts)
    return "WRONG" if "WRONG" in found else "not judged" if "not judged" in found else "right"


@dataclass(frozen=True)
class Untouched:
    """Elements of a buffer that the program reads nowhere, though it reads others, or writes nowhere.

    `by_data`: what the program read says which elements it accesses, so that those left say nothing of the grid.
    `first_unwritten`: the first element that is written nowhere.
    """

    buffer: str
    elements: int
    unread: int
    unwritten: int
    by_data: bool = False
    first_unwritten: tuple[int, ...] = ()

    def findings(self) -> Iterator[str]:
        for count, verb in ((self.unread, "read"), (self.unwritten, "written")):
            if count:
                yield f"buffer '{self.buffer}': {count} of {self.elements} elements are {verb} by nobody"


@dataclass(frozen=True)
class Check:
    """One run of an executor. `against` names the executor whose result it was compared with."""

    executor: str
    where: str
    run: str
    against: str
    seconds: float
    preparation: float
    comparisons: tuple[Comparison, ...]
    problems: tuple[str, ...] = ()
    writers: dict[str, str] = field(default_factory=dict[str, str])
    """Who wrote the first wrong element of a buffer, where the executor can tell."""
    unjudged: str = ""
    """Why the run says nothing about the kernel: the executor could not do it, or the reference does not know."""
    printed: str = ""
    """What the kernel printed."""
    untouched: tuple[Untouched, ...] = ()
    """What the program leaves alone on this grid: of the reference."""
    diagnostic: Diagnostic | None = field(default=None, repr=False)
    """What the reference stopped at, which is the problem in words."""

    @property
    def verdict(self) -> Verdict:
        if self.unjudged:
            return "not judged"
        return "WRONG" if self.problems or not all(c.ok for c in self.comparisons) else "right"

    @property
    def ok(self) -> bool:
        return self.verdict == "right"

    @property
    def max_ulps(self) -> int:
        return max((c.max_ulps for c in self.comparisons), default=0)

    @property
    def undecided(self) -> int:
        """Elements that nothing is said about, since they depend on a comparison that rounding may turn."""
        return sum(c.undecided for c in self.comparisons)

    def findings(self) -> Iterator[str]:
        """What is wrong, unknown or left out, one line each."""
        label = f"{self.executor} ({self.run})" if self.run else self.executor
        if self.unjudged:
            yield f"{label}: not judged: {self.unjudged}"
            return
        yield from (f"{label}: {problem}" for problem in self.problems)
        yield from (f"{label}: {finding}" for buffer in self.untouched for finding in buffer.findings())
        for c in self.comparisons:
            if c.undecided:
                yield f"{label}: buffer '{c.buffer}': {c.undecided} of {c.elements} elements undecided: {_UNDECIDED}"
            if c.first is not None:
                count = f"{c.mismatches} of {c.elements} elements differ from {self.against}"
                writer = f", {self.writers[c.buffer]}" if c.buffer in self.writers else ""
                yield f"{label}: buffer '{c.buffer}': {count}, allowed: {c.allowed}; first {c.first}{writer}"


_UNDECIDED = "they are undefined, or depend on a comparison, a step or an overflow that rounding may turn"


@dataclass(frozen=True)
class Report:
    """The verdict on one kernel with one set of arguments."""

    kernel: str
    target: str
    grid: Dim3
    arguments: tuple[str, ...]
    checks: tuple[Check, ...]
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    """Executors that this machine has not, and why."""
    lacking: tuple[str, ...] = ()
    """Where the grid covers less than what a kernel in Python writes, along which axis and by how much."""

    @property
    def verdict(self) -> Verdict:
        """Wrong if anything is; right if everything that was to run could be judged."""
        return worst(check.verdict for check in self.checks)

    @property
    def ok(self) -> bool:
        return self.verdict == "right"

    @property
    def max_ulps(self) -> int:
        return max((check.max_ulps for check in self.checks), default=0)

    @property
    def unwritten(self) -> str:
        """What the program writes nowhere, in words: no fault of the kernel, but maybe one of the launch.

        Buffers whose elements are chosen by what the program read, as bins of a histogram, are left out.
        """
        return self._left("unwritten")

    @property
    def unread(self) -> str:
        """What it reads nowhere, though it reads other elements of the buffer."""
        return self._left("unread")

    def _left(self, what: Literal["unread", "unwritten"]) -> str:
        found = ((u, getattr(u, what)) for check in self.checks for u in check.untouched if not u.by_data)
        return ", ".join(f"{count} of {u.elements} elements of '{u.buffer}'" for u, count in found if count)

    @property
    def first_difference(self) -> Check | None:
        """The first run that is not right, in the order from the program's meaning to the hardware."""
        return next((check for check in self.checks if not check.ok), None)

    def as_dict(self) -> dict[str, Any]:
        """Plain data; what is no number in JSON (NaN, infinities) stands as text."""
        data: dict[str, Any] = {"ok": self.ok, "verdict": self.verdict, "max_ulps": self.max_ulps}
        data |= dataclasses.asdict(self)
        for entry, check in zip(data["checks"], self.checks, strict=True):
            del entry["diagnostic"]
            entry |= {"ok": check.ok, "verdict": check.verdict}
        return cast("dict[str, Any]", _json_numbers(data))

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2, allow_nan=False)

    def __str__(self) -> str:
        lines = [f"@{self.kernel} for {self.target}, grid {self.grid}: {self.verdict}"]
        for check in self.checks:
            label = f"{check.executor} {check.run}".strip()
            lines.append(f"  {label:40} {check.verdict:10} {check.max_ulps} ulps {check.seconds:.3f} s")
        lines += [f"  the grid covers too little: {lack}" for lack in self.lacking]
        lines += [f"  {name}: skipped, {reason}" for name, reason in self.skipped.items()]
        lines += [f"  {finding}" for check in self.checks for finding in check.findings()]
        return "\n".join(lines)


def _json_numbers(value: object) -> object:
    if isinstance(value, dict):
        return {str(k): _json_numbers(v) for k, v in cast("dict[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_json_numbers(v) for v in cast("Sequence[object]", value)]
    return repr(value) if isinstance(value, float) and not np.isfinite(value) else value
