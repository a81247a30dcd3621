"""Each key of a product's `lowering_config`, option of a pipeline and field of `translation_info`, changed alone.

Each makes another program, or is refused by name."""

from __future__ import annotations

from functools import cache

import pytest
from lanewise.frontend.known_attributes import LOWERING_KEYS, PIPELINE_OPTIONS
from lanewise.ir.printer import print_program
from lanewise.jit.source import parse
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import ProgramError
from lanewise.targets import find_chip

NAME = "#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>"
FRAGMENTS = f"mma_kind = {NAME}"
LANES = "lane_basis = [[8, 8, 1], [0, 1, 2]], thread = [2, 2, 0]"
KEYS = {
    "mma_kind": (FRAGMENTS, "mma_kind = #iree_gpu.mma_layout<MFMA_F32_32x32x8_F16>"),
    "subgroup_basis": (f"{FRAGMENTS}, subgroup_basis = [[4, 1, 1], [0, 1, 2]]",
                       f"{FRAGMENTS}, subgroup_basis = [[1, 4, 1], [0, 1, 2]]"),
    "subgroup": (f"{FRAGMENTS}, subgroup = [16, 64, 0]", f"{FRAGMENTS}, subgroup = [64, 16, 0]"),
    "subgroup_m_count": (f"{FRAGMENTS}, subgroup_m_count = 4, subgroup_n_count = 1",
                         f"{FRAGMENTS}, subgroup_m_count = 2, subgroup_n_count = 1"),
    "subgroup_n_count": (f"{FRAGMENTS}, subgroup_m_count = 2, subgroup_n_count = 2",
                         f"{FRAGMENTS}, subgroup_m_count = 2, subgroup_n_count = 1"),
    "promote_operands": (FRAGMENTS, f"{FRAGMENTS}, promote_operands = [0, 1]"),
    "promotion_types": (f"{FRAGMENTS}, promote_operands = [0]",
                        f"{FRAGMENTS}, promote_operands = [0], promotion_types = [unit]"),
    "lane_basis": (LANES, LANES.replace("[[8, 8, 1], [0, 1, 2]]", "[[4, 16, 1], [0, 1, 2]]")),
    "thread": (LANES, LANES.replace("[2, 2, 0]", "[1, 4, 0]")),
    "workgroup": (FRAGMENTS, f"{FRAGMENTS}, workgroup = [32, 32, 0]"),
    "reduction": (FRAGMENTS, f"{FRAGMENTS}, reduction = [0, 0, 32]"),
    "partial_reduction": (FRAGMENTS, "partial_reduction = [0, 0, 32]"),
    "padding": (FRAGMENTS, f"{FRAGMENTS}, padding = [16, 16, 32]"),
}  # fmt: skip
OPTIONS = {
    "prefetch_num_stages": ("prefetch_num_stages = 0", "prefetch_num_stages = 2"),
    "no_reduce_shared_memory_bank_conflicts": (
        "no_reduce_shared_memory_bank_conflicts = false",
        "no_reduce_shared_memory_bank_conflicts = true",
    ),
    "use_igemm_convolution": ("use_igemm_convolution = false", "use_igemm_convolution = true"),
    "reorder_workgroups_strategy": (
        "reorder_workgroups_strategy = <None>",
        "reorder_workgroups_strategy = <Transpose>",
    ),
}
SIZES = "workgroup_size = [256, 1, 1] subgroup_size = 64"
PIPELINE = "pipeline = #iree_gpu.pipeline<VectorDistribute>"
FIELDS = {
    "pipeline": f"pipeline = #iree_gpu.pipeline<TileAndFuse> {SIZES}",
    "codegen_spec": f"{PIPELINE} codegen_spec = @x {SIZES}",
    "workgroup_size": f"{PIPELINE} workgroup_size = [128, 1, 1] subgroup_size = 64",
    "subgroup_size": f"{PIPELINE} workgroup_size = [256, 1, 1] subgroup_size = 32",
    "mma_schedule": f"{PIPELINE} {SIZES}, {{mma_schedule = #iree_gpu.mma_schedule<intrinsic = {NAME}, "
    "subgroup_m_count = 1, subgroup_n_count = 4>}",
}


@cache
def made_of(config: str, info: str, size: int = 64) -> tuple[str, bool]:
    """The layout stage, or what is wrong, and which of both. Tiles of A are a workgroup's."""
    text = f"""
func.func @f(%A: memref<?x{size}xf16>, %B: memref<{size}x{size}xf16>, %C: memref<?x{size}xf32>) attributes {{
    translation_info = #iree_codegen.translation_info<{info}>}} {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %x = gpu.block_id x
  %y = gpu.block_id y
  %n = gpu.grid_dim x
  %at = arith.muli %x, %c64 : index
  %zero = arith.constant dense<0.0> : vector<{size}x{size}xf32>
  %a = vector.transfer_read %A[{"%c0" if "workgroup = " in config else "%at"}, %c0], %p {{in_bounds = [true, true]}}
    : memref<?x{size}xf16>, vector<{size}x{size}xf16>
  %b = vector.transfer_read %B[%c0, %c0], %p {{in_bounds = [true, true]}}
    : memref<{size}x{size}xf16>, vector<{size}x{size}xf16>
  %d = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{{{config}}}>}}
    %a, %b, %zero : vector<{size}x{size}xf16>, vector<{size}x{size}xf16> into vector<{size}x{size}xf32>
  vector.transfer_write %d, %C[{"%c0" if "workgroup = " in config else "%at"}, %c0] {{in_bounds = [true, true]}}
    : vector<{size}x{size}xf32>, memref<?x{size}xf32>
  return
}}"""
    try:
        return print_program(Compilation(parse(text), None, find_chip("gfx942")).layout_module), True
    except ProgramError as error:
        return "\n".join(d.message for d in error.diagnostics), False


def differs(name: str, one: tuple[str, str], other: tuple[str, str], size: int = 64) -> None:
    stated, is_code = made_of(*one, size)
    assert is_code, stated
    changed, is_code = made_of(*other, size)
    assert changed != stated and (is_code or name in changed), changed


@pytest.mark.parametrize("key", LOWERING_KEYS["vector.contract"])
def test_a_key_of_a_product_is_obeyed_or_refused_by_name(key: str) -> None:
    one, other = KEYS[key]
    info = f"{PIPELINE} {SIZES}"
    if key in ("lane_basis", "thread", "padding"):
        info = info.replace("256", "64")
    differs(key, (one, info), (other, info), 16 if key == "padding" else 64)


@pytest.mark.parametrize("option", PIPELINE_OPTIONS)
def test_an_option_is_obeyed_or_refused_by_name(option: str) -> None:
    infos = [
        f"{PIPELINE} {SIZES}, {{gpu_pipeline_options = #iree_gpu.pipeline_options<{text}>}}" for text in OPTIONS[option]
    ]
    config = f"{FRAGMENTS}, reduction = [0, 0, 16], promote_operands = [0, 1]"
    differs(option, (config, infos[0]), (config, infos[1]))


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_translation_info_is_obeyed_or_refused_by_name(field: str) -> None:
    config = "promote_operands = [0, 1], reduction = [0, 0, 32]" if field == "mma_schedule" else FRAGMENTS
    config = config if field != "pipeline" else f"{FRAGMENTS}, reduction = [0, 0, 32]"
    base = f"{PIPELINE} {SIZES}"
    if field == "mma_schedule":
        base = FIELDS[field].replace("m_count = 1", "m_count = 4").replace("n_count = 4", "n_count = 1")
    words = {"pipeline": "reduction", "subgroup_size": "subgroups of 32", "workgroup_size": "128"}.get(field, field)
    differs(words, (config, base), (config, FIELDS[field]))
