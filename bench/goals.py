"""The loops and kernels of rows that have goals: their instructions, and what bounds a loop after the model.

    python bench/goals.py            all of them
    python bench/goals.py gfx942     those of one chip

The model is that of `lanewise profile` (check/profile.py), of what one more iteration costs a workgroup that has the
multiprocessor to itself: two launches that differ in their iterations are counted on the emulator. Instructions are
those of the loop with the fewest for each product of matrices, of the machine code (SASS) where the assembler is
installed; where that loop has several tiles' products, of one tile. Kernels of rows (bench/rows) are to have at most
the instructions of Triton's (bench/against_triton.py), and as many bytes under way as a multiprocessor needs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from checkout import EXAMPLES, ROWS, use_checkout

use_checkout()

from lanewise.check.counts import COUNTS, Measurement  # noqa: E402
from lanewise.check.inputs import make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.check.profile import Profile  # noqa: E402
from lanewise.codegen.assemble import assembles  # noqa: E402
from lanewise.codegen.machine_text import ProductLoop  # noqa: E402
from lanewise.jit.kernel import Kernel  # noqa: E402
from lanewise.jit.kernel import compile as compile_program  # noqa: E402
from lanewise.support.diagnostics import Source  # noqa: E402
from lanewise.targets import find_chip  # noqa: E402

_FEW, _MANY = 8, 12
"""Iterations of the two launches: both fill every ring."""


def product(rows: int, columns: int, depth: int, threads: int, *, b_by_columns: bool = False) -> str:
    """`matmul_f16` with other tiles; with `b_by_columns` B is N x K."""
    tile = (columns, depth) if b_by_columns else (depth, columns)
    changes = {
        "%c32 = arith.constant 32": f"%c32 = arith.constant {depth}",
        "%c128 = arith.constant 128": f"%c128 = arith.constant {columns}",
        "%m = arith.muli %block_y, %c128": f"%rows = arith.constant {rows} : index\n  %m = arith.muli %block_y, %rows",
        "32x128x": "x".join(map(str, tile)) + "x",
        "128x32x": f"{rows}x{depth}x",
        "128x128x": f"{rows}x{columns}x",
        "array<i32: 256": f"array<i32: {threads}",
    }
    if b_by_columns:
        changes |= {
            "%B[%k, %n]": "%B[%n, %k]",
            "3, K, N)": "3, N, K)",
            "#kn = affine_map<(m, n, k) -> (k, n)>": "#kn = affine_map<(m, n, k) -> (n, k)>",
        }
    return re.sub("|".join(map(re.escape, changes)), lambda found: changes[found[0]], _text("matmul_f16"))


def staying(text: str) -> str:
    """Of as many workgroups as there are multiprocessors, which take the grid's places in turn."""
    return text.replace("kernel\n    attributes {", "kernel\n    attributes {lanewise.persist = true, ")


def _text(example: str) -> str:
    return (EXAMPLES / f"{example}.mlir").read_text(encoding="utf-8")


def attention(threads: int) -> str:
    return _text("attention").replace("array<i32: 256", f"array<i32: {threads}")


@dataclass(frozen=True)
class Goal:
    """`limit` of instructions an iteration, or for each matrix instruction; `share`: of the matrix units' rate."""

    name: str
    target: str
    text: Callable[[], str]
    sizes: Callable[[int], Mapping[str, int]]
    limit: float
    for_each: bool = False
    share: float | None = None
    fastmath: Literal["none", "approx"] = "none"


def _depth(step: int, columns: int = 128) -> Callable[[int], Mapping[str, int]]:
    return lambda trips: {"M": 128, "N": columns, "K": step * trips}


def _keys(trips: int) -> Mapping[str, int]:
    return {"H": 1, "M": 128, "N": 64 * trips, "reach": 64 * trips}


GOALS: Sequence[Goal] = (
    Goal("product 128x128x32", "sm_80", lambda: product(128, 128, 32, 128), _depth(32), 140, share=0.95),
    Goal("product 128x128x64", "sm_80", lambda: product(128, 128, 64, 256), _depth(64), 150, share=0.95),
    Goal(
        "product 128x256x64 NT",
        "sm_90a",
        lambda: product(128, 256, 64, 256, b_by_columns=True),
        _depth(64, 256),
        45,
        share=0.90,
    ),
    Goal(
        "staying 128x256x64 NT",
        "sm_90a",
        lambda: staying(product(128, 256, 64, 256, b_by_columns=True)),
        _depth(64, 256),
        45,
        share=0.90,
    ),
    Goal("product 128x128x64", "gfx942", lambda: product(128, 128, 64, 256), _depth(64), 3.5, True, 0.85),
    Goal("product 128x128x64", "gfx950", lambda: product(128, 128, 64, 256), _depth(64), 4.5, True, 0.85),
    Goal("product 128x128x64", "gfx1100", lambda: product(128, 128, 64, 256), _depth(64), float("inf"), True),
    Goal("attention 128x64", "sm_80", lambda: attention(128), _keys, 600, fastmath="approx"),
    Goal("attention 128x64", "sm_90a", lambda: attention(128), _keys, 480, fastmath="approx"),
    Goal("attention 128x64", "gfx942", lambda: attention(256), _keys, 300, fastmath="approx"),
)


@dataclass(frozen=True)
class RowGoal:
    """A kernel of `bench/rows`: instructions of Triton 3.9's for the same tile and threads, by target."""

    name: str
    element_bytes: int
    limits: Mapping[str, int]


ROW_GOALS: Sequence[RowGoal] = (
    RowGoal("softmax", 4, {"sm_80": 184, "sm_90a": 184, "gfx942": 270}),
    RowGoal("layer_norm", 4, {"sm_80": 168, "sm_90a": 176, "gfx942": 163}),
    RowGoal("rms_norm", 2, {"sm_80": 136, "sm_90a": 136, "gfx942": 158}),
)
IN_FLIGHT = 32 << 10
"""Bytes that a multiprocessor is to have under way."""
_ROW = 1024
_SIMDS = 4
"""Of a compute unit, which is AMD's multiprocessor."""


@dataclass(frozen=True)
class RowCounts:
    """`in_flight`: bytes of rows that one multiprocessor's workgroups read at once."""

    instructions: int
    registers: int
    spills: int
    in_flight: int


def row_counts(goal: RowGoal, target: str) -> RowCounts:
    """Of NVIDIA's chips those of SASS. Raises StageError without their assembler."""
    source = (ROWS / f"{goal.name}.mlir").read_text(encoding="utf-8")
    measured = Measurement(compile_program(source, target, fastmath="approx"))
    text = measured.sass if measured.kernel.target.vendor == "nvidia" else measured.text
    occupancy = measured.code.occupancy
    assert occupancy is not None, "the chips of goals are in its tables"
    subgroups = measured.compilation.kernel.threads // measured.compilation.subgroup_size
    waves = occupancy.count * (_SIMDS if occupancy.unit.endswith("SIMD") else 1)
    return RowCounts(text.size, measured.registers, measured.spills, waves // subgroups * _ROW * goal.element_bytes)


COLUMNS = ("instructions", "mma", "registers", "spills", "goal")
ROW_COLUMNS = ("instructions", "goal", "registers", "spills", "KB in flight")


def row(goal: Goal) -> str:
    source = Source(goal.text())
    kernel = compile_program(source.text, goal.target, fastmath=goal.fastmath)
    few, many = (_profile(kernel, source, goal.sizes(trips)) for trips in (_FEW, _MANY))
    assert few.bound is not None and many.bound is not None, "a product of the chip is stated"
    subgroups = kernel.compilation.kernel.threads // kernel.compilation.subgroup_size
    products = (many.counts["executed mma"] - few.counts["executed mma"]) / (_MANY - _FEW) / subgroups
    cycles = {name: n - few.bound.cycles[name] for name, n in many.bound.cycles.items()}
    del cycles["memory"]  # of arguments that a whole grid shares
    longest = max(cycles, key=cycles.__getitem__)
    loop, machine = _instructions(many)
    found = loop.instructions
    if goal.for_each:  # the loop may have the products of several tiles
        found = round(found * products / loop.products)
    limit = f"{goal.limit:g}{'/mma' * goal.for_each}" if goal.limit < float("inf") else "none"
    each = f" ({found / products:.1f}/mma)" if goal.for_each else ""
    cells = (f"{found}{each}", f"{products:.0f}", machine["registers"], machine["spills"], limit)
    share = "" if goal.share is None else f" (goal {goal.share:.0%})"
    rate = f"{cycles['matrix units'] / cycles[longest]:.0%}{share}, bound by {longest}"
    return f"{goal.name:24}{goal.target:9}" + "".join(f"{cell!s:>15}" for cell in cells) + f"  {rate}"


def _profile(kernel: Kernel, source: Source, sizes: Mapping[str, int]) -> Profile:
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    return Profile(Measurement(kernel, make_inputs(text, kernel.signature, sizes=dict(sizes))))


def _instructions(profile: Profile) -> tuple[ProductLoop, dict[str, int]]:
    measured = profile.measured
    machine = {name: COUNTS[name].of(measured) for name in ("registers", "spills")}
    text = measured.text
    if measured.kernel.target.vendor == "nvidia" and assembles(measured.kernel.target):
        text = measured.sass
    return text.product_loop, machine


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="chips (default: all that have goals)")
    options = parser.parse_args(arguments)
    show(options.targets)
    return 0


def show(targets: Sequence[str] = ()) -> None:
    print(f"{'loop':24}{'chip':9}" + "".join(f"{name:>15}" for name in COLUMNS) + "  rate of the matrix units")
    for goal in GOALS:
        if not targets or goal.target in targets:
            print(row(goal), flush=True)
    print(f"\n{'row of 1024':24}{'chip':9}" + "".join(f"{name:>15}" for name in ROW_COLUMNS))
    for each in ROW_GOALS:
        for target, limit in each.limits.items():
            if (not targets or target in targets) and _measurable(target):
                found = row_counts(each, target)
                cells = (found.instructions, limit, found.registers, found.spills, f"{found.in_flight >> 10} (32)")
                print(f"{each.name:24}{target:9}" + "".join(f"{cell!s:>15}" for cell in cells), flush=True)


def _measurable(target: str) -> bool:
    """Registers of NVIDIA's chips are the assembler's to say."""
    return find_chip(target).vendor == "amd" or assembles(find_chip(target))


if __name__ == "__main__":
    sys.exit(main())
