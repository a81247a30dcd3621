"""mma with .block_scale: A and B are multiplied by their scales, then by each other.

A lane's register has four scales; which lane has which is what `targets` says. ue8m0 is 2^(x - 127) and 255 no
number; ue4m3 is e4m3 without a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...targets.nvidia_fragments import SCALE_BYTES, SCALE_OF_A, SCALE_OF_B
from ..floats import F8, U1, U2, decode_fp8
from .tensor_cores import Multiply, dimensions

if TYPE_CHECKING:
    from .group import Group
    from .state import State

Array = npt.NDArray[Any]
Scales = tuple[Array, Array, Array, Array, Array, Array]
"""Scales of A and then of B: the register, the byte that is meant and the lanes that are."""
SCALED = "block_scale"
_FORMS = {
    ("mxf8f6f4", "ue8m0"): ("m16n8k32", {"": 1, "1X": 1}),
    ("mxf4", "ue8m0"): ("m16n8k64", {"": 2, "2X": 2}),
    ("mxf4nvf4", "ue8m0"): ("m16n8k64", {"2X": 2}),
    ("mxf4nvf4", "ue4m3"): ("m16n8k64", {"4X": 4}),
}
"""Kind and type of scales to the shape, and to scales along K by what `.scale_vec::` says."""
_LANES_OF_A, _LANES_OF_B = SCALE_OF_A.sizes[-1], SCALE_OF_B.sizes[-1]


@dataclass(frozen=True)
class ScaledMultiply:
    """One form of mma with .block_scale."""

    product: Multiply
    scale: str
    parts: int
    """The parts of K, each of which has a scale."""

    @classmethod
    def create(cls, shape: str, types: tuple[str, ...], kind: str, vector: str) -> ScaledMultiply | None:
        """From the last five modifiers (D, A, B, C, scales) and what `.kind::` and `.scale_vec::` say; None for forms
        that do not exist."""
        expected, vectors = _FORMS.get((kind, types[4]), ("", {}))
        if shape != expected or vector not in vectors or types[0] != "f32":
            return None
        packed = ("f32", *("packed_e2m1" if t == "e2m1" else t for t in types[1:3]), types[3])
        product = (
            Multiply.create(shape, types[:4], saturate=False, kind="f8f6f4")
            if kind == "mxf8f6f4"
            else Multiply.create(shape, packed, saturate=False, kind="packed")
        )
        return None if product is None else cls(product, types[4], vectors[vector])

    def run(
        self, a: list[Array], b: list[Array], c: list[Array], scales: Scales, batch: State, group: Group, site: int
    ) -> list[Array]:
        """Registers of D = (A * scales of A) (B * scales of B) + C."""
        words_a, byte_a, lanes_a, words_b, byte_b, lanes_b = scales
        bytes = tuple(range(0, SCALE_BYTES, self.parts))
        at_a, at_b = (self._selected(x, bytes, batch, group, site) for x in (byte_a, byte_b))
        own_a = self._selected(lanes_a, range(_LANES_OF_A), batch, group, site)
        own_b = self._selected(lanes_b, range(_LANES_OF_B), batch, group, site)
        row, column, part = np.arange(16)[:, None], np.arange(8)[:, None], np.arange(self.parts)[None, :]
        rows = self._scales(words_a, SCALE_OF_A(row, part, at_a, own_a), batch, group, site)
        columns = self._scales(words_b, SCALE_OF_B(column, part, at_b, own_b), batch, group, site)
        left = self.product.matrix("A", a, batch, group, site) * rows
        right = self.product.matrix("B", b, batch, group, site) * columns.swapaxes(1, 2)
        return self.product.multiply(left, right, c, batch, group, site)

    def _selected(self, register: Array, allowed: Sequence[int], batch: State, group: Group, site: int) -> int:
        """A selector's value, which is the same in all lanes."""
        found = np.unique(batch.stack([np.asarray(register, U2)], group))
        if found.size != 1 or found[0] not in allowed:
            detail = f"selectors of scales are one of {', '.join(map(str, allowed))} here, found {found.tolist()}"
            raise batch.fault("scale", detail, site, int(group.index[0]))
        return int(found[0])

    def _scales(self, words: Array, where: tuple[Array, ...], batch: State, group: Group, site: int) -> Array:
        """[warp, row or column, k]."""
        held = np.ascontiguousarray(batch.stack([words], group)).view(U1).reshape(-1, 32, SCALE_BYTES)
        lanes, bytes = where
        codes = held[:, lanes, bytes]
        if self.scale == "ue4m3" and (codes > 0x7F).any():
            warp = int(np.flatnonzero((codes > 0x7F).any(axis=(1, 2)))[0])
            raise batch.fault("scale", "a scale ue4m3 has its highest bit set", site, int(group.index[32 * warp]))
        numbers = decode_fp8(codes, "e4m3").astype(F8) if self.scale == "ue4m3" else _powers(codes)
        depth = dimensions(self.product.shape)[2]
        return np.repeat(numbers, depth // self.parts, axis=-1)


def _powers(codes: Array) -> Array:
    numbers: Array = np.exp2(codes.astype(F8) - 127)
    numbers[codes == 255] = np.nan
    return numbers
