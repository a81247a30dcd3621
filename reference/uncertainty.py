"""How far the values of another right execution may lie from the reference's, element by element.

Errors come in three kinds. `worst` is what rounding can do at most. `drift` is what adds up in one direction, `spread`
the standard deviation of what falls either way, independently for each element: over long sums the worst case is never
met, and drift plus some deviations is the sharper bound. The lesser of both counts. An element is `undecided` where a
comparison, a step or a limit that it depends on lies within the bound: it may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..ir.numerics import Array
from ..support.dataclasses import dataclass

Floats: TypeAlias = NDArray[Any]
"""Arrays of float64."""
Flags: TypeAlias = NDArray[Any]
"""Arrays of bool."""

DEVIATIONS = 6.0
"""Standard deviations of independent rounding errors that are allowed."""


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Absolute errors of one value, arrays of its shape (or that broadcast to it). None stands for one without any."""

    worst: Floats
    drift: Floats
    spread: Floats
    undecided: Flags

    @property
    def error(self) -> Floats:
        """The bound as far as rounding goes."""
        return np.minimum(self.worst, self.drift + DEVIATIONS * self.spread)

    @property
    def bound(self) -> Floats:
        """How far an element may be off; infinite where it is undecided."""
        return np.where(self.undecided, np.inf, self.error)

    def moved(self, move: Callable[[Array], Array]) -> Uncertainty:
        """That of a value whose elements come from this one's through `move`."""
        return Uncertainty(*(np.asarray(move(part)) for part in self.parts))

    @property
    def parts(self) -> tuple[Floats, Floats, Floats, Flags]:
        return self.worst, self.drift, self.spread, self.undecided

    def shared(self) -> Uncertainty:
        """The uncertainty where several elements will have this error in common, and deviations no longer cancel."""
        return Uncertainty(
            self.worst, self.drift + DEVIATIONS * self.spread, np.zeros_like(self.spread), self.undecided
        )

    def within(self, shape: tuple[int, ...]) -> Uncertainty:
        return self.moved(lambda part: np.broadcast_to(part, shape))


Maybe = Uncertainty | None


def settled(uncertainty: Uncertainty) -> Maybe:
    """None for one that allows nothing; what is not finite becomes undecided."""
    limits = uncertainty.error
    wild = ~np.isfinite(limits)
    if wild.any():
        worst, drift, spread = (np.where(wild, 0.0, part) for part in uncertainty.parts[:3])
        return Uncertainty(worst, drift, spread, uncertainty.undecided | wild)
    return uncertainty if limits.any() or uncertainty.undecided.any() else None


def nothing(shape: tuple[int, ...]) -> Uncertainty:
    """An uncertainty that allows nothing, where one is needed beside others."""
    zero = np.broadcast_to(np.float64(0), shape)
    return Uncertainty(zero, zero, zero, np.broadcast_to(np.False_, shape))


def doubtful(flags: Flags) -> Maybe:
    """Elements that are undecided, and nothing else; None where no flag is set."""
    if not flags.any():
        return None
    zero = np.broadcast_to(np.float64(0), flags.shape)
    return Uncertainty(zero, zero, zero, flags)


def any_undecided(uncertainties: Sequence[Maybe], shape: tuple[int, ...]) -> Flags:
    """Where an element of any operand is undecided, in a result of `shape`; operands broadcast."""
    flags = np.zeros(shape, np.bool_)
    for uncertainty in uncertainties:
        if uncertainty is not None:
            flags |= uncertainty.undecided
    return flags


def joined(parts: Sequence[tuple[Maybe, tuple[int, ...]]], join: Callable[..., Any]) -> Maybe:
    """`join` applied to each kind of error of several values, given with their shapes."""
    if all(uncertainty is None for uncertainty, _ in parts):
        return None
    filled = [nothing(shape) if uncertainty is None else uncertainty.within(shape) for uncertainty, shape in parts]
    columns = zip(*(uncertainty.parts for uncertainty in filled), strict=True)
    return Uncertainty(*(np.asarray(join(*column)) for column in columns))


def doubted(uncertainty: Maybe, condition: Maybe, shape: tuple[int, ...], everywhere: bool) -> Maybe:
    """An uncertainty with what an undecided condition, or an undecided place, makes undecided besides."""
    if condition is None and not everywhere:
        return uncertainty
    found = (uncertainty or nothing(shape)).within(shape)
    more = np.True_ if condition is None or everywhere else condition.undecided
    return Uncertainty(found.worst, found.drift, found.spread, found.undecided | more)
