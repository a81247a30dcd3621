"""Text pictures of a nested layout: who holds which element, and one line that says it in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .dimension import IntArray
from .owner_map import Layout, OwnerMap, whole_subgroups


def describe(layout: Layout, subgroup_size: int, threads: int | None = None) -> str:
    """One line: shape, threads, registers of a thread, replication, and each dimension from slow to fast.

    `threads` is the workgroup's size, by default the subgroups that the layout needs.
    """
    threads = threads or whole_subgroups(layout, subgroup_size)
    if not layout.is_held:
        return str(layout)
    replicas = layout.replication(threads, subgroup_size)
    shape = "x".join(map(str, layout.shape)) or "scalar"
    held = f"{layout.registers} element{'s' * (layout.registers > 1)} a thread"
    copies = f", {replicas} copies of each" if replicas > 1 else ""
    dims = "; ".join(f"dimension {dim}: {part.words}" for dim, part in enumerate(layout.dimensions))
    return f"{shape} on {threads} threads in subgroups of {subgroup_size}, {held}{copies}" + (
        f": {dims}" if dims else ""
    )


def draw(layout: Layout, subgroup_size: int, threads: int | None = None, limit: tuple[int, int] = (64, 64)) -> str:
    """What `owner_text` draws of a layout, below a line that describes it. LayoutError if some element has no owner."""
    owners = OwnerMap.of_layout(layout, subgroup_size, threads)
    return f"{describe(layout, subgroup_size, threads)}\n{owner_text(owners, limit)}"


def owner_text(owners: OwnerMap, limit: tuple[int, int] = (64, 64)) -> str:
    """A grid with `t<thread> r<register>` for every element, rows down and columns across.

    Replicas are not drawn: the cell is the elected owner. Vectors of rank 1 are one row; of rank above 2, one grid for
    each leading index. At most `limit` (rows, columns) of a grid are drawn, `...` stands for the rest.
    """
    if not owners.registers:
        return "nobody holds it: it stays in memory\n"
    lines: list[str] = []
    rows, columns = (1, 1, *owners.shape)[-2:]
    for lead in product(*map(range, owners.shape[:-2])):
        if lead:
            lines.append(f"[{', '.join(map(str, lead))}, :, :]")
        shown = (min(rows, limit[0]), min(columns, limit[1]))
        thread, register = (part[lead].reshape(rows, columns)[: shown[0], : shown[1]] for part in owners.elected)
        lines += _grid(thread, register, columns > shown[1])
        if rows > shown[0]:
            lines.append(f"... {rows - shown[0]} more rows")
    return "\n".join(lines) + "\n"


def _grid(thread: IntArray, register: IntArray, cut: bool) -> Iterator[str]:
    wide, narrow = (len(str(part.max(initial=0))) for part in (thread, register))
    for threads, registers in zip(thread.tolist(), register.tolist(), strict=True):
        cells = (f"t{t:<{wide}} r{r:<{narrow}}" for t, r in zip(threads, registers, strict=True))
        yield " | ".join(cells).rstrip() + (" | ..." if cut else "")
