"""vector: how a reduction joins two values (`#vector.kind`), and what an iterator of a contraction does."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..attributes import EnumAttr
from ..core import Operation
from ..numerics import Array
from ..types import FloatType, Type, bit_width
from . import arith

Combine = Callable[..., Any]

_INTEGER_OPERATIONS: Mapping[str, type[arith.IntegerBinary]] = {
    "add": arith.AddIOp,
    "mul": arith.MulIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "minsi": arith.MinSIOp,
    "maxsi": arith.MaxSIOp,
    "minui": arith.MinUIOp,
    "maxui": arith.MaxUIOp,
}
_FLOAT_OPERATIONS: Mapping[str, type[Operation]] = {
    "add": arith.AddFOp,
    "mul": arith.MulFOp,
    "minnumf": arith.MinNumFOp,
    "maxnumf": arith.MaxNumFOp,
    "minimumf": arith.MinimumFOp,
    "maximumf": arith.MaximumFOp,
}
_ON_INTEGERS: Mapping[str, Combine] = {kind: op.compute for kind, op in _INTEGER_OPERATIONS.items()}
_ON_FLOATS: Mapping[str, Combine] = {
    "add": np.add,
    "mul": np.multiply,
    "minnumf": numerics.minnumf,
    "maxnumf": numerics.maxnumf,
    "minimumf": numerics.minimumf,
    "maximumf": numerics.maximumf,
}
_IDENTITIES: Mapping[str, Callable[[int], int | float]] = {
    "add": lambda bits: 0,
    "mul": lambda bits: 1,
    "and": lambda bits: -1,
    "or": lambda bits: 0,
    "xor": lambda bits: 0,
    "minsi": lambda bits: (1 << (bits - 1)) - 1,
    "maxsi": lambda bits: -(1 << (bits - 1)),
    "minui": lambda bits: -1,
    "maxui": lambda bits: 0,
}


@functools.cache
def _float_identities(type: FloatType) -> Mapping[str, float]:
    least, greatest = numerics.ends(type)
    has_nan = numerics.has_nan(type)
    found = {
        "add": numerics.zero(type),
        "mul": 1.0,
        "minnumf": math.nan if has_nan else greatest,
        "maxnumf": math.nan if has_nan else least,
        "minimumf": greatest,
        "maximumf": least,
    }
    return {kind: number for kind, number in found.items() if number is not None}


class CombiningKindAttr(EnumAttr):
    """How two values of a reduction become one. `minf` and `maxf` of older texts propagate NaN, as they did."""

    mnemonic = "vector.kind"
    cases = ("add", "mul", "minui", "minsi", "minnumf", "maxui", "maxsi", "maxnumf", "and", "or", "xor",
             "minimumf", "maximumf")  # fmt: skip
    spellings: ClassVar[Mapping[str, str]] = {"minf": "minimumf", "maxf": "maximumf"}

    def applies_to(self, element: Type) -> bool:
        """Whether values of this scalar type can be combined."""
        if element.is_float:
            return self.value in _float_identities(element)
        return element.is_whole and self.value in _ON_INTEGERS

    def operation(self, element: Type) -> type[Operation]:
        """The arithmetic that joins two values of this scalar type."""
        return (_FLOAT_OPERATIONS if element.is_float else _INTEGER_OPERATIONS)[self.value]

    @property
    def any_order(self) -> bool:
        """Whether the result is the same in every order, whatever the element type."""
        return self.value not in ("add", "mul")

    def combine(self, a: Array, b: Array) -> Array:
        """Both arrays joined element by element in their own type; integers wrap."""
        table = _ON_FLOATS if holds_floats(a) else _ON_INTEGERS
        with np.errstate(all="ignore"):
            return np.asarray(table[self.value](a, b))

    def identity(self, element: Type) -> int | float:
        """The value that changes nothing. For integers, as signed bits (i1: 0 or 1); the sum's is -0.0 for floats, but
        0.0 for types without it.

        That of `minnumf` and `maxnumf` is NaN, which they pass over; an infinity would win where all inputs are NaN.
        Types without NaN, and types without infinity for the kinds that hand NaN on, have the end of their range.
        """
        if element.is_float:
            return _float_identities(element)[self.value]
        bits = bit_width(element)
        value = _IDENTITIES[self.value](bits)
        return abs(value) if bits == 1 else value


def holds_floats(array: Array) -> bool:
    """Whether an array of storage type holds floats; those of ml_dtypes are of no numpy kind."""
    return array.dtype.kind not in "biu"


class IteratorTypeAttr(EnumAttr):
    """What a contraction does with one of its dimensions."""

    mnemonic = "vector.iterator_type"
    cases = ("parallel", "reduction")


for _attribute in (CombiningKindAttr, IteratorTypeAttr):
    _attribute.register()

ADD = CombiningKindAttr("add")


def check_kind(op: Operation, kind: CombiningKindAttr, element: Type, report: Report) -> bool:
    """Whether `kind` combines values of `element`; reports it where not."""
    if kind.applies_to(element):
        return True
    table: Mapping[str, Any] = _float_identities(element) if element.is_float else _ON_INTEGERS
    why = ", which has no zero" if element.is_float and kind.value in _ON_FLOATS else ""
    op.error(
        report, f"kind <{kind.value}> does not apply to {element}{why}", f"kinds for {element}: {', '.join(table)}"
    )
    return False
