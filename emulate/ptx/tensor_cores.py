"""mma.sync for all warps of a batch at once: registers to matrices, one batched product, back to registers.

Which lane holds which element is what `targets` says, in one table for everybody. Which forms there are, is written
here from the PTX ISA.

Products are exact and sums are float32 (float64, or wrapped int32), rounded once, unless the launch wants them as a
chip's units form them (`unit_sums.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...targets.fragment import Fragment, Placement, placement
from ...targets.nvidia_fragments import LANES, mma
from ..floats import F2, F4, F8, U1, U2, U4, decode_fp8
from ..unit_sums import of_tensor_core, whole

if TYPE_CHECKING:
    from .group import Group
    from .state import State

Array = npt.NDArray[Any]

_SHAPES: dict[int, tuple[str, ...]] = {
    64: ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"),
    32: ("m16n8k4", "m16n8k8"),
    16: ("m16n8k8", "m16n8k16"),
    8: ("m8n8k16", "m16n8k16", "m16n8k32"),
    4: ("m8n8k32", "m16n8k32", "m16n8k64"),
}
"""By bits of an element of A."""
MATRIX_SHAPES = frozenset(shape for shapes in _SHAPES.values() for shape in shapes)

_BYTES = ("s8", "u8")
_NIBBLES = ("s4", "u4")
_FP8 = ("e4m3", "e5m2")
_SHORT = (*_FP8, "e3m2", "e2m3", "e2m1")
_LEGAL: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("f16",), ("f16", "f32")),
    (("bf16",), ("f32",)),
    (("tf32",), ("f32",)),
    (_BYTES, ("s32",)),
    (_NIBBLES, ("s32",)),
    (_FP8, ("f16", "f32")),
    (("f64",), ("f64",)),
)
"""Types of A and B (any pair of a group), and of C and D."""
_SELECTED = {
    ("f8f6f4", "m16n8k32"): (_SHORT, ("f16", "f32")),
    ("packed", "m16n8k64"): (("packed_e2m1",), ("f32",)),
}
"""Those of a kind; packed ones are part of products with scales only."""

_BITS = {
    "f64": 64, "tf32": 32, "f16": 16, "bf16": 16,
    **dict.fromkeys((*_BYTES, *_SHORT), 8), **dict.fromkeys((*_NIBBLES, "packed_e2m1"), 4),
}  # fmt: skip
"""The bits of an element in its register, where floats of 4 and 6 bits have a byte each."""
ACCUMULATOR_CODES = {"f32": "f4", "f64": "f8", "s32": "i4", "f16": "u4"}


def dimensions(shape: str) -> tuple[int, int, int]:
    """(M, N, K) of "m16n8k16"."""
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def fragment(shape: str, bits: int, role: str) -> Fragment:
    """The fragment of A, B or C."""
    m, _, k = dimensions(shape)
    return mma(m, k, bits)["ABC".index(role)]


@cache
def _placement(shape: str, bits: int, role: str) -> Placement:
    return placement(fragment(shape, bits, role), LANES)


@cache
def _spread_order(shape: str, bits: int) -> Array:
    """Positions in the row-major C matrix, ordered (i, lane)."""
    return np.ascontiguousarray(_placement(shape, bits, "C").elements.T).reshape(-1)


@dataclass(frozen=True)
class Multiply:
    """One form of mma.sync."""

    shape: str
    a: str
    b: str
    accumulator: str
    saturate: bool

    @classmethod
    def create(cls, shape: str, types: tuple[str, ...], saturate: bool, kind: str) -> Multiply | None:
        """From the last four modifiers (D, A, B, C) and what `.kind::` says; None for forms that do not exist."""
        d, a, b, c = types
        groups = (_SELECTED.get((kind, shape), ((), ())),) if kind else _LEGAL
        legal = any(a in inputs and b in inputs and c in outputs for inputs, outputs in groups)
        if d != c or not legal or shape not in _SHAPES[_BITS[a]]:
            return None
        return cls(shape, a, b, c, saturate)

    @property
    def bits(self) -> int:
        return _BITS[self.a]

    def register_code(self, role: str) -> str:
        """The numpy type of one register of an operand."""
        if role == "C":
            return ACCUMULATOR_CODES[self.accumulator]
        return "u8" if self.bits == 64 else "u4"

    def matrix(self, role: str, registers: list[Array], batch: State, group: Group, site: int) -> Array:
        """Registers of A or B to matrices [warp, rows, columns] in the type of the computation."""
        packed = batch.stack(registers, group)
        values = UNPACK[self.a if role == "A" else self.b](packed)
        m, n, k = dimensions(self.shape)
        rows, columns = (m, k) if role == "A" else (k, n)
        flat = values.reshape(packed.shape[0] // 32, -1)
        return flat.take(_placement(self.shape, self.bits, role).places, axis=1).reshape(-1, rows, columns)

    def multiply(self, a: Array, b: Array, c: list[Array], batch: State, group: Group, site: int) -> list[Array]:
        """Registers of D = A B + C; the sum is formed register by register, so C never becomes a matrix."""
        batch.counters.matrix_instructions += a.shape[0]
        batch.counters.matrix_flops += a.shape[0] * 2 * prod(dimensions(self.shape))
        units = batch.launch.units
        add = of_tensor_core(units, self.a, self.b, self.accumulator, dimensions(self.shape)[2]) if units else None
        wide = self.accumulator == "f32"  # so that sum and accumulator round once
        if wide or add is not None:
            a, b = a.astype(np.float64), b.astype(np.float64)
        if add is None:
            product = np.matmul(a, b).reshape(a.shape[0], -1)
        else:
            product = whole(add, a, b, self._accumulator(c, batch, group), self.accumulator).reshape(a.shape[0], -1)
            c = [np.full_like(x, NOTHING[self.accumulator]) for x in c]
        parts = product.take(_spread_order(self.shape, self.bits), axis=1).reshape(a.shape[0], -1, 32)
        columns = [batch.spread(np.ascontiguousarray(parts[:, i]).reshape(-1), group) for i in range(parts.shape[1])]
        return ACCUMULATE[self.accumulator](columns, c, self.saturate)

    def _accumulator(self, c: list[Array], batch: State, group: Group) -> Array:
        """C as matrices [warp, rows, columns]."""
        m, n, _ = dimensions(self.shape)
        packed = np.ascontiguousarray(batch.stack(c, group))
        values = UNPACK["f16"](packed) if self.accumulator == "f16" else packed
        flat = values.reshape(packed.shape[0] // 32, -1).astype(np.float64)
        return flat.take(_placement(self.shape, self.bits, "C").places, axis=1).reshape(-1, m, n)


def fragment_registers(kernel: Multiply, role: str) -> int:
    """How many registers an operand has."""
    count = fragment(kernel.shape, kernel.bits, role).elements
    if role != "C":
        return max(count * kernel.bits // 32, 1) if kernel.bits < 64 else count
    return count // 2 if kernel.accumulator == "f16" else count


def _nibbles(packed: Array, *, signed: bool) -> Array:
    """Two to a byte, the first in the lower half."""
    both = np.stack([packed.view(U1) & 15, packed.view(U1) >> 4], axis=-1).reshape(packed.shape[0], -1)
    values: Array = both.astype(F4)
    return np.where(both > 7, values - 16, values) if signed else values


def _in_byte(packed: Array, exponent: int, mantissa: int, shift: int) -> Array:
    """A float without infinities and NaN in a byte each, whose sign follows its highest bit; what is around it does not
    count. The exponent's bias is half of what fits (PTX ISA, "Alternate floating-point data formats")."""
    code = (packed.view(U1) >> np.uint8(shift)).astype(np.int64)
    fraction, power = code & ((1 << mantissa) - 1), code >> mantissa & ((1 << exponent) - 1)
    bias = (1 << (exponent - 1)) - 1
    size = np.where(power > 0, (1 << mantissa) + fraction, fraction) * 2.0 ** (np.maximum(power, 1) - bias - mantissa)
    values: Array = np.where(code >> (exponent + mantissa) & 1, -size, size).astype(F4)
    return values


_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], F4)
UNPACK: dict[str, Callable[[Array], Array]] = {
    "f16": lambda x: x.view(F2).astype(F4),
    "bf16": lambda x: (x.view(U2).astype(U4) << np.uint32(16)).view(F4),
    "tf32": lambda x: (x & np.uint32(0xFFFFE000)).view(F4),
    "s8": lambda x: x.view(np.dtype("i1")).astype(F4),
    "u8": lambda x: x.view(U1).astype(F4),
    "s4": lambda x: _nibbles(x, signed=True),
    "u4": lambda x: _nibbles(x, signed=False),
    "e3m2": lambda x: _in_byte(x, exponent=3, mantissa=2, shift=0),
    "e2m3": lambda x: _in_byte(x, exponent=2, mantissa=3, shift=0),
    "e2m1": lambda x: _in_byte(x, exponent=2, mantissa=1, shift=2),
    "packed_e2m1": lambda x: _E2M1[_nibbles(x, signed=False).astype(np.int64)],
    "e4m3": lambda x: decode_fp8(x.view(U1), "e4m3"),
    "e5m2": lambda x: decode_fp8(x.view(U1), "e5m2"),
    "f64": lambda x: x.view(F8),
}
"""Registers [lanes, registers] to elements [lanes, elements]; 8-bit integer products are exact in float32."""


def _add_floats(product: list[Array], c: list[Array], saturate: bool) -> list[Array]:
    return [(p + x).astype(x.dtype, copy=False) for p, x in zip(product, c, strict=True)]


def _add_integers(product: list[Array], c: list[Array], saturate: bool) -> list[Array]:
    wide = [p.astype(np.int64) + x for p, x in zip(product, c, strict=True)]
    if saturate:
        wide = [np.clip(x, -(2**31), 2**31 - 1) for x in wide]
    return [x.astype(np.int32) for x in wide]


def _add_halves(product: list[Array], c: list[Array], saturate: bool) -> list[Array]:
    out: list[Array] = []
    for low, high, packed in zip(product[::2], product[1::2], c, strict=True):
        bits = np.asarray(packed)
        x = (low + bits.astype(U2).view(F2)).astype(F2).view(U2)
        y = (high + (bits >> np.uint32(16)).astype(U2).view(F2)).astype(F2).view(U2)
        out.append(x.astype(U4) | (y.astype(U4) << np.uint32(16)))
    return out


NOTHING: dict[str, Any] = {"f32": np.float32(-0.0), "f16": np.uint32(0x80008000)}
"""Registers of C that change no sum."""
ACCUMULATE: dict[str, Callable[[list[Array], list[Array], bool], list[Array]]] = {
    "f32": _add_floats,
    "f64": _add_floats,
    "s32": _add_integers,
    "f16": _add_halves,
}
