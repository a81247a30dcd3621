"""iree_vector_ext, iree_codegen, iree_gpu and nvgpu: attributes and operations read, print and are checked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.attributes import ArrayAttr
from lanewise.ir.core import REGISTRY, Block, Operation, Region
from lanewise.ir.dialects import scf
from lanewise.ir.dialects.iree_codegen import TranslationInfoAttr
from lanewise.ir.dialects.iree_gpu import MMALayoutAttr
from lanewise.ir.dialects.iree_gpu_config import LoweringConfigAttr
from lanewise.ir.dialects.iree_vector_ext import NestedLayoutAttr, ToLayoutOp
from lanewise.ir.dialects.nvgpu import MmaSyncOp
from lanewise.ir.matrix_operations import multiplies
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.types import Attribute
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ParseError, ProgramError, VerifyError


def program(arguments: str, line: str, prefix: str = "") -> Operation:
    return parse_program(f"{prefix}\nfunc.func @f({arguments}) {{\n{line}\nreturn\n}}")


def first(arguments: str, line: str, prefix: str = "") -> Operation:
    parsed = program(arguments, line, prefix)
    verify(parsed)
    return parsed.body.operations[0].body.operations[0]


def attribute(text: str) -> Attribute:
    return parse_program(f"module attributes {{a = {text}}} {{}}").attributes["a"]


# -- layouts -----------------------------------------------------------------------------------------------------

LAYOUT = """#iree_vector_ext.nested_layout<
    subgroup_tile = [2, 1],
    batch_tile = [2, 4],
    outer_tile = [1, 1],
    thread_tile = [16, 4],
    element_tile = [1, 4],
    subgroup_strides = [1, 0],
    thread_strides = [1, 16]>"""


def nested(**fields: object) -> str:
    """A layout for vector<8x4>, one element a thread, with some fields changed."""
    ones = {name: [1, 1] for name in ("subgroup_tile", "batch_tile", "outer_tile", "element_tile")}
    values = {**ones, "thread_tile": [8, 4], "subgroup_strides": [0, 0], "thread_strides": [4, 1], **fields}
    return f"#iree_vector_ext.nested_layout<{', '.join(f'{k} = {v}' for k, v in values.items())}>"


def test_a_layout_keeps_its_fields() -> None:
    layout = attribute(LAYOUT)
    assert isinstance(layout, NestedLayoutAttr)
    assert layout.thread_tile == (16, 4) and layout.thread_strides == (1, 16)
    assert layout.rank == 2 and layout.shape == (64, 64) and layout.flaw() is None
    assert attribute(str(layout)) == layout


def test_fields_of_a_layout_come_in_any_order() -> None:
    shuffled = re.sub(r"<(.*?\]), (.*)>", r"<\2, \1>", str(attribute(LAYOUT)))
    assert shuffled != str(attribute(LAYOUT)) and attribute(shuffled) == attribute(LAYOUT)


@given(st.data(), st.integers(0, 4))
def test_any_layout_survives(data: st.DataObject, rank: int) -> None:
    numbers = st.lists(st.integers(-1, 64), min_size=rank, max_size=rank).map(tuple)
    layout = NestedLayoutAttr(*(data.draw(numbers) for _ in range(7)))
    assert attribute(str(layout)) == layout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (nested(batch_tile="[1, 1], batch_tile = [1, 1]"), "'batch_tile' is given twice"),
        (
            "#iree_vector_ext.nested_layout<batch_tile = [1]>",
            "nested_layout needs subgroup_tile, outer_tile, thread_tile",
        ),
        ("#iree_vector_ext.nested_layout<tiles = [1]>", "expected one of subgroup_tile,"),
        (nested(batch_tile="[x]"), "expected an integer, found 'x'"),
    ],
)
def test_text_that_is_no_layout(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        attribute(text)


def test_to_layout_of_the_reduction_document() -> None:
    line = """%6 = iree_vector_ext.to_layout %5 to layout(#iree_vector_ext.nested_layout<
    subgroup_tile = [1], batch_tile = [1], outer_tile = [1],
    thread_tile = [64], element_tile = [1],
    subgroup_strides = [0], thread_strides = [1]>) : vector<64xf32>
    %10 = vector.multi_reduction <add>, %6, %cst_0 [0] : vector<64xf32> to f32"""
    op = first("%5: vector<64xf32>, %cst_0: f32", line)
    assert isinstance(op, ToLayoutOp)
    assert op.shared_memory_conversion is None and op.layout.shape == (64,)


def test_to_layout_prints_an_alias_and_its_attributes() -> None:
    mma = "#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>"
    attributes = f"<shared_memory_conversion = unit> {{mma_kind = {mma}}}"
    line = f"%0 = iree_vector_ext.to_layout %v to layout(#l) {attributes} : vector<64x64xf16>"
    older = line.replace(attributes, f"{{mma_kind = {mma}, shared_memory_conversion}}")
    parsed = program("%v: vector<64x64xf16>", older, f"#l = {LAYOUT}")
    verify(parsed)
    text = print_program(parsed)
    assert text.startswith("#layout = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4],")
    assert line.replace("#l)", "#layout)") in text
    assert print_program(parse_program(text)) == text
    generic = print_program(parsed, generic=True)
    assert print_program(parse_program(generic)) == text


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (nested(thread_tile=[8, 2]), "layout covers 1 * 1 * 1 * 2 * 1 = 2 of dimension 1, vector<8x4xf32> has 4"),
        (nested(thread_tile=[8, 4, 1]), "the fields differ in length: subgroup_tile 2, batch_tile 2,"),
        (nested(batch_tile=[0, 1]), "batch_tile of dimension 0 is 0; tiles are positive"),
        (nested(thread_strides=[4, -1]), "thread_strides of dimension 1 is -1; strides are not negative"),
        (nested(thread_strides=[4, 0]), "thread_tile of dimension 1 is 4 with stride 0: tiles 1 to 3 have no owner"),
        (nested(subgroup_tile=[2, 1]), "subgroup_tile of dimension 0 is 2 with stride 0"),
        (re.sub(r"\[(\d+), \d+\]", r"[\1]", nested()), "layout has rank 1, vector<8x4xf32> has rank 2"),
        ("#iree_vector_ext.other<1>", "attribute 'layout' must be VectorLayout"),
    ],
)
def test_layouts_that_do_not_fit(layout: str, message: str) -> None:
    line = f"%0 = iree_vector_ext.to_layout %v to layout({layout}) : vector<8x4xf32>"
    with pytest.raises(ProgramError, match=re.escape(message)):
        verify(program("%v: vector<8x4xf32>", line))


def test_bridges_between_threads_and_the_whole() -> None:
    lines = (
        "%0 = iree_vector_ext.to_simd %v : vector<1x4xf16> -> vector<64x4xf16>\n"
        "%1 = iree_vector_ext.to_simt %0 : vector<64x4xf16> -> vector<1x4xf16>"
    )
    parsed = program("%v: vector<1x4xf16>", lines)
    verify(parsed)
    text = print_program(parsed)
    assert all(line in text for line in lines.splitlines())
    assert print_program(parse_program(text)) == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("to_simd %v : vector<4xf16> -> vector<64xf32>", "element types differ: vector<4xf16> -> vector<64xf32>"),
        ("to_simd %v : vector<4xf16> -> vector<2xf16>", "one thread holds 4 elements of a vector of 2"),
        ("to_simt %v : vector<4xf16> -> vector<8xf16>", "one thread holds 8 elements of a vector of 4"),
    ],
)
def test_bridges_that_do_not_fit(line: str, message: str) -> None:
    with pytest.raises(VerifyError, match=re.escape(message)):
        verify(program("%v: vector<4xf16>", f"%0 = iree_vector_ext.{line}"))


# -- iree_codegen and iree_gpu -----------------------------------------------------------------------------------

PIPELINE = "#iree_gpu.pipeline<VectorDistribute>"
INFO = f"#iree_codegen.translation_info<pipeline = {PIPELINE} workgroup_size = [64, 1, 1] subgroup_size = 64>"


def test_translation_info() -> None:
    info = attribute(INFO)
    assert isinstance(info, TranslationInfoAttr)
    assert (str(info.pipeline), info.workgroup_size, info.subgroup_size) == (PIPELINE, (64, 1, 1), 64)
    assert info.configuration is None and str(info) == INFO


@pytest.mark.parametrize(
    ("text", "today"),
    [
        (INFO.replace("pipeline = ", ""), INFO),
        (INFO.replace(PIPELINE, "LLVMGPUVectorDistribute"), INFO),
        (
            "#iree_codegen.translation_info<Vectorize>",
            "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<Vectorize>>",
        ),
        (
            "#iree_codegen.translation_info<pipeline = None>",
            "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline>",
        ),
        (INFO[:-1] + ", {prefetch_shared_memory, stages = 2 : i64}>", ""),
        (
            "#iree_codegen.translation_info<pipeline = TransformDialectCodegen codegen_spec = @s subgroup_size = 32>",
            "#iree_codegen.translation_info<pipeline = #iree_codegen.transform_dialect_codegen codegen_spec = @s"
            " subgroup_size = 32>",
        ),
    ],
)
def test_translation_info_in_other_words(text: str, today: str) -> None:
    assert str(attribute(text)) == (today or text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("workgroup_size = [64, 0, 1]", "workgroup_size has up to three positive sizes, found [64, 0, 1]"),
        ("workgroup_size = [1, 1, 1, 1]", "workgroup_size has up to three positive sizes"),
        ("subgroup_size = 0", "subgroup_size is positive, found 0"),
        ("threads = 3", "expected '>', found 'threads'"),
        ("LLVMGPUFoo", "expected '>', found 'LLVMGPUFoo'"),
        ("codegen_spec = @s", "codegen_spec is of pipeline = #iree_codegen.transform_dialect_codegen"),
    ],
)
def test_text_that_is_no_translation_info(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        attribute(f"#iree_codegen.translation_info<pipeline = Vectorize {text}>")


def test_matrix_instructions_and_lowering_configs_are_kept() -> None:
    entries = "mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, subgroup_m_count = 2 : i64"
    text = f"#iree_gpu.lowering_config<{{{entries}}}>"
    config = attribute(text)
    assert isinstance(config, LoweringConfigAttr) and str(config) == text
    assert config.get("mma_kind") == MMALayoutAttr("MFMA_F32_16x16x16_F16")
    assert config.get("reduction") is None
    assert (
        str(attribute("#iree_gpu.mma_intrinsic<WMMA_F16_16x16x16_F32>"))
        == "#iree_gpu.mma_intrinsic<WMMA_F16_16x16x16_F32>"
    )
    with pytest.raises(ParseError, match="expected the name of a matrix instruction"):
        attribute("#iree_gpu.mma_layout<16>")


# -- nvgpu -------------------------------------------------------------------------------------------------------

FRAGMENTS = "%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>, %d: vector<2x2xf32>"
MMA = (
    "nvgpu.mma.sync(%a, %b, %c) mmaShape = [16, 8, 16]"
    " : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>"
)


@pytest.mark.parametrize(
    "line", [MMA, MMA.replace("mmaShape = [16, 8, 16]", "{mmaShape = [16, 8, 16]}"), MMA.replace(" -> ", "\n-> ")]
)
def test_mma_sync_of_the_layout_document(line: str) -> None:
    op = first(FRAGMENTS, f"%58 = {line}")
    assert isinstance(op, MmaSyncOp) and isinstance(op.mmaShape, ArrayAttr)
    assert op.shape == (16, 8, 16)
    text = print_program(program(FRAGMENTS, f"%58 = {line}"))
    assert MMA in text
    assert print_program(parse_program(text)) == text


TILE = "memref<16x16xf16, #gpu.address_space<workgroup>>"
LOADED = f"nvgpu.ldmatrix %m[%i, %i] numTiles = 4 transpose = false : {TILE} -> vector<4x2xf16>"


def test_ldmatrix() -> None:
    parsed = program(f"%m: {TILE}, %i: index", f"%0 = {LOADED}")
    verify(parsed)
    text = print_program(parsed)
    assert LOADED in text and print_program(parse_program(text)) == text
    assert print_program(parse_program(print_program(parsed, generic=True))) == text


def mma(shape: str, result: str = "vector<2x2xf16>", operands: str = "%a, %b, %c") -> str:
    types = {"%a": "vector<4x2xf16>", "%b": "vector<2x2xf16>", "%c": "vector<2x2xf16>", "%d": "vector<2x2xf32>"}
    inputs = ", ".join(types[name] for name in operands.split(", "))
    return f"%0 = nvgpu.mma.sync({operands}) mmaShape = {shape} : ({inputs}) -> {result}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (mma("[16, 8]"), "mmaShape must be three positive integers [m, n, k], found [16, 8]"),
        (mma("[16, 8, 0]"), "mmaShape must be three positive integers"),
        (mma("[16, 8, 8]"), "matrixA 16x8 is vector<2x2xf16> of a lane, found vector<4x2xf16>"),
        (mma("[16, 8, 16]", "vector<2x2xf32>"), "result must be vector<2x2xf16> as matrixC, found vector<2x2xf32>"),
        (mma("[16, 8, 16]", operands="%a, %d, %c"), "must have elements of one width, found f16 and f32"),
        (mma("[16, 8, 16]", operands="%d, %d, %c"), "elements f32 accumulate in f32, matrixC has f16"),
        (LOADED.replace("%i, %i", "%i"), "needs 2 indices"),
        (LOADED.replace("= 4 ", "= 3 "), "numTiles must be 1, 2 or 4, found 3"),
        (LOADED.replace("= 4 ", "= 2 "), "2 tiles give vector<2x2xf16>, the result is vector<4x2xf16>"),
        (LOADED.replace("4x2xf16", "4x1xf32"), "element types differ"),
        (LOADED.replace("4x2xf16", "4x1xf32").replace("false", "true"), "transposes 16-bit elements only, found f32"),
        (LOADED.replace("false", "1"), "transpose must be true or false, found 1 : i64"),
    ],
)
def test_matrix_operations_that_do_not_fit(line: str, message: str) -> None:
    line = line if line.startswith("%0") else f"%0 = {line}"
    with pytest.raises(VerifyError, match=re.escape(message)):
        verify(program(f"{FRAGMENTS}, %m: {TILE}, %i: index", line))


def test_ldmatrix_reads_workgroup_memory() -> None:
    line = f"%0 = {LOADED}".replace(", #gpu.address_space<workgroup>", "")
    with pytest.raises(VerifyError, match="reads workgroup memory"):
        verify(program("%m: memref<16x16xf16>, %i: index", line))


def test_mma_sync_whose_types_do_not_agree() -> None:
    with pytest.raises(ParseError, match="operand types are"):
        first(FRAGMENTS, MMA.replace("%b", "%a").replace("nvgpu", "%0 = nvgpu"))


@pytest.mark.parametrize(
    ("attribute", "hint"),
    [
        ("mma_layout<MFMA_F32_16x16x15_F16>", "did you mean MFMA_F32_16x16x16_F16"),
        ("mma_layout<FOO>", "`lanewise targets --matrix --target CHIP` has a chip's names"),
        ("virtual_mma_layout<FOO>", "there is VMFMA_F32_16x16x32_F16, VMFMA_F32_32x32x16_F16, "),
    ],
)
def test_names_of_instructions_are_pointed_at(attribute: str, hint: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_program(f"module attributes {{iree_gpu.a = #iree_gpu.{attribute}}} {{}}")
    assert hint in caught.value.diagnostics[0].hint


def test_matrix_instructions_are_listed_once() -> None:
    """Those of a subgroup add to a fragment that lanes hold."""
    sums = {"matrixC", "destC"}
    assert {c for c in REGISTRY.values() if c.multiplies_fragments} == {
        c for c in REGISTRY.values() if c.collective == "subgroup" and sums & c.fields.keys()
    }


@pytest.mark.parametrize("cls", [c for c in REGISTRY.values() if c.multiplies_fragments], ids=lambda cls: cls.opname)
def test_a_loop_multiplies_if_something_in_it_does(cls: type[Operation]) -> None:
    inside = Block()
    loop = scf.ForOp(regions=[Region([inside])])
    assert not multiplies(loop)
    inside.append(cls())
    assert multiplies(loop)
