"""Static and emulated counts of every example's code, in one table that two versions of the compiler can share.

    python bench/counts.py                        print the table, write bench/results/counts.json
    python bench/counts.py --compare OLD [NEW]    what became worse, what better; exit code 1 where anything is worse
    python bench/counts.py --check                the same with the recorded table; exit code 1 where by more than 5 %,
                                                  where products left the matrix unit, or cases differ

Counts are those of `lanewise.check.counts`. Where the assembler is installed, instructions of NVIDIA's chips are those
of the machine code (SASS), else they are left out: PTX has no registers, so its instructions say little. "loop text" is
the number of instructions in loops of the emitted text, assembler or not, which tests/test_bench_counts.py holds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from checkout import EXAMPLES, RESULTS, use_checkout

use_checkout()

from lanewise.check.counts import COUNTS, Measurement  # noqa: E402
from lanewise.check.inputs import make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.codegen.assemble import assembles  # noqa: E402
from lanewise.codegen.machine_text import MachineText  # noqa: E402
from lanewise.jit.kernel import compile as compile_program  # noqa: E402
from lanewise.jit.program_text import read_source  # noqa: E402

VARIANTS = ("fitting", "general")
"""The code that the examples' own arguments get, and the code that knows nothing of its arguments."""
TARGETS = ("sm_80", "sm_90", "gfx942", "gfx1100")
COUNTED = (
    "registers",
    "spills",
    "instructions",
    "loop instructions",
    "loop text",
    "mma",
    "shuffles",
    "barriers",
    "conversions",
    "loop conversions",
    "loads",
    "stores",
    "sectors",
    "wavefronts",
    "bank conflicts",
    "shared bytes",
)
"""Less is better, but for `mma`, whose number a better program keeps."""
NEUTRAL = {"mma"}
TOLERANCE = 0.05
FILE = RESULTS / "counts.json"
Row: TypeAlias = Mapping[str, int]
Table: TypeAlias = dict[str, Row]


def measured(program: str, target: str, variant: str) -> Measurement:
    source = read_source(EXAMPLES / f"{program}.mlir")
    kernel = compile_program(source.text, target)
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    return Measurement(kernel, make_inputs(text, kernel.signature), general=variant == "general")


def row(program: str, target: str, variant: str) -> Row:
    """The counts of one example for one chip."""
    measurement = measured(program, target, variant)
    kernel = measurement.kernel
    amd, tools = kernel.target.vendor == "amd", assembles(kernel.target)
    counted = [name for name in COUNTED if name in COUNTS and (tools or COUNTS[name].source != "tools" or amd)]
    found = {name: COUNTS[name].of(measurement) for name in counted} | {"loop text": measurement.text.in_loops}
    if amd:
        return found
    if not tools:
        return {name: n for name, n in found.items() if "instructions" not in name}
    sass = MachineText(measurement.code.sass, "sass")
    return found | {"instructions": sass.size, "loop instructions": sass.in_loops}


def measure() -> Table:
    programs = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
    cases = ((program, target, variant) for program in programs for target in TARGETS for variant in VARIANTS)
    return {" ".join(case): row(*case) for case in cases}


def show(table: Table) -> None:
    width = max(map(len, table))
    print(" " * width + "".join(f" {name.replace(' ', '-'):>{_wide(name)}}" for name in COUNTED))
    for case, counts in table.items():
        cells = (f" {counts.get(name, '-'):>{_wide(name)}}" for name in COUNTED)
        print(f"{case:{width}}" + "".join(cells))


def _wide(name: str) -> int:
    return max(6, len(name))


def differences(old: Table, new: Table) -> Iterator[tuple[str, str, int, int]]:
    """Case, count, old and new number, where they differ and both have them."""
    for case, counts in new.items():
        before = old.get(case, {})
        for name, number in counts.items():
            if name in before and before[name] != number:
                yield case, name, before[name], number


def compare(old: Table, new: Table) -> int:
    """Prints what differs; how many counts became worse."""
    worse = 0
    for case, name, before, now in differences(old, new):
        verdict = "differs" if name in NEUTRAL else "worse" if now > before else "better"
        worse += verdict == "worse"
        print(f"{verdict:8}{case:28}{name:20}{before:>8} -> {now:<8}")
    for case in sorted(old.keys() ^ new.keys()):
        print(f"only in one table: {case}")
    print(f"{worse} counts are worse")
    return worse


def check(old: Table, new: Table) -> int:
    """How many counts are worse by more than `TOLERANCE`, or have fewer products on matrix units, or have no partner;
    prints all that differ."""
    compare(old, new)
    found = [
        (name, before, now)
        for _, name, before, now in differences(old, new)
        if (now < before if name in NEUTRAL else now > before * (1 + TOLERANCE))
    ]
    regressions = len(found) + len(old.keys() ^ new.keys())
    print(f"{regressions} regressions over {TOLERANCE:.0%}")
    return regressions


def _read(path: Path) -> Table:
    table: Table = json.loads(path.read_text(encoding="utf-8"))
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=FILE, help=f"where to write the table (default: {FILE.name})")
    parser.add_argument("--compare", type=Path, nargs="+", metavar="TABLE", help="an old table; a new one if not now's")
    parser.add_argument("--check", action="store_true", help="fail on regressions against the recorded table")
    options = parser.parse_args(arguments)
    if options.compare and len(options.compare) > 1:
        return bool(compare(_read(options.compare[0]), _read(options.compare[1])))
    table = measure()
    if options.check:
        return bool(check(_read(FILE), table))
    if options.compare:
        return bool(compare(_read(options.compare[0]), table))
    show(table)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
