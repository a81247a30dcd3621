"""Names that a program gets wrong: properties, values, aliases, operations, functions."""

from __future__ import annotations

import pytest
from lanewise.ir.did_you_mean import alike
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ParseError, VerifyError


def parse_error(body: str) -> str:
    with pytest.raises(ParseError) as found:
        parse_program(f"func.func @f(%x: f32, %i: i32) {{\n{body}\nreturn\n}}")
    return str(found.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            '%y = "arith.truncf"(%x) <{roundmode = 3 : i32}> : (f32) -> f16',
            ("'arith.truncf' has no property 'roundmode': its properties are fastmath, roundingmode",),
        ),
        ('%y = "arith.negf"(%x) <{fastmth = 1}> : (f32) -> f32', ("no property 'fastmth'", "did you mean fastmath?")),
        ('"arith.select"(%i) <{anything}> : (i32) -> ()', ("has no property 'anything': it has none",)),
        ('"gpu.barrier"() <{operandSegmentSizes = array<i32: 0>}> : () -> ()', ("no property 'operandSegmentSizes'",)),
        (
            '%y = "arith.cmpi"(%i, %i) <{predicate = 2 : i64}> {predicate = 3 : i64} : (i32, i32) -> i1',
            ("attribute 'predicate' is given twice, as a property, too",),
        ),
        (
            '%y = "arith.cmpi"(%i, %i) <{predicate = 10 : i64}> : (i32, i32) -> i1',
            ("predicate is a number below 10, found 10",),
        ),
        ("%y = arith.sitofp %i downward : i32 to f32", ("expected ':', found 'downward'",)),
        ("%y = arith.truncf %x toward : f32 to f16", ("expected ':', found 'toward'",)),
    ],
)
def test_properties(body: str, words: tuple[str, ...]) -> None:
    message = parse_error(body)
    assert all(w in message for w in words), message


def test_what_an_operation_only_carries_may_have_any_name() -> None:
    text = 'func.func @f(%x: f32) {\n%y = "arith.negf"(%x) {mine = 3 : i32, a.b} : (f32) -> f32\nreturn\n}'
    verify(parse_program(text))


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("%acc0 = arith.negf %x : f32\n%y = arith.negf %acc : f32", "did you mean %acc0?"),
        ("%y = vector.tranfer_read %x", "did you mean vector.transfer_read?"),
        ("%y = vector.addf %x, %x : f32", "did you mean arith.addf?"),
        ("%y = arith.zzz %x : f32", "`lanewise ops` lists the operations"),
    ],
)
def test_hints(body: str, hint: str) -> None:
    assert parse_error(body).endswith(f"hint: {hint}")


def test_hints_for_aliases() -> None:
    for text, hint in (
        ("#layout = unit\nmodule attributes {a = #layuot} {}", "did you mean #layout?"),
        ("!tile = vector<4xf32>\nfunc.func @f(%x: !tiles) { return }", "did you mean !tile?"),
    ):
        with pytest.raises(ParseError, match=hint.replace("?", r"\?")):
            parse_program(text)


def test_an_operation_that_does_not_exist_in_the_generic_form() -> None:
    with pytest.raises(VerifyError, match=r"did you mean arith\.addf or arith\.addi\?"):
        verify(parse_program('"arith.add"() : () -> ()'))


def test_names_with_nothing_alike_give_no_hint() -> None:
    assert alike("%x", ["%sum", "%y"]) == []
    assert alike("a", []) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @a() { return }\nfunc.func @a() { return }", "2:1: error: redefinition of '@a'"),
        ("gpu.module @a {\n}\nfunc.func @a() { return }", "redefinition of '@a'"),
        ("func.func @a() {\ncall @missing() : () -> ()\nreturn }", "calls @missing, which is no function"),
        ("func.func @tile1() { return }\nfunc.func @b() {\ncall @tile() : () -> ()\nreturn }", "did you mean @tile1?"),
        (
            'func.func @a() {\n"func.call"() <{callee = @a::@b}> : () -> ()\nreturn }',
            "calls @a::@b, which is no function",
        ),
        (
            "func.func @a(%x: f32) {\ncall @a() : () -> ()\nreturn }",
            "'func.call' op is of type () -> (), @a of type (f32) -> ()",
        ),
    ],
)
def test_functions(text: str, message: str) -> None:
    with pytest.raises(VerifyError) as found:
        verify(parse_program(text))
    assert message in str(found.value)


@pytest.mark.parametrize("name", ["builtin.module", "gpu.module"])
def test_a_module_without_a_body(name: str) -> None:
    with pytest.raises(VerifyError, match="expects 1 regions, found 0"):
        verify(parse_program(f'"{name}"() <{{sym_name = "m"}}> : () -> ()\nfunc.func @f() {{ return }}'))


def test_two_modules_may_use_one_name() -> None:
    verify(
        parse_program(
            "gpu.module @m {\ngpu.func @f() { gpu.return }\n}\ngpu.module @n {\ngpu.func @f() { gpu.return }\n}"
        )
    )


def test_a_block_size_of_the_wrong_integers() -> None:
    from lanewise.ir.kernels import kernels
    from lanewise.support.diagnostics import ProgramError

    module = parse_program("gpu.func @f() kernel attributes {known_block_size = array<i64: 32, 1, 1>} { gpu.return }")
    with pytest.raises(ProgramError, match=r"known_block_size must be array<i32: \.\.\.>, found array<i64: 32, 1, 1>"):
        kernels(module)
