"""Bases of operations that treat every element alike, and the flags that arithmetic carries."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar, cast

import numpy as np

from ...support.diagnostics import Report
from ..attributes import EnumAttr, UnitAttr
from ..core import Operation
from ..define import attribute, float_like, integer_like, operand, optional_attribute, result
from ..numerics import Array, low_bits, signed_bits, to_type, unsigned, widened
from ..rounding import MODES, NEAREST_EVEN, rounded_as
from ..types import I32, I64, element_type


class FastMathAttr(EnumAttr):
    """Which liberties arithmetic may take; several are written `<contract,nnan>`."""

    mnemonic = "arith.fastmath"
    cases = ("none", "reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast")

    @classmethod
    def parse_case(cls, parser: Any) -> FastMathAttr:
        words = [super().parse_case(parser).value]
        while parser.accept(","):
            words.append(super().parse_case(parser).value)
        return cls.of(words)

    @classmethod
    def of(cls, flags: Collection[str]) -> FastMathAttr:
        """In the one order in which they are written."""
        return cls(",".join(case for case in cls.cases if case in flags))

    @property
    def flags(self) -> frozenset[str]:
        return frozenset(self.value.split(",")) - {"none"}


class OverflowAttr(EnumAttr):
    mnemonic = "arith.overflow"
    cases = ("none", "nsw", "nuw")

    @classmethod
    def parse_case(cls, parser: Any) -> OverflowAttr:
        words = [super().parse_case(parser).value]
        while parser.accept(","):
            words.append(super().parse_case(parser).value)
        return cls(", ".join(words))


class RoundingModeAttr(EnumAttr):
    mnemonic = "arith.rounding_mode"
    cases = MODES
    number = I32


class IntegerPredicateAttr(EnumAttr):
    mnemonic = "arith.cmpi_predicate"
    number = I64
    cases = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class FloatPredicateAttr(EnumAttr):
    mnemonic = "arith.cmpf_predicate"
    number = I64
    cases = (
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
        "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
    )  # fmt: skip


for _attribute in (FastMathAttr, OverflowAttr, RoundingModeAttr, IntegerPredicateAttr, FloatPredicateAttr):
    _attribute.register()

NO_FASTMATH = FastMathAttr("none")
NO_OVERFLOW = OverflowAttr("none")
Compute = Callable[..., Any]


class MaybeUndefined(Operation):
    """Operations that have operands for which their result is undefined."""

    @property
    def may_be_undefined(self) -> bool:
        raise AssertionError(f"{self.opname} does not say whether it may be undefined")

    def undefined(self, *operands: Array) -> Array:
        """Where these operands leave the result undefined; of a shape that broadcasts to the first result's."""
        raise AssertionError(f"{self.opname} does not say where it is undefined")


def excluded(fastmath: FastMathAttr, *arrays: Array) -> Array:
    """Where operands or results are what `nnan` and `ninf` promise that they are not."""
    flags, found = fastmath.flags, np.zeros((), np.bool_)
    for array in map(widened, arrays):
        if flags & {"nnan", "fast"}:
            found = found | np.isnan(array)
        if flags & {"ninf", "fast"}:
            found = found | np.isinf(array)
    return found


class WithFastMath(MaybeUndefined):
    """Float operations with `fastmath` flags."""

    chooses: ClassVar[bool] = False
    """Whether the result is one of the operands, so that it needs no approximation and costs what NaN costs."""

    @property
    def liberties(self) -> FastMathAttr:
        return cast(FastMathAttr, self.attributes.get("fastmath", NO_FASTMATH))

    @property
    def may_be_undefined(self) -> bool:
        return not self.liberties.flags.isdisjoint(("nnan", "ninf", "fast"))

    def undefined(self, *operands: Array) -> Array:
        return excluded(self.liberties, *operands, self.reference(*operands))


class Elementwise(MaybeUndefined):
    """Operations that treat every element alike; `compute` works on arrays of the element's storage type.

    Of floats of 8 bits and less, on float32.
    """

    pure = True
    elementwise = True
    compute: ClassVar[Compute]
    reads_unsigned: ClassVar[bool] = False
    """Whether operands of widths that numpy lacks are handed over without their signs."""

    @property
    def promises(self) -> bool:
        """Whether a flag limits the operands for which the result is defined."""
        flags = self.attributes.get("overflowFlags", NO_OVERFLOW)
        return flags != NO_OVERFLOW or not self.attributes.keys().isdisjoint(("isExact", "nonNeg"))

    def broken_promise(self, *operands: Array) -> str:
        """The flag (nsw, nuw, exact, nneg) that these operands contradict; empty for none."""
        return ""

    @property
    def may_be_undefined(self) -> bool:
        return type(self).undefined is not Elementwise.undefined

    def undefined(self, *operands: Array) -> Array:
        return np.zeros((), np.bool_)

    def reference(self, *operands: Array) -> Array:
        element = element_type(self.results[0].type)
        with np.errstate(all="ignore"):
            computed = type(self).compute(*map(widened, self.as_read(*operands)))
        return to_type(np.asarray(computed), element)

    def as_read(self, *operands: Array) -> tuple[Array, ...]:
        """The operands as `compute` takes them."""
        if not self.reads_unsigned:
            return operands
        return tuple(low_bits(x, element_type(v.type)) for x, v in zip(operands, self.operands, strict=True))


class FloatUnary(WithFastMath, Elementwise):
    operand_ = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(float_like)
    same_type = ("operand", "result")
    assembly = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


class FloatBinary(WithFastMath, Elementwise):
    lhs = operand(float_like)
    rhs = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(float_like)
    same_type = ("lhs", "rhs", "result")
    assembly = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


class RoundingBinary(FloatBinary):
    """Arithmetic that may say how it rounds; `rounds` is its name in `rounding.py`."""

    roundingmode = optional_attribute(RoundingModeAttr)
    assembly = "$lhs `,` $rhs (keyword($roundingmode)^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    rounds: ClassVar[str]

    def reference(self, *operands: Array) -> Array:
        mode = rounding_mode(self)
        if mode == NEAREST_EVEN:
            return super().reference(*operands)
        return rounded_as(self.rounds, mode, element_type(self.result_.type), *operands)

    def verify(self, report: Report) -> None:
        check_rounding(self, report)


def rounding_mode(op: Operation) -> str:
    """One of `rounding.MODES`; what does not say rounds to nearest even."""
    mode = op.attributes.get("roundingmode")
    return mode.value if isinstance(mode, RoundingModeAttr) else NEAREST_EVEN


def check_rounding(op: Operation, report: Report) -> None:
    """No wider type holds what arithmetic on f64 would have to round; between powers of two there is one way."""
    type, mode = str(element_type(op.results[0].type)), rounding_mode(op)
    if mode != NEAREST_EVEN and type in _ONE_WAY:
        op.error(report, f"rounds {type} {_ONE_WAY[type]} only, found {mode}")


_ONE_WAY = {"f64": "to nearest even", "f8E8M0FNU": "to the powers of two in one way"}


class IntegerBinary(Elementwise):
    folds = True

    lhs = operand(integer_like)
    rhs = operand(integer_like)
    result_ = result(integer_like)
    same_type = ("lhs", "rhs", "result")
    assembly = "$lhs `,` $rhs attr-dict `:` type($result)"


class ExactBinary(IntegerBinary):
    """With `exact`, the program promises that nothing is cut off."""

    isExact = optional_attribute(UnitAttr)
    assembly = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"

    def broken_promise(self, *operands: Array) -> str:
        return "exact" if self.isExact is not None and bool(np.any(self.cuts(*operands))) else ""

    def cuts(self, lhs: Array, rhs: Array) -> Array:
        """Where something is cut off."""
        raise AssertionError


class WrappingBinary(IntegerBinary):
    """With `nsw` or `nuw`, the program promises that the signed or unsigned result needs no wrapping."""

    overflowFlags = attribute(OverflowAttr, NO_OVERFLOW)
    assembly = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"

    def broken_promise(self, *operands: Array) -> str:
        words = self.overflowFlags.value.split(", ")
        exact = type(self).exact
        element = element_type(self.results[0].type)
        readings: dict[str, Callable[[Array], Array]] = {
            "nsw": signed_bits,
            "nuw": lambda x: unsigned(low_bits(x, element)),
        }
        for word, reading in readings.items():
            if word in words:
                wide = exact(*(reading(x).astype(object) for x in operands))
                if np.any(wide != reading(self.reference(*operands)).astype(object)):
                    return word
        return ""

    exact: ClassVar[Compute]
    """The operation on Python's integers."""
