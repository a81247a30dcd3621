"""What a loop or a branch of the device would change once and Python at each iteration is refused, never traced."""

from __future__ import annotations

import functools
import itertools
from collections import deque
from dataclasses import dataclass, field
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest

X = Annotated[lw.Array, lw.i32[None]]
REFUSED: list[Any] = []
COUNT = 0
SEEN: list[int] = []


def kernel(function: Any) -> Any:
    return lanewise.kernel(workgroup=64, device="emulated")(function)


def refused(*words: str) -> Any:
    def decorate(function: Any) -> Any:
        REFUSED.append(pytest.param(kernel(function), words, id=function.__name__))
        return function

    return decorate


@refused("'n' is given another value in a loop", "have the function return it")
def a_helper_binds_a_number_of_the_kernel(x: X) -> None:
    n = 0

    def bump() -> None:
        nonlocal n
        n = n + 1

    for _ in lw.range(4):
        bump()
    x[0] = n


@refused("'COUNT' is given another value in a branch")
def a_branch_binds_a_global(x: X) -> None:
    global COUNT  # noqa: PLW0603
    if x[0] > 0:
        COUNT = COUNT + 1
    x[0] = COUNT


@refused("'SEEN' is changed in place in a loop")
def a_list_of_the_module(x: X) -> None:
    for _ in lw.range(4):
        SEEN.append(2)
    x[0] = len(SEEN)


def counter() -> Any:
    n = 0

    def count() -> int:
        nonlocal n
        n += 1
        return n

    return count


@refused("'count.n' is given another value in a loop")
def a_function_with_a_state_of_its_own(x: X) -> None:
    count = counter()
    for _ in lw.range(4):
        x[0] = count()


@refused("'scratch' is changed in place in a loop")
def an_array_of_numpy(x: X) -> None:
    scratch = np.zeros(2, np.int32)
    for _ in lw.range(4):
        scratch[0] += 1
    x[0] = int(scratch[0])


@refused("'waiting' is changed in place in a loop")
def a_deque(x: X) -> None:
    waiting = deque([1])
    for _ in lw.range(4):
        waiting.append(2)
    x[0] = len(waiting)


@refused("'order' is changed in place in a branch")
def the_order_of_bytes(x: X) -> None:
    order = bytearray((1, 2))
    if x[0] > 0:
        order.reverse()
    x[0] = order[0]


@refused("'step' is changed in place in a loop")
def an_iterator(x: X) -> None:
    step = iter([1, 2, 3, 4])
    for _ in lw.range(4):
        x[0] = x[0] + next(step)


@refused("'step' is changed in place in a loop")
def a_generator(x: X) -> None:
    step = (n for n in (1, 2, 3, 4))
    for _ in lw.range(4):
        x[0] = x[0] + next(step)


@refused("'step' is changed in place in a loop")
def numbers_without_end(x: X) -> None:
    step = itertools.count()
    for _ in lw.range(4):
        x[0] = x[0] + next(step)


@refused("'step' is changed in place in a loop")
def an_iterator_in_another(x: X) -> None:
    step = enumerate([4, 5, 6, 7])
    for _ in lw.range(4):
        x[0] = x[0] + next(step)[1]


class Slotted:
    __slots__ = ("memory", "n")

    def __init__(self, memory: Any) -> None:
        self.n, self.memory = 0, memory


@refused("'box' is changed in place in a loop")
def an_object_with_slots(x: X) -> None:
    box = Slotted(x)
    for _ in lw.range(4):
        box.n = box.n + 1
    x[0] = box.n


@refused("'pair[1]' and 'pair[0]' are one object")
def one_list_twice_in_another(x: X) -> None:
    pair = [[x[0]]] * 2
    for _ in lw.range(4):
        pair[0][0] = pair[0][0] + 1
    x[0] = pair[1][0]


@refused("'b' and 'a' are one object, which a loop of the device changes")
def one_list_of_two_names(x: X) -> None:
    a = b = [x[0]]
    for _ in lw.range(4):
        a[0] = a[0] + 1
        b[0] = b[0] * 2
    x[0] = a[0]


@refused("'a' and 'b' are one object at the end of a loop")
def a_loop_makes_one_of_two_lists(x: X) -> None:
    a, b = [x[0]], [x[1]]
    for _ in lw.range(4):
        a[0] = a[0] + 1
        a = b
    x[0] = a[0] + b[0]


@refused("'a' and 'b' are one object at the end of a branch", "a = [*b]")
def a_branch_makes_one_of_two_lists(x: X) -> None:
    a, b = [x[0]], [x[1]]
    if x[0] > 0:
        a = b
    a[0] = a[0] + 1
    x[0] = b[0]


@refused("'seen' is changed in place in a condition")
def a_condition_that_takes_from_a_list(x: X) -> None:
    seen = [1, 2, 3]
    while x[0] > seen.pop():
        x[0] = x[0] - 1


@refused("'k' counts a loop of the device, and has no value behind it")
def the_variable_of_a_loop_behind_it(x: X) -> None:
    k = 7
    for k in lw.range(4):
        x[k] = 1
    x[0] = k


@pytest.mark.parametrize(("refused_kernel", "words"), REFUSED)
def test_what_changes_at_each_iteration_is_refused(refused_kernel: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(lanewise.TraceError) as caught:
        refused_kernel.trace(lw.i32[None])
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "test_held.py:" in str(caught.value)


TAKEN: list[Any] = []


def taken(function: Any) -> Any:
    TAKEN.append(pytest.param(kernel(function), id=function.__name__))
    return function


@taken
def a_name_of_the_condition_that_had_a_value(x: X) -> None:
    n = x[0]
    while (n := n - 1) > 0:
        x[1] = x[1] + n
    x[2] = n


@taken
def a_name_of_the_condition_alone(x: X) -> None:
    v = x[lw.span(0, 64)]
    while (m := v.max()) < 1000:
        v = v + 30 + m
    x[lw.span(0, 64)] = v + m


@taken
def names_of_patterns(x: X) -> None:
    v = w = x[0]
    for _ in lw.range(3):
        match (v, 2):
            case (w, n):
                v = v + n
    x[0] = v + w * 7


@dataclass
class Best:
    value: Any
    where: Any
    sum: Any = field(init=False, default=0)


@taken
def fields_that_are_none_of_the_makers(x: X) -> None:
    best = Best(x[0], x[1])
    best.sum = x[2]
    for k in lw.range(4):
        best.sum = best.sum + x[k]
        best.value = best.value + best.where
    x[0] = best.value + best.sum


@taken
def a_list_that_names_in_turn_have(x: X) -> None:
    now, last = [x[0]], [x[1]]
    for _ in lw.range(4):
        last = now
        now = [last[0] * 3]
    x[0] = now[0] - last[0]


@taken
def a_helper_that_reads_what_the_loop_carries(x: X) -> None:
    v = x[0]

    def more(a: Any) -> Any:
        return a + v

    for _ in lw.range(3):
        v = more(v)
    x[0] = v


@pytest.mark.parametrize("taken_kernel", TAKEN)
def test_what_is_carried_is_as_in_python(taken_kernel: Any) -> None:
    x = np.random.default_rng(1).integers(3, 9, 64).astype(np.int32)
    plain, machine = x.copy(), x.copy()
    taken_kernel.debug[1](plain)
    taken_kernel[1](machine)
    assert plain.tolist() == machine.tolist() != x.tolist()


# -- what a helper remembers -------------------------------------------------------------------------------------------


def reciprocal(n: int) -> float:
    return 1.0 / n


def remembering() -> Any:
    remembered: dict[int, float] = {}

    def of(n: int) -> float:
        if n not in remembered:
            remembered[n] = reciprocal(n)
        return remembered[n]

    return of


@lanewise.kernel(workgroup=64)
def with_memory(x: Annotated[lw.Array, lw.f32[None]], *, of: Any) -> None:
    for i in lw.tiles(x.shape[0], 64):
        x[i] = x[i] * of(3)


def test_what_a_helper_remembers_is_refused_where_an_iteration_could_see_it() -> None:
    """The second iteration finds what the first one put down: a debug run goes another way than what is traced."""
    with pytest.raises(
        lanewise.TraceError, match=r"'of.remembered' is changed in place(.|\n)*functools.cache"
    ) as caught:
        with_memory.trace(lw.f32[None], of=remembering())
    assert "test_held.py" in str(caught.value)
    with_memory.trace(lw.f32[None], of=functools.cache(reciprocal))
