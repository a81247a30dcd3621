"""Tiles that threads copy together in a thread's own program: each has the pieces whose number is its own, and then
every so many-th.

A piece is neighbours along the last dimension, 16 bytes of them where rows have so many. Where it is known how many
pieces there are, some are read before the first of them is written: nobody waits for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ..ir.affine import AffineMap, AffineMapAttr, Dim
from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.dialects import affine, arith, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.longhand import broadcast, constant
from ..ir.dialects.memref import DimOp, memref_type
from ..ir.dialects.ub import PoisonOp
from ..ir.dialects.vector_transfer import TransferReadOp, TransferWriteOp
from ..ir.dynamic_index_list import static_part
from ..ir.types import I1, INDEX, VectorType, memory_bits
from ..support.dataclasses import dataclass
from .affine import number
from .legalisations import Inside, refuse

_PIECE_BITS, _WORD_BITS = 128, 32
_AT_ONCE = 8
"""Pieces that are read before the first of them is written."""
_LISTED = 32
"""Pieces of a thread that are written out; more are a loop."""
Mixed = int | Value
Places = Callable[[Builder, Sequence[Value]], list[Value]]
"""The indices of an element of the tile, by its coordinates there."""


@dataclass(frozen=True)
class Tile:
    """What is copied: `extents` elements along each dimension."""

    op: Operation
    """What messages are about."""
    extents: Sequence[Mixed]
    source: Value
    target: Value
    source_places: Places
    target_places: Places
    along: int
    """The dim of the source that the last dimension runs along."""
    neighbours: bool
    """Whether it does so element by element."""
    leaving: Sequence[int]
    """Dims of the source of which some of what is read may be outside."""

    def width(self, threads: Mixed) -> int:
        """Elements of a piece: fewer than 16 bytes where there are not enough pieces for all threads."""
        bits, last = memory_bits(memref_type(self.source).element), self.extents[-1]
        dense = [_steps(memref, dim) == 1 for memref, dim in ((self.source, self.along), (self.target, -1))]
        row = last if all(dense) and self.neighbours and isinstance(last, int) else 1
        width = _PIECE_BITS // bits
        while row % width:
            width //= 2
        elements = prod(n for n in self.extents if isinstance(n, int))
        if isinstance(threads, int) and all(isinstance(n, int) for n in self.extents):
            while width * bits > _WORD_BITS and elements // width < threads:
                width //= 2
        if width * bits % 8:
            words = f"copies single elements of {bits} bits: two threads would write one byte"
            raise refuse(self.op, words, "let rows without gaps be copied that have whole bytes")
        return width


def _steps(memref: Value, dim: int) -> int | None:
    strides, _ = memref_type(memref).strides_and_offset()
    return strides[dim]


def copy_pieces(build: Builder, tile: Tile, own: Value, threads: Mixed) -> None:
    """`own`: the thread's number among so many."""
    copy = _Copy(build, tile, own, tile.width(threads))
    known = [n for n in tile.extents if isinstance(n, int)]
    if len(known) < len(tile.extents) or not isinstance(threads, int):
        copy.in_a_loop(threads)
        return
    pieces = prod(known) // copy.width
    if -(-pieces // threads) > _LISTED:
        copy.in_a_loop(threads)
    else:
        copy.listed(pieces, threads)


class _Copy:
    def __init__(self, build: Builder, tile: Tile, own: Value, width: int) -> None:
        self.build, self.tile, self.own, self.width = build, tile, own, width

    def listed(self, pieces: int, threads: int) -> None:
        """Piece `own`, `own + threads`, and so on; the last only where there is one."""
        firsts = list(range(0, pieces - threads + 1, threads))
        for start in range(0, len(firsts), _AT_ONCE):
            self._several(self.build, [self._later(self.build, n) for n in firsts[start : start + _AT_ONCE]])
        rest = len(firsts) * threads
        if rest < pieces:
            left = number(self.build, pieces - rest)
            there = self.build.value(arith.CmpIOp, self.own, left, predicate=IntegerPredicateAttr("ult"))
            block = Block()
            self.build.op(scf.IfOp, there, types=[], regions=[Region([block]), Region()])
            self._inside(block, lambda inner: self._later(inner, rest))

    def in_a_loop(self, threads: Mixed) -> None:
        build = self.build
        block = Block([INDEX])
        step = threads if isinstance(threads, Value) else number(build, threads)
        build.op(scf.ForOp, self.own, self._count(), step, [], regions=[Region([block])])
        self._inside(block, lambda _: block.arguments[0])

    def _inside(self, block: Block, piece: Callable[[Builder], Value]) -> None:
        inner = Inside(self.build, block)
        self._several(inner, [piece(inner)])
        inner.op(scf.YieldOp, [])

    def _count(self) -> Value:
        build = self.build
        total: Value = number(build, prod(n for n in self.tile.extents if isinstance(n, int)) // self.width)
        for extent in self.tile.extents:
            if isinstance(extent, Value):
                total = build.value(arith.MulIOp, total, extent)
        return total

    def _later(self, build: Builder, pieces: int) -> Value:
        return build.value(arith.AddIOp, self.own, number(build, pieces)) if pieces else self.own

    def _several(self, build: Builder, pieces: Sequence[Value]) -> None:
        """All are read, then all are written."""
        corners = [self._corner(build, piece) for piece in pieces]
        values = [self._read(build, corner) for corner in corners]
        for value, corner in zip(values, corners, strict=True):
            self._write(build, value, corner)

    def _corner(self, build: Builder, piece: Value) -> list[Value]:
        """The coordinates of a piece's first element."""
        first = build.value(arith.MulIOp, piece, number(build, self.width)) if self.width > 1 else piece
        extents = self.tile.extents
        if len(extents) == 1:
            return [first]
        static = static_part(extents)
        dynamic = [n for n in extents if isinstance(n, Value)]
        types = [INDEX] * len(extents)
        made = build.op(affine.DelinearizeIndexOp, first, dynamic, types=types, static_basis=static)
        return list(made.results)

    def _read(self, build: Builder, corner: Sequence[Value]) -> Value:
        tile, element = self.tile, memref_type(self.tile.source).element
        places, rank = tile.source_places(build, corner), memref_type(tile.source).rank
        type = VectorType((self.width,), element)
        leaves = tile.along in tile.leaving
        padding = constant(build, 0, element) if tile.leaving else build.value(PoisonOp, types=[element])
        mask = self._there(build, [(d, places[d]) for d in tile.leaving if d != tile.along])
        attributes = {
            "permutation_map": AffineMapAttr(AffineMap(rank, 0, (Dim(tile.along),))),
            "in_bounds": ArrayAttr((IntegerAttr(int(not leaves), I1),)),
        }
        return build.value(TransferReadOp, tile.source, places, padding, mask, types=[type], **attributes)

    def _there(self, build: Builder, places: Sequence[tuple[int, Value]]) -> list[Value]:
        """A mask, where rows may be missing."""
        total: Value | None = None
        for dim, place in places:
            extent = build.value(DimOp, self.tile.source, number(build, dim))
            there = build.value(arith.CmpIOp, place, extent, predicate=IntegerPredicateAttr("ult"))
            total = there if total is None else build.value(arith.AndIOp, total, there)
        return [] if total is None else [broadcast(build, total, [self.width])]

    def _write(self, build: Builder, value: Value, corner: Sequence[Value]) -> None:
        tile = self.tile
        places, rank = tile.target_places(build, corner), memref_type(tile.target).rank
        map_, inside = AffineMapAttr(AffineMap.minor_identity(rank, 1)), ArrayAttr((IntegerAttr(1, I1),))
        build.op(
            TransferWriteOp, value, tile.target, places, [], types=[], permutation_map=map_, in_bounds=inside
        )  # fmt: skip
