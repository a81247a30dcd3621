"""Every way in which a right program cannot be compiled: a located error, never a crash of LLVM."""

from __future__ import annotations

from typing import Any

import pytest
from lanewise.support.diagnostics import CompileError, ProgramError

SHARED = "#gpu.address_space<workgroup>"


CASES = {
    "parts of bytes in workgroup memory": (
        "%a: i4, %i: index",
        "  %s = memref.alloc() : memref<9xi4, #gpu.address_space<workgroup>>\n"
        "  memref.store %a, %s[%i] : memref<9xi4, #gpu.address_space<workgroup>>",
        "writes one element of several in a byte of workgroup memory",
        "memref.store",
    ),
    "global memory": (
        "%a: memref<8xi32>",
        "  %p = memref.alloc() : memref<8xi32>",
        "a kernel allocates a workgroup's or a thread's memory only",
        "memref.alloc",
    ),
    "dynamic workgroup memory": (
        "%n: index",
        f"  %p = memref.alloc(%n) : memref<?xi32, {SHARED}>",
        "memory in a kernel has static extents",
        "memref.alloc",
    ),
    "workgroup memory as an argument": (
        f"%a: memref<8xi32, {SHARED}>",
        "",
        "buffers that a launch passes are in global memory",
        "gpu.func",
    ),
    "operations on whole tiles": (
        "%a: memref<8xi32>",
        "  %v = arith.constant dense<0> : vector<2x3xi32>\n"
        "  %t = vector.transpose %v, [1, 0] : vector<2x3xi32> to vector<3x2xi32>",
        "it is distributed to threads before code generation",
        "vector.transpose",
    ),
    "subgroup reductions": (
        "%a: i32",
        "  %s = gpu.subgroup_reduce add %a : (i32) -> i32",
        "it is distributed to threads before code generation",
        "gpu.subgroup_reduce",
    ),
    "packs of several dimensions in memory": (
        "%a: memref<8x8xi32>",
        "  %c = arith.constant 0 : index\n  %v = vector.load %a[%c, %c] : memref<8x8xi32>, vector<2x2xi32>",
        "a thread's memory accesses have one dimension",
        "vector.load",
    ),
    "packs across a stride known at run time": (
        "%a: memref<8xi32, strided<[?]>>",
        "  %c = arith.constant 0 : index\n  %v = vector.load %a[%c] : memref<8xi32, strided<[?]>>, vector<2xi32>",
        "needs a last dimension of stride 1",
        "vector.load",
    ),
    "shuffles over odd widths": (
        "%a: i32",
        "  %o = arith.constant 1 : i32\n  %w = arith.constant 24 : i32\n  %y, %k = gpu.shuffle xor %a, %o, %w : i32",
        "shuffles over a width of 24",
        "gpu.shuffle",
    ),
    "f32 products without leave": (
        "%a: memref<8xi32>",
        "  %a0 = arith.constant dense<0.0> : vector<4x1xf32>\n  %b0 = arith.constant dense<0.0> : vector<2x1xf32>\n"
        "  %c0 = arith.constant dense<0.0> : vector<2x2xf32>\n"
        "  %d = nvgpu.mma.sync (%a0, %b0, %c0) {mmaShape = [16, 8, 8]} : (vector<4x1xf32>, vector<2x1xf32>, "
        "vector<2x2xf32>) -> vector<2x2xf32>",
        "tf32 precision only",
        "nvgpu.mma.sync",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_located_errors(case: str, build: Any, text: Any) -> None:
    arguments, body, message, place = CASES[case]
    with pytest.raises(CompileError) as caught:
        build(text(arguments, body))
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.location is not None
    line, _ = diagnostic.location.source.position(diagnostic.location.offset)
    assert place in diagnostic.location.source.line(line)


MMA = """  %a = arith.constant dense<0.0> : vector<4x2xf16>
  %b = arith.constant dense<0.0> : vector<2x2xf16>
  %c = arith.constant dense<0.0> : vector<2x2xf32>
  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]}
    : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>"""


def test_a_missing_matrix_instruction_names_those_there_are(build: Any, text: Any) -> None:
    source = text("%x: memref<8xi32>", MMA, (32, 1, 1))
    with pytest.raises(CompileError, match=r"m16n8k16 on f16 x f16 \+ f32, which sm_75 does not have; .*m16n8k8"):
        build(source, "sm_75")
    with pytest.raises(CompileError, match="sm_70 does not have"):
        build(source, "sm_70")


def test_ldmatrix_needs_its_chip_and_workgroup_memory(build: Any, text: Any) -> None:
    body = f"""  %c = arith.constant 0 : index
  %s = memref.alloc() : memref<8x8xf16, {SHARED}>
  %f = nvgpu.ldmatrix %s[%c, %c] {{transpose = false, numTiles = 1 : i32}}
    : memref<8x8xf16, {SHARED}> -> vector<1x2xf16>"""
    with pytest.raises(CompileError, match="needs ldmatrix, which sm_70 does not have"):
        build(text("%x: memref<8xi32>", body, (32, 1, 1)), "sm_70")


def test_too_much_workgroup_memory_names_every_buffer(build: Any, text: Any) -> None:
    body = f"""  %tile = memref.alloc() : memref<65536xi8, {SHARED}>
  %other = memref.alloc() : memref<25600xf32, {SHARED}>"""
    with pytest.raises(CompileError, match=r"%tile 65536 \+ %other 102400 = 167936 bytes; sm_80 has 166912") as caught:
        build(text("%x: memref<8xi32>", body), "sm_80")
    assert len(caught.value.diagnostics[0].notes) == 2
    assert build(text("%x: memref<8xi32>", body), "sm_90").dynamic_shared_bytes == 167936


@pytest.mark.parametrize("name", ['"a-b"', '"a.b"', '"1a"', "a" * 256, '"ü"'])
def test_symbols_that_assemblers_do_not_take(name: str, build: Any, text: Any) -> None:
    with pytest.raises(CompileError, match="name that assemblers do not take"):
        build(text("%x: memref<8xi32>", "", name=name))


def test_only_the_thread_stage(build: Any, text: Any) -> None:
    source = text("%x: memref<8xi32>", "").replace('attributes {lanewise.stage = "thread"} ', "")
    with pytest.raises(CompileError, match="is at stage 'vector'"):
        build(source)


def test_limits_of_the_chip(build: Any, text: Any) -> None:
    with pytest.raises(CompileError, match="128 threads along z, sm_90 has at most 64"):
        build(text("%x: memref<8xi32>", "", (1, 1, 128)))
    subgroups = "attributes {lanewise.subgroup_size = 64 : i64, gpu"
    source = text("%x: memref<8xi32>", "").replace("attributes {gpu", subgroups)
    with pytest.raises(CompileError, match="subgroups of 64"):
        build(source)
    with pytest.raises(ProgramError, match="no kernel"):
        build(source.replace(" kernel attributes", " attributes"))
