"""Registers from v256 on: what LLVM gets wrong beside barriers, how it is kept from that, and the check of texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lanewise.codegen.amdgpu.high_registers import check_high_registers, misread
from lanewise.codegen.compile import Artifacts
from lanewise.codegen.llvm import CodegenError, compile_text
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.targets import CHIPS, find_chip

CHIP = find_chip("gfx1250")
ROOT = Path(__file__).parents[3]


def compiled(chip: str) -> Artifacts:
    program = parse_program((ROOT / "examples/transpose.mlir").read_text())
    return Compilation(program, None, find_chip(chip)).artifacts


def barrier_of(chip: str) -> list[str]:
    """What is called around the barrier of a kernel, and it."""
    found = re.findall(
        r"^  call void (@llvm\.amdgcn\.(?:s\.barrier|s\.nop|sched\.barrier)\(.*?\))",
        compiled(chip).llvm_ir,
        re.MULTILINE,
    )
    at = found.index("@llvm.amdgcn.s.barrier()")
    return found[max(at - 1, 0) : at + 3]


HELD = [(8, 15), (16, 31), *((first, first + 31) for first in range(32, 256, 32))]
"""Registers that are taken all the while, so that values are in those from v256 on."""


def between_registers(*barrier: str) -> str:
    """A sum of such values before a barrier, and others stored behind it: each needs bits of its own."""
    types = [(f"<{last - first + 1} x i32>", f"v[{first}:{last}]") for first, last in HELD]
    take = "".join(f'  %h{n} = call {t} asm sideeffect "", "={{{v}}}"()\n' for n, (t, v) in enumerate(types))
    give = "".join(f'  call void asm sideeffect "", "{{{v}}}"({t} %h{n})\n' for n, (t, v) in enumerate(types))
    load = "".join(f"  %x{n} = load volatile i32, ptr addrspace(3) %p\n" for n in range(12))
    store = "".join(f"  store volatile i32 %x{n}, ptr addrspace(3) %p\n" for n in range(12))
    calls = "".join(f"  call void {call}\n" for call in barrier)
    return f"""@lds = addrspace(3) global [1024 x i32] poison
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.s.nop(i16)
declare void @llvm.amdgcn.sched.barrier(i32)
define amdgpu_kernel void @k() #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %t
{load}{take}  %s = add i32 %x0, %x1
{calls}  store volatile i32 %s, ptr addrspace(3) %p
{store}{give}  ret void
}}
attributes #0 = {{ nounwind "amdgpu-flat-work-group-size"="64,64" }}
"""


def test_llvm_sets_bits_too_early_before_a_barrier():
    """Where it no longer does, what stands beside barriers can go."""
    text = compile_text(between_registers("@llvm.amdgcn.s.barrier()"), CHIP).assembly
    (found, *_) = misread(text)
    assert found.text.startswith("v_add_nc_u32")
    assert found.meant >= 256 > found.found


def test_barriers_are_guarded_against_it():
    barrier = barrier_of("gfx1250")
    assert barrier == [
        "@llvm.amdgcn.sched.barrier(i32 0)",
        "@llvm.amdgcn.s.barrier()",
        "@llvm.amdgcn.s.nop(i16 0)",
        "@llvm.amdgcn.sched.barrier(i32 0)",
    ]
    text = compile_text(between_registers(*barrier), CHIP).assembly
    assert "s_set_vgpr_msb" in text
    assert not list(misread(text))


@pytest.mark.parametrize("chip", ["gfx942", "gfx1201"])
def test_other_chips_have_the_barrier_alone(chip):
    assert "@llvm.amdgcn.s.nop(i16 0)" not in barrier_of(chip)


def test_the_chips_that_have_such_registers():
    """Those with the feature that LLVM calls 1024-addressable-vgprs."""
    assert [name for name, chip in CHIPS.items() if chip.supports("high_registers")] == ["gfx1250"]


RIGHT = {
    "sources": "s_set_vgpr_msb 0x39\nv_fma_f32 v1, v2 /*v258*/, v3 /*v515*/, v4 /*v772*/",
    "result": "s_set_vgpr_msb 64\nv_mov_b32_e32 v1 /*v257*/, v2",
    "what was before does not count": "s_set_vgpr_msb 0x4100\nv_mov_b32_e32 v1, v2",
    "a constant has a place": "s_set_vgpr_msb 0x10\nv_fmamk_f32 v1, v2, 0x40490fd0, v3 /*v259*/",
    "a carry has none": "s_set_vgpr_msb 5\nv_add_co_u32 v1, s2, v3 /*v259*/, v4 /*v260*/",
    "a mask is no result": "s_set_vgpr_msb 4\nv_cmp_gt_u32_e64 s2, v3, v4 /*v260*/",
    "nor is the active lanes": "s_set_vgpr_msb 9\nv_cmpx_lt_u32_e32 v1 /*v257*/, v2 /*v514*/",
    "a load": "s_set_vgpr_msb 0x41\nglobal_load_b64 v[2:3] /*v[258:259]*/, v[4:5] /*v[260:261]*/, off offset:8",
    "a store": "s_set_vgpr_msb 4\nglobal_store_b64 v1, v[2:3] /*v[258:259]*/, s[0:1]",
    "an atomic": "s_set_vgpr_msb 4\nglobal_atomic_add_u32 v1, v2 /*v258*/, s[0:1]",
    "an atomic that returns": "s_set_vgpr_msb 0x44\n"
    "global_atomic_add_u32 v1 /*v257*/, v2, v3 /*v259*/, s[0:1] th:TH_ATOMIC_RETURN",
    "shared memory": "s_set_vgpr_msb 0x14\nds_store_2addr_b32 v1, v2 /*v258*/, v3 /*v259*/ offset1:1",
    "from shared memory": "s_set_vgpr_msb 0x40\nds_load_b32 v1 /*v257*/, v2",
    "two at once": "s_set_vgpr_msb 64\nv_dual_mov_b32 v1 /*v257*/, v2 :: v_dual_add_f32 v3 /*v259*/, v4, v5",
    "signs": "s_set_vgpr_msb 1\nv_add_f32_e64 v1, -|v2 /*v258*/|, s3",
    "a half": "s_set_vgpr_msb 64\nv_cvt_f16_f32_e32 v1.l /*v257.l*/, v2",
    "the mode": "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x1001\nv_mov_b32_e32 v1 /*v257*/, v2",
    "nothing high": "v_mov_b32_e32 v1, v255",
}
"""Bits by the field, two each: src0, src1, src2, result."""


def text(lines: str) -> str:
    return "k:\n" + "".join(f"\t{line}\n" for line in lines.split("\n")) + "\ts_set_vgpr_msb 0\n\ts_endpgm\n"


@pytest.mark.parametrize("name", RIGHT)
def test_registers_that_are_the_ones_meant(name):
    check_high_registers(text(RIGHT[name]), CHIP)


@pytest.mark.parametrize("name", [name for name in RIGHT if name != "nothing high"])
def test_any_other_bits_are_seen(name):
    """Each of the four fields of what sets them, changed on its own, where a register depends on it."""
    first, *rest = RIGHT[name].split("\n")
    for at in (0, 2, 4, 6):
        changed = f"s_set_vgpr_msb {_bits(first) ^ 1 << at}"
        depends = _at(rest[0], at)
        assert any(True for _ in misread(text("\n".join([changed, *rest])))) is depends, at


def _bits(line: str) -> int:
    """Of the first line above; the mode's are of the result alone."""
    return 64 if "setreg" in line else int(line.split()[1], 0) & 0xFF


PLACES = {
    "v_fma_f32": (0, 2, 4, 6),
    "v_mov_b32_e32": (0, 6),
    "v_fmamk_f32": (0, 4, 6),
    "v_add_co_u32": (0, 2, 6),
    "v_cmp_gt_u32_e64": (0, 2),
    "v_cmpx_lt_u32_e32": (0, 2),
    "global_load_b64": (0, 6),
    "global_store_b64": (0, 2),
    "ds_store_2addr_b32": (0, 2, 4),
    "ds_load_b32": (0, 6),
    "v_dual_mov_b32": (0, 2, 6),
    "v_add_f32_e64": (0, 6),
    "v_cvt_f16_f32_e32": (0, 6),
}
"""Where each of these has vector registers, above."""


def _at(line: str, at: int) -> bool:
    opcode = line.split()[0]
    if opcode == "global_atomic_add_u32":
        return at in ((0, 2, 6) if "RETURN" in line else (0, 2))
    return at in PLACES[opcode]


BEYOND = "s_set_vgpr_msb 1\nv_wmma_scale_f32_16x16x128 v1, v2 /*v258*/, v3, v4, v5{}, v6"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("s_set_vgpr_msb 1\ns_cbranch_scc1 .LBB0_1", (3, 256, 0)),
        ("s_set_vgpr_msb 0x80\n.LBB0_1:\nv_mov_b32_e32 v1, v2", (3, 512, 0)),
        (BEYOND.format(" /*v261*/"), (3, 5, 261)),
    ],
)
def test_blocks_begin_and_end_without_bits(lines, found):
    wrong = text(lines).replace("\t.LBB", ".LBB")
    ((line, _, *registers), *_) = misread(wrong)
    assert (line, *registers) == found


def test_operands_beyond_have_no_bits():
    assert not list(misread(text(BEYOND.format(""))))


def test_the_message_names_both_registers():
    wrong = text("s_set_vgpr_msb 0x41\nv_cndmask_b32_e64 v70 /*v326*/, s38, v64 /*v320*/, s5")
    with pytest.raises(
        CodegenError, match=re.escape("line 3 of the machine text for gfx1250 reaches v64 where v320 is")
    ):
        check_high_registers(wrong, CHIP)
    assert [m.meant for m in misread(wrong)] == [320]


def test_a_kernel_comes_with_the_check():
    check = compiled("gfx1250").check
    assert check is not None
    with pytest.raises(CodegenError, match="v64 where v320"):
        check(text("s_set_vgpr_msb 0x40\nv_mov_b32_e32 v1 /*v257*/, v64 /*v320*/"))
