"""Atomic updates: histograms, sums and extremes of many threads on one element, on both vendors and both memories."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.support.diagnostics import CompileError

Array = np.ndarray[Any, Any]
CHIPS = ("sm_80", "gfx942", "gfx1100")
SHARED = "#gpu.address_space<workgroup>"
BINS, THREADS, GROUPS = 4, 64, 3
DTYPES: dict[str, Any] = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
INTEGERS, FLOATS = ("i8", "i16", "i32", "i64"), ("f16", "bf16", "f32", "f64")


def both(text: str, arguments: list[Array], chip: str, run_on: Any) -> list[Array]:
    """What the machine text leaves, which must be what the interpreter leaves."""
    interpreted = [a.copy() for a in arguments]
    interpret_kernel(find_kernel(parse_program(text)), (GROUPS, 1, 1), interpreted, subgroup_size=32)
    found: list[Array] = run_on(chip, text, arguments, (GROUPS, 1, 1))
    for a, b in zip(interpreted, found, strict=True):
        np.testing.assert_array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}"))
    return found


def into_bins(kind: str, type: str, result: str = "") -> str:
    """Thread i of the grid updates bin i mod 4 with element i."""
    count = GROUPS * THREADS
    return f"""  %t = gpu.thread_id x
  %b = gpu.block_id x
  %size = arith.constant {THREADS} : index
  %bins = arith.constant {BINS} : index
  %first = arith.muli %b, %size : index
  %i = arith.addi %first, %t : index
  %bin = arith.remui %i, %bins : index
  %x = memref.load %in[%i] : memref<{count}x{type}>
  {result}memref.atomic_rmw {kind} %x, %out[%bin] : ({type}, memref<{BINS}x{type}>) -> {type}"""


def bins_arguments(type: str) -> str:
    return f"%in: memref<{GROUPS * THREADS}x{type}>, %out: memref<{BINS}x{type}>"


def product(x: Array) -> Any:
    total = 1
    for value in x.tolist():
        total = total * int(value) % 2**64
    return total


INTEGER_KINDS: dict[str, Any] = {
    "addi": lambda x: sum(x.tolist()),
    "muli": product,
    "maxs": lambda x: max(x.tolist()),
    "mins": lambda x: min(x.tolist()),
    "maxu": lambda x: max(x.view(f"u{x.itemsize}").tolist()),
    "minu": lambda x: min(x.view(f"u{x.itemsize}").tolist()),
    "andi": lambda x: int(np.bitwise_and.reduce(x)),
    "ori": lambda x: int(np.bitwise_or.reduce(x)),
    "xori": lambda x: int(np.bitwise_xor.reduce(x)),
}
FLOAT_KINDS: dict[str, Any] = {
    "addf": np.sum,
    "maximumf": np.max,
    "maxnumf": np.max,
    "minimumf": np.min,
    "minnumf": np.min,
    "mulf": np.prod,
}


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", INTEGER_KINDS)
@pytest.mark.parametrize("type", ["i32", "i64"])
def test_integers(type: str, kind: str, chip: str, run_on: Any, text: Any) -> None:
    dtype = np.dtype(DTYPES[type])
    generator = np.random.default_rng(7)
    x = generator.integers(-(2**31), 2**31, GROUPS * THREADS).astype(dtype) | dtype.type(1)
    start = np.array([3, -5, 1, 7], dtype)
    _, found = both(text(bins_arguments(type), into_bins(kind, type)), [x, start], chip, run_on)
    expected = [INTEGER_KINDS[kind](np.append(x[i::BINS], start[i])) for i in range(BINS)]
    mask = (1 << dtype.itemsize * 8) - 1
    assert [int(v) & mask for v in found] == [e & mask for e in expected]


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("type", "kind"), [("i8", "addi"), ("i16", "addi"), ("i8", "maxs"), ("i16", "muli")])
def test_short_integers_leave_their_neighbours(type: str, kind: str, chip: str, run_on: Any, text: Any) -> None:
    dtype = np.dtype(DTYPES[type])
    x = (np.arange(GROUPS * THREADS) * 37 - 1000).astype(dtype)
    start = np.array([3, -5, 1, 7], dtype)
    _, found = both(text(bins_arguments(type), into_bins(kind, type)), [x, start], chip, run_on)
    expected = [INTEGER_KINDS[kind](np.append(x[i::BINS], start[i])) for i in range(BINS)]
    mask = (1 << dtype.itemsize * 8) - 1
    assert [int(v) & mask for v in found] == [e & mask for e in expected]


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", FLOAT_KINDS)
@pytest.mark.parametrize("type", FLOATS)
def test_floats(type: str, kind: str, chip: str, run_on: Any, text: Any) -> None:
    """Small integers, and powers of two for products: every order gives the same."""
    position = np.arange(GROUPS * THREADS)
    x = 2.0 ** ((position // BINS) % 2 * 2 - 1) if kind == "mulf" else position * 29 % 7 - 3.0
    start = np.array([1, 2, -4, 2])
    given = [x.astype(DTYPES[type]), start.astype(DTYPES[type])]
    _, found = both(text(bins_arguments(type), into_bins(kind, type)), given, chip, run_on)
    expected = [FLOAT_KINDS[kind](np.append(x[i::BINS], start[i])) for i in range(BINS)]
    assert found.astype(np.float64).tolist() == expected


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("kind", "expected"), [("maximumf", np.nan), ("maxnumf", 5.0)])
def test_nan(kind: str, expected: float, chip: str, run_on: Any, text: Any) -> None:
    x = np.full(GROUPS * THREADS, 5, np.float32)
    x[50] = np.nan
    _, found = run_on(
        chip, text(bins_arguments("f32"), into_bins(kind, "f32")), [x, np.zeros(4, np.float32)], (3, 1, 1)
    )
    np.testing.assert_array_equal(found, [5, 5, expected, 5])


@pytest.mark.parametrize("chip", CHIPS)
def test_every_thread_gets_a_ticket_of_its_own(chip: str, run_on: Any, text: Any) -> None:
    count = GROUPS * THREADS
    body = f"""  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %ticket = memref.atomic_rmw addi %one, %next[] : (index, memref<index>) -> index
  %old = memref.atomic_rmw assign %one, %seen[%ticket] : (index, memref<{count}xindex>) -> index
  %new = arith.cmpi ne, %old, %c0 : index
  scf.if %new {{
    %e = memref.atomic_rmw addi %one, %twice[] : (index, memref<index>) -> index
  }}"""
    arguments = f"%next: memref<index>, %seen: memref<{count}xindex>, %twice: memref<index>"
    given = [np.zeros((), np.int64), np.zeros(count, np.int64), np.zeros((), np.int64)]
    next_ticket, seen, twice = both(text(arguments, body), given, chip, run_on)
    assert (int(next_ticket), int(twice)) == (count, 0)
    assert (seen == 1).all()


def histogram(type: str, kind: str, one: str) -> str:
    return f"""  %s = memref.alloc() : memref<4x{type}, {SHARED}>
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %four = arith.constant 4 : index
  %zero = arith.constant {one.replace("1", "0")} : {type}
  %one = arith.constant {one} : {type}
  %low = arith.cmpi ult, %t, %four : index
  scf.if %low {{
    memref.store %zero, %s[%t] : memref<4x{type}, {SHARED}>
  }}
  gpu.barrier
  %k = memref.load %keys[%t] : memref<{THREADS}xindex>
  memref.atomic_rmw {kind} %one, %s[%k] : ({type}, memref<4x{type}, {SHARED}>) -> {type}
  gpu.barrier
  scf.if %low {{
    %n = memref.load %s[%t] : memref<4x{type}, {SHARED}>
    memref.atomic_rmw {kind} %n, %out[%t] : ({type}, memref<4x{type}>) -> {type}
  }}"""


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(
    ("type", "kind", "one"),
    [
        ("i32", "addi", "1"),
        ("i64", "addi", "1"),
        ("f32", "addf", "1.0"),
        ("f64", "addf", "1.0"),
        ("f16", "addf", "1.0"),
        ("i8", "addi", "1"),
    ],
)
def test_histogram_in_workgroup_memory(type: str, kind: str, one: str, chip: str, run_on: Any, text: Any) -> None:
    keys = np.random.default_rng(3).integers(0, 4, THREADS)
    program = text(f"%keys: memref<{THREADS}xindex>, %out: memref<4x{type}>", histogram(type, kind, one))
    _, found = both(program, [keys, np.zeros(4, DTYPES[type])], chip, run_on)
    assert found.astype(np.int64).tolist() == (GROUPS * np.bincount(keys, minlength=4)).tolist()


@pytest.mark.parametrize("chip", CHIPS)
def test_bits(chip: str, run_on: Any, text: Any) -> None:
    x = np.zeros(GROUPS * THREADS, np.bool_)
    x[[6, 9, 13]] = True
    _, found = both(text(bins_arguments("i1"), into_bins("xori", "i1")), [x, np.zeros(4, np.bool_)], chip, run_on)
    assert found.tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("type", "kind", "message"),
    [("i1", "addi", "updates i1 by 'addi'"), ("f6E3M2FN", "addf", "updates f6E3M2FN by 'addf'")],
)
def test_located_errors(type: str, kind: str, message: str, build: Any, text: Any) -> None:
    with pytest.raises(CompileError) as caught:
        build(text(bins_arguments(type), into_bins(kind, type)))
    (diagnostic,) = caught.value.diagnostics
    assert f"'memref.atomic_rmw' op {message}" in diagnostic.message
    assert diagnostic.location is not None


def test_instructions(build: Any, text: Any) -> None:
    """One instruction where the machine has one, for the threads that share the memory."""
    expected = {
        ("sm_80", "i32", "addi"): "atom.global.add.u32",
        ("sm_80", "f32", "addf"): "atom.global.add.f32",
        ("gfx942", "f32", "addf"): "global_atomic_add_f32",
        ("gfx942", "f64", "addf"): "global_atomic_add_f64",
        ("gfx1100", "i64", "maxu"): "global_atomic_max_u64",
    }
    for (chip, type, kind), word in expected.items():
        assembly = build(text(bins_arguments(type), into_bins(kind, type)), chip).assembly
        assert word in assembly and "cas" not in assembly and "cmpswap" not in assembly
