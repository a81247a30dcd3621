"""How far a matrix instruction's result may be from the reference's, in a program that says which instruction it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..ir.numerics import Array
from ..ir.types import Type, element_type, floats_among, shape_of
from .batch_state import State
from .closures import Compiler
from .propagation_sums import product_uncertainty
from .uncertainty import doubtful

Move = Callable[[Array], Array]
Bounds = Callable[[State, Sequence[Array]], None]
"""Notes the uncertainty of a result, given A, B and the accumulator as [products, rows, columns]."""


def bounds(
    c: Compiler, slots: Sequence[int], out: int, types: Sequence[Type], places: Sequence[Move], registers: Move
) -> Bounds:
    """`places` gather the matrices of A, B and C from values of [threads, ...]; `registers` put the result's elements
    where the lanes have them."""
    machine, elements = c.machine, [element_type(t) for t in types]
    whole = [shape_of(t) for t in types]

    def note(m: State, matrices: Sequence[Array]) -> None:
        if machine is None:
            return
        given = [
            None if (u := m.doubts[slot]) is None else u.within((m.batch.size, *shape)).moved(move)
            for slot, shape, move in zip(slots, whole, places, strict=True)
        ]
        final = (m.batch.size, *whole[2])
        floats = floats_among(elements)
        if len(floats) < len(elements):
            flags = np.zeros(final, np.bool_) | any(u is not None for u in given)
            m.doubts[out] = doubtful(flags)
            return
        found = product_uncertainty(machine, matrices, given, floats)
        m.doubts[out] = None if found is None else found.moved(lambda part: registers(part).reshape(final))

    return note
