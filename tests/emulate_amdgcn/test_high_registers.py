"""Registers from v256 on, of gfx1250: LLVM writes behind each one, as a comment, which register it means."""

from __future__ import annotations

import re

import numpy as np
import pytest
from lanewise.codegen.amdgpu.high_registers import misread
from lanewise.codegen.llvm import compile_text
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.amdgcn.high_registers import OPCODE, with_high_registers
from lanewise.emulate.amdgcn.parse import parse_module
from lanewise.emulate.amdgcn.syntax import VECTOR, Register, words
from lanewise.emulate.faults import EmulationFault
from lanewise.targets import find_chip

from .support import attributes, kernel_text

HELD = [(8, 15), (16, 31), *((first, first + 31) for first in range(32, 256, 32))]
"""Registers that are taken all the while, so that values are on both sides of v256."""
WMMA = "@llvm.amdgcn.wmma.f32.16x16x4.f32.v8f32.v2f32"
DECLARED = f"""declare i32 @llvm.amdgcn.workitem.id.x()
declare {{ i32, i1 }} @llvm.uadd.with.overflow.i32(i32, i32)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.permlane16.var(i32, i32, i32, i1, i1)
declare i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32, i32)
declare void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1), ptr addrspace(3), i32, i32)
declare <8 x float> {WMMA}(i1, <2 x float>, i1, <2 x float>, i16, <8 x float>, i1, i1)
"""
VALUES = """
  %x{n} = load volatile i32, ptr addrspace(1) %p
  %y{n} = load volatile i32, ptr addrspace(1) %p
  %f{n} = load volatile float, ptr addrspace(1) %p
  %g{n} = load volatile float, ptr addrspace(1) %p
"""
USES = """
  %l{n} = getelementptr i32, ptr addrspace(3) @lds, i32 %x{a}
  store volatile i32 %y{b}, ptr addrspace(3) %l{n}
  %z{n} = load volatile i32, ptr addrspace(3) %l{n}
  %m{n} = getelementptr i32, ptr addrspace(3) %l{n}, i32 8
  %m2{n} = getelementptr i32, ptr addrspace(3) %l{n}, i32 16
  store i32 %x{b}, ptr addrspace(3) %m{n}
  store i32 %y{b}, ptr addrspace(3) %m2{n}
  %at{n} = atomicrmw volatile add ptr addrspace(3) %l{n}, i32 %z{n} syncscope("workgroup") monotonic
  %no{n} = atomicrmw volatile add ptr addrspace(3) %l{n}, i32 %x{b} syncscope("workgroup") monotonic
  %cx{n} = cmpxchg volatile ptr addrspace(3) %l{n}, i32 %x{b}, i32 %at{n} syncscope("workgroup") monotonic monotonic
  %c{n} = extractvalue {{ i32, i1 }} %cx{n}, 0
  %gp{n} = getelementptr i32, ptr addrspace(1) %in, i32 %x{a}
  %ga{n} = atomicrmw volatile add ptr addrspace(1) %gp{n}, i32 %y{b} syncscope("agent") monotonic
  %gn{n} = atomicrmw volatile xor ptr addrspace(1) %gp{n}, i32 %ga{n} syncscope("agent") monotonic
  %bu{n} = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %r, i32 %y{a}, i32 0, i32 0)
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %x{b}, <4 x i32> %r, i32 %y{a}, i32 0, i32 0)
  %bp{n} = call i32 @llvm.amdgcn.ds.bpermute(i32 %x{a}, i32 %y{b})
  %sw{n} = call i32 @llvm.amdgcn.ds.swizzle(i32 %bu{n}, i32 5)
  %pv{n} = call i32 @llvm.amdgcn.permlane16.var(i32 %bp{n}, i32 %sw{n}, i32 %x{b}, i1 false, i1 false)
  %ov{n} = call {{ i32, i1 }} @llvm.uadd.with.overflow.i32(i32 %x{a}, i32 %y{b})
  %su{n} = extractvalue {{ i32, i1 }} %ov{n}, 0
  %ca{n} = extractvalue {{ i32, i1 }} %ov{n}, 1
  %se{n} = select i1 %ca{n}, i32 %pv{n}, i32 %c{n}
  %k1{n} = call float @llvm.fma.f32(float %f{a}, float 0x40091EB860000000, float %g{b})
  %k2{n} = call float @llvm.fma.f32(float %k1{n}, float %f{b}, float 0x40091EB860000000)
  %d{n} = fdiv float %k2{n}, %g{b}
  %v0{n} = insertelement <2 x float> poison, float %d{n}, i32 0
  %v1{n} = insertelement <2 x float> %v0{n}, float %f{a}, i32 1
  %pa{n} = getelementptr <8 x float>, ptr addrspace(1) %in, i32 %t
  %ac{n} = load volatile <8 x float>, ptr addrspace(1) %pa{n}
  %w{n} = call <8 x float> {WMMA}({PAIR}, {PAIR}, i16 0, <8 x float> %ac{n}, i1 0, i1 0)
  store volatile <8 x float> %w{n}, ptr addrspace(1) %pa{n}
  call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %gp{n}, ptr addrspace(3) %l{n}, i32 0, i32 0)
  call void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1) %gp{n}, ptr addrspace(3) %l{n}, i32 0, i32 0)
  store volatile i32 %se{n}, ptr addrspace(1) %p
  store volatile i32 %su{n}, ptr addrspace(1) %p
"""


SEEN = frozenset(
    words(
        "ds_store_b32 ds_store_2addr_b32 ds_load_b32 ds_add_rtn_u32 ds_add_u32 ds_cmpstore_rtn_b32 ds_bpermute_b32 "
        "ds_swizzle_b32 global_load_b32 global_store_b32 global_atomic_add_u32 global_atomic_xor_b32 buffer_load_b32 "
        "buffer_store_b32 global_load_async_to_lds_b32 global_store_async_from_lds_b32 v_add_co_u32 v_cndmask_b32 "
        "v_div_scale_f32 v_fmamk_f32 v_fmaak_f32 v_fmac_f32 v_wmma_f32_16x16x4_f32 v_permlane16_var_b32"
    )
)
"""Opcodes that are to occur with registers from v256 on."""


def text_of_llvm() -> str:
    types = [f"<{last - first + 1} x i32>" for first, last in HELD]
    pairs = list(enumerate(zip(types, HELD, strict=True)))
    take = "".join(f'  %h{n} = call {t} asm sideeffect "", "={{v[{a}:{b}]}}"()\n' for n, (t, (a, b)) in pairs)
    give = "".join(f'  call void asm sideeffect "", "{{v[{a}:{b}]}}"({t} %h{n})\n' for n, (t, (a, b)) in pairs)
    body = VALUES.format(n=0) + take + VALUES.format(n=1)
    body += (
        "".join(USES.format(n=n, a=n & 1, b=n >> 1, WMMA=WMMA, PAIR=f"i1 0, <2 x float> %v1{n}") for n in range(4))
        + give
    )
    return compile_text(
        f"""{DECLARED}@lds = addrspace(3) global [1024 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %in, <4 x i32> %r) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %t
{body}  ret void
}}
{attributes(32)}""",
        find_chip("gfx1250"),
    ).assembly


def test_every_operand_is_the_register_that_llvm_means():
    text = text_of_llvm()
    named, meant = (
        next(iter(parse_module(t).kernels.values())).instructions
        for t in (text, re.sub(r"v\S+ /\*(v[^*]+)\*/", r"\1", text))
    )
    found = with_high_registers(named, [(0, len(named), ())])
    kinds = {i.opcode for i, other in zip(named, meant, strict=True) if i.operands != other.operands}
    assert not SEEN - kinds
    for i, other in zip(found, meant, strict=True):
        halves = (i, other), (i.paired, other.paired)
        assert all(a is b is None or a.operands == b.operands for a, b in halves), other.text


def test_the_check_of_compiled_texts_reads_the_same_registers():
    """Of LLVM's text as it is, and with each change of the bits one instruction too early: what the check reports are
    the lines in which the emulator reads another register than the comment says."""
    text = text_of_llvm()
    assert not list(misread(text))
    early = re.sub(rf"^(.*\n)(\t{OPCODE} .*\n)", r"\2\1", text, flags=re.MULTILINE)
    assert early != text
    named, meant = (
        next(iter(parse_module(t).kernels.values())).instructions
        for t in (early, re.sub(r"v\S+ /\*(v[^*]+)\*/", r"\1", early))
    )
    found = with_high_registers(named, [(0, len(named), ())])
    differ = [i.line for i, other in zip(found, meant, strict=True) if _operands(i) != _operands(other)]
    assert len(differ) > 20
    assert sorted({line for line, *_ in misread(early)}) == differ


def _operands(i):
    return i.operands, i.paired and i.paired.operands


def test_values_are_kept_apart(bench):
    """v5, v261 and v517 are three registers; v262 is written through the bits of the result alone."""
    lines = f"""v_mov_b32_e32 v5, 1
        {OPCODE} 64
        v_mov_b32_e32 v5 /*v261*/, 20
        {OPCODE} 0x4080
        v_mov_b32_e32 v5 /*v517*/, 3
        {OPCODE} 0x8060
        v_add3_u32 v6 /*v262*/, v5, v0, v5 /*v517*/
        {OPCODE} 0x6005
        v_mad_u32_u24 v63, v5 /*v261*/, v6 /*v262*/, v5
        {OPCODE} 0x500"""
    expected = 20 * (1 + np.arange(32) + 3) + 1
    assert bench.words(lines, "gfx1250").tolist() == expected.tolist()


def registers(line: str) -> list[int]:
    """Those that the vector instruction of a text means."""
    (kernel,) = parse_module(kernel_text(line + "\ns_endpgm", "gfx1250")).kernels.values()
    found = with_high_registers(kernel.instructions, [(0, len(kernel.instructions), ())])
    operands = next(i.operands for i in found if i.opcode.startswith("v_"))
    return [o.number - VECTOR for o in operands if isinstance(o, Register) and o.is_vector]


def test_the_mode_holds_them():
    """LLVM's AMDGPULowerVGPREncoding: bits 12 to 19 of what is written to any field of the mode, the result's first."""
    lines = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x{:x}001\nv_fma_f32 v1, v2, v3, v4"
    for field, meant in (
        (0x01, [257, 2, 3, 4]),
        (0x08, [1, 514, 3, 4]),
        (0x30, [1, 2, 771, 4]),
        (0x40, [1, 2, 3, 260]),
    ):
        assert registers(lines.format(field)) == meant


def test_comparisons_that_write_the_mask_have_no_result():
    assert registers(f"{OPCODE} 0x49\nv_cmpx_lt_u32_e32 v1, v2") == [257, 514]


def test_bits_stay_over_a_branch(bench):
    """What two ways have set alike counts behind where they meet."""
    lines = f"""{OPCODE} 0x40
        v_mov_b32_e32 v5, 7
        {OPCODE} 0x4001
        s_cmp_eq_u32 s0, 0
        s_cbranch_scc1 .Lend
        s_nop 0
        .Lend:
        v_mov_b32_e32 v63, v5
        {OPCODE} 0x100"""
    assert bench.words(lines, "gfx1250").tolist() == [7] * 32


MEETING = f"s_cmp_eq_u32 s0, 0\ns_cbranch_scc1 .Lend\n{OPCODE} 1\n.Lend:\nv_mov_b32_e32 v63, v0\n{OPCODE} 0"


@pytest.mark.parametrize(
    ("lines", "chip", "message"),
    [
        (MEETING, "gfx1250", "unsupported: ways that meet with different bits of s_set_vgpr_msb: 0x00 and 0x01"),
        ("v_mov_b32_e32 v63, v300", "gfx1250", "syntax: v300 where s_set_vgpr_msb has set v44"),
        (f"{OPCODE} s0", "gfx1250", "syntax: s_set_vgpr_msb takes a number"),
        (f"{OPCODE} 1", "gfx1201", "unsupported: opcode s_set_vgpr_msb"),
    ],
)
def test_refused(lines, chip, message):
    with pytest.raises(EmulationFault, match=re.escape(message)):
        AmdgcnModule.parse(kernel_text(lines, chip))
