"""What the interpreter reports: an undefined action of a thread, with the operation and who else was involved."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Operation
from ...ir.diagnostics import Diagnostic, LanewiseError, Location


class InterpretError(LanewiseError):
    """The thread-level program does something undefined with these arguments; `diagnostic` says what and where."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.render())


class InterpretLimit(InterpretError):
    """The run took as long, or as many steps, as it may: nothing is known to be wrong."""


def failure(
    op: Operation, message: str, notes: Sequence[tuple[str, Location | None]] = (), hint: str = ""
) -> InterpretError:
    """The error of one operation."""
    return InterpretError(Diagnostic(f"'{op.opname}' op {message}", op.location, tuple(notes), hint))
