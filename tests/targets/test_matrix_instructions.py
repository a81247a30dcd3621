"""Fragments against the vendors' closed formulas (lane, element) -> coordinate, and the names of every row.

The tables hold nested layouts; the formulas below are written from the instruction set documents, and the expansion of
a nested layout is written out here once more, so that three independent statements have to agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
from lanewise.ir.targets import (
    ELEMENT_BITS,
    MATRIX_INSTRUCTIONS,
    Fragment,
    MatrixInstruction,
    UnknownTargetError,
    find_chip,
    find_matrix_instruction,
    matrix_instructions,
)

from ..each import each

Coordinate = tuple[int, ...]
Formula = Callable[[int, int], Coordinate]
Formulas = tuple[Formula, Formula, Formula]


def expand(fragment: Fragment, lane: int) -> list[Coordinate]:
    """The coordinates a lane holds, in register order."""
    rank = len(fragment.outer)
    sizes = (*fragment.outer, *fragment.element)
    held: list[Coordinate] = []
    for index in itertools.product(*(range(sizes[axis]) for axis in fragment.register_order)):
        at = dict(zip(fragment.register_order, index, strict=True))
        held.append(tuple(_coordinate(fragment, lane, d, at[d], at[rank + d]) for d in range(rank)))
    return held


def _coordinate(fragment: Fragment, lane: int, dim: int, outer: int, element: int) -> int:
    stride = fragment.thread_strides[dim]
    thread = (lane // stride) % fragment.thread[dim] if stride else 0
    return (outer * fragment.thread[dim] + thread) * fragment.element[dim] + element


def _accumulator_of_mma_sync(lane: int, i: int) -> Coordinate:
    return lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2


def _packed(width: int, k: int) -> Formulas:
    """mma.sync with `width` elements of K per 32-bit register; registers alternate rows g and g+8, then K halves."""

    def a(lane: int, i: int) -> Coordinate:
        register, within = divmod(i, width)
        return lane // 4 + 8 * (register % 2), width * (lane % 4) + within + 4 * width * (register // 2)

    def b(lane: int, i: int) -> Coordinate:
        register, within = divmod(i, width)
        return width * (lane % 4) + within + 4 * width * register, lane // 4

    return a, b, _accumulator_of_mma_sync


def _mma_8x8(width: int) -> Formulas:
    return (
        lambda lane, i: (lane // 4, width * (lane % 4) + i),
        lambda lane, i: (width * (lane % 4) + i, lane // 4),
        lambda lane, i: (lane // 4, 2 * (lane % 4) + i),
    )


def _transposed(a: Formula) -> Formula:
    return lambda lane, i: (*a(lane, i)[:-2], *reversed(a(lane, i)[-2:]))


def _mfma(size: int, k: int) -> Formulas:
    lanes_of_k = 64 // size
    n = k // lanes_of_k

    def a(lane: int, i: int) -> Coordinate:
        return lane % size, n * (lane // size) + i

    def c(lane: int, i: int) -> Coordinate:
        if size == 16:
            return 4 * (lane // 16) + i, lane % 16
        return 8 * (i // 4) + 4 * (lane // 32) + i % 4, lane % 32

    return a, _transposed(a), c


def _mfma_f64_16x16x4() -> Formulas:
    a, b, _ = _mfma(16, 4)
    return a, b, lambda lane, i: (lane // 16 + 4 * i, lane % 16)


def _mfma_f64_4x4x4() -> Formulas:
    return (
        lambda lane, i: ((lane // 4) % 4, lane % 4, lane // 16),
        lambda lane, i: ((lane // 4) % 4, lane // 16, lane % 4),
        lambda lane, i: ((lane // 4) % 4, lane // 16, lane % 4),
    )


def _mfma_blocks(size: int) -> Formulas:
    def a(lane: int, i: int) -> Coordinate:
        return lane // size, lane % size, i

    accumulators: dict[int, Formula] = {
        4: lambda lane, i: (lane // 4, i, lane % 4),
        16: lambda lane, i: (i // 4, 4 * (lane // 16) + i % 4, lane % 16),
        32: lambda lane, i: (i // 16, 8 * ((i % 16) // 4) + 4 * (lane // 32) + i % 4, lane % 32),
    }
    return a, _transposed(a), accumulators[size]


def _wmma_gfx11(lanes: int) -> Formulas:
    def a(lane: int, i: int) -> Coordinate:
        return lane % 16, i

    return a, _transposed(a), lambda lane, i: (lanes // 16 * i + lane // 16, lane % 16)


def _wmma_gfx12(k: int) -> Formulas:
    def a(lane: int, i: int) -> Coordinate:
        return lane % 16, (k // 2) * (lane // 16) + i

    return a, _transposed(a), lambda lane, i: (8 * (lane // 16) + i, lane % 16)


def bits_in_register(fragment: Fragment, element_type: str) -> int:
    """Floats of 4 and 6 bits have a byte each in `.kind::f8f6f4` of mma.sync, in whatever place of it."""
    return 8 if fragment.registers.byte_shift is not None else ELEMENT_BITS[element_type]


def formulas(instruction: MatrixInstruction) -> Formulas:
    m, _, k = instruction.shape
    if instruction.family == "mma.sync":
        width = max(1, 32 // bits_in_register(instruction.a, instruction.a_type))
        return _mma_8x8(width) if m == 8 else _packed(width, k)
    if instruction.family == "wmma":
        return _wmma_gfx11(instruction.subgroup_size) if instruction.requires == "wmma.gfx11" else _wmma_gfx12(k)
    if instruction.a_type == "f64":
        return _mfma_f64_16x16x4() if m == 16 else _mfma_f64_4x4x4()
    return _mfma(m, k) if instruction.blocks == 1 else _mfma_blocks(m)


def operands(instruction: MatrixInstruction) -> Iterator[tuple[Fragment, str, Coordinate]]:
    """Each operand with its element type and its shape, blocks in front."""
    m, n, k = instruction.shape
    front = (instruction.blocks,) if instruction.blocks > 1 else ()
    yield instruction.a, instruction.a_type, (*front, m, k)
    yield instruction.b, instruction.b_type, (*front, k, n)
    yield instruction.c, instruction.c_type, (*front, m, n)


every = each(MATRIX_INSTRUCTIONS)


@every
def test_fragments_equal_the_closed_formulas(instruction: MatrixInstruction) -> None:
    for (fragment, _, _), formula in zip(operands(instruction), formulas(instruction), strict=True):
        for lane in range(instruction.subgroup_size):
            assert expand(fragment, lane) == [formula(lane, i) for i in range(fragment.elements)]


@every
def test_every_element_is_held(instruction: MatrixInstruction) -> None:
    for fragment, _, shape in operands(instruction):
        assert fragment.shape == shape
        held = [c for lane in range(instruction.subgroup_size) for c in expand(fragment, lane)]
        assert set(held) == set(itertools.product(*map(range, shape)))
        copied = instruction.requires == "wmma.gfx11" and fragment is not instruction.c
        replication = instruction.subgroup_size // 16 if copied else 1
        assert len(held) == replication * len(set(held))


@every
def test_registers_hold_exactly_a_lanes_elements(instruction: MatrixInstruction) -> None:
    for fragment, element_type, _ in operands(instruction):
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
    for fragment, _, _ in operands(instruction):
        rank = fragment.rank
        assert sorted(fragment.register_order) == list(range(2 * rank))
        assert all(
            stride > 0 for stride, tile in zip(fragment.thread_strides, fragment.thread, strict=True) if tile > 1
        )


def test_the_hardware_numbering_of_k_on_gfx12_is_one_permutation_of_both_operands() -> None:
    """RDNA 4 numbers K as 8(i/4) + 4(lane/16) + i%4; ours is another bijection on the same slots, equal for A and B."""
    instruction = find_matrix_instruction("WMMAR4_F32_16x16x16_F16")
    assert instruction.permutes_k
    pairs_a, pairs_b = set[Coordinate](), set[Coordinate]()
    for lane in range(32):
        for i, (a, b) in enumerate(zip(expand(instruction.a, lane), expand(instruction.b, lane), strict=True)):
            hardware = 8 * (i // 4) + 4 * (lane // 16) + i % 4
            pairs_a.add((hardware, a[1]))
            pairs_b.add((hardware, b[0]))
    assert pairs_a == pairs_b
    assert len(pairs_a) == len({k for k, _ in pairs_a}) == len({k for _, k in pairs_a}) == 16


def test_the_worked_example_of_mma_sync() -> None:
    """Lane 5 of A (16x16): four coordinates of the left half of K, then the same four of the right half."""
    a = find_matrix_instruction("NV_MMA_SYNC_F32_16x8x16_F16").a
    assert expand(a, 5) == [(1, 2), (1, 3), (9, 2), (9, 3), (1, 10), (1, 11), (9, 10), (9, 11)]


def test_the_worked_example_of_mfma_32x32() -> None:
    c = find_matrix_instruction("MFMA_F32_32x32x8_F16").c
    assert {row for row, _ in expand(c, 0)} == {*range(4), *range(8, 12), *range(16, 20), *range(24, 28)}
    assert {column for _, column in expand(c, 33)} == {1}


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
