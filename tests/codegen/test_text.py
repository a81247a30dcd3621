"""The LLVM text itself: what it depends on, what is folded, how constants are written, the kernel's parameters."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.codegen.all_rules import emit_reason, emit_rule
from lanewise.codegen.emit import integers
from lanewise.codegen.emit.text import Ssa, Writer, float_constant, float_of_bits, integer
from lanewise.codegen.emit.wide_access import pieces
from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects import load_all
from lanewise.ir.integer_ranges import below

from .conftest import compiled, kernel_text


def test_every_operation_has_a_rule_or_a_reason() -> None:
    load_all()
    missing = [n for n, cls in REGISTRY.items() if not emit_rule(cls, "nvidia") and not emit_reason(cls, "nvidia")]
    assert not missing
    both = [n for n, cls in REGISTRY.items() if emit_rule(cls, "nvidia") and emit_reason(cls, "nvidia")]
    assert not both


BODY = """  {t} = gpu.thread_id x
  {c} = arith.constant 3 : index
  {i} = arith.addi {t}, {c} : index
  {x} = memref.load %a[{i}] : memref<128xf32>
  {y} = arith.addf {x}, {x} : f32
  memref.store {y}, %a[{t}] : memref<128xf32>"""


def test_names_do_not_reach_the_text(build: Any, text: Any) -> None:
    """Neither those of values nor, but for the symbol, that of the kernel; and compiling twice gives the same."""
    body = BODY.format(t="%t", c="%c", i="%i", x="%x", y="%y")
    renamed = BODY.format(t="%entry", c="%v0", i="%a0", x="%b1", y="%shared")
    plain, again = (build(text("%a: memref<128xf32>", body)) for _ in range(2))
    other = build(text("%a: memref<128xf32>", renamed, name="other"))
    assert plain == again
    assert other.llvm_ir.replace("@other(", "@k(") == plain.llvm_ir
    assert re.sub(r"\bother\b", "k", other.assembly.replace("other_param", "k_param")) == plain.assembly


def test_parameters_are_laid_out_as_a_struct(build: Any, text: Any) -> None:
    buffer = "memref<?x4x?xf32, strided<[?, ?, 1], offset: ?>>"
    arguments = f"%flag: i1, %a: {buffer}, %h: f16, %n: index, %b: i8, %m: memref<4xi8>"
    found = build(text(arguments, "")).parameters
    assert [(p.name, p.role, p.argument, p.dimension, p.offset, p.size) for p in found] == [
        ("flag", "scalar", 0, None, 0, 1),
        ("a", "pointer", 1, None, 8, 8),
        ("a.size0", "size", 1, 0, 16, 8),
        ("a.size2", "size", 1, 2, 24, 8),
        ("a.stride0", "stride", 1, 0, 32, 8),
        ("a.stride1", "stride", 1, 1, 40, 8),
        ("a.offset", "offset", 1, None, 48, 8),
        ("h", "scalar", 2, None, 56, 2),
        ("n", "scalar", 3, None, 64, 8),
        ("b", "scalar", 4, None, 72, 1),
        ("m", "pointer", 5, None, 80, 8),
    ]


def test_scalar_arguments_arrive(run: Any, text: Any) -> None:
    arguments = "%flag: i1, %h: f16, %q: bf16, %b: i8, %d: f64, %out: memref<64xf64>"
    body = """  %t = gpu.thread_id x
  %wh = arith.extf %h : f16 to f64
  %wq = arith.extf %q : bf16 to f64
  %wb = arith.sitofp %b : i8 to f64
  %s0 = arith.addf %wh, %wq : f64
  %s1 = arith.addf %s0, %wb : f64
  %s2 = arith.addf %s1, %d : f64
  %r = arith.select %flag, %s2, %d : f64
  memref.store %r, %out[%t] : memref<64xf64>"""
    values = [np.float16(0.5), ml_dtypes.bfloat16(0.25), np.int8(-3), np.float64(100)]
    for flag, expected in ((True, 97.75), (False, 100.0)):
        (found,) = run(text(arguments, body), [np.bool_(flag), *values, np.zeros(64)])
        assert (found == expected).all()


def test_kernel_attributes(build: Any, text: Any) -> None:
    arguments = "%a: memref<64xf32> {llvm.align = 64 : i64}, %b: memref<64xf16>"
    body = """  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<64xf32>
  %y = arith.truncf %x : f32 to f16
  memref.store %y, %b[%t] : memref<64xf16>"""
    artifacts = build(text(arguments, body, (16, 2, 2)))
    assert "noalias readonly align 64 %a0" in artifacts.llvm_ir
    assert "noalias align 2 %a1" in artifacts.llvm_ir
    assert ".reqntid 16, 2, 2" in artifacts.assembly
    assert artifacts.block_size == (16, 2, 2)
    assert set(artifacts.timings) == {"emit", "read", "optimise"}


# -- the writer -----------------------------------------------------------------------------------------------------

ARGUMENT = Ssa("%a0", "i64")


def test_integers_fold() -> None:
    w = Writer()
    assert integers.add(w, integer(2**63 - 1), integer(1)) == integer(-(2**63))
    assert integers.add(w, ARGUMENT, integer(0)) is ARGUMENT
    assert integers.mul(w, integer(1), ARGUMENT) is ARGUMENT
    assert integers.mul(w, ARGUMENT, integer(0)) == integer(0)
    once = integers.add(w, integers.add(w, ARGUMENT, integer(5)), integer(7))
    assert once == integers.add(w, ARGUMENT, integer(12))
    assert integers.split_constant(w, once) == (ARGUMENT, 12)
    scaled = integers.mul(w, once, integer(4))
    base, constant = integers.split_constant(w, scaled)
    assert (base, constant) == (integers.mul(w, ARGUMENT, integer(4)), 48)


def test_division_by_zero_is_not_folded() -> None:
    w = Writer()
    assert integers.binary(w, "sdiv", integer(1), integer(0)).number is None
    assert integers.binary(w, "srem", integer(-(2**63)), integer(-1)).number is None
    assert integers.binary(w, "shl", integer(1), integer(64)).number is None


def test_what_a_scope_computed_is_not_used_after_it() -> None:
    w = Writer()
    with w.scope():
        inner = integers.add(w, ARGUMENT, integer(1))
        assert integers.add(w, ARGUMENT, integer(1)) == inner
    outer = integers.add(w, ARGUMENT, integer(1))
    assert outer != inner
    with w.scope():
        assert integers.add(w, ARGUMENT, integer(1)) == outer


OPCODES = ["add", "sub", "mul", "and", "or", "xor"]


@given(st.sampled_from(OPCODES), st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_folding_is_arithmetic_modulo_two_to_the_width(opcode: str, a: int, b: int) -> None:
    exact = {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b}[opcode]
    found = integers.binary(Writer(), opcode, integer(a, "i32"), integer(b, "i32"))
    assert found.number is not None and (found.number - exact) % 2**32 == 0 and -(2**31) <= found.number < 2**31


@given(st.floats(allow_nan=True))
def test_doubles_are_written_exactly(value: float) -> None:
    written = float_constant(value, "double").text
    read = np.uint64(int(written, 16)).view(np.float64)
    assert np.float64(value).tobytes() == read.tobytes()


@given(st.integers(0, 2**32 - 1))
def test_singles_are_written_as_the_equal_double(bits: int) -> None:
    read = np.uint64(int(float_of_bits(bits, "float").text, 16)).view(np.float64)
    value = np.uint32(bits).view(np.float32)
    assert np.isnan(read) if np.isnan(value) else float(value) == float(read)


@given(st.integers(1, 40), st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_pieces_cover_and_are_aligned(count: int, element: int, alignment: int) -> None:
    found = list(pieces(count, 8 * element, 8 * max(alignment, element)))
    assert [i for first, size in found for i in range(first, first + size)] == list(range(count))
    for first, size in found:
        bytes = size * element
        assert bytes & (bytes - 1) == 0 and bytes <= min(16, max(alignment, element))
        assert first * element % bytes == 0


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (1.0, "half", "0xH3C00"),
        (1.0, "bfloat", "0xR3F80"),
        (-0.0, "float", "0x8000000000000000"),
        (1e9, "half", "0xH7C00"),
    ],
)
def test_short_floats(value: float, type: str, expected: str) -> None:
    assert float_constant(value, type).text == expected


LARGEST_GRID = {"x": 2**31 - 1, "y": 65535, "z": 65535}
"""Of workgroups: CUDA's programming guide, "Technical Specifications per Compute Capability"; HIP has the same."""


@pytest.mark.parametrize("chip", ["sm_70", "sm_90", "gfx942", "gfx1201"])
@pytest.mark.parametrize("axis", LARGEST_GRID)
def test_ids_have_the_ranges_that_launches_keep(chip: str, axis: str, build: Any, text: Any) -> None:
    """No more, or LLVM keeps comparisons; no less, or it drops some that matter."""
    body = f"""  %i = gpu.OPERATION {axis}
  memref.store %i, %a[%i] : memref<?xindex>"""
    block = tuple(12 if other == axis else 3 for other in "xyz")
    largest = LARGEST_GRID[axis]
    for operation, first, beyond in (
        (f"thread_id {axis}", 0, 12),
        (f"block_id {axis}", 0, largest),
        (f"block_id {axis} upper_bound 77", 0, 77),
        *(((f"grid_dim {axis}", 1, largest + 1),) if chip.startswith("sm") else ()),  # elsewhere an argument
    ):
        program = text("%a: memref<?xindex>", body.replace(f"OPERATION {axis}", operation), block)
        found = re.findall(r"call range\(i32 (-?\d+), (-?\d+)\)", build(program, chip).llvm_ir)
        assert [(int(a), int(b) % 2**32) for a, b in found] == [(first, beyond)], operation


def test_a_quotient_by_a_constant_is_less_than_what_is_divided() -> None:
    w = Writer(tunes_integers=True)
    number = w.know(Ssa("%n", "i64"), below(1000))
    assert w.limit(integers.binary(w, "udiv", number, integer(64))) == 999 // 64 + 1
    assert w.limit(integers.binary(w, "lshr", number, integer(3))) == 999 // 8 + 1
    unknown = w.know(Ssa("%d", "i64"), below(10))
    assert w.limit(integers.binary(w, "udiv", number, unknown)) == 1000


@pytest.mark.parametrize(
    ("predicate", "by", "words"), [("ugt", 64, True), ("ult", 64, True), ("sgt", 64, False), ("ugt", 1 << 31, False)]
)
def test_distances_of_words_are_compared_in_32_bits(predicate: str, by: int, words: bool) -> None:
    """Negative ones are large unsigned numbers, in 32 bits as in 64, and larger than any word."""
    w = Writer(tunes_integers=True)
    a, b = (w.know(Ssa(name, "i64"), below(1 << 31)) for name in ("%a", "%b"))
    compared = w.definition(integers.compare(w, predicate, integers.sub(w, a, b), integer(by)))
    assert compared is not None
    assert (compared.operands[0].type == "i32") is words


@pytest.mark.parametrize(("block", "alone"), [((256, 1, 1), False), ((96, 3, 1), True), ((1024, 1, 1), True)])
def test_a_multiprocessor_is_for_one_workgroup_that_has_not_all_the_registers_a_thread_can_name(block, alone) -> None:
    """65536 registers for 256 threads are 256 for each, of which one can name 255; for 288 they are 224."""
    assert (".minnctapersm 1" in compiled(kernel_text("%a: memref<128xf32>", "", block)).assembly) == alone
