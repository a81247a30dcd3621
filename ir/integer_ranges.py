"""Between which bounds integer instructions stay: the rules of all who ask what a number may be.

Of the operations of programs `analysis/integers.py` asks, of the instructions between these the writer of LLVM's text;
they have LLVM's names. Numbers are signed, those of an i1 are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from ..support.named_tuples import NamedTuple
from .integer_rules import unsigned


class Range(NamedTuple):
    """The integers from `low` to `high`, both of them included."""

    low: int
    high: int

    @property
    def limit(self) -> int | None:
        """The number above the highest, where none is negative."""
        return self.high + 1 if self.low >= 0 else None

    def within(self, other: Range) -> bool:
        return other.low <= self.low and self.high <= other.high

    def meet(self, other: Range) -> Range:
        """What is in both, of which each is right."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else self

    def join(self, other: Range) -> Range:
        """What is in one of them, and between."""
        return Range(min(self.low, other.low), max(self.high, other.high))


@lru_cache(maxsize=64)
def every(bits: int) -> Range:
    """All numbers of so many bits."""
    return Range(0, 1) if bits == 1 else Range(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def below(limit: int) -> Range:
    """0 to `limit` - 1, and 0 where that is nothing: of what there is none, anything may be said."""
    return Range(0, max(limit - 1, 0))


def exactly(number: int) -> Range:
    return Range(number, number)


def _read(a: Range, bits: int) -> Range:
    """As unsigned numbers."""
    if a.low >= 0:
        return a
    return Range(unsigned(a.low, bits), unsigned(a.high, bits)) if a.high < 0 else Range(0, (1 << bits) - 1)


def _corners(function: Callable[[int, int], int], a: Range, b: Range) -> Range:
    """Where a function rises or falls in each of its operands."""
    found = [function(x, y) for x in a for y in b]
    return Range(min(found), max(found))


_Rule = Callable[[Range, Range, int], Range | None]
"""What comes of two operands of so many bits, as if these did not end; None where nothing is known."""


def _udiv(a: Range, b: Range, bits: int) -> Range:
    """A quotient by 0 is one by 1, or none."""
    a, b = _read(a, bits), _read(b, bits)
    return Range(a.low // max(b.high, 1), a.high // max(b.low, 1))


def _urem(a: Range, b: Range, bits: int) -> Range:
    a, b = _read(a, bits), _read(b, bits)
    return a if a.high < b.low else Range(0, min(a.high, max(b.high - 1, 0)))


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _signed_quotient(rounded: Callable[[int, int], int]) -> _Rule:
    def quotient(a: Range, b: Range, bits: int) -> Range:
        most = max(abs(a.low), abs(a.high))
        return Range(-most, most) if b.low <= 0 else _corners(rounded, a, b)

    return quotient


def _srem(a: Range, b: Range, bits: int) -> Range:
    """It has the sign of the dividend."""
    most = max(abs(b.low), abs(b.high), 1) - 1
    return Range(max(min(a.low, 0), -most), min(max(a.high, 0), most))


def _and(a: Range, b: Range, bits: int) -> Range | None:
    positive = [n.high for n in (a, b) if n.low >= 0]
    return Range(0, min(positive)) if positive else None


def _or(a: Range, b: Range, bits: int) -> Range | None:
    return None if min(a.low, b.low) < 0 else Range(max(a.low, b.low), _ones(max(a.high, b.high)))


def _xor(a: Range, b: Range, bits: int) -> Range | None:
    return None if min(a.low, b.low) < 0 else Range(0, _ones(max(a.high, b.high)))


def _ones(number: int) -> int:
    return (1 << number.bit_length()) - 1


def _shifted(shift: Callable[[int, int], int], *, of_bits: bool) -> _Rule:
    """A shift by more than there are bits has no result. `of_bits`: of the unsigned number."""

    def shifted(a: Range, b: Range, bits: int) -> Range:
        amount = Range(min(max(b.low, 0), bits - 1), max(min(b.high, bits - 1), 0))
        return _corners(shift, _read(a, bits) if of_bits else a, amount)

    return shifted


def _uceildiv(a: Range, b: Range, bits: int) -> Range:
    a, b = _read(a, bits), _read(b, bits)
    return Range(-(-a.low // max(b.high, 1)), -(-a.high // max(b.low, 1)))


def _umin(a: Range, b: Range, bits: int) -> Range:
    a, b = _read(a, bits), _read(b, bits)
    return Range(min(a.low, b.low), min(a.high, b.high))


def _umax(a: Range, b: Range, bits: int) -> Range:
    a, b = _read(a, bits), _read(b, bits)
    return Range(max(a.low, b.low), max(a.high, b.high))


_RULES: Mapping[str, _Rule] = {
    "add": lambda a, b, bits: Range(a.low + b.low, a.high + b.high),
    "sub": lambda a, b, bits: Range(a.low - b.high, a.high - b.low),
    "mul": lambda a, b, bits: _corners(lambda x, y: x * y, a, b),
    "and": _and,
    "or": _or,
    "xor": _xor,
    "udiv": _udiv,
    "urem": _urem,
    "sdiv": _signed_quotient(_truncated),
    "srem": _srem,
    "floordiv": _signed_quotient(lambda a, b: a // b),
    "ceildiv": _signed_quotient(lambda a, b: -(-a // b)),
    "uceildiv": _uceildiv,
    "shl": _shifted(lambda a, b: a << b, of_bits=False),
    "lshr": _shifted(lambda a, b: a >> b, of_bits=True),
    "ashr": _shifted(lambda a, b: a >> b, of_bits=False),
    "smin": lambda a, b, bits: Range(min(a.low, b.low), min(a.high, b.high)),
    "smax": lambda a, b, bits: Range(max(a.low, b.low), max(a.high, b.high)),
    "umin": _umin,
    "umax": _umax,
    "select": lambda a, b, bits: a.join(b),
}
_OF_BITS = frozenset({"and", "or", "xor", "umin", "umax", "select"})
"""What these give of an i1 the rules say; the others read its number with another sign."""
RANGED = frozenset(_RULES)
"""Instructions of two integers that have rules, and MLIR's quotients `floordiv`, `ceildiv`, `uceildiv`. Operands of a
`select` are those that it chooses from."""


def range_of(opcode: str, operands: Sequence[Range], bits: int) -> Range:
    """What an instruction of two integers of so many bits may give."""
    if bits == 1 and opcode not in _OF_BITS:
        return every(1)
    a, b = operands
    found = _RULES[opcode](a, b, bits)
    return found if found is not None and found.within(every(bits)) else every(bits)


CONVERTED = frozenset({"trunc", "sext", "zext"})


def converted(opcode: str, operand: Range, before: int, after: int) -> Range:
    """What `trunc`, `sext` or `zext` gives of a number of `before` bits in `after` bits."""
    if opcode == "zext":
        return _read(operand, before)
    if opcode == "sext":
        return Range(-operand.high, -operand.low) if before == 1 else operand
    return operand if operand.within(every(after)) else every(after)
