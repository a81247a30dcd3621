"""Copies of boxes: a right program, ways to get it wrong that executors notice, and what is refused."""

from __future__ import annotations

from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.check.validate import validate
from lanewise.codegen.assemble import assemble, assembles
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import CompileError, LanewiseError
from lanewise.targets import find_chip

from ..changed import changed

PROGRAM = (Path(__file__).parents[1] / "filetests/async/boxes.mlir").read_text(encoding="utf-8")


def arguments() -> tuple[np.ndarray, np.ndarray]:
    return np.arange(64 * 64).astype(np.float16).reshape(64, 64), np.zeros((64, 64), np.float16)


def test_a_saved_kernel_makes_its_maps(tmp_path: Path) -> None:
    lanewise.compile(PROGRAM, "sm_90").save(tmp_path / "boxes.lanewise")
    x, y = arguments()
    lanewise.load(tmp_path / "boxes.lanewise")[1](x, y)
    assert np.array_equal(x, y)


@pytest.mark.skipif(not assembles(find_chip("sm_90")), reason="ptxas is not installed")
def test_the_assembler_takes_it() -> None:
    compilation = Compilation(parse_program(PROGRAM), None, find_chip("sm_90"))
    assert assemble(compilation.artifacts.assembly, compilation.artifacts.chip).warnings == ()


WAIT = "    nvgpu.mbarrier.try_wait.parity %came[%i], %even, %ticks : !two\n"
MISUSE = {
    "nobody waits": (
        [(WAIT, "")],
        "read of shared memory that a copy writes which its thread has not waited for",
        "nobody has waited for it",
    ),
    "bytes that never come": (
        [("constant 4096", "constant 4112")],
        "deadlock",
        "waits for a phase of object 0 that nobody ends: 0 arrivals and 16 bytes are missing",
    ),
    "no object": (
        [("    nvgpu.mbarrier.init %came[%c1], %c1 : !two\n", "")],
        "no barrier object was initialised here",
        "is of object 1, which nobody has initialised",
    ),
    "a place that is not of whole 16 bytes": (
        [("  %even =", "  %seven = arith.addi %c4, %c3 : index\n  %even ="), ("%map[%c0, %c0]", "%map[%seven, %c0]"),
         ("  %c32 =", "  %c3 = arith.constant 3 : index\n  %c4 = arith.constant 4 : index\n  %c32 =")],
        "misaligned: innermost coordinate 7: byte 14 of a row, where boxes begin at multiples of 16; block",
        "begins boxes at multiples of 16 bytes along the innermost dimension, found element 7 of f16, byte 14",
    ),
    "one arrival of two": (
        [("mbarrier.init %came[%c0], %c1", "mbarrier.init %came[%c0], %c2")],
        "deadlock",
        "1 arrivals and 4096 bytes are missing",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISUSE)
def test_executors_notice(name: str) -> None:
    changes, emulated, interpreted = MISUSE[name]
    kernel = lanewise.compile(changed(PROGRAM, *changes), "sm_90")
    with pytest.raises(LanewiseError, match=emulated):
        kernel[1](*arguments())
    assert interpreted in str(validate(kernel, 1, *arguments(), on=("reference",), thorough=False))


def test_a_copy_that_nobody_waits_for_is_noticed() -> None:
    start = PROGRAM.index("  scf.for %i = %c0")
    text = PROGRAM[:start] + "  gpu.return\n}\n"
    with pytest.raises(LanewiseError, match="nobody waits for what this copies"):
        lanewise.compile(text, "sm_90")[1](*arguments())


VERIFIED = {
    "begins boxes at multiples of 16 bytes along the innermost dimension, found element 1 of f16, byte 2": [
        ("%map[%c0, %c0]", "%map[%c1, %c0]")
    ],
    "is of object 2, the group has 2": [("came[%c1]", "came[%c2]")],
    "takes 1 to 1048575 arrivals, found 0": [("mbarrier.init %came[%c0], %c1", "mbarrier.init %came[%c0], %c0")],
    "expects 0 to 1048575 bytes, found 1048576": [("constant 4096", "constant 1048576")],
    "is of a whole buffer in global memory, row by row, found memref<?x?xf16, 3": [
        ("memref<?x?xf16> -> !box", "memref<?x?xf16, 3> -> !box"),
        ("%x: memref<?x?xf16>", "%x: memref<?x?xf16, 3>"),
    ],
    "as many of the tensor as of the box, found 2 and 1": [("tensor = memref<32x64xf16", "tensor = memref<64xf16")],
    "the same of tensor and box, found f16 and bf16": [("tensor = memref<32x64xf16", "tensor = memref<32x64xbf16")],
    "has box dimensions that are not those of its type, [32, 64]": [("box[%c32, %c64]", "box[%c64, %c64]")],
    "takes boxes whose rows have 64 bytes with swizzle_64b, found 128": [("swizzle_128b", "swizzle_64b")],
    "takes boxes whose rows have a multiple of 16 bytes with none, found 8": [
        ("swizzle = swizzle_128b", "swizzle = none"),
        ("tensor = memref<32x64xf16", "tensor = memref<32x4xf16"),
        ("box[%c32, %c64]", "box[%c32, %c4]"),
        ("  %c64 =", "  %c4 = arith.constant 4 : index\n  %c64 ="),
    ],
    "takes boxes of 1 to 256 elements along a dimension, found [512, 64]": [
        ("tensor = memref<32x64xf16", "tensor = memref<512x64xf16"),
        ("box[%c32, %c64]", "box[%c512, %c64]"),
        ("  %c64 =", "  %c512 = arith.constant 512 : index\n  %c64 ="),
    ],
    "takes tensors that are not interleaved, found interleave_16b": [
        ("interleave = none", "interleave = interleave_16b")
    ],
    "reads zeros outside of the tensor, found nan": [("oob = zero", "oob = nan")],
    "needs 2 coordinates, found 1": [("%map[%c0, %c32]", "%map[%c0]")],
    "needs 3 indices for memref<2x32x64xf16": [("to %s[%c1, %c0, %c0]", "to %s[%c1, %c0]")],
    "copies a box of [32, 64] elements, found memref<2x32x64xf16": [("to %s[%c1, %c0, %c0]", "to %s")],
    "copies a box of [32, 64] elements, too large for memref<2x16x64xf16": [
        ("memref<2x32x64xf16", "memref<2x16x64xf16")
    ],
    "copies f16 to static workgroup memory, found memref<64x64xf16>": [
        ("to %s[%c1, %c0, %c0] : !box, !two -> memref<2x32x64xf16, #space>", "to %y : !box, !two -> memref<64x64xf16>")
    ],
}


@pytest.mark.parametrize("words", VERIFIED)
def test_what_is_wrong_is_said(words: str) -> None:
    with pytest.raises(LanewiseError) as caught:
        verify(parse_program(changed(PROGRAM, *VERIFIED[words])))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("memorySpace = #space", "memorySpace = 1", "barrier objects lie in #gpu.address_space<workgroup>, found 1"),
        ("num_barriers = 2", "num_barriers = 0", "a group has at least one barrier object, found 0"),
        ("tensor = memref<32x64xf16, #space>", "tensor = memref<32x64xf16>", "a box is a static memref in workgroup"),
        ("swizzle_128b", "swizzle_48b", "swizzle is one of none, swizzle_32b"),
    ],
)
def test_what_does_not_parse_is_said(old: str, new: str, words: str) -> None:
    with pytest.raises(LanewiseError, match=words):
        parse_program(changed(PROGRAM, (old, new)))


@pytest.mark.parametrize(
    ("words", "changes", "target"),
    [
        ("needs cp.async.bulk.tensor, which sm_80 does not have", [], "sm_80"),
        ("is of a buffer that the kernel writes", [("memref.store %v, %y[%row, %t]", "memref.store %v, %x[%row, %t]"),
          (": memref<64x64xf16>\n    }", ": memref<?x?xf16>\n    }")], "sm_90"),
        ("found memref<2x32x64xf16, #gpu.address_space<workgroup>> in another order",
         [(" {iree_codegen.swizzle = #swizzle} :", " :")], "sm_90"),
        ("is of an argument of the kernel", [("%map = nvgpu.tma.create.descriptor %x",
          "%cast = memref.cast %x : memref<?x?xf16> to memref<?x?xf16>\n  %map = nvgpu.tma.create.descriptor %cast")],
         "sm_90"),
    ],
)  # fmt: skip
def test_what_cannot_be_compiled_is_said(words: str, changes: list[tuple[str, str]], target: str) -> None:
    with pytest.raises(CompileError, match=words):
        _ = Compilation(parse_program(changed(PROGRAM, *changes)), None, find_chip(target)).artifacts


def test_subgroups_have_no_objects() -> None:
    text = """
gpu.func @f(%x: memref<4xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  nvgpu.mbarrier.init %b[%c0], %c1 : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  gpu.return
}
"""
    with pytest.raises(CompileError, match="is of workgroups' programs or threads', this one is a subgroup's"):
        _ = Compilation(parse_program(text), None, find_chip("sm_90")).artifacts
