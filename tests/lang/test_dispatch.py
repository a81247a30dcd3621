"""Launches after the first find their specialisation by what decides it, and nothing else."""

from __future__ import annotations

from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest


@lanewise.kernel(workgroup=64, device="emulated")
def halved(x: lw.Array, y: lw.Array, *, tile: int = 64, by: int = 2) -> None:
    i = lw.block(tile)
    y[i] = x[i] // by


@lanewise.kernel(workgroup=64, device="emulated")
def rows(x: Annotated[lw.Array, lw.f32["m", "n"]], y: Annotated[lw.Array, lw.f32["m", "n"]]) -> None:
    row = lw.block_id("x")
    for j in lw.tiles(x.shape[1], 64):
        y[row, j] = x[row, j] + 1.0


@lanewise.kernel(workgroup=64, device="emulated")
def both(x: lw.Array, y: lw.Array) -> None:
    i = lw.block(64)
    x[i] = 1.0
    y[i] = 2.0


def launched(kernel: Any, *arguments: Any, **named: Any) -> Any:
    kernel(*arguments, **named)
    return arguments[-1]


def test_signs_are_told_apart_behind_a_launch_that_is_known() -> None:
    signed = np.array([-5, 7] * 40, np.int32)
    for _ in range(2):
        assert (launched(halved, signed, np.zeros(80, np.int32)) == signed // 2).all()
        unsigned = signed.view(np.uint32)
        assert (launched(halved, unsigned, np.zeros(80, np.uint32)) == unsigned // 2).all()
    assert len(halved.specialisations) >= 2


def test_constants_are_told_apart() -> None:
    x = np.arange(80, dtype=np.int32)
    for _ in range(2):
        assert (launched(halved, x, np.zeros(80, np.int32), by=3) == x // 3).all()
        assert (launched(halved, x, np.zeros(80, np.int32), by=5, tile=32) == x // 5).all()
        assert (launched(halved, x, np.zeros(80, np.int32)) == x // 2).all()
    with pytest.raises(TypeError, match="unhashable"):
        halved(x, x.copy(), by=[2])


@lanewise.kernel(workgroup=64, device="emulated")
def telling(y: lw.Array, *, of: Any = 1) -> None:
    y[lw.block(64)] = CODES[repr(of)]


CODES = {
    repr(of): n
    for n, of in enumerate((1, True, 1.0, 0, False, 0.0, -0.0, (1, 2), (True, 2), (1.0, 2), (0.0,), (-0.0,)))
}


def test_constants_that_are_equal_and_not_the_same_are_told_apart() -> None:
    """1 is an index, 1.0 an f32, and True a truth value, in Python equal and of one hash."""
    for _ in range(3):
        for of, code in ((eval(text), code) for text, code in CODES.items()):
            assert launched(telling, np.full(64, -1, np.int32), of=of)[0] == code, of
        assert launched(telling, np.full(64, -1, np.int32))[0] == 0
    assert len(telling.specialisations) == len(CODES)


class Setting:
    def __init__(self, by: int) -> None:
        self.by = by


SETTING = Setting(3)


@lanewise.kernel(workgroup=64, device="emulated")
def set_to(y: lw.Array, *, setting: Setting = SETTING) -> None:
    y[lw.block(64)] = setting.by


def test_constants_whose_attributes_change_are_other_constants() -> None:
    own = Setting(3)
    for by in (3, 3, 5, 5, 3):
        own.by = SETTING.by = by
        assert launched(set_to, np.zeros(64, np.int32))[0] == by
        assert launched(set_to, np.zeros(64, np.int32), setting=own)[0] == by


def test_gaps_between_rows_take_another_specialisation() -> None:
    whole = np.arange(160, dtype=np.int32)
    for _ in range(2):
        assert (launched(halved, whole[:80], np.zeros(80, np.int32)) == whole[:80] // 2).all()
        assert (launched(halved, whole[::2], np.zeros(80, np.int32)) == whole[::2] // 2).all()


def test_extents_of_one_name_are_compared_at_each_launch() -> None:
    x = np.zeros((3, 100), np.float32)
    for _ in range(2):
        assert (launched(rows, x, np.zeros_like(x)) == 1).all()
        with pytest.raises(lanewise.SignatureError, match="'n' is 100 in axis 1 of 'x' and 99"):
            rows(x, np.zeros((3, 99), np.float32))
        with pytest.raises(lanewise.SignatureError, match="'y' has 2 axes, found 1"):
            rows(x, np.zeros(300, np.float32))
    wider = np.zeros((5, 70), np.float32)
    assert (launched(rows, wider, np.zeros_like(wider)) == 1).all()


def test_a_grid_that_does_not_follow_is_refused_at_each_launch() -> None:
    one, more = np.zeros(64, np.float32), np.zeros(65, np.float32)
    for _ in range(2):
        both(one, one.copy())
        with pytest.raises(lanewise.NoGrid, match="1 for axis 0 of 'x', 2 for axis 0 of 'y'"):
            both(one, more)
    both[2](one, more)
    assert (more == 2).all()


def test_arguments_by_name() -> None:
    x = np.arange(80, dtype=np.int32)
    y = np.zeros(80, np.int32)
    halved(y=y, x=x)
    assert (y == x // 2).all()
    with pytest.raises(lanewise.SignatureError, match="'y' is missing"):
        halved(x)
    with pytest.raises(lanewise.SignatureError, match="no constant 'z'"):
        halved(x, y, z=1)
    with pytest.raises(lanewise.SignatureError, match=r"takes 2 arguments \(x, y\), found 3"):
        halved(x, y, y)


def test_what_a_parameter_may_be() -> None:
    def default(x: lw.Array, n: int = 3) -> None: ...

    def many(*xs: lw.Array) -> None: ...

    def odd(x: str) -> None: ...

    for function, words in ((default, "has a default"), (many, r"takes \*xs"), (odd, "says nothing of its type")):
        with pytest.raises(lanewise.SignatureError, match=words):
            lanewise.kernel(workgroup=64)(function).trace(lw.f32[4])
    with pytest.raises(lanewise.SignatureError, match="an element type that kernels take"):
        halved(np.zeros(4, np.complex64), np.zeros(4, np.complex64))
    with pytest.raises(lanewise.SignatureError, match="expected an array or a number, found str"):
        halved("x", "y")


def test_a_kernel_is_for_the_chip_of_its_device() -> None:
    def copied(x: lw.Array, y: lw.Array) -> None:
        i = lw.block(64)
        y[i] = x[i]

    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    own = lanewise.kernel(workgroup=64, device=lanewise.EmulatedDevice("gfx942"))(copied)
    own(x, y)
    assert own.chip.name == "gfx942" and (y == x).all()
    assert lanewise.kernel(workgroup=64, device="emulated")(copied).chip.name == "sm_90"
    assert lanewise.kernel(workgroup=64, target="h100")(copied).chip.name == "sm_90a"
    with pytest.raises(lanewise.DeviceUnavailable):
        _ = lanewise.kernel(workgroup=64, device="nothing")(copied).chip  # type: ignore[arg-type]
