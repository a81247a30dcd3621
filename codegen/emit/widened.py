"""Arithmetic on floats that machines have none for: of 8 bits and less, and tf32, it is done in f32 and rounded once.

A rule that `on_floats` registers sees floats with arithmetic only, and gives such; compares and questions give i1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...ir.core import Operation, Value
from ...ir.dialects.elementwise import rounding_mode
from ...ir.rounding import NEAREST_EVEN
from ...ir.types import FloatType, element_type
from . import floats, small_floats
from .emission import Emission
from .emit_rules import SCALAR, Scalar
from .text import Ssa, Writer

_WIDENED = small_floats.NAMES | {"tf32"}


def on_floats(*classes: type[Operation]) -> Callable[[Scalar], Scalar]:
    """Registers a scalar rule of float arithmetic for `classes`."""

    def register(rule: Scalar) -> Scalar:
        SCALAR.of(*classes)(functools.partial(_widened, rule))
        return rule

    return register


def _widened(rule: Scalar, em: Emission, op: Any, *operands: Ssa) -> Ssa | tuple[Ssa, ...]:
    if _WIDENED.isdisjoint(map(_float_name, (*op.operands, *op.results))):
        return rule(em, op, *operands)
    wide = [extended(em.w, x, value) for x, value in zip(operands, op.operands, strict=True)]
    found = rule(em, op, *wide)
    results = (found,) if isinstance(found, Ssa) else found
    mode = rounding_mode(op)
    return tuple(rounded(em.w, x, value, mode) for x, value in zip(results, op.results, strict=True))


def _float_name(value: Value) -> str:
    """The name of its element's type; empty of what is no float."""
    element = element_type(value.type)
    return element.name if isinstance(element, FloatType) else ""


def extended(w: Writer, x: Ssa, value: Value) -> Ssa:
    """An element of `value`, as a float that the machine computes with where it is a float."""
    name = _float_name(value)
    return small_floats.extend(w, x, name) if name in small_floats.NAMES else x


def rounded(w: Writer, x: Ssa, value: Value, mode: str = NEAREST_EVEN) -> Ssa:
    """What was computed as an element of `value`."""
    name = _float_name(value)
    if name == "tf32":
        return small_floats.round_to_tf32(w, floats.resize(w, x, "float"), mode)
    return small_floats.round_to(w, floats.resize(w, x, "float"), name, mode) if name in small_floats.NAMES else x
