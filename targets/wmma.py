"""AMD's WMMA instructions (RDNA and gfx1250; 32 lanes, on gfx11 64 as well).

Sources: the RDNA 3 and 4 instruction set documents; the fragments of gfx1250 are IREE's, not yet checked on hardware.
The same opcode has different fragments on gfx11 and gfx12, so every row names its generation. What is not here though
LLVM has it, and why: docs/decisions/0078.
"""

from __future__ import annotations

from ..support.late import LateRows
from ..support.named_tuples import NamedTuple
from . import amd_fragments
from .matrix_instruction import (
    ELEMENT_BITS,
    MatrixInstruction,
    Operand,
    Registers,
    iree_spelling,
    iree_spelling_of_2024,
)
from .mfma import F6F4, F8F6F4_FORMAT

_PLAIN = ("a", "b", "c")
_LOW_HALVES = (*_PLAIN, "i1 false")  # gfx11 and gfx12: where 16-bit results go
_NO_SATURATION = ("i1 false",)


class _Row(NamedTuple):
    k: int
    a_type: str
    b_type: str
    accumulator: str
    llvm_name: str  # after `llvm.amdgcn.wmma.`
    carrier: str  # the LLVM type of one lane's A or B
    c_carrier: str
    arguments: tuple[str, ...]
    b_carrier: str = ""  # where it is not A's


class _Generation(NamedTuple):
    feature: str
    iree_prefix: str
    rows: tuple[_Row, ...]
    lanes: int = 32


_F32, _I32 = "<8 x float>", "<8 x i32>"
_BYTES, _NIBBLES = ("i8", "ui8"), ("i4", "ui4")


def _integers(
    k: int, types: tuple[str, str], name: str, carrier: str, behind: tuple[str, ...], accumulator: str = _I32
) -> tuple[_Row, ...]:
    """A flag in front of A and of B says whether it is signed."""
    return tuple(
        _Row(k, a, b, "i32", name, carrier, accumulator, (*_sign(a), "a", *_sign(b), "b", "c", *behind))
        for a in types
        for b in types
    )


def _sign(element_type: str) -> tuple[str]:
    return ("i1 false" if element_type.startswith("u") else "i1 true",)


_FP8 = {"f8E4M3FN": "fp8", "f8E5M2": "bf8"}
_FP8_PAIRS = [(a, b) for a in _FP8 for b in _FP8]

_GFX11 = (
    _Row(16, "f16", "f16", "f32", "f32.16x16x16.f16.v8f32.v16f16", "<16 x half>", _F32, _PLAIN),
    _Row(16, "bf16", "bf16", "f32", "f32.16x16x16.bf16.v8f32.v16i16", "<16 x i16>", _F32, _PLAIN),
    _Row(16, "f16", "f16", "f16", "f16.16x16x16.f16.v16f16.v16f16", "<16 x half>", "<16 x half>", _LOW_HALVES),
    _Row(16, "bf16", "bf16", "bf16", "bf16.16x16x16.bf16.v16i16.v16i16", "<16 x i16>", "<16 x i16>", _LOW_HALVES),
    *_integers(16, _BYTES, "i32.16x16x16.iu8.v8i32.v4i32", "<4 x i32>", _NO_SATURATION),
    *_integers(16, _NIBBLES, "i32.16x16x16.iu4.v8i32.v2i32", "<2 x i32>", _NO_SATURATION),
)

_GFX11_WAVE64 = (
    _Row(16, "f16", "f16", "f32", "f32.16x16x16.f16.v4f32.v16f16", "<16 x half>", "<4 x float>", _PLAIN),
    _Row(16, "bf16", "bf16", "f32", "f32.16x16x16.bf16.v4f32.v16i16", "<16 x i16>", "<4 x float>", _PLAIN),
    _Row(16, "f16", "f16", "f16", "f16.16x16x16.f16.v8f16.v16f16", "<16 x half>", "<8 x half>", _LOW_HALVES),
    _Row(16, "bf16", "bf16", "bf16", "bf16.16x16x16.bf16.v8i16.v16i16", "<16 x i16>", "<8 x i16>", _LOW_HALVES),
    *_integers(16, _BYTES, "i32.16x16x16.iu8.v4i32.v4i32", "<4 x i32>", _NO_SATURATION, "<4 x i32>"),
    *_integers(16, _NIBBLES, "i32.16x16x16.iu4.v4i32.v2i32", "<2 x i32>", _NO_SATURATION, "<4 x i32>"),
)

_GFX12 = (
    _Row(16, "f16", "f16", "f32", "f32.16x16x16.f16.v8f32.v8f16", "<8 x half>", _F32, _PLAIN),
    _Row(16, "bf16", "bf16", "f32", "f32.16x16x16.bf16.v8f32.v8i16", "<8 x i16>", _F32, _PLAIN),
    _Row(16, "f16", "f16", "f16", "f16.16x16x16.f16.v8f16.v8f16", "<8 x half>", "<8 x half>", _LOW_HALVES),
    _Row(16, "bf16", "bf16", "bf16", "bf16.16x16x16.bf16.v8i16.v8i16", "<8 x i16>", "<8 x i16>", _LOW_HALVES),
    *_integers(16, _BYTES, "i32.16x16x16.iu8.v8i32.v2i32", "<2 x i32>", _NO_SATURATION),
    *_integers(16, _NIBBLES, "i32.16x16x16.iu4.v8i32.i32", "i32", _NO_SATURATION),
    *_integers(32, _NIBBLES, "i32.16x16x32.iu4.v8i32.v2i32", "<2 x i32>", _NO_SATURATION),
    *(
        _Row(16, a, b, "f32", f"f32.16x16x16.{_FP8[a]}.{_FP8[b]}.v8f32.v2i32", "<2 x i32>", _F32, _PLAIN)
        for a, b in _FP8_PAIRS
    ),
)

# gfx1250: negation flags, a modifier of C, and hints to reuse A or B from the previous instruction.
_MODIFIED = ("i1 false", "a", "i1 false", "b", "i16 0", "c", "i1 false", "i1 false")
_UNMODIFIED = ("a", "b", "i16 0", "c", "i1 false", "i1 false")


def _short(a: str, b: str) -> _Row:
    """The row of fewer than 8 bits both: then they have K in the same order."""
    k = 128
    words = [k // 2 * ELEMENT_BITS[type] // 32 for type in (a, b)]
    name = f"f32.16x16x{k}.f8f6f4.v8f32.v{words[0]}i32.v{words[1]}i32"
    formats = [f"i32 {F8F6F4_FORMAT[type]}" for type in (a, b)]
    arguments = (formats[0], "a", formats[1], "b", "i16 0", "c")
    return _Row(k, a, b, "f32", name, f"<{words[0]} x i32>", _F32, arguments, f"<{words[1]} x i32>")


_GFX1250 = (
    _Row(4, "f32", "f32", "f32", "f32.16x16x4.f32.v8f32.v2f32", "<2 x float>", _F32, _MODIFIED),
    _Row(32, "f16", "f16", "f32", "f32.16x16x32.f16.v8f32.v16f16", "<16 x half>", _F32, _MODIFIED),
    _Row(32, "bf16", "bf16", "f32", "f32.16x16x32.bf16.v8f32.v16bf16", "<16 x bfloat>", _F32, _MODIFIED),
    _Row(32, "f16", "f16", "f16", "f16.16x16x32.f16.v8f16.v16f16", "<16 x half>", "<8 x half>", _MODIFIED),
    _Row(32, "bf16", "bf16", "bf16", "bf16.16x16x32.bf16.v8bf16.v16bf16", "<16 x bfloat>", "<8 x bfloat>", _MODIFIED),
    *_integers(64, _BYTES, "i32.16x16x64.iu8.v8i32.v8i32", "<8 x i32>", ("i1 false", "i1 false", "i1 false")),
    *(
        _Row(
            k, a, b, c, f"{c}.16x16x{k}.{_FP8[a]}.{_FP8[b]}.v8{c}.v{k // 8}i32", f"<{k // 8} x i32>", held, _UNMODIFIED
        )
        for k in (64, 128)
        for c, held in (("f32", _F32), ("f16", "<8 x half>"))
        for a, b in _FP8_PAIRS
    ),
    *(_short(a, b) for a in F6F4 for b in F6F4),
)

_GENERATIONS = (
    _Generation("wmma.gfx11", "WMMAR3", _GFX11),
    _Generation("wmma.gfx11", "WMMAR3", _GFX11_WAVE64, lanes=64),
    _Generation("wmma.gfx12", "WMMAR4", _GFX12),
    _Generation("wmma.gfx1250", "WMMA", _GFX1250),
)
_SIXTEEN_BITS = frozenset({"f16", "bf16"})


def _operands(generation: _Generation, row: _Row) -> tuple[Operand, Operand, Operand]:
    is_gfx11 = generation.feature == "wmma.gfx11"
    a, b, c = amd_fragments.wmma_gfx11(row.k, generation.lanes) if is_gfx11 else amd_fragments.wmma(row.k)
    stride = 2 if is_gfx11 and row.accumulator in _SIXTEEN_BITS else 1
    return (
        Operand.of(a, Registers(row.carrier, 1, a.elements)),
        Operand.of(b, Registers(row.b_carrier or row.carrier, 1, b.elements)),
        Operand.of(c, Registers(row.c_carrier, 1, c.elements * stride, slot_stride=stride)),
    )


def _instruction(generation: _Generation, row: _Row) -> MatrixInstruction:
    is_gfx11, wide = generation.feature == "wmma.gfx11", generation.lanes == 64
    shape = (16, 16, row.k)
    a, b, c = _operands(generation, row)
    interleaves = generation.feature == "wmma.gfx12" and row.a_type in _SIXTEEN_BITS
    operands = row.a_type if row.a_type == row.b_type else f"{row.a_type}.{row.b_type}"
    return MatrixInstruction(
        name=f"{generation.feature}.{row.accumulator}.16x16x{row.k}.{operands}" + ".wave64" * wide,
        iree_name=iree_spelling(generation.iree_prefix, shape, row.a_type, row.b_type, row.accumulator) + "_W64" * wide,
        family="wmma",
        shape=shape,
        a_type=row.a_type,
        b_type=row.b_type,
        c_type=row.accumulator,
        a=a,
        b=b,
        c=c,
        requires=generation.feature,
        subgroup_size=generation.lanes,
        llvm_name=f"llvm.amdgcn.wmma.{row.llvm_name}",
        arguments=row.arguments,
        aliases=_former_names(shape, row) if is_gfx11 and not wide else (),
        hardware=amd_fragments.wmma_halves() if interleaves else None,
    )


def _former_names(shape: tuple[int, int, int], row: _Row) -> tuple[str, ...]:
    """Before the generations were told apart, gfx11's names had the prefix WMMA, in either order of the types."""
    recent = iree_spelling("WMMA", shape, row.a_type, row.b_type, row.accumulator)
    oldest = iree_spelling_of_2024("WMMA", shape, row.a_type, row.accumulator)
    return tuple(dict.fromkeys((recent, oldest))) if row.a_type == row.b_type else (recent,)


WMMA = LateRows(lambda: (_instruction(generation, row) for generation in _GENERATIONS for row in generation.rows))
