"""Each key of a product's `lowering_config`, option of a pipeline and field of `translation_info`, changed alone.

Each makes another program, or is refused by name, and so does each key of each other operation that takes a config."""

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


ALL_KEYS = sorted({key for keys in LOWERING_KEYS.values() for key in keys})
KINDS = [name for name in LOWERING_KEYS if name != "vector.contract"]
ELEMENTWISE = "arith.addf"
TILES = "iree_gpu.multi_mma", "iree_codegen.inner_tiled"
SQUARE = "lane_basis = [[8, 8], [0, 1]], thread = [2, 2]"
SHARED = {
    "lane_basis": (SQUARE, SQUARE.replace("[8, 8]", "[4, 16]")),
    "thread": (SQUARE, SQUARE.replace("[2, 2]", "[1, 4]")),
    "subgroup_basis": (f"{SQUARE}, subgroup_basis = [[4, 1], [0, 1]]",
                       f"{SQUARE}, subgroup_basis = [[1, 4], [0, 1]]"),
    "subgroup": (f"{SQUARE}, subgroup = [16, 64]", f"{SQUARE}, subgroup = [64, 16]"),
    "partial_reduction": (SQUARE, "partial_reduction = [0, 16]"),
    "mma_kind": (SQUARE, f"{SQUARE}, {FRAGMENTS}"),
}  # fmt: skip
"""Of operations without products, on 64x64 elements and four subgroups of 64."""
FOUR = "subgroup_m_count = 2, subgroup_n_count = 2"
OF_TILES = {
    "mma_kind": (FOUR, f"{FOUR}, mma_kind = #iree_gpu.mma_layout<MFMA_F32_32x32x8_F16>"),
    "subgroup_basis": ("subgroup_basis = [[4, 1, 1], [0, 1, 2]]", "subgroup_basis = [[1, 4, 1], [0, 1, 2]]"),
    "subgroup": ("subgroup = [1, 4, 0]", "subgroup = [4, 1, 0]"),
    "subgroup_m_count": ("subgroup_m_count = 4, subgroup_n_count = 1", "subgroup_m_count = 2, subgroup_n_count = 1"),
    "subgroup_n_count": (FOUR, "subgroup_m_count = 2, subgroup_n_count = 1"),
    "promote_operands": (FOUR, f"{FOUR}, promote_operands = [0, 1]"),
    "promotion_types": (f"{FOUR}, promote_operands = [0]", f"{FOUR}, promote_operands = [0], promotion_types = [unit]"),
    "workgroup": (FOUR, f"{FOUR}, workgroup = [2, 2, 0]"),
    "reduction": (FOUR, f"{FOUR}, reduction = [0, 0, 1]"),
}
"""Of products of 4x4x2 tiles."""


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
    return _layouts_of(text)


def _layouts_of(text: str) -> tuple[str, bool]:
    try:
        return print_program(Compilation(parse(text), None, find_chip("gfx942")).layout_module), True
    except ProgramError as error:
        return "\n".join(d.message for d in error.diagnostics), False


def _function(arguments: str, body: str) -> str:
    return f"""
func.func @f({arguments}) attributes {{translation_info = #iree_codegen.translation_info<{PIPELINE} {SIZES}>}} {{
  %c0 = arith.constant 0 : index
{body}
  return
}}"""


@cache
def of_vectors(opname: str, config: str) -> tuple[str, bool]:
    """The same of a program that reads 64x64 numbers, does something to them and writes them."""
    given = f"lowering_config = #iree_gpu.lowering_config<{{{config}}}>"
    at = {name: f" {{{given}}}" if name == opname else "" for name in (*KINDS, ELEMENTWISE)}
    inside = {name: f", {given}" if name == opname else "" for name in KINDS}
    done = {
        "vector.transpose": f"""%t = vector.transpose %a, [1, 0]{at["vector.transpose"]}
      : vector<64x64xf32> to vector<64x64xf32>""",
        "vector.multi_reduction": f"""%s = vector.multi_reduction <add>, %a, %r{at["vector.multi_reduction"]} [1]
      : vector<64x64xf32> to vector<64xf32>
  %t = vector.broadcast %s : vector<64xf32> to vector<64x64xf32>""",
    }.get(opname, f"%t = arith.addf %a, %a{at[ELEMENTWISE]} : vector<64x64xf32>")
    body = f"""  %p = arith.constant 0.0 : f32
  %r = arith.constant dense<0.0> : vector<64xf32>
  %a = vector.transfer_read %A[%c0, %c0], %p {{in_bounds = [true, true]{inside["vector.transfer_read"]}}}
    : memref<64x64xf32>, vector<64x64xf32>
  {done}
  vector.transfer_write %t, %C[%c0, %c0] {{in_bounds = [true, true]{inside["vector.transfer_write"]}}}
    : vector<64x64xf32>, memref<64x64xf32>"""
    return _layouts_of(_function("%A: memref<64x64xf32>, %C: memref<64x64xf32>", body))


@cache
def of_tiles(opname: str, config: str) -> tuple[str, bool]:
    """The same of a product of 4x4x2 tiles of 16x16x16."""
    maps = "affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>"
    iterators = [f"#linalg.iterator_type<{word}>" for word in ("parallel", "parallel", "reduction")]
    tiled = opname == "iree_codegen.inner_tiled"
    rest = "semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>, " if tiled else ""
    words = f"""{{indexing_maps = [{maps}], iterator_types = [{", ".join(iterators)}], kind = {NAME}, {rest}
    lowering_config = #iree_gpu.lowering_config<{{{config}}}>}}"""
    taken = "ins(%a, %b) outs(%z)" if tiled else "%a, %b, %z"
    body = f"""  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<4x4x16x16xf32>
  %a = vector.transfer_read %A[%c0, %c0, %c0, %c0], %p {{in_bounds = [true, true, true, true]}}
    : memref<4x2x16x16xf16>, vector<4x2x16x16xf16>
  %b = vector.transfer_read %B[%c0, %c0, %c0, %c0], %p {{in_bounds = [true, true, true, true]}}
    : memref<2x4x16x16xf16>, vector<2x4x16x16xf16>
  %d = {opname} {taken} {words} : vector<4x2x16x16xf16>, vector<2x4x16x16xf16> into vector<4x4x16x16xf32>
  vector.transfer_write %d, %C[%c0, %c0, %c0, %c0] {{in_bounds = [true, true, true, true]}}
    : vector<4x4x16x16xf32>, memref<4x4x16x16xf32>"""
    arguments = "%A: memref<4x2x16x16xf16>, %B: memref<2x4x16x16xf16>, %C: memref<4x4x16x16xf32>"
    return _layouts_of(_function(arguments, body))


def differs(name: str, one: tuple[str, str], other: tuple[str, str], size: int = 64) -> None:
    _differs(name, made_of(*one, size), made_of(*other, size))


def _differs(name: str, one: tuple[str, bool], other: tuple[str, bool]) -> None:
    (stated, is_code), (changed, is_other_code) = one, other
    assert is_code, stated
    assert changed != stated and (is_other_code or name in changed), changed


@pytest.mark.parametrize("key", LOWERING_KEYS["vector.contract"])
def test_a_key_of_a_product_is_obeyed_or_refused_by_name(key: str) -> None:
    one, other = KEYS[key]
    info = f"{PIPELINE} {SIZES}"
    if key in ("lane_basis", "thread", "padding"):
        info = info.replace("256", "64")
    differs(key, (one, info), (other, info), 16 if key == "padding" else 64)


@pytest.mark.parametrize("key", ALL_KEYS)
@pytest.mark.parametrize("opname", [*(name for name in KINDS if name not in TILES), ELEMENTWISE])
def test_a_key_of_an_operation_on_vectors_is_obeyed_or_refused_by_name(opname: str, key: str) -> None:
    one, other = SHARED.get(key, (SQUARE, f"{SQUARE}, {key} = [0, 1]"))
    _differs(key, of_vectors(opname, one), of_vectors(opname, other))
    assert of_vectors(opname, other)[1] == (key in LOWERING_KEYS.get(opname, LOWERING_KEYS["vector.transpose"]))


@pytest.mark.parametrize("key", ALL_KEYS)
@pytest.mark.parametrize("opname", TILES)
def test_a_key_of_a_product_of_tiles_is_obeyed_or_refused_by_name(opname: str, key: str) -> None:
    one, other = OF_TILES.get(key, (FOUR, f"{FOUR}, {key} = [0, 1, 1]"))
    _differs(key, of_tiles(opname, one), of_tiles(opname, other))


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
