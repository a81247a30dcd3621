"""How a `lowering_config` shares out the iterators of an operation among subgroups and lanes.

    subgroup_basis = [[2, 2, 1], [0, 1, 2]]   counts of subgroups, and which each iterator takes; the last fastest
    subgroup = [32, 64, 0]                    the same by sizes: what one subgroup has of each iterator, 0: all of it
    lane_basis = [[4, 8, 1], [0, 1, 2]]       counts of lanes of a subgroup, likewise
    thread = [0, 4, 0]                        neighbours that a thread has of each iterator

Without `lane_basis` the lanes, then the subgroups that nothing is said of, take the tiles of `thread` in their order,
the last iterator fastest; iterators of which `thread` says nothing, and summed ones, are whole in each thread. What is
left over is repeated: more tiles in each thread, or the same tile in several.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import gcd, prod

from ..ir.attributes import ArrayAttr, int_array, is_int_array
from ..ir.types import Attribute
from .dimension import Dimension, LayoutError
from .workgroup import Workgroup

Given = Mapping[str, Attribute]
Shares = Mapping[int, tuple[int, int]]
"""(count, stride) by iterator."""
SUBGROUP_BASIS, SUBGROUP, LANE_BASIS, THREAD = "subgroup_basis", "subgroup", "lane_basis", "thread"
OF_LANES = (LANE_BASIS, THREAD)
COUNTS = ("subgroup_m_count", "subgroup_n_count")
"""The keys for counts of a product's rows and columns."""
_NOBODY = (1, 0)


def dimensions(given: Given, extents: Sequence[int], summed: Sequence[int], workgroup: Workgroup) -> list[Dimension]:
    """The dimensions of each iterator. Raises LayoutError for what does not divide it, and for other numbers of lanes
    or subgroups."""
    elements = sizes(THREAD, given[THREAD], extents) if THREAD in given else [0] * len(extents)
    left = [divided(THREAD, it, extent, elements[it] or 1) for it, extent in enumerate(extents)]
    open_to_all = [
        it for it in reversed(range(len(extents))) if it not in summed and (THREAD not in given or elements[it])
    ]
    counts = subgroup_counts(given, extents)
    subgroups: Shares | None = None
    if counts is not None:
        check_total(counts, workgroup.subgroups, "subgroups", "workgroup", given)
        subgroups = strided(counts)
        left = _taken(SUBGROUP_BASIS if SUBGROUP_BASIS in given else SUBGROUP, left, subgroups)
    lanes: Shares
    if LANE_BASIS in given:
        lane_counts = basis(LANE_BASIS, given[LANE_BASIS], len(extents))
        check_total(lane_counts, workgroup.subgroup_size, "lanes", "subgroup", given)
        lanes = strided(lane_counts)
        left = _taken(LANE_BASIS, left, lanes)
    else:
        lanes, left = _in_order(open_to_all, left, workgroup.subgroup_size)
    if subgroups is None:
        subgroups, left = _in_order(open_to_all, left, workgroup.subgroups)
    return [
        _dimension(lanes.get(it, _NOBODY), subgroups.get(it, _NOBODY), batch, elements[it] or 1)
        for it, batch in enumerate(left)
    ]


def subgroup_counts(given: Given, extents: Sequence[int]) -> list[tuple[int, int]] | None:
    """(iterator, subgroups) from the slowest to the fastest; None where nothing is said."""
    if SUBGROUP_BASIS in given and SUBGROUP in given:
        raise LayoutError(f"{SUBGROUP_BASIS} beside {SUBGROUP}, which say the same")
    if SUBGROUP_BASIS in given:
        return basis(SUBGROUP_BASIS, given[SUBGROUP_BASIS], len(extents))
    if SUBGROUP not in given:
        return None
    parts = sizes(SUBGROUP, given[SUBGROUP], extents)
    return [
        (it, divided(SUBGROUP, it, extent, size) if size else 1)
        for it, (extent, size) in enumerate(zip(extents, parts, strict=True))
    ]


def basis(name: str, value: Attribute, iterators: int) -> list[tuple[int, int]]:
    """(iterator, count) of `[[counts], [places]]`, from the slowest to the fastest."""
    lists = [int_array(part) for part in getattr(value, "values", ()) if is_int_array(part)]
    if len(lists) != 2 or not isinstance(value, ArrayAttr) or len(lists[1]) != iterators:
        raise LayoutError(f"{name} must be [[counts], [{iterators} places]], found {value}")
    counts, places = lists
    if min(counts, default=0) < 1 or len(set(places)) < len(places) or not set(places) <= set(range(len(counts))):
        raise LayoutError(f"{name} must place iterators at different positive counts, found {value}")
    unplaced = [number for number in range(len(counts)) if number not in places and counts[number] > 1]
    if unplaced:
        raise LayoutError(f"{name} has counts that no iterator takes, which lanewise does not obey: {value}")
    return [(places.index(number), count) for number, count in enumerate(counts) if number in places]


def sizes(name: str, value: Attribute, extents: Sequence[int]) -> list[int]:
    """One for each iterator, 0 where nothing is said."""
    found = int_array(value) if is_int_array(value) else ()
    if len(found) != len(extents) or min(found, default=0) < 0:
        raise LayoutError(f"{name} must have {len(extents)} sizes, one for each iterator, none negative, found {value}")
    return list(found)


def check_total(counts: Sequence[tuple[int, int]], there: int, name: str, whose: str, given: Given) -> None:
    """`given`: all keys, of which the message names those that say it."""
    total = prod(count for _, count in counts)
    if total != there:
        words = " * ".join(str(count) for _, count in counts)
        said = ", ".join(key for key in given if key in _SAYING[name])
        raise LayoutError(f"{words} = {total} {name}, the {whose} has {there} ({said})")


_SAYING: Mapping[str, Collection[str]] = {
    "subgroups": (SUBGROUP_BASIS, SUBGROUP, *COUNTS),
    "lanes": (LANE_BASIS,),
}


def strided(counts: Sequence[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """With strides, the last fastest."""
    found: dict[int, tuple[int, int]] = {}
    stride = 1
    for it, count in reversed(counts):
        found[it] = count, stride
        stride *= count
    return found


def divided(name: str, it: int, extent: int, size: int) -> int:
    """How many parts of a size an iterator has. Raises LayoutError, with the nearest sizes that divide the extent."""
    if extent % size:
        below = next(n for n in range(min(size, extent), 0, -1) if extent % n == 0)
        above = next((n for n in range(size, extent + 1) if extent % n == 0), below)
        near = f"{below} and {above} do" if above != below else f"{below} does"
        raise LayoutError(f"{name}: {size} does not divide {extent}, the extent of iterator d{it}; near it {near}")
    return extent // size


def _taken(name: str, left: Sequence[int], shares: Shares) -> list[int]:
    """What each has of iterators that are shared out."""
    rest = list(left)
    for it, (count, _) in shares.items():
        if rest[it] % count:
            raise LayoutError(f"{name}: {count} do not divide the {rest[it]} that are left of iterator d{it}")
        rest[it] //= count
    return rest


def _in_order(iterators: Sequence[int], left: Sequence[int], there: int) -> tuple[Shares, list[int]]:
    """Shares of iterators, the fastest first, as far as so many divide them."""
    rest, shares, stride = list(left), dict[int, tuple[int, int]](), 1
    for it in iterators:
        count = gcd(rest[it], there // stride)
        shares[it] = count, stride
        rest[it] //= count
        stride *= count
    return shares, rest


def _dimension(lanes: tuple[int, int], subgroups: tuple[int, int], batch: int, element: int) -> Dimension:
    (thread, lane_stride), (subgroup, stride) = lanes, subgroups
    return Dimension(
        subgroup=subgroup,
        batch=batch,
        thread=thread,
        element=element,
        subgroup_stride=stride if subgroup > 1 else 0,
        thread_stride=lane_stride if thread > 1 else 0,
    )
