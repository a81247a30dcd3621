"""Products of what lanes hold: dot products of packed numbers, and the chips' matrix instructions, dense, sparse and
scaled, as programs of threads write them. `@` and `lw.contract` choose instructions by themselves.

Operands are vectors in register order. `lanewise targets --matrix --target CHIP` lists a chip's shapes and types,
`lanewise probe --target CHIP` shows where elements lie.
"""

from __future__ import annotations

from typing import TypeAlias

from ..ir.attributes import ArrayAttr, IntegerAttr, UnitAttr
from ..ir.core import Operation
from ..ir.dialects import amdgpu, amdgpu_dot, amdgpu_scaled, amdgpu_sparse, lanewise_dot, nvgpu
from ..ir.dialects.nvgpu_scaled import MmaBlockScaleSyncOp
from ..ir.dialects.nvgpu_sparse import MmaSparseSyncOp
from ..ir.types import I32, I64, Attribute
from .dtypes import i8, i32, u8
from .elementwise import reread
from .operands import Operand, lifted
from .shapes import broadcast
from .trace import building, fail
from .values import Numeric, Value, as_value, given

Shape: TypeAlias = "tuple[int, int, int]"
"""m, n, k of an instruction: rows and columns of the result, and products of each sum."""


def dp4a(a: Numeric, b: Numeric, acc: Numeric = 0) -> Value:
    """The four products of bytes and a sum, modulo 2^32, as CUDA's `__dp4a`; of programs of threads.

    Args:
        a: Four bytes, `i8` or `u8`, or a number of 32 bits that they are packed in: of `u32` without a sign.
        b: As `a`; the two may differ in their sign on NVIDIA's chips and from gfx11 on.
        acc: An `i32`, or `u32`.
    """
    x, y, total = _bytes("dp4a", a), _bytes("dp4a", b), lifted(given(acc), i32)
    if total.dtype.mlir != "i32" or total.shape:
        fail(f"'dp4a' adds to an i32, found {total.text}", total.made)
    made = building().value(lanewise_dot.DotOp, x.ssa, y.ssa, total.ssa, **_unsigned(x, y))
    return Value(Operand(made, total.dtype))


def _bytes(name: str, value: Numeric) -> Operand:
    """Four bytes, or those in a word."""
    x = lifted(given(value))
    if x.dtype.mlir == "i32" and not x.shape:
        return reread(broadcast(x, (1,)), u8 if x.dtype.unsigned else i8)
    if x.dtype.mlir != "i8" or x.shape != (lanewise_dot.BYTES,):
        fail(f"'{name}' takes four bytes, or a number of 32 bits that they are packed in, found {x.text}", x.made)
    return x


def packed_dot(a: Value, b: Value, acc: Numeric, *, saturate: bool = False) -> Value:
    """A few neighbours' products and a sum, by one of AMD's `v_dot` instructions; of programs of threads.

    Args:
        a: Two of `f16`, `bf16` or 16-bit integers, four of bytes or of floats of 8 bits, or eight of 4 bits.
        b: As many.
        acc: What is added to: f32, f16, bf16, or 32 bits.
        saturate: Of integers, whether the nearest number of the type is given where the sum has none.
    """
    x, y, total = as_value(a).operand, as_value(b).operand, lifted(given(acc))
    clamp = UnitAttr() if saturate else None
    made = building().value(amdgpu_dot.DotOp, x.ssa, y.ssa, total.ssa, clamp=clamp, **_unsigned(x, y))
    return Value(Operand(made, total.dtype))


def _unsigned(a: Operand, b: Operand) -> dict[str, Attribute]:
    """The marks of operands that are integers without a sign."""
    return {f"unsigned{side}": UnitAttr() for side, x in (("A", a), ("B", b)) if x.dtype.unsigned}


# -- NVIDIA's ----------------------------------------------------------------------------------------------------------


def mma(a: Value, b: Value, acc: Value, shape: Shape, *, tf32: bool = False) -> Value:
    """`mma.sync`: a subgroup's `a @ b + acc`, of which each lane has its fragments.

    Args:
        a: [registers, elements of one], as `nvgpu.mma.sync` has them.
        b: As `a`.
        acc: [registers, 2].
        shape: m, n, k, such as (16, 8, 16).
        tf32: Whether operands of f32 are rounded to tf32.
    """
    marks = _unsigned(as_value(a).operand, as_value(b).operand) | ({"tf32Enabled": UnitAttr()} if tf32 else {})
    return _product(nvgpu.MmaSyncOp, [a, b, acc], mmaShape=_mma_shape(shape), **marks)


def mma_sparse(
    a: Value, b: Value, acc: Value, metadata: Value, shape: Shape, *, selector: int = 0, tf32: bool = False
) -> Value:
    """`mma.sp.sync`: as `mma`, of an A of which two of every four neighbours along K are held.

    Args:
        a: Fragments of the half that is held.
        b: Fragments, of all of K.
        acc: [registers, 2].
        metadata: Which of four each element is, 2 bits for each: two numbers of 16 bits.
        shape: m, n, k, with all of K.
        selector: Which of every four lanes' metadata count, 0 or 1.
        tf32: Whether operands of f32 are rounded to tf32, of which one of every two is held.
    """
    marks = _unsigned(as_value(a).operand, as_value(b).operand) | ({"tf32Enabled": UnitAttr()} if tf32 else {})
    named = {"mmaShape": _mma_shape(shape), "sparsitySelector": IntegerAttr(selector, I32), **marks}
    return _product(MmaSparseSyncOp, [a, b, acc, metadata], **named)


def mma_scaled(
    a: Value, a_scales: Value, b: Value, b_scales: Value, acc: Value, shape: Shape,
    *, a_byte: int = 0, b_byte: int = 0, a_thread: int = 0, b_thread: int = 0,
) -> Value:  # fmt: skip
    """`mma` with `.block_scale` (sm_120a): each block of 32 (or 16) elements along K has a scale.

    Args:
        a: Fragments of floats of 8, 6 or 4 bits.
        a_scales: Four scales of a lane, of which those from `a_byte` on count.
        b: As `a`.
        b_scales: As `a_scales`.
        acc: [registers, 2] of f32.
        shape: m, n, k.
        a_byte: The first byte of `a_scales`.
        b_byte: The first byte of `b_scales`.
        a_thread: Whether the first two (0) or the last two (1) of every four lanes have the scales of A.
        b_thread: Which of every four lanes has those of B.
    """
    numbers = {"byteIdA": a_byte, "threadIdA": a_thread, "byteIdB": b_byte, "threadIdB": b_thread}
    named = {name: IntegerAttr(n, I32) for name, n in numbers.items()}
    return _product(MmaBlockScaleSyncOp, [a, b, acc, a_scales, b_scales], mmaShape=_mma_shape(shape), **named)


def _mma_shape(shape: Shape) -> ArrayAttr:
    return ArrayAttr(tuple(IntegerAttr(n, I64) for n in _checked(shape)))


def _checked(shape: Shape) -> Shape:
    if len(shape) != 3 or not all(type(n) is int and n > 0 for n in shape):
        fail(f"the shape of an instruction is m, n, k, such as (16, 8, 16), found {shape!r}")
    return shape


# -- AMD's -------------------------------------------------------------------------------------------------------------


def mfma(a: Value, b: Value, acc: Value, shape: Shape, *, blocks: int = 1) -> Value:
    """`v_mfma`: a subgroup's `a @ b + acc` on CDNA, of which each of 64 lanes has its part in register order.
    `blocks` are products side by side."""
    return _product(amdgpu.MfmaOp, [a, b, acc], blocks=IntegerAttr(blocks, I32), **_sizes(shape))


def mfma_sparse(a: Value, b: Value, acc: Value, places: Value, shape: Shape, *, set: int = 0) -> Value:
    """`v_smfmac` (gfx942, gfx950): as `mfma`, of an A of which two of every four neighbours along K are held.

    Args:
        a: 4, 8 or 16 elements of a lane.
        b: Twice as many.
        acc: The lane's part of the sums.
        places: 32 bits, of which 2 for each element of `a` say which of four it is: [4] of i8 beside four elements,
            [2] of i16 beside eight, an i32 beside sixteen.
        shape: m, n, k, with all of K.
        set: Which bits of `places` count, where they are more than a lane's elements take.
    """
    return _product(amdgpu_sparse.SparseMfmaOp, [a, b, acc, places], abid=IntegerAttr(set, I32), **_sizes(shape))


def mfma_scaled(
    a: Value, a_scales: Value, b: Value, b_scales: Value, acc: Value, shape: Shape, *, a_byte: int = 0, b_byte: int = 0
) -> Value:
    """`v_mfma_scale` (gfx950): as `mfma`, of 32 floats of 8, 6 or 4 bits in a lane, which have one scale.

    Args:
        a: 32 floats, of row l % m of lane l: of 8 bits 16 from 16 (l // m) on in both halves of K, of fewer bits 32
            from 32 (l // m) on.
        a_scales: A lane's scale, or four of which number `a_byte` counts: that of the 32 elements from 32 (l // m) on.
        b: As `a`, with rows and columns exchanged.
        b_scales: As `a_scales`.
        acc: The lane's part of the sums, f32.
        shape: (16, 16, 128) or (32, 32, 64).
        a_byte: Which of four scales.
        b_byte: Which of four scales.
    """
    numbers = {"scalesIdxA": IntegerAttr(a_byte, I32), "scalesIdxB": IntegerAttr(b_byte, I32)}
    return _product(amdgpu_scaled.ScaledMfmaOp, [a, b, acc, a_scales, b_scales], **numbers, **_sizes(shape))


def wmma(a: Value, b: Value, acc: Value, shape: Shape) -> Value:
    """`v_wmma`: a subgroup's `a @ b + acc` on RDNA and gfx1250, of which each lane has its part in register order."""
    return _product(amdgpu.WmmaOp, [a, b, acc], **_unsigned(as_value(a).operand, as_value(b).operand), **_sizes(shape))


def wmma_sparse(a: Value, b: Value, acc: Value, places: Value, shape: Shape) -> Value:
    """`v_swmmac` (gfx1200, gfx1201): as `wmma`, of an A of which two of every four neighbours along K are held; 2 bits
    for each of them in `places`, four of i8, say which."""
    marks = _unsigned(as_value(a).operand, as_value(b).operand)
    return _product(amdgpu_sparse.SparseWmmaOp, [a, b, acc, places], **marks, **_sizes(shape))


def wmma_scaled(
    a: Value, a_scales: Value, b: Value, b_scales: Value, acc: Value, shape: Shape, *, a_lane: int = 0, b_lane: int = 0
) -> Value:
    """`v_wmma_scale` (gfx1250): as `wmma`, of floats of 8, 6 or 4 bits; a lane has the four (or eight) scales of a
    row along K, and those of row i are of lane `a_lane + i`, those of column i of lane `b_lane + i`."""
    named = {"a_first_scale_lane": IntegerAttr(a_lane, I32), "b_first_scale_lane": IntegerAttr(b_lane, I32)}
    return _product(amdgpu_scaled.ScaledWmmaOp, [a, b, acc, a_scales, b_scales], **named, **_sizes(shape))


def _sizes(shape: Shape) -> dict[str, Attribute]:
    return {name: IntegerAttr(n, I32) for name, n in zip("mnk", _checked(shape), strict=True)}


def _product(op: type[Operation], values: list[Value], **attributes: Attribute) -> Value:
    operands = [as_value(value).operand for value in values]
    acc = operands[2]
    made = building().value(op, *(x.ssa for x in operands), types=[acc.ssa.type], **attributes)
    return Value(Operand(made, acc.dtype))
