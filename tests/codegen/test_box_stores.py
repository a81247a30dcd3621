"""Boxes that go to tensors, tokens of arrivals: ways to get them wrong that executors notice, and what is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.check.validate import validate
from lanewise.codegen.assemble import assemble, assembles
from lanewise.emulate.tensor_map import TensorMap
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.jit.arguments import ArgumentValueError
from lanewise.jit.device import LaunchError
from lanewise.jit.emulated import EmulatedDevice
from lanewise.jit.facts import GENERAL
from lanewise.pipeline.compilation import Compilation
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel
from lanewise.support.diagnostics import CompileError, LanewiseError
from lanewise.targets import find_chip

from ..changed import changed

ASYNC = Path(__file__).parents[1] / "filetests/async"
THREADS, WORKGROUP, TOKENS = (
    (ASYNC / f"{name}.mlir").read_text(encoding="utf-8") for name in ("stores", "stores_workgroup", "tokens")
)


ROW = """#space = #gpu.address_space<workgroup>
!box = !nvgpu.tensormap.descriptor<tensor = memref<128xf16, #space>, swizzle = none, l2promo = none, oob = zero,
  interleave = none>
gpu.func @row(%x: memref<128xf16>, %y: memref<?xf16>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %map = nvgpu.tma.create.descriptor %y box[%c128] : memref<?xf16> -> !box
  %s = memref.alloc() : memref<128xf16, #space>
  %v = memref.load %x[%t] : memref<128xf16>
  memref.store %v, %s[%t] : memref<128xf16, #space>
  gpu.barrier
  nvgpu.tma.async.store %s to %map[%c0], predicate = %first : memref<128xf16, #space> -> !box
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
  gpu.return
}
"""


def arguments(text: str) -> list[np.ndarray]:
    if text.find("@ring") > 0:
        x = np.arange(128 * 64).astype(np.float16).reshape(128, 64)
        return [x, np.zeros((128, 64), np.float16), np.zeros((128, 64), np.float16)]
    if text.find("@tiles") > 0:
        return [np.arange(128 * 64).astype(np.float32).reshape(128, 64), np.zeros((128, 64), np.float32)]
    return [np.arange(64).astype(np.float32), np.zeros(64, np.float32)]


def grid_of(text: str) -> int:
    return 2 if text.find("@tiles") > 0 else 1


@pytest.mark.parametrize("text", [THREADS, WORKGROUP, TOKENS], ids=["threads", "workgroup", "tokens"])
@pytest.mark.skipif(not assembles(find_chip("sm_90")), reason="ptxas is not installed")
def test_the_assembler_takes_it(text: str) -> None:
    compilation = Compilation(parse_program(text), None, find_chip("sm_90"))
    assert assemble(compilation.artifacts.assembly, compilation.artifacts.chip).warnings == ()


def test_a_saved_kernel_stores(tmp_path: Path) -> None:
    lanewise.compile(WORKGROUP, "sm_90").save(tmp_path / "stores.lanewise")
    x, y = arguments(WORKGROUP)
    lanewise.load(tmp_path / "stores.lanewise")[2](x, y)
    assert np.array_equal(2 * x, y)


def test_the_launch_knows_that_it_is_written() -> None:
    """What stores of boxes write may not overlap what is read; LLVM is not told that nobody else gets there."""
    kernel = lanewise.compile(WORKGROUP, "sm_90")
    both = np.zeros((256, 64), np.float32)
    with pytest.raises(LanewiseError, match="since the kernel writes one of them"):
        kernel[2](both[:128], both[64:192])
    text = Compilation(parse_program(WORKGROUP), None, find_chip("sm_90")).artifacts.llvm_ir
    assert "noalias readonly align 4 %a0" in text and "ptr addrspace(1) align 16 %a1" in text


READ = "    nvvm.cp.async.bulk.wait_group 1 read\n"
LAST = "  nvvm.cp.async.bulk.wait_group 0\n"
MISUSE = {
    "the source is written before it was read": (
        THREADS,
        [(READ, "")],
        "write of shared memory that the store of a box reads, for which nobody has waited",
        "which a copy that is under way reads: nobody has waited for it",
    ),
    "one group too many is left": (
        THREADS,
        [(READ, READ.replace("1 read", "2 read"))],
        "write of shared memory that the store of a box reads, for which nobody has waited",
        "which a copy that is under way reads: nobody has waited for it",
    ),
    "nothing is committed": (
        THREADS,
        [("    nvvm.cp.async.bulk.commit.group\n", "")],
        "write of shared memory that the store of a box reads, for which nobody has waited",
        "which a copy that is under way reads: nobody has waited for it",
    ),
    "it was read, not written": (
        THREADS,
        [(LAST, LAST.replace("0", "0 read"))],
        "read of what the store of a box in line [0-9]+ writes, before its thread waited for it",
        "which a copy that is under way writes: nobody has waited for it",
    ),
    "others have not heard that it is written": (
        THREADS,
        [(LAST + "  gpu.barrier\n", LAST)],
        "race",
        "a data race",
    ),
    "the source is not there": (
        THREADS,
        [("    gpu.barrier\n    nvgpu.tma", "    nvgpu.tma")],
        "proxy|race",
        "a data race",
    ),
    "two stores to one place": (
        THREADS,
        [("%map[%c0, %i]", "%map[%c0, %c0]")],
        "write to what the store of a box in line [0-9]+ writes, before its thread waited for it",
        "which a copy that is under way writes: nobody has waited for it",
    ),
    "the workgroup ends before it was read": (
        WORKGROUP,
        [("    nvvm.cp.async.bulk.wait_group 0 read\n", ""), ("%from to %to step %c32", "%from to %to step %c64")],
        "the workgroup ends, and nobody has waited until this store of a box has read its memory",
        "ends, and nobody has waited until what it stores was read: its memory is another's then",
    ),
    "a place that is not of whole 16 bytes": (
        THREADS,
        [("%map[%c0, %i]", "%map[%odd, %i]"), ("    %n =", "    %odd = arith.addi %c1, %c1 : index\n    %n =")],
        "misaligned: innermost coordinate 2: byte 4 of a row, where boxes begin at multiples of 16; block",
        "begins boxes at multiples of 16 bytes along the innermost dimension, found element 2 of f16, byte 4",
    ),
    "the last arrivals are said not to be": (
        TOKENS,
        [("constant 96", "constant 64"),
         ("%token = nvgpu.mbarrier.arrive %met[%c0]", "%token = nvgpu.mbarrier.arrive.nocomplete %met[%c0], %c1")],
        "arrivals that must not be the last, and none would be pending",
        "and these are the last arrivals of the phase",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISUSE)
def test_executors_notice(name: str) -> None:
    text, changes, emulated, interpreted = MISUSE[name]
    text = changed(text, *changes)
    kernel = lanewise.compile(text, "sm_90")
    with pytest.raises(LanewiseError, match=emulated):
        kernel[grid_of(text)](*arguments(text))
    report = validate(kernel, grid_of(text), *arguments(text), on=("reference",), thorough=False)
    assert interpreted in str(report)


def test_launches_refuse_an_end_that_is_not_of_whole_16_bytes() -> None:
    """The chip would write two halves behind the array."""
    kernel = lanewise.compile(ROW, "sm_90")
    x, y = np.arange(128).astype(np.float16), np.zeros(70, np.float16)
    with pytest.raises(
        ArgumentValueError, match=r"'y': expected an extent \(boxes are stored in whole.*of 8,.* found 70"
    ):
        kernel[1](x, y)
    kernel[1](x, y[:64])
    assert np.array_equal(y[:64], x[:64]) and not y[64:].any()


def test_executors_notice_what_is_written_behind_an_end() -> None:
    """Whoever launches it without our launcher: six halves of the last piece are outside."""
    end = np.arange(128).astype(np.float16), np.zeros(74, np.float16)
    with pytest.raises(
        EvaluationError, match="writes 6 elements behind the 74 of the tensor: the chip stores whole 16 b"
    ):
        run_kernel(find_kernel(parse_program(ROW)), 1, end, subgroup_size=32)
    variant = lanewise.compile(ROW, "sm_90").variants.find(GENERAL, device := EmulatedDevice("sm_90"))
    x, y = (device.allocate(256) for _ in end)
    device.copy_in(x, end[0])
    map = TensorMap(y, 2, (74,), (128,), 0).encode()
    packed = struct.pack("<QQq", x, y, 74).ljust(variant.maps[0].offset, b"\0") + map
    with pytest.raises(
        LaunchError, match="out-of-bounds: a box is stored in whole pieces of 16 bytes, 12 of one behind"
    ):
        device.launch(device.load(variant.code), (1, 1, 1), (128, 1, 1), packed)


def test_a_phase_that_is_not_over_is_not_waited_for() -> None:
    """One arrival of 96 is missing: everybody asks once, and is told so."""
    start, end = TOKENS.index("  scf.while"), TOKENS.index("  %other =")
    once = """  %over = nvgpu.mbarrier.test.wait %met[%c0], %token : !one, !nvgpu.mbarrier.token
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %w = arith.select %over, %one, %zero : f32
"""
    text = TOKENS[:start] + once + TOKENS[end:]
    text = changed(text, ("  %w = memref.load %s[%other] : memref<64xf32, #space>\n", ""))
    for arrivals, expected in (("96", 1.0), ("97", 0.0)):
        kernel = lanewise.compile(changed(text, ("constant 96", f"constant {arrivals}")), "sm_90")
        x, y = np.arange(64).astype(np.float32), np.full(64, 7, np.float32)
        kernel[1](x, y)
        assert np.all(y == expected)


STORE = (
    "nvgpu.tma.async.store %s[%slot, %c0, %c0] to %map[%c0, %i], predicate = %first"
    " : memref<2x32x64xf16, #space> -> !box"
)
VERIFIED = {
    "begins boxes at multiples of 16 bytes along the innermost dimension, found element 1 of f16, byte 2": (
        THREADS,
        [("%map[%c0, %i]", "%map[%c1, %i]")],
    ),
    "stores to rows that are multiples of 16 bytes (8 elements), found memref<70xf16>": (
        ROW,
        [("%y: memref<?xf16>", "%y: memref<70xf16>"), ("memref<?xf16> -> !box", "memref<70xf16> -> !box")],
    ),
    "leaves 0 groups or more, found -1": (THREADS, [("wait_group 1 read", "wait_group -1 read")]),
    "needs 2 coordinates, found 1": (THREADS, [("%map[%c0, %i]", "%map[%i]")]),
    "needs 3 indices for memref<2x32x64xf16": (THREADS, [("%s[%slot, %c0, %c0] to", "%s[%slot, %c0] to")]),
    "copies a box of [32, 64] elements, found memref<2x32x64xf16": (THREADS, [("%s[%slot, %c0, %c0] to", "%s to")]),
    "copies f16 from static workgroup memory, found memref<128x64xf16>": (
        THREADS,
        [(STORE, "nvgpu.tma.async.store %x to %map[%c0, %i] : memref<128x64xf16> -> !box")],
    ),
    "is of object 1, the group has 1": (TOKENS, [("wait %met[%c0], %token", "wait %met[%c1], %token")]),
    "arrives 1 to 1048575 times, found 0": (TOKENS, [("nocomplete %met[%c0], %c1", "nocomplete %met[%c0], %c0")]),
    "gives an address, another one on each executor": (
        TOKENS,
        [("  %other =",
          "  %a = nvgpu.mbarrier.get %met[%c0] : !one -> i64\n  %b = arith.addi %a, %a : i64\n  %other =")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", VERIFIED)
def test_what_is_wrong_is_said(words: str) -> None:
    text, changes = VERIFIED[words]
    with pytest.raises(LanewiseError) as caught:
        verify(parse_program(changed(text, *changes)))
    assert words in str(caught.value)


REFUSED = {
    "needs cp.async.bulk.tensor, which sm_80 does not have": (WORKGROUP, [], "sm_80"),
    "is of a buffer that the kernel writes": (
        THREADS,
        [("memref.store %v, %z[%r, %t]", "memref.store %v, %y[%r, %t]")],
        "sm_90",
    ),
    "takes up rows of 64 elements in the order of swizzle_128b": (
        THREADS,
        [(" {iree_codegen.swizzle = #swizzle} :", " :")],
        "sm_90",
    ),
    "gives a token that is used: programs of threads have tokens, this one is a workgroup's": (
        TOKENS,
        [('lanewise.scope = "thread"', "lanewise.subgroup_size = 32 : i64"),
         ("  %t = gpu.thread_id x\n", "  %t = gpu.block_id x\n")],
        "sm_90",
    ),
    "'nvgpu.mbarrier.create' op cannot be compiled: it is an instruction that AMD's chips do not have": (
        TOKENS,
        [],
        "gfx942",
    ),
    "op cannot be compiled: it is an instruction that AMD's chips do not have": (
        WORKGROUP,
        [("subgroup_size = 32", "subgroup_size = 64")],
        "gfx942",
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_compiled_is_said(words: str) -> None:
    text, changes, target = REFUSED[words]
    with pytest.raises(CompileError, match=words.replace("[", r"\[")):
        _ = Compilation(parse_program(changed(text, *changes)), None, find_chip(target)).artifacts


def test_loads_and_stores_through_one_argument_are_refused() -> None:
    load = "  nvgpu.tma.async.load %map[%c0, %c0], %met[%c0] to %s : !box, !one -> memref<32x64xf32, #space>\n"
    group = "!one = !nvgpu.mbarrier.group<memorySpace = #space>\n"
    text = changed(
        WORKGROUP,
        ("gpu.func", group + "gpu.func"),
        ("  gpu.return", "  %met = nvgpu.mbarrier.create -> !one\n" + load + "  gpu.return"),
    )
    with pytest.raises(CompileError, match="is of a buffer that the kernel writes"):
        _ = Compilation(parse_program(text), None, find_chip("sm_90")).artifacts
