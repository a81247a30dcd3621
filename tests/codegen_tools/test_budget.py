"""What compiling may take: the size of a block, and LLVM's time."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import lanewise
import pytest
from lanewise.cli.main import _options, main
from lanewise.codegen.budget import Budget, LongBlock, longest_block

EXAMPLE = Path(__file__).parents[2] / "examples" / "rms_norm.mlir"
SQUARES = """gpu.func @f(%X: memref<4096xf32>, %Y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %x = vector.transfer_read %X[%c0], %pad {in_bounds = [true]} : memref<4096xf32>, vector<4096xf32>
  %y = arith.mulf %x, %x : vector<4096xf32>
  %z = math.exp %y : vector<4096xf32>
  %sum = vector.reduction <add>, %z : vector<4096xf32> into f32
  memref.store %sum, %Y[%c0] : memref<1xf32>
  gpu.return
}
"""
"""Each thread has 128 elements: the exponential takes the most lines by far."""


def test_blocks_are_counted_by_what_they_come_from() -> None:
    text = """define void @f() {
entry:
  %a = add i32 1, 2, !dbg !9
  br label %b
b:
  %c = add i32 1, 2, !dbg !10
  %d = add i32 1, 2, !dbg !9
  %e = add i32 1, 2, !dbg !10
  ret void
}
attributes #1 = { nounwind }
"""
    assert longest_block(text) == LongBlock("b", 4, "!10", 2)
    assert longest_block("") == LongBlock("", 0, None, 0)


@pytest.mark.parametrize("target", ["sm_90", "gfx1201"])
def test_a_long_block_is_refused_where_most_of_it_comes_from(target: str) -> None:
    kernel = lanewise.compile(SQUARES, target, budget=Budget(lines=1000))
    with pytest.raises(lanewise.CompileError) as caught:
        _ = kernel.llvm_ir
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.location is not None
    assert diagnostic.location.source.position(diagnostic.location.offset)[0] == 7, "math.exp"
    found = re.fullmatch(
        r"kernel '@f' has (\d+) lines of LLVM IR in one block, (\d+) of them for what stands here; the budget is 1000",
        diagnostic.message,
    )
    assert found is not None and int(found[1]) > 1000 and int(found[1]) // 2 < int(found[2]) < int(found[1])
    assert lanewise.compile(SQUARES, target, budget=Budget(lines=int(found[1]))).llvm_ir, "as many are allowed"


def test_llvm_is_ended_when_its_time_is_over() -> None:
    kernel = lanewise.compile(EXAMPLE, "gfx942", isolate=True, budget=Budget(seconds=0.001))
    with pytest.raises(
        lanewise.LlvmProcessError, match=r"within 0.001 s while(.|\n)*its longest block has \d+ lines: smaller tiles"
    ):
        _ = kernel.amdgcn
    assert lanewise.compile(EXAMPLE, "gfx942", isolate=True).amdgcn, "the next one is compiled"


def test_an_answer_after_its_time_is_refused_though_the_timer_was_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Timer, "start", lambda _: None)
    kernel = lanewise.compile(EXAMPLE, "gfx942", isolate=True, budget=Budget(seconds=1e-6))
    with pytest.raises(lanewise.LlvmProcessError, match="did not finish within 1e-06 s"):
        _ = kernel.amdgcn


def test_validation_keeps_the_budget() -> None:
    kernel = lanewise.compile(EXAMPLE, "sm_90", budget=Budget(lines=3))
    assert kernel.isolated.compiler.settings.budget == Budget(lines=3)


def test_options_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(EXAMPLE), "--budget-lines", "5"]) == 2
    assert "the budget is 5" in capsys.readouterr().err
    assert main(["compile", str(EXAMPLE), "--budget-seconds", "0.001"]) == 2
    assert "did not finish within 0.001 s" in capsys.readouterr().err


@pytest.mark.parametrize(("lines", "seconds"), [(0, 1), (1, 0), (-3, 1)])
def test_a_budget_allows_something(lines: int, seconds: int) -> None:
    with pytest.raises(lanewise.BudgetError, match="above 0 is expected, found"):
        Budget(lines, seconds)


def test_the_command_line_allows_as_much_as_python() -> None:
    options = _options(["compile", "-"])
    assert Budget(options.budget_lines, options.budget_seconds) == Budget()
