"""What data give way to in caches: every access that an operation becomes says so, as wide as it was, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.codegen.assemble import assembles, has_tool
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.ptx import PtxModule
from lanewise.targets import find_chip

ROOT = Path(__file__).parents[2]
WORDS = ("evict_first", "evict_last", "evict_unchanged", "no_allocate")
ACCESS = re.compile(r"\b(?:ld|st)\.global\S*")
POLICY = re.compile(r"createpolicy\.fractional\.L2::(\w+)\.b64\s+(%rd\d+), 1\.0;")
COPIES = re.compile(r"cp\.async\.(?:c[ag]\.shared|bulk\.tensor)\S*")


def says(word: str) -> str:
    return f'lanewise.evict_priority = "{word}"'


def program(read: str = "", write: str = "", form: str = "transfer") -> str:
    kept = " {%s}"
    forms = {
        "transfer": (
            "vector.transfer_read %x[%c0], %zero {in_bounds = [true]READ} : memref<1024xf32>, vector<1024xf32>",
            "vector.transfer_write %v, %y[%c0] {in_bounds = [true]WRITE} : vector<1024xf32>, memref<1024xf32>",
        ),
        "whole": (
            "vector.load %x[%c0]READ : memref<1024xf32>, vector<1024xf32>",
            "vector.store %v, %y[%c0]WRITE : memref<1024xf32>, vector<1024xf32>",
        ),
        "masked": (
            "vector.maskedload %x[%c0], %m, %zeros READ"
            " : memref<1024xf32>, vector<1024xi1>, vector<1024xf32> into vector<1024xf32>",
            "vector.maskedstore %y[%c0], %m, %v WRITE : memref<1024xf32>, vector<1024xi1>, vector<1024xf32>",
        ),
    }
    into = ", %s" if form == "transfer" else kept
    texts = [
        text.replace("READ", read and into % says(read)).replace("WRITE", write and into % says(write))
        for text in forms[form]
    ]
    return f"""
gpu.func @f(%x: memref<1024xf32> {{llvm.align = 16 : i64}}, %y: memref<1024xf32> {{llvm.align = 16 : i64}}, %n: index
    {{lanewise.divisibility = 4 : i64}}) kernel attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<1024xf32>
  %m = vector.create_mask %n : vector<1024xi1>
  %v = {texts[0]}
  {texts[1]}
  gpu.return
}}"""


def accesses(text: str, target: str = "sm_90") -> list[str]:
    return ACCESS.findall(lanewise.compile(text, target).ptx)


def with_words(kind: str, word: str, target: str) -> str:
    """An access of 16 bytes with a priority: of loads the buffer is only read."""
    first = f".L1::{word}" if target != "sm_60" else ""
    second = ".L2::cache_hint" if word != "no_allocate" and target not in ("sm_60", "sm_75") else ""
    return f"{kind}.global{'.nc' * (kind == 'ld')}{first}{second}.v4.b32"


@pytest.mark.turns("target")
@pytest.mark.parametrize("target", ["sm_60", "sm_75", "sm_80", "sm_90a", "sm_120"])
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("form", ["transfer", "whole", "masked"])
def test_every_access_says_so_and_is_as_wide(form: str, word: str, target: str) -> None:
    """1024 numbers of 4 bytes are 4 accesses of 16 for each of 64 threads."""
    plain = accesses(program(form=form), target)
    assert [a[:2] for a in plain] == ["ld"] * 4 + ["st"] * 4
    assert all(a.endswith((".v4.b32", ".v2.b64")) for a in plain)
    kept = accesses(program(word, form=form), target)
    assert kept[:4] == [with_words("ld", word, target)] * 4
    assert kept[4:] in (["st.global.v4.b32"] * 4, ["st.global.v2.b64"] * 4)  # on sm_120 as LLVM likes
    assert accesses(program("", word, form), target)[4:] == [with_words("st", word, target)] * 4


def test_what_is_normal_is_written_as_ever() -> None:
    text = lanewise.compile(program(), "sm_90").ptx
    assert lanewise.compile(program("evict_normal", "evict_normal"), "sm_90").ptx == text
    assert "createpolicy" not in text


def test_each_access_has_the_policy_of_its_own_priority() -> None:
    text = lanewise.compile(program("evict_last", "evict_first"), "sm_80").ptx
    made = {register: word for word, register in POLICY.findall(text)}
    assert sorted(made.values()) == ["evict_first", "evict_last"]
    copies = dict(re.findall(r"mov\.b64\s+(%rd\d+), (%rd\d+);", text))
    last = re.findall(r"(ld|st)\.global\S*L2::cache_hint\S* .*, (%rd\d+);", text)
    assert {(kind, made[copies.get(register, register)]) for kind, register in last} == {
        ("ld", "evict_last"),
        ("st", "evict_first"),
    }


@pytest.mark.skipif(not assembles(find_chip("sm_90")) or not has_tool("nvdisasm"), reason="no ptxas or nvdisasm here")
def test_the_assembler_makes_constants_of_policies() -> None:
    sass = lanewise.compile(program("evict_last", "evict_first"), "sm_90").sass
    assert re.findall(r"\b(?:LDG|STG)\.E\S*", sass) == ["LDG.E.EL.128.CONSTANT"] * 4 + ["STG.E.EF.128"] * 4
    plain = lanewise.compile(program(), "sm_90").sass
    assert not re.search(r"CREATEPOLICY|\.E[LF]\b", plain)
    count = [len(re.findall(r"^\s*/\*[0-9a-f]{4}\*/", text, re.MULTILINE)) for text in (sass, plain)]
    assert count[0] <= count[1] + 8, "two constants of 64 bits, in uniform registers"


# ---- what passes make of reads ----


def product(read_a: str, read_b: str) -> str:
    """Of the example, whose loop copies both tiles ahead."""
    text = (ROOT / "examples/matmul_f16.mlir").read_text(encoding="utf-8")
    for buffer, word in (("A", read_a), ("B", read_b)):
        reads = re.findall(rf"vector\.transfer_read %{buffer}\[[^\]]*\], %\w+(?: \{{[^}}]*\}})?", text)
        assert len(reads) == 1, (buffer, reads)
        if word:
            text = text.replace(reads[0], _hinted(reads[0], word))
    return text


def _hinted(read: str, word: str) -> str:
    return f"{read[:-1]}, {says(word)}}}" if read.endswith("}") else f"{read} {{{says(word)}}}"


def copies(text: str, target: str) -> dict[str, int]:
    kernel = lanewise.compile(text, target)
    found = COPIES.findall(kernel.variant(kernel.best_facts).artifacts.assembly)
    return {form: found.count(form) for form in sorted(set(found))}


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_copies_that_a_pass_makes_of_a_read_have_its_priority(target: str) -> None:
    plain, kept, both, passing = (
        copies(product(*words), target)
        for words in (("", ""), ("", "evict_last"), ("evict_first", "evict_last"), ("no_allocate", ""))
    )
    (form,) = plain
    (hinted,) = both
    assert hinted.replace(".L2::cache_hint", "") == form != hinted and both[hinted] == plain[form]
    assert kept.keys() == {form, hinted} and sum(kept.values()) == plain[form]
    assert passing == plain  # they do not come through the first level anyway


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_90a", "gfx942", "gfx950", "gfx1100"])
def test_the_product_is_the_same(target: str) -> None:
    device = lanewise.EmulatedDevice(target)
    kernel = lanewise.compile(product("evict_first", "evict_last"), target, device=device)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (128, 128)).astype(np.float16) for _ in "ab")
    c = np.zeros((128, 128), np.float32)
    kernel[1, 1](a, b, c)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_what_is_read_ahead_into_registers_has_it_too() -> None:
    """AMD's chips have no priorities: what gives way first is what is not used again there."""
    kernel = lanewise.compile(product("evict_first", "evict_last"), "gfx942")
    text = kernel.variant(kernel.best_facts).artifacts.assembly
    loads = re.findall(r"^\s*buffer_load_dword\w* .*$", text, re.MULTILINE)
    marked = [load for load in loads if load.endswith(" nt")]
    assert 0 < len(marked) < len(loads)


def test_copies_to_lds_have_it_too() -> None:
    kernel = lanewise.compile(product("evict_first", ""), "gfx950")
    text = kernel.variant(kernel.best_facts).artifacts.assembly
    found = re.findall(r"^\s*buffer_load_dwordx4 .*\blds$", text, re.MULTILINE)
    marked = [line for line in found if line.endswith(" nt lds")]
    assert 0 < len(marked) < len(found)


TILE = """
#group = #gpu.address_space<workgroup>
gpu.func @tile(%x: memref<512xBITS> {llvm.align = 16 : i64}, %y: memref<512xBITS>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>SCOPE} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : BITS
  %t = memref.alloc() : memref<512xBITS, #group>
COPY
  nvgpu.device_async_wait %g
  %v = vector.transfer_read %t[%c0], %zero {in_bounds = [true]} : memref<512xBITS, #group>, vector<SIZExBITS>
  vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<SIZExBITS>, memref<512xBITS>
  gpu.return
}"""
WHOLE = """  %a = lanewise.async_copy %x[%c0], %t[%c0] {shape = array<i64: SIZE>, HINT}
    : memref<512xBITS> to memref<512xBITS, #group>
  %g = nvgpu.device_async_create_group %a"""


def tile(word: str, bits: str, size: int) -> str:
    text = TILE.replace("COPY", WHOLE).replace("HINT", says(word)).replace("SCOPE", "")
    return text.replace("BITS", bits).replace("SIZE", str(size))


@pytest.mark.parametrize(
    ("word", "size", "expected"),
    [
        ("evict_last", 256, "cp.async.cg.shared.global.L2::cache_hint"),
        ("evict_last", 64, "cp.async.ca.shared.global.L2::cache_hint"),
        ("no_allocate", 256, "cp.async.cg.shared.global"),
        ("no_allocate", 64, "ld.global.nc.L1::no_allocate.b32"),
    ],
)
def test_copies_of_the_authors_come_by_a_way_that_has_it(word: str, size: int, expected: str) -> None:
    """Pieces of 4 bytes come through the first level, as asynchronous copies: then by registers."""
    kernel = lanewise.compile(tile(word, "i32", size), "sm_80", device="emulated")
    found = {*COPIES.findall(kernel.ptx), *(a for a in ACCESS.findall(kernel.ptx) if a.startswith("ld"))}
    assert found == {expected}
    x, y = np.arange(512, dtype=np.int32), np.zeros(512, np.int32)
    kernel[1](x, y)
    assert (y[:size] == x[:size]).all() and not y[size:].any()


def test_elements_that_are_vectors() -> None:
    text = f"""
gpu.func @f(%x: memref<64xvector<4xf32>> {{llvm.align = 16 : i64}},
    %y: memref<64xvector<4xf32>> {{llvm.align = 16 : i64}}) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"}} {{
  %t = gpu.thread_id x
  %v = memref.load %x[%t] {{{says("evict_last")}}} : memref<64xvector<4xf32>>
  memref.store %v, %y[%t] {{{says("evict_first")}}} : memref<64xvector<4xf32>>
  gpu.return
}}"""
    assert accesses(text) == [with_words("ld", "evict_last", "sm_90"), with_words("st", "evict_first", "sm_90")]


# ---- the emulator ----


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ld.global.L1::evict_next.b32 %r0, [%q0];", "unsupported: what this ld says to caches"),
        ("ld.global.cs.L1::evict_last.b32 %r0, [%q0];", "unsupported: what this ld says to caches"),
        ("st.shared.L1::evict_last.b32 [%r1], %r0;", "unsupported: what this st says to caches"),
        ("ld.global.L2::cache_hint.b32 %r0, [%q0];", "syntax: 2 operands where 3 are expected"),
        ("ld.global.b32 %r0, [%q0], %q0;", "syntax: 3 operands where 2 are expected"),
        ("createpolicy.fractional.L2::no_allocate.b64 %q0, 1.0;", "unsupported: this form of createpolicy"),
        ("createpolicy.range.L2::evict_last.b64 %q0, [%q0], 4, 8;", "unsupported: this form of createpolicy"),
    ],
)
def test_forms_that_there_are_not(line: str, why: str) -> None:
    with pytest.raises(EmulationFault, match=re.escape(why)):
        PtxModule.parse(KERNEL.replace("LINES", line))


def test_a_policy_has_to_be_one() -> None:
    device = lanewise.EmulatedDevice("sm_90")
    good = "createpolicy.fractional.L2::evict_first.b64 %q1, 1.0;\nld.global.L2::cache_hint.b32 %r0, [%q0], %q1;"
    for lines, fails in (
        (good, False),
        (good.replace("%q1, 1.0", "%q2, 1.0").replace("ld", "mov.b64 %q1, 77;\nld"), True),
    ):
        kernel = PtxModule.parse(KERNEL.replace("LINES", lines)).kernels["k"]
        address = device.allocate(16)
        try:
            kernel.launch(device.memory, LaunchSettings((1, 1, 1), (32, 1, 1), address.to_bytes(8, "little")))
            assert not fails
        except EmulationFault as fault:
            assert fails and fault.kind == "cache-policy", fault


KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{
    .reg .b32 %r<4>; .reg .b64 %q<4>;
    ld.param.u64 %q0, [a];
    LINES
    ret;
}
"""


def test_boxes_for_several_workgroups_have_it_too() -> None:
    text = (ROOT / "tests/filetests/async/clusters_boxes.mlir").read_text(encoding="utf-8").split("// -----")[0]
    load = re.compile(r"(nvgpu\.tma\.async\.load [^:]*multicast_mask = %\w+, predicate = %\w+)\s*:")
    assert load.search(text)
    machine = lanewise.compile(load.sub(rf"\1 {{{says('evict_last')}}} :", text), "sm_90a").ptx
    form = ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
    assert any(found.endswith(form) for found in re.findall(r"cp\.async\.bulk\.tensor\S*", machine))
    assert PtxModule.parse(machine).kernels
