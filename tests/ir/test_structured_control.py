"""Loops, switches and branches with regions: text in both forms, and what the parser and the verifier refuse."""

from __future__ import annotations

import pytest
from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ParseError, VerifyError

HEAD = """func.func @f(%m: memref<?x8xf32>, %n: index, %x: f32, %y: vector<4xf32>, %i: i32, %t: i1) {
"""

TEXTS = [
    "scf.while : () -> () {\n    scf.condition(%t)\n  } do {\n    scf.yield\n  }",
    "%r:2 = scf.while (%p = %i) : (i32) -> (f32, vector<4xf32>) {\n    scf.condition(%t) %x, %y : f32, vector<4xf32>\n"
    "  } do {\n  ^bb0(%q: f32, %w: vector<4xf32>):\n    scf.yield %i : i32\n  }",
    "scf.index_switch %n\n  default {\n    scf.yield\n  }",
    "%r = scf.index_switch %n -> f32\n  case 2 {\n    scf.yield %x : f32\n  }\n"
    "  case -5 {\n    scf.yield %x : f32\n  }\n  default {\n    scf.yield %x : f32\n  }",
    "%r:2 = scf.index_switch %n -> f32, i32\n  case 0 {\n    scf.yield %x, %i : f32, i32\n  }\n"
    "  default {\n    scf.yield %x, %i : f32, i32\n  }",
]


def read(body: str) -> Operation:
    return parse_program(f"{HEAD}  {body}\n  return\n}}")


@pytest.mark.parametrize("body", TEXTS)
def test_custom_form_is_kept_and_generic_form_says_the_same(body: str) -> None:
    module = read(body)
    verify(module)
    text = print_program(module)
    assert "\n".join(line.strip() for line in body.splitlines()) in "\n".join(map(str.strip, text.splitlines()))
    generic = print_program(module, generic=True)
    again = parse_program(generic)
    verify(again)
    assert print_program(again) == text


PARSE_ERRORS = [
    (
        "scf.while (%p = %i) : () -> () {\n scf.condition(%t)\n} do {\n scf.yield\n}",
        "operand types are (i32), but () is written here",
    ),
    (
        "scf.while (%p = %i) : (f32) -> () {\n scf.condition(%t)\n} do {\n scf.yield\n}",
        "operand types are (i32), but (f32) is written here",
    ),
    ("scf.while : () -> () {\n scf.condition(%t)\n}", "expected 'do'"),
    ("%r = scf.index_switch %n -> f32\ndefault {\n}", "must end in scf.yield"),
    ("scf.index_switch %n\ncase 1 {\n}", "expected 'default'"),
]


@pytest.mark.parametrize(("body", "message"), PARSE_ERRORS)
def test_parse_errors(body: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        read(body)
    assert message in str(error.value)


def _while(before: str, after: str, types: str = "(i32) -> i32") -> str:
    return f'%r = "scf.while"(%i) ({{\n{before}\n}}, {{\n{after}\n}}) : {types}'


BEFORE = '^bb0(%a: i32):\n"scf.condition"(%t, %a) : (i1, i32) -> ()'
AFTER = '^bb0(%b: i32):\n"scf.yield"(%b) : (i32) -> ()'

VERIFY_ERRORS = [
    ("scf.condition(%t)", "must end the first region of scf.while"),
    (_while(AFTER, AFTER), "first region must end in scf.condition"),
    (_while(BEFORE, BEFORE), "region must end in scf.yield"),
    (_while(BEFORE.replace("^bb0(%a: i32):", "^bb0(%a: i32, %c: i32):"), AFTER), "first region takes (i32, i32), the"),
    (_while(BEFORE, AFTER, "(i32) -> f32"), "hands on (i32), 'scf.while' has results (f32)"),
    (_while(BEFORE, '"scf.yield"(%i) : (i32) -> ()'), "second region takes (), the results are (i32)"),
    (_while(BEFORE, AFTER.replace("%b) : (i32)", "%x) : (f32)")), "yields (f32), 'scf.while' takes (i32)"),
    ('"scf.while"() ({\n "scf.condition"(%t) : (i1) -> ()\n}) : () -> ()', "expects 2 regions, found 1"),
    ("scf.index_switch %n\ncase 1 {\n}\ncase 1 {\n}\ndefault {\n}", "has the case 1 twice"),
    ("scf.index_switch %n\ncase 1 {\n scf.yield %x : f32\n}\ndefault {\n}", "yields (f32), 'scf.index_switch' has"),
    ('"scf.index_switch"(%n) <{cases = array<i64: 1>}> ({\n "scf.yield"() : () -> ()\n}) : (index) -> ()', "1 case v"),
    ('"scf.index_switch"(%n) <{cases = array<i64>}> : (index) -> ()', "expects 1 or more regions, found 0"),
    ('"scf.index_switch"(%n) ({\n "scf.yield"() : () -> ()\n}) : (index) -> ()', "requires attribute 'cases'"),
    (
        '"scf.index_switch"(%n) <{cases = array<i64>}> ({\n^bb0(%q: i32):\n "scf.yield"() : () -> ()\n})'
        " : (index) -> ()",
        "regions take no arguments",
    ),
    (
        '"scf.index_switch"(%i) <{cases = array<i64>}> ({\n "scf.yield"() : () -> ()\n}) : (i32) -> ()',
        "operand 'arg' must be index, found i32",
    ),
]


@pytest.mark.parametrize(("body", "message"), VERIFY_ERRORS)
def test_verification_errors(body: str, message: str) -> None:
    with pytest.raises(VerifyError) as error:
        verify(read(body))
    assert message in str(error.value)
