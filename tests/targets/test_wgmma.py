"""The table of wgmma against the PTX ISA's closed formulas, and what it says of places."""

from __future__ import annotations

import pytest
from lanewise.ir.targets import ELEMENT_BITS, find_chip, find_matrix_instruction, warpgroup_instructions

EVERY = warpgroup_instructions(find_chip("sm_90a"))


def test_shapes_and_types() -> None:
    """PTX ISA, "wgmma.mma_async": N in eights up to 256; of integers 8, 16, 24, 32, then sixteens."""
    shapes = {(i.a_type, i.b_type, i.c_type): [] for i in EVERY}
    for i in EVERY:
        m, n, k = i.shape
        assert (m, k * ELEMENT_BITS[i.a_type]) == (64, 256)
        shapes[i.a_type, i.b_type, i.c_type].append(n)
    bytes_ = [8, 16, 24, 32, *range(48, 257, 16)]
    floats = list(range(8, 257, 8))
    assert all(ns == (bytes_ if c == "i32" else floats) for (_, _, c), ns in shapes.items())
    assert {(a, c) for a, _, c in shapes} == {
        ("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("tf32", "f32"), ("f8E4M3FN", "f32"), ("f8E4M3FN", "f16"),
        ("f8E5M2", "f32"), ("f8E5M2", "f16"), ("i8", "i32"), ("ui8", "i32"),
    }  # fmt: skip
    assert len(shapes) == 4 + 2 * 4 + 4
    assert all(warpgroup_instructions(find_chip(name)) == () for name in ("sm_90", "sm_100a", "gfx942"))


@pytest.mark.parametrize(
    "name", ["NV_WGMMA_F32_64x24x16_F16", "NV_WGMMA_F16_64x256x16_F16", "NV_WGMMA_I32_64x48x32_I8"]
)
def test_sums(name: str) -> None:
    """Lane l has of each 8 columns two neighbours in rows l // 4 and l // 4 + 8, columns first."""
    i = find_matrix_instruction(name)
    for lane in range(32):
        wanted = [
            (lane // 4 + 8 * (e // 2 % 2), 8 * (e // 4) + 2 * (lane % 4) + e % 2) for e in range(16 * i.shape[1] // 32)
        ]
        assert i.c.coordinates(lane) == wanted
    registers = i.c.registers
    assert registers.count * registers.slots == i.c.elements == i.shape[1] // 2


@pytest.mark.parametrize(("name", "each"), [("F16", 2), ("TF32", 1), ("F8E4M3FN_F8E5M2", 4)])
def test_factors_in_registers(name: str, each: int) -> None:
    """A register has `each` neighbours along K; registers alternate rows l // 4 and l // 4 + 8, then halves of K."""
    i = find_matrix_instruction(f"NV_WGMMA_F32_64x8x{8 * each}_{name}")
    for lane in range(32):
        wanted = [
            (lane // 4 + 8 * (e // each % 2), each * (lane % 4) + e % each + 4 * each * (e // each // 2))
            for e in range(4 * each)
        ]
        assert i.a.coordinates(lane) == wanted
    assert (i.subgroups, i.places, i.a.registers.count) == (4, (("registers", "shared"), ("shared",)), 4)
