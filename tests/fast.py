"""`--fast=ROOM`: the tests of one room of the package, with the structure's and a few programs on every executor.

It is for the time while a change is made (`make test-fast ROOM=layout`, under a minute on two cores); a change that is
made is looked at by all tests.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOMS = {
    "support": ("ir",),
    "targets": ("targets",),
    "ir": ("ir",),
    "analysis": ("distribute",),
    "frontend": ("ir",),
    "reference": ("reference",),
    "layout": ("layout",),
    "schedule": ("schedule",),
    "distribute": ("distribute", "interpret"),
    "codegen": ("codegen",),
    "pipeline": ("pipeline",),
    "emulate": ("emulate", "emulate_amdgcn"),
    "timing": ("timing",),
    "jit": ("jit",),
    "check": ("frontdoor",),
    "cli": ("frontdoor",),
    "show": ("show",),
}
"""The folders of tests that are about each room."""
ALWAYS = ("test_structure.py",)
FILES = 16
"""One of so many filetests."""
PARTS = {"codegen": 2, "frontdoor": 2}
"""Of the tests in these folders one of so many: all of them take longer than a minute."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", choices=sorted(ROOMS), metavar="ROOM", help="the tests of a room, and a few filetests")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a path is not looked at; None is the choice of others."""
    room = config.getoption("--fast")
    if room is None or not collection_path.is_relative_to(TESTS) or collection_path == TESTS:
        return None
    top, *_ = collection_path.relative_to(TESTS).parts
    if top == "filetests":
        is_other = collection_path.suffix == ".py" or zlib.crc32(collection_path.name.encode()) % FILES
        return True if is_other and collection_path.is_file() else None
    return None if top in ROOMS[room] or top in ALWAYS else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--fast") is not None:
        items[:] = [item for item in items if _is_taken(item)]


def _is_taken(item: pytest.Item) -> bool:
    parts = PARTS.get(item.path.relative_to(TESTS).parts[0], 1)
    return zlib.crc32(item.nodeid.encode()) % parts == 0
