"""Contractions of operands that memory holds in short: block-scaled floats, and matrices of which two of every four
neighbours are zero. They are widened in registers and multiplied as any others; `lang/fragments.py` has the chips' own
instructions for them."""

from __future__ import annotations

from ..ir.dialects import vector
from . import products
from .dtypes import DType, bf16
from .functions import deinterleave, interleave, where
from .operands import Operand
from .trace import fail
from .values import Value, as_value
from .wide import mx_decode


def dot_scaled(
    a: Value, a_scales: Value, b: Value, b_scales: Value, acc: Value | None = None, *, through: DType = bf16
) -> Value:
    """`(a * scales) @ (b * scales) + acc` of microscaling formats (mxfp8, mxfp6, mxfp4), as Triton's `dot_scaled`.

    Args:
        a: [M, K] of floats of 8 bits or less.
        a_scales: [M, K / 32], a scale for each 32 neighbours along K (or for as many as extents say), `f8e8m0fnu`.
        b: [K, N].
        b_scales: [N, K / 32], for each column of b.
        acc: [M, N], by default zeros of f32.
        through: What the operands become before they are multiplied: bf16 has the range of the scales, and all digits
            of floats of 8 bits.
    """
    a, b, a_scales, b_scales = map(as_value, (a, b, a_scales, b_scales))
    for name, x in (("a", a), ("b", b), ("a_scales", a_scales), ("b_scales", b_scales)):
        if x.ndim != 2:
            fail(f"'dot_scaled' multiplies matrices, found {x.operand.text} for {name}", x.operand.made)
    left = mx_decode(a, a_scales, through)
    right = mx_decode(_columns(b), b_scales, through)
    start = None if acc is None else as_value(acc).operand
    return Value(products.contract("mk,nk->mn", left.operand, right.operand, start))


def _columns(b: Value) -> Value:
    """A matrix transposed; where it is one that was transposed, what it was of."""
    maker = b.operand.ssa.operation
    return Value(Operand(maker.vector, b.dtype)) if isinstance(maker, vector.TransposeOp) else b.T


def dot_sparse(a: Value, places: Value, b: Value, acc: Value | None = None) -> Value:
    """`a @ b + acc` of an `a` of which two of every four neighbours along K are held, the others being zero (2:4).

    Args:
        a: [M, K / 2]: elements 2 j and 2 j + 1 of a row are of its neighbours 4 j to 4 j + 3.
        places: [M, K / 2] of integers, 0 to 3: which of the four each is; the two of a four differ.
        b: [K, N].
        acc: [M, N], by default zeros of the type that `@` sums in.
    """
    a, places, b = map(as_value, (a, places, b))
    x, at = a.operand, places.operand
    if len(x.shape) != 2 or x.shape != at.shape or x.shape[1] % 2 or at.dtype.kind not in ("integer", "index"):
        fail(f"'dot_sparse' takes places beside the elements: {x.text} with {at.text}", x.made, at.made)
    whole, start = _spread(a, places), None if acc is None else as_value(acc).operand
    letters = products.letters_of(whole.operand, b.operand)
    return Value(products.contract(letters, whole.operand, b.operand, start))


def _spread(a: Value, places: Value) -> Value:
    """Rows with zeros where nothing is held."""
    (first, second), (of_first, of_second) = deinterleave(a), deinterleave(places)
    parts = [where(of_first == place, first, where(of_second == place, second, 0)) for place in range(4)]
    return interleave(interleave(parts[0], parts[2]), interleave(parts[1], parts[3]))
