"""Which loops of a kernel take one ring of buffers in turn, and how many buffers there are where all rings lie at once.

Loops one after the other whose tiles are alike go on in one ring where the loop before stopped: who copies for them
fills it for the next loop while this one's last tiles are read. Other rings lie beside each other, since whoever copies
may be a loop ahead: nothing tells where one is over (docs/decisions/0095).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..analysis.shared_places import size_of
from ..ir.core import Operation
from ..ir.dialects import memref, scf
from ..ir.dialects.func import FunctionLike
from ..ir.memory_spaces import is_workgroup
from ..ir.types import Attribute, MemRefType
from ..layout.workgroup import Workgroup
from ..support.dataclasses import dataclass, replace
from .ring import Plan, tiles_of
from .shared_memory_budget import most_bytes

Kind: TypeAlias = tuple[tuple[MemRefType, tuple[tuple[str, Attribute], ...]], ...]
"""Type and attributes of each tile."""


@dataclass(frozen=True, eq=False)
class SharedRing:
    """`plans`: of the loops that take it, in order. None of them stands in another."""

    plans: Sequence[Plan]
    count: int

    @property
    def tiles(self) -> Sequence[memref.AllocOp]:
        """The tiles of one loop; the others' are alike."""
        return list(tiles_of(self.plans[0]).values())

    @property
    def bytes(self) -> int:
        return self.count * sum(size_of(tile.memref.type) for tile in self.tiles)


def shared_rings(
    plans: Sequence[Plan], function: FunctionLike, workgroup: Workgroup, *, fewest: int = 2
) -> list[SharedRing] | None:
    """In the order of the program. None where so few buffers of each tile do not fit."""
    place = {op: number for number, op in enumerate(function.walk())}
    found = list[SharedRing]()
    for plan in sorted(plans, key=lambda plan: place[plan.loop]):
        same = next((n for n, ring in enumerate(found) if _goes_on(plan, ring)), None)
        if same is None:
            found.append(SharedRing([plan], plan.count))
        else:
            old = found[same]
            found[same] = SharedRing([*old.plans, plan], max(old.count, plan.count))
    return _that_fit(found, most_bytes(workgroup) - _others(found, function), fewest)


def _goes_on(plan: Plan, ring: SharedRing) -> bool:
    """Whether its loop can go on in a ring."""
    return _kind(plan) == _kind(ring.plans[0]) and not any(_is_around(other.loop, plan.loop) for other in ring.plans)


def _is_around(outer: scf.ForOp, inner: Operation) -> bool:
    around = inner.enclosing()
    return around is outer or (around is not None and _is_around(outer, around))


def _kind(plan: Plan) -> Kind:
    return tuple((tile.memref.type, tuple(sorted(tile.attributes.items()))) for tile in tiles_of(plan).values())


def _others(found: Sequence[SharedRing], function: FunctionLike) -> int:
    """Bytes of all other buffers."""
    tiles = {tile for ring in found for plan in ring.plans for tile in tiles_of(plan).values()}
    every = [op for op in function.all_of(memref.AllocOp) if is_workgroup(op.memref.type.memory_space)]
    return sum(size_of(op.memref.type) for op in every if op not in tiles)


def _that_fit(found: Sequence[SharedRing], room: int, fewest: int) -> list[SharedRing] | None:
    """The longest rings give up buffers."""
    rings = list(found)
    while sum(ring.bytes for ring in rings) > room:
        longest = max(range(len(rings)), key=lambda n: rings[n].count)
        ring = rings[longest]
        if ring.count <= fewest:
            return None
        rings[longest] = replace(ring, count=ring.count - 1)
    return rings
