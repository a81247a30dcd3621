"""What a running kernel says: printing, and assertions."""

from __future__ import annotations

from ..ir.attributes import StringAttr
from ..ir.dialects.cf import AssertOp
from ..ir.dialects.gpu_printf import PrintfOp
from ..ir.dialects.vector_print import PrintOp, PunctuationAttr
from .dtypes import i1
from .operands import lifted
from .trace import building, fail
from .values import Numeric, given


def print(*parts: Numeric | str) -> None:
    """Prints texts and values, with blanks between and a new line behind, once for each workgroup that gets here."""
    none = PunctuationAttr("no_punctuation")
    for number, part in enumerate(parts):
        blank = " " if number else ""
        if isinstance(part, str):
            _text(blank + part, none)
            continue
        if blank:
            _text(blank, none)
        value = lifted(given(part))
        building().op(PrintOp, [value.ssa], punctuation=none)
    building().op(PrintOp, [], punctuation=PunctuationAttr("newline"))


def _text(text: str, punctuation: PunctuationAttr) -> None:
    building().op(PrintOp, [], stringLiteral=StringAttr(text), punctuation=punctuation)


def printf(format: str, *numbers: Numeric) -> None:
    """C's printf, of numbers."""
    values = [lifted(given(n)) for n in numbers]
    odd = next((v for v in values if v.shape), None)
    if odd is not None:
        fail(f"printf prints numbers, found {odd.text}", odd.made, hint="lw.print prints vectors")
    building().op(PrintfOp, [v.ssa for v in values], format=StringAttr(format))


def assert_(condition: Numeric, message: str = "assertion failed") -> None:
    """Stops the kernel with a message where a condition does not hold."""
    value = lifted(given(condition))
    if value.dtype != i1 or value.shape:
        fail(f"a condition is one truth value, found {value.text}", value.made, hint="of a vector: (x > 0).all()")
    building().op(AssertOp, value.ssa, msg=StringAttr(message))
