"""amdgpu's conversions of packed short floats: one instruction each, on the word that has them."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Value
from ...ir.dialects.amdgpu_packed import (
    NIBBLE,
    ExtPackedFp8Op,
    PackedScaledTruncOp,
    PackedStochRoundFp8Op,
    PackedTrunc2xFp8Op,
    ScaledExtPackedOp,
)
from ...ir.types import element_type
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.pack import put_together, take_apart
from ..emit.text import FALSE, TRUE, Ssa, bits_of, integer, zero
from ..emit.vectors import regroup, ungroup

_SHORT = {"f8E4M3FN": "fp8", "f8E5M2": "bf8", "f8E4M3FNUZ": "fp8", "f8E5M2FNUZ": "bf8", NIBBLE: "fp4"}
"""How instructions name the formats; which one of two is the chip's."""
_LONG = {"f32": "f32", "f16": "f16", "bf16": "bf16"}
_WORD_BITS = 32


def _require(em: Emission, type: str) -> None:
    em.require("cvt.fp8.fnuz" if type.endswith("FNUZ") else "cvt.fp8.ocp")


def _word(em: Emission, value: Value | None, of: Value) -> Ssa:
    """A packed value as a word, zeros where it has less; without a value a word of zeros."""
    if value is None:
        return integer(0, "i32")
    elements = em.elements(value)
    missing = _WORD_BITS // bits_of(elements[0].type) - len(elements)
    return regroup(em, [*elements, *[zero(elements[0].type)] * missing], len(elements) + missing, "i32")[0]


def _put_word(em: Emission, result: Value, word: Ssa) -> None:
    type = em.type(element_type(result.type))
    em.set_pack(result, ungroup(em, [word], _WORD_BITS // bits_of(type), type))


@AMD.of(ExtPackedFp8Op)
def _ext_packed(em: Emission, op: ExtPackedFp8Op) -> None:
    name = str(element_type(op.source.type))
    _require(em, name)
    word, kind = _word(em, op.source, op.source), _SHORT[name]
    if op.res.type == element_type(op.res.type):
        em.set(op.res, em.w.call("float", f"llvm.amdgcn.cvt.f32.{kind}", word, integer(op.index, "i32")))
        return
    half = TRUE if op.index else FALSE
    pair = em.w.call("<2 x float>", f"llvm.amdgcn.cvt.pk.f32.{kind}", word, half)
    em.set_pack(op.res, take_apart(em.w, pair, 2))


@AMD.of(PackedTrunc2xFp8Op)
def _trunc(em: Emission, op: PackedTrunc2xFp8Op) -> None:
    name = str(element_type(op.res.type))
    _require(em, name)
    second = zero("float") if op.sourceB is None else em.scalar(op.sourceB)
    half = TRUE if op.wordIndex else FALSE
    operands = (em.scalar(op.sourceA), second, _word(em, op.existing, op.res), half)
    _put_word(em, op.res, em.w.call("i32", f"llvm.amdgcn.cvt.pk.{_SHORT[name]}.f32", *operands))


@AMD.of(PackedStochRoundFp8Op)
def _stochastic(em: Emission, op: PackedStochRoundFp8Op) -> None:
    name = str(element_type(op.res.type))
    _require(em, name)
    place = integer(op.storeIndex, "i32")
    operands = em.scalar(op.source), em.scalar(op.stochiasticParam), _word(em, op.existing, op.res), place
    _put_word(em, op.res, em.w.call("i32", f"llvm.amdgcn.cvt.sr.{_SHORT[name]}.f32", *operands))


@AMD.of(ScaledExtPackedOp)
def _scaled_ext(em: Emission, op: ScaledExtPackedOp) -> None:
    em.require("cvt.scaled")
    short, long = _SHORT[str(element_type(op.source.type))], _LONG[str(op.res.type.element)]
    type = em.type(op.res.type)
    operands = (_word(em, op.source, op.source), em.scalar(op.scale), _place(short, op.index))
    pair = em.w.call(type, f"llvm.amdgcn.cvt.scalef32.pk.{long}.{short}", *operands)
    em.set_pack(op.res, take_apart(em.w, pair, 2))


def _place(short: str, index: int) -> Ssa:
    """Which pair of the word: of bytes one of two, of nibbles one of four."""
    return integer(index, "i32") if short == "fp4" else TRUE if index else FALSE


@AMD.of(PackedScaledTruncOp)
def _scaled_trunc(em: Emission, op: PackedScaledTruncOp) -> None:
    em.require("cvt.scaled")
    short, long = _SHORT[str(op.res.type.element)], _LONG[str(op.source.type.element)]
    given = _two(em, op.source)
    numbers = given if long == "f32" else [put_together(em.w, given)]
    word, type = _word(em, op.existing, op.res), "i32" if short == "fp4" else "<2 x i16>"
    old = em.w.bitcast(word, type)
    operands = (old, *numbers, em.scalar(op.scale), _place(short, op.index))
    made = em.w.call(type, f"llvm.amdgcn.cvt.scalef32.pk.{short}.{long}", *operands)
    _put_word(em, op.res, em.w.bitcast(made, "i32"))


def _two(em: Emission, value: Value) -> Sequence[Ssa]:
    elements = em.elements(value)
    return [*elements, *[zero(elements[0].type)] * (2 - len(elements))]
