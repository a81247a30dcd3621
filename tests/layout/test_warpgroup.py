"""Which subgroups do a product together on wgmma, and what they hold of its sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lanewise.ir.dialects.vector_reductions import Roles
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.layout.contraction import Contraction
from lanewise.layout.nested import NestedLayout
from lanewise.layout.shared_operands import Tile, in_memory
from lanewise.layout.warpgroup_candidates import warpgroup_misfit, warpgroup_tilings
from lanewise.layout.workgroup import Workgroup
from lanewise.support.diagnostics import ParseError
from lanewise.targets import find_chip, find_matrix_instruction

ALONG_K = Tile(contiguous=1, width=32, bits=16)


def product(rows: int, columns: int) -> Contraction:
    roles = Roles(batch=(), rows=(0,), columns=(1,), summed=(2,))
    sides = (0, 2), (1, 2), (0, 1)
    return Contraction(sides, (rows, columns, 32), roles, ("f16", "f16", "f32"), None, None, "", (ALONG_K, ALONG_K))


def workgroup(threads: int) -> Workgroup:
    return Workgroup(threads, 32, find_chip("sm_90a"), shared_bytes=1 << 16)


@pytest.mark.parametrize(
    ("rows", "columns", "threads", "name", "grid"),
    [
        (64, 256, 128, "NV_WGMMA_F32_64x256x16_F16", (1, 1)),
        (128, 512, 128, "NV_WGMMA_F32_64x256x16_F16", (1, 1)),
        (128, 96, 256, "NV_WGMMA_F32_64x96x16_F16", (2, 1)),
        (64, 96, 256, "NV_WGMMA_F32_64x48x16_F16", (1, 2)),
        (256, 64, 256, "NV_WGMMA_F32_64x64x16_F16", (2, 1)),
    ],
)
def test_fours_divide_rows_then_columns(
    rows: int, columns: int, threads: int, name: str, grid: tuple[int, int]
) -> None:
    tiling = next(warpgroup_tilings(product(rows, columns), workgroup(threads)))
    assert (tiling.instruction.iree_name, tiling.grid, tiling.transposed) == (name, grid, False)
    lhs, rhs, acc = tiling.layouts(next(tiling.grids(threads // 32, lines=False)), {})
    assert (lhs, rhs) == (in_memory((rows, 32)), in_memory((columns, 32)))
    assert tiling.matches([lhs, rhs, acc])
    held = acc.wrapped(threads // 32).coordinates(threads, 32).reshape(-1, 2)
    assert len(np.unique(held, axis=0)) == len(held) == rows * columns  # each sum once
    lane = np.arange(threads)
    first = acc.wrapped(threads // 32).thread_offsets(threads, 32)
    wanted = (
        64 * (lane // 128 % grid[0]) + 16 * (lane // 32 % 4) + lane % 32 // 4
    )  # PTX ISA: rows of a warpgroup's lanes
    assert np.array_equal(first[:, 0], wanted)


def test_what_nobody_holds_is_like_nothing_else() -> None:
    layout = in_memory((8, 16))
    ones, zeros = (1, 1), (0, 0)
    assert layout != NestedLayout(ones, (8, 16), ones, ones, ones, zeros, zeros)
    assert (layout.registers, layout.is_held, layout.shape, layout.wrapped(4)) == (0, False, (8, 16), layout)
    assert str(layout) == "in shared memory, 8x16"


def test_a_part_of_the_workgroup_begins_with_a_four() -> None:
    whole, what = workgroup(128), product(64, 32)
    assert any(warpgroup_tilings(what, replace(whole, first_subgroup=4)))
    assert not any(warpgroup_tilings(what, replace(whole, first_subgroup=2)))
    asked = replace(what, asked=(find_matrix_instruction("NV_WGMMA_F32_64x32x16_F16"), None))
    assert warpgroup_misfit(asked, whole) == ""
    why = "its subgroups begin at number 2, and warpgroups at multiples of four"
    assert warpgroup_misfit(asked, replace(whole, first_subgroup=2)) == why
    why = "subgroups of a subgroup's program do not execute it together"
    assert warpgroup_misfit(asked, replace(whole, scope="subgroup")) == why


def test_the_shape_of_what_nobody_holds_is_one() -> None:
    with pytest.raises(ParseError, match=r"a shape has positive extents, found \[0, 8\]"):
        parse_program("module attributes {x = #lanewise.in_memory<[0, 8]>} {}")
    text = "module attributes {x = #lanewise.in_memory<[2, 8]>} {}"
    assert "#lanewise.in_memory<[2, 8]>" in print_program(parse_program(text))
