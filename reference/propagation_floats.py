"""Uncertainties in float arithmetic, functions, conversions, comparisons and selections, element by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..ir.core import Operation
from ..ir.dialects import arith, arith_casts, math, vector
from ..ir.dialects.vector_kind import holds_floats
from ..ir.numerics import Array, largest, least_normal, spacing
from ..ir.types import FloatType, float_type
from .propagation import PROPAGATE, Accuracy, Machine, Propagate, Uncertainties, Values, combined, settle
from .uncertainty import Flags, Floats, Maybe, Uncertainty, any_undecided, doubtful

Wide = list[Floats]
Sensitivity = Callable[[Operation, Wide, Wide], tuple[list[Floats], Floats]]
"""From operands and their bounds in float64: how much the result changes with each at most, and the result itself."""

# How much results change with operands


def _ones(compute: Callable[..., Array]) -> Sensitivity:
    def sensitivity(op: Operation, x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
        return [np.ones_like(v) for v in x], np.asarray(compute(*x))

    return sensitivity


def _product(op: Operation, x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    a, b, *added = x
    product = np.asarray(a * b)
    ones: list[Floats] = [np.ones_like(v) for v in added]
    return [np.abs(b) + e[1], np.abs(a), *ones], np.asarray(product + added[0]) if added else product


def _quotient(op: Operation, x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    a, b = x
    smallest = np.abs(b) - e[1]
    safe = np.where(smallest > 0, smallest, 0.0)
    quotient = a / b
    return [1 / safe, np.abs(quotient) / safe], quotient


def _extremum(op: Operation, x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    """Only an operand that may be the chosen one matters."""
    a, b = x
    chosen: Floats = np.asarray(type(op).compute(a, b))  # type: ignore[attr-defined]
    near = np.abs(a - b) <= e[0] + e[1]
    return [np.where(near | (chosen == v), 1.0, 0.0) for v in x], chosen


def _secant(op: Operation, x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    """By how much the function differs at the ends of each operand's range."""
    return secants(type(op).compute, x, e)  # type: ignore[attr-defined]


def secants(compute: Callable[..., Array], x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    middle = np.asarray(compute(*x))
    slopes: list[Floats] = []
    for i, (value, error) in enumerate(zip(x, e, strict=True)):
        ends = [np.asarray(compute(*x[:i], value + sign * error, *x[i + 1 :])) for sign in (-1, 1)]
        rise = np.maximum(*(np.abs(end - middle) for end in ends)) + 4 * np.spacing(np.abs(middle))
        slopes.append(np.divide(rise, error, where=error > 0, out=np.zeros(rise.shape)))
    if len(x) == 2:
        more = _joint_rise(compute, middle, x, e, slopes)
        slopes = [slope * more for slope in slopes]
    return slopes, middle


def _joint_rise(compute: Callable[..., Array], middle: Floats, x: Wide, e: Wide, slopes: list[Floats]) -> Floats:
    """How much more the function differs where both operands are off than each of them makes it, at least 1."""
    corners = [np.asarray(compute(x[0] + s * e[0], x[1] + t * e[1])) for s in (-1, 1) for t in (-1, 1)]
    rise: Floats = np.max([np.abs(corner - middle) for corner in corners], axis=0)
    alone = slopes[0] * e[0] + slopes[1] * e[1]
    return np.asarray(np.maximum(np.divide(rise, alone, where=alone > 0, out=np.ones(rise.shape)), 1.0))


def _wave(op: Operation, x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    return _turning(type(op).compute, x, e)  # type: ignore[attr-defined]


def _turning(compute: Callable[..., Array], x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    """Sine and cosine: they change by no more than their operand, and by no more than 2."""
    slope = np.divide(np.minimum(e[0], 2.0), e[0], where=e[0] > 0, out=np.zeros(e[0].shape))
    return [slope], np.asarray(compute(*x))


def _tangent(op: Operation, x: Wide, e: Wide) -> tuple[list[Floats], Floats]:
    """Between two poles it rises; across one it may be anything."""
    slopes, middle = secants(np.tan, x, e)
    across = np.floor((x[0] - e[0]) / np.pi - 0.5) != np.floor((x[0] + e[0]) / np.pi - 0.5)
    return [np.where(across & (e[0] > 0), np.inf, slopes[0])], middle


def _clamped(value: Array, low: Array, high: Array) -> Array:
    return np.asarray(np.minimum(np.maximum(value, low), high))


_SENSITIVITY: Mapping[type[Operation], Sensitivity] = {
    arith.AddFOp: _ones(np.add),
    arith.SubFOp: _ones(np.subtract),
    arith.MulFOp: _product,
    arith.DivFOp: _quotient,
    arith.NegFOp: _ones(np.negative),
    arith.MaximumFOp: _extremum,
    arith.MinimumFOp: _extremum,
    arith.MaxNumFOp: _extremum,
    arith.MinNumFOp: _extremum,
    arith_casts.ExtFOp: _ones(np.asarray),
    arith_casts.TruncFOp: _ones(np.asarray),
    math.AbsFOp: _ones(np.abs),
    math.FmaOp: _product,
    vector.FMAOp: _product,
    math.ClampFOp: _ones(_clamped),
    math.TanOp: _tangent,
    math.SinOp: _wave,
    math.CosOp: _wave,
    math.UnaryFunction: _secant,
    math.BinaryFunction: _secant,
}
# The rule


@PROPAGATE.of(*_SENSITIVITY)
def _arithmetic(op: Operation, machine: Machine) -> Propagate:
    sensitivity = next(_SENSITIVITY[cls] for cls in type(op).__mro__ if cls in _SENSITIVITY)
    own = machine.accuracy(op)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        if not any(own) and all(u is None for u in uncertainties):
            return [None]
        x = [np.asarray(v, np.float64) for v in values]
        e = [np.zeros(v.shape) if u is None else u.error for v, u in zip(values, uncertainties, strict=True)]
        with np.errstate(all="ignore"):
            factors, wide = sensitivity(op, x, e)
            handed = combined(uncertainties, factors, wide.shape)
            found = _signed(rounded(op, handed, wide, own), wide, e, op)
            if own.skips_overflow:
                found = _without_overflow(found, x, wide, op)
            return settle(_with_flushing(found, x, wide, op) if own.flushes else found)

    return propagate


def _without_overflow(found: Uncertainty, x: Wide, wide: Floats, op: Operation) -> Uncertainty:
    """Undecided where finite operands give more than the largest number, which a fused step may bring back."""
    element = float_type(op.results[0].type)
    infinite = np.any([np.broadcast_to(np.isinf(v), wide.shape) for v in x], axis=0)
    return Uncertainty(*found.parts[:3], found.undecided | (np.abs(wide) > largest(element)) & ~infinite)


def _with_flushing(found: Uncertainty, x: Wide, wide: Floats, op: Operation) -> Uncertainty:
    """A result, an operand or, in a quotient, the divisor's reciprocal may be zero where it is subnormal. That is a
    small error of a result; an operand's is one where the function is as smooth as at other places."""
    least = least_normal(_F32)
    inner = [x[1], 1 / x[1]] if isinstance(op, arith.DivFOp) else x
    small = [np.broadcast_to((np.abs(v) < least) & (v != 0), wide.shape) for v in inner]
    rise = np.where((np.abs(wide) < least) & (wide != 0), least, 0.0)
    if isinstance(op, math.UnaryFunction) and small[0].any():
        compute = type(op).compute
        ends = [np.asarray(compute(np.where(small[0], end, x[0]))) for end in (-least, 0.0, least)]
        most: Floats = np.max([np.abs(end - wide) for end in ends], axis=0)
        smooth = small[0] & np.isfinite(most)
        rise, small = rise + np.where(smooth, most, 0.0), [small[0] & ~smooth]
    worst, drift, spread, undecided = found.parts
    return Uncertainty(worst + rise, drift + rise, spread, undecided | np.any(small, axis=0))


def _signed(found: Uncertainty, wide: Floats, errors: Wide, op: Operation) -> Uncertainty:
    """A zero made of an inexact operand may have either sign."""
    element = float_type(op.results[0].type)
    zero = (wide == 0) & np.any([np.broadcast_to(e > 0, wide.shape) for e in errors], axis=0)
    if not zero.any():
        return found
    least = np.where(zero, spacing(np.zeros(()), element), 0.0)
    return Uncertainty(found.worst + least, found.drift + least, found.spread, found.undecided)


def rounded(op: Operation, handed: Uncertainty, wide: Floats, own: Accuracy) -> Uncertainty:
    """What the operation's own error and the rounding of an inexact result add; overflow that may or may not be."""
    element = float_type(op.results[0].type)
    step = np.where(np.isfinite(wide), spacing(wide, element), 0.0)
    worst, drift, spread, undecided = handed.parts
    inexact = handed.error > 0
    if any(own):
        computed = step if element.width >= 32 else spacing(wide, _F32)
        error = np.where(np.isfinite(wide), (own.ulps + 0.5) * computed + own.absolute, 0.0)
        worst, drift = worst + error, drift + error
        inexact |= element.width < 32
    if not op.keeps_digits:
        flip = np.where(inexact, step, 0.0)
        worst, spread = worst + flip, np.hypot(spread, flip / np.sqrt(6))
    return overflowed(Uncertainty(worst, drift, spread, undecided), wide, element)


_F32 = FloatType("f32")


def overflowed(uncertainty: Uncertainty, wide: Floats, element: FloatType) -> Uncertainty:
    """Where the result is too large in any case, it is decided; where it may or may not be, it is not."""
    error, top = uncertainty.error, largest(element)
    if not (np.abs(wide) + error > top).any():
        return uncertainty
    certain = np.isfinite(error) & (np.abs(wide) - error > top)
    doubt = (np.abs(wide) + error > top) & (error > 0) & ~certain & np.isfinite(wide)
    worst, drift, spread = (np.where(certain, 0.0, part) for part in uncertainty.parts[:3])
    return Uncertainty(worst, drift, spread, uncertainty.undecided | doubt)


@PROPAGATE.of(math.SinCosOp)
def _sine_and_cosine(op: math.SinCosOp, machine: Machine) -> Propagate:
    own = machine.accuracy(op)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        x = np.asarray(values[0], np.float64)
        e = np.zeros(x.shape) if uncertainties[0] is None else uncertainties[0].error
        found: list[Maybe] = []
        for function in (np.sin, np.cos):
            factors, wide = _turning(function, [x], [e])
            found += settle(rounded(op, combined(uncertainties, factors, wide.shape), wide, own))
        return found

    return propagate


@PROPAGATE.of(math.FPowIOp)
def _integer_power(op: math.FPowIOp, machine: Machine) -> Propagate:
    own = machine.accuracy(op)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        base, exponent = np.asarray(values[0], np.float64), np.asarray(values[1], np.float64)
        error = np.zeros(base.shape) if uncertainties[0] is None else uncertainties[0].error
        with np.errstate(all="ignore"):

            def power(x: Array) -> Array:
                return np.asarray(np.power(x, exponent))

            factors, wide = secants(power, [base], [error])
            handed = combined(uncertainties, [*factors, np.zeros(wide.shape)], wide.shape)
            return settle(rounded(op, handed, wide, own))

    return propagate


# Steps: results that jump


@PROPAGATE.of(math.FloorOp, math.CeilOp, math.TruncOp, math.RoundOp, math.RoundEvenOp)
def _step(op: math.UnaryFunction, machine: Machine) -> Propagate:
    compute = type(op).compute

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        return _jumps(compute, values, uncertainties)

    return propagate


@PROPAGATE.of(arith_casts.FPToSIOp, arith_casts.FPToUIOp)
def _to_integer(op: arith_casts.Cast, machine: Machine) -> Propagate:
    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        return _jumps(np.trunc, values, uncertainties)

    return propagate


def _jumps(compute: Callable[..., Array], values: Values, uncertainties: Uncertainties) -> list[Maybe]:
    """Undecided where the ends of the operand's range differ; of zeros of both signs, either."""
    (uncertainty,) = uncertainties
    if uncertainty is None:
        return [None]
    x, e = np.asarray(values[0], np.float64), uncertainty.error
    with np.errstate(all="ignore"):
        low, high = np.asarray(compute(x - e)), np.asarray(compute(x + e))
    either = np.where((low == high) & (np.signbit(low) != np.signbit(high)) & (e > 0), _LEAST_OF_ALL, 0.0)
    doubt = uncertainty.undecided | ((low != high) & (e > 0))
    return settle(Uncertainty(either, either, np.zeros(either.shape), doubt))


_LEAST_OF_ALL = 2.0**-1074


@PROPAGATE.of(arith.CmpFOp)
def _comparison(op: arith.CmpFOp, machine: Machine) -> Propagate:
    constant = op.predicate.value in ("true", "false", "ord", "uno")

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        flags = any_undecided(uncertainties, results[0].shape)
        if not constant:
            flags |= _within_reach(values, uncertainties)
        return [doubtful(flags)]

    return propagate


def _within_reach(values: Values, uncertainties: Uncertainties) -> Flags:
    """Where two numbers may as well be ordered the other way round."""
    errors = sum((u.error for u in uncertainties if u is not None), np.zeros(values[0].shape))
    with np.errstate(all="ignore"):
        distance = np.abs(np.asarray(values[0], np.float64) - np.asarray(values[1], np.float64))
    return np.asarray((errors > 0) & (distance <= errors))


@PROPAGATE.of(math.Classification)
def _classification(op: math.Classification, machine: Machine) -> Propagate:
    """Errors change no class: what may overflow is undecided already."""

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        return [doubtful(any_undecided(uncertainties, results[0].shape))]

    return propagate


@PROPAGATE.of(arith.SelectOp)
def _selection(op: arith.SelectOp, machine: Machine) -> Propagate:
    """An undecided condition between values that are near each other is an error of their distance."""

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        if all(u is None for u in uncertainties):
            return [None]
        condition, first, second = values
        shape = results[0].shape
        take = np.broadcast_to(np.asarray(condition, np.bool_), shape)
        factors = [np.zeros(shape), np.where(take, 1.0, 0.0), np.where(take, 0.0, 1.0)]
        kept = [None, *(_only(u, here) for u, here in zip(uncertainties[1:], (take, ~take), strict=True))]
        handed = combined(kept, factors, shape)
        doubt = any_undecided(uncertainties[:1], shape)
        if not doubt.any():
            return settle(handed)
        return settle(_either(handed, doubt, first, second, uncertainties[1:]))

    return propagate


def _only(uncertainty: Maybe, here: Flags) -> Maybe:
    if uncertainty is None:
        return None
    worst, drift, spread, undecided = uncertainty.parts
    return Uncertainty(worst, drift, spread, undecided & here)


def _either(handed: Uncertainty, doubt: Flags, first: Array, second: Array, sides: Sequence[Maybe]) -> Uncertainty:
    if not holds_floats(np.asarray(first)):
        return Uncertainty(*handed.parts[:3], handed.undecided | (doubt & (first != second)))
    with np.errstate(all="ignore"):
        distance = np.abs(np.asarray(first, np.float64) - np.asarray(second, np.float64))
    errors = sum((u.error for u in sides if u is not None), np.zeros(doubt.shape))
    near = doubt & (distance <= 2 * errors)
    more = np.where(near, distance + errors, 0.0)
    worst, drift, spread, undecided = handed.parts
    either = any_undecided(sides, doubt.shape) & doubt
    return Uncertainty(worst + more, drift + more, spread, undecided | either | (doubt & ~near & (first != second)))


@PROPAGATE.of(arith_casts.BitcastOp)
def _same_bits(op: arith_casts.BitcastOp, machine: Machine) -> Propagate:
    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        (uncertainty,) = uncertainties
        if uncertainty is None or values[0].dtype == results[0].dtype:
            return [uncertainty]
        return [doubtful(uncertainty.undecided | (uncertainty.error > 0))]

    return propagate
