"""The rules of integers: what they fold is what operations of arith give, and what they bound stays below."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from lanewise.ir.core import Block, Operation
from lanewise.ir.dialects import arith
from lanewise.ir.integer_rules import ABSORBING, COMMUTATIVE, LIMITED, NEUTRAL, compared, folded, limit_of
from lanewise.ir.types import IntegerType

BITS = 8
EDGES = (-128, -127, -8, -3, -2, -1, 0, 1, 2, 3, 7, 8, 9, 63, 64, 126, 127)
OPERATIONS: dict[str, type[Operation]] = {
    "add": arith.AddIOp,
    "sub": arith.SubIOp,
    "mul": arith.MulIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "sdiv": arith.DivSIOp,
    "srem": arith.RemSIOp,
    "udiv": arith.DivUIOp,
    "urem": arith.RemUIOp,
    "shl": arith.ShLIOp,
    "lshr": arith.ShRUIOp,
    "ashr": arith.ShRSIOp,
}


def meaning(opcode: str, a: int, b: int) -> int:
    type = IntegerType(BITS)
    op = OPERATIONS[opcode](Block([type, type]).arguments, [type])
    return int(op.reference(np.int8(a), np.int8(b)))


@pytest.mark.parametrize("opcode", OPERATIONS)
def test_what_is_folded_is_what_the_operation_gives(opcode: str) -> None:
    found = {(a, b): folded(opcode, a, b, BITS) for a, b in product(EDGES, EDGES)}
    nothing = {at for at, result in found.items() if result is None}
    undefined = {
        "d": {(a, b) for a, b in found if b == 0 or (opcode[0] == "s" and (a, b) == (-128, -1))},
        "s": {(a, b) for a, b in found if not 0 <= b < BITS},
    }
    kind = {"sdiv": "d", "srem": "d", "udiv": "d", "urem": "d", "shl": "s", "lshr": "s", "ashr": "s"}.get(opcode)
    assert nothing == (undefined[kind] if kind else set())
    assert all(result == meaning(opcode, *at) for at, result in found.items() if result is not None)


@pytest.mark.parametrize("opcode", OPERATIONS)
def test_neutral_and_absorbing_operands(opcode: str) -> None:
    for a in EDGES:
        if opcode in NEUTRAL:
            assert meaning(opcode, a, NEUTRAL[opcode]) == a
        if opcode in ABSORBING:
            assert meaning(opcode, a, ABSORBING[opcode]) == ABSORBING[opcode]
        assert opcode not in COMMUTATIVE or all(meaning(opcode, a, b) == meaning(opcode, b, a) for b in EDGES)


@pytest.mark.parametrize("opcode", sorted(LIMITED - {"zext", "select"}))
def test_results_are_below_their_limits(opcode: str) -> None:
    """The largest result stands right below the limit, but for bits, whose limits are powers of two, and remainders by
    numbers that are not known."""
    for first, second in product(range(1, 10), range(1, 10)):
        limit = limit_of(opcode, [first, second])
        results = [folded(opcode, a, b, 32) for a in range(first) for b in range(second)]
        largest = max((n for n in results if n is not None), default=0)
        assert limit is not None and 0 <= largest < limit
        if opcode in ("add", "mul"):
            assert largest == limit - 1
        constant = limit_of(opcode, [first, second], second - 1)
        by = [folded(opcode, a, second - 1, 32) for a in range(first)]
        assert constant is not None and all(n is None or n < constant for n in by)
        if opcode in ("udiv", "lshr") and second > 1:
            assert max(n for n in by if n is not None) == constant - 1


def test_limits_that_are_not_known() -> None:
    assert limit_of("and", [None, 8]) == 8 and limit_of("and", [None, None]) is None
    assert limit_of("add", [None, 8]) is None and limit_of("sub", [8, 8]) is None
    assert limit_of("select", [3, 5]) == 5 and limit_of("zext", [7]) == 7


PREDICATES = {"eq", "ne", *(sign + way for sign in "su" for way in ("lt", "le", "gt", "ge"))}


@pytest.mark.parametrize("predicate", sorted(PREDICATES))
def test_comparisons(predicate: str) -> None:
    """Unsigned ones are of the same bits, read as numbers from 0 on; a signed i1 is 0 or -1."""
    compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal}
    compare |= {"gt": np.greater, "ge": np.greater_equal}
    read = np.uint8 if predicate[0] == "u" else np.int8
    for a, b in product(EDGES, EDGES):
        expected = compare[predicate[-2:]](np.int8(a).view(read), np.int8(b).view(read))
        assert compared(predicate, a, b, BITS) == expected
    for a, b in product((0, 1), (0, 1)):
        x, y = (-a, -b) if predicate[0] == "s" else (a, b)
        assert compared(predicate, a, b, 1) == compare[predicate[-2:]](x, y)
