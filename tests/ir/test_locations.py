"""`loc(...)` behind operations: kept as it is read, printed where it is asked for, and where messages point to."""

from __future__ import annotations

import pickle
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.cli.main import main
from lanewise.ir.builder import FoldingBuilder
from lanewise.ir.core import Block, Operation
from lanewise.ir.dialects import arith, memref
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.types import I32
from lanewise.ir.verify import verify
from lanewise.jit.source import Verified, module_of
from lanewise.support.diagnostics import Diagnostic, Location, Source, VerifyError

PYTHON = Source("def kernel(x):\n    y = double(x)\n\ndef double(v):\n    return v + v\n", "k.py")
WORDS = {
    '"k.py":2:9': "k.py:2:9",
    '"k.py":2:9 to :18': "k.py:2:9",
    '"k.py":2:9 to 5:3': "k.py:2:9",
    '"k.py":2': "k.py:2:1",
    '"name"("k.py":2:9)': "k.py:2:9",
    'fused["name", "k.py":2:9, "k.py":5:12]': "k.py:2:9",
    'fused<"why">[unknown, "k.py":5:12]': "k.py:5:12",
    'callsite("k.py":5:12 at "k.py":2:9)': "k.py:5:12",
    'callsite(callsite("a.py":1:1 at "b.py":2:2) at "c.py":3:3)': "a.py:1:1",
    "unknown": "t.mlir:1:1",
    '"name"': "t.mlir:1:1",
    '"k.py":0:0': "t.mlir:1:1",
}


def constant(words: str, definitions: str = "") -> Operation:
    text = f"arith.constant 1 : i32 loc({words})\n{definitions}"
    return parse_program(text, "t.mlir").body.operations[0]


@pytest.mark.parametrize("words", WORDS)
def test_an_operation_is_where_its_text_says(words: str) -> None:
    assert str(constant(words).location) == WORDS[words]
    module = parse_program(f"arith.constant 1 : i32 loc({words})", "t.mlir")
    printed = print_program(module, locations=True)
    said = words if words[-2:] != ":2" else f"{words}:0"
    assert f"arith.constant 1 : i32 loc({said})\n" in printed
    assert print_program(parse_program(printed), locations=True) == printed
    assert "loc(" not in print_program(module)


def test_aliases_may_be_defined_behind() -> None:
    op = constant("#late", '#place = loc("k.py":5:12)\n#late = loc(callsite(#place at "k.py":2:9))')
    assert op.location is not None and op.location.caller is not None
    assert (str(op.location), str(op.location.caller)) == ("k.py:5:12", "k.py:2:9")


def test_callers_of_callers_are_in_order() -> None:
    at, seen = constant('callsite(callsite("a.py":1:1 at "b.py":2:2) at "c.py":3:3)').location, list[str]()
    while at is not None:
        seen.append(str(at))
        at = at.caller
    assert seen == ["a.py:1:1", "b.py:2:2", "c.py:3:3"]


def test_functions_have_names() -> None:
    op = constant('callsite("double"("k.py":5:12) at "k.py":2:9)')
    assert op.location is not None and op.location.function == "double"


HELPER = Location(
    PYTHON,
    PYTHON.offset(5, 12),
    PYTHON.offset(5, 17),
    Location(PYTHON, PYTHON.offset(2, 9), PYTHON.offset(2, 18)),
    "double",
)


def test_messages_show_the_line_and_the_callers() -> None:
    assert Diagnostic("wrong", HELPER).render() == (
        "k.py:5:12: error: wrong\n      return v + v\n             ^^^^^\n"
        "k.py:2:9: note: called here\n      y = double(x)\n          ^^^^^^^^^"
    )


def test_messages_of_files_that_are_not_known_show_the_text() -> None:
    text = 'arith.constant 1 : i32 loc("k.py":2:9)\n"arith.addi"() : () -> () loc("k.py":5:12)\n'
    with pytest.raises(VerifyError) as caught:
        verify(parse_program(text, "t.mlir"))
    lines = str(caught.value).split("\n")
    assert lines[0].startswith("k.py:5:12: error: 'arith.addi' op")
    assert lines[1] == "t.mlir:2:1: note: read here" and '"arith.addi"()' in lines[2]


def test_what_is_built_is_printed_and_read_back() -> None:
    module = parse_program("arith.constant 1 : i32", "t.mlir")
    (op,) = module.body.operations
    op.location = HELPER
    printed = print_program(module, locations=True)
    assert 'loc(callsite("double"("k.py":5:12 to :17) at "k.py":2:9 to :18))' in printed
    (read,) = parse_program(printed, sources=[PYTHON]).body.operations
    assert read.location is not None and read.location._replace(stated=None) == HELPER


def test_the_command_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.mlir"
    path.write_text(NEIGHBOUR)
    assert main(["opt", str(path), "--locations"]) == 0
    printed = capsys.readouterr().out
    assert f'loc("{path}":10:3)' not in printed and 'loc("k.py":2:9)' in printed and f'loc("{path}":3:8)' in printed
    assert main(["opt", str(path)]) == 0
    assert 'loc("' not in capsys.readouterr().out


NEIGHBOUR = """gpu.func @neighbour(%a: memref<64xf32>, %b: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %one = arith.constant 1 : index
  %s = memref.alloc() : memref<65xf32, #gpu.address_space<workgroup>>
  %x = memref.load %a[%t] : memref<64xf32>
  memref.store %x, %s[%t] : memref<65xf32, #gpu.address_space<workgroup>>
  %u = arith.addi %t, %one : index
  gpu.barrier
  %y = memref.load %s[%u] : memref<65xf32, #gpu.address_space<workgroup>> loc("k.py":2:9)
  memref.store %y, %b[%t] : memref<64xf32>
  gpu.return
}
"""
"""Thread 63 reads what nobody wrote."""


def fault(kernel: lanewise.Kernel) -> str:
    with pytest.raises(lanewise.LaunchError) as caught:
        kernel[1](np.zeros(64, np.float32), np.zeros(64, np.float32))
    return str(caught.value)


@pytest.mark.parametrize("chip", ["sm_90", "gfx942"])
def test_faults_name_the_file(chip: str) -> None:
    kernel = lanewise.compile(NEIGHBOUR, chip, device="emulated")
    assert "uninitialised" in fault(kernel) and fault(kernel).endswith("; from k.py:2:9")
    report = lanewise.validate(kernel, 1, np.zeros(64, np.float32), np.zeros(64, np.float32), on=["emulated"])
    assert "k.py:2:9" in str(report)


def test_pickled_kernels_keep_places_and_their_lines() -> None:
    module = parse_program(NEIGHBOUR)
    module.all_of(memref.LoadOp)[1].location = HELPER
    kernel = pickle.loads(pickle.dumps(lanewise.compile(module, "sm_90", device="emulated")))
    assert "; from k.py:5:12: return v + v" in fault(kernel)


def test_constants_are_where_they_are_used_first() -> None:
    block = Block()
    build = FoldingBuilder(block)
    for place in (HELPER, HELPER.caller):
        build.location = place
        build.constant(7)
    (op,) = block.operations
    assert op.location == HELPER and op.origin is None


def test_what_is_computed_once_is_at_all_its_places() -> None:
    block = Block([I32])
    build = FoldingBuilder(block)
    assert HELPER.caller is not None
    for place in (HELPER, HELPER.caller, HELPER):
        build.location = place
        build.op(arith.AddIOp, block.arguments[0], block.arguments[0])
    (op,) = block.operations
    assert op.location == HELPER._replace(also=(HELPER.caller,))
    assert Diagnostic("wrong", op.location).render().split("\n")[-3].startswith("k.py:2:9: note: also at")


def test_fused_places_are_the_first_and_the_others() -> None:
    location = constant('fused["k.py":2:9, unknown, "k.py":5:12, "k.py":2:9]').location
    assert location is not None
    assert (str(location), [*map(str, location.also)]) == ("k.py:2:9", ["k.py:5:12"])
    words = 'loc(fused["k.py":2:9, "k.py":5:12])'
    op = parse_program(f"arith.constant 1 : i32 {words}").body.operations[0]
    assert op.location is not None
    op.location = op.location._replace(stated=None)
    assert words in print_program(op, locations=True)


def test_a_module_that_is_verified_is_taken_as_it_is() -> None:
    wrong = parse_program('"arith.addi"() : () -> ()')
    assert module_of(Verified(wrong)) is wrong
    with pytest.raises(VerifyError):
        module_of(wrong)


def test_remarks_name_the_file() -> None:
    text = NEIGHBOUR.replace(
        "  gpu.barrier\n", '  %v = vector.broadcast %x : f32 to vector<4xf32> loc("k.py":5:12)\n  gpu.barrier\n'
    )
    (remark,) = lanewise.compile(text, "sm_90").remarks
    assert remark.kind == "unused" and str(remark).startswith(
        "k.py:5:12: remark: 'vector.broadcast' op is not computed"
    )


def test_layout_conflicts_name_the_file() -> None:
    kinds = ("thread_tile = [32], element_tile = [2]", "thread_tile = [16], element_tile = [4]")
    first, second = (
        f"#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], {kind}, "
        "subgroup_strides = [0], thread_strides = [1]>"
        for kind in kinds
    )
    text = f"""module attributes {{lanewise.stage = "layout", lanewise.target = "sm_90"}} {{
gpu.func @f(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {{in_bounds = [true], lanewise.layout = {first}}}
    : memref<64xf32>, vector<64xf32>
  %w = arith.negf %v {{lanewise.layout = {second}}} : vector<64xf32> loc("k.py":5:12)
  vector.transfer_write %w, %y[%c0] {{in_bounds = [true]}} : vector<64xf32>, memref<64xf32>
  gpu.return
}}
}}"""
    with pytest.raises(VerifyError) as caught:
        _ = lanewise.compile(text).ptx
    assert str(caught.value).startswith("k.py:5:12: error: ")
