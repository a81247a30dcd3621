"""What bringing a vector from one layout to another costs, from the layouts' digits alone: the search's prices.

`conversion.py` plans the conversion itself by comparing whole maps, a hundred times dearer. The estimate is zero
exactly where every thread has its elements already, and follows the planner's cost elsewhere
(tests/layout/test_estimate.py). Costs are in the cycles of `plan.Cost`.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from ..support.named_tuples import NamedTuple
from .dimension import Dimension
from .nested import NestedLayout
from .plan import Cost
from .workgroup import Workgroup

IMPOSSIBLE = 1 << 32
"""The price of what needs shared memory where the program has none: more than anything possible."""

_WORD_BITS = 32
_WIDEST_ACCESS_BITS = 128
_LINE_BYTES = 128
ROUND_TRIP = 192
"""What threads wait from the last store to the first load beyond the barriers themselves."""
_PIECE = Cost(barriers=1).cycles + ROUND_TRIP


class _Piece(NamedTuple):
    """A part of a dimension's digits: `size` indices that step the thread id by `source` in the one layout and by
    `target` in the other; 0 where they are registers."""

    size: int
    source: int
    target: int


@lru_cache(maxsize=1 << 16)
def conversion_cycles(source: NestedLayout, target: NestedLayout, bits: int, workgroup: Workgroup) -> int:
    """The cycles of one conversion of elements of `bits`."""
    if source == target:
        return 0
    if not (source.is_held and target.is_held):
        return IMPOSSIBLE
    subgroups, subgroup_size = workgroup.subgroups, workgroup.subgroup_size
    pieces = -(-prod(source.shape) * bits // (8 * workgroup.shared_bytes)) if workgroup.exchanges else 0
    source, target = source.wrapped(subgroups), target.wrapped(subgroups)
    shared = _shared(source, target, bits, subgroup_size) + (pieces - 1) * _PIECE if pieces else IMPOSSIBLE
    parts = _pieces(source, target, subgroup_size)
    if parts is None:
        return shared
    moved = [p for p in parts if p.source != p.target]
    sent = [p for p in moved if p.source]
    taken = [p for p in moved if p.target and not p.source]
    if not sent and not taken:
        return 0
    if any(p.size * p.source > subgroup_size for p in sent):
        return shared
    return min(_shuffles(source, target, sent, taken, bits), shared)


def _pieces(source: NestedLayout, target: NestedLayout, subgroup_size: int) -> list[_Piece] | None:
    """The digits of both layouts cut where either is; None where they have no common refinement."""
    pieces: list[_Piece] = []
    for one, other in zip(source.dimensions, target.dimensions, strict=True):
        if one == other:
            continue
        left, right = _digits(one, subgroup_size), _digits(other, subgroup_size)
        while left and right:
            (n, a), (m, b) = left.pop(), right.pop()
            size = min(n, m)
            if n % size or m % size:
                return None
            pieces.append(_Piece(size, a, b))
            if n > size:
                left.append((n // size, a * size))
            if m > size:
                right.append((m // size, b * size))
    return pieces


def _digits(part: Dimension, subgroup_size: int) -> list[tuple[int, int]]:
    """(size, step of the thread id) of a dimension's levels, slowest first."""
    steps = (0, part.subgroup_stride * subgroup_size, 0, 0, part.thread_stride, 0)
    return [(size, step) for size, step in zip(part.tiles, steps, strict=True) if size > 1]


def _shuffles(source: NestedLayout, target: NestedLayout, sent: list[_Piece], taken: list[_Piece], bits: int) -> int:
    """Register digits that become lane digits are swapped with what they replace."""
    words = max(1, target.registers * max(bits, 8) // _WORD_BITS)
    choices = 1
    for piece in taken:
        choices *= piece.size
    steps, left_out = (choices - 1).bit_length(), max(0, source.registers - target.registers)
    if not sent:
        return Cost(selects=left_out).cycles
    lanes_move = any(p.target for p in sent)
    shuffles = words if lanes_move or not taken else words - words // choices
    return Cost(shuffles=max(1, shuffles), selects=max(2 * steps * words, left_out if taken else 0)).cycles


def _shared(source: NestedLayout, target: NestedLayout, bits: int, subgroup_size: int) -> int:
    """Stores and loads as wide as one dimension allows both, without conflicts."""
    bits = max(bits, 8)
    most = max(1, _WIDEST_ACCESS_BITS // bits)
    stores, loads = min(
        (
            (source.registers // _width(a, most), target.registers // _width(b, most))
            for a, b in zip((*source.element_tile, 1), (*target.element_tile, 1), strict=True)
        ),
        key=sum,
    )
    lines = (source.registers + target.registers) * bits * subgroup_size // (8 * _LINE_BYTES)
    return Cost(stores=stores, loads=loads, barriers=2, wavefronts=max(stores + loads, lines)).cycles + ROUND_TRIP


def _width(tile: int, most: int) -> int:
    return min(tile & -tile, most)
