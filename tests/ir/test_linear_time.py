"""Reading and checking take time in proportion to a program's operations."""

from __future__ import annotations

import time

from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify

COUNT = 5000
VALUES = "\n".join(f"%a{i} = arith.addi %x, %x : i32" for i in range(COUNT))
REGIONS = "\n".join(f"scf.if %c {{\n%b{i} = arith.muli %x, %x : i32\n}}" for i in range(COUNT // 2))

MIXED = """%v{0} = vector.transfer_read %m[%i, %i], %p {{in_bounds = [true]}} : memref<64x64xf32>, vector<16xf32>
%w{0} = arith.addf %v{0}, %v{0} fastmath<fast> : vector<16xf32>
%s{0} = vector.reduction <add>, %w{0} : vector<16xf32> into f32
scf.if %c {{
memref.store %s{0}, %m[%i, %i] : memref<64x64xf32>
}}
vector.transfer_write %w{0}, %m[%i, %i] : vector<16xf32>, memref<64x64xf32>"""


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


def mixed(count: int) -> str:
    arguments = "%m: memref<64x64xf32>, %i: index, %p: f32, %c: i1"
    return f"func.func @f({arguments}) {{\n" + "\n".join(MIXED.format(i) for i in range(count)) + "\nreturn\n}"


def test_operations_of_many_kinds_take_as_long_each_in_long_programs() -> None:
    short, long = seconds(mixed(COUNT // 50)), seconds(mixed(COUNT // 5))
    assert long[0] / 10 < 2 * short[0]
    assert long[1] / 10 < 2 * short[1]


def test_a_name_is_found_as_fast_inside_of_many_regions() -> None:
    depth = 200
    nest = "\n".join("scf.if %c {" for _ in range(depth))
    flat, deep = seconds(program(VALUES)), seconds(program(nest, VALUES, "}\n" * depth))
    assert deep[0] < 2 * flat[0]
    assert deep[1] < 2 * flat[1]
