"""Which programs of a kernel print, and whether a function has the argument for that; the rest is in printing.py."""

from __future__ import annotations

from .core import Operation, Region
from .dialects.func import FunctionLike
from .printing import ARGUMENT, Printing


def stated_printing(function: FunctionLike) -> Printing | None:
    """How the buffer is laid out, where the last argument is one for what is printed."""
    last = len(function.arguments) - 1
    stated = function.argument_attribute(last, ARGUMENT) if last >= 0 else None
    return None if stated is None else Printing.of(stated)


def programs(function: Operation) -> list[Region | None]:
    """The kernel's own program (None), then those inside of it in the order of the text."""
    return [None, *(region for op in function.walk() if op.holds_programs for region in op.regions)]


def program_of(op: Operation) -> Region | None:
    """The program that an operation stands in."""
    while (around := op.enclosing()) is not None:
        if around.holds_programs:
            return op.parent.parent if op.parent is not None else None
        op = around
    return None
