"""What the reference evaluator reports: an undefined access or operation, with the operation it happened in."""

from __future__ import annotations

from ..core import Operation
from ..diagnostics import Diagnostic, LanewiseError


class EvaluationError(LanewiseError):
    """The program does something undefined with these arguments; `diagnostic` says what and where."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.render())

    def within(self, owner: str) -> EvaluationError:
        """The same finding with the workgroup, subgroup or thread that made it."""
        d = self.diagnostic
        return type(self)(Diagnostic(d.message, d.location, (*d.notes, (f"in {owner}", None)), d.hint))


class EvaluationLimit(EvaluationError):
    """The run took as long, or as many steps, as it may: nothing is known to be wrong."""


def failure(op: Operation, message: str, hint: str = "") -> EvaluationError:
    """The error of one operation."""
    return EvaluationError(Diagnostic(f"'{op.opname}' op {message}", op.location, hint=hint))
