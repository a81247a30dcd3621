"""The grid that a kernel needs, from how its workgroups index their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..jit.grid_uses import AXES, Use
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from .dtypes import extent_of


class NoGrid(LanewiseError, TypeError):
    """A grid does not follow from a kernel's indexing; the message says of which axis and why."""


class Lack(NamedTuple):
    """That a grid has too few workgroups along an axis."""

    use: Use
    extent: int
    given: int

    @property
    def needed(self) -> int:
        return -(-self.extent // self.use.extent)

    def __str__(self) -> str:
        use = self.use
        places = f"axis {use.dim} of '{use.array}' has {self.extent} places, {use.extent} for each workgroup"
        return f"{places}: expected {self.needed} along {use.axis}, found {self.given}"


class Cover(tuple[Use, ...]):
    """Which axes of the grid go along which dimensions of arguments."""

    __slots__ = ()

    def grid(self, kernel: str, names: Sequence[str], arguments: Sequence[Any], used: Sequence[str]) -> tuple[int, ...]:
        """So many workgroups that all that is written is written, or, of axes along which nothing is, read.

        Raises NoGrid where uses disagree, or an axis of the grid (`used`) goes along no argument.
        """
        by_name = dict(zip(names, arguments, strict=True))
        return tuple(self._along(axis, kernel, by_name, axis in used) for axis in AXES)

    def lacking(self, grid: Sequence[int], arguments: Mapping[str, Any]) -> list[Lack]:
        """What of the written arrays a grid does not cover: of each axis of the grid the use that needs most of it."""
        found: list[Lack] = []
        for axis, given in zip(AXES, grid, strict=True):
            uses = [use for use in self if use.axis == axis and use.written]
            own = [Lack(u, extent_of(arguments[u.array], u.dim, u.in_byte), given) for u in uses]
            most = max(own, key=lambda lack: lack.needed, default=None)
            if most is not None and most.needed > given:
                found.append(most)
        return found

    def deciding(self, axis: str) -> list[Use]:
        """What the workgroups along an axis have to cover: what is written, else what is read."""
        own = [use for use in self if use.axis == axis]
        return [use for use in own if use.written] or own

    def _along(self, axis: str, kernel: str, arguments: dict[str, Any], is_used: bool) -> int:
        own = self.deciding(axis)
        if not own:
            if is_used:
                raise NoGrid(
                    f"the grid of '{kernel}' along {axis} follows from no argument's indexing:"
                    " expected kernel[grid](...)"
                )
            return 1
        counts = {use: -(-extent_of(arguments[use.array], use.dim, use.in_byte) // use.extent) for use in own}
        if len(set(counts.values())) > 1:
            words = ", ".join(f"{n} for axis {use.dim} of '{use.array}'" for use, n in counts.items())
            raise NoGrid(f"the grid of '{kernel}' along {axis} has to be {words}: expected kernel[grid](...)")
        return next(iter(counts.values()))
