"""EMIT: what each operation of the thread stage becomes in LLVM text, or why it becomes nothing here.

A rule belongs to an operation class and, where vendors differ, to a vendor, whose own rule wins. A scalar rule says
what one element becomes; values of vector type are taken apart for it. `codegen.rules` fills the tables.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ...ir.core import Operation
from ...ir.rule_table import RuleTable
from ...targets.chip import Vendor
from .text import Ssa

Rule = Callable[[Any, Any], None]
"""Writes an operation: called with the emission (`emission.py`), where it reads the operands and binds the results."""
Scalar = Callable[..., Ssa | tuple[Ssa, ...]]
"""Called with the emission, the operation and one `Ssa` for each operand; returns one for each result."""

EMIT: RuleTable[Rule] = RuleTable("EMIT")
SCALAR: RuleTable[Scalar] = RuleTable("EMIT (by element)")
NVIDIA: RuleTable[Rule] = RuleTable("EMIT (nvidia)")
AMD: RuleTable[Rule] = RuleTable("EMIT (amd)")
VENDORS: Mapping[Vendor, RuleTable[Rule]] = {"nvidia": NVIDIA, "amd": AMD}
MAKERS: Mapping[Vendor, str] = {"nvidia": "NVIDIA", "amd": "AMD"}
_FOREIGN: Mapping[Vendor, tuple[str, ...]] = {"nvidia": ("amdgpu", "rocdl"), "amd": ("nvgpu", "nvvm")}
"""The dialects of the other vendor's instructions."""


def emit_rule(cls: type[Operation], vendor: Vendor) -> Rule | None:
    """The rule that applies to `cls` on `vendor`, None where there is none; `emit_reason` may then say why."""
    found = VENDORS[vendor].get(cls) or EMIT.get(cls)
    scalar = None if found else SCALAR.get(cls)
    return found if scalar is None else functools.partial(_each_element, scalar)


def emit_reason(cls: type[Operation], vendor: Vendor) -> str | None:
    """Why `cls` has no rule on `vendor`: words that complete "it is ..."."""
    if cls.opname.split(".")[0] in _FOREIGN[vendor]:
        return f"an instruction that {MAKERS[vendor]}'s chips do not have"
    return VENDORS[vendor].reason(cls) or EMIT.reason(cls, has_rule=VENDORS[vendor].get(cls) is not None)


def _each_element(rule: Scalar, emission: Any, op: Operation) -> None:
    scalars = emission.whole(op)
    rows = [scalars] if scalars is not None else emission.by_element(op)
    emission.set_elements(op, [rule(emission, op, *operands) for operands in rows])
