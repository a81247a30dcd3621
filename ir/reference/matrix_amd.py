"""Rules for AMD's matrix instructions: registers to matrices of whole subgroups, one batched product, and back.

Closed formulas again say which lane holds which element: t is the lane, i counts a lane's elements in register order, B
is indexed (k, n), instructions that multiply several blocks have the block in front. Sources: AMD's matrix instruction
calculator (MFMA), the RDNA 3 and RDNA 4 instruction set documents (WMMA). RDNA 3 wants A and B twice, in both halves of
the subgroup, and it is an error if they differ. For gfx1250 the order of K within a row is not published; any one gives
the same product as long as A and B share it, and here it is that of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..core import Operation
from ..dialects import amdgpu
from ..numerics import Array
from ..types import FloatType, Type, bit_width, element_count, scalar_type, shape_of
from .errors import failure
from .matrix_bounds import bounds
from .matrix_nvidia import Shape, all_threads, product_type, require_subgroups, tf32, without_sign
from .program import EVALUATE, Compiler, Step
from .state import State

Place = tuple[int, int, int]
Formula = Callable[[int, int], Place]


@dataclass(frozen=True)
class Fragments:
    """(t, i) -> (block, row, column) for A, B and the accumulator, over `lanes` lanes."""

    lanes: int
    blocks: int
    a: Formula
    b: Formula
    c: Formula


def _fragments(lanes: int, a: Formula, c: Formula, blocks: int = 1) -> Fragments:
    """With the fragment of B that is A's transposed, as in all instructions but one."""

    def b(t: int, i: int) -> Place:
        block, column, row = a(t, i)
        return block, row, column

    return Fragments(lanes, blocks, a, b, c)


def mfma_fragments(shape: Shape, elements: int, is_f64: bool) -> Fragments | None:
    """Of the instruction that takes `elements` of A a lane; None where no such shape exists."""
    size, _, k = shape
    if size not in (4, 16, 32) or shape[1] != size or elements * 64 % (size * k):
        return None
    blocks = elements * 64 // (size * k)
    if is_f64:
        return {(16, 16, 4): _F64_16, (4, 4, 4): _F64_4}.get(shape)
    if blocks > 1:
        return _blocked(size) if blocks * size == 64 else None
    return _single(size, elements)


def _single(size: int, n: int) -> Fragments | None:
    accumulators: dict[int, Formula] = {
        16: lambda t, i: (0, 4 * (t // 16) + i, t % 16),
        32: lambda t, i: (0, 8 * (i // 4) + 4 * (t // 32) + i % 4, t % 32),
    }
    return _fragments(64, lambda t, i: (0, t % size, n * (t // size) + i), accumulators[size]) if size > 4 else None


def _blocked(size: int) -> Fragments:
    accumulators: dict[int, Formula] = {
        4: lambda t, i: (t // 4, i, t % 4),
        16: lambda t, i: (i // 4, 4 * (t // 16) + i % 4, t % 16),
        32: lambda t, i: (i // 16, 8 * (i % 16 // 4) + 4 * (t // 32) + i % 4, t % 32),
    }
    return _fragments(64, lambda t, i: (t // size, t % size, i), accumulators[size], 64 // size)


_F64_16 = _fragments(64, lambda t, i: (0, t % 16, t // 16), lambda t, i: (0, t // 16 + 4 * i, t % 16))
_F64_4 = Fragments(
    64,
    4,
    lambda t, i: (t // 4 % 4, t % 4, t // 16),
    lambda t, i: (t // 4 % 4, t // 16, t % 4),
    lambda t, i: (t // 4 % 4, t // 16, t % 4),
)


def wmma_fragments(shape: Shape, elements: int, bits: int, lanes: int) -> Fragments | None:
    """RDNA 3 holds all of a row of A in a lane, RDNA 4 and gfx1250, here with 32 lanes, half of it."""
    m, n, k = shape
    if (m, n) != (16, 16) or elements not in (k, k // 2):
        return None
    if elements == k:
        return _fragments(lanes, lambda t, i: (0, t % 16, i), lambda t, i: (0, lanes // 16 * i + t // 16, t % 16))
    if lanes != 32:
        return None
    accumulator: Formula = lambda t, i: (0, 8 * (t // 16) + i, t % 16)  # noqa: E731
    if k == 16 and bits == 16:
        return _fragments(32, lambda t, i: (0, t % 16, 8 * (i // 4) + 4 * (t // 16) + i % 4), accumulator)
    return _fragments(32, lambda t, i: (0, t % 16, k // 2 * (t // 16) + i), accumulator)


# -- placing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Placement:
    """Where one operand's elements are; `elements` names the matrix element of each place lane * count + i, `places`
    one place of each element."""

    lanes: int
    shape: Place
    elements: Array
    places: Array

    def matrices(self, value: Array) -> Array:
        """[subgroups * blocks, rows, columns] from the registers of [threads, ...]."""
        flat = value.reshape(-1, self.elements.size)
        return flat[:, self.places].reshape(-1, *self.shape[1:])

    def registers(self, matrices: Array) -> Array:
        """The reverse: [subgroups, lanes * count]."""
        return matrices.reshape(-1, self.places.size)[:, self.elements]


def placement(formula: Formula, lanes: int, count: int, shape: Place) -> Placement:
    """Of a matrix of (blocks, rows, columns); every element must be somewhere."""
    at = np.array([formula(t, i) for t in range(lanes) for i in range(count)])
    elements = np.asarray(np.ravel_multi_index(tuple(at.T), shape))
    known, places = np.unique(elements, return_index=True)
    assert known.size == np.prod(shape), f"{shape} is not covered by {lanes} lanes of {count} elements"
    return Placement(lanes, shape, elements, places)


@cache
def _placements(family: str, shape: Shape, elements: tuple[int, int], bits: int) -> tuple[Placement, ...] | None:
    """Of A, B and C of an instruction whose lanes hold `elements` of A and C."""
    m, n, k = shape
    count, results = elements
    if family == "mfma":
        found = mfma_fragments(shape, count, bits == 64)
    else:
        found = wmma_fragments(shape, count, bits, m * n // results)
    if found is None or results * found.lanes != found.blocks * m * n:
        return None
    sizes = ((m, k), (k, n), (m, n))
    return tuple(
        placement(formula, found.lanes, held, (found.blocks, *size))
        for formula, held, size in zip((found.a, found.b, found.c), (count, count, results), sizes, strict=True)
    )


# -- the rules ------------------------------------------------------------------------------------------------------


@EVALUATE.of(amdgpu.MfmaOp, amdgpu.WmmaOp)
def _matrix(op: amdgpu.MatrixOp, c: Compiler) -> Step:
    family = "mfma" if isinstance(op, amdgpu.MfmaOp) else "wmma"
    types = [v.type for v in (op.sourceA, op.sourceB, op.destC)]
    elements = [scalar_type(t) for t in types]
    counts = [element_count(t) for t in types]
    found = _placements(family, op.shape, (counts[0], counts[2]), bit_width(elements[0]))
    if found is None or counts[1] != counts[0]:
        listed = ", ".join(map(str, types))
        raise failure(op, f"is no instruction: {'x'.join(map(str, op.shape))} on {listed}")
    inputs, out = c.slots([op.sourceA, op.sourceB, op.destC]), c.slot(op.destD)
    wide = product_type(elements[0], elements[2])
    unsigned = [bit_width(elements[0]) * (f"unsigned{side}" in op.attributes) for side in "ABC"]
    truncate = _is_tf32(op, elements[0])
    note = bounds(c, inputs, out, types, [place.matrices for place in found], found[2].registers)

    def step(m: State) -> None:
        require_subgroups(m, op, found[0].lanes)
        given = (all_threads(m, m.values[i], t) for i, t in zip(inputs, types, strict=True))
        x, y, z = (_operand(op, p, v, u) for p, v, u in zip(found, given, unsigned, strict=True))
        left, right = ((tf32(v) if truncate else v).astype(wide) for v in (x, y))
        total = np.matmul(left, right) + z.astype(wide)
        if wide == np.int64:
            total = total.astype(np.int32)
        note(m, (left, right, z))
        m.values[out] = found[2].registers(total).astype(z.dtype, copy=False).reshape(m.batch.size, *shape_of(types[2]))

    return step


def _is_tf32(op: amdgpu.MatrixOp, a: Type) -> bool:
    """The instructions of twice the depth of those that multiply f32 do it in tf32."""
    depth = {(16, 16, 8), (32, 32, 4)}
    return a == FloatType("tf32") or (isinstance(op, amdgpu.MfmaOp) and a == FloatType("f32") and op.shape in depth)


def _operand(op: Operation, place: Placement, value: Array, unsigned: int) -> Array:
    """As matrices; integers of so many bits as unsigned ones."""
    matrices = place.matrices(value)
    if place.elements.size > place.places.size:
        given = value.reshape(-1, place.elements.size)
        if not np.array_equal(_bits(place.registers(matrices)), _bits(given)):
            raise failure(op, "has operands that differ between the halves of a subgroup, which must hold the same")
    return without_sign(matrices.astype(np.int64), unsigned) if unsigned else matrices


def _bits(value: Array) -> Array:
    return np.ascontiguousarray(value).view(np.uint8)
