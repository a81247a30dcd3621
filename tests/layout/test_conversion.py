"""Conversion plans, executed on numpy arrays as their data says and compared with the target's own distribution."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.banks import CDNA
from lanewise.layout.conversion import (
    LaneProgram,
    Nothing,
    Plan,
    Rename,
    SharedMemory,
    Shuffle,
    source_of,
)
from lanewise.layout.movement.buffer_places import Swizzle
from lanewise.layout.nested import LayoutError, NestedLayout
from lanewise.layout.plan import Pack, Part, Select, Send
from lanewise.support.reindex import row_major

from ..examples import examples
from .planned import plan_conversion

Array = np.ndarray


def values(layout: NestedLayout, threads: int, subgroup_size: int) -> Array:
    """A vector of distinct values, distributed: [threads, registers]."""
    steps = np.array([3**0, 1009, 1009**2][: layout.rank], np.int64)
    return layout.coordinates(threads, subgroup_size) @ steps + 5


def run_shuffle(plan: Shuffle, case: Any, data: Array) -> Array:
    """Every lane selects what comes from the register that it wants, the first candidate where none is that."""
    threads = np.arange(case.threads)
    assert (plan.threads // case.subgroup_size == (threads // case.subgroup_size)[:, None]).all()
    columns = list[Array]()
    for register, (local, names) in enumerate(zip(plan.local, plan.candidates, strict=True)):
        assert not local or (plan.threads[:, register] == threads).all()
        assert names == tuple(sorted(set(names)))
        wanted = plan.registers[:, register]
        columns.append(data[plan.threads[:, register], np.where(np.isin(wanted, names), wanted, names[0])])
    return np.stack(columns, axis=1)


def run_lanes(plan: LaneProgram, case: Any, data: Array) -> Array:
    threads = np.arange(case.threads)
    values: list[Array] = []
    for step in plan.steps:
        match step:
            case Pack(registers):
                values.append(data[:, list(registers)])
            case Part(value, position):
                values.append(values[value][:, position : position + 1])
            case Select(bit, yes, no):
                values.append(np.where((threads // bit % 2 == 1)[:, None], values[yes], values[no]))
            case Send(value, lanes):
                first, lane = np.divmod(threads, case.subgroup_size)
                values.append(values[value][first * case.subgroup_size + np.array(lanes)[lane]])
    return np.concatenate([values[result] for result in plan.results], axis=1)


def numbers(layout: NestedLayout, case: Any) -> Array:
    return layout.coordinates(case.threads, case.subgroup_size) @ np.array(row_major(layout.shape), np.int64)


def accesses(offsets: Array, groups: Any) -> Any:
    """(registers, offsets [threads, registers]) of every access; checks alignment and neighbourhood."""
    for group in groups:
        first = offsets[:, group[:1]]
        assert (first[first >= 0] % len(group) == 0).all()
        assert (offsets[:, list(group)] == np.where(first >= 0, first + np.arange(len(group)), -1)).all()
        yield list(group), offsets[:, list(group)]


def run_shared(plan: SharedMemory, case: Any, data: Array) -> Array:
    """Piece after piece, each in a buffer whose old contents do not matter."""
    source, target = case.layouts
    written, read = plan.places.offsets(numbers(source, case)), plan.places.offsets(numbers(target, case))
    assert max(written.max(), read.max()) < plan.piece * plan.pieces
    result = np.full((case.threads, target.registers), -1, np.int64)
    for piece in range(plan.pieces):
        buffer: dict[int, int] = {}
        for registers, offsets in accesses(written, plan.writes):
            for (thread, at), offset in np.ndenumerate(offsets):
                if offset >= 0 and offset // plan.piece == piece:
                    value = data[thread, registers[at]]
                    assert buffer.setdefault(offset % plan.piece, value) == value
        for registers, offsets in accesses(read, plan.reads):
            for (thread, at), offset in np.ndenumerate(offsets):
                if offset // plan.piece == piece:
                    result[thread, registers[at]] = buffer[offset % plan.piece]
    return result[:, list(plan.same)]


def execute(plan: Plan, case: Any, data: Array) -> Array:
    match plan:
        case Nothing():
            return data
        case Rename(registers):
            return data[:, list(registers)]
        case LaneProgram():
            return run_lanes(plan, case, data)
        case Shuffle():
            return run_shuffle(plan, case, data)
        case SharedMemory():
            return run_shared(plan, case, data)


@given(data=st.data())
@settings(max_examples=examples(80), deadline=None)
def test_source_of_brings_the_elements(random_cases: Any, data: Any) -> None:
    case = data.draw(random_cases())
    source, target = case.layouts
    machine = (case.threads, case.subgroup_size)
    thread, register = source_of(source, target, *machine)
    assert np.array_equal(values(source, *machine)[thread, register], values(target, *machine))


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"shuffles": False},
        {"forced": True},
        {"banks": CDNA},
        {"forced": True, "shared_bytes": 256},
    ],
)
def test_plans_convert(random_cases: Any, how: dict[str, Any]) -> None:
    @given(data=st.data())
    @settings(max_examples=examples(60), deadline=None)
    def law(data: Any) -> None:
        case = data.draw(random_cases())
        source, target = case.layouts
        machine = {"threads": case.threads, "subgroup_size": case.subgroup_size}
        bits = data.draw(st.sampled_from([1, 4, 8, 16, 32, 64, 128]))
        plan = plan_conversion(source, target, **machine, bits=bits, **how)
        expected = values(target, *machine.values())
        assert np.array_equal(execute(plan, case, values(source, *machine.values())), expected)
        assert plan.reason
        if how.get("forced"):
            assert isinstance(plan, SharedMemory)
        if how.get("shuffles") is False:
            assert not plan.cost.shuffles
        if isinstance(plan, SharedMemory):
            element_bytes = max(bits // 8, 1)
            assert plan.bytes == plan.elements * element_bytes
            assert max(map(len, plan.writes + plan.reads)) * element_bytes <= 16
            if plan.pieces == 1:
                assert (plan.cost.stores, plan.cost.loads) == (len(plan.writes), len(plan.reads))

    law()


def plan_of(source: NestedLayout, target: NestedLayout, bits: int = 32, threads: int = 32, **how: Any) -> Plan:
    return plan_conversion(source, target, threads=threads, subgroup_size=32, bits=bits, **how)


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
    assert isinstance(plan, LaneProgram)
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


@pytest.mark.parametrize(
    ("shape", "source", "target", "threads"),
    [
        ((8, 4), ((8, 4), (4, 1)), ((8, 1), (7, 0)), 64),  # rows of a product with 7 columns, over two subgroups
        ((16,), ((16,), (3,)), ((16,), (1,)), 64),
        ((4,), ((4,), (7,)), ((4,), (3,)), 32),
        ((8, 16), ((1, 8), (0, 1)), ((1, 4), (0, 3)), 128),
        ((4, 8), ((2, 4), (1, 6)), ((1, 8), (0, 5)), 64),
        ((8,), ((8,), (5,)), ((1,), (0,)), 64),
    ],
)
def test_a_digit_of_the_thread_id_may_be_no_bit_of_the_lane(shape: Any, source: Any, target: Any, threads: int) -> None:
    """`t // 7 % 2` is another one in the second subgroup, and no bit that one number has and another has not."""
    ones = (1,) * len(shape)

    def layout(tile: tuple[int, ...], strides: tuple[int, ...]) -> NestedLayout:
        elements = tuple(n // t for n, t in zip(shape, tile, strict=True))
        return NestedLayout.of_fragment(ones, tile, strides, elements)

    held, wanted = layout(*source), layout(*target)
    for shared in (True, False):
        check_values(plan_of(held, wanted, threads=threads, shared=shared), held, wanted, threads)


def test_across_subgroups_needs_shared_memory() -> None:
    source = NestedLayout((2, 1), (1, 1), (1, 1), (8, 4), (1, 4), (1, 0), (4, 1))
    target = NestedLayout((1, 2), (1, 1), (1, 1), (16, 2), (1, 4), (0, 1), (2, 1))
    plan = plan_of(source, target, threads=64)
    assert isinstance(plan, SharedMemory)
    assert "out of the reach of shuffles" in plan.reason
    assert (len(plan.writes[0]), len(plan.reads[0]), plan.conflicts) == (4, 4, (0, 0))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_copy_to_matrix_fragments(bits: int) -> None:
    """A 64x32 tile from coalesced rows on 128 threads to the fragments of 2x2 subgroups."""
    rows = NestedLayout((1, 1), (4, 1), (1, 1), (16, 8), (1, 4), (0, 0), (8, 1))
    fragments = NestedLayout((2, 2), (2, 2), (2, 1), (8, 4), (1, 2), (1, 2), (4, 1))
    plan = plan_of(rows, fragments, bits, threads=128)
    assert isinstance(plan, SharedMemory)
    assert plan.conflicts == (0, 0)
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
    assert max(len(plan.writes[0]), len(plan.reads[0])) == 128 // bits
    assert "shuffles" in plan.reason
    check_values(plan, columns, columns.permute((1, 0)), 32)


def test_rows_of_odd_length_are_padded_or_swizzled_to_whole_blocks() -> None:
    source = NestedLayout.of_fragment((1, 1), (1, 4), (0, 1), (15, 4))
    target = NestedLayout.of_fragment((1, 1), (15, 16), (1, 15), (1, 1))
    plan = plan_of(source, target, threads=256)
    assert isinstance(plan, SharedMemory)
    assert plan.bytes <= 1024
    check_values(plan, source, target, 256)


def test_vectors_along_the_first_dimension() -> None:
    source = NestedLayout.of_fragment((1, 1), (4, 8), (8, 1), (4, 1))
    target = NestedLayout.of_fragment((1, 1), (4, 8), (1, 4), (4, 1))
    plan = plan_of(source, target, shuffles=False)
    assert isinstance(plan, SharedMemory)
    assert (plan.writes, plan.reads) == (((0, 1, 2, 3),), ((0, 1, 2, 3),))


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
