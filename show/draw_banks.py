"""Drawings of buffers of shared memory: which bank has which element. A column of one colour is one group of banks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..ir.element_orders import Order, order_of
from ..ir.types import memory_bits
from ..layout.bank_map import NOWHERE, BankMap
from ..layout.banks import banks_of
from ..layout.nested import IntArray
from ..layout.plan import SharedMemory
from ..support.cell_grid import WIDEST, CellGrid, drawn, scale_for
from ..support.named_tuples import NamedTuple
from ..support.svg import FILLS, Picture, below, flowing, paragraph
from ..targets import Chip
from .drawing import Part
from .laid_out import Buffer

_ROWS, _COLUMNS, _SLICES = 32, 64, 4
"""What is drawn of a buffer: orders repeat after few rows."""
_PIECE = 4
"""Banks of one colour: 16 bytes, what the widest access of a thread takes."""


class _Matrix(NamedTuple):
    title: str
    banks: IntArray
    step: int
    """Elements that a cell stands for."""


_LEGEND = (
    f"number: the bank of the element, or of those of one word; colour: {_PIECE} banks, the 16 bytes that the widest"
    " access of a thread takes. An access has a conflict where threads that are served together want different words"
    " of one bank"
)


def bank_part(buffer: Buffer) -> Part:
    """The drawing of one buffer, whose first element is taken to lie in bank 0."""
    type, order = buffer.type, order_of(buffer.alloc)
    shape = tuple(n or 0 for n in type.shape)
    banks = BankMap.of_buffer(shape, memory_bits(type.element), order, banks_of(buffer.workgroup.chip))
    words = f"{buffer.name} ({buffer.place}): {type}, {buffer.bytes} bytes of shared memory, {_words(order)}"
    return _part(words, banks)


def exchange_part(plan: SharedMemory, shape: tuple[int, ...], element_bits: int, chip: Chip) -> Part:
    """The drawing of what a conversion goes through."""
    pieces = f", in {plan.pieces} pieces that take turns" if plan.pieces > 1 else ""
    words = f"the {plan.bytes} bytes that it goes through, by elements of the vector{pieces}"
    return _part(words, BankMap.of_exchange(plan, shape, element_bits, banks_of(chip)))


def _part(words: str, banks: BankMap) -> Part:
    model = f"{banks.model.banks} banks of {banks.model.bank_bytes} bytes"
    return Part(f"{words}; {model}", lambda: _text(banks), lambda prefix: _picture(banks), (), _LEGEND)


def _words(order: Order | None) -> str:
    """How the elements of a buffer lie."""
    if order is None:
        return "row by row"
    boxes = [f"in boxes of {order.boxes.box} elements of each row"] if order.boxes is not None else []
    return " and ".join([*boxes, *([f"mixed by {order.swizzle}"] if order.swizzle is not None else [])])


def _matrices(banks: BankMap) -> Iterator[_Matrix]:
    found = banks.banks
    if found.ndim < 2:
        found = found.reshape(1, -1)
    step = _step(banks)
    for place in _drawn_slices(found):
        title = f"[{', '.join(map(str, place))}, :, :]" if place else ""
        yield _Matrix(title, found[place][:, ::step], step)


def _drawn_slices(found: IntArray) -> list[tuple[int, ...]]:
    """The leading indices of what is drawn: of buffers whose slices lie alike, one."""
    slices = list(product(*map(range, found.shape[:-2])))
    return slices[: 1 if bool((found == found[slices[0]]).all()) else _SLICES]


def _step(banks: BankMap) -> int:
    """Elements of a word, where those are neighbours of a row."""
    step = max(1, 8 * banks.model.bank_bytes // banks.element_bits)
    if banks.words.shape[-1:] == () or banks.words.shape[-1] % step:
        return 1
    words = banks.words.reshape(-1, step)
    return step if bool((words == words[:, :1]).all()) else 1


def _rest(banks: BankMap, drawn: int, columns: int = 0) -> str:
    """What is not drawn, besides `drawn` slices; `columns`: cells of a row, where these are cut, too."""
    *lead, rows, _ = (1, 1, *banks.banks.shape)[-max(2, banks.banks.ndim) :]
    found = [f"{rows - _ROWS} more rows"] if rows > _ROWS else []
    found += [f"{columns - _COLUMNS} more cells of each row"] if columns > _COLUMNS else []
    left = int(np.prod(lead or [1])) - drawn
    found += [f"{left} more slices" + ", which lie alike" * (drawn == 1)] if left else []
    return f"... {', '.join(found)}" if found else ""


def _text(banks: BankMap) -> str:
    lines: list[str] = []
    matrices = list(_matrices(banks))
    for title, found, _ in matrices:
        width = len(str(found.max(initial=0)))
        lines += [title] if title else []
        lines += [" ".join(f"{bank if bank >= 0 else '-':>{width}}" for bank in row) for row in found[:_ROWS].tolist()]
    lines += [rest] if (rest := _rest(banks, len(matrices))) else []
    return "\n".join(lines) + "\n"


def _picture(banks: BankMap) -> Picture:
    matrices = list(_matrices(banks))
    pieces = [_grid_picture(matrix) for matrix in matrices]
    rest = _rest(banks, len(matrices), matrices[0].banks.shape[1])
    return below([flowing(pieces, WIDEST), *([paragraph(rest, 480, 10)] if rest else [])])


def _grid_picture(matrix: _Matrix) -> Picture:
    scale = scale_for(_ROWS, _COLUMNS)
    found = matrix.banks[:_ROWS, :_COLUMNS]
    piece = found // _PIECE
    grid = CellGrid(
        colours=np.where(found == NOWHERE, NOWHERE, piece % len(FILLS)),
        runs=np.arange(len(found))[:, None] * 1024 + piece,
        lower=found,
        row_names=[str(row) for row in range(found.shape[0])],
        column_names=[str(column * matrix.step) for column in range(found.shape[1])],
    )
    picture = drawn(grid, scale)
    return below([paragraph(matrix.title, 160, 10), picture], 2) if matrix.title else picture
