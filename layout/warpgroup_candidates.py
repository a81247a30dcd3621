"""Contractions on instructions of four subgroups (wgmma), whose B lies in shared memory, and A there or in registers.

Subgroup w of each four has rows 16w to 16w+15 of the 64 that they multiply together. Fours divide the rows of the whole
product first, one 64 after the other; where there are more warpgroups than 64s of rows, the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..support.dataclasses import dataclass, replace
from ..targets import Fragment, MatrixInstruction, warpgroup_instructions
from ..targets.matrix_instruction import ELEMENT_BITS
from ..targets.register_file import registers_of_a_thread
from ..targets.wgmma import REGISTERS_BESIDE
from .contraction import Contraction
from .dimension import Dimension
from .nested import NestedLayout
from .shared_operands import Tile, in_memory
from .tiling import Grid, Tiling
from .transfer import Layouts
from .workgroup import Workgroup

_TRANSPOSING_BITS = 16
"""Only elements of so many bits may have K not contiguous."""


@dataclass(frozen=True, eq=False)
class WarpgroupTiling(Tiling):
    """`warpgroups`: how many there are, of four subgroups each. `is_held`: A is in registers."""

    warpgroups: int
    is_held: bool = False

    @property
    def grid(self) -> tuple[int, int]:
        """Fours along rows, and along columns."""
        high = self.product.extents[self.row] // self.instruction.shape[0]
        along = self.warpgroups if high % self.warpgroups == 0 else high
        return along, self.warpgroups // along

    def depths(self) -> Iterator[Mapping[int, Dimension]]:
        yield {}

    def grids(self, subgroups: int, *, lines: bool) -> Iterator[Grid]:
        rows, columns = self.grid
        each = self.instruction.subgroups
        yield {self.row: (each * rows, 1), self.column: (columns, each * rows)}

    def layouts(self, grid: Grid, depth: Mapping[int, Dimension]) -> Sequence[NestedLayout]:
        """Layouts of lhs, rhs and accumulator. Rows that there are more of than subgroups wrap: 64 after 64."""
        a, c, extents = self.instruction.a, self.instruction.c, self.product.extents
        columns, stride = grid[self.column]
        rows = Dimension(subgroup=extents[self.row] // c.shape[0], subgroup_stride=1)
        batch = extents[self.column] // columns // c.shape[1]
        beside = Dimension(subgroup=columns, subgroup_stride=stride if columns > 1 else 0, batch=batch)
        along = Dimension(batch=extents[self.depth] // a.shape[1])
        of_accumulator = {self.row: _with(rows, c, 0), self.column: _with(beside, c, 1)}
        of_a = {self.row: _with(rows, a, 0), self.depth: _with(along, a, 1)}
        left, right, accumulator = self.sides
        held = NestedLayout.of_dimensions(of_a[it] for it in left) if self.is_held else self._lying(left)
        return self.swapped(
            [held, self._lying(right), NestedLayout.of_dimensions(of_accumulator[it] for it in accumulator)]
        )

    def _lying(self, iterators: Sequence[int]) -> NestedLayout:
        return in_memory(tuple(self.product.extents[it] for it in iterators))

    def are_fragments(self, layouts: Sequence[NestedLayout]) -> bool:
        grid = next(self.grids(self.warpgroups * self.instruction.subgroups, lines=False))
        return list(layouts) == list(self.layouts(grid, {}))

    def keeping(self, known: Layouts, subgroups: int) -> Iterator[Sequence[NestedLayout]]:
        for grid in self.grids(subgroups, lines=False):
            found = self.layouts(grid, {})
            if all(given is None or given == made for given, made in zip(known, found, strict=True)):
                yield found


def _with(part: Dimension, fragment: Fragment, dim: int) -> Dimension:
    """What a fragment has within each subgroup."""
    return part._replace(
        outer=fragment.outer[dim],
        thread=fragment.thread[dim],
        thread_stride=fragment.thread_strides[dim],
        element=fragment.element[dim],
    )


def warpgroup_tilings(what: Contraction, workgroup: Workgroup) -> Iterator[WarpgroupTiling]:
    """For lhs and rhs as they are, and exchanged: the widest instruction that fits, or the one that is asked for."""
    if workgroup.scope != "workgroup":
        return
    for transposed in (False, True):
        left, right = reversed(what.tiles) if transposed else what.tiles
        if right is None:
            continue
        for instruction in reversed(_instructions(what, workgroup, transposed)):
            if not _misfit(what, instruction, transposed, workgroup):
                row, column, depth = _iterators(what, transposed)
                warpgroups = workgroup.subgroups // instruction.subgroups
                yield WarpgroupTiling(what, instruction, transposed, row, column, depth, warpgroups, left is None)
                break


_ANY_ORDER = ("f16", "bf16")
"""Elements that it reads along either dimension (PTX ISA, "wgmma.mma_async": .imm-trans-b)."""


def warpgroup_misfit(what: Contraction, workgroup: Workgroup) -> str:
    """Why the instruction of four subgroups that is asked for does not fit; empty where none is, or it does."""
    if what.asked is None or what.asked[0].subgroups == 1 or any(warpgroup_tilings(what, workgroup)):
        return ""
    instruction, exchanged = what.asked
    a, b, c = what.types
    if instruction not in warpgroup_instructions(workgroup.chip):
        return f"{workgroup.chip.title} does not have it"
    if not _instructions(what, workgroup, exchanged or False):
        return f"it is none for {a} * {b} + {c}"
    if workgroup.scope != "workgroup":
        return f"subgroups of a {workgroup.scope}'s program do not execute it together"
    if why := _misfit(what, instruction, exchanged or False, workgroup):
        return why
    name = "lhs" if exchanged else "rhs"
    return f"{name} is not read from shared memory in an order that it knows, by contractions alone"


def why_without(what: Contraction, workgroup: Workgroup) -> str:
    """Why a product that instructions of one subgroup do is not done by those of four, on chips that have them; empty
    where nothing keeps it from that."""
    if any(warpgroup_tilings(what, workgroup)):
        return ""
    return "; ".join(dict.fromkeys(_why_without(what, workgroup, transposed) for transposed in (False, True)))


def _why_without(what: Contraction, workgroup: Workgroup, transposed: bool) -> str:
    instructions = _instructions(what, workgroup, transposed)
    if not instructions:
        a, b, c = what.types
        return f"there is none for {a} * {b} + {c}"
    if workgroup.scope != "workgroup":
        return f"subgroups of a {workgroup.scope}'s program do not execute it together"
    if why := _misfit(replace(what, tiles=(None, None)), instructions[0], transposed, workgroup):
        return why
    if what.tiles[0 if transposed else 1] is None:
        name, element = ("lhs", what.types[0]) if transposed else ("rhs", what.types[1])
        why = f"{name} is not read from shared memory in an order that it knows, by contractions alone"
        return why if element in _ANY_ORDER else f"{why} (of {element} it knows neighbours along K only)"
    columns = what.extents[_iterators(what, transposed)[1]]
    widest = next(i for i in reversed(instructions) if columns % i.shape[1] == 0)
    return _misfit(what, widest, transposed, workgroup)


def _instructions(what: Contraction, workgroup: Workgroup, transposed: bool) -> list[MatrixInstruction]:
    """For the element types, the narrowest first."""
    types = what.types_of(transposed)
    return [
        i
        for i in warpgroup_instructions(workgroup.chip)
        if (i.a_type, i.b_type, i.c_type) == types and what.allows(i, transposed)
    ]


def _iterators(what: Contraction, transposed: bool) -> tuple[int, int, int]:
    """Row, column and depth, of a product that has one of each."""
    rows, columns = (what.roles.columns, what.roles.rows) if transposed else (what.roles.rows, what.roles.columns)
    return rows[0], columns[0], what.roles.summed[0]


def _misfit(what: Contraction, instruction: MatrixInstruction, transposed: bool, workgroup: Workgroup) -> str:
    """What keeps a product from an instruction for its types; empty where nothing does."""
    roles, extents = what.roles, what.extents
    if roles.batch or any(len(its) != 1 for its in (roles.rows, roles.columns, roles.summed)):
        return "it takes one dimension each for rows, columns and the reduction"
    if workgroup.subgroups % instruction.subgroups or workgroup.subgroup_size != instruction.subgroup_size:
        return f"{workgroup.subgroups} subgroups are no whole number of warpgroups (four subgroups)"
    if workgroup.first_subgroup % instruction.subgroups:
        return f"its subgroups begin at number {workgroup.first_subgroup}, and warpgroups at multiples of four"
    threads = workgroup.launched or workgroup.threads
    needed, given = instruction.c.registers.count + REGISTERS_BESIDE, registers_of_a_thread(threads)
    if needed > given:
        return f"{instruction.iree_name} takes {needed} registers of a thread, each of {threads} has {given}"
    row, column, depth = _iterators(what, transposed)
    m, n, k = instruction.shape
    wide, tall = ("rows", "columns") if transposed else ("columns", "rows")  # what the program calls them
    for name, it, size in ((tall, row, m), (wide, column, n), ("elements of the reduction", depth, k)):
        if extents[it] % size:
            return f"{instruction.iree_name} does not divide {extents[it]} {name} by {size}"
    warpgroups, high = workgroup.subgroups // instruction.subgroups, extents[row] // m
    across = warpgroups // high if high % warpgroups else 1
    if (high % warpgroups and warpgroups % high) or extents[column] % (n * across):
        return f"{warpgroups} warpgroups do not divide {extents[row]} {tall} by {m} and {extents[column]} {wide} by {n}"
    sides = zip(what.sides[:2], what.tiles, (row, column) if not transposed else (column, row), strict=True)
    for name, (iterators, tile, across_it) in zip(("lhs", "rhs"), sides, strict=True):
        size = n if across_it == column else m
        alone = across_it == column and extents[column] == n
        if tile is not None and (why := _unreadable(iterators, tile, depth, instruction, size, alone)):
            return f"{name} {why}"
    return ""


def _unreadable(
    iterators: Sequence[int], tile: Tile, depth: int, instruction: MatrixInstruction, size: int, alone: bool
) -> str:
    """Why tiles of `size` rows or columns of an operand cannot be read where it is, if that is so; `alone`: there is
    only one of them."""
    if iterators[tile.contiguous] == depth:
        return ""
    if ELEMENT_BITS[instruction.a_type] != _TRANSPOSING_BITS:
        return (
            f"has elements of {ELEMENT_BITS[instruction.a_type]} bits, which have to be contiguous along the reduction"
        )
    if size % tile.width and not alone:
        return f"is cut into boxes of {tile.width} elements, tiles of {size} begin inside of them"
    return ""
