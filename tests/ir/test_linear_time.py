"""Reading and checking take time in proportion to a program's operations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lanewise.frontend.dead import without_dead
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify

from ..durations import assert_takes_at_most

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


def gpu_program(lines: Sequence[str]) -> str:
    head = "gpu.func @f(%x: i32, %m: memref<i32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {"
    return "\n".join((head, *lines, "memref.store %x, %m[] : memref<i32>", "gpu.return", "}"))


def assert_cost(times: float, long: str, short: str) -> None:
    """To read the one, and to check it, takes at most so many times as long as the other."""
    assert_takes_at_most(times, partial(parse_program, long), partial(parse_program, short))
    assert_takes_at_most(times, partial(verify, parse_program(long)), partial(verify, parse_program(short)))


def test_regions_behind_many_values_cost_as_much_as_regions_before_them() -> None:
    """Some 10,000 operations each: what a region sees is not gathered for each of them."""
    assert_cost(2, program(VALUES, REGIONS), program(REGIONS, VALUES))


def test_the_rate_does_not_fall_with_the_length() -> None:
    assert_cost(2 * 5, program(VALUES), program(*VALUES.split("\n")[: COUNT // 5]))


def mixed(count: int) -> str:
    arguments = "%m: memref<64x64xf32>, %i: index, %p: f32, %c: i1"
    return f"func.func @f({arguments}) {{\n" + "\n".join(MIXED.format(i) for i in range(count)) + "\nreturn\n}"


def test_operations_of_many_kinds_take_as_long_each_in_long_programs() -> None:
    assert_cost(2 * 10, mixed(COUNT // 5), mixed(COUNT // 50))


def test_a_name_is_found_as_fast_inside_of_many_regions() -> None:
    depth = 200
    nest = "\n".join("scf.if %c {" for _ in range(depth))
    assert_cost(2, program(nest, VALUES, "}\n" * depth), program(VALUES))


DEAD = "\n".join(f"%d{i} = arith.muli %x, %x : i32" for i in range(COUNT))
"""All of one value: what it forgets of each of them must not take as long as all."""


def test_what_nobody_uses_goes_in_time_that_grows_with_the_program() -> None:
    lines = DEAD.split("\n")
    long, short = (find_kernel(parse_program(gpu_program(lines[:count]))) for count in (COUNT, COUNT // 10))
    assert len(without_dead(long).op.body.operations) == 2
    assert_takes_at_most(2 * 10, partial(without_dead, long), partial(without_dead, short))
