"""In which loops it pays to hold what is the same in all iterations, instead of computing it in each.

What is computed before a loop takes a register as long as the loop runs (decision 0040).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..ir.core import Operation
from ..ir.matrix_operations import multiplies
from ..targets.chip import Vendor


def _awaits_copies(loop: Operation) -> bool:
    return any(op.awaits_copies for op in loop.walk())


_HOLDS: Mapping[Vendor, Callable[[Operation], bool]] = MappingProxyType({"nvidia": _awaits_copies, "amd": multiplies})
"""`ptxas` moves next to nothing out of loops, and those that wait for copies have registers to spare. LLVM moves what
fits into registers at its level, but of AMD's products, whose loops it takes to be full."""


def holds_invariants(loop: Operation, vendor: Vendor) -> bool:
    """Whether what the iterations of a loop have in common is computed before it."""
    return _HOLDS[vendor](loop)
