"""Random layouts whose tiles are powers of two, for vectors and workgroups that are."""

from __future__ import annotations

from math import prod
from random import Random

from lanewise.layout.nested import NestedLayout


def powers(limit: int, extent: int) -> list[int]:
    """Powers of two up to `limit` that divide `extent`."""
    return [1 << bit for bit in range(limit.bit_length()) if extent % (1 << bit) == 0]


def power_layout(random: Random, shape: tuple[int, ...], lanes: int, subgroups: int = 1) -> NestedLayout:
    """Some lanes may hold the same elements, and digits stand in any order."""
    rank = len(shape)
    tiles: dict[str, list[int]] = {}
    strides: dict[str, list[int]] = {}
    rest = list(shape)
    for level, room in (("thread", lanes), ("subgroup", subgroups)):
        tiles[level], strides[level], reached = [1] * rank, [0] * rank, 1
        for dim in random.sample(range(rank), rank):
            tile = random.choice(powers(room // reached, rest[dim]))
            if tile > 1:
                gap = random.choice(powers(room // reached // tile, 2))
                tiles[level][dim], strides[level][dim] = tile, reached * gap
                reached *= gap * tile
                rest[dim] //= tile
    batch = [random.choice(powers(n, n)) for n in rest]
    rest = [n // b for n, b in zip(rest, batch, strict=True)]
    outer = [random.choice(powers(n, n)) for n in rest]
    element = [n // o for n, o in zip(rest, outer, strict=True)]
    fields = (tiles["subgroup"], batch, outer, tiles["thread"], element, strides["subgroup"], strides["thread"])
    layout = NestedLayout(*(tuple(field) for field in fields))
    assert prod(layout.shape) == prod(shape)
    return layout
