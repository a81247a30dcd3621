"""`// expect` lines: what they say, what is wrong with them and where, and that a wrong number is found."""

import lanewise
import pytest
from lanewise.check.counts import COUNTS, Measurement
from lanewise.ir.core import REGISTRY
from lanewise.support.diagnostics import ProgramError, Source

from .conftest import compares
from .expectations import expectations

COPY = """
gpu.func @copy(%x: memref<32xf32>, %y: memref<32xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  vector.transfer_write %a, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
"""


def of(*lines):
    return expectations(Source("\n".join(lines), "t.mlir"))


def test_what_they_say():
    first, second = of("// expect sm_90: mma 16, spills 0", "gpu.func", "// expect gfx942 M=3 N=4: instructions <= 90")
    assert (first.target, first.sizes, first.label) == ("sm_90", {}, "sm_90")
    assert [(e.name, e.sign, e.number) for e in first.expected] == [("mma", "", 16), ("spills", "", 0)]
    assert (second.sizes, second.label) == ({"M": 3, "N": 4}, "gfx942:M=3:N=4")
    assert [(e.name, e.sign, e.number) for e in second.expected] == [("instructions", "<=", 90)]


def test_counts_of_tools_stand_apart():
    (line,) = of("// expect sm_90: mma 16, spills 0")
    assert [(suffix, [e.name for e in part.expected]) for suffix, part in line.by_tools()] == [
        ("", ["mma"]),
        (":tools", ["spills"]),
    ]


@pytest.mark.parametrize("name", [*COUNTS, "layout vector.contract", "thread gpu.shuffle"])
def test_every_name_can_be_written(name):
    (line,) = of(f"// expect sm_90: {name} 1")
    assert line.expected[0].name == name


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("// expect sm_90: mma 16, shufles 0", 26, "nothing is counted as 'shufles'"),
        ("// expect sm_90: layout vector.contrakt 0", 18, "nothing is counted as 'layout vector.contrakt'"),
        ("// expect sm_91: mma 16", 11, "sm_91"),
        ("// expect sm_90: mma", 18, "NAME [<= | >=] NUMBER"),
        ("// expect sm_90: mma > 16", 18, "NAME [<= | >=] NUMBER"),
        ("// expect sm_90: mma 16,", 25, "NAME [<= | >=] NUMBER"),
        ("// expect sm_90 M: mma 16", 1, "TARGET SIZE=N"),
        ("// expect mma 16", 1, "TARGET SIZE=N"),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(line, column, message):
    with pytest.raises(ProgramError) as caught:
        of("// a program", line)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.location is not None
    assert str(diagnostic.location) == f"t.mlir:2:{column}"
    assert message in diagnostic.message


def test_wrong_numbers_are_found_where_they_stand():
    (line,) = of("// expect sm_90: loads 1, loads 2, stores <= 0, stores >= 2, stores >= 1")
    measurement = Measurement(lanewise.compile(COPY, "sm_90"))
    found = [e.check(measurement) for e in line.expected]
    assert [None if d is None else (str(d.location), d.message) for d in found] == [
        None,
        ("t.mlir:1:27", "sm_90: loads 2 expected, found 1"),
        ("t.mlir:1:36", "sm_90: stores at most 0 expected, found 1"),
        ("t.mlir:1:49", "sm_90: stores at least 2 expected, found 1"),
        None,
    ]


def test_names_of_counts_and_operations_are_told_apart():
    assert not set(COUNTS) & set(REGISTRY)


@pytest.mark.parametrize(
    ("text", "command", "options", "can_fail"),
    [
        ("// golden ptx\n//  a\n// end\n", "compile", [], True),
        ("// golden llvm\n//  a\n// end\n", "compile", ["emit=llvm"], True),
        ("// golden llvm\n//  a\n// end\n", "compile", [], False),
        ("gpu.return // expected-error {{a}}\n", "compile", [], True),
        ("gpu.return\n", "layout", [], False),
        ("gpu.return\n", "run", [], True),
    ],
)
def test_what_shows_a_stage_compares_it(text: str, command: str, options: list[str], can_fail: bool) -> None:
    assert compares(text, command, options) is can_fail
