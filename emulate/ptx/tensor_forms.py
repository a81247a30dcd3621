"""tcgen05: what descriptors say, and where elements are in tensor memory.

PTX ISA, "TensorCore 5th generation family instructions": "Instruction descriptor", "Shared memory descriptor"; nothing
of these comes from the code generator's tables. Lanes and columns are what `targets` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...targets.nvidia_fragments import LANES as WARP
from ...targets.nvidia_fragments import TENSOR_COPIES, TENSOR_MOVES, TENSOR_ROWS, TensorCopy
from ..floats import F2, F4
from .tensor_cores import UNPACK
from .wgmma import Descriptor

Array = npt.NDArray[Any]

WORDS_ALONG_K = 8
"""32 bytes of A or B, whatever their type."""
_BYTES: Mapping[str, int] = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "e5m2": 1, "s8": 1, "u8": 1}
KINDS: Mapping[str, tuple[Mapping[int, str], Mapping[int, str]]] = {
    "f16": ({0: "f16", 1: "bf16"}, {0: "f16", 1: "f32"}),
    "tf32": ({2: "tf32"}, {1: "f32"}),
    "f8f6f4": ({0: "e4m3", 1: "e5m2"}, {1: "f32"}),
    "i8": ({0: "u8", 1: "s8"}, {2: "s32"}),
}
"""By `.kind::`: types of A and B, and of D. Elements of 4 and 6 bits are not emulated."""
_ACCUMULATORS: Mapping[str, np.dtype[Any]] = {"f32": F4, "f16": F2, "s32": np.dtype("i4")}
_RESERVED = 1 << 6 | 1 << 23 | 1 << 29 | 3 << 30
_MODES: Mapping[int, int] = {0: 0, 2: 1, 4: 2, 6: 3}
"""Swizzle modes as tcgen05 numbers them, as wgmma does; 1 (pieces of 32 bytes) is not emulated."""


@dataclass(frozen=True)
class Product:
    """What an instruction descriptor says; signs are 1 or -1."""

    kind: str
    m: int
    n: int
    a: str
    b: str
    accumulator: str
    signs: tuple[int, int]
    k_major: tuple[bool, bool]
    saturates: bool

    @classmethod
    def read(cls, kind: str, bits: int) -> Product | str:
        """The product that an instruction descriptor of 32 bits says; words for what it says that does not exist, or is
        not emulated."""

        def field(first: int, count: int) -> int:
            return bits >> first & (1 << count) - 1

        operand_types, accumulator_types = KINDS[kind]
        a, b, d = operand_types.get(field(7, 3)), operand_types.get(field(10, 3)), accumulator_types.get(field(4, 2))
        if a is None or b is None or d is None:
            return f"types {field(7, 3)}, {field(10, 3)} and {field(4, 2)} of A, B and D"
        m, n = field(24, 5) << 4, field(17, 6) << 3
        found = cls(
            kind, m, n, a, b, d, (1 - 2 * field(13, 1), 1 - 2 * field(14, 1)),
            (not field(15, 1), not field(16, 1)), bool(field(3, 1)),
        )  # fmt: skip
        return found._wrong(bits) or found

    def _wrong(self, bits: int) -> str:
        step = 8 if self.m == 64 and (self.kind != "i8" or self.n <= 24) else 16
        if self.m not in TENSOR_ROWS or not 1 <= self.n // step <= 256 // step or self.n % step:
            return f"{self.m} rows and {self.n} columns"
        if bits & 7:
            return "a sparse A"
        if bits & _RESERVED:
            return "bits that have no meaning"
        if self.kind == "f16" and (self.a != self.b or (self.accumulator == "f16" and self.a != "f16")):
            return f"{self.a} by {self.b} with accumulators of {self.accumulator}"
        if self.kind == "i8" and self.signs != (1, 1):
            return "a negated matrix of integers"
        if self.kind != "i8" and self.saturates:
            return "saturation of floats"
        if _BYTES[self.a] != 2 and self.k_major != (True, True):
            return f"a transposed matrix of {self.a}"
        return ""

    @property
    def k(self) -> int:
        return 4 * WORDS_ALONG_K // _BYTES[self.a]

    def size(self, side: int) -> int:
        """Bytes of an element of A or B."""
        return _BYTES[(self.a, self.b)[side]]

    def rows(self) -> Array:
        """The lane of each row of A and D, from the one that their address names on."""
        (lanes,) = TENSOR_ROWS[self.m](np.arange(self.m))
        return np.asarray(lanes)

    def numbers(self, side: int, words: Array) -> Array:
        """[row of A or column of B, word along K] as numbers [.., k]."""
        return UNPACK[(self.a, self.b)[side]](np.ascontiguousarray(words)).astype(np.float64) * self.signs[side]

    def add(self, a: Array, b: Array, cells: Array | None, scale: int) -> Array:
        """Cells [row, column] of D, each in a column of its own; `cells` is what they were, where that is added,
        divided by two so many times."""
        total = a @ b.T
        dtype = _ACCUMULATORS[self.accumulator]
        if cells is not None:
            low = cells.astype(np.uint16).view(dtype) if dtype.itemsize == 2 else cells.view(dtype)
            total = total + low.astype(np.float64) * 0.5**scale
        if self.accumulator == "s32":
            whole = total.astype(np.int64)
            whole = np.clip(whole, -(2**31), 2**31 - 1) if self.saturates else whole
            return whole.astype(np.uint64).astype(np.uint32)
        accumulator = total.astype(dtype)
        return accumulator.view(np.uint16).astype(np.uint32) if dtype.itemsize == 2 else accumulator.view(np.uint32)


def read_descriptor(bits: int) -> Descriptor | str:
    """The descriptor of a matrix in shared memory, 64 bits; words for what is not emulated, or does not exist."""
    if bits >> 46 & 7 != 1:
        return f"a matrix descriptor with {bits >> 46 & 7} in bits 46 to 48, where this generation has 1"
    if bits >> 49 & 15 or bits >> 53 & 0xFF:
        return "a matrix descriptor with a base offset, or an absolute stride"
    mode = bits >> 61 & 7
    if mode not in _MODES:
        return f"a matrix descriptor with swizzle mode {mode}"
    start = np.array([(bits & 0x3FFF) << 4], np.int64)
    return Descriptor(start, (bits >> 16 & 0x3FFF) << 4, (bits >> 32 & 0x3FFF) << 4, _MODES[mode])


# ---- moves between registers and tensor memory, copies from shared memory ----


def moved(shape: str, count: int) -> tuple[Array, Array]:
    """(lanes, columns), each [thread, register], of `count` registers of a shape of ld and st."""
    lanes, columns = TENSOR_MOVES[shape].places(np.arange(WARP)[:, None], np.arange(count)[None, :])
    return lanes, columns


COPIES: Mapping[tuple[str, ...], TensorCopy] = {
    tuple(shape.replace("::", "_").split(".")): copy for shape, copy in TENSOR_COPIES.items()
}
"""By the modifiers of cp."""
