"""Where the shared table and the vendors' formulas disagree: whole maps, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from lanewise.targets import ELEMENT_BITS, Fragment, MatrixInstruction, amd_fragments, nvidia_fragments
from lanewise.targets.fragment import DigitMap
from lanewise.targets.instructions import MATRIX_INSTRUCTIONS
from lanewise.targets.mfma_scaled import MFMA_SCALED
from lanewise.targets.mma_scaled import MMA_SCALED
from lanewise.targets.mma_sparse import MMA_SPARSE
from lanewise.targets.scaled_extensions import CHOICES
from lanewise.targets.smfmac import SMFMAC, SWMMAC, with_fragments
from lanewise.targets.tcgen05 import TCGEN05
from lanewise.targets.transposing_loads import FROM_GLOBAL, FROM_SHARED, TransposingLoad
from lanewise.targets.wgmma import WGMMA
from lanewise.targets.wmma_scaled import BLOCKS, WMMA_SCALED

from . import amd_formulas as amd
from . import nvidia_formulas as nvidia

Array = np.ndarray[Any, Any]

ROWS: tuple[MatrixInstruction, ...] = (
    *MATRIX_INSTRUCTIONS, *WGMMA, *TCGEN05, *MMA_SPARSE, *MMA_SCALED, *MFMA_SCALED,
    *map(with_fragments, (*SMFMAC, *SWMMAC)), *WMMA_SCALED,
)  # fmt: skip
"""Every instruction that any table lists."""

NVIDIA = ("mma.sync", "mma.sp", "mma.block_scale", "wgmma", "tcgen05")
"""Families; the others are AMD's."""
IN_A_BYTE = ("f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
"""Elements that have a byte each in NVIDIA's registers, outside of packed products."""


def bits_in_register(type: str, *, packed: bool = False) -> int:
    return 8 if type in IN_A_BYTE and not packed else ELEMENT_BITS[type]


def expanded(fragment: Fragment, lanes: int, subgroups: int = 1) -> Array:
    """[lane, element, dimension], by what the tuples of a fragment mean (its doc string), not by the table's own code:
    subgroups have parts below each other."""
    lane, element = np.arange(lanes * subgroups)[:, None], np.arange(fragment.elements)[None, :]
    sizes = [(*fragment.outer, *fragment.element)[axis] for axis in fragment.register_order]
    index = dict(zip(fragment.register_order, np.unravel_index(element, sizes), strict=True))
    found: list[Array] = []
    for d, (count, stride, each) in enumerate(
        zip(fragment.thread, fragment.thread_strides, fragment.element, strict=True)
    ):
        thread = lane % lanes // stride % count if stride else 0
        found.append((index[d] * count + thread) * each + index[fragment.rank + d] + 0 * lane)
    found[0] = found[0] + lane // lanes * fragment.shape[0]
    return np.stack(found, axis=-1)


# -- NVIDIA: from places to elements ------------------------------------------------------------------------------


class _Row(NamedTuple):
    """What a check of an operand depends on: many rows are alike."""

    family: str
    shape: tuple[int, int, int]
    bits: tuple[int, int]
    blocks: int
    lanes: int
    subgroups: int
    requires: str

    @classmethod
    def of(cls, i: MatrixInstruction) -> _Row:
        packed = (i.family == "mma.block_scale" and i.shape[2] == 64) or i.family not in NVIDIA
        bits = bits_in_register(i.a_type, packed=packed), bits_in_register(i.b_type, packed=packed)
        requires = i.requires if i.family == "wmma" or i.requires == "mfma.f8f6f4" else ""
        return cls(i.family, i.shape, bits, i.blocks, i.subgroup_size, i.subgroups, requires)


def _formulas(i: _Row) -> dict[str, nvidia.Formula]:
    """Of the operands that registers hold."""
    bits, (m, n, k) = i.bits[0], i.shape
    if i.family == "wgmma":
        return {"a": nvidia.WGMMA_A[bits], "c": nvidia.wgmma_accumulator(n)}
    if i.family == "tcgen05":
        return {"c": nvidia.TENSOR_MOVES["32x32b"]}
    table = nvidia.SPARSE if i.family == "mma.sp" else nvidia.MMA
    return dict(zip("abc", table[f"m{m}n{n}k{k}", bits], strict=True))


@cache
def _nvidia_operand(i: _Row, name: str, fragment: Fragment) -> str:
    """What is wrong with a fragment; empty where nothing is."""
    m, n, k = i.shape
    held = k // 2 if i.family == "mma.sp" else k
    rows = {"a": (m, held), "b": (k, n), "c": (m, n)}[name]
    if name not in _formulas(i):
        return "" if fragment.shape == rows else f"{name} is {rows}, found {fragment.shape}"
    if fragment.shape != (rows[0] // i.subgroups, rows[1]):
        return f"{name} is {rows} of {i.subgroups} subgroups, found {fragment.shape}"
    found, expected = expanded(fragment, i.lanes, i.subgroups), _nvidia_places(i, name, fragment.elements)
    return "" if np.array_equal(found, expected) else f"{name} is elsewhere than the vendor says"


@cache
def _nvidia_places(i: _Row, name: str, elements: int) -> Array:
    """[lane, element, dimension] as the vendor has it."""
    lanes, element, formula = (
        np.arange(i.lanes * i.subgroups)[:, None],
        np.arange(elements)[None, :],
        _formulas(i)[name],
    )
    if i.family == "tcgen05":  # each subgroup reads lanes of its own, 32 rows further on
        row, column = formula(lanes % i.lanes, element)
        return np.stack(np.broadcast_arrays(row + lanes // i.lanes * i.lanes, column), axis=-1)
    return np.stack(np.broadcast_arrays(*formula(lanes, element)), axis=-1)


# -- AMD: from elements to places -------------------------------------------------------------------------------------

_ANY_ORDER = ("wmma.gfx1250",)
"""Whose order of K nobody has published."""


def hardware_holders(i: MatrixInstruction) -> amd.Holders:
    """Of A, B and C of one of AMD's, with K as the hardware numbers it."""
    return _holders(_Row.of(i))


def _holders(i: _Row) -> amd.Holders:
    m, _, k = i.shape
    bits = i.bits[0]
    if i.family == "mfma.scale" or i.requires == "mfma.f8f6f4":
        return amd.f8f6f4(m, k, i.bits)
    if i.family == "wmma.scale":
        return amd.scaled_wmma(i.bits)
    if i.family == "smfmac":
        return amd.smfmac(m, k, bits)
    if i.family == "swmmac":
        return amd.swmmac(k, bits)
    if i.family == "wmma" and i.requires == "wmma.gfx11":
        return amd.wmma_gfx11(i.lanes)
    if i.family == "wmma":
        return amd.wmma_gfx12_halves() if bits == 16 and i.requires == "wmma.gfx12" else amd.wmma_gfx12(k)
    if bits == 64:
        return amd.mfma_f64() if m == 16 else amd.mfma_f64_blocks()
    return amd.mfma(m, k) if i.blocks == 1 else amd.mfma_blocks(m, k)


@cache
def _amd_holders(i: _Row, name: str, extents: tuple[int, int]) -> tuple[Array, Array]:
    """(lane, element), each [block, row, column] as the vendor has it."""
    return amd.table(getattr(_holders(i), name), extents, i.blocks, is_b=name == "b")


@cache
def _amd_operand(i: _Row, name: str, fragment: Fragment) -> str:
    """The same; where K may be in any order, or is in another than the hardware's, `_amd_order` says more."""
    m, n, k = i.shape
    held = k // 2 if i.family in ("smfmac", "swmmac") else k
    extents = {"a": (m, held), "b": (k, n), "c": (m, n)}[name]
    if fragment.shape != (extents if i.blocks == 1 else (i.blocks, *extents)):
        return f"{name} is {extents}, found {fragment.shape}"
    lane, element = _amd_holders(i, name, extents)
    places = expanded(fragment, i.lanes)
    if i.blocks == 1:
        places = np.concatenate([np.zeros_like(places[..., :1]), places], axis=-1)
    if places.shape[1] <= element.max() or not np.array_equal(
        places[lane, element], np.stack(np.indices(lane.shape), axis=-1)
    ):
        return f"{name} is elsewhere than the vendor says"
    copies = places.shape[0] * places.shape[1] // lane.size  # gfx11: every 16 lanes have the same
    every = places.reshape(copies, -1, *places.shape[1:])
    return "" if all(np.array_equal(every[0], other) for other in every) else f"copies of {name} differ"


@cache
def _amd_order(i: _Row, a: Fragment, b: Fragment) -> str:
    """Whether A and B have K in the hardware's order but for one permutation, the same of both."""
    m, n, k = i.shape
    orders: list[Array] = []
    for name, fragment, extents, along in (("a", a, (m, k), 1), ("b", b, (k, n), 0)):
        if fragment.shape != extents:
            return f"{name} is {extents}, found {fragment.shape}"
        lane, element = _amd_holders(i, name, extents)
        places = expanded(fragment, i.lanes)
        if places.shape[1] <= element.max():
            return f"{name} has {places.shape[1]} elements a lane"
        found = places[lane[0], element[0]]
        if not np.array_equal(found[..., 1 - along], np.indices(extents)[1 - along]):
            return f"{name} has another row or column than the vendor says"
        order = found[..., along] if along == 1 else found[..., along].T
        if (order != order[0]).any() or sorted(order[0].tolist()) != list(range(k)):
            return f"{name} permutes K in no one way"
        orders.append(order[0])
    return "" if np.array_equal(*orders) else "A and B permute K differently"


# -- all --------------------------------------------------------------------------------------------------------------


def is_ordered(i: MatrixInstruction) -> bool:
    """Whether A and B have K as the hardware numbers it."""
    return i.hardware is None and i.requires not in _ANY_ORDER


def disagreements(i: MatrixInstruction) -> Iterator[str]:
    """Of one row, its fragments as they are."""
    row, operand = _Row.of(i), _nvidia_operand if i.family in NVIDIA else _amd_operand
    a, b, c = (part.alone for part in (i.a, i.b, i.c))
    given = [("c", c)]
    if is_ordered(i):
        given += [("a", a), ("b", b)]
    elif i.hardware is not None:
        given += zip("ab", i.hardware, strict=True)
    found = [operand(row, name, fragment) for name, fragment in given]
    yield from filter(None, [*found, "" if is_ordered(i) else _amd_order(row, a, b)])


# -- what is beside the operands, and moves ---------------------------------------------------------------------------


class Beside(NamedTuple):
    """A map of the table that is no fragment, and whether one like it is what the vendor says."""

    name: str
    map: DigitMap
    agrees: Callable[[DigitMap], bool]


def _same(found: tuple[Array, ...], wanted: tuple[Array, ...]) -> bool:
    pairs = zip(np.broadcast_arrays(*found), np.broadcast_arrays(*wanted), strict=True)
    return all(np.array_equal(*np.broadcast_arrays(x, y)) for x, y in pairs)


def _metadata(k: int, bits: int) -> Beside:
    halves = {32: 2 * k, 16: k, 8: k, 4: k // 2}[bits] // 16

    def agrees(map: DigitMap) -> bool:
        row, field = np.arange(16)[:, None], np.arange(8 * halves)[None, :]
        for selector in range(4 // halves):
            lane, half = map(row, field // 8, selector)
            if not _same((lane, 16 * half + 2 * (field % 8)), nvidia.metadata_owner(k, bits, row, field, selector)):
                return False
        return True

    return Beside(f"metadata of k{k}, {bits} bits", nvidia_fragments.metadata(k, bits), agrees)


def _scales(name: str, map: DigitMap, owner: Callable[[Array], tuple[Array, Array]], rows: int) -> Beside:
    def agrees(map: DigitMap) -> bool:
        number, block, byte = np.arange(rows)[:, None, None], np.arange(4)[:, None], np.arange(4)[None, :]
        inside = np.broadcast_to(block + byte < 4, (rows, 4, 4))
        for selector in range(map.sizes[-1]):
            lane, at = (np.broadcast_to(x, inside.shape) for x in map(number, block, byte, selector))
            found, chosen = owner(lane)
            at_byte = np.broadcast_to(block + byte, inside.shape)
            if (found != number).any() or (chosen != selector).any() or (at != at_byte)[inside].any():
                return False
        return map.sizes[-1] * rows == 32

    return Beside(name, map, agrees)


def _move(shape: str) -> Beside:
    def agrees(map: DigitMap) -> bool:
        t, r = np.arange(32)[:, None], np.arange(128)[None, :]
        return _same(map(t, r), nvidia.TENSOR_MOVES[shape](t, r))

    return Beside(f"tcgen05.ld {shape}", nvidia_fragments.TENSOR_MOVES[shape].places, agrees)


def _copy(shape: str) -> Beside:
    row_bytes, copies = nvidia.TENSOR_COPIES[shape]

    def agrees(map: DigitMap) -> bool:
        if map.sizes != (len(copies[0]), len(copies)):
            return False
        (lanes,) = map(np.arange(len(copies[0]))[None, :], np.arange(len(copies))[:, None])
        return np.broadcast_to(lanes, (len(copies), len(copies[0]))).tolist() == copies

    known = nvidia_fragments.TENSOR_COPIES[shape]
    assert known.row_bytes == row_bytes, shape
    return Beside(f"tcgen05.cp {shape}", known.places, agrees)


def _rows(m: int) -> Beside:
    """Layout D: row r is in lane r; layout F: warp w has rows 16 w to 16 w + 15 in its lower lanes."""
    wanted = [row if m == 128 else 32 * (row // 16) + row % 16 for row in range(m)]
    return Beside(
        f"rows of tcgen05.mma, m{m}",
        nvidia_fragments.TENSOR_ROWS[m],
        lambda map: np.asarray(map(np.arange(m))[0]).tolist() == wanted,
    )


def _amd_scales(size: int) -> Beside:
    def agrees(map: DigitMap) -> bool:
        row, block = np.arange(size)[:, None], np.arange(64 // size)[None, :]
        (lane,) = map(row, block)
        return np.array_equal(lane, amd.scale_lane(size, row, 32 * block + 17))

    return Beside(f"scales of mfma, {size} rows", amd_fragments.scales(size), agrees)


def _scales_of_waves(rows: int, block: int) -> Beside:
    def agrees(map: DigitMap) -> bool:
        row, number = np.arange(rows)[:, None], np.arange(128 // block)[None, :]
        return map.sizes == (rows, 128 // block) and _same(
            map(row, number), amd.scale_of_wave(block, row, block * number + 7)
        )

    return Beside(f"scales of wmma, {rows} rows in blocks of {block}", amd_fragments.wmma_scales(rows, block), agrees)


def _transposing(name: str, load: TransposingLoad, formula: Callable[[Array, Array], tuple[Array, Array]]) -> Beside:
    def agrees(map: DigitMap) -> bool:
        lane, element = np.arange(32)[:, None], np.arange(load.elements)[None, :]
        reader, number = map(lane % load.lanes, element)
        if map.sizes != (load.lanes, load.elements) or reader.max() >= load.lanes or number.max() >= load.elements:
            return False
        return _same(formula(lane - lane % load.lanes + reader, number), (lane, element))

    return Beside(f"{name}, {load.bits} bits", load.source, agrees)


def _extension(bits: int, block: int) -> Beside:
    lane = np.arange(32)
    return Beside(
        f"scales of extensions, {bits} bits in blocks of {block}",
        CHOICES[bits][block].place,
        lambda map: map.sizes == (32,) and _same(map(lane), amd.extension_scale(bits, block, lane)),
    )


BESIDE: tuple[Beside, ...] = (
    *(_metadata(int(shape.split("k")[1]), bits) for shape, bits in nvidia.SPARSE),
    _scales("scales of A", nvidia_fragments.SCALE_OF_A, nvidia.scale_row, 16),
    _scales("scales of B", nvidia_fragments.SCALE_OF_B, nvidia.scale_column, 8),
    *map(_move, nvidia.TENSOR_MOVES),
    *map(_copy, nvidia.TENSOR_COPIES),
    *map(_rows, (64, 128)),
    *map(_amd_scales, (16, 32)),
    *(_scales_of_waves(rows, block) for rows in (16, 32) for block in BLOCKS),
    *(_transposing("ds_read_tr", FROM_SHARED[bits], of) for bits, of in amd.FROM_SHARED.items()),
    *(_transposing("global_load_tr", FROM_GLOBAL[bits], of) for bits, of in amd.FROM_GLOBAL.items()),
    *(_extension(bits, block) for bits in (4, 6, 8) for block in (16, 32)),
)


def tile_agrees(fragment: Fragment, *, transposed: bool) -> bool:
    """Of ldmatrix and stmatrix, elements of 16 bits."""
    row, column = nvidia.tile(np.arange(32)[:, None], np.arange(2)[None, :])
    wanted = np.stack([column, row] if transposed else [row, column], axis=-1)
    return fragment.shape == (8, 8) and np.array_equal(expanded(fragment, 32), wanted)
