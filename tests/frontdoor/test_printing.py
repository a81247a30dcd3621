"""What kernels print: through every door of the front, beyond what fits, and where executors print otherwise."""

from __future__ import annotations

import dataclasses
import io
import pickle
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.check.printed import differences
from lanewise.ir.attribute_parser import AttributeParser
from lanewise.ir.messages import formatted, text_of
from lanewise.ir.printing import Printing, Record
from lanewise.ir.types import F64, I32, IntegerType
from lanewise.support.diagnostics import ProgramError, Source

PROGRAM = """
gpu.func @k(%x: memref<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
  gpu.printf "x = "
  vector.print %v : vector<4xf32>
  gpu.return
}
"""
X = np.array([1, 0.5, -3, 1e10], np.float32)
TEXT = "x = ( 1, 0.5, -3, 1e+10 )\n"


def printed(kernel: lanewise.Kernel | lanewise.LoadedKernel, grid: int = 1) -> str:
    out = io.StringIO()
    kernel.launch(grid, X, print_to=out)
    return out.getvalue()


def test_prints_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = lanewise.compile(PROGRAM, "sm_90", device="emulated")
    kernel[2](X)
    kernel[0](X)
    assert capsys.readouterr().out == 2 * TEXT


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
def test_stages_files_and_pickles_print_the_same(target: str, tmp_path: Path) -> None:
    kernel = lanewise.compile(PROGRAM, target, device="emulated")
    kernel.save(tmp_path / "k.lw", cubin=False)
    again = [
        kernel,
        pickle.loads(pickle.dumps(kernel)),
        lanewise.load(tmp_path / "k.lw", device="emulated"),
        lanewise.compile(kernel.layout_ir, device="emulated"),
        lanewise.compile(kernel.thread_ir, device="emulated"),
    ]
    assert [printed(each) for each in again] == [TEXT] * 5
    assert [[p.name for p in each.signature] for each in again] == [["x"]] * 5
    report = lanewise.validate(again[-1], 1, X, on=["interpret", "emulated"])
    assert report.ok and {check.printed for check in report.checks} == {TEXT}


def test_a_launch_counts_its_own_arguments() -> None:
    kernel = lanewise.compile(PROGRAM, "sm_90", device="emulated")
    with pytest.raises(lanewise.ArgumentError, match=r"expected 1 argument \(x\), found 0"):
        kernel[1]()


LOOP = """
gpu.func @k(%n: index) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = vector.broadcast %i : index to vector<30xindex>
    vector.print %v : vector<30xindex>
  }
  gpu.return
}
"""


def test_what_does_not_fit_is_told() -> None:
    """A record has 61 words: a number, and two of each index. A row has 2^14 words, one of them kept."""
    kernel = lanewise.compile(LOOP, "sm_90", device="emulated")
    out = io.StringIO()
    kernel.launch(1, 300, print_to=out)
    *lines, last = out.getvalue().splitlines()
    assert lines == [f"( {', '.join([str(i)] * 30)} )" for i in range((2**14 - 1) // 61)]
    assert last == "<workgroup (0, 0, 0) printed more than the 65536 bytes of this launch: the rest is lost>"
    assert lanewise.validate(kernel, 1, 300, on=["emulated"], thorough=False).ok


def test_straight_lines_always_fit() -> None:
    """Rows get shorter with more workgroups, but never shorter than all messages once, in multiples of four words."""
    message = formatted("%d %d %d", [I32, I32, IntegerType(64)])
    assert Printing((1,), (message,)).shape((1 << 10, 1 << 10, 1)) == (1 << 20, 8)
    assert Printing((2, 0, 1), (message,)).shape((4, 1, 1)) == (12, 2**14)


@pytest.mark.parametrize(
    ("format", "values", "expected"),
    [
        ("%5.1f|%-4d|%o", [2.25, 7, 8], "  2.2|7   |10"),
        ("%e %G %+i %X %c", [1.5, 1e-10, 3, -1, 65], "1.500000e+00 1E-10 +3 FFFFFFFF A"),
        ("%u%%", [-1], "4294967295%"),
    ],
)
def test_conversions_are_those_of_c(format: str, values: list[float], expected: str) -> None:
    """Expected texts are printf's, of C."""
    types = [F64 if isinstance(v, float) else I32 for v in values]
    assert text_of(formatted(format, types), [np.array(v) for v in values]) == expected


def test_messages_that_differ_are_found() -> None:
    message = formatted("%g\n", [F64])
    right = Record((0, 0, 0), message, (np.array(1.0),), (np.array(0.5),))
    near, far = (dataclasses.replace(right, values=(np.array(x),)) for x in (1.25, 1.75))
    assert not list(differences([right], [near], exact=False))
    assert list(differences([right], [near], exact=True)) == [
        r"message 0 of workgroup 0, program 0, owner 0: expected '1\n', found '1.25\n'"
    ]
    assert len(list(differences([right], [far], exact=False))) == 1
    assert len(list(differences([right, right], [right], exact=False))) == 1
    assert len(list(differences([], [right], exact=False))) == 1
    assert not list(differences([right, right], [Record((0, 0, 0), ("lost",), (), lost=True)], exact=False))


@pytest.mark.parametrize(
    "text",
    [
        "3 : i64",
        "{rows = array<i64: 1>}",
        "{rows = array<i64: -1>, messages = []}",
        '{rows = array<i64: 1>, messages = [[["s", i32]]]}',
        '{rows = array<i64: 1>, messages = [[["", memref<4xi32>]]]}',
    ],
)
def test_other_attributes_say_no_layout(text: str) -> None:
    assert Printing.of(AttributeParser(Source(text)).parse_attribute()) is None


def test_an_attribute_is_read_as_it_is_written() -> None:
    messages = (formatted("a %5d\n", [I32]), ("text",), formatted("", []), (*formatted("%d", [I32]),))
    printing = Printing((1, 0, 32), messages)
    assert Printing.of(AttributeParser(Source(str(printing.attribute))).parse_attribute()) == printing


def test_what_cannot_be_printed_is_refused_by_name() -> None:
    text = LOOP.replace("%n: index", "%n: index, %m: memref<4xui8>").replace(
        "vector.print %v : vector<30xindex>", "%u = memref.load %m[%i] : memref<4xui8>\n vector.print %u : ui8"
    )
    with pytest.raises(ProgramError, match="prints a ui8, expected floats, index or signless integers"):
        lanewise.compile(text, "sm_90")


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_a_text_behind_any_pass_prints_the_same(target: str) -> None:
    kernel = lanewise.compile(PROGRAM, target)
    changed = [run for run in kernel.variant(kernel.best_facts).passes if run.changed]
    assert {"legalise", "layouts", "distribute"} <= {run.name for run in changed}
    for run in changed:
        again = lanewise.compile(run.text, target, device="emulated")
        assert printed(again) == TEXT, run.name
        assert lanewise.validate(again, 1, X, on=["reference", "interpret"]).verdict == "right", run.name


def test_the_argument_is_ours() -> None:
    text = PROGRAM.replace("%x: memref<4xf32>", "%x: memref<4xf32> {lanewise.printed = 1 : i64}")
    with pytest.raises(ProgramError, match=r"has 'lanewise.printed' of argument 0, '%x', which launches make"):
        _ = lanewise.compile(text, "sm_90").thread_ir


def test_validate_shows_what_was_printed(call: Any, tmp_path: Path) -> None:
    path = tmp_path / "prints.mlir"
    path.write_text("""// lanewise.args x = index(4)
gpu.func @f(%x: memref<4xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<4xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  gpu.return
}""")
    assert "printed:\n  ( 0, 1, 2, 3 )\nright" in call("validate", str(path), "--on", "reference,interpret").out
