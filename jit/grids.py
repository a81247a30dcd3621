"""The grid of a launch as people write it: a number of workgroups, or up to three."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, SupportsIndex, TypeAlias, cast

from ..support.diagnostics import LanewiseError
from .device import Dim3
from .signature import describe

Grid: TypeAlias = int | Sequence[int]


class GridError(LanewiseError, ValueError):
    """A grid is no number of workgroups."""


def grid_of(grid: Any) -> Dim3:
    """Workgroups along x, y, z. Raises GridError unless it is one to three integers of at least 0."""
    given: tuple[object, ...] = cast("tuple[object, ...]", grid) if type(grid) is tuple else ()
    if len(given) in _COMPLETION:
        x, y, z = given + _COMPLETION[len(given)]
        if type(x) is int and type(y) is int and type(z) is int and x > 0 and y > 0 and z > 0:
            return x, y, z
    return _of_any(grid)


_COMPLETION: Mapping[int, tuple[int, ...]] = MappingProxyType({1: (1, 1), 2: (1,), 3: ()})
"""What completes a grid, by how many axes are given."""


def _of_any(grid: Any) -> Dim3:
    given = _elements(grid)
    extents = [_extent(n) for n in given] if 1 <= len(given) <= 3 else [-1]
    if min(extents) < 0:
        found = describe(grid) if getattr(grid, "shape", None) else repr(grid)
        raise GridError(f"a grid is one to three numbers of workgroups, each at least 0; found {found}")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def _elements(grid: Any) -> list[object]:
    return list(cast("Iterable[object]", grid)) if isinstance(grid, Iterable) else [grid]


def _extent(given: object) -> int:
    """A number of workgroups, -1 for what is none."""
    if type(given) is int:
        return given
    # asking the abstract class takes longer than all the rest
    if not isinstance(given, SupportsIndex) or isinstance(given, bool):
        return -1
    try:
        return operator.index(given)
    except TypeError:  # an array
        return -1
