"""The collector is as it was, whatever a text is."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from lanewise.ir.parser import parse_program
from lanewise.support import collector
from lanewise.support.diagnostics import ParseError


@pytest.fixture(autouse=True)
def running() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_runs_again_after_reading() -> None:
    parse_program("func.func @f() {\n return\n}")
    assert gc.isenabled()


def test_it_runs_again_after_what_is_no_program() -> None:
    with pytest.raises(ParseError):
        parse_program("func.func @f( {")
    assert gc.isenabled()


def test_who_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    parse_program("func.func @f() {\n return\n}")
    assert not gc.isenabled()


def test_inside_it_waits_and_the_outer_one_lets_it_run() -> None:
    with collector.paused():
        with collector.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
