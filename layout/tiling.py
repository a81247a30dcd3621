"""A contraction on one matrix instruction: which of its iterators its fragments lie along, and the layouts that say so.

An instruction multiplies a tile of one iterator of rows, one of columns and the summed ones; the others repeat it. It
may also be given the operands exchanged: C^T = B^T A^T.

Along rows and columns a fragment's outer, thread and element are the layout's. Along the summed iterators lhs and rhs
need only the same distribution, whose threads are the fragment's digit: products are joined in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import gcd, prod
from typing import TypeVar

from ..ir.dialects.iree_gpu import MMALayoutAttr
from ..support.dataclasses import dataclass
from ..targets import Fragment, MatrixInstruction
from ..targets.matrix_instruction import ELEMENT_BITS
from .contraction import Contraction, Iterators
from .dimension import Dimension, LayoutError
from .nested import NestedLayout
from .transfer import Layouts

T = TypeVar("T")
Grid = Mapping[int, tuple[int, int]]
"""(subgroups, stride in subgroups) of the iterators that subgroups divide among themselves."""
_ACCESS_BITS = 128


@dataclass(frozen=True, eq=False)
class Tiling:
    """One way to do a contraction with a matrix instruction; `tilings` makes each once.

    `row`, `column` and `depth` are the iterators that the fragments' M, N and the threads of K lie along; with
    `transposed` the instruction's A is the contraction's rhs, so that `row` is one of its columns.
    """

    product: Contraction
    instruction: MatrixInstruction
    transposed: bool
    row: int
    column: int
    depth: int

    @property
    def attribute(self) -> MMALayoutAttr:
        return MMALayoutAttr(self.instruction.iree_name, self.transposed)

    @property
    def sides(self) -> tuple[Iterators, Iterators, Iterators]:
        """The iterators of the instruction's A, B and C."""
        lhs, rhs, acc = self.product.sides
        return (rhs, lhs, acc) if self.transposed else (lhs, rhs, acc)

    @property
    def summed(self) -> Iterators:
        return self.product.roles.summed

    @property
    def depth_digit(self) -> tuple[int, int]:
        """(threads, stride) of K."""
        a = self.instruction.a
        return a.thread[1], a.thread_strides[1] if a.thread[1] > 1 else 0

    @property
    def depth_registers(self) -> int:
        """Elements along K that a lane gives to one instruction."""
        return self.instruction.a.outer[1] * self.instruction.a.element[1]

    @property
    def count(self) -> int:
        """Instructions for the whole contraction, of all subgroups."""
        m, n, k = self.instruction.shape
        return prod(self.product.extents) // (m * n * k)

    # -- layouts ------------------------------------------------------------------------------------------------

    def swapped(self, sides: Sequence[T]) -> tuple[T, T, T]:
        """What belongs to A, B and C for lhs, rhs and accumulator, or the other way round."""
        a, b, c = sides
        return (b, a, c) if self.transposed else (a, b, c)

    def layouts(self, grid: Grid, depth: Mapping[int, Dimension]) -> Sequence[NestedLayout]:
        """Layouts of lhs, rhs and accumulator, for a distribution of the summed iterators."""
        extents, carried = self.product.extents, self._carried
        sides: list[NestedLayout] = []
        for side, iterators in enumerate(self.sides):
            parts: list[Dimension] = []
            for it in iterators:
                fragment = carried.get((side, it))
                count, stride = grid.get(it, (1, 1))
                if it in depth:
                    parts.append(depth[it])
                else:
                    size = 1 if fragment is None else fragment.size
                    base = Dimension() if fragment is None else fragment
                    batch = extents[it] // size // count
                    parts.append(base._replace(batch=batch, subgroup=count, subgroup_stride=stride if count > 1 else 0))
            sides.append(NestedLayout.of_dimensions(parts))
        return self.swapped(sides)

    @cached_property
    def _carried(self) -> Mapping[tuple[int, int], Dimension]:
        """Outer, thread and element of (A, B or C; iterator) where a fragment fixes them."""
        i = self.instruction
        return {
            (0, self.row): _part(i.a, 0),
            (1, self.column): _part(i.b, 1),
            (2, self.row): _part(i.c, 0),
            (2, self.column): _part(i.c, 1),
        }

    def matches(self, layouts: Sequence[NestedLayout]) -> bool:
        """Whether layouts of lhs, rhs and accumulator are what the instruction computes with."""
        return _matching(self, tuple(layouts))

    def are_fragments(self, layouts: Sequence[NestedLayout]) -> bool:
        """What `matches` remembers."""
        sides = [
            dict(zip(its, layout.dimensions, strict=True))
            for its, layout in zip(self.sides, self.swapped(layouts), strict=True)
        ]
        kept = [
            it
            for it in self.sides[2]
            if not all(it in sides[side] for side in (0, 1, 2)) or it in self.product.roles.batch
        ]
        return (
            all(self._agree(it, [side[it] for side in sides if it in side]) for it in kept)
            and all(_tile(sides[side][it]) == _tile(part) for (side, it), part in self._carried.items())
            and self._sums({it: sides[0][it] for it in self.summed}, {it: sides[1][it] for it in self.summed})
        )

    def _agree(self, it: int, parts: Sequence[Dimension]) -> bool:
        """Operand and accumulator give an iterator's repetitions to the same subgroups, and none to lanes."""
        spread = {(p.wrap * p.batch, p.subgroup, p.subgroup_stride) for p in parts}
        if it in (self.row, self.column):
            return len(spread) == 1
        return len(set(parts)) == 1 and parts[0].thread == 1

    def _sums(self, left: Mapping[int, Dimension], right: Mapping[int, Dimension]) -> bool:
        digits = {it: (part.thread, part.thread_stride) for it, part in left.items()}
        expected = {it: self.depth_digit if it == self.depth else (1, 0) for it in self.summed}
        registers = prod(part.size // (part.thread * part.subgroup) for part in left.values())
        return (
            left == right
            and digits == expected
            and all(part.subgroup == 1 for part in left.values())
            and registers % self.depth_registers == 0
            and self.product.run in (None, (left[self.depth].outer, left[self.depth].element))
        )

    def depths(self) -> Iterator[Mapping[int, Dimension]]:
        """Distributions of the summed iterators: as the fragment has it, and runs as wide as one access."""
        extents, fragment = self.product.extents, _part(self.instruction.a, 1)
        threads, stride = self.depth_digit
        others = {it: Dimension(batch=extents[it]) for it in self.summed if it != self.depth}
        extent = extents[self.depth]
        if self.product.run is not None:
            outer, element = self.product.run
            batch = extent // (outer * threads * element)
            yield {
                **others,
                self.depth: Dimension(batch=batch, outer=outer, thread=threads, element=element, thread_stride=stride),
            }
            return
        inside = extent // threads
        if extent % fragment.size == 0:
            yield {**others, self.depth: fragment._replace(batch=extent // fragment.size)}
        else:
            yield {**others, self.depth: Dimension(batch=inside, thread=threads, thread_stride=stride)}
        wide = gcd(inside & -inside, _ACCESS_BITS // ELEMENT_BITS[self.instruction.a_type])
        if wide > fragment.element:
            yield {
                **others,
                self.depth: Dimension(batch=inside // wide, thread=threads, thread_stride=stride, element=wide),
            }

    def grids(self, subgroups: int, *, lines: bool) -> Iterator[Grid]:
        """How subgroups divide batches, then rows and columns: the squarest blocks; with `lines`, also whole rows and
        whole columns of blocks. Subgroups beyond repeat the work."""
        m, n, _ = self.instruction.shape
        extents = self.product.extents
        batch: dict[int, int] = {}
        for it in self.product.roles.batch:
            batch[it] = gcd(extents[it], subgroups // prod(batch.values()))
        left = subgroups // prod(batch.values())
        rows, columns = extents[self.row] // m, extents[self.column] // n
        fitting = [(r, c) for r in _divisors(left) for c in _divisors(left) if left % (r * c) == 0]
        fitting = [(r, c) for r, c in fitting if rows % r == 0 and columns % c == 0]

        def rank(grid: tuple[int, int]) -> tuple[int, int, tuple[int, int]]:
            r, c = grid
            return -r * c, rows // r * m + columns // c * n, grid

        best = min(fitting, key=rank)
        lined = [(max(r for r, c in fitting if c == 1), 1), (1, max(c for r, c in fitting if r == 1))]
        for r, c in dict.fromkeys([best, *lined] if lines else [best]):
            grid = {self.column: (c, 1), self.row: (r, c)}
            stride = r * c
            for it, count in batch.items():
                grid[it] = count, stride
                stride *= count
            yield grid

    # -- from one operand's layout --------------------------------------------------------------------------------

    def around(self, known: Layouts, subgroups: int) -> Sequence[Sequence[NestedLayout]]:
        """Layouts of lhs, rhs and accumulator that keep those that are given, as far as they are fragments."""
        return _around(self, tuple(known), subgroups)

    def keeping(self, known: Layouts, subgroups: int) -> Iterator[Sequence[NestedLayout]]:
        """What `around` remembers."""
        sides = [
            None if layout is None else dict(zip(its, layout.dimensions, strict=True))
            for its, layout in zip(self.sides, self.swapped(known), strict=True)
        ]
        known_parts = [(side, it, part) for side, parts in enumerate(sides) for it, part in (parts or {}).items()]
        if not all(self._may_be(*entry) for entry in known_parts):
            return
        grid: dict[int, tuple[int, int]] = {}
        depth: Mapping[int, Dimension] | None = None
        for side in sides:
            for it, part in (side or {}).items():
                if it in self.summed:
                    depth = {**(depth or {}), it: part}
                elif part.subgroup > 1:
                    grid[it] = part.subgroup, part.subgroup_stride
        for spread in [grid] if all(sides) else self._completed(grid, sides, subgroups):
            for inside in self.depths() if depth is None else [depth]:
                try:
                    found = self.layouts(spread, inside)
                except (LayoutError, ZeroDivisionError):
                    continue
                kept = all(given is None or given == made for given, made in zip(known, found, strict=True))
                if kept and self.matches(found):
                    yield found

    def _may_be(self, side: int, it: int, part: Dimension) -> bool:
        """Whether a dimension of A, B or C is that of a fragment, as far as one operand can say."""
        fragment = self._carried.get((side, it))
        if fragment is not None:
            return _tile(fragment) == _tile(part)
        return (part.thread, part.thread_stride) == (self.depth_digit if it == self.depth else (1, 0))

    def _completed(self, grid: Grid, sides: Sequence[object], subgroups: int) -> Iterator[Grid]:
        """Gives the subgroups that are left to the iterator of rows or columns that no operand has decided."""
        yield dict(grid)
        taken = prod(count for count, _ in grid.values())
        decided = {it for its, side in zip(self.sides, sides, strict=True) if side is not None for it in its}
        m, n, _ = self.instruction.shape
        for it, size in ((self.row, m), (self.column, n)):
            if it in decided or subgroups % taken:
                continue
            count = gcd(self.product.extents[it] // size, subgroups // taken)
            strides = {stride for _, stride in grid.values()}
            inner = min(strides, default=1) > 1
            if count > 1 and (not inner or min(strides) >= count):
                yield {**grid, it: (count, 1 if inner or not grid else taken)}


@lru_cache(maxsize=1 << 14)
def _matching(tiling: Tiling, layouts: tuple[NestedLayout, ...]) -> bool:
    return tiling.are_fragments(layouts)


@lru_cache(maxsize=1 << 14)
def _around(tiling: Tiling, known: tuple[NestedLayout | None, ...], subgroups: int) -> Sequence[Sequence[NestedLayout]]:
    return tuple(tiling.keeping(known, subgroups))


def _part(fragment: Fragment, position: int) -> Dimension:
    threads = fragment.thread[position]
    return Dimension(
        outer=fragment.outer[position],
        thread=threads,
        thread_stride=fragment.thread_strides[position] if threads > 1 else 0,
        element=fragment.element[position],
    )


def _tile(part: Dimension) -> tuple[int, int, int, int]:
    return part.outer, part.thread, part.thread_stride, part.element


def _divisors(n: int) -> list[int]:
    return [i for i in range(1, n + 1) if n % i == 0]
