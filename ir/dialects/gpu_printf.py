"""gpu: printf, of scalars under a constant format."""

from __future__ import annotations

from ...support.diagnostics import Report
from ..attributes import StringAttr
from ..define import attribute, is_scalar, operands
from ..messages import FormatError, Message, formatted
from .vector_print import MessageOp


class PrintfOp(MessageOp, opname="gpu.printf"):
    """C's printf. Each owner prints once: a thread's program as often as there are threads, a workgroup's once."""

    pure = False
    format_ = attribute(StringAttr)
    args = operands(is_scalar)
    assembly = "attr-dict $format (`,` $args^ `:` type($args))? former($args `:` type($args))"

    def verify(self, report: Report) -> None:
        try:
            formatted(self.format_.value, [value.type for value in self.args])
        except FormatError as error:
            self.error(report, str(error))

    @property
    def message(self) -> Message:
        return formatted(self.format_.value, [value.type for value in self.args])
