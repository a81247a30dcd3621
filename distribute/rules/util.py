"""util: what the program states of a number, `analysis/integers.py` reads."""

from __future__ import annotations

from ...ir.dialects import util
from ..context import distributes
from .gpu import distribute_scalar

distributes(util.AssumeIntOp)(distribute_scalar)
