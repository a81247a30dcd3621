"""Everything that can be wrong with a nested layout for a vector shape and a workgroup, each with an example.

The rules are those of the layout's decoding: every dimension must have strides where it has tiles, the digits of all
dimensions must be different digits of one mixed-radix thread id, and the workgroup must have the threads they name.
"""

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import Literal, Protocol

from .dimension import Digit, Dimension, LayoutError, Level


class Tiles(Protocol):
    """What is looked at of a layout."""

    @property
    def rank(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def wrap_tile(self) -> tuple[int, ...]: ...
    @property
    def thread_tile(self) -> tuple[int, ...]: ...
    @property
    def thread_strides(self) -> tuple[int, ...]: ...
    @property
    def subgroup_tile(self) -> tuple[int, ...]: ...
    @property
    def subgroup_strides(self) -> tuple[int, ...]: ...
    def dimension(self, dim: int) -> Dimension: ...


def problems(layout: Tiles, shape: Sequence[int] | None, threads: int | None, subgroup_size: int | None) -> list[str]:
    """Messages, empty if there is nothing to say; what is not given is not checked."""
    found = [] if shape is None else _shape_problems(layout, tuple(shape))
    found += stride_problems(layout)
    lanes = level_digits(layout, Level.THREAD, 1)
    # In units of subgroups where the subgroup size is unknown: then the two levels cannot be compared.
    groups = level_digits(layout, Level.SUBGROUP, subgroup_size or 1)
    overlaps = _overlaps([*lanes, *groups]) if subgroup_size else _overlaps(lanes) + _overlaps(groups)
    found += overlaps
    if threads is None:
        return found
    beyond = _threads_beyond(layout, lanes, threads)
    if subgroup_size:
        beyond += _subgroups_beyond(layout, threads, subgroup_size)
    if not beyond and not overlaps:
        beyond = _last_thread_beyond([*lanes, *groups] if subgroup_size else lanes, threads)
    return found + beyond


def level_digits(layout: Tiles, level: Level, unit: int) -> list[Digit]:
    """The digits of one level that can be decoded (size above 1, stride above 0), strides times `unit`."""
    name: Literal["thread", "subgroup"] = "thread" if level == Level.THREAD else "subgroup"
    tiles, strides = (
        (layout.thread_tile, layout.thread_strides)
        if level == Level.THREAD
        else (layout.subgroup_tile, layout.subgroup_strides)
    )
    return [
        Digit(name, dim, size, stride * unit)
        for dim, (size, stride) in enumerate(zip(tiles, strides, strict=True))
        if size > 1 and stride > 0
    ]


def unused(digits: Sequence[Digit], threads: int) -> list[tuple[int, int]]:
    """(size, stride) of the digits of thread ids below `threads` that `digits` leave over, lowest first."""
    gaps: list[tuple[int, int]] = []
    reached, last = 1, None
    for digit in sorted(digits, key=lambda digit: digit.stride):
        if digit.stride % reached:
            raise LayoutError(f"the thread id has no digits to decode: {_overlap(last, digit) if last else digit}")
        gaps.append((digit.stride // reached, reached))
        reached, last = digit.extent, digit
    gaps.append((-(-threads // reached), reached))
    clipped = ((min(size, -(-threads // stride)), stride) for size, stride in gaps)
    return [(size, stride) for size, stride in clipped if size > 1]


def _shape_problems(layout: Tiles, shape: tuple[int, ...]) -> list[str]:
    if len(shape) != layout.rank:
        return [f"the layout has {layout.rank} dimensions, the vector {shape} has {len(shape)}"]
    found: list[str] = []
    for dim, (held, wanted) in enumerate(zip(layout.shape, shape, strict=True)):
        if held != wanted:
            tiles = " x ".join(str(tile) for tile in layout.dimension(dim).tiles[1:])
            wrap = layout.wrap_tile[dim]
            made = f"{wrap} x {tiles}" if wrap > 1 else tiles
            end = f"element {held} has no owner" if held < wanted else f"the layout's element {wanted} does not exist"
            found.append(
                f"dimension {dim}: subgroup x batch x outer x thread x element = {made} = {held} elements, "
                f"the vector has {wanted}: {end}"
            )
    return found


def stride_problems(layout: Tiles) -> list[str]:
    found: list[str] = []
    for dim in range(layout.rank):
        part = layout.dimension(dim)
        for level, size, stride in (
            (Level.SUBGROUP, part.subgroup, part.subgroup_stride),
            (Level.THREAD, part.thread, part.thread_stride),
        ):
            if size > 1 and stride == 0:
                name = level.name.lower()
                found.append(
                    f"dimension {dim}: {name}_tile is {size} but {name}_strides is 0: every {name} takes index 0, "
                    f"element {part.weight(level)} ({name} index 1) has no owner"
                )
    return found


def _overlaps(digits: Sequence[Digit]) -> list[str]:
    ordered = sorted(digits, key=lambda digit: (digit.stride, digit.dim))
    return [_overlap(low, high) for low, high in combinations(ordered, 2) if high.stride % low.extent]


def _overlap(low: Digit, high: Digit) -> str:
    unit = "id" if low.level == high.level else "thread id"
    return (
        f"dimension {high.dim}: {high} overlaps {low}: its stride is not a multiple of {low.size} * {low.stride} = "
        f"{low.extent}; {unit} {high.stride} is index {high.of(high.stride)} of the one and "
        f"index {low.of(high.stride)} of the other, {unit} {low.stride + high.stride} is "
        f"index {high.of(low.stride + high.stride)} and index {low.of(low.stride + high.stride)}"
    )


def _threads_beyond(layout: Tiles, lanes: Sequence[Digit], threads: int) -> list[str]:
    found: list[str] = []
    for digit in lanes:
        if (digit.size - 1) * digit.stride >= threads:
            index = -(-threads // digit.stride)
            element = index * layout.dimension(digit.dim).weight(Level.THREAD)
            found.append(
                f"dimension {digit.dim}: thread_tile {digit.size} with stride {digit.stride} reaches thread "
                f"{(digit.size - 1) * digit.stride}, the workgroup has {threads} threads: element {element} "
                f"(thread index {index}) belongs to thread {index * digit.stride}"
            )
    return found


def _subgroups_beyond(layout: Tiles, threads: int, subgroup_size: int) -> list[str]:
    num_subgroups = -(-threads // subgroup_size)
    found: list[str] = []
    for digit in level_digits(layout, Level.SUBGROUP, 1):
        if (digit.size - 1) * digit.stride >= num_subgroups:
            index = -(-num_subgroups // digit.stride)
            element = index * layout.dimension(digit.dim).weight(Level.SUBGROUP)
            found.append(
                f"dimension {digit.dim}: subgroup_tile {digit.size} with stride {digit.stride} reaches subgroup "
                f"{(digit.size - 1) * digit.stride}, the workgroup has {num_subgroups} subgroups "
                f"({threads} threads of {subgroup_size}): element {element} (subgroup index {index}) belongs to "
                f"subgroup {index * digit.stride}; wrapped({num_subgroups}) gives it to subgroup "
                f"{index * digit.stride % num_subgroups}"
            )
    return found


def _last_thread_beyond(digits: Sequence[Digit], threads: int) -> list[str]:
    last = sum((digit.size - 1) * digit.stride for digit in digits)
    if last < threads:
        return []
    top = max(digits, key=lambda digit: digit.stride)
    return [
        f"dimension {top.dim}: the workgroup has {threads} threads, and the last index of every dimension belongs to "
        f"thread {last}, through {top}; the {prod(digit.size for digit in digits)} index combinations need "
        f"{last + 1} threads"
    ]
