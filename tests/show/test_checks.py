"""`lanewise check`: each subject's fault is found where it is planted, and what is right is proven or seen."""

from __future__ import annotations

import json
from pathlib import Path

import lanewise
import pytest
from lanewise.__main__ import main
from lanewise.check.inputs import make_inputs
from lanewise.check.inputs_grammar import read_inputs
from lanewise.show.checks import check
from lanewise.show.checks_parts import SUBJECTS, Checked, Finding

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
CHIPS = ("sm_80", "sm_90a", "gfx942", "gfx1100")


def checked(text: str, args: str = "", target: str = "sm_80") -> Checked:
    kernel = lanewise.compile(text, target, cache="off")
    return check(kernel, make_inputs(read_inputs(args, "args"), kernel.signature) if args else None)


def wrong(found: Checked) -> list[tuple[str, str, int, int]]:
    return [(f.subject, f.how, f.line, f.other) for f in found.findings if f.verdict == "WRONG"]


def verdicts(found: Checked) -> dict[str, tuple[str, str]]:
    return {j.subject: (j.verdict, j.how) for j in found.judgements}


def copied(*, step: int, tile: int, offset: int = 0, more: str = "") -> str:
    """One workgroup writes `tile` elements from `step` times its number plus `offset` on."""
    return f"""gpu.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) kernel
  attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %step = arith.constant {step} : index
  %offset = arith.constant {offset} : index
  %pad = arith.constant 0.0 : f32
  %b = gpu.block_id x
  %m = arith.muli %b, %step : index
  %at = arith.addi %m, %offset : index
  %v = vector.transfer_read %x[%at], %pad : memref<?xf32>, vector<{tile}xf32>
  vector.transfer_write %v, %y[%at] : vector<{tile}xf32>, memref<?xf32>
  {more}
  gpu.return
}}
"""


def test_tiles_that_follow_on_each_other_are_proven() -> None:
    found = checked(copied(step=256, tile=256))
    assert found.verdict == "right"
    assert set(verdicts(found).values()) == {("right", "proven")}
    assert found.launch == ""
    assert tuple(verdicts(found)) == SUBJECTS


def test_barriers_of_a_program_without_shared_memory_are_the_compilers() -> None:
    """What layouts and loops take is not the program's, and is there nevertheless."""
    (found,) = (j for j in checked(copied(step=256, tile=256)).judgements if j.subject == "barriers")
    assert found.why.startswith("the program has no shared memory of its own")


def test_gaps_are_named_by_their_first_element() -> None:
    found = checked(copied(step=512, tile=256))
    assert wrong(found) == [("coverage", "proven", 10, 10)]
    (finding,) = found.findings
    assert "element 256 along dimension 0 of %y is written by no workgroup: x goes 512 elements" in finding.message


def test_what_lies_before_the_first_tile_is_a_gap() -> None:
    (finding,) = checked(copied(step=256, tile=256, offset=8)).findings
    assert "element 0 along dimension 0 of %y is written by no workgroup" in finding.message


def test_tiles_that_meet_are_named_by_an_element_and_both_workgroups() -> None:
    found = checked(copied(step=128, tile=256))
    assert wrong(found) == [("writes apart", "proven", 10, 10)]
    assert "element 128 along dimension 0 of %y is written by workgroups 0 and 1 along x" in found.findings[0].message


def test_two_writes_that_fill_a_step_together() -> None:
    second = """%other = arith.constant 256 : index
  %next = arith.addi %at, %other : index
  vector.transfer_write %v, %y[%next] : vector<256xf32>, memref<?xf32>"""
    assert checked(copied(step=512, tile=256, more=second)).verdict == "right"
    meeting = checked(copied(step=256, tile=256, more=second))
    assert wrong(meeting) == [("writes apart", "proven", 13, 10)]


def test_what_is_read_too_is_not_proven() -> None:
    """Another workgroup may read what one writes."""
    text = copied(step=256, tile=256).replace("%x[%at]", "%y[%at]")
    assert verdicts(checked(text))["writes apart"] == ("not judged", "")
    seen = checked(text, "x = zeros(256), y = normal(512); grid = 2")
    assert verdicts(seen)["writes apart"] == ("right", "seen")
    assert "grid (2, 1, 1)" in seen.launch


def test_a_grid_that_leaves_something_out_is_seen() -> None:
    text = (
        copied(step=256, tile=256)
        .replace("%y[%at]", "%y[%m]")
        .replace("%at = arith", "%seen = memref.load %y[%m] : memref<?xf32>\n  %at = arith")
    )
    found = checked(text, "x = normal(512), y = zeros(512); grid = 1")
    assert ("coverage", "seen", 11, 11) in wrong(found)
    words = "element [256] of 'y', one of 256 of 512, is written by nobody: workgroup 1 along x would, the grid has 1"
    assert found.findings[0].message == words and found.findings[0].made == 1


INSIDE = """gpu.func @inside(%x: memref<64x64xf32>, %y: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant END : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %end step %c16 {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true, true]} : memref<64x64xf32>, vector<16x64xf32>
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<64x64xf32>
  }
  gpu.return
}
"""


def test_loops_of_known_bounds_are_followed() -> None:
    found = checked(INSIDE.replace("END", "64"))
    assert set(verdicts(found).values()) == {("right", "proven")}


def test_what_a_loop_leaves_out_or_goes_beyond() -> None:
    short = checked(INSIDE.replace("END", "48"))
    assert wrong(short) == [("coverage", "proven", 9, 9)]
    assert "element 48 along dimension 0 of %y is written by nobody: 64 are there" in short.findings[0].message
    far = checked(INSIDE.replace("END", "80"))
    assert wrong(far) == [("bounds", "proven", 8, 8), ("bounds", "proven", 9, 9)]
    assert "element 79 along dimension 0 is accessed, which has 64" in far.findings[0].message
    assert [finding.made for finding in far.findings] == [1, 1], "both are the kernel's arguments"
    kernel = lanewise.compile(INSIDE.replace("END", "80"), "sm_80", device="emulated")
    holder = lanewise.owners(kernel, ":8", 15, 0, aligned=True)[0].thread
    assert far.findings[0].message.endswith(f"; thread {holder} is the first that does it")


def test_bounds_that_a_launch_decides_are_seen() -> None:
    text = copied(step=256, tile=256).replace("%pad : memref", "%pad {in_bounds = [true]} : memref")
    assert verdicts(checked(text))["bounds"] == ("not judged", "")
    assert verdicts(checked(text, "x = normal(256), y = empty(256); grid = 1"))["bounds"] == ("right", "seen")
    beyond = checked(text, "x = normal(300), y = empty(512); grid = 2")
    assert wrong(beyond) == [("bounds", "seen", 9, 9)]
    assert beyond.findings[0].made == 1
    assert "element" in beyond.findings[0].message


SUBGROUPS = """#shared = #gpu.address_space<workgroup>
gpu.func @shared(%x: memref<64xf32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %id = gpu.subgroup_id : index
  %mine = arith.muli %id, %c32 : index
  %flip = arith.subi %c1, %id : index
  %theirs = arith.muli %flip, %c32 : index
  %tile = memref.alloc() : memref<64xf32, #shared>
  %v = vector.transfer_read %x[%mine], %pad {in_bounds = [true]} : memref<64xf32>, vector<32xf32>
  vector.transfer_write %v, %tile[%mine] {in_bounds = [true]} : vector<32xf32>, memref<64xf32, #shared>
  BARRIER
  %w = vector.transfer_read %tile[%theirs], %pad {in_bounds = [true]} : memref<64xf32, #shared>, vector<32xf32>
  vector.transfer_write %w, %y[%mine] {in_bounds = [true]} : vector<32xf32>, memref<64xf32>
  gpu.return
}
"""
LAUNCH = "x = normal(64), y = empty(64); grid = 1"


def test_a_missing_barrier_between_subgroups() -> None:
    """Subgroup 1 reads what subgroup 0 writes; nothing orders them."""
    assert checked(SUBGROUPS.replace("BARRIER", "gpu.barrier"), LAUNCH).verdict == "right"
    found = wrong(checked(SUBGROUPS.replace("BARRIER", ""), LAUNCH))
    assert ("barriers", "proven", 16, 16) in found
    assert verdicts(checked(SUBGROUPS.replace("BARRIER", "gpu.barrier")))["barriers"] == ("not judged", "")


RACE = """gpu.func @race(%x: memref<64xf32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %id = gpu.subgroup_id : index
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %i = arith.index_cast %id : index to i32
  %f = arith.sitofp %i : i32 to f32
  %b = vector.broadcast %f : f32 to vector<64xf32>
  %w = arith.addf %v, %b : vector<64xf32>
  vector.transfer_write %w, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}
"""


def test_subgroups_that_write_one_place() -> None:
    ((subject, how, line, other),) = wrong(checked(RACE, LAUNCH))
    assert (subject, how, line, other) == ("writes apart", "seen", 11, 11)


CHAIN = """gpu.func @f(%x: memref<64xf32>, %y: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %id = gpu.subgroup_id : index
  %first = arith.cmpi eq, %id, %c0 : index
  scf.if %first {
    gpu.barrier
  }
  gpu.return
}
"""


def test_a_barrier_to_which_not_all_come() -> None:
    found = checked(CHAIN, LAUNCH)
    assert wrong(found)[0][:3] == ("collectives", "seen", 7)
    assert verdicts(checked(CHAIN))["collectives"] == ("not judged", "")


def test_memory_that_nobody_wrote() -> None:
    """Shared memory starts undefined."""
    text = SUBGROUPS.replace("BARRIER", "gpu.barrier").replace("%tile[%mine] {", "%tile[%theirs] {", 1)
    assert checked(text, LAUNCH).verdict == "right"
    unwritten = "\n".join(line for line in text.splitlines() if "%v, %tile" not in line)
    assert wrong(checked(unwritten, LAUNCH))[0][:2] == ("contents", "seen")


def test_a_barrier_that_orders_nothing() -> None:
    found = checked(copied(step=256, tile=256, more="gpu.barrier"))
    assert found.findings == (Finding("barriers", "slow", found.findings[0].message, 11, 11, "proven"),)
    assert found.verdict == "right"


def test_fragments_that_do_not_fit() -> None:
    text = """gpu.func @f(%x: memref<16x16xf16>, %y: memref<16x16xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %v = vector.transfer_read %x[%c0, %c0], %pad : memref<16x16xf16>, vector<16x16xf16>
  %w = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1],
    batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 8], element_tile = [2, 2], subgroup_strides = [0, 0],
    thread_strides = [8, 1]>) : vector<16x16xf16>
  vector.transfer_write %w, %y[%c0, %c0] : vector<16x16xf16>, memref<16x16xf16>
  gpu.return
}
"""
    found = checked(text)
    assert [(subject, how, line) for subject, how, line, _ in wrong(found)] == [("fragments", "proven", 6)]
    assert verdicts(found)["coverage"] == ("not judged", "")
    assert verdicts(found)["banks"] == ("not judged", "")


def test_bank_conflicts_name_two_lanes_and_a_bank() -> None:
    """Rows of 64 f16 are 32 words: the rows of a matrix that ldmatrix reads, one for each of eight lanes, all begin in
    bank 0, and take eight passes instead of one."""
    found = checked((ROOT / "tests/filetests/spec/rfc_flash_attention.mlir").read_text(), target="sm_90")
    slow = {f.line: f.message for f in found.findings if f.subject == "banks"}
    assert set(slow) == {49, 52, 76, 82}
    for line in (52, 76):
        assert (
            "takes 1024 wavefronts of a subgroup where 128 would do: lanes 0 and 1 want different words of bank 0"
            in slow[line]
        )
    assert verdicts(found)["banks"] == ("right", "proven")


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("file", [f for f in EXAMPLES if f.stem != "attention"], ids=lambda f: f.stem)
def test_every_example_is_right(file: Path, chip: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(file), "--target", chip, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "right"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gaps.mlir"
    file.write_text(copied(step=512, tile=256))
    assert main(["check", str(file)]) == 1
    shown = capsys.readouterr().out
    assert f"{file}:10: error: element 256 along dimension 0 of %y is written by no workgroup" in shown
    assert "[coverage, in all launches]" in shown
    file.write_text(SUBGROUPS.replace("BARRIER", "gpu.barrier"))
    assert main(["check", str(file)]) == 3
    file.write_text("gpu.func")
    assert main(["check", str(file)]) == 2
