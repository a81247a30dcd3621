"""Where what a kernel prints lies between the launch and its text: a last argument that programs do not name.

The buffer is `memref<?x?xi32>`, zeros at first: by workgroup, a row for each owner of each program that prints.
A row is a sequence of records: the message's number counted from 1, then the words of its values
(`messages.from_words`). Where a record does not fit, `LOST` stands and nothing follows; a row's last word is for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..support.dataclasses import dataclass, field
from .attributes import ArrayAttr, DenseArrayAttr, DictAttr
from .messages import Message, from_attribute, from_words, shown, text_of, to_attribute
from .numerics import Array
from .types import I32, I64, Attribute, MemRefType, element_count

ARGUMENT = "lanewise.printed"
"""The attribute of the argument."""
NAME = "printed"
TYPE = MemRefType((None, None), I32)
LOST = 0xFFFFFFFF
MOST_WORDS = 1 << 20
"""The most words of all rows together, where the messages of each, printed once, do not need more."""
LONGEST_ROW = 1 << 14
_MULTIPLE = 4


@dataclass(frozen=True)
class Record:
    """One message of one owner. `place`: numbers of the workgroup, of the program, and of the owner in it.

    `bounds`: how far each element of a value may be off, see `reference/uncertainty.py`; None: nothing.
    """

    place: tuple[int, int, int]
    message: Message
    values: tuple[Array, ...]
    bounds: tuple[Array | None, ...] = ()
    lost: bool = field(default=False, kw_only=True)
    """Whether this says that what follows of its owner did not fit."""

    @property
    def text(self) -> str:
        return text_of(self.message, self.values)


@dataclass(frozen=True)
class Printing:
    """How the buffer of a kernel is laid out: `rows` of each program, and the messages by number."""

    rows: tuple[int, ...]
    messages: tuple[Message, ...]

    def row(self, program: int) -> int:
        """The first row of a program, counted in the workgroup."""
        return sum(self.rows[:program])

    @property
    def attribute(self) -> DictAttr:
        messages = ArrayAttr(tuple(map(to_attribute, self.messages)))
        return DictAttr.of({"messages": messages, "rows": DenseArrayAttr(I64, self.rows)})

    @classmethod
    def of(cls, attribute: Attribute) -> Printing | None:
        """What an argument's attribute says; None where it is none of ours."""
        match attribute:
            case DictAttr((("messages", ArrayAttr(listed)), ("rows", DenseArrayAttr(values=rows)))):
                messages = tuple(m for entry in listed if (m := from_attribute(entry)) is not None)
                numbers = tuple(int(n) for n in rows)
                right = len(messages) == len(listed) and min(numbers, default=-1) >= 0
                return cls(numbers, messages) if right else None
            case _:
                return None

    def shape(self, grid: Sequence[int]) -> tuple[int, int]:
        """Rows and words of a row, for a launch of so many workgroups."""
        rows = math.prod(grid) * sum(self.rows)
        needed = 1 + sum(words(message) for message in self.messages)
        row = max(needed, min(LONGEST_ROW, MOST_WORDS // max(rows, 1)))
        return rows, -(-row // _MULTIPLE) * _MULTIPLE

    def read(self, buffer: Array, grid: Sequence[int]) -> tuple[Record, ...]:
        """All records, by workgroup, program and owner, each owner's as it printed them."""
        places = [(program, owner) for program, count in enumerate(self.rows) for owner in range(count)]
        found: list[Record] = []
        for number in np.flatnonzero(buffer[:, 0]):
            workgroup, row = divmod(int(number), len(places))
            found += self._row(buffer[number].view(np.uint32), (workgroup, *places[row]), grid)
        return tuple(found)

    def _row(self, row: Array, place: tuple[int, int, int], grid: Sequence[int]) -> Iterator[Record]:
        position = 0
        while number := int(row[position]):
            position += 1
            if number == LOST:
                yield Record(place, (_lost(place, grid, row.nbytes),), (), lost=True)
                return
            message, values = self.messages[number - 1], list[Array]()
            for piece in shown(message):
                count = piece.words * element_count(piece.type)
                values.append(from_words(row[position : position + count], piece.type))
                position += count
            yield Record(place, message, tuple(values))


def words(message: Message) -> int:
    """The words of a record."""
    return 1 + sum(piece.words * element_count(piece.type) for piece in shown(message))


def _lost(place: tuple[int, int, int], grid: Sequence[int], bytes: int) -> str:
    x, y, _ = (*grid, 1, 1)[:3]
    number = place[0]
    workgroup = (number % x, number // x % y, number // (x * y))
    return f"<workgroup {workgroup} printed more than the {bytes} bytes of this launch: the rest is lost>\n"


def text_of_records(records: Sequence[Record]) -> str:
    return "".join(record.text for record in records)
