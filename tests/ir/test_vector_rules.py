"""vector: every rule of the verifier, by the message that a program breaking it gets."""

from __future__ import annotations

import re

import pytest
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import VerifyError


def contract(
    lhs: str,
    rhs: str,
    acc: str,
    iterators: str,
    types: str = "vector<4x8xf32>, vector<8x5xf32>, vector<4x5xf32>",
    kind: str = "add",
) -> tuple[str, str]:
    """Arguments and line of a contraction; three iterators i, j, k."""
    left, right, into = types.split(", ")
    maps = ", ".join(f"affine_map<{m}>" for m in (lhs, rhs, acc))
    words = ", ".join(f'"{w}"' for w in iterators.split())
    trait = f"{{indexing_maps = [{maps}], iterator_types = [{words}], kind = #vector.kind<{kind}>}}"
    return (
        f"%l: {left}, %r: {right}, %a: {into}",
        f"%0 = vector.contract {trait} %l, %r, %a : {left}, {right} into {into}",
    )


LHS, RHS, ACC, MATMUL = (
    "(i, j, k) -> (i, k)",
    "(i, j, k) -> (k, j)",
    "(i, j, k) -> (i, j)",
    "parallel parallel reduction",
)
MEMORY = "%m: memref<4x8xf32>, %i: index, %s: f32, %v: vector<4x8xf32>, %w: vector<8xf32>"
READ = "vector.transfer_read %m[%i, %i], %s"
SPACED = "memref<4x8xf32, strided<[16, 2]>>"

BROKEN: list[tuple[str, str, str]] = [
    # broadcast, transpose, shape_cast, fma, step
    ("%s: f32", "%0 = vector.broadcast %s : f32 to vector<4xf64>", "element types differ: f32 to vector<4xf64>"),
    (
        "%v: vector<4x4xf32>",
        "%0 = vector.broadcast %v : vector<4x4xf32> to vector<4xf32>",
        "source rank 2 exceeds result rank 1",
    ),
    (
        "%v: vector<2x3xf32>",
        "%0 = vector.broadcast %v : vector<2x3xf32> to vector<5x2x4xf32>",
        "source dimension 1 has extent 3, result dimension 2 has 4",
    ),
    (
        "%v: vector<2x3xf32>",
        "%0 = vector.transpose %v, [0, 0] : vector<2x3xf32> to vector<2x3xf32>",
        "[0, 0] is not a permutation of the 2 dims",
    ),
    (
        "%v: vector<2x3xf32>",
        "%0 = vector.transpose %v, [1] : vector<2x3xf32> to vector<2x3xf32>",
        "[1] is not a permutation",
    ),
    (
        "%v: vector<2x3xf32>",
        "%0 = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<2x3xf32>",
        "result must be vector<3x2xf32>, found vector<2x3xf32>",
    ),
    (
        "%v: vector<2x3xf32>",
        '%0 = "vector.transpose"(%v) <{permutation = [1, "0"]}> : (vector<2x3xf32>) -> vector<3x2xf32>',
        "attribute 'permutation' must be a list of integers",
    ),
    ("%v: vector<6xf32>", "%0 = vector.shape_cast %v : vector<6xf32> to vector<6xf16>", "element types differ"),
    (
        "%v: vector<6xf32>",
        "%0 = vector.shape_cast %v : vector<6xf32> to vector<2x4xf32>",
        "has 6 elements, vector<2x4xf32> has 8",
    ),
    ("%v: vector<6xf32>", "%0 = vector.shape_cast %v : vector<6xf32> to tuple<vector<6xf32>>", "casts part by part"),
    (
        "%v: vector<6xi32>",
        "%0 = vector.fma %v, %v, %v : vector<6xi32>",
        "must be a vector of floats, found vector<6xi32>",
    ),
    ("", "%0 = vector.step : vector<4xi4>", "of index or integers of at least 8 bits, found vector<4xi4>"),
    # elements
    (
        "%v: vector<4x8xf32>",
        "%0 = vector.extract %v[4] : vector<4x8xf32>",
        "position 4 is outside dimension 0 of vector<4x8xf32>, which is 0 to 3",
    ),
    ("%v: vector<4x8xf32>", "%0 = vector.extract %v[0, -2] : vector<4x8xf32>", "position -2 is outside dimension 1"),
    (
        "%v: vector<4xf32>",
        "%0 = vector.extract %v[0, 0] : f32 from vector<4xf32>",
        "position has 2 numbers, vector<4xf32> has 1 dims",
    ),
    (
        "%v: vector<4x8xf32>",
        "%0 = vector.extract %v[0] : f32 from vector<4x8xf32>",
        "a position of 1 numbers in vector<4x8xf32> gives vector<8xf32>, the result is f32",
    ),
    (
        "%v: vector<4x8xf32>, %i: index",
        '%0 = "vector.extract"(%v, %i) <{static_position = array<i64: 0>}> : (vector<4x8xf32>, index) -> vector<8xf32>',
        "static_position leaves 0 numbers open, 1 operands give them",
    ),
    (
        "%s: f32, %v: vector<4xf32>",
        "%0 = vector.insert %s, %v[4] : f32 into vector<4xf32>",
        "position 4 is outside dimension 0",
    ),
    (
        "%s: f64, %v: vector<4xf32>",
        "%0 = vector.insert %s, %v[3] : f64 into vector<4xf32>",
        "takes f32, the value is f64",
    ),
    (
        "%s: f32, %v: vector<4xf32>",
        '%0 = "vector.insert"(%s, %v) <{static_position = array<i64: 0>}> : (f32, vector<4xf32>) -> vector<5xf32>',
        "result must be vector<4xf32>, found vector<5xf32>",
    ),
    (
        "%v: vector<4x8xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [3], sizes = [2], strides = [1]}"
        " : vector<4x8xf32> to vector<2x8xf32>",
        "elements 3 to 4 are not in dimension 0 of vector<4x8xf32>, which is 0 to 3",
    ),
    (
        "%v: vector<4x8xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [2]}"
        " : vector<4x8xf32> to vector<2x8xf32>",
        "stride 2 of dimension 0: strided slices are of stride 1",
    ),
    (
        "%v: vector<4x8xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [0, 0, 0], sizes = [1, 1, 1], strides = [1, 1, 1]}"
        " : vector<4x8xf32> to vector<1x1x1xf32>",
        "has 3 offsets, vector<4x8xf32> has 2 dims",
    ),
    (
        "%v: vector<4x8xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [0], sizes = [1, 1], strides = [1]}"
        " : vector<4x8xf32> to vector<1x1xf32>",
        "has 1 offsets, 2 sizes and 1 strides; there must be one of each for the first dims",
    ),
    (
        "%v: vector<4x8xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]}"
        " : vector<4x8xf32> to vector<2xf32>",
        "result must be vector<2x8xf32>, found vector<2xf32>",
    ),
    (
        "%v: vector<4xf32>, %d: vector<2x8xf32>",
        "%0 = vector.insert_strided_slice %v, %d {offsets = [0, 5], strides = [1]}"
        " : vector<4xf32> into vector<2x8xf32>",
        "elements 5 to 8 are not in dimension 1 of vector<2x8xf32>, which is 0 to 7",
    ),
    (
        "%v: vector<4xf32>, %d: vector<2x8xf32>",
        "%0 = vector.insert_strided_slice %v, %d {offsets = [0], strides = [1]} : vector<4xf32> into vector<2x8xf32>",
        "has 1 offsets, vector<2x8xf32> has 2 dims",
    ),
    (
        "%v: vector<4xf32>, %d: vector<2x8xf32>",
        "%0 = vector.insert_strided_slice %v, %d {offsets = [0, 0], strides = [1, 1]}"
        " : vector<4xf32> into vector<2x8xf32>",
        "has 2 strides, vector<4xf32> has 1 dims",
    ),
    (
        "%v: vector<1x4xf32>, %d: vector<8xf32>",
        "%0 = vector.insert_strided_slice %v, %d {offsets = [0], strides = [1, 1]}"
        " : vector<1x4xf32> into vector<8xf32>",
        "value rank 2 exceeds destination rank 1",
    ),
    (
        "%v: vector<4xf64>, %d: vector<8xf32>",
        "%0 = vector.insert_strided_slice %v, %d {offsets = [0], strides = [1]} : vector<4xf64> into vector<8xf32>",
        "element types differ: vector<4xf64> into vector<8xf32>",
    ),
    (
        "%v: vector<4x8xf32>, %w: vector<2x8xf32>",
        "%0 = vector.shuffle %v, %w [0, 6] : vector<4x8xf32>, vector<2x8xf32>",
        "mask index 1 is 6, vector<4x8xf32> and vector<2x8xf32> have rows 0 to 5",
    ),
    (
        "%v: vector<4xf32>",
        "%0 = vector.shuffle %v, %v [0, -2] : vector<4xf32>, vector<4xf32>",
        "mask index 1 is -2, vector<4xf32> and vector<4xf32> have rows 0 to 7",
    ),
    (
        "%v: vector<4x8xf32>, %w: vector<4x4xf32>",
        "%0 = vector.shuffle %v, %w [0] : vector<4x8xf32>, vector<4x4xf32>",
        "operands may differ in the first dim only, found vector<4x8xf32> and vector<4x4xf32>",
    ),
    ("%v: vector<4xf32>", "%0 = vector.shuffle %v, %v [] : vector<4xf32>, vector<4xf32>", "mask is empty"),
    ("%s: f32", "%0 = vector.from_elements %s, %s : vector<3xf32>", "vector<3xf32> has 3 elements, 2 are given"),
    ("%s: f32, %d: f64", "%0 = vector.from_elements %s, %d : vector<2xf32>", "element 1 must be f32, found f64"),
    (
        "%v: vector<2xf32>",
        '%0:3 = "vector.to_elements"(%v) : (vector<2xf32>) -> (f32, f32, f32)',
        "vector<2xf32> gives 2 results of f32, found 3 results",
    ),
    # masks
    ("%i: index", "%0 = vector.create_mask %i : vector<4x3xi1>", "vector<4x3xi1> needs 2 bounds, found 1"),
    ("", "%0 = vector.constant_mask [3] : vector<4x3xi1>", "vector<4x3xi1> needs 2 sizes, found 1"),
    ("", "%0 = vector.constant_mask [3, 4] : vector<4x3xi1>", "size 4 of dimension 1 is not within 0 to 3"),
    ("", "%0 = vector.constant_mask [-1, 3] : vector<4x3xi1>", "size -1 of dimension 0 is not within 0 to 4"),
    ("", "%0 = vector.constant_mask [0, 3] : vector<4x3xi1>", "sizes [0, 3] mix 0 with others"),
    # multi_reduction
    (
        "%v: vector<4x8xf32>, %a: vector<4xf32>",
        "%0 = vector.multi_reduction <add>, %v, %a [2] : vector<4x8xf32> to vector<4xf32>",
        "reduction dims [2] are not distinct dims of vector<4x8xf32>",
    ),
    (
        "%v: vector<4x8xf32>, %a: vector<4xf32>",
        "%0 = vector.multi_reduction <add>, %v, %a [1, 1] : vector<4x8xf32> to vector<4xf32>",
        "reduction dims [1, 1] are not distinct",
    ),
    (
        "%v: vector<f32>, %a: f32",
        "%0 = vector.multi_reduction <add>, %v, %a [] : vector<f32> to f32",
        "reduces vectors of rank 1 or more, found vector<f32>",
    ),
    (
        "%v: vector<4x8xf32>, %a: vector<4xf32>",
        "%0 = vector.multi_reduction <add>, %v, %a [0] : vector<4x8xf32> to vector<4xf32>",
        "reducing dims [0] of vector<4x8xf32> gives vector<8xf32>, the result is vector<4xf32>",
    ),
    (
        "%v: vector<4x8xf32>, %a: f32",
        "%0 = vector.multi_reduction <add>, %v, %a [1] : vector<4x8xf32> to vector<4xf32>",
        "accumulator must be vector<4xf32>, found f32",
    ),
    (
        "%v: vector<8xf32>, %a: f32",
        "%0 = vector.multi_reduction <and>, %v, %a [0] : vector<8xf32> to f32",
        "kind <and> does not apply to f32",
    ),
    (
        "%v: vector<8xi32>, %a: i32",
        "%0 = vector.multi_reduction <maximumf>, %v, %a [0] : vector<8xi32> to i32",
        "kind <maximumf> does not apply to i32",
    ),
    # contract
    (*contract(LHS, RHS, ACC, "parallel parallel sum"), "iterator_types must be 'parallel' or 'reduction'"),
    (*contract(LHS, RHS, ACC, "parallel parallel parallel"), "has no reduction iterator"),
    (*contract(LHS, RHS, ACC, "parallel reduction"), "has 2 iterator_types, expected one for each of the maps' 3 dims"),
    (
        *contract("(i, k) -> (i, k)", RHS, ACC, MATMUL),
        "map of lhs (d0, d1) -> (d0, d1) must have 3 dims, one an iterator",
    ),
    (
        *contract("(i, j, k) -> (i, i)", RHS, ACC, MATMUL),
        "map of lhs (d0, d1, d2) -> (d0, d0) must name distinct iterators",
    ),
    (*contract("(i, j, k) -> (i, 0)", RHS, ACC, MATMUL), "must name distinct iterators"),
    (
        *contract("(i, j, k) -> (i)", RHS, ACC, MATMUL),
        "map of lhs (d0, d1, d2) -> (d0) has 1 results, vector<4x8xf32> has 2 dims",
    ),
    (
        *contract(LHS, RHS, ACC, MATMUL, "vector<4x64xf32>, vector<63x5xf32>, vector<4x5xf32>"),
        "iterator d2 has extent 64 in lhs (dimension 1), but 63 in rhs (dimension 0)",
    ),
    (
        *contract(LHS, RHS, ACC, MATMUL, "vector<4x8xf32>, vector<8x5xf32>, vector<4x6xf32>"),
        "iterator d1 has extent 5 in rhs (dimension 1), but 6 in acc (dimension 1)",
    ),
    (
        *contract(LHS, RHS, ACC, "reduction parallel reduction"),
        "reduction iterator d0 must be in the maps of lhs and rhs",
    ),
    (
        *contract(LHS, RHS, "(i, j, k) -> (i, k)", MATMUL, "vector<4x8xf32>, vector<8x5xf32>, vector<4x8xf32>"),
        "parallel iterator d1 must be in the maps of acc and of lhs or rhs",
    ),
    (
        *contract(LHS, RHS, ACC, MATMUL, "vector<4x8xf32>, vector<8x5xf32>, vector<4x5xf16>"),
        "lhs elements f32 cannot be extended to the accumulator's f16",
    ),
    (
        *contract(LHS, RHS, ACC, MATMUL, "vector<4x8xbf16>, vector<8x5xf16>, vector<4x5xbf16>"),
        "rhs elements f16 cannot be extended to the accumulator's bf16",
    ),
    (
        *contract(LHS, RHS, ACC, MATMUL, "vector<4x8xi8>, vector<8x5xi8>, vector<4x5xf32>"),
        "lhs elements i8 cannot be extended to the accumulator's f32",
    ),
    (*contract(LHS, RHS, ACC, MATMUL, kind="xor"), "kind <xor> does not apply to f32"),
    (
        "%l: vector<8xf32>, %a: f32",
        '%0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["reduction"]} %l, %l, %a'
        " : vector<8xf32>, vector<8xf32> into f32",
        "indexing_maps must be three affine maps (lhs, rhs, acc), found 1 attributes",
    ),
    (
        "%l: vector<8xf32>, %a: f32",
        "%0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],"
        ' iterator_types = ["reduction"]} %l, %l, %a : vector<8xf32>, vector<8xf32> into f64',
        "result must be f32 as the accumulator, found f64",
    ),
    (
        "%l: vector<8xf32>, %a: f32, %k: vector<8xi1>",
        "%0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],"
        ' iterator_types = ["reduction"]} %l, %l, %a, %k : vector<8xf32>, vector<8xf32> into f32',
        "takes no masks or two (for lhs and for rhs), found 1",
    ),
    (
        "%l: vector<8xf32>, %a: f32, %k: vector<8xi1>, %q: vector<4xi1>",
        "%0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],"
        ' iterator_types = ["reduction"]} %l, %l, %a, %k, %q : vector<8xf32>, vector<8xf32> into f32',
        "mask of rhs must be vector<8xi1>, found vector<4xi1>",
    ),
    # load and store
    (
        MEMORY,
        "%0 = vector.load %m[%i] : memref<4x8xf32>, vector<8xf32>",
        "needs 2 indices for memref<4x8xf32>, found 1",
    ),
    (
        MEMORY,
        "%0 = vector.load %m[%i, %i] : memref<4x8xf32>, vector<8xf64>",
        "element types differ: memref<4x8xf32> and vector<8xf64>",
    ),
    (
        MEMORY,
        "%0 = vector.load %m[%i, %i] : memref<4x8xf32>, vector<1x4x8xf32>",
        "vector<1x4x8xf32> has more dims than memref<4x8xf32>",
    ),
    (
        MEMORY,
        "%0 = vector.load %m[%i, %i] {alignment = 12 : i64} : memref<4x8xf32>, vector<8xf32>",
        "alignment must be a power of two in bytes, found 12",
    ),
    (
        f"%m: {SPACED}, %i: index",
        f"%0 = vector.load %m[%i, %i] : {SPACED}, vector<4xf32>",
        "has stride 2, it must be contiguous",
    ),
    (
        f"{MEMORY}, %k: vector<4xi1>",
        "%0 = vector.maskedload %m[%i, %i], %k, %w : memref<4x8xf32>, vector<4xi1>, vector<8xf32> into vector<8xf32>",
        "mask must be vector<8xi1>, found vector<4xi1>",
    ),
    (
        f"{MEMORY}, %k: vector<8xi1>",
        "%0 = vector.maskedload %m[%i, %i], %k, %w : memref<4x8xf32>, vector<8xi1>, vector<8xf32> into vector<4xf32>",
        "'pass_thru' and 'result' must have the same type",
    ),
    (
        f"{MEMORY}, %k: vector<4xi1>",
        "vector.maskedstore %m[%i, %i], %k, %w : memref<4x8xf32>, vector<4xi1>, vector<8xf32>",
        "mask must be vector<8xi1>, found vector<4xi1>",
    ),
    (
        "%m: memref<8xvector<4xf32>>, %i: index",
        "%0 = vector.load %m[%i] : memref<8xvector<4xf32>>, vector<2x8xf32>",
        "moves one element: found memref<8xvector<4xf32>> and vector<2x8xf32>",
    ),
    # transfers
    (
        MEMORY,
        "%0 = vector.transfer_read %m[%i], %s : memref<4x8xf32>, vector<8xf32>",
        "needs 2 indices for memref<4x8xf32>, found 1",
    ),
    (
        f"{MEMORY}, %d: f64",
        "%0 = vector.transfer_read %m[%i, %i], %d : memref<4x8xf32>, vector<8xf32>",
        "padding must be f32, found f64",
    ),
    (
        MEMORY,
        f"%0 = {READ} : memref<4x8xf32>, vector<8xf64>",
        "element types differ: memref<4x8xf32> and vector<8xf64>",
    ),
    (
        MEMORY,
        f"%0 = {READ} : memref<4x8xf32>, vector<2x4x8xf32>",
        "permutation_map (d0, d1) -> (d0, d1) has 2 results, vector<2x4x8xf32> needs 3",
    ),
    (
        MEMORY,
        f"%0 = {READ} {{permutation_map = affine_map<(d0) -> (d0)>}} : memref<4x8xf32>, vector<8xf32>",
        "permutation_map (d0) -> (d0) must have 2 dims and no symbols",
    ),
    (
        MEMORY,
        f"%0 = {READ} {{permutation_map = affine_map<(d0, d1) -> (d0 + d1)>}} : memref<4x8xf32>, vector<8xf32>",
        "permutation_map (d0, d1) -> (d0 + d1) must name memref dims or be 0",
    ),
    (
        MEMORY,
        f"%0 = {READ} {{permutation_map = affine_map<(d0, d1) -> (d1, d1)>}} : memref<4x8xf32>, vector<8x8xf32>",
        "names d1 twice",
    ),
    (
        MEMORY,
        f"%0 = {READ} {{in_bounds = [true]}} : memref<4x8xf32>, vector<4x8xf32>",
        "in_bounds has 1 entries, vector<4x8xf32> needs 2",
    ),
    (
        MEMORY,
        f"%0 = {READ} {{in_bounds = [1]}} : memref<4x8xf32>, vector<8xf32>",
        "in_bounds must be a list of true and false",
    ),
    (
        f"{MEMORY}, %k: vector<2x3xi1>",
        f"%0 = {READ}, %k {{permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : memref<4x8xf32>, vector<2x3xf32>",
        "mask must be vector<3x2xi1> (memory order, without repeated dims), found vector<2x3xi1>",
    ),
    (
        MEMORY,
        "vector.transfer_write %w, %m[%i, %i] {permutation_map = affine_map<(d0, d1) -> (0)>}"
        " : vector<8xf32>, memref<4x8xf32>",
        "permutation_map (d0, d1) -> (0) has a 0: several elements would go to one place",
    ),
    (
        "%m: memref<8xvector<4xf32>>, %i: index, %p: vector<4xf32>",
        "%0 = vector.transfer_read %m[%i], %p : memref<8xvector<4xf32>>, vector<2x8xf32>",
        "element type vector<4xf32> of the memref is not the end of vector<2x8xf32>",
    ),
]


@pytest.mark.parametrize(("arguments", "line", "message"), BROKEN, ids=[message for _, _, message in BROKEN])
def test_a_broken_rule_is_reported_with_both_sides(arguments: str, line: str, message: str) -> None:
    program = parse_program(f"func.func @f({arguments}) {{\n{line}\nreturn\n}}")
    with pytest.raises(VerifyError, match=re.escape(message)) as error:
        verify(program)
    assert all(d.location is not None and "<string>:2:" in str(d.location) for d in error.value.diagnostics)


FLOAT_KINDS = ["add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf"]
INTEGER_KINDS = ["add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor"]


@pytest.mark.parametrize("kind", sorted({*FLOAT_KINDS, *INTEGER_KINDS}))
@pytest.mark.parametrize("element", ["f32", "bf16", "i32", "i1", "index"])
def test_kinds_apply_to_the_elements_that_they_are_for(kind: str, element: str) -> None:
    line = f"%0 = vector.multi_reduction <{kind}>, %v, %s [0] : vector<8x{element}> to {element}"
    program = parse_program(f"func.func @f(%v: vector<8x{element}>, %s: {element}) {{ {line}\nreturn }}")
    if kind in (FLOAT_KINDS if element in ("f32", "bf16") else INTEGER_KINDS):
        verify(program)
    else:
        with pytest.raises(VerifyError, match=f"kind <{kind}> does not apply to {element}"):
            verify(program)
