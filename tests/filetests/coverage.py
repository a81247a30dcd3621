"""Which filetests have which operation: printed and read back, wrong, counted, and run on which chips, by turns.

`python tests/filetests/coverage.py` prints the table."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects import load_all
from lanewise.targets import find_chip

from .sections import EXPECTED, Section, commands, operations, sections
from .turns import AGAIN, again, made, thorough

HERE = Path(__file__).parent
CHIPS = ("sm_80", "sm_90", "gfx942", "gfx1100")
"""Those that a run without a target, on sm_90, and three others tell of."""
_EXPECT = re.compile(r"^// expect \w", re.MULTILINE)
_ERROR = re.compile(r"// expected-error(?:@([+-]\d+))? \{\{")


@dataclass
class Coverage:
    """Of one operation: the files that have it, by what they do."""

    roundtrip: set[str] = field(default_factory=set[str])
    errors: set[str] = field(default_factory=set[str])
    run: dict[str, set[str]] = field(default_factory=lambda: {chip: set[str]() for chip in CHIPS})
    thorough: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """By vendor, those that run it off its alignment, and without facts."""
    again: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """By stage, those that compile it again from its text."""
    counted: set[str] = field(default_factory=set[str])
    """Those that say of a program with it what its code costs."""

    def chips(self) -> tuple[str, ...]:
        """On which it runs."""
        return tuple(chip for chip in CHIPS if self.run[chip])


@functools.cache
def coverage() -> Mapping[str, Coverage]:
    """By operation, every registered one; of runs those that are made without `--thorough`."""
    load_all()
    found = {name: Coverage() for name in REGISTRY}
    for path in sorted(HERE.glob("**/*.mlir")):
        text = path.read_text(encoding="utf-8")
        reads_back = any(command == "roundtrip" for command, _ in commands(text))
        for section in sections(text):
            wrong = _wrong_rows(section.text)
            for operation, rows in operations(section.text).items():
                if operation in found:
                    if rows & wrong:
                        found[operation].errors.add(str(path.relative_to(HERE)))
                    _enter(found[operation], path, section, reads_back)
    return found


def _enter(known: Coverage, path: Path, section: Section, reads_back: bool) -> None:
    name = str(path.relative_to(HERE))
    if reads_back:
        known.roundtrip.add(name)
    if _EXPECT.search(section.text):
        known.counted.add(name)
    if EXPECTED.search(section.text):
        return
    runs = made().get((path, section.number), ())
    for run in runs:
        known.run.setdefault(run.chip, set()).add(name)
        if run in thorough():
            known.thorough.setdefault(find_chip(run.chip).vendor, set()).add(name)
    for stage in AGAIN:
        if ((path, section.number), stage) in again():
            known.again.setdefault(stage, set()).add(name)


def _wrong_rows(section: str) -> set[int]:
    return {
        number + int(match[1] or 0)
        for number, line in enumerate(section.splitlines())
        for match in _ERROR.finditer(line)
    }


def _lines() -> Iterator[str]:
    for name, known in sorted(coverage().items()):
        marks = "roundtrip" if known.roundtrip else "-", "error" if known.errors else "-"
        counted = "counted" if known.counted else "-"
        yield f"{name:44} {marks[0]:10} {marks[1]:6} {counted:8} {' '.join(known.chips()) or '-'}"


if __name__ == "__main__":
    print("\n".join(_lines()))
