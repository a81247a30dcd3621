"""AMD's MFMA instructions (CDNA, 64 lanes)."""

from __future__ import annotations

from ..support.late import LateRows
from ..support.named_tuples import NamedTuple
from . import amd_fragments
from .fragment import Fragment
from .matrix_instruction import (
    ELEMENT_BITS,
    MatrixInstruction,
    Operand,
    Registers,
    iree_spelling,
    iree_spelling_of_2024,
)

_LANES = amd_fragments.WAVE
_CBSZ_ABID_BLGP = ("i32 0", "i32 0", "i32 0")


class _Row(NamedTuple):
    size: int  # M and N
    k: int
    operands: str
    accumulator: str
    requires: str
    llvm_name: str  # after `llvm.amdgcn.mfma.`
    carrier: str  # the LLVM type of one lane's A or B
    blocks: int = 1


_ROWS = (
    _Row(16, 4, "f32", "f32", "mfma", "f32.16x16x4f32", "float"),
    _Row(32, 2, "f32", "f32", "mfma", "f32.32x32x2f32", "float"),
    _Row(16, 16, "f16", "f32", "mfma", "f32.16x16x16f16", "<4 x half>"),
    _Row(32, 8, "f16", "f32", "mfma", "f32.32x32x8f16", "<4 x half>"),
    _Row(16, 32, "f16", "f32", "mfma.wide", "f32.16x16x32.f16", "<8 x half>"),
    _Row(32, 16, "f16", "f32", "mfma.wide", "f32.32x32x16.f16", "<8 x half>"),
    _Row(16, 8, "bf16", "f32", "mfma.bf16", "f32.16x16x8bf16", "<2 x i16>"),
    _Row(32, 4, "bf16", "f32", "mfma.bf16", "f32.32x32x4bf16", "<2 x i16>"),
    _Row(16, 16, "bf16", "f32", "mfma.bf16.1k", "f32.16x16x16bf16.1k", "<4 x i16>"),
    _Row(32, 8, "bf16", "f32", "mfma.bf16.1k", "f32.32x32x8bf16.1k", "<4 x i16>"),
    _Row(16, 32, "bf16", "f32", "mfma.wide", "f32.16x16x32.bf16", "<8 x bfloat>"),
    _Row(32, 16, "bf16", "f32", "mfma.wide", "f32.32x32x16.bf16", "<8 x bfloat>"),
    _Row(16, 8, "tf32", "f32", "mfma.xf32", "f32.16x16x8.xf32", "<2 x float>"),
    _Row(32, 4, "tf32", "f32", "mfma.xf32", "f32.32x32x4.xf32", "<2 x float>"),
    _Row(16, 16, "i8", "i32", "mfma.i8.k16", "i32.16x16x16i8", "i32"),
    _Row(32, 8, "i8", "i32", "mfma.i8.k16", "i32.32x32x8i8", "i32"),
    _Row(16, 32, "i8", "i32", "mfma.i8.k32", "i32.16x16x32.i8", "i64"),
    _Row(32, 16, "i8", "i32", "mfma.i8.k32", "i32.32x32x16.i8", "i64"),
    _Row(16, 64, "i8", "i32", "mfma.wide", "i32.16x16x64.i8", "<4 x i32>"),
    _Row(32, 32, "i8", "i32", "mfma.wide", "i32.32x32x32.i8", "<4 x i32>"),
    _Row(16, 4, "f64", "f64", "mfma.f64", "f64.16x16x4f64", "double"),
    _Row(4, 4, "f64", "f64", "mfma.f64", "f64.4x4x4f64", "double", blocks=4),
    _Row(4, 1, "f32", "f32", "mfma", "f32.4x4x1f32", "float", blocks=16),
    _Row(16, 1, "f32", "f32", "mfma", "f32.16x16x1f32", "float", blocks=4),
    _Row(32, 1, "f32", "f32", "mfma", "f32.32x32x1f32", "float", blocks=2),
    _Row(4, 4, "f16", "f32", "mfma", "f32.4x4x4f16", "<4 x half>", blocks=16),
    _Row(16, 4, "f16", "f32", "mfma", "f32.16x16x4f16", "<4 x half>", blocks=4),
    _Row(32, 4, "f16", "f32", "mfma", "f32.32x32x4f16", "<4 x half>", blocks=2),
    _Row(4, 2, "bf16", "f32", "mfma.bf16", "f32.4x4x2bf16", "<2 x i16>", blocks=16),
    _Row(16, 2, "bf16", "f32", "mfma.bf16", "f32.16x16x2bf16", "<2 x i16>", blocks=4),
    _Row(32, 2, "bf16", "f32", "mfma.bf16", "f32.32x32x2bf16", "<2 x i16>", blocks=2),
    _Row(4, 4, "bf16", "f32", "mfma.bf16.1k", "f32.4x4x4bf16.1k", "<4 x i16>", blocks=16),
    _Row(16, 4, "bf16", "f32", "mfma.bf16.1k", "f32.16x16x4bf16.1k", "<4 x i16>", blocks=4),
    _Row(32, 4, "bf16", "f32", "mfma.bf16.1k", "f32.32x32x4bf16.1k", "<4 x i16>", blocks=2),
    _Row(4, 4, "i8", "i32", "mfma", "i32.4x4x4i8", "i32", blocks=16),
    _Row(16, 4, "i8", "i32", "mfma", "i32.16x16x4i8", "i32", blocks=4),
    _Row(32, 4, "i8", "i32", "mfma", "i32.32x32x4i8", "i32", blocks=2),
)

FP8_SPELLING = {"f8E4M3FNUZ": "fp8", "f8E5M2FNUZ": "bf8", "f8E4M3FN": "fp8", "f8E5M2": "bf8"}
FP8_FAMILIES = {"mfma.fp8.fnuz": ("f8E4M3FNUZ", "f8E5M2FNUZ"), "mfma.fp8.ocp": ("f8E4M3FN", "f8E5M2")}
F8F6F4_FORMAT = {"f8E4M3FN": 0, "f8E5M2": 1, "f6E2M3FN": 2, "f6E3M2FN": 3, "f4E2M1FN": 4}
"""cbsz and blgp (CDNA 4 ISA)."""
F6F4 = ("f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
_ALIKE = (FP8_FAMILIES["mfma.fp8.ocp"], F6F4)
"""Floats of a byte and shorter ones number K differently, so they do not meet here."""
_LLVM_SCALAR = {"f32": "float", "f64": "double", "i32": "i32"}


def _vector(scalar: str, count: int) -> str:
    return scalar if count == 1 else f"<{count} x {scalar}>"


def _passed(fragment: Fragment, llvm_type: str) -> Operand:
    return Operand.of(fragment, Registers(llvm_type, count=1, slots=fragment.elements))


def _instruction(
    row: _Row,
    b_type: str,
    arguments: tuple[str, ...] = ("a", "b", "c", *_CBSZ_ABID_BLGP),
    b_carrier: str = "",
    hardware: tuple[Fragment, Fragment] | None = None,
) -> MatrixInstruction:
    """The instruction of one row; A has the row's operand type, B has `b_type`."""
    shape = (row.size, row.size, row.k)
    a, b, c = amd_fragments.mfma(row.size, row.k, row.blocks, is_f64=row.operands == "f64")
    accumulators = row.blocks * row.size * row.size // _LANES
    dimensions = "x".join(map(str, shape)) + (f"x{row.blocks}b" if row.blocks > 1 else "")
    operands = row.operands if row.operands == b_type else f"{row.operands}.{b_type}"
    iree = iree_spelling("MFMA", shape, row.operands, b_type, row.accumulator, row.blocks)
    old = iree_spelling_of_2024("MFMA", shape, row.operands, row.accumulator)
    return MatrixInstruction(
        name=f"mfma.{row.accumulator}.{dimensions}.{operands}",
        iree_name=iree,
        family="mfma",
        shape=shape,
        a_type=row.operands,
        b_type=b_type,
        c_type=row.accumulator,
        a=_passed(a, row.carrier),
        b=_passed(b, b_carrier or row.carrier),
        c=_passed(c, _vector(_LLVM_SCALAR[row.accumulator], accumulators)),
        requires=row.requires,
        subgroup_size=_LANES,
        llvm_name=f"llvm.amdgcn.mfma.{row.llvm_name}",
        arguments=arguments,
        aliases=(old,) if row.blocks == 1 and row.operands == b_type and old != iree else (),
        blocks=row.blocks,
        hardware=hardware,
    )


def _fp8(size: int, k: int, a_type: str, b_type: str, requires: str) -> MatrixInstruction:
    name = f"f32.{size}x{size}x{k}.{FP8_SPELLING[a_type]}.{FP8_SPELLING[b_type]}"
    return _instruction(_Row(size, k, a_type, "f32", requires, name, "i64"), b_type)


def _f8f6f4(size: int, k: int, a_type: str, b_type: str) -> MatrixInstruction:
    """The scaled instruction with both scales left out: selectors and scales of 0 mean a factor of one."""
    held = [k * size // _LANES * ELEMENT_BITS[type] // 32 for type in (a_type, b_type)]
    name = f"scale.f32.{size}x{size}x{k}.f8f6f4.v{held[0]}i32.v{held[1]}i32"
    formats = (f"i32 {F8F6F4_FORMAT[a_type]}", f"i32 {F8F6F4_FORMAT[b_type]}")
    row = _Row(size, k, a_type, "f32", "mfma.f8f6f4", name, _vector("i32", held[0]))
    a = amd_fragments.f8f6f4_a(size, ELEMENT_BITS[a_type])
    return _instruction(
        row,
        b_type,
        hardware=(a, a.transposed) if ELEMENT_BITS[a_type] == 8 else None,
        b_carrier=_vector("i32", held[1]),
        arguments=("a", "b", "c", *formats, "i32 0", "i32 0", "i32 0", "i32 0"),
    )


MFMA = LateRows(
    lambda: (
        *(_instruction(row, row.operands) for row in _ROWS),
        *(
            _fp8(size, k, a, b, requires)
            for requires, types in FP8_FAMILIES.items()
            for size, k in ((16, 32), (32, 16))
            for a in types
            for b in types
        ),
        *(
            _f8f6f4(size, k, a, b)
            for size, k in ((16, 128), (32, 64))
            for types in _ALIKE
            for a in types
            for b in types
        ),
    )
)
