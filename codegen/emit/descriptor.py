"""Memrefs while code is written: where a buffer starts, its extents and strides, and addresses of elements.

An element's address is a number of elements that accesses share plus a constant, so that neighbours differ in the
immediate offset of the machine's addressing mode only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from . import integers
from .text import Ssa, Writer, integer

Extent: TypeAlias = "int | Ssa"
"""A number of elements, known while compiling or only at run time."""

GLOBAL, SHARED = 1, 3
"""LLVM's address spaces, the same numbers on both vendors."""
NEAR_BYTES = 1 << 31
"""A buffer that ends within so many bytes after its pointer, and does not begin before it, is near: 31 bits number its
bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Descriptor:
    """A memref. `base` points to the start of the buffer, `offset` leads to element (0, ..., 0); strides and offset
    count elements of `element_bytes`. `read_only`: the kernel never writes the buffer, through any
    of its names. `near`: every thread has the same `base`, and all elements lie in the NEAR_BYTES from there."""

    base: Ssa
    space: int
    element_bytes: int
    offset: Extent
    sizes: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    read_only: bool = False
    near: bool = False

    def rebased(self, **changes: object) -> Descriptor:
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Address:
    """An element of a memref: `elements`, all `steps` and `bytes` after where the buffer starts. Steps are elements
    too, constant multiples of strides: the rows that one thread touches share all but the last."""

    memref: Descriptor
    elements: Extent
    steps: tuple[Extent, ...]
    bytes: int

    @property
    def space(self) -> int:
        return self.memref.space

    def after(self, bytes: int) -> Address:
        return dataclasses.replace(self, bytes=self.bytes + bytes)

    def common(self, w: Writer) -> Ssa:
        """The pointer `bytes` before it, which neighbours have in common."""
        step, place = f"[{self.memref.element_bytes} x i8]", self.memref.base
        for distance in (self.elements, *self.steps):
            if distance != 0:
                place = w.pure(f"getelementptr {step}, {place}, {ssa(distance)}", place.type)
        return place

    def pointer(self, w: Writer) -> Ssa:
        common = self.common(w)
        return w.pure(f"getelementptr i8, {common}, i64 {self.bytes}", common.type) if self.bytes else common

    def offset(self, w: Writer) -> Ssa:
        """Bytes from the start of a `near` buffer, i32; of an element outside the buffer, modulo 2^32."""
        assert self.memref.near
        elements = integer(0, "i32")
        for part in (self.elements, *self.steps):
            elements = integers.add(w, elements, integers.resize(w, ssa(part), "i32", signed=True))
        start = integers.mul(w, elements, integer(self.memref.element_bytes, "i32"))
        return integers.add(w, start, integer(self.bytes, "i32"))


def pointer_type(space: int) -> str:
    return f"ptr addrspace({space})"


def ssa(extent: Extent) -> Ssa:
    return integer(extent) if isinstance(extent, int) else extent


def plus(w: Writer, a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return _extent(integers.add(w, ssa(a), ssa(b)))


def times(w: Writer, a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
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
    variable: Extent = 0
    steps: list[Extent] = []
    constant = 0
    for index, stride in [*zip(indices, memref.strides, strict=True), (ssa(memref.offset), 1)]:
        base, number = integers.split_constant(w, index)
        variable = plus(w, variable, times(w, _extent(base), stride))
        if isinstance(stride, int):
            constant += number * stride
        else:
            steps += [times(w, part, stride) for part in _binary(number)]
    return Address(memref, variable, tuple(steps), constant * memref.element_bytes)


def _binary(number: int) -> list[int]:
    """Powers of two whose sum it is, the largest first: neighbours of it have the same first ones."""
    if number < 0:
        return [number]
    return [1 << bit for bit in reversed(range(number.bit_length())) if number >> bit & 1]
