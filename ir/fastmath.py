"""`fastmath="approx"`: what a program lets all of its float arithmetic do, as flags on the operations."""

from __future__ import annotations

from typing import Final

from ..support.diagnostics import LanewiseError
from .cloning import clone
from .core import Operation
from .dialects.elementwise import FastMathAttr, WithFastMath
from .dialects.vector import MultiReductionOp
from .did_you_mean import did_you_mean

APPROXIMATE: Final = ("arcp", "contract", "afn")
"""The flags of arithmetic and functions."""
FUSED: Final = ("contract",)
"""The flags of reductions by sums and products."""
WITHOUT_NAN: Final = ("nnan",)
"""The flags of what chooses among its operands: minima, maxima, and reductions by them."""
MODES: Final = ("none", "approx")


class FastMathError(LanewiseError):
    """A way of calculating is none."""


def permitted(module: Operation, mode: str, *, own: bool = False) -> Operation:
    """The module with the flags that a mode adds to those that it has; itself where it adds none, or where it is the
    caller's `own`.

    Raises:
        FastMathError: `mode` is none of `MODES`.
    """
    if mode not in MODES:
        expected = " or ".join(map(repr, MODES))
        hint = did_you_mean(str(mode), MODES)
        raise FastMathError(f"fastmath is {expected}, found {mode!r}" + (f"; {hint}" if hint else ""))
    if mode == "none":
        return module
    copied = module if own else clone(module, {})
    for op in copied.walk():
        if isinstance(op, WithFastMath):
            op.attributes["fastmath"] = _with(op.liberties, WITHOUT_NAN if op.chooses else APPROXIMATE)
        elif isinstance(op, MultiReductionOp) and op.source.type.element.is_float:
            op.attributes["fastmath"] = _with(op.liberties, WITHOUT_NAN if op.kind.any_order else FUSED)
    return copied


def _with(own: FastMathAttr, more: tuple[str, ...]) -> FastMathAttr:
    return FastMathAttr.of(own.flags | set(more))
