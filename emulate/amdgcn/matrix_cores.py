"""mfma and wmma for all waves of a group at once: registers to matrices, one batched product, back to registers.

Products are exact and sums are float32 (float64, or int32), rounded once, unless the launch wants those of float32 as
a chip's units form them (`unit_sums.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..unit_sums import UnitSum, of_matrix_core, whole
from .chip import Chip
from .cross_lane import Lanes
from .fragments import Multiply, Scales, gather_order, spread_order
from .group import Group
from .numbers import bf16_bits, bf16_value, e8m0_value, fp8_value
from .wave_values import ALL, Array

U2, U4 = np.dtype("u2"), np.dtype("u4")


class Matrices(Lanes):
    """Adds matrix instructions to a batch."""

    def need_all_lanes(self, group: Group, mask: Any, site: int) -> None:
        """Some instructions ignore the execution mask: one that is not all ones is a mistake."""
        if mask is ALL:
            return
        lane = int(np.flatnonzero(~np.broadcast_to(mask, (group.count, self.lanes)))[0])
        detail = "an instruction that works on whole waves, with inactive lanes"
        raise self.fault("divergent-warp-operation", detail, site, int(group.numbers(None)[lane]))

    def matrix(self, group: Group, multiply: Multiply, role: str, registers: list[Any], sign: bool, site: int) -> Array:
        """Registers of A or B to [wave, block, rows, columns] in the type of the computation."""
        packed = self._packed(group, registers)
        if multiply.duplicated:
            self._need_copies(group, packed, role, site)
        kind = multiply.a_type if role == "A" else multiply.b_type
        values = _unpack(packed, kind, sign, multiply.chip).reshape(group.count, -1)
        shape = multiply.shape
        rows, columns = (shape.m, shape.k) if role == "A" else (shape.k, shape.n)
        ordered = values.take(gather_order(multiply, role), axis=1)
        return ordered.reshape(group.count, shape.blocks, rows, columns)

    def sparse(
        self, group: Group, multiply: Multiply, registers: list[Any], indices: Any, shift: int, sign: bool, site: int
    ) -> Array:
        """Registers of a sparse A, of which the product has the dense form, to [wave, block, rows, columns]. `shift`
        is where its set begins in the register of indices."""
        held = _unpack(self._packed(group, registers), multiply.a_type, sign, multiply.chip)
        words = self._packed(group, [indices])[..., 0] >> np.uint32(shift)
        places = (words[..., None] >> np.arange(0, 2 * held.shape[2], 2, dtype=U4) & 3).astype(np.int64)
        pairs = places.reshape(*places.shape[:2], -1, 2)
        twice = (pairs[..., 0] == pairs[..., 1]).any(axis=2)
        if twice.any():
            wave, lane = np.argwhere(twice)[0]
            detail = "indices name the same of four elements twice"
            raise self.fault("sparse-indices", detail, site, int(group.waves[wave]) * self.lanes + int(lane))
        whole = np.zeros((*pairs.shape[:3], 4), held.dtype)
        np.put_along_axis(whole, pairs, held.reshape(pairs.shape), axis=-1)
        shape = multiply.shape
        ordered = whole.reshape(group.count, -1).take(gather_order(multiply, "A"), axis=1)
        return ordered.reshape(group.count, shape.blocks, shape.m, shape.k)

    def scaled(self, group: Group, matrix: Array, words: list[Any], scales: Scales, by_row: bool) -> Array:
        """A or B, [wave, block, rows, columns], times scales that are bytes of lanes' registers. Codes of e8m0 are
        2^(x - 127), 255 no number (OCP microscaling formats)."""
        codes = self._packed(group, words).view(np.uint8)[:, scales.lane, scales.byte]
        numbers = e8m0_value(codes) if scales.format == "e8m0" else fp8_value(codes, "fp8", False).astype(np.float64)
        along = matrix.shape[3 if by_row else 2] // numbers.shape[-1]
        factors = np.repeat(numbers, along, axis=-1)[:, None]
        return np.asarray(matrix * (factors if by_row else factors.swapaxes(2, 3)))

    def _packed(self, group: Group, registers: list[Any]) -> Array:
        """[wave, lane, register]."""
        packed = np.empty((group.count, self.lanes, len(registers)), np.asarray(registers[0]).dtype)
        for n, register in enumerate(registers):
            packed[..., n] = register
        return packed

    def _need_copies(self, group: Group, packed: Array, role: str, site: int) -> None:
        """Every 16 lanes hold the same."""
        apart = (packed[:, :-16] != packed[:, 16:]).any(axis=2)
        if apart.any():
            wave, lane = np.argwhere(apart)[0]
            detail = f"lanes {lane} and {lane + 16} hold different elements of {role}"
            raise self.fault("duplicate-lanes", detail, site, int(group.waves[wave]) * self.lanes + int(lane))

    def multiply(
        self, group: Group, multiply: Multiply, a: Array, b: Array, c: list[Any], saturate: bool, high: bool
    ) -> list[Array]:
        """Registers of D = A B + C; `high`: 16-bit results go to the upper halves (gfx11)."""
        shape = multiply.shape
        self.counters.matrix_instructions += group.count
        self.counters.matrix_flops += group.count * 2 * shape.m * shape.n * shape.k * shape.blocks
        units = self.launch.units
        add = (
            of_matrix_core(units, multiply.a_type, multiply.b_type, multiply.accumulator, shape.k, shape.a_count)
            if units
            else None
        )
        if add is not None:
            return self._as_units(group, multiply, add, a, b, c)
        wide = multiply.accumulator == "f32"  # so that sum and accumulator round once
        factors = (a.astype(np.float64), b.astype(np.float64)) if wide else (a, b)
        product = np.matmul(*factors).reshape(group.count, -1)
        parts = product.take(spread_order(multiply), axis=1).reshape(group.count, -1, self.lanes)
        columns = [np.ascontiguousarray(parts[:, i]) for i in range(parts.shape[1])]
        if multiply.accumulator == "i32":
            return [_add_integers(p, x, saturate) for p, x in zip(columns, c, strict=True)]
        if multiply.accumulator in ("f16", "bf16"):
            return _add_halves(multiply, columns, c, high)
        return [(p + x).astype(x.dtype, copy=False) for p, x in zip(columns, c, strict=True)]

    def _as_units(
        self, group: Group, multiply: Multiply, add: UnitSum, a: Array, b: Array, c: list[Any]
    ) -> list[Array]:
        """Registers of D, of float32."""
        shape, order = multiply.shape, spread_order(multiply)
        held = np.stack([np.broadcast_to(x, (group.count, self.lanes)) for x in c], axis=1).reshape(group.count, -1)
        start = np.zeros((group.count, shape.blocks * shape.m * shape.n))
        start[:, order] = held
        factors = a.astype(np.float64), b.astype(np.float64)
        sums = whole(add, *factors, start.reshape(group.count, shape.blocks, shape.m, shape.n), "f32")
        parts = sums.reshape(group.count, -1)[:, order].reshape(group.count, -1, self.lanes).astype(np.float32)
        return [np.ascontiguousarray(parts[:, i]) for i in range(parts.shape[1])]


def _unpack(packed: Array, kind: str, sign: bool, chip: Chip) -> Array:
    """Registers [wave, lane, register] to elements [wave, lane, element]; integers are exact in float32."""
    if kind == "f16":
        return _flush(packed.view(np.float16).astype(np.float32), 2.0**-14, chip)
    if kind == "bf16":
        return _flush(bf16_value(packed.view(U2)), 2.0**-126, chip)
    if kind in ("fp8", "bf8"):
        return np.asarray(fp8_value(packed.view(np.uint8), kind, chip.name.startswith("gfx94")))
    if kind in _SHORT_FLOATS:
        return _short_floats(packed, *_SHORT_FLOATS[kind])
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


_SHORT_FLOATS = {"fp6": (2, 3), "bf6": (3, 2), "fp4": (2, 1)}
"""Bits of exponent and mantissa (OCP microscaling formats), without infinities and NaN."""


def _short_floats(packed: Array, exponent: int, mantissa: int) -> Array:
    """Elements one after the other, from the lowest bits on, across the ends of registers."""
    width = 1 + exponent + mantissa
    bits = np.unpackbits(np.ascontiguousarray(packed).view(np.uint8), axis=-1, bitorder="little")
    digits = bits.reshape(*packed.shape[:2], -1, width).astype(np.int64)
    fraction = digits[..., :mantissa] @ (1 << np.arange(mantissa))
    power = digits[..., mantissa:-1] @ (1 << np.arange(exponent))
    scale = np.maximum(power, 1) - ((1 << (exponent - 1)) - 1) - mantissa
    size = (fraction + ((power > 0) << mantissa)) * 2.0**scale
    values: Array = np.where(digits[..., -1] == 1, -size, size).astype(np.float32)
    return values


def _flush(values: Array, smallest: float, chip: Chip) -> Array:
    """CDNA2 takes subnormal 16-bit inputs for zero."""
    if chip.name != "gfx90a":
        return values
    return np.where(np.abs(values) < smallest, np.float32(0), values)


def _add_integers(product: Array, c: Any, saturate: bool) -> Array:
    wide = product.astype(np.int64) + c
    total: Array = np.clip(wide, -(2**31), 2**31 - 1) if saturate else wide
    return total.astype(np.int32)


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
