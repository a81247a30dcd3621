"""`lanewise owners`: who holds an element of a value, or which element somebody holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from ..show.laid_out import Vector, laid_out_alike
from ..support.diagnostics import LanewiseError
from .laid_out import read_laid_out


def execute(options: argparse.Namespace) -> int:
    inverse = options.thread is not None or options.register is not None
    if inverse and (options.thread is None or options.register is None or options.element):
        raise LanewiseError("an element is expected, as in `3 17`, or --thread T and --register R together without one")
    laid_out, other = read_laid_out(options)
    found = [value for value in laid_out.called(options.value) if isinstance(value, Vector)]
    if not found:
        raise LanewiseError(f"'{options.value}' is a buffer of shared memory: nobody holds its elements in registers")
    answers = [_answer(options, group, inverse) for group in laid_out_alike(found)]
    print(json.dumps([data for data, _ in answers], indent=2) if options.json else "\n".join(w for _, w in answers))
    if other:
        print(f"note: this is {other}", file=sys.stderr)
    return 0


def _answer(options: argparse.Namespace, alike: Sequence[Vector], inverse: bool) -> tuple[dict[str, object], str]:
    """One answer for all values that are laid out alike, as data and in words."""
    owners = alike[0].owners
    element = owners.element(options.thread, options.register) if inverse else tuple(options.element)
    holders = owners.holders(element)
    names = ", ".join(f"{v.name} ({v.place})" for v in alike)
    shown = f"{names}: {alike[0].value.type}, element [{', '.join(map(str, element))}]"
    lines = [f"  {holder}" for holder in holders] or ["  nobody: it stays in memory"]
    data: dict[str, object] = {
        "values": [v.name for v in alike],
        "element": element,
        "owners": [holder._asdict() for holder in holders],
    }
    return data, "\n".join((shown, *lines))
