"""Operations on values that are short for others are written out: what lies below has rules for fewer operations.

An operation's class says what it is short for (`Operation.decompose`), and by its `reference` function what it means;
a test compares the two. What is written out may be short for others again.
"""

from __future__ import annotations

from ..ir.core import Builder, Operation, OpT
from ..ir.rewriter import Rewriter
from ..ir.types import TupleType
from ..support.diagnostics import CompileError, Report


def decomposes(cls: type[Operation]) -> bool:
    """Whether operations of the class, or some of them, are short for others."""
    return cls.decompose is not Operation.decompose


def is_shorthand(cls: type[Operation]) -> bool:
    """Whether the class is short for others and its meaning is nothing but what it is short for."""
    return decomposes(cls) and cls.reference is Operation.reference


def decompose(function: Operation) -> None:
    """Rewrites a function in the vector stage, in place. Raises CompileError where a tuple is left.

    What nobody uses any more goes, such as the mask of a contraction of which its operands have masks now.
    """
    write_out(function, Operation)
    _refuse_tuples(function)


def write_out(function: Operation, *classes: type[Operation]) -> None:
    """Rewrites a function in the vector stage as `decompose` does, for operations of some classes."""
    rewriter = Rewriter(function)
    touched: set[Operation] = set()
    for op in rewriter:
        chosen = isinstance(op, classes) and decomposes(type(op))
        values = op.decompose(_Before(rewriter, op, touched)) if chosen else None
        if values is not None:
            for old, new in zip(op.results, values, strict=True):
                new.hint = new.hint or old.hint
            touched |= _makers(op)
            rewriter.replace(op, values)
        elif op in touched and op.pure and not any(r.users for r in op.results):
            touched |= _makers(op)
            rewriter.erase(op)


def _makers(op: Operation) -> set[Operation]:
    """The makers of what an operation, or one in its regions, uses."""
    return {maker for inner in op.walk() for value in inner.operands if (maker := value.operation) is not None}


class _Before(Builder):
    """Puts new operations in front of the one that they stand for, and notes them."""

    def __init__(self, rewriter: Rewriter, anchor: Operation, made: set[Operation]) -> None:
        assert anchor.parent is not None
        super().__init__(anchor.parent, anchor)
        self._rewriter = rewriter
        self._anchor = anchor
        self._made = made

    def append(self, op: OpT) -> OpT:
        self._made.add(op)
        return self._rewriter.insert_before(self._anchor, op)


def _refuse_tuples(function: Operation) -> None:
    report = Report()
    for op in function.walk():
        if any(isinstance(v.type, TupleType) for v in op.operands):
            op.error(report, "takes a tuple that it cannot be followed back to", "carry and pass vectors, not tuples")
    if report.diagnostics:
        raise CompileError(report.diagnostics)
