"""Text pictures of a nested layout: who holds which element, and one line that says it in words."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from .dimension import Dimension
from .nested import NestedLayout


def describe(layout: NestedLayout, subgroup_size: int, threads: int | None = None) -> str:
    """One line: shape, threads, registers of a thread, replication, and each dimension from slow to fast.

    `threads` is the workgroup's size, by default the subgroups that the layout needs.
    """
    threads = threads or _whole_subgroups(layout, subgroup_size)
    replicas = layout.replication(threads, subgroup_size)
    shape = "x".join(map(str, layout.shape)) or "scalar"
    held = f"{layout.registers} element{'s' * (layout.registers > 1)} a thread"
    copies = f", {replicas} copies of each" if replicas > 1 else ""
    dims = "; ".join(f"dimension {dim}: {_dimension(part)}" for dim, part in enumerate(layout.dimensions))
    return f"{shape} on {threads} threads in subgroups of {subgroup_size}, {held}{copies}" + (
        f": {dims}" if dims else ""
    )


def draw(
    layout: NestedLayout, subgroup_size: int, threads: int | None = None, limit: tuple[int, int] = (64, 64)
) -> str:
    """A grid with `s<subgroup> t<lane> r<register>` for every element, rows down and columns across.

    Replicas are not drawn: the cell is the elected owner, and the first line says how many copies there are. Vectors of
    rank 1 are one row; of rank above 2, one grid for each leading index. At most `limit` (rows, columns) of a grid are
    drawn, `...` stands for the rest. LayoutError if some element has no owner.
    """
    threads = threads or _whole_subgroups(layout, subgroup_size)
    layout.check(threads=threads, subgroup_size=subgroup_size)
    lines = [describe(layout, subgroup_size, threads)]
    rows, columns = (1, 1, *layout.shape)[-2:]
    for lead in product(*map(range, layout.shape[:-2])):
        if lead:
            lines.append(f"[{', '.join(map(str, lead))}, :, :]")
        shown = (min(rows, limit[0]), min(columns, limit[1]))
        lines += _grid(_cells(layout, subgroup_size, lead, shown), columns > shown[1])
        if rows > shown[0]:
            lines.append(f"... {rows - shown[0]} more rows")
    return "\n".join(lines) + "\n"


def _whole_subgroups(layout: NestedLayout, subgroup_size: int) -> int:
    return -(-layout.thread_extent(subgroup_size) // subgroup_size) * subgroup_size


def _dimension(part: Dimension) -> str:
    """Such as `2 subgroups/1 x 4 batches x 16 threads/4 x 4 elements`, strides after the slash."""
    named = (
        (part.wrap, "wraps"),
        (part.subgroup, f"subgroups/{part.subgroup_stride}"),
        (part.batch, "batches"),
        (part.outer, "outers"),
        (part.thread, f"threads/{part.thread_stride}"),
        (part.element, "elements"),
    )
    return " x ".join(f"{size} {name}" for size, name in named if size > 1) or "1"


def _cells(
    layout: NestedLayout, subgroup_size: int, lead: Sequence[int], shown: tuple[int, int]
) -> Iterator[list[tuple[int, int, int]]]:
    """(subgroup, lane, register) of the elected owners, row by row."""
    for row in range(shown[0]):
        places = [(*lead, row, column)[2 - min(layout.rank, 2) :] for column in range(shown[1])]
        owners = layout.elected(np.array(places, np.int64).reshape(shown[1], layout.rank), subgroup_size)
        yield [
            (thread // subgroup_size, thread % subgroup_size, register)
            for thread, register in zip(*(part.tolist() for part in owners), strict=True)
        ]


def _grid(rows: Iterator[list[tuple[int, int, int]]], cut: bool) -> Iterator[str]:
    held = list(rows)
    widths = [max((len(str(cell[part])) for row in held for cell in row), default=1) for part in range(3)]
    for row in held:
        cells = (
            " ".join(f"{name}{x:<{width}}" for name, x, width in zip("str", cell, widths, strict=True)) for cell in row
        )
        yield " | ".join(cells).rstrip() + (" | ..." if cut else "")
