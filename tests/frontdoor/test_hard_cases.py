"""Programs and data at which a right result was once called wrong, or a wrong one right."""

from __future__ import annotations

from typing import Any

import lanewise
import ml_dtypes
import numpy as np
import pytest
from lanewise.check.report import Report

from .changed_kernel import ChangedKernel

EVERYWHERE = ["reference", "interpret", "emulated"]
f16, f32 = np.float16, np.float32


def kernel_of(body: str, element: str = "f32", n: int = 64, out: int = 1) -> str:
    return f"""
gpu.func @k(%x: memref<{n}x{element}>, %y: memref<{out}x{element}>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : {element}
  %v = vector.transfer_read %x[%c0], %pad {{in_bounds = [true]}} : memref<{n}x{element}>, vector<{n}x{element}>
{body}
  gpu.return
}}"""


def stored(value: str) -> str:
    return f"  vector.transfer_write {value}, %y[%c0] {{in_bounds = [true]}} : vector<64xf32>, memref<64xf32>"


MAPS = """#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
"""
TRAIT = '{indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}'


def product_of(m: int, n: int, k: int, operand: str, result: str) -> str:
    a, b, c = f"{m}x{k}x{operand}", f"{k}x{n}x{operand}", f"{m}x{n}x{result}"
    return f"""{MAPS}
gpu.func @k(%A: memref<{a}>, %B: memref<{b}>, %C: memref<{c}>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : {operand}
  %z = arith.constant dense<0.0> : vector<{c}>
  %a = vector.transfer_read %A[%c0, %c0], %pad {{in_bounds = [true, true]}} : memref<{a}>, vector<{a}>
  %b = vector.transfer_read %B[%c0, %c0], %pad {{in_bounds = [true, true]}} : memref<{b}>, vector<{b}>
  %r = vector.contract {TRAIT} %a, %b, %z : vector<{a}>, vector<{b}> into vector<{c}>
  vector.transfer_write %r, %C[%c0, %c0] {{in_bounds = [true, true]}} : vector<{c}>, memref<{c}>
  gpu.return
}}"""


def report(text: str, target: str, *arguments: Any, on: list[str] = EVERYWHERE) -> Report:
    return lanewise.validate(lanewise.compile(text, target=target), 1, *arguments, on=on)


@pytest.mark.parametrize("target", ["sm_90", "gfx1100"])
def test_atomic_sums_in_any_order(target: str) -> None:
    text = """gpu.func @k(%x: memref<64xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<64xf32>
  %o = memref.atomic_rmw addf %v, %y[%c0] : (f32, memref<1xf32>) -> f32
  gpu.return
}"""
    x = np.random.default_rng(0).standard_normal(64).astype(f32)
    assert report(text, target, x, np.zeros(1, f32)).ok


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
@pytest.mark.parametrize("scale", [1e-3, 1e-4])
def test_sums_that_are_subnormal_in_f16(target: str, scale: float) -> None:
    random = np.random.default_rng(0)
    a, b = ((random.standard_normal(shape) * scale).astype(f16) for shape in ((32, 64), (64, 32)))
    assert report(product_of(32, 32, 64, "f16", "f16"), target, a, b, np.zeros((32, 32), f16)).ok


def test_products_that_are_all_alike() -> None:
    random = np.random.default_rng(3)
    for _ in range(4):
        a, b = (np.full(shape, random.standard_normal(), f16) for shape in ((16, 32), (32, 16)))
        assert report(product_of(16, 16, 32, "f16", "f32"), "gfx950", a, b, np.zeros((16, 16), f32)).ok


def test_products_that_vanish_one_by_one() -> None:
    a, b = (np.full(shape, 2.0**-75, f32) for shape in ((16, 64), (64, 16)))
    assert report(product_of(16, 16, 64, "f32", "f32"), "sm_90", a, b, np.zeros((16, 16), f32)).ok


def test_the_same_products_step_after_step() -> None:
    text = f"""{MAPS}
gpu.func @k(%A: memref<16x4096xbf16>, %B: memref<4096x16xbf16>, %C: memref<16x16xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant 16 : index
  %end = arith.constant 4096 : index
  %pad = arith.constant 0.0 : bf16
  %z = arith.constant dense<0.0> : vector<16x16xf32>
  %s = scf.for %i = %c0 to %end step %step iter_args(%acc = %z) -> (vector<16x16xf32>) {{
    %a = vector.transfer_read %A[%c0, %i], %pad {{in_bounds = [true, true]}} : memref<16x4096xbf16>, vector<16x16xbf16>
    %b = vector.transfer_read %B[%i, %c0], %pad {{in_bounds = [true, true]}} : memref<4096x16xbf16>, vector<16x16xbf16>
    %r = vector.contract {TRAIT} %a, %b, %acc : vector<16x16xbf16>, vector<16x16xbf16> into vector<16x16xf32>
    scf.yield %r : vector<16x16xf32>
  }}
  vector.transfer_write %s, %C[%c0, %c0] {{in_bounds = [true, true]}} : vector<16x16xf32>, memref<16x16xf32>
  gpu.return
}}"""
    random = np.random.default_rng(0)
    a, b = (np.tile(random.uniform(0, 1, (16, 16)), times) for times in ((1, 256), (256, 1)))
    arguments = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16), np.zeros((16, 16), f32)
    assert report(text, "gfx942", *arguments).ok


PRODUCT = """  %one = arith.constant 1.0 : f32
  %s = vector.multi_reduction <mul>, %v, %one [0] : vector<64xf32> to f32
  memref.store %s, %y[%c0] : memref<1xf32>"""


def test_products_of_which_a_part_overflows_are_not_judged() -> None:
    x = np.full(64, 1.1, f32)
    x[[0, 1]], x[[32, 33]] = 1e30, 1e-30
    found = report(kernel_of(PRODUCT), "sm_90", x, np.zeros(1, f32))
    assert found.verdict == "not judged" and "every element of buffer 'y' is undecided" in str(found)
    assert report(kernel_of(PRODUCT), "sm_90", np.full(64, 1.1, f32), np.zeros(1, f32)).ok


SUM = "  %s = vector.multi_reduction <add>, %v, %pad [0] : vector<64xELEMENT> to ELEMENT\n"


def test_errors_in_small_numbers_of_f64_are_found() -> None:
    body = SUM.replace("ELEMENT", "f64") + "  memref.store %s, %y[%c0] : memref<1xf64>"
    kernel = lanewise.compile(kernel_of(body, "f64"), target="sm_90")
    wrong = kernel.thread_ir.replace("arith.addf", "arith.subf")
    x = np.random.default_rng(0).standard_normal(64) * 1e-50
    for text, verdict in ((wrong, "WRONG"), (kernel.thread_ir, "right")):
        planted = ChangedKernel(kernel, text)
        assert lanewise.validate(planted, 1, x, np.zeros(1), on=EVERYWHERE).verdict == verdict


def test_what_is_not_written_is_wrong_though_undecided() -> None:
    body = "  %e = math.exp %v : vector<64xf32>\n  %i = math.floor %e : vector<64xf32>\n" + stored("%i")
    kernel = lanewise.compile(kernel_of(body, out=64), target="sm_90")
    text = "\n".join(line for line in kernel.thread_ir.split("\n") if "store" not in line)
    silent = ChangedKernel(kernel, text)
    found = lanewise.validate(silent, 1, np.zeros(64, f32), np.zeros(64, f32), on=EVERYWHERE)
    assert found.verdict == "WRONG" and "never written" in str(found)


def test_waves_of_inexact_angles() -> None:
    x = np.random.default_rng(0).uniform(15, 25, 64).astype(f32)
    body = "  %e = math.exp %v : vector<64xf32>\n  %s = math.sin %e : vector<64xf32>\n" + stored("%s")
    assert report(kernel_of(body, out=64), "sm_90", x, np.zeros(64, f32)).ok


@pytest.mark.parametrize("operation", ["arith.mulf %s, %pad : f32", "math.round %s : f32"])
def test_zeros_of_either_sign(operation: str) -> None:
    body = SUM.replace("ELEMENT", "f32") + f"  %t = {operation}\n  memref.store %t, %y[%c0] : memref<1xf32>"
    for seed in range(4):
        x = np.random.default_rng(seed).standard_normal(64).astype(f32)
        x[63] = -f32(x[:63].astype(np.float64).sum())
        assert report(kernel_of(body), "sm_90", x, np.zeros(1, f32)).ok


def test_liberties_at_the_ends_of_the_range() -> None:
    z = np.array([3e38, 2e38, 1e-40, 1e-42, 1, 3, 1e38, 9e37] * 8, f32)
    body = f"""  %o = arith.constant dense<1.0e30> : vector<64xf32>
  %p = arith.constant dense<1.0e-30> : vector<64xf32>
  %q = arith.mulf %v, %o fastmath<reassoc> : vector<64xf32>
  %r = arith.mulf %q, %p fastmath<reassoc> : vector<64xf32>
{stored("%r")}"""
    assert report(kernel_of(body, out=64), "sm_90", z, np.zeros(64, f32)).ok
    for function in ("sqrt", "rsqrt", "log", "log2"):
        body = f"  %q = math.{function} %v fastmath<afn> : vector<64xf32>\n{stored('%q')}"
        assert report(kernel_of(body, out=64), "gfx942", np.abs(z), np.zeros(64, f32)).ok


def test_nothing_of_numpy_is_heard() -> None:
    """Warnings are errors in tests."""
    x = np.array([np.nan, np.inf, 0, 1e38] * 16, f32)
    zeros = "  %z = arith.constant dense<0.0> : vector<64xf32>\n"
    exp = "  %e = math.exp %v : vector<64xf32>\n  %p = arith.cmpf oge, %e, %z : vector<64xf32>\n"
    either = f"{exp}  %s = arith.select %p, %v, %v : vector<64xi1>, vector<64xf32>\n"
    for body in ("  %s = math.fma %v, %z, %v : vector<64xf32>\n", either):
        assert report(kernel_of(zeros + body + stored("%s"), out=64), "sm_90", x, np.zeros(64, f32)).ok


def test_what_nobody_writes_is_said() -> None:
    text = kernel_of(stored("%v"), out=64)
    for type in ("%y: memref<64xf32>", "vector<64xf32>, memref<64xf32>\n  gpu"):
        text = text.replace(type, type.replace("memref<64x", "memref<?x"))
    found = report(text, "sm_90", np.ones(64, f32), np.zeros(100, f32))
    assert found.ok and "36 of 100 elements are written by nobody" in str(found)


BYTES = "%x: memref<?xi8>, %y: memref<?xi8>", "i8", "vector.transfer_write %v, %y[%i] : vector<64xi8>, memref<?xi8>"
IN_PLACE = "%x: memref<?xf32>", "f32", "vector.transfer_write %v, %x[%i] : vector<64xf32>, memref<?xf32>"
TOTAL = (
    "%x: memref<?xi32>, %y: memref<?xi32>",
    "i32",
    """%a = arith.constant 0 : i32
  %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xi32> to i32
  %o = memref.atomic_rmw addi %s, %y[%a0] : (i32, memref<?xi32>) -> i32""",
)


@pytest.mark.parametrize(
    ("kernel", "unread", "unwritten"),
    [  # of 100 elements one workgroup takes 64; no pattern of 8 bits, and no element that was there before, is poison
        (BYTES, "36 of 100 elements of 'x'", "36 of 100 elements of 'y'"),
        (IN_PLACE, "36 of 100 elements of 'x'", "36 of 100 elements of 'x'"),
        (TOTAL, "36 of 100 elements of 'x'", ""),
    ],
)
def test_what_a_small_grid_leaves_out_is_said(kernel: tuple[str, str, str], unread: str, unwritten: str) -> None:
    arguments, type, write = kernel
    pad = "0.0" if type == "f32" else "0"
    text = f"""gpu.func @k({arguments}) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %c64 = arith.constant 64 : index
  %a0 = arith.constant 0 : index
  %p = arith.constant {pad} : {type}
  %b = gpu.block_id x
  %i = arith.muli %b, %c64 : index
  %v = vector.transfer_read %x[%i], %p : memref<?x{type}>, vector<64x{type}>
  {write}
  gpu.return
}}"""
    x = np.ones(100, {"f32": f32, "i8": np.int8, "i32": np.int32}[type])
    made = lanewise.compile(text)
    given = [x] if kernel is IN_PLACE else [x, np.zeros_like(x[:1] if kernel is TOTAL else x)]
    found = lanewise.validate(made, 1, *given, on="reference")
    assert (found.verdict, found.unread, found.unwritten) == ("right", unread, unwritten)
    assert "reference: buffer 'x': 36 of 100 elements are read by nobody" in str(found)
    whole = lanewise.validate(made, 2, *given, on="reference")
    assert whole.ok and not whole.unread + whole.unwritten
