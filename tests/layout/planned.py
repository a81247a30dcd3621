"""Plans as tests ask for them: a conversion, or any map, on so many threads."""

from __future__ import annotations

from typing import Any

from lanewise.layout.conversion import Means, Movement, Plan, plan_movement
from lanewise.layout.nested import NestedLayout
from lanewise.support.reindex import Reindex


def plan_conversion(
    source: NestedLayout, target: NestedLayout, *, forced: bool = False, bits: int, **means: Any
) -> Plan:
    """`means`: see `Means`."""
    return planned(source, target, Reindex.identity(target.shape), forced=forced, bits=bits, **means)


def planned(
    source: NestedLayout, target: NestedLayout, f: Reindex, *, forced: bool = False, bits: int, **means: Any
) -> Plan:
    return plan_movement(Movement(source, target, f, bits, Means(**means), forced))
