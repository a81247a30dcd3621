"""tcgen05: what is emitted, which descriptors, that the assembler takes all of it, and who refuses it.

Expected descriptors are written from the PTX ISA, sections "Instruction descriptor" and "Shared memory descriptor" of
the TensorCore 5th generation family.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from lanewise.codegen.assemble import assemble, has_tool
from lanewise.ir.dialects.lanewise_tcgen05 import COPY_SHAPES, SHAPES
from lanewise.support.diagnostics import CompileError
from lanewise.targets import MatrixInstruction, find_chip
from lanewise.targets.tcgen05 import TCGEN05, find, instruction_descriptor

SPACE = "#gpu.address_space<workgroup>"
BARRIERS = f"!nvgpu.mbarrier.group<memorySpace = {SPACE}>"
PART, WHOLE = "!lanewise.tensor_memory<32x64xf32>", "!lanewise.tensor_memory<128x512xf32>"
STORED = {"tf32": "f32", "ui8": "i8"}
WIDEST = [i for i in TCGEN05 if i.shape[1] == 256]
needs_ptxas = pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed (pip install lanewise[isa])")


def tile(name: str, rows: int, columns: int, element: str, bits: int) -> tuple[str, str]:
    """A buffer in the order of rows of 128 bytes, and its type."""
    row = 1024 // bits
    assert columns * bits == 1024
    type = f"memref<{rows}x{columns}x{element}, {SPACE}>"
    order = f"{{iree_codegen.swizzle = #iree_codegen.xor_shuffle<{row}, {row // 8}>}}"
    return f"  {name} = memref.alloc() {order} : {type}", type


def product(i: MatrixInstruction, number: int = 0) -> str:
    """Sums of four steps along K, of new tiles."""
    _, n, k = i.shape
    a, b, bits = STORED.get(i.a_type, i.a_type), STORED.get(i.b_type, i.b_type), 256 // k
    left, of_a = tile(f"%a{number}", 128, 4 * k, a, bits)
    right, of_b = tile(f"%b{number}", n, 4 * k, b, bits)
    marks = ["tf32Enabled"] * (i.a_type == "tf32") + [
        f"unsigned{side}" for side, type in (("A", i.a_type), ("B", i.b_type)) if type == "ui8"
    ]
    flags = ", ".join([f"depth = {4 * k} : i64", *marks])
    sums = f"!lanewise.tensor_memory<128x{n}x{i.c_type}{', padded' if i.c_type == 'f16' else ''}>"
    return "\n".join(
        [
            left,
            right,
            f"  %d{number} = lanewise.tcgen05.address %slot[%c0] : memref<1xi32, {SPACE}> -> {sums}",
            f"  lanewise.tcgen05.mma %d{number}, %a{number}[%c0, %c0], %b{number}[%c0, %c0], %no {{{flags}}}"
            f" : {sums}, {of_a}, {of_b}",
        ]
    )


def kernel(text: Any, body: str) -> str:
    """One thread begins the products; four subgroups read the sums once they are there."""
    head = f"""  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %ticks = arith.constant 1000 : index
  %no = arith.constant false
  %slot = memref.alloc() : memref<1xi32, {SPACE}>
  %bar = nvgpu.mbarrier.create -> {BARRIERS}
  %first = arith.cmpi eq, %t, %c0 : index
  %low = arith.cmpi ult, %t, %c32 : index
  scf.if %low {{
    lanewise.tcgen05.alloc %slot[%c0] {{columns = 256 : i32}} : memref<1xi32, {SPACE}>
    lanewise.tcgen05.relinquish_alloc_permit
  }}
  scf.if %first {{
    nvgpu.mbarrier.init %bar[%c0], %c1 : {BARRIERS}
  }}
  gpu.barrier
  scf.if %first {{
{body}
    lanewise.tcgen05.commit %bar[%c0] : {BARRIERS}
  }}
  nvgpu.mbarrier.try_wait.parity %bar[%c0], %no, %ticks : {BARRIERS}
  lanewise.tcgen05.fence {{kind = "after_thread_sync"}}
  %whole = lanewise.tcgen05.address %slot[%c0] : memref<1xi32, {SPACE}> -> !lanewise.tensor_memory<128x256xf32>
  %w = arith.divui %t, %c32 : index
  %lane = arith.muli %w, %c32 : index
  %c16 = arith.constant 16 : index
  %part = lanewise.tcgen05.part %whole[%lane, %c16] : !lanewise.tensor_memory<128x256xf32> to {PART}
  %u = lanewise.tcgen05.ld %part {{shape = "32x32b"}} : {PART} -> vector<64xf32>
  %v = lanewise.tcgen05.wait_ld %u : vector<64xf32>
  vector.store %v, %out[%t, %c0] : memref<128x64xf32>, vector<64xf32>
  lanewise.tcgen05.st %v, %part {{shape = "32x32b"}} : vector<64xf32>, {PART}
  lanewise.tcgen05.wait_st
  lanewise.tcgen05.fence {{kind = "before_thread_sync"}}
  gpu.barrier
  scf.if %low {{
    lanewise.tcgen05.dealloc %whole {{columns = 256 : i32}} : !lanewise.tensor_memory<128x256xf32>
  }}"""
    return str(text("%out: memref<128x64xf32>", head, (128, 1, 1)))


def form(n: int, a: str, b: str, c: str) -> MatrixInstruction:
    found = find(128, n, a, b, c)
    assert found is not None
    return found


@needs_ptxas
def test_a_product_from_allocation_to_release(build: Any, text: Any) -> None:
    """Each instruction as often as it is asked for; four steps along K, of which the first does not add."""
    artifacts = build(kernel(text, product(form(256, "f16", "f16", "f32"))), "sm_100a")
    ptx = artifacts.assembly
    for spelled, times in (
        ("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", 1),
        ("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", 1),
        ("tcgen05.mma.cta_group::1.kind::f16", 4),
        ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64", 1),
        ("tcgen05.fence::after_thread_sync", 1),
        ("tcgen05.ld.sync.aligned.32x32b.x64.b32", 1),
        ("tcgen05.wait::ld.sync.aligned", 1),
        ("tcgen05.st.sync.aligned.32x32b.x64.b32", 1),
        ("tcgen05.wait::st.sync.aligned", 1),
        ("tcgen05.fence::before_thread_sync", 1),
        ("tcgen05.dealloc.cta_group::1.sync.aligned.b32", 1),
    ):
        assert ptx.count(spelled) == times, spelled
    assert "shfl" not in ptx, "one thread has the tiles"
    waits = r"tcgen05\.ld[^;]*;\s*// begin inline asm\s*tcgen05\.wait::ld"
    assert re.search(waits, ptx), "no register of a load is touched before the wait for it"
    assert assemble(ptx, find_chip("sm_100a")).warnings == ()


def test_descriptors(build: Any, text: Any) -> None:
    """f16 with f32 sums of 128 x 256: D f32 (bit 4), A and B f16, N / 8 from bit 17, M / 16 from bit 24. A tile in rows
    of 128 bytes: 16 bytes and 1024 bytes in units of 16 from bits 16 and 32, bit 46, mode 2 from bit 61; steps along K
    are 32 bytes apart."""
    ptx = build(kernel(text, product(form(256, "f16", "f16", "f32"))), "sm_100a").assembly
    types = 1 << 4 | (256 >> 3) << 17 | (128 >> 4) << 24
    assert instruction_descriptor(form(256, "f16", "f16", "f32"), (False, False)) == types
    assert re.search(rf"mov\.b32\s+%r\d+, {types};", ptx)
    fixed = 1 << 16 | (1024 >> 4) << 32 | 1 << 46 | 2 << 61
    signed = fixed - (1 << 64) if fixed >> 63 else fixed
    assert str(signed) in ptx
    steps = set(map(int, re.findall(r"(?:add\.s64|or\.b64)\s+%rd\d+, %rd\d+, (\d+);", ptx)))
    assert {2, 4, 6} <= steps or {signed + n for n in (0, 2, 4, 6)} <= set(map(int, re.findall(r"-?\d{5,}", ptx)))


def test_descriptors_of_types() -> None:
    """bf16 is 1 and tf32 2, of bytes with a sign 1; transposed ones set bits 15 and 16; sums of f16 are 0, of i32 2."""
    shape = (64 >> 3) << 17 | 8 << 24
    assert instruction_descriptor(form(64, "bf16", "bf16", "f32"), (True, False)) == shape | 1 << 4 | 9 << 7 | 1 << 15
    assert instruction_descriptor(form(64, "f16", "f16", "f16"), (False, True)) == shape | 1 << 16
    assert instruction_descriptor(form(64, "tf32", "tf32", "f32"), (False, False)) == shape | 1 << 4 | 2 << 7 | 2 << 10
    assert instruction_descriptor(form(64, "ui8", "i8", "i32"), (False, False)) == shape | 2 << 4 | 1 << 10
    assert instruction_descriptor(form(64, "f8E5M2", "f8E4M3FN", "f32"), (False, False)) == shape | 1 << 4 | 1 << 7


@needs_ptxas
def test_the_assembler_accepts_all_types(build: Any, text: Any) -> None:
    """All types at their widest."""
    for chip in ("sm_100a", "sm_103a"):
        chosen = WIDEST if chip == "sm_100a" else WIDEST[:1]
        for i in chosen:
            ptx = build(kernel(text, product(i)), chip).assembly
            kind = {"f16": "f16", "bf16": "f16", "tf32": "tf32", "i8": "i8", "ui8": "i8"}.get(i.a_type, "f8f6f4")
            assert ptx.count(f"tcgen05.mma.cta_group::1.kind::{kind}.") == 4, i.name
            assemble(ptx, find_chip(chip))


@needs_ptxas
def test_an_a_in_tensor_memory_and_a_transposed_b(build: Any, text: Any) -> None:
    """Four steps of f16 are 32 columns of A."""
    left = "!lanewise.tensor_memory<128x64xf16>"
    right, of_b = tile("%b", 64, 64, "f16", 16)
    sums = "!lanewise.tensor_memory<128x64xf32>"
    body = f"""{right}
  %d = lanewise.tcgen05.address %slot[%c0] : memref<1xi32, {SPACE}> -> {sums}
  %a = lanewise.tcgen05.address %slot[%c0] : memref<1xi32, {SPACE}> -> {left}
  lanewise.tcgen05.mma_held %d, %a, %b[%c0, %c0], %no {{depth = 64 : i64, transposeB}} : {sums}, {left}, {of_b}"""
    ptx = build(kernel(text, body), "sm_100a").assembly
    found = re.findall(r"tcgen05\.mma\.cta_group::1\.kind::f16\S* +\[%r\d+(?:\+\d+)?\], \[%r\d+(?:\+\d+)?\]", ptx)
    assert len(found) == 4
    assemble(ptx, find_chip("sm_100a"))


@needs_ptxas
def test_the_assembler_accepts_all_ways_of_moving(build: Any, text: Any) -> None:
    """Every shape and number of repetitions of ld and st, and every shape of cp."""
    lines, expected = list[str](), list[str]()
    for shape, (lanes, columns) in SHAPES.items():
        each = max(1, lanes * columns // 32)
        for count in (1, 2, 4, 8, 16, 32, 64, 128):
            registers = count * each
            if registers > 128:
                continue
            number = len(expected)
            said = f'{{shape = "{shape}"}}'
            part = f"!lanewise.tensor_memory<{lanes}x{count * columns}xf32>"
            lines += [
                f"  %p{number} = lanewise.tcgen05.part %whole[%c0, %c0] : {WHOLE} to {part}",
                f"  %u{number} = lanewise.tcgen05.ld %p{number} {said} : {part} -> vector<{registers}xf32>",
                f"  %v{number} = lanewise.tcgen05.wait_ld %u{number} : vector<{registers}xf32>",
                f"  lanewise.tcgen05.st %v{number}, %p{number} {said} : vector<{registers}xf32>, {part}",
            ]
            expected.append(f"sync.aligned.{shape}.x{count}.b32")
    source, type = tile("%s", 128, 64, "f16", 16)
    lines.append(source)
    lines += [
        f'  lanewise.tcgen05.cp %whole, %s[%c0, %c0] {{shape = "{shape}"}} : {WHOLE}, {type}' for shape in COPY_SHAPES
    ]
    head = f"""  %c0 = arith.constant 0 : index
  %slot = memref.alloc() : memref<1xi32, {SPACE}>
  lanewise.tcgen05.alloc %slot[%c0] {{columns = 512 : i32}} : memref<1xi32, {SPACE}>
  %whole = lanewise.tcgen05.address %slot[%c0] : memref<1xi32, {SPACE}> -> {WHOLE}
"""
    ptx = build(text("%out: memref<4xf32>", head + "\n".join(lines), (32, 1, 1)), "sm_100a").assembly
    assert all(ptx.count(f"tcgen05.{way}.{name}") == 1 for way in ("ld", "st") for name in expected)
    assert len(expected) == 8 + 8 + 7 + 6
    copies = [f"tcgen05.cp.cta_group::1.{shape.replace('.warpx', '.warpx')}" for shape in COPY_SHAPES]
    assert ptx.count("tcgen05.cp.") == len(copies)
    assert all(ptx.count(f"{name} ") == 1 for name in copies), re.findall(r"tcgen05\.cp\S+", ptx)
    assemble(ptx, find_chip("sm_100a"))


def test_who_refuses(build: Any, text: Any) -> None:
    source = kernel(text, product(form(256, "f16", "f16", "f32")))
    with pytest.raises(CompileError, match="needs tcgen05, which sm_90a does not have"):
        build(source, "sm_90a")
    plain = source.replace(" {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>}", "", 1)
    with pytest.raises(CompileError, match=r"reads memref<128x64xf16.* whose order is none that tensor cores know"):
        build(plain, "sm_100a")
