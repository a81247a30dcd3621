"""One form of wgmma: where its operands lie, and what it computes, for all warpgroups of a batch at once.

Which lane holds which element is what `targets` says. Where elements lie in shared memory follows closed formulas of
the PTX ISA ("Asynchronous warpgroup level matrix instructions"), which share nothing with the code generator's tables.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple
from ...targets.fragment import Placement, placement
from ...targets.nvidia_fragments import LANES as WARP
from ...targets.nvidia_fragments import WARPGROUP, mma_a, wgmma_accumulator
from ..floats import F4
from ..unit_sums import UnitSum, whole
from .tensor_cores import ACCUMULATE, ACCUMULATOR_CODES, UNPACK, dimensions

Array = npt.NDArray[Any]

ROWS, LANES = 64, WARP * WARPGROUP
_CORE = 16
"""Bytes of a row of a core matrix, of which there are eight."""
_LEGAL: tuple[tuple[tuple[str, ...], int, tuple[str, ...]], ...] = (
    (("f16",), 16, ("f16", "f32")),
    (("bf16",), 16, ("f32",)),
    (("tf32",), 8, ("f32",)),
    (("e4m3", "e5m2"), 32, ("f16", "f32")),
    (("s8", "u8"), 32, ("s32",)),
)
"""Types of A and B (any pair of a group), K, and the types of D."""
_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "e5m2": 1, "s8": 1, "u8": 1}
_SWIZZLES = {0: 16, 1: 128, 2: 64, 3: 32}
"""By the descriptor's mode: the bytes of a row."""


class Descriptor(NamedTuple):
    """Fields of a matrix descriptor, in bytes; `start` is of each warpgroup."""

    start: Array
    leading: int
    stride: int
    mode: int

    @classmethod
    def read(cls, bits: Array) -> Descriptor | None:
        """The descriptor that 64-bit words say, one a warpgroup; None where they differ in more than where they start,
        or say what is not emulated."""
        rest = np.unique(bits >> np.uint64(16))
        if rest.size != 1:
            return None
        fields = int(rest[0])
        if fields >> 33 & 7:
            return None
        leading, stride, mode = fields & 0x3FFF, fields >> 16 & 0x3FFF, fields >> 46 & 3
        return cls((bits & np.uint64(0x3FFF)).astype(np.int64) << 4, leading << 4, stride << 4, mode)

    @property
    def row(self) -> int:
        return _SWIZZLES[self.mode]

    @property
    def mask(self) -> int:
        """The mask of the three bits from the seventh on that are mixed into those from the fourth on."""
        return self.row // _CORE - 1

    def misaligned(self) -> Array:
        """Where a start is not that of a pattern of eight rows, but for the bytes inside of a row."""
        return np.asarray((self.start >> 7) & self.mask != 0)

    def places(self, rows: int, k: int, size: int, *, k_major: bool) -> Array:
        """[warpgroup, row of A or column of B, k]: addresses of elements of `size` bytes."""
        plain = self.start[:, None, None] + _offsets(rows, k, size, self.row, self.leading, self.stride, k_major)
        return np.asarray(plain ^ (((plain >> 7) & self.mask) << 4))


@cache
def _offsets(rows: int, k: int, size: int, line: int, leading: int, stride: int, k_major: bool) -> Array:
    """Before the swizzle: the canonical layouts (PTX ISA, "Shared memory matrix layout").

    K-major: eight rows of a line each, repeated by `stride`; without swizzle lines of 16 bytes follow by `leading`
    along K. MN-major: eight k of a line each; lines follow by `leading` along MN, eights of k by `stride`; without
    swizzle the two change roles.
    """
    i, j = np.arange(rows)[:, None], np.arange(k)[None, :]
    core = _CORE // size
    if k_major:
        along = j * size if line > _CORE else j % core * size + j // core * leading
        return np.asarray(i % 8 * line + i // 8 * stride + along)
    across = line // size
    outer, inner = (leading, stride) if line > _CORE else (stride, leading)
    return np.asarray(i % across * size + i // across * outer + j % 8 * line + j // 8 * inner)


def _operand(size: int, k: int) -> Placement:
    """A in registers, of elements of so many bytes."""
    return placement(mma_a(ROWS // WARPGROUP, k, 8 * size), WARP, WARPGROUP)


def _accumulator(n: int) -> Placement:
    return placement(wgmma_accumulator(n), WARP, WARPGROUP)


@dataclass(frozen=True)
class Form:
    """`wgmma.mma_async` of one shape and types; scales are 1 or -1."""

    shape: str
    a: str
    b: str
    accumulator: str
    scales: tuple[int, int] = (1, 1)
    k_major: tuple[bool, bool] = (True, True)

    @classmethod
    def create(cls, shape: str, types: tuple[str, ...]) -> Form | None:
        """From the last three modifiers (D, A, B); None for forms that do not exist."""
        d, a, b = types
        m, n, k = dimensions(shape)
        legal = any(a in pair and b in pair and k == depth and d in sums for pair, depth, sums in _LEGAL)
        whole = n % 8 == 0 and 8 <= n <= 256 and (d != "s32" or n in (8, 24) or n % 16 == 0)
        return cls(shape, a, b, d) if legal and whole and m == 64 else None

    @property
    def size(self) -> tuple[int, int]:
        """Bytes of an element of A, and of B."""
        return _BYTES[self.a], _BYTES[self.b]

    @property
    def registers(self) -> int:
        """The registers of D, a lane."""
        _, n, _ = dimensions(self.shape)
        return n // 4 if self.accumulator == "f16" else n // 2

    @property
    def code(self) -> str:
        """The numpy type of a register of D."""
        return ACCUMULATOR_CODES[self.accumulator]

    def extents(self, side: int) -> tuple[int, int]:
        """(rows of A or columns of B, K)."""
        m, n, k = dimensions(self.shape)
        return (m, n)[side], k

    def from_memory(self, side: int, raw: Array) -> Array:
        """[warpgroup, row or column, k] as it is in memory, as numbers."""
        words = np.ascontiguousarray(raw).reshape(raw.shape[0] * raw.shape[1], -1).view(np.uint32)
        return UNPACK[(self.a, self.b)[side]](words).reshape(raw.shape).astype(F4) * self.scales[side]

    def from_registers(self, packed: Array) -> Array:
        """[lane of all warpgroups, register] of A as [warpgroup, row, k]."""
        return _operand(self.size[0], dimensions(self.shape)[2]).matrices(UNPACK[self.a](packed)) * self.scales[0]

    def product(self, a: Array, b: Array) -> list[Array]:
        """The product of matrices [warpgroup, row, k] and [warpgroup, column, k]: for each element of a lane its sum,
        [lane of all]."""
        return self._held(np.matmul(a.astype(np.float64), b.astype(np.float64).transpose(0, 2, 1)))

    def sums(self, add: UnitSum, a: Array, b: Array, packed: Array) -> list[Array]:
        """The product of matrices plus the accumulator, whose registers are [lane of all, register], as a chip's unit
        adds."""
        values = UNPACK["f16"](packed) if self.accumulator == "f16" else packed
        start = _accumulator(dimensions(self.shape)[1]).matrices(values).astype(np.float64)
        operands = a.astype(np.float64), b.astype(np.float64).transpose(0, 2, 1)
        return self._held(whole(add, *operands, start, self.accumulator))

    def _held(self, matrices: Array) -> list[Array]:
        place = _accumulator(dimensions(self.shape)[1])
        held = place.registers(matrices).reshape(-1, place.elements.shape[1])
        return [np.ascontiguousarray(held[:, i]) for i in range(held.shape[1])]

    def add(self, sums: list[Array], registers: list[Array]) -> list[Array]:
        return ACCUMULATE[self.accumulator](sums, registers, False)
