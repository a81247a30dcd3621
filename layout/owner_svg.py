"""Drawings of owner maps: threads as colours, registers as numbers, a line around each subgroup's part.

`owner_svg` is a whole file; `owner_picture` is a piece for larger drawings and pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from math import prod

import numpy as np

from ..support.cell_grid import NONE, WIDEST, CellGrid, Scale, drawn, most_cells, scale_for
from ..support.named_tuples import NamedTuple
from ..support.svg import ALIKE, FILLS, Picture, below, document, flowing, paragraph
from .dimension import IntArray
from .owner_map import OwnerMap

ROW = 32
"""Elements of a line, where a vector of one dimension is drawn in several."""
MOST_SLICES = 16
_CORNER = 16
"""Rows and columns of the corner that is drawn large beside a map without the numbers of threads."""
LEGEND = "colour: thread, neighbours differ; t: its number in the workgroup; r: its register; line: between subgroups"


class Slice(NamedTuple):
    """The part of a map that one grid shows.

    Attributes:
        title: Such as `[0, 2, :, :]`; empty where the grid is all of it.
        lead: The leading indices.
        grid: Its cells.
    """

    title: str
    lead: tuple[int, ...]
    grid: CellGrid


def owner_svg(owners: OwnerMap, title: str = "", *, ids: str = "") -> str:
    """A whole SVG file of an owner map; the same map gives the same bytes.

    Args:
        owners: What is drawn.
        title: Words above it, one or several lines.
        ids: As of `owner_picture`.
    """
    picture = owner_picture(owners, ids=ids)
    words = [paragraph(title, max(picture.width, 480), 12)] if title else []
    legend = paragraph(LEGEND, max(picture.width, 480), 10)
    return document(below([*words, picture, legend]), title or "owners of elements")


def owner_picture(owners: OwnerMap, *, key: str = "", ids: str = "", scale: Scale | None = None) -> Picture:
    """An owner map as a piece of a drawing.

    A vector of one dimension is in lines of `ROW` elements; of more than two, there is one grid for each leading index.
    Where cells are too small for threads' numbers, the first corner is drawn once more, larger.

    Args:
        owners: What is drawn.
        key: What scripts know it by: the cells of slice number n are a group with `data-grid="KEY/n"`, and with
            `data-w` and `data-h`, the pixels of a cell; cell (row, column) has element (row, column) of the slice.
        ids: Each element is a `<rect>` of its own, of id `IDS-ELEMENT`, such as `acc-3-17`; of several slices
            `acc-0-2-3-17`. Many elements make long files: a script with `key` needs none of it.
        scale: How large cells are; by default as large as a page has room for.
    """
    slices = list(slices_of(owners))
    found = [
        (s, scale or scale_for(s.grid.rows, s.grid.columns), f"{key}/{number}" if key else "")
        for number, s in enumerate(slices)
    ]
    pictures = [_titled(s.title, drawn(s.grid, size, name, _ids(ids, s, len(owners.shape)))) for s, size, name in found]
    first = slices[0].grid
    if scale is None and not found[0][1].upper:
        pictures.append(_titled("the first corner, larger", _corner(first)))
    pieces = [flowing(pictures, WIDEST)]
    if left_out := prod(owners.shape[:-2]) - len(slices):
        pieces.append(paragraph(f"... {left_out} more slices", 480))
    if cut := _cut(owners):
        pieces.append(paragraph(cut, 480))
    return below(pieces)


def corner_picture(owners: OwnerMap) -> Picture:
    """The first rows and columns of a map's first slice, as large as numbers need."""
    return _corner(next(slices_of(owners)).grid)


def _corner(grid: CellGrid) -> Picture:
    return drawn(grid.part(_CORNER, _CORNER), scale_for(1, 1))


def _ids(prefix: str, part: Slice, rank: int) -> Callable[[int, int], str] | None:
    """The ids of cells by the elements in them."""
    if not prefix:
        return None
    columns = part.grid.columns

    def name(row: int, column: int) -> str:
        inside = ((), (row * columns + column,), (row, column))[min(rank, 2)]
        return "-".join(map(str, (prefix, *part.lead, *inside)))

    return name


def slices_of(owners: OwnerMap) -> Iterator[Slice]:
    """The grids of a map, at most `MOST_SLICES`, each of at most `most_cells()` rows and columns."""
    colours = thread_colours(owners)
    lead = owners.shape[:-2]
    for number, place in enumerate(product(*map(range, lead))):
        if number == MOST_SLICES:
            return
        title = f"[{', '.join(map(str, place))}, :, :]" if place else ""
        yield Slice(title, place, _grid(owners, place, colours))


def thread_colours(owners: OwnerMap) -> IntArray:
    """The number of each thread's fill, by flat id: threads whose elements are neighbours have different ones, and none
    that look alike, as far as there are enough."""
    near = _neighbours(owners)
    found = np.full(owners.first_thread + owners.threads + 1, NONE, np.int64)
    for thread in sorted(near):
        taken = {int(found[other]) for other in near[thread]}
        alike = {ALIKE[colour] for colour in taken & ALIKE.keys()}
        lane = thread % owners.subgroup_size
        first = lane + lane // len(FILLS)
        wanted = [(first + step) % len(FILLS) for step in range(len(FILLS))]
        free = [colour for colour in wanted if colour not in taken] or wanted
        found[thread] = next((colour for colour in free if colour not in alike), free[0])
    return found


def _neighbours(owners: OwnerMap) -> dict[int, set[int]]:
    """By elected thread, those whose elements lie beside its own along one of the last two dimensions."""
    threads = owners.elected.thread
    near: dict[int, set[int]] = {int(thread): set() for thread in np.unique(threads) if thread != NONE}
    for axis in range(max(0, threads.ndim - 2), threads.ndim):
        first, second = (np.moveaxis(threads, axis, 0)[part].reshape(-1) for part in (slice(None, -1), slice(1, None)))
        for a, b in np.unique(np.stack((first, second)), axis=1).T.tolist():
            if a != b:
                near[a].add(b)
                near[b].add(a)
    return near


def _grid(owners: OwnerMap, lead: tuple[int, ...], colours: IntArray) -> CellGrid:
    thread, register = (_in_rows(part[lead]) for part in owners.elected)
    one_line = len(owners.shape) == 1
    rows, columns = thread.shape
    return CellGrid(
        colours=np.where(thread == NONE, NONE, colours[thread]),
        runs=thread,
        lower=register,
        upper=thread,
        letters=("t", "r"),
        blocks=thread // owners.subgroup_size if owners.threads > owners.subgroup_size else None,
        names=_names(owners),
        row_names=_labels(rows, columns if one_line else 1) if owners.shape else (),
        column_names=_labels(columns, 1) if owners.shape else (),
    )


def _in_rows(part: IntArray) -> IntArray:
    """A scalar, a vector or a matrix as the matrix that is drawn."""
    most = most_cells()
    if part.ndim == 2:
        return part[:most, :most]
    flat = part.reshape(-1)
    wide = min(ROW, len(flat))
    flat = flat[: most * wide]
    padded = np.full(-(-len(flat) // wide) * wide, NONE, np.int64)
    padded[: len(flat)] = flat
    return padded.reshape(-1, wide)


def _names(owners: OwnerMap) -> dict[int, str]:
    first = owners.first_thread // owners.subgroup_size
    return {number: f"s{number}" for number in range(first, first + -(-owners.threads // owners.subgroup_size))}


@cache
def _labels(count: int, step: int) -> Sequence[str]:
    return tuple(str(place * step) for place in range(count))


def _titled(title: str, picture: Picture) -> Picture:
    return below([paragraph(title, max(picture.width, 160), 10), picture], 2) if title else picture


def _cut(owners: OwnerMap) -> str:
    """What is left out of grids that are too large."""
    most = most_cells()
    if len(owners.shape) == 1:
        most *= ROW
    over = [f"{n - most} more along dimension {dim}" for dim, n in enumerate(owners.shape[-2:]) if n > most]
    return f"... {' and '.join(over)}" if over else ""
