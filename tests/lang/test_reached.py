"""What a kernel reaches beside its arguments decides its code at each launch, as in plain Python: a changed global,
closure, attribute or helper is obeyed, never the first trace in silence."""

from __future__ import annotations

import itertools
import sys
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
    calls = itertools.count()

    def factor(n: int) -> float:
        next(calls)
        return memo.setdefault(n, 2.0 * n)

    @lanewise.kernel(workgroup=64, device="emulated", target="sm_90", cache="off")
    def scaled(x: Any, y: Any) -> None:
        i = lw.block(64)
        y[i] = x[i] * factor(1)

    assert [run(scaled) for _ in range(4)] == [2.0] * 4
    assert next(calls) == 2 and len(scaled.specialisations) == 1, "what was traced while it was filled is forgotten"
    memo[1] = 5.0
    assert run(scaled) == 5.0


MORE = """
import collections, enum, functools
import lanewise, lanewise.lang as lw
import numpy as np

FACTOR = 2.0
numbers = [2.0]

class Slots:
    __slots__ = ("by",)
    def __init__(self, by): self.by = by

class Opaque(Slots):
    __slots__ = ()
    __hash__ = None

class Base:
    by = 2.0
    def __init__(self): self.own = 2.0
    @property
    def factor(self): return FACTOR
    def scaled(self, v): return v * FACTOR
    def by_own(self, v): return v * self.own
    @classmethod
    def by_class(cls, v): return v * cls.by

class Derived(Base): pass

class ArrayLike:
    def __init__(self, by): self.by = by
    def __eq__(self, other): return np.array([True, True])
    def __hash__(self): return 7

class Lists(enum.Enum):
    FEW = [2.0]

class Unhashed(enum.Enum):
    BY = 2.0
    def __init__(self, by): self.by = by
    def __eq__(self, other): return self is other

class Calls:
    def __init__(self): self.inner = inner
    def go(self, v): return self.inner(v)

def inner(v): return v * FACTOR
def first(v, of): return v * of[0]
def with_default(v, of=numbers): return v * of[0]
def with_attribute(v): return v * with_attribute.by
with_attribute.by = 2.0
def of_module(module, v): return v * module.by
def replaced(v): return v * 2.0
@functools.lru_cache
def remembered(n): return n * FACTOR

member = Lists.FEW
slots, derived, calls = Slots(2.0), Derived(), Calls()
opaques, likes = [Opaque(2.0)], [ArrayLike(2.0)]
some_bytes, some_deque, deep = bytearray(b"\\x02"), collections.deque([2.0]), [[[[[[[2.0]]]]]]]
objects = np.array([[2.0], None], dtype=object)
partial, bound = functools.partial(first, of=numbers), derived.by_own
itself = [2.0]
itself.append(itself)
@lanewise.kernel(workgroup=64, device="emulated", target="sm_90", cache="off")
def scaled(x, y, *, f=None):
    i = lw.block(64)
    {before}
    y[i] = {what}
"""


def _factor(m: Any) -> None:
    m.FACTOR = 3.0


def _number(m: Any) -> None:
    m.numbers[0] = 3.0


def _class(m: Any) -> None:
    m.Base.by = 3.0


def _other(m: Any) -> None:
    m.other.by = 3.0


def _remembered(m: Any) -> None:
    m.FACTOR = 3.0
    m.remembered.cache_clear()


MORE_CASES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "a slot": ("x[i] * slots.by", lambda m: setattr(m.slots, "by", 3.0)),
    "an attribute of an object's class": ("x[i] * derived.by", _class),
    "what a class method reads": ("derived.by_class(x[i])", _class),
    "what a class method of a class reads": ("Derived.by_class(x[i])", _class),
    "what an inherited property reads": ("x[i] * derived.factor", _factor),
    "what an inherited method reads": ("derived.scaled(x[i])", _factor),
    "a method": ("derived.scaled(x[i])", lambda m: setattr(m.Base, "scaled", lambda self, v: v * 3.0)),
    "a method that comes before": ("derived.scaled(x[i])", lambda m: setattr(m.Derived, "scaled", lambda s, v: v * 3)),
    "a bytearray": ("x[i] * float(some_bytes[0])", lambda m: m.some_bytes.__setitem__(0, 3)),
    "a deque": ("x[i] * some_deque[0]", lambda m: m.some_deque.__setitem__(0, 3.0)),
    "a list far inside": ("x[i] * deep[0][0][0][0][0][0][0]", lambda m: m.deep[0][0][0][0][0][0].__setitem__(0, 3.0)),
    "an object without a hash": ("x[i] * opaques[0].by", lambda m: m.opaques.__setitem__(0, m.Opaque(3.0))),
    "objects whose == is an array": ("x[i] * likes[0].by", lambda m: m.likes.__setitem__(0, m.ArrayLike(3.0))),
    "an array of objects": ("x[i] * objects[0][0]", lambda m: m.objects[0].__setitem__(0, 3.0)),
    "what a partial was given": ("partial(x[i])", _number),
    "whose method it is": ("bound(x[i])", lambda m: setattr(m.derived, "own", 3.0)),
    "a default": ("with_default(x[i])", _number),
    "an attribute of a function": ("with_attribute(x[i])", lambda m: setattr(m.with_attribute, "by", 3.0)),
    "what a memo reads": ("x[i] * remembered(1)", _remembered),
    "a list in an enumeration": ("x[i] * Lists.FEW.value[0]", lambda m: m.Lists.FEW.value.__setitem__(0, 3.0)),
    "a list in a member": ("x[i] * member.value[0]", lambda m: m.member.value.__setitem__(0, 3.0)),
    "an attribute of a member": ("x[i] * Unhashed.BY.by", lambda m: setattr(m.Unhashed.BY, "by", 3.0)),
    "a list in itself": ("x[i] * itself[0]", lambda m: m.itself.__setitem__(0, 3.0)),
    "what a function in an object reads": ("calls.go(x[i])", _factor),
    "code": ("replaced(x[i])", lambda m: setattr(m.replaced, "__code__", (lambda v: v * 3.0).__code__)),
    "an attribute of a module that a helper gets": ("of_module(other, x[i])", _other),
    "an attribute by its name": ("x[i] * getattr(other, 'by')", _other),
    "an attribute by another name of the module": ("o = other; y[i] = x[i] * o.by", _other),
    "a module that is imported inside": ("import users_other; y[i] = x[i] * users_other.by", _other),
    "a name that is imported inside": ("from users_other import by; y[i] = x[i] * by", _other),
}


def more_of(what: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    made: Any = types.ModuleType("users_module")
    made.other = types.ModuleType("users_other")
    made.other.by = 2.0
    monkeypatch.setitem(sys.modules, "users_other", made.other)
    before, _, what = what.rpartition("; y[i] = ")
    exec(MORE.replace("{what}", what).replace("{before}", before or "pass"), made.__dict__)
    return made


@pytest.mark.parametrize(("what", "change"), MORE_CASES.values(), ids=MORE_CASES)
def test_what_is_reached_by_other_ways_is_obeyed(
    what: str, change: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = more_of(what, monkeypatch)
    assert [run(made.scaled) for _ in range(2)] == [2.0] * 2
    assert len(made.scaled.specialisations) == 1
    change(made)
    assert [run(made.scaled) for _ in range(2)] == [3.0] * 2


def test_what_a_function_that_is_a_constant_reads_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = more_of("f(x[i])", monkeypatch)
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    for made.FACTOR in (2.0, 3.0, 2.0):
        for _ in range(2):
            made.scaled[1](x, y, f=made.inner)
            assert y[0] == made.FACTOR
    assert len(made.scaled.specialisations) == 2


def test_each_nan_is_the_same_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    made = more_of("x[i] * FACTOR + f", monkeypatch)
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    for made.FACTOR in (float("nan"), float("nan"), float("nan")):
        made.scaled[1](x, y, f=float("nan"))
    assert np.isnan(y).all() and len(made.scaled.specialisations) == 1
    assert not any(state.ways for state in made.scaled._states.values()), "each nan would be kept"


def test_equal_numbers_of_other_types_are_other_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    made = more_of("x[i] * 0.0 + (1.0 if type(FACTOR) is bool else 2.0 if type(FACTOR) is int else 3.0)", monkeypatch)
    found = []
    for made.FACTOR in (1, 1.0, True, np.float32(1), 1):
        found.append(run(made.scaled))
    assert found == [2.0, 3.0, 1.0, 3.0, 2.0]


def test_what_changes_while_it_is_traced_is_not_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by another thread: the trace reads what came after the look at it."""
    made = more_of("x[i] * FACTOR * f(0)", monkeypatch)
    made.FACTOR = 3.0
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    make = made.scaled._make  # the key is there before
    monkeypatch.setattr(made.scaled, "_make", lambda *a: (setattr(made, "FACTOR", 2.0), make(*a))[1])
    made.scaled[1](x, y, f=inner_one)
    monkeypatch.undo()
    made.FACTOR = 3.0
    made.scaled[1](x, y, f=inner_one)
    assert y[0] == 3.0


def inner_one(_: object) -> float:
    return 1.0
