"""What is computed of constant integers is a constant: sizes and steps that a program writes as products of others.

An operation's class says whether it may be computed here (`Operation.folds`), its `reference` what it gives. Whatever
is undefined, or breaks a promise of the program's, stays as it is: executors report it where it stands.
"""

from __future__ import annotations

from ..ir.attributes import IntegerAttr
from ..ir.core import Operation, Value
from ..ir.dialects.arith import ConstantOp, Elementwise
from ..ir.dialects.constants import constant_int
from ..ir.rewriter import Rewriter
from ..ir.types import bit_width

_WIDTHS = (1, 8, 16, 32, 64)


def folds_somewhere(function: Operation) -> bool:
    return any(_number(op) is not None for op in function.walk() if op.folds)


def fold(function: Operation) -> None:
    """Rewrites a function in the vector stage, in place."""
    rewriter = Rewriter(function)
    for op in rewriter:
        number = _number(op) if op.folds else None
        if number is not None:
            attribute = {"value": IntegerAttr(number, op.result.type)}
            made = rewriter.insert_before(op, ConstantOp((), [op.result.type], attribute, (), op))
            made.result.hint = op.result.hint
            rewriter.replace(op, [made.result])


def _number(op: Operation) -> int | None:
    """The number of an operation that has one, whatever runs."""
    values = (*op.operands, *op.results)
    if not isinstance(op, Elementwise) or any(constant_int(v) is None for v in op.operands):
        return None
    if not all(_is_plain(v) for v in values):
        return None
    operands = [v.operation.array() for v in op.operands if isinstance(v.operation, ConstantOp)]
    if op.undefined(*operands).any() or op.broken_promise(*operands):
        return None
    return int(op.reference(*operands))


def _is_plain(value: Value) -> bool:
    type = value.type
    return type.is_whole and bit_width(type) in _WIDTHS
