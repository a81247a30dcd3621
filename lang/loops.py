"""What loops of the device go over: `lw.range` and `lw.tiles`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Generic, TypeGuard, TypeVar

from ..ir.core import Value as SSA
from ..ir.dialects.constants import constant_int
from ..ir.types import Attribute
from .dtypes import index
from .elementwise import convert
from .operands import Operand, lifted
from .spans import Span
from .trace import fail, trace
from .values import Numeric, Value, given

Item = TypeVar("Item", bound=Value | Span, covariant=True)
"""What the variable of a loop is."""


class Counted(ABC, Generic[Item]):
    """Numbers from `lower` up to, not including, `upper` by `step`: a loop of the device over what stands for each."""

    def __init__(self, lower: Numeric, upper: Numeric, step: Numeric) -> None:
        self._bounds = [_number(bound) for bound in (lower, upper, step)]
        known = constant_int(self._bounds[2].ssa)
        if known is not None:
            _counts_up(known)
        self.attributes: Mapping[str, Attribute] = {}

    @property
    def bounds(self) -> list[SSA]:
        """Lower, upper, step."""
        return [operand.ssa for operand in self._bounds]

    @abstractmethod
    def item(self, counter: SSA) -> Item:
        """What the loop's variable is."""

    def computed(self) -> Iterator[Item]:
        """All items, where the kernel runs as plain Python."""
        lower, upper, step = (int(trace().number(b.ssa, b.dtype)) for b in self._bounds)
        _counts_up(step)
        for number in range(lower, upper, step):
            yield self.item(trace().counter(number))

    def __iter__(self) -> Iterator[Item]:
        if trace().computes:
            return self.computed()
        if missing := trace().missing_source:
            return fail(f"a loop of the device needs the function's text: {missing[-1]}")
        return fail(
            "a loop of the device is a `for` statement over lw.range or lw.tiles in a kernel or @lw.function",
            hint="decorate the helper with @lw.function; for enumerate, zip or a comprehension write the statement",
        )


def is_counted(value: object) -> TypeGuard[Counted[Value | Span]]:
    return isinstance(value, Counted)


class Range(Counted[Value]):
    """The numbers themselves."""

    def item(self, counter: SSA) -> Value:
        return Value(Operand(counter, index))


class Tiles(Counted[Span]):
    """Spans of `extent` places, one behind the other."""

    def __init__(self, lower: Numeric, upper: Numeric, extent: int, inside: bool) -> None:
        super().__init__(lower, upper, extent)
        self._extent, self._inside = extent, inside

    def item(self, counter: SSA) -> Span:
        return Span(Value(Operand(counter, index)), self._extent, self._inside)


def _counts_up(step: int) -> None:
    if step < 1:
        fail(f"a loop's step is above 0, found {step}", hint="backwards: `for i in lw.range(n)`, and n - 1 - i in it")


def _number(bound: Numeric) -> Operand:
    value = lifted(given(bound), index)
    if value.shape or value.dtype.kind not in ("index", "integer"):
        fail(f"a loop counts by integers, found {value.text}", value.made)
    return convert(value, index)


def of_range(first: Numeric, last: Numeric | None = None, step: Numeric = 1) -> Range:
    """`for i in lw.range(n)`, `lw.range(a, b)`, `lw.range(a, b, step)`: a loop of the device. Bounds are read as signed
    numbers, the step is above 0."""
    return Range(0, first, step) if last is None else Range(first, last, step)


def tiles(first: Numeric, second: Numeric, extent: int | None = None, *, inside: bool = False) -> Tiles:
    """`for k in lw.tiles(n, 32)`, `lw.tiles(a, b, 32)`: a loop of the device over spans.

    `inside` promises that the last one ends in the array, too.
    """
    if extent is None:
        if not isinstance(second, int):
            fail(f"tiles have a constant extent, found {second!r}")
        return Tiles(0, first, second, inside)
    return Tiles(first, second, extent, inside)
