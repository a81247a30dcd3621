"""Owner maps say of every element what layouts and vendors' formulas say of each."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.nested import LayoutError, NestedLayout
from lanewise.layout.owner_map import OwnerMap
from lanewise.layout.shared_operands import in_memory
from lanewise.targets import find_matrix_instruction

ACCUMULATOR = NestedLayout.of_fragment((2, 1), (8, 4), (4, 1), (1, 2))


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_holders_and_elements_are_the_layouts_own(random_cases: Any, data: Any) -> None:
    case = data.draw(random_cases(max_rank=3))
    layout, size = case.layouts[0], case.subgroup_size
    owners = OwnerMap.of_layout(layout, size, case.threads)
    for element in list(np.ndindex(layout.shape))[:: max(1, owners.held.size // 20)]:
        expected = layout.owners(element, case.threads, size)
        found = owners.holders(element)
        assert [(h.thread, h.register) for h in found] == [tuple(owner) for owner in expected]
        assert all((h.subgroup, h.lane) == divmod(h.thread, size) for h in found)
        assert (owners.elected.thread[element], owners.elected.register[element]) == expected[0]
        assert all(owners.element(h.thread, h.register) == element for h in found)


def test_a_fragment_is_that_of_the_ptx_isa() -> None:
    """PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", A of .f16: row and column of element i."""
    owners = OwnerMap.of_fragment(find_matrix_instruction("NV_MMA_SYNC_F32_16x8x16_F16").a.alone, 32)
    assert owners.shape == (16, 16)
    for lane in range(32):
        for i in range(8):
            row = lane // 4 + (0 if i < 2 or 4 <= i < 6 else 8)
            column = lane % 4 * 2 + i % 2 + (8 if i >= 4 else 0)
            assert owners.element(lane, i) == (row, column)
            assert [(h.thread, h.register) for h in owners.holders((row, column))] == [(lane, i)]


def test_threads_that_are_a_part_of_a_workgroup_have_its_numbers() -> None:
    owners = OwnerMap.of_layout(ACCUMULATOR, 32, 32, first_thread=128)
    assert str(owners.holders((9, 3))[0]) == "thread 133 (subgroup 4, lane 5), register 3"
    assert owners.element(133, 3) == (9, 3)
    with pytest.raises(LayoutError, match="no thread 5: the vector is of threads 128 to 159"):
        owners.element(5, 0)


def test_copies_are_all_named() -> None:
    """The subgroups 0 and 1 hold the same, and lanes 8 apart."""
    owners = OwnerMap.of_layout(NestedLayout((1,), (1,), (1,), (8,), (2,), (0,), (1,)), 16, 32)
    assert owners.copies == 4
    assert [(h.thread, h.subgroup, h.lane) for h in owners.holders((5,))] == [
        (2, 0, 2),
        (10, 0, 10),
        (18, 1, 2),
        (26, 1, 10),
    ]


def test_what_is_not_there_is_refused() -> None:
    owners = OwnerMap.of_layout(ACCUMULATOR, 32)
    for element in ((16, 0), (0, -1)):
        with pytest.raises(LayoutError, match="is not in a vector of 16x8"):
            owners.holders(element)
    with pytest.raises(LayoutError, match="an element of a vector of 16x8 has 2 numbers, found 1"):
        owners.holders((3,))
    with pytest.raises(LayoutError, match="no register 4: a thread holds registers 0 to 3"):
        owners.element(0, 4)


def test_what_stays_in_memory_has_no_owner() -> None:
    owners = OwnerMap.of_layout(in_memory((64, 16)), 32, 128)
    assert (owners.registers, owners.copies, owners.holders((3, 3))) == (0, 0, [])
    assert (owners.elected.thread == -1).all()
    with pytest.raises(LayoutError, match="none: the vector stays in memory"):
        owners.element(0, 0)
