"""Integer instructions that fold constants and identities as they are written."""

from __future__ import annotations

from ...ir.integer_rules import ABSORBING, COMMUTATIVE, NEUTRAL, compared, folded, reading
from .text import FALSE, INTEGER_BITS, TRUE, Ssa, Writer, integer


def binary(w: Writer, opcode: str, a: Ssa, b: Ssa, flags: str = "") -> Ssa:
    """`opcode` of two integers of one type, folded where operands are known. `flags` are `nsw`, `nuw` and `exact`."""
    assert a.type == b.type, f"{opcode} of {a} and {b}"
    if opcode in COMMUTATIVE and a.number is not None:
        a, b = b, a
    bits = INTEGER_BITS[a.type]
    if b.number is not None and bits > 1:
        if a.number is not None and (found := folded(opcode, a.number, b.number, bits)) is not None:
            return integer(found, a.type)
        if NEUTRAL.get(opcode) == b.number:
            return a
        if ABSORBING.get(opcode) == b.number:
            return b
        if opcode == "add":
            return _add_constant(w, a, b, flags)
    return w.binary(f"{opcode} {flags}" if flags else opcode, a, b)


def _add_constant(w: Writer, a: Ssa, b: Ssa, flags: str) -> Ssa:
    """(x + c) + d as x + (c + d), so that neighbours share x."""
    inner = w.definition(a)
    if inner is not None and inner.opcode == "add" and inner.operands[1].number is not None:
        base, constant = inner.operands
        return binary(w, "add", base, binary(w, "add", constant, b))
    return w.binary(f"add {flags}" if flags else "add", a, b)


def add(w: Writer, a: Ssa, b: Ssa) -> Ssa:
    return binary(w, "add", a, b)


def sub(w: Writer, a: Ssa, b: Ssa) -> Ssa:
    return binary(w, "sub", a, b)


def mul(w: Writer, a: Ssa, b: Ssa) -> Ssa:
    return binary(w, "mul", a, b)


def compare(w: Writer, predicate: str, a: Ssa, b: Ssa) -> Ssa:
    """`icmp` with LLVM's predicates, an i1."""
    if a.number is not None and b.number is not None:
        return TRUE if compared(predicate, a.number, b.number, INTEGER_BITS[a.type]) else FALSE
    if a.type == "i64" and is_word(w, a, b):
        return _compare_words(w, predicate, a, b)
    if a.type == "i64" and predicate[0] in "ue" and is_word(w, a, b, limit=1 << 32):
        return w.compare(predicate, low_word(w, a), low_word(w, b))
    if a.type == "i64" and predicate[0] == "u" and _is_distance(w, a) and b.number is not None and is_word(w, b):
        return w.compare(predicate, low_word(w, a), low_word(w, b))
    if a.type == "i64" and predicate[0] == "s" and is_word(w, a) and _is_distance(w, b):
        return w.compare(predicate, low_word(w, a), low_word(w, b))
    return w.compare(predicate, a, b)


def _is_distance(w: Writer, value: Ssa) -> bool:
    """Whether it is the difference of two words: unsigned it is large where it is negative, in 64 bits and in 32, and
    signed it is the same number in both."""
    found = w.definition(value)
    if found is None:
        return False
    opcode, (first, *rest) = found.opcode.split(" ")[0], found.operands
    less = [other.number is not None and -WORD_LIMIT < other.number < 0 for other in rest]
    return is_word(w, first) and ((opcode == "add" and all(less)) or (opcode == "sub" and is_word(w, *rest)))


def _compare_words(w: Writer, predicate: str, a: Ssa, b: Ssa) -> Ssa:
    """In 32 bits. In a loop, the distance of two sums is computed once for all that differ by a constant."""
    moving, fixed = split_moving(w, a)
    if predicate in _MIRRORED and w.is_shared(b) and integer(0) not in (moving, fixed):
        base, number = split_constant(w, fixed)
        left = sub(w, sub(w, low_word(w, b), low_word(w, base)), low_word(w, moving))
        predicate, x, y = _MIRRORED[predicate], left, integer(number, "i32")
    else:
        x, y = low_word(w, a), low_word(w, b)
    return w.compare(predicate, x, y)


_MIRRORED = {
    "ult": "sgt",
    "slt": "sgt",
    "ule": "sge",
    "sle": "sge",
    "ugt": "slt",
    "sgt": "slt",
    "uge": "sle",
    "sge": "sle",
}
"""What b - a is against 0 where a is against b, of numbers from 0 to WORD_LIMIT - 1."""


def select(w: Writer, condition: Ssa, yes: Ssa, no: Ssa) -> Ssa:
    """`yes` or `no`, of any one type."""
    if condition.number is not None:
        return yes if condition.number else no
    return yes if yes == no else w.select(condition, yes, no)


def resize(w: Writer, value: Ssa, type: str, *, signed: bool) -> Ssa:
    """Truncates or extends to the integer `type`."""
    before, after = INTEGER_BITS[value.type], INTEGER_BITS[type]
    if before == after:
        return value
    if value.number is not None:
        return integer(reading(value.number, "s" if signed else "u", before), type)
    if after < before:
        return w.convert("trunc", value, type)
    return w.convert("sext" if signed else "zext", value, type)


WORD_LIMIT = 1 << 31
"""Numbers from 0 up to here are the same in 32 bits, signed or not."""


def is_word(w: Writer, *values: Ssa, limit: int = WORD_LIMIT) -> bool:
    """Whether they are known to be from 0 to `limit` - 1."""
    return all((found := w.limit(v)) is not None and found <= limit for v in values)


def low_word(w: Writer, value: Ssa, depth: int = 16) -> Ssa:
    """The number modulo 2^32 as i32, computed in 32 bits as far as it is made of sums and products."""
    if value.type == "i32" or value.number is not None:
        return resize(w, value, "i32", signed=True)
    found = w.definition(value)
    opcode = found.opcode.split(" ")[0] if found is not None else ""
    if found is not None and opcode in ("zext", "sext") and INTEGER_BITS[found.operands[0].type] <= 32:
        return resize(w, found.operands[0], "i32", signed=opcode == "sext")
    if found is None or opcode not in ("add", "sub", "mul") or not depth:
        return w.convert("trunc", value, "i32")
    a, b = (low_word(w, v, depth - 1) for v in found.operands)
    result = binary(w, opcode, a, b)
    return w.know(result, w.range(value)) if is_word(w, value) else result


def split_moving(w: Writer, value: Ssa, depth: int = 16) -> tuple[Ssa, Ssa]:
    """`value` as a sum of what changes in the loop that is being written and what does not, modulo 2^64 whatever the
    operands are. Where nothing wraps in it, nothing does in the parts."""
    zero = integer(0, value.type)
    if value.number is not None or w.is_shared(value):
        return zero, value
    found = w.definition(value)
    opcode = found.opcode.split(" ")[0] if found is not None else ""
    if found is None or not depth or opcode not in ("add", "mul"):
        return value, zero
    left, right = found.operands
    if opcode == "add":
        (a, m), (b, n) = (split_moving(w, v, depth - 1) for v in (left, right))
        return (value, zero) if m == n == zero else (add(w, a, b), add(w, m, n))
    if not w.is_shared(right) and right.number is None:
        left, right = right, left
    if not w.is_shared(right) and right.number is None:
        return value, zero
    a, m = split_moving(w, left, depth - 1)
    return (value, zero) if m == zero else (mul(w, a, right), mul(w, m, right))


def upper_product(w: Writer, a: Ssa, b: Ssa, *, signed: bool) -> Ssa:
    """The upper half of the product of twice the width."""
    bits = INTEGER_BITS[a.type]
    wide = f"i{2 * bits}"
    x, y = (resize(w, v, wide, signed=signed) for v in (a, b))
    upper = binary(w, "lshr", mul(w, x, y), integer(bits, wide))
    return resize(w, upper, a.type, signed=False)


def bitcast(w: Writer, value: Ssa, type: str) -> Ssa:
    return w.bitcast(value, type)


_DEPTH = 32
"""How many operations an index is looked through: addresses are shallow, programs need not be."""


def split_constant(w: Writer, value: Ssa, depth: int = _DEPTH) -> tuple[Ssa, int]:
    """`value` as base + constant, looking through additions of constants and multiplications of such sums.

    Additions wrap, so the split is exact modulo 2**64 whatever the operands are.
    """
    if value.number is not None:
        return integer(0, value.type), value.number
    found = w.definition(value)
    if found is None or not depth:
        return value, 0
    opcode = found.opcode.split(" ")[0]
    if opcode not in ("add", "mul"):
        return value, 0
    left, right = found.operands
    if opcode == "add" and right.number is not None:
        a, m = split_constant(w, left, depth - 1)
        return (value, 0) if m + right.number == 0 else (a, m + right.number)
    if opcode == "add":
        (a, m), (b, n) = split_constant(w, left, depth - 1), split_constant(w, right, depth - 1)
        return (value, 0) if m + n == 0 else (add(w, a, b), m + n)
    if right.number is not None:
        a, m = split_constant(w, left, depth - 1)
        return (value, 0) if m == 0 else (mul(w, a, right), m * right.number)
    return value, 0
