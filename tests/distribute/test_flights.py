"""Products that go on into the next iteration: where they do, where they must not, and who would notice."""

from __future__ import annotations

from collections.abc import Sequence

import lanewise
import numpy as np
import pytest
from lanewise.check.validate import validate
from lanewise.codegen.assemble import assemble, assembles
from lanewise.distribute import overlapped_wgmma as flights
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.dialects.lanewise_async import AsyncCopyOp
from lanewise.ir.dialects.lanewise_warpgroup import WarpgroupMmaOp, WarpgroupWaitOp
from lanewise.ir.dialects.nvgpu_tma import TmaAsyncLoadOp
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.reference.errors import EvaluationError
from lanewise.targets import find_chip

RING = "memref<{count}x64x64xf16, #gpu.address_space<workgroup>>"
OWN = """
#swizzle = #iree_codegen.xor_shuffle<64, 8>
gpu.func @own(%a: memref<64x320xf16> {llvm.align = 16 : i64}, %b: memref<64x320xf16> {llvm.align = 16 : i64},
              %c: memref<64x64xSUM>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant LAST : index
  %step = arith.constant 64 : index
  %depth = arith.constant 320 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xSUM>
  %ra = memref.alloc() {iree_codegen.swizzle = #swizzle} : RING
  %rb = memref.alloc() {iree_codegen.swizzle = #swizzle} : RING
  %fa = lanewise.async_copy %a[%c0, %c0], %ra[%c0, %c0, %c0] {shape = array<i64: 64, 64>} : memref<64x320xf16> to RING
  %fb = lanewise.async_copy %b[%c0, %c0], %rb[%c0, %c0, %c0] {shape = array<i64: 64, 64>} : memref<64x320xf16> to RING
  %first = nvgpu.device_async_create_group %fa, %fb
  %r:2 = scf.for %k = %c0 to %depth step %step iter_args(%slot = %c0, %acc = %zero) -> (index, vector<64x64xSUM>) {
    %wraps = arith.cmpi eq, %slot, %last : index
    %more = arith.addi %slot, %c1 : index
    %next = arith.select %wraps, %c0, %more : index
    %ahead = arith.addi %k, %step : index
    nvgpu.device_async_wait %first
    %na = lanewise.async_copy %a[%c0, %ahead], %ra[%next, %c0, %c0] {shape = array<i64: 64, 64>}
      : memref<64x320xf16> to RING
    %nb = lanewise.async_copy %b[%c0, %ahead], %rb[%next, %c0, %c0] {shape = array<i64: 64, 64>}
      : memref<64x320xf16> to RING
    %group = nvgpu.device_async_create_group %na, %nb
    %l = vector.transfer_read %ra[%slot, %c0, %c0], %pad {in_bounds = [true, true]} : RING, vector<64x64xf16>
    %s = vector.transfer_read %rb[%slot, %c0, %c0], %pad {in_bounds = [true, true]} : RING, vector<64x64xf16>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>}
      %l, %s, %acc : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xSUM>
    // use
    scf.yield %next, %d : index, vector<64x64xSUM>
  }
  vector.transfer_write %r#1, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xSUM>, memref<64x64xSUM>
  gpu.return
}
"""
USED = "vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>"


def own(count: int, *changes: tuple[str, str], sums: str = "f32") -> str:
    """A program with rings of its own, of `count` tiles: the next iteration's are copied while this one's are used."""
    text = OWN
    for old, new in (*changes, ("RING", RING), ("{count}", str(count)), ("LAST", str(count - 1)), ("SUM", sums)):
        assert old in text
        text = text.replace(old, new)
    return text


def compiled(text: str) -> Compilation:
    return Compilation(parse_program(text), None, find_chip("sm_90a"))


def waits(text: str) -> tuple[list[int], int]:
    """What each product leaves under way, and how many waits there are besides."""
    function = compiled(text).thread_kernel.op
    return [op.groups_left for op in function.all_of(WarpgroupMmaOp)], len(function.all_of(WarpgroupWaitOp))


def data(sums: str = "f32") -> Sequence[np.ndarray]:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (64, 320)).astype(np.float16) for _ in "ab")
    return a, b, np.zeros((64, 64), np.dtype(sums.replace("f", "float")))


def test_a_product_goes_on_where_the_next_copies_go_to_a_third_tile() -> None:
    """The copy of an iteration writes slot k + 1, the last product reads k - 1: with three tiles these differ."""
    assert waits(own(3)) == ([1], 1)
    assert validate(lanewise.compile(own(3), "sm_90a"), 1, *data(), on=("interpret", "emulated"), thorough=False).ok


@pytest.mark.parametrize(
    "text",
    [
        own(2),
        own(3, ("// use", USED)),
        own(3, sums="f16"),
        own(3, (" {llvm.align = 16 : i64}", "")),
        own(3, ("%next = arith.select", "%next = arith.maxui %more, %slot : index\n    %same = arith.select")),
    ],
    ids=["two tiles", "sums that are read", "two sums a register", "tiles that threads store", "slots without end"],
)
def test_it_is_waited_for(text: str) -> None:
    assert waits(text) == ([0], 0)


@pytest.mark.skipif(not assembles(find_chip("sm_90a")), reason="ptxas is not installed")
def test_the_assembler_serialises_nothing() -> None:
    assert assemble(compiled(own(3)).artifacts.assembly, find_chip("sm_90a")).warnings == ()


def test_executors_notice_what_must_not_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two tiles the copy writes the one that the last product may still read."""
    monkeypatch.setattr(flights, "_keeps_apart", lambda *_: True)
    assert waits(own(2)) == ([1], 1)
    report = validate(lanewise.compile(own(2), "sm_90a"), 1, *data(), on=("reference", "emulated"), thorough=False)
    assert "write of shared memory that a wgmma reads, for which nobody has waited" in str(report)
    with pytest.raises(EvaluationError, match="copy"):
        interpret_kernel(compiled(own(2)).thread_kernel, 1, list(data()), subgroup_size=32)


PLAIN = """
func.func @f(%A: memref<64x?xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>},
             %B: memref<?x64xf16> {llvm.align = 16 : i64}, %C: memref<64x64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute
      workgroup_size = [128, 1, 1],
      {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = STAGES>}>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %end = memref.dim %A, %c1 : memref<64x?xf16>
  %sum = scf.for %k = %c0 to %end step %c64 iter_args(%acc = %zero) -> (vector<64x64xf32>) {
    %a = vector.transfer_read %A[%c0, %k], %pad : memref<64x?xf16>, vector<64x64xf16>
    %b = vector.transfer_read %B[%k, %c0], %pad : memref<?x64xf16>, vector<64x64xf16>
    %next = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>}
      %a, %b, %acc : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    scf.yield %next : vector<64x64xf32>
  }
  vector.transfer_write %sum, %C[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32>
  return
}
"""


@pytest.mark.parametrize(("stages", "left", "copied"), [(1, [0], 0), (2, [0], 2), (3, [1], 2), (4, [1], 4)])
def test_rings_leave_one_tile_to_the_product_under_way(stages: int, left: list[int], copied: int) -> None:
    """Of n tiles n - 2 are copied ahead, from three on; of two one. An iteration has a product of each four."""
    text = PLAIN.replace("STAGES", str(stages))
    assert waits(text)[0] == left
    ahead = [op for op in compiled(text).layout_kernel.op.all_of(AsyncCopyOp) if op.enclosing() is not None]
    in_loop = 2 if stages > 1 else 0
    assert len(ahead) - in_loop == copied


NEAR = "{llvm.align = 16 : i64, lanewise.pointer_range = 32 : i64"
ADDED = ("  return", "  vector.transfer_write %first, %B[%c0, %c0] : vector<64x64xf16>, memref<?x64xf16>\n  return")
FIRST = ("  %sum = scf", "  %first = vector.broadcast %pad : f16 to vector<64x64xf16>\n  %sum = scf")


def boxes(text: str, chip: str = "sm_90a") -> tuple[int, int]:
    """Copies of boxes, and tiles that threads copy."""
    function = Compilation(parse_program(text), None, find_chip(chip)).layout_kernel.op
    return len(function.all_of(TmaAsyncLoadOp)), len(function.all_of(AsyncCopyOp))


def near(stages: int, *changes: tuple[str, str]) -> str:
    text = PLAIN.replace("STAGES", str(stages)).replace("{llvm.align = 16 : i64", NEAR)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_the_chip_copies_tiles_of_near_arguments_as_boxes() -> None:
    """Rows of 64 halves are one box each, of A and of B: one iteration ahead and in the loop."""
    assert boxes(near(3)) == (4, 0)
    assert waits(near(3)) == ([1], 1)


@pytest.mark.parametrize(
    ("text", "chip"),
    [
        (PLAIN.replace("STAGES", "3"), "sm_90a"),
        (near(3), "sm_90"),
        (near(3), "sm_80"),
        (near(3, FIRST, ADDED), "sm_90a"),
    ],
    ids=["far arguments", "no wgmma, so no order", "no boxes", "what the kernel writes later"],
)
def test_threads_copy_other_tiles(text: str, chip: str) -> None:
    """Two tiles, before the loop one or two times, and in it."""
    found, copied = boxes(text, chip)
    assert not found and copied in (4, 6)


def test_wide_tiles_are_several_boxes() -> None:
    """Rows of B have 128 halves: two boxes of 128 bytes a row."""
    wide = [("64xf32", "128xf32"), ("memref<?x64xf16>", "memref<?x128xf16>")]
    text = near(3, *wide).replace("memref<?x128xf16>, vector<64x64xf16>", "memref<?x128xf16>, vector<64x128xf16>")
    text = text.replace("vector<64x64xf16>, vector<64x64xf16>", "vector<64x64xf16>, vector<64x128xf16>")
    assert boxes(text) == (6, 0)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("depth", [40, 520])
def test_all_stages_give_the_same(stages: int, depth: int) -> None:
    rng = np.random.default_rng(depth)
    a = rng.integers(-2, 3, (64, depth)).astype(np.float16)
    b = rng.integers(-2, 3, (depth, 64)).astype(np.float16)
    kernel = lanewise.compile(PLAIN.replace("STAGES", str(stages)), "sm_90a")
    assert validate(kernel, 1, a, b, np.zeros((64, 64), np.float32), on=("reference", "emulated"), thorough=False).ok
