"""Memrefs while code is written: where a buffer starts, its extents and strides, and addresses of elements.

An element's address is a number of elements that accesses share plus a constant, so that neighbours differ in the
immediate offset of the machine's addressing mode only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ...analysis.near_buffers import NEAR_BYTES as NEAR_BYTES
from ...ir.element_orders import Order
from ...support.dataclasses import dataclass, replace
from ...support.named_tuples import NamedTuple
from . import integers
from .text import Ssa, Writer, integer

Extent: TypeAlias = "int | Ssa"
"""A number of elements, known while compiling or only at run time."""

GLOBAL, SHARED, PRIVATE = 1, 3, 5
"""LLVM's address spaces, the same numbers on both vendors."""
CLUSTER = 7
"""NVPTX's, of the workgroup memory that the threads of a cluster see."""
BUFFER = 7
"""AMDGPU's, of global memory through a resource that says how many bytes count."""


@dataclass(frozen=True, slots=True, eq=False)
class Descriptor:
    """A memref. `base` points to the start of the buffer, `offset` leads to element (0, ..., 0); strides and offset
    count elements of `element_bits`, a power of two, the first of a byte in its lowest bits. `read_only`: the kernel
    never writes the buffer, through any of its names. `near`: every thread has the same `base`, and all elements lie in
    the NEAR_BYTES from there; of a BUFFER that so many bytes count at most, and nothing else is touched."""

    base: Ssa
    space: int
    element_bits: int
    offset: Extent
    sizes: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    read_only: bool = False
    near: bool = False
    is_fat: bool = False
    """Whether its pointers are those of a BUFFER."""
    order: Order | None = None
    """Where elements really lie: `orders.placed` turns an address into that of the element's place."""

    def rebased(self, **changes: object) -> Descriptor:
        return replace(self, **changes)  # type: ignore[arg-type]


class Address(NamedTuple):
    """An element of a memref: `elements`, all `steps` and `bytes` after where the buffer starts. Steps are elements
    too, constant multiples of strides: the rows that one thread touches share all but the last. Where a byte has
    several elements there are no steps, the pointer is that of its byte, and `shift` says where it is there."""

    memref: Descriptor
    elements: Extent
    steps: tuple[Extent, ...]
    bytes: int
    moving: Extent = 0
    """Elements besides, which the innermost loop changes. In an order: those of whole periods, as far on as they lie,
    whatever changes them."""
    counts_up: bool = False
    """Nothing of it is negative, so that no part of an element of a near buffer exceeds the whole."""

    @property
    def space(self) -> int:
        return self.memref.space

    def after(self, w: Writer, count: int) -> Address:
        """So many elements on."""
        bytes, rest = divmod(count * self.memref.element_bits, 8)
        elements = plus(w, self.elements, rest // self.memref.element_bits)
        return self._replace(elements=elements, bytes=self.bytes + bytes)

    def common(self, w: Writer) -> Ssa:
        """The pointer `bytes` before it, which neighbours have in common."""
        bits, place = self.memref.element_bits, self.memref.base
        assert self.memref.order is None, "an address in an order is placed first"
        if bits < 8:
            return w.behind("i8", place, self._whole_bytes(w))
        place = self._move(w, _after(w, place, self.elements, bits))
        for step in self.steps:
            place = _after(w, place, step, bits)
        return place

    def _move(self, w: Writer, place: Ssa) -> Ssa:
        """`moving` elements on. In a near buffer 31 bits number the bytes, of elements that there are."""
        bits = self.memref.element_bits
        if isinstance(self.moving, int) or not (self.memref.near and self.counts_up):
            return _after(w, place, self.moving, bits)
        size = integers.mul(w, integers.low_word(w, self.moving), integer(bits // 8, "i32"))
        return _after(w, place, integers.resize(w, size, "i64", signed=False), 8)

    def own(self, w: Writer) -> Ssa:
        """The address as `common` has it, with a part of its own: in a loop only what it changes is added in it, at the
        price of a pointer that lives as long as the loop."""
        bits, place = self.memref.element_bits, self.memref.base
        if bits < 8 or not all(w.is_shared(ssa(step)) for step in self.steps):
            return self.common(w)
        for distance in (self.elements, *self.steps):
            place = _after(w, place, distance, bits)
        return self._move(w, place)

    def _whole_bytes(self, w: Writer) -> Ssa:
        """Whole bytes of `elements`, where a byte has several."""
        return integers.binary(w, "ashr", ssa(self.elements), integer((8 // self.memref.element_bits).bit_length() - 1))

    def shift(self, w: Writer) -> Ssa:
        """The bits of its byte below the element, i32."""
        bits = self.memref.element_bits
        if bits >= 8:
            return integer(0, "i32")
        number = integers.binary(w, "and", ssa(self.elements), integer(8 // bits - 1))
        return integers.mul(w, integers.resize(w, number, "i32", signed=False), integer(bits, "i32"))

    def pointer(self, w: Writer) -> Ssa:
        if self.memref.is_fat and not self.counts_up:
            return self._whole(w)
        common = self.common(w)
        return w.behind("i8", common, integer(self.bytes)) if self.bytes else common

    def _whole(self, w: Writer) -> Ssa:
        """In a buffer's resource, by one offset that LLVM does not see through: it would take it apart, and the
        hardware compares the parts' sum with the size as if the register's were no negative number."""
        offset, base = self.offset(w), self.memref.base
        if offset.number is None:
            offset = w.pure(f'call i32 asm "", "=v,0"({offset})', "i32")
        return w.behind("i8", base, offset)

    def offset(self, w: Writer) -> Ssa:
        """Bytes from the start of a `near` buffer or of a resource, i32; of an element outside of it, modulo 2^32."""
        assert self.memref.near or self.memref.is_fat
        if self.memref.element_bits < 8:
            return integers.add(
                w, integers.resize(w, self._whole_bytes(w), "i32", signed=True), integer(self.bytes, "i32")
            )
        elements = integer(0, "i32")
        for part in (self.elements, self.moving, *self.steps):
            elements = integers.add(w, elements, integers.resize(w, ssa(part), "i32", signed=True))
        start = integers.mul(w, elements, integer(self.memref.element_bits // 8, "i32"))
        return integers.add(w, start, integer(self.bytes, "i32"))


def _after(w: Writer, place: Ssa, distance: Extent, bits: int) -> Ssa:
    """So many elements on."""
    if distance == 0:
        return place
    return w.behind(f"[{bits // 8} x i8]", place, ssa(distance))


def pointer_type(space: int) -> str:
    return f"ptr addrspace({space})"


def ssa(extent: Extent) -> Ssa:
    return integer(extent) if isinstance(extent, int) else extent


def plus(w: Writer, a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return _extent(ssa(b if a == 0 else a))
    return _extent(integers.add(w, ssa(a), ssa(b)))


def times(w: Writer, a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1 or b == 1:
        return _extent(ssa(b if a == 1 else a))
    return _extent(integers.mul(w, ssa(a), ssa(b)))


def _extent(value: Ssa) -> Extent:
    return value if value.number is None else value.number


def row_major(w: Writer, sizes: Sequence[Extent]) -> tuple[Extent, ...]:
    """Strides of a contiguous buffer."""
    strides: list[Extent] = []
    step: Extent = 1
    for size in reversed(sizes):
        strides.append(step)
        step = times(w, step, size)
    return tuple(reversed(strides))


def address(w: Writer, memref: Descriptor, indices: Sequence[Ssa]) -> Address:
    """Where the element at `indices` lies."""
    if memref.order is not None:
        return _in_order(w, memref, memref.order, indices)
    variable: Extent = 0
    steps: list[Extent] = []
    constant = 0
    offset = [] if memref.offset == 0 else [(ssa(memref.offset), 1)]
    for index, stride in [*zip(indices, memref.strides, strict=True), *offset]:
        base, number = integers.split_constant(w, index)
        variable = plus(w, variable, times(w, _extent(base), stride))
        if isinstance(stride, int):
            constant += number * stride
        else:
            steps += [times(w, part, stride) for part in _binary(number)]
    bytes, rest = divmod(constant * memref.element_bits, 8)
    if memref.element_bits >= 8:
        moving, fixed = integers.split_moving(w, ssa(variable))
        counts_up = all(w.limit(ssa(part)) is not None for part in (variable, *steps)) and bytes >= 0
        return Address(memref, _extent(fixed), tuple(steps), bytes, _extent(moving), counts_up)
    for step in (rest // memref.element_bits, *steps):
        variable = plus(w, variable, step)
    return Address(memref, variable, (), bytes)


def _in_order(w: Writer, memref: Descriptor, order: Order, indices: Sequence[Ssa]) -> Address:
    """The address in a static buffer of whole bytes that has an order. Indices of whole periods, as a ring's slot
    is, stay apart: what is mixed is then the same in all of them."""
    before, after = order.period
    variable, apart, constant = memref.offset, _extent(integer(0)), 0
    for index, stride in zip(indices, memref.strides, strict=True):
        assert isinstance(stride, int)
        base, number = integers.split_constant(w, index)
        constant += number * stride
        if stride % before:
            variable = plus(w, variable, times(w, _extent(base), stride))
        else:
            apart = plus(w, apart, times(w, _extent(base), stride // before * after))
    return Address(memref, variable, (), constant * memref.element_bits // 8, apart)


def _binary(number: int) -> list[int]:
    """Powers of two whose sum it is, the largest first: neighbours of it have the same first ones."""
    if number < 0:
        return [number]
    return [1 << bit for bit in reversed(range(number.bit_length())) if number >> bit & 1]
