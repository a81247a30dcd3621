"""What one launch counted of each instruction, and of each line that instructions come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ..support.named_tuples import NamedTuple
from .links import Chain, Text


class LineCount(NamedTuple):
    """Instructions that subgroups executed, sectors of global memory, and passes through shared memory beyond the
    least; `instructions` says of how many of the machine text."""

    executed: int
    sectors: int
    conflicts: int
    instructions: int = 1

    def plus(self, other: LineCount) -> LineCount:
        return LineCount(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def words(self) -> str:
        """For the panel."""
        of = f" ({self.instructions} of the machine text)" if self.instructions > 1 else ""
        parts = [f"{self.executed:,} instructions executed by subgroups{of}"]
        parts += [f"{self.sectors:,} sectors of global memory"] * bool(self.sectors)
        parts += [f"{self.conflicts:,} passes through shared memory beyond the least"] * bool(self.conflicts)
        return ", ".join(parts)


Lines: TypeAlias = Mapping[int, LineCount]
"""By line, from 0."""


def in_all_texts(chain: Chain, machine: str, counted: Lines) -> dict[str, dict[int, LineCount]]:
    """The counts of the machine text `machine` beside its own lines and all lines that those come from: each has what
    all its instructions together have."""
    texts = {text.key: text for text in chain.texts}
    found: dict[str, dict[int, LineCount]] = {machine: dict(counted)}
    text = texts[machine]
    reached: dict[int, set[int]] = {line: {line} for line in counted}
    while text.parent:
        above = texts[text.parent]
        reached = _above(text, reached)
        rows = _rows(above, reached)
        found[above.key] = {row: _sum(counted[line] for line in lines) for row, lines in rows.items()}
        text = above
    return found


def _above(text: Text, reached: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """The lines of the machine text that come from each line, or part, of the text above."""
    found: dict[int, set[int]] = {}
    for row, lines in reached.items():
        for number in text.up[row]:
            found.setdefault(number, set()).update(lines)
    return found


def _rows(text: Text, reached: Mapping[int, set[int]]) -> Mapping[int, set[int]]:
    """By lines of the text, where it is one with parts."""
    if not text.spans:
        return reached
    found: dict[int, set[int]] = {}
    for number, lines in reached.items():
        for row in {span.line for span in text.spans[number]}:
            found.setdefault(row, set()).update(lines)
    return found


def _sum(counts: Iterable[LineCount]) -> LineCount:
    total = LineCount(0, 0, 0, 0)
    for count in counts:
        total = total.plus(count)
    return total
