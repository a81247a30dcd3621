"""Products of many types, forms and tiles, and kernels of rows: instructions for the same work, ours and Triton's.

    python bench/sweep.py                         prints the table, worst programs first, and writes its record
    python bench/sweep.py CHIP... [--only TEXT]   of some chips, or of programs whose name has TEXT; writes nothing
    python bench/sweep.py --values [CHIP...]      launches each program on the emulator and compares with the reference

A product is compared by its loop: instructions a warp executes for one tile of K. Of the loops of the machine text that
with the fewest for a multiply-add counts: in a specialised kernel the loop of those who multiply. A kernel of rows is
compared as a whole. Ours are compiled for the most that a launch may know (addresses and extents divisible
by 16, offsets of 32 bits), where `odd` does not say otherwise, with approximate functions: what Triton takes for
granted. NVIDIA's instructions are those of the machine code: they need the extra `isa`. Triton's numbers are counted
where it is installed, and kept from the record where it is not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import TypeAlias

from checkout import RESULTS, use_checkout

use_checkout()

from lanewise.check.counts import Measurement  # noqa: E402
from lanewise.check.inputs import make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.check.validate import validate  # noqa: E402
from lanewise.codegen.assemble import assembles  # noqa: E402
from lanewise.codegen.machine_text import MachineText  # noqa: E402
from lanewise.jit.kernel import compile as compile_program  # noqa: E402
from lanewise.support.diagnostics import LanewiseError, Source  # noqa: E402
from lanewise.targets import find_chip  # noqa: E402
from multiply_adds import multiply_adds  # noqa: E402
from sweep_programs import PROGRAMS, Product, Program  # noqa: E402

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx950")
FILE = RESULTS / "sweep.json"


@dataclass(frozen=True)
class Found:
    """`work`: instructions of a warp for one tile of K, or of the whole kernel of a row; `error`: why there is none."""

    work: float | None = None
    instructions: int | None = None
    registers: int | None = None
    spills: int | None = None
    error: str | None = None


Table: TypeAlias = dict[str, dict[str, Found]]
"""By the program's and the chip's name: of each compiler."""


def threads(program: Program, target: str) -> int:
    """As many as Triton takes: its warps are waves of 64 on AMD's chips of data centres, half as many of them."""
    return 32 * program.warps if find_chip(target).vendor == "nvidia" else max(32 * program.warps, 64)


def work(program: Program, target: str, text: MachineText) -> float:
    """What `Found.work` says. ValueError where no loop of a product multiplies."""
    if not isinstance(program, Product):
        return text.size
    chip = find_chip(target)
    m, n, k = program.tile
    warps = threads(program, target) // (32 if chip.vendor == "nvidia" else 64)
    loops = [(len(loop), multiply_adds(loop, chip.vendor)) for loop in text.loops]
    costs = [size / products for size, products in loops if products]
    if not costs:
        raise ValueError("no loop multiplies")
    return round(min(costs) * m * n * k / warps, 1)


def ours(program: Program, target: str) -> Found:
    chip = find_chip(target)
    try:
        kernel = compile_program(program.text(threads(program, target)), target, fastmath="approx")
        odd = isinstance(program, Product) and program.odd
        measured = Measurement(kernel, general=odd)
        text = measured.sass if chip.vendor == "nvidia" else measured.text
        return Found(work(program, target, text), text.size, measured.registers, measured.spills)
    except (LanewiseError, ValueError) as error:
        return Found(error=str(error).splitlines()[0])


def measure(targets: Sequence[str], names: Sequence[str], old: Table, note: Callable[[str], None]) -> Table:
    theirs = _triton()
    table: Table = {}
    for target in targets:
        if find_chip(target).vendor == "nvidia" and not assembles(find_chip(target)):
            raise SystemExit(f"{target}: its instructions are those of the machine code; install the extra `isa`")
        for name in names:
            program, case = PROGRAMS[name], f"{name} {target}"
            row = {"lanewise": ours(program, target)}
            if theirs is not None:
                row["triton"] = theirs(program, target)
            elif (kept := old.get(case, {}).get("triton")) is not None:
                row["triton"] = kept
            table[case] = row
            note(case)
    return table


def _triton() -> Callable[[Program, str], Found] | None:
    try:
        import triton  # noqa: F401
    except ModuleNotFoundError:
        return None
    from sweep_triton import theirs

    return theirs


def ratio(row: Mapping[str, Found]) -> float | None:
    mine, other = row["lanewise"].work, row.get("triton", Found()).work
    return None if mine is None or other is None else mine / other


def show(table: Table) -> Iterator[str]:
    """Lines of the table, worst ratio first, then those without one, then each chip's geometric mean."""
    wide = max(map(len, table), default=0)
    yield f"{'program':{wide}}{'ours':>10}{'Triton':>10}{'ratio':>8}{'registers':>14}{'spills':>12}"
    for case, row in sorted(table.items(), key=lambda item: (-(ratio(item[1]) or 0), item[0])):
        mine, other, r = row["lanewise"], row.get("triton", Found()), ratio(row)
        cells = f"{_number(mine.work):>10}{_number(other.work):>10}{'-' if r is None else f'{r:.2f}':>8}"
        registers = f"{_number(mine.registers)} / {_number(other.registers)}"
        spills = f"{_number(mine.spills)} / {_number(other.spills)}"
        why = "; ".join(f"{who}: {found.error}" for who, found in row.items() if found.error)
        yield f"{case:{wide}}{cells}{registers:>14}{spills:>12}  {why}".rstrip()
    for target in TARGETS:
        ratios = [r for case, row in table.items() if case.endswith(f" {target}") and (r := ratio(row)) is not None]
        if ratios:
            above = sum(r > 1 for r in ratios)
            mean = statistics.geometric_mean(ratios)
            worst = max(ratios)
            yield f"{target}: {len(ratios)} programs, geometric mean {mean:.2f}, {above} above 1, worst {worst:.2f}"


def _number(number: float | None) -> str:
    return "-" if number is None else f"{number:g}"


def read() -> Table:
    """The record."""
    table = json.loads(FILE.read_text(encoding="utf-8"))["programs"]
    return {case: {who: Found(**found) for who, found in row.items()} for case, row in table.items()}


def _triton_version() -> str:
    """Of the Triton that counted: the installed one, else that of the record."""
    try:
        return metadata.version("triton")
    except metadata.PackageNotFoundError:
        return str(json.loads(FILE.read_text(encoding="utf-8"))["triton"]) if FILE.exists() else ""


def write(table: Table, triton: str) -> None:
    rows = {
        case: {who: {k: v for k, v in asdict(found).items() if v is not None} for who, found in row.items()}
        for case, row in table.items()
    }
    lines = ",\n".join(f"    {json.dumps(case)}: {json.dumps(row)}" for case, row in rows.items())
    text = f'{{\n  "triton": {json.dumps(triton)},\n  "programs": {{\n{lines}\n  }}\n}}\n'
    FILE.write_text(text, encoding="utf-8")


def values(targets: Sequence[str], names: Sequence[str]) -> int:
    """Launches on the emulator; how many programs are wrong or do not run."""
    wrong = 0
    for target in targets:
        for name in names:
            source = Source(PROGRAMS[name].text(threads(PROGRAMS[name], target)))
            try:
                kernel = compile_program(source.text, target, fastmath="approx")
                text = inputs_of(read_comments(source), kernel.name)
                assert text is not None
                inputs = make_inputs(text, kernel.signature)
                report = validate(kernel, inputs.grid, *inputs.arguments, on="emulated")
                said = "right" if report.ok else str(report)
            except LanewiseError as error:
                said = str(error)
            wrong += said != "right"
            print(f"{name} {target}: {said}", flush=True)
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help=f"chips (default: {', '.join(TARGETS)})")
    parser.add_argument("--only", default="", help="programs whose name has this")
    parser.add_argument("--values", action="store_true", help="run them instead, on the emulator")
    options = parser.parse_args(arguments)
    targets, names = options.targets or TARGETS, [name for name in PROGRAMS if options.only in name]
    if options.values:
        return min(values(targets, names), 1)
    table = measure(targets, names, read() if FILE.exists() else {}, lambda case: print(case, file=sys.stderr))
    print("\n".join(show(table)))
    if not options.targets and not options.only:
        write(table, _triton_version())
    return 0


if __name__ == "__main__":
    sys.exit(main())
