"""The file of results: every planned case is in it from the beginning, and it is complete JSON at every moment."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isolated import Failure

NOT_RUN = "NOT RUN"


class Results:
    """A document with one entry a case, written after each. Entries have at least `verdict`; `right` is the good one.

    Args:
        place: The file.
        head: What stands before the cases.
        cases: What is planned, each with what names it.
    """

    def __init__(self, place: Path, head: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> None:
        self.place = place
        self._head = dict(head)
        self.entries: list[dict[str, Any]] = [dict(case) | {"verdict": NOT_RUN} for case in cases]
        self.write()

    def put(self, index: int, found: Mapping[str, Any] | Failure, seconds: float) -> dict[str, Any]:
        """The result of a case, and how long that took with all around it; returns its whole entry."""
        self.entries[index] |= describe(found) if isinstance(found, Failure) else found
        self.entries[index]["took"] = round(seconds, 3)
        self.write()
        return self.entries[index]

    def write(self, **head: Any) -> None:
        """The document as it is now; `head` replaces entries of the head."""
        self._head |= head
        ok = all(entry["verdict"] == "right" for entry in self.entries)
        text = json.dumps(self._head | {"ok": ok, "results": self.entries}, indent=1, allow_nan=False)
        self.place.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.place.with_name(self.place.name + ".unfinished")
        unfinished.write_text(text + "\n")
        os.replace(unfinished, self.place)

    def summary(self) -> list[str]:
        """How many cases have which verdict, and the names of those that were not run."""
        counts = Counter(entry["verdict"] for entry in self.entries)
        shown = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        missing = [name_of(entry) for entry in self.entries if entry["verdict"] == NOT_RUN]
        lines = [f"{len(self.entries)} cases: {shown}; written to {self.place}"]
        return lines + ([f"not run: {', '.join(missing)}"] if missing else [])

    @property
    def exit_code(self) -> int:
        """0: all is right; 1: something is not; 3: all that was run is right, but not everything was run."""
        verdicts = {entry["verdict"] for entry in self.entries}
        return 1 if verdicts - {"right", NOT_RUN} else 3 if NOT_RUN in verdicts else 0


def describe(failure: Failure) -> dict[str, Any]:
    found = {"verdict": failure.verdict, "reason": failure.reason, "doing": failure.doing}
    return found | ({"traceback": failure.traceback.splitlines()} if failure.traceback else {})


def name_of(case: Mapping[str, Any]) -> str:
    """`sm_90 softmax M=3 N=77 exact`."""
    sizes = [f"{name}={size}" for name, size in case["sizes"].items()]
    words = [case.get("target", ""), case["program"], *sizes, case.get("data", "")]
    return " ".join(filter(None, words))
