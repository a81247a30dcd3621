"""Contractions on matrix instructions: the packs of registers that an instruction takes and gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir.attributes import IntegerAttr, i64_array
from ..ir.builder import Scalars
from ..ir.core import Value
from ..ir.dialects import amdgpu, nvgpu, vector
from ..ir.targets import Fragment, MatrixInstruction
from ..ir.types import I32
from ..layout.matrix import MatrixProduct
from .context import Distribution, as_array

Multiply = Callable[[Distribution, MatrixInstruction, Value, Value, Value], Value]


def multiply(
    d: Distribution, op: vector.ContractionOp, product: MatrixProduct, instruction: MatrixInstruction
) -> Scalars:
    """All batches of the product; K goes outermost, so that neighbouring instructions do not wait for each other."""
    a = _tiles(d, d.registers(op.lhs), product.lhs, instruction, instruction.a)
    b = _tiles(d, d.registers(op.rhs), product.rhs, instruction, instruction.b)
    c = _tiles(d, d.registers(op.acc), product.acc, instruction, instruction.c)
    rows, inner = a.shape
    for k in range(inner):
        for m in range(rows):
            for n in range(b.shape[1]):
                c[m, n] = _MULTIPLY[instruction.family](d, instruction, a[m, k], b[k, n], c[m, n])
    return _untile(d, c, d.registers(op.acc).shape, product.acc, instruction.c)


def _tiles(
    d: Distribution, registers: Scalars, dims: tuple[int, int], instruction: MatrixInstruction, fragment: Fragment
) -> Scalars:
    """Per (row batch, column batch) the pack of one fragment, in the order of its registers."""
    ordered = _ordered(registers, dims, fragment)
    tiles = np.empty(ordered.shape[:2], object)
    for batch in np.ndindex(tiles.shape):
        scalars = list(ordered[batch].reshape(-1))
        tiles[batch] = d.build.pack(scalars, pack_shape(instruction, fragment))
    return tiles


def _mma_sync(d: Distribution, instruction: MatrixInstruction, a: Value, b: Value, c: Value) -> Value:
    return d.build.value(nvgpu.MmaSyncOp, a, b, c, types=[c.type], mmaShape=i64_array(instruction.shape))


def _amd(cls: type[amdgpu.MatrixOp]) -> Multiply:
    def build(d: Distribution, instruction: MatrixInstruction, a: Value, b: Value, c: Value) -> Value:
        m, n, k = (IntegerAttr(extent, I32) for extent in instruction.shape)
        return d.build.value(cls, a, b, c, types=[c.type], m=m, n=n, k=k)

    return build


_MULTIPLY: dict[str, Multiply] = {"mma.sync": _mma_sync, "mfma": _amd(amdgpu.MfmaOp), "wmma": _amd(amdgpu.WmmaOp)}
"""The thread-level operation of every instruction family."""


def pack_shape(instruction: MatrixInstruction, fragment: Fragment) -> tuple[int, ...]:
    """nvgpu spells fragments as `vector<registers x elements per register>`, amdgpu as flat vectors."""
    if instruction.family == "mma.sync":
        return fragment.registers.count, fragment.elements // fragment.registers.count
    return (fragment.elements,)


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
