"""`lw.mlir`: operations as MLIR text in the midst of a kernel, for what has no word in Python."""

from __future__ import annotations

from typing import Any

from ..ir.core import Operation
from ..ir.core import Value as SSA
from ..ir.define import is_memref, scalar_like
from ..ir.parser import parse_operations
from .arrays import Array
from .operands import Operand, dtype_of, lifted
from .trace import building, fail, here
from .values import Numeric, Value, given


class Handle:
    """A value of the program that is neither a number, a vector nor memory: what other texts take."""

    __slots__ = ("ssa",)

    def __init__(self, ssa: SSA) -> None:
        self.ssa = ssa

    def __repr__(self) -> str:
        return f"<handle: {self.ssa.type}>"


def mlir(text: str, **values: Numeric | Array | Handle) -> Any:
    """Writes operations as MLIR has them, and gives the results of the last one.

    Args:
        text: Operations. They use `%name` for each of `values`, and what they name themselves.
        values: Values, arrays, what other texts gave, and Python's numbers (`index`, f32, i1).

    Returns:
        A value, an array or a handle for a result, a tuple for several, None for none.

    Raises:
        ParseError: The text is wrong.
    """
    place = here()
    operations = parse_operations(text, {name: _ssa(v) for name, v in values.items()}, f"{place} (lw.mlir)")
    if not operations:
        fail("lw.mlir takes operations, found none")
    build = building()
    for op in operations:
        for inner in op.walk():
            inner.location = place
        build.append(op)
    found = tuple(_result(r, operations[-1]) for r in operations[-1].results)
    return found[0] if len(found) == 1 else found or None


def _ssa(value: Numeric | Array | Handle) -> SSA:
    if isinstance(value, Array):
        return value.memory
    return value.ssa if isinstance(value, Handle) else lifted(given(value)).ssa


def _result(value: SSA, op: Operation) -> Value | Array | Handle:
    if is_memref.admits(value):
        return Array(value, dtype_of(value.type.element), value.hint or op.opname)
    return Value(Operand(value, dtype_of(value.type))) if scalar_like.admits(value) else Handle(value)
