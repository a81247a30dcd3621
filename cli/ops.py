"""`lanewise ops`: which layer has a rule for which operation, and the stated reason where one needs none."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..codegen import all_rules as emit_rules
from ..codegen.emit.emit_rules import emit_reason, emit_rule
from ..distribute import rules as distribution_rules
from ..distribute.context import DISTRIBUTE
from ..ir.core import REGISTRY, Operation
from ..ir.dialects import load_all
from ..ir.did_you_mean import did_you_mean
from ..ir.rule_table import RuleTable
from ..layout import rules as layout_rules
from ..layout.transfer import TRANSFER
from ..reference.closures import EVALUATE
from ..reference.evaluate import RULES
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from ..targets.chip import Vendor
from .tables import WIDTH, print_table

assert all((emit_rules, distribution_rules, layout_rules, RULES))  # importing them fills the tables
RULE, HOLE = "rule", "HOLE"


class Row(NamedTuple):
    """One operation. Each layer has a rule, a hole, or the reason why it needs none."""

    operation: str
    meaning: str
    layout: str
    thread: str
    nvidia: str
    amd: str

    @property
    def has_hole(self) -> bool:
        return HOLE in self


def execute(options: argparse.Namespace) -> int:
    rows = [row for row in matrix() if row.operation.startswith(options.prefix)]
    if not rows:
        hint = did_you_mean(options.prefix.rstrip("."), {name.partition(".")[0] for name in REGISTRY})
        raise LanewiseError(f"no operation begins with '{options.prefix}'" + (f"\nhint: {hint}" if hint else ""))
    if options.holes:
        rows = [row for row in rows if row.has_hole]
    if options.json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
        return 0
    notes = _numbered(rows)
    print_table(Row._fields, [[notes.get(cell, cell) for cell in row] for row in rows])
    holes = sum(cell == HOLE for row in rows for cell in row)
    print(f"{len(rows)} operations, {holes} holes")
    for reason, number in notes.items():
        print(textwrap.fill(f"{number} {reason}", WIDTH, subsequent_indent=" " * (len(number) + 1)))
    return 0


def _numbered(rows: Sequence[Row]) -> dict[str, str]:
    """A footnote's number for each reason, in order of appearance: reasons are sentences, which no column holds."""
    reasons = dict.fromkeys(cell for row in rows for cell in row[1:] if cell not in (RULE, HOLE))
    return {reason: f"({number})" for number, reason in enumerate(reasons, 1)}


def matrix() -> list[Row]:
    """Every operation, by name."""
    load_all()
    return [Row(name, *(_cell(layer, REGISTRY[name]) for layer in _LAYERS.values())) for name in sorted(REGISTRY)]


Layer = Callable[[type[Operation]], tuple[bool, str | None]]
"""Whether there is a rule, and the reason why there is none."""


def _cell(layer: Layer, cls: type[Operation]) -> str:
    has_rule, reason = layer(cls)
    return RULE if has_rule else reason or HOLE


def _of(table: RuleTable[Any]) -> Layer:
    return lambda cls: (table.get(cls) is not None, table.reason(cls))


def _reference(cls: type[Operation]) -> tuple[bool, str | None]:
    """A meaning on arrays that stands on the class, or a rule of the evaluator for control flow and memory."""
    own = cls.reference is not Operation.reference or cls.terminator
    return own or EVALUATE.get(cls) is not None, EVALUATE.reason(cls)


def _emit(vendor: Vendor) -> Layer:
    return lambda cls: (emit_rule(cls, vendor) is not None, emit_reason(cls, vendor))


_LAYERS: Mapping[str, Layer] = {
    "meaning": _reference,
    "layout": _of(TRANSFER),
    "thread": _of(DISTRIBUTE),
    "nvidia": _emit("nvidia"),
    "amd": _emit("amd"),
}
