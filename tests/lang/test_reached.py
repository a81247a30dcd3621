"""What a kernel reaches beside its arguments decides its code at each launch, as in plain Python: a changed global,
closure, attribute or helper is obeyed, never the first trace in silence."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest

TEXT = """
import lanewise, lanewise.lang as lw
import math
SCALE = 2.0
TABLE = {"by": 2.0}
LIST = [2.0]

class Steps:
    BY = 2.0

class Settings:
    def __init__(self):
        self.by = 2.0
        self.step = 0

    def scaled(self, v):
        return v * self.by

settings = Settings()

def inner(v):
    return v * SCALE

def helper(v):
    return inner(v)

def factory():
    by = 2.0
    def change(to):
        nonlocal by
        by = to
    @lanewise.kernel(workgroup=64, device="emulated", target="sm_90", cache="off")
    def scaled(x, y):
        i = lw.block(64)
        y[i] = {what}
    scaled.change = change
    return scaled

scaled = factory()
"""
CASES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "a global": ("x[i] * SCALE", lambda m: setattr(m, "SCALE", 3.0)),
    "a global of a helper's helper": ("helper(x[i])", lambda m: setattr(m, "SCALE", 3.0)),
    "a helper": ("helper(x[i])", lambda m: setattr(m, "inner", lambda v: v * 3.0)),
    "a cell": ("x[i] * by", lambda m: m.scaled.change(3.0)),
    "an entry of a dict": ("x[i] * TABLE['by']", lambda m: m.TABLE.update(by=3.0)),
    "an element of a list": ("x[i] * LIST[0]", lambda m: m.LIST.__setitem__(0, 3.0)),
    "an attribute of a class": ("x[i] * Steps.BY", lambda m: setattr(m.Steps, "BY", 3.0)),
    "an attribute of an object": ("x[i] * settings.by", lambda m: setattr(m.settings, "by", 3.0)),
    "what a method reads": ("settings.scaled(x[i])", lambda m: setattr(m.settings, "by", 3.0)),
    "an attribute of a module": ("x[i] * other.by", lambda m: setattr(m.other, "by", 3.0)),
}


def module_of(what: str) -> Any:
    made: Any = types.ModuleType("users_module")
    made.other = types.ModuleType("users_other")
    made.other.by = 2.0
    exec(TEXT.replace("{what}", what), made.__dict__)
    return made


def run(kernel: Any) -> float:
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    kernel[1](x, y)
    assert (y == y[0]).all()
    return float(y[0])


@pytest.mark.parametrize(("what", "change"), CASES.values(), ids=CASES)
def test_what_was_changed_is_obeyed(what: str, change: Callable[[Any], object]) -> None:
    made = module_of(what)
    assert [run(made.scaled) for _ in range(3)] == [2.0] * 3
    change(made)
    assert [run(made.scaled) for _ in range(3)] == [3.0] * 3


def test_an_old_value_has_its_old_code() -> None:
    made = module_of("x[i] * SCALE")
    values = []
    for scale in (2.0, 3.0, 2.0, float("2.0"), 3.0):
        made.SCALE = scale
        values.append(run(made.scaled))
    assert values == [2.0, 3.0, 2.0, 2.0, 3.0]
    assert len(made.scaled.specialisations) == 2


def test_what_is_not_read_compiles_nothing() -> None:
    made = module_of("x[i] * settings.by")
    for step in range(3):
        made.settings.step = step
        made.other.by = step
        assert run(made.scaled) == 2.0
    assert len(made.scaled.specialisations) == 1


def test_a_zero_is_told_from_a_negative_one() -> None:
    made = module_of("x[i] * SCALE")
    signs = []
    for made.SCALE in (0.0, -0.0):
        x, y = np.ones(64, np.float32), np.ones(64, np.float32)
        made.scaled[1](x, y)
        signs.append(bool(np.signbit(y).all()))
    assert signs == [False, True]


def test_a_memo_that_tracing_fills_is_traced_again_once() -> None:
    memo: dict[int, float] = {}

    def factor(n: int) -> float:
        return memo.setdefault(n, 2.0 * n)

    @lanewise.kernel(workgroup=64, device="emulated", target="sm_90", cache="off")
    def scaled(x: Any, y: Any) -> None:
        i = lw.block(64)
        y[i] = x[i] * factor(1)

    assert [run(scaled) for _ in range(4)] == [2.0] * 4
    assert len(scaled.specialisations) == 2
    memo[1] = 5.0
    assert run(scaled) == 5.0
