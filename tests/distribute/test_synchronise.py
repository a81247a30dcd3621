"""Barriers: as many as needed, where they are needed, and what misses one is reported by every executor.

`pytest tests/distribute/test_synchronise.py --programs 2000` takes that many random programs, `-k noticed --removals
2000` each barrier of as many away in turn, which takes an hour or two.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.core import Operation
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.pipeline.compilation import Compilation
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel
from lanewise.targets import find_chip

from .conftest import compilation
from .memory_programs import arguments, program
from .removals import Verdict, barriers, decide, without

EXAMPLES = Path(__file__).parents[2] / "examples"
CHIPS = ("sm_90", "gfx1100")
FIRST = 8
"""Where a race depends on data it takes long to look for; in the next few programs none does."""
SHARED = "#gpu.address_space<workgroup>"


def interpreted(module: Operation, values: list[np.ndarray]) -> list[np.ndarray]:
    interpret_kernel(find_kernel(module), (1, 1, 1), values, subgroup_size=32)
    return values


def emulated(text: str, chip: str, values: list[np.ndarray]) -> list[np.ndarray]:
    lanewise.compile(text, target=chip, device="emulated")[1](*values)
    return values


# -- random programs --------------------------------------------------------------------------------------------------


def test_executors_agree_whatever_the_layouts(programs: int, pytestconfig: pytest.Config) -> None:
    """No executor finds a race, and all give what the reference gives; chips take turns, all with `--thorough`."""
    thorough = pytestconfig.getoption("thorough")
    for seed in range(programs):
        text = program(seed)
        c = compilation(text)
        expected = arguments(seed)
        run_kernel(c.kernel, (1, 1, 1), expected)
        found = [interpreted(c.thread_module, arguments(seed))]
        found += [emulated(text, chip, arguments(seed)) for chip in CHIPS if thorough or chip == CHIPS[seed % 2]]
        for values in found:
            np.testing.assert_array_equal(values, expected, err_msg=f"program {seed}")


@pytest.mark.parametrize("parts", [False, True], ids=["workgroup", "parts"])
def test_a_barrier_less_is_noticed(removals: int, parts: bool) -> None:
    """Each one taken away is reported for some input, or would be if data decided otherwise, which is rare.

    To others a part's accesses are in no order, though its own barrier may order some of them: a few barriers around
    splits are needless.
    """
    verdicts = Counter[Verdict]()
    for seed in range(FIRST, FIRST + removals):
        module = compilation(program(seed, parts=parts)).thread_module
        for number in range(len(barriers(module))):
            verdict = decide(without(module, number), seed)
            assert verdict != Verdict.OPEN and (parts or verdict != Verdict.NEEDLESS), f"program {seed}, {number}"
            verdicts[verdict] += 1
    assert verdicts[Verdict.REPORTED] > 10 * (verdicts[Verdict.UNTAKEN] + verdicts[Verdict.EQUAL])
    assert verdicts[Verdict.REPORTED] > 25 * verdicts[Verdict.NEEDLESS]


def test_parts_agree(programs: int) -> None:
    """What parts of the workgroup do at once, in memory of their own, is what the reference does in turn."""
    compiled = 0
    for seed in range(0, programs, 2):
        text = program(seed, parts=True)
        c = compilation(text)
        expected = arguments(seed)
        run_kernel(c.kernel, (1, 1, 1), expected, 32)
        found = [interpreted(c.thread_module, arguments(seed)), emulated(text, "sm_90", arguments(seed))]
        try:
            found.append(emulated(text, "gfx1100", arguments(seed)))
            compiled += "lanewise.split" in text
        except lanewise.CompileError as error:
            assert "has barriers of all of them only" in str(error)
        for values in found:
            np.testing.assert_array_equal(values, expected, err_msg=f"program {seed}")
    assert compiled


# -- what was found ---------------------------------------------------------------------------------------------------

REPLICATED = """
gpu.func @f(%c: memref<32xf32>, %d: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %c[%c0], %p {in_bounds=[true]} : memref<32xf32>, vector<24xf32>
  %y = arith.addf %x, %x : vector<24xf32>
  vector.transfer_write %y, %c[%c0] {in_bounds=[true]} : vector<24xf32>, memref<32xf32>
  gpu.return
}
"""
THEN_CONVERT = """
#A = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32],
  element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#B = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [16],
  element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
gpu.func @f(%c: memref<32xf32>, %d: memref<32xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %c[%c0], %p {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %xa = iree_vector_ext.to_layout %x to layout(#A) : vector<32xf32>
  %y = arith.addf %xa, %xa : vector<32xf32>
  vector.transfer_write %y, %c[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  %b = iree_vector_ext.to_layout %xa to layout(#B) : vector<32xf32>
  vector.transfer_write %b, %d[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  gpu.return
}
"""


def in_place() -> list[np.ndarray]:
    return [np.arange(32, dtype=np.float32), np.zeros(32, np.float32)]


@pytest.mark.parametrize("text", [REPLICATED, THEN_CONVERT], ids=["replicated", "then_convert"])
@pytest.mark.parametrize("chip", CHIPS)
def test_in_place(text: str, chip: str) -> None:
    """A barrier in global memory; without it interpreter and emulator report a race with both lines."""
    c = Compilation(parse_program(text), None, find_chip(chip))
    assert barriers(c.thread_module)
    for values in (interpreted(c.thread_module, in_place()), emulated(text, chip, in_place())):
        np.testing.assert_array_equal(values[0][:24], 2 * in_place()[0][:24])
    broken = c.thread_module
    while barriers(broken):
        broken = without(broken, 0)
    with pytest.raises(EvaluationError, match="a data race"):
        interpreted(broken, in_place())
    with pytest.raises(lanewise.LaunchError, match=r"global memory .*the other access from"):
        emulated(print_program(broken), chip, in_place())


# -- how many ---------------------------------------------------------------------------------------------------------


def count(text: str, chip: str = "sm_90") -> int:
    return len(barriers(Compilation(parse_program(text), None, find_chip(chip)).thread_module))


@pytest.mark.parametrize(
    ("example", "expected"),
    # softmax and layer_norm: two reductions, each stores, then reads, and the second stores elsewhere.
    [("vector_add", 0), ("softmax", 2), ("layer_norm", 2), ("transpose", 1), ("matmul_f16", 2)],
)
def test_examples(example: str, expected: int) -> None:
    assert count((EXAMPLES / f"{example}.mlir").read_text()) == expected


ROWS = "#iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], "
ROWS += "element_tile = [1], subgroup_strides = [1], thread_strides = [1]>"


def body(lines: str, arguments: str = "%c: memref<?xi32>, %n: index", threads: int = 64) -> str:
    return f"""
gpu.func @k({arguments}) kernel attributes {{gpu.known_block_size = array<i32: {threads}, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %p = arith.constant 1 : i32
{lines}
  gpu.return
}}
"""


def read(name: str, place: str) -> str:
    return f"""  %{name}r = vector.transfer_read %c[{place}], %p {{in_bounds = [true]}} : memref<?xi32>, vector<64xi32>
  %{name} = iree_vector_ext.to_layout %{name}r to layout({ROWS}) : vector<64xi32>"""


def write(name: str, place: str) -> str:
    return f"  vector.transfer_write %{name}, %c[{place}] {{in_bounds = [true]}} : vector<64xi32>, memref<?xi32>"


def loop(lines: str) -> str:
    return f"  scf.for %i = %c0 to %n step %c1 {{\n{lines}\n  }}"


SAME_THREAD = f"{read('x', '%c64')}\n{write('x', '%c64')}\n{read('y', '%c64')}\n{write('y', '%c64')}"
BESIDE = f"{read('x', '%c0')}\n{write('x', '%c64')}\n{read('y', '%c128')}"
SHIFTED = f"{read('x', '%c1')}\n{write('x', '%c0')}"
EACH_ITS_OWN = loop(f"  %j = arith.muli %i, %c64 : index\n{read('x', '%j')}\n{write('x', '%j')}")
OVERLAPPING = loop(f"  %j = arith.muli %i, %c32 : index\n{read('x', '%j')}\n{write('x', '%j')}")
IN_BRANCH = f"""{read("x", "%c0")}
  %odd = arith.cmpi eq, %n, %c1 : index
  scf.if %odd {{
{write("x", "%c1")}
  }}
{read("y", "%c2")}
{write("y", "%c128")}"""
BY_ONE = f"""{read("x", "%c0")}
  memref.store %p, %c[%c0] : memref<?xi32>
  memref.store %p, %c[%c1] : memref<?xi32>
{read("y", "%c0")}
{write("y", "%c128")}
{write("x", "%c64")}"""
ATOMIC = """
  memref.atomic_rmw addi %p, %c[%c0] : (i32, memref<?xi32>) -> i32
  memref.atomic_rmw addi %p, %c[%n] : (i32, memref<?xi32>) -> i32"""
ODD_ITERATIONS = f"""
  %three = arith.constant 3 : index
  scf.for %i = %c0 to %three step %c1 {{
    %bit = arith.remui %i, %c2 : index
    %odd = arith.cmpi eq, %bit, %c1 : index
    scf.if %odd {{
{SHIFTED}
    }}
  }}"""
TWO_SLOTS = f"""{read("x", "%c0")}
  %four = arith.constant 4 : index
  scf.for %i = %c0 to %four step %c1 {{
    %even = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %odd = arith.remui %next, %c2 : index
    %a = arith.muli %even, %c128 : index
    %b = arith.muli %odd, %c128 : index
{write("x", "%a")}
    %shifted = arith.addi %b, %c1 : index
{read("y", "%shifted")}
    %half = arith.constant 512 : index
{write("y", "%half")}
  }}"""
HANDED_ON = f"""{read("x", "%c64")}
{write("x", "%c0")}
  %three = arith.constant 3 : index
  %far = arith.constant 1024 : index
  scf.for %i = %c0 to %three step %c1 {{
    %block = arith.muli %i, %c128 : index
    %last = arith.addi %block, %c128 : index
    %next = arith.addi %last, %c128 : index
    %shifted = arith.addi %last, %c1 : index
{read("r", "%shifted")}
{read("q", "%c1")}
{write("q", "%next")}
{write("r", "%far")}
  }}"""
WHOLE_PART = f"""{read("x", "%c0")}
{write("x", "%c0")}
  lanewise.split {{subgroups = array<i64: 2>}} {{
{read("y", "%c128")}
    %shifted = arith.addi %c128, %c1 : index
{write("y", "%shifted")}
{read("z", "%c1")}
{write("z", "%shifted")}
  }}"""
UNKNOWN = f"{write('z', '%n')}\n{write('z', '%c0')}"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (SAME_THREAD, 0),
        (BESIDE, 0),
        (SHIFTED, 1),
        (EACH_ITS_OWN, 0),
        (OVERLAPPING, 1),
        (IN_BRANCH, 2),  # before the write inside, and before the read of what it wrote
        (BY_ONE, 2),  # before thread 0 overwrites element 1, and before the others read what it wrote
        (ATOMIC, 0),
        (ODD_ITERATIONS, 1),  # between read and write; no other iteration does anything
        (TWO_SLOTS, 1),  # before what others read the iteration before is overwritten
        (HANDED_ON, 1),  # what orders an iteration's first read after the write before it orders the second one, too
        (WHOLE_PART, 1),  # between read and write; what others wrote before the split is read behind it
        (f"{read('z', '%c0')}\n  gpu.barrier\n{UNKNOWN}", 2),  # the author's own, and one between two places
        (f"{read('x', '%c1')}\n  gpu.barrier\n{write('x', '%c0')}", 1),  # the author's is enough
    ],
    ids=[
        "same thread", "beside", "shifted", "each its own", "overlapping", "in a branch", "by one", "atomic",
        "odd iterations", "two slots", "handed on", "whole part", "unknown", "author's",
    ],
)  # fmt: skip
def test_only_where_needed(lines: str, expected: int) -> None:
    assert count(body(lines)) == expected


def test_one_thread_waits_for_nobody() -> None:
    layout = (
        ROWS.replace("subgroup_tile = [2]", "subgroup_tile = [1]")
        .replace("[32]", "[1]")
        .replace("[1], outer", "[64], outer")
    )
    assert count(body(SHIFTED.replace(ROWS, layout), threads=1)) == 0


def test_a_threads_program_is_its_authors() -> None:
    """Nothing is inferred where the program says what one thread does."""
    lines = (
        "  %t = gpu.thread_id x\n  %v = memref.load %c[%c0] : memref<?xi32>\n  memref.store %v, %c[%t] : memref<?xi32>"
    )
    text = body(lines).replace("1, 1>}", '1, 1>, lanewise.scope = "thread"}')
    assert count(text) == 0


def test_lanes_of_a_subgroups_program_have_no_barrier() -> None:
    """Where they would need one the program is refused; the author's own is one."""
    text = REPLICATED.replace("1, 1>}", '1, 1>, lanewise.scope = "subgroup"}')
    with pytest.raises(lanewise.CompileError, match="nothing orders lanes of a subgroup's program"):
        count(text)
    assert count(text.replace("  vector.transfer_write", "  gpu.barrier\n  vector.transfer_write")) == 1
    assert count(text.replace("%y, %c[%c0]", "%y, %d[%c0]")) == 0
