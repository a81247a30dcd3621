"""Operations that are short for others mean what they are short for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from lanewise.frontend.legalisations import is_expanded
from lanewise.frontend.vector_masks import MASKED
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import load_all
from lanewise.ir.dialects.func import FunctionLike
from lanewise.ir.dialects.vector_mask_region import Maskable
from lanewise.ir.numerics import dtype_of
from lanewise.ir.parser import parse_program
from lanewise.ir.types import element_type, shape_of
from lanewise.ir.verify import verify
from lanewise.reference.evaluate import evaluate
from lanewise.support.diagnostics import CompileError

from .legalised import legalised

load_all()
TILES = "tuple<vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>>"
KINDS = ["add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf"]
INTEGER_KINDS = ["add", "mul", "and", "or", "xor", "minsi", "maxsi", "minui", "maxui"]
SHORT: dict[str, Sequence[tuple[str, str, str]]] = {
    "index.constant": [("%n: index", "%c = index.constant 7\n%r = arith.addi %c, %n : index", "index")],
    "index.bool.constant": [("%b: i1", "%c = index.bool.constant true\n%r = arith.andi %c, %b : i1", "i1")],
    "vector.extractelement": [
        ("%v: vector<8xf32>, %i: i32", "%r = vector.extractelement %v[%i : i32] : vector<8xf32>", "f32"),
        ("%v: vector<8xf32>, %i: index", "%r = vector.extractelement %v[%i : index] : vector<8xf32>", "f32"),
        ("%v: vector<f32>", "%r = vector.extractelement %v[] : vector<f32>", "f32"),
    ],
    "vector.insertelement": [
        (
            "%s: f32, %v: vector<8xf32>, %i: i8",
            "%r = vector.insertelement %s, %v[%i : i8] : vector<8xf32>",
            "vector<8xf32>",
        ),
        ("%s: f32, %v: vector<f32>", "%r = vector.insertelement %s, %v[] : vector<f32>", "vector<f32>"),
    ],
    "vector.to_elements": [
        (
            "%v: vector<1x2xf32>",
            "%a:2 = vector.to_elements %v : vector<1x2xf32>\n%r = arith.subf %a#0, %a#1 : f32",
            "f32",
        )
    ],
    "vector.tuple": [
        (
            "%v: vector<2xf32>, %w: vector<3xf32>",
            "%t = vector.tuple %v, %w : vector<2xf32>, vector<3xf32>\n"
            "%r = vector.tuple_get %t, 1 : tuple<vector<2xf32>, vector<3xf32>>",
            "vector<3xf32>",
        )
    ],
    "vector.extract_slices": [
        (
            "%v: vector<4x3xf32>",
            f"%t = vector.extract_slices %v, [2, 2], [1, 1] : vector<4x3xf32> into {TILES}\n"
            f"%r = vector.tuple_get %t, {index} : {TILES}",
            result,
        )
        for index, result in enumerate(("vector<2x2xf32>", "vector<2x1xf32>", "vector<2x2xf32>", "vector<2x1xf32>"))
    ],
    "vector.insert_slices": [
        (
            "%a: vector<2x2xf32>, %b: vector<2x1xf32>, %c: vector<2x2xf32>, %d: vector<2x1xf32>",
            "%t = vector.tuple %a, %b, %c, %d : vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>\n"
            f"%r = vector.insert_slices %t, [2, 2], [1, 1] : {TILES} into vector<4x3xf32>",
            "vector<4x3xf32>",
        )
    ],
    "vector.shape_cast": [
        (
            "%v: vector<3x4x2xf32>, %w: vector<3x3x2xf32>",
            "%t = vector.tuple %v, %w : vector<3x4x2xf32>, vector<3x3x2xf32>\n"
            "%u = vector.shape_cast %t : tuple<vector<3x4x2xf32>, vector<3x3x2xf32>>"
            " to tuple<vector<12x2xf32>, vector<9x2xf32>>\n"
            "%r = vector.tuple_get %u, 1 : tuple<vector<12x2xf32>, vector<9x2xf32>>",
            "vector<9x2xf32>",
        )
    ],
    "vector.deinterleave": [
        (
            f"%v: vector<{shape}x8xi16>",
            f"%e, %o = vector.deinterleave %v : vector<{shape}x8xi16> -> vector<{shape}x4xi16>\n"
            f"%r = arith.subi %e, %o : vector<{shape}x4xi16>",
            f"vector<{shape}x4xi16>",
        )
        for shape in ("1", "2x3")
    ],
    "vector.reshape": [
        (
            "%v: vector<3x2x4xf32>",
            "%c2 = arith.constant 2 : index\n%c3 = arith.constant 3 : index\n%c6 = arith.constant 6 : index\n"
            "%c9 = arith.constant 9 : index\n"
            "%r = vector.reshape %v, [%c3, %c6], [%c2, %c9], [4] : vector<3x2x4xf32> to vector<2x3x4xf32>",
            "vector<2x3x4xf32>",
        )
    ],
    "vector.reduction": [
        (
            f"%v: vector<7x{type}>, %a: {type}",
            f"%r = vector.reduction <{kind}>, %v{acc} : vector<7x{type}> into {type}",
            type,
        )
        for type, kinds in (("f32", KINDS), ("i8", INTEGER_KINDS))
        for kind in kinds
        for acc in ("", ", %a")
    ],
    "vector.outerproduct": [
        *(
            (
                f"%v: vector<3x{type}>, %w: vector<4x{type}>, %a: vector<3x4x{type}>",
                f"%r = vector.outerproduct %v, %w, %a {{kind = #vector.kind<{kind}>}}"
                f" : vector<3x{type}>, vector<4x{type}>",
                f"vector<3x4x{type}>",
            )
            for type, kinds in (("f32", KINDS), ("i8", INTEGER_KINDS))
            for kind in kinds
        ),
        (
            "%v: vector<3xf32>, %w: vector<4xf32>",
            "%r = vector.outerproduct %v, %w : vector<3xf32>, vector<4xf32>",
            "vector<3x4xf32>",
        ),
        ("%v: vector<3xf32>, %s: f32", "%r = vector.outerproduct %v, %s : vector<3xf32>, f32", "vector<3xf32>"),
        (
            "%v: vector<3xf32>, %s: f32, %a: vector<3xf32>",
            "%r = vector.outerproduct %v, %s, %a : vector<3xf32>, f32",
            "vector<3xf32>",
        ),
    ],
    "vector.matrix_multiply": [
        (
            f"%a: vector<6x{type}>, %b: vector<12x{type}>",
            "%r = vector.matrix_multiply %a, %b {lhs_rows = 2 : i32, lhs_columns = 3 : i32, rhs_columns = 4 : i32}"
            f" : (vector<6x{type}>, vector<12x{type}>) -> vector<8x{type}>",
            f"vector<8x{type}>",
        )
        for type in ("f32", "f64", "i32")
    ],
}
SHORT |= {
    f"arith.{name}": [
        (f"%a: vector<6x{t}>, %b: vector<6x{t}>", f"%r = arith.{name} %a, %b : vector<6x{t}>", f"vector<6x{t}>")
        for t in ("f16", "f32", "f64")
    ]
    for name in ("maximumnumf", "minimumnumf")
}
SHORT |= {
    "arith.flush_denormals": [
        (f"%a: vector<6x{t}>", f"%r = arith.flush_denormals %a : vector<6x{t}>", f"vector<6x{t}>")
        for t in ("f16", "bf16", "f32", "f64")
    ],
    "arith.subui_extended": [
        (
            "%a: vector<6xi8>, %b: vector<6xi8>",
            f"%d, %c = arith.subui_extended %a, %b : vector<6xi8>, vector<6xi1>{more}",
            type,
        )
        for more, type in (
            ("\n%r = arith.addi %d, %d : vector<6xi8>", "vector<6xi8>"),
            ("\n%r = arith.ori %c, %c : vector<6xi1>", "vector<6xi1>"),
        )
    ],
    "arith.convertf": [
        (f"%a: vector<6x{a}>", f"%r = arith.convertf %a{mode} : vector<6x{a}> to vector<6x{b}>", f"vector<6x{b}>")
        for a, b in (("f16", "bf16"), ("bf16", "f16"), ("f8E4M3FN", "f8E5M2"))
        for mode in ("", " toward_zero")
    ],
    "arith.scaling_extf": [
        (
            f"%a: vector<6x{a}>, %s: vector<6x{s}>",
            f"%r = arith.scaling_extf %a, %s : vector<6x{a}>, vector<6x{s}> to vector<6x{b}>",
            f"vector<6x{b}>",
        )
        for a, s, b in (("f8E4M3FN", "f8E8M0FNU", "f32"), ("f4E2M1FN", "f32", "f16"), ("f6E2M3FN", "f8E8M0FNU", "bf16"))
    ],
    "arith.scaling_truncf": [
        (
            f"%a: vector<6x{a}>, %s: vector<6x{s}>",
            f"%r = arith.scaling_truncf %a, %s{mode} : vector<6x{a}>, vector<6x{s}> to vector<6x{b}>",
            f"vector<6x{b}>",
        )
        for a, s, b in (("f32", "f8E8M0FNU", "f8E4M3FN"), ("f16", "f32", "f8E5M2"), ("f32", "f8E8M0FNU", "f4E2M1FN"))
        for mode in ("", " upward")
    ],
    "vector.step": [("", "%r = vector.step : vector<300xi8>", "vector<300xi8>")],
}
SHORT["vector.tuple_get"] = SHORT["vector.tuple"]
_MATMUL = (
    "{indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, "
    "affine_map<(i, j, k) -> (i, j)>], "
    'iterator_types = ["parallel", "parallel", "reduction"]}'
)
SHORT["vector.contract"] = [
    (
        f"%a: vector<4x3x{t}>, %b: vector<3x5x{t}>, %c: vector<4x5x{t}>",
        f"%l = vector.constant_mask [2, 2] : vector<4x3xi1>\n%m = vector.constant_mask [3, 4] : vector<3x5xi1>\n"
        f"%r = vector.contract {_MATMUL} %a, %b, %c, %l, %m : vector<4x3x{t}>, vector<3x5x{t}> into vector<4x5x{t}>",
        f"vector<4x5x{t}>",
    )
    for t in ("f32", "i32")
]
KEPT = {"vector.shape_cast", "vector.step", "vector.contract"}
"""Written out only in part, or of other operations of their own name."""


def function(arguments: str, body: str, result: str) -> FunctionLike:
    name = "%r"
    module = parse_program(f"func.func @f({arguments}) -> {result} {{\n{body}\nreturn {name} : {result}\n}}")
    verify(module)
    (op,) = module.body.operations
    assert isinstance(op, FunctionLike)
    return op


def data(op: FunctionLike) -> list[Any]:
    """Small integers, all different; positions are 3."""
    made: list[Any] = []
    for number, argument in enumerate(op.body.arguments):
        shape, dtype = shape_of(argument.type), dtype_of(element_type(argument.type))
        count = int(np.prod(shape, dtype=np.int64))
        values = (np.arange(count) * (number + 2)) % 13 - 4 + number if shape else np.array(3)
        made.append(np.asarray(values).reshape(shape).astype(dtype))
    return made


PROGRAMS = [(name, *program) for name, programs in SHORT.items() for program in programs]


@pytest.mark.parametrize(("name", "arguments", "body", "result"), PROGRAMS)
def test_it_means_what_it_is_short_for(name: str, arguments: str, body: str, result: str) -> None:
    short = function(arguments, body, result)
    assert any(op.opname == name for op in short.walk())
    long = legalised(short)
    verify(long)
    assert not any(op.opname == name for op in long.walk()) or name in KEPT
    (expected,), (found,) = evaluate(short, *data(short)), evaluate(long, *data(long))
    assert expected.shape == found.shape and expected.dtype == found.dtype
    np.testing.assert_array_equal(*(x.astype(np.float64) for x in (found, expected)))


def test_all_of_them_are_here() -> None:
    named = {name for name, cls in REGISTRY.items() if is_expanded(cls) and cls.reference is not Operation.reference}
    assert named == set(SHORT)


def test_a_tuple_has_to_be_made_where_it_is_used() -> None:
    types = "tuple<vector<2xf32>>"
    program = function(f"%t: {types}", f"%r = vector.tuple_get %t, 0 : {types}", "vector<2xf32>")
    with pytest.raises(CompileError, match="takes a tuple that it cannot be followed back to"):
        legalised(program)


def test_a_mask_that_is_a_box_is_never_made_as_a_whole() -> None:
    maps = "[affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]"
    trait = f'{{indexing_maps = {maps}, iterator_types = ["parallel", "parallel", "reduction"]}}'
    program = function(
        "%a: vector<64x64xf32>, %c: vector<64x64xf32>, %n: index",
        f"%m = vector.create_mask %n, %n, %n : vector<64x64x64xi1>\n"
        f"%r = vector.mask %m {{ vector.contract {trait} %a, %a, %c"
        " : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32> } : vector<64x64x64xi1> -> vector<64x64xf32>",
        "vector<64x64xf32>",
    )
    assert max(np.prod(shape_of(r.type)) for op in legalised(program).walk() for r in op.results) == 64 * 64


def test_what_may_be_masked_has_a_rule() -> None:
    maskable = [cls for cls in REGISTRY.values() if issubclass(cls, Maskable)]
    assert maskable and all(MASKED.has(cls) for cls in maskable)
