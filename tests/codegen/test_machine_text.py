"""Counting instructions in machine text: texts written by hand, whose instructions can be counted by eye."""

import pytest
from lanewise.codegen.machine_text import KINDS, MachineText

PTX = """
.version 7.8
.visible .entry f(
	.param .u64 f_param_0
)
.reqntid 32, 1, 1
{
	.reg .pred 	%p<2>;
	.shared .align 16 .b8 shared0[512];
	ld.param.b64 	%rd1, [f_param_0];
	bra.uni 	$L__BB0_1;
$L__BB0_1:
	// begin inline asm
	@%p4 ld.global.nc.v4.b32 {%r1, %r2, %r3, %r4}, [%rd24];
	// end inline asm
	fma.rn.f32 	%r5, %r1, %r2, %r3;
	shfl.sync.bfly.b32 	%r6, %r5, 16, 31, -1;
	bar.sync 	0;
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
		{%r1, %r2, %r3, %r4},
		{%r5, %r6, %r7, %r8};
	selp.f32 	%r7, %r6, %r5, %p1; // bar.sync
	@!%p1 bra 	$L__BB0_1;
	st.shared.b32 	[%r9], %r7;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r9];
	cvt.f32.f16 	%r1, %h1;
	cvt.u64.u32 	%rd2, %r1;
	st.global.b32 	[%rd1], %r7;
	ret;
}
"""
AMDGCN = """
	.text
f:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
.LBB0_1:
	buffer_load_dwordx4 v[0:3], v0, s[4:7], 0 offen
	v_dual_fmac_f32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5
	v_max_f32_dpp v2, v1, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,16)
	v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
	s_barrier
	s_cbranch_vccnz .LBB0_1
	ds_write_b32 v0, v1 ; v_mfma_
	ds_read2st64_b32 v[0:1], v0 offset1:1
	v_cvt_f32_f16_e32 v1, v0
	global_store_dword v0, v1, s[0:1]
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel f
	v_max_f32_dpp v2, v1, v1
"""
SASS = """
.text.f:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   HMMA.16816.F32 R4, R4, R8, RZ ;
        /*0020*/              @!P1 BRA `(.L_x_1) ;
        /*0030*/                   HFMA2.MMA R21, -RZ, RZ, 0, 0 ;
        /*0040*/                   EXIT ;
.L_x_2:
        /*0050*/                   BRA `(.L_x_2) ;
"""
WAITING = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 ;
        /*0020*/              @!P0 BRA `(.L_x_3) ;
.L_x_2:
        /*0030*/                   HMMA.16816.F32 R4, R4, R8, RZ ;
        /*0040*/                   BRA P1, `(.L_x_1) ;
        /*0050*/                   STG.E [R2], R4 ;
        /*0060*/                   EXIT ;
.L_x_3:
        /*0070*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 ;
        /*0080*/               @P0 BRA `(.L_x_2) ;
        /*0090*/                   BRA `(.L_x_3) ;
"""
ONE_OF_EACH = dict.fromkeys(KINDS, 1)


def test_ptx():
    text = MachineText(PTX, "ptx")
    # Six between the label and the branch back to it, the load before them and the branch itself in the loop.
    assert (text.size, text.in_loops) == (15, 7)
    assert {kind: text.count(kind) for kind in KINDS} == ONE_OF_EACH | {
        "shared loads": 1,
        "matrix loads": 1,
        "wgmma": 0,
        "copies": 0,
    }


def test_amdgcn():
    text = MachineText(AMDGCN, "amdgcn")
    assert (text.size, text.in_loops) == (13, 7)
    assert {kind: text.count(kind) for kind in KINDS} == ONE_OF_EACH | {
        "shuffles": 2,
        "matrix loads": 0,
        "wgmma": 0,
        "copies": 0,
    }


def test_sass():
    text = MachineText(SASS, "sass")
    assert (text.size, text.in_loops, text.count("mma")) == (6, 2, 1), "nobody comes to the branch behind the end"
    with pytest.raises(KeyError):
        text.count("barriers")


def test_a_wait_behind_the_end_is_in_its_loop_and_the_end_is_not():
    text = MachineText(WAITING, "sass")
    assert [i.in_loop for i in text.instructions] == [False, *[True] * 4, False, False, *[True] * 3]
