"""mfma and wmma for all waves of a group at once: registers to matrices, one batched product, back to registers.

Which lane holds which element follows closed formulas with l = lane and i = the element in register order, low bits
first; B is indexed (k, n), which is A's formula with row and column exchanged. They share nothing with the layouts of
the code generator: that is what makes running emitted code a check of it.

Products are exact and sums are float32 (float64, or int32): the order of additions inside a matrix unit is not
modelled.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .chip import Chip
from .group import Group
from .lanes import Lanes
from .numbers import bf16_bits, bf16_value, fp8_value
from .values import ALL, Array

Place = Callable[[int, int], tuple[int, int, int]]
"""(lane, element) -> (block, row, column)."""

U2, U4 = np.dtype("u2"), np.dtype("u4")


@dataclass(frozen=True)
class Shape:
    """Rows, columns, depth, blocks, lanes; elements per lane and formulas of A and of C."""

    m: int
    k: int
    blocks: int
    lanes: int
    a_count: int
    c_count: int
    a: Place
    b: Place
    c: Place


def _transposed(place: Place) -> Place:
    def swapped(lane: int, i: int) -> tuple[int, int, int]:
        block, row, column = place(lane, i)
        return block, column, row

    return swapped


def _mfma_single(m: int, k: int, wide: bool) -> Shape:
    n = k * m // 64

    def a(lane: int, i: int) -> tuple[int, int, int]:
        return 0, lane % m, n * (lane // m) + i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        if wide:
            return 0, lane // 16 + 4 * i, lane % 16
        if m == 16:
            return 0, 4 * (lane // 16) + i, lane % 16
        return 0, 8 * (i // 4) + 4 * (lane // 32) + i % 4, lane % 32

    return Shape(m, k, 1, 64, n, m * m // 64, a, _transposed(a), c)


def _mfma_blocks(m: int, k: int) -> Shape:
    blocks = 64 // m

    def a(lane: int, i: int) -> tuple[int, int, int]:
        return lane // m, lane % m, i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        if m == 4:
            return lane // 4, i, lane % 4
        if m == 16:
            return i // 4, 4 * (lane // 16) + i % 4, lane % 16
        return i // 16, 8 * ((i % 16) // 4) + 4 * (lane // 32) + i % 4, lane % 32

    return Shape(m, k, blocks, 64, k, blocks * m * m // 64, a, _transposed(a), c)


def _mfma_f64_blocks() -> Shape:
    def a(lane: int, i: int) -> tuple[int, int, int]:
        return lane // 4 % 4, lane % 4, lane // 16

    def c(lane: int, i: int) -> tuple[int, int, int]:
        return lane // 4 % 4, lane // 16, lane % 4

    return Shape(4, 4, 4, 64, 1, 1, a, _transposed(a), c)


def _wmma11() -> Shape:
    def a(lane: int, i: int) -> tuple[int, int, int]:
        return 0, lane % 16, i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        return 0, 2 * i + lane // 16, lane % 16

    return Shape(16, 16, 1, 32, 16, 8, a, _transposed(a), c)


def _wmma12(k: int, bits: int) -> Shape:
    def a(lane: int, i: int) -> tuple[int, int, int]:
        if bits == 16:
            return 0, lane % 16, 8 * (i // 4) + 4 * (lane // 16) + i % 4
        return 0, lane % 16, k // 2 * (lane // 16) + i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        return 0, 8 * (lane // 16) + i, lane % 16

    return Shape(16, k, 1, 32, k // 2, 8, a, _transposed(a), c)


@dataclass(frozen=True, eq=False)
class Multiply:
    """One matrix instruction of one chip; `accumulator` is f32, f64, i32, f16 or bf16."""

    shape: Shape
    a_type: str
    b_type: str
    accumulator: str
    chip: Chip

    @property
    def duplicated(self) -> bool:
        """Whether lanes 16 to 31 repeat A and B of lanes 0 to 15."""
        return self.chip.generation == 11

    @property
    def packed_accumulator(self) -> bool:
        """Whether two 16-bit elements of C share a register."""
        return self.accumulator in ("f16", "bf16") and self.chip.generation >= 12


BITS = {"f64": 64, "f32": 32, "xf32": 32, "f16": 16, "bf16": 16, "i8": 8, "iu8": 8, "iu4": 4, "fp8": 8, "bf8": 8}
_MFMA = re.compile(
    r"v_mfma_(f32|i32|f64)_(\d+)x(\d+)x(\d+)_?(?:(\d+)b_)?(xf32|f32|f16|bf16|i8|f64|fp8|bf8)(?:_(fp8|bf8))?(_1k)?$"
)
_WMMA = re.compile(r"v_wmma_(f32|i32|f16|bf16)_16x16x(\d+)_(f16|bf16|iu8|iu4|fp8|bf8)(?:_(fp8|bf8))?$")


@cache
def find(opcode: str, chip: Chip) -> Multiply | None:
    """The instruction of that name on that chip; None if it is not known."""
    if match := _MFMA.match(opcode):
        return _find_mfma(match, chip)
    match = _WMMA.match(opcode)
    if match is None or chip.wavefront != 32 or chip.is_1250:
        return None
    accumulator, depth, first, second = match[1], int(match[2]), match[3], match[4]
    if chip.generation == 11 and depth == 16:
        return Multiply(_wmma11(), first, second or first, accumulator, chip)
    if chip.generation == 12 and (depth == 16 or (depth == 32 and first == "iu4")):
        return Multiply(_wmma12(depth, BITS[first]), first, second or first, accumulator, chip)
    return None


def _find_mfma(match: re.Match[str], chip: Chip) -> Multiply | None:
    accumulator, m, k, kind = match[1], int(match[2]), int(match[4]), match[6]
    if chip.generation != 9:
        return None
    second = match[7] or kind
    if kind == "f64":
        shape = _mfma_f64_blocks() if m == 4 else _mfma_single(m, k, True)
        return Multiply(shape, kind, second, accumulator, chip)
    if m == 4 or match[5] is not None:
        return Multiply(_mfma_blocks(m, k), kind, second, accumulator, chip)
    # gfx90a's spelling does not name the blocks: a lane holds as many elements as the instruction reads.
    held = {"f32": 1, "xf32": 2, "bf16": 4 if match[8] else 2}.get(kind, 4)
    blocks = k == held and chip.name == "gfx90a"
    return Multiply(_mfma_blocks(m, k) if blocks else _mfma_single(m, k, False), kind, second, accumulator, chip)


@cache
def _gather_order(multiply: Multiply, role: str) -> Array:
    """For each element [block, row, column] of A or B, its position lane * count + i among the registers."""
    shape = multiply.shape
    rows, columns = (shape.m, shape.k) if role == "A" else (shape.k, shape.m)
    place = shape.a if role == "A" else shape.b
    order = np.full((shape.blocks, rows, columns), -1)
    for lane in range(shape.lanes):
        for i in range(shape.a_count):
            order[place(lane, i)] = lane * shape.a_count + i
    assert (order >= 0).all(), "a fragment covers its matrix"
    return order.reshape(-1)


@cache
def _spread_order(multiply: Multiply) -> Array:
    """Positions in [block, row, column] of C, ordered (i, lane)."""
    shape = multiply.shape
    places = [shape.c(lane, i) for i in range(shape.c_count) for lane in range(shape.lanes)]
    return np.array([(b * shape.m + r) * shape.m + c for b, r, c in places])


class Matrices(Lanes):
    """Adds matrix instructions to a batch."""

    def need_all_lanes(self, group: Group, mask: Any, site: int) -> None:
        """A matrix instruction ignores the execution mask: one that is not all ones is a mistake."""
        if mask is ALL:
            return
        lane = int(np.flatnonzero(~np.broadcast_to(mask, (group.count, self.lanes)))[0])
        detail = "a matrix instruction with inactive lanes"
        raise self.fault("divergent-warp-operation", detail, site, int(group.numbers(None)[lane]))

    def matrix(self, group: Group, multiply: Multiply, role: str, registers: list[Any], sign: bool, site: int) -> Array:
        """Registers of A or B to [wave, block, rows, columns] in the type of the computation."""
        packed = np.empty((group.count, self.lanes, len(registers)), registers[0].dtype)
        for n, register in enumerate(registers):
            packed[..., n] = register
        if multiply.duplicated and (packed[:, :16] != packed[:, 16:]).any():
            wave, lane = np.argwhere((packed[:, :16] != packed[:, 16:]).any(axis=2))[0]
            detail = f"lanes {lane} and {lane + 16} hold different elements of {role}"
            raise self.fault("duplicate-lanes", detail, site, int(group.waves[wave]) * self.lanes + int(lane))
        kind = multiply.a_type if role == "A" else multiply.b_type
        values = _unpack(packed, kind, sign, multiply.chip).reshape(group.count, -1)
        shape = multiply.shape
        rows, columns = (shape.m, shape.k) if role == "A" else (shape.k, shape.m)
        ordered = values.take(_gather_order(multiply, role), axis=1)
        return ordered.reshape(group.count, shape.blocks, rows, columns)

    def multiply(
        self, group: Group, multiply: Multiply, a: Array, b: Array, c: list[Any], saturate: bool, high: bool
    ) -> list[Array]:
        """Registers of D = A B + C; `high`: 16-bit results go to the upper halves (gfx11)."""
        self.counters.matrix_instructions += group.count
        product = np.matmul(a, b).reshape(group.count, -1)
        parts = product.take(_spread_order(multiply), axis=1).reshape(group.count, -1, self.lanes)
        columns = [np.ascontiguousarray(parts[:, i]) for i in range(parts.shape[1])]
        if multiply.accumulator == "i32":
            return [_add_integers(p, x, saturate) for p, x in zip(columns, c, strict=True)]
        if multiply.accumulator in ("f16", "bf16"):
            return _add_halves(multiply, columns, c, high)
        return [p + x for p, x in zip(columns, c, strict=True)]


def _unpack(packed: Array, kind: str, sign: bool, chip: Chip) -> Array:
    """Registers [wave, lane, register] to elements [wave, lane, element]; integers are exact in float32."""
    if kind == "f16":
        return _flush(packed.view(np.float16).astype(np.float32), 2.0**-14, chip)
    if kind == "bf16":
        return _flush(bf16_value(packed.view(U2)), 2.0**-126, chip)
    if kind in ("fp8", "bf8"):
        return np.asarray(fp8_value(packed.view(np.uint8), kind, chip.name.startswith("gfx94")))
    if kind == "xf32":
        return (packed & np.uint32(0xFFFFE000)).view(np.float32)
    if kind == "iu4":
        halves = np.stack([packed.view(np.uint8) & 15, packed.view(np.uint8) >> 4], axis=-1)
        nibbles = halves.reshape(*packed.shape[:2], -1).astype(np.int8)
        return np.where(nibbles > 7, nibbles - 16, nibbles).astype(np.float32) if sign else nibbles.astype(np.float32)
    if kind in ("i8", "iu8"):
        signed = sign or kind == "i8"
        return packed.view(np.int8 if signed else np.uint8).astype(np.float32)
    return packed.view(np.float64 if kind == "f64" else np.float32)


def _flush(values: Array, smallest: float, chip: Chip) -> Array:
    """CDNA2 takes subnormal 16-bit inputs for zero."""
    if chip.name != "gfx90a":
        return values
    return np.where(np.abs(values) < smallest, np.float32(0), values)


def _add_integers(product: Array, c: Any, saturate: bool) -> Array:
    wide = product.astype(np.int64) + c
    return (np.clip(wide, -(2**31), 2**31 - 1) if saturate else wide).astype(np.int32)


def _add_halves(multiply: Multiply, product: list[Array], c: list[Any], high: bool) -> list[Array]:
    """c and the result are words; gfx11 keeps one element in a word, gfx12 two."""
    narrow = multiply.accumulator == "bf16"

    def add(p: Array, word: Any, shift: int) -> Array:
        bits = (word >> np.uint32(shift)).astype(U2)
        if narrow:
            return np.asarray(bf16_bits(p.astype(np.float64) + bf16_value(bits))).astype(U4)
        return np.asarray(p + bits.view(np.float16)).astype(np.float16).view(U2).astype(U4)

    if multiply.packed_accumulator:
        pairs = zip(product[::2], product[1::2], c, strict=True)
        return [add(x, w, 0) | (add(y, w, 16) << np.uint32(16)) for x, y, w in pairs]
    shift = 16 if high else 0
    kept = np.uint32(0x0000FFFF if high else 0xFFFF0000)
    return [(add(p, w, shift) << np.uint32(shift)) | (w & kept) for p, w in zip(product, c, strict=True)]
