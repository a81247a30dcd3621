"""Texts as upstream's tools print them today are the programs that older spellings are."""

from __future__ import annotations

import pytest
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ProgramError

KERNEL = """gpu.func @k(%i: index, %v: vector<4x8xf32>, %s: vector<8xf32>, %c: i1, %n: i32) kernel {{
{body}
gpu.return
}}"""
BRANCHES = KERNEL.replace("{body}", "{body}\n^bb1:\ngpu.return\n^bb2:")
_LAYOUT = (
    "#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8],"
    " element_tile = [1], subgroup_strides = [0], thread_strides = [1]>"
)
_SPACE = "<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>"
_GROUP = f"!nvgpu.mbarrier.group{_SPACE}"
_OBJECTS = f"%j = arith.constant 3 : index\n%m = nvgpu.mbarrier.create -> {_GROUP}\n"
SAME = {
    "properties in braces": (
        KERNEL,
        f"%x = iree_vector_ext.to_layout %s to layout({_LAYOUT}) <{{shared_memory_conversion}}> : vector<8xf32>",
        f"%x = iree_vector_ext.to_layout %s to layout({_LAYOUT}) <shared_memory_conversion = unit> : vector<8xf32>",
    ),
    "a scan's properties": (
        KERNEL,
        "%d, %a = vector.scan <add>, %v, %s reduction_dim = 0, inclusive = true : vector<4x8xf32>, vector<8xf32>",
        "%d, %a = vector.scan <add>, %v, %s {reduction_dim = 0, inclusive = true} : vector<4x8xf32>, vector<8xf32>",
    ),
    "weights of branches": (
        BRANCHES,
        "cf.cond_br %c weights([1, 2]), ^bb1, ^bb2",
        "cf.cond_br %c, ^bb1, ^bb2 {branch_weights = array<i32: 1, 2>}",
    ),
    "a type's name that its operation implies": (
        KERNEL,
        f"%m = nvgpu.mbarrier.create -> {_SPACE}\nnvgpu.mbarrier.init %m[%i], %i : {_SPACE}",
        f"%m = nvgpu.mbarrier.create -> {_GROUP}\nnvgpu.mbarrier.init %m[%i], %i : {_GROUP}",
    ),
    "the order of operands of barrier objects": (
        KERNEL,
        f'{_OBJECTS}"nvgpu.mbarrier.init"(%m, %j, %i) : ({_GROUP}, index, index) -> ()\n'
        f'"nvgpu.mbarrier.arrive.expect_tx"(%m, %j, %i) : ({_GROUP}, index, index) -> ()\n'
        f'"nvgpu.mbarrier.try_wait.parity"(%m, %c, %j, %i) : ({_GROUP}, i1, index, index) -> ()',
        f"{_OBJECTS}nvgpu.mbarrier.init %m[%i], %j : {_GROUP}\n"
        f"nvgpu.mbarrier.arrive.expect_tx %m[%i], %j : {_GROUP}\n"
        f"nvgpu.mbarrier.try_wait.parity %m[%i], %c, %j : {_GROUP}",
    ),
    "a flag that is off": (
        KERNEL,
        '%l = "affine.linearize_index"(%i, %i) <{disjoint = false, operandSegmentSizes = array<i32: 2, 0>,'
        " static_basis = array<i64: 4, 4>}> : (index, index) -> index",
        "%l = affine.linearize_index [%i, %i] by (4, 4) : index",
    ),
    "a flag that is on": (
        KERNEL,
        '%l = "affine.linearize_index"(%i, %i) <{disjoint = true, operandSegmentSizes = array<i32: 2, 0>,'
        " static_basis = array<i64: 4, 4>}> : (index, index) -> index",
        "%l = affine.linearize_index disjoint [%i, %i] by (4, 4) : index",
    ),
    "cases dense in a vector": (
        BRANCHES,
        '"cf.switch"(%n)[^bb2, ^bb1, ^bb2] <{case_operand_segments = array<i32: 0, 0>,'
        " case_values = dense<[-1, 3]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()",
        "cf.switch %n : i32, [default: ^bb2, -1: ^bb1, 3: ^bb2]",
    ),
}


@pytest.mark.parametrize("around, today, before", SAME.values(), ids=SAME)
@pytest.mark.parametrize("generic", [False, True])
def test_both_spellings_are_one_program(around: str, today: str, before: str, generic: bool) -> None:
    modules = [parse_program(around.format(body=text)) for text in (today, before)]
    first, second = (print_program(module, generic) for module in modules)
    assert first == second
    verify(modules[0])
    assert print_program(parse_program(first), generic) == first


def test_a_flag_is_no_number() -> None:
    text = SAME["a flag that is on"][1].replace("true", "1 : i32")
    with pytest.raises(ProgramError, match="attribute 'disjoint' must be Unit, found 1 : i32"):
        verify(parse_program(KERNEL.format(body=text)))


def test_cases_are_integers() -> None:
    text = SAME["cases dense in a vector"][1].replace("dense<[-1, 3]> : vector<2xi32>", "dense<1.0> : vector<2xf32>")
    with pytest.raises(ProgramError, match="attribute 'case_values' must be Integers, found dense"):
        verify(parse_program(BRANCHES.format(body=text)))


def test_kinds_of_parallel_loops_have_the_numbers_of_atomic_kinds() -> None:
    text = """func.func @f(%a: f32) {
  %r = affine.parallel (%i) = (0) to (4) reduce ("minnumf") -> f32 {
    affine.yield %a : f32
  }
  return
}"""
    assert "reductions = [9]" in print_program(parse_program(text), generic=True)


def test_a_block_without_operations_is_a_block_upstream() -> None:
    text = "func.func @f() {\n  scf.forall (%i) in (4) {\n  }\n  return\n}"
    generic = print_program(parse_program(text), generic=True)
    assert '"scf.forall.in_parallel"() ( {\n      ^bb0:\n' in generic
    assert print_program(parse_program(generic)) == print_program(parse_program(text))


def test_vectors_of_threads_are_seen_inside_of_a_part() -> None:
    text = """module attributes {{{stage}}} {{
gpu.func @k(%x: vector<2xf32>) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  lanewise.split {{subgroups = array<i64: 1>}} {{
    %y = arith.negf %x : vector<2xf32>
  }}
  gpu.return
}}
}}"""
    verify(parse_program(text.format(stage='lanewise.stage = "thread"')))
    with pytest.raises(ProgramError, match=r"takes operand 0, a vector<2xf32>, from outside of 'lanewise\.split'"):
        verify(parse_program(text.format(stage="")))


ATTRIBUTES = {
    # One is 0x3F800000 in f32, 0x3F80 in bf16, 0x3C00 in f16, 0x1FC00 in tf32 and 0x2 in f4E2M1FN; 1.5 is 0x3.
    'dense<"0x0000803F00000040"> : vector<2xf32>': "dense<[1.0, 2.0]> : vector<2xf32>",
    'dense<"0x000000000000F03F"> : vector<7xf64>': "dense<1.0> : vector<7xf64>",
    'dense<"0x803F803F"> : vector<2xbf16>': "dense<1.0> : vector<2xbf16>",
    'dense<"0x003C"> : vector<4xf16>': "dense<1.0> : vector<4xf16>",
    'dense<"0x00FC01000000"> : vector<2xtf32>': "dense<[1.0, 0.0]> : vector<2xtf32>",
    'dense<"0x0203"> : vector<2xf4E2M1FN>': "dense<[1.0, 1.5]> : vector<2xf4E2M1FN>",
    'dense<"0x00010001"> : vector<2x2xi1>': "dense<[[false, true], [false, true]]> : vector<2x2xi1>",
    'dense<"0xA5"> : vector<8xi1>': "dense<true> : vector<8xi1>",
    'dense<"0x0F03"> : vector<2xi4>': "dense<[-1, 3]> : vector<2xi4>",
    'dense<"0xFEff0100"> : vector<2xi16>': "dense<[-2, 1]> : vector<2xi16>",
    'dense<"0xFFFFFFFFFFFFFFFF"> : vector<3xindex>': "dense<-1> : vector<3xindex>",
    "memref<4x4xf32, affine_map<(i, j) -> (i + j * 4)>>": "memref<4x4xf32, strided<[1, 4]>>",
    "memref<4xf32, affine_map<(i) -> ((i + 1) * 4)>>": "memref<4xf32, strided<[4], offset: 4>>",
    "memref<4x2xf32, affine_map<(i, j)[s, t] -> (i * s + j + t)>>": "memref<4x2xf32, strided<[?, 1], offset: ?>>",
    "memref<4x2xf32, affine_map<(i, j) -> (j)>>": "memref<4x2xf32, strided<[0, 1]>>",
    "memref<4xf32, affine_map<(i)[s] -> (i + s floordiv 2)>>": "memref<4xf32, strided<[1], offset: ?>>",
    "tuple<complex<f32>, tensor<3xi8>>": "tuple<complex<f32>, tensor<3xi8>>",
}


@pytest.mark.parametrize("text, printed", ATTRIBUTES.items())
def test_attributes_and_types_of_upstream(text: str, printed: str) -> None:
    around = 'module {{\n  "x.y"() {{v = {}}} : () -> ()\n}}\n'
    assert print_program(parse_program(around.format(text))) == around.format(printed)
    assert print_program(parse_program(around.format(printed))) == around.format(printed)


RESOURCES = """module {{ "x.y"() {{v = dense_resource<{name}> : vector<2xi16>}} : () -> () }}
{{-#
  dialect_resources: {{ builtin: {{ other: "0x0100000007000700", {name}: "0x0200000001000200" }} }},
  external_resources: {{ tool: {{ setting: true }} }}
#-}}
"""


@pytest.mark.parametrize("name", ["blob", "an.other", "other_1"])
def test_resources_are_bytes_behind_the_program(name: str) -> None:
    assert "v = dense<[1, 2]> : vector<2xi16>" in print_program(parse_program(RESOURCES.format(name=name)))


def test_resources_end() -> None:
    with pytest.raises(ProgramError, match="resources are never closed: expected '#-}'"):
        parse_program("module {}\n{-# dialect_resources: {")


def test_predicates_in_quotes_and_a_byte_order_mark() -> None:
    body = "%0 = arith.cmpf {}, %a, %a : f32\n%1 = arith.cmpi {}, %i, %i : i32\nreturn"
    text = f"func.func @f(%a: f32, %i: i32) {{{{\n{body}\n}}}}"
    today = print_program(parse_program(text.format("oeq", "slt")))
    assert print_program(parse_program("\ufeff" + text.format('"oeq"', '"slt"'))) == today
    generic = print_program(parse_program(today), generic=True)
    numbered = generic.replace("predicate = 1 : i64", 'predicate = "oeq"').replace(
        "predicate = 2 : i64", 'predicate = "slt"'
    )
    assert numbered != generic and print_program(parse_program(numbered)) == today


def test_symbols_in_quotes_have_any_character() -> None:
    program = print_program(parse_program('module @"a é \\22 ü" {}'))
    assert program == 'module @"a \\C3\\A9 \\22 \\C3\\BC" {\n}\n' == print_program(parse_program(program))
