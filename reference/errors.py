"""What the evaluator reports: an undefined action, with the operation, the owner and who else was involved."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Operation
from ..support.diagnostics import About, Diagnostic, LanewiseError, Location


class EvaluationError(LanewiseError):
    """The program does something undefined with these arguments; `diagnostic` says what and where."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.render())


class UnfitArgumentError(EvaluationError):
    """An argument is not what the program takes."""


class UnmetAssumption(EvaluationError):
    """A number is none of those for which the program says anything: it is not wrong, but not meant for them."""


class EvaluationLimit(EvaluationError):
    """The run took as long, or as many steps, as it may: nothing is known to be wrong."""


def failure(
    op: Operation,
    message: str,
    notes: Sequence[tuple[str, Location | None]] = (),
    hint: str = "",
    kind: type[EvaluationError] = EvaluationError,
    about: About | None = None,
) -> EvaluationError:
    """The error of one operation."""
    return kind(Diagnostic(f"'{op.opname}' op {message}", op.location, tuple(notes), hint, about))
