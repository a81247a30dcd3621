"""The rules of integers: what they fold is what operations of arith give, and nothing of that is out of its bounds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from lanewise.ir.core import Block, Operation
from lanewise.ir.dialects import arith
from lanewise.ir.integer_ranges import CONVERTED, RANGED, Range, converted, every, exactly, range_of
from lanewise.ir.integer_rules import ABSORBING, COMMUTATIVE, NEUTRAL, compared, folded
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


OTHERS: dict[str, type[Operation]] = {
    "floordiv": arith.FloorDivSIOp,
    "ceildiv": arith.CeilDivSIOp,
    "uceildiv": arith.CeilDivUIOp,
    "smin": arith.MinSIOp,
    "smax": arith.MaxSIOp,
    "umin": arith.MinUIOp,
    "umax": arith.MaxUIOp,
}
"""Operations that have bounds, and are not folded by rules."""
ENDS = (-128, -9, -1, 0, 3, 8, 40, 127)
RANGES = [Range(low, high) for low, high in product(ENDS, ENDS) if low <= high]


def defined(opcode: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where an operation of all pairs has a result that the program may ask for."""
    if "div" in opcode or opcode in ("srem", "urem"):
        return (b != 0) & ((opcode[0] == "u") | (a != -128) | (b != -1))
    return (b >= 0) & (b < BITS) if opcode in ("shl", "lshr", "ashr") else np.ones_like(a, bool)


@pytest.mark.parametrize("opcode", sorted(RANGED - {"select"}))
def test_results_are_between_their_bounds(opcode: str) -> None:
    """All results of all pairs of numbers in pairs of ranges, by what the operation computes; of single numbers the
    bounds are the result, but where only one of an instruction's operands may be known."""
    numbers = np.arange(-128, 128, dtype=np.int8)
    a, b = (n.reshape(-1) for n in np.meshgrid(numbers, numbers, indexing="ij"))
    type = IntegerType(BITS)
    op = (OPERATIONS | OTHERS)[opcode](Block([type, type]).arguments, [type])
    with np.errstate(all="ignore"):
        results = np.asarray(op.reference(a, b)).reshape(256, 256).astype(int)
    is_defined = defined(opcode, a.astype(int), b.astype(int)).reshape(256, 256)
    for first, second in product(RANGES, RANGES):
        rows, columns = (slice(r.low + 128, r.high + 129) for r in (first, second))
        inside = results[rows, columns][is_defined[rows, columns]]
        found = range_of(opcode, [first, second], BITS)
        assert not inside.size or (found.low <= inside.min() and inside.max() <= found.high), (first, second, found)
        if opcode in ("add", "sub", "mul", "smin", "smax") and found != every(BITS):
            assert found == (inside.min(), inside.max())


@pytest.mark.parametrize("opcode", sorted(CONVERTED))
@pytest.mark.parametrize("before, after", [(1, 8), (8, 16), (8, 1), (8, 4)])
def test_converted_numbers_are_between_their_bounds(opcode: str, before: int, after: int) -> None:
    if (opcode == "trunc") != (after < before):
        return
    cast: type[Operation] = {"trunc": arith.TruncIOp, "sext": arith.ExtSIOp, "zext": arith.ExtUIOp}[opcode]
    op = cast(Block([IntegerType(before)]).arguments, [IntegerType(after)])
    for given in RANGES if before == 8 else (Range(0, 0), Range(0, 1), Range(1, 1)):
        numbers = np.arange(given.low, given.high + 1)
        results = np.asarray(op.reference(numbers.astype(bool if before == 1 else np.int8))).astype(int)
        found = converted(opcode, given, before, after)
        assert all(found.low <= n <= found.high for n in results), given


def test_ranges_that_are_not_known() -> None:
    """What may wrap may be anything; a part may be known where another is not."""
    assert range_of("add", [exactly(127), exactly(1)], 8) == every(8) == Range(-128, 127)
    assert range_of("mul", [Range(0, 255), Range(0, 1 << 24)], 32) == every(32)
    assert range_of("and", [every(32), exactly(7)], 32) == Range(0, 7)
    assert range_of("lshr", [every(32), exactly(16)], 32) == Range(0, 0xFFFF)
    assert range_of("urem", [every(64), exactly(10)], 64) == Range(0, 9)
    assert range_of("select", [Range(0, 3), Range(-2, 1)], 8) == Range(-2, 3)
    assert every(8).limit is None and Range(0, 9).limit == 10


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
