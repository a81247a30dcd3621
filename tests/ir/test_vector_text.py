"""vector: what is read and printed. Every operation in both forms, older spellings, the documents' snippets, errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ParseError

MATMUL = (
    "{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,"
    " affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = "
)

CANONICAL = [
    ("%s: f32", "%0 = vector.broadcast %s : f32 to vector<16xf32>"),
    ("%v: vector<2x1xf32>", "%0 = vector.broadcast %v : vector<2x1xf32> to vector<3x2x2xf32>"),
    ("%v: vector<f32>", "%0 = vector.broadcast %v : vector<f32> to vector<4xf32>"),
    ("%v: vector<2x3xf32>", "%0 = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>"),
    ("%v: vector<f32>", "%0 = vector.transpose %v, [] : vector<f32> to vector<f32>"),
    ("%v: vector<2x6xi8>", "%0 = vector.shape_cast %v : vector<2x6xi8> to vector<3x4xi8>"),
    ("%v: vector<8xf64>", "%0 = vector.fma %v, %v, %v : vector<8xf64>"),
    ("", "%0 = vector.step : vector<4xindex>"),
    ("%v: vector<4x8xf32>, %i: index", "%0 = vector.extract %v[0, %i] : f32 from vector<4x8xf32>"),
    ("%v: vector<4x8xf32>, %i: index", "%0 = vector.extract %v[%i] : vector<8xf32> from vector<4x8xf32>"),
    ("%v: vector<4xf32>", "%0 = vector.extract %v[] : vector<4xf32> from vector<4xf32>"),
    ("%v: vector<f32>", "%0 = vector.extract %v[] : f32 from vector<f32>"),
    ("%s: f32, %v: vector<4x8xf32>, %i: index", "%0 = vector.insert %s, %v[%i, 7] : f32 into vector<4x8xf32>"),
    ("%s: f32, %v: vector<f32>", "%0 = vector.insert %s, %v[] : f32 into vector<f32>"),
    (
        "%v: vector<4x8x16xf32>",
        "%0 = vector.extract_strided_slice %v offsets = [0, 2], sizes = [2, 4], strides = [1, 1]"
        " : vector<4x8x16xf32> to vector<2x4x16xf32>",
    ),
    (
        "%v: vector<2x4xf32>, %d: vector<16x4x8xf32>",
        "%0 = vector.insert_strided_slice %v, %d offsets = [0, 0, 2], strides = [1, 1]"
        " : vector<2x4xf32> into vector<16x4x8xf32>",
    ),
    (
        "%v: vector<2x16xf32>, %w: vector<1x16xf32>",
        "%0 = vector.shuffle %v, %w [0, 1, 2] : vector<2x16xf32>, vector<1x16xf32>",
    ),
    ("%v: vector<f32>", "%0 = vector.shuffle %v, %v [1, 0, 0] : vector<f32>, vector<f32>"),
    ("%s: f32", "%0 = vector.from_elements %s, %s : vector<1x2xf32>"),
    ("%v: vector<2x2xi1>", "%0:4 = vector.to_elements %v : vector<2x2xi1>"),
    ("%v: vector<1xi1>", "%0 = vector.to_elements %v : vector<1xi1>"),
    ("%i: index", "%0 = vector.create_mask %i, %i : vector<4x3xi1>"),
    ("", "%0 = vector.constant_mask [3, 2] : vector<4x3xi1>"),
    ("%v: vector<4x8xf32>, %s: f32", "%0 = vector.multi_reduction <add>, %v, %s [0, 1] : vector<4x8xf32> to f32"),
    (
        "%v: vector<4x8xi32>, %a: vector<4xi32>",
        "%0 = vector.multi_reduction <maxui>, %v, %a [1] : vector<4x8xi32> to vector<4xi32>",
    ),
    ("%v: vector<4xf32>", "%0 = vector.multi_reduction <mul>, %v, %v [] : vector<4xf32> to vector<4xf32>"),
    ("%m: memref<8xf32>, %i: index", "%0 = vector.load %m[%i] alignment = 16 : memref<8xf32>, vector<4xf32>"),
    ("%m: memref<f32>, %v: vector<f32>", "vector.store %v, %m[] : memref<f32>, vector<f32>"),
    (
        "%m: memref<8xf32>, %i: index, %k: vector<4xi1>, %v: vector<4xf32>",
        "%0 = vector.maskedload %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>",
    ),
    (
        "%m: memref<8xf32>, %i: index, %k: vector<4xi1>, %v: vector<4xf32>",
        "vector.maskedstore %m[%i], %k, %v {nontemporal = true} : memref<8xf32>, vector<4xi1>, vector<4xf32>",
    ),
    (
        "%m: memref<?x8xf32>, %i: index, %s: f32",
        "%0 = vector.transfer_read %m[%i, %i], %s : memref<?x8xf32>, vector<4x8xf32>",
    ),
    (
        "%m: memref<?x8xf32>, %i: index, %s: f32, %k: vector<8xi1>",
        "%0 = vector.transfer_read %m[%i, %i], %s, %k {in_bounds = [true]} : memref<?x8xf32>, vector<8xf32>",
    ),
    ("%m: memref<f32>, %s: f32", "%0 = vector.transfer_read %m[], %s : memref<f32>, vector<f32>"),
    (
        "%m: memref<?x8xf32>, %i: index, %v: vector<4x8xf32>",
        "vector.transfer_write %v, %m[%i, %i] {in_bounds = [false, true]} : vector<4x8xf32>, memref<?x8xf32>",
    ),
    (
        "%m: memref<?x8xf32>, %i: index, %v: vector<8xf32>, %k: vector<8xi1>",
        "vector.transfer_write %v, %m[%i, %i], %k : vector<8xf32>, memref<?x8xf32>",
    ),
    (
        "%m: memref<8xvector<4xf32>>, %i: index, %p: vector<4xf32>",
        "%0 = vector.transfer_read %m[%i], %p : memref<8xvector<4xf32>>, vector<2x4xf32>",
    ),
]


def in_function(arguments: str, body: str) -> Operation:
    """A verified program."""
    program = parse_program(f"func.func @f({arguments}) {{\n{body}\nreturn\n}}")
    verify(program)
    return program


def line_of(program: Operation) -> str:
    """The first operation's line of the printed program, aliases written out."""
    text = print_program(program)
    for line in reversed(text.splitlines()):
        if line.startswith("#"):
            name, value = line.split(" = ", 1)
            text = (
                text.replace(f"{name},", f"{value},")
                .replace(f"{name}]", f"{value}]")
                .replace(f"{name}}}", f"{value}}}")
            )
    lines = [line.strip() for line in text.splitlines()]
    return lines[next(i for i, line in enumerate(lines) if line.startswith("func.func")) + 1]


def assert_survives(program: Operation) -> None:
    custom, generic = print_program(program), print_program(program, generic=True)
    for text in (custom, generic):
        again = parse_program(text)
        verify(again)
        assert print_program(again) == custom
        assert print_program(again, generic=True) == generic


@pytest.mark.parametrize(("arguments", "line"), CANONICAL, ids=[line for _, line in CANONICAL])
def test_canonical_text_is_printed_as_it_was_read(arguments: str, line: str) -> None:
    program = in_function(arguments, line)
    assert line_of(program) == line
    assert_survives(program)


CONTRACT = "%l: vector<2x3xf32>, %r: vector<3x2xf32>, %a: vector<2x2xf32>"
OLDER = [
    ("%s: f32", "%0 = vector.splat %s : vector<4xf32>", "vector.broadcast %s : f32 to vector<4xf32>"),
    ("%s: f32", "%0 = std.splat %s : vector<3x7x8xf32>", "vector.broadcast %s : f32 to vector<3x7x8xf32>"),
    ("%s: f32", "%0 = splat %s : vector<4xf32>", "vector.broadcast %s : f32 to vector<4xf32>"),
    (
        "%v: vector<4x8x16x32xf32>",
        "%0 = vector.cast %v: vector<4x8x16x32xf32> to vector<4x4096xf32>",
        "vector.shape_cast %v : vector<4x8x16x32xf32> to vector<4x4096xf32>",
    ),
    (
        "%v: vector<4x8x16xf32>",
        "%1 = vector.extract %v[3]: vector<4x8x16xf32>",
        "vector.extract %v[3] : vector<8x16xf32> from vector<4x8x16xf32>",
    ),
    (
        "%v: vector<4x8x16xf32>",
        "%2 = vector.extract %v[3, 3, 3]: vector<4x8x16xf32>",
        "vector.extract %v[3, 3, 3] : f32 from vector<4x8x16xf32>",
    ),
    (
        "%v: vector<2x2xf16>, %w: vector<1x1x2x2xf16>",
        "%5 = vector.insert %v, %w [0, 0] : vector<2x2xf16> into vector<1x1x2x2xf16>",
        "vector.insert %v, %w[0, 0] : vector<2x2xf16> into vector<1x1x2x2xf16>",
    ),
    (
        "%v: vector<32x8xf32>, %a: vector<32xf32>",
        "%1 = vector.multi_reduction <maxf>, %v, %a [1] : vector<32x8xf32> to vector<32xf32>",
        "vector.multi_reduction <maximumf>, %v, %a [1] : vector<32x8xf32> to vector<32xf32>",
    ),
    (
        "%v: vector<8xf32>, %a: f32",
        "%1 = vector.multi_reduction #vector.kind<minf>, %v, %a [0] : vector<8xf32> to f32",
        "vector.multi_reduction <minimumf>, %v, %a [0] : vector<8xf32> to f32",
    ),
    (
        CONTRACT,
        f'%0 = vector.contract {MATMUL}["parallel", "parallel", "reduction"]}} %l, %r, %a'
        " : vector<2x3xf32>, vector<3x2xf32> into vector<2x2xf32>",
        f'vector.contract {MATMUL}["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %l, %r, %a'
        " : vector<2x3xf32>, vector<3x2xf32> into vector<2x2xf32>",
    ),
    (
        CONTRACT,
        f"%0 = vector.contract {MATMUL}[#vector.iterator_type<parallel>, #vector.iterator_type<parallel>,"
        " #vector.iterator_type<reduction>], kind = #vector.kind<maxf>} %l, %r, %a {note = 1 : i32}"
        " : vector<2x3xf32>, vector<3x2xf32> into vector<2x2xf32>",
        f'vector.contract {MATMUL}["parallel", "parallel", "reduction"], kind = #vector.kind<maximumf>}} %l, %r, %a'
        " {note = 1 : i32} : vector<2x3xf32>, vector<3x2xf32> into vector<2x2xf32>",
    ),
    (
        "%A: memref<?x?x?xf32>, %i: index, %f0: f32",
        "%v = vector.transfer_read %A[%i, %i, %i], (%f0) {permutation_map: (d0, d1, d2) -> (d2, d1)}"
        " : memref<?x?x?xf32>, vector<32x256xf32>",
        "vector.transfer_read %A[%i, %i, %i], %f0 {permutation_map = affine_map<(d0, d1, d2) -> (d2, d1)>}"
        " : memref<?x?x?xf32>, vector<32x256xf32>",
    ),
    (
        "%A: memref<?x?xf32>, %i: index, %f0: f32",
        "%v = vector.transfer_read %A[%i, %i], %f0 {in_bounds = [false], permutation_map = (d0, d1) -> (d1)}"
        " : memref<?x?xf32>, vector<4xf32>",
        "vector.transfer_read %A[%i, %i], %f0 : memref<?x?xf32>, vector<4xf32>",
    ),
]


@pytest.mark.parametrize(("arguments", "line", "today"), OLDER, ids=[line for _, line, _ in OLDER])
def test_older_spellings_are_printed_as_todays(arguments: str, line: str, today: str) -> None:
    program = in_function(arguments, line)
    assert line_of(program).split(" = ", 1)[1] == today
    assert_survives(program)


VECTOR_DOCUMENT = """
#contraction_accesses = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>]
#contraction_trait = {indexing_maps = #contraction_accesses, iterator_types = ["reduction"]}
#accesses4 = [
  affine_map<(b0, f0, f1, c0, c1) -> (c0, b0, c1, f0)>,
  affine_map<(b0, f0, f1, c0, c1) -> (b0, c1, c0, f1)>,
  affine_map<(b0, f0, f1, c0, c1) -> (b0, f0, f1)>
]
#trait4 = {indexing_maps = #accesses4, iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
#accesses6 = [
  affine_map<(f0, f1, f2, f3, c0, c1) -> (c0, f0, c1, f1)>,
  affine_map<(f0, f1, f2, f3, c0, c1) -> (f2, c1, c0, f3)>,
  affine_map<(f0, f1, f2, f3, c0, c1) -> (f0, f1, f2, f3)>
]
#trait6 = {
  indexing_maps = #accesses6,
  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
}
func.func @contract(%x: vector<10xf32>, %acc: f32, %0: vector<7x8x16x15xf32>, %1: vector<8x16x7x5xf32>,
                    %2: vector<8x15x5xf32>, %3: vector<8x15x8x5xf32>) {
  %4 = vector.contract #contraction_trait %x, %x, %acc
    : vector<10xf32>, vector<10xf32> into f32
  %5 = vector.contract #trait4 %0, %1, %2
      : vector<7x8x16x15xf32>, vector<8x16x7x5xf32> into vector<8x15x5xf32>
  %lhs_mask = vector.constant_mask [7, 8, 16, 15] : vector<7x8x16x15xi1>
  %rhs_mask = vector.constant_mask [8, 16, 7, 5] : vector<8x16x7x5xi1>
  %6 = vector.contract #trait6 %0, %1, %3, %lhs_mask, %rhs_mask
     : vector<7x8x16x15xf32>, vector<8x16x7x5xf32> into vector<8x15x8x5xf32>
  return
}
func.func @transfers(%A: memref<?x?x?x?xf32>, %arg1: memref<?x?xvector<4x3xf32>>, %B: memref<?x?xf32>, %i: index,
                     %vf0: vector<4x3xf32>, %f1: vector<5x4x3xf32>, %val: vector<16x32x64xf32>) {
  %f0 = constant 0.0f : f32
  %v = vector.transfer_read %A[%i, %i, %i, %i], %f0
    { permutation_map : (d0,d1,d2,d3) -> (d2,0,d0) } :
    memref<?x?x?x?xf32>, vector<3x4x5xf32>
  %3 = vector.transfer_read %B[%i, %i], %f0 {permutation_map: (d0, d1) -> (0)} : memref<?x?xf32>, vector<128xf32>
  %4 = vector.transfer_read %arg1[%i, %i], %vf0
    {permutation_map = (d0, d1)->(d0, d1)}
      : memref<?x?xvector<4x3xf32>>, vector<1x1x4x3xf32>
  vector.transfer_write %4, %arg1[%i, %i]
    {permutation_map = (d0, d1)->(d0, d1)}
      : vector<1x1x4x3xf32>, memref<?x?xvector<4x3xf32>>
  vector.transfer_write %f1, %A[%i, %i, %i, %i]
    {permutation_map = (d0, d1, d2, d3) -> (d3, d1, d0)} :
      vector<5x4x3xf32>, memref<?x?x?x?xf32>
  vector.transfer_write %val, %A[%i, %i, %i, %i]
    {permutation_map: (d0, d1, d2, d3) -> (d3, d1, d2)} :
    vector<16x32x64xf32>, memref<?x?x?x?xf32>
  return
}
func.func @shapes(%0: vector<5x1x4x3xf32>, %2: vector<10x12x8xf32>, %3: vector<8x16xf32>, %4: vector<3x4x2xf32>) {
  %1 = vector.shape_cast %0 : vector<5x1x4x3xf32> to vector<20x3xf32>
  %5 = vector.shape_cast %2 : vector<10x12x8xf32> to vector<5x2x3x4x8xf32>
  %6 = vector.fma %3, %3, %3: vector<8x16xf32>
  return
}
"""

ATTENTION_LINES = """
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1, d0)>
func.func @f(%alloc: memref<1x128x64xf16, #gpu.address_space<workgroup>>, %i: index, %cst_4: f16,
    %arg1: vector<32xf32>, %arg3: vector<32x64xf32>, %cst_2: vector<32x128xf32>, %e: vector<128x64xf32>,
    %alloc_12: memref<128x64xf16, #gpu.address_space<workgroup>>, %c: vector<16x16xf16>, %d: vector<8x16xf16>,
    %cst: vector<16x8xf16>) {
  %9 = vector.transfer_read %alloc[%i, %i, %i], %cst_4 {in_bounds = [true, true]}
    : memref<1x128x64xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
  %10 = arith.extf %9 : vector<32x64xf16> to vector<32x64xf32>
  %15 = vector.contract {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %10, %e, %cst_2 : vector<32x64xf32>, vector<128x64xf32> into vector<32x128xf32>
  %16 = vector.multi_reduction <maxf>, %15, %arg1 [1] : vector<32x128xf32> to vector<32xf32>
  %17 = vector.broadcast %16 : vector<32xf32> to vector<128x32xf32>
  %18 = vector.transpose %17, [1, 0] : vector<128x32xf32> to vector<32x128xf32>
  %37 = vector.transfer_read %alloc_12[%i, %i], %cst_4 {in_bounds = [true, true], permutation_map = #map7}
    : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<64x128xf16>
  %12 = arith.truncf %arg3 : vector<32x64xf32> to vector<32x64xf16>
  vector.transfer_write %12, %alloc[%i, %i, %i] {in_bounds = [true, true]}
    : vector<32x64xf16>, memref<1x128x64xf16, #gpu.address_space<workgroup>>
  %5 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
    affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %c, %d, %cst : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf16>
  return
}
"""


@pytest.mark.parametrize("text", [VECTOR_DOCUMENT, ATTENTION_LINES], ids=["vector dialect", "layout RFC"])
def test_snippets_of_the_documents_are_programs(text: str) -> None:
    program = parse_program(text)
    verify(program)
    assert_survives(program)


def test_shape_cast_of_a_tuple() -> None:
    program = in_function(
        "%4: tuple<vector<3x4x2xf32>, vector<3x3x2xf32>>",
        "%5 = vector.shape_cast %4 : tuple<vector<3x4x2xf32>, vector<3x3x2xf32>> to"
        " tuple<vector<12x2xf32>, vector<9x2xf32>>",
    )
    assert_survives(program)


ERRORS = [
    (
        "%m: none, %i: index",
        "%0 = vector.transfer_read %m[%i] : none, vector<4xf32>",
        "a padding that is left out is a number, found elements of none",
    ),
    ("%s: f32", "%0 = vector.broadcast %s : f32 into vector<4xf32>", "expected 'to', found 'into'"),
    (
        "%s: f32",
        "%0 = vector.broadcast %s : f64 to vector<4xf64>",
        "operand '%s' has type f32, but f64 is written here",
    ),
    ("%v: vector<4xf32>", "%0 = vector.broadcast %v : vector<8xf32>", "'%v' has type vector<4xf32>"),
    ("%v: vector<4xf32>", "%0 = vector.extract %v[0] : vector<8xf32>", "'%v' has type vector<4xf32>"),
    ("%v: vector<4xf32>", "%0 = vector.extract %v[0] : f32 from vector<8xf32>", "'%v' has type vector<4xf32>"),
    ("%s: f32", "%0 = vector.extract %s[0] : f32", "extract takes a vector, found f32"),
    ("%v: vector<4xf32>", "%0 = vector.transpose %v, [x] : vector<4xf32> to vector<4xf32>", "expected an integer"),
    (
        "%v: vector<4xf32>, %s: f32",
        "%0 = vector.multi_reduction <plus>, %v, %s [0] : vector<4xf32> to f32",
        "one of add,",
    ),
    ("%v: vector<4xf32>", "%0 = vector.contract [] %v, %v, %v : vector<4xf32>", "contract begins with {indexing_maps"),
    (
        "%v: vector<4xf32>",
        "%0 = vector.contract {} %v, %v : vector<4xf32>",
        "expected ',', found ':'",
    ),
]


@pytest.mark.parametrize(("arguments", "line", "message"), ERRORS, ids=[message for _, _, message in ERRORS])
def test_text_that_is_no_program(arguments: str, line: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        in_function(arguments, line)
    assert message in str(error.value)
    assert ":2:" in str(error.value)


# -- any shape ---------------------------------------------------------------------------------------------------

shapes = st.lists(st.integers(1, 9), max_size=4).map(tuple)
elements = st.sampled_from(["i1", "i8", "i32", "index", "f16", "bf16", "f32", "f64", "f8E4M3FN"])


def vector_text(shape: tuple[int, ...], element: str) -> str:
    return f"vector<{''.join(f'{n}x' for n in shape)}{element}>"


@given(st.data(), shapes, elements)
def test_any_transpose_survives(data: st.DataObject, shape: tuple[int, ...], element: str) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    source, target = vector_text(shape, element), vector_text(tuple(shape[i] for i in order), element)
    assert_survives(in_function(f"%v: {source}", f"%0 = vector.transpose %v, {list(order)} : {source} to {target}"))


@given(st.data(), shapes, elements)
def test_any_position_survives(data: st.DataObject, shape: tuple[int, ...], element: str) -> None:
    depth = data.draw(st.integers(0, len(shape)))
    position = [data.draw(st.one_of(st.just("%i"), st.integers(0, n - 1).map(str))) for n in shape[:depth]]
    whole = vector_text(shape, element)
    part = element if depth == len(shape) else vector_text(shape[depth:], element)
    place = f"[{', '.join(position)}]"
    body = (
        f"%0 = vector.extract %v{place} : {part} from {whole}\n%1 = vector.insert %0, %v{place} : {part} into {whole}"
    )
    assert_survives(in_function(f"%v: {whole}, %i: index", body))


@given(st.data(), shapes, elements)
def test_any_transfer_survives(data: st.DataObject, shape: tuple[int, ...], element: str) -> None:
    rank = data.draw(st.integers(len(shape), len(shape) + 2))
    dims = data.draw(st.permutations(range(rank)))[: len(shape)]
    names = ", ".join(f"d{i}" for i in range(rank))
    map = f"affine_map<({names}) -> ({', '.join(f'd{d}' for d in dims)})>"
    flags = [data.draw(st.sampled_from(["true", "false"])) for _ in shape]
    memref = f"memref<{'?x' * rank}{element}>"
    indices = ", ".join(["%i"] * rank)
    attributes = f"{{in_bounds = [{', '.join(flags)}], permutation_map = {map}}}"
    vector = vector_text(shape, element)
    body = (
        f"%0 = vector.transfer_read %m[{indices}], %s {attributes} : {memref}, {vector}\n"
        f"vector.transfer_write %0, %m[{indices}] {attributes} : {vector}, {memref}"
    )
    assert_survives(in_function(f"%m: {memref}, %i: index, %s: {element}", body))
