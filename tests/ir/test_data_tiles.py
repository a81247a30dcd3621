"""The order of data-tiled operands: shapes that upstream's programs have, elements by formulas of instructions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from lanewise.ir.data_tiles import DataTile, data_tiles
from lanewise.ir.dialects.iree_gpu import DataTiledMMALayoutAttr
from lanewise.targets import find_matrix_instruction

Shape = tuple[int, ...]
SHAPES: dict[str, tuple[DataTiledMMALayoutAttr, tuple[Shape, Shape, Shape]]] = {
    "f32": (
        DataTiledMMALayoutAttr(
            "MFMA_F32_16x16x4_F32",
            intrinsics_m=8,
            intrinsics_n=2,
            subgroups_n=4,
            intrinsics_k=4,
            operands_interleaving_intrinsics_k=(0, 1),
        ),
        ((8, 4, 16, 4), (4, 2, 4, 16, 4), (4, 8, 2, 4, 16, 4)),
    ),
    "bytes": (
        DataTiledMMALayoutAttr(
            "MFMA_I32_16x16x16_I8",
            intrinsics_m=4,
            intrinsics_n=2,
            subgroups_n=4,
            intrinsics_k=4,
            operands_interleaving_intrinsics_k=(0, 1),
        ),
        ((4, 4, 16, 4, 4), (4, 2, 4, 16, 4, 4), (4, 4, 2, 4, 16, 4)),
    ),
    "wmma": (
        DataTiledMMALayoutAttr(
            "WMMAR3_F32_16x16x16_F16",
            intrinsics_m=2,
            subgroups_m=2,
            intrinsics_n=2,
            subgroups_n=2,
            operands_interleaving_intrinsics_k=(0, 1),
        ),
        ((2, 2, 16, 16), (2, 2, 16, 16), (2, 2, 2, 2, 8, 2, 16)),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_upstreams(name: str) -> None:
    kind, shapes = SHAPES[name]
    assert tuple(tile.shape for tile in data_tiles(kind, find_matrix_instruction(kind.intrinsic))) == shapes


def places(tile: DataTile) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """[element in memory, axis]: its place in the tile seen as rows."""
    numbers = np.arange(np.prod(tile.shape)).reshape(tile.shape)
    return np.argsort(np.transpose(numbers, tile.order).reshape(-1))


@pytest.mark.parametrize("interleaved", [(0, 1), ()])
def test_elements_lie_where_lanes_take_them(interleaved: tuple[int, ...]) -> None:
    """CDNA 3 ISA: lane l of v_mfma_f32_16x16x16_f16 has of A row l % 16, k = 4 (l / 16) + i; of C rows 4 (l / 16) + i,
    column l % 16."""
    kind = DataTiledMMALayoutAttr(
        "MFMA_F32_16x16x16_F16",
        intrinsics_m=2,
        intrinsics_n=3,
        subgroups_n=2,
        intrinsics_k=2,
        operands_interleaving_intrinsics_k=interleaved,
    )
    a, b, c = data_tiles(kind, find_matrix_instruction(kind.intrinsic))
    lanes, steps, four = range(64), range(2), range(4)
    inner = (
        [(lane, step, i) for lane in lanes for step in steps for i in four]
        if interleaved
        else [(lane, step, i) for step in steps for lane in lanes for i in four]
    )
    for tile, outer in ((a, range(2)), (b, range(6))):
        wanted = [
            (16 * part + lane % 16) * 32 + 16 * step + 4 * (lane // 16) + i for part in outer for lane, step, i in inner
        ]
        assert places(tile).tolist() == wanted
    wanted = [
        (16 * row + 4 * (lane // 16) + i) * 96 + 48 * subgroup + 16 * column + lane % 16
        for subgroup, row, column, lane, i in product(range(2), range(2), range(3), lanes, four)
    ]
    assert places(c).tolist() == wanted


def test_subgroups_that_share_out_k() -> None:
    """Upstream expands K by its subgroups outside of what a subgroup has, and inside of the subgroups of rows; sums
    have nothing of them (`getSwizzleImpl` of IREE's GPUTileSwizzleUtils)."""
    kind = DataTiledMMALayoutAttr("MFMA_F32_16x16x16_F16", intrinsics_m=2, subgroups_m=2, intrinsics_k=3, subgroups_k=2)
    a, b, c = data_tiles(kind, find_matrix_instruction(kind.intrinsic))
    assert [tile.shape for tile in (a, b, c)] == [(2, 2, 2, 3, 4, 16, 4), (2, 3, 4, 16, 4), (2, 2, 4, 16, 4)]
    wanted = [
        (32 * of_rows + 16 * row + lane % 16) * 96 + 48 * of_k + 16 * step + 4 * (lane // 16) + i
        for of_rows, of_k, row, step, lane, i in product(range(2), range(2), range(2), range(3), range(64), range(4))
    ]
    assert places(a).tolist() == wanted
