"""Where the elements of a workgroup's buffer lie, if not one after another, row by row.

An order is a permutation of the buffer's elements that no program can see: indices mean what they always do, and
addresses are what changes. Two attributes of an allocation say it: `iree_codegen.swizzle` mixes the number of a row
into the place inside the row, and `lanewise.box` cuts rows into boxes, which come one after another before that.
"""

from __future__ import annotations

from math import gcd, prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..support.dataclasses import dataclass
from ..support.diagnostics import Report
from .attributes import IntegerAttr
from .core import Operation, Value
from .dialects.iree_codegen import SwizzleAttr
from .dialects.memref import AllocOp
from .effects import viewed_first
from .types import memory_bits

SWIZZLE, BOX = "iree_codegen.swizzle", "lanewise.box"

Number = TypeVar("Number", int, npt.NDArray[np.int64])


@dataclass(frozen=True, slots=True)
class Boxes:
    """`rows` rows of `row` elements lie as `row // box` matrices of `rows` rows of `box` elements."""

    rows: int
    row: int
    box: int

    def place(self, offset: Number) -> Number:
        row, column = offset // self.row, offset % self.row
        return column // self.box * (self.rows * self.box) + row * self.box + column % self.box


@dataclass(frozen=True, slots=True)
class Order:
    """`place(i)` is where the element is that comes i-th row by row; `swizzle` applies to what `boxes` makes."""

    swizzle: SwizzleAttr | None
    boxes: Boxes | None

    def place(self, offset: Number) -> Number:
        boxed = offset if self.boxes is None else self.boxes.place(offset)
        return boxed if self.swizzle is None else self.swizzle.place(boxed)

    @property
    def access(self) -> int:
        """Neighbours that stay neighbours, counted from a multiple of their number."""
        widths = [s.access for s in (self.swizzle,) if s is not None] + [b.box for b in (self.boxes,) if b is not None]
        return gcd(*widths)

    @property
    def period(self) -> tuple[int, int]:
        """(n, m): the element n further on lies m further on, wherever one starts."""
        block = 1 if self.swizzle is None else self.swizzle.period
        if self.boxes is None:
            return block, block
        rows = block // gcd(block, self.boxes.box)
        return rows * self.boxes.row, rows * self.boxes.box


def order_of(alloc: AllocOp) -> Order | None:
    """What an allocation says of the places of its elements; None where they lie row by row."""
    swizzle, boxes = None, None
    match alloc.attributes.get(SWIZZLE), alloc.attributes.get(BOX):
        case (None, None):
            return None
        case (given, box):
            swizzle = given if isinstance(given, SwizzleAttr) else None
            *outer, row = (n or 0 for n in alloc.memref.type.shape)
            boxes = Boxes(prod(outer), row, box.value) if isinstance(box, IntegerAttr) else None
    return Order(swizzle, boxes)


def order_behind(buffer: Value) -> Order | None:
    """The order of the allocation that a buffer is, or is a view of."""
    maker = viewed_first(buffer).operation
    return order_of(maker) if isinstance(maker, AllocOp) else None


def check_order(op: Operation, report: Report) -> None:
    """Reports orders that are no permutations of the buffer, and those of what is no allocation of a workgroup."""
    given = {name: op.attributes[name] for name in (SWIZZLE, BOX) if name in op.attributes}
    if not given:
        return
    if not isinstance(op, AllocOp) or op.is_private:
        op.error(report, f"has '{next(iter(given))}', which is read of allocations of workgroup memory alone")
        return
    type = op.memref.type
    row, elements = type.shape[-1] if type.shape else 0, prod(n or 0 for n in type.shape)
    if not row or not elements or memory_bits(type.element) < 8:
        op.error(report, f"has '{next(iter(given))}', which is of static buffers of whole bytes, found {type}")
        return
    match given.get(BOX):
        case None:
            pass
        case IntegerAttr(value=box) if box > 0 and row % box == 0:
            pass
        case other:
            op.error(report, f"'{BOX}' must be a number that divides the {row} elements of a row, found {other}")
    match given.get(SWIZZLE):
        case None:
            pass
        case SwizzleAttr() as swizzle:
            _check_swizzle(op, swizzle, elements, report)
        case other:
            kinds = " or ".join(f"#{kind}" for kind in SwizzleAttr.kinds)
            op.error(report, f"'{SWIZZLE}' must be {kinds}, found {other}")


def _check_swizzle(op: AllocOp, swizzle: SwizzleAttr, elements: int, report: Report) -> None:
    pieces = swizzle.row // swizzle.access
    if elements % swizzle.row:
        op.error(report, f"has {elements} elements, no whole number of rows of {swizzle.row} that {swizzle} permutes")
    elif not swizzle.rotates and pieces & (pieces - 1):
        message = f"{swizzle} has {pieces} accesses in a row; numbers below that are mixed by xor into others only"
        op.error(report, f"{message} where it is a power of two")
