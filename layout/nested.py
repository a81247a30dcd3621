"""`NestedLayout`: which thread holds which element of a vector, and in which of its registers.

A vector dimension is cut into five nested levels, slowest first: subgroups, batches, outers, threads, elements
(IREE's `#iree_vector_ext.nested_layout`; the level inside a level counts faster). Two levels are spread over the flat
workgroup thread id `t`, the other three are registers of one thread:

    vsg = (t // (subgroup_size * subgroup_stride)) % subgroup_tile
    vt  = (t // thread_stride) % thread_tile
    x   = ((((w * S + vsg) * B + b) * O + o) * T + vt) * E + e

`w` is 0 unless the layout wraps (see `wrapped`). Registers are numbered row-major over (w*B + b) of every dimension,
then o of every dimension, then e of every dimension. A layout is a value: frozen, hashable, compared by its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from math import lcm, prod
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from ..support.dataclasses import dataclass, field
from . import checking
from .dimension import Digit, Dimension, IntArray, LayoutError, Level, Owner, Owners, regroup

if TYPE_CHECKING:
    from ..ir.dialects.iree_vector_ext import NestedLayoutAttr

__all__ = ["Digit", "Dimension", "IntArray", "LayoutError", "Level", "NestedLayout", "Owner", "Owners", "combine"]

# Above these a layout is a mistake, and its maps would not fit in memory.
_MOST_REGISTERS = 1 << 22
_MOST_ELEMENTS_LISTED = 1 << 28
_MOST_THREADS = 1 << 20

_TEXT_FIELDS = (
    "subgroup_tile",
    "batch_tile",
    "outer_tile",
    "thread_tile",
    "element_tile",
    "subgroup_strides",
    "thread_strides",
)


@dataclass(frozen=True, slots=True)
class NestedLayout:
    """The distribution of a vector; all fields have one entry per dimension, `()` for rank 0.

    Strides become 0 where their tile is 1, so that equal distributions compare equal. `wrap_tile` (ones unless the
    layout came from `wrapped`) is no part of the text form. LayoutError for sizes below 1, negative strides, and
    fields of different lengths; what depends on the vector or the workgroup is for `check`.
    """

    subgroup_tile: tuple[int, ...]
    batch_tile: tuple[int, ...]
    outer_tile: tuple[int, ...]
    thread_tile: tuple[int, ...]
    element_tile: tuple[int, ...]
    subgroup_strides: tuple[int, ...]
    thread_strides: tuple[int, ...]
    wrap_tile: tuple[int, ...] = ()
    dimensions: tuple[Dimension, ...] = field(init=False, repr=False, compare=False)
    """All that the layout says about each dimension."""
    batches: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Batches of one thread per dimension, those of the wrap level included (the slower index)."""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rank = len(_integers("subgroup_tile", self.subgroup_tile))
        for name in (*_TEXT_FIELDS, "wrap_tile"):
            given: Iterable[int] = getattr(self, name) or ((1,) * rank if name == "wrap_tile" else ())
            object.__setattr__(self, name, _checked(name, given, rank))
        for level in ("subgroup", "thread"):
            tiles, strides = getattr(self, f"{level}_tile"), getattr(self, f"{level}_strides")
            normal = tuple(stride if tile > 1 else 0 for tile, stride in zip(tiles, strides, strict=True))
            object.__setattr__(self, f"{level}_strides", normal)
        columns = (
            self.wrap_tile,
            self.subgroup_tile,
            self.batch_tile,
            self.outer_tile,
            self.thread_tile,
            self.element_tile,
            self.subgroup_strides,
            self.thread_strides,
        )
        object.__setattr__(self, "dimensions", tuple(map(Dimension, *columns)))
        batches = tuple([wrap * batch for wrap, batch in zip(self.wrap_tile, self.batch_tile, strict=True)])
        object.__setattr__(self, "batches", batches)
        object.__setattr__(self, "_hash", hash(columns))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        assert isinstance(other, NestedLayout)
        return self._hash == other._hash and self.dimensions == other.dimensions

    @classmethod
    def of_fragment(
        cls, outer: Sequence[int], thread: Sequence[int], thread_strides: Sequence[int], element: Sequence[int]
    ) -> NestedLayout:
        """The layout of one matrix fragment: one subgroup, one batch."""
        ones = (1,) * len(outer)
        return cls(ones, ones, tuple(outer), tuple(thread), tuple(element), (0,) * len(outer), tuple(thread_strides))

    @classmethod
    def of_dimensions(cls, dimensions: Iterable[Dimension]) -> NestedLayout:
        """The inverse of asking for every `dimension(i)`."""
        return _of_dimensions(tuple(dimensions))

    @classmethod
    def of_attribute(cls, attribute: NestedLayoutAttr) -> NestedLayout:
        """The layout that an attribute of a program says."""
        return cls(*(attribute.field(name) for name in _TEXT_FIELDS))

    @property
    def attribute(self) -> NestedLayoutAttr:
        """The attribute that says this; nothing in a program says that a layout wraps."""
        from ..ir.dialects.iree_vector_ext import NestedLayoutAttr  # a layout in Python needs no dialect

        return NestedLayoutAttr(*(getattr(self, name) for name in _TEXT_FIELDS))

    def dimension(self, dim: int) -> Dimension:
        """All that the layout says about one dimension."""
        return self.dimensions[dim]

    def __str__(self) -> str:
        body = ", ".join(f"{name} = [{', '.join(map(str, getattr(self, name)))}]" for name in _TEXT_FIELDS)
        return f"<{body}>"

    def _repr_svg_(self) -> str:
        """Its drawing, in notebooks: on subgroups of 32, or of 64 where its thread level has more than 32."""
        from .draw import describe  # who does not draw has no need of these
        from .owner_map import OwnerMap
        from .owner_svg import owner_svg

        lanes = 1 + sum((part.thread - 1) * part.thread_stride for part in self.dimensions)
        size = 64 if 32 < lanes <= 64 else 32
        return owner_svg(OwnerMap.of_layout(self, size), describe(self, size))

    # Shapes

    @property
    def rank(self) -> int:
        return len(self.subgroup_tile)

    @property
    def shape(self) -> tuple[int, ...]:
        """The undistributed vector's shape."""
        return tuple(dimension.size for dimension in self.dimensions)

    @property
    def distributed_shape(self) -> tuple[int, ...]:
        """What one thread holds: batches ++ outer_tile ++ element_tile, 3 * rank entries."""
        return self.batches + self.outer_tile + self.element_tile

    @property
    def packed_shape(self) -> tuple[int, ...]:
        """The vector cut into its levels: subgroup ++ batch ++ outer ++ thread ++ element, wrap first if any."""
        wrap = self.wrap_tile if any(size > 1 for size in self.wrap_tile) else ()
        return wrap + self.subgroup_tile + self.batch_tile + self.outer_tile + self.thread_tile + self.element_tile

    @property
    def thread_shape(self) -> tuple[int, ...]:
        """Elements of one thread along each dimension: wrap * batch * outer * element."""
        return tuple(b * o * e for b, o, e in zip(self.batches, self.outer_tile, self.element_tile, strict=True))

    @property
    def registers(self) -> int:
        """Elements one thread holds."""
        return prod(self.distributed_shape)

    @property
    def is_held(self) -> bool:
        """Whether threads have the elements in registers; else they stay in memory (`shared_operands.py`)."""
        return True

    @property
    def threads_used(self) -> int:
        """Threads that hold different elements: the product of the subgroup and thread tiles."""
        return prod(self.subgroup_tile) * prod(self.thread_tile)

    def thread_extent(self, subgroup_size: int) -> int:
        """Threads of the smallest workgroup in which every element has an owner."""
        return 1 + sum((digit.size - 1) * digit.stride for digit in self.thread_digits(subgroup_size))

    # Validity

    def problems(
        self,
        *,
        shape: Sequence[int] | None = None,
        threads: int | None = None,
        subgroup_size: int | None = None,
    ) -> list[str]:
        """All that is wrong with the layout for a vector shape and a workgroup, one message each; [] if nothing.

        What is not given is not checked; the thread and the subgroup level are compared only if `subgroup_size` is.
        """
        return checking.problems(self, shape, threads, subgroup_size)

    def check(
        self,
        *,
        shape: Sequence[int] | None = None,
        threads: int | None = None,
        subgroup_size: int | None = None,
    ) -> None:
        """Raise one LayoutError with all `problems`."""
        if found := self.problems(shape=shape, threads=threads, subgroup_size=subgroup_size):
            raise LayoutError(f"layout {self}: " + "; ".join(found))

    def thread_digits(self, subgroup_size: int) -> tuple[Digit, ...]:
        """The digits of the flat workgroup thread id that the dimensions decode: thread level, then subgroup level.

        LayoutError if a tile has no stride.
        """
        _positive("subgroup_size", subgroup_size)
        if missing := checking.stride_problems(self):
            raise LayoutError(f"layout {self}: " + "; ".join(missing))
        return (
            *checking.level_digits(self, Level.THREAD, 1),
            *checking.level_digits(self, Level.SUBGROUP, subgroup_size),
        )

    def unused_digits(self, threads: int, subgroup_size: int) -> list[tuple[int, int]]:
        """(size, stride) of the thread id's digits that no dimension decodes, lowest stride first.

        Threads that differ only in these hold the same elements. The elected writer has them all 0: that elects one
        owner of every element, also where the last digit is cut off by the end of the workgroup. LayoutError if the
        digits of the dimensions do not nest into one mixed-radix number.
        """
        _positive("threads", threads)
        return checking.unused(self.thread_digits(subgroup_size), threads)

    # Where elements are

    def indices(self, threads: int, subgroup_size: int) -> tuple[IntArray, IntArray]:
        """The subgroup index and the thread index of every thread in every dimension, each [threads, rank]."""
        _positive("threads", threads)
        _positive("subgroup_size", subgroup_size)
        ids = np.arange(threads, dtype=np.int64)[:, None]
        return (
            _decode(ids // subgroup_size, self.subgroup_tile, self.subgroup_strides),
            _decode(ids, self.thread_tile, self.thread_strides),
        )

    def thread_offsets(self, threads: int, subgroup_size: int) -> IntArray:
        """Coordinate of register 0 of every thread, [threads, rank]."""
        subgroup, thread = self.indices(threads, subgroup_size)
        return subgroup * self.weights(Level.SUBGROUP) + thread * self.weights(Level.THREAD)

    def register_offsets(self) -> IntArray:
        """Coordinate of every register relative to register 0 of the same thread, [registers, rank]."""
        if self.registers > _MOST_REGISTERS:
            raise LayoutError(f"one thread would hold {self.registers} elements: more than any register file")
        return _register_offsets(self)

    def coordinates(self, threads: int, subgroup_size: int) -> IntArray:
        """Coordinate of every register of every thread, [threads, registers, rank].

        The bare decoding: an element that no thread of this workgroup decodes does not appear (see `check`).
        """
        if threads * self.registers * max(self.rank, 1) > _MOST_ELEMENTS_LISTED:
            raise LayoutError(f"{threads} threads of {self.registers} elements are too many to list")
        return self.thread_offsets(threads, subgroup_size)[:, None, :] + self.register_offsets()[None, :, :]

    def coordinate(self, thread: int, register: int | Sequence[int], subgroup_size: int) -> tuple[int, ...]:
        """Coordinate of one register: a number, or an index into `distributed_shape`."""
        if _integer("the thread", thread) < 0:
            raise LayoutError(f"thread ids count from 0, found {thread}")
        _positive("subgroup_size", subgroup_size)
        place = self._register_index(register)
        result: list[int] = []
        for dim, part in enumerate(self.dimensions):
            batches, outer, element = place[dim :: self.rank]
            wrap, batch = divmod(batches, part.batch)
            vsg = thread // subgroup_size // part.subgroup_stride % part.subgroup if part.subgroup_stride else 0
            vt = thread // part.thread_stride % part.thread if part.thread_stride else 0
            digits = (wrap, vsg, batch, outer, vt, element)
            result.append(sum(digit * part.weight(level) for digit, level in zip(digits, Level, strict=True)))
        return tuple(result)

    def split(self, coordinates: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Where elements [..., rank] are: register [...], subgroup index [..., rank], thread index [..., rank]."""
        register = np.zeros(coordinates.shape[:-1], np.int64)
        subgroup, thread = np.zeros_like(coordinates), np.zeros_like(coordinates)
        steps = _row_major(self.distributed_shape)
        for dim, part in enumerate(self.dimensions):  # by single numbers, by which numpy divides many times as fast
            rest, element = _divided(coordinates[..., dim], part.element)
            rest, thread[..., dim] = _divided(rest, part.thread)
            rest, outer = _divided(rest, part.outer)
            rest, batch = _divided(rest, part.batch)
            wrap, subgroup[..., dim] = _divided(rest, part.subgroup)
            places = (wrap * part.batch + batch, outer, element)
            register += sum(place * step for place, step in zip(places, steps[dim :: self.rank], strict=True))
        return register, subgroup, thread

    def elected(self, coordinates: IntArray, subgroup_size: int) -> Owners:
        """The owners [...] of elements [..., rank] whose unused digits are all 0."""
        register, subgroup, thread = self.split(coordinates)
        steps = np.array(self.thread_strides, np.int64), np.array(self.subgroup_strides, np.int64) * subgroup_size
        return Owners(thread @ steps[0] + subgroup @ steps[1], register)

    def owners(self, coordinate: Sequence[int], threads: int, subgroup_size: int) -> list[Owner]:
        """Everyone who holds the element, by thread; LayoutError outside the vector."""
        if len(_integers("the element's coordinate", coordinate)) != self.rank or any(
            not 0 <= x < size for x, size in zip(coordinate, self.shape, strict=True)
        ):
            raise LayoutError(f"element {tuple(coordinate)} is not in a vector of shape {self.shape}")
        register, *wanted = self.split(np.array(coordinate, np.int64))
        held = self.indices(threads, subgroup_size)
        match = np.logical_and(*((have == want).all(axis=1) for have, want in zip(held, wanted, strict=True)))
        return [Owner(int(thread), int(register)) for thread in np.flatnonzero(match)]

    def replication(self, threads: int, subgroup_size: int) -> int:
        """Owners of an element; of the most often held one where the workgroup's end cuts the last replicas off."""
        keys = np.zeros(threads, np.int64)
        for digit in self.thread_digits(subgroup_size):
            keys = keys * digit.size + np.arange(threads) // digit.stride % digit.size
        return int(np.unique(keys, return_counts=True)[1].max())

    # Other views of the same distribution

    def permute(self, permutation: Sequence[int]) -> NestedLayout:
        """Dimension i of the result is dimension `permutation[i]` of this layout."""
        if sorted(permutation) != list(range(self.rank)):
            raise LayoutError(f"{tuple(permutation)} is not a permutation of {self.rank} dimensions")
        return NestedLayout.of_dimensions(self.dimension(dim) for dim in permutation)

    def project(self, dropped: Iterable[int]) -> NestedLayout:
        """Without the dropped dimensions: threads along them hold replicas."""
        gone = {self._existing(dim) for dim in dropped}
        return NestedLayout.of_dimensions(part for dim, part in enumerate(self.dimensions) if dim not in gone)

    def apply(self, results: Sequence[int | None]) -> NestedLayout:
        """The layout under a projected permutation map: result i takes dimension `results[i]`, None is a unit one."""
        taken = [self._existing(dim) for dim in results if dim is not None]
        if len(set(taken)) < len(taken):
            raise LayoutError(
                f"{tuple(results)} takes a dimension twice: its elements would have no thread of their own"
            )
        return NestedLayout.of_dimensions(Dimension() if dim is None else self.dimension(dim) for dim in results)

    def reshape(self, shape: Sequence[int]) -> NestedLayout:
        """The same distribution of the row-major reshaped vector.

        Every thread holds the same elements as before; `register_map` says how they are renumbered. LayoutError where
        no nested layout does that.
        """
        if prod(shape) != prod(self.shape) or any(size < 1 for size in shape):
            raise LayoutError(f"cannot reshape {self.shape} to {tuple(shape)}: the numbers of elements differ")
        self.check()
        result = NestedLayout.of_dimensions(regroup(self.dimensions, shape))
        self.register_map(result)
        return result

    def register_map(
        self, other: NestedLayout, threads: int | None = None, subgroup_size: int | None = None
    ) -> tuple[int, ...]:
        """For every register of `other`, the register of this layout with the same row-major element of its vector.

        Compares the full maps of both, for the given workgroup or for one in which all id digits are distinct.
        LayoutError, with an element, if some thread does not hold the same elements in both.
        """
        subgroup_size = subgroup_size or _common_extent(
            part.thread * part.thread_stride for layout in (self, other) for part in layout.dimensions
        )
        threads = threads or subgroup_size * _common_extent(
            part.subgroup * part.subgroup_stride for layout in (self, other) for part in layout.dimensions
        )
        (base, mine), (other_base, theirs) = (layout._linear(threads, subgroup_size) for layout in (self, other))
        # Both sums start at 0, so the threads' sets of elements agree iff both parts do.
        if differ := np.flatnonzero(base != other_base).tolist():
            thread = differ[0]
            raise LayoutError(
                f"thread {thread} starts at element {base[thread]} in {self} and at {other_base[thread]} in {other}"
            )
        order = np.argsort(mine)
        if not np.array_equal(mine[order], np.sort(theirs)):
            odd = sorted(set(mine.tolist()) ^ set(theirs.tolist()))[0]
            raise LayoutError(f"thread 0 holds element {odd} in only one of {self} and {other}")
        return tuple(int(register) for register in order[np.searchsorted(mine[order], theirs)])

    def wrapped(self, num_subgroups: int) -> NestedLayout:
        """This layout on a workgroup of `num_subgroups`: subgroup x is `x mod num_subgroups`.

        Where the subgroup level names more subgroups than there are, the part of its digits that does not fit becomes
        registers, slower than the batches. LayoutError where the numbers are not multiples of each other.
        """
        _positive("num_subgroups", num_subgroups)
        virtual = prod(self.subgroup_tile)
        if virtual > num_subgroups and virtual % num_subgroups:
            raise LayoutError(f"{virtual} subgroups do not wrap onto {num_subgroups}: not a multiple")
        parts: list[Dimension] = []
        for dim, part in enumerate(self.dimensions):
            try:
                parts.append(part.wrapped(num_subgroups))
            except LayoutError as error:
                raise LayoutError(f"dimension {dim}: {error}") from None
        return self if tuple(parts) == self.dimensions else NestedLayout.of_dimensions(parts)

    # Parts

    def _existing(self, dim: int) -> int:
        if not 0 <= dim < self.rank:
            raise LayoutError(f"there is no dimension {dim} in a layout of {self.rank} dimensions")
        return dim

    def weights(self, level: Level) -> IntArray:
        return np.array([part.weight(level) for part in self.dimensions], np.int64)

    def _linear(self, threads: int, subgroup_size: int) -> tuple[IntArray, IntArray]:
        """Row-major element of register 0 of every thread, and of every register relative to it."""
        steps = np.array(_row_major(self.shape), np.int64)
        return self.thread_offsets(threads, subgroup_size) @ steps, self.register_offsets() @ steps

    def _register_index(self, register: int | Sequence[int]) -> tuple[int, ...]:
        """A register as an index into `distributed_shape`."""
        shape = self.distributed_shape
        if not isinstance(register, Sequence):
            if not 0 <= _integer("the register", register) < self.registers:
                raise LayoutError(f"there is no register {register}: a thread holds {self.registers}")
            return tuple(register // step % size for step, size in zip(_row_major(shape), shape, strict=True))
        place = tuple(register)
        if len(place) != len(shape) or any(not 0 <= at < size for at, size in zip(place, shape, strict=True)):
            raise LayoutError(f"register {place} is not in the distributed shape {shape}")
        return place


@lru_cache(maxsize=1 << 7)
def _register_offsets(layout: NestedLayout) -> IntArray:
    """The offsets that the method of this name gives; not to be written to."""
    places = np.indices(layout.distributed_shape, dtype=np.int64).reshape(3, layout.rank, layout.registers)
    batches, outer, element = places.transpose(0, 2, 1)
    wrap, batch = np.divmod(batches, np.array(layout.batch_tile, np.int64))
    levels = ((Level.WRAP, wrap), (Level.BATCH, batch), (Level.OUTER, outer))
    offsets: IntArray = element + sum(digits * layout.weights(level) for level, digits in levels)
    offsets.flags.writeable = False
    return offsets


@lru_cache(maxsize=1 << 12)
def _of_dimensions(dimensions: tuple[Dimension, ...]) -> NestedLayout:
    columns = list(zip(*dimensions, strict=True)) or [()] * 8
    wrap, subgroup, batch, outer, thread, element, subgroup_strides, thread_strides = columns
    return NestedLayout(subgroup, batch, outer, thread, element, subgroup_strides, thread_strides, wrap)


def combine(
    rank: int,
    operands: Sequence[tuple[NestedLayout, Sequence[int | None]]],
    names: Sequence[str] = (),
) -> NestedLayout:
    """The layout of an iteration space of `rank` dimensions from its operands'.

    An operand is its layout and, per dimension of it, the iteration dimension it runs along (None: a constant).
    Operands that share an iteration dimension must agree on it; LayoutError otherwise, and where none carries one.
    """
    found: dict[int, tuple[Dimension, str]] = {}
    for place, (layout, results) in enumerate(operands):
        name = names[place] if names else f"operand {place}"
        if len(results) != layout.rank:
            raise LayoutError(f"{name}: the map has {len(results)} results, the layout {layout.rank} dimensions")
        for dim, part in zip(results, layout.dimensions, strict=True):
            if dim is None:
                continue
            if not 0 <= dim < rank:
                raise LayoutError(f"{name}: the map names dimension {dim} of {rank} iteration dimensions")
            held, holder = found.setdefault(dim, (part, name))
            if held != part:
                raise LayoutError(
                    f"iteration dimension {dim}: {holder} has {_described(held)}, {name} has {_described(part)}"
                )
    if missing := [dim for dim in range(rank) if dim not in found]:
        raise LayoutError(f"no operand carries iteration dimension {missing[0]}: its layout is unknown")
    return NestedLayout.of_dimensions(found[dim][0] for dim in range(rank))


def _described(part: Dimension) -> str:
    return ", ".join(f"{name} {value}" for name, value in part._asdict().items() if name != "wrap" or value > 1)


def _checked(name: str, values: Iterable[int], rank: int) -> tuple[int, ...]:
    """The field as a tuple of Python integers; LayoutError names field, dimension and value."""
    result = _integers(name, values)
    if len(result) != rank:
        raise LayoutError(f"{name} has {len(result)} entries, subgroup_tile has {rank}")
    least, what = (0, "non-negative stride") if name.endswith("strides") else (1, "positive size")
    for dim, value in enumerate(result):
        if value < least:
            raise LayoutError(f"{name} of dimension {dim} is {value}, expected a {what}")
    return result


def _integers(name: str, values: Iterable[int]) -> tuple[int, ...]:
    try:
        return tuple(index(value) for value in values)
    except TypeError:
        raise LayoutError(f"{name} is {values!r}, expected integers, one for each dimension") from None


def _integer(name: str, value: int) -> int:
    try:
        return index(value)
    except TypeError:
        raise LayoutError(f"{name} is {value!r}, expected an integer") from None


def _positive(name: str, value: int) -> None:
    if _integer(name, value) < 1:
        raise LayoutError(f"{name} is {value}, expected a positive number")


def _divided(numbers: IntArray, by: int) -> tuple[IntArray, IntArray | int]:
    """The quotients and the remainders."""
    if by == 1:
        return numbers, 0
    quotients = numbers // by
    return quotients, numbers - quotients * by


def _decode(ids: IntArray, tiles: Sequence[int], strides: Sequence[int]) -> IntArray:
    """ids [n, 1] to indices [n, rank]; a stride of 0 decodes to 0."""
    sizes = [tile if stride else 1 for tile, stride in zip(tiles, strides, strict=True)]
    return ids // np.array([stride or 1 for stride in strides], np.int64) % np.array(sizes, np.int64)


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))


def _common_extent(extents: Iterable[int]) -> int:
    extent = reduce(lcm, (extent for extent in extents if extent), 1)
    if extent > _MOST_THREADS:
        raise LayoutError(f"the id digits repeat after {extent} ids: more than any workgroup has")
    return extent
