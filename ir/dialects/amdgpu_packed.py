"""amdgpu: conversions between floats and short floats that are packed in a word, by AMD's instructions for them.

What a packed value does not say is zero here. What is too large for the short format depends on a mode of the chip,
and what a scale that is no power of two means on more than its exponent: such results are undefined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..core import Operation
from ..define import Constraint, OperandField, int_attribute, is_f32, is_i32, operand, optional_operand, result
from ..numerics import Array, dtype_of, largest, to_float
from ..types import BF16, F16, F32, I32, FloatType, Type, VectorType, element_count, element_type
from .elementwise import MaybeUndefined

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

BYTES = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ")
OCP_BYTES = BYTES[:2]
NIBBLE, SCALE = "f4E2M1FN", "f8E8M0FNU"
_WORD_BITS = 32


def _vectors(names: Sequence[str], lengths: Sequence[int]) -> list[Type]:
    return [VectorType((n,), FloatType(name)) for name in names for n in lengths]


def _one_of(words: str, types: Sequence[Type]) -> Constraint[Any]:
    known = frozenset(types)
    return Constraint(words, lambda t: t in known)


is_bytes = _one_of(f"{', '.join(BYTES)} or up to four of them", [*map(FloatType, BYTES), *_vectors(BYTES, range(1, 5))])
is_word: Constraint[VectorType] = _one_of(f"four of {', '.join(BYTES)}", _vectors(BYTES, (4,)))
is_one_or_two = _one_of("f32 or vector<2xf32>", [F32, VectorType((2,), F32)])
_SCALED = [*_vectors(OCP_BYTES, range(1, 5)), *_vectors((NIBBLE,), range(1, 9))]
is_scaled: Constraint[VectorType] = _one_of("up to four of f8E4M3FN or f8E5M2, or up to eight of f4E2M1FN", _SCALED)
is_scaled_word: Constraint[VectorType] = _one_of(
    "four of f8E4M3FN or f8E5M2, or eight of f4E2M1FN", [*_vectors(OCP_BYTES, (4,)), *_vectors((NIBBLE,), (8,))]
)
is_pair: Constraint[VectorType] = _one_of("two of f32, f16 or bf16", [VectorType((2,), t) for t in (F32, F16, BF16)])
is_up_to_two: Constraint[VectorType] = _one_of(
    "up to two of f32, f16 or bf16", [VectorType((n,), t) for t in (F32, F16, BF16) for n in (1, 2)]
)


class PackedOp(MaybeUndefined):
    """The base of conversions of packed elements: all values are one lane's own."""

    pure = True
    batched = True
    belongs_to = "thread"
    on_lane_vectors = True
    limited: ClassVar[bool] = False
    """Whether there are operands for which the result is undefined."""

    @property
    def may_be_undefined(self) -> bool:
        return self.limited


class ExtPackedFp8Op(PackedOp, opname="amdgpu.ext_packed_fp8"):
    """`%v[1] : vector<4xf8E4M3FN> to f32`: one element; to vector<2xf32>: the first pair of the word, or the second."""

    source = operand(is_bytes)
    index = int_attribute(number=I32)
    res = result(is_one_or_two)
    assembly = "attr-dict $source `` `[` $index `]` `:` type($source) `to` type($res)"

    @property
    def first(self) -> int:
        """The first element that is converted."""
        return self.index * element_count(self.res.type)

    def reference(self, source: Array) -> Array:
        if not self.source.type.is_vector:
            return source.astype(np.float32)
        count = element_count(self.res.type)
        found = source[..., self.first : self.first + count].astype(np.float32)
        return found if count > 1 else found[..., 0]

    def verify(self, report: Report) -> None:
        check_place(self, self.source.type, self.index, element_count(self.res.type), report)


def check_place(op: Operation, source: Type, index: int, count: int, report: Report) -> None:
    """Reports a group of so many elements that is none of the value's."""
    elements = element_count(source)
    if not 0 <= index * count <= elements - count:
        words = "element" if count == 1 else "pair"
        op.error(report, f"takes {words} {index} of {source}, which has {elements // count}")


class OrUndef(Directive):
    """An operand, or `undef` where there is none."""

    def __init__(self, field: OperandField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        state.operands[self.field.name] = [] if parser.accept("undef") else [parser.operand()]

    def print(self, printer: Printer, op: Operation) -> None:
        given = self.field.group(op)
        printer.word(printer.name(given[0]) if given else "undef")


_WORD_TYPES = "type($res) (`into` type($existing)^)?"


class IntoWordOp(PackedOp):
    """A word of which all but what is written comes from `existing`, or is `undef`."""

    directives = {"OrUndef": OrUndef}

    def check_word(self, existing: Type | None, written: Type, index: int, count: int, report: Report) -> None:
        if existing is not None and existing != written:
            self.error(report, f"existing values must have the type of the result, {written}, found {existing}")
        check_place(self, written, index, count, report)


def with_part(existing: Array | None, part: Array, type: Type, first: int) -> Array:
    """A word with some elements replaced."""
    shape = (*part.shape[:-1], element_count(type))
    word = (
        np.zeros(shape, dtype_of(element_type(type)))
        if existing is None
        else np.array(np.broadcast_to(existing, shape))
    )
    word[..., first : first + part.shape[-1]] = part
    return word


class PackedTrunc2xFp8Op(IntoWordOp, opname="amdgpu.packed_trunc_2xfp8"):
    """`%a, %b into %existing[word 1] : f32 to vector<4xf8E4M3FN> into vector<4xf8E4M3FN>`: two floats rounded to
    nearest even, as one half of the word."""

    sourceA = operand(is_f32)
    sourceB = optional_operand(is_f32)
    existing = optional_operand(is_word)
    wordIndex = int_attribute(number=I32)
    res = result(is_word)
    limited = True
    assembly = (
        "attr-dict $sourceA `,` custom<OrUndef>($sourceB) `into` custom<OrUndef>($existing) `` `[` `word`"
        f" $wordIndex `]` `:` type($sourceA) `to` {_WORD_TYPES}"
    )

    def _given(self, operands: Sequence[Array]) -> tuple[Array, Array | None]:
        rest = list(operands[1:])
        second = rest.pop(0) if self.sourceB is not None else np.zeros_like(operands[0])
        return np.stack(np.broadcast_arrays(operands[0], second), axis=-1), rest[0] if rest else None

    def reference(self, *operands: Array) -> Array:
        pair, existing = self._given(operands)
        return with_part(existing, to_float(pair, self.res.type.element), self.res.type, 2 * self.wordIndex)

    def undefined(self, *operands: Array) -> Array:
        pair, _ = self._given(operands)
        flags = np.zeros((*pair.shape[:-1], 4), np.bool_)
        flags[..., 2 * self.wordIndex : 2 * self.wordIndex + 2] = too_large(pair, self.res.type.element)
        return flags

    def verify(self, report: Report) -> None:
        existing = None if self.existing is None else self.existing.type
        self.check_word(existing, self.res.type, self.wordIndex, 2, report)


def too_large(x: Array, type: Type) -> Array:
    """Finite numbers that no finite one of the type is nearest to, and infinities."""
    assert isinstance(type, FloatType)
    return ~(np.abs(x.astype(np.float64)) <= largest(type)) & ~np.isnan(x.astype(np.float64))


class PackedStochRoundFp8Op(IntoWordOp, opname="amdgpu.packed_stoch_round_fp8"):
    """`%x + %seed into %existing[2] : f32 to vector<4xf8E4M3FN> into ..`: the highest bits of the seed are added to
    those of the significand that the short format lacks, and these are cut off."""

    source = operand(is_f32)
    stochiasticParam = operand(is_i32)
    existing = optional_operand(is_word)
    storeIndex = int_attribute(number=I32)
    res = result(is_word)
    limited = True
    assembly = (
        "attr-dict $source `+` $stochiasticParam `into` custom<OrUndef>($existing) `` `[` $storeIndex `]` `:`"
        f" type($source) `to` {_WORD_TYPES}"
    )

    def reference(self, source: Array, seed: Array, *existing: Array) -> Array:
        type = self.res.type.element
        found = code_by_seed(source, seed, type).astype(np.uint8)
        negative = np.signbit(source) & ((found > 0) | (not _is_unsigned_zero(type)))
        part = np.where(negative, found | 0x80, found).astype(np.uint8).view(dtype_of(type))
        part = np.where(np.isnan(source) | self._outside(source, seed), np.nan, part.astype(np.float32))
        return with_part(
            existing[0] if existing else None, to_float(part, type)[..., None], self.res.type, self.storeIndex
        )

    def _outside(self, source: Array, seed: Array) -> Array:
        """No finite number of the type, or, of formats without a negative zero, none that is normal: no document says
        how their bits are aligned."""
        type = self.res.type.element
        top = np.array(largest(_float(type))).astype(dtype_of(type)).view(np.uint8)
        small = (np.abs(source) < _smallest_normal(type)) & (source != 0) & _is_unsigned_zero(type)
        return np.asarray(((code_by_seed(source, seed, type) > top) & ~np.isnan(source)) | small)

    def undefined(self, *operands: Array) -> Array:
        source, seed, *_ = np.broadcast_arrays(*operands[:2])
        flags = np.zeros((*source.shape, 4), np.bool_)
        flags[..., self.storeIndex] = self._outside(source, seed)
        return flags

    def verify(self, report: Report) -> None:
        existing = None if self.existing is None else self.existing.type
        self.check_word(existing, self.res.type, self.storeIndex, 1, report)


def code_by_seed(x: Array, seed: Array, type: Type) -> Array:
    """The bits of magnitudes of the short type, as if its exponent had no end: a significand of 24 bits, shifted to
    where the least normal number's is (what falls out is lost), and as many bits of the seed, from the highest on, as
    are cut off below (AMD's documents of CDNA 3; below the normal numbers as measured on an RX 9070)."""
    fraction, bias = _FORMATS[str(type)]
    pattern = np.asarray(x, np.float32).view(np.uint32).astype(np.int64) & 0x7FFFFFFF
    exponent = (pattern >> _F32_FRACTION) - (_F32_BIAS - bias)
    lost = np.clip(1 - exponent, 0, 63)
    significand = (pattern & ((1 << _F32_FRACTION) - 1) | 1 << _F32_FRACTION) >> lost
    cut = _F32_FRACTION - fraction
    random = np.asarray(seed).astype(np.int64) & 0xFFFFFFFF
    return np.asarray((significand + (random >> (_WORD_BITS - cut)) >> cut) + (np.maximum(exponent - 1, 0) << fraction))


_F32_FRACTION, _F32_BIAS = 23, 127
_FORMATS: Mapping[str, tuple[int, int]] = {
    "f8E4M3FN": (3, 7),
    "f8E5M2": (2, 15),
    "f8E4M3FNUZ": (3, 8),
    "f8E5M2FNUZ": (2, 16),
}
"""Bits behind the point, and the exponent's bias."""


def _float(type: Type) -> FloatType:
    assert isinstance(type, FloatType)
    return type


def _is_unsigned_zero(type: Type) -> bool:
    return str(type).endswith("FNUZ")


def _smallest_normal(type: Type) -> float:
    return 2.0 ** (1 - _FORMATS[str(type)][1])


class ScaledOp(PackedOp):
    """With a scale, an f32 that is a power of two."""

    limited = True

    def _wrong_scale(self, scale: Array) -> Array:
        mantissa, _ = np.frexp(scale.astype(np.float64))
        return np.asarray(~((mantissa == 0.5) & np.isfinite(scale) & (scale >= np.finfo(np.float32).tiny)))


class ScaledExtPackedOp(ScaledOp, opname="amdgpu.scaled_ext_packed"):
    """`%v[1], %scale : vector<4xf8E4M3FN> to vector<2xf16>`: a pair of elements times the scale, rounded once."""

    source = operand(is_scaled)
    scale = operand(is_f32)
    index = int_attribute(number=I32)
    res = result(is_pair)
    assembly = "attr-dict $source `` `[` $index `]` `,` $scale `:` type($source) `to` type($res)"

    def reference(self, source: Array, scale: Array) -> Array:
        pair = source[..., 2 * self.index : 2 * self.index + 2].astype(np.float64)
        with np.errstate(all="ignore"):
            return to_float(pair * scale.astype(np.float64)[..., None], self.res.type.element)

    def undefined(self, *operands: Array) -> Array:
        source, scale = operands
        return self._wrong_scale(scale)[..., None] | ~np.isfinite(self.reference(source, scale).astype(np.float64))

    def verify(self, report: Report) -> None:
        check_place(self, self.source.type, self.index, 2, report)


class PackedScaledTruncOp(ScaledOp, IntoWordOp, opname="amdgpu.packed_scaled_trunc"):
    """`%x into %existing[1], %scale : vector<2xf32> to vector<4xf8E4M3FN> into ..`: floats divided by the scale and
    rounded to nearest even, as one pair of the word."""

    source = operand(is_up_to_two)
    scale = operand(is_f32)
    existing = optional_operand(is_scaled_word)
    index = int_attribute(number=I32)
    res = result(is_scaled_word)
    assembly = (
        "attr-dict $source `into` custom<OrUndef>($existing) `` `[` $index `]` `,` $scale `:` type($source)"
        f" `to` {_WORD_TYPES}"
    )

    def _pair(self, source: Array, scale: Array) -> Array:
        with np.errstate(all="ignore"):
            quotient = source.astype(np.float64) / scale.astype(np.float64)[..., None]
        missing = 2 - quotient.shape[-1]
        return np.concatenate([quotient, np.zeros((*quotient.shape[:-1], missing))], axis=-1)

    def reference(self, source: Array, scale: Array, *existing: Array) -> Array:
        part = to_float(self._pair(source, scale), self.res.type.element)
        return with_part(existing[0] if existing else None, part, self.res.type, 2 * self.index)

    def undefined(self, *operands: Array) -> Array:
        source, scale, *_ = operands
        pair = self._pair(source, scale)
        flags = np.zeros((*pair.shape[:-1], self.res.type.elements), np.bool_)
        wrong = self._wrong_scale(scale)[..., None] | too_large(pair, self.res.type.element) | np.isnan(pair)
        flags[..., 2 * self.index : 2 * self.index + 2] = wrong
        return flags

    def verify(self, report: Report) -> None:
        existing = None if self.existing is None else self.existing.type
        self.check_word(existing, self.res.type, self.index, 2, report)
