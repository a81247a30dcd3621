"""mma with .block_scale: A and B are multiplied by their scales, then by each other.

A lane's register has four scales. Those of row r of A are in lane 4 (r % 8) + 2 t + r // 8, those of column n of B in
lane 4 n + t, in the bytes from the byte selector on, one for each part of K; t is the lane selector (PTX ISA, "Block
Scaling for mma.sync"). ue8m0 is 2^(x - 127) and 255 no number; ue4m3 is e4m3 without a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..floats import F8, U1, U2, decode_fp8
from .tensor_cores import Multiply, dimensions

if TYPE_CHECKING:
    from .group import Group
    from .state import State

Array = npt.NDArray[Any]
Scales = tuple[Array, Array, Array, Array, Array, Array]
"""Of A and then of B: the register, the byte that is meant and the lanes that are."""
SCALED = "block_scale"
_FORMS = {
    ("mxf8f6f4", "ue8m0"): ("m16n8k32", {"": 1, "1X": 1}),
    ("mxf4", "ue8m0"): ("m16n8k64", {"": 2, "2X": 2}),
    ("mxf4nvf4", "ue8m0"): ("m16n8k64", {"2X": 2}),
    ("mxf4nvf4", "ue4m3"): ("m16n8k64", {"4X": 4}),
}
"""Kind and type of scales to the shape, and to scales along K by what `.scale_vec::` says."""
_BYTES, _LANES_OF_A, _LANES_OF_B = 4, 2, 4


@dataclass(frozen=True)
class ScaledMultiply:
    """One form of mma with .block_scale."""

    product: Multiply
    scale: str
    parts: int
    """Of K, each of which has a scale."""

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
        bytes = tuple(range(0, _BYTES, self.parts))
        at_a, at_b = (self._selected(x, bytes, batch, group, site) for x in (byte_a, byte_b))
        own_a = self._selected(lanes_a, range(_LANES_OF_A), batch, group, site)
        own_b = self._selected(lanes_b, range(_LANES_OF_B), batch, group, site)
        row, column = np.arange(16), np.arange(8)
        rows = self._scales(words_a, 4 * (row % 8) + 2 * own_a + row // 8, at_a, batch, group, site)
        columns = self._scales(words_b, 4 * column + own_b, at_b, batch, group, site)
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

    def _scales(self, words: Array, lanes: Array, first: int, batch: State, group: Group, site: int) -> Array:
        """[warp, row or column, k]."""
        held = np.ascontiguousarray(batch.stack([words], group)).view(U1).reshape(-1, 32, _BYTES)
        codes = held[:, lanes, first : first + self.parts]
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
