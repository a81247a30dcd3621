"""Keys: equal for equal parts alone, and all that decides a kernel's code is among them."""

from __future__ import annotations

import hashlib
import os
from itertools import combinations
from pathlib import Path
from typing import Any

import lanewise
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.codegen.budget import Budget
from lanewise.jit.cache.identity import compiler_identity, package_identity
from lanewise.jit.cache.key import Key
from lanewise.jit.recipe import FromProgram, Made
from lanewise.jit.source import Verified
from lanewise.pipeline.settings import Settings
from lanewise.support.dataclasses import replace
from lanewise.support.diagnostics import Source
from lanewise.targets import find_chip

from .conftest import DOUBLE

LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, -0.0, 1.0]) | st.text("ab(:1", max_size=3)
)
PARTS = st.recursive(LEAVES | st.binary(max_size=2), lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def spelled(part: Any) -> str:
    """Parts as Python writes them, which is another text for other parts."""
    return repr(part)


@given(st.lists(PARTS, max_size=4), st.lists(PARTS, max_size=4))
def test_other_parts_are_another_key(some: list[Any], others: list[Any]) -> None:
    same = spelled(some) == spelled(others)
    assert (Key("k", *some).digest == Key("k", *others).digest) == same
    assert (Key("k", some).digest == Key("k", others).digest) == same


def test_parts_that_are_nearly_equal() -> None:
    near: list[tuple[Any, ...]] = [
        *((1,), (1.0,), (True,), ("1",), (b"1",), (None,), (0,), (False,), (0.0,), (-0.0,), ("",), ()),
        *(("ab", "c"), ("a", "bc"), (("ab", "c"),), (("ab",), "c"), ("ab", ("c",)), ((),), ((), ())),
    ]
    for one, other in combinations(near, 2):
        assert Key("k", *one).digest != Key("k", *other).digest, (one, other)
    assert Key("k", "x").digest != Key("kx").digest != Key("l", "x").digest
    assert Key("k", 1).add("x").digest == Key("k", 1, "x").digest
    assert Key("k", (1, "x")).digest == Key("k", [1, "x"]).digest


def test_a_key_is_a_sha256_of_tagged_parts() -> None:
    """By hand: each part's letter, length and bytes."""
    expected = hashlib.sha256(b"s1:k" + b"i1:a" + b"i3:-ff" + b"(2:" + b"s2:\xc3\xa9" + b"n0:").hexdigest()
    assert Key("k", 10, -255, ("é", None)).digest == expected


class Text(str):
    """Means whatever its class says."""


@pytest.mark.parametrize("part", [object(), {1: 2}, {1}, Text("a"), 1j, print], ids=lambda part: type(part).__name__)
def test_what_has_no_bytes_is_no_part(part: object) -> None:
    with pytest.raises(TypeError, match="a part of a key is one of NoneType, bool, int, float, str, bytes"):
        Key("k", (1, part))


# Recipes


def key_of(text: str = DOUBLE, name: str = "a.mlir", compiler: str = "this", **asked: Any) -> str:
    return FromProgram(Source(text, name), **asked).key(compiler)


def test_all_that_decides_code_is_in_a_programs_key() -> None:
    sm_90 = find_chip("sm_90")
    keys = [
        key_of(),
        key_of(DOUBLE + "\n"),
        key_of(compiler="another"),
        key_of(target=sm_90),
        key_of(target=find_chip("gfx942")),
        key_of(kernel="double"),
        key_of(fastmath="approx"),
        key_of(settings=Settings(without=("pack",))),
        key_of(settings=Settings(without=("pack", "dead"))),
        key_of(settings=Settings(budget=Budget(lines=7))),
    ]
    assert len({*keys}) == len(keys) and "" not in keys


def test_nothing_else_is_in_it() -> None:
    assert key_of(name="b.mlir") == key_of()
    assert key_of(target=find_chip("h100")) == key_of(target=find_chip("sm_90a"))
    assert key_of(settings=Settings(isolate=True, budget=Budget(seconds=1))) == key_of()
    assert key_of(settings=Settings(without=("pack", "dead"))) == key_of(settings=Settings(without=("dead", "pack")))


def test_what_cannot_be_said_is_not_kept() -> None:
    assert key_of(compiler="") == ""
    assert key_of(target=replace(find_chip("sm_90"), shared_memory_bytes=1024)) == "", "a chip of one's own"
    assert key_of(kernel=7) == "" == key_of(fastmath=None) == key_of(settings=Settings(without=(1,)))  # type: ignore[arg-type]
    module = lanewise.parse(DOUBLE)
    assert FromProgram(module).key("this") == "", "a module can be changed"
    assert FromProgram(Verified(module)).key("this") == key_of(lanewise.print_program(module)), "its maker says not"
    assert Made(lanewise.compile(DOUBLE, cache="off").compiler).key("this") == ""


# Identity


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "site" / "lanewise"
    (folder / "jit").mkdir(parents=True)
    (folder / "docs").mkdir()
    for name in ("__init__.py", "a.py", "jit/__init__.py", "jit/b.py", "docs/snippet.py"):
        (folder / name).write_text("x = 1\n")
    return folder


def test_a_tree_is_its_files(package: Path) -> None:
    def identity() -> str:
        return package_identity(str(package), "lanewise")

    found = [identity()]
    assert found == [identity()]
    (package / "docs/snippet.py").write_text("y = 2\n")
    (package / "notes.txt").write_text("no code")
    assert identity() == found[0], "neither is part of the package"
    changed = package / "jit/b.py"
    before = changed.stat()
    changed.write_text("x = 2\n")
    os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))  # of the same size, and as old as before
    found.append(identity())
    changed.rename(package / "jit/c.py")
    found.append(identity())
    (package / "jit/d.so").write_bytes(b"")
    found.append(identity())
    assert len({*found}) == 4


def test_a_wheel_is_its_record(package: Path) -> None:
    def identity() -> str:
        return package_identity(str(package), "lanewise")

    info = package.parent / "lanewise-0.1.0.dist-info"
    info.mkdir()
    assert identity().startswith("tree"), "there is no RECORD"
    (info / "RECORD").write_text("__editable__.lanewise.pth,sha256=1,9\n")
    assert identity().startswith("tree"), "it was installed from elsewhere"
    (info / "RECORD").write_text("lanewise/__init__.py,sha256=1,6\n")
    one = identity()
    os.utime(package / "a.py", (1, 1))
    assert one == identity() and one.startswith("wheel"), "times say nothing of a wheel"
    (info / "RECORD").write_text("lanewise/__init__.py,sha256=2,6\n")
    assert identity() != one
    (package.parent / "lanewise-0.2.0.dist-info").mkdir()
    assert identity().startswith("tree"), "two of them: which one it is nobody knows"


def test_this_compiler_is_the_same_each_time() -> None:
    assert compiler_identity() == compiler_identity()
