"""The ways to bring a vector from one layout to another, as data: `Nothing`, `Rename`, `Shuffle`, `SharedMemory`.

A plan says all that code generation and an interpreter need, what it costs, and why the alternatives lost.
"""

from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import overload

import numpy as np

from .nested import IntArray, NestedLayout

_CYCLES = {"shuffles": 2, "selects": 1, "stores": 1, "loads": 1, "wavefronts": 2, "barriers": 16}


@dataclass(frozen=True, slots=True)
class Cost:
    """What one thread executes, and `wavefronts` of shared memory that its subgroup takes.

    `bytes` is what one thread sends or stores plus what it receives or loads.
    """

    shuffles: int = 0
    selects: int = 0
    stores: int = 0
    loads: int = 0
    barriers: int = 0
    wavefronts: int = 0
    bytes: int = 0

    @property
    def instructions(self) -> int:
        return self.shuffles + self.selects + self.stores + self.loads + self.barriers

    @property
    def cycles(self) -> int:
        """A relative weight for choosing: a shuffle takes the shared memory pipe like a load, a barrier waits."""
        return sum(getattr(self, name) * weight for name, weight in _CYCLES.items())

    def __str__(self) -> str:
        parts = [f"{getattr(self, name)} {name}" for name in ("shuffles", "selects", "stores", "loads", "barriers")]
        return " + ".join(part for part in parts if not part.startswith("0 ")) or "nothing"


@dataclass(frozen=True, slots=True)
class Nothing:
    """Both layouts give every thread the same elements in the same registers."""

    reason: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Rename:
    """Target register r of every thread is its own source register `registers[r]`."""

    registers: tuple[int, ...]
    reason: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Target register r comes from one of the source registers `candidates[r]` (sorted) of a lane of the own subgroup.

    The source thread is the own id with the source's digits replaced by the wanted ones, thread + sum((wanted - own) *
    stride), so that replicas read within their group. Where a register has several candidates, every lane selects.
    `local[r]`: all lanes find it in their own registers, nothing is shuffled.
    """

    candidates: tuple[tuple[int, ...], ...]
    local: tuple[bool, ...] = ()
    reason: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Swizzle:
    """Exclusive-or of `bits` bits of an element offset: bits from base + shift up are added to those from base up.

    Its own inverse since shift >= bits; it moves elements within blocks of 2**(base + bits) only, and keeps runs of
    2**base elements together.
    """

    bits: int
    base: int
    shift: int

    @overload
    def apply(self, offset: int) -> int: ...
    @overload
    def apply(self, offset: IntArray) -> IntArray: ...
    def apply(self, offset: int | IntArray) -> int | IntArray:
        mask = (1 << self.bits) - 1
        return offset ^ (((offset >> (self.base + self.shift)) & mask) << self.base)


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Every element is stored to a buffer, the workgroup meets, and every thread loads its target registers.

    Element x is at `swizzle(sum(x[d] * strides[d]))` elements from the start, of `elements` in all (`bytes`). A thread
    stores `write_vector` registers at a time, neighbours along `write_dim` (the dimension of stride 1), and loads
    `read_vector` at a time; `vector_groups` lists the registers. Vectors are aligned to their size if the buffer is to
    16 bytes. Replicas store the same value to the same place, so electing one writer is allowed, not needed. One
    barrier stands before the stores (the previous use of the buffer), one between stores and loads. `conflicts` are the
    wavefronts of the whole workgroup beyond what spread accesses would take, (writing, reading).
    """

    strides: tuple[int, ...]
    swizzle: Swizzle | None
    elements: int
    write_vector: int
    read_vector: int
    write_dim: int
    read_dim: int
    conflicts: tuple[int, int]
    bytes: int
    reason: str = ""
    cost: Cost = field(default_factory=Cost)

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Element offsets in the buffer of elements [..., rank]."""
        linear = coordinates @ np.array(self.strides, np.int64)
        return self.swizzle.apply(linear) if self.swizzle else linear


Plan = Nothing | Rename | Shuffle | SharedMemory


def vector_groups(layout: NestedLayout, dim: int, vector: int) -> tuple[tuple[int, ...], ...]:
    """The registers of one thread in groups of `vector` neighbours along the element tile of `dim`.

    `vector` divides that tile. Groups are ordered by their first register.
    """
    if layout.rank == 0:
        return ((0,),)
    axis = 2 * layout.rank + dim
    shape = layout.distributed_shape
    step = prod(shape[axis + 1 :])
    starts = (register for register, place in enumerate(product(*map(range, shape))) if place[axis] % vector == 0)
    return tuple(tuple(start + offset * step for offset in range(vector)) for start in starts)
