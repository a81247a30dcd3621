"""Contractions on matrix instructions: the packs of registers that an instruction takes and gives."""

from __future__ import annotations

import numpy as np

from ..ir.attributes import i64_array
from ..ir.builder import Scalars
from ..ir.core import Value
from ..ir.dialects import nvgpu, vector
from ..ir.targets import Fragment, MatrixInstruction
from ..layout.matrix import MatrixProduct
from .context import Distribution, as_array


def multiply(
    d: Distribution, op: vector.ContractionOp, product: MatrixProduct, instruction: MatrixInstruction
) -> Scalars:
    """All batches of the product; K goes outermost, so that neighbouring instructions do not wait for each other."""
    a = _tiles(d, d.registers(op.lhs), product.lhs, instruction.a)
    b = _tiles(d, d.registers(op.rhs), product.rhs, instruction.b)
    c = _tiles(d, d.registers(op.acc), product.acc, instruction.c)
    rows, inner = a.shape
    for k in range(inner):
        for m in range(rows):
            for n in range(b.shape[1]):
                c[m, n] = d.build.value(
                    nvgpu.MmaSyncOp,
                    a[m, k],
                    b[k, n],
                    c[m, n],
                    types=[c[m, n].type],
                    mmaShape=i64_array(instruction.shape),
                )
    return _untile(d, c, d.registers(op.acc).shape, product.acc, instruction.c)


def _tiles(d: Distribution, registers: Scalars, dims: tuple[int, int], fragment: Fragment) -> Scalars:
    """Per (row batch, column batch) the pack of one fragment, in the order of its registers."""
    ordered = _ordered(registers, dims, fragment)
    tiles = np.empty(ordered.shape[:2], object)
    for batch in np.ndindex(tiles.shape):
        scalars = list(ordered[batch].reshape(-1))
        tiles[batch] = d.build.pack(scalars, pack_shape(fragment, scalars[0]))
    return tiles


def pack_shape(fragment: Fragment, scalar: Value) -> tuple[int, int]:
    """`vector<registers x elements per register>`, as nvgpu spells fragments."""
    return fragment.registers.count, fragment.elements // fragment.registers.count


def _axes(dims: tuple[int, int], fragment: Fragment) -> list[int]:
    """Axes of a distributed array (batch ++ outer ++ element): batches first, then the fragment's register order."""
    row, column = dims
    inner = [2 + row, 2 + column, 4 + row, 4 + column]
    return [row, column, *(inner[axis] for axis in fragment.register_order)]


def _ordered(registers: Scalars, dims: tuple[int, int], fragment: Fragment) -> Scalars:
    return np.transpose(registers, _axes(dims, fragment))


def _untile(
    d: Distribution, tiles: Scalars, shape: tuple[int, ...], dims: tuple[int, int], fragment: Fragment
) -> Scalars:
    axes = _axes(dims, fragment)
    ordered = np.empty([shape[a] for a in axes], object)
    for batch in np.ndindex(tiles.shape):
        scalars = d.build.unpack(tiles.item(*batch))
        ordered[batch] = as_array(scalars, ordered.shape[2:])
    return np.transpose(ordered, np.argsort(axes))
