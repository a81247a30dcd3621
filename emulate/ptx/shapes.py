"""How many operands an instruction has: checked before anything is made of them."""

from __future__ import annotations

from ..faults import EmulationFault
from .syntax import Instruction
from .table import SHARED, TABLE

_BY_COUNT: dict[tuple[int, int], str] = {
    (2, 2): "mov rcp sqrt rsqrt ex2 lg2 sin cos tanh ld ldu st cvta isspacep red",
    (2, 3): "cvt",
    (3, 3): "add sub addc subc mul min max shl shr copysign testp",
    (4, 4): "mad madc fma slct prmt dp4a dp2a",
    (5, 5): "lop3 shfl",
    (3, 5): "set setp",
    (3, 4): "atom",
}
_COUNTS = {
    **{name: count for count, names in _BY_COUNT.items() for name in names.split()},
    **{name: (len(row.sources) + 1, len(row.sources) + 1) for name, row in {**SHARED, **TABLE}.items()},
}
_ACCESSES = ("ld", "st")
HINTED = "L2_cache_hint"
"""With a policy as their last operand."""
_MORE = {"min": 1, "max": 1, "testp": -1}


def check_shape(i: Instruction) -> None:
    """Raises `EmulationFault` of kind syntax for a number of operands that the instruction cannot have."""
    low, high = _COUNTS.get(i.opcode, (0, len(i.operands)))
    more = _MORE.get(i.opcode, 0)
    low, high = low + min(more, 0), high + max(more, 0)
    if i.opcode in _ACCESSES and i.has(HINTED):
        low, high = low + 1, high + 1
    if not low <= len(i.operands) <= high:
        expected = f"{low}" if low == high else f"{low} to {high}"
        detail = f"{len(i.operands)} operands where {expected} are expected"
        raise EmulationFault("syntax", detail, instruction=i.text, line=i.line)
