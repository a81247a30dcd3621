"""What LLVM writes only now and then: branches that reach far, private memory beyond an instruction's offset."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.faults import EmulationFault

from .support import WORKITEM, attributes, kernel_text, wavefront

COMPILE = """
import sys
import llvmlite.binding as llvm
llvm.set_option("", "-amdgpu-s-branch-bits=6")
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
module = llvm.parse_assembly(sys.stdin.read())
for chip in sys.argv[1:]:
    machine = llvm.Target.from_triple("amdgcn-amd-amdhsa").create_target_machine(cpu=chip, opt=3)
    print(machine.emit_assembly(module.clone()), end="@@@")
"""
BODY = "\n".join(
    f"  %a{n} = mul i32 %x{n}, %k\n  %b{n} = xor i32 %a{n}, {n + 7}\n  %x{n + 1} = add i32 %b{n}, %i" for n in range(24)
)
LOOP = f"""target triple = "amdgcn-amd-amdhsa"
{WORKITEM}
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n, i32 %k) #0 {{
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x0 = phi i32 [ %t, %entry ], [ %x24, %loop ]
{BODY}
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = phi i32 [ %t, %entry ], [ %x24, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %r, ptr addrspace(1) %p
  ret void
}}
{attributes(128)}"""
FAR_BRANCHES = {
    "gfx90a": "s_setpc_b64",
    "gfx950": "s_setpc_b64",
    "gfx1030": "s_setpc_b64",
    "gfx1100": "s_setpc_b64",
    "gfx1201": "s_setpc_b64",
    "gfx1250": "s_add_pc_i64",
}


def looped(threads: int, n: int, k: int) -> np.ndarray:
    x = np.arange(threads, dtype=np.uint32)
    for i in range(n):
        for step in range(24):
            x = (x * np.uint32(k) ^ np.uint32(step + 7)) + np.uint32(i)
    return x


@pytest.fixture(scope="module")
def far_texts() -> dict[str, str]:
    """LLVM is told that branches reach 31 instructions; the option is global, so a process of its own has it."""
    command = [sys.executable, "-c", COMPILE, *FAR_BRANCHES]
    found = subprocess.run(command, input=LOOP, capture_output=True, text=True, timeout=60, check=True)
    return dict(zip(FAR_BRANCHES, found.stdout.split("@@@"), strict=False))


@pytest.mark.parametrize("chip", FAR_BRANCHES)
@pytest.mark.parametrize("n", [0, 3])
def test_far_branches(chip, n, far_texts, bench):
    text = far_texts[chip]
    assert FAR_BRANCHES[chip] in text
    out = bench.upload(np.zeros(128, np.uint32))
    bench.launch(text, (1, 1, 1), (128, 1, 1), [out, n, 5])
    assert np.array_equal(bench.download(out, np.uint32, 128), looped(128, n, 5))


def test_a_jump_elsewhere(bench):
    jump = (
        "s_getpc_b64 s[4:5]\n.Lhere:\ns_add_u32 s4, s4, (.La-.Lhere)&4294967295\n"
        "s_addc_u32 s5, s5, (.La-.Lhere)>>32\n{}s_setpc_b64 s[4:5]\n.La:\nv_mov_b32_e32 v63, v0"
    )
    assert np.array_equal(bench.words(jump.format(""), "gfx942"), np.arange(64))
    with pytest.raises(EmulationFault, match="a jump to no label") as caught:
        bench.words(jump.format("s_mov_b32 s5, 0\n"), "gfx942")
    assert caught.value.kind == "out-of-bounds"


def test_running_past_the_end(bench):
    text = kernel_text("v_mov_b32_e32 v63, v0", "gfx942").replace("\ts_endpgm\n", "")
    with pytest.raises(EmulationFault, match="past the end") as caught:
        bench.launch(text, (1, 1, 1), (64, 1, 1), [bench.upload(np.zeros(1)), bench.upload(np.zeros(64))])
    assert caught.value.kind == "out-of-bounds"


PRIVATE = f"""{WORKITEM}
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %room = alloca [4000 x i32], addrspace(5)
  %far = getelementptr [4000 x i32], ptr addrspace(5) %room, i32 0, i32 3000
  %own = getelementptr [4000 x i32], ptr addrspace(5) %room, i32 0, i32 %n
  store volatile i32 7, ptr addrspace(5) %own
  store volatile i32 %t, ptr addrspace(5) %far
  %v = load volatile i32, ptr addrspace(5) %far
  %w = load volatile i32, ptr addrspace(5) %own
  %s = add i32 %v, %w
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %s, ptr addrspace(1) %p
  ret void
}}
{attributes(64)}"""


@pytest.mark.parametrize("chip", ["gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
def test_private_memory_far_from_its_start(chip, compiled, bench):
    out = bench.upload(np.zeros(64, np.uint32))
    bench.launch(compiled(PRIVATE, chip), (1, 1, 1), (64, 1, 1), [out, 11])
    assert np.array_equal(bench.download(out, np.uint32, 64), np.arange(64) + 7)


def test_an_offset_of_private_memory_counts_for_the_wave(bench):
    lines = "s_movk_i32 s8, {}\nbuffer_store_dword v0, off, s[4:7], s8\nbuffer_load_dword v63, off, s[4:7], 0 offset:16"
    lines = "s_mov_b32 s4, 0\ns_movk_i32 s5, 0x7f00\ns_mov_b32 s6, -1\ns_mov_b32 s7, 0\n" + lines
    for offset in (1024, 1000):
        text = kernel_text(lines.format(offset), "gfx90a", private=64)
        out = bench.upload(np.zeros(64, np.uint32))
        values = [bench.upload(np.zeros(1)), out]
        if offset % 64:
            with pytest.raises(EmulationFault, match="multiple of the wave size"):
                bench.launch(text, (1, 1, 1), (64, 1, 1), values)
        else:
            bench.launch(text, (1, 1, 1), (64, 1, 1), values)
            assert np.array_equal(bench.download(out, np.uint32, 64), np.arange(64))


@pytest.mark.parametrize(
    "target", ["amdgcn-amd-amdhsa--gfx942", "amdgpu9.42-amd-amdhsa-unknown-gfx942", "amdgcn-amd-amdhsa--gfx942:xnack-"]
)
def test_spellings_of_a_target(target):
    text = kernel_text("v_mov_b32_e32 v63, v0", "gfx942").replace("amdgcn-amd-amdhsa--gfx942", target)
    assert AmdgcnModule.parse(text).target == "gfx942"


# ---- scalar functions of the vector unit, transposing reads ---------------------------------------------------------


FUNCTIONS = {"rcp": lambda x: 1 / x, "rsq": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt, "exp": np.exp2, "log": np.log2}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_scalar_functions(name, bench):
    function = FUNCTIONS[name]
    for suffix, t in (("f32", np.float32), ("f16", np.float16)):
        given = int(t(4).view(f"u{t().itemsize}"))
        lines = f"s_mov_b32 s4, 0x{given:x}\nv_s_{name}_{suffix} s5, s4\nv_mov_b32_e32 v63, s5"
        expected = int(t(function(4.0)).view(f"u{t().itemsize}"))
        assert set(bench.words(lines, "gfx1201")) == {expected}
    lines = "s_mov_b32 s4, 0xc0800000\nv_s_sqrt_f32 s5, |s4| mul:2\nv_mov_b32_e32 v63, s5"
    assert set(bench.words(lines, "gfx1201")) == {int(np.float32(4).view(np.uint32))}


def fields(words: np.ndarray, bits: int) -> np.ndarray:
    """[lane, element] of words [lane, word], low bits first."""
    whole = [int.from_bytes(row.tobytes(), "little") for row in words]
    count = 32 * words.shape[1] // bits
    return np.array([[value >> (bits * n) & ((1 << bits) - 1) for n in range(count)] for value in whole])


@pytest.mark.parametrize(("total", "bits"), [(64, 16), (64, 8), (64, 4), (96, 6)])
def test_transposing_reads(total, bits, bench):
    """Of 16 lanes, lane l gets element l % K of the lanes that hold its column, where K elements fit in a lane."""
    words, held = total // 32, total // bits
    data = np.random.default_rng(bits).integers(0, 1 << 32, (64, words), dtype=np.uint32)
    elements = fields(data, bits)
    expected = np.zeros_like(elements)
    for lane in range(64):
        for row in range(held):
            place = 16 * row + lane % 16
            expected[lane, row] = elements[lane // 16 * 16 + place // held, place % held]
    for word in range(words):
        lines = (
            f"v_mul_u32_u24_e32 v1, {4 * words}, v0\nglobal_load_dwordx{words} v[4:{3 + words}], v1, s[0:1]\n"
            f"s_waitcnt vmcnt(0)\nds_write_b{total} v1, v[4:{3 + words}]\ns_waitcnt lgkmcnt(0)\n"
            f"ds_read_b{total}_tr_b{bits} v[8:{7 + words}], v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v63, v{8 + word}"
        )
        found = bench.words(lines, "gfx950", inputs=data, shared=64 * words * 4)
        wanted = [sum(int(e) << (bits * n) for n, e in enumerate(row)) >> (32 * word) & 0xFFFFFFFF for row in expected]
        assert found.tolist() == wanted


def test_transposing_reads_are_for_whole_waves(bench):
    lines = (
        "v_cmp_gt_u32_e32 vcc, 5, v0\ns_and_saveexec_b64 s[4:5], vcc\nds_read_b64_tr_b16 v[2:3], v0\n"
        "s_waitcnt lgkmcnt(0)\ns_mov_b64 exec, s[4:5]\nv_mov_b32_e32 v63, v2"
    )
    with pytest.raises(EmulationFault) as caught:
        bench.words(lines, "gfx950", shared=256)
    assert caught.value.kind == "divergent-warp-operation"
    with pytest.raises(EmulationFault, match="on gfx942"):
        bench.words(lines, "gfx942", shared=256)
    assert wavefront("gfx950") == 64
