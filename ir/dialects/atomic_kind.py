"""How an atomic update joins what memory holds with a value: arith's AtomicRMWKind, used by `memref.atomic_rmw`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import numerics
from ..attributes import EnumAttr
from ..numerics import Array
from ..types import I64, Type
from . import arith

Combine = Callable[..., Any]


def _assign(old: Array, new: Array) -> Array:
    return new


_ON_INTEGERS: Mapping[str, Combine] = {
    "addi": arith.AddIOp.compute,
    "andi": arith.AndIOp.compute,
    "assign": _assign,
    "maxs": arith.MaxSIOp.compute,
    "maxu": arith.MaxUIOp.compute,
    "mins": arith.MinSIOp.compute,
    "minu": arith.MinUIOp.compute,
    "muli": arith.MulIOp.compute,
    "ori": arith.OrIOp.compute,
    "xori": arith.XOrIOp.compute,
}
_ON_FLOATS: Mapping[str, Combine] = {
    "addf": np.add,
    "assign": _assign,
    "maximumf": numerics.maximumf,
    "maxnumf": numerics.maxnumf,
    "minimumf": numerics.minimumf,
    "minnumf": numerics.minnumf,
    "mulf": np.multiply,
}
_ALL: Mapping[str, Combine] = {**_ON_INTEGERS, **_ON_FLOATS}


class AtomicRMWKindAttr(EnumAttr):
    """What becomes of an element and the operation's value; `assign` exchanges them."""

    mnemonic = "arith.atomic_rmw_kind"
    number = I64
    cases = ("addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu", "minimumf", "minnumf", "mins",
             "minu", "mulf", "muli", "ori", "xori")  # fmt: skip

    @property
    def rounds(self) -> bool:
        """Whether bits depend on the order in which elements are joined."""
        return self.value in ("addf", "mulf")

    def combine(self, old: Array, new: Array) -> Array:
        """What memory holds afterwards, element by element in their own type; integers wrap."""
        with np.errstate(all="ignore"):
            return np.asarray(_ALL[self.value](old, new))


def kinds_for(element: Type) -> tuple[str, ...]:
    """The kinds that update elements of this scalar type."""
    if element.is_float:
        return tuple(_ON_FLOATS)
    return tuple(_ON_INTEGERS) if element.is_whole else ()


AtomicRMWKindAttr.register()
