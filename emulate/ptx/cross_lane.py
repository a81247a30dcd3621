"""Operations across the lanes of a warp, for all warps of a batch at once.

The scheduler has made sure that every live lane named by a member mask is in the group; what is checked here is that
lanes name themselves and do not read from lanes that are absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .atomics import Atomics
from .group import Group
from .state import WARP

Array = npt.NDArray[Any]

_BITS = np.uint32(1) << np.arange(WARP, dtype=np.uint32)


def pack_lanes(mask: Array) -> Array:
    """One 32-bit word per warp: bit l is lane l."""
    return np.packbits(mask.reshape(-1, WARP), axis=1, bitorder="little").view(np.uint32).reshape(-1)


class Lanes(Atomics):
    """Adds shuffles, votes, matches and reductions to a batch."""

    def _members(self, members: Any, group: Group, site: int) -> Iterator[tuple[Any, Array]]:
        """(member mask, lanes [warps, 32] that named it), after checking that each lane names itself."""
        own = _BITS[self.lane % WARP]
        absent = group.mask & (self.all_lanes(members) & own == 0)
        if absent.any():
            lane = int(np.flatnonzero(absent)[0])
            raise self.fault("divergent-warp-operation", "the lane is not in its own member mask", site, lane)
        if np.ndim(members) == 0:
            yield members, group.mask.reshape(-1, WARP)
            return
        for value in np.unique(members[group.index]):
            yield value, (group.mask & (members == value)).reshape(-1, WARP)

    def active_lanes(self, group: Group) -> Array:
        return np.repeat(pack_lanes(group.mask), WARP)

    def shuffle(
        self, mode: str, value: Any, amount: Any, control: Any, members: Any, group: Group, site: int
    ) -> tuple[Array, Any]:
        """(value of the source lane, whether the source was in range)."""
        source, inside = self._shuffle_source(mode, amount, control)
        if not (group.everyone and np.ndim(members) == 0 and int(members) == 0xFFFFFFFF):
            self._check_source(source, members, group, site)
        return (value if np.ndim(value) == 0 else value.take(source)), inside

    def _shuffle_source(self, mode: str, amount: Any, control: Any) -> tuple[Array, Array]:
        uniform = np.ndim(amount) == 0 and np.ndim(control) == 0
        key = f"shuffle {mode} {int(amount)} {int(control)}" if uniform else ""
        if key and key in self._specials:
            found: tuple[Array, Array] = self._specials[key]
            return found
        lane = self.lane % WARP
        step = (amount & np.uint32(31)).astype(np.int64)
        clamp, segment = (
            (control & np.uint32(31)).astype(np.int64),
            ((control >> np.uint32(8)) & np.uint32(31)).astype(np.int64),
        )
        lowest, highest = lane & segment, (lane & segment) | (clamp & ~segment & 31)
        target = {"up": lane - step, "down": lane + step, "bfly": lane ^ step, "idx": lowest | (step & ~segment & 31)}[
            mode
        ]
        inside = target >= highest if mode == "up" else target <= highest
        source = self.lane - lane + np.where(inside, target, lane)
        if key:
            self._specials[key] = (source, inside)
        return source, inside

    def _check_source(self, source: Array, members: Any, group: Group, site: int) -> None:
        for value, rows in self._members(members, group, site):
            here = rows.reshape(-1)
            named = here & (value & _BITS[self.lane % WARP] != 0)
            bad = here & ~named[source]
            if bad.any():
                lane = int(np.flatnonzero(bad)[0])
                detail = f"shuffle reads lane {int(source[lane]) % WARP}, which does not take part"
                raise self.fault("inactive-lane", detail, site, lane)

    def vote(self, mode: str, predicate: Any, members: Any, group: Group, site: int) -> Array:
        """ballot: 32 bits; all, any, uni: a predicate."""
        flags = self.all_lanes(predicate).reshape(-1, WARP)
        out: Array = np.zeros((self.size // WARP, WARP), np.uint32 if mode == "ballot" else np.bool_)
        for _, rows in self._members(members, group, site):
            result = _VOTES[mode](flags, rows)
            out = np.where(rows, result[:, None], out)
        return out.reshape(-1)

    def match(self, mode: str, value: Any, members: Any, group: Group, site: int) -> tuple[Array, Array]:
        """any: the mask of lanes with the same value; all: the member mask if all agree, else 0."""
        values = self.all_lanes(value).reshape(-1, WARP)
        out = np.zeros(values.shape, np.uint32)
        for _, rows in self._members(members, group, site):
            same = (values[:, :, None] == values[:, None, :]) & rows[:, None, :]
            masks = (same * _BITS.astype(np.uint64)).sum(axis=2).astype(np.uint32)
            if mode == "all":
                agreed = (same | ~rows[:, None, :]).all(axis=2)
                masks = np.where(agreed, masks, np.uint32(0))
            out = np.where(rows, masks, out)
        flat = out.reshape(-1)
        return flat, flat != 0

    def reduce(self, op: str, value: Any, members: Any, group: Group, site: int) -> Array:
        """redux: the combination over the members."""
        values = self.all_lanes(value).reshape(-1, WARP)
        combine, identity = _REDUCTIONS[op]
        out = np.zeros(values.shape, values.dtype)
        for _, rows in self._members(members, group, site):
            filled = np.where(rows, values, np.asarray(identity(values.dtype), values.dtype))
            out = np.where(rows, combine(filled)[:, None], out)
        return out.reshape(-1)

    def elect(self, members: Any, group: Group, site: int) -> tuple[Array, Array]:
        """The lowest member of each warp, and whether a lane is it."""
        leader = np.zeros((self.size // WARP, WARP), np.uint32)
        for _, rows in self._members(members, group, site):
            leader = np.where(rows, rows.argmax(axis=1)[:, None].astype(np.uint32), leader)
        flat = leader.reshape(-1)
        return flat, flat == self.lane % WARP

    def warp_barrier(self, members: Any, group: Group) -> None:
        """bar.warp.sync orders memory inside each warp that met as a whole."""
        met = np.asarray(group.mask.reshape(-1, WARP).any(axis=1))
        self.shared.synchronise_teams(met)
        self.races.advance_teams(met)

    def trap(self, group: Group, site: int) -> None:
        raise self.fault("trap", "the kernel stopped itself", site, int(group.index[0]))


def _any(flags: Array, rows: Array) -> Array:
    return np.asarray((flags & rows).any(axis=1))


def _all(flags: Array, rows: Array) -> Array:
    return np.asarray((flags | ~rows).all(axis=1))


_VOTES: dict[str, Callable[[Array, Array], Array]] = {
    "ballot": lambda flags, rows: pack_lanes(flags & rows),
    "any": _any,
    "all": _all,
    "uni": lambda flags, rows: _all(flags, rows) | ~_any(flags, rows),
}


def _wrapping_sum(values: Array) -> Array:
    return np.asarray(np.add.reduce(values, axis=1, dtype=values.dtype))


_REDUCTIONS: dict[str, tuple[Callable[[Array], Array], Callable[[np.dtype[Any]], int]]] = {
    "add": (_wrapping_sum, lambda d: 0),
    "min": (lambda v: v.min(axis=1), lambda d: int(np.iinfo(d).max)),
    "max": (lambda v: v.max(axis=1), lambda d: int(np.iinfo(d).min)),
    "and": (lambda v: np.bitwise_and.reduce(v, axis=1), lambda d: int(np.iinfo(d).max) if d.kind == "u" else -1),
    "or": (lambda v: np.bitwise_or.reduce(v, axis=1), lambda d: 0),
    "xor": (lambda v: np.bitwise_xor.reduce(v, axis=1), lambda d: 0),
}
