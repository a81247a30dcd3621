"""What the search charges for a conversion against what the planner finds it takes."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.conversion import Nothing, Rename
from lanewise.layout.dimension import Dimension
from lanewise.layout.estimate import IMPOSSIBLE, conversion_cycles
from lanewise.layout.nested import NestedLayout
from lanewise.layout.workgroup import Workgroup
from lanewise.targets import find_chip

from ..examples import examples
from .planned import plan_conversion

CHIP = find_chip("sm_90")
THREADS = 64
WORKGROUP = Workgroup(THREADS, 32, CHIP, shared_bytes=CHIP.shared_memory_bytes)


@st.composite
def layouts(draw: Any, shape: tuple[int, ...]) -> NestedLayout:
    """Powers of two: lanes, then subgroups, then registers take what is left of every dimension in any order."""
    parts, lane, subgroup = [Dimension()] * len(shape), 1, 1
    for dim in draw(st.permutations(range(len(shape)))):
        extent = shape[dim]
        thread = draw(st.sampled_from([n for n in (1, 2, 4, 8, 16, 32) if extent % n == 0 and lane * n <= 32]))
        rest = extent // thread
        groups = draw(st.sampled_from([n for n in (1, 2) if rest % n == 0 and subgroup * n <= 2]))
        rest //= groups
        element = draw(st.sampled_from([n for n in (1, 2, 4) if rest % n == 0]))
        parts[dim] = Dimension(
            subgroup=groups,
            batch=rest // element,
            thread=thread,
            element=element,
            subgroup_stride=subgroup if groups > 1 else 0,
            thread_stride=lane if thread > 1 else 0,
        )
        lane, subgroup = lane * thread, subgroup * groups
    return NestedLayout.of_dimensions(parts)


@st.composite
def pairs(draw: Any) -> tuple[NestedLayout, NestedLayout]:
    shape = draw(st.sampled_from([(64,), (16, 16), (8, 32), (4, 8, 16)]))
    return draw(layouts(shape)), draw(layouts(shape))


@given(pairs(), st.sampled_from([8, 16, 32, 64]))
@settings(max_examples=examples(150), deadline=None)
def test_nothing_is_charged_exactly_where_nothing_moves(pair: tuple[NestedLayout, NestedLayout], bits: int) -> None:
    plan = plan_conversion(*pair, threads=THREADS, subgroup_size=32, bits=bits)
    assert (conversion_cycles(*pair, bits, WORKGROUP) == 0) == isinstance(plan, (Nothing, Rename))


@given(pairs(), st.sampled_from([16, 32]))
@settings(max_examples=examples(150), deadline=None)
def test_prices_follow_the_planner(pair: tuple[NestedLayout, NestedLayout], bits: int) -> None:
    """Within a factor, and the waiting of an exchange, which the planner does not count."""
    plan = plan_conversion(*pair, threads=THREADS, subgroup_size=32, bits=bits)
    price = conversion_cycles(*pair, bits, WORKGROUP)
    assert price <= 3 * plan.cost.cycles + 200
    assert plan.cost.cycles <= 3 * price + 16


@given(pairs())
@settings(max_examples=examples(50), deadline=None)
def test_without_shared_memory_only_subgroups_exchange(pair: tuple[NestedLayout, NestedLayout]) -> None:
    alone = Workgroup(THREADS, 32, CHIP)
    price = conversion_cycles(*pair, 32, alone)
    assert price == IMPOSSIBLE or price >= conversion_cycles(*pair, 32, WORKGROUP)


def test_an_exchange_that_does_not_fit_goes_in_pieces() -> None:
    rows = NestedLayout.of_dimensions([Dimension(batch=64), Dimension(batch=1, thread=64, thread_stride=1)])
    small = Workgroup(THREADS, 32, CHIP, shared_bytes=64 * 64 * 4 // 4)
    columns = rows.permute([1, 0])
    whole = conversion_cycles(rows, columns, 32, WORKGROUP)
    assert conversion_cycles(rows, columns, 32, small) == whole + 3 * (16 + 192)
