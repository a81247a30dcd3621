"""Which filetests have which operation: printed and read back, wrong, counted, and run on which chips.

`python tests/filetests/coverage.py` prints the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects import load_all

HERE = Path(__file__).parent
CHIPS = ("sm_80", "sm_90", "gfx942", "gfx1100")
"""Those that a run without a target, on sm_90, and three others tell of."""
_SEPARATOR = re.compile(r"^// -----[ \t]*\n", re.MULTILINE)
_COMMAND = re.compile(r"^// test (\w+)(.*)$", re.MULTILINE)
_NAME = re.compile(r"(?<![\w.$#!@%])\"?([a-z_]+\.[a-z_0-9.]+)\"?(?![\w$])")
_EXPECT = re.compile(r"^// expect \w", re.MULTILINE)
_ERROR = re.compile(r"// expected-error(?:@([+-]\d+))? \{\{")


@dataclass
class Coverage:
    """Of one operation: the files that have it, by what they do."""

    roundtrip: set[str] = field(default_factory=set[str])
    errors: set[str] = field(default_factory=set[str])
    run: dict[str, set[str]] = field(default_factory=lambda: {chip: set[str]() for chip in CHIPS})
    counted: set[str] = field(default_factory=set[str])
    """Those that say of a program with it what its code costs."""

    def chips(self) -> tuple[str, ...]:
        """On which it runs."""
        return tuple(chip for chip, files in self.run.items() if files)


def coverage() -> dict[str, Coverage]:
    """By operation, every registered one."""
    load_all()
    found = {name: Coverage() for name in REGISTRY}
    for path in sorted(HERE.glob("**/*.mlir")):
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(HERE))
        commands = [(m[1], _target(m[2])) for m in _COMMAND.finditer(text)]
        for section in _SEPARATOR.split(text):
            _enter(found, name, section, commands)
    return found


def _target(options: str) -> str:
    return next((word.removeprefix("target=") for word in options.split() if word.startswith("target=")), "sm_90")


def _enter(found: dict[str, Coverage], name: str, section: str, commands: list[tuple[str, str]]) -> None:
    for operation, rows in _operations(section).items():
        known = found.get(operation)
        if known is None:
            continue
        for command, target in commands:
            if command == "roundtrip":
                known.roundtrip.add(name)
            elif command == "run" and target in known.run:
                known.run[target].add(name)
        if rows & _wrong_rows(section):
            known.errors.add(name)
        if _EXPECT.search(section):
            known.counted.add(name)


def _operations(section: str) -> dict[str, set[int]]:
    """The operations of a program, and their rows."""
    rows: dict[str, set[int]] = {}
    for number, line in enumerate(section.splitlines()):
        for match in _NAME.finditer(line.partition("//")[0]):
            rows.setdefault(match[1], set()).add(number)
    return rows


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
