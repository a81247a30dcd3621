"""The hot loops of goals in the model of time: cycles of an iteration, matrix units, what waits for what.

    python bench/loop_times.py            all of them
    python bench/loop_times.py gfx942     those of some chips

A model, which ran on no device (docs/performance.md). With one workgroup on a multiprocessor, and with as many as fit;
near: loads come from L2. Nothing is launched, so there are no bank conflicts in it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from checkout import use_checkout

use_checkout()

from goals import GOALS, Goal, attention  # noqa: E402
from lanewise.check.hot_loop import HotLoop, Untimed, hot_loop  # noqa: E402
from lanewise.jit.kernel import compile as compile_program  # noqa: E402

MORE: Sequence[Goal] = (
    Goal("attention 128x64", "gfx950", lambda: attention(256), lambda trips: {}, 0, fastmath="approx"),
)
"""Loops that have no goal of instructions."""
HEAD = (
    "| loop | chip | instructions, products | cycles alone (from memory) | matrix units |"
    " cycles of several (how many) | matrix units | waits most, alone |"
)


def rows(goal: Goal) -> Iterator[str]:
    kernel = compile_program(goal.text(), goal.target, fastmath=goal.fastmath)
    variant = kernel.variant(kernel.best_facts)
    alone, full = hot_loop(variant, workgroups=1), hot_loop(variant)
    if isinstance(alone, Untimed) or isinstance(full, Untimed):
        yield f"| {goal.name} | {goal.target} | {alone.reason if isinstance(alone, Untimed) else ''} |"
        return
    time, several = alone.time, full.time
    most = next((w.words for w in alone.waiting if w.line), "")
    cells = [
        goal.name,
        goal.target,
        f"{time.instructions}, {time.products}",
        f"{time.cycles:,.0f} ({alone.far_cycles:,.0f})",
        f"{time.matrix:.0%}",
        _several(full),
        f"{several.matrix:.0%}" if several.groups > 1 else "",
        f"{next((w.cycles for w in alone.waiting if w.line), 0):,.0f} {most}",
    ]
    yield f"| {' | '.join(cells)} |"


def _several(full: HotLoop) -> str:
    time = full.time
    return f"{time.cycles:,.0f} ({time.groups})" if time.groups > 1 else "only one fits"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="chips (default: all that have goals)")
    options = parser.parse_args(arguments)
    print(HEAD, "|---" * 8 + "|", sep="\n")
    for goal in (*GOALS, *MORE):
        if not options.targets or goal.target in options.targets:
            for row in rows(goal):
                print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
