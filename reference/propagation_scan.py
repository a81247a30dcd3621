"""Uncertainties in scans: what elements bring along, and what joining them in any order may lose."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..ir.dialects import vector
from ..ir.dialects.vector_kind import holds_floats
from ..ir.numerics import Array, largest, spacing
from ..ir.types import FloatType, element_type
from .propagation import PROPAGATE, Machine, Propagate, Uncertainties, Values, settle
from .uncertainty import Flags, Floats, Maybe, Uncertainty, doubtful, nothing


@PROPAGATE.of(vector.ScanOp)
def _scan(op: vector.ScanOp, machine: Machine) -> Propagate:
    element = element_type(op.source.type)

    def propagate(values: Values, uncertainties: Uncertainties, results: Values) -> list[Maybe]:
        terms, errors = _terms(op, values, uncertainties)
        if not holds_floats(values[0]):
            flags = np.logical_or.accumulate(errors.undecided, axis=0)
            return _placed(op, doubtful(flags))
        assert isinstance(element, FloatType)
        with np.errstate(all="ignore"):
            found = _JOINS.get(op.kind.value, _chosen)(np.asarray(terms, np.float64), errors, element)
        return _placed(op, settle(found)[0])

    return propagate


def _terms(op: vector.ScanOp, values: Values, uncertainties: Uncertainties) -> tuple[Array, Uncertainty]:
    """What is joined, along axis 0: of an exclusive scan the initial value stands in front of all but the last."""
    source, initial = values
    errors = [nothing(v.shape) if u is None else u.within(v.shape) for v, u in zip(values, uncertainties, strict=True)]

    def line(whole: Array, first: Array) -> Array:
        moved = np.moveaxis(whole, op.reduction_dim, 0)
        return moved if op.is_inclusive else np.concatenate([np.asarray(first)[None], moved[:-1]])

    parts = [line(*pair) for pair in zip(errors[0].parts, errors[1].parts, strict=True)]
    return line(source, initial), Uncertainty(*parts)


def _placed(op: vector.ScanOp, found: Maybe) -> list[Maybe]:
    if found is None:
        return [None, None]
    return [found.moved(lambda part: np.moveaxis(part, 0, op.reduction_dim)), found.moved(lambda part: part[-1])]


def _summed(terms: Floats, errors: Uncertainty, element: FloatType) -> Uncertainty:
    """Every sum rounds by half a unit of what the magnitudes add up to, unless all of them are exact."""
    size = np.add.accumulate(np.where(np.isfinite(terms), np.abs(terms), 0.0), axis=0)
    count = _numbered(terms)
    inexact = ~_is_exact_sum(terms, size, element)
    lost = np.where(inexact, count * spacing(size, element), 0.0)
    beyond = np.where(size > largest(element), True, False) & np.isfinite(terms)
    return _with_lost(errors, lost, np.add.accumulate(errors.worst, axis=0), beyond)


def _multiplied(terms: Floats, errors: Uncertainty, element: FloatType) -> Uncertainty:
    """Relative errors add up, and each product rounds, unless only powers of two are multiplied."""
    product = np.multiply.accumulate(terms, axis=0)
    powers = np.logical_and.accumulate((np.abs(np.frexp(terms)[0]) == 0.5) | (terms == 0), axis=0)
    lost = np.where(powers, 0.0, _numbered(terms) * spacing(product, element))
    relative = np.divide(errors.worst, np.abs(terms), where=errors.worst > 0, out=np.zeros(terms.shape))
    handed = np.abs(product) * np.add.accumulate(relative, axis=0)
    beyond = ~powers & ((np.abs(product) > largest(element)) | ~np.isfinite(product))
    return _with_lost(errors, np.nan_to_num(lost), handed, beyond)


def _chosen(terms: Floats, errors: Uncertainty, element: FloatType) -> Uncertainty:
    """Minima and maxima: no error is larger than the largest of any element."""
    return _with_lost(errors, np.zeros(terms.shape), np.maximum.accumulate(errors.worst, axis=0), False)


_JOINS: Mapping[str, Callable[[Floats, Uncertainty, FloatType], Uncertainty]] = {"add": _summed, "mul": _multiplied}


def _with_lost(errors: Uncertainty, lost: Floats, handed: Floats, beyond: Flags | bool) -> Uncertainty:
    worst = handed + lost
    undecided = np.logical_or.accumulate(errors.undecided | beyond, axis=0)
    return Uncertainty(worst, worst, np.zeros(worst.shape), undecided)


def _numbered(terms: Floats) -> Floats:
    """How many roundings each result has at most, twice for both executions."""
    return 2.0 * np.arange(len(terms), dtype=np.float64).reshape((-1,) + (1,) * (terms.ndim - 1))


def _is_exact_sum(terms: Floats, size: Floats, element: FloatType) -> Flags:
    """Where all magnitudes together are so few of the least bit of any that no order rounds."""
    finite = np.where(np.isfinite(terms), terms, 0.0)
    mantissa, exponent = np.frexp(finite)
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    lowest = np.where(whole == 0, 2.0**1000, np.ldexp((whole & -whole).astype(np.float64), exponent - 53))
    unit = np.minimum.accumulate(lowest, axis=0)
    return np.asarray(size * spacing(np.ones(()), element) <= unit)
