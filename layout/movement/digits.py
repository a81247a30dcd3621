"""A movement seen digit by digit: which digit of a source's place is which digit of the reader's place.

A nested layout writes the row-major number of an element as a sum of digits: of the register number, and of the thread
id. Powers of two come apart into bits. Where f only carries digits over, fixes and forgets some, the whole movement is
a short list of pairs, and needs no table of elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple
from ...support.reindex import Reindex, row_major
from ..dimension import Level
from ..nested import NestedLayout


class Digit(NamedTuple):
    """`(number // stride) % size` of a register number or of a thread id; one step is `step` elements."""

    thread: bool
    size: int
    stride: int
    step: int


class Fixed(NamedTuple):
    """A digit of the source's place that is the same for every element that is read."""

    digit: Digit
    value: int


@dataclass(frozen=True, slots=True)
class Matched:
    """`pairs`: (source digit, the target's digit that says it); `fixed`: source digits that f says.

    `repeated` are digits of the target that f does not look at.
    """

    pairs: tuple[tuple[Digit, Digit], ...]
    fixed: tuple[Fixed, ...]
    repeated: tuple[Digit, ...]


@lru_cache(maxsize=4096)
def digits(
    layout: NestedLayout, steps: tuple[int, ...], subgroup_size: int, windows: tuple[int, ...] = ()
) -> tuple[Digit, ...] | None:
    """The digits of every register of every thread; `steps` are elements a step along each dimension.

    With `windows`, a coordinate counts modulo its window only; None where a digit reaches across its end.
    """
    found: list[Digit] = []
    strides, rank = row_major(layout.distributed_shape), layout.rank
    for dim, step in enumerate(steps):
        part = layout.dimension(dim)
        batch, outer, element = strides[dim], strides[rank + dim], strides[2 * rank + dim]
        window = windows[dim] if windows else part.size
        for thread, level, stride in (
            (False, Level.WRAP, batch * part.batch),
            (False, Level.BATCH, batch),
            (False, Level.OUTER, outer),
            (False, Level.ELEMENT, element),
            (True, Level.THREAD, part.thread_stride),
            (True, Level.SUBGROUP, part.subgroup_stride * subgroup_size),
        ):
            for digit in _split(thread, part.tiles[level], stride, part.weight(level)):
                if digit.step < window and window % (digit.step * digit.size):
                    return None
                found.append(digit._replace(step=digit.step * step if digit.step < window else 0))
    return tuple(found)


def _split(thread: bool, size: int, stride: int, step: int) -> Iterator[Digit]:
    """Bits first, then the odd rest."""
    while size % 2 == 0:
        yield Digit(thread, 2, stride, step)
        size, stride, step = size // 2, stride * 2, step * 2
    if size > 1:
        yield Digit(thread, size, stride, step)


@lru_cache(maxsize=65536)
def matched(source: NestedLayout, target: NestedLayout, f: Reindex, subgroup_size: int) -> Matched | None:
    """The movement by digits; None where f does not carry digits over.

    Where f is of a box only, it is read as going on periodically: there the values are no matter.
    """
    if not f.is_affine or not f.is_periodic:
        return None
    windows = tuple(b - a for a, b in zip(f.low, f.high, strict=True))
    offset = f.offset + sum(a * w for a, w in zip(f.low, f.weights, strict=True))
    every = digits(source, row_major(f.source), subgroup_size)
    wanted = digits(target, f.weights, subgroup_size, windows)
    if every is None or wanted is None:
        return None
    held = {(d.step, d.size): d for d in every}
    pairs: list[tuple[Digit, Digit]] = []
    for digit in wanted:
        if digit.step:
            found = held.pop((digit.step, digit.size), None)
            if found is None:
                return None
            pairs.append((found, digit))
    fixed = tuple(Fixed(d, offset // d.step % d.size) for d in held.values())
    if sum(d.step * value for d, value in fixed) != offset:
        return None
    return Matched(tuple(pairs), fixed, tuple(d for d in wanted if not d.step))


def free_bits(layout: NestedLayout, threads: int, subgroup_size: int) -> list[int]:
    """Strides of the bits of the thread id that no dimension decodes; the workgroup is of a power of two."""
    unused = layout.unused_digits(threads, subgroup_size)
    return [bit.stride for size, stride in unused for bit in _split(True, size, stride, 0)]
