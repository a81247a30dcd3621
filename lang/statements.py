"""What a kernel states of its numbers, which the compiler may rely on."""

from __future__ import annotations

from ..ir.attributes import ArrayAttr
from ..ir.dialects.util import AssumeIntOp, IntAssumptionAttr
from .operands import Operand, lifted
from .trace import building, fail
from .values import Numeric, Value, given


def assume(
    value: Numeric, *, multiple_of: int | None = None, at_least: int | None = None, at_most: int | None = None
) -> Value:
    """The number, of which the kernel states what is known, as Triton's `multiple_of`: where it does not hold, results
    are undefined, and a debug run and the reference report it.

    Args:
        value: An integer.
        multiple_of: What divides it.
        at_least: The least that it is, 0 or more.
        at_most: The greatest that it is.
    """
    x = lifted(given(value))
    if x.shape or x.dtype.kind not in ("integer", "index"):
        fail(f"'assume' states something of one integer, found {x.text}", x.made)
    stated = {"multiple_of": multiple_of, "at_least": at_least, "at_most": at_most}
    odd = next((name for name, n in stated.items() if n is not None and n < (name == "multiple_of")), None)
    if odd is not None or all(n is None for n in stated.values()):
        fail(f"'assume' states {', '.join(stated)}, found {odd or 'none'}{'' if odd is None else f' = {stated[odd]}'}")
    said = ArrayAttr((ArrayAttr((IntAssumptionAttr(at_least, at_most, multiple_of),)),))
    return Value(Operand(building().value(AssumeIntOp, [x.ssa], types=[x.ssa.type], assumptions=said), x.dtype))
