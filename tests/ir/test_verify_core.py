"""What the verifier's core says: counts, types, attributes, regions and uses, with the place of the operation."""

from __future__ import annotations

import pytest
from lanewise.ir.attributes import StringAttr
from lanewise.ir.core import Block, Operation, Region, Value
from lanewise.ir.dialects.arith import AddFOp, ConstantOp, NegFOp
from lanewise.ir.dialects.builtin import ModuleOp
from lanewise.ir.dialects.func import FuncOp, ReturnOp
from lanewise.ir.parser import parse_program
from lanewise.ir.types import F32
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import Location, Source, VerifyError


def errors_of(program: Operation) -> list[str]:
    with pytest.raises(VerifyError) as caught:
        verify(program)
    return [d.message for d in caught.value.diagnostics]


HEAD = "func.func @f(%x: f32, %i: i32, %p: i1, %n: index, %v: vector<4xf32>, %m: memref<8xf32>) {\n"

LINES = [
    ('%r = "arith.addf"(%x) : (f32) -> f32', "'arith.addf' op expects 2 operands, found 1"),
    ('%r = "arith.addf"(%x, %x, %x) : (f32, f32, f32) -> f32', "'arith.addf' op expects 2 operands, found 3"),
    ('"memref.load"() : () -> f32', "'memref.load' op expects 1 or more operands, found 0"),
    ('"gpu.barrier"(%x) : (f32) -> ()', "'gpu.barrier' op expects 0 operands, found 1"),
    ('"arith.addf"(%x, %x) : (f32, f32) -> ()', "'arith.addf' op expects 1 results, found 0"),
    ('%r:2 = "arith.addf"(%x, %x) : (f32, f32) -> (f32, f32)', "'arith.addf' op expects 1 results, found 2"),
    (
        '"scf.for"(%n, %n, %n) : (index, index, index) -> ()',
        "'scf.for' op expects 1 regions, found 0",
    ),
    (
        '"scf.for"(%n, %n, %n) ({\n^a(%k: index):\n"scf.yield"() : () -> ()\n^b:\n}) : (index, index, index) -> ()',
        "'scf.for' op region 'body_region' must have one block, found 2: control flow is structured (scf)",
    ),
    ('"arith.negf"(%x) ({}) : (f32) -> f32', "'arith.negf' op expects 0 regions, found 1"),
    ('"arith.cmpi"(%i, %i) : (i32, i32) -> i1', "'arith.cmpi' op requires attribute 'predicate'"),
    (
        '"arith.cmpi"(%i, %i) {predicate = "less"} : (i32, i32) -> i1',
        "'arith.cmpi' op attribute 'predicate' must be IntegerPredicate, found \"less\"",
    ),
    (
        '"vector.transpose"(%v) {permutation = array<f32: 0.0>} : (vector<4xf32>) -> vector<4xf32>',
        "'vector.transpose' op attribute 'permutation' must be a list of integers, found array<f32: 0.0>",
    ),
    (
        '"vector.transpose"(%v) {permutation = 0} : (vector<4xf32>) -> vector<4xf32>',
        "'vector.transpose' op attribute 'permutation' must be DenseArray or Array, found 0 : i64",
    ),
    (
        '"arith.negf"(%i) : (i32) -> f32',
        "'arith.negf' op operand 'operand' must be a float or a vector of floats, found i32",
    ),
    (
        '"arith.negf"(%x) : (f32) -> i32',
        "'arith.negf' op result 'result' must be a float or a vector of floats, found i32",
    ),
    (
        '"arith.negf"(%x) : (f32) -> f64',
        "'arith.negf' op 'operand' and 'result' must have the same type, found f32 and f64",
    ),
    (
        "%r = arith.addf %x, %v : f32",
        "'arith.addf' op 'lhs' and 'rhs' must have the same type, found f32 and vector<4xf32>",
    ),
    ('"gpu.unheard_of"() : () -> ()', "unknown operation 'gpu.unheard_of'"),
    ('"arith.constant"() : () -> f32', "'arith.constant' op requires attribute 'value'"),
    (
        '"arith.constant"() {value = "x"} : () -> f32',
        "'arith.constant' op attribute 'value' must be a number or dense<...>, found \"x\"",
    ),
    ('"arith.constant"() {value = 1.0 : f64} : () -> f32', "'arith.constant' op value is f64, result f32"),
    (
        '"arith.cmpf"(%v, %v) {predicate = #arith.cmpf_predicate<oeq>} : (vector<4xf32>, vector<4xf32>) -> i1',
        "'arith.cmpf' op result must be vector<4xi1>, found i1",
    ),
    (
        "%c = vector.constant_mask [1] : vector<3xi1>\n%r = arith.select %c, %v, %v : vector<3xi1>, vector<4xf32>",
        "'arith.select' op condition vector<3xi1> does not have the shape of vector<4xf32>",
    ),
    ("%r = arith.extf %x : f32 to f16", "'arith.extf' op the result must be wider than the operand, found f32 to f16"),
    (
        "%r = arith.truncf %x : f32 to f32",
        "'arith.truncf' op the result must be narrower than the operand, found f32 to f32",
    ),
    (
        "%r = arith.extsi %x : f32 to i64",
        "'arith.extsi' op converts an integer or a vector of integers to an integer or a vector of integers,"
        " found f32 to i64",
    ),
    (
        "%r = arith.extf %v : vector<4xf32> to vector<2xf64>",
        "'arith.extf' op operand and result must have one shape, found vector<4xf32> and vector<2xf64>",
    ),
    (
        "%r = arith.index_cast %i : i32 to i64",
        "'arith.index_cast' op converts between index and an integer, found i32 to i64",
    ),
    (
        "%r = arith.bitcast %x : f32 to i16",
        "'arith.bitcast' op operand and result must have one bit width, found f32 and i16",
    ),
    ("scf.yield", "'scf.yield' op must be the last operation of its block"),
    (
        '"vector.transfer_read"(%m, %n, %x) {permutation_map = affine_map<(d0) -> (d0)>, in_bounds = [true], '
        "operandSegmentSizes = array<i32: 1, 2, 1, 0>} : (memref<8xf32>, index, f32) -> vector<4xf32>",
        "'vector.transfer_read' op operandSegmentSizes [1, 2, 1, 0] do not divide 3 operands into 4",
    ),
    (
        '"vector.transfer_read"(%m, %n, %x) {permutation_map = affine_map<(d0) -> (d0)>, in_bounds = [true], '
        "operandSegmentSizes = array<i32: 0, 2, 1, 0>} : (memref<8xf32>, index, f32) -> vector<4xf32>",
        "'vector.transfer_read' op expects 1 operands 'memref', found 0",
    ),
    (
        '"vector.transfer_read"(%m, %x, %p, %p) {permutation_map = affine_map<(d0) -> (d0)>, in_bounds = [true], '
        "operandSegmentSizes = array<i32: 1, 0, 1, 2>} : (memref<8xf32>, f32, i1, i1) -> vector<4xf32>",
        "'vector.transfer_read' op expects 0 to 1 operands 'mask', found 2",
    ),
    (
        '"vector.transfer_read"(%m, %n, %x) {permutation_map = affine_map<(d0) -> (d0)>, in_bounds = [true], '
        "operandSegmentSizes = array<i32: 1, 3, 1, -2>} : (memref<8xf32>, index, f32) -> vector<4xf32>",
        "'vector.transfer_read' op operandSegmentSizes [1, 3, 1, -2] do not divide 3 operands into 4",
    ),
    (
        "%r = amdgpu.mfma 0x16x16 %v * %v + %v : vector<4xf32>, vector<4xf32>, vector<4xf32>",
        "'amdgpu.mfma' op shape must be positive, found 0x16x16",
    ),
]


@pytest.mark.parametrize(("lines", "message"), LINES)
def test_messages_and_places(lines: str, message: str) -> None:
    """The last of the lines is the wrong one."""
    text = f"{HEAD}{lines}\nreturn\n}}"
    with pytest.raises(VerifyError) as caught:
        verify(parse_program(text, "here.mlir"))
    found = caught.value.diagnostics
    assert message in [d.message for d in found]
    wrong = next(d for d in found if d.message == message)
    row = 2 + (lines.count("\n") if not lines.startswith('"scf.for"') else 0)
    assert wrong.location is not None
    assert str(wrong.location).startswith(f"here.mlir:{row}:")
    assert wrong.render().split("\n")[1].strip() in lines


FUNCTIONS = [
    ("func.func @f() {\n}", "'func.func' op body must end in return"),
    ("gpu.func @f() {\n}", "'gpu.func' op body must end in gpu.return"),
    ("func.func @f() -> f32 {\nreturn\n}", "'func.return' op returns nothing, the function's type is () -> f32"),
    ("func.func @f(%x: f32) {\nreturn %x : f32\n}", "'func.return' op returns f32, the function's type is (f32) -> ()"),
    ("return", "'func.return' op must be inside a function"),
    (
        '"func.func"() ({\n"func.return"() : () -> ()\n}) {sym_name = "f", function_type = i32} : () -> ()',
        "'func.func' op function_type must be a function type, found i32",
    ),
    (
        '"func.func"() ({\n"func.return"() : () -> ()\n}) {sym_name = "f", function_type = (i32) -> ()} : () -> ()',
        "'func.func' op arguments () do not agree with the type (i32) -> ()",
    ),
    (
        "func.func @f() attributes {arg_attrs = [{}]} {\nreturn\n}",
        "'func.func' op has 0 arguments and attributes for 1",
    ),
    (
        "func.func @f(%x: f32) attributes {arg_attrs = [1]} {\nreturn\n}",
        "'func.func' op attributes of arguments must be dictionaries, found 1 : i64",
    ),
    (
        'func.func @f() attributes {sym_visibility = "secret"} {\nreturn\n}',
        "'func.func' op sym_visibility must be \"private\", \"public\" or \"nested\", found \"secret\"",
    ),
    ('"builtin.module"() ({\n^a:\n^b:\n}) : () -> ()',
     "'builtin.module' op region 'body_region' must have one block, found 2: control flow is structured (scf)"),
    ("module attributes {sym_name = 3} {}", "'builtin.module' op attribute 'sym_name' must be String, found 3 : i64"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FUNCTIONS)
def test_functions_and_modules(text: str, message: str) -> None:
    assert message in errors_of(parse_program(text))


def test_isolated_regions_see_nothing_from_outside() -> None:
    """The generic form could name such values; a function's own form could not be read back."""
    inner = '"func.func"() ({\n"arith.negf"(%c) : (f32) -> f32\n"func.return"() : () -> ()\n})'
    rest = '{sym_name = "f", function_type = () -> ()} : () -> ()'
    program = parse_program(f"%c = arith.constant 1.0 : f32\n{inner} {rest}")
    with pytest.raises(VerifyError) as caught:
        verify(program)
    (found,) = caught.value.diagnostics
    assert found.message == "'arith.negf' op operand number 0 '%c' is not defined where it is used"
    assert [str(place) for _, place in found.notes] == ["<string>:1:6"]


def function(*operations: Operation) -> Operation:
    text = parse_program("func.func @f() { return }")
    (func,) = text.body.operations
    assert isinstance(func, FuncOp)
    for position, op in enumerate(operations):
        if op.parent is not None:
            op.parent.remove(op)
        func.body.insert(position, op)
    return text


def test_uses_before_definitions_and_from_other_regions() -> None:
    one = ConstantOp((), [F32], {"value": parse_constant()})
    use = NegFOp([one.result], [F32])
    verify(function(one, use))
    assert errors_of(function(NegFOp([ConstantOp((), [F32], {"value": parse_constant()}).result], [F32]))) == [
        "'arith.negf' op operand number 0 is not defined where it is used"
    ]
    two = ConstantOp((), [F32], {"value": parse_constant()})
    assert len(errors_of(function(NegFOp([two.result], [F32]), two))) == 1
    itself = AddFOp([two.result, two.result], [F32])
    itself.set_operand(1, itself.result)
    assert len(errors_of(function(two, itself))) == 1


def parse_constant() -> object:
    program = parse_program("%c = arith.constant 1.0 : f32")
    return program.body.operations[0].attributes["value"]


def test_all_findings_are_told() -> None:
    bad = '"arith.negf"(%i) : (i32) -> f32'
    messages = errors_of(parse_program(f"{HEAD}{bad}\n{bad}\nscf.if %p {{\n{bad}\n}}\nreturn\n}}"))
    assert len(messages) == 3


def test_findings_without_a_place() -> None:
    module = ModuleOp(regions=[Region([Block()])])
    module.body.append(NegFOp([Value(F32, Block(), 0)], []))
    module.body.append(NegFOp([], [F32]))
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert str(caught.value) == (
        "error: 'arith.negf' op expects 1 results, found 0\nerror: 'arith.negf' op expects 1 operands, found 0"
    )


def test_locations() -> None:
    source = Source("ab\n\tcd\n", "x.mlir")
    assert [str(Location(source, i)) for i in range(6)] == [
        *("x.mlir:1:1", "x.mlir:1:2", "x.mlir:1:3", "x.mlir:2:1", "x.mlir:2:2", "x.mlir:2:3")
    ]


def test_a_right_program_has_no_findings() -> None:
    verify(parse_program(f"{HEAD}%r = arith.negf %x : f32\nreturn\n}}"))
    verify(ModuleOp(attributes={"sym_name": StringAttr("m")}, regions=[Region([Block()])]))
    assert ReturnOp.terminator
