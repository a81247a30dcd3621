"""The LLVM IR and the AMDGCN text of a kernel, and the code object made of it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.all_rules import emit_reason, emit_rule
from lanewise.codegen.link import read_code_object
from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects import load_all
from lanewise.support.diagnostics import CompileError

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
COPY = """  %t = gpu.thread_id x
  %n = arith.constant {count} : index
  %i = arith.muli %t, %n : index
  %v = vector.load %a[%i] {{alignment = {alignment} : i64}} : memref<{size}x{type}>, vector<{count}x{type}>
  vector.store %v, %b[%i] {{alignment = {alignment} : i64}} : memref<{size}x{type}>, vector<{count}x{type}>"""


def test_every_operation_has_a_rule_or_a_reason() -> None:
    load_all()
    wrong = [n for n, cls in REGISTRY.items() if bool(emit_rule(cls, "amd")) == bool(emit_reason(cls, "amd"))]
    assert not wrong


# -- the kernel -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", CHIPS)
def test_a_kernel_takes_its_arguments_and_nothing_else(chip: str, build: Any, text: Any) -> None:
    body = "  %t = gpu.thread_id x\n  memref.store %x, %a[%t] : memref<64xf32>"
    artifacts = build(text("%a: memref<64xf32>, %x: f32", body), chip)
    assert ".amdhsa_kernarg_size 12" in artifacts.assembly
    assert artifacts.assembly.count(".value_kind:") == 2 and "hidden" not in artifacts.assembly
    for unused in ("dispatch_ptr", "queue_ptr", "dispatch_id"):
        assert f".amdhsa_user_sgpr_{unused} 0" in artifacts.assembly
    for axis in "yz":
        assert f".amdhsa_system_sgpr_workgroup_id_{axis} 0" in artifacts.assembly
    assert ".amdhsa_system_vgpr_workitem_id 0" in artifacts.assembly
    assert ".amdhsa_float_denorm_mode_32 3" in artifacts.assembly
    assert ".amdhsa_code_object_version 5" in artifacts.assembly
    assert re.search(r"\.reqd_workgroup_size:\s+- +64\s+- +1\s+- +1", artifacts.assembly)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_code_object(chip: str, build: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %x, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
  %y = memref.load %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %y, %a[%t] : memref<64xf32>"""
    artifacts = build(text("%a: memref<64xf32>, %x: f32", body, name="some_kernel"), chip)
    found = read_code_object(artifacts.code_object)
    assert found.target == f"amdgcn-amd-amdhsa--{chip}"
    assert list(found.kernels) == ["some_kernel"] and found.kernels["some_kernel"] == artifacts.kernel_info
    info = artifacts.kernel_info
    assert (info.argument_bytes, info.kernarg_size) == (12, 12)
    assert info.group_segment_bytes == artifacts.static_shared_bytes == 256
    assert info.max_flat_workgroup_size == 64 and info.vgpr_spills == info.sgpr_spills == 0
    assert (
        artifacts.code_object == build(text("%a: memref<64xf32>, %x: f32", body, name="some_kernel"), chip).code_object
    )


def test_nvidia_has_no_code_object(build: Any, text: Any) -> None:
    with pytest.raises(ValueError, match="LLVM writes no object for sm_90"):
        _ = build(text("", ""), "sm_90").code_object


@pytest.mark.parametrize("lanes", [32, 64])
def test_the_subgroup_size_is_the_kernels(lanes: int, build: Any, text: Any) -> None:
    source = text(
        "%a: memref<64xindex>", "  %n = gpu.subgroup_size : index\n  memref.store %n, %a[%n] : memref<64xindex>"
    )
    asked = source.replace("attributes {gpu", f"attributes {{lanewise.subgroup_size = {lanes} : i64, gpu")
    for chip in ("gfx1030", "gfx1100", "gfx1201"):
        artifacts = build(asked, chip)
        assert f".amdhsa_wavefront_size32 {int(lanes == 32)}" in artifacts.assembly
        assert artifacts.kernel_info.wavefront_size == lanes
    with pytest.raises(CompileError, match=f"has subgroups of {lanes}, gfx"):
        build(asked, "gfx942" if lanes == 32 else "gfx1250")


def test_the_grids_extents_follow_the_arguments(build: Any, run_on: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %z = gpu.grid_dim z
  %x = gpu.grid_dim x
  %s = arith.muli %z, %x : index
  memref.store %s, %a[%t] : memref<64xindex>"""
    source = text("%a: memref<64xindex>, %f: i8", body)
    found = [(p.name, p.role, p.argument, p.dimension, p.offset, p.size) for p in build(source, "gfx942").parameters]
    assert found == [
        ("a", "pointer", 0, None, 0, 8),
        ("f", "scalar", 1, None, 8, 1),
        ("grid.x", "grid", -1, 0, 16, 8),
        ("grid.z", "grid", -1, 2, 24, 8),
    ]
    (result,) = run_on("gfx942", source, [np.zeros(64, np.int64), np.int8(0)], (5, 1, 3))
    assert (result == 15).all()


def test_names_do_not_reach_the_text(build: Any, text: Any) -> None:
    body = COPY.format(count=4, alignment=16, size=256, type="f32")
    arguments = "%a: memref<256xf32>, %b: memref<256xf32>"
    plain, again = (build(text(arguments, body), "gfx1100") for _ in range(2))
    other = build(text(arguments, body, name="other"), "gfx1100")
    assert plain == again
    assert other.llvm_ir.replace("@other(", "@k(") == plain.llvm_ir
    assert re.sub(r"\bother\b", "k", other.assembly) == plain.assembly


# -- memory ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "count", "alignment", "expected"),
    [
        ("f32", 4, 16, ["load_dwordx4", "store_dwordx4"]),
        ("f16", 8, 16, ["load_dwordx4", "store_dwordx4"]),
        ("i8", 8, 8, ["load_dwordx2", "store_dwordx2"]),
        ("f64", 2, 16, ["load_dwordx4", "store_dwordx4"]),
        ("bf16", 2, 2, ["load_ushort"] * 2 + ["store_short"] * 2),
        ("i8", 2, 1, ["load_ubyte"] * 2 + ["store_byte"] * 2),
    ],
)
def test_width_follows_alignment(
    type: str, count: int, alignment: int, expected: list[str], build: Any, text: Any
) -> None:
    size = 64 * count
    source = text(
        f"%a: memref<{size}x{type}>, %b: memref<{size}x{type}>",
        COPY.format(type=type, count=count, size=size, alignment=alignment),
    )
    assert re.findall(r"global_(load_\w+|store_\w+)", build(source, "gfx942").assembly) == expected


SHARED = "memref<256xf32, #gpu.address_space<workgroup>>"
THROUGH_SHARED = f"""  %s = memref.alloc() : {SHARED}
  %t = gpu.thread_id x
  %c4 = arith.constant 4 : index
  %i = arith.muli %t, %c4 : index
  %v = vector.load %a[%i] {{{{alignment = 16 : i64}}}} : memref<256xf32>, vector<4xf32>
  vector.store %v, %s[%i] {{{{alignment = {{alignment}} : i64}}}} : {SHARED}, vector<4xf32>
  gpu.barrier
  %w = vector.load %s[%i] {{{{alignment = {{alignment}} : i64}}}} : {SHARED}, vector<4xf32>
  vector.store %w, %b[%i] {{{{alignment = 16 : i64}}}} : memref<256xf32>, vector<4xf32>"""


def test_workgroup_memory_is_accessed_as_wide_as_its_alignment(build: Any, text: Any) -> None:
    for alignment, wide in ((16, True), (8, False), (4, False)):
        source = text("%a: memref<256xf32>, %b: memref<256xf32>", THROUGH_SHARED.format(alignment=alignment))
        assembly = build(source, "gfx942").assembly
        assert ("ds_write_b128" in assembly and "ds_read_b128" in assembly) == wide


MASKED = """  %t = gpu.thread_id x
  %zero = arith.constant 0 : index
  %n = memref.dim %a, %zero : memref<?xf32>
  %four = arith.constant 4 : index
  %i = arith.muli %t, %four : index
  %ok = arith.cmpi slt, %i, %n : index
  %m = vector.broadcast %ok : i1 to vector<4xi1>
  {pad}
  %v = vector.maskedload %a[%i], %m, %pad {{alignment = 16 : i64}}
    : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %v, %b[%i] {{alignment = 16 : i64}} : memref<256xf32>, vector<4xf32>
  vector.maskedstore %c[%i], %m, %v {{alignment = 16 : i64}} : memref<?xf32>, vector<4xi1>, vector<4xf32>"""
PADS = {
    "known": "%pad = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>",
    "computed": "%pad = vector.from_elements %x, %x, %x, %x : vector<4xf32>",
}


@pytest.mark.parametrize("pad", PADS)
@pytest.mark.parametrize("chip", ["gfx942", "gfx1201"])
def test_guards(chip: str, pad: str, build: Any, run_on: Any, text: Any) -> None:
    """Loads are redirected without a branch, to the padding itself where it is known; stores are behind one."""
    arguments = "%a: memref<?xf32>, %b: memref<256xf32>, %c: memref<?xf32>, %x: f32"
    source = text(arguments, MASKED.format(pad=PADS[pad]))
    artifacts = build(source, chip)
    assert len(re.findall(r"s_cbranch", artifacts.assembly)) == 1
    assert len(re.findall(r"global_load_(?:dwordx4|b128)", artifacts.assembly)) == 1
    assert len(re.findall(r"v_cndmask", artifacts.assembly)) == (2 if pad == "known" else 6)
    a = np.arange(1, 101, dtype=np.float32)
    padding = [1, 2, 3, 4] if pad == "known" else [7, 7, 7, 7]
    found = run_on(chip, source, [a, np.zeros(256, np.float32), np.zeros(100, np.float32), np.float32(7)])
    assert np.array_equal(found[1], np.concatenate([a, np.tile(np.float32(padding), 39)]))
    assert np.array_equal(found[2], a)


@pytest.mark.parametrize(("chip", "limit"), [("gfx942", 65536), ("gfx950", 163840), ("gfx1250", 327680)])
def test_workgroup_memory_has_the_chips_size(chip: str, limit: int, build: Any, text: Any) -> None:
    def source(bytes: int) -> str:
        buffer = f"memref<{bytes}xi8, #gpu.address_space<workgroup>>"
        lines = f"  %t = gpu.thread_id x\n  %tile = memref.alloc() : {buffer}\n"
        lines += f"  memref.store %x, %tile[%t] : {buffer}\n  %y = memref.load %tile[%t] : {buffer}\n"
        return str(text("%a: memref<64xi8>, %x: i8", lines + "  memref.store %y, %a[%t] : memref<64xi8>"))

    artifacts = build(source(limit), chip)
    assert artifacts.kernel_info.group_segment_bytes == artifacts.static_shared_bytes == limit
    with pytest.raises(CompileError, match=rf"workgroup memory %tile {limit + 1} = .* {chip} has {limit}"):
        build(source(limit + 1), chip)


def test_shuffles_through_memory_count_it(build: Any, text: Any) -> None:
    """gfx1030 has no instruction between the halves of 64 lanes."""
    lines = """  %t = gpu.thread_id x
  %o = arith.constant 32 : i32
  %w = arith.constant 64 : i32
  %y, %k = gpu.shuffle xor %x, %o, %w : f32
  memref.store %y, %a[%t] : memref<128xf32>"""
    source = text("%a: memref<128xf32>, %x: f32", lines, (128, 1, 1))
    source = source.replace("attributes {gpu", "attributes {lanewise.subgroup_size = 64 : i64, gpu")
    artifacts = build(source, "gfx1030")
    assert artifacts.static_shared_bytes == artifacts.kernel_info.group_segment_bytes == 512
    buffer = "memref<65536xi8, #gpu.address_space<workgroup>>"
    full = source.replace("%t = gpu", f"%s = memref.alloc() : {buffer}\n  %t = gpu")
    with pytest.raises(CompileError, match=r"65536 \+ 512 for shuffles"):
        build(full, "gfx1030")


# -- arithmetic -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", ["f16", "f32", "f64"])
def test_nothing_is_contracted_unless_asked(type: str, build: Any, text: Any) -> None:
    def assembly(flags: str) -> str:
        body = f"""  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<64x{type}>
  %y = arith.mulf %x, %x {flags} : {type}
  %z = arith.addf %y, %x {flags} : {type}
  memref.store %z, %a[%t] : memref<64x{type}>"""
        return str(build(text(f"%a: memref<64x{type}>", body), "gfx1100").assembly)

    assert not re.search(r"v_(pk_)?(fma|mad|fmac)", assembly(""))
    assert re.search(r"v_(pk_)?(fma|fmac)", assembly("fastmath<contract>"))


@pytest.mark.parametrize(
    ("name", "instruction"),
    [("log", "v_log_f32"), ("log2", "v_log_f32")],
)
def test_approximations_need_permission(name: str, instruction: str, build: Any, run_on: Any, text: Any) -> None:
    def source(flags: str) -> str:
        body = f"""  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<64xf32>
  %y = math.{name} %x {flags} : f32
  memref.store %y, %a[%t] : memref<64xf32>"""
        return str(text("%a: memref<64xf32>", body))

    assert instruction not in build(source(""), "gfx942").assembly
    assert instruction in build(source("fastmath<afn>"), "gfx942").assembly
    x = np.linspace(0.25, 20, 64, dtype=np.float32)
    (found,) = run_on("gfx942", source("fastmath<afn>"), [x])
    np.testing.assert_allclose(found, getattr(np, name)(x.astype(np.float64)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("chip", "pairs"), [("gfx942", 2), ("gfx1100", 0)])
def test_arithmetic_on_neighbouring_registers_is_done_in_pairs(chip: str, pairs: int, build: Any, text: Any) -> None:
    """A multiplication of four numbers; the sums depend on one another, and stay alone."""
    lines = [f"  %x{i} = vector.extract %v[{i}] : f32 from vector<4xf32>" for i in range(4)]
    lines += [f"  %y{i} = arith.mulf %x{i}, %x{i} : f32" for i in range(4)]
    lines += [
        "  %s1 = arith.addf %y0, %y1 : f32",
        "  %s2 = arith.addf %s1, %y2 : f32",
        "  %s3 = arith.addf %s2, %y3 : f32",
    ]
    body = (
        """  %t = gpu.thread_id x
  %c4 = arith.constant 4 : index
  %i = arith.muli %t, %c4 : index
  %v = vector.load %a[%i] {alignment = 16 : i64} : memref<256xf32>, vector<4xf32>
"""
        + "\n".join(lines)
        + "\n  memref.store %s3, %b[%t] : memref<64xf32>"
    )
    assembly = build(text("%a: memref<256xf32>, %b: memref<64xf32>", body), chip).assembly
    assert assembly.count("v_pk_mul_f32") == pairs and "v_pk_add_f32" not in assembly
