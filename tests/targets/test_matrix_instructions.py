"""Rows of matrix instructions: registers, digits, worked examples, and the names of every row.

Who holds what is compared with the vendors' formulas in `test_fragments.py`, which rows there are in `test_rows.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lanewise.targets import (
    ELEMENT_BITS,
    MATRIX_INSTRUCTIONS,
    MatrixInstruction,
    Operand,
    UnknownTargetError,
    find_chip,
    find_matrix_instruction,
    matrix_instructions,
)

from ..each import each


def bits_in_register(fragment: Operand, element_type: str) -> int:
    """Floats of 4 and 6 bits have a byte each in `.kind::f8f6f4` of mma.sync, in whatever place of it."""
    return 8 if fragment.registers.byte_shift is not None else ELEMENT_BITS[element_type]


def operands(instruction: MatrixInstruction) -> Iterator[tuple[Operand, str]]:
    """Each operand with its element type."""
    yield instruction.a, instruction.a_type
    yield instruction.b, instruction.b_type
    yield instruction.c, instruction.c_type


every = each(MATRIX_INSTRUCTIONS)


@every
def test_registers_hold_exactly_a_lanes_elements(instruction: MatrixInstruction) -> None:
    for fragment, element_type in operands(instruction):
        registers = fragment.registers
        assert registers.slots * registers.count == fragment.elements * registers.slot_stride
        assert _bits(registers.llvm_type) == registers.slots * bits_in_register(fragment, element_type)


def _bits(llvm_type: str) -> int:
    scalars = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "i16": 16, "i32": 32, "i64": 64}
    if not llvm_type.startswith("<"):
        return scalars[llvm_type]
    count, scalar = llvm_type.strip("<>").split(" x ")
    return int(count) * scalars[scalar]


@every
def test_a_stride_is_zero_exactly_where_the_tile_is_one_or_replicated(instruction: MatrixInstruction) -> None:
    for fragment, _ in operands(instruction):
        rank = fragment.rank
        assert sorted(fragment.register_order) == list(range(2 * rank))
        assert all(
            stride > 0 for stride, tile in zip(fragment.thread_strides, fragment.thread, strict=True) if tile > 1
        )


def test_the_worked_example_of_mma_sync() -> None:
    """Lane 5 of A (16x16): four coordinates of the left half of K, then the same four of the right half."""
    a = find_matrix_instruction("NV_MMA_SYNC_F32_16x8x16_F16").a
    assert a.coordinates(5) == [(1, 2), (1, 3), (9, 2), (9, 3), (1, 10), (1, 11), (9, 10), (9, 11)]


def test_the_worked_example_of_mfma_32x32() -> None:
    c = find_matrix_instruction("MFMA_F32_32x32x8_F16").c
    assert {row for row, _ in c.coordinates(0)} == {*range(4), *range(8, 12), *range(16, 20), *range(24, 28)}
    assert {column for _, column in c.coordinates(33)} == {1}


SPELLINGS = {
    "MFMA_F16_16x16x16_F32": "MFMA_F32_16x16x16_F16",
    "MFMA_F16_32x32x8_F32": "MFMA_F32_32x32x8_F16",
    "WMMA_F16_16x16x16_F32": "WMMAR3_F32_16x16x16_F16",
    "WMMA_F16_16x16x16_F16": "WMMAR3_F16_16x16x16_F16",
    "WMMA_F32_16x16x16_F16": "WMMAR3_F32_16x16x16_F16",
}


@pytest.mark.parametrize(("old", "new"), SPELLINGS.items())
def test_names_of_the_dialect_document_are_understood(old: str, new: str) -> None:
    assert find_matrix_instruction(old) is find_matrix_instruction(new)
    assert find_matrix_instruction(new).iree_name == new


def test_names_are_unique() -> None:
    names = [n for i in MATRIX_INSTRUCTIONS for n in {i.name, i.iree_name, *i.aliases}]
    assert len(names) == len(set(names))


def test_an_unknown_name_is_answered_with_near_ones() -> None:
    with pytest.raises(
        UnknownTargetError,
        match=r"unknown matrix instruction 'MFMA_F32_16x16x17_F16' \(did you mean .*MFMA_F32_16x16x16_F16",
    ):
        find_matrix_instruction("MFMA_F32_16x16x17_F16")


@pytest.mark.parametrize(
    ("chip", "has", "lacks"),
    [
        ("sm_70", (), ("NV_MMA_SYNC_F32_16x8x8_F16",)),
        ("sm_75", ("NV_MMA_SYNC_F32_16x8x8_F16",), ("NV_MMA_SYNC_F32_16x8x16_F16",)),
        ("sm_80", ("NV_MMA_SYNC_F32_16x8x16_BF16", "NV_MMA_SYNC_F32_16x8x8_TF32"), ("NV_MMA_SYNC_F32_16x8x32_F8E5M2",)),
        ("sm_90a", ("NV_MMA_SYNC_F32_16x8x32_F8E4M3FN", "NV_MMA_SYNC_F64_16x8x16_F64"), ("MFMA_F32_16x16x16_F16",)),
        ("gfx90a", ("MFMA_F32_16x16x8_BF16", "MFMA_I32_16x16x16_I8"), ("MFMA_I32_16x16x32_I8",)),
        ("gfx942", ("MFMA_I32_16x16x32_I8", "MFMA_F32_16x16x32_F8E4M3FNUZ"), ("MFMA_F32_16x16x32_F16",)),
        ("gfx942", ("MFMA_F32_16x16x8_TF32",), ("MFMA_F32_16x16x32_F8E4M3FN",)),
        ("gfx950", ("MFMA_F32_16x16x128_F8E4M3FN", "MFMA_I32_16x16x64_I8"), ("MFMA_F32_16x16x8_TF32",)),
        ("gfx1030", (), ("WMMAR3_F32_16x16x16_F16",)),
        ("gfx1151", ("WMMAR3_F32_16x16x16_F16",), ("WMMAR4_F32_16x16x16_F16",)),
        ("gfx1201", ("WMMAR4_F32_16x16x16_F16", "WMMAR4_F32_16x16x16_F8E4M3FN"), ("WMMAR3_F32_16x16x16_F16",)),
        ("gfx1250", ("WMMA_F32_16x16x128_F8E4M3FN",), ("WMMAR4_F32_16x16x16_F16",)),
    ],
)  # fmt: skip
def test_which_chip_has_what(chip: str, has: tuple[str, ...], lacks: tuple[str, ...]) -> None:
    names = {instruction.iree_name for instruction in matrix_instructions(find_chip(chip))}
    assert set(has) <= names
    assert not set(lacks) & names


def test_arithmetic_of_one_execution() -> None:
    assert find_matrix_instruction("MFMA_F32_32x32x8_F16").flops == 2 * 32 * 32 * 8
    assert find_matrix_instruction("MFMA_F32_4x4x4x16B_F16").flops == 16 * 2 * 4 * 4 * 4
