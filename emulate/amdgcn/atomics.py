"""Atomic read-modify-write operations of a batch: each address is updated in order of lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..access_records import ATOMIC
from ..batch_values import choose
from ..machine.atomics import Update, decrement, increment, update_in_order
from ..races import BITWISE, changed_bytes, masked_bytes
from .group import Group
from .loads_stores import Resource
from .numbers import bf16_bits, bf16_value, max_number, min_number, pack_halves
from .tensor_dma import Tensors
from .wave_values import Array


def _as(code: str, operation: Callable[[Array, Array], Array]) -> Update:
    """An operation on values of a type, on bits."""
    dtype = np.dtype(code)

    def update(old: Array, operands: list[Array]) -> Array:
        new = operation(old.view(dtype), operands[0].view(dtype))
        return np.asarray(new, dtype).view(old.dtype)

    return update


def _packed_f16(old: Array, operands: list[Array]) -> Array:
    new = old.view(np.float16) + operands[0].view(np.float16)
    return np.asarray(new).view(np.uint32)


def _packed_bf16(old: Array, operands: list[Array]) -> Array:
    halves: list[Array] = []
    for shift in (0, 16):
        a, b = (bf16_value((x >> np.uint32(shift)).astype(np.uint16)) for x in (old, operands[0]))
        halves.append(bf16_bits(a.astype(np.float64) + b))
    return np.asarray(pack_halves(*halves))


def _exchange(old: Array, operands: list[Array]) -> Array:
    return operands[0]


def _compare_exchange(old: Array, operands: list[Array]) -> Array:
    return np.asarray(choose(old == operands[1], operands[0], old))


UPDATES: dict[str, Update] = {"swap": _exchange, "cmpswap": _compare_exchange}
for _size in (4, 8):
    for _name, _kind, _function in (
        ("add", "u", np.add),
        ("sub", "u", np.subtract),
        ("smin", "i", np.minimum),
        ("umin", "u", np.minimum),
        ("smax", "i", np.maximum),
        ("umax", "u", np.maximum),
        ("and", "u", np.bitwise_and),
        ("or", "u", np.bitwise_or),
        ("xor", "u", np.bitwise_xor),
        ("inc", "u", increment),
        ("dec", "u", decrement),
        ("fadd", "f", np.add),
        ("fmin", "f", min_number),
        ("fmax", "f", max_number),
    ):
        UPDATES[f"{_name}{_size}"] = _as(f"{_kind}{_size}", _function)
UPDATES["pk_add_f16"] = _packed_f16
UPDATES["pk_add_bf16"] = _packed_bf16


class Atomics(Tensors):
    """Adds atomics to a batch; values are unsigned words of `size` bytes, [wave, lane]."""

    def atomic(
        self, group: Group, mask: Any, address: Any, update: str, operands: list[Any], size: int, read: bool, site: int
    ) -> Array:
        """On global memory; the bits that were there before."""
        active = group.active(mask)
        addresses = group.flat(address, active)
        flat = self._locate_global(addresses, size, 1, group, active, site)
        self._refuse_read_only(addresses, size, group, active, site)
        self.tell_watch(addresses, size, group, active, site)
        where, numbers, length = self._updated(flat, size, update, operands, read, group, active)
        self.note(ATOMIC, where, length, numbers, site)
        self.counters.atomics += flat.size
        before = update_in_order(
            self.memory.arena.view(f"u{size}"), flat // size, [group.flat(v, active) for v in operands], UPDATES[update]
        )
        return group.spread(before, active)

    def buffer_atomic(
        self,
        group: Group,
        mask: Any,
        resource: Resource,
        offset: Any,
        outside: Any,
        update: str,
        operands: list[Any],
        size: int,
        read: bool,
        site: int,
    ) -> Array:
        """On global memory, where the element is inside the buffer; zero is found elsewhere."""
        base, records, private = self.buffer(resource, site)
        if private:
            raise self.fault("unsupported", "an atomic on private memory", site)
        inside = mask & (offset >= 0) & (offset <= records - size)
        return self.atomic(group, inside, base + offset + outside, update, operands, size, read, site)

    def shared_atomic(
        self, group: Group, mask: Any, address: Any, update: str, operands: list[Any], size: int, read: bool, site: int
    ) -> Array:
        """On the workgroup's memory (LDS)."""
        active = group.active(mask)
        flat = self.locate_shared(address, size, 1, group, active, site)
        where, numbers, length = self._updated(flat, size, update, operands, read, group, active)
        self._on_shared("on_atomic", where, length, numbers, group, active, site)
        self.counters.atomics += flat.size
        before = update_in_order(
            self.shared.data.view(f"u{size}"), flat // size, [group.flat(v, active) for v in operands], UPDATES[update]
        )
        return group.spread(before, active)

    def _updated(
        self,
        flat: Array,
        size: int,
        update: str,
        operands: list[Any],
        read: bool,
        group: Group,
        active: Array | None,
    ) -> tuple[Array, Array, int]:
        """Positions, lanes and bytes of what an update is about: of a bitwise one that gives nothing to read, the bytes
        alone that it may change."""
        numbers = group.numbers(active)
        if update[:-1] in BITWISE and not read:
            operand = np.asarray(group.flat(operands[0], active))
            return *masked_bytes(flat, numbers, operand, kept=BITWISE[update[:-1]]), 1
        if update != "cmpswap":
            return flat, numbers, size
        new, compared = (np.asarray(group.flat(v, active)) for v in operands)
        return *changed_bytes(flat, numbers, compared, new), 1

    def flat_atomic(
        self, group: Group, mask: Any, address: Any, update: str, operands: list[Any], size: int, read: bool, site: int
    ) -> Array:
        """On whatever memory each generic address lies in."""
        out = np.zeros((group.count, self.lanes), f"u{size}")
        for space, part, own in self._windows(group, mask, address):
            if space == "private":
                raise self.fault("unsupported", "an atomic on private memory", site)
            apply = self.shared_atomic if space == "shared" else self.atomic
            before = apply(group, part, own, update, operands, size, read, site)
            out[part] = before[part]
        return out
