"""`lw.Array`: a buffer in memory. Spans and numbers read and write parts of it, vectors of places gather and scatter.

Outside of an array reads give padding and writes do nothing, unless `inside` promises that nothing is outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from ..ir.affine import AffineMap, AffineMapAttr, Dim
from ..ir.attributes import DYNAMIC, IntegerAttr, dense_i64
from ..ir.core import Block, Region
from ..ir.core import Value as SSA
from ..ir.dialects import memref
from ..ir.dialects.constants import constant_int
from ..ir.dialects.memref_buffers import AtomicYieldOp, GenericAtomicRMWOp, PrefetchOp
from ..ir.dialects.memref_views import TransposeOp
from ..ir.dialects.vector_compress import CompressStoreOp, ExpandLoadOp
from ..ir.types import I1, I32, MemRefType, StridedLayout
from ..jit.grid_uses import Use
from . import accesses, atomics, kinds
from .accesses import At, Key, Place
from .carried import Unbound
from .dtypes import DType, elements_in_byte, index, tupled
from .elementwise import convert
from .operands import Operand, lifted, number_text
from .shapes import broadcast
from .spans import Span
from .trace import building, fail, here, trace, trace_if_any
from .values import HasOperand, Numeric, Value, given, has_operand

if TYPE_CHECKING:
    from types import EllipsisType

ArrayKey: TypeAlias = "int | slice | Span | HasOperand"
Cache: TypeAlias = 'Literal["evict_normal", "evict_first", "evict_last", "evict_unchanged", "no_allocate"] | None'


class Array(kinds.Array):
    """A buffer: an argument, or shared or private memory.

    Attributes:
        dtype: The type of an element.
        name: What messages call it.
    """

    __slots__ = ("_memory", "_trace", "_unnamed", "dtype", "name", "names")

    def __init__(
        self, memory: SSA[MemRefType], dtype: DType, name: str, names: Sequence[str] = (), unnamed: bool = False
    ) -> None:
        self._memory, self.dtype, self.name = memory, dtype, name
        self._trace = trace_if_any()
        self._unnamed = unnamed
        self.names = tuple(names)
        """What each extent is called."""

    def name_it(self, name: str) -> None:
        """Gives it the name that messages and the program's text have, if it is memory that has none."""
        if self._unnamed:
            self.name, self._unnamed, self.memory.hint = name, False, name
            trace().rename(self.memory, name)

    @property
    def memory(self) -> SSA[MemRefType]:
        """What it is in the program."""
        return self._memory

    @property
    def ndim(self) -> int:
        return self.memory.type.rank

    @property
    def shape(self) -> Shape:
        """Extents: Python's integers where they are constant, else values."""
        return Shape(self)

    @property
    def known(self) -> Any:
        """What is in it in a debug run, while that goes on and when it is over; else None."""
        return None if self._trace is None else self._trace.contents(self.memory, self.dtype)

    def __repr__(self) -> str:
        return f"<array '{self.name}': {self.memory.type}{number_text(self.known)}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """A copy of what is in it now, in a debug run: `np.asarray(x)`."""
        found = self.known
        if found is None:
            fail(f"what is in {self.name} is known only when the kernel runs: numpy has it in `kernel.debug` only")
        return np.array(found, dtype)

    def __len__(self) -> int:
        return fail(f"the length of {self.name} is {self.name}.shape[0]")

    def __iter__(self) -> Iterator[Value]:
        hint = f"read parts of it, in a loop `for i in lw.tiles({self.name}.shape[0], 64)`"
        return fail(f"{self.name} is an array: it cannot be iterated over", hint=hint)

    def __eq__(self, other: object) -> bool:
        """Lists and dicts look for an array itself; what else is compared is meant to be elements."""
        if self is other:
            return True
        message = f"{self.name} is an array, and its elements are compared by numbers, spans and vectors of places"
        return fail(message, hint=f"{self.name}[i] == ..., or `is` for whether two names are one array")

    __hash__ = object.__hash__

    # Reading and writing

    def __getitem__(self, key: ArrayKey | tuple[ArrayKey, ...]) -> Value:
        keys: tuple[ArrayKey, ...] = tupled(key)
        return self.load(*keys)

    def __setitem__(self, key: ArrayKey | tuple[ArrayKey, ...], value: Numeric) -> None:
        self.store(key, value)

    def load(
        self,
        *key: ArrayKey,
        pad: Numeric | None = None,
        mask: Value | None = None,
        inside: bool | None = None,
        cache: Cache = None,
    ) -> Value:
        """A part of the array.

        Args:
            key: For each axis a number, a span, `:` for a constant extent, or a vector of places.
            pad: What is read outside of the array, and where the mask is off; None is zero. One element, at numbers
                alone, is to be in the array and has none.
            mask: Which elements are read, of the part's shape.
            inside: A promise that all are in the array; None is what the spans say.
            cache: What caches are told of the data.
        """
        place = self._place(key, written=False)
        padding = None if pad is None else lifted(given(pad), self.dtype)
        on = None if mask is None else lifted(given(mask))
        return Value(accesses.read(place, padding, on, inside, accesses.hints(cache)))

    def store(
        self,
        key: ArrayKey | tuple[ArrayKey, ...],
        value: Numeric,
        *,
        mask: Value | None = None,
        inside: bool | None = None,
        distinct: bool = False,
        cache: Cache = None,
    ) -> None:
        """Writes a part of the array; what is outside of it, or off in the mask, is not written.

        `distinct` promises that vectors of places name none twice; else the last of equal places stays.
        """
        place = self._place(tupled(key), written=True)
        whole = lifted(given(value), self.dtype)
        if whole.dtype != self.dtype:
            fail(
                f"{self.name} holds {self.dtype}, found {whole.text}",
                whole.made,
                hint=f"convert it: .to({self.name}.dtype)",
            )
        on = None if mask is None else lifted(given(mask))
        accesses.write(place, whole, on, inside, distinct, accesses.hints(cache))

    def store_compressed(self, key: ArrayKey | tuple[ArrayKey, ...], value: Value, mask: Value) -> None:
        """Writes the elements that are on one behind the other, from a place on: nothing behind them is touched.

        Args:
            key: The first place, a number for each axis.
            value: A vector of one axis, all of whose elements that are on find room in the array.
            mask: Which are written.
        """
        whole, on = lifted(given(value), self.dtype), lifted(given(mask))
        if whole.dtype != self.dtype:
            fail(f"{self.name} holds {self.dtype}, found {whole.text}", whole.made, hint="convert it: .to(dtype)")
        building().op(CompressStoreOp, self.memory, self._one(key, written=True), on.ssa, whole.ssa)

    def load_expanded(self, key: ArrayKey | tuple[ArrayKey, ...], mask: Value, other: Numeric = 0) -> Value:
        """A vector whose elements that are on are read one behind the other, from a place on; the rest is `other`."""
        on, rest = lifted(given(mask)), lifted(given(other), self.dtype)
        if rest.dtype != self.dtype:
            fail(f"{self.name} holds {self.dtype}, found {rest.text}", rest.made)
        rest = broadcast(rest, on.shape)
        operands = self.memory, self._one(key, written=False), on.ssa, rest.ssa
        return Value(Operand(building().value(ExpandLoadOp, *operands, types=[rest.ssa.type]), self.dtype))

    def prefetch(self, *key: ArrayKey, write: bool = False, near: bool = False) -> None:
        """A hint that an element is going to be read, or written, which changes nothing. `near` asks for the first
        level of cache, else it is the second."""
        writes, data = IntegerAttr(int(write), I1), IntegerAttr(1, I1)
        place, locality = self._one(key, written=False), IntegerAttr(3 if near else 2, I32)
        build = building()
        build.op(PrefetchOp, self.memory, place, isWrite=writes, localityHint=locality, isDataCache=data)

    def _one(self, key: ArrayKey | tuple[ArrayKey, ...], written: bool) -> list[SSA]:
        """A single place."""
        place = self._place(tupled(key), written)
        if place.spans or place.vectors:
            fail(f"one place of {self.name} is meant, a number for each of its {self.ndim} axes")
        return place.starts

    @property
    def at(self) -> Updates:
        """`A.at[key].add(v)`: atomic updates."""
        return Updates(self)

    def update(self, kind: str, key: tuple[ArrayKey, ...], value: Numeric, mask: Value | None, inside: bool) -> Value:
        """Joins elements with a value, as `at` says it."""
        place = self._place(key, written=True)
        whole = lifted(given(value), self.dtype)
        found = atomics.update(kind, place, whole, None if mask is None else lifted(given(mask)), inside)
        return _NO_OLD_VALUES if found is None else Value(found)

    def apply(self, key: tuple[ArrayKey, ...], function: Callable[[Value], Numeric]) -> Value:
        """Joins one element with what a function says, as `at` does it."""
        current, starts = trace(), self._one(key, written=True)
        element = self.memory.type.element
        body = Block([element])
        body.arguments[0].hint = "before"
        scope = current.enter(body, "update", here())
        new = lifted(given(function(Value(Operand(body.arguments[0], self.dtype)))), self.dtype)
        if new.shape or new.dtype != self.dtype:
            fail(f"an element of {self.name} becomes a {self.dtype}, found {new.text}", new.made)
        building().op(AtomicYieldOp, new.ssa)
        current.leave(scope)
        op = GenericAtomicRMWOp([self.memory, *starts], [element], {}, [Region([body])], here())
        return Value(Operand(building().append(op).result_, self.dtype))

    # Other views of the same memory

    @property
    def T(self) -> Array:
        """The same memory with the axes backwards."""
        type, rank = self.memory.type, self.ndim
        strides, offset = type.strides_and_offset()
        layout = StridedLayout(tuple(reversed(strides)), offset)
        turned = MemRefType(tuple(reversed(type.shape)), type.element, layout, type.memory_space)
        map = AffineMapAttr(AffineMap(rank, 0, tuple(Dim(d) for d in reversed(range(rank)))))
        made = building().value(TransposeOp, self.memory, types=[turned], permutation=map)
        return Array(made, self.dtype, f"{self.name}.T", tuple(reversed(self.names)))  # type: ignore[arg-type]

    def view(self, *key: ArrayKey) -> Array:
        """A part as an array of its own, whose bounds are its own; numbers leave their axis out."""
        keys = self._completed(key)
        starts = [Operand(self._start(k).ssa, index) for k in keys]
        sizes = [k.extent if isinstance(k, Span) else 1 for k in keys]
        known = [constant_int(s.ssa) for s in starts]
        build = building()
        attributes = {
            "static_offsets": dense_i64([DYNAMIC if n is None else n for n in known]),
            "static_sizes": dense_i64(sizes),
            "static_strides": dense_i64([1] * len(keys)),
        }
        moving = [s.ssa for s, n in zip(starts, known, strict=True) if n is None]
        full = memref.subview_type(self.memory.type, known, sizes, [1] * len(keys))
        kept = [d for d, k in enumerate(keys) if isinstance(k, Span)]
        strides, offset = full.strides_and_offset()
        layout = StridedLayout(tuple(strides[d] for d in kept), offset)
        type = MemRefType(tuple(sizes[d] for d in kept), full.element, layout, full.memory_space)
        made = build.value(memref.SubViewOp, self.memory, moving, [], [], types=[type], **attributes)
        return Array(made, self.dtype, self.name)  # type: ignore[arg-type]

    # Places

    def extent(self, axis: int) -> int | Value:
        """The extent of an axis, counted from 0."""
        constant = self.memory.type.shape[axis]
        if constant is not None:
            return constant
        build = building()
        value = build.value(memref.DimOp, self.memory, build.constant(axis))
        named = self.names[axis] if axis < len(self.names) else ""
        trace().suggest(value, named or f"{self.name}_{axis}")
        return Value(Operand(value, index))

    def _place(self, key: Sequence[ArrayKey], written: bool) -> Place:
        keys = self._completed(key)
        for axis, k in enumerate(keys):
            self._note(axis, k, written)
            if isinstance(k, int):
                self._check_inside(axis, k)
        return Place(self.memory, self.dtype, self.name, tuple(self._along(k) for k in keys))

    def _check_inside(self, axis: int, place: int) -> None:
        extent = self.memory.type.shape[axis]
        if place < 0:
            last = f"{self.name}.shape[{axis}]" if extent is None else extent
            words = f"{self.name}[{last} - {-place}]" if self.ndim == 1 else f"{last} - {-place}"
            fail(f"{place} is no place of {self.name}: places count from 0", hint=f"from the end: {words}")
        if extent is not None and place >= extent:
            fail(f"{place} is no place of {self.name}, which has {extent} along axis {axis}")

    def _completed(self, key: Sequence[ArrayKey | EllipsisType]) -> list[ArrayKey]:
        """A key for each axis; `...` and what is left out are whole axes."""
        keys: list[ArrayKey] = []
        for k in key:
            if k is ...:
                keys += [slice(None)] * (self.ndim - len(key) + 1)
            else:
                keys.append(k)
        if len(keys) != self.ndim:
            fail(f"{self.name} has {self.ndim} axes ({self.memory.type}), found {len(keys)} indices")
        return [self._whole(axis, k) if isinstance(k, slice) else k for axis, k in enumerate(keys)]

    def _whole(self, axis: int, key: slice) -> Span:
        extent = self.memory.type.shape[axis]
        bounds = (key.start, key.stop)
        are_constant = all(b is None or isinstance(b, (int, np.integer)) for b in bounds)
        if extent is not None and are_constant and key.step in (None, 1):
            start, stop, _ = key.indices(extent)
            if start < stop:
                return Span(start, stop - start, inside=True)
        return fail(
            f"axis {axis} of {self.name} is {'not constant' if extent is None else extent}:"
            " a slice takes constant parts of constant extents",
            hint="use a span: lw.span(start, extent)",
        )

    def _along(self, key: ArrayKey) -> At:
        if isinstance(key, Span):
            return At(key.start.operand, Key.SPAN, key.extent, key.inside)
        operand = self._start(key)
        return At(operand, Key.VECTOR if operand.shape else Key.NUMBER)

    def _start(self, key: ArrayKey) -> Operand:
        if isinstance(key, Span):
            return key.start.operand
        if not has_operand(key) and (isinstance(key, bool) or not isinstance(key, (int, np.integer))):
            fail(f"{self.name} is indexed by numbers, spans and vectors of places, found {type(key).__name__} {key!r}")
        operand = lifted(given(key), index)
        if operand.dtype.kind not in ("index", "integer"):
            fail(
                f"{self.name} is indexed by integers, found {operand.text}",
                operand.made,
                hint="convert it: x.to(lw.index)",
            )
        return operand if operand.shape else convert(operand, index)

    def _note(self, axis: int, key: ArrayKey, written: bool) -> None:
        """Keeps that an axis of the grid goes along an axis of this array."""
        in_byte = elements_in_byte(self.dtype) if axis == self.ndim - 1 else 1
        if isinstance(key, Span):
            if key.axis is not None:
                trace().uses.append(Use(key.axis, key.extent, self.name, axis, written, in_byte))
        elif isinstance(key, Value) and (along := accesses.grid_axis(key.operand)) is not None:
            trace().uses.append(Use(along, 1, self.name, axis, written, in_byte))


class Shape(Sequence["int | Value"]):
    """The extents of an array, each made when it is asked for."""

    def __init__(self, array: Array) -> None:
        self._array = array

    @overload
    def __getitem__(self, axis: int) -> int | Value: ...
    @overload
    def __getitem__(self, axis: slice) -> Sequence[int | Value]: ...
    def __getitem__(self, axis: int | slice) -> int | Value | Sequence[int | Value]:
        rank = self._array.ndim
        if isinstance(axis, slice):
            return [self._array.extent(d) for d in range(rank)[axis]]
        if not -rank <= axis < rank:
            raise IndexError(f"{self._array.name} has {rank} axes, found {axis}")
        return self._array.extent(axis % rank)

    def __len__(self) -> int:
        return self._array.ndim


class Updates:
    """`A.at[key]`: elements that are updated in one step that nobody else divides.

    The result of an update of a single element is what was there before; there is none of several. A mask says which
    elements of vectors are updated; `inside` promises that all places are in the array.
    """

    __slots__ = ("_array", "_key")

    def __init__(self, array: Array, key: tuple[ArrayKey, ...] = ()) -> None:
        self._array, self._key = array, key

    def __getitem__(self, key: ArrayKey | tuple[ArrayKey, ...]) -> Updates:
        return Updates(self._array, tupled(key))

    def add(self, value: Numeric, *, mask: Value | None = None, inside: bool = False) -> Value:
        return self._array.update("add", self._key, value, mask, inside)

    def max(self, value: Numeric, *, mask: Value | None = None, inside: bool = False) -> Value:
        return self._array.update("max", self._key, value, mask, inside)

    def min(self, value: Numeric, *, mask: Value | None = None, inside: bool = False) -> Value:
        return self._array.update("min", self._key, value, mask, inside)

    def mul(self, value: Numeric, *, mask: Value | None = None, inside: bool = False) -> Value:
        return self._array.update("mul", self._key, value, mask, inside)

    def and_(self, value: Numeric, *, mask: Value | None = None, inside: bool = False) -> Value:
        return self._array.update("and", self._key, value, mask, inside)

    def or_(self, value: Numeric, *, mask: Value | None = None, inside: bool = False) -> Value:
        return self._array.update("or", self._key, value, mask, inside)

    def xor(self, value: Numeric, *, mask: Value | None = None, inside: bool = False) -> Value:
        return self._array.update("xor", self._key, value, mask, inside)

    def apply(self, function: Callable[[Value], Numeric]) -> Value:
        """Puts what a function makes of one element in its place, in one step that no other update divides, and gives
        what was there. The function may be called again where another thread was faster: it only computes."""
        return self._array.apply(self._key, function)

    def exchange(self, value: Numeric) -> Value:
        """Puts a value in the place of one element, and gives what was there."""
        return self._array.update("exchange", self._key, value, None, False)


_NO_OLD_VALUES: Any = Unbound(
    "an update of several elements does not tell what was there before", "one element's does: A.at[n].add(1)"
)
