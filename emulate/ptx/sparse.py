"""mma.sp: a sparse A is made dense by its metadata and multiplied.

Compressed, A has the fragment of the product of half the depth, whose sums are held alike; B is one fragment after
another of a product that is not as deep. Metadata has four bits a chunk of a row, low ones first (PTX ISA, "Sparse
matrix storage"); which lane has it, as who holds what of A and B, is what `targets` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...targets.nvidia_fragments import LANES, QUAD, metadata
from ..floats import U2
from .tensor_cores import Multiply, dimensions

if TYPE_CHECKING:
    from .group import Group
    from .state import State

Array = npt.NDArray[Any]
ORDERED = "sp_ordered_metadata"


@dataclass(frozen=True)
class _Width:
    """What the width of elements decides: shapes of mma.sp, and shapes of which A and B consist."""

    shapes: tuple[str, str]
    halves: tuple[str, str]
    of_b: str
    chunk: int
    """So many elements of a row, half of which are held."""
    row_bits: int
    """The bits of a row of metadata, for the first shape; the second has twice as many."""


_WIDTHS = {
    32: _Width(("m16n8k8", "m16n8k16"), ("m16n8k4", "m16n8k8"), "m16n8k8", 2, 16),
    16: _Width(("m16n8k16", "m16n8k32"), ("m16n8k8", "m16n8k16"), "m16n8k16", 4, 16),
    8: _Width(("m16n8k32", "m16n8k64"), ("m16n8k16", "m16n8k32"), "m16n8k32", 4, 32),
    4: _Width(("m16n8k64", "m16n8k128"), ("m16n8k32", "m16n8k64"), "m16n8k64", 8, 32),
}
_BITS = {"tf32": 32, "f16": 16, "bf16": 16, "s4": 4, "u4": 4}
"""Others have a byte each."""
_FLOATS_OF_A_BYTE = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")


@dataclass(frozen=True)
class SparseMultiply:
    """One form of mma.sp."""

    half: Multiply
    """A product of half the depth, dense."""
    whole: Multiply
    """Dense; B consists of one or two of it."""
    width: _Width
    deeper: bool
    """Whether it is the second of the two shapes."""
    selector: int

    @classmethod
    def create(
        cls, shape: str, types: tuple[str, ...], selector: int, saturate: bool, kind: str
    ) -> SparseMultiply | None:
        """From the last four modifiers (D, A, B, C); None for forms that do not exist."""
        width = _WIDTHS[_BITS.get(types[1], 8)]
        if shape not in width.shapes or types[1] == "f64":
            return None
        deeper = shape == width.shapes[1]
        if types[1] in _FLOATS_OF_A_BYTE and not (deeper and (kind or types[0] == "f32")):
            return None
        half = Multiply.create(width.halves[deeper], types, saturate, kind)
        whole = Multiply.create(width.of_b, types, saturate, kind)
        found = None if half is None or whole is None else cls(half, whole, width, deeper, selector)
        return found if found is not None and 0 <= selector < QUAD // found.lanes else None

    @property
    def depth(self) -> int:
        return dimensions(self.width.shapes[self.deeper])[2]

    @property
    def row_bits(self) -> int:
        return self.width.row_bits << self.deeper

    @property
    def lanes(self) -> int:
        """How many lanes of every four neighbours have the metadata of their two rows."""
        return 2 * self.row_bits // 32

    @property
    def registers(self) -> tuple[int, int, int]:
        """The registers of A, B and C."""
        factors = 4 if self.deeper else 2
        return factors, factors, 2 if self.half.accumulator == "f16" else 4

    def run(
        self, a: list[Array], b: list[Array], c: list[Array], metadata: Array, batch: State, group: Group, site: int
    ) -> list[Array]:
        """Registers of D = A B + C."""
        fields = self._fields(batch.stack([metadata], group))
        wrong = self._unordered(fields).any(axis=(1, 2))
        if wrong.any():
            detail = "metadata does not name two of four elements in their order"
            raise batch.fault("sparse-metadata", detail, site, int(group.index[32 * int(np.flatnonzero(wrong)[0])]))
        held = self.half.matrix("A", a, batch, group, site)
        left = np.zeros((len(held), 16, 2 * held.shape[2]), held.dtype)
        np.put_along_axis(left, self._columns(fields), held, axis=-1)
        parts = [self.whole.matrix("B", b[at : at + 2], batch, group, site) for at in range(0, len(b), 2)]
        return self.half.multiply(left, np.concatenate(parts, axis=1), c, batch, group, site)

    def _unordered(self, fields: Array) -> Array:
        """Where fields do not name two of four elements in their order; those of tf32 have to be the halves of one
        element."""
        first, second = fields[..., 0], fields[..., 1]
        if self.width.chunk == 2:
            return np.asarray((first % 2 != 0) | (second != first + 1))
        return np.asarray(first >= second)

    def _columns(self, fields: Array) -> Array:
        """[warp, row, held element] in its row, from `fields`."""
        warps, rows, count, _ = fields.shape
        chunk = self.width.chunk
        starts = chunk * np.arange(int(count)).reshape(-1, 1)
        within = fields.astype(np.int64)
        if chunk == 2:
            return (starts + within[..., :1] // 2).reshape(warps, rows, -1)
        if chunk == 4:
            return (starts + within).reshape(warps, rows, -1)
        pairs = starts + 2 * within
        return np.stack([pairs, pairs + 1], axis=-1).reshape(warps, rows, -1)

    def _fields(self, words: Array) -> Array:
        """[warp, row, chunk, which] from [lane, 1]."""
        row, part = np.arange(16)[:, None], np.arange(self.row_bits // 16)[None, :]
        lane, half = metadata(self.depth, self.half.bits)(row, part, self.selector)
        rows = np.ascontiguousarray(words).view(U2).reshape(-1, LANES, 2)[:, lane, half][..., None]
        fields = rows >> np.arange(0, 16, 2, dtype=U2) & 3
        return fields.astype(np.int64).reshape(len(rows), 16, -1, 2)
