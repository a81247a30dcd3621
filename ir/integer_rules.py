"""What integer instructions give of constants: the rules of all who fold as they build.

Programs (`ir/builder.py`) and LLVM's text (`codegen/emit`) are built with them; instructions have LLVM's names. Numbers
are signed, those of an i1 are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

_Fold = Callable[[int, int, int], int | None]


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def wrapped(number: int, bits: int) -> int:
    """The number with these low bits, as arithmetic of so many gives it."""
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if bits > 1 and low >> (bits - 1) else low


def _truncated(a: int, b: int, bits: int) -> int | None:
    if b == 0 or (b == -1 and a == -(1 << (bits - 1))):
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int, bits: int) -> int | None:
    quotient = _truncated(a, b, bits)
    return None if quotient is None else a - quotient * b


def _shifted(shift: Callable[[int, int, int], int]) -> _Fold:
    return lambda a, b, bits: shift(a, b, bits) if 0 <= b < bits else None


_FOLDS: Mapping[str, _Fold] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "mul": lambda a, b, bits: a * b,
    "and": lambda a, b, bits: a & b,
    "or": lambda a, b, bits: a | b,
    "xor": lambda a, b, bits: a ^ b,
    "sdiv": _truncated,
    "srem": _remainder,
    "udiv": lambda a, b, bits: unsigned(a, bits) // unsigned(b, bits) if b else None,
    "urem": lambda a, b, bits: unsigned(a, bits) % unsigned(b, bits) if b else None,
    "shl": _shifted(lambda a, b, bits: a << b),
    "lshr": _shifted(lambda a, b, bits: unsigned(a, bits) >> b),
    "ashr": _shifted(lambda a, b, bits: a >> b),
}
COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor"})
NEUTRAL: Mapping[str, int] = {"mul": 1, "sdiv": 1, "udiv": 1, "and": -1} | dict.fromkeys(
    ("add", "sub", "or", "xor", "shl", "lshr", "ashr"), 0
)
"""Right operands that leave the left one."""
ABSORBING: Mapping[str, int] = {"mul": 0, "and": 0, "or": -1}
"""Right operands that decide the result alone."""


def folded(opcode: str, a: int, b: int, bits: int) -> int | None:
    """The result; None where there is none."""
    result = _FOLDS[opcode](a, b, bits)
    return None if result is None else wrapped(result, bits)


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def reading(number: int, predicate: str, bits: int) -> int:
    """The number as the predicate reads it; a signed i1 is 0 or -1."""
    if predicate.startswith("s"):
        return -number if bits == 1 else number
    return unsigned(number, bits)


def compared(predicate: str, a: int, b: int, bits: int) -> bool:
    """What `icmp` gives, with LLVM's predicates."""
    return _COMPARISONS[predicate[-2:]](reading(a, predicate, bits), reading(b, predicate, bits))
