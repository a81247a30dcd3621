"""mma.sp: a sparse A is made dense by its metadata and multiplied.

Compressed, A has the fragment of the product of half the depth, whose sums are held alike; B is one fragment of
m16n8k16 for every 16 of K. For row r, the fours of K from 4 q on, four at a time, are in half r // 8 of the register of
lane 4 (r % 8) + P s + q, where P = K / 16 and s is the selector (PTX ISA, "Sparse matrix storage" and the figures of
metadata).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..floats import U2
from .tensor_cores import Multiply

if TYPE_CHECKING:
    from .group import Group
    from .state import State

Array = npt.NDArray[Any]
ORDERED = "sp_ordered_metadata"
_DEPTHS = {"m16n8k16": 16, "m16n8k32": 32}


@dataclass(frozen=True)
class SparseMultiply:
    """One form of mma.sp."""

    half: Multiply
    """Of half the depth, dense."""
    whole: Multiply
    """Of depth 16, dense."""
    depth: int
    selector: int

    @classmethod
    def create(cls, shape: str, types: tuple[str, ...], selector: int) -> SparseMultiply | None:
        """From the last four modifiers (D, A, B, C); None for forms that do not exist, or of which metadata is not
        known."""
        depth = _DEPTHS.get(shape)
        if depth is None or types[1] not in ("f16", "bf16") or not 0 <= selector < 64 // depth:
            return None
        half = Multiply.create(f"m16n8k{depth // 2}", types, saturate=False, kind="")
        whole = Multiply.create("m16n8k16", types, saturate=False, kind="")
        return None if half is None or whole is None else cls(half, whole, depth, selector)

    @property
    def registers(self) -> tuple[int, int, int]:
        """Of A, B and C."""
        return self.depth // 8, self.depth // 8, 2 if self.half.accumulator == "f16" else 4

    def run(
        self, a: list[Array], b: list[Array], c: list[Array], metadata: Array, batch: State, group: Group, site: int
    ) -> list[Array]:
        """Registers of D = A B + C."""
        positions = self._positions(batch.stack([metadata], group))
        if (positions[..., 0] >= positions[..., 1]).any():
            warp = int(np.flatnonzero((positions[..., 0] >= positions[..., 1]).any(axis=(1, 2)))[0])
            detail = "metadata does not name two of four elements in their order"
            raise batch.fault("sparse-metadata", detail, site, int(group.index[32 * warp]))
        held = self.half.matrix("A", a, batch, group, site)
        pairs = held.reshape(*held.shape[:2], -1, 2)
        left = np.zeros((*pairs.shape[:3], 4), held.dtype)
        np.put_along_axis(left, positions, pairs, axis=-1)
        parts = [self.whole.matrix("B", b[at : at + 2], batch, group, site) for at in range(0, len(b), 2)]
        right = np.concatenate(parts, axis=1)
        return self.half.multiply(left.reshape(len(left), 16, -1), right, c, batch, group, site)

    def _positions(self, words: Array) -> Array:
        """[warp, row, four, which] from [lane, 1]."""
        lanes = self.depth // 16
        halves = np.ascontiguousarray(words).view(U2).reshape(-1, 8, 4, 2)
        chosen = halves[:, :, lanes * self.selector :][:, :, :lanes].transpose(0, 3, 1, 2)
        fields = chosen[..., None] >> np.arange(0, 16, 2, dtype=U2) & 3
        return fields.astype(np.int64).reshape(len(halves), 16, -1, 2)
