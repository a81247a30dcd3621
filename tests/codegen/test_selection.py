"""Operations on every type reach machine code: what LLVM cannot select would end its process, which is another one."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from lanewise.codegen.compile import CompileOptions, compile_kernel
from lanewise.codegen.emit.emit_rules import SCALAR
from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects import load_all
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.targets import find_chip

FLOATS, INTEGERS = ("f16", "bf16", "f32", "f64"), ("i1", "i8", "i16", "i32", "i64")
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
OPERANDS = {"math.fma": 3, "math.copysign": 2, "math.powf": 2, "math.atan2": 2}
POWERS = ("math.fpowi", "math.ipowi")
INTEGER_FUNCTIONS = ("math.absi", "math.ctlz", "math.cttz", "math.ctpop")
TESTS = ("math.isnan", "math.isinf", "math.isfinite", "math.isnormal")
Case = tuple[str, list[str], str]
"""The right side of an operation on %0, %1, ...; types of the operands; type of the first result."""


def elementwise_math() -> list[str]:
    """Unary functions of floats that have a rule."""
    load_all()
    excluded = {*INTEGER_FUNCTIONS, *TESTS, "math.clampf", "math.sincos", *OPERANDS, *POWERS}
    return [
        n
        for n, cls in list(REGISTRY.items())
        if n.startswith("math.") and SCALAR.get(cls) is not None and n not in excluded
    ]


def float_cases(type: str) -> list[Case]:
    binary = ["addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf"]
    cases = [(f"arith.{n} %0, %1 : {type}", [type] * 2, type) for n in binary]
    cases += [
        (f"{n} %0 {flags} : {type}", [type], type) for n in elementwise_math() for flags in ("", "fastmath<fast>")
    ]
    cases += [(f"{n} {', '.join(f'%{i}' for i in range(k))} : {type}", [type] * k, type) for n, k in OPERANDS.items()]
    cases += [(f"{n} %0 : {type}", [type], "i1") for n in TESTS]
    cases += [(f"math.clampf %0 to [%1, %2] : {type}", [type] * 3, type)]
    cases += [(f"arith.cmpf {p}, %0, %1 : {type}", [type] * 2, "i1") for p in ("oeq", "one", "ueq", "ult", "uno")]
    for integer in INTEGERS:
        cases += [(f"arith.{n} %0 : {type} to {integer}", [type], integer) for n in ("fptosi", "fptoui")]
        cases += [(f"arith.{n} %0 : {integer} to {type}", [integer], type) for n in ("sitofp", "uitofp")]
        if integer != "i1":
            cases.append((f"math.fpowi %0, %1 : {type}, {integer}", [type, integer], type))
    for other in FLOATS:
        if BITS[other] != BITS[type]:
            name = "extf" if BITS[other] > BITS[type] else "truncf"
            cases.append((f"arith.{name} %0 : {type} to {other}", [type], other))
    return cases


def integer_cases(type: str) -> list[Case]:
    names = [
        "addi",
        "subi",
        "muli",
        "divsi",
        "remsi",
        "divui",
        "remui",
        "floordivsi",
        "ceildivsi",
        "ceildivui",
        "shli",
        "shrui",
        "shrsi",
        "maxsi",
        "minui",
    ]
    cases = [(f"arith.{n} %0, %1 : {type}", [type] * 2, type) for n in names]
    cases += [(f"{n} %0 : {type}", [type], type) for n in INTEGER_FUNCTIONS]
    cases += [(f"math.ipowi %0, %1 : {type}", [type] * 2, type)] if type != "i1" else []
    cases += [(f"arith.{n}_extended %0, %1 : {type}", [type] * 2, type) for n in ("mulsi", "mului")]
    return cases


def program(cases: list[Case], text: Any) -> str:
    arguments: list[str] = []
    lines = ["  %t = gpu.thread_id x"]
    for i, (words, types, result) in enumerate(cases):
        for j, type in enumerate(types):
            arguments.append(f"%in{i}_{j}: memref<64x{type}>")
            lines.append(f"  %x{i}_{j} = memref.load %in{i}_{j}[%t] : memref<64x{type}>")
            words = words.replace(f"%{j}", f"%x{i}_{j}")
        results = f"%y{i}, %z{i}" if "extended" in words else f"%y{i}"
        arguments.append(f"%out{i}: memref<64x{result}>")
        lines += [f"  {results} = {words}", f"  memref.store %y{i}, %out{i}[%t] : memref<64x{result}>"]
    return str(text(", ".join(arguments), "\n".join(lines)))


ALL = [*itertools.chain(*map(float_cases, FLOATS)), *itertools.chain(*map(integer_cases, INTEGERS))]
CHIPS = ("sm_70", "sm_80", "sm_120a", "gfx908", "gfx90a", "gfx950", "gfx1030", "gfx1100", "gfx1200", "gfx1250")
TOGETHER = 64
"""Cases of one kernel."""


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("first", range(0, len(ALL), TOGETHER))
def test_everything_is_selected(first: int, chip: str, text: Any) -> None:
    """Those that tests run are not all of these chips."""
    module = parse_program(program(ALL[first : first + TOGETHER], text))
    assert compile_kernel(find_kernel(module), find_chip(chip), CompileOptions(isolate=True)).assembly
