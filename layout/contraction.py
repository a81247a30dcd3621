"""Contractions on matrix instructions: which instruction fits which iterators, and the layouts that spell it.

A contraction's iterators are batch (in lhs, rhs and accumulator), rows (lhs and accumulator), columns (rhs and
accumulator) and summed (lhs and rhs). An instruction multiplies a tile of one iterator of rows, one of columns and the
summed ones; the others repeat it. It may also be given the operands exchanged: C^T = B^T A^T.

Along rows and columns a fragment's outer, thread and element are the layout's. Along the summed iterators lhs and rhs
need only the same distribution, whose threads are the fragment's digit: products are joined in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import gcd, prod
from typing import TypeVar

from ..ir.diagnostics import Report
from ..ir.dialects.iree_gpu import MMAIntrinsicAttr, MMALayoutAttr, VirtualMMALayoutAttr
from ..ir.dialects.iree_gpu_config import LoweringConfigAttr
from ..ir.dialects.vector_reductions import ContractionOp, Roles
from ..ir.targets import Fragment, MatrixInstruction, matrix_instructions
from ..ir.targets.chip import UnknownTargetError
from ..ir.targets.instructions import find_matrix_instruction
from ..ir.targets.matrix_instruction import ELEMENT_BITS
from ..ir.types import Attribute, Type, element_type
from .dimension import Dimension, LayoutError
from .nested import NestedLayout
from .transfer import Layouts, is_vector
from .workgroup import Workgroup

MMA = "iree_gpu.mma"
"""The attribute of a contraction in the layout stage that names its instruction."""

T = TypeVar("T")
Iterators = tuple[int, ...]
Grid = Mapping[int, tuple[int, int]]
"""(subgroups, stride in subgroups) of the iterators that subgroups divide among themselves."""
_ACCESS_BITS = 128


@dataclass(frozen=True)
class Product:
    """What decides how a contraction may be done: iterators of lhs, rhs and accumulator, their extents, element types.

    `asked`: the instruction that its attributes name, and whether with the operands exchanged (None: either way).
    `run`: (outers, elements) of a thread along K that they ask for, where that is not the instruction's own.
    `obstacle`: why it is no plain sum of products of matrices.
    """

    sides: tuple[Iterators, Iterators, Iterators]
    extents: tuple[int, ...]
    roles: Roles
    types: tuple[str, str, str]
    asked: tuple[MatrixInstruction, bool | None] | None
    run: tuple[int, int] | None
    obstacle: str

    @classmethod
    def of(cls, op: ContractionOp) -> Product:
        lhs, rhs, acc = op.iterator_dims
        asked = _asked(op)
        a, b, c = (element_type(v.type) for v in (op.lhs, op.rhs, op.acc))
        types = spelled_types(a, b, c, op.unsigned, asked)
        return cls((lhs, rhs, acc), op.iterator_extents, op.roles, types, asked, _run(op), _obstacle(op))

    def allows(self, instruction: MatrixInstruction, transposed: bool) -> bool:
        """Whether it is what is asked for, if anything is."""
        return self.asked is None or (self.asked[0] == instruction and self.asked[1] in (None, transposed))


@dataclass(frozen=True, eq=False)
class Tiling:
    """One way to do a contraction with a matrix instruction; `tilings` makes each once.

    `row`, `column` and `depth` are the iterators that the fragments' M, N and the threads of K lie along; with
    `transposed` the instruction's A is the contraction's rhs, so that `row` is one of its columns.
    """

    product: Product
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
        """Of lhs, rhs and accumulator, for a distribution of the summed iterators."""
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


@lru_cache(maxsize=1 << 10)
def tilings(what: Product, workgroup: Workgroup) -> tuple[Tiling, ...]:
    """Every instruction of the chip for the element types, and for subgroups as the workgroup has them, that divides a
    contraction; the largest first."""
    return () if what.obstacle else tuple(sorted(_tilings(what, workgroup), key=lambda t: -prod(t.instruction.shape)))


def _tilings(what: Product, workgroup: Workgroup) -> Iterator[Tiling]:
    extents, roles = what.extents, what.roles
    for instruction, transposed in instructions_for(what, workgroup):
        m, n, k = instruction.shape
        rows, columns = (roles.columns, roles.rows) if transposed else (roles.rows, roles.columns)
        row = next((it for it in reversed(rows) if extents[it] % m == 0), None)
        column = next((it for it in reversed(columns) if extents[it] % n == 0), None)
        threads = instruction.a.thread[1]
        span = threads * prod(what.run or (1,))
        depth = next((it for it in reversed(roles.summed) if extents[it] % span == 0), None)
        divides = prod(extents[it] for it in roles.summed) % k == 0
        if row is not None and column is not None and depth is not None and divides:
            yield Tiling(what, instruction, transposed, row, column, depth)


def instructions_for(what: Product, workgroup: Workgroup) -> Iterator[tuple[MatrixInstruction, bool]]:
    """The chip's instructions for a contraction's element types, whatever its extents, and whether they exchange its
    operands."""
    for instruction, transposed in product(_instructions(what, workgroup), (False, True)):
        types = instruction.a_type, instruction.b_type, instruction.c_type
        if _types(what, transposed) == types and what.allows(instruction, transposed):
            yield instruction, transposed


def spelled_types(
    a: Type, b: Type, c: Type, unsigned: tuple[bool, bool], asked: tuple[MatrixInstruction, object] | None
) -> tuple[str, str, str]:
    """Element types as tables of instructions have them. f32 is multiplied as tf32 only where a program asks for it."""
    short = asked is not None and asked[0].a_type == "tf32"
    left, right = ("u" * u + str(t) for t, u in ((a, unsigned[0]), (b, unsigned[1])))
    left, right = ("tf32" if short and t == "f32" else t for t in (left, right))
    return left, right, str(c)


def _types(what: Product, transposed: bool) -> tuple[str, str, str]:
    lhs, rhs, acc = what.types
    return (rhs, lhs, acc) if transposed else (lhs, rhs, acc)


def _instructions(what: Product, workgroup: Workgroup) -> list[MatrixInstruction]:
    asked = None if what.asked is None else what.asked[0]
    return [i for i in _of_subgroups(workgroup) if _same_depth(i) and asked in (None, i)]


def _of_subgroups(workgroup: Workgroup) -> list[MatrixInstruction]:
    """The chip's instructions of a single product for subgroups of the workgroup's size."""
    every = matrix_instructions(workgroup.chip)
    return [i for i in every if i.blocks == 1 and i.subgroup_size == workgroup.subgroup_size]


def _same_depth(i: MatrixInstruction) -> bool:
    """Whether A and B have K in the same threads and registers."""
    a, b = i.a, i.b
    return (a.thread[1], a.thread_strides[1], a.outer[1], a.element[1]) == (
        b.thread[0],
        b.thread_strides[0],
        b.outer[0],
        b.element[0],
    )


def _asked(op: ContractionOp) -> tuple[MatrixInstruction, bool | None] | None:
    """What the layout stage, or `mma_kind` of a lowering_config, names; LayoutError where that is no instruction, or
    where they differ."""
    config = op.attributes.get("lowering_config")
    kind = config.get("mma_kind") if isinstance(config, LoweringConfigAttr) else None
    wanted, written = _named("mma_kind", kind), _named(MMA, op.attributes.get(MMA))
    if wanted is not None and written is not None and (wanted[0] != written[0] or wanted[1] > written[1]):
        raise LayoutError(f"{MMA} is {op.attributes[MMA]}, mma_kind asks for {kind}")
    if written is not None:
        return written
    return None if wanted is None else (wanted[0], wanted[1] or None)


def _named(where: str, kind: Attribute | None) -> tuple[MatrixInstruction, bool] | None:
    """The instruction of an attribute, and whether its operands are exchanged."""
    if kind is None:
        return None
    if not isinstance(kind, (MMALayoutAttr, MMAIntrinsicAttr, VirtualMMALayoutAttr)):
        raise LayoutError(f"{where} is {kind}, expected #iree_gpu.mma_layout<...>")
    name = kind.name
    if isinstance(kind, VirtualMMALayoutAttr):
        if kind.is_of is None:
            raise LayoutError(f"{where} is {name}, which is made of sparse instructions: lanewise does not have it")
        name = kind.is_of.instruction
    try:
        found = find_matrix_instruction(name)
    except UnknownTargetError:
        raise LayoutError(f"{where} is {name}, an instruction that lanewise does not have") from None
    return found, not isinstance(kind, MMAIntrinsicAttr) and kind.col_major


def _run(op: ContractionOp) -> tuple[int, int] | None:
    """Outers and elements of a thread along K that a virtual instruction asks for."""
    config = op.attributes.get("lowering_config")
    kind = config.get("mma_kind") if isinstance(config, LoweringConfigAttr) else None
    virtual = kind.is_of if isinstance(kind, VirtualMMALayoutAttr) else None
    return None if virtual is None else (virtual.outer, virtual.element)


def check_asked(op: ContractionOp, stage: str, report: Report) -> None:
    """Reports what a contraction asks for and cannot get, whatever the chip."""
    try:
        what = Product.of(op)
    except LayoutError as error:
        op.error(report, str(error))
        return
    if stage == "layout" and what.asked is not None and MMA not in op.attributes:
        asked = _as_written(op, what.asked[0])
        op.error(report, f"mma_kind asks for {asked}; in the layout stage '{MMA}' has to say so")


def check_fits(op: ContractionOp, workgroup: Workgroup, report: Report) -> None:
    """Reports an instruction that is asked for and that the contraction, padded where that helps, cannot take."""
    what = Product.of(op)
    if what.asked is not None and (why := why_not(op, workgroup)):
        op.error(report, f"{_as_written(op, what.asked[0])} is asked for, which does not fit: {why}")


def _as_written(op: ContractionOp, asked: MatrixInstruction) -> str:
    """The instruction's name today, and the program's own where that is another."""
    config = op.attributes.get("lowering_config")
    kind = config.get("mma_kind") if isinstance(config, LoweringConfigAttr) else op.attributes.get(MMA)
    written = getattr(kind, "name", asked.iree_name)
    return asked.iree_name if written == asked.iree_name else f"{written} (today {asked.iree_name})"


def find_tiling(what: Product, layouts: Layouts, workgroup: Workgroup) -> Tiling | None:
    """The chip's instruction whose fragments the layouts of lhs, rhs and accumulator are."""
    given = [layout for layout in layouts if layout is not None]
    if len(given) < 3:
        return None
    return next((t for t in tilings(what, workgroup) if t.matches(given)), None)


def recorded(op: ContractionOp, workgroup: Workgroup) -> Tiling | None:
    """The tiling that the layout stage has written on a contraction; LayoutError where it is none of the chip's."""
    attribute = op.attributes.get(MMA)
    if attribute is None:
        return None
    found = next(iter(tilings(Product.of(op), workgroup)), None)
    if found is None:
        raise LayoutError(f"{MMA} is {attribute}, which is no matrix instruction for it on {workgroup.chip.name}")
    return found


def why_not(op: ContractionOp, workgroup: Workgroup) -> str:
    """Why no matrix instruction can do a contraction; empty where one can."""
    what, chip = Product.of(op), workgroup.chip
    if what.obstacle:
        return what.obstacle
    if workgroup.scope == "thread":
        return "each thread is a program of its own, and a subgroup executes a matrix instruction together"
    if not workgroup.has_matrix_units:
        return f"{workgroup.threads} threads are no whole number of subgroups of {workgroup.subgroup_size}"
    a, b, c = what.types
    there = [i for i in _of_subgroups(workgroup) if (i.a_type, i.b_type, i.c_type) == what.types]
    if not there:
        others = any((i.a_type, i.b_type, i.c_type) == what.types for i in matrix_instructions(chip))
        size = f" in subgroups of {workgroup.subgroup_size} threads" if others else ""
        return f"{chip.title} has no matrix instruction for {a} * {b} + {c}{size}"
    if what.asked is not None and what.asked[0] not in there:
        names = ", ".join(i.iree_name for i in there)
        return f"for {a} * {b} + {c} {chip.title} has {names}"
    found = [i for i in there if what.allows(i, False) or what.allows(i, True)]
    if not tilings(what, workgroup):
        return "; ".join(dict.fromkeys(_misfit(what, i) for i in found))
    return ""


def _misfit(what: Product, instruction: MatrixInstruction) -> str:
    """Which extents an instruction does not divide: one of the rows, one of the columns, all that is summed."""
    rows, columns, summed = ([what.extents[it] for it in its] for its in what.roles[1:])
    m, n, k = instruction.shape
    parts = [
        f"{name} {found} by {size}"
        for name, found, size in (("rows", rows, m), ("columns", columns, n))
        if all(e % size for e in found)
    ]
    threads = instruction.a.thread[1]
    if prod(summed) % k:
        parts.append(f"summed {summed} by {k}")
    elif all(extent % (threads * prod(what.run or (1,))) for extent in summed):
        parts.append(f"any of summed {summed} by its {threads} threads{_run_words(what)}")
    return f"{instruction.iree_name} does not divide {', '.join(parts)}"


def _run_words(what: Product) -> str:
    return "" if what.run is None else f" with {' * '.join(map(str, what.run))} elements each"


def _obstacle(op: ContractionOp) -> str:
    if op.kind.value != "add":
        return f"it joins products by {op.kind.value}"
    if op.masks:
        return "it is masked"
    if not is_vector(op.acc) or not op.roles.rows or not op.roles.columns:
        return "it has no rows or no columns: a product of a matrix and a vector reads every element once"
    return ""


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
