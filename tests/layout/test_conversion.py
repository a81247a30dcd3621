"""Conversion plans, executed on numpy arrays as their data says and compared with the target's own distribution."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.banks import CDNA
from lanewise.layout.conversion import (
    Nothing,
    Plan,
    Rename,
    SharedMemory,
    Shuffle,
    Swizzle,
    plan_conversion,
    source_of,
    vector_groups,
)
from lanewise.layout.nested import LayoutError, NestedLayout

Array = np.ndarray


def values(layout: NestedLayout, threads: int, subgroup_size: int) -> Array:
    """A vector of distinct values, distributed: [threads, registers]."""
    steps = np.array([3**0, 1009, 1009**2][: layout.rank], np.int64)
    return layout.coordinates(threads, subgroup_size) @ steps + 5


def run_shuffle(plan: Shuffle, case: Any, data: Array) -> Array:
    source, target = case.layouts
    digits = source.thread_digits(case.subgroup_size)
    held = source.coordinates(case.threads, case.subgroup_size).tolist()
    owners = {tuple(x): (thread, name) for thread, row in enumerate(held) for name, x in enumerate(row)}
    result = np.full((case.threads, target.registers), -1, np.int64)
    for thread in range(case.threads):
        for register in range(target.registers):
            element = target.coordinate(thread, register, case.subgroup_size)
            owner, name = owners[element]
            lane = thread + sum((d.of(owner) - d.of(thread)) * d.stride for d in digits)
            assert lane // case.subgroup_size == thread // case.subgroup_size
            assert not plan.local[register] or lane == thread
            assert name in plan.candidates[register]
            result[thread, register] = data[lane, name]
    assert all(list(names) == sorted(set(names)) for names in plan.candidates)
    return result


def place(plan: SharedMemory, element: Any) -> int:
    offset = sum(int(x) * step for x, step in zip(element, plan.strides, strict=True))
    if plan.swizzle:
        high = offset >> (plan.swizzle.base + plan.swizzle.shift)
        offset ^= (high & ((1 << plan.swizzle.bits) - 1)) << plan.swizzle.base
    return offset


def accesses(plan: SharedMemory, layout: NestedLayout, dim: int, vector: int, held: Array) -> Any:
    """(registers, elements of the buffer) of every access of one thread; checks alignment and neighbourhood."""
    for group in vector_groups(layout, dim, vector):
        offsets = [place(plan, held[register]) for register in group]
        assert offsets[0] % vector == 0
        assert offsets == list(range(offsets[0], offsets[0] + vector))
        assert offsets[0] >= 0 and offsets[-1] < plan.elements
        assert offsets == plan.offsets(held[list(group)]).tolist()
        yield list(group), offsets


def run_shared(plan: SharedMemory, case: Any, data: Array) -> Array:
    source, target = case.layouts
    buffer: dict[int, int] = {}
    for thread, held in enumerate(source.coordinates(case.threads, case.subgroup_size)):
        for registers, offsets in accesses(plan, source, plan.write_dim, plan.write_vector, held):
            for register, offset in zip(registers, offsets, strict=True):
                assert buffer.setdefault(offset, data[thread, register]) == data[thread, register]
    result = np.full((case.threads, target.registers), -1, np.int64)
    for thread, held in enumerate(target.coordinates(case.threads, case.subgroup_size)):
        for registers, offsets in accesses(plan, target, plan.read_dim, plan.read_vector, held):
            result[thread, registers] = [buffer[offset] for offset in offsets]
    return result


def execute(plan: Plan, case: Any, data: Array) -> Array:
    match plan:
        case Nothing():
            return data
        case Rename(registers):
            return data[:, list(registers)]
        case Shuffle():
            return run_shuffle(plan, case, data)
        case SharedMemory():
            return run_shared(plan, case, data)


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_source_of_brings_the_elements(random_cases: Any, data: Any) -> None:
    case = data.draw(random_cases())
    source, target = case.layouts
    machine = (case.threads, case.subgroup_size)
    thread, register = source_of(source, target, *machine)
    assert np.array_equal(values(source, *machine)[thread, register], values(target, *machine))


@pytest.mark.parametrize("how", [{}, {"allow_shuffle": False}, {"force_shared": True}, {"banks": CDNA}])
def test_plans_convert(random_cases: Any, how: dict[str, Any]) -> None:
    @given(data=st.data())
    @settings(max_examples=60, deadline=None)
    def law(data: Any) -> None:
        case = data.draw(random_cases())
        source, target = case.layouts
        machine = {"threads": case.threads, "subgroup_size": case.subgroup_size}
        bits = data.draw(st.sampled_from([1, 4, 8, 16, 32, 64, 128]))
        plan = plan_conversion(source, target, **machine, element_bits=bits, **how)
        expected = values(target, *machine.values())
        assert np.array_equal(execute(plan, case, values(source, *machine.values())), expected)
        assert plan.reason
        if how.get("force_shared"):
            assert isinstance(plan, SharedMemory)
        if how.get("allow_shuffle") is False:
            assert not isinstance(plan, Shuffle)
        if isinstance(plan, SharedMemory):
            element_bytes = max(bits // 8, 1)
            assert plan.bytes == plan.elements * element_bytes
            assert max(plan.write_vector, plan.read_vector) * element_bytes <= 16
            assert plan.cost.stores * plan.write_vector == source.registers
            assert plan.cost.loads * plan.read_vector == target.registers

    law()


def plan_of(source: NestedLayout, target: NestedLayout, bits: int = 32, threads: int = 32, **how: Any) -> Plan:
    return plan_conversion(source, target, threads=threads, subgroup_size=32, element_bits=bits, **how)


def test_nothing_and_rename() -> None:
    batched = NestedLayout((1, 1), (2, 2), (1, 1), (8, 4), (1, 1), (0, 0), (4, 1))
    outer = NestedLayout.of_fragment((2, 2), (8, 4), (4, 1), (1, 1))
    assert isinstance(plan_of(batched, batched), Nothing)
    assert isinstance(plan_of(batched, outer), Nothing)
    rows = NestedLayout((1, 1), (1, 2), (2, 1), (8, 4), (1, 1), (0, 0), (4, 1))
    plan = plan_of(rows, batched)
    # Target register 2 * row + column is source register 2 * column + row.
    assert isinstance(plan, Rename)
    assert plan.registers == (0, 2, 1, 3)
    assert plan.cost.instructions == 0


def test_shuffle_of_a_transposed_fragment() -> None:
    source = NestedLayout.of_fragment((1, 1), (8, 4), (4, 1), (1, 1))
    target = NestedLayout.of_fragment((1, 1), (8, 4), (1, 8), (1, 1))
    plan = plan_of(source, target)
    assert isinstance(plan, Shuffle)
    assert (plan.candidates, plan.local) == (((0,),), (False,))
    assert (plan.cost.shuffles, plan.cost.selects, plan.cost.bytes) == (1, 0, 8)
    assert plan_of(source, target, bits=64).cost.shuffles == 2
    assert "needs 1 shuffles; shared memory takes 1 stores + 1 loads + 2 barriers" in plan.reason


def test_replicas_read_within_their_group() -> None:
    source = NestedLayout.of_fragment((1,), (4,), (1,), (2,))
    target = NestedLayout.of_fragment((2,), (4,), (1,), (1,))
    thread, _ = source_of(source, target, 32, 32)
    assert (thread // 4 == np.arange(32)[:, None] // 4).all()


def test_replicas_cut_off_by_the_workgroup_read_the_elected_owner() -> None:
    source = NestedLayout.of_fragment((1,), (3,), (1,), (2,))
    target = NestedLayout.of_fragment((2,), (3,), (1,), (1,))
    thread, register = source_of(source, target, 32, 32)
    # Thread 30 and 31 are the start of a third replica whose last thread does not exist: elements 5 = (2, 1).
    assert (thread[31].tolist(), register[31].tolist()) == ([30, 2], [1, 0])
    plan = plan_of(source, target)
    assert isinstance(plan, SharedMemory)
    assert "cut off by the end of the workgroup" in plan.reason


def test_across_subgroups_needs_shared_memory() -> None:
    source = NestedLayout((2, 1), (1, 1), (1, 1), (8, 4), (1, 4), (1, 0), (4, 1))
    target = NestedLayout((1, 2), (1, 1), (1, 1), (16, 2), (1, 4), (0, 1), (2, 1))
    plan = plan_of(source, target, threads=64)
    assert isinstance(plan, SharedMemory)
    assert "out of the reach of shuffles" in plan.reason
    assert (plan.write_vector, plan.read_vector, plan.conflicts) == (4, 4, (0, 0))


@pytest.mark.parametrize(("bits", "conflicts"), [(8, 0), (16, 0), (32, 0), (64, 128)])
def test_copy_to_matrix_fragments(bits: int, conflicts: int) -> None:
    """A 64x32 tile from coalesced rows on 128 threads to the fragments of 2x2 subgroups.

    At 64 bits the stores want chunk bit 3 in bank bit 0 and the loads bit 4 in bank bit 2, which no exclusive-or of a
    run of bits gives: one side pays twice, 4 subgroups * 8 accesses * 4 phases.
    """
    rows = NestedLayout((1, 1), (4, 1), (1, 1), (16, 8), (1, 4), (0, 0), (8, 1))
    fragments = NestedLayout((2, 2), (2, 2), (2, 1), (8, 4), (1, 2), (1, 2), (4, 1))
    plan = plan_of(rows, fragments, bits, threads=128)
    assert isinstance(plan, SharedMemory)
    assert sum(plan.conflicts) == conflicts
    check_values(plan, rows, fragments, 128)


def check_values(plan: Plan, source: NestedLayout, target: NestedLayout, threads: int) -> None:
    case = SimpleNamespace(layouts=(source, target), threads=threads, subgroup_size=32)
    assert np.array_equal(execute(plan, case, values(source, threads, 32)), values(target, threads, 32))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_transposition_by_shared_memory_has_no_conflicts(bits: int) -> None:
    columns = NestedLayout((1, 1), (1, 1), (1, 1), (1, 32), (32, 1), (0, 0), (0, 1))
    plan = plan_of(columns, columns.permute((1, 0)), bits)
    assert isinstance(plan, SharedMemory)
    assert plan.conflicts == (0, 0)
    assert plan.read_vector == 128 // bits or plan.write_vector == 128 // bits
    assert "shuffles" in plan.reason
    check_values(plan, columns, columns.permute((1, 0)), 32)


def test_swizzled_buffer_ends_with_a_whole_block() -> None:
    """15 rows of 16 words are seven and a half lines of 32: the last half is mixed into the other half of its line."""
    source = NestedLayout.of_fragment((1, 1), (1, 4), (0, 1), (15, 4))
    target = NestedLayout.of_fragment((1, 1), (15, 16), (1, 15), (1, 1))
    plan = plan_of(source, target, threads=256)
    assert isinstance(plan, SharedMemory)
    assert plan.swizzle
    assert plan.offsets(target.coordinates(256, 32)).max() >= 15 * 16
    assert (plan.elements, plan.bytes) == (256, 1024)
    check_values(plan, source, target, 256)


def test_vectors_along_the_first_dimension() -> None:
    source = NestedLayout.of_fragment((1, 1), (4, 8), (8, 1), (4, 1))
    target = NestedLayout.of_fragment((1, 1), (4, 8), (1, 4), (4, 1))
    plan = plan_of(source, target, allow_shuffle=False)
    assert isinstance(plan, SharedMemory)
    assert (plan.write_dim, plan.write_vector, plan.read_vector) == (0, 4, 4)
    assert plan.strides[0] == 1


def test_swizzle_is_its_own_inverse_within_a_block() -> None:
    swizzle = Swizzle(3, 2, 4)
    offsets = np.arange(1024)
    moved = swizzle.apply(offsets)
    assert np.array_equal(swizzle.apply(moved), offsets)
    assert np.array_equal(moved // 32, offsets // 32)
    assert np.array_equal(moved % 4, offsets % 4)
    assert swizzle.apply(64) == 64 + 4


def test_errors() -> None:
    layout = NestedLayout.of_fragment((1,), (32,), (1,), (1,))
    with pytest.raises(LayoutError, match=r"a layout of \(32,\) cannot be converted to one of \(64,\)"):
        plan_of(layout, NestedLayout.of_fragment((1,), (32,), (1,), (2,)))
    with pytest.raises(LayoutError, match="the workgroup has 16 threads"):
        plan_of(layout, layout, threads=16)
    for bits in (0, 24, 256):
        with pytest.raises(LayoutError, match=f"elements of {bits} bits cannot be exchanged"):
            plan_of(layout, layout, bits=bits)
