"""What compiling a kernel may take: the size of what LLVM is given, and LLVM's time."""

from __future__ import annotations

from collections import Counter

from ..support.argument_checks import require
from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple

LARGER = "lanewise.Budget and the options --budget-lines and --budget-seconds allow more"
SMALLER = f"smaller tiles, more threads, or a loop in place of what is unrolled take less; {LARGER}"


class BudgetError(LanewiseError, ValueError):
    """A budget lets nothing be compiled."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a kernel may take before its compilation is given up.

    `lines`: of LLVM IR in one basic block, which LLVM's time grows with the square of, or faster; counted whatever
    process LLVM runs in. `seconds`: of one of LLVM's steps (passes, machine text, object) where it runs in a process of
    its own, which is ended then: with `isolate=True`, in `validate`, and on the command line. In the caller's process,
    as `lanewise.compile` runs it by default, nothing can end LLVM, and there is no limit of time.
    """

    lines: int = 50_000
    seconds: float = 120.0

    def __post_init__(self) -> None:
        for name, limit in (("lines", self.lines), ("seconds", self.seconds)):
            require(limit, (int, float), f"a number of {name}")
            if not limit > 0:
                raise BudgetError(f"a number of {name} above 0 is expected, found {limit}")


DEFAULT = Budget()


class LongBlock(NamedTuple):
    """A basic block by its label, how many lines it has, and the mark (`!dbg` metadata) that most of them bear, by how
    many; None where none bears any."""

    label: str
    lines: int
    mark: str | None
    marked: int


def longest_block(text: str) -> LongBlock:
    """The longest block of a module's functions."""
    best, label, block = ("", list[str]()), "", list[str]()
    for line in text.split("\n"):
        if line.startswith("  "):
            block.append(line)
            continue
        if len(block) > len(best[1]):
            best = label, block
        label, block = line.partition(":")[0], []
    marks = Counter(line.rpartition(", !dbg ")[2] for line in best[1] if ", !dbg " in line)
    mark, marked = marks.most_common(1)[0] if marks else (None, 0)
    return LongBlock(best[0], len(best[1]), mark, marked)
