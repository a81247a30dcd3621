"""scf, memref, affine, gpu and math: text in both forms, and what the parser and the verifier say about wrong input."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import load_all
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ParseError, VerifyError

FILETESTS = Path(__file__).resolve().parents[1] / "filetests"
HEAD = """
func.func @f(%m: memref<?x8xf32>, %s: memref<16x8xf32>, %n: index, %b: memref<64xi8>, %x: f32, %y: vector<4xf32>,
             %i: i32, %t: i1, %v: vector<4xi32>, %d: memref<4x4xf32, strided<[8, 1], offset: ?>>, %one: memref<i32>,
             %two: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""

FLOAT_FUNCTIONS = [
    *("absf", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc"),
    *("exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "round", "roundeven", "rsqrt", "sin"),
    *("sinh", "sqrt", "tan", "tanh", "trunc"),
]

REGIONS = [
    *("affine.for", "affine.if", "affine.load", "affine.parallel", "affine.store", "affine.vector_load"),
    *("affine.vector_store", "affine.yield", "scf.condition", "scf.execute_region", "scf.forall"),
    *("scf.forall.in_parallel", "scf.index_switch", "scf.parallel", "scf.reduce", "scf.reduce.return", "scf.while"),
]

LINES = [
    "%0 = memref.extract_aligned_pointer_as_index %s : memref<16x8xf32> -> index",
    "scf.for %k = %c0 to %n step %c1 {\n  }",
    "scf.for %k = %i to %i step %i : i32 {\n  }",
    "%r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (f32, vector<4xf32>) {\n"
    "    scf.yield %p, %q : f32, vector<4xf32>\n  }",
    "%r = scf.for %k = %i to %i step %i iter_args(%p = %x) -> (f32) : i32 {\n    scf.yield %p : f32\n  }",
    "scf.if %t {\n  }",
    "scf.if %t {\n  } else {\n  }",
    "%r = scf.if %t -> (f32) {\n    scf.yield %x : f32\n  } else {\n    scf.yield %x : f32\n  }",
    "%a = memref.alloc() : memref<4xf32>",
    "%a = memref.alloc() alignment = 128 : memref<64xf32, #gpu.address_space<workgroup>>",
    "%a = memref.alloc(%n, %c1) : memref<?x4x?xf32>",
    "memref.dealloc %m : memref<?x8xf32>",
    "%e = memref.load %m[%n, %c0] : memref<?x8xf32>",
    "memref.store %x, %m[%n, %c0] : memref<?x8xf32>",
    *(
        f"%e = memref.atomic_rmw {kind} %x, %m[%n, %c0] : (f32, memref<?x8xf32>) -> f32"
        for kind in ("addf", "assign", "maximumf", "maxnumf", "minimumf", "minnumf", "mulf")
    ),
    *(
        f"%e = memref.atomic_rmw {kind} %i, %one[] : (i32, memref<i32>) -> i32"
        for kind in ("addi", "andi", "assign", "maxs", "maxu", "mins", "minu", "muli", "ori", "xori")
    ),
    "%e = memref.dim %m, %c0 : memref<?x8xf32>",
    "%w = memref.subview %s[2, 4] [3, 2] [1, 2] : memref<16x8xf32> to memref<3x2xf32, strided<[8, 2], offset: 20>>",
    "%w = memref.subview %m[%n, 4] [%n, 2] [1, %n] : memref<?x8xf32> to memref<?x2xf32, strided<[8, ?], offset: ?>>",
    "%w = memref.subview %s[2, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<8xf32, strided<[1], offset: 16>>",
    "%w = memref.subview %s[0, 0] [16, 8] [1, 1] : memref<16x8xf32> to memref<16x8xf32>",
    "%w = memref.view %b[%n][] : memref<64xi8> to memref<4x2xf32>",
    "%w = memref.view %b[%c0][%n] : memref<64xi8> to memref<?x2xf32>",
    "%w = memref.assume_alignment %m, 16 : memref<?x8xf32>",
    "%w = memref.cast %m : memref<?x8xf32> to memref<4x8xf32>",
    "%a = memref.alloca(%n) alignment = 16 : memref<?xf32>",
    "memref.copy %m, %s : memref<?x8xf32> to memref<16x8xf32>",
    "affine.prefetch %m[%n, %c0 + 1], read, locality<3>, data : memref<?x8xf32>",
    "memref.prefetch %m[%n, %c0], write, locality<0>, instr : memref<?x8xf32>",
    "%w = memref.reinterpret_cast %m to offset: [%n], sizes: [4, %c1], strides: [%n, 2]"
    " : memref<?x8xf32> to memref<4x?xf32, strided<[?, 2], offset: ?>>",
    "%w:6 = memref.extract_strided_metadata %m : memref<?x8xf32> -> memref<f32>, index, index, index, index, index",
    "%w = memref.expand_shape %m [[0, 1], [2]] output_shape [%n, 2, 8] : memref<?x8xf32> into memref<?x2x8xf32>",
    "%w = memref.collapse_shape %m [[0, 1]] : memref<?x8xf32> into memref<?xf32>",
    "%w = memref.transpose %m (d0, d1) -> (d1, d0) : memref<?x8xf32> to memref<8x?xf32, strided<[1, 8]>>",
    "%w = memref.reshape %m(%two) : (memref<?x8xf32>, memref<2xi64>) -> memref<?x?xf32>",
    "%w = memref.rank %m : memref<?x8xf32>",
    "%w = memref.memory_space_cast %m : memref<?x8xf32> to memref<?x8xf32, #gpu.address_space<global>>",
    "%w = memref.generic_atomic_rmw %m[%n, %c0] : memref<?x8xf32> {\n  ^bb0(%p: f32):\n"
    "    %q = arith.addf %p, %x : f32\n    memref.atomic_yield %q : f32\n  }",
    "%w = memref.alloca_scope -> (f32) {\n    memref.alloca_scope.return %x : f32\n  }",
    "%w = memref.cast %d : memref<4x4xf32, strided<[8, 1], offset: ?>> to memref<4x?xf32, strided<[?, 1], offset: 4>>",
    "%r = affine.linearize_index disjoint [%n, %c0] by (2, 64) : index",
    "%r = affine.linearize_index [%n, %c0] by (%n) : index",
    "%r:2 = affine.delinearize_index %n into (2, 32) : index, index",
    "%r:3 = affine.delinearize_index %n into (%n, 32) : index, index, index",
    *(f"%r = gpu.{name} {dim}" for name in ("thread_id", "block_id", "block_dim", "grid_dim") for dim in "xyz"),
    "%r = gpu.block_id x upper_bound 64",
    "%r = gpu.lane_id",
    "%r = gpu.lane_id upper_bound 32",
    *(f"%r = gpu.{name} : index" for name in ("subgroup_id", "num_subgroups", "subgroup_size")),
    *(
        f"%r = gpu.{name} {dim}"
        for name in ("global_id", "cluster_id", "cluster_dim", "cluster_dim_blocks", "cluster_block_id")
        for dim in "xyz"
    ),
    "%r:2 = gpu.rotate %x, 1, 4 : f32",
    "%r = gpu.subgroup_broadcast %x, first_active_lane : f32",
    "%r = gpu.subgroup_broadcast %y, specific_lane %i : vector<4xf32>",
    "%r = gpu.ballot %t : i64",
    "%r = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>",
    "%r = gpu.all_reduce add %x uniform {\n  } : (f32) -> f32",
    "%r = gpu.all_reduce %x {\n  ^bb0(%p: f32, %q: f32):\n    gpu.yield %p : f32\n  } : (f32) -> f32",
    "gpu.barrier",
    'gpu.printf "%d %g\\0A", %i, %x : i32, f32',
    "gpu.barrier memfence [#gpu.address_space<workgroup>]",
    *(f"%r:2 = gpu.shuffle {mode} %x, %i, %i : f32" for mode in ("xor", "up", "down", "idx")),
    "%r = gpu.subgroup_reduce add %x : (f32) -> f32",
    "%r = gpu.subgroup_reduce maxui %i uniform cluster(size = 16) : (i32) -> i32",
    "%r = gpu.subgroup_reduce maximumf %y cluster(size = 4, stride = 2) : (vector<4xf32>) -> vector<4xf32>",
    *(f"%r = math.{name} %x : f32" for name in FLOAT_FUNCTIONS),
    "%r = math.exp %y fastmath<contract,afn> : vector<4xf32>",
    *(f"%r = math.{name} %x, %x : f32" for name in ("atan2", "copysign", "powf")),
    "%r = math.fpowi %y, %v : vector<4xf32>, vector<4xi32>",
    "%r = math.fma %x, %x, %x : f32",
    "%r = math.clampf %x to [%x, %x] : f32",
    "%r:2 = math.sincos %x : f32",
    *(f"%r = math.{name} %y : vector<4xf32>" for name in ("isfinite", "isinf", "isnan", "isnormal")),
    *(f"%r = math.{name} %i : i32" for name in ("absi", "ctlz", "cttz", "ctpop")),
    "%r = math.ipowi %i, %i : i32",
]


def read(body: str) -> Operation:
    return parse_program(f"{HEAD}  {body}\n  return\n}}")


def printed_body(text: str) -> str:
    """What stands between the constants and the return."""
    return re.split(r"\n    (?:func\.)?return", text.split("%c1 = arith.constant 1 : index\n")[1])[0]


def unified(text: str) -> str:
    """Brackets touch, and lines start in column 0."""
    return "\n".join(line.strip() for line in text.replace("] [", "][").splitlines())


@pytest.mark.parametrize("line", LINES)
def test_custom_form_is_kept_and_generic_form_says_the_same(line: str) -> None:
    module = read(line)
    verify(module)
    text = print_program(module)
    assert unified(printed_body(text)) == unified(line)
    assert print_program(parse_program(text)) == text
    generic = print_program(module, generic=True)
    again = parse_program(generic)
    verify(again)
    assert print_program(again, generic=True) == generic
    assert print_program(again) == text


def test_every_operation_of_these_dialects_has_a_line() -> None:
    load_all()
    elsewhere = {"scf.yield", "affine.apply", "affine.min", "affine.max", "gpu.func", "gpu.module", "gpu.return"}
    names = {n for n in REGISTRY if n.split(".")[0] in ("scf", "memref", "affine", "gpu", "math")} - elsewhere
    names -= {n for n in names if n in REGIONS}  # in test_structured_control.py
    texts = [path.read_text(encoding="utf-8") for path in FILETESTS.rglob("*.mlir")]
    said = "\n".join([*LINES, *(text for text in texts if "// test roundtrip" in text), ""])
    assert {n for n in names if re.search(rf"(?<![\w.]){re.escape(n)}(?![\w.])", said) is None} == set()


@pytest.mark.parametrize("word", ["apply", "min", "max"])
@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("affine_map<(d0)[s0] -> (d0 + s0 * 2)>(%n)[%c1]", "#map(%n)[%c1]"),
        ("#affine_map<(d0) -> (d0 floordiv 4)> (%n)", "#map(%n)"),
        ("#outside(%n, %c0)", "#map(%n, %c0)"),
        ("affine_map<()[s0] -> (s0)>()[%n]", "#map()[%n]"),
    ],
)
def test_maps_are_read_inline_and_by_name(word: str, written: str, printed: str) -> None:
    alias = "#outside = affine_map<(d0, d1) -> (d0 - d1)>\n"
    module = parse_program(f"{alias}{HEAD}  %r = affine.{word} {written}\n  return\n}}")
    verify(module)
    text = print_program(module)
    assert f"%r = affine.{word} {printed}" in text
    assert print_program(parse_program(text)) == text
    assert print_program(parse_program(print_program(module, generic=True))) == text


def test_minimum_over_several_results() -> None:
    module = read("%r = affine.min affine_map<(d0) -> (d0, 4, 8)>(%n)")
    verify(module)
    assert "affine_map<(d0) -> (d0, 4, 8)>" in print_program(module)


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("memref.assume_alignment %m, 16 : memref<?x8xf32>", "%0 = memref.assume_alignment %m, 16 : memref<?x8xf32>"),
        ("%r = affine.linearize_index [%n, %c0] by (2, 4)", "%r = affine.linearize_index [%n, %c0] by (2, 4) : index"),
        (
            "%r:2 = affine.delinearize_index %n into (2, 4)",
            "%r:2 = affine.delinearize_index %n into (2, 4) : index, index",
        ),
        ("%r = gpu.subgroup_reduce maxf %x : (f32) -> f32", "%r = gpu.subgroup_reduce maximumf %x : (f32) -> f32"),
        ("%r, %ok = gpu.shuffle xor %x, %i, %i : f32", "%r:2 = gpu.shuffle xor %x, %i, %i : f32"),
        ("scf.if %t {\n  scf.yield\n  }", "scf.if %t {\n  }"),
    ],
)
def test_older_spellings_print_as_today(old: str, now: str) -> None:
    module = read(old)
    verify(module)
    assert unified(printed_body(print_program(module))) == unified(now)


def test_gpu_modules_and_kernels() -> None:
    text = (
        "module {\n"
        '  gpu.module @m attributes {k = "v"} {\n'
        "    gpu.func @k(%a: memref<4xf32> {llvm.align = 16 : i64}) kernel"
        " attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {\n"
        "      gpu.return\n"
        "    }\n"
        "    gpu.func @f(%x: f32) -> f32 {\n"
        "      gpu.return %x : f32\n"
        "    }\n"
        "  }\n"
        "}\n"
    )
    module = parse_program(text)
    verify(module)
    assert print_program(module) == text
    generic = print_program(module, generic=True)
    assert (
        '"gpu.func"() <{arg_attrs = [{llvm.align = 16 : i64}], function_type = (memref<4xf32>) -> (), kernel, '
        in generic
    )
    assert print_program(parse_program(generic)) == text
    assert "gpu.module @m [1, 2] {" in print_program(parse_program("gpu.module @m [1, 2] {\n}"))


PARSE_ERRORS = [
    ("scf.for %k = %i to %n step %c1 {\n}", "the lower bound has type i32, the loop counts in index"),
    ("scf.for %k = %i to %i step %i {\n}", "write ': i32' before the body"),
    ("scf.for %k = %c0 to %n {\n}", "expected 'step', found '{'"),
    (
        "%r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x) -> (i32) {\n}",
        "iter_args start as (f32), results are (i32)",
    ),
    ("%r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x) -> (f32) {\n}", "must end in scf.yield"),
    ("%r = scf.if %t -> (f32) {\n}", "must end in scf.yield"),
    ("%e = memref.load %m[%n, %c0] : memref<8xf32>", "has type memref<?x8xf32>, but memref<8xf32> is written here"),
    ("%r = affine.apply affine_map<(d0) -> (d0)>(%n, %n)", "the map takes 1 dims and 0 symbols, found 2 and 0"),
    ("%r = affine.apply 4(%n)", "expected an affine map, found 4 : i64"),
    ("%r = gpu.thread_id w", "expected one of x, y, z, found 'w'"),
    ("%r = gpu.subgroup_reduce sum %x : (f32) -> f32", "expected one of add, mul"),
    ("%r = gpu.subgroup_reduce add %x : (i32) -> i32", "operand types are (f32), but (i32) is written here"),
    ("%r:2 = gpu.shuffle left %x, %i, %i : f32", "expected one of xor, up, down, idx, found 'left'"),
]


@pytest.mark.parametrize(("line", "message"), PARSE_ERRORS)
def test_parse_errors(line: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        read(line)
    assert message in str(error.value)
    assert "<string>:" in str(error.value)


BUFFERS = """gpu.module @m {
  gpu.func @k(%x: f32) {HEAD}kernel {
    {ALLOC}%c0 = arith.constant 0 : index
    memref.store %x, %b[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %x, %p[%c0] : memref<4xf32, #gpu.address_space<private>>
    gpu.return
  }
}"""
W, P = (f"memref<4xf32, #gpu.address_space<{space}>>" for space in ("workgroup", "private"))


def test_declared_buffers_are_allocated() -> None:
    declared = parse_program(
        BUFFERS.replace("{HEAD}", f"workgroup(%b : {W}) private(%p : {P}) ").replace("{ALLOC}", "")
    )
    allocs = f"%b = memref.alloc() : {W}\n    %p = memref.alloc() : {P}\n    "
    allocated = parse_program(BUFFERS.replace("{HEAD}", "").replace("{ALLOC}", allocs))
    verify(declared)
    assert print_program(declared) == print_program(allocated)


def test_declared_buffers_of_the_generic_form() -> None:
    text = f"""
    "gpu.module"() <{{sym_name = "m"}}> ({{
      "gpu.func"() <{{function_type = (f32) -> (), kernel, sym_name = "k", workgroup_attributions = 1 : i64}}> ({{
      ^bb0(%x: f32, %b: {W}, %p: {P}):
        %c0 = "arith.constant"() <{{value = 0 : index}}> : () -> index
        "memref.store"(%x, %b, %c0) : (f32, {W}, index) -> ()
        "memref.store"(%x, %p, %c0) : (f32, {P}, index) -> ()
        "gpu.return"() : () -> ()
      }}) : () -> ()
    }}) : () -> ()"""
    module = parse_program(text)
    verify(module)
    allocs = f"%b = memref.alloc() : {W}\n    %p = memref.alloc() : {P}\n    "
    assert print_program(module) == print_program(
        parse_program(BUFFERS.replace("{HEAD}", "").replace("{ALLOC}", allocs))
    )


def test_kernels_without_a_module_get_one() -> None:
    kernel = "gpu.func @{} () kernel {{\n gpu.return\n}}\n"
    text = "func.func @kernels() {\n return\n}\n" + kernel.format("a") + kernel.format("b")
    module = parse_program(text)
    verify(module)
    assert [op.opname for op in module.body.operations] == ["func.func", "gpu.module"]
    house = module.body.operations[1]
    assert [str(op.attributes["sym_name"]) for op in house.body.operations] == ['"a"', '"b"']
    assert "gpu.module @kernels1 {" in print_program(module)


def test_kernels_stand_in_a_module() -> None:
    with pytest.raises(VerifyError, match=r"must be inside a gpu\.module"):
        verify(parse_program("module {\n module {\n gpu.func @k() kernel {\n gpu.return\n}\n}\n}"))


@pytest.mark.parametrize(
    "text",
    [
        "  func.func private @f(f32, i32 {x.q}) -> (f32 {x.y}, i32)",
        "  func.func private @f()",
        "  func.func @f(%x: f32) -> (f32 {x.y}) {\n    func.return %x : f32\n  }",
    ],
)
def test_declarations_and_attributes_of_results(text: str) -> None:
    module = parse_program(f"module {{\n{text}\n}}\n")
    verify(module)
    assert text in print_program(module)
    assert print_program(parse_program(print_program(module, generic=True))) == print_program(module)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f(f32)", "a function that is only declared is private"),
        ("func.func private @f() attributes {translation_info = 1}", "is a kernel without a body"),
        ("gpu.module @m {\n gpu.func private @f()\n}", "needs a body"),
    ],
)
def test_functions_without_bodies(text: str, message: str) -> None:
    with pytest.raises(VerifyError, match=message):
        verify(parse_program(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f(f32) {\n return\n}", "an argument of a function with a body needs a name"),
        ("func.func @f(%x: f32)", "a function needs a body in braces, found end of text"),
    ],
)
def test_functions_without_names_or_braces(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_program(text)


VERIFY_ERRORS = [
    ('"scf.yield"() : () -> ()', "must end a region of another operation of scf"),
    (
        "%r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x) -> (f32) {\nscf.yield %i : i32\n}",
        "yields (i32), 'scf.for' has results (f32)",
    ),
    ("%r = scf.if %t -> (f32) {\nscf.yield %x : f32\n}", "has results and needs an else region"),
    (
        "%r = scf.if %t -> (f32) {\nscf.yield %x : f32\n} else {\nscf.yield %i : i32\n}",
        "yields (i32), 'scf.if' has results (f32)",
    ),
    (
        '"scf.for"(%c0, %n, %c1) ({\n^bb0(%k: i32):\n  "scf.yield"() : () -> ()\n}) : (index, index, index) -> ()',
        "body takes (i32), expected (index)",
    ),
    ('"scf.for"(%c0, %n, %c1) ({\n^bb0(%k: index):\n}) : (index, index, index) -> ()', "region must end in scf.yield"),
    (
        '"scf.for"(%c0, %n, %i) ({\n^bb0(%k: index):\n  "scf.yield"() : () -> ()\n}) : (index, index, i32) -> ()',
        "must have the same type",
    ),
    ('"scf.if"(%n) ({\n  "scf.yield"() : () -> ()\n}, {\n}) : (index) -> ()', "'condition' must be i1, found index"),
    ("%a = memref.alloc(%n) : memref<4xf32>", "has 1 sizes, memref<4xf32> leaves 0 open"),
    ("%a = memref.alloc() {alignment = 12 : i64} : memref<4xf32>", "alignment must be a power of two, found 12"),
    ("%a = memref.alloc() : memref<4xf32, strided<[2]>>", "allocates row-major buffers"),
    ("%e = memref.load %m[%n] : memref<?x8xf32>", "has 1 indices for a memref of rank 2"),
    ('%e = "memref.load"(%m, %n, %n) : (memref<?x8xf32>, index, index) -> i32', "result has type i32"),
    ("memref.store %i, %m[%n, %n] : memref<?x8xf32>", "value has type i32, the memref's elements are f32"),
    ("%e = memref.atomic_rmw addf %x, %m[%n] : (f32, memref<?x8xf32>) -> f32", "has 1 indices for a memref of rank 2"),
    ("%e = memref.atomic_rmw addf %i, %one[] : (i32, memref<i32>) -> i32", "kind 'addf' does not apply to i32"),
    ("%e = memref.atomic_rmw ori %x, %m[%n, %n] : (f32, memref<?x8xf32>) -> f32", "kind 'ori' does not apply to f32"),
    (
        "%e = memref.atomic_rmw addi %i, %m[%n, %n] : (i32, memref<?x8xf32>) -> i32",
        "value has type i32, the memref's elements are f32",
    ),
    ("%e = memref.atomic_rmw addi %i, %one[] : (i32, memref<i32>) -> f32", "must have the same type"),
    (
        "%g = memref.alloc() : memref<2xvector<4xf32>>\n"
        "%e = memref.atomic_rmw addf %y, %g[%n] : (vector<4xf32>, memref<2xvector<4xf32>>) -> vector<4xf32>",
        "elements must be scalars",
    ),
    ("%e = memref.dim %b, %c1 : memref<64xi8>", "asks for dimension 1 of a memref of rank 1"),
    ("%w = memref.subview %s[0][4][1] : memref<16x8xf32> to memref<4x8xf32>", "has 1 offsets for a source of rank 2"),
    (
        "%w = memref.subview %s[0, 0][17, 8][1, 1] : memref<16x8xf32> to memref<17x8xf32, strided<[8, 1]>>",
        "reaches index 16 of dimension 0, whose extent is 16",
    ),
    (
        "%w = memref.subview %s[-1, 0][4, 8][1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: -8>>",
        "offset and size of dimension 0 must not be negative",
    ),
    (
        "%w = memref.subview %s[1, 0][4, 8][1, 1] : memref<16x8xf32> to memref<4x8xf32>",
        "result must be memref<4x8xf32, strided<[8, 1], offset: 8>>",
    ),
    (
        "%w = memref.subview %s[0, 0][4, 1][1, 1] : memref<16x8xf32> to memref<4xf32>",
        "result must be memref<4x1xf32, strided<[8, 1]>>, or that without dimensions of size 1",
    ),
    ("%w = memref.view %b[%c0][] : memref<64xi8> to memref<17xf32>", "result has 68 bytes, the buffer 64"),
    ("%w = memref.view %s[%c0][] : memref<16x8xf32> to memref<4xf32>", "source must be a contiguous memref<nxi8>"),
    ("%w = memref.view %b[%c0][] : memref<64xi8> to memref<?xf32>", "has 0 sizes, memref<?xf32> leaves 1 open"),
    ("%w = memref.assume_alignment %m, 3 : memref<?x8xf32>", "alignment must be a power of two, found 3"),
    ("%w = memref.cast %m : memref<?x8xf32> to memref<4x4xf32>", "what both state must agree"),
    ("%r = affine.apply affine_map<(d0) -> (d0, d0)>(%n)", "needs a map with one result, found 2"),
    ("%r = affine.linearize_index [%n, %c0] by (2, 4, 8) : index", "has 2 indices and a basis of 3"),
    ("%r:2 = affine.delinearize_index %n into (2, 0) : index, index", "basis must be positive, found 0"),
    ("%r = gpu.block_id x upper_bound 0", "upper_bound must be positive, found 0"),
    ("gpu.barrier memfence [1]", "memfence lists #gpu.address_space attributes"),
    (
        "%r:2 = gpu.shuffle xor %m, %i, %i : memref<?x8xf32>",
        "'value' must be an integer or float, or a 1-D vector of these",
    ),
    ("%r = gpu.subgroup_reduce and %x : (f32) -> f32", "kind 'and' does not apply to f32"),
    ("%r = gpu.subgroup_reduce maximumf %i : (i32) -> i32", "kind 'maximumf' does not apply to i32"),
    (
        "%r = gpu.subgroup_reduce add %x cluster(size = 6) : (f32) -> f32",
        "cluster size must be a power of two, found 6",
    ),
    (
        "%r = gpu.subgroup_reduce add %x cluster(size = 4, stride = 3) : (f32) -> f32",
        "cluster stride must be a power of two, found 3",
    ),
    ("%r = math.exp %i : i32", "must be a float or a vector of floats, found i32"),
    ('%r = "math.isnan"(%y) : (vector<4xf32>) -> i1', "operands and result must have one shape"),
    ("%r = math.fpowi %y, %i : vector<4xf32>, i32", "operands and result must have one shape"),
]


@pytest.mark.parametrize(("line", "message"), VERIFY_ERRORS)
def test_verify_errors(line: str, message: str) -> None:
    module = read(line)
    with pytest.raises(VerifyError) as error:
        verify(module)
    assert message in str(error.value)
    assert "<string>:" in str(error.value)
