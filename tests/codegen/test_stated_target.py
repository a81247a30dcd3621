"""Each field of a program's `#iree_gpu.target`, changed alone: other code, or a refusal that names it.

The programs are chosen so that the field matters to them; which fields there are the attributes' own classes say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest
from lanewise.frontend.dialects.iree_gpu_target import TargetAttr, TargetChipAttr, TargetWgpAttr
from lanewise.frontend.stated_target import FIELDS
from lanewise.ir.printer import print_program
from lanewise.jit.source import parse
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import ProgramError
from lanewise.targets import find_chip

WORDS = "fp64|fp32|fp16|int64|int32|int16|int8"
BASE = {
    "arch": '"gfx950"',
    "features": '""',
    "wgp.compute": WORDS,
    "wgp.storage": "b64|b32|b16|b8",
    "wgp.subgroup": "shuffle|arithmetic",
    "wgp.dot": "dp4xi8toi32",
    "wgp.mma": "[<MFMA_F32_16x16x16_F16>, <MFMA_F32_16x16x32_F16>]",
    "wgp.scaled_mma": "[<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, "
    "acc_elem_type = f32>]",
    "wgp.subgroup_size_choices": "[64]",
    "wgp.max_workgroup_sizes": "[1024, 1024, 1024]",
    "wgp.max_thread_count_per_workgroup": "1024",
    "wgp.max_workgroup_memory_bytes": "163840",
    "wgp.max_workgroup_counts": "[2147483647, 2147483647, 2147483647]",
    "wgp.max_load_instruction_bits": "128",
    "wgp.simds_per_wgp": "4",
    "wgp.vgpr_space_bits": "16384",
    "wgp.dma_sizes": "[32, 128]",
    "wgp.workgroup_memory_bank_count": "64",
    "wgp.extra": "{}",
    "chip.wgp_count": "256",
    "chip.sku": '"mi355x"',
    "chip.extra": "{}",
}
"""All of a gfx950, as IREE states it."""

SQUARES = """
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<4096xf32>, vector<64xf32>
  %w = arith.mulf %v, %v : vector<64xf32>
  vector.transfer_write %w, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<4096xf32>"""
SUM = """
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<4096xf32>, vector<64xf32>
  %s = vector.reduction <add>, %v : vector<64xf32> into f32
  memref.store %s, %x[%c0] : memref<4096xf32>"""
SHARED = """
  %s = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %p, %s[%c0] : memref<64xf32, #gpu.address_space<workgroup>>"""
COPY = """
  %s = memref.alloc() : memref<1024xf32, #gpu.address_space<workgroup>>
  amdgpu.gather_to_lds %x[%c0], %s[%c0]
    : vector<4xf32>, memref<4096xf32>, memref<1024xf32, #gpu.address_space<workgroup>>"""
SCALED = """
  %a = arith.constant dense<1.0> : vector<32xf4E2M1FN>
  %c = arith.constant dense<0.0> : vector<4xf32>
  %one = arith.constant 1.0 : f8E8M0FNU
  %d = amdgpu.scaled_mfma 16x16x128 (%one[0] * %a) * (%one[0] * %a) + %c
    : f8E8M0FNU, vector<32xf4E2M1FN>, f8E8M0FNU, vector<32xf4E2M1FN>, vector<4xf32>
  vector.store %d, %x[%c0] : memref<4096xf32>, vector<4xf32>"""


def product(element: str, sums: str, size: int) -> str:
    """Of a square of workgroup memory with itself."""
    return f"""
  %a = memref.alloc() : memref<{size}x{size}x{element}, #gpu.address_space<workgroup>>
  %z = arith.constant {"0" if element == "i8" else "0.0"} : {element}
  %acc = arith.constant dense<{"0" if sums == "i32" else "0.0"}> : vector<{size}x{size}x{sums}>
  %u = vector.transfer_read %a[%c0, %c0], %z {{in_bounds = [true, true]}}
    : memref<{size}x{size}x{element}, #gpu.address_space<workgroup>>, vector<{size}x{size}x{element}>
  %r = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}}
    %u, %u, %acc : vector<{size}x{size}x{element}>, vector<{size}x{size}x{element}> into vector<{size}x{size}x{sums}>
  %o = memref.alloc() : memref<{size}x{size}x{sums}, #gpu.address_space<workgroup>>
  vector.transfer_write %r, %o[%c0, %c0] {{in_bounds = [true, true]}}
    : vector<{size}x{size}x{sums}>, memref<{size}x{size}x{sums}, #gpu.address_space<workgroup>>"""


BYTES, HALVES = product("i8", "i32", 16), product("f16", "f32", 32)
THREAD, PERSIST = 'lanewise.scope = "thread"', "lanewise.persist = true"


@dataclass(frozen=True)
class Case:
    """`changed`: the field's other value. `attributes`: further ones of the kernel."""

    changed: str
    body: str = SQUARES
    attributes: str = ""


CASES = {
    "arch": Case('"sm_90"'),
    "features": Case('"+xnack"'),
    "wgp.compute": Case("fp64|fp16|int32"),
    "wgp.storage": Case("b64|b16|b8"),
    "wgp.subgroup": Case("none", SUM),
    "wgp.dot": Case("none", BYTES),
    "wgp.mma": Case("[<MFMA_F32_16x16x16_F16>]", HALVES),
    "wgp.scaled_mma": Case("[]", SCALED, THREAD),
    "wgp.subgroup_size_choices": Case("[32]"),
    "wgp.max_workgroup_sizes": Case("[32, 1024, 1024]"),
    "wgp.max_thread_count_per_workgroup": Case("32"),
    "wgp.max_workgroup_memory_bytes": Case("128", SHARED),
    "wgp.max_workgroup_counts": Case("[65535, 65535, 65535]"),
    "wgp.max_load_instruction_bits": Case("64"),
    "wgp.simds_per_wgp": Case("2"),
    "wgp.vgpr_space_bits": Case("4096"),
    "wgp.dma_sizes": Case("[32]", COPY, THREAD),
    "wgp.workgroup_memory_bank_count": Case("16"),
    "wgp.extra": Case("{a = 1}"),
    "chip.wgp_count": Case("4", SQUARES.replace("%c0", "%b"), PERSIST),
    "chip.sku": Case('"mi210"'),
    "chip.extra": Case("{a = 1}"),
}


def program(values: dict[str, str], body: str, attributes: str) -> str:
    wgp, chip = (
        ", ".join(f"{name.removeprefix(part)} = {value}" for name, value in values.items() if name.startswith(part))
        for part in ("wgp.", "chip.")
    )
    target = f"#iree_gpu.target<arch = {values['arch']}, features = {values['features']}, wgp = <{wgp}>, "
    return f"""
gpu.func @f(%x: memref<4096xf32>) kernel attributes {{gpu.known_block_size = array<i32: 64, 1, 1>,
    iree_codegen.target_info = {target}chip = <{chip}>>{", " if attributes else ""}{attributes}}} {{
  %c0 = arith.constant 0 : index
  %b = gpu.block_id x
  %p = arith.constant 0.0 : f32
  {body}
  gpu.return
}}"""


@cache
def made_of(body: str, attributes: str, field: str = "", value: str = "") -> tuple[str, bool]:
    """Code, or what is wrong, and which of both."""
    text = program({**BASE, **({field: value} if field else {})}, body, attributes)
    try:
        compilation = Compilation(parse(text), None, find_chip("gfx950"))
        return print_program(compilation.thread_module) + compilation.artifacts.llvm_ir, True
    except ProgramError as error:
        return "\n".join(d.message for d in error.diagnostics), False


def test_every_field_has_a_reader_and_a_case() -> None:
    slots = {name for name in TargetAttr.slots if name not in ("wgp", "chip")}
    slots |= {f"wgp.{name}" for name in TargetWgpAttr.slots} | {f"chip.{name}" for name in TargetChipAttr.slots}
    assert slots == FIELDS.keys() == CASES.keys() == BASE.keys()


@pytest.mark.parametrize("field", CASES)
def test_a_field_is_obeyed_or_refused_by_name(field: str) -> None:
    case = CASES[field]
    stated, is_code = made_of(case.body, case.attributes)
    assert is_code, stated
    changed, is_code = made_of(case.body, case.attributes, field, case.changed)
    assert changed != stated
    name = field.rpartition(".")[2]
    assert is_code or name in changed or "'iree_codegen.target_info'" in changed, changed


@pytest.mark.parametrize(("dot", "count"), [("dp4xi8toi32", 16), ("none", 0)])
def test_llvm_does_not_use_what_the_target_has_not(dot: str, count: int) -> None:
    """16 * 16 sums of 16 products, four an instruction, on 64 lanes: 16 of a lane."""
    text = program({**BASE, "wgp.dot": dot}, BYTES, "")
    assert Compilation(parse(text), None, find_chip("gfx950")).artifacts.assembly.count("v_dot4") == count


def test_as_many_workgroups_stay_as_the_target_says() -> None:
    stated, _ = made_of(CASES["chip.wgp_count"].body, PERSIST)
    changed, _ = made_of(CASES["chip.wgp_count"].body, PERSIST, "chip.wgp_count", "7")
    assert "arith.constant 256 : index" in stated and "arith.constant 7 : index" in changed
    assert "arith.constant 256 : index" not in changed
