"""What the passes say of loops that they leave alone, and that they say nothing of those that they rewrite."""

from __future__ import annotations

import lanewise
import pytest

PROGRAM = """
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<32x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>},
             %B: memref<?x32xf16> {llvm.align = 16 : i64}, %C: memref<32x32xf32>, %step: index) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute
      workgroup_size = [64, 1, 1], {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>}>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %ones = arith.constant dense<1.0> : vector<32x16xf16>
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %end = memref.dim %A, %c1 : memref<32x?xf16>
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (vector<32x32xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad : memref<32x?xf16>, vector<32x16xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad : memref<?x32xf16>, vector<16x32xf16>
    %next = vector.contract {indexing_maps = [#mk, #kn, #mn], kind = #vector.kind<add>,
      iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %acc
      : vector<32x16xf16>, vector<16x32xf16> into vector<32x32xf32>
    // more
    scf.yield %next : vector<32x32xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<32x32xf32>, memref<32x32xf32>
  return
}
"""
NONZERO = ("%pad = arith.constant 0.0", "%pad = arith.constant 2.0")
STEP = ("step %c16 ", "step %step ")
WRITES = ("// more", "vector.transfer_write %ones, %A[%c0, %k] : vector<32x16xf16>, memref<32x?xf16>")
UNKNOWN = (" {llvm.align = 16 : i64}, %C", ", %C")
ASSUMED = (
    ("%a = vector", "%x = util.assume.int %k<umin = 0, umax = 96> : index\n    %a = vector"),
    ("[%c0, %k], %pad", "[%c0, %x], %pad"),
)
MANY = [
    ("vector<32x16xf16>", "vector<32x512xf16>"),
    ("vector<16x32xf16>", "vector<512x32xf16>"),
    ("constant 16", "constant 512"),
]
LEFT = {
    "what is outside of memory is not zero": [NONZERO],
    "the loop's step is not a known, small number": [STEP],
    "its rows are proven to be multiples of 2 bytes, it takes 16": [UNKNOWN],
    "a row of the tile has 24 bytes, it takes multiples of 16": [
        ("vector<32x16xf16>", "vector<32x12xf16>"),
        ("vector<16x32xf16>", "vector<12x32xf16>"),
        ("constant 16", "constant 12"),
    ],
    "its place is computed by what fails where there is no iteration": ASSUMED,
}  # fmt: skip


def told(*changes: tuple[str, str], target: str = "sm_80") -> list[str]:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return [r.message for r in lanewise.compile(text, target).remarks if r.kind == "loop-reads"]


def test_nothing_is_said_of_a_ring() -> None:
    assert told() == []


@pytest.mark.parametrize("why", LEFT)
def test_why_a_tile_is_not_copied_asynchronously(why: str) -> None:
    remarks = told(*LEFT[why])
    assert f"is not copied asynchronously: {why}" in "".join(remarks)


def test_threads_copy_what_may_be_too_large_for_boxes() -> None:
    """Tiles of 64 x 64 lie as tensor cores read them; that an argument lies in 2 GiB is for a launch to see."""
    large = (
        ("vector<32x16xf16>", "vector<64x64xf16>"),
        ("vector<16x32xf16>", "vector<64x64xf16>"),
        ("vector<32x32xf32>", "vector<64x64xf32>"),
        ("constant 16", "constant 64"),
        ("[64, 1, 1]", "[128, 1, 1]"),
    )
    text = PROGRAM
    for old, new in large:
        text = text.replace(old, new)
    kernel = lanewise.compile(text, "sm_90a")
    (remark,) = (r for r in kernel.compilation.layout_remarks if r.kind == "arguments")
    why = "an argument is not known to lie in 2 GiB"
    assert remark.message == f"threads copy the loop's tiles, not the chip by itself: {why}"
    assert not [r for r in kernel.variant(kernel.best_facts).compilation.layout_remarks if r.kind == "arguments"]


def test_a_chip_without_copies_reads_ahead_and_says_so() -> None:
    a, b = told(target="sm_75")
    assert a == "vector<32x16xf16> is not copied asynchronously: sm_75 has no asynchronous copies"
    assert b.startswith("vector<16x32xf16>")


def test_what_the_loop_writes_is_not_promoted() -> None:
    (remark,) = told(WRITES)
    why = "does not come through shared memory: the loop writes the memory that is read"
    assert remark == f"vector<32x16xf16> {why}"


def test_rings_that_do_not_fit_are_told() -> None:
    """Tiles of 512 * 32 numbers of two bytes and a little more each: 3 * 2 * 32 KiB are more than sm_80's 163 KiB."""
    assert told(*MANY) == ["the loop gets no ring of buffers: 3 times its tiles do not fit into shared memory"]


@pytest.mark.parametrize(("row", "kinds"), [(40, set[str]()), (36, {"loop-reads"}), ("?", {"arguments"})])
def test_odd_rows_are_the_programs_where_its_types_say_so(row: int | str, kinds: set[str]) -> None:
    """Rows of 36 halves have 72 bytes, whatever a launch knows; of rows of any length it may know more."""
    stages = ", {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 3>}"
    text = PROGRAM.replace(stages, "").replace("memref<?x32xf16>", f"memref<?x{row}xf16>")
    found = lanewise.compile(text, "sm_80").compilation.layout_remarks
    assert {r.kind for r in found if "is not copied asynchronously" in r.message} == kinds
