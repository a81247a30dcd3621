"""What the reader says of texts that are no programs: the message, its line and column, the caret under the place."""

from __future__ import annotations

import pytest
from lanewise.ir import operation_parser as parser_module
from lanewise.ir.core import REGISTRY
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.support.diagnostics import ParseError

HERE = "¦"
"""Stands in the texts below before the place that the message is about."""


def error_of(text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_program(text)
    return caught.value


def assert_reports(marked: str, message: str, hint: str = "") -> None:
    """The first line of the error, the source line and the caret, against the mark in the text."""
    before, _, after = marked.partition(HERE)
    lines = str(error_of(before + after)).split("\n")
    row, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    assert lines[0] == f"<string>:{row}:{column}: error: {message}"
    assert lines[1] == "  " + (before + after).split("\n")[row - 1].rstrip().replace("\t", " ")
    assert lines[2] == "  " + " " * (column - 1) + "^"
    assert lines[3:] == ([f"hint: {hint}"] if hint else [])


DENSE = "<...> needs a vector type, or a tensor type whose extents are static"
ATTRIBUTES = [
    ("¦", "expected an attribute, found '}'"),
    ("¦->", "expected an attribute, found '->'"),
    ("- ¦x", "expected a number, found 'x'"),
    ("¦;", "unexpected character: ';'"),
    ("¦\u0663", "unexpected character: '\u0663'"),
    ('¦"open', "string is not closed on its line: '\"'"),
    ("¦" + "1" * 65, "literal of 65 characters, limit 64"),
    ("¦0x" + "1" * 63, "literal of 65 characters, limit 64"),
    ("¦1.0e" + "1" * 62, "literal of 66 characters, limit 64"),
    ("¦256 : i8", "256 does not fit in i8"),
    ('dense<¦"0x0100"> : vector<2xi32>', "2 bytes of elements, vector<2xi32> takes 4 or 8"),
    (
        'dense<¦"0x8Z"> : vector<1xi8>',
        'the bytes of elements are written as hexadecimal digits, two each, after "0x"',
    ),
    ("dense_resource<¦a> : vector<2xi32>", "no resource 'a' in this text"),
    ("dense_resource<¦a> : tensor<2xi32>", "no resource 'a' in this text"),
    ("dense_resource<¦a> : tensor<?xi32>", f"dense_resource{DENSE}, found tensor<?xi32>"),
    ("dense_resource<¦a>", f"dense_resource{DENSE}, found none"),
    ("dense<¦1> : tensor<1099511627776xi32>", "tensor of 1099511627776 elements, limit 16777216"),
    ('{¦"" = 1}', "an attribute's name is empty"),
    ("vector<4x¦[4]xf32>", "vector extents are static: scalable ones, [4], are not supported"),
    ("¦-129 : i8", "-129 does not fit in i8"),
    ("¦2 : i1", "2 does not fit in i1"),
    ("¦18446744073709551616", "18446744073709551616 does not fit in i64"),
    ("¦1 : vector<2xi8>", "1 is not a value of vector<2xi8>"),
    ("¦1.5 : i32", "1.5 is not a value of i32"),
    ("¦0x10000 : f16", "0x10000 is not the bit pattern of a value of f16"),
    ("-¦0x1 : f16", "a bit pattern such as 0x1 has no sign"),
    ("¦#nothing", "unknown attribute alias '#nothing'"),
    (
        "#arith.fastmath<¦quick>",
        "expected one of none, reassoc, nnan, ninf, nsz, arcp, contract, afn, fast, found 'quick'",
    ),
    ("#a.b<(¦]>", "expected ')', found ']'"),
    ("¦255 : si8", "255 does not fit in si8"),
    ("¦-1 : ui8", "-1 does not fit in ui8"),
    ("¦9223372036854775808 : index", "9223372036854775808 does not fit in index"),
    ("array<¦index: 1>", "array<...> holds i1 and numbers of whole bytes, found index"),
    ("array<¦i4: 1>", "array<...> holds i1 and numbers of whole bytes, found i4"),
    ("{a, ¦a = 1}", "attribute 'a' is given twice"),
    ("{¦1}", "expected an attribute name, found '1'"),
    ("{a¦ = 1 ", None),
    ("[1 ¦2]", "expected ',' or ']', found '2'"),
    ("array<i8: 1, ¦300>", "300 does not fit in i8"),
    ("array<i8: ¦1 : i16>", "1 is not a value of i8"),
    ("array<i8: ¦true>", "expected a number, found 'true'"),
    ("dense<¦1>", f"dense{DENSE}, found none"),
    ("dense<¦1> : i32", f"dense{DENSE}, found i32"),
    ("dense<¦[1, 2]> : vector<3xi32>", "dense literal has shape [2], its type is vector<3xi32>"),
    ("dense<[¦[1, 2], [3]]> : vector<2x2xi32>", "rows of a dense literal differ in shape"),
    ("dense<¦> : vector<2xi32>", "expected a number, found '>'"),
    ("dense<1 ¦2> : vector<2xi32>", "expected '>', found '2'"),
    ("dense<¦true> : vector<2xf32>", "expected a number, found 'true'"),
    ("strided<[1, ¦x]>", "expected an integer, found 'x'"),
    ("strided<[¦9223372036854775808]>", "9223372036854775808 does not fit in 64 bits"),
    ("@a::¦b", "expected a symbol name such as @name, found 'b'"),
    ("!¦nothing", None),
    ("¦!nothing", "unknown type '!nothing'"),
    ("¦i0", "unknown type 'i0'"),
    ("¦i65", "integers have at most 64 bits, found i65"),
    ("vector<4x¦i128>", "integers have at most 64 bits, found i128"),
    ("¦i" + "9" * 300, "unknown type 'i" + "9" * 300 + "'"),
    ("vector<¦?xf32>", "vector extents are static: '?' is not allowed"),
    ("vector<¦4x0xf32>", "vector extents are positive"),
    ("vector<¦4097x4096xf32>", f"vector of {4097 * 4096} elements, limit {1 << 24}"),
    ("vector<4x¦none>", "none cannot be the element type of a vector"),
    ("vector<4x¦vector<4xf32>>", "vector<4xf32> cannot be the element type of a vector"),
    ("tensor<4x¦memref<f32>>", "memref<f32> cannot be the element type of a tensor"),
    ("memref<4x¦tuple<>>", "tuple<> cannot be the element type of a memref"),
    ("memref<*¦xf32>", "unranked memrefs are not supported: give the rank"),
    ("memref<2x¦9223372036854775808xf32>", "extent 9223372036854775808 does not fit in 64 bits"),
    ("memref<" + "1x" * 32 + "¦1xf32>", "more than 32 dimensions"),
    ("memref<4xf32, ¦strided<[1, 2]>>", "2 strides for a memref of rank 1"),
    (
        "memref<4xf32, ¦affine_map<(i) -> (i mod 2)>>",
        "memref layouts are strided<...>; this affine map says no strides",
    ),
    (
        "memref<4xf32, ¦affine_map<(i) -> (i, i)>>",
        "memref layouts are strided<...>; this affine map says no strides",
    ),
    ("memref<4xf32, ¦affine_map<(i, j) -> (i + j)>>", "a layout of 2 dims for a memref of rank 1"),
    ("complex<¦index>", "index cannot be the element type of a complex number"),
    ("memref<4x¦complex<f32>>", "complex<f32> cannot be the element type of a memref"),
    ("memref<4xf32, 1, ¦2>", "memory space is given twice: 1 : i64 and 2 : i64"),
    ("vector<4xf32¦", None),
    ("(i32 ¦i32) -> ()", "expected ',' or ')', found 'i32'"),
    ("(i32) -> ¦4", "expected a type, found '4'"),
    ("affine_map<(i, ¦i) -> ()>", "'i' is declared twice"),
    ("affine_map<(i) -> (¦j)>", "'j' is not declared by this map"),
    ("affine_map<(i) -> (i ¦mod 0)>", "mod by 0: the divisor must be positive"),
    ("affine_map<(i) -> (i ¦floordiv -2)>", "floordiv by -2: the divisor must be positive"),
    ("affine_map<(i, j) -> (i ¦mod j)>", "mod by d1: the divisor must be a constant or a symbol"),
    ("affine_map<(i, j) -> (i ¦* (j + 1))>", "a product of dimensions is not affine"),
    ("affine_map<(i) -> (4611686018427387904 ¦* 2)>", "9223372036854775808 does not fit in 64 bits"),
    ("affine_map<(i) -> (i +¦)>", None),
    ("affine_map<(¦1) -> ()>", "expected a dimension name, found '1'"),
    ("affine_map<(i) -> (¦])>", "expected an affine expression, found ']'"),
    ("(i ¦j) -> (i)", "expected ',' or ')', found 'j'"),
]


@pytest.mark.parametrize(("text", "message"), [(t, m) for t, m in ATTRIBUTES if m is not None])
def test_types_and_attributes(text: str, message: str) -> None:
    assert_reports(f"\nmodule attributes {{first,\n\tname = {text}}} {{\n}}", message)


BITS = "infinity and NaN are written as their bits, such as 0x7F800000 : f32"
WRITTEN = " is written as its bits, such as"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("¦0 : f32", "0 is an integer, not a value of f32", "write 0.0"),
        ("-¦7 : f16", "-7 is an integer, not a value of f16", "write -7.0"),
        ("¦1e-5 : f32", "a float has a point before its exponent", "write 1.0e-5"),
        ("-¦2E3 : f32", "a float has a point before its exponent", "write -2.0E3"),
        ("dense<[1.0, ¦2]> : vector<2xf32>", "2 is an integer, not a value of f32", "write 2.0"),
        ("array<f32: ¦2>", "2 is an integer, not a value of f32", "write 2.0"),
        ("¦1.0e999", "1.0e999 is beyond the numbers of f64", BITS),
        ("-¦1.0e39 : f32", "-1.0e39 is beyond the numbers of f32", BITS),
        ("¦65520.0 : f16", "65520.0 is beyond the numbers of f16", BITS),
        ("-¦1.0 : f8E8M0FNU", "f8E8M0FNU has no negative numbers, found -1.0", ""),
        ("-¦0.0 : f8E8M0FNU", "f8E8M0FNU has no negative numbers, found -0.0", ""),
        ("-¦inf : f16", "expected a number, found 'inf'", f"inf{WRITTEN} 0xFF800000 : f32, 0xFC00 : f16"),
        (
            "dense<¦nan> : vector<2xf32>",
            "expected a number, found 'nan'",
            f"nan{WRITTEN} 0x7FC00000 : f32, 0x7E00 : f16",
        ),
        ("¦f33", "unknown type 'f33'", "did you mean f32?"),
        ("¦vectr<4xf32>", "unknown type 'vectr'", "did you mean vector?"),
        ("memref<4x¦bf61>", "unknown type 'bf61'", "did you mean bf16?"),
    ],
)
def test_numbers_and_types_that_do_not_exist(text: str, message: str, hint: str) -> None:
    assert_reports(f"\nmodule attributes {{first,\n\tname = {text}}} {{\n}}", message, hint)


@pytest.mark.parametrize("text", [t for t, m in ATTRIBUTES if m is None])
def test_other_texts_that_end_too_early(text: str) -> None:
    error_of(f"module attributes {{name = {text.replace(HERE, '')}")


BODIES = [
    ("%a, ¦= arith.addi %x, %x : i32", "expected a value, found '='", ""),
    (
        '%a = ¦"arith.cmpi"(%p, %p) <{predicate = 0 : i32}> : (i1, i1) -> i1',
        "'arith.cmpi' op predicate is a number of i64, found 0 : i32",
        "",
    ),
    ("¦4", "expected an operation, found '4'", ""),
    ("¦arith.adf %x, %x : f32", "unknown operation 'arith.adf'", None),
    (
        "¦linalg.copy ins(%x : f32)",
        "unknown operation 'linalg.copy'",
        "lanewise begins where linalg ends: tile and vectorize first (upstream's transform.structured.vectorize)",
    ),
    ("¦zzzzzzzz", "unknown operation 'zzzzzzzz'", "`lanewise ops` lists the operations"),
    ("%r = arith.addf ¦%y, %x : f32", "use of undefined value '%y'", ""),
    ("%r = arith.addf ¦%r, %x : f32", "use of undefined value '%r'", ""),
    ("%r = arith.addf ¦%s, %x : f32\n%s = arith.negf %x : f32", "use of undefined value '%s'", ""),
    ("%r = arith.addf ¦%x#1, %x : f32", "'%x' has 1 results, no number 1", ""),
    ("¦%x = arith.negf %x : f32", "redefinition of value '%x'", ""),
    ("¦%x#0 = arith.negf %x : f32", "'%x#0' names one result of several: it cannot be defined", ""),
    ("¦%a, %b = arith.negf %x : f32", "'arith.negf' has 1 results, 2 are named", ""),
    ("¦%a = func.return", "'func.return' has 0 results, 1 are named", ""),
    ("%a:¦0 = arith.negf %x : f32", "a name stands for at least one result, found 0", ""),
    ("%a:¦-1 = arith.negf %x : f32", "a name stands for at least one result, found -1", ""),
    ("%a ¦arith.negf %x : f32", "expected '=', found 'arith.negf'", ""),
    ("%a = arith.negf ¦4 : f32", "expected a value, found '4'", ""),
    ("%a = arith.cmpf oeq, %x, %x : ¦f64", "operand '%x' has type f32, but f64 is written here", ""),
    ("%a = arith.negf %x ¦f32", "expected ':', found 'f32'", ""),
    (
        "%a = arith.cmpi ¦olt, %x, %x : f32",
        "expected one of eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge, found 'olt'",
        "",
    ),
    ('%a = arith.constant ¦"x"', 'a constant is a number or dense<...> with its type, found "x"', ""),
    ("%a = func.call @f(%x) : ¦(f64) -> f64", "operand types are (f32), but (f64) is written here", ""),
    ('%a = ¦"arith.negf"(%x) : () -> f32', "1 operands, but 0 operand types", ""),
    ('%a = "arith.negf"(¦%x) : (f64) -> f32', "'%x' has type f32, but f64 is written here", ""),
    ("scf.if %p {\n%i = arith.negf %x : f32\n}\n%r = arith.negf ¦%i : f32", "use of undefined value '%i'", ""),
    ("%r = amdgpu.mfma ¦16x16 %x * %x + %x : f32, f32, f32", "expected a shape such as 16x16x16, found '16'", ""),
    ("%r = amdgpu.mfma ¦?x16x16 %x * %x + %x : f32, f32, f32", "expected a shape such as 16x16x16, found '?'", ""),
    ("%r = amdgpu.mfma ¦16x99999x16 %x * %x + %x : f32, f32, f32", "shape must be below 65536", ""),
    ("func.return loc ¦{}", "expected '(', found '{'", ""),
    ("func.return loc(¦", "expected a location, found end of text", ""),
]


@pytest.mark.parametrize(("body", "message", "hint"), BODIES)
def test_operations(body: str, message: str, hint: str | None) -> None:
    text = f"func.func @f(%x: f32, %p: i1) {{\n\n  {body}"
    if hint is not None:
        assert_reports(text, message, hint)
    else:
        assert "did you mean arith.addf" in str(error_of(text.replace(HERE, "")))


PROGRAMS = [
    ("#a = 1\n¦#a = 2", "redefinition of alias '#a'"),
    ("!a = i1\n¦!a = i2", "redefinition of alias '!a'"),
    ("module {\n}\n¦}", "expected an operation, found '}'"),
    ("func.func @f(%x: f32, ¦%x: f32) {}", "redefinition of value '%x'"),
    ("func.func @f(¦x: f32) {}", "unknown type 'x'"),
    ("func.func @f(%x: i1)¦", "a function needs a body in braces, found end of text"),
    ("func.func ¦f()", "expected a symbol name such as @name, found 'f'"),
    ('"func.func"() ({\n^bb0(%a: i1, ¦%a: i1):\n}) : () -> ()', "redefinition of value '%a'"),
    ('"func.func"() ({\n^bb0(¦a: i1):\n}) : () -> ()', "expected an argument name, found 'a'"),
    ("module {\n} loc(¦#late)\n#other = loc(unknown)", "'#late' is no location of this text"),
    ("module {\n} loc(¦#late)\n#late = 1", "'#late' is no location of this text"),
    ("module attributes {a.b = loc(¦#late)} {\n}\n#late = loc(unknown)", "'#late' is no location of this text"),
    ("module {\n} loc ¦1", "expected '(', found '1'"),
    ("module {\n} loc(¦nowhere)", "expected a location, found 'nowhere'"),
    ('module {\n} loc("a":¦"b")', "expected a line or a column, found '\"b\"'"),
    ('module {\n} loc("a":1:2 to ¦"b")', "expected ':', found '\"b\"'"),
    ('module {\n} loc(callsite("a"¦))', "expected 'at', found ')'"),
    ('module {\n} loc(fused¦("a"))', "expected '[', found '('"),
    ("module {\n} loc(" + "fused[" * 64 + "¦fused[", "nested more than 64 deep"),
    (
        "func.func @f(%c: i1) {\ncf.cond_br %c, ^bb1, ^bb2\n^bb1:\n%a = arith.negf ¦%x : f32\n^bb2:\n"
        "%x = arith.constant 1.0 : f32\n}",
        "use of undefined value '%x'",
    ),
    ("func.func @f() {\ncf.br ^bb1\n^bb1:\nreturn\n¦^bb1:\nreturn\n}", "redefinition of block '^bb1'"),
    ("func.func @f() {\ncf.br ^bb1\n^bb1 ¦return\n}", "expected ':', found 'return'"),
    ("func.func @f() {\ncf.br ^bb1\n^bb1:\n^bb2(¦", "expected an argument name, found end of text"),
    ("%c = arith.constant 1\nfunc.func @f() {\n%n = arith.negf ¦%c : f32\n}", "use of undefined value '%c'"),
]


@pytest.mark.parametrize(("text", "message"), PROGRAMS)
def test_programs(text: str, message: str) -> None:
    assert_reports(text, message)


def test_a_missing_brace_is_looked_for_where_lines_begin() -> None:
    """The loop's is missing: the function's closes the loop, and the text ends inside of the function."""
    text = (
        "func.func @f(%n: index)\n    attributes {a.b} {\n  scf.for %i = %n to %n step %n {\n"
        "    scf.execute_region {\n    }\n  return\n}\n"
    )
    (found,) = error_of(text).diagnostics
    (begins, at), (other, there) = found.notes
    assert (begins, str(at)) == ("the region begins here", "<string>:2:22")
    assert (other, str(there)) == ("or here: the '}' on line 7 is indented otherwise", "<string>:3:33")


def test_braces_that_are_all_in_place_but_the_last() -> None:
    (found,) = error_of("module {\n  module {\n  }\n").diagnostics
    assert (found.message, str(found.location)) == ("region is not closed: expected '}'", "<string>:4:1")
    assert [text for text, _ in found.notes] == ["the region begins here"]


def test_what_is_not_closed_is_pointed_at_where_it_opens() -> None:
    (found,) = error_of('"a.b"() {first = [1,\n 2], second = 3\n"a.c"() : () -> ()').diagnostics
    assert found.message == "expected ',' or '}', found '\"a.c\"'"
    assert [(text, str(place)) for text, place in found.notes] == [("'{' stands here", "<string>:1:9")]


def test_operand_groups_that_cannot_be_told_apart() -> None:
    read = '"vector.transfer_read"(%m, %s) {} : (memref<f32>, f32) -> f32'
    text = f'"func.func"() ({{\n^bb0(%m: memref<f32>, %s: f32):\n{read}\n}})'
    assert "'vector.transfer_read' needs operandSegmentSizes with 4 entries" in str(error_of(text))
    for sizes in ("array<f32: 1.0, 0.0, 1.0, 0.0>", "array<i32: 1>", "3 : i32"):
        again = text.replace("{} :", f"{{operandSegmentSizes = {sizes}}} :")
        assert "needs operandSegmentSizes" in str(error_of(again))


def test_sizes_of_operand_groups_count_all_operands() -> None:
    alloc = '"memref.alloc"() <{operandSegmentSizes = array<i32: 0, 1>}> : () -> memref<4xf32>'
    message = "'memref.alloc' has 0 operands, operandSegmentSizes are [0, 1]"
    assert message in str(error_of(f"func.func @f() {{\n{alloc}\nreturn\n}}"))


def test_operations_without_a_form_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    cls = REGISTRY["arith.negf"]
    monkeypatch.setattr(cls, "assembly", "")
    assert_reports("¦arith.negf", "'arith.negf' has only the generic form \"arith.negf\"(...)")


# -- limits -----------------------------------------------------------------------------------------------------------


def wrapped(opening: str, inner: str, closing: str, depth: int) -> str:
    return f"module attributes {{a = {opening * depth}{inner}{closing * depth}}} {{\n}}"


NESTED = {
    "arrays": ("[", "1", "]"),
    "dictionaries": ("{a = ", "1", "}"),
    "tuples": ("tuple<", "i1", ">"),
    "function types": ("(", "i1", ") -> ()"),
    "memory spaces": ("memref<f32, ", "1", ">"),
    "dense": ("dense<" + "[", "1", "]"),
}


@pytest.mark.parametrize("kind", ["arrays", "dictionaries", "tuples", "function types", "memory spaces"])
@pytest.mark.parametrize("depth", [60, 65, 256, 20_000])
def test_nesting_of_attributes(kind: str, depth: int) -> None:
    text = wrapped(*NESTED[kind], depth)
    if depth > 64:
        assert "nested more than 64 deep" in str(error_of(text))
        return
    for generic in (False, True):
        printed = print_program(parse_program(text), generic=generic)
        assert print_program(parse_program(printed), generic=generic) == printed


@pytest.mark.parametrize("depth", [64, 65, 256, 20_000])
@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("-", ""), ("-(", ")")])
def test_nesting_of_affine_expressions(opening: str, closing: str, depth: int) -> None:
    count = depth // len(opening)
    text = wrapped("", f"affine_map<(i) -> ({opening * count}i{closing * count})>", "", 1)
    if depth <= 64:
        printed = print_program(parse_program(text))
        assert print_program(parse_program(printed)) == printed
    elif count > 64:
        assert "deep" in str(error_of(text))


@pytest.mark.parametrize("operator", ["+ i", "- i", "* 2", "floordiv 2", "mod 3 - i * 2"])
def test_long_affine_expressions(operator: str) -> None:
    count = 64 // sum(operator.count(w) for w in ("+", "-", "*", "floordiv", "mod"))
    text = wrapped("", f"affine_map<(i) -> (i {' '.join([operator] * count)})>", "", 1)
    printed = print_program(parse_program(text))
    assert print_program(parse_program(printed)) == printed
    longer = wrapped("", f"affine_map<(i) -> (i {' '.join([operator] * 5000)})>", "", 1)
    assert "affine expression of more than 64 operators" in str(error_of(longer))


@pytest.mark.parametrize("depth", [256, 20_000])
def test_nesting_of_dense_literals(depth: int) -> None:
    text = wrapped("", f"dense<{'[' * depth}1{']' * depth}> : vector<1xi8>", "", 1)
    assert "nested more than 64 deep" in str(error_of(text))


@pytest.mark.parametrize("depth", [255, 20_000])
def test_nesting_of_regions(depth: int) -> None:
    """Two of them are the module's and the function's; `test_nesting.py` goes as deep as is allowed."""
    assert "regions nested more than 256 deep" in str(error_of(nested_ifs(depth)))
    assert "regions nested more than 256 deep" in str(error_of('"builtin.module"() ({' * (depth + 2)))


def nested_ifs(depth: int) -> str:
    return f"module {{\nfunc.func @f(%p: i1) {{\n{'scf.if %p {' * depth}{'}' * depth}\nreturn\n}}\n}}"


def test_number_of_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parser_module.MAX_OPERATIONS == 1_000_000
    monkeypatch.setattr(parser_module, "MAX_OPERATIONS", 3)
    parse_program("module {}\nmodule {}\nmodule {}")
    assert_reports("module {}\nmodule {}\nmodule {}\n¦module {}", "more than 3 operations")


def test_length_of_the_text() -> None:
    parse_program(" " * (16 << 20))
    message = f"error: <string>: text of {(16 << 20) + 1} characters, limit {16 << 20}"
    assert str(error_of(" " * ((16 << 20) + 1))) == message


def test_text_that_has_no_bytes() -> None:
    assert_reports('module\n{\n"é¦\ud800"\n}', "unexpected character: '\\ud800'")


def test_a_long_line_is_shown_around_the_place() -> None:
    text = f"module attributes {{a = [{'1, ' * 5000}?{', 1' * 5000}]}} {{\n}}"
    first, line, caret = str(error_of(text)).split("\n")
    assert first == f"<string>:1:{text.index('?') + 1}: error: expected an attribute, found '?'"
    assert len(line) <= 402
    assert line[caret.index("^")] == "?"
