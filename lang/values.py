"""`lw.Value`: a number or a vector of the workgroup, with numpy's operators and names.

Both sides of an operator have one element type, which Python's numbers take from the other side; shapes broadcast as
numpy's do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, TypeGuard, cast

import numpy as np

from ..ir.attributes import UnitAttr
from ..ir.core import Value as SSA
from ..ir.dialects.constants import constant_attribute
from ..ir.dialects.iree_vector_ext import NestedLayoutAttr, ToLayoutOp
from ..layout.nested import NestedLayout
from . import elementwise, kinds, products, reductions, shapes
from .dtypes import DType, index, tupled
from .operands import NUMBERS, Given, Number, Operand, lifted, number_text, vector_text, whole
from .trace import Trace, building, fail, here, trace
from .under_way import TRACE


class HasOperand(Protocol):
    """What counts as a value: values, spans, items of loops."""

    @property
    def operand(self) -> Operand: ...


Numeric: TypeAlias = "HasOperand | Number"
"""What operators and functions take: values, spans and Python's numbers."""
Axes: TypeAlias = "int | tuple[int, ...] | None"
Index: TypeAlias = "int | slice | HasOperand | EllipsisType | None"


def has_operand(value: object) -> TypeGuard[HasOperand]:
    return hasattr(value, "operand")


def given(value: object) -> Given:
    """An argument of a function of values. Fails where it is none."""
    if type(value) is Value:
        return value._operand  # pyright: ignore[reportPrivateUsage]
    if isinstance(value, Value):
        return value.operand
    if isinstance(value, NUMBERS):
        return cast("Number", value)
    if has_operand(value):
        return value.operand
    hint = "index it: x[...]" if hasattr(value, "load") else ""
    return fail(f"a number, a vector or a span is expected, found {type(value).__name__} {value!r}", hint=hint)


def as_value(value: object) -> Value:
    """A value, which numbers of Python become. Fails where it is none."""
    return value if isinstance(value, Value) else Value(lifted(given(value)))


class Value(kinds.Value):
    """A number or a vector; its elements live in the threads' registers.

    Attributes:
        operand: What it is in the program.
    """

    __slots__ = ("__weakref__", "_operand", "_trace")
    __array_ufunc__ = None
    """numpy leaves operators with arrays and numbers on the left to this class."""

    def __init__(self, operand: Operand) -> None:
        self._operand = operand
        self._trace: Trace | None = TRACE.get()

    @property
    def known(self) -> Any:
        """What it is in a debug run, while that goes on and when it is over: a number or an array; else None."""
        operand = self.operand
        return None if self._trace is None else self._trace.number(operand.ssa, operand.dtype)

    @property
    def operand(self) -> Operand:
        return self._operand

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents; () of a number."""
        return self.operand.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> DType:
        return self.operand.dtype

    def name_it(self, name: str) -> None:
        """Gives it the name that messages and the program's text have, if it has none."""
        ssa = self.operand.ssa
        if not ssa.hint and constant_attribute(ssa) is None:
            ssa.hint = name

    def __repr__(self) -> str:
        operand = self.operand
        return f"<{operand.ssa.hint or 'value'}: {operand.type_text}{number_text(self.known)}>"

    # What only numbers of a debug run have

    def __format__(self, spec: str) -> str:
        return format(self._number("it has no text"), spec) if spec else repr(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """A copy of the numbers: `np.asarray(x)`."""
        known = self.known
        return (
            self._unknown("numpy has its numbers in `kernel.debug` only") if known is None else np.array(known, dtype)
        )

    def __bool__(self) -> bool:
        return bool(
            self._number(
                "Python cannot decide by it here",
                hint="`if` and `while` statements of a kernel can; for `and`,"
                " `or`, `not`: & | ~; for a <= x < b: (a <= x) & (x < b); a helper needs @lw.function",
            )
        )

    def __index__(self) -> int:
        hint = "shapes and Python's range() need constants; a loop of the device is `for i in lw.range(n)`"
        found = self._number("it is no integer of Python", hint)
        if isinstance(found, float):
            fail(f"{self.operand.text} is no integer", self.operand.made, hint="round it: int(x)")
        return int(found)

    def __float__(self) -> float:
        return float(self._number("it is no number of Python", "convert it: lw.number(x).to(lw.f32)"))

    def __int__(self) -> int:
        return int(self._number("it is no integer of Python", "convert it: x.to(lw.i32)"))

    def _number(self, words: str, hint: str = "") -> int | float | bool:
        """What it is in a debug run. Fails where it is not known, or has several elements."""
        operand, known = self.operand, self.known
        if known is None:
            self._unknown(words, hint)
        if operand.shape:
            fail(
                f"{operand.text} has {math.prod(operand.shape)} elements: {words}", operand.made,
                hint="of truth values: x.any() or x.all(); np.asarray(x) has the numbers",
            )  # fmt: skip
        found: int | float | bool = known
        return found

    def _unknown(self, words: str, hint: str = "") -> NoReturn:
        fail(f"{self.operand.text} is known only when the kernel runs: {words}", self.operand.made, hint=hint)

    def __iter__(self) -> Iterator[Value]:
        fail(f"{self.operand.text} cannot be iterated over", self.operand.made)

    def __len__(self) -> int:
        return self.shape[0] if self.shape else fail(f"{self.operand.text} is a number and has no length")

    # Operators

    def __add__(self, other: Numeric) -> Value:
        if isinstance(other, Product) and (joined := other.onto(self)) is not None:
            return joined
        return _binary("+", self, other)

    def __radd__(self, other: Numeric) -> Value:
        return _binary("+", other, self)

    def __sub__(self, other: Numeric) -> Value:
        return _binary("-", self, other)

    def __rsub__(self, other: Numeric) -> Value:
        return _binary("-", other, self)

    def __mul__(self, other: Numeric) -> Value:
        return _binary("*", self, other)

    def __rmul__(self, other: Numeric) -> Value:
        return _binary("*", other, self)

    def __truediv__(self, other: Numeric) -> Value:
        return _binary("/", self, other)

    def __rtruediv__(self, other: Numeric) -> Value:
        return _binary("/", other, self)

    def __floordiv__(self, other: Numeric) -> Value:
        return _binary("//", self, other)

    def __rfloordiv__(self, other: Numeric) -> Value:
        return _binary("//", other, self)

    def __mod__(self, other: Numeric) -> Value:
        return Value(elementwise.remainder(self.operand, given(other)))

    def __rmod__(self, other: Numeric) -> Value:
        return Value(elementwise.remainder(given(other), self.operand))

    def __pow__(self, other: Numeric) -> Value:
        return Value(elementwise.power(self.operand, given(other)))

    def __rpow__(self, other: Numeric) -> Value:
        return Value(elementwise.power(given(other), self.operand))

    def __and__(self, other: Numeric) -> Value:
        return _binary("&", self, other)

    def __rand__(self, other: Numeric) -> Value:
        return _binary("&", other, self)

    def __or__(self, other: Numeric) -> Value:
        return _binary("|", self, other)

    def __ror__(self, other: Numeric) -> Value:
        return _binary("|", other, self)

    def __xor__(self, other: Numeric) -> Value:
        return _binary("^", self, other)

    def __rxor__(self, other: Numeric) -> Value:
        return _binary("^", other, self)

    def __lshift__(self, other: Numeric) -> Value:
        return _binary("<<", self, other)

    def __rlshift__(self, other: Numeric) -> Value:
        return _binary("<<", other, self)

    def __rshift__(self, other: Numeric) -> Value:
        return _binary(">>", self, other)

    def __rrshift__(self, other: Numeric) -> Value:
        return _binary(">>", other, self)

    def __matmul__(self, other: Value) -> Value:
        return Product(self, other)

    def __neg__(self) -> Value:
        return Value(elementwise.negate(self.operand))

    def __pos__(self) -> Value:
        return self

    def __invert__(self) -> Value:
        return Value(elementwise.invert(self.operand))

    def __abs__(self) -> Value:
        return Value(elementwise.absolute(self.operand))

    def __lt__(self, other: Numeric) -> Value:
        return _compare("<", self, other)

    def __le__(self, other: Numeric) -> Value:
        return _compare("<=", self, other)

    def __gt__(self, other: Numeric) -> Value:
        return _compare(">", self, other)

    def __ge__(self, other: Numeric) -> Value:
        return _compare(">=", self, other)

    def __eq__(self, other: Numeric) -> Value:  # type: ignore[override]  # elements are compared
        return _compare("==", self, other)

    def __ne__(self, other: Numeric) -> Value:  # type: ignore[override]  # elements are compared
        return _compare("!=", self, other)

    __hash__ = object.__hash__

    # Shapes

    def __getitem__(self, key: Index | tuple[Index, ...]) -> Value:
        """Parts by constant slices and numbers, as numpy's: `None` is a new axis, `...` all axes that are not named."""
        return _part(self, tupled(key))

    if not TYPE_CHECKING:  # type checkers say themselves that there is no such thing

        def __setitem__(self, key: object, value: object) -> NoReturn:
            operand = self.operand
            fail(
                f"{operand.text} has no parts that can be written: it is a value, not an array", operand.made,
                hint="choose: lw.where(lw.arange(n) == 3, new, x); or keep it in lw.shared(...)",
            )  # fmt: skip

    def reshape(self, *shape: int | Sequence[int]) -> Value:
        """The same elements, row-major; one extent may be -1."""
        return Value(shapes.reshape(self.operand, _numbers(shape)))

    def transpose(self, *order: int | Sequence[int]) -> Value:
        """Axis a of the result is axis order[a] of this; without an order, the axes backwards."""
        return Value(shapes.transpose(self.operand, _numbers(order) or tuple(reversed(range(self.ndim)))))

    @property
    def T(self) -> Value:
        """The axes backwards."""
        return self.transpose()

    def broadcast_to(self, *shape: int | Sequence[int]) -> Value:
        """Repeated to a shape, as numpy does it."""
        return Value(_broadcast_to(self.operand, _numbers(shape)))

    # Types and layouts

    def to(self, dtype: DType) -> Value:
        """The same numbers in another type: rounded to nearest even; floats to integers towards zero."""
        return Value(elementwise.convert(self.operand, dtype))

    def bitcast(self, dtype: DType) -> Value:
        """The same bits as elements of another type; of another width, along the last axis."""
        return Value(elementwise.reread(self.operand, dtype))

    def with_layout(self, layout: NestedLayout | NestedLayoutAttr, *, shared: bool = False) -> Value:
        """The same value, held by the threads as a layout says.

        Args:
            layout: Which subgroup, thread and register holds each element.
            shared: Whether it is brought there through shared memory.
        """
        attribute = layout if isinstance(layout, NestedLayoutAttr) else getattr(layout, "attribute", None)
        if not isinstance(attribute, NestedLayoutAttr):
            hint = "in words: lw.layout(text, ...), a text for each dimension"
            fail(f"a layout is a NestedLayout, found {type(layout).__name__} {layout!r}", hint=hint)
        through = UnitAttr() if shared else None
        value = self.operand
        build = building()
        made = build.value(
            ToLayoutOp, value.ssa, types=[value.ssa.type], layout=attribute, shared_memory_conversion=through
        )
        return Value(Operand(made, value.dtype))

    # Reductions

    def sum(self, axis: Axes = None, *, init: Numeric | None = None, keepdims: bool = False) -> Value:
        """The sum of the elements along axes, in their own type, added to `init`."""
        return _reduced("sum", self, axis, init, keepdims)

    def prod(self, axis: Axes = None, *, init: Numeric | None = None, keepdims: bool = False) -> Value:
        return _reduced("prod", self, axis, init, keepdims)

    def max(self, axis: Axes = None, *, init: Numeric | None = None, keepdims: bool = False) -> Value:
        """The greatest element along axes; NaN where there is one."""
        return _reduced("max", self, axis, init, keepdims)

    def min(self, axis: Axes = None, *, init: Numeric | None = None, keepdims: bool = False) -> Value:
        """The least element along axes; NaN where there is one."""
        return _reduced("min", self, axis, init, keepdims)

    def any(self, axis: Axes = None, *, keepdims: bool = False) -> Value:
        """Whether any holds; of integers, their bits by `|`."""
        return _reduced("any", self, axis, None, keepdims)

    def all(self, axis: Axes = None, *, keepdims: bool = False) -> Value:
        """Whether all hold; of integers, their bits by `&`."""
        return _reduced("all", self, axis, None, keepdims)

    def mean(self, axis: Axes = None, *, keepdims: bool = False) -> Value:
        """The sum times the reciprocal of the number of elements."""
        total = self.sum(axis, keepdims=keepdims)
        return total * (math.prod(total.shape) / math.prod(self.shape))

    def argmax(self, axis: int | None = None) -> Value:
        """The position of the greatest element along an axis, the first of equals; 0 where all are NaN."""
        return Value(reductions.best("argmax", self.operand, axis)[1])

    def argmin(self, axis: int | None = None) -> Value:
        """The position of the least element along an axis, the first of equals; 0 where all are NaN."""
        return Value(reductions.best("argmin", self.operand, axis)[1])

    def cumsum(self, axis: int = -1, *, init: Numeric | None = None, exclusive: bool = False) -> Value:
        """Each element added to all before it along an axis; `exclusive` leaves itself out."""
        return _scanned("sum", self, axis, init, exclusive)

    def cumprod(self, axis: int = -1, *, init: Numeric | None = None, exclusive: bool = False) -> Value:
        return _scanned("prod", self, axis, init, exclusive)

    def cummax(self, axis: int = -1, *, init: Numeric | None = None, exclusive: bool = False) -> Value:
        return _scanned("max", self, axis, init, exclusive)

    def cummin(self, axis: int = -1, *, init: Numeric | None = None, exclusive: bool = False) -> Value:
        return _scanned("min", self, axis, init, exclusive)


class Product(Value):
    """`a @ b`, which is written when it is used: added to a value, it is one contraction with that accumulator."""

    __slots__ = ("_a", "_b", "_letters", "_name", "_place", "_written")

    def __init__(self, a: Value, b: Value) -> None:
        right = given(b)
        if not isinstance(right, Operand):
            fail(f"'@' needs [.., M, K] @ [.., K, N]: left is {a.operand.text}, right is the number {right}")
        self._a, self._b = a.operand, right
        self._letters = products.letters_of(self._a, self._b)
        self._written: Operand | None = None
        self._place = here()
        self._name = ""
        self._trace = TRACE.get()
        trace().delay(self)

    def write(self) -> None:
        if self._written is None:
            self._written = products.contract(self._letters, self._a, self._b, None)
            op = self._written.ssa.operation
            assert op is not None
            op.location = self._place
            self._written.ssa.hint = self._written.ssa.hint or self._name

    def name_it(self, name: str) -> None:
        if self._written is None:
            self._name = name
        else:
            super().name_it(name)

    @property
    def operand(self) -> Operand:
        self.write()
        assert self._written is not None
        return self._written

    @property
    def shape(self) -> tuple[int, ...]:
        extents = dict(zip(self._letters.partition(",")[0], self._a.shape, strict=True))
        extents |= dict(zip(self._letters.partition(",")[2].partition("->")[0], self._b.shape, strict=True))
        return tuple(extents[letter] for letter in self._letters.partition("->")[2])

    @property
    def dtype(self) -> DType:
        return products.sums_of(self._a.dtype)

    def __repr__(self) -> str:
        """Who looks at it does not write it: it may still become one operation with an addition."""
        if self._written is not None:
            return super().__repr__()
        number = ""
        if self._trace is not None and self._trace is TRACE.get() and self._trace.computes:
            shown = products.contract(self._letters, self._a, self._b, None)
            number = number_text(self._trace.number(shown.ssa, shown.dtype))
        return f"<{self._name or 'value'}: {vector_text(self.dtype, self.shape)}{number}>"

    def onto(self, acc: Value) -> Value | None:
        """Both added by one contraction, where this is not written yet and the types are one. Who uses the product
        once more has it written on its own."""
        if self._written is not None or acc.dtype != self.dtype or acc.shape != self.shape:
            return None
        return Value(products.contract(self._letters, self._a, self._b, acc.operand))

    def __add__(self, other: Numeric) -> Value:
        if isinstance(other, Value) and (joined := self.onto(other)) is not None:
            return joined
        return super().__add__(other)


def _binary(sign: str, a: Numeric, b: Numeric) -> Value:
    return Value(elementwise.binary(sign, given(a), given(b)))


def _compare(sign: elementwise.Comparison, a: Numeric, b: Numeric) -> Value:
    return Value(elementwise.compare(sign, given(a), given(b)))


def _reduced(name: str, value: Value, axis: Axes, init: Numeric | None, keepdims: bool) -> Value:
    start = None if init is None else given(init)
    return Value(reductions.reduce(name, value.operand, axis, start, keepdims))


def _scanned(name: str, value: Value, axis: int, init: Numeric | None, exclusive: bool) -> Value:
    return Value(reductions.scan(name, value.operand, axis, None if init is None else given(init), exclusive))


def _numbers(shape: Sequence[int | Sequence[int]]) -> tuple[int, ...]:
    """`f(2, 3)` and `f((2, 3))` alike."""
    found: list[int] = []
    for entry in shape:
        if isinstance(entry, int):
            found.append(entry)
        elif isinstance(entry, (tuple, list)):
            found += [whole(n, "an extent") for n in entry]
        else:
            found.append(whole(entry, "an extent"))
    return tuple(found)


def _broadcast_to(operand: Operand, shape: tuple[int, ...]) -> Operand:
    own = operand.shape
    fits = len(own) <= len(shape) and all(n in (1, m) for n, m in zip(reversed(own), reversed(shape), strict=False))
    if not fits:
        fail(f"{operand.text} does not broadcast to {shape}", operand.made)
    return shapes.broadcast(operand, shape)


# -- parts ----------------------------------------------------------------------------------------------------------


def _part(value: Value, keys: tuple[Index, ...]) -> Value:
    rank = value.ndim
    if any(k is ... for k in keys):
        where = next(i for i, k in enumerate(keys) if k is ...)
        named = sum(k is not None for k in keys) - 1
        keys = (*keys[:where], *[slice(None)] * (rank - named), *keys[where + 1 :])
    named = sum(k is not None for k in keys)
    if named > rank:
        fail(f"{value.operand.text} has {rank} axes, found {named} indices", value.operand.made)
    keys = (*keys, *[slice(None)] * (rank - named))
    operand = _sliced(value, [k for k in keys if k is not None])
    operand = _picked(operand, [k for k in keys if k is not None])
    if all(k is not None for k in keys):
        return Value(operand)
    left = iter(operand.shape)
    shape = [1 if k is None else next(left) for k in keys if k is None or isinstance(k, slice)]
    return Value(shapes.reshape(operand, shape))


def _sliced(value: Value, keys: list[Index]) -> Operand:
    """What slices take along each axis."""
    boxes = [k.indices(n) if isinstance(k, slice) else (0, n, 1) for k, n in zip(keys, value.shape, strict=True)]
    extents = [len(range(*box)) for box in boxes]
    if 0 in extents:
        fail(f"a part of {value.operand.text} has no elements: {keys}", value.operand.made)
    return shapes.part(value.operand, [b[0] for b in boxes], extents, [b[2] for b in boxes])


def _picked(operand: Operand, keys: list[Index]) -> Operand:
    """What single positions leave."""
    axes = [a for a, k in enumerate(keys) if not isinstance(k, slice)]
    if not axes:
        return operand
    order = [*axes, *(a for a in range(len(keys)) if a not in axes)]
    return shapes.element(shapes.transpose(operand, order), [_position(operand, a, keys[a]) for a in axes])


def _position(operand: Operand, axis: int, key: Index) -> int | SSA:
    extent = operand.shape[axis]
    if isinstance(key, (int, np.integer)):
        if not -extent <= key < extent:
            fail(f"position {key} is beyond axis {axis} of {operand.text}", operand.made)
        return int(key) % extent
    at = lifted(given(key), index)
    if at.shape:
        fail(
            f"{operand.text} is indexed by {at.text}: elements live in threads",
            hint="vectors index memory: write it to lw.shared(...) and index that",
        )
    return elementwise.convert(at, index).ssa


def value_of(ssa: SSA, dtype: DType) -> Value:
    return Value(Operand(ssa, dtype))
