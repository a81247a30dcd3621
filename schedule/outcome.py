"""What a pass says of its work: whether it changed anything, and why it left alone what it might have changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ir.core import Operation
from ..ir.remarks import Remark, RemarkKind


@dataclass
class Outcome:
    changed: bool = False
    remarks: list[Remark] = field(default_factory=list[Remark])

    def leave(self, op: Operation, message: str, hint: str = "", kind: RemarkKind = "loop-reads") -> None:
        """`op` stays as it is; `message` says what is not done, and why."""
        self.remarks.append(Remark(message, op.location, hint=hint, kind=kind))
