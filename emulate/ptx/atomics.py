"""Atomic read-modify-write operations of a batch: each address is updated in order of thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..access_records import ATOMIC
from ..batch_values import choose
from ..floats import arithmetic, packed, pick
from ..machine.atomics import Update, decrement, increment, update_in_order
from ..races import BITWISE, changed_bytes, masked_bytes
from .group import Group
from .state_spaces import Access
from .types import TYPES

Array = npt.NDArray[Any]

_NO_FLAGS: frozenset[str] = frozenset()


def _update(op: str, type_name: str) -> Update:
    """(old bits, operands) -> new bits."""
    t = TYPES[type_name]
    dtype = np.dtype(t.code)
    if op in ("exch", "cas"):
        return _SWAPS[op]
    if t.kind == "x":
        inner = type_name.removesuffix("x2")
        half = _float_op(op, inner)

        def both(a: Array, b: Array) -> Array:
            return half(a, [b])

        return lambda old, v: packed(both, old, v[0])
    if t.is_float:
        return _float_op(op, type_name)
    integer = _INTEGER[op]
    unsigned = np.dtype(t.unsigned)
    return lambda old, v: np.asarray(integer(old.view(dtype), v[0].view(dtype))).astype(dtype).view(unsigned)


def _float_op(op: str, name: str) -> Update:
    if op == "add":
        return lambda old, v: arithmetic("add", name, "rn", _NO_FLAGS, old, v[0])
    return lambda old, v: pick(op, name, _NO_FLAGS, old, v[0])


_SWAPS: dict[str, Update] = {
    "exch": lambda old, v: v[0],
    "cas": lambda old, v: choose(old == v[0], v[1], old),
}
_INTEGER: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "inc": increment,
    "dec": decrement,
}


class Atomics(Access):
    """Adds `atomic` to a batch."""

    def atomic(
        self,
        op: str,
        space: str,
        address: Any,
        type_name: str,
        operands: list[Any],
        wanted: bool,
        group: Group,
        site: int,
    ) -> Array:
        """The bits that were there before (for active lanes)."""
        size = TYPES[type_name].size
        out = np.zeros(self.size, f"u{size}")
        if group.count == 0:
            return out
        addresses = self.chosen(address, group)
        if space == "generic":
            for part_space, part, own in self._windows(addresses, group, site):
                before = self.atomic(op, part_space, own, type_name, operands, wanted, part, site)
                out[part.index] = before[part.index]
            return out
        data, flat = self._locate(space, addresses, size, group, site)
        if space == "shared":
            self._note_update(op, space, flat, size, operands, wanted, group, site)
        elif space == "global":
            self._note_update(op, space, flat, size, operands, wanted, group, site)
            self.tell_watch(addresses, size, group, site)
        self.counters.atomics += group.count
        values = [self.chosen(v, group) for v in operands]
        out[group.index] = update_in_order(data.view(f"u{size}"), flat // size, values, _update(op, type_name))
        return out

    def _note_update(
        self,
        op: str,
        space: str,
        flat: Array,
        size: int,
        operands: list[Any],
        wanted: bool,
        group: Group,
        site: int,
    ) -> None:
        """Notes the bytes that an update touches: those alone that it may change, of a bitwise one that is not read."""
        lanes, length = group.index, size
        if op == "cas":
            compared, new = (np.asarray(self.chosen(v, group)) for v in operands)
            (flat, lanes), length = changed_bytes(flat, lanes, compared, new), 1
        elif op in BITWISE and not wanted:
            operand = np.asarray(self.chosen(operands[0], group))
            (flat, lanes), length = masked_bytes(flat, lanes, operand, kept=BITWISE[op]), 1
        if space == "shared":
            self._on_shared(self.shared.on_atomic, flat, lanes, length, site)
        else:
            self.note(ATOMIC, flat, length, lanes, site)
