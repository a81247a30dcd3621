"""Rings of slots that boxes are copied to, as machine text shows them: by the addresses of their mbarriers.

A ring's mbarriers lie one behind the other, 8 bytes each, and the text addresses one by the place of the first and a
register. So a place that somebody waits at begins a ring, which ends where the next one begins; what makes mbarriers
names every place, and says how many slots there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ..support.dataclasses import dataclass, field
from ..support.named_tuples import NamedTuple
from .timed import Ring, Tile


class Address(NamedTuple):
    """What an instruction does with an mbarrier at a place: makes it, waits for it, asks for a tile (`register` has
    its bytes), says that a tile is not needed; or it puts the number `offset` into a register."""

    does: Literal["", "slot", "wait", "ask", "release", "box", "constant"]
    offset: int = 0
    register: str = ""


@dataclass(frozen=True)
class RingsOf:
    """The rings of a loop by name, and by instruction what it awaits, asks for, and releases."""

    rings: Mapping[str, Ring] = field(default_factory=dict[str, Ring])
    awaits: Mapping[int, Tile] = field(default_factory=dict[int, Tile])
    asks: Mapping[int, Tile] = field(default_factory=dict[int, Tile])
    releases: Mapping[int, Tile] = field(default_factory=dict[int, Tile])


def rings_of(addresses: Sequence[Address], start: int, end: int) -> RingsOf:
    """Those that the instructions from `start` to before `end` wait for."""
    bases = sorted({a.offset for a in addresses if a.does == "wait"})

    def base(offset: int) -> int:
        return bases[max(bisect_right(bases, offset) - 1, 0)]

    inside = range(start, end)
    awaits = _numbered((n, base(addresses[n].offset)) for n in inside if addresses[n].does == "wait")
    names = dict.fromkeys(tile.ring for tile in awaits.values())
    every_ask = {n: base(a.offset) for n, a in enumerate(addresses) if a.does == "ask" and bases}
    asks = _numbered((n, ring) for n, ring in every_ask.items() if n in inside and str(ring) in names)
    rings: dict[str, Ring] = {}
    for name in names:
        of_ring = [n for n, ring in every_ask.items() if str(ring) == name]
        own = any(n in inside for n in of_ring)
        rings[name] = Ring(
            slots=sum(a.does == "slot" and str(base(a.offset)) == name for a in addresses) or 1,
            tile_bytes=max((_bytes_asked(addresses, n) for n in of_ring), default=0),
            each=sum(tile.ring == name for tile in awaits.values()),
            ahead=sum(n < start for n in of_ring) if own else 0,
            asked_inside=own,
        )
    released = [n for n in inside if addresses[n].does == "release"]
    order = list(awaits.values())
    releases = dict(zip(released, order, strict=False)) if order else {}
    return RingsOf(rings, awaits, asks, releases)


def _numbered(places: Iterable[tuple[int, int]]) -> dict[int, Tile]:
    """By instruction, each ring's tiles counted from 0."""
    counts: dict[int, int] = {}
    found: dict[int, Tile] = {}
    for number, ring in places:
        found[number] = Tile(str(ring), counts.get(ring, 0))
        counts[ring] = found[number].number + 1
    return found


def _bytes_asked(addresses: Sequence[Address], ask: int) -> int:
    """The number that was last put into the register; 0 where nothing was."""
    for address in reversed(addresses[:ask]):
        if address.does == "constant" and address.register == addresses[ask].register:
            return address.offset
    return 0
