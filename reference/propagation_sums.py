"""Uncertainties in reductions and contractions: what operands bring along, and what adding in any order loses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.dialects import vector
from ..ir.dialects.amdgpu_dot import DotOp
from ..ir.dialects.atomic_kind import AtomicRMWKindAttr
from ..ir.dialects.vector_kind import holds_floats
from ..ir.numerics import Array, largest, least_normal, spacing
from ..ir.types import F64, FloatType, Type, element_type, floats_among
from ..targets.accumulation import Accumulation, chain
from .propagation import PROPAGATE, Machine, Propagate, Uncertainties, Values, settle
from .propagation_floats import overflowed
from .summation import Products, is_exact, rounding_errors
from .uncertainty import DEVIATIONS, Flags, Floats, Maybe, Uncertainty, doubtful, nothing, settled


@PROPAGATE.of(DotOp)
def _dot(op: DotOp, machine: Machine) -> Propagate:
    """A product of matrices of one row and one column."""
    types = [element_type(v.type) for v in op.operands]
    floats = floats_among(types)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        if len(floats) < len(types):
            return [doubtful(np.broadcast_to(any(u is not None for u in uncertainties), results[0].shape))]
        places: list[Callable[[Array], Array]] = [
            lambda a: a[..., None, :],
            lambda b: b[..., :, None],
            lambda c: c[..., None, None],
        ]
        shapes = [v.shape for v in values]
        matrices = [place(np.asarray(v)) for place, v in zip(places, values, strict=True)]
        errors = [
            None if u is None else u.within(shape).moved(place)
            for u, shape, place in zip(uncertainties, shapes, places, strict=True)
        ]
        found = product_uncertainty(machine, matrices, errors, floats)
        return [None if found is None else found.moved(lambda part: part[..., 0, 0])]

    return propagate


@PROPAGATE.of(vector.MultiReductionOp)
def _reduction(op: vector.MultiReductionOp, machine: Machine) -> Propagate:
    element, kept = element_type(op.source.type), op.kept_dims
    reduced = [d for d in range(len(kept) + len(op.reduction_dims)) if d not in kept]

    def rows(array: Array) -> Array:
        """The reduced elements last, as one axis."""
        moved = array.transpose(*kept, *reduced)
        return moved.reshape(*moved.shape[: len(kept)], -1)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        source, start = rows(values[0]), np.asarray(values[1])
        errors = uncertainties[0].moved(rows) if uncertainties[0] is not None else None
        if not holds_floats(source):
            return [_any_of(errors, uncertainties[1], results[0].shape)]
        with np.errstate(all="ignore"):
            return _JOINS.get(op.kind.value, _chosen)(source, errors, start, uncertainties[1], element)

    return propagate


def _any_of(source: Maybe, start: Maybe, shape: tuple[int, ...]) -> Maybe:
    flags = np.zeros(shape, np.bool_)
    if source is not None:
        flags |= source.undecided.any(axis=-1)
    if start is not None:
        flags |= start.undecided
    return doubtful(flags)


def _chosen(source: Array, errors: Maybe, start: Array, start_errors: Maybe, element: Type) -> list[Maybe]:
    """Minima and maxima: no error is larger than the largest of any element."""
    if errors is None and start_errors is None:
        return [None]
    e = nothing(source.shape) if errors is None else errors
    s = nothing(start.shape) if start_errors is None else start_errors
    worst, drift, spread = (np.maximum(a.max(axis=-1), b) for a, b in zip(e.parts[:3], s.parts[:3], strict=True))
    return settle(Uncertainty(worst, drift, spread, e.undecided.any(axis=-1) | s.undecided))


def _summed(source: Array, errors: Maybe, start: Array, start_errors: Maybe, element: Type) -> list[Maybe]:
    wide = np.asarray(source, np.float64)[..., None, :]
    ones = np.ones((wide.shape[-1], 1))
    assert isinstance(element, FloatType)
    products = _products(wide, ones, np.asarray(start, np.float64)[..., None, None], (element, element), element)
    inner = None if errors is None else errors.moved(lambda part: part[..., None, :])
    outer = None if start_errors is None else start_errors.moved(lambda part: part[..., None, None])
    units = [chain(str(element))]
    found = _sum(products, units, (inner, None, outer), element)
    return settle(found.moved(lambda part: part[..., 0, 0]))


def _multiplied(source: Array, errors: Maybe, start: Array, start_errors: Maybe, element: Type) -> list[Maybe]:
    """Relative errors add up, and each product rounds."""
    assert isinstance(element, FloatType)
    wide = np.concatenate([np.asarray(source, np.float64), np.asarray(start, np.float64)[..., None]], axis=-1)
    product = wide.prod(axis=-1)
    e, s = errors or nothing(source.shape), start_errors or nothing(start.shape)
    totals: list[Floats] = []
    for part, first in zip(e.parts[:3], s.parts[:3], strict=True):
        both = np.concatenate([part, first[..., None]], axis=-1)
        totals.append(np.abs(product) * np.divide(both, np.abs(wide), where=both > 0, out=np.zeros(both.shape)).sum(-1))
    factors = wide.shape[-1] - 1
    unit = np.abs(product) * 2.0 ** (1 - chain(str(element)).bits)
    powers = (np.abs(np.frexp(wide)[0]) == 0.5).all(axis=-1)  # nothing is rounded
    unit = np.where(powers, 0.0, np.maximum(unit, spacing(np.zeros(()), element)))
    worst, drift, spread = totals
    own = Uncertainty(
        worst + factors * unit,
        drift + factors * unit / 2 * _repeated(wide),
        np.hypot(spread, np.sqrt(factors / 12) * unit),
        e.undecided.any(axis=-1) | s.undecided | _partly_out_of_range(wide, element),
    )
    return settle(overflowed(own, product, element))


def _partly_out_of_range(wide: Floats, element: FloatType) -> Flags:
    """Where the product of some of the factors overflows or is subnormal, though that of all need not."""
    size = np.log2(np.abs(wide), where=(wide != 0) & np.isfinite(wide), out=np.zeros(wide.shape))
    up, down = np.maximum(size, 0).sum(axis=-1), np.minimum(size, 0).sum(axis=-1)
    reached = (up > np.log2(largest(element))) | (down < np.log2(least_normal(element)))
    return np.asarray(reached & np.isfinite(wide).all(axis=-1) & (wide != 0).all(axis=-1))


def _repeated(wide: Floats) -> Floats:
    """1 where all factors are alike, so that their products round alike."""
    return np.where(np.abs(wide).min(axis=-1) == np.abs(wide).max(axis=-1), 1.0, 0.0)


_JOINS = {"add": _summed, "mul": _multiplied}


@PROPAGATE.of(vector.ContractionOp)
def _contraction(op: vector.ContractionOp, machine: Machine) -> Propagate:
    element = element_type(op.acc.type)
    if not isinstance(element, FloatType):
        return _integer_contraction(op)
    operands = tuple(floats_among(element_type(v.type) for v in (op.lhs, op.rhs)))
    units = _units(machine, element)
    added = [np.empty(0)]  # what the last execution added

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        lhs, rhs = (np.asarray(v, np.float64) for v in values[:2])
        acc = np.asarray(values[2], np.float64)
        if any(u is not None for u in uncertainties[3:]):
            return [doubtful(np.ones(results[0].shape, np.bool_))]
        if op.kind.any_order and all(u is None for u in uncertainties):
            return [None]
        on = values[3:] or (np.True_, np.True_)
        left, right = op.as_matrices(np.where(on[0], lhs, 0.0), np.where(on[1], rhs, 0.0))
        start = op.accumulator_as_matrix(acc)
        inner = _as_matrices(op, uncertainties, lhs.shape, rhs.shape)
        outer = None if uncertainties[2] is None else uncertainties[2].moved(op.accumulator_as_matrix)
        with np.errstate(all="ignore"):
            products = _products(left, right, start, operands, element)
            if op.kind.value == "add":
                found = _sum(products, units, (*inner, outer), element)
                increment = np.asarray(products.total - products.start)
                if outer is not None and np.shape(added[0]) == increment.shape:
                    found = _repeating(found, outer, np.isclose(increment, added[0], rtol=1e-6, atol=0.0))
                added[0] = increment
            elif op.kind.any_order:
                found = _extreme_product(products, (*inner, outer), element)
            else:
                found = _product_of_products(op.accumulator_as_matrix(results[0]), products, (*inner, outer), element)
        return settle(found.moved(op.from_matrices))

    return propagate


def _units(machine: Machine, element: FloatType) -> Sequence[Accumulation]:
    return [*machine.units(element)] or [chain(str(element))]


def product_uncertainty(
    machine: Machine, matrices: Sequence[Array], errors: Sequence[Maybe], types: Sequence[FloatType]
) -> Maybe:
    """The uncertainty of lhs * rhs + acc, given as [..., rows, columns]."""
    left, right, start = (np.asarray(v, np.float64) for v in matrices)
    inner_left, inner_right, outer = errors
    with np.errstate(all="ignore"):
        products = _products(left, right, start, types[:2], types[2])
        (found,) = settle(_sum(products, _units(machine, types[2]), (inner_left, inner_right, outer), types[2]))
    return found


def _repeating(found: Uncertainty, start: Uncertainty, again: Flags) -> Uncertainty:
    """Where a step adds what the step before added, it rounds alike: errors add up."""
    new = np.sqrt(np.maximum(np.square(found.spread) - np.square(start.spread), 0.0))
    return Uncertainty(
        found.worst,
        found.drift + np.where(again, 2 * new, 0.0),
        np.where(again, start.spread, found.spread),
        found.undecided,
    )


def _as_matrices(
    op: vector.ContractionOp, uncertainties: Uncertainties, lhs: tuple[int, ...], rhs: tuple[int, ...]
) -> tuple[Maybe, Maybe]:
    if uncertainties[0] is None and uncertainties[1] is None:
        return None, None
    first = (uncertainties[0] or nothing(lhs)).within(lhs)
    second = (uncertainties[1] or nothing(rhs)).within(rhs)
    pairs = [op.as_matrices(a, b) for a, b in zip(first.parts, second.parts, strict=True)]
    left, right = (Uncertainty(*parts) for parts in zip(*pairs, strict=True))
    return left, right


def _extreme_product(products: Products, errors: tuple[Maybe, Maybe, Maybe], element: FloatType) -> Uncertainty:
    """The least or largest product, or the accumulator: off by no more than any of them may be."""
    shape = products.start.shape
    rows, columns = ((u or nothing(m.shape)) for u, m in zip(errors, (products.left, products.right), strict=False))
    a, b = np.abs(products.left).max(-1, keepdims=True), np.abs(products.right).max(-2, keepdims=True)
    e, f = rows.error.max(-1, keepdims=True), columns.error.max(-2, keepdims=True)
    start = errors[2] or nothing(shape)
    worst = np.maximum(a * f + e * b + e * f + spacing(np.asarray(a * b), element), start.error)
    doubt = rows.undecided.any(-1, keepdims=True) | columns.undecided.any(-2, keepdims=True) | start.undecided
    return Uncertainty(worst, worst, np.zeros(shape), doubt & ~products.decided)


def _product_of_products(
    result: Array, products: Products, errors: tuple[Maybe, Maybe, Maybe], element: FloatType
) -> Uncertainty:
    """Each of two roundings a term may be off by half a unit; of inexact operands nothing is known."""
    inexact = any(u is not None for u in errors)
    wide = np.asarray(result, np.float64)
    worst = 2 * (products.terms + 1) * spacing(np.where(np.isfinite(wide), wide, 0.0), element)
    doubt = np.full(worst.shape, inexact) & ~products.decided
    return overflowed(Uncertainty(worst, worst, np.zeros(worst.shape), doubt), wide, element)


def _integer_contraction(op: vector.ContractionOp) -> Propagate:
    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        return [doubtful(np.full(results[0].shape, any(u is not None for u in uncertainties)))]

    return propagate


def _products(left: Floats, right: Floats, start: Floats, types: Sequence[FloatType], element: FloatType) -> Products:
    """Without infinities and NaN: what they reach is decided by them, see `_sum`."""
    first, second = (least_normal(t) for t in types)
    clean = [np.where(np.isfinite(x), x, 0.0) for x in (left, right, start)]
    reached = ~(
        np.isfinite(left).all(axis=-1, keepdims=True)
        & np.isfinite(right).all(axis=-2, keepdims=True)
        & np.isfinite(start)
    )
    step = float(spacing(np.zeros(()), element))
    return Products(clean[0], clean[1], clean[2], (first, second), reached, step)


def _sum(
    products: Products, units: Sequence[Accumulation], errors: tuple[Maybe, Maybe, Maybe], element: FloatType
) -> Uncertainty:
    """The uncertainty of one sum of products, whichever of the units adds it."""
    total = products.total
    handed = _handed(products, errors)
    exact = is_exact(products, units) & (handed.error == 0) & ~handed.undecided
    lost = nothing(total.shape)
    if not exact.all():
        lost = _most([_lost(products, unit, element) for unit in units])
    kept = np.where(exact | products.decided, 0.0, 1.0)
    flushed = _flushed(products) if any(unit.flushes for unit in units) else np.zeros(total.shape)
    if short := min((unit.operand_bits for unit in units if unit.operand_bits), default=0):
        flushed = flushed + _shortened(products, short)
    found = Uncertainty(
        handed.worst + kept * lost.worst + flushed,
        handed.drift + kept * lost.drift + flushed,
        np.hypot(handed.spread, kept * lost.spread),
        handed.undecided & ~products.decided,
    )
    finite = np.where(np.isfinite(total), total, 0.0)
    if any(unit.bits > chain(str(element)).bits for unit in units):
        found = _rounded_again(found, finite, element)
    return _partly_overflowed(overflowed(found, finite, element), products, total, element)


def _rounded_again(found: Uncertainty, total: Floats, element: FloatType) -> Uncertainty:
    """What was added in a wider type is rounded to the accumulator's: where it is inexact, maybe the other way."""
    flip = np.where(found.error > 0, spacing(total, element), 0.0)
    return Uncertainty(found.worst + flip, found.drift, np.hypot(found.spread, flip / np.sqrt(6)), found.undecided)


def _partly_overflowed(found: Uncertainty, products: Products, total: Floats, element: FloatType) -> Uncertainty:
    """Some order may pass through infinity where the sum of magnitudes is too large."""
    doubt = (products.magnitude > largest(element)) & ~products.decided
    return Uncertainty(*found.parts[:3], found.undecided | doubt)


def _lost(products: Products, unit: Accumulation, element: FloatType) -> Uncertainty:
    worst, drift, spread = rounding_errors(products, unit)
    if element == F64:  # the reference rounds as often
        worst, drift, spread = 2 * worst, 2 * drift, np.sqrt(2) * spread
    return Uncertainty(worst, drift, spread, np.broadcast_to(np.False_, worst.shape))


def _flushed(products: Products) -> Floats:
    """What is missing where subnormal operands count as zero."""
    parts: list[Floats] = []
    for matrix, least in zip((products.left, products.right), products.least, strict=True):
        magnitude = np.abs(matrix)
        parts.append(np.where(magnitude < least, magnitude, 0.0))
    if not any(part.any() for part in parts):
        return np.zeros_like(products.start)
    return np.asarray(parts[0] @ np.abs(products.right) + np.abs(products.left) @ parts[1])


def _shortened(products: Products, bits: int) -> Floats:
    """What is lost where operands are brought to so many significant bits: a unit in their last place, of those that
    have more."""
    first, second = (_beyond(matrix, bits) for matrix in (products.left, products.right))
    return np.asarray(first @ (np.abs(products.right) + second) + np.abs(products.left) @ second)


def _beyond(numbers: Floats, bits: int) -> Floats:
    fraction, exponent = np.frexp(numbers)
    scaled = np.ldexp(fraction, bits)
    return np.where(scaled == np.trunc(scaled), 0.0, np.ldexp(1.0, exponent - bits))


def _most(uncertainties: Sequence[Uncertainty]) -> Uncertainty:
    columns: Any = zip(*(u.parts for u in uncertainties), strict=True)
    worst, drift, spread, undecided = (np.max(column, axis=0) for column in columns)
    return Uncertainty(worst, drift, spread, undecided)


def _handed(products: Products, errors: tuple[Maybe, Maybe, Maybe]) -> Uncertainty:
    """What operands and accumulator bring along.

    Independent errors of operands stay independent in one sum, but several sums have them in common: drift.
    """
    shape = products.start.shape
    left, right, start = errors
    worst, drift, spread = (np.zeros(shape) for _ in range(3))
    doubt: Flags = np.zeros(shape, np.bool_)
    if left is not None or right is not None:
        e = left or nothing(products.left.shape)
        f = right or nothing(products.right.shape)
        a, b = np.abs(products.left), np.abs(products.right)
        worst = e.worst @ b + a @ f.worst + e.worst @ f.worst
        deviation = np.sqrt(np.square(e.spread) @ np.square(b) + np.square(a) @ np.square(f.spread))
        drift = e.drift @ b + a @ f.drift + e.error @ f.error + DEVIATIONS * deviation
        doubt = e.undecided.any(axis=-1, keepdims=True) | f.undecided.any(axis=-2, keepdims=True) | doubt
    if start is not None:
        worst, drift, spread = worst + start.worst, drift + start.drift, spread + start.spread
        doubt = doubt | start.undecided
    return Uncertainty(worst, drift, spread, doubt)


def updated(
    kind: AtomicRMWKindAttr,
    element: Type,
    old: tuple[Array, Maybe],
    new: tuple[Array, Maybe],
    result: Array,
) -> Maybe:
    """The uncertainty of elements after an atomic update: others may come before this one, so that even exact sums
    round anywhere."""
    if kind.value == "assign":
        return new[1]
    errors = [u or nothing(np.shape(result)) for _, u in (old, new)]
    doubt = errors[0].undecided | errors[1].undecided
    if not isinstance(element, FloatType):
        return doubtful(np.asarray(doubt | (errors[0].error > 0) | (errors[1].error > 0)))
    before, added = np.asarray(old[0], np.float64), np.asarray(new[0], np.float64)
    size = np.abs(before) + np.abs(added) if kind.value == "addf" else np.abs(np.asarray(result, np.float64))
    grown = kind.rounds and ~_is_sum_of_short_integers(before, added, element) & np.isfinite(size)
    flip = np.where(grown, spacing(np.where(np.isfinite(size), size, 0.0), element), 0.0)
    factors = (np.abs(added), np.abs(before)) if kind.value == "mulf" else (1.0, 1.0)
    worst, drift, spread = (factors[0] * errors[0].parts[i] + factors[1] * errors[1].parts[i] for i in range(3))
    return settled(Uncertainty(worst + flip, drift, np.hypot(spread, flip), doubt))


def _is_sum_of_short_integers(a: Floats, b: Floats, element: FloatType) -> Flags:
    """Whether sums of such numbers stay exact in any order."""
    small = 2.0 ** (chain(str(element)).bits - 1)
    return np.asarray((a == np.trunc(a)) & (b == np.trunc(b)) & (np.abs(a) + np.abs(b) <= small))
