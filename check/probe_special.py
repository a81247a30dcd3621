"""Probes of products of a sparse A and of block-scaled elements: what they have besides A and B.

Of a sparse A the elements that are held take turns, each at the place that drawn metadata gives it. Scales are numbers
that differ from row to row, column to column and block to block, so that the result shows which one was used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ..ir.numerics import Array, host_dtype
from ..ir.types import FloatType
from ..support.dataclasses import dataclass
from ..targets import Chip, MatrixInstruction
from ..targets.fragment import placement
from ..targets.mfma_scaled import SCALE_TYPE, ScaledMfma, scaled_mfma
from ..targets.mma_scaled import LANES_OF_A, LANES_OF_B, REGISTER_BYTES, ScaledMma, scaled_mma
from ..targets.mma_sparse import SparseMma, sparse_mma
from ..targets.smfmac import sparse_instructions, with_fragments
from ..targets.wmma_scaled import ScaledWmma, scaled_wmma

_LANES = 32
_PAIRS = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
_SELECTORS = 2
"""So many nvgpu.mma.sp.sync knows."""


@dataclass(frozen=True)
class Besides:
    """`operands`: element type and what lanes have, [lane, element]. `left` and `right` make of A and B what is
    multiplied. `flags` are attributes of the operation."""

    operands: tuple[tuple[str, Array], ...] = ()
    left: Callable[[Array], Array] = np.asarray
    right: Callable[[Array], Array] = np.asarray
    flags: tuple[str, ...] = ()


NOTHING = Besides()


def special(chip: Chip) -> Iterator[tuple[MatrixInstruction, Besides]]:
    """All of a chip's that have something besides."""
    for sparse in sparse_mma(chip):
        yield sparse, of_sparse(sparse)
    for scaled in scaled_mma(chip):
        yield scaled, of_scaled(scaled)
    for amds_scaled in scaled_mfma(chip):
        yield amds_scaled, of_amds_scaled(amds_scaled)
    for of_waves in scaled_wmma(chip):
        yield of_waves, of_scaled_waves(of_waves)
    for amds in sparse_instructions(chip):
        instruction = with_fragments(amds)
        yield instruction, of_amds_sparse(instruction)


# -- metadata -------------------------------------------------------------------------------------------------------


def of_sparse(i: SparseMma) -> Besides:
    """The last selector; lanes whose metadata is not meant have any."""
    rng, selector = np.random.default_rng(0), min(i.selectors, _SELECTORS) - 1
    m, _, k = i.shape
    fields = _drawn(rng, i).reshape(m, i.row_halves, 8)  # numbers of 2 bits
    words = rng.integers(0, 1 << 16, (_LANES, 2))
    for row in range(m):
        for part in range(i.row_halves):
            words[i.metadata_place(row, part, selector)] = fields[row, part] @ (1 << 2 * np.arange(8))
    metadata = words.astype(np.uint16).view(np.int16)
    whole = partial(_whole, _places(fields.reshape(m, -1), i), k)
    return Besides((("i16", metadata),), left=whole, flags=(f"sparsitySelector = {selector} : i32",))


def of_amds_sparse(i: MatrixInstruction) -> Besides:
    """Each lane says it of what it holds, in the lowest bits; what is above them is another set's."""
    rng, (m, _, k), held = np.random.default_rng(0), i.shape, i.a.elements
    fields = _PAIRS[rng.integers(0, len(_PAIRS), (m, k // 4))].reshape(m, k // 2)
    of_lanes = fields.reshape(-1)[placement(i.a, i.subgroup_size).elements]
    words = (of_lanes << 2 * np.arange(held)).sum(axis=1) | (
        rng.integers(0, 1 << 32, i.subgroup_size) >> 2 * held << 2 * held
    )
    bits = 8 if i.family == "swmmac" else {4: 8, 8: 16}.get(held, 32)
    parts = words.astype(np.uint32).view(f"i{bits // 8}").reshape(i.subgroup_size, -1)
    return Besides(((f"i{bits}", parts),), left=partial(_whole, fields + 4 * np.arange(k // 4).repeat(2), k))


def _whole(places: Array, k: int, held: Array) -> Array:
    """[.., row, k] of what is held, zeros around."""
    found = np.zeros((*held.shape[:-1], k))
    np.put_along_axis(found, np.broadcast_to(places, held.shape), held, axis=-1)
    return found


def _drawn(rng: np.random.Generator, i: SparseMma) -> Array:
    count = i.shape[0] * i.row_halves * 4
    if i.a_type == "tf32":
        return 2 * rng.integers(0, 2, (count, 1)) + np.arange(2)
    return _PAIRS[rng.integers(0, len(_PAIRS), count)]


def _places(fields: Array, i: SparseMma) -> Array:
    """[row, element]: where in the row of K what is held belongs."""
    rows, count = fields.shape
    units = fields + 4 * np.arange(int(count) // 2).repeat(2)  # of four in a chunk
    if i.a_type == "tf32":
        return units[:, ::2] // 2
    if i.a_type in ("i4", "ui4"):
        return np.stack([2 * units, 2 * units + 1], axis=-1).reshape(rows, -1)
    return units


# -- scales ---------------------------------------------------------------------------------------------------------

_FIRST = {"f8E8M0FNU": (96, 140), "f8E4M3FN": (0x18, 0x58)}
"""By type of scales the least code of A's and the greatest of B's: products of all of them are f32."""


def of_scaled(i: ScaledMma) -> Besides:
    """The last selectors of bytes and lanes."""
    m, n, k = i.shape
    byte, lanes = REGISTER_BYTES - i.blocks_of_k, (LANES_OF_A - 1, LANES_OF_B - 1)
    least, greatest = _FIRST[i.scale_type]
    rows = least + np.arange(m * i.blocks_of_k).reshape(m, -1)
    columns = greatest - np.arange(n * i.blocks_of_k).reshape(-1, n)
    dtype = host_dtype(FloatType(i.scale_type))
    words = [np.full((_LANES, REGISTER_BYTES), code, np.uint8) for code in (least, greatest)]
    for block in range(i.blocks_of_k):
        for row in range(m):
            words[0][i.scale_of_a(row, block, byte, lanes[0])] = rows[row, block]
        for column in range(n):
            words[1][i.scale_of_b(block, column, byte, lanes[1])] = columns[block, column]
    of_a, of_b = (codes.astype(np.uint8).view(dtype).astype(np.float64) for codes in (rows, columns))
    each = k // i.blocks_of_k
    names = (("byteIdA", byte), ("threadIdA", lanes[0]), ("byteIdB", byte), ("threadIdB", lanes[1]))
    return Besides(
        tuple((i.scale_type, w.view(dtype)) for w in words),
        left=lambda held: held * np.repeat(of_a, each, axis=1),
        right=lambda held: held * np.repeat(of_b, each, axis=0),
        flags=tuple(f"{name} = {number} : i32" for name, number in names),
    )


def of_amds_scaled(i: ScaledMfma) -> Besides:
    """The last byte; the others differ from it, and from lane to lane."""
    (m, _, k), blocks = i.shape, i.blocks_of_k
    least, greatest = _FIRST[SCALE_TYPE]
    codes = least + np.arange(m * blocks).reshape(m, -1), greatest - np.arange(m * blocks).reshape(m, -1)
    dtype = host_dtype(FloatType(SCALE_TYPE))
    words = np.random.default_rng(0).integers(1, 90, (2, i.subgroup_size, REGISTER_BYTES)).astype(np.uint8)
    for side, block, row in np.ndindex(2, blocks, m):
        words[side, i.scale_lane(row, block), -1] = codes[side][row, block]
    of_a, of_b = (np.repeat(c.astype(np.uint8).view(dtype).astype(np.float64), k // blocks, axis=1) for c in codes)
    return Besides(
        tuple((SCALE_TYPE, w.view(dtype)) for w in words),
        left=lambda held: held * of_a,
        right=lambda held: held * of_b.T,
    )


def of_scaled_waves(i: ScaledWmma) -> Besides:
    """The last lanes that there may be; the others have scales that are not meant."""
    rng, operands, factors, flags = np.random.default_rng(0), list[tuple[str, Array]](), list[Array](), list[str]()
    for side, type in enumerate((i.a_scales, i.b_scales)):
        least, greatest = _FIRST[type]
        rows, blocks = np.arange(i.shape[side])[:, None], np.arange(i.blocks_of_k)[None, :]
        codes = least + (11 * rows + 5 * blocks) % (greatest - least + 1)
        words = rng.integers(1, 90, (i.subgroup_size, i.blocks_of_k)).astype(np.uint8)
        first, (lane, byte) = i.first_lanes(side)[-1], i.scales(side)(rows, blocks)
        words[first + lane, byte] = codes
        dtype = host_dtype(FloatType(type))
        operands.append((type, words.view(dtype)))
        factors.append(np.repeat(codes.astype(np.uint8).view(dtype).astype(np.float64), i.block, axis=1))
        flags.append(f"{'ab'[side]}_first_scale_lane = {first} : i32")
    return Besides(
        tuple(operands),
        left=lambda held: held * factors[0],
        right=lambda held: held * factors[1].T,
        flags=tuple(flags),
    )
