"""The rounding errors of one sum of products in whatever order, on whatever unit: see `rounding_errors`.

First-order running error analysis without the order. What decides is how large the partial sums become: they are taken
from the data at a few places, in the order of the terms and across it, and between those as sums of independent terms.
Terms that repeat round alike, so their errors add up instead of cancelling; how much they repeat is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from ..ir.numerics import Array
from ..support.dataclasses import dataclass
from ..targets.accumulation import Accumulation
from .uncertainty import Flags, Floats

PIECES = 8
"""At how many places of a sum its partial sums are looked at."""
LEAST_F32 = 2.0**-149
"""Below it units that cut addends in f32 tell nothing apart."""


@dataclass(frozen=True)
class Products:
    """Sums over k of left[.., m, k] * right[.., k, n], in float64, added to start[.., m, n]. All are finite.

    `least` are the least normal numbers of the operands' types: below them exponents are no longer told apart. Sums are
    `decided` that an infinity or a NaN reaches, for which zero stands here. `step` is the least positive number of the
    accumulator's type.
    """

    left: Floats
    right: Floats
    start: Floats
    least: tuple[float, float]
    decided: Flags
    step: float = LEAST_F32

    @property
    def terms(self) -> int:
        return int(self.left.shape[-1])

    @cached_property
    def total(self) -> Floats:
        return np.asarray(self.start + self.left @ self.right)

    @cached_property
    def magnitude(self) -> Floats:
        """The sum of all magnitudes, the accumulator's included: no partial sum of any order is larger."""
        return np.asarray(np.abs(self.left) @ np.abs(self.right) + np.abs(self.start))

    @cached_property
    def squares(self) -> Floats:
        return np.asarray(np.square(self.left) @ np.square(self.right))

    @cached_property
    def largest(self) -> Floats:
        """A bound of the largest product's magnitude, as the exponents of its factors show it."""
        left = np.maximum(np.abs(self.left).max(axis=-1, keepdims=True), self.least[0])
        right = np.maximum(np.abs(self.right).max(axis=-2, keepdims=True), self.least[1])
        shown = max(self.least) * np.maximum(left, right)  # of products with a subnormal factor
        return np.asarray(np.minimum(left * right, np.maximum(np.sqrt(self.squares), shown)))

    @cached_property
    def imbalance(self) -> Floats:
        """How many more products have one sign than the other."""
        return np.asarray(np.abs(np.sign(self.left) @ np.sign(self.right)))

    @cached_property
    def coherence(self) -> Floats:
        """The share of products whose errors add up because the products repeat, 0 where none does."""
        alike = _repetition(self.left) * np.swapaxes(_repetition(np.swapaxes(self.right, -1, -2)), -1, -2)
        return np.asarray(np.maximum(np.sqrt(alike) - np.sqrt(1 / self.terms), 0.0))

    @cached_property
    def partial_sums(self) -> tuple[Floats, Floats]:
        """Mean and root mean square of the partial sums' magnitudes, for the worse of two orders."""
        both = [self._along(order) for order in self._orders()]
        return np.max([mean for mean, _ in both], axis=0), np.sqrt(np.max([square for _, square in both], axis=0))

    def _orders(self) -> Iterator[Sequence[Array]]:
        """Pieces of the terms: neighbours together, and those together that are apart by the number of pieces."""
        numbers = np.arange(self.terms)
        pieces = min(PIECES, self.terms)
        yield np.array_split(numbers, pieces)
        yield [numbers[i::pieces] for i in range(pieces)]

    def _along(self, pieces: Sequence[Array]) -> tuple[Floats, Floats]:
        noise = self.squares / len(pieces)
        mean, square = np.zeros_like(self.start), np.zeros_like(self.start)
        total = np.zeros_like(self.start)
        before = np.abs(self.start)
        for piece in pieces:
            total = total + self.left[..., piece] @ self.right[..., piece, :]
            after = np.maximum(np.abs(self.start + total), np.abs(total))
            here = np.square(np.maximum(before, after)) + noise
            mean, square, before = mean + np.sqrt(here), square + here, after
        return mean / len(pieces), square / len(pieces)


def rounding_errors(products: Products, unit: Accumulation) -> tuple[Floats, Floats, Floats]:
    """Worst case, drift and spread of the distance between what `unit` adds up and the exact sum, rounded once.

    Both round last, each its own way; the worst that can make is a unit in the last place of the result.
    """
    mean, root = products.partial_sums
    steps = -(-products.terms // unit.group)
    last = 2.0 ** (1 - unit.bits)  # the unit in the last place of numbers at 1
    least = steps * products.step
    flip = np.maximum(last * np.abs(products.total), products.step)
    if unit.rounding == "nearest":
        worst = (steps - 1) * last / 2 * products.magnitude + flip + least
        drift = (steps - 1) * last / 2 * mean * products.coherence
    else:
        worst = (steps - 1) * last * products.magnitude + 1.5 * flip + least
        drift = steps * last / 2 * mean * (1 + products.coherence) + least
    variance = ((steps - 1) * np.square(last * root) + 2 * np.square(flip)) / 12 + np.square(products.step) * steps
    if unit.fraction_bits is not None:
        cut = _cut_addends(products, unit, unit.fraction_bits, steps)
        worst, drift, variance = worst + cut[0], drift + cut[1], variance + cut[2]
    elif unit.group > 1:  # the sums within a group, added in pairs
        worst, variance = worst + last * products.magnitude, variance + np.square(last) * products.squares / 3
    return worst, drift, np.sqrt(variance)


def _cut_addends(
    products: Products, unit: Accumulation, fraction_bits: int, steps: int
) -> tuple[Floats, Floats, Floats]:
    """What addends lose below the last bit that the largest one leaves: worst case, drift and variance."""
    terms, share, product = products.terms, 2.0**-fraction_bits, products.largest
    mean, root = products.partial_sums
    if unit.aligns_accumulator:
        typical, squared, most = np.maximum(mean, product), np.maximum(root, product), products.magnitude
    else:
        typical = squared = most = product
    accumulator = share * np.where(product > mean, product, 0.0)
    worst = (terms + steps) * share * np.maximum(most, product) + terms * LEAST_F32
    drift = share * typical * (products.imbalance / 2 + terms * products.coherence) + steps * accumulator / 2
    variance = terms / 3 * np.square(share * squared) + steps / 12 * np.square(accumulator)
    return worst, drift, variance


def is_exact(products: Products, units: Sequence[Accumulation]) -> Flags:
    """Where nothing is lost in any order: all partial sums are multiples of one power of two, and short enough."""
    grain = _grain(products.left) + _grain(products.right)
    bits = min(min(u.bits, u.bits if u.fraction_bits is None else u.fraction_bits) for u in units)
    finest = np.frexp(products.step)[1] - 1
    largest = np.maximum(products.magnitude, products.largest)
    common = min(grain, _grain(products.start))
    return np.asarray((common >= finest) & (largest <= 2.0 ** min(max(bits + common, -1074), 1023)))


_NO_GRAIN = 2000


def _grain(numbers: Floats) -> int:
    """The exponent of the largest power of two that divides all numbers; more than any float has for zeros alone."""
    fraction, exponent = np.frexp(numbers[numbers != 0])
    if not fraction.size:
        return _NO_GRAIN
    integer = (fraction * 2.0**53).astype(np.int64)
    _, lowest = np.frexp((integer & -integer).astype(np.float64))
    return int((exponent - 53 + lowest - 1).min())


def _repetition(rows: Floats) -> Floats:
    """By row, how probably two of its elements, drawn at random, are one number that is not zero: [.., m, 1]."""
    width = rows.shape[-1]
    flat = np.sort(np.abs(rows).reshape(-1, width), axis=1)
    starts = np.ones(flat.shape, np.bool_)
    starts[:, 1:] = flat[:, 1:] != flat[:, :-1]
    places = np.flatnonzero(starts)
    lengths = np.diff(places, append=flat.size)
    lengths[flat.reshape(-1)[places] == 0] = 0
    counts = np.bincount(places // width, np.square(lengths, dtype=np.float64), minlength=len(flat))
    return np.asarray(counts / width**2).reshape(*rows.shape[:-1], 1)
