"""The core's text: types, attributes, literals and programs read back as what was printed."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.attributes import (
    ArrayAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
    float_key,
    quote,
)
from lanewise.ir.core import Operation
from lanewise.ir.dialects import load_all
from lanewise.ir.operation_parser import Parser
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.types import (
    I1,
    INDEX,
    Attribute,
    FloatType,
    FunctionType,
    IntegerType,
    MemRefType,
    StridedLayout,
    TupleType,
    Type,
    VectorType,
    bit_width,
)
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import Source

load_all()

FLOATS = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
SMALL_FLOATS = {"bf16": 16, "f16": 16, "f6E2M3FN": 6, "f6E3M2FN": 6, "f4E2M1FN": 4} | {
    name: 8 for name in FLOATS if name.startswith("f8")
}


def attribute(text: str) -> Attribute:
    return Parser(Source(text)).parse_attribute()


def type_of(text: str) -> Type:
    return Parser(Source(text)).parse_type()


# -- types and attributes ---------------------------------------------------------------------------------------------

integer_types = st.builds(IntegerType, st.integers(1, 64), st.sampled_from(["", "s", "u"]))
float_types = st.sampled_from([FloatType(name) for name in FLOATS])
scalars = st.one_of(integer_types, float_types, st.just(INDEX))
extents = st.integers(1, 40)
vectors = st.builds(VectorType, st.lists(extents, max_size=4).map(tuple), scalars)
spaces = st.one_of(
    st.none(), st.builds(StringAttr, st.text(max_size=3)), st.integers(0, 5).map(lambda n: IntegerAttr(n, INDEX))
)


@st.composite
def memrefs(draw: st.DrawFn) -> MemRefType:
    shape = tuple(draw(st.lists(st.one_of(st.none(), st.integers(0, (1 << 63) - 1)), max_size=4)))
    number = st.one_of(st.none(), st.integers(1 - (1 << 63), (1 << 63) - 1))
    strides = st.lists(number, min_size=len(shape), max_size=len(shape)).map(tuple)
    layout = draw(st.one_of(st.none(), st.builds(StridedLayout, strides, number)))
    return MemRefType(shape, draw(st.one_of(scalars, vectors)), layout, draw(spaces))


types = st.recursive(
    st.one_of(scalars, vectors, memrefs()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda ts: TupleType(tuple(ts))),
        st.builds(FunctionType, st.lists(inner, max_size=3).map(tuple), st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)


@st.composite
def integers_of(draw: st.DrawFn) -> IntegerAttr:
    type = draw(st.one_of(st.builds(IntegerType, st.integers(2, 64)), st.just(INDEX)))
    half = 1 << (bit_width(type) - 1)
    return IntegerAttr(draw(st.integers(-half, half - 1)), type)


@st.composite
def floats_of(draw: st.DrawFn) -> FloatAttr:
    name = draw(st.sampled_from(list(FLOATS)))
    with np.errstate(all="ignore"):
        value = float(np.float64(draw(st.floats())).astype(np.float32).astype(FLOATS[name]))
    return FloatAttr(value, FloatType(name))


names = st.one_of(st.sampled_from(["a", "a.b", "x_1", "value"]), st.text(min_size=1, max_size=4))
leaves = st.one_of(
    integers_of(),
    floats_of(),
    st.booleans().map(lambda b: IntegerAttr(int(b), I1)),
    st.builds(StringAttr, st.text()),
    st.builds(UnitAttr),
    st.builds(SymbolRefAttr, st.lists(names, min_size=1, max_size=3).map(tuple)),
    types.map(TypeAttr),
    st.lists(st.integers(-(1 << 63), (1 << 63) - 1)).map(lambda v: DenseArrayAttr(IntegerType(64), tuple(v))),
    st.lists(st.floats()).map(lambda v: DenseArrayAttr(FloatType("f64"), tuple(v))),
    st.lists(st.integers(0, 1), min_size=6, max_size=6).map(lambda v: splat_or_all(v, VectorType((2, 3), I1))),
    st.lists(st.floats(width=16), min_size=4, max_size=4).map(
        lambda v: splat_or_all(v, VectorType((4,), FloatType("f16")))
    ),
)
attributes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda v: ArrayAttr(tuple(v))),
        st.dictionaries(names, inner, max_size=3).map(DictAttr.of),
    ),
    max_leaves=8,
)


def splat_or_all(values: list[int] | list[float], type: VectorType) -> DenseElementsAttr:
    keys = {float_key(float(v)) for v in values}
    return DenseElementsAttr(tuple(values[:1] if len(keys) == 1 else values), type)


@given(types)
def test_types_read_back(type: Type) -> None:
    assert type_of(str(type)) == type


@given(attributes)
def test_attributes_read_back(value: Attribute) -> None:
    assert attribute(str(value)) == value


@given(st.dictionaries(names, attributes, max_size=3))
def test_attributes_of_an_operation_read_back(entries: dict[str, Attribute]) -> None:
    program = parse_program("")
    program.attributes.update({f"lanewise.{name}": value for name, value in entries.items()})
    for generic in (False, True):
        text = print_program(program, generic=generic)
        again = parse_program(text)
        assert again.attributes == program.attributes
        assert print_program(again, generic=generic) == text


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_every_bit_pattern_of_a_small_float(name: str) -> None:
    """The value of each pattern is the one that the independent library gives, and its text reads back."""
    width = SMALL_FLOATS[name]
    bits = np.arange(1 << width).astype(np.uint16 if width == 16 else np.uint8)
    with np.errstate(all="ignore"):
        values = bits.view(FLOATS[name]).astype(np.float64)
    step = 1 if width <= 8 else 37
    for number in [*range(0, 1 << width, step)]:
        read = attribute(f"0x{number:X} : {name}")
        assert isinstance(read, FloatAttr)
        same = (
            math.isnan(read.value)
            if math.isnan(values[number])
            else float_key(read.value) == float_key(float(values[number]))
        )
        assert same, hex(number)
        assert attribute(str(read)) == read


@pytest.mark.parametrize(
    ("type", "infinity", "nan"),
    [
        ("f64", "0x7FF0000000000000", "0x7FF8000000000000"),
        ("f32", "0x7F800000", "0x7FC00000"),
        ("tf32", "0x3FC00", "0x3FE00"),
        ("f16", "0x7C00", "0x7E00"),
        ("bf16", "0x7F80", "0x7FC0"),
        ("f8E5M2", "0x7C", "0x7E"),
        ("f8E4M3FN", None, "0x7F"),
        ("f8E4M3FNUZ", None, "0x80"),
        ("f8E5M2FNUZ", None, "0x80"),
        ("f8E8M0FNU", None, "0xFF"),
    ],
)
def test_infinity_and_nan(type: str, infinity: str | None, nan: str) -> None:
    """The bit patterns of the formats' definitions, both read and printed."""
    read = attribute(f"{nan} : {type}")
    assert isinstance(read, FloatAttr)
    assert math.isnan(read.value)
    assert str(FloatAttr(math.nan, FloatType(type))) == f"{nan} : {type}"
    if infinity is not None:
        assert attribute(f"{infinity} : {type}") == FloatAttr(math.inf, FloatType(type))
        assert str(FloatAttr(math.inf, FloatType(type))) == f"{infinity} : {type}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.0 : f32", 1.0),
        ("-0.0 : f32", -0.0),
        ("0.1 : f32", float(np.float32(0.1))),
        ("0.1", 0.1),
        ("0x7C00 : f16", math.inf),
        ("3.0 : f16", 3.0),
        ("65519.0 : f16", 65504.0),
        ("1.00390625 : bf16", 1.0),  # half-way between 1 and its successor: to even
        ("1.00390625000001 : bf16", 1.0078125),  # beyond half-way by less than f32 holds
        ("1.e3 : f32", 1000.0),
        ("2.5f : f32", 2.5),
        ("0x80000000 : f32", -0.0),
        ("0x00000001 : f32", 2.0**-149),
        ("-2.0 : f8E5M2", -2.0),
    ],
)
def test_float_literals(text: str, value: float) -> None:
    read = attribute(text)
    assert isinstance(read, FloatAttr)
    assert float_key(read.value) == float_key(value)
    assert attribute(str(read)) == read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("007", 7),
        ("00", 0),
        ("0x10 : i32", 16),
        ("-0x10 : i32", -16),
        ("255 : i8", -1),
        ("-128 : i8", -128),
        ("0xFFFFFFFFFFFFFFFF : i64", -1),
        ("255 : ui8", 255),
        ("-1 : i1", 1),
        ("1 : i1", 1),
        ("true", 1),
        ("false", 0),
        (f"{(1 << 62) - 1} : i63", (1 << 62) - 1),
    ],
)
def test_integer_literals(text: str, value: int) -> None:
    read = attribute(text)
    assert isinstance(read, IntegerAttr)
    assert read.value == value
    assert attribute(str(read)) == read


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dense<1> : vector<4xi32>", (1,)),
        ("dense<[1, 1]> : vector<2xi32>", (1,)),
        ("dense<[1, 2]> : vector<2xi32>", (1, 2)),
        ("dense<[[1, 2], [3, 4]]> : vector<2x2xi8>", (1, 2, 3, 4)),
        ("dense<[true, false]> : vector<2xi1>", (1, 0)),
        ("dense<-1.0> : vector<f32>", (-1.0,)),
        ("dense<[0.0, -0.0]> : vector<2xf32>", (0.0, -0.0)),
        ("dense<0x7F800000> : vector<2xf32>", (math.inf,)),
    ],
)
def test_dense_literals(text: str, values: tuple[float, ...]) -> None:
    read = attribute(text)
    assert isinstance(read, DenseElementsAttr)
    assert [float_key(float(v)) for v in read.values] == [float_key(float(v)) for v in values]
    assert attribute(str(read)) == read


# -- strings ----------------------------------------------------------------------------------------------------------


@given(st.text())
def test_strings_read_back(text: str) -> None:
    assert quote(text).isascii()
    assert attribute(quote(text)) == StringAttr(text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"a\"b", 'a"b'),
        (r"\\", "\\"),
        (r"\n\t", "\n\t"),
        (r"\0A\41", "\nA"),
        (r"\C3\A9", "é"),
        ("é", "é"),
        ("\\é", "é"),
        (r"\F0\9F\98\80", "\U0001f600"),
        (r"\FF", "\ufffd"),
        ("// no comment", "// no comment"),
    ],
)
def test_escapes(body: str, text: str) -> None:
    assert attribute(f'"{body}"') == StringAttr(text)


# -- programs ---------------------------------------------------------------------------------------------------------

BINARY = {
    "i32": ["arith.addi", "arith.muli", "arith.xori", "arith.maxsi", "arith.shrui"],
    "f32": ["arith.addf", "arith.mulf"],
}


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Straight-line arithmetic with every kind of operand that came before, in the printer's own layout."""
    values = {"i32": ["%a"], "f32": ["%x"], "i1": ["%p"]}
    lines: list[str] = []
    for number in range(draw(st.integers(0, 12))):
        type = draw(st.sampled_from(["i32", "f32"]))
        pick = st.sampled_from(values[type])
        kind = draw(st.sampled_from(["constant", "binary", "compare", "select"]))
        made = type
        if kind == "constant":
            constants = (
                st.integers(-(1 << 31), (1 << 31) - 1)
                if type == "i32"
                else st.sampled_from(["0.5", "-0.0", "1.2676506002282294e+30"])
            )
            text = f"arith.constant {draw(constants)} : {type}"
        elif kind == "binary":
            text = f"{draw(st.sampled_from(BINARY[type]))} {draw(pick)}, {draw(pick)} : {type}"
        elif kind == "compare":
            word = draw(st.sampled_from(["eq", "slt", "uge"] if type == "i32" else ["oeq", "une"]))
            text = f"arith.cmp{type[0]} {word}, {draw(pick)}, {draw(pick)} : {type}"
            made = "i1"
        else:
            text = f"arith.select {draw(st.sampled_from(values['i1']))}, {draw(pick)}, {draw(pick)} : {type}"
        lines.append(f"    %{number} = {text}\n")
        values[made].append(f"%{number}")
    head = "module {\n  func.func @f(%a: i32, %x: f32, %p: i1) {\n"
    return f"{head}{''.join(lines)}    return\n  }}\n}}\n".replace("    return", "    func.return")


@given(programs())
def test_programs_print_as_they_were_written(text: str) -> None:
    assert survives(text) == text


def survives(text: str) -> str:
    """The program's text, which reads back to the same bytes from both forms."""
    program = parse_program(text)
    verify(program)
    printed = print_program(program)
    for generic in (False, True):
        again: Operation = parse_program(print_program(program, generic=generic))
        verify(again)
        assert print_program(again) == printed
    return printed


def test_comments_locations_aliases_and_older_words() -> None:
    text = """// a comment
    #one = 1 : i32 // another
    #where = loc("file":1:2)
    !vec = vector<4xf32>
    func @f(%x: !vec loc("x"), %y: !vec) attributes {n = #one} { // a comment with "quotes" and }
      %z:1 = addf %x, %y : !vec loc(#where)
      return loc(fused["a", callsite("b" at "c")])
    } loc(unknown)
    """
    assert survives(text) == (
        "module {\n"
        "  func.func @f(%x: vector<4xf32>, %y: vector<4xf32>) attributes {n = 1 : i32} {\n"
        "    %z = arith.addf %x, %y : vector<4xf32>\n"
        "    func.return\n"
        "  }\n"
        "}\n"
    )


LOCATIONS = {
    '"a.mlir":1:2': '"a.mlir":1:2',
    '"a.mlir":7': '"a.mlir":7:0',
    '"a.mlir":1:2 to 3:4': '"a.mlir":1:2 to 3:4',
    '"a.mlir":1:2 to :4': '"a.mlir":1:2 to :4',
    '"name"': '"name"',
    '"name"(#one)': '"name"("one.mlir":1:1)',
    "unknown": "unknown",
    'callsite("f" at #one)': 'callsite("f" at "one.mlir":1:1)',
    'fused["a", callsite("b" at "c"), #one]': 'fused["a", callsite("b" at "c"), "one.mlir":1:1]',
    'fused<"pass">["a"]': 'fused<"pass">["a"]',
    "fused[]": "fused[]",
    "#one": '"one.mlir":1:1',
}


@pytest.mark.parametrize("given", LOCATIONS)
def test_locations_are_read_behind_operations_and_kept_in_attributes(given: str) -> None:
    text = f"""#one = loc("one.mlir":1:1)
    module attributes {{x.y = loc({given})}} {{
      func.func @f(%x: f32 loc({given})) {{
        cf.br ^bb1(%x : f32) loc({given})
      ^bb1(%y: f32 loc({given})):
        return loc(#late)
      }} loc({given})
    }} loc(#late)
    #late = loc({given})"""
    printed = survives(text)
    assert printed.startswith(f"module attributes {{x.y = loc({LOCATIONS[given]})}} {{\n")
    assert printed.count("loc") == 1


def test_strings_keep_the_type_that_a_text_gives_them() -> None:
    text = 'module attributes {a = "x" : index, b = ["y" : i1, "z"]} {\n}\n'
    assert survives(text) == text


def test_blocks_use_what_later_ones_define() -> None:
    """Every way to `^bb1` goes through `^bb3`; what no way reaches may use anything. The order stays as it is."""
    text = """module {
  func.func @f(%p: i1, %a: i32) -> i32 {
    cf.cond_br %p, ^bb3(%a : i32), ^bb2
  ^bb1(%k: i32):
    %q = scf.execute_region -> i32 {
      cf.br ^bb2
    ^bb1:
      scf.yield %w#0 : i32
    ^bb2:
      %w:2 = arith.addui_extended %x, %k : i32, i1
      cf.br ^bb1
    }
    func.return %x : i32
  ^bb2:
    cf.br ^bb3(%a : i32)
  ^bb3(%z: i32):
    %x = arith.addi %a, %z : i32
    cf.br ^bb1(%x : i32)
  ^bb4:
    func.return %x : i32
  }
}
"""
    assert survives(text) == text


def test_modules_in_modules() -> None:
    text = 'module @outer {\n  module @"a b" attributes {x = 1} {\n    module {\n    }\n  }\n}\n'
    assert survives(text) == text.replace("x = 1", "x = 1 : i64")
    assert survives("") == "module {\n}\n"
    assert survives("module {}\nmodule {}") == "module {\n  module {\n  }\n  module {\n  }\n}\n"


def test_calls() -> None:
    body = "    %y = func.call @f(%x) : (f32) -> f32\n    func.return %y : f32\n"
    text = f"module {{\n  func.func @f(%x: f32) -> f32 {{\n{body}  }}\n}}\n"
    assert survives(text) == text


def test_values_of_one_name_stay_apart() -> None:
    program = parse_program("func.func @f(%a: f32) { return }\nfunc.func @g(%a: f32, %a_0: f32) { return }")
    text = print_program(program)
    assert "@f(%a: f32)" in text
    assert "@g(%a_0: f32, %a_0_0: f32)" in text
    assert print_program(parse_program(text)) == text


def test_results_of_the_next_line_are_no_operands() -> None:
    """Of an operation whose operands may all be left out."""
    module = parse_program("""func.func @f(%x: i32) {
  %g = nvgpu.device_async_create_group
  %a:2 = arith.addui_extended %x, %x : i32, i1
  %h = nvgpu.device_async_create_group
  %b = arith.addi %x, %x : i32
  return
}""")
    assert print_program(parse_program(print_program(module))) == print_program(module)
    assert sum(op.opname.endswith("create_group") and not op.operands for op in module.walk()) == 2
