"""Laws of movements: swaps of register with lane bits, buffers without bank conflicts, pieces, any coordinate map."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.banks import CDNA, NVIDIA, BankModel, wavefronts
from lanewise.layout.binary import common_complement, independent, inverse, rank
from lanewise.layout.conversion import source_of
from lanewise.layout.nested import NestedLayout
from lanewise.layout.plan import Cost, LaneProgram, Select, Send, SharedMemory
from lanewise.support.reindex import Reindex, row_major

from .planned import plan_conversion, planned
from .powers import power_layout
from .test_conversion import accesses, execute, numbers

Pair = tuple[NestedLayout, NestedLayout]


def pairs(seed: int, shape: tuple[int, ...], lanes: int, subgroups: int = 1) -> Iterator[Pair]:
    random = Random(seed)
    while True:
        yield power_layout(random, shape, lanes, subgroups), power_layout(random, shape, lanes, subgroups)


def one_shuffle_a_candidate(source: NestedLayout, target: NestedLayout) -> Cost:
    """The way without swaps: a shuffle for every source register that some lane wants, selected afterwards."""
    thread, register = source_of(source, target, 32, 32)
    local = (thread == np.arange(32)[:, None]).all(axis=0)
    candidates = [len(np.unique(column)) for column in register.T]
    sent = sum(n for n, own in zip(candidates, local, strict=True) if not own)
    return Cost(shuffles=sent, selects=sum(candidates) - len(candidates))


def test_swapping_all_bits_at_once_is_never_dearer_and_much_cheaper() -> None:
    """200 random pairs of 32 registers in 32 lanes."""
    held = (p for p in pairs(0, (32, 32), 32) if p[0].registers == p[1].registers == 32)
    before, after = 0, 0
    for source, target in islice(held, 200):
        plan = plan_conversion(source, target, threads=32, subgroup_size=32, bits=32, shared=False)
        assert plan.cost.cycles <= one_shuffle_a_candidate(source, target).cycles
        assert plan.cost.shuffles <= 32
        before += one_shuffle_a_candidate(source, target).cycles
        after += plan.cost.cycles
    assert after * 2.5 <= before


def test_m_bits_take_all_but_one_of_two_to_the_m_rounds() -> None:
    """Registers of one dimension become lanes of it and the reverse: (1 - 2^-m) R shuffles, 2 m R selects at most."""
    for m in (1, 2, 3):
        extent = 1 << m
        source = NestedLayout.of_fragment((4, 1), (extent, 1), (1, 0), (1, extent))
        target = NestedLayout.of_fragment((4, 1), (1, extent), (0, 1), (extent, 1))
        plan = plan_conversion(source, target, threads=extent, subgroup_size=32, bits=32, shared=False)
        registers = 4 * extent
        assert isinstance(plan, LaneProgram)
        assert plan.cost.shuffles == registers - registers // extent
        assert plan.cost.selects <= (registers * 3 // 2 if m == 1 else 2 * m * registers)


def test_costs_count_the_steps() -> None:
    for source, target in islice(pairs(1, (8, 32), 32), 40):
        for bits in (8, 16, 32, 64):
            plan = plan_conversion(source, target, threads=32, subgroup_size=32, bits=bits, shared=False)
            if isinstance(plan, LaneProgram):
                words = max(1, bits // 32)
                counts = [sum(isinstance(step, kind) for step in plan.steps) for kind in (Send, Select)]
                assert (plan.cost.shuffles, plan.cost.selects) == (counts[0] * words, counts[1] * words)


def test_small_elements_travel_as_words() -> None:
    """Two halves a word, four bytes a word, where registers of both sides hold them together."""
    source = NestedLayout.of_fragment((1, 1), (8, 4), (4, 1), (1, 4))
    target = NestedLayout.of_fragment((1, 1), (8, 4), (1, 8), (1, 4))
    shuffles = {
        bits: plan_conversion(source, target, threads=32, subgroup_size=32, bits=bits).cost.shuffles
        for bits in (8, 16, 32, 64)
    }
    assert shuffles == {8: 1, 16: 2, 32: 4, 64: 8}


@pytest.mark.parametrize("model", [NVIDIA, CDNA])
@pytest.mark.parametrize("bits", [16, 32])
def test_no_power_of_two_has_bank_conflicts(model: BankModel, bits: int, pytestconfig: pytest.Config) -> None:
    """25 random pairs each, with `--thorough` 75; the plan's wavefronts are what the bank model counts."""
    lanes = 64 if model is CDNA else 32
    case = SimpleNamespace(threads=2 * lanes, subgroup_size=lanes)
    count = 75 if pytestconfig.getoption("thorough") else 25
    for source, target in islice(pairs(bits, (32, 64), lanes, 2), count):
        plan = plan_conversion(
            source, target, threads=2 * lanes, subgroup_size=lanes, bits=bits, forced=True, banks=model
        )
        assert isinstance(plan, SharedMemory)
        assert plan.conflicts == (0, 0)
        counted = 0
        for layout, groups, write in ((source, plan.writes, True), (target, plan.reads, False)):
            for _, offsets in accesses(plan.places.offsets(numbers(layout, case)), groups):
                addresses = offsets[:lanes, 0] * bits // 8
                taken, least = wavefronts(addresses, offsets.shape[1] * bits // 8, write=write, model=model)
                assert taken == least
                counted += int(taken)
        assert plan.cost.wavefronts == counted


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_coordinate_map(random_cases: Any, data: Any) -> None:
    """Every target register gets f(x), where that is an element; f is affine in the coordinates, or a table."""
    case = data.draw(random_cases())
    source, other = case.layouts
    count = int(np.prod(source.shape, dtype=int))
    kind = data.draw(st.sampled_from(["shift", "reverse", "repeat", "any", "holes"]))
    where = np.arange(count)
    table = {
        "shift": np.where(where + 1 < count, where + 1, -1),
        "reverse": where[::-1].copy(),
        "repeat": where // 2,
        "any": np.array(data.draw(st.lists(st.integers(-1, count - 1), min_size=count, max_size=count))),
        "holes": np.where(where % 3 == 1, -1, where),
    }[kind].reshape(other.shape)
    f = Reindex.of_table(table, source.shape)
    if f is None:
        return
    forced = data.draw(st.booleans())
    room = data.draw(st.sampled_from([None, 256]))
    plan = planned(
        source,
        other,
        f,
        threads=case.threads,
        subgroup_size=case.subgroup_size,
        bits=32,
        forced=forced,
        shared_bytes=room,
    )
    wanted = f.of(numbers(other, case))
    if isinstance(plan, SharedMemory):
        found = through_shared(plan, case, f)
    else:
        found = execute(plan, case, numbers(source, case))
    assert np.array_equal(np.where(wanted >= 0, found, -1), wanted)


def through_shared(plan: SharedMemory, case: Any, f: Reindex) -> Any:
    """What is loaded where each element is its own number; checks that pieces are what fits."""
    source, target = case.layouts
    held, wanted = numbers(source, case), f.of(numbers(target, case))
    written, read = plan.places.offsets(held), plan.places.addresses(f.extended(numbers(target, case)))
    buffer = np.full(plan.piece * plan.pieces, -1)
    for registers, offsets in accesses(written, plan.writes):
        buffer[offsets[offsets >= 0]] = held[:, registers][offsets >= 0]
    loaded = {register for group in plan.reads for register in group}
    result = np.full(wanted.shape, -1)
    for register, same in enumerate(plan.same):
        needed = wanted[:, register] >= 0
        assert not needed.any() or same in loaded
        assert np.array_equal(read[needed, register], read[needed, same])
        result[needed, register] = buffer[read[needed, same]]
    return result


def test_what_does_not_fit_goes_in_pieces() -> None:
    """The transposition of 256 x 256 words of 256 threads in 227 KiB: four pieces through two buffers."""
    rows = NestedLayout((8, 1), (8, 2), (1, 1), (4, 8), (1, 16), (1, 0), (8, 1))
    room = 227 * 1024
    plan = plan_conversion(rows, rows.permute((1, 0)), threads=256, subgroup_size=32, bits=32, shared_bytes=room)
    assert isinstance(plan, SharedMemory)
    assert (plan.pieces, plan.buffers, plan.bytes) == (4, 2, 128 * 1024)
    assert plan.conflicts == (0, 0)
    assert "in 4 pieces" in plan.reason


def test_one_element_is_stored_once_and_read_by_all() -> None:
    source = NestedLayout((4,), (2,), (1,), (32,), (4,), (1,), (1,))
    everywhere = NestedLayout.of_dimensions([])
    f = Reindex.affine((), (1024,), 700, ())
    plan = planned(source, everywhere, f, threads=128, subgroup_size=32, bits=32)
    assert isinstance(plan, SharedMemory)
    assert (plan.cost.stores, plan.cost.loads, plan.bytes) == (1, 1, 4)
    (thread,) = np.nonzero(plan.places.has(source.coordinates(128, 32)[:, plan.writes[0][0], 0]))[0]
    assert (thread, plan.writes) == (source.owners((700,), 128, 32)[0][0], ((source.owners((700,), 128, 32)[0][1],),))
    inside = NestedLayout((1,), (2,), (1,), (32,), (16,), (0,), (1,))
    near = planned(inside, everywhere, f, threads=32, subgroup_size=32, bits=32)
    assert isinstance(near, LaneProgram) and near.cost == Cost(shuffles=1, bytes=8)


@given(data=st.data())
def test_linear_algebra_of_bits(data: Any) -> None:
    bits = data.draw(st.integers(1, 8))
    vectors = st.lists(st.integers(1, (1 << bits) - 1), max_size=12)
    first, second = independent(data.draw(vectors)), independent(data.draw(vectors))
    size = min(len(first), len(second))
    first, second = first[:size], second[:size]
    segment = common_complement(first, second, bits)
    assert len(segment) == bits - size
    assert rank([*first, *segment]) == rank([*second, *segment]) == bits
    columns = [*first, *segment]
    for bit, column in enumerate(inverse(columns)):
        total = 0
        for place, vector in enumerate(columns):
            total ^= vector if column >> place & 1 else 0
        assert total == 1 << bit


def test_row_major_numbers() -> None:
    assert row_major((2, 3, 4)) == (12, 4, 1)
