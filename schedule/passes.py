"""The passes, in the order in which a kernel goes through them before its layouts are chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.core import Operation
from ..layout.workgroup import Workgroup
from .prefetch import prefetch
from .promote import promote

Pass: TypeAlias = Callable[[Operation, Workgroup], bool]
"""Rewrites a function in the vector stage, in place; says whether it did anything."""
PASSES: Sequence[Pass] = (promote, prefetch)
WITHOUT_REGISTERS: Sequence[Pass] = (promote,)
"""Those of a kernel whose threads have no registers to spare."""


def schedule(function: Operation, workgroup: Workgroup, passes: Sequence[Pass] = PASSES) -> list[Pass]:
    """Applies passes to a function in the vector stage, in place; returns those that did something."""
    return [rewrite for rewrite in passes if rewrite(function, workgroup)]
