"""`lw.Span`: so many places from a start on along one axis of an array."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.dialects import gpu, vector
from ..ir.dialects.constants import constant_int
from ..ir.dialects.gpu import DimensionAttr
from ..ir.kernels import AXES
from ..ir.types import I1, INDEX, VectorType
from . import kinds
from .dtypes import i1, index
from .elementwise import convert
from .operands import Operand, lifted, whole
from .trace import building, fail, trace
from .values import Index, Numeric, Value, given


class Span(kinds.Span):
    """`extent` places from `start` on.

    Attributes:
        extent: How many, a constant.
        inside: A promise that all of them are in the array; else reads give padding outside and writes do nothing.
        axis: The axis of the grid along which the spans of all workgroups cover the array, where that is so.
    """

    __slots__ = ("_start", "axis", "extent", "inside")

    def __init__(self, start: Numeric, extent: int, inside: bool = False, axis: str | None = None) -> None:
        extent = whole(extent, "the extent of a span")
        if extent < 1:
            fail(f"a span has a constant number of places, found {extent}")
        first = lifted(given(start), index)
        if first.shape:
            fail(f"a span begins at one place, found {first.text}", first.made)
        self._start = Value(convert(first, index))
        self.extent, self.inside, self.axis = extent, inside, axis

    @property
    def start(self) -> Value:
        """The first place."""
        return self._start

    @property
    def index(self) -> Value:
        """All places, a vector of index."""
        build = building()
        steps = Operand(build.value(vector.StepOp, types=[VectorType((self.extent,), INDEX)]), index)
        return Value(steps) if constant_int(self._start.operand.ssa) == 0 else Value(steps) + self.start

    @property
    def operand(self) -> Operand:
        return self.index.operand

    def __repr__(self) -> str:
        start = self._start.known
        return f"<span of {self.extent}{'' if start is None else f' from {start}'}>"

    def __add__(self, other: Numeric) -> Span:
        """So many places further on."""
        return Span(self.start + other, self.extent)

    def __radd__(self, other: Numeric) -> Span:
        return self + other

    def __sub__(self, other: Numeric) -> Span:
        return Span(self.start - other, self.extent)

    def __mul__(self, other: Numeric) -> Value:
        return self.index * other

    def __rmul__(self, other: Numeric) -> Value:
        return self.index * other

    def __floordiv__(self, other: Numeric) -> Value:
        return self.index // other

    def __mod__(self, other: Numeric) -> Value:
        return self.index % other

    def __lt__(self, other: Numeric) -> Value:
        """Which places are below a limit; where that is one number, both are read as signed, as in `create_mask`."""
        limit = _one_index(other)
        return self.index < other if limit is None else create_mask((self.extent,), limit - self.start)

    def __le__(self, other: Numeric) -> Value:
        limit = _one_index(other)
        return self.index <= other if limit is None else self < limit + 1

    def __gt__(self, other: Numeric) -> Value:
        return self.index > other if _one_index(other) is None else ~(self <= other)

    def __ge__(self, other: Numeric) -> Value:
        return self.index >= other if _one_index(other) is None else ~(self < other)

    def __eq__(self, other: Numeric) -> Value:  # type: ignore[override]  # places are compared
        return self.index == other

    def __ne__(self, other: Numeric) -> Value:  # type: ignore[override]  # places are compared
        return self.index != other

    __hash__ = object.__hash__

    def __getitem__(self, key: Index | tuple[Index, ...]) -> Value:
        return self.index[key]


def _one_index(limit: Numeric) -> Value | None:
    """A limit that is one place; None of others."""
    operand = lifted(given(limit), index)
    return None if operand.shape or operand.dtype != index else Value(operand)


def create_mask(shape: Sequence[int], *limits: Numeric) -> Value:
    """Truth values that hold where each position is below its axis's limit; a limit is read as a signed number."""
    if len(shape) != len(limits):
        fail(f"a mask of {len(shape)} axes has as many limits, found {len(limits)}")
    numbers = [convert(lifted(given(limit), index), index) for limit in limits]
    odd = next((n for n in numbers if n.shape), None)
    if odd is not None:
        fail(f"the limits of a mask are numbers, found {odd.text}", odd.made)
    types = [VectorType(tuple(shape), I1)]
    return Value(Operand(building().value(vector.CreateMaskOp, [n.ssa for n in numbers], types=types), i1))


def span(start: Numeric, extent: int, *, inside: bool = False) -> Span:
    """`extent` places from `start` on; `inside` promises that all are in the array."""
    return Span(start, extent, inside)


def block(extent: int, axis: str = "x", *, inside: bool = False) -> Span:
    """The workgroup's own places: as many for each along an axis of the grid."""
    extent = whole(extent, "the extent of a span")
    return Span(block_id(axis) * extent, extent, inside, axis)


def block_id(axis: str = "x") -> Value:
    """The workgroup's number along an axis of the grid."""
    return of_axis(gpu.BlockIdOp, axis, f"block_{axis}")


def grid_size(axis: str = "x") -> Value:
    """How many workgroups there are along an axis of the grid."""
    return of_axis(gpu.GridDimOp, axis, f"grid_{axis}")


def thread_id(axis: str = "x") -> Value:
    """The thread's number in its workgroup, in kernels of scope "thread"."""
    return of_axis(gpu.ThreadIdOp, axis, f"thread_{axis}")


def block_size(axis: str = "x") -> Value:
    """Threads of a workgroup along an axis."""
    return of_axis(gpu.BlockDimOp, axis, f"threads_{axis}")


def of_axis(op: type[gpu.DimensionOp], axis: str, hint: str) -> Value:
    if axis not in AXES:
        fail(f"an axis of the grid is one of {', '.join(AXES)}, found {axis!r}")
    value = building().value(op, dimension=DimensionAttr(axis))
    trace().suggest(value, hint)
    return Value(Operand(value, index))
