"""Data classes whose methods are written late mean what Python's mean."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from lanewise.support import dataclasses as ours

from ..each import each


@ours.dataclass(frozen=True, slots=True)
class Slotted:
    a: int
    b: str = "b"


@ours.dataclass(frozen=True)
class Above:
    a: int
    kept: list[int] = ours.field(default_factory=list[int], compare=False)
    known: ClassVar[int] = 3


@ours.dataclass(frozen=True)
class Below(Above):
    b: str = ours.field(default="x", repr=False)
    late: int = ours.field(default=0, kw_only=True)


def make(module: Any) -> dict[str, Any]:
    """The same classes by either module."""
    dataclass, field = module.dataclass, module.field

    @dataclass
    class Open:
        a: int
        b: list[int] = field(default_factory=list)
        c: int = 5

        def __post_init__(self) -> None:
            self.c += 1

    @dataclass(frozen=True)
    class Frozen:
        a: int
        b: str = field(default="b", compare=False)
        hidden: int = field(default=1, repr=False)
        unset: int = field(init=False, repr=False, compare=False)

    @dataclass(frozen=True, eq=False)
    class Single:
        a: int

    @dataclass(frozen=True, slots=True)
    class Slots(Frozen):
        c: int = 7

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named:
        a: int
        b: int = 2

    @dataclass
    class Own:
        a: int

        def __init__(self) -> None:
            self.a = 9

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 4

    @dataclass
    class Empty:
        pass

    return {cls.__name__: cls for cls in (Open, Frozen, Single, Slots, Named, Own, Empty)}


CASES: dict[str, Callable[[dict[str, Any]], object]] = {
    "repr": lambda c: [repr(x).split(".")[-1] for x in (c["Open"](1), c["Frozen"](1, "x"), c["Slots"](2), c["Own"]())],
    "defaults": lambda c: (c["Open"](1).b, c["Open"](1).c, c["Open"](1, [2], 8).c, c["Slots"](1).c, c["Frozen"].b),
    "no attribute of a field without default": lambda c: hasattr(c["Frozen"], "unset") or hasattr(c["Open"], "b"),
    "equality": lambda c: (
        c["Open"](1) == c["Open"](1),
        c["Open"](1) == c["Open"](2),
        c["Frozen"](1, "x") == c["Frozen"](1, "y"),
        c["Frozen"](1) == c["Slots"](1),
        c["Single"](1) == c["Single"](1),
        c["Open"](1) == 1,
        c["Empty"]() == c["Empty"](),
    ),
    "hash": lambda c: (hash(c["Frozen"](1, "x")) == hash(c["Frozen"](1, "y")), hash(c["Own"]()), len({c["Slots"](1)})),
    "no hash": lambda c: (c["Open"].__hash__, c["Empty"].__hash__),
    "match": lambda c: [cls.__match_args__ for cls in c.values()],
    "signature": lambda c: [
        [(p.name, p.kind) for p in inspect.signature(cls).parameters.values()] for cls in c.values()
    ],
    "fields": lambda c: [[(f.name, f.init, f.repr, f.compare) for f in dataclasses.fields(cls)] for cls in c.values()],
    "slots": lambda c: (c["Slots"].__slots__, c["Named"].__slots__, hasattr(c["Named"](a=1), "__dict__")),
    "asdict": lambda c: (dataclasses.asdict(c["Open"](1)), dataclasses.asdict(c["Named"](a=1))),
    "a class of Python's below": lambda c: repr(
        dataclasses.make_dataclass("Lower", [("z", int, 3)], bases=(c["Single"],), frozen=True)(1)
    ),
}


@each(CASES)
def test_they_are_as_pythons(case: str) -> None:
    assert CASES[case](make(ours)) == CASES[case](make(dataclasses))


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], type[Exception]]] = {
    "assigned": (lambda c: setattr(c["Frozen"](1), "a", 2), dataclasses.FrozenInstanceError),
    "a new name": (lambda c: setattr(c["Frozen"](1), "z", 2), dataclasses.FrozenInstanceError),
    "deleted": (lambda c: delattr(c["Slots"](1), "a"), dataclasses.FrozenInstanceError),
    "too few": (lambda c: c["Open"](), TypeError),
    "too many": (lambda c: c["Open"](1, [], 3, 4), TypeError),
    "by position": (lambda c: c["Named"](1), TypeError),
    "unknown": (lambda c: c["Named"](a=1, z=1), TypeError),
    "unhashable": (lambda c: hash(c["Open"](1)), TypeError),
    "changes one that does not exist": (lambda c: c["replace"](c["Open"](1), z=1), TypeError),
}


@each([(module, case) for module in (ours, dataclasses) for case in WRONG])
def test_what_pythons_refuse_is_refused(of: tuple[Any, str]) -> None:
    module, case = of
    run, error = WRONG[case]
    with pytest.raises(error):
        run(make(module) | {"replace": module.replace})


def test_methods_are_written_once_when_called() -> None:
    @ours.dataclass(frozen=True)
    class Late:
        a: int

    stub = Late.__init__
    assert Late(1) == Late(1) and hash(Late(1)) == hash(Late(1))
    assert Late.__init__ is not stub
    written = Late.__init__
    Late(2)
    assert Late.__init__ is written


def test_instances_are_changed_copied_and_pickled() -> None:
    slotted, below = Slotted(1), Below(1, [2], "y", late=4)
    assert ours.replace(slotted, b="c") == Slotted(1, "c") == dataclasses.replace(slotted, b="c")
    assert ours.replace(below, a=5) == Below(5, [], "y", late=4)
    for value in (slotted, below):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    assert repr(below) == "Below(a=1, kept=[2], late=4)"


def test_a_default_that_all_share_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="share"):

        @ours.dataclass
        class Wrong:
            a: list[int] = []
