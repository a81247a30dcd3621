"""Reading and checking take time in proportion to a program's operations."""

from __future__ import annotations

import time

from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify

COUNT = 5000
VALUES = "\n".join(f"%a{i} = arith.addi %x, %x : i32" for i in range(COUNT))
REGIONS = "\n".join(f"scf.if %c {{\n%b{i} = arith.muli %x, %x : i32\n}}" for i in range(COUNT // 2))


def program(*parts: str) -> str:
    return "func.func @f(%x: i32, %c: i1) {\n" + "\n".join(parts) + "\nreturn\n}"


def seconds(text: str) -> tuple[float, float]:
    """Of the processor, to read and to check: the least of two."""
    best = (float("inf"), float("inf"))
    for _ in range(2):
        start = time.process_time()
        module: Operation = parse_program(text)
        middle = time.process_time()
        verify(module)
        best = (min(best[0], middle - start), min(best[1], time.process_time() - middle))
    return best


def test_regions_behind_many_values_cost_as_much_as_regions_before_them() -> None:
    """Some 10,000 operations each: what a region sees is not gathered for each of them."""
    before, behind = seconds(program(REGIONS, VALUES)), seconds(program(VALUES, REGIONS))
    assert behind[0] < 2 * before[0]
    assert behind[1] < 2 * before[1]


def test_the_rate_does_not_fall_with_the_length() -> None:
    short, long = seconds(program(*VALUES.split("\n")[: COUNT // 5])), seconds(program(VALUES))
    assert long[0] / 5 < 2 * short[0]
    assert long[1] / 5 < 2 * short[1]
