"""The errors that the reference carries beside its values: they hold, and doubt is said, not judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import arith, load_all
from lanewise.ir.dialects.elementwise import FloatBinary, FloatUnary
from lanewise.ir.kernels import find_kernel
from lanewise.ir.numerics import spacing
from lanewise.ir.parser import parse_program
from lanewise.ir.types import F16, F32, F64
from lanewise.reference.evaluate import Doubts, run_kernel
from lanewise.reference.propagation import Accuracy, Machine, propagation
from lanewise.reference.uncertainty import Uncertainty

load_all()
EXACT = Machine(lambda op: Accuracy(0.0), lambda op: ())
FLOATS = sorted(
    name for name, cls in REGISTRY.items() if issubclass(cls, (FloatUnary, FloatBinary)) and cls is not arith.RemFOp
)


def operation(name: str, operands: int) -> Operation:
    values = ", ".join(f"%x{i}" for i in range(operands))
    arguments = ", ".join(f"%x{i}: vector<4096xf32>" for i in range(operands))
    module = parse_program(f"func.func @f({arguments}) {{\n  %r = {name} {values} : vector<4096xf32>\n  return\n}}")
    return next(op for op in module.walk() if op.opname == name)


def known(errors: Any) -> Uncertainty:
    return Uncertainty(errors, errors, np.zeros_like(errors), np.zeros(errors.shape, np.bool_))


@pytest.mark.parametrize("name", FLOATS)
def test_results_of_inexact_operands_stay_within_their_error(name: str) -> None:
    """Operands anywhere within their errors give results within the result's; jumps are undecided instead."""
    random = np.random.default_rng(len(name))
    operands = 2 if issubclass(REGISTRY[name], FloatBinary) else 1
    op = operation(name, operands)
    for scale in (1e-6, 1e-3, 0.3):
        x = [random.uniform(-3, 3, 4096).astype(np.float32) for _ in range(operands)]
        errors = [(np.abs(v) * scale * random.random(4096)).astype(np.float64) for v in x]
        result = op.reference(*x)
        (found,) = propagation(op, EXACT)(x, [known(e) for e in errors], [result])
        bound = np.zeros(4096) if found is None else found.bound
        for _ in range(8):
            near = [np.float32(v + e * random.uniform(-1, 1, 4096)) for v, e in zip(x, errors, strict=True)]
            inside = [np.abs(n - v.astype(np.float64)) <= e for n, v, e in zip(near, x, errors, strict=True)]
            with np.errstate(all="ignore"):
                other = op.reference(*near)
                off = np.abs(other.astype(np.float64) - result.astype(np.float64))
            both_nan = np.isnan(other) & np.isnan(result)
            wrong = np.all(inside, axis=0) & ~both_nan & ~np.isinf(bound) & ~(off <= bound)
            assert not wrong.any(), f"{scale}: {np.flatnonzero(wrong)[:3]}"


def test_exact_operands_have_exact_results() -> None:
    x = np.float32([1.5, np.inf, np.nan])
    for name in FLOATS:
        operands = [x] * (2 if issubclass(REGISTRY[name], FloatBinary) else 1)
        op = operation(name, len(operands))
        assert propagation(op, EXACT)(operands, [None] * len(operands), [x]) == [None]


# Whole programs


def run(body: str, *arguments: Any, accuracy: Callable[[Operation], Accuracy] | None = None) -> Doubts:
    """Runs a kernel of vectors of 8 floats on %x, which it reads as %v, and %y."""
    text = f"""
gpu.func @k(%x: memref<8xf32>, %y: memref<8xf32>) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %v = vector.transfer_read %x[%c0], %zero {{in_bounds = [true]}} : memref<8xf32>, vector<8xf32>
{body}
  gpu.return
}}"""
    kernel = find_kernel(parse_program(text), None)
    machine = Machine(accuracy or (lambda op: Accuracy(1.0 if op.opname == "math.exp" else 0.0)), lambda op: ())
    return run_kernel(kernel, (1, 1, 1), arguments, 32, machine)


def written(value: str) -> str:
    return f"  vector.transfer_write {value}, %y[%c0] {{in_bounds = [true]}} : vector<8xf32>, memref<8xf32>"


def test_functions_bring_errors_in_and_arithmetic_hands_them_on() -> None:
    x, y = np.linspace(0.1, 2, 8).astype(np.float32), np.zeros(8, np.float32)
    once = run(f"  %e = math.exp %v : vector<8xf32>\n{written('%e')}", x, y).bounds[1]
    assert once is not None and np.allclose(once / np.spacing(np.exp(x)), 1.5)
    twice = run(
        f"  %e = math.exp %v : vector<8xf32>\n  %m = arith.mulf %e, %e : vector<8xf32>\n{written('%m')}", x, y
    ).bounds[1]
    assert twice is not None and np.all(twice > 2 * np.exp(x) * once) and np.all(twice < 2 * np.exp(x) * once * 1.5)


def test_small_integers_are_summed_exactly_and_others_are_not() -> None:
    body = """
  %s = vector.multi_reduction <add>, %v, %zero [0] : vector<8xf32> to f32
  memref.store %s, %y[%c0] : memref<8xf32>"""
    assert run(body, np.arange(8, dtype=np.float32), np.zeros(8, np.float32)).bounds[1] is None
    x = np.random.default_rng(0).standard_normal(8).astype(np.float32)
    bound = run(body, x, np.zeros(8, np.float32)).bounds[1]
    assert bound is not None and 0 < bound[0] < 8 * 2.0**-24 * np.abs(x).sum() and (bound[1:] == 0).all()


def test_a_comparison_within_the_error_is_undecided() -> None:
    body = f"""
  %e = math.exp %v : vector<8xf32>
  %one = arith.constant dense<1.0> : vector<8xf32>
  %far = arith.constant dense<100.0> : vector<8xf32>
  %more = arith.cmpf ogt, %e, %one : vector<8xf32>
  %r = arith.select %more, %far, %zeros : vector<8xi1>, vector<8xf32>
{written("%r")}"""
    x = np.float32([0, 1, -1, 2, -2, 1e-9, 3, 4])
    bound = run(body, x, np.zeros(8, np.float32)).bounds[1]
    assert bound is not None and np.isinf(bound).tolist() == [True, False, False, False, False, True, False, False]
    assert (bound[1:5] == 0).all()


def test_a_choice_between_near_values_is_an_error_not_a_doubt() -> None:
    """max(e - 1, 0) by comparison: where the sign is open, both choices are near zero."""
    body = f"""
  %e = math.exp %v : vector<8xf32>
  %one = arith.constant dense<1.0> : vector<8xf32>
  %d = arith.subf %e, %one : vector<8xf32>
  %more = arith.cmpf ogt, %d, %zeros : vector<8xf32>
  %r = arith.select %more, %d, %zeros : vector<8xi1>, vector<8xf32>
{written("%r")}"""
    bound = run(body, np.float32([0, 1, -1, 2, -2, 1e-9, 3, 4]), np.zeros(8, np.float32)).bounds[1]
    assert bound is not None and np.isfinite(bound).all() and bound[0] > 0 and bound[2] == 0


def test_a_conversion_to_integers_at_a_step_is_undecided() -> None:
    body = f"""
  %e = math.exp %v : vector<8xf32>
  %i = arith.fptosi %e : vector<8xf32> to vector<8xi32>
  %r = arith.sitofp %i : vector<8xi32> to vector<8xf32>
{written("%r")}"""
    bound = run(body, np.float32([0, 1, -1, 2, -2, np.log(2), 0.5, 4]), np.zeros(8, np.float32)).bounds[1]
    assert bound is not None and np.flatnonzero(np.isinf(bound)).tolist() == [0, 5]


def test_a_branch_that_rounding_may_turn_settles_nothing() -> None:
    body = """
  %s = vector.multi_reduction <add>, %v, %zero [0] : vector<8xf32> to f32
  %e = math.exp %s : f32
  %one = arith.constant 1.0 : f32
  %more = arith.cmpf ogt, %e, %one : f32
  scf.if %more {
    memref.store %one, %y[%c0] : memref<8xf32>
  }"""
    doubts = run(body, np.zeros(8, np.float32), np.zeros(8, np.float32))
    assert [op.opname for op in doubts.unsettled] == ["scf.if"]
    assert not run(body, np.ones(8, np.float32), np.zeros(8, np.float32)).unsettled


def test_errors_go_through_memory_and_are_overwritten() -> None:
    body = f"""
  %m = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %e = math.exp %v : vector<8xf32>
  vector.transfer_write %e, %m[%c0] {{in_bounds = [true]}} : vector<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>
  memref.store %zero, %m[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
  %r = vector.transfer_read %m[%c0], %zero {{in_bounds = [true]}}
    : memref<8xf32, #gpu.address_space<workgroup>>, vector<8xf32>
{written("%r")}"""
    bound = run(body, np.ones(8, np.float32), np.zeros(8, np.float32)).bounds[1]
    assert bound is not None and bound[0] == 0 and (bound[1:] > 0).all()


@pytest.mark.parametrize(("kind", "exact"), [("maximumf", True), ("minnumf", True), ("mul", False)])
def test_contractions_of_other_kinds(kind: str, exact: bool) -> None:
    """Extremes of exact products are exact; products of products round at each step, and stay judged."""
    body = f"""
  %e = math.exp %v : vector<8xf32>
  %a = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>
  %b = vector.shape_cast %SOURCE : vector<8xf32> to vector<4x2xf32>
  %ones = arith.constant dense<1.0> : vector<2x2xf32>
  %c = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<{kind}>}} %a, %b, %ones : vector<2x4xf32>, vector<4x2xf32> into vector<2x2xf32>
  %r = vector.shape_cast %c : vector<2x2xf32> to vector<4xf32>
  vector.transfer_write %r, %y[%c0] {{in_bounds = [true]}} : vector<4xf32>, memref<8xf32>"""
    x = np.linspace(0.3, 1.7, 8).astype(np.float32)
    y = np.zeros(8, np.float32)
    bound = run(body.replace("%SOURCE", "%v"), x, y).bounds[1]
    if exact:
        assert bound is None
        inexact = run(body.replace("%SOURCE", "%e"), x, np.zeros(8, np.float32)).bounds[1]
        assert inexact is not None and (inexact[:4] > 0).all() and (inexact[:4] < 1e-5).all()
    else:
        assert bound is not None and np.all((bound[:4] > 0) & (bound[:4] < 20 * np.spacing(y[:4])))


def test_spacing_of_numbers() -> None:
    for type, least in ((F16, 2.0**-24), (F32, 2.0**-149), (F64, 2.0**-1074)):
        found = spacing(np.array([0.0, least, 1.0, 1.5, -2.0]), type)
        eps = float(np.finfo({F16: np.float16, F32: np.float32, F64: np.float64}[type]).eps)
        assert found.tolist() == [least, least, eps, eps, 2 * eps]
