"""A grid of coloured cells as a picture: as large as its numbers are legible, or small, and then without numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .dataclasses import dataclass
from .named_tuples import NamedTuple
from .svg import LEAST_TEXT, Picture, escaped, number, text, text_width

Array = npt.NDArray[np.int64]

NONE = -1
"""The colour, and the number, of a cell that has none."""


class Scale(NamedTuple):
    """Pixels of a cell, and of its two lines of text; 0 where there is no room for a line."""

    width: int
    height: int
    upper: int
    lower: int


SCALES = (Scale(34, 26, 10, 9), Scale(18, 16, 0, 8), Scale(8, 8, 0, 0), Scale(4, 4, 0, 0), Scale(2, 2, 0, 0))
"""From the largest on."""
WIDEST = 1152
"""Pixels that a grid has at most in both directions; what is larger at the smallest scale is cut."""
_LABEL, _GAP_FROM = 9, 16
_MOST_LINES = 0.25
"""Between small cells, lines at more of the places than this part would be all that one sees."""
assert all(size == 0 or size >= LEAST_TEXT for scale in SCALES for size in (scale.upper, scale.lower))


@dataclass(frozen=True, eq=False)
class CellGrid:
    """What is in the cells; arrays are [rows, columns], `NONE` is nothing.

    Attributes:
        colours: Numbers of fills.
        runs: Neighbours with the same number are one piece.
        lower: The numbers in cells, `letters[1]` before them.
        upper: Those above them, where cells are large, `letters[0]` before them.
        blocks: Lines are between neighbours whose numbers differ.
        names: What blocks are called, where they are large enough and cells have no text.
        row_names, column_names: Beside the grid.
    """

    colours: Array
    runs: Array
    lower: Array
    upper: Array | None = None
    letters: tuple[str, str] = ("", "")
    blocks: Array | None = None
    names: Mapping[int, str] | None = None
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()

    @property
    def rows(self) -> int:
        return int(self.colours.shape[0])

    @property
    def columns(self) -> int:
        return int(self.colours.shape[1])

    def part(self, rows: int, columns: int) -> CellGrid:
        """The first rows and columns."""
        if rows >= self.rows and columns >= self.columns:
            return self
        cut = [None if a is None else a[:rows, :columns] for a in (self.upper, self.blocks)]
        arrays = [a[:rows, :columns] for a in (self.colours, self.runs, self.lower)]
        names = self.row_names[:rows], self.column_names[:columns]
        return CellGrid(arrays[0], arrays[1], arrays[2], cut[0], self.letters, cut[1], self.names, *names)


def scale_for(rows: int, columns: int, widest: int = WIDEST) -> Scale:
    """The largest scale at which so many cells take no more pixels, across and down, else the smallest."""
    fitting = (s for s in SCALES if columns * s.width <= widest and rows * s.height <= widest)
    return next(fitting, SCALES[-1])


def most_cells() -> int:
    """Rows, and columns, that are drawn of a grid at most."""
    return WIDEST // SCALES[-1].width


def label_width(rows: int) -> float:
    """What numbers of so many rows take on the left of a grid."""
    return text_width(str(rows - 1), _LABEL) + 4


def drawn(grid: CellGrid, scale: Scale, key: str = "", ids: Callable[[int, int], str] | None = None) -> Picture:
    """The picture of a grid.

    Args:
        grid: Of at most `most_cells()` rows and columns.
        scale: How large.
        key: What scripts know the grid by: the group of its cells has it as `data-grid`, with the pixels of a cell in
            `data-w` and `data-h`.
        ids: The id of each cell by its row and its column, each cell being an element of its own then.
    """
    left = max((text_width(name, _LABEL) + 4 for name in grid.row_names), default=0)
    top = _LABEL + 4 if grid.column_names else 0
    width, height = grid.columns * scale.width, grid.rows * scale.height
    cells = _runs(grid, scale) if ids is None else _cells(grid, scale, ids)
    body = [*cells, *_words(grid, scale), *_lines(grid, scale), *_block_names(grid, scale)]
    named = f' data-grid="{key}" data-w="{scale.width}" data-h="{scale.height}"' if key else ""
    place = f'transform="translate({number(left)} {number(top)})"'
    inside = f'<g class="cells" {place}{named}>{"".join(body)}</g>'
    labels = [*_row_labels(grid, scale, left, top), *_column_labels(grid, scale, left)]
    return Picture(left + width, top + height, inside + "".join(labels))


def _fill(colour: int) -> str:
    return f"f{colour}" if colour != NONE else "n"


def _cells(grid: CellGrid, scale: Scale, ids: Callable[[int, int], str]) -> Iterator[str]:
    gap = scale.width >= _GAP_FROM
    for row, column in np.ndindex(grid.rows, grid.columns):
        x, y = column * scale.width, row * scale.height
        size = f'width="{scale.width - gap}" height="{scale.height - gap}"'
        fill = _fill(int(grid.colours[row, column]))
        yield f'<rect id="{escaped(ids(row, column))}" class="{fill}" x="{x}" y="{y}" {size}/>'


def _runs(grid: CellGrid, scale: Scale) -> Iterator[str]:
    """One path a colour, in it a rectangle for each run of a row."""
    gap = scale.width >= _GAP_FROM
    paths: dict[int, list[str]] = {}
    for row in range(grid.rows):
        starts = [0, *(np.flatnonzero(np.diff(grid.runs[row])) + 1).tolist(), grid.columns]
        for first, end in pairwise(starts):
            goes_on = row + 1 < grid.rows and (grid.runs[row + 1, first:end] == grid.runs[row, first]).all()
            wide, high = (end - first) * scale.width - gap, scale.height - gap * (not goes_on)
            rectangle = f"M{first * scale.width} {row * scale.height}h{wide}v{high}h-{wide}z"
            paths.setdefault(int(grid.colours[row, first]), []).append(rectangle)
    for colour, rectangles in sorted(paths.items()):
        yield f'<path class="{_fill(colour)}" d="{"".join(rectangles)}"/>'


def _words(grid: CellGrid, scale: Scale) -> Iterator[str]:
    both = grid.upper is not None and scale.upper > 0
    middle, gap = (scale.width - (scale.width >= _GAP_FROM)) / 2, scale.width >= _GAP_FROM
    high = scale.height - gap
    if both:
        assert grid.upper is not None
        base = high / 2 - 1.5
        yield from _numbers(grid.upper, grid.letters[0], scale, (middle, base, scale.upper), "i b")
    if scale.lower:
        base = high / 2 + (scale.lower + 0.5 if both else scale.lower * 0.36)
        yield from _numbers(grid.lower, grid.letters[1] if both else "", scale, (middle, base, scale.lower), "i")


def _numbers(numbers: Array, letter: str, scale: Scale, place: tuple[float, float, int], kind: str) -> Iterator[str]:
    """The numbers of one line of text in each cell, where the widest of them fits."""
    x, y, size = place
    if text_width(f"{letter}{numbers.max(initial=0)}", size) > scale.width:
        return
    yield f'<g class="{kind}" font-size="{size}" text-anchor="middle">'
    for row, column in np.argwhere(numbers != NONE).tolist():
        at = f'x="{number(column * scale.width + x)}" y="{number(row * scale.height + y)}"'
        yield f"<text {at}>{letter}{numbers[row, column]}</text>"
    yield "</g>"


def _lines(grid: CellGrid, scale: Scale) -> Iterator[str]:
    """Between blocks, in pieces as long as they are straight."""
    if grid.blocks is None:
        return
    half = 0.5 * (scale.width >= _GAP_FROM)
    across, down = np.diff(grid.blocks, axis=1) != 0, np.diff(grid.blocks, axis=0) != 0
    if not scale.lower:
        across[:] &= across.any(axis=0).mean() <= _MOST_LINES
        down[:] &= down.any(axis=1).mean() <= _MOST_LINES
    pieces: list[str] = []
    for column in range(grid.columns - 1):
        x = number((column + 1) * scale.width - half)
        pieces += [f"M{x} {a * scale.height}V{b * scale.height - 2 * half:g}" for a, b in _stretches(across[:, column])]
    for row in range(grid.rows - 1):
        y = number((row + 1) * scale.height - half)
        pieces += [f"M{a * scale.width} {y}H{b * scale.width - 2 * half:g}" for a, b in _stretches(down[row])]
    if pieces:
        yield f'<path class="l" stroke-width="{2 if scale.width >= _GAP_FROM else 1.5}" d="{"".join(pieces)}"/>'


def _stretches(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, end) of each run of true."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _block_names(grid: CellGrid, scale: Scale) -> Iterator[str]:
    """The name of each rectangle that the lines cut out, in its middle, where it is large and cells have no text."""
    if grid.blocks is None or not grid.names or scale.lower:
        return
    rows = [0, *(np.flatnonzero((np.diff(grid.blocks, axis=0) != 0).any(axis=1)) + 1).tolist(), grid.rows]
    columns = [0, *(np.flatnonzero((np.diff(grid.blocks, axis=1) != 0).any(axis=0)) + 1).tolist(), grid.columns]
    size = 11
    widest = max(text_width(name, size) for name in grid.names.values()) + 6
    for (top, bottom), (left, right) in ((r, c) for r in pairwise(rows) for c in pairwise(columns)):
        name = grid.names.get(int(grid.blocks[top, left]))
        wide, high = (right - left) * scale.width, (bottom - top) * scale.height
        if name is None or wide < widest or high < size + 5:
            continue
        x, y = left * scale.width + wide / 2, top * scale.height + high / 2
        box = f'x="{number(x - widest / 2)}" y="{number(y - 8)}" width="{number(widest)}" height="16" rx="3"'
        yield f'<rect {box} fill="#fff" fill-opacity=".85"/>' + text(name, x, y + 4, size, "i b", "middle")


def _row_labels(grid: CellGrid, scale: Scale, left: float, top: float) -> Iterator[str]:
    step = _step(scale.height, _LABEL + 3)
    for row, name in enumerate(grid.row_names):
        if row % step == 0:
            middle = top + row * scale.height + min(scale.height, 2 * _LABEL) / 2
            yield text(name, left - 4, middle + _LABEL * 0.36, _LABEL, "w", "end")


def _column_labels(grid: CellGrid, scale: Scale, left: float) -> Iterator[str]:
    widest = max((text_width(name, _LABEL) for name in grid.column_names), default=0)
    step = _step(scale.width, widest + 8)
    for column, name in enumerate(grid.column_names):
        if column % step == 0:
            yield text(name, left + (column + 0.5) * scale.width, _LABEL, _LABEL, "w", "middle")


def _step(pixels: int, needed: float) -> int:
    """Every how many cells a label stands: a power of two, so that labels are round numbers."""
    step = 1
    while step * pixels < needed:
        step *= 2
    return step
