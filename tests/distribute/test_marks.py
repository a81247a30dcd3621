"""Marks: what the order of threads depends on is said by the distributed program, and gone behind the barriers."""

from __future__ import annotations

import lanewise
import pytest
from lanewise.ir.printer import print_program
from lanewise.pipeline.single import read_request, run_single
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip

SM_80 = find_chip("sm_80")


def program(body: str, *, stage: str = "distributed", scope: str = "workgroup") -> str:
    """64 threads with a buffer of theirs, %i being the thread's number and %j that of its neighbour."""
    return f"""module attributes {{lanewise.stage = "{stage}"}} {{
  gpu.func @f(%n: index, %y: memref<64xf32>) kernel
      attributes {{gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "{scope}"}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = arith.constant 63 : index
    %one = arith.constant 1.0 : f32
    %i = gpu.thread_id x
    %next = arith.addi %i, %c1 : index
    %j = arith.minui %next, %last : index
    %b = memref.alloc() : memref<65xf32, #gpu.address_space<workgroup>>
    {body}
    gpu.return
  }}
}}"""


def barriers(body: str) -> int:
    module = lanewise.parse(program(body))
    text = print_program(run_single(module, None, SM_80, [read_request("barriers")]))
    assert "lanewise.uniform" not in text and "lanewise.origin" not in text and "lanewise.scope" not in text
    return text.count("gpu.barrier")


MEMREF = "memref<65xf32, #gpu.address_space<workgroup>>"
SAID = "{lanewise.origin = 0 : i64}"
EXCHANGE = f"""memref.store %one, %b[%i] {{first}} : {MEMREF}
    %v = memref.load %b[%j] {{second}} : {MEMREF}
    memref.store %v, %y[%i] : memref<64xf32>"""


@pytest.mark.parametrize(("first", "second", "expected"), [(0, 0, 0), (0, 1, 1), (None, None, 1), (0, None, 1)])
def test_writes_of_one_operation_need_no_order(first: int | None, second: int | None, expected: int) -> None:
    said = ["" if n is None else f"{{lanewise.origin = {n} : i64}}" for n in (first, second)]
    at_i, at_j = (f"memref.store %one, %b[%{at}] {said[n]} : {MEMREF}" for n, at in enumerate("ij"))
    assert barriers(f"{at_i}\n{at_j}") == expected


def test_what_one_operation_writes_and_then_reads_needs_order() -> None:
    assert barriers(EXCHANGE.replace("{first}", "").replace("{second}", "")) == 1
    assert barriers(EXCHANGE.replace("{first}", SAID).replace("{second}", SAID)) == 1


@pytest.mark.parametrize(("said", "expected"), [("{lanewise.uniform = array<i64: 0>}", 0), ("", 1)])
def test_of_an_index_that_is_uniform_threads_have_places_of_their_own(said: str, expected: int) -> None:
    """Each thread reads what it wrote, %i + %k, if %k is the same number in all of them."""
    body = f"""%k = memref.load %keys[] {said} : memref<index>
    %at = arith.addi %i, %k : index
    memref.store %one, %b[%at] : {MEMREF}
    %v = memref.load %b[%at] : {MEMREF}
    memref.store %v, %y[%i] : memref<64xf32>"""
    text = program(body).replace("%n: index", "%keys: memref<index>")
    behind = print_program(run_single(lanewise.parse(text), None, SM_80, [read_request("barriers")]))
    assert behind.count("gpu.barrier") == expected


LOOP = f"""scf.for %k = %c0 to %n step %c1 {{
      {EXCHANGE.replace("{first}", "").replace("{second}", "")}
    }}"""


def test_loops_that_threads_take_alike_have_barriers_inside() -> None:
    """One before the load, and one before the next iteration's store."""
    assert barriers(LOOP + " {lanewise.uniform = array<i64: 0>}") == 2
    with pytest.raises(CompileError, match=r"(?s)'scf.for' op touches memory that other threads touch.*hint: lanewise"):
        barriers(LOOP)


def test_threads_of_single_programs_get_no_barriers() -> None:
    body = EXCHANGE.replace("{first}", "").replace("{second}", "")
    text = program(body, scope="thread")
    assert "gpu.barrier" not in print_program(run_single(lanewise.parse(text), None, SM_80, [read_request("barriers")]))


@pytest.mark.parametrize("stage", ["vector", "thread"])
def test_marks_are_of_the_distributed_stage(stage: str) -> None:
    text = program(
        "memref.store %one, %y[%i] {lanewise.origin = 0 : i64} : memref<64xf32>", stage=stage, scope="thread"
    )
    with pytest.raises(CompileError, match=f"which is read in the distributed stage, not in the {stage} stage"):
        lanewise.compile(text, "sm_80").thread_ir  # noqa: B018


def test_what_the_program_says_of_values_is_marked_where_it_does_not_follow() -> None:
    """A number that the vector program loads once is the same in all threads; a sum of such follows."""
    text = """gpu.func @f(%x: memref<64xf32>, %keys: memref<index>, %y: memref<64xf32>) kernel
        attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
      %z = arith.constant 0.0 : f32
      %b = gpu.block_id x
      %k = memref.load %keys[] : memref<index>
      %at = arith.addi %b, %k : index
      %v = vector.transfer_read %x[%at], %z : memref<64xf32>, vector<64xf32>
      vector.transfer_write %v, %y[%at] : vector<64xf32>, memref<64xf32>
      gpu.return
    }"""
    (run,) = [run for run in lanewise.compile(text, "sm_80").passes if run.name == "distribute"]
    marked = [line.split("=")[0].strip() for line in run.text.splitlines() if "lanewise.uniform" in line]
    assert marked == ["%k"]
